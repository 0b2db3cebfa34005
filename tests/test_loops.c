/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "body/vector.h"
#include "check.h"
#include "dynamics/dynamics.h"
#include "joints.h"
#include "law/params.h"
#include "model/scene.h"
#include "sim/sim.h"
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Loops of joints, and singular positions of mechanisms. */

/* ---- loops ---- */

/* a four-bar linkage: bars along the sides of a quadrangle in the plane y = 0, hinges at its corners */
static ff_scene *fourbar(const double corner[4][2], double tilt) {
    ff_scene *scene = ff_scene_create();
    static const char *const bars[] = {"crank", "coupler", "rocker"}, *const pins[] = {"a", "b",
                                                                                       "c", "d"};
    double middle[3][3];
    for (int i = 0; i < 3; i++) {
        const double *p = corner[i], *q = corner[i + 1];
        double length = hypot(q[0] - p[0], q[1] - p[1]), I = length * length * length / 12;
        set3(middle[i], (p[0] + q[0]) / 2, 0, (p[1] + q[1]) / 2);
        int made = add_body(scene, bars[i], length, (double[]){I, I, I}, middle[i]);
        assert_int_equal(made, i);
    }
    for (int i = 0; i < 4; i++) {
        ff_joint_def j = joint_of(pins[i], FF_JOINT_REVOLUTE, i == 3 ? -1 : i - 1, i == 3 ? 2 : i);
        set3(j.axis, i == 3 ? tilt : 0, 1, 0);
        const double *first = j.first < 0 ? NULL : middle[j.first], *second = middle[j.second];
        set3(j.anchor, corner[i][0] - (first ? first[0] : 0), 0,
             corner[i][1] - (first ? first[2] : 0));
        set3(j.second_anchor, corner[i][0] - second[0], 0, corner[i][1] - second[2]);
        assert_true(ff_scene_add_joint(scene, &j) >= 0);
    }
    return scene;
}

static const double quadrangle[4][2] = {{0, 0}, {0, 0.2}, {0.55, 0.6}, {0.8, 0}};

static void test_loop(void **state) {
    (void)state;
    ff_scene *scene = fourbar(quadrangle, 0);
    ff_model *tree = model_of(scene, FF_ARTICULATED), *loose = model_of(scene, FF_MAXIMAL);
    ff_assembly made = ff_model_assembly(tree);
    assert_int_equal(made.constraints, 20);
    assert_int_equal(made.redundant, 3);
    assert_int_equal(made.freedoms, 1);
    assert_true(made.moved < 1e-15 && ff_model_joint_facts(tree, 3).loop);
    ff_sim *a = sim_of(tree), *b = sim_of(loose);
    run_to(a, 1);
    run_to(b, 1);
    assert_holds(spread_of(a, b, 3) < 1e-7, "apart by %g", spread_of(a, b, 3));
    assert_true(ff_sim_violation_most(a).position < 1e-14);
    /* checked independently: the bars keep their lengths and the corners coincide */
    ff_joint_record p = ff_sim_joint(a, 1), q = ff_sim_joint(a, 2);
    assert_near(hypot(p.anchor[0] - q.anchor[0], p.anchor[2] - q.anchor[2]), hypot(0.55, 0.4),
                1e-13);
    /* in-plane forces are statically determinate: both formulations report the same */
    for (size_t i = 0; i < 4; i++) {
        ff_joint_record one = ff_sim_joint(a, i), two = ff_sim_joint(b, i);
        for (int c = 0; c < 3; c += 2) {
            assert_near(one.force[c], two.force[c], 1e-6);
        }
    }
    ff_sim_free(a);
    ff_sim_free(b);
    ff_model_free(tree);
    ff_model_free(loose);
    ff_scene_free(scene);
}

