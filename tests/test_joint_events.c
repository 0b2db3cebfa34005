/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "mechanisms.h"
#include "sim/sim.h"
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

/* Events of joints: slip and stick of their friction, under a given load and under their own reaction, and their limits; and
 * stick and slip of rolling and twist. */

enum { EVENTS = 64 };

typedef struct seen {
    ff_event at[EVENTS];
    char owner[EVENTS][40];
    size_t count;
} seen;

/* Advances a sim and keeps its events. */
static void observe(ff_sim *sim, const ff_model *model, double until, seen *out) {
    ff_status status;
    while ((status = ff_sim_advance(sim, until)) == FF_EVENT) {
        const ff_event *e = ff_sim_event(sim);
        const char *owner = ff_model_event_owner(model, e);
        assert_true(out->count < EVENTS);
        snprintf(out->owner[out->count], sizeof *out->owner, "%s", owner ? owner : "");
        out->at[out->count++] = *e;
    }
    assert_holds(status == FF_OK, "%s", ff_sim_error(sim));
}

static void assert_event(const seen *s, size_t i, ff_event_kind kind, const char *owner,
                         double time, double off) {
    assert_true(i < s->count);
    assert_holds(s->at[i].kind == kind && strcmp(s->owner[i], owner) == 0, "event %zu is %s of %s",
                 i, ff_event_name(s->at[i].kind), s->owner[i]);
    assert_near(s->at[i].time, time, off);
}

/* A scene in one of the formulations, with a method and a tolerance. */
static run begin(const char *scene, int way, const char *method, double tol) {
    char text[4000];
    run out;
    ff_error error = {""};
    snprintf(text, sizeof text, "%srun: {%stol: %g, method: %s}\n", scene, ways[way], tol, method);
    out.model = model_of_text(text);
    ff_status status = ff_sim_create(out.model, NULL, &out.sim, &error);
    assert_holds(status == FF_OK, "%s", error.text);
    return out;
}

static const char *const methods[] = {"auto", "dopri5", "dop853", "rodas"};

/* ---- stick and slip ---- */

static const double stiffness = 1e4, damping = 150, mu = 0.3, mass = 2, g = 9.81,
                    hold = 0.3 * 2 * 9.81;

/* where f is 0 between two points with different signs */
static double root_of(double (*f)(double), double low, double high) {
    const bool rises = f(high) > 0;
    for (int i = 0; i < 200; i++) {
        const double middle = (low + high) / 2;
        *((f(middle) > 0) == rises ? &high : &low) = middle;
    }
    return high;
}

/* A block that sticks is pulled with c t: m x'' + D x' + k x = c t, so that
 *     x = (c/k) (t - D/k) + exp(-a t) (A cos w t + B sin w t),   a = D/2m, w^2 = k/m - a^2,
 * with A = c D/k^2 and w B = a A - c/k for a start at rest. It slips where k x + D x' = c t - m x'' reaches mu N. */
static const double pull = 20;

static double strain_beyond(double t) {
    const double a = damping / (2 * mass), w = sqrt(stiffness / mass - a * a),
                 A = pull * damping / (stiffness * stiffness), B = (a * A - pull / stiffness) / w,
                 c = cos(w * t), s = sin(w * t);
    /* x'' of exp(-a t) (A c + B s) */
    const double bends =
        exp(-a * t) * ((a * a - w * w) * (A * c + B * s) - 2 * a * w * (B * c - A * s));
    return pull * t - mass * bends - hold;
}

/* A block that slides: v = v0 - mu g t. The spring's strain is mu N and its rate (mu N - k u)/D, so that k u = mu N (1 - exp(-k
 * t/D)); it sticks where k u + D v falls to mu N. */
static double slide_beyond(double t) {
    return hold * exp(-stiffness * t / damping) - damping * (1 - mu * g * t);
}

#define RUB "friction: {law: clutch, mu: 0.3, k: 1e4, damping: 150}"

