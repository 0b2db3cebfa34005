/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

#include <math.h>

/* Fixed steps end at multiples of their length rather than at sums, which accumulate rounding errors: a time within 1e-9 of
 * a step from a multiple is replaced by that multiple. */
static inline double ff_on_grid(double time, double dt) {
    double nearest = nearbyint(time / dt) * dt;
    return fabs(time - nearest) < 1e-9 * dt ? nearest : time;
}
