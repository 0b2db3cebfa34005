/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#define _POSIX_C_SOURCE 200809L
#include "io/scene_file.h"
#include "law/params.h"
#include "model/numbers.h"
#include "motion.h"
#include "numbers.h"
#include "sim/sim.h"
#include <dirent.h>
#include <footfall/field.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

/* Numbers that change during a run, and models that threads share. */

/* ---- memory exhaustion ---- */

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__)
/* wrappers of the C library's functions that fail after a given number of allocations */
static _Atomic long given = 0, give_most = -1, live = 0;

static bool gives(void) { return give_most < 0 || given++ < give_most; }

static void *count(void *at, const void *before) {
    live += at && !before;
    return at;
}

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *at, size_t size);
void __libc_free(void *at);
void *malloc(size_t size) { return gives() ? count(__libc_malloc(size), NULL) : NULL; }
void *calloc(size_t many, size_t size) {
    return gives() ? count(__libc_calloc(many, size), NULL) : NULL;
}
void *realloc(void *at, size_t size) {
    return gives() ? count(__libc_realloc(at, size), at) : NULL;
}
void free(void *at) {
    live -= at != NULL;
    __libc_free(at);
}
#define CAN_END 1
#endif

/* ---- inputs ---- */

/* Changes an input during a run: this is an event, the step size is kept, and the ledger closes. */
static double change_at(const char *text, double time, const char *path, double value) {
    ff_model *model = model_of(text);
    ff_sim *sim = sim_of(model);
    go(sim, time);
    const double step = sim->flow.now.step, external = ff_sim_ledger(sim).external;
    const ff_method method = sim->flow.now.method;
    const long events = ff_sim_statistics(sim).events;
    set(sim, path, value);
    assert_true(value_of(sim, path) == value || strchr(path, '['));
    assert_true(sim->flow.now.step == step && sim->flow.now.method == method);
    double change = ff_sim_ledger(sim).external - external;
    assert_near(ff_sim_ledger(sim).residual, 0, 1e-9 * ff_sim_ledger(sim).scale);
    assert_int_equal(ff_sim_advance(sim, 1), FF_EVENT);
    assert_int_equal(ff_sim_event(sim)->kind, FF_SWITCH);
    assert_true(ff_sim_event(sim)->time == time);
    assert_true(ff_sim_statistics(sim).events > events);
    go(sim, 1);
    ff_ledger l = ff_sim_ledger(sim);
    /* the accuracy of tol = 1e-9 over a second, with contacts */
    assert_near(l.residual, 0, 1e-7 * l.scale);
    assert_int_equal(ff_sim_verdict(sim), FF_OK);
    finish(sim, model);
    return change;
}

static void test_inputs_in_a_run(void **state) {
    (void)state;
    /* a component of gravity set to 0 removes its potential energy: m g cos(a) z along the normal, -m g sin(a) x
     * along the slope, for a ball falling from 10 cm */
    const double t = 0.05, m = 0.154, g = 9.81, a = 0.1;
    double x = g * sin(a) * t * t / 2, z = 0.1 - g * cos(a) * t * t / 2;
    assert_close(change_at(BALL, t, "gravity[2]", 0), m * g * cos(a) * z, 1e-12);
    assert_close(change_at(BALL, t, "gravity[0]", 0), -m * g * sin(a) * x, 1e-12);
    /* work of belts and actuators is not stored energy */
    assert_true(change_at(BALL, 0.3, "ground.belt.plane.surface_velocity[0]", 0) == 0);
    assert_true(change_at(ARM, 0.2, "forces.motor.constant.torque", -1) == 0);
    assert_true(change_at(ARM, 0.2, "forces.servo.pd.kp", 3) == 0);
    assert_true(change_at(ARM, 0.2, "forces.servo.pd.target[0]", 0.4) == 0);
    assert_true(change_at(ARM, 0.2, "forces.push.table.force[1]", 3) == 0);
    assert_true(change_at(ARM, 0.2, "joints.hinge.revolute.damping", 2) == 0);
    assert_true(change_at(ARM, 0.2, "forces.rope.spring.damping", 3) == 0);
    /* springs of joints and forces */
    assert_true(change_at(ARM, 0.2, "joints.hinge.revolute.stiffness", 4) < 0);
    assert_true(change_at(ARM, 0.2, "joints.hinge.revolute.stiffness", 0) > 0);
    assert_true(change_at(ARM, 0.2, "joints.rail.prismatic.stiffness", 100) < 0);
    assert_true(fabs(change_at(ARM, 0.2, "joints.hinge.revolute.rest", 0.5)) > 0);
    assert_true(change_at(ARM, 0.2, "joints.hinge.revolute.load", 4) != 0);
    assert_true(change_at(ARM, 0.2, "forces.rope.spring.stiffness", 100) < 0);
    assert_true(fabs(change_at(ARM, 0.2, "forces.rope.spring.rest", 0.2)) > 0);
}

