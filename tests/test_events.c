/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "motion.h"
#include "scene_text.h"
#include "sim/sim.h"
#include <stdlib.h>

/* ---- contacts ---- */

/* the first bounce of the rolling sphere: kind, order and times of its events */
static void test_order_of_a_bounce(void **state) {
    (void)state;
    static const struct {
        ff_event_kind kind;
        double time;
    } events[] = {{FF_TOUCHDOWN, 0.13047392637539668}, {FF_STICK, 0.1314076580050764},
                  {FF_SLIP, 0.13226799880686002},      {FF_LIFTOFF, 0.13273890061876573},
                  {FF_CLEAR, 0.13310445224666662},     {FF_TOUCHDOWN, 0.2903735808364021}};
    ff_model *model = rolling(0.1);
    ff_sim *sim = started(model, FF_AUTO, 1e-10);
    for (size_t i = 0; i < ROWS(events); i++) {
        assert_int_equal(ff_sim_advance(sim, 1), FF_EVENT);
        assert_int_equal(ff_sim_event(sim)->kind, events[i].kind);
        assert_int_equal(ff_sim_event(sim)->contact, 0);
        assert_close(ff_sim_event(sim)->time, events[i].time, 1e-9);
        assert_true(ff_sim_time(sim) == ff_sim_event(sim)->time);
    }
    /* the last slip ends with the ninth contact, the tenth persists */
    ff_event last[2] = {{0}};
    while (ff_sim_advance(sim, 1) == FF_EVENT) {
        const ff_event *event = ff_sim_event(sim);
        last[event->kind == FF_TOUCHDOWN] = *event;
    }
    assert_int_equal(last[0].kind, FF_CLEAR);
    assert_close(last[0].time, 0.5951352432515317, 1e-9);
    assert_close(last[1].time, 0.599144694612701, 1e-9);
    finish(sim, model);
}

/* A ball at rest on the ground gets a velocity v0: until it slips, m u'' + b u' + k u = 0 with the mass m of the contact point,
 * 2/7 of the ball's. The force k u + b u' has its first maximum 1e-5 above mu N, so the ball slips for 0.009/omega, a small part
 * of a step. */
static void test_short_slip(void **state) {
    (void)state;
    static const ff_method methods[] = {FF_AUTO, FF_DOPRI5, FF_DOP853, FF_RODAS};
    const double m = 0.1, r = 0.02, g = 9.81, kn = 1e4, mu = 0.3, k = 8e3, b = 2, most = mu * m * g,
                 mass = 2 * m / 7, decay = b / (2 * mass), omega = sqrt(k / mass - decay * decay);
    /* u = (v0/omega) e^(-decay t) sin(omega t); force over v0 at its maximum, where k u' + b u'' = 0 */
    double time = 0, per_speed = 0;
    for (double t = 0; t < 2 / omega; t += 1e-6 / omega) {
        const double wave = exp(-decay * t) / omega,
                     rate = wave * (omega * cos(omega * t) - decay * sin(omega * t)),
                     force = k * wave * sin(omega * t) + b * rate;
        time = force > per_speed ? t : time;
        per_speed = fmax(force, per_speed);
    }
    const double v0 = most * (1 + 1e-5) / per_speed;
    for (size_t i = 0; i < ROWS(methods); i++) {
        for (double tol = 1e-6; tol > 0.5e-11; tol /= 10) {
            ff_model *model =
                ball_on_floor(m, r, r - m * g / kn, (double[]){v0, 0, 0}, g,
                              normal("linear", (double[]){kn, 1, NAN, NAN}),
                              friction("clutch", (double[]){mu, k, b, NAN, NAN, NAN, NAN}));
            ff_sim *sim = started(model, methods[i], tol);
            /* half of the slip is 0.0045/omega; the maximum itself is known to 1e-3/omega */
            assert_near(next_event(sim, FF_SLIP) * omega, time * omega - 0.0045, 2e-3);
            assert_near(next_event(sim, FF_STICK) * omega, time * omega + 0.0045, 2e-3);
            finish(sim, model);
        }
    }
}

