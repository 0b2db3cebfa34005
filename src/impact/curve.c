/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "flow.h"
#include "num/elementary.h"
#include "xiong.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static ff_impact_point physical(const ff_flow *flow, ff_flow_scale scale, const ff_flow_point y) {
    return (ff_impact_point){.time = scale.time * y[FF_T],
                             .depth = scale.depth * ff_flow_depth(flow, y),
                             .velocity = scale.speed * y[FF_V],
                             .force = scale.force * ff_flow_force(flow, y)};
}

/* Fills points at equal stretches of sigma while the flow goes by: they crowd neither at the ends,
 * where depth grows as sigma^q, nor in the middle. */
typedef struct {
    ff_flow_scale scale;
    ff_impact_point *points;
    size_t count, done;
    double spacing, sigma;
} sampler;

static void sample(void *user, const ff_flow *flow, const ff_flow_point before,
                   const ff_flow_point after, double step, double delta) {
    sampler *s = user;
    (void)after;
    while (s->done < s->count && (double)s->done * s->spacing <= s->sigma + step) {
        ff_flow_point y;
        ff_flow_step(flow, delta, before, (double)s->done * s->spacing - s->sigma, y);
        s->points[s->done++] = physical(flow, s->scale, y);
    }
    s->sigma += step;
}

/* Two passes: the first finds how long the motion is, the second samples it. `y` is the start. */
static ff_status sampled(const ff_flow *flow, ff_flow_scale scale, const ff_flow_point start,
                         size_t count, ff_impact_point *points) {
    sampler s = {.scale = scale, .points = points, .count = count};
    for (int pass = 0; pass < 2; pass++) {
        ff_flow_point y;
        double sigma = 0;
        int steps = 0;
        ff_status status = FF_OK;
        ff_flow_watch watch = pass == 0 ? NULL : sample;
        memcpy(y, start, sizeof y);
        if (y[FF_V] > 0) {
            status = ff_flow_until(flow, flow->closing, ff_flow_velocity_event, 0, y, &sigma,
                                   &steps, watch, &s);
        }
        if (status == FF_OK) {
            status = ff_flow_until(flow, flow->opening, ff_flow_end_event, 0, y, &sigma, &steps,
                                   watch, &s);
        }
        if (status != FF_OK) {
            return status;
        }
        s.spacing = sigma / (double)(count - 1);
        if (pass == 1) {
            /* rounding may leave the last one out */
            while (s.done < count) {
                points[s.done++] = physical(flow, scale, y);
            }
        }
    }
    return FF_OK;
}

static ff_status power_curve(const ff_flow *flow, ff_flow_scale scale, size_t count,
                             ff_impact_point *points) {
    bool early = flow->clamp && flow->p < flow->n && flow->opening > 0;
    /* where contact ends early, the last point is for the flight back to z = 0 */
    size_t inside = early && count > 2 ? count - 1 : count;
    ff_status status = sampled(flow, scale, (ff_flow_point){0, 1, 0, 0}, inside, points);
    if (status == FF_OK && inside < count) {
        ff_impact_point last = points[inside - 1];
        points[inside - 1].force = 0;
        points[inside] =
            (ff_impact_point){last.time - last.depth / last.velocity, 0, last.velocity, 0};
    }
    return status;
}

static ff_status xiong_curve(const ff_normal *law, double mass, double speed, size_t count,
                             ff_impact_point *points) {
    double tau = sqrt(mass / law->k), alpha = law->alpha / tau, beta = law->beta / tau;
    ff_xiong_impact x = ff_xiong_solve(alpha, beta);
    size_t inside = count > 2 ? count - 1 : count;
    double(*at)[3] = malloc(inside * sizeof *at);
    if (!at) {
        return FF_NO_MEMORY;
    }
    ff_xiong_curve(alpha, beta, x.contact_time, inside, at);
    for (size_t i = 0; i < inside; i++) {
        points[i] = (ff_impact_point){
            .time = tau * x.contact_time * (double)i / (double)(inside - 1),
            .depth = speed * tau * at[i][0],
            .velocity = speed * at[i][1],
            .force = law->k * speed * tau * at[i][2],
        };
    }
    free(at);
    if (inside < count) {
        ff_impact_point last = points[inside - 1];
        points[inside] =
            (ff_impact_point){last.time - last.depth / last.velocity, 0, last.velocity, 0};
    }
    return FF_OK;
}

ff_status ff_impact_curve(const ff_normal *law, double mass, double speed, size_t count,
                          ff_impact_point *points) {
    ff_flow flow;
    ff_flow_scale scale;
    if (!(mass > 0 && speed > 0) || count < 2 || law->law->point) {
        return FF_BAD_VALUE;
    }
    if (!ff_flow_init(&flow, &scale, law, mass, speed)) {
        return xiong_curve(law, mass, speed, count, points);
    }
    if (isinf(ff_impact_decay(law, mass, speed))) {
        return FF_ENDLESS;
    }
    return power_curve(&flow, scale, count, points);
}

ff_status ff_impact_at_velocity(const ff_normal *law, double mass, double speed, double velocity,
                                ff_impact_point *point) {
    ff_flow flow;
    ff_flow_scale scale;
    ff_flow_point y = {0, 1, 0, 0};
    double sigma = 0, wanted = velocity / speed;
    int steps = 0;
    if (!(mass > 0 && speed > 0) || !ff_flow_init(&flow, &scale, law, mass, speed) || wanted > 1 ||
        wanted < -ff_impact_restitution(law, mass, speed)) {
        return FF_BAD_VALUE;
    }
    ff_status status = ff_flow_until(&flow, flow.closing, ff_flow_velocity_event, fmax(wanted, 0),
                                     y, &sigma, &steps, NULL, NULL);
    if (status == FF_OK && wanted < 0) {
        status = ff_flow_until(&flow, flow.opening, ff_flow_velocity_event, wanted, y, &sigma,
                               &steps, NULL, NULL);
    }
    *point = physical(&flow, scale, y);
    return status;
}

ff_status ff_phase_branch(const ff_normal *law, double mass, double depth, double velocity,
                          size_t count, ff_impact_point *points) {
    ff_flow flow;
    ff_flow_scale scale;
    if (!(mass > 0 && depth > 0 && velocity < 0) || count < 2 ||
        !ff_flow_init(&flow, &scale, law, mass, -velocity)) {
        return FF_BAD_VALUE;
    }
    flow.clamp = false;
    ff_flow_point start = {ff_pow(depth / scale.depth, 1.0 / flow.q), -1, 0, 0};
    return sampled(&flow, scale, start, count, points);
}
