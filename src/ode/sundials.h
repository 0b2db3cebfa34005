/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* The integrators of SUNDIALS: they choose their own steps and remember those before. */

#include "stepper.h"

/* For the system of a stepper that all states are active in, with its weights. FF_NOT_BUILT without
 * SUNDIALS. */
ff_status ff_sundials_create(ff_stepper *s, ff_method method, const double *per_weight,
                             ff_sundials **out);
void ff_sundials_free(ff_sundials *f);

/* Forgets what was and begins at (x, y), for a first step of at most `most`; false where it cannot. */
bool ff_sundials_begin(ff_sundials *f, double x, double most, const double *y);

/* One step of its own choice from where it is, x, but not past `stop`: its end in y1, its length
 * returned, 0 where there was none. `refused` counts steps that it took back on the way. */
double ff_sundials_step(ff_sundials *f, double x, double stop, double *y1, long *refused);

/* y at x within the step last made: as good as its steps for CVODES, a cubic for ARKODE. */
void ff_sundials_at(ff_sundials *f, double x, double *out);
