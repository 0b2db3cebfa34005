/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "expressions.h"
#include "no_memory.h"
#include "num/elementary.h"

/* ---- the language ---- */

static void values(void **state) {
    (void)state;
    double x = 1.5, a = 0.3, b = -0.7;
    const struct {
        const char *text;
        double value;
    } cases[] = {
        {"1", 1},
        {"2.5e-3", 2.5e-3},
        {".5", .5},
        {"1.", 1},
        {" \t\n1 \r", 1},
        {"1 + 2*3", 7},
        {"(1 + 2)*3", 9},
        {"10 - 4 - 3", 3},
        {"10 - (4 - 3)", 9},
        {"48/4/3", 4},
        {"48/(4/3)", 36},
        {"48/4*3", 36},
        {"2^3^2", 512},
        {"(2^3)^2", 64},
        {"-3^2", -9},
        {"(-3)^2", 9},
        {"2^-2", 0.25},
        {"2^-1^2", 0.5},
        {"-2*-3", 6},
        {"2 - -3", 5},
        {"--3", 3},
        {"+3 - +2", 1},
        {"-a*b", -a * b},
        {"2*pi", 2 * 3.141592653589793},
        {"1 < 2", 1},
        {"2 < 1", 0},
        {"2 <= 2", 1},
        {"3 <= 2", 0},
        {"1 > 2", 0},
        {"2 > 1", 1},
        {"2 >= 2", 1},
        {"1 >= 2", 0},
        {"2 == 2", 1},
        {"2 == 3", 0},
        {"2 != 2", 0},
        {"2 != 3", 1},
        {"1 + 1 < 3", 1},
        {"(1 < 2) + 1", 2},
        {"a < b", 0},
        {"a > b", 1},
        {"a <= b", 0},
        {"a >= b", 1},
        {"a == a", 1},
        {"a != b", 1},
        {"1.65 cm", 0.0165},
        {"154 g", 0.154},
        {"200 GPa", 200e9},
        {"8.5e6 N/m^1.5", 8.5e6},
        {"30 deg", 30 * 0.017453292519943295},
        {"2\xc2\xb5m", 2e-6},
        {"5 kg*m s^-2", 5},
        {"5 kg/(m s^2)", 5},
        {"5 kN/(mm)", 5e6},
        {"2 m/(s + 1)", 2. / 8},
        {"(2 m)/s", 2. / 7},
        {"2 N s/m", 2},
        {"2 m*min(3, 4)", 6},
        {"3 min", 180},
        {"2 m^(3/2)", 2},
        {"1 mm^-2", 1e6},
        {"2 m*x", 2 * x},
        {"2 m *x", 2 * x},
        {"if(a > 0, 1, 2)", 1},
        {"if(b > 0, 1, 2)", 2},
        {"if(1, a, b)", 0.3},
        {"if(0, a, b)", -0.7},
        {"if(a > 0, 1, 1/0 - 1/0)", 1},
        {"if(b > 0, sqrt(b), 1)", 1},
        {"[1, 2][1]", 2},
        {"u[2]", 3},
        {"v[0]", 3},
        {"halves[1]", 1.5},
        {"(u + [1, 1, 1])[1]", 3},
        {"(u - [1, 1, 1])[0]", 0},
        {"(2*u)[2]", 6},
        {"(u*2)[2]", 6},
        {"(u/2)[2]", 1.5},
        {"(-u)[1]", -2},
        {"if(a > 0, u, 2*u)[1]", 2},
        {"if(a < 0, u, 2*u)[1]", 4},
        {"dot(u, u)", 14},
        {"dot(u, [1, 0, -1])", -2},
        {"norm(v)", 5},
        {"dot(a, b)", a * b},
        {"three", 3},
        {"min(1, 2, 0.5)", 0.5},
        {"max(a, b, 2)", 2},
    };
    for (size_t i = 0; i < ROWS(cases); i++) {
        double seen = value_of(cases[i].text);
        assert_holds(seen == cases[i].value, "%s is %.17g", cases[i].text, seen);
    }
}

static double c_min(double a, double b) { return isnan(a) ? a : isnan(b) ? b : fmin(a, b); }
static double c_max(double a, double b) { return isnan(a) ? a : isnan(b) ? b : fmax(a, b); }
static double c_sign(double a) { return isnan(a) ? a : (a > 0) - (a < 0); }