/* a ball rolling on a belt slips when the belt stops */
static void test_a_belt_that_stops(void **state) {
    (void)state;
    ff_model *model = model_of(
        "bodies: {ball: {mass: 1, shape: {sphere: {radius: 0.1}}, position: [0, 0, 0.0999],\n"
        "         velocity: [1, 0, 0]}}\n"
        "ground: {belt: {plane: {point: [0, 0, 0], normal: [0, 0, 1],\n"
        "         surface_velocity: [1, 0, 0]}}}\n"
        "pairs: [{between: [ball, belt], normal: {law: hunt-crossley, k: 1e7, lambda: 1e8},\n"
        "         friction: {law: clutch, k: 1e6, damping: 1e4, mu: 0.3}}]\n"
        "run: {tol: 1e-8}\n");
    ff_sim *sim = sim_of(model);
    go(sim, 0.2);
    assert_false(ff_sim_contact(sim, 0).slips);
    set(sim, "ground.belt.plane.surface_velocity[0]", -2);
    assert_int_equal(ff_sim_advance(sim, 1), FF_EVENT);
    assert_int_equal(ff_sim_event(sim)->kind, FF_SWITCH);
    go(sim, 0.21);
    assert_true(ff_sim_contact(sim, 0).slips);
    set(sim, "ground.belt.plane.surface_velocity[0]", 0);
    go(sim, 1);
    ff_ledger l = ff_sim_ledger(sim);
    assert_near(l.residual, 0, 1e-6 * l.scale);
    finish(sim, model);
}

/* several inputs at one instant are one event, and pending events are reported before it */
static void test_a_controller(void **state) {
    (void)state;
    ff_model *model = model_of(ARM);
    ff_sim *sim = sim_of(model);
    long switches = 0;
    for (int i = 1; i <= 100; i++) {
        ff_status status;
        while ((status = ff_sim_advance(sim, 0.005 * i)) == FF_EVENT) {
            switches += ff_sim_event(sim)->kind == FF_SWITCH;
        }
        assert_int_equal(status, FF_OK);
        set(sim, "forces.motor.constant.torque", -2 * ff_sim_joint(sim, 0).position[0]);
        set(sim, "joints.hinge.revolute.rest", 0.001 * i);
        set(sim, "gravity[2]", -9.81 - 0.01 * i);
    }
    go(sim, 0.6);
    assert_int_equal(switches, 99);
    ff_ledger l = ff_sim_ledger(sim);
    assert_near(l.residual, 0, 1e-7 * l.scale);
    finish(sim, model);
}

/* inputs are part of the state: a sim that restores them continues with the same bits */
static void test_inputs_are_saved(void **state) {
    (void)state;
    ff_model *model = model_of(ARM);
    ff_sim *sim = sim_of(model), *other = sim_of(model);
    go(sim, 0.1);
    set(sim, "forces.motor.constant.torque", -3);
    set(sim, "gravity[0]", 2);
    size_t size = ff_sim_state_size(sim);
    char *saved = malloc(size);
    double *inputs = calloc(ff_set_inputs_size(sim), sizeof *inputs);
    ff_sim_save(sim, saved);
    ff_set_inputs_save(sim, inputs);
    go(sim, 0.3);
    for (int i = 0; i < 2; i++) {
        ff_sim *to = i ? sim : other;
        assert_int_equal(ff_sim_restore(to, saved, size), FF_OK);
        assert_int_equal(ff_set_inputs_restore(to, inputs), FF_OK);
        assert_true(value_of(to, "gravity") == 2);
        const ff_model *same = to->model;
        assert_int_equal(ff_set_inputs_restore(to, inputs), FF_OK);
        assert_ptr_equal(to->model, same);
    }
    go(sim, 0.3);
    go(other, 0.3);
    assert_memory_equal(sim->flow.y, other->flow.y, model->size * sizeof *sim->flow.y);
    /* they persist if a parameter is set afterwards */
    assert_int_equal(
        ff_sim_begin(other, (ff_motion[4]){ff_sim_body(other, 0), ff_sim_body(other, 1),
                                           ff_sim_body(other, 2), ff_sim_body(other, 3)}),
        FF_OK);
    set(other, "bodies.box.mass", 3);
    assert_true(value_of(other, "gravity") == 2);
    free(saved);
    free(inputs);
    ff_sim_free(other);
    finish(sim, model);
}

/* ---- sharing ---- */

static const char *shared_paths[] = {"pairs[0].friction.mu", "parameters.slope",
                                     "bodies.ball.mass"};

/* a run with its own value, and its end */
static ff_motion run_with(const ff_model *model, int i) {
    ff_sim *sim = NULL;
    ff_motion out = {0};
    if (ff_sim_create(model, NULL, &sim, NULL) == FF_OK &&
        ff_sim_set_path(sim, shared_paths[i % 3], 0.05 + 0.01 * i, NULL) == FF_OK) {
        while (ff_sim_advance(sim, 0.3) == FF_EVENT) {
        }
        out = ff_sim_body(sim, 0);
    }
    ff_sim_free(sim);
    return out;
}

