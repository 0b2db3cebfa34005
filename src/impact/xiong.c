/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "xiong.h"
#include <math.h>
#include <string.h>

/* In contact the law is linear (docs/theory.md, Xiong's law): with x = (w, z', d), d = w', z = w + alpha d,
 *   w' = d,  z'' = -F,  F = w + beta d,  d' = (z' - d)/alpha,
 * and contact ends where F = 0. So x(t) = exp(A t) x(0) to rounding, however small alpha is. */
typedef double matrix[3][3];
typedef double state[3];

static void system_matrix(double alpha, double beta, matrix a) {
    memcpy(a, (matrix){{0, 0, 1}, {-1, 0, -beta}, {0, 1 / alpha, -1 / alpha}}, sizeof(matrix));
}

static void multiply(const matrix a, const matrix b, matrix out) {
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            out[i][j] = a[i][0] * b[0][j] + a[i][1] * b[1][j] + a[i][2] * b[2][j];
        }
    }
}

/* exp(A t) - I by Taylor series and squaring, (I + E)^2 - I = 2 E + E^2: without the I, the slow
 * motion keeps its digits however many squarings a fast one asks for. */
static void exponential(const matrix a, double t, matrix e) {
    double norm = 0;
    for (int i = 0; i < 3; i++) {
        norm = fmax(norm, (fabs(a[i][0]) + fabs(a[i][1]) + fabs(a[i][2])) * t);
    }
    int squarings = norm > 0.5 ? ilogb(norm) + 2 : 0;
    double h = ldexp(t, -squarings);
    matrix x, power, next;
    for (int i = 0; i < 9; i++) {
        ((double *)x)[i] = ((double *)power)[i] = ((double *)e)[i] = h * ((const double *)a)[i];
    }
    /* 0.5^17/17! is far below rounding */
    for (int term = 2; term < 17; term++) {
        multiply(power, x, next);
        for (int i = 0; i < 9; i++) {
            ((double *)power)[i] = ((double *)next)[i] / term;
            ((double *)e)[i] += ((double *)power)[i];
        }
    }
    for (; squarings > 0; squarings--) {
        multiply(e, e, next);
        for (int i = 0; i < 9; i++) {
            ((double *)e)[i] = 2 * ((double *)e)[i] + ((double *)next)[i];
        }
    }
}

static void advance(const matrix e, const state x, state out) {
    for (int i = 0; i < 3; i++) {
        out[i] = x[i] + (e[i][0] * x[0] + e[i][1] * x[1] + e[i][2] * x[2]);
    }
}

typedef struct {
    double alpha, beta;
    matrix a;
} contact;

static double depth(const contact *c, const state x) { return x[0] + c->alpha * x[2]; }

static double force(const contact *c, const state x) { return x[0] + c->beta * x[2]; }

static double velocity(const contact *c, const state x) {
    (void)c;
    return x[1];
}

static double force_rate(const contact *c, const state x) {
    return x[2] + c->beta / c->alpha * (x[1] - x[2]);
}

/* the time after x, within dt, at which g falls through 0, and the state there */
static double locate(const contact *c, double (*g)(const contact *, const state), const state x,
                     double dt, state out) {
    double low = 0, high = dt;
    matrix e;
    /* bisection to the last bit: 60 exponentials of a 3 x 3 matrix cost little */
    while (true) {
        double t = low + (high - low) / 2;
        if (t <= low || t >= high || high - low <= 1e-16 * high) {
            break;
        }
        exponential(c->a, t, e);
        advance(e, x, out);
        if (g(c, out) <= 0) {
            high = t;
        } else {
            low = t;
        }
    }
    exponential(c->a, high, e);
    advance(e, x, out);
    return high;
}

/* e differs by about alpha from its limit at alpha = 0: below this alpha the limit is as good */
#define LEAST_ALPHA 1e-13

ff_xiong_impact ff_xiong_solve(double alpha, double beta) {
    alpha = fmax(alpha, fmin(LEAST_ALPHA, beta));
    contact c = {.alpha = alpha, .beta = beta};
    ff_xiong_impact out = {0};
    system_matrix(alpha, beta, c.a);
    /* no event hides in a step: with beta large the motion takes about 2 ln(beta)/beta for small alpha,
     * pi sqrt(alpha/beta) else */
    double dt = fmin(0.05, fmax(0.5 / (1 + beta), 0.02 * sqrt(alpha / beta))), t = 0;
    matrix e;
    exponential(c.a, dt, e);
    state x = {0, 1, 0}, next, at;
    if (40 * alpha < dt) {
        /* a fast filter has let all of the first force through by now; where that is the greatest, its
         * slope is lost in rounding */
        matrix rise;
        exponential(c.a, 40 * alpha, rise);
        advance(rise, x, at);
        out.max_force = force(&c, at);
        out.max_force_depth = depth(&c, at);
    }
    while (true) {
        advance(e, x, next);
        out.steps++;
        if (velocity(&c, x) > 0 && velocity(&c, next) <= 0) {
            out.max_depth_time = t + locate(&c, velocity, x, dt, at);
            out.max_depth = depth(&c, at);
        }
        if (force_rate(&c, x) > 0 && force_rate(&c, next) <= 0) {
            locate(&c, force_rate, x, dt, at);
            if (force(&c, at) > out.max_force) {
                out.max_force = force(&c, at);
                out.max_force_depth = depth(&c, at);
            }
        }
        if (force(&c, next) <= 0) {
            out.contact_time = t + locate(&c, force, x, dt, at);
            out.end_depth = fmax(depth(&c, at), 0);
            out.restitution = -at[1];
            return out;
        }
        memcpy(x, next, sizeof x);
        t += dt;
    }
}

void ff_xiong_curve(double alpha, double beta, double until, size_t count, double (*points)[3]) {
    alpha = fmax(alpha, fmin(LEAST_ALPHA, beta));
    contact c = {.alpha = alpha, .beta = beta};
    system_matrix(alpha, beta, c.a);
    const state start = {0, 1, 0};
    for (size_t i = 0; i < count; i++) {
        matrix e;
        state x;
        exponential(c.a, until * (double)i / (double)(count - 1), e);
        advance(e, start, x);
        points[i][0] = depth(&c, x);
        points[i][1] = x[1];
        points[i][2] = fmax(force(&c, x), 0);
    }
}
