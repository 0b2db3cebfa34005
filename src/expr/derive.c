/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "derive.h"
#include "num/memory.h"
#include "scope.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Rates are propagated by the chain rule, arguments first. A zero rate is represented by 0, which is not a node: sums and
 * products omit it, so that results are as short as if written by hand. */

typedef struct {
    ff_expr_pool *pool;
    const char *const *names;
    const ff_expr *rates;
    size_t count;
    ff_expr *slopes; /* rates of the nodes so far */
    ff_expr_error *error;
} deriver;

/* ---- constructors ---- */

static bool is_number(const deriver *d, ff_expr e, double value) {
    const ff_expr_node *node = ff_expr_at(d->pool, e);
    return e && node->kind == FF_EXPR_NUMBER && node->value == value;
}

static ff_expr number(deriver *d, double value) { return ff_expr_number(d->pool, value); }

static ff_expr call(deriver *d, const char *function, ff_expr a) {
    return ff_expr_call(d->pool, function, &a, 1);
}

static ff_expr call_two(deriver *d, const char *function, ff_expr a, ff_expr b) {
    return ff_expr_call(d->pool, function, (ff_expr[]){a, b}, 2);
}

static ff_expr times(deriver *d, ff_expr a, ff_expr b) {
    return is_number(d, a, 1)   ? b
           : is_number(d, b, 1) ? a
                                : ff_expr_binary(d->pool, FF_EXPR_MULTIPLY, a, b);
}

static ff_expr over(deriver *d, ff_expr a, ff_expr b) {
    return ff_expr_binary(d->pool, FF_EXPR_DIVIDE, a, b);
}

static ff_expr plus(deriver *d, ff_expr a, ff_expr b) {
    return ff_expr_binary(d->pool, FF_EXPR_ADD, a, b);
}

static ff_expr minus(deriver *d, ff_expr a, ff_expr b) {
    return ff_expr_binary(d->pool, FF_EXPR_SUBTRACT, a, b);
}

static ff_expr squared(deriver *d, ff_expr a) {
    return ff_expr_binary(d->pool, FF_EXPR_POWER, a, number(d, 2));
}

/* sum of two rates, either of which may be zero */
static ff_expr sum(deriver *d, ff_expr a, ff_expr b) { return a && b ? plus(d, a, b) : a ? a : b; }

static ff_expr difference(deriver *d, ff_expr a, ff_expr b) {
    return a && b ? minus(d, a, b) : b ? ff_expr_negate(d->pool, b) : a;
}

/* factor times a rate that may be zero */
static ff_expr scaled(deriver *d, ff_expr factor, ff_expr rate) {
    return rate ? times(d, factor, rate) : 0;
}

/* ---- rules ---- */

/* (a^b)' = b a^(b - 1) a' if b is constant, otherwise a^b (b' log a + b a'/a) */
static ff_expr power_rate(deriver *d, ff_expr e, ff_expr a, ff_expr b) {
    ff_expr da = d->slopes[a], db = d->slopes[b];
    if (db) {
        ff_expr part = da ? over(d, times(d, b, da), a) : 0;
        return times(d, e, sum(d, times(d, db, call(d, "log", a)), part));
    }
    if (!da) {
        return 0;
    }
    const ff_expr_node node = *ff_expr_at(d->pool, b);
    if (node.kind != FF_EXPR_NUMBER) {
        ff_expr less = minus(d, b, number(d, 1));
        return times(d, times(d, b, ff_expr_binary(d->pool, FF_EXPR_POWER, a, less)), da);
    }
    if (node.value == 0 || node.value == 1) {
        return node.value == 0 ? 0 : da;
    }
    ff_expr less =
        node.value == 2 ? a : ff_expr_binary(d->pool, FF_EXPR_POWER, a, number(d, node.value - 1));
    return times(d, times(d, b, less), da);
}

