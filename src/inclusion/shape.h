/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* The matrix of sgn(theta, [[a, b], [c, d]]): the friction force lies in the ellipse chi A {|s| <= 1}. */

#include "expr/tape.h"

/* The expression with the rows of each matrix as separate arguments, sgn(theta, [a, b], [c, d]), because components of
 * vectors are numbers. 0 with the reason in error if a sgn has anything else after its slip. */
ff_expr ff_shape_rows(ff_expr_pool *pool, ff_expr e, ff_expr_error *error);

/* The matrix of such a sgn, of dimensionless constants. FF_BAD_VALUE if it is invalid or singular, or if the slip is not a
 * vector of two. */
ff_status ff_shape_read(const ff_expr_pool *pool, ff_expr call, const ff_expr_scope *scope,
                        double shape[2][2], ff_expr_error *error);
