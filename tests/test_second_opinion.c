/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "outcome.h"
#include "scene_text.h"
#include "sim/sim.h"
#include <arkode/arkode_arkstep.h>
#include <cvodes/cvodes.h>
#include <float.h>
#include <nvector/nvector_serial.h>
#include <stdlib.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

/* Scenes driven by the integrators and root finders of SUNDIALS (Hindmarsh et al. 2005), through the table of functions
 * that the product's own driver calls. Nothing of the flow is used but y, the phase, the clock and the queue of events:
 * steps, error control, roots and what follows at an instant are found a second time, in plain time. Wherever a step ends,
 * contacts must also be what their modes say, as forces and depths show it. */

/* ---- the integrators ---- */

typedef struct opinion opinion;

/* What CVODES and ARKODE call by different names. They return negative numbers where they fail. */
typedef struct {
    const char *name;
    bool apart; /* quadratures are none of the states */
    void (*create)(opinion *o);
    int (*begin)(opinion *o, double t);
    int (*step)(opinion *o, double stop, double *t);
    int (*found)(void *memory, int *out);
    void (*free)(void **memory);
} family;

struct opinion {
    ff_sim *sim;
    ff_flow *flow; /* the sim's */
    const family *calls;
    SUNContext context;
    void *memory;
    N_Vector y, y_weight, q,
        q_weight; /* q: CVODES' quadratures; NULL for ARKODE, and where there are none */
    SUNMatrix matrix;
    SUNLinearSolver linear;
    SUNNonlinearSolver fixed_point;
    double *rates;  /* work: of all components */
    ff_root *roots; /* work */
    int *found;     /* of each root function: as the integrator says */
    int *switches;  /* of each root function, at one instant */
    outcome seen;
};

/* dy/dt, with the orientations of round bodies, which the system leaves to its `carry`: q' = omega q/2 */
static int evaluate(opinion *o, double t, const double *y) {
    const ff_model *model = o->sim->model;
    int answer = o->flow->system->rates(o->flow->self, t, y, o->rates);
    for (size_t i = 0; i < model->body_count; i++) {
        if (ff_turns_apart(model, i)) {
            const double *q = y + i * FF_BODY_STRIDE + FF_Q, *w = y + i * FF_BODY_STRIDE + FF_OMEGA;
            double *to = o->rates + i * FF_BODY_STRIDE + FF_Q;
            to[0] = -(w[0] * q[1] + w[1] * q[2] + w[2] * q[3]) / 2;
            to[1] = (w[0] * q[0] + w[1] * q[3] - w[2] * q[2]) / 2;
            to[2] = (w[1] * q[0] + w[2] * q[1] - w[0] * q[3]) / 2;
            to[3] = (w[2] * q[0] + w[0] * q[2] - w[1] * q[1]) / 2;
        }
    }
    /* as SUNDIALS has it, too: > 0 asks for a shorter step, < 0 ends it */
    return answer;
}

static int state_rates(double t, N_Vector y, N_Vector out, void *user) {
    opinion *o = user;
    int answer = evaluate(o, t, NV_DATA_S(y));
    memcpy(NV_DATA_S(out), o->rates, (size_t)NV_LENGTH_S(out) * sizeof(double));
    return answer;
}

static int quadrature_rates(double t, N_Vector y, N_Vector out, void *user) {
    opinion *o = user;
    int answer = evaluate(o, t, NV_DATA_S(y));
    memcpy(NV_DATA_S(out), o->rates + o->flow->states, (size_t)NV_LENGTH_S(out) * sizeof(double));
    return answer;
}

static int root_values(double t, N_Vector y, double *out, void *user) {
    opinion *o = user;
    o->flow->system->roots(o->flow->self, t, NV_DATA_S(y), false, o->roots);
    for (size_t i = 0; i < o->flow->roots; i++) {
        out[i] = o->roots[i].g;
    }
    return 0;
}

/* functions that disagree become positive; `set` is of the integrator */
static void look_upwards(opinion *o, int (*set)(void *memory, int *direction)) {
    for (size_t i = 0; i < o->flow->roots; i++) {
        o->found[i] = 1;
    }
    assert_int_equal(set(o->memory, o->found), 0);
}

