/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "ledger/ledger.h"
#include "scene_text.h"
#include "sim/sim.h"
#include <stdlib.h>

/* Runs that cannot be trusted: the verdict of ff_sim_verdict(), and the contact that it names. */

static ff_sim *run(const ff_model *model, double until) {
    ff_sim *sim;
    ff_status status;
    assert_int_equal(ff_sim_create(model, NULL, &sim, NULL), FF_OK);
    while ((status = ff_sim_advance(sim, until)) == FF_EVENT) {
    }
    assert_int_equal(status, FF_OK);
    return sim;
}

static void finish(ff_sim *sim, ff_model *model) {
    ff_sim_free(sim);
    ff_model_free(model);
}

#define TWO_BALLS                                                                                  \
    "bodies:\n"                                                                                    \
    "  a: {mass: 1 kg, shape: {sphere: {radius: 5 cm}}, position: [0, 0, 20 cm]}\n"                \
    "  b: {mass: 1 kg, shape: {sphere: {radius: 5 cm}}, position: [1, 0, 30 cm]}\n"                \
    "ground: {floor: {plane: {normal: [0, 0, 1]}}}\n"                                              \
    "pairs: [{between: ['*', floor], normal: {law: hunt-crossley, k: 1e7, lambda: 1e6}}]\n"

static const char located[] = TWO_BALLS "run: {until: 0.5, tol: 1e-9}\n";

static void assert_told(ff_sim *sim, ff_status status, const char *text) {
    assert_int_equal(ff_sim_verdict(sim), status);
    const char *why = ff_sim_error(sim);
    assert_holds(strstr(why, text) != NULL, "'%s' does not say '%s'", why, text);
}

static void test_limits(void **state) {
    (void)state;
    ff_run_options o = ff_run_options_default();
    assert_close(ff_ledger_limit(&o), 1e-6, 1e-15);
    o.tol = 1e-7;
    assert_close(ff_ledger_limit(&o), 1e-4, 1e-15);
    o.events = false;
    assert_true(ff_ledger_limit(&o) == 1e-2);
    o.events = true;
    o.method = FF_RK4;
    assert_true(ff_ledger_limit(&o) == 1e-2);
}

/* observations by hand: which contact is held responsible for the growth of the residual, and when it grew most */
static void test_blame(void **state) {
    (void)state;
    double held[] = {0, 0}, taken[] = {9, 9}, blamed[] = {9, 9, 9}, part;
    ff_leak leak = {2, held, taken, blamed};
    ff_leak_now now;
    char when[FF_LEAK_TIME];
    ff_leak_begin(&leak, &now, 0, 0);
    /* the first exchanges most energy, then the second, then neither */
    memcpy(held, (double[]){1, 0.5}, sizeof held);
    ff_leak_note(&leak, &now, 0.125, 1);
    memcpy(held, (double[]){1.125, 0.25}, sizeof held);
    ff_leak_note(&leak, &now, -0.125, 2);
    ff_leak_note(&leak, &now, -0.0625, 3);
    assert_memory_equal(blamed, ((double[]){0.125, -0.25, 0.0625}), sizeof blamed);
    /* no change since then: it is the second */
    assert_int_equal(ff_leak_worst(&leak, &now, -0.0625, 4, &part, when), 1);
    assert_true(part == -0.25);
    assert_string_equal(when, "from 1 to 2 s");
    /* since the last observation the first exchanged most: the growth is attributed to it, temporarily */
    held[0] = 2;
    for (int turn = 0; turn < 2; turn++) {
        assert_int_equal(ff_leak_worst(&leak, &now, 0.4375, 4, &part, when), 0);
        assert_true(part == 0.625);
        assert_string_equal(when, "from 3 to 4 s");
    }
    assert_int_equal(ff_leak_worst(&leak, &now, 0.4375, 3 + 1e-9, &part, when), 0);
    assert_string_equal(when, "at 3 s");
    /* and a restart clears everything */
    ff_leak_begin(&leak, &now, 0.25, 5);
    assert_int_equal(ff_leak_worst(&leak, &now, 0.25, 5, &part, when), 2);
    assert_true(part == 0);
}

/* an account with a known error, of either contact, is found and named, with its time */
static void test_contact_that_leaks(void **state) {
    (void)state;
    ff_model *model = model_of_text(located);
    for (size_t i = 0; i < 2; i++) {
        ff_sim *sim;
        ff_status status;
        bool broken = false;
        assert_int_equal(ff_sim_create(model, NULL, &sim, NULL), FF_OK);
        while ((status = ff_sim_advance(sim, 0.5)) == FF_EVENT) {
            const ff_event *event = ff_sim_event(sim);
            if (!broken && event->kind == FF_CLEAR && event->contact == (int)i) {
                double scale = ff_sim_ledger(sim).scale;
                /* first within the limit */
                double *at = &sim->flow.y[model->slots[i].integral_at + FF_NORMAL_DAMPER];
                *at += 0.9e-6 * scale;
                assert_int_equal(ff_sim_verdict(sim), FF_OK);
                assert_string_equal(ff_sim_error(sim), "");
                *at += 1e-3 * scale;
                broken = true;
            }
        }
        assert_int_equal(status, FF_OK);
        assert_told(sim, FF_NOT_CLOSED,
                    i ? "is from contact b/floor;" : "is from contact a/floor;");
        assert_told(sim, FF_NOT_CLOSED, "the energy ledger does not close: the residual -");
        assert_told(sim, FF_NOT_CLOSED, " of scale, above 1e-06; ");
        ff_sim_free(sim);
    }
    ff_model_free(model);
}

