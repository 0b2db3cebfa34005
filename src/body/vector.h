/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* 3-vectors and unit quaternions (w, x, y, z) as plain arrays. */

#include "num/elementary.h"
#include <math.h>

static inline double ff_dot(const double a[3], const double b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* scalar product of a spatial motion and a spatial force */
static inline double ff_dot6(const double a[6], const double b[6]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] + a[4] * b[4] + a[5] * b[5];
}

static inline void ff_cross(const double a[3], const double b[3], double out[3]) {
    double x = a[1] * b[2] - a[2] * b[1], y = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
    out[0] = x;
    out[1] = y;
}

/* out = a + s b; out may be a */
static inline void ff_add_scaled(const double a[3], double s, const double b[3], double out[3]) {
    for (int i = 0; i < 3; i++) {
        out[i] = a[i] + s * b[i];
    }
}

/* The rotation matrix of a quaternion of any nonzero length; its length has no effect, so rounding errors in the length do
 * not matter. */
static inline void ff_rotation(const double q[4], double r[3][3]) {
    double w = q[0], x = q[1], y = q[2], z = q[3], s = 2 / (w * w + x * x + y * y + z * z);
    r[0][0] = 1 - s * (y * y + z * z);
    r[0][1] = s * (x * y - w * z);
    r[0][2] = s * (x * z + w * y);
    r[1][0] = s * (x * y + w * z);
    r[1][1] = 1 - s * (x * x + z * z);
    r[1][2] = s * (y * z - w * x);
    r[2][0] = s * (x * z - w * y);
    r[2][1] = s * (y * z + w * x);
    r[2][2] = 1 - s * (x * x + y * y);
}

static inline void ff_rotate(const double r[3][3], const double a[3], double out[3]) {
    double x = ff_dot(r[0], a), y = ff_dot(r[1], a);
    out[2] = ff_dot(r[2], a);
    out[0] = x;
    out[1] = y;
}

/* out = r^T a */
static inline void ff_rotate_back(const double r[3][3], const double a[3], double out[3]) {
    double x = r[0][0] * a[0] + r[1][0] * a[1] + r[2][0] * a[2];
    double y = r[0][1] * a[0] + r[1][1] * a[1] + r[2][1] * a[2];
    out[2] = r[0][2] * a[0] + r[1][2] * a[1] + r[2][2] * a[2];
    out[0] = x;
    out[1] = y;
}

/* out = a b, quaternion product; out must differ from a and b */
static inline void ff_quaternion_times(const double a[4], const double b[4], double out[4]) {
    out[0] = a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3];
    out[1] = a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2];
    out[2] = a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1];
    out[3] = a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0];
}

/* Rotates q by a rotation vector in world axes. */
static inline void ff_quaternion_turn(double q[4], const double turn[3]) {
    double square = ff_dot(turn, turn), cosine, s, out[4];
    if (square < 0.0625) {
        /* series of cos(a/2) and sin(a/2)/a, whose next terms are below 1e-16 */
        double a = square / 4;
        cosine = 1 - a / 2 * (1 - a / 12 * (1 - a / 30 * (1 - a / 56)));
        s = 0.5 * (1 - a / 6 * (1 - a / 20 * (1 - a / 42 * (1 - a / 72))));
    } else {
        double angle = sqrt(square), sine;
        ff_sincos(angle / 2, &sine, &cosine);
        s = sine / angle;
    }
    double by[4] = {cosine, s * turn[0], s * turn[1], s * turn[2]};
    ff_quaternion_times(by, q, out);
    for (int i = 0; i < 4; i++) {
        q[i] = out[i];
    }
}

/* The rotation vector of a unit quaternion, along the shorter rotation. */
static inline void ff_rotation_vector(const double q[4], double out[3]) {
    const double sine = sqrt(ff_dot(q + 1, q + 1)), sign = q[0] < 0 ? -1 : 1;
    /* angle divided by sine; 2 without rotation */
    const double by = sine > 0 ? 2 * ff_atan2(sine, fabs(q[0])) / sine : 2;
    for (int i = 0; i < 3; i++) {
        out[i] = sign * by * q[1 + i];
    }
}

/* Angular velocity w of a body that is rotated by the rotation vector x, R = exp(x^), and its rate, in the axes that x is
 * given in. With d = x', angle p = |x|, a = (1 - cos p)/p^2, b = (p - sin p)/p^3 (e.g. Shuster 1993, eq. 278):
 *     w  = d + a x x d + b x x (x x d)
 *     w' = the same with x'' for d,  + (x.d) (A x x d + B x x (x x d)) + b d x (x x d),   A = a'(p)/p,  B = b'(p)/p.
 * Below 2 rad all four are sums of their series, sum (-1)^k p^2k/(2k + 2)! and so on, whose terms after the 14th are below
 * 1e-22; above, the closed forms lose at most one digit by cancellation. */
static inline void ff_rotation_vector_rates(const double x[3], const double d[3],
                                            const double dd[3], double w[3], double rate[3]) {
    enum { TERMS = 14 };
    const double square = ff_dot(x, x), along = ff_dot(x, d);
    double a = 0, b = 0, grows = 0, also = 0, one[3], two[3], three[3];
    if (square < 4) {
        double term = 0.5;
        for (int k = 0; k < TERMS; k++) {
            /* term: (-1)^k p^2k/(2k + 2)! */
            const double next = -term / ((2 * k + 3) * (2 * k + 4));
            a += term;
            b += term / (2 * k + 3);
            /* d/d(p^2) of the next term, twice */
            grows += 2 * (k + 1) * next;
            also += 2 * (k + 1) * next / (2 * k + 5);
            term = next * square;
        }
    } else {
        const double p = sqrt(square);
        double s, c;
        ff_sincos(p, &s, &c);
        a = (1 - c) / square;
        b = (p - s) / (p * square);
        grows = (s / p - 2 * a) / square;
        also = (a - 3 * b) / square;
    }
    ff_cross(x, d, one);
    ff_cross(x, one, two);
    ff_cross(d, one, three);
    for (int i = 0; i < 3; i++) {
        w[i] = d[i] + a * one[i] + b * two[i];
        rate[i] = along * (grows * one[i] + also * two[i]) + b * three[i];
    }
    ff_cross(x, dd, one);
    ff_cross(x, one, two);
    for (int i = 0; i < 3; i++) {
        rate[i] += dd[i] + a * one[i] + b * two[i];
    }
}

/* normalises v; returns its length */
static inline double ff_normalise(const double v[3], double out[3]) {
    double length = sqrt(ff_dot(v, v));
    for (int i = 0; i < 3; i++) {
        out[i] = v[i] / length;
    }
    return length;
}

/* q' = (0, omega) q/2 with omega in world axes; conserves |q| */
static inline void ff_quaternion_rate(const double q[4], const double omega[3], double out[4]) {
    out[0] = -0.5 * (omega[0] * q[1] + omega[1] * q[2] + omega[2] * q[3]);
    out[1] = 0.5 * (omega[0] * q[0] + omega[1] * q[3] - omega[2] * q[2]);
    out[2] = 0.5 * (omega[1] * q[0] + omega[2] * q[1] - omega[0] * q[3]);
    out[3] = 0.5 * (omega[2] * q[0] + omega[0] * q[2] - omega[1] * q[1]);
}