static void create_cvode(opinion *o, int method) {
    const int roots = (int)o->flow->roots;
    void *m = o->memory = CVodeCreate(method, o->context);
    assert_non_null(m);
    assert_int_equal(CVodeInit(m, state_rates, 0, o->y), 0);
    assert_int_equal(CVodeSetUserData(m, o), 0);
    assert_int_equal(CVodeSVtolerances(m, 0, o->y_weight), 0);
    assert_int_equal(CVodeSetMaxNumSteps(m, -1), 0);
    if (o->q) {
        assert_int_equal(CVodeQuadInit(m, quadrature_rates, o->q), 0);
        assert_int_equal(CVodeQuadSVtolerances(m, 0, o->q_weight), 0);
        assert_int_equal(CVodeSetQuadErrCon(m, SUNTRUE), 0);
    }
    assert_int_equal(CVodeRootInit(m, roots, root_values), 0);
    look_upwards(o, CVodeSetRootDirection);
    CVodeSetNoInactiveRootWarn(m);
}

static void create_bdf(opinion *o) {
    create_cvode(o, CV_BDF);
    assert_int_equal(CVodeSetLinearSolver(o->memory, o->linear, o->matrix), 0);
    /* what swings in a contact at rest is where BDF of orders 3 to 5 are unstable */
    assert_int_equal(CVodeSetStabLimDet(o->memory, SUNTRUE), 0);
}

static void create_adams(opinion *o) {
    create_cvode(o, CV_ADAMS);
    o->fixed_point = SUNNonlinSol_FixedPoint(o->y, 0, o->context);
    assert_int_equal(CVodeSetNonlinearSolver(o->memory, o->fixed_point), 0);
}

static int begin_cvode(opinion *o, double t) {
    int status = CVodeReInit(o->memory, t, o->y);
    return status < 0 || !o->q ? status : CVodeQuadReInit(o->memory, o->q);
}

static int step_cvode(opinion *o, double stop, double *t) {
    double same;
    CVodeSetStopTime(o->memory, stop);
    int status = CVode(o->memory, stop, o->y, t, CV_ONE_STEP);
    if (status >= 0 && o->q) {
        CVodeGetQuad(o->memory, &same, o->q);
    }
    return status;
}

/* a singly diagonally implicit method of order 5 with an interpolant of degree 5, on which its roots lie */
static void create_dirk(opinion *o) {
    void *m = o->memory = ARKStepCreate(NULL, state_rates, 0, o->y, o->context);
    assert_non_null(m);
    assert_int_equal(ARKStepSetUserData(m, o), 0);
    assert_int_equal(ARKStepSetOrder(m, 5), 0);
    assert_int_equal(ARKStepSetInterpolantDegree(m, 5), 0);
    assert_int_equal(ARKStepSVtolerances(m, 0, o->y_weight), 0);
    assert_int_equal(ARKStepSetMaxNumSteps(m, -1), 0);
    assert_int_equal(ARKStepSetLinearSolver(m, o->linear, o->matrix), 0);
    assert_int_equal(ARKStepRootInit(m, (int)o->flow->roots, root_values), 0);
    look_upwards(o, ARKStepSetRootDirection);
    ARKStepSetNoInactiveRootWarn(m);
}

static int begin_dirk(opinion *o, double t) {
    return ARKStepReInit(o->memory, NULL, state_rates, t, o->y);
}

static int step_dirk(opinion *o, double stop, double *t) {
    ARKStepSetStopTime(o->memory, stop);
    return ARKStepEvolve(o->memory, stop, o->y, t, ARK_ONE_STEP);
}

static const family bdf = {"bdf",    true, create_bdf, begin_cvode, step_cvode, CVodeGetRootInfo,
                           CVodeFree},
                    adams = {"adams",          true,     create_adams, begin_cvode, step_cvode,
                             CVodeGetRootInfo, CVodeFree},
                    dirk = {"dirk",     false,     create_dirk,
                            begin_dirk, step_dirk, ARKStepGetRootInfo,
                            ARKStepFree};

