/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "check.h"
#include "expr/derive.h"
#include "expr/tape.h"
#include <stdlib.h>

/* Rates of expressions along a motion, compared with differences, as text, and expressions without a rate. */

static const double half = 0.5;
static const ff_expr_name_def names[] = {{.name = "x"},
                                         {.name = "y"},
                                         {.name = "t"},
                                         {.name = "w", .length = 2},
                                         {.name = "q", .value = &half}};
/* x, y, t, w: the motion is a straight line through this point */
static const double at[] = {0.3, 0.8, 1.7, 0.4, -0.6}, velocity[] = {1.1, -0.7, 1, 0.9, 0.2};
static const ff_expr_function_def own[] = {{"dio", 1, 1, FF_MEASURE_FREE}};
static const ff_expr_scope scope = {names, ROWS(names), own, ROWS(own)};

static ff_expr parse(ff_expr_pool *pool, const char *text) {
    static const char *const words[] = {"x", "y", "t", "w", "q"};
    ff_expr_error error;
    ff_expr e = ff_expr_parse(pool, text, words, ROWS(words), &error);
    assert_holds(e, "%s: %s", text, error.text);
    assert_holds(ff_expr_check(pool, &e, 1, &scope, false, NULL, &error) == FF_OK, "%s: %s", text,
                 error.text);
    return e;
}

static ff_expr rate_of(ff_expr_pool *pool, ff_expr e) {
    static const char *const moving[] = {"x", "y", "t", "w"};
    ff_expr w[] = {ff_expr_number(pool, velocity[3]), ff_expr_number(pool, velocity[4])};
    const ff_expr rates[] = {ff_expr_number(pool, velocity[0]), ff_expr_number(pool, velocity[1]),
                             ff_expr_number(pool, velocity[2]), ff_expr_vector(pool, w, 2)};
    ff_expr_error error;
    return ff_expr_rate(pool, e, moving, rates, 4, &error);
}

/* the components of an expression at a time s after the point */
static size_t values(const ff_expr_pool *pool, ff_expr e, double s, double *out) {
    ff_tape *tape;
    ff_expr_error error;
    double inputs[ROWS(at)];
    for (size_t i = 0; i < ROWS(at); i++) {
        inputs[i] = at[i] + s * velocity[i];
    }
    assert_int_equal(ff_tape_compile(pool, &e, &(size_t){1}, 1, 0, &scope, &tape, &error), FF_OK);
    double *work = malloc((ff_tape_room(tape) + 1) * sizeof *work);
    size_t count = ff_tape_outputs(tape);
    ff_tape_evaluate(tape, inputs, work, out);
    free(work);
    ff_tape_free(tape);
    return count;
}

static void against_differences(void **state) {
    (void)state;
    static const char *const texts[] = {"x",
                                        "-x + y - 3",
                                        "x*y*t",
                                        "x/y",
                                        "2/(x + 2)",
                                        "x^2",
                                        "x^3*y",
                                        "x^0.5",
                                        "x^q",
                                        "x^-1",
                                        "x^y",
                                        "q^x",
                                        "pow(x, 2.5)",
                                        "sin(x*y)",
                                        "cos(x)",
                                        "tan(x)",
                                        "asin(x*y)",
                                        "acos(x)",
                                        "atan(x/y)",
                                        "atan2(y, x)",
                                        "atan2(q, x)",
                                        "atan2(y, q)",
                                        "sinh(x)",
                                        "cosh(x)",
                                        "tanh(x)",
                                        "sqrt(x + y)",
                                        "exp(-x*t)",
                                        "log(x)",
                                        "abs(x - y)",
                                        "abs(y - x)",
                                        "min(x, y)",
                                        "max(x, y)",
                                        "min(y, x, 0.2*t, 3)",
                                        "max(0.1, 0.2)",
                                        "max(x, 3*y, q)",
                                        "hypot(x, y)",
                                        "hypot(x, q)",
                                        "hypot(q, y)",
                                        "sign(x)*x",
                                        "floor(3*x)*x",
                                        "ceil(x)*y",
                                        "if(x < y, x^2, y)",
                                        "if(x > y, q, x)",
                                        "if(x > y, x, q)",
                                        "(x < y)*x",
                                        "dot([x, y], [t, 2])",
                                        "dot(w, [x, q])",
                                        "dot([q, 2], [3, 4])",
                                        "norm([x, y, t])",
                                        "norm(w)",
                                        "w",
                                        "3*w/x",
                                        "w[1]*x",
                                        "[x, q]",
                                        "[x, q][0]",
                                        "[x, q][1] + y",
                                        "(x*w + [y, t])[1]",
                                        "if(x < y, w, [q, 2])",
                                        "q",
                                        "pi*q",
                                        "3",
                                        "x*y + x*y",
                                        "(x - y)*(x + y)/(x^2 + y^2)",
                                        "sin(cos(sqrt(x*y + exp(-t))))"};
    for (size_t i = 0; i < ROWS(texts); i++) {
        ff_expr_pool *pool = ff_expr_pool_create();
        ff_expr e = parse(pool, texts[i]), rate = rate_of(pool, e);
        double is[4], far[2][4], near[2][4];
        assert_holds(rate, "%s", texts[i]);
        size_t count = values(pool, rate, 0, is), items = values(pool, e, 1e-3, far[0]);
        /* a constant has the rate 0, whatever its length */
        assert_holds(count == items || is[0] == 0, "%s has %zu rates", texts[i], count);
        values(pool, e, -1e-3, far[1]);
        values(pool, e, 0.5e-3, near[0]);
        values(pool, e, -0.5e-3, near[1]);
        for (size_t c = 0; c < count; c++) {
            /* Richardson: an error of h^4 f'''''/480, with rounding of 1e-16/h */
            double coarse = (far[0][c] - far[1][c]) / 2e-3, fine = (near[0][c] - near[1][c]) / 1e-3;
            double want = (4 * fine - coarse) / 3;
            assert_holds(fabs(is[c] - want) <= 1e-9 * (1 + fabs(want)), "%s: %.15g, not %.15g",
                         texts[i], is[c], want);
        }
        ff_expr_pool_free(pool);
    }
}

