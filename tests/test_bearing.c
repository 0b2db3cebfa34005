/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "mechanisms.h"

/* Joint friction under the joint's own reactions, in both formulations. */

static double length(const double a[3]) { return sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]); }

#define RAIL(keys)                                                                                 \
    "parameters: {slope: 30 deg}\n"                                                                \
    "bodies: {block: {mass: 3, inertia: [0.1, 0.1, 0.1]}}\n"                                       \
    "joints: {rail: {prismatic: {between: [world, block], axis: [cos(slope), 0, -sin(slope)], "    \
    "distance: 0, speed: 0.5, friction: {law: coulomb, mu: 0.2, v_ramp: 1e-6}, load: "             \
    "reaction" keys "}}}\n"

/* A block on a slope slides with g (sin - mu cos). With its centre of mass at d ahead of the middle of two
 * bearings L apart, the load is 2 m g cos d/L if that exceeds its weight normal to the rail. */
static void test_slope(void **state) {
    (void)state;
    static const struct {
        const char *keys;
        double times;
    } cases[] = {
        {"", 1},
        {", second_anchor: [0, 0, -0.2]", 1},
        {", second_anchor: [-0.1 m*cos(slope), 0, 0.1 m*sin(slope)], bearing_length: 0.4", 1},
        {", second_anchor: [-0.3 m*cos(slope), 0, 0.3 m*sin(slope)], bearing_length: 0.4", 1.5}};
    const double s = sin(acos(-1) / 6), c = cos(acos(-1) / 6);
    for (int way = 0; way < WAYS; way++) {
        for (size_t i = 0; i < ROWS(cases); i++) {
            char scene[1000];
            snprintf(scene, sizeof scene, RAIL("%s"), cases[i].keys);
            run r = start(scene, way, "");
            const double a = 9.81 * (s - 0.2 * cases[i].times * c);
            for (double t = 0.2; t < 1.1; t += 0.4) {
                ff_joint_record at = advance(&r, t, 0);
                assert_near(at.position[0], 0.5 * t + a * t * t / 2, 1e-11);
                assert_near(at.rate[0], 0.5 + a * t, 1e-11);
                assert_near(at.effort[0], -0.2 * cases[i].times * 3 * 9.81 * c, 1e-11);
                assert_near(ff_sim_ledger(r.sim).dampers, -at.effort[0] * at.position[0], 1e-9);
            }
            finish(&r);
        }
    }
}

/* ---- a pendulum in a plain bearing ---- */

static const double m = 2, l = 0.5, inertia = 0.1, mu = 0.4, radius = 0.08, g = 9.81;

/* The angular acceleration b of a pendulum at the angle a from the vertical: (I + m l^2) b = -m g l sin a - mu r N
 * sgn(rate),   N = m |(g cos a + l rate^2, l b + g sin a)|. The right side decreases more slowly with b than the
 * left side grows: solved by bisection, to rounding. */
static double fall(double a, double rate) {
    const double sign = rate > 0 ? 1 : rate < 0 ? -1 : 0;
    double low = -1e3, high = 1e3;
    for (int i = 0; i < 100; i++) {
        const double b = (low + high) / 2, radial = m * (g * cos(a) + l * rate * rate),
                     across = m * (l * b + g * sin(a)),
                     left = (inertia + m * l * l) * b + m * g * l * sin(a) +
                            sign * mu * radius * sqrt(radial * radial + across * across);
        *(left > 0 ? &high : &low) = b;
    }
    return (low + high) / 2;
}

static void reference(double until, double *a, double *rate) {
    const int steps = 4000;
    const double h = until / steps;
    for (int i = 0; i < steps; i++) {
        const double k1 = *rate, n1 = fall(*a, k1), k2 = *rate + h / 2 * n1,
                     n2 = fall(*a + h / 2 * k1, k2), k3 = *rate + h / 2 * n2,
                     n3 = fall(*a + h / 2 * k2, k3), k4 = *rate + h * n3,
                     n4 = fall(*a + h * k3, k4);
        *a += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
        *rate += h / 6 * (n1 + 2 * n2 + 2 * n3 + n4);
    }
}

