/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "body/vector.h"
#include "model/scene.h"
#include "no_memory.h"
#include "scene_text.h"
#include <footfall/footfall.h>
#include <stdlib.h>

/* Scenes that start at rest, compared with closed forms of statics. */

#define GRAVITY 9.81

typedef struct {
    ff_model *model;
    ff_sim *sim;
} run;

/* The scene of a formatted text, at rest, with default options. */
__attribute__((format(printf, 1, 2))) static run rested(const char *format, ...) {
    char text[4000];
    run out;
    ff_error error = {""};
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    out.model = model_of_text(text);
    assert_holds(ff_sim_create(out.model, NULL, &out.sim, &error) == FF_OK, "%s", error.text);
    assert_true(ff_sim_rest(out.sim).found);
    return out;
}

static void finish(run r) {
    ff_sim_free(r.sim);
    ff_model_free(r.model);
}

/* The largest speed of all bodies. */
static double fastest(ff_sim *sim, size_t bodies) {
    double out = 0;
    for (size_t i = 0; i < bodies; i++) {
        const ff_motion m = ff_sim_body(sim, i);
        for (int c = 0; c < 3; c++) {
            out = fmax(out, fmax(fabs(m.velocity[c]), fabs(m.omega[c])));
        }
    }
    return out;
}

/* The scene stays at rest for a second: no events and no motion. */
static void stays(run r) {
    const size_t bodies = ff_model_body_count(r.model);
    const double before = ff_sim_ledger(r.sim).initial;
    assert_true(fastest(r.sim, bodies) == 0);
    assert_int_equal(ff_sim_advance(r.sim, 1), FF_OK);
    const double speed = fastest(r.sim, bodies);
    assert_holds(speed < 1e-9, "moves at %g m/s or rad/s after a second", speed);
    assert_int_equal(ff_sim_verdict(r.sim), FF_OK);
    assert_true(ff_sim_ledger(r.sim).initial == before);
    finish(r);
}

/* ---- one body ---- */

#define BALL                                                                                       \
    "start: rest\n"                                                                                \
    "bodies: {ball: {mass: 0.154, shape: {sphere: {radius: 0.0165}}, position: [0, 0, %g]}}\n"     \
    "ground: {floor: {plane: {normal: [0, 0, 1]}}}\n"

/* The depth of a ball on a plane is (m g/k)^(1/n). */
static void test_depth_of_a_ball(void **state) {
    (void)state;
    static const struct {
        const char *law;
        double k, n;
    } laws[] = {{"law: linear, k: 2e4, lambda: 20", 2e4, 1},
                {"law: hertz, k: 8.5e6", 8.5e6, 1.5},
                {"law: hunt-crossley, k: 8.5e6, lambda: 3e6, n: 2.2", 8.5e6, 2.2},
                {"law: azad-featherstone, k: 8.5e6, lambda: 3.1e3", 8.5e6, 1.5},
                {"law: flores, k: 8.5e6, e: 0.7", 8.5e6, 1.5},
                {"law: xiong, K: 1e5, alpha: 5e-4, beta: 1e-3", 1e5, 1}};
    /* a start above the floor, on it and in it */
    static const double heights[] = {0.02, 0.0165, 0.0164};
    for (size_t i = 0; i < ROWS(laws); i++) {
        for (size_t h = 0; h < ROWS(heights); h++) {
            run r = rested(BALL "pairs: [{between: [ball, floor], normal: {%s}}]", heights[h],
                           laws[i].law);
            const double depth = pow(0.154 * GRAVITY / laws[i].k, 1 / laws[i].n);
            const ff_contact_record c = ff_sim_contact(r.sim, 0);
            /* rounding of the height, 0.02 m */
            assert_near(c.depth, depth, 1e-17);
            assert_true(c.touching && !c.slips);
            assert_true(ff_sim_rest_carries(r.sim, 0) && !ff_sim_rest_carries(r.sim, 1));
            assert_int_equal(ff_sim_rest(r.sim).carrying, 1);
            assert_near(ff_sim_rest(r.sim).moved, fabs(heights[h] - 0.0165 + depth), 1e-17);
            assert_true(ff_sim_rest(r.sim).growth == 0);
            /* a rounding error of 1e-16 m causes an acceleration of k/m times that */
            assert_holds(ff_sim_rest(r.sim).acceleration < 1e-9, "%g left",
                         ff_sim_rest(r.sim).acceleration);
            stays(r);
        }
    }
}

/* Initial velocities of the scene are dropped with a warning; on a level floor friction carries nothing, with or
 * without a spring. */
static void test_velocities_are_dropped(void **state) {
    (void)state;
    static const char *const frictions[] = {"law: coulomb, mu: 0.3, v_ramp: 1e-3", "law: none",
                                            "law: clutch, k: 1e6, damping: 1e3, mu: 0.3"};
    for (size_t i = 0; i < ROWS(frictions); i++) {
        run r = rested(
            "start: rest\nbodies: {ball: {mass: 0.154, shape: {sphere: {radius: "
            "0.0165}}, position: [0, 0, 0.0165], velocity: [0.3, 0, 0.4], omega: [0, 5, "
            "0]}}\nground: {floor: {plane: {normal: [0, 0, 1]}}}\npairs: [{between: [ball, floor], "
            "normal: {law: linear, k: 2e4, lambda: 20}, friction: {%s}}]",
            frictions[i]);
        assert_near(ff_sim_rest(r.sim).dropped, 0.5, 1e-15);
        assert_true(ff_sim_body(r.sim, 0).position[0] == 0);
        assert_true(ff_sim_contact(r.sim, 0).u[0] == 0);
        stays(r);
    }
}

#define BLOCK                                                                                      \
    "start: rest\n"                                                                                \
    "bodies: {block: {mass: 2, shape: {sphere: {radius: 0.05}}, lock: rotation, position: "        \
    "[%.17g, "                                                                                     \
    "0, %.17g]}}\n"                                                                                \
    "ground: {slope: {plane: {normal: [%.17g, 0, %.17g]}}}\n"

