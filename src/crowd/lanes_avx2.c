/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#define NAME ff_lane_set_avx2
#include "lanes.inc"
