/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "methods.h"
#include <float.h>
#include <math.h>
#include <string.h>

bool ff_stepper_factor(ff_stepper *s, double x, const double *y, double per) {
    if (s->active_count == 0) {
        return true;
    }
    s->fold.d = per;
    return ff_stepper_find_slopes(s, x, y) && !s->halt.now && ff_sparse_factor(s->matrix, per);
}

void ff_stepper_solve(ff_stepper *s, double *u) {
    const size_t m = s->active_count;
    double *active = s->k[10];
    if (m > 0 && s->fold.used) {
        s->loops->solve_folded(s, u);
        return;
    }
    for (size_t a = 0; a < m; a++) {
        active[a] = u[s->active[a]];
    }
    if (m > 0) {
        ff_sparse_solve(s->matrix, active);
    }
    memset(u, 0, s->states * sizeof *u);
    for (size_t a = 0; a < m; a++) {
        u[s->active[a]] = active[a];
    }
}

const double *ff_stepper_drift(ff_stepper *s, double x, const double *y, double h) {
    const double part = 1e-5 * h;
    double *out = s->k[9];
    ff_evaluate(s, x + part, y, out);
    s->evaluations++;
    for (size_t i = 0; i < s->states; i++) {
        out[i] = (out[i] - s->k[0][i]) / part;
    }
    return out;
}

/* Rodas3, an L-stable and stiffly accurate Rosenbrock method of orders 3 and 2 (Sandu et al. 1997, Atmos. Environ. 31,
 * 3459). If f depends explicitly on x (`timed`), h gamma_i df/dx is added to the first two stages, with gamma = 1/2 and
 * 3/2; otherwise x enters at most through prescribed motion, which is slow compared with the stiff components. */
double ff_rosenbrock_try(ff_stepper *s, double x, const double *y, double h,
                         const double *per_weight) {
    const size_t m = s->states, n = s->n;
    double *u1 = s->k[1], *u2 = s->k[2], *u3 = s->k[3], *u4 = s->k[4], *g = s->stage;
    const double *f0 = s->k[0], *f = s->k[5];
    if (!ff_stepper_factor(s, x, y, 2 / h)) {
        return HUGE_VAL;
    }
    memcpy(g, y, n * sizeof *y);
    const double *by_x = s->timed ? ff_stepper_drift(s, x, y, h) : NULL;
    for (size_t i = 0; i < m; i++) {
        u1[i] = f0[i] + (by_x ? h / 2 * by_x[i] : 0);
    }
    ff_stepper_solve(s, u1);
    for (size_t i = 0; i < m; i++) {
        u2[i] = f0[i] + 4 / h * u1[i] + (by_x ? 1.5 * h * by_x[i] : 0);
    }
    ff_stepper_solve(s, u2);
    for (size_t i = 0; i < m; i++) {
        g[i] = y[i] + 2 * u1[i];
    }
    ff_evaluate(s, x + h, g, s->k[5]);
    for (size_t i = 0; i < m; i++) {
        u3[i] = f[i] + (u1[i] - u2[i]) / h;
    }
    ff_stepper_solve(s, u3);
    for (size_t i = 0; i < m; i++) {
        g[i] = y[i] + 2 * u1[i] + u3[i];
    }
    ff_evaluate(s, x + h, g, s->k[5]);
    for (size_t i = 0; i < m; i++) {
        u4[i] = f[i] + (u1[i] - u2[i] - 8.0 / 3 * u3[i]) / h;
    }
    ff_stepper_solve(s, u4);
    double error = 0;
    memcpy(s->y1, y, n * sizeof *y);
    for (size_t i = 0; i < m; i++) {
        /* a single rounding: adding terms far below the last digit of y, such as u4, one by one would lose them in every
         * step, with the same sign */
        s->y1[i] = y[i] + (2 * u1[i] + u3[i] + u4[i]);
        /* for stiff components u4 is not small although y1 is accurate, however short the step: the filter (1 - h J/2)^-1
         * removes this and leaves the rest (Shampine and Baca 1984) */
        u2[i] = 2 / h * u4[i];
    }
    ff_stepper_solve(s, u2);
    for (size_t i = 0; i < m; i++) {
        error = ff_worse(error, fabs(u2[i]) * per_weight[i]);
    }
    ff_evaluate(s, x + h, s->y1, s->k[6]);
    s->evaluations += 3;
    return ff_worse(error, ff_stepper_quadratures(s, x, y, h, per_weight));
}

