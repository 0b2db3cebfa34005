/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "num/memory.h"
#include "scope.h"
#include "word.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { any_number = 1000000 };

static const ff_function functions[] = {
    {"sin", 1, 1, FF_RULE_PURE, FF_OP_SIN},
    {"cos", 1, 1, FF_RULE_PURE, FF_OP_COS},
    {"tan", 1, 1, FF_RULE_PURE, FF_OP_TAN},
    {"asin", 1, 1, FF_RULE_PURE, FF_OP_ASIN},
    {"acos", 1, 1, FF_RULE_PURE, FF_OP_ACOS},
    {"atan", 1, 1, FF_RULE_PURE, FF_OP_ATAN},
    {"atan2", 2, 2, FF_RULE_ANGLE, FF_OP_ATAN2},
    {"sinh", 1, 1, FF_RULE_PURE, FF_OP_SINH},
    {"cosh", 1, 1, FF_RULE_PURE, FF_OP_COSH},
    {"tanh", 1, 1, FF_RULE_PURE, FF_OP_TANH},
    {"sqrt", 1, 1, FF_RULE_ROOT, FF_OP_SQRT},
    {"exp", 1, 1, FF_RULE_PURE, FF_OP_EXP},
    {"log", 1, 1, FF_RULE_PURE, FF_OP_LOG},
    {"abs", 1, 1, FF_RULE_SAME, FF_OP_ABS},
    {"min", 2, any_number, FF_RULE_SAME, FF_OP_MIN},
    {"max", 2, any_number, FF_RULE_SAME, FF_OP_MAX},
    {"hypot", 2, 2, FF_RULE_SAME, FF_OP_HYPOT},
    {"sign", 1, 1, FF_RULE_SIGN, FF_OP_SIGN},
    {"floor", 1, 1, FF_RULE_PURE, FF_OP_FLOOR},
    {"ceil", 1, 1, FF_RULE_PURE, FF_OP_CEIL},
    {"pow", 2, 2, FF_RULE_POWER, FF_OP_POWER},
    {"if", 3, 3, FF_RULE_IF, FF_OP_SELECT},
    {"dot", 2, 2, FF_RULE_DOT, FF_OP_ADD},
    {"norm", 1, 1, FF_RULE_NORM, FF_OP_SQRT},
};

enum { function_count = sizeof functions / sizeof *functions };

const ff_function *ff_function_at(size_t i) { return i < function_count ? &functions[i] : NULL; }

const ff_function *ff_function_find(const char *name) {
    for (size_t i = 0; i < function_count; i++) {
        if (strcmp(functions[i].name, name) == 0) {
            return &functions[i];
        }
    }
    return NULL;
}

const ff_expr_name_def *ff_expr_scope_name(const ff_expr_scope *scope, const char *name) {
    static const double pi_value = 3.141592653589793;
    static const ff_expr_name_def pi = {
        .name = "pi", .measure = FF_MEASURE_PLAIN, .value = &pi_value};
    for (size_t i = 0; i < scope->name_count; i++) {
        if (strcmp(scope->names[i].name, name) == 0) {
            return &scope->names[i];
        }
    }
    return strcmp(name, "pi") == 0 ? &pi : NULL;
}

static const ff_expr_function_def *own_function(const ff_expr_scope *scope, const char *name) {
    for (size_t i = 0; i < scope->function_count; i++) {
        if (strcmp(scope->functions[i].name, name) == 0) {
            return &scope->functions[i];
        }
    }
    return NULL;
}

/* State of the check of one expression. */
typedef struct checker {
    const ff_expr_pool *pool;
    const ff_expr_scope *scope;
    bool dimensions;
    ff_expr_facts *facts; /* facts of the nodes so far */
    ff_expr e;            /* the current node */
    const ff_expr_node *node;
    ff_status status;
    ff_expr_error *error;
} checker;

