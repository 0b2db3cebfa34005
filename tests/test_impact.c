/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "check.h"
#include "impact/orbit.h"
#include "impacts.h"
#include "law/decay.h"
#include "law/params.h"
#include "reference.h"
#include <complex.h>
#include <footfall/footfall.h>

/* e by integration alone, in units where m = k = v = 1 */
static double integrated_decay(double n, double p, double in, double out, bool tension) {
    ff_normal law = general(n, p, 1, in, out, tension);
    ff_orbit flow;
    assert_true(ff_orbit_init(&flow, &law, 1, 1));
    return ff_orbit_decay(&flow);
}

/* xiong in units where m = K = v = 1 */
static ff_impact solved_xiong(double alpha, double beta) {
    ff_normal law;
    ff_normal_make(&law, ff_normal_law_find("xiong"), (double[]){1, alpha, beta}, NULL);
    return solved(&law, 1, 1);
}

/* ---- compared with independently computed values ---- */

static void test_reference_linear(void **state) {
    (void)state;
    for (size_t i = 0; i < ROWS(reference_linear); i++) {
        const double *row = reference_linear[i];
        ff_normal clamp = general(1, 0, 1, 2 * row[0], NAN, false);
        ff_normal tension = general(1, 0, 1, 2 * row[0], NAN, true);
        ff_impact impact;
        assert_near(solved(&clamp, 1, 1).restitution, row[2], 1e-15);
        ff_status status = ff_impact_solve(&tension, 1, 1, &impact);
        assert_int_equal(status, row[0] < 1 ? FF_OK : FF_ENDLESS);
        assert_near(impact.restitution, row[1], 1e-15);
        assert_true(isinf(impact.contact_time) == (row[0] >= 1));
    }
}

static void test_reference_hunt_crossley(void **state) {
    (void)state;
    for (size_t i = 0; i < ROWS(reference_hunt_crossley); i++) {
        const double *row = reference_hunt_crossley[i];
        ff_normal law = general(1.5, 1.5, 1, row[0], NAN, false);
        /* exp(-q) with q up to 5 */
        assert_close(solved(&law, 1, 1).restitution, row[1], 1e-15);
    }
    for (size_t i = 0; i < ROWS(reference_marhefka_orin); i++) {
        for (size_t j = 0; j < ROWS(reference_alphas); j++) {
            ff_normal law;
            double values[] = {50e3, reference_alphas[j], NAN, NAN};
            ff_normal_make(&law, ff_normal_law_find("marhefka-orin"), values, NULL);
            /* four roundings: in q, in its terms, in exp, and in the reference */
            assert_close(ff_impact_restitution(&law, 50, reference_marhefka_orin[i][0]),
                         reference_marhefka_orin[i][j + 1], 1e-15);
        }
    }
}

static void test_reference_azad_featherstone(void **state) {
    (void)state;
    for (size_t i = 0; i < ROWS(reference_azad_featherstone); i++) {
        const double *row = reference_azad_featherstone[i];
        ff_normal law = general(1.5, 0.5, 1, row[0], NAN, false);
        ff_impact at = solved(&law, 1, 1);
        assert_close(at.restitution, row[1], 1e-13);
        assert_close(exp(-integrated_decay(1.5, 0.5, row[0], NAN, false)), row[1], 1e-13);
        assert_close(at.end_depth, row[2], 1e-12);
        assert_close(at.contact_time, row[3], 1e-13);
        assert_close(at.clear_time, row[4], 1e-13);
    }
    for (size_t i = 0; i < ROWS(reference_universality); i++) {
        const double *row = reference_universality[i];
        ff_normal law;
        double values[] = {row[1], row[2], NAN, NAN};
        ff_normal_make(&law, ff_normal_law_find("azad-featherstone"), values, NULL);
        assert_close(ff_impact_delta(&law, row[0], row[3]), row[4], 1e-14);
        assert_close(ff_impact_restitution(&law, row[0], row[3]), row[5], 1e-13);
    }
    static const double lambdas[] = {2e4, 5e4, 1e5, 2e5, 5e5};
    for (size_t i = 0; i < ROWS(reference_fig4_new); i++) {
        for (size_t j = 0; j < ROWS(lambdas); j++) {
            ff_normal law = general(1.5, 0.5, 1e10, lambdas[j], NAN, false);
            assert_close(ff_impact_restitution(&law, 0.066, reference_fig4_new[i][0]),
                         reference_fig4_new[i][j + 1], 1e-13);
        }
    }
    for (size_t i = 0; i < ROWS(reference_fig4_classical); i++) {
        for (int j = 0; j < 4; j++) {
            ff_normal law = general(1.5, 1.5, 1e10, 1e8 * pow(10, j), NAN, false);
            assert_close(ff_impact_restitution(&law, 0.066, reference_fig4_classical[i][0]),
                         reference_fig4_classical[i][j + 1], 1e-15);
        }
    }
}

/* Many speeds in one call, into a separate array or in place: the same bits as one by one. */
static void test_many_speeds(void **state) {
    (void)state;
    ff_normal law = general(1.5, 0.5, 1e10, 5e4, NAN, false);
    double speeds[] = {0.1, 1, -1, 10}, e[5] = {0, 0, 0, 0, -7};
    ff_impact_restitution_all(&law, 0.066, 4, speeds, e);
    for (int i = 0; i < 4; i++) {
        assert_true(i == 2 ? isnan(e[i]) : e[i] == ff_impact_restitution(&law, 0.066, speeds[i]));
    }
    assert_true(e[4] == -7);
    ff_impact_restitution_all(&law, 0.066, 4, speeds, speeds);
    assert_memory_equal(speeds, e, sizeof speeds);
}

