/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "mechanisms.h"
#include <stdlib.h>

/* Joints with prescribed motion, in both formulations. */

/* 2 kg, 0.25 m from the axis -y: positive angles turn the arm from x upward */
#define ARM(law)                                                                                   \
    "bodies: {arm: {mass: 2, inertia: [0.1, 0.03, 0.1]}}\n"                                        \
    "joints: {motor: {revolute: {between: [world, arm], axis: [0, -1, 0], second_anchor: "         \
    "[-0.25, 0, 0], motion: \"" law "\"}}}\n"

/* ---- closed forms ---- */

/* torque = m g l cos q + (I + m l^2) q''; its work is the energy gained by the arm */
static void test_arm(void **state) {
    (void)state;
    const double m = 2, g = 9.81, l = 0.25, inertia = 0.03 + m * l * l;
    for (int way = 0; way < WAYS; way++) {
        run steady = start(ARM("0.3 + t*3 rad/s"), way, "");
        run swings = start(ARM("0.5*sin(t*4 rad/s)"), way, "");
        for (double t = 0; t < 1.95; t += 0.38) {
            ff_joint_record at = advance(&steady, t, 0);
            const double q = 0.3 + 3 * t;
            /* angles of a maximal model are within half a turn */
            assert_near(remainder(at.position[0] - q, 2 * acos(-1)), 0, way ? 1e-12 : 0);
            assert_near(at.rate[0], 3, way ? 1e-12 : 0);
            /* torques follow from the position, with the rounding of the angle */
            assert_near(at.effort[0], m * g * l * cos(q), 1e-11);
            assert_near(at.moment[1], -m * g * l * cos(q), 1e-11);
            ff_ledger books = ff_sim_ledger(steady.sim);
            assert_near(books.external, -m * g * l * (sin(q) - sin(0.3)), 1e-9);

            at = advance(&swings, t, 0);
            const double p = 0.5 * sin(4 * t), r = 2 * cos(4 * t), a = -8 * sin(4 * t);
            assert_near(at.position[0], p, way ? 1e-12 : 1e-16);
            assert_near(at.rate[0], r, way ? 1e-11 : 1e-15);
            assert_near(at.effort[0], m * g * l * cos(p) + inertia * a, 1e-10);
            books = ff_sim_ledger(swings.sim);
            assert_near(books.external, 0.5 * inertia * (4 - r * r) - m * g * l * sin(p), 1e-9);
        }
        finish(&steady);
        finish(&swings);
    }
}

/* force = m (g + x''), no net work over a period; the drive also balances springs, dampers and friction along the
 * coordinate, and a damper dissipates c a^2 w^2 T/2 in a period T */
static void test_shaker(void **state) {
    (void)state;
    static const char *const scenes[] = {
        "bodies: {load: {mass: 3, inertia: [1, 1, 1]}}\n"
        "joints: {table: {prismatic: {between: [world, load], axis: [0, 0, 1], "
        "motion: \"2 cm*sin(2*pi*t*5 Hz)\"}}}\n",
        "bodies: {load: {mass: 3, inertia: [1, 1, 1]}}\n"
        "joints: {table: {prismatic: {between: [world, load], axis: [0, 0, 1], stiffness: 700, "
        "damping: 20, motion: \"2 cm*sin(2*pi*t*5 Hz)\"}}}\n",
        "bodies: {load: {mass: 3, inertia: [1, 1, 1]}}\n"
        "joints: {table: {cylindrical: {between: [world, load], axis: [0, 0, 1], rate: 2, along: "
        "{way: {stiffness: 700, damping: 20, motion: \"2 cm*sin(2*pi*t*5 Hz)\"}}}}}\n",
    };
    const double w = 10 * acos(-1), a = 0.02, m = 3;
    for (int way = 0; way < WAYS; way++) {
        for (int i = 0; i < 3; i++) {
            run r = start(scenes[i], way, "");
            for (double t = 0.03; t < 0.2; t += 0.05) {
                const double x = a * sin(w * t);
                ff_joint_record at = advance(&r, t, 0);
                assert_near(at.position[0], x, way ? 1e-13 : 1e-16);
                assert_near(at.effort[0], m * (9.81 - w * w * x), 1e-10 * m * w * w);
                assert_near(at.force[2], m * (9.81 - w * w * x), 1e-10 * m * w * w);
                assert_near(ff_sim_body(r.sim, 0).omega[2], i == 2 ? 2 : 0, 1e-13);
            }
            advance(&r, 0.2, 0);
            const ff_ledger books = ff_sim_ledger(r.sim);
            const double lost = i ? 20 * a * a * w * w * 0.2 / 2 : 0;
            assert_near(books.external, -lost, 1e-9);
            assert_near(books.dampers, lost, 1e-9);
            finish(&r);
        }
    }
}