__attribute__((format(printf, 2, 3))) static bool refuse(checker *c, const char *format, ...) {
    va_list list;
    va_start(list, format);
    c->error->column = c->node->column;
    vsnprintf(c->error->text, sizeof c->error->text, format, list);
    va_end(list);
    c->status = FF_BAD_VALUE;
    return false;
}

static const ff_expr_facts *argument(const checker *c, size_t i) {
    return &c->facts[ff_expr_argument(c->pool, c->e, i)];
}

/* ---- unknown words ---- */

static bool refuse_word(checker *c, const char *what, const char **words, size_t count) {
    const char *near = words ? ff_word_nearest(c->node->text, words, count) : NULL;
    ff_free(words);
    return near ? refuse(c, "unknown %s '%s' (did you mean '%s'?)", what, c->node->text, near)
                : refuse(c, "unknown %s '%s'", what, c->node->text);
}

static bool refuse_name(checker *c) {
    size_t count = c->scope->name_count;
    const char **words = ff_malloc((count + 1) * sizeof *words);
    for (size_t i = 0; words && i < count; i++) {
        words[i] = c->scope->names[i].name;
    }
    if (words) {
        words[count] = "pi";
    }
    if (ff_function_find(c->node->text)) {
        ff_free(words);
        return refuse(c, "'%s' is a function, and '(' is missing after it", c->node->text);
    }
    return refuse_word(c, "name", words, count + 1);
}

static bool refuse_function(checker *c) {
    size_t own = c->scope->function_count;
    const char **words = ff_malloc((own + function_count) * sizeof *words);
    for (size_t i = 0; words && i < own + function_count; i++) {
        words[i] = i < own ? c->scope->functions[i].name : functions[i - own].name;
    }
    if (ff_expr_scope_name(c->scope, c->node->text)) {
        ff_free(words);
        return refuse(c, "'%s' is not a function: an operator is missing before '('",
                      c->node->text);
    }
    return refuse_word(c, "function", words, own + function_count);
}

/* ---- dimensions ---- */

static const ff_dimension pure = {0, 0, 0};

static ff_expr_facts number_fact(void) {
    return (ff_expr_facts){.length = 1, .measure = FF_MEASURE_KNOWN};
}

/* "m", or "a pure number" */
static const char *units(const ff_expr_facts *f, char buf[64]) {
    if (f->measure != FF_MEASURE_KNOWN || ff_dimension_same(f->dim, pure)) {
        return "a pure number";
    }
    return ff_dimension_units(f->dim, buf, 64);
}

static bool is_pure(const ff_expr_facts *f) {
    return f->measure != FF_MEASURE_KNOWN || ff_dimension_same(f->dim, pure);
}

/* Common facts of two operands that are added, compared or chosen from; false if they do not match. */
static bool join(checker *c, const ff_expr_facts *a, const ff_expr_facts *b, ff_expr_facts *out) {
    ff_measure least = a->measure < b->measure ? a->measure : b->measure;
    bool both = a->measure == FF_MEASURE_KNOWN && b->measure == FF_MEASURE_KNOWN;
    if (both && c->dimensions && !ff_dimension_same(a->dim, b->dim)) {
        return false;
    }
    out->measure = least == FF_MEASURE_FREE   ? FF_MEASURE_FREE
                   : a->measure == b->measure ? a->measure
                                              : FF_MEASURE_KNOWN;
    out->dim = a->measure == FF_MEASURE_KNOWN ? a->dim : b->dim;
    out->hertz = a->hertz || b->hertz;
    return true;
}

/* product: a times b to the power of sign */
static void multiply(const ff_expr_facts *a, const ff_expr_facts *b, double sign,
                     ff_expr_facts *out) {
    out->measure = a->measure == FF_MEASURE_FREE || b->measure == FF_MEASURE_FREE ? FF_MEASURE_FREE
                   : a->measure == FF_MEASURE_PLAIN && b->measure == FF_MEASURE_PLAIN
                       ? FF_MEASURE_PLAIN
                       : FF_MEASURE_KNOWN;
    out->dim = (ff_dimension){a->dim.kg + sign * b->dim.kg, a->dim.m + sign * b->dim.m,
                              a->dim.s + sign * b->dim.s};
}

