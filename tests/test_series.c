/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "expr/scope.h"
#include "expr/series.h"
#include "expressions.h"

enum { MOST = FF_SERIES_ORDER_MOST, TERMS = MOST + 1, INPUTS = ROWS(inputs) };

/* places of inputs: x, t, a, b, s */
enum { X = 0, T = 1, A = 5, B = 6, S = 12 };

/* ---- the same coefficients in another way ---- */

/* Taylor coefficients at a point in long double, by composition with the derivatives of each function in closed form
 * instead of recurrences. `good`: they exist, and no kink or jump is near. */
typedef struct jet {
    long double c[TERMS];
    bool good;
} jet;

static jet number(long double value) { return (jet){.c = {value}, .good = true}; }

static jet sum_of(jet a, jet b, long double factor) {
    for (int k = 0; k <= MOST; k++) {
        a.c[k] += factor * b.c[k];
    }
    a.good = a.good && b.good;
    return a;
}

static jet product_of(jet a, jet b) {
    jet out = {.good = a.good && b.good};
    for (int i = 0; i <= MOST; i++) {
        for (int j = 0; i + j <= MOST; j++) {
            out.c[i + j] += a.c[i] * b.c[j];
        }
    }
    return out;
}

/* sum f[k] (u - u_0)^k by Horner's rule */
static jet composed(const long double *f, jet u) {
    jet rest = u, out = number(f[MOST]);
    rest.c[0] = 0;
    for (int k = MOST; k-- > 0;) {
        out = product_of(out, rest);
        out.c[0] += f[k];
    }
    out.good = u.good;
    return out;
}

/* u^b: binomial coefficients; b: also a negative number if u_0 is not 0 */
static jet power_of(jet u, long double b) {
    long double f[TERMS], choose = 1;
    for (int k = 0; k <= MOST; k++) {
        f[k] = choose == 0 ? 0 : choose * powl(u.c[0], b - k);
        choose *= (b - k) / (k + 1);
    }
    return composed(f, u);
}

static jet quotient_of(jet a, jet b) { return product_of(a, power_of(b, -1)); }

static jet exp_of(jet u) {
    long double f[TERMS], factorial = 1;
    for (int k = 0; k <= MOST; k++) {
        factorial *= k > 0 ? k : 1;
        f[k] = expl(u.c[0]) / factorial;
    }
    return composed(f, u);
}

static jet log_of(jet u) {
    long double f[TERMS] = {logl(u.c[0])};
    for (int k = 1; k <= MOST; k++) {
        f[k] = -powl(-1 / u.c[0], k) / k;
    }
    return composed(f, u);
}

/* derivatives turn by a quarter */
static jet sin_of(jet u, int quarters) {
    long double f[TERMS], factorial = 1;
    const long double four[] = {sinl(u.c[0]), cosl(u.c[0]), -sinl(u.c[0]), -cosl(u.c[0])};
    for (int k = 0; k <= MOST; k++) {
        factorial *= k > 0 ? k : 1;
        f[k] = four[(k + quarters) % 4] / factorial;
    }
    return composed(f, u);
}

/* (e^u + sign e^-u)/2, of which one part may be much the smaller one */
static jet hyperbolic_of(jet u, int sign) {
    long double f[TERMS], factorial = 1;
    const long double two[] = {sign < 0 ? sinhl(u.c[0]) : coshl(u.c[0]),
                               sign < 0 ? coshl(u.c[0]) : sinhl(u.c[0])};
    for (int k = 0; k <= MOST; k++) {
        factorial *= k > 0 ? k : 1;
        f[k] = two[k % 2] / factorial;
    }
    return composed(f, u);
}

/* tanh u = 1 - 2/(1 + e^(2 u)) for u > 0, which keeps the small derivatives of a large u */
static jet tanh_of(jet u) {
    const long double side = u.c[0] < 0 ? -1 : 1;
    const jet e = exp_of(sum_of(number(0), u, 2 * side));
    jet out = sum_of(number(0), power_of(sum_of(number(1), e, 1), -1), -2 * side);
    out.c[0] = tanhl(u.c[0]);
    return out;
}

/* 1/(1 + u^2) is the imaginary part of 1/(u - i), so that coefficient k of atan is that of -(-1/(u - i))^k/k */
static jet atan_of(jet u) {
    const long double x = u.c[0], size = x * x + 1;
    long double f[TERMS] = {atanl(x)}, re = 1, im = 0;
    for (int k = 1; k <= MOST; k++) {
        const long double next = -(re * x - im) / size;
        im = -(re + im * x) / size;
        re = next;
        f[k] = -im / k;
    }
    return composed(f, u);
}

static jet is_good(jet u, bool good) {
    u.good = u.good && good;
    return u;
}

static bool is_fixed(jet u) {
    for (int k = 1; k <= MOST; k++) {
        if (u.c[k] != 0) {
            return false;
        }
    }
    return true;
}

/* not at a kink, unless a - b is 0 for ever */
static bool apart(jet a, jet b) {
    return fabsl(a.c[0] - b.c[0]) > 1e-12L * (fabsl(a.c[0]) + 1e-3L) ||
           (a.c[0] == b.c[0] && is_fixed(a) && is_fixed(b));
}

static jet power_call(jet a, jet b) {
    if (is_fixed(b) && (b.c[0] == floorl(b.c[0]) || a.c[0] > 0)) {
        return is_good(b.c[0] == 0 ? number(1) : power_of(a, b.c[0]), a.good && b.good);
    }
    return is_good(exp_of(product_of(b, log_of(a))), a.c[0] > 0);
}

