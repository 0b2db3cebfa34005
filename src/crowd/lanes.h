/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* Many contacts at once, component by component: what is gathered from bodies, what geometry makes of it,
 * what laws answer, and what goes back. One file of arithmetic compiled for each instruction set, chosen
 * at run time; every lane width gives the same bits. */

#include <stdbool.h>
#include <stddef.h>

enum { FF_LANES = 64 }; /* contacts at once: all lanes together fit into a first-level cache */

typedef double ff_lane[FF_LANES];

typedef struct ff_lanes {
    /* gathered: place and velocity of the first against the second, spins, radii, states */
    ff_lane d[3], dv[3], wa[3], wb[3], ra, rb;
    ff_lane u[3], inner;
    /* geometry */
    ff_lane n[3], z, zdot, slip[3], turn[3], lever_a, lever_b;
    /* laws */
    ff_lane force, loss, rate, grade, ratio, load, grade_slope;
    ff_lane pull[3], u_rate[3], lift, damper, clutch, viscous;
    /* what goes back: push on the first, n x push, work of the tangential spring */
    ff_lane push[3], twist[3], spring_work;
} ff_lanes;

/* How the stiffness of a tangential spring is graded: k times what. */
typedef enum ff_level { FF_LEVEL_ONE, FF_LEVEL_GRADE, FF_LEVEL_LOAD } ff_level;

typedef struct ff_lane_set {
    /* depth, normal, levers, velocities of two spheres that touch (DESIGN: one common point) */
    void (*touch)(ff_lanes *l, size_t count);
    /* load = max(force, 0), and ratio likewise, for the friction law */
    void (*weigh)(ff_lanes *l, size_t count);
    /* push and twist; with friction also the work of its spring and u' with the pair's turning */
    void (*answer)(ff_lanes *l, size_t count, bool slides, double k, ff_level level);
} ff_lane_set;

extern const ff_lane_set ff_lane_set_plain;
#if FF_X86
extern const ff_lane_set ff_lane_set_avx2;
extern const ff_lane_set ff_lane_set_avx512;
#endif

/* The widest one this machine can run. */
const ff_lane_set *ff_lane_set_best(void);
