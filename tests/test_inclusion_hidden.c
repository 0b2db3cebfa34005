/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "check.h"
#include <footfall/footfall.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>

/* Inclusions from files whose expressions do something for a short time, with closed answers: a step sees the rates at a dozen
 * instants, and nothing between them may be lost. */

static const ff_method methods[] = {FF_AUTO, FF_DOPRI5, FF_DOP853, FF_RODAS};
enum { EXPLICIT = 3 };

typedef struct {
    ff_equations *system;
    ff_sim *sim;
    ff_run_options run;
} instance;

/* With another law of contacts than `xiong`, or NULL. */
static void open_law(instance *out, ff_method method, double dt, const char *law,
                     const char *text) {
    ff_messages messages = {0};
    ff_error error = {0};
    ff_status status =
        ff_inclusion_parse("text", text, strlen(text), NULL, 0, &(ff_rivals){.contact = law},
                           &out->system, &out->run, &messages);
    assert_holds(status == FF_OK, "%s\n%s", text, messages.count ? messages.at[0].text : "");
    ff_messages_clear(&messages);
    out->run.method = method;
    out->run.dt = dt > 0 ? dt : out->run.dt;
    status = ff_inclusion_create(ff_equations_def(out->system), &out->run, &out->sim, &error);
    assert_holds(status == FF_OK, "%s\n%s", text, error.text);
}

static void open_text(instance *out, ff_method method, double dt, const char *text) {
    open_law(out, method, dt, NULL, text);
}

static void close_instance(instance *at) {
    ff_sim_free(at->sim);
    ff_equations_free(at->system);
}

static void format(char text[2000], const char *form, ...) {
    va_list list;
    va_start(list, form);
    vsnprintf(text, 2000, form, list);
    va_end(list);
}

static void go(instance *at, double until) {
    ff_status status;
    while ((status = ff_sim_advance(at->sim, until)) == FF_EVENT) {
    }
    assert_holds(status == FF_OK, "%s", ff_sim_error(at->sim));
}

/* The first state at the end, by the first methods. */
static void expect_of(size_t count, const char *text, double answer, double within) {
    for (size_t m = 0; m < count; m++) {
        instance at;
        open_text(&at, methods[m], 0, text);
        go(&at, at.run.until);
        const double x = ff_inclusion_at(at.sim).x[0];
        assert_holds(fabs(x - answer) <= within, "%s: %.12g, not %.12g\n%s",
                     ff_method_name(methods[m]), x, answer, text);
        close_instance(&at);
    }
}

static void expect(const char *text, double answer, double within) {
    expect_of(ROWS(methods), text, answer, within);
}

/* tolerances of runs are 1e-9 of states of size 1; errors of some hundred steps add up */
#define WITHIN 3e-8

static double pi(void) { return acos(-1); }

/* ---- functions of time ---- */

static void test_pulses(void **state) {
    (void)state;
    check_seed = 10001;
    for (int k = 0; k < 12; k++) {
        const double w = log_uniform(1e-5, 1e-3), a = uniform(0.2, 0.8), to = (1 - a) / w,
                     from = -a / w;
        char text[2000];
        static const char *const shapes[] = {"exp(-u^2)", "(1 - tanh(u)^2)", "1/(1 + u^2)^2"};
        const double areas[] = {
            sqrt(pi()), 2,
            (to / (1 + to * to) + atan(to) - from / (1 + from * from) - atan(from)) / 2};
        format(text,
               "parameters: {w: %.17g s, a: %.17g s}\n"
               "states: {x: 0}\n"
               "let: {u: (t - a)/w}\n"
               "rates: {x: \"%s/w\"}\n"
               "run: {until: 1 s, tol: 1e-9}\n",
               w, a, shapes[k % 3]);
        expect(text, areas[k % 3], WITHIN);
    }
}

