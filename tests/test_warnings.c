/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "scene_text.h"
#include "sim/sim.h"
#include <footfall/field.h>
#include <footfall/impact.h>
#include <footfall/material.h>
#include <footfall/warning.h>
#include <stdlib.h>

/* Warnings through the library's calls; each kind of warning is in tests/cli/warnings.sh. */

static const char ball[] = "bodies:\n"
                           "  ball: {mass: 154 kg, shape: {sphere: {radius: 1.65 cm}}, position: "
                           "[0, 0, 10 cm]}\n"
                           "ground: {floor: {plane: {normal: [0, 0, 1]}}}\n"
                           "pairs: [{between: [ball, floor], normal: {law: hertz, k: 8.5e9}}]\n";

static void test_model(void **state) {
    (void)state;
    ff_model *model = model_of_text(ball);
    ff_warning w = ff_model_warning(model, 0);
    assert_int_equal(w.kind, FF_WARN_DENSITY);
    assert_close(w.value, 154 / (4 * 3.14159265358979 / 3 * 0.0165 * 0.0165 * 0.0165), 1e-12);
    assert_true(w.limit < w.value && w.limit > 22590);
    assert_non_null(strstr(w.text, "body ball has 154 kg"));
    w = ff_model_warning(model, 1);
    assert_true(w.text[0] == '\0' && isnan(w.value));
    ff_model_free(model);
}

static void test_names(void **state) {
    (void)state;
    assert_string_equal(ff_warning_name(FF_WARN_UNPAIRED), "unpaired");
    assert_string_equal(ff_warning_name(FF_WARN_PARAMETER), "parameter");
    assert_null(ff_warning_name(FF_WARNING_KINDS));
}

/* Run options that differ from those of the scene. */
static void test_run(void **state) {
    (void)state;
    ff_model *model = model_of_text(ball);
    ff_run_options o = *ff_model_run(model);
    ff_sim *sim;
    o.method = FF_RK4;
    o.dt = 1e-2;
    assert_int_equal(ff_sim_create(model, &o, &sim, NULL), FF_OK);
    assert_int_equal(ff_sim_warning(sim, 0).kind, FF_WARN_STEP);
    assert_true(ff_sim_warning(sim, 1).text[0] == '\0');
    ff_sim_free(sim);
    assert_int_equal(ff_sim_create(model, NULL, &sim, NULL), FF_OK);
    assert_true(ff_sim_warning(sim, 0).text[0] == '\0');
    ff_sim_free(sim);
    ff_model_free(model);
}

/* Kinds of the warnings of a complete run, as bits; `first` is the first warning. */
static unsigned kinds_of_run(const ff_model *model, const ff_run_options *o, ff_warning *first) {
    ff_sim *sim;
    unsigned kinds = 0;
    assert_int_equal(ff_sim_create(model, o, &sim, NULL), FF_OK);
    while (ff_sim_time(sim) < o->until) {
        assert_true(ff_sim_advance(sim, o->until) >= 0);
    }
    *first = ff_sim_warning(sim, 0);
    ff_warning w;
    for (size_t i = 0; *(w = ff_sim_warning(sim, i)).text; i++) {
        kinds |= 1u << w.kind;
    }
    ff_sim_free(sim);
    return kinds;
}

static ff_model *linkage(const char *gravity, const char *formulation, const char *way) {
    ff_scene *scene;
    ff_model *model;
    const char *const settings[] = {gravity, formulation, way};
    assert_int_equal(
        ff_scene_read(FF_SOURCE_DIR "/tests/scenes/parallelogram.yaml", settings, 3, &scene, NULL),
        FF_OK);
    assert_int_equal(ff_model_create(scene, &model, NULL), FF_OK);
    ff_scene_free(scene);
    return model;
}

/* Rounding of constraint forces: 2^-52 m r^2 (1/I + 1/I) for anchors at a distance r from the centre. */
static void test_inertia(void **state) {
    (void)state;
    static const char scene[] =
        "bodies: {rod: {mass: 2, inertia: [%g, %g, %g], position: [0, 0, -0.5]}}\n"
        "joints: {hinge: {revolute: {between: [world, rod], second_anchor: "
        "[0, 0, 0.5], axis: [0, 1, 0]}}}\n"
        "run: {formulation: %s, tol: 1e-9}\n";
    char text[400];
    snprintf(text, sizeof text, scene, 1e-10, 1e-10, 1e-10, "maximal");
    ff_model *model = model_of_text(text);
    ff_warning w = ff_model_warning(model, 0);
    assert_int_equal(w.kind, FF_WARN_INERTIA);
    assert_close(w.value, 0x1p-52 * 2 * 0.25 * 2e10, 1e-12);
    assert_close(w.limit, 1e-7, 1e-12);
    assert_true(strstr(w.text, "body rod") && strstr(w.text, "joint hinge"));
    /* a looser tolerance of the run needs no warning of its own; a tighter one does */
    ff_run_options o = *ff_model_run(model);
    ff_sim *sim;
    o.tol = 1e-4;
    assert_int_equal(ff_sim_create(model, &o, &sim, NULL), FF_OK);
    assert_true(ff_sim_warning(sim, 0).text[0] == '\0');
    ff_sim_free(sim);
    o.tol = 1e-10;
    assert_int_equal(ff_sim_create(model, &o, &sim, NULL), FF_OK);
    assert_int_equal(ff_sim_warning(sim, 0).kind, FF_WARN_INERTIA);
    ff_sim_free(sim);
    ff_model_free(model);
    /* a thin rod, and joint coordinates */
    const struct {
        double across, along;
        const char *formulation;
    } cases[] = {{1e-3, 1e-14, "maximal"}, {1e-10, 1e-10, "articulated"}};
    for (size_t i = 0; i < ROWS(cases); i++) {
        snprintf(text, sizeof text, scene, cases[i].across, cases[i].across, cases[i].along,
                 cases[i].formulation);
        model = model_of_text(text);
        assert_holds(ff_model_warning(model, 0).text[0] == '\0', "%s",
                     ff_model_warning(model, 0).text);
        ff_model_free(model);
    }
}

