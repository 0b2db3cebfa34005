/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "body/vector.h"
#include "mechanisms.h"
#include <stdlib.h>

/* Actuators and prescribed motion of spherical joints, in both formulations. */

/* ---- rotation vectors ---- */

/* The rotation vector x + d s + dd s^2/2 as a quaternion. */
static void turn_at(const double x[3], const double d[3], const double dd[3], double s,
                    double q[4]) {
    double at[3];
    for (int i = 0; i < 3; i++) {
        at[i] = x[i] + s * (d[i] + s * dd[i] / 2);
        q[1 + i] = 0;
    }
    q[0] = 1;
    ff_quaternion_turn(q, at);
}

/* w = 2 q' q* by fourth-order differences, and w' by differences of w: the errors are h^4 times the fifth
 * derivatives, and rounding over h, about 1e-11 and 1e-12. */
static void test_rotation_vectors(void **state) {
    (void)state;
    static const double d[3] = {0.3, -0.5, 0.7}, dd[3] = {-0.2, 0.9, 0.4};
    static const double sizes[] = {0, 1e-9, 1e-3, 0.5, 1.5, 1.999, 2.001, 3, 3.2, 6, 9};
    const double h = 1e-3;
    for (size_t k = 0; k < ROWS(sizes); k++) {
        const double n = sizes[k] / sqrt(1 + 4 + 0.25), x[3] = {n, -2 * n, 0.5 * n};
        double w[3], rate[3], q[4], near[4][4], slope[4], product[4], w_near[4][3], unused[3];
        turn_at(x, d, dd, 0, q);
        for (int i = 0; i < 4; i++) {
            const double s = h * (double[]){-2, -1, 1, 2}[i];
            double at[3], pace[3];
            turn_at(x, d, dd, s, near[i]);
            for (int c = 0; c < 3; c++) {
                at[c] = x[c] + s * (d[c] + s * dd[c] / 2);
                pace[c] = d[c] + s * dd[c];
            }
            ff_rotation_vector_rates(at, pace, dd, w_near[i], unused);
        }
        ff_rotation_vector_rates(x, d, dd, w, rate);
        for (int c = 0; c < 4; c++) {
            slope[c] = (near[0][c] - 8 * near[1][c] + 8 * near[2][c] - near[3][c]) / (12 * h);
        }
        const double back[4] = {q[0], -q[1], -q[2], -q[3]};
        ff_quaternion_times(slope, back, product);
        for (int c = 0; c < 3; c++) {
            const double by =
                (w_near[0][c] - 8 * w_near[1][c] + 8 * w_near[2][c] - w_near[3][c]) / (12 * h);
            assert_near(w[c], 2 * product[1 + c], 1e-10);
            assert_near(rate[c], by, 1e-10);
        }
    }
}

/* ---- actuators ---- */

#define GIMBAL(keys, forces)                                                                       \
    "gravity: [0, 0, 0]\nbodies: {b: {mass: 2, inertia: [0.3, 0.4, 0.6]}}\n"                       \
    "joints: {ball: {spherical: {between: [world, b]" keys "}}}\nforces: {" forces "}\n"

/* About a principal axis a constant torque gives the angle torque t^2/(2 I), and the spring of an actuator 0.4 (1
 * - cos(sqrt(kp/I) t)); the work of both is the energy gained by the body. */
