/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

#include "contact/contact.h"

/* What does not change within a step: the modes of the slots, which forces act. */
typedef struct ff_phase {
    ff_mode *modes;
    bool *acting;
    ff_touch *touches; /* of the last evaluation, one a slot; may be NULL */
} ff_phase;

/* The derivative of all of y at time t. */
void ff_dynamics_rates(const ff_model *model, const ff_phase *phase, double t, const double *y,
                       double *dy);

/* Its partial derivatives by the states that act on something, from those of the laws: place[i] is the row
 * and column of state i in `out`, `stride` by `stride`, or negative. False where they are not known: only
 * for round bodies on planes, without springs, passive clutches, grounds that recover and callers' laws. */
bool ff_dynamics_jacobian(const ff_model *model, const ff_phase *phase, double t, const double *y,
                          const int *place, size_t stride, double *out);

/* Energy stored in applied springs that act. */
double ff_dynamics_springs(const ff_model *model, const ff_phase *phase, const double *y);

/* Kinetic energy and potential of gravity. */
double ff_dynamics_kinetic(const ff_model *model, const double *y);
double ff_dynamics_gravity(const ff_model *model, const double *y);