static void test_reference_lee_wang_and_general(void **state) {
    (void)state;
    for (size_t i = 0; i < ROWS(reference_lee_wang); i++) {
        const double *row = reference_lee_wang[i];
        ff_normal law = general(1.5, 1, 1, row[0], NAN, false);
        ff_impact at = solved(&law, 1, 1);
        assert_close(at.restitution, row[1], 1.5e-13);
        assert_close(at.end_depth, row[2], 1e-10);
        /* with strong damping the force ends almost tangentially */
        assert_close(at.contact_time, row[3], row[0] < 10 ? 1e-12 : 1e-11);
    }
    for (size_t i = 0; i < ROWS(reference_general); i++) {
        const double *row = reference_general[i];
        ff_normal law = general(row[0], row[1], 1, row[2], NAN, false);
        assert_close(solved(&law, 1, 1).restitution, row[3], 2e-12);
    }
}

static void test_reference_loops(void **state) {
    (void)state;
    for (size_t i = 0; i < ROWS(reference_loops); i++) {
        const double *row = reference_loops[i];
        ff_normal law;
        ff_normal_make(&law, ff_normal_law_find("marhefka-orin"),
                       (double[]){row[1], row[3], NAN, NAN}, NULL);
        ff_impact at = solved(&law, row[0], row[2]);
        assert_close(at.restitution, row[4], 1e-13);
        assert_close(at.max_depth, row[5], 1e-13);
        assert_close(at.max_force, row[6], 1e-13);
        /* at the maximum force the slope is 0, so its depth is determined to half the digits only */
        assert_close(at.max_force_depth, row[7], 1e-10);
        assert_close(at.contact_time, row[8], 1e-11);
        assert_close(at.energy_lost, row[9], 1e-12);
    }
}

static void test_reference_hysteresis(void **state) {
    (void)state;
    /* Azad and Featherstone 2010, figs 6 and 7; with the error bounds stated by their computation */
    ff_normal classical = general(1.5, 1.5, 8.5e6, 3.1e6, NAN, false);
    ff_normal new = general(1.5, 0.5, 8.5e6, 3.1e3, NAN, false);
    ff_impact at = solved(&classical, 0.154, 1);
    assert_near(at.max_force, 201.98947712194357, 3.5e-11);
    assert_near(at.max_force_depth, 0.0007832683196418972, 1e-13 * 1e-3 + 8e-14);
    assert_near(at.max_depth, 0.000803653166479837, 6e-17);
    assert_near(at.contact_time, 0.0026438015009131767, 1e-15);
    assert_near(at.restitution, 0.8036671225184596, 2e-13);
    assert_near(at.energy_lost, 0.02726717502608324, 2e-14);
    assert_true(at.end_depth == 0);
    at = solved(&new, 0.154, 1);
    assert_near(at.max_force, 178.27430926916782, 2.1e-10);
    assert_near(at.max_force_depth, 0.0006966023089535814, 6e-16 + 8e-14);
    assert_near(at.max_depth, 0.0007281600439233079, 1.6e-16);
    assert_near(at.end_depth, 0.00022622369775276733, 6e-16);
    assert_near(at.contact_time, 0.0023775072899964987, 2e-16);
    assert_near(at.restitution, 0.620290784160815, 1.7e-12);
    assert_near(at.energy_lost, 0.047373429417557414, 1.6e-13);
    assert_near(0.4 * 8.5e6 * pow(at.end_depth, 2.5), 0.002617123151325757, 1.8e-14);
    /* by Taylor series in quadruple precision */
    assert_near(at.restitution, 0.6202907841608420701, 1e-13);
}

static void test_reference_phase_curves(void **state) {
    (void)state;
    ff_normal law;
    ff_normal_make(&law, ff_normal_law_find("marhefka-orin"), (double[]){50e3, 0.4, NAN, NAN},
                   NULL);
    for (size_t i = 0; i < ROWS(reference_contours); i++) {
        const double *row = reference_contours[i];
        double v = row[0], out = row[1],
               where[] = {0, 0.75 * v, 0.5 * v, 0.25 * v, 0.25 * out, 0.5 * out, 0.75 * out};
        assert_close(-v * ff_impact_restitution(&law, 50, v), out, 1e-15);
        for (size_t j = 0; j < ROWS(where); j++) {
            ff_impact_point at;
            assert_int_equal(ff_impact_at_velocity(&law, 50, v, where[j], &at), FF_OK);
            assert_close(at.depth, row[2 + j], 1e-13);
            assert_near(at.velocity, where[j], 1e-14 * v);
        }
    }
    for (size_t i = 0; i < ROWS(reference_sticky); i++) {
        const double *row = reference_sticky[i];
        ff_impact_point points[11];
        assert_int_equal(ff_phase_branch(&law, 50, row[0], row[1], 11, points), FF_OK);
        assert_close(points[0].depth, row[0], 1e-14);
        assert_near(points[10].depth, 0, 1e-14);
        assert_close(points[10].velocity, row[2], 1e-13);
        /* the force is tensile throughout */
        for (int j = 0; j < 10; j++) {
            assert_true(points[j].force < 0);
        }
    }
}

