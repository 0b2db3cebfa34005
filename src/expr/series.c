/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "series.h"
#include "num/memory.h"
#include "tape_run.h"
#include <string.h>

enum { TERMS = FF_SERIES_ORDER_MOST + 1 };

/* The coefficients of an operand; those after `degree` are 0. */
typedef struct series {
    const ff_interval *at;
    int degree;
} series;

/* An operation writes the coefficients 0 to its degree, at most n, and returns the degree. Operands and result do not
 * overlap. */

static bool is_constant(series u) { return u.degree == 0; }

static int unknown_from(int k, int n, ff_interval *out) {
    for (; k <= n; k++) {
        out[k] = ff_interval_all();
    }
    return n;
}

static int unknown(int n, ff_interval *out) { return unknown_from(0, n, out); }

static int constant(ff_interval value, ff_interval *out) {
    out[0] = value;
    return 0;
}

static int copy(series u, ff_interval *out) {
    memcpy(out, u.at, (size_t)(u.degree + 1) * sizeof *out);
    return u.degree;
}

static int least(int a, int b) { return a < b ? a : b; }
static int most(int a, int b) { return a > b ? a : b; }

/* ---- sums of products ---- */

/* A sum of products rounded to nearest, and `size`, the sum of largest magnitudes, which bounds its errors: m products with
 * one rounded factor, and m sums, have an error below (m/2 + 1) epsilon size (Higham 2002, 3.1), and one product that
 * underflows an error below 2^-1074. No sum below has more than 23 products, so that 16 epsilon size suffices and leaves two
 * epsilon for the division by an order. `lost` is the part of size that stands for underflow: it keeps results out of the
 * subnormal range, where processors are slow. */
typedef struct sum {
    double lo, hi, size;
} sum;

static const double slack = 16 * DBL_EPSILON, lost = 0x1p-960;

static inline sum sum_of(ff_interval a) {
    return (sum){a.lo, a.hi, ff_interval_magnitude(a) + lost};
}

static inline ff_interval product(ff_interval a, ff_interval b) {
    const double p = a.lo * b.lo, q = a.lo * b.hi, r = a.hi * b.lo, s = a.hi * b.hi;
    return (ff_interval){ff_interval_least(ff_interval_least(p, q), ff_interval_least(r, s)),
                         ff_interval_most(ff_interval_most(p, q), ff_interval_most(r, s))};
}

static inline void plus(sum *s, ff_interval a, ff_interval b) {
    const ff_interval p = product(a, b);
    s->lo += p.lo;
    s->hi += p.hi;
    s->size += ff_interval_magnitude(a) * ff_interval_magnitude(b) + lost;
}

static inline void minus(sum *s, ff_interval a, ff_interval b) {
    const ff_interval p = product(a, b);
    s->lo -= p.hi;
    s->hi -= p.lo;
    s->size += ff_interval_magnitude(a) * ff_interval_magnitude(b) + lost;
}

/* 1/k */
static const double inverse[TERMS] = {0, 1, 1. / 2, 1. / 3, 1. / 4, 1. / 5, 1. / 6, 1. / 7, 1. / 8};

/* The sum over k. An infinite or overflowing part, also times 0, makes the size infinite or a NAN. */
static inline ff_interval over_order(sum s, int k) {
    if (!(s.size <= 0.25 * DBL_MAX)) {
        return ff_interval_all();
    }
    const double more = slack * s.size;
    return (ff_interval){(s.lo - more) * inverse[k], (s.hi + more) * inverse[k]};
}

/* out[j] = j u_j; rounded once, see `sum` */
static void rates(series u, ff_interval *out) {
    for (int j = 1; j <= u.degree; j++) {
        out[j] = (ff_interval){j * u.at[j].lo, j * u.at[j].hi};
    }
}

/* ---- arithmetic ---- */

static int negate(series u, ff_interval *out) {
    for (int k = 0; k <= u.degree; k++) {
        out[k] = ff_interval_negate(u.at[k]);
    }
    return u.degree;
}

static int add(series u, series v, ff_interval *out) {
    const int both = least(u.degree, v.degree), degree = most(u.degree, v.degree);
    for (int k = 0; k <= both; k++) {
        out[k] = ff_interval_add(u.at[k], v.at[k]);
    }
    for (int k = both + 1; k <= degree; k++) {
        out[k] = (u.degree > both ? u : v).at[k];
    }
    return degree;
}

static int subtract(series u, series v, ff_interval *out) {
    const int both = least(u.degree, v.degree), degree = most(u.degree, v.degree);
    for (int k = 0; k <= both; k++) {
        out[k] = ff_interval_subtract(u.at[k], v.at[k]);
    }
    for (int k = both + 1; k <= degree; k++) {
        out[k] = u.degree > both ? u.at[k] : ff_interval_negate(v.at[k]);
    }
    return degree;
}

/* coefficient k > 0 of the square */
static sum square_sum(series u, int k) {
    sum s = {0};
    for (int j = most(0, k - u.degree); 2 * j < k; j++) {
        plus(&s, u.at[j], u.at[k - j]);
    }
    s = (sum){2 * s.lo, 2 * s.hi, 2 * s.size};
    if (k % 2 == 0) {
        const ff_interval middle = ff_interval_square(u.at[k / 2]);
        s = (sum){s.lo + middle.lo, s.hi + middle.hi, s.size + middle.hi};
    }
    return s;
}

static int square(series u, int n, ff_interval *out) {
    const int degree = least(n, 2 * u.degree);
    out[0] = ff_interval_square(u.at[0]);
    for (int k = 1; k <= degree; k++) {
        out[k] = over_order(square_sum(u, k), 1);
    }
    return degree;
}

/* u times a constant */
static int scale(series u, ff_interval by, ff_interval *out) {
    if (ff_interval_zero(by) && ff_interval_bounded(u.at[0])) {
        return constant(by, out);
    }
    for (int k = 0; k <= u.degree; k++) {
        out[k] = ff_interval_multiply(u.at[k], by);
    }
    return u.degree;
}

