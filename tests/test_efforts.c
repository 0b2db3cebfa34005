/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "check.h"
#include "law/params.h"
#include "model/scene.h"
#include <footfall/footfall.h>
#include <stdlib.h>
#include <string.h>

/* Forces and torques along the coordinates of joints, compared with closed forms, in both formulations. */

static const ff_formulation ways[] = {FF_ARTICULATED, FF_MAXIMAL};

static int add_body(ff_scene *scene, const char *name, double mass, const double inertia[3]) {
    ff_body_def def = ff_body_def_default();
    def.name = name;
    def.mass = mass;
    memset(def.inertia, 0, sizeof def.inertia);
    for (int i = 0; i < 3; i++) {
        def.inertia[i][i] = inertia[i];
    }
    return ff_scene_add_body(scene, &def);
}

static ff_joint_def joint_of(const char *name, ff_joint_kind kind, int first, int second) {
    ff_joint_def def = ff_joint_def_default();
    def.name = name;
    def.kind = kind;
    def.first = first;
    def.second = second;
    def.pitch = 0.2;
    return def;
}

static void set3(double out[3], double x, double y, double z) {
    out[0] = x;
    out[1] = y;
    out[2] = z;
}

typedef struct run {
    ff_model *model;
    ff_sim *sim;
} run;

/* Starts a run of a scene, and frees the scene. */
static run start(ff_scene *scene, ff_formulation formulation, double tol) {
    run out;
    ff_error error = {{0}};
    ff_run_options o = *ff_scene_run(scene);
    o.formulation = formulation;
    o.tol = tol;
    assert_int_equal(ff_scene_set_run(scene, &o), FF_OK);
    ff_status status = ff_model_create(scene, &out.model, &error);
    assert_holds(status == FF_OK, "%s: %s", ff_status_text(status), error.text);
    status = ff_sim_create(out.model, NULL, &out.sim, &error);
    assert_holds(status == FF_OK, "%s: %s", ff_status_text(status), error.text);
    ff_scene_free(scene);
    return out;
}

/* Advances to a time; the ledger closes there to 1e-9 of its scale. */
static ff_joint_record advance(const run *r, double until, size_t joint) {
    while (ff_sim_advance(r->sim, until) == FF_EVENT) {
    }
    assert_near(ff_sim_time(r->sim), until, 0);
    ff_ledger l = ff_sim_ledger(r->sim);
    assert_holds(fabs(l.residual) <= 1e-9 * l.scale, "residual %g of %g", l.residual, l.scale);
    return ff_sim_joint(r->sim, joint);
}

static void finish(const run *r) {
    ff_sim_free(r->sim);
    ff_model_free(r->model);
}

static ff_scene *empty(void) {
    ff_scene *scene = ff_scene_create();
    ff_scene_set_gravity(scene, (double[]){0, 0, 0});
    return scene;
}

/* ---- springs and dampers ---- */

/* damped oscillation: x'' + 2 d x' + w^2 x = 0 from x = a at rest */
static double swing(double a, double w, double d, double t) {
    double e = sqrt(w * w - d * d);
    return a * exp(-d * t) * (cos(e * t) + d / e * sin(e * t));
}

static const double mass = 2, inertia[3] = {0.3, 0.4, 0.6};

/* Joints of a body with the world, anchored at its centre of mass: each coordinate alone is an oscillator with its
 * own inertia. */
static const struct {
    ff_joint_kind kind;
    double axis[3];
    double inertia[FF_JOINT_COORDINATES];
    bool together; /* coordinates are decoupled */
} oscillators[] = {
    {FF_JOINT_REVOLUTE, {1, 0, 0}, {0.3}, true},
    {FF_JOINT_PRISMATIC, {1, 0, 0}, {2}, true},
    {FF_JOINT_UNIVERSAL, {1, 0, 0}, {0.3, 0.4}, false},
    {FF_JOINT_PLANAR, {0, 0, 1}, {2, 2, 0.6}, true},
    {FF_JOINT_CYLINDRICAL, {1, 0, 0}, {2, 0.3}, true},
    /* I + m pitch^2 */
    {FF_JOINT_SCREW, {1, 0, 0}, {0.3 + 2 * 0.2 * 0.2}, true},
};

static int coordinates_of(ff_joint_kind kind) {
    int count = 0;
    while (ff_joint_coordinate_name(kind, count)) {
        count++;
    }
    return count;
}

