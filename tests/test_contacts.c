/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "motion.h"
#include "sim/sim.h"

/* Several contacts at once: no event is missed, and every run ends. */

/* a missed event shows in the residual first; the largest of these scenes is 2e-10 */
static void assert_closes(ff_sim *sim) {
    ff_ledger l = ff_sim_ledger(sim);
    assert_holds(fabs(l.residual) < 1e-9 * l.scale, "residual %.2g of scale",
                 fabs(l.residual) / l.scale);
}

static int count_events(ff_sim *sim, double until, ff_event_kind kind) {
    int count = 0;
    ff_status status;
    while ((status = ff_sim_advance(sim, until)) == FF_EVENT) {
        count += ff_sim_event(sim)->kind == kind;
    }
    assert_holds(status == FF_OK, "%s: %s", ff_status_text(status), ff_sim_error(sim));
    return count;
}

static ff_friction frictionless(void) { return friction("none", NULL); }

static void add_wall(ff_scene *scene, const char *name, double x, double z) {
    double length = sqrt(x * x + z * z);
    assert_true(ff_scene_add_plane(scene, &(ff_plane_def){.size = sizeof(ff_plane_def),
                                                          .name = name,
                                                          .normal = {x / length, 0, z / length}}) >=
                0);
}

/* A ball that falls into a groove closes two contacts, often within one step; it comes to rest in the middle,
 * where each wall carries m g/(2 cos 45). */
static void test_groove(void **state) {
    (void)state;
    for (int i = 0; i < 20; i++) {
        const double k = 1e7, m = 0.1, r = 0.02;
        ff_scene *scene = ff_scene_create();
        add_ball(scene, "ball", m, r, (double[]){0.001 * i - 0.01, 0, 0.08 + 0.01 * i},
                 (double[]){0.1 * i - 1, 0, 0});
        add_wall(scene, "left", 1, 1);
        add_wall(scene, "right", -1, 1);
        add_pair(scene, "ball", "*", normal("azad-featherstone", (double[]){k, 6e3, NAN, NAN}),
                 frictionless());
        ff_model *model = compiled(scene);
        ff_sim *sim = started(model, FF_AUTO, 1e-9);
        assert_true(count_events(sim, 3, FF_TOUCHDOWN) >= 6);
        assert_closes(sim);
        ff_motion ball = ff_sim_body(sim, 0);
        double depth = pow(m * 9.81 / sqrt(2) / k, 2.0 / 3);
        /* 3 s are about 40 time constants of the slower mode */
        assert_near(ball.position[0], 0, 1e-8);
        assert_near(ball.position[2], (r - depth) * sqrt(2), 1e-8);
        finish(sim, model);
    }
}

/* Newton's cradle: with gaps, equal balls exchange their velocities one after the other; without gaps momentum and
 * energy are conserved. Without damping e = 1. */
static void test_cradle(void **state) {
    (void)state;
    enum { BALLS = 5 };
    for (int gaps = 0; gaps < 2; gaps++) {
        const double m = 0.1, r = 0.02, v = 1.5;
        ff_scene *scene = ff_scene_create();
        ff_scene_set_gravity(scene, (double[]){0, 0, 0});
        for (int i = 0; i < BALLS; i++) {
            char name[16];
            snprintf(name, sizeof name, "b%d", i);
            double x = i == 0 ? -0.1 : i * 2 * r * (gaps ? 1.01 : 1);
            add_ball(scene, name, m, r, (double[]){x, 0, 0}, (double[]){i == 0 ? v : 0, 0, 0});
        }
        add_pair(scene, "*", "*", normal("hertz", (double[]){1e9, NAN}), frictionless());
        ff_model *model = compiled(scene);
        ff_sim *sim = started(model, FF_AUTO, 1e-10);
        int touchdowns = count_events(sim, 0.2, FF_TOUCHDOWN);
        double momentum = 0, energy = 0;
        for (size_t i = 0; i < BALLS; i++) {
            double u = ff_sim_body(sim, i).velocity[0];
            momentum += m * u;
            energy += m * u * u / 2;
            if (gaps) {
                assert_near(u, i == BALLS - 1 ? v : 0, 1e-8);
            }
        }
        assert_true(gaps ? touchdowns == BALLS - 1 : touchdowns >= BALLS - 1);
        assert_near(momentum, m * v, 1e-12);
        assert_near(energy, m * v * v / 2, 1e-9);
        assert_closes(sim);
        finish(sim, model);
    }
}

