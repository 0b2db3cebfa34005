/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#define _POSIX_C_SOURCE 200809L

/* Spheres with located events at tol 1e-6, pressed together on a lattice and shaken: time per step as a function
 * of the number of spheres. The time per sphere and step is comparable if the number of contacts per sphere is. In
 * a channel of 2 by 2 spheres of increasing length there are 4.2 contacts per sphere with 20 spheres and 4.0 with
 * 1,000, including walls; in a box of five layers of increasing width 4.0 and 3.1, and walls, which cost less than
 * spheres, are 55 % and 15 % of them. Steps that end in an event take more evaluations, and with many spheres more
 * steps do: the time per evaluation excludes this effect. Finally, 80 spheres fall and settle: time per second of
 * motion. All times are CPU times.
 *
 * build/bench/spheres [ROUNDS]                      the best of ROUNDS rounds, 3 by default
 * build/bench/spheres channel|box LENGTH ROUNDS     one size */

#include "law/params.h"
#include <footfall/footfall.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static unsigned long seed;

static double scatter(double size) {
    /* upper bits of Knuth's MMIX generator */
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return size * (2 * (double)(seed >> 11) / 9007199254740992.0 - 1);
}

/* numbers of spheres along x, y and z, and whether there is a wall above them */
typedef struct {
    size_t along[3];
    bool roof;
} lattice;

static lattice channel_of(size_t length) { return (lattice){{length, 2, 2}, true}; }
static lattice box_of(size_t side) { return (lattice){{side, side, 5}, false}; }
static size_t count_of(lattice l) { return l.along[0] * l.along[1] * l.along[2]; }

/* spheres of 1 cm with the given pitch between enclosing walls */
static ff_sim *fill(lattice l, double pitch, double off, double speed, double lambda,
                    ff_model **out) {
    const double r = 0.01, width[3] = {pitch * (double)l.along[0], pitch * (double)l.along[1],
                                       pitch * (double)l.along[2]};
    ff_scene *scene = ff_scene_create();
    seed = 1;
    ff_sim *sim;
    ff_error error;
    for (size_t n = 0; n < count_of(l); n++) {
        const size_t at[3] = {n % l.along[0], n / l.along[0] % l.along[1],
                              n / l.along[0] / l.along[1]};
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
    static const double normals[6][3] = {{0, 0, 1}, {1, 0, 0},  {-1, 0, 0},
                                         {0, 1, 0}, {0, -1, 0}, {0, 0, -1}};
    static const char *const names[6] = {"floor", "left", "right", "front", "back", "roof"};
    for (int i = 0; i < 5 + l.roof; i++) {
        ff_plane_def plane = {.size = sizeof(ff_plane_def), .name = names[i]};
        for (int c = 0; c < 3; c++) {
            plane.normal[c] = normals[i][c];
            plane.point[c] = normals[i][c] < 0 ? width[c] : 0;
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

/* contacts per sphere: with spheres, and with walls */
typedef struct {
    double pairs, walls;
} contacts;

static void count_touching(const ff_sim *sim, const ff_model *model, double each, contacts *out) {
    for (size_t i = 0; i < ff_model_contact_count(model); i++) {
        if (ff_sim_contact(sim, i).touching) {
            /* names are s0/s1 and s0/floor */
            const char *other = strchr(ff_model_contact_name(model, i), '/') + 1;
            *(other[0] == 's' ? &out->pairs : &out->walls) += each;
        }
    }
}

enum { BLOCKS = 40, STEPS = 10, SIZES = 7 };

typedef struct {
    lattice size;
    double seconds
        [BLOCKS]; /* times of blocks of STEPS steps each: the minimum over all rounds, which take the same steps */
    contacts contacts;
    ff_statistics statistics;
} rattling;

/* Steps of a lattice that is compressed by a tenth of a millimetre and shaken, almost undamped. */
static void rattle(rattling *r, bool first) {
    ff_model *model;
    ff_sim *sim = fill(r->size, 0.0199, 0, 0.05, 1, &model);
    for (int block = 0; block < BLOCKS; block++) {
        const double begin = seconds();
        const long before = ff_sim_statistics(sim).steps;
        while (ff_sim_statistics(sim).steps < before + STEPS) {
            if (ff_sim_step(sim, 1e3) < 0) {
                printf("%s\n", ff_sim_error(sim));
                exit(1);
            }
        }
        const double time = seconds() - begin, least = r->seconds[block];
        r->seconds[block] = least > 0 && least < time ? least : time;
        if (first && block % 10 == 9) {
            const double each = 10.0 / BLOCKS / (double)count_of(r->size);
            count_touching(sim, model, each, &r->contacts);
        }
    }
    r->statistics = ff_sim_statistics(sim);
    ff_sim_free(sim);
    ff_model_free(model);
}

static void compare(const char *name, lattice (*of)(size_t), const size_t *lengths, int sizes,
                    int rounds) {
    rattling all[SIZES] = {0};
    for (int round = 0; round < rounds; round++) {
        for (int i = 0; i < sizes; i++) {
            all[i].size = of(lengths[i]);
            rattle(&all[i], round == 0);
        }
    }
    printf("\n%-8s%8s %8s %12s %12s %12s %8s %16s\n", name, "pairs", "walls", "ms a step",
           "us a sphere", "evaluations", "events", "ns an evaluation");
    for (int i = 0; i < sizes; i++) {
        const rattling *r = &all[i];
        const ff_statistics *s = &r->statistics;
        const double spheres = (double)count_of(r->size), steps = (double)s->steps;
        double time = 0;
        for (int k = 0; k < BLOCKS; k++) {
            time += r->seconds[k] / BLOCKS / STEPS;
        }
        printf("%-8.0f%8.2f %8.2f %12.4f %12.2f %12.1f %8.2f %16.0f\n", spheres, r->contacts.pairs,
               r->contacts.walls, 1e3 * time, 1e6 * time / spheres, (double)s->evaluations / steps,
               (double)s->events / steps, 1e9 * time / spheres / ((double)s->evaluations / steps));
    }
}

static void settle(void) {
    ff_model *model;
    ff_sim *sim = fill(box_of(4), 0.0205, 2e-4, 0.2, 1e3, &model);
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
    static const size_t lengths[SIZES] = {5, 12, 20, 45, 80, 125, 250},
                        sides[SIZES] = {2, 3, 4, 6, 8, 10, 14};
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (argc == 4) {
        const size_t length = strtoul(argv[2], NULL, 10);
        compare(argv[1], argv[1][0] == 'b' ? box_of : channel_of, &length, 1, atoi(argv[3]));
        return 0;
    }
    const int rounds = argc > 1 ? atoi(argv[1]) : 3;
    compare("channel", channel_of, lengths, SIZES, rounds);
    compare("box", box_of, sides, SIZES, rounds);
    settle();
    return 0;
}
