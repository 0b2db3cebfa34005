/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "expressions.h"

/* the same evaluation as the tape, node by node in C */
static double direct(const ff_expr_pool *pool, ff_expr e, const double *in) {
    const ff_expr_node *node = ff_expr_at(pool, e);
    double a = 0, b = 0;
    if (node->count > 0) {
        a = direct(pool, ff_expr_argument(pool, e, 0), in);
    }
    if (node->count > 1) {
        b = direct(pool, ff_expr_argument(pool, e, 1), in);
    }
    switch (node->kind) {
    case FF_EXPR_NUMBER:
    case FF_EXPR_QUANTITY: return node->value;
    case FF_EXPR_NAME:
        return strcmp(node->text, "three") == 0 ? 3
               : *node->text == 'x'             ? in[0]
               : *node->text == 't'             ? in[1]
               : *node->text == 'a'             ? in[5]
               : *node->text == 'b'             ? in[6]
                                                : in[12];
    case FF_EXPR_NEGATE: return -a;
    case FF_EXPR_ADD: return a + b;
    case FF_EXPR_SUBTRACT: return a - b;
    case FF_EXPR_MULTIPLY: return a * b;
    case FF_EXPR_DIVIDE: return a / b;
    case FF_EXPR_POWER: return ff_op_power(a, b);
    case FF_EXPR_LESS: return a < b;
    case FF_EXPR_LESS_EQUAL: return a <= b;
    case FF_EXPR_GREATER: return a > b;
    case FF_EXPR_GREATER_EQUAL: return a >= b;
    case FF_EXPR_EQUAL: return a == b;
    case FF_EXPR_NOT_EQUAL: return a != b;
    case FF_EXPR_CALL: break;
    default: fail_msg("an expression of numbers only");
    }
    const char *f = node->text;
    if (strcmp(f, "if") == 0) {
        return isnan(a) ? a : a != 0 ? b : direct(pool, ff_expr_argument(pool, e, 2), in);
    }
    return strcmp(f, "sin") == 0     ? ff_sin(a)
           : strcmp(f, "exp") == 0   ? ff_exp(a)
           : strcmp(f, "sqrt") == 0  ? sqrt(a)
           : strcmp(f, "abs") == 0   ? fabs(a)
           : strcmp(f, "tanh") == 0  ? ff_tanh(a)
           : strcmp(f, "floor") == 0 ? floor(a)
           : strcmp(f, "sign") == 0  ? (a > 0   ? 1
                                        : a < 0 ? -1
                                                : a)
           : strcmp(f, "min") == 0   ? ff_min(a, b)
           : strcmp(f, "max") == 0   ? ff_max(a, b)
           : strcmp(f, "hypot") == 0 ? ff_hypot(a, b)
           : strcmp(f, "atan2") == 0 ? ff_atan2(a, b)
                                     : ff_op_power(a, b);
}

/* Folding, sharing, pairs and groups preserve all bits. */
static void same_as_direct(void **state) {
    (void)state;
    enum { OUTPUTS = 4 };
    long steps = 0, nodes = 0;
    for (int i = 0; i < 5000; i++) {
        ff_expr_pool *pool = ff_expr_pool_create();
        ff_expr outputs[OUTPUTS];
        for (int k = 0; k < OUTPUTS; k++) {
            outputs[k] = any_expr(pool, draw(40), true);
        }
        /* outputs that are part of one another, and the same one twice */
        outputs[1] = ff_expr_binary(pool, FF_EXPR_MULTIPLY, outputs[0], outputs[2]);
        outputs[3] = draw(2) ? outputs[3] : outputs[1];
        ff_tape *tape;
        ff_expr_error error;
        size_t counts[] = {draw(3), 0, 0};
        counts[1] = OUTPUTS - counts[0];
        ff_status status =
            ff_tape_compile(pool, outputs, counts, 2 + draw(2), draw(3), &scope, &tape, &error);
        assert_holds(status == FF_OK, "%s", error.text);
        steps += (long)ff_tape_length(tape);
        nodes += (long)ff_expr_pool_count(pool);
        for (int j = 0; j < 4; j++) {
            double in[ROWS(inputs)], out[OUTPUTS];
            for (size_t k = 0; k < ROWS(in); k++) {
                in[k] = j == 3 ? any_number() : uniform(-3, 3);
            }
            evaluate(tape, in, out);
            for (int k = 0; k < OUTPUTS; k++) {
                double wanted = direct(pool, outputs[k], in);
                if (!same_bits(out[k], wanted)) {
                    fail_msg("%s: %.17g instead of %.17g", ff_expr_print(pool, outputs[k]), out[k],
                             wanted);
                }
            }
        }
        ff_tape_free(tape);
        ff_expr_pool_free(pool);
    }
    /* and the tape is much shorter */
    assert_true(steps < nodes / 3);
}

