/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* Ellipses of friction forces: E = A {|s| <= 1}, stored by semi-axes and their directions. */

#include <stdbool.h>

typedef struct ff_ellipse {
    double axes[2];      /* larger one first, both > 0 */
    double cosine, sine; /* direction of the first axis */
} ff_ellipse;

/* The ellipse of a matrix; false if the matrix is singular or not finite. */
bool ff_ellipse_init(ff_ellipse *e, const double a[2][2]);

/* The norm whose ball of radius `size` is size E. */
double ff_ellipse_norm(const ff_ellipse *e, const double x[2]);

/* The point of size E nearest to x, to rounding. */
void ff_ellipse_nearest(const ff_ellipse *e, double size, const double x[2], double out[2]);
