/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* Kinks and jumps of expressions: roots of the arguments of abs() and sign(), and of the differences of the operands of
 * min(), max() and comparisons. */

#include "expr/tree.h"

/* What the value of a name depends on. */
typedef enum ff_change {
    FF_CHANGES_NEVER,
    FF_CHANGES_BY_TIME,
    FF_CHANGES, /* on the state of a run */
    FF_CHANGES_WITH_FORCES
} ff_change;

typedef struct ff_kink {
    ff_expr is;     /* the kink is where this is 0 */
    bool of_time;   /* depends only on time */
    bool jumps;     /* possibly a jump rather than a kink */
    bool of_forces; /* known only after the forces */
} ff_kink;

/* The kinks of some expressions, without duplicates and without constant ones. FF_NO_MEMORY, or FF_BAD_VALUE if the pool is
 * full. The caller frees *out. */
ff_status ff_kinks_find(ff_expr_pool *pool, const ff_expr *expressions, size_t count,
                        ff_change (*change)(const void *user, const char *name), const void *user,
                        ff_kink **out, size_t *out_count);