/* The trapezoidal rule y1 = y + h (f(y) + f(y1))/2 by Newton's method with the Jacobian at the start. Its error -h^3
 * y'''/12 is estimated from the third difference of f at the start, middle and end of Hermite's cubic. */
double ff_trapezoid_try(ff_stepper *s, double x, const double *y, double h,
                        const double *per_weight) {
    const size_t m = s->active_count, n = s->n, *at = s->active;
    double *change = s->k[2];
    if (!ff_stepper_factor(s, x, y, 2 / h)) {
        return HUGE_VAL;
    }
    memcpy(s->y1, y, n * sizeof *y);
    for (size_t i = 0; i < m; i++) {
        s->y1[at[i]] += h * s->k[0][at[i]];
    }
    bool done = false;
    for (int turn = 0; turn < 10 && !done; turn++) {
        double size = 0;
        ff_evaluate(s, x + h, s->y1, s->k[6]);
        s->evaluations++;
        for (size_t i = 0; i < s->states; i++) {
            change[i] = s->k[0][i] + s->k[6][i] - 2 / h * (s->y1[i] - y[i]);
        }
        ff_stepper_solve(s, change);
        for (size_t i = 0; i < s->states; i++) {
            s->y1[i] += change[i];
            /* changes within rounding count as none, however small the tolerance */
            double rounding = 4 * DBL_EPSILON * fabs(s->y1[i]);
            size = ff_worse(size, (fabs(change[i]) - rounding) * per_weight[i]);
        }
        /* converged to a hundredth of the tolerance; convergence is quadratic from there */
        done = size < 0.01;
        if (!isfinite(size)) {
            return HUGE_VAL;
        }
    }
    if (!done) {
        return 100;
    }
    ff_evaluate(s, x + h, s->y1, s->k[6]);
    s->evaluations++;
    double error = ff_stepper_quadratures(s, x, y, h, per_weight);
    if (s->states == s->n) {
        for (size_t i = 0; i < s->states; i++) {
            s->stage[i] = (y[i] + s->y1[i]) / 2 + h * (s->k[0][i] - s->k[6][i]) / 8;
        }
        ff_evaluate(s, x + h / 2, s->stage, s->k[1]);
        s->evaluations++;
    }
    for (size_t i = 0; i < m; i++) {
        double bend = h / 3 * (s->k[0][at[i]] - 2 * s->k[1][at[i]] + s->k[6][at[i]]);
        error = ff_worse(error, fabs(bend) * per_weight[at[i]]);
    }
    return error;
}

double ff_stepper_spectral_radius(ff_stepper *s, const double *per_weight) {
    enum { TURNS = 8, MEASURED = 4 };
    const ff_fold *f = &s->fold;
    const size_t m = f->used ? f->rows : s->active_count, *at = f->used ? f->first : s->active;
    double *v = s->k[9], *u = s->k[10], growth = 1, size = sqrt((double)m), own = 0;
    for (size_t r = 0; f->used && r < f->run_count; r++) {
        own = f->runs[r].kind == FF_FOLD_APART ? fmax(own, fabs(f->runs[r].own)) : own;
    }
    for (size_t i = 0; i < m; i++) {
        v[i] = (i % 3 == 1 ? -1 : 1) / per_weight[at[i]];
    }
    for (int turn = 0; turn < TURNS && m > 0; turn++) {
        double square = 0;
        ff_sparse_multiply(s->matrix, v, u);
        for (size_t i = 0; i < m; i++) {
            const double per = per_weight[at[i]];
            square += u[i] * per * (u[i] * per);
        }
        const double now = sqrt(square);
        if (!(now > 0)) {
            return own;
        }
        growth *= turn < TURNS - MEASURED ? 1 : now / size;
        for (size_t i = 0; i < m; i++) {
            v[i] = u[i] / now;
        }
        size = 1;
    }
    return m > 0 ? fmax(sqrt(sqrt(growth)), own) : own;
}
