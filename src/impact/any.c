/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "law/sizes.h"
#include "orbit.h"
#include <math.h>
#include <string.h>

/* Free impact under a law given only by its table: m z'' = -F(z, z', states), with states that follow their rates from
 * where touch() puts them. It ends where z returns to 0, or where `hold` of a law that clamps or `gap` of a law that has
 * one falls to 0.
 *
 * Compared with power laws, closed forms and the exponential of xiong, e, times, depths and forces are accurate to 1e-13 up
 * to delta = 20, the depth of the largest force to 1e-9.
 *
 * Z = s^4 makes laws smooth at touch-down if their exponents are multiples of 1/4; others keep seven smooth derivatives. If
 * a contact breaks below z = 0 (`below`), s counts from there: a force that ends with a square root of the depth, as in
 * jkr, is smooth in s. */

enum { POWER_OF_CLOCK = 4 };

/* Allowed relative error of depth and velocity. A step is accurate to 1e-13; if damping makes the motion stiff, 1e-11 was
 * reached up to delta = 1000. */
#define OFF 1e-9

/* Force relative to that at rest at the same depth: below FADED the motion is tested for coasting; the other value counts
 * as zero: a few roundings of 1 + delta v, the remaining factor of the force for p = n. */
#define FADED 1e-12
#define NOTHING 1e-14

void ff_any_init(ff_orbit *orbit, const ff_normal *law, double mass, double speed) {
    double depth = ff_normal_depth(law, mass, speed);
    *orbit = (ff_orbit){
        .q = POWER_OF_CLOCK,
        .count = FF_ORBIT_STATES + law->states,
        .clamp = law->clamps || (law->law->gap && !(law->adhesion > 0)),
        .first = 0.01,
        /* T and W start as powers of sigma: their errors are relative to at least a hundredth of their final values */
        .floor = {[FF_T] = 0.01, [FF_W] = 0.01},
        .scale = {.depth = depth,
                  .time = depth / speed,
                  .speed = speed,
                  .force = mass * speed * speed / depth},
        .n = NAN,
        .p = NAN,
        /* sign of the velocity in each phase */
        .closing = 1,
        .opening = -1,
        .law = law,
        .below = ff_normal_reach(law, speed) / depth};
}

void ff_any_start(const ff_orbit *orbit, ff_orbit_point y) {
    y[FF_S] = sqrt(sqrt(orbit->below));
    memset(y + FF_ORBIT_STATES, 0, (size_t)orbit->law->states * sizeof *y);
    ff_normal_touch(orbit->law, orbit->scale.speed, y + FF_ORBIT_STATES);
}

double ff_any_floor(const ff_orbit *orbit, int state) {
    const ff_normal_law *law = orbit->law->law;
    double size = law->state_size
                      ? law->state_size(orbit->law, state, orbit->scale.depth, orbit->scale.speed)
                      : orbit->scale.depth;
    return 0.01 * size;
}

/* the depth s^q is also defined for s < 0, since q is even */
static ff_normal_query query_at(const ff_orbit *orbit, const double *y, bool open) {
    double square = y[FF_S] * y[FF_S];
    return (ff_normal_query){.z = orbit->scale.depth * (square * square - orbit->below),
                             .zdot = orbit->scale.speed * y[FF_V],
                             .state = y + FF_ORBIT_STATES,
                             .open = open};
}

/* A law may have a kink between closing and opening, which a step must not see: for a velocity of the other phase it is
 * continued, force and rates of states as odd functions of the velocity about their values at rest, losses as even
 * functions. For damping by a power of the velocity this is the law itself. */
static void mirror(const ff_orbit *orbit, const ff_normal_query *at, ff_normal_answer *out) {
    ff_orbit_point rest;
    ff_normal_query query = *at;
    ff_normal_answer still = {.rate = rest};
    query.zdot = 0;
    orbit->law->respond(orbit->law, &query, &still);
    query.zdot = -at->zdot;
    orbit->law->respond(orbit->law, &query, out);
    out->force = 2 * still.force - out->force;
    for (int i = 0; i < orbit->law->states; i++) {
        out->rate[i] = 2 * rest[i] - out->rate[i];
    }
}

