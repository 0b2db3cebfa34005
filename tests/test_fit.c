/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "check.h"
#include "fit_trials.h"
#include "law/params.h"
#include "num/student.h"
#include <footfall/footfall.h>
#include <stdlib.h>

enum { POINTS = 24 };

static ff_normal law_named(const char *name, double k, double lambda) {
    ff_normal law;
    double values[FF_LAW_PARAMS];
    for (int i = 0; i < FF_LAW_PARAMS; i++) {
        values[i] = i == 0 ? k : i == 1 ? lambda : (double)NAN;
    }
    assert_int_equal(ff_normal_make(&law, ff_normal_law_find(name), values, NULL), FF_OK);
    return law;
}

static double speeds[POINTS], measured[POINTS], sigmas[POINTS], times[POINTS], time_sigmas[POINTS];

/* without noise */
static ff_fit_data make_data(const ff_normal *truth, double mass) {
    for (int i = 0; i < POINTS; i++) {
        ff_impact at;
        speeds[i] = 0.02 * pow(200, (double)i / (POINTS - 1));
        assert_int_equal(ff_impact_solve(truth, mass, speeds[i], &at), FF_OK);
        measured[i] = at.restitution;
        sigmas[i] = 1e-3;
        time_sigmas[i] = 1e-3 * at.contact_time;
        times[i] = at.contact_time;
    }
    return (ff_fit_data){
        .count = POINTS, .speed = speeds, .restitution = measured, .sigma = sigmas};
}

static ff_fit_options with_mass(double mass) {
    ff_fit_options options = ff_fit_options_default();
    options.mass = mass;
    return options;
}

static ff_fit_result fitted(ff_normal *law, const ff_fit_data *data, const ff_fit_options *options,
                            double *residuals) {
    ff_fit_result out;
    ff_error error = {""};
    const ff_status status = ff_fit(law, data, options, &out, residuals, &error);
    assert_holds(status == FF_OK, "%s", error.text);
    return out;
}

/* ---- quantiles ---- */

/* Tables of Student's distribution (Abramowitz and Stegun 26.10), the closed forms for 1 and 2 degrees of freedom,
 * and the normal quantile. */
static void test_quantiles(void **state) {
    (void)state;
    const double level = 0.95, pi = acos(-1);
    assert_close(ff_student_quantile(level, 1), tan(pi * level / 2), 1e-10);
    assert_close(ff_student_quantile(level, 2), level * sqrt(2 / (1 - level * level)), 1e-10);
    assert_close(ff_student_quantile(0.5, 1), 1, 1e-10);
    static const struct {
        double level, freedom, x;
    } table[] = {{0.95, 3, 3.182446305284263},   {0.95, 4, 2.776445105197793},
                 {0.95, 11, 2.200985160082949},  {0.99, 30, 2.749995653567231},
                 {0.95, 120, 1.979930405052777}, {0.95, INFINITY, 1.959963984540054}};
    for (size_t i = 0; i < ROWS(table); i++) {
        /* the table has at least ten digits */
        assert_close(ff_student_quantile(table[i].level, table[i].freedom), table[i].x, 1e-9);
    }
    /* at the switch from the sum to the expansion quantiles decrease by x (x^2 + 1)/4 (1/3000 - 1/3001) */
    const double x = 1.959963984540054, fall = x * (x * x + 1) / 4 * (1 / 3000.0 - 1 / 3001.0);
    assert_near(ff_student_quantile(0.95, 3000) - ff_student_quantile(0.95, 3001), fall, 1e-9);
}

/* ---- exact data ---- */

/* without noise the true values are recovered to the accuracy of restitution itself */
static void test_exact_data_return_the_truth(void **state) {
    (void)state;
    static const char *const names[] = {"linear", "hunt-crossley", "lee-wang", "azad-featherstone",
                                        "tsuji"};
    const ff_fit_options options = with_mass(0.154);
    for (size_t i = 0; i < 5; i++) {
        ff_normal truth = law_named(names[i], 8.5e6, 1), found = law_named(names[i], 8.5e6, 1);
        ff_design_damping(&truth, 0.154, 0.5, -log(0.7));
        ff_fit_data data = make_data(&truth, 0.154);
        double residuals[POINTS];
        ff_fit_result fit = fitted(&found, &data, &options, residuals);
        assert_close(fit.lambda, ff_normal_value(&truth, "lambda"), 1e-9);
        assert_true(ff_normal_value(&found, "lambda") == fit.lambda && fit.k == 8.5e6 &&
                    fit.k_error == 0);
        assert_true(fit.rms < 1e-10 && fabs(residuals[3]) < 1e-10 && fit.unknowns == 1);
        assert_string_equal(fit.params[0].name, "lambda");
        assert_true(fit.params[0].value == fit.lambda && fit.params[0].told && !*fit.words);
    }
}