/* multipliers of least norm: adding a combination without effect increases the norm */
static void test_least_norm(void **state) {
    (void)state;
    ff_scene *scene = fourbar(quadrangle, 0);
    /* a push out of the plane, shared by redundant constraints */
    ff_force_def f = ff_force_def_default();
    f.name = "push";
    f.body = 1;
    set3(f.force, 0, 7, 0);
    assert_true(ff_scene_add_force(scene, &f) >= 0);
    ff_model *model = model_of(scene, FF_MAXIMAL);
    ff_sim *sim = sim_of(model);
    double *rates = calloc(model->size, sizeof *rates);
    ff_phase phase = sim->contexts[0];
    ff_dynamics_rates(model, &phase, 0, sim->flow.y, rates);
    const ff_mechanism *m = &sim->mechanism;
    assert_int_equal(m->rank, model->tree->loop_rows - 3);
    double size = 0;
    for (size_t k = 0; k < model->joint_rows; k++) {
        size += m->multipliers[k] * m->multipliers[k];
    }
    for (size_t n = 0; n < 3; n++) {
        const double *null = m->null + n * model->joint_rows;
        double dot = 0, effect[3][6] = {{0}};
        for (size_t k = 0; k < model->joint_rows; k++) {
            dot += null[k] * m->multipliers[k];
        }
        assert_near(dot, 0, 1e-12 * sqrt(size));
        for (size_t i = 0; i < model->joint_count; i++) {
            ff_rows_push(&model->joints[i], &m->rows[i], null + model->joints[i].row_at, effect);
        }
        for (int b = 0; b < 3; b++) {
            for (int c = 0; c < 6; c++) {
                assert_near(effect[b][c], 0, 1e-12);
            }
        }
    }
    /* and nothing moves out of the plane */
    for (size_t b = 0; b < 3; b++) {
        assert_near(rates[b * FF_BODY_STRIDE + FF_VEL + 1], 0, 1e-12);
    }
    free(rates);
    ff_sim_free(sim);
    ff_model_free(model);
    ff_scene_free(scene);
}

static ff_status refusal(ff_scene *scene, ff_error *error) {
    ff_model *model;
    ff_status status = ff_model_create(scene, &model, error);
    if (status == FF_OK) {
        ff_model_free(model);
    }
    ff_scene_free(scene);
    return status;
}

static void test_refusals(void **state) {
    (void)state;
    ff_error error;
    /* flat: a parallelogram with collinear bars can continue in two branches */
    static const double flat[4][2] = {{0, 0}, {0.2, 0}, {0.7, 0}, {0.5, 0}};
    assert_int_equal(refusal(fourbar(flat, 0), &error), FF_BAD_VALUE);
    assert_string_equal(error.text,
                        "the start is a singular position of the loop that joint 'd' closes");
    /* corners that the bars cannot reach */
    ff_scene *scene = fourbar(quadrangle, 0);
    scene->joints.at[3].anchor[0] = 3;
    assert_int_equal(refusal(scene, &error), FF_BAD_VALUE);
    assert_non_null(strstr(error.text, "cannot be put together"));
    scene = fourbar(quadrangle, 0);
    scene->bodies.at[1].locked = FF_LOCK_Y;
    assert_int_equal(refusal(scene, &error), FF_BAD_VALUE);
    assert_non_null(strstr(error.text, "is locked and held by joint"));
    scene = fourbar(quadrangle, 0);
    scene->joints.at[3].start[0] = 0;
    assert_int_equal(refusal(scene, &error), FF_BAD_VALUE);
    assert_non_null(strstr(error.text, "'d' closes a loop"));
    scene = fourbar(quadrangle, 0);
    scene->joints.at[1].kind = FF_JOINT_FIXED;
    scene->joints.at[1].along[0].damping = 1;
    assert_int_equal(refusal(scene, &error), FF_BAD_VALUE);
    assert_non_null(strstr(error.text, "a fixed joint has 0 coordinates"));
    scene = fourbar(quadrangle, 0);
    scene->joints.at[1].kind = FF_JOINT_FREE;
    assert_int_equal(refusal(scene, &error), FF_BAD_VALUE);
    assert_non_null(strstr(error.text, "need no joint"));
    scene = fourbar(quadrangle, 0);
    scene->joints.at[1].kind = FF_JOINT_UNIVERSAL;
    set3(scene->joints.at[1].second_axis, 0, 1, 0.1);
    assert_int_equal(refusal(scene, &error), FF_BAD_VALUE);
    assert_non_null(strstr(error.text, "must be perpendicular"));
}

/* ---- singular positions ---- */

/* A linkage that can become flat, as a function of its crank angle: corners a (fixed), b on a circle, c smooth in
 * the angle, d (fixed). One pair of opposite bars has length r, the other l. */
typedef struct {
    double r, l;
    bool
        crossed; /* antiparallelogram: c is that of the parallelogram, mirrored in the line through b and d */
} linkage;

