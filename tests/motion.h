/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* Scenes of balls on floors and functions to run them, for the tests of the simulator. */

#include "check.h"
#include "law/params.h"
#include <footfall/footfall.h>

static inline ff_normal normal(const char *name, const double *values) {
    ff_normal law;
    ff_error error = {""};
    if (ff_normal_make(&law, ff_normal_law_find(name), values, &error) != FF_OK) {
        fail_msg("%s", error.text);
    }
    return law;
}

static inline ff_friction friction(const char *name, const double *values) {
    ff_friction law;
    assert_int_equal(ff_friction_make(&law, ff_friction_law_find(name), values, NULL), FF_OK);
    return law;
}

static inline int add_ball(ff_scene *scene, const char *name, double mass, double radius,
                           const double at[3], const double velocity[3]) {
    ff_body_def def = ff_body_def_default();
    def.name = name;
    def.mass = mass;
    memcpy(def.position, at, sizeof def.position);
    memcpy(def.velocity, velocity, sizeof def.velocity);
    int body = ff_scene_add_body(scene, &def);
    assert_true(body >= 0 &&
                ff_scene_add_sphere(scene, body, NULL, (double[]){0, 0, 0}, radius) >= 0);
    return body;
}

static inline void add_floor(ff_scene *scene) {
    assert_true(ff_scene_add_plane(scene, &(ff_plane_def){.size = sizeof(ff_plane_def),
                                                          .name = "floor",
                                                          .normal = {0, 0, 1}}) >= 0);
}

static inline void add_pair(ff_scene *scene, const char *a, const char *b, ff_normal n,
                            ff_friction f) {
    assert_true(ff_scene_add_pair(scene, &(ff_pair_def){.size = sizeof(ff_pair_def),
                                                        .a = a,
                                                        .b = b,
                                                        .normal = n,
                                                        .friction = f}) >= 0);
}

static inline ff_model *compiled(ff_scene *scene) {
    ff_model *model;
    ff_error error = {""};
    if (ff_model_create(scene, &model, &error) != FF_OK) {
        fail_msg("%s", error.text);
    }
    ff_scene_free(scene);
    return model;
}

/* a ball on a floor under one normal and one friction law */
static inline ff_model *ball_on_floor(double mass, double radius, double height,
                                      const double velocity[3], double gravity, ff_normal n,
                                      ff_friction f) {
    ff_scene *scene = ff_scene_create();
    ff_scene_set_gravity(scene, (double[]){0, 0, -gravity});
    add_ball(scene, "ball", mass, radius, (double[]){0, 0, height}, velocity);
    add_floor(scene);
    add_pair(scene, "ball", "floor", n, f);
    return compiled(scene);
}

static inline ff_normal azad(void) {
    return normal("azad-featherstone", (double[]){8.5e6, 3.1e3, NAN, NAN});
}

static inline ff_friction clutch(double viscous) {
    return friction("clutch", (double[]){0.2, 12.75e6, 3.1e3, viscous, NAN, NAN, NAN});
}

static inline ff_model *rolling(double viscous) {
    return ball_on_floor(0.154, 0.0165, 0.1, (double[]){0.5, 0.5, 0}, 9.81, azad(),
                         clutch(viscous));
}

static inline ff_sim *started(const ff_model *model, ff_method method, double tol) {
    ff_run_options o = ff_run_options_default();
    ff_sim *sim;
    o.method = method;
    o.tol = tol;
    assert_int_equal(ff_sim_create(model, &o, &sim, NULL), FF_OK);
    return sim;
}

static inline void finish(ff_sim *sim, ff_model *model) {
    ff_sim_free(sim);
    ff_model_free(model);
}

/* advances to `until` through all events */
static inline void go(ff_sim *sim, double until) {
    ff_status status;
    while ((status = ff_sim_advance(sim, until)) == FF_EVENT) {
    }
    assert_int_equal(status, FF_OK);
    assert_near(ff_sim_time(sim), until, 1e-12);
}

/* the next event, which must be of this kind */
static inline double next_event(ff_sim *sim, ff_event_kind kind) {
    while (ff_sim_advance(sim, 100) == FF_EVENT) {
        if (ff_sim_event(sim)->kind == kind) {
            return ff_sim_event(sim)->time;
        }
    }
    fail_msg("no %s", ff_event_name(kind));
    return 0;
}
