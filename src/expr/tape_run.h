/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* What the compiler of tapes and their runner share. */

#include "op.h"
#include "tape.h"
#include <stddef.h>
#include <stdint.h>

/* w[to] = operation(w[a], w[b], w[c]) */
typedef struct ff_step {
    const void *operation;
    uint32_t a, b, c, to;
} ff_step;

/* A step. `last` is 1, 2 or 3 where the first, second or third operand is the result of the step before, which need
 * not go through memory, or 0. FF_OP_COUNT ends a group. */
ff_step ff_step_of(ff_op op, uint32_t last, const uint32_t with[3], uint32_t to);

struct ff_tape {
    ff_step *steps;        /* those of all groups, each with an end */
    const ff_step **first; /* of each group */
    size_t *places;        /* of the outputs */
    double *constants;
    size_t step_count, group_count, input_count, constant_count, output_count, room;
};