static void corners_of(const linkage *k, double angle, double out[4][2]) {
    double b[2] = {k->r * cos(angle), k->r * sin(angle)}, c[2] = {b[0] + k->l, b[1]};
    if (k->crossed) {
        double way[2] = {k->l - b[0], -b[1]}, to[2] = {c[0] - b[0], c[1] - b[1]};
        double part = (way[0] * to[0] + way[1] * to[1]) / (way[0] * way[0] + way[1] * way[1]);
        for (int i = 0; i < 2; i++) {
            c[i] = 2 * (b[i] + part * way[i]) - c[i];
        }
    }
    memcpy(out, (double[4][2]){{0, 0}, {b[0], b[1]}, {c[0], c[1]}, {k->l, 0}}, 4 * sizeof *out);
}

/* Derivatives of the corners with respect to the angle: fourth-order differences, accurate to 1e-12 over 1e-3 rad. */
static void slopes_of(const linkage *k, double angle, double out[4][2]) {
    double at[4][4][2], h = 1e-3;
    for (int i = 0; i < 4; i++) {
        corners_of(k, angle + h * (i < 2 ? i - 2 : i - 1), at[i]);
    }
    for (int i = 0; i < 4; i++) {
        for (int c = 0; c < 2; c++) {
            out[i][c] = (at[0][i][c] - 8 * at[1][i][c] + 8 * at[2][i][c] - at[3][i][c]) / (12 * h);
        }
    }
}

/* Inertia and height of bars of 1 kg/m: a bar from p to q has the kinetic energy m (p'^2 + p'.q' + q'^2)/6. */
static void inertia_of(const linkage *k, double angle, double *inertia, double *height) {
    double at[4][2], by[4][2];
    corners_of(k, angle, at);
    slopes_of(k, angle, by);
    *inertia = *height = 0;
    for (int i = 0; i < 3; i++) {
        const double *p = by[i], *q = by[i + 1], mass = i == 1 ? k->l : k->r;
        *inertia +=
            mass / 3 *
            (p[0] * p[0] + p[1] * p[1] + p[0] * q[0] + p[1] * q[1] + q[0] * q[0] + q[1] * q[1]);
        *height += mass * (at[i][1] + at[i + 1][1]) / 2;
    }
}

/* I a'' = -(dI/da) a'^2/2 - g dh/da */
static double angle_rate(const linkage *k, double angle, double rate) {
    const double h = 1e-3, weight[4] = {1, -8, 8, -1};
    double inertia, height, bend = 0, rise = 0;
    for (int i = 0; i < 4; i++) {
        inertia_of(k, angle + h * (i < 2 ? i - 2 : i - 1), &inertia, &height);
        bend += weight[i] * inertia / (12 * h);
        rise += weight[i] * height / (12 * h);
    }
    inertia_of(k, angle, &inertia, &height);
    return -(bend * rate * rate / 2 + 9.81 * rise) / inertia;
}

/* the motion of the crank by RK4 */
static void crank_to(const linkage *k, double time, double y[2]) {
    const int steps = 4000;
    const double h = time / steps;
    for (int n = 0; n < steps; n++) {
        double v[4], a[4], u = y[0], w = y[1];
        for (int i = 0; i < 4; i++) {
            double part = i == 0 ? 0 : i == 3 ? h : h / 2;
            v[i] = w + (i ? part * a[i - 1] : 0);
            a[i] = angle_rate(k, u + (i ? part * v[i - 1] : 0), v[i]);
        }
        y[0] = u + h / 6 * (v[0] + 2 * v[1] + 2 * v[2] + v[3]);
        y[1] = w + h / 6 * (a[0] + 2 * a[1] + 2 * a[2] + a[3]);
    }
}

static ff_scene *scene_of(const linkage *k, double angle, double rate, double tol) {
    double at[4][2], by[4][2];
    corners_of(k, angle, at);
    slopes_of(k, angle, by);
    ff_scene *scene = fourbar(at, 0);
    for (int i = 0; i < 3; i++) {
        double p[2] = {at[i + 1][0] - at[i][0], at[i + 1][1] - at[i][1]};
        double v[2] = {by[i + 1][0] - by[i][0], by[i + 1][1] - by[i][1]};
        ff_body_def *body = &scene->bodies.at[i];
        set3(body->velocity, rate * (by[i][0] + by[i + 1][0]) / 2, 0,
             rate * (by[i][1] + by[i + 1][1]) / 2);
        /* rotation from x to z is about -y */
        set3(body->omega, 0, -rate * (p[0] * v[1] - p[1] * v[0]) / (p[0] * p[0] + p[1] * p[1]), 0);
    }
    ff_run_options run = *ff_scene_run(scene);
    run.until = 10;
    run.tol = tol;
    ff_scene_set_run(scene, &run);
    return scene;
}