/* Balls dropped on top of each other come to rest at the depths that carry their weights: (i m g/k)^(2/3). */
static void test_stack(void **state) {
    (void)state;
    enum { BALLS = 4 };
    const double m = 0.1, r = 0.02, k = 1e7;
    ff_scene *scene = ff_scene_create();
    for (int i = 0; i < BALLS; i++) {
        char name[16];
        snprintf(name, sizeof name, "b%d", i);
        add_ball(scene, name, m, r, (double[]){0, 0, r + 2 * r * i + 0.001 * (i + 1)},
                 (double[]){0, 0, 0});
    }
    add_floor(scene);
    add_pair(scene, "*", "*", normal("azad-featherstone", (double[]){k, 8e3, NAN, NAN}),
             frictionless());
    ff_model *model = compiled(scene);
    ff_sim *sim = started(model, FF_AUTO, 1e-9);
    count_events(sim, 3, FF_TOUCHDOWN);
    assert_closes(sim);
    double height = r;
    for (int i = 0; i < BALLS; i++) {
        height -= pow((BALLS - i) * m * 9.81 / k, 2.0 / 3);
        assert_near(ff_sim_body(sim, (size_t)i).position[2], height, 1e-8);
        height += 2 * r;
    }
    finish(sim, model);
}

/* A ball thrown down under upward gravity turns back at a known depth: just inside the plane it touches once, at a
 * known time; just outside it does not touch. */
static void test_graze_of_a_plane(void **state) {
    (void)state;
    for (int inside = 0; inside < 2; inside++) {
        const double r = 0.02, g = 10, fall = 0.3, depth = inside ? 1e-9 : -1e-9;
        const double v = sqrt(2 * g * (fall + depth));
        ff_scene *scene = ff_scene_create();
        ff_scene_set_gravity(scene, (double[]){0, 0, g});
        add_ball(scene, "ball", 0.1, r, (double[]){0, 0, r + fall}, (double[]){0, 0, -v});
        add_floor(scene);
        /* so soft that its force at that depth is negligible */
        add_pair(scene, "ball", "floor", normal("linear", (double[]){1, 0, NAN, NAN}),
                 frictionless());
        ff_model *model = compiled(scene);
        ff_sim *sim = started(model, FF_AUTO, 1e-10);
        if (inside) {
            double time = next_event(sim, FF_TOUCHDOWN);
            /* (v - sqrt(v^2 - 2 g fall))/g; a depth of 1e-9 m is 1.4e-5 s before the turn, and rounding of 1e-16 m
             * in the height changes that by 1e-11 s */
            assert_near(time, (v - sqrt(2 * g * depth)) / g, 1e-10);
            assert_near(next_event(sim, FF_CLEAR), (v + sqrt(2 * g * depth)) / g, 1e-10);
        }
        assert_int_equal(count_events(sim, 0.5, FF_TOUCHDOWN), 0);
        finish(sim, model);
    }
}

