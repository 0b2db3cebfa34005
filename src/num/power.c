/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "elementary.h"
#include "pair.h"
#include <math.h>
#include <stdbool.h>

/* Exponentials, logarithms and powers, by tables (Tang 1989, 1990): exp by the nearest 2^(j/128), log by the nearest of 128
 * numbers c with log c known to 95 bits. A logarithm is computed as a pair of doubles with a relative error of 2^-66, so
 * that a power, exp(y log x) with an exponent up to 745, has an error of 0.01 ulp before rounding. */

#include "power_table.inc"

#define SIGN UINT64_C(0x8000000000000000)
#define MANTISSA UINT64_C(0x000fffffffffffff)
#define INFINITE UINT64_C(0x7ff0000000000000)
#define ONE UINT64_C(0x3ff0000000000000)
#define SMALLEST UINT64_C(0x0010000000000000) /* bits of the smallest normal number */
#define EXPONENT 52                           /* position of the exponent bits */
#define LIKELY(x) __builtin_expect(!!(x), 1)

/* ---- exponentials ---- */

/* exp(x + low) = scale (1 + rest), |rest| < 0.003; the bits of scale wrap around if its exponent is out of range */
typedef struct {
    uint64_t scale;
    double rest;
} parts;

/* |x| < 800, |low| < 2^-12 */
static inline parts exp_parts(double x, double low) {
    /* adding 1.5 2^52 puts the nearest integer k, the number of steps of ln 2/128, into the lowest bits */
    const double shifted = x * EXP_STEPS + 0x1.8p52, k = shifted - 0x1.8p52;
    const uint64_t bits = ff_bits(shifted), j = bits % 128;
    const double r = ((x - k * EXP_STEP_HIGH) - k * EXP_STEP_LOW) + low, r2 = r * r;
    /* r^6/720 is below 2^-60 */
    const double series = r2 * (0.5 + r * (1. / 6)) + r2 * r2 * (1. / 24 + r * (1. / 120));
    return (parts){exps[j].bits + (bits >> 7 << EXPONENT), exps[j].tail + (r + series)};
}

/* scale (1 + rest) 2^-shift, |shift| < 2, for results that may overflow or be subnormal */
static double exp_far(double x, double low, int shift) {
    const parts p = exp_parts(x, low);
    const uint64_t by = (uint64_t)(x > 0 ? 1000 + shift : shift - 1000) << EXPONENT;
    const double s = ff_from_bits(p.scale - by);
    return (s + s * p.rest) * (x > 0 ? 0x1p1000 : 0x1p-1000);
}

/* for |x| below this, exp(x) is normal and finite */
#define EXP_NEAR 708.0

/* exp(x + low), with a sign; |x| < 800 */
static inline double exp_sum(double x, double low, uint64_t sign) {
    if (LIKELY(fabs(x) < EXP_NEAR)) {
        const parts p = exp_parts(x, low);
        const double s = ff_from_bits(p.scale | sign);
        return s + s * p.rest;
    }
    const double out = exp_far(x, low, 0);
    return sign ? -out : out;
}

double ff_exp(double x) {
    if (LIKELY(fabs(x) < EXP_NEAR)) {
        const parts p = exp_parts(x, 0);
        const double s = ff_from_bits(p.scale);
        return s + s * p.rest;
    }
    return x < -750 ? 0 : x < 710 ? exp_far(x, 0, 0) : x * HUGE_VAL;
}

/* exp(x) - 1, |x| <= 40; relative error about 2^-58 */
static ff_pair exp_minus_one(double x) {
    if (fabs(x) < 0.25) {
        /* x + x^2/2 + x^3 (1/6 + ...); x^14/14! is below 2^-62 of x */
        static const double c[] = {1. / 6227020800, 1. / 479001600, 1. / 39916800, 1. / 3628800,
                                   1. / 362880,     1. / 40320,     1. / 5040,     1. / 720,
                                   1. / 120,        1. / 24,        1. / 6};
        double series = c[0];
        for (int i = 1; i < 11; i++) {
            series = c[i] + x * series;
        }
        const ff_pair square = ff_product(x, x), sum = ff_sum_ordered(x, 0.5 * square.high);
        return ff_sum_ordered(sum.high, sum.low + (0.5 * square.low + square.high * x * series));
    }
    const parts p = exp_parts(x, 0);
    const double s = ff_from_bits(p.scale);
    const ff_pair sum = ff_sum(s, -1);
    return ff_sum_ordered(sum.high, sum.low + s * p.rest);
}

double ff_expm1(double x) {
    /* x^2/2 is below the last bit; this also keeps -0 and subnormal numbers */
    if (fabs(x) < 0x1p-54) {
        return x;
    }
    return fabs(x) <= 40 ? exp_minus_one(x).high : x < 0 ? -1 : ff_exp(x);
}

