/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "motion.h"
#include <time.h>

static void expect_refusal(ff_scene *scene, const char *part) {
    ff_model *model;
    ff_error error = {""};
    assert_true(ff_model_create(scene, &model, &error) < 0);
    assert_holds(strstr(error.text, part) != NULL, "'%s' does not say '%s'", error.text, part);
    ff_scene_free(scene);
}

static void test_scenes_that_cannot_be(void **state) {
    (void)state;
    ff_scene *scene = ff_scene_create();
    ff_body_def def = ff_body_def_default();
    assert_int_equal(ff_scene_add_body(scene, &def), FF_BAD_VALUE);
    def.name = "a";
    def.mass = -1;
    assert_int_equal(ff_scene_add_body(scene, &def), FF_BAD_VALUE);
    assert_int_equal(ff_scene_add_sphere(scene, 3, NULL, (double[3]){0}, 1), FF_BAD_VALUE);
    assert_int_equal(
        ff_scene_add_plane(scene, &(ff_plane_def){.size = sizeof(ff_plane_def), .name = "p"}),
        FF_BAD_VALUE);
    def.mass = 1;
    assert_int_equal(ff_scene_add_body(scene, &def), 0);
    expect_refusal(scene, "no shape");

    scene = ff_scene_create();
    add_ball(scene, "a", 1, 1, (double[3]){0}, (double[3]){0});
    add_pair(scene, "a", "floor", azad(), (ff_friction){0});
    expect_refusal(scene, "'floor'");

    scene = ff_scene_create();
    add_ball(scene, "a", 1, 1, (double[3]){0}, (double[3]){0});
    add_ball(scene, "a", 1, 1, (double[]){5, 0, 0}, (double[3]){0});
    expect_refusal(scene, "two bodies");

    scene = ff_scene_create();
    add_ball(scene, "a", 1, 1, (double[3]){0}, (double[3]){0});
    add_floor(scene);
    add_pair(scene, "a*", "floor", azad(), (ff_friction){0});
    add_pair(scene, "*", "floor", azad(), (ff_friction){0});
    expect_refusal(scene, "equally well");

    scene = ff_scene_create();
    int box = ff_scene_add_body(scene, &def);
    assert_true(ff_scene_add_box(scene, box, (double[]){1, 1, 1}, 0.1) >= 0);
    add_ball(scene, "b", 1, 1, (double[]){5, 0, 0}, (double[3]){0});
    add_pair(scene, "a", "b", azad(), (ff_friction){0});
    expect_refusal(scene, "only spheres can touch spheres");
}

/* an exact name has precedence over a pattern */
static void test_exact_names_win(void **state) {
    (void)state;
    ff_scene *scene = ff_scene_create();
    add_ball(scene, "ball", 1, 0.1, (double[]){0, 0, 0.2}, (double[]){0, 0, -1});
    add_floor(scene);
    add_pair(scene, "b*", "floor", normal("linear", (double[]){1e4, 0, NAN, NAN}),
             (ff_friction){0});
    add_pair(scene, "ball", "floor", normal("linear", (double[]){1e4, 50, NAN, NAN}),
             (ff_friction){0});
    ff_model *model = compiled(scene);
    assert_int_equal(ff_model_contact_count(model), 1);
    assert_string_equal(ff_model_contact_name(model, 0), "ball/floor");
    ff_sim *sim = started(model, FF_AUTO, 1e-9);
    go(sim, 0.2);
    assert_true(ff_sim_ledger(sim).normal_damper > 0.01);
    finish(sim, model);
}

/* contacts are in the order of bodies, also if most bodies have no pair with each other */
static void test_order_of_contacts(void **state) {
    (void)state;
    enum { BODIES = 60 };
    ff_scene *scene = ff_scene_create();
    for (int i = 0; i < BODIES; i++) {
        char name[16];
        snprintf(name, sizeof name, "%c%d", "abcdd"[i * 7 % 5], i);
        add_ball(scene, name, 1, 0.1, (double[]){i, 0, 1}, (double[3]){0});
    }
    add_floor(scene);
    add_pair(scene, "a*", "b*", azad(), (ff_friction){0});
    add_pair(scene, "a*", "c*", azad(), (ff_friction){0});
    add_pair(scene, "c*", "floor", azad(), (ff_friction){0});
    ff_model *model = compiled(scene);
    size_t at = 0;
    for (int i = 0; i < BODIES; i++) {
        const char *a = ff_model_body_name(model, (size_t)i);
        char name[40];
        if (a[0] == 'c') {
            snprintf(name, sizeof name, "%s/floor", a);
            assert_string_equal(ff_model_contact_name(model, at++), name);
        }
        for (int j = i + 1; j < BODIES; j++) {
            const char *b = ff_model_body_name(model, (size_t)j);
            bool first = a[0] == 'a' && (b[0] == 'b' || b[0] == 'c'),
                 second = b[0] == 'a' && (a[0] == 'b' || a[0] == 'c');
            if (first || second) {
                snprintf(name, sizeof name, "%s/%s", first ? a : b, first ? b : a);
                assert_string_equal(ff_model_contact_name(model, at++), name);
            }
        }
    }
    assert_int_equal(at, ff_model_contact_count(model));
    assert_int_equal(ff_model_unpaired_count(model), 100);
    ff_model_free(model);
}

