/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "body/vector.h"
#include "model/model.h"
#include "motion.h"
#include "scene_text.h"
#include <stdlib.h>

/* The orientation of round bodies, which is not integrated with the rest, where omega changes its direction. */

#define BALL(omega, torque)                                                                        \
    "gravity: [0, 0, 0]\n"                                                                         \
    "bodies:\n"                                                                                    \
    "  ball: {mass: 1 kg, inertia: 0.004, shape: {sphere: {radius: 10 cm}}, omega: [" omega "]}\n" \
    "forces: {twist: {body: ball, torque: [" torque "]}}\n"

enum { PARTS = 20000 };

/* ---- references ---- */

/* omega = (20 t, 0, 20) */
static void steady(double t, double w[3]) {
    w[0] = 20 * t;
    w[1] = 0;
    w[2] = 20;
}
static void waving(double t, double w[3]) {
    w[0] = 1 + 75 * (1 - cos(7 * t)) / 7;
    w[1] = 2 + 50 * sin(5 * t) / 5;
    w[2] = 20;
}
static void dragged(double t, double w[3]) {
    const double rest = exp(-2.5 * t);
    w[0] = 10 - 7 * rest;
    w[1] = 4 * rest;
    w[2] = 30 * rest;
}
/* torque = 0.02 omega x z: omega turns about z at -5 rad/s */
static void precessing(double t, double w[3]) {
    const double c = cos(5 * t), s = sin(5 * t);
    w[0] = 3 * c + 4 * s;
    w[1] = 4 * c - 3 * s;
    w[2] = 30;
}
/* omega of 1000 rad/s that is turned slowly */
static void fast(double t, double w[3]) {
    w[0] = 20 * t;
    w[1] = 0;
    w[2] = 1000;
}

typedef void (*motion)(double t, double w[3]);

/* The product of rotations by the Magnus series of order 4 at Gauss points, over parts of `end`. The error is about (|w| h)^4
 * |w'|/720 h: 1e-14 rad at 40 rad/s and 20,000 parts in a second. */
static void product(motion omega, double end, long parts, double q[4]) {
    const double h = end / (double)parts, off = sqrt(3) / 6;
    for (long i = 0; i < parts; i++) {
        double a[3], b[3], twist[3], by[3];
        omega(((double)i + 0.5 - off) * h, a);
        omega(((double)i + 0.5 + off) * h, b);
        ff_cross(b, a, twist);
        for (int c = 0; c < 3; c++) {
            by[c] = h * (a[c] + b[c]) / 2 + off / 2 * h * h * twist[c];
        }
        ff_quaternion_turn(q, by);
    }
}

static double apart(const double a[4], const double b[4]) {
    double out = 0;
    for (int c = 0; c < 4; c++) {
        out = fmax(out, fabs(a[c] - b[c]));
    }
    return out;
}

static ff_sim *sim_of(const ff_model *model, ff_method method, double tol, double longest) {
    ff_run_options o = *ff_model_run(model);
    ff_sim *sim;
    o.method = method;
    o.tol = tol;
    o.max_step = longest;
    assert_int_equal(ff_sim_create(model, &o, &sim, NULL), FF_OK);
    return sim;
}

static const struct {
    const char *text;
    motion omega;
    long parts;
} turned[] = {
    {BALL("0, 0, 20", "0.08 N m, 0, 0"), steady, PARTS},
    {BALL("1, 2, 20", "\"0.3 N m*sin((7 Hz)*t)\", \"0.2 N m*cos((5 Hz)*t)\", 0"), waving, PARTS},
    {BALL("3, 4, 30", "\"0.1 N m - (0.01 N m s)*ball.omega[0]\", "
                      "\"-(0.01 N m s)*ball.omega[1]\", \"-(0.01 N m s)*ball.omega[2]\""),
     dragged, PARTS},
    {BALL("3, 4, 30", "\"(0.02 N m s)*ball.omega[1]\", \"-(0.02 N m s)*ball.omega[0]\", 0"),
     precessing, PARTS},
    /* 1000 rad/s take parts 20 times as short */
    {BALL("0, 0, 1000", "0.08 N m, 0, 0"), fast, 20 * PARTS},
};

/* The product agrees with a closed form: seen from axes that turn with omega about z, omega is constant. */
static void test_reference(void **state) {
    (void)state;
    double q[4] = {1, 0, 0, 0}, closed[4] = {1, 0, 0, 0};
    ff_quaternion_turn(closed, (double[]){3, 4, 35});
    ff_quaternion_turn(closed, (double[]){0, 0, -5});
    product(precessing, 1, PARTS, q);
    assert_true(apart(q, closed) < 1e-12);
}

