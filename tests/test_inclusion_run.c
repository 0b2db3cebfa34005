/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "inclusions.h"
#include "reference_inclusion.h"
#include <stdlib.h>

/* Runs of inclusions: methods, events, observation, and failures. */

/* ---- methods ---- */

/* convergence with the number of steps through touch-downs and lift-offs */
static void test_order_through_kinks(void **state) {
    (void)state;
    static const struct {
        ff_method method;
        double least;
    } methods[] = {{FF_DOPRI5, 4.5}, {FF_DOP853, 6}, {FF_RK4, 3.6}, {FF_HEUN, 1.8}};
    bouncing b;
    open_bouncing(&b, xiong_law(1e5, 0.005, 0.01), 9.8);
    /* the same scale for all */
    b.def.scale = (double[]){4, 1};
    b.dio.scale = 0.01;
    b.def.ledger = false;
    ff_sim *inc = made(&b.def, options(FF_DOP853, 1e-13, 2));
    advance(inc, 2, FF_USER);
    double exact = ff_inclusion_at(inc).x[1];
    ff_sim_free(inc);
    for (size_t m = 0; m < ROWS(methods); m++) {
        double error[2], steps[2];
        for (int fine = 0; fine < 2; fine++) {
            ff_run_options o = options(methods[m].method, fine ? 1e-10 : 1e-6, 2);
            o.events = true;
            o.dt = fine ? 1e-5 : 1e-4;
            inc = made(&b.def, o);
            advance(inc, 2, FF_USER);
            error[fine] = fabs(ff_inclusion_at(inc).x[1] - exact);
            steps[fine] = (double)ff_sim_statistics(inc).steps;
            ff_sim_free(inc);
        }
        double order = log(error[0] / error[1]) / log(steps[1] / steps[0]);
        assert_holds(order > methods[m].least || error[1] < 1e-12,
                     "%s: order %.2f, errors %.2g %.2g", ff_method_name(methods[m].method), order,
                     error[0], error[1]);
    }
}

/* every method runs example I with the same result, within its accuracy */
static void test_all_methods(void **state) {
    (void)state;
    static const int speed[9] = {-1, -1, -1, 0, 1, 2, -1, -1, -1};
    static const struct {
        ff_method method;
        double dt, error;
    } methods[] = {
        {FF_AUTO, 1, 1e-6},       {FF_DOPRI5, 1, 1e-6},    {FF_DOP853, 1, 1e-6},
        {FF_ROSENBROCK, 1, 1e-5}, {FF_TRAPEZOID, 1, 1e-4}, {FF_RK4, 1e-4, 1e-5},
        {FF_HEUN, 1e-4, 1e-3},    {FF_EULER, 1e-5, 1e-1},  {FF_SEMI_IMPLICIT, 1e-5, 1e-1},
        {FF_VERLET, 1e-5, 1e-2},
    };
    rolling r;
    open_rolling(&r);
    r.def.speed = speed;
    r.def.scale = (double[]){5, 5, 5, 1, 1, 1, 10, 10, 10};
    r.dio.scale = 1e-2;
    r.sgn.scale = 1e-3;
    for (size_t m = 0; m < ROWS(methods); m++) {
        ff_run_options o = options(methods[m].method, 1e-8, 1);
        o.dt = methods[m].dt;
        o.events = true;
        ff_sim *inc = made(&r.def, o);
        assert_int_equal(advance(inc, 1, FF_TOUCHDOWN), 2);
        const double *x = ff_inclusion_at(inc).x;
        assert_near(x[5], reference_rolling[6].pz, methods[m].error);
        assert_near(x[0], reference_rolling[6].vx, methods[m].error);
        ff_sim_free(inc);
    }
}

/* explicit dependence on time preserves the order of the implicit method */
static void slow_rates(void *user, double t, const double *x, const double *contact,
                       const double *friction, double *dx) {
    (void)user, (void)contact, (void)friction;
    dx[0] = -2 * (x[0] - cos(3 * t)) - 3 * sin(3 * t);
}