/* Joints that do work: penalty with a soft mass, and augmented with steps that are too long. */
static void test_constraint(void **state) {
    (void)state;
    const struct {
        const char *way;
        double penalty, dt;
        unsigned kinds;
    } cases[] = {{"run.constraints=penalty", 1e7, 1e-3, 0},
                 {"run.constraints=penalty", 1e4, 1e-3, 1u << FF_WARN_CONSTRAINT},
                 {"run.constraints=augmented", 1e7, 1e-3, 0},
                 {"run.constraints=augmented", 1e7, 2e-2, 1u << FF_WARN_CONSTRAINT}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ff_model *model = linkage("gravity=[0, 0, -9.81]", "run.formulation=maximal", cases[i].way);
        ff_run_options o = *ff_model_run(model);
        ff_warning w;
        o.constraint_penalty = cases[i].penalty;
        o.method = FF_RK4;
        o.dt = cases[i].dt;
        assert_int_equal(kinds_of_run(model, &o, &w), cases[i].kinds);
        assert_true(!cases[i].kinds || (w.value > w.limit && w.value < 1e-3));
        ff_model_free(model);
    }
}

/* A planar linkage is determinate in its plane, but not across it: of 6 out-of-plane conditions for each loop 3
 * are redundant. */
static void test_reaction(void **state) {
    (void)state;
    const char *const ways[] = {"run.formulation=articulated", "run.formulation=maximal"};
    for (int i = 0; i < 2; i++) {
        for (int across = 0; across < 2; across++) {
            ff_model *model = linkage(across ? "gravity=[0, 2, -9.81]" : "gravity=[0, 0, -9.81]",
                                      ways[i], "run.constraints=index1");
            ff_warning w;
            assert_int_equal(kinds_of_run(model, ff_model_run(model), &w),
                             across ? 1u << FF_WARN_REACTION : 0);
            assert_true(!across || (w.value > 1e-3 && w.value <= 1 && w.limit < w.value));
            ff_model_free(model);
        }
    }
}

/* A steel ball on lead: materials can be queried, and pressures above their strength are reported, for a typical
 * impact and for the largest force of a run. Hertz: the contact area is pi R z. */
static void test_pressure(void **state) {
    (void)state;
    ff_model *model = model_of_text(
        "bodies: {ball: {mass: 154 g, shape: {sphere: {radius: 2 cm}}, position: [0, 0, 10 cm]}}\n"
        "ground: {floor: {plane: {normal: [0, 0, 1]}}}\n"
        "pairs: [{between: [ball, floor], normal: {law: hertz, material: [steel, lead]}}]\n"
        "run: {until: 0.2}\n");
    const ff_contact_facts f = ff_model_contact_facts(model, 0);
    assert_ptr_equal(f.materials[0], ff_material_find("steel"));
    assert_ptr_equal(f.materials[1], ff_material_find("lead"));
    ff_warning w = ff_model_warning(model, 0);
    ff_impact impact;
    assert_int_equal(ff_impact_solve(f.normal, f.mass, f.speed, &impact), FF_OK);
    assert_int_equal(w.kind, FF_WARN_PRESSURE);
    assert_close(w.value, impact.max_force / (3.14159265358979 * 0.02 * impact.max_depth), 1e-9);
    assert_true(w.limit == f.materials[1]->strength);
    assert_int_equal(kinds_of_run(model, ff_model_run(model), &w), 1u << FF_WARN_PRESSURE);
    ff_model_free(model);
    /* a pair without materials has none */
    model = model_of_text(ball);
    assert_null(ff_model_contact_facts(model, 0).materials[0]);
    ff_model_free(model);
}

