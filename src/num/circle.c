/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "elementary.h"
#include "pair.h"
#include "sine.h"
#include <math.h>

/* Circular functions and their inverses. */

typedef double V;
static inline double all(double x) { return x; }
#include "arc_table.inc"
#include "sine.inc"

/* ---- reduction ---- */

/* Payne and Hanek 1983: x = m 2^e with integer m. Only those 192 bits of 2/pi matter that begin two above the binary point
 * of the product. No double is closer to a multiple of pi/2 than 2^-62 (Muller et al., Handbook of Floating-Point
 * Arithmetic, 11.3), so at least 190 - 53 - 62 bits are correct. */
int ff_sine_reduce(double x, double *r, double *rest) {
    const uint64_t bits = ff_bits(x) & ~(UINT64_C(1) << 63);
    const uint64_t m = (bits & ((UINT64_C(1) << 52) - 1)) | UINT64_C(1) << 52;
    /* the table begins with 64 zeros */
    const unsigned at = (unsigned)(bits >> 52) - 1075 - 2 + 64, word = at / 64, shift = at % 64;
    uint64_t w[3], q[3];
    for (unsigned i = 0; i < 3; i++) {
        w[i] = two_over_pi[word + i] << shift |
               (shift ? two_over_pi[word + i + 1] >> (64 - shift) : 0);
    }
    __extension__ typedef unsigned __int128 wide;
    const wide p2 = (wide)m * w[2], p1 = (wide)m * w[1] + (uint64_t)(p2 >> 64);
    q[2] = (uint64_t)p2;
    q[1] = (uint64_t)p1;
    q[0] = m * w[0] + (uint64_t)(p1 >> 64);
    /* nearest integer number of quarters; the remainder is signed */
    const uint64_t quarters = (q[0] + (UINT64_C(1) << 61)) >> 62;
    q[0] -= quarters << 62;
    const int negative = (int)(q[0] >> 63);
    if (negative) {
        q[2] = ~q[2] + 1;
        q[1] = ~q[1] + (q[2] == 0);
        q[0] = ~q[0] + (q[2] == 0 && q[1] == 0);
    }
    /* the first 106 bits of the remainder, as two doubles */
    int exponent = -190 + 128;
    while (q[0] == 0) {
        q[0] = q[1], q[1] = q[2], q[2] = 0;
        exponent -= 64;
    }
    const int left = __builtin_clzll(q[0]);
    if (left) {
        q[0] = q[0] << left | q[1] >> (64 - left);
        q[1] = q[1] << left | q[2] >> (64 - left);
    }
    const double unit = ff_from_bits((uint64_t)(1023 + exponent - left) << 52);
    const ff_pair part = {(double)(q[0] >> 11) * 0x1p11 * unit,
                          ((double)(q[0] & 0x7ff) + (double)(q[1] >> 11) * 0x1p-53) * unit};
    const ff_pair turn = ff_pair_product(part, (ff_pair){PI_HIGH / 2, PI_LOW / 2});
    const int flip = negative != (x < 0);
    *r = flip ? -turn.high : turn.high;
    *rest = flip ? -turn.low : turn.low;
    return (int)(x < 0 ? 4 - quarters : quarters) & 3;
}

/* |x| > pi/4, finite */
static inline int reduce(double x, double *r, double *rest) {
    if (fabs(x) < 0x1p20) {
        const sine_reduced reduced = sine_reduce(x);
        if (fabs(reduced.r) >= 0x1p-40) {
            *r = reduced.r, *rest = reduced.rest;
            return (int)(ff_bits(reduced.turns) & 3);
        }
    }
    return ff_sine_reduce(x, r, rest);
}

/* ---- sine, cosine, tangent ---- */

static inline double sine(double r, double rest) { return r + sine_minus(r, rest); }

static inline double cosine(double r, double rest) {
    double one, small = cosine_minus(r, rest, &one);
    return one + small;
}

double ff_sin(double x) {
    double r, rest;
    if (fabs(x) <= PI_HIGH / 4) {
        /* x^3/6 is below the last bit; this also keeps -0 and subnormal numbers */
        return fabs(x) < 0x1p-27 ? x : sine(x, 0);
    }
    if (!(fabs(x) < HUGE_VAL)) {
        return (double)NAN;
    }
    const int quarters = reduce(x, &r, &rest);
    const double out = quarters & 1 ? cosine(r, rest) : sine(r, rest);
    return quarters & 2 ? -out : out;
}

double ff_cos(double x) {
    double r, rest;
    if (fabs(x) <= PI_HIGH / 4) {
        return cosine(x, 0);
    }
    if (!(fabs(x) < HUGE_VAL)) {
        return (double)NAN;
    }
    const int quarters = reduce(x, &r, &rest);
    const double out = quarters & 1 ? sine(r, rest) : cosine(r, rest);
    return (quarters + 1) & 2 ? -out : out;
}

void ff_sincos(double x, double *s, double *c) {
    double r = x, rest = 0;
    int quarters = 0;
    if (!(fabs(x) <= PI_HIGH / 4)) {
        if (!(fabs(x) < HUGE_VAL)) {
            *s = *c = (double)NAN;
            return;
        }
        quarters = reduce(x, &r, &rest);
    } else if (fabs(x) < 0x1p-27) {
        *s = x, *c = 1;
        return;
    }
    const double a = sine(r, rest), b = cosine(r, rest);
    const double out_s = quarters & 1 ? b : a, out_c = quarters & 1 ? a : b;
    *s = quarters & 2 ? -out_s : out_s;
    *c = (quarters + 1) & 2 ? -out_c : out_c;
}

