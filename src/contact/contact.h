/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* One slot at one instant: geometry, laws, powers, and the functions whose roots are events. */

#include "body/vector.h"
#include "model/model.h"
#include "num/elementary.h"

typedef enum ff_mode {
    FF_AIR,     /* no force */
    FF_LOADED,  /* the force is not clamped */
    FF_CLAMPED, /* z > 0, but the force is held at 0 */
    FF_FREE     /* no events are located: decided anew by z at every evaluation */
} ff_mode;

typedef struct ff_touch {
    double z, zdot;
    double n[3];             /* from the second thing to the first */
    double arm[3], other[3]; /* from the centres of mass to where the force acts */
    double turn[3];          /* how fast the pair's tangent plane turns, two spheres */
    ff_normal_answer normal;
    ff_friction_query slide; /* slide.v: tangential velocity of the first against the second */
    ff_friction_answer grip;
    double push[3]; /* all of the force on the first thing */
    double spring_work;
} ff_touch;

/* Depth, direction, arms and velocities, from the motions of bodies. */
void ff_touch_find(const ff_slot *slot, double t, const double *bodies, ff_touch *out);
/* Whether its body turns in the way in which the pair has no contact. */
bool ff_touch_ignored(const ff_slot *slot, const double *bodies);
/* Whether friction acts in this mode: not in the air, where only the inner state of xiong goes on. */
bool ff_touch_rubs(const ff_slot *slot, ff_mode mode, const double *state, const ff_touch *touch);
/* The laws there; state is the slot's inner state and u. */
void ff_touch_answer(const ff_slot *slot, ff_mode mode, const double *state, ff_touch *out);

/* Which mode a slot is in when nothing is known of its past. */
ff_mode ff_touch_mode(const ff_slot *slot, const double *state, const ff_touch *touch);

/* The ground that a body has left recovers (Azad and Featherstone 2010, fig. 5): no force acts on it, so
 * k z^n + lambda z^p z' = 0 and k_t u + b_t u' = 0. Fills rates and powers; force and push are 0. */
void ff_touch_recover(const ff_slot *slot, const double *state, ff_touch *out);

/* Positive while the force pushes, without its root at z = 0; `mode` is the one that was answered in. */
double ff_touch_hold(const ff_slot *slot, ff_mode mode, const double *state, const ff_touch *touch);
/* Positive while it slips, for laws that have such events. */
double ff_touch_excess(const ff_slot *slot, const double *state, const ff_touch *touch);
/* ---- root functions, and how well they are known ---- */

/* These are looked at after every step: inlined, they cost a third less. */

/* Positive in contact, negative in the air: z over the ground, or for xiong what its force depends on. */
static inline double ff_touch_gap(const ff_slot *slot, const double *state, const ff_touch *touch) {
    if (slot->law.law->inner == FF_INNER_RATE) {
        return touch->z - state[0] * (1 - slot->law.alpha / slot->law.beta);
    }
    /* a depth of the ground below 0 is an error of the steps that it recovered in */
    return slot->stateful && state[0] > 0 ? touch->z - state[0] : touch->z;
}

/* The rate of the gap, while the ground recovers or the slot is about to close. */
static inline double ff_touch_gap_rate(const ff_slot *slot, const double *state,
                                       const ff_touch *touch) {
    const ff_normal *law = &slot->law;
    if (law->law->inner == FF_INNER_RATE) {
        /* its state goes as w' = -w/beta where contact begins or ends */
        return touch->zdot + state[0] * (1 - law->alpha / law->beta) / law->beta;
    }
    if (slot->stateful && state[0] > 0) {
        return touch->zdot + law->k / law->lambda_out * ff_pow(state[0], law->n - law->p);
    }
    return touch->zdot;
}

/* Whether the force may end before z = 0: then the hold is watched. For p >= n it does where something else pulls the
 * body out faster than k z^(n-p)/lambda. A caller's own law says so by its exponents. */
static inline bool ff_touch_clamps(const ff_slot *slot) {
    const ff_normal *law = &slot->law;
    return law->least == 0 && law->law->inner != FF_INNER_RATE &&
           (law->p < law->n || !law->law->point);
}