/* rates are as short as if written by hand */
static void as_text(void **state) {
    (void)state;
    static const struct {
        const char *e, *rate;
    } rows[] = {{"x", "v"},
                {"x - 2", "v"},
                {"-x", "-v"},
                {"2 - x", "-v"},
                {"3*x", "3*v"},
                {"x^2", "2*x*v"},
                {"x^1", "v"},
                {"x^0", "0"},
                {"t", "1"},
                {"x + t", "v + 1"},
                {"y", "0"},
                {"x*y", "v*y"},
                {"x - y*t", "v - y"},
                {"x - sin(3*t)", "v - cos(3*t)*3"},
                {"hypot(x, y)", "x*v/hypot(x, y)"},
                {"[x, y][1]", "0"}};
    for (size_t i = 0; i < ROWS(rows); i++) {
        ff_expr_pool *pool = ff_expr_pool_create();
        ff_expr_error error;
        ff_expr e = parse(pool, rows[i].e);
        const ff_expr rates[] = {ff_expr_name(pool, "v"), ff_expr_number(pool, 1),
                                 ff_expr_number(pool, 0)};
        ff_expr rate =
            ff_expr_rate(pool, e, (const char *const[]){"x", "t", "y"}, rates, 3, &error);
        char *text = ff_expr_print(pool, rate);
        assert_string_equal(text, rows[i].rate);
        free(text);
        ff_expr_pool_free(pool);
    }
}

static void refusals(void **state) {
    (void)state;
    ff_expr_pool *pool = ff_expr_pool_create();
    ff_expr_error error;
    const ff_expr one = ff_expr_number(pool, 1);
    ff_expr e = parse(pool, "x + dio(x)");
    assert_int_equal(ff_expr_rate(pool, e, (const char *const[]){"x"}, &one, 1, &error), 0);
    assert_string_equal(error.text, "dio() has no derivative");
    assert_int_equal(error.column, 5);
    /* the rate of a product of many factors has as many terms: 4000 x^3999, at x = 1 */
    char text[8000] = "x";
    for (size_t i = 1; i + 2 < sizeof text; i += 2) {
        text[i] = '*', text[i + 1] = 'x';
    }
    e = parse(pool, text);
    ff_expr rate = ff_expr_rate(pool, e, (const char *const[]){"x"}, &one, 1, &error), x;
    x = ff_expr_name(pool, "x");
    rate = ff_expr_replace(pool, rate, &x, &one, 1);
    double value;
    assert_true(rate > 0);
    assert_int_equal(ff_expr_value(pool, rate, &scope, &value, 1, &error), FF_OK);
    assert_int_equal((int)value, 4000);
    /* only expressions without inputs have a value */
    assert_int_equal(ff_expr_value(pool, e, &scope, &value, 1, &error), FF_BAD_VALUE);
    assert_string_equal(error.text, "this must be constant");
    assert_int_equal(ff_expr_value(pool, x, &scope, &value, 1, &error), FF_BAD_VALUE);
    ff_expr_pool_free(pool);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(against_differences),
    cmocka_unit_test(as_text),
    cmocka_unit_test(refusals),
};

CHECK_MAIN(tests)