/* the mean of ((1 + cos)/2)^n over a period is (1/2)(3/4)...((2n - 1)/(2n)) */
static void test_train(void **state) {
    (void)state;
    double mean = 1;
    for (int k = 1; k <= 800; k++) {
        mean *= (2.0 * k - 1) / (2 * k);
    }
    expect("parameters: {f: 3 Hz, u: 1 s}\n"
           "states: {x: 0}\n"
           "rates: {x: \"((1 + cos(2*pi*f*t + 2))/2)^800/u\"}\n"
           "run: {until: 2 s, tol: 1e-9}\n",
           2 * mean, WITHIN);
}

/* A pulse of 30 us in an hour, alone and on a slow function a thousand times as large. Times are rounded to 4.5e-13 s, 1.5e-8 of the
 * pulse, in each of some ten steps; rodas forms differences over 1e-5 of a step, below that. */
static void test_long_run(void **state) {
    (void)state;
    check_seed = 10002;
    for (int k = 0; k < 4; k++) {
        const double a = uniform(100, 3500);
        char text[2000];
        format(text,
               "parameters: {w: 30 us, a: %.17g s, slow: %d, T: 1000 s}\n"
               "states: {x: 0}\n"
               "rates: {x: \"exp(-((t - a)/w)^2)/w + slow*cos(t/T)/T\"}\n"
               "run: {until: 3600 s, tol: 1e-9}\n",
               a, k % 2 ? 1000 : 0);
        expect_of(EXPLICIT, text, sqrt(pi()) + (k % 2 ? 1000 * sin(3.6) : 0),
                  k % 2 ? 1e3 * WITHIN : 2e-7);
    }
}

/* x' = c(t) x, and a force that pushes a mass, p'' = F(t)/M */
static void test_time_and_states(void **state) {
    (void)state;
    check_seed = 10003;
    for (int k = 0; k < 6; k++) {
        const double a = uniform(0.2, 0.8);
        char text[2000];
        format(text,
               "parameters: {w: 1 ms, a: %.17g s, u: 1 s}\n"
               "states: {x: 1}\n"
               "rates: {x: \"x*(0.3*exp(-((t - a)/w)^2)/w - 0.1/u)\"}\n"
               "run: {until: 1 s, tol: 1e-9}\n",
               a);
        expect(text, exp(0.3 * sqrt(pi()) - 0.1), WITHIN);
        format(text,
               "parameters: {w: 1 ms, a: %.17g s, M: 2 kg, J: 1 N s}\n"
               "states: {p: 0 m, v: 0 m/s}\n"
               "rates: {p: v, v: \"exp(-((t - a)/w)^2)*J/w/M\"}\n"
               "run: {until: 1 s, tol: 1e-9}\n",
               a);
        expect(text, sqrt(pi()) / 2 * (1 - a), WITHIN);
    }
}

/* the factor of a friction force that acts on a sliding mass all the time: its impulse is the integral of the factor, but for the
 * displacement F/K in which the force grows */
static void test_factor(void **state) {
    (void)state;
    expect("parameters: {w: 1 ms, a: 0.6 s, F: 0.1 N, J: 0.5 N s, M: 1 kg}\n"
           "states: {v: 3 m/s}\n"
           "let: {f: \"(F + exp(-((t - a)/w)^2)*J/w)*sgn(v)\"}\n"
           "rates: {v: -f/M}\n"
           "frictions: {K: 1e9 N/m, beta: 1 us, strength: F}\n"
           "run: {until: 1 s, tol: 1e-8}\n",
           3 - 0.1 - 0.5 * sqrt(pi()), 1e-6);
}

/* A floor that jumps by 20 mm for some 2 ms under a body that rests on it, for laws with and without a gap function: like a run whose
 * steps cannot pass over it. A bounce multiplies errors, here by less than ten. */
