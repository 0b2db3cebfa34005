/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */

/* Edge cases of the public API: invalid indices, kinds and pointers are handled, on models of every kind. */

#include "motion.h"
#include <limits.h>

/* all calls with an index, within and beyond its range */
static void ask_everything(const ff_model *model, ff_sim *sim) {
    const size_t beyond[] = {0, 1, 7, 1000000, SIZE_MAX};
    for (size_t k = 0; k < sizeof beyond / sizeof *beyond; k++) {
        const size_t i = beyond[k];
        assert_int_equal(ff_model_body_name(model, i) != NULL, i < ff_model_body_count(model));
        assert_int_equal(ff_model_body_facts(model, i).mass > 0, i < ff_model_body_count(model));
        assert_int_equal(ff_model_contact_name(model, i) != NULL,
                         i < ff_model_contact_count(model));
        assert_int_equal(ff_model_contact_facts(model, i).normal != NULL,
                         i < ff_model_contact_count(model));
        assert_int_equal(ff_model_class_name(model, i) != NULL, i < ff_model_class_count(model));
        assert_int_equal(ff_model_class_facts(model, i).normal != NULL,
                         i < ff_model_class_count(model));
        assert_int_equal(ff_model_joint_name(model, i) != NULL, i < ff_model_joint_count(model));
        assert_int_equal(ff_model_joint_facts(model, i).second >= 0,
                         i < ff_model_joint_count(model));
        assert_int_equal(ff_model_shape(model, i).body >= 0, i < ff_model_shape_count(model));
        assert_int_equal(ff_model_plane(model, i).name != NULL, i < ff_model_plane_count(model));
        assert_int_equal(ff_model_unpaired_name(model, i) != NULL,
                         i < ff_model_unpaired_count(model));
        ff_motion motion = ff_sim_body(sim, i);
        assert_true(fabs(motion.orientation[0]) > 0);
        if (i >= ff_model_contact_count(model)) {
            ff_contact_record none = ff_sim_contact(sim, i);
            assert_true(!none.touching && none.force[2] == 0);
            assert_true(ff_sim_contact_ledger(sim, i).slip == 0);
        }
        if (i >= ff_model_class_count(model)) {
            assert_true(ff_sim_class_ledger(sim, i).normal_damper == 0);
        }
        if (i >= ff_model_joint_count(model)) {
            assert_true(ff_sim_joint(sim, i).effort[0] == 0);
        }
        const ff_event kinds[] = {{.kind = FF_TOUCHDOWN, .contact = (int)i},
                                  {.kind = FF_SLIP, .contact = (int)i},
                                  {.kind = FF_USER, .contact = (int)i}};
        for (size_t e = 0; e < 3; e++) {
            ff_model_event_owner(model, &kinds[e]);
        }
        ff_field field;
        double values[64];
        ff_error error;
        if (!ff_model_field(model, i, &field)) {
            assert_true(ff_sim_get(sim, i, values) < 0);
            assert_true(ff_sim_set(sim, i, values, &error) < 0);
        }
    }
}

static void ask_at_once(const ff_model *model, ff_sim *sim) {
    ff_motion bodies[16];
    ff_contact_record contacts[16];
    ff_joint_record joints[16];
    assert_int_equal(ff_sim_bodies(sim, NULL, 0), ff_model_body_count(model));
    assert_int_equal(ff_sim_contacts(sim, NULL, 0), ff_model_contact_count(model));
    assert_int_equal(ff_sim_joints(sim, NULL, 0), ff_model_joint_count(model));
    size_t count = ff_sim_bodies(sim, bodies, 16);
    for (size_t i = 0; i < count && i < 16; i++) {
        ff_motion one = ff_sim_body(sim, i);
        assert_memory_equal(&one, &bodies[i], sizeof one);
    }
    count = ff_sim_contacts(sim, contacts, 16);
    for (size_t i = 0; i < count && i < 16; i++) {
        assert_true(ff_sim_contact(sim, i).depth == contacts[i].depth);
        assert_true(ff_sim_contact(sim, i).force[2] == contacts[i].force[2]);
    }
    count = ff_sim_joints(sim, joints, 16);
    for (size_t i = 0; i < count && i < 16; i++) {
        assert_true(ff_sim_joint(sim, i).force[2] == joints[i].force[2]);
    }
}

static void test_a_scene(void **state) {
    (void)state;
    ff_model *model = rolling(0.1);
    ff_sim *sim = started(model, FF_AUTO, 1e-7);
    go(sim, 0.2);
    ask_everything(model, sim);
    ask_at_once(model, sim);
    ff_shape_facts sphere = ff_model_shape(model, 0);
    assert_int_equal(sphere.body, 0);
    assert_true(sphere.radius > 0 && !sphere.name);
    assert_string_equal(ff_model_plane(model, 0).name, "floor");
    assert_true(ff_model_plane(model, 0).normal[2] == 1);
    finish(sim, model);
}

