/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "scene_model.h"
#include "scene_text.h"
#include <footfall/footfall.h>

/* The choice of `auto` compared with each of its methods alone: by counted cost, which is the same on all
 * machines. bench/auto has more scenes, tolerances and errors. */

static ff_statistics run(const ff_model *model, ff_method method, double tol, double until) {
    ff_run_options o = *ff_model_run(model);
    ff_sim *sim;
    ff_status status;
    o.method = method;
    o.tol = tol;
    o.until = until;
    assert_int_equal(ff_sim_create(model, &o, &sim, NULL), FF_OK);
    while ((status = ff_sim_advance(sim, until)) == FF_EVENT) {
    }
    assert_int_equal(status, FF_OK);
    ff_statistics out = ff_sim_statistics(sim);
    ff_sim_free(sim);
    long reasons = 0;
    for (int i = 0; i < FF_REASONS; i++) {
        reasons += out.changes[i];
    }
    assert_true(reasons == out.switches && (method == FF_AUTO || out.switches == 0));
    return out;
}

/* auto costs at most `most` times as much as each method alone at the same tolerance */
static void assert_cheap(const ff_model *model, double tol, double until, double most) {
    static const ff_method methods[] = {FF_DOPRI5, FF_DOP853, FF_RODAS};
    const double cost = run(model, FF_AUTO, tol, until).cost;
    for (size_t i = 0; i < ROWS(methods); i++) {
        double alone = run(model, methods[i], tol, until).cost;
        assert_holds(cost <= most * alone, "tol %g: %.0f, and %.0f by %s", tol, cost, alone,
                     ff_method_name(methods[i]));
    }
}

/* A mechanism whose accounts limit the steps: implicit steps cost 65 evaluations and are not longer. auto, once 10
 * times as expensive, is now within a quarter: trials, and the margin that prevents frequent changes of the
 * method. */
static void test_quadruped(void **state) {
    (void)state;
    ff_model *model = scene_model("quadruped", NULL, 0);
    assert_cheap(model, 1e-5, 0.3, 1.25);
    assert_cheap(model, 1e-7, 0.3, 1.25);
    assert_cheap(model, 1e-9, 0.3, 1.25);
    ff_model_free(model);
}

#define STIFF                                                                                      \
    "bodies: {ball: {mass: 1, shape: {sphere: {radius: 5 cm}}, position: [0, 0, 5.2 cm],"          \
    " velocity: [0.3, 0.1, 0]}}\n"                                                                 \
    "ground: {floor: {plane: {normal: [0.05, 0, 1]}}}\n"                                           \
    "pairs: [{between: [ball, floor], normal: {law: hunt-crossley, k: 1e7, lambda: 1e7},"          \
    " friction: %s}]\n"

/* A ramp of 1e-5 m/s has rates of 3e5/s: explicit methods take ten times as long */
static void test_stiff_friction(void **state) {
    (void)state;
    char text[1000];
    snprintf(text, sizeof text, STIFF, "{law: coulomb, mu: 0.3, v_ramp: 1e-5}");
    ff_model *model = model_of_text(text);
    for (int i = 0; i < 3; i++) {
        static const double tols[] = {1e-4, 1e-6, 1e-8};
        ff_statistics seen = run(model, FF_AUTO, tols[i], 1);
        assert_true(seen.changes[FF_REASON_STIFF] > 0 && seen.method_steps[FF_RODAS] > 100);
        assert_true(seen.cost < run(model, FF_RODAS, tols[i], 1).cost);
        assert_true(seen.cost < 0.3 * run(model, FF_DOPRI5, tols[i], 1).cost);
    }
    ff_model_free(model);
}

/* dop853 if the tolerance requires it, otherwise only dopri5 */
static void test_smooth_stretches(void **state) {
    (void)state;
    ff_model *model = scene_model("foot", NULL, 0);
    assert_int_equal(run(model, FF_AUTO, 1e-6, 0.7).method_steps[FF_DOP853], 0);
    ff_statistics fine = run(model, FF_AUTO, 1e-11, 0.7);
    assert_true(fine.changes[FF_REASON_SMOOTH] > 0 && fine.changes[FF_REASON_EVENT] > 0);
    assert_true(fine.cost < 0.4 * run(model, FF_DOPRI5, 1e-11, 0.7).cost);
    assert_cheap(model, 1e-11, 0.7, 1.25);
    ff_model_free(model);
}