static void check_oscillator(size_t i, int only, ff_formulation way) {
    const int count = coordinates_of(oscillators[i].kind);
    ff_scene *scene = empty();
    int body = add_body(scene, "a", mass, inertia);
    ff_joint_def j = joint_of("j", oscillators[i].kind, -1, body);
    memcpy(j.axis, oscillators[i].axis, sizeof j.axis);
    set3(j.second_axis, 0, 1, 0);
    for (int c = 0; c < count; c++) {
        bool moves = only < 0 || c == only;
        j.start[c] = moves ? 0.2 + 0.1 * c : 0;
        j.rate[c] = 0;
        j.along[c].stiffness = 5 + c;
        j.along[c].rest = moves ? 0.1 : 0;
        j.along[c].damping = 0.1 + 0.05 * c;
    }
    assert_true(ff_scene_add_joint(scene, &j) == 0);
    run r = start(scene, way, 1e-10);
    for (int k = 1; k <= 5; k++) {
        ff_joint_record at = advance(&r, 0.7 * k, 0);
        for (int c = 0; c < count; c++) {
            const double own = oscillators[i].inertia[c], w = sqrt((5 + c) / own),
                         d = (0.1 + 0.05 * c) / (2 * own);
            bool moves = only < 0 || c == only;
            double wanted = moves ? 0.1 + swing(0.1 + 0.1 * c, w, d, 0.7 * k) : 0;
            assert_near(at.position[c], wanted, 1e-8);
            double effort =
                -(5 + c) * (at.position[c] - (moves ? 0.1 : 0)) - (0.1 + 0.05 * c) * at.rate[c];
            assert_near(at.effort[c], effort, 1e-12);
        }
    }
    ff_ledger l = ff_sim_ledger(r.sim);
    assert_true(l.dampers > 0 && l.springs > 0);
    finish(&r);
}

static void test_oscillators(void **state) {
    (void)state;
    for (size_t i = 0; i < ROWS(oscillators); i++) {
        for (size_t k = 0; k < ROWS(ways); k++) {
            const int count = coordinates_of(oscillators[i].kind);
            for (int c = 0; c < count; c++) {
                check_oscillator(i, c, ways[k]);
            }
            if (oscillators[i].together) {
                check_oscillator(i, -1, ways[k]);
            }
        }
    }
}

/* ---- limits by normal laws ---- */

static ff_normal normal_of(const char *name, double k, double lambda) {
    ff_normal out;
    assert_int_equal(ff_normal_init(&out, ff_normal_law_find(name), NULL), FF_OK);
    assert_int_equal(ff_normal_set(&out, "k", k, NULL), FF_OK);
    if (lambda > 0) {
        assert_int_equal(ff_normal_set(&out, "lambda", lambda, NULL), FF_OK);
    }
    return out;
}

/* A coordinate that hits its limit is an impact with its own inertia: it rebounds with the restitution of the law. */
static void test_stops(void **state) {
    (void)state;
    static const struct {
        const char *name;
        double k, lambda;
    } laws[] = {{"hunt-crossley", 2e4, 8e3}, {"azad-featherstone", 2e4, 60}, {"hertz", 2e4, 0}};
    for (size_t l = 0; l < ROWS(laws); l++) {
        const ff_normal law = normal_of(laws[l].name, laws[l].k, laws[l].lambda);
        for (size_t i = 0; i < ROWS(oscillators); i++) {
            for (int c = 0; c < coordinates_of(oscillators[i].kind); c++) {
                for (int side = -1; side <= 1; side += 2) {
                    const ff_formulation way = ways[(l + i + (size_t)c) % 2];
                    ff_scene *scene = empty();
                    int body = add_body(scene, "a", mass, inertia);
                    ff_joint_def j = joint_of("j", oscillators[i].kind, -1, body);
                    memcpy(j.axis, oscillators[i].axis, sizeof j.axis);
                    set3(j.second_axis, 0, 1, 0);
                    memset(j.start, 0, sizeof j.start);
                    memset(j.rate, 0, sizeof j.rate);
                    j.rate[c] = 0.7 * side;
                    *(side > 0 ? &j.along[c].upper : &j.along[c].lower) = 0.05 * side;
                    j.along[c].limit = law;
                    assert_true(ff_scene_add_joint(scene, &j) == 0);
                    run r = start(scene, way, 1e-11);
                    ff_joint_record at = advance(&r, 0.6, 0);
                    double e = ff_impact_restitution(&law, oscillators[i].inertia[c], 0.7);
                    assert_true(at.position[c] * side < 0.05 && at.effort[c] == 0);
                    assert_near(-at.rate[c] * side / 0.7, e, 1e-8);
                    ff_ledger ledger = ff_sim_ledger(r.sim);
                    /* a clamped law separates with energy left in its spring, which is lost too */
                    assert_near(ledger.dampers, (1 - e * e) * ledger.initial,
                                1e-8 * ledger.initial);
                    finish(&r);
                }
            }
        }
    }
}

/* ---- both formulations ---- */

static ff_friction coulomb(void) {
    ff_friction out;
    assert_int_equal(ff_friction_init(&out, ff_friction_law_find("coulomb"), NULL), FF_OK);
    assert_int_equal(ff_friction_set(&out, "mu", 0.3, NULL), FF_OK);
    assert_int_equal(ff_friction_set(&out, "v_ramp", 0.05, NULL), FF_OK);
    return out;
}

/* A cart that slides and turns on a plane, a pole on it with two axes, a rod in a sleeve of the pole and a nut on
 * the rod, with every force that can act along coordinates. */