/* A force that would pull for a short time: where k d + lambda d' = 0 with d' > -lambda g/k, the body falls back while its
 * depth d > 0. Without force d'' = g, so that k d + lambda d' is 0 again after -2 (d'/g + lambda/k), 0.2 ms here. This must not
 * be missed by a longer step, in which the force has the same sign at both ends. */
static void test_short_pull(void **state) {
    (void)state;
    static const ff_method methods[] = {FF_AUTO, FF_DOPRI5, FF_DOP853, FF_RODAS};
    const double k = 84860.7, lambda = 78.8872, g = 9.81;
    for (size_t m = 0; m < ROWS(methods); m++) {
        for (double tol = 1e-5; tol > 0.5e-12; tol /= 10) {
            ff_scene *scene = ff_scene_create();
            add_ball(scene, "ball", 0.1, 0.02, (double[]){0, 0, 0.089}, (double[]){0, 0, -1.625});
            add_floor(scene);
            add_pair(scene, "ball", "floor", normal("linear", (double[]){k, lambda, NAN, NAN}),
                     friction("none", (double[]){NAN}));
            ff_model *model = compiled(scene);
            ff_sim *sim = started(model, methods[m], tol);
            for (int i = 0; i < 4; i++) {
                next_event(sim, FF_LIFTOFF);
            }
            const double from = ff_sim_time(sim), rate = -ff_sim_body(sim, 0).velocity[2];
            next_event(sim, FF_TOUCHDOWN);
            const double off = ff_sim_time(sim) - from + 2 * (rate / g + lambda / k);
            assert_holds(fabs(off) < 0.1 * tol &&
                             fabs(ff_sim_time(sim) - 0.24821466755) < 0.1 * tol + 1e-11,
                         "method %d, tol %g: %.12g to %.12g s, off by %.3g", methods[m], tol, from,
                         ff_sim_time(sim), off);
            finish(sim, model);
        }
    }
}

/* A ball that begins at rest where it touches the ground, and comes back to rest there, may rise by less than the rounding error
 * of its position: it has left the ground and come back at the same instant. */
static void test_rise_within_rounding(void **state) {
    (void)state;
    static const char *const scenes[] = {
        "bodies: {a: {mass: 0.2, shape: {sphere: {radius: 2 cm}}, position: "
        "[0.008608384998504985, 0, 0.018052581746595537]}}\n"
        "ground: {floor: {plane: {normal: [0.43041924992524927, 0, 0.9026290873297768]}}}\n"
        "pairs: [{between: [a, floor], normal: {law: hertz, k: 4.543e+07}, friction: {law: clutch, "
        "k: 6.814e+07, damping: 2.967e+04, mu: 1.27}}]\n",
        "bodies: {a: {mass: 0.2, shape: {sphere: {radius: 2 cm}}, position: "
        "[0.005624707088697722, 0, 0.019192776510092373]}}\n"
        "ground: {floor: {plane: {normal: [0.2812353544348861, 0, 0.9596388255046187]}}}\n"
        "pairs: [{between: [a, floor], normal: {law: hertz, k: 5.82e+05}, friction: {law: clutch, "
        "k: 8.73e+05, damping: 750.2, mu: 0.889}}]\n",
        "bodies: {a: {mass: 0.2, shape: {sphere: {radius: 2 cm}}, position: "
        "[0.010357378451278782, 0, 0.01710919961941487]}}\n"
        "ground: {floor: {plane: {normal: [0.5178689225639391, 0, 0.8554599809707435]}}}\n"
        "pairs: [{between: [a, floor], normal: {law: xiong, K: 2.663e+07, alpha: 5.81e-05, beta: "
        "0.000138}, friction: {law: clutch, k: 3.995e+07, damping: 1.884e+04, mu: 0.961}}]\n"};
    for (size_t i = 0; i < ROWS(scenes); i++) {
        ff_model *model = model_of_text(scenes[i]);
        ff_sim *sim = started(model, FF_AUTO, 1e-9);
        go(sim, 1);
        const ff_ledger l = ff_sim_ledger(sim);
        assert_holds(ff_sim_verdict(sim) == FF_OK && fabs(l.residual) < 1e-9 * l.scale,
                     "scene %zu: %s", i, ff_sim_error(sim));
        finish(sim, model);
    }
}

