/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "law/decay.h"
#include "num/elementary.h"
#include "orbit.h"
#include "universal.h"
#include <math.h>
#include <string.h>

/* d(force)/dT times the positive power of Z that keeps it finite at Z = 0; `delta` is the damping */
static double force_slope(const ff_orbit *orbit, const ff_orbit_point y, double delta) {
    if (orbit->law) {
        return ff_any_force_slope(orbit, y);
    }
    double v = y[FF_V], n = orbit->n, p = orbit->p, m = fmin(n, p);
    double force =
        ff_orbit_depth_power(orbit, y, n) + delta * ff_orbit_depth_power(orbit, y, p) * v;
    if (p == 0) {
        return n * ff_orbit_depth_power(orbit, y, n - 1) * v - delta * force;
    }
    return n * ff_orbit_depth_power(orbit, y, n - m) * v +
           delta * p * ff_orbit_depth_power(orbit, y, p - m) * v * v -
           delta * ff_orbit_depth_power(orbit, y, p + 1 - m) * force;
}

typedef struct {
    double force, depth;
} peak;

static void raise_peak(peak *best, const ff_orbit *orbit, const ff_orbit_point y) {
    double force = ff_orbit_force(orbit, y);
    if (force > best->force) {
        *best = (peak){force, ff_orbit_depth(orbit, y)};
    }
}

static void watch_peak(void *user, const ff_orbit *orbit, const ff_orbit_point before,
                       const ff_orbit_point after, double step, double delta) {
    raise_peak(user, orbit, after);
    if (force_slope(orbit, before, delta) > 0 && force_slope(orbit, after, delta) <= 0) {
        ff_orbit_point y;
        memcpy(y, after, (size_t)orbit->count * sizeof *y);
        ff_orbit_locate(orbit, delta, force_slope, delta, before, step, y);
        raise_peak(user, orbit, y);
    }
}

/* Integrates both phases from touch-down, or only closing: `deepest` is the deepest point, `end` the end. */
static ff_status go(const ff_orbit *orbit, bool both, ff_orbit_point deepest, ff_orbit_point end,
                    int *steps, peak *best) {
    ff_orbit_run run = {0};
    ff_orbit_watch watch = best ? watch_peak : NULL;
    ff_orbit_start(orbit, end);
    ff_status status =
        ff_orbit_until(orbit, orbit->closing, ff_orbit_velocity_event, 0, end, &run, watch, best);
    memcpy(deepest, end, (size_t)orbit->count * sizeof *end);
    if (status == FF_OK && both) {
        /* while a power law opens, its force is below Z^n, which is at most the force at the deepest point */
        status = ff_orbit_until(orbit, orbit->opening, ff_orbit_end_event, 0, end, &run,
                                orbit->law ? watch : NULL, best);
    }
    *steps = run.steps;
    return status;
}

/* The loss according to the law: W, and the remaining spring energy. */
static double lost_at(const ff_orbit *orbit, const ff_orbit_point end) {
    if (orbit->law) {
        ff_orbit_point start;
        ff_orbit_start(orbit, start);
        return end[FF_W] + ff_any_stored(orbit, end) - ff_any_stored(orbit, start);
    }
    const double last =
        orbit->local ? ff_pow(fmax(end[FF_S], 0), orbit->q) : ff_orbit_depth(orbit, end);
    return end[FF_W] + ff_pow(last, orbit->n + 1) / (orbit->n + 1);
}

/* The separation speed from the loss, which is accurate if e is near 1. If much is lost, or a law's energy does not balance
 * (within 10 times the integration error), from the velocity itself. */
static double decay_at(const ff_orbit *orbit, const ff_orbit_point end) {
    double lost = lost_at(orbit, end), decay = -0.5 * ff_log1p(-2 * lost);
    bool closes = !orbit->law || fabs(end[FF_V] * end[FF_V] - (1 - 2 * lost)) < 1e-11;
    return lost < 0.25 && closes ? decay : -ff_log(-end[FF_V]);
}

/* With tension and p < (n-1)/2 a sufficiently slow opening creeps along Z' = -Z^(n-p)/delta forever: its attraction rate
 * delta Z^p grows relative to the creep rate Z^(n-p-1)/delta. Any other law that may pull may keep the body in contact. */
static bool may_creep(const ff_orbit *orbit) {
    return !orbit->clamp && (orbit->law || orbit->p < (orbit->n - 1) / 2);
}

double ff_orbit_decay(const ff_orbit *orbit) {
    ff_orbit_point deepest, end;
    int steps;
    ff_status status = go(orbit, true, deepest, end, &steps, NULL);
    return status == FF_OK ? decay_at(orbit, end)
           : status == FF_ENDLESS || (status == FF_TOO_STIFF && may_creep(orbit)) ? HUGE_VAL
                                                                                  : (double)NAN;
}