static void test_torque(void **state) {
    (void)state;
    static const struct {
        const char *scene;
        int c;
        double inertia, torque, kp;
    } cases[] = {
        {GIMBAL("", "f: {constant: {joint: ball, coordinate: x, torque: 0.6 N m}}"), 0, 0.3, 0.6,
         0},
        {GIMBAL("", "f: {joint: ball, coordinate: y, effort: 0.5 N m, every: 10 ms}"), 1, 0.4, 0.5,
         0},
        {GIMBAL("", "f: {table: {joint: ball, coordinate: z, torque: -1.5, times: [0, 9], factors: "
                    "[1, 1]}}"),
         2, 0.6, -1.5, 0},
        {GIMBAL("", "f: {pd: {joint: ball, coordinate: z, kp: 5, target: [0.4]}}"), 2, 0.6, 0, 5},
        {GIMBAL("", "f: {joint: ball, coordinate: y, effort: \"5 N m*(0.4 - ball.position[1])\"}"),
         1, 0.4, 0, 5},
        {GIMBAL(
             "",
             "f: {joint: ball, coordinate: x, effort: \"5 N m*(0.4 - joints.ball.position[0])\"}"),
         0, 0.3, 0, 5},
    };
    for (int way = 0; way < WAYS; way++) {
        for (size_t i = 0; i < ROWS(cases); i++) {
            run r = start(cases[i].scene, way, "");
            for (double t = 0.2; t < 1.1; t += 0.4) {
                const double w = sqrt(cases[i].kp / cases[i].inertia);
                const double q = cases[i].kp > 0 ? 0.4 * (1 - cos(w * t))
                                                 : cases[i].torque * t * t / (2 * cases[i].inertia);
                const double rate =
                    cases[i].kp > 0 ? 0.4 * w * sin(w * t) : cases[i].torque * t / cases[i].inertia;
                ff_joint_record at = advance(&r, t, 0);
                for (int c = 0; c < 3; c++) {
                    const bool own = c == cases[i].c;
                    assert_near(at.position[c], own ? q : 0, 1e-9);
                    assert_near(at.rate[c], own ? rate : 0, 1e-9);
                    assert_near(at.effort[c],
                                !own              ? 0
                                : cases[i].kp > 0 ? cases[i].kp * (0.4 - q)
                                                  : cases[i].torque,
                                1e-8);
                    assert_near(at.moment[c], at.effort[c], 1e-9);
                }
                assert_near(ff_sim_ledger(r.sim).external, -cases[i].inertia * rate * rate / 2,
                            1e-9);
            }
            finish(&r);
        }
    }
}

static void hold(void *user, const ff_control_view *view, double *states, double *rates,
                 double (*commands)[6]) {
    const ff_joint_view ball = ff_control_joint(view, 0);
    (void)user, (void)states, (void)rates;
    commands[0][0] = 5 * (0.4 - ball.position[1]) - 0.3 * ball.rate[1];
    commands[1][0] = 2 * (0.1 - ball.position[2]);
}

/* A controller in C, continuous or sampled, gives the same bits as the same expressions in a file. */
static void test_controller(void **state) {
    (void)state;
    static const char *const every[] = {"", ", every: 5 ms"};
    for (int way = 0; way < 2; way++) {
        for (int sampled = 0; sampled < 2; sampled++) {
            char text[2000];
            ff_model *model = NULL;
            ff_sim *sim = NULL;
            ff_error error = {""};
            snprintf(
                text, sizeof text,
                GIMBAL(", rotation: [0.3, 0, 0], rates: [0, 0, 1]",
                       "y: {joint: ball, coordinate: y, effort: \"5 N m*(0.4 - ball.position[1]) - "
                       "0.3 N m s*ball.rate[1]\"%s}, z: {joint: ball, coordinate: z, effort: \"2 "
                       "N m*(0.1 - ball.position[2])\"%s}"),
                every[sampled], every[sampled]);
            run r = start(text, way, "");
            snprintf(
                text, sizeof text,
                GIMBAL(", rotation: [0.3, 0, 0], rates: [0, 0, 1]", "") "run: {%stol: 1e-11}\n",
                ways[way]);
            ff_scene *scene = parse_text(text);
            int motors[2];
            for (int k = 0; k < 2; k++) {
                ff_force_def force = ff_force_def_default();
                force.name = k ? "z" : "y", force.kind = FF_FORCE_CONTROL;
                force.joint = 0, force.coordinate = 1 + k;
                motors[k] = ff_scene_add_force(scene, &force);
                assert_true(motors[k] >= 0);
            }
            ff_controller_def def = ff_controller_def_default();
            def.name = "c", def.every = sampled ? 5e-3 : 0, def.function = hold;
            def.forces = motors, def.force_count = 2;
            assert_true(ff_scene_add_controller(scene, &def) == 0);
            assert_int_equal(ff_model_create(scene, &model, &error), FF_OK);
            assert_int_equal(ff_sim_create(model, NULL, &sim, &error), FF_OK);
            advance(&r, 0.7, 0);
            assert_int_equal(ff_sim_advance(sim, 0.7), FF_OK);
            const ff_motion a = ff_sim_body(r.sim, 0), b = ff_sim_body(sim, 0);
            assert_memory_equal(&a, &b, sizeof a);
            assert_true(fabs(a.omega[1]) > 0.01);
            ff_sim_free(sim);
            ff_model_free(model);
            ff_scene_free(scene);
            finish(&r);
        }
    }
}