static void test_floor(void **state) {
    (void)state;
    static const char *const laws[] = {NULL, "linear"};
    for (size_t k = 0; k < ROWS(laws); k++) {
        double answer = 0;
        for (size_t m = 0; m <= EXPLICIT; m++) {
            char text[2000];
            instance at;
            format(text,
                   "parameters: {M: 1 kg, g: 9.8 m/s^2, w: 2 ms, a: 0.7313 s, h: 20 mm}\n"
                   "states: {z: 1 mm, v: 0 m/s}\n"
                   "let: {n: \"dio(z - h*exp(-((t - a)/w)^2))\"}\n"
                   "rates: {z: v, v: n/M - g}\n"
                   "contacts: {restitution: 0.5, contact_time: 10 ms, mass: M}\n"
                   "run: {until: 1 s, tol: 1e-9, max_step: %s}\n",
                   m == 0 ? "0.1 ms" : "1 s");
            open_law(&at, m == 0 ? FF_DOP853 : methods[m - 1], 0, laws[k], text);
            go(&at, 1);
            const double z = ff_inclusion_at(at.sim).x[0];
            answer = m == 0 ? z : answer;
            assert_true(answer > 0.1);
            assert_near(z, answer, 1e-6);
            close_instance(&at);
        }
    }
}

/* ---- functions of states ---- */

/* x passes a narrow feature at x = b: on a line, and forth and back on x = sin(3 t), where the area is that over speeds
 * 3 sqrt(1 - x^2) */
static void test_features(void **state) {
    (void)state;
    check_seed = 10004;
    for (int k = 0; k < 6; k++) {
        const double w = log_uniform(1e-4, 1e-2), b = uniform(0.2, 0.8);
        char text[2000];
        format(text,
               "parameters: {w: %.17g, b: %.17g, u: 1 s}\n"
               "states: {n: 0, x: 0}\n"
               "rates: {n: \"exp(-((x - b)/w)^2)/(w*u)\", x: 1/u}\n"
               "run: {until: 1 s, tol: 1e-9}\n",
               w, b);
        expect(text, sqrt(pi()) * (erf((1 - b) / w) + erf(b / w)) / 2, WITHIN);
        format(text,
               "parameters: {w: 1e-4, b: %.17g, u: 1 s}\n"
               "states: {n: 0, x: 0, v: 3}\n"
               "rates: {n: \"exp(-((x - b)/w)^2)/(w*u)\", x: v/u, v: -9*x/u}\n"
               "run: {until: 1 s, tol: 1e-9}\n",
               b);
        /* to second order in w, over 1 - b^2 > 0.36 */
        expect(text, 2 * sqrt(pi()) / (3 * sqrt(1 - b * b)), 1e-6);
    }
}

/* ---- conditions ---- */

/* a rate that is on while sin(2 pi f t) > s, for 2 acos(s)/(2 pi f) in each period; and while |x - b| < w */
static void test_gates(void **state) {
    (void)state;
    check_seed = 10005;
    for (int k = 0; k < 6; k++) {
        const double f = floor(uniform(1, 9)), s = 1 - log_uniform(1e-5, 1e-3);
        const double w = log_uniform(1e-4, 1e-2), b = uniform(0.2, 0.8);
        char text[2000];
        format(text,
               "parameters: {f: %.17g Hz, s: %.17g, u: 1 s}\n"
               "states: {x: 0, y: 1}\n"
               "rates: {x: \"if(sin(2*pi*f*t) > s, 1, 0)/u\", y: -y/u}\n"
               "run: {until: 1 s, tol: 1e-9}\n",
               f, s);
        expect(text, acos(s) / pi(), WITHIN);
        format(text,
               "parameters: {w: %.17g, b: %.17g, u: 1 s}\n"
               "states: {n: 0, x: 0}\n"
               "rates: {n: \"if(abs(x - b) < w, 1, 0)/(w*u)\", x: 1/u}\n"
               "run: {until: 1 s, tol: 1e-9}\n",
               w, b);
        /* edges of a condition on states are located to the tolerance of its largest value, 1, over w */
        expect(text, 2, 1e-8 / w);
        format(text,
               "parameters: {w: %.17g, b: %.17g, u: 1 s}\n"
               "states: {n: 0, x: 0}\n"
               "rates: {n: \"max(0, w - abs(x - b))/(w*w*u)\", x: 1/u}\n"
               "run: {until: 1 s, tol: 1e-9}\n",
               w, b);
        expect(text, 1, WITHIN);
    }
}

