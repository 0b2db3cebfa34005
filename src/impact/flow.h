/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* The dimensionless impact Z'' = -(Z^n + delta Z^p Z'), integrated to rounding.
 *
 * With Z = s^q and dT = q s^(q-1) dsigma the equations are
 *   s' = v,  v' = -q (s^a + delta s^b v),  T' = q s^(q-1),  W' = q delta s^b v^2,
 * a = q - 1 + q n, b = q - 1 + q p. q makes a and b whole numbers, so that nothing is singular at
 * touch-down; where no small q does, q = 8 leaves at least seven smooth derivatives. */

#include <footfall/impact.h>

typedef enum { FF_S, FF_V, FF_T, FF_W, FF_FLOW_STATES } ff_flow_state;

typedef double ff_flow_point[FF_FLOW_STATES];

typedef struct ff_flow {
    double n, p;
    int q;
    bool whole; /* a and b are whole numbers */
    double a, b;
    double closing, opening; /* delta of the two phases */
    bool clamp;
    ff_flow_point floor; /* sizes below which an error counts as if of that size */
} ff_flow;

/* Scales of an impact: multiply Z by depth, T by time, v by speed, force by force. */
typedef struct ff_flow_scale {
    double depth, time, speed, force;
} ff_flow_scale;

/* What is dimensionless about an impact under a power law; false for other laws. */
bool ff_flow_init(ff_flow *flow, ff_flow_scale *scale, const ff_normal *law, double mass,
                  double speed);

double ff_flow_depth(const ff_flow *flow, const ff_flow_point y);
/* Z^n + delta Z^p v at y, 0 where a clamp holds it */
double ff_flow_force(const ff_flow *flow, const ff_flow_point y);

/* An event: the flow stops where the function falls through 0. */
typedef double (*ff_flow_event)(const ff_flow *flow, const ff_flow_point y, double value);

/* Where the velocity falls to `value`. */
double ff_flow_velocity_event(const ff_flow *flow, const ff_flow_point y, double value);
/* Where the contact ends. */
double ff_flow_end_event(const ff_flow *flow, const ff_flow_point y, double value);

/* Called after every step, with the points it joins, its length and its damping. */
typedef void (*ff_flow_watch)(void *user, const ff_flow *flow, const ff_flow_point before,
                              const ff_flow_point after, double step, double delta);

/* From y in place until the event, with the damping delta. sigma is what was gone through. */
ff_status ff_flow_until(const ff_flow *flow, double delta, ff_flow_event event, double value,
                        ff_flow_point y, double *sigma, int *steps, ff_flow_watch watch,
                        void *user);
/* One step of sigma, as ff_flow_until() takes them: good while it is no longer than those. */
void ff_flow_step(const ff_flow *flow, double delta, const ff_flow_point from, double step,
                  ff_flow_point to);
/* The stretch of sigma from `from` to where the event function is 0, known to be within `step`, and
 * the point there. `to` holds the point at `step` before. */
double ff_flow_locate(const ff_flow *flow, double delta, ff_flow_event event, double value,
                      const ff_flow_point from, double step, ff_flow_point to);

/* -ln e by integration alone, whatever closed form there may be; NAN if it fails. */
double ff_flow_decay(const ff_flow *flow);
