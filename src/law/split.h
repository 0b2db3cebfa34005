/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* Algebra of tangent vectors, for the partial derivatives of friction laws. */

#include <math.h>

static inline double ff_square(const double a[3]) {
    return a[0] * a[0] + a[1] * a[1] + a[2] * a[2];
}
static inline double ff_length(const double a[3]) { return sqrt(ff_square(a)); }

/* the length of a, and its direction in d (an arbitrary unit vector if a = 0) */
static inline double ff_split(const double a[3], double d[3]) {
    double size = ff_length(a);
    for (int i = 0; i < 3; i++) {
        d[i] = size > 0 ? a[i] / size : i == 0;
    }
    return size;
}

/* Adds along d d^T + across (I - d d^T), with a unit vector d, to a 3 by 3 block of a matrix. */
static inline void ff_add_split(double *matrix, int columns, int row, int column, const double d[3],
                                double along, double across) {
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            double dd = d[i] * d[j];
            matrix[(row + i) * columns + column + j] += along * dd + across * ((i == j) - dd);
        }
    }
}