static void test_pendulum(void **state) {
    (void)state;
    static const char scene[] =
        "bodies: {bob: {mass: 2, inertia: [0.1, 0.1, 0.1]}}\n"
        "joints: {pin: {revolute: {between: [world, bob], axis: [0, -1, 0], second_anchor: [0, 0, "
        "0.5], angle: -1.2, rate: 3, friction: {law: coulomb, mu: 0.4, v_ramp: 1e-9}, load: "
        "reaction, bearing_radius: 8 cm}}}\n";
    for (int way = 0; way < WAYS; way++) {
        run r = start(scene, way, "");
        /* it moves in one direction until 0.6 s */
        double a = -1.2, rate = 3, before = 0;
        for (double t = 0.1; t < 0.55; t += 0.1) {
            reference(t - before, &a, &rate);
            before = t;
            ff_joint_record at = advance(&r, t, 0);
            assert_true(at.rate[0] > 0.1);
            assert_near(at.position[0], a, 1e-9);
            assert_near(at.rate[0], rate, 1e-9);
            /* friction follows from the reaction, which it changes itself */
            const double load = radius * length(at.force);
            assert_near(at.effort[0], -mu * load, 1e-12 * load);
            const double b = fall(a, rate), radial = m * (g * cos(a) + l * rate * rate),
                         across = m * (l * b + g * sin(a));
            assert_near(length(at.force), sqrt(radial * radial + across * across), 1e-7);
        }
        finish(&r);
    }
}

/* ---- other joints ---- */

/* The load of a body whose centre of mass has no transverse acceleration is its weight: it decelerates by mu g if
 * it slides, by mu r m g/I if it turns. Two bearings 0.4 m apart with the centre of mass 0.3 m from their middle
 * have 1.5 times that load. */
static void test_kinds(void **state) {
    (void)state;
#define RUB "friction: {law: coulomb, mu: 0.1, v_ramp: 1e-6}, load: reaction"
    static const struct {
        const char *joint;
        double slow[3], rate[3];
    } cases[] = {
        {"spherical: {between: [world, b], rates: [0, 3, 0], bearing_radius: 5 cm, " RUB "}",
         {0, 0.1 * 0.05 * 2 * 9.81 / 0.4, 0},
         {0, 3, 0}},
        {"universal: {between: [world, b], axis: [1, 0, 0], second_axis: [0, 1, 0], rates: [3, 0], "
         "bearing_radius: 5 cm, along: {angle1: {" RUB "}, angle2: {" RUB "}}}",
         {0.1 * 0.05 * 2 * 9.81 / 0.3, 0},
         {3, 0}},
        {"planar: {between: [world, b], axis: [0, 0, 1], velocity: [2, -1], rate: 3, "
         "bearing_radius: 5 "
         "cm, along: {way1: {" RUB "}, way2: {" RUB "}, angle: {" RUB "}}}",
         {0.981, -0.981, 0.1 * 0.05 * 2 * 9.81 / 0.6},
         {2, -1, 3}},
        {"cylindrical: {between: [world, b], axis: [1, 0, 0], speed: 2, rate: 3, bearing_radius: 5 "
         "cm, "
         "along: {way: {" RUB "}, angle: {" RUB "}}}",
         {0.981, 0.1 * 0.05 * 2 * 9.81 / 0.3},
         {2, 3}},
        {"cylindrical: {between: [world, b], axis: [1, 0, 0], speed: 2, rate: 3, bearing_radius: 5 "
         "cm, "
         "bearing_length: 0.4, second_anchor: [-0.3, 0, 0], along: {way: {" RUB "}, angle: {" RUB
         "}}}",
         {1.5 * 0.981, 1.5 * 0.1 * 0.05 * 2 * 9.81 / 0.3},
         {2, 3}},
    };
    for (int way = 0; way < WAYS; way++) {
        for (size_t i = 0; i < ROWS(cases); i++) {
            char scene[1000];
            snprintf(scene, sizeof scene,
                     "bodies: {b: {mass: 2, inertia: [0.3, 0.4, 0.6]}}\njoints: {j: {%s}}\n",
                     cases[i].joint);
            run r = start(scene, way, "");
            const double t = 0.5;
            ff_joint_record at = advance(&r, t, 0);
            for (int c = 0; c < 3; c++) {
                assert_near(at.rate[c], cases[i].rate[c] - cases[i].slow[c] * t, 1e-9);
                assert_near(at.position[c], t * (cases[i].rate[c] - cases[i].slow[c] * t / 2),
                            1e-9);
            }
            finish(&r);
        }
    }
}

/* A nut of mass m and inertia I on a thread of pitch p and radius r under a torque T, moving up or down, s = 1 or
 * -1: the flanks carry the axial force F, F (1 - s mu p/r) = m (g + p b), and (I + m p^2) b = T - m g p - s mu F
 * (r^2 + p^2)/r; for b = 0 the torque of power screws, m g r (p + s mu r)/(r - s mu p). */
