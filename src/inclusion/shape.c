/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "shape.h"
#include "num/ellipse.h"
#include <stdio.h>

static ff_status fail(ff_expr_error *error, size_t column, const char *text) {
    error->column = column;
    snprintf(error->text, sizeof error->text, "%s", text);
    return FF_BAD_VALUE;
}

/* whether it is a vector of two, and its components */
static bool is_pair(const ff_expr_pool *pool, ff_expr e, ff_expr items[2]) {
    const ff_expr_node *node = ff_expr_at(pool, e);
    if (node->kind != FF_EXPR_VECTOR || node->count != 2) {
        return false;
    }
    items[0] = ff_expr_argument(pool, e, 0);
    items[1] = ff_expr_argument(pool, e, 1);
    return true;
}

ff_expr ff_shape_rows(ff_expr_pool *pool, ff_expr e, ff_expr_error *error) {
    enum { most = 64 };
    ff_expr calls[most], from[most], to[most];
    size_t count = ff_expr_calls(pool, e, "sgn", calls, most), n = 0;
    for (size_t i = 0; i < count && i < most; i++) {
        ff_expr rows[3], items[2];
        const ff_expr_node node = *ff_expr_at(pool, calls[i]);
        if (node.count == 1) {
            continue;
        }
        rows[0] = ff_expr_argument(pool, calls[i], 0);
        ff_expr matrix = ff_expr_argument(pool, calls[i], 1);
        if (node.count > 2 || !is_pair(pool, matrix, rows + 1) || !is_pair(pool, rows[1], items) ||
            !is_pair(pool, rows[2], items)) {
            fail(error, ff_expr_at(pool, matrix)->column,
                 "sgn takes a slip and, for anisotropic friction, a matrix [[a, b], [c, d]]");
            return 0;
        }
        from[n] = calls[i];
        to[n++] = ff_expr_make(
            pool,
            (ff_expr_node){.kind = FF_EXPR_CALL, .text = "sgn", .count = 3, .column = node.column},
            rows);
    }
    return n > 0 ? ff_expr_replace(pool, e, from, to, n) : e;
}

ff_status ff_shape_read(const ff_expr_pool *pool, ff_expr call, const ff_expr_scope *scope,
                        double shape[2][2], ff_expr_error *error) {
    const size_t column = ff_expr_at(pool, call)->column;
    ff_expr arguments[3];
    ff_expr_facts facts[3];
    ff_ellipse ellipse;
    for (size_t i = 0; i < 3; i++) {
        arguments[i] = ff_expr_argument(pool, call, i);
    }
    ff_status status = ff_expr_check(pool, arguments, 3, scope, true, facts, error);
    if (status == FF_OK && facts[0].length != 2) {
        return fail(error, column, "only the friction of a vector of two can have a matrix");
    }
    for (size_t i = 0; i < 2 && status == FF_OK; i++) {
        const ff_dimension pure = {0};
        size_t row = ff_expr_at(pool, arguments[i + 1])->column;
        if (facts[i + 1].measure == FF_MEASURE_KNOWN &&
            !ff_dimension_same(facts[i + 1].dim, pure)) {
            return fail(
                error, row,
                "the matrix of a sgn must be dimensionless: the strength is the factor of sgn");
        }
        status = ff_expr_value(pool, arguments[i + 1], scope, shape[i], 2, error);
        if (status == FF_BAD_VALUE) {
            return fail(error, row, "the matrix of a sgn must be constant");
        }
    }
    if (status == FF_OK && !ff_ellipse_init(&ellipse, shape)) {
        return fail(error, column,
                    "the matrix of this sgn is singular: in some direction there would be no "
                    "friction at all");
    }
    return status;
}