#define LAW "sin(t*(2 rad/s))^3"

/* One coordinate of several, screws, joints between moving bodies, and reversed joints. */
static void test_kinds(void **state) {
    (void)state;
    static const struct {
        const char *joint;
        int coordinate;
        double inertia;
    } cases[] = {
        /* without gravity the effort is inertia times q'' about or along the axis */
        {"screw: {between: [world, b], axis: [1, 0, 0], pitch: 0.2, motion: \"" LAW "\"}", 0,
         0.3 + 2 * 0.04},
        {"universal: {between: [world, b], axis: [1, 0, 0], second_axis: [0, 1, 0], along: "
         "{angle1: {motion: \"" LAW "\"}}}",
         0, 0.3},
        {"universal: {between: [world, b], axis: [1, 0, 0], second_axis: [0, 1, 0], along: "
         "{angle2: {motion: \"" LAW "\"}}}",
         1, 0.4},
        {"planar: {between: [world, b], axis: [0, 0, 1], along: {way2: {motion: \"" LAW
         "*(1 m)\"}}}",
         1, 2},
        {"planar: {between: [world, b], axis: [0, 0, 1], along: {angle: {motion: \"" LAW "\"}}}", 2,
         0.6},
        {"cylindrical: {between: [world, b], axis: [1, 0, 0], along: {angle: {motion: \"" LAW
         "\"}}}",
         1, 0.3},
    };
    for (int way = 0; way < WAYS; way++) {
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            char scene[1000];
            snprintf(scene, sizeof scene,
                     "gravity: [0, 0, 0]\nbodies: {b: {mass: 2, inertia: [0.3, 0.4, "
                     "0.6]}}\njoints: {j: {%s}}\n",
                     cases[i].joint);
            run r = start(scene, way, "");
            const double t = 0.7, s = sin(2 * t), c = cos(2 * t);
            ff_joint_record at = advance(&r, t, 0);
            const int k = cases[i].coordinate;
            assert_near(at.position[k], s * s * s, way ? 1e-13 : 1e-15);
            assert_near(at.rate[k], 6 * s * s * c, way ? 1e-12 : 1e-15);
            assert_near(at.effort[k], cases[i].inertia * (24 * s * c * c - 12 * s * s * s), 1e-10);
            finish(&r);
        }
    }
}

/* ---- compared with an independent integration ---- */

/* A double pendulum whose first angle is a(t) = 0.4 sin 3t, by Lagrange: with b the second angle from the vertical,
 *   (I2 + m2 l2^2) b'' = -m2 l2 (g sin b + l1 (a'' cos(a - b) - a'^2 sin(a - b))),
 * and the torque at the first joint is
 *   (I1 + (m1 + m2) l1^2) a'' + m2 l1 l2 (b'' cos(a - b) + b'^2 sin(a - b)) + (m1 + m2) g l1 sin a.
 * By the classic Runge-Kutta method in steps of 1/20000 s, which leave 1e-13. */
static const double m1 = 1.5, m2 = 0.7, l1 = 0.5, l2 = 0.3, g = 9.81, i1 = 0.02, i2 = 0.01;

static void law_of(double t, double a[3]) {
    a[0] = 0.4 * sin(3 * t);
    a[1] = 1.2 * cos(3 * t);
    a[2] = -3.6 * sin(3 * t);
}

static double bend(double t, double b) {
    double a[3];
    law_of(t, a);
    return -m2 * l2 * (g * sin(b) + l1 * (a[2] * cos(a[0] - b) - a[1] * a[1] * sin(a[0] - b))) /
           (i2 + m2 * l2 * l2);
}

static void reference(double until, double out[2]) {
    const int steps = (int)(until * 20000 + 0.5);
    const double h = until / steps;
    double b = 0.3, u = 0;
    for (int i = 0; i < steps; i++) {
        const double t = i * h;
        double k1 = u, n1 = bend(t, b);
        double k2 = u + h / 2 * n1, n2 = bend(t + h / 2, b + h / 2 * k1);
        double k3 = u + h / 2 * n2, n3 = bend(t + h / 2, b + h / 2 * k2);
        double k4 = u + h * n3, n4 = bend(t + h, b + h * k3);
        b += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
        u += h / 6 * (n1 + 2 * n2 + 2 * n3 + n4);
    }
    out[0] = b;
    out[1] = u;
}

