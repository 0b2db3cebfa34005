/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* Interval arithmetic (Moore 1966): the result of an operation contains the exact results for all numbers of its operands,
 * and also the rounded ones. The rounding mode stays as it is; results are widened instead, by 2 epsilon relative to each
 * end: an operation of IEEE 754 has an error of half a unit in the last place, at most epsilon/2, so that 1.5 units are
 * left for whatever computes the quantity in another way. Sums below the normal range are exact; products and quotients
 * there are widened by the smallest normal number, and keep a sign that is known.
 *
 * What is not known is [-inf, inf]. No operation returns a NAN, a lower end of inf, or an upper end of -inf. */

#include <float.h>
#include <math.h>
#include <stdbool.h>

/* all x with lo <= x <= hi; either end may be infinite */
typedef struct ff_interval {
    double lo, hi;
} ff_interval;

static inline ff_interval ff_interval_of(double x) { return (ff_interval){x, x}; }
static inline ff_interval ff_interval_all(void) { return (ff_interval){-HUGE_VAL, HUGE_VAL}; }

static inline bool ff_interval_bounded(ff_interval a) {
    return a.lo >= -DBL_MAX && a.hi <= DBL_MAX;
}
static inline bool ff_interval_point(ff_interval a) { return a.lo == a.hi; }
static inline bool ff_interval_zero(ff_interval a) { return a.lo == 0 && a.hi == 0; }
static inline bool ff_interval_contains(ff_interval a, double x) { return a.lo <= x && x <= a.hi; }

static inline double ff_interval_least(double a, double b) { return a < b ? a : b; }
static inline double ff_interval_most(double a, double b) { return a > b ? a : b; }

/* largest |x| */
static inline double ff_interval_magnitude(ff_interval a) { return ff_interval_most(-a.lo, a.hi); }

/* least |x| */
static inline double ff_interval_mignitude(ff_interval a) {
    return a.lo > 0 ? a.lo : a.hi < 0 ? -a.hi : 0;
}

/* Lower and upper ends from a result of IEEE 754 that was rounded, and is exact below the normal range. A NAN means that
 * nothing is known; an overflow, that the number lies beyond the largest finite one. */
static inline double ff_interval_down(double x) {
    const double low = x - 2 * DBL_EPSILON * fabs(x);
    return low == low ? low : x > 0 ? DBL_MAX : -HUGE_VAL;
}
static inline double ff_interval_up(double x) { return -ff_interval_down(-x); }

static inline double ff_interval_width(ff_interval a) {
    return a.lo == a.hi ? 0 : ff_interval_up(a.hi - a.lo);
}

static inline ff_interval ff_interval_hull(ff_interval a, ff_interval b) {
    return (ff_interval){ff_interval_least(a.lo, b.lo), ff_interval_most(a.hi, b.hi)};
}

/* The common part of two enclosures of a number. Should there be none, which only a NAN of the caller can cause, a. */
static inline ff_interval ff_interval_meet(ff_interval a, ff_interval b) {
    const ff_interval both = {ff_interval_most(a.lo, b.lo), ff_interval_least(a.hi, b.hi)};
    return both.lo <= both.hi ? both : a;
}

static inline ff_interval ff_interval_negate(ff_interval a) { return (ff_interval){-a.hi, -a.lo}; }

static inline ff_interval ff_interval_add(ff_interval a, ff_interval b) {
    return (ff_interval){ff_interval_down(a.lo + b.lo), ff_interval_up(a.hi + b.hi)};
}

static inline ff_interval ff_interval_subtract(ff_interval a, ff_interval b) {
    return (ff_interval){ff_interval_down(a.lo - b.hi), ff_interval_up(a.hi - b.lo)};
}

/* Ends of a product or quotient, which may have underflowed, with its sign where that is known. */
static inline ff_interval ff_interval_of_product(double lo, double hi, bool positive,
                                                 bool negative) {
    lo = ff_interval_down(lo) - DBL_MIN;
    hi = ff_interval_up(hi) + DBL_MIN;
    return (ff_interval){positive && lo < 0 ? 0 : lo, negative && hi > 0 ? 0 : hi};
}

/* [-inf, inf] if 0 may be multiplied by a number that overflowed */
static inline ff_interval ff_interval_multiply(ff_interval a, ff_interval b) {
    const double p = a.lo * b.lo, q = a.lo * b.hi, r = a.hi * b.lo, s = a.hi * b.hi;
    if (!(ff_interval_magnitude(a) + ff_interval_magnitude(b) <= DBL_MAX) &&
        ((ff_interval_contains(a, 0) && !ff_interval_bounded(b)) ||
         (ff_interval_contains(b, 0) && !ff_interval_bounded(a)))) {
        return ff_interval_all();
    }
    return ff_interval_of_product(
        ff_interval_least(ff_interval_least(p, q), ff_interval_least(r, s)),
        ff_interval_most(ff_interval_most(p, q), ff_interval_most(r, s)),
        (a.lo >= 0 && b.lo >= 0) || (a.hi <= 0 && b.hi <= 0),
        (a.lo >= 0 && b.hi <= 0) || (a.hi <= 0 && b.lo >= 0));
}

static inline ff_interval ff_interval_scale(ff_interval a, double by) {
    return ff_interval_multiply(a, ff_interval_of(by));
}

static inline ff_interval ff_interval_square(ff_interval a) {
    const double least = ff_interval_mignitude(a), most = ff_interval_magnitude(a);
    ff_interval square = ff_interval_of_product(least * least, most * most, true, false);
    square.hi = most == 0 ? 0 : square.hi;
    return square;
}

/* [-inf, inf] if the divisor contains 0, or if both numbers may have overflowed */
static inline ff_interval ff_interval_divide(ff_interval a, ff_interval b) {
    if (!(b.lo > 0 || b.hi < 0) || !(ff_interval_bounded(a) || ff_interval_bounded(b))) {
        return ff_interval_all();
    }
    if (b.hi < 0) {
        a = ff_interval_negate(a);
        b = ff_interval_negate(b);
    }
    return ff_interval_of_product(a.lo / (a.lo >= 0 ? b.hi : b.lo),
                                  a.hi / (a.hi >= 0 ? b.lo : b.hi), a.lo >= 0, a.hi <= 0);
}

/* [-inf, inf] if a number is negative */
static inline ff_interval ff_interval_sqrt(ff_interval a) {
    return a.lo >= 0 ? (ff_interval){ff_interval_down(sqrt(a.lo)), ff_interval_up(sqrt(a.hi))}
                     : ff_interval_all();
}
