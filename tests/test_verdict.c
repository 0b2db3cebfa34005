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

/* the worst residual of a run counts: an error that is made good later fails it, with its time, also after a restart */
static void test_worst_counts(void **state) {
    (void)state;
    ff_model *model = model_of_text(located);
    ff_sim *sim, *other;
    ff_status status;
    double added = 0, since = 0;
    assert_int_equal(ff_sim_create(model, NULL, &sim, NULL), FF_OK);
    while ((status = ff_sim_advance(sim, 0.5)) == FF_EVENT) {
        const ff_event *event = ff_sim_event(sim);
        double *at = &sim->flow.y[model->slots[0].integral_at + FF_NORMAL_DAMPER];
        if (event->kind == FF_CLEAR && event->contact == 0 && added == 0) {
            *at += added = 1e-4 * ff_sim_ledger(sim).scale;
            since = event->time;
        } else if (event->kind == FF_TOUCHDOWN && event->contact == 0 && added > 0) {
            *at -= added;
            added = -1;
        }
    }
    assert_int_equal(status, FF_OK);
    assert_true(added == -1);
    const ff_ledger l = ff_sim_ledger(sim);
    assert_true(fabs(l.residual) < 1e-8 * l.scale);
    assert_told(sim, FF_NOT_CLOSED, "the energy ledger does not close: the residual was ");
    assert_true(sim->now.doubt.time >= since && sim->now.doubt.time < 0.5);
    assert_int_equal(ff_sim_create(model, NULL, &other, NULL), FF_OK);
    const size_t size = ff_sim_state_size(sim);
    void *block = malloc(size);
    ff_sim_save(sim, block);
    assert_int_equal(ff_sim_restore(other, block, size), FF_OK);
    assert_told(other, FF_NOT_CLOSED, ff_sim_error(sim));
    free(block);
    ff_sim_free(other);
    finish(sim, model);
}

/* Runs that are right within their absolute tolerances pass although what moves has much less energy than the scales stand for; and an error
 * of a hundredth of that energy is still a failure. */
static void test_small_motions(void **state) {
    (void)state;
    enum { PENDULUMS = 12 };
    static const char *const hows[] = {"tol: 1e-8", "tol: 1e-9", "tol: 1e-8, formulation: maximal",
                                       "tol: 1e-10, formulation: maximal"};
    for (size_t i = 0; i < PENDULUMS + 2; i++) {
        char text[700];
        if (i < PENDULUMS) {
            const double heights[] = {0, 10, 1e4};
            snprintf(text, sizeof text,
                     "bodies: {rod: {mass: 1e4 kg, inertia: 1e4*1/12}}\n"
                     "joints: {hinge: {revolute: {between: [world, rod], anchor: [0, 0, %g], "
                     "second_anchor: [0, 0, 0.5], axis: [0, 1, 0], angle: 0.01 deg}}}\n"
                     "forces: {idle: {constant: {body: rod, force: [0, 0, 0]}}}\n"
                     "run: {until: 20 s, %s}\n",
                     heights[i % 3], hows[i / 3]);
        } else {
            snprintf(text, sizeof text,
                     "gravity: [0, 0, 0]\n"
                     "bodies: {a: {mass: 1 kg, inertia: 1}}\n"
                     "forces: {f: {body: a, force: [\"1 N*sin(2*pi*t*50 Hz)\", 0, 0]}}\n"
                     "run: {until: %g s, tol: 1e-9}\n",
                     i == PENDULUMS ? 1. : 100.);
        }
        ff_model *model = model_of_text(text);
        ff_sim *sim = run(model, model->run.until);
        assert_holds(ff_sim_verdict(sim) == FF_OK, "%zu: %s", i, ff_sim_error(sim));
        if (i >= PENDULUMS) {
            /* x'' = sin(w t): v = (1 - cos(w t))/w = 0 at the end; at each step 3e-11 m/s are allowed */
            assert_near(ff_sim_body(sim, 0).velocity[0], 0, 2e-11);
        }
        sim->flow.y[model->run_at + FF_APPLIED_WORK] += 0.01 * ff_sim_ledger(sim).scale;
        assert_told(sim, FF_NOT_CLOSED, "the energy ledger does not close");
        finish(sim, model);
    }
}