/* min and max: the rate of the selected argument, the first of equal ones */
static ff_expr choice_rate(deriver *d, ff_expr e, const char *function, size_t count) {
    ff_expr best = ff_expr_argument(d->pool, e, 0), rate = d->slopes[best];
    ff_expr_kind kind = strcmp(function, "min") == 0 ? FF_EXPR_LESS : FF_EXPR_GREATER;
    for (size_t i = 1; i < count; i++) {
        ff_expr next = ff_expr_argument(d->pool, e, i), slope = d->slopes[next];
        if (rate || slope) {
            ff_expr taken = ff_expr_binary(d->pool, kind, next, best);
            ff_expr arms[] = {taken, slope ? slope : number(d, 0), rate ? rate : number(d, 0)};
            rate = ff_expr_call(d->pool, "if", arms, 3);
        }
        best = call_two(d, function, best, next);
    }
    return rate;
}

/* a constant branch of an if() has a rate of 0 times itself, so that the vector length is kept */
static ff_expr arm_rate(deriver *d, ff_expr arm) {
    return d->slopes[arm] ? d->slopes[arm] : times(d, number(d, 0), arm);
}

/* f(u)' = f'(u) u' */
static ff_expr chain_rate(deriver *d, ff_op op, ff_expr e, ff_expr u) {
    ff_expr du = d->slopes[u], one = number(d, 1);
    switch (op) {
    case FF_OP_SIN: return times(d, call(d, "cos", u), du);
    case FF_OP_COS: return ff_expr_negate(d->pool, times(d, call(d, "sin", u), du));
    case FF_OP_TAN: return times(d, plus(d, one, squared(d, e)), du);
    case FF_OP_ASIN: return over(d, du, call(d, "sqrt", minus(d, one, squared(d, u))));
    case FF_OP_ACOS:
        return ff_expr_negate(d->pool, over(d, du, call(d, "sqrt", minus(d, one, squared(d, u)))));
    case FF_OP_ATAN: return over(d, du, plus(d, one, squared(d, u)));
    case FF_OP_SINH: return times(d, call(d, "cosh", u), du);
    case FF_OP_COSH: return times(d, call(d, "sinh", u), du);
    case FF_OP_TANH: return times(d, minus(d, one, squared(d, e)), du);
    case FF_OP_SQRT: return over(d, du, times(d, number(d, 2), e));
    case FF_OP_EXP: return times(d, e, du);
    case FF_OP_LOG: return over(d, du, u);
    case FF_OP_ABS: return times(d, call(d, "sign", u), du);
    default: return 0; /* sign, floor and ceil are constant between their jumps */
    }
}

static bool call_rate(deriver *d, ff_expr e, const ff_expr_node *node, ff_expr *out) {
    const ff_function *f = ff_function_find(node->text);
    if (!f) {
        d->error->column = node->column;
        snprintf(d->error->text, sizeof d->error->text, "%s() has no derivative", node->text);
        return false;
    }
    ff_expr a = ff_expr_argument(d->pool, e, 0);
    ff_expr b = node->count > 1 ? ff_expr_argument(d->pool, e, 1) : 0;
    ff_expr da = d->slopes[a], db = b ? d->slopes[b] : 0;
    if (f->rule == FF_RULE_IF) {
        ff_expr c = ff_expr_argument(d->pool, e, 2);
        *out = db || d->slopes[c]
                   ? ff_expr_call(d->pool, "if", (ff_expr[]){a, arm_rate(d, b), arm_rate(d, c)}, 3)
                   : 0;
    } else if (f->rule == FF_RULE_POWER) {
        *out = power_rate(d, e, a, b);
    } else if (f->op == FF_OP_MIN || f->op == FF_OP_MAX) {
        *out = choice_rate(d, e, node->text, node->count);
    } else if (f->rule == FF_RULE_DOT) {
        *out = sum(d, da ? call_two(d, "dot", da, b) : 0, db ? call_two(d, "dot", a, db) : 0);
    } else if (f->rule == FF_RULE_NORM) {
        *out = da ? over(d, call_two(d, "dot", a, da), e) : 0;
    } else if (f->op == FF_OP_HYPOT) {
        *out = da || db ? over(d, sum(d, scaled(d, a, da), scaled(d, b, db)), e) : 0;
    } else if (f->op == FF_OP_ATAN2) {
        /* of y and x: (x y' - y x')/(x^2 + y^2) */
        *out = da || db ? over(d, difference(d, scaled(d, b, da), scaled(d, a, db)),
                               plus(d, squared(d, b), squared(d, a)))
                        : 0;
    } else {
        *out = da ? chain_rate(d, f->op, e, a) : 0;
    }
    return true;
}