double ff_tan(double x) {
    double r = x, rest = 0, one;
    int quarters = 0;
    if (!(fabs(x) <= PI_HIGH / 4)) {
        if (!(fabs(x) < HUGE_VAL)) {
            return (double)NAN;
        }
        quarters = reduce(x, &r, &rest);
    } else if (fabs(x) < 0x1p-27) {
        return x;
    }
    const double small = cosine_minus(r, rest, &one), z = r * r;
    const ff_pair c = ff_sum_ordered(one, small);
    /* like sine_minus(), but with r^3/6 as a pair, because its rounding would add to the errors of the cosine and the
     * quotient */
    const ff_pair cube = ff_pair_product(ff_product(r, r), (ff_pair){r * SINE_0, 0});
    const ff_pair sum = ff_sum_ordered(r, cube.high);
    const double tail = rest * (1 - 0.5 * z) + r * (z * SERIES_TAIL(SINE, z, z * z));
    const ff_pair s = ff_sum_ordered(sum.high, sum.low + (cube.low + tail));
    return quarters & 1 ? -ff_pair_quotient(c, s).high : ff_pair_quotient(s, c).high;
}

/* ---- inverses ---- */

/* atan(a/b), 0 <= a <= b, not both 0; relative error about 2^-58 */
static ff_pair arc(ff_pair a, ff_pair b) {
    if (a.high < b.high / 8) {
        /* q - q^3/3 + ...; q^19/19 is below 2^-58 of q */
        static const double c[] = {1. / 17, 1. / 15, 1. / 13, 1. / 11,
                                   1. / 9,  1. / 7,  1. / 5,  1. / 3};
        const ff_pair q = ff_pair_quotient(a, b);
        const double z = q.high * q.high;
        double series = 1. / 19;
        for (int i = 0; i < 8; i++) {
            series = c[i] - z * series;
        }
        return ff_sum_ordered(q.high, q.low - q.high * (z * series));
    }
    /* atan(c) + atan((a - b c)/(b + a c)) with c = i/64; a - b c is exact because products with the upper half of b are */
    const int i = (int)(a.high / b.high * 64 + 0.5);
    const double c = i / 64., b1 = ff_upper(b.high);
    const double above = ((a.high - c * b1) - c * (b.high - b1)) + (a.low - c * b.low);
    const double t = above / (b.high + c * a.high), z = t * t;
    const ff_pair sum = ff_sum_ordered(arcs[i].high, t);
    const double series = 1. / 3 - z * (1. / 5 - z * (1. / 7));
    return ff_sum_ordered(sum.high, sum.low + (arcs[i].low - t * z * series));
}

/* base + low - angle */
static inline double from(double base, double low, ff_pair angle) {
    const ff_pair sum = ff_sum_ordered(base, -angle.high);
    return sum.high + (sum.low + (low - angle.low));
}

/* angle of the point (x, y), y >= 0, from the x axis: 0 to pi */
static double arc_of(ff_pair y, ff_pair x) {
    const double size = fabs(x.high);
    const ff_pair across = {size, x.high < 0 ? -x.low : x.low};
    if (y.high > size) {
        const ff_pair angle = arc(across, y);
        return x.high < 0 ? from(PI_HIGH / 2, PI_LOW / 2, (ff_pair){-angle.high, -angle.low})
                          : from(PI_HIGH / 2, PI_LOW / 2, angle);
    }
    const ff_pair angle = arc(y, across);
    return x.high < 0 ? from(PI_HIGH, PI_LOW, angle) : angle.high;
}

double ff_atan(double x) {
    const double a = fabs(x);
    if (a < 0x1p-27 || x != x) {
        return x;
    }
    return copysign(a > 0x1p60 ? PI_HIGH / 2 : arc_of((ff_pair){a, 0}, (ff_pair){1, 0}), x);
}

double ff_atan2(double y, double x) {
    double a = fabs(y), b = fabs(x);
    if (x != x || y != y) {
        return x + y;
    }
    const double straight = copysign(1, x) < 0 ? PI_HIGH : 0;
    if (a == 0) {
        return copysign(straight, y);
    }
    if (b == HUGE_VAL) {
        const double slant = x > 0 ? PI_HIGH / 4 : 3 * (PI_HIGH / 4);
        return copysign(a == HUGE_VAL ? slant : straight, y);
    }
    /* ratios beyond double precision: the angle is that of the axis, or the ratio itself */
    if (b < a * 0x1p-60) {
        return copysign(PI_HIGH / 2, y);
    }
    if (a < b * 0x1p-60) {
        return x < 0 ? copysign(PI_HIGH, y) : y / x;
    }
    /* products of halves neither overflow nor become subnormal */
    const double scale = fmax(a, b) > 0x1p900 ? 0x1p-600 : fmax(a, b) < 0x1p-700 ? 0x1p600 : 1;
    return copysign(arc_of((ff_pair){a * scale, 0}, (ff_pair){x * scale, 0}), y);
}

/* sqrt(1 - x^2) */
static ff_pair other_side(double x) {
    const ff_pair square = ff_product(x, x), rest = ff_sum_ordered(1, -square.high);
    const ff_pair sum = ff_sum_ordered(rest.high, rest.low - square.low);
    return sum.high > 0 ? ff_pair_sqrt(sum) : (ff_pair){0, 0};
}

double ff_asin(double x) {
    if (!(fabs(x) <= 1)) {
        return x != x ? x : (double)NAN;
    }
    if (fabs(x) < 0x1p-27) {
        return x;
    }
    return copysign(arc_of((ff_pair){fabs(x), 0}, other_side(x)), x);
}

double ff_acos(double x) {
    if (!(fabs(x) <= 1)) {
        return x != x ? x : (double)NAN;
    }
    return arc_of(other_side(x), (ff_pair){x, 0});
}