static void test_reference_xiong(void **state) {
    (void)state;
    for (size_t i = 0; i < ROWS(reference_xiong); i++) {
        double beta = reference_xiong[i][0];
        for (size_t j = 0; j < ROWS(reference_ratios); j++) {
            ff_impact at = solved_xiong(reference_ratios[j] * beta, beta);
            /* squaring the exponential of a fast filter loses some digits */
            assert_close(at.restitution, reference_xiong[i][j + 1], 1e-12);
        }
    }
    for (size_t i = 0; i < ROWS(reference_xiong_limit); i++) {
        const double *row = reference_xiong_limit[i];
        assert_close(exp(-ff_decay_linear(row[0] / 2, row[0] / 2, true)), row[1], 1e-15);
        assert_near(solved_xiong(1e-12, row[0]).restitution, row[1], 1e-11);
    }
    for (size_t i = 0; i < ROWS(reference_xiong_examples); i++) {
        const double *row = reference_xiong_examples[i];
        double beta = sqrt(row[1]);
        ff_normal law;
        if (row[0] > 1) {
            /* these values would create energy */
            const double values[] = {1, row[0] * beta, beta};
            assert_true(row[2] > 1);
            assert_int_equal(ff_normal_make(&law, ff_normal_law_find("xiong"), values, NULL),
                             FF_BAD_VALUE);
            continue;
        }
        assert_near(solved_xiong(row[0] * beta, beta).restitution, row[2], 1e-14);
    }
    for (size_t i = 0; i < ROWS(reference_xiong_named); i++) {
        const double *row = reference_xiong_named[i];
        ff_normal law;
        ff_normal_make(&law, ff_normal_law_find("xiong"), row + 1, NULL);
        ff_impact at = solved(&law, row[0], 1);
        assert_near(at.restitution, row[4], 1e-15);
        assert_close(at.contact_time, row[5], 1e-9);
    }
}

static void test_series_and_asymptote(void **state) {
    (void)state;
    /* e = 1 - C1 d + C2 d^2 + (4/15) d^(5/2) + O(d^3); C1 = (4/5)(5/4)^(3/5) B(3/5, 3/2) */
    double c1 = 0.8 * pow(1.25, 0.6) * exp(lgamma(0.6) + lgamma(1.5) - lgamma(2.1)),
           c2 = 0.6 * c1 * c1;
    assert_close(c1, 1.1534488580952889, 1e-14);
    for (double d = 1e-6; d < 2e-3; d *= 10) {
        double loss = -expm1(-ff_universal_decay(0.5, d, NULL));
        double rest = loss - (c1 * d - c2 * d * d - 4.0 / 15 * pow(d, 2.5));
        assert_near(rest, 0, d * d * d + 1e-13 * d);
    }
    double at = exp(-ff_universal_decay(0.5, 1e-3, NULL));
    assert_near((at - (1 - c1 * 1e-3 + c2 * 1e-6)) / pow(1e-3, 2.5), 0.24968176404723716, 1e-7);
    /* Lee-Wang: e = 1 - C1 d */
    assert_close(-expm1(-ff_universal_decay(1, 1e-9, NULL)) / 1e-9, 0.8457421741959602, 1e-8);
    /* e -> (3/2)^(2/3) d^(-5/3) */
    double limit = pow(1.5, 2.0 / 3);
    assert_close(exp(-ff_universal_decay(0.5, 100, NULL)) * pow(100, 5.0 / 3), 1.3032234148983706,
                 1e-12);
    assert_close(exp(-ff_universal_decay(0.5, 1000, NULL)) * pow(1000, 5.0 / 3), limit, 3e-4);
}

/* ---- table, closed forms and integration agree ---- */

static void test_universal_function_is_the_integration(void **state) {
    (void)state;
    for (int turn = 0; turn < 400; turn++) {
        double p = turn % 2 ? 0.5 : 1, delta = log_uniform(1e-8, 1000), slope, up, down;
        double want = integrated_decay(1.5, p, delta, NAN, false);
        /* relative to e if e is small, to the loss if that is small */
        assert_near(ff_universal_decay(p, delta, &slope), want, 2e-13 * fmin(1, want));
        up = ff_universal_decay(p, fmin(delta * 1.0001, 1000), NULL);
        down = ff_universal_decay(p, delta / 1.0001, NULL);
        double h = fmin(delta * 1.0001, 1000) - delta / 1.0001;
        /* a first-order difference near the end of the table, second-order elsewhere */
        assert_close(slope, (up - down) / h, delta > 999 ? 1e-3 : 1e-7);
    }
    assert_true(isnan(ff_universal_decay(0.5, 1001, NULL)) &&
                isnan(ff_universal_decay(0.5, -1, NULL)));
    assert_true(isnan(ff_universal_decay(0.7, 1, NULL)) &&
                isnan(ff_universal_decay(0.5, NAN, NULL)));
    assert_true(ff_universal_decay(0.5, 0, NULL) == 0);
}

