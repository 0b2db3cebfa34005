/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* A walker from inside. */

#include "chart.h"
#include "fixed_point.h"
#include <footfall/gait.h>

/* What the sims of a gait watch for, in the order of their events after the scene's own. */
typedef enum watched {
    WATCH_END,   /* the image of the motion begins a step */
    WATCH_BEGIN, /* the motion itself does: only on the way to the first */
    WATCH_FALL,
    WATCHES
} watched;

typedef struct watch {
    ff_gait *gait;
    watched what;
} watch;

struct ff_gait {
    ff_gait_def def;
    double axis[3], direction[3], reflect[3]; /* of length 1, or 0 */
    double turning;                           /* what is small against it is 0 on the section */
    watch watches[WATCHES];
    size_t first_watch; /* among the events of the model */
    int *partner;       /* of each body: whose motion it has in the image */
    double (
        *turn)[4]; /* of each body: quaternion in its own axes that turns it back in the image */
    ff_plane_def *planes;
    size_t plane_count;
    double mass;

    ff_model *model;
    ff_sim *sim, *quick; /* as the options say, and with a looser tolerance */
    ff_chart chart;
    size_t n; /* independent numbers on the section */
    long steps;

    ff_motion *here, *next, *image; /* bodies: where it stands, where steps begin and end */
    bool begins;                    /* here a step begins */
    double *base, *moved;           /* coordinates */
    double *along, *across;         /* freedoms: the direction, the section's gradient */
    double *way, *by;               /* freedoms */
    double *basis;                  /* n times the freedoms: what moves within the section */
    double *memory;
    double (*multipliers)[2]; /* and as many to compare them with */
    ff_error why;             /* of the last step that failed */
};

/* A step of a walker with one of its sims, as the step map takes it. */
typedef struct ff_walked {
    ff_gait *gait;
    ff_sim *sim;
    double period, length;
} ff_walked;

/* The step map in the numbers of the section: `user` is an ff_walked, which is told period and length. */
ff_status ff_gait_map(void *user, const double *x, double *out);

/* The two step maps of a walker: with its own tolerance, and with a looser one for derivatives. */
typedef struct ff_gait_maps {
    ff_walked fine_walk, quick_walk;
    ff_fixed_point_map fine, quick;
} ff_gait_maps;

void ff_gait_make_maps(ff_gait *gait, ff_gait_maps *m);

/* What is told of the cycle at x, a fixed point of the step map, which becomes the base: x is then 0. `work` has room for 2 n
 * numbers, `jacobian` for n^2. */
ff_status ff_gait_describe(ff_gait *gait, double *x, double *jacobian, double *work,
                           ff_gait_cycle *out);
/* Room for x, work and jacobian, one after the other; ff_free() frees it. */
double *ff_gait_cycle_room(size_t n);
