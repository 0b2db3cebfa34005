/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "check.h"
#include "dynamics/lanes.h"
#include "num/elementary.h"
#include "num/pair.h"
#include "num/sine.h"
#include "num/sine.inc"
#include "reference_num.h"
#include <stdbool.h>
#if FF_HAVE_MPFR
#include <mpfr.h>
#endif

typedef double (*one_function)(double x);
typedef double (*two_function)(double x, double y);

/* the number of doubles between a and b */
static double steps_between(double a, double b) {
    int64_t i = (int64_t)ff_bits(a), j = (int64_t)ff_bits(b);
    i = i < 0 ? INT64_MIN - i : i;
    j = j < 0 ? INT64_MIN - j : j;
    return fabs((double)i - (double)j);
}

/* ---- known values ---- */

static const struct {
    const char *name;
    one_function ours, libm;
} ones[] = {
    {"exp", ff_exp, exp},       {"expm1", ff_expm1, expm1}, {"log", ff_log, log},
    {"log1p", ff_log1p, log1p}, {"log2", ff_log2, log2},    {"log10", ff_log10, log10},
    {"cbrt", ff_cbrt, cbrt},    {"sinh", ff_sinh, sinh},    {"cosh", ff_cosh, cosh},
    {"tanh", ff_tanh, tanh},    {"sin", ff_sin, sin},       {"cos", ff_cos, cos},
    {"tan", ff_tan, tan},       {"asin", ff_asin, asin},    {"acos", ff_acos, acos},
    {"atan", ff_atan, atan},
};

static const struct {
    const char *name;
    two_function ours, libm;
} twos[] = {{"pow", ff_pow, pow}, {"hypot", ff_hypot, hypot}, {"atan2", ff_atan2, atan2}};

/* An error below 1 ulp gives the rounded value or a neighbour of it. */
static void test_values(void **state) {
    (void)state;
    for (size_t i = 0; i < ROWS(reference_num); i++) {
        const reference_value *v = &reference_num[i];
        double seen = NAN;
        for (size_t j = 0; j < ROWS(ones); j++) {
            seen = strcmp(ones[j].name, v->function) == 0 ? ones[j].ours(v->x) : seen;
        }
        for (size_t j = 0; j < ROWS(twos); j++) {
            seen = strcmp(twos[j].name, v->function) == 0 ? twos[j].ours(v->x, v->y) : seen;
        }
        assert_holds(steps_between(seen, v->value) <= 1, "%s(%a, %a) is %a instead of %a",
                     v->function, v->x, v->y, seen, v->value);
    }
}

/* results that must be exact because their error is below 1 ulp */
static void test_exact(void **state) {
    (void)state;
    assert_true(ff_hypot(3, 4) == 5 && ff_hypot(5e-310, 12e-310) == 13e-310);
    for (int k = -1074; k < 1024; k++) {
        double power = ldexp(1, k);
        assert_true(ff_pow(2, k) == power && ff_log2(power) == k);
        assert_true(ff_pow(power, 1) == power && ff_pow(-power, 1) == -power);
    }
    double ten = 1;
    for (int k = 0; k <= 22; k++, ten *= 10) {
        assert_true(ff_log10(ten) == k && ff_pow(10, k) == ten);
    }
    for (int k = 1; k < 2000; k++) {
        assert_true(ff_cbrt((double)k * k * k) == k && ff_cbrt(-(double)k * k * k) == -k);
        assert_true(ff_pow(k, 3) == (double)k * k * k && ff_pow(-k, 3) == -(double)k * k * k);
    }
}

