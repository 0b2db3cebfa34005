/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#define _POSIX_C_SOURCE 200809L

/* Coverage of the confidence intervals of fits: 1,000 synthetic experiments of each kind.
 *
 *     build/bench/fit [TRIALS [FIRST [NAME]]]
 *
 * FIRST: the first seed (default 1). NAME: only experiments whose names begin with it. One line per parameter: the
 * percentage of intervals that contain the true value, with its standard deviation by chance, and the number of
 * failed fits. */

#include "../tests/fit_trials.h"
#include "clock.h"
#include <stdlib.h>

int main(int argc, char **argv) {
    const long trials = argc > 1 ? atol(argv[1]) : 1000;
    const long first = argc > 2 ? atol(argv[2]) : 1;
    const char *name = argc > 3 ? argv[3] : "";
    const double sigma = 100 * sqrt(0.95 * 0.05 / (double)trials);
    printf("95 %% intervals that hold the truth, of %ld; by chance +- %.1f %%\n", trials, sigma);
    for (int i = 0; i < EXPERIMENTS; i++) {
        const experiment *e = &experiments[i];
        long inside[FF_LAW_PARAMS] = {0}, failed = 0, evaluations = 0;
        ff_fit_result found = {0}, kept = {0};
        if (strncmp(e->name, name, strlen(name)) != 0) {
            continue;
        }
        const double start = bench_now();
        for (long t = first; t < first + trials; t++) {
            unsigned held;
            ff_error error = {""};
            if (trial_run(e, (uint64_t)t, &found, &held, &error) < 0) {
                failed++;
                fprintf(stderr, "%s, seed %ld: %s\n", e->name, t, error.text);
                continue;
            }
            kept = found;
            evaluations += found.evaluations;
            for (int p = 0; p < found.unknowns; p++) {
                inside[p] += (held >> p & 1) != 0;
            }
        }
        const double seconds = (bench_now() - start) / (double)trials;
        for (int p = 0; p < kept.unknowns; p++) {
            printf("%-34s %-10s %5.1f %%", e->name, kept.params[p].name,
                   100 * (double)inside[p] / (double)trials);
            if (p == 0) {
                printf("   %ld failed, %.0f evaluations, %.2f ms", failed,
                       (double)evaluations / (double)trials, 1e3 * seconds);
            }
            printf("\n");
        }
        fflush(stdout);
    }
    return 0;
}