/* each account in turn; state functions through the state */
static void test_every_account_counts(void **state) {
    (void)state;
    ff_model *model = model_of_text(
        "bodies:\n"
        "  a: {mass: 1 kg, shape: {sphere: {radius: 5 cm}}, position: [0, 0, 20 cm]}\n"
        "  b: {mass: 1 kg, shape: {sphere: {radius: 5 cm}}, position: [1, 0, 30 cm]}\n"
        "ground: {floor: {plane: {normal: [0, 0, 1], surface_velocity: [0.3, 0, 0]}}}\n"
        "pairs: [{between: ['*', floor], normal: {law: hunt-crossley, k: 1e7, lambda: 1e6}, "
        "friction: {law: clutch, mu: 0.2, k: 1.5e7, damping: 1e4}}]\n"
        "forces: {idle: {constant: {body: a, force: [0, 0, 0]}}}\n"
        "run: {until: 0.5, tol: 1e-9}\n");
    ff_sim *sim = run(model, 0.5);
    const ff_slot *slot = &model->slots[0];
    ff_books *books = &sim->phase.books[0];
    assert_int_equal(ff_sim_verdict(sim), FF_OK);
    assert_true(books->regrade > 0 && books->created < 0);
    double *places[32] = {&sim->flow.y[model->body_at[0] + FF_P + 2],
                          &sim->flow.y[model->body_at[1] + FF_VEL],
                          &sim->flow.y[model->run_at + FF_DAMPER_WORK],
                          &sim->flow.y[model->run_at + FF_APPLIED_WORK],
                          &books->release,
                          &books->cut,
                          &books->regrade,
                          &books->created};
    size_t count = 8;
    for (int k = 0; k < FF_CONTACT_INTEGRALS; k++) {
        assert_true(slot->integral[k] >= 0);
        /* graded work counts while a contact is loaded */
        if (k != FF_GRADED_WORK) {
            places[count++] = &sim->flow.y[slot->integral_at + (size_t)slot->integral[k]];
        }
    }
    for (size_t i = 0; i < count; i++) {
        double kept = *places[i];
        *places[i] += 0.1;
        assert_int_equal(ff_sim_verdict(sim), FF_NOT_CLOSED);
        *places[i] = NAN;
        assert_int_equal(ff_sim_verdict(sim), FF_NOT_FINITE);
        *places[i] = kept;
        assert_int_equal(ff_sim_verdict(sim), FF_OK);
    }
    sim->flow.y[model->body_at[1] + FF_OMEGA] = INFINITY;
    assert_told(sim, FF_NOT_FINITE, "the motion of body b is not finite");
    finish(sim, model);
}

/* steps that are too long: on NaN the run ends in its last good state */
static void test_steps_that_blow_up(void **state) {
    (void)state;
    ff_model *model = model_of_text(TWO_BALLS "run: {until: 0.5, method: verlet, dt: 5e-3}\n");
    ff_sim *sim = run(model, 0.5);
    assert_told(sim, FF_NOT_CLOSED, ", above 0.01; the largest part");
    assert_told(sim, FF_NOT_CLOSED, "/floor; it grew most from ");
    assert_told(sim, FF_NOT_CLOSED, "a smaller dt, or method auto, would help");
    finish(sim, model);
    model =
        model_of_text("bodies:\n"
                      "  a: {mass: 1 g, shape: {sphere: {radius: 5 cm}}, position: [0, 0, 6 cm]}\n"
                      "ground: {floor: {plane: {normal: [0, 0, 1]}}}\n"
                      "pairs: [{between: [a, floor], normal: {law: hertz, k: 1e9}}]\n"
                      "forces: {down: {spring: {body: a, to: world, stiffness: 1e9}}}\n"
                      "run: {until: 1, method: euler, dt: 1 ms, events: none}\n");
    assert_int_equal(ff_sim_create(model, NULL, &sim, NULL), FF_OK);
    ff_status status;
    while ((status = ff_sim_advance(sim, 1)) == FF_EVENT) {
    }
    assert_int_equal(status, FF_NOT_FINITE);
    assert_true(strncmp(ff_sim_error(sim), "a step further ", 15) == 0);
    assert_true(ff_sim_time(sim) < 1 && isfinite(ff_sim_body(sim, 0).velocity[2]));
    finish(sim, model);
}