static void test_rosenbrock_with_time(void **state) {
    (void)state;
    double start = 1, scale = 1, error[2], steps[2];
    ff_inclusion_def def = ff_inclusion_def_default();
    def.states = 1;
    def.start = &start;
    def.scale = &scale;
    def.rates = slow_rates;
    for (int fine = 0; fine < 2; fine++) {
        ff_sim *inc = made(&def, options(FF_ROSENBROCK, fine ? 1e-8 : 1e-5, 10));
        advance(inc, 10, FF_USER);
        error[fine] = fabs(ff_inclusion_at(inc).x[0] - cos(30));
        steps[fine] = (double)ff_sim_statistics(inc).steps;
        ff_sim_free(inc);
    }
    double order = log(error[0] / error[1]) / log(steps[1] / steps[0]);
    assert_holds(order > 2.7, "order %.2f, errors %.2g %.2g", order, error[0], error[1]);
}

/* auto switches to an implicit method during stick, with the correct result */
static void test_auto_in_stick(void **state) {
    (void)state;
    sliding s;
    open_sliding(&s, sat_law(1e8, 0.5));
    s.def.switch_count = 0;
    s.mass.F = 1;
    ff_run_options o = options(FF_AUTO, 1e-6, 1.2);
    ff_sim *inc = made(&s.def, o);
    advance(inc, 1.2, FF_USER);
    ff_statistics stats = ff_sim_statistics(inc);
    assert_true(stats.method_steps[FF_RODAS] > 0 && stats.steps < 5000);
    /* deflection: force over stiffness */
    assert_near(ff_inclusion_at(inc).friction[0], 0.52, 1e-4);
    assert_near(ff_inclusion_at(inc).x[1], 0.52e-8, 1e-8);
    ff_sim_free(inc);
}

/* observation within steps, compared with a run that ends there */
static void test_observation(void **state) {
    (void)state;
    static const ff_method methods[] = {FF_AUTO, FF_DOP853};
    rolling r;
    open_rolling(&r);
    for (int m = 0; m < 2; m++) {
        ff_sim *inc = made(&r.def, options(methods[m], 1e-9, 1));
        int seen = 0;
        while (ff_sim_time(inc) < 1) {
            double before = ff_sim_time(inc);
            assert_true(ff_sim_step(inc, 1) >= 0);
            double now = ff_sim_time(inc), middle = (before + now) / 2;
            if (now > before && ++seen % 29 == 0) {
                ff_sim *other = made(&r.def, options(FF_DOP853, 1e-11, 1));
                advance(other, middle, FF_USER);
                ff_sim_observe(inc, middle);
                ff_inclusion_view a = ff_inclusion_at(inc), b = ff_inclusion_at(other);
                assert_near(a.time, middle, 0);
                for (int i = 0; i < 9; i++) {
                    assert_near(a.x[i], b.x[i], 1e-7);
                }
                /* K beta/alpha times an error of depth */
                assert_near(a.contact[0], b.contact[0], 1e-3);
                assert_near(ff_sim_ledger(inc).residual, 0, 1e-6);
                /* back to its own time */
                ff_sim_observe(inc, now + 1);
                assert_near(ff_inclusion_at(inc).time, now, 0);
                ff_sim_free(other);
            }
        }
        assert_true(seen > 29);
        ff_sim_free(inc);
    }
}

/* a switch that the functions see from one side only */
typedef struct {
    double latest, earliest;
    bool after;
} witness;

static void jumping_rates(void *user, double t, const double *x, const double *contact,
                          const double *friction, double *dx) {
    witness *w = user;
    (void)x, (void)contact, (void)friction;
    w->latest = t < 1 ? fmax(w->latest, t) : w->latest;
    w->after = w->after || t >= 1;
    dx[0] = t < 1 ? 1 : -3;
}

