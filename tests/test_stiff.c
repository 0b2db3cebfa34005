/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "check.h"
#include "io/scene_file.h"
#include <footfall/footfall.h>
#include <stdlib.h>

/* Scenes that are stiff, or that implicit methods gave up on: all of them end, by every method that can do it, and their
 * ledgers close as the tolerance says. */

static ff_model *model_of(const char *text) {
    ff_scene *scene;
    ff_model *model;
    ff_error error = {""};
    assert_int_equal(ff_scene_parse("text", text, strlen(text), NULL, 0, &scene, NULL), FF_OK);
    if (ff_model_create(scene, &model, &error) != FF_OK) {
        fail_msg("%s", error.text);
    }
    ff_scene_free(scene);
    return model;
}

typedef struct {
    ff_motion body[2];
    ff_ledger ledger;
    ff_statistics statistics;
    ff_event first; /* of all events */
} outcome;

static outcome run(const ff_model *model, ff_method method, double tol) {
    ff_run_options o = *ff_model_run(model);
    outcome out = {.first = {.time = NAN}};
    ff_sim *sim;
    ff_status status;
    o.method = method;
    o.tol = tol;
    assert_int_equal(ff_sim_create(model, &o, &sim), FF_OK);
    while ((status = ff_sim_advance(sim, o.until)) == FF_EVENT) {
        if (isnan(out.first.time)) {
            out.first = *ff_sim_event(sim);
        }
    }
    assert_holds(status == FF_OK, "%s at %g stopped at %g s", ff_method_name(method), tol,
                 ff_sim_time(sim));
    for (size_t i = 0; i < 2 && i < ff_model_body_count(model); i++) {
        out.body[i] = ff_sim_body(sim, i);
    }
    out.ledger = ff_sim_ledger(sim);
    out.statistics = ff_sim_statistics(sim);
    ff_sim_free(sim);
    return out;
}

static double residual(const outcome *seen) {
    return fabs(seen->ledger.residual) / seen->ledger.scale;
}

/* ---- two spheres ---- */

/* Two free spheres graze, the clutch has little damping: steps that resolve k/damping would be millions. */
static const char *const two_spheres =
    "gravity: [0, 0, 0]\n"
    "bodies:\n"
    "  a: {mass: 11.3, shape: {sphere: {radius: 0.1}}, position: [0, 0, 0.60001],"
    " velocity: [0, 0, -0.2], omega: [0, 22.86, 0]}\n"
    "  b: {mass: 1413.7, shape: {sphere: {radius: 0.5}}}\n"
    "pairs: [{between: [a, b], normal: {law: tsuji, k: 1.5e10, lambda: 2e5},"
    " friction: {law: clutch, mu: 0.4, k: 1.8e10, damping: 18}}]\n"
    "run: {until: 1.3 ms}\n";

static void test_two_spheres_with_a_stiff_clutch(void **state) {
    (void)state;
    static const ff_method methods[] = {FF_AUTO, FF_RODAS, FF_ROSENBROCK, FF_TRAPEZOID};
    ff_model *model = model_of(two_spheres);
    outcome fine = run(model, FF_RODAS, 1e-10);
    for (size_t i = 0; i < ROWS(methods); i++) {
        double tol = methods[i] == FF_TRAPEZOID ? 1e-6 : 1e-8;
        outcome seen = run(model, methods[i], tol);
        assert_holds(seen.statistics.steps < 10000, "%s: %ld steps", ff_method_name(methods[i]),
                     seen.statistics.steps);
        assert_true(residual(&seen) < 10 * tol);
        /* speeds against 0.2 m/s and 22.86 rad/s, a hundred tolerances for what adds up over hundreds of steps */
        for (int c = 0; c < 3; c++) {
            assert_near(seen.body[0].velocity[c], fine.body[0].velocity[c], 100 * tol * 0.2);
            assert_near(seen.body[0].omega[c], fine.body[0].omega[c], 100 * tol * 22.86);
        }
        /* total momentum and angular momentum, which forces at one common point keep */
        for (int c = 0; c < 3; c++) {
            double p = 11.3 * seen.body[0].velocity[c] + 1413.7 * seen.body[1].velocity[c];
            assert_near(p, c == 2 ? -0.2 * 11.3 : 0, 1e-12);
        }
    }
    ff_model_free(model);
}

/* RODAS has order 4 only with all of the Jacobian: two balls that press on each other, roll and turn, all the time in
 * one mode. Errors against a fine run by another method; the steps tell the order. */