static void test_closed_forms_are_the_integration(void **state) {
    (void)state;
    for (int turn = 0; turn < 300; turn++) {
        double n = turn % 3 == 0 ? 1 : turn % 3 == 1 ? 1.5 : uniform(1, 3);
        double in = log_uniform(1e-6, 30), out = turn % 2 ? in : log_uniform(1e-6, 30);
        double want = integrated_decay(n, n, in, out, false);
        /* exponents that are not rational with a small denominator q lose some digits in the integration */
        double fine = turn % 3 == 2 ? 1e-11 : 2e-13;
        assert_near(ff_decay_hunt_crossley(in, out), want, fine * fmax(want, 1e-3 * fine));
        /* p = (n-1)/2: the linear oscillator with zeta = delta/sqrt(2 (n+1)) */
        double per = 1 / sqrt(2 * (n + 1)), zeta = log_uniform(1e-6, 3),
               open = turn % 2 ? zeta : log_uniform(1e-6, 3);
        want = integrated_decay(n, (n - 1) / 2, zeta / per, open / per, false);
        assert_near(ff_decay_linear(zeta, open, true), want, fine * fmax(want, 1e-3));
        /* under tension the slow end of a nearly critical expansion needs many steps */
        open = fmin(open, 0.7);
        want = integrated_decay(n, (n - 1) / 2, zeta / per, open / per, true);
        assert_near(ff_decay_linear(zeta, open, false), want, 10 * fine * fmax(want, 1e-3));
    }
    assert_true(isinf(ff_decay_linear(0.5, 1, false)) && ff_decay_hunt_crossley(0, 0) == 0);
    /* at zeta = 1 the branches of acos and acosh meet: e = exp(-2) */
    assert_near(ff_decay_linear(1, 1, true), 2, 1e-15);
    assert_near(ff_decay_linear(1 - 1e-12, 1 + 1e-12, true), 2, 1e-11);
}

static void test_closed_forms_of_the_linear_impact(void **state) {
    (void)state;
    for (double zeta = 0.05; zeta < 1; zeta += 0.05) {
        ff_normal law = general(1, 0, 1, 2 * zeta, NAN, false);
        double s = sqrt(1 - zeta * zeta), theta = acos(zeta);
        ff_impact at = solved(&law, 1, 1);
        assert_close(at.contact_time, 2 * theta / s, 1e-13);
        assert_close(at.max_depth, exp(-zeta * theta / s), 1e-13);
        assert_close(at.max_depth_time, theta / s, 1e-13);
        /* for zeta above 1/2 the force is largest at touch-down */
        double most = zeta < 0.5 ? exp(-zeta * (3 * theta - acos(-1)) / s) : 2 * zeta;
        assert_close(at.max_force, most, 1e-13);
    }
}

/* Marhefka and Orin: e is independent of m, k and n, with equal and with different dampings */
static void test_hunt_crossley_is_independent_of_m_k_n(void **state) {
    (void)state;
    for (int turn = 0; turn < 200; turn++) {
        double d = log_uniform(1e-3, 10), d_out = turn % 2 ? d : log_uniform(1e-3, 10),
               v = log_uniform(1e-3, 10);
        double k = log_uniform(1, 1e9), m = log_uniform(1e-3, 1e3), n = 1 + 0.5 * (turn % 4);
        ff_normal law = general(n, n, k, d * k / v, d_out * k / v, false);
        assert_close(ff_impact_restitution(&law, m, v), exp(-ff_decay_hunt_crossley(d, d_out)),
                     1e-13);
        /* the integration, which does not use this property, agrees */
        ff_orbit flow;
        ff_orbit_init(&flow, &law, m, v);
        assert_close(exp(-ff_orbit_decay(&flow)), exp(-ff_decay_hunt_crossley(d, d_out)), 1e-12);
    }
}

/* (n, p) and delta enter only through kappa = 2 (p+1)/(n+1) - 1 and delta ((n+1)/2)^((p-n)/(n+1)) */
static void test_two_exponents_are_one(void **state) {
    (void)state;
    for (int turn = 0; turn < 100; turn++) {
        double n = uniform(1, 3), m = uniform(1, 3), kappa = uniform(0, 1),
               scaled = log_uniform(1e-3, 10);
        double p = (kappa + 1) * (n + 1) / 2 - 1, q = (kappa + 1) * (m + 1) / 2 - 1;
        double a =
            integrated_decay(n, p, scaled * pow((n + 1) / 2, (n - p) / (n + 1)), NAN, turn % 2);
        double b =
            integrated_decay(m, q, scaled * pow((m + 1) / 2, (m - q) / (m + 1)), NAN, turn % 2);
        assert_close(a, b, 2e-11);
    }
}

/* (k, lambda) -> (a^-(n+1) k, a^-(p+1) lambda) preserves e and multiplies times and depths by a */
static void test_scaling_law(void **state) {
    (void)state;
    for (int turn = 0; turn < 100; turn++) {
        static const double exponents[][2] = {{1.5, 0.5}, {1.5, 1},    {1.5, 1.5},
                                              {1, 0},     {1.5, 0.25}, {2, 1.5}};
        const double *e = exponents[turn % 6];
        double k = log_uniform(1, 1e9), m = log_uniform(1e-3, 1e3), v = log_uniform(1e-3, 10);
        ff_normal unit = general(e[0], e[1], k, 1, NAN, false);
        double a = log_uniform(0.1, 10),
               lambda = log_uniform(1e-3, 5) / ff_impact_delta(&unit, m, v);
        ff_normal first = general(e[0], e[1], k, lambda, NAN, false);
        ff_normal second =
            general(e[0], e[1], k * pow(a, -(e[0] + 1)), lambda * pow(a, -(e[1] + 1)), NAN, false);
        ff_impact x = solved(&first, m, v), y = solved(&second, m, v);
        assert_close(y.restitution, x.restitution, 1e-12);
        assert_close(y.contact_time, a * x.contact_time, 1e-12);
        assert_close(y.max_depth, a * x.max_depth, 1e-12);
        assert_close(y.max_force, x.max_force / a, 1e-12);
    }
}

