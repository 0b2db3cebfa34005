/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* Tables of single free impacts. */

#include <footfall/study.h>

typedef enum ff_impacts_kind {
    FF_IMPACTS_NUMBERS, /* restitution, times, depth, force: a row for each impact */
    FF_IMPACTS_CURVES,  /* the motion of each impact: a row for each point */
    FF_IMPACTS_BRANCHES, /* the motion from `start_depth` at `start_velocity` < 0 under a law without clamp */
    FF_IMPACTS_FORCES /* no motion: the force of a normal law at `depth` and `rate`, or of a friction law under `load` at
                          * slip_x, slip_y, with a spring that is stretched by u_x, u_y */
} ff_impacts_kind;

/* Impacts of a law. Parameters are NAME=RANGE: those of the law, mass, speed (of branches and forces what is said there); the first `varied`
 * of them are columns, the others have one value each. */
ff_status ff_impacts_table(ff_impacts_kind kind, const char *law, const char *const *parameters,
                           size_t count, size_t varied, size_t points, ff_table **out,
                           ff_error *error);