/* marhefka-orin is fitted by alpha; lambda follows from it */
static void test_alpha_follows(void **state) {
    (void)state;
    ff_normal truth = law_named("marhefka-orin", 50e3, 0.3),
              found = law_named("marhefka-orin", 50e3, 1);
    ff_fit_data data = make_data(&truth, 10);
    const ff_fit_options options = with_mass(10);
    ff_fit_result fit = fitted(&found, &data, &options, NULL);
    assert_close(ff_normal_value(&found, "alpha"), 0.3, 1e-9);
    assert_string_equal(fit.params[0].name, "alpha");
    assert_close(fit.lambda, 1.5 * 0.3 * 50e3, 1e-9);
    assert_close(fit.lambda_error / fit.lambda, fit.params[0].error / fit.params[0].value, 1e-6);
}

/* Experiments without scatter: every kind recovers the true values, to the accuracy of its rows. */
static void test_every_kind_returns_the_truth(void **state) {
    (void)state;
    static trial t;
    static const char *const both[] = {"k", "lambda"};
    static const char *const five[] = {"k", "n", "lambda", "p", "lambda_out"};
    const double mass = 0.154, g = 9.81;
    ff_impact_point points[401];
    ff_normal law;
    ff_fit_result fit;
    trial_ball(&t, "azad-featherstone");
    /* contact times without their own sigma have 1 % */
    ff_fit_data data = make_data(&t.truth, mass);
    data.contact_time = times;
    t.options.free = both, t.options.free_count = 2;
    law = law_named("azad-featherstone", 1e5, 1);
    fit = fitted(&law, &data, &t.options, NULL);
    assert_close(fit.k, 8.5e6, 1e-8);
    assert_close(fit.lambda, 3.1e3, 1e-8);
    t.options.free = NULL, t.options.free_count = 0;
    /* bounces, with either source of scatter: the impacts are accurate to 1e-12 */
    for (int scatter = FF_FIT_SCATTER_READINGS; scatter <= FF_FIT_SCATTER_BOUNCES; scatter++) {
        t.options.scatter = (ff_fit_scatter)scatter;
        make_clicks(&t, 0, 0);
        law = law_named("azad-featherstone", 8.5e6, 1);
        fit = fitted(&law, &t.data, &t.options, NULL);
        assert_close(fit.lambda, 3.1e3, 1e-8);
        assert_true(scatter == FF_FIT_SCATTER_BOUNCES || fabs(fit.speed / sqrt(2 * g) - 1) < 1e-9);
        make_heights(&t, 0, 0);
        law = law_named("azad-featherstone", 8.5e6, 1);
        assert_close(fitted(&law, &t.data, &t.options, NULL).lambda, 3.1e3, 1e-9);
    }
    /* Force over time, at points of the impact itself: the error is that of interpolation between 64 points, 2e-10
     * of the maximum force, and 6e-7 across the kink of a force whose damping changes at the deepest point; k and
     * n are correlated, which makes the error of k 30 times as large. Force over depth has no such error. */
    for (int general = 0; general < 2; general++) {
        trial_ball(&t, general ? "general" : "azad-featherstone");
        assert_int_equal(ff_impact_curve(&t.truth, mass, 1, 401, points), FF_OK);
        for (int i = 0; i < 400; i++) {
            t.column[0][i] = points[i].time;
            t.column[1][i] = points[i].force;
            t.column[2][i] = points[i].depth;
            t.column[3][i] = points[i].velocity;
        }
        t.options.free = general ? five : NULL, t.options.free_count = general ? 5 : 0;
        for (int depth = 0; depth < 2; depth++) {
            t.data = (ff_fit_data){.kind = depth ? FF_FIT_FORCE_DEPTH : FF_FIT_FORCE_TIME,
                                   .count = 400,
                                   .time = depth ? NULL : t.column[0],
                                   .force = t.column[1],
                                   .depth = t.column[2],
                                   .rate = t.column[3]};
            law = t.truth;
            fit = fitted(&law, &t.data, &t.options, NULL);
            for (int i = 0; i < fit.unknowns; i++) {
                const double truth = ff_normal_value(&t.truth, fit.params[i].name);
                assert_close(fit.params[i].value, truth, depth ? 1e-9 : general ? 1e-4 : 1e-9);
            }
        }
    }
}

