/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#define _POSIX_C_SOURCE 200809L

/* Restitution a second: the universal function against integrating the impact. */

#include "clock.h"
#include "impact/orbit.h"
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

static void row(const char *what, double seconds, double reference) {
    printf("%-58s %10.3g us %12.4g a second", what, seconds * 1e6, 1 / seconds);
    if (reference > 0) {
        printf("   %.0f times slower", seconds / reference);
    }
    printf("\n");
}

int main(void) {
    ff_normal law, classical;
    ff_orbit flow;
    for (int i = 0; i < COUNT; i++) {
        deltas[i] = pow(10, -4 + 7.0 * i / COUNT);
        speeds[i] = pow(10, -3 + 4.0 * i / COUNT);
    }
    ff_normal_init(&law, ff_normal_law_find("azad-featherstone"),
                   (double[]){8.5e6, 3.1e3, NAN, NAN}, NULL);
    ff_normal_init(&classical, ff_normal_law_find("hunt-crossley"),
                   (double[]){8.5e6, 3.1e6, NAN, NAN, NAN}, NULL);
    ff_orbit_init(&flow, &law, 0.154, 1);
    printf("one core; restitution e of one impact\n");
    double fast = bench_seconds(universal, NULL) / COUNT;
    row("p = 1/2: e(delta), universal function", fast, 0);
    row("p = 1/2: e(m, k, lambda, v) by it", bench_seconds(restitution, &law) / COUNT, 0);
    row("p = n: closed form", bench_seconds(restitution, &classical) / COUNT, 0);
    row("p = 1/2: direct integration to 1e-12", bench_seconds(integration, &flow) / (COUNT / 64),
        fast);
    return sink == 0;
}