static void raise(const ff_expr_facts *a, double power, ff_expr_facts *out) {
    out->measure = a->measure;
    out->dim = (ff_dimension){a->dim.kg * power, a->dim.m * power, a->dim.s * power};
}

static bool check_power(checker *c, ff_expr_facts *out) {
    const ff_expr_facts *a = argument(c, 0), *b = argument(c, 1);
    char buf[64];
    if (c->dimensions && !is_pure(b)) {
        return refuse(c, "an exponent must be a pure number, not in %s", units(b, buf));
    }
    if (!is_pure(a) && b->constant && isfinite(b->value)) {
        raise(a, b->value, out);
        return true;
    }
    if (c->dimensions && !is_pure(a)) {
        return refuse(c, "the exponent of %s must be a constant", units(a, buf));
    }
    multiply(a, b, 1, out);
    out->dim = pure;
    return true;
}

/* ---- vectors ---- */

static bool need_number(checker *c, size_t i) {
    return argument(c, i)->length == 1 ||
           refuse(c, "%s%s takes numbers, not a vector",
                  c->node->kind == FF_EXPR_CALL ? c->node->text : "this",
                  c->node->kind == FF_EXPR_CALL ? "()" : "");
}

static bool need_numbers(checker *c) {
    for (size_t i = 0; i < c->node->count; i++) {
        if (!need_number(c, i)) {
            return false;
        }
    }
    return true;
}

static bool need_same_length(checker *c, size_t i, size_t j) {
    unsigned a = argument(c, i)->length, b = argument(c, j)->length;
    if (a == b) {
        return true;
    }
    return a == 1 || b == 1 ? refuse(c, "a number and a vector cannot be combined here")
                            : refuse(c, "vectors of length %u and %u cannot be combined", a, b);
}

/* ---- nodes ---- */

static bool check_name(checker *c, ff_expr_facts *out) {
    const ff_expr_name_def *def = ff_expr_scope_name(c->scope, c->node->text);
    if (!def) {
        return refuse_name(c);
    }
    out->length = def->length > 1 ? def->length : 1;
    out->measure = def->measure;
    out->dim = def->measure == FF_MEASURE_KNOWN ? def->dim : pure;
    out->hertz = def->hertz;
    out->constant = def->value && out->length == 1;
    out->value = out->constant ? *def->value : 0;
    return true;
}

static bool check_sum(checker *c, ff_expr_facts *out) {
    const ff_expr_facts *a = argument(c, 0), *b = argument(c, 1);
    char x[64], y[64];
    if (!need_same_length(c, 0, 1)) {
        return false;
    }
    out->length = a->length;
    if (join(c, a, b, out)) {
        return true;
    }
    return c->node->kind == FF_EXPR_ADD
               ? refuse(c, "cannot add %s and %s", units(a, x), units(b, y))
               : refuse(c, "cannot subtract %s from %s", units(b, y), units(a, x));
}

static bool check_product(checker *c, ff_expr_facts *out) {
    const ff_expr_facts *a = argument(c, 0), *b = argument(c, 1);
    bool times = c->node->kind == FF_EXPR_MULTIPLY;
    if (b->length > 1 && !times) {
        return refuse(c, "cannot divide by a vector");
    }
    if (a->length > 1 && b->length > 1) {
        return refuse(c, "cannot multiply two vectors: use dot()");
    }
    out->length = a->length > b->length ? a->length : b->length;
    multiply(a, b, times ? 1 : -1, out);
    return true;
}

static bool check_comparison(checker *c, ff_expr_facts *out) {
    const ff_expr_facts *a = argument(c, 0), *b = argument(c, 1);
    char x[64], y[64];
    if (!need_numbers(c)) {
        return false;
    }
    ff_expr_facts joined;
    *out = number_fact();
    return join(c, a, b, &joined) ||
           refuse(c, "cannot compare %s and %s", units(a, x), units(b, y));
}

