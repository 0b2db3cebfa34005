/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "dop853.h"
#include "methods.h"
#include <math.h>

/* Where stages are kept: 11 and 12 take the places of 2 and 3, which later ones do not use, 14 and 15
 * those of 4 and 5; 16 is in the last part of the interpolant until that is made. */
#define STAGES(s)                                                                                  \
    double *const k1 = (s)->k[0], *const k2 = (s)->k[1], *const k3 = (s)->k[2],                    \
                  *const k4 = (s)->k[3], *const k5 = (s)->k[4], *const k6 = (s)->k[5],             \
                  *const k7 = (s)->k[7], *const k8 = (s)->k[8], *const k9 = (s)->k[9],             \
                  *const k10 = (s)->k[10], *const k11 = k2, *const k12 = k3,                       \
                  *const k13 = (s)->k[6]

/* f at y + h times a combination of stages, which reads their component i; no rate depends on a
 * quadrature: stages go without them */
#define STAGE(number, combination)                                                                 \
    do {                                                                                           \
        const double *const a = ff_dop853_a[number];                                               \
        for (size_t i = 0; i < s->states; i++) {                                                   \
            g[i] = y[i] + h * (combination);                                                       \
        }                                                                                          \
        s->rates(s->user, x + ff_dop853_c[number] * h, g, k##number);                              \
    } while (0)

/* The explicit Runge-Kutta method of Dormand and Prince of order 8 with error estimates of orders 5 and 3
 * (Hairer, Norsett and Wanner, Solving ODEs I, II.5 and II.10). */
double ff_dop853_try(ff_stepper *s, double x, const double *y, double h, const double *per_weight) {
    STAGES(s);
    double *restrict g = s->stage, *const y1 = s->y1;
    STAGE(2, a[1] * k1[i]);
    STAGE(3, a[1] * k1[i] + a[2] * k2[i]);
    STAGE(4, a[1] * k1[i] + a[3] * k3[i]);
    STAGE(5, a[1] * k1[i] + a[3] * k3[i] + a[4] * k4[i]);
    STAGE(6, a[1] * k1[i] + a[4] * k4[i] + a[5] * k5[i]);
    STAGE(7, a[1] * k1[i] + a[4] * k4[i] + a[5] * k5[i] + a[6] * k6[i]);
    STAGE(8, a[1] * k1[i] + a[4] * k4[i] + a[5] * k5[i] + a[6] * k6[i] + a[7] * k7[i]);
    STAGE(9,
          a[1] * k1[i] + a[4] * k4[i] + a[5] * k5[i] + a[6] * k6[i] + a[7] * k7[i] + a[8] * k8[i]);
    STAGE(10, a[1] * k1[i] + a[4] * k4[i] + a[5] * k5[i] + a[6] * k6[i] + a[7] * k7[i] +
                  a[8] * k8[i] + a[9] * k9[i]);
    STAGE(11, a[1] * k1[i] + a[4] * k4[i] + a[5] * k5[i] + a[6] * k6[i] + a[7] * k7[i] +
                  a[8] * k8[i] + a[9] * k9[i] + a[10] * k10[i]);
    STAGE(12, a[1] * k1[i] + a[4] * k4[i] + a[5] * k5[i] + a[6] * k6[i] + a[7] * k7[i] +
                  a[8] * k8[i] + a[9] * k9[i] + a[10] * k10[i] + a[11] * k11[i]);
    const double *const b = ff_dop853_a[13];
    for (size_t i = 0; i < s->n; i++) {
        y1[i] = y[i] + h * (b[1] * k1[i] + b[6] * k6[i] + b[7] * k7[i] + b[8] * k8[i] +
                            b[9] * k9[i] + b[10] * k10[i] + b[11] * k11[i] + b[12] * k12[i]);
    }
    s->rates(s->user, x + h, y1, k13);
    s->evaluations += 12;
    const double *const e = ff_dop853_e5, *const w = ff_dop853_b3;
    double fifth = 0, third = 0;
    for (size_t i = 0; i < s->n; i++) {
        double by5 = fabs(h * (e[1] * k1[i] + e[6] * k6[i] + e[7] * k7[i] + e[8] * k8[i] +
                               e[9] * k9[i] + e[10] * k10[i] + e[11] * k11[i] + e[12] * k12[i])) *
                     per_weight[i];
        double by3 =
            fabs(y1[i] - y[i] - h * (w[1] * k1[i] + w[9] * k9[i] + w[12] * k12[i])) * per_weight[i];
        fifth = ff_worse(fifth, by5);
        third = ff_worse(third, by3);
    }
    /* of order 8 where both shrink as they should: fifth^2/sqrt(fifth^2 + third^2/100), without the squares, which
     * overflow where a step has gone astray; 0/0 is none */
    double ratio = third / fifth;
    return fifth == 0 ? 0 : fifth / sqrt(1 + 0.01 * ratio * ratio);
}

/* Coefficients 4 to 7 of its interpolant of order 7, for three more evaluations. */
void ff_dop853_bend(ff_stepper *s, double x, const double *y, double h) {
    STAGES(s);
    double *restrict g = s->stage, *const r = s->dense;
    double *const k14 = k4, *const k15 = k5, *const k16 = r + 7 * s->n;
    STAGE(14, a[1] * k1[i] + a[7] * k7[i] + a[8] * k8[i] + a[9] * k9[i] + a[10] * k10[i] +
                  a[11] * k11[i] + a[12] * k12[i] + a[13] * k13[i]);
    STAGE(15, a[1] * k1[i] + a[6] * k6[i] + a[7] * k7[i] + a[8] * k8[i] + a[11] * k11[i] +
                  a[12] * k12[i] + a[13] * k13[i] + a[14] * k14[i]);
    STAGE(16, a[1] * k1[i] + a[6] * k6[i] + a[7] * k7[i] + a[8] * k8[i] + a[9] * k9[i] +
                  a[13] * k13[i] + a[14] * k14[i] + a[15] * k15[i]);
    s->evaluations += 3;
    for (size_t i = 0; i < s->n; i++) {
        double part[8];
        for (int c = 4; c < 8; c++) {
            const double *const d = ff_dop853_d[c];
            part[c] = h * (d[1] * k1[i] + d[6] * k6[i] + d[7] * k7[i] + d[8] * k8[i] +
                           d[9] * k9[i] + d[10] * k10[i] + d[11] * k11[i] + d[12] * k12[i] +
                           d[13] * k13[i] + d[14] * k14[i] + d[15] * k15[i] + d[16] * k16[i]);
        }
        for (int c = 4; c < 8; c++) {
            r[(size_t)c * s->n + i] = part[c];
        }
    }
}
