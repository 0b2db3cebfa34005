/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#define _POSIX_C_SOURCE 200809L

/* Runs in lanes: rolling spheres (scenes/rolling.yaml, 1 s, tol 1e-6) with random friction and stiffness, fixed steps of rk4,
 * and bodies of several spheres: a dumbbell and a cube of eight corners that fall on the same ground and tumble.
 *
 *     ensemble [--runs N] [--threads N]
 *
 * Lanes and single runs are timed in turn, because the speed of a machine varies; one thread is measured by its
 * CPU time. The default of 20,000 runs stands for a production ensemble of a million, whose memory is that of its
 * table. One thread should complete 25,000 runs a second. With two threads, each should reach 0.9 of the throughput of
 * a single one. The last lines are rk4 steps of 1e-5 s without events, limited by the arithmetic of the laws: two
 * square roots and two divisions per evaluation, in vectors of eight. Run it in the directory that contains scenes/. */

#include "ensemble/ensemble.h"
#include "clock.h"
#include <footfall/footfall.h>
#include <footfall/source.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

/* reproducible pseudo-random numbers (Knuth's multiplier) */
static double random_part(size_t i, unsigned k) {
    unsigned long long x = (i * 2 + k + 1) * 6364136223846793005ull;
    x ^= x >> 29;
    x *= 0xbf58476d1ce4e5b9ull;
    return (double)(x >> 11) / 9007199254740992.0;
}

static void draw(size_t i, double values[2]) {
    values[0] = 0.05 + 0.45 * random_part(i, 0);
    values[1] = 4e6 * pow(4, random_part(i, 1));
}

