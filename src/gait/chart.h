/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* The motions of all bodies as independent numbers: coordinates of the joints of a tree and their speeds, whichever
 * way the model holds its joints, and differences of such motions. */

#include "dynamics/mechanism.h"

/* One independent number. A turn is a component of a rotation vector, world axes. */
typedef struct ff_freedom {
    size_t at;   /* in the coordinates: the number itself, or the quaternion */
    int turn;    /* which component, or -1 */
    bool speed;  /* it is a speed */
    bool angle;  /* it is the same after a whole turn */
    double size; /* differences are in units of it */
} ff_freedom;

typedef struct ff_chart {
    ff_model model; /* a copy with a tree of its own, for reading coordinates */
    ff_joint_tree tree;
    ff_link_work *work;
    double *bodies; /* FF_BODY_STRIDE each */
    ff_freedom *freedoms;
    size_t count, states;
} ff_chart;

/* For a model without loops and crowds. */
ff_status ff_chart_init(ff_chart *chart, const ff_model *model);
void ff_chart_clear(ff_chart *chart);

void ff_chart_read(ff_chart *chart, const ff_motion *bodies, double *y);
void ff_chart_place(ff_chart *chart, const double *y, ff_motion *bodies);
/* y moved by `by`, in units of the freedoms; and the way from one to another. */
void ff_chart_move(const ff_chart *chart, const double *y, const double *by, double *out);
void ff_chart_way(const ff_chart *chart, const double *from, const double *to, double *out);
/* What moves everything that is not held against it by 1 m along a unit vector; false where nothing moves. */
bool ff_chart_along(const ff_chart *chart, const double direction[3], double *out);
