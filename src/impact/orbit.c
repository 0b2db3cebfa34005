/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "orbit.h"
#include "law/decay.h"
#include "num/bracket.h"
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

enum { STATES_MOST = FF_ORBIT_STATES + FF_LAW_STATES };

#define ALWAYS_INLINE static inline __attribute__((always_inline))

static bool is_whole(double x) { return fabs(x - nearbyint(x)) < 1e-12; }

/* s^e for a whole e >= 0, also for s < 0, which keeps the orbit smooth across the end of a contact */
static double whole_power(double s, int e) {
    double out = 1;
    for (; e > 0; e >>= 1, s *= s) {
        if (e & 1) {
            out *= s;
        }
    }
    return out;
}

static double power_of(const ff_orbit *orbit, double s, double e) {
    return orbit->whole ? whole_power(s, (int)e) : s > 0 ? ff_pow(s, e) : e == 0 ? 1 : 0;
}

/* A power law's own scales: L = (m v^2/k)^(1/(n+1)). */
static void init_power(ff_orbit *orbit, const ff_power *law, double mass, double speed) {
    double n = law->n, p = law->p, depth = ff_pow(mass * speed * speed / law->k, 1 / (n + 1));
    *orbit = (ff_orbit){.n = n, .p = p, .count = FF_ORBIT_STATES, .clamp = law->clamps};
    for (orbit->q = 1; orbit->q < 8 && !(is_whole(orbit->q * n) && is_whole(orbit->q * p));
         orbit->q++) {
    }
    orbit->whole = is_whole(orbit->q * n) && is_whole(orbit->q * p);
    orbit->a = orbit->q - 1 + orbit->q * n;
    orbit->b = orbit->q - 1 + orbit->q * p;
    if (orbit->whole) {
        orbit->a = nearbyint(orbit->a);
        orbit->b = nearbyint(orbit->b);
    }
    orbit->closing = ff_power_delta(law, law->lambda, mass, speed);
    orbit->opening = ff_power_delta(law, law->lambda_out, mass, speed);
    /* T and W start as powers of sigma, whose relative error no small step improves: it counts from
     * a hundredth of what they come to, T at least the greatest depth, W about delta or 1 */
    double delta = fmax(orbit->closing, orbit->opening);
    orbit->floor[FF_T] = 0.01 * fmin(1, ff_pow(delta, -1 / (p + 1)));
    orbit->floor[FF_W] = 0.01 * fmin(1, delta);
    orbit->scale = (ff_orbit_scale){.depth = depth,
                                    .time = depth / speed,
                                    .speed = speed,
                                    .force = mass * speed * speed / depth};
}

static bool is_held(double x) { return x > 0 && isfinite(x); }

bool ff_orbit_init(ff_orbit *orbit, const ff_normal *law, double mass, double speed) {
    ff_power power;
    if (ff_normal_power(law, speed, &power)) {
        init_power(orbit, &power, mass, speed);
    } else {
        ff_any_init(orbit, law, mass, speed);
    }
    const ff_orbit_scale *scale = &orbit->scale;
    return is_held(scale->depth) && is_held(scale->time) && is_held(scale->force) &&
           (orbit->law || (isfinite(orbit->closing) && isfinite(orbit->opening)));
}

void ff_orbit_start(const ff_orbit *orbit, ff_orbit_point y) {
    y[FF_S] = y[FF_T] = y[FF_W] = 0;
    y[FF_V] = 1;
    if (orbit->law) {
        ff_any_start(orbit, y);
    }
}

double ff_orbit_depth(const ff_orbit *orbit, const ff_orbit_point y) {
    return y[FF_S] > 0 ? whole_power(y[FF_S], orbit->q) : 0;
}

double ff_orbit_force(const ff_orbit *orbit, const ff_orbit_point y) {
    if (orbit->law) {
        return ff_any_force(orbit, y);
    }
    double z = ff_orbit_depth(orbit, y), v = y[FF_V];
    double force =
        ff_pow(z, orbit->n) + (v < 0 ? orbit->opening : orbit->closing) * ff_pow(z, orbit->p) * v;
    return orbit->clamp ? fmax(force, 0) : force;
}

/* `any` is a constant: the law is asked for its force */
ALWAYS_INLINE void rates(const ff_orbit *orbit, bool any, double delta, const double *y,
                         double *dy) {
    if (any) {
        ff_any_rates(orbit, y, dy);
        return;
    }
    double s = y[FF_S], v = y[FF_V], q = orbit->q;
    double damping = q * delta * power_of(orbit, s, orbit->b) * v;
    dy[FF_S] = v;
    dy[FF_V] = -q * power_of(orbit, s, orbit->a) - damping;
    dy[FF_T] = q * whole_power(s, orbit->q - 1);
    dy[FF_W] = damping * v;
}

/* Gragg's modified midpoint rule with 2, 4, ... substeps, extrapolated in the square of the substep
 * (Aitken-Neville; Hairer, Norsett and Wanner, Solving ODEs I, II.9). Works on increments, whose
 * rounding is smaller than that of the values. Returns the error relative to TOLERANCE. */
