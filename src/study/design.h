/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* The points of a sweep: all combinations of the axes with values, and for each of them so many samples of the axes with
 * distributions. A point follows from its row alone, so that any thread can ask for any of them. */

#include "axis.h"

/* Sobol's sequence has so many dimensions here. */
enum { FF_SOBOL_MOST = 21, FF_SOBOL_BITS = 52 };

typedef struct ff_design {
    ff_axis *axes;
    size_t count, rows;
    size_t samples, randoms; /* 1 and 0 where no axis has a distribution */
    ff_points points;
    uint64_t seed;
    uint32_t
        *layers; /* of a Latin hypercube: samples for each random axis, one axis after the other */
    uint64_t directions[FF_SOBOL_MOST][FF_SOBOL_BITS];
} ff_design;

/* Takes over `axes`, also where it fails. */
ff_status ff_design_create(ff_axis *axes, size_t count, const ff_sweep *sweep, ff_design **out,
                           ff_error *error);
void ff_design_free(ff_design *design);

/* The values of all axes in a row; those of words are their indices. */
void ff_design_point(const ff_design *design, size_t row, double *values);
