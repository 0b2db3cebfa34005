/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* Moments and products of inertia as symmetric matrices. */

#include <math.h>
#include <stdbool.h>

/* Elements that differ by less than this fraction of the largest moment count as equal: a matrix that was rotated or summed
 * from parts has rounding errors of about 1e-15 times the number of operations. */
#define FF_INERTIA_SAME 1e-12

static inline double ff_inertia_size(const double a[3][3]) {
    return fmax(fabs(a[0][0]), fmax(fabs(a[1][1]), fabs(a[2][2])));
}

/* Makes a matrix that is symmetric up to rounding exactly symmetric; false if it is not symmetric. */
static inline bool ff_inertia_mend(double a[3][3]) {
    const double same = FF_INERTIA_SAME * ff_inertia_size((const double(*)[3])a);
    for (int i = 0; i < 3; i++) {
        for (int j = i + 1; j < 3; j++) {
            if (!(fabs(a[i][j] - a[j][i]) <= same)) {
                return false;
            }
            a[i][j] = a[j][i] = a[i][j] == a[j][i] ? a[i][j] : (a[i][j] + a[j][i]) / 2;
        }
    }
    return true;
}

/* Whether all moments of inertia are equal up to rounding; if so, makes them exactly equal. */
static inline bool ff_inertia_round(double a[3][3]) {
    const double same = FF_INERTIA_SAME * ff_inertia_size((const double(*)[3])a);
    double mean =
        a[0][0] == a[1][1] && a[1][1] == a[2][2] ? a[0][0] : (a[0][0] + a[1][1] + a[2][2]) / 3;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            if (!(fabs(a[i][j] - (i == j ? mean : 0)) <= same)) {
                return false;
            }
        }
    }
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            a[i][j] = i == j ? mean : 0;
        }
    }
    return true;
}
