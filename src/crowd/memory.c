/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "memory.h"
#include "crowd.h"
#include "sim/sim.h"
#include <math.h>
#include <stdio.h>

/* the program and its libraries */
static const double program = 3e6;
/* a name in the scene and in the model: two allocated blocks */
static const double names = 64;

/* a body with its shape in the scene; lists have room for half as many again */
static double scene_body(void) { return 1.5 * (sizeof(ff_body_def) + sizeof(ff_shape_def)); }

double ff_spheres_memory(double count) {
    return program + count * (scene_body() + names) + ff_crowd_memory(count);
}

const char *ff_memory_text(double bytes, char buf[FF_MEMORY_TEXT]) {
    const char *unit = bytes < 1e9 ? "MB" : bytes < 1e12 ? "GB" : "TB";
    snprintf(buf, FF_MEMORY_TEXT, "%.1f %s",
             bytes / (bytes < 1e9    ? 1e6
                      : bytes < 1e12 ? 1e9
                                     : 1e12),
             unit);
    return buf;
}

/* The matrix of an implicit method. A coupled row takes 5 kB including its analysis (4.2 to 5.7 kB in the boxes of 20 to
 * 1,000 spheres of bench/implicit.c), and a body that touches six others has 37 of them, including friction; any other row
 * takes 200 B. With joints rows are full, with 132 B per two entries. */
static double matrix_memory(const ff_scene *scene, double slots, double states) {
    const double bodies = (double)scene->bodies.count, joints = (double)scene->joints.count;
    if (!ff_method_implicit(scene->run.method)) {
        return 0;
    }
    if (joints > 0) {
        const double rows = fmin(states, FF_BODY_STRIDE + 2 * joints + 4 * slots);
        return 132 * rows * rows;
    }
    return 5e3 * fmin(states, bodies * (FF_BODY_STRIDE + 6 * 4)) + 200 * states;
}

/* memory for joints: the tree and its work memory */
static double joints_memory(const ff_scene *scene) {
    const double joints = (double)scene->joints.count;
    if (joints == 0) {
        return 0;
    }
    /* motions, loads, rotations, and four vectors of six */
    const double vectors = (2 * FF_BODY_STRIDE + 9 + 4 * 6) * sizeof(double);
    return (double)scene->bodies.count *
               (sizeof(ff_link) + sizeof(ff_link_work) + sizeof(ff_condensed) + vectors) +
           joints * (1.5 * sizeof(ff_joint_def) + sizeof(ff_joint) + sizeof(ff_rows) + names);
}

/* Most slots of a sphere among others: it touches twelve, each shared by two, and some planes are near. */
enum { NEAR_MOST = 10 };

/* Slots for every pair, or for near pairs only. A run with near slots has its arrays twice, each with a quarter to spare. */
static double slots_memory(const ff_scene *scene, double pairs) {
    const bool open = scene->joints.count == 0 && pairs > FF_SLOTS_USUAL;
    const double slots = open ? fmin(pairs, NEAR_MOST * (double)scene->shapes.count) : pairs;
    const double copies = open ? 2.5 : 1;
    /* source and name of a contact */
    const double contacts = open ? pairs * (sizeof(ff_slot_source) + sizeof(char *) + 20) : 0;
    const double bodies = (double)scene->bodies.count, shapes = (double)scene->shapes.count;
    /* one friction vector, and one state of the normal law */
    const double states = bodies * FF_BODY_STRIDE + slots * 4;
    const double size = states + slots * FF_CONTACT_INTEGRALS + FF_RUN_INTEGRALS;
    /* per number: the stepper, six copies, scales and marks */
    double number = ((double)ff_stepper_room(1) + 7) * sizeof(double) + sizeof(int) + 2;
    double slot = sizeof(ff_slot) + names + 4 * sizeof(ff_event) + sizeof(ff_touch) + 64;
    /* definitions are stored in the scene and in the model */
    return bodies * (2 * sizeof(ff_body_def) + sizeof(ff_model_body) + sizeof(ff_motion) + names) +
           shapes * 2 * sizeof(ff_shape_def) + contacts + joints_memory(scene) +
           copies * (slots * slot + size * number) + matrix_memory(scene, slots, states);
}

double ff_scene_memory(const ff_scene *scene) {
    bool crowd;
    double pairs = ff_model_pairs(scene, &crowd);
    return crowd ? ff_spheres_memory((double)scene->bodies.count)
                 : program + slots_memory(scene, pairs);
}
