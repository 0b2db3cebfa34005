/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#define NAME ff_lane_set_plain
#include "lanes.inc"