static const struct {
    const char *joint, *owner, *push;
} blocks[] = {
    {"prismatic: {between: [world, b], axis: [1, 0, 0], %s load: 19.62, " RUB "}", "j",
     "[%s, 0, 0]"},
    {"prismatic: {between: [world, b], axis: [1, 0, 0], %s load: reaction, " RUB "}", "j",
     "[%s, 0, 0]"},
    {"planar: {between: [world, b], axis: [0, 0, 1], %s along: {way1: {load: reaction, " RUB "}}}",
     "j.way1", "[%s, 0, 0]"},
    {"cylindrical: {between: [world, b], axis: [1, 0, 0], %s along: {way: {load: reaction, " RUB
     "}}}",
     "j.way", "[%s, 0, 0]"}};

static void block_text(char *text, size_t size, size_t i, const char *start, const char *force) {
    char joint[400];
    snprintf(joint, sizeof joint, blocks[i].joint, start);
    snprintf(text, size,
             "bodies: {b: {mass: 2, inertia: [0.1, 0.1, 0.1]}}\njoints: {j: {%s}}\n"
             "forces: {f: {body: b, force: [\"%s\", 0, 0]}}\n",
             joint, force);
}

static void test_slip_begins(void **state) {
    (void)state;
    const double want = root_of(strain_beyond, 0.2, 0.4);
    for (size_t i = 0; i < ROWS(blocks); i++) {
        for (int way = 0; way < WAYS; way++) {
            for (size_t m = 0; m < ROWS(methods); m++) {
                char text[1000];
                seen s = {.count = 0};
                block_text(text, sizeof text, i, "", "(20 N/s)*t");
                run r = begin(text, way, methods[m], 1e-10);
                observe(r.sim, r.model, 0.4, &s);
                assert_int_equal(s.count, 1);
                /* the error of the strain, 1e-10 of its scale and a few times that, divided by its rate, which is its size in
                 * 0.3 s */
                assert_event(&s, 0, FF_SLIP, blocks[i].owner, want, 1e-8);
                finish(&r);
            }
        }
    }
}

static void test_stick_begins(void **state) {
    (void)state;
    const double want = root_of(slide_beyond, 0.01, 0.35);
    for (size_t i = 0; i < ROWS(blocks); i++) {
        for (int way = 0; way < WAYS; way++) {
            for (size_t m = 0; m < ROWS(methods); m++) {
                char text[1000];
                seen s = {.count = 0};
                block_text(text, sizeof text, i, i == 2 ? "velocity: [1, 0], " : "speed: 1, ",
                           "0 N");
                run r = begin(text, way, methods[m], 1e-10);
                observe(r.sim, r.model, want + 0.01, &s);
                assert_int_equal(s.count, 1);
                assert_event(&s, 0, FF_STICK, blocks[i].owner, want, 1e-8);
                finish(&r);
            }
        }
    }
}

/* ---- a load that passes through 0 ---- */

/* A rail is pulled with F and turned by a moment M (1 - t/T); its load is 2 |M| (1 - t/T)/L. When the transient of the spring has
 * died away, the strain is F, and slip begins where that exceeds mu times the load: T (1 - F L/(2 mu M)). */
typedef struct rail {
    double force, moment, zero, end;
    double way;  /* distance at the end, of converged runs (max_step 2e-5, tol 1e-12) */
    bool kinked; /* its force has a kink, later: slopes of all functions are found by differences */
} rail;

static void rail_text(char *text, size_t size, const rail *r) {
    snprintf(
        text, size,
        "gravity: [0, 0, 0]\nbodies: {slider: {mass: 1, inertia: 0.1}}\n"
        "joints: {rail: {prismatic: {between: [world, slider], axis: [1, 0, 0], bearing_length: 30 "
        "cm, load: reaction, friction: {law: clutch, mu: 0.3, k: 1e6, damping: 2000}}}}\n"
        "forces: {side: {body: slider, force: [\"%.17g N%s\", 0, 0], torque: [0, \"%.17g N m*(1 - "
        "t/%.17g "
        "s)\", 0]}}\n",
        r->force, r->kinked ? " + 0 N*abs(t/1 s - 1)" : "", r->moment, r->zero);
}