static int multiply(series u, series v, int n, ff_interval *out) {
    if (u.at == v.at) {
        return square(u, n, out);
    }
    if (is_constant(u) || is_constant(v)) {
        return is_constant(v) ? scale(u, v.at[0], out) : scale(v, u.at[0], out);
    }
    const int degree = least(n, u.degree + v.degree);
    out[0] = ff_interval_multiply(u.at[0], v.at[0]);
    for (int k = 1; k <= degree; k++) {
        sum s = {0};
        for (int j = most(0, k - v.degree); j <= least(k, u.degree); j++) {
            plus(&s, u.at[j], v.at[k - j]);
        }
        out[k] = over_order(s, 1);
    }
    return degree;
}

/* q v = u: q_k = (u_k - sum_(j=1)^k v_j q_(k-j))/v_0 */
static int divide(series u, series v, int n, ff_interval *out) {
    if (ff_interval_contains(v.at[0], 0)) {
        return unknown(n, out);
    }
    if (is_constant(u) && ff_interval_zero(u.at[0]) && ff_interval_bounded(v.at[0])) {
        return copy(u, out);
    }
    const int degree = is_constant(v) ? u.degree : n;
    out[0] = ff_interval_divide(u.at[0], v.at[0]);
    for (int k = 1; k <= degree; k++) {
        if (is_constant(v)) {
            out[k] = ff_interval_divide(u.at[k], v.at[0]);
            continue;
        }
        sum s = k <= u.degree ? sum_of(u.at[k]) : (sum){0};
        for (int j = 1; j <= least(k, v.degree); j++) {
            minus(&s, v.at[j], out[k - j]);
        }
        out[k] = ff_interval_divide(over_order(s, 1), v.at[0]);
    }
    return degree;
}

/* r^2 = u with r_0 known: r_k = (u_k - sum_(j=1)^(k-1) r_j r_(k-j))/(2 r_0) */
static int root_from(series u, int n, ff_interval *out) {
    if (is_constant(u)) {
        return 0;
    }
    if (!(out[0].lo > 0)) {
        return unknown_from(1, n, out);
    }
    const ff_interval twice = ff_interval_scale(out[0], 2);
    for (int k = 1; k <= n; k++) {
        sum s = k <= u.degree ? sum_of(u.at[k]) : (sum){0};
        for (int j = 1; j < k; j++) {
            minus(&s, out[j], out[k - j]);
        }
        out[k] = ff_interval_divide(over_order(s, 1), twice);
    }
    return n;
}

static int root(series u, int n, ff_interval *out) {
    out[0] = ff_interval_sqrt(u.at[0]);
    return u.at[0].lo >= 0 ? root_from(u, n, out) : unknown(n, out);
}

/* ---- elementary functions ---- */

/* Ends that num/elementary.h computed, with an error below 1 ulp, also by ff_tape_run(): four are allowed. */
static ff_interval widened(double lo, double hi) {
    return (ff_interval){ff_interval_down(ff_interval_down(lo)) - DBL_MIN,
                         ff_interval_up(ff_interval_up(hi)) + DBL_MIN};
}

static ff_interval rising(double f(double x), ff_interval u) { return widened(f(u.lo), f(u.hi)); }

/* of an odd function, which keeps the sign */
static ff_interval rising_odd(double f(double x), ff_interval u) {
    const ff_interval range = rising(f, u);
    return (ff_interval){u.lo >= 0 ? ff_interval_most(range.lo, 0) : range.lo,
                         u.hi <= 0 ? ff_interval_least(range.hi, 0) : range.hi};
}

static const double pi = 3.141592653589793;

/* Whether u contains at + k period for an integer k, or nearly: its ends, and multiples of pi, are known to an epsilon. */
static bool passes(ff_interval u, double at, double period) {
    const double near = 8 * DBL_EPSILON * (4 + ff_interval_magnitude(u));
    return floor((u.hi - at + near) / period) >= ceil((u.lo - at - near) / period);
}

/* beyond it the angle of a sine is known to 1e-4 of a turn at best */
static const double angle_most = 1e12;

static ff_interval wave(ff_interval u, double first, double last, double peak) {
    ff_interval range = widened(ff_interval_least(first, last), ff_interval_most(first, last));
    range.lo = range.lo < -1 || passes(u, peak + pi, 2 * pi) ? -1 : range.lo;
    range.hi = range.hi > 1 || passes(u, peak, 2 * pi) ? 1 : range.hi;
    return range;
}

/* s' = c u', c' = -s u' */
static int sine_and_cosine(series u, int n, ff_interval *s, ff_interval *c) {
    const ff_interval u0 = u.at[0];
    if (!ff_interval_bounded(u0)) {
        unknown(n, c);
        return unknown(n, s);
    }
    if (u0.hi - u0.lo < 2 * pi && ff_interval_magnitude(u0) < angle_most) {
        double sine[2], cosine[2];
        ff_sincos(u0.lo, &sine[0], &cosine[0]);
        ff_sincos(u0.hi, &sine[1], &cosine[1]);
        s[0] = wave(u0, sine[0], sine[1], pi / 2);
        c[0] = wave(u0, cosine[0], cosine[1], 0);
        s[0].lo = u0.lo >= 0 && u0.hi < pi ? ff_interval_most(s[0].lo, 0) : s[0].lo;
    } else {
        s[0] = c[0] = (ff_interval){-1, 1};
    }
    if (is_constant(u)) {
        return 0;
    }
    ff_interval rate[TERMS];
    rates(u, rate);
    for (int k = 1; k <= n; k++) {
        sum of_s = {0}, of_c = {0};
        for (int j = 1; j <= least(k, u.degree); j++) {
            plus(&of_s, rate[j], c[k - j]);
            minus(&of_c, rate[j], s[k - j]);
        }
        s[k] = over_order(of_s, k);
        c[k] = over_order(of_c, k);
    }
    return n;
}

static ff_interval cosh_range(ff_interval u) {
    const ff_interval range =
        widened(ff_cosh(ff_interval_mignitude(u)), ff_cosh(ff_interval_magnitude(u)));
    return (ff_interval){ff_interval_most(range.lo, 1), range.hi};
}

/* s' = c u', c' = s u' */
static int sinh_and_cosh(series u, int n, ff_interval *s, ff_interval *c) {
    s[0] = rising_odd(ff_sinh, u.at[0]);
    c[0] = cosh_range(u.at[0]);
    if (is_constant(u)) {
        return 0;
    }
    ff_interval rate[TERMS];
    rates(u, rate);
    for (int k = 1; k <= n; k++) {
        sum of_s = {0}, of_c = {0};
        for (int j = 1; j <= least(k, u.degree); j++) {
            plus(&of_s, rate[j], c[k - j]);
            plus(&of_c, rate[j], s[k - j]);
        }
        s[k] = over_order(of_s, k);
        c[k] = over_order(of_c, k);
    }
    return n;
}

