/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "body/vector.h"
#include "contact.h"
#include <string.h>

/* The partial derivatives of both laws of a contact, and their numbers of columns. */
typedef struct {
    const double *normal, *friction;
    int normal_columns, friction_columns, vectors;
    bool loaded; /* a pulling force is not a load */
} laws;

/* The chain rule: zdot = -n.V and slip = V - n (n.V) for the relative velocity V. If the normal rotates by dn, zdot changes
 * by -V.dn and slip by zdot dn - n (V.dn). Converts a row of friction with respect to its inputs to one with respect to the
 * variables of the contact; the load is the force of the normal law, and `direct` adds that force itself. */
static void chain(const ff_slot *slot, const ff_touch *at, const laws *by, const double *row,
                  double direct, double *out) {
    const double *n = at->n, *normal = by->normal,
                 *grade = normal + FF_OF_GRADE * by->normal_columns,
                 *bend = normal + FF_OF_GRADE_SLOPE * by->normal_columns;
    const int states = slot->law.states;
    double load = direct + (row && by->loaded ? row[FF_BY_LOAD] : 0), slip[3] = {0}, velocity[3];
    double depth = load * normal[FF_BY_Z], rate = load * normal[FF_BY_ZDOT];
    if (row) {
        depth += row[FF_BY_GRADE] * grade[FF_BY_Z] + row[FF_BY_GRADE_SLOPE] * bend[FF_BY_Z] +
                 row[FF_BY_DEPTH];
        rate += row[FF_BY_DEPTH_RATE];
        memcpy(slip, row + FF_BY_V, sizeof slip);
    }
    double closing = ff_dot(slip, n) + rate;
    ff_add_scaled(at->slide.v, -at->zdot, n, velocity);
    out[FF_CAUSE_DEPTH] += depth;
    for (int j = 0; j < 3; j++) {
        out[FF_CAUSE_VELOCITY + j] += slip[j] - closing * n[j];
        if (slot->other >= 0) {
            out[FF_CAUSE_NORMAL + j] += at->zdot * slip[j] - closing * velocity[j];
        }
    }
    for (int j = 0; j < states; j++) {
        out[FF_CAUSE_STATES + j] += load * normal[FF_BY_STATES + j];
    }
    for (int j = 0; row && j < 3 * by->vectors; j++) {
        out[FF_CAUSE_STATES + states + j] += row[FF_BY_U + j];
    }
}

/* A recovering ground, and u with it, by finite differences with a relative step of the cube root of rounding. */
static void recovery(const ff_slot *slot, const double *state, ff_touch_slopes *out) {
    const int columns = ff_touch_columns(slot), states = slot->states;
    double moved[states], rates[2][states];
    ff_touch_recover(slot, state, out->rate, &out->touch);
    memcpy(moved, state, sizeof moved);
    for (int j = slot->law.states; j < states; j++) {
        double size = fmax(fabs(state[j]), 1e-3 * state[states - 1]), h = 6e-6 * size;
        for (int side = 0; side < 2; side++) {
            ff_touch at = out->touch;
            moved[j] = state[j] + (side ? h : -h);
            memset(rates[side], 0, sizeof rates[side]);
            ff_touch_recover(slot, moved, rates[side], &at);
            moved[j] = state[j];
        }
        for (int i = 0; i < states; i++) {
            out->matrix[(3 + i) * columns + FF_CAUSE_STATES + j] =
                (rates[1][i] - rates[0][i]) / (2 * h);
        }
    }
}

/* The rates of the normal law's own states. */
static void normal_rates(const ff_slot *slot, const ff_touch *at, const laws *by, int columns,
                         double *matrix) {
    const int states = slot->law.states;
    for (int i = 0; i < states; i++) {
        const double *row = by->normal + (FF_OF_RATES + i) * by->normal_columns;
        double *out = matrix + (3 + i) * columns;
        out[FF_CAUSE_DEPTH] = row[FF_BY_Z];
        for (int j = 0; j < 3; j++) {
            double velocity = at->slide.v[j] - at->zdot * at->n[j];
            out[FF_CAUSE_VELOCITY + j] = -row[FF_BY_ZDOT] * at->n[j];
            out[FF_CAUSE_NORMAL + j] = slot->other < 0 ? 0 : -row[FF_BY_ZDOT] * velocity;
        }
        memcpy(out + FF_CAUSE_STATES, row + FF_BY_STATES, (size_t)states * sizeof *out);
    }
}

static void clear_matrix(const ff_slot *slot, ff_touch_slopes *out) {
    const int states = ff_touch_slopes_states(slot, out);
    memset(out->matrix, 0,
           (size_t)((3 + states) * (FF_CAUSE_STATES + states)) * sizeof *out->matrix);
}