static void test_load_through_zero(void **state) {
    (void)state;
    static const rail rails[] = {{2.2619, 47.94, 0.1298, 0.2, 4.17583015e-5, false},
                                 {1.1342, 89.92, 0.0644, 0.2, 1.55418275e-6, false},
                                 {2.2619, 47.94, 0.1298, 0.2, 4.17583015e-5, true}};
    for (size_t i = 0; i < ROWS(rails); i++) {
        const rail *at = &rails[i];
        const double slips = at->zero * (1 - at->force * 0.3 / (2 * 0.3 * at->moment));
        for (double tol = 1e-5; tol > 0.9e-11; tol /= 10) {
            for (size_t m = 0; m < ROWS(methods); m++) {
                char text[1000];
                seen s = {.count = 0};
                rail_text(text, sizeof text, at);
                run r = begin(text, 0, methods[m], tol);
                observe(r.sim, r.model, at->end, &s);
                assert_int_equal(s.count, 2);
                /* the strain is known to tol of its scale, and changes by that in about 3 ms */
                assert_event(&s, 0, FF_SLIP, "rail", slips, 3e-3 * tol + 1e-10);
                assert_int_equal(s.at[1].kind, FF_STICK);
                assert_near(ff_sim_body(r.sim, 0).position[0], at->way,
                            (300 * tol + 1e-6) * at->way);
                const ff_statistics n = ff_sim_statistics(r.sim);
                assert_holds(n.steps < 5000, "%ld steps", n.steps);
                finish(&r);
            }
        }
    }
}

/* Without gravity, a joint that sticks comes to rest: it must not be asked for smaller and smaller errors. */
static void test_rest_ends(void **state) {
    (void)state;
    char text[1000];
    const rail at = {1.1342, 89.92, 0.0644, 0.2, 0, false};
    rail_text(text, sizeof text, &at);
    strcat(text, "run: {max_step: 20 us}\n");
    ff_model *model = model_of_text(text);
    ff_sim *sim;
    assert_int_equal(ff_sim_create(model, NULL, &sim, NULL), FF_OK);
    while (ff_sim_advance(sim, at.end) == FF_EVENT) {
    }
    /* 10,000 of the largest steps, and a few for its events */
    assert_true(ff_sim_time(sim) == at.end && ff_sim_statistics(sim).steps < 10200);
    ff_sim_free(sim);
    ff_model_free(model);
}

static uint64_t dice;

/* a pseudo-random number between two limits (Knuth's MMIX generator) */
static double roll(double low, double high) {
    dice = dice * 6364136223846793005u + 1442695040888963407u;
    return low + (high - low) * ((double)(dice >> 11) / 9007199254740992.0);
}

/* Random rails whose load passes through 0, touches it, or nearly does, at any tolerance and with all methods, against runs with
 * short steps. */
