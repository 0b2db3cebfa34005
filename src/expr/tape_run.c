/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "tape_run.h"

double ff_op_value(ff_op op, double a, double b, double c) {
    (void)b, (void)c;
    switch (op) {
#define VALUE(name, count, result)                                                                 \
    case FF_OP_##name: return result;
        FF_OPS(VALUE)
#undef VALUE
    case FF_OP_COUNT: break;
    }
    return (double)NAN;
}

#if defined(__GNUC__)

/* Each step contains the address of its operation's code and jumps to the next one directly, which branch predictors handle
 * better than one common jump; gcc must be prevented from merging the jumps. */
#pragma GCC diagnostic ignored "-Wpedantic"
#if defined(__clang__)
#define OWN_JUMPS
#else
#define OWN_JUMPS __attribute__((optimize("no-gcse", "no-crossjumping")))
#endif

/* Jumps cost more than additions: two steps of these operations are combined into one, in any order and with any operands. */
#define SIMPLE(X) X(COPY) X(ADD) X(SUBTRACT) X(MULTIPLY)
enum {
#define NUMBER(name) simple_##name,
    SIMPLE(NUMBER)
#undef NUMBER
        SIMPLE_COUNT,
    NOT_SIMPLE = SIMPLE_COUNT
};
#define DO_COPY(s) w[(s)->a]
#define DO_ADD(s) w[(s)->a] + w[(s)->b]
#define DO_SUBTRACT(s) w[(s)->a] - w[(s)->b]
#define DO_MULTIPLY(s) (w[(s)->a] * w[(s)->b])

/* number of variants of an operation: by the positions of its operands, each continuing or ending the group */
enum { KINDS = 8, GOES_ON = 0, ENDS = 1 };

/* code without calls has no registers to save */
#define RUN run_plain
#define OPS(X) FF_OPS_PLAIN(X) FF_OPS_PAIRS(X)
#include "tape_steps.inc"
#undef RUN
#undef OPS
#define RUN run_any
#define OPS(X) FF_OPS(X)
#include "tape_steps.inc"

void ff_tape_run(const ff_tape *tape, size_t group, double *work) {
    const ff_group *g = &tape->groups[group];
    g->run(g->first, work);
}

static size_t simple(ff_op op) {
    switch (op) {
#define CASE(name)                                                                                 \
    case FF_OP_##name: return simple_##name;
        SIMPLE(CASE)
#undef CASE
    default: return NOT_SIMPLE;
    }
}

ff_group ff_group_make(const ff_raw_step *raw, size_t count, ff_step *steps) {
    bool calls = false;
    for (size_t i = 0; i < count; i++) {
        calls = calls || raw[i].op >= FF_OP_CALLS;
    }
    ff_runner *const run = calls ? run_any : run_plain;
    const void *const *labels = run(NULL, NULL);
    const void *const *pairs = labels + KINDS * (calls ? FF_OP_COUNT : FF_OP_CALLS);
    for (size_t i = 0; i < count; i++) {
        const ff_raw_step *r = &raw[i];
        const size_t ends = i + 1 == count ? ENDS : GOES_ON;
        steps[i] = (ff_step){labels[KINDS * r->op + 4 * ends + r->last], r->with[0], r->with[1],
                             r->with[2], r->to};
    }
    /* the second of two combined steps is skipped */
    for (size_t i = 0; i + 1 < count; i++) {
        const size_t x = simple(raw[i].op), y = simple(raw[i + 1].op);
        if (x != NOT_SIMPLE && y != NOT_SIMPLE) {
            const size_t ends = i + 2 == count ? ENDS : GOES_ON;
            steps[i++].operation = pairs[2 * (SIMPLE_COUNT * x + y) + ends];
        }
    }
    if (count == 0) {
        steps[0] = (ff_step){pairs[2 * SIMPLE_COUNT * SIMPLE_COUNT], 0, 0, 0, 0};
    }
    return (ff_group){steps, run};
}

#else

/* operations are identified by their number */
static const char ops[FF_OP_COUNT + 1];

static const void *const *run(const ff_step *step, double *w) {
    for (; step->operation != ops + FF_OP_COUNT; step++) {
        ff_op op = (ff_op)((const char *)step->operation - ops);
        w[step->to] = ff_op_value(op, w[step->a], w[step->b], w[step->c]);
    }
    return NULL;
}

ff_group ff_group_make(const ff_raw_step *raw, size_t count, ff_step *steps) {
    for (size_t i = 0; i < count; i++) {
        const ff_raw_step *r = &raw[i];
        steps[i] = (ff_step){ops + r->op, r->with[0], r->with[1], r->with[2], r->to};
    }
    steps[count] = (ff_step){ops + FF_OP_COUNT, 0, 0, 0, 0};
    return (ff_group){steps, run};
}

void ff_tape_run(const ff_tape *tape, size_t group, double *work) {
    run(tape->groups[group].first, work);
}

#endif
