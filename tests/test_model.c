/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "motion.h"

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
    assert_int_equal(ff_scene_add_plane(scene, &(ff_plane_def){.name = "p"}), FF_BAD_VALUE);
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
    expect_refusal(scene, "only spheres meet spheres");
}

/* an exact name beats a pattern */
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

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_scenes_that_cannot_be),
    cmocka_unit_test(test_exact_names_win),
};

CHECK_MAIN(tests)