static ff_expr vector_rate(deriver *d, ff_expr e, size_t count) {
    ff_expr items[FF_EXPR_ITEMS];
    bool changes = false;
    for (size_t i = 0; i < count; i++) {
        ff_expr slope = d->slopes[ff_expr_argument(d->pool, e, i)];
        changes = changes || slope;
        items[i] = slope ? slope : number(d, 0);
    }
    return changes ? ff_expr_vector(d->pool, items, count) : 0;
}

static ff_expr item_rate(deriver *d, ff_expr rate, size_t index) {
    if (!rate || ff_expr_at(d->pool, rate)->kind != FF_EXPR_VECTOR) {
        return rate ? ff_expr_item(d->pool, rate, index) : 0;
    }
    ff_expr item = ff_expr_argument(d->pool, rate, index);
    return is_number(d, item, 0) ? 0 : item;
}

static ff_expr name_rate(const deriver *d, const char *name) {
    for (size_t i = 0; i < d->count; i++) {
        if (strcmp(d->names[i], name) == 0) {
            return is_number(d, d->rates[i], 0) ? 0 : d->rates[i];
        }
    }
    return 0;
}

static bool visit(const ff_expr_pool *pool, ff_expr e, void *user) {
    deriver *d = user;
    const ff_expr_node node = *ff_expr_at(pool, e);
    ff_expr a = node.count > 0 ? ff_expr_argument(pool, e, 0) : 0;
    ff_expr b = node.count > 1 ? ff_expr_argument(pool, e, 1) : 0;
    ff_expr da = a ? d->slopes[a] : 0, db = b ? d->slopes[b] : 0, rate = 0;
    switch (node.kind) {
    case FF_EXPR_NAME: rate = name_rate(d, node.text); break;
    case FF_EXPR_NEGATE: rate = da ? ff_expr_negate(d->pool, da) : 0; break;
    case FF_EXPR_ADD: rate = sum(d, da, db); break;
    case FF_EXPR_SUBTRACT: rate = difference(d, da, db); break;
    case FF_EXPR_MULTIPLY: rate = sum(d, da ? times(d, da, b) : 0, db ? times(d, a, db) : 0); break;
    case FF_EXPR_DIVIDE:
        rate = difference(d, da ? over(d, da, b) : 0,
                          db ? over(d, times(d, a, db), squared(d, b)) : 0);
        break;
    case FF_EXPR_POWER: rate = power_rate(d, e, a, b); break;
    case FF_EXPR_CALL:
        if (!call_rate(d, e, &node, &rate)) {
            return false;
        }
        break;
    case FF_EXPR_VECTOR: rate = vector_rate(d, e, node.count); break;
    case FF_EXPR_ITEM: rate = item_rate(d, da, (size_t)node.value); break;
    default: break; /* numbers, and comparisons, which are constant between their jumps */
    }
    d->slopes[e] = rate;
    return ff_expr_pool_status(pool) == FF_OK;
}

ff_expr ff_expr_rate(ff_expr_pool *pool, ff_expr e, const char *const *names, const ff_expr *rates,
                     size_t count, ff_expr_error *error) {
    deriver d = {pool, names, rates, count, ff_calloc((size_t)e + 1, sizeof *d.slopes), error};
    *error = (ff_expr_error){0};
    bool good = d.slopes && ff_expr_walk(pool, e, visit, &d);
    ff_expr rate = good ? d.slopes[e] : 0;
    ff_free(d.slopes);
    if (!good) {
        if (error->text[0] == '\0') {
            snprintf(error->text, sizeof error->text, "%s",
                     ff_expr_pool_status(pool) == FF_BAD_VALUE ? "its derivative is too long"
                                                               : "out of memory");
        }
        return 0;
    }
    return rate ? rate : ff_expr_number(pool, 0);
}