/* Two spheres pass each other at almost the sum of their radii: straight paths, which a method covers in one step. */
static void test_graze_of_two_spheres(void **state) {
    (void)state;
    for (int inside = 0; inside < 2; inside++) {
        const double r = 0.02, v = 3, start = 0.7, depth = inside ? 1e-8 : -1e-8;
        const double aside = 2 * r - depth;
        ff_scene *scene = ff_scene_create();
        ff_scene_set_gravity(scene, (double[]){0, 0, 0});
        add_ball(scene, "a", 0.1, r, (double[]){-start, 0, 0}, (double[]){v, 0, 0});
        add_ball(scene, "b", 0.1, r, (double[]){0, aside, 0}, (double[]){0, 0, 0});
        add_pair(scene, "a", "b", normal("linear", (double[]){1, 0, NAN, NAN}), frictionless());
        ff_model *model = compiled(scene);
        ff_sim *sim = started(model, FF_DOP853, 1e-10);
        if (inside) {
            double half = sqrt(4 * r * r - aside * aside);
            assert_near(next_event(sim, FF_TOUCHDOWN), (start - half) / v, 1e-10);
            assert_near(next_event(sim, FF_CLEAR), (start + half) / v, 1e-10);
        }
        assert_int_equal(count_events(sim, 1, FF_TOUCHDOWN), 0);
        finish(sim, model);
    }
}

/* The end of a rotating rod dips slightly below a plane once per turn. */
static void test_dips_of_a_turning_rod(void **state) {
    (void)state;
    const double arm = 0.1, r = 0.01, rate = 20, depth = 1e-7;
    ff_scene *scene = ff_scene_create();
    ff_body_def def = ff_body_def_default();
    ff_scene_set_gravity(scene, (double[]){0, 0, 0});
    def.name = "rod";
    def.mass = 1;
    memcpy(def.inertia, (double[3][3]){{0.01, 0, 0}, {0, 0.01, 0}, {0, 0, 0.01}},
           sizeof def.inertia);
    def.omega[1] = rate;
    def.position[2] = arm + r - depth;
    int body = ff_scene_add_body(scene, &def);
    assert_true(ff_scene_add_sphere(scene, body, "end", (double[]){arm, 0, 0}, r) >= 0);
    add_floor(scene);
    add_pair(scene, "rod", "floor", normal("linear", (double[]){1e-3, 0, NAN, NAN}),
             frictionless());
    ff_model *model = compiled(scene);
    ff_sim *sim = started(model, FF_AUTO, 1e-6);
    /* omega about y turns x to -z: down first, after a quarter turn */
    const double pi = 3.14159265358979323846, turn = 2 * pi / rate;
    for (int i = 0; i < 10; i++) {
        double half = acos(1 - depth / arm) / rate;
        assert_near(next_event(sim, FF_TOUCHDOWN), (i + 0.25) * turn - half, 3e-6);
        assert_near(next_event(sim, FF_CLEAR), (i + 0.25) * turn + half, 3e-6);
    }
    finish(sim, model);
}

/* Without losses a ball bounces forever with the same period. */
static void test_elastic_bounces(void **state) {
    (void)state;
    ff_model *model = ball_on_floor(0.154, 0.0165, 0.1, (double[]){0, 0, 0}, 9.81,
                                    normal("hertz", (double[]){8.5e6, NAN}), frictionless());
    ff_sim *sim = started(model, FF_AUTO, 1e-10);
    double first = next_event(sim, FF_TOUCHDOWN), second = next_event(sim, FF_TOUCHDOWN);
    double last = second;
    for (int i = 2; i < 40; i++) {
        last = next_event(sim, FF_TOUCHDOWN);
    }
    assert_near(last, first + 39 * (second - first), 1e-8);
    assert_closes(sim);
    finish(sim, model);
}

/* A soft ball whose flight is a hundredth of its contact: steps in contact are longer than a flight, and none is
 * missed. */
static void test_short_flights(void **state) {
    (void)state;
    for (int i = 0; i < 2; i++) {
        ff_model *model = ball_on_floor(0.154, 0.0165, 0.0165 + 1e-5, (double[]){0, 0, 0}, 9.81,
                                        normal("hertz", (double[]){15, NAN}), frictionless());
        ff_sim *sim = started(model, FF_DOPRI5, i ? 1e-6 : 1e-4);
        double fall = next_event(sim, FF_TOUCHDOWN);
        assert_close(fall, sqrt(2e-5 / 9.81), 1e-3);
        double first = next_event(sim, FF_CLEAR), again = next_event(sim, FF_TOUCHDOWN);
        /* up and down again; at 1e-4 the rebound has that relative error of 0.6 m/s, the largest speed */
        assert_close(again - first, 2 * fall, i ? 0.05 : 0.5);
        for (int k = 1; k < 8; k++) {
            double clear = next_event(sim, FF_CLEAR);
            assert_close(clear, first + k * (again - fall), 0.01);
            assert_true(next_event(sim, FF_TOUCHDOWN) < clear + 10 * fall);
        }
        finish(sim, model);
    }
}

