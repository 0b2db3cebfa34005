/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "check.h"
#include "scene_text.h"
#include <footfall/elementary.h>
#include <footfall/source.h>
#include <footfall/trace.h>
#include <footfall/trust.h>
#include <stdlib.h>

/* Digits that are determined: against closed forms, against independent runs of a chaotic scene, and where numbers jump,
 * wrap around or stand still. */

static ff_model *model_of(const char *name) {
    char path[300];
    ff_messages messages = {0};
    ff_status status;
    size_t length;
    snprintf(path, sizeof path, "%s/scenes/%s", FF_SOURCE_DIR, name);
    char *text = ff_source_read(path, FF_SOURCE_MOST, &length, &messages, &status);
    assert_holds(text != NULL, "%s", path);
    ff_model *model = model_of_text(text);
    ff_free(text);
    return model;
}

static ff_trust *trusted(const ff_model *model, const ff_run_options *run,
                         const ff_trust_options *options) {
    ff_error error = {""};
    ff_trust *t = NULL;
    const ff_status status = ff_trust_run(model, run, options, &t, &error);
    assert_holds(status == FF_OK, "%d: %s", status, error.text);
    return t;
}

static const ff_trust_field *field(const ff_trust *t, const char *path) {
    for (size_t i = 0; i < t->count; i++) {
        if (strcmp(t->fields[i].path, path) == 0) {
            return &t->fields[i];
        }
    }
    fail_msg("no field %s", path);
    return NULL;
}

#define OSCILLATOR                                                                                 \
    "gravity: [0, 0, 0]\n"                                                                         \
    "bodies:\n"                                                                                    \
    "  m: {mass: 1 kg, shape: {point: {}}, lock: rotation, position: [1000, 0, 0], velocity: [3, " \
    "0, 0]}\n"                                                                                     \
    "forces:\n"                                                                                    \
    "  s: {spring: {body: m, to: world, to_anchor: [1000, 1, 0], stiffness: 100, rest: 1}}\n"

static const char *const rail = "gravity: [0, 0, 0]\n"
                                "bodies: {m: {mass: 1 kg, inertia: 1}}\n"
                                "joints: {r: {prismatic: {between: [world, m], axis: [1, 0, 0], "
                                "distance: 1, stiffness: 100}}}\n"
                                "run: {until: 20 s, tol: 1e-7, method: dopri5}\n";

/* x = cos(10 t) on a rail: the difference is the true error of the run, but for the errors of its repetitions, which are smaller
 * by 10^(4/5) at least: errors per step are kept below tol, those of a run grow as tol to the order over order + 1 = 5/6. */
static void test_difference_is_the_error(void **state) {
    (void)state;
    ff_model *model = model_of_text(rail);
    ff_trust *t = trusted(model, NULL, NULL);
    ff_sim *sim;
    double most = 0, x;
    size_t at;
    assert_int_equal(ff_model_field_find(model, "joints.r.position", &at, NULL, NULL), FF_OK);
    assert_int_equal(ff_sim_create(model, NULL, &sim, NULL), FF_OK);
    while (ff_sim_time(sim) < 20) {
        assert_true(ff_sim_step(sim, 20) >= 0);
        assert_int_equal(ff_sim_get(sim, at, &x), FF_OK);
        most = fmax(most, fabs(x - cos(10 * ff_sim_time(sim))));
    }
    const ff_trust_field *f = field(t, "joints.r.position");
    assert_true(most > 1e-9);
    /* a fifth from the repetition, a few per cent from times between steps */
    assert_near(f->difference / most, 1, 0.3);
    /* it moves from 1 m to -1 m: distances are up to 2 m */
    assert_near(f->scale, 2, 1e-3);
    assert_near(f->digits, log10(f->scale / f->difference), 1e-12);
    assert_true(isnan(f->few_from) && isnan(f->none_from));
    assert_string_equal(f->unit, "m");
    /* an account that stays 0 is compared with a thousandth of the energy, 50 J */
    assert_near(field(t, "ledger.dampers")->scale, 0.05, 1e-3);
    assert_near(field(t, "ledger.springs")->scale, 50, 0.1);
    for (size_t i = 0; i < t->count; i++) {
        assert_true(t->fields[i].digits >= t->fields[t->least].digits);
    }
    assert_true(t->runs[1].options.tol == 1e-7 / 10 && t->runs[2].options.tol == 1e-7 / 100);
    assert_int_equal(t->runs[1].options.method, FF_DOPRI5);
    assert_int_equal(t->runs[2].options.method, FF_DOP853);
    /* the first run is the one that was asked for */
    assert_int_equal(t->runs[0].statistics.evaluations, ff_sim_statistics(sim).evaluations);
    /* a random part, a quarter to three quarters, of steps of about the same size */
    const double mean = 20 / (double)t->runs[0].statistics.steps,
                 part = t->runs[2].options.max_step / mean;
    assert_holds(part > 0.2 && part < 0.9, "%g", part);
    ff_sim_free(sim);
    ff_free(t);
    ff_model_free(model);
}

