/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* Operations of a tape. Constant folding and execution use the same code, so that they give the same bits. */

#include "num/elementary.h"
#include <math.h>

/* a^b. Exponents that are common in mechanics are computed by products and roots: faster, and the same whether or not the
 * exponent is known at compile time. */
static inline double ff_op_power(double a, double b) {
    return b == 2     ? a * a
           : b == 1   ? a
           : b == 0.5 ? sqrt(a)
           : b == 1.5 ? a * sqrt(a)
           : b == 3   ? a * a * a
           : b == -1  ? 1 / a
                      : ff_pow(a, b);
}

/* NAN if either is NAN */
static inline double ff_min(double a, double b) {
    double least = a < b ? a : b;
    return a != a ? a : least;
}
static inline double ff_max(double a, double b) {
    double most = a > b ? a : b;
    return a != a ? a : most;
}

/* returns 0 and NAN unchanged */
static inline double ff_sign(double a) { return a > 0 ? 1 : a < 0 ? -1 : a; }

/* b if a is not 0, otherwise c; NAN if a is NAN. The other branch may have any value. */
static inline double ff_select(double a, double b, double c) { return a == 0 ? c : a != a ? a : b; }

/* name, number of operands, result in terms of a, b, c */
#define FF_OPS_PLAIN(X)                                                                            \
    X(COPY, 1, a)                                                                                  \
    X(NEGATE, 1, -a)                                                                               \
    X(ADD, 2, a + b)                                                                               \
    X(SUBTRACT, 2, a - b)                                                                          \
    X(MULTIPLY, 2, (a * b))                                                                        \
    X(DIVIDE, 2, a / b)                                                                            \
    X(LESS, 2, a < b)                                                                              \
    X(LESS_EQUAL, 2, a <= b)                                                                       \
    X(EQUAL, 2, a == b)                                                                            \
    X(NOT_EQUAL, 2, a != b)                                                                        \
    X(SELECT, 3, ff_select(a, b, c))                                                               \
    X(MIN, 2, ff_min(a, b))                                                                        \
    X(MAX, 2, ff_max(a, b))                                                                        \
    X(ABS, 1, fabs(a))                                                                             \
    X(SIGN, 1, ff_sign(a))                                                                         \
    X(SQRT, 1, sqrt(a))

/* Operations that call functions on some machines. */
#define FF_OPS_CALLS(X)                                                                            \
    X(POWER, 2, ff_op_power(a, b))                                                                 \
    X(FLOOR, 1, floor(a))                                                                          \
    X(CEIL, 1, ceil(a))                                                                            \
    X(HYPOT, 2, ff_hypot(a, b))                                                                    \
    X(SIN, 1, ff_sin(a))                                                                           \
    X(COS, 1, ff_cos(a))                                                                           \
    X(TAN, 1, ff_tan(a))                                                                           \
    X(ASIN, 1, ff_asin(a))                                                                         \
    X(ACOS, 1, ff_acos(a))                                                                         \
    X(ATAN, 1, ff_atan(a))                                                                         \
    X(ATAN2, 2, ff_atan2(a, b))                                                                    \
    X(SINH, 1, ff_sinh(a))                                                                         \
    X(COSH, 1, ff_cosh(a))                                                                         \
    X(TANH, 1, ff_tanh(a))                                                                         \
    X(EXP, 1, ff_exp(a))                                                                           \
    X(LOG, 1, ff_log(a))

/* Two operations in one step: (a . b) . c and c . (a . b), each rounded separately. */
#define FF_OPS_PAIRS(X)                                                                            \
    X(ADD_ADD, 3, (a + b) + c)                                                                     \
    X(SUBTRACT_ADD, 3, (a - b) + c)                                                                \
    X(MULTIPLY_ADD, 3, (a * b) + c)                                                                \
    X(ADD_SUBTRACT, 3, (a + b) - c)                                                                \
    X(SUBTRACT_SUBTRACT, 3, (a - b) - c)                                                           \
    X(MULTIPLY_SUBTRACT, 3, (a * b) - c)                                                           \
    X(ADD_MULTIPLY, 3, (a + b) * c)                                                                \
    X(SUBTRACT_MULTIPLY, 3, (a - b) * c)                                                           \
    X(MULTIPLY_MULTIPLY, 3, (a * b) * c)                                                           \
    X(ADD_DIVIDE, 3, (a + b) / c)                                                                  \
    X(SUBTRACT_DIVIDE, 3, (a - b) / c)                                                             \
    X(MULTIPLY_DIVIDE, 3, (a * b) / c)                                                             \
    X(FROM_ADD, 3, c - (a + b))                                                                    \
    X(FROM_SUBTRACT, 3, c - (a - b))                                                               \
    X(FROM_MULTIPLY, 3, c - (a * b))                                                               \
    X(BY_ADD, 3, c / (a + b))                                                                      \
    X(BY_SUBTRACT, 3, c / (a - b))                                                                 \
    X(BY_MULTIPLY, 3, c / (a * b))

/* operations without calls come first */
#define FF_OPS(X) FF_OPS_PLAIN(X) FF_OPS_PAIRS(X) FF_OPS_CALLS(X)

typedef enum ff_op {
#define FF_OP_ENUM(name, count, result) FF_OP_##name,
    FF_OPS(FF_OP_ENUM)
#undef FF_OP_ENUM
        FF_OP_COUNT,
    FF_OP_CALLS = FF_OP_POWER
} ff_op;

/* the result of an operation */
double ff_op_value(ff_op op, double a, double b, double c);