static void test_switches(void **state) {
    (void)state;
    double start = 0, times[] = {1, 5};
    witness w = {0};
    ff_inclusion_def def = ff_inclusion_def_default();
    def.states = 1;
    def.start = &start;
    def.user = &w;
    def.rates = jumping_rates;
    def.switch_count = 2;
    def.switches = times;
    ff_sim *inc = made(&def, options(FF_DOPRI5, 1e-9, 2));
    assert_int_equal(ff_sim_advance(inc, 1), FF_EVENT);
    assert_int_equal(ff_sim_event(inc)->kind, FF_SWITCH);
    assert_int_equal(ff_sim_event(inc)->contact, 0);
    assert_near(ff_sim_time(inc), 1, 0);
    assert_false(w.after);
    assert_near(ff_inclusion_at(inc).x[0], 1, 1e-15);
    assert_int_equal(ff_sim_advance(inc, 2), FF_OK);
    assert_true(w.after);
    assert_near(ff_inclusion_at(inc).x[0], -2, 1e-15);
    assert_int_equal(ff_sim_statistics(inc).rejected, 0);
    ff_sim_free(inc);
}

/* steps of any length are exact here */
static void idle_rates(void *user, double t, const double *x, const double *contact,
                       const double *friction, double *dx) {
    (void)user, (void)t, (void)x, (void)contact, (void)friction;
    dx[0] = 1;
}

/* dips below 0 near 0.5; crosses 0.7 twice at once; and is 0 at the start */
static void many_events(void *user, double t, const double *x, double *values) {
    (void)user, (void)t;
    values[0] = (x[0] - 0.5) * (x[0] - 0.5) - 1e-4;
    values[1] = x[0] - 0.7;
    values[2] = 2 * (0.7 - x[0]);
    values[3] = -x[0];
}

static void test_dips_and_coincidences(void **state) {
    (void)state;
    static const double times[] = {0.49, 0.51, 0.7, 0.7};
    static const ff_method methods[] = {FF_AUTO, FF_DOP853, FF_ROSENBROCK, FF_RK4};
    double start = 0;
    ff_inclusion_def def = ff_inclusion_def_default();
    def.states = 1;
    def.start = &start;
    def.rates = idle_rates;
    def.event_count = 4;
    def.events = many_events;
    for (int m = 0; m < 4; m++) {
        ff_run_options o = options(methods[m], 1e-9, 1);
        o.events = true;
        o.dt = 0.3;
        ff_sim *inc = made(&def, o);
        bool seen[4] = {false};
        for (int i = 0; i < 4; i++) {
            assert_int_equal(ff_sim_advance(inc, 1), FF_EVENT);
            const ff_event *e = ff_sim_event(inc);
            assert_int_equal(e->kind, FF_USER);
            assert_near(e->time, times[i], 1e-12);
            seen[e->contact] = true;
        }
        assert_true(seen[0] && seen[1] && seen[2] && !seen[3]);
        assert_int_equal(ff_sim_advance(inc, 1), FF_OK);
        assert_int_equal(ff_sim_statistics(inc).events, 4);
        ff_sim_free(inc);
    }
}

#if !defined(__SANITIZE_ADDRESS__) && defined(__GLIBC__)
static long allocations;
void *__libc_malloc(size_t size);
FF_API void *malloc(size_t size) {
    allocations++;
    return __libc_malloc(size);
}

static void test_steps_allocate_nothing(void **state) {
    (void)state;
    conveying c;
    open_conveyor(&c);
    for (int m = FF_AUTO; m <= FF_DOP853; m++) {
        ff_sim *inc = made(&c.def, options((ff_method)m, 1e-6, 0.2));
        allocations = 0;
        while (ff_sim_advance(inc, 0.2) == FF_EVENT) {
        }
        ff_sim_observe(inc, 0.199999);
        ff_sim_ledger(inc);
        assert_int_equal(allocations, 0);
        ff_sim_free(inc);
    }
}
#define COUNTS_ALLOCATIONS 1
#endif

/* ---- failures ---- */

static void sinking_factors(void *user, double t, const double *x, const double *contact,
                            double *chi) {
    (void)user, (void)x, (void)contact;
    chi[0] = 0.5 - 0.1 * t;
}

static void broken_arguments(void *user, double t, const double *x, double *psi, double *theta) {
    (void)user, (void)psi;
    theta[0] = t > 1.5 ? (double)NAN : x[0];
}

static void broken_factors(void *user, double t, const double *x, const double *contact,
                           double *chi) {
    (void)user, (void)x, (void)contact;
    chi[0] = sqrt(1.5 - t);
}