/* Two landings in quick succession on a ground that has not recovered: free bouncing is slow, so the time constant
 * lambda/k of the ground is made long. */
static void test_stateful_ground(void **state) {
    (void)state;
    double z[2], damper[2];
    for (int stateful = 0; stateful < 2; stateful++) {
        ff_scene *scene = ff_scene_create();
        add_ball(scene, "ball", 0.154, 0.0165, (double[]){0, 0, 0.03}, (double[]){3, 0, 0});
        add_floor(scene);
        assert_true(ff_scene_add_pair(
                        scene, &(ff_pair_def){.size = sizeof(ff_pair_def),
                                              .a = "ball",
                                              .b = "floor",
                                              .normal = normal("azad-featherstone",
                                                               (double[]){1e5, 300, NAN, NAN}),
                                              .friction = clutch(0),
                                              .stateful = stateful}) >= 0);
        ff_model *model = compiled(scene);
        ff_sim *sim = started(model, FF_AUTO, 1e-10);
        next_event(sim, FF_LIFTOFF);
        double lift = ff_sim_time(sim), depth = ff_sim_contact(sim, 0).depth;
        assert_true(depth > 0);
        if (stateful) {
            /* the energy of the spring dissipates at its own rate: z_g = depth exp(-(k/lambda) t) for n - p = 1 */
            ff_ledger before = ff_sim_ledger(sim);
            /* the tangential spring stores k sqrt(z_g) u^2/2, and u' = -(k/damping) u */
            go(sim, lift + 1e-4);
            double pace = 0.5 * 1e5 / 300 + 2 * 12.75e6 / 3.1e3;
            assert_true(before.tangential_spring > 1e-9);
            assert_close(ff_sim_ledger(sim).tangential_spring,
                         before.tangential_spring * exp(-pace * 1e-4), 1e-6);
            go(sim, lift + 1e-3);
            ff_ledger after = ff_sim_ledger(sim);
            assert_close(after.normal_spring, before.normal_spring * exp(-2.5 * 1e5 / 300 * 1e-3),
                         1e-7);
            assert_close(before.normal_spring, 0.4 * 1e5 * pow(depth, 2.5), 1e-9);
            assert_near(ff_sim_contact(sim, 0).force[2], 0, 0);
        }
        go(sim, 0.5);
        z[stateful] = ff_sim_body(sim, 0).position[2];
        damper[stateful] = ff_sim_ledger(sim).normal_damper;
        assert_near(ff_sim_ledger(sim).residual, 0, 1e-10 * ff_sim_ledger(sim).scale * 10);
        finish(sim, model);
    }
    /* both come to the same rest, along slightly different paths */
    assert_near(z[0], z[1], 1e-6);
    assert_near(damper[0], damper[1], 1e-3);
}

/* A box that lands flat: four corners at the same instant, repeatedly, until it rests; and the same run for any
 * end time. */
