/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* One slot at one instant: geometry, laws, powers, and the functions whose roots are events. */

#include "model/model.h"

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
/* The laws there; state is the slot's inner state and u. */
void ff_touch_answer(const ff_slot *slot, ff_mode mode, const double *state, ff_touch *out);

/* Which mode a slot is in when nothing is known of its past. */
ff_mode ff_touch_mode(const ff_slot *slot, const double *state, const ff_touch *touch);

/* The ground that a body has left recovers (Azad and Featherstone 2010, fig. 5): no force acts on it, so
 * k z^n + lambda z^p z' = 0 and k_t u + b_t u' = 0. Fills rates and powers; force and push are 0. */
void ff_touch_recover(const ff_slot *slot, const double *state, ff_touch *out);

/* Positive in contact, negative in the air: z over the ground, or for xiong what its force depends on. */
double ff_touch_gap(const ff_slot *slot, const double *state, const ff_touch *touch);
/* Positive while the force pushes, without its root at z = 0; `mode` is the one that was answered in. */
double ff_touch_hold(const ff_slot *slot, ff_mode mode, const double *state, const ff_touch *touch);
/* Positive while it slips, for laws that have such events. */
double ff_touch_excess(const ff_slot *slot, const double *state, const ff_touch *touch);

/* Energy stored by the normal law and by the tangential spring, after ff_touch_answer(). */
double ff_touch_normal(const ff_slot *slot, const double *state, const ff_touch *touch);
double ff_touch_tangential(const ff_slot *slot, const double *state, const ff_touch *touch);

/* ---- slopes (slopes.c) ---- */

/* What a contact with a plane answers to: depth, inner state, velocity of the touching point, u. */
enum { FF_BY_DEPTH, FF_BY_INNER, FF_BY_VELOCITY, FF_BY_U = 5, FF_CAUSES = 8 };

/* The partial derivatives of a contact's answers at one point. */
typedef struct ff_touch_slopes {
    bool known;
    ff_touch touch; /* there */
    double state[4];
    double push[3][FF_CAUSES], u_rate[3][FF_CAUSES], inner_rate[FF_CAUSES];
} ff_touch_slopes;

/* Whether a slot does nothing in this mode. */
bool ff_touch_silent(const ff_slot *slot, ff_mode mode);
/* False where they are not known: two spheres, a ground that recovers, passive clutches, callers' laws, modes that
 * change within steps. */
bool ff_touch_slopes_find(const ff_slot *slot, ff_mode mode, double t, const double *bodies,
                          const double *state, ff_touch_slopes *out);
/* push and the rates of inner states at a touch that was found nearby, along the tangents. */
void ff_touch_follow(const ff_touch_slopes *slopes, const double *state, ff_touch *out);
