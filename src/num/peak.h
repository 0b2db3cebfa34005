/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* Finds the maximum of a function known at three points, of which the middle one is the highest or nearly so, by parabolas
 * through the highest point and its neighbours. The caller evaluates the function:
 *
 *     while (ff_peak_open(&p)) {
 *         ff_peak_narrow(&p, f(p.at));
 *     }
 *     ff_peak_value(&p)
 *
 * Points are fractions of a step: a position known to 1e-5 gives the maximum to 1e-10 of the curvature. */

#include <math.h>
#include <stdbool.h>

typedef struct ff_peak {
    double x[3], f[3];
    double at; /* next point to evaluate */
    int turn;
} ff_peak;

/* Chooses the next point; false if the maximum has been found. */
static inline bool ff_peak_open(ff_peak *p) {
    const double *x = p->x, *f = p->f;
    const double a = (f[1] - f[0]) / (x[1] - x[0]), b = (f[2] - f[1]) / (x[2] - x[1]),
                 bend = (b - a) / (x[2] - x[0]);
    if (p->turn >= 8 || !(bend < 0)) {
        return false;
    }
    /* vertex of the parabola, kept away from the ends and the middle */
    const double vertex = (x[0] + x[1]) / 2 - a / (2 * bend);
    p->at = fmin(fmax(vertex, x[0] + 0.1 * (x[1] - x[0])), x[2] - 0.1 * (x[2] - x[1]));
    return !(fabs(p->at - x[1]) < 1e-5);
}

/* Keeps three neighbouring points of which the middle one is the highest, or becomes so. */
static inline void ff_peak_narrow(ff_peak *p, double f) {
    const bool higher = f > p->f[1], left = p->at < p->x[1];
    const int end = higher == left ? 2 : 0;
    p->x[end] = higher ? p->x[1] : p->at;
    p->f[end] = higher ? p->f[1] : f;
    if (higher) {
        p->x[1] = p->at;
        p->f[1] = f;
    }
    p->turn++;
}

static inline double ff_peak_value(const ff_peak *p) {
    return fmax(p->f[1], fmax(p->f[0], p->f[2]));
}