static void smaller(void **state) {
    (void)state;
    static const struct {
        const char *text;
        size_t steps;
    } cases[] = {
        {"1 + 2*three", 0},
        {"sin(three)^2 + halves[0]", 0},
        {"a", 0},
        {"-(-a)", 0},
        {"a*1", 0},
        {"1*a", 0},
        {"a - 0", 0},
        {"a/1", 0},
        {"a^1", 0},
        {"a + 0", 1}, /* changes -0 to 0 */
        {"a*0", 1},   /* may be NAN */
        {"a + -b", 1},
        {"-a + b", 1},
        {"a - -b", 1},
        {"(a + b)*(b + a)", 2},
        {"sin(a) + sin(a)", 2},
        {"a*b + a", 1},
        {"a - b*x", 1},
        {"a + b + x", 1},
        {"a + b + x + t", 2},
        {"if(1, a, sin(b))", 0},
        {"if(0, sin(b), a)", 0},
        {"[sin(a), b][1]", 0},
    };
    for (size_t i = 0; i < ROWS(cases); i++) {
        ff_expr_pool *pool = ff_expr_pool_create();
        ff_tape *tape = compile(pool, parse_good(pool, cases[i].text));
        assert_holds(ff_tape_length(tape) == cases[i].steps, "%s: %zu steps", cases[i].text,
                     ff_tape_length(tape));
        ff_tape_free(tape);
        ff_expr_pool_free(pool);
    }
}

/* expressions that depend on results of an earlier group belong to a later one */
static void groups(void **state) {
    (void)state;
    const ff_expr_name_def stage_names[] = {{.name = "x", .length = 2}, {.name = "psi"}};
    const ff_expr_scope stage = {stage_names, 2, NULL, 0};
    ff_expr_pool *pool = ff_expr_pool_create();
    ff_expr_error error;
    ff_tape *tape;
    ff_expr outputs[] = {parse_good(pool, "sin(x[0]) + 1"), parse_good(pool, "psi*2"),
                         parse_good(pool, "x*psi + [sin(x[0]), psi*2]")};
    assert_int_equal(
        ff_tape_compile(pool, outputs, (size_t[]){1, 1, 1}, 3, 0, &stage, &tape, &error), FF_OK);
    assert_int_equal(ff_tape_inputs(tape), 3);
    assert_int_equal(ff_tape_outputs(tape), 4);
    /* the sine and the product are not repeated */
    assert_int_equal(ff_tape_length(tape), 5);
    double *work = malloc(ff_tape_room(tape) * sizeof *work);
    ff_tape_begin(tape, work);
    for (int i = 0; i < 3; i++) {
        work[0] = 0.5 + i;
        work[1] = 2;
        ff_tape_run(tape, 0, work);
        assert_true(work[ff_tape_place(tape, 0)] == sin(0.5 + i) + 1);
        for (int j = 1; j < 4; j++) {
            double psi = work[2] = j;
            ff_tape_run(tape, 1, work);
            ff_tape_run(tape, 2, work);
            assert_true(work[ff_tape_place(tape, 1)] == 2 * psi);
            assert_true(work[ff_tape_place(tape, 2)] == (0.5 + i) * psi + sin(0.5 + i));
            assert_true(work[ff_tape_place(tape, 3)] == 2 * psi + psi * 2);
        }
    }
    free(work);
    ff_tape_free(tape);
    ff_tape_free(NULL);
    /* an empty tape is valid */
    assert_int_equal(ff_tape_compile(pool, NULL, NULL, 0, 0, &stage, &tape, &error), FF_OK);
    assert_int_equal(ff_tape_length(tape), 0);
    ff_tape_free(tape);
    ff_expr_pool_free(pool);
}

