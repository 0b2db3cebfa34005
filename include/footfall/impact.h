/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* The theory of one free impact: m z'' = -F(z, z'), z(0) = 0, z'(0) = v, no other force. For two
 * free bodies m is their reduced mass. For power laws e is good to 1e-12, as are times,
 * depths and forces up to delta = 10; beyond, where the force ends almost tangentially, the contact
 * time to 1e-11 at delta = 1e3 and ever less (6e-9 at 1e5). Any other law, a caller's own among them, is integrated by its
 * force and the rates of its inner states, as well as that where these are smooth between touch-down, the deepest point and
 * the end of the force. */

#include <footfall/law.h>

FF_C_BEGIN

typedef struct ff_impact {
    double mass, speed;     /* kg, m/s */
    double restitution;     /* e */
    double loss;            /* 1 - e, with its own digits where e is near 1 */
    double decay;           /* -ln e */
    double contact_time;    /* s, until the force ends; INFINITY where it never does */
    double clear_time;      /* s, until z is back at 0 at the speed of departure */
    double max_depth;       /* m */
    double max_depth_time;  /* s */
    double max_force;       /* N */
    double max_force_depth; /* m, the depth at which it acts */
    double end_depth;       /* m, where the force ends */
    double energy_lost;     /* J, the spring's energy left behind at end_depth included */
    double impulse;         /* N s */
    /* Poisson's ratio: the impulse after the deepest point by that before it. Of a free impact it is e, Newton's ratio,
     * since the two are the momenta m e v and m v. */
    double impulse_ratio;
    double delta; /* the dimensionless damping; NAN for laws that are no power laws */
    int steps;    /* of the integration */
} ff_impact;

/* One impact of `mass` (kg) at `speed` (m/s), both > 0. FF_ENDLESS where the force never ends: then
 * restitution is 0 and the times are INFINITY. */
FF_API ff_status ff_impact_solve(const ff_normal *law, double mass, double speed, ff_impact *out);

/* -ln e and e alone: closed forms and the universal function where there are any, which is fast;
 * otherwise the integration that ff_impact_solve() does. NAN if that fails. */
FF_API double ff_impact_decay(const ff_normal *law, double mass, double speed);
/* e at each of `count` speeds. `restitutions` may be `speeds`. */
FF_API void ff_impact_restitution_all(const ff_normal *law, double mass, size_t count,
                                      const double *speeds, double *restitutions);

static inline double ff_impact_restitution(const ff_normal *law, double mass, double speed) {
    double e;
    ff_impact_restitution_all(law, mass, 1, &speed, &e);
    return e;
}

/* The dimensionless damping delta = lambda L^(p+1)/(m v), L = (m v^2/k)^(1/(n+1)), of the closing
 * phase. With n and p it decides everything about an impact but its scale. */
FF_API double ff_impact_delta(const ff_normal *law, double mass, double speed);

/* -ln e as a function of delta under `clamp`, and its derivative (may be NULL), for n = 3/2 and
 * p = 1/2 (Azad-Featherstone) or p = 1 (Lee-Wang): a table, good to 1e-13 for 0 <= delta <= 1000;
 * NAN outside. */
FF_API double ff_universal_decay(double p, double delta, double *derivative);

/* One point of the motion of an impact: s, m, m/s, N. */
typedef struct ff_impact_point {
    double time, depth, velocity, force;
} ff_impact_point;

/* `count` >= 2 points of one impact from touch-down to where z is back at 0. Where contact ends
 * before that, the last point is on the flight with no force. */
FF_API ff_status ff_impact_curve(const ff_normal *law, double mass, double speed, size_t count,
                                 ff_impact_point *points);

/* The point of an impact where the velocity is `velocity`, between -e v and v. */
FF_API ff_status ff_impact_at_velocity(const ff_normal *law, double mass, double speed,
                                       double velocity, ff_impact_point *point);

/* The motion from a state in contact, depth > 0 and velocity < 0, to z = 0 under the law without
 * clamp: the branches of a phase plane that no free impact reaches. Power laws, and laws without inner
 * states. */
FF_API ff_status ff_phase_branch(const ff_normal *law, double mass, double depth, double velocity,
                                 size_t count, ff_impact_point *points);

/* How stiff a contact is to a time-stepping method, with coefficients frozen at `depth` (m) at rest.
 * A step of 0: that method is unstable for every step. */
typedef struct ff_stiffness {
    double frequency;     /* undamped, Hz */
    double damping_ratio; /* NAN for laws with inner states that are no power laws */
    double time_scale;    /* s: one over the largest eigenvalue in magnitude */
    double step_euler, step_semi_implicit, step_heun, step_rk4; /* largest stable steps, s */
} ff_stiffness;

FF_API ff_stiffness ff_impact_stiffness(const ff_normal *law, double mass, double depth);

/* ---- inverses: parameters from what is wanted ---- */

/* Whether a law is a power law whose damping can be chosen, so that it can be designed and fitted. */
FF_API bool ff_design_possible(const ff_normal *law);

/* Sets the damping of `law` (while opening in the same proportion) so that the impact of mass and speed has the given
 * -ln e; k, exponents and detach stay. e = exp(-decay); give decay as -log1p(-loss) where e is near 1. decay > 0. */
FF_API ff_status ff_design_damping(ff_normal *law, double mass, double speed, double decay);

/* Chooses the damping as ff_design_damping() does, and k from a contact time (s) or a greatest depth (m). */
FF_API ff_status ff_design_contact_time(ff_normal *law, double mass, double speed, double decay,
                                        double contact_time);
FF_API ff_status ff_design_max_depth(ff_normal *law, double mass, double speed, double decay,
                                     double max_depth);

/* Parameters for a restitution (0 < e <= 1) and a contact time (s), of a law that knows how by itself (`design` of its
 * table; FF_UNREACHABLE where it cannot, with a sentence in `error`), or of a power law at 1 m/s. */
FF_API ff_status ff_design_impact(ff_normal *law, double mass, double restitution,
                                  double contact_time, ff_error *error);

FF_C_END