static ff_scene *cart(bool reversed) {
    ff_scene *scene = ff_scene_create();
    int a = add_body(scene, "cart", mass, inertia), b = add_body(scene, "pole", 0.5, inertia);
    ff_joint_def j = joint_of("floor", FF_JOINT_PLANAR, -1, a);
    set3(j.axis, 0.3, 0.1, 1);
    for (int c = 0; c < 3; c++) {
        j.start[c] = 0.3 - 0.2 * c;
        j.rate[c] = c - 0.5;
        j.along[c].stiffness = 20;
        j.along[c].damping = 0.2;
        j.along[c].friction = coulomb();
        j.along[c].load = 1 + c;
        j.along[c].upper = 0.2;
        j.along[c].limit_stiffness = 300;
        j.along[c].limit_damping = 0.5;
    }
    assert_true(ff_scene_add_joint(scene, &j) == 0);
    j = reversed ? joint_of("cross", FF_JOINT_UNIVERSAL, b, a)
                 : joint_of("cross", FF_JOINT_UNIVERSAL, a, b);
    set3(j.axis, 1, 0, 0);
    set3(j.second_axis, 0, 1, 0);
    set3(reversed ? j.second_anchor : j.anchor, 0, 0, 0.1);
    set3(reversed ? j.anchor : j.second_anchor, 0.05, 0, -0.3);
    for (int c = 0; c < 2; c++) {
        if (!reversed) {
            j.start[c] = 0.2 + 0.3 * c;
            j.rate[c] = 1 - c;
        }
        j.along[c].stiffness = 4 + c;
        j.along[c].rest = 0.1 * c;
        j.along[c].damping = 0.1;
        j.along[c].lower = -0.1;
        j.along[c].limit_stiffness = 50;
        j.along[c].limit_damping = 0.2;
    }
    assert_true(ff_scene_add_joint(scene, &j) == 1);
    int c = add_body(scene, "rod", 0.6, inertia), d = add_body(scene, "nut", 0.4, inertia);
    for (int i = 0; i < 2; i++) {
        const int up = i ? c : b, own = i ? d : c;
        j = joint_of(i ? "thread" : "sleeve", i ? FF_JOINT_SCREW : FF_JOINT_CYLINDRICAL,
                     reversed ? own : up, reversed ? up : own);
        j.pitch = -0.15;
        set3(j.axis, 0.2, 0.5, 1);
        set3(reversed ? j.second_anchor : j.anchor, 0.1, 0.2, -0.1);
        set3(reversed ? j.anchor : j.second_anchor, -0.05, 0.1, 0.1);
        j.turn[1] = 0.3;
        for (int k = 0; ff_joint_coordinate_name(j.kind, k); k++) {
            if (!reversed) {
                j.start[k] = 0.2 - 0.3 * k;
                j.rate[k] = 0.5 + k;
            }
            j.along[k].stiffness = 6 + k;
            j.along[k].damping = 0.1;
            j.along[k].friction = coulomb();
            j.along[k].load = 0.5;
        }
        assert_true(ff_scene_add_joint(scene, &j) == 2 + i);
    }
    ff_force_def f = ff_force_def_default();
    f.name = "motor";
    f.kind = FF_FORCE_PD;
    f.joint = 1;
    f.coordinate = 1;
    f.kp = 3;
    f.kd = 0.3;
    f.target[0] = 0.4;
    assert_true(ff_scene_add_force(scene, &f) == 0);
    f.name = "push";
    f.kind = FF_FORCE_CONSTANT;
    f.joint = 0;
    f.effort = 2;
    assert_true(ff_scene_add_force(scene, &f) == 1);
    return scene;
}

static void test_formulations_agree(void **state) {
    (void)state;
    for (int reversed = 0; reversed < 2; reversed++) {
        run a = start(cart(reversed), FF_ARTICULATED, 1e-11),
            b = start(cart(reversed), FF_MAXIMAL, 1e-11);
        for (int k = 1; k <= 4; k++) {
            for (size_t joint = 0; joint < 4; joint++) {
                ff_joint_record x = advance(&a, 0.25 * k, joint), y = advance(&b, 0.25 * k, joint);
                for (int c = 0; c < 3; c++) {
                    /* limit forces have a kink where they begin: errors of 1e-11 grow */
                    assert_near(x.position[c], y.position[c], 1e-8);
                    assert_near(x.rate[c], y.rate[c], 1e-7);
                    assert_near(x.effort[c], y.effort[c], 1e-6);
                    assert_near(x.force[c], y.force[c], 1e-5);
                    assert_near(x.moment[c], y.moment[c], 1e-5);
                }
            }
        }
        finish(&a);
        finish(&b);
    }
}

/* ---- screws ---- */

/* A nut with inertia I and mass m on a vertical screw with inertia J, free to turn, under gravity: with the angle
 * q of the nut relative to the screw and the angle a of the screw, J a'' + I (a'' + q'') = 0 and I (a'' + q'') + m
 * p^2 q'' = -m g p, so that q'' = -m g p/(I J/(I + J) + m p^2). */