static void test_box_lands_flat(void **state) {
    (void)state;
    double rest = 0;
    for (int turn = 0; turn < 3; turn++) {
        ff_scene *scene = ff_scene_create();
        ff_body_def def = ff_body_def_default();
        def.name = "box";
        def.mass = 1;
        def.position[2] = 0.08;
        def.velocity[0] = 0.5;
        int body = ff_scene_add_body(scene, &def);
        assert_true(ff_scene_add_box(scene, body, (double[]){0.1, 0.1, 0.1}, 0.005) >= 0);
        add_floor(scene);
        add_pair(scene, "box", "floor", normal("azad-featherstone", (double[]){1e7, 5e3, NAN, NAN}),
                 friction("clutch", (double[]){0.3, 1.5e7, 5e3, NAN, NAN, NAN, NAN}));
        ff_model *model = compiled(scene);
        assert_int_equal(ff_model_contact_count(model), 8);
        ff_sim *sim = started(model, FF_AUTO, 1e-9);
        int touchdowns = 0;
        double until = 0.6 + 0.2 * turn;
        while (ff_sim_advance(sim, until) == FF_EVENT) {
            touchdowns += ff_sim_event(sim)->kind == FF_TOUCHDOWN;
            assert_true(touchdowns < 100);
        }
        assert_near(ff_sim_time(sim), until, 0);
        ff_ledger l = ff_sim_ledger(sim);
        assert_true(touchdowns >= 12 && fabs(l.residual) < 1e-9 * l.scale);
        ff_motion m = ff_sim_body(sim, 0);
        assert_near(m.velocity[0], 0, 1e-5);
        /* four springs carry the weight: (m g/4/k)^(2/3) deep */
        assert_near(m.position[2], 0.05 - pow(9.81 / 4 / 1e7, 2.0 / 3), 1e-8);
        assert_near(m.position[0], turn ? rest : m.position[0], 1e-6);
        rest = m.position[0];
        finish(sim, model);
    }
}

/* Balls that do not meet, in one scene: each contact has the events of a separate run. The second is slightly
 * later than the first, so that steps contain roots of both. */
static void test_contacts_do_not_mix(void **state) {
    (void)state;
    enum { BALLS = 3, MOST = 40 };
    static const double start[BALLS][2] = {{0.1, 0.5}, {0.100001, 0.45}, {0.13, 0.2}};
    ff_event seen[BALLS][MOST];
    size_t count[BALLS] = {0};
    ff_scene *scene = ff_scene_create();
    static const char *const names[BALLS] = {"a", "b", "c"};
    for (int i = 0; i < BALLS; i++) {
        add_ball(scene, names[i], 0.154, 0.0165, (double[]){0, i, start[i][0]},
                 (double[]){start[i][1], 0, 0});
    }
    add_floor(scene);
    for (int i = 0; i < BALLS; i++) {
        add_pair(scene, names[i], "floor", azad(), clutch(0.1));
    }
    ff_model *model = compiled(scene);
    ff_sim *sim = started(model, FF_AUTO, 1e-10);
    double last = 0;
    while (ff_sim_advance(sim, 0.5) == FF_EVENT) {
        ff_event event = *ff_sim_event(sim);
        assert_true(event.time >= last && count[event.contact] < MOST);
        last = event.time;
        seen[event.contact][count[event.contact]++] = event;
    }
    finish(sim, model);
    for (int i = 0; i < BALLS; i++) {
        model = ball_on_floor(0.154, 0.0165, start[i][0], (double[]){start[i][1], 0, 0}, 9.81,
                              azad(), clutch(0.1));
        sim = started(model, FF_AUTO, 1e-10);
        size_t k = 0;
        for (; ff_sim_advance(sim, 0.5) == FF_EVENT; k++) {
            assert_true(k < count[i]);
            assert_int_equal(seen[i][k].kind, ff_sim_event(sim)->kind);
            assert_int_equal(seen[i][k].rejoin, ff_sim_event(sim)->rejoin);
            /* step sizes differ, and errors of a bounce are amplified by later ones */
            assert_close(seen[i][k].time, ff_sim_event(sim)->time, 1e-8);
        }
        assert_true(k == count[i] && k > 8);
        finish(sim, model);
    }
}

/* Without damping force and depth vanish together: lift-off and the end of the contact are two events at one time,
 * and the ball leaves at its approach speed. */
static void test_elastic_bounce(void **state) {
    (void)state;
    ff_model *model = ball_on_floor(0.154, 0.0165, 0.1, (double[3]){0}, 9.81,
                                    normal("azad-featherstone", (double[]){8.5e6, 0, NAN, NAN}),
                                    (ff_friction){0});
    ff_sim *sim = started(model, FF_AUTO, 1e-10);
    static const ff_event_kind kinds[] = {FF_TOUCHDOWN, FF_LIFTOFF, FF_CLEAR};
    double speed = sqrt(2 * 9.81 * (0.1 - 0.0165)), times[9];
    for (size_t i = 0; i < ROWS(times); i++) {
        assert_int_equal(ff_sim_advance(sim, 2), FF_EVENT);
        assert_int_equal(ff_sim_event(sim)->kind, kinds[i % 3]);
        assert_false(ff_sim_event(sim)->rejoin);
        times[i] = ff_sim_event(sim)->time;
        assert_close(ff_sim_body(sim, 0).velocity[2], i % 3 ? speed : -speed, 1e-8);
        assert_true(i % 3 < 2 || times[i] == times[i - 1]);
    }
    finish(sim, model);
}