/* the minimum CPU time to compile a scene of so many bodies, s */
static double compile_time(int bodies, int pairs) {
    double least = INFINITY;
    ff_scene *scene = ff_scene_create();
    for (int i = 0; i < bodies; i++) {
        char name[16];
        snprintf(name, sizeof name, "b%d", i);
        add_ball(scene, name, 1, 0.1, (double[]){i, 0, 1}, (double[3]){0});
    }
    add_floor(scene);
    for (int i = 0; i < pairs; i++) {
        char name[16];
        snprintf(name, sizeof name, "b%d", i);
        add_pair(scene, name, "floor", azad(), (ff_friction){0});
    }
    for (int turn = 0; turn < 3; turn++) {
        ff_model *model;
        clock_t before = clock();
        assert_int_equal(ff_model_create(scene, &model, NULL), FF_OK);
        least = fmin(least, (double)(clock() - before) / CLOCKS_PER_SEC);
        ff_model_free(model);
    }
    ff_scene_free(scene);
    return least;
}

/* Compile time is linear in bodies without pairs, not quadratic: 16 times as many would take 256 times as long. */
static void test_many_bodies(void **state) {
    (void)state;
    double few = compile_time(5000, 0), many = compile_time(80000, 0);
    assert_holds(many < 64 * few, "16 times the bodies took %.0f times as long", many / few);
    few = compile_time(5000, 3);
    many = compile_time(80000, 3);
    assert_holds(many < 64 * few, "16 times the bodies took %.0f times as long", many / few);
    /* as many kinds as bodies: every two of them are considered, but not together with every pair */
    few = compile_time(100, 100);
    many = compile_time(800, 800);
    assert_holds(many < 192 * few, "8 times the pairs took %.0f times as long", many / few);
}

/* Definitions of a caller compiled with other headers: an older one lacks the last members, which then have their
 * defaults; one without a size, and one of a later version, are refused. */
static void test_sizes_of_definitions(void **state) {
    (void)state;
    ff_error error = {""};
    ff_model *model;
    ff_sim *sim;
    ff_scene *scene = ff_scene_create();
    ff_body_def body = ff_body_def_default();
    assert_int_equal(body.size, sizeof body);
    body.name = "ball";
    body.mass = 1;
    body.locked = FF_LOCK_X;
    body.omega[2] = 7;
    size_t sizes[] = {0, sizeof(size_t), sizeof body + 1, SIZE_MAX};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        body.size = sizes[i];
        assert_int_equal(ff_scene_add_body(scene, &body), FF_BAD_VALUE);
    }
    assert_int_equal(ff_scene_add_body(scene, NULL), FF_BAD_VALUE);
    /* an older version, without omega and locks */
    body.size = offsetof(ff_body_def, omega);
    assert_int_equal(ff_scene_add_body(scene, &body), 0);
    ff_scene_add_sphere(scene, 0, NULL, (double[]){0, 0, 0}, 0.1);
    assert_int_equal(ff_scene_add_plane(scene, &(ff_plane_def){.name = "p", .normal = {0, 0, 1}}),
                     FF_BAD_VALUE);
    assert_int_equal(ff_scene_add_pair(scene, &(ff_pair_def){.a = "a", .b = "b"}), FF_BAD_VALUE);
    assert_int_equal(ff_scene_add_grains(scene, &(ff_grains_def){.name = "g"}, &error),
                     FF_BAD_VALUE);
    assert_non_null(strstr(error.text, "size"));
    assert_int_equal(ff_scene_add_joint(scene, &(ff_joint_def){.name = "j"}), FF_BAD_VALUE);
    assert_int_equal(ff_scene_add_force(scene, &(ff_force_def){.name = "f"}), FF_BAD_VALUE);
    assert_int_equal(ff_scene_set_gait(scene, &(ff_gait_def){.limit = 1}), FF_BAD_VALUE);
    assert_int_equal(ff_scene_set_run(scene, &(ff_run_options){.until = 1}), FF_BAD_VALUE);
    assert_int_equal(ff_model_create(scene, &model, &error), FF_OK);
    assert_int_equal(ff_sim_create(model, &(ff_run_options){.until = 1}, &sim, &error),
                     FF_BAD_VALUE);
    assert_non_null(strstr(error.text, "size"));
    assert_int_equal(ff_sim_create(model, NULL, &sim, &error), FF_OK);
    ff_motion motion = ff_sim_body(sim, 0);
    assert_true(motion.omega[2] == 0);
    ff_sim_free(sim);
    ff_model_free(model);
    ff_scene_free(scene);

    /* defaults for a caller whose struct ends before `along` */
    union {
        ff_joint_def def;
        unsigned char bytes[sizeof(ff_joint_def)];
    } old;
    memset(&old, 0x5a, sizeof old);
    ff_joint_def_init(&old.def, offsetof(ff_joint_def, along));
    assert_int_equal(old.def.size, offsetof(ff_joint_def, along));
    assert_true(old.def.axis[2] == 1);
    for (size_t i = offsetof(ff_joint_def, along); i < sizeof old; i++) {
        assert_int_equal(old.bytes[i], 0x5a);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_sizes_of_definitions), cmocka_unit_test(test_order_of_contacts),
    cmocka_unit_test(test_many_bodies),          cmocka_unit_test(test_scenes_that_cannot_be),
    cmocka_unit_test(test_exact_names_win),
};

CHECK_MAIN(tests)