/* The place of the origin changes no digits of a position: they are those of what the body moves. */
static void test_place_of_the_origin(void **state) {
    (void)state;
    const char *const texts[] = {
        OSCILLATOR "run: {until: 5 s}\n",
        "gravity: [0, 0, 0]\n"
        "bodies:\n"
        "  m: {mass: 1 kg, shape: {point: {}}, lock: rotation, velocity: [3, 0, 0]}\n"
        "forces:\n"
        "  s: {spring: {body: m, to: world, to_anchor: [0, 1, 0], stiffness: 100, rest: 1}}\n"
        "run: {until: 5 s}\n"};
    double digits[2];
    for (int i = 0; i < 2; i++) {
        ff_model *model = model_of_text(texts[i]);
        ff_trust *t = trusted(model, NULL, NULL);
        digits[i] = field(t, "bodies.m.position")->digits;
        ff_free(t);
        ff_model_free(model);
    }
    /* 1000 m: differences of 1e-13 m are rounding there, a hundredth of the error */
    assert_near(digits[0], digits[1], 0.3);
    assert_true(digits[0] > 8 && digits[0] < 12);
}

/* elbow at multiples of 10 ms */
static void record(const ff_model *model, double tol, ff_method method, double *out, size_t count) {
    ff_run_options o = *ff_model_run(model);
    ff_sim *sim;
    size_t at, i = 0;
    o.tol = tol;
    o.method = method;
    o.until = 0.01 * (double)(count - 1);
    assert_int_equal(ff_model_field_find(model, "joints.elbow.position", &at, NULL, NULL), FF_OK);
    assert_int_equal(ff_sim_create(model, &o, &sim, NULL), FF_OK);
    while (i < count) {
        for (; i < count && 0.01 * (double)i <= ff_sim_time(sim); i++) {
            ff_sim_observe(sim, 0.01 * (double)i);
            assert_int_equal(ff_sim_get(sim, at, &out[i]), FF_OK);
        }
        ff_sim_observe(sim, NAN);
        assert_true(i == count || ff_sim_step(sim, o.until) >= 0);
    }
    ff_sim_free(sim);
}

