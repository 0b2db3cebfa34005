/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* L D L^T of small symmetric matrices in place, by rows of six at the most: L below the diagonal, 1/D on it. */

static inline void ff_ldl(int n, double a[][6]) {
    for (int j = 0; j < n; j++) {
        double kept[6];
        for (int k = 0; k < j; k++) {
            /* what stands below the diagonal of row j is L D so far */
            kept[k] = a[j][k];
            a[j][k] *= a[k][k];
            a[j][j] -= kept[k] * a[j][k];
        }
        a[j][j] = 1 / a[j][j];
        for (int i = j + 1; i < n; i++) {
            for (int k = 0; k < j; k++) {
                a[i][j] -= a[i][k] * a[j][k];
            }
        }
    }
}

static inline void ff_ldl_solve(int n, const double a[][6], double *b) {
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < i; k++) {
            b[i] -= a[i][k] * b[k];
        }
    }
    for (int i = 0; i < n; i++) {
        b[i] *= a[i][i];
    }
    for (int i = n; i-- > 0;) {
        for (int k = i + 1; k < n; k++) {
            b[i] -= a[k][i] * b[k];
        }
    }
}
