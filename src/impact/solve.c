/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "flow.h"
#include "law/decay.h"
#include "num/elementary.h"
#include <math.h>
#include <string.h>

/* d(force)/dT times the positive power of Z that keeps it finite at Z = 0; `delta` is the damping */
static double force_slope(const ff_flow *flow, const ff_flow_point y, double delta) {
    if (flow->law) {
        return ff_any_force_slope(flow, y);
    }
    double z = ff_flow_depth(flow, y), v = y[FF_V], n = flow->n, p = flow->p;
    double force = ff_pow(z, n) + delta * ff_pow(z, p) * v;
    if (p == 0) {
        return n * ff_pow(z, n - 1) * v - delta * force;
    }
    double m = fmin(n, p);
    return n * ff_pow(z, n - m) * v + delta * p * ff_pow(z, p - m) * v * v -
           delta * ff_pow(z, p + 1 - m) * force;
}

typedef struct {
    double force, depth;
} peak;

static void raise_peak(peak *best, const ff_flow *flow, const ff_flow_point y) {
    double force = ff_flow_force(flow, y);
    if (force > best->force) {
        *best = (peak){force, ff_flow_depth(flow, y)};
    }
}

static void watch_peak(void *user, const ff_flow *flow, const ff_flow_point before,
                       const ff_flow_point after, double step, double delta) {
    raise_peak(user, flow, after);
    if (force_slope(flow, before, delta) > 0 && force_slope(flow, after, delta) <= 0) {
        ff_flow_point y;
        memcpy(y, after, (size_t)flow->count * sizeof *y);
        ff_flow_locate(flow, delta, force_slope, delta, before, step, y);
        raise_peak(user, flow, y);
    }
}

/* Both phases from touch-down: y at the deepest point in `deepest`, at the end in `end`. */
static ff_status run(const ff_flow *flow, ff_flow_point deepest, ff_flow_point end, int *steps,
                     ff_flow_watch watch, void *user) {
    double sigma = 0;
    *steps = 0;
    ff_flow_start(flow, end);
    ff_status status = ff_flow_until(flow, flow->closing, ff_flow_velocity_event, 0, end, &sigma,
                                     steps, watch, user);
    memcpy(deepest, end, (size_t)flow->count * sizeof *end);
    if (status == FF_OK) {
        status = ff_flow_until(flow, flow->opening, ff_flow_end_event, 0, end, &sigma, steps, watch,
                               user);
    }
    return status;
}

/* What the law's books say is lost: W, and the energy of springs that is left behind. */
static double lost_at(const ff_flow *flow, const ff_flow_point end) {
    if (flow->law) {
        ff_flow_point start;
        ff_flow_start(flow, start);
        return end[FF_W] + ff_any_stored(flow, end) - ff_any_stored(flow, start);
    }
    return end[FF_W] + ff_pow(ff_flow_depth(flow, end), flow->n + 1) / (flow->n + 1);
}

/* The speed of departure from what was lost, which keeps its digits where e is near 1. Where much is lost, or a law's
 * books do not close (within 10 times the error of the integration), from the velocity itself. */
static double decay_at(const ff_flow *flow, const ff_flow_point end) {
    double lost = lost_at(flow, end), decay = -0.5 * ff_log1p(-2 * lost);
    bool closes = !flow->law || fabs(end[FF_V] * end[FF_V] - (1 - 2 * lost)) < 1e-11;
    return lost < 0.25 && closes ? decay : -ff_log(-end[FF_V]);
}

/* Under tension with p < (n-1)/2 a slow enough opening creeps along Z' = -Z^(n-p)/delta for ever:
 * what draws it there, delta Z^p, grows against the rate of creeping, Z^(n-p-1)/delta. Any other law that may pull may
 * keep what it holds. */
static bool may_creep(const ff_flow *flow) {
    return !flow->clamp && (flow->law || flow->p < (flow->n - 1) / 2);
}

double ff_flow_decay(const ff_flow *flow) {
    ff_flow_point deepest, end;
    int steps;
    ff_status status = run(flow, deepest, end, &steps, NULL, NULL);
    return status == FF_OK                             ? decay_at(flow, end)
           : status == FF_TOO_STIFF && may_creep(flow) ? HUGE_VAL
                                                       : (double)NAN;
}