/* A block on a slope: N = m g cos, and the friction spring carries m g sin. */
static void test_springs_on_a_slope(void **state) {
    (void)state;
    const double angle = 0.3, s = sin(angle), c = cos(angle), weight = 2 * GRAVITY,
                 z = pow(weight * c / 1e6, 1 / 1.5);
    const struct {
        const char *law;
        double u;
    } laws[] = {{"clutch, mu: 0.6, k: 2e6, damping: 1e3", weight * s / (2e6 * sqrt(z))},
                {"dahl, mu: 0.6, k: 1e4", s / c / 1e4},
                {"lugre, mu: 0.6, k: 1e4, damping: 10", s / c / 1e4},
                {"sat, mu: 0.6, k: 1e5, beta: 1e-3", weight * s / 1e5}};
    for (size_t i = 0; i < ROWS(laws); i++) {
        run r = rested(BLOCK "pairs: [{between: [block, slope], normal: {law: hunt-crossley, k: "
                             "1e6, lambda: 1e6}, friction: {law: %s}}]",
                       0.05 * s, 0.05 * c, s, c, laws[i].law);
        const ff_contact_record at = ff_sim_contact(r.sim, 0);
        assert_near(at.depth, z, 1e-16);
        assert_near(at.u[0], laws[i].u * c, 1e-15);
        assert_near(at.u[2], -laws[i].u * s, 1e-15);
        assert_true(!at.slips);
        assert_near(at.force[0], 0, 1e-9);
        assert_near(at.force[2], weight, 1e-9);
        /* the spring starts with its energy, which is not booked as a change of level */
        const ff_ledger l = ff_sim_ledger(r.sim);
        assert_true(l.created == 0 && l.regrade == 0 && l.slip == 0);
        assert_near(l.tangential_spring, weight * s * laws[i].u / 2, 1e-12);
        stays(r);
    }
}

/* A block that starts above the slope does not slip on the way: friction is unloaded before contact. */
static void test_a_slope_is_reached_from_above(void **state) {
    (void)state;
    const double angle = 0.3, s = sin(angle), c = cos(angle);
    run r = rested(BLOCK "pairs: [{between: [block, slope], normal: {law: hunt-crossley, k: 1e6, "
                         "lambda: 1e6}, friction: {law: clutch, mu: 0.6, k: 2e6, damping: 1e3}}]",
                   0.06 * s, 0.06 * c, s, c);
    assert_near(ff_sim_contact(r.sim, 0).force[2], 2 * GRAVITY, 1e-9);
    stays(r);
}

/* ---- several contacts ---- */

/* Two spheres in a channel of width w, one on the floor and against the left wall, one on top and against the
 * right wall. With the line of centres at angle t to the vertical, the contact between them carries m g/cos t,
 * each wall m g tan t, the floor 2 m g. */
static void test_spheres_in_a_channel(void **state) {
    (void)state;
    const double r = 0.05, w = 0.16, k = 1e6, weight = 0.5 * GRAVITY;
    run at =
        rested("start: rest\n"
               "bodies:\n"
               "  low: {mass: 0.5, shape: {sphere: {radius: 0.05}}, position: [0.05, 0, 0.05]}\n"
               "  high: {mass: 0.5, shape: {sphere: {radius: 0.05}}, position: [0.11, 0, 0.13]}\n"
               "ground:\n"
               "  floor: {plane: {normal: [0, 0, 1]}}\n"
               "  left: {plane: {normal: [1, 0, 0]}}\n"
               "  right: {plane: {point: [0.16, 0, 0], normal: [-1, 0, 0]}}\n"
               "pairs:\n"
               "  - {between: ['*', '*'], normal: {law: hertz, k: 1e6}}\n");
    double t = 0;
    for (int i = 0; i < 100; i++) {
        const double wall = pow(weight * tan(t) / k, 1 / 1.5),
                     both = pow(weight / cos(t) / k, 1 / 1.5);
        t = asin((w - 2 * r + 2 * wall) / (2 * r - both));
    }
    const ff_motion low = ff_sim_body(at.sim, 0), high = ff_sim_body(at.sim, 1);
    const double wall = pow(weight * tan(t) / k, 1 / 1.5), both = pow(weight / cos(t) / k, 1 / 1.5);
    assert_near(low.position[0], r - wall, 1e-16);
    assert_near(low.position[2], r - pow(2 * weight / k, 1 / 1.5), 1e-16);
    assert_near(high.position[0], w - r + wall, 1e-16);
    assert_near(high.position[2], low.position[2] + (2 * r - both) * cos(t), 1e-15);
    assert_int_equal(ff_sim_rest(at.sim).carrying, 4);
    stays(at);
}

/* Two feet pushed along the floor share the force in proportion to their springs, wherever it acts: for both, u is
 * the displacement of the body, because loading starts from u = 0. */
static void test_indeterminate_friction_is_elastic(void **state) {
    (void)state;
    run r =
        rested("start: rest\n"
               "bodies: {frame: {mass: 4, lock: rotation, position: [0, 0, 0.2], shape: {spheres: "
               "[{center: [-0.3, 0, -0.15], radius: 5 cm}, {center: [0.3, 0, -0.15], radius: 5 "
               "cm}]}, inertia: 0.1}}\n"
               "ground: {floor: {plane: {normal: [0, 0, 1]}}}\n"
               "pairs: [{between: [frame, floor], normal: {law: linear, k: 1e5, lambda: 100}, "
               "friction: {law: clutch, mu: 0.5, k: 2e5, damping: 500}}]\n"
               "forces: {push: {constant: {body: frame, force: [6, 0, 0]}}}\n");
    const double x = ff_sim_body(r.sim, 0).position[0];
    assert_near(x, 6 / (2 * 2e5), 1e-17);
    for (size_t i = 0; i < 2; i++) {
        assert_near(ff_sim_contact(r.sim, i).u[0], x, 1e-18);
        assert_near(ff_sim_contact(r.sim, i).depth, 2 * GRAVITY / 1e5, 1e-16);
    }
    stays(r);
}