/* gravity is counted from the start: a scene 1 km up has the same scale, and a leak is equally visible */
static void test_scale_does_not_know_the_height(void **state) {
    (void)state;
    double scale[2];
    char text[600];
    for (int up = 0; up < 2; up++) {
        const double z = up ? 1000 : 0;
        snprintf(
            text, sizeof text,
            "bodies: {a: {mass: 1 kg, shape: {sphere: {radius: 5 cm}}, position: [0, 0, %.17g]}}\n"
            "ground: {floor: {plane: {normal: [0, 0, 1], point: [0, 0, %g]}}}\n"
            "pairs: [{between: [a, floor], normal: {law: hunt-crossley, k: 1e7, lambda: 1e6}}]\n"
            "forces: {idle: {constant: {body: a, force: [0, 0, 0]}}}\n"
            "run: {until: 0.5, tol: 1e-9}\n",
            z + 0.2, z);
        ff_model *model = model_of_text(text);
        ff_sim *sim = run(model, 0.5);
        assert_int_equal(ff_sim_verdict(sim), FF_OK);
        scale[up] = ff_sim_ledger(sim).scale;
        sim->flow.y[model->run_at + FF_APPLIED_WORK] += 3e-6 * scale[up];
        assert_told(sim, FF_NOT_CLOSED, "is from applied forces (account external);");
        finish(sim, model);
    }
    /* the largest sum is found at observations, every eighth step, whose times depend on rounding */
    assert_close(scale[1], scale[0], 1e-3);
    assert_true(scale[0] < 4);
}

/* a scene almost at rest has almost no scale, and rounding is not a failure */
static void test_rest(void **state) {
    (void)state;
    static const char *const texts[] = {
        "bodies: {a: {mass: 1 kg, inertia: 1, position: [0, 0, 1 km]}}\n"
        "gravity: [0, 0, 0]\n",
        "bodies: {a: {mass: 1 kg, inertia: 1, position: [0.3, 0, -1]}}\n"
        "joints: {j: {revolute: {between: [world, a], axis: [0, 1, 0], anchor: [0.3, 0, 0], "
        "second_anchor: [0, 0, 1]}}}\n",
        "bodies: {a: {mass: 1 kg, inertia: 1, position: [0.3, 0, -1]}}\n"
        "joints: {j: {revolute: {between: [world, a], axis: [0, 1, 0], anchor: [0.3, 0, 0], "
        "second_anchor: [0, 0, 1]}}}\n"
        "run: {formulation: maximal}\n",
    };
    for (size_t i = 0; i < ROWS(texts); i++) {
        ff_model *model = model_of_text(texts[i]);
        ff_sim *sim = run(model, 0);
        assert_int_equal(ff_sim_verdict(sim), FF_OK);
        ff_sim_free(sim);
        sim = run(model, 1);
        assert_holds(ff_sim_verdict(sim) == FF_OK, "%zu: %s", i, ff_sim_error(sim));
        finish(sim, model);
    }
}

/* the responsible contact survives a checkpoint, also in a crowd */
static void test_saved(void **state) {
    (void)state;
    static const char crowd[] =
        "bodies:\n"
        "  balls: {count: 40, radius: 5 mm, density: 1000, fill: {from: "
        "[0, 0, 0], to: [4 cm, 4 cm, 8 cm]}}\n"
        "ground: {floor: {plane: {normal: [0, 0, 1]}}}\n"
        "pairs:\n"
        "  - {between: [balls, floor], normal: {law: hunt-crossley, k: 1e6, lambda: 1e5}}\n"
        "  - {between: [balls, balls], normal: {law: hunt-crossley, k: 1e6, lambda: 1e5}}\n"
        "run: {until: 0.4, method: verlet, dt: 1e-3, events: none}\n";
    static const char *const texts[] = {TWO_BALLS "run: {until: 0.4, method: verlet, dt: 5e-3}\n",
                                        crowd};
    for (size_t i = 0; i < ROWS(texts); i++) {
        ff_model *model = model_of_text(texts[i]);
        ff_sim *whole = run(model, 0.3), *other = run(model, 0.1);
        size_t size = ff_sim_state_size(whole);
        void *block = malloc(size);
        assert_true((model->crowd != NULL) == (i == 1));
        ff_sim_save(whole, block);
        assert_int_equal(ff_sim_restore(other, block, size), FF_OK);
        free(block);
        assert_int_equal(ff_sim_advance(whole, 0.4) | ff_sim_advance(other, 0.4), FF_OK);
        assert_told(whole, FF_NOT_CLOSED, i ? "is from contact balls/" : "is from contact ");
        assert_told(other, FF_NOT_CLOSED, ff_sim_error(whole));
        ff_sim_free(other);
        finish(whole, model);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_limits),
    cmocka_unit_test(test_blame),
    cmocka_unit_test(test_contact_that_leaks),
    cmocka_unit_test(test_every_account_counts),
    cmocka_unit_test(test_steps_that_blow_up),
    cmocka_unit_test(test_scale_does_not_know_the_height),
    cmocka_unit_test(test_rest),
    cmocka_unit_test(test_saved),
};

CHECK_MAIN(tests)