/* ---- making ---- */

/* Absolute tolerances alone: the sizes of the components, as the product has them, make them relative. SUNDIALS takes the
 * root of the mean of squares; over the root of their number no component is off by more than its weight. */
static N_Vector weights(const double *per_weight, size_t count, SUNContext context) {
    N_Vector out = N_VNew_Serial((sunindextype)count, context);
    for (size_t i = 0; i < count; i++) {
        NV_DATA_S(out)[i] = 1 / (per_weight[i] * sqrt((double)count));
    }
    return out;
}

static void open_opinion(opinion *o, const family *calls, const ff_model *model, double tol) {
    ff_run_options options = ff_run_options_default();
    *o = (opinion){.calls = calls};
    options.method = FF_DOPRI5;
    options.tol = tol;
    assert_int_equal(ff_sim_create(model, &options, &o->sim, NULL), FF_OK);
    const ff_flow *f = o->flow = &o->sim->flow;
    const size_t count = calls->apart ? f->states : f->n, rest = f->n - count;
    assert_int_equal(SUNContext_Create(NULL, &o->context), 0);
    o->rates = malloc(f->n * sizeof *o->rates);
    o->roots = malloc(f->roots * sizeof *o->roots);
    o->found = malloc(f->roots * sizeof *o->found);
    o->switches = malloc(f->roots * sizeof *o->switches);
    o->y = N_VNew_Serial((sunindextype)count, o->context);
    o->y_weight = weights(f->per_weight, count, o->context);
    if (rest > 0) {
        o->q = N_VNew_Serial((sunindextype)rest, o->context);
        o->q_weight = weights(f->per_weight + count, rest, o->context);
    }
    o->matrix = SUNDenseMatrix((sunindextype)count, (sunindextype)count, o->context);
    o->linear = SUNLinSol_Dense(o->y, o->matrix, o->context);
    calls->create(o);
}

static void close_opinion(opinion *o) {
    o->calls->free(&o->memory);
    SUNNonlinSolFree(o->fixed_point);
    SUNLinSolFree(o->linear);
    SUNMatDestroy(o->matrix);
    N_VDestroy(o->q_weight);
    N_VDestroy(o->q);
    N_VDestroy(o->y_weight);
    N_VDestroy(o->y);
    SUNContext_Free(&o->context);
    free(o->switches);
    free(o->found);
    free(o->roots);
    free(o->rates);
    ff_sim_free(o->sim);
}

/* ---- driving ---- */

static double now(const opinion *o) { return ff_flow_time(o->flow); }

/* The integrator begins anew at the flow's time and y. */
static void begin(opinion *o) {
    const size_t count = (size_t)NV_LENGTH_S(o->y);
    memcpy(NV_DATA_S(o->y), o->flow->y, count * sizeof(double));
    if (o->q) {
        memcpy(NV_DATA_S(o->q), o->flow->y + count, (o->flow->n - count) * sizeof(double));
    }
    assert_true(o->calls->begin(o, now(o)) >= 0);
}

/* A step has ended at t: the flow is there, and the system keeps its books. It may look into the step, where Hermite's
 * cubic through its ends lies. */
static void take(opinion *o, double t) {
    ff_flow *f = o->flow;
    ff_stepper *s = &f->stepper;
    const size_t count = (size_t)NV_LENGTH_S(o->y);
    const double from = now(o);
    f->last.clock = f->now.clock;
    f->last.step = t - from;
    f->last.none = false;
    f->last.method = FF_RODAS;
    memcpy(f->last.phase, f->phase, f->phase_size);
    memcpy(f->last.y, f->y, f->n * sizeof *f->y);
    memcpy(f->y, NV_DATA_S(o->y), count * sizeof *f->y);
    if (o->q) {
        memcpy(f->y + count, NV_DATA_S(o->q), (f->n - count) * sizeof *f->y);
    }
    assert_int_equal(evaluate(o, from, f->last.y), 0);
    memcpy(s->k[0], o->rates, f->n * sizeof *f->y);
    assert_int_equal(evaluate(o, t, f->y), 0);
    memcpy(s->k[6], o->rates, f->n * sizeof *f->y);
    memcpy(s->y1, f->y, f->n * sizeof *f->y);
    s->dense_terms = 0;
    ff_stepper_dense(s, FF_RODAS, from, f->last.y, t - from);
    f->now.clock = ff_clock_at(t, 1);
    f->now.fresh = false;
    o->sim->mechanism.trouble = -1;
    assert_int_equal(f->system->taken(f->self), FF_OK);
    /* a multistep method cannot follow a y that is corrected onto loops after every step: no scene here has any */
    assert_false(f->now.fresh);
}