/* from a closed form or the universal function; NAN if there is neither */
static double known_decay(const ff_normal *law, double mass, double speed) {
    ff_power power;
    double decay = law->law->decay ? law->law->decay(law, mass, speed) : (double)NAN;
    if (isnan(decay) && ff_normal_power(law, speed, &power) && power.n == 1.5 && power.clamps &&
        power.lambda_out == power.lambda) {
        const double delta = ff_power_delta(&power, power.lambda, mass, speed);
        decay = power.local ? ff_universal_row(FF_UNIVERSAL_LOCAL, delta, NULL)
                            : ff_universal_decay(power.p, delta, NULL);
    }
    return decay;
}

/* Quantities that follow from -ln e and from where and when the force ended. */
static void finish(ff_impact *out, double decay) {
    out->decay = decay;
    out->restitution = ff_exp(-decay);
    out->loss = -ff_expm1(-decay);
    out->energy_lost = -0.5 * out->mass * out->speed * out->speed * ff_expm1(-2 * decay);
    /* the impulse that stops the mass, and the one that accelerates it back */
    double closing = out->mass * out->speed, opening = closing * out->restitution;
    out->impulse = closing + opening;
    out->impulse_ratio = opening / closing;
    out->clear_time = out->contact_time;
    if (out->end_depth > 0) {
        out->clear_time += out->end_depth / (out->restitution * out->speed);
    }
}

static ff_status solve_flow(const ff_orbit *orbit, double decay, ff_impact *out) {
    ff_orbit_point deepest, end;
    const ff_orbit_scale *scale = &orbit->scale;
    peak best = {0};
    ff_orbit_start(orbit, end);
    raise_peak(&best, orbit, end);
    ff_status status = go(orbit, !isinf(decay), deepest, end, &out->steps, &best);
    if ((isinf(decay) && status == FF_OK) || status == FF_ENDLESS ||
        (status == FF_TOO_STIFF && may_creep(orbit))) {
        /* only the closing phase ends */
        decay = INFINITY;
        end[FF_S] = 0;
        end[FF_T] = INFINITY;
        status = FF_ENDLESS;
    }
    if (status < 0) {
        return status;
    }
    out->max_depth = scale->depth * ff_orbit_depth(orbit, deepest);
    out->max_depth_time = scale->time * deepest[FF_T];
    out->max_force = scale->force * best.force;
    out->max_force_depth = scale->depth * best.depth;
    out->end_depth = scale->depth * ff_orbit_depth(orbit, end);
    out->contact_time = scale->time * end[FF_T];
    finish(out, isnan(decay) ? decay_at(orbit, end) : decay);
    return status;
}

/* ---- public functions ---- */

static bool legal(const ff_normal *law, double mass, double speed) {
    return ff_normal_check(law, NULL) == FF_OK && mass > 0 && speed > 0 && isfinite(mass) &&
           isfinite(speed);
}

ff_status ff_impact_solve(const ff_normal *law, double mass, double speed, ff_impact *out) {
    ff_orbit orbit;
    *out = (ff_impact){.mass = mass, .speed = speed, .delta = NAN};
    if (!legal(law, mass, speed)) {
        return FF_BAD_VALUE;
    }
    if (law->law->impact) {
        ff_status status = law->law->impact(law, mass, speed, out);
        if (status >= 0) {
            finish(out, out->decay);
        }
        return status;
    }
    /* results out of the range of doubles are refused */
    if (!ff_orbit_init(&orbit, law, mass, speed)) {
        return FF_BAD_VALUE;
    }
    out->delta = ff_impact_delta(law, mass, speed);
    return solve_flow(&orbit, known_decay(law, mass, speed), out);
}

double ff_impact_decay(const ff_normal *law, double mass, double speed) {
    ff_orbit orbit;
    ff_impact impact = {.mass = mass, .speed = speed};
    if (!legal(law, mass, speed)) {
        return (double)NAN;
    }
    double decay = known_decay(law, mass, speed);
    if (!isnan(decay)) {
        return decay;
    }
    if (law->law->impact) {
        return law->law->impact(law, mass, speed, &impact) < 0 ? (double)NAN : impact.decay;
    }
    return ff_orbit_init(&orbit, law, mass, speed) ? ff_orbit_decay(&orbit) : (double)NAN;
}

void ff_impact_restitution_all(const ff_normal *law, double mass, size_t count,
                               const double *speeds, double *restitutions) {
    for (size_t i = 0; i < count; i++) {
        restitutions[i] = ff_exp(-ff_impact_decay(law, mass, speeds[i]));
    }
}

double ff_impact_delta(const ff_normal *law, double mass, double speed) {
    ff_power power;
    return legal(law, mass, speed) && ff_normal_power(law, speed, &power)
               ? ff_power_delta(&power, power.lambda, mass, speed)
               : (double)NAN;
}
