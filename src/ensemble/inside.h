/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* Functions that the files of a lane share. */

#include "lane.h"
#include <math.h>

static inline const ff_slot *ff_lane_slot(const ff_lane *lane) {
    return &lane->sim->reduced->slots[lane->plane];
}

/* The time at a value of the clock. */
static inline double ff_lane_time(const ff_lane_block *b, int l, double x) {
    const int power = (int)b->power[l];
    const double since = ff_power_of(fabs(x), power);
    return power == 1 ? x : b->start[l] + (x < 0 ? -since : since);
}

/* ---- laws and roots (lane_root.c) ---- */

/* Evaluates both laws of the contact at six states. The answer is valid until the next call. */
const ff_pair_answer *ff_lane_answer(ff_lane *lane, const ff_lane_block *b, int l,
                                     const double v[FF_LANE_STATES]);
/* Excess of friction over the threshold at which it slips, or over the kink of a law that bends. */
double ff_lane_excess(ff_lane *lane, const ff_lane_block *b, int l, const double v[FF_LANE_STATES]);

/* The level of the friction springs. */
static inline double ff_lane_level(const ff_lane_laws *laws, const ff_pair_answer *at) {
    return laws->graded == 2 ? at->grade : at->force > 0 ? at->force : 0;
}

/* Makes the interpolant of order 4 of the last trial step (ode/stepper.c): for the states and the graded work before the
 * step is taken, or for everything after it was taken, if steps are reported. */
void ff_lane_dense_make(const ff_lane_block *b, int l, bool taken, ff_lane_dense *out);

static inline double ff_lane_dense_at(const ff_lane_dense *d, double theta, int c) {
    const double *r = d->c[c], rest = 1 - theta;
    return r[0] + theta * (r[1] + rest * (r[2] + theta * (r[3] + rest * r[4])));
}

/* A root within the last trial step. */
typedef struct ff_lane_found {
    double theta;       /* 0: the function disagrees throughout the step */
    double slope;       /* derivative of the function with respect to theta at the root */
    double first, last; /* the function at the start and the end of the step */
} ff_lane_found;

/* A root function, positive where it disagrees with the mode of the lane: within the last trial step, and at its end, from
 * the stored values. */
double ff_lane_root_within(ff_lane *lane, const ff_lane_block *b, int l, const ff_lane_dense *d,
                           double theta, ff_lane_root root);
double ff_lane_root_at_end(ff_lane *lane, const ff_lane_block *b, int l, ff_lane_root root);
/* Locates where a function that disagrees at the end of the step begins to disagree, to a fraction `fine` of the step. */
ff_lane_found ff_lane_root_find(ff_lane *lane, const ff_lane_block *b, int l,
                                const ff_lane_dense *d, ff_lane_root root, double fine);
/* The functions that disagree at the end of the last trial step, as a bit mask. */
unsigned ff_lane_roots_passed(const ff_lane *lane, const ff_lane_block *b, int l);

/* ---- clocks and accounts (lane.c) ---- */

/* Restarts the clock at `time`, with a first step of about `step`, s. */
void ff_lane_restart(ff_lane *lane, ff_lane_block *b, int l, double time, int power, double step);
/* Free flight: all quantities after a time t. */
void ff_lane_glide(const ff_lane_block *b, int l, const double from[FF_LANE_SIZE], double t,
                   double to[FF_LANE_SIZE]);

/* Books a change of the sum of regrade and created. */
static inline void ff_lane_book(ff_lane_block *b, int l, double change) {
    *(change > 0 ? &b->regrade[l] : &b->created[l]) += change;
}

/* ---- rest (lane_rest.c) ---- */

/* Finds the equilibrium of a lane, and how close to it the motion is linear. */
void ff_lane_rest_find(ff_lane *lane, ff_lane_block *b, int l);
/* The linear motion close to the equilibrium: all quantities after a time t. */
void ff_lane_ring(const ff_lane *lane, const ff_lane_block *b, int l,
                  const double from[FF_LANE_SIZE], double t, double to[FF_LANE_SIZE]);
/* Moves a lane close to its equilibrium to the end of the run. */
ff_lane_next ff_lane_settle(ff_lane *lane, ff_lane_block *b, int l);

/* ---- the frame of the plane (lane_frame.c) ---- */

/* Accounts of a slot that lanes integrate, in the order of FF_LANE_NORMAL_DAMPER and following. */
enum { FF_LANE_ACCOUNTS = FF_LANE_SIZE - FF_LANE_NORMAL_DAMPER };
extern const ff_integral ff_lane_accounts[FF_LANE_ACCOUNTS];

/* Motion of the sphere in world axes. */
typedef struct ff_lane_motion {
    double position[3], velocity[3], omega[3];
} ff_lane_motion;

/* Changes to the frame of a plane at `time`, without contact: everything that depends on the plane, its accounts included. */
void ff_lane_enter(ff_lane *lane, ff_lane_block *b, int l, size_t plane, double time,
                   const ff_lane_motion *motion);
/* Keeps the accounts of the plane of a lane. */
void ff_lane_store(ff_lane *lane, const ff_lane_block *b, int l);
/* In-plane position of the centre of mass, after a slip distance `way`. */
double ff_lane_place(const ff_lane *lane, double way, double time, int i);
/* The motion at y, and the smallest distance from another plane; HUGE_VAL if there is none. */
void ff_lane_motion_at(const ff_lane *lane, const double y[FF_LANE_SIZE], double time,
                       ff_lane_motion *out);
double ff_lane_distance(const ff_lane *lane, const double position[3]);

/* ---- the state in the sim (lane_view.c) ---- */

/* Puts the state of a lane at a time into its sim. */
void ff_lane_put(ff_lane *lane, const ff_lane_block *b, int l, double time);
/* If steps are reported: begins motion by a closed form at `time`, and reports the motion up to the present state of the
 * lane, at `time`. */
void ff_lane_set_off(ff_lane *lane, ff_lane_block *b, int l, ff_lane_span span, double time);
void ff_lane_tell(ff_lane *lane, const ff_lane_block *b, int l, double time, bool plain);
