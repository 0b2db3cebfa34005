/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "impact/orbit.h"
#include "impacts.h"
#include "law/decay.h"

/* The integration of one impact, by series, by steps and in its coasting phase, at all dampings. */

/* Without damping z_max = ((n+1)/2)^(1/(n+1)) L and T = 2 z_max integral over x from 0 to 1 of (1 -
 * x^(n+1))^(-1/2) = 2 z_max sqrt(pi) Gamma(1 + r)/Gamma(1/2 + r), r = 1/(n+1). By series up to exponents of 23, by
 * steps beyond and if q n is not an integer; a negligible damper must have no effect. */
static void test_contact_time_of_a_spring(void **state) {
    (void)state;
    for (int q = 1; q <= 9; q++) {
        for (int top = q; top <= 3 * q; top++) {
            double n = (double)top / q, r = 1 / (n + 1), depth = pow((n + 1) / 2, r);
            double time = 2 * depth * sqrt(acos(-1)) * exp(lgamma(1 + r) - lgamma(0.5 + r));
            /* lgamma is accurate to about 1e-15; 9 n is not an integer with q = 8, which costs the steps some
             * digits */
            double fine = q < 9 ? 1e-14 : 1e-12;
            for (int damper = 0; damper < 5; damper++) {
                static const double lambdas[] = {0, 1e-300, 1e-100, 1e-40, 1e-18};
                double p = damper % 2 ? n : n - 1.0 / q;
                ff_normal law = general(n, p, 1, lambdas[damper], NAN, false);
                ff_impact at = solved(&law, 1, 1);
                assert_close(at.contact_time, time, fine);
                assert_close(at.max_depth, depth, fine);
                assert_close(at.max_depth_time, time / 2, fine);
                assert_close(at.max_force, pow(depth, n), 2 * fine);
                assert_near(at.restitution, 1, 1e-15);
            }
        }
    }
}

/* Series and steps do not use the closed form for p = n, whatever the exponents. */
static void test_restitution_of_all_whole_exponents(void **state) {
    (void)state;
    for (int q = 1; q <= 8; q++) {
        for (int top = q; top <= 3 * q; top++) {
            double n = (double)top / q, d = log_uniform(1e-6, 1e3);
            double d_out = top % 2 ? d : log_uniform(1e-6, 1e3);
            ff_normal law = general(n, n, 1, d, d_out, false);
            ff_orbit orbit;
            assert_true(ff_orbit_init(&orbit, &law, 1, 1));
            double want = ff_decay_hunt_crossley(d, d_out);
            /* steps are accurate to 1e-13, series to rounding */
            assert_near(ff_orbit_decay(&orbit), want,
                        (orbit.in_series ? 1e-14 : 2e-13) * fmax(want, 0.01));
        }
    }
}

/* T and z_max for p = n from the integral of dZ/v in 34 digits, in units where m = k = v = 1: n, d, T, z_max */
static const double reference_strong[][4] = {
    {1.5, 10, 6.4581139117148242785, 0.514694518152282019},
    {1.5, 100, 23.1391192674915445, 0.224371565218016404},
    {1.5, 1e3, 91.136904105479818674, 0.0907761302058092624},
    {1.5, 1e5, 1442.7171270056692724, 0.0144263346476870646},
    {1.5, 1e8, 91028.211237878224494, 0.000910282034440972474},
    {1, 1e3, 44.774736298431891611, 0.0445666073472209634},
    {1, 1e8, 14142.135792467443509, 0.00014142134321192063},
    {1.3, 1e5, 962.42106403119502232, 0.00962361384556228668},
    {1.3, 1e8, 47754.25870044024214, 0.000477542543050195849},
};

static void test_contact_time_of_strong_damping(void **state) {
    (void)state;
    for (size_t i = 0; i < ROWS(reference_strong); i++) {
        const double *row = reference_strong[i];
        ff_normal law = general(row[0], row[0], 1, row[1], NAN, false), tension, other;
        ff_normal_law table;
        ff_impact at = solved(&law, 1, 1);
        assert_close(at.contact_time, row[2], 1e-14);
        assert_close(at.max_depth, row[3], 1e-14);
        assert_true(at.steps < 200 && at.end_depth == 0 && at.clear_time == at.contact_time);
        /* the detachment rule does not matter */
        tension = general(row[0], row[0], 1, row[1], NAN, true);
        assert_close(solved(&tension, 1, 1).contact_time, row[2], 1e-14);
        /* by its force alone; the coast begins where the force is 1e-12 of the spring's */
        other = bare(&law, &table);
        at = solved(&other, 1, 1);
        assert_close(at.contact_time, row[2], 1e-12);
        assert_close(at.max_depth, row[3], 1e-13);
        assert_close(at.restitution, 1 / row[1], row[1] < 50 ? 1e-3 : 1e-13);
        assert_true(at.steps < 200);
    }
}

