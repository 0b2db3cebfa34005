/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "inside.h"
#include "num/elementary.h"
#include <float.h>
#include <math.h>
#include <string.h>

static double force_at(const ff_lane *lane, const ff_lane_block *b, int l, double z, double w) {
    const ff_normal *law = &ff_lane_slot(lane)->law;
    ff_normal_answer at = {0};
    law->respond(law, &(ff_normal_query){z, w, &b->latched[l], true}, &at);
    return at.force;
}

/* The depth at which the contact carries a force, by Newton's method for a force that grows like a power of the depth;
 * NAN if there is none. */
static double depth_of(const ff_lane *lane, const ff_lane_block *b, int l, double force) {
    /* exact for an exponent of 3/2 */
    double z = 1e-6;
    z *= ff_pow(force / force_at(lane, b, l, z, 0), 2.0 / 3);
    for (int turn = 0; turn < 60 && z > 0 && z < HUGE_VAL; turn++) {
        const double over = force_at(lane, b, l, z, 0) - force, d = 1e-6 * z;
        if (fabs(over) <= 1e-12 * force) {
            return z;
        }
        const double next = z - over * d / (force_at(lane, b, l, z + d, 0) - over - force);
        z = next > z / 4 ? next : z / 4;
    }
    return NAN;
}

/* Finds the equilibrium of a lane on a level plane, and the amplitudes up to which motion about it is linear within the
 * tolerance. With F the normal force, A and B stiffness and damping of friction that sticks, the linear equations are
 *     m z'' + F_w z' + F_z (z - z0) = 0,  s' + kappa (A u + B s) = 0,  u' = s.
 * For an amplitude a of the depth, the quadratic terms of F are at most a/z0 of the linear ones, for exponents up to 3,
 * and those of its damping a/z0 times F_w rate/F_z; the stiffness of friction varies by at most a/z0. */
void ff_lane_rest_find(ff_lane *lane, ff_lane_block *b, int l) {
    const ff_slot *slot = ff_lane_slot(lane);
    const double force = b->fall[l] / b->per_mass[l], tiny = 4 * DBL_EPSILON * b->fall[l];
    b->depth[l] = b->normal_rate[l] = b->slip_rate[l] = 0;
    b->calm[l] = b->calm_slip[l] = -1;
    if (!(force > 0) || fabs(b->pull[0][l]) > tiny || fabs(b->pull[1][l]) > tiny ||
        (slot->slides && (!lane->laws->slips || lane->laws->bends))) {
        return;
    }
    const double z = depth_of(lane, b, l, force), d = 1e-4 * z;
    const double stiffness =
        (force_at(lane, b, l, z + d, 0) - force_at(lane, b, l, z - d, 0)) / (2 * d);
    const double rate2 = stiffness * b->per_mass[l], rate = sqrt(rate2), slow = 1e-3 * rate * z;
    /* damping must be linear, and equal for both directions */
    const double damping = fmax((force_at(lane, b, l, z, slow) - force) / slow, 0),
                 opening = (force - force_at(lane, b, l, z, -slow)) / slow,
                 twice = (force_at(lane, b, l, z, 2 * slow) - force) / (2 * slow),
                 much = 1e-6 * stiffness / rate + 1e-6 * fabs(damping);
    if (!(rate > 0) || !(fabs(opening - damping) <= much) || !(fabs(twice - damping) <= much)) {
        return;
    }
    const double share = damping * rate / stiffness;
    double most =
        0.5 * z /
        ((1 + share) * fmax(b->per_weight[FF_LANE_Z][l], rate * b->per_weight[FF_LANE_W][l]));
    most = fmin(sqrt(most), fmin(0.01 * z, 0.1 * force / (damping * rate)));
    double slip_rate = 0, slip_damping = 0, slip_most = HUGE_VAL;
    if (slot->slides) {
        const double u = 1e-9, s = u * rate;
        const ff_pair_answer spring = *ff_lane_answer(lane, b, l, (double[]){z, 0, 0, 0, u, 0}),
                             damper = *ff_lane_answer(lane, b, l, (double[]){z, 0, s, 0, 0, 0});
        const double threshold = 0.5 * (spring.strain - spring.excess);
        slip_rate = -b->mobility[l] * spring.pull[0] / u;
        slip_damping = -b->mobility[l] * damper.pull[0] / s;
        const double fast = sqrt(slip_rate);
        if (!(fast > 0) || !(spring.excess < 0) || !(damper.excess < 0)) {
            return;
        }
        slip_most = fmin(threshold / (spring.strain / (u * fast) + damper.strain / s),
                         0.5 * z / most /
                             fmax(b->per_weight[FF_LANE_S][l], b->per_weight[FF_LANE_U][l] / fast));
    }
    b->depth[l] = z;
    b->normal_rate[l] = rate2;
    b->slip_rate[l] = slip_rate;
    lane->damping[0] = damping * b->per_mass[l];
    lane->damping[1] = slip_damping;
    b->calm[l] = rate2 * most * most;
    b->calm_slip[l] = slip_most * slip_most;
}

/* q'' + damping q' + rate q = 0 after a time t, rate > 0 */
static void swing(double rate, double damping, double t, double *q, double *w) {
    const double d = damping / 2, split = d * d - rate, half = sqrt(fabs(split)),
                 fade = ff_exp(-d * t), q0 = *q, w0 = *w;
    /* C = cos or cosh, S = sin or sinh over `half` */
    double c, s;
    if (split < 0) {
        ff_sincos(half * t, &s, &c);
        c *= fade;
        s *= fade / half;
    } else {
        const double slow = ff_exp((half - d) * t), fast = ff_exp(-(half + d) * t);
        c = (slow + fast) / 2;
        s = half * t > 1e-8 ? (slow - fast) / (2 * half) : t * fade;
    }
    *q = c * q0 + s * (w0 + d * q0);
    *w = c * w0 - s * (rate * q0 + d * w0);
}