/* asin u = atan(u/sqrt(1 - u^2)) */
static jet asin_of(jet u) {
    const jet below = sum_of(number(1), product_of(u, u), -1);
    return is_good(atan_of(quotient_of(u, power_of(below, 0.5L))), below.c[0] > 1e-12L);
}

static jet atan2_of(jet y, jet x) {
    jet out = fabsl(x.c[0]) > fabsl(y.c[0]) ? atan_of(quotient_of(y, x))
                                            : sum_of(number(0), atan_of(quotient_of(x, y)), -1);
    out.c[0] = atan2l(y.c[0], x.c[0]);
    return is_good(out, !(x.c[0] < 0 && fabsl(y.c[0]) < 1e-12L));
}

static jet call_of(const char *f, jet a, jet b, jet c) {
    const long double value = a.c[0];
#define IS(name) (strcmp(f, name) == 0)
    if (IS("if")) {
        return is_good(value != 0 ? b : c, a.good && apart(a, number(0)));
    }
    if (IS("min") || IS("max")) {
        return is_good((a.c[0] < b.c[0]) == IS("min") ? a : b, a.good && b.good && apart(a, b));
    }
    if (IS("abs") || IS("sign")) {
        const long double sign = value > 0 ? 1 : value < 0 ? -1 : 0;
        return is_good(IS("abs") ? sum_of(number(0), a, sign) : number(sign),
                       a.good && apart(a, number(0)));
    }
    if (IS("floor") || IS("ceil")) {
        return is_good(number(IS("floor") ? floorl(value) : ceill(value)),
                       a.good && (is_fixed(a) || apart(a, number(roundl(value)))));
    }
    return IS("sin")     ? sin_of(a, 0)
           : IS("cos")   ? sin_of(a, 1)
           : IS("tan")   ? quotient_of(sin_of(a, 0), sin_of(a, 1))
           : IS("asin")  ? asin_of(a)
           : IS("acos")  ? sum_of(number(acosl(-1) / 2), asin_of(a), -1)
           : IS("atan")  ? atan_of(a)
           : IS("atan2") ? atan2_of(a, b)
           : IS("sinh")  ? hyperbolic_of(a, -1)
           : IS("cosh")  ? hyperbolic_of(a, 1)
           : IS("tanh")  ? tanh_of(a)
           : IS("sqrt")  ? (is_fixed(a) ? number(sqrtl(value)) : power_of(a, 0.5L))
           : IS("exp")   ? exp_of(a)
           : IS("log")   ? log_of(a)
           : IS("pow")   ? power_call(a, b)
           : IS("hypot") ? power_of(sum_of(product_of(a, a), product_of(b, b), 1), 0.5L)
                         : is_good(a, false);
}

/* whether the tape has the value in double as a constant: the coefficients are those of this constant */
static bool is_folded(const ff_expr_pool *pool, ff_expr e) {
    const ff_expr_node *node = ff_expr_at(pool, e);
    if (node->kind == FF_EXPR_NAME) {
        return strcmp(node->text, "three") == 0 || strcmp(node->text, "pi") == 0;
    }
    if (strcmp(node->text, "if") == 0 && is_folded(pool, ff_expr_argument(pool, e, 0))) {
        ff_expr_error error;
        double value;
        ff_expr_value(pool, ff_expr_argument(pool, e, 0), &scope, &value, 1, &error);
        return isnan(value) || is_folded(pool, ff_expr_argument(pool, e, value != 0 ? 1 : 2));
    }
    for (size_t i = 0; i < node->count; i++) {
        if (!is_folded(pool, ff_expr_argument(pool, e, i))) {
            return false;
        }
    }
    return true;
}

static jet jet_of(const ff_expr_pool *pool, ff_expr e, const jet *in) {
    const ff_expr_node *node = ff_expr_at(pool, e);
    if (is_folded(pool, e)) {
        ff_expr_error error;
        double value;
        if (ff_expr_value(pool, e, &scope, &value, 1, &error) != FF_OK) {
            return is_good(number(0), false);
        }
        return is_good(number((long double)value), isfinite(value));
    }
    jet a = number(0), b = a, c = a;
    if (node->kind == FF_EXPR_NUMBER || node->kind == FF_EXPR_QUANTITY) {
        return number((long double)node->value);
    }
    if (node->kind == FF_EXPR_NAME) {
        const char *text = node->text;
        return strcmp(text, "three") == 0 ? number(3)
               : strcmp(text, "pi") == 0  ? number(acosl(-1))
               : *text == 'x'             ? in[X]
               : *text == 't'             ? in[T]
               : *text == 'a'             ? in[A]
               : *text == 'b'             ? in[B]
                                          : in[S];
    }
    a = jet_of(pool, ff_expr_argument(pool, e, 0), in);
    b = node->count > 1 ? jet_of(pool, ff_expr_argument(pool, e, 1), in) : b;
    c = node->count > 2 ? jet_of(pool, ff_expr_argument(pool, e, 2), in) : c;
    const bool good = a.good && b.good;
    switch (node->kind) {
    case FF_EXPR_NEGATE: return sum_of(number(0), a, -1);
    case FF_EXPR_ADD: return sum_of(a, b, 1);
    case FF_EXPR_SUBTRACT: return sum_of(a, b, -1);
    case FF_EXPR_MULTIPLY: return product_of(a, b);
    case FF_EXPR_DIVIDE: return quotient_of(a, b);
    case FF_EXPR_POWER: return power_call(a, b);
    case FF_EXPR_LESS: return is_good(number(a.c[0] < b.c[0]), good && apart(a, b));
    case FF_EXPR_LESS_EQUAL: return is_good(number(a.c[0] <= b.c[0]), good && apart(a, b));
    case FF_EXPR_GREATER: return is_good(number(a.c[0] > b.c[0]), good && apart(a, b));
    case FF_EXPR_GREATER_EQUAL: return is_good(number(a.c[0] >= b.c[0]), good && apart(a, b));
    case FF_EXPR_EQUAL: return is_good(number(a.c[0] == b.c[0]), good && apart(a, b));
    case FF_EXPR_NOT_EQUAL: return is_good(number(a.c[0] != b.c[0]), good && apart(a, b));
    default: return call_of(node->text, a, b, c);
    }
}

