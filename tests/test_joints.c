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

/* Joints: both formulations compared with closed forms, invariants and each other. */

/* ---- a mechanism with every type of joint, with branches and reversed joints ---- */

static ff_scene *zoo(double tol) {
    ff_scene *scene = ff_scene_create();
    ff_run_options run = ff_run_options_default();
    run.until = 1;
    run.tol = tol;
    ff_scene_set_run(scene, &run);
    const double I[3] = {0.02, 0.03, 0.04};
    int a = add_body(scene, "a", 1, I, (double[]){0, 0, 0});
    int b = add_body(scene, "b", 0.7, I, (double[]){0, 0, 0});
    int c = add_body(scene, "c", 0.5, I, (double[]){0, 0, 0});
    int d = add_body(scene, "d", 0.4, I, (double[]){0.3, -0.2, 0.1});
    int e = add_body(scene, "e", 0.3, I, (double[]){0, 0, 0});
    int f = add_body(scene, "f", 0.6, I, (double[]){0, 0, 0});
    int g = add_body(scene, "g", 0.2, I, (double[]){2, 0, 0});
    int h = add_body(scene, "h", 0.9, I, (double[]){0, 0, 0});
    ff_joint_def j = joint_of("floor", FF_JOINT_PLANAR, -1, a);
    set3(j.axis, 0.2, 1, 0.1);
    set3(j.anchor, 0.1, 0, 0.2);
    set3(j.second_anchor, 0, 0, 0.1);
    set3(j.start, 0.3, -0.1, 0.4);
    set3(j.rate, 0.5, 0.2, -1);
    assert_true(ff_scene_add_joint(scene, &j) >= 0);
    j = joint_of("hip", FF_JOINT_REVOLUTE, a, b);
    set3(j.axis, 0, 1, 0.5);
    set3(j.anchor, 0, 0.1, -0.2);
    set3(j.second_anchor, 0.1, 0, 0.2);
    j.turn[0] = 0.9;
    j.turn[2] = 0.3;
    j.start[0] = 0.7;
    j.rate[0] = 2;
    assert_true(ff_scene_add_joint(scene, &j) >= 0);
    j = joint_of("slider", FF_JOINT_PRISMATIC, c, b); /* reversed: b hangs first */
    set3(j.axis, 1, 0.2, 0);
    set3(j.anchor, 0.05, 0, 0.1);
    set3(j.second_anchor, 0, -0.1, -0.1);
    j.start[0] = 0.15;
    j.rate[0] = -0.6;
    assert_true(ff_scene_add_joint(scene, &j) >= 0);
    j = joint_of("ball", FF_JOINT_SPHERICAL, a, d);
    set3(j.anchor, 0.2, 0.1, 0);
    set3(j.second_anchor, -0.1, 0.1, 0.1);
    assert_true(ff_scene_add_joint(scene, &j) >= 0);
    j = joint_of("cross", FF_JOINT_UNIVERSAL, d, e);
    set3(j.axis, 1, 0, 0);
    set3(j.second_axis, 0, 1, 0);
    set3(j.anchor, 0, 0.1, 0);
    set3(j.second_anchor, 0, -0.1, 0);
    j.start[0] = 0.3;
    j.start[1] = -0.4;
    j.rate[0] = 1;
    j.rate[1] = -1.5;
    assert_true(ff_scene_add_joint(scene, &j) >= 0);
    j = joint_of("weld", FF_JOINT_FIXED, c, f);
    set3(j.anchor, 0.1, 0, 0);
    set3(j.second_anchor, 0, 0.1, 0);
    j.turn[1] = 0.5;
    assert_true(ff_scene_add_joint(scene, &j) >= 0);
    /* a second, free-floating mechanism, with a reversed universal and a reversed revolute joint */
    j = joint_of("elbow", FF_JOINT_UNIVERSAL, h, g);
    set3(j.axis, 0, 0, 1);
    set3(j.second_axis, 1, 0, 0);
    set3(j.anchor, 0, 0, 0.2);
    set3(j.second_anchor, 0.1, 0, -0.2);
    j.start[0] = 0.5;
    j.start[1] = 0.2;
    j.rate[0] = -2;
    j.rate[1] = 1;
    assert_true(ff_scene_add_joint(scene, &j) >= 0);
    return scene;
}