/* Zeros, infinities, NAN and ends of ranges: as in the C library, which follows C17, annex F. */
static void test_special(void **state) {
    (void)state;
    static const double points[] = {
        0,      0x1p-1074, 0x1p-1022, 0x1p-60,  0x1p-30, 0.1,        0.5,        1,    1.5,
        2,      2.5,       3,         4,        709,     709.9,      745.1,      746,  0x1p52,
        0x1p53, 0x1p63,    0x1p1000,  INFINITY, NAN,     0x1p53 + 2, 0x1p53 - 1, 1e308};
    for (size_t i = 0; i < 2 * ROWS(points); i++) {
        const double x = i % 2 ? -points[i / 2] : points[i / 2];
        for (size_t j = 0; j < ROWS(ones); j++) {
            const double seen = ones[j].ours(x), wanted = ones[j].libm(x);
            /* errors of the C library are below 4 ulp */
            assert_holds((isnan(seen) && isnan(wanted)) || (steps_between(seen, wanted) <= 4 &&
                                                            !signbit(seen) == !signbit(wanted)),
                         "%s(%a) is %a instead of %a", ones[j].name, x, seen, wanted);
        }
        for (size_t k = 0; k < 2 * ROWS(points); k++) {
            const double y = k % 2 ? -points[k / 2] : points[k / 2];
            for (size_t j = 0; j < ROWS(twos); j++) {
                const double seen = twos[j].ours(x, y), wanted = twos[j].libm(x, y);
                assert_holds((isnan(seen) && isnan(wanted)) || (steps_between(seen, wanted) <= 4 &&
                                                                !signbit(seen) == !signbit(wanted)),
                             "%s(%a, %a) is %a instead of %a", twos[j].name, x, y, seen, wanted);
            }
        }
    }
}

/* ---- properties ---- */

static void test_symmetry(void **state) {
    (void)state;
    for (int i = 0; i < 20000; i++) {
        double x = log_uniform(1e-20, 1e20), s, c;
        const one_function odd[] = {ff_sin, ff_tan, ff_atan, ff_sinh, ff_tanh, ff_cbrt, ff_asin};
        for (size_t j = 0; j < ROWS(odd); j++) {
            double a = odd[j](x), b = odd[j](-x);
            assert_true((isnan(a) && isnan(b)) || a == -b);
        }
        assert_true(ff_cos(-x) == ff_cos(x) && ff_cosh(-x) == ff_cosh(x));
        ff_sincos(x, &s, &c);
        assert_true(s == ff_sin(x) && c == ff_cos(x));
        double y = log_uniform(1e-20, 1e20);
        assert_true(ff_hypot(x, y) == ff_hypot(-y, x) && ff_atan2(-x, y) == -ff_atan2(x, y));
    }
}

/* Functions with an error of little more than half an ulp are monotonic. */
static void test_monotone(void **state) {
    (void)state;
    static const one_function rising[] = {ff_exp,  ff_log,  ff_cbrt, ff_atan,
                                          ff_sinh, ff_tanh, ff_expm1};
    for (int i = 0; i < 20000; i++) {
        double x = log_uniform(1e-3, 30);
        for (size_t j = 0; j < ROWS(rising); j++) {
            assert_holds(rising[j](nextafter(x, 100)) >= rising[j](x), "function %zu falls at %a",
                         j, x);
        }
    }
}

/* Lanes give the bits of ff_sincos() within their range, and report arguments outside of it. */
static void test_lanes(void **state) {
    (void)state;
    for (int i = 0; i < 100000; i++) {
        double x = i % 2 ? uniform(-7, 7) : log_uniform(1e-3, 1e6), s, c, lanes[3][4];
        /* sometimes near a quarter turn */
        x = i % 5 ? x : nearbyint(x) * (FF_PI / 2);
        const sine_reduced reduced = sine_reduce(all(x));
        V one, sines = reduced.r + sine_minus(reduced.r, reduced.rest);
        V cosines = cosine_minus(reduced.r, reduced.rest, &one);
        put(lanes[0], sines);
        put(lanes[1], one + cosines);
        put(lanes[2], reduced.turns);
        int quarters = (int)(ff_bits(lanes[2][1]) & 3);
        if (fabs(reduced.r[0]) < 0x1p-40) {
            continue;
        }
        ff_sincos(x, &s, &c);
        double wanted_s = quarters & 1 ? lanes[1][3] : lanes[0][3];
        double wanted_c = quarters & 1 ? lanes[0][2] : lanes[1][2];
        assert_true(s == (quarters & 2 ? -wanted_s : wanted_s));
        assert_true(c == ((quarters + 1) & 2 ? -wanted_c : wanted_c));
        /* the same for the reduction of all angles, to the last bits of `rest` */
        double r, rest;
        if (fabs(x) > 0.8) {
            assert_int_equal(ff_sine_reduce(x, &r, &rest), quarters);
            assert_near(r + rest, reduced.r[0] + reduced.rest[0], 0x1p-53);
        }
    }
}