/* ---- inputs ---- */

/* a and b are constants, t is time, x and s are polynomials in time */
typedef struct motion {
    double a, b, x[4], s[4], begin, end;
} motion;

static motion any_motion(void) {
    motion m = {.a = uniform(-2, 2), .b = draw(3) ? uniform(0, 3) : (double)draw(4)};
    for (int i = 0; i < 4; i++) {
        m.x[i] = uniform(-1, 1);
        m.s[i] = draw(3) ? uniform(-1, 1) : 0;
    }
    const double lengths[] = {0, 1e-6, 1e-3, 0.1, 1, 5};
    m.begin = uniform(-2, 2);
    m.end = m.begin + lengths[draw(ROWS(lengths))];
    return m;
}

/* the polynomial p shifted to t */
static jet polynomial_at(const double *p, long double t) {
    jet time = {.c = {t, 1}, .good = true}, out = number((long double)p[3]);
    for (int i = 3; i-- > 0;) {
        out = product_of(out, time);
        out.c[0] += (long double)p[i];
    }
    return out;
}

static void jets_at(const motion *m, double t, jet *in) {
    in[X] = polynomial_at(m->x, (long double)t);
    in[S] = polynomial_at(m->s, (long double)t);
    in[T] = (jet){.c = {(long double)t, 1}, .good = true};
    in[A] = number((long double)m->a);
    in[B] = number((long double)m->b);
}

/* p(c + d) with d in [-r, r] */
static void polynomial_on(const double *p, ff_interval t, int order, ff_interval *out) {
    static const double binomial[4][4] = {{1, 1, 1, 1}, {0, 1, 2, 3}, {0, 0, 1, 3}, {0, 0, 0, 1}};
    for (int k = 0; k <= order; k++) {
        ff_interval sum = {0, 0};
        for (int i = 3; i >= k && k < 4; i--) {
            sum = ff_interval_add(ff_interval_multiply(sum, t),
                                  ff_interval_scale(ff_interval_of(p[i]), binomial[k][i]));
        }
        out[k] = sum;
    }
}

static void write_inputs(const motion *m, int order, ff_interval *work) {
    const size_t terms = (size_t)order + 1;
    const ff_interval t = {m->begin, m->end};
    memset(work, 0, INPUTS * terms * sizeof *work);
    polynomial_on(m->x, t, order, work + X * terms);
    polynomial_on(m->s, t, order, work + S * terms);
    work[T * terms] = t;
    if (order > 0) {
        work[T * terms + 1] = ff_interval_of(1);
    }
    work[A * terms] = ff_interval_of(m->a);
    work[B * terms] = ff_interval_of(m->b);
}

/* runs all of a tape of one output */
static void series_of(const ff_tape *tape, const motion *m, int order, ff_interval *out) {
    ff_interval *work = malloc(ff_series_room(tape, order) * sizeof *work);
    write_inputs(m, order, work);
    ff_series_begin(tape, order, work);
    ff_series_run(tape, 0, order, work);
    memcpy(out, ff_series_output(tape, 0, order, work), (size_t)(order + 1) * sizeof *out);
    free(work);
}

static double value_at(const ff_tape *tape, const motion *m, double t) {
    double in[INPUTS] = {0}, out;
    in[X] = m->x[0] + t * (m->x[1] + t * (m->x[2] + t * m->x[3]));
    in[S] = m->s[0] + t * (m->s[1] + t * (m->s[2] + t * m->s[3]));
    in[T] = t;
    in[A] = m->a;
    in[B] = m->b;
    evaluate(tape, in, &out);
    return out;
}

static bool is_sound(ff_interval a) { return a.lo <= a.hi && a.lo < HUGE_VAL && a.hi > -HUGE_VAL; }

static bool is_within(ff_interval a, long double x) {
    return is_sound(a) && (long double)a.lo <= x && x <= (long double)a.hi;
}

/* ---- containment ---- */

/* a random expression over all operations */
static ff_expr grown(ff_expr_pool *pool, size_t size) {
    static const char *const words[] = {"a", "b", "x", "t", "three", "s", "t", "x"};
    if (size == 0) {
        return draw(4) ? ff_expr_name(pool, words[draw(ROWS(words))])
                       : ff_expr_number(pool, draw(2) ? uniform(-3, 3) : (double)draw(5));
    }
    const size_t left = draw(size), right = size - 1 - left;
    const ff_expr a = grown(pool, left);
    switch (draw(9)) {
    case 0: return ff_expr_negate(pool, a);
    case 1:
        return ff_expr_binary(pool, FF_EXPR_POWER, a,
                              draw(2) ? grown(pool, right)
                                      : ff_expr_number(pool, (double)draw(13) - 4));
    case 2:
        return ff_expr_binary(pool, (ff_expr_kind)(FF_EXPR_LESS + (int)draw(6)), a,
                              grown(pool, right));
    case 3:
    case 4:
    case 5:
        return ff_expr_binary(pool, (ff_expr_kind)(FF_EXPR_ADD + (int)draw(4)), a,
                              draw(6) ? grown(pool, right) : a);
    default: break;
    }
    const ff_function *f;
    do {
        f = ff_function_at(draw(24));
    } while (!f || f->rule == FF_RULE_DOT || f->rule == FF_RULE_NORM);
    ff_expr with[3] = {a, 0, 0};
    for (unsigned i = 1; i < f->least; i++) {
        with[i] = grown(pool, right / (f->least - 1));
    }
    return ff_expr_call(pool, f->name, with, f->least);
}

