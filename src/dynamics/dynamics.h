/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

#include "contact/contact.h"
#include "mechanism.h"
#include "num/sparse.h"

/* What does not change within a step: the modes of the slots, which forces act. */
typedef struct ff_phase {
    ff_mode *modes;
    bool *acting;
    ff_touch_kept *touches;        /* of the last evaluation, one a slot; may be NULL */
    ff_mechanism *mechanism;       /* of a model with joints */
    const ff_run_options *way;     /* how its constraints are held */
    const ff_touch_slopes *slopes; /* contacts follow these where they are known; may be NULL */
    const double *rates;           /* at the y of a Jacobian, where they are known; may be NULL */
    double *slope_rates; /* room of twice y, for Jacobians of contacts that answer with a moment */
    /* controllers: what is discrete, and what works with it */
    const double *memory, *branches;
    double *control_work;             /* of all tapes */
    double *commands;                 /* FF_COMMANDS for each force, three times over */
    double *own_commands, *own_rates; /* of a controller in C */
    double *control_slopes;           /* as many as the program has */
    double *control_values;           /* as many as samples assign at once */
    /* A search for rest: what `memory` and `branches` point at. Samples are taken, and sides of kinks decided, at every evaluation. NULL:
     * a run. */
    double *rest_memory, *rest_branches;
} ff_phase;

/* ---- controllers (control.c) ---- */

struct ff_control_view {
    const ff_model *model;
    const ff_phase *phase;
    double time;
    const double *bodies, *y;
};

/* Fills the inputs of a program from what there is at one instant. */
void ff_control_gather(const ff_control_view *view, const ff_program *program, double *work);
/* The values of a program of one group. */
void ff_control_run(const ff_control_view *view, const ff_program *program, double *out);
/* Evaluates continuous controllers: commands, and rates of their states in dy (may be NULL). */
void ff_control_act(const ff_control_view *view, double *dy);
/* Sets sides of kinks as the state says. Whether any changed. */
bool ff_control_decide_sides(const ff_control_view *view, double *branches);
/* The arguments of all branches are worked out: the memory of the flow's tape. */
const double *ff_control_run_branches(const ff_control_view *view);
/* Whether a search for rest knows forces that depend on the state by way of samples: derivatives are then differences. */
static inline bool ff_control_samples_at_rest(const ff_model *model, const ff_phase *phase) {
    return phase->rest_memory && model->topology->controls.samplers > 0;
}
/* ff_control_act() without rates, and the derivatives of its program, in `room`. */
const double *ff_control_slopes(const ff_control_view *view, double *room);

/* The derivative of all of y at time t. */
void ff_dynamics_rates(const ff_model *model, const ff_phase *phase, double t, const double *y,
                       double *dy);

/* What one slot does at the motions `bodies`: adds forces and moments to `loads`, in the places of v' and omega' of bodies
 * (which may be dy itself), and sets the rates of its states and accounts in dy. */
void ff_dynamics_slot(const ff_model *model, size_t slot, const ff_phase *phase, double t,
                      const double *bodies, const double *y, double *loads, double *dy);

/* Adds the entries of its partial derivatives by the states that act on something, from those of the laws: place[i] is the
 * row and column of state i in `out`, or negative. With loops of joints, joints that laws of time move, spherical joints
 * with springs and the like, or joints in maximal coordinates, they are differences. Which entries there are depends on
 * the slots that touch and the forces that act, not on numbers. */
void ff_dynamics_jacobian(const ff_model *model, const ff_phase *phase, double t, const double *y,
                          const int *place, ff_sparse *out);

/* Whether these are differences. Trees of more states than that would take some 150 MB to work them out in. */
enum { FF_TANGENT_MOST = 3000 };
static inline bool ff_dynamics_differences(const ff_model *model) {
    return model->tree &&
           (!model->tree->articulated || model->tree->loop_rows > 0 || model->tree->driven ||
            model->tree->balls || model->tree->reacts || model->active > FF_TANGENT_MOST ||
            model->topology->controls.differences);
}

/* Partial derivatives of what springs, dampers, limits and friction exert along one coordinate of a joint, and of the rate
 * of the inner state of its friction, by coordinate, speed and that state. */
typedef struct ff_effort_slopes {
    double q, rate, state;
    double state_rate, state_state;
} ff_effort_slopes;

ff_effort_slopes ff_dynamics_effort_slopes(const ff_effort *e, double q, double rate,
                                           const double *y);

/* The ends of an applied spring. */
typedef struct ff_stretch {
    double arm[3], other_arm[3]; /* from the centres of mass */
    double way[3];               /* unit vector from the other end to the body */
    double velocity[3];          /* of the body's end against the other */
    double length, rate;
} ff_stretch;

ff_stretch ff_force_stretch(const ff_force_def *f, const double *bodies);
/* Force and torque on a body, at its centre of mass, of force i, which is no spring. */
void ff_force_load(const ff_model *model, const ff_phase *phase, size_t i, double t,
                   const double *motion, double force[3], double torque[3]);
/* What a force's value is multiplied by at time t. */
double ff_force_factor(const ff_force_def *f, double t);

/* Energy stored in applied springs that act, and in joints: their springs, limits and friction. `bodies` are the
 * motions at y. */
double ff_dynamics_springs(const ff_model *model, const ff_phase *phase, const double *bodies,
                           const double *y);

/* Kinetic energy and potential of gravity, from motions of bodies. */
double ff_dynamics_kinetic(const ff_model *model, const double *bodies);
double ff_dynamics_gravity(const ff_model *model, const double *bodies);

/* Efforts along the coordinates of a joint as forces and moments on its two bodies. */
void ff_dynamics_effort_loads(const ff_joint *joint, const double *bodies, const double *effort,
                              double *loads);
/* Whether efforts of a spherical joint, world axes, act on its first body: the one that hangs by it in an articulated tree. */
bool ff_dynamics_hangs_reversed(const ff_model *model, size_t joint);
/* Accelerations, as ff_mechanism_rates(), where friction of joints is under their reactions (bearing.c). */
void ff_bearings_rates(const ff_model *model, const ff_phase *phase, const double *bodies,
                       const double *y, double *dy);

/* What a joint exerts, after ff_dynamics_rates() and ff_mechanism_reactions(); `bodies` are the motions there. */
void ff_dynamics_reaction(const ff_model *model, const ff_mechanism *m, const double *bodies,
                          const double *y, size_t joint, ff_joint_record *out);
