/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "methods.h"
#include <float.h>
#include <math.h>
#include <string.h>

/* Factorises I/(gamma h) - J over the active states; false if it loses too many digits because the step is too long. J is
 * the Jacobian at the start of the step and is kept after a rejected step. */
static bool factor(ff_stepper *s, double x, const double *y, double per) {
    if (s->active_count == 0) {
        return true;
    }
    s->fold.d = per;
    return ff_stepper_find_slopes(s, x, y) && !s->halt.now && ff_sparse_factor(s->matrix, per);
}

/* Solves with a folded matrix. Means are formed relative to the first state of a row: they are exact if all are equal. */
static void solve_folded(const ff_stepper *s, double *u) {
    const ff_fold *f = &s->fold;
    const size_t m = s->active_count;
    double *mean = f->mean, *x = f->solution;
    const double per = 1 / f->d;
    memset(mean, 0, f->rows * sizeof *mean);
    for (size_t a = 0; a < m; a++) {
        if (f->row[a] >= 0) {
            mean[f->row[a]] += u[a] - u[f->first[f->row[a]]];
        }
    }
    for (size_t r = 0; r < f->rows; r++) {
        x[r] = mean[r] = u[f->first[r]] + f->part[r] * mean[r];
    }
    ff_sparse_solve(s->matrix, x);
    for (size_t a = 0; a < m; a++) {
        const int r = f->row[a];
        u[a] = r >= 0 ? x[r] + (u[a] - mean[r]) * per : u[a] / (f->d - f->own[a]);
    }
}

static void solve(const ff_stepper *s, double *u) {
    if (s->active_count > 0 && s->fold.used) {
        solve_folded(s, u);
    } else if (s->active_count > 0) {
        ff_sparse_solve(s->matrix, u);
    }
}

