/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

#include "num/bracket.h"
#include "parts.h"

/* The functions whose roots are events. */
typedef enum ff_lane_root {
    FF_LANE_GAP,
    FF_LANE_HOLD,
    FF_LANE_EDGE,
    FF_LANE_ROOTS,
    FF_LANE_NO_ROOT = FF_LANE_ROOTS
} ff_lane_root;

/* What a lane does next. */
typedef enum ff_lane_next { FF_LANE_GOES_ON, FF_LANE_DONE, FF_LANE_IN_TROUBLE } ff_lane_next;

/* One run, besides its column of the block. */
typedef struct ff_lane {
    ff_sim *sim; /* lent */
    ff_mode mode;
    bool inside; /* of a lane without events: in contact where its last step ended */
    double until, least, touch_step; /* s */
    double tol;

    /* the frame of the plane, and how the motion of the body follows from s (parts.h) */
    double across[2][3];
    double alpha, beta[2], gamma[2], pull[2], slip0[2], place0[2], omega0[3], turning, per_mobility;

    /* a root that steps are made to end at */
    ff_lane_root aim;
    double slope;       /* of its function by x */
    ff_bracket lengths; /* of real steps that end before it and after it, x */
    double wish;        /* the step that was wanted before steps were aimed at an edge, x; or 0 */
    double last;        /* how long the step was that showed it, s */
    int turns, aims, tries, forced;

    double moved; /* when an event came more than rounding after the one before, s */
    int stalled;
    double release, scale;
    size_t counts[FF_USER + 1];
} ff_lane;

/* Takes over a run that a sim was begun with, as lane l. */
ff_lane_next ff_lane_begin(ff_lane *lane, ff_lane_block *b, const ff_lane_laws *laws, int l);
/* A step of lane l was tried, and is not one that just goes on. */
ff_lane_next ff_lane_attend(ff_lane *lane, ff_lane_block *b, const ff_lane_laws *laws, int l);
/* Lane l, of fixed steps without events, has come into contact, left it, or is at its end. */
ff_lane_next ff_lane_attend_fixed(ff_lane *lane, ff_lane_block *b, int l);
/* Puts the sim of a lane where the lane is. */
void ff_lane_leave(ff_lane *lane, const ff_lane_block *b, int l);
