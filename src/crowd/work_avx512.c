/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#define NAME ff_work_avx512
#include "work.inc"
