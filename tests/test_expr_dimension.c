/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "expressions.h"

static void senseless(void **state) {
    (void)state;
    static const struct {
        const char *text;
        size_t column;
        const char *why;
    } cases[] = {
        {"2*radus", 3, "unknown name 'radus' (did you mean 'radius'?)"},
        {"1 + q", 5, "unknown name 'q'"},
        {"sin + 1", 1, "'sin' is a function, and '(' is missing after it"},
        {"a(2)", 1, "'a' is not a function: an operator is missing before '('"},
        {"1 + sni(2)", 5, "unknown function 'sni' (did you mean 'sin'?)"},
        {"frobnicate(2)", 1, "unknown function 'frobnicate'"},
        {"sin(1, 2)", 1, "sin() takes 1 argument, not 2"},
        {"atan2(1)", 1, "atan2() takes 2 arguments, not 1"},
        {"min(1)", 1, "min() takes 2 or more arguments, not 1"},
        {"if(1, 2)", 1, "if() takes 3 arguments, not 2"},
        {"dio(1, 2)", 1, "dio() takes 1 argument, not 2"},
        {"u + v", 3, "vectors of length 3 and 2 cannot be combined"},
        {"u + 1", 3, "a number and a vector cannot be combined here"},
        {"u*u", 2, "cannot multiply two vectors: use dot()"},
        {"1/u", 2, "cannot divide by a vector"},
        {"u < u", 3, "this takes numbers, not a vector"},
        {"u^2", 2, "this takes numbers, not a vector"},
        {"sin(u)", 1, "sin() takes numbers, not a vector"},
        {"if(u, 1, 2)", 1, "if() takes numbers, not a vector"},
        {"if(a, u, 2)", 1, "a number and a vector cannot be combined here"},
        {"dot(u, 1)", 1, "a number and a vector cannot be combined here"},
        {"[u, 1]", 1, "this takes numbers, not a vector"},
        {"u[3]", 2, "a vector of 3 has no item 3: items are counted from 0"},
        {"a[0]", 2, "a number has no items"},
        /* dimensions */
        {"1 m + 2 s", 5, "cannot add m and s"},
        {"x - t", 3, "cannot subtract s from m"},
        {"x + angle", 3, "cannot add m and a pure number"},
        {"x + sin(angle)", 3, "cannot add m and a pure number"},
        {"x < t", 3, "cannot compare m and s"},
        {"min(x, 1, t)", 1, "min() of m and s"},
        {"hypot(x, mass)", 1, "hypot() of m and kg"},
        {"atan2(x, t)", 1, "atan2() of m and s"},
        {"if(a, x, t)", 1, "if() of m and s"},
        {"if(x, 1, 2)", 1, "the condition of if() has the unit m: compare it with a value"},
        {"[x, t]", 1, "a vector of m and s"},
        {"sin(x)", 1, "sin() of m: it takes a pure number or an angle"},
        {"exp(2*t)", 1, "exp() of s: it takes a pure number or an angle"},
        {"floor(x)", 1, "floor() of m: it takes a pure number or an angle"},
        {"x^a", 2, "the exponent of m must be a constant"},
        {"pow(x, a)", 1, "the exponent of m must be a constant"},
        {"2^x", 2, "an exponent must be a pure number, not in m"},
        {"x^(1/0)", 2, "the exponent of m must be a constant"},
        {"sqrt(x) + x^0.25", 9, "cannot add m^0.5 and m^0.25"},
        {"x + v", 3, "a number and a vector cannot be combined here"},
        {"v[0] + x", 6, "cannot add m/s and m"},
        {"norm(v) + x", 9, "cannot add m/s and m"},
        {"dot(v, v) - norm(v)", 11, "cannot subtract m/s from m^2 s^-2"},
        {"sgn(x) + x", 8, "cannot add a pure number and m"},
        {"keep(x) + t", 9, "cannot add m and s"},
        {"8.5e6 N/m^1.5*x + 1 N", 17, "cannot add N/m^0.5 and N"},
        {"-x - -t", 4, "cannot subtract s from m"},
    };
    for (size_t i = 0; i < ROWS(cases); i++) {
        ff_expr_pool *pool = ff_expr_pool_create();
        ff_expr_error error = {0};
        ff_expr e = parse_good(pool, cases[i].text);
        ff_status status = ff_expr_check(pool, &e, 1, &with_own, true, NULL, &error);
        assert_holds(status == FF_BAD_VALUE && error.column == cases[i].column &&
                         strcmp(error.text, cases[i].why) == 0,
                     "%s: column %zu: %s", cases[i].text, error.column, error.text);
        ff_expr_pool_free(pool);
    }
}