static void refusals(void **state) {
    (void)state;
    static const struct {
        const char *text;
        size_t column;
        const char *why;
    } cases[] = {
        {"1 + dio(a)", 5, "unknown function 'dio'"},
        {"a + q", 5, "unknown name 'q'"},
        {"u + v", 3, "vectors of length 3 and 2 cannot be combined"},
    };
    for (size_t i = 0; i < ROWS(cases); i++) {
        ff_expr_pool *pool = ff_expr_pool_create();
        ff_expr_error error = {0};
        ff_tape *tape;
        double value;
        ff_expr e = parse_good(pool, cases[i].text);
        ff_status status = ff_tape_compile(pool, &e, &(size_t){1}, 1, 0, &with_own, &tape, &error);
        assert_true(status == FF_BAD_VALUE && !tape);
        assert_holds(error.column == cases[i].column && strcmp(error.text, cases[i].why) == 0,
                     "column %zu: %s", error.column, error.text);
        assert_int_equal(ff_expr_value(pool, e, &with_own, &value, 1, &error), FF_BAD_VALUE);
        ff_expr_pool_free(pool);
    }
}

static void constants(void **state) {
    (void)state;
    const ff_expr_scope only = {&names[7], 1, NULL, 0};
    ff_expr_pool *pool = ff_expr_pool_create();
    ff_expr_error error;
    double values[3] = {0, 0, -1};
    assert_int_equal(ff_expr_value(pool, parse_good(pool, "three^2 + 1"), &only, values, 1, &error),
                     FF_OK);
    assert_true(values[0] == 10);
    assert_int_equal(
        ff_expr_value(pool, parse_good(pool, "[three, 1]*2"), &only, values, 3, &error), FF_OK);
    assert_true(values[0] == 6 && values[1] == 2 && values[2] == -1);
    ff_expr_pool_free(pool);
}

/* Outputs of ordered groups are contiguous, also inputs, constants, and duplicates. */
static void order(void **state) {
    (void)state;
    static const char *const texts[] = {"b", "a*2", "a*2 + 1", "7", "a*2", "u", "b", "a*2 + b"};
    const double wanted[] = {-0.7, 0.6, 1.6, 7, 0.6, 1, 2, 3, -0.7, 0.6 - 0.7};
    ff_expr_pool *pool = ff_expr_pool_create();
    ff_expr_error error;
    ff_tape *tape;
    ff_expr outputs[ROWS(texts)];
    for (size_t i = 0; i < ROWS(texts); i++) {
        outputs[i] = parse_good(pool, texts[i]);
    }
    assert_int_equal(
        ff_tape_compile(pool, outputs, (size_t[]){3, 4, 1}, 3, 2, &scope, &tape, &error), FF_OK);
    assert_int_equal(ff_tape_length(tape), 3);
    double *work = malloc(ff_tape_room(tape) * sizeof *work);
    ff_tape_begin(tape, work);
    memcpy(work, inputs, sizeof inputs);
    for (size_t g = 0; g < 3; g++) {
        ff_tape_run(tape, g, work);
    }
    for (size_t i = 0; i < ROWS(wanted); i++) {
        size_t place = ff_tape_place(tape, i);
        assert_true(i == 9 || place == ff_tape_place(tape, 0) + i);
        assert_true(work[place] == wanted[i]);
    }
    free(work);
    ff_tape_free(tape);
    ff_expr_pool_free(pool);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(smaller), cmocka_unit_test(same_as_direct), cmocka_unit_test(groups),
    cmocka_unit_test(order),   cmocka_unit_test(refusals),       cmocka_unit_test(constants),
};

CHECK_MAIN(tests)
