/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

#include "tree.h"

/* The rate of an expression along a motion in which names[i] has the rate rates[i] and every other name none:
 * sum de/dname_i rate_i, as an expression of the same pool. With one name of rate 1 that is a partial
 * derivative. Where e bends, it is the rate on one side; where it jumps, the jump is left out. Returns 0 with the
 * reason in error where a function is not known, or where the status of the pool says why. */
ff_expr ff_expr_rate(ff_expr_pool *pool, ff_expr e, const char *const *names, const ff_expr *rates,
                     size_t count, ff_expr_error *error);