/* items of vectors, arguments of min() and similar: all of the same dimension */
static bool check_alike(checker *c, const char *what, size_t first, ff_expr_facts *out) {
    const ff_expr_facts *a = argument(c, first);
    out->length = a->length;
    out->measure = a->measure;
    out->dim = a->dim;
    out->hertz = a->hertz;
    for (size_t i = first + 1; i < c->node->count; i++) {
        ff_expr_facts before = *out;
        char x[64], y[64];
        if (!join(c, &before, argument(c, i), out)) {
            return refuse(c, "%s of %s and %s", what, units(&before, x), units(argument(c, i), y));
        }
    }
    return true;
}

static bool check_known(checker *c, const ff_function *f, ff_expr_facts *out) {
    const ff_expr_facts *a = argument(c, 0);
    char buf[64], what[80];
    snprintf(what, sizeof what, "%s()", f->name);
    bool vectors = f->rule == FF_RULE_IF || f->rule == FF_RULE_DOT || f->rule == FF_RULE_NORM;
    if (!vectors && !need_numbers(c)) {
        return false;
    }
    switch (f->rule) {
    case FF_RULE_PURE:
        if (c->dimensions && !is_pure(a)) {
            return refuse(c, "%s of %s: it takes a pure number or an angle", what, units(a, buf));
        }
        out->measure = a->measure;
        return true;
    case FF_RULE_SAME: return check_alike(c, what, 0, out);
    case FF_RULE_ANGLE:
        if (!check_alike(c, what, 0, out)) {
            return false;
        }
        *out = number_fact();
        return true;
    case FF_RULE_SIGN: *out = number_fact(); return true;
    case FF_RULE_ROOT: raise(a, 0.5, out); return true;
    case FF_RULE_POWER: return check_power(c, out);
    case FF_RULE_IF:
        if (!need_number(c, 0) || !need_same_length(c, 1, 2)) {
            return false;
        }
        if (c->dimensions && !is_pure(a)) {
            return refuse(c, "the condition of if() has the unit %s: compare it with a value",
                          units(a, buf));
        }
        return check_alike(c, what, 1, out);
    case FF_RULE_DOT:
        if (!need_same_length(c, 0, 1)) {
            return false;
        }
        multiply(a, argument(c, 1), 1, out);
        return true;
    case FF_RULE_NORM: raise(a, 1, out); return true;
    }
    return true;
}

static bool check_call(checker *c, ff_expr_facts *out) {
    const ff_expr_function_def *own = own_function(c->scope, c->node->text);
    const ff_function *known = ff_function_find(c->node->text);
    if (!own && !known) {
        return refuse_function(c);
    }
    unsigned least = own ? own->least : known->least, most = own ? own->most : known->most;
    if (c->node->count < least || c->node->count > most) {
        bool more = most > least;
        return refuse(c, "%s() takes %u%s argument%s, not %u", c->node->text, least,
                      more ? " or more" : "", least == 1 && !more ? "" : "s", c->node->count);
    }
    if (!own) {
        return check_known(c, known, out);
    }
    *out = (ff_expr_facts){.length = argument(c, 0)->length, .measure = own->measure};
    if (own->measure == FF_MEASURE_PLAIN) {
        raise(argument(c, 0), 1, out);
    }
    return true;
}

static bool check_vector(checker *c, ff_expr_facts *out) {
    if (!need_numbers(c) || !check_alike(c, "a vector", 0, out)) {
        return false;
    }
    out->length = c->node->count;
    return true;
}

static bool check_item(checker *c, ff_expr_facts *out) {
    const ff_expr_facts *a = argument(c, 0);
    unsigned index = (unsigned)c->node->value;
    if (index >= a->length || a->length == 1) {
        return a->length == 1 ? refuse(c, "a number has no items")
                              : refuse(c, "a vector of %u has no item %u: items are counted from 0",
                                       a->length, index);
    }
    raise(a, 1, out);
    out->hertz = a->hertz;
    return true;
}

