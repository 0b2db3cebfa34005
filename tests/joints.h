/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* Functions shared by the tests of joints: scenes by calls, and their runs in both formulations. */

#include "check.h"
#include "sim/sim.h"
#include <math.h>
#include <string.h>

static inline int add_body(ff_scene *scene, const char *name, double mass, const double inertia[3],
                           const double position[3]) {
    ff_body_def def = ff_body_def_default();
    def.name = name;
    def.mass = mass;
    memset(def.inertia, 0, sizeof def.inertia);
    for (int i = 0; i < 3; i++) {
        def.inertia[i][i] = inertia[i];
        def.position[i] = position[i];
    }
    int body = ff_scene_add_body(scene, &def);
    assert_true(body >= 0);
    return body;
}

static inline ff_joint_def joint_of(const char *name, ff_joint_kind kind, int first, int second) {
    ff_joint_def def = ff_joint_def_default();
    def.name = name;
    def.kind = kind;
    def.first = first;
    def.second = second;
    return def;
}

static inline void set3(double out[3], double x, double y, double z) {
    out[0] = x;
    out[1] = y;
    out[2] = z;
}

static inline ff_model *model_of(ff_scene *scene, ff_formulation formulation) {
    ff_run_options run = *ff_scene_run(scene);
    ff_model *model;
    ff_error error = {{0}};
    run.formulation = formulation;
    ff_scene_set_run(scene, &run);
    ff_status status = ff_model_create(scene, &model, &error);
    if (status != FF_OK) {
        fail_msg("%s: %s", ff_status_text(status), error.text);
    }
    return model;
}

static inline ff_sim *sim_of(const ff_model *model) {
    ff_sim *sim;
    assert_int_equal(ff_sim_create(model, NULL, &sim, NULL), FF_OK);
    return sim;
}

static inline void run_to(ff_sim *sim, double until) {
    ff_status status;
    while ((status = ff_sim_advance(sim, until)) == FF_EVENT) {
    }
    if (status != FF_OK) {
        fail_msg("%s: %s", ff_status_text(status), ff_sim_error(sim));
    }
}

static inline double spread_of(const ff_sim *a, const ff_sim *b, size_t bodies) {
    double worst = 0;
    for (size_t i = 0; i < bodies; i++) {
        ff_motion p = ff_sim_body(a, i), q = ff_sim_body(b, i);
        for (int c = 0; c < 3; c++) {
            worst = fmax(worst, fabs(p.position[c] - q.position[c]));
            worst = fmax(worst, fabs(p.velocity[c] - q.velocity[c]));
            worst = fmax(worst, fabs(p.omega[c] - q.omega[c]));
        }
    }
    return worst;
}
