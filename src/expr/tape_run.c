/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "tape_run.h"
#include <string.h>

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

/* Every operation jumps to the next by itself, which branch predictors like better than one common jump; gcc
 * must be told to leave it so. */
#pragma GCC diagnostic ignored "-Wpedantic"
#if defined(__clang__)
#define OWN_JUMPS
#else
#define OWN_JUMPS __attribute__((optimize("no-gcse", "no-crossjumping")))
#endif

OWN_JUMPS void ff_tape_run(const ff_tape *tape, size_t group, double *w) {
    const ff_step *step = tape->first[group];
    static const void *const labels[] = {
#define LABELS(name, count, value)                                                                 \
    &&none_##name, &&first_##name, (count) > 1 ? &&second_##name : &&none_##name,                  \
        (count) > 2 ? &&third_##name : &&none_##name,
        FF_OPS(LABELS)
#undef LABELS
            && end,
        &&copy};
    double last = 0;
    goto *labels[step->op];
#define DO(label, x, y, z, value)                                                                  \
    label : {                                                                                      \
        const double a = x, b = y, c = z;                                                          \
        (void)b, (void)c;                                                                          \
        w[step->to] = last = value;                                                                \
        step++;                                                                                    \
        goto *labels[step->op];                                                                    \
    }
#define DO_ALL(name, count, value)                                                                 \
    DO(none_##name, w[step->a], w[step->b], w[step->c], value)                                     \
    DO(first_##name, last, w[step->b], w[step->c], value)                                          \
    DO(second_##name, w[step->a], last, w[step->c], value)                                         \
    DO(third_##name, w[step->a], w[step->b], last, value)
    FF_OPS(DO_ALL)
#undef DO_ALL
#undef DO
copy : {
    const double *from = w + step->a, *end = from + step->b;
    double *to = w + step->to;
    do {
        *to++ = *from++;
    } while (from != end);
    step++;
    goto *labels[step->op];
}
end:;
}

#else

void ff_tape_run(const ff_tape *tape, size_t group, double *w) {
    const ff_step *step = tape->first[group];
    for (; step->op < FF_STEP_END; step++) {
        w[step->to] = ff_op_value((ff_op)(step->op / 4), w[step->a], w[step->b], w[step->c]);
    }
    for (; step->op == FF_STEP_COPY; step++) {
        memcpy(w + step->to, w + step->a, step->b * sizeof *w);
    }
}

#endif