static int by_size(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static double median_step(const ff_model *model, const ff_run_options *o) {
    enum { MOST = 10000 };
    double *steps = malloc(MOST * sizeof *steps), before = 0;
    size_t count = 0;
    ff_sim *sim;
    assert_int_equal(ff_sim_create(model, o, &sim, NULL), FF_OK);
    while (ff_sim_time(sim) < o->until && count < MOST) {
        assert_true(ff_sim_step(sim, o->until) >= 0);
        steps[count++] = ff_sim_time(sim) - before;
        before = ff_sim_time(sim);
    }
    qsort(steps, count, sizeof *steps, by_size);
    const double median = steps[count / 2];
    free(steps);
    ff_sim_free(sim);
    return median;
}

/* A double pendulum is chaotic: from where runs at other tolerances and by other methods part, none of its digits is
 * determined. */
static void test_chaos(void **state) {
    (void)state;
    enum { COUNT = 3001 };
    ff_model *model = model_of("double_pendulum.yaml");
    ff_run_options o = *ff_model_run(model);
    o.until = 30;
    ff_trust *t = trusted(model, &o, NULL);
    const ff_trust_field *f = field(t, "joints.elbow.position");
    double *a = malloc(3 * COUNT * sizeof *a);
    /* neither of the others is one of the repetitions */
    record(model, o.tol, FF_AUTO, a, COUNT);
    record(model, 3e-11, FF_AUTO, a + COUNT, COUNT);
    record(model, 1e-12, FF_DOP853, a + 2 * COUNT, COUNT);
    for (int other = 1; other < 3; other++) {
        double few = NAN, none = NAN, scale = 1, most = 0;
        for (size_t i = 0; i < COUNT; i++) {
            scale = fmax(scale, fabs(a[i] - a[0]));
            most = fmax(most, fabs(a[i] - a[(size_t)other * COUNT + i]));
            few = isnan(few) && most > 1e-3 * scale ? 0.01 * (double)i : few;
            none = isnan(none) && most > 0.1 * scale ? 0.01 * (double)i : none;
        }
        /* Lyapunov's exponent is about 1/s: a difference that is twice as large is there 0.7 s earlier */
        assert_near(f->few_from, few, 1.5);
        assert_near(f->none_from, none, 1.5);
    }
    assert_true(f->digits < 1 && f->none_from > f->few_from && f->few_from > 10);
    /* the ledger closes all the same */
    assert_true(field(t, "ledger.kinetic")->digits < 1);
    /* the largest step is a random part, a quarter to three quarters, of the median step, which is known to 5 % */
    const double median = median_step(model, &o), part = t->runs[2].options.max_step / median;
    assert_holds(part > 0.24 && part < 0.79, "%g", part);
    ff_free(t);
    o.until = 3;
    t = trusted(model, &o, NULL);
    assert_true(t->fields[t->least].digits > 9);
    ff_free(t);
    free(a);
    ff_model_free(model);
}

/* Every number of the rolling ball has at least 8 digits at tol 1e-9. */
static void test_ball(void **state) {
    (void)state;
    ff_model *model = model_of("rolling.yaml");
    ff_trust *t = trusted(model, NULL, NULL);
    for (size_t i = 0; i < t->count; i++) {
        const ff_trust_field *f = &t->fields[i];
        assert_holds(f->digits >= 8, "%s: %g", f->path, f->digits);
    }
    ff_free(t);
    ff_model_free(model);
}

/* States of controllers jump at events, whose times differ between runs by their errors: that is not a difference. */
static void test_jumps(void **state) {
    (void)state;
    ff_model *model = model_of("hopper.yaml");
    ff_run_options o = *ff_model_run(model);
    o.until = 3;
    ff_trust *t = trusted(model, &o, NULL);
    assert_true(field(t, "controllers.hop.hops")->digits > 15);
    assert_true(field(t, "controllers.hop.high")->digits > 6);
    assert_true(t->fields[t->least].digits > 6);
    ff_free(t);
    ff_model_free(model);
}

static void put(const ff_model *model, ff_sim *sim, const char *path, const double *values) {
    size_t at;
    ff_error error = {""};
    assert_int_equal(ff_model_field_find(model, path, &at, NULL, NULL), FF_OK);
    assert_holds(ff_sim_set(sim, at, values, &error) == FF_OK, "%s", error.text);
}

/* 1 nrad on one side of half a turn in the run, on the other one in its repetitions */
static ff_status turn(void *user, ff_sim *sim, size_t run) {
    const double angle = FF_PI + (run == 0 ? -1e-9 : 1e-9);
    const double vector[3] = {angle / 3, 2 * angle / 3, 2 * angle / 3};
    put(user, sim, "joints.half.revolute.angle", &angle);
    put(user, sim, "joints.ball.spherical.rotation", vector);
    return FF_OK;
}

static ff_status negate(void *user, ff_sim *sim, size_t run) {
    const double signs[2] = {1, -1}, sign = signs[run != 0];
    put(user, sim, "bodies.ball.orientation", (const double[4]){0.6 * sign, 0, 0.8 * sign, 0});
    return FF_OK;
}

/* Another start of one repetition: both count. */
static ff_status differ(void *user, ff_sim *sim, size_t run) {
    const size_t *which = user;
    return ff_sim_set_path(sim, "bodies.ball.velocity[1]", run == *which ? 0.55 : 0.5, NULL);
}

static void test_both_repetitions_count(void **state) {
    (void)state;
    ff_model *model = model_of("rolling.yaml");
    ff_run_options o = *ff_model_run(model);
    ff_trust_options options = ff_trust_options_default();
    o.until = 0.1;
    options.begin = differ;
    for (size_t which = 1; which < FF_TRUST_RUNS; which++) {
        options.user = &which;
        ff_trust *t = trusted(model, &o, &options);
        const ff_trust_field *f = field(t, "bodies.ball.velocity");
        assert_near(f->difference, 0.05, 1e-12);
        /* velocities of free fall grow from 0.5 m/s, or from the scale of errors, 2 m/s, to 1 m/s */
        assert_true(f->digits < 2 && f->digits > 1);
        assert_true(f->few_from < 1e-3 && isnan(f->none_from));
        assert_true(field(t, "bodies.ball.omega")->digits > 15);
        ff_free(t);
    }
    ff_model_free(model);
}

typedef struct switcher {
    size_t run;
    bool done;
} switcher;

/* sets an input shortly before the middle one of 21 times in the run, shortly after it in its repetitions */
static ff_status switch_input(void *user, ff_sim *sim, ff_status status) {
    switcher *s = user;
    const double sample = (10 + 0.6180339887498949) / 21 * 0.1, when = s->run == 0 ? 0.95 : 1.05;
    (void)status;
    if (s->done || ff_sim_time(sim) < when * sample) {
        return FF_OK;
    }
    s->done = true;
    return ff_sim_set_path(sim, "gravity[1]", 5, NULL);
}

static ff_status note_run(void *user, ff_sim *sim, size_t run) {
    (void)sim;
    *(switcher *)user = (switcher){.run = run};
    return FF_OK;
}

/* A number that jumps at times that differ between runs is different between these times: not a difference, if it is over at
 * the next time. */
static void test_a_jump(void **state) {
    (void)state;
    ff_model *model = model_of("rolling.yaml");
    ff_run_options o = *ff_model_run(model);
    ff_trust_options options = ff_trust_options_default();
    size_t gravity;
    switcher s;
    assert_int_equal(ff_model_field_find(model, "gravity", &gravity, NULL, NULL), FF_OK);
    o.until = 0.1;
    o.max_step = 1e-4;
    options.samples = 21;
    options.begin = note_run, options.act = switch_input, options.user = &s;
    options.fields = &gravity, options.field_count = 1;
    ff_trust *t = trusted(model, &o, &options);
    assert_true(field(t, "gravity")->scale == 9.81);
    assert_true(field(t, "gravity")->digits > 15);
    ff_free(t);
    ff_model_free(model);
}

/* Angles in maximal coordinates jump by a turn, rotation vectors by two of their lengths, at half a turn; a quaternion and its
 * negative are one orientation. */
static void test_half_turns(void **state) {
    (void)state;
    ff_model *model = model_of_text(
        "gravity: [0, 0, 0]\n"
        "bodies:\n"
        "  a: {mass: 1 kg, inertia: [0.1, 0.2, 0.2]}\n"
        "  b: {mass: 1 kg, inertia: [0.1, 0.2, 0.2]}\n"
        "joints:\n"
        "  half: {revolute: {between: [world, a], axis: [1, 0, 0], angle: 180 deg}}\n"
        "  ball: {spherical: {between: [world, b], rotation: [60 deg, 120 deg, 120 deg]}}\n"
        "run: {until: 4 s, formulation: maximal}\n");
    ff_trust_options options = ff_trust_options_default();
    options.begin = turn, options.user = model;
    ff_trust *t = trusted(model, NULL, &options);
    /* rotations that differ by 2 nrad; a quaternion has half of it */
    assert_near(field(t, "joints.half.position")->difference, 2e-9, 1e-15);
    assert_near(field(t, "joints.ball.position")->difference, 2e-9, 1e-15);
    assert_near(field(t, "bodies.a.orientation")->difference, 1e-9, 1e-15);
    ff_free(t);
    ff_model_free(model);

    model = model_of("rolling.yaml");
    ff_run_options o = *ff_model_run(model);
    o.until = 0.1;
    options.begin = negate, options.user = model;
    t = trusted(model, &o, &options);
    assert_true(field(t, "bodies.ball.orientation")->digits > 15);
    ff_free(t);
    ff_model_free(model);
}

/* Fixed steps: semi-implicit is of order 1, verlet of order 2; the difference from steps h/m is (1 - 1/m^p) times the error,
 * and a tenth of the step has a digit more, or two. */
static void test_fixed_steps(void **state) {
    (void)state;
    const ff_method methods[] = {FF_SEMI_IMPLICIT, FF_VERLET};
    ff_model *model = model_of_text(rail);
    for (int i = 0; i < 2; i++) {
        double digits[2];
        for (int k = 0; k < 2; k++) {
            ff_run_options o = *ff_model_run(model);
            o.method = methods[i];
            o.until = 3;
            o.dt = k == 0 ? 1e-3 : 1e-4;
            ff_trust *t = trusted(model, &o, NULL);
            digits[k] = field(t, "joints.r.position")->digits;
            const double m = o.dt / t->runs[2].options.dt;
            assert_true(t->runs[1].options.dt == o.dt / 2);
            assert_true(t->runs[2].options.method == methods[i]);
            assert_near(m, round(m), 1e-12);
            assert_true(m > 2.9 && m < 5.1);
            ff_free(t);
        }
        /* terms of higher order are 1e-3 */
        assert_near(digits[1] - digits[0], i + 1, 0.05);
    }
    ff_model_free(model);
}

/* A crowd is compared at ends of its steps. Thirty balls in free fall, then chaos of their collisions. */
static void test_crowd(void **state) {
    (void)state;
    ff_model *model = model_of("grains.yaml");
    ff_run_options o = *ff_model_run(model);
    assert_true(ff_model_class_count(model) > 0);
    o.until = 0.0201; /* not a multiple of the step */
    ff_trust_options options = ff_trust_options_default();
    for (options.seed = 1; options.seed <= 6; options.seed++) {
        /* thirds, quarters and fifths of the step */
        ff_trust *t = trusted(model, &o, &options);
        assert_holds(field(t, "bodies.balls[0].position")->digits > 5, "%g",
                     t->fields[t->least].digits);
        assert_true(t->runs[1].time == o.until && t->runs[2].time == o.until);
        ff_free(t);
    }
    o.until = 0.2;
    ff_trust *t = trusted(model, &o, NULL);
    assert_true(t->fields[t->least].digits < 3);
    assert_true(t->fields[t->least].few_from > 0.02);
    ff_free(t);
    ff_model_free(model);
}

typedef struct caller {
    long begun, acted, events, stop_after;
    size_t fails;
} caller;

static ff_status begin(void *user, ff_sim *sim, size_t run) {
    caller *c = user;
    assert_true(run < FF_TRUST_RUNS && ff_sim_time(sim) == 0);
    c->begun++;
    return run == c->fails ? FF_BAD_VALUE
                           : ff_sim_set_path(sim, "bodies.ball.velocity[0]", 1, NULL);
}

static ff_status act(void *user, ff_sim *sim, ff_status status) {
    caller *c = user;
    assert_true(status == FF_OK || status == FF_EVENT);
    assert_true(ff_sim_time(sim) > 0);
    c->acted++;
    c->events += status == FF_EVENT;
    return FF_OK;
}

static bool stop(void *user, size_t run, double time) {
    caller *c = user;
    (void)run;
    (void)time;
    return c->stop_after > 0 && --c->stop_after == 0;
}

static void test_functions_of_the_caller(void **state) {
    (void)state;
    ff_model *model = model_of("rolling.yaml");
    ff_run_options o = *ff_model_run(model);
    ff_error error = {""};
    ff_trust *t;
    caller c = {.fails = 9};
    ff_trust_options options = ff_trust_options_default();
    size_t force;
    o.until = 0.3;
    assert_int_equal(ff_model_field_find(model, "contacts.ball/floor.force", &force, NULL, NULL),
                     FF_OK);
    options.begin = begin, options.act = act, options.stop = stop, options.user = &c;
    options.fields = &force, options.field_count = 1;
    t = trusted(model, &o, &options);
    assert_int_equal(c.begun, 3);
    assert_int_equal(c.acted, t->runs[0].statistics.steps + t->runs[1].statistics.steps +
                                  t->runs[2].statistics.steps);
    assert_true(c.events > 0);
    /* it moved by 1 m/s until friction held it */
    assert_true(field(t, "bodies.ball.position")->scale > 0.15);
    assert_true(field(t, "contacts.ball/floor.force")->digits > 6);
    ff_free(t);

    /* a run that fails ends it, a repetition that fails does not */
    c = (caller){.fails = 0};
    assert_int_equal(ff_trust_run(model, &o, &options, &t, &error), FF_BAD_VALUE);
    assert_true(*error.text);
    for (size_t run = 1; run < FF_TRUST_RUNS; run++) {
        c = (caller){.fails = run};
        t = trusted(model, &o, &options);
        assert_int_equal(t->runs[run].status, FF_BAD_VALUE);
        assert_true(*t->runs[run].error && !*t->runs[3 - run].error);
        assert_int_equal(t->runs[3 - run].status, FF_OK);
        assert_true(field(t, "bodies.ball.position")->digits > 8);
        assert_true(field(t, "bodies.ball.position")->difference > 0);
        ff_free(t);
    }
    for (long after = 1; after < 400; after += 130) {
        c = (caller){.fails = 9, .stop_after = after};
        assert_int_equal(ff_trust_run(model, &o, &options, &t, &error), FF_STOPPED);
    }
    ff_model_free(model);
}

static void test_options(void **state) {
    (void)state;
    ff_model *model = model_of("rolling.yaml");
    ff_run_options o = *ff_model_run(model);
    ff_trust_options options = ff_trust_options_default();
    ff_error error;
    ff_trust *t = NULL, *other;
    const size_t none = SIZE_MAX;
    o.until = 0.2;
    const ff_trust_options bad[] = {
        {.size = 0},
        {.size = sizeof options, .seed = 1, .samples = 0},
        {.size = sizeof options, .seed = 1, .samples = 10, .fields = &none, .field_count = 1},
    };
    const char *const says[] = {"`size` of a definition", "samples must be 1 or more",
                                "a field of the options does not exist"};
    for (size_t i = 0; i < ROWS(bad); i++) {
        error.text[0] = '\0';
        assert_int_equal(ff_trust_run(model, &o, &bad[i], &t, &error), FF_BAD_VALUE);
        assert_holds(strstr(error.text, says[i]), "%s", error.text);
        assert_true(t == NULL);
    }
    o.until = 0;
    assert_int_equal(ff_trust_run(model, &o, NULL, &t, &error), FF_BAD_VALUE);
    assert_string_equal(error.text, "a run without duration cannot be compared");
    o.until = 0.2, o.tol = -1;
    assert_int_equal(ff_trust_run(model, &o, NULL, &t, &error), FF_BAD_VALUE);
    assert_true(strstr(error.text, "tol and dt must be positive"));
    o.tol = 1e-8;

    /* the same seed gives the same bits, another one another step */
    t = trusted(model, &o, &options);
    other = trusted(model, &o, &options);
    assert_int_equal(t->count, other->count);
    for (size_t i = 0; i < t->count; i++) {
        assert_true(t->fields[i].difference == other->fields[i].difference &&
                    t->fields[i].digits == other->fields[i].digits);
    }
    ff_free(other);
    options.seed = 2, options.samples = 10;
    other = trusted(model, &o, &options);
    assert_true(other->runs[2].options.max_step != t->runs[2].options.max_step);
    assert_true(other->runs[1].statistics.evaluations == t->runs[1].statistics.evaluations);
    assert_int_equal(other->samples, 11);
    assert_int_equal(t->samples, 1001);
    ff_free(other);
    ff_free(t);

    /* the limit of steps is the run's own */
    o.max_steps = 5;
    assert_int_equal(ff_trust_run(model, &o, NULL, &t, &error), FF_TOO_STIFF);
    ff_model_free(model);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_difference_is_the_error),
    cmocka_unit_test(test_place_of_the_origin),
    cmocka_unit_test(test_chaos),
    cmocka_unit_test(test_ball),
    cmocka_unit_test(test_jumps),
    cmocka_unit_test(test_both_repetitions_count),
    cmocka_unit_test(test_a_jump),
    cmocka_unit_test(test_half_turns),
    cmocka_unit_test(test_fixed_steps),
    cmocka_unit_test(test_crowd),
    cmocka_unit_test(test_functions_of_the_caller),
    cmocka_unit_test(test_options),
};

CHECK_MAIN(tests)