/* Two bodies without gravity, one of which spins, and torques about axes of the first: momentum is conserved, and
 * the result depends neither on the body that the tree begins with nor on the formulation. */
#define PAIR_OF(bodies, keys)                                                                      \
    "gravity: [0, 0, 0]\nbodies: {" bodies "}\njoints: {ball: {spherical: {between: [a, b], "      \
    "anchor: [0.3, 0.1, 0], second_anchor: [-0.1, 0, 0.4], orientation: [0.9, 0.1, -0.3, "         \
    "0.2]" keys "}}}\n"
#define BODY_A(keys) "a: {mass: 2, inertia: [0.3, 0.4, 0.6]" keys "}"
#define BODY_B(keys) "b: {mass: 1.5, inertia: [0.2, 0.1, 0.15]" keys "}"

/* a start that satisfies the joint, so that no body is moved: b at the anchor of a, which moves with omega x
 * anchor */
#define SPINS ", omega: [1, 2, -1]"
#define MEETS ", position: [0.4, 0.1, -0.4], velocity: [0.1, -0.3, -0.5]"

/* angular momentum about the origin */
static void momentum(ff_sim *sim, const ff_model *model, double out[3]) {
    static const double inertia[2][3] = {{0.3, 0.4, 0.6}, {0.2, 0.1, 0.15}};
    static const double mass[2] = {2, 1.5};
    memset(out, 0, 3 * sizeof *out);
    for (size_t i = 0; i < 2; i++) {
        const bool b = ff_model_body_name(model, i)[0] == 'b';
        const ff_motion m = ff_sim_body(sim, i);
        double turn[3][3], w[3], orbit[3];
        ff_rotation(m.orientation, turn);
        ff_rotate_back(turn, m.omega, w);
        for (int c = 0; c < 3; c++) {
            w[c] *= inertia[b][c];
        }
        ff_rotate(turn, w, w);
        ff_cross(m.position, m.velocity, orbit);
        ff_add_scaled(w, mass[b], orbit, w);
        ff_add_scaled(out, 1, w, out);
    }
}

static ff_motion motion_of(const run *r, char name) {
    return ff_sim_body(r->sim, ff_model_body_name(r->model, 0)[0] == name ? 0 : 1);
}

static void assert_same(const run *a, const run *b, double off) {
    for (int k = 0; k < 2; k++) {
        const ff_motion m = motion_of(a, k ? 'b' : 'a'), n = motion_of(b, k ? 'b' : 'a');
        for (int c = 0; c < 3; c++) {
            assert_near(m.position[c], n.position[c], off);
            assert_near(m.omega[c], n.omega[c], 10 * off);
        }
    }
    const ff_joint_record x = ff_sim_joint(a->sim, 0), y = ff_sim_joint(b->sim, 0);
    for (int c = 0; c < 3; c++) {
        /* full turns are not distinguished */
        assert_near(x.rate[c], y.rate[c], 10 * off);
        assert_near(x.effort[c], y.effort[c], 100 * off);
        assert_near(x.moment[c], y.moment[c], 100 * off);
        assert_near(x.force[c], y.force[c], 100 * off);
    }
    assert_near(ff_sim_ledger(a->sim).external, ff_sim_ledger(b->sim).external, 10 * off);
}