/* A slipping foot carries the limit of its cone, and the other one carries the rest. */
static void test_a_foot_that_slips_is_at_its_cone(void **state) {
    (void)state;
    run r =
        rested("start: rest\n"
               "bodies: {frame: {mass: 4, lock: rotation, position: [0, 0, 0.2], shape: {spheres: "
               "[{name: a, center: [-0.3, 0, -0.15], radius: 5 cm}, {name: b, center: [0.3, 0, "
               "-0.15], radius: 5 cm}]}, inertia: 0.1}}\n"
               "ground: {floor: {plane: {normal: [0, 0, 1]}}}\n"
               "pairs:\n"
               "  - {between: [frame.a, floor], normal: {law: linear, k: 1e5, lambda: 100}, "
               "friction: {law: clutch, mu: 0.1, k: 2e5, damping: 500}}\n"
               "  - {between: [frame.b, floor], normal: {law: linear, k: 1e5, lambda: 100}, "
               "friction: {law: clutch, mu: 0.8, k: 2e5, damping: 500}}\n"
               "forces: {push: {constant: {body: frame, force: [10, 0, 0]}}}\n");
    const double load = 2 * GRAVITY;
    assert_near(ff_sim_contact(r.sim, 0).force[0], -0.1 * load, 1e-9);
    assert_near(ff_sim_contact(r.sim, 1).force[0], 0.1 * load - 10, 1e-9);
    assert_near(ff_sim_body(r.sim, 0).position[0], (10 - 0.1 * load) / 2e5, 1e-13);
    while (ff_sim_advance(r.sim, 1) == FF_EVENT) { /* it may stick and slip at its cone */
    }
    assert_near(ff_sim_time(r.sim), 1, 0);
    assert_holds(fastest(r.sim, 1) < 1e-9, "%g m/s", fastest(r.sim, 1));
    finish(r);
}

/* ---- joints ---- */

/* Each pin of a hanging chain carries the weight below it, in both formulations. */
static void test_chain_hangs(void **state) {
    (void)state;
    static const char *const settings[] = {"start=rest", "run.formulation=maximal"};
    for (size_t count = 1; count <= 2; count++) {
        ff_scene *scene;
        run r;
        assert_int_equal(
            ff_scene_read(FF_SOURCE_DIR "/scenes/chain.yaml", settings, count, &scene, NULL),
            FF_OK);
        assert_int_equal(ff_model_create(scene, &r.model, NULL), FF_OK);
        assert_int_equal(ff_sim_create(r.model, NULL, &r.sim, NULL), FF_OK);
        ff_scene_free(scene);
        for (size_t i = 0; i < 10; i++) {
            const ff_joint_record j = ff_sim_joint(r.sim, i);
            assert_near(j.force[2], (10 - (double)i) * 0.05 * GRAVITY, 1e-12);
            assert_near(j.force[0], 0, 1e-12);
            assert_near(j.force[1], 0, 1e-12);
            assert_near(j.position[0], 0, 1e-12);
        }
        assert_true(ff_sim_rest(r.sim).growth == 0);
        stays(r);
    }
}

#define ARM                                                                                        \
    "start: rest\n"                                                                                \
    "bodies: {arm: {mass: 2, inertia: [0.01, 0.01, 0.01]}}\n"                                      \
    "joints: {pivot: {revolute: {between: [world, arm], second_anchor: [-0.3, 0, 0], axis: [0, "   \
    "1, "                                                                                          \
    "0], angle: 0%s}}}\n%s"

/* An arm on a horizontal axis: the motor's kp (target - q), or the joint's own spring, carries m g l cos q. */
static void test_arm_on_a_motor(void **state) {
    (void)state;
    const char *const ways[][2] = {
        {"", "forces: {motor: {pd: {joint: pivot, kp: 100, kd: 2, target: [-0.2]}}}\n"},
        {", stiffness: 100, rest: -0.2, damping: 2", ""}};
    for (size_t i = 0; i < 2; i++) {
        run r = rested(ARM, ways[i][0], ways[i][1]);
        const double q = ff_sim_joint(r.sim, 0).position[0];
        /* gravity turns the arm about +y, downward at its end */
        assert_near(100 * (-0.2 - q) + 2 * GRAVITY * 0.3 * cos(q), 0, 1e-13);
        assert_near(q, -0.2 + 0.0588, 1e-2);
        stays(r);
    }
}

/* An inverted arm is in equilibrium, but unstable: it falls with the rate sqrt(m g l/I) about the pivot. */
static void test_unstable_is_said(void **state) {
    (void)state;
    run r =
        rested("start: rest\n"
               "bodies: {arm: {mass: 2, inertia: [0.01, 0.01, 0.01]}}\n"
               "joints: {pivot: {revolute: {between: [world, arm], second_anchor: [0, 0, -0.3], "
               "axis: [0, 1, 0], angle: 0}}}\n");
    assert_int_equal(ff_sim_rest(r.sim).iterations, 0);
    assert_close(ff_sim_rest(r.sim).growth, sqrt(2 * GRAVITY * 0.3 / (0.01 + 2 * 0.09)), 1e-6);
    finish(r);
    /* a column of five spheres is unstable too; exactly aligned, it stays */
    r = rested(
        "start: rest\n"
        "bodies:\n"
        "  a: {mass: 1, shape: {sphere: {radius: 0.1}}, position: [0, 0, 0.1]}\n"
        "  b: {mass: 1, shape: {sphere: {radius: 0.1}}, position: [0, 0, 0.3]}\n"
        "  c: {mass: 1, shape: {sphere: {radius: 0.1}}, position: [0, 0, 0.5]}\n"
        "  d: {mass: 1, shape: {sphere: {radius: 0.1}}, position: [0, 0, 0.7]}\n"
        "  e: {mass: 1, shape: {sphere: {radius: 0.1}}, position: [0, 0, 0.9]}\n"
        "ground: {floor: {plane: {normal: [0, 0, 1]}}}\n"
        "pairs: [{between: ['*', '*'], normal: {law: hertz, k: 1e7}, friction: {law: clutch, "
        "mu: 0.5, k: 1e7, damping: 1e4}}]\n");
    const double forces[] = {5, 4, 3, 2, 1};
    double height = 0.1;
    for (size_t i = 0; i < 5; i++) {
        height -= pow(forces[i] * GRAVITY / 1e7, 1 / 1.5);
        assert_near(ff_sim_body(r.sim, i).position[2], height + 0.2 * (double)i, 1e-15);
    }
    assert_true(ff_sim_rest(r.sim).growth > 5);
    stays(r);
}

/* ---- more than 100 pairs ---- */

/* A run of a scene at rest; if `slots` > 0, all pairs have slots of their own as long as there are at most that
 * many. Frees the scene. */
static run rested_scene(ff_scene *scene, double slots) {
    run out;
    ff_error error = {""};
    scene->slots_most = slots;
    assert_int_equal(ff_model_create(scene, &out.model, NULL), FF_OK);
    assert_holds(ff_sim_create(out.model, NULL, &out.sim, &error) == FF_OK, "%s", error.text);
    assert_true(ff_sim_rest(out.sim).found);
    ff_scene_free(scene);
    return out;
}

