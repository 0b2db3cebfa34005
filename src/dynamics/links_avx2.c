/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#define NAME ff_links_avx2
#include "links.inc"