/* Two balls that pass through each other: the time is reported, also after a restore. */
static void test_unpaired(void **state) {
    (void)state;
    ff_model *model = model_of_text(
        "gravity: [0, 0, 0]\n"
        "bodies:\n"
        "  a: {mass: 1 kg, shape: {sphere: {radius: 5 cm}}}\n"
        "  b: {mass: 1 kg, shape: {sphere: {radius: 5 cm}}, position: [-1, 0, 0.06], velocity: "
        "[10, 0, 0]}\n"
        "pairs: []\n"
        "run: {until: 1}\n");
    ff_sim *sim;
    assert_int_equal(ff_sim_create(model, NULL, &sim, NULL), FF_OK);
    assert_int_equal(ff_sim_advance(sim, 0.09), FF_OK);
    assert_true(ff_sim_warning(sim, 0).text[0] == '\0');
    void *before = malloc(ff_sim_state_size(sim)), *after = malloc(ff_sim_state_size(sim));
    assert_true(before && after);
    ff_sim_save(sim, before);
    assert_int_equal(ff_sim_advance(sim, 1), FF_OK);
    ff_sim_save(sim, after);
    for (int turn = 0; turn < 2; turn++) {
        const ff_warning w = ff_sim_warning(sim, 0);
        assert_int_equal(w.kind, FF_WARN_UNPAIRED);
        assert_close(w.value, 0.092, 1e-9);
        assert_true(ff_sim_warning(sim, 1).text[0] == '\0');
        assert_int_equal(ff_sim_restore(sim, before, ff_sim_state_size(sim)), FF_OK);
        assert_true(ff_sim_warning(sim, 0).text[0] == '\0');
        assert_int_equal(ff_sim_restore(sim, after, ff_sim_state_size(sim)), FF_OK);
    }
    free(before);
    free(after);
    ff_sim_free(sim);
    ff_model_free(model);
}

static void test_trace(void **state) {
    (void)state;
    ff_model *model = model_of_text(
        "bodies: {sand: {count: 202, radius: 1 mm, density: 2500, fill: {from: [0, 0, 0.1], to: "
        "[0.1, 0.1, 0.2]}}}\n"
        "pairs: [{between: [sand, sand], normal: {law: hertz, k: 1e6}}]\n");
    const ff_warning w = ff_model_warning(model, 0);
    assert_int_equal(w.kind, FF_WARN_TRACE);
    assert_true(w.value == 202 * 201 / 2 && w.limit == FF_CONTACTS_LISTED);
    ff_model_free(model);
}

/* What a run has seen behind a plane belongs to its state: a run that continues from a saved one says the same, also if the body has
 * come back. */
static void test_behind_is_saved(void **state) {
    (void)state;
    ff_model *model = model_of_text(
        "bodies: {bob: {mass: 1, inertia: 1, position: [0, 0, 0.5]}}\n"
        "ground: {floor: {plane: {normal: [0, 0, 1]}}}\n"
        "forces: {s: {spring: {body: bob, to: world, to_anchor: [0, 0, 0.1], stiffness: 100}}}\n"
        "gravity: [0, 0, 0]\n"
        "run: {until: 0.63}\n");
    ff_sim *sims[2];
    for (int i = 0; i < 2; i++) {
        assert_int_equal(ff_sim_create(model, NULL, &sims[i], NULL), FF_OK);
        assert_true(ff_sim_warning(sims[i], 0).text[0] == '\0');
    }
    /* z = 0.1 + 0.4 cos(10 t): behind from 0.1824 s to 0.4459 s, by up to 0.3 m */
    assert_int_equal(ff_sim_advance(sims[0], 0.3), FF_OK);
    const size_t size = ff_sim_state_size(sims[0]);
    char *block = malloc(size);
    ff_sim_save(sims[0], block);
    assert_int_equal(ff_sim_restore(sims[1], block, size), FF_OK);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(ff_sim_advance(sims[i], 0.63), FF_OK);
        assert_true(ff_sim_body(sims[i], 0).position[2] > 0.4);
        const ff_warning w = ff_sim_warning(sims[i], 0);
        assert_int_equal(w.kind, FF_WARN_BEHIND);
        assert_true(w.value > 0.25 && w.value <= 0.3 + 1e-9 && w.limit == 0);
        assert_string_equal(w.text, ff_sim_warning(sims[0], 0).text);
        assert_true(ff_sim_warning(sims[i], 1).text[0] == '\0');
    }
    /* blocks that no run can have written */
    const double wrong[] = {-1, 1, NAN};
    for (size_t i = 0; i < ROWS(wrong); i++) {
        sims[0]->now.behind[0].which = wrong[i];
        ff_sim_save(sims[0], block);
        assert_int_equal(ff_sim_restore(sims[1], block, size), FF_BAD_VALUE);
    }
    free(block);
    for (int i = 0; i < 2; i++) {
        ff_sim_free(sims[i]);
    }
    ff_model_free(model);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_unpaired), cmocka_unit_test(test_trace),
    cmocka_unit_test(test_pressure), cmocka_unit_test(test_constraint),
    cmocka_unit_test(test_inertia),  cmocka_unit_test(test_reaction),
    cmocka_unit_test(test_model),    cmocka_unit_test(test_names),
    cmocka_unit_test(test_run),      cmocka_unit_test(test_behind_is_saved),
};

CHECK_MAIN(tests)
