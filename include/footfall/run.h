/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* Run options (method, tolerance, events), event kinds and run statistics. */

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
    FF_ROSENBROCK, /* order 3 */
    FF_RODAS,      /* order 4 */
    FF_VERLET,
    FF_DOP853
} ff_method;

enum { FF_METHODS = FF_DOP853 + 1 };

/* The name of a method as in scene files, such as "dopri5". */
FF_API const char *ff_method_name(ff_method method);

#define FF_THREADS_MOST 256

/* How joints are enforced. */
typedef enum ff_formulation {
    FF_ARTICULATED, /* joint coordinates; joints that close loops are enforced by multipliers */
    FF_MAXIMAL      /* body coordinates with constraint forces */
} ff_formulation;

/* How FF_MAXIMAL computes constraint forces and corrects constraint violations. */
typedef enum ff_constraints {
    /* multipliers; mass-orthogonal projection of positions and velocities after every step */
    FF_INDEX1,
    FF_STANDARD, /* multipliers, no correction: violations grow */
    FF_BAUMGARTE,
    FF_PENALTY,
    FF_AUGMENTED,
    FF_INDEX1_AUGMENTED,
    /* multipliers; correction by the pseudo-inverse after every step, with the identity as metric */
    FF_DIRECT
} ff_constraints;

enum { FF_CONSTRAINTS = FF_DIRECT + 1 };

/* Names of a formulation and of a constraint method, as in scene files. */
FF_API const char *ff_formulation_name(ff_formulation formulation);
FF_API const char *ff_constraints_name(ff_constraints constraints);

typedef struct ff_run_options {
    size_t size;
    double until; /* end time, s */
    ff_method method;
    /* relative tolerance: largest allowed error of a state in one step, divided by its scale */
    double tol;
    double dt;    /* step size of fixed-step methods, s */
    bool events;  /* locate events; false: events are neither located nor reported */
    double every; /* time between rows of a trace, s; 0: not given */
    int threads;  /* threads of a crowd, at most FF_THREADS_MOST; 0: number of cores */
    /* for scenes with joints; a model is compiled for one formulation */
    ff_formulation formulation;
    ff_constraints constraints;
    /* baumgarte, penalty and augmented: frequency (rad/s) and damping ratio of the oscillator that restores a violated
     * constraint */
    double constraint_frequency, constraint_damping;
    double constraint_penalty; /* penalty and augmented: penalty factor, kg */
    /* augmented: iterate until constraint accelerations are below this, m/s^2 */
    double constraint_tolerance;
    double max_step; /* largest step size of every method, s; may be infinite */
    /* a run that needs more steps fails with FF_TOO_STIFF, at the same step on every machine; may be infinite */
    double max_steps;
} ff_run_options;

FF_DEFAULTS(ff_run_options)

typedef enum ff_event_kind {
    FF_TOUCHDOWN, /* the normal force becomes positive */
    FF_LIFTOFF,   /* the normal force ends */
    FF_CLEAR,     /* the depth z returns to 0 */
    FF_STICK,     /* friction of a contact or of a joint begins to stick, or to slip */
    FF_SLIP,
    FF_SWITCH,    /* a force of the scene begins or ends, or an input is set */
    FF_USER,      /* an event function of the user crosses 0 */
    FF_MICROSLIP, /* full stick ends: the first element of a friction law with many begins to slip */
    FF_ROLL_STICK, /* stick and slip of the laws `rolling` and `twist` of a contact */
    FF_ROLL_SLIP,
    FF_TWIST_STICK,
    FF_TWIST_SLIP,
    FF_REACH_LIMIT, /* a coordinate of a joint reaches one of its limits, or is within them again */
    FF_LEAVE_LIMIT
} ff_event_kind;

enum { FF_EVENT_KINDS = FF_LEAVE_LIMIT + 1 };

/* The name of an event kind, such as "touchdown". */
FF_API const char *ff_event_name(ff_event_kind kind);

typedef struct ff_event {
    double time;
    ff_event_kind kind;
    /* index of the contact, or number of contacts + FF_JOINT_COORDINATES*joint + coordinate of a joint (coordinate 0 of a
     * spherical one); FF_USER: index of the event function; FF_SWITCH: -1 */
    int contact;
    /* a touch-down with z > 0: the force begins again before the contact has cleared */
    bool rejoin;
} ff_event;

/* Why `auto` changed its method. */
typedef enum ff_reason {
    FF_REASON_STIFF,     /* stability limits the steps of dopri5: try rodas */
    FF_REASON_COST,      /* back to dopri5, which is cheaper */
    FF_REASON_SMOOTH,    /* accuracy limits the steps of dopri5: try dop853 */
    FF_REASON_STABILITY, /* back to dopri5 before stability limits the steps of dop853 */
    FF_REASON_EVENT      /* back to dopri5 after an event */
} ff_reason;

enum { FF_REASONS = FF_REASON_EVENT + 1 };

/* The name of a reason, as in the output of `run --json`. */
FF_API const char *ff_reason_name(ff_reason change);

typedef struct ff_statistics {
    /* `evaluations` counts evaluations of the rates. An analytic Jacobian counts as one; a Jacobian by finite differences
     * (closed loops of joints, maximal coordinates, regularised time after touch-down) counts as one per state. */
    long steps, rejected, evaluations, events;
    long method_steps[FF_METHODS]; /* accepted steps of each method */
    long switches;                 /* number of method changes of `auto` */
    double seconds;                /* wall-clock time spent computing, s */
    long contacts, searches;       /* crowds: contacts that touch now; neighbour searches so far */
    int threads;                   /* threads that share the work */
    long changes[FF_REASONS];      /* `switches` by reason */
    double cost; /* total cost in units of one evaluation, including Jacobians and linear algebra */
} ff_statistics;

FF_C_END