typedef struct tally {
    long compared, bounded, exist;
} tally;

/* At sampled times the coefficients lie within the enclosures, and so do the values that the tape computes. */
static void compare(const ff_expr_pool *pool, ff_expr e, const motion *m, int order, tally *n) {
    ff_tape *tape = compile(pool, e);
    ff_interval out[TERMS];
    series_of(tape, m, order, out);
    for (int k = 0; k <= order; k++) {
        assert_holds(is_sound(out[k]), "%s: coefficient %d: [%g, %g]", ff_expr_print(pool, e), k,
                     out[k].lo, out[k].hi);
    }
    for (int j = 0; j < 6; j++) {
        const double t = j == 0   ? m->begin
                         : j == 1 ? m->end
                                  : ff_interval_least(uniform(m->begin, m->end), m->end);
        jet in[INPUTS];
        jets_at(m, t, in);
        const jet truth = jet_of(pool, e, in);
        for (int k = 0; k <= order; k++) {
            const long double wanted = truth.c[k];
            if (!truth.good || !isfinite(wanted)) {
                continue;
            }
            n->compared++;
            n->bounded += ff_interval_bounded(out[k]);
            /* the enclosure is exact where log(exp(x)) is x, a polynomial, the truth is not: its rounding, epsilon 1e-19,
             * grows by u_0^-8 of arguments u_0 down to 0.1 */
            const bool is_zero = k > 0 && ff_interval_zero(out[k]) && fabsl(wanted) < 1e-11L;
            if (!is_zero && !is_within(out[k], wanted)) {
                fail_msg("%s at %.17g of [%.17g, %.17g], order %d: coefficient %d is %.20Lg, not "
                         "in [%.17g, %.17g]",
                         ff_expr_print(pool, e), t, m->begin, m->end, order, k, wanted, out[k].lo,
                         out[k].hi);
            }
        }
        const double value = value_at(tape, m, t);
        n->exist += !isnan(value);
        if (isnan(value) ? ff_interval_bounded(out[0]) : value < out[0].lo || value > out[0].hi) {
            fail_msg("%s at %.17g of [%.17g, %.17g]: the tape gives %.17g, not in [%.17g, %.17g]",
                     ff_expr_print(pool, e), t, m->begin, m->end, value, out[0].lo, out[0].hi);
        }
    }
    ff_tape_free(tape);
}

static void contains(void **state) {
    (void)state;
    tally n = {0};
    for (int i = 0; i < 40000; i++) {
        ff_expr_pool *pool = ff_expr_pool_create();
        const ff_expr e = grown(pool, 1 + draw(9));
        const motion m = any_motion();
        compare(pool, e, &m, (int)draw(TERMS), &n);
        ff_expr_pool_free(pool);
    }
    /* nine of ten coefficients are bounded: these are not all enclosures of nothing */
    assert_true(n.compared > 800000 && n.bounded > n.compared * 9 / 10 && n.exist > 200000);
}

/* ---- usefulness ---- */

/* the coefficients of a text on a piece of time; a, b, x and s are constants */
static void coefficients(const char *text, ff_interval t, int order, ff_interval *out) {
    ff_expr_pool *pool = ff_expr_pool_create();
    ff_tape *tape = compile(pool, parse_good(pool, text));
    const motion m = {.a = 0.3, .b = 2, .x = {1.5}, .s = {1}, .begin = t.lo, .end = t.hi};
    series_of(tape, &m, order, out);
    ff_tape_free(tape);
    ff_expr_pool_free(pool);
}

static const char *const smooth[] = {
    "exp(-((t - 1)/0.01)^2)",
    "1 - tanh((t - 1)/0.01)^2",
    "(1 - tanh((t - 1)/0.01)^2)^2",
    "1/(1 + ((t - 1)/0.01)^2)^2",
    "1/cosh((t - 1)/0.01)^2",
    "cosh((t - 1)/0.01)^-2",
    "exp(-(sin(pi*t)/0.0314)^2)",
    "1/(1 + exp((t - 1)/0.01))",
    "(1 + exp((t - 1)/0.01))^-1.5",
    "1/(1 + exp((t - 1)/0.01))^2",
    "1/(1 + exp(-((t - 1)/0.01)^2))",
    "(1 + ((t - 1)/0.01)^2)^-0.7",
    "exp(-((t - 1)/0.01)^4)",
    "atan((t - 1)/0.01)",
    "atan2((t - 1)/0.01, 1)",
    "sqrt(1 + ((t - 1)/0.01)^2)",
    "hypot(1, (t - 1)/0.01)",
    "log(1 + ((t - 1)/0.01)^2)",
    "sinh(atan((t - 1)/0.01))",
    "asin(tanh((t - 1)/0.01)/2)",
    "acos(tanh((t - 1)/0.01)/2)",
    "tan(sin(100*t))",
    "sin(2*pi*50*t)*cos(7*t)",
    "2^sin(100*t)",
    "(2 + sin(100*t))^cos(100*t)",
    "if(b > 1, sin(100*t), 1/(t - 1))",
    "abs(sin(100*t) - 3)",
    "max(sin(100*t), 4 + cos(100*t))",
    "b*ceil(t/10)*sin(100*t) + t^5",
    "x^2*sqrt(2 + sin(100*t))",
};