/* The first step of a flight: up to its apex, v/g, unless earlier steps were longer or another contact is closed. */
static void test_first_step_of_a_flight(void **state) {
    (void)state;
    const double g = 9.81;
    ff_model *model = rolling(0.1);
    ff_sim *sim = started(model, FF_AUTO, 1e-8);
    next_event(sim, FF_CLEAR);
    ff_motion m = ff_sim_body(sim, 0);
    assert_true(m.velocity[2] > 0.5);
    assert_close(sim->flow.now.step, m.velocity[2] / g, 1e-14);
    /* under constant acceleration methods of order 2 and above are exact: the step is accepted, and v_z is 0 */
    assert_int_equal(ff_sim_step(sim, 1), FF_OK);
    assert_near(ff_sim_body(sim, 0).velocity[2], 0, 1e-14);
    finish(sim, model);

    /* a second ball lies on the floor; its contact is too stiff for a step of that length */
    ff_scene *scene = ff_scene_create();
    add_ball(scene, "ball", 0.154, 0.0165, (double[]){0, 0, 0.1}, (double[3]){0});
    double depth = pow(0.154 * g / 8.5e6, 2.0 / 3);
    add_ball(scene, "still", 0.154, 0.0165, (double[]){1, 0, 0.0165 - depth}, (double[3]){0});
    add_floor(scene);
    add_pair(scene, "ball", "floor", azad(), (ff_friction){0});
    add_pair(scene, "still", "floor", azad(), (ff_friction){0});
    model = compiled(scene);
    sim = started(model, FF_AUTO, 1e-8);
    next_event(sim, FF_CLEAR);
    assert_int_equal(ff_sim_event(sim)->contact, 0);
    m = ff_sim_body(sim, 0);
    assert_true(m.velocity[2] > 0.5 && sim->flow.now.step < 0.1 * m.velocity[2] / g);
    finish(sim, model);

    /* a slow bounce on soft ground: the contact takes 0.8 s, the flight 3 ms */
    model =
        ball_on_floor(0.154, 0.0165, 0.0165 + 1e-5, (double[3]){0}, g,
                      normal("azad-featherstone", (double[]){15, 0, NAN, NAN}), (ff_friction){0});
    sim = started(model, FF_DOPRI5, 1e-6);
    next_event(sim, FF_CLEAR);
    m = ff_sim_body(sim, 0);
    assert_true(m.velocity[2] > 0 && sim->flow.now.step > 2 * m.velocity[2] / g);
    finish(sim, model);
}

/* ---- switching forces, user events, no events ---- */