static void dimensions(void **state) {
    (void)state;
    static const struct {
        const char *text;
        ff_measure measure;
        const char *units;
    } cases[] = {
        {"1", FF_MEASURE_PLAIN, "1"},
        {"4/3 + 2*pi", FF_MEASURE_PLAIN, "1"},
        {"sin(2)", FF_MEASURE_PLAIN, "1"},
        {"30 deg", FF_MEASURE_KNOWN, "1"},
        {"x", FF_MEASURE_KNOWN, "m"},
        {"-x", FF_MEASURE_KNOWN, "m"},
        {"x + 1", FF_MEASURE_KNOWN, "m"},
        {"1 + x", FF_MEASURE_KNOWN, "m"},
        {"2*x", FF_MEASURE_KNOWN, "m"},
        {"1/t", FF_MEASURE_KNOWN, "1/s"},
        {"x/t", FF_MEASURE_KNOWN, "m/s"},
        {"mass*x/t^2", FF_MEASURE_KNOWN, "N"},
        {"4/3*200 GPa*sqrt(x)", FF_MEASURE_KNOWN, "N/m^1.5"},
        {"x^three", FF_MEASURE_KNOWN, "m^3"},
        {"x^(three/2)", FF_MEASURE_KNOWN, "m^1.5"},
        {"x^(2^2 - 1)", FF_MEASURE_KNOWN, "m^3"},
        {"pow(x, -1)", FF_MEASURE_KNOWN, "m^-1"},
        {"sqrt(x*x)", FF_MEASURE_KNOWN, "m"},
        {"abs(x)", FF_MEASURE_KNOWN, "m"},
        {"min(1, x)", FF_MEASURE_KNOWN, "m"},
        {"sign(x)", FF_MEASURE_KNOWN, "1"},
        {"x > 1", FF_MEASURE_KNOWN, "1"},
        {"atan2(x, 2)", FF_MEASURE_KNOWN, "1"},
        {"if(x > 0, x, 0)", FF_MEASURE_KNOWN, "m"},
        {"[0, x]", FF_MEASURE_KNOWN, "m"},
        {"[0, x][0]", FF_MEASURE_KNOWN, "m"},
        {"dot(v, v)", FF_MEASURE_KNOWN, "m^2 s^-2"},
        {"norm(v)*t", FF_MEASURE_KNOWN, "m"},
        {"v*mass", FF_MEASURE_KNOWN, "N s"},
        {"sgn(x)", FF_MEASURE_KNOWN, "1"},
        {"keep(x)", FF_MEASURE_KNOWN, "m"},
        {"dio(x)", FF_MEASURE_FREE, NULL},
        /* an unknown dimension disables the check */
        {"a", FF_MEASURE_FREE, NULL},
        {"a + x", FF_MEASURE_FREE, NULL},
        {"a*x + t", FF_MEASURE_FREE, NULL},
        {"sin(a*x)", FF_MEASURE_FREE, NULL},
        {"(a*x)^b", FF_MEASURE_FREE, NULL},
        {"min(a, x, t)", FF_MEASURE_FREE, NULL},
    };
    for (size_t i = 0; i < ROWS(cases); i++) {
        ff_expr_pool *pool = ff_expr_pool_create();
        ff_expr_error error = {0};
        ff_expr_facts facts;
        char buf[64];
        ff_expr e = parse_good(pool, cases[i].text);
        ff_status status = ff_expr_check(pool, &e, 1, &with_own, true, &facts, &error);
        assert_holds(status == FF_OK, "%s: column %zu: %s", cases[i].text, error.column,
                     error.text);
        ff_dimension_units(facts.dim, buf, sizeof buf);
        assert_holds(facts.measure == cases[i].measure &&
                         (!cases[i].units || strcmp(buf, cases[i].units) == 0),
                     "%s: %d, %s", cases[i].text, (int)facts.measure, buf);
        ff_expr_pool_free(pool);
    }
}

/* a frequency remains one until it is multiplied, possibly by 2 pi */
static void frequencies(void **state) {
    (void)state;
    static const struct {
        const char *text;
        bool hertz;
    } cases[] = {{"50 Hz", true},        {"-rate", true},          {"rate + 1", true},
                 {"2*pi*rate", false},   {"rate/2", false},        {"max(1, rate)", true},
                 {"[rate, 0][0]", true}, {"if(a, 1, rate)", true}, {"3 rpm", false}};
    for (size_t i = 0; i < ROWS(cases); i++) {
        ff_expr_pool *pool = ff_expr_pool_create();
        ff_expr_facts facts;
        ff_expr_error error;
        ff_expr e = parse_good(pool, cases[i].text);
        assert_int_equal(ff_expr_check(pool, &e, 1, &scope, true, &facts, &error), FF_OK);
        assert_holds(facts.hertz == cases[i].hertz, "%s", cases[i].text);
        ff_expr_pool_free(pool);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(senseless),
    cmocka_unit_test(dimensions),
    cmocka_unit_test(frequencies),
};

CHECK_MAIN(tests)