/* A bound of the length of a vector. */
static inline double ff_reach(const double v[3]) { return fabs(v[0]) + fabs(v[1]) + fabs(v[2]); }

/* A bound of the magnitudes that the gap is formed of, m: rounding is a part of it. Time counts by how far the gap moves
 * while it stays the same number. */
static inline double ff_touch_size(const ff_slot *slot, double t, const double *bodies,
                                   const double *state, const ff_touch *touch) {
    double size = slot->extent + fabs(t) * (fabs(touch->zdot) + fabs(slot->rise)) +
                  ff_reach(ff_body_state(bodies, slot->body) + FF_P);
    if (slot->law.law->inner == FF_INNER_RATE || slot->stateful) {
        size += fabs(state[0]);
    }
    return slot->other < 0 ? size : size + ff_reach(ff_body_state(bodies, slot->other) + FF_P);
}

static inline double ff_speed_bound(const double *body, const double center[3], double radius) {
    return ff_reach(body + FF_VEL) + ff_reach(body + FF_OMEGA) * (radius + ff_reach(center));
}

/* The sum of the magnitudes that velocities of the touching points are formed of, m/s. */
static inline double ff_touch_speed(const ff_slot *slot, const double *bodies) {
    double own = ff_speed_bound(ff_body_state(bodies, slot->body), slot->center, slot->radius);
    return own + (slot->other < 0 ? ff_reach(slot->skin)
                                  : ff_speed_bound(ff_body_state(bodies, slot->other),
                                                   slot->other_center, slot->other_radius));
}

/* The same of the hold, after ff_touch_answer(): `size` and `speed` are the two above; and of the excess, `force` being
 * the size of the hold. */
static inline double ff_touch_hold_size(const ff_slot *slot, const ff_touch *touch, double size,
                                        double speed) {
    double spring = slot->law.k * touch->z, damper = touch->normal.ratio - spring;
    double by_speed = speed > 0 && touch->zdot != 0 ? fabs(damper / touch->zdot) * speed : 0;
    return fabs(touch->normal.ratio) + fabs(spring) + slot->law.k * size + by_speed;
}

static inline double ff_touch_excess_size(const ff_slot *slot, const double *state,
                                          const ff_touch *touch, double force, double speed) {
    const ff_friction *law = &slot->friction;
    if (law->beta > 0) {
        return ff_reach(state + 1) + law->beta * speed +
               law->mu / law->k * force * touch->normal.grade;
    }
    return law->k * ff_reach(state + 1) + law->damping * speed + law->mu * force;
}

/* Energy stored by the normal law and by the tangential spring, after ff_touch_answer(). */
double ff_touch_normal(const ff_slot *slot, const double *state, const ff_touch *touch);
double ff_touch_tangential(const ff_slot *slot, const double *state, const ff_touch *touch);

/* ---- slopes (slopes.c) ---- */

/* What a contact answers to: depth, inner state, velocity of the touching points against each other, u, and, of two
 * spheres, the direction of the normal. */
enum {
    FF_BY_DEPTH,
    FF_BY_INNER,
    FF_BY_VELOCITY,
    FF_BY_U = FF_BY_VELOCITY + 3,
    FF_BY_NORMAL = FF_BY_U + 3,
    FF_CAUSES = FF_BY_NORMAL + 3
};

/* The partial derivatives of a contact's answers at one point; by the normal for two spheres only. The rate of u, here
 * and in `touch`, is that in axes that turn with the pair: where it `turns`, touch.turn x u is to be added. */
typedef struct ff_touch_slopes {
    bool known, turns;
    ff_touch touch; /* there */
    double state[4];
    double push[3][FF_CAUSES], u_rate[3][FF_CAUSES], inner_rate[FF_CAUSES];
} ff_touch_slopes;

/* Whether a slot does nothing in this mode. */
bool ff_touch_silent(const ff_slot *slot, ff_mode mode);
/* The laws' own, but for callers' laws: by differences of those. */
void ff_touch_slopes_find(const ff_slot *slot, ff_mode mode, double t, const double *bodies,
                          const double *state, ff_touch_slopes *out);
/* push and the rates of inner states at a touch that was found nearby, along the tangents. */
void ff_touch_follow(const ff_touch_slopes *slopes, const double *state, ff_touch *out);
