/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#define _POSIX_C_SOURCE 200809L

/* Restitution coefficients per second, by tables and by integrating the impact; complete impacts per second. */

#include "clock.h"
#include "impact/orbit.h"
#include "law/params.h"
#include <math.h>
#include <stdio.h>

enum { COUNT = 1024 };

static double deltas[COUNT], speeds[COUNT], sink;

static void universal(void *user) {
    double total = 0;
    for (int i = 0; i < COUNT; i++) {
        total += exp(-ff_universal_decay(0.5, deltas[i], NULL));
    }
    sink = total;
    (void)user;
}

static void restitution(void *user) {
    double total = 0;
    for (int i = 0; i < COUNT; i++) {
        total += ff_impact_restitution(user, 0.154, speeds[i]);
    }
    sink = total;
}

static void integration(void *user) {
    ff_orbit flow = *(ff_orbit *)user;
    double total = 0;
    for (int i = 0; i < COUNT; i += 64) {
        flow.closing = flow.opening = deltas[i];
        total += exp(-ff_orbit_decay(&flow));
    }
    sink = total;
}

static void whole(void *user) {
    ff_impact impact;
    double total = 0;
    for (int i = 0; i < COUNT; i += 64) {
        ff_impact_solve(user, 0.154, speeds[i], &impact);
        total += impact.contact_time;
    }
    sink = total;
}

static void row(const char *what, double seconds, double reference) {
    printf("%-58s %10.3g us %12.4g a second", what, seconds * 1e6, 1 / seconds);
    if (reference > 0) {
        printf("   %.0f times slower", seconds / reference);
    }
    printf("\n");
}

int main(void) {
    ff_normal law, classical, different;
    ff_orbit flow;
    for (int i = 0; i < COUNT; i++) {
        deltas[i] = pow(10, -4 + 7.0 * i / COUNT);
        speeds[i] = pow(10, -3 + 4.0 * i / COUNT);
    }
    ff_normal_make(&law, ff_normal_law_find("azad-featherstone"),
                   (double[]){8.5e6, 3.1e3, NAN, NAN}, NULL);
    ff_normal_make(&classical, ff_normal_law_find("hunt-crossley"),
                   (double[]){8.5e6, 8.5e7, NAN, NAN, NAN}, NULL);
    ff_normal_make(&different, classical.law, (double[]){8.5e6, 8.5e7, NAN, 1.7e8, NAN}, NULL);
    ff_orbit_init(&flow, &law, 0.154, 1);
    printf("one core; restitution e of one impact\n");
    double fast = bench_seconds(universal, NULL) / COUNT;
    row("p = 1/2: e(delta), universal function", fast, 0);
    row("p = 1/2: e(m, k, lambda, v) by it", bench_seconds(restitution, &law) / COUNT, 0);
    row("p = n: e(m, k, lambda, v), d = 0.01 ... 100",
        bench_seconds(restitution, &classical) / COUNT, 0);
    row("p = n: with different dampings", bench_seconds(restitution, &different) / COUNT, 0);
    row("p = 1/2: direct integration to 1e-12", bench_seconds(integration, &flow) / (COUNT / 64),
        fast);
    printf("one core; ff_impact_solve(): e, times, depths, forces\n");
    row("p = 1/2, delta = 0.11 ... 0.72", bench_seconds(whole, &law) / (COUNT / 64), 0);
    row("p = n, d = 0.01 ... 100", bench_seconds(whole, &classical) / (COUNT / 64), 0);
    return sink == 0;
}