#define CLUTCH "law: clutch, mu: 0.6, k: 2e6, damping: 1e3"

/* A stack of crates of 20 cm, 20 cm, 10 cm with eight round corners, `pitch` apart. */
static void write_crates(char *out, size_t size, int count, double pitch) {
    size_t n = (size_t)snprintf(out, size, "start: rest\nbodies:\n");
    for (int i = 0; i < count; i++) {
        n += (size_t)snprintf(out + n, size - n,
                              "  crate%d: {mass: 2, inertia: [0.01, 0.01, 0.016], position: [0, 0, "
                              "%.17g], shape: {spheres: [",
                              i, 0.05 + pitch * i);
        for (int c = 0; c < 8; c++) {
            n += (size_t)snprintf(out + n, size - n, "%s{center: [%g, %g, %g], radius: 0.02}",
                                  c ? ", " : "", c & 1 ? 0.08 : -0.08, c & 2 ? 0.08 : -0.08,
                                  c & 4 ? 0.03 : -0.03);
        }
        n += (size_t)snprintf(out + n, size - n, "]}}\n");
    }
    n += (size_t)snprintf(
        out + n, size - n,
        "ground: {floor: {plane: {normal: [0, 0, 1]}}}\npairs: [{between: ['*', "
        "'*'], normal: {law: hunt-crossley, k: 2e6, lambda: 1e6}, friction: {" CLUTCH "}}]\n");
    assert_true(n < size);
}

/* The four lower corners of crate i of n carry (n - i) m g, however far apart the crates are at the start. */
static void test_stack_of_crates(void **state) {
    (void)state;
    enum { COUNT = 5 };
    static const double pitches[] = {0.1, 0.115, 0.0995};
    char text[6000];
    for (size_t p = 0; p < ROWS(pitches); p++) {
        write_crates(text, sizeof text, COUNT, pitches[p]);
        run r = rested_scene(parse_text(text), 0);
        double height = 0.05;
        assert_int_equal(ff_model_contact_count(r.model), COUNT * (COUNT - 1) / 2 * 64 + COUNT * 8);
        for (size_t i = 0; i < COUNT; i++) {
            height -= pow((double)(COUNT - i) * 2 * GRAVITY / 4 / 2e6, 1 / 1.5);
            const ff_motion m = ff_sim_body(r.sim, i);
            assert_near(m.position[2], height + 0.1 * (double)i, 1e-15);
            assert_near(fabs(m.position[0]) + fabs(m.position[1]), 0, 1e-15);
        }
        assert_int_equal(ff_sim_rest(r.sim).carrying, 4 * COUNT);
        size_t carrying = 0;
        for (size_t i = 0; i < ff_model_contact_count(r.model); i++) {
            const bool carries = ff_sim_rest_carries(r.sim, i);
            assert_true(carries == (ff_sim_contact(r.sim, i).depth > 0));
            carrying += carries;
        }
        assert_int_equal(carrying, 4 * COUNT);
        assert_true(ff_sim_rest(r.sim).growth == 0);
        stays(r);
    }
}

/* A pyramid of 4 by 4, 3 by 3, 2 by 2 spheres and one in a box: floor and walls carry exactly its weight, and the
 * result equals that with a slot for each pair. */
static void test_pyramid_of_spheres(void **state) {
    (void)state;
    char text[6000];
    size_t n = (size_t)snprintf(text, sizeof text, "start: rest\nbodies:\n");
    for (int level = 0; level < 4; level++) {
        for (int i = 0; i < (4 - level) * (4 - level); i++) {
            n += (size_t)snprintf(text + n, sizeof text - n,
                                  "  ball%d_%d: {mass: 0.5, shape: {sphere: {radius: 0.05}}, "
                                  "position: [%g, %g, %.9g]}\n",
                                  level, i, 0.05 * (2 * (i % (4 - level)) + level - 3),
                                  0.05 * (2 * (i / (4 - level)) + level - 3),
                                  0.05 + 0.05 * sqrt(2) * level);
        }
    }
    n += (size_t)snprintf(text + n, sizeof text - n,
                          "ground:\n"
                          "  floor: {plane: {normal: [0, 0, 1]}}\n"
                          "  west: {plane: {point: [-0.2, 0, 0], normal: [1, 0, 0]}}\n"
                          "  east: {plane: {point: [0.2, 0, 0], normal: [-1, 0, 0]}}\n"
                          "  south: {plane: {point: [0, -0.2, 0], normal: [0, 1, 0]}}\n"
                          "  north: {plane: {point: [0, 0.2, 0], normal: [0, -1, 0]}}\n"
                          "pairs: [{between: ['*', '*'], normal: {law: hunt-crossley, k: 2e6, "
                          "lambda: 1e6}, friction: {" CLUTCH "}}]\n");
    assert_true(n < sizeof text);
    run near = rested_scene(parse_text(text), 0), all = rested_scene(parse_text(text), 1e3);
    double force[3] = {0};
    for (size_t i = 0; i < ff_model_contact_count(near.model); i++) {
        const ff_contact_record c = ff_sim_contact(near.sim, i), same = ff_sim_contact(all.sim, i);
        const bool ground = !strstr(strchr(ff_model_contact_name(near.model, i), '/'), "ball");
        for (int k = 0; k < 3; k++) {
            force[k] += ground ? c.force[k] : 0;
            /* friction springs that slipped during the search lie on their cones to rounding of 1e-16 m */
            assert_near(c.force[k], same.force[k], 1e-8);
        }
        assert_true(ff_sim_rest_carries(near.sim, i) == ff_sim_rest_carries(all.sim, i));
    }
    assert_near(force[0], 0, 1e-9);
    assert_near(force[1], 0, 1e-9);
    assert_near(force[2], 30 * 0.5 * GRAVITY, 1e-9);
    while (ff_sim_advance(near.sim, 1) == FF_EVENT) { /* some stick and slip at their cones */
    }
    assert_near(ff_sim_time(near.sim), 1, 0);
    assert_holds(fastest(near.sim, 30) < 1e-9, "%g m/s", fastest(near.sim, 30));
    assert_int_equal(ff_sim_verdict(near.sim), FF_OK);
    finish(near);
    finish(all);
}

