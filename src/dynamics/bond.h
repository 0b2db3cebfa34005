/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* Forces between two bodies, or a body and the ground, and their partial derivatives: shared by the Jacobians of free
 * bodies (jacobian.c) and of articulated ones (tangent.c). */

#include "dynamics.h"

/* Variables of a row: the vector D between two centres (or anchors), the relative velocity V of the points where the force
 * acts, and the slot's states. */
enum { BY_WAY, BY_VELOCITY = 3, BY_STATES = 6 };

/* A force between two bodies, the second of which may be the ground. D = p_a + c_a - p_b - c_b and V = v_a + omega_a x
 * arm_a - v_b - omega_b x arm_b. Centres and anchors c rotate with their bodies; the arms end where the force acts, which
 * moves relative to the centres when D changes: d(arm_i) = d(c_i) + A_i dD with A = along n n^T + across (1 - n n^T). */
typedef struct bond {
    size_t body[2]; /* positions of their motions in y */
    bool second;    /* the second one is a body */
    bool turned[2]; /* c is not 0: the orientation matters */
    const double *y;
    double n[3], center[2][3], arm[2][3], along[2], across[2];
    double distance; /* between the centres of two spheres, otherwise infinite */
    double force[3]; /* on the first body */
    size_t state;    /* position of the slot's states in y */
    int states;      /* number of states; 0 for a spring */
} bond;

static inline int row_size(const bond *b) { return BY_STATES + b->states; }

/* out += sign A_i x */
static inline void add_shift(const bond *b, int i, double sign, const double x[3], double out[3]) {
    double part = (b->along[i] - b->across[i]) * ff_dot(b->n, x);
    for (int c = 0; c < 3; c++) {
        out[c] += sign * (b->across[i] * x[c] + part * b->n[c]);
    }
}

/* The bond of a slot with known slopes, for the motions y of bodies. */
bond ff_bond_of_slot(const ff_slot *slot, const ff_touch_slopes *slopes, const double *y);
/* A row of those slopes, with row_size() numbers. */
void ff_bond_row(const bond *b, const double *by, double *out);

/* The bond of an applied spring, and the derivatives of its force. */
bond ff_bond_of_spring(const ff_force_def *f, const double *y, double push[3][BY_STATES]);

/* The rotation of u with a pair of spheres, Omega x u: rows with respect to D, to the relative velocity of the centres, and
 * to the normal component of each body's omega. */
void ff_bond_turning(const bond *b, const double u[3], double by_way[3][3],
                     double by_velocity[3][3], double by_spin[3]);
