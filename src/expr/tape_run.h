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

/* A step with its operation by number. `last` is 1, 2 or 3 where the first, second or third operand is the result of
 * the step before, which need not go through memory, or 0. FF_OP_COUNT ends a group. */
typedef struct ff_raw_step {
    ff_op op;
    uint32_t last, with[3], to;
} ff_raw_step;

/* What runs a group; the result is nobody's business. */
typedef const void *const *ff_runner(const ff_step *first, double *work);

typedef struct ff_group {
    const ff_step *first;
    ff_runner *run;
} ff_group;

/* Makes the steps of a group, with room for an end. */
ff_group ff_group_make(const ff_raw_step *raw, size_t count, ff_step *steps);

struct ff_tape {
    ff_step *steps; /* those of all groups, each with an end */
    ff_group *groups;
    size_t *places; /* of the outputs */
    double *constants;
    size_t step_count, group_count, input_count, constant_count, output_count, room;
    uint64_t version;
};
