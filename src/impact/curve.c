/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "num/elementary.h"
#include "orbit.h"
#include <math.h>
#include <string.h>

static ff_impact_point physical(const ff_orbit *orbit, const ff_orbit_point y) {
    return (ff_impact_point){.time = orbit->scale.time * y[FF_T],
                             .depth = orbit->scale.depth * ff_orbit_depth(orbit, y),
                             .velocity = orbit->scale.speed * y[FF_V],
                             .force = orbit->scale.force * ff_orbit_force(orbit, y)};
}

/* Records points at equal intervals of sigma during the integration: they are not concentrated at the ends, where depth
 * grows as sigma^q, nor in the middle. */
typedef struct {
    ff_impact_point *points;
    size_t count, done;
    double spacing, sigma;
} sampler;

static void sample(void *user, const ff_orbit *orbit, const ff_orbit_point before,
                   const ff_orbit_point after, double step, double delta) {
    sampler *s = user;
    (void)after;
    while (s->done < s->count && (double)s->done * s->spacing <= s->sigma + step) {
        ff_orbit_point y;
        ff_orbit_step(orbit, delta, before, (double)s->done * s->spacing - s->sigma, y);
        s->points[s->done++] = physical(orbit, y);
    }
    s->sigma += step;
}

/* Integrates from y to the end of the contact. */
static ff_status go(const ff_orbit *orbit, ff_orbit_point y, double *sigma, ff_orbit_watch watch,
                    void *user) {
    ff_status status = FF_OK;
    ff_orbit_run run = {0};
    if (y[FF_V] > 0) {
        status =
            ff_orbit_until(orbit, orbit->closing, ff_orbit_velocity_event, 0, y, &run, watch, user);
    }
    if (status == FF_OK) {
        status = ff_orbit_until(orbit, orbit->opening, ff_orbit_end_event, 0, y, &run, watch, user);
    }
    *sigma = run.sigma;
    return status;
}

/* If contact ends before z = 0, the last point is in the free flight back to z = 0. */
static void fly(size_t count, ff_impact_point *points) {
    ff_impact_point *last = &points[count - 2];
    last->force = 0;
    points[count - 1] =
        (ff_impact_point){last->time - last->depth / last->velocity, 0, last->velocity, 0};
}

/* Two passes: the first determines the length of the motion, the second samples it. */
static ff_status sampled(const ff_orbit *orbit, const ff_orbit_point start, size_t count,
                         ff_impact_point *points) {
    const size_t size = (size_t)orbit->count * sizeof *start;
    sampler s = {.points = points, .count = count};
    ff_orbit_point y;
    double sigma;
    memcpy(y, start, size);
    ff_status status = go(orbit, y, &sigma, NULL, NULL);
    if (status != FF_OK) {
        return status;
    }
    bool early = count > 2 && ff_orbit_depth(orbit, y) > 0;
    s.count = early ? count - 1 : count;
    s.spacing = sigma / (double)(s.count - 1);
    memcpy(y, start, size);
    go(orbit, y, &sigma, sample, &s);
    /* rounding may leave out the last point */
    while (s.done < s.count) {
        points[s.done++] = physical(orbit, y);
    }
    if (early) {
        fly(count, points);
    }
    return FF_OK;
}

ff_status ff_impact_curve(const ff_normal *law, double mass, double speed, size_t count,
                          ff_impact_point *points) {
    ff_orbit orbit;
    ff_orbit_point start;
    if (ff_normal_check(law, NULL) < 0 || !(mass > 0 && speed > 0) || count < 2) {
        return FF_BAD_VALUE;
    }
    if (law->law->curve) {
        ff_status status = law->law->curve(law, mass, speed, count > 2 ? count - 1 : count, points);
        if (status >= 0 && count > 2) {
            fly(count, points);
        }
        return status;
    }
    if (!ff_orbit_init(&orbit, law, mass, speed)) {
        return FF_BAD_VALUE;
    }
    if (!orbit.law && isinf(ff_impact_decay(law, mass, speed))) {
        return FF_ENDLESS;
    }
    ff_orbit_start(&orbit, start);
    return sampled(&orbit, start, count, points);
}

/* The first point at which the velocity has fallen to `wanted`; the step may end with the contact, beyond which the
 * velocity would increase again without a clamp. */
typedef struct {
    double wanted;
    bool found;
    ff_orbit_point at;
} catcher;

static void catch_velocity(void *user, const ff_orbit *orbit, const ff_orbit_point before,
                           const ff_orbit_point after, double step, double delta) {
    catcher *c = user;
    if (!c->found && after[FF_V] <= c->wanted) {
        c->found = true;
        memcpy(c->at, after, (size_t)orbit->count * sizeof *after);
        ff_orbit_locate(orbit, delta, ff_orbit_velocity_event, c->wanted, before, step, c->at);
    }
}

ff_status ff_impact_at_velocity(const ff_normal *law, double mass, double speed, double velocity,
                                ff_impact_point *point) {
    ff_orbit orbit;
    ff_orbit_point y;
    catcher c = {.wanted = velocity / speed};
    double sigma;
    if (ff_normal_check(law, NULL) < 0 || !(mass > 0 && speed > 0) ||
        !ff_orbit_init(&orbit, law, mass, speed) || c.wanted > 1 ||
        c.wanted < -ff_impact_restitution(law, mass, speed)) {
        return FF_BAD_VALUE;
    }
    ff_orbit_start(&orbit, y);
    ff_status status = c.wanted < 1 ? go(&orbit, y, &sigma, catch_velocity, &c) : FF_OK;
    *point = physical(&orbit, c.found ? c.at : y);
    return c.found ? FF_OK : status;
}

ff_status ff_phase_branch(const ff_normal *law, double mass, double depth, double velocity,
                          size_t count, ff_impact_point *points) {
    ff_orbit orbit;
    if (ff_normal_check(law, NULL) < 0 || !(mass > 0 && depth > 0 && velocity < 0) || count < 2 ||
        !ff_orbit_init(&orbit, law, mass, -velocity) || orbit.count > FF_ORBIT_STATES) {
        return FF_BAD_VALUE;
    }
    if (orbit.local) {
        /* the law itself continues without its clamp */
        ff_any_init(&orbit, law, mass, -velocity);
    }
    orbit.clamp = false;
    return sampled(&orbit, (ff_orbit_point){ff_pow(depth / orbit.scale.depth, 1.0 / orbit.q), -1},
                   count, points);
}
