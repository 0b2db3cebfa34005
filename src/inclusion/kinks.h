/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* Where expressions bend or jump: at the roots of the arguments of abs() and sign(), of the differences of what min(),
 * max() and comparisons compare. */

#include "expr/tree.h"

/* What the value of a name depends on. */
typedef enum ff_change {
    FF_CHANGES_NEVER,
    FF_CHANGES_BY_TIME,
    FF_CHANGES, /* with the state of a run */
    FF_CHANGES_WITH_FORCES
} ff_change;

typedef struct ff_kink {
    ff_expr is;     /* bends where this is 0 */
    bool of_time;   /* and of nothing else */
    bool jumps;     /* not only bends, perhaps */
    bool of_forces; /* it is known only after the forces are */
} ff_kink;

/* The kinks of some expressions, each once, without those that never change. FF_NO_MEMORY, or FF_BAD_VALUE where the pool is full. The caller frees *out. */
ff_status ff_kinks_find(ff_expr_pool *pool, const ff_expr *expressions, size_t count,
                        ff_change (*change)(const void *user, const char *name), const void *user,
                        ff_kink **out, size_t *out_count);