/* ---- properties ---- */

static void test_restitution_is_in_bounds_and_falls(void **state) {
    (void)state;
    const ff_normal_law *law;
    for (size_t i = 0; (law = ff_normal_law_at(i)); i++) {
        if (!law->with_power) {
            continue;
        }
        for (int turn = 0; turn < 40; turn++) {
            double k = log_uniform(1e3, 1e9), m = log_uniform(1e-3, 10), v = log_uniform(1e-2, 10),
                   last = 2;
            double n = uniform(1, 2), p = uniform(0, 2);
            for (double damping = 1e-3; damping < 20; damping *= 3) {
                ff_normal a;
                double values[FF_LAW_PARAMS] = {k, 1, NAN, NAN, NAN, NAN, NAN, NAN};
                if (law->states > 0) {
                    values[1] = 1 / (1 + damping);
                } else if (strcmp(law->name, "general") == 0) {
                    values[2] = n, values[3] = p;
                } else if (strcmp(law->name, "hertz") == 0) {
                    values[1] = n;
                }
                ff_normal_make(&a, law, values, NULL);
                ff_power power = power_of(&a);
                if (law->states == 0 && power.lambda > 0) {
                    double factor = damping / ff_impact_delta(&a, m, v);
                    ff_normal_set_power(&a, power.k, power.lambda * factor,
                                        power.lambda_out * factor);
                    assert_close(ff_impact_delta(&a, m, v), damping, 1e-12);
                }
                double e = ff_impact_restitution(&a, m, v);
                assert_true(e > 0 && e <= 1);
                assert_true(strcmp(law->name, "hertz") == 0 ? e == 1 : e < last);
                last = e;
            }
        }
    }
}

/* impulses of both phases from the force along the curve: their ratio is e (Poisson), their sum m v (1 + e); and
 * the area of the loop is the energy lost, including the flight after an early end. The trapezoidal rule on 4000
 * intervals is accurate to 1e-6. */
static void test_poisson_and_loop_area(void **state) {
    (void)state;
    static const double exponents[][2] = {{1, 1}, {1.5, 1.5}, {1.5, 1}, {1.5, 0.5}, {2, 1}};
    for (int turn = 0; turn < 40; turn++) {
        enum { COUNT = 4001 };
        static ff_impact_point points[COUNT];
        const double *e = exponents[turn % 5];
        double in = log_uniform(0.01, 2), out = turn % 2 ? in : log_uniform(0.01, 2);
        ff_normal law = general(e[0], e[1], 1, in, out, false);
        ff_impact at = solved(&law, 1, 1);
        assert_int_equal(ff_impact_curve(&law, 1, 1, COUNT, points), FF_OK);
        double closing = 0, opening = 0, area = 0;
        for (int i = 1; i < COUNT; i++) {
            const ff_impact_point *a = &points[i - 1], *b = &points[i];
            double dt = b->time - a->time, push = dt * (a->force + b->force) / 2;
            assert_true(dt >= 0);
            /* the fraction of the interval before the turning point */
            double share = b->velocity >= 0  ? 1
                           : a->velocity < 0 ? 0
                                             : a->velocity / (a->velocity - b->velocity);
            closing += share * push;
            opening += (1 - share) * push;
            area += (b->depth - a->depth) * (a->force + b->force) / 2;
        }
        assert_near(opening / closing, at.restitution, 1e-5);
        assert_near(closing + opening, at.impulse, 1e-5);
        assert_near(area, at.energy_lost, 1e-5);
        assert_near(points[COUNT - 1].depth, 0, 1e-12);
        assert_near(points[COUNT - 1].time, at.clear_time, 1e-11);
    }
}

static void test_curves_agree_with_the_law(void **state) {
    (void)state;
    const ff_normal_law *table;
    for (size_t i = 0; (table = ff_normal_law_at(i)); i++) {
        ff_normal law;
        double values[FF_LAW_PARAMS] = {1e6, 0.5, 1.5, 0.7, NAN, NAN, NAN, NAN};
        if (strcmp(table->name, "xiong") == 0) {
            values[0] = 1e5, values[1] = 0.007, values[2] = 0.01;
        } else if (strcmp(table->name, "two-term") == 0) {
            values[1] = values[3] = NAN, values[2] = 1e9, values[4] = 0.3;
        } else if (strcmp(table->name, "dmt") == 0 || strcmp(table->name, "jkr") == 0) {
            values[2] = 0.03, values[3] = 100;
        } else if (strcmp(table->name, "general") != 0) {
            values[2] = values[3] = NAN;
            values[1] = strcmp(table->name, "hertz") == 0 ? 1.5 : table->states > 0 ? 0.5 : 100;
            values[1] = strcmp(table->name, "marhefka-orin") == 0 ? 0.3 : values[1];
        }
        assert_int_equal(ff_normal_make(&law, table, values, NULL), FF_OK);
        ff_impact_point points[50];
        assert_int_equal(ff_impact_curve(&law, 1, 0.7, 50, points), FF_OK);
        ff_impact at = solved(&law, 1, 0.7);
        /* the curve of a contact that breaks below z = 0 starts there: only rounding remains */
        assert_true(fabs(points[0].depth) <= 1e-15 * at.max_depth && points[0].time == 0);
        assert_close(points[0].velocity, 0.7, 1e-15);
        assert_close(-points[49].velocity, 0.7 * at.restitution, 1e-10);
        for (int j = 1; j < 49 && !table->curve; j++) {
            const double latched = 0.7;
            double want = ff_normal_force(&law, points[j].depth, points[j].velocity, &latched);
            assert_near(points[j].force, want, 1e-10 * at.max_force);
            assert_true(points[j].force <= at.max_force * (1 + 1e-12));
            assert_true(points[j].depth <= at.max_depth * (1 + 1e-12));
        }
    }
}