/* A block held by friction against a growing force and then sliding: rates fall from 1e6/s to those of a soft
 * ground without any event. Implicit steps end there. */
static void test_back_without_an_event(void **state) {
    (void)state;
    ff_model *model = model_of_text(
        "bodies: {block: {mass: 1, inertia: 1, lock: rotation, shape: {sphere: {radius: 0.1}},"
        " position: [0, 0, 0.09019]}}\n"
        "ground: {floor: {plane: {normal: [0, 0, 1]}}}\n"
        "pairs: [{between: [block, floor], normal: {law: linear, k: 1e3, lambda: 60},"
        " friction: {law: coulomb, mu: 0.3, v_ramp: 3e-6}}]\n"
        "forces: {drag: {table: {body: block, force: [6, 0, 0], times: [0, 2], factors: [0, "
        "1]}}}\n");
    ff_statistics stuck = run(model, FF_AUTO, 1e-6, 0.9), all = run(model, FF_AUTO, 1e-6, 2);
    assert_int_equal(all.events, 0);
    assert_true(stuck.method_steps[FF_RODAS] > 0 && stuck.changes[FF_REASON_COST] == 0);
    assert_true(all.changes[FF_REASON_COST] > 0);
    assert_true(all.method_steps[FF_DOPRI5] > stuck.method_steps[FF_DOPRI5]);
    ff_model_free(model);
}

/* At loose tolerances friction chatters for a while before it sticks, differently at each tolerance. The first implicit
 * steps are no longer than those of dopri5 then, and trials that were broken off there once made some of these runs 15
 * times as expensive as rodas. Twice: auto takes dopri5 through the chatter after each of two touch-downs. */
static void test_chatter(void **state) {
    (void)state;
    ff_model *model = scene_model("biped", NULL, 0);
    for (int i = 0; i < 10; i++) {
        static const double tols[] = {5e-5, 3e-4,   6e-4,   7e-4, 9e-4,
                                      1e-3, 1.2e-3, 1.3e-3, 2e-3, 3e-3};
        const double cost = run(model, FF_AUTO, tols[i], 1).cost,
                     alone = run(model, FF_RODAS, tols[i], 1).cost;
        assert_holds(cost < 2 * alone, "tol %g: %.0f, and %.0f by rodas", tols[i], cost, alone);
    }
    ff_model_free(model);
}

/* A clutch with little damping relaxes at 1e9/s while it slips. At 1e-3 steps of dopri5 beyond its stability limit pass the
 * error control and end in spurious events, 140,000 in all where rodas has 24: repeated events must not hide that
 * stability limits the steps. */
static void test_spurious_events(void **state) {
    (void)state;
    ff_model *model =
        model_of_text("gravity: [0, 0, 0]\n"
                      "bodies:\n"
                      "  a: {mass: 11.3, shape: {sphere: {radius: 0.1}}, position: [0, 0, 0.60001],"
                      " velocity: [0, 0, -0.2], omega: [0, 22.86, 0]}\n"
                      "  b: {mass: 1413.7, shape: {sphere: {radius: 0.5}}}\n"
                      "pairs: [{between: [a, b], normal: {law: tsuji, k: 1.5e10, lambda: 2e5},"
                      " friction: {law: clutch, mu: 0.4, k: 1.8e10, damping: 18}}]\n");
    ff_statistics seen = run(model, FF_AUTO, 1e-3, 1.3e-3);
    assert_true(seen.events < 1000);
    assert_true(seen.cost < 5 * run(model, FF_RODAS, 1e-3, 1.3e-3).cost);
    ff_model_free(model);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_quadruped),        cmocka_unit_test(test_stiff_friction),
    cmocka_unit_test(test_smooth_stretches), cmocka_unit_test(test_back_without_an_event),
    cmocka_unit_test(test_chatter),          cmocka_unit_test(test_spurious_events),
};

CHECK_MAIN(tests)
