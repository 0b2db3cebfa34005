/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* One free impact without dimensions, integrated to rounding: depth Z in L, time T in L/v, force in m v^2/L, energy in
 * m v^2.
 *
 * With Z = s^q and dT = q s^(q-1) dsigma the equations are
 *   s' = v,  v' = -q s^(q-1) F,  T' = q s^(q-1),  W' = q s^(q-1) loss,
 * and inner states follow their rates on the same clock. For a power law F = Z^n + delta Z^p v, so that
 *   v' = -q (s^a + delta s^b v),  W' = q delta s^b v^2,  a = q - 1 + q n, b = q - 1 + q p.
 * q makes a and b whole numbers, so that nothing is singular at touch-down; where no small q does, q = 8
 * leaves at least seven smooth derivatives. Whole numbers of no great size are expanded in series (series.c), the others integrated
 * by steps (orbit.c). Any other law is asked for its force (any.c). */

#include <footfall/impact.h>

typedef enum { FF_S, FF_V, FF_T, FF_W, FF_ORBIT_STATES } ff_orbit_state;

/* the four above, then the law's inner states; orbit->count of them are used */
typedef double ff_orbit_point[FF_ORBIT_STATES + FF_LAW_STATES];

/* Multiply Z by depth, T by time, v by speed, force by force. */
typedef struct ff_orbit_scale {
    double depth, time, speed, force;
} ff_orbit_scale;

/* the powers of s in the equations, each a product of two before it (series.c) */
enum { FF_ORBIT_CHAIN = 16 };
typedef struct ff_orbit_product {
    int exponent, left, right;
} ff_orbit_product;

typedef struct ff_orbit {
    int q, count;
    bool clamp;
    double first; /* step, small against the impact, so that no event hides in it */
    double floor[FF_ORBIT_STATES]; /* sizes below which an error counts as if of that size */
    ff_orbit_scale scale;
    /* of a power law */
    double n, p;
    bool whole; /* a and b are whole numbers */
    double a, b;
    bool in_series;                      /* whole, and small enough for series */
    int products, clock, damper, spring; /* where s^(q-1), s^b and s^a are in the chain */
    ff_orbit_product chain[FF_ORBIT_CHAIN];
    double closing, opening; /* delta of the two phases; 1 and -1 for any other law */
    /* of any other law; NULL for a power law */
    const ff_normal *law;
} ff_orbit;

/* What is dimensionless about an impact; false where its scales are beyond what a double can hold. */
bool ff_orbit_init(ff_orbit *orbit, const ff_normal *law, double mass, double speed);

/* The point at touch-down. */
void ff_orbit_start(const ff_orbit *orbit, ff_orbit_point y);
double ff_orbit_depth(const ff_orbit *orbit, const ff_orbit_point y);
/* A power of the depth, e >= 0. */
double ff_orbit_depth_power(const ff_orbit *orbit, const ff_orbit_point y, double e);
/* The force at y, 0 where a clamp holds it. */
double ff_orbit_force(const ff_orbit *orbit, const ff_orbit_point y);

/* An event: the orbit stops where the function falls through 0. */
typedef double (*ff_orbit_event)(const ff_orbit *orbit, const ff_orbit_point y, double value);

/* Where the velocity falls to `value`. */
double ff_orbit_velocity_event(const ff_orbit *orbit, const ff_orbit_point y, double value);
/* Where the contact ends; with a `value` other than 0 where the depth does, whatever the force. */
double ff_orbit_end_event(const ff_orbit *orbit, const ff_orbit_point y, double value);

/* Called after every step, with the points it joins, its length and its damping. */
typedef void (*ff_orbit_watch)(void *user, const ff_orbit *orbit, const ff_orbit_point before,
                               const ff_orbit_point after, double step, double delta);

/* How an integration goes on; starts as zeros. */
typedef struct ff_orbit_run {
    double sigma; /* what was gone through */
    double step;  /* the next one; 0 for the first */
    int steps;    /* tried */
} ff_orbit_run;

/* From y in place until the event, with the damping delta. */
ff_status ff_orbit_until(const ff_orbit *orbit, double delta, ff_orbit_event event, double value,
                         ff_orbit_point y, ff_orbit_run *run, ff_orbit_watch watch, void *user);
/* One step of sigma, as ff_orbit_until() takes them: good while it is no longer than those. */
void ff_orbit_step(const ff_orbit *orbit, double delta, const ff_orbit_point from, double step,
                   ff_orbit_point to);
/* The stretch of sigma from `from` to where the event function is 0, known to be within `step`, and
 * the point there. `to` holds the point at `step` before. */
double ff_orbit_locate(const ff_orbit *orbit, double delta, ff_orbit_event event, double value,
                       const ff_orbit_point from, double step, ff_orbit_point to);

/* -ln e by integration alone, whatever closed form there may be; NAN if it fails. */
double ff_orbit_decay(const ff_orbit *orbit);

/* ---- laws that are no power laws (any.c) ---- */

void ff_any_init(ff_orbit *orbit, const ff_normal *law, double mass, double speed);
void ff_any_start(const ff_orbit *orbit, ff_orbit_point y);
/* phase: orbit->closing or orbit->opening */
void ff_any_rates(const ff_orbit *orbit, double phase, const double *y, double *dy);
/* The size below which an error of an inner state counts as if of that size. */
double ff_any_floor(const ff_orbit *orbit, int state);
double ff_any_force(const ff_orbit *orbit, const ff_orbit_point y);
/* d(force)/d(sigma) along the motion */
double ff_any_force_slope(const ff_orbit *orbit, const ff_orbit_point y);
double ff_any_end(const ff_orbit *orbit, const ff_orbit_point y);
/* Whether the force has ended by more than an error of the integration. Under strong damping with p = n it is nothing but
 * never ends: `hold` is 0 but for that error. */
bool ff_any_let_go(const ff_orbit *orbit, const ff_orbit_point y);
/* Whether the body goes on at a constant velocity, near that of y: one at which there is no force from y to the end. So it does
 * under strong damping with p = n, where the equations are as stiff as the damping is strong. */
bool ff_any_coasts(const ff_orbit *orbit, const ff_orbit_point y, double *velocity);
/* The energy in the law's springs. */
double ff_any_stored(const ff_orbit *orbit, const ff_orbit_point y);
