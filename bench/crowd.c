/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#define _POSIX_C_SOURCE 200809L

/* Settled spheres in a box: body-steps per second as a function of the numbers of bodies and threads, memory,
 * contacts, and the residual of the ledger. `build/bench/crowd N...` for other numbers of bodies, `THREADS=1
 * build/bench/crowd` for a single number of threads. */

#include "law/params.h"
#include <footfall/footfall.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

/* TILE spheres are simulated until they settle; larger heaps are copies side by side, which saves minutes */
enum { TILE = 10000, LAYERS = 20, SETTLE = 8000, AGAIN = 500, BLOCK = 50, BLOCKS = 20 };

static const double dt = 1e-5;

typedef struct {
    size_t count;
    double width;
    double (*at)[4]; /* centre and radius */
} heap;

/* a box of 20 layers of spheres of about 1 mm; its width follows from the count */
static heap make_heap(size_t count) {
    const double radius = 1e-3, pitch = 2.05e-3;
    size_t side = (size_t)ceil(sqrt((double)count / LAYERS));
    heap out = {count, (double)side * pitch, malloc(count * sizeof *out.at)};
    unsigned long seed = 1;
    for (size_t n = 0; out.at && n < count; n++) {
        size_t cell[3] = {n % side, n / side % side, n / side / side};
        double shift[4];
        for (int c = 0; c < 4; c++) {
            /* upper bits of Knuth's MMIX generator */
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            shift[c] = (double)(seed >> 11) / 9007199254740992.0;
        }
        for (int c = 0; c < 3; c++) {
            out.at[n][c] = pitch * ((double)cell[c] + 0.5) + 1e-5 * (shift[c] - 0.5);
        }
        out.at[n][3] = radius * (0.9 + 0.1 * shift[3]);
    }
    return out;
}

static ff_model *make_model(const heap *h) {
    const double density = 2500;
    ff_scene *scene = ff_scene_create();
    ff_model *model = NULL;
    ff_error error;
    for (size_t n = 0; n < h->count; n++) {
        char name[32];
        double r = h->at[n][3];
        ff_body_def body = ff_body_def_default();
        snprintf(name, sizeof name, "grains[%zu]", n);
        body.name = name;
        body.mass = density * 4.18879020478639 * r * r * r;
        for (int c = 0; c < 3; c++) {
            body.position[c] = h->at[n][c];
        }
        ff_scene_add_sphere(scene, ff_scene_add_body(scene, &body), NULL, (double[]){0, 0, 0}, r);
    }
    static const double normals[5][3] = {{0, 0, 1}, {1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}};
    static const char *const names[5] = {"floor", "left", "right", "front", "back"};
    for (int i = 0; i < 5; i++) {
        ff_plane_def plane = {.size = sizeof(ff_plane_def), .name = names[i]};
        for (int c = 0; c < 3; c++) {
            plane.normal[c] = normals[i][c];
            plane.point[c] = normals[i][c] < 0 ? h->width : 0;
        }
        ff_scene_add_plane(scene, &plane);
    }
    ff_pair_def pair = {.size = sizeof(ff_pair_def), .a = "grains", .b = "*"};
    ff_normal_make(&pair.normal, ff_normal_law_find("azad-featherstone"),
                   (double[]){1e5, 10, NAN, NAN}, NULL);
    ff_friction_make(&pair.friction, ff_friction_law_find("clutch"),
                     (double[]){0.5, 1e5, 10, 0, NAN, NAN, NAN}, NULL);
    ff_scene_add_pair(scene, &pair);
    ff_run_options o = ff_run_options_default();
    o.method = FF_VERLET;
    o.events = false;
    o.dt = dt;
    ff_scene_set_run(scene, &o);
    if (ff_model_create(scene, &model, &error) < 0) {
        printf("%s\n", error.text);
        exit(1);
    }
    ff_scene_free(scene);
    return model;
}