/* Invariance: time enters as a difference, and the unit of the data as a factor: seconds or heights at another
 * gravity. */
static void test_symmetries(void **state) {
    (void)state;
    static trial t;
    ff_normal law;
    trial_ball(&t, "azad-featherstone");
    t.seed = 5;
    make_heard(&t);
    law = t.truth;
    const ff_fit_result first = fitted(&law, &t.data, &t.options, NULL);
    for (size_t i = 0; i < t.data.count; i++) {
        t.column[0][i] += 1000;
    }
    law = t.truth;
    const ff_fit_result later = fitted(&law, &t.data, &t.options, NULL);
    /* times of 1e3 s are accurate to 1e-13 s, scatter is 5e-4 s */
    assert_close(later.lambda, first.lambda, 1e-9);
    assert_close(later.params[0].high, first.params[0].high, 1e-4);
    /* the correlation matrix is valid, and the intervals contain the estimate */
    static const char *const both[] = {"lambda", "k"};
    t.options.free = both, t.options.free_count = 2;
    law = t.truth;
    const ff_fit_result two = fitted(&law, &t.data, &t.options, NULL);
    assert_true(two.correlation[0][1] == two.correlation[1][0] && fabs(two.correlation[0][1]) < 1);
    for (int i = 0; i < 2; i++) {
        assert_close(two.correlation[i][i], 1, 1e-12);
        assert_true(two.params[i].low < two.params[i].value &&
                    two.params[i].value < two.params[i].high);
    }
}

/* If the model is linear in its unknown, the profile interval is the textbook interval: k of a spring, F = k z. */
static void test_interval_of_a_straight_line(void **state) {
    (void)state;
    static const char *const only_k[] = {"k"};
    enum { ROWS_OF_LINE = 9 };
    double depth[ROWS_OF_LINE], force[ROWS_OF_LINE], sigma[ROWS_OF_LINE], zz = 0, zf = 0, rest = 0;
    const ff_param_value given[] = {{"k", 1e4}, {"n", 1}};
    for (int i = 0; i < ROWS_OF_LINE; i++) {
        depth[i] = 1e-3 * (i + 1);
        force[i] = 1e4 * depth[i] + (i * 7 % 5 - 2);
        sigma[i] = 2;
        zz += depth[i] * depth[i];
        zf += depth[i] * force[i];
    }
    for (int i = 0; i < ROWS_OF_LINE; i++) {
        rest += pow(force[i] - zf / zz * depth[i], 2);
    }
    ff_fit_options options = ff_fit_options_default();
    options.free = only_k, options.free_count = 1;
    for (int known = 0; known < 2; known++) {
        ff_normal law;
        ff_normal_init(&law, ff_normal_law_find("hertz"), NULL);
        assert_int_equal(ff_normal_set_all(&law, given, 2, NULL), FF_OK);
        const ff_fit_data data = {.kind = FF_FIT_FORCE_DEPTH,
                                  .count = ROWS_OF_LINE,
                                  .depth = depth,
                                  .force = force,
                                  .sigma = known ? sigma : NULL};
        const ff_fit_result fit = fitted(&law, &data, &options, NULL);
        const double k = zf / zz, s = known ? 2 : sqrt(rest / (ROWS_OF_LINE - 1));
        const double half = (known ? 1.959963984540054 : 2.306004135204166) * s / sqrt(zz);
        assert_close(fit.params[0].value, k, 1e-9);
        assert_close(fit.params[0].error, s / sqrt(zz), 1e-7);
        /* ends of intervals are located to a thousandth of half their width */
        assert_near(fit.params[0].low, k - half, 1e-3 * half);
        assert_near(fit.params[0].high, k + half, 1e-3 * half);
        /* Akaike's criteria from their definitions */
        const double n = ROWS_OF_LINE, u = known ? 1 : 2;
        const double aic = known ? rest / 4 + 2 : n * log(rest / n) + 4;
        assert_close(fit.aic, aic, 1e-9);
        assert_close(fit.aicc, aic + 2 * u * (u + 1) / (n - u - 1), 1e-9);
    }
}