/* accelerations of both formulations in the same state agree to rounding */
static void test_accelerations_agree(void **state) {
    (void)state;
    ff_scene *scene = zoo(1e-9);
    ff_model *tree = model_of(scene, FF_ARTICULATED), *loose = model_of(scene, FF_MAXIMAL);
    ff_sim *a = sim_of(tree), *b = sim_of(loose);
    assert_true(spread_of(a, b, tree->body_count) < 1e-14);
    double *da = calloc(tree->size, sizeof *da), *db = calloc(loose->size, sizeof *db);
    ff_phase pa = a->contexts[0], pb = b->contexts[0];
    ff_dynamics_rates(tree, &pa, 0, a->flow.y, da);
    ff_dynamics_rates(loose, &pb, 0, b->flow.y, db);
    ff_mechanism_reactions(&a->mechanism);
    double worst = 0;
    for (size_t i = 0; i < tree->body_count; i++) {
        for (size_t c = 0; c < 6; c++) {
            double one = a->mechanism.a[i][c], two = db[i * FF_BODY_STRIDE + FF_VEL + c];
            worst = fmax(worst, fabs(one - two) / (1 + fabs(two)));
        }
    }
    assert_true(worst < 1e-12);
    worst = 0;
    for (size_t i = 0; i < tree->joint_count; i++) {
        ff_joint_record one = ff_sim_joint(a, i), two = ff_sim_joint(b, i);
        for (int c = 0; c < 3; c++) {
            worst = fmax(worst, fabs(one.force[c] - two.force[c]));
            worst = fmax(worst, fabs(one.moment[c] - two.moment[c]));
            worst = fmax(worst, fabs(one.position[c] - two.position[c]));
            worst = fmax(worst, fabs(one.rate[c] - two.rate[c]));
        }
    }
    assert_true(worst < 1e-11);
    free(da);
    free(db);
    ff_sim_free(a);
    ff_sim_free(b);
    ff_model_free(tree);
    ff_model_free(loose);
    ff_scene_free(scene);
}

static void test_formulations_agree(void **state) {
    (void)state;
    ff_scene *scene = zoo(1e-10);
    ff_model *tree = model_of(scene, FF_ARTICULATED), *loose = model_of(scene, FF_MAXIMAL);
    ff_sim *a = sim_of(tree), *b = sim_of(loose);
    run_to(a, 1);
    run_to(b, 1);
    double apart = spread_of(a, b, tree->body_count);
    ff_ledger la = ff_sim_ledger(a), lb = ff_sim_ledger(b);
    assert_true(apart < 1e-7);
    assert_true(fabs(la.residual) < 1e-9 * la.scale);
    assert_true(fabs(lb.residual) < 1e-9 * lb.scale);
    ff_sim_free(a);
    ff_sim_free(b);
    ff_model_free(tree);
    ff_model_free(loose);
    ff_scene_free(scene);
}

/* ---- invariants ---- */

/* linear momentum, and angular momentum about the origin */
static void momentum_of(const ff_sim *sim, const ff_model *model, double out[6]) {
    memset(out, 0, 6 * sizeof *out);
    for (size_t i = 0; i < model->body_count; i++) {
        ff_motion m = ff_sim_body(sim, i);
        const ff_model_body *b = &model->bodies[i];
        double r[3][3], w[3], spin[3], arm[3];
        ff_rotation(m.orientation, r);
        ff_rotate_back(r, m.omega, w);
        ff_rotate(b->inertia, w, spin);
        ff_rotate(r, spin, spin);
        ff_cross(m.position, m.velocity, arm);
        for (int c = 0; c < 3; c++) {
            out[c] += b->mass * m.velocity[c];
            out[3 + c] += spin[c] + b->mass * arm[c];
        }
    }
}

/* a free-floating mechanism with internal springs, dampers, a limit and friction: internal forces do not change
 * its momentum */