/* shapes are reported relative to the centre of mass, even if their frame has another origin */
static void test_shapes(void **state) {
    (void)state;
    ff_scene *scene = ff_scene_create();
    ff_body_def body = ff_body_def_default();
    body.name = "dumbbell";
    body.mass = 3;
    ff_scene_add_body(scene, &body);
    ff_scene_add_sphere(scene, 0, "small", (double[]){0, 0, 0}, 1);
    ff_scene_add_sphere(scene, 0, "large", (double[]){9, 0, 0}, 2);
    ff_model *model = compiled(scene);
    /* the volumes have the ratio 1 to 8: the centre of mass is at 8 */
    ff_shape_facts small = ff_model_shape(model, 0), large = ff_model_shape(model, 1);
    assert_string_equal(small.name, "small");
    assert_near(small.center[0], -8, 1e-14);
    assert_near(large.center[0], 1, 1e-14);
    ff_model_free(model);
}

static void test_a_crowd(void **state) {
    (void)state;
    ff_scene *scene = ff_scene_create();
    ff_grains_def grains = ff_grains_def_default();
    grains.name = "sand";
    grains.count = 300;
    grains.radius.a = 1e-3;
    grains.density = 2500;
    grains.to[0] = grains.to[1] = grains.to[2] = 0.03;
    ff_error error = {""};
    assert_true(ff_scene_add_grains(scene, &grains, &error) >= 0);
    add_floor(scene);
    add_pair(scene, "sand", "*", normal("hertz", (double[]){1e6, NAN}),
             friction("none", (double[]){NAN}));
    ff_run_options o = ff_run_options_default();
    o.method = FF_VERLET;
    o.events = false;
    o.dt = 1e-5;
    assert_int_equal(ff_scene_set_run(scene, &o), FF_OK);
    ff_model *model = compiled(scene);
    assert_true(ff_model_class_count(model) > 0);
    ff_sim *sim;
    assert_int_equal(ff_sim_create(model, NULL, &sim, &error), FF_OK);
    go(sim, 1e-3);
    ask_everything(model, sim);
    ask_at_once(model, sim);
    finish(sim, model);
}

static void test_joints(void **state) {
    (void)state;
    ff_scene *scene = ff_scene_create();
    ff_body_def body = ff_body_def_default();
    body.name = "bob";
    body.mass = 1;
    body.position[2] = -1;
    int bob = ff_scene_add_body(scene, &body);
    ff_scene_add_sphere(scene, bob, NULL, (double[]){0, 0, 0}, 0.1);
    ff_joint_def joint = ff_joint_def_default();
    joint.name = "pivot";
    joint.second = bob;
    joint.axis[1] = 1;
    joint.axis[2] = 0;
    joint.second_anchor[2] = 1;
    assert_int_equal(ff_scene_add_joint(scene, &joint), 0);
    ff_model *model = compiled(scene);
    ff_sim *sim = started(model, FF_AUTO, 1e-7);
    go(sim, 0.1);
    ask_everything(model, sim);
    ask_at_once(model, sim);
    finish(sim, model);
}

static void no_arguments(void *user, double t, const double *x, double *psi, double *theta) {
    (void)user, (void)t, (void)x, (void)psi, (void)theta;
}

static void decay(void *user, double t, const double *x, const double *contact, const double *slide,
                  double *dx) {
    (void)user, (void)t, (void)contact, (void)slide;
    dx[0] = -x[0];
}

static void test_an_inclusion(void **state) {
    (void)state;
    ff_error error = {""};
    ff_inclusion_def def = ff_inclusion_def_default();
    def.states = 1;
    def.start = (double[]){1};
    def.arguments = no_arguments;
    def.rates = decay;
    ff_model *model;
    ff_sim *sim;
    assert_int_equal(ff_inclusion_model(&def, &model, &error), FF_OK);
    def.size = 0;
    ff_model *refused = NULL;
    assert_int_equal(ff_inclusion_model(&def, &refused, &error), FF_BAD_VALUE);
    assert_null(refused);
    assert_int_equal(ff_sim_create(model, NULL, &sim, &error), FF_OK);
    assert_int_equal(ff_sim_advance(sim, 0.5), FF_OK);
    ask_everything(model, sim);
    ask_at_once(model, sim);
    finish(sim, model);
}

/* names of values outside an enum */
static void test_names(void **state) {
    (void)state;
    const int wrong[] = {-1, 100, INT_MAX, INT_MIN};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_null(ff_method_name((ff_method)wrong[i]));
        assert_null(ff_constraints_name((ff_constraints)wrong[i]));
        assert_null(ff_event_name((ff_event_kind)wrong[i]));
        assert_null(ff_reason_name((ff_reason)wrong[i]));
        assert_null(ff_joint_kind_name((ff_joint_kind)wrong[i]));
        assert_null(ff_field_kind_name((ff_field_kind)wrong[i]));
        assert_null(ff_formulation_name((ff_formulation)wrong[i]));
        assert_string_equal(ff_status_text((ff_status)-1000), "unknown status");
    }
    assert_null(ff_normal_law_at(SIZE_MAX));
    assert_null(ff_friction_law_at(SIZE_MAX));
    assert_null(ff_material_at(SIZE_MAX));
    ff_scene *scene = ff_scene_create();
    assert_null(ff_scene_group(scene, 0).name);
    assert_null(ff_scene_parameter(scene, 0).name);
    ff_scene_free(scene);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_scene),      cmocka_unit_test(test_shapes),
    cmocka_unit_test(test_a_crowd),      cmocka_unit_test(test_joints),
    cmocka_unit_test(test_an_inclusion), cmocka_unit_test(test_names),
};

CHECK_MAIN(tests)