static void test_forces_and_switches(void **state) {
    (void)state;
    ff_scene *scene = ff_scene_create();
    ff_body_def def = ff_body_def_default();
    def.name = "mass";
    def.mass = 2;
    def.locked = FF_LOCK_ROTATION | FF_LOCK_X;
    ff_scene_set_gravity(scene, (double[3]){0});
    int body = ff_scene_add_body(scene, &def);
    ff_force_def push = ff_force_def_default();
    push.name = "push";
    push.body = body;
    memcpy(push.force, (double[]){5, 0, 4}, sizeof push.force);
    push.from = 0.5;
    push.to = 1.5;
    assert_true(ff_scene_add_force(scene, &push) >= 0);
    ff_force_def ramp = ff_force_def_default();
    ramp.name = "ramp";
    ramp.kind = FF_FORCE_TABLE;
    ramp.body = body;
    ramp.force[1] = 6;
    ramp.points = 3;
    ramp.times = (double[]){0, 1, 2};
    ramp.factors = (double[]){0, 1, 0};
    assert_true(ff_scene_add_force(scene, &ramp) >= 0);
    ff_model *model = compiled(scene);
    ff_sim *sim = started(model, FF_AUTO, 1e-9);
    assert_near(next_event(sim, FF_SWITCH), 0.5, 0);
    assert_near(next_event(sim, FF_SWITCH), 1.5, 0);
    go(sim, 2);
    ff_motion m = ff_sim_body(sim, 0);
    assert_near(m.velocity[0], 0, 0);
    assert_near(m.velocity[2], 2, 1e-12);
    assert_near(m.position[2], 1 + 2 * 0.5, 1e-12);
    assert_near(m.velocity[1], 3, 1e-12);
    /* double integral of the triangle times 3: 1/6 + 1 - 1/6, times 3 */
    assert_near(m.position[1], 3, 1e-12);
    ff_ledger l = ff_sim_ledger(sim);
    assert_near(l.external, -(0.5 * 2 * (4 + 9)), 1e-12);
    assert_near(l.residual, 0, 1e-12);
    finish(sim, model);
}

/* A spring with stretch cos(pi s) that is switched on when stretched and off at s = 1/3: its initial energy is
 * external work, and the remaining quarter is removed as external work. */
static void test_spring_that_switches(void **state) {
    (void)state;
    const double k = 20, whole = 0.5 * k, pi = 3.141592653589793;
    ff_scene *scene = ff_scene_create();
    ff_body_def def = ff_body_def_default();
    def.name = "mass";
    def.mass = k / (pi * pi);
    def.position[0] = 3;
    def.locked = FF_LOCK_ROTATION;
    ff_scene_set_gravity(scene, (double[3]){0});
    ff_force_def spring = ff_force_def_default();
    spring.name = "spring";
    spring.kind = FF_FORCE_SPRING;
    spring.body = ff_scene_add_body(scene, &def);
    spring.stiffness = k;
    spring.rest = 2;
    spring.from = 0.5;
    spring.to = 0.5 + 1.0 / 3;
    assert_true(ff_scene_add_force(scene, &spring) >= 0);
    ff_model *model = compiled(scene);
    ff_sim *sim = started(model, FF_AUTO, 1e-10);
    assert_near(next_event(sim, FF_SWITCH), spring.from, 0);
    ff_ledger l = ff_sim_ledger(sim);
    assert_close(l.springs, whole, 1e-14);
    assert_close(l.external, -whole, 1e-14);
    assert_near(next_event(sim, FF_SWITCH), spring.to, 0);
    /* the tolerance of the run, with room for the sum over its steps */
    l = ff_sim_ledger(sim);
    assert_near(l.springs, 0, 0);
    assert_close(l.external, -0.75 * whole, 1e-8);
    assert_close(l.kinetic, 0.75 * whole, 1e-8);
    assert_near(l.residual, 0, 1e-8 * whole);
    finish(sim, model);
}

static double height_of(void *user, double time, const ff_motion *bodies) {
    (void)time;
    return bodies[0].position[2] - *(double *)user;
}

static void test_users_events(void **state) {
    (void)state;
    double height = 0.03;
    ff_scene *scene = ff_scene_create();
    add_ball(scene, "ball", 0.154, 0.0165, (double[]){0, 0, 0.1}, (double[3]){0});
    add_floor(scene);
    add_pair(scene, "ball", "floor", azad(), (ff_friction){0});
    assert_int_equal(ff_scene_add_event(scene, NULL, NULL), FF_BAD_VALUE);
    assert_int_equal(ff_scene_add_event(scene, height_of, &height), 0);
    /* a second function that crosses at the same instant must not interfere */
    assert_int_equal(ff_scene_add_event(scene, height_of, &height), 1);
    ff_model *model = compiled(scene);
    ff_sim *sim = started(model, FF_AUTO, 1e-10);
    /* down through 3 cm, up again after the bounce, and down: both functions each time */
    double fall = sqrt(2 * 0.07 / 9.81);
    assert_near(next_event(sim, FF_USER), fall, 1e-12);
    assert_near(ff_sim_body(sim, 0).position[2], 0.03, 1e-14);
    assert_near(next_event(sim, FF_USER), fall, 1e-9);
    double clear = next_event(sim, FF_CLEAR), up = ff_sim_body(sim, 0).velocity[2];
    double root = sqrt(up * up - 2 * 9.81 * (0.03 - 0.0165));
    for (int way = 0; way < 2; way++) {
        for (int function = 0; function < 2; function++) {
            assert_near(next_event(sim, FF_USER), clear + (way ? up + root : up - root) / 9.81,
                        1e-9);
        }
    }
    go(sim, 1);
    assert_near(ff_sim_ledger(sim).residual, 0, 1e-10);
    finish(sim, model);
}

