/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* What names and functions mean, and whether an expression makes sense with them. */

#include "op.h"
#include "tree.h"

/* What is known of the dimension of something. */
typedef enum ff_measure {
    FF_MEASURE_FREE, /* nothing: it goes with everything, and so does all it is part of */
    FF_MEASURE_PLAIN, /* a number without a unit: 1 in products, else in the SI unit of what it meets */
    FF_MEASURE_KNOWN
} ff_measure;

typedef struct ff_expr_name_def {
    const char *name;
    unsigned length; /* of a vector; 0 or 1: a number */
    ff_measure measure;
    ff_dimension dim;    /* where it is known */
    bool hertz;          /* a frequency, which is no angular velocity */
    const double *value; /* of a constant, `length` of them; NULL: an input */
} ff_expr_name_def;

/* A function of the caller's own. Its result has the length of its first argument. */
typedef struct ff_expr_function_def {
    const char *name;
    unsigned least, most; /* how many arguments */
    ff_measure measure; /* of the result; KNOWN: a pure number, PLAIN: that of the first argument */
} ff_expr_function_def;

typedef struct ff_expr_scope {
    const ff_expr_name_def *names;
    size_t name_count;
    const ff_expr_function_def *functions;
    size_t function_count;
} ff_expr_scope;

/* What is known of an expression. */
typedef struct ff_expr_facts {
    unsigned length; /* 1: a number */
    ff_measure measure;
    ff_dimension dim;
    bool hertz, constant;
    double value; /* of a constant that is a number */
} ff_expr_facts;

/* Checks expressions of a pool: that names and functions are known, how many arguments they have, how long
 * vectors are, and, if `dimensions`, that those fit. facts: one for each expression, or NULL. Returns
 * FF_BAD_VALUE with the reason in error, or FF_NO_MEMORY. */
ff_status ff_expr_check(const ff_expr_pool *pool, const ff_expr *expressions, size_t count,
                        const ff_expr_scope *scope, bool dimensions, ff_expr_facts *facts,
                        ff_expr_error *error);

/* What a known function takes and does. */
typedef enum ff_rule {
    FF_RULE_PURE,  /* pure numbers, gives one */
    FF_RULE_SAME,  /* numbers of one dimension, gives it */
    FF_RULE_SIGN,  /* any number, gives a pure one */
    FF_RULE_ANGLE, /* numbers of one dimension, gives a pure one */
    FF_RULE_ROOT,
    FF_RULE_POWER,
    FF_RULE_IF,
    FF_RULE_DOT,
    FF_RULE_NORM
} ff_rule;

typedef struct ff_function {
    const char *name;
    unsigned least, most; /* how many arguments */
    ff_rule rule;
    ff_op op;
} ff_function;

/* NULL where there is none of that name */
const ff_function *ff_function_find(const char *name);
const ff_function *ff_function_at(size_t i);

/* The meaning of a name, NULL where it has none; pi is known everywhere. */
const ff_expr_name_def *ff_expr_scope_name(const ff_expr_scope *scope, const char *name);
