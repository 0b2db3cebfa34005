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
        return b.c[0] == 0 ? number(1) : power_of(a, b.c[0]);
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

/* At sampled times the coefficients lie within the enclosures, and so do the values that the tape computes. */
static void contains(void **state) {
    (void)state;
    long compared = 0, bounded = 0, exist = 0;
    for (int i = 0; i < 40000; i++) {
        ff_expr_pool *pool = ff_expr_pool_create();
        const ff_expr e = grown(pool, 1 + draw(9));
        ff_tape *tape = compile(pool, e);
        const motion m = any_motion();
        const int order = (int)draw(TERMS);
        ff_interval out[TERMS];
        series_of(tape, &m, order, out);
        for (int k = 0; k <= order; k++) {
            assert_holds(is_sound(out[k]), "%s: coefficient %d: [%g, %g]", ff_expr_print(pool, e),
                         k, out[k].lo, out[k].hi);
        }
        for (int j = 0; j < 6; j++) {
            const double t = j == 0   ? m.begin
                             : j == 1 ? m.end
                                      : ff_interval_least(uniform(m.begin, m.end), m.end);
            jet in[INPUTS];
            jets_at(&m, t, in);
            const jet truth = jet_of(pool, e, in);
            for (int k = 0; k <= order; k++) {
                const long double wanted = truth.c[k];
                if (!truth.good || !isfinite(wanted)) {
                    continue;
                }
                compared++;
                bounded += ff_interval_bounded(out[k]);
                if (!((long double)out[k].lo <= wanted && wanted <= (long double)out[k].hi)) {
                    fail_msg("%s at %.17g of [%.17g, %.17g], order %d: coefficient %d is %.20Lg, "
                             "not in [%.17g, %.17g]",
                             ff_expr_print(pool, e), t, m.begin, m.end, order, k, wanted, out[k].lo,
                             out[k].hi);
                }
            }
            const double value = value_at(tape, &m, t);
            exist += !isnan(value);
            if (isnan(value) ? ff_interval_bounded(out[0])
                             : value < out[0].lo || value > out[0].hi) {
                fail_msg("%s at %.17g of [%.17g, %.17g]: the tape gives %.17g, not in "
                         "[%.17g, %.17g]",
                         ff_expr_print(pool, e), t, m.begin, m.end, value, out[0].lo, out[0].hi);
            }
        }
        ff_tape_free(tape);
        ff_expr_pool_free(pool);
    }
    printf("%ld compared, %ld bounded, %ld exist\n", compared, bounded, exist);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(contains),
};

CHECK_MAIN(tests)