ALWAYS_INLINE double extrapolate_of(const ff_orbit *orbit, bool any, double delta,
                                    const double *from, double step, double *to) {
    const int count = any ? orbit->count : FF_ORBIT_STATES;
    double start[STATES_MOST], table[COLUMNS * STATES_MOST], error = 0;
    rates(orbit, any, delta, from, start);
    for (int j = 0; j < COLUMNS; j++) {
        int subs = 2 * (j + 1);
        double h = step / subs, odd[STATES_MOST], even[STATES_MOST];
        double y[STATES_MOST], dy[STATES_MOST];
        for (int i = 0; i < count; i++) {
            odd[i] = h * start[i];
            even[i] = 0;
        }
        for (int sub = 1; sub < subs; sub++) {
            double *last = sub % 2 ? odd : even, *next = sub % 2 ? even : odd;
            for (int i = 0; i < count; i++) {
                y[i] = from[i] + last[i];
            }
            rates(orbit, any, delta, y, dy);
            for (int i = 0; i < count; i++) {
                next[i] += 2 * h * dy[i];
            }
        }
        memcpy(table + j * count, even, (size_t)count * sizeof *even);
        for (int back = j - 1; back >= 0; back--) {
            double ratio = (double)(j + 1) / (back + 1);
            for (int i = 0; i < count; i++) {
                double *low = &table[back * count + i], *high = low + count;
                double gain = (*high - *low) / (ratio * ratio - 1);
                if (j == COLUMNS - 1 && back == 0) {
                    double size = fmax(fabs(from[i]), fabs(from[i] + even[i]));
                    double floor = i < FF_ORBIT_STATES ? orbit->floor[i]
                                                       : ff_any_floor(orbit, i - FF_ORBIT_STATES);
                    error = fmax(error, fabs(gain) / fmax(size, floor));
                }
                *low = *high + gain;
            }
        }
    }
    for (int i = 0; i < count; i++) {
        to[i] = from[i] + table[i];
    }
    return error / TOLERANCE;
}

static double extrapolate(const ff_orbit *orbit, double delta, const double *from, double step,
                          double *to) {
    return orbit->law ? extrapolate_of(orbit, true, delta, from, step, to)
                      : extrapolate_of(orbit, false, delta, from, step, to);
}

void ff_orbit_step(const ff_orbit *orbit, double delta, const ff_orbit_point from, double step,
                   ff_orbit_point to) {
    extrapolate(orbit, delta, from, step, to);
}

double ff_orbit_velocity_event(const ff_orbit *orbit, const ff_orbit_point y, double value) {
    (void)orbit;
    return y[FF_V] - value;
}

/* Under clamp with p < n the force ends where Z^(n-p) + delta v = 0, otherwise at Z = 0. */
double ff_orbit_end_event(const ff_orbit *orbit, const ff_orbit_point y, double value) {
    double s = y[FF_S];
    if (orbit->law && value == 0) {
        return ff_any_end(orbit, y);
    }
    if (orbit->law || s <= 0 || !orbit->clamp || orbit->p >= orbit->n) {
        return s;
    }
    return ff_pow(s, orbit->q * (orbit->n - orbit->p)) + orbit->opening * y[FF_V];
}

/* The stretch of sigma after which the event function is 0, between 0 (positive) and `step` (not positive), each value
 * from a fresh step, to the last bit. */
double ff_orbit_locate(const ff_orbit *orbit, double delta, ff_orbit_event event, double value,
                       const ff_orbit_point from, double step, ff_orbit_point to) {
    ff_bracket b = {
        .high = step, .g_low = -event(orbit, from, value), .g_high = -event(orbit, to, value)};
    while (b.turn < 500 && b.g_high > 0) {
        double h = ff_bracket_guess(&b);
        if (!(h > b.low && h < b.high)) {
            break;
        }
        extrapolate(orbit, delta, from, h, to);
        ff_bracket_narrow(&b, h, -event(orbit, to, value));
    }
    extrapolate(orbit, delta, from, b.high, to);
    return b.high;
}

/* a depth of 1e-12 L, below which the end of a force is that of the depth */
#define NEAR 1e-3

static double depth_event(const ff_orbit *orbit, const ff_orbit_point y, double value) {
    (void)orbit;
    return y[FF_S] - value;
}

/* Whether a contact under any law ends in a step; `value` tells the end event by what. */
static bool any_ends(const ff_orbit *orbit, const ff_orbit_point y, double step,
                     const ff_orbit_point next, double *value) {
    *value = 0;
    if (next[FF_S] > 0) {
        return ff_any_let_go(orbit, next);
    }
    /* the force may have ended shortly before the depth */
    ff_orbit_point near;
    memcpy(near, next, (size_t)orbit->count * sizeof *near);
    if (y[FF_S] > NEAR) {
        ff_orbit_locate(orbit, 0, depth_event, NEAR, y, step, near);
    }
    *value = !(y[FF_S] > NEAR && ff_any_let_go(orbit, near));
    return true;
}

ff_status ff_orbit_until(const ff_orbit *orbit, double delta, ff_orbit_event event, double value,
                         ff_orbit_point y, double *sigma, int *steps, ff_orbit_watch watch,
                         void *user) {
    /* small against the impact, so that no event hides in the first step */
    double step = 0.01;
    for (int count = 0; count < MOST_STEPS; count++) {
        ff_orbit_point next;
        double error = extrapolate(orbit, delta, y, step, next);
        /* a bound on the change of step keeps the controller steady; order 11 for the estimate */
        double factor = fmin(fmax(0.8 * ff_pow(error + 1e-30, -1.0 / 11), 0.1), 3);
        ++*steps;
        if (!(error <= 1)) {
            step *= isfinite(error) ? fmin(factor, 0.5) : 0.1;
            continue;
        }
        double at = value;
        bool over = event(orbit, next, value) <= 0;
        if (over && orbit->law && event == ff_orbit_end_event) {
            over = any_ends(orbit, y, step, next, &at);
        }
        double taken = over ? ff_orbit_locate(orbit, delta, event, at, y, step, next) : step;
        *sigma += taken;
        if (watch) {
            watch(user, orbit, y, next, taken, delta);
        }
        memcpy(y, next, (size_t)orbit->count * sizeof *y);
        if (over) {
            return FF_OK;
        }
        step *= factor;
    }
    return FF_TOO_STIFF;
}
