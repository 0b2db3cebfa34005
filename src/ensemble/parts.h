/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* Lanes: runs of one scene side by side, each a sphere that touches one plane at a time, with its own parameters, step size,
 * clock and events.
 *
 * In the frame of the plane that it touches, a sphere whose orientation has no effect has six coupled states: depth z and its rate
 * w, slip velocity s, and deflection u of the friction spring. With kappa = 1/m + r^2/I, the mobility of the contact
 * point,
 *
 *    z' = w,  w' = -gravity.n - (N + lift)/m,  s' = kappa f + gravity_t,  u' from the friction law.
 *
 * The rest of the motion follows: the velocity of the centre is v = alpha s + beta + gamma t with alpha = 1/(m
 * kappa), its position is the integral of that, and omega changes by the impulse (s - s0 - gravity_t t)/kappa times
 * r/I. Lanes are independent of each other: any vector width and any assignment of runs to lanes give the same bits. */

#include "law/kernels.h"
#include "sim/sim.h"
#include <footfall/sim.h>
#include <stdint.h>

/* Runs side by side: two vectors of eight, four of four or eight of two, to hide the latency of each vector's
 * operations. */
enum { FF_ABREAST = 16 };

/* integrated quantities: states, then integrals that do not feed back */
enum {
    FF_LANE_Z,
    FF_LANE_W,
    FF_LANE_S,
    FF_LANE_U = FF_LANE_S + 2,
    FF_LANE_STATES = FF_LANE_U + 2,
    FF_LANE_WAY = FF_LANE_STATES, /* slip distance, m */
    FF_LANE_NORMAL_DAMPER = FF_LANE_WAY + 2,
    FF_LANE_DAMPER,
    FF_LANE_SLIP,
    FF_LANE_VISCOUS,
    FF_LANE_GRADED,
    FF_LANE_SIZE
};

typedef double ff_row[FF_ABREAST] __attribute__((aligned(64)));
typedef int64_t ff_mask[FF_ABREAST] __attribute__((aligned(64))); /* -1: true, 0: false */

/* Quantities at the end of a step, besides y. */
typedef struct ff_lane_look {
    ff_row hold, excess; /* results of the laws (footfall/law.h) */
    /* graded work minus `graded` times level: regrade plus created up to a constant, J */
    ff_row sum;
} ff_lane_look;

/* The runs in progress, as a structure of arrays. */
typedef struct ff_lane_block {
    ff_row normal[FF_LAW_NUMBERS], friction[FF_LAW_NUMBERS]; /* parameters of the laws */
    ff_row latched;            /* inner state of the normal law, constant during a contact */
    ff_row per_mass, mobility; /* 1/m, kappa */
    ff_row fall, pull[2];      /* gravity: contribution to w' and s' */
    ff_row per_weight[FF_LANE_SIZE];
    ff_row noise; /* rounding error of the depth, m */
    ff_row deep;  /* turning points beyond this depth are recorded for warnings, m */
    /* Equilibrium of a lane that rolls or slides: depth, m, and squares of the natural frequencies of depth and slip,
     * 1/s^2. Motion about it is linear, within the tolerance, where w^2 + normal_rate (z - depth)^2 < calm and
     * |s|^2 + slip_rate |u|^2 < calm_slip, m^2/s^2. */
    ff_row depth, normal_rate, slip_rate, calm, calm_slip;

    ff_row power, x, start; /* clock, as in ff_clock; time = start - |x|^power where x < 0 */
    ff_row end;             /* x at the end of the run */
    ff_row h;               /* length of the next step, in x */
    ff_row
        first; /* length that error control proposes for the first step of a contact, in x; 0: not known */
    ff_mask live, open, slipping, fresh, aimed; /* open: the force is not clamped */
    ff_row y[FF_LANE_SIZE];
    ff_row sum, regrade, created; /* accounts of the friction springs, J */
    ff_row steps, rejected;

    /* from the last trial step */
    ff_row tried, error, factor;
    ff_row reach
        [6]; /* h dt/dx at the stages, s; the last stage is at the end of the step, as is its predecessor */
    ff_row y1[FF_LANE_SIZE], k[7][FF_LANE_SIZE] /* dy/dt */, stage[FF_LANE_STATES];
    ff_lane_look look;
    ff_mask crossed; /* a root function disagreed with the mode at an inner stage */
    /* bit masks by lane: accepted by error control, at the end, a root function disagrees with the mode, motion is
     * linear from now on */
    uint32_t good, ended, events, calmed;
    /* if steps are reported: lanes that the last step advanced, without events; and if there are several planes: those of
     * them that are past their safe time */
    uint32_t advanced, late;
    /* if steps are reported: y, dy/dt and the accounts of the friction springs at the start of the last trial step */
    ff_row y0[FF_LANE_SIZE], k0[FF_LANE_SIZE], sum0, regrade0, created0;
    ff_row safe; /* no other plane can be touched before this time, s; for laws with `several` */
} ff_lane_block;

/* Properties that all runs of a block share. */
typedef struct ff_lane_laws {
    int normal, friction; /* indices in the law tables of ff_lane_work */
    int pair;             /* both laws in one function; -1: evaluated one after the other */
    bool clamps, lifts;
    bool slips;   /* friction has an edge between two branches */
    bool bends;   /* that edge is a kink, no event */
    int graded;   /* level of friction springs: 0 none, 1 load, 2 grade */
    bool reports; /* steps are reported */
    bool several; /* there are several planes */
} ff_lane_laws;

/* Finds the laws of a contact; false if lanes do not support them. */
bool ff_lane_laws_find(const ff_slot *slot, ff_lane_laws *out);
/* Finds the different combinations of laws of a model that is not refused, as many as it has slots at the most: returns their
 * number, and the index of that of each slot. */
size_t ff_lane_laws_list(const ff_model *model, ff_lane_laws *out, size_t *kind);

/* Kernels over lanes for one instruction set. */
typedef struct ff_lane_work {
    int width;
    /* Index of a law in the tables of this kernel; -1 if it has no law of that name. */
    int (*normal_of)(const char *tag);
    int (*friction_of)(const char *tag, int *graded);
    int (*pair_of)(int normal, int friction);
    /* Tries one step of every live lane. Lanes without events advance; the others, returned as a bit mask, are
     * unchanged. */
    uint32_t (*step)(ff_lane_block *b, const ff_lane_laws *laws);
    /* Makes up to `steps` fixed Runge-Kutta steps, without events. Stops when lanes, returned as a bit mask, begin
     * or end contact or reach their ends. */
    uint32_t (*rk4)(ff_lane_block *b, const ff_lane_laws *laws, size_t steps);
} ff_lane_work;

/* Zeroed memory at `at`, aligned for the widest vectors, in a block that is returned, to be freed; NULL if out of memory. */
char *ff_lane_memory(size_t size, char **at);

extern const ff_lane_work ff_lane_plain, ff_lane_avx2, ff_lane_avx512;
const ff_lane_work *ff_lane_work_best(void);
