/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* Scenes with numbers of every kind, and functions that get and set them by path. */

#include "io/scene_file.h"
#include "motion.h"
#include "sim/sim.h"
#include <footfall/field.h>
#include <string.h>

static inline ff_scene *scene_of(const char *text) {
    ff_scene *scene = NULL;
    ff_messages messages = {0};
    ff_scene_parse("s.yaml", text, strlen(text), NULL, 0, INFINITY, &scene, &messages);
    if (!scene) {
        fail_msg("%s", messages.at[0].text);
    }
    ff_messages_clear(&messages);
    return scene;
}

static inline ff_model *model_of(const char *text) { return compiled(scene_of(text)); }

static inline ff_sim *sim_of(const ff_model *model) {
    ff_sim *sim;
    ff_error error = {""};
    if (ff_sim_create(model, NULL, &sim, &error) < 0) {
        fail_msg("%s", error.text);
    }
    return sim;
}

static inline size_t field_of(const ff_model *model, const char *path) {
    size_t field;
    ff_error error = {""};
    if (ff_model_field_find(model, path, &field, NULL, &error) < 0) {
        fail_msg("%s", error.text);
    }
    return field;
}

static inline double value_of(ff_sim *sim, const char *path) {
    double values[9];
    assert_int_equal(ff_sim_get(sim, field_of(sim->model, path), values), FF_OK);
    return values[0];
}

static inline void set(ff_sim *sim, const char *path, double value) {
    ff_error error = {""};
    if (ff_sim_set_path(sim, path, value, &error) < 0) {
        fail_msg("%s", error.text);
    }
}

static inline void refuses(ff_sim *sim, const char *path, double value, const char *says) {
    ff_error error = {""};
    const ff_model *before = sim->model;
    assert_true(ff_sim_set_path(sim, path, value, &error) < 0);
    assert_holds(strstr(error.text, says) != NULL, "'%s' does not say '%s'", error.text, says);
    assert_ptr_equal(sim->model, before);
}

#define BALL                                                                                       \
    "parameters: {slope: 0.1, height: 10 cm, twice: 2*slope}\n"                                    \
    "gravity: [9.81*sin(slope), 0, -9.81*cos(slope)]\n"                                            \
    "bodies:\n"                                                                                    \
    "  ball: {mass: 154 g, shape: {sphere: {radius: 1.65 cm}}, position: [0, 0, height]}\n"        \
    "ground: {floor: {plane: {point: [0, 0, 0], normal: [0, 0, 1]}},\n"                            \
    "         belt: {plane: {point: [0, 0, -1], normal: [0, 0, 1], surface_velocity: [1, 0, "      \
    "0]}}}\n"                                                                                      \
    "pairs:\n"                                                                                     \
    "  - between: [ball, floor]\n"                                                                 \
    "    normal: {law: azad-featherstone, material: [steel, rubber], lambda: 3.1e3}\n"             \
    "    friction: {law: clutch, from: normal, damping: 3e3, mu: twice}\n"                         \
    "  - between: [ball, belt]\n"                                                                  \
    "    normal: {law: azad-featherstone, k: 8.5e6, lambda: 3.1e3}\n"                              \
    "    friction: {law: clutch, k: 12.75e6, damping: 3.1e3, mu: 0.2}\n"                           \
    "run: {until: 1 s, tol: 1e-9}\n"

/* springs, dampers, actuators */
#define ARM                                                                                        \
    "bodies:\n"                                                                                    \
    "  arm: {mass: 1, inertia: [0.1, 0.2, 0.3]}\n"                                                 \
    "  cart: {mass: 2, inertia: [[1, 0.1, 0], [0.1, 1, 0], [0, 0, 1]]}\n"                          \
    "  box: {mass: 1, shape: {box: {size: [0.1, 0.2, 0.3], corner_radius: 0.01}},\n"               \
    "        position: [0, 0, 2]}\n"                                                               \
    "  dumbbell: {mass: 1, position: [0, 3, 3], shape: {spheres: [{center: [0, 0, 0.1],\n"         \
    "        radius: 0.05}, {center: [0, 0, -0.2], radius: 0.04}]}}\n"                             \
    "joints:\n"                                                                                    \
    "  hinge: {revolute: {between: [world, arm], anchor: [0, 0, 1], second_anchor: [0, 0, 0.5],\n" \
    "          axis: [0, 1, 0], angle: 0.3, stiffness: 2, rest: 0.1, damping: 0.1,\n"              \
    "          limits: {lower: -1, upper: 1, stiffness: 100, damping: 0.1}, load: 3,\n"            \
    "          friction: {law: dahl, mu: 0.1, k: 1e3}}}\n"                                         \
    "  rail: {prismatic: {between: [world, cart], axis: [1, 0, 0], distance: 0.2, speed: 1}}\n"    \
    "forces:\n"                                                                                    \
    "  motor: {constant: {joint: hinge, torque: 0.5}}\n"                                           \
    "  servo: {pd: {joint: rail, kp: 20, kd: 2, target: [0.1, 0.2]}}\n"                            \
    "  rope: {spring: {body: box, anchor: [0, 0, 0.1], to: world, to_anchor: [0, 0, 3],\n"         \
    "         stiffness: 50, damping: 0.2, rest: 0.5}}\n"                                          \
    "  push: {table: {body: box, force: [1, 0, 0], times: [0, 1, 2], factors: [0, 1, 0]},\n"       \
    "         to: 1.5 s}\n"                                                                        \
    "  pull: {pd: {body: dumbbell, axis: [0, 0, 2], kp: 10, kd: 1, target: [3]}}\n"                \
    "run: {until: 1 s, tol: 1e-9}\n"
