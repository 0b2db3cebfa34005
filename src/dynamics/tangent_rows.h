/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* Rows of the Jacobian of an articulated tree, and the forces that contribute to them. */

#include "body/vector.h"
#include "tangent.h"

/* the velocity of a motion at a position r from the origin */
static inline void velocity_at(const double motion[6], const double r[3], double out[3]) {
    ff_cross(motion + 3, r, out);
    ff_add_scaled(out, 1, motion, out);
}

/* The row of a degree of freedom, and that of a state after those of the bodies. */
static inline double *row_of(const ff_tangent *t, size_t row) { return t->rows + row * t->columns; }

static inline double *state_row(const ff_tangent *t, size_t state) {
    return row_of(t, t->dofs + state - t->first);
}

/* the column of a state after those of the bodies */
static inline size_t column_of(const ff_tangent *t, size_t state) {
    return 2 * t->dofs + state - t->first;
}

/* index of a joint's speed in the order in which its degrees of freedom are chained */
static inline int speed_of(const ff_link *l, int c) {
    return l->kind == FF_JOINT_UNIVERSAL && l->reversed ? !c : c;
}

/* Adds the derivatives of the forces and states of contact i. */
void ff_tangent_slot(const ff_model *model, const ff_phase *phase, size_t i, double time,
                     const double *y);

/* Adds the derivatives of applied force i. */
void ff_tangent_force(const ff_mechanism *m, const ff_phase *phase, size_t i, double time);

/* Adds the derivatives of efforts along coordinates of joints, and of the states of their friction. */
void ff_tangent_efforts(const ff_model *model, const ff_phase *phase, const double *y);

/* Commands and rates of controller states, from the derivatives of their expressions. */
void ff_tangent_control(const ff_model *model, const ff_phase *phase, const double *slopes);
