/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* The motions of all bodies as independent numbers: joint coordinates of a tree and their speeds, in either formulation,
 * and differences of such motions. */

#include "dynamics/mechanism.h"

/* One independent number. A rotation is a component of a rotation vector, world axes. */
typedef struct ff_freedom {
    size_t at;   /* position in the coordinates: of the number itself, or of the quaternion */
    int turn;    /* component of the rotation vector, or -1 */
    bool speed;  /* it is a speed */
    bool angle;  /* periodic after a full turn */
    double size; /* scale of differences */
} ff_freedom;

typedef struct ff_chart {
    ff_model model; /* a copy with its own tree, for reading coordinates */
    ff_joint_tree tree;
    ff_link_work *work;
    double *bodies; /* FF_BODY_STRIDE each */
    ff_freedom *freedoms;
    size_t count, states;
} ff_chart;

/* For a model without loops that is not a crowd. */
ff_status ff_chart_init(ff_chart *chart, const ff_model *model);
void ff_chart_clear(ff_chart *chart);

void ff_chart_read(ff_chart *chart, const ff_motion *bodies, double *y);
void ff_chart_place(ff_chart *chart, const double *y, ff_motion *bodies);
/* y displaced by `by`, in units of the scales; and the displacement between two states. */
void ff_chart_move(const ff_chart *chart, const double *y, const double *by, double *out);
void ff_chart_way(const ff_chart *chart, const double *from, const double *to, double *out);
/* The displacement that moves everything that is free to by 1 m along a unit vector; false if nothing moves. */
bool ff_chart_along(const ff_chart *chart, const double direction[3], double *out);