static void test_between(void **state) {
    (void)state;
    static const char forces[] =
        "forces:\n  x: {constant: {joint: ball, coordinate: x, torque: 0.7}}\n"
        "  y: {pd: {joint: ball, coordinate: y, kp: 2, kd: 0.1, target: [0.3, 0.2]}}\n"
        "  z: {joint: ball, coordinate: z, effort: \"-0.3 N m s*ball.rate[2] + 0.4 N m*sin(t*3 "
        "Hz)\"}\n";
    char both[2][2000];
    snprintf(both[0], sizeof both[0], "%s%s", PAIR_OF(BODY_A(SPINS) ", " BODY_B(MEETS), ""),
             forces);
    snprintf(both[1], sizeof both[1], "%s%s", PAIR_OF(BODY_B(MEETS) ", " BODY_A(SPINS), ""),
             forces);
    run first = {0};
    for (int way = 0; way < WAYS; way++) {
        for (int turned = 0; turned < 2; turned++) {
            run r = start(both[turned], way, "");
            double before[3], after[3];
            momentum(r.sim, r.model, before);
            advance(&r, 1.5, 0);
            momentum(r.sim, r.model, after);
            for (int c = 0; c < 3; c++) {
                assert_near(after[c], before[c], 1e-9);
            }
            assert_true(fabs(ff_sim_ledger(r.sim).external) > 0.1);
            if (first.sim) {
                assert_same(&first, &r, 1e-8);
                finish(&r);
            } else {
                first = r;
            }
        }
    }
    finish(&first);
}

/* ---- prescribed motion ---- */

/* A symmetric top with moments A about its anchor and C about its axis e, whose centre of mass is at l along the
 * axis, is moved around a cone without turning about its axis: x = a (cos wt, sin wt, 0), so that R = Rz(wt) Rx(a)
 * Rz(-wt), and its angular velocity is w (z - e). Its angular momentum A w (z - cos a e) + C w (cos a - 1) e turns
 * with w about z, and with the weight the torque is (w^2 (C (cos a - 1) - A cos a) - m g l) z x e, which does no
 * work. */
static void test_cone(void **state) {
    (void)state;
    static const char scene[] =
        "bodies: {top: {mass: 2, inertia: [0.3, 0.3, 0.5]}}\n"
        "joints: {ball: {spherical: {between: [world, top], second_anchor: [0, 0, -0.25], motion: "
        "[\"0.7*cos(t*4 rad/s)\", \"0.7*sin(t*4 rad/s)\", 0]}}}\n";
    const double a = 0.7, w = 4, m = 2, l = 0.25, A = 0.3 + m * l * l, C = 0.5;
    const double size = w * w * (C * (cos(a) - 1) - A * cos(a)) - m * 9.81 * l;
    for (int way = 0; way < WAYS; way++) {
        run r = start(scene, way, "");
        for (double t = 0; t < 2; t += 0.39) {
            ff_joint_record at = advance(&r, t, 0);
            const double s = sin(w * t), c = cos(w * t);
            const double position[3] = {a * c, a * s, 0},
                         rate[3] = {-w * sin(a) * s, w * sin(a) * c, w * (1 - cos(a))},
                         across[3] = {sin(a) * c, sin(a) * s, 0};
            for (int i = 0; i < 3; i++) {
                assert_near(at.position[i], position[i], 1e-12);
                assert_near(at.rate[i], rate[i], 1e-11);
                assert_near(at.effort[i], size * across[i], 1e-9);
                assert_near(at.moment[i], size * across[i], 1e-9);
            }
            assert_near(ff_sim_ledger(r.sim).external, 0, 1e-10);
        }
        finish(&r);
    }
}

/* About one axis, over many turns: I q'' is the torque, and its work is the kinetic energy. */
static void test_turns(void **state) {
    (void)state;
    for (int way = 0; way < WAYS; way++) {
        run r = start(GIMBAL(", motion: [0, \"t^2*(3 rad/s^2)\", 0]", ""), way, "");
        for (double t = 0.5; t < 3; t += 0.5) {
            ff_joint_record at = advance(&r, t, 0);
            assert_near(at.rate[1], 6 * t, 1e-10);
            assert_near(at.effort[1], 0.4 * 6, 1e-9);
            assert_near(remainder(at.position[1] - 3 * t * t, 2 * acos(-1)), 0, 1e-10);
            assert_near(ff_sim_ledger(r.sim).external, -0.4 * 36 * t * t / 2, 1e-8);
        }
        finish(&r);
    }
}

/* Between two moving bodies, with a parallel spring, damper and actuator: momentum is conserved, and the result
 * depends neither on the body that the tree begins with nor on the formulation. */