static ff_scene *floating(void) {
    ff_scene *scene = ff_scene_create();
    ff_run_options run = ff_run_options_default();
    run.tol = 1e-9;
    ff_scene_set_run(scene, &run);
    ff_scene_set_gravity(scene, (double[]){0, 0, 0});
    const double I[3] = {0.02, 0.03, 0.04};
    int a = add_body(scene, "a", 1, I, (double[]){0, 0, 0});
    int b = add_body(scene, "b", 0.7, I, (double[]){0, 0, 0});
    int c = add_body(scene, "c", 0.5, I, (double[]){0, 0, 0});
    ff_joint_def j = joint_of("hinge", FF_JOINT_REVOLUTE, a, b);
    set3(j.axis, 0.3, 1, 0);
    set3(j.anchor, 0.2, 0, 0.1);
    set3(j.second_anchor, -0.2, 0.1, 0);
    j.start[0] = 0.2;
    j.rate[0] = 3;
    j.along[0].stiffness = 2;
    j.along[0].rest = 0.1;
    j.along[0].damping = 0.02;
    j.along[0].upper = 0.4;
    j.along[0].limit_stiffness = 50;
    j.along[0].limit_damping = 0.3;
    assert_true(ff_scene_add_joint(scene, &j) >= 0);
    j = joint_of("slider", FF_JOINT_PRISMATIC, c, b); /* reversed */
    set3(j.axis, 1, 0, 0.4);
    set3(j.anchor, 0, 0.1, 0);
    set3(j.second_anchor, 0.1, -0.1, 0);
    j.start[0] = 0.1;
    j.rate[0] = -1;
    j.along[0].stiffness = 30;
    double dahl[] = {0.5, 200, NAN, NAN};
    assert_int_equal(
        ff_friction_make(&j.along[0].friction, ff_friction_law_find("dahl"), dahl, NULL), FF_OK);
    j.along[0].load = 2;
    assert_true(ff_scene_add_joint(scene, &j) >= 0);
    ff_force_def f = ff_force_def_default();
    f.name = "motor";
    f.kind = FF_FORCE_PD;
    f.joint = 0;
    f.kp = 1;
    f.kd = 0.05;
    set3(f.target, 0.5, -1, 0);
    f.from = 0.1;
    f.to = 0.6;
    assert_true(ff_scene_add_force(scene, &f) >= 0);
    return scene;
}

static void test_what_acts_within(void **state) {
    (void)state;
    ff_scene *scene = floating();
    double end[2][3] = {{0}};
    for (int way = 0; way < 2; way++) {
        ff_model *model = model_of(scene, way ? FF_MAXIMAL : FF_ARTICULATED);
        ff_sim *sim = sim_of(model);
        double before[6], after[6];
        momentum_of(sim, model, before);
        run_to(sim, 1);
        momentum_of(sim, model, after);
        for (int c = 0; c < 6; c++) {
            assert_near(after[c], before[c], 1e-9);
        }
        ff_ledger l = ff_sim_ledger(sim);
        assert_true(l.dampers > 1e-3 && fabs(l.external) > 1e-3 && l.springs > 0);
        assert_near(l.residual, 0, 3e-9 * l.scale);
        for (size_t i = 0; i < 2; i++) {
            end[way][i] = ff_sim_joint(sim, i).position[0];
        }
        end[way][2] = l.dampers;
        ff_sim_free(sim);
        ff_model_free(model);
    }
    for (int i = 0; i < 3; i++) {
        assert_near(end[1][i], end[0][i], 3e-8);
    }
    ff_scene_free(scene);
}

/* a chain hanging at rest: each joint carries everything below it; a torque that holds a rod level */
static void test_reactions_at_rest(void **state) {
    (void)state;
    const double I[3] = {0.01, 0.01, 0.01};
    for (int way = 0; way < 2; way++) {
        ff_scene *scene = ff_scene_create();
        int up = -1;
        char name[3][16];
        for (int i = 0; i < 3; i++) {
            snprintf(name[i], sizeof name[i], "link%d", i);
            int body = add_body(scene, name[i], 1 + i, I, (double[]){0, 0, -0.5 - i});
            ff_joint_def j =
                joint_of(name[i], i == 1 ? FF_JOINT_SPHERICAL : FF_JOINT_REVOLUTE, up, body);
            set3(j.axis, 0, 1, 0);
            set3(j.anchor, 0, 0, up < 0 ? 0 : -0.5);
            set3(j.second_anchor, 0, 0, 0.5);
            assert_true(ff_scene_add_joint(scene, &j) >= 0);
            up = body;
        }
        ff_model *model = model_of(scene, way ? FF_MAXIMAL : FF_ARTICULATED);
        ff_sim *sim = sim_of(model);
        const double carried[] = {6, 5, 3};
        for (size_t i = 0; i < 3; i++) {
            ff_joint_record r = ff_sim_joint(sim, i);
            assert_near(r.force[2], 9.81 * carried[i], 1e-12);
            assert_near(r.force[0], 0, 1e-12);
            assert_near(r.moment[1], 0, 1e-12);
            assert_near(r.anchor[2], -(double)i, 1e-14);
        }
        ff_sim_free(sim);
        ff_model_free(model);
        ff_scene_free(scene);
    }
}