static void broken_rates(void *user, double t, const double *x, const double *contact,
                         const double *friction, double *dx) {
    sliding_rates(user, t, x, contact, friction, dx);
    dx[1] = log(1.5 - t);
}

static void negative_factors(void *user, double t, const double *x, const double *contact,
                             double *chi) {
    (void)user, (void)t, (void)x, (void)contact;
    chi[0] = -1;
}

static void broken_closing(void *user, double t, const double *x, double *psi_rate) {
    (void)user, (void)t;
    psi_rate[0] = x[1] < 0 ? (double)NAN : x[0];
}

static void broken_gap(void *user, double t, const double *x, double *psi, double *theta) {
    (void)user, (void)theta;
    psi[0] = t > 1.5 ? (double)NAN : x[1] + 100;
}

static double broken_power(void *user, double t, const double *x, const double *contact,
                           const double *friction) {
    (void)user, (void)x, (void)contact, (void)friction;
    return t > 1.5 ? (double)NAN : 0;
}

/* runs until it fails; the sim stays at a time before the failure */
static void expect_failure(const ff_inclusion_def *def, ff_method method, const char *text,
                           double when) {
    ff_run_options o = options(method, 1e-7, 8);
    o.events = true;
    ff_sim *inc = made(def, o);
    ff_status status;
    while ((status = ff_sim_advance(inc, 8)) == FF_EVENT) {
    }
    assert_holds(status == FF_BAD_VALUE, "%s: %s", text, ff_status_text(status));
    assert_holds(strncmp(ff_sim_error(inc), text, strlen(text)) == 0, "'%s' instead of '%s'",
                 ff_sim_error(inc), text);
    double told = strtod(strstr(ff_sim_error(inc), "t = ") + 4, NULL);
    /* within one step */
    assert_true(told >= when && told < when + 0.2);
    assert_true(ff_sim_time(inc) <= when + 1e-5 && isfinite(ff_inclusion_at(inc).x[1]));
    assert_int_equal(ff_sim_advance(inc, 8), FF_BAD_VALUE);
    ff_sim_free(inc);
}

static void test_runs_that_fail(void **state) {
    (void)state;
    static const char *const names[] = {"v", "p"};
    static const ff_method methods[] = {FF_AUTO, FF_RK4};
    for (int m = 0; m < 2; m++) {
        sliding s;
        open_sliding(&s, sliding_law(0));
        s.sgn.name = "sole";
        s.def.factors = sinking_factors;
        expect_failure(&s.def, methods[m], "the factor of sole becomes negative at t = ", 5);
        s.def.factors = broken_factors;
        expect_failure(&s.def, methods[m], "the factor of sole is not a number at t = ", 1.5);
        s.def.factors = sliding_factors;
        s.sgn.name = NULL;
        s.def.arguments = broken_arguments;
        expect_failure(&s.def, methods[m], "theta of sgn 0 is not a number at t = ", 1.5);
        s.def.arguments = sliding_arguments;
        s.def.rates = broken_rates;
        expect_failure(&s.def, methods[m], "the rate of state 1 is not a number at t = ", 1.5);
        s.def.names = names;
        expect_failure(&s.def, methods[m], "the rate of p is not a number at t = ", 1.5);
        s.def.rates = sliding_rates;
        s.def.power = broken_power;
        expect_failure(&s.def, methods[m],
                       "an inner state or an account is not a number at t = ", 1.5);
        bouncing b;
        open_bouncing(&b, xiong_law(1e5, 1e-3, 1e-2), 9.8);
        b.def.arguments = broken_gap;
        expect_failure(&b.def, methods[m], "psi of dio 0 is not a number at t = ", 1.5);
        b.def.arguments = bouncing_arguments;
        b.dio.law = normal_law("linear", (double[]){1e5, 1, NAN, NAN});
        b.def.closing = broken_closing;
        expect_failure(&b.def, methods[m],
                       "the force of dio 0 is not a number at t = ", sqrt(2 / 9.8) - 1e-7);
    }
}

