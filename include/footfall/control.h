/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* Controllers in C. A controller commands forces of kind FF_FORCE_CONTROL: it is called, sees bodies, joints, contacts
 * and time at one instant, and says what these forces are.
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
 * The work of its forces is in the account `external`. */

#include <footfall/sim.h>

FF_C_BEGIN

/* What a controller sees: valid during the call only. */
typedef struct ff_control_view ff_control_view;

/* Coordinates of a joint (rad, m) and their rates: one of a revolute or prismatic joint, two of a universal, three of a
 * planar one, none of others. */
typedef struct ff_joint_view {
    double position[FF_JOINT_COORDINATES], rate[FF_JOINT_COORDINATES];
} ff_joint_view;

/* A contact: penetration (negative in the air) and its rate, and the force on the first thing. */
typedef struct ff_contact_view {
    bool touching;
    double depth, rate; /* m, m/s */
    double force[3];    /* N, world axes */
} ff_contact_view;

FF_API double ff_control_time(const ff_control_view *view);
FF_API ff_motion ff_control_body(const ff_control_view *view, size_t body);
FF_API ff_joint_view ff_control_joint(const ff_control_view *view, size_t joint);
/* Contacts are those of ff_model_contact_name(). */
FF_API ff_contact_view ff_control_contact(const ff_control_view *view, size_t contact);

/* Sets commands[i] of each force of its definition: an effort in commands[i][0] at a joint (N m, N), otherwise force (N)
 * and torque (N m), world axes. They are 0 before the first call; what is not set stays.
 *
 * Sampled: called at the exact times k every, k = 0, 1, 2 ..; commands hold until the next call; `states` are its own and
 * may be changed; `rates` is NULL. Continuous: called wherever rates are evaluated, also at times and states that the run
 * then does not take; must be smooth, without memory, and leave `states` alone; sets `rates`, dstates/dt.
 *
 * A search for a start at rest (ff_scene_set_start()) calls both kinds with time 0 wherever it looks; sampled ones get a copy of
 * `states` there, which must stay as they are where the search ends. */
typedef void (*ff_controller_function)(void *user, const ff_control_view *view, double *states,
                                       double *rates, double (*commands)[6]);
/* Called at every event that the run reports; may change `states`, also those of a continuous controller. */
typedef void (*ff_controller_event)(void *user, const ff_control_view *view, const ff_event *event,
                                    double *states);

typedef struct ff_controller_def {
    size_t size; /* of this struct, as ff_controller_def_default() sets it */
    const char *name;
    double every; /* s between samples; 0: continuous */
    /* Its own numbers, part of the state of a run: saved, restored and in checkpoints. */
    size_t state_count;
    const double *start;  /* at the start of a run; NULL: 0 */
    const double *scales; /* of continuous states, what errors are relative to; NULL: 1 */
    const int *forces;    /* that it commands, by their indices in the scene; nobody else may */
    size_t force_count;
    ff_controller_function function;
    ff_controller_event event; /* may be NULL */
    void *user;
} ff_controller_def;

FF_DEFAULTS(ff_controller_def)

/* Arrays and the name are copied; `user` must outlive all sims of the scene. Returns its index, or FF_BAD_VALUE (no
 * name or function, a force that is not of kind FF_FORCE_CONTROL or has a controller already, a period that is negative
 * or not finite) or FF_NO_MEMORY. */
FF_API int ff_scene_add_controller(ff_scene *scene, const ff_controller_def *def);

FF_C_END
