/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* Random trees of joints. */

#include "body/vector.h"
#include "check.h"
#include "model/model.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static inline double chance(void) { return uniform(-1, 1); }

static inline int one_of(int count) { return (int)uniform(0, count); }

static inline void some(double out[3], double size) {
    for (int i = 0; i < 3; i++) {
        out[i] = size * chance();
    }
}

/* a positive definite inertia with all entries: that of three masses on skew arms */
static inline void some_inertia(double out[3][3]) {
    memset(out, 0, 9 * sizeof(double));
    for (int p = 0; p < 4; p++) {
        double arm[3];
        some(arm, 0.2);
        for (int i = 0; i < 3; i++) {
            for (int k = 0; k < 3; k++) {
                out[i][k] += (i == k) * ff_dot(arm, arm) - arm[i] * arm[k];
            }
            out[i][i] += 0.005;
        }
    }
}

/* The joint of body i with the world or an earlier body, in either direction. */
static inline ff_joint_def some_joint(int i, ff_joint_kind kind, int parent) {
    ff_joint_def j = ff_joint_def_default();
    bool reversed = parent >= 0 && kind != FF_JOINT_PLANAR && chance() > 0.3;
    j.kind = kind;
    j.pitch = 0.3;
    j.first = reversed ? i : parent;
    j.second = reversed ? parent : i;
    some(j.axis, 1);
    some(j.anchor, 0.3);
    some(j.second_anchor, 0.3);
    if (kind == FF_JOINT_UNIVERSAL) {
        double other[3] = {0.3, -0.5, 0.8};
        ff_cross(j.axis, other, j.second_axis);
    } else {
        j.turn[0] = 1;
        some(j.turn + 1, 0.5);
    }
    if (kind != FF_JOINT_SPHERICAL && kind != FF_JOINT_FIXED) {
        some(j.start, 1);
        some(j.rate, 1);
    }
    return j;
}

/* body i, named "b" and its number */
static inline void add_some_body(ff_scene *scene, int i) {
    char name[16];
    snprintf(name, sizeof name, "b%d", i);
    ff_body_def body = ff_body_def_default();
    body.name = name;
    body.mass = 1 + 0.7 * chance();
    some_inertia(body.inertia);
    some(body.position, 1);
    some(body.velocity, 1);
    some(body.omega, 1);
    body.orientation[0] = 1;
    some(body.orientation + 1, 0.5);
    assert_int_equal(ff_scene_add_body(scene, &body), i);
}

static inline ff_scene *some_tree(int n, bool chain) {
    static const ff_joint_kind kinds[] = {FF_JOINT_REVOLUTE,  FF_JOINT_PRISMATIC,
                                          FF_JOINT_SPHERICAL, FF_JOINT_UNIVERSAL,
                                          FF_JOINT_FIXED,     FF_JOINT_PLANAR};
    ff_scene *scene = ff_scene_create();
    ff_scene_set_gravity(scene, (double[]){0.5, -1, -9});
    for (int i = 0; i < n; i++) {
        char name[16];
        snprintf(name, sizeof name, "b%d", i);
        add_some_body(scene, i);
        /* occasionally a free body, and more revolute joints than others */
        ff_joint_kind kind = chain || chance() > 0 ? FF_JOINT_REVOLUTE : kinds[one_of(6)];
        int parent = chain ? i - 1 : one_of(i + 1) - 1;
        ff_joint_def joint = some_joint(i, kind, parent);
        joint.name = name;
        if (chain || i == 0 || parent >= 0 || chance() > 0) {
            assert_true(ff_scene_add_joint(scene, &joint) >= 0);
        }
    }
    return scene;
}

/* coordinates and speeds of all joints, whatever the start was */
static inline void some_state(const ff_model *model, double *y) {
    for (size_t i = 0; i < model->body_count; i++) {
        const ff_link *l = &model->tree->links[i];
        double *q = y + l->at, *turn = q + (l->kind == FF_JOINT_FREE ? 3 : 0), square = 0;
        for (int c = 0; c < l->coordinates + l->speeds; c++) {
            q[c] = 2 * chance();
        }
        if (l->kind == FF_JOINT_FREE || l->kind == FF_JOINT_SPHERICAL) {
            for (int c = 0; c < 4; c++) {
                square += turn[c] * turn[c];
            }
            for (int c = 0; c < 4; c++) {
                turn[c] /= sqrt(square);
            }
        }
    }
}