/* ---- seven constraint methods ---- */

static void test_seven_ways(void **state) {
    (void)state;
    ff_scene *scene = zoo(1e-8);
    ff_run_options run = *ff_scene_run(scene);
    ff_model *tree = model_of(scene, FF_ARTICULATED);
    ff_sim *exact = sim_of(tree);
    run_to(exact, 0.5);
    for (int way = 0; way < FF_CONSTRAINTS; way++) {
        run.constraints = (ff_constraints)way;
        run.formulation = FF_MAXIMAL;
        ff_scene_set_run(scene, &run);
        ff_model *model = model_of(scene, FF_MAXIMAL);
        ff_sim *sim = sim_of(model);
        run_to(sim, 0.5);
        ff_violation most = ff_sim_violation_most(sim);
        ff_ledger l = ff_sim_ledger(sim);
        const char *name = ff_constraints_name(run.constraints);
        double apart = spread_of(exact, sim, model->body_count);
        /* a penalty yields by force/penalty, which affects accelerations */
        assert_holds(apart < (way == FF_PENALTY ? 1e-4 : 1e-6), "%s: apart by %g", name, apart);
        assert_holds(fabs(l.residual) < 1e-8 * l.scale, "%s: residual %g", name, l.residual);
        bool projects = way == FF_INDEX1 || way == FF_INDEX1_AUGMENTED || way == FF_DIRECT;
        assert_holds(projects == (most.position < 1e-14), "%s: off by %g", name, most.position);
        assert_holds(projects == (most.velocity < 1e-13), "%s: off by %g", name, most.velocity);
        ff_sim_free(sim);
        ff_model_free(model);
    }
    ff_sim_free(exact);
    ff_model_free(tree);
    ff_scene_free(scene);
}

/* Without correction a violation grows with time; Baumgarte stabilization bounds it. Fixed steps of rk4 show it
 * best. */
static void test_drift(void **state) {
    (void)state;
    double off[2][2];
    for (int way = 0; way < 2; way++) {
        ff_scene *scene = zoo(1e-8);
        ff_run_options run = *ff_scene_run(scene);
        run.method = FF_RK4;
        run.dt = 2e-3;
        run.until = 8;
        run.constraints = way ? FF_BAUMGARTE : FF_STANDARD;
        ff_scene_set_run(scene, &run);
        ff_model *model = model_of(scene, FF_MAXIMAL);
        ff_sim *sim = sim_of(model);
        for (int half = 0; half < 2; half++) {
            run_to(sim, half ? 8 : 2);
            off[way][half] = ff_sim_violation(sim).position;
        }
        ff_sim_free(sim);
        ff_model_free(model);
        ff_scene_free(scene);
    }
    assert_holds(off[0][1] > 3 * off[0][0] && off[0][1] > 10 * off[1][1],
                 "standard %.1e then %.1e, baumgarte %.1e then %.1e", off[0][0], off[0][1],
                 off[1][0], off[1][1]);
}

/* ---- contacts that are ignored while a body turns ---- */

