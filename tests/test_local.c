/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */

/* Normal laws whose bed detaches element by element (detach: local). */

#include "check.h"
#include "impacts.h"
#include "motion.h"
#include "reference.h"
#include "scene_text.h"
#include <footfall/impact.h>

/* Both phases with k = m = v = 1 (docs/theory.md, Detachment of a bed): compression z = s^q, expansion z + tau v = s^q,
 * dt = q s^(q-1) dsigma. With q = 4 all powers have six smooth derivatives, and for n = 3/2 they are polynomials. */
static void bed_rates(bool opening, double n, double tau, const double y[3], double dy[3]) {
    enum { Q = 4 };
    double s = fmax(y[0], 0), v = y[1], clock = Q * pow(s, Q - 1), spring = pow(s, Q * n);
    dy[0] = opening ? v - tau * spring : v;
    dy[1] = -clock * (spring + (opening ? 0 : n * tau * pow(s, Q * (n - 1)) * v));
    dy[2] = clock;
}

static void bed_step(bool opening, double n, double tau, double h, double y[3]) {
    static const double part[] = {0, 0.5, 0.5, 1}, weight[] = {1, 2, 2, 1};
    double sum[3] = {0}, at[3], dy[3] = {0};
    for (int stage = 0; stage < 4; stage++) {
        for (int i = 0; i < 3; i++) {
            at[i] = y[i] + part[stage] * h * dy[i];
        }
        bed_rates(opening, n, tau, at, dy);
        for (int i = 0; i < 3; i++) {
            sum[i] += weight[stage] * dy[i];
        }
    }
    for (int i = 0; i < 3; i++) {
        y[i] += h / 6 * sum[i];
    }
}

/* until y[which] falls to 0, located by Newton's method */
static void bed_until(bool opening, double n, double tau, int which, double y[3]) {
    double dy[3];
    do {
        bed_step(opening, n, tau, 2e-4, y);
    } while (y[which] > 0);
    for (int i = 0; i < 4; i++) {
        bed_rates(opening, n, tau, y, dy);
        bed_step(opening, n, tau, -y[which] / dy[which], y);
    }
}

/* tau and e for k = m = v = 1, n = 3/2, to six digits, computed independently */
static const double known[][2] = {{0.2, 0.731357}, {0.5, 0.501410}, {1, 0.309894}, {2, 0.158097}};

static ff_normal local_bed(double k, double lambda) {
    return normal("azad-featherstone", (double[]){k, lambda, NAN, 2});
}

static void test_an_impact(void **state) {
    (void)state;
    for (size_t i = 0; i < ROWS(known); i++) {
        ff_normal law = local_bed(1, 1.5 * known[i][0]);
        ff_impact at = solved(&law, 1, 1);
        assert_near(at.restitution, known[i][1], 5e-7);
        assert_close(at.end_depth, known[i][0] * at.restitution, 1e-14);
        assert_close(at.delta, 1.5 * known[i][0], 1e-15);
    }
    /* recomputed by tools/reference/impacts.py; the table of e has errors of 1e-13, the other numbers of rounding */
    for (size_t i = 0; i < ROWS(reference_local); i++) {
        const double *row = reference_local[i];
        ff_normal law = local_bed(1, row[0]);
        ff_impact at = solved(&law, 1, 1);
        assert_close(at.restitution, row[1], 1e-13);
        assert_close(at.loss, row[2], 1e-13);
        assert_close(at.contact_time, row[3], 1e-14);
        assert_close(at.max_depth, row[4], 1e-14);
        assert_close(at.max_depth_time, row[5], 1e-14);
        assert_close(at.end_depth, row[0] / 1.5 * row[1], 1e-13);
    }
}

/* Any exponent, with different dampings while closing and opening. */
static void test_other_exponents(void **state) {
    (void)state;
    static const double n[] = {1.25, 1.4, 1.5, 1.7, 2, 2.5, 3};
    for (size_t i = 0; i < ROWS(n); i++) {
        for (double tau = 0.05; tau < 2; tau *= 6) {
            const double out = 0.7 * tau;
            ff_normal law =
                normal("general", (double[]){1, n[i] * tau, n[i], n[i] - 1, n[i] * out, 2, NAN});
            ff_impact at = solved(&law, 1, 1);
            double y[3] = {0, 1, 0};
            bed_until(false, n[i], tau, 1, y);
            const double depth = pow(y[0], 4), time = y[2];
            /* v is 0 there, so z + tau v is z */
            bed_until(true, n[i], out, 0, y);
            /* RK4 with steps of 2e-4: 1e-13 */
            assert_close(at.restitution, -y[1], 1e-12);
            assert_close(at.max_depth, depth, 1e-12);
            assert_close(at.max_depth_time, time, 1e-12);
            assert_close(at.contact_time, y[2], 1e-12);
            assert_close(at.end_depth, out * at.restitution, 1e-12);
            assert_close(at.energy_lost, 0.5 * (1 - y[1] * y[1]), 1e-11);
        }
    }
}