static void test_screw(void **state) {
    (void)state;
    const double p = 0.02, r = 0.03, c = 0.3, weight = 5 * g;
    for (int way = 0; way < WAYS; way++) {
        for (int s = -1; s <= 1; s += 2) {
            const double part = c * s * (r * r + p * p) / r / (1 - s * c * p / r),
                         hold = weight * r * (p + s * c * r) / (r - s * c * p);
            for (int k = 0; k < 2; k++) {
                const double torque = k ? hold : s * 3;
                const double b =
                    (torque - weight * p - part * weight) / (0.01 + 5 * p * p + part * 5 * p);
                char scene[1000];
                snprintf(
                    scene, sizeof scene,
                    "bodies: {nut: {mass: 5, inertia: [1, 1, 0.01]}}\n"
                    "joints: {j: {screw: {between: [world, nut], axis: [0, 0, 1], pitch: 0.02, "
                    "rate: "
                    "%d, friction: {law: coulomb, mu: 0.3, v_ramp: 1e-6}, load: reaction, "
                    "bearing_radius: 3 cm}}}\nforces: {f: {constant: {joint: j, torque: %.17g}}}\n",
                    20 * s, torque);
                run at = start(scene, way, "");
                const double t = 0.05;
                ff_joint_record j = advance(&at, t, 0);
                assert_near(j.rate[0], 20 * s + b * t, 1e-9);
                assert_near(j.position[0], 20 * s * t + b * t * t / 2, 1e-9);
                assert_true(k == 0 || fabs(b) < 1e-10);
                finish(&at);
            }
        }
    }
}

/* If the reaction is constant, friction with springs equals that under a given load: a block that sticks on a
 * slope or slides down, and a wheel with its centre of mass on its axis. */
static void test_springs(void **state) {
    (void)state;
#define WHEEL(law, load)                                                                           \
    "bodies: {b: {mass: 2, inertia: [0.1, 0.1, 0.1]}}\njoints: {j: {revolute: {between: [world, "  \
    "b], "                                                                                         \
    "axis: [0, 1, 0], rate: 2, friction: {" law "}, " load "}}}\n"
#define BLOCK(law, load)                                                                           \
    "parameters: {slope: 30 deg}\nbodies: {b: {mass: 3, inertia: [0.1, 0.1, 0.1]}}\njoints: {j: "  \
    "{prismatic: {between: [world, b], axis: [cos(slope), 0, -sin(slope)], friction: {" law        \
    "}, " load "}}}\n"
#define CLUTCH "law: clutch, mu: 0.4, k: 2000, damping: 30"
#define STICKS "law: clutch, mu: 0.7, k: 2000, damping: 30"
#define SAT "law: sat, mu: 0.4, k: 2000, beta: 20"
    static const char *const scenes[][2] = {
        {BLOCK(CLUTCH, "load: reaction"), BLOCK(CLUTCH, "load: 3 kg*9.81 m/s^2*cos(slope)")},
        {BLOCK(STICKS, "load: reaction"), BLOCK(STICKS, "load: 3 kg*9.81 m/s^2*cos(slope)")},
        {BLOCK(SAT, "load: reaction"), BLOCK(SAT, "load: 3 kg*9.81 m/s^2*cos(slope)")},
        {WHEEL("law: clutch, mu: 0.4, k: 200, damping: 1", "load: reaction, bearing_radius: 5 cm"),
         WHEEL("law: clutch, mu: 0.4, k: 200, damping: 1", "load: 0.981 N m")},
    };
    for (int way = 0; way < WAYS; way++) {
        for (size_t i = 0; i < ROWS(scenes); i++) {
            run a = start(scenes[i][0], way, ""), b = start(scenes[i][1], way, "");
            for (double t = 0.1; t < 0.65; t += 0.25) {
                const ff_joint_record x = advance(&a, t, 0), y = advance(&b, t, 0);
                const ff_ledger own = ff_sim_ledger(a.sim), other = ff_sim_ledger(b.sim);
                /* steps end at different times, and the onset of slip of springs is not located */
                assert_near(x.position[0], y.position[0], 1e-8);
                assert_near(x.rate[0], y.rate[0], 1e-7);
                assert_near(x.effort[0], y.effort[0], 1e-5);
                assert_near(own.springs, other.springs, 1e-7);
                assert_near(own.dampers, other.dampers, 1e-7);
            }
            finish(&a);
            finish(&b);
        }
    }
}

