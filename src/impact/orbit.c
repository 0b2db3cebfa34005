/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "orbit.h"
#include "law/decay.h"
#include "num/bracket.h"
#include "num/elementary.h"
#include "series.h"
#include <float.h>
#include <math.h>
#include <string.h>

/* columns of the extrapolation: substeps 2, 4, ... 12, order 12. More columns would amplify rounding (the weights sum to 25
 * here, to 120 for eight columns) and save no work at 1e-15 */
#define COLUMNS 6
/* relative difference between orders 10 and 12: the remaining error is at rounding */
#define TOLERANCE 1e-13
/* an impact takes about 30 steps; a stiff one about delta */
#define MOST_STEPS 100000

enum { STATES_MOST = FF_ORBIT_STATES + FF_LAW_STATES };

#define ALWAYS_INLINE static inline __attribute__((always_inline))

static bool is_whole(double x) { return fabs(x - nearbyint(x)) < 1e-12; }

/* s^e for an integer e >= 0, also for s < 0, which keeps the orbit smooth across the end of a contact */
static double whole_power(double s, int e) {
    double out = 1;
    for (; e > 0; e >>= 1, s *= s) {
        if (e & 1) {
            out *= s;
        }
    }
    return out;
}

/* an exponent that is an integer but for rounding, if a and b are */
static double nearly(const ff_orbit *orbit, double e) { return orbit->whole ? nearbyint(e) : e; }

static double power_of(const ff_orbit *orbit, double s, double e) {
    return orbit->whole ? whole_power(s, (int)e) : s > 0 ? ff_pow(s, e) : e == 0 ? 1 : 0;
}

