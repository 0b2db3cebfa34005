/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#define _POSIX_C_SOURCE 200809L

/* Many sims of one model, each with its own coefficient of friction: the cost of creating and setting up a sim,
 * and its memory relative to the size of its state. Goals: below 5 us, and little more memory than the states.
 *
 *     bench-sims [SCENE [PATH]]      default: scenes/rolling.yaml, pairs[0].friction.mu */

#include "clock.h"
#include <footfall/field.h>
#include <limits.h>
#include <malloc.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { SIMS = 10000, ROUNDS = 7 };

static ff_sim *sims[SIMS];

static double bytes_in_use(void) {
    struct mallinfo2 info = mallinfo2();
    return (double)info.uordblks + (double)info.hblkhd;
}

static void make(const ff_model *model, size_t field, bool set) {
    ff_error error = {""};
    for (int i = 0; i < SIMS; i++) {
        double mu = 0.1 + 0.8 * i / SIMS;
        if (ff_sim_create(model, NULL, &sims[i], &error) < 0 ||
            (set && ff_sim_set(sims[i], field, &mu, &error) < 0)) {
            fprintf(stderr, "%s\n", error.text);
            exit(1);
        }
    }
}

static void drop(void) {
    for (int i = 0; i < SIMS; i++) {
        ff_sim_free(sims[i]);
    }
}

/* The best of several rounds, us per sim. `fresh`: all memory is newly mapped, including the kernel's time for it. */
static double measure(const ff_model *model, size_t field, bool set, bool fresh) {
    double best = HUGE_VAL;
    for (int i = 0; i < ROUNDS; i++) {
        if (fresh) {
            malloc_trim(0);
        }
        double start = bench_now();
        make(model, field, set);
        double taken = bench_now() - start;
        best = taken < best ? taken : best;
        drop();
    }
    return best / SIMS * 1e6;
}

int main(int argc, char **argv) {
    const char *file = argc > 1 ? argv[1] : "scenes/rolling.yaml",
               *path = argc > 2 ? argv[2] : "pairs[0].friction.mu";
    ff_scene *scene;
    ff_model *model;
    ff_error error = {""};
    size_t field;
    if (ff_scene_read(file, NULL, 0, &scene, NULL) < 0 ||
        ff_model_create(scene, &model, &error) < 0 ||
        ff_model_field_find(model, path, &field, NULL, &error) < 0) {
        fprintf(stderr, "%s: %s\n", file, error.text);
        return 1;
    }
    ff_scene_free(scene);
    /* freed memory stays in the process until it is returned explicitly above */
    mallopt(M_TRIM_THRESHOLD, INT_MAX);
    mallopt(M_MMAP_THRESHOLD, 1 << 25);
    printf("%s, %d sims, best of %d rounds; us a sim\n", file, SIMS, ROUNDS);
    for (int fresh = 0; fresh < 2; fresh++) {
        double create = measure(model, field, false, fresh);
        double both = measure(model, field, true, fresh);
        printf("create %6.2f, create and set %s %6.2f, in memory that %s\n", create, path, both,
               fresh ? "is new to the process" : "was used before");
    }
    for (int set = 0; set < 2; set++) {
        double before = bytes_in_use();
        make(model, field, set);
        double each = (bytes_in_use() - before) / SIMS, state = (double)ff_sim_state_size(sims[0]);
        printf("%s: %.0f bytes a sim, of which %.0f are its state (ff_sim_state_size)\n",
               set ? "numbers of its own" : "numbers of the model", each, state);
        drop();
    }
    ff_model_free(model);
    return 0;
}
