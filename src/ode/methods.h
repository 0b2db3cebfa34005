/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

#include "stepper.h"

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

/* The methods of Dormand and Prince, with loops compiled for each instruction set, without fused operations, so that all
 * give the same bits. */
typedef struct ff_explicit {
    double (*dopri5)(ff_stepper *s, double x, const double *y, double h, const double *per_weight);
    void (*dopri5_bend)(const ff_stepper *s, double h, double *out);
    double (*dop853)(ff_stepper *s, double x, const double *y, double h, const double *per_weight);
    void (*dop853_bend)(ff_stepper *s, double x, const double *y, double h);
} ff_explicit;

extern const ff_explicit ff_explicit_plain;
#if FF_X86
extern const ff_explicit ff_explicit_avx2;
#endif
double ff_rosenbrock_try(ff_stepper *s, double x, const double *y, double h,
                         const double *per_weight);
double ff_rodas_try(ff_stepper *s, double x, const double *y, double h, const double *per_weight);
double ff_trapezoid_try(ff_stepper *s, double x, const double *y, double h,
                        const double *per_weight);

/* The larger of two errors; NAN counts as the largest. */
static inline double ff_worse(double error, double e) {
    return e <= error || error != error ? error : e;
}

/* Adds the integrals of the quadratures over a step to y1, by Simpson's rule on the interpolant; uses k[1] and stage.
 * Returns the largest error relative to the tolerances. */
double ff_stepper_quadratures(ff_stepper *s, double x, const double *y, double h,
                              const double *per_weight);