/* a disc on an axle over the floor, pressed into it: the contact depends on the direction of rotation */
static void test_ignored_while_turning(void **state) {
    (void)state;
    for (int way = 0; way < 2; way++) {
        ff_scene *scene = ff_scene_create();
        ff_run_options run = ff_run_options_default();
        run.until = 0.5;
        ff_scene_set_run(scene, &run);
        const double I[3] = {0.01, 0.01, 0.01};
        int body = add_body(scene, "disc", 1, I, (double[]){0, 0, 0.0995});
        assert_true(ff_scene_add_sphere(scene, body, NULL, (double[]){0, 0, 0}, 0.1) >= 0);
        ff_plane_def floor = {.size = sizeof(ff_plane_def), .name = "floor", .normal = {0, 0, 1}};
        assert_true(ff_scene_add_plane(scene, &floor) >= 0);
        ff_joint_def j = joint_of("axle", FF_JOINT_REVOLUTE, -1, body);
        set3(j.axis, 0, 1, 0);
        set3(j.anchor, 0, 0, 0.0995);
        j.start[0] = 0;
        j.rate[0] = -1;
        j.along[0].stiffness = 0.4; /* a period of about a second: it reverses after a quarter */
        assert_true(ff_scene_add_joint(scene, &j) >= 0);
        ff_pair_def pair = {.size = sizeof(ff_pair_def),
                            .a = "disc",
                            .b = "floor",
                            .ignored_while_turning = {0, -1, 0}};
        double k[] = {1e5, 0, NAN, NAN};
        assert_int_equal(ff_normal_make(&pair.normal, ff_normal_law_find("linear"), k, NULL),
                         FF_OK);
        assert_true(ff_scene_add_pair(scene, &pair) >= 0);
        ff_model *model = model_of(scene, way ? FF_MAXIMAL : FF_ARTICULATED);
        ff_sim *sim = sim_of(model);
        assert_false(ff_sim_contact(sim, 0).touching);
        ff_status status = ff_sim_advance(sim, 0.5);
        assert_int_equal(status, FF_EVENT);
        const ff_event *e = ff_sim_event(sim);
        assert_int_equal(e->kind, FF_TOUCHDOWN);
        assert_true(e->rejoin);
        /* q = -sin(w t)/w reverses at w t = pi/2 */
        assert_near(e->time, acos(-1) / 2 / sqrt(0.4 / 0.01), 1e-8);
        ff_ledger l = ff_sim_ledger(sim);
        assert_true(l.normal_spring > 0);
        assert_near(l.release, -l.normal_spring, 1e-12 * l.normal_spring);
        assert_near(l.residual, 0, 1e-9 * l.scale);
        ff_sim_free(sim);
        ff_model_free(model);
        ff_scene_free(scene);
    }
}

/* ---- the biped ---- */

/* from the start through the first touch-down, with contact, friction and the rule of the legs, in both
 * formulations */
static void test_biped_in_both(void **state) {
    (void)state;
    ff_scene *scene;
    ff_messages messages = {0};
    assert_int_equal(ff_scene_read(FF_SOURCE_DIR "/scenes/biped.yaml", NULL, 0, &scene, &messages),
                     FF_OK);
    ff_run_options run = *ff_scene_run(scene);
    run.tol = 1e-9;
    ff_scene_set_run(scene, &run);
    ff_sim *sims[2];
    ff_model *models[2];
    double touch[2] = {0};
    for (int way = 0; way < 2; way++) {
        models[way] = model_of(scene, way ? FF_MAXIMAL : FF_ARTICULATED);
        sims[way] = sim_of(models[way]);
        ff_status status;
        while ((status = ff_sim_advance(sims[way], 0.45)) == FF_EVENT) {
            const ff_event *e = ff_sim_event(sims[way]);
            touch[way] = e->kind == FF_TOUCHDOWN ? e->time : touch[way];
        }
        assert_int_equal(status, FF_OK);
        ff_ledger l = ff_sim_ledger(sims[way]);
        assert_near(l.residual, 0, 1e-9 * l.initial);
        assert_true(l.normal_damper > 0.03 && l.slip > 1e-4);
    }
    assert_true(touch[0] > 0.39 && touch[0] < 0.4);
    assert_near(touch[1], touch[0], 1e-8);
    assert_holds(spread_of(sims[0], sims[1], 2) < 1e-6, "apart by %g",
                 spread_of(sims[0], sims[1], 2));
    for (int way = 0; way < 2; way++) {
        ff_sim_free(sims[way]);
        ff_model_free(models[way]);
    }
    ff_scene_free(scene);
}

/* A bar that sinks against a damper onto a stiff limit: auto switches to an implicit method without any contact,
 * and the bar comes to rest at its static deflection, k z = m g l. */