static void expect_refusal(const ff_inclusion_def *def, ff_status status, const char *text) {
    ff_sim *inc;
    ff_error error = {""};
    assert_int_equal(ff_inclusion_create(def, NULL, &inc, &error), status);
    assert_holds(strstr(error.text, text) != NULL, "'%s' instead of '%s'", error.text, text);
    assert_int_equal(ff_inclusion_create(def, NULL, &inc, NULL), status);
}

static void test_definitions_that_are_refused(void **state) {
    (void)state;
    ff_sim *inc;
    ff_run_options o = ff_run_options_default();
    sliding s;
    bouncing b;
    open_sliding(&s, sliding_law(0));
    open_bouncing(&b, xiong_law(1e5, 1e-3, 1e-2), 9.8);
    o.tol = 0;
    assert_int_equal(ff_inclusion_create(&s.def, &o, &inc, NULL), FF_BAD_VALUE);
    o = ff_run_options_default();
    o.dt = -1;
    assert_int_equal(ff_inclusion_create(&s.def, &o, &inc, NULL), FF_BAD_VALUE);
    ff_inclusion_def def = ff_inclusion_def_default();
    expect_refusal(&def, FF_MISSING, "states");
#define WITH(base, change, status, text)                                                           \
    def = base.def;                                                                                \
    change;                                                                                        \
    expect_refusal(&def, status, text)
    WITH(s, def.rates = NULL, FF_MISSING, "functions");
    WITH(s, def.start = NULL, FF_MISSING, "start");
    WITH(s, def.arguments = NULL, FF_MISSING, "functions");
    WITH(s, def.factors = NULL, FF_MISSING, "functions");
    WITH(s, def.event_count = 1, FF_MISSING, "functions");
    WITH(s, def.factors = negative_factors, FF_BAD_VALUE, "factor of sgn 0 is negative at t = 0");
    WITH(s, def.arguments = broken_arguments; s.start[0] = NAN, FF_BAD_VALUE, "state 0");
    s.start[0] = 0;
    WITH(s, def.scale = ((double[]){1, -1}), FF_BAD_VALUE, "state 1");
    WITH(s, def.speed = ((int[]){-1, 2}), FF_BAD_VALUE, "state 1");
    s.sgn.dimension = 3;
    WITH(s, (void)0, FF_BAD_VALUE, "sgn 0: a law, 1 or 2 dimensions");
    s.sgn.dimension = 1;
    s.sgn.shape[0][0] = s.sgn.shape[1][1] = 1;
    WITH(s, (void)0, FF_BAD_VALUE, "not in R^2");
    s.sgn.dimension = 2;
    s.sgn.shape[1][1] = 0;
    WITH(s, (void)0, FF_BAD_VALUE, "singular");
    s.sgn.law.law = NULL;
    WITH(s, (void)0, FF_BAD_VALUE, "sgn 0: a law");
    b.dio.name = "floor";
    b.dio.e = NAN;
    WITH(b, (void)0, FF_BAD_VALUE, "floor: a law, a finite e");
    b.dio.e = 0;
    b.dio.law = normal_law("linear", (double[]){1e5, 1, NAN, NAN});
    WITH(b, def.closing = NULL, FF_MISSING, "floor: its law has a damper");
    b.dio.law = normal_law("flores", (double[]){1e5, 0.5, NAN, NAN, NAN});
    WITH(b, (void)0, FF_BAD_VALUE, "when a contact begins or ends");
    /* a spring alone does not need the rate of the gap */
    b.dio.law = normal_law("hertz", (double[]){1e5, NAN, NAN});
    def = b.def;
    def.closing = NULL;
    assert_int_equal(ff_inclusion_create(&def, NULL, &inc, NULL), FF_OK);
    ff_sim_free(inc);
    ff_sim_free(NULL);
}

/* too many decays for a matrix: auto stays explicit */
static void decays(void *user, double t, const double *x, const double *contact,
                   const double *friction, double *dx) {
    const ff_inclusion_def *def = user;
    (void)t, (void)contact, (void)friction;
    for (size_t i = 0; i < def->states; i++) {
        dx[i] = -1000 * x[i];
    }
}

