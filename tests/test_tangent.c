/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "check.h"
#include "dynamics/dynamics.h"
#include "jacobian.h"
#include "law/params.h"
#include "laws.h"
#include "sim/sim.h"
#include "trees.h"
#include <stdlib.h>

/* Jacobians of articulated trees compared with differences of their rates. */

enum { MOST = 200 };

/* Friction with a moment, as in user-defined laws: linear except for products with the load. */
static void rolling(const ff_friction *law, const ff_friction_query *q, ff_friction_answer *out) {
    const double *k = law->values;
    for (int c = 0; c < 3; c++) {
        out->force[c] = -q->load * (k[0] * q->u[c] + k[1] * q->v[c]);
        out->moment[c] = -k[1] * q->load * q->roll[c];
        if (out->rate) {
            out->rate[c] = q->v[c] - k[0] * q->u[c];
        }
    }
    out->twist = -k[0] * q->load * q->spin;
}

static double no_energy(const ff_friction *law, double level, const double *u) {
    (void)law;
    (void)u;
    return 0 * level;
}

static const ff_friction_law rolling_law = {
    .abi = FF_LAW_ABI,
    .name = "rolling",
    .params = {{.name = "k", .unit = "1/m", .most = INFINITY, .fallback = 1, .meaning = "of u"},
               {.name = "c", .unit = "s/m", .most = INFINITY, .fallback = 1, .meaning = "of v"}},
    .vectors = 1,
    .turns = true,
    .respond = rolling,
    .stored = no_energy};

typedef struct {
    int bodies;
    ff_joint_kind kind; /* kind of all joints; FF_JOINT_FREE: mixed */
    bool efforts, forces, contacts, pairs, moments;
    double mu; /* small: the contact slips */
} setting;

static ff_friction some_friction(int which) {
    switch (which) {
    case 0: return FRICTION("coulomb", 0.4, 50);
    case 1: return FRICTION("lugre", 0.3, 2, 0.1, 0.2);
    default: return FRICTION("dahl", 0.3, 2);
    }
}

/* every effort along a coordinate of a joint, within and beyond limits */
static void add_efforts(ff_joint_effort *e) {
    e->stiffness = uniform(1, 5);
    e->rest = chance();
    e->damping = uniform(0.1, 1);
    if (chance() > 0) {
        e->lower = -0.3;
        e->upper = 0.3;
        e->limit_stiffness = 7;
        e->limit_damping = 0.1;
        if (chance() > 0) {
            e->limit = NORMAL("hunt-crossley", 7, 2, 1.5);
        }
    }
    if (chance() > -0.5) {
        e->friction = some_friction(one_of(3));
        e->load = uniform(1, 2);
    }
}

static void add_force(ff_scene *scene, ff_force_kind kind, int body, int other) {
    static const double times[] = {0, 1}, factors[] = {1, 3};
    ff_force_def f = ff_force_def_default();
    f.name = "push";
    f.kind = kind;
    f.body = body;
    f.other = other;
    some(f.force, 3);
    some(f.torque, 3);
    f.points = kind == FF_FORCE_TABLE ? 2 : 0;
    f.times = times;
    f.factors = factors;
    some(f.anchor, 0.5);
    some(f.other_anchor, 0.5);
    f.stiffness = kind == FF_FORCE_SPRING ? 5 : 0;
    f.damping = kind == FF_FORCE_SPRING ? 0.7 : 0;
    f.rest = kind == FF_FORCE_SPRING ? 0.4 : 0;
    some(f.axis, 1);
    f.kp = kind == FF_FORCE_PD ? 4 : 0;
    f.kd = kind == FF_FORCE_PD ? 0.6 : 0;
    if (kind == FF_FORCE_PD) {
        some(f.target, 1);
    }
    assert_true(ff_scene_add_force(scene, &f) >= 0);
}

