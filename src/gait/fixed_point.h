/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* Fixed points of a map of n numbers by Newton's method, and the derivative of the map. */

#include "num/matrix.h"

/* A map of n numbers, scaled so that the neighbourhood of the point has size 1. */
typedef struct ff_fixed_point_map {
    ff_status (*at)(void *user, const double *x, double *out);
    void *user;
    size_t n;
    double step;  /* step of central differences */
    double noise; /* error of a value of the map: a smaller residual counts as 0 */
} ff_fixed_point_map;

/* The derivative at x, where the value is `value`, by central differences with an error of step^2 f'''/6 + noise/step. If
 * the one-sided differences are not those of a smooth map, shorter steps are tried, and the one whose sides agree best is
 * used. `kink`: the largest remaining difference between the two sides; 0: the map is smooth. */
ff_status ff_fixed_point_derivative(const ff_fixed_point_map *map, const double *x,
                                    const double *value, double *jacobian, double *kink);

/* Newton's method for map(x) = x, from x and, if `known`, from a derivative near it; both are updated. The derivative is
 * kept while the residual decreases tenfold. FF_NO_CONVERGENCE: no point was found; FF_SINGULAR: there may be a line of
 * fixed points. */
typedef struct ff_found {
    double residual; /* the largest of |map(x) - x| */
    int iterations, derivatives;
} ff_found;

ff_status ff_fixed_point_find(const ff_fixed_point_map *map, double *x, double *jacobian,
                              bool known, ff_found *found);