static void functions(void **state) {
    (void)state;
    static const struct {
        const char *name;
        double (*one)(double a);
        double (*two)(double a, double b);
    } cases[] = {
        {"sin", ff_sin, NULL},   {"cos", ff_cos, NULL},     {"tan", ff_tan, NULL},
        {"asin", ff_asin, NULL}, {"acos", ff_acos, NULL},   {"atan", ff_atan, NULL},
        {"sinh", ff_sinh, NULL}, {"cosh", ff_cosh, NULL},   {"tanh", ff_tanh, NULL},
        {"sqrt", sqrt, NULL},    {"exp", ff_exp, NULL},     {"log", ff_log, NULL},
        {"abs", fabs, NULL},     {"floor", floor, NULL},    {"ceil", ceil, NULL},
        {"sign", c_sign, NULL},  {"atan2", NULL, ff_atan2}, {"hypot", NULL, ff_hypot},
        {"pow", NULL, ff_pow},   {"min", NULL, c_min},      {"max", NULL, c_max},
    };
    const double points[] = {0.3, -0.7, 2.25, -1e3, 1e-300, INFINITY, -INFINITY, (double)NAN, 5};
    size_t known = 0;
    while (ff_function_at(known)) {
        known++;
    }
    /* all except if, dot and norm */
    assert_int_equal(known, ROWS(cases) + 3);
    for (size_t i = 0; i < ROWS(cases); i++) {
        ff_expr_pool *pool = ff_expr_pool_create();
        char text[80];
        snprintf(text, sizeof text, "%s(a%s)", cases[i].name, cases[i].two ? ", b" : "");
        ff_tape *tape = compile(pool, parse_good(pool, text));
        for (size_t j = 0; j < ROWS(points); j++) {
            double in[ROWS(inputs)] = {0}, seen;
            in[5] = points[j];
            in[6] = points[ROWS(points) - 1 - j];
            evaluate(tape, in, &seen);
            double wanted = cases[i].one ? cases[i].one(in[5]) : cases[i].two(in[5], in[6]);
            assert_holds(same_bits(seen, wanted), "%s of %g and %g: %.17g, not %.17g", text, in[5],
                         in[6], seen, wanted);
        }
        ff_tape_free(tape);
        ff_expr_pool_free(pool);
    }
}

/* the result of min() and max() with a NAN does not depend on the order, nor does if() select a branch then */
static void not_numbers(void **state) {
    (void)state;
    assert_true(isnan(value_of("min(1, 0/0)")) && isnan(value_of("min(0/0, 1)")));
    assert_true(isnan(value_of("max(1, 0/0)")) && isnan(value_of("max(0/0, 1)")));
    assert_true(isnan(value_of("if(0/0, 1, 2)")) && isnan(value_of("if(a/0 - a/0, 1, 2)")));
    assert_true(isnan(value_of("sign(0/0)")));
    assert_true(value_of("0/0 == 0/0") == 0 && value_of("0/0 != 0/0") == 1);
    assert_true(value_of("0/0 < 1") == 0 && value_of("0/0 >= 1") == 0);
    assert_true(value_of("1/0") == (double)INFINITY && value_of("-1/0") == -(double)INFINITY);
    assert_true(value_of("a/0") == (double)INFINITY && value_of("log(0)") == -(double)INFINITY);
}

/* powers with a known exponent are as documented in tape.h, and the same with an unknown one */
static void powers(void **state) {
    (void)state;
    static const double exponents[] = {2, 3, 1, 0.5, 1.5, -1, 0, 2.5, -2, 4, 0.25, 1. / 3};
    for (size_t i = 0; i < ROWS(exponents); i++) {
        ff_expr_pool *pool = ff_expr_pool_create();
        char number[32], text[80];
        snprintf(text, sizeof text, "a^(%s)", ff_number_print(exponents[i], number, sizeof number));
        ff_tape *known = compile(pool, parse_good(pool, text));
        ff_tape *unknown = compile(pool, parse_good(pool, "a^b"));
        for (int j = 0; j < 200; j++) {
            double in[ROWS(inputs)] = {0}, seen[2], p = exponents[i];
            double a = in[5] = uniform(-1, 5);
            in[6] = p;
            evaluate(known, in, &seen[0]);
            evaluate(unknown, in, &seen[1]);
            double wanted = i == 0   ? a * a
                            : i == 1 ? a * a * a
                            : i == 2 ? a
                            : i == 3 ? sqrt(a)
                            : i == 4 ? a * sqrt(a)
                            : i == 5 ? 1 / a
                                     : ff_pow(a, p);
            assert_holds(same_bits(seen[0], wanted) && same_bits(seen[1], wanted),
                         "%.17g^%g: %.17g and %.17g, not %.17g", a, p, seen[0], seen[1], wanted);
        }
        ff_tape_free(known);
        ff_tape_free(unknown);
        ff_expr_pool_free(pool);
    }
}