/* What cannot move has no part in the judgement: neither its mass nor its place. */
static void test_what_cannot_move(void **state) {
    (void)state;
    static const char *const blocks[] = {
        "", "  block: {mass: 1e5 kg, inertia: 1, lock: [x, y, z, rotation]}\n",
        "  block: {mass: 1e5 kg, inertia: 1, position: [0, 0, 10 km], lock: [x, y, z, rotation]}\n",
        "  block: {mass: 1e5 kg, inertia: 1}\n"};
    double scale[4], permits[4];
    for (size_t i = 0; i < 4; i++) {
        char text[700];
        snprintf(text, sizeof text,
                 "bodies:\n  jaw: {mass: 2 g, inertia: 1e-5}\n%s"
                 "joints:\n  slide: {prismatic: {between: [world, jaw], axis: [1, 0, 0], motion: "
                 "\"5 cm*sin(t*(1 rad/s))\"}}\n%s"
                 "forces: {idle: {constant: {body: jaw, force: [0, 0, 0]}}}\n"
                 "run: {until: 2 s, tol: 1e-8}\n",
                 blocks[i],
                 i == 3 ? "  weld: {fixed: {between: [world, block], anchor: [0, 0, 10 km]}}\n"
                        : "");
        ff_model *model = model_of_text(text);
        ff_sim *sim = run(model, 2);
        assert_int_equal(ff_sim_verdict(sim), FF_OK);
        const ff_ledger l = ff_sim_ledger(sim);
        scale[i] = l.scale;
        permits[i] = ff_verdict_permits(sim, &l);
        /* the accounts include all bodies, the residual only those that move */
        assert_close(l.gravity + 1, (i > 1 ? 1e5 * 9.81 * 1e4 : 0) + 1, 1e-12);
        assert_close(l.initial + 1, l.gravity + 2.5e-6 + 1, 1e-12);
        assert_true(fabs(l.residual) < 1e-12);
        sim->flow.y[model->run_at + FF_APPLIED_WORK] += 1e-4 * l.scale;
        assert_told(sim, FF_NOT_CLOSED, "the energy ledger does not close");
        assert_true(scale[i] == scale[0] && permits[i] == permits[0]);
        finish(sim, model);
    }
    /* kinetic energy given, and taken back by the motor: m v^2/2 and its work */
    assert_close(scale[0], 2.5e-6, 0.3);
}

/* Asking for a verdict changes no result, also where the state is displaced to find what tolerances permit. */
static void test_no_trace(void **state) {
    (void)state;
    static const char *const hows[] = {"", ", formulation: maximal", ", method: rodas"};
    for (size_t i = 0; i < ROWS(hows); i++) {
        char text[900];
        snprintf(
            text, sizeof text,
            "bodies:\n"
            "  rod: {mass: 1e4 kg, inertia: 1e4*1/12}\n"
            "  tip: {mass: 1 kg, inertia: 0.1, shape: {sphere: {radius: 5 cm}}}\n"
            "ground: {floor: {plane: {normal: [0, 0, 1], point: [0, 0, -1.45]}}}\n"
            "joints:\n"
            "  hinge: {revolute: {between: [world, rod], second_anchor: [0, 0, 0.5], axis: [0, "
            "1, 0], angle: 0.01 deg}}\n"
            "  knee: {revolute: {between: [rod, tip], anchor: [0, 0, -0.5], second_anchor: [0, 0, "
            "0.5], axis: [0, 1, 0], angle: 0.4}}\n"
            "pairs: [{between: [tip, floor], normal: {law: hunt-crossley, k: 1e7, lambda: 1e6}, "
            "friction: {law: clutch, mu: 0.2, k: 1.5e7, damping: 1e4}}]\n"
            "run: {until: 1, tol: 1e-8%s}\n",
            hows[i]);
        ff_model *model = model_of_text(text);
        ff_sim *quiet = run(model, 0), *asked = run(model, 0);
        for (int k = 1; k <= 20; k++) {
            while (ff_sim_advance(quiet, 0.05 * k) == FF_EVENT) {
            }
            while (ff_sim_advance(asked, 0.05 * k) == FF_EVENT) {
            }
            const ff_ledger l = ff_sim_ledger(asked);
            ff_sim_verdict(asked);
            assert_true(ff_verdict_permits(asked, &l) > 0);
            assert_memory_equal(quiet->flow.y, asked->flow.y, model->size * sizeof(double));
        }
        assert_int_equal(quiet->flow.now.statistics.evaluations,
                         asked->flow.now.statistics.evaluations);
        ff_sim_free(quiet);
        finish(asked, model);
    }
}

