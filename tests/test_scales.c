/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "motion.h"

/* Scales of step errors: sizes of motions, with a lower bound from gravity, size, stiffness and rounding. */

static long steps_to(ff_sim *sim, double until) {
    go(sim, until);
    return ff_sim_statistics(sim).steps;
}

/* A ball put on a slope, where rounding leaves it 1e-18 m above or below the plane: it rolls down with 5/7 g
 * sin(a), or slips with g (sin(a) - mu cos(a)). */
static void test_rest_on_a_slope(void **state) {
    (void)state;
    for (int i = 1; i < 16; i++) {
        const double a = 0.05 * i, r = 0.02, mu = 0.2, until = 2;
        ff_scene *scene = ff_scene_create();
        add_ball(scene, "ball", 0.2, r, (double[]){r * sin(a), 0, r * cos(a)}, (double[]){0, 0, 0});
        assert_true(ff_scene_add_plane(scene, &(ff_plane_def){.size = sizeof(ff_plane_def),
                                                              .name = "floor",
                                                              .normal = {sin(a), 0, cos(a)}}) >= 0);
        add_pair(scene, "ball", "floor",
                 normal("azad-featherstone", (double[]){1e6, 800, NAN, NAN}),
                 friction("clutch", (double[]){mu, 1.5e6, 800, NAN, NAN, NAN, NAN}));
        ff_model *model = compiled(scene);
        ff_sim *sim = started(model, FF_AUTO, 1e-9);
        long steps = steps_to(sim, until);
        assert_holds(steps < 5000, "%.2f rad: %ld steps", a, steps);
        const double *v = ff_sim_body(sim, 0).velocity, down = v[0] * cos(a) - v[2] * sin(a);
        /* rolling requires a friction coefficient of 2/7 tan(a) */
        double way = 2 * tan(a) / 7 < mu ? 5 * sin(a) / 7 : sin(a) - mu * cos(a);
        /* the first bounces towards its static depth reduce friction */
        assert_close(down, 9.81 * way * until, 1e-3);
        finish(sim, model);
    }
}

/* a ball slower than the rounding of its coordinates, with and without gravity */
static void test_slow_ball(void **state) {
    (void)state;
    for (int i = 0; i < 2; i++) {
        ff_model *model = ball_on_floor(0.1, 0.02, 0.02, (double[]){1e-9, 0, -1e-9}, i ? 9.81 : 0,
                                        azad(), clutch(0));
        ff_sim *sim = started(model, FF_AUTO, 1e-9);
        assert_true(steps_to(sim, 1) < 20000);
        finish(sim, model);
    }
}

/* Spin costs a ball no steps, and its orientation is exact while omega is constant. */
static void test_fast_spin(void **state) {
    (void)state;
    long steps[2];
    for (int spins = 0; spins < 2; spins++) {
        ff_scene *scene = ff_scene_create();
        ff_body_def def = ff_body_def_default();
        const double rate = spins ? 1e5 : 0;
        def.name = "ball";
        def.mass = 0.154;
        def.position[2] = 0.1;
        def.omega[0] = 0.6 * rate;
        def.omega[2] = 0.8 * rate;
        int body = ff_scene_add_body(scene, &def);
        ff_scene_add_sphere(scene, body, NULL, (double[]){0, 0, 0}, 0.0165);
        add_floor(scene);
        add_pair(scene, "ball", "floor", azad(), friction("none", NULL));
        ff_model *model = compiled(scene);
        ff_sim *sim = started(model, FF_AUTO, 1e-9);
        steps[spins] = steps_to(sim, 1);
        const double *q = ff_sim_body(sim, 0).orientation, half = rate / 2;
        /* a hundred thousand radians are accurate to 1e-11; each step adds its own rounding */
        assert_near(fabs(q[0]), fabs(cos(half)), 1e-9);
        assert_near(fabs(q[1]), 0.6 * fabs(sin(half)), 1e-9);
        assert_near(fabs(q[3]), 0.8 * fabs(sin(half)), 1e-9);
        finish(sim, model);
    }
    assert_true(steps[1] <= steps[0] + steps[0] / 10);
}

/* also between steps, and on a transformed clock */
static void test_orientation_within_steps(void **state) {
    (void)state;
    ff_scene *scene = ff_scene_create();
    ff_body_def def = ff_body_def_default();
    const double rate = 300;
    def.name = "ball";
    def.mass = 0.154;
    def.position[2] = 0.05;
    def.omega[2] = rate;
    int body = ff_scene_add_body(scene, &def);
    ff_scene_add_sphere(scene, body, NULL, (double[]){0, 0, 0}, 0.0165);
    add_floor(scene);
    add_pair(scene, "ball", "floor", azad(), friction("none", NULL));
    ff_model *model = compiled(scene);
    ff_sim *sim = started(model, FF_DOPRI5, 1e-9);
    for (int i = 1; i < 1000; i++) {
        double time = 3e-4 * i;
        while (ff_sim_time(sim) < time) {
            assert_true(ff_sim_step(sim, 1) >= 0);
        }
        ff_sim_observe(sim, time);
        const double *q = ff_sim_body(sim, 0).orientation;
        assert_near(q[0], cos(rate * time / 2), 1e-10);
        assert_near(q[3], sin(rate * time / 2), 1e-10);
    }
    finish(sim, model);
}

