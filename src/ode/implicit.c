/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "methods.h"
#include <float.h>
#include <math.h>
#include <string.h>

/* matrix = I/(gamma h) - J over the active states, factored; false where it is singular */
static bool factor(ff_stepper *s, double per) {
    const size_t m = s->active_count;
    const double *jacobian = s->matrix + m * m;
    for (size_t i = 0; i < m * m; i++) {
        s->matrix[i] = -jacobian[i];
    }
    for (size_t i = 0; i < m; i++) {
        s->matrix[i * m + i] += per;
    }
    return ff_lu(m, s->matrix, s->pivots);
}

static void solve(const ff_stepper *s, double *u) {
    ff_lu_solve(s->active_count, s->matrix, s->pivots, u);
}

/* df/dx at (x, y), by a difference over a small part of the step. */
static const double *drift(ff_stepper *s, double x, const double *y, double h) {
    const double part = 1e-5 * h;
    double *out = s->k[7];
    s->rates(s->user, x + part, y, out);
    s->evaluations++;
    for (size_t i = 0; i < s->states; i++) {
        out[i] = (out[i] - s->k[0][i]) / part;
    }
    return out;
}

/* Rodas3, an L-stable and stiffly accurate Rosenbrock method of orders 3 and 2 (Sandu et al. 1997,
 * Atmos. Environ. 31, 3459). Where f depends on x of its own accord (`timed`), h gamma_i df/dx is added to the
 * first two stages, with gamma = 1/2 and 3/2; otherwise it does so through prescribed motion at the most,
 * which is slow against what makes a step stiff. u are over the active states. */
double ff_rodas3_try(ff_stepper *s, double x, const double *y, double h, const double *per_weight) {
    const size_t m = s->active_count, n = s->n, *at = s->active;
    double *u1 = s->k[1], *u2 = s->k[2], *u3 = s->k[3], *u4 = s->k[4], *g = s->stage;
    const double *f0 = s->k[0], *f = s->k[5];
    ff_stepper_jacobian(s, x, y);
    if (!factor(s, 2 / h)) {
        return HUGE_VAL;
    }
    memcpy(g, y, n * sizeof *y);
    const double *by_x = s->timed ? drift(s, x, y, h) : NULL;
    for (size_t i = 0; i < m; i++) {
        u1[i] = f0[at[i]] + (by_x ? h / 2 * by_x[at[i]] : 0);
    }
    solve(s, u1);
    for (size_t i = 0; i < m; i++) {
        u2[i] = f0[at[i]] + 4 / h * u1[i] + (by_x ? 1.5 * h * by_x[at[i]] : 0);
    }
    solve(s, u2);
    for (size_t i = 0; i < m; i++) {
        g[at[i]] = y[at[i]] + 2 * u1[i];
    }
    s->rates(s->user, x + h, g, s->k[5]);
    for (size_t i = 0; i < m; i++) {
        u3[i] = f[at[i]] + (u1[i] - u2[i]) / h;
    }
    solve(s, u3);
    for (size_t i = 0; i < m; i++) {
        g[at[i]] = y[at[i]] + 2 * u1[i] + u3[i];
    }
    s->rates(s->user, x + h, g, s->k[5]);
    for (size_t i = 0; i < m; i++) {
        u4[i] = f[at[i]] + (u1[i] - u2[i] - 8.0 / 3 * u3[i]) / h;
    }
    solve(s, u4);
    double error = 0;
    memcpy(s->y1, y, n * sizeof *y);
    for (size_t i = 0; i < m; i++) {
        s->y1[at[i]] = y[at[i]] + 2 * u1[i] + u3[i] + u4[i];
        /* what is stiff is off by u4 where it is not by y1, however short the step: (1 - h J/2)^-1 takes that out and
         * leaves the rest (Shampine and Baca 1984) */
        u2[i] = 2 / h * u4[i];
    }
    solve(s, u2);
    for (size_t i = 0; i < m; i++) {
        error = ff_worse(error, fabs(u2[i]) * per_weight[at[i]]);
    }
    s->rates(s->user, x + h, s->y1, s->k[6]);
    s->evaluations += 3;
    return ff_worse(error, ff_stepper_quadratures(s, x, y, h, per_weight));
}

/* The trapezoidal rule y1 = y + h (f(y) + f(y1))/2 by Newton's method with the Jacobian of the start;
 * its error -h^3 y'''/12 from the third difference that f at the start, middle and end of Hermite's
 * cubic give. */
double ff_trapezoid_try(ff_stepper *s, double x, const double *y, double h,
                        const double *per_weight) {
    const size_t m = s->active_count, n = s->n, *at = s->active;
    double *change = s->k[2];
    ff_stepper_jacobian(s, x, y);
    if (!factor(s, 2 / h)) {
        return HUGE_VAL;
    }
    memcpy(s->y1, y, n * sizeof *y);
    for (size_t i = 0; i < m; i++) {
        s->y1[at[i]] += h * s->k[0][at[i]];
    }
    bool done = false;
    for (int turn = 0; turn < 10 && !done; turn++) {
        double size = 0;
        s->rates(s->user, x + h, s->y1, s->k[6]);
        s->evaluations++;
        for (size_t i = 0; i < m; i++) {
            change[i] = s->k[0][at[i]] + s->k[6][at[i]] - 2 / h * (s->y1[at[i]] - y[at[i]]);
        }
        solve(s, change);
        for (size_t i = 0; i < m; i++) {
            s->y1[at[i]] += change[i];
            /* what is within rounding is no change, however small its weight */
            double rounding = 4 * DBL_EPSILON * fabs(s->y1[at[i]]);
            size = ff_worse(size, (fabs(change[i]) - rounding) * per_weight[at[i]]);
        }
        /* a hundredth of the weight, and quadratic from there */
        done = size < 0.01;
        if (!isfinite(size)) {
            return HUGE_VAL;
        }
    }
    if (!done) {
        return 100;
    }
    s->rates(s->user, x + h, s->y1, s->k[6]);
    s->evaluations++;
    double error = ff_stepper_quadratures(s, x, y, h, per_weight);
    if (s->states == s->n) {
        for (size_t i = 0; i < s->states; i++) {
            s->stage[i] = (y[i] + s->y1[i]) / 2 + h * (s->k[0][i] - s->k[6][i]) / 8;
        }
        s->rates(s->user, x + h / 2, s->stage, s->k[1]);
        s->evaluations++;
    }
    for (size_t i = 0; i < m; i++) {
        double bend = h / 3 * (s->k[0][at[i]] - 2 * s->k[1][at[i]] + s->k[6][at[i]]);
        error = ff_worse(error, fabs(bend) * per_weight[at[i]]);
    }
    return error;
}
