/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#define _POSIX_C_SOURCE 200809L

/* Spheres that settle in a box: body-steps a second by number of bodies and threads, memory, contacts, and the
 * ledger's residual. `build/bench/crowd N...` for other numbers of bodies. */

#include <footfall/footfall.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

enum { LAYERS = 20, SETTLE = 8000, BLOCK = 50, BLOCKS = 20 };

/* a box of 20 layers of spheres of about 1 mm, as wide as it must be */
static ff_model *box(size_t count, double dt) {
    const double radius = 1e-3, density = 2500, pitch = 2.05e-3;
    size_t side = (size_t)ceil(sqrt((double)count / LAYERS)), n = 0;
    double width = (double)side * pitch;
    ff_scene *scene = ff_scene_create();
    ff_model *model = NULL;
    ff_error error;
    unsigned long seed = 1;
    for (size_t layer = 0; n < count; layer++) {
        for (size_t i = 0; i < side * side && n < count; i++, n++) {
            char name[32];
            double shift[4];
            for (int c = 0; c < 4; c++) {
                /* Knuth's MMIX generator, its upper bits */
                seed = seed * 6364136223846793005u + 1442695040888963407u;
                shift[c] = (double)(seed >> 11) / 9007199254740992.0;
            }
            double r = radius * (0.9 + 0.1 * shift[3]);
            ff_body_def body = ff_body_def_default();
            snprintf(name, sizeof name, "grains[%zu]", n);
            body.name = name;
            body.mass = density * 4.18879020478639 * r * r * r;
            body.position[0] = pitch * ((double)(i % side) + 0.5) + 1e-5 * (shift[0] - 0.5);
            body.position[1] = pitch * ((double)(i / side) + 0.5) + 1e-5 * (shift[1] - 0.5);
            body.position[2] = pitch * ((double)layer + 0.5) + 1e-5 * (shift[2] - 0.5);
            ff_scene_add_sphere(scene, ff_scene_add_body(scene, &body), NULL, (double[]){0, 0, 0},
                                r);
        }
    }
    static const double normals[5][3] = {{0, 0, 1}, {1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}};
    static const char *const names[5] = {"floor", "left", "right", "front", "back"};
    for (int i = 0; i < 5; i++) {
        ff_plane_def plane = {.name = names[i]};
        for (int c = 0; c < 3; c++) {
            plane.normal[c] = normals[i][c];
            plane.point[c] = normals[i][c] < 0 ? width : 0;
        }
        ff_scene_add_plane(scene, &plane);
    }
    ff_pair_def pair = {.a = "grains", .b = "*"};
    ff_normal_init(&pair.normal, ff_normal_law_find("azad-featherstone"),
                   (double[]){1e5, 10, NAN, NAN}, NULL);
    ff_friction_init(&pair.friction, ff_friction_law_find("clutch"),
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

static double memory_mb(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_maxrss / 1024;
}

int main(int argc, char **argv) {
    static const size_t usual[] = {1000, 10000, 100000};
    const double dt = 1e-5;
    size_t count = argc > 1 ? (size_t)argc - 1 : sizeof usual / sizeof *usual;
    printf("%8s %8s %16s %14s %10s %10s %10s\n", "bodies", "threads", "body-steps/s",
           "ns/body-step", "contacts/b", "memory MB", "residual");
    for (size_t i = 0; i < count; i++) {
        size_t n = argc > 1 ? strtoul(argv[i + 1], NULL, 10) : usual[i];
        ff_model *model = box(n, dt);
        for (int threads = 1; threads <= 2; threads++) {
            ff_run_options o = ff_run_options_default();
            ff_sim *sim;
            o.method = FF_VERLET;
            o.events = false;
            o.dt = dt;
            o.threads = threads;
            if (ff_sim_create(model, &o, &sim, NULL) < 0) {
                return 1;
            }
            ff_sim_advance(sim, SETTLE * dt);
            /* the best of several blocks of steps: what the machine does besides is no business of ours */
            double seconds = HUGE_VAL, work = (double)n * BLOCK;
            for (int block = 1; block <= BLOCKS; block++) {
                double before = ff_sim_statistics(sim).seconds;
                ff_sim_advance(sim, (SETTLE + BLOCK * block) * dt);
                seconds = fmin(seconds, ff_sim_statistics(sim).seconds - before);
            }
            ff_statistics s = ff_sim_statistics(sim);
            ff_ledger l = ff_sim_ledger(sim);
            printf("%8zu %8d %16.3g %14.1f %10.2f %10.0f %10.1e\n", n, threads, work / seconds,
                   seconds / work * 1e9, 2 * (double)s.contacts / (double)n, memory_mb(),
                   fabs(l.residual) / l.scale);
            ff_sim_free(sim);
        }
        ff_model_free(model);
    }
    return 0;
}
