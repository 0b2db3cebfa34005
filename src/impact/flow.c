/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "flow.h"
#include "law/decay.h"
#include "num/elementary.h"
#include <math.h>
#include <string.h>

/* columns of the extrapolation: substeps 2, 4, ... 12, order 12. More columns would multiply the
 * rounding (weights sum to 25 here, to 120 for eight columns) and save no work at 1e-15 */
#define COLUMNS 6
/* relative, of the difference between orders 10 and 12: what is left is at rounding */
#define TOLERANCE 1e-13
/* an impact takes about 30 steps; a stiff one about delta of them */
#define MOST_STEPS 100000

static bool is_whole(double x) { return fabs(x - nearbyint(x)) < 1e-12; }

/* s^e for a whole e >= 0, also for s < 0, which keeps the flow smooth across the end of a contact */
static double whole_power(double s, int e) {
    double out = 1;
    for (; e > 0; e >>= 1, s *= s) {
        if (e & 1) {
            out *= s;
        }
    }
    return out;
}

static double power_of(const ff_flow *flow, double s, double e) {
    return flow->whole ? whole_power(s, (int)e) : s > 0 ? ff_pow(s, e) : e == 0 ? 1 : 0;
}

bool ff_flow_init(ff_flow *flow, ff_flow_scale *scale, const ff_normal *law, double mass,
                  double speed) {
    if (law->law->point || law->law->inner == FF_INNER_RATE) {
        return false;
    }
    double n = law->n, p = law->p;
    double per = law->law->inner == FF_INNER_SPEED ? 1 / fmax(speed, law->v_min) : 1;
    flow->n = n;
    flow->p = p;
    for (flow->q = 1; flow->q < 8 && !(is_whole(flow->q * n) && is_whole(flow->q * p)); flow->q++) {
    }
    flow->whole = is_whole(flow->q * n) && is_whole(flow->q * p);
    flow->a = flow->q - 1 + flow->q * n;
    flow->b = flow->q - 1 + flow->q * p;
    if (flow->whole) {
        flow->a = nearbyint(flow->a);
        flow->b = nearbyint(flow->b);
    }
    flow->closing = ff_power_delta(law, law->lambda * per, mass, speed);
    flow->opening = ff_power_delta(law, law->lambda_out * per, mass, speed);
    flow->clamp = law->least == 0;
    /* T and W start as powers of sigma, whose relative error no small step improves: it counts from
     * a hundredth of what they come to, T at least the greatest depth, W about delta or 1 */
    double delta = fmax(flow->closing, flow->opening);
    memset(flow->floor, 0, sizeof flow->floor);
    flow->floor[FF_T] = 0.01 * fmin(1, ff_pow(delta, -1 / (p + 1)));
    flow->floor[FF_W] = 0.01 * fmin(1, delta);
    scale->speed = speed;
    scale->depth = ff_pow(mass * speed * speed / law->k, 1 / (n + 1));
    scale->time = scale->depth / speed;
    scale->force = mass * speed * speed / scale->depth;
    return true;
}

double ff_flow_depth(const ff_flow *flow, const ff_flow_point y) {
    return y[FF_S] > 0 ? whole_power(y[FF_S], flow->q) : 0;
}

double ff_flow_force(const ff_flow *flow, const ff_flow_point y) {
    double z = ff_flow_depth(flow, y), v = y[FF_V];
    double force =
        ff_pow(z, flow->n) + (v < 0 ? flow->opening : flow->closing) * ff_pow(z, flow->p) * v;
    return flow->clamp ? fmax(force, 0) : force;
}

static void rates(const ff_flow *flow, double delta, const double *y, double *dy) {
    double s = y[FF_S], v = y[FF_V], q = flow->q;
    double damping = q * delta * power_of(flow, s, flow->b) * v;
    dy[FF_S] = v;
    dy[FF_V] = -q * power_of(flow, s, flow->a) - damping;
    dy[FF_T] = q * whole_power(s, flow->q - 1);
    dy[FF_W] = damping * v;
}

/* Gragg's modified midpoint rule with 2, 4, ... substeps, extrapolated in the square of the substep
 * (Aitken-Neville; Hairer, Norsett and Wanner, Solving ODEs I, II.9). Works on increments, whose
 * rounding is smaller than that of the values. Returns the error relative to TOLERANCE. */