/* The same bits with every compiler: a checksum of many values, as computed with gcc 12 on x86-64. */
static void test_bits(void **state) {
    (void)state;
    uint64_t seen[ROWS(ones)] = {0}, seen_two[ROWS(twos)] = {0}, random = 1;
    for (int i = 0; i < 20000; i++) {
        double x[2];
        for (int k = 0; k < 2; k++) {
            /* the top 10 bits choose an exponent between 2^-32 and 2^31 */
            random = random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            x[k] = ff_from_bits((random >> 12) | (991 + (random >> 55 & 63)) << 52 |
                                (random & UINT64_C(1) << 63));
        }
        for (size_t j = 0; j < ROWS(ones); j++) {
            double value = ones[j].ours(x[0]);
            seen[j] = seen[j] * 31 + (isnan(value) ? 0 : ff_bits(value));
        }
        for (size_t j = 0; j < ROWS(twos); j++) {
            double value = twos[j].ours(x[0], x[1]);
            seen_two[j] = seen_two[j] * 31 + (isnan(value) ? 0 : ff_bits(value));
        }
    }
    int wrong = 0;
    for (size_t j = 0; j < ROWS(ones) + ROWS(twos); j++) {
        const bool one = j < ROWS(ones);
        const uint64_t sum = one ? seen[j] : seen_two[j - ROWS(ones)];
        if (sum != reference_sums[j]) {
            print_error("%s: 0x%016llx\n", one ? ones[j].name : twos[j - ROWS(ones)].name,
                        (unsigned long long)sum);
            wrong++;
        }
    }
    assert_holds(wrong == 0, "%d functions with other bits", wrong);
}

/* ---- errors compared with MPFR ---- */

#if FF_HAVE_MPFR

static mpfr_t exact_x, exact_y, exact, off;

/* the error of a value in units of the last place of the exact one */
static double ulps(double seen) {
    const double wanted = mpfr_get_d(exact, MPFR_RNDN);
    if (!isfinite(wanted) || !isfinite(seen)) {
        return seen == wanted || (isnan(seen) && isnan(wanted)) ? 0 : (double)INFINITY;
    }
    int exponent = -1021;
    if (wanted != 0) {
        frexp(wanted, &exponent);
    }
    mpfr_sub_d(off, exact, seen, MPFR_RNDN);
    mpfr_mul_2si(off, off, 53 - (exponent < -1021 ? -1021 : exponent), MPFR_RNDN);
    return fabs(mpfr_get_d(off, MPFR_RNDN));
}

typedef int (*exact_one)(mpfr_ptr out, mpfr_srcptr x, mpfr_rnd_t mode);
typedef int (*exact_two)(mpfr_ptr out, mpfr_srcptr x, mpfr_srcptr y, mpfr_rnd_t mode);

static double error_at(one_function ours, exact_one theirs, double x) {
    mpfr_set_d(exact_x, x, MPFR_RNDN);
    theirs(exact, exact_x, MPFR_RNDN);
    return ulps(ours(x));
}

static double error_of_two(two_function ours, exact_two theirs, double x, double y) {
    mpfr_set_d(exact_x, x, MPFR_RNDN);
    mpfr_set_d(exact_y, y, MPFR_RNDN);
    theirs(exact, exact_x, exact_y, MPFR_RNDN);
    return ulps(ours(x, y));
}