/* Spheres so large and soft that all of them always touch, with depths of the order of all other lengths. */
static void add_contacts(ff_scene *scene, const setting *s) {
    ff_plane_def plane = {.size = sizeof(ff_plane_def),
                          .name = "floor",
                          .point = {0.3, 0, 0.1},
                          .normal = {0.2, -0.3, 1}};
    assert_true(ff_scene_add_plane(scene, &plane) >= 0);
    ff_friction own;
    assert_int_equal(ff_friction_make(&own, &rolling_law, (double[FF_LAW_PARAMS]){0.2, 0.1}, NULL),
                     FF_OK);
    ff_pair_def pair = {.size = sizeof(ff_pair_def),
                        .a = "b*",
                        .b = "floor",
                        .normal = NORMAL("hunt-crossley", 0.5, 0.005, 1.5, 0.005),
                        .friction = s->moments ? own : FRICTION("clutch", s->mu, 1, 0.3, 0.1),
                        .lever = chance() > 0 ? FF_LEVER_RADIUS : FF_LEVER_DEFORMED};
    assert_true(ff_scene_add_pair(scene, &pair) >= 0);
    for (int i = 0; i < s->bodies; i++) {
        double center[3];
        some(center, 0.3);
        assert_true(
            ff_scene_add_sphere(scene, i, NULL, chance() > 0 ? center : (double[3]){0}, 20) >= 0);
    }
    if (s->pairs) {
        pair.b = "b*";
        assert_true(ff_scene_add_pair(scene, &pair) >= 0);
    }
}

static ff_scene *scene_of(const setting *s) {
    static const ff_joint_kind kinds[] = {
        FF_JOINT_REVOLUTE, FF_JOINT_PRISMATIC, FF_JOINT_SPHERICAL,   FF_JOINT_UNIVERSAL,
        FF_JOINT_FIXED,    FF_JOINT_PLANAR,    FF_JOINT_CYLINDRICAL, FF_JOINT_SCREW};
    ff_scene *scene = ff_scene_create();
    ff_scene_set_gravity(scene, (double[]){0.5, -1, -9});
    for (int i = 0; i < s->bodies; i++) {
        add_some_body(scene, i);
        ff_joint_kind kind = s->kind == FF_JOINT_FREE ? kinds[one_of(8)] : s->kind;
        int parent = one_of(i + 1) - 1;
        ff_joint_def joint = some_joint(i, kind, parent);
        char name[16];
        snprintf(name, sizeof name, "j%d", i);
        joint.name = name;
        /* efforts on spherical joints have no analytic derivatives */
        const bool acts = s->efforts && kind != FF_JOINT_SPHERICAL;
        for (int c = 0; acts && ff_joint_coordinate_name(kind, c); c++) {
            add_efforts(&joint.along[c]);
        }
        /* the first is attached to the world in half of all scenes, and some others to nothing */
        if (parent >= 0 || (i == 0 ? chance() > 0 : chance() > -0.5)) {
            int added = ff_scene_add_joint(scene, &joint);
            assert_true(added >= 0);
            for (int c = 0; acts && ff_joint_coordinate_name(kind, c); c++) {
                ff_force_def f = ff_force_def_default();
                f.name = "motor";
                f.kind = FF_FORCE_PD;
                f.body = -1;
                f.joint = added;
                f.coordinate = c;
                f.kp = 3 + c;
                f.kd = 0.4;
                f.target[0] = 0.2;
                assert_true(ff_scene_add_force(scene, &f) >= 0);
            }
        }
    }
    for (int i = 0; s->forces && i < s->bodies; i++) {
        add_force(scene, FF_FORCE_CONSTANT, i, -1);
        add_force(scene, FF_FORCE_TABLE, i, -1);
        add_force(scene, FF_FORCE_PD, i, -1);
        add_force(scene, FF_FORCE_SPRING, i, i == 0 ? -1 : one_of(i + 1) - 1);
    }
    if (s->contacts) {
        add_contacts(scene, s);
    }
    return scene;
}

/* Every entry compared with central differences over h = 4e-4 and h/2, extrapolated: the error is h^4 times the
 * fifth derivative, where everything is of order 1, plus rounding over h: 1e-10 to 8e-9 of the row's largest
 * entry, measured. An omitted term is of the order of the row. */
