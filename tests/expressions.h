/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* Names, and expressions using them, for the tests of the expression compiler. */

#include "check.h"
#include "expr/tape.h"
#include <stdlib.h>

static const double three = 3, halves[] = {0.5, 1.5};

static const ff_expr_name_def names[] = {
    {.name = "x", .measure = FF_MEASURE_KNOWN, .dim = {0, 1, 0}},
    {.name = "t", .measure = FF_MEASURE_KNOWN, .dim = {0, 0, 1}},
    {.name = "mass", .measure = FF_MEASURE_KNOWN, .dim = {1, 0, 0}},
    {.name = "angle", .measure = FF_MEASURE_KNOWN},
    {.name = "rate", .measure = FF_MEASURE_KNOWN, .dim = {0, 0, -1}, .hertz = true},
    {.name = "a"},
    {.name = "b"},
    {.name = "three", .value = &three},
    {.name = "v", .length = 2, .measure = FF_MEASURE_KNOWN, .dim = {0, 1, -1}},
    {.name = "u", .length = 3},
    {.name = "halves", .length = 2, .value = halves},
    {.name = "s"},
    {.name = "radius", .measure = FF_MEASURE_KNOWN, .dim = {0, 1, 0}},
};

static const ff_expr_function_def own[] = {{"dio", 1, 1, FF_MEASURE_FREE},
                                           {"sgn", 1, 1, FF_MEASURE_KNOWN},
                                           {"keep", 1, 3, FF_MEASURE_PLAIN}};

static const ff_expr_scope scope = {names, ROWS(names), NULL, 0};
static const ff_expr_scope with_own = {names, ROWS(names), own, ROWS(own)};

/* x t mass angle rate a b v v u u u s radius */
static const double inputs[] = {1.5, 2, 3, 0.5, 10, 0.3, -0.7, 3, 4, 1, 2, 3, 7, 0.1};

static inline ff_expr parse(ff_expr_pool *pool, const char *text, ff_expr_error *error) {
    const char *words[ROWS(names)];
    for (size_t i = 0; i < ROWS(names); i++) {
        words[i] = names[i].name;
    }
    return ff_expr_parse(pool, text, words, ROWS(words), error);
}

static inline ff_expr parse_good(ff_expr_pool *pool, const char *text) {
    ff_expr_error error;
    ff_expr e = parse(pool, text, &error);
    assert_holds(e != 0, "%s: column %zu: %s", text, error.column, error.text);
    return e;
}

static inline ff_tape *compile(const ff_expr_pool *pool, ff_expr e) {
    ff_expr_error error;
    ff_tape *tape;
    ff_status status = ff_tape_compile(pool, &e, &(size_t){1}, 1, 0, &scope, &tape, &error);
    assert_holds(status == FF_OK, "column %zu: %s", error.column, error.text);
    return tape;
}

static inline void evaluate(const ff_tape *tape, const double *in, double *out) {
    double *work = malloc(ff_tape_room(tape) * sizeof *work);
    ff_tape_evaluate(tape, in, work, out);
    free(work);
}

static inline double value_of(const char *text) {
    ff_expr_pool *pool = ff_expr_pool_create();
    double out[FF_EXPR_ITEMS];
    ff_tape *tape = compile(pool, parse_good(pool, text));
    assert_int_equal(ff_tape_outputs(tape), 1);
    evaluate(tape, inputs, out);
    ff_tape_free(tape);
    ff_expr_pool_free(pool);
    return out[0];
}

static inline bool same_bits(double a, double b) {
    return (isnan(a) && isnan(b)) || memcmp(&a, &b, sizeof a) == 0;
}

static inline size_t draw(size_t count) { return (size_t)uniform(0, (double)count); }

/* a random finite number with arbitrary bits, or a short one */
static inline double any_number(void) {
    static const double few[] = {0, 1, 2, 3, 0.5, 1.5, -1, -0.0, 0.25, 10};
    double value;
    do {
        value = uniform(-1, 1) * exp(uniform(-700, 700));
    } while (!isfinite(value));
    return draw(2) ? few[draw(ROWS(few))] : draw(2) ? uniform(-3, 3) : value;
}

/* A random expression with about this many operations; with numbers only, so that it can be run. */
static inline ff_expr any_expr(ff_expr_pool *pool, size_t size, bool runs) {
    static const char *const words[] = {"a", "b", "x", "t", "three", "s"};
    static const char *const quantities[] = {"2 m", "1.5 kN/m", "3 s", "4 m^2"};
    static const char *const unary[] = {"sin", "exp", "sqrt", "abs", "tanh", "floor", "sign"};
    static const char *const binary[] = {"min", "max", "hypot", "atan2", "pow"};
    ff_expr_error error;
    if (size == 0) {
        switch (draw(5)) {
        case 0:
        case 1: return ff_expr_number(pool, any_number());
        case 2: return ff_expr_parse(pool, quantities[draw(4)], NULL, 0, &error);
        default: return ff_expr_name(pool, words[draw(ROWS(words))]);
        }
    }
    size_t left = draw(size), right = size - 1 - left;
    ff_expr a = any_expr(pool, left, runs);
    switch (draw(runs ? 10 : 13)) {
    case 0: return ff_expr_negate(pool, a);
    case 1: return ff_expr_call(pool, unary[draw(ROWS(unary))], &a, 1);
    case 2:
        return ff_expr_call(pool, binary[draw(ROWS(binary))],
                            (ff_expr[]){a, any_expr(pool, right, runs)}, 2);
    case 3:
        return ff_expr_call(
            pool, "if",
            (ff_expr[]){a, any_expr(pool, right / 2, runs), any_expr(pool, right / 2, runs)}, 3);
    case 10: return ff_expr_item(pool, a, draw(FF_EXPR_ITEMS));
    case 11: return ff_expr_vector(pool, (ff_expr[]){a, any_expr(pool, right, runs)}, 2);
    case 12: return ff_expr_call(pool, draw(2) ? "dio" : "sgn", &a, 1);
    case 4: return ff_expr_binary(pool, FF_EXPR_POWER, a, any_expr(pool, right, runs));
    case 5:
        return ff_expr_binary(pool, (ff_expr_kind)(FF_EXPR_LESS + (int)draw(6)), a,
                              any_expr(pool, right, runs));
    default:
        return ff_expr_binary(pool, (ff_expr_kind)(FF_EXPR_ADD + (int)draw(4)), a,
                              any_expr(pool, right, runs));
    }
}
