/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "verify.h"
#include "num/elementary.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

_Static_assert((int)FF_CHECKS <= (int)FF_LAW_FINDINGS, "there is a row for every check");

const double ff_check_step[FF_CHECK_STEPS] = {1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7};

static const struct {
    const char *what;
    double allowed;
} checks[FF_CHECKS] = {
    /* with the best step size, differences are accurate to 1e-8 for the laws of this library */
    [FF_CHECK_BALANCE] = {"balance", 1e-6},
    /* losses are sums of a few terms: 1e-12 is rounding */
    [FF_CHECK_SIGNS] = {"signs", 1e-12},
    /* change between neighbouring numbers for the steepest reasonable law */
    [FF_CHECK_CONTINUITY] = {"continuity", 1e-6},
    [FF_CHECK_SLOPES] = {"slopes", 1e-5},
    /* roots are found to rounding; cancelling terms cost some digits */
    [FF_CHECK_ROOTS] = {"roots", 1e-6},
    /* integration of the states without contact by 400 steps of RK4 */
    [FF_CHECK_STATES] = {"states", 1e-6},
    /* powers of depths computed in two ways */
    [FF_CHECK_VIEW] = {"view", 1e-9},
    [FF_CHECK_GROUND] = {"ground", 1e-6},
};

void ff_check_begin(ff_check *r) {
    memset(r, 0, sizeof *r);
    r->seed = 0x9e3779b97f4a7c15u;
    for (int i = 0; i < FF_CHECKS; i++) {
        r->rows[i].what = checks[i].what;
        r->rows[i].allowed = checks[i].allowed;
    }
}

void ff_check_note(ff_check *r, int check, double error, double scale, const char *part) {
    ff_law_finding *row = &r->rows[check];
    double size = error == 0 ? 0 : fabs(error) / (scale + 1e-300);
    size = isnan(size) ? (double)INFINITY : size;
    r->made[check] = true;
    if (size > row->worst) {
        row->worst = size;
        if (size > row->allowed) {
            snprintf(row->where, sizeof row->where, "%.60s at %.90s", part, r->point);
        }
    }
}

double ff_check_beyond(double error, double slack, double scale) {
    return isnan(error)             ? (double)INFINITY
           : !(fabs(error) > slack) ? 0
                                    : (fabs(error) - slack) / (scale + 1e-300);
}

size_t ff_check_finish(const ff_check *r, ff_law_finding *out) {
    size_t count = 0;
    for (int i = 0; i < FF_CHECKS; i++) {
        if (r->made[i]) {
            out[count++] = r->rows[i];
        }
    }
    return count;
}

size_t ff_check_no_memory(ff_law_finding *out) {
    out[0] = (ff_law_finding){.what = "memory", .worst = INFINITY, .where = "out of memory"};
    return 1;
}

/* ---- random numbers ---- */

/* xorshift64*: the same points everywhere */
double ff_check_uniform(ff_check *r, double low, double high) {
    r->seed ^= r->seed >> 12;
    r->seed ^= r->seed << 25;
    r->seed ^= r->seed >> 27;
    return low + (high - low) * (double)(r->seed * 2685821657736338717u >> 11) * 0x1p-53;
}

double ff_check_below(ff_check *r, double x, double decades) {
    return x * ff_pow(10, ff_check_uniform(r, -decades, 0));
}

double ff_check_either(ff_check *r, double x) { return ff_check_uniform(r, -1, 1) < 0 ? -x : x; }

/* ---- jumps ---- */

/* The largest jump of f(t), 0 <= t <= 1, relative to its largest value: each of several intervals is bisected towards its
 * larger change until neighbouring numbers remain. */
double ff_check_jump(double (*f)(void *of, double t), void *of) {
    enum { LINE = 32 };
    double jump = 0, size = 0, from = f(of, 0);
    for (int i = 0; i < LINE; i++) {
        double low = (double)i / LINE, high = (i + 1.0) / LINE, a = from, b = f(of, high);
        from = b;
        size = fmax(size, fabs(b));
        for (double t = (low + high) / 2; t > low && t < high; t = (low + high) / 2) {
            double at = f(of, t);
            if (fabs(at - a) > fabs(b - at)) {
                high = t;
                b = at;
            } else {
                low = t;
                a = at;
            }
        }
        jump = fmax(jump, fabs(b - a));
    }
    return size > 0 ? jump / size : 0;
}

double ff_check_fine(double t) {
    double s = 2 * t - 1;
    return s * fabs(s * s * s);
}

double ff_check_slope(double slope, double middle, const double up[FF_CHECK_STEPS],
                      const double down[FF_CHECK_STEPS], double size, double terms) {
    double best = INFINITY;
    for (int k = 0; k < FF_CHECK_STEPS; k++) {
        double h = ff_check_step[k] * size;
        double rough = FF_CHECK_ROUNDING * (fabs(up[k]) + fabs(down[k]) + terms) / h;
        /* at a kink the slope is one-sided */
        const double d[3] = {(up[k] - down[k]) / (2 * h), (up[k] - middle) / h,
                             (middle - down[k]) / h};
        for (int e = 0; e < 3; e++) {
            best = fmin(best, ff_check_beyond(d[e] - slope, rough, fabs(d[e]) + fabs(slope)));
        }
    }
    return best;
}
