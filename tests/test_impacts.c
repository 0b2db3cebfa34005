/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "motion.h"
#include "scene_text.h"
#include <footfall/impact.h>
#include <stdlib.h>

/* Impact records of a run, compared with the theory of a single impact, which needs no steps. */

static ff_sim *advance(ff_sim *sim, double until) {
    ff_status status;
    while ((status = ff_sim_advance(sim, until)) == FF_EVENT) {
    }
    assert_int_equal(status, FF_OK);
    return sim;
}

static ff_sim *start(const ff_model *model) {
    ff_sim *sim;
    assert_int_equal(ff_sim_create(model, NULL, &sim, NULL), FF_OK);
    return sim;
}

#define DROP(law, run)                                                                             \
    "gravity: [0, 0, 0]\n"                                                                         \
    "bodies: {ball: {mass: 0.2, shape: {sphere: {radius: 0.05}}, position: [0, 0, 0.06], "         \
    "velocity: [0, 0, -2]}}\n"                                                                     \
    "ground: {floor: {plane: {normal: [0, 0, 1]}}}\n"                                              \
    "pairs: [{between: [ball, floor], normal: {" law "}}]\n" run

static void test_theory(void **state) {
    (void)state;
    static const char *const scenes[] = {
        DROP("law: azad-featherstone, k: 8.5e6, lambda: 3.1e3", "run: {until: 0.05}\n"),
        DROP("law: hunt-crossley, k: 1e6, lambda: 3e5", "run: {until: 0.05}\n"),
        DROP("law: hertz, k: 1e6", "run: {until: 0.05}\n"),
        /* the force is largest at touch-down */
        DROP("law: linear, k: 1e4, lambda: 80", "run: {until: 0.05}\n"),
        DROP("law: azad-featherstone, k: 8.5e6, lambda: 3.1e3",
             "run: {until: 0.05, method: rodas}\n"),
    };
    for (size_t i = 0; i < ROWS(scenes); i++) {
        ff_model *model = model_of_text(scenes[i]);
        ff_sim *sim = advance(start(model), 0.05);
        ff_impact theory;
        ff_contact_facts facts = ff_model_contact_facts(model, 0);
        assert_true(ff_impact_solve(facts.normal, 0.2, 2, &theory) >= 0);
        ff_impacts seen = ff_sim_impacts(sim, 0);
        assert_int_equal(seen.count, 1);
        /* steps are accurate to 1e-9 of the scales, and a peak is flat: its bracket leaves at most 1e-7 */
        assert_close(seen.force, theory.max_force, 1e-7);
        assert_close(seen.depth, theory.max_depth, 1e-7);
        assert_close(seen.contact_time, theory.contact_time, 1e-6);
        assert_int_equal(ff_sim_impact_count(sim), 1);
        ff_impact_record r = ff_sim_impact(sim, 0);
        assert_close(r.time, 0.005, 1e-9);
        assert_close(r.speed, 2, 1e-12);
        assert_close(r.restitution, theory.restitution, 1e-7);
        assert_close(r.contact_time, theory.contact_time, 1e-6);
        assert_int_equal(r.contact, 0);
        assert_int_equal(ff_sim_impact(sim, 1).contact, -1);
        assert_int_equal(ff_sim_impacts(sim, 1).count, 0);
        ff_sim_free(sim);
        ff_model_free(model);
    }
}

/* The maximum of the force at any place in a step, also near its ends. */
static void test_peaks_anywhere(void **state) {
    (void)state;
    static const char *const methods[] = {"dopri5", "dop853", "rodas"};
    for (size_t m = 0; m < ROWS(methods); m++) {
        char text[600];
        snprintf(text, sizeof text,
                 DROP("law: hunt-crossley, k: 1e6, lambda: 3e5", "run: {method: %s, tol: 1e-5}\n"),
                 methods[m]);
        ff_model *model = model_of_text(text);
        ff_impact theory;
        assert_true(ff_impact_solve(ff_model_contact_facts(model, 0).normal, 0.2, 2, &theory) >= 0);
        for (int i = 0; i < 100; i++) {
            ff_run_options o = *ff_model_run(model);
            ff_sim *sim;
            o.max_step = theory.contact_time * (0.05 + 0.005 * i);
            assert_int_equal(ff_sim_create(model, &o, &sim, NULL), FF_OK);
            advance(sim, 0.05);
            /* the force at a maximum depends on the square of errors in time; errors of the state, 1e-7, are left */
            assert_close(ff_sim_impacts(sim, 0).force, theory.max_force, 1e-6);
            ff_sim_free(sim);
        }
        ff_model_free(model);
    }
}

