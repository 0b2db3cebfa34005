/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "body/vector.h"
#include "check.h"
#include "dynamics/dynamics.h"
#include "dynamics/links.h"
#include "sim/sim.h"
#include "trees.h"
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Random trees of joints: both formulations in the same state, and every instruction set. */

static ff_sim *sim_of(ff_scene *scene, ff_formulation formulation, ff_model **model) {
    ff_run_options run = *ff_scene_run(scene);
    ff_error error = {{0}};
    ff_sim *sim;
    run.formulation = formulation;
    ff_scene_set_run(scene, &run);
    if (ff_model_create(scene, model, &error) != FF_OK) {
        fail_msg("%s", error.text);
    }
    assert_int_equal(ff_sim_create(*model, NULL, &sim, NULL), FF_OK);
    return sim;
}

/* difference of the accelerations of bodies in the two formulations, relative to the largest */
static double differ(int n, bool chain) {
    ff_scene *scene = some_tree(n, chain);
    ff_model *tree, *loose;
    ff_sim *a = sim_of(scene, FF_ARTICULATED, &tree), *b = sim_of(scene, FF_MAXIMAL, &loose);
    double *da = calloc(tree->size, sizeof *da), *again = calloc(tree->size, sizeof *da);
    double *db = calloc(loose->size, sizeof *db), off = 0, largest = 1;
    ff_phase pa = a->contexts[0], pb = b->contexts[0];
    some_state(tree, a->flow.y);
    memcpy(b->flow.y, ff_mechanism_bodies(tree, &a->mechanism, a->flow.y),
           tree->body_count * FF_BODY_STRIDE * sizeof *b->flow.y);
    ff_dynamics_rates(tree, &pa, 0, a->flow.y, da);
    ff_dynamics_rates(loose, &pb, 0, b->flow.y, db);
    ff_mechanism_reactions(&a->mechanism);
    for (size_t i = 0; i < tree->body_count; i++) {
        for (size_t c = 0; c < 6; c++) {
            double one = a->mechanism.a[i][c], two = db[i * FF_BODY_STRIDE + FF_VEL + c];
            off = fmax(off, fabs(one - two));
            largest = fmax(largest, fabs(two));
        }
    }
    /* the same bits with every instruction set */
    a->mechanism.way = &ff_links_plain;
    ff_dynamics_rates(tree, &pa, 0, a->flow.y, again);
    assert_memory_equal(da, again, tree->size * sizeof *da);
    free(da);
    free(db);
    free(again);
    ff_sim_free(a);
    ff_sim_free(b);
    ff_model_free(tree);
    ff_model_free(loose);
    ff_scene_free(scene);
    return off / largest;
}

/* only rounding differs: for mass ratios from 1 to 6 and trees up to 40 deep */
static void test_trees(void **state) {
    (void)state;
    double worst = 0;
    for (int round = 0; round < 200; round++) {
        worst = fmax(worst, differ(1 + one_of(24), false));
    }
    print_message("trees of all kinds differ by %.1e\n", worst);
    assert_true(worst < 1e-12);
}

static void test_chains(void **state) {
    (void)state;
    double worst = 0;
    for (int n = 1; n <= 40; n++) {
        worst = fmax(worst, differ(n, true));
    }
    print_message("chains differ by %.1e\n", worst);
    assert_true(worst < 1e-12);
}

/* Orientations of a body that turns about z, compared with sines and cosines of the library: those are accurate to
 * one unit in the last place, and products with 1 and 0 of the axis are exact. */
static void test_half_angles(void **state) {
    (void)state;
    static const double angles[] = {0,
                                    1e-300,
                                    1e-9,
                                    -0.3,
                                    1.5707963267948966,
                                    3.141592653589793,
                                    -3.141592653589793,
                                    6.283185307179586,
                                    -9.42477796076938,
                                    12345.678,
                                    -710.0,
                                    1234567.9,
                                    2097151.9,
                                    -2097152.1,
                                    1e9,
                                    -1e22};
    ff_scene *scene = ff_scene_create();
    ff_body_def body = ff_body_def_default();
    ff_joint_def joint = ff_joint_def_default();
    ff_model *model;
    body.name = joint.name = "hand";
    body.mass = 1;
    some_inertia(body.inertia);
    joint.kind = FF_JOINT_REVOLUTE;
    joint.first = -1;
    joint.second = ff_scene_add_body(scene, &body);
    memcpy(joint.axis, (double[]){0, 0, 1}, sizeof joint.axis);
    assert_true(ff_scene_add_joint(scene, &joint) >= 0);
    ff_sim *sim = sim_of(scene, FF_ARTICULATED, &model);
    double worst = 0;
    for (size_t i = 0; i < 200000; i++) {
        bool listed = i < ROWS(angles);
        double angle = listed ? angles[i] : chance() * log_uniform(1e-6, 1e6);
        double y[2] = {angle, 0};
        ff_links_place(&sim->mechanism, y);
        const double *q = sim->mechanism.bodies + FF_Q;
        double s = sin(angle / 2), c = cos(angle / 2);
        worst = fmax(worst, fabs(q[3] - s) / (nextafter(fabs(s), INFINITY) - fabs(s)));
        worst = fmax(worst, fabs(q[0] - c) / (nextafter(fabs(c), INFINITY) - fabs(c)));
        assert_true(q[1] == 0 && q[2] == 0);
    }
    print_message("half angles differ by %.2f units in the last place\n", worst);
    assert_true(worst <= 1);
    ff_sim_free(sim);
    ff_model_free(model);
    ff_scene_free(scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_trees),
        cmocka_unit_test(test_chains),
        cmocka_unit_test(test_half_angles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