#define TOWER                                                                                      \
    "start: rest\n"                                                                                \
    "bodies:\n"                                                                                    \
    "  low: {mass: 0.5, shape: {sphere: {radius: 0.05}}, lock: rotation, position: [0, 0, "        \
    "0.09]}\n"                                                                                     \
    "  high: {mass: 0.5, shape: {sphere: {radius: 0.05}}, lock: rotation, position: [0, 0, "       \
    "0.23]}\n"                                                                                     \
    "ground: {floor: {plane: {normal: [0, 0, 1]}}}\n"                                              \
    "pairs: [{between: ['*', '*'], normal: {law: hertz, k: 1e6}, friction: {" CLUTCH "}}]\n"

/* No pair that carries load at the end is near at the start: each gap is 0.8 of a radius, and pairs count as near
 * up to 0.4 of it. Slots are assigned during the search. */
static void test_slots_on_the_way(void **state) {
    (void)state;
    run r = rested_scene(parse_text(TOWER), 0.5);
    const double low = 0.05 - pow(GRAVITY / 1e6, 1 / 1.5),
                 high = low + 0.1 - pow(0.5 * GRAVITY / 1e6, 1 / 1.5);
    assert_near(ff_sim_body(r.sim, 0).position[2], low, 1e-16);
    assert_near(ff_sim_body(r.sim, 1).position[2], high, 1e-16);
    assert_int_equal(ff_sim_rest(r.sim).carrying, 2);
    stays(r);
}

/* The slipping contact is named correctly although its slot has another number: the pair of the wall has no slot. */
static void test_a_slot_that_slips(void **state) {
    (void)state;
    ff_model *model;
    ff_sim *sim = NULL;
    ff_error error = {""};
    ff_scene *scene = parse_text(
        "start: rest\n"
        "bodies: {block: {mass: 2, shape: {sphere: {radius: 0.05}}, lock: rotation, position: [0, "
        "0, 0.09]}}\n"
        "ground:\n"
        "  wall: {plane: {point: [-9, 0, 0], normal: [1, 0, 0]}}\n"
        "  slope: {plane: {normal: [0.3, 0, 1]}}\n"
        "pairs: [{between: [block, '*'], normal: {law: hertz, k: 1e6}, friction: {law: clutch, "
        "mu: 0.2, k: 1e6, damping: 1e3}}]\n");
    scene->slots_most = 0.5;
    assert_int_equal(ff_model_create(scene, &model, NULL), FF_OK);
    ff_scene_free(scene);
    assert_int_equal(ff_sim_create(model, NULL, &sim, &error), FF_UNREACHABLE);
    assert_holds(strstr(error.text, "contact block/slope slips: friction carries at most 0.2"),
                 "%s", error.text);
    ff_model_free(model);
}

/* ---- larger scenes ---- */

static void test_quadruped_and_grasp_stay(void **state) {
    (void)state;
    static const char *const files[] = {"quadruped", "grasp"};
    static const char *const settings[] = {"start=rest", "run.tol=1e-9", "run.until=1"};
    static const size_t carrying[] = {4, 2};
    for (size_t i = 0; i < 2; i++) {
        char path[300];
        ff_scene *scene;
        run r;
        snprintf(path, sizeof path, FF_SOURCE_DIR "/scenes/%s.yaml", files[i]);
        assert_int_equal(ff_scene_read(path, settings, 3, &scene, NULL), FF_OK);
        assert_int_equal(ff_model_create(scene, &r.model, NULL), FF_OK);
        assert_int_equal(ff_sim_create(r.model, NULL, &r.sim, NULL), FF_OK);
        ff_scene_free(scene);
        assert_int_equal(ff_sim_rest(r.sim).carrying, carrying[i]);
        double up = 0, weight = i ? 0.2 * GRAVITY : (8 + 4 * 1.6) * GRAVITY;
        for (size_t k = 0; k < ff_model_contact_count(r.model); k++) {
            up += ff_sim_contact(r.sim, k).force[2];
        }
        assert_near(up, weight, 1e-8);
        stays(r);
    }
}

/* ---- runs from equilibrium ---- */

static const char *const slope_text =
    "start: rest\n"
    "bodies: {block: {mass: 2, shape: {sphere: {radius: 0.05}}, lock: rotation, position: [0, 0, "
    "0.0525]}}\n"
    "ground: {slope: {plane: {normal: [0.3, 0, 1]}}}\n"
    "pairs: [{between: [block, slope], normal: {law: hertz, k: 1e6}, friction: {law: clutch, mu: "
    "0.6, k: 1e6, damping: 1e3}}]\n";

/* Numbers set before the first step lead to another equilibrium; if there is none, they are refused with the
 * reason, and nothing changes. */
static void test_setting_numbers(void **state) {
    (void)state;
    run r = rested("%s", slope_text), other;
    ff_error error = {""};
    const double z = ff_sim_contact(r.sim, 0).depth;
    assert_int_equal(ff_sim_set_path(r.sim, "bodies.block.mass", 4, &error), FF_OK);
    assert_close(ff_sim_contact(r.sim, 0).depth, z * pow(2, 1 / 1.5), 1e-12);
    assert_int_equal(ff_sim_set_path(r.sim, "pairs[0].friction.mu", 0.1, &error), FF_UNREACHABLE);
    assert_holds(strstr(error.text, "contact block/slope slips"), "%s", error.text);
    assert_close(ff_sim_contact(r.sim, 0).depth, z * pow(2, 1 / 1.5), 1e-12);
    assert_true(ff_sim_rest(r.sim).found);
    assert_int_equal(ff_sim_set_path(r.sim, "bodies.block.mass", 2, &error), FF_OK);
    assert_true(ff_sim_contact(r.sim, 0).depth == z);
    /* gravity is an input: before the first step it belongs to the start */
    const double half[3] = {0, 0, -GRAVITY / 2};
    size_t field, part;
    assert_int_equal(ff_model_field_find(r.model, "gravity", &field, &part, NULL), FF_OK);
    assert_int_equal(ff_sim_set(r.sim, field, half, &error), FF_OK);
    assert_close(ff_sim_contact(r.sim, 0).depth, z * pow(2, -1 / 1.5), 1e-12);
    /* with given motions there is no start at rest */
    const ff_motion given_motion = ff_sim_body(r.sim, 0);
    assert_int_equal(ff_sim_begin(r.sim, &given_motion), FF_OK);
    assert_true(!ff_sim_rest(r.sim).found && ff_sim_contact(r.sim, 0).u[0] == 0);
    /* the same through the scene */
    ff_scene *scene = parse_text(slope_text), *with;
    const char *const setting = "bodies.block.mass=4";
    assert_int_equal(ff_scene_with(scene, &setting, 1, &with, NULL), FF_OK);
    assert_int_equal(ff_scene_start(with), FF_START_REST);
    assert_int_equal(ff_model_create(with, &other.model, NULL), FF_OK);
    assert_int_equal(ff_sim_create(other.model, NULL, &other.sim, NULL), FF_OK);
    assert_close(ff_sim_contact(other.sim, 0).depth, z * pow(2, 1 / 1.5), 1e-12);
    ff_scene_free(scene);
    ff_scene_free(with);
    finish(other);
    finish(r);
}

