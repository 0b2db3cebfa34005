/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* Unevaluated sums of two doubles: high is the sum rounded to nearest, low the rounding error. Without fused multiply-add,
 * because not every CPU has it (Dekker 1971; Knuth, TAOCP vol. 2, 4.2.2). */

#include <stdint.h>
#include <string.h>

typedef struct {
    double high, low;
} ff_pair;

static inline uint64_t ff_bits(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline double ff_from_bits(uint64_t bits) {
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* x without its last 27 bits: products of two such numbers are exact */
static inline double ff_upper(double x) { return ff_from_bits(ff_bits(x) & ~UINT64_C(0x7ffffff)); }

/* a + b where |a| >= |b|, or a = 0, or a is a multiple of the last bit of b */
static inline ff_pair ff_sum_ordered(double a, double b) {
    double high = a + b;
    return (ff_pair){high, (a - high) + b};
}

static inline ff_pair ff_sum(double a, double b) {
    double high = a + b, of_b = high - a;
    return (ff_pair){high, (a - (high - of_b)) + (b - of_b)};
}

/* a b, exact if neither overflows nor becomes subnormal */
static inline ff_pair ff_product(double a, double b) {
    double high = a * b, a1 = ff_upper(a), b1 = ff_upper(b), a2 = a - a1, b2 = b - b1;
    return (ff_pair){high, ((a1 * b1 - high) + a1 * b2 + a2 * b1) + a2 * b2};
}

/* a b of two pairs, relative error about 2^-102 */
static inline ff_pair ff_pair_product(ff_pair a, ff_pair b) {
    ff_pair p = ff_product(a.high, b.high);
    return ff_sum_ordered(p.high, p.low + (a.high * b.low + a.low * b.high));
}

/* a/b of two pairs, relative error about 2^-100 */
static inline ff_pair ff_pair_quotient(ff_pair a, ff_pair b) {
    double q = a.high / b.high;
    ff_pair p = ff_product(q, b.high);
    return ff_sum_ordered(q, (((a.high - p.high) - p.low) + a.low - q * b.low) / b.high);
}

/* square root of a pair, a > 0 */
static inline ff_pair ff_pair_sqrt(ff_pair a) {
    double root = __builtin_sqrt(a.high);
    ff_pair p = ff_product(root, root);
    return ff_sum_ordered(root, (((a.high - p.high) - p.low) + a.low) / (2 * root));
}