static void test_stiff_limit(void **state) {
    (void)state;
    ff_scene *scene = ff_scene_create();
    ff_run_options run = ff_run_options_default();
    run.until = 2;
    run.tol = 1e-7;
    ff_scene_set_run(scene, &run);
    const double I[3] = {0.01, 0.01, 0.01};
    int body = add_body(scene, "bar", 1, I, (double[]){0, 0, 0});
    ff_joint_def j = joint_of("hinge", FF_JOINT_REVOLUTE, -1, body);
    set3(j.axis, 0, 1, 0);
    set3(j.second_anchor, -0.1, 0, 0);
    j.start[0] = 0;
    j.along[0].upper = 0.1;
    j.along[0].limit_stiffness = 1e4;
    j.along[0].limit_damping = 20;
    j.along[0].damping = 5;
    assert_true(ff_scene_add_joint(scene, &j) >= 0);
    ff_model *model = model_of(scene, FF_ARTICULATED);
    ff_sim *sim = sim_of(model);
    run_to(sim, 2);
    ff_statistics stats = ff_sim_statistics(sim);
    assert_holds(stats.steps < 1500 && stats.method_steps[FF_RODAS] > 0, "%ld steps", stats.steps);
    ff_joint_record r = ff_sim_joint(sim, 0);
    double press = 9.81 * 0.1 * cos(r.position[0]);
    assert_near(r.position[0] - 0.1, press / 1e4, 1e-7);
    assert_near(r.effort[0], -press, 1e-3);
    assert_near(ff_sim_ledger(sim).residual, 0, 1e-6 * ff_sim_ledger(sim).scale);
    ff_sim_free(sim);
    ff_model_free(model);
    ff_scene_free(scene);
}

/* A wheel that slides in a bearing with dry and viscous friction: its energy loss, minus the energy of the
 * bristles, is in the damper accounts. */
static void test_viscous_bearing(void **state) {
    (void)state;
    ff_scene *scene = ff_scene_create();
    ff_run_options run = ff_run_options_default();
    run.tol = 1e-9;
    ff_scene_set_run(scene, &run);
    ff_scene_set_gravity(scene, (double[]){0, 0, 0});
    int wheel = add_body(scene, "wheel", 1, (double[]){0.1, 0.1, 0.1}, (double[]){0, 0, 0});
    ff_joint_def j = joint_of("bearing", FF_JOINT_REVOLUTE, -1, wheel);
    set3(j.axis, 0, 1, 0);
    j.rate[0] = 5;
    j.along[0].load = 2;
    const double mu = 0.01, viscous = 0.05;
    double lugre[] = {mu, 10, 0, viscous};
    assert_int_equal(
        ff_friction_make(&j.along[0].friction, ff_friction_law_find("lugre"), lugre, NULL), FF_OK);
    assert_true(ff_scene_add_joint(scene, &j) >= 0);
    for (int way = 0; way < 2; way++) {
        ff_model *model = model_of(scene, way ? FF_MAXIMAL : FF_ARTICULATED);
        ff_sim *sim = sim_of(model);
        run_to(sim, 1);
        ff_ledger l = ff_sim_ledger(sim);
        double rate = ff_sim_joint(sim, 0).rate[0], lost = 0.05 * (25 - rate * rate);
        assert_close(l.kinetic, 0.05 * rate * rate, 1e-12);
        /* I w' = -N (mu + s w) once the bristles are bent, after mu/k, 1e-3 rad or 2e-4 s of sliding */
        double pace = j.along[0].load * viscous / 0.1, even = mu / viscous;
        assert_near(rate, (5 + even) * exp(-pace) - even, 1e-4);
        assert_close(l.dampers, lost - l.springs, 1e-7);
        assert_near(l.residual, 0, 1e-8 * l.scale);
        ff_sim_free(sim);
        ff_model_free(model);
    }
    ff_scene_free(scene);
}

/* Full turns of a joint count from its start, for its record and for its spring: a wheel that begins more than a
 * turn from equilibrium oscillates normally. */