static void test_nut(void **state) {
    (void)state;
    for (size_t k = 0; k < ROWS(ways); k++) {
        for (int reversed = 0; reversed < 2; reversed++) {
            const double g = 9.81, p = reversed ? -0.02 : 0.03, J = inertia[2], I = 0.01;
            ff_scene *scene = ff_scene_create();
            int rod = add_body(scene, "rod", mass, inertia);
            int nut = add_body(scene, "nut", 0.5, (double[]){0.02, 0.02, I});
            ff_joint_def j = joint_of("bearing", FF_JOINT_REVOLUTE, -1, rod);
            set3(j.axis, 0, 0, 1);
            assert_true(ff_scene_add_joint(scene, &j) == 0);
            j = joint_of("thread", FF_JOINT_SCREW, reversed ? nut : rod, reversed ? rod : nut);
            set3(j.axis, 0, 0, 1);
            j.pitch = p;
            assert_true(ff_scene_add_joint(scene, &j) == 1);
            run r = start(scene, ways[k], 1e-10);
            const double sign = reversed ? -1 : 1,
                         rate = -sign * 0.5 * g * p / (I * J / (I + J) + 0.5 * p * p);
            for (int i = 1; i <= 3; i++) {
                const double t = 0.8 * i;
                ff_joint_record at = advance(&r, t, 1);
                /* about a hundred rad: turns are counted in both formulations */
                assert_near(at.position[0], rate * t * t / 2, 1e-8 * fabs(rate));
                assert_near(at.rate[0], rate * t, 1e-8 * fabs(rate));
                ff_motion m = ff_sim_body(r.sim, (size_t)nut);
                assert_near(m.position[2], sign * p * at.position[0], 1e-9);
                ff_joint_record bearing = ff_sim_joint(r.sim, 0);
                assert_near(bearing.rate[0], -sign * I / (I + J) * rate * t, 1e-8 * fabs(rate));
                /* the axial force of the thread does the work of gravity: F = m (g + v') */
                double lift = 0.5 * (g + sign * p * rate);
                assert_near(at.force[2], sign * lift, 1e-7);
            }
            finish(&r);
        }
    }
}

/* ---- gears ---- */

static ff_joint_def gear_of(const char *name, int a, int b, double ratio) {
    ff_joint_def j = joint_of(name, FF_JOINT_GEAR, -1, -1);
    j.joints[0] = a;
    j.joints[1] = b;
    j.ratio = ratio;
    return j;
}

/* Two wheels, or a wheel and a rack: a torque on the first accelerates J1 + r^2 J2, and the gear exerts J2 r a on
 * the second. */
static void test_gear_train(void **state) {
    (void)state;
    for (size_t k = 0; k < ROWS(ways); k++) {
        for (int rack = 0; rack < 2; rack++) {
            const double ratio = rack ? 0.1 : -2.5, torque = 3, driven = rack ? 0.7 : 0.05;
            ff_scene *scene = empty();
            int a = add_body(scene, "a", mass, inertia);
            int b = add_body(scene, "b", 0.7, (double[]){0.05, 0.05, 0.05});
            ff_joint_def j = joint_of("one", FF_JOINT_REVOLUTE, -1, a);
            set3(j.axis, 1, 0, 0);
            j.rate[0] = 2;
            assert_true(ff_scene_add_joint(scene, &j) == 0);
            j = joint_of("two", rack ? FF_JOINT_PRISMATIC : FF_JOINT_REVOLUTE, -1, b);
            set3(j.axis, 0, 1, 0);
            j.rate[0] = 2 * ratio;
            assert_true(ff_scene_add_joint(scene, &j) == 1);
            j = gear_of("teeth", 0, 1, ratio);
            assert_true(ff_scene_add_joint(scene, &j) == 2);
            ff_force_def f = ff_force_def_default();
            f.name = "motor";
            f.joint = 0;
            f.effort = torque;
            assert_true(ff_scene_add_force(scene, &f) == 0);
            run r = start(scene, ways[k], 1e-10);
            assert_int_equal(ff_model_assembly(r.model).freedoms, 1);
            const double pace = torque / (inertia[0] + ratio * ratio * driven);
            for (int i = 1; i <= 3; i++) {
                const double t = 0.1 * i;
                ff_joint_record one = advance(&r, t, 0), two = ff_sim_joint(r.sim, 1),
                                teeth = ff_sim_joint(r.sim, 2);
                assert_near(one.position[0], 2 * t + pace * t * t / 2, 1e-8);
                assert_near(two.position[0], ratio * one.position[0], 1e-8);
                assert_near(two.rate[0], ratio * one.rate[0], 1e-10);
                assert_near(rack ? teeth.force[1] : teeth.moment[1], driven * ratio * pace, 1e-8);
            }
            ff_ledger l = ff_sim_ledger(r.sim);
            assert_near(l.constraint, 0, 1e-10 * l.scale);
            finish(&r);
        }
    }
}

/* A gear between the displacement and the angle of a cylindrical joint makes it a screw. */
static void test_gear_of_a_screw(void **state) {
    (void)state;
    ff_joint_record at[3];
    for (int kind = 0; kind < 3; kind++) {
        ff_scene *scene = ff_scene_create();
        int body = add_body(scene, "a", mass, inertia);
        ff_joint_def j = joint_of("j", kind ? FF_JOINT_CYLINDRICAL : FF_JOINT_SCREW, -1, body);
        set3(j.axis, 0.3, 0.2, 1);
        set3(j.second_anchor, 0.1, 0, 0);
        j.pitch = 0.05;
        j.start[0] = j.rate[0] = j.start[1] = j.rate[1] = 0;
        assert_true(ff_scene_add_joint(scene, &j) == 0);
        j = gear_of("g", 0, 0, 0.05);
        j.coordinates[0] = 1;
        assert_true(!kind || ff_scene_add_joint(scene, &j) == 1);
        run r = start(scene, ways[kind == 2], 1e-11);
        at[kind] = advance(&r, 0.8, 0);
        finish(&r);
    }
    for (int kind = 1; kind < 3; kind++) {
        assert_near(at[kind].position[1], remainder(at[0].position[0], 4 * acos(0)), 1e-8);
        assert_near(at[kind].position[0], 0.05 * at[0].position[0], 1e-9);
        assert_near(at[kind].rate[1], at[0].rate[0], 1e-8);
    }
}