static void mistakes(void **state) {
    (void)state;
    static const struct {
        const char *text;
        size_t column;
        const char *why;
    } cases[] = {
        {"", 1, "an expression is missing"},
        {"  ", 3, "an expression is missing"},
        {"1 +", 4, "a number or a name is missing at the end"},
        {"* 2", 1, "a number or a name is missing before '*'"},
        {"1 + * 2", 5, "a number or a name is missing before '*'"},
        {"(1 + 2", 1, "this '(' has no matching ')'"},
        {"(1 2)", 4, "an operator or ')' is missing before '2'"},
        {"1)", 2, "')' does not belong here"},
        {"1, 2", 2, "',' does not belong here"},
        {"1 2", 3, "an operator is missing before '2'"},
        {"a b", 3, "an operator is missing before 'b'"},
        {"a @ b", 3, "an operator is missing before '@'"},
        {"a + \xc3\xa9", 5, "a number or a name is missing before '\xc3\xa9'"},
        {".", 1, "'.' is not a number"},
        {"1..2", 3, "an operator is missing before '.'"},
        {"1e999", 1, "'1e999' is not a finite number"},
        {"1e-999", 1, "'1e-999' is too small a number"},
        {"2 apples", 3, "unknown unit 'apples'"},
        {"2 x", 3, "an operator is missing before 'x'"},
        {"2 min(3, 4)", 3, "an operator is missing before 'min'"},
        {"2 sin(3)", 3, "an operator is missing before 'sin'"},
        {"2 m/s", 5, "'s' is a unit and a name: write (2 m)/s for the name, or rename it"},
        {"2 m * s", 7, "'s' is a unit and a name: write (2 m )*s for the name, or rename it"},
        {"2 m/(s)", 6, "'s' is a unit and a name: write (2 m)/s for the name, or rename it"},
        {"2 m^x", 5, "the exponent of a unit must be a number"},
        {"2 m^(1", 5, "the exponent of a unit must be a number"},
        {"2 m^101", 1, "'2 m^101': an exponent is beyond 100"},
        {"a = b", 3, "equality is written with =="},
        {"a < b < a", 7, "comparisons cannot be chained: use parentheses"},
        {"a ** b", 3, "a power is written with ^"},
        {"sin(1", 4, "this '(' has no matching ')'"},
        {"sin()", 1, "sin() has nothing in its parentheses"},
        {"min(1 2)", 7, "',' or ')' is missing before '2'"},
        {"min(1,)", 7, "a number or a name is missing before ')'"},
        {"[1]", 1, "a vector has 2 to 16 items, not 1"},
        {"[]", 1, "a vector has 2 to 16 items, not 0"},
        {"[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17]", 1, "a vector has 2 to 16 items, not 17"},
        {"[1, 2", 1, "this '[' has no matching ']'"},
        {"u[a]", 2, "an item is [0] to [15]"},
        {"u[16]", 2, "an item is [0] to [15]"},
        {"u[1", 2, "an item is [0] to [15]"},
        {"u[99999999999]", 2, "an item is [0] to [15]"},
        {"2[0]", 2, "an operator is missing before '['"},
        {"a234567890123456789012345678901234567890123456789012345678901234", 1,
         "a name is longer than 63 letters"},
    };
    ff_expr_pool *pool = ff_expr_pool_create();
    for (size_t i = 0; i < ROWS(cases); i++) {
        ff_expr_error error = {0};
        ff_expr e = parse(pool, cases[i].text, &error);
        assert_holds(e == 0 && error.column == cases[i].column &&
                         strcmp(error.text, cases[i].why) == 0,
                     "%s: column %zu: %s", cases[i].text, error.column, error.text);
    }
    assert_int_equal(ff_expr_pool_status(pool), FF_OK);
    ff_expr_pool_free(pool);
}