double ff_sinh(double x) {
    const double a = fabs(x);
    double out;
    if (a < 0x1p-28) {
        return x;
    }
    if (a <= 40) {
        /* (t + t/(1 + t))/2 with t = exp(a) - 1 */
        const ff_pair t = exp_minus_one(a), one = ff_sum(1, t.high);
        const ff_pair q = ff_pair_quotient(t, (ff_pair){one.high, one.low + t.low});
        const ff_pair sum = ff_sum_ordered(t.high, q.high);
        out = 0.5 * (sum.high + (sum.low + (t.low + q.low)));
    } else {
        out = a < 711 ? exp_far(a, 0, 1) : a * HUGE_VAL;
    }
    return copysign(out, x);
}

double ff_cosh(double x) {
    const double a = fabs(x);
    if (a <= 40) {
        const parts p = exp_parts(a, 0);
        const double s = ff_from_bits(p.scale);
        const ff_pair e = ff_sum_ordered(s, s * p.rest);
        const ff_pair q = ff_pair_quotient((ff_pair){1, 0}, e),
                      sum = ff_sum_ordered(e.high, q.high);
        return 0.5 * (sum.high + (sum.low + (e.low + q.low)));
    }
    return a < 711 ? exp_far(a, 0, 1) : a * HUGE_VAL;
}

double ff_tanh(double x) {
    const double a = fabs(x);
    if (a < 0x1p-28 || x != x) {
        return x;
    }
    /* beyond, 1 - tanh is below 2^-60 */
    double out = 1;
    if (a < 22) {
        const ff_pair t = exp_minus_one(2 * a), two = ff_sum(2, t.high);
        out = ff_pair_quotient(t, (ff_pair){two.high, two.low + t.low}).high;
    }
    return copysign(out, x);
}

/* ---- logarithms ---- */

/* log of the positive number with these bits: normal, or with an exponent that has wrapped around. `low` is added to the
 * number first, |low| <= half its last bit. high is not the rounded sum, but |low| < 2^-20 |high|. */
static inline ff_pair log_sum(uint64_t bits, double low) {
    const uint64_t offset = bits - LOG_FROM, exponent = offset & ~MANTISSA;
    const uint64_t i = offset >> 45 & 127;
    const double z = ff_from_bits(bits - exponent), k = (double)((int64_t)offset >> EXPONENT);
    const double c = logs[i].inverse;
    /* z/c - 1 = r + rest: products with the halves of z are exact, since 1/c has 26 bits */
    const double z1 = ff_upper(z), r1 = z1 * c - 1, r2 = (z - z1) * c, r = r1 + r2;
    double rest = (r1 - r) + r2;
    if (low != 0) {
        rest += low * ff_from_bits(ONE - exponent) * c;
    }
    /* k ln 2 + log c is exact; so is the square of the first 26 bits of r */
    const double base = k * LN2_HIGH + logs[i].high, sum = base + r;
    const double upper = (r + 0x1.8p18) - 0x1.8p18, half = 0.5 * upper * upper;
    const double high = sum - half;
    const double square = r * r;
    const double series = (1. / 3 - r * (1. / 4)) +
                          square * ((1. / 5 - r * (1. / 6)) + square * (1. / 7 - r * (1. / 8)));
    /* rounding error and small terms; 1 - r is the derivative of the logarithm */
    const double lost = (base - sum) + r, tail = k * LN2_LOW + logs[i].low;
    const double small = ((sum - high) - half) - 0.5 * (r - upper) * (r + upper) + rest * (1 - r);
    return (ff_pair){high, (small + (lost + tail)) + r * square * series};
}

/* bits of x > 0; for a subnormal number with an exponent below the smallest */
static inline uint64_t scaled_bits(double x) {
    const uint64_t bits = ff_bits(x);
    return bits < SMALLEST ? ff_bits(x * 0x1p52) - ((uint64_t)52 << EXPONENT) : bits;
}

/* log x where x is not a positive finite number */
static double log_special(double x) { return x == 0 ? -HUGE_VAL : x < 0 ? (double)NAN : x; }

static inline bool is_positive(double x) { return x > 0 && x < HUGE_VAL; }

double ff_log(double x) {
    if (!is_positive(x)) {
        return log_special(x);
    }
    const ff_pair l = log_sum(scaled_bits(x), 0);
    return l.high + l.low;
}

double ff_log1p(double x) {
    /* x^3/3 is below the last bit */
    if (fabs(x) < 0x1p-29) {
        return x - 0.5 * x * x;
    }
    const ff_pair u = ff_sum(1, x);
    if (!is_positive(u.high)) {
        return log_special(u.high);
    }
    /* for larger x the 1 is below the last bit */
    const ff_pair l = log_sum(ff_bits(u.high), x < 0x1p54 ? u.low : 0);
    return l.high + l.low;
}