/* e' = e u' */
static int exponential(series u, int n, ff_interval *out) {
    out[0] = rising(ff_exp, u.at[0]);
    out[0].lo = ff_interval_most(out[0].lo, 0);
    if (is_constant(u)) {
        return 0;
    }
    ff_interval rate[TERMS];
    rates(u, rate);
    for (int k = 1; k <= n; k++) {
        sum s = {0};
        for (int j = 1; j <= least(k, u.degree); j++) {
            plus(&s, rate[j], out[k - j]);
        }
        out[k] = over_order(s, k);
    }
    return n;
}

/* f' = g u' with g = 1 + sign f^2, f_0 and g_0 known */
static int tangent_from(series u, int n, ff_interval *out, ff_interval g0, int sign) {
    if (is_constant(u)) {
        return 0;
    }
    ff_interval rate[TERMS], g[TERMS];
    rates(u, rate);
    g[0] = g0;
    for (int k = 1; k <= n; k++) {
        sum s = {0};
        for (int j = 1; j <= least(k, u.degree); j++) {
            plus(&s, rate[j], g[k - j]);
        }
        out[k] = over_order(s, k);
        const ff_interval square = over_order(square_sum((series){out, k}, k), 1);
        g[k] = sign > 0 ? square : ff_interval_negate(square);
    }
    return n;
}

static int tangent(series u, int n, ff_interval *out) {
    const ff_interval u0 = u.at[0];
    if (!(u0.hi - u0.lo < pi && ff_interval_magnitude(u0) < angle_most) || passes(u0, pi / 2, pi)) {
        return unknown(n, out);
    }
    out[0] = rising(ff_tan, u0);
    const ff_interval one = ff_interval_of(1);
    return tangent_from(u, n, out, ff_interval_add(one, ff_interval_square(out[0])), 1);
}

/* 1 - tanh^2 = 1/cosh^2 is small far from 0, which the difference would lose */
static int hyperbolic_tangent(series u, int n, ff_interval *out) {
    out[0] = ff_interval_meet(rising_odd(ff_tanh, u.at[0]), (ff_interval){-1, 1});
    const ff_interval one = ff_interval_of(1);
    return tangent_from(u, n, out, ff_interval_divide(one, ff_interval_square(cosh_range(u.at[0]))),
                        -1);
}

/* f' d = u' with f_0 known: f_k = (k u_k - sum_(j=1)^(k-1) j f_j d_(k-j))/(k d_0) */
static int integrate(series u, series d, int n, ff_interval *out) {
    if (is_constant(u)) {
        return 0;
    }
    if (!(d.at[0].lo > 0 || d.at[0].hi < 0)) {
        return unknown_from(1, n, out);
    }
    ff_interval rate[TERMS];
    for (int k = 1; k <= n; k++) {
        sum s = {0};
        if (k <= u.degree) {
            s = sum_of((ff_interval){k * u.at[k].lo, k * u.at[k].hi});
        }
        for (int j = most(1, k - d.degree); j < k; j++) {
            minus(&s, rate[j], d.at[k - j]);
        }
        out[k] = ff_interval_divide(over_order(s, k), d.at[0]);
        rate[k] = (ff_interval){k * out[k].lo, k * out[k].hi};
    }
    return n;
}

static int logarithm(series u, int n, ff_interval *out) {
    if (!(u.at[0].lo > 0)) {
        return unknown(n, out);
    }
    out[0] = rising(ff_log, u.at[0]);
    return integrate(u, u, n, out);
}

static int arc_tangent(series u, int n, ff_interval *out) {
    ff_interval d[TERMS];
    const int degree = square(u, n, d);
    d[0] = ff_interval_add(d[0], ff_interval_of(1));
    out[0] = rising_odd(ff_atan, u.at[0]);
    return integrate(u, (series){d, degree}, n, out);
}

/* asin' = 1/sqrt(1 - u^2); acos' has the other sign */
static int arc(series u, int n, ff_interval *out, bool cosine) {
    const ff_interval u0 = u.at[0];
    if (u0.lo < -1 || u0.hi > 1) {
        return unknown(n, out);
    }
    if (cosine) {
        out[0] = widened(ff_acos(u0.hi), ff_acos(u0.lo));
        out[0].lo = ff_interval_most(out[0].lo, 0);
    } else {
        out[0] = rising_odd(ff_asin, u0);
    }
    ff_interval squared[TERMS], rest[TERMS], d[TERMS];
    int degree = square(u, n, squared);
    negate((series){squared, degree}, rest);
    rest[0] = ff_interval_subtract(ff_interval_of(1), squared[0]);
    rest[0].lo = ff_interval_most(rest[0].lo, 0);
    degree = root((series){rest, degree}, n, d);
    degree = integrate(u, (series){d, degree}, n, out);
    for (int k = 1; cosine && k <= degree; k++) {
        out[k] = ff_interval_negate(out[k]);
    }
    return degree;
}

/* h^2 = a^2 + b^2 */
static int hypotenuse(series a, series b, int n, ff_interval *out) {
    ff_interval a2[TERMS], b2[TERMS], both[TERMS];
    const int a_degree = square(a, n, a2), b_degree = square(b, n, b2);
    const int degree = add((series){a2, a_degree}, (series){b2, b_degree}, both);
    out[0] = widened(ff_hypot(ff_interval_mignitude(a.at[0]), ff_interval_mignitude(b.at[0])),
                     ff_hypot(ff_interval_magnitude(a.at[0]), ff_interval_magnitude(b.at[0])));
    out[0].lo = ff_interval_most(out[0].lo, 0);
    return root_from((series){both, degree}, n, out);
}

/* (x^2 + y^2) f' = x y' - y x'; angles of a box without the origin are between those of its corners. At the half line
 * y = 0, x < 0 the angle jumps. */
