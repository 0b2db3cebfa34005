/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* A part of the last step tried: time and components of y over it as interval Taylor series in theta, the fraction of the step, and
 * bounds of functions of them (docs/theory.md, Between stages). */

#include "expr/series.h"
#include "flow.h"

/* How components of y are known: by the interpolant, which must have been made (ff_stepper_dense()); by the cubic through both ends
 * of the step; or by bounds from its stages, whole steps only. */
typedef enum ff_path_by { FF_PATH_DENSE, FF_PATH_CUBIC, FF_PATH_STAGES } ff_path_by;

typedef struct ff_path {
    double from, to; /* theta */
    int order;
    ff_path_by by;
    double t[2];                                /* time at both ends, s */
    ff_interval rate[FF_SERIES_ORDER_MOST + 1]; /* coefficients of time */
} ff_path;

ff_path ff_path_of(const ff_flow *f, double from, double to, int order);

/* Coefficients of component i of y. `mean`, `spread`: for FF_PATH_STAGES, its rate in the step is within `spread` of `mean`. */
void ff_path_state(const ff_flow *f, const ff_path *p, size_t i, double mean, double spread,
                   ff_interval *out);

/* Taylor coefficients over [from, to] of a polynomial with coefficients p, and of a constant. */
void ff_path_polynomial(const double *p, int count, double from, double to, int order,
                        ff_interval *out);
void ff_path_constant(double value, int order, ff_interval *out);

static inline ff_interval ff_path_within(double middle, double way) {
    return (ff_interval){ff_interval_down(middle - way), ff_interval_up(middle + way)};
}

/* The largest value between two points a time h apart of a function whose second derivative is at least -bend: it is below the
 * parabola through both points with that second derivative. */
static inline double ff_path_chord(double a, double b, double h, double bend) {
    const double rise = b - a, curve = bend * h * h;
    const double ends = a > b ? a : b;
    /* the vertex is between the points */
    return 2 * fabs(rise) < curve ? (a + b) / 2 + curve / 8 + rise * rise / (2 * curve) : ends;
}

/* order of the coefficients for bounds: second derivatives are needed */
enum { FF_PATH_ORDER = 2 };

/* An upper bound of a function over a part of width w, from its coefficients and its values at both ends: by its range, by the
 * tangents of its extreme slopes, and by the parabola of its second derivative. */
double ff_path_bound(const ff_interval *c, double a, double b, double w);
/* The same of a root function over a part of a step, from the coefficients of an expression: of its negative if the side is 0. */
double ff_path_bound_side(const ff_interval *x, double side, const ff_step_part *part);
