/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* Lanes: runs of one scene side by side, a sphere on a plane each, with numbers, a step, a clock and events of its own.
 *
 * In the frame of the plane a sphere whose orientation acts on nothing has six states that feed back: depth z and its rate w,
 * the velocity s of slip, the spring u of friction. With kappa = 1/m + r^2/I, the mobility of the touching point,
 *
 *   z' = w,  w' = -gravity.n - (N + lift)/m,  s' = kappa f + gravity_t,  u' = the law's,
 *
 * and all else follows: the velocity of the centre is v = alpha s + beta + gamma t, alpha = 1/(m kappa), its place the
 * integral of that, and omega turns by the impulse (s - s0 - gravity_t t)/kappa times r/I. A lane never depends on its
 * neighbours: vectors of any width and any packing of runs give the same bits. */

#include "law/kernels.h"
#include "sim/sim.h"
#include <footfall/sim.h>
#include <stdint.h>

/* Runs side by side: two vectors of eight, four of four or eight of two, so that one waits while another computes. */
enum { FF_ABREAST = 16 };

/* what is integrated: states, then integrals that feed nothing back */
enum {
    FF_LANE_Z,
    FF_LANE_W,
    FF_LANE_S,
    FF_LANE_U = FF_LANE_S + 2,
    FF_LANE_STATES = FF_LANE_U + 2,
    FF_LANE_WAY = FF_LANE_STATES, /* of slip, m */
    FF_LANE_NORMAL_DAMPER = FF_LANE_WAY + 2,
    FF_LANE_DAMPER,
    FF_LANE_SLIP,
    FF_LANE_VISCOUS,
    FF_LANE_GRADED,
    FF_LANE_SIZE
};

typedef double ff_row[FF_ABREAST] __attribute__((aligned(64)));
typedef int64_t ff_mask[FF_ABREAST] __attribute__((aligned(64))); /* -1: yes, 0: no */

/* What is looked at where a step ends, beside y. */
typedef struct ff_lane_look {
    ff_row hold, excess; /* of the laws */
    ff_row sum; /* graded work less graded times level: regrade and created up to a constant, J */
} ff_lane_look;

/* Runs abreast, number by number. */
typedef struct ff_lane_block {
    ff_row normal[FF_LAW_NUMBERS], friction[FF_LAW_NUMBERS]; /* numbers of the laws */
    ff_row latched; /* inner state of the normal law, which stays as it is in a contact */
    ff_row per_mass, mobility; /* 1/m, kappa */
    ff_row fall, pull[2];      /* gravity: rate of w, of s */
    ff_row per_weight[FF_LANE_SIZE];
    ff_row noise; /* of a depth, m */

    ff_row power, x, start;                     /* the clock, as ff_clock */
    ff_row end;                                 /* x where the run ends */
    ff_row h;                                   /* the next step, in x */
    ff_mask live, open, slipping, fresh, aimed; /* open: the force is not clamped */
    ff_row y[FF_LANE_SIZE];
    ff_row sum, regrade, created; /* books of the springs of friction, J */
    ff_row steps, rejected;

    /* of the step last tried */
    ff_row tried, error, factor;
    ff_row y1[FF_LANE_SIZE], k[7][FF_LANE_SIZE], stage[FF_LANE_STATES], stage_x;
    ff_lane_look look;
    uint32_t good, ended,
        events; /* bit by lane: error control let it through, it is at the end, a function disagrees */
} ff_lane_block;

/* What all runs of a block have in common. */
typedef struct ff_lane_laws {
    int normal, friction; /* forms, by the places in the tables of ff_lane_work */
    int pair;             /* both in one function; -1: one after the other */
    bool clamps, slips, lifts;
    int graded; /* the level of springs: 0 none, 1 the load, 2 the grade */
} ff_lane_laws;

/* The loops over lanes, for one instruction set. */
typedef struct ff_lane_work {
    int width;
    /* Places of the forms of laws in the tables of this file; -1: it has none of that name. */
    int (*normal_of)(const char *tag);
    int (*friction_of)(const char *tag, int *graded);
    int (*pair_of)(int normal, int friction);
    /* One step of every live lane is tried. Those that nothing happens in go on; the others, a bit for each, are as they were. */
    uint32_t (*step)(ff_lane_block *b, const ff_lane_laws *laws);
    /* Up to so many fixed steps of Runge and Kutta, without events. They end where some lanes, a bit for each, have come into
     * contact, left it, or are at their ends. */
    uint32_t (*rk4)(ff_lane_block *b, const ff_lane_laws *laws, size_t steps);
} ff_lane_work;

extern const ff_lane_work ff_lane_plain, ff_lane_avx2, ff_lane_avx512;
const ff_lane_work *ff_lane_work_best(void);