static void test_random_rails(void **state) {
    (void)state;
    enum { RAILS = 40 };
    dice = 20261119;
    for (int i = 0; i < RAILS; i++) {
        char scene[1500], load[200];
        const double at = roll(0.03, 0.17), size = roll(5, 120), k = pow(10, roll(4.5, 6.3)),
                     wave = roll(10, 100), shift = roll(0, 6);
        static const double misses[] = {0, 1e-4, -1e-4, -3e-3, 1e-3};
        if (i % 4 < 2) {
            snprintf(load, sizeof load, "0, \"%.17g N m*(1 - t/%.17g s)\", 0", size, at);
        } else if (i % 4 == 2) {
            snprintf(load, sizeof load, "0, \"%.17g N m*((t/1 s - %.17g)^2/0.04 + %g)\", 0",
                     20 * size, at, misses[i / 4 % 5]);
        } else {
            snprintf(
                load, sizeof load,
                "0, \"%.17g N m*sin(%.17g*t/1 s + %.17g)\", \"%.17g N m*cos(%.17g*t/1 s + %.17g)\"",
                size, wave, shift, 1e-3 * size, wave, shift);
        }
        snprintf(scene, sizeof scene,
                 "gravity: [0, 0, 0]\nbodies: {s: {mass: 1, inertia: 0.1}}\n"
                 "joints: {rail: {prismatic: {between: [world, s], axis: [1, 0, 0], "
                 "bearing_length: 30 cm, "
                 "load: reaction, friction: {law: clutch, mu: %.17g, k: %.17g, damping: %.17g}}}}\n"
                 "forces: {side: {body: s, force: [%.17g, 0, 0], torque: [%s]}}\n",
                 roll(0.1, 0.6), k, sqrt(k) * roll(0.5, 3), roll(0.2, 5), load);
        seen want = {.count = 0};
        char exact[2000];
        snprintf(exact, sizeof exact, "%srun: {tol: 1e-11, max_step: 200 us, method: dop853}\n",
                 scene);
        run r = {.model = model_of_text(exact)};
        assert_int_equal(ff_sim_create(r.model, NULL, &r.sim, NULL), FF_OK);
        observe(r.sim, r.model, 0.2, &want);
        const double x = ff_sim_body(r.sim, 0).position[0];
        finish(&r);
        for (size_t m = 0; m < ROWS(methods); m++) {
            const double tol = pow(10, roll(-11, -4));
            seen s = {.count = 0};
            r = begin(scene, 0, methods[m], tol);
            observe(r.sim, r.model, 0.2, &s);
            const double off = fabs(ff_sim_body(r.sim, 0).position[0] - x);
            assert_holds(s.count == want.count,
                         "rail %d, %s, tol %g: %zu events instead of %zu\n%s", i, methods[m], tol,
                         s.count, want.count, scene);
            for (size_t k2 = 0; k2 < s.count; k2++) {
                assert_int_equal(s.at[k2].kind, want.at[k2].kind);
            }
            /* the distance is the integral of a small speed, known to some hundred tol, and a position to tol of 1 m */
            assert_holds(off <= fmax(300 * pow(tol, 0.9), 1e-6) * fabs(x) + 0.1 * tol,
                         "rail %d, %s, tol %g: off by %g of %g\n%s", i, methods[m], tol, off, x,
                         scene);
            finish(&r);
        }
    }
}

/* ---- limits ---- */

/* A slider at constant speed meets an undamped stop after distance/speed, and leaves it after half a period. */
static void test_limits(void **state) {
    (void)state;
    const double k = 1e5, period = acos(-1) * sqrt(2 / k);
    for (int way = 0; way < WAYS; way++) {
        for (size_t m = 0; m < ROWS(methods); m++) {
            seen s = {.count = 0};
            run r = begin(
                "gravity: [0, 0, 0]\nbodies: {b: {mass: 2, inertia: [0.1, 0.1, 0.1]}}\n"
                "joints: {j: {prismatic: {between: [world, b], axis: [1, 0, 0], speed: 2, limits: "
                "{lower: -30 cm, upper: 50 cm, stiffness: 1e5}}}}\n",
                way, methods[m], 1e-10);
            observe(r.sim, r.model, 1, &s);
            assert_int_equal(s.count, 4);
            assert_event(&s, 0, FF_REACH_LIMIT, "j", 0.25, 1e-12);
            assert_event(&s, 1, FF_LEAVE_LIMIT, "j", 0.25 + period, 1e-9);
            assert_event(&s, 2, FF_REACH_LIMIT, "j", 0.65 + period, 1e-9);
            assert_event(&s, 3, FF_LEAVE_LIMIT, "j", 0.65 + 2 * period, 1e-9);
            finish(&r);
        }
    }
}