static void test_led(void **state) {
    (void)state;
    static const char rest[] =
        ", stiffness: 3, damping: 0.2, motion: [\"0.6*sin(t*5 rad/s)\", \"t*2 rad/s\", "
        "\"0.3*t^2*(1 Hz^2)\"]";
    static const char forces[] =
        "forces: {x: {constant: {joint: ball, coordinate: x, torque: 0.7}}}\n";
    char both[2][2000];
    snprintf(
        both[0], sizeof both[0],
        "gravity: [0, 0, 0]\nbodies: {%s, %s}\njoints: {ball: {spherical: {between: [a, b], "
        "anchor: "
        "[0.3, 0.1, 0], second_anchor: [-0.1, 0, 0.4], orientation: [0.9, 0.1, -0.3, 0.2]%s}}}\n%s",
        BODY_A(", omega: [1, 2, -1]"), BODY_B(""), rest, forces);
    snprintf(
        both[1], sizeof both[1],
        "gravity: [0, 0, 0]\nbodies: {%s, %s}\njoints: {ball: {spherical: {between: [a, b], "
        "anchor: "
        "[0.3, 0.1, 0], second_anchor: [-0.1, 0, 0.4], orientation: [0.9, 0.1, -0.3, 0.2]%s}}}\n%s",
        BODY_B(""), BODY_A(", omega: [1, 2, -1]"), rest, forces);
    run first = {0};
    for (int way = 0; way < WAYS; way++) {
        for (int turned = 0; turned < 2; turned++) {
            /* if the tree begins with b, the start of a follows from b: compare the formulations only */
            run r = start(both[turned], way, "");
            double before[3], after[3];
            momentum(r.sim, r.model, before);
            ff_joint_record at = advance(&r, 1.3, 0);
            momentum(r.sim, r.model, after);
            for (int c = 0; c < 3; c++) {
                assert_near(after[c], before[c], 1e-8);
            }
            double x[3] = {0.6 * sin(6.5), 2.6, 0.3 * 1.69}, d[3] = {3 * cos(6.5), 2, 0.78},
                   dd[3] = {-15 * sin(6.5), 0, 0.6}, w[3], rate[3];
            ff_rotation_vector_rates(x, d, dd, w, rate);
            for (int c = 0; c < 3; c++) {
                assert_near(at.position[c], x[c], 1e-11);
                assert_near(at.rate[c], w[c], 1e-10);
            }
            if (turned == 0 && first.sim) {
                assert_same(&first, &r, 1e-8);
            }
            if (turned == 0 && !first.sim) {
                first = r;
            } else {
                finish(&r);
            }
        }
    }
    finish(&first);
}

/* A prescribed joint on a swinging arm, and another on it: parents come first. */
static void test_chain(void **state) {
    (void)state;
    static const char scene[] = "bodies: {arm: {mass: 2, inertia: [0.1, 0.1, 0.1]}, hand: {mass: "
                                "0.5, inertia: [0.01, 0.02, 0.03]}, "
                                "tip: {mass: 0.2, inertia: [0.01, 0.01, 0.02]}}\n"
                                "joints:\n  pin: {revolute: {between: [world, arm], axis: [0, 1, "
                                "0], second_anchor: [-0.4, 0, 0], angle: 0}}\n"
                                "  wrist: {spherical: {between: [arm, hand], anchor: [0.4, 0, 0], "
                                "second_anchor: [0, 0, 0.2], motion: "
                                "[\"0.5*sin(t*3 rad/s)\", 0.2, \"t*1 rad/s\"]}}\n"
                                "  finger: {spherical: {between: [hand, tip], anchor: [0, 0, "
                                "-0.2], second_anchor: [0.1, 0, 0], "
                                "motion: [0.1, \"0.4*cos(t*2 rad/s)\", 0]}}\n";
    ff_joint_record at[WAYS][3];
    double external[WAYS];
    for (int way = 0; way < WAYS; way++) {
        run r = start(scene, way, "");
        advance(&r, 1.1, 0);
        for (size_t k = 0; k < 3; k++) {
            at[way][k] = ff_sim_joint(r.sim, k);
        }
        external[way] = ff_sim_ledger(r.sim).external;
        assert_near(at[way][1].position[0], 0.5 * sin(3.3), 1e-11);
        assert_near(at[way][2].position[1], 0.4 * cos(2.2), 1e-11);
        finish(&r);
        for (size_t k = 0; k < 3; k++) {
            for (int c = 0; c < 3; c++) {
                assert_near(at[way][k].effort[c], at[0][k].effort[c], 1e-7);
                assert_near(at[way][k].force[c], at[0][k].force[c], 1e-7);
            }
        }
        assert_near(external[way], external[0], 1e-8);
    }
    assert_true(fabs(external[0]) > 0.1);
}

