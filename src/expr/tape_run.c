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

/* Every step knows the address of its operation and of the next one by itself, which branch predictors like better
 * than one common jump; gcc must be told to leave it so. */
#pragma GCC diagnostic ignored "-Wpedantic"
#if defined(__clang__)
#define OWN_JUMPS
#else
#define OWN_JUMPS __attribute__((optimize("no-gcse", "no-crossjumping")))
#endif

/* Without a step, where operations are: only this function can say it. */
OWN_JUMPS static const void *const *run(const ff_step *step, double *w) {
    static const void *const labels[] = {
#define LABELS(name, count, value)                                                                 \
    &&none_##name, &&first_##name, (count) > 1 ? &&second_##name : &&none_##name,                  \
        (count) > 2 ? &&third_##name : &&none_##name,
        FF_OPS(LABELS)
#undef LABELS
        && end};
    double last = 0;
    if (!step) {
        return labels;
    }
    goto * step->operation;
#define DO(label, x, y, z, value)                                                                  \
    label : {                                                                                      \
        const double a = x, b = y, c = z;                                                          \
        (void)b, (void)c;                                                                          \
        w[step->to] = last = value;                                                                \
        step++;                                                                                    \
        goto * step->operation;                                                                    \
    }
#define DO_ALL(name, count, value)                                                                 \
    DO(none_##name, w[step->a], w[step->b], w[step->c], value)                                     \
    DO(first_##name, last, w[step->b], w[step->c], value)                                          \
    DO(second_##name, w[step->a], last, w[step->c], value)                                         \
    DO(third_##name, w[step->a], w[step->b], last, value)
    FF_OPS(DO_ALL)
#undef DO_ALL
#undef DO
end:
    return NULL;
}

void ff_tape_run(const ff_tape *tape, size_t group, double *work) { run(tape->first[group], work); }

ff_step ff_step_of(ff_op op, uint32_t last, const uint32_t with[3], uint32_t to) {
    return (ff_step){run(NULL, NULL)[4 * op + last], with[0], with[1], with[2], to};
}

#else

/* operations are found by their numbers */
static const char ops[FF_OP_COUNT + 1];

ff_step ff_step_of(ff_op op, uint32_t last, const uint32_t with[3], uint32_t to) {
    (void)last;
    return (ff_step){ops + op, with[0], with[1], with[2], to};
}

void ff_tape_run(const ff_tape *tape, size_t group, double *w) {
    for (const ff_step *step = tape->first[group]; step->operation != ops + FF_OP_COUNT; step++) {
        ff_op op = (ff_op)((const char *)step->operation - ops);
        w[step->to] = ff_op_value(op, w[step->a], w[step->b], w[step->c]);
    }
}

#endif
