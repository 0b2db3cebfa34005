/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* Shared definitions of the tape compiler and the tape interpreter. */

#include "op.h"
#include "tape.h"
#include <stddef.h>
#include <stdint.h>

/* w[to] = operation(w[a], w[b], w[c]) */
typedef struct ff_step {
    const void *operation;
    uint32_t a, b, c, to;
} ff_step;

/* A step with its operation by number. `last` is 1, 2 or 3 if the first, second or third operand is the result of the
 * previous step, which is then kept in a register, otherwise 0. FF_OP_COUNT ends a group. */
typedef struct ff_raw_step {
    ff_op op;
    uint32_t last, with[3], to;
} ff_raw_step;

/* Runs a group; the return value is not used. */
typedef const void *const *ff_runner(const ff_step *first, double *work);

typedef struct ff_group {
    const ff_step *first;
    ff_runner *run;
} ff_group;

/* Creates the steps of a group; `steps` has room for an end marker. */
ff_group ff_group_make(const ff_raw_step *raw, size_t count, ff_step *steps);

struct ff_tape {
    ff_step *steps; /* steps of all groups, each with an end marker */
    ff_group *groups;
    ff_raw_step *raw;   /* steps of all groups with numbered operations, for series.c */
    size_t *group_ends; /* end of each group in raw */
    size_t *places;     /* indices of the outputs */
    double *constants;
    size_t step_count, group_count, input_count, constant_count, output_count, room;
    uint64_t version;
};
