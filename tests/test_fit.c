/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "check.h"
#include "law/params.h"
#include <footfall/footfall.h>

enum { POINTS = 24 };

/* Box and Muller */
static double normal(void) {
    return sqrt(-2 * log(uniform(1e-300, 1))) * cos(2 * acos(-1) * uniform(0, 1));
}

static ff_normal law_named(const char *name, double k, double lambda) {
    ff_normal law;
    double values[FF_LAW_PARAMS] = {k, lambda, NAN, NAN, NAN, NAN, NAN, NAN};
    assert_int_equal(ff_normal_make(&law, ff_normal_law_find(name), values, NULL), FF_OK);
    return law;
}

static double speeds[POINTS], measured[POINTS], sigmas[POINTS], times[POINTS], time_sigmas[POINTS];

static ff_fit_data make_data(const ff_normal *truth, double mass, double sigma,
                             double time_spread) {
    for (int i = 0; i < POINTS; i++) {
        ff_impact at;
        speeds[i] = 0.02 * pow(200, (double)i / (POINTS - 1));
        assert_int_equal(ff_impact_solve(truth, mass, speeds[i], &at), FF_OK);
        measured[i] = at.restitution + sigma * normal();
        sigmas[i] = sigma > 0 ? sigma : 1e-3;
        time_sigmas[i] = fmax(time_spread, 1e-3) * at.contact_time;
        times[i] = at.contact_time * (1 + time_spread * normal());
    }
    return (ff_fit_data){
        .count = POINTS, .speed = speeds, .restitution = measured, .sigma = sigmas};
}

/* without noise the truth comes back to the accuracy of restitution itself */
static void test_exact_data_return_the_truth(void **state) {
    (void)state;
    static const char *const names[] = {"linear", "hunt-crossley", "lee-wang", "azad-featherstone",
                                        "tsuji"};
    for (size_t i = 0; i < 5; i++) {
        ff_normal truth = law_named(names[i], 8.5e6, 1), found = law_named(names[i], 8.5e6, 1);
        ff_design_damping(&truth, 0.154, 0.5, -log(0.7));
        ff_fit_data data = make_data(&truth, 0.154, 0, 0);
        ff_fit fit;
        double residuals[POINTS];
        ff_error error;
        assert_int_equal(ff_fit_restitution(&found, 0.154, &data, false, &fit, residuals, &error),
                         FF_OK);
        assert_close(fit.lambda, ff_normal_value(&truth, "lambda"), 1e-9);
        assert_true(ff_normal_value(&found, "lambda") == fit.lambda && fit.k == 8.5e6 &&
                    fit.k_error == 0);
        assert_true(fit.rms < 1e-10 && fabs(residuals[3]) < 1e-10 && fit.unknowns == 1);
    }
}

/* marhefka-orin's alpha follows lambda */
static void test_alpha_follows(void **state) {
    (void)state;
    ff_normal truth = law_named("marhefka-orin", 50e3, 0.3),
              found = law_named("marhefka-orin", 50e3, 1);
    ff_fit_data data = make_data(&truth, 10, 0, 0);
    ff_fit fit;
    assert_int_equal(ff_fit_restitution(&found, 10, &data, false, &fit, NULL, NULL), FF_OK);
    assert_close(ff_normal_value(&found, "alpha"), 0.3, 1e-9);
}

/* Over 400 draws the truth is within 1.96 standard errors in 95 % of them, and the spread of the
 * estimates is the standard error. The binomial spread of the count is 1.1 %; 3 of those. */
static void test_intervals_cover_the_truth(void **state) {
    (void)state;
    for (int known = 0; known < 2; known++) {
        int inside = 0;
        double sum = 0, square = 0, error = 0;
        ff_normal truth = law_named("azad-featherstone", 8.5e6, 3.1e3);
        for (int turn = 0; turn < 400; turn++) {
            ff_normal found = truth;
            ff_fit_data data = make_data(&truth, 0.154, 0.01, 0);
            data.sigma = known ? sigmas : NULL;
            ff_fit fit;
            assert_int_equal(ff_fit_restitution(&found, 0.154, &data, false, &fit, NULL, NULL),
                             FF_OK);
            /* Student's 97.5 % for 23 degrees of freedom where sigma is not known */
            inside += fabs(fit.lambda - 3.1e3) < (known ? 1.96 : 2.069) * fit.lambda_error;
            sum += fit.lambda - 3.1e3;
            square += (fit.lambda - 3.1e3) * (fit.lambda - 3.1e3);
            error += fit.lambda_error / 400;
        }
        assert_true(inside >= 367 && inside <= 393);
        assert_close(error, sqrt(square / 400), 0.12);
        /* no bias beyond that of 400 draws */
        assert_near(sum / 400, 0, 4 * error / 20);
    }
}