static double extrapolate(const ff_flow *flow, double delta, const double *from, double step,
                          double *to) {
    double start[FF_FLOW_STATES], table[COLUMNS][FF_FLOW_STATES], error = 0;
    rates(flow, delta, from, start);
    for (int j = 0; j < COLUMNS; j++) {
        int count = 2 * (j + 1);
        double h = step / count, odd[FF_FLOW_STATES], even[FF_FLOW_STATES] = {0};
        double y[FF_FLOW_STATES], dy[FF_FLOW_STATES];
        for (int i = 0; i < FF_FLOW_STATES; i++) {
            odd[i] = h * start[i];
        }
        for (int sub = 1; sub < count; sub++) {
            double *last = sub % 2 ? odd : even, *next = sub % 2 ? even : odd;
            for (int i = 0; i < FF_FLOW_STATES; i++) {
                y[i] = from[i] + last[i];
            }
            rates(flow, delta, y, dy);
            for (int i = 0; i < FF_FLOW_STATES; i++) {
                next[i] += 2 * h * dy[i];
            }
        }
        memcpy(table[j], even, sizeof even);
        for (int back = j - 1; back >= 0; back--) {
            double ratio = (double)(j + 1) / (back + 1);
            for (int i = 0; i < FF_FLOW_STATES; i++) {
                double gain = (table[back + 1][i] - table[back][i]) / (ratio * ratio - 1);
                if (j == COLUMNS - 1 && back == 0) {
                    double size = fmax(fabs(from[i]), fabs(from[i] + even[i]));
                    error = fmax(error, fabs(gain) / fmax(size, flow->floor[i]));
                }
                table[back][i] = table[back + 1][i] + gain;
            }
        }
    }
    for (int i = 0; i < FF_FLOW_STATES; i++) {
        to[i] = from[i] + table[0][i];
    }
    return error / TOLERANCE;
}

void ff_flow_step(const ff_flow *flow, double delta, const ff_flow_point from, double step,
                  ff_flow_point to) {
    extrapolate(flow, delta, from, step, to);
}

double ff_flow_velocity_event(const ff_flow *flow, const ff_flow_point y, double value) {
    (void)flow;
    return y[FF_V] - value;
}

/* Under clamp with p < n the force ends where Z^(n-p) + delta v = 0, otherwise at Z = 0. */
double ff_flow_end_event(const ff_flow *flow, const ff_flow_point y, double value) {
    (void)value;
    double s = y[FF_S];
    if (s <= 0 || !flow->clamp || flow->p >= flow->n) {
        return s;
    }
    return ff_pow(s, flow->q * (flow->n - flow->p)) + flow->opening * y[FF_V];
}

/* The stretch of sigma after which the event function is 0, between 0 (positive) and `step` (not
 * positive): regula falsi with Illinois' correction, each value from a fresh step. */
double ff_flow_locate(const ff_flow *flow, double delta, ff_flow_event event, double value,
                      const ff_flow_point from, double step, ff_flow_point to) {
    double low = 0, high = step, g_low = event(flow, from, value), g_high = event(flow, to, value);
    int side = 0;
    /* 100 turns would be enough for bisection alone */
    for (int turn = 0; turn < 100 && g_high < 0; turn++) {
        double h = high - g_high * (high - low) / (g_high - g_low);
        /* bisect now and then, in case the secant makes no way */
        if (!(h > low && h < high) || turn % 8 == 7) {
            h = low + (high - low) / 2;
        }
        if (!(h > low && h < high)) {
            break;
        }
        extrapolate(flow, delta, from, h, to);
        double g = event(flow, to, value);
        if (g <= 0) {
            g_low *= side < 0 ? 0.5 : 1;
            side = -1;
            high = h;
            g_high = g;
        } else {
            g_high *= side > 0 ? 0.5 : 1;
            side = 1;
            low = h;
            g_low = g;
        }
    }
    extrapolate(flow, delta, from, high, to);
    return high;
}

ff_status ff_flow_until(const ff_flow *flow, double delta, ff_flow_event event, double value,
                        ff_flow_point y, double *sigma, int *steps, ff_flow_watch watch,
                        void *user) {
    /* small against the impact, so that no event hides in the first step */
    double step = 0.01;
    for (int count = 0; count < MOST_STEPS; count++) {
        ff_flow_point next;
        double error = extrapolate(flow, delta, y, step, next);
        /* a bound on the change of step keeps the controller steady; order 11 for the estimate */
        double factor = fmin(fmax(0.8 * ff_pow(error + 1e-30, -1.0 / 11), 0.1), 3);
        ++*steps;
        if (!(error <= 1)) {
            step *= isfinite(error) ? fmin(factor, 0.5) : 0.1;
            continue;
        }
        bool over = event(flow, next, value) <= 0;
        double taken = over ? ff_flow_locate(flow, delta, event, value, y, step, next) : step;
        *sigma += taken;
        if (watch) {
            watch(user, flow, y, next, taken, delta);
        }
        memcpy(y, next, sizeof next);
        if (over) {
            return FF_OK;
        }
        step *= factor;
    }
    return FF_TOO_STIFF;
}