void ff_touch_slopes_find(const ff_slot *slot, ff_mode mode, double t, const double *bodies,
                          const double *state, ff_touch_slopes *out) {
    const ff_normal_law *law = slot->law.law;
    const int u = ff_slot_u(slot);
    ff_touch *touch = &out->touch;
    ff_touch_find(slot, t, bodies, touch);
    memcpy(out->state, state, (size_t)slot->states * sizeof *state);
    memset(out->rate, 0, (size_t)slot->states * sizeof *state);
    out->turns = false;
    out->own = 0;
    out->vectors = out->of ? 0 : slot->friction.vectors;
    for (int i = 0; out->of && i < slot->friction.vectors; i++) {
        out->of[i] = -1;
    }
    bool outside = mode == FF_AIR || (mode == FF_FREE && !law->gap &&
                                      (touch->z < 0 || ff_touch_ignored(slot, bodies)));
    if (outside && !law->rest) {
        touch->at = (ff_pair_answer){0};
        memset(touch->push, 0, sizeof touch->push);
        clear_matrix(slot, out);
        if (ff_touch_recovers(slot, mode, state)) {
            recovery(slot, state, out);
        }
        return;
    }
    ff_touch_answer(slot, mode, state, out->rate, touch);
    /* at z = 0 slopes are infinite: all are evaluated at the same smallest depth instead */
    ff_normal_query q = {touch->z, touch->zdot, state, mode == FF_LOADED};
    q.z = law->gap || q.z > FF_DEPTH_FLOOR ? q.z : FF_DEPTH_FLOOR;
    ff_normal_answer at = {0};
    double normal[ff_normal_slope_size(&slot->law)], *const friction = out->friction;
    laws by = {.normal = normal, .normal_columns = FF_BY_STATES + slot->law.states};
    slot->law.respond(&slot->law, &q, &at);
    ff_normal_slopes_at(&slot->law, &q, normal);
    const bool has_friction = ff_touch_has_friction(slot, mode, state, touch);
    if (has_friction) {
        ff_friction_query slide = touch->slide;
        slide.z = q.z;
        slide.zdot = q.zdot;
        slide.load = ff_normal_load(&slot->law, at.force, at.grade, at.ratio);
        by.loaded = slide.load > 0 || slot->friction.lifts;
        slide.grade = at.grade;
        slide.grade_slope = at.grade_slope;
        slide.ratio = by.loaded ? at.ratio : 0;
        if (out->of) {
            out->vectors =
                slot->friction.law->fold(&slot->friction, &slide, out->of, &out->own, friction);
        } else {
            ff_friction_slopes_at(&slot->friction, &slide, friction);
        }
        by.friction = friction;
        by.friction_columns = FF_BY_U + 3 * out->vectors;
        by.vectors = out->vectors;
    }
    const int columns = FF_CAUSE_STATES + ff_touch_slopes_states(slot, out);
    clear_matrix(slot, out);
    const double *lift = has_friction ? friction + FF_OF_LIFT * by.friction_columns : NULL;
    for (int c = 0; c < 3; c++) {
        double *row = out->matrix + c * columns, part[columns];
        const double *force =
            has_friction ? friction + (FF_OF_FORCE + c) * by.friction_columns : NULL;
        chain(slot, touch, &by, force, touch->n[c], row);
        if (has_friction && slot->friction.lifts) {
            memset(part, 0, sizeof part);
            chain(slot, touch, &by, lift, 0, part);
            for (int j = 0; j < columns; j++) {
                row[j] += touch->n[c] * part[j];
            }
        }
        if (slot->other >= 0) {
            row[FF_CAUSE_NORMAL + c] += touch->at.force + touch->at.lift;
        }
    }
    normal_rates(slot, touch, &by, columns, out->matrix);
    for (int i = 0; has_friction && i < 3 * out->vectors; i++) {
        chain(slot, touch, &by, friction + (FF_OF_U_RATES + i) * by.friction_columns, 0,
              out->matrix + (3 + u + i) * columns);
    }
    if (slot->other >= 0 && has_friction && slot->friction.vectors > 0) {
        for (int i = 0; i < 3 * slot->friction.vectors; i += 3) {
            double swing[3];
            ff_cross(touch->turn, state + u + i, swing);
            ff_add_scaled(out->rate + u + i, -1, swing, out->rate + u + i);
        }
        out->turns = true;
    }
}

void ff_touch_follow(const ff_slot *slot, const ff_touch_slopes *slopes, const double *state,
                     double *rate, ff_touch *out) {
    const ff_touch *from = &slopes->touch;
    const int columns = ff_touch_columns(slot), u = ff_slot_u(slot);
    double by[columns];
    by[FF_CAUSE_DEPTH] = out->z - from->z;
    for (int c = 0; c < 3; c++) {
        by[FF_CAUSE_VELOCITY + c] =
            out->slide.v[c] - out->zdot * out->n[c] - (from->slide.v[c] - from->zdot * from->n[c]);
        by[FF_CAUSE_NORMAL + c] = out->n[c] - from->n[c];
    }
    for (int i = 0; i < slot->states; i++) {
        by[FF_CAUSE_STATES + i] = state[i] - slopes->state[i];
    }
    for (int r = 0; r < 3 + slot->states; r++) {
        const double *row = slopes->matrix + r * columns;
        double value = r < 3 ? from->push[r] : slopes->rate[r - 3];
        for (int i = 0; i < columns; i++) {
            value += row[i] * by[i];
        }
        *(r < 3 ? &out->push[r] : &rate[r - 3]) = value;
    }
    for (int i = 0; slopes->turns && i < 3 * slot->friction.vectors; i += 3) {
        double swing[3];
        ff_cross(out->turn, state + u + i, swing);
        ff_add_scaled(rate + u + i, 1, swing, rate + u + i);
    }
    out->at = (ff_pair_answer){0};
}
