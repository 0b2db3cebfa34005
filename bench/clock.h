/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

#include <time.h>

static inline double bench_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Seconds per call of run(user): the best of several tries of at least 20 ms each, which is repeatable on a noisy
 * machine. */
static inline double bench_seconds(void (*run)(void *user), void *user) {
    double best = 1e300;
    for (int try = 0; try < 7; try++) {
        long calls = 0;
        double start = bench_now(), passed;
        do {
            run(user);
            calls++;
            passed = bench_now() - start;
        } while (passed < 0.02);
        best = passed / (double)calls < best ? passed / (double)calls : best;
    }
    return best;
}