/* ---- accuracy ---- */

/* The error of an orientation is below a tenth of the tolerance: each step adds at most 0.03 tolerances, few steps as much. Rounding
 * of angles and of the products is 1e-12. Orders below 4 take too many steps at 1e-12. */
static void test_torques(void **state) {
    (void)state;
    static const ff_method methods[] = {FF_AUTO, FF_DOPRI5, FF_DOP853, FF_RODAS, FF_ROSENBROCK};
    static const double tols[] = {1e-6, 1e-9, 1e-12};
    for (size_t i = 0; i < ROWS(turned); i++) {
        ff_model *model = model_of_text(turned[i].text);
        double q[4] = {1, 0, 0, 0};
        product(turned[i].omega, 1, turned[i].parts, q);
        for (size_t m = 0; m < ROWS(methods); m++) {
            for (size_t k = 0; k < ROWS(tols) - (m > 2 ? m - 2 : 0); k++) {
                ff_sim *sim = sim_of(model, methods[m], tols[k], INFINITY);
                assert_int_equal(ff_sim_advance(sim, 1), FF_OK);
                const double off = apart(ff_sim_body(sim, 0).orientation, q);
                assert_holds(off <= 0.1 * tols[k] + 1e-12, "%zu, %s at %g: off by %g", i,
                             ff_method_name(methods[m]), tols[k], off);
                /* a constant torque limits no step */
                assert_true((turned[i].omega != steady && turned[i].omega != fast) ||
                            ff_sim_statistics(sim).steps < 15);
                ff_sim_free(sim);
            }
        }
        ff_model_free(model);
    }
}

/* Between the ends of steps the orientation is as accurate, and continuous: just before the end of a step it is that of the end
 * to within the angle in between. */
static void test_within(void **state) {
    (void)state;
    static const ff_method methods[] = {FF_DOPRI5, FF_DOP853, FF_RODAS};
    enum { LOOKS = 7 };
    for (size_t m = 0; m < ROWS(methods); m++) {
        for (size_t i = 0; i < 2; i++) {
            ff_model *model = model_of_text(turned[i].text);
            ff_sim *sim = sim_of(model, methods[m], 1e-9, INFINITY);
            while (ff_sim_time(sim) < 1) {
                const double from = ff_sim_time(sim);
                assert_int_equal(ff_sim_step(sim, 1), FF_OK);
                const double to = ff_sim_time(sim), near = to - 1e-9 * (to - from);
                const ff_motion end = ff_sim_body(sim, 0);
                for (int k = 1; k <= LOOKS && methods[m] != FF_RODAS; k++) {
                    const double at = from + (to - from) * k / (LOOKS + 1);
                    double q[4] = {1, 0, 0, 0};
                    product(turned[i].omega, at, 4000, q);
                    ff_sim_observe(sim, at);
                    const double off = apart(ff_sim_body(sim, 0).orientation, q);
                    assert_holds(off < 1e-8, "%zu, %s at %g s: off by %g", i,
                                 ff_method_name(methods[m]), at, off);
                }
                /* the body turns by up to 50 rad/s */
                ff_sim_observe(sim, near);
                const double jump = apart(ff_sim_body(sim, 0).orientation, end.orientation);
                assert_holds(jump < 50 * (to - near) + 1e-13, "%zu, %s: jumps by %g at %g s", i,
                             ff_method_name(methods[m]), jump, to);
                ff_sim_observe(sim, NAN);
            }
            ff_sim_free(sim);
            ff_model_free(model);
        }
    }
}

/* ---- cost ---- */

/* Spin that nothing reads costs nothing: free, with a torque along it, or falling. The orientation is exact to the rounding of the
 * angle, 1e5 rad times 2e-16. */
static void test_spin(void **state) {
    (void)state;
    static const char *const torques[] = {"0, 0, 0", "0, 0, 0.08 N m"};
    static const double pace[] = {0, 20};
    static const ff_method methods[] = {FF_AUTO, FF_DOPRI5, FF_DOP853, FF_RODAS};
    for (size_t i = 0; i < ROWS(torques); i++) {
        for (size_t m = 0; m < ROWS(methods); m++) {
            char text[2][1000];
            ff_statistics cost[2];
            for (int spins = 0; spins < 2; spins++) {
                snprintf(text[spins], sizeof text[spins],
                         BALL("0, 0, %g", "%s") "ground: {floor: {plane: {point: [0, 0, -100], "
                                                "normal: [0, 0, 1]}}}\n",
                         spins ? 1e5 : 1., torques[i]);
                ff_model *model = model_of_text(text[spins]);
                ff_sim *sim = sim_of(model, methods[m], 1e-9, INFINITY);
                assert_int_equal(ff_sim_advance(sim, 1), FF_OK);
                cost[spins] = ff_sim_statistics(sim);
                const double angle = (spins ? 1e5 : 1) + pace[i] / 2;
                const double q[4] = {cos(angle / 2), 0, 0, sin(angle / 2)};
                const double off = apart(ff_sim_body(sim, 0).orientation, q);
                assert_holds(off < 5e-11, "%s: off by %g", torques[i], off);
                ff_sim_free(sim);
                ff_model_free(model);
            }
            /* the first step is shorter for a faster motion */
            assert_true(cost[1].steps <= cost[0].steps + 2 && cost[1].steps < 10);
        }
    }
}