/* A pendulum whose bearing has a spring: the load varies, the ledger closes, and the formulations agree. Finally
 * the spring holds it at rest. */
static void test_pendulum_with_spring(void **state) {
    (void)state;
    static const char scene[] =
        "bodies: {bob: {mass: 2, inertia: [0.1, 0.1, 0.1]}}\n"
        "joints: {pin: {revolute: {between: [world, bob], axis: [0, -1, 0], second_anchor: [0, 0, "
        "0.5], angle: -1.2, rate: 3, friction: {law: clutch, mu: 0.9, k: 100, damping: 10}, load: "
        "reaction, bearing_radius: 8 cm}}}\n";
    double swing[WAYS], hangs[WAYS];
    for (int way = 0; way < WAYS; way++) {
        run r = start(scene, way, "");
        swing[way] = advance(&r, 0.7, 0).position[0];
        assert_near(swing[way], swing[0], 1e-8);
        const ff_joint_record at = advance(&r, 6, 0);
        hangs[way] = at.position[0];
        assert_near(hangs[way], hangs[0], 1e-7);
        /* the spring carries the weight */
        assert_near(at.rate[0], 0, 1e-9);
        assert_near(at.effort[0], m * g * l * sin(hangs[way]), 1e-8);
        assert_true(fabs(hangs[way]) > 0.01);
        finish(&r);
    }
}

/* A ball joint between two tumbling bodies, in either order: its friction is mu r |R|, opposite to the rotation. */
static void test_ball(void **state) {
    (void)state;
#define TUMBLES(bodies)                                                                            \
    "gravity: [0, 0, 0]\nbodies: {" bodies "}\njoints: {ball: {spherical: {between: [a, b], "      \
    "anchor: [0.3, 0.1, 0], second_anchor: [-0.1, 0, 0.4], friction: {law: coulomb, mu: 0.3, "     \
    "v_ramp: 0.05}, load: reaction, bearing_radius: 6 cm}}}\n"
#define A_BODY "a: {mass: 2, inertia: [0.3, 0.4, 0.6], omega: [1, 2, -1]}"
#define B_BODY                                                                                     \
    "b: {mass: 1.5, inertia: [0.2, 0.1, 0.15], position: [0.4, 0.1, -0.4], velocity: [0.1, -0.3, " \
    "-0.5]}"
    static const char *const scenes[] = {TUMBLES(A_BODY ", " B_BODY), TUMBLES(B_BODY ", " A_BODY)};
    double effort[2 * WAYS][3], lost[2 * WAYS];
    for (int k = 0; k < 2 * WAYS; k++) {
        run r = start(scenes[k % 2], k / 2, "");
        ff_joint_record at = advance(&r, 0.4, 0);
        const double rate = length(at.rate), load = 0.06 * length(at.force);
        for (int c = 0; c < 3; c++) {
            assert_near(at.effort[c], -0.3 * load * at.rate[c] / rate, 1e-11);
            effort[k][c] = at.effort[c];
            assert_near(effort[k][c], effort[0][c], 1e-8);
        }
        lost[k] = ff_sim_ledger(r.sim).dampers;
        assert_true(rate > 0.1 && lost[k] > 1e-3);
        assert_near(lost[k], lost[0], 1e-9);
        finish(&r);
    }
}

/* Several bearings that load each other, and a loop closed by one of them: each friction follows from its
 * reaction, and both formulations agree. */