/* Gears between all types of coordinates of a moving tree with rotating axes: both formulations agree. */
static void test_gears_in_a_tree(void **state) {
    (void)state;
    static const int couples[][4] = {{0, 2, 1, 0}, {1, 1, 2, 0}, {0, 0, 3, 0}, {2, 1, 0, 1}};
    for (size_t g = 0; g < ROWS(couples); g++) {
        run r[2];
        for (size_t k = 0; k < 2; k++) {
            ff_scene *scene = cart(g % 2);
            ff_joint_def j = gear_of("gear", couples[g][0], couples[g][2], 0.7);
            j.coordinates[0] = couples[g][1];
            j.coordinates[1] = couples[g][3];
            assert_true(ff_scene_add_joint(scene, &j) == 4);
            r[k] = start(scene, ways[k], 1e-11);
        }
        for (int i = 1; i <= 2; i++) {
            for (size_t joint = 0; joint < 5; joint++) {
                ff_joint_record x = advance(&r[0], 0.2 * i, joint),
                                y = advance(&r[1], 0.2 * i, joint);
                for (int c = 0; c < 3; c++) {
                    /* limit forces have a kink where they begin: errors of 1e-11 grow */
                    assert_near(x.position[c], y.position[c], 1e-8);
                    assert_near(x.rate[c], y.rate[c], 1e-7);
                    assert_near(x.force[c], y.force[c], 1e-5);
                    assert_near(x.moment[c], y.moment[c], 1e-5);
                }
            }
            ff_joint_record a = ff_sim_joint(r[0].sim, (size_t)couples[g][0]),
                            b = ff_sim_joint(r[0].sim, (size_t)couples[g][2]);
            assert_near(b.rate[couples[g][3]], 0.7 * a.rate[couples[g][1]], 1e-12);
        }
        finish(&r[0]);
        finish(&r[1]);
    }
}

/* ---- spherical joints ---- */

/* A body rotated by an angle about an axis, and turning about it. */
static int add_turned(ff_scene *scene, const char *name, const double moments[3],
                      const double axis[3], double angle, double rate) {
    ff_body_def def = ff_body_def_default();
    def.name = name;
    def.mass = mass;
    memset(def.inertia, 0, sizeof def.inertia);
    def.orientation[0] = cos(angle / 2);
    for (int i = 0; i < 3; i++) {
        def.inertia[i][i] = moments[i];
        def.orientation[1 + i] = sin(angle / 2) * axis[i];
        def.omega[i] = rate * axis[i];
    }
    return ff_scene_add_body(scene, &def);
}

/* A round body on a spring oscillates about any axis as a damped oscillator, at any amplitude and rest
 * orientation. */
static void test_ball_spring(void **state) {
    (void)state;
    const double round[3] = {0.4, 0.4, 0.4}, axis[3] = {2. / 7, 3. / 7, 6. / 7}, k = 5, c = 0.3;
    for (size_t i = 0; i < 4; i++) {
        const bool turned = i / 2;
        ff_scene *scene = empty();
        int body = add_turned(scene, "a", round, axis, turned ? 2.9 : 2.5, 0);
        ff_joint_def j = joint_of("j", FF_JOINT_SPHERICAL, -1, body);
        j.turn[0] = turned ? cos(0.2) : 1;
        for (int n = 0; n < 3; n++) {
            j.turn[1 + n] = turned ? sin(0.2) * axis[n] : 0;
        }
        j.along[0].stiffness = k;
        j.along[0].damping = c;
        assert_true(ff_scene_add_joint(scene, &j) == 0);
        run r = start(scene, ways[i % 2], 1e-11);
        for (double t = 0; t < 3; t += 0.7) {
            ff_joint_record at = advance(&r, t, 0);
            const double w = sqrt(k / 0.4), d = c / 0.8, x = swing(2.5, w, d, t),
                         next = swing(2.5, w, d, t + 1e-5), last = swing(2.5, w, d, t - 1e-5);
            const double *q = ff_sim_body(r.sim, 0).orientation;
            assert_near(fabs(q[0]), fabs(cos((x + (turned ? 0.4 : 0)) / 2)), 1e-9);
            for (int n = 0; n < 3 && t > 0; n++) {
                /* central differences are accurate to 1e-10 */
                assert_near(ff_sim_body(r.sim, 0).omega[n], (next - last) / 2e-5 * axis[n], 1e-8);
                assert_near(at.effort[n], -(k * x + c * (next - last) / 2e-5) * axis[n], 1e-7);
                assert_near(at.moment[n], at.effort[n], 1e-9);
            }
            ff_ledger l = ff_sim_ledger(r.sim);
            assert_near(l.springs, 0.5 * k * x * x, 1e-8);
        }
        finish(&r);
    }
}