/* ---- trees ---- */

static void printing(void **state) {
    (void)state;
    static const char *const cases[][2] = {
        {"((1))+(2*3)", "1 + 2*3"},
        {"a-(b-a)", "a - (b - a)"},
        {"(a-b)-a", "a - b - a"},
        {"a/(b*a)", "a/(b*a)"},
        {"a*(b/a)", "a*(b/a)"},
        {"(a*b)/a", "a*b/a"},
        {"-(a^2)", "-a^2"},
        {"(-a)^2", "(-a)^2"},
        {"a^(b^2)", "a^b^2"},
        {"(a^b)^2", "(a^b)^2"},
        {"a^(-b)", "a^-b"},
        {"-(a + b)", "-(a + b)"},
        {"-(a*b)", "-(a*b)"},
        {"(-a)*b", "-a*b"},
        {"a - (-b)", "a - -b"},
        {"-(-a)", "--a"},
        {"(a<b)+1", "(a < b) + 1"},
        {"(a<b)==(b<a)", "(a < b) == (b < a)"},
        {"a+b<b+a", "a + b < b + a"},
        {"(2 m)*3", "(2 m)*3"},
        {"3*2 m", "3*(2 m)"},
        {"3+2 m", "3 + 2 m"},
        {"-2 m", "-2 m"},
        {"-(-2 m)", "-(-2 m)"},
        {"(2 m)^2", "(2 m)^2"},
        {"2 m^2", "2 m^2"},
        {"min(a,b , 2)", "min(a, b, 2)"},
        {"[a,b*2][1]", "[a, b*2][1]"},
        {"(a+b)[0]", "(a + b)[0]"},
        {"(2)[0]", "(2)[0]"},
        {"0.1000 + 1e3 + 1e-7 + 123456789012345678", "0.1 + 1000 + 1e-7 + 1.2345678901234568e17"},
        {"dio(a)*sgn([a, b])", "dio(a)*sgn([a, b])"},
    };
    for (size_t i = 0; i < ROWS(cases); i++) {
        ff_expr_pool *pool = ff_expr_pool_create();
        char *text = ff_expr_print(pool, parse_good(pool, cases[i][0]));
        assert_holds(text && strcmp(text, cases[i][1]) == 0, "%s: %s", cases[i][0], text);
        free(text);
        ff_expr_pool_free(pool);
    }
    char buf[32];
    assert_string_equal(ff_number_print(0.1 + 0.2, buf, sizeof buf), "0.30000000000000004");
    assert_string_equal(ff_number_print(5e-324, buf, sizeof buf), "5e-324");
    assert_string_equal(ff_number_print(1.7976931348623157e308, buf, sizeof buf),
                        "1.7976931348623157e308");
    assert_string_equal(ff_number_print(100, buf, sizeof buf), "100");
    assert_string_equal(ff_number_print(123456, buf, sizeof buf), "123456");
    assert_string_equal(ff_number_print(2e15, buf, sizeof buf), "2e15");
    assert_string_equal(ff_number_print(1.65e-2, buf, sizeof buf), "0.0165");
}

static void round_trips(void **state) {
    (void)state;
    for (int i = 0; i < 20000; i++) {
        ff_expr_pool *pool = ff_expr_pool_create();
        ff_expr e = any_expr(pool, draw(30), false);
        assert_int_not_equal(e, 0);
        char *text = ff_expr_print(pool, e);
        ff_expr again = parse_good(pool, text);
        assert_holds(ff_expr_same(pool, e, again), "%s", text);
        /* and in another pool */
        ff_expr_pool *other = ff_expr_pool_create();
        ff_expr copy = ff_expr_copy(other, pool, e);
        char *copied = ff_expr_print(other, copy);
        assert_string_equal(text, copied);
        free(text);
        free(copied);
        ff_expr_pool_free(other);
        ff_expr_pool_free(pool);
    }
}

