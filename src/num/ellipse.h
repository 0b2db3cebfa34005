/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* Ellipses of friction forces: E = A {|s| <= 1}, kept by its semi-axes and their directions. */

#include <stdbool.h>

typedef struct ff_ellipse {
    double axes[2];      /* the greater one first, both > 0 */
    double cosine, sine; /* of the angle of the first axis */
} ff_ellipse;

/* The ellipse of any matrix; false where it is singular or no number. */
bool ff_ellipse_init(ff_ellipse *e, const double a[2][2]);

/* Norm in which size E is the set of norm at most `size`. */
double ff_ellipse_norm(const ff_ellipse *e, const double x[2]);

/* The point of size E nearest to x, to rounding. */
void ff_ellipse_nearest(const ff_ellipse *e, double size, const double x[2], double out[2]);