/* In a plane it is a revolute joint: a pendulum with spring, damper, friction and a limit, between the world and a
 * body or between two, in either order. */
static void test_ball_is_hinge(void **state) {
    (void)state;
    for (int i = 0; i < 4; i++) {
        const bool stiff = i & 1, reversed = i & 2;
        ff_motion end[4];
        for (int n = 0; n < 4; n++) {
            const bool hinge = n < 2;
            ff_scene *scene = ff_scene_create();
            const double way[3] = {0, -1, 0};
            int a = add_turned(scene, "a", inertia, way, 0.3, 0),
                b = add_turned(scene, "b", inertia, way, 0.3, 1.5);
            ff_joint_def j = joint_of("base", FF_JOINT_REVOLUTE, -1, a);
            set3(j.axis, 0, -1, 0);
            set3(j.second_anchor, 0, 0, 0.4);
            assert_true(ff_scene_add_joint(scene, &j) == 0);
            j = joint_of("j", hinge ? FF_JOINT_REVOLUTE : FF_JOINT_SPHERICAL, reversed ? b : a,
                         reversed ? a : b);
            set3(j.axis, 0, hinge ? -1 : 0, hinge ? 0 : 1);
            set3(reversed ? j.second_anchor : j.anchor, 0, 0, -0.4);
            set3(reversed ? j.anchor : j.second_anchor, 0, 0, 0.3);
            j.along[0].stiffness = 3;
            j.along[0].damping = 0.2;
            if (stiff) {
                j.along[0].upper = 0.15;
                j.along[0].lower = hinge ? -0.15 : -(double)INFINITY;
                j.along[0].limit_stiffness = 200;
                j.along[0].limit_damping = 0.3;
                ff_friction *law = &j.along[0].friction;
                assert_int_equal(ff_friction_init(law, ff_friction_law_find("coulomb"), NULL),
                                 FF_OK);
                assert_int_equal(ff_friction_set(law, "mu", 0.1, NULL), FF_OK);
                assert_int_equal(ff_friction_set(law, "v_ramp", 0.05, NULL), FF_OK);
                j.along[0].load = 2;
            }
            assert_true(ff_scene_add_joint(scene, &j) == 1);
            run r = start(scene, ways[n % 2], 1e-11);
            advance(&r, 0.9, 1);
            end[n] = ff_sim_body(r.sim, (size_t)b);
            finish(&r);
        }
        for (int n = 1; n < 4; n++) {
            for (int c = 0; c < 3; c++) {
                /* errors of 1e-11 at kinks of limits and friction grow */
                assert_near(end[n].position[c], end[0].position[c], 1e-8);
                assert_near(end[n].omega[c], end[0].omega[c], 1e-7);
            }
        }
    }
}

/* Momentum and angular momentum about the origin. */
static void momentum(const run *r, double out[6]) {
    memset(out, 0, 6 * sizeof *out);
    for (size_t i = 0; i < ff_model_body_count(r->model); i++) {
        const ff_motion at = ff_sim_body(r->sim, i);
        const double *x = at.position, *v = at.velocity, *w = at.omega, *q = at.orientation;
        for (int c = 0; c < 3; c++) {
            const int d = (c + 1) % 3, e = (c + 2) % 3;
            out[c] += mass * v[c];
            out[3 + c] += mass * (x[d] * v[e] - x[e] * v[d]);
            /* along principal axis c, which is column c of the rotation */
            double axis[3];
            axis[c] = 1 - 2 * (q[1 + d] * q[1 + d] + q[1 + e] * q[1 + e]);
            axis[d] = 2 * (q[1 + c] * q[1 + d] + q[0] * q[1 + e]);
            axis[e] = 2 * (q[1 + c] * q[1 + e] - q[0] * q[1 + d]);
            const double spin = inertia[c] * (axis[0] * w[0] + axis[1] * w[1] + axis[2] * w[2]);
            for (int k = 0; k < 3; k++) {
                out[3 + k] += spin * axis[k];
            }
        }
    }
}

/* Two tumbling bodies in free flight, with limits and friction at the joint: momentum and angular momentum are
 * conserved, the ledger closes, and both formulations and both orders of the joint agree. */