enum { THREADS = 4, RUNS = 24 };

typedef struct share {
    const ff_model *model;
    int first;
    ff_motion *out;
} share;

static void *run_share(void *user) {
    share *s = user;
    for (int i = s->first; i < RUNS; i += THREADS) {
        s->out[i] = run_with(s->model, i);
    }
    return NULL;
}

static void test_threads_share_a_model(void **state) {
    (void)state;
    ff_model *model = model_of(BALL);
    ff_motion together[RUNS];
    pthread_t threads[THREADS];
    share shares[THREADS];
    for (int i = 0; i < THREADS; i++) {
        shares[i] = (share){model, i, together};
        assert_int_equal(pthread_create(&threads[i], NULL, run_share, &shares[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
    }
    for (int i = 0; i < RUNS; i++) {
        ff_motion alone = run_with(model, i);
        assert_true(alone.position[2] != 0);
        assert_memory_equal(&alone, &together[i], sizeof alone);
    }
    ff_model_free(model);
}

#ifdef CAN_END
/* If memory is exhausted anywhere, a sim is unchanged, and nothing leaks. */
static void test_memory_that_ends(void **state) {
    (void)state;
    static const char *const texts[] = {BALL, ARM};
    static const char *const paths[] = {"pairs[0].friction.mu", "parameters.slope",
                                        "bodies.ball.mass", "gravity[1]"};
    for (size_t t = 0; t < ROWS(texts); t++) {
        ff_status status = FF_NO_MEMORY;
        for (long most = 0; status == FF_NO_MEMORY; most++) {
            const long before = live;
            ff_scene *scene = scene_of(texts[t]), *with = NULL;
            ff_model *model = NULL;
            given = 0;
            give_most = most;
            status = ff_model_create(scene, &model, NULL);
            give_most = -1;
            assert_true(status == FF_OK || (status == FF_NO_MEMORY && !model));
            ff_model_free(model);
            given = 0;
            give_most = most;
            ff_status other = ff_scene_with(scene, NULL, 0, &with, NULL);
            give_most = -1;
            assert_true((other == FF_OK) == (with != NULL));
            ff_scene_free(with);
            ff_scene_free(scene);
            assert_int_equal(live, before);
        }
    }
    ff_model *model = model_of(BALL);
    for (size_t i = 0; i < ROWS(paths); i++) {
        ff_status status = FF_NO_MEMORY;
        for (long most = 0; status == FF_NO_MEMORY; most++) {
            const long before = live;
            ff_sim *sim = sim_of(model);
            ff_error error = {""};
            given = 0;
            give_most = most;
            status = ff_sim_set_path(sim, paths[i], 0.3, &error);
            give_most = -1;
            assert_holds(status == FF_OK || status == FF_NO_MEMORY, "%s: %s", paths[i], error.text);
            assert_true((status == FF_OK) == (sim->model != model));
            ff_sim_free(sim);
            assert_int_equal(live, before);
        }
    }
    ff_sim *sim = sim_of(model), *other = sim_of(model);
    set(other, "gravity[1]", 1);
    double inputs[100];
    assert_true(ff_set_inputs_size(sim) <= 100);
    ff_set_inputs_save(other, inputs);
    ff_status status = FF_NO_MEMORY;
    for (long most = 0; status == FF_NO_MEMORY; most++) {
        given = 0;
        give_most = most;
        status = ff_set_inputs_restore(sim, inputs);
        give_most = -1;
        assert_true((status == FF_OK) == (sim->model != model));
    }
    ff_sim_free(other);
    finish(sim, model);
}

/* a controller that sets inputs repeatedly allocates no memory */
static void test_inputs_allocate_nothing(void **state) {
    (void)state;
    ff_model *model = model_of(ARM);
    ff_sim *sim = sim_of(model);
    size_t field = field_of(model, "forces.motor.constant.torque");
    go(sim, 0.01);
    for (int i = 0; i < 3; i++) {
        /* the first allocates the sim's own numbers, the second the memory for the next */
        give_most = i < 2 ? -1 : 0;
        given = 0;
        assert_int_equal(ff_sim_set(sim, field, &(double){i}, NULL), FF_OK);
        give_most = -1;
    }
    finish(sim, model);
}
#endif

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_inputs_in_a_run),       cmocka_unit_test(test_a_belt_that_stops),
    cmocka_unit_test(test_a_controller),          cmocka_unit_test(test_inputs_are_saved),
    cmocka_unit_test(test_threads_share_a_model),
#ifdef CAN_END
    cmocka_unit_test(test_memory_that_ends),      cmocka_unit_test(test_inputs_allocate_nothing),
#endif
};

CHECK_MAIN(tests)
