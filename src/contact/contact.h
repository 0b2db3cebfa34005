/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* One slot at one instant: geometry, laws, powers and root functions. Laws are evaluated through their tables
 * (footfall/law.h). `state` points to the inner states of the slot in y. */

#include "body/vector.h"
#include "model/model.h"
#include "num/elementary.h"

typedef enum ff_mode {
    FF_AIR,     /* no contact, no force */
    FF_LOADED,  /* the force is not clamped */
    FF_CLAMPED, /* z > 0, but the force is clamped at 0 */
    FF_FREE     /* events are not located: decided by z at every evaluation */
} ff_mode;

typedef struct ff_touch {
    double z, zdot;
    double n[3];             /* from the second thing to the first */
    double arm[3], other[3]; /* from the centres of mass to the contact point */
    double turn[3];          /* angular velocity of the tangent plane, for two spheres */
    /* query of the friction law, besides the outputs of the normal law: v and u */
    ff_friction_query slide;
    ff_pair_answer at;
    double push[3]; /* total force on the first thing */
    /* Power that friction springs take up at their current level, W, if rates were requested. */
    double graded_work;
} ff_touch;

/* The part of a touch that is kept for root functions and accounts: a fifth of its size, since every evaluation
 * stores one for each slot. */
typedef struct ff_touch_kept {
    double z, zdot;
    double force, loss, grade, ratio, hold, lift, excess, strain, first, graded; /* from `at` */
    double push, slip; /* component of `push` along n, N; square of the slip velocity, m^2/s^2 */
} ff_touch_kept;

static inline ff_touch_kept ff_touch_keep(const ff_touch *touch) {
    const ff_pair_answer *at = &touch->at;
    return (ff_touch_kept){touch->z,
                           touch->zdot,
                           at->force,
                           at->loss,
                           at->grade,
                           at->ratio,
                           at->hold,
                           at->lift,
                           at->excess,
                           at->strain,
                           at->first,
                           at->graded,
                           ff_dot(touch->push, touch->n),
                           ff_dot(touch->slide.v, touch->slide.v)};
}

/* A touch with the quantities kept from `at`; all others are 0. */
static inline ff_touch ff_touch_of(const ff_touch_kept *kept) {
    return (ff_touch){.z = kept->z,
                      .zdot = kept->zdot,
                      .at = {.force = kept->force,
                             .loss = kept->loss,
                             .grade = kept->grade,
                             .ratio = kept->ratio,
                             .hold = kept->hold,
                             .lift = kept->lift,
                             .excess = kept->excess,
                             .strain = kept->strain,
                             .first = kept->first,
                             .graded = kept->graded}};
}

/* Depth, direction, arms and velocities, from the motions of bodies. */
void ff_touch_find(const ff_slot *slot, double t, const double *bodies, ff_touch *out);
/* Whether the body rotates in the sense for which the pair is defined to have no contact. */
bool ff_touch_ignored(const ff_slot *slot, const double *bodies);
/* Whether friction acts in this mode: not without contact, where only inner states of the normal law may evolve. */
bool ff_touch_has_friction(const ff_slot *slot, ff_mode mode, const double *state,
                           const ff_touch *touch);
/* Evaluates the laws; the rates of the slot's states go to `rate` (may be NULL). */
void ff_touch_answer(const ff_slot *slot, ff_mode mode, const double *state, double *rate,
                     ff_touch *out);
/* Evaluates only the normal law, without friction, rolling and twist: `at` and `push` are then those of the normal force. Of the
 * states only those of the normal law are read. */
void ff_touch_press(const ff_slot *slot, ff_mode mode, const double *state, ff_touch *out);

/* The mode of a slot if its past is unknown. */
ff_mode ff_touch_mode(const ff_slot *slot, const double *state, const ff_touch *touch);

/* Whether a slot without contact has its own ground that has not recovered yet. */
static inline bool ff_touch_recovers(const ff_slot *slot, ff_mode mode, const double *state) {
    return slot->stateful && mode == FF_AIR && state[ff_slot_ground(slot)] > 0;
}
/* Whether a slot has no effect in this mode: neither a force nor a rate. */
static inline bool ff_touch_silent(const ff_slot *slot, ff_mode mode) {
    return mode == FF_AIR && !slot->rests && !slot->stateful;
}
/* Recovery of a ground after lift-off (Azad and Featherstone 2010, fig. 5): no force acts on it. Sets rates and powers;
 * force and push are 0. */
