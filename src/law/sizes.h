/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* Numbers that follow from a law's table: sizes of arrays, and scales for error control. */

#include <footfall/law.h>
#include <math.h>

/* Number of inner states of a friction law. */
static inline int ff_friction_states(const ff_friction *law) {
    return 3 * law->vectors + law->scalars;
}

/* Damping time lambda/(n k), s, of a law with detach: local and the same damping while closing and opening; NAN for
 * other laws. */
static inline double ff_power_local_tau(const ff_power *p) {
    return p->local && p->lambda == p->lambda_out && p->lambda > 0 ? p->lambda / (p->n * p->k)
                                                                   : (double)NAN;
}

/* The springs and dampers of a law, from which friction laws derive their own: a power law, or an adhesive law without its
 * attraction. false: the law has no such view. */
bool ff_normal_springs(const ff_normal *law, ff_power *out);

/* Number of elements of the matrices of partial derivatives. */
static inline size_t ff_normal_slope_size(const ff_normal *law) {
    return (size_t)(FF_OF_RATES + law->states) * (size_t)(FF_BY_STATES + law->states);
}
static inline size_t ff_friction_slope_size(const ff_friction *law) {
    return (size_t)(FF_OF_U_RATES + 3 * law->vectors) * (size_t)(FF_BY_U + 3 * law->vectors);
}

/* Approximate depth, m, of an impact with this speed (m/s) without damping, and the speed at which a spring compressed
 * to `depth` would release the mass. */
double ff_normal_depth(const ff_normal *law, double mass, double speed);
double ff_normal_speed(const ff_normal *law, double mass, double depth);
/* The distance below z = 0, m, at which a contact ends that was made at z = 0 with this speed (adhesion). */
double ff_normal_reach(const ff_normal *law, double speed);
/* The exponent q of a time variable x, t - t0 = x^q, in which the motion after touch-down is smooth; 4 if no exponent
 * below 4 makes it smooth. */
int ff_normal_clock(const ff_normal *law);

/* Errors of `hold` and `excess` caused by errors z (m), zdot (m/s), load (N), v (m/s) and u (m) of their inputs. */
double ff_normal_hold_error(const ff_normal *law, const ff_normal_query *query, double z,
                            double zdot);
double ff_friction_excess_error(const ff_friction *law, const ff_friction_query *query, double load,
                                double v, double u);

/* The quantity that the stiffness of the springs is proportional to: 1, the grade or the load. */
double ff_friction_level(const ff_friction *law, double grade, double load);
