/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "inside.h"
#include <float.h>
#include <math.h>

/* Laws of the contact of a lane at one state, and its root functions within a step (docs/theory.md, Lanes). */

/* ---- laws ---- */

/* Evaluates both laws of the contact at six states. The answer is valid until the next call. */
const ff_pair_answer *ff_lane_answer(ff_lane *lane, const ff_lane_block *b, int l,
                                     const double v[FF_LANE_STATES]) {
    const ff_slot *slot = ff_lane_slot(lane);
    const double z = v[FF_LANE_Z], u[3] = {v[FF_LANE_U], v[FF_LANE_U + 1], 0};
    const ff_normal_query q = {z > 0 || lane->mode == FF_FREE ? z : 0, v[FF_LANE_W], &b->latched[l],
                               lane->mode == FF_LOADED};
    ff_pair_answer *out = &lane->at;
    if (slot->slides) {
        lane->slide.v[0] = v[FF_LANE_S];
        lane->slide.v[1] = v[FF_LANE_S + 1];
        lane->slide.u = u;
        slot->both(&slot->law, &slot->friction, &q, &lane->slide, out);
        lane->slide.u = NULL;
    } else {
        ff_normal_answer n = {0};
        slot->law.respond(&slot->law, &q, &n);
        out->force = n.force;
        out->grade = n.grade;
        out->hold = n.hold;
    }
    return out;
}

/* Excess of friction over the threshold at which it slips, or over the kink of a law that bends. */
double ff_lane_excess(ff_lane *lane, const ff_lane_block *b, int l,
                      const double v[FF_LANE_STATES]) {
    if (ff_slot_bends(ff_lane_slot(lane))) {
        const ff_friction *law = &ff_lane_slot(lane)->friction;
        lane->slide.v[0] = v[FF_LANE_S];
        lane->slide.v[1] = v[FF_LANE_S + 1];
        return law->law->bend(law, &lane->slide);
    }
    return ff_lane_answer(lane, b, l, v)->excess;
}

/* A root function, positive where it disagrees with the mode of the lane. For the clamp the depth decides: where z
 * falls to 0, `hold` falls to 0 too, and its sign there is only rounding. */
static double disagreement(ff_lane *lane, const ff_lane_block *b, int l, ff_lane_root root,
                           const double v[FF_LANE_STATES]) {
    if (root == FF_LANE_GAP) {
        return -v[FF_LANE_Z];
    }
    if (root == FF_LANE_HOLD) {
        const ff_normal *law = &ff_lane_slot(lane)->law;
        const double z = v[FF_LANE_Z] > b->noise[l] ? v[FF_LANE_Z] : b->noise[l];
        ff_normal_answer at = {0};
        law->respond(law, &(ff_normal_query){z, v[FF_LANE_W], &b->latched[l], true}, &at);
        return (lane->mode == FF_LOADED ? -at.hold : at.hold) / z;
    }
    const double excess = ff_lane_excess(lane, b, l, v);
    return b->slipping[l] ? -excess : excess;
}

/* The root function at the end of the last trial step, from the stored values. */
double ff_lane_root_at_end(ff_lane *lane, const ff_lane_block *b, int l, ff_lane_root root) {
    const double z = b->y1[FF_LANE_Z][l], hold = b->look.hold[l], excess = b->look.excess[l];
    if (root == FF_LANE_HOLD && !(z > b->noise[l])) {
        double v[FF_LANE_STATES];
        for (int i = 0; i < FF_LANE_STATES; i++) {
            v[i] = b->y1[i][l];
        }
        return disagreement(lane, b, l, root, v);
    }
    return root == FF_LANE_GAP    ? -z
           : root == FF_LANE_HOLD ? (lane->mode == FF_LOADED ? -hold : hold) / z
                                  : (b->slipping[l] ? -excess : excess);
}

/* ---- within a step ---- */

