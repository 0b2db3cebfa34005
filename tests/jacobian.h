/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

#include "check.h"
#include "dynamics/dynamics.h"

/* The Jacobian of the simulator as a dense m by m matrix. */
static void fill_jacobian(const ff_model *model, const ff_phase *phase, double t, const double *y,
                          const int *place, size_t m, double *out) {
    ff_sparse *s = ff_sparse_create(m);
    assert_non_null(s);
    ff_sparse_begin(s);
    ff_dynamics_jacobian(model, phase, t, y, place, s);
    memset(out, 0, m * m * sizeof *out);
    for (size_t k = 0; k < s->count; k++) {
        size_t row = (size_t)(s->keys[k] >> 32), column = (size_t)(uint32_t)s->keys[k];
        assert_true(row < m && column < m);
        out[row * m + column] += s->added[k];
    }
    ff_sparse_free(s);
}