static bool count_nodes(const ff_expr_pool *pool, ff_expr e, void *user) {
    (void)pool, (void)e;
    return ++*(int *)user < 5;
}

static void rewriting(void **state) {
    (void)state;
    ff_expr_pool *pool = ff_expr_pool_create();
    ff_expr e = parse_good(pool, "a*dio(x + b) + dio(dio(a)) - sgn(x + b)");
    ff_expr calls[2];
    assert_int_equal(ff_expr_calls(pool, e, "dio", calls, 2), 3);
    char *text = ff_expr_print(pool, calls[0]);
    assert_string_equal(text, "dio(x + b)");
    free(text);
    text = ff_expr_print(pool, calls[1]);
    assert_string_equal(text, "dio(a)");
    free(text);
    assert_int_equal(ff_expr_calls(pool, e, "sin", NULL, 0), 0);
    assert_true(ff_expr_has(pool, e, "x") && !ff_expr_has(pool, e, "dio"));
    assert_true(ff_expr_same(pool, parse_good(pool, "x+b"), ff_expr_argument(pool, calls[0], 0)));
    assert_false(ff_expr_same(pool, parse_good(pool, "b+x"), ff_expr_argument(pool, calls[0], 0)));

    /* simultaneous substitution: inserted expressions are not substituted again */
    ff_expr from[] = {parse_good(pool, "x + b"), parse_good(pool, "a")};
    ff_expr to[] = {parse_good(pool, "a"), parse_good(pool, "x + b")};
    ff_expr replaced = ff_expr_replace(pool, e, from, to, 2);
    text = ff_expr_print(pool, replaced);
    assert_string_equal(text, "(x + b)*dio(a) + dio(dio(x + b)) - sgn(a)");
    free(text);
    /* columns of the source are kept, and unchanged parts are the same node */
    assert_int_equal(ff_expr_at(pool, replaced)->column, ff_expr_at(pool, e)->column);
    assert_int_equal(ff_expr_replace(pool, e, &(ff_expr){ff_expr_name(pool, "q")}, to, 1), e);
    assert_int_equal(ff_expr_replace(pool, e, from, to, 0), e);
    assert_int_equal(ff_expr_replace(pool, 0, from, to, 1), 0);
    assert_int_equal(ff_expr_replace(pool, e, from, &(ff_expr){0}, 1), 0);
    /* an item of an inserted vector is that item, an item of another expression stays one */
    ff_expr of = parse_good(pool, "v[1] + (v + u)[0]"), vector = parse_good(pool, "[a, b]"),
            product = parse_good(pool, "a*u");
    text = ff_expr_print(
        pool, ff_expr_replace(pool, of, &(ff_expr){ff_expr_name(pool, "v")}, &vector, 1));
    assert_string_equal(text, "b + ([a, b] + u)[0]");
    free(text);
    text = ff_expr_print(
        pool, ff_expr_replace(pool, of, &(ff_expr){ff_expr_name(pool, "v")}, &product, 1));
    assert_string_equal(text, "(a*u)[1] + (a*u + u)[0]");
    free(text);
    int seen = 0;
    assert_false(ff_expr_walk(pool, e, count_nodes, &seen));
    assert_int_equal(seen, 5);
    assert_int_equal(ff_expr_copy(pool, pool, e), e);
    assert_int_equal(ff_expr_copy(pool, pool, 0), 0);
    assert_null(ff_expr_print(pool, 0));

    ff_expr_pool_clear(pool);
    assert_int_equal(ff_expr_pool_count(pool), 0);
    e = parse_good(pool, "a + a");
    assert_true(ff_expr_same(pool, ff_expr_argument(pool, e, 0), ff_expr_argument(pool, e, 1)));
    ff_expr_pool_free(pool);
    ff_expr_pool_free(NULL);
}

