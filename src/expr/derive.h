/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

#include "tree.h"

/* The rate of an expression if names[i] has the rate rates[i] and all other names are constant: sum de/dname_i rate_i, as
 * an expression in the same pool. With a single name of rate 1 this is a partial derivative. At a kink of e it is a
 * one-sided rate; jumps are ignored. Returns 0 with the reason in error if a function is unknown, or with the status of the
 * pool. */
ff_expr ff_expr_rate(ff_expr_pool *pool, ff_expr e, const char *const *names, const ff_expr *rates,
                     size_t count, ff_expr_error *error);
