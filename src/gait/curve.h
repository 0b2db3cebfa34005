/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* Curves of fixed points of a map of n numbers that depends on one parameter, by pseudo-arclength continuation
 * (Keller 1977, Numerical solution of bifurcation and nonlinear eigenvalue problems). A point of the curve is (x, p) with
 * map(x, p) = x. Steps go along the tangent of the curve in R^(n+1), so turning points, where the parameter runs back, are
 * passed like any other point. */

#include "num/matrix.h"

/* A map of n numbers and a parameter, in units in which their neighbourhoods are of size 1. */
typedef struct ff_curve_map {
    /* the value of the map; `fine`: as exact as it can be, otherwise smooth enough for differences */
    ff_status (*at)(void *user, const double *x, double parameter, bool fine, double *out);
    void *user;
    size_t n;
    double step;  /* of central differences */
    double noise; /* error of a fine value: a residual below it is 0 */
} ff_curve_map;

/* A point of the curve, in memory of n + 1, n + 1 and (n + 1)^2 numbers. */
typedef struct ff_curve_point {
    double *z;          /* x and the parameter */
    double *tangent;    /* of length 1 */
    double *derivative; /* of map - x and of the parameter, by x and the parameter */
} ff_curve_point;

typedef struct ff_curve {
    const ff_curve_map *map;
    ff_curve_point here;
    bool turning; /* here is a turning point */
    double step;  /* length of the next step, along the tangent */
    /* the end of the last step; where a turning point was found in between, it is still to come */
    ff_curve_point next, trial;
    bool pending;
    double *memory;
} ff_curve;

/* Starts at a fixed point x that is known, towards larger (direction > 0) or smaller parameters. FF_SINGULAR: the curve has no
 * tangent there. ff_curve_clear() frees what it holds, also after an error. */
ff_status ff_curve_start(ff_curve *curve, const ff_curve_map *map, const double *x,
                         double parameter, int direction, double step);
void ff_curve_clear(ff_curve *curve);

/* The next point: at most `longest` along the curve, and exactly at `least` or `most` where the parameter would pass them. A
 * turning point in between is located and comes first. FF_UNREACHABLE, or what the map returned: no point was found with any
 * step that is not tiny; the curve stays where it was. */
ff_status ff_curve_next(ff_curve *curve, double least, double most, double longest);