/* A prescribed joint that closes a loop, beside a hinge about the same axis: its effort is a multiplier of the
 * loop. */
static void test_loop(void **state) {
    (void)state;
    static const char scene[] =
        "gravity: [0, 0, 0]\nbodies: {b: {mass: 2, inertia: [0.3, 0.4, 0.6]}}\n"
        "joints:\n  hinge: {revolute: {between: [world, b], axis: [0, 1, 0]}}\n"
        "  ball: {spherical: {between: [world, b], motion: [0, \"0.9*sin(t*3 rad/s)\", 0]}}\n";
    for (int way = 0; way < WAYS; way++) {
        run r = start(scene, way, "");
        for (double t = 0.2; t < 1.1; t += 0.4) {
            const double rate = 2.7 * cos(3 * t), pace = -8.1 * sin(3 * t);
            ff_joint_record at = advance(&r, t, 0);
            assert_near(at.position[0], 0.9 * sin(3 * t), 1e-9);
            assert_near(at.rate[0], rate, 1e-9);
            at = ff_sim_joint(r.sim, 1);
            assert_near(at.position[1], 0.9 * sin(3 * t), 1e-9);
            assert_near(at.effort[1], 0.4 * pace, 1e-8);
            assert_near(ff_sim_ledger(r.sim).external, 0.2 * (2.7 * 2.7 - rate * rate), 1e-8);
        }
        finish(&r);
    }
}

/* A saved and restored run continues bit for bit, with prescribed motion between moving bodies. */
static void test_restore(void **state) {
    (void)state;
    for (int way = 0; way < 2; way++) {
        run r = start(
            PAIR_OF(BODY_A(SPINS) ", " BODY_B(""), ", motion: [\"0.6*sin(t*5 rad/s)\", 0.1, 0]"),
            way, "");
        const size_t size = ff_sim_state_size(r.sim);
        void *kept = malloc(size), *half = malloc(size);
        assert_true(kept && half);
        ff_sim_save(r.sim, kept);
        advance(&r, 0.2, 0);
        ff_sim_save(r.sim, half);
        advance(&r, 0.5, 0);
        const ff_motion a = ff_sim_body(r.sim, 1);
        for (int k = 0; k < 2; k++) {
            assert_int_equal(ff_sim_restore(r.sim, k ? half : kept, size), FF_OK);
            if (k == 0) {
                advance(&r, 0.2, 0);
            }
            advance(&r, 0.5, 0);
            const ff_motion b = ff_sim_body(r.sim, 1);
            assert_memory_equal(&a, &b, sizeof a);
        }
        free(kept);
        free(half);
        finish(&r);
    }
}

/* Fixed-step and implicit methods follow the prescribed motion too. */
static void test_methods(void **state) {
    (void)state;
    static const char *const methods[] = {", method: rodas", ", method: rk4, dt: 1 ms"};
    for (int way = 0; way < WAYS; way++) {
        for (size_t i = 0; i < ROWS(methods); i++) {
            run r =
                start(GIMBAL(", motion: [0, \"0.4*sin(t*2 rad/s)\", 0.1]", ""), way, methods[i]);
            while (ff_sim_advance(r.sim, 0.5) == FF_EVENT) {
            }
            const ff_joint_record at = ff_sim_joint(r.sim, 0);
            assert_near(at.position[1], 0.4 * sin(1.0), 1e-9);
            assert_near(at.position[2], 0.1, 1e-9);
            finish(&r);
        }
    }
}

/* ---- starts ---- */