/* ---- scatter ---- */

enum { TRIALS = 60 };

/* The number of 95 % intervals out of 60 that contain the true value is consistent with chance: 57 on average;
 * fewer than 50 or more than 60 would occur once in 3,000 times (the binomial distribution gives 3e-4 for 49 and
 * fewer). bench/fit.c makes 1,000 trials of each. */
static void test_intervals_hold_the_truth(void **state) {
    (void)state;
    for (int i = 0; i < EXPERIMENTS; i++) {
        const experiment *e = &experiments[i];
        /* a fit to force over time takes 0.1 s, one of five parameters a second; of 20 intervals, fewer than 15
         * contain the true value as rarely as fewer than 50 of 60 */
        const bool pulse = strstr(e->name, "force against time") != NULL;
        const int trials = !pulse ? TRIALS : e->name[1] == 'i' ? 2 : 20;
        const int least = !pulse ? 50 : trials == 20 ? 15 : 1;
        int inside[FF_LAW_PARAMS] = {0};
        ff_fit_result found = {0};
        for (int t = 0; t < trials; t++) {
            unsigned held;
            ff_error error = {""};
            const ff_status status = trial_run(e, 1000 + (uint64_t)t, &found, &held, &error);
            assert_holds(status == FF_OK, "%s: %s", e->name, error.text);
            for (int p = 0; p < found.unknowns; p++) {
                inside[p] += (held >> p & 1) != 0;
            }
        }
        for (int p = 0; p < found.unknowns; p++) {
            assert_holds(inside[p] >= least, "%s: %s is inside %d times of %d", e->name,
                         found.params[p].name, inside[p], trials);
        }
    }
}

/* Intervals are not too long: 50 % intervals contain the true value half of the time. Of 400, 200 +- 10; 4
 * standard deviations are allowed. */
static void test_short_intervals(void **state) {
    (void)state;
    static trial t;
    int inside = 0;
    for (int i = 0; i < 400; i++) {
        trial_ball(&t, "azad-featherstone");
        t.seed = (uint64_t)i * 0xd1342543de82ef95u;
        make_scattered(&t);
        t.options.level = 0.5;
        ff_normal law = t.truth;
        const ff_fit_result fit = fitted(&law, &t.data, &t.options, NULL);
        inside += fit.params[0].low <= 3.1e3 && 3.1e3 <= fit.params[0].high;
    }
    assert_true(inside >= 160 && inside <= 240);
}

/* restitution without sigma is weighted by its own scatter and not dominated by the times */
static void test_k_without_sigma(void **state) {
    (void)state;
    static trial t;
    static const char *const both[] = {"k", "lambda"};
    int inside = 0;
    for (int turn = 0; turn < 60; turn++) {
        trial_ball(&t, "azad-featherstone");
        t.seed = 77 + (uint64_t)turn * 0xd1342543de82ef95u;
        make_timed(&t);
        t.data.sigma = NULL;
        if (turn % 3 == 0) {
            /* some values were not measured */
            t.column[3][3] = t.column[3][7] = (double)NAN;
        }
        t.options.free = both, t.options.free_count = 2;
        ff_normal law = law_named("azad-featherstone", 1e7, 1);
        const ff_fit_result fit = fitted(&law, &t.data, &t.options, NULL);
        inside += fit.params[0].low <= 8.5e6 && 8.5e6 <= fit.params[0].high;
        assert_true(fit.rms < 0.05 && fit.params[1].told && fabs(fit.correlation[0][1]) < 1);
    }
    /* as above */
    assert_true(inside >= 50);
}