static void test_turns_are_counted(void **state) {
    (void)state;
    const double starts[] = {-20, -7, 0.5, 7, 20}, k = 0.4, I = 0.1, rest = 6;
    for (size_t i = 0; i < ROWS(starts); i++) {
        ff_scene *scene = ff_scene_create();
        ff_run_options run = ff_run_options_default();
        run.tol = 1e-9;
        ff_scene_set_run(scene, &run);
        ff_scene_set_gravity(scene, (double[]){0, 0, 0});
        int wheel = add_body(scene, "wheel", 1, (double[]){I, I, I}, (double[]){0, 0, 0});
        ff_joint_def j = joint_of("hub", FF_JOINT_REVOLUTE, -1, wheel);
        set3(j.axis, 0, 1, 0);
        j.start[0] = starts[i];
        j.along[0].stiffness = k;
        j.along[0].rest = rest;
        assert_true(ff_scene_add_joint(scene, &j) >= 0);
        ff_model *model = model_of(scene, FF_ARTICULATED);
        ff_sim *sim = sim_of(model);
        double off = starts[i] - rest;
        assert_near(ff_sim_joint(sim, 0).position[0], starts[i], 1e-14);
        assert_close(ff_sim_ledger(sim).springs, 0.5 * k * off * off, 1e-14);
        run_to(sim, 1);
        /* sqrt(k/I) is 2 rad/s */
        assert_near(ff_sim_joint(sim, 0).position[0], rest + off * cos(2), 1e-7 * fabs(off));
        ff_sim_free(sim);
        ff_model_free(model);
        ff_scene_free(scene);
    }
}

/* ---- runs ---- */

static void test_begin_and_save(void **state) {
    (void)state;
    ff_scene *scene = zoo(1e-9);
    for (int way = 0; way < 2; way++) {
        ff_model *model = model_of(scene, way ? FF_MAXIMAL : FF_ARTICULATED);
        ff_sim *a = sim_of(model), *b = sim_of(model);
        run_to(a, 0.2);
        void *kept = malloc(ff_sim_state_size(a));
        ff_sim_save(a, kept);
        assert_int_equal(ff_sim_restore(b, kept, ff_sim_state_size(b)), FF_OK);
        run_to(a, 0.4);
        run_to(b, 0.4);
        assert_true(spread_of(a, b, model->body_count) == 0);
        /* results of earlier queries at other times are not reused */
        ff_sim *fresh = sim_of(model);
        ff_joint_record then = ff_sim_joint(b, 1), now, wanted;
        assert_int_equal(ff_sim_restore(fresh, kept, ff_sim_state_size(fresh)), FF_OK);
        assert_int_equal(ff_sim_restore(b, kept, ff_sim_state_size(b)), FF_OK);
        wanted = ff_sim_joint(fresh, 1);
        now = ff_sim_joint(b, 1);
        assert_memory_equal(&now, &wanted, sizeof now);
        assert_memory_not_equal(&now, &then, sizeof now);
        ff_sim_free(fresh);
        /* from the same motions at time 0: the same run again, to rounding */
        ff_motion motions[8];
        ff_sim_restore(b, kept, ff_sim_state_size(b));
        for (size_t i = 0; i < 8; i++) {
            motions[i] = ff_sim_body(b, i);
        }
        assert_int_equal(ff_sim_begin(b, motions), FF_OK);
        assert_near(ff_sim_time(b), 0, 0);
        run_to(b, 0.2);
        assert_true(spread_of(a, b, model->body_count) < 1e-7);
        assert_true(fabs(ff_sim_ledger(b).residual) < 1e-9 * ff_sim_ledger(b).scale);
        free(kept);
        ff_sim_free(a);
        ff_sim_free(b);
        ff_model_free(model);
    }
    ff_scene_free(scene);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_accelerations_agree),
    cmocka_unit_test(test_formulations_agree),
    cmocka_unit_test(test_what_acts_within),
    cmocka_unit_test(test_reactions_at_rest),
    cmocka_unit_test(test_seven_ways),
    cmocka_unit_test(test_drift),
    cmocka_unit_test(test_ignored_while_turning),
    cmocka_unit_test(test_biped_in_both),
    cmocka_unit_test(test_stiff_limit),
    cmocka_unit_test(test_viscous_bearing),
    cmocka_unit_test(test_turns_are_counted),
    cmocka_unit_test(test_begin_and_save),
};

CHECK_MAIN(tests)