static void makers(void **state) {
    (void)state;
    ff_expr_pool *pool = ff_expr_pool_create();
    ff_expr a = ff_expr_name(pool, "a");
    assert_true(ff_expr_same(pool, ff_expr_number(pool, -2), parse_good(pool, "-2")));
    assert_true(ff_expr_same(pool, ff_expr_number(pool, -0.0), parse_good(pool, "-0")));
    assert_int_equal(ff_expr_negate(pool, 0), 0);
    assert_int_equal(ff_expr_binary(pool, FF_EXPR_ADD, a, 0), 0);
    assert_int_equal(ff_expr_pool_status(pool), FF_OK);
    static const double not_finite[] = {INFINITY, -INFINITY, (double)NAN};
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(ff_expr_number(pool, not_finite[i]), 0);
    }
    assert_int_equal(ff_expr_pool_status(pool), FF_BAD_VALUE);
    static const char *const bad[] = {"", "2a", "a b", "a-b", "\xc3\xa9"};
    for (size_t i = 0; i < ROWS(bad); i++) {
        assert_int_equal(ff_expr_name(pool, bad[i]), 0);
        assert_int_equal(ff_expr_call(pool, bad[i], &a, 1), 0);
    }
    assert_int_equal(ff_expr_call(pool, "f", NULL, 0), 0);
    assert_int_equal(ff_expr_vector(pool, &a, 1), 0);
    assert_int_equal(ff_expr_vector(pool, &a, FF_EXPR_ITEMS + 1), 0);
    assert_int_equal(ff_expr_item(pool, a, FF_EXPR_ITEMS), 0);
    ff_expr_pool_free(pool);
}

/* ---- limits ---- */

/* a text repeated many times between two others */
static char *repeated(const char *before, const char *many, size_t count, const char *middle,
                      const char *after, size_t after_count) {
    size_t room =
        strlen(before) + count * strlen(many) + strlen(middle) + after_count * strlen(after) + 1;
    char *text = malloc(room);
    assert_non_null(text);
    strcpy(text, before);
    char *at = text + strlen(text);
    for (size_t i = 0; i < count; i++, at += strlen(many)) {
        strcpy(at, many);
    }
    strcpy(at, middle);
    at += strlen(middle);
    for (size_t i = 0; i < after_count; i++, at += strlen(after)) {
        strcpy(at, after);
    }
    return text;
}

static void expect(char *text, const char *why) {
    ff_expr_pool *pool = ff_expr_pool_create();
    ff_expr_error error = {0};
    ff_expr e = parse(pool, text, &error);
    assert_holds(why ? e == 0 && strcmp(error.text, why) == 0 : e != 0, "%.40s: column %zu: %s",
                 text, error.column, error.text);
    if (e) {
        /* every parsed expression can be printed, checked, copied and compiled */
        ff_expr_pool *other = ff_expr_pool_create();
        ff_expr copy = ff_expr_copy(other, pool, e);
        char *printed = ff_expr_print(other, copy);
        ff_tape_free(compile(other, copy));
        assert_true(printed || strlen(text) > FF_EXPR_LENGTH / 4);
        free(printed);
        ff_expr_pool_free(other);
    }
    ff_expr_pool_free(pool);
    free(text);
}

static void limits(void **state) {
    (void)state;
    const char *deep = "this is nested more than 200 deep";
    static const char *const ways[][4] = {{"(", "a", ")"},    {"-", "a", ""},     {"a^", "a", ""},
                                          {"sin(", "a", ")"}, {"[1, ", "a", "]"}, {"+", "a", ""},
                                          {"a + (", "a", ")"}};
    for (size_t i = 0; i < ROWS(ways); i++) {
        bool vectors = *ways[i][0] == '[';
        size_t most = FF_EXPR_DEPTH - 1;
        if (!vectors) {
            expect(repeated("", ways[i][0], most, ways[i][1], ways[i][2], most), NULL);
        }
        expect(repeated("", ways[i][0], most + 1, ways[i][1], ways[i][2], most + 1), deep);
        expect(repeated("", ways[i][0], 100000, ways[i][1], ways[i][2], 100000), deep);
    }
    /* a sum or product is not nested, however long it is */
    expect(repeated("a", " + a", 40000, "", "", 0), NULL);
    expect(repeated("a", "*b", 40000, "", "", 0), NULL);
    expect(repeated("a", " + a", 60000, "", "", 0), "this has more than 100000 parts");
    expect(repeated("min(a", ", b", 90000, ")", "", 0), NULL);
    expect(repeated("a", " ", FF_EXPR_LENGTH - 1, "", "", 0), NULL);
    expect(repeated("a", " ", FF_EXPR_LENGTH, "", "", 0), "this is longer than 1000000 bytes");
    expect(repeated("0.", "3", 399, "", "", 0), NULL);
    expect(repeated("0.", "3", 400, "", "", 0), "a number has more than 400 digits");
    expect(repeated("1", " m", 400, "", "", 0), "a number and its unit are longer than 599 bytes");
    expect(repeated("1 m/", "(", 50, "a", ")", 50), NULL);
}

