/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* How anything is carried through time: the method and its options, what happens on the way, what it cost. */

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
    FF_ROSENBROCK, /* of order 3, and of order 4 */
    FF_RODAS,
    FF_VERLET,
    FF_DOP853
} ff_method;

enum { FF_METHODS = FF_DOP853 + 1 };

FF_API const char *ff_method_name(ff_method method);

#define FF_THREADS_MOST 256

/* How joints are held. */
typedef enum ff_formulation {
    FF_ARTICULATED, /* by coordinates that leave nothing else: trees of joints; what closes a loop by multipliers */
    FF_MAXIMAL /* by forces of constraint between bodies that could move at will */
} ff_formulation;

/* How the forces of constraint are found, and how what they miss is put right (maximal). */
typedef enum ff_constraints {
    FF_INDEX1, /* multipliers; positions and velocities projected after every step, mass-orthogonally */
    FF_STANDARD, /* multipliers, nothing put right */
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
    double tol;   /* of each component against its scale, which the model knows */
    double dt;    /* s, for fixed-step methods */
    bool events;  /* located; false: none, and steps go over them */
    double every; /* s between the rows of a trace; 0: not said */
    int threads; /* that share the work of a crowd, to FF_THREADS_MOST; 0: as many as there are cores */
    /* of scenes with joints; a model is made for one formulation */
    ff_formulation formulation;
    ff_constraints constraints;
    /* baumgarte, penalty and augmented pull a violation back as an oscillator of this frequency (rad/s) and
     * damping ratio does */
    double constraint_frequency, constraint_damping;
    double constraint_penalty; /* kg: penalty and augmented */
    double
        constraint_tolerance; /* augmented: iterated until accelerations are violated by less, m/s^2 */
    double max_step;          /* s: no step is longer, of any method; infinite: none is too long */
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
    int contact; /* -1 for a switch; for a user's own: which function, in the order they were added */
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
    long switches;                 /* how often auto changed it */
    double seconds;                /* of computing */
    long contacts, searches;       /* of a crowd: that touch now; how often they were looked for */
    int threads;                   /* that share the work */
    long changes[FF_REASONS];      /* of `switches`, by reason */
    double cost; /* counted: evaluations, and Jacobians and linear algebra in units of them */
} ff_statistics;

FF_C_END