static void test_no_events(void **state) {
    (void)state;
    double error[2];
    for (int fine = 0; fine < 2; fine++) {
        ff_model *model = rolling(0.1);
        ff_run_options o = ff_run_options_default();
        ff_sim *sim;
        o.method = FF_RK4;
        o.dt = fine ? 1e-6 : 1e-5;
        o.events = false;
        assert_int_equal(ff_sim_create(model, &o, &sim, NULL), FF_OK);
        /* during the first contact springs store part of the energy */
        assert_int_equal(ff_sim_advance(sim, 0.1315), FF_OK);
        ff_ledger l = ff_sim_ledger(sim);
        assert_true(l.normal_spring > 0.1 * l.kinetic && fabs(l.residual) < 1e-4 * l.scale);
        assert_int_equal(ff_sim_advance(sim, 0.2), FF_OK);
        error[fine] = fabs(ff_sim_ledger(sim).residual) / ff_sim_ledger(sim).scale;
        assert_int_equal(ff_sim_statistics(sim).events, 0);
        finish(sim, model);
    }
    assert_true(error[0] < 1e-4 && error[1] < 0.2 * error[0]);
}

/* Without located events the rates at the end of a step are those at the start of the next, unless a contact began
 * or ended there and states were reset. */
static void test_rates_without_events(void **state) {
    (void)state;
    ff_model *model = rolling(0.1);
    ff_run_options o = ff_run_options_default();
    ff_sim *sim;
    o.method = FF_DOPRI5;
    o.tol = 1e-6;
    o.events = false;
    assert_int_equal(ff_sim_create(model, &o, &sim, NULL), FF_OK);
    static const double until[] = {0.13, 0.1315, 0.2};
    for (long changes = 0; changes < 3; changes++) {
        /* the first contact begins at 0.1305 s and ends 2 ms later */
        assert_int_equal(ff_sim_advance(sim, until[changes]), FF_OK);
        ff_statistics s = ff_sim_statistics(sim);
        assert_int_equal(s.evaluations, 1 + changes + 6 * (s.steps + s.rejected));
    }
    finish(sim, model);
}

/* the k-th fixed step ends at k dt, not at a sum of steps; after an event k counts from the event */
static void test_times_of_fixed_steps(void **state) {
    (void)state;
    static const ff_method methods[] = {FF_EULER, FF_SEMI_IMPLICIT, FF_HEUN, FF_RK4, FF_VERLET};
    for (size_t i = 0; i < 2 * ROWS(methods); i++) {
        ff_model *model = rolling(0.1);
        ff_run_options o = *ff_model_run(model);
        ff_sim *sim;
        o.method = methods[i / 2];
        o.dt = 1e-5;
        o.events = i % 2;
        assert_int_equal(ff_sim_create(model, &o, &sim, NULL), FF_OK);
        /* the first touch-down is at 0.1305 s */
        for (int k = 1; k <= 13000; k++) {
            assert_int_equal(ff_sim_step(sim, 0.13), FF_OK);
            assert_true(ff_sim_time(sim) == k * 1e-5);
        }
        assert_int_equal(ff_sim_statistics(sim).steps, 13000);
        double begin = 0.13;
        for (int k = 1; k <= 300; k++) {
            bool event = ff_sim_step(sim, 0.2) == FF_EVENT;
            k = event ? 0 : k;
            begin = event ? ff_sim_time(sim) : begin;
            assert_true(ff_sim_time(sim) ==
                        (begin == 0.13 ? (13000 + k) * 1e-5 : begin + k * 1e-5));
        }
        finish(sim, model);
    }
}