/* distance of the bars' midpoints from their positions at the crank angle */
static double off_by(const ff_sim *sim, const linkage *k, double angle) {
    double at[4][2], worst = 0;
    corners_of(k, angle, at);
    for (size_t i = 0; i < 3; i++) {
        ff_motion m = ff_sim_body(sim, i);
        worst = fmax(worst, fabs(m.position[0] - (at[i][0] + at[i + 1][0]) / 2));
        worst = fmax(worst, fabs(m.position[2] - (at[i][1] + at[i + 1][1]) / 2));
    }
    return worst;
}

/* Through flat positions, where the branches of parallelogram and antiparallelogram meet: every constraint method
 * stays on its branch. */
static void test_through_flat(void **state) {
    (void)state;
    static const linkage kinds[] = {{0.3, 0.5, false}, {0.3, 0.5, true}, {0.45, 0.2, false}};
    for (size_t n = 0; n < sizeof kinds / sizeof *kinds; n++) {
        double ends[3][2];
        for (int part = 0; part < 3; part++) {
            ends[part][0] = 2.2;
            ends[part][1] = -3;
            crank_to(&kinds[n], 0.5 + part * 0.5, ends[part]);
        }
        for (int way = -1; way < FF_CONSTRAINTS; way++) {
            const char *name = way < 0 ? "articulated" : ff_constraints_name((ff_constraints)way);
            ff_scene *scene = scene_of(&kinds[n], 2.2, -3, 1e-10);
            ff_run_options run = *ff_scene_run(scene);
            run.constraints = way < 0 ? run.constraints : (ff_constraints)way;
            ff_scene_set_run(scene, &run);
            ff_model *model = model_of(scene, way < 0 ? FF_ARTICULATED : FF_MAXIMAL);
            ff_sim *sim = sim_of(model);
            /* a penalty yields by force/penalty; the others have errors of at most 6e-10, at a tolerance of 1e-10 */
            double most = way == FF_PENALTY ? 1e-5 : 2e-9;
            for (int part = 0; part < 3; part++) {
                run_to(sim, 0.5 + part * 0.5);
                double off = off_by(sim, &kinds[n], ends[part][0]);
                assert_holds(off < most, "linkage %zu, %s: off by %g", n, name, off);
            }
            assert_int_equal(ff_sim_joints_verdict(sim), FF_OK);
            ff_sim_free(sim);
            ff_model_free(model);
            ff_scene_free(scene);
        }
    }
}

/* A parallelogram that starts in its flat position. With velocities of one branch it continues on that branch. At
 * rest its motion is not determined: the run ends with an error that names the joint. Velocities of neither branch
 * are reported too. */
static void test_singular_position(void **state) {
    (void)state;
    const linkage open_one = {0.2, 0.5, false}, crossed_one = {0.2, 0.5, true};
    for (int way = 0; way < 2; way++) {
        for (int how = 0; how < 4; how++) {
            ff_scene *scene = scene_of(&open_one, 1, 0, 1e-9);
            ff_model *model = model_of(scene, way ? FF_MAXIMAL : FF_ARTICULATED);
            ff_sim *sim = sim_of(model);
            /* the bars of 0.2 m have turned down by 1 rad, about y */
            const double middle[3][3] = {{0.1, 0, 0}, {0.45, 0, 0}, {0.6, 0, 0}};
            const linkage *branch = how == 1 ? &crossed_one : &open_one;
            double by[4][2], rate = how == 2 ? 0 : -3, mixed = how == 3 ? 1 : 0, end[2] = {0, rate};
            slopes_of(branch, 0, by);
            ff_motion motions[3];
            for (size_t i = 0; i < 3; i++) {
                double length = i == 1 ? 0.5 : 0.2, dz = by[i + 1][1] - by[i][1];
                /* the rocker points down towards its hinge */
                double sign = i == 2 ? -1 : 1;
                motions[i] = ff_sim_body(sim, i);
                memcpy(motions[i].position, middle[i], sizeof middle[i]);
                set3(motions[i].velocity, 0, 0, rate * (by[i][1] + by[i + 1][1]) / 2);
                set3(motions[i].omega, 0, -rate * sign * dz / length, 0);
                motions[i].orientation[0] = i == 1 ? 1 : cos(0.5);
                motions[i].orientation[2] = i == 1 ? 0 : sin(0.5);
                /* any angular velocity of the coupler is allowed to first order */
                if (mixed > 0 && i > 0) {
                    motions[i].omega[1] += i == 1 ? mixed : -mixed * 0.5 / 0.2;
                    motions[i].velocity[2] -= mixed * 0.25;
                }
            }
            assert_int_equal(ff_sim_begin(sim, motions), FF_OK);
            ff_status status;
            while ((status = ff_sim_advance(sim, 0.1)) == FF_EVENT) {
            }
            if (how < 2) {
                assert_int_equal(status, FF_OK);
                crank_to(branch, 0.1, end);
                assert_holds(off_by(sim, branch, end[0]) < 1e-9, "%d, %d: off by %g", way, how,
                             off_by(sim, branch, end[0]));
            } else if (how == 3) {
                /* it is projected onto the nearer branch, and the energy change is reported */
                assert_holds(status == FF_SINGULAR || ff_sim_joints_verdict(sim) == FF_NOT_HELD,
                             "%d, %d: %g of constraint work", way, how,
                             ff_sim_constraint_part(sim));
            } else {
                assert_int_equal(status, FF_SINGULAR);
                assert_non_null(
                    strstr(ff_sim_error(sim),
                           "joint 'd' and the loop it closes are in a singular position"));
            }
            ff_sim_free(sim);
            ff_model_free(model);
            ff_scene_free(scene);
        }
    }
}

