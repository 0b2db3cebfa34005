/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "ellipse.h"
#include "elementary.h"
#include <math.h>

/* Semi-axes and their directions are the singular values and left singular vectors of A, in closed form: with A = [[p + q,
 * r - s], [r + s, p - q]] the singular values are |u| + |v| and ||u| - |v||, u = (p, s), v = (q, r), and the angle of the
 * first direction is half the sum of the angles of u and v. */
bool ff_ellipse_init(ff_ellipse *e, const double a[2][2]) {
    double p = (a[0][0] + a[1][1]) / 2, q = (a[0][0] - a[1][1]) / 2;
    double r = (a[1][0] + a[0][1]) / 2, s = (a[1][0] - a[0][1]) / 2;
    double u = ff_hypot(p, s), v = ff_hypot(q, r);
    e->axes[0] = u + v;
    e->axes[1] = fabs(a[0][0] * a[1][1] - a[0][1] * a[1][0]) / e->axes[0];
    /* for v = 0 any angle will do, and atan2 returns 0 */
    double angle = (ff_atan2(s, p) + ff_atan2(r, q)) / 2;
    ff_sincos(angle, &e->sine, &e->cosine);
    return isfinite(e->axes[0]) && e->axes[1] > 1e-12 * e->axes[0];
}

static void turned(const ff_ellipse *e, const double x[2], double out[2]) {
    out[0] = e->cosine * x[0] + e->sine * x[1];
    out[1] = e->cosine * x[1] - e->sine * x[0];
}

double ff_ellipse_norm(const ff_ellipse *e, const double x[2]) {
    double q[2];
    turned(e, x, q);
    return ff_hypot(q[0] / e->axes[0], q[1] / e->axes[1]);
}

/* For a point x outside, the nearest point is y_i = p_i^2 x_i/(p_i^2 + s) along the semi-axes p, where x - y = s
 * (y_i/p_i^2) is the normal: s > 0 is the root of |w| = 1, w_i = p_i x_i/(p_i^2 + s). 1/|w| - 1 is a nearly linear, concave
 * function of s: Newton iterations approach the root from the left and pass it only by rounding, which the bracket
 * corrects. */
void ff_ellipse_nearest(const ff_ellipse *e, double size, const double x[2], double out[2]) {
    double q[2], p0 = size * e->axes[0], p1 = size * e->axes[1];
    if (!(ff_ellipse_norm(e, x) > size)) {
        out[0] = x[0];
        out[1] = x[1];
        return;
    }
    turned(e, x, q);
    double d0 = p0 * p0, d1 = p1 * p1, w0 = p0 * q[0], w1 = p1 * q[1];
    /* lower bounds from either term alone, upper bound with both terms over the smaller axis */
    double low = fmax(fmax(fabs(w0) - d0, fabs(w1) - d1), 0), high = ff_hypot(w0, w1) - d1, s = low;
    for (int turn = 0; turn < 60 && size > 0; turn++) {
        double a = w0 / (d0 + s), b = w1 / (d1 + s), norm = ff_hypot(a, b);
        if (norm > 1) {
            low = s;
        } else {
            high = s;
        }
        /* d|w|/ds = -(a^2/(d0 + s) + b^2/(d1 + s))/|w| */
        double fall = a * a / (d0 + s) + b * b / (d1 + s);
        double next = s + norm * norm * (norm - 1) / fall;
        if (!(next >= low && next <= high)) {
            next = low + (high - low) / 2;
        }
        if (next == s || fabs(next - s) <= 1e-16 * s) {
            break;
        }
        s = next;
    }
    double y0 = size > 0 ? p0 * (w0 / (d0 + s)) : 0, y1 = size > 0 ? p1 * (w1 / (d1 + s)) : 0;
    out[0] = e->cosine * y0 - e->sine * y1;
    out[1] = e->sine * y0 + e->cosine * y1;
}