static void test_k_from_contact_times(void **state) {
    (void)state;
    int inside = 0;
    ff_normal truth = law_named("azad-featherstone", 8.5e6, 3.1e3);
    for (int turn = 0; turn < 60; turn++) {
        ff_normal found = law_named("azad-featherstone", 1e5, 1);
        ff_fit_data data = make_data(&truth, 0.154, 0.005, 0.02);
        data.contact_time = times;
        data.time_sigma = time_sigmas;
        if (turn % 3 == 0) {
            /* some were not measured */
            times[3] = times[7] = NAN;
        }
        ff_fit fit;
        ff_error error;
        assert_int_equal(ff_fit_restitution(&found, 0.154, &data, true, &fit, NULL, &error), FF_OK);
        inside += fabs(fit.k - 8.5e6) < 2.5 * fit.k_error &&
                  fabs(fit.lambda - 3.1e3) < 2.5 * fit.lambda_error;
        assert_true(fit.correlation > 0 && fit.correlation < 1 && fit.unknowns == 2);
        assert_true(fit.k_error > 0 && fit.k_error < 0.1 * fit.k);
    }
    /* 98.8 % each would do it; both in 60 draws miss 6 or more once in a thousand */
    assert_true(inside >= 54);
    /* times without their own sigma count with 1 % */
    ff_normal found = law_named("azad-featherstone", 1e5, 1);
    ff_fit_data data = make_data(&truth, 0.154, 0, 0);
    data.contact_time = times;
    ff_fit fit;
    assert_int_equal(ff_fit_restitution(&found, 0.154, &data, true, &fit, NULL, NULL), FF_OK);
    assert_close(fit.k, 8.5e6, 1e-8);
}

/* restitution without sigma is weighed by its own scatter, not drowned by the times */
static void test_k_without_sigma(void **state) {
    (void)state;
    int inside = 0;
    ff_normal truth = law_named("azad-featherstone", 8.5e6, 3.1e3);
    for (int turn = 0; turn < 40; turn++) {
        ff_normal found = law_named("azad-featherstone", 1e7, 1);
        ff_fit_data data = make_data(&truth, 0.154, 0.005, 0.01);
        data.contact_time = times;
        data.sigma = NULL;
        ff_fit fit;
        assert_int_equal(ff_fit_restitution(&found, 0.154, &data, true, &fit, NULL, NULL), FF_OK);
        inside += fabs(fit.lambda - 3.1e3) < 3 * fit.lambda_error &&
                  fabs(fit.k - 8.5e6) < 3 * fit.k_error;
        assert_true(fit.rms < 0.01 && fit.lambda_error < 0.05 * fit.lambda);
    }
    assert_true(inside >= 37);
}

/* the law that made the data has the least AIC */
static void test_aic_finds_the_law(void **state) {
    (void)state;
    static const char *const names[] = {"linear", "hunt-crossley", "lee-wang", "azad-featherstone"};
    for (int known = 0; known < 2; known++) {
        for (size_t t = 0; t < 4; t++) {
            double aic[4];
            ff_normal truth = law_named(names[t], 8.5e6, 1);
            ff_design_damping(&truth, 0.154, 0.5, -log(0.7));
            ff_fit_data data = make_data(&truth, 0.154, 0.01, 0);
            data.sigma = known ? sigmas : NULL;
            for (size_t i = 0; i < 4; i++) {
                ff_normal law = law_named(names[i], 8.5e6, 1);
                ff_fit fit;
                assert_int_equal(ff_fit_restitution(&law, 0.154, &data, false, &fit, NULL, NULL),
                                 FF_OK);
                aic[i] = fit.aic;
            }
            for (size_t i = 0; i < 4; i++) {
                assert_true(i == t || aic[i] > aic[t] + 10);
            }
        }
    }
}

static void test_fits_that_cannot_be(void **state) {
    (void)state;
    ff_normal truth = law_named("azad-featherstone", 8.5e6, 3.1e3), law = truth, flores;
    ff_fit_data data = make_data(&truth, 0.154, 0.01, 0);
    ff_fit fit;
    ff_error error;
    assert_int_equal(ff_fit_restitution(&law, 0.154, &data, true, &fit, NULL, &error),
                     FF_NOT_IDENTIFIABLE);
    assert_non_null(strstr(error.text, "contact times"));
    assert_true(ff_normal_value(&law, "lambda") == ff_normal_value(&truth, "lambda"));
    data.count = 1;
    assert_int_equal(ff_fit_restitution(&law, 0.154, &data, false, &fit, NULL, &error),
                     FF_NOT_IDENTIFIABLE);
    data.count = POINTS;
    assert_int_equal(ff_fit_restitution(&law, -1, &data, false, &fit, NULL, &error), FF_BAD_VALUE);
    flores = law_named("flores", 1e6, 0.5);
    assert_int_equal(ff_fit_restitution(&flores, 1, &data, false, &fit, NULL, &error),
                     FF_BAD_VALUE);
    sigmas[4] = 0;
    assert_int_equal(ff_fit_restitution(&law, 0.154, &data, false, &fit, NULL, &error),
                     FF_BAD_VALUE);
    sigmas[4] = 0.01;
    speeds[2] = -1;
    assert_int_equal(ff_fit_restitution(&law, 0.154, &data, false, &fit, NULL, &error),
                     FF_BAD_VALUE);
    speeds[2] = 1;
    measured[0] = NAN;
    assert_int_equal(ff_fit_restitution(&law, 0.154, &data, false, &fit, NULL, &error),
                     FF_BAD_VALUE);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_exact_data_return_the_truth),
    cmocka_unit_test(test_alpha_follows),
    cmocka_unit_test(test_intervals_cover_the_truth),
    cmocka_unit_test(test_k_from_contact_times),
    cmocka_unit_test(test_k_without_sigma),
    cmocka_unit_test(test_aic_finds_the_law),
    cmocka_unit_test(test_fits_that_cannot_be),
};

CHECK_MAIN(tests)