/* e depends on delta alone, and the inverse functions recover the damping */
static void test_scaling_and_inverses(void **state) {
    (void)state;
    for (size_t i = 0; i < ROWS(known); i++) {
        const double tau = known[i][0];
        const double lambda = 1.5 * tau * pow(0.2, 0.4) * pow(3e7, 0.6) * pow(5, -0.2);
        ff_normal law = local_bed(1, 1.5 * tau), other = local_bed(3e7, lambda),
                  found = local_bed(1, 1);
        ff_impact at = solved(&law, 1, 1), scaled = solved(&other, 0.2, 5);
        assert_close(scaled.delta, at.delta, 1e-14);
        assert_close(scaled.restitution, at.restitution, 1e-12);
        assert_close(5 * scaled.contact_time / at.contact_time, scaled.max_depth / at.max_depth,
                     1e-12);
        /* e is accurate to 1e-13 and proportional to at most delta^-1 */
        assert_int_equal(ff_design_contact_time(&found, 1, 1, at.decay, at.contact_time), FF_OK);
        assert_close(ff_normal_value(&found, "lambda"), 1.5 * tau, 1e-11);
        assert_close(ff_normal_value(&found, "k"), 1, 1e-11);
        found = local_bed(1, 1);
        assert_int_equal(ff_design_max_depth(&found, 1, 1, at.decay, at.max_depth), FF_OK);
        assert_close(ff_normal_value(&found, "lambda"), 1.5 * tau, 1e-11);
    }
}

static void test_curves(void **state) {
    (void)state;
    const double tau = 0.5;
    ff_normal law = local_bed(1, 1.5 * tau);
    ff_impact_point curve[50];
    assert_int_equal(ff_impact_curve(&law, 1, 1, 50, curve), FF_OK);
    for (int j = 0; j < 50; j++) {
        double z = curve[j].depth, v = curve[j].velocity;
        double want =
            v < 0 ? pow(fmax(z + tau * v, 0), 1.5) : pow(z, 1.5) + 1.5 * tau * sqrt(z) * v;
        /* at its end the force is 0 up to the 3/2th power of the error of the end */
        assert_near(curve[j].force, want, 1e-12);
    }
    /* the phase plane continues backwards without the clamp */
    assert_int_equal(ff_phase_branch(&law, 1, 0.5, -1, 50, curve), FF_OK);
    for (int j = 0; j < 50; j++) {
        assert_true(isfinite(curve[j].force) && curve[j].depth >= 0);
    }
}

/* data generated by the law give back its damping */
static void test_fit(void **state) {
    (void)state;
    enum { COUNT = 12 };
    double speed[COUNT], e[COUNT];
    ff_normal law = local_bed(1e6, 2e3), start = local_bed(1e6, 100);
    for (int i = 0; i < COUNT; i++) {
        speed[i] = pow(10, -1.5 + 0.25 * i);
        e[i] = ff_impact_restitution(&law, 0.1, speed[i]);
    }
    ff_fit_data data = {.count = COUNT, .speed = speed, .restitution = e};
    ff_fit_options options = ff_fit_options_default();
    ff_fit_result found;
    options.mass = 0.1;
    assert_int_equal(ff_fit(&start, &data, &options, &found, NULL, NULL), FF_OK);
    /* least squares stop when the sum of squares is at rounding */
    assert_close(ff_normal_value(&start, "lambda"), 2e3, 1e-8);
}