/* angles turn from -z to x about -y; if `reversed`, the second joint is written from the outer body to the inner
 * one */
#define DOUBLE(joint)                                                                              \
    "bodies:\n  one: {mass: 1.5, inertia: [0.02, 0.02, 0.02]}\n"                                   \
    "  two: {mass: 0.7, inertia: [0.01, 0.01, 0.01]" joint "  shoulder: {revolute: {between: "     \
    "[world, one], axis: [0, -1, 0], second_anchor: [0, 0, 0.5], motion: \"0.4*sin(t*3 "           \
    "rad/s)\"}}\n"

static void test_double_pendulum(void **state) {
    (void)state;
    static const char *const scenes[] = {
        DOUBLE("}\njoints:\n  elbow: {revolute: {between: [one, two], axis: [0, -1, 0], "
               "second_anchor: [0, 0, 0.3], angle: 0.3, rate: -1.2}}\n"),
        /* bodies and joints in reverse order: 0.3 rad from the vertical, at rest relative to its support */
        DOUBLE(
            ", position: [0.0886560619984019, 0, -0.7866009467376818], orientation: {axis: [0, "
            "-1, 0], angle: 0.3}, velocity: [0.6, 0, 0]}\njoints:\n  elbow: {revolute: {between: "
            "[two, one], axis: [0, -1, 0], anchor: [0, 0, 0.3]}}\n"),
    };
    for (int way = 0; way < WAYS; way++) {
        for (int i = 0; i < 2; i++) {
            run r = start(scenes[i], way, "");
            for (double t = 0.25; t < 1.1; t += 0.25) {
                double b[2], a[3];
                law_of(t, a);
                reference(t, b);
                ff_joint_record elbow = advance(&r, t, 0), shoulder = ff_sim_joint(r.sim, 1);
                const double sign = i ? -1 : 1, c = cos(a[0] - b[0]), s = sin(a[0] - b[0]);
                assert_near(a[0] + sign * elbow.position[0], b[0], 1e-8);
                assert_near(a[1] + sign * elbow.rate[0], b[1], 1e-7);
                const double torque = (i1 + (m1 + m2) * l1 * l1) * a[2] +
                                      m2 * l1 * l2 * (bend(t, b[0]) * c + b[1] * b[1] * s) +
                                      (m1 + m2) * g * l1 * sin(a[0]);
                assert_near(shoulder.effort[0], torque, 1e-6);
            }
            finish(&r);
        }
    }
}

/* A slider-crank: x = r cos q + sqrt(l^2 - r^2 sin^2 q), with the loop closed by multipliers, and the drive in the
 * tree or at the closing joint. */
static void test_slider_crank(void **state) {
    (void)state;
    static const char *const scenes[] = {
        "gravity: [0, 0, 0]\nbodies:\n  crank: {mass: 1, inertia: [0.1, 0.1, 0.1]}\n"
        "  rod: {mass: 0.5, inertia: [0.1, 0.1, 0.1]}\n"
        "  piston: {mass: 2, inertia: [1, 1, 1], position: [0.7, 0, 0]}\njoints:\n"
        "  drive: {revolute: {between: [world, crank], axis: [0, -1, 0], motion: \"t*7 rad/s\"}}\n"
        "  pin: {revolute: {between: [crank, rod], axis: [0, -1, 0], anchor: [0.2, 0, 0], "
        "second_anchor: [-0.25, 0, 0], angle: 0}}\n"
        "  rail: {prismatic: {between: [world, piston], axis: [1, 0, 0]}}\n"
        "  head: {revolute: {between: [rod, piston], axis: [0, -1, 0], anchor: [0.25, 0, 0]}}\n",
        "gravity: [0, 0, 0]\nbodies:\n  crank: {mass: 1, inertia: [0.1, 0.1, 0.1]}\n"
        "  rod: {mass: 0.5, inertia: [0.1, 0.1, 0.1], position: [0.45, 0, 0]}\n"
        "  piston: {mass: 2, inertia: [1, 1, 1], position: [0.7, 0, 0]}\njoints:\n"
        "  rail: {prismatic: {between: [world, piston], axis: [1, 0, 0]}}\n"
        "  head: {revolute: {between: [piston, rod], axis: [0, -1, 0], second_anchor: [0.25, 0, "
        "0]}}\n"
        "  pin: {revolute: {between: [rod, crank], axis: [0, -1, 0], anchor: [-0.25, 0, 0], "
        "second_anchor: [0.2, 0, 0]}}\n"
        "  drive: {revolute: {between: [world, crank], axis: [0, -1, 0], motion: \"t*7 rad/s\"}}\n",
    };
    double effort[5];
    for (int i = 0; i < 4; i++) {
        run r = start(scenes[i / 2], i % 2, "");
        size_t drive = i / 2 ? 3 : 0, k = 0;
        for (double t = 0.11; t < 1; t += 0.2) {
            const double q = 7 * t, s = 0.2 * sin(q), c = 0.2 * cos(q), root = sqrt(0.25 - s * s);
            const double torque = advance(&r, t, drive).effort[0];
            /* the power of the drive is the rate of the kinetic energy: checked by the ledger */
            assert_near(ff_sim_body(r.sim, 2).position[0], c + root, 1e-11);
            assert_near(ff_sim_body(r.sim, 2).velocity[0], -7 * s - 7 * s * c / root, 1e-9);
            const ff_ledger books = ff_sim_ledger(r.sim);
            assert_near(books.external, books.initial - books.kinetic, 1e-9);
            effort[k] = i ? effort[k] : torque;
            assert_near(torque, effort[k++], 1e-8);
        }
        finish(&r);
    }
}