/* Scales of a power law: L = (m v^2/k)^(1/(n+1)). */
static void init_power(ff_orbit *orbit, const ff_power *law, double mass, double speed) {
    double n = law->n, p = law->p, depth = ff_pow(mass * speed * speed / law->k, 1 / (n + 1));
    *orbit = (ff_orbit){
        .n = n, .p = p, .count = FF_ORBIT_STATES, .clamp = law->clamps, .local = law->local};
    for (orbit->q = 1; orbit->q < 8 && !(is_whole(orbit->q * n) && is_whole(orbit->q * p));
         orbit->q++) {
    }
    orbit->whole = is_whole(orbit->q * n) && is_whole(orbit->q * p);
    orbit->a = orbit->q - 1 + orbit->q * n;
    orbit->b = orbit->q - 1 + orbit->q * p;
    if (orbit->whole) {
        orbit->a = nearbyint(orbit->a);
        orbit->b = nearbyint(orbit->b);
        /* at touch-down v has only terms of sigma^(a+1), sigma^(b+1) and higher: the series must contain them */
        orbit->in_series = fmax(orbit->a, orbit->b) < FF_SERIES_TERMS - 1;
    }
    orbit->closing = ff_power_delta(law, law->lambda, mass, speed);
    orbit->opening = ff_power_delta(law, law->lambda_out, mass, speed);
    /* T and W start as powers of sigma, whose relative error does not decrease with the step: it is relative to at least a
     * hundredth of their final values, T at least the largest depth, W about delta or 1 */
    double delta = fmax(orbit->closing, orbit->opening);
    /* beyond this, powers of depths and speeds underflow */
    orbit->in_series = orbit->in_series && delta < 1e60;
    if (orbit->in_series) {
        ff_series_init(orbit);
    }
    orbit->floor[FF_T] = 0.01 * fmin(1, ff_pow(delta, -1 / (p + 1)));
    orbit->floor[FF_W] = 0.01 * fmin(1, delta);
    /* closing goes to about s = 1, with strong damping to where delta Z^(p+1) is 1 */
    orbit->first = 0.1 * fmin(1, ff_pow(delta, -1 / (orbit->q * (p + 1))));
    if (law->local) {
        orbit->tau = orbit->opening / n;
        orbit->opening = -orbit->opening;
    }
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

/* whether s stands for Z + tau v */
static bool is_shifted(const ff_orbit *orbit, const ff_orbit_point y) {
    return orbit->local && y[FF_V] < 0;
}

double ff_orbit_depth(const ff_orbit *orbit, const ff_orbit_point y) {
    double depth = y[FF_S] > 0 ? whole_power(y[FF_S], orbit->q) : 0;
    return is_shifted(orbit, y) ? depth - orbit->tau * y[FF_V] : depth - orbit->below;
}

double ff_orbit_depth_power(const ff_orbit *orbit, const ff_orbit_point y, double e) {
    double s = fmax(y[FF_S], 0);
    if (is_shifted(orbit, y)) {
        return ff_pow(ff_orbit_depth(orbit, y), e);
    }
    return orbit->whole ? whole_power(s, (int)nearbyint(orbit->q * e)) : ff_pow(s, orbit->q * e);
}

double ff_orbit_force(const ff_orbit *orbit, const ff_orbit_point y) {
    if (orbit->law) {
        return ff_any_force(orbit, y);
    }
    if (is_shifted(orbit, y)) {
        return y[FF_S] > 0 ? power_of(orbit, y[FF_S], nearly(orbit, orbit->q * orbit->n)) : 0;
    }
    double v = y[FF_V], delta = v < 0 ? orbit->opening : orbit->closing;
    double force = ff_orbit_depth_power(orbit, y, orbit->n) +
                   delta * ff_orbit_depth_power(orbit, y, orbit->p) * v;
    return orbit->clamp ? fmax(force, 0) : force;
}

/* `any` is a compile-time constant: call the law for its force */
ALWAYS_INLINE void rates(const ff_orbit *orbit, bool any, double delta, const double *y,
                         double *dy) {
    if (any) {
        ff_any_rates(orbit, delta, y, dy);
        return;
    }
    double s = y[FF_S], v = y[FF_V], q = orbit->q;
    if (orbit->local && signbit(delta)) {
        double bed = power_of(orbit, s, nearly(orbit, q * orbit->n)),
               clock = q * whole_power(s, orbit->q - 1);
        dy[FF_S] = v - orbit->tau * bed;
        dy[FF_V] = -clock * bed;
        dy[FF_T] = clock;
        dy[FF_W] = clock * orbit->tau * bed * bed;
        return;
    }
    double damping = q * delta * power_of(orbit, s, orbit->b) * v;
    dy[FF_S] = v;
    dy[FF_V] = -q * power_of(orbit, s, orbit->a) - damping;
    dy[FF_T] = q * whole_power(s, orbit->q - 1);
    dy[FF_W] = damping * v;
}

/* Gragg's modified midpoint rule with 2, 4, ... substeps, extrapolated in the square of the substep (Aitken-Neville;
 * Hairer, Norsett and Wanner, Solving ODEs I, II.9). Uses increments, whose rounding errors are smaller than those of the
 * values. Returns the error relative to TOLERANCE. */
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
                    /* a state that stays 0 is exact; an overflow gives NAN, which is kept */
                    double part = gain == 0 ? 0 : fabs(gain) / fmax(size, floor);
                    error = part > error || isnan(part) ? part : error;
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

/* With p = n the force Z^n (1 + delta v) vanishes as v approaches -1/delta, and the motion continues at that speed: the
 * equations are as stiff as delta is large, but the solution is known in closed form. */
static bool coasts(const ff_orbit *orbit, double delta, const double *y, double *velocity) {
    if (orbit->law) {
        return ff_any_coasts(orbit, y, velocity);
    }
    *velocity = -1 / delta;
    /* the integration keeps v within a few units in the last place of -1/delta */
    return orbit->n == orbit->p && fabs(1 + delta * y[FF_V]) <= 16 * DBL_EPSILON;
}

static double stored(const ff_orbit *orbit, const double *y) {
    return orbit->law ? ff_any_stored(orbit, y)
                      : ff_orbit_depth_power(orbit, y, orbit->n + 1) / (orbit->n + 1);
}

/* Z = Z_0 + v T; the damper dissipates the energy of the spring. */
static void coast(const ff_orbit *orbit, double velocity, const double *from, double step,
                  double *to) {
    ff_orbit_point at = {from[FF_S] + velocity * step, velocity};
    at[FF_T] = from[FF_T] + (ff_orbit_depth(orbit, at) - ff_orbit_depth(orbit, from)) / velocity;
    at[FF_W] = from[FF_W] + (stored(orbit, from) - stored(orbit, at));
    memcpy(to, at, FF_ORBIT_STATES * sizeof *to);
}

/* A part of the motion that is known at any sigma without further steps: coasting, or a series. */
typedef struct {
    bool coasts;
    double velocity;
    ff_series series;
} stretch;

/* false if steps are needed */
static bool find_stretch(const ff_orbit *orbit, double delta, const double *from, stretch *out) {
    out->coasts = coasts(orbit, delta, from, &out->velocity);
    if (!out->coasts && orbit->in_series) {
        ff_series_expand(orbit, delta, from, &out->series);
    }
    return out->coasts || orbit->in_series;
}

static void stretch_at(const ff_orbit *orbit, const stretch *along, const double *from,
                       double sigma, double *to) {
    if (along->coasts) {
        coast(orbit, along->velocity, from, sigma, to);
    } else {
        ff_series_at(&along->series, sigma, to);
    }
}

/* The length of a step, after one of length `last`. Coasting goes to shortly beyond the end. 24 terms of a series cover at
 * most 2 radians of an oscillation, so that no event is hidden between two others; the limit on the change of step is for
 * series whose terms underflow. */
static double stretch_length(const ff_orbit *orbit, const stretch *along, const double *from,
                             double last) {
    return along->coasts ? -1.1 * from[FF_S] / along->velocity
                         : fmin(ff_series_reach(orbit, &along->series), 10 * last);
}

void ff_orbit_step(const ff_orbit *orbit, double delta, const ff_orbit_point from, double step,
                   ff_orbit_point to) {
    stretch along;
    if (find_stretch(orbit, delta, from, &along)) {
        stretch_at(orbit, &along, from, step, to);
    } else {
        extrapolate(orbit, delta, from, step, to);
    }
}

double ff_orbit_velocity_event(const ff_orbit *orbit, const ff_orbit_point y, double value) {
    (void)orbit;
    return y[FF_V] - value;
}

/* With clamp and p < n the force ends where Z^(n-p) + delta v = 0, otherwise at Z = 0. Expressed in s, in which the
 * function is not flat if delta, and with it the depth of the end, is small. */
double ff_orbit_end_event(const ff_orbit *orbit, const ff_orbit_point y, double value) {
    double s = y[FF_S];
    if (orbit->law && value == 0) {
        return ff_any_end(orbit, y);
    }
    if (orbit->law || orbit->local || s <= 0 || !orbit->clamp || orbit->p >= orbit->n) {
        return s;
    }
    return s - ff_pow(fmax(-orbit->opening * y[FF_V], 0), 1 / (orbit->q * (orbit->n - orbit->p)));
}

/* Runge-Kutta step of order 4, for a few thousandths of a step, where its error is far below rounding. */
static void short_step(const ff_orbit *orbit, double delta, const double *from, double step,
                       double *to) {
    static const double parts[] = {0.5, 0.5, 1};
    double y[STATES_MOST], dy[STATES_MOST], sum[STATES_MOST];
    const size_t size = (size_t)orbit->count * sizeof *y;
    rates(orbit, orbit->law, delta, from, dy);
    memcpy(sum, dy, size);
    for (int stage = 0; stage < 3; stage++) {
        for (int i = 0; i < orbit->count; i++) {
            y[i] = from[i] + parts[stage] * step * dy[i];
        }
        rates(orbit, orbit->law, delta, y, dy);
        for (int i = 0; i < orbit->count; i++) {
            sum[i] += stage < 2 ? 2 * dy[i] : dy[i];
        }
    }
    for (int i = 0; i < orbit->count; i++) {
        to[i] = from[i] + step / 6 * sum[i];
    }
}

/* The fraction of a step at which the event function is 0, from the cubic that matches points and rates at both ends. */
static double guess_part(const ff_orbit *orbit, double delta, ff_orbit_event event, double value,
                         const ff_orbit_point from, double step, const ff_orbit_point to) {
    ff_orbit_point y, first, last;
    ff_bracket b = {
        .high = 1, .g_low = -event(orbit, from, value), .g_high = -event(orbit, to, value)};
    rates(orbit, orbit->law, delta, from, first);
    rates(orbit, orbit->law, delta, to, last);
    /* the error of the cubic is about 1e-4 of a step */
    while (ff_bracket_wider(&b, 1e-4)) {
        double at = ff_bracket_guess(&b), rest = 1 - at;
        for (int i = 0; i < orbit->count; i++) {
            double by = to[i] - from[i];
            y[i] = rest * from[i] + at * to[i] +
                   at * rest * (rest * (step * first[i] - by) - at * (step * last[i] - by));
        }
        ff_bracket_narrow(&b, at, -event(orbit, y, value));
    }
    return b.low;
}

/* how far before a guess the step ends, and how far short steps continue from there, as fractions of a step */
#define MARGIN 1e-3
#define REACH 4e-3

static double locate_along(const ff_orbit *orbit, const stretch *along, ff_orbit_event event,
                           double value, const ff_orbit_point from, double step,
                           ff_orbit_point to) {
    ff_bracket b = {
        .high = step, .g_low = -event(orbit, from, value), .g_high = -event(orbit, to, value)};
    while (ff_bracket_wider(&b, FF_BRACKET_FINE * step)) {
        double h = ff_bracket_guess(&b);
        stretch_at(orbit, along, from, h, to);
        ff_bracket_narrow(&b, h, -event(orbit, to, value));
    }
    stretch_at(orbit, along, from, b.high, to);
    return b.high;
}

/* Locates an event with steps: one to shortly before a guess, and from there short ones by regula falsi, to the last bit. */
static double locate_by_steps(const ff_orbit *orbit, double delta, ff_orbit_event event,
                              double value, const ff_orbit_point from, double step,
                              ff_orbit_point to) {
    const size_t size = (size_t)orbit->count * sizeof *from;
    ff_orbit_point before, next;
    /* the event is within `length` after `before`; `to` is the point at its end */
    double gone = 0, length = step;
    memcpy(before, from, size);
    /* each iteration advances by at least REACH, or finds a guess beyond the event */
    for (int turn = 0; turn < 500 && length > 0; turn++) {
        double part = guess_part(orbit, delta, event, value, before, length, to);
        double h = part * length - MARGIN * step;
        if (h > 0) {
            extrapolate(orbit, delta, before, h, next);
            if (!(event(orbit, next, value) > 0)) {
                length = h;
                memcpy(to, next, size);
                continue;
            }
            memcpy(before, next, size);
            gone += h;
            length -= h;
        }
        h = fmin(REACH * step, length);
        short_step(orbit, delta, before, h, next);
        ff_bracket b = {
            .high = h, .g_low = -event(orbit, before, value), .g_high = -event(orbit, next, value)};
        if (b.g_high >= 0) {
            while (ff_bracket_wider(&b, FF_BRACKET_FINE * step)) {
                h = ff_bracket_guess(&b);
                short_step(orbit, delta, before, h, next);
                ff_bracket_narrow(&b, h, -event(orbit, next, value));
            }
            short_step(orbit, delta, before, b.high, to);
            return gone + b.high;
        }
        memcpy(before, next, size);
        gone += h;
        length -= h;
    }
    return gone + length;
}

double ff_orbit_locate(const ff_orbit *orbit, double delta, ff_orbit_event event, double value,
                       const ff_orbit_point from, double step, ff_orbit_point to) {
    stretch along;
    return find_stretch(orbit, delta, from, &along)
               ? locate_along(orbit, &along, event, value, from, step, to)
               : locate_by_steps(orbit, delta, event, value, from, step, to);
}

/* a depth of 1e-12 L, below which the end of the force is taken to be that of the depth */
#define NEAR 1e-3

static double depth_event(const ff_orbit *orbit, const ff_orbit_point y, double value) {
    (void)orbit;
    return y[FF_S] - value;
}

/* Whether a contact under any law ends in a step; `value` tells which end event it is. */
static bool any_ends(const ff_orbit *orbit, double phase, const ff_orbit_point y, double step,
                     const ff_orbit_point next, double *value) {
    *value = 0;
    if (next[FF_S] > 0) {
        return ff_any_let_go(orbit, next);
    }
    /* the force may have ended shortly before the depth */
    ff_orbit_point near;
    memcpy(near, next, (size_t)orbit->count * sizeof *near);
    if (y[FF_S] > NEAR) {
        ff_orbit_locate(orbit, phase, depth_event, NEAR, y, step, near);
    }
    *value = !(y[FF_S] > NEAR && ff_any_let_go(orbit, near));
    return true;
}

ff_status ff_orbit_until(const ff_orbit *orbit, double delta, ff_orbit_event event, double value,
                         ff_orbit_point y, ff_orbit_run *run, ff_orbit_watch watch, void *user) {
    double step = run->step > 0 ? run->step : orbit->first;
    for (int count = 0; count < MOST_STEPS; count++) {
        ff_orbit_point next;
        stretch along;
        double factor = 1;
        run->steps++;
        bool known = find_stretch(orbit, delta, y, &along);
        if (known) {
            step = stretch_length(orbit, &along, y, step);
            stretch_at(orbit, &along, y, step, next);
        } else {
            double error = extrapolate(orbit, delta, y, step, next);
            /* limits on the change of step keep the control stable; order 11 of the estimate */
            factor = fmin(fmax(0.8 * ff_pow(error + 1e-30, -1.0 / 11), 0.1), 3);
            if (!(error <= 1)) {
                step *= isfinite(error) ? fmin(factor, 0.8) : 0.1;
                continue;
            }
        }
        double at = value, taken = step;
        bool over = event(orbit, next, value) <= 0;
        if (over && orbit->law && event == ff_orbit_end_event) {
            over = any_ends(orbit, delta, y, step, next, &at);
        }
        if (over) {
            taken = known ? locate_along(orbit, &along, event, at, y, step, next)
                          : locate_by_steps(orbit, delta, event, at, y, step, next);
        }
        run->sigma += taken;
        if (watch) {
            watch(user, orbit, y, next, taken, delta);
        }
        memcpy(y, next, (size_t)orbit->count * sizeof *y);
        step *= factor;
        if (over) {
            run->step = step;
            return FF_OK;
        }
        if (orbit->law && orbit->law->adhesion > 0 && delta == orbit->opening && y[FF_V] > 0) {
            return FF_ENDLESS;
        }
    }
    return FF_TOO_STIFF;
}
