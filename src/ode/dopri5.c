/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "methods.h"
#include <math.h>

/* The explicit Runge-Kutta pair of Dormand and Prince, orders 5 and 4 (Hairer, Norsett and Wanner,
 * Solving ODEs I, II.5). */
double ff_dopri5_try(ff_stepper *s, double x, const double *y, double h, const double *per_weight) {
    /* no rate depends on a quadrature: stages go without them */
    const size_t n = s->n, m = s->states;
    double *restrict g = s->stage, *const y1 = s->y1;
    const double *k1 = s->k[0], *k2 = s->k[1], *k3 = s->k[2], *k4 = s->k[3], *k5 = s->k[4],
                 *k6 = s->k[5], *k7 = s->k[6];
    for (size_t i = 0; i < m; i++) {
        g[i] = y[i] + h * (1.0 / 5) * k1[i];
    }
    s->rates(s->user, x + h / 5, g, s->k[1]);
    for (size_t i = 0; i < m; i++) {
        g[i] = y[i] + h * (3.0 / 40 * k1[i] + 9.0 / 40 * k2[i]);
    }
    s->rates(s->user, x + 0.3 * h, g, s->k[2]);
    for (size_t i = 0; i < m; i++) {
        g[i] = y[i] + h * (44.0 / 45 * k1[i] - 56.0 / 15 * k2[i] + 32.0 / 9 * k3[i]);
    }
    s->rates(s->user, x + 0.8 * h, g, s->k[3]);
    for (size_t i = 0; i < m; i++) {
        g[i] = y[i] + h * (19372.0 / 6561 * k1[i] - 25360.0 / 2187 * k2[i] +
                           64448.0 / 6561 * k3[i] - 212.0 / 729 * k4[i]);
    }
    s->rates(s->user, x + 8.0 / 9 * h, g, s->k[4]);
    for (size_t i = 0; i < m; i++) {
        g[i] = y[i] + h * (9017.0 / 3168 * k1[i] - 355.0 / 33 * k2[i] + 46732.0 / 5247 * k3[i] +
                           49.0 / 176 * k4[i] - 5103.0 / 18656 * k5[i]);
    }
    s->rates(s->user, x + h, g, s->k[5]);
    for (size_t i = 0; i < n; i++) {
        y1[i] = y[i] + h * (35.0 / 384 * k1[i] + 500.0 / 1113 * k3[i] + 125.0 / 192 * k4[i] -
                            2187.0 / 6784 * k5[i] + 11.0 / 84 * k6[i]);
    }
    s->rates(s->user, x + h, y1, s->k[6]);
    s->evaluations += 6;
    double error = 0;
    for (size_t i = 0; i < n; i++) {
        double e = h * (71.0 / 57600 * k1[i] - 71.0 / 16695 * k3[i] + 71.0 / 1920 * k4[i] -
                        17253.0 / 339200 * k5[i] + 22.0 / 525 * k6[i] - 1.0 / 40 * k7[i]);
        error = ff_worse(error, fabs(e) * per_weight[i]);
    }
    /* how far the trapezoidal rule would be off over the same step: where even that is good enough,
     * it is stability that limits the step, and not accuracy */
    double bend = 0;
    for (size_t i = 0; i < m; i++) {
        double off = fabs(y1[i] - y[i] - h / 2 * (k1[i] + k7[i])) * per_weight[i];
        bend = off > bend ? off : bend;
    }
    s->bend = bend;
    return error;
}

/* the fifth coefficient of its interpolant of order 4 (the same, II.6) */
void ff_dopri5_bend(const ff_stepper *s, double h, double *out) {
    for (size_t i = 0; i < s->n; i++) {
        out[i] =
            h * (-12715105075.0 / 11282082432.0 * s->k[0][i] +
                 87487479700.0 / 32700410799.0 * s->k[2][i] -
                 10690763975.0 / 1880347072.0 * s->k[3][i] +
                 701980252875.0 / 199316789632.0 * s->k[4][i] -
                 1453857185.0 / 822651844.0 * s->k[5][i] + 69997945.0 / 29380423.0 * s->k[6][i]);
    }
}