static void test_together(void **state) {
    (void)state;
    /* clang-format off */
#define PIN(name, bodies, more)                                                                    \
    "  " name ": {revolute: {between: " bodies ", axis: [0, -1, 0], friction: {law: coulomb, mu: 0.3, " \
    "v_ramp: 0.01}, load: reaction, bearing_radius: 3 cm, " more "}}\n"
    static const char *const scenes[] = {
        "bodies:\n  a: {mass: 1, inertia: [0.02, 0.02, 0.02]}\n"
        "  b: {mass: 0.7, inertia: [0.01, 0.01, 0.01]}\n  cart: {mass: 2, inertia: [1, 1, 1]}\n"
        "joints:\n  rail: {prismatic: {between: [world, cart], axis: [1, 0, 0], distance: 0, speed: 1, "
        "friction: {law: bengisu-akay, mu: 0.1, mu_s: 0.15, v0: 0.01, xi: 3}, load: reaction, "
        "bearing_length: 20 cm}}\n"
        PIN("one", "[cart, a]", "second_anchor: [0, 0, 0.3], angle: 1, rate: 2")
        PIN("two", "[a, b]", "anchor: [0, 0, -0.3], second_anchor: [0, 0, 0.2], angle: 0.5, rate: -3"),
        /* a four-bar linkage */
        "bodies:\n  a: {mass: 1, inertia: [0.02, 0.02, 0.02]}\n"
        "  b: {mass: 0.7, inertia: [0.01, 0.01, 0.01], position: [0.45, 0, 0.2]}\n"
        "  c: {mass: 0.7, inertia: [0.01, 0.01, 0.01], position: [0.7, 0, 0.1]}\njoints:\n"
        PIN("one", "[world, a]", "second_anchor: [0, 0, -0.15], angle: 0.2, rate: 4")
        PIN("two", "[a, b]", "anchor: [0, 0, 0.15], second_anchor: [-0.35, 0, 0]")
        PIN("three", "[world, c]", "anchor: [0.7, 0, 0], second_anchor: [0, 0, -0.2]")
        PIN("four", "[b, c]", "anchor: [0.35, 0, 0], second_anchor: [0, 0, 0.2]"),
    };
#undef PIN
    /* clang-format on */
    for (size_t i = 0; i < ROWS(scenes); i++) {
        run r[WAYS];
        for (int way = 0; way < WAYS; way++) {
            r[way] = start(scenes[i], way, "");
        }
        for (double t = 0.1; t < 0.45; t += 0.1) {
            for (size_t j = 0; j < ff_model_joint_count(r[0].model); j++) {
                ff_joint_record at[WAYS];
                for (int way = 0; way < WAYS; way++) {
                    at[way] = advance(&r[way], t, j);
                    const double load = 0.03 * length(at[way].force);
                    if (i == 1 || j > 0) {
                        const double part = fmin(1, fabs(at[way].rate[0]) / 0.01);
                        assert_near(at[way].effort[0],
                                    -copysign(0.3 * load * part, at[way].rate[0]), 1e-9 * load);
                    }
                }
                /* the kinks of friction ramps amplify an error of 1e-11 about 1e4 times */
                assert_near(remainder(at[0].position[0] - at[1].position[0], 2 * acos(-1)), 0,
                            1e-7);
                assert_near(at[0].effort[0], at[1].effort[0], 1e-5);
            }
        }
        for (int way = 0; way < WAYS; way++) {
            assert_true(ff_sim_ledger(r[way].sim).dampers > 0.01);
            finish(&r[way]);
        }
    }
}

/* Friction at h below the centre of mass loads bearings L apart with 2 h/L of itself: mu 2 h/L > 1 jams. */
static void test_jam(void **state) {
    (void)state;
    for (int way = 0; way < WAYS; way++) {
        run good = start(RAIL(", second_anchor: [-0.9 m*sin(slope), 0, -0.9 m*cos(slope)], "
                              "bearing_length: 0.4"),
                         way, "");
        advance(&good, 0.1, 0);
        finish(&good);
        run r = start(RAIL(", second_anchor: [-1.1 m*sin(slope), 0, -1.1 m*cos(slope)], "
                           "bearing_length: 0.4"),
                      way, "");
        ff_status status;
        while ((status = ff_sim_advance(r.sim, 0.1)) == FF_EVENT) {
        }
        assert_int_equal(status, FF_SINGULAR);
        assert_non_null(strstr(ff_sim_error(r.sim), "joint 'rail' jams"));
        finish(&r);
    }
}

/* ---- error messages ---- */

#define PIN(keys)                                                                                  \
    "bodies: {a: {mass: 1, inertia: [1, 1, 1]}}\n"                                                 \
    "joints: {p: {revolute: {between: [world, a], axis: [0, 0, 1], " keys "}}}\n"