/* A body that is thrown up passes a limit by a micrometre at the top of its path, which no step looks at: v t - g t^2/2 = limit. */
static void test_limit_is_grazed(void **state) {
    (void)state;
    const double v = 3, top = v * v / (2 * g), beyond = 1e-6, wide = sqrt(2 * beyond / g);
    char scene[600];
    snprintf(scene, sizeof scene,
             "bodies: {b: {mass: 2, inertia: [0.1, 0.1, 0.1]}}\njoints: {j: {prismatic: {between: "
             "[world, b], "
             "axis: [0, 0, 1], speed: 3, limits: {upper: %.17g, stiffness: 1}}}}\n",
             top - beyond);
    for (size_t m = 0; m < ROWS(methods); m++) {
        seen s = {.count = 0};
        run r = begin(scene, 0, methods[m], 1e-9);
        observe(r.sim, r.model, 0.6, &s);
        assert_int_equal(s.count, 2);
        /* the stop changes the acceleration by 1e-7 of itself */
        assert_event(&s, 0, FF_REACH_LIMIT, "j", v / g - wide, 1e-9);
        assert_event(&s, 1, FF_LEAVE_LIMIT, "j", v / g + wide, 1e-9);
        finish(&r);
    }
}

/* The swing of a spherical joint, and coordinates of others: 3 rad/s reach 1 rad after 1/3 s. */
static void test_limits_of_joints(void **state) {
    (void)state;
    static const struct {
        const char *joint, *owner;
    } cases[] = {{"spherical: {between: [world, b], rates: [3, 0, 0], axis: [0, 0, 1], limits: "
                  "{upper: 1 rad, "
                  "stiffness: 1e3}}",
                  "j"},
                 {"cylindrical: {between: [world, b], axis: [1, 0, 0], rate: 3, along: {angle: "
                  "{limits: {upper: 1 rad, "
                  "stiffness: 1e3}}}}",
                  "j.angle"},
                 {"universal: {between: [world, b], axis: [1, 0, 0], second_axis: [0, 1, 0], "
                  "rates: [3, 0], along: "
                  "{angle1: {limits: {upper: 1 rad, stiffness: 1e3}}}}",
                  "j.angle1"}};
    for (size_t i = 0; i < ROWS(cases); i++) {
        for (int way = 0; way < WAYS; way++) {
            char text[600];
            seen s = {.count = 0};
            snprintf(
                text, sizeof text,
                "gravity: [0, 0, 0]\nbodies: {b: {mass: 2, inertia: [0.1, 0.1, 0.1]}}\njoints: {j: "
                "{%s}}\n",
                cases[i].joint);
            run r = begin(text, way, "auto", 1e-10);
            observe(r.sim, r.model, 1.0 / 3 + 0.01, &s);
            assert_int_equal(s.count, 1);
            assert_event(&s, 0, FF_REACH_LIMIT, cases[i].owner, 1.0 / 3, 1e-9);
            finish(&r);
        }
    }
}

/* A stop whose force begins with a jump, since its damper acts at once, and that lets go where it would pull: m z'' = -(k z + c
 * z'), so that with d = c/2m, w^2 = k/m - d^2
 *     z' = v exp(-d t) (cos w t - (d/w) sin w t),   z = (v/w) exp(-d t) sin w t.
 * The force ends where k z = -c z', tan w t = -2 d w/(w^2 - d^2); after that z' is constant. */