/* any n with p = n - 1, with different dampings; n = 1 is the clamp; everything else is refused by name */
static void test_exponents(void **state) {
    (void)state;
    for (double n = 1.25; n < 3; n += 0.25) {
        ff_normal law = normal("general", (double[]){2, 0.6, n, n - 1, 0.9, 2, NAN});
        double tau = 0.9 / (2 * n);
        assert_close(ff_normal_force(&law, 0.7, -0.4, NULL), 2 * pow(0.7 - 0.4 * tau, n), 1e-14);
        assert_close(ff_normal_force(&law, 0.7, 0.4, NULL),
                     2 * pow(0.7, n) + 0.6 * pow(0.7, n - 1) * 0.4, 1e-14);
        assert_true(ff_normal_force(&law, 0.1, -0.11 / tau, NULL) == 0);
        ff_impact at = solved(&law, 1, 1);
        assert_close(at.energy_lost, 0.5 * (1 - at.restitution * at.restitution), 1e-12);
    }
    ff_normal one = normal("linear", (double[]){1, 0.7, NAN, 2}),
              clamp = normal("linear", (double[]){1, 0.7, NAN, 0});
    assert_true(ff_impact_restitution(&one, 1, 1) == ff_impact_restitution(&clamp, 1, 1));
    static const struct {
        const char *law;
        double values[FF_LAW_PARAMS];
    } refused[] = {{"hunt-crossley", {1, 1, NAN, NAN, 2}},
                   {"marhefka-orin", {1, 1, NAN, 2}},
                   {"lee-wang", {1, 1, NAN, 2}},
                   {"ristow-schaefer", {1, 1, NAN, 2}},
                   {"tsuji", {1, 1, NAN, 2}},
                   {"lankarani-nikravesh", {1, 0.5, NAN, NAN, 2}},
                   {"flores", {1, 0.5, NAN, NAN, 2}},
                   {"general", {1, 1, 1.5, 0.6, NAN, 2, NAN}},
                   {"general", {1, 1, 1.5, 0.5, NAN, 2, 2}}};
    for (size_t i = 0; i < ROWS(refused); i++) {
        ff_normal law;
        ff_error error;
        const ff_normal_law *table = ff_normal_law_find(refused[i].law);
        assert_int_equal(ff_normal_make(&law, table, refused[i].values, &error), FF_BAD_VALUE);
        assert_non_null(strstr(error.text, "detach: local of"));
        assert_non_null(strstr(error.text, refused[i].law));
    }
    ff_normal law = local_bed(1, 1);
    assert_true(isnan(law.law->recover(&law, 0.1, 0, &(double){0})));
}

/* the same impact in a scene, with located events, and by fixed steps without events; the ledger closes */
static void test_scenes(void **state) {
    (void)state;
    for (size_t i = 0; i < ROWS(known); i++) {
        ff_normal law = local_bed(1e6, 1.5e6 * known[i][0] * 1e-4);
        double e = ff_impact_restitution(&law, 0.1, 2);
        for (int fixed = 0; fixed < 2; fixed++) {
            ff_friction none;
            ff_friction_none(&none);
            ff_model *model = ball_on_floor(0.1, 0.05, 0.051, (double[]){0, 0, -2}, 0, law, none);
            ff_run_options options = ff_run_options_default();
            options.method = fixed ? FF_RK4 : FF_AUTO;
            options.dt = 1e-7;
            options.tol = 1e-11;
            options.events = !fixed;
            ff_sim *sim;
            assert_int_equal(ff_sim_create(model, &options, &sim, NULL), FF_OK);
            go(sim, 0.01);
            /* the error of a step is proportional to tol; without events the ends are missed by a fraction of a
             * step */
            assert_close(ff_sim_body(sim, 0).velocity[2], 2 * e, fixed ? 1e-6 : 1e-8);
            ff_ledger l = ff_sim_ledger(sim);
            assert_near(l.residual, 0, (fixed ? 1e-6 : 1e-9) * l.scale);
            assert_close(l.normal_damper, 0.2 * (1 - e * e), fixed ? 1e-6 : 1e-8);
            finish(sim, model);
        }
    }
}

/* Impacts with 24 dampings: the worst error of the rebound speed, as a multiple of tol. */
static double worst_of(bool located, double tol) {
    double worst = 0;
    for (int i = 0; i < 24; i++) {
        ff_normal law = local_bed(1e6, 30 * pow(1.15, i));
        const double e = ff_impact_restitution(&law, 0.1, 2);
        ff_friction none;
        ff_friction_none(&none);
        assert_true(law.kinked);
        law.kinked = located;
        ff_model *model = ball_on_floor(0.1, 0.05, 0.051, (double[]){0, 0, -2}, 0, law, none);
        ff_sim *sim = started(model, FF_DOP853, tol);
        go(sim, 0.01);
        worst = fmax(worst, fabs(ff_sim_body(sim, 0).velocity[2] / (2 * e) - 1) / tol);
        finish(sim, model);
    }
    return worst;
}