/* df/dx at (x, y), by a difference over a small fraction of the step. */
static const double *drift(ff_stepper *s, double x, const double *y, double h) {
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
 * 3/2; otherwise x enters at most through prescribed motion, which is slow compared with the stiff components. The u are
 * over the active states. */
double ff_rosenbrock_try(ff_stepper *s, double x, const double *y, double h,
                         const double *per_weight) {
    const size_t m = s->active_count, n = s->n, *at = s->active;
    double *u1 = s->k[1], *u2 = s->k[2], *u3 = s->k[3], *u4 = s->k[4], *g = s->stage;
    const double *f0 = s->k[0], *f = s->k[5];
    if (!factor(s, x, y, 2 / h)) {
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
    ff_evaluate(s, x + h, g, s->k[5]);
    for (size_t i = 0; i < m; i++) {
        u3[i] = f[at[i]] + (u1[i] - u2[i]) / h;
    }
    solve(s, u3);
    for (size_t i = 0; i < m; i++) {
        g[at[i]] = y[at[i]] + 2 * u1[i] + u3[i];
    }
    ff_evaluate(s, x + h, g, s->k[5]);
    for (size_t i = 0; i < m; i++) {
        u4[i] = f[at[i]] + (u1[i] - u2[i] - 8.0 / 3 * u3[i]) / h;
    }
    solve(s, u4);
    double error = 0;
    memcpy(s->y1, y, n * sizeof *y);
    for (size_t i = 0; i < m; i++) {
        /* a single rounding: adding terms far below the last digit of y, such as u4, one by one would lose them in every
         * step, with the same sign */
        s->y1[at[i]] = y[at[i]] + (2 * u1[i] + u3[i] + u4[i]);
        /* for stiff components u4 is not small although y1 is accurate, however short the step: the filter (1 - h J/2)^-1
         * removes this and leaves the rest (Shampine and Baca 1984) */
        u2[i] = 2 / h * u4[i];
    }
    solve(s, u2);
    for (size_t i = 0; i < m; i++) {
        error = ff_worse(error, fabs(u2[i]) * per_weight[at[i]]);
    }
    ff_evaluate(s, x + h, s->y1, s->k[6]);
    s->evaluations += 3;
    return ff_worse(error, ff_stepper_quadratures(s, x, y, h, per_weight));
}

/* RODAS, an L-stable and stiffly accurate Rosenbrock method of orders 4 and 3 with six stages (Hairer and Wanner, Solving
 * Ordinary Differential Equations II, section IV.7): (1/(h gamma) - J) u_i = f(x + c_i h, y + sum a_ij u_j) + sum c_ij
 * u_j/h + h d_i df/dx, gamma = 1/4. The last two stages are at the end of the step, and u_6 is the error of the method of
 * order 3. If f does not depend explicitly on x (`timed`), df/dx is omitted: prescribed motion is slow compared with the
 * stiff components. The u are over the active states. */
enum { STAGES = 6 };
static const double at_x[STAGES] = {0, 0.386, 0.21, 0.63, 1, 1};
static const double by_x[STAGES] = {0.25, -0.1043, 0.1035, -0.03620000000000023, 0, 0};
static const double ahead[STAGES][STAGES] = {
    {0},
    {1.544},
    {0.9466785280815826, 0.2557011698983284},
    {3.314825187068521, 2.896124015972201, 0.9986419139977817},
    {1.221224509226641, 6.019134481288629, 12.53708332932087, -0.6878860361058950},
    {1.221224509226641, 6.019134481288629, 12.53708332932087, -0.6878860361058950, 1}};
static const double back[STAGES][STAGES] = {
    {0},
    {-5.6688},
    {-2.430093356833875, -0.2063599157091915},
    {-0.1073529058151375, -9.594562251023355, -20.47028614809616},
    {7.496443313967647, -10.24680431464352, -33.99990352819905, 11.70890893206160},
    {8.083246795921522, -7.981132988064893, -31.52159432874371, 16.31930543123136,
     -6.058818238834054}};

/* sum over the stages before stage k; unrolled by the compiler if k is a constant */
static inline double before(const double by[STAGES], double *const u[STAGES], int k, size_t i) {
    double sum = 0;
    for (int j = 0; j < k; j++) {
        sum += by[j] * u[j][i];
    }
    return sum;
}

static inline void stage(ff_stepper *s, int k, double x, const double *y, double h,
                         const double *slope, double *const u[STAGES]) {
    const size_t m = s->active_count, *at = s->active;
    double *f = s->k[8], *g = s->stage;
    const double *rate = k ? f : s->k[0];
    for (size_t i = 0; k > 0 && i < m; i++) {
        g[at[i]] = y[at[i]] + before(ahead[k], u, k, i);
    }
    if (k > 0) {
        ff_evaluate(s, x + at_x[k] * h, g, f);
    }
    for (size_t i = 0; i < m; i++) {
        u[k][i] =
            rate[at[i]] + before(back[k], u, k, i) / h + (slope ? by_x[k] * h * slope[at[i]] : 0);
    }
    solve(s, u[k]);
}

double ff_rodas_try(ff_stepper *s, double x, const double *y, double h, const double *per_weight) {
    const size_t m = s->active_count, n = s->n, *at = s->active;
    double *const u[STAGES] = {s->k[1], s->k[2], s->k[3], s->k[4], s->k[5], s->k[7]};
    if (!factor(s, x, y, 4 / h)) {
        return HUGE_VAL;
    }
    const double *slope = s->timed ? drift(s, x, y, h) : NULL;
    memcpy(s->stage, y, n * sizeof *y);
    stage(s, 0, x, y, h, slope, u);
    stage(s, 1, x, y, h, slope, u);
    stage(s, 2, x, y, h, slope, u);
    stage(s, 3, x, y, h, slope, u);
    stage(s, 4, x, y, h, slope, u);
    stage(s, 5, x, y, h, slope, u);
    double error = 0, *filtered = u[0];
    memcpy(s->y1, s->stage, n * sizeof *y);
    for (size_t i = 0; i < m; i++) {
        /* a single rounding, and the error filter, as in ff_rosenbrock_try() */
        s->y1[at[i]] = y[at[i]] + (before(ahead[5], u, 5, i) + u[5][i]);
        filtered[i] = 4 / h * u[5][i];
    }
    solve(s, filtered);
    for (size_t i = 0; i < m; i++) {
        error = ff_worse(error, fabs(filtered[i]) * per_weight[at[i]]);
    }
    ff_evaluate(s, x + h, s->y1, s->k[6]);
    s->evaluations += STAGES;
    return ff_worse(error, ff_stepper_quadratures(s, x, y, h, per_weight));
}

/* The trapezoidal rule y1 = y + h (f(y) + f(y1))/2 by Newton's method with the Jacobian at the start. Its error -h^3
 * y'''/12 is estimated from the third difference of f at the start, middle and end of Hermite's cubic. */
double ff_trapezoid_try(ff_stepper *s, double x, const double *y, double h,
                        const double *per_weight) {
    const size_t m = s->active_count, n = s->n, *at = s->active;
    double *change = s->k[2];
    if (!factor(s, x, y, 2 / h)) {
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
        for (size_t i = 0; i < m; i++) {
            change[i] = s->k[0][at[i]] + s->k[6][at[i]] - 2 / h * (s->y1[at[i]] - y[at[i]]);
        }
        solve(s, change);
        for (size_t i = 0; i < m; i++) {
            s->y1[at[i]] += change[i];
            /* changes within rounding count as none, however small the tolerance */
            double rounding = 4 * DBL_EPSILON * fabs(s->y1[at[i]]);
            size = ff_worse(size, (fabs(change[i]) - rounding) * per_weight[at[i]]);
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
    const size_t m = f->used ? f->rows : s->active_count, *at = s->active;
    double *v = s->k[9], *u = s->k[10], growth = 1, size = sqrt((double)m), own = 0;
    for (size_t a = 0; f->used && a < s->active_count; a++) {
        own = f->row[a] < 0 ? fmax(own, fabs(f->own[a])) : own;
    }
    for (size_t i = 0; i < m; i++) {
        v[i] = (i % 3 == 1 ? -1 : 1) / per_weight[at[f->used ? (size_t)f->first[i] : i]];
    }
    for (int turn = 0; turn < TURNS && m > 0; turn++) {
        double square = 0;
        ff_sparse_multiply(s->matrix, v, u);
        for (size_t i = 0; i < m; i++) {
            const double per = per_weight[at[f->used ? (size_t)f->first[i] : i]];
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