/* Random linkages, some of which can become flat: the two formulations, which use different coordinates, agree. */
static void test_random_linkages(void **state) {
    (void)state;
    uint32_t seed = 7;
    int made = 0;
    while (made < 25) {
        double u[7];
        for (int i = 0; i < 7; i++) {
            seed = seed * 1664525u + 1013904223u;
            u[i] = seed / 4294967296.0;
        }
        double r = 0.15 + 0.4 * u[0], b = 0.2 + 0.6 * u[1], c = 0.2 + 0.6 * u[2];
        /* flat if longest plus shortest bar equal the sum of the others; a kite; arbitrary */
        double g = made % 3 == 0 ? fabs(r + b - c) : made % 3 == 1 ? r : 0.2 + 0.6 * u[3];
        c = made % 3 == 1 ? b : c;
        double angle = 6 * u[4] - 3, rate = 6 + 6 * u[5], side = u[6] < 0.5 ? -1 : 1;
        double p[2] = {r * cos(angle), r * sin(angle)}, way[2] = {g - p[0], -p[1]};
        double d = hypot(way[0], way[1]), along = (b * b - c * c + d * d) / (2 * d);
        if (g < 0.1 || along * along > 0.8 * b * b) {
            continue;
        }
        double across = side * sqrt(b * b - along * along);
        const double corner[4][2] = {{0, 0},
                                     {p[0], p[1]},
                                     {p[0] + (along * way[0] - across * way[1]) / d,
                                      p[1] + (along * way[1] + across * way[0]) / d},
                                     {g, 0}};
        ff_scene *scene = fourbar(corner, 0);
        ff_run_options run = *ff_scene_run(scene);
        run.tol = 1e-9;
        ff_scene_set_run(scene, &run);
        for (int i = 0; i < 3; i++) {
            /* rate of the crank; the initial velocities are projected onto the constraints, equally in both
             * formulations */
            set3(scene->bodies.at[i].omega, 0, i == 0 ? -rate : 0, 0);
            set3(scene->bodies.at[i].velocity, i == 0 ? -rate * p[1] / 2 : 0, 0,
                 i == 0 ? rate * p[0] / 2 : 0);
        }
        ff_model *tree = model_of(scene, FF_ARTICULATED), *loose = model_of(scene, FF_MAXIMAL);
        ff_sim *one = sim_of(tree), *two = sim_of(loose);
        run_to(one, 1);
        run_to(two, 1);
        /* errors of 1e-9 grow when bars swing fast through a dead point */
        assert_holds(spread_of(one, two, 3) < 1e-5, "linkage %d: apart by %g", made,
                     spread_of(one, two, 3));
        assert_int_equal(ff_sim_joints_verdict(one), FF_OK);
        assert_int_equal(ff_sim_joints_verdict(two), FF_OK);
        ff_sim_free(one);
        ff_sim_free(two);
        ff_model_free(tree);
        ff_model_free(loose);
        ff_scene_free(scene);
        made++;
    }
}

