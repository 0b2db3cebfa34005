/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* What the compiler of tapes and their runner share. */

#include "op.h"
#include "tape.h"
#include <stddef.h>
#include <stdint.h>

/* w[to] = op(w[a], w[b], w[c]). op is 4 times an ff_op, and 1, 2 or 3 more where the first, second or third
 * operand is the result of the step before, which need not go through memory. */
typedef struct ff_step {
    uint32_t op, a, b, c, to;
} ff_step;

/* other steps: the end of a group; w[to + i] = w[a + i] for i < b */
enum { FF_STEP_END = 4 * FF_OP_COUNT, FF_STEP_COPY };

struct ff_tape {
    ff_step *steps;        /* those of all groups, each with an end */
    const ff_step **first; /* of each group */
    size_t *places;        /* of the outputs */
    double *constants;
    size_t step_count, group_count, input_count, constant_count, output_count, room;
};
