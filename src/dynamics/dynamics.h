/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

#include "contact/contact.h"
#include "mechanism.h"
#include "num/sparse.h"
#include "ode/stepper.h"

/* A folded Jacobian of free bodies (ff_fold): rows of the states of slots that fold follow those of all other states, in the
 * order of the slots. */
typedef struct ff_folding {
    ff_fold *fold;
    /* row of each state for the entries of the matrix, or -1. The states of the normal law and one vector for each group take
     * the places of the first states of a slot. */
    int *place;
    size_t fixed_runs; /* number of runs of states that are not folded */
} ff_folding;

/* Constant within a step: the modes of the slots, and which forces act. */
typedef struct ff_phase {
    ff_mode *modes;
    bool *acting;
    /* the side of its limits that each coordinate of a joint is on, FF_JOINT_COORDINATES per joint: 1 above, -1 below, 0
     * within; NULL: that of its position */
    const signed char *stops;
    ff_touch_kept *touches;    /* of the last evaluation, one per slot; may be NULL */
    ff_mechanism *mechanism;   /* for a model with joints */
    const ff_run_options *way; /* how its constraints are enforced */
    /* contacts follow these tangents where they are known; may be NULL */
    const ff_touch_slopes *slopes;
    const double *rates; /* rates at the y of a Jacobian, if known; may be NULL */
    double *slope_rates; /* twice the size of y, for Jacobians of contacts with a moment */
    ff_folding *folding; /* Jacobians are folded; NULL: they are not */
    /* controllers: discrete numbers and work memory */
    const double *memory, *branches;
    double *control_work; /* of all tapes */
    double *commands;     /* FF_COMMANDS for each force, three times over */
    /* the numbers in `memory` from which the expressions' commands were computed last, followed by 0 if they were not; may
     * be NULL */
    double *acted;
    double *own_commands, *own_rates; /* of a controller in C */
    double *control_slopes;           /* as many as the program has slopes */
    double *control_values;           /* as many as samples assign at once */
    /* For an equilibrium search: the memory behind `memory` and `branches`. Samples are taken, and sides of kinks decided,
     * at every evaluation. NULL: a run. */
    double *rest_memory, *rest_branches;
} ff_phase;

/* ---- controllers (control.c) ---- */

struct ff_control_view {
    const ff_model *model;
    const ff_phase *phase;
    double time;
    const double *bodies, *y;
};

/* Fills in the inputs of a program from the state at one instant. */
void ff_control_gather(const ff_control_view *view, const ff_program *program, double *work);
/* The values of a program of one group. */
void ff_control_run(const ff_control_view *view, const ff_program *program, double *out);
/* Evaluates continuous controllers: commands, and rates of their states in dy (may be NULL). */
void ff_control_act(const ff_control_view *view, double *dy);
/* Sets sides of kinks according to the state. Returns whether any changed. */
bool ff_control_decide_sides(const ff_control_view *view, double *branches);
/* Evaluates the arguments of all branches; returns the work memory of the flow's tape. */
const double *ff_control_run_branches(const ff_control_view *view);
/* Whether forces depend on the state through samples in an equilibrium search: derivatives are then finite differences. */
static inline bool ff_control_samples_at_rest(const ff_model *model, const ff_phase *phase) {
    return phase->rest_memory && model->topology->controls.samplers > 0;
}
/* ff_control_act() without rates, and the derivatives of its program, in `room`. */
const double *ff_control_slopes(const ff_control_view *view, double *room);

/* The derivative of y at time t. */
void ff_dynamics_rates(const ff_model *model, const ff_phase *phase, double t, const double *y,
                       double *dy);

/* Effect of one slot for the motions `bodies`: adds forces and moments to `loads`, in the positions of v' and omega' of
 * bodies (which may be dy itself), and sets the rates of its states and accounts in dy. */
void ff_dynamics_slot(const ff_model *model, size_t slot, const ff_phase *phase, double t,
                      const double *bodies, const double *y, double *loads, double *dy);

/* Adds the entries of the Jacobian over the active states, from the derivatives of the laws: place[i] is the row and column
 * of state i in `out`, or negative. With loops of joints, prescribed joint motions, spherical joints with springs and
 * similar, or maximal coordinates, they are finite differences. Which entries exist depends on the touching slots and
 * active forces, not on numbers. */
