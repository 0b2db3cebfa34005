/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* Run options: method, tolerance, events; and what a run reports: events and statistics. */

#include <footfall/status.h>
#include <stdbool.h>
#include <stddef.h>

FF_C_BEGIN

typedef enum ff_method {
    FF_AUTO,
    FF_EULER,
    FF_SEMI_IMPLICIT,
    FF_HEUN,
    FF_RK4,
    FF_DOPRI5,
    FF_TRAPEZOID,
    FF_ROSENBROCK, /* Rodas3, order 3 */
    FF_RODAS,      /* order 4 */
    FF_VERLET,
    FF_DOP853
} ff_method;

enum { FF_METHODS = FF_DOP853 + 1 };

FF_API const char *ff_method_name(ff_method method);

#define FF_THREADS_MOST 256

/* How joints are enforced. */
typedef enum ff_formulation {
    FF_ARTICULATED, /* joint coordinates; joints that close a loop by multipliers */
    FF_MAXIMAL      /* body coordinates with constraint forces */
} ff_formulation;

/* FF_MAXIMAL: how constraint forces are computed, and how constraint violations are corrected. */
typedef enum ff_constraints {
    FF_INDEX1, /* multipliers; positions and velocities projected after every step, mass-orthogonally */
    FF_STANDARD, /* multipliers, no correction: violations grow */
    FF_BAUMGARTE,
    FF_PENALTY,
    FF_AUGMENTED,
    FF_INDEX1_AUGMENTED,
    FF_DIRECT /* multipliers; corrected after every step by the pseudo-inverse, with the identity as metric */
} ff_constraints;

enum { FF_CONSTRAINTS = FF_DIRECT + 1 };

FF_API const char *ff_formulation_name(ff_formulation formulation);
FF_API const char *ff_constraints_name(ff_constraints constraints);

typedef struct ff_run_options {
    size_t size;
    double until; /* s */
    ff_method method;
    double tol;   /* relative tolerance of a step: error of each component over its scale */
    double dt;    /* s, for fixed-step methods */
    bool events;  /* located; false: neither located nor reported */
    double every; /* s between the rows of a trace; 0: not said */
    int threads;  /* of a crowd, at most FF_THREADS_MOST; 0: as many as there are cores */
    /* for scenes with joints; a model is compiled for one formulation */
    ff_formulation formulation;
    ff_constraints constraints;
    /* baumgarte, penalty and augmented pull a violation back as an oscillator of this frequency (rad/s) and
     * damping ratio does */
    double constraint_frequency, constraint_damping;
    double constraint_penalty; /* kg: penalty and augmented */
    double
        constraint_tolerance; /* augmented: iterated until accelerations are violated by less, m/s^2 */
    double max_step; /* s: upper bound of the step size, for all methods; may be infinite */
} ff_run_options;

FF_DEFAULTS(ff_run_options)

typedef enum ff_event_kind {
    FF_TOUCHDOWN, /* the force becomes positive */
    FF_LIFTOFF,   /* the force ends */
    FF_CLEAR,     /* z is back at 0 */
    FF_STICK,
    FF_SLIP,
    FF_SWITCH, /* a force of the scene begins or ends */
    FF_USER    /* a switching function of the user's own */
} ff_event_kind;

FF_API const char *ff_event_name(ff_event_kind kind);

typedef struct ff_event {
    double time;
    ff_event_kind kind;
    int contact; /* index of the contact; FF_SWITCH: -1; FF_USER: index of the function */
    bool rejoin; /* a touch-down where z > 0 already */
} ff_event;

/* Why `auto` changed its method. */
typedef enum ff_reason {
    FF_REASON_STIFF,     /* stability limits steps of dopri5: rodas was tried */
    FF_REASON_COST,      /* back to dopri5, which is cheaper */
    FF_REASON_SMOOTH,    /* accuracy limits steps of dopri5: dop853 was tried */
    FF_REASON_STABILITY, /* back to dopri5 before stability limits steps of dop853 */
    FF_REASON_EVENT      /* back to dopri5 after an event */
} ff_reason;

enum { FF_REASONS = FF_REASON_EVENT + 1 };

FF_API const char *ff_reason_name(ff_reason change);

typedef struct ff_statistics {
    /* Evaluations of the rates. A Jacobian counts as one where it is made of derivatives, and as one for each state where
     * it is made of differences (loops of joints, joints in maximal coordinates, clocks after touch-down). */
    long steps, rejected, evaluations, events;
    long method_steps[FF_METHODS]; /* by method */
    long switches;                 /* how often `auto` changed the method */
    double seconds;                /* of computing, by the wall clock */
    long contacts, searches;       /* crowds: contacts that touch now; searches of the grid */
    int threads;                   /* that share the work */
    long changes[FF_REASONS];      /* `switches` by reason */
    double cost; /* evaluations, with Jacobians and linear algebra in units of an evaluation */
} ff_statistics;

FF_C_END