static void test_stop_jumps(void **state) {
    (void)state;
    const double k = 1e5, c = 200, m = 2, v = 2, d = c / (2 * m), w = sqrt(k / m - d * d),
                 ends = (acos(-1) - atan2(2 * d * w, w * w - d * d)) / w,
                 z = v / w * exp(-d * ends) * sin(w * ends),
                 back = v * exp(-d * ends) * (cos(w * ends) - d / w * sin(w * ends));
    for (int way = 0; way < WAYS; way++) {
        for (size_t i = 0; i < ROWS(methods); i++) {
            seen s = {.count = 0};
            run r =
                begin("gravity: [0, 0, 0]\nbodies: {b: {mass: 2, inertia: [0.1, 0.1, 0.1]}}\n"
                      "joints: {j: {prismatic: {between: [world, b], axis: [1, 0, 0], speed: 2, "
                      "limits: {upper: 50 cm, law: linear, k: 1e5, lambda: 200}}}}\n",
                      way, methods[i], 1e-10);
            observe(r.sim, r.model, 0.5, &s);
            assert_int_equal(s.count, 2);
            assert_event(&s, 0, FF_REACH_LIMIT, "j", 0.25, 1e-12);
            assert_event(&s, 1, FF_LEAVE_LIMIT, "j", 0.25 + ends - z / back, 1e-8);
            assert_near(ff_sim_joint(r.sim, 0).rate[0], back, 1e-7);
            const ff_ledger l = ff_sim_ledger(r.sim);
            assert_holds(fabs(l.residual) <= 1e-8 * l.scale, "residual %g", l.residual / l.scale);
            finish(&r);
        }
    }
}

/* The ramp of a spherical joint's friction and that of a rail have kinks but no events; nothing is located without events. */
static void test_kinks_are_no_events(void **state) {
    (void)state;
    static const char *const joints[] = {
        "spherical: {between: [world, b], rates: [3, 1, 0], bearing_radius: 5 cm, load: reaction, "
        "friction: {law: coulomb, mu: 0.1, v_ramp: 1e-2}}",
        "prismatic: {between: [world, b], axis: [1, 0, 0], speed: 0.5, load: 10, "
        "friction: {law: coulomb, mu: 0.1, v_ramp: 1e-2}}"};
    for (size_t i = 0; i < ROWS(joints); i++) {
        char text[600];
        snprintf(text, sizeof text,
                 "bodies: {b: {mass: 2, inertia: [0.1, 0.1, 0.1]}}\njoints: {j: {%s}}\n",
                 joints[i]);
        seen s = {.count = 0};
        run r = begin(text, 0, "auto", 1e-9);
        observe(r.sim, r.model, 5, &s);
        assert_int_equal(s.count, 0);
        /* far below the ramp */
        assert_true(r.sim->edges.count == 1 && fabs(ff_sim_joint(r.sim, 0).rate[0]) < 1e-3 &&
                    !r.sim->phase.rubbing[0]);
        finish(&r);
    }
    char text[1000];
    seen s = {.count = 0};
    rail_text(text, sizeof text, &(rail){2.2619, 47.94, 0.1298, 0.2, 0, false});
    strcat(text, "run: {events: none, method: rk4, dt: 10 us}\n");
    ff_model *model = model_of_text(text);
    ff_sim *sim;
    assert_int_equal(ff_sim_create(model, NULL, &sim, NULL), FF_OK);
    observe(sim, model, 0.2, &s);
    assert_int_equal(s.count, 0);
    assert_near(ff_sim_body(sim, 0).position[0], 4.17583015e-5, 1e-3 * 4.2e-5);
    ff_sim_free(sim);
    ff_model_free(model);
}

/* ---- rolling and twist ---- */

/* A ball spins on the ground with a slider of rolling friction: I w' = -mu N R, and its spring sticks where
 * D R w = mu N exp(-k t/D), with u = 0 and D R w0 > mu N at the start (as for a block above). Twist has an arm a instead of R. */
static double spin_at, spin_rate, spin_hold;

static double spin_beyond(double t) {
    return spin_hold * exp(-1e6 * t / 1e3) - 1e3 * (spin_at - spin_rate * t);
}