/* A ball of 1e5 rad/s whose axis turns: no more steps either. Its orientation has the rounding errors of an angle of 1e5 rad in
 * the product, too: 1e-10. */
static void test_fast_axis(void **state) {
    (void)state;
    ff_model *model = model_of_text(BALL("0, 0, 1e5", "0.08 N m, 0, 0"));
    ff_sim *sim = sim_of(model, FF_AUTO, 1e-9, INFINITY);
    assert_int_equal(ff_sim_advance(sim, 0.1), FF_OK);
    const ff_motion whole = ff_sim_body(sim, 0);
    assert_true(ff_sim_statistics(sim).steps < 10);
    ff_sim *shorter = sim_of(model, FF_AUTO, 1e-12, 1e-4);
    assert_int_equal(ff_sim_advance(shorter, 0.1), FF_OK);
    assert_near(apart(whole.orientation, ff_sim_body(shorter, 0).orientation), 0, 1e-9);
    ff_sim_free(shorter);
    ff_sim_free(sim);
    ff_model_free(model);
}

/* ---- contacts ---- */

#define THROWN                                                                                     \
    "gravity: [0, 0, -9.81]\n"                                                                     \
    "bodies:\n"                                                                                    \
    "  ball: {mass: 154 g, shape: {sphere: {radius: 1.65 cm}}, position: [0, 0, 3 cm],\n"          \
    "    velocity: [0.5, 0.5, 0], omega: [30, 10, 50]}\n"                                          \
    "ground: {floor: {plane: {normal: [0, 0, 1]}}}\n"                                              \
    "pairs:\n"                                                                                     \
    "  - between: [ball, floor]\n"                                                                 \
    "    normal: {law: azad-featherstone, k: 8.5e6, lambda: 3.1e3}\n"                              \
    "    friction: {law: clutch, k: 12.75e6, damping: 3.1e3, mu: 0.2, viscous: 0.1}\n"

/* Bounces with friction, in steps of transformed time after touch-downs, and steps whose ends are moved to events: as with short
 * steps. Here, too, errors of steps add up to less than the tolerance, to 0.1 of it; rounding of a
 * thousand steps, magnified by impacts, to 3e-12. */
static void test_bounces(void **state) {
    (void)state;
    static const ff_method methods[] = {FF_AUTO, FF_DOPRI5, FF_DOP853};
    static const double tols[] = {1e-6, 1e-9, 1e-11};
    ff_model *model = model_of_text(THROWN);
    double q[4];
    for (int fine = 1; fine >= 0; fine--) {
        for (size_t m = 0; m < (fine ? 1 : ROWS(methods)); m++) {
            for (size_t k = 0; k < (fine ? 1 : ROWS(tols)); k++) {
                ff_sim *sim = sim_of(model, fine ? FF_DOPRI5 : methods[m], fine ? 1e-13 : tols[k],
                                     fine ? 2e-5 : (double)INFINITY);
                ff_status status;
                while ((status = ff_sim_advance(sim, 0.4)) == FF_EVENT) {
                    ;
                }
                assert_int_equal(status, FF_OK);
                const ff_motion at = ff_sim_body(sim, 0);
                if (fine) {
                    memcpy(q, at.orientation, sizeof q);
                } else {
                    const double off = apart(at.orientation, q);
                    assert_holds(off <= 0.15 * tols[k] + 3e-12, "%s at %g: off by %g",
                                 ff_method_name(methods[m]), tols[k], off);
                }
                ff_sim_free(sim);
            }
        }
    }
    ff_model_free(model);
}

/* Orientations before and after the ends of steps differ by no more than the ball turns: also where the end of a step was moved
 * to an event along its interpolant or its last rates. */