static int angle(series y, series x, int n, ff_interval *out) {
    const ff_interval x0 = x.at[0], y0 = y.at[0];
    const bool is_fixed = is_constant(x) && is_constant(y);
    if (x0.lo <= 0 && y0.lo <= 0 && y0.hi >= 0) {
        out[0] = widened(-pi, pi);
        return is_fixed ? 0 : unknown_from(1, n, out);
    }
    const double corners[] = {ff_atan2(y0.lo, x0.lo), ff_atan2(y0.lo, x0.hi),
                              ff_atan2(y0.hi, x0.lo), ff_atan2(y0.hi, x0.hi)};
    out[0] = widened(ff_interval_least(ff_interval_least(corners[0], corners[1]),
                                       ff_interval_least(corners[2], corners[3])),
                     ff_interval_most(ff_interval_most(corners[0], corners[1]),
                                      ff_interval_most(corners[2], corners[3])));
    if (is_fixed) {
        return 0;
    }
    ff_interval x2[TERMS], y2[TERMS], d[TERMS], x_rate[TERMS], y_rate[TERMS], rate[TERMS];
    const int x_degree = square(x, n, x2), y_degree = square(y, n, y2);
    const int degree = add((series){x2, x_degree}, (series){y2, y_degree}, d);
    if (!(d[0].lo > 0)) {
        return unknown_from(1, n, out);
    }
    rates(x, x_rate);
    rates(y, y_rate);
    for (int k = 1; k <= n; k++) {
        sum s = {0};
        for (int j = most(1, k - x.degree); j <= least(k, y.degree); j++) {
            plus(&s, x.at[k - j], y_rate[j]);
        }
        for (int j = most(1, k - y.degree); j <= least(k, x.degree); j++) {
            minus(&s, y.at[k - j], x_rate[j]);
        }
        for (int j = most(1, k - degree); j < k; j++) {
            minus(&s, rate[j], d[k - j]);
        }
        out[k] = ff_interval_divide(over_order(s, k), d[0]);
        rate[k] = (ff_interval){k * out[k].lo, k * out[k].hi};
    }
    return n;
}

/* ---- powers ---- */

/* a^b, a >= 0: b log a is bilinear, so that its extremes are those of the corners */
static ff_interval power_range(ff_interval a, ff_interval b) {
    const double corners[] = {ff_op_power(a.lo, b.lo), ff_op_power(a.lo, b.hi),
                              ff_op_power(a.hi, b.lo), ff_op_power(a.hi, b.hi)};
    const ff_interval range = widened(ff_interval_least(ff_interval_least(corners[0], corners[1]),
                                                        ff_interval_least(corners[2], corners[3])),
                                      ff_interval_most(ff_interval_most(corners[0], corners[1]),
                                                       ff_interval_most(corners[2], corners[3])));
    return (ff_interval){ff_interval_most(range.lo, 0), range.hi};
}

/* by squaring, for an integer > 0 */
static int power_by_squares(series u, int exponent, int n, ff_interval *out) {
    ff_interval results[2][TERMS], squares[2][TERMS];
    series result = {NULL, 0}, base = u;
    for (int turn = 0;; turn = !turn) {
        if (exponent % 2 == 1) {
            ff_interval *next = results[result.at == results[0]];
            const int degree = result.at ? multiply(result, base, n, next) : copy(base, next);
            result = (series){next, degree};
        }
        exponent /= 2;
        if (exponent == 0) {
            return copy(result, out);
        }
        base = (series){squares[turn], square(base, n, squares[turn])};
    }
}

/* u p' = b p u' with p_0 known: p_k = sum_(j=1)^k (j b - (k - j)) u_j p_(k-j)/(k u_0) */
static int power_from(series u, double b, int n, ff_interval *out) {
    for (int k = 1; k <= n; k++) {
        sum s = {0};
        for (int j = 1; j <= least(k, u.degree); j++) {
            const ff_interval weight = ff_interval_subtract(ff_interval_scale(ff_interval_of(b), j),
                                                            ff_interval_of(k - j));
            plus(&s, ff_interval_multiply(weight, u.at[j]), out[k - j]);
        }
        out[k] = ff_interval_divide(over_order(s, k), u.at[0]);
    }
    return n;
}

/* up to these exponents products are as tight as the recurrence, and up to these they replace it around 0 */
enum { EXPONENT_FEW = 8, EXPONENT_MOST = 1024 };

static int power_of_integer(series u, double b, int n, ff_interval *out) {
    const ff_interval u0 = u.at[0], exponent = ff_interval_of(b);
    const bool has_zero = ff_interval_contains(u0, 0), odd = fmod(b, 2) != 0;
    if (has_zero && (b < 0 || b > EXPONENT_MOST)) {
        return unknown(n, out);
    }
    ff_interval range;
    if (odd && has_zero) {
        range.lo = -power_range(ff_interval_of(-u0.lo), exponent).hi;
        range.hi = power_range(ff_interval_of(u0.hi), exponent).hi;
    } else {
        range = power_range((ff_interval){ff_interval_mignitude(u0), ff_interval_magnitude(u0)},
                            exponent);
        range = odd && u0.hi < 0 ? ff_interval_negate(range) : range;
    }
    if (is_constant(u)) {
        return constant(range, out);
    }
    int degree;
    if (fabs(b) <= EXPONENT_FEW || has_zero) {
        ff_interval whole[TERMS], one = ff_interval_of(1);
        degree = power_by_squares(u, (int)fabs(b), n, whole);
        degree = b > 0 ? copy((series){whole, degree}, out)
                       : divide((series){&one, 0}, (series){whole, degree}, n, out);
    } else {
        out[0] = range;
        degree = power_from(u, b, n, out);
    }
    out[0] = ff_interval_meet(range, out[0]);
    return degree;
}

static int power(series u, series v, int n, ff_interval *out) {
    const ff_interval u0 = u.at[0], v0 = v.at[0];
    if (is_constant(v) && ff_interval_point(v0) && ff_interval_bounded(v0)) {
        const double b = v0.lo;
        if (b == 0 || b == 1) {
            return b == 1 ? copy(u, out) : constant(ff_interval_of(1), out);
        }
        if (b == floor(b)) {
            return power_of_integer(u, b, n, out);
        }
        if (u0.lo > 0 && !is_constant(u)) {
            out[0] = power_range(u0, v0);
            return power_from(u, b, n, out);
        }
    }
    if (u0.lo < 0 || (u0.lo == 0 && v0.lo <= 0)) {
        return unknown(n, out);
    }
    const ff_interval range = power_range(u0, v0);
    if (is_constant(u) && is_constant(v)) {
        return constant(range, out);
    }
    if (u0.lo == 0) {
        out[0] = range;
        return unknown_from(1, n, out);
    }
    ff_interval logs[TERMS], products[TERMS];
    const int log_degree = logarithm(u, n, logs);
    const int degree = multiply(v, (series){logs, log_degree}, n, products);
    const int result = exponential((series){products, degree}, n, out);
    out[0] = ff_interval_meet(range, out[0]);
    return result;
}

