/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

#include "dynamics.h"

/* Receives a row of the Jacobian: the derivatives of the rate of state `state` with respect to all states of y. */
typedef void (*ff_take_row)(void *user, size_t state, const double *row);

/* The Jacobian of an articulated model without loops, row by row. */
void ff_tangent_jacobian(const ff_model *model, const ff_phase *phase, double t, const double *y,
                         ff_take_row take, void *user);
