/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "flow.h"
#include "law/decay.h"
#include "num/elementary.h"
#include "xiong.h"
#include <math.h>
#include <string.h>

/* ---- power laws ---- */

/* d(force)/dT times the positive power of Z that keeps it finite at Z = 0; `delta` is the damping */
static double force_slope(const ff_flow *flow, const ff_flow_point y, double delta) {
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
        memcpy(y, after, sizeof y);
        ff_flow_locate(flow, delta, force_slope, delta, before, step, y);
        raise_peak(user, flow, y);
    }
}

/* Both phases from touch-down: y at the deepest point in `deepest`, at the end in `end`. */
static ff_status run(const ff_flow *flow, ff_flow_point deepest, ff_flow_point end, int *steps,
                     ff_flow_watch watch, void *user) {
    double sigma = 0;
    *steps = 0;
    memcpy(end, (ff_flow_point){0, 1, 0, 0}, sizeof(ff_flow_point));
    ff_status status = ff_flow_until(flow, flow->closing, ff_flow_velocity_event, 0, end, &sigma,
                                     steps, watch, user);
    memcpy(deepest, end, sizeof(ff_flow_point));
    if (status == FF_OK) {
        status = ff_flow_until(flow, flow->opening, ff_flow_end_event, 0, end, &sigma, steps, watch,
                               user);
    }
    return status;
}

/* The speed of departure from what was lost, which keeps its digits where e is near 1: W so far and
 * the spring's energy that is left behind. Where much is lost, from the velocity itself. */
static double decay_at(const ff_flow *flow, const ff_flow_point end) {
    double lost = end[FF_W] + ff_pow(ff_flow_depth(flow, end), flow->n + 1) / (flow->n + 1);
    return lost < 0.25 ? -0.5 * ff_log1p(-2 * lost) : -ff_log(-end[FF_V]);
}

/* Under tension with p < (n-1)/2 a slow enough opening creeps along Z' = -Z^(n-p)/delta for ever:
 * what draws it there, delta Z^p, grows against the rate of creeping, Z^(n-p-1)/delta. */
static bool may_creep(const ff_flow *flow) { return !flow->clamp && flow->p < (flow->n - 1) / 2; }

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
    double decay = law->law->decay ? law->law->decay(law, mass, speed) : (double)NAN;
    if (isnan(decay) && law->n == 1.5 && law->least == 0 && law->lambda_out == law->lambda) {
        decay = ff_universal_decay(law->p, ff_power_delta(law, law->lambda, mass, speed), NULL);
    }
    return decay;
}

static void fill_restitution(ff_impact *out, double decay) {
    out->decay = decay;
    out->restitution = ff_exp(-decay);
    out->loss = -ff_expm1(-decay);
    out->energy_lost = -0.5 * out->mass * out->speed * out->speed * ff_expm1(-2 * decay);
    out->impulse = out->mass * out->speed * (1 + out->restitution);
}

static ff_status solve_power(const ff_normal *law, const ff_flow *flow, ff_flow_scale scale,
                             ff_impact *out) {
    ff_flow_point deepest, end;
    double decay = known_decay(law, out->mass, out->speed);
    peak best = {flow->p == 0 ? flow->closing : 0, 0};
    ff_status status;
    out->delta = flow->closing;
    if (isinf(decay)) {
        ff_flow_point y = {0, 1, 0, 0};
        double sigma = 0;
        status = ff_flow_until(flow, flow->closing, ff_flow_velocity_event, 0, y, &sigma,
                               &out->steps, watch_peak, &best);
        memcpy(deepest, y, sizeof y);
    } else {
        status = run(flow, deepest, end, &out->steps, watch_peak, &best);
    }
    if ((isinf(decay) && status == FF_OK) || (status == FF_TOO_STIFF && may_creep(flow))) {
        /* only the closing phase has an end */
        decay = INFINITY;
        memcpy(end, (ff_flow_point){0, 0, INFINITY, 0}, sizeof end);
        status = FF_ENDLESS;
    }
    if (status < 0) {
        return status;
    }
    fill_restitution(out, isnan(decay) ? decay_at(flow, end) : decay);
    out->max_depth = scale.depth * ff_flow_depth(flow, deepest);
    out->max_depth_time = scale.time * deepest[FF_T];
    out->max_force = scale.force * best.force;
    out->max_force_depth = scale.depth * best.depth;
    out->end_depth = scale.depth * ff_flow_depth(flow, end);
    out->contact_time = scale.time * end[FF_T];
    out->clear_time = out->contact_time;
    if (out->end_depth > 0) {
        out->clear_time += out->end_depth / (out->restitution * out->speed);
    }
    return status;
}

/* ---- xiong ---- */

static void solve_xiong(const ff_normal *law, ff_impact *out) {
    double tau = sqrt(out->mass / law->k), depth = out->speed * tau;
    ff_xiong_impact x = ff_xiong_solve(law->alpha / tau, law->beta / tau);
    /* alpha = beta keeps all energy: e is 1 to rounding */
    fill_restitution(out, fmax(-ff_log(x.restitution), 0));
    out->delta = NAN;
    out->contact_time = tau * x.contact_time;
    out->max_depth = depth * x.max_depth;
    out->max_depth_time = tau * x.max_depth_time;
    out->max_force = law->k * depth * x.max_force;
    out->max_force_depth = depth * x.max_force_depth;
    out->end_depth = depth * x.end_depth;
    out->clear_time = out->contact_time + out->end_depth / (out->restitution * out->speed);
    out->steps = x.steps;
}

/* ---- what is asked ---- */

static bool legal(double mass, double speed) {
    return mass > 0 && speed > 0 && isfinite(mass) && isfinite(speed);
}

ff_status ff_impact_solve(const ff_normal *law, double mass, double speed, ff_impact *out) {
    ff_flow flow;
    ff_flow_scale scale;
    *out = (ff_impact){.mass = mass, .speed = speed};
    if (!legal(mass, speed)) {
        return FF_BAD_VALUE;
    }
    if (ff_flow_init(&flow, &scale, law, mass, speed)) {
        /* what no double can hold is not an answer */
        bool held = scale.depth > 0 && scale.time > 0 && scale.force > 0 && isfinite(scale.depth) &&
                    isfinite(scale.time) && isfinite(scale.force) && isfinite(flow.closing) &&
                    isfinite(flow.opening);
        return held ? solve_power(law, &flow, scale, out) : FF_BAD_VALUE;
    }
    if (law->law->point) {
        return FF_BAD_VALUE;
    }
    solve_xiong(law, out);
    return FF_OK;
}

double ff_impact_decay(const ff_normal *law, double mass, double speed) {
    ff_flow flow;
    ff_flow_scale scale;
    if (!legal(mass, speed) || law->law->point) {
        return NAN;
    }
    if (law->law->inner == FF_INNER_RATE) {
        double tau = sqrt(mass / law->k);
        return fmax(-ff_log(ff_xiong_solve(law->alpha / tau, law->beta / tau).restitution), 0);
    }
    double decay = known_decay(law, mass, speed);
    if (isnan(decay)) {
        ff_flow_init(&flow, &scale, law, mass, speed);
        decay = ff_flow_decay(&flow);
    }
    return decay;
}

double ff_impact_restitution(const ff_normal *law, double mass, double speed) {
    return ff_exp(-ff_impact_decay(law, mass, speed));
}

double ff_impact_delta(const ff_normal *law, double mass, double speed) {
    ff_flow flow;
    ff_flow_scale scale;
    return ff_flow_init(&flow, &scale, law, mass, speed) ? flow.closing : (double)NAN;
}