void ff_any_rates(const ff_orbit *orbit, double phase, const double *y, double *dy) {
    const ff_orbit_scale *scale = &orbit->scale;
    const ff_normal_query at = query_at(orbit, y, true);
    ff_normal_answer out = {.rate = dy + FF_ORBIT_STATES};
    double clock = POWER_OF_CLOCK * y[FF_S] * y[FF_S] * y[FF_S];
    if (phase * y[FF_V] < 0) {
        mirror(orbit, &at, &out);
    } else {
        orbit->law->respond(orbit->law, &at, &out);
    }
    dy[FF_S] = y[FF_V];
    dy[FF_V] = -clock * (out.force / scale->force);
    dy[FF_T] = clock;
    dy[FF_W] = clock * (out.loss / (scale->force * scale->speed));
    for (int i = FF_ORBIT_STATES; i < orbit->count; i++) {
        dy[i] *= clock * scale->time;
    }
}

double ff_any_force(const ff_orbit *orbit, const ff_orbit_point y) {
    const ff_normal_query at = query_at(orbit, y, !orbit->clamp);
    ff_normal_answer out = {0};
    orbit->law->respond(orbit->law, &at, &out);
    return out.force / orbit->scale.force;
}

/* the force at the depth s^4 and a velocity, without clamp */
static double free_force(const ff_orbit *orbit, double s, double v) {
    const ff_orbit_point y = {s, v};
    const ff_normal_query at = query_at(orbit, y, true);
    ff_normal_answer out = {0};
    orbit->law->respond(orbit->law, &at, &out);
    return out.force;
}

bool ff_any_coasts(const ff_orbit *orbit, const ff_orbit_point y, double *velocity) {
    double s = y[FF_S], v = y[FF_V];
    if (orbit->count > FF_ORBIT_STATES || orbit->law->law->gap || !(v < 0 && s > 0)) {
        return false;
    }
    double still = free_force(orbit, s, 0), force = free_force(orbit, s, v);
    if (!(fabs(force) <= FADED * fabs(still))) {
        return false;
    }
    /* Newton's method with a finite difference: accurate to 1e-6 of a quantity that is already small */
    double slope = (free_force(orbit, s, v * (1 + 1e-6)) - force) / (1e-6 * v);
    *velocity = v = force == 0 ? v : v - force / slope;
    for (int i = 0; i < 8; i++) {
        double at = s * (1 - i / 8.0);
        if (!(fabs(free_force(orbit, at, v)) <= NOTHING * fabs(free_force(orbit, at, 0)))) {
            return false;
        }
    }
    return true;
}

double ff_any_force_slope(const ff_orbit *orbit, const ff_orbit_point y) {
    /* cube root of rounding, for an impact of length about 2 in sigma; one-sided at touch-down */
    const double h = 1e-5;
    ff_orbit_point dy, ahead, behind;
    ff_any_rates(orbit, y[FF_V] < 0 ? orbit->opening : orbit->closing, y, dy);
    for (int i = 0; i < orbit->count; i++) {
        ahead[i] = y[i] + h * dy[i];
        behind[i] = y[FF_S] > h ? y[i] - h * dy[i] : y[i];
    }
    return ff_any_force(orbit, ahead) - ff_any_force(orbit, behind);
}

/* the first of s, `hold` and `gap` to fall to 0 */
double ff_any_end(const ff_orbit *orbit, const ff_orbit_point y) {
    const ff_normal *law = orbit->law;
    const ff_normal_query at = query_at(orbit, y, true);
    double end = y[FF_S], rate;
    if (law->clamps && orbit->clamp) {
        ff_normal_answer out = {0};
        law->respond(law, &at, &out);
        end = fmin(end, out.hold);
    }
    if (law->law->gap && orbit->below == 0) {
        end = fmin(end, law->law->gap(law, &at, &rate) / orbit->scale.depth);
    }
    return end;
}

bool ff_any_let_go(const ff_orbit *orbit, const ff_orbit_point y) {
    const ff_normal *law = orbit->law;
    const ff_normal_query at = query_at(orbit, y, true);
    ff_normal_answer out = {0};
    double rate;
    if (law->law->gap && orbit->below == 0 && law->law->gap(law, &at, &rate) <= 0) {
        return true;
    }
    if (!law->clamps || !orbit->clamp) {
        return false;
    }
    law->respond(law, &at, &out);
    return out.hold <= -ff_normal_hold_error(law, &at, OFF * at.z, OFF * fabs(at.zdot));
}

double ff_any_stored(const ff_orbit *orbit, const ff_orbit_point y) {
    const ff_normal_query at = query_at(orbit, y, false);
    double z = y[FF_S] > 0 ? at.z : -orbit->scale.depth * orbit->below;
    double energy = orbit->law->law->stored(orbit->law, z, at.zdot, at.state);
    return energy / (orbit->scale.force * orbit->scale.depth);
}