static bool check_node(checker *c, ff_expr_facts *out) {
    *out = (ff_expr_facts){.length = 1};
    switch (c->node->kind) {
    case FF_EXPR_NUMBER:
        out->measure = FF_MEASURE_PLAIN;
        out->constant = true;
        out->value = c->node->value;
        return true;
    case FF_EXPR_QUANTITY:
        out->measure = FF_MEASURE_KNOWN;
        out->dim = c->node->dim;
        out->hertz = c->node->hertz;
        out->constant = true;
        out->value = c->node->value;
        return true;
    case FF_EXPR_NAME: return check_name(c, out);
    case FF_EXPR_NEGATE:
        *out = *argument(c, 0);
        out->value = -out->value;
        return true;
    case FF_EXPR_ADD:
    case FF_EXPR_SUBTRACT: return check_sum(c, out);
    case FF_EXPR_MULTIPLY:
    case FF_EXPR_DIVIDE: return check_product(c, out);
    case FF_EXPR_POWER: return need_numbers(c) && check_power(c, out);
    case FF_EXPR_LESS:
    case FF_EXPR_LESS_EQUAL:
    case FF_EXPR_GREATER:
    case FF_EXPR_GREATER_EQUAL:
    case FF_EXPR_EQUAL:
    case FF_EXPR_NOT_EQUAL: return check_comparison(c, out);
    case FF_EXPR_CALL: return check_call(c, out);
    case FF_EXPR_VECTOR: return check_vector(c, out);
    case FF_EXPR_ITEM: return check_item(c, out);
    }
    return true;
}

/* values of constants as far as exponents need them: 3/2, n + 1 */
static void find_value(const checker *c, ff_expr_facts *out) {
    static const ff_op ops[] = {[FF_EXPR_ADD] = FF_OP_ADD,
                                [FF_EXPR_SUBTRACT] = FF_OP_SUBTRACT,
                                [FF_EXPR_MULTIPLY] = FF_OP_MULTIPLY,
                                [FF_EXPR_DIVIDE] = FF_OP_DIVIDE,
                                [FF_EXPR_POWER] = FF_OP_POWER};
    if (c->node->kind < FF_EXPR_ADD || c->node->kind > FF_EXPR_POWER || out->length > 1 ||
        !argument(c, 0)->constant || !argument(c, 1)->constant) {
        return;
    }
    out->constant = true;
    out->value = ff_op_value(ops[c->node->kind], argument(c, 0)->value, argument(c, 1)->value, 0);
}

static bool visit(const ff_expr_pool *pool, ff_expr e, void *user) {
    checker *c = user;
    c->e = e;
    c->node = ff_expr_at(pool, e);
    if (!check_node(c, &c->facts[e])) {
        return false;
    }
    find_value(c, &c->facts[e]);
    return true;
}

ff_status ff_expr_check(const ff_expr_pool *pool, const ff_expr *expressions, size_t count,
                        const ff_expr_scope *scope, bool dimensions, ff_expr_facts *facts,
                        ff_expr_error *error) {
    size_t room = ff_expr_pool_count(pool) + 1;
    checker c = {.pool = pool,
                 .scope = scope,
                 .dimensions = dimensions,
                 .facts = ff_malloc(room * sizeof *c.facts),
                 .error = error};
    if (!c.facts) {
        return FF_NO_MEMORY;
    }
    for (size_t i = 0; i < count && c.status == FF_OK; i++) {
        if (!ff_expr_walk(pool, expressions[i], visit, &c) && c.status == FF_OK) {
            c.status = FF_NO_MEMORY;
        }
        if (c.status == FF_OK && facts) {
            facts[i] = c.facts[expressions[i]];
        }
    }
    ff_free(c.facts);
    return c.status;
}