/* A saved start continues bit for bit, and a restored start is a start again. */
static void test_saving(void **state) {
    (void)state;
    run r = rested("%s", slope_text), s = rested("%s", slope_text);
    const size_t size = ff_sim_state_size(r.sim);
    void *block = malloc(size);
    ff_sim_save(r.sim, block);
    assert_int_equal(ff_sim_set_path(s.sim, "bodies.block.position[0]", 0.01, NULL), FF_OK);
    assert_int_equal(ff_sim_advance(r.sim, 0.5), FF_OK);
    assert_int_equal(ff_sim_restore(r.sim, block, size), FF_OK);
    assert_true(fastest(r.sim, 1) == 0 && ff_sim_time(r.sim) == 0);
    free(block);
    finish(r);
    finish(s);
}

/* By the builder, and compared with a start in a scene file. */
static void test_builder(void **state) {
    (void)state;
    ff_scene *scene = parse_text(slope_text);
    run r;
    ff_scene_set_start(scene, FF_START_WRITTEN);
    assert_int_equal(ff_model_create(scene, &r.model, NULL), FF_OK);
    assert_int_equal(ff_sim_create(r.model, NULL, &r.sim, NULL), FF_OK);
    assert_true(!ff_sim_rest(r.sim).found && !ff_sim_rest_carries(r.sim, 0));
    assert_true(ff_sim_body(r.sim, 0).position[2] == 0.0525);
    finish(r);
    ff_scene_free(scene);
}

/* ---- scenes without equilibrium ---- */

static void test_why_there_is_none(void **state) {
    (void)state;
#define SLOPE(friction)                                                                            \
    "start: rest\n"                                                                                \
    "bodies: {block: {mass: 2, shape: {sphere: {radius: 0.05}}, lock: rotation, position: [0, 0, " \
    "0.0525]}}\n"                                                                                  \
    "ground: {slope: {plane: {normal: [0.3, 0, 1]}}}\n"                                            \
    "pairs: [{between: [block, slope], normal: {law: linear, k: 1e6, lambda: 1e3}" friction "}]"
    static const struct {
        const char *text, *says;
    } cases[] = {
        {"start: rest\nbodies: {ball: {mass: 1, shape: {sphere: {radius: 0.1}}, position: [0, 0, "
         "1]}}\n",
         "start: rest: nothing holds body 'ball' in direction z: it touches nothing"},
        {"start: rest\nbodies: {ball: {mass: 1, shape: {sphere: {radius: 0.1}}, position: [0, 0, "
         "1]}}\nground: {floor: {plane: {normal: [0, 0, 1]}}}\npairs: [{between: [ball, floor], "
         "normal: {law: "
         "hertz, "
         "k: 1e6}}]\n",
         "start: rest: nothing holds body 'ball' in direction z: contact ball/floor has a gap of "
         "0.9 m"},
        {SLOPE(", friction: {law: clutch, mu: 0.2, k: 1e6, damping: 1e3}"),
         "body 'block' still moves in direction x: contact block/slope slips: friction carries at "
         "most 0.2 of its load"},
        {SLOPE(", friction: {law: dahl, mu: 0.2, k: 1e4}"), "contact block/slope slips"},
        {SLOPE(", friction: {law: coulomb, mu: 0.9, v_ramp: 1e-3}"),
         "friction law 'coulomb' of contact block/slope has no spring: it creeps and carries no "
         "load at rest"},
        {SLOPE(""), "contact block/slope has no friction"},
        {"start: rest\nbodies: {ball: {mass: 1, shape: {sphere: {radius: 0.1}}, position: [0, 0, "
         "0.1]}}\nground: {lift: {plane: {normal: [0, 0, 1], velocity: [0, 0, 1]}}}\npairs: "
         "[{between: [ball, lift], normal: {law: hertz, k: 1e6}}]\n",
         "the plane of contact ball/lift moves along its normal, and nothing rests on it"},
        {"start: rest\nbodies: {ball: {mass: 1, shape: {sphere: {radius: 0.1}}, position: [0, 0, "
         "0.1]}}\nground: {slope: {plane: {normal: [0.1, 0, 1]}}}\npairs: [{between: [ball, "
         "slope], "
         "normal: {law: hertz, k: 1e6}, friction: {law: clutch, mu: 0.5, k: 1e6, damping: 1e3}}]\n",
         "body 'ball' still moves in direction x: it rolls or turns"},
        {"start: rest\nbodies: {arm: {mass: 1, inertia: [0.1, 0.1, 0.1]}}\njoints: {slide: "
         "{prismatic: {between: [world, arm], axis: [0, 0, 1]}}}\n",
         "body 'arm' still moves in direction z"},
        {"start: rest\nbodies: {sand: {count: 200, radius: 1 mm, density: 2500, fill: {from: [0, "
         "0, "
         "0], to: [0.1, 0.1, 0.1]}}}\nground: {floor: {plane: {normal: [0, 0, 1]}}}\npairs: "
         "[{between: [sand, '*'], normal: {law: linear, k: 1e3, lambda: 1}}]\nrun: {method: "
         "verlet, "
         "dt: 1e-5, events: none}\n",
         "start: rest is not possible for a crowd"},
        {"start: rest\nbodies: {sand: {count: 200, radius: 1 mm, density: 2500, fill: {from: [0, "
         "0, "
         "0.05], to: [0.1, 0.1, 0.1]}}}\nground: {floor: {plane: {normal: [0, 0, 1]}}}\npairs: "
         "[{between: [sand, floor], normal: {law: linear, k: 1e3, lambda: 1}}]\n",
         "start: rest: nothing holds body 'sand[0]' in direction z: contact sand[0]/floor has a "
         "gap of "},
    };
    for (size_t i = 0; i < ROWS(cases); i++) {
        ff_model *model = model_of_text(cases[i].text);
        ff_sim *sim = NULL;
        ff_error error = {""};
        const ff_status status = ff_sim_create(model, NULL, &sim, &error);
        assert_true(status == FF_UNREACHABLE || status == FF_BAD_VALUE);
        assert_holds(strstr(error.text, cases[i].says), "says: %s\ninstead of: %s", error.text,
                     cases[i].says);
        ff_model_free(model);
    }
    assert_says("start: still\nbodies: {a: {mass: 1, lock: rotation}}",
                "s.yaml:1:8: unknown start 'still' in the scene (known are written, rest)\n");
}