/* a closed form or the universal function; NAN where there is neither */
static double known_decay(const ff_normal *law, double mass, double speed) {
    ff_power power;
    double decay = law->law->decay ? law->law->decay(law, mass, speed) : (double)NAN;
    if (isnan(decay) && ff_normal_power(law, speed, &power) && power.n == 1.5 && power.clamps &&
        power.lambda_out == power.lambda) {
        decay =
            ff_universal_decay(power.p, ff_power_delta(&power, power.lambda, mass, speed), NULL);
    }
    return decay;
}

/* What follows from -ln e, and from where and when the force ended. */
static void finish(ff_impact *out, double decay) {
    out->decay = decay;
    out->restitution = ff_exp(-decay);
    out->loss = -ff_expm1(-decay);
    out->energy_lost = -0.5 * out->mass * out->speed * out->speed * ff_expm1(-2 * decay);
    /* the integral of F is what it takes to stop the mass, and what it takes to send it back */
    double closing = out->mass * out->speed, opening = closing * out->restitution;
    out->impulse = closing + opening;
    out->impulse_ratio = opening / closing;
    out->clear_time = out->contact_time;
    if (out->end_depth > 0) {
        out->clear_time += out->end_depth / (out->restitution * out->speed);
    }
}

static ff_status solve_flow(const ff_flow *flow, double decay, ff_impact *out) {
    ff_flow_point deepest, end;
    const ff_flow_scale *scale = &flow->scale;
    peak best = {0};
    ff_status status;
    ff_flow_start(flow, end);
    raise_peak(&best, flow, end);
    if (isinf(decay)) {
        double sigma = 0;
        status = ff_flow_until(flow, flow->closing, ff_flow_velocity_event, 0, end, &sigma,
                               &out->steps, watch_peak, &best);
        memcpy(deepest, end, (size_t)flow->count * sizeof *end);
    } else {
        status = run(flow, deepest, end, &out->steps, watch_peak, &best);
    }
    if ((isinf(decay) && status == FF_OK) || (status == FF_TOO_STIFF && may_creep(flow))) {
        /* only the closing phase has an end */
        decay = INFINITY;
        end[FF_S] = 0;
        end[FF_T] = INFINITY;
        status = FF_ENDLESS;
    }
    if (status < 0) {
        return status;
    }
    out->max_depth = scale->depth * ff_flow_depth(flow, deepest);
    out->max_depth_time = scale->time * deepest[FF_T];
    out->max_force = scale->force * best.force;
    out->max_force_depth = scale->depth * best.depth;
    out->end_depth = scale->depth * ff_flow_depth(flow, end);
    out->contact_time = scale->time * end[FF_T];
    finish(out, isnan(decay) ? decay_at(flow, end) : decay);
    return status;
}

/* ---- what is asked ---- */

static bool legal(double mass, double speed) {
    return mass > 0 && speed > 0 && isfinite(mass) && isfinite(speed);
}

ff_status ff_impact_solve(const ff_normal *law, double mass, double speed, ff_impact *out) {
    ff_flow flow;
    *out = (ff_impact){.mass = mass, .speed = speed, .delta = NAN};
    if (!legal(mass, speed)) {
        return FF_BAD_VALUE;
    }
    if (law->law->impact) {
        ff_status status = law->law->impact(law, mass, speed, out);
        if (status >= 0) {
            finish(out, out->decay);
        }
        return status;
    }
    /* what no double can hold is not an answer */
    if (!ff_flow_init(&flow, law, mass, speed)) {
        return FF_BAD_VALUE;
    }
    out->delta = flow.closing;
    return solve_flow(&flow, known_decay(law, mass, speed), out);
}

double ff_impact_decay(const ff_normal *law, double mass, double speed) {
    ff_flow flow;
    ff_impact impact = {.mass = mass, .speed = speed};
    if (!legal(mass, speed)) {
        return (double)NAN;
    }
    double decay = known_decay(law, mass, speed);
    if (!isnan(decay)) {
        return decay;
    }
    if (law->law->impact) {
        return law->law->impact(law, mass, speed, &impact) < 0 ? (double)NAN : impact.decay;
    }
    return ff_flow_init(&flow, law, mass, speed) ? ff_flow_decay(&flow) : (double)NAN;
}

double ff_impact_restitution(const ff_normal *law, double mass, double speed) {
    return ff_exp(-ff_impact_decay(law, mass, speed));
}

double ff_impact_delta(const ff_normal *law, double mass, double speed) {
    ff_power power;
    return ff_normal_power(law, speed, &power) ? ff_power_delta(&power, power.lambda, mass, speed)
                                               : (double)NAN;
}