static void test_continuous(void **state) {
    (void)state;
    static const ff_method methods[] = {FF_DOPRI5, FF_DOP853, FF_RODAS};
    ff_model *model = model_of_text(THROWN);
    for (size_t m = 0; m < ROWS(methods); m++) {
        ff_sim *sim = sim_of(model, methods[m], 1e-7, INFINITY);
        ff_motion last = ff_sim_body(sim, 0);
        while (ff_sim_time(sim) < 0.2) {
            const double from = ff_sim_time(sim);
            const ff_status status = ff_sim_step(sim, 0.2);
            assert_true(status == FF_OK || status == FF_EVENT);
            const double to = ff_sim_time(sim), part = 1e-6 * (to - from);
            const ff_motion end = ff_sim_body(sim, 0);
            /* what follows an event is not observed */
            for (int k = 0; k < 2 && to > from && to - part < to; k++) {
                ff_sim_observe(sim, k ? to - part : from + part);
                /* turns by up to 60 rad/s; 1e-13: rounding */
                const double jump =
                    apart(ff_sim_body(sim, 0).orientation, k ? end.orientation : last.orientation);
                assert_holds(jump < 60 * part + 1e-13, "%s: %g at %g s", ff_method_name(methods[m]),
                             jump, to);
            }
            ff_sim_observe(sim, NAN);
            last = end;
        }
        ff_sim_free(sim);
    }
    ff_model_free(model);
}

/* ---- readers ---- */

/* when q[1] of the first ball of `turned` crosses 0 for the n-th time, by bisection of the product */
static double crossing(int n) {
    const double h = 1e-3;
    double q[4] = {1, 0, 0, 0}, t = 0;
    for (;; t += h) {
        double next[4] = {1, 0, 0, 0};
        product(steady, t + h, 2000, next);
        if (t > 0 && (q[1] < 0) != (next[1] < 0) && --n == 0) {
            break;
        }
        memcpy(q, next, sizeof q);
    }
    double low = t, high = t + h;
    for (int k = 0; k < 30; k++) {
        double middle = (low + high) / 2, at[4] = {1, 0, 0, 0};
        product(steady, middle, PARTS, at);
        *((at[1] < 0) == (q[1] < 0) ? &low : &high) = middle;
    }
    return low;
}

static double first_of(void *user, double time, const ff_motion *bodies) {
    (void)user;
    (void)time;
    return bodies[0].orientation[1];
}

/* Events on an orientation are located to 1e-9 s, those of expressions and of functions in C. */
static void test_events(void **state) {
    (void)state;
    for (int own = 0; own < 2; own++) {
        ff_scene *scene = parse_text(
            own ? BALL("0, 0, 20", "0.08 N m, 0, 0")
                : BALL("0, 0, 20", "0.08 N m, 0, 0") "events: {flip: \"ball.orientation[1]\"}\n");
        if (own) {
            assert_true(ff_scene_add_event(scene, first_of, NULL) >= 0);
        }
        ff_model *model = compiled(scene);
        ff_sim *sim = sim_of(model, FF_AUTO, 1e-11, INFINITY);
        int count = 0;
        ff_status status;
        while ((status = ff_sim_advance(sim, 1)) == FF_EVENT) {
            if (ff_sim_time(sim) > 1e-6) {
                assert_near(ff_sim_time(sim), crossing(++count), 1e-9);
            }
        }
        assert_int_equal(status, FF_OK);
        assert_true(count >= 3);
        ff_sim_free(sim);
        ff_model_free(model);
    }
}

/* Events that have nothing to do with the orientation end steps: it is that of the time of the event, and step sizes are those of
 * the run without it. */
static void test_cut(void **state) {
    (void)state;
    static const ff_method methods[] = {FF_DOPRI5, FF_DOP853, FF_RODAS};
    ff_scene *scene = parse_text(BALL("1, 2, 20", "\"0.3 N m*sin((7 Hz)*t)\", \"0.2 N m*cos((5 "
                                                  "Hz)*t)\", 0") "events: {wave: \"sin(t/(17 ms)) "
                                                                 "+ 0.1*ball.omega[0]/(1 Hz)\"}\n");
    ff_model *model = compiled(scene);
    for (size_t m = 0; m < ROWS(methods); m++) {
        const double tol = methods[m] == FF_RODAS ? 1e-7 : 1e-10;
        ff_sim *sim = sim_of(model, methods[m], tol, INFINITY);
        int count = 0;
        ff_status status;
        while ((status = ff_sim_advance(sim, 0.6)) == FF_EVENT) {
            double q[4] = {1, 0, 0, 0};
            product(waving, ff_sim_time(sim), 4000, q);
            const double off = apart(ff_sim_body(sim, 0).orientation, q);
            assert_holds(off < 0.1 * tol + 1e-12, "%s at %g s: off by %g",
                         ff_method_name(methods[m]), ff_sim_time(sim), off);
            count++;
        }
        assert_int_equal(status, FF_OK);
        assert_true(count >= 3);
        ff_sim_free(sim);
    }
    ff_model_free(model);
}