static ff_sim *make_sim(const ff_model *model, int threads) {
    ff_run_options o = ff_run_options_default();
    ff_sim *sim;
    o.method = FF_VERLET;
    o.events = false;
    o.dt = dt;
    o.threads = threads;
    if (ff_sim_create(model, &o, &sim, NULL) < 0) {
        exit(1);
    }
    return sim;
}

/* Lets a heap settle. */
static void settle(heap *h) {
    ff_model *model = make_model(h);
    ff_sim *sim = make_sim(model, 1);
    ff_sim_advance(sim, SETTLE * dt);
    for (size_t i = 0; i < h->count; i++) {
        ff_motion m = ff_sim_body(sim, i);
        for (int c = 0; c < 3; c++) {
            h->at[i][c] = m.position[c];
        }
    }
    ff_sim_free(sim);
    ff_model_free(model);
}

/* A settled heap of about `count` spheres: copies of one heap, in rows. */
static heap settled(size_t count) {
    size_t side = (size_t)floor(sqrt((double)count / TILE) + 0.5);
    side = side < 1 ? 1 : side;
    heap tile = make_heap(count / (side * side)), out = tile;
    settle(&tile);
    out.count = side * side * tile.count;
    out.width = (double)side * tile.width;
    out.at = malloc(out.count * sizeof *out.at);
    for (size_t i = 0; i < out.count; i++) {
        const double *from = tile.at[i % tile.count];
        size_t copy = i / tile.count;
        out.at[i][0] = from[0] + tile.width * (double)(copy % side);
        out.at[i][1] = from[1] + tile.width * (double)(copy / side);
        out.at[i][2] = from[2];
        out.at[i][3] = from[3];
    }
    free(tile.at);
    return out;
}

/* Clock for a block of steps: CPU time with one thread, which other processes do not affect; otherwise wall time. */
static double seconds_now(int threads) {
    struct timespec t;
    clock_gettime(threads == 1 ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double memory_mb(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_maxrss / 1024;
}

int main(int argc, char **argv) {
    static const size_t usual[] = {1000, 10000, 100000, 1000000};
    size_t count = argc > 1 ? (size_t)argc - 1 : sizeof usual / sizeof *usual;
    const char *only = getenv("THREADS");
    const int from = only ? atoi(only) : 1, to = only ? from : 2;
    printf("%8s %8s %16s %14s %10s %10s %10s %10s\n", "bodies", "threads", "body-steps/s",
           "ns/body-step", "contacts/b", "searches", "memory MB", "residual");
    for (size_t i = 0; i < count; i++) {
        heap h = settled(argc > 1 ? strtoul(argv[i + 1], NULL, 10) : usual[i]);
        ff_model *model = make_model(&h);
        free(h.at);
        for (int threads = from; threads <= to; threads++) {
            ff_sim *sim = make_sim(model, threads);
            ff_sim_advance(sim, AGAIN * dt);
            long searches = ff_sim_statistics(sim).searches;
            /* the best of several blocks of steps, to reduce noise from other processes */
            double seconds = HUGE_VAL, work = (double)h.count * BLOCK;
            for (int block = 1; block <= BLOCKS; block++) {
                double before = seconds_now(threads);
                ff_sim_advance(sim, (AGAIN + BLOCK * block) * dt);
                seconds = fmin(seconds, seconds_now(threads) - before);
            }
            ff_statistics s = ff_sim_statistics(sim);
            ff_ledger l = ff_sim_ledger(sim);
            printf("%8zu %8d %16.3g %14.1f %10.2f %10ld %10.0f %10.1e\n", h.count, threads,
                   work / seconds, seconds / work * 1e9, 2 * (double)s.contacts / (double)h.count,
                   s.searches - searches, memory_mb(), fabs(l.residual) / l.scale);
            fflush(stdout);
            ff_sim_free(sim);
        }
        ff_model_free(model);
    }
    return 0;
}