/* A step that begins and ends with the same force, with the maximum in its middle: z = A cos(w t), from w t = -0.2 to 0.2. */
static void test_symmetric_step(void **state) {
    (void)state;
    const double w = 1000, a = 1e-3;
    char text[600];
    snprintf(text, sizeof text,
             "gravity: [0, 0, 0]\n"
             "bodies: {ball: {mass: 1, shape: {sphere: {radius: 0.05}}, position: [0, 0, %.17g], "
             "velocity: [0, 0, %.17g]}}\n"
             "ground: {floor: {plane: {normal: [0, 0, 1]}}}\n"
             "pairs: [{between: [ball, floor], normal: {law: linear, k: 1e6, lambda: 0}}]\n"
             "run: {method: dop853, tol: 1e-6}\n",
             0.05 - a * cos(0.2), -a * w * sin(0.2));
    ff_model *model = model_of_text(text);
    ff_run_options o = *ff_model_run(model);
    ff_sim *sim;
    assert_int_equal(ff_sim_create(model, &o, &sim, NULL), FF_OK);
    advance(sim, 0.4 / w);
    assert_int_equal(ff_sim_statistics(sim).steps, 1);
    /* the interpolant of a step of 0.4 rad, of order 7 */
    assert_close(ff_sim_impacts(sim, 0).force, 1e6 * a, 1e-7);
    ff_sim_free(sim);
    ff_model_free(model);
}

/* Fixed steps record the values at their ends. */
static void test_fixed(void **state) {
    (void)state;
    ff_model *model =
        model_of_text(DROP("law: azad-featherstone, k: 8.5e6, lambda: 3.1e3",
                           "run: {until: 0.05, method: rk4, dt: 1 us, events: none}\n"));
    ff_sim *sim = advance(start(model), 0.05);
    ff_impact theory;
    assert_true(ff_impact_solve(ff_model_contact_facts(model, 0).normal, 0.2, 2, &theory) >= 0);
    ff_impacts seen = ff_sim_impacts(sim, 0);
    assert_int_equal(seen.count, 1);
    /* a step is 1/700 of the impact, and a peak is flat */
    assert_close(seen.force, theory.max_force, 1e-5);
    assert_close(seen.depth, theory.max_depth, 1e-5);
    assert_close(ff_sim_impact(sim, 0).restitution, theory.restitution, 1e-2);
    ff_sim_free(sim);
    ff_model_free(model);
}

static const char bouncing[] =
    "bodies: {ball: {mass: 0.154, shape: {sphere: {radius: 0.0165}}, position: [0, 0, 0.1], "
    "velocity: "
    "[0.5, 0, 0]}}\n"
    "ground: {floor: {plane: {normal: [0, 0, 1]}}}\n"
    "pairs: [{between: [ball, floor], normal: {law: azad-featherstone, k: 8.5e6, lambda: 3.1e3},\n"
    "  friction: {law: clutch, k: 12.75e6, damping: 3.1e3, mu: 0.2}}]\n"
    "run: {until: 1}\n";

/* A run that is saved and continued in another sim has the same impacts, bit for bit. */
static void test_saved(void **state) {
    (void)state;
    ff_model *model = model_of_text(bouncing);
    ff_sim *sim = start(model), *other = start(model);
    /* in the middle of the first impact */
    while (!ff_sim_contact(sim, 0).touching) {
        assert_true(ff_sim_step(sim, 1) >= 0);
    }
    for (int i = 0; i < 5; i++) {
        assert_true(ff_sim_step(sim, 1) >= 0);
    }
    assert_true(ff_sim_contact(sim, 0).touching);
    size_t size = ff_sim_state_size(sim);
    char *saved = malloc(size);
    ff_sim_save(sim, saved);
    assert_int_equal(ff_sim_restore(other, saved, size), FF_OK);
    advance(sim, 1);
    advance(other, 1);
    ff_impacts a = ff_sim_impacts(sim, 0), b = ff_sim_impacts(other, 0);
    assert_memory_equal(&a, &b, sizeof a);
    assert_true(a.count > 5 && a.slip_distance > 0);
    assert_int_equal(ff_sim_impact_count(sim), a.count);
    for (size_t i = 0; i < a.count && i < FF_IMPACTS_KEPT; i++) {
        ff_impact_record x = ff_sim_impact(sim, i), y = ff_sim_impact(other, i);
        /* an unfinished impact has no restitution yet */
        assert_true(
            x.time == y.time && x.speed == y.speed && x.contact_time == y.contact_time &&
            (x.restitution == y.restitution || (isnan(x.restitution) && isnan(y.restitution))));
        assert_true(i == 0 || x.time > ff_sim_impact(sim, i - 1).time);
    }
    free(saved);
    ff_sim_free(sim);
    ff_sim_free(other);
    ff_model_free(model);
}

