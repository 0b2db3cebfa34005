/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "sim.h"
#include <float.h>
#include <math.h>
#include <stdio.h>

/* Prescribed motions q(t) of joints must be smooth enough to be driven: where q jumps, an infinite speed would be needed, and
 * where q' jumps, an infinite force. Neither is seen by error control, which knows the rates only on both sides. In a step
 * from a to b
 *
 *    gap_k = q^(k)(b) - q^(k)(a) - integral of q^(k+1) from a to b,  k = 0, 1,
 *
 * is 0 for a function without a jump, and the sum of the jumps otherwise. The integral is that of Lobatto with five points, of
 * order 8, which a step that follows the motion does not notice. Where it differs, the step is halved until it does not, or
 * until time cannot be divided further. */

/* Lobatto's points between 0 and 1, with t = (1 - sqrt(3/7))/2, and weights */
enum { POINTS = 5 };
static const double points[POINTS] = {0, 0.17267316464601143, 0.5, 0.82732683535398857, 1};
static const double weights[POINTS] = {1.0 / 20, 49.0 / 180, 16.0 / 45, 49.0 / 180, 1.0 / 20};

/* Rounding of a few operations; and that of the time, which a derivative multiplies. */
#define ROUNDING (16 * DBL_EPSILON)

/* After some more halvings the gap of a jump is the same, or half if the instant itself has a value in between, as with abs();
 * that of a rate that is infinite but integrable, |t|^(-1/2), is 1/32. */
enum { SOME = 10 };
#define LEFT 0.2

enum {
    DEEPEST =
        1100, /* halvings from the longest step to the resolution of time: a step of 1e300 s has as many */
    /* a motion that oscillates a thousand times in a step is given up: error control does not follow it either */
    TRIES_MOST = 4000
};

typedef struct instant {
    double t, q[3]; /* coordinate, rate, second rate */
} instant;

typedef struct search {
    const ff_joint_motion *law;
    double allowed
        [2]; /* differences that do not count: tol times the scale of the coordinate and of its rate */
    double gaps[2][DEEPEST];
    int left;
    /* what was found: the derivative that jumps, and both sides */
    int which;
    instant before, after;
} search;

static instant at(const search *s, double t) {
    instant out = {.t = t};
    ff_joint_motion_at(s->law, t, out.q);
    return out;
}

/* The gap of derivative k over an interval, 0 if it is within rounding and tolerance. */
static double gap_of(const search *s, int k, const instant p[POINTS]) {
    const double h = p[POINTS - 1].t - p[0].t;
    double sum = 0, most = 0, rate = 0;
    for (int i = 0; i < POINTS; i++) {
        sum += weights[i] * p[i].q[k + 1];
        most = fmax(most, fabs(p[i].q[k]));
        rate = fmax(rate, fabs(p[i].q[k + 1]));
    }
    const double gap = p[POINTS - 1].q[k] - p[0].q[k] - h * sum;
    const double allowed = s->allowed[k] + ROUNDING * (most + fabs(p[POINTS - 1].t) * rate);
    /* values that are not finite are reported by those who use them */
    return fabs(gap) > allowed && isfinite(gap) ? fabs(gap) : 0;
}

/* Whether the coordinate or its rate jumps between two instants. */
static bool jumps(search *s, const instant *from, const instant *to, int depth) {
    const double h = to->t - from->t;
    instant p[POINTS] = {*from};
    p[POINTS - 1] = *to;
    for (int i = 1; i < POINTS - 1; i++) {
        p[i] = at(s, from->t + points[i] * h);
    }
    const double most[2] = {gap_of(s, 0, p), gap_of(s, 1, p)};
    if ((most[0] == 0 && most[1] == 0) || depth >= DEEPEST || s->left-- <= 0) {
        return false;
    }
    for (int k = 0; k < 2; k++) {
        s->gaps[k][depth] = most[k];
        const double before = s->gaps[k][depth > SOME ? depth - SOME : 0];
        if (h <= 4 * DBL_EPSILON * fabs(to->t) && most[k] > LEFT * before) {
            s->which = k;
            s->before = *from;
            s->after = *to;
            return true;
        }
    }
    return h > 4 * DBL_EPSILON * fabs(to->t) &&
           (jumps(s, from, &p[2], depth + 1) || jumps(s, &p[2], to, depth + 1));
}

ff_status ff_drives_step(ff_sim *sim) {
    const ff_model *model = sim->reduced;
    const double tol = sim->options.tol;
    search s;
    for (size_t i = 0; i < model->joint_count; i++) {
        const ff_joint *j = &model->joints[i];
        for (int c = 0; j->drives > 0 && c < j->coordinates; c++) {
            if (!j->law[c]) {
                continue;
            }
            const ff_extent *size = &sim->extents[j->second];
            const bool slides = ff_joint_coordinate_slides(j->kind, c);
            s.law = j->law[c];
            s.allowed[0] = tol * (slides ? size->length : 1);
            s.allowed[1] = tol * (slides ? size->speed : size->turning);
            s.left = TRIES_MOST;
            const instant from = at(&s, ff_clock_now(&sim->flow.last.clock)),
                          to = at(&s, ff_sim_now_time(sim));
            if (to.t > from.t && jumps(&s, &from, &to, 0)) {
                const char *unit = slides ? "m" : "rad";
                snprintf(
                    sim->error, sizeof sim->error,
                    "the %smotion of joint '%s' jumps at t = %.9g s from %.6g to %.6g %s%s: that "
                    "needs an infinite %s",
                    s.which ? "rate of the " : "", j->name, s.after.t, s.before.q[s.which],
                    s.after.q[s.which], unit, s.which ? "/s" : "", s.which ? "force" : "speed");
                return FF_NOT_HELD;
            }
        }
    }
    return FF_OK;
}
