/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* Curves of fixed points of a map of n numbers that depends on one parameter, by pseudo-arclength continuation (Keller
 * 1977, Numerical solution of bifurcation and nonlinear eigenvalue problems). A point of the curve is (x, p) with map(x, p)
 * = x. Steps follow the tangent of the curve in R^(n+1), so turning points, at which the parameter reverses, are passed
 * like any other point. */

#include "num/matrix.h"

/* A map of n numbers and a parameter, scaled so that their neighbourhoods have size 1. */
typedef struct ff_curve_map {
    /* evaluates the map; `fine`: as accurate as possible, otherwise smooth enough for differences */
    ff_status (*at)(void *user, const double *x, double parameter, bool fine, double *out);
    void *user;
    size_t n;
    double step;  /* step of central differences */
    double noise; /* error of a fine value: a smaller residual counts as 0 */
} ff_curve_map;

/* A point of the curve, in arrays of n + 1, n + 1 and (n + 1)^2 numbers. */
typedef struct ff_curve_point {
    double *z;       /* x and the parameter */
    double *tangent; /* unit tangent */
    /* derivative of map - x and of the parameter with respect to x and the parameter */
    double *derivative;
} ff_curve_point;

typedef struct ff_curve {
    const ff_curve_map *map;
    ff_curve_point here;
    bool turning; /* it is a turning point */
    double step;  /* length of the next step along the tangent */
    /* the end of the last step; if a turning point was found before it, it is returned by the next call */
    ff_curve_point next, trial;
    bool pending;
    double *memory;
} ff_curve;

/* Starts at a known fixed point x, towards larger (direction > 0) or smaller parameters. FF_SINGULAR: the curve has no
 * tangent there. ff_curve_clear() frees its memory, also after an error. */
ff_status ff_curve_start(ff_curve *curve, const ff_curve_map *map, const double *x,
                         double parameter, int direction, double step);
void ff_curve_clear(ff_curve *curve);

/* The next point: at most `longest` along the curve, and exactly at `least` or `most` if the parameter would pass them. A
 * turning point in between is located and returned first. FF_UNREACHABLE, or the status of the map: no point was found with
 * any reasonable step; the curve is unchanged. */
ff_status ff_curve_next(ff_curve *curve, double least, double most, double longest);