void ff_touch_recover(const ff_slot *slot, const double *state, double *rate, ff_touch *out);

/* The recovery rate, m/s, negative. */
double ff_touch_ground_rate(const ff_slot *slot, const double *state);

/* The level of the friction springs, after ff_touch_answer() or ff_touch_recover(). */
static inline double ff_touch_level(const ff_slot *slot, const ff_touch *touch) {
    const ff_pair_answer *at = &touch->at;
    /* a law of rolling may add to the load */
    const double load = ff_normal_load(&slot->law, at->force, at->grade, at->ratio),
                 all = load + (slot->friction.lifts ? 0 : at->lift);
    return ff_friction_level(&slot->friction, at->grade, all > 0 ? all : 0);
}

/* ---- root functions and their errors ---- */

/* These are evaluated after every step; inlining saves a third of their cost. */

/* Positive in contact, negative without: z relative to the ground, or the law's gap function; and its rate. */
static inline double ff_touch_gap(const ff_slot *slot, const double *state, const ff_touch *touch,
                                  double *rate) {
    *rate = touch->zdot;
    if (slot->filtered) {
        return slot->law.law->gap(&slot->law,
                                  &(ff_normal_query){touch->z, touch->zdot, state, false}, rate);
    }
    /* a negative depth of the ground is an integration error of its recovery */
    double ground = slot->stateful ? state[ff_slot_ground(slot)] : 0;
    if (ground > 0) {
        *rate -= ff_touch_ground_rate(slot, state);
        return touch->z - ground;
    }
    return touch->z;
}

/* An upper bound of the length of a vector. */
static inline double ff_reach(const double v[3]) { return fabs(v[0]) + fabs(v[1]) + fabs(v[2]); }

/* An upper bound of the magnitudes of the terms of the gap, m, for its rounding error. Time contributes the change
 * of the gap within the resolution of time. */
static inline double ff_touch_size(const ff_slot *slot, double t, const double *bodies,
                                   const double *state, const ff_touch *touch) {
    double size = slot->extent + fabs(t) * (fabs(touch->zdot) + fabs(slot->rise)) +
                  ff_reach(ff_body_state(bodies, slot->body) + FF_P);
    if (slot->stateful) {
        size += fabs(state[ff_slot_ground(slot)]);
    }
    for (int i = 0; slot->filtered && i < slot->law.states; i++) {
        size += fabs(state[i]);
    }
    return slot->other < 0 ? size : size + ff_reach(ff_body_state(bodies, slot->other) + FF_P);
}

static inline double ff_speed_bound(const double *body, const double center[3], double radius) {
    return ff_reach(body + FF_VEL) + ff_reach(body + FF_OMEGA) * (radius + ff_reach(center));
}

/* The sum of the magnitudes of the terms of velocities at the contact point, m/s. */
static inline double ff_touch_speed(const ff_slot *slot, const double *bodies) {
    double own = ff_speed_bound(ff_body_state(bodies, slot->body), slot->center, slot->radius);
    return own + (slot->other < 0 ? ff_reach(slot->skin)
                                  : ff_speed_bound(ff_body_state(bodies, slot->other),
                                                   slot->other_center, slot->other_radius));
}

/* The function whose root ends the force of a law that clamps (ff_normal_answer): positive while it pushes, without the
 * root at z = 0. */
double ff_touch_hold(const ff_slot *slot, const double *state, const ff_touch *touch);

/* Magnitudes of the terms of hold and excess, after ff_touch_answer(); `size` and `speed` are from ff_touch_size()
 * and ff_touch_speed(). */
double ff_touch_hold_size(const ff_slot *slot, const double *state, const ff_touch *touch,
                          double size, double speed);
double ff_touch_excess_size(const ff_slot *slot, const double *state, const ff_touch *touch,
                            double size, double speed);

/* Whether steps end at the kink of friction, which is not an event. Laws with inner states have a kink in their rates at
 * slip 0: a point of the tangent plane, which the slip passes around unless it stays on a line. */
