/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* What the expressions of a scene file make of a run: commands of forces, rates of controllers' states, what samples and
 * events do, users' functions. Compiled once, never changed, shared by threads. */

#include "expr/tape.h"
#include <footfall/run.h>
#include <math.h>

/* What a number that an expression reads is. */
typedef enum ff_signal_kind {
    FF_SIGNAL_TIME,
    FF_SIGNAL_BODY,    /* position 3, orientation 4, velocity 3, omega 3 */
    FF_SIGNAL_JOINT,   /* coordinates 3, their rates 3 */
    FF_SIGNAL_CONTACT, /* touching, depth, rate, force 3 */
    FF_SIGNAL_STATE,   /* of controllers, integrated */
    FF_SIGNAL_MEMORY,  /* of controllers; changes at samples and events only */
    FF_SIGNAL_BRANCH   /* which side of a kink an expression is on */
} ff_signal_kind;

/* Numbers of the record of a contact, in the order above. */
enum {
    FF_CONTACT_TOUCHING,
    FF_CONTACT_DEPTH,
    FF_CONTACT_RATE,
    FF_CONTACT_FORCE,
    FF_CONTACT_SIGNALS = 6
};
enum { FF_JOINT_RATE = 3, FF_JOINT_SIGNALS = 6, FF_BODY_SIGNALS = 13 };

typedef struct ff_signal {
    ff_signal_kind kind;
    size_t thing, part, width; /* which body, joint, ..; the first of its numbers, and how many */
} ff_signal;

/* Expressions compiled together, with what they read: the inputs of the tape in their order. */
typedef struct ff_program {
    ff_tape *tape; /* NULL: nothing */
    ff_signal *reads;
    size_t read_count;
    size_t work_at; /* of its memory in that of all programs */
} ff_program;

/* A force has six commands: force and torque, or an effort in the first place. */
enum { FF_COMMANDS = 6 };

/* Where the value of an expression goes. */
typedef enum ff_target_kind {
    FF_TARGET_COMMAND,
    FF_TARGET_STATE,
    FF_TARGET_MEMORY, /* an output that is held */
    FF_TARGET_NEXT    /* a state of a sampled controller, in its memory, too */
} ff_target_kind;
typedef struct ff_target {
    ff_target_kind kind;
    size_t at;
} ff_target;

/* The partial derivative of an output of the flow's first group by a number that it reads. */
typedef struct ff_slope {
    size_t output;
    ff_signal by; /* width 1 */
} ff_slope;

/* Where an expression bends or jumps, its argument has a root; the side is kept as a number: 1 where the argument is
 * negative (or 0, `equal`) and 0 elsewhere, or (`whole`) the whole number at or below it. */
typedef struct ff_branch {
    bool equal, whole;
} ff_branch;

typedef struct ff_sample_group {
    double every; /* s */
    ff_program program;
    ff_target *targets;
    size_t count;
} ff_sample_group;

/* What an event does: assignments of values that are taken before any of them is made. */
typedef struct ff_reaction {
    ff_event_kind kind; /* touchdown, liftoff or user */
    size_t thing;       /* a contact of the list below, or a user's function */
    int way;            /* user: 1 it rises through 0, -1 it falls, 0 both */
    ff_program program;
    ff_target *targets;
    size_t count;
} ff_reaction;

/* A plane that moves by a law of time. */
typedef struct ff_plane_motion {
    size_t plane;
    ff_program
        program; /* how far it is from where the scene puts it, m, and its velocity, m/s: 6 outputs */
} ff_plane_motion;

/* A coordinate of a joint that moves by a law of time. */
typedef struct ff_joint_motion {
    size_t joint;
    int coordinate;
    ff_program program; /* the coordinate (m, rad), its rate and its second rate: 3 outputs */
} ff_joint_motion;

/* A number of a controller, as a field. */
typedef struct ff_control_number {
    char *path; /* controllers.hop.x */
    char unit[64];
    double start, scale;
} ff_control_number;