static void test_mistakes(void **state) {
    (void)state;
    static const mistake cases[] = {
        {PIN("friction: {law: coulomb, mu: 1}, load: reaction"),
         "s.yaml:2:102: load of revolute of joint 'p' is its reaction, a force, and needs "
         "bearing_radius to be a torque\n"},
        {PIN("bearing_radius: 1 cm"),
         "s.yaml:2:63: bearing_radius of revolute of joint 'p' is for `load: reaction`\n"},
        {PIN("load: reaction, bearing_radius: 1 cm"),
         "s.yaml:2:63: revolute of joint 'p' has a load, and needs friction for it to act\n"},
        {"bodies: {a: {mass: 1, inertia: [1, 1, 1]}}\n"
         "joints: {p: {planar: {between: [world, a], axis: [0, 0, 1], bearing_radius: 1 cm, along: "
         "{way1: "
         "{friction: {law: coulomb, mu: 1}, load: reaction}, angle: {friction: {law: coulomb, mu: "
         "1}, load: "
         "2}}}}}\n",
         "s.yaml:2:195: load of planar of joint 'p' is a number here and its reaction elsewhere: "
         "it is the "
         "reaction of all coordinates with friction, or of none\n"},
        {"bodies: {a: {mass: 1, inertia: [1, 1, 1]}}\n"
         "joints: {p: {planar: {between: [world, a], axis: [0, 0, 1], along: {way1: {friction: "
         "{law: coulomb, "
         "mu: 1}, load: reaction}, angle: {friction: {law: lugre, mu: 1, k: 100}, load: "
         "reaction}}}}}\n",
         "s.yaml:2:61: load of planar of joint 'p' is its reaction, a force, and needs "
         "bearing_radius to be "
         "a torque\n"
         "s.yaml:2:144: friction of angle of along of planar of joint 'p' has a spring that gets "
         "stiffer with "
         "the load, and must have none under its reaction (take clutch, sat, coulomb, awrejcewicz "
         "or "
         "bengisu-akay)\n"},
        {PIN("friction: {law: dahl, mu: 1, k: 100}, load: reaction, bearing_radius: 1 cm"),
         "s.yaml:2:73: friction of revolute of joint 'p' has a spring that gets stiffer with the "
         "load, and must have none under its reaction (take clutch, sat, coulomb, awrejcewicz or "
         "bengisu-akay)\n"},
    };
    ALL_SAY(cases);
    static const char *const says[] = {
        "joint 'j': the distance of two bearings is at least 0, and finite",
        "joint 'j': friction under its own reaction has no springs that get stiffer with the load",
        "joint 'j': friction under its own reaction needs the radius of the bearing, above 0"};
    for (int i = 0; i < 3; i++) {
        ff_scene *scene = parse_text("bodies: {a: {mass: 1, inertia: [1, 1, 1]}}\n");
        ff_joint_def j = ff_joint_def_default();
        ff_model *model;
        ff_error error = {""};
        j.name = "j";
        j.kind = i ? FF_JOINT_REVOLUTE : FF_JOINT_CYLINDRICAL;
        j.bearing_length = i ? 0 : -1;
        j.loaded = true;
        j.bearing = i == 2 ? 0 : 1;
        ff_friction *law = &j.along[0].friction;
        assert_int_equal(
            ff_friction_init(law, ff_friction_law_find(i == 1 ? "dahl" : "coulomb"), NULL), FF_OK);
        assert_int_equal(ff_friction_set(law, "mu", 0.1, NULL), FF_OK);
        if (i == 1) {
            assert_int_equal(ff_friction_set(law, "k", 100, NULL), FF_OK);
        }
        assert_true(ff_scene_add_joint(scene, &j) == 0);
        assert_int_equal(ff_model_create(scene, &model, &error), FF_BAD_VALUE);
        assert_string_equal(error.text, says[i]);
        ff_scene_free(scene);
    }
    /* the bearing is a field, the load is not */
    run r =
        start(PIN("friction: {law: coulomb, mu: 1}, load: reaction, bearing_radius: 1 cm"), 0, "");
    ff_error error = {""};
    assert_int_equal(ff_sim_set_path(r.sim, "joints.p.revolute.bearing_radius", 0.02, &error),
                     FF_OK);
    assert_int_equal(ff_sim_set_path(r.sim, "joints.p.revolute.bearing_radius", 0, &error),
                     FF_BAD_VALUE);
    assert_int_equal(ff_sim_set_path(r.sim, "joints.p.revolute.load", 1, &error), FF_BAD_VALUE);
    finish(&r);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_slope),
    cmocka_unit_test(test_pendulum),
    cmocka_unit_test(test_together),
    cmocka_unit_test(test_springs),
    cmocka_unit_test(test_pendulum_with_spring),
    cmocka_unit_test(test_kinds),
    cmocka_unit_test(test_screw),
    cmocka_unit_test(test_ball),
    cmocka_unit_test(test_jam),
    cmocka_unit_test(test_mistakes),
};

CHECK_MAIN(tests)
