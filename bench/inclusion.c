/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#define _POSIX_C_SOURCE 200809L

/* Example II of Xiong, Kikuuwe and Yamamoto 2013, 2 s of it: a bare RK4 loop over their eq. 45 as one would write
 * it, and the same equations as functions of an inclusion, without and with accounts. */

#include "clock.h"
#include <footfall/footfall.h>
#include <math.h>
#include <stdio.h>

static const double K = 5e5, alpha = 1.6e-3, beta = 2e-3, mu = 0.5, M1 = 0.5, M2 = 1, Ks = 100,
                    u = 1, g = 9.8;

/* ---- by hand ---- */

static double sat(double Z, double x) { return x > Z ? Z : x < -Z ? -Z : x; }

static void by_hand(const double *y, double *dy) {
    const double *e = y + 8, *a = y + 11;
    double psi[3] = {y[0], y[2] - y[0], y[3]}, theta[3] = {y[5], y[5] - y[7], y[6] + u};
    double N[3], f[3];
    for (int i = 0; i < 3; i++) {
        double hold = e[i] - beta * (psi[i] + e[i]) / alpha;
        N[i] = K * (hold > 0 ? hold : 0);
        f[i] = K * sat(mu * N[i] / K, a[i] + beta * theta[i]);
        double free = -e[i] / beta, held = -(psi[i] + e[i]) / alpha;
        dy[8 + i] = free > held ? free : held;
        dy[11 + i] = (f[i] / K - a[i]) / beta;
    }
    for (int i = 0; i < 4; i++) {
        dy[i] = y[4 + i];
    }
    dy[4] = (N[0] - N[1]) / M1;
    dy[5] = (-Ks * y[1] - f[0] - f[1]) / M1;
    dy[6] = (-f[2] + N[1]) / M2;
    dy[7] = (f[1] + N[2]) / M2 - g;
}

static double last; /* where M1 is in the end, so that nothing is left out */

static void run_by_hand(void *user) {
    double y[14] = {0, 0.25, 0.05}, s[14], k[4][14], h = 1e-3;
    (void)user;
    for (int step = 0; step < 2000; step++) {
        by_hand(y, k[0]);
        for (int i = 0; i < 14; i++) {
            s[i] = y[i] + h / 2 * k[0][i];
        }
        by_hand(s, k[1]);
        for (int i = 0; i < 14; i++) {
            s[i] = y[i] + h / 2 * k[1][i];
        }
        by_hand(s, k[2]);
        for (int i = 0; i < 14; i++) {
            s[i] = y[i] + h * k[2][i];
        }
        by_hand(s, k[3]);
        for (int i = 0; i < 14; i++) {
            y[i] += h / 6 * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]);
        }
    }
    last = y[1];
}

/* ---- as an inclusion ---- */

static void arguments(void *user, double t, const double *x, double *psi, double *theta) {
    (void)user, (void)t;
    psi[0] = x[0];
    psi[1] = x[2] - x[0];
    psi[2] = x[3];
    theta[0] = x[5];
    theta[1] = x[5] - x[7];
    theta[2] = x[6] + u;
}

static void factors(void *user, double t, const double *x, const double *contact, double *chi) {
    (void)user, (void)t, (void)x;
    for (int i = 0; i < 3; i++) {
        chi[i] = mu * contact[i];
    }
}

static void rates(void *user, double t, const double *x, const double *N, const double *f,
                  double *dx) {
    (void)user, (void)t;
    for (int i = 0; i < 4; i++) {
        dx[i] = x[4 + i];
    }
    dx[4] = (N[0] - N[1]) / M1;
    dx[5] = (-Ks * x[1] - f[0] - f[1]) / M1;
    dx[6] = (-f[2] + N[1]) / M2;
    dx[7] = (f[1] + N[2]) / M2 - g;
}

typedef struct {
    bool ledger;
    ff_run_options options;
    ff_statistics statistics;
} job;

static void run_inclusion(void *user) {
    job *j = user;
    static const double start[8] = {0, 0.25, 0.05};
    ff_dio_def dios[3] = {{0}};
    ff_sgn_def sgns[3] = {{0}};
    ff_inclusion_def def = ff_inclusion_def_default();
    ff_inclusion *inc;
    for (int i = 0; i < 3; i++) {
        ff_normal_init(&dios[i].law, ff_normal_law_find("xiong"), (double[]){K, alpha, beta}, NULL);
        ff_friction_init(&sgns[i].law, ff_friction_law_find("sat"), (double[]){1, K, beta}, NULL);
        sgns[i].dimension = 1;
    }
    def.states = 8;
    def.start = start;
    def.dio_count = def.sgn_count = 3;
    def.dios = dios;
    def.sgns = sgns;
    def.arguments = arguments;
    def.factors = factors;
    def.rates = rates;
    def.ledger = j->ledger;
    if (ff_inclusion_create(&def, &j->options, &inc, NULL) < 0) {
        return;
    }
    while (ff_inclusion_advance(inc, 2) == FF_EVENT) {
    }
    last = ff_inclusion_at(inc).x[1];
    j->statistics = ff_inclusion_statistics(inc);
    ff_inclusion_free(inc);
}

int main(void) {
    double hand = bench_seconds(run_by_hand, NULL);
    printf("example II, 2 s%22s %9s %11s %8s\n", "time (ms)", "steps", "evaluations", "ratio");
    printf("%-27s %9.3f %9d %11d %8.2f\n", "rk4 1 ms, by hand", hand * 1e3, 2000, 8000, 1.0);
    for (int i = 0; i < 4; i++) {
        static const char *const names[] = {"rk4 1 ms", "rk4 1 ms, accounts", "auto 1e-6",
                                            "auto 1e-6, accounts"};
        job j = {.ledger = i % 2, .options = ff_run_options_default()};
        j.options.until = 2;
        j.options.dt = 1e-3;
        j.options.tol = 1e-6;
        j.options.method = i < 2 ? FF_RK4 : FF_AUTO;
        j.options.events = i >= 2;
        double seconds = bench_seconds(run_inclusion, &j);
        printf("%-27s %9.3f %9ld %11ld %8.2f\n", names[i], seconds * 1e3, j.statistics.steps,
               j.statistics.evaluations, seconds / hand);
    }
    return last == 0;
}