/* The source of scatter is recognised if the data show it; otherwise scatter of bounces is assumed. */
static void test_scatter_is_found_out(void **state) {
    (void)state;
    static trial t;
    int readings[2] = {0};
    for (int turn = 0; turn < 80; turn++) {
        trial_ball(&t, "azad-featherstone");
        t.seed = (uint64_t)turn * 0xd1342543de82ef95u;
        (turn % 2 ? make_heard : make_rough)(&t);
        ff_normal law = t.truth;
        readings[turn % 2] +=
            fitted(&law, &t.data, &t.options, NULL).scatter == FF_FIT_SCATTER_READINGS;
    }
    /* 13 % and 2 % were wrong in 100 trials each: of 40, 5 and 1 on average, plus at most 4 standard deviations */
    assert_true(readings[0] <= 5 && readings[1] >= 27);
}

/* the law that generated the data has the lowest AIC */
static void test_aic_finds_the_law(void **state) {
    (void)state;
    static const char *const names[] = {"linear", "hunt-crossley", "lee-wang", "azad-featherstone"};
    static trial t;
    for (int known = 0; known < 2; known++) {
        for (size_t truth = 0; truth < 4; truth++) {
            double aic[4];
            trial_ball(&t, names[truth]);
            t.seed = 11 + truth;
            ff_design_damping(&t.truth, 0.154, 0.5, -log(0.7));
            ff_fit_data data = make_data(&t.truth, 0.154);
            for (int i = 0; i < POINTS; i++) {
                measured[i] += 0.01 * trial_normal(&t);
                sigmas[i] = 0.01;
            }
            data.sigma = known ? sigmas : NULL;
            for (size_t i = 0; i < 4; i++) {
                ff_normal law = law_named(names[i], 8.5e6, 1);
                aic[i] = fitted(&law, &data, &t.options, NULL).aicc;
            }
            for (size_t i = 0; i < 4; i++) {
                assert_true(i == truth || aic[i] > aic[truth] + 10);
            }
        }
    }
}

/* ---- parameters that the data do not determine ---- */

static void test_what_cannot_be_told(void **state) {
    (void)state;
    static trial t;
    ff_normal law;
    /* almost elastic impacts: the data give only an upper bound of the damping */
    static double v[] = {1, 2, 3, 4}, e[] = {0.93, 1, 0.97, 0.999};
    ff_fit_data data = {.count = 4, .speed = v, .restitution = e};
    trial_ball(&t, "azad-featherstone");
    law = t.truth;
    ff_fit_result fit = fitted(&law, &data, &t.options, NULL);
    assert_false(fit.params[0].told);
    assert_non_null(strstr(fit.words, "the data do not determine lambda: its 95 % interval"));
    /* the same data with a thousand times less scatter determine it */
    for (int i = 0; i < 4; i++) {
        e[i] = ff_impact_restitution(&t.truth, 0.154, v[i]) + 2e-5 * (i % 2 ? 1 : -1);
    }
    law = t.truth;
    fit = fitted(&law, &data, &t.options, NULL);
    assert_true(fit.params[0].told && !*fit.words);
    /* a fit that exceeds its evaluations reports it */
    static const char *const five[] = {"k", "n", "lambda", "p", "lambda_out"};
    trial_ball(&t, "general");
    t.seed = 3;
    make_loop(&t);
    t.options.free = five, t.options.free_count = 5;
    t.options.evaluations = 300;
    law = t.truth;
    fit = fitted(&law, &t.data, &t.options, NULL);
    assert_non_null(strstr(fit.words, "is that of the linearised problem"));
    t.options.evaluations = 5;
    ff_error error;
    law = t.truth;
    assert_int_equal(ff_fit(&law, &t.data, &t.options, &fit, NULL, &error), FF_NO_CONVERGENCE);
    assert_non_null(strstr(error.text, "gave up after"));
    assert_true(ff_normal_value(&law, "n") == ff_normal_value(&t.truth, "n"));
}

static const ff_fit_options *refusing;