/* Pieces of all lengths around what these do, also those over which a divisor changes by many powers of ten. */
static void contains_pulses(void **state) {
    (void)state;
    tally n = {0};
    for (int i = 0; i < 300; i++) {
        for (size_t j = 0; j < ROWS(smooth); j++) {
            ff_expr_pool *pool = ff_expr_pool_create();
            motion m = any_motion();
            m.begin = 1 + log_uniform(1e-4, 0.3) * (draw(2) ? 1 : -1);
            m.end = m.begin + log_uniform(1e-7, 0.5);
            /* the constant condition of one of these */
            m.b = 2;
            compare(pool, parse_good(pool, smooth[j]), &m, MOST, &n);
            ff_expr_pool_free(pool);
        }
    }
    assert_true(n.bounded == n.compared && n.compared > 400000);
}

/* A piece a tenth as long has enclosures about a tenth as wide, down to rounding; up to 0.36 of the width where the longer piece
 * extends over an extremum: x^2 on [-1/2, -2/5] has a range of 0.09, on [-1/2, 1/2] one of 0.25. Coefficients are compared in units of 0.01, the
 * scale of time of all of these. */
static void converges(void **state) {
    (void)state;
    for (size_t i = 0; i < ROWS(smooth); i++) {
        for (int j = 0; j < 20; j++) {
            const double at = uniform(0.95, 1.05);
            double before[TERMS] = {0}, most = 1;
            for (double h = 1e-5; h > 1e-9; h /= 10) {
                ff_interval out[TERMS];
                coefficients(smooth[i], (ff_interval){at, at + h}, MOST, out);
                for (int k = 0; k <= MOST; k++) {
                    out[k] = ff_interval_scale(out[k], pow(0.01, k));
                    most = ff_interval_most(most, ff_interval_magnitude(out[k]));
                }
                for (int k = 0; k <= MOST; k++) {
                    /* rounding of (t - 1)/0.01, 1e-13, enters coefficients times the next one */
                    const double width = ff_interval_width(out[k]);
                    assert_holds(h == 1e-5 ? isfinite(width)
                                           : width <= 0.37 * before[k] + 1e-10 * most,
                                 "%s at %.17g, h = %g: coefficient %d is %g wide, before %g",
                                 smooth[i], at, h, k, width, before[k]);
                    before[k] = width;
                }
            }
        }
    }
}

/* Far from a pulse its coefficients are small also on pieces that are as long as their distance. */
static void vanishes(void **state) {
    (void)state;
    static const struct {
        const char *text;
        double most;
    } cases[] = {
        /* e^-100 times polynomials of degree 8 in 20 */
        {"exp(-((t - 1)/0.01)^2)", 1e-30},
        /* 4 e^-20 */
        {"1/cosh((t - 1)/0.01)^2", 1e-7},
        {"cosh((t - 1)/0.01)^-2", 1e-7},
        {"1 - tanh((t - 1)/0.01)^2", 1e-7},
        {"(1 - tanh((t - 1)/0.01)^2)^2", 1e-14},
        /* e^-10 */
        {"1/(1 + exp((t - 1)/0.01))", 1e-4},
        {"(1 + exp((t - 1)/0.01))^-1.5", 1e-6},
        {"1/(1 + exp((t - 1)/0.01))^2", 1e-8},
        /* 10^-4 */
        {"1/(1 + ((t - 1)/0.01)^2)^2", 1e-3},
        {"(1 + ((t - 1)/0.01)^2)^-2", 1e-3},
    };
    for (size_t i = 0; i < ROWS(cases); i++) {
        /* from 10 widths on; from 1 + 0.01 d to 1 + 0.02 d */
        for (double d = 10; d < 1e9; d *= 2) {
            ff_interval out[TERMS];
            coefficients(cases[i].text, (ff_interval){1 + 0.01 * d, 1 + 0.02 * d}, MOST, out);
            for (int k = 0; k <= MOST; k++) {
                const double most = ff_interval_magnitude(out[k]) * pow(0.01, k);
                assert_holds(most < cases[i].most, "%s from %g widths: coefficient %d up to %g",
                             cases[i].text, d, k, most);
            }
        }
    }
}

/* Coefficients of exp(-t^2) from Hermite's recurrence, c_k = -2 (t c_(k-1) + c_(k-2))/k; a sine is bounded by its own. */
static void closed_forms(void **state) {
    (void)state;
    for (int i = 0; i < 1000; i++) {
        const double t = uniform(-5, 5), length = log_uniform(1e-12, 1);
        ff_interval out[TERMS];
        coefficients("exp(-t^2)", (ff_interval){t, t + length}, MOST, out);
        const long double at = (long double)ff_interval_least(uniform(t, t + length), t + length);
        long double c[TERMS] = {expl(-at * at)};
        for (int k = 0; k <= MOST; k++) {
            if (k > 0) {
                c[k] = -2 * (at * c[k - 1] + (k > 1 ? c[k - 2] : 0)) / k;
            }
            assert_true((long double)out[k].lo <= c[k] && c[k] <= (long double)out[k].hi);
        }
        coefficients("sin(50*t)", (ff_interval){t, t + 1000 * length}, MOST, out);
        double bound = 1;
        for (int k = 0; k <= MOST; k++) {
            bound *= k > 0 ? 50. / k : 1;
            /* rounding: 16 epsilon for each order */
            assert_true(ff_interval_magnitude(out[k]) <= bound * (1 + 1e-13));
        }
    }
}