/* ---- controllers ---- */

/* An arm of 2 kg, 0.25 m from its axis, under a torque of 30 N m (0.4 - q): in equilibrium it balances m g l cos
 * q. */
#define HELD(more)                                                                                 \
    "start: rest\nbodies: {arm: {mass: 2, inertia: [0.1, 0.03, 0.1]}}\n"                           \
    "joints: {j: {revolute: {between: [world, arm], axis: [0, -1, 0], second_anchor: [-0.25, 0, "  \
    "0], angle: 0.1}}}\n" more
/* A ball of 1 kg held only by a force, at a height of 0.5 m or at that of its controller. */
#define HOVER(more)                                                                                \
    "start: rest\nbodies: {ball: {mass: 1, inertia: [1, 1, 1], position: [0, 0, 0.4]}}\n" more

static double held_angle(double target) {
    double q = 0.3;
    for (int i = 0; i < 50; i++) {
        const double f = 30 * (target - q) - 2 * GRAVITY * 0.25 * cos(q),
                     slope = -30 + 2 * GRAVITY * 0.25 * sin(q);
        q -= f / slope;
    }
    return q;
}

static void test_expressions_hold(void **state) {
    (void)state;
    const double q = held_angle(0.4);
    static const char *const scenes[] = {
        HELD("forces: {m: {joint: j, effort: \"30 N m*(0.4 - j.position) - 1 N m s*j.rate\"}}\n"),
        HELD("forces: {m: {joint: j, every: 2 ms, effort: \"30 N m*(0.4 - j.position) - 1 N m "
             "s*j.rate\"}}\n"),
        /* through two sampled controllers */
        HELD("controllers: {b: {every: 2 ms, let: {y: \"15 N m*(0.4 - j.position) - 0.5 N m "
             "s*j.rate\"}}, a: {every: 1 ms, let: {x: \"2*b.y\"}}}\n"
             "forces: {m: {joint: j, effort: a.x}}\n"),
        /* a kink during the search, and a state that only events change */
        HELD("controllers: {c: {states: {k: 30 N m}}}\nforces: {m: {joint: j, effort: "
             "\"if(j.position < "
             "0.2, 50 N m*(0.36 - j.position), c.k*(0.4 - j.position)) - 1 N m s*j.rate\"}}\n"),
        HELD("forces: {m: {joint: j, effort: \"30 N m*(0.4 - j.position) - 1 N m s*j.rate\"}}\n"
             "run: {formulation: maximal}\n"),
    };
    for (size_t i = 0; i < ROWS(scenes); i++) {
        run r = rested("%s", scenes[i]);
        assert_near(ff_sim_joint(r.sim, 0).position[0], q, 1e-13);
        assert_near(ff_sim_joint(r.sim, 0).effort[0], 2 * GRAVITY * 0.25 * cos(q), 1e-11);
        stays(r);
    }
}

/* States of controllers are in equilibrium where their rates are 0: an integrator reaches the target, a filter its
 * input. */
static void test_states_rest(void **state) {
    (void)state;
    run r =
        rested("%s", HELD("controllers: {c: {states: {x: 0 s, f: 0}, rates: {x: \"0.4 - "
                          "j.position\", f: \"(j.position - c.f)*(50 Hz)\"}}}\n"
                          "forces: {m: {joint: j, effort: \"30 N m*(0.4 - c.f) - 1 N m s*j.rate "
                          "+ 80 N m/s*c.x\"}}\n"));
    size_t field;
    double x[2];
    for (int i = 0; i < 2; i++) {
        assert_int_equal(ff_model_field_find(r.model, i ? "controllers.c.f" : "controllers.c.x",
                                             &field, NULL, NULL),
                         FF_OK);
        assert_int_equal(ff_sim_get(r.sim, field, &x[i]), FF_OK);
    }
    assert_near(ff_sim_joint(r.sim, 0).position[0], 0.4, 1e-13);
    assert_near(x[0], 2 * GRAVITY * 0.25 * cos(0.4) / 80, 1e-13);
    assert_near(x[1], 0.4, 1e-13);
    stays(r);
    /* a body held only by a force */
    r = rested("%s", HOVER("forces: {f: {body: ball, force: [\"-20 N/m*ball.position[0]\", \"-20 "
                           "N/m*ball.position[1]\", \"100 N/m*(0.5 m - ball.position[2]) - 3 N "
                           "s/m*ball.velocity[2]\"]}}\n"));
    assert_near(ff_sim_body(r.sim, 0).position[2], 0.5 - GRAVITY / 100, 1e-14);
    stays(r);
    r = rested("%s",
               HOVER("forces: {f: {body: ball, every: 5 ms, force: [\"-20 N/m*ball.position[0]\", "
                     "\"-20 N/m*ball.position[1]\", \"100 N/m*(0.5 m - ball.position[2]) - 3 N "
                     "s/m*ball.velocity[2]\"]}}\n"));
    assert_near(ff_sim_body(r.sim, 0).position[2], 0.5 - GRAVITY / 100, 1e-14);
    stays(r);
}

/* A controller in C whose states are its target and the target's rate. */
static void hold(void *user, const ff_control_view *view, double *states, double *rates,
                 double (*commands)[6]) {
    const ff_joint_view at = ff_control_joint(view, 0);
    (void)user;
    commands[0][0] = 30 * (states[0] - at.position[0]) - at.rate[0];
    if (rates) {
        rates[0] = states[1];
    } else {
        states[0] += 1e-3 * states[1];
    }
}