/* ---- other methods, contacts ---- */

/* All methods follow the prescribed motion exactly, also between steps and with fixed steps. */
static void test_methods(void **state) {
    (void)state;
    static const char *const options[] = {", method: rodas", ", method: dop853",
                                          ", method: rk4, dt: 1 ms", ", method: verlet, dt: 1 ms"};
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        run r = start(DOUBLE("}\njoints:\n  elbow: {revolute: {between: [one, two], axis: [0, -1, "
                             "0], second_anchor: [0, 0, 0.3], angle: 0.3, rate: -1.2}}\n"),
                      0, options[i]);
        double before = 0;
        while (ff_sim_time(r.sim) < 0.5) {
            assert_true(ff_sim_step(r.sim, 0.5) >= 0);
            const double now = ff_sim_time(r.sim);
            for (int k = 0; k < 2; k++) {
                const double t = k ? before + (now - before) / 3 : now;
                ff_sim_observe(r.sim, t);
                const ff_joint_record at = ff_sim_joint(r.sim, 1);
                assert_near(at.position[0], 0.4 * sin(3 * t), 1e-16);
                assert_near(at.rate[0], 1.2 * cos(3 * t), 1e-15);
            }
            before = now;
        }
        ff_sim_observe(r.sim, 0.5);
        double b[2];
        reference(0.5, b);
        const ff_joint_record elbow = ff_sim_joint(r.sim, 0);
        assert_near(elbow.position[0] + 0.4 * sin(1.5), b[0], i == 3 ? 1e-5 : 1e-8);
        finish(&r);
    }
}

/* A paddle hits a ball: the same event times, motion and work in both formulations, and a saved run continues with
 * the same bits. */
static void test_paddle(void **state) {
    (void)state;
    static const char scene[] =
        "bodies:\n"
        "  arm: {mass: 1, inertia: [0.01, 0.02, 0.02], shape: {spheres: [{name: tip, center: [0.2, "
        "0, 0], radius: 5 cm}]}}\n"
        "  ball: {mass: 0.1, shape: {sphere: {radius: 3 cm}}, position: [0.4, 0, 0.5]}\n"
        "joints: {motor: {revolute: {between: [world, arm], axis: [0, -1, 0], second_anchor: "
        "[-0.2, 0, 0], motion: \"-0.2 + 0.3*sin(t*9 rad/s)\"}}}\n"
        "pairs: [{between: [ball, arm], normal: {law: hunt-crossley, k: 1e6, lambda: 1e5}, "
        "friction: {law: coulomb, mu: 0.3, v_ramp: 1 mm/s}}]\n";
    ff_motion ball[2];
    double external[2];
    for (int way = 0; way < 2; way++) {
        run r = start(scene, way, "");
        advance(&r, 0.305, 0); /* in contact from 0.3037 s to 0.3082 s */
        const size_t size = ff_sim_state_size(r.sim);
        void *saved = malloc(size);
        ff_sim_save(r.sim, saved);
        advance(&r, 0.5, 0);
        ball[way] = ff_sim_body(r.sim, 1);
        external[way] = ff_sim_ledger(r.sim).external;
        assert_int_equal(ff_sim_restore(r.sim, saved, size), FF_OK);
        advance(&r, 0.5, 0);
        const ff_motion again = ff_sim_body(r.sim, 1);
        assert_memory_equal(&again, &ball[way], sizeof again);
        free(saved);
        finish(&r);
    }
    for (int c = 0; c < 3; c++) {
        /* an impact amplifies earlier errors about a hundredfold */
        assert_near(ball[0].position[c], ball[1].position[c], 1e-8);
        assert_near(ball[0].velocity[c], ball[1].velocity[c], 1e-7);
    }
    /* its horizontal motion is caused by the paddle */
    assert_true(ball[0].velocity[0] > 0.05 && fabs(external[0]) > 1e-3);
    assert_near(external[0], external[1], 1e-8);
}