/* ---- edges ---- */

static void edges(void **state) {
    (void)state;
#define ALL                                                                                        \
    { -HUGE_VAL, HUGE_VAL }
    static const struct {
        const char *text;
        double begin, end;
        ff_interval wanted[3];
    } cases[] = {
        {"sqrt(t)", -1, 4, {ALL, ALL, ALL}},
        {"sqrt(t)", 0, 4, {{0, 2}, ALL, ALL}},
        {"log(t)", 0, 1, {ALL, ALL, ALL}},
        {"1/t", 0, 1, {ALL, ALL, ALL}},
        {"1/t", -1, 1, {ALL, ALL, ALL}},
        {"1/t", 1, 2, {{0.5, 1}, {-1, -0.25}, {0.125, 1}}},
        {"asin(t)", 0.5, 1.5, {ALL, ALL, ALL}},
        {"asin(t)", 0, 1, {{0, 1.5707963267948966}, ALL, ALL}},
        {"tan(t)", 1, 2, {ALL, ALL, ALL}},
        {"t^-2", -1, 1, {ALL, ALL, ALL}},
        {"t^2", -1, 2, {{0, 4}, {-2, 4}, {1, 1}}},
        {"t*t*t", -1, 2, {{-1, 8}, {-4, 12}, {-3, 6}}},
        {"t^4", -1, 2, {{0, 16}, {-16, 32}, {0, 24}}},
        {"t^2.5", 0, 4, {{0, 32}, ALL, ALL}},
        {"t^2.5", -1, 4, {ALL, ALL, ALL}},
        {"t^0", -1, 4, {{1, 1}, {0, 0}, {0, 0}}},
        /* sides that are decided, and not */
        {"abs(t)", 1, 2, {{1, 2}, {1, 1}, {0, 0}}},
        {"abs(t)", 0, 2, {{0, 2}, {1, 1}, {0, 0}}},
        {"abs(t)", -2, 0, {{0, 2}, {-1, -1}, {0, 0}}},
        {"abs(t)", -1, 2, {{0, 2}, {-1, 1}, ALL}},
        {"abs(t)", 0, 0, {{0, 0}, {-1, 1}, ALL}},
        {"max(t, 3*t)", 1, 2, {{3, 6}, {3, 3}, {0, 0}}},
        {"max(t, 3*t)", -1, 2, {{-1, 6}, {1, 3}, ALL}},
        {"min(t, 1)", 2, 3, {{1, 1}, {0, 0}, {0, 0}}},
        {"min(t, 1)", 0, 2, {{0, 1}, {0, 1}, ALL}},
        {"sign(t)", 1, 2, {{1, 1}, {0, 0}, {0, 0}}},
        {"sign(t)", -1, 2, {{-1, 1}, ALL, ALL}},
        {"floor(t)", 1, 1.5, {{1, 1}, {0, 0}, {0, 0}}},
        {"floor(t)", 1, 2, {{1, 2}, ALL, ALL}},
        {"ceil(t)", 1.25, 3, {{2, 3}, ALL, ALL}},
        {"t < 1", 0, 0.5, {{1, 1}, {0, 0}, {0, 0}}},
        {"t < 1", 0, 1, {{0, 1}, ALL, ALL}},
        {"t <= 1", 0, 1, {{1, 1}, {0, 0}, {0, 0}}},
        {"t >= 1", 1, 2, {{1, 1}, {0, 0}, {0, 0}}},
        {"t == 1", 2, 3, {{0, 0}, {0, 0}, {0, 0}}},
        {"t != 1", 1, 1, {{0, 0}, ALL, ALL}},
        {"if(t < 1, t, sqrt(t - 1))", 0, 0.5, {{0, 0.5}, {1, 1}, {0, 0}}},
        {"if(t < 1, t, 3)", 0, 1, {{0, 3}, ALL, ALL}},
        /* a constant side is held, whatever the other has; constants stay constant */
        {"if(b, t, 1/t)", -1, 1, {{-1, 1}, {1, 1}, {0, 0}}},
        {"if(x > b, 1/t, t)", -1, 1, {{-1, 1}, {1, 1}, {0, 0}}},
        {"floor(a)*t", 1, 2, {{0, 0}, {0, 0}, {0, 0}}},
        {"floor(a)/t", 0, 2, {ALL, ALL, ALL}},
        {"floor(a)*exp(t)", 0, 1e4, {ALL, ALL, ALL}},
        {"floor(a)*abs(t)", -1, 2, {{0, 0}, {0, 0}, {0, 0}}},
        {"atan2(t, -1)", -1, 1, {{-3.141592653589793, 3.141592653589793}, ALL, ALL}},
        {"hypot(t, 0)", -1, 1, {{0, 1}, ALL, ALL}},
        {"sin(1/t)", 0, 1, {ALL, ALL, ALL}},
        {"sin(t)", -HUGE_VAL, HUGE_VAL, {ALL, ALL, ALL}},
        {"atan(t)", 1, HUGE_VAL, {{0.7853981633974483, 1.5707963267948966}, {0, 0.5}, ALL}},
        {"tanh(t)", -1e300, 1e300, {{-1, 1}, {0, 1}, {-1, 1}}},
        {"sin(t)", -1e300, 1e300, {{-1, 1}, {-1, 1}, {-0.5, 0.5}}},
        {"exp(t)", 0, 1e4, {{1, HUGE_VAL}, ALL, ALL}},
        {"exp(-t)", 1e4, 1e5, {{0, 0}, {0, 0}, {0, 0}}},
        /* a constant that is no number */
        {"0/(three - three) + t", 1, 2, {ALL, ALL, ALL}},
    };
    for (size_t i = 0; i < ROWS(cases); i++) {
        ff_interval out[3];
        coefficients(cases[i].text, (ff_interval){cases[i].begin, cases[i].end}, 2, out);
        for (int k = 0; k < 3; k++) {
            const ff_interval w = cases[i].wanted[k];
            /* rounding: a few operations of 2 epsilon, and sums of products of 16 */
            const double near = 1e-13;
            assert_holds(is_sound(out[k]) && out[k].lo <= w.lo && out[k].hi >= w.hi &&
                             (out[k].lo == w.lo || out[k].lo >= w.lo - near * (1 + fabs(w.lo))) &&
                             (out[k].hi == w.hi || out[k].hi <= w.hi + near * (1 + fabs(w.hi))),
                         "%s on [%g, %g]: coefficient %d is [%.17g, %.17g]", cases[i].text,
                         cases[i].begin, cases[i].end, k, out[k].lo, out[k].hi);
        }
    }
}