/* a refused fit: with this status, and these words in its message */
static void refused(const ff_normal *law, const ff_fit_data *data, ff_status status,
                    const char *words) {
    ff_normal found = *law;
    ff_fit_result out;
    ff_error error = {""};
    assert_int_equal(ff_fit(&found, data, refusing, &out, NULL, &error), status);
    assert_holds(strstr(error.text, words), "'%s' does not say '%s'", error.text, words);
    assert_memory_equal(found.values, law->values, sizeof found.values);
}

static void test_fits_that_cannot_be(void **state) {
    (void)state;
    static const char *const both[] = {"k", "lambda"}, *const wrong[] = {"banana"},
                             *const twice[] = {"lambda", "lambda"}, *const word[] = {"detach"};
    const ff_normal law = law_named("azad-featherstone", 8.5e6, 3.1e3);
    ff_fit_data data = make_data(&law, 0.154);
    ff_fit_options o = with_mass(0.154);
    refusing = &o;
    o.free = both, o.free_count = 2;
    refused(&law, &data, FF_NOT_IDENTIFIABLE, "contact times");
    o.free = wrong, o.free_count = 1;
    refused(&law, &data, FF_BAD_VALUE, "no numeric parameter 'banana'");
    o.free = word;
    refused(&law, &data, FF_BAD_VALUE, "no numeric parameter 'detach'");
    o.free = twice, o.free_count = 2;
    refused(&law, &data, FF_BAD_VALUE, "named twice");
    o.free_count = 11;
    refused(&law, &data, FF_BAD_VALUE, "no law has so many");
    o.free = NULL, o.free_count = 0;
    data.count = 1;
    refused(&law, &data, FF_NOT_IDENTIFIABLE, "too few for 1 unknowns: at least 2");
    data.count = POINTS;
    o.mass = -1;
    refused(&law, &data, FF_BAD_VALUE, "mass");
    o.mass = 0.154, o.level = 1;
    refused(&law, &data, FF_BAD_VALUE, "level");
    o.level = 0.95, o.evaluations = 0;
    refused(&law, &data, FF_BAD_VALUE, "evaluations");
    o.evaluations = 20000, o.scatter = (ff_fit_scatter)7;
    refused(&law, &data, FF_BAD_VALUE, "scatter");
    o.scatter = FF_FIT_SCATTER_AUTO, o.size = 3;
    refused(&law, &data, FF_BAD_VALUE, "_default()");
    o.size = sizeof o;
    const ff_normal flores = law_named("flores", 1e6, 0.5);
    refused(&flores, &data, FF_BAD_VALUE, "no damping to estimate");
    data.kind = (ff_fit_kind)9;
    refused(&law, &data, FF_BAD_VALUE, "no kind");
    data.kind = FF_FIT_BOUNCES;
    refused(&law, &data, FF_BAD_VALUE, "columns time");
    data.kind = FF_FIT_RESTITUTION;
    /* values out of range, one at a time */
    static const struct {
        double *column, value;
        const char *words;
    } bad[] = {{sigmas, 0, "sigma is 0"},         {speeds, -1, "speed is -1"},
               {speeds, 2e112, "below 1e6"},      {measured, NAN, "restitution is missing"},
               {measured, 1.01, "at most 1"},     {measured, 0, "restitution is 0"},
               {speeds, INFINITY, "speed is inf"}};
    for (size_t i = 0; i < ROWS(bad); i++) {
        const double kept = bad[i].column[4];
        bad[i].column[4] = bad[i].value;
        refused(&law, &data, FF_BAD_VALUE, bad[i].words);
        bad[i].column[4] = kept;
    }
    /* bounces that gain height, and the row where they do */
    double t[] = {0, 1, 1.8, 2.7, 3}, h[] = {1, 0.5, 0.6}, drop[] = {1, 1}, rebound[] = {0.5, 1.1};
    data = (ff_fit_data){.kind = FF_FIT_BOUNCES, .count = 5, .time = t};
    refused(&law, &data, FF_BAD_VALUE, "the restitution would be above 1");
    t[3] = 1.5;
    refused(&law, &data, FF_BAD_VALUE, "must increase from row to row");
    data = (ff_fit_data){.kind = FF_FIT_HEIGHTS, .count = 3, .height = h};
    refused(&law, &data, FF_BAD_VALUE, "below the previous one");
    data = (ff_fit_data){.kind = FF_FIT_HEIGHTS, .count = 2, .drop = drop, .rebound = rebound};
    ff_fit_result out;
    ff_normal found = law;
    assert_int_equal(ff_fit(&found, &data, &o, &out, NULL, NULL), FF_BAD_VALUE);
    assert_true(out.bad_row == 1 && strcmp(out.bad_column, "rebound") == 0);
    o.gravity = 0;
    refused(&law, &data, FF_BAD_VALUE, "gravity");
    o.gravity = 9.81;
    /* two clicks are one flight */
    data = (ff_fit_data){.kind = FF_FIT_BOUNCES, .count = 2, .time = t};
    refused(&law, &data, FF_NOT_IDENTIFIABLE, "at least");
    /* static forces do not determine damping */
    double depth[] = {1e-3, 2e-3, 3e-3}, force[] = {1, 2, 3};
    data = (ff_fit_data){.kind = FF_FIT_FORCE_DEPTH, .count = 3, .depth = depth, .force = force};
    refused(&law, &data, FF_NOT_IDENTIFIABLE, "rate or time");
    double zero[] = {0, 0, 0}, tick[] = {0, 1e-3, 2e-3};
    data.rate = zero;
    refused(&law, &data, FF_NOT_IDENTIFIABLE, "lambda");
    /* no pulse in the recorded force */
    data = (ff_fit_data){.kind = FF_FIT_FORCE_TIME, .count = 3, .time = tick, .force = zero};
    refused(&law, &data, FF_NOT_IDENTIFIABLE, "at least");
    o.speed = -1;
    refused(&law, &data, FF_BAD_VALUE, "speed");
    double many[] = {0, 1, 2, 3, 4, 5, 6, 7}, none[8] = {0};
    data = (ff_fit_data){.kind = FF_FIT_FORCE_TIME, .count = 8, .time = many, .force = none};
    o.speed = (double)NAN;
    refused(&law, &data, FF_NO_CONVERGENCE, "converge");
}