/* ---- motions in definitions in C ---- */

/* Bodies of a file, extended by calls. */
static ff_scene *some_bodies(void) {
    return parse_text("bodies: {arm: {mass: 2, inertia: [0.1, 0.03, 0.1]}}\nrun: {tol: 1e-9}\n");
}

static ff_motion end_of(const ff_scene *scene, double *external) {
    ff_model *model = NULL;
    ff_sim *sim = NULL;
    ff_error error = {""};
    ff_status status = ff_model_create(scene, &model, &error);
    assert_holds(status == FF_OK, "%s", error.text);
    assert_int_equal(ff_sim_create(model, NULL, &sim, &error), FF_OK);
    while ((status = ff_sim_advance(sim, 0.7)) == FF_EVENT) {
    }
    assert_int_equal(status, FF_OK);
    const ff_motion out = ff_sim_body(sim, 0);
    *external = ff_sim_ledger(sim).external;
    ff_sim_free(sim);
    ff_model_free(model);
    return out;
}

/* A text in a struct gives the same bits as the same text in a file. */
static void test_definitions(void **state) {
    (void)state;
    static const struct {
        const char *file;
        ff_joint_kind kind;
        const char *motion[3];
    } cases[] = {
        {"revolute: {between: [world, arm], axis: [0, -1, 0], second_anchor: [-0.25, 0, 0], "
         "motion: "
         "\"30 deg*sin(2*pi*t*1 Hz)\"}",
         FF_JOINT_REVOLUTE,
         {"30 deg*sin(2*pi*t*1 Hz)"}},
        {"spherical: {between: [world, arm], second_anchor: [-0.25, 0, 0], motion: [0.2, \"t*2 "
         "rad/s\", "
         "\"0.1*cos(t*3 Hz)\"]}",
         FF_JOINT_SPHERICAL,
         {"0.2", "t*2 rad/s", "0.1*cos(t*3 Hz)"}},
        {"planar: {between: [world, arm], axis: [0, -1, 0], second_anchor: [-0.25, 0, 0], along: "
         "{way2: "
         "{motion: \"2 cm*sin(t*9 rad/s)\"}}}",
         FF_JOINT_PLANAR,
         {NULL, "2 cm*sin(t*9 rad/s)"}},
    };
    for (size_t i = 0; i < ROWS(cases); i++) {
        char text[1000], law[3][40];
        double external[2];
        snprintf(
            text, sizeof text,
            "bodies: {arm: {mass: 2, inertia: [0.1, 0.03, 0.1]}}\njoints: {m: {%s}}\nrun: {tol: "
            "1e-9}\n",
            cases[i].file);
        ff_scene *file = parse_text(text), *scene = some_bodies();
        ff_joint_def j = ff_joint_def_default();
        j.name = "m", j.kind = cases[i].kind;
        j.axis[1] = -1, j.axis[2] = 0, j.second_anchor[0] = -0.25;
        for (int c = 0; c < 3; c++) {
            if (cases[i].motion[c]) {
                snprintf(law[c], sizeof law[c], "%s", cases[i].motion[c]);
                j.motion[c] = law[c];
            }
        }
        assert_int_equal(ff_scene_add_joint(scene, &j), 0);
        /* texts are copied, and both can be queried */
        memset(law, 'x', sizeof law);
        for (int c = 0; c < 3; c++) {
            const char *a = ff_scene_joint(file, 0)->motion[c],
                       *b = ff_scene_joint(scene, 0)->motion[c];
            assert_true(!a == !b && !a == !cases[i].motion[c]);
            assert_true(!a || (strcmp(a, cases[i].motion[c]) == 0 && strcmp(a, b) == 0));
        }
        const ff_motion a = end_of(file, &external[0]), b = end_of(scene, &external[1]);
        assert_memory_equal(&a, &b, sizeof a);
        assert_true(external[0] == external[1] && external[0] != 0);
        ff_scene_free(file);
        ff_scene_free(scene);
    }
}

#define SHAKEN(plane)                                                                              \
    "bodies: {ball: {mass: 1, position: [0, 0, 0.1], shape: {sphere: {radius: 10 cm}}}}\n" plane   \
    "pairs: [{between: [ball, floor], normal: {law: hunt-crossley, k: 1e6, lambda: 1e5}}]\nrun: "  \
    "{tol: 1e-9}\n"