/* ---- runs ---- */

/* A run that is saved and restored anywhere goes on with the same bits: pieces and boxes belong to the state. */
static void test_resumes(void **state) {
    (void)state;
    const char *text =
        "parameters: {w: 1 ms, a: 0.7 s, u: 1 s}\n"
        "states: {x: 0, y: 0.3, z: 1}\n"
        "rates: {x: \"exp(-((t - a)/w)^2)/w\", y: \"cos(30*x + 20*t/u)*z/u\", z: \"-abs(y)/u\"}\n"
        "run: {until: 1 s, tol: 1e-9}\n";
    for (size_t m = 0; m < ROWS(methods); m++) {
        for (int k = 1; k < 10; k++) {
            instance whole, parts, rest;
            open_text(&whole, methods[m], 0, text);
            open_text(&parts, methods[m], 0, text);
            open_text(&rest, methods[m], 0, text);
            go(&whole, 0.1 * k);
            go(&whole, 1);
            go(&parts, 0.1 * k);
            const size_t size = ff_sim_state_size(parts.sim);
            void *saved = malloc(size);
            ff_sim_save(parts.sim, saved);
            assert_int_equal(ff_sim_restore(rest.sim, saved, size), FF_OK);
            free(saved);
            go(&rest, 1);
            assert_memory_equal(ff_inclusion_at(whole.sim).x, ff_inclusion_at(rest.sim).x,
                                3 * sizeof(double));
            assert_int_equal(ff_sim_statistics(whole.sim).steps, ff_sim_statistics(rest.sim).steps);
            assert_int_equal(ff_sim_statistics(whole.sim).evaluations,
                             ff_sim_statistics(rest.sim).evaluations);
            close_instance(&whole);
            close_instance(&parts);
            close_instance(&rest);
        }
    }
}

static void test_fixed_steps_warn(void **state) {
    (void)state;
    for (int pulse = 0; pulse < 2; pulse++) {
        for (int free = 0; free < 2; free++) {
            char text[2000];
            format(text,
                   "parameters: {w: %g s, a: 0.5 s, u: 1 s}\n"
                   "states: {x: 1, y: 0 s}\n"
                   "rates: {x: \"%s*exp(-((%s - a)/w)^2)/u\", y: 1}\n"
                   "run: {until: 1 s, tol: 1e-9}\n",
                   pulse ? 1e-3 : 1.0, free ? "x" : "1", free ? "y" : "t");
            instance at;
            open_text(&at, FF_RK4, 0.02, text);
            go(&at, 1);
            const ff_warning w = ff_sim_warning(at.sim, 0);
            assert_int_equal(w.text[0] != '\0', pulse);
            if (pulse) {
                assert_int_equal(w.kind, FF_WARN_UNRESOLVED);
                assert_near(w.value, 0.5, 0.05);
            }
            close_instance(&at);
        }
    }
}

static void test_pole(void **state) {
    (void)state;
    instance at;
    open_text(&at, FF_AUTO, 0,
              "parameters: {u: 1 s}\n"
              "states: {x: 0}\n"
              "rates: {x: \"u/(t - 0.5 s)^2\"}\n"
              "run: {until: 1 s}\n");
    assert_int_equal(ff_sim_advance(at.sim, 1), FF_BAD_VALUE);
    assert_non_null(strstr(ff_sim_error(at.sim), "the rate of x has no bound near t = 0.5"));
    close_instance(&at);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_pulses),           cmocka_unit_test(test_train),
    cmocka_unit_test(test_long_run),         cmocka_unit_test(test_time_and_states),
    cmocka_unit_test(test_factor),           cmocka_unit_test(test_floor),
    cmocka_unit_test(test_features),         cmocka_unit_test(test_gates),
    cmocka_unit_test(test_resumes),          cmocka_unit_test(test_pole),
    cmocka_unit_test(test_fixed_steps_warn),
};

CHECK_MAIN(tests)