static void test_ball_in_space(void **state) {
    (void)state;
    ff_motion end[4];
    for (int n = 0; n < 4; n++) {
        const bool reversed = n / 2;
        ff_scene *scene = empty();
        int a = add_turned(scene, "a", inertia, (double[]){1, 0, 0}, 0.4, 1),
            b = add_turned(scene, "b", inertia, (double[]){0, 0.6, 0.8}, 0.9, 3);
        ff_joint_def j = joint_of("j", FF_JOINT_SPHERICAL, reversed ? b : a, reversed ? a : b);
        set3(reversed ? j.second_anchor : j.anchor, 0, 0.1, -0.4);
        set3(reversed ? j.anchor : j.second_anchor, 0.2, 0, 0.3);
        set3(j.axis, 0, 0, 1);
        j.along[0].stiffness = 8;
        j.along[0].damping = 0.05;
        j.along[0].upper = 0.8;
        j.along[0].limit_stiffness = 300;
        j.along[0].limit_damping = 0.2;
        assert_true(ff_scene_add_joint(scene, &j) == 0);
        run r = start(scene, ways[n % 2], 1e-11);
        double before[6], after[6];
        momentum(&r, before);
        advance(&r, 0.7, 0);
        momentum(&r, after);
        for (int c = 0; c < 6; c++) {
            assert_near(after[c], before[c], 1e-9);
        }
        ff_ledger l = ff_sim_ledger(r.sim);
        assert_true(l.dampers > 0.01 && l.springs > 0.01);
        end[n] = ff_sim_body(r.sim, (size_t)b);
        finish(&r);
    }
    for (int n = 1; n < 4; n++) {
        for (int c = 0; c < 3; c++) {
            assert_near(end[n].position[c], end[0].position[c], 1e-8);
            assert_near(end[n].omega[c], end[0].omega[c], 1e-7);
        }
    }
}

static void test_ball_refusals(void **state) {
    (void)state;
    static const char *const says[] = {
        "joint 'j': the rest position of a spherical joint's spring is given by orientation: rest "
        "must be 0",
        "joint 'j': the swing of a spherical joint has only an upper limit, above 0",
        "joint 'j': the friction law of a spherical joint must have no inner state",
        ("joint 'j': springs, dampers, limits and friction act on the turning of a spherical joint "
         "in all directions: along[0] has them")};
    for (int i = 0; i < 4; i++) {
        ff_scene *scene = empty();
        int body = add_body(scene, "a", mass, inertia);
        ff_joint_def j = joint_of("j", FF_JOINT_SPHERICAL, -1, body);
        ff_model *model;
        ff_error error = {{0}};
        j.along[0].rest = i == 0;
        j.along[0].lower = i == 1 ? -1 : -(double)INFINITY;
        if (i == 2) {
            ff_friction *law = &j.along[0].friction;
            assert_int_equal(ff_friction_init(law, ff_friction_law_find("dahl"), NULL), FF_OK);
            assert_int_equal(ff_friction_set(law, "mu", 0.1, NULL), FF_OK);
            assert_int_equal(ff_friction_set(law, "k", 100, NULL), FF_OK);
            j.along[0].load = 1;
        }
        j.along[1].damping = i == 3;
        assert_true(ff_scene_add_joint(scene, &j) == 0);
        assert_int_equal(ff_model_create(scene, &model, &error), FF_BAD_VALUE);
        assert_string_equal(error.text, says[i]);
        ff_scene_free(scene);
    }
    /* its numbers are fields */
    ff_scene *scene = empty();
    int body = add_body(scene, "a", mass, inertia);
    ff_joint_def j = joint_of("j", FF_JOINT_SPHERICAL, -1, body);
    j.along[0].stiffness = 3;
    assert_true(ff_scene_add_joint(scene, &j) == 0);
    run r = start(scene, FF_ARTICULATED, 1e-9);
    ff_error error = {{0}};
    assert_int_equal(ff_sim_set_path(r.sim, "joints.j.spherical.stiffness", 4, &error), FF_OK);
    assert_int_equal(ff_sim_set_path(r.sim, "joints.j.spherical.rest", 4, &error), FF_BAD_VALUE);
    finish(&r);
}

/* ---- refused definitions ---- */