static void test_plane_definition(void **state) {
    (void)state;
    double external[2];
    ff_scene *file = parse_text(SHAKEN("ground: {floor: {plane: {normal: [0, 0, 1], motion: [0, 0, "
                                       "\"2 mm*sin(2*pi*t*10 Hz)\"]}}}\n"));
    ff_scene *scene = ff_scene_create();
    ff_body_def ball = ff_body_def_default();
    ball.name = "ball", ball.mass = 1, ball.position[2] = 0.1;
    assert_int_equal(ff_scene_add_body(scene, &ball), 0);
    assert_int_equal(ff_scene_add_sphere(scene, 0, NULL, (double[]){0, 0, 0}, 0.1), 0);
    ff_plane_def floor = ff_plane_def_default();
    floor.name = "floor", floor.motion[2] = "2 mm*sin(2*pi*t*10 Hz)";
    assert_int_equal(ff_scene_add_plane(scene, &floor), 0);
    ff_pair_def pair = ff_pair_def_default();
    pair.a = "ball", pair.b = "floor";
    assert_int_equal(ff_normal_init(&pair.normal, ff_normal_law_find("hunt-crossley"), NULL),
                     FF_OK);
    assert_int_equal(ff_normal_set(&pair.normal, "k", 1e6, NULL), FF_OK);
    assert_int_equal(ff_normal_set(&pair.normal, "lambda", 1e5, NULL), FF_OK);
    assert_int_equal(ff_friction_init(&pair.friction, ff_friction_law_find("none"), NULL), FF_OK);
    assert_int_equal(ff_scene_add_pair(scene, &pair), 0);
    ff_run_options options = ff_run_options_default();
    options.tol = 1e-9;
    assert_int_equal(ff_scene_set_run(scene, &options), FF_OK);
    const ff_motion a = end_of(file, &external[0]), b = end_of(scene, &external[1]);
    assert_memory_equal(&a, &b, sizeof a);
    assert_true(external[0] == external[1] && external[0] != 0);
    ff_scene_free(file);
    ff_scene_free(scene);
}

static void test_wrong_definitions(void **state) {
    (void)state;
    static const struct {
        ff_joint_kind kind;
        int c;
        const char *motion, *says;
    } cases[] = {
        {FF_JOINT_REVOLUTE, 0, "t",
         "motion of joint 'm': 't' is a time (s), expected a plain number"},
        {FF_JOINT_PRISMATIC, 0, "sin(t*1 Hz)",
         "motion of joint 'm': 'sin(t*1 Hz)' is a plain number, expected a length (m)"},
        {FF_JOINT_REVOLUTE, 0, "arm.position[0]",
         "motion of joint 'm': unknown name 'arm.position'"},
        {FF_JOINT_REVOLUTE, 0, "3*(", NULL},
        {FF_JOINT_REVOLUTE, 0, "[1, 2]", "motion of joint 'm': '[1, 2]' is a vector, not a number"},
        {FF_JOINT_REVOLUTE, 1, "0", "motion of joint 'm': a revolute joint has no coordinate 1"},
        {FF_JOINT_FIXED, 0, "0", "motion of joint 'm': a fixed joint has no coordinate 0"},
        {FF_JOINT_SPHERICAL, 1, "0",
         "joint 'm': the motion of a spherical joint is a rotation vector: all three of its "
         "components "
         "are given"},
    };
    for (size_t i = 0; i < ROWS(cases); i++) {
        ff_scene *scene = some_bodies();
        ff_joint_def j = ff_joint_def_default();
        ff_model *model = NULL;
        ff_error error = {""};
        j.name = "m", j.kind = cases[i].kind, j.motion[cases[i].c] = cases[i].motion;
        assert_int_equal(ff_scene_add_joint(scene, &j), 0);
        assert_int_equal(ff_model_create(scene, &model, &error), FF_BAD_VALUE);
        if (cases[i].says) {
            assert_string_equal(error.text, cases[i].says);
        } else {
            assert_non_null(strstr(error.text, "motion of joint 'm': "));
        }
        ff_scene_free(scene);
    }
    /* a plane, and a struct of a caller compiled without the member for motions */
    ff_scene *scene = ff_scene_create();
    ff_plane_def floor = ff_plane_def_default();
    ff_model *model = NULL;
    ff_error error = {""};
    floor.name = "old", floor.size = offsetof(ff_plane_def, motion);
    memset(floor.motion, 0x55, sizeof floor.motion);
    assert_int_equal(ff_scene_add_plane(scene, &floor), 0);
    assert_int_equal(ff_model_create(scene, &model, &error), FF_OK);
    ff_model_free(model);
    floor = ff_plane_def_default();
    floor.name = "floor", floor.motion[0] = "1 s";
    assert_int_equal(ff_scene_add_plane(scene, &floor), 1);
    assert_int_equal(ff_model_create(scene, &model, &error), FF_BAD_VALUE);
    assert_string_equal(error.text,
                        "motion of plane 'floor': '1 s' is a time (s), expected a length (m)");
    ff_scene_free(scene);
}

