/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "check.h"
#include "law/decay.h"
#include "law/params.h"
#include <footfall/footfall.h>

/* e of laws with p = n by the tables of src/law/decay.c, compared with the equation that it solves. */

/* -ln e for p = n in extended precision, by bisection of q = -ln e in
 *   2 q = ln(phi(-w)/phi(d)),   w = d_out exp(-q),   phi(x) = (x - ln(1 + x))/x^2,
 * by series where d and d_out are small, with the leading 1/2 cancelled beforehand. */
static long double precise_phi(long double x) {
    long double total = 0;
    for (int j = 60; fabsl(x) < 0.25L && j >= 0; j--) {
        total = 1.0L / (j + 2) - x * total;
    }
    return fabsl(x) < 0.25L ? total : (x - log1pl(x)) / (x * x);
}

static double precise_decay(double closing, double opening) {
    long double target = precise_phi(closing), low = 0, high = 1000;
    bool small = fmax(closing, opening) < 0.25;
    for (int turn = 0; turn < 200; turn++) {
        long double q = turn < 120 ? sqrtl(fmaxl(low, 1e-30L) * high) : (low + high) / 2;
        long double w = opening * expl(-q), gap = 0, w_j = w, d_j = -(long double)closing;
        for (int j = 1; small && j <= 60; j++, w_j *= w, d_j *= -closing) {
            gap += (w_j - d_j) / (j + 2);
        }
        /* phi(-w) is infinite for w >= 1 */
        bool below =
            w >= 1 || (small ? log1pl(gap / target) : logl(precise_phi(-w) / target)) > 2 * q;
        *(below ? &low : &high) = q;
    }
    return (double)low;
}

/* the tables of p = n: 2 units in the last place for equal dampings, 3 for others (tools/decay --check), each up
 * to 2^-52 */
static void test_decay_is_precise(void **state) {
    (void)state;
    for (int turn = 0; turn < 4000; turn++) {
        double in = log_uniform(1e-8, 1e6), out = log_uniform(1e-8, 1e6);
        assert_close(ff_decay_hunt_crossley(in, in), precise_decay(in, in), 2 * 0x1p-52);
        assert_close(ff_decay_hunt_crossley(in, out), precise_decay(in, out), 3 * 0x1p-52);
    }
    /* a single damper */
    assert_close(ff_decay_hunt_crossley(0.7, 0), -log(2 * (0.7 - log1p(0.7)) / 0.49) / 2, 1e-15);
    assert_close(ff_decay_hunt_crossley(0, 0.7), precise_decay(1e-300, 0.7), 3 * 0x1p-52);
    /* asymptotic limits: 2 d/3 and (d + d_out)/3, ln d and ln d_out */
    assert_close(ff_decay_hunt_crossley(3e-300, 3e-300), 2e-300, 2 * 0x1p-52);
    assert_close(ff_decay_hunt_crossley(3e-300, 6e-300), 3e-300, 3 * 0x1p-52);
    assert_close(ff_decay_hunt_crossley(1e300, 1e300), log(1e300), 0x1p-52);
    assert_close(ff_decay_hunt_crossley(1, 1e300), log(1e300), 3 * 0x1p-52);
    assert_close(ff_decay_hunt_crossley(1e300, 0), log(1e300 / 2) / 2, 3 * 0x1p-52);
    assert_true(ff_decay_hunt_crossley(0, 0) == 0);
    assert_true(isnan(ff_decay_hunt_crossley(INFINITY, INFINITY)) &&
                isnan(ff_decay_hunt_crossley(NAN, 1)) &&
                isnan(ff_decay_hunt_crossley(1, INFINITY)));
}

/* Tables have no jumps between pieces beyond rounding, e decreases with speed, and equal dampings agree with
 * nearly equal ones. */
static void test_decay_is_smooth(void **state) {
    (void)state;
    for (double octave = 0.125; octave < 64; octave *= 2) {
        for (int part = 0; part < 8; part++) {
            double d = octave * (1 + part / 8.0), below = nextafter(d, 0);
            double at = ff_decay_hunt_crossley(d, d);
            assert_close(ff_decay_hunt_crossley(below, below), at, 4 * 0x1p-52);
            /* x = d_out if d = 0 */
            assert_close(ff_decay_hunt_crossley(0, below), ff_decay_hunt_crossley(0, d),
                         6 * 0x1p-52);
            assert_close(ff_decay_hunt_crossley(below, 0), ff_decay_hunt_crossley(d, 0),
                         6 * 0x1p-52);
            assert_close(ff_decay_hunt_crossley(d, below), at, 6 * 0x1p-52);
        }
    }
    ff_normal law;
    const double values[] = {8.5e6, 3.1e6, NAN, NAN, NAN};
    ff_normal_make(&law, ff_normal_law_find("hunt-crossley"), values, NULL);
    double last = 0;
    /* steps of 1e-3, whose effect is far above rounding */
    for (double v = 1e-9; v < 1e9; v *= 1.001) {
        double decay = ff_impact_decay(&law, 0.154, v);
        assert_true(decay > last);
        last = decay;
    }
    /* and within steps of 1e-14 */
    for (int turn = 0; turn < 20000; turn++) {
        double d = log_uniform(1e-6, 100), further = d * (1 + 1e-14);
        assert_true(ff_decay_hunt_crossley(d, d) < ff_decay_hunt_crossley(further, further));
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_decay_is_precise),
    cmocka_unit_test(test_decay_is_smooth),
};

CHECK_MAIN(tests)