static void test_refusals(void **state) {
    (void)state;
    ff_scene *scene = empty();
    int body = add_body(scene, "a", mass, inertia);
    ff_joint_def j = joint_of("j", FF_JOINT_UNIVERSAL, -1, body);
    j.along[1].damping = -1;
    assert_int_equal(ff_scene_add_joint(scene, &j), FF_BAD_VALUE);
    j.along[1] = ff_joint_def_default().along[1];
    j.along[1].lower = 1;
    j.along[1].upper = 0;
    assert_int_equal(ff_scene_add_joint(scene, &j), FF_BAD_VALUE);
    j.along[1] = ff_joint_def_default().along[1];
    j.along[2].damping = 1;
    assert_true(ff_scene_add_joint(scene, &j) == 0);
    /* an actuator of a coordinate that does not exist */
    ff_force_def f = ff_force_def_default();
    f.name = "motor";
    f.joint = 0;
    f.coordinate = 2;
    assert_int_equal(ff_scene_add_force(scene, &f), FF_BAD_VALUE);
    f.coordinate = -1;
    assert_int_equal(ff_scene_add_force(scene, &f), FF_BAD_VALUE);
    f.coordinate = 1;
    assert_true(ff_scene_add_force(scene, &f) == 0);
    ff_model *model;
    ff_error error = {{0}};
    assert_int_equal(ff_model_create(scene, &model, &error), FF_BAD_VALUE);
    assert_string_equal(error.text,
                        "joint 'j': a universal joint has 2 coordinates that springs, dampers, "
                        "limits and friction can act along");
    ff_scene_free(scene);
    /* laws of limits: incomplete, and with an internal state */
    scene = empty();
    body = add_body(scene, "a", mass, inertia);
    j = joint_of("j", FF_JOINT_REVOLUTE, -1, body);
    j.along[0].upper = 1;
    assert_int_equal(ff_normal_init(&j.along[0].limit, ff_normal_law_find("hertz"), NULL), FF_OK);
    assert_int_equal(ff_scene_add_joint(scene, &j), FF_MISSING);
    ff_normal *law = &j.along[0].limit;
    assert_int_equal(ff_normal_init(law, ff_normal_law_find("lankarani-nikravesh"), NULL), FF_OK);
    assert_int_equal(ff_normal_set(law, "k", 1e3, NULL), FF_OK);
    assert_int_equal(ff_normal_set(law, "e", 0.5, NULL), FF_OK);
    assert_true(ff_scene_add_joint(scene, &j) == 0);
    assert_int_equal(ff_model_create(scene, &model, &error), FF_BAD_VALUE);
    assert_string_equal(error.text, "joint 'j': the law of its limits must have no inner state, "
                                    "and 'lankarani-nikravesh' has one");
    ff_scene_free(scene);
    /* a screw without a pitch */
    scene = empty();
    body = add_body(scene, "a", mass, inertia);
    j = joint_of("j", FF_JOINT_SCREW, -1, body);
    j.pitch = 0;
    assert_int_equal(ff_scene_add_joint(scene, &j), FF_BAD_VALUE);
    j.pitch = (double)INFINITY;
    assert_int_equal(ff_scene_add_joint(scene, &j), FF_BAD_VALUE);
    j.pitch = 1;
    assert_true(ff_scene_add_joint(scene, &j) == 0);
    run r = start(scene, FF_ARTICULATED, 1e-9);
    assert_int_equal(ff_sim_set_path(r.sim, "joints.j.screw.pitch", 0, &error), FF_BAD_VALUE);
    assert_string_equal(error.text, "joint 'j': the pitch of a screw must not be 0 (that is a "
                                    "revolute joint)");
    assert_int_equal(ff_sim_set_path(r.sim, "joints.j.screw.pitch", 2, &error), FF_OK);
    finish(&r);
    /* gears without effect */
    scene = empty();
    body = add_body(scene, "a", mass, inertia);
    j = joint_of("j", FF_JOINT_CYLINDRICAL, -1, body);
    assert_true(ff_scene_add_joint(scene, &j) == 0);
    static const struct {
        int joints[2], coordinates[2];
        double ratio;
        ff_status says;
    } gears[] = {{{0, 1}, {0, 0}, 1, FF_BAD_VALUE},           {{-1, 0}, {0, 0}, 1, FF_BAD_VALUE},
                 {{0, 0}, {0, 2}, 1, FF_BAD_VALUE},           {{0, 0}, {-1, 0}, 1, FF_BAD_VALUE},
                 {{0, 0}, {1, 1}, 1, FF_BAD_VALUE},           {{0, 0}, {0, 1}, 0, FF_BAD_VALUE},
                 {{0, 0}, {0, 1}, (double)NAN, FF_BAD_VALUE}, {{0, 0}, {0, 1}, 1, (ff_status)1}};
    for (size_t i = 0; i < ROWS(gears); i++) {
        j = gear_of("g", gears[i].joints[0], gears[i].joints[1], gears[i].ratio);
        memcpy(j.coordinates, gears[i].coordinates, sizeof j.coordinates);
        assert_int_equal(ff_scene_add_joint(scene, &j), gears[i].says);
    }
    /* a gear of a gear */
    j = gear_of("h", 0, 1, 1);
    assert_int_equal(ff_scene_add_joint(scene, &j), FF_BAD_VALUE);
    r = start(scene, FF_ARTICULATED, 1e-9);
    assert_int_equal(ff_sim_set_path(r.sim, "joints.g.gear.ratio", 0, &error), FF_BAD_VALUE);
    assert_string_equal(error.text, "joint 'g': the ratio of a gear must not be 0");
    finish(&r);
    assert_null(ff_joint_coordinate_name(FF_JOINT_FIXED, 0));
    assert_null(ff_joint_coordinate_name(FF_JOINT_PLANAR, 3));
    assert_null(ff_joint_coordinate_name(FF_JOINT_PLANAR, -1));
    assert_null(ff_joint_coordinate_name((ff_joint_kind)FF_JOINT_KINDS, 0));
    assert_true(ff_joint_coordinate_slides(FF_JOINT_PLANAR, 1));
    assert_false(ff_joint_coordinate_slides(FF_JOINT_PLANAR, 2));
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_oscillators),        cmocka_unit_test(test_stops),
    cmocka_unit_test(test_formulations_agree), cmocka_unit_test(test_nut),
    cmocka_unit_test(test_gear_train),         cmocka_unit_test(test_gear_of_a_screw),
    cmocka_unit_test(test_gears_in_a_tree),    cmocka_unit_test(test_ball_spring),
    cmocka_unit_test(test_ball_is_hinge),      cmocka_unit_test(test_ball_in_space),
    cmocka_unit_test(test_ball_refusals),      cmocka_unit_test(test_refusals),
};

CHECK_MAIN(tests)