/* With p = n a strong damper leaves a force below rounding, which ends with the depth. */
static void test_a_force_that_fades(void **state) {
    (void)state;
    for (int turn = 0; turn < 40; turn++) {
        double d = log_uniform(10, 1e8), n = turn % 2 ? 1.5 : 1;
        ff_normal law = general(n, n, 1e6, d * 1e6, NAN, false), other;
        ff_normal_law table;
        other = bare(&law, &table);
        ff_impact known = solved(&law, 0.1, 1), found = solved(&other, 0.1, 1);
        assert_same_impact(&found, &known, 1e-11);
        assert_true(found.end_depth == 0);
    }
}

/* points along a coast */
static void test_curve_of_strong_damping(void **state) {
    (void)state;
    enum { COUNT = 50 };
    ff_normal law = general(1.5, 1.5, 1, 1e5, NAN, false), other;
    ff_normal_law table;
    other = bare(&law, &table);
    for (int turn = 0; turn < 2; turn++) {
        const ff_normal *which = turn ? &other : &law;
        ff_impact_point points[COUNT], at;
        assert_int_equal(ff_impact_curve(which, 1, 1, COUNT, points), FF_OK);
        assert_close(points[COUNT - 1].time, reference_strong[3][2], 1e-12);
        for (int i = COUNT / 2; i < COUNT; i++) {
            double z = 1e-5 * (reference_strong[3][2] - points[i].time);
            assert_close(points[i].velocity, -1e-5, 1e-12);
            assert_near(points[i].depth, z, 1e-12 * reference_strong[3][3]);
        }
        assert_int_equal(ff_impact_at_velocity(which, 1, 1, 0, &at), FF_OK);
        assert_close(at.depth, reference_strong[3][3], 1e-13);
    }
}

/* Energy lost, energy left in the spring and kinetic energy add up to the energy at touch-down, in units of m v^2. */
static void test_energy_of_a_coast(void **state) {
    (void)state;
    for (int turn = 0; turn < 4; turn++) {
        double n = turn % 2 ? 1.3 : 1.5;
        ff_normal law = general(n, n, 1, 1e3, NAN, false), other;
        ff_normal_law table;
        ff_orbit orbit;
        ff_orbit_run run = {0};
        ff_orbit_point y;
        other = bare(&law, &table);
        assert_true(ff_orbit_init(&orbit, turn < 2 ? &law : &other, 1, 1));
        ff_orbit_start(&orbit, y);
        assert_int_equal(
            ff_orbit_until(&orbit, orbit.closing, ff_orbit_velocity_event, 0, y, &run, NULL, NULL),
            FF_OK);
        double stored =
            turn < 2 ? ff_orbit_depth_power(&orbit, y, n + 1) / (n + 1) : ff_any_stored(&orbit, y);
        assert_near(y[FF_W] + stored, 0.5, 1e-13);
        /* the expansion is a coast except for its beginning */
        assert_int_equal(
            ff_orbit_until(&orbit, orbit.opening, ff_orbit_end_event, 0, y, &run, NULL, NULL),
            FF_OK);
        assert_near(y[FF_W] + y[FF_V] * y[FF_V] / 2, 0.5, 1e-13);
        assert_true(run.steps < 200);
    }
}

/* A law given only by its force, with a kink between compression and expansion, compared with the power law. */
static void test_a_bend_between_the_phases(void **state) {
    (void)state;
    static const double exponents[][2] = {{1.5, 0.5}, {1.5, 1},    {1, 0},    {1.5, 1.5},
                                          {1, 1},     {1.5, 0.25}, {2.8, 2.2}};
    static const double dampings[][2] = {{1e6, 0},    {1e6, 1e-3}, {1e3, 1e-6}, {0, 1e3},
                                         {1e-6, 1e3}, {0.5, 0.1},  {1e-3, 30},  {0, 0}};
    for (size_t i = 0; i < ROWS(exponents); i++) {
        for (size_t j = 0; j < ROWS(dampings); j++) {
            ff_normal law =
                general(exponents[i][0], exponents[i][1], 1, dampings[j][0], dampings[j][1], false);
            ff_normal_law table;
            ff_normal other = bare(&law, &table);
            ff_impact known = solved(&law, 1, 1), found = solved(&other, 1, 1);
            /* contact times of forces that end almost tangentially have errors of 1e-11 */
            assert_same_impact(&found, &known, 1e-10);
            assert_true(found.steps < 200 && known.steps < 100);
        }
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_contact_time_of_a_spring),
    cmocka_unit_test(test_restitution_of_all_whole_exponents),
    cmocka_unit_test(test_contact_time_of_strong_damping),
    cmocka_unit_test(test_a_force_that_fades),
    cmocka_unit_test(test_curve_of_strong_damping),
    cmocka_unit_test(test_energy_of_a_coast),
    cmocka_unit_test(test_a_bend_between_the_phases),
};

CHECK_MAIN(tests)