static void test_many_states(void **state) {
    (void)state;
    enum { MANY = 3001 };
    static double start[MANY];
    ff_inclusion_def def = ff_inclusion_def_default();
    def.states = MANY;
    def.start = start;
    def.user = &def;
    def.rates = decays;
    for (int i = 0; i < MANY; i++) {
        start[i] = 1;
    }
    ff_sim *inc = made(&def, options(FF_AUTO, 1e-4, 0.2));
    advance(inc, 0.2, FF_USER);
    assert_int_equal(ff_sim_statistics(inc).switches, 0);
    assert_near(ff_inclusion_at(inc).x[MANY - 1], 0, 1e-4);
    ff_sim_free(inc);
    ff_run_options o = options(FF_ROSENBROCK, 1e-4, 0.2);
    ff_error error;
    assert_int_equal(ff_inclusion_create(&def, &o, &inc, &error), FF_BAD_VALUE);
    assert_string_equal(error.text, "there are too many states for rosenbrock");
}

/* accounts that cannot be computed are NAN */
static void test_without_accounts(void **state) {
    (void)state;
    rolling r;
    open_rolling(&r);
    r.def.ledger = false;
    ff_sim *inc = made(&r.def, options(FF_AUTO, 1e-9, 1));
    advance(inc, 0.325, FF_USER);
    assert_true(isnan(ff_sim_ledger(inc).residual));
    assert_true(isnan(ff_inclusion_dio_energy(inc, 0).lost) &&
                isnan(ff_inclusion_sgn_energy(inc, 0).lost));
    assert_true(ff_inclusion_dio_energy(inc, 0).stored > 1);
    ff_sim_free(inc);
    r.def.ledger = true;
    r.def.energy = NULL;
    inc = made(&r.def, options(FF_AUTO, 1e-9, 1));
    advance(inc, 0.35, FF_USER);
    assert_true(isnan(ff_sim_ledger(inc).residual));
    assert_true(ff_inclusion_dio_energy(inc, 0).lost > 0.1);
    ff_sim_free(inc);
}

static void twice_height(void *user, const ff_inclusion_view *at, double *values) {
    (void)user;
    values[0] = 2 * at->x[5];
    values[1] = at->contact[0];
    values[2] = at->time;
}

/* a model of an inclusion is like any other: its fields agree with its views, including outputs, and it has no
 * bodies */
static void test_fields(void **state) {
    (void)state;
    rolling r;
    open_rolling(&r);
    r.def.output_count = 2;
    r.def.outputs = (ff_inclusion_output[]){{"twice", "m", 1}, {"both", NULL, 2}};
    r.def.output = twice_height;
    ff_model *model;
    ff_sim *sim;
    ff_error error;
    assert_int_equal(ff_inclusion_model(&r.def, &model, &error), FF_OK);
    assert_true(ff_model_inclusion(model)->states == r.def.states);
    assert_true(ff_model_body_count(model) == 0 && ff_model_contact_count(model) == 0);
    assert_true(ff_model_unpaired_count(model) == 0 && ff_model_joint_count(model) == 0);
    assert_int_equal(ff_model_assembly(model).freedoms, 0);
    ff_run_options o = options(FF_AUTO, 1e-9, 1);
    assert_int_equal(ff_sim_create(model, &o, &sim, &error), FF_OK);
    advance(sim, 0.325, FF_USER);
    ff_inclusion_view v = ff_inclusion_at(sim);
    const double height = v.x[5], force = v.contact[0], slip = v.theta[1], chi = v.chi[0];
    const ff_ledger l = ff_sim_ledger(sim);
    const struct {
        const char *path;
        double value;
    } fields[] = {{"time", 0.325},
                  {"contacts.dio 0.touching", 1},
                  {"contacts.dio 0.force", force},
                  {"frictions.sgn 0.strength", chi},
                  {"frictions.sgn 0.slip[1]", slip},
                  {"outputs.twice", 2 * height},
                  {"outputs.both[0]", force},
                  {"outputs.both[1]", 0.325},
                  {"ledger.slip", l.slip},
                  {"ledger.residual", l.residual}};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        size_t field, part;
        double values[3];
        ff_status found = ff_model_field_find(model, fields[i].path, &field, &part, &error);
        assert_holds(found == FF_OK, "%s: %s", fields[i].path, error.text);
        assert_int_equal(ff_sim_get(sim, field, values), FF_OK);
        double seen = values[part == SIZE_MAX ? 0 : part];
        assert_holds(seen == fields[i].value, "%s is %g", fields[i].path, seen);
    }
    /* all at once */
    const size_t count = ff_model_field_count(model);
    size_t *all = calloc(count, sizeof *all), width = 0;
    for (size_t i = 0; i < count; i++) {
        ff_field f;
        assert_true(ff_model_field(model, all[i] = i, &f));
        width += f.width;
    }
    double *values = calloc(width + 3, sizeof *values), *at = values;
    assert_int_equal(ff_sim_get_all(sim, all, count, values), FF_OK);
    for (size_t i = 0; i < count; i++) {
        ff_field f;
        double one[3];
        ff_model_field(model, i, &f);
        ff_sim_get(sim, i, one);
        assert_memory_equal(one, at, f.width * sizeof *one);
        at += f.width;
    }
    free(values);
    free(all);
    assert_int_equal(ff_sim_set_path(sim, "ledger.slip", 1, &error), FF_BAD_VALUE);
    assert_non_null(
        strstr(error.text, "the numbers of an inclusion can only be set in its definition"));
    assert_true(ff_sim_constraint_part(sim) == 0);
    assert_int_equal(ff_sim_begin(sim, NULL), FF_BAD_VALUE);
    ff_sim_free(sim);
    ff_model_free(model);
    /* outputs without a function */
    r.def.output = NULL;
    assert_int_equal(ff_inclusion_model(&r.def, &model, NULL), FF_MISSING);
}