/* ---- kinks and jumps ---- */

/* A range of something that jumps, or that the piece decides: then it is constant. `fixed`: its operands are constants.
 * `touches`: the piece is a point at the jump. */
static int jump(ff_interval range, bool fixed, bool touches, int n, ff_interval *out) {
    out[0] = range;
    return fixed || (ff_interval_point(range) && !touches) ? 0 : unknown_from(1, n, out);
}

/* of a choice that is not decided: the range, both slopes, nothing else */
static int kink(ff_interval range, series u, series v, int n, ff_interval *out) {
    out[0] = range;
    if (is_constant(u) && is_constant(v)) {
        return 0;
    }
    if (n > 0) {
        const ff_interval zero = {0, 0};
        out[1] = ff_interval_hull(u.degree > 0 ? u.at[1] : zero, v.degree > 0 ? v.at[1] : zero);
    }
    return unknown_from(2, n, out);
}

static int absolute(series u, int n, ff_interval *out) {
    const ff_interval u0 = u.at[0];
    const bool touches = ff_interval_zero(u0);
    if (u0.lo >= 0 && !touches) {
        return copy(u, out);
    }
    ff_interval other[TERMS];
    const int degree = negate(u, other);
    if (u0.hi <= 0 && !touches) {
        return copy((series){other, degree}, out);
    }
    return kink((ff_interval){ff_interval_mignitude(u0), ff_interval_magnitude(u0)}, u,
                (series){other, degree}, n, out);
}

/* whether all numbers of both are the same one */
static bool coincide(ff_interval a, ff_interval b) { return a.lo == b.hi && a.hi == b.lo; }

static int smaller(series u, series v, int n, ff_interval *out) {
    const ff_interval a = u.at[0], b = v.at[0];
    if (!coincide(a, b) && (a.hi <= b.lo || b.hi <= a.lo)) {
        return copy(a.hi <= b.lo ? u : v, out);
    }
    return kink((ff_interval){ff_interval_least(a.lo, b.lo), ff_interval_least(a.hi, b.hi)}, u, v,
                n, out);
}

static int larger(series u, series v, int n, ff_interval *out) {
    const ff_interval a = u.at[0], b = v.at[0];
    if (!coincide(a, b) && (a.hi <= b.lo || b.hi <= a.lo)) {
        return copy(a.hi <= b.lo ? v : u, out);
    }
    return kink((ff_interval){ff_interval_most(a.lo, b.lo), ff_interval_most(a.hi, b.hi)}, u, v, n,
                out);
}

static int sign(series u, int n, ff_interval *out) {
    const ff_interval u0 = u.at[0];
    return jump((ff_interval){ff_sign(u0.lo), ff_sign(u0.hi)}, is_constant(u), ff_interval_zero(u0),
                n, out);
}

/* round: floor or ceil */
static int step(double round(double x), series u, int n, ff_interval *out) {
    const ff_interval u0 = u.at[0], range = {round(u0.lo), round(u0.hi)};
    return jump(range, is_constant(u), ff_interval_point(u0) && u0.lo == range.lo, n, out);
}

/* no: certainly false, yes: certainly true */
static int condition(bool no, bool yes, series u, series v, int n, ff_interval *out) {
    const ff_interval range = {yes ? 1 : 0, no ? 0 : 1};
    return jump(range, is_constant(u) && is_constant(v), coincide(u.at[0], v.at[0]), n, out);
}

static int choose(series c, series u, series v, int n, ff_interval *out) {
    if (!ff_interval_contains(c.at[0], 0)) {
        return copy(u, out);
    }
    if (ff_interval_zero(c.at[0])) {
        return copy(v, out);
    }
    const bool fixed = is_constant(c) && is_constant(u) && is_constant(v);
    const ff_interval range = ff_interval_hull(u.at[0], v.at[0]);
    /* equal constants leave nothing to choose, which a point range shows */
    return jump(range, fixed, !(is_constant(u) && is_constant(v)), n, out);
}

/* ---- tapes ---- */

static const unsigned char operand_counts[] = {
#define COUNT(name, count, result) count,
    FF_OPS(COUNT)
#undef COUNT
};

/* the two operations of a joined step: the first is an operand of the second, `turned`: the second one */
typedef struct joined {
    unsigned char first, second;
    bool turned;
} joined;