/* ---- arbitrary laws, by their force alone ---- */

/* Power laws by their forces in SI units, compared with their known solutions. */
static void test_any_law_is_solved_by_its_force(void **state) {
    (void)state;
    static const double exponents[][2] = {{1, 0},     {1, 1},      {1.5, 1.5}, {1.5, 1},
                                          {1.5, 0.5}, {1.5, 0.25}, {1.3, 0.7}, {2.2, 1.1}};
    for (int turn = 0; turn < 160; turn++) {
        const double *e = exponents[turn % 8];
        double k = log_uniform(1e2, 1e9), m = log_uniform(1e-3, 10), v = log_uniform(1e-2, 10);
        ff_normal unit = general(e[0], e[1], k, 1, NAN, false);
        double lambda = log_uniform(1e-4, 5) / ff_impact_delta(&unit, m, v);
        ff_normal law = general(e[0], e[1], k, lambda, turn % 3 ? (double)NAN : lambda / 2,
                                turn % 5 == 0 && e[1] >= (e[0] - 1) / 2 && lambda < 0.5);
        ff_normal_law table;
        ff_normal other = bare(&law, &table);
        ff_impact known = solved(&law, m, v), found;
        assert_int_equal(ff_impact_solve(&other, m, v, &found), FF_OK);
        assert_same_impact(&found, &known, 1e-11);
        assert_true(isnan(found.delta));
        /* the loss is computed independently of e */
        assert_close(found.loss, known.loss, 1e-10);
        assert_close(ff_impact_decay(&other, m, v), known.decay, 1e-10);
    }
}

/* A law with an internal state: matrix exponential and integration are independent methods. */
static void test_any_law_with_states(void **state) {
    (void)state;
    for (int turn = 0; turn < 60; turn++) {
        double K = log_uniform(1e2, 1e9), m = log_uniform(1e-3, 10), v = log_uniform(1e-2, 10);
        double beta = log_uniform(0.05, 5) * sqrt(m / K), alpha = uniform(0.05, 1) * beta;
        ff_normal law, other;
        ff_normal_law table;
        ff_normal_make(&law, ff_normal_law_find("xiong"), (double[]){K, alpha, beta}, NULL);
        other = bare(&law, &table);
        ff_impact known = solved(&law, m, v), found = solved(&other, m, v);
        assert_same_impact(&found, &known, 1e-11);
    }
}

/* e with a vanishing second term, and with a hardening one, which leaves e unchanged too: with V = k z^(n+1)/(n+1)
 * + ... instead of z^(n+1)/(n+1) it is Hunt and Crossley's */
static void test_two_terms(void **state) {
    (void)state;
    for (int turn = 0; turn < 60; turn++) {
        double k = log_uniform(1e2, 1e9), m = log_uniform(1e-3, 10), v = log_uniform(1e-2, 10);
        double d = log_uniform(1e-5, 50), depth = pow(m * v * v / k, 0.4);
        double k2 = turn % 2 ? log_uniform(0.01, 100) * k * pow(depth, -1.5) : 0;
        ff_normal law;
        const double values[] = {k, 1.5, k2, 3, d / v};
        assert_int_equal(ff_normal_make(&law, ff_normal_law_find("two-term"), values, NULL), FF_OK);
        ff_impact at = solved(&law, m, v);
        assert_close(at.restitution, exp(-ff_decay_hunt_crossley(d, d)), 1e-12);
        /* the elastic energy at the deepest point is phi(d) m v^2, where z_max is the only unknown */
        double energy = ff_normal_stored(&law, at.max_depth, 0, NULL) / (m * v * v);
        assert_close(energy, (d - log1p(d)) / (d * d), d < 1e-2 ? 1e-16 / (d * d) : 1e-11);
        assert_near(at.impulse_ratio, at.restitution, 1e-15);
    }
}

