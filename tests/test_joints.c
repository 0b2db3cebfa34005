/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "check.h"
#include "dynamics/dynamics.h"
#include "sim/sim.h"
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Joints: both formulations against closed forms, invariants and each other. */

static int add_body(ff_scene *scene, const char *name, double mass, const double inertia[3],
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

static ff_joint_def joint_of(const char *name, ff_joint_kind kind, int first, int second) {
    ff_joint_def def = ff_joint_def_default();
    def.name = name;
    def.kind = kind;
    def.first = first;
    def.second = second;
    return def;
}

static void set3(double out[3], double x, double y, double z) {
    out[0] = x;
    out[1] = y;
    out[2] = z;
}

static ff_model *model_of(ff_scene *scene, ff_formulation formulation) {
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

static ff_sim *sim_of(const ff_model *model) {
    ff_sim *sim;
    assert_int_equal(ff_sim_create(model, NULL, &sim), FF_OK);
    return sim;
}

static void run_to(ff_sim *sim, double until) {
    ff_status status;
    while ((status = ff_sim_advance(sim, until)) == FF_EVENT) {
    }
    if (status != FF_OK) {
        fail_msg("%s: %s", ff_status_text(status), ff_sim_error(sim));
    }
}

/* ---- a mechanism of every kind of joint, with branches and reversed joints ---- */

static ff_scene *zoo(double tol) {
    ff_scene *scene = ff_scene_create();
    ff_run_options run = ff_run_options_default();
    run.until = 1;
    run.tol = tol;
    ff_scene_set_run(scene, &run);
    const double I[3] = {0.02, 0.03, 0.04};
    int a = add_body(scene, "a", 1, I, (double[]){0, 0, 0});
    int b = add_body(scene, "b", 0.7, I, (double[]){0, 0, 0});
    int c = add_body(scene, "c", 0.5, I, (double[]){0, 0, 0});
    int d = add_body(scene, "d", 0.4, I, (double[]){0.3, -0.2, 0.1});
    int e = add_body(scene, "e", 0.3, I, (double[]){0, 0, 0});
    int f = add_body(scene, "f", 0.6, I, (double[]){0, 0, 0});
    int g = add_body(scene, "g", 0.2, I, (double[]){2, 0, 0});
    int h = add_body(scene, "h", 0.9, I, (double[]){0, 0, 0});
    ff_joint_def j = joint_of("floor", FF_JOINT_PLANAR, -1, a);
    set3(j.axis, 0.2, 1, 0.1);
    set3(j.anchor, 0.1, 0, 0.2);
    set3(j.second_anchor, 0, 0, 0.1);
    set3(j.start, 0.3, -0.1, 0.4);
    set3(j.rate, 0.5, 0.2, -1);
    assert_true(ff_scene_add_joint(scene, &j) >= 0);
    j = joint_of("hip", FF_JOINT_REVOLUTE, a, b);
    set3(j.axis, 0, 1, 0.5);
    set3(j.anchor, 0, 0.1, -0.2);
    set3(j.second_anchor, 0.1, 0, 0.2);
    j.turn[0] = 0.9;
    j.turn[2] = 0.3;
    j.start[0] = 0.7;
    j.rate[0] = 2;
    assert_true(ff_scene_add_joint(scene, &j) >= 0);
    j = joint_of("slider", FF_JOINT_PRISMATIC, c, b); /* reversed: b hangs first */
    set3(j.axis, 1, 0.2, 0);
    set3(j.anchor, 0.05, 0, 0.1);
    set3(j.second_anchor, 0, -0.1, -0.1);
    j.start[0] = 0.15;
    j.rate[0] = -0.6;
    assert_true(ff_scene_add_joint(scene, &j) >= 0);
    j = joint_of("ball", FF_JOINT_SPHERICAL, a, d);
    set3(j.anchor, 0.2, 0.1, 0);
    set3(j.second_anchor, -0.1, 0.1, 0.1);
    assert_true(ff_scene_add_joint(scene, &j) >= 0);
    j = joint_of("cross", FF_JOINT_UNIVERSAL, d, e);
    set3(j.axis, 1, 0, 0);
    set3(j.second_axis, 0, 1, 0);
    set3(j.anchor, 0, 0.1, 0);
    set3(j.second_anchor, 0, -0.1, 0);
    j.start[0] = 0.3;
    j.start[1] = -0.4;
    j.rate[0] = 1;
    j.rate[1] = -1.5;
    assert_true(ff_scene_add_joint(scene, &j) >= 0);
    j = joint_of("weld", FF_JOINT_FIXED, c, f);
    set3(j.anchor, 0.1, 0, 0);
    set3(j.second_anchor, 0, 0.1, 0);
    j.turn[1] = 0.5;
    assert_true(ff_scene_add_joint(scene, &j) >= 0);
    /* a second mechanism that nothing holds, with a reversed universal and a reversed revolute joint */
    j = joint_of("elbow", FF_JOINT_UNIVERSAL, h, g);
    set3(j.axis, 0, 0, 1);
    set3(j.second_axis, 1, 0, 0);
    set3(j.anchor, 0, 0, 0.2);
    set3(j.second_anchor, 0.1, 0, -0.2);
    j.start[0] = 0.5;
    j.start[1] = 0.2;
    j.rate[0] = -2;
    j.rate[1] = 1;
    assert_true(ff_scene_add_joint(scene, &j) >= 0);
    return scene;
}

static double spread_of(const ff_sim *a, const ff_sim *b, size_t bodies) {
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

/* accelerations of both formulations in one and the same state: only rounding apart */
static void test_accelerations_agree(void **state) {
    (void)state;
    ff_scene *scene = zoo(1e-9);
    ff_model *tree = model_of(scene, FF_ARTICULATED), *loose = model_of(scene, FF_MAXIMAL);
    ff_sim *a = sim_of(tree), *b = sim_of(loose);
    assert_true(spread_of(a, b, tree->body_count) < 1e-14);
    double *da = calloc(tree->size, sizeof *da), *db = calloc(loose->size, sizeof *db);
    ff_phase pa = ff_sim_phase(a, NULL), pb = ff_sim_phase(b, NULL);
    ff_dynamics_rates(tree, &pa, 0, a->y, da);
    ff_dynamics_rates(loose, &pb, 0, b->y, db);
    ff_mechanism_reactions(&a->mechanism);
    double worst = 0;
    for (size_t i = 0; i < tree->body_count; i++) {
        for (size_t c = 0; c < 6; c++) {
            double one = a->mechanism.a[i][c], two = db[i * FF_BODY_STRIDE + FF_VEL + c];
            worst = fmax(worst, fabs(one - two) / (1 + fabs(two)));
        }
    }
    print_message("accelerations differ by %.2e\n", worst);
    assert_true(worst < 1e-12);
    worst = 0;
    for (size_t i = 0; i < tree->joint_count; i++) {
        ff_joint_record one = ff_sim_joint(a, i), two = ff_sim_joint(b, i);
        for (int c = 0; c < 3; c++) {
            worst = fmax(worst, fabs(one.force[c] - two.force[c]));
            worst = fmax(worst, fabs(one.moment[c] - two.moment[c]));
            worst = fmax(worst, fabs(one.position[c] - two.position[c]));
            worst = fmax(worst, fabs(one.rate[c] - two.rate[c]));
        }
    }
    print_message("reactions differ by %.2e\n", worst);
    assert_true(worst < 1e-11);
    free(da);
    free(db);
    ff_sim_free(a);
    ff_sim_free(b);
    ff_model_free(tree);
    ff_model_free(loose);
    ff_scene_free(scene);
}

static void test_formulations_agree(void **state) {
    (void)state;
    ff_scene *scene = zoo(1e-10);
    ff_model *tree = model_of(scene, FF_ARTICULATED), *loose = model_of(scene, FF_MAXIMAL);
    ff_sim *a = sim_of(tree), *b = sim_of(loose);
    run_to(a, 1);
    run_to(b, 1);
    double apart = spread_of(a, b, tree->body_count);
    ff_ledger la = ff_sim_ledger(a), lb = ff_sim_ledger(b);
    print_message("apart %.2e, residuals %.2e %.2e, steps %ld %ld, violation %.2e\n", apart,
                  la.residual / la.scale, lb.residual / lb.scale, ff_sim_statistics(a).steps,
                  ff_sim_statistics(b).steps, ff_sim_violation(b).position);
    assert_true(apart < 1e-7);
    assert_true(fabs(la.residual) < 1e-9 * la.scale);
    assert_true(fabs(lb.residual) < 1e-9 * lb.scale);
    ff_sim_free(a);
    ff_sim_free(b);
    ff_model_free(tree);
    ff_model_free(loose);
    ff_scene_free(scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_accelerations_agree),
        cmocka_unit_test(test_formulations_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