/* Whether a ground has recovered at the next touch-down does not depend on the rounding of its depth. */
static void test_rejoin_of_a_stateful_ground(void **state) {
    (void)state;
    static const double tols[] = {1e-6, 1e-8, 1e-10};
    for (size_t i = 0; i < ROWS(tols); i++) {
        ff_scene *scene = ff_scene_create();
        add_ball(scene, "ball", 0.2, 0.02, (double[]){0, 0, 0.05}, (double[]){0.3, 0, 0});
        add_floor(scene);
        ff_pair_def pair = {.size = sizeof(ff_pair_def),
                            .a = "ball",
                            .b = "floor",
                            .normal = normal("azad-featherstone", (double[]){1e6, 1e3, NAN, NAN}),
                            .friction =
                                friction("clutch", (double[]){0.3, 1.5e6, 1e3, NAN, NAN, NAN, NAN}),
                            .stateful = true};
        assert_true(ff_scene_add_pair(scene, &pair) >= 0);
        ff_model *model = compiled(scene);
        ff_sim *sim = started(model, FF_DOPRI5, tols[i]);
        /* five flights are long enough for recovery, the sixth is not */
        for (int k = 0; k < 6; k++) {
            next_event(sim, FF_TOUCHDOWN);
            assert_holds(ff_sim_event(sim)->rejoin == (k == 5), "touch-down %d at tol %g", k,
                         tols[i]);
        }
        finish(sim, model);
    }
}

/* The highest power of a clock is that of tsuji, 4: such a state can be restored, too. */
static void test_the_highest_clock(void **state) {
    (void)state;
    ff_scene *scene = ff_scene_create();
    add_ball(scene, "ball", 0.154, 0.0165, (double[]){0, 0, 0.03}, (double[]){0.5, 0, 0});
    add_floor(scene);
    add_pair(scene, "ball", "floor", normal("tsuji", (double[]){8.5e6, 300, NAN, NAN}),
             clutch(0.1));
    ff_model *model = compiled(scene);
    ff_sim *sim = started(model, FF_DOPRI5, 1e-9), *other = started(model, FF_DOPRI5, 1e-9);
    next_event(sim, FF_TOUCHDOWN);
    assert_int_equal(sim->flow.now.clock.power, 4);
    const size_t size = ff_sim_state_size(sim);
    void *block = malloc(size);
    ff_sim_save(sim, block);
    assert_int_equal(ff_sim_restore(other, block, size), FF_OK);
    free(block);
    go(sim, 0.06);
    go(other, 0.06);
    ff_motion a = ff_sim_body(sim, 0), b = ff_sim_body(other, 0);
    assert_memory_equal(&a, &b, sizeof a);
    ff_sim_free(other);
    finish(sim, model);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_order_of_a_bounce),
    cmocka_unit_test(test_short_pull),
    cmocka_unit_test(test_short_slip),
    cmocka_unit_test(test_rise_within_rounding),
    cmocka_unit_test(test_stateful_ground),
    cmocka_unit_test(test_box_lands_flat),
    cmocka_unit_test(test_forces_and_switches),
    cmocka_unit_test(test_users_events),
    cmocka_unit_test(test_contacts_do_not_mix),
    cmocka_unit_test(test_elastic_bounce),
    cmocka_unit_test(test_first_step_of_a_flight),
    cmocka_unit_test(test_spring_that_switches),
    cmocka_unit_test(test_no_events),
    cmocka_unit_test(test_times_of_fixed_steps),
    cmocka_unit_test(test_rejoin_of_a_stateful_ground),
    cmocka_unit_test(test_rates_without_events),
    cmocka_unit_test(test_the_highest_clock),
};

CHECK_MAIN(tests)