/* F = k z^n + lambda z^n zdot |zdot|: v dv/(1 + d v |v|) = -z^n dz gives e = 1/sqrt(1 + d), d = lambda v^2/k */
static void test_damping_by_the_square_of_the_rate(void **state) {
    (void)state;
    for (int turn = 0; turn < 60; turn++) {
        double k = log_uniform(1e2, 1e9), m = log_uniform(1e-3, 10), v = log_uniform(1e-2, 10);
        double d = log_uniform(1e-5, 50), n = uniform(1, 3);
        ff_normal law;
        const double values[] = {k, d * k / (v * v), n, n, NAN, NAN, 2};
        assert_int_equal(ff_normal_make(&law, ff_normal_law_find("general"), values, NULL), FF_OK);
        ff_impact at = solved(&law, m, v);
        assert_close(at.restitution, 1 / sqrt(1 + d), 1e-12);
        assert_close(at.loss, -expm1(-0.5 * log1p(d)), 1e-11);
        assert_true(isnan(at.delta) && isnan(ff_impact_delta(&law, m, v)));
        assert_int_equal(ff_design_damping(&law, m, v, 1), FF_BAD_VALUE);
    }
    /* with q = 1, given or by default, the law is unchanged */
    ff_normal given, left = general(1.5, 0.5, 8.5e6, 3.1e3, NAN, false), preset;
    ff_normal_make(&given, ff_normal_law_find("general"),
                   (double[]){8.5e6, 3.1e3, 1.5, 0.5, NAN, NAN, 1}, NULL);
    ff_normal_make(&preset, ff_normal_law_find("azad-featherstone"),
                   (double[]){8.5e6, 3.1e3, NAN, NAN}, NULL);
    for (int i = 0; i < 100; i++) {
        double z = log_uniform(1e-9, 1e-2), zdot = uniform(-2, 2);
        double force = ff_normal_force(&given, z, zdot, NULL);
        assert_true(force == ff_normal_force(&left, z, zdot, NULL) &&
                    force == ff_normal_force(&preset, z, zdot, NULL));
    }
}

/* A user-defined law with a state that stores the maximum depth: Walton and Braun 1986. Loading along k1 z,
 * unloading along k2 (z - (1 - k1/k2) w), where w is the maximum depth: e = sqrt(k1/k2) at any speed. */
static void plastic_respond(const ff_normal *law, const ff_normal_query *q, ff_normal_answer *out) {
    double k1 = law->values[0], k2 = law->values[1], part = k1 / k2, w = q->state[0];
    double back = k2 * (q->z - (1 - part) * w);
    bool loading = q->zdot > 0;
    out->force = loading ? k1 * q->z : q->open ? back : fmax(back, 0);
    out->loss = loading ? k1 * q->z * (1 - part) * q->zdot : 0;
    out->hold = back;
    out->grade = 1;
    out->ratio = out->force;
    if (out->rate) {
        out->rate[0] = loading ? q->zdot : 0;
    }
}

static double plastic_stored(const ff_normal *law, double z, double zdot, const double *state) {
    double k1 = law->values[0], k2 = law->values[1];
    double force = fmax(0, zdot > 0 ? k1 * z : k2 * (z - (1 - k1 / k2) * state[0]));
    return force * force / (2 * k2);
}

static void test_a_law_of_ones_own(void **state) {
    (void)state;
    static const ff_normal_law plastic = {
        .abi = FF_LAW_ABI,
        .name = "plastic",
        .formula = "F = k1 z, back along k2",
        .source = "Walton and Braun 1986",
        .limits = "",
        .params = {{"k1", "N/m", FF_POSITIVE, INFINITY, NAN, "stiffness of loading", NULL},
                   {"k2", "N/m", FF_POSITIVE, INFINITY, NAN, "stiffness of unloading", NULL}},
        .states = 1,
        .clamps = true,
        .damped = true,
        .respond = plastic_respond,
        .stored = plastic_stored,
    };
    for (int turn = 0; turn < 40; turn++) {
        double k1 = log_uniform(1e2, 1e8), e = turn ? uniform(0.02, 0.999) : 1 - 1e-9;
        double m = log_uniform(1e-3, 10), v = log_uniform(1e-2, 10);
        double k2 = k1 / (e * e), quarter = acos(-1) / 2;
        ff_normal law;
        assert_int_equal(ff_normal_make(&law, &plastic, (double[]){k1, k2}, NULL), FF_OK);
        ff_impact at = solved(&law, m, v);
        assert_close(at.restitution, e, 1e-11);
        assert_close(at.loss, 1 - e, turn ? 1e-9 : 1e-6);
        assert_close(at.max_depth, v * sqrt(m / k1), 1e-11);
        assert_close(at.max_force, v * sqrt(m * k1), 1e-11);
        assert_close(at.contact_time, quarter * (sqrt(m / k1) + sqrt(m / k2)), 1e-11);
        assert_near(at.end_depth, (1 - e * e) * at.max_depth, 1e-11 * at.max_depth);
        ff_impact_point points[20];
        assert_int_equal(ff_impact_curve(&law, m, v, 20, points), FF_OK);
        assert_close(points[19].time, at.clear_time, 1e-11);
    }
}

