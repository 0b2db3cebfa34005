/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* L D L^T factorisation of small symmetric matrices in place, stored in rows of six: L below the diagonal, 1/D on it, the
 * original matrix above it. Inner loops run along full rows so that the compiler can vectorise them. */

#include <string.h>

static inline void ff_ldl(int n, double a[][6]) {
    for (int j = 0; j < n; j++) {
        double by = 1 / a[j][j];
        for (int i = j + 1; i < n; i++) {
            double l = a[i][j] * by;
            for (int k = j + 1; k < 6; k++) {
                a[i][k] -= l * a[j][k];
            }
            a[i][j] = l;
        }
        a[j][j] = by;
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

/* six right-hand sides at once, b[i] holds the i-th entries of all */
static inline void ff_ldl_solve_six(int n, const double a[][6], double b[][6]) {
    double row[6];
    for (int i = 1; i < n; i++) {
        memcpy(row, b[i], sizeof row);
        for (int k = 0; k < i; k++) {
            for (int r = 0; r < 6; r++) {
                row[r] -= a[i][k] * b[k][r];
            }
        }
        memcpy(b[i], row, sizeof row);
    }
    for (int i = n; i-- > 0;) {
        for (int r = 0; r < 6; r++) {
            row[r] = b[i][r] * a[i][i];
        }
        for (int k = i + 1; k < n; k++) {
            for (int r = 0; r < 6; r++) {
                row[r] -= a[k][i] * b[k][r];
            }
        }
        memcpy(b[i], row, sizeof row);
    }
}
