/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* Internals of a walker. */

#include "chart.h"
#include "fixed_point.h"
#include <footfall/gait.h>

/* Event functions of a gait's sims, in the order of their events after those of the scene. */
typedef enum watched {
    WATCH_END,   /* the image of the motion begins a step */
    WATCH_BEGIN, /* the motion itself begins a step: only on the way to the first section */
    WATCH_FALL,
    WATCHES
} watched;

typedef struct watch {
    ff_gait *gait;
    watched what;
} watch;

/* A state on the section: motions of the bodies, and inner states of all slots in their order, 0 without contact. */
typedef struct stance {
    ff_motion *bodies;
    double *inner;
} stance;

/* An independent number of the inner states of a contact that touches where steps begin: a scalar, or a component of a
 * spring along a unit vector. */
typedef struct spring {
    size_t at;
    int width; /* 1, or 3 */
    double way[3], size;
} spring;

struct ff_gait {
    ff_gait_def def;
    double axis[3], direction[3], reflect[3]; /* unit vectors, or 0 */
    double turning; /* scale of the section function, below 1e-9 of which it counts as 0 */
    watch watches[WATCHES];
    size_t first_watch; /* index of the first among the events of the model */
    int *partner;       /* of each body: the body whose motion it has in the image */
    /* of each body: quaternion in its own axes that rotates it back in the image */
    double (*turn)[4];
    ff_plane_def *planes;
    size_t plane_count;
    double mass;

    ff_model *model;
    /* with the tolerance of the options; for derivatives, if that is too loose for them, otherwise NULL; and a looser one */
    ff_sim *sim, *smooth, *quick;
    ff_chart chart;
    size_t n;           /* number of independent coordinates on the section */
    size_t inner_count; /* numbers of a stance's inner states */
    spring *springs;    /* the last ones of the n coordinates */
    size_t spring_count;
    size_t *
        source; /* of each slot: the slot whose inner states it has in the image; SIZE_MAX: unknown */
    long steps;

    /* current state, and states at the beginning and end of steps */
    stance here, next, image;
    bool begins;          /* `here` is the beginning of a step */
    double *base, *moved; /* coordinates */
    double *base_inner;   /* and inner states of the base */
    /* degrees of freedom: the direction, and the gradient of the section function */
    double *along, *across;
    double *way, *by;         /* degrees of freedom */
    double *basis;            /* n times the degrees of freedom: displacements within the section */
    double *memory, *state;   /* scratch; a state x */
    double (*multipliers)[2]; /* and as many for comparison */
    ff_error why;             /* reason of the last failed step */
};

/* ---- inner states of contacts (inner.c) ---- */

/* Begins a run in a state on the section. */
ff_status ff_gait_begin(const ff_gait *gait, ff_sim *sim, const stance *at);
/* Reads the inner states of a sim at the end of a step. FF_BAD_VALUE if there are others than a stance can have. */
ff_status ff_gait_read_inner(const ff_gait *gait, const ff_sim *sim, double *out, ff_error *error);
/* The inner states in the image; and for each slot, the one whose place it takes there. */
ff_status ff_gait_image_inner(const ff_gait *gait, const double *from, double *to, ff_error *error);
void ff_gait_find_sources(ff_gait *gait);
/* Finds the independent numbers of the inner states at the base. */
void ff_gait_make_springs(ff_gait *gait, const stance *base);

/* ---- the step map ---- */

/* A step of a walker with one of its sims, for the step map. */
typedef struct ff_walked {
    ff_gait *gait;
    ff_sim *sim;
    double period, length;
    double usual; /* integration steps of the longest step so far that was not broken off */
} ff_walked;

/* The step map in the coordinates of the section. `user` is an ff_walked, in which period and length are returned. */
ff_status ff_gait_map(void *user, const double *x, double *out);

/* The step maps of a walker: with its own tolerance, and with two for derivatives and their errors. */
typedef struct ff_gait_maps {
    ff_walked fine_walk, smooth_walk, quick_walk;
    ff_fixed_point_map fine, smooth, quick;
} ff_gait_maps;

void ff_gait_make_maps(ff_gait *gait, ff_gait_maps *m);

/* Describes the cycle at x, a fixed point of the step map. It becomes the base, so that x is 0 on return. `work` has
 * room for 2 n numbers, `jacobian` for n^2. */
ff_status ff_gait_describe(ff_gait *gait, double *x, double *jacobian, double *work,
                           ff_gait_cycle *out);
/* Allocates x, work and jacobian, in this order; free with ff_free(). */
double *ff_gait_cycle_room(size_t n);