void ff_dynamics_jacobian(const ff_model *model, const ff_phase *phase, double t, const double *y,
                          const int *place, ff_sparse *out);

/* Whether the Jacobian can be folded. */
bool ff_dynamics_folds(const ff_model *model);
/* If so: sets the rows of states that are not folded, given the active states `place`, and the number of rows to expect. */
void ff_dynamics_fold(const ff_model *model, const int *place, ff_folding *folding);

/* The number of rows of a folded Jacobian. */
size_t ff_dynamics_rows(const ff_model *model, const ff_phase *phase, double t, const double *y);

/* Whether the entries of the Jacobian are finite differences. Analytic ones of trees with more states than this
 * would need about 150 MB. */
enum { FF_TANGENT_MOST = 3000 };
static inline bool ff_dynamics_differences(const ff_model *model) {
    return model->tree &&
           (!model->tree->articulated || model->tree->loop_rows > 0 || model->tree->driven ||
            model->tree->balls || model->tree->reacts || model->active > FF_TANGENT_MOST ||
            model->topology->controls.differences);
}

/* Partial derivatives of the effort of springs, dampers, limits and friction along a joint coordinate, and of the rate of
 * its friction's inner state, with respect to coordinate, speed and that state. */
typedef struct ff_effort_slopes {
    double q, rate, state;
    double state_rate, state_state;
} ff_effort_slopes;

ff_effort_slopes ff_dynamics_effort_slopes(const ff_phase *phase, const ff_model *model,
                                           size_t joint, int c, double q, double rate,
                                           const double *y);

/* What limits and friction along a coordinate of a joint depend on: for a spherical joint the swing, its rate, and the angular
 * speed; and the magnitudes of the terms that they are computed from. */
typedef struct ff_joint_place {
    double q, rate, slip;
    double size, speed;
} ff_joint_place;

void ff_dynamics_joint_place(const ff_model *model, size_t joint, int c, const double *bodies,
                             const double *y, ff_joint_place *out);
/* The speed that the friction springs and stops of a joint would give the lighter of its bodies, m/s; rotating parts are as
 * fast at their radius of gyration. */
double ff_dynamics_joint_wound(const ff_model *model, size_t joint, const double *bodies,
                               const double *y);

/* The ends of an applied spring. */
typedef struct ff_stretch {
    double arm[3], other_arm[3]; /* from the centres of mass */
    double way[3];               /* unit vector from the other end to the body */
    double velocity[3];          /* of the body's end relative to the other */
    double length, rate;
} ff_stretch;

ff_stretch ff_force_stretch(const ff_force_def *f, const double *bodies);
/* Force and torque on a body, at its centre of mass, of force i, which is not a spring. */
void ff_force_load(const ff_model *model, const ff_phase *phase, size_t i, double t,
                   const double *motion, double force[3], double torque[3]);
/* The factor of a force at time t. */
double ff_force_factor(const ff_force_def *f, double t);

/* Energy stored in active applied springs, and in joints: their springs, limits and friction. `bodies` are the motions at
 * y. */
double ff_dynamics_springs(const ff_model *model, const ff_phase *phase, const double *bodies,
                           const double *y);

/* Kinetic energy, from motions of bodies; and potential of gravity of the bodies that can move, or of those that cannot. */
double ff_dynamics_kinetic(const ff_model *model, const double *bodies);
double ff_dynamics_gravity(const ff_model *model, const double *bodies, bool moving);

/* Efforts along the coordinates of a joint as forces and moments on its two bodies. */
void ff_dynamics_effort_loads(const ff_joint *joint, const double *bodies, const double *effort,
                              double *loads);
/* Whether efforts of a spherical joint, world axes, act on its first body: the one that hangs by it in an articulated tree. */
bool ff_dynamics_hangs_reversed(const ff_model *model, size_t joint);
/* Accelerations, like ff_mechanism_rates(), with friction of joints under their own reactions (bearing.c). */
void ff_bearings_rates(const ff_model *model, const ff_phase *phase, const double *bodies,
                       const double *y, double *dy);

/* Force and moment of a joint, after ff_dynamics_rates() and ff_mechanism_reactions(); `bodies` are the motions there. */
void ff_dynamics_reaction(const ff_model *model, const ff_mechanism *m, const double *bodies,
                          const double *y, size_t joint, ff_joint_record *out);
