/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* Expressions compiled to a list of operations on an array of numbers: inputs, constants, results. */

#include "scope.h"

/* Compiled; never changes, and may be shared by threads. */
typedef struct ff_tape ff_tape;

/* Compiles expressions of a pool, in groups that can be run one after another: group g has counts[g] of the
 * outputs, in their order. What groups share is done once, in the first that needs it. Names of the scope
 * without a value are inputs, in its order; those of later groups may be filled in between. An output that
 * is a vector takes as many places as it has items. Constants are folded, and equal parts done once; results
 * are those of the same expressions in C, from left to right in double, except that x^2, x^3, x^0.5, x^1.5,
 * x^1 and x^-1 are products, roots and quotients. Functions of the scope's own are refused: whoever gave
 * them must have replaced them. Dimensions are not looked at. Outputs of the
 * first `ordered` groups stand in `work` one after another. Returns FF_BAD_VALUE with the reason in error,
 * or FF_NO_MEMORY. */
ff_status ff_tape_compile(const ff_expr_pool *pool, const ff_expr *outputs, const size_t *counts,
                          size_t group_count, size_t ordered, const ff_expr_scope *scope,
                          ff_tape **out, ff_expr_error *error);
void ff_tape_free(ff_tape *tape);

/* how many numbers go in and come out, vectors by their items; how many operations a run
 * takes, without copies */
size_t ff_tape_inputs(const ff_tape *tape);
size_t ff_tape_outputs(const ff_tape *tape);
size_t ff_tape_length(const ff_tape *tape);
/* A hash of what it computes: operations, constants and where outputs are. Equal for the same expressions in one build of
 * the library. */
uint64_t ff_tape_version(const ff_tape *tape);

/* How many doubles `work` must have room for; and what makes such an array ready, once. Inputs are its first
 * entries, and the caller writes them there. */
size_t ff_tape_room(const ff_tape *tape);
void ff_tape_begin(const ff_tape *tape, double *work);

/* Runs one group; the groups before it have been run with these inputs. */
void ff_tape_run(const ff_tape *tape, size_t group, double *work);

/* Where output i is in `work`, once its group has been run. */
size_t ff_tape_place(const ff_tape *tape, size_t i);

/* Evaluates all groups: copies `inputs` into `work` and `outputs` out of it. */
void ff_tape_evaluate(const ff_tape *tape, const double *inputs, double *work, double *outputs);

/* The value of an expression without inputs; of a vector the first `length` items. FF_BAD_VALUE where it has some. */
ff_status ff_expr_value(const ff_expr_pool *pool, ff_expr e, const ff_expr_scope *scope,
                        double *values, size_t length, ff_expr_error *error);