static void test_rodas_keeps_its_order_with_two_spheres(void **state) {
    (void)state;
    ff_model *model =
        model_of("gravity: [0, 0, 0]\n"
                 "bodies:\n"
                 "  a: {mass: 1, inertia: [0.004, 0.005, 0.006], shape: {sphere: {radius: 0.1}},"
                 " position: [0, 0, 0.19], velocity: [0.3, 0.1, 0], omega: [1, 2, 3]}\n"
                 "  b: {mass: 2, shape: {sphere: {radius: 0.1}}, omega: [-1, 1, 0.5]}\n"
                 "pairs: [{between: [a, b], normal: {law: hunt-crossley, k: 1e4, lambda: 1e3},"
                 " friction: {law: clutch, mu: 5, k: 1e4, damping: 100}}]\n"
                 "forces:\n"
                 "  hold: {spring: {body: a, to: b, stiffness: 3000, rest: 1 cm, damping: 1}}\n"
                 "run: {until: 0.05}\n");
    outcome exact = run(model, FF_DOP853, 1e-13);
    double off[2], steps[2];
    for (int i = 0; i < 2; i++) {
        outcome seen = run(model, FF_RODAS, i ? 1e-9 : 1e-5);
        off[i] = 0;
        for (int c = 0; c < 3; c++) {
            off[i] = fmax(off[i], fabs(seen.body[0].velocity[c] - exact.body[0].velocity[c]));
        }
        steps[i] = (double)seen.statistics.steps;
    }
    double order = log(off[0] / off[1]) / log(steps[1] / steps[0]);
    assert_holds(order > 3.5, "order %.2f, errors %.2g %.2g in %g and %g steps", order, off[0],
                 off[1], steps[0], steps[1]);
    ff_model_free(model);
}

/* ---- every method that can do it ends ---- */

static void test_a_ball_on_a_ramp_by_every_method(void **state) {
    (void)state;
    static const ff_method methods[] = {FF_AUTO,  FF_DOPRI5,     FF_DOP853,
                                        FF_RODAS, FF_ROSENBROCK, FF_TRAPEZOID};
    static const char *const laws[] = {
        "normal: {law: azad-featherstone, k: 8.5e6, lambda: 3.1e3}",
        "normal: {law: tsuji, k: 8.5e6, lambda: 500}",
        "normal: {law: linear, k: 2e5, lambda: 100}, friction: {law: clutch, mu: 0.4, k: 3e5,"
        " damping: 100}",
        "normal: {law: tsuji, k: 8.5e6, lambda: 500}, friction: {law: bengisu-akay, mu_s: 0.4,"
        " mu: 0.3, v0: 1e-3}",
        "normal: {law: lee-wang, k: 8.5e6, lambda: 3e4}, friction: {law: sat, mu: 0.4, k: 3e5,"
        " beta: 1e-4}"};
    for (size_t i = 0; i < ROWS(laws); i++) {
        char text[1000];
        snprintf(text, sizeof text,
                 "bodies:\n"
                 "  ball: {mass: 154 g, shape: {sphere: {radius: 1.65 cm}},"
                 " position: [-2 cm, 0, 2 cm], velocity: [5, 0, 4.9]}\n"
                 "ground: {ramp: {plane: {normal: [-1, 0, 1]}}}\n"
                 "pairs: [{between: [ball, ramp], %s}]\n"
                 "run: {until: 0.4 s}\n",
                 laws[i]);
        ff_model *model = model_of(text);
        for (size_t j = 0; j < ROWS(methods); j++) {
            for (double tol = 1e-9; tol < 1.5e-5; tol *= 10) {
                outcome seen = run(model, methods[j], tol);
                /* the trapezoidal rule of order 2 takes tens of thousands of steps, whose errors add up */
                assert_holds(residual(&seen) < 100 * tol, "law %zu by %s at %g: residual %g", i,
                             ff_method_name(methods[j]), tol, residual(&seen));
                assert_true(seen.statistics.steps < 50000);
            }
        }
        ff_model_free(model);
    }
}

/* a box whose corners hit: touch-down at z = 0 to the last bit, where the slopes of a clutch are 0/0 */
static void test_a_box_by_every_method(void **state) {
    (void)state;
    static const ff_method methods[] = {
        FF_DOP853,
        FF_RODAS,
        FF_ROSENBROCK,
        FF_TRAPEZOID,
#if FF_HAVE_SUNDIALS
        FF_ARKODE_DIRK,
        FF_CVODE_BDF
#endif
    };
    ff_model *model = model_of(
        "bodies:\n"
        "  box: {mass: 1, shape: {box: {size: [0.1, 0.06, 0.04], corner_radius: 0.005}},"
        " position: [0, 0, 0.1], omega: [1, 2, 3]}\n"
        "ground: {floor: {plane: {normal: [0, 0, 1]}}}\n"
        "pairs: [{between: [box, floor], normal: {law: azad-featherstone, k: 1e6, lambda: 1e3},"
        " friction: {law: clutch, mu: 0.3, k: 1.5e6, damping: 1e3}}]\n"
        "run: {until: 0.15}\n");
    outcome want = run(model, FF_DOPRI5, 1e-10);
    for (size_t i = 0; i < ROWS(methods); i++) {
        outcome seen = run(model, methods[i], 1e-7);
        assert_holds(seen.statistics.steps < 20000, "%s: %ld steps", ff_method_name(methods[i]),
                     seen.statistics.steps);
        /* each corner that hits doubles errors: as in test_methods */
        for (int c = 0; c < 3; c++) {
            assert_near(seen.body[0].position[c], want.body[0].position[c], 3e-5);
            assert_near(seen.body[0].velocity[c], want.body[0].velocity[c], 3e-4);
        }
        assert_true(residual(&seen) < 1e-5);
    }
    ff_model_free(model);
}

#if FF_HAVE_YAML
static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_two_spheres_with_a_stiff_clutch),
    cmocka_unit_test(test_rodas_keeps_its_order_with_two_spheres),
    cmocka_unit_test(test_a_ball_on_a_ramp_by_every_method),
    cmocka_unit_test(test_a_box_by_every_method),
};

CHECK_MAIN(tests)
#else
int main(void) { return 0; }
#endif
