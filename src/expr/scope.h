/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* The meaning of names and functions, and checks of expressions. */

#include "op.h"
#include "tree.h"

/* What is known about a dimension. */
typedef enum ff_measure {
    /* unknown: compatible with everything, and so is every expression that contains it */
    FF_MEASURE_FREE,
    /* a number without a unit: dimensionless in products, otherwise in the SI unit of the other operand */
    FF_MEASURE_PLAIN,
    FF_MEASURE_KNOWN
} ff_measure;

typedef struct ff_expr_name_def {
    const char *name;
    unsigned length; /* length of a vector; 0 or 1: a number */
    ff_measure measure;
    ff_dimension dim;    /* if it is known */
    bool hertz;          /* a frequency, which is not an angular velocity */
    const double *value; /* `length` values of a constant; NULL: an input */
} ff_expr_name_def;

/* A function defined by the caller. Its result has the length of its first argument. */
typedef struct ff_expr_function_def {
    const char *name;
    unsigned least, most; /* number of arguments */
    ff_measure measure; /* of the result; KNOWN: dimensionless, PLAIN: that of the first argument */
} ff_expr_function_def;

typedef struct ff_expr_scope {
    const ff_expr_name_def *names;
    size_t name_count;
    const ff_expr_function_def *functions;
    size_t function_count;
} ff_expr_scope;

/* What is known about an expression. */
typedef struct ff_expr_facts {
    unsigned length; /* 1: a number */
    ff_measure measure;
    ff_dimension dim;
    bool hertz, constant;
    double value; /* value of a scalar constant */
} ff_expr_facts;

/* Checks expressions of a pool: known names and functions, numbers of arguments, lengths of vectors, and, if `dimensions`,
 * dimensions. facts: one for each expression, or NULL. Returns FF_BAD_VALUE with the reason in error, or FF_NO_MEMORY. */
ff_status ff_expr_check(const ff_expr_pool *pool, const ff_expr *expressions, size_t count,
                        const ff_expr_scope *scope, bool dimensions, ff_expr_facts *facts,
                        ff_expr_error *error);

/* Dimensions of the arguments and result of a function. */
typedef enum ff_rule {
    FF_RULE_PURE,  /* dimensionless arguments and result */
    FF_RULE_SAME,  /* arguments and result of the same dimension */
    FF_RULE_SIGN,  /* any number, dimensionless result */
    FF_RULE_ANGLE, /* numbers of the same dimension, dimensionless result */
    FF_RULE_ROOT,
    FF_RULE_POWER,
    FF_RULE_IF,
    FF_RULE_DOT,
    FF_RULE_NORM
} ff_rule;

typedef struct ff_function {
    const char *name;
    unsigned least, most; /* number of arguments */
    ff_rule rule;
    ff_op op;
} ff_function;

/* NULL if there is none of that name */
const ff_function *ff_function_find(const char *name);
const ff_function *ff_function_at(size_t i);

/* The definition of a name; NULL if there is none. pi is always defined. */
const ff_expr_name_def *ff_expr_scope_name(const ff_expr_scope *scope, const char *name);
