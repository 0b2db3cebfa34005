/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

#include "ensemble.h"
#include "num/bracket.h"
#include "parts.h"

/* Root functions of events. */
typedef enum ff_lane_root {
    FF_LANE_GAP,
    FF_LANE_HOLD,
    FF_LANE_EDGE,
    FF_LANE_ROOTS,
    FF_LANE_NO_ROOT = FF_LANE_ROOTS
} ff_lane_root;

/* State of a lane after an action. */
typedef enum ff_lane_next { FF_LANE_GOES_ON, FF_LANE_DONE, FF_LANE_IN_TROUBLE } ff_lane_next;

/* The motion in the step that is being reported: an integration step, free flight, or the linear motion close to rest. */
typedef enum ff_lane_span {
    FF_LANE_NO_SPAN,
    FF_LANE_STEP,
    FF_LANE_FLIGHT,
    FF_LANE_RING
} ff_lane_span;

/* Coefficients of an interpolant, for the components that were asked for. */
typedef struct ff_lane_dense {
    double c[FF_LANE_SIZE][5];
} ff_lane_dense;

/* The modes of a lane, and numbers that change only at events. */
typedef struct ff_lane_phase {
    ff_mode mode;
    bool slipping;
    double latched, release;
} ff_lane_phase;

/* Most planes of a scene: a room has six. */
enum { FF_LANE_PLANES = 8 };

/* Accounts of a plane that the lane is not in contact with, J, the inner state of its normal law, and the length of the first
 * step of its next contact. */
typedef struct ff_lane_kept {
    double accounts[FF_LANE_SIZE - FF_LANE_NORMAL_DAMPER], sum, regrade, created, release;
    double latched, first;
} ff_lane_kept;

/* Distances from the other planes, m, and their rates, m/s, at one time, s. */
typedef struct ff_lane_others {
    double time, gap[FF_LANE_PLANES], rate[FF_LANE_PLANES];
} ff_lane_others;

/* One run, besides its column of the block. */
typedef struct ff_lane {
    ff_sim *sim;                         /* borrowed */
    void (*event)(void *user, int lane); /* as in ff_ensemble_feed; NULL: events are only counted */
    void (*step)(void *user, int lane, const ff_ensemble_step *step); /* NULL: none is reported */
    void *user;
    const ff_lane_laws *const *each; /* laws of each plane */
    const ff_lane_laws *laws;        /* of the plane that the lane touches or will touch next */
    size_t plane;
    ff_mode mode;
    bool leaves; /* the clock ends where contact ends */
    bool inside; /* lane without events: in contact at the end of the last step */
    double until, least, touch_step; /* s */
    double tol;

    /* frame of the plane, and coefficients of the body's motion as a function of s (parts.h) */
    double across[2][3];
    double since; /* time at which the lane began to use this frame, s */
    double alpha, beta[2], gamma[2], pull[2], slip0[2], place0[2], omega0[3], turning, per_mobility;

    double damping[2]; /* at the equilibrium: of depth and of slip, 1/s */

    /* root at which the next step should end */
    ff_lane_root aim;
    double slope;       /* derivative of the root function with respect to x */
    ff_bracket lengths; /* lengths of trial steps that end before and after the root, x */
    double last;        /* length of the step in which the root was detected, s */
    int turns, tries, forced;

    /* time of the last event that was later than its predecessor by more than rounding, s */
    double moved;
    int stalled;
    double release, scale;
    size_t counts[FF_USER + 1];

    /* the step that is being reported: its motion, whether its interpolant is known, the start of a flight or of the linear
     * motion, s, the phase in it, and where the sum of regrade and created turned, s and J */
    ff_lane_span span;
    bool interpolates, turned;
    double left, turned_at, turned_sum;
    ff_lane_phase past;

    /* scratch memory for evaluations of the laws, because clearing it takes as long as they do */
    ff_friction_query slide;
    ff_pair_answer at;

    /* rarely used, and last: the interpolant of the step that is being reported; accounts of the other planes, and their
     * distances at the last comparison; depths that may call for a warning */
    ff_lane_dense dense;
    ff_lane_kept kept[FF_LANE_PLANES];
    ff_lane_others others;
    double deepest[FF_LANE_PLANES]; /* largest depth in each plane, m; 0: not beyond b->deep */
} ff_lane;

/* Takes over the run of a sim at its start, as lane l. */
ff_lane_next ff_lane_begin(ff_lane *lane, ff_lane_block *b, int l);
/* Whether lane l, past its safe time at the end of a step, has touched no other plane; and sets a new safe time. */
bool ff_lane_keeps_clear(ff_lane *lane, ff_lane_block *b, int l);
/* Handles a trial step of lane l that was not simply accepted. */
ff_lane_next ff_lane_attend(ff_lane *lane, ff_lane_block *b, int l);
/* Handles lane l, with fixed steps and without events, when contact has begun or ended or its end is reached. */
ff_lane_next ff_lane_attend_fixed(ff_lane *lane, ff_lane_block *b, int l);
/* Reports the step that lane l has just made, without an event. */
void ff_lane_report_step(ff_lane *lane, const ff_lane_block *b, int l);
/* Sets the sim of a lane to the state of the lane. */
void ff_lane_leave(ff_lane *lane, const ff_lane_block *b, int l);
