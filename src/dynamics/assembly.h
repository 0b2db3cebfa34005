/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

#include "mechanism.h"

/* Corrects the start motions of bodies to satisfy the joints, in the metric of the masses: the size of the correction and,
 * on failure (FF_NO_CONVERGENCE), the joint with the largest violation. */
ff_status ff_assembly_correct(const ff_model *model, double *bodies, ff_assembly *assembly,
                              double *condition, int *worst);

/* The undetermined part of the reaction of each joint due to redundant constraints, N, with moments divided by `length`,
 * for bodies at time t, which are corrected to satisfy the joints. */
ff_status ff_assembly_undetermined(const ff_model *model, double t, double *bodies,
                                   const ff_joint_record *reactions, double length, double *part);
