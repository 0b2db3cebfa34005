/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "xiong.h"
#include "num/elementary.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* In contact the law is linear (docs/theory.md, Xiong's law): with x = (w, z', d), d = w', z = w + alpha d,
 *    w' = d,  z'' = -F,  F = w + beta d,  d' = (z' - d)/alpha,
 * and contact ends where F = 0. So x(t) = exp(A t) x(0) to rounding, however small alpha is. */
typedef struct {
    double restitution, contact_time, end_depth;
    double max_depth, max_depth_time, max_force, max_force_depth;
    int steps;
} xiong_impact;

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

/* exp(A t) - I by Taylor series and squaring, (I + E)^2 - I = 2 E + E^2: without the I, the slow motion stays accurate
 * however many squarings a fast one needs. */
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
    /* bisection to the last bit: 60 exponentials of a 3 x 3 matrix are cheap */
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

/* e differs from its limit at alpha = 0 by about alpha: below this alpha the limit is used */
#define LEAST_ALPHA 1e-13

static xiong_impact solve(double alpha, double beta) {
    alpha = fmax(alpha, fmin(LEAST_ALPHA, beta));
    contact c = {.alpha = alpha, .beta = beta};
    xiong_impact out = {0};
    system_matrix(alpha, beta, c.a);
    /* steps short enough that no event is missed: with large beta the motion takes about 2 ln(beta)/beta for small alpha,
     * otherwise pi sqrt(alpha/beta) */
    double dt = fmin(0.05, fmax(0.5 / (1 + beta), 0.02 * sqrt(alpha / beta))), t = 0;
    matrix e;
    exponential(c.a, dt, e);
    state x = {0, 1, 0}, next, at;
    if (40 * alpha < dt) {
        /* with a fast filter the initial force has been passed completely by now; if that is the maximum, its slope is lost
         * in rounding */
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

/* ---- functions of the law's table ---- */

/* alpha and beta in units of the time sqrt(m/K) */
static double units(const ff_normal *law, double mass, double *alpha, double *beta) {
    double tau = sqrt(mass / law->values[0]);
    *alpha = law->values[1] / tau;
    *beta = law->values[2] / tau;
    return tau;
}

ff_status ff_xiong_impact_solve(const ff_normal *law, double mass, double speed, ff_impact *out) {
    double alpha, beta, tau = units(law, mass, &alpha, &beta), way = speed * tau;
    xiong_impact x = solve(alpha, beta);
    /* alpha = beta conserves energy: e is 1 to rounding */
    out->decay = fmax(-ff_log(x.restitution), 0);
    out->contact_time = tau * x.contact_time;
    out->max_depth = way * x.max_depth;
    out->max_depth_time = tau * x.max_depth_time;
    out->max_force = law->values[0] * way * x.max_force;
    out->max_force_depth = way * x.max_force_depth;
    out->end_depth = way * x.end_depth;
    out->steps = x.steps;
    return FF_OK;
}

ff_status ff_xiong_impact_curve(const ff_normal *law, double mass, double speed, size_t count,
                                ff_impact_point *points) {
    double alpha, beta, tau = units(law, mass, &alpha, &beta);
    double until = solve(alpha, beta).contact_time;
    alpha = fmax(alpha, fmin(LEAST_ALPHA, beta));
    contact c = {.alpha = alpha, .beta = beta};
    system_matrix(alpha, beta, c.a);
    const state start = {0, 1, 0};
    for (size_t i = 0; i < count; i++) {
        double t = until * (double)i / (double)(count - 1);
        matrix e;
        state x;
        exponential(c.a, t, e);
        advance(e, start, x);
        points[i] =
            (ff_impact_point){.time = tau * t,
                              .depth = speed * tau * depth(&c, x),
                              .velocity = speed * x[1],
                              .force = law->values[0] * speed * tau * fmax(force(&c, x), 0)};
    }
    return FF_OK;
}

static double xiong_e(double ratio, double beta) { return solve(ratio * beta, beta).restitution; }

/* The beta at which e has its minimum for alpha = ratio beta, by golden section: e decreases from 1 at beta = 0 to its
 * minimum and increases again towards 1. */
static double least_beta(double ratio) {
    const double golden = 0.6180339887498949;
    double low = 0.01, high = 4;
    for (int turn = 0; turn < 80; turn++) {
        double left = high - golden * (high - low), right = low + golden * (high - low);
        if (xiong_e(ratio, left) < xiong_e(ratio, right)) {
            high = right;
        } else {
            low = left;
        }
    }
    return (low + high) / 2;
}

ff_status ff_xiong_design(const ff_normal *law, double mass, double restitution,
                          double contact_time, double *values, ff_error *error) {
    static const double ratios[] = {0.7, 0.5, 0.3, 0.1};
    double least = 1;
    (void)law;
    /* alpha = beta is a spring for any beta; its contact time is pi sqrt(m/K) */
    double ratio = 1, beta = 0.1;
    if (restitution < 1) {
        size_t i = 0;
        double high = 0;
        for (; i < sizeof ratios / sizeof *ratios; i++) {
            high = least_beta(ratios[i]);
            least = xiong_e(ratios[i], high);
            if (least <= restitution) {
                break;
            }
        }
        if (i == sizeof ratios / sizeof *ratios) {
            if (error) {
                snprintf(error->text, sizeof error->text,
                         "xiong cannot reach e = %g: its minimum is %.4f, at alpha/beta = 0.1",
                         restitution, least);
            }
            return FF_UNREACHABLE;
        }
        ratio = ratios[i];
        /* e decreases with beta up to `high`; bisection to the last bit */
        double low = 0;
        for (int turn = 0; turn < 200; turn++) {
            beta = low + (high - low) / 2;
            if (beta <= low || beta >= high) {
                break;
            }
            if (xiong_e(ratio, beta) > restitution) {
                low = beta;
            } else {
                high = beta;
            }
        }
    }
    double tau = contact_time / solve(ratio * beta, beta).contact_time;
    values[0] = mass / (tau * tau);
    values[1] = ratio * (beta * tau);
    values[2] = beta * tau;
    return FF_OK;
}