static double sum3(const double v[3]) { return fabs(v[0]) + fabs(v[1]) + fabs(v[2]); }

/* What tolerances permit, by closed forms: sqrt(steps) times tol times the sum of scales times m v, I omega and forces. */
static void test_permitted(void **state) {
    (void)state;
    /* a free body: forces are m g, which is 0, and that of its spring */
    ff_model *model = model_of_text(
        "gravity: [0, 0, 0]\n"
        "bodies: {a: {mass: 2, inertia: 0.3, position: [1, 0, 0], velocity: [0.2, 0.5, 0], omega: "
        "[0, 3, 0]}}\n"
        "forces: {s: {spring: {body: a, to: world, stiffness: 40, rest: 0.9}}}\n"
        "run: {until: 0.3, tol: 1e-7}\n");
    ff_sim *sim = run(model, 0.3);
    ff_ledger l = ff_sim_ledger(sim);
    ff_motion m = ff_sim_body(sim, 0);
    const ff_extent *e = &sim->extents[0];
    double r = sqrt(m.position[0] * m.position[0] + m.position[1] * m.position[1]),
           steps = sqrt((double)ff_sim_statistics(sim).steps);
    double want = 1e-7 * steps *
                  (2 * sum3(m.velocity) * e->speed + 0.3 * sum3(m.omega) * e->turning +
                   40 * fabs(r - 0.9) / r * sum3(m.position) * e->length);
    assert_close(ff_verdict_permits(sim, &l), want, 1e-4);
    finish(sim, model);
    /* a pendulum: m g l sin(q), and (I + m l^2) omega */
    model = model_of_text("bodies: {a: {mass: 2, inertia: 0.3}}\n"
                          "joints: {j: {revolute: {between: [world, a], axis: [0, 1, 0], "
                          "second_anchor: [0, 0, 0.4], angle: 1}}}\n"
                          "run: {until: 0.3, tol: 1e-7}\n");
    sim = run(model, 0.3);
    l = ff_sim_ledger(sim);
    const ff_joint_record j = ff_sim_joint(sim, 0);
    steps = sqrt((double)ff_sim_statistics(sim).steps);
    want = 1e-7 * steps *
           (2 * 9.81 * 0.4 * fabs(sin(j.position[0])) +
            (0.3 + 2 * 0.16) * fabs(j.rate[0]) * sim->extents[0].turning);
    assert_close(ff_verdict_permits(sim, &l), want, 1e-4);
    finish(sim, model);
    /* more states than differences: as far from the sum as groups of components of different kinds are from equal ones */
    double one = 0;
    for (int count = 1; count <= 40; count += 39) {
        char text[8000], *at = text + sprintf(text, "gravity: [0, 0, 0]\nbodies:\n");
        for (int i = 0; i < count; i++) {
            at += sprintf(at, "  b%d: {mass: 2, inertia: 0.3, velocity: [1, 0, 0]}\n", i);
        }
        sprintf(at, "run: {until: 0.3, tol: 1e-7, max_step: 0.01}\n");
        model = model_of_text(text);
        sim = run(model, 0.3);
        l = ff_sim_ledger(sim);
        const double permits = ff_verdict_permits(sim, &l) / (double)count;
        one = count == 1 ? permits : one;
        assert_true(permits >= 0.5 * one && permits <= 3 * one);
        finish(sim, model);
    }
    /* fixed steps have no tolerance */
    model = model_of_text("bodies: {a: {mass: 2, inertia: 0.3, velocity: [1, 0, 0]}}\n"
                          "run: {until: 0.3, method: rk4, dt: 1 ms}\n");
    sim = run(model, 0.3);
    l = ff_sim_ledger(sim);
    assert_true(ff_verdict_permits(sim, &l) < 1e-11);
    finish(sim, model);
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
    cmocka_unit_test(test_worst_counts),
    cmocka_unit_test(test_small_motions),
    cmocka_unit_test(test_what_cannot_move),
    cmocka_unit_test(test_no_trace),
    cmocka_unit_test(test_permitted),
    cmocka_unit_test(test_saved),
};

CHECK_MAIN(tests)