/* ---- error messages ---- */

#define MOTOR(keys)                                                                                \
    "bodies: {arm: {mass: 1, inertia: [1, 1, 1]}}\n"                                               \
    "joints: {m: {revolute: {between: [world, arm], axis: [0, 0, 1], " keys "}}}\n"

static void test_mistakes(void **state) {
    (void)state;
    static const mistake cases[] = {
        {MOTOR("motion: \"arm.position[0]/(1 m)\""),
         "s.yaml:2:73: motion of angle of joint 'm' depends on 'arm.position': it must be an "
         "expression of t\n"},
        {MOTOR("motion: t"),
         "s.yaml:2:73: motion of angle of joint 'm': 't' is a time (s), expected a plain number\n"},
        {MOTOR("motion: [1]"),
         "s.yaml:2:73: motion of angle of joint 'm' must be an expression, not a list of 1\n"},
        {MOTOR("along: {angle: {motion: 0}}"),
         "s.yaml:2:65: 'along' in revolute of joint 'm' is for joints with several coordinates\n"},
        {"bodies: {arm: {mass: 1, inertia: [1, 1, 1], position: [1, 0, 0]}}\n"
         "joints: {m: {revolute: {between: [world, arm], axis: [0, 0, 1], motion: 0}}}\n",
         "s.yaml:1:45: position of body 'arm' is one too many: motion of joint 'm' says how it "
         "starts\n"},
        {"bodies: {arm: {mass: 1, inertia: [1, 1, 1]}}\n"
         "joints: {m: {spherical: {between: [world, arm], motion: 0}}}\n",
         "s.yaml:2:57: motion of spherical of joint 'm' must be a list of three expressions of t, "
         "not "
         "'0'\n"},
        {"bodies: {arm: {mass: 1, inertia: [1, 1, 1]}}\n"
         "joints: {m: {spherical: {between: [world, arm], motion: [0, 1 m, \"arm.position[2]/(1 "
         "m)\"]}}}\n",
         "s.yaml:2:61: motion of spherical of joint 'm': '1 m' is a length (m), expected a plain "
         "number\n"
         "s.yaml:2:66: motion of spherical of joint 'm' depends on 'arm.position': it must be an "
         "expression of t\n"},
    };
    ALL_SAY(cases);
    /* found after the motions are known */
    static const mistake later[] = {
        {MOTOR("motion: \"log(t/(1 s))\""),
         "joint 'm': its motion or a rate of it is not finite at t = 0"},
        {MOTOR("motion: \"0.1 + t*(1 Hz)\", angle: 0.3"),
         "joint 'm': its coordinate starts at 0.3, but its motion begins at 0.1: leave out the "
         "start"},
        {MOTOR("motion: \"0.1 + t*(1 Hz)\", rate: 2"),
         "joint 'm': its rate starts at 2, but its motion begins at 1: leave out the start"},
    };
    for (size_t i = 0; i < ROWS(later); i++) {
        ff_scene *scene = parse_text(later[i].text);
        ff_model *model = NULL;
        ff_error error = {""};
        assert_non_null(scene);
        assert_int_equal(ff_model_create(scene, &model, &error), FF_BAD_VALUE);
        assert_string_equal(error.text, later[i].says);
        ff_scene_free(scene);
    }
    ff_model *model = model_of_text(MOTOR("motion: 0") "start: rest\n");
    ff_sim *sim = NULL;
    ff_error error = {""};
    assert_int_equal(ff_sim_create(model, NULL, &sim, &error), FF_BAD_VALUE);
    assert_string_equal(error.text, "start: rest: joint 'm' has a prescribed motion, so there is "
                                    "no equilibrium: write the start");
    ff_model_free(model);
}

