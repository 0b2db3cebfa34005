/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* Free impact under the law of Xiong, Kikuuwe and Yamamoto, which is linear while the force acts. */

#include <footfall/impact.h>

/* One impact: decay, contact_time, depths and forces. */
ff_status ff_xiong_impact_solve(const ff_normal *law, double mass, double speed, ff_impact *out);

/* `count` points at equal times from touch-down to the end of the force. */
ff_status ff_xiong_impact_curve(const ff_normal *law, double mass, double speed, size_t count,
                                ff_impact_point *points);

/* K, alpha, beta for a restitution and contact time: alpha/beta is the largest of 0.7, 0.5, 0.3, 0.1 that reaches e, on the
 * branch of smaller beta. FF_UNREACHABLE, with the smallest possible e in the error. */
ff_status ff_xiong_design(const ff_normal *law, double mass, double restitution,
                          double contact_time, double *values, ff_error *error);
