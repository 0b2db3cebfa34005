/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* The compiled expressions of a scene file: commands of forces, rates of controller states, actions of samples and events,
 * event functions of the user. Immutable and shared by threads. */

#include "expr/tape.h"
#include <footfall/run.h>
#include <math.h>

/* Kind of a number that an expression reads. */
typedef enum ff_signal_kind {
    FF_SIGNAL_TIME,
    FF_SIGNAL_BODY,    /* position 3, orientation 4, velocity 3, omega 3 */
    FF_SIGNAL_JOINT,   /* coordinates 3, their rates 3 */
    FF_SIGNAL_CONTACT, /* touching, depth, rate, force 3 */
    FF_SIGNAL_STATE,   /* state of a continuous controller, integrated */
    FF_SIGNAL_MEMORY,  /* number of a controller that changes only at samples and events */
    FF_SIGNAL_BRANCH   /* the side of a kink that an expression is on */
} ff_signal_kind;

/* Numbers of a contact record, in the order of FF_SIGNAL_CONTACT. */
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
    size_t thing, part, width; /* index of the body, joint, ...; first number and how many */
} ff_signal;

/* Expressions compiled together, and the signals they read: the inputs of the tape in order. */
typedef struct ff_program {
    ff_tape *tape; /* NULL: no expressions */
    ff_signal *reads;
    size_t read_count;
    size_t work_at; /* offset of its work memory in that of all programs */
} ff_program;

/* A force has six commands: force and torque, or an effort in the first one. */
enum { FF_COMMANDS = 6 };

/* Destination of the value of an expression. */
typedef enum ff_target_kind {
    FF_TARGET_COMMAND,
    FF_TARGET_STATE,
    FF_TARGET_MEMORY, /* an output that is held between samples */
    FF_TARGET_NEXT    /* a state of a sampled controller, stored in its memory */
} ff_target_kind;
typedef struct ff_target {
    ff_target_kind kind;
    size_t at;
} ff_target;

/* Partial derivative of an output of the flow program's first group with respect to a number that it reads. */
typedef struct ff_slope {
    size_t output;
    ff_signal by; /* width 1 */
} ff_slope;

/* A kink or jump of an expression is a root of its argument; the side is stored as a number: 1 if the argument is negative
 * (or 0, if `equal`) and 0 otherwise, or (`whole`) the floor of the argument. */
typedef struct ff_branch {
    bool equal, whole;
} ff_branch;

typedef struct ff_sample_group {
    double every; /* sampling period, s */
    ff_program program;
    ff_target *targets;
    size_t count;
} ff_sample_group;

/* Action of an event: assignments, with all values computed before any is assigned. */
typedef struct ff_reaction {
    ff_event_kind kind; /* touchdown, liftoff or user */
    size_t thing;       /* index in the list of contacts below, or of the user's function */
    int way;            /* FF_USER: 1 rising through 0, -1 falling, 0 both */
    ff_program program;
    ff_target *targets;
    size_t count;
} ff_reaction;

/* A plane with a prescribed motion. */
typedef struct ff_plane_motion {
    size_t plane;
    /* displacement from its position in the scene, m, and velocity, m/s: 6 outputs */
    ff_program program;
} ff_plane_motion;

/* A joint coordinate with a prescribed motion. */
typedef struct ff_joint_motion {
    size_t joint;
    int coordinate;
    ff_program program; /* the coordinate (m, rad), its rate and its second rate: 3 outputs */
} ff_joint_motion;

/* A number of a controller, as a field. */
typedef struct ff_control_number {
    char *path; /* such as controllers.hop.x */
    char unit[64];
    double start, scale;
} ff_control_number;

/* Groups of outputs of the flow program. */
enum { FF_GROUP_ACTS, FF_GROUP_BRANCHES, FF_GROUP_SLOPES, FF_GROUP_SHOWN, FF_FLOW_GROUPS };

typedef struct ff_control ff_control;
struct ff_control {
    /* shown: outputs that are computed from the state */
    ff_control_number *states, *memories, *shown;
    size_t state_count, memory_count, shown_count;

    /* the continuous part */
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

    ff_program *events; /* event functions of the user */
    char **event_names;
    size_t event_count;

    ff_plane_motion *motions;
    size_t motion_count;
    ff_joint_motion *drives;
    size_t drive_count;

    char **contacts; /* names of contacts that are read or whose events are used */
    size_t contact_count;

    size_t room;     /* number of doubles of work memory of the tapes */
    size_t room_out; /* largest number of values assigned at once by samples and events */
    uint64_t version;
    bool timed;         /* the continuous part depends explicitly on time */
    bool held;          /* it consists of commands that depend on held numbers alone */
    bool reads_contact; /* the continuous part reads a depth, rate or force of a contact */
};

/* ---- construction ---- */

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
    ff_expr is; /* expression of an output that is shown */
} ff_draft_number;

/* A plane and its displacement, as expressions of t. */
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

/* Everything a control is made from. Names without a value are signals; several names may refer to one signal. */
typedef struct ff_draft {
    ff_expr_pool *pool;
    const ff_expr_name_def *names;
    const ff_signal *signals;
    size_t name_count;
    ff_draft_number *states, *memories, *shown;
    size_t state_count, memory_count, shown_count;
    ff_assignment *acts; /* commands and rates, without duplicates */
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

/* Compiles a draft. FF_BAD_VALUE, with the reason, or FF_NO_MEMORY. */
ff_status ff_control_make(const ff_draft *draft, ff_control **out, ff_expr_error *error);
ff_control *ff_control_keep(ff_control *control); /* adds an owner; NULL is allowed */
void ff_control_drop(ff_control *control);

/* Displacement and velocity of a plane at a time. */
void ff_plane_motion_at(const ff_plane_motion *motion, double t, double out[6]);
/* Coordinate, rate and second rate of a prescribed motion at a time. */
void ff_joint_motion_at(const ff_joint_motion *motion, double t, double out[3]);

/* The argument of branch k, after the tape of the flow was run in `work`. */
static inline double ff_control_argument(const ff_control *control, const double *work, size_t k) {
    return work[ff_tape_place(control->flow.tape, control->act_count + k)];
}

/* The side of a branch for the argument x. */
static inline double ff_branch_side(const ff_branch *branch, double x) {
    return branch->whole ? floor(x) : branch->equal ? x <= 0 : x < 0;
}

/* Initialises the work memory of the tapes. */
void ff_control_begin(const ff_control *control, double *work);