static void test_start(void **state) {
    (void)state;
    for (int way = 0; way < WAYS; way++) {
        run r = start(GIMBAL(", rotation: [0.2, -0.5, 1.1], rates: [1, 2, 3]", ""), way, "");
        const ff_joint_record at = ff_sim_joint(r.sim, 0);
        const ff_motion b = ff_sim_body(r.sim, 0);
        const double given[3] = {0.2, -0.5, 1.1};
        for (int c = 0; c < 3; c++) {
            assert_near(at.position[c], given[c], 1e-14);
            assert_near(at.rate[c], 1 + c, 1e-14);
            assert_near(b.omega[c], 1 + c, 1e-14);
        }
        finish(&r);
    }
}

/* ---- coordinates of other joints in expressions ---- */

/* Efforts act along the coordinate they name, in its unit, and expressions can read every coordinate. */
static void test_coordinates(void **state) {
    (void)state;
#define ONE(joint, force)                                                                          \
    "gravity: [0, 0, 0]\nbodies: {b: {mass: 2, inertia: [0.3, 0.4, 0.6]}}\njoints: {j: {" joint    \
    "}}\nforces: {f: {joint: j, " force "}}\n"
    static const struct {
        const char *scene;
        int c;
        double inertia, stiffness;
    } cases[] = {
        {ONE("planar: {between: [world, b], axis: [0, 0, 1]}",
             "coordinate: angle, effort: \"3 N m*(0.4 - j.angle)\""),
         2, 0.6, 3},
        {ONE("planar: {between: [world, b], axis: [0, 0, 1]}",
             "coordinate: way2, effort: \"3 N/m*(40 cm - j.position[1])\""),
         1, 2, 3},
        {ONE("cylindrical: {between: [world, b], axis: [1, 0, 0]}",
             "coordinate: way, effort: \"3 N/m*(40 cm - j.position)\""),
         0, 2, 3},
        {ONE("cylindrical: {between: [world, b], axis: [1, 0, 0]}",
             "coordinate: angle, effort: \"3 N m*(0.4 - j.angle)\""),
         1, 0.3, 3},
        {ONE("universal: {between: [world, b], axis: [1, 0, 0], second_axis: [0, 1, 0]}",
             "coordinate: angle2, effort: \"3 N m*(0.4 - j.position[1])\""),
         1, 0.4, 3},
        {ONE("screw: {between: [world, b], axis: [1, 0, 0], pitch: 0.2}",
             "effort: \"3 N m*(0.4 - j.position)\""),
         0, 0.3 + 2 * 0.04, 3},
    };
    for (int way = 0; way < WAYS; way++) {
        for (size_t i = 0; i < ROWS(cases); i++) {
            run r = start(cases[i].scene, way, "");
            const double w = sqrt(cases[i].stiffness / cases[i].inertia);
            ff_joint_record at = advance(&r, 0.8, 0);
            assert_near(at.position[cases[i].c], 0.4 * (1 - cos(0.8 * w)), 1e-9);
            finish(&r);
        }
    }
    static const mistake wrong[] = {
        {ONE("planar: {between: [world, b], axis: [0, 0, 1]}", "coordinate: way1, effort: 1 N m"),
         "s.yaml:4:50: effort of force 'f': '1 N m' is an energy or torque (J), expected a force "
         "(N)\n"},
        {ONE("planar: {between: [world, b], axis: [0, 0, 1]}", "effort: 1 N m"),
         "s.yaml:4:21: force 'f' needs coordinate, because joint 'j' has several: way1, way2, "
         "angle\n"},
        {ONE("cylindrical: {between: [world, b], axis: [0, 0, 1]}",
             "coordinate: way, effort: \"j.torque/(1 m)\""),
         "s.yaml:4:49: effort of force 'f': expressions cannot read 'j.torque', because it depends "
         "on the forces\n"},
    };
    ALL_SAY(wrong);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_loop),
    cmocka_unit_test(test_restore),
    cmocka_unit_test(test_rotation_vectors),
    cmocka_unit_test(test_torque),
    cmocka_unit_test(test_between),
    cmocka_unit_test(test_cone),
    cmocka_unit_test(test_turns),
    cmocka_unit_test(test_led),
    cmocka_unit_test(test_chain),
    cmocka_unit_test(test_methods),
    cmocka_unit_test(test_controller),
    cmocka_unit_test(test_start),
    cmocka_unit_test(test_coordinates),
};

CHECK_MAIN(tests)
