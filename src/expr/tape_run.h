/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* What the compiler of tapes and their runner share. */

#include "op.h"
#include <stddef.h>
#include <stdint.h>

/* result = op(w[a], w[b], w[c]); results follow each other in w. op is 4 times an ff_op, and 1, 2 or 3 more
 * where the first, second or third operand is the result of the step before, which need not go through
 * memory. 4 FF_OP_COUNT ends a group. */
typedef struct ff_step {
    uint32_t op, a, b, c;
} ff_step;

/* Runs steps up to the end of the group, writing results from `result` on. */
void ff_steps_run(const ff_step *step, const double *w, double *result);
