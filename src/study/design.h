/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* The points of a sweep: all combinations of the axes with values, each with a number of samples of the axes with
 * distributions. A point is computed from its row alone, so that any thread can evaluate any row. */

#include "axis.h"

/* Number of dimensions of the Sobol sequence. */
enum { FF_SOBOL_MOST = 21, FF_SOBOL_BITS = 52 };

typedef struct ff_design {
    ff_axis *axes;
    size_t count, rows;
    size_t samples, randoms; /* 1 and 0 if no axis has a distribution */
    ff_points points;
    uint64_t seed;
    uint32_t *layers; /* Latin hypercube: samples for each random axis, one axis after the other */
    uint64_t directions[FF_SOBOL_MOST][FF_SOBOL_BITS];
} ff_design;

/* Takes ownership of `axes`, also on failure. */
ff_status ff_design_create(ff_axis *axes, size_t count, const ff_sweep *sweep, ff_design **out,
                           ff_error *error);
void ff_design_free(ff_design *design);

/* The values of all axes in a row; for words their indices. */
void ff_design_point(const ff_design *design, size_t row, double *values);