static double value_of(ff_sim *sim, const ff_model *model, const char *path) {
    size_t field, part;
    double values[16];
    assert_int_equal(ff_model_field_find(model, path, &field, &part, NULL), FF_OK);
    assert_int_equal(ff_sim_get(sim, field, values), FF_OK);
    return values[part == SIZE_MAX ? 0 : part];
}

/* Whatever reads the orientation of a ball puts it into the rates, and nothing else does. */
static void test_readers(void **state) {
    (void)state;
    static const struct {
        const char *text;
        bool reads;
    } cases[] = {
        {"", false},
        {"events: {e: \"ball.omega[1]\"}\n", false},
        {"events: {e: \"ball.orientation[3]\"}\n", true},
        {"controllers: {c: {every: 1 ms, states: {x: 0}, next: {x: \"ball.position[0]/(1 m)\"}}}\n",
         false},
        {"controllers: {c: {every: 1 ms, states: {x: 0}, next: {x: \"ball.orientation[0]\"}}}\n",
         true},
        {"controllers: {c: {states: {x: 0}, rates: {x: \"ball.orientation[2]/(1 s)\"}}}\n", true},
        {"events: {e: \"ball.omega[1]\"}\n"
         "controllers: {c: {states: {x: 0}, on: {rising e: {x: \"ball.orientation[1]\"}}}}\n",
         true},
    };
    for (size_t i = 0; i < ROWS(cases); i++) {
        char text[2000];
        snprintf(text, sizeof text, "%s%s", BALL("0, 0, 20", "0.08 N m, 0, 0"), cases[i].text);
        ff_model *model = model_of_text(text);
        assert_holds(ff_turns_apart(model, 0) == !cases[i].reads, "%s", cases[i].text);
        ff_model_free(model);
    }
}

/* A sampled controller sees the orientation at its samples: the sum of what it read is that of the reference. */
static void test_samples(void **state) {
    (void)state;
    ff_model *model = model_of_text(
        BALL("0, 0, 20", "0.08 N m, 0, 0") "controllers:\n"
                                           "  eye: {every: 100 ms, states: {sum: 0}, "
                                           "next: {sum: \"sum + ball.orientation[1]\"}}\n");
    ff_sim *sim = sim_of(model, FF_AUTO, 1e-10, INFINITY);
    assert_int_equal(ff_sim_advance(sim, 0.95), FF_OK);
    double sum = 0;
    for (int k = 0; k < 10; k++) {
        double q[4] = {1, 0, 0, 0};
        product(steady, 0.1 * k, 4000, q);
        sum += q[1];
    }
    assert_near(value_of(sim, model, "controllers.eye.sum"), sum, 1e-9);
    ff_sim_free(sim);
    ff_model_free(model);
}

/* Saved and restored within a run, and observed in between: the same bits. */
static void test_restored(void **state) {
    (void)state;
    ff_model *model = model_of_text(turned[1].text);
    ff_sim *one = sim_of(model, FF_DOP853, 1e-9, INFINITY),
           *other = sim_of(model, FF_DOP853, 1e-9, INFINITY);
    const size_t size = ff_sim_state_size(one);
    void *block = malloc(size);
    while (ff_sim_time(one) < 1) {
        assert_int_equal(ff_sim_step(one, 1), FF_OK);
        assert_int_equal(ff_sim_step(other, 1), FF_OK);
        ff_sim_observe(other, ff_sim_time(other) * (1 - 1e-3));
        ff_sim_save(other, block);
        assert_int_equal(ff_sim_restore(other, block, size), FF_OK);
        const ff_motion a = ff_sim_body(one, 0), b = ff_sim_body(other, 0);
        assert_memory_equal(&a, &b, sizeof a);
    }
    free(block);
    ff_sim_free(one);
    ff_sim_free(other);
    ff_model_free(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reference),  cmocka_unit_test(test_torques),
        cmocka_unit_test(test_within),     cmocka_unit_test(test_spin),
        cmocka_unit_test(test_fast_axis),  cmocka_unit_test(test_bounces),
        cmocka_unit_test(test_continuous), cmocka_unit_test(test_events),
        cmocka_unit_test(test_cut),        cmocka_unit_test(test_readers),
        cmocka_unit_test(test_samples),    cmocka_unit_test(test_restored),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