/* Boxes and balls chatter to rest, with several contacts at a time: a thousand events in a second or two. */
static void test_chatter_to_rest(void **state) {
    (void)state;
    ff_scene *scene = ff_scene_create();
    ff_body_def def = ff_body_def_default();
    def.name = "box";
    def.mass = 1;
    def.position[2] = 0.2;
    memcpy(def.orientation, (double[]){0.9, 0.3, 0.2, 0.1}, sizeof def.orientation);
    memcpy(def.omega, (double[]){3, -2, 1}, sizeof def.omega);
    int body = ff_scene_add_body(scene, &def);
    assert_true(ff_scene_add_box(scene, body, (double[]){0.1, 0.08, 0.15}, 0.005) >= 0);
    add_floor(scene);
    add_pair(scene, "box", "floor", normal("azad-featherstone", (double[]){1e8, 2e4, NAN, NAN}),
             friction("clutch", (double[]){0.4, 1.5e8, 2e4, NAN, NAN, NAN, NAN}));
    ff_model *model = compiled(scene);
    ff_sim *sim = started(model, FF_DOPRI5, 1e-9);
    assert_true(count_events(sim, 3, FF_TOUCHDOWN) > 20);
    assert_closes(sim);
    ff_motion box = ff_sim_body(sim, 0);
    for (int c = 0; c < 3; c++) {
        assert_near(box.velocity[c], 0, 1e-5);
        assert_near(box.omega[c], 0, 1e-4);
    }
    finish(sim, model);
}

/* A recovering ground is left where the gap and its rate are both 0: rounding must not decide. */
static void test_grounds_that_recover(void **state) {
    (void)state;
    for (int i = 0; i < 40; i++) {
        ff_scene *scene = ff_scene_create();
        add_ball(scene, "ball", 0.154, 0.0165, (double[]){0, 0, 0.03},
                 (double[]){0.2 + 1e-4 * i, 0, 0});
        add_floor(scene);
        assert_true(ff_scene_add_pair(
                        scene, &(ff_pair_def){.size = sizeof(ff_pair_def),
                                              .a = "ball",
                                              .b = "floor",
                                              .normal = normal("azad-featherstone",
                                                               (double[]){1e5, 300, NAN, NAN}),
                                              .friction = clutch(0),
                                              .stateful = true}) >= 0);
        ff_model *model = compiled(scene);
        ff_sim *sim = started(model, FF_AUTO, 1e-10);
        assert_true(count_events(sim, 0.5, FF_TOUCHDOWN) >= 1);
        assert_closes(sim);
        finish(sim, model);
    }
}

/* ---- missing progress ---- */

/* A contact that has switched twice at one instant ends the run with an error that names it, if it switches again. */
static void test_third_switch(void **state) {
    (void)state;
    ff_model *model = rolling(0);
    ff_sim *sim = started(model, FF_AUTO, 1e-9);
    next_event(sim, FF_TOUCHDOWN);
    /* the gap of the only slot is the first function */
    assert_true(sim->flow.switches[0] == 1 && sim->flow.changed[0] == ff_sim_time(sim));
    for (int i = 0; i < 2; i++) {
        /* away from the plane, and back to where it touches */
        sim->flow.y[FF_P + 2] += i ? -1e-6 : 1e-6;
        assert_int_equal(ff_flow_disturb(&sim->flow), FF_OK);
    }
    /* it does not penetrate the plane as if it were in the air */
    ff_status status;
    const double time = ff_sim_time(sim);
    while ((status = ff_sim_advance(sim, 1)) == FF_EVENT) {
        assert_true(ff_sim_event(sim)->time == time);
    }
    assert_int_equal(status, FF_STUCK);
    assert_non_null(strstr(ff_sim_error(sim), "contact ball/floor switches back and forth"));
    finish(sim, model);
}