/* One component; h: stages' reach, from and rate: value and rate at the start of the step. */
static inline void make_component(const ff_lane_block *b, int l, const double h[7], int c,
                                  double from, double rate, double r[5]) {
    const double k1 = h[0] * rate, k3 = h[2] * b->k[2][c][l], k4 = h[3] * b->k[3][c][l],
                 k5 = h[4] * b->k[4][c][l], k6 = h[5] * b->k[5][c][l], k7 = h[6] * b->k[6][c][l];
    const double rise = b->y1[c][l] - from, bend = k1 - rise;
    r[0] = from;
    r[1] = rise;
    r[2] = bend;
    r[3] = rise - k7 - bend;
    r[4] = (-12715105075.0 / 11282082432.0 * k1 + 87487479700.0 / 32700410799.0 * k3 -
            10690763975.0 / 1880347072.0 * k4 + 701980252875.0 / 199316789632.0 * k5 -
            1453857185.0 / 822651844.0 * k6 + 69997945.0 / 29380423.0 * k7);
}

void ff_lane_dense_make(const ff_lane_block *b, int l, bool taken, ff_lane_dense *out) {
    double h[7];
    for (int i = 0; i < 7; i++) {
        h[i] = b->reach[i < 6 ? i : 5][l];
    }
    if (taken) {
        for (int c = 0; c < FF_LANE_SIZE; c++) {
            make_component(b, l, h, c, b->y0[c][l], b->k0[c][l], out->c[c]);
        }
        return;
    }
    for (int c = 0; c < FF_LANE_STATES; c++) {
        make_component(b, l, h, c, b->y[c][l], b->k[0][c][l], out->c[c]);
    }
    make_component(b, l, h, FF_LANE_GRADED, b->y[FF_LANE_GRADED][l], b->k[0][FF_LANE_GRADED][l],
                   out->c[FF_LANE_GRADED]);
}

double ff_lane_root_within(ff_lane *lane, const ff_lane_block *b, int l, const ff_lane_dense *d,
                           double theta, ff_lane_root root) {
    double v[FF_LANE_STATES];
    for (int i = 0; i < (root == FF_LANE_GAP ? 1 : FF_LANE_STATES); i++) {
        v[i] = ff_lane_dense_at(d, theta, i);
    }
    return disagreement(lane, b, l, root, v);
}

/* Locates where a function that disagrees at the end of the step begins to disagree, to a fraction `fine` of the
 * step. */
ff_lane_found ff_lane_root_find(ff_lane *lane, const ff_lane_block *b, int l,
                                const ff_lane_dense *d, ff_lane_root root, double fine) {
    ff_lane_found out = {.first = ff_lane_root_within(lane, b, l, d, 0, root),
                         .last = ff_lane_root_at_end(lane, b, l, root)};
    ff_bracket k = {.high = 1, .g_high = out.last, .g_low = out.first};
    if (!(k.g_low < 0)) {
        /* at its root at the start of the step */
        for (double at = 0.5;; at /= 2) {
            if (at < 1e-9) {
                return out;
            }
            const double g = ff_lane_root_within(lane, b, l, d, at, root);
            if (g < 0) {
                k.low = at;
                k.g_low = g;
                break;
            }
            k.high = at;
            k.g_high = g;
        }
    }
    const double range = k.g_high - k.g_low;
    double before = k.high, g_before = k.g_high;
    out.theta = k.high;
    while (ff_bracket_wider(&k, fine)) {
        const double at = ff_bracket_guess(&k), g = ff_lane_root_within(lane, b, l, d, at, root);
        out.theta = at;
        out.slope = at != before ? (g - g_before) / (at - before) : out.slope;
        ff_bracket_narrow(&k, at, g);
        if (fabs(g) < fine * range) {
            break;
        }
        before = at;
        g_before = g;
    }
    return out;
}

/* The functions that disagree at the end of the last trial step, as a bit mask. */
unsigned ff_lane_roots_passed(const ff_lane *lane, const ff_lane_block *b, int l) {
    const double hold = b->look.hold[l], excess = b->look.excess[l];
    unsigned out = b->y1[FF_LANE_Z][l] < -b->noise[l] ? 1u << FF_LANE_GAP : 0;
    out |= lane->laws->clamps && (lane->mode == FF_LOADED ? hold < 0 : hold > 0)
               ? 1u << FF_LANE_HOLD
               : 0;
    /* without load there is always slip */
    out |=
        lane->laws->slips && lane->mode == FF_LOADED && (b->slipping[l] ? excess < 0 : excess > 0)
            ? 1u << FF_LANE_EDGE
            : 0;
    return out;
}
