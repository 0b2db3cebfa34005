/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* One dimensionless free impact, integrated to rounding: depth Z in L, time T in L/v, force in m v^2/L, energy in m v^2.
 *
 * With Z = s^q and dT = q s^(q-1) dsigma the equations are
 *    s' = v,  v' = -q s^(q-1) F,  T' = q s^(q-1),  W' = q s^(q-1) loss,
 * and inner states are integrated in the same variable. For a power law F = Z^n + delta Z^p v, so that
 *    v' = -q (s^a + delta s^b v),  W' = q delta s^b v^2,  a = q - 1 + q n, b = q - 1 + q p.
 * q makes a and b integers, so that nothing is singular at touch-down; if no small q does, q = 8 leaves at least seven
 * smooth derivatives. With small integers the solution is expanded in series (series.c), otherwise it is integrated by
 * steps (orbit.c).
 *
 * If the elements of a bed detach one by one (detach: local), the opening phase is X' = v - tau X^n, v' = -X^n in X = Z + tau v
 * (docs/theory.md, Detachment of a bed), and s stands for X = s^q:
 *    s' = v - tau s^(qn),  v' = -q s^a,  W' = q tau s^(q-1+2qn),
 * where W is the loss of v^2/2 + X^(n+1)/(n+1), which equals the energy at both ends of the phase. For other laws the force is evaluated by the law itself (any.c); if the contact ends below z = 0
 * (adhesion), Z = s^q - below. */

#include <footfall/impact.h>

typedef enum { FF_S, FF_V, FF_T, FF_W, FF_ORBIT_STATES } ff_orbit_state;

/* s, v, T, W, then the law's inner states; orbit->count of them are used */
typedef double ff_orbit_point[FF_ORBIT_STATES + FF_LAW_STATES];

/* Multiply Z by depth, T by time, v by speed, force by force. */
typedef struct ff_orbit_scale {
    double depth, time, speed, force;
} ff_orbit_scale;

/* the powers of s in the equations, each a product of two previous ones (series.c) */
enum { FF_ORBIT_CHAIN = 16 };
typedef struct ff_orbit_product {
    int exponent, left, right;
} ff_orbit_product;

typedef struct ff_orbit {
    int q, count;
    bool clamp;
    double first; /* first step, small compared with the impact, so that no event is missed in it */
    double floor[FF_ORBIT_STATES]; /* smallest sizes to which errors are relative */
    ff_orbit_scale scale;
    /* of a power law */
    double n, p;
    bool whole; /* a and b are integers */
    double a, b;
    bool in_series;                      /* integers small enough for series */
    int products, clock, damper, spring; /* positions of s^(q-1), s^b and s^a in the chain */
    ff_orbit_product chain[FF_ORBIT_CHAIN];
    double closing,
        opening; /* delta of the two phases, negative where `local` opens; 1 and -1 for other laws */
    bool local;  /* detach: local, with the damping time tau while opening */
    double tau;
    int bed; /* position of s^(qn) in the chain */
    /* for other laws; NULL for a power law */
    const ff_normal *law;
    double below; /* distance below z = 0 at which the contact ends, in L: Z = s^q - below */
} ff_orbit;

/* Initialises the dimensionless impact; false if its scales are out of the range of doubles. */
bool ff_orbit_init(ff_orbit *orbit, const ff_normal *law, double mass, double speed);

/* The point at touch-down. */
void ff_orbit_start(const ff_orbit *orbit, ff_orbit_point y);
double ff_orbit_depth(const ff_orbit *orbit, const ff_orbit_point y);
/* A power of the depth, e >= 0. */
double ff_orbit_depth_power(const ff_orbit *orbit, const ff_orbit_point y, double e);
/* The force at y, 0 while it is clamped. */
double ff_orbit_force(const ff_orbit *orbit, const ff_orbit_point y);

/* An event: integration stops where the function falls through 0. */
typedef double (*ff_orbit_event)(const ff_orbit *orbit, const ff_orbit_point y, double value);

/* Event: the velocity falls to `value`. */
double ff_orbit_velocity_event(const ff_orbit *orbit, const ff_orbit_point y, double value);
/* Event: the contact ends; with a nonzero `value`, the depth returns to 0 whatever the force. */
double ff_orbit_end_event(const ff_orbit *orbit, const ff_orbit_point y, double value);

/* Called after every step, with its end points, length and damping. */
typedef void (*ff_orbit_watch)(void *user, const ff_orbit *orbit, const ff_orbit_point before,
                               const ff_orbit_point after, double step, double delta);

/* State of an integration; starts as zeros. */
typedef struct ff_orbit_run {
    double sigma; /* total length so far */
    double step;  /* next step; 0 for the first */
    int steps;    /* steps tried */
} ff_orbit_run;

/* Integrates y in place until the event, with the damping delta. FF_ENDLESS if an adhesive contact closes again in the
 * opening phase: its energy never grows, so that it never ends. */
ff_status ff_orbit_until(const ff_orbit *orbit, double delta, ff_orbit_event event, double value,
                         ff_orbit_point y, ff_orbit_run *run, ff_orbit_watch watch, void *user);
/* One step of sigma as made by ff_orbit_until(); accurate if it is no longer than those. */
void ff_orbit_step(const ff_orbit *orbit, double delta, const ff_orbit_point from, double step,
                   ff_orbit_point to);
/* The distance in sigma from `from` to the root of the event function, which is within `step`, and the point there. On
 * entry `to` holds the point at `step`. */
double ff_orbit_locate(const ff_orbit *orbit, double delta, ff_orbit_event event, double value,
                       const ff_orbit_point from, double step, ff_orbit_point to);

/* -ln e by integration only, even if there is a closed form; NAN on failure. */
double ff_orbit_decay(const ff_orbit *orbit);

/* ---- laws that are not power laws (any.c) ---- */

void ff_any_init(ff_orbit *orbit, const ff_normal *law, double mass, double speed);
void ff_any_start(const ff_orbit *orbit, ff_orbit_point y);
/* phase: orbit->closing or orbit->opening */
void ff_any_rates(const ff_orbit *orbit, double phase, const double *y, double *dy);
/* The smallest size to which the error of an inner state is relative. */
double ff_any_floor(const ff_orbit *orbit, int state);
double ff_any_force(const ff_orbit *orbit, const ff_orbit_point y);
/* d(force)/d(sigma) along the motion */
double ff_any_force_slope(const ff_orbit *orbit, const ff_orbit_point y);
double ff_any_end(const ff_orbit *orbit, const ff_orbit_point y);
/* Whether the force has ended by more than an integration error. With strong damping and p = n it is negligible but never
 * ends: `hold` is 0 up to that error. */
bool ff_any_let_go(const ff_orbit *orbit, const ff_orbit_point y);
/* Whether the body continues at a constant velocity, near that of y, at which there is no force from y to the end. This
 * happens with strong damping and p = n, where the equations are very stiff. */
bool ff_any_coasts(const ff_orbit *orbit, const ff_orbit_point y, double *velocity);
/* The energy in the law's springs. */
double ff_any_stored(const ff_orbit *orbit, const ff_orbit_point y);