static double any_end(void) {
    static const double few[] = {0, 1, -1, 1e300, -1e300, 1e-310, HUGE_VAL, -HUGE_VAL, 3, -0.0};
    return draw(2) ? few[draw(ROWS(few))] : any_number();
}

/* Random intervals as inputs, also infinite ones: enclosures are intervals, and contain the values of the tape at ends. */
static void no_nan(void **state) {
    (void)state;
    for (int i = 0; i < 30000; i++) {
        ff_expr_pool *pool = ff_expr_pool_create();
        const ff_expr e = draw(2) ? grown(pool, 1 + draw(12)) : any_expr(pool, 1 + draw(12), true);
        ff_tape *tape = compile(pool, e);
        const int order = (int)draw(TERMS);
        const size_t terms = (size_t)order + 1;
        ff_interval *work = malloc(ff_series_room(tape, order) * sizeof *work);
        for (size_t k = 0; k < INPUTS * terms; k++) {
            const double a = any_end(), b = draw(3) ? any_end() : a;
            work[k] = (ff_interval){ff_interval_least(ff_interval_least(a, b), DBL_MAX),
                                    ff_interval_most(ff_interval_most(a, b), -DBL_MAX)};
        }
        ff_series_begin(tape, order, work);
        ff_series_run(tape, 0, order, work);
        const ff_interval *out = ff_series_output(tape, 0, order, work);
        double in[INPUTS], value;
        for (size_t k = 0; k < INPUTS; k++) {
            const ff_interval whole = work[k * terms];
            in[k] = draw(2) ? whole.lo : whole.hi;
            in[k] = isfinite(in[k]) ? in[k] : copysign(DBL_MAX, in[k]);
        }
        for (int k = 0; k <= order; k++) {
            assert_holds(is_sound(out[k]), "%s, order %d: coefficient %d is [%g, %g]",
                         ff_expr_print(pool, e), order, k, out[k].lo, out[k].hi);
        }
        evaluate(tape, in, &value);
        assert_holds(isnan(value) || ff_interval_contains(out[0], value),
                     "%s: %g is not in [%g, %g]", ff_expr_print(pool, e), value, out[0].lo,
                     out[0].hi);
        free(work);
        ff_tape_free(tape);
        ff_expr_pool_free(pool);
    }
}

static ff_interval any_interval(void) {
    const double a = any_end() * (draw(3) ? 1 : 1e-160), b = draw(3) ? any_end() : a;
    return (ff_interval){ff_interval_least(ff_interval_least(a, b), DBL_MAX),
                         ff_interval_most(ff_interval_most(a, b), -DBL_MAX)};
}

static long double any_within(ff_interval a) {
    const double lo = ff_interval_most(a.lo, -DBL_MAX), hi = ff_interval_least(a.hi, DBL_MAX);
    /* halves of subnormal numbers are rounded */
    const double middle = ff_interval_most(ff_interval_least(lo / 2 + hi / 2, hi), lo);
    return (long double)(draw(2) ? lo : draw(2) ? hi : middle);
}

/* In long double, which neither overflows nor underflows here. */
static void arithmetic(void **state) {
    (void)state;
    for (int i = 0; i < 1000000; i++) {
        const ff_interval a = any_interval(), b = any_interval();
        const long double x = any_within(a), y = any_within(b);
        assert_true(is_within(ff_interval_add(a, b), x + y));
        assert_true(is_within(ff_interval_subtract(a, b), x - y));
        assert_true(is_within(ff_interval_multiply(a, b), x * y));
        assert_true(is_within(ff_interval_square(a), x * x));
        assert_true(is_within(ff_interval_scale(a, 0.1), x * (long double)0.1));
        assert_true(is_within(ff_interval_hull(a, b), x) && is_within(ff_interval_hull(a, b), y));
        if (y != 0) {
            assert_true(is_within(ff_interval_divide(a, b), x / y));
        }
        if (x >= 0) {
            assert_true(is_within(ff_interval_sqrt(a), sqrtl(x)));
        }
        assert_true((long double)ff_interval_magnitude(a) >= fabsl(x) &&
                    (long double)ff_interval_mignitude(a) <= fabsl(x));
    }
    /* coefficients that underflow */
    ff_interval out[2];
    coefficients("(1e-200*t)*(3e-200*t + 1e-210)", (ff_interval){1, 2}, 1, out);
    assert_true(out[0].lo >= 0 && out[0].hi > 0 && out[1].hi > 0 && out[1].hi < 1e-290);
}

/* ---- tapes ---- */