/* The function to fire next at this instant: one whose root the integrator has found, one that disagrees, or else one
 * that is about to. SIZE_MAX: all modes agree. One by one, because what follows from one may settle others: a contact
 * that ends has no hold on its force to lose. Edges, where rates do not jump, may stay as they are after two switches. */
static size_t next_fired(opinion *o, const int *found) {
    const ff_flow *f = o->flow;
    f->system->roots(f->self, now(o), f->y, false, o->roots);
    for (int turn = 0; turn < 3; turn++) {
        for (size_t i = 0; i < f->roots; i++) {
            const ff_root *r = &o->roots[i];
            bool fires = turn == 0   ? found && found[i] > 0 && r->g >= 0 && o->switches[i] == 0
                         : turn == 1 ? ff_root_disagrees(r)
                                     : r->leaving;
            if (fires && (o->switches[i] < 2 || f->kinds[i] == FF_ROOT_MODE)) {
                return i;
            }
        }
    }
    return SIZE_MAX;
}

/* All that happens at this instant; `found` as of the integrator, or NULL. */
static void change(opinion *o, const int *found) {
    ff_flow *f = o->flow;
    ff_jump ignored = {.power = 1};
    memset(o->switches, 0, f->roots * sizeof *o->switches);
    for (size_t root; (root = next_fired(o, found)) != SIZE_MAX;) {
        assert_holds(++o->switches[root] <= 2, "%s at %.9g: function %zu does not settle",
                     o->calls->name, now(o), root);
        f->system->jump(f->self, &root, 1, 0, &ignored);
    }
    for (size_t i = 0; i < f->now.queued; i++) {
        outcome_event(&o->seen, &f->queue[i]);
    }
    f->now.queued = 0;
}

/* Wherever a step ends no function disagrees; and what they are to tell holds without them: a contact that is open is not deep, one that pushes does not pull. The
 * clamp of a law and the lift of friction are none of these scenes', gates neither. */
static void check_end(opinion *o) {
    const ff_model *model = o->sim->model;
    const ff_flow *f = o->flow;
    f->system->roots(f->self, now(o), f->y, false, o->roots);
    for (size_t i = 0; i < f->roots; i++) {
        assert_holds(!ff_root_disagrees(&o->roots[i]), "%s at %.12g: the root of %zu was missed",
                     o->calls->name, now(o), i);
    }
    for (size_t i = 0; i < model->slot_count; i++) {
        if (model->slots[i].gated || model->slots[i].stateful || model->slots[i].filtered) {
            continue;
        }
        ff_contact_record c = ff_sim_contact(o->sim, i);
        double push = c.elastic + c.viscous, size = model->extents[model->slots[i].body].length;
        /* roots are found to 100 units in the last place of time, here times speeds of some m/s */
        assert_holds(o->sim->phase.modes[i] != FF_AIR || c.depth <= 1e-11 * fmax(size, 1),
                     "%s at %.12g: contact %zu is open and %g m deep", o->calls->name, now(o), i,
                     c.depth);
        assert_holds(!c.touching || push >= -1e-6 * fmax(c.elastic, 1),
                     "%s at %.12g: contact %zu pulls with %g N", o->calls->name, now(o), i, -push);
    }
}

