/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "check.h"
#include "motion.h"

/* Interpretations of Azad and Featherstone 2010 that are options, on its rolling sphere (docs/theory.md, Readings
 * of the papers). Differences from the default are those of an independent solution, to its known digits. */

enum { PASSIVE = 4, UNLOADED, BETWEEN };

static ff_model *sphere(int option, ff_lever lever, bool stateful) {
    double values[] = {0.2, 12.75e6, 3.1e3, 0.1, NAN, NAN, NAN};
    if (option) {
        values[option] = 1;
    }
    ff_scene *scene = ff_scene_create();
    ff_scene_set_gravity(scene, (double[]){0, 0, -9.81});
    add_ball(scene, "ball", 0.154, 0.0165, (double[]){0, 0, 0.1}, (double[]){0.5, 0.5, 0});
    add_floor(scene);
    ff_pair_def pair = {.size = sizeof(ff_pair_def),
                        .a = "ball",
                        .b = "floor",
                        .normal = azad(),
                        .friction = friction("clutch", values),
                        .lever = lever,
                        .stateful = stateful};
    assert_true(ff_scene_add_pair(scene, &pair) >= 0);
    return compiled(scene);
}

static double way(int option, double *last_slip) {
    ff_model *model = sphere(option, FF_LEVER_RADIUS, false);
    ff_sim *sim = started(model, FF_AUTO, 1e-11);
    while (ff_sim_advance(sim, 1) == FF_EVENT) {
        const ff_event *event = ff_sim_event(sim);
        *last_slip = event->kind == FF_CLEAR ? event->time : *last_slip;
    }
    ff_ledger l = ff_sim_ledger(sim);
    assert_true(fabs(l.residual) < 1e-10 * l.scale);
    double x = ff_sim_body(sim, 0).position[0];
    assert_near(ff_sim_body(sim, 0).velocity[0], 5.0 / 14, 1e-10);
    finish(sim, model);
    return x;
}

static void test_readings_of_friction(void **state) {
    (void)state;
    double ends[3];
    double usual = way(0, &ends[0]), dry = way(UNLOADED, &ends[1]), held = way(BETWEEN, &ends[2]);
    /* 2.8e-6 m and 2.3e-5 m, as rounded */
    assert_near(usual - dry, 2.8e-6, 0.05e-6);
    assert_near(usual - held, 2.3e-5, 0.05e-5);
    assert_near(ends[0], 0.5951352432515317, 1e-9);
    assert_near(ends[1], 0.5951352432515356, 1e-9);
    assert_near(ends[2], 0.5951352432515481, 1e-9);
}

/* while the force is clamped there is a little friction, or none */
static void test_friction_without_load(void **state) {
    (void)state;
    for (int option = 0; option <= UNLOADED; option += UNLOADED) {
        ff_model *model = sphere(option, FF_LEVER_RADIUS, false);
        ff_sim *sim = started(model, FF_AUTO, 1e-10);
        double lift = next_event(sim, FF_LIFTOFF);
        assert_int_equal(ff_sim_advance(sim, lift + 1e-4), FF_OK);
        ff_contact_record c = ff_sim_contact(sim, 0);
        assert_true(c.depth > 0 && c.force[2] == 0);
        assert_true(option ? c.force[0] == 0 : fabs(c.force[0]) > 1e-3);
        finish(sim, model);
    }
}

/* u at touch-down is that at the end of the previous contact, or 0 */
static void test_u_between_contacts(void **state) {
    (void)state;
    for (int option = 0; option <= BETWEEN; option += BETWEEN) {
        ff_model *model = sphere(option, FF_LEVER_RADIUS, false);
        ff_sim *sim = started(model, FF_AUTO, 1e-10);
        next_event(sim, FF_CLEAR);
        next_event(sim, FF_TOUCHDOWN);
        double u = ff_sim_contact(sim, 0).u[0];
        /* the value at z = 0 of an independent solution */
        assert_near(u, option ? -2.9e-6 : 0, 0.05e-6);
        finish(sim, model);
    }
}

/* lever r - z for velocity and moment alike: no energy is created, and rolling has no slip at that lever */
static void test_lever(void **state) {
    (void)state;
    ff_model *model = sphere(0, FF_LEVER_DEFORMED, false);
    ff_sim *sim = started(model, FF_AUTO, 1e-11);
    go(sim, 1);
    ff_ledger l = ff_sim_ledger(sim);
    assert_true(fabs(l.residual) < 1e-10 * l.scale);
    ff_motion m = ff_sim_body(sim, 0);
    ff_contact_record c = ff_sim_contact(sim, 0);
    assert_true(c.depth > 1e-7);
    assert_near(m.velocity[0], (0.0165 - c.depth) * m.omega[1], 1e-11);
    assert_near(c.slip[0], 0, 1e-11);
    assert_true(fabs(m.velocity[0] - 5.0 / 14) > 1e-3);
    finish(sim, model);
}

/* A passive clutch keeps pushing while its spring is loaded: the force ends with the contact. On a ground with its
 * own state it ends when the whole force of the ground ends. Regrade and created are 0. */