/* Depth and, if friction sticks, deflection oscillate. Damping dissipates what the energy of the linear motion loses. */
void ff_lane_ring(const ff_lane *lane, const ff_lane_block *b, int l,
                  const double from[FF_LANE_SIZE], double t, double to[FF_LANE_SIZE]) {
    const double rate = b->normal_rate[l], pull = b->slip_rate[l] * lane->per_mobility;
    memcpy(to, from, FF_LANE_SIZE * sizeof *to);
    double *w = &to[FF_LANE_W], off = from[FF_LANE_Z] - b->depth[l],
           energy = rate * off * off + *w * *w;
    swing(rate, lane->damping[0], t, &off, w);
    to[FF_LANE_Z] = b->depth[l] + off;
    to[FF_LANE_NORMAL_DAMPER] += (energy - rate * off * off - *w * *w) / (2 * b->per_mass[l]);
    for (int i = 0; i < 2; i++) {
        double *s = &to[FF_LANE_S + i], *u = &to[FF_LANE_U + i];
        const double s0 = *s, u0 = *u;
        if (!(pull > 0)) {
            to[FF_LANE_WAY + i] += *s * t;
            continue;
        }
        swing(b->slip_rate[l], lane->damping[1], t, u, s);
        to[FF_LANE_WAY + i] += *u - u0;
        const double stored = pull * (*u * *u - u0 * u0) / 2;
        to[FF_LANE_DAMPER] += (s0 * s0 - *s * *s) * lane->per_mobility / 2 - stored;
        to[FF_LANE_GRADED] += lane->laws->graded ? stored : 0;
    }
}

/* Whether the oscillation at y is smaller than a tenth of the error that a step may have. */
static bool has_decayed(const ff_lane_block *b, int l, const double y[FF_LANE_SIZE]) {
    const double off = y[FF_LANE_Z] - b->depth[l], w = y[FF_LANE_W], rate = b->normal_rate[l],
                 slip_rate = b->slip_rate[l], speed = sqrt(w * w + rate * off * off);
    double slip = 0;
    for (int i = 0; i < 2 && slip_rate > 0; i++) {
        const double s = y[FF_LANE_S + i], u = y[FF_LANE_U + i];
        slip += s * s + slip_rate * u * u;
    }
    slip = sqrt(slip);
    return speed * b->per_weight[FF_LANE_W][l] < 0.1 &&
           speed * b->per_weight[FF_LANE_Z][l] < 0.1 * sqrt(rate) &&
           slip * b->per_weight[FF_LANE_S][l] < 0.1 &&
           slip * b->per_weight[FF_LANE_U][l] < 0.1 * sqrt(slip_rate > 0 ? slip_rate : rate);
}

/* Whether a lane close to its equilibrium touches no other plane until the end of the run. Its centre moves along a straight
 * line but for the oscillations, whose amplitudes are far below the depth at rest and the limit of linear slip. */
static bool stays_away(const ff_lane *lane, const ff_lane_block *b, int l,
                       const double y[FF_LANE_SIZE], double now) {
    const double slip_rate = b->slip_rate[l],
                 room = b->depth[l] + (slip_rate > 0 ? sqrt(b->calm_slip[l] / slip_rate) : 0);
    double to[FF_LANE_SIZE];
    ff_lane_motion first, last;
    ff_lane_ring(lane, b, l, y, lane->until - now, to);
    ff_lane_motion_at(lane, y, now, &first);
    ff_lane_motion_at(lane, to, lane->until, &last);
    return ff_lane_distance(lane, first.position) > room &&
           ff_lane_distance(lane, last.position) > room;
}

/* Moves a lane close to its equilibrium to the end of the run, by the solution of the linear equations. Where steps are
 * reported, each is a quarter of a period of the faster oscillation, until both have decayed. */
ff_lane_next ff_lane_settle(ff_lane *lane, ff_lane_block *b, int l) {
    const double now = ff_lane_time(b, l, b->x[l]), t = lane->until - now,
                 quarter = 1.5707963267949 / sqrt(fmax(b->normal_rate[l], b->slip_rate[l]));
    double from[FF_LANE_SIZE], to[FF_LANE_SIZE];
    for (int c = 0; c < FF_LANE_SIZE; c++) {
        from[c] = to[c] = b->y[c][l];
    }
    if (lane->laws->several && !stays_away(lane, b, l, from, now)) {
        return FF_LANE_IN_TROUBLE;
    }
    ff_lane_set_off(lane, b, l, FF_LANE_RING, now);
    for (double k = 1; lane->step && k * quarter < t && !has_decayed(b, l, to); k++) {
        ff_lane_ring(lane, b, l, from, k * quarter, to);
        for (int c = 0; c < FF_LANE_SIZE; c++) {
            b->y[c][l] = to[c];
        }
        ff_lane_tell(lane, b, l, now + k * quarter, true);
        lane->span = FF_LANE_RING;
    }
    ff_lane_ring(lane, b, l, from, t, to);
    for (int c = 0; c < FF_LANE_SIZE; c++) {
        b->y[c][l] = to[c];
    }
    if (lane->laws->graded) {
        const ff_pair_answer *at = ff_lane_answer(lane, b, l, to);
        const double sum = b->y[FF_LANE_GRADED][l] - ff_lane_level(lane->laws, at) * at->graded;
        ff_lane_book(b, l, sum - b->sum[l]);
        b->sum[l] = sum;
    }
    b->steps[l]++;
    ff_lane_restart(lane, b, l, lane->until, 1, 0);
    ff_lane_tell(lane, b, l, lane->until, false);
    return FF_LANE_DONE;
}