static void drive(opinion *o, double until) {
    ff_flow *f = o->flow;
    double next = f->system->next(f->self, 0);
    begin(o);
    while (now(o) < until) {
        const double stop = fmin(until, next);
        double t;
        int status = o->calls->step(o, stop, &t);
        assert_holds(status >= 0, "%s fails at %.9g: %d", o->calls->name, now(o), status);
        take(o, t);
        const bool root = status == CV_ROOT_RETURN, met = t == next;
        if (root) {
            assert_int_equal(o->calls->found(o->memory, o->found), 0);
        }
        if (met) {
            f->system->meet(f->self);
            next = f->system->next(f->self, t);
        }
        if (root || met) {
            change(o, root ? o->found : NULL);
            begin(o);
        }
        check_end(o);
    }
    outcome_end(&o->seen, o->sim, o->sim->model);
}

/* ---- scenes ---- */

/* a box that tumbles onto its corners, and a function of the user's own */
static const char box_text[] =
    "bodies:\n"
    "  box: {mass: 1, shape: {box: {size: [0.1, 0.06, 0.04], corner_radius: 0.005}},"
    " position: [0, 0, 0.1], omega: [1, 2, 3]}\n"
    "ground: {floor: {plane: {normal: [0, 0, 1]}}}\n"
    "pairs: [{between: [box, floor], normal: {law: azad-featherstone, k: 1e6, lambda: 1e3},"
    " friction: {law: clutch, mu: 0.3, k: 1.5e6, damping: 1e3}}]\n";

/* a double pendulum whose end strikes a floor and is dragged over it */
static const char pendulum_text[] =
    "bodies:\n"
    "  upper: {mass: 1, inertia: 0.03}\n"
    "  lower: {mass: 0.5, inertia: 0.01, shape: {spheres: [{center: [0, 0, -0.2], radius: 2 "
    "cm}]}}\n"
    "ground: {floor: {plane: {point: [0, 0, -0.85], normal: [0, 0, 1]}}}\n"
    "joints:\n"
    "  top: {revolute: {between: [world, upper], second_anchor: [0, 0, 0.25], axis: [0, 1, 0],"
    " angle: 1 rad}}\n"
    "  knee: {revolute: {between: [upper, lower], anchor: [0, 0, -0.25], second_anchor: [0, 0, "
    "0.2],"
    " axis: [0, 1, 0], angle: 0.3 rad}}\n"
    "pairs: [{between: [lower, floor], normal: {law: azad-featherstone, k: 1e6, lambda: 1e3},"
    " friction: {law: clutch, mu: 0.4, k: 1.5e6, damping: 1e3}}]\n";

/* a ball that is pushed, shaken, and held by a spring for a while: forces that begin, end and bend */
static const char forces_text[] =
    "bodies: {ball: {mass: 0.2, shape: {sphere: {radius: 2 cm}}, position: [0, 0, 3 cm]}}\n"
    "ground: {floor: {plane: {normal: [0, 0, 1]}}}\n"
    "pairs: [{between: [ball, floor], normal: {law: hunt-crossley, k: 1e6, lambda: 1e6},"
    " friction: {law: clutch, mu: 0.3, k: 1.5e6, damping: 1e3}}]\n"
    "forces:\n"
    "  push: {constant: {body: ball, force: [2 N, 0, 0]}, from: 0.05 s, to: 0.1 s}\n"
    "  shake: {table: {body: ball, force: [0, 1 N, 2 N], times: [0.02, 0.07, 0.13 s],"
    " factors: [0, 1, 0]}}\n"
    "  string: {spring: {body: ball, to: world, to_anchor: [0, 0, 0.2], stiffness: 50, rest: 0.1},"
    " from: 0.06 s, to: 0.2 s}\n";

/* a user's function */
static double moved(void *user, double time, const ff_motion *bodies) {
    (void)user;
    (void)time;
    return bodies[0].position[0] - 1e-3;
}

static ff_model *model_of(const char *name, const char *text) {
    char path[400];
    ff_scene *scene;
    ff_model *model;
    if (text) {
        scene = parse_text(text);
        assert_holds(scene != NULL, "%s", told);
    } else {
        snprintf(path, sizeof path, FF_SOURCE_DIR "/scenes/%s.yaml", name);
        assert_int_equal(ff_scene_read(path, NULL, 0, &scene, NULL), FF_OK);
    }
    assert_int_equal(ff_scene_add_event(scene, moved, NULL), 0);
    assert_int_equal(ff_model_create(scene, &model, NULL), FF_OK);
    ff_scene_free(scene);
    return model;
}

