/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* Controllers in C. A controller sets the forces of kind FF_FORCE_CONTROL that are listed in its definition. It is called
 * with a view of time, bodies, joints and contacts at one instant.
 *
 *     static void stand(void *user, const ff_control_view *view, double *states, double *rates,
 *                       double (*commands)[6]) {
 *         const ff_joint_view knee = ff_control_joint(view, 0);
 *         commands[0][0] = 80*(0.5 - knee.position[0]) - 4*knee.rate[0];
 *     }
 *     ...
 *     ff_controller_def def = ff_controller_def_default();
 *     def.name = "stand", def.every = 1e-3, def.function = stand;
 *     def.forces = &motor, def.force_count = 1;
 *     ff_scene_add_controller(scene, &def);
 *
 * The work of commanded forces is booked in the account `external`. */

#include <footfall/sim.h>

FF_C_BEGIN

/* What a controller can read; valid only during the call. */
typedef struct ff_control_view ff_control_view;

/* Coordinates of a joint (rad, m) and their rates: one for revolute and prismatic joints, two for universal, three for
 * planar joints, none for others. */
typedef struct ff_joint_view {
    double position[FF_JOINT_COORDINATES], rate[FF_JOINT_COORDINATES];
} ff_joint_view;

/* A contact: depth (negative without contact), its rate, and the force on the first thing. */
typedef struct ff_contact_view {
    bool touching;
    double depth, rate; /* m, m/s */
    double force[3];    /* N, world axes */
} ff_contact_view;

/* Time (s), motion of a body, and coordinates of a joint; indices are those of the model. */
FF_API double ff_control_time(const ff_control_view *view);
FF_API ff_motion ff_control_body(const ff_control_view *view, size_t body);
FF_API ff_joint_view ff_control_joint(const ff_control_view *view, size_t joint);
/* A contact; `contact` is an index of ff_model_contact_name(). */
FF_API ff_contact_view ff_control_contact(const ff_control_view *view, size_t contact);

/* Computes the commands. commands[i] belongs to force i of the definition: for an actuated joint, the effort in
 * commands[i][0] (N m or N); otherwise force (N) and torque (N m) in world axes. Commands are 0 before the first call; a
 * command that is not set keeps its value.
 *
 * A sampled controller is called once at each of the exact times k every, k = 0, 1, 2 ... Its commands hold until the next
 * call; it may change `states`; `rates` is NULL. Calls that change neither commands nor states do not end a step, so that
 * several calls may follow each other before ff_sim_step() returns. A continuous controller is called at every evaluation
 * of the rates, also at times and states that the run does not pass through. It must be smooth and keep no memory of its
 * own, must not change `states`, and sets `rates`, dstates/dt.
 *
 * The search for an equilibrium (FF_START_REST) calls both kinds at time 0 with trial states. Sampled controllers get a
 * copy of their states, which must not change at the equilibrium. */
typedef void (*ff_controller_function)(void *user, const ff_control_view *view, double *states,
                                       double *rates, double (*commands)[6]);
/* Called at every reported event; may change `states`, also of a continuous controller. */
typedef void (*ff_controller_event)(void *user, const ff_control_view *view, const ff_event *event,
                                    double *states);

typedef struct ff_controller_def {
    size_t size; /* of this struct, as ff_controller_def_default() sets it */
    const char *name;
    double every; /* sampling period, s; 0: continuous */
    /* number of the controller's own states; they are part of the state of a run and are saved, restored and checkpointed */
    size_t state_count;
    const double *start;  /* states at the start of a run; NULL: 0 */
    const double *scales; /* error scales of the states of a continuous controller; NULL: 1 */
    const int *forces; /* indices of the commanded forces; a force can have only one controller */
    size_t force_count;
    ff_controller_function function;
    ff_controller_event event; /* may be NULL */
    void *user;
    /* continuous: nothing that the function does is shorter than this, s, and no step is longer. 0: not known; what begins and ends
     * between two evaluations is missed, of which a warning tells (FF_WARN_UNBOUNDED) */
    double shortest;
} ff_controller_def;

FF_DEFAULTS(ff_controller_def)

/* Adds a controller. Arrays and the name are copied; `user` must outlive all sims of the scene. Returns its index, or
 * FF_BAD_VALUE (no name or function, a force that is not of kind FF_FORCE_CONTROL or already has a controller, a period
 * that is negative or not finite), or FF_NO_MEMORY. */
FF_API int ff_scene_add_controller(ff_scene *scene, const ff_controller_def *def);

FF_C_END