static double worst_entry(const setting *s, double part) {
    ff_scene *scene = scene_of(s);
    ff_run_options run = *ff_scene_run(scene);
    ff_error error = {{0}};
    ff_model *model;
    ff_sim *sim;
    run.formulation = FF_ARTICULATED;
    ff_scene_set_run(scene, &run);
    if (ff_model_create(scene, &model, &error) != FF_OK) {
        fail_msg("%s", error.text);
    }
    if (!model->tree) {
        /* free bodies have no tree */
        ff_model_free(model);
        ff_scene_free(scene);
        return 0;
    }
    assert_int_equal(ff_sim_create(model, NULL, &sim, NULL), FF_OK);
    const size_t states = model->states;
    const double t = 0.3;
    double *y = calloc(3 * model->size, sizeof *y), *up = y + model->size, *down = up + model->size;
    double *jacobian = calloc(states * states, sizeof *y),
           *seen = calloc(states * states, sizeof *y);
    int place[MOST];
    assert_true(states <= MOST);
    some_state(model, y);
    for (size_t j = 0; j < states; j++) {
        place[j] = (int)j;
        if (j >= model->control_at - model->bristles) {
            /* friction of contacts far from the boundary of stick and slip: springs as long as at the boundary, or
             * 0.02 */
            double far = s->mu > 1 ? 0.02 : uniform(1, 2);
            y[j] = j < model->slot_at ? chance() : chance() > 0 ? far : -far;
        }
    }
    ff_phase phase = sim->contexts[0];
    phase.touches = NULL;
    /* limits act where the position is beyond them */
    phase.stops = NULL;
    for (size_t i = 0; i < model->slot_count; i++) {
        phase.modes[i] = FF_LOADED;
    }
    for (size_t i = 0; i < model->force_count; i++) {
        phase.acting[i] = true;
    }
    /* with given rates the bits are the same as with rates computed internally */
    ff_dynamics_rates(model, &phase, t, y, up);
    phase.rates = up;
    fill_jacobian(model, &phase, t, y, place, states, seen);
    phase.rates = NULL;
    fill_jacobian(model, &phase, t, y, place, states, jacobian);
    assert_memory_equal(jacobian, seen, states * states * sizeof *seen);
    for (size_t j = 0; j < states; j++) {
        for (int half = 0; half < 2; half++) {
            double was = y[j], h = half ? 2e-4 : 4e-4;
            y[j] = was + h;
            ff_dynamics_rates(model, &phase, t, y, up);
            y[j] = was - h;
            ff_dynamics_rates(model, &phase, t, y, down);
            y[j] = was;
            for (size_t i = 0; i < states; i++) {
                double slope = (up[i] - down[i]) / (2 * h), *at = &seen[i * states + j];
                *at = half ? (4 * slope - *at) / 3 : slope;
            }
        }
    }
    double worst = 0;
    for (size_t i = 0; i < states; i++) {
        double greatest = 1;
        for (size_t j = 0; j < states; j++) {
            greatest = fmax(greatest, fabs(seen[i * states + j]));
        }
        for (size_t j = 0; j < states; j++) {
            double off = fabs(jacobian[i * states + j] - seen[i * states + j]) / greatest;
            assert_holds(off <= part,
                         "%d bodies of kind %d: d(rate %zu)/d(state %zu) is %.10g, by differences "
                         "%.10g: off by %.2g of %.3g",
                         s->bodies, (int)s->kind, i, j, jacobian[i * states + j],
                         seen[i * states + j], off, greatest);
            worst = fmax(worst, off);
        }
    }
    free(y);
    free(jacobian);
    free(seen);
    ff_sim_free(sim);
    ff_model_free(model);
    ff_scene_free(scene);
    return worst;
}

static void check(setting s, double part, const char *what) {
    double worst = 0;
    /* random numbers independent of how many were drawn before */
    check_seed = 0x9e3779b97f4a7c15u;
    for (int kind = FF_JOINT_REVOLUTE; kind < FF_JOINT_GEAR; kind++) {
        s.kind = (ff_joint_kind)kind;
        for (int turn = 0; turn < 12; turn++) {
            s.bodies = 1 + turn % 6;
            worst = fmax(worst, worst_entry(&s, part));
        }
    }
    print_message("%s: off by %.1e\n", what, worst);
}

static void test_in_the_air(void **state) {
    (void)state;
    check((setting){0}, 1e-8, "in the air");
}

static void test_forces(void **state) {
    (void)state;
    check((setting){.forces = true}, 1e-8, "forces on bodies");
    check((setting){.efforts = true}, 1e-8, "forces along joints");
}

static void test_contacts(void **state) {
    (void)state;
    check((setting){.contacts = true, .mu = 100}, 1e-8, "stick on a plane");
    check((setting){.contacts = true, .mu = 0.05}, 1e-8, "slip on a plane");
    check((setting){.contacts = true, .pairs = true, .mu = 100}, 1e-8, "stick between spheres");
    check((setting){.contacts = true, .pairs = true, .mu = 0.05}, 1e-8, "slip between spheres");
}

static void test_moments(void **state) {
    (void)state;
    /* these are differences themselves, over 6e-6 of depths and speeds: rounding is 2e-5 of a row, measured */
    check((setting){.contacts = true, .moments = true, .pairs = true}, 1e-4, "moments");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_in_the_air),
        cmocka_unit_test(test_forces),
        cmocka_unit_test(test_contacts),
        cmocka_unit_test(test_moments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