/* Steps end at the turning point, where the second derivative of the force jumps: errors are below tol, at most 0.36 of it.
 * Where the kink is left to error control, steps over it are accepted whose error is up to 2.5 tol. */
static void test_turning_point(void **state) {
    (void)state;
    double most = 0;
    for (double tol = 1e-9; tol > 0.9e-12; tol /= 10) {
        assert_true(worst_of(true, tol) < 0.5);
        most = fmax(most, worst_of(false, tol));
    }
    assert_true(most > 1);
}

/* A ball that lies still, or nearly so, passes the turning point all the time, but its kink changes nothing: it must not end
 * steps. */
static void test_rest(void **state) {
    (void)state;
    long evaluations[2];
    for (int located = 0; located < 2; located++) {
        ff_normal law = local_bed(1e6, 900);
        ff_friction none;
        ff_friction_none(&none);
        law.kinked = located;
        ff_model *model = ball_on_floor(1, 0.1, 0.1 - pow(9.81 / 1e6, 2.0 / 3),
                                        (double[]){1, 0, 1e-5}, 9.81, law, none);
        ff_sim *sim = started(model, FF_AUTO, 1e-6);
        go(sim, 1);
        evaluations[located] = ff_sim_statistics(sim).evaluations;
        finish(sim, model);
    }
    assert_int_equal(evaluations[1], evaluations[0]);
}

#define BALL(pair)                                                                                 \
    "bodies: {ball: {mass: 1, shape: {sphere: {radius: 0.1}}, position: [0, 0, 0.1]}}\n"           \
    "ground: {floor: {plane: {point: [0, 0, 0], normal: [0, 0, 1]}}}\n"                            \
    "pairs:\n  - {between: [ball, floor], " pair "}\n"

/* The last step of a contact, in which the rest of its energy goes to the damper at the rate k z^(3/2) |zdot|, is as accurate as
 * any other, wherever z = 0 is within the step that was tried first. Its error is up to 0.1 tol: steps have 0.03 tol, and the
 * estimate of dopri5 is a third of the error for z^(3/2). */
static void test_energy_of_the_last_step(void **state) {
    (void)state;
    double worst = 0;
    for (int method = 0; method < 2; method++) {
        for (int i = 0; i < 40; i++) {
            ff_model *model = ball_on_floor(0.1, 0.02, 0.021, (double[]){0, 0, -0.5 - 0.02 * i}, 0,
                                            local_bed(5e7, 1e4), friction("none", NULL));
            ff_sim *sim = started(model, method ? FF_AUTO : FF_DOPRI5, 1e-9);
            next_event(sim, FF_CLEAR);
            const ff_ledger ledger = ff_sim_ledger(sim);
            worst = fmax(worst, fabs(ledger.residual) / ledger.scale);
            finish(sim, model);
        }
    }
    assert_near(worst, 0, 1e-10);
}

static void test_scene_files(void **state) {
    (void)state;
    ff_scene *scene =
        parse_text(BALL("normal: {law: azad-featherstone, k: 1e6, lambda: 1e3, detach: local}"));
    assert_non_null(scene);
    ff_scene_free(scene);
    static const mistake cases[] = {
        {BALL("normal: {law: hunt-crossley, k: 1e6, lambda: 1e3, detach: local}"),
         "s.yaml:4:30: detach: local of hunt-crossley would need a bed of springs and dampers side "
         "by side, whose damping is by z^p with p = n - 1, as of azad-featherstone\n"}};
    ALL_SAY(cases);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_other_exponents),
    cmocka_unit_test(test_an_impact),
    cmocka_unit_test(test_scaling_and_inverses),
    cmocka_unit_test(test_curves),
    cmocka_unit_test(test_fit),
    cmocka_unit_test(test_exponents),
    cmocka_unit_test(test_scenes),
    cmocka_unit_test(test_scene_files),
    cmocka_unit_test(test_turning_point),
    cmocka_unit_test(test_rest),
    cmocka_unit_test(test_energy_of_the_last_step),
};

CHECK_MAIN(tests)