static double contrary(void *user, double t, const ff_motion *bodies) {
    uint64_t *calls = user;
    (void)t, (void)bodies;
    /* a pseudo-random sign */
    return ++*calls * 0x9e3779b97f4a7c15u >> 63 ? 1 : -1;
}

/* An event function that returns NAN does not hang a run. */
static void test_a_function_without_a_side(void **state) {
    (void)state;
    uint64_t calls = 0;
    ff_scene *scene = ff_scene_create();
    add_ball(scene, "ball", 0.1, 0.02, (double[]){0, 0, 1}, (double[]){0, 0, 0});
    assert_true(ff_scene_add_event(scene, contrary, &calls) >= 0);
    ff_model *model = compiled(scene);
    ff_sim *sim = started(model, FF_AUTO, 1e-9);
    ff_status status;
    while ((status = ff_sim_advance(sim, 1)) == FF_EVENT) {
        assert_true(calls < 10000000);
    }
    assert_true(status == FF_OK || status == FF_STUCK);
    finish(sim, model);
}

/* Springs of clutches in several contacts: regrade and created of each contact do not depend on the method. Where a
 * depth has its extremum within a step, dop853 evaluates the rates elsewhere for its interpolant; the accounts of the
 * other contacts must not be taken from there. 1e-9 J is 3e-9 of the scale of the ledger, at a tolerance of 1e-10. */
static void test_grades_of_several(void **state) {
    (void)state;
    static const ff_method methods[] = {FF_DOPRI5, FF_DOP853, FF_AUTO, FF_RODAS};
    ff_ledger first = {0};
    for (size_t m = 0; m < ROWS(methods); m++) {
        ff_scene *scene = ff_scene_create();
        add_ball(scene, "low", 0.1, 0.02, (double[]){0.0005, 0, 0.0205}, (double[]){0.1, 0.4, 0});
        add_ball(scene, "high", 0.1, 0.02, (double[]){0, 0.0007, 0.0615}, (double[]){-0.2, 0, 0});
        add_floor(scene);
        add_pair(scene, "*", "*", normal("azad-featherstone", (double[]){6e5, 8, NAN, NAN}),
                 friction("clutch", (double[]){1, 9e5, 600, NAN, NAN, NAN, NAN}));
        ff_model *model = compiled(scene);
        ff_sim *sim = started(model, methods[m], 1e-10);
        ff_ledger before = {0};
        while (ff_sim_time(sim) < 0.1) {
            assert_true(ff_sim_step(sim, 0.1) >= 0);
            const ff_ledger l = ff_sim_ledger(sim);
            assert_true(l.regrade >= before.regrade && l.created <= before.created);
            before = l;
        }
        assert_closes(sim);
        first = m == 0 ? before : first;
        assert_true(first.regrade > 1e-5 && first.created < -1e-5);
        assert_near(before.regrade, first.regrade, 1e-9);
        assert_near(before.created, first.created, 1e-9);
        finish(sim, model);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_grades_of_several),
    cmocka_unit_test(test_groove),
    cmocka_unit_test(test_cradle),
    cmocka_unit_test(test_stack),
    cmocka_unit_test(test_graze_of_a_plane),
    cmocka_unit_test(test_graze_of_two_spheres),
    cmocka_unit_test(test_dips_of_a_turning_rod),
    cmocka_unit_test(test_elastic_bounces),
    cmocka_unit_test(test_short_flights),
    cmocka_unit_test(test_chatter_to_rest),
    cmocka_unit_test(test_grounds_that_recover),
    cmocka_unit_test(test_third_switch),
    cmocka_unit_test(test_a_function_without_a_side),
};

CHECK_MAIN(tests)