static void test_turning(void **state) {
    (void)state;
    const double radius = 0.1, ball = 2, arm = 0.02, inertia = 0.4 * ball * radius * radius,
                 turn = 5;
    for (int twist = 0; twist < 2; twist++) {
        const double lever = twist ? arm : radius;
        char text[1200];
        /* at the depth where the spring of the floor carries its weight */
        snprintf(text, sizeof text,
                 "bodies: {ball: {mass: 2, shape: {sphere: {radius: 10 cm}}, inertia: %.17g, "
                 "position: [0, 0, "
                 "%.17g], omega: [%g, 0, %g]}}\nground: {floor: {plane: {point: [0, 0, 0], normal: "
                 "[0, 0, 1]}}}\n"
                 "pairs: [{between: [ball, floor], normal: {law: hunt-crossley, k: 1e7, lambda: "
                 "1e6}, friction: "
                 "{law: none}, %s: {law: clutch, mu: 0.05, k: 1e6, damping: 1e3%s}}]\n",
                 inertia, radius - pow(ball * g / 1e7, 2.0 / 3), twist ? 0 : turn, twist ? turn : 0,
                 twist ? "twist" : "rolling", twist ? ", arm: 2 cm" : "");
        spin_hold = 0.05 * ball * g;
        spin_at = turn * lever;
        spin_rate = spin_hold * lever * lever / inertia;
        const double want = root_of(spin_beyond, 1e-3, 1.01 * spin_at / spin_rate);
        for (size_t m = 0; m < ROWS(methods); m++) {
            for (double tol = 1e-4; tol > 0.9e-10; tol /= 1e3) {
                seen s = {.count = 0};
                run r = begin(text, 0, methods[m], tol);
                observe(r.sim, r.model, want + 1e-3, &s);
                size_t found = 0, at = 0;
                for (size_t i = 0; i < s.count; i++) {
                    const bool ours =
                        s.at[i].kind >= FF_ROLL_STICK && s.at[i].kind <= FF_TWIST_SLIP;
                    found += ours;
                    at = ours ? i : at;
                }
                assert_holds(found == 1, "%s, tol %g: %zu of %zu events", methods[m], tol, found,
                             s.count);
                assert_event(&s, at, twist ? FF_TWIST_STICK : FF_ROLL_STICK, "ball/floor", want,
                             (30 * tol + 1e-8) * want);
                finish(&r);
            }
        }
    }
}

/* ---- interrupted runs ---- */

/* A run that is saved and restored continues bit for bit, with the modes of joints; a mode that a joint cannot have is refused. */
static void test_restore(void **state) {
    (void)state;
    char text[1000];
    const rail at = {2.2619, 47.94, 0.1298, 0.2, 0, false};
    rail_text(text, sizeof text, &at);
    for (double stop = 0.05; stop < 0.2; stop += 0.0427) {
        run a = begin(text, 0, "auto", 1e-9), b = begin(text, 0, "auto", 1e-9);
        seen s = {.count = 0};
        observe(a.sim, a.model, stop, &s);
        const size_t size = ff_sim_state_size(a.sim);
        void *saved = malloc(size);
        assert_non_null(saved);
        ff_sim_save(a.sim, saved);
        assert_int_equal(ff_sim_restore(b.sim, saved, size), FF_OK);
        observe(a.sim, a.model, at.end, &s);
        observe(b.sim, b.model, at.end, &s);
        const ff_motion p = ff_sim_body(a.sim, 0), q = ff_sim_body(b.sim, 0);
        assert_memory_equal(&p, &q, sizeof p);
        const ff_statistics m = ff_sim_statistics(a.sim), n = ff_sim_statistics(b.sim);
        assert_true(m.steps == n.steps && m.evaluations == n.evaluations);
        free(saved);
        finish(&a);
        finish(&b);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_slip_begins),       cmocka_unit_test(test_stick_begins),
    cmocka_unit_test(test_load_through_zero), cmocka_unit_test(test_rest_ends),
    cmocka_unit_test(test_random_rails),      cmocka_unit_test(test_limits),
    cmocka_unit_test(test_limit_is_grazed),   cmocka_unit_test(test_limits_of_joints),
    cmocka_unit_test(test_stop_jumps),        cmocka_unit_test(test_kinks_are_no_events),
    cmocka_unit_test(test_turning),           cmocka_unit_test(test_restore)};

CHECK_MAIN(tests)