static void test_passive(void **state) {
    (void)state;
    for (int stateful = 0; stateful < 2; stateful++) {
        ff_model *model = sphere(PASSIVE, FF_LEVER_RADIUS, stateful);
        ff_sim *sim = started(model, FF_AUTO, 1e-10);
        int contacts = 0;
        double lift = -1;
        while (ff_sim_advance(sim, 0.5) == FF_EVENT) {
            const ff_event *event = ff_sim_event(sim);
            contacts += event->kind == FF_TOUCHDOWN;
            if (event->kind == FF_LIFTOFF) {
                lift = event->time;
                assert_near(ff_sim_contact(sim, 0).force[2], 0, stateful ? 1e-9 : 1e9);
            }
            if (event->kind == FF_CLEAR) {
                assert_true(event->time == lift);
            }
        }
        ff_ledger l = ff_sim_ledger(sim);
        assert_true(contacts >= 4 && fabs(l.residual) < 1e-9 * l.scale);
        assert_true(l.regrade == 0 && l.created == 0);
        finish(sim, model);
    }
}

/* regrade and created of a ball hit by a moving plane, after one contact */
static ff_ledger met(const char *name, const double *values, double tol) {
    ff_scene *scene = ff_scene_create();
    add_ball(scene, "ball", 0.154, 0.0165, (double[]){0, 0, 0.03}, (double[]){0.5, 0.5, 0});
    ff_plane_def plane = {.size = sizeof(ff_plane_def),
                          .name = "floor",
                          .normal = {0, 0, 1},
                          .velocity = {0, 0, 0.5}};
    assert_true(ff_scene_add_plane(scene, &plane) >= 0);
    add_pair(scene, "ball", "floor", azad(), friction(name, values));
    ff_model *model = compiled(scene);
    ff_sim *sim = started(model, FF_AUTO, tol);
    go(sim, 0.05);
    ff_ledger l = ff_sim_ledger(sim);
    assert_true(fabs(l.residual) < fmax(10 * tol, 1e-9) * l.scale);
    finish(sim, model);
    return l;
}

/* long steps distinguish the two as well as short ones */
static void test_parts_of_long_steps(void **state) {
    (void)state;
    static const struct {
        const char *name;
        double values[FF_LAW_PARAMS];
    } laws[] = {{"clutch", {0.2, 12.75e6, 3.1e3, 0.1, NAN, NAN, NAN}},
                {"dahl", {0.2, 2e4}},
                {"lugre", {0.2, 2e4, 2, 1}}};
    for (size_t i = 0; i < ROWS(laws); i++) {
        ff_ledger want = met(laws[i].name, laws[i].values, 1e-11);
        ff_ledger seen = met(laws[i].name, laws[i].values, 1e-6);
        assert_holds(want.regrade > 1e-6 * want.scale && want.created < -1e-5 * want.scale,
                     "%s: %g, %g of %g", laws[i].name, want.regrade, want.created, want.scale);
        /* to the tolerance of the energies that steps control */
        assert_near(seen.regrade, want.regrade, 1e-6 * want.scale);
        assert_near(seen.created, want.created, 1e-6 * want.scale);
    }
}

/* At any time, also within steps: losses never decrease, and created energy never increases. */
static void test_regrade_and_created_go_one_way(void **state) {
    (void)state;
    static const struct {
        const char *name;
        double values[FF_LAW_PARAMS];
    } laws[] = {{"clutch", {0.2, 12.75e6, 3.1e3, 0.1, NAN, NAN, NAN}},
                {"dahl", {0.2, 2e4}},
                {"lugre", {0.2, 2e4, 2, 1}}};
    for (size_t i = 0; i < ROWS(laws); i++) {
        ff_model *model = ball_on_floor(0.154, 0.0165, 0.03, (double[]){0.5, 0.5, 0}, 9.81, azad(),
                                        friction(laws[i].name, laws[i].values));
        ff_sim *sim = started(model, FF_AUTO, 1e-7);
        double regrade = 0, created = 0, ends[2] = {0};
        while (ff_sim_time(sim) < 0.06) {
            double from = ff_sim_time(sim);
            assert_true(ff_sim_step(sim, 0.06) >= 0);
            double to = ff_sim_time(sim);
            for (int k = 1; k <= 16; k++) {
                ff_sim_observe(sim, k < 16 ? from + (to - from) * k / 16 : to);
                ff_ledger l = ff_sim_ledger(sim);
                /* within a step to the accuracy of its interpolant; from end to end exactly */
                double slack = 1e-7 * l.scale;
                assert_holds(
                    l.regrade >= regrade - slack && l.created <= created + slack,
                    "%s, %d/16 of the step to %g s: regrade %g after %g, created %g after %g",
                    laws[i].name, k, to, l.regrade, regrade, l.created, created);
                regrade = fmax(l.regrade, regrade);
                created = fmin(l.created, created);
            }
            ff_ledger l = ff_sim_ledger(sim);
            assert_true(l.regrade >= ends[0] && l.created <= ends[1]);
            ends[0] = l.regrade;
            ends[1] = l.created;
        }
        assert_true(regrade > 1e-6 && created < -1e-6);
        finish(sim, model);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_readings_of_friction),
    cmocka_unit_test(test_friction_without_load),
    cmocka_unit_test(test_u_between_contacts),
    cmocka_unit_test(test_lever),
    cmocka_unit_test(test_passive),
    cmocka_unit_test(test_parts_of_long_steps),
    cmocka_unit_test(test_regrade_and_created_go_one_way),
};

CHECK_MAIN(tests)
