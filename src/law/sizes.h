/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* Sizes that follow from a law's table: for error control and for those who keep its matrices. */

#include <footfall/law.h>
#include <math.h>

/* How many inner states a friction law has. */
static inline int ff_friction_states(const ff_friction *law) {
    return 3 * law->vectors + law->scalars;
}

/* The time of the dampers of a bed that lets go point by point, with the same dampers in and out; NAN: it is none. */
static inline double ff_power_local_tau(const ff_power *p) {
    return p->local && p->lambda == p->lambda_out && p->lambda > 0 ? p->lambda / (p->n * p->k)
                                                                   : (double)NAN;
}

/* How many numbers the matrices of partial derivatives have. */
static inline size_t ff_normal_slope_size(const ff_normal *law) {
    return (size_t)(FF_OF_RATES + law->states) * (size_t)(FF_BY_STATES + law->states);
}
static inline size_t ff_friction_slope_size(const ff_friction *law) {
    return (size_t)(FF_OF_U_RATES + 3 * law->vectors) * (size_t)(FF_BY_U + 3 * law->vectors);
}

/* The depth of an impact of that speed without damping, m, about, and the speed that a spring wound so far gives back. */
double ff_normal_depth(const ff_normal *law, double mass, double speed);
double ff_normal_speed(const ff_normal *law, double mass, double depth);
/* The power of a clock, t - t0 = x^power, on which touch-down is smooth; 4 where none is small enough. */
int ff_normal_clock(const ff_normal *law);

/* How far off `hold` and `excess` are, where what they are formed of is off by so much. */
double ff_normal_hold_error(const ff_normal *law, const ff_normal_query *query, double z,
                            double zdot);
double ff_friction_excess_error(const ff_friction *law, const ff_friction_query *query, double load,
                                double v, double u);

/* What the stiffness of its springs is in proportion to. */
double ff_friction_level(const ff_friction *law, double grade, double load);