/* orientations, which are the same with the other sign, and how fast they turn: radii of 1 cm make lengths and speeds that
 * are off by `most` angles and rates that are off by 100 times as much */
static void compare_turning(const char *what, const outcome *seen, const outcome *want,
                            double most) {
    for (size_t i = 0; i < want->body_count; i++) {
        const ff_motion *a = &seen->bodies[i], *b = &want->bodies[i];
        double cosine = 0;
        for (int c = 0; c < 4; c++) {
            cosine += a->orientation[c] * b->orientation[c];
        }
        for (int c = 0; c < 4; c++) {
            double off = a->orientation[c] - (cosine < 0 ? -1 : 1) * b->orientation[c];
            assert_holds(fabs(off) <= 100 * most, "%s: body %zu is turned by %g", what, i, off);
        }
        for (int c = 0; c < 3; c++) {
            double off = a->omega[c] - b->omega[c];
            assert_holds(fabs(off) <= 100 * most, "%s: body %zu turns by %g too fast", what, i,
                         off);
        }
    }
}

/* The tolerance of SUNDIALS; a tenth of it is more than the weights that are within rounding of a coordinate allow. The
 * product runs at a tenth of it, and closes its ledgers to 1e-11: what limits an agreement is the second opinion, whose
 * differences from the product grow tenfold with its tolerance. */
#define TOL 1e-10

static const struct {
    const char *name, *text;
    double until;
    /* s, m, m/s, parts of the energy scale: two to four times the largest difference measured. The last of 112 events of
     * the drop are bounces at 1e-4 m/s, whose times an error of 1e-9 of the energy moves; in the contacts of xiong1 stability limits Adams' steps, and its error scatters. All others are off by at
     * most 1e-9, in the account of the normal damper. */
    double most;
    bool stiff; /* Adams would take minutes */
} scenes[] = {
    {"rolling", NULL, 1, 2e-9, false},          {"drop", NULL, 2.9, 1e-8, false},
    {"collision", NULL, 0.05, 2e-9, false},     {"bounce", NULL, 1, 2e-9, false},
    {"foot", NULL, 0.7, 1e-10, false},          {"slope", NULL, 0.5, 2e-9, false},
    {"xiong1", NULL, 1, 1e-7, false},           {"biped", NULL, 0.5, 2e-9, true},
    {"box", box_text, 0.2, 2e-9, false},        {"pendulum", pendulum_text, 1, 1e-9, false},
    {"forces", forces_text, 0.3, 1e-10, false},
};

static void compare_with(const family *calls, bool stiff) {
    for (size_t i = 0; i < ROWS(scenes); i++) {
        if (scenes[i].stiff && !stiff) {
            continue;
        }
        ff_model *model = model_of(scenes[i].name, scenes[i].text);
        outcome want = outcome_of(model, FF_DOPRI5, TOL / 10, scenes[i].until);
        char what[60];
        opinion o;
        open_opinion(&o, calls, model, TOL);
        drive(&o, scenes[i].until);
        snprintf(what, sizeof what, "%s by %s", scenes[i].name, calls->name);
        outcome_compare(what, &o.seen, &want, scenes[i].most);
        compare_turning(what, &o.seen, &want, scenes[i].most);
        close_opinion(&o);
        ff_model_free(model);
    }
}

static void test_bdf(void **state) {
    (void)state;
    compare_with(&bdf, true);
}

static void test_adams(void **state) {
    (void)state;
    compare_with(&adams, false);
}

static void test_dirk(void **state) {
    (void)state;
    compare_with(&dirk, true);
}

#if FF_HAVE_YAML
static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_bdf),
    cmocka_unit_test(test_adams),
    cmocka_unit_test(test_dirk),
};

CHECK_MAIN(tests)
#else
int main(void) { return 0; }
#endif