/* Groups one after another, outputs that are inputs or constants, and tapes without outputs. */
static void groups(void **state) {
    (void)state;
    ff_expr_pool *pool = ff_expr_pool_create();
    ff_expr_error error;
    ff_tape *tape;
    const ff_expr outputs[] = {parse_good(pool, "sin(t)"), parse_good(pool, "7"),
                               parse_good(pool, "x"), parse_good(pool, "sin(t)*x + t^2")};
    assert_int_equal(
        ff_tape_compile(pool, outputs, (size_t[]){2, 0, 2}, 3, 1, &scope, &tape, &error), FF_OK);
    enum { ORDER = 2 };
    ff_interval *work = calloc(ff_series_room(tape, ORDER), sizeof *work);
    ff_series_begin(tape, ORDER, work);
    work[T * (ORDER + 1)] = ff_interval_of(0);
    work[T * (ORDER + 1) + 1] = ff_interval_of(1);
    ff_series_run(tape, 0, ORDER, work);
    ff_series_run(tape, 1, ORDER, work);
    work[X * (ORDER + 1)] = ff_interval_of(5);
    ff_series_run(tape, 2, ORDER, work);
    static const double wanted[][3] = {{0, 1, 0}, {7, 0, 0}, {5, 0, 0}, {0, 5, 1}};
    for (size_t i = 0; i < 4; i++) {
        for (int k = 0; k <= ORDER; k++) {
            const ff_interval c = ff_series_output(tape, i, ORDER, work)[k];
            /* a few operations of 16 epsilon */
            assert_true(ff_interval_contains(c, wanted[i][k]) && ff_interval_width(c) < 1e-13);
        }
    }
    free(work);
    ff_tape_free(tape);
    assert_int_equal(ff_tape_compile(pool, NULL, NULL, 0, 0, &scope, &tape, &error), FF_OK);
    assert_int_equal(ff_series_reliance(tape, (unsigned char[INPUTS]){0}, NULL), FF_OK);
    ff_tape_free(tape);
    ff_expr_pool_free(pool);
}

/* a and b are constants, t is time, all others are states */
static void reliance(void **state) {
    (void)state;
    static const struct {
        const char *text;
        ff_reliance wanted;
    } cases[] = {
        {"3", FF_RELIES_NOT},
        {"a*sin(b) + if(a > b, a, 2)", FF_RELIES_NOT},
        {"t", FF_RELIES_ON_TIME},
        {"a*exp(-((t - b)/a)^2)*abs(t)", FF_RELIES_ON_TIME},
        {"if(t > a, 1, b)", FF_RELIES_ON_TIME},
        {"x", FF_RELIES_AFFINELY},
        {"a*(sin(b*t) - x) - b*s", FF_RELIES_AFFINELY},
        {"a*(floor(t) - x) - b*s + 7", FF_RELIES_AFFINELY},
        {"-(x - s)/(a + b)*sqrt(b)", FF_RELIES_AFFINELY},
        {"if(a, x, s) + t^2", FF_RELIES_AFFINELY},
        {"dot(u, [1, 2, a])", FF_RELIES_AFFINELY},
        {"sin(t)*s", FF_RELIES_FREELY},
        {"t*s + x", FF_RELIES_FREELY},
        {"sin(x)", FF_RELIES_FREELY},
        {"x*s", FF_RELIES_FREELY},
        {"x*x", FF_RELIES_FREELY},
        {"a/(b + x)", FF_RELIES_FREELY},
        {"x/t", FF_RELIES_FREELY},
        {"if(t > 1, x, s)", FF_RELIES_FREELY},
        {"if(x > 1, a, b)", FF_RELIES_FREELY},
        {"max(x, a)", FF_RELIES_FREELY},
        {"abs(x)", FF_RELIES_FREELY},
        {"a - x*s", FF_RELIES_FREELY},
        {"a/(x + b)", FF_RELIES_FREELY},
    };
    unsigned char kinds[INPUTS];
    memset(kinds, FF_INPUT_STATE, sizeof kinds);
    kinds[A] = kinds[B] = FF_INPUT_CONSTANT;
    kinds[T] = FF_INPUT_TIME;
    ff_expr_pool *pool = ff_expr_pool_create();
    ff_expr outputs[ROWS(cases)];
    unsigned char out[ROWS(cases)];
    for (size_t i = 0; i < ROWS(cases); i++) {
        outputs[i] = parse_good(pool, cases[i].text);
    }
    /* alone, and all in two groups */
    for (size_t i = 0; i < ROWS(cases); i++) {
        ff_tape *tape = compile(pool, outputs[i]);
        assert_int_equal(ff_series_reliance(tape, kinds, out), FF_OK);
        assert_holds(out[0] == cases[i].wanted, "%s: class %d", cases[i].text, out[0]);
        ff_tape_free(tape);
    }
    ff_tape *tape;
    ff_expr_error error;
    const size_t counts[] = {5, ROWS(cases) - 5};
    assert_int_equal(ff_tape_compile(pool, outputs, counts, 2, 0, &scope, &tape, &error), FF_OK);
    assert_int_equal(ff_series_reliance(tape, kinds, out), FF_OK);
    for (size_t i = 0; i < ROWS(cases); i++) {
        assert_int_equal(out[i], cases[i].wanted);
    }
    ff_tape_free(tape);
    ff_expr_pool_free(pool);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(contains), cmocka_unit_test(contains_pulses), cmocka_unit_test(converges),
    cmocka_unit_test(vanishes), cmocka_unit_test(closed_forms),    cmocka_unit_test(edges),
    cmocka_unit_test(no_nan),   cmocka_unit_test(arithmetic),      cmocka_unit_test(groups),
    cmocka_unit_test(reliance),
};

CHECK_MAIN(tests)
