/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

#include <math.h>

/* Ends of fixed steps are multiples of their length, and not sums, which are off by what rounding has added up: a
 * time within 1e-9 of a step of a multiple is that multiple. */
static inline double ff_on_grid(double time, double dt) {
    double nearest = nearbyint(time / dt) * dt;
    return fabs(time - nearest) < 1e-9 * dt ? nearest : time;
}
