/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* Tables of single free impacts. */

#include <footfall/study.h>

typedef enum ff_impacts_kind {
    FF_IMPACTS_NUMBERS, /* restitution, times, depth, force: one row per impact */
    FF_IMPACTS_CURVES,  /* the motion during each impact: one row per point */
    /* the motion from `start_depth` at `start_velocity` < 0, with a law without clamp */
    FF_IMPACTS_BRANCHES,
    FF_IMPACTS_FORCES /* without motion: the force of a normal law at `depth` and `rate`, or of a friction law under
                       * `load` at slip_x, slip_y with spring deflection u_x, u_y */
} ff_impacts_kind;

/* Computes impacts of a law. Parameters are NAME=RANGE: those of the law, mass and speed, or for branches and forces
 * the quantities named above. The first `varied` of them become columns; the others must have a single value. */
ff_status ff_impacts_table(ff_impacts_kind kind, const char *law, const char *const *parameters,
                           size_t count, size_t varied, size_t points, ff_table **out,
                           ff_error *error);