/* a function and its arguments: evenly spaced from low to high, and logarithmically if low > 0 */
#define ONE(name, low, high, most)                                                                 \
    { #name, ff_##name, mpfr_##name, low, high, most }

/* `most` is slightly above the maximum over 200,000 numbers of each range; subnormal results are rounded twice */
static const struct {
    const char *name;
    one_function ours;
    exact_one theirs;
    double low, high, most;
} ranges[] = {
    ONE(exp, -708, 710, 0.51),        ONE(exp, -1, 1, 0.51),
    ONE(exp, -746, -708, 0.76),       ONE(exp, 1e-300, 700, 0.51),
    ONE(expm1, -45, 45, 0.54),        ONE(expm1, 1e-20, 1, 0.54),
    ONE(expm1, -0.3, 0.3, 0.54),      ONE(expm1, 40, 710, 0.54),
    ONE(log, 0.99, 1.01, 0.501),      ONE(log, 1e-320, 1e308, 0.501),
    ONE(log, 0.5, 2, 0.501),          ONE(log2, 0.5, 2, 0.501),
    ONE(log2, 1e-320, 1e308, 0.501),  ONE(log10, 0.5, 2, 0.501),
    ONE(log10, 1e-320, 1e308, 0.501), ONE(log1p, -1, 1, 0.51),
    ONE(log1p, 1e-20, 1e308, 0.51),   ONE(log1p, -0.01, 0.01, 0.51),
    ONE(cbrt, 1e-320, 1e308, 0.52),   ONE(sinh, -1, 1, 0.53),
    ONE(sinh, 1e-10, 711, 0.53),      ONE(sinh, 40, 711, 0.53),
    ONE(cosh, -1, 1, 0.51),           ONE(cosh, 1e-10, 711, 0.51),
    ONE(cosh, 40, 711, 0.51),         ONE(tanh, -1, 1, 0.53),
    ONE(tanh, 1e-10, 25, 0.53),       ONE(sin, -0.8, 0.8, 0.80),
    ONE(sin, -10, 10, 0.80),          ONE(sin, -2e6, 2e6, 0.80),
    ONE(sin, 1e-10, 1e308, 0.80),     ONE(cos, -0.8, 0.8, 0.80),
    ONE(cos, -10, 10, 0.80),          ONE(cos, -2e6, 2e6, 0.80),
    ONE(cos, 1e-10, 1e308, 0.80),     ONE(tan, -0.8, 0.8, 0.75),
    ONE(tan, -10, 10, 0.75),          ONE(tan, -2e6, 2e6, 0.75),
    ONE(tan, 1e-10, 1e308, 0.75),     ONE(asin, -1, 1, 0.57),
    ONE(asin, 1e-10, 1, 0.57),        ONE(acos, -1, 1, 0.57),
    ONE(acos, 1e-10, 1, 0.57),        ONE(atan, -3, 3, 0.56),
    ONE(atan, 1e-320, 1e308, 0.56),
};

static void start_exact(void) { mpfr_inits2(200, exact_x, exact_y, exact, off, NULL); }

static void stop_exact(void) {
    mpfr_clears(exact_x, exact_y, exact, off, NULL);
    mpfr_free_cache();
}

static void test_errors(void **state) {
    (void)state;
    start_exact();
    for (size_t i = 0; i < ROWS(ranges); i++) {
        for (int j = 0; j < 4000; j++) {
            double x = ranges[i].low > 0 ? log_uniform(ranges[i].low, ranges[i].high)
                                         : uniform(ranges[i].low, ranges[i].high);
            double error = error_at(ranges[i].ours, ranges[i].theirs, x);
            assert_holds(error <= ranges[i].most, "%s(%a): %.4f ulp", ranges[i].name, x, error);
        }
    }
    /* near 1 and -1 */
    for (int j = 0; j < 4000; j++) {
        double x = 1 - log_uniform(1e-16, 0.1);
        assert_true(error_at(ff_acos, mpfr_acos, x) < 0.57 &&
                    error_at(ff_acos, mpfr_acos, -x) < 0.57);
        assert_true(error_at(ff_asin, mpfr_asin, x) < 0.57 &&
                    error_at(ff_log, mpfr_log, x) < 0.501);
        assert_true(error_at(ff_log1p, mpfr_log1p, -x) < 0.51);
    }
    stop_exact();
}

/* Doubles next to multiples of pi/2, including the double nearest to any of them. */
static void test_quarter_turns(void **state) {
    (void)state;
    mpfr_t quarter, multiple;
    start_exact();
    mpfr_inits2(1300, quarter, multiple, NULL);
    mpfr_const_pi(quarter, MPFR_RNDN);
    mpfr_div_ui(quarter, quarter, 2, MPFR_RNDN);
    for (int i = 0; i <= 30000; i++) {
        double k = i < 10000 ? i + 1 : floor(log_uniform(1e4, i < 20000 ? 1e7 : 1e307));
        mpfr_mul_d(multiple, quarter, k, MPFR_RNDN);
        double x = i == 30000 ? 0x1.6ac5b262ca1ffp+849 : mpfr_get_d(multiple, MPFR_RNDN);
        double errors[] = {error_at(ff_sin, mpfr_sin, x), error_at(ff_cos, mpfr_cos, x),
                           error_at(ff_tan, mpfr_tan, x)};
        for (int j = 0; j < 3; j++) {
            assert_holds(errors[j] < 0.8, "function %d at %a: %.4f ulp", j, x, errors[j]);
        }
    }
    mpfr_clears(quarter, multiple, NULL);
    stop_exact();
}

static void test_errors_of_two(void **state) {
    (void)state;
    /* x, y, and the error; subnormal results are rounded twice */
    static const double powers[][5] = {
        {1e-10, 1e10, 0.1, 3, 0.51},      {1e-300, 1e300, 0.01, 100, 0.76},
        {0.9, 1.1, 1, 6500, 0.52},        {0.99999, 1.00001, 1e3, 1e8, 0.76},
        {1e-320, 1e-300, 0.1, 1.1, 0.76}, {0.1, 10, 1e-20, 300, 0.52}};
    start_exact();
    for (size_t i = 0; i < ROWS(powers); i++) {
        for (int j = 0; j < 4000; j++) {
            double x = log_uniform(powers[i][0], powers[i][1]),
                   y = log_uniform(powers[i][2], powers[i][3]);
            y = j % 2 ? y : -y;
            double error = error_of_two(ff_pow, mpfr_pow, x, y);
            assert_holds(error < powers[i][4], "pow(%a, %a): %.4f ulp", x, y, error);
        }
    }
    for (int j = 0; j < 20000; j++) {
        double x = log_uniform(1e-3, 1e3), y = log_uniform(1e-3, 1e3);
        /* also very large, very small and subnormal, of any ratio */
        double scale = j % 4 == 0 ? 1e304 : j % 4 == 1 ? 1e-304 : j % 4 == 2 ? 1e-317 : 1;
        x *= j % 2 ? scale : -scale, y *= j % 3 ? scale : -scale;
        double a = error_of_two(ff_hypot, mpfr_hypot, x, y),
               b = error_of_two(ff_atan2, mpfr_atan2, x, y);
        assert_holds(a < 0.76 && b < 0.56, "hypot and atan2(%a, %a): %.4f, %.4f ulp", x, y, a, b);
    }
    stop_exact();
}

#endif

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_exact),
        cmocka_unit_test(test_special),
        cmocka_unit_test(test_symmetry),
        cmocka_unit_test(test_monotone),
        cmocka_unit_test(test_lanes),
        cmocka_unit_test(test_bits),
#if FF_HAVE_MPFR
        cmocka_unit_test(test_errors),
        cmocka_unit_test(test_quarter_turns),
        cmocka_unit_test(test_errors_of_two),
#endif
    };
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