/* CPU time of this thread, s: more reliable than wall time on a shared machine. */
static double own_time(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- work ---- */

typedef struct work {
    const ff_model *model;
    ff_run_options options;
    size_t fields[2], count;
    atomic_size_t at;
} work;

typedef struct worker {
    work *work;
    ff_sim *sims[FF_ENSEMBLE_RUNS];
    size_t alone;
    double steps;
} worker;

static void stop(const char *what) {
    fprintf(stderr, "%s\n", what);
    exit(1);
}

static bool next(void *user, int lane, ff_sim **sim) {
    worker *w = user;
    ff_error error = {""};
    double values[2];
    const size_t row = atomic_fetch_add(&w->work->at, 1);
    if (row >= w->work->count) {
        return false;
    }
    draw(row, values);
    *sim = w->sims[lane];
    if (ff_set_again(*sim, w->work->fields, 2, values, true, &error) < 0) {
        stop(error.text);
    }
    return true;
}

static void done(void *user, int lane, const size_t counts[FF_USER + 1], bool good) {
    worker *w = user;
    (void)counts;
    w->alone += !good;
    w->steps += (double)ff_sim_statistics(w->sims[lane]).steps;
    if (good && ff_sim_verdict(w->sims[lane]) < 0) {
        stop(ff_sim_error(w->sims[lane]));
    }
}

static void *run_lanes(void *user) {
    worker *w = user;
    const ff_ensemble_feed feed = {.next = next, .done = done, .user = w};
    ff_error error = {""};
    for (int l = 0; l < FF_ENSEMBLE_RUNS; l++) {
        if (ff_sim_create(w->work->model, &w->work->options, &w->sims[l], &error) < 0) {
            stop(error.text);
        }
    }
    if (ff_ensemble_run(w->work->model, &w->work->options, &feed) < 0) {
        stop("out of memory");
    }
    for (int l = 0; l < FF_ENSEMBLE_RUNS; l++) {
        ff_sim_free(w->sims[l]);
    }
    return NULL;
}

/* Time of `count` runs in lanes, s: CPU time with one thread, wall time with more. */
static double lanes(work *w, size_t count, int threads, worker *sum) {
    enum { MOST = 64 };
    static worker workers[MOST];
    pthread_t ids[MOST];
    threads = threads > MOST ? MOST : threads;
    w->count = count;
    atomic_store(&w->at, 0);
    *sum = (worker){.work = w};
    const double start = threads == 1 ? own_time() : bench_now();
    for (int t = 0; t < threads; t++) {
        workers[t] = (worker){.work = w};
        if (t > 0 && pthread_create(&ids[t], NULL, run_lanes, &workers[t]) != 0) {
            stop("no thread");
        }
    }
    run_lanes(&workers[0]);
    for (int t = 0; t < threads; t++) {
        if (t > 0) {
            pthread_join(ids[t], NULL);
        }
        sum->steps += workers[t].steps;
        sum->alone += workers[t].alone;
    }
    return (threads == 1 ? own_time() : bench_now()) - start;
}

/* CPU time of `count` single runs, one after the other, s. */
static double singles(const work *w, size_t count) {
    const double start = own_time();
    for (size_t row = 0; row < count; row++) {
        ff_sim *sim;
        ff_error error = {""};
        double values[2];
        draw(row, values);
        if (ff_sim_create(w->model, &w->options, &sim, &error) < 0 ||
            ff_sim_set_all(sim, w->fields, 2, values, &error) < 0) {
            stop(error.text);
        }
        ff_status status;
        while ((status = ff_sim_advance(sim, w->options.until)) == FF_EVENT) {
        }
        if (status < 0) {
            stop(ff_sim_error(sim));
        }
        ff_sim_free(sim);
    }
    return own_time() - start;
}

/* The model of scenes/rolling.yaml, or of a text. */
static work prepare(const char *text, const char *const *settings, size_t count) {
    ff_scene *scene = NULL;
    ff_model *model = NULL;
    ff_messages messages = {0};
    ff_error error = {""};
    size_t part;
    if ((text ? ff_scene_parse("text", text, strlen(text), settings, count, INFINITY, &scene,
                               &messages)
              : ff_scene_read("scenes/rolling.yaml", settings, count, &scene, &messages)) < 0 ||
        ff_model_create(scene, &model, &error) < 0) {
        stop(text ? "the text cannot be read" : "scenes/rolling.yaml cannot be read");
    }
    work out = {.model = model, .options = *ff_model_run(model)};
    ff_model_field_find(model, "pairs[0].friction.mu", &out.fields[0], &part, &error);
    ff_model_field_find(model, "pairs[0].normal.k", &out.fields[1], &part, &error);
    const char *why = ff_ensemble_refusal(model, &out.options);
    if (why) {
        stop(why);
    }
    ff_scene_free(scene);
    return out;
}

/* A body that falls on a floor with friction and tumbles. */
#define TUMBLING(body)                                                                             \
    "gravity: [0, 0, -9.81]\nbodies:\n  it: {" body                                                \
    ", position: [0, 0, 0.3], velocity: [0.5, 0.2, 0], "                                           \
    "omega: [3, 5, 2], orientation: {axis: [1, 2, 0.5], angle: 0.7}}\n"                            \
    "ground:\n  floor: {plane: {normal: [0, 0, 1]}}\npairs:\n  - between: [it, floor]\n"           \
    "    normal: {law: azad-featherstone, k: 8.5e6, lambda: 3.1e3}\n"                              \
    "    friction: {law: clutch, k: 12.75e6, damping: 3.1e3, mu: 0.3, viscous: 0.1}\n"             \
    "run: {until: 1 s, tol: 1e-6}\n"

/* Compares lanes with single runs of a body of several spheres. */
static void tumble(const char *name, const char *text, size_t runs) {
    work w = prepare(text, NULL, 0);
    worker sum = {0};
    double best = HUGE_VAL, best_single = HUGE_VAL;
    for (int turn = 0; turn < 5; turn++) {
        best_single = fmin(best_single, singles(&w, runs) / (double)runs);
        best = fmin(best, lanes(&w, runs, 1, &sum) / (double)runs);
    }
    printf("  %-9s single runs  %8.0f a second; lanes, one thread %8.0f, %.2f times as many; %.0f "
           "steps a run\n",
           name, 1 / best_single, 1 / best, best_single / best, sum.steps / (double)runs);
    ff_model_free((ff_model *)w.model);
}

int main(int argc, char **argv) {
    size_t runs = 20000;
    int threads = 2;
    for (int i = 1; i + 1 < argc; i += 2) {
        if (strcmp(argv[i], "--runs") == 0) {
            runs = strtoul(argv[i + 1], NULL, 10);
        } else if (strcmp(argv[i], "--threads") == 0) {
            threads = atoi(argv[i + 1]);
        }
    }
    const char *tol[] = {"run.tol=1e-6"};
    work w = prepare(NULL, tol, 1);
    double best = HUGE_VAL, best_single = HUGE_VAL, best_all = HUGE_VAL;
    worker sum = {0};
    for (int turn = 0; turn < 5; turn++) {
        const size_t few = runs / 100 + 1;
        best_single = fmin(best_single, singles(&w, few) / (double)few);
        best = fmin(best, lanes(&w, runs, 1, &sum) / (double)runs);
        best_all = fmin(best_all, lanes(&w, runs, threads, &sum) / (double)runs);
    }
    printf("rolling spheres, 1 s, tol 1e-6, lanes %d wide, best of 5 turns\n", ff_ensemble_width());
    printf("  single runs            %8.0f a second\n", 1 / best_single);
    printf(
        "  lanes, one thread      %8.0f a second, %.1f times as many; %.0f steps a run, %zu of %zu "
        "alone\n",
        1 / best, best_single / best, sum.steps / (double)runs, sum.alone, runs);
    printf("  lanes, %d threads       %8.0f a second, %.2f of %d times one\n", threads,
           1 / best_all, best / best_all / threads, threads);
    ff_model_free((ff_model *)w.model);

    const char *fixed[] = {"run.method=rk4", "run.dt=1e-5", "run.events=none", "run.until=0.2"};
    w = prepare(NULL, fixed, 4);
    double best_steps = 0;
    for (int turn = 0; turn < 5; turn++) {
        const double seconds = lanes(&w, 160, 1, &sum);
        best_steps = fmax(best_steps, sum.steps / seconds);
    }
    printf(
        "rk4 without events, dt 1e-5 s, with the ledger\n  lanes, one thread      %.3g body-steps "
        "a second\n",
        best_steps);
    ff_model_free((ff_model *)w.model);
    printf("bodies of several spheres that tumble, 1 s, tol 1e-6\n");
    tumble("dumbbell",
           TUMBLING("mass: 1 kg, shape: {spheres: [{center: [0.1, 0, 0], radius: 3 cm}, {center: "
                    "[-0.1, 0, 0], radius: 3 cm}]}"),
           runs / 20 + 1);
    tumble("cube",
           TUMBLING("mass: 1 kg, shape: {box: {size: [10 cm, 10 cm, 10 cm], corner_radius: 5 mm}}"),
           runs / 40 + 1);
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    printf("memory                   %8ld kB at the most\n", usage.ru_maxrss);
    return 0;
}