/* Every failing allocation is reported, and all blocks are freed. */
static int blocks_left, blocks_out;

static void *allocate(void *user, size_t alignment, size_t bytes) {
    (void)user, (void)alignment;
    if (blocks_left-- <= 0) {
        return NULL;
    }
    blocks_out++;
    return malloc(bytes);
}

static void *resize(void *user, void *block, size_t bytes) {
    (void)user, (void)block, (void)bytes;
    return NULL;
}

static void release(void *user, void *block) {
    (void)user;
    blocks_out--;
    free(block);
}

static void test_memory_ends(void **state) {
    (void)state;
    static trial t;
    const ff_allocator few = {sizeof few, allocate, resize, release, NULL};
    trial_ball(&t, "azad-featherstone");
    make_heard(&t);
    int ends = 0;
    for (blocks_left = 0; ends < 20; ends++) {
        ff_normal law = t.truth;
        ff_fit_result out;
        ff_error error;
        blocks_left = ends;
        assert_int_equal(ff_allocator_set(&few), FF_OK);
        const ff_status status = ff_fit(&law, &t.data, &t.options, &out, NULL, &error);
        assert_int_equal(ff_allocator_set(NULL), FF_OK);
        assert_int_equal(blocks_out, 0);
        if (status == FF_OK) {
            break;
        }
        assert_int_equal(status, FF_NO_MEMORY);
        assert_string_equal(error.text, "out of memory");
    }
    assert_true(ends > 0 && ends < 20);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_quantiles),
    cmocka_unit_test(test_exact_data_return_the_truth),
    cmocka_unit_test(test_alpha_follows),
    cmocka_unit_test(test_every_kind_returns_the_truth),
    cmocka_unit_test(test_symmetries),
    cmocka_unit_test(test_interval_of_a_straight_line),
    cmocka_unit_test(test_intervals_hold_the_truth),
    cmocka_unit_test(test_short_intervals),
    cmocka_unit_test(test_k_without_sigma),
    cmocka_unit_test(test_scatter_is_found_out),
    cmocka_unit_test(test_aic_finds_the_law),
    cmocka_unit_test(test_what_cannot_be_told),
    cmocka_unit_test(test_fits_that_cannot_be),
    cmocka_unit_test(test_memory_ends),
};

CHECK_MAIN(tests)