/* Steps too long for the linkage: if no correction can restore the joints, the run ends in its last good state. */
static void test_comes_apart(void **state) {
    (void)state;
    for (int way = 0; way < 3; way++) {
        ff_scene *scene = fourbar(quadrangle, 0);
        ff_run_options run = *ff_scene_run(scene);
        run.method = FF_EULER;
        run.dt = 0.3;
        run.constraints = way == 1 ? FF_INDEX1 : FF_DIRECT;
        ff_scene_set_run(scene, &run);
        ff_model *model = model_of(scene, way ? FF_MAXIMAL : FF_ARTICULATED);
        ff_sim *sim = sim_of(model);
        ff_status status;
        while ((status = ff_sim_advance(sim, 100)) == FF_EVENT) {
        }
        assert_int_equal(status, FF_SINGULAR);
        assert_non_null(strstr(ff_sim_error(sim), "was violated in a step of 0.3 s"));
        assert_true(ff_sim_time(sim) < 50 && ff_sim_violation(sim).position < 1e-9);
        ff_sim_free(sim);
        ff_model_free(model);
        ff_scene_free(scene);
    }
}

/* yielding joints do work, and the verdict says that the run did not follow its model */
static void test_gives_way(void **state) {
    (void)state;
    ff_scene *scene = fourbar(quadrangle, 0);
    ff_run_options run = *ff_scene_run(scene);
    run.constraints = FF_PENALTY;
    run.constraint_penalty = 1;
    ff_scene_set_run(scene, &run);
    ff_model *model = model_of(scene, FF_MAXIMAL);
    ff_sim *sim = sim_of(model);
    assert_int_equal(ff_sim_joints_verdict(sim), FF_OK);
    run_to(sim, 1);
    assert_int_equal(ff_sim_joints_verdict(sim), FF_NOT_HELD);
    assert_non_null(strstr(ff_sim_error(sim), "J of work"));
    ff_sim_free(sim);
    ff_model_free(model);
    ff_scene_free(scene);
}

/* initial positions that violate the joints are projected, and this is reported */
static void test_assembly(void **state) {
    (void)state;
    ff_scene *scene = fourbar(quadrangle, 0);
    set3(scene->bodies.at[1].position, 0.28, 0.01, 0.41);
    scene->bodies.at[1].velocity[0] = 0.3;
    ff_model *model = model_of(scene, FF_ARTICULATED);
    ff_assembly made = ff_model_assembly(model);
    assert_true(made.moved > 1e-3 && made.moved < 0.05 && made.velocity > 1e-3);
    ff_sim *sim = sim_of(model);
    ff_violation v = ff_sim_violation(sim);
    assert_true(v.position < 1e-14 && v.velocity < 1e-14);
    ff_sim_free(sim);
    ff_model_free(model);
    ff_scene_free(scene);
}

/* A loop whose start is given by joint coordinates, and whose last anchor does not match: the bodies are moved
 * from the positions given by those coordinates. */
static void test_assembly_of_coordinates(void **state) {
    (void)state;
    for (int way = 0; way < 2; way++) {
        double moved[2];
        for (int shifted = 0; shifted < 2; shifted++) {
            ff_scene *scene = fourbar(quadrangle, 0);
            for (int i = 0; i < 3; i++) {
                scene->joints.at[i].start[0] = 0;
            }
            scene->joints.at[3].anchor[0] += shifted ? 0.03 : 0;
            ff_model *model = model_of(scene, way ? FF_MAXIMAL : FF_ARTICULATED);
            ff_assembly made = ff_model_assembly(model);
            moved[shifted] = made.moved;
            assert_true(shifted ? made.turned > 1e-3 : made.turned < 1e-14);
            ff_model_free(model);
            ff_scene_free(scene);
        }
        /* the foot of the rocker moves by 0.03 m, its midpoint by half of that plus the share of the others */
        assert_true(moved[0] < 1e-14 && moved[1] > 0.01 && moved[1] < 0.04);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_loop),
    cmocka_unit_test(test_least_norm),
    cmocka_unit_test(test_refusals),
    cmocka_unit_test(test_through_flat),
    cmocka_unit_test(test_singular_position),
    cmocka_unit_test(test_random_linkages),
    cmocka_unit_test(test_comes_apart),
    cmocka_unit_test(test_gives_way),
    cmocka_unit_test(test_assembly),
    cmocka_unit_test(test_assembly_of_coordinates),
};

CHECK_MAIN(tests)