static const joined pairs[] = {
#define TRIO(name, op, turned)                                                                     \
    [FF_OP_ADD_##name - FF_OP_ADD_ADD] = {FF_OP_ADD, op, turned},                                  \
                        [FF_OP_SUBTRACT_##name - FF_OP_ADD_ADD] = {FF_OP_SUBTRACT, op, turned},    \
                        [FF_OP_MULTIPLY_##name - FF_OP_ADD_ADD] = {FF_OP_MULTIPLY, op, turned},
    TRIO(ADD, FF_OP_ADD, false) TRIO(SUBTRACT, FF_OP_SUBTRACT, false)
        TRIO(MULTIPLY, FF_OP_MULTIPLY, false) TRIO(DIVIDE, FF_OP_DIVIDE, false)
#undef TRIO
#define TURNED(name, op)                                                                           \
    [FF_OP_##name##_ADD - FF_OP_ADD_ADD] = {FF_OP_ADD, op, true},                                  \
                          [FF_OP_##name##_SUBTRACT - FF_OP_ADD_ADD] = {FF_OP_SUBTRACT, op, true},  \
                          [FF_OP_##name##_MULTIPLY - FF_OP_ADD_ADD] = {FF_OP_MULTIPLY, op, true},
            TURNED(FROM, FF_OP_SUBTRACT) TURNED(BY, FF_OP_DIVIDE)
#undef TURNED
};

static bool is_pair(ff_op op) {
    return op >= FF_OP_ADD_ADD && (size_t)(op - FF_OP_ADD_ADD) < sizeof pairs / sizeof *pairs;
}

static bool is_unknown(series u) { return u.at[0].lo < -DBL_MAX && u.at[0].hi > DBL_MAX; }

/* b and c are a where the operation has fewer operands */
static int operate(ff_op op, series a, series b, series c, int n, ff_interval *out) {
    const ff_interval a0 = a.at[0], b0 = b.at[0];
    ff_interval other[TERMS];
    if (is_unknown(a) || (is_unknown(b) && op != FF_OP_SELECT)) {
        return unknown(n, out);
    }
    switch (op) {
    case FF_OP_COPY: return copy(a, out);
    case FF_OP_NEGATE: return negate(a, out);
    case FF_OP_ADD: return add(a, b, out);
    case FF_OP_SUBTRACT: return subtract(a, b, out);
    case FF_OP_MULTIPLY: return multiply(a, b, n, out);
    case FF_OP_DIVIDE: return divide(a, b, n, out);
    case FF_OP_LESS: return condition(a0.lo >= b0.hi, a0.hi < b0.lo, a, b, n, out);
    case FF_OP_LESS_EQUAL: return condition(a0.lo > b0.hi, a0.hi <= b0.lo, a, b, n, out);
    case FF_OP_EQUAL:
        return condition(a0.lo > b0.hi || a0.hi < b0.lo, coincide(a0, b0), a, b, n, out);
    case FF_OP_NOT_EQUAL:
        return condition(coincide(a0, b0), a0.lo > b0.hi || a0.hi < b0.lo, a, b, n, out);
    case FF_OP_SELECT: return choose(a, b, c, n, out);
    case FF_OP_MIN: return smaller(a, b, n, out);
    case FF_OP_MAX: return larger(a, b, n, out);
    case FF_OP_ABS: return absolute(a, n, out);
    case FF_OP_SIGN: return sign(a, n, out);
    case FF_OP_SQRT: return root(a, n, out);
    case FF_OP_POWER: return power(a, b, n, out);
    case FF_OP_FLOOR: return step(floor, a, n, out);
    case FF_OP_CEIL: return step(ceil, a, n, out);
    case FF_OP_HYPOT: return hypotenuse(a, b, n, out);
    case FF_OP_SIN: return sine_and_cosine(a, n, out, other);
    case FF_OP_COS: return sine_and_cosine(a, n, other, out);
    case FF_OP_TAN: return tangent(a, n, out);
    case FF_OP_ASIN: return arc(a, n, out, false);
    case FF_OP_ACOS: return arc(a, n, out, true);
    case FF_OP_ATAN: return arc_tangent(a, n, out);
    case FF_OP_ATAN2: return angle(a, b, n, out);
    case FF_OP_SINH: return sinh_and_cosh(a, n, out, other);
    case FF_OP_COSH: return sinh_and_cosh(a, n, other, out);
    case FF_OP_TANH: return hyperbolic_tangent(a, n, out);
    case FF_OP_EXP: return exponential(a, n, out);
    case FF_OP_LOG: return logarithm(a, n, out);
    default: return unknown(n, out); /* pairs are taken apart before */
    }
}

/* a a a as one number to the third: of [-1, 2] it is [-1, 8], not [-4, 8] */
static void sharpen_cube(ff_interval a, ff_interval *out) {
    *out = ff_interval_meet(
        *out,
        (ff_interval){
            ff_interval_multiply(ff_interval_of(a.lo), ff_interval_square(ff_interval_of(a.lo))).lo,
            ff_interval_multiply(ff_interval_of(a.hi), ff_interval_square(ff_interval_of(a.hi)))
                .hi});
}

/* degrees of numbers, after their coefficients */
static unsigned char *degrees_of(const ff_tape *tape, int order, ff_interval *work) {
    return (unsigned char *)(work + tape->room * (size_t)(order + 1));
}

size_t ff_series_room(const ff_tape *tape, int order) {
    return tape->room * (size_t)(order + 1) + tape->room / sizeof(ff_interval) + 1;
}

void ff_series_begin(const ff_tape *tape, int order, ff_interval *work) {
    unsigned char *degrees = degrees_of(tape, order, work);
    for (size_t i = 0; i < tape->constant_count; i++) {
        const double number = tape->constants[i];
        const size_t place = tape->input_count + i;
        ff_interval *out = work + place * (size_t)(order + 1);
        memset(out, 0, (size_t)(order + 1) * sizeof *out);
        out[0] = ff_interval_of(number);
        degrees[place] = (unsigned char)(fabs(number) <= DBL_MAX ? 0 : unknown(order, out));
    }
}

static inline series operand(const ff_tape *tape, const unsigned char *degrees, uint32_t place,
                             int order, const ff_interval *work) {
    series u = {work + (size_t)place * (size_t)(order + 1), order};
    if (place >= tape->input_count) {
        u.degree = degrees[place];
    } else {
        while (u.degree > 0 && ff_interval_zero(u.at[u.degree])) {
            u.degree--;
        }
    }
    return u;
}

/* ---- wide pieces ---- */

/* Quotients and powers of a number v that changes by a large factor within a piece, such as 1/(1 + exp(u)) or 1/cosh(u)^2
 * far from u = 0, have coefficients that the recurrences in v overestimate by powers of that factor, or not at all where v
 * overflows. They follow from the logarithmic rate l = v'/v instead, which is found from the operations that made v:
 *
 *     exp u: u'    cosh u: tanh(u) u'    x y: l_x + l_y    x/y: l_x - l_y    x^b: b l_x
 *     x + y of one sign: l_y + p (l_x - l_y), where p = x/(x + y) is between 0 and 1, and p' = p (1 - p) (l_x - l_y)
 *
 * and of anything else is v'/v by division. */

typedef struct run {
    const ff_tape *tape;
    const ff_raw_step *now;
    const unsigned char *degrees;
    const ff_interval *work;
    int order;
} run;

/* A number of `work`, or the first part of a joined step, which has no place. */
enum { NOWHERE = UINT32_MAX };
typedef struct source {
    series value;
    uint32_t place, with[2];
    ff_op op;
} source;

static source source_at(const run *r, uint32_t place) {
    return (source){.value = operand(r->tape, r->degrees, place, r->order, r->work),
                    .place = place};
}

/* u' */
static series rate_of(series u, ff_interval *out) {
    for (int j = 1; j <= u.degree; j++) {
        out[j - 1] = ff_interval_scale(u.at[j], j);
    }
    if (u.degree == 0) {
        out[0] = ff_interval_of(0);
    }
    return (series){out, most(0, u.degree - 1)};
}

enum { NONE = -1, DEPTH = 6 };

static int quotient_rate(series v, int n, ff_interval *out) {
    if (ff_interval_contains(v.at[0], 0) || !ff_interval_bounded(v.at[0])) {
        return NONE;
    }
    ff_interval rate[TERMS];
    return divide(rate_of(v, rate), v, n, out);
}

/* x/(x + y) of numbers that are not negative */
static ff_interval part_of(ff_interval x, ff_interval y) {
    const double lo = x.lo / (x.lo + y.hi), hi = x.hi / (x.hi + y.lo);
    return (ff_interval){
        lo > 0 ? ff_interval_most(ff_interval_down(lo) - DBL_MIN, 0) : 0,
        x.hi + y.lo <= DBL_MAX && hi <= 1 ? ff_interval_least(ff_interval_up(hi) + DBL_MIN, 1) : 1};
}

/* of x + y with the rates lx and ly */
static int mean_rate(ff_interval x, ff_interval y, series lx, series ly, int n, ff_interval *out) {
    if (x.hi <= 0) {
        x = ff_interval_negate(x);
        y = ff_interval_negate(y);
    }
    /* p, 1 - p, and their product */
    ff_interval p[TERMS] = {part_of(x, y)}, rest[TERMS] = {part_of(y, x)}, g[TERMS], change[TERMS];
    const int degree = subtract(lx, ly, change);
    g[0] = ff_interval_meet(ff_interval_multiply(p[0], rest[0]), (ff_interval){0, 0.25});
    for (int k = 1; k <= n; k++) {
        sum s = {0}, of_g = {0};
        for (int j = 0; j <= least(k - 1, degree); j++) {
            plus(&s, change[j], g[k - 1 - j]);
        }
        p[k] = over_order(s, k);
        rest[k] = ff_interval_negate(p[k]);
        for (int j = 0; j <= k; j++) {
            plus(&of_g, p[j], rest[k - j]);
        }
        g[k] = over_order(of_g, 1);
    }
    ff_interval part[TERMS];
    const int part_degree = multiply((series){p, n}, (series){change, degree}, n, part);
    const int result = add(ly, (series){part, part_degree}, out);
    out[0] = ff_interval_meet(out[0], ff_interval_hull(lx.at[0], ly.at[0]));
    return result;
}

/* Coefficients 0 to n of l; returns the degree, NONE if nothing is known. */
static int log_rate(const run *r, source v, int n, int depth, ff_interval *out) {
    if (is_constant(v.value) && !ff_interval_contains(v.value.at[0], 0)) {
        return constant(ff_interval_of(0), out);
    }
    ff_interval inner[TERMS], x[TERMS], y[TERMS];
    source a, b;
    ff_op op = v.op;
    if (v.place == NOWHERE) {
        a = source_at(r, v.with[0]);
        b = source_at(r, v.with[1]);
    } else {
        const ff_raw_step *s = r->now;
        while (s > r->tape->raw && s[-1].to != v.place) {
            s--;
        }
        if (s == r->tape->raw || depth == 0) {
            return quotient_rate(v.value, n, out);
        }
        s--;
        op = s->op;
        a = source_at(r, s->with[0]);
        b = operand_counts[op] > 1 ? source_at(r, s->with[1]) : a;
        if (is_pair(op)) {
            const joined pair = pairs[op - FF_OP_ADD_ADD];
            const int degree = operate(pair.first, a.value, b.value, a.value, r->order, inner);
            const source first = {.value = {inner, degree},
                                  .place = NOWHERE,
                                  .with = {s->with[0], s->with[1]},
                                  .op = pair.first};
            const source other = source_at(r, s->with[2]);
            a = pair.turned ? other : first;
            b = pair.turned ? first : other;
            op = pair.second;
        }
    }
    const ff_interval a0 = a.value.at[0], b0 = b.value.at[0];
    int degree = NONE;
    switch (op) {
    case FF_OP_COPY:
    case FF_OP_NEGATE: degree = log_rate(r, a, n, depth - 1, out); break;
    case FF_OP_EXP: return copy(rate_of(a.value, x), out);
    case FF_OP_COSH:
        degree = hyperbolic_tangent(a.value, n, x);
        return multiply((series){x, degree}, rate_of(a.value, y), n, out);
    case FF_OP_SQRT:
    case FF_OP_POWER:
        if (op == FF_OP_SQRT || (is_constant(b.value) && ff_interval_point(b0))) {
            degree = log_rate(r, a, n, depth - 1, x);
        }
        if (degree != NONE) {
            return scale((series){x, degree}, op == FF_OP_SQRT ? ff_interval_of(0.5) : b0, out);
        }
        break;
    case FF_OP_ADD:
    case FF_OP_MULTIPLY:
    case FF_OP_DIVIDE: {
        const bool one_sign = (a0.lo >= 0 && b0.lo >= 0) || (a0.hi <= 0 && b0.hi <= 0);
        const int x_degree = op != FF_OP_ADD || one_sign ? log_rate(r, a, n, depth - 1, x) : NONE;
        const int y_degree = x_degree != NONE ? log_rate(r, b, n, depth - 1, y) : NONE;
        if (y_degree != NONE) {
            const series lx = {x, x_degree}, ly = {y, y_degree};
            return op == FF_OP_ADD        ? mean_rate(a0, b0, lx, ly, n, out)
                   : op == FF_OP_MULTIPLY ? add(lx, ly, out)
                                          : subtract(lx, ly, out);
        }
        break;
    }
    default: break;
    }
    return degree != NONE ? degree : quotient_rate(v.value, n, out);
}

/* the factor that a base may change by, below which the recurrences are left as they are */
static const double change_few = 1.25;

static bool is_wide(ff_interval v) {
    /* divided, as the larger end may be infinite */
    return (v.lo > 0 && v.hi / change_few > v.lo) || (v.hi < 0 && v.lo / change_few < v.hi);
}

/* Meets the coefficients of a/b, a^b, sqrt(a) or log(a) with those from the logarithmic rate of b or a. */
static void sharpen(const run *r, ff_op op, source a, source b, ff_interval *out) {
    const int n = r->order;
    const bool divides = op == FF_OP_DIVIDE;
    const source base = divides ? b : a;
    if (n == 0 || is_constant(base.value) || !is_wide(base.value.at[0]) ||
        (op == FF_OP_POWER && !(is_constant(b.value) && ff_interval_point(b.value.at[0])))) {
        return;
    }
    ff_interval logs[TERMS], rate[TERMS], power[TERMS], result[TERMS];
    int degree = log_rate(r, base, n - 1, DEPTH, logs);
    if (degree == NONE) {
        return;
    }
    if (op == FF_OP_LOG) {
        for (int k = 1; k <= n; k++) {
            out[k] = ff_interval_meet(
                out[k], k - 1 <= degree ? ff_interval_divide(logs[k - 1], ff_interval_of(k))
                                        : ff_interval_of(0));
        }
        return;
    }
    degree = scale((series){logs, degree},
                   divides            ? ff_interval_of(-1)
                   : op == FF_OP_SQRT ? ff_interval_of(0.5)
                                      : b.value.at[0],
                   rate);
    /* p' = p rate */
    power[0] = divides ? ff_interval_divide(ff_interval_of(1), b.value.at[0]) : out[0];
    for (int k = 1; k <= n; k++) {
        sum s = {0};
        for (int j = 0; j <= least(k - 1, degree); j++) {
            plus(&s, rate[j], power[k - 1 - j]);
        }
        power[k] = over_order(s, k);
    }
    const series p = {power, n};
    const int whole = divides ? multiply(a.value, p, n, result) : copy(p, result);
    for (int k = 1; k <= whole; k++) {
        out[k] = ff_interval_meet(out[k], result[k]);
    }
}

/* ---- execution ---- */

void ff_series_run(const ff_tape *tape, size_t group, int order, ff_interval *work) {
    unsigned char *degrees = degrees_of(tape, order, work);
    run r = {tape, tape->raw + (group > 0 ? tape->group_ends[group - 1] : 0), degrees, work, order};
    for (const ff_raw_step *end = tape->raw + tape->group_ends[group]; r.now < end; r.now++) {
        const ff_raw_step *s = r.now;
        const int operands = operand_counts[s->op];
        ff_interval *out = work + (size_t)s->to * (size_t)(order + 1), inner[TERMS];
        source a = source_at(&r, s->with[0]);
        source b = operands > 1 ? source_at(&r, s->with[1]) : a;
        source c = operands > 2 ? source_at(&r, s->with[2]) : a;
        ff_op op = s->op;
        if (is_pair(op)) {
            const joined pair = pairs[op - FF_OP_ADD_ADD];
            const int degree = operate(pair.first, a.value, b.value, a.value, order, inner);
            const source first = {.value = {inner, degree},
                                  .place = NOWHERE,
                                  .with = {s->with[0], s->with[1]},
                                  .op = pair.first};
            a = pair.turned ? c : first;
            b = pair.turned ? first : c;
            op = pair.second;
        }
        const int degree = operate(op, a.value, b.value, c.value, order, out);
        if (s->op == FF_OP_MULTIPLY_MULTIPLY && s->with[0] == s->with[1] &&
            s->with[0] == s->with[2]) {
            sharpen_cube(c.value.at[0], out);
        }
        if (degree == order &&
            (op == FF_OP_DIVIDE || op == FF_OP_POWER || op == FF_OP_SQRT || op == FF_OP_LOG)) {
            sharpen(&r, op, a, b, out);
        }
        memset(out + degree + 1, 0, (size_t)(order - degree) * sizeof *out);
        degrees[s->to] = (unsigned char)degree;
    }
}

const ff_interval *ff_series_output(const ff_tape *tape, size_t i, int order,
                                    const ff_interval *work) {
    return work + tape->places[i] * (size_t)(order + 1);
}

/* ---- reliance ---- */

static unsigned char more(unsigned char a, unsigned char b) { return a > b ? a : b; }

static unsigned char reliance(ff_op op, unsigned char a, unsigned char b, unsigned char c) {
    switch (op) {
    case FF_OP_COPY:
    case FF_OP_NEGATE: return a;
    case FF_OP_ADD:
    case FF_OP_SUBTRACT: return more(a, b);
    case FF_OP_MULTIPLY:
        if (a == FF_RELIES_NOT || b == FF_RELIES_NOT) {
            return more(a, b);
        }
        break;
    case FF_OP_DIVIDE:
        if (b == FF_RELIES_NOT) {
            return a;
        }
        break;
    case FF_OP_SELECT:
        if (a == FF_RELIES_NOT) {
            return more(b, c);
        }
        break;
    default: break;
    }
    const unsigned char all = more(a, more(b, c));
    return all <= FF_RELIES_ON_TIME ? all : FF_RELIES_FREELY;
}

ff_status ff_series_reliance(const ff_tape *tape, const unsigned char *kinds, unsigned char *out) {
    static const unsigned char of_kind[] = {[FF_INPUT_CONSTANT] = FF_RELIES_NOT,
                                            [FF_INPUT_TIME] = FF_RELIES_ON_TIME,
                                            [FF_INPUT_STATE] = FF_RELIES_AFFINELY};
    unsigned char *classes = ff_calloc(tape->room, sizeof *classes);
    if (!classes) {
        return FF_NO_MEMORY;
    }
    for (size_t i = 0; i < tape->input_count; i++) {
        classes[i] = of_kind[kinds[i]];
    }
    const size_t count = tape->group_count > 0 ? tape->group_ends[tape->group_count - 1] : 0;
    for (const ff_raw_step *s = tape->raw; s < tape->raw + count; s++) {
        const int operands = operand_counts[s->op];
        const unsigned char a = classes[s->with[0]],
                            b = operands > 1 ? classes[s->with[1]] : FF_RELIES_NOT,
                            c = operands > 2 ? classes[s->with[2]] : FF_RELIES_NOT;
        if (is_pair(s->op)) {
            const joined pair = pairs[s->op - FF_OP_ADD_ADD];
            const unsigned char first = reliance(pair.first, a, b, FF_RELIES_NOT);
            classes[s->to] = pair.turned ? reliance(pair.second, c, first, FF_RELIES_NOT)
                                         : reliance(pair.second, first, c, FF_RELIES_NOT);
        } else {
            classes[s->to] = reliance(s->op, a, b, c);
        }
    }
    for (size_t i = 0; i < tape->output_count; i++) {
        out[i] = classes[tape->places[i]];
    }
    ff_free(classes);
    return FF_OK;
}