/* Groups of the flow's program. */
enum { FF_GROUP_ACTS, FF_GROUP_BRANCHES, FF_GROUP_SLOPES, FF_GROUP_SHOWN, FF_FLOW_GROUPS };

typedef struct ff_control ff_control;
struct ff_control {
    ff_control_number *states, *memories, *shown; /* shown: outputs that follow from the state */
    size_t state_count, memory_count, shown_count;

    /* what goes on all the time */
    ff_program flow;
    ff_target *acts; /* commands and rates of states */
    size_t act_count;
    ff_branch *branches;
    size_t branch_count;
    ff_slope *slopes;
    size_t slope_count;

    ff_sample_group *samplers;
    ff_reaction *reactions;
    size_t sampler_count, reaction_count;

    ff_program *events; /* users' functions */
    char **event_names;
    size_t event_count;

    ff_plane_motion *motions;
    size_t motion_count;
    ff_joint_motion *drives;
    size_t drive_count;

    char **contacts; /* names of those that are read, or whose events are */
    size_t contact_count;

    size_t room;     /* doubles that the tapes work in */
    size_t room_out; /* the most values that samples and events assign at once */
    uint64_t version;
    bool timed;         /* what goes on all the time depends on time */
    bool reads_contact; /* it reads a depth, a rate or a force of a contact */
};

/* ---- making one ---- */

typedef struct ff_assignment {
    ff_target to;
    ff_expr is;
} ff_assignment;

typedef struct ff_draft_block {
    double every;
    ff_event_kind kind;
    size_t thing;
    int way;
    ff_assignment *values;
    size_t count, room;
} ff_draft_block;

typedef struct ff_draft_number {
    char *path;
    char unit[64];
    double start, scale;
    ff_expr is; /* of outputs that are shown */
} ff_draft_number;

/* A plane and how far it moves, as expressions of t. */
typedef struct ff_draft_motion {
    size_t plane;
    ff_expr is[3];
} ff_draft_motion;

/* A coordinate of a joint, as an expression of t. */
typedef struct ff_draft_drive {
    size_t joint;
    int coordinate;
    ff_expr is;
} ff_draft_drive;

/* All that a control is made of. Names without a value are signals; several names may be one signal. */
typedef struct ff_draft {
    ff_expr_pool *pool;
    const ff_expr_name_def *names;
    const ff_signal *signals;
    size_t name_count;
    ff_draft_number *states, *memories, *shown;
    size_t state_count, memory_count, shown_count;
    ff_assignment *acts; /* commands and rates; none twice */
    size_t act_count;
    ff_draft_block *samplers, *reactions;
    size_t sampler_count, reaction_count;
    ff_draft_number *events;
    size_t event_count;
    ff_draft_motion *motions;
    size_t motion_count;
    ff_draft_drive *drives;
    size_t drive_count;
    char **contacts;
    size_t contact_count;
} ff_draft;

/* Compiles it. FF_BAD_VALUE, with the reason, or FF_NO_MEMORY. */
ff_status ff_control_make(const ff_draft *draft, ff_control **out, ff_expr_error *error);
ff_control *ff_control_keep(ff_control *control); /* one owner more; NULL is none */
void ff_control_drop(ff_control *control);

/* The law of a plane at a time: offset and velocity. */
void ff_plane_motion_at(const ff_plane_motion *motion, double t, double out[6]);
/* The law of a coordinate at a time: the coordinate, its rate and its second rate. */
void ff_joint_motion_at(const ff_joint_motion *motion, double t, double out[3]);

/* The argument of branch k, after the tape of the flow was run in `work`. */
static inline double ff_control_argument(const ff_control *control, const double *work, size_t k) {
    return work[ff_tape_place(control->flow.tape, control->act_count + k)];
}

/* The side of a branch where its argument is x. */
static inline double ff_branch_side(const ff_branch *branch, double x) {
    return branch->whole ? floor(x) : branch->equal ? x <= 0 : x < 0;
}

/* Makes the memory of the tapes ready. */
void ff_control_begin(const ff_control *control, double *work);