static ff_status create_held(double every, double drifts, run *out, ff_error *error) {
    ff_scene *scene = parse_text(HELD(""));
    ff_force_def f = ff_force_def_default();
    f.name = "m";
    f.kind = FF_FORCE_CONTROL;
    f.joint = 0;
    const int motor = ff_scene_add_force(scene, &f);
    ff_controller_def def = ff_controller_def_default();
    def.name = "hold";
    def.every = every;
    def.function = hold;
    def.state_count = 2;
    def.start = (double[]){0.4, drifts};
    def.forces = &motor;
    def.force_count = 1;
    assert_true(ff_scene_add_controller(scene, &def) >= 0);
    assert_int_equal(ff_model_create(scene, &out->model, error), FF_OK);
    ff_scene_free(scene);
    ff_status status = ff_sim_create(out->model, NULL, &out->sim, error);
    if (status < 0) {
        ff_model_free(out->model);
    }
    return status;
}

static void test_controllers_in_c_hold(void **state) {
    (void)state;
    for (int i = 0; i < 2; i++) {
        run r;
        ff_error error = {""};
        assert_int_equal(create_held(i ? 1e-3 : 0, 0, &r, &error), FF_OK);
        assert_near(ff_sim_joint(r.sim, 0).position[0], held_angle(0.4), 1e-13);
        stays(r);
        assert_int_equal(create_held(i ? 1e-3 : 0, 1, &r, &error), FF_UNREACHABLE);
        static const char *const says[] = {
            "the state 'hold' of a controller is not at rest: its rate is 1",
            "start: rest: the state 'hold' of a sampled controller is not in equilibrium: with "
            "everything else at rest it changes from 0.4 to 0.401 in one sample"};
        assert_holds(strstr(error.text, says[i]), "%s", error.text);
    }
}

static void test_controllers_that_do_not_rest(void **state) {
    (void)state;
    static const mistake cases[] = {
        {HELD("forces: {m: {joint: j, effort: \"30 N m*(sin(t*(1 Hz)) - j.position)\"}}\n"),
         "start: rest: an expression of a force or a controller depends on t, so there is no "
         "equilibrium: write the start"},
        {HELD("forces: {m: {joint: j, every: 1 ms, effort: \"30 N m*(sin(t*(1 Hz)) - "
              "j.position)\"}}\n"),
         "start: rest: an expression of a force or a controller depends on t, so there is no "
         "equilibrium: write the start"},
        {HELD("controllers: {c: {states: {p: 0}, rates: {p: \"3 Hz\"}}}\nforces: {m: {joint: j, "
              "effort: \"30 N "
              "m*(0.4 - j.position) + 0*c.p*(1 N m)\"}}\n"),
         "start: rest: no equilibrium was found: the state 'controllers.c.p' of a controller is "
         "not at rest: its rate is 3"},
        {HELD("controllers: {c: {every: 1 ms, states: {n: 1}, next: {n: \"c.n + 1\"}}}\nforces: "
              "{m: {joint: "
              "j, effort: \"30 N m*(0.4 - j.position)\"}}\n"),
         "start: rest: the state 'controllers.c.n' of a sampled controller is not in equilibrium: "
         "with everything else at rest it changes from 1 to 2 in one sample"},
        {HOVER("forces: {f: {body: ball, force: [0, 0, \"5 N - 1 N s/m*ball.velocity[2]\"]}}\n"),
         "start: rest: no equilibrium was found: after"},
    };
    for (size_t i = 0; i < ROWS(cases); i++) {
        ff_model *model = model_of_text(cases[i].text);
        ff_sim *sim = NULL;
        ff_error error = {""};
        assert_true(ff_sim_create(model, NULL, &sim, &error) < 0);
        assert_holds(strncmp(error.text, cases[i].says, strlen(cases[i].says)) == 0,
                     "%s\ninstead of\n%s", error.text, cases[i].says);
        ff_model_free(model);
    }
}

#ifdef CAN_END
static void check_memory(ff_model *model) {
    ff_sim *sim = NULL;
    ff_status status = FF_NO_MEMORY;
    long most;
    for (most = 0; status != FF_OK && most < 1000; most++) {
        ff_error error = {""};
        given = 0;
        give_most = most;
        status = ff_sim_create(model, NULL, &sim, &error);
        give_most = -1;
        assert_true(status == FF_OK || (status == FF_NO_MEMORY && *error.text));
    }
    assert_true(most > 5 && ff_sim_rest(sim).found);
    ff_sim_free(sim);
    ff_model_free(model);
}

static void test_memory_that_ends(void **state) {
    (void)state;
    ff_model *model;
    check_memory(model_of_text(slope_text));
    check_memory(model_of_text("start: rest\nbodies: {b: {mass: 1, inertia: [1, 1, 1]}}\n"
                               "forces: {f: {body: b, every: 1 ms, force: [0, 0, \"100 N/m*(1 m - "
                               "b.position[2])\"]}}\n"));
    ff_scene *scene = parse_text(TOWER);
    scene->slots_most = 0.5;
    assert_int_equal(ff_model_create(scene, &model, NULL), FF_OK);
    ff_scene_free(scene);
    check_memory(model);
}
#endif

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_expressions_hold),
    cmocka_unit_test(test_states_rest),
    cmocka_unit_test(test_controllers_in_c_hold),
    cmocka_unit_test(test_controllers_that_do_not_rest),
    cmocka_unit_test(test_depth_of_a_ball),
    cmocka_unit_test(test_velocities_are_dropped),
    cmocka_unit_test(test_springs_on_a_slope),
    cmocka_unit_test(test_a_slope_is_reached_from_above),
    cmocka_unit_test(test_spheres_in_a_channel),
    cmocka_unit_test(test_indeterminate_friction_is_elastic),
    cmocka_unit_test(test_a_foot_that_slips_is_at_its_cone),
    cmocka_unit_test(test_chain_hangs),
    cmocka_unit_test(test_arm_on_a_motor),
    cmocka_unit_test(test_unstable_is_said),
    cmocka_unit_test(test_stack_of_crates),
    cmocka_unit_test(test_pyramid_of_spheres),
    cmocka_unit_test(test_slots_on_the_way),
    cmocka_unit_test(test_a_slot_that_slips),
    cmocka_unit_test(test_quadruped_and_grasp_stay),
    cmocka_unit_test(test_setting_numbers),
    cmocka_unit_test(test_saving),
    cmocka_unit_test(test_builder),
    cmocka_unit_test(test_why_there_is_none),
#ifdef CAN_END
    cmocka_unit_test(test_memory_that_ends),
#endif
};

CHECK_MAIN(tests)
