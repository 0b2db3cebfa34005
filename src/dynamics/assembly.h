/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

#include "mechanism.h"

/* Corrects motions of bodies onto the joints at the start, by masses: what that took, and where it does not get there which
 * joint is off the most (FF_NO_CONVERGENCE). */
ff_status ff_assembly_correct(const ff_model *model, double *bodies, ff_assembly *assembly,
                              double *condition, int *worst);

/* How much of the reaction of each joint redundant conditions leave open, N, with moments divided by `length`, where
 * the bodies are at time t; they are corrected onto the joints. */
ff_status ff_assembly_undetermined(const ff_model *model, double t, double *bodies,
                                   const ff_joint_record *reactions, double length, double *part);
