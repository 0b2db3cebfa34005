/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#define _POSIX_C_SOURCE 200809L

/* Cost of an implicit step of RODAS: for spheres at rest in a box, in layers and in contact with their neighbours;
 * and for the biped, or the scenes given as arguments. Run it in the directory that contains scenes/. */

#include "law/params.h"
#include <footfall/footfall.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void touch(ff_scene *scene, const char *a, const char *b) {
    ff_pair_def pair = {.size = sizeof(ff_pair_def), .a = a, .b = b};
    ff_normal_make(&pair.normal, ff_normal_law_find("azad-featherstone"),
                   (double[]){1e6, 1e3, NAN, NAN}, NULL);
    ff_friction_make(&pair.friction, ff_friction_law_find("clutch"),
                     (double[]){0.5, 1.5e6, 1e3, 0, NAN, NAN, NAN}, NULL);
    ff_scene_add_pair(scene, &pair);
}

/* Spheres of 1 cm in a square box, in layers of side by side; neighbours overlap by a thousandth. */
static ff_model *pile(int count, int side) {
    static const double ways[5][3] = {{0, 0, 1}, {1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}};
    static const char *const walls[5] = {"floor", "left", "right", "front", "back"};
    const double r = 0.01, space = 2 * r * (1 - 1e-3),
                 width = space * (side - 1) + 2 * r * (1 - 5e-4);
    ff_scene *scene = ff_scene_create();
    ff_model *model = NULL;
    ff_error error;
    ff_scene_set_gravity(scene, (double[]){0, 0, -9.81});
    for (int w = 0; w < 5; w++) {
        ff_plane_def plane = {.size = sizeof(ff_plane_def), .name = walls[w]};
        for (int c = 0; c < 3; c++) {
            plane.normal[c] = ways[w][c];
            plane.point[c] = ways[w][c] < 0 ? width : 0;
        }
        ff_scene_add_plane(scene, &plane);
    }
    for (int i = 0; i < count; i++) {
        const int at[3] = {i % side, i / side % side, i / (side * side)};
        const int before[3] = {1, side, side * side};
        ff_body_def body = ff_body_def_default();
        char name[16], other[16];
        snprintf(name, sizeof name, "b%d", i);
        body.name = name;
        body.mass = 0.01;
        for (int c = 0; c < 3; c++) {
            body.position[c] = r * (1 - 5e-4) + at[c] * space;
        }
        ff_scene_add_sphere(scene, ff_scene_add_body(scene, &body), NULL, (double[]){0, 0, 0}, r);
        for (int c = 0; c < 3; c++) {
            if (at[c] > 0) {
                snprintf(other, sizeof other, "b%d", i - before[c]);
                touch(scene, name, other);
            } else {
                touch(scene, name, walls[c == 2 ? 0 : c == 0 ? 1 : 3]);
            }
            if (c < 2 && at[c] == side - 1) {
                touch(scene, name, walls[c == 0 ? 2 : 4]);
            }
        }
    }
    if (ff_model_create(scene, &model, &error) < 0) {
        fprintf(stderr, "%s\n", error.text);
        exit(1);
    }
    ff_scene_free(scene);
    return model;
}

/* Time per accepted step, including rejected steps and all events; best of several runs. */
static void measure(const char *name, const ff_model *model, double until) {
    ff_run_options o = *ff_model_run(model);
    ff_statistics s = {0};
    double best = INFINITY;
    o.method = FF_RODAS;
    o.until = until;
    for (int turn = 0; turn < 3; turn++) {
        ff_sim *sim;
        ff_error error;
        ff_status status = ff_sim_create(model, &o, &sim, &error);
        if (status < 0) {
            printf("%-28s %s\n", name, error.text);
            return;
        }
        while ((status = ff_sim_advance(sim, until)) == FF_EVENT) {
        }
        s = ff_sim_statistics(sim);
        if (status < 0) {
            printf("%-28s %s %s\n", name, ff_status_text(status), ff_sim_error(sim));
        }
        best = fmin(best, s.seconds / (double)s.steps);
        ff_sim_free(sim);
        if (best * (double)s.steps > 5) {
            break;
        }
    }
    printf("%-28s %8ld %9ld %8ld %12.1f\n", name, s.steps, s.rejected, s.events, best * 1e6);
}

int main(int argc, char **argv) {
    static const struct {
        int count, side;
        double until;
    } piles[] = {{5, 2, 0.02}, {20, 3, 0.02}, {80, 4, 0.005}, {300, 6, 0.002}};
    const char *biped[] = {"scenes/biped.yaml"};
    printf("%-28s %8s %9s %8s %12s\n", "", "steps", "rejected", "events", "us per step");
    for (int i = 0; i < 4; i++) {
        char name[64];
        snprintf(name, sizeof name, "%d spheres in a box", piles[i].count);
        ff_model *model = pile(piles[i].count, piles[i].side);
        measure(name, model, piles[i].until);
        ff_model_free(model);
    }
    const char *const *files = argc > 1 ? (const char *const *)argv + 1 : biped;
    for (int i = 0; i < (argc > 1 ? argc - 1 : 1); i++) {
        ff_scene *scene;
        ff_model *model;
        if (ff_scene_read(files[i], NULL, 0, &scene, NULL) < 0 ||
            ff_model_create(scene, &model, NULL) < 0) {
            printf("%s cannot be read\n", files[i]);
            return 1;
        }
        measure(files[i], model, 0.3);
        ff_model_free(model);
        ff_scene_free(scene);
    }
    return 0;
}