/* a gap that closes for 0.02 s near 0.5 s, along a state that steps of any length integrate exactly */
static void grazing_arguments(void *user, double t, const double *x, double *psi, double *theta) {
    (void)user, (void)t, (void)theta;
    psi[0] = (x[0] - 0.5) * (x[0] - 0.5) - 1e-4;
}

static void grazing_rates(void *user, double t, const double *x, const double *contact,
                          const double *friction, double *dx) {
    (void)user, (void)t, (void)x, (void)contact, (void)friction;
    dx[0] = 1;
}

static void test_a_graze(void **state) {
    (void)state;
    const ff_dio_def dio = {.law = xiong_law(1e3, 1e-3, 2e-3)};
    ff_inclusion_def def = ff_inclusion_def_default();
    def.states = 1;
    def.start = (double[]){0};
    def.dio_count = 1;
    def.dios = &dio;
    def.arguments = grazing_arguments;
    def.rates = grazing_rates;
    def.ledger = false;
    ff_sim *sim = made(&def, options(FF_DOPRI5, 1e-6, 1));
    assert_int_equal(ff_sim_advance(sim, 1), FF_EVENT);
    assert_int_equal(ff_sim_event(sim)->kind, FF_TOUCHDOWN);
    /* the noise of the function, 1e-13 of its largest value 0.25, over its rate there, 0.02 */
    assert_near(ff_sim_time(sim), 0.49, 1.25e-12);
    assert_int_equal(ff_sim_advance(sim, 1), FF_EVENT);
    assert_int_equal(ff_sim_event(sim)->kind, FF_LIFTOFF);
    assert_int_equal(ff_sim_advance(sim, 1), FF_OK);
    ff_sim_free(sim);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_order_through_kinks),
    cmocka_unit_test(test_all_methods),
    cmocka_unit_test(test_rosenbrock_with_time),
    cmocka_unit_test(test_auto_in_stick),
    cmocka_unit_test(test_observation),
    cmocka_unit_test(test_switches),
    cmocka_unit_test(test_dips_and_coincidences),
#if COUNTS_ALLOCATIONS
    cmocka_unit_test(test_steps_allocate_nothing),
#endif
    cmocka_unit_test(test_runs_that_fail),
    cmocka_unit_test(test_definitions_that_are_refused),
    cmocka_unit_test(test_without_accounts),
    cmocka_unit_test(test_many_states),
    cmocka_unit_test(test_fields),
    cmocka_unit_test(test_a_graze),
};

CHECK_MAIN(tests)