/* A motor with this law, run to 0.1 s, with each of these options in both formulations. */
static run driven(const char *law, const char *const *hows, size_t how, ff_status *status) {
    char text[800];
    run r;
    snprintf(text, sizeof text, MOTOR("motion: \"%s\"") "run: {formulation: %s, %s}\n", law,
             how % 2 ? "maximal" : "articulated", hows[how / 2]);
    r.model = model_of_text(text);
    assert_int_equal(ff_sim_create(r.model, NULL, &r.sim, NULL), FF_OK);
    while ((*status = ff_sim_advance(r.sim, 0.1)) == FF_EVENT) {
    }
    return r;
}

/* A jump of the rate needs an infinite force, and one of the coordinate an infinite speed: the run fails there, at any tolerance, with
 * any method and formulation, and also if the error of one jump would cancel that of another. */
static void test_jump(void **state) {
    (void)state;
    static const struct {
        const char *law, *says;
        double time;
    } cases[] = {
        {"if(t < 0.05 s, 0, (t - 0.05 s)*(1 Hz))",
         "the rate of the motion of joint 'm' jumps at t = 0.05 s from 0 to 1 rad/s: that needs an "
         "infinite force",
         0.05},
        {"min(t*(2 Hz), 0.06) + max(0, (t - 0.07 s)*(2 Hz))",
         "the rate of the motion of joint 'm' jumps at t = 0.03 s from 2 to 0 rad/s: that needs an "
         "infinite force",
         0.03},
        {"abs(t - 0.0625 s)*(1 Hz)",
         "the rate of the motion of joint 'm' jumps at t = 0.0625 s from -1 to ", 0.0625},
        {"if(t < 0.05 s, 0, 1e-3 + sin((t - 0.05 s)*(1 rad/s))^2)",
         "the motion of joint 'm' jumps at t = 0.05 s from 0 to 0.001 rad: that needs an infinite "
         "speed",
         0.05},
        {"if(t < 0.05 s, 0, floor(t/(0.05 s))*t*(1 Hz))", "the motion of joint 'm' jumps", 0.05},
    };
    static const char *const hows[] = {"tol: 1e-6", "tol: 1e-11", "method: rk4, dt: 1 ms",
                                       "method: rodas", "constraints: penalty"};
    for (size_t i = 0; i < ROWS(cases); i++) {
        for (size_t k = 0; k < 2 * ROWS(hows); k++) {
            ff_status status;
            run r = driven(cases[i].law, hows, k, &status);
            /* where no piece of the function can be bounded up to the jump, that is told instead */
            const char *why = ff_sim_error(r.sim);
            assert_holds(status == FF_NOT_HELD || status == FF_BAD_VALUE, "%s, %zu: %d",
                         cases[i].law, k, status);
            assert_holds(strstr(why, cases[i].says) != NULL ||
                             strstr(why, "the motion of joint 'm' cannot be bounded near t = 0.0"),
                         "%s: %s", cases[i].law, why);
            /* it stays before the jump */
            assert_true(ff_sim_time(r.sim) <= cases[i].time);
            finish(&r);
        }
    }
}

/* What a motor of finite force can follow is not refused: jumps of the second rate, and fast but smooth motion. */
static void test_no_jump(void **state) {
    (void)state;
    static const char *const laws[] = {
        "if(t < 0.05 s, 0, (t - 0.05 s)^2*(3 Hz)^2)", "abs(t - 0.05 s)*(t - 0.05 s)*(2 Hz)^2",
        "1e-3*sin(t*(3000 rad/s))", "1e-3*tanh((t - 0.05 s)*(1e4 Hz))",
        "0.3*max(0, t - 0.03 s)^3*(5 Hz)^3"};
    static const char *const hows[] = {"tol: 1e-9", "tol: 1e-5", "method: rk4, dt: 10 ms"};
    for (size_t i = 0; i < ROWS(laws); i++) {
        for (size_t k = 0; k < 2 * ROWS(hows); k++) {
            ff_status status;
            run r = driven(laws[i], hows, k, &status);
            assert_holds(status == FF_OK, "%s: %s", laws[i], ff_sim_error(r.sim));
            finish(&r);
        }
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_arm),
    cmocka_unit_test(test_shaker),
    cmocka_unit_test(test_kinds),
    cmocka_unit_test(test_double_pendulum),
    cmocka_unit_test(test_slider_crank),
    cmocka_unit_test(test_methods),
    cmocka_unit_test(test_paddle),
    cmocka_unit_test(test_mistakes),
    cmocka_unit_test(test_jump),
    cmocka_unit_test(test_no_jump),
    cmocka_unit_test(test_definitions),
    cmocka_unit_test(test_plane_definition),
    cmocka_unit_test(test_wrong_definitions),
};

CHECK_MAIN(tests)
