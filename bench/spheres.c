/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#define _POSIX_C_SOURCE 200809L

/* Spheres in a box with located events at tol 1e-6. First a lattice of five layers that rattles, by its width: the time of
 * a step by the number of spheres, at about four contacts a sphere. Then 80 spheres that fall and settle: the time of a
 * second of motion. Times are of the processor. `build/bench/spheres long` adds 2,000 spheres. */

#include "law/params.h"
#include <footfall/footfall.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { LAYERS = 5 };

static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double scatter(double size) {
    static unsigned long seed = 1;
    /* Knuth's MMIX generator, its upper bits */
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return size * (2 * (double)(seed >> 11) / 9007199254740992.0 - 1);
}

/* side by side by `layers` spheres of 1 cm, `pitch` apart, in a box of their width */
static ff_sim *box(size_t side, size_t layers, double pitch, double off, double speed,
                   double lambda, ff_model **out) {
    const double r = 0.01, width = (double)side * pitch;
    ff_scene *scene = ff_scene_create();
    ff_sim *sim;
    ff_error error;
    for (size_t n = 0; n < side * side * layers; n++) {
        const size_t at[3] = {n % side, n / side % side, n / side / side};
        char name[32];
        ff_body_def body = ff_body_def_default();
        snprintf(name, sizeof name, "s%zu", n);
        body.name = name;
        body.mass = 0.01;
        for (int c = 0; c < 3; c++) {
            body.position[c] = pitch * ((double)at[c] + 0.5) + scatter(off);
            body.velocity[c] = scatter(speed);
        }
        ff_scene_add_sphere(scene, ff_scene_add_body(scene, &body), NULL, (double[]){0, 0, 0}, r);
    }
    static const double normals[5][3] = {{0, 0, 1}, {1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}};
    static const char *const names[5] = {"floor", "left", "right", "front", "back"};
    for (int i = 0; i < 5; i++) {
        ff_plane_def plane = {.size = sizeof(ff_plane_def), .name = names[i]};
        for (int c = 0; c < 3; c++) {
            plane.normal[c] = normals[i][c];
            plane.point[c] = normals[i][c] < 0 ? width : 0;
        }
        ff_scene_add_plane(scene, &plane);
    }
    ff_pair_def pair = {.size = sizeof(ff_pair_def), .a = "*", .b = "*"};
    ff_normal_make(&pair.normal, ff_normal_law_find("azad-featherstone"),
                   (double[]){1e6, lambda, NAN, NAN}, NULL);
    ff_friction_make(&pair.friction, ff_friction_law_find("clutch"),
                     (double[]){0.3, 1.5e6, 1e3, 0, NAN, NAN, NAN}, NULL);
    ff_scene_add_pair(scene, &pair);
    ff_run_options o = ff_run_options_default();
    o.tol = 1e-6;
    o.until = 1;
    ff_scene_set_run(scene, &o);
    if (ff_model_create(scene, out, &error) < 0 || ff_sim_create(*out, NULL, &sim, &error) < 0) {
        printf("%s\n", error.text);
        exit(1);
    }
    ff_scene_free(scene);
    return sim;
}

static size_t touching(const ff_sim *sim, const ff_model *model) {
    size_t count = 0;
    for (size_t i = 0; i < ff_model_contact_count(model); i++) {
        count += ff_sim_contact(sim, i).touching;
    }
    return count;
}

/* steps of a lattice that is pressed together by a tenth of a millimetre and shaken, with hardly any damping */
static void rattle(size_t side) {
    enum { STEPS = 100 };
    ff_model *model;
    ff_sim *sim = box(side, LAYERS, 0.0199, 0, 0.05, 1, &model);
    const size_t spheres = side * side * LAYERS;
    double best = INFINITY, contacts = 0;
    for (int block = 0; block < 4; block++) {
        const double begin = seconds();
        const long before = ff_sim_statistics(sim).steps;
        while (ff_sim_statistics(sim).steps < before + STEPS) {
            if (ff_sim_step(sim, 1e3) < 0) {
                printf("%s\n", ff_sim_error(sim));
                exit(1);
            }
        }
        const double each = (seconds() - begin) / STEPS;
        best = block > 0 && each < best ? each : best;
        contacts += (double)touching(sim, model) / 4 / (double)spheres;
    }
    const ff_statistics s = ff_sim_statistics(sim);
    printf("%8zu %10.2f %12.4f %12.2f %12.2f %12.1f\n", spheres, contacts, 1e3 * best,
           1e6 * best / (double)spheres, 1e6 * best / (double)spheres / contacts,
           (double)s.evaluations / (double)s.steps);
    ff_sim_free(sim);
    ff_model_free(model);
}

static void settle(void) {
    ff_model *model;
    ff_sim *sim = box(4, LAYERS, 0.0205, 2e-4, 0.2, 1e3, &model);
    const double begin = seconds();
    ff_status status;
    while ((status = ff_sim_advance(sim, 1)) == FF_EVENT) {
    }
    status = status < 0 ? status : ff_sim_verdict(sim);
    const ff_statistics s = ff_sim_statistics(sim);
    printf("\n80 spheres fall and settle: %.2f s for 1 s of motion, %ld steps, %ld events%s%s\n",
           seconds() - begin, s.steps, s.events, status < 0 ? ", " : "",
           status < 0 ? ff_status_text(status) : "");
    ff_sim_free(sim);
    ff_model_free(model);
}

int main(int argc, char **argv) {
    static const size_t sides[] = {2, 3, 4, 6, 8, 10, 14, 20};
    setvbuf(stdout, NULL, _IOLBF, 0);
    printf("%8s %10s %12s %12s %12s %12s\n", "spheres", "contacts", "ms a step", "us a sphere",
           "us a contact", "evaluations");
    for (size_t i = 0; i < (argc > 1 && strcmp(argv[1], "long") == 0 ? 8 : 7); i++) {
        rattle(sides[i]);
    }
    settle();
    return 0;
}