static double log_times(double x, ff_pair factor) {
    if (!is_positive(x)) {
        return log_special(x);
    }
    const ff_pair l = log_sum(scaled_bits(x), 0);
    return ff_pair_product(ff_sum_ordered(l.high, l.low), factor).high;
}

double ff_log2(double x) { return log_times(x, (ff_pair){LOG2_E_HIGH, LOG2_E_LOW}); }
double ff_log10(double x) { return log_times(x, (ff_pair){LOG10_E_HIGH, LOG10_E_LOW}); }

/* ---- powers ---- */

/* 0: y is not an integer, 1: odd, 2: even; |y| is finite and not 0 */
static int parity(double y) {
    const uint64_t bits = ff_bits(y) & ~SIGN, exponent = bits >> EXPONENT;
    if (exponent < 1023) {
        return 0;
    }
    if (exponent > 1023 + 52) {
        return 2;
    }
    const uint64_t one = UINT64_C(1) << (1023 + 52 - exponent);
    return bits & (one - 1) ? 0 : bits & one || exponent == 1023 ? 1 : 2;
}

/* special cases of x^y; true if *out is the result, otherwise *bits and *sign of x are set */
static bool pow_special(double x, double y, uint64_t *bits, uint64_t *sign, double *out) {
    const double a = fabs(x), b = fabs(y);
    if (y == 0 || x == 1) {
        return *out = 1, true;
    }
    if (x != x || y != y) {
        return *out = x + y, true;
    }
    if (b == HUGE_VAL) {
        return *out = a == 1 ? 1 : (a > 1) == (y > 0) ? HUGE_VAL : 0, true;
    }
    const int whole = parity(y);
    if (a == 0 || a == HUGE_VAL) {
        const double to = (a == 0) == (y > 0) ? 0 : HUGE_VAL;
        return *out = whole == 1 ? copysign(to, x) : to, true;
    }
    if (x < 0 && whole == 0) {
        return *out = (double)NAN, true;
    }
    /* any x other than 1 differs from 1 by at least 2^-53 */
    if (b >= 0x1p63) {
        return *out = a == 1 ? 1 : (a > 1) == (y > 0) ? HUGE_VAL : 0, true;
    }
    if (b < 0x1p-65) {
        return *out = 1, true;
    }
    *sign = x < 0 && whole == 1 ? SIGN : 0;
    *bits = scaled_bits(a);
    return false;
}

double ff_pow(double x, double y) {
    uint64_t bits = ff_bits(x), sign = 0;
    const uint64_t low = (UINT64_C(1023) - 65) << EXPONENT, high = (UINT64_C(1023) + 63)
                                                                   << EXPONENT;
    double out;
    if (!LIKELY(bits - SMALLEST < INFINITE - SMALLEST && (ff_bits(y) & ~SIGN) - low < high - low)) {
        if (pow_special(x, y, &bits, &sign, &out)) {
            return out;
        }
    }
    const ff_pair l = log_sum(bits, 0);
    /* exact product of the upper halves, and the rest */
    const double y1 = ff_upper(y), l1 = ff_upper(l.high), l2 = (l.high - l1) + l.low;
    const double e = y1 * l1, rest = (y - y1) * l1 + y * l2;
    if (LIKELY(fabs(e) < 800)) {
        return exp_sum(e, rest, sign);
    }
    out = e > 0 ? HUGE_VAL : 0;
    return sign ? -out : out;
}

double ff_cbrt(double x) {
    if (x == 0 || !(fabs(x) < HUGE_VAL)) {
        return x;
    }
    const ff_pair l = log_sum(scaled_bits(fabs(x)), 0);
    const ff_pair e =
        ff_pair_product(ff_sum_ordered(l.high, l.low), (ff_pair){THIRD_HIGH, THIRD_LOW});
    return exp_sum(e.high, e.low, ff_bits(x) & SIGN);
}

double ff_hypot(double x, double y) {
    double a = fabs(x), b = fabs(y), back = 1;
    if (a == HUGE_VAL || b == HUGE_VAL) {
        return HUGE_VAL;
    }
    if (a < b) {
        const double c = a;
        a = b, b = c;
    }
    /* the smaller number is below the last bit; also for NAN */
    if (!(b > a * 0x1p-54)) {
        return a + b;
    }
    /* squares neither overflow nor become subnormal */
    if (a > 0x1p500) {
        a *= 0x1p-600, b *= 0x1p-600, back = 0x1p600;
    } else if (a < 0x1p-400) {
        a *= 0x1p600, b *= 0x1p600, back = 0x1p-600;
    }
    const ff_pair a2 = ff_product(a, a), b2 = ff_product(b, b),
                  sum = ff_sum_ordered(a2.high, b2.high);
    const double low = sum.low + (a2.low + b2.low), root = sqrt(sum.high);
    const ff_pair square = ff_product(root, root);
    return (root + (((sum.high - square.high) - square.low) + low) / (2 * root)) * back;
}