/* A sphere that cannot rotate slides to rest: v^2/(2 mu g), minus the deflection of its tangential spring. */
static void test_slip(void **state) {
    (void)state;
    ff_model *model = model_of_text(
        "bodies: {block: {mass: 1, shape: {sphere: {radius: 0.1}}, position: [0, 0, "
        "0.09999019], velocity: [1, 0, 0], lock: [rotation]}}\n"
        "ground: {floor: {plane: {normal: [0, 0, 1]}}}\n"
        "pairs: [{between: [block, floor], normal: {law: linear, k: 1e6, lambda: 100},\n"
        "  friction: {law: clutch, k: 1e6, damping: 100, mu: 0.5}}]\n"
        "run: {until: 0.5}\n");
    ff_sim *sim = advance(start(model), 0.5);
    ff_impacts seen = ff_sim_impacts(sim, 0);
    /* it was in contact from the start */
    assert_int_equal(seen.count, 0);
    assert_near(seen.contact_time, 0.5, 1e-12);
    assert_close(seen.slip_distance, 1 / (2 * 0.5 * 9.81), 1e-4);
    ff_sim_free(sim);
    ff_model_free(model);
}

/* Sliding without friction under gravity with a part along the floor: |v|^2 = 5 ((t - 1/10)^2 + 1/25) with g = (1, 2) and v0 =
 * (-1/2, 0) has a closed integral, (|v| t' + ln(...)/5)/2. With g = (1, 0) the puck turns around at 1/2 s, a kink of |v|. */
static void test_slip_without_friction(void **state) {
    (void)state;
    static const char text[] =
        "gravity: [1, %d, -9.81]\n"
        "bodies: {puck: {mass: 1, shape: {sphere: {radius: 0.1}}, position: [0, 0, 0.09999019],\n"
        "  velocity: [-0.5, 0, 0]}}\n"
        "ground: {floor: {plane: {normal: [0, 0, 1]}}}\n"
        "pairs: [{between: [puck, floor], normal: {law: linear, k: 1e6, lambda: 100}}]\n";
    const double end[] = {0.9, -0.1};
    double curved = 0;
    for (int i = 0; i < 2; i++) {
        const double s = end[i], part = s * sqrt(s * s + 0.04) + 0.04 * asinh(s / 0.2);
        curved += (i == 0 ? 0.5 : -0.5) * sqrt(5) * part;
    }
    static const double tols[] = {1e-6, 1e-9, 1e-12};
    for (size_t i = 0; i < ROWS(tols); i++) {
        for (int turns = 0; turns < 2; turns++) {
            char full[1000];
            snprintf(full, sizeof full, text, turns ? 0 : 2);
            ff_model *model = model_of_text(full);
            ff_sim *sim = started(model, FF_AUTO, tols[i]);
            advance(sim, 1);
            /* tol of a distance of 1 m, and rounding in 20 steps */
            assert_near(ff_sim_impacts(sim, 0).slip_distance, turns ? 0.25 : curved,
                        tols[i] + 2e-13);
            ff_sim_free(sim);
            ff_model_free(model);
        }
    }
}

/* One oblique impact that slips, sticks and slips: methods agree as closely as the tolerance says. After touch-down explicit
 * methods make steps in a power of time. */
static void test_slip_converges(void **state) {
    (void)state;
    static const struct {
        ff_method method;
        double tol;
    } runs[] = {{FF_DOP853, 1e-12}, {FF_DOPRI5, 1e-6}, {FF_DOPRI5, 1e-9},
                {FF_DOP853, 1e-6},  {FF_RODAS, 1e-6},  {FF_AUTO, 1e-9}};
    double best = 0;
    for (size_t i = 0; i < ROWS(runs); i++) {
        ff_model *model = rolling(0.1);
        ff_sim *sim = started(model, runs[i].method, runs[i].tol);
        advance(sim, 0.15);
        const double slip = ff_sim_impacts(sim, 0).slip_distance;
        best = i == 0 ? slip : best;
        assert_close(slip, best, runs[i].tol);
        ff_sim_free(sim);
        ff_model_free(model);
    }
}

