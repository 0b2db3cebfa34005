/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

#include "stepper.h"
#include <string.h>

/* The methods that ff_stepper_try() calls. */

/* Whether further evaluations of the step are useless: f has requested a shorter step, or the step is to be interrupted. */
bool ff_stepper_ends(ff_stepper *s);

/* Evaluates f at (x, y), unless an earlier evaluation of the step has made that useless. */
static inline void ff_evaluate(ff_stepper *s, double x, const double *y, double *dy) {
    if (--s->halt.left >= 0 || !ff_stepper_ends(s)) {
        int answer = s->rates(s->user, x, y, dy);
        if (answer != 0) {
            s->answer = answer;
            s->halt.left = 0;
        }
    }
}

/* The methods that `auto` chooses from, with loops compiled for each instruction set, without fused operations, so that all
 * give the same bits. */
typedef struct ff_loops {
    double (*dopri5)(ff_stepper *s, double x, const double *y, double h, const double *per_weight);
    void (*dopri5_bend)(const ff_stepper *s, double h, double *out);
    double (*dop853)(ff_stepper *s, double x, const double *y, double h, const double *per_weight);
    void (*dop853_bend)(ff_stepper *s, double x, const double *y, double h);
    /* the first four coefficients of an interpolant, those of Hermite's cubic */
    void (*cubic)(const ff_stepper *s, const double *y, double h, double *out);
    double (*rodas)(ff_stepper *s, double x, const double *y, double h, const double *per_weight);
    void (*solve_folded)(ff_stepper *s, double *u);
} ff_loops;

extern const ff_loops ff_loops_plain;
#if FF_X86
extern const ff_loops ff_loops_avx2, ff_loops_avx512;
#endif
double ff_rosenbrock_try(ff_stepper *s, double x, const double *y, double h,
                         const double *per_weight);
double ff_trapezoid_try(ff_stepper *s, double x, const double *y, double h,
                        const double *per_weight);

/* Factorises I/(gamma h) - J; false if it loses too many digits because the step is too long. J is the Jacobian at the start of
 * the step and is kept after a rejected step. */
bool ff_stepper_factor(ff_stepper *s, double x, const double *y, double per);
/* Solves with these factors. u is over all states; of states that are not active the solution is 0, whatever u was. */
void ff_stepper_solve(ff_stepper *s, double *u);
/* df/dx at (x, y), by a difference over a small fraction of the step. */
const double *ff_stepper_drift(ff_stepper *s, double x, const double *y, double h);

/* The larger of two errors; NAN counts as the largest. */
static inline double ff_worse(double error, double e) {
    return e <= error || error != error ? error : e;
}

/* The largest of n numbers >= 0; NAN counts as the largest if `nan`, and is ignored otherwise. Four at a time: each comparison
 * has to wait for the previous one. The last four may overlap those before. */
static inline double ff_worst(const double *e, size_t n, bool nan) {
    typedef double lanes __attribute__((vector_size(32)));
    typedef long long mask __attribute__((vector_size(32)));
    enum { LANES = 4 };
    double out = 0;
    if (n < LANES) {
        for (size_t i = 0; i < n; i++) {
            out = nan ? ff_worse(out, e[i]) : e[i] > out ? e[i] : out;
        }
        return out;
    }
    lanes most = {0}, next;
    for (size_t i = 0; i < n; i += LANES) {
        memcpy(&next, e + (i + LANES <= n ? i : n - LANES), sizeof next);
        const mask keep = nan ? (next <= most) | (most != most) : ~(next > most);
        most = (lanes)((keep & (mask)most) | (~keep & (mask)next));
    }
    for (int l = 0; l < LANES; l++) {
        out = ff_worse(out, most[l]);
    }
    return out;
}

/* Adds the integrals of the quadratures over a step to y1, by Simpson's rule on the interpolant; uses k[1] and stage.
 * Returns the largest error relative to the tolerances. */
double ff_stepper_quadratures(ff_stepper *s, double x, const double *y, double h,
                              const double *per_weight);
