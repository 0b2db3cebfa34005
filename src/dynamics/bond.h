/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* Forces between two bodies, or a body and the ground, and their partial derivatives: what Jacobians of free bodies
 * (jacobian.c) and of articulated ones (tangent.c) have in common. */

#include "dynamics.h"

/* What a row answers to: the way between two centres (or anchors) D, the velocity V of the points where the force acts
 * against each other, and the slot's states, as many as there are. */
enum { BY_WAY, BY_VELOCITY = 3, BY_STATES = 6 };

/* A force between two bodies, the second of which may be the ground. D = p_a + c_a - p_b - c_b and
 * V = v_a + omega_a x arm_a - v_b - omega_b x arm_b. Centres and anchors c turn with their bodies; the arms end where the
 * force acts, which moves against the centres when D does: d(arm_i) = d(c_i) + A_i dD with
 * A = along n n^T + across (1 - n n^T). */
typedef struct bond {
    size_t body[2]; /* where their motions begin in y */
    bool second;    /* is a body */
    bool turned[2]; /* c is not 0: orientation counts */
    const double *y;
    double n[3], center[2][3], arm[2][3], along[2], across[2];
    double distance; /* of the centres of two spheres, else infinite */
    double force[3]; /* on the first */
    size_t state;    /* of the slot, in y */
    int states;      /* how many; none of a spring */
} bond;

static inline int row_size(const bond *b) { return BY_STATES + b->states; }

/* out += sign A_i x */
static inline void add_shift(const bond *b, int i, double sign, const double x[3], double out[3]) {
    double part = (b->along[i] - b->across[i]) * ff_dot(b->n, x);
    for (int c = 0; c < 3; c++) {
        out[c] += sign * (b->across[i] * x[c] + part * b->n[c]);
    }
}

/* The bond of a slot whose slopes are known, at the motions of bodies y. */
bond ff_bond_of_slot(const ff_slot *slot, const ff_touch_slopes *slopes, const double *y);
/* A row of those slopes, of row_size(). */
void ff_bond_row(const bond *b, const double *by, double *out);

/* The bond of an applied spring, and the rows of its force. */
bond ff_bond_of_spring(const ff_force_def *f, const double *y, double push[3][BY_STATES]);

/* How u turns with a pair of spheres, Omega x u: rows by D, by the velocity of the centres against each other, and what
 * each row is by the normal component of the omega of each body. */
void ff_bond_turning(const bond *b, const double u[3], double by_way[3][3],
                     double by_velocity[3][3], double by_spin[3]);
