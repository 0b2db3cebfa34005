/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* Expressions compiled to a list of operations on an array of numbers: inputs, constants, results. */

#include "scope.h"

/* A compiled tape; immutable, may be shared by threads. */
typedef struct ff_tape ff_tape;

/* Compiles expressions of a pool in groups that can be run one after another: group g has counts[g] of the outputs, in
 * order. Common parts of groups are computed once, in the first group that needs them. Names of the scope without a value
 * are inputs, in scope order; inputs of later groups may be set between groups. A vector output takes as many places as it
 * has components. Constants are folded and equal parts computed once; results are those of the same expressions in C,
 * evaluated from left to right in double, except that x^2, x^3, x^0.5, x^1.5, x^1 and x^-1 are products, roots and
 * quotients. Functions defined in the scope are refused: the caller must have replaced them. Dimensions are not checked.
 * Outputs of the first `ordered` groups are contiguous in `work`. Returns FF_BAD_VALUE with the reason in error, or
 * FF_NO_MEMORY. */
ff_status ff_tape_compile(const ff_expr_pool *pool, const ff_expr *outputs, const size_t *counts,
                          size_t group_count, size_t ordered, const ff_expr_scope *scope,
                          ff_tape **out, ff_expr_error *error);
void ff_tape_free(ff_tape *tape);

/* number of inputs and outputs, counting vector components; number of operations without copies */
size_t ff_tape_inputs(const ff_tape *tape);
size_t ff_tape_outputs(const ff_tape *tape);
size_t ff_tape_length(const ff_tape *tape);
/* A hash of what the tape computes: operations, constants and positions of outputs. Equal for the same expressions in one
 * build of the library. */
uint64_t ff_tape_version(const ff_tape *tape);

/* Number of doubles in `work`; and initialisation of such an array, needed once. The caller writes the inputs to its first
 * elements. */
size_t ff_tape_room(const ff_tape *tape);
void ff_tape_begin(const ff_tape *tape, double *work);

/* Runs one group; the groups before it must have been run with these inputs. */
void ff_tape_run(const ff_tape *tape, size_t group, double *work);

/* Index of output i in `work`, after its group has been run. */
size_t ff_tape_place(const ff_tape *tape, size_t i);

/* Evaluates all groups: copies `inputs` to `work` and the outputs from it. */
void ff_tape_evaluate(const ff_tape *tape, const double *inputs, double *work, double *outputs);

/* The value of an expression without inputs; of a vector the first `length` components. FF_BAD_VALUE if it has inputs. */
ff_status ff_expr_value(const ff_expr_pool *pool, ff_expr e, const ff_expr_scope *scope,
                        double *values, size_t length, ff_expr_error *error);