/* points of the motion under arbitrary laws, also if it never ends */
static void test_curves_of_any_law(void **state) {
    (void)state;
    ff_normal law = general(1.5, 0.5, 8.5e6, 3.1e3, NAN, false), other;
    ff_normal_law table;
    enum { COUNT = 40 };
    ff_impact_point points[COUNT], at, same;
    other = bare(&law, &table);
    assert_int_equal(ff_impact_curve(&other, 0.154, 1, COUNT, points), FF_OK);
    assert_true(points[COUNT - 1].depth == 0 && points[COUNT - 2].force == 0);
    ff_impact impact = solved(&law, 0.154, 1);
    assert_close(points[COUNT - 1].time, impact.clear_time, 1e-11);
    for (int i = 1; i < COUNT - 2; i++) {
        assert_int_equal(ff_impact_at_velocity(&law, 0.154, 1, points[i].velocity, &at), FF_OK);
        assert_int_equal(ff_impact_at_velocity(&other, 0.154, 1, points[i].velocity, &same), FF_OK);
        /* near touch-down the velocity hardly determines depth and time */
        assert_near(points[i].depth, at.depth, 1e-10 * impact.max_depth);
        assert_near(points[i].time, at.time, 1e-10 * impact.clear_time);
        assert_near(same.depth, at.depth, 1e-11 * impact.max_depth);
        assert_near(same.force, at.force, 1e-10 * impact.max_force);
    }
    /* branches continue without the clamp */
    ff_impact_point branch[COUNT], bare_branch[COUNT];
    assert_int_equal(ff_phase_branch(&law, 0.154, 1e-3, -0.5, COUNT, branch), FF_OK);
    assert_int_equal(ff_phase_branch(&other, 0.154, 1e-3, -0.5, COUNT, bare_branch), FF_OK);
    assert_close(bare_branch[COUNT - 1].velocity, branch[COUNT - 1].velocity, 1e-11);
    assert_close(bare_branch[COUNT - 1].time, branch[COUNT - 1].time, 1e-11);
    /* endless creep is found from the force alone */
    ff_normal strong = general(1, 0, 1, 3, NAN, true);
    ff_impact endless;
    other = bare(&strong, &table);
    assert_int_equal(ff_impact_solve(&other, 1, 1, &endless), FF_ENDLESS);
    assert_true(endless.restitution == 0 && isinf(endless.contact_time) && endless.max_force == 3);
}

/* ---- Xiong's law ---- */

static void test_xiong_limits(void **state) {
    (void)state;
    for (double beta = 0.1; beta < 20; beta *= 1.7) {
        /* alpha = beta is a spring */
        ff_impact spring = solved_xiong(beta, beta);
        assert_near(spring.restitution, 1, 1e-13);
        assert_close(spring.contact_time, acos(-1), 1e-13);
        assert_close(spring.max_force, 1, 1e-12);
        /* alpha -> 0 is the clamped Kelvin-Voigt law with zeta = beta/2, to first order in alpha */
        ff_impact thin = solved_xiong(1e-9, beta);
        assert_near(thin.restitution, exp(-ff_decay_linear(beta / 2, beta / 2, true)), 1e-7);
    }
}

/* the impact by Runge-Kutta in the variables of the law, as an independent solution */
static void test_xiong_against_its_force(void **state) {
    (void)state;
    ff_normal law;
    double K = 1e5, m = 2, v = 0.3;
    ff_normal_make(&law, ff_normal_law_find("xiong"), (double[]){K, 0.004, 0.006}, NULL);
    ff_impact at = solved(&law, m, v);
    double x[3] = {0, v, 0}, h = at.contact_time / 4000, deepest = 0, strongest = 0;
    for (int i = 0; i < 4000; i++) {
        double k[4][3], y[3];
        for (int stage = 0; stage < 4; stage++) {
            double c = stage == 0 ? 0 : stage == 3 ? h : h / 2;
            for (int j = 0; j < 3; j++) {
                y[j] = x[j] + (stage ? c * k[stage - 1][j] : 0);
            }
            ff_normal_answer f = ff_normal_at(&law, y[0], y[1], &y[2], &k[stage][2]);
            k[stage][0] = y[1], k[stage][1] = -f.force / m;
        }
        for (int j = 0; j < 3; j++) {
            x[j] += h / 6 * (k[0][j] + 2 * k[1][j] + 2 * k[2][j] + k[3][j]);
        }
        deepest = fmax(deepest, x[0]);
        strongest = fmax(strongest, ff_normal_force(&law, x[0], x[1], &x[2]));
    }
    assert_close(-x[1] / v, at.restitution, 1e-10);
    assert_close(deepest, at.max_depth, 1e-6);
    assert_close(strongest, at.max_force, 1e-6);
    assert_close(x[0], at.end_depth, 1e-8);
    assert_near(ff_normal_force(&law, x[0], x[1], &x[2]), 0, 1e-6);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_reference_linear),
    cmocka_unit_test(test_reference_hunt_crossley),
    cmocka_unit_test(test_reference_azad_featherstone),
    cmocka_unit_test(test_many_speeds),
    cmocka_unit_test(test_reference_lee_wang_and_general),
    cmocka_unit_test(test_reference_loops),
    cmocka_unit_test(test_reference_hysteresis),
    cmocka_unit_test(test_reference_phase_curves),
    cmocka_unit_test(test_reference_xiong),
    cmocka_unit_test(test_series_and_asymptote),
    cmocka_unit_test(test_universal_function_is_the_integration),
    cmocka_unit_test(test_closed_forms_are_the_integration),
    cmocka_unit_test(test_closed_forms_of_the_linear_impact),
    cmocka_unit_test(test_hunt_crossley_is_independent_of_m_k_n),
    cmocka_unit_test(test_two_exponents_are_one),
    cmocka_unit_test(test_scaling_law),
    cmocka_unit_test(test_restitution_is_in_bounds_and_falls),
    cmocka_unit_test(test_poisson_and_loop_area),
    cmocka_unit_test(test_curves_agree_with_the_law),
    cmocka_unit_test(test_any_law_is_solved_by_its_force),
    cmocka_unit_test(test_any_law_with_states),
    cmocka_unit_test(test_two_terms),
    cmocka_unit_test(test_damping_by_the_square_of_the_rate),
    cmocka_unit_test(test_a_law_of_ones_own),
    cmocka_unit_test(test_curves_of_any_law),
    cmocka_unit_test(test_xiong_limits),
    cmocka_unit_test(test_xiong_against_its_force),
};

CHECK_MAIN(tests)