/* With a damper the force has its maximum before the depth turns; in some runs it is nearly equal at
 * both ends of a step there. All runs must find it. */
static void test_peak_before_the_turn(void **state) {
    (void)state;
    ff_model *model = model_of_text(
        "gravity: [0, 0.3, -9.81]\n"
        "bodies:\n"
        "  ball: {mass: 0.1, shape: {sphere: {radius: 0.02}}, position: [0, 0, 0.0201],\n"
        "    velocity: [0.5, 0.1, -1], omega: [20, 5, 30]}\n"
        "  other: {mass: 0.2, shape: {sphere: {radius: 0.03}}, position: [0.0482, 0.01, 0.031],\n"
        "    velocity: [-0.3, 0, 0], omega: [0, 0, -10]}\n"
        "ground:\n"
        "  floor: {plane: {normal: [0, 0, 1], surface_velocity: [0, 0.2, 0]}}\n"
        "pairs:\n"
        "- between: [ball, floor]\n"
        "  normal: {law: linear, k: 2.2e5, lambda: 30}\n"
        "  friction: {law: coulomb, mu: 0.3, v_ramp: 1e-2}\n"
        "  rolling: {mu_r: 0.02, k: 2e4, damping: 5}\n"
        "  twist: {mu_t: 0.3, v_ramp: 1e-3}\n"
        "- between: [ball, other]\n"
        "  normal: {law: linear, k: 2.2e5, lambda: 30}\n"
        "  friction: {law: coulomb, mu: 0.3, v_ramp: 1e-2}\n"
        "  rolling: {mu_r: 0.02, k: 2e4, damping: 5}\n"
        "  twist: {mu_t: 0.3, v_ramp: 1e-3}\n");
    double force[41], most = 0;
    for (size_t i = 0; i < ROWS(force); i++) {
        ff_sim *sim = started(model, FF_AUTO, pow(10, -9 - 0.1 * (double)i));
        advance(sim, 0.0025);
        force[i] = ff_sim_impacts(sim, 0).force;
        most = fmax(most, force[i]);
        ff_sim_free(sim);
    }
    for (size_t i = 0; i < ROWS(force); i++) {
        /* the bracket of a peak leaves at most 1e-7 */
        assert_close(force[i], most, 1e-7);
    }
    ff_model_free(model);
}

/* A step between two neighbouring times, as after a touch-down that is followed at once by another event: the distance
 * stays finite. The middle of the step is one of its ends, but the speed, 1 mm/s after 1 s, changes within it. */
static void test_slip_in_a_short_step(void **state) {
    (void)state;
    ff_model *model = model_of_text(
        "gravity: [1, 0, -9.81]\n"
        "bodies: {ball: {mass: 0.1, shape: {sphere: {radius: 0.02}},\n"
        "  position: [0, 0, 4.925], velocity: [-0.999, 0, 0]}}\n"
        "ground: {floor: {plane: {normal: [0, 0, 1]}}}\n"
        "pairs: [{between: [ball, floor], normal: {law: azad-featherstone, k: 1e6, lambda: 100},\n"
        "  friction: {law: coulomb, mu: 0.3}}]\n");
    ff_sim *sim = start(model);
    assert_int_equal(ff_sim_advance(sim, 2), FF_EVENT);
    const double touched = ff_sim_time(sim);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(ff_sim_advance(sim, nextafter(ff_sim_time(sim), 2)), FF_OK);
    }
    assert_true(ff_sim_time(sim) - touched < 1e-15);
    /* at 1 mm/s */
    assert_near(ff_sim_impacts(sim, 0).slip_distance, 0, 1e-18);
    ff_sim_free(sim);
    ff_model_free(model);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_theory),         cmocka_unit_test(test_peaks_anywhere),
    cmocka_unit_test(test_symmetric_step), cmocka_unit_test(test_fixed),
    cmocka_unit_test(test_saved),          cmocka_unit_test(test_peak_before_the_turn),
    cmocka_unit_test(test_slip),           cmocka_unit_test(test_slip_without_friction),
    cmocka_unit_test(test_slip_converges), cmocka_unit_test(test_slip_in_a_short_step),
};

CHECK_MAIN(tests)