/* a tree with shared subtrees is enormous as text */
static void shared(void **state) {
    (void)state;
    ff_expr_pool *pool = ff_expr_pool_create();
    ff_expr e = ff_expr_name(pool, "a"), last = 0;
    for (int i = 0; i < 100; i++) {
        e = ff_expr_binary(pool, FF_EXPR_ADD, e, e);
    }
    assert_null(ff_expr_print(pool, e));
    ff_expr_pool *other = ff_expr_pool_create();
    ff_expr copy = ff_expr_copy(other, pool, e);
    assert_int_equal(ff_expr_pool_count(other), 101);
    double seen;
    ff_tape *tape = compile(other, copy);
    evaluate(tape, inputs, &seen);
    assert_true(seen == 0.3 * 0x1p100);
    ff_tape_free(tape);
    ff_expr_pool_free(other);
    /* pools have a maximum size */
    for (e = ff_expr_name(pool, "a"); e; e = ff_expr_binary(pool, FF_EXPR_ADD, e, e)) {
        last = e;
    }
    assert_int_equal(last, FF_EXPR_POOL);
    assert_int_equal(ff_expr_pool_status(pool), FF_BAD_VALUE);
    ff_expr_error error;
    assert_int_equal(parse(pool, "a", &error), 0);
    assert_string_equal(error.text, ff_status_text(FF_BAD_VALUE));
    ff_expr_pool_free(pool);
}

/* ---- memory ---- */

#ifdef CAN_END
/* If memory is exhausted anywhere, nothing breaks or leaks (checked by the sanitizer builds), and an error is
 * returned. */
static void no_memory(void **state) {
    (void)state;
    const char *text =
        "min(a, b, x)*[1, 2 m][1] + if(a < b, sin(a), dot(u, u)) + atan2(a, 3)/"
        "(a*b + 2)^b - max(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17)";
    bool done = false;
    for (long most = 0; !done; most++) {
        ff_expr_error error = {0};
        ff_tape *tape = NULL;
        ff_expr e = 0, copy = 0, replaced = 0;
        char *printed = NULL;
        ff_status status = FF_NO_MEMORY;
        given = 0;
        give_most = most;
        ff_expr_pool *pool = ff_expr_pool_create(), *other = ff_expr_pool_create();
        if (pool && other) {
            e = parse(pool, text, &error);
            copy = e ? ff_expr_copy(other, pool, e) : 0;
            replaced = copy ? ff_expr_replace(pool, e, &e, &e, 1) : 0;
            printed = replaced ? ff_expr_print(pool, e) : NULL;
            status = printed ? ff_tape_compile(pool, &e, &(size_t){1}, 1, 0, &scope, &tape, &error)
                             : FF_NO_MEMORY;
        }
        give_most = -1;
        done = status == FF_OK;
        if (pool && other && !e) {
            assert_string_equal(error.text, ff_status_text(FF_NO_MEMORY));
        }
        if (e && !copy) {
            assert_int_equal(ff_expr_pool_status(other), FF_NO_MEMORY);
        }
        assert_true(done == (tape != NULL));
        assert_true(done || status == FF_NO_MEMORY);
        assert_true(most < 1000);
        ff_tape_free(tape);
        free(printed);
        ff_expr_pool_free(pool);
        ff_expr_pool_free(other);
    }
}
#else
static void no_memory(void **state) {
    (void)state;
    skip();
}
#endif

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(values),      cmocka_unit_test(functions), cmocka_unit_test(not_numbers),
    cmocka_unit_test(powers),      cmocka_unit_test(mistakes),  cmocka_unit_test(printing),
    cmocka_unit_test(round_trips), cmocka_unit_test(rewriting), cmocka_unit_test(makers),
    cmocka_unit_test(limits),      cmocka_unit_test(shared),    cmocka_unit_test(no_memory),
};

CHECK_MAIN(tests)