static inline bool ff_slot_bends(const ff_slot *slot) {
    const ff_friction_law *law = slot->friction.law;
    return law->bend && !law->slips && slot->friction.vectors == 0;
}
/* Positive beyond the bend, m/s, after ff_touch_find() and ff_touch_answer(). */
double ff_touch_bend(const ff_slot *slot, const double *state, const ff_touch *touch);

/* Whether the law of rolling (0) or twist (1) has an edge between stick and slip, or a kink. */
static inline bool ff_slot_turning_edge(const ff_slot *slot, int twist) {
    const ff_friction *law = twist ? &slot->twist : &slot->rolling;
    return law->law && !law->turns && (law->law->slips || (law->law->bend && law->vectors == 0));
}
/* Whether these are events: a kink is not. */
static inline bool ff_slot_turning_slips(const ff_slot *slot, int twist) {
    const ff_friction *law = twist ? &slot->twist : &slot->rolling;
    return law->law && !law->turns && law->law->slips;
}
/* How far rolling (0) or twist (1) is beyond that edge, after ff_touch_find() and ff_touch_answer(); and its error
 * if load, velocity and deflection have the given errors. */
double ff_touch_turning_edge(const ff_slot *slot, int twist, const double *state,
                             const ff_touch *touch, const double errors[3], double *noise);

/* Energy stored by the normal law (or in a ground that recovers), and in the springs of friction, after
 * ff_touch_answer() or ff_touch_recover(). */
double ff_touch_normal(const ff_slot *slot, ff_mode mode, const double *state,
                       const ff_touch *touch);
double ff_touch_tangential(const ff_slot *slot, const double *state, const ff_touch *touch);

/* ---- partial derivatives (slopes.c) ---- */

/* Variables of a contact: depth, relative velocity at the contact point, for two spheres the direction of the normal, and
 * its states. */
enum {
    FF_CAUSE_DEPTH,
    FF_CAUSE_VELOCITY,
    FF_CAUSE_NORMAL = FF_CAUSE_VELOCITY + 3,
    FF_CAUSE_STATES = FF_CAUSE_NORMAL + 3
};

/* The partial derivatives of a contact at one point: rows push (3) and rates of states, columns as above; with respect to
 * the normal only for two spheres. The rates of u, here and in `rate`, are in axes that rotate with the pair: if it
 * `turns`, touch.turn x u must be added. */
typedef struct ff_touch_slopes {
    bool known, turns;
    ff_touch touch;       /* at that point */
    double *state, *rate; /* at that point; like `matrix` in memory of the caller */
    double *friction;     /* partial derivatives of the friction law alone */
    double *matrix;
    /* NULL, or where the groups of vectors go, as in ff_friction_law.fold: the matrix then has states of the normal law and
     * one vector for each group; vectors of group -1 have the rate `own` times themselves */
    int *of;
    double own;
    int vectors; /* number of vectors in the matrix */
} ff_touch_slopes;

static inline int ff_touch_columns(const ff_slot *slot) { return FF_CAUSE_STATES + slot->states; }
/* The memory needed for the arrays, and their positions in it. */
static inline size_t ff_touch_slopes_room(const ff_slot *slot) {
    return (size_t)(2 * slot->states + (3 + slot->states) * ff_touch_columns(slot)) +
           ff_friction_slope_size(&slot->friction);
}
static inline void ff_touch_slopes_place(const ff_slot *slot, double *room, ff_touch_slopes *out) {
    out->of = NULL;
    out->state = room;
    out->rate = room + slot->states;
    out->friction = room + 2 * slot->states;
    out->matrix = out->friction + ff_friction_slope_size(&slot->friction);
}

void ff_touch_slopes_find(const ff_slot *slot, ff_mode mode, double t, const double *bodies,
                          const double *state, ff_touch_slopes *out);
/* The number of states in its matrix. */
static inline int ff_touch_slopes_states(const ff_slot *slot, const ff_touch_slopes *slopes) {
    return slopes->of ? ff_slot_u(slot) + 3 * slopes->vectors : slot->states;
}
/* push and rates of states at a nearby touch, by linear extrapolation. */
void ff_touch_follow(const ff_slot *slot, const ff_touch_slopes *slopes, const double *state,
                     double *rate, ff_touch *out);
