/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* A single free impact: m z'' = -F(z, z'), z(0) = 0, z'(0) = v, without other forces. For two free bodies m is their
 * reduced mass. For power laws, e has a relative error below 1e-12, and so have times, depths and forces up to delta = 10.
 * For larger delta the force ends almost tangentially and the contact time is less accurate: 1e-11 at delta = 1e3, 6e-9 at
 * 1e5. Other laws, including user-defined ones, are integrated numerically, with the same accuracy if force and rates of
 * inner states are smooth between touch-down, the deepest point and the end of the force. */

#include <footfall/law.h>

FF_C_BEGIN

typedef struct ff_impact {
    double mass, speed;     /* kg, m/s */
    double restitution;     /* e */
    double loss;            /* 1 - e, accurate also if e is near 1 */
    double decay;           /* -ln e */
    double contact_time;    /* until the force ends, s; INFINITY if it never does */
    double clear_time;      /* until z would return to 0 at the separation speed, s */
    double max_depth;       /* m */
    double max_depth_time;  /* s */
    double max_force;       /* N */
    double max_force_depth; /* depth of the largest force, m */
    double end_depth;       /* depth at which the force ends, m */
    double energy_lost;     /* including the spring energy left at end_depth, J */
    double impulse;         /* N s */
    /* Poisson's restitution: impulse after the deepest point divided by the impulse before it. In a free impact it equals
     * e, since the impulses are m e v and m v. */
    double impulse_ratio;
    double delta; /* dimensionless damping; NAN for laws that are not power laws */
    int steps;    /* steps of the numerical integration */
} ff_impact;

/* Computes one impact of `mass` (kg) at `speed` (m/s), both > 0. FF_ENDLESS: the force never ends; restitution is 0 and the
 * times are INFINITY. FF_BAD_VALUE, FF_MISSING: invalid arguments or law; FF_TOO_STIFF: the integration failed. */
FF_API ff_status ff_impact_solve(const ff_normal *law, double mass, double speed, ff_impact *out);

/* -ln e of one impact, by a closed form or the tabulated universal function if there is one, which is fast; otherwise by
 * numerical integration. NAN on failure. */
FF_API double ff_impact_decay(const ff_normal *law, double mass, double speed);
/* e at each of `count` speeds; NAN on failure. `restitutions` may be the array `speeds`. */
FF_API void ff_impact_restitution_all(const ff_normal *law, double mass, size_t count,
                                      const double *speeds, double *restitutions);

/* e of one impact; NAN on failure. */
static inline double ff_impact_restitution(const ff_normal *law, double mass, double speed) {
    double e;
    ff_impact_restitution_all(law, mass, 1, &speed, &e);
    return e;
}

/* Dimensionless damping of the closing phase, delta = lambda L^(p+1)/(m v) with L = (m v^2/k)^(1/(n+1)). Together with n
 * and p it determines an impact up to its scale. NAN if the law is not a power law. */
FF_API double ff_impact_delta(const ff_normal *law, double mass, double speed);

/* -ln e as a function of delta for `clamp`, and its derivative (may be NULL), for n = 3/2 and p = 1/2 (Azad-Featherstone)
 * or p = 1 (Lee-Wang). Tabulated, accurate to 1e-13 for 0 <= delta <= 1000; NAN outside. */
FF_API double ff_universal_decay(double p, double delta, double *derivative);

/* One point of the motion of an impact: s, m, m/s, N. */
typedef struct ff_impact_point {
    double time, depth, velocity, force;
} ff_impact_point;

/* Computes `count` >= 2 points of an impact, from touch-down until z returns to 0. If the force ends earlier, the last
 * point is in free flight. Status as of ff_impact_solve(). */
FF_API ff_status ff_impact_curve(const ff_normal *law, double mass, double speed, size_t count,
                                 ff_impact_point *points);

/* Computes the point of an impact at which the velocity is `velocity`, between -e v and v. */
FF_API ff_status ff_impact_at_velocity(const ff_normal *law, double mass, double speed,
                                       double velocity, ff_impact_point *point);

/* Computes the motion from a state in contact (depth > 0, velocity < 0) to z = 0 under the law without clamp: the part of a
 * phase plane that no free impact reaches. For power laws and laws without inner states. */
FF_API ff_status ff_phase_branch(const ff_normal *law, double mass, double depth, double velocity,
                                 size_t count, ff_impact_point *points);

/* Stiffness of a contact for time-stepping methods, linearised at `depth` (m) at rest. A largest stable step of 0 means
 * that the method is unstable for every step size. */
typedef struct ff_stiffness {
    double frequency;     /* undamped natural frequency, Hz */
    double damping_ratio; /* NAN for laws with inner states that are not power laws */
    double time_scale;    /* 1/|largest eigenvalue|, s */
    double step_euler, step_semi_implicit, step_heun, step_rk4; /* largest stable steps, s */
} ff_stiffness;

/* Stiffness of the contact of a mass (kg) at a depth (m). */
FF_API ff_stiffness ff_impact_stiffness(const ff_normal *law, double mass, double depth);

/* ---- inverse problems ---- */

/* Whether a law is a power law whose damping can be set, as design and fit require. */
FF_API bool ff_design_possible(const ff_normal *law);

/* Sets the damping of `law` (lambda_out in proportion) so that an impact of `mass` (kg) at `speed` (m/s) has -ln e = decay
 * > 0; k, exponents and detach stay. For e near 1, compute decay as -log1p(-loss). FF_UNREACHABLE if no damping gives this
 * e. */
FF_API ff_status ff_design_damping(ff_normal *law, double mass, double speed, double decay);

/* Sets the damping like ff_design_damping(), and k from a contact time (s) or a maximum depth (m). */
FF_API ff_status ff_design_contact_time(ff_normal *law, double mass, double speed, double decay,
                                        double contact_time);
FF_API ff_status ff_design_max_depth(ff_normal *law, double mass, double speed, double decay,
                                     double max_depth);

/* Sets parameters for a restitution (0 < e <= 1) and a contact time (s): by the law's own `design` function, or at 1 m/s
 * for a power law. FF_UNREACHABLE, with a sentence in `error`, if that is impossible. */
FF_API ff_status ff_design_impact(ff_normal *law, double mass, double restitution,
                                  double contact_time, ff_error *error);

FF_C_END
