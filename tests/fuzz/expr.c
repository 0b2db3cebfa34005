/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */

/* Any text as an expression: what can be read can be printed and read again, checked, compiled and run. The
 * sanitizers look on. The first byte chooses how many of the names are known. */

#include "expr/derive.h"
#include "expr/tape.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const double three = 3, pair[] = {0.5, 1.5};

static const ff_expr_name_def names[] = {
    {.name = "x", .measure = FF_MEASURE_KNOWN, .dim = {0, 1, 0}},
    {.name = "t", .measure = FF_MEASURE_KNOWN, .dim = {0, 0, 1}},
    {.name = "a"},
    {.name = "n", .value = &three},
    {.name = "v", .length = 2},
    {.name = "w", .length = 2, .value = pair},
    {.name = "s", .measure = FF_MEASURE_PLAIN},
};

enum { NAMES = sizeof names / sizeof *names };

static void must(bool holds, const char *what, const char *text) {
    if (!holds) {
        fprintf(stderr, "%s: %s\n", what, text);
        abort();
    }
}

/* a reason is a text, and a column is in the expression or just after it */
static void look_at(const ff_expr_error *error, const char *text) {
    must(*error->text && error->column <= strlen(text) + 1, "an error without a reason", text);
}

static void print_and_read(ff_expr_pool *pool, ff_expr e, const char *text, const char **words,
                           size_t count) {
    ff_expr_error error;
    char *printed = ff_expr_print(pool, e);
    must(printed || strlen(text) > FF_EXPR_LENGTH / 8, "not printed", text);
    if (printed) {
        ff_expr again = ff_expr_parse(pool, printed, words, count, &error);
        must(again && ff_expr_same(pool, e, again), "reads differently", printed);
    }
    free(printed);
}

static void run(const ff_expr_pool *pool, ff_expr e, const ff_expr_scope *scope, const char *text) {
    ff_expr_error error = {0};
    ff_tape *tape;
    if (ff_tape_compile(pool, &e, &(size_t){1}, 1, 0, scope, &tape, &error) < 0) {
        look_at(&error, text);
        return;
    }
    size_t count = ff_tape_outputs(tape), inputs = ff_tape_inputs(tape);
    double *work = malloc(ff_tape_room(tape) * sizeof *work);
    double *out = malloc(2 * count * sizeof *out), in[16];
    must(inputs <= 16, "too many inputs", text);
    for (size_t i = 0; i < 16; i++) {
        in[i] = 0.25 * (double)i - 1;
    }
    ff_tape_evaluate(tape, in, work, out);
    ff_tape_evaluate(tape, in, work, out + count);
    must(memcmp(out, out + count, count * sizeof *out) == 0, "other bits", text);
    free(work);
    free(out);
    ff_tape_free(tape);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    size_t known = size > 0 ? data[0] % (NAMES + 1) : 0;
    const char *words[NAMES];
    char *text = malloc(size + 1);
    for (size_t i = 0; i < known; i++) {
        words[i] = names[i].name;
    }
    memcpy(text, size > 0 ? data + 1 : data, size > 0 ? size - 1 : 0);
    text[size > 0 ? size - 1 : 0] = '\0';

    ff_expr_pool *pool = ff_expr_pool_create();
    ff_expr_error error = {0};
    ff_expr_facts facts;
    const ff_expr_function_def own[] = {{"dio", 1, 1, FF_MEASURE_FREE},
                                        {"sgn", 1, 2, FF_MEASURE_PLAIN}};
    const ff_expr_scope scope = {names, known, own, 2};
    ff_expr e = ff_expr_parse(pool, text, words, known, &error);
    if (e) {
        print_and_read(pool, e, text, words, known);
        if (ff_expr_check(pool, &e, 1, &scope, true, &facts, &error) < 0) {
            look_at(&error, text);
        } else {
            /* what makes sense has a rate that can be run */
            const ff_expr one = ff_expr_number(pool, 1);
            ff_expr rate = ff_expr_rate(pool, e, (const char *const[]){"x"}, &one, 1, &error);
            must(rate || *error.text, "no rate and no reason", text);
            if (rate) {
                run(pool, rate, &scope, text);
            }
        }
        run(pool, e, &scope, text);
        /* what a rewriter does: calls become their arguments */
        ff_expr call;
        if (ff_expr_calls(pool, e, "dio", &call, 1) > 0) {
            ff_expr to = ff_expr_argument(pool, call, 0);
            ff_expr replaced = ff_expr_replace(pool, e, &call, &to, 1);
            print_and_read(pool, replaced, text, words, known);
            run(pool, replaced, &scope, text);
        }
    } else {
        look_at(&error, text);
    }
    ff_expr_pool_free(pool);
    free(text);
    return 0;
}