/* far from the origin positions are rounded to 1e-12 m: no step is required to be more accurate */
static void test_far_away(void **state) {
    (void)state;
    long steps[2];
    for (int far = 0; far < 2; far++) {
        const double off = far ? 1e4 : 0;
        ff_scene *scene = ff_scene_create();
        add_ball(scene, "ball", 0.154, 0.0165, (double[]){off, 0, off + 0.1},
                 (double[]){0.5, 0, 0});
        assert_true(ff_scene_add_plane(scene, &(ff_plane_def){.size = sizeof(ff_plane_def),
                                                              .name = "floor",
                                                              .point = {0, 0, off},
                                                              .normal = {0, 0, 1}}) >= 0);
        add_pair(scene, "ball", "floor", azad(), clutch(0));
        ff_model *model = compiled(scene);
        ff_sim *sim = started(model, FF_DOPRI5, 1e-9);
        steps[far] = steps_to(sim, 1);
        finish(sim, model);
    }
    assert_holds(steps[1] < 2 * steps[0], "%ld and %ld steps", steps[0], steps[1]);
}

/* a ball that starts deep inside: its spring determines its speed scale */
static void test_deep_start(void **state) {
    (void)state;
    ff_model *model =
        ball_on_floor(0.154, 1, 0.1, (double[]){0.5, 0.5, 0}, 9.81, azad(), clutch(0));
    ff_sim *sim = started(model, FF_AUTO, 1e-9);
    long steps = steps_to(sim, 0.3);
    assert_holds(steps < 5000, "%ld steps", steps);
    finish(sim, model);
}

/* Runs that become much faster or much slower than at their start keep their accuracy: an impact compared with
 * theory, and a flight with its parabola. */
static void test_runs_that_change(void **state) {
    (void)state;
    /* a ball that hits a wall at 400 m/s leaves it a thousand times slower */
    const double m = 0.1, r = 0.02, v = 400;
    ff_normal law = normal("azad-featherstone", (double[]){1e6, 2e5, NAN, NAN});
    ff_impact impact;
    assert_int_equal(ff_impact_solve(&law, m, v, &impact), FF_OK);
    assert_true(impact.restitution < 1e-2);
    ff_model *model = ball_on_floor(m, r, 1, (double[]){0, 0, -v}, 0, law, friction("none", NULL));
    ff_sim *sim = started(model, FF_AUTO, 1e-9);
    next_event(sim, FF_LIFTOFF);
    assert_close(ff_sim_body(sim, 0).velocity[2], impact.restitution * v, 1e-6);
    finish(sim, model);
    /* a ball accelerated from rest by a constant force to 1000 times the speed that gravity gives at its size */
    ff_scene *scene = ff_scene_create();
    ff_scene_set_gravity(scene, (double[]){0, 0, 0});
    int body = add_ball(scene, "ball", m, r, (double[]){0, 0, 0}, (double[]){1e-3, 0, 0});
    ff_force_def push = ff_force_def_default();
    push.name = "push";
    push.kind = FF_FORCE_CONSTANT;
    push.body = body;
    push.force[0] = 1;
    assert_true(ff_scene_add_force(scene, &push) >= 0);
    assert_true(ff_scene_add_plane(scene, &(ff_plane_def){.size = sizeof(ff_plane_def),
                                                          .name = "wall",
                                                          .point = {5, 0, 0},
                                                          .normal = {-1, 0, 0}}) >= 0);
    ff_normal hertz = normal("hertz", (double[]){1e6, NAN});
    add_pair(scene, "ball", "wall", hertz, friction("none", NULL));
    model = compiled(scene);
    sim = started(model, FF_AUTO, 1e-9);
    double time = next_event(sim, FF_TOUCHDOWN), speed = ff_sim_body(sim, 0).velocity[0];
    /* v^2 = v0^2 + 2 a s */
    assert_close(speed, sqrt(1e-6 + 2 * 10 * (5 - r)), 1e-9);
    assert_close(time, (speed - 1e-3) / 10, 1e-9);
    next_event(sim, FF_CLEAR);
    assert_close(ff_sim_body(sim, 0).velocity[0], -speed, 1e-8);
    finish(sim, model);
}

/* A ball bounces on a lift as on a floor at rest: its scales do not grow with the distance that the lift has covered. */
static void test_lift(void **state) {
    (void)state;
    const double until = 0.3, rate = -2;
    double height[2];
    long steps[2];
    for (int moves = 0; moves < 2; moves++) {
        ff_scene *scene = ff_scene_create();
        add_ball(scene, "ball", 0.1, 0.02, (double[]){0, 0, 0.03}, (double[]){0, 0, moves * rate});
        assert_true(ff_scene_add_plane(scene, &(ff_plane_def){.size = sizeof(ff_plane_def),
                                                              .name = "lift",
                                                              .normal = {0, 0, 1},
                                                              .velocity = {0, 0, moves * rate}}) >=
                    0);
        add_pair(scene, "ball", "lift", normal("azad-featherstone", (double[]){1e8, 1e4, NAN, 2}),
                 friction("none", NULL));
        ff_model *model = compiled(scene);
        ff_sim *sim = started(model, FF_DOPRI5, 1e-9);
        steps[moves] = steps_to(sim, until);
        const ff_ledger ledger = ff_sim_ledger(sim);
        assert_near(ledger.residual, 0, 1e-9 * ledger.scale);
        height[moves] = ff_sim_body(sim, 0).position[2] - moves * rate * until;
        finish(sim, model);
    }
    /* the lift's own speed makes the scale of velocities larger and steps somewhat longer */
    assert_holds(5 * steps[1] > 4 * steps[0], "%ld and %ld steps", steps[0], steps[1]);
    /* errors of a few steps grow with each bounce */
    assert_near(height[1], height[0], 1e-9);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_rest_on_a_slope),  cmocka_unit_test(test_slow_ball),
    cmocka_unit_test(test_fast_spin),        cmocka_unit_test(test_orientation_within_steps),
    cmocka_unit_test(test_far_away),         cmocka_unit_test(test_deep_start),
    cmocka_unit_test(test_runs_that_change), cmocka_unit_test(test_lift),
};

CHECK_MAIN(tests)
