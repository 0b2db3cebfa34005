/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* A scene compiled: immutable, shared by threads. It has three parts:
 *
 *   topology   what touches what, by which laws, which joint holds whom, names, tables: never changes
 *   numbers    the scene's definitions, and all that follows from them, in one block of memory in which nothing points
 *              into the block itself: a copy of a model is this struct, a copy of the block, and new pointers into it
 *   layout     where everything is in the vector y that is integrated
 *
 * ff_model_derive() works out from the definitions in the block all else that is in it, so that a model whose
 * definitions were changed is the one that a scene with these definitions compiles to, bit for bit. The layout of y:
 *
 *   bodies     13 each: position 3, quaternion 4, velocity 3, omega 3; in an articulated model the coordinates of
 *              its joint and their speeds instead
 *   joints     1 for each coordinate whose friction has an inner state
 *   control    states of controllers
 *   contacts   the inner states of its normal law, then those of its friction law, then the depth of a ground with a
 *              state of its own: as many as there are
 *   accounts   those of each contact, then those of the run, as far as they can be other than 0: integrals that feed
 *              nothing back */

#include "kinds.h"
#include "law/kernels.h"
#include "law/sizes.h"
#include <footfall/field.h>

enum { FF_BODY_STRIDE = 13 };
enum { FF_P = 0, FF_Q = 3, FF_VEL = 7, FF_OMEGA = 10 };

/* Integrals of a contact along the run, W into J. `graded work` is what the springs of friction take up at the level that
 * they have (docs/theory.md, Regrade). */
typedef enum ff_integral {
    FF_NORMAL_DAMPER,
    FF_TANGENTIAL_DAMPER,
    FF_SLIP_LOSS,
    FF_VISCOUS,
    FF_GRADED_WORK,
    FF_PLANE_WORK,
    FF_CONTACT_INTEGRALS
} ff_integral;

/* Integrals of the run: none without forces or joints; FF_CONSTRAINT_WORK with joints only. */
enum { FF_DAMPER_WORK, FF_APPLIED_WORK, FF_CONSTRAINT_WORK, FF_RUN_INTEGRALS };

typedef struct ff_model_body {
    const char *name;
    double mass, per_mass;
    bool round; /* inertia is the same about every axis */
    bool
        free_turning; /* round, with all spheres at its centre of mass: its orientation acts on nothing */
    double inertia[3][3]; /* body axes */
    double centre
        [3]; /* of mass, in the frame that its shapes are written in; 0 where inertia was given */
    double per_inertia[3][3];
    unsigned locked;
    double start[FF_BODY_STRIDE];
} ff_model_body;

/* Sizes of a body's motion: m/s, m, rad/s. */
typedef struct ff_extent {
    double speed, length, turning;
} ff_extent;

/* ---- joints ---- */

/* Rows of constraint at the most: 3 of anchors that meet, 3 of directions. */
enum { FF_ROWS = 6 };

/* What acts along one coordinate of a joint. */
typedef struct ff_effort {
    bool works; /* anything does */
    double stiffness, rest, damping, lower, upper, limit_stiffness, limit_damping, load;
    ff_normal limit; /* of stops; law NULL: limit_stiffness and limit_damping */
    ff_friction friction;
    bool has_friction;
    bool reacts;    /* under the joint's own reaction instead of `load` */
    double bearing; /* m: radius where it turns, distance of two bearings where it slides, or 0 */
    ff_friction_flat rub;
    int bristle; /* place in y of the inner state of its friction, or -1 */
} ff_effort;

/* A joint between its first body and its second. Its rows of constraint are
 *   the anchors meet, 3 rows, or have no way between them along `slide`, directions of the first;
 *   `across` of the second stays square to `square` of the first;
 *   the way along the axis is in proportion to the angle about it;
 *   the rate of one coordinate is in proportion to that of another, of a gear;
 *   a coordinate is what its law of time says. */
typedef struct ff_joint {
    const char *name;
    ff_joint_kind kind;
    int first, second;                  /* first -1: the world */
    double anchor[3], second_anchor[3]; /* body axes */
    double axis[3], second_axis[3];     /* unit vectors, of the first and of the second */
    double ways[2][3];                  /* of the first: the ways of a planar one */
    double turn[4];
    double start[FF_JOINT_COORDINATES], rate[FF_JOINT_COORDINATES];
    bool placed; /* start and rate say where the second begins */
    bool meets;
    bool threads; /* the way along the axis is `pitch` times the angle about it */
    double pitch; /* m/rad */
    /* gear: the coordinates that it couples, and the bodies of their joints, first and second */
    int geared[2], geared_coordinates[2], bodies[2][2];
    double ratio;
    int slides, squares, rows;
    int drives; /* coordinates that move by a law of time: each has a row, after the others */
    const ff_joint_motion *law[FF_JOINT_COORDINATES]; /* NULL: it moves as forces make it */
    double slide[2][3], square[3][3], across[3][3];
    size_t row_at;   /* of its rows among those of all joints */
    bool loop;       /* closes a loop of joints */
    int coordinates; /* that can be asked for, and that something can act along */
    bool works;      /* something acts along one of them, or on the turning of a spherical one */
    ff_effort along[FF_JOINT_COORDINATES]; /* spherical: the first, for all directions */
} ff_joint;

/* A body in the tree of joints: how it hangs on its parent. The joint's coordinates are the user's, also where
 * the tree runs from its second body to its first: then axes are reversed, and those of a universal one swapped. */
typedef struct ff_link {
    int parent; /* -1: the world */
    int joint;  /* -1: none, the body moves at will */
    ff_joint_kind kind;
    bool reversed;
    unsigned driven;       /* bit c: coordinate c moves by a law of time */
    double anchor[3];      /* of the parent, body axes, or the world's */
    double offset[4];      /* from the parent's own anchor to `anchor`, body axes; then 0 */
    double com[4];         /* from the body's anchor to its centre of mass, body axes; then 0 */
    double axis[4];        /* unit vector, of the body; then 0 */
    double parent_axis[3]; /* universal: of the parent */
    double ways[2][3];     /* planar: of the parent */
    double pitch;          /* screw: way along the axis by the angle */
    double turn[4];        /* orientation in axes of the parent where coordinates are 0 */
    double swing[4];  /* turn times axis: turn cos(q/2) + swing sin(q/2) is the orientation at q */
    double weight[8]; /* inertia about the anchor, body axes: xx, xy, xz, yy, yz, zz; mass; 0 */
    size_t at;        /* in y: coordinates, then speeds */
    int coordinates, speeds;
    size_t speed_at; /* of its speeds among those of all */
} ff_link;

/* The tree: bodies in an order in which parents come first; what closes loops. */
typedef struct ff_joint_tree {
    ff_link *links; /* by body */
    int *order;
    int *loops; /* joints */
    size_t loop_count, loop_rows, speeds;
    bool articulated;
    bool driven; /* some coordinates move by laws of time */
    bool reacts; /* friction of some joints is under their own reactions */
    bool balls;  /* something acts on the turning of a spherical joint */
    ff_assembly assembly;
    double condition; /* of the rows of loops at the start: least eigenvalue by the largest */
} ff_joint_tree;

/* Two things that may touch: a slot. The first is a sphere of a body, the second a sphere of another
 * body or a plane. */
typedef struct ff_slot {
    /* Read in every evaluation, together: slots of a large scene come from far away. */
    int body, other; /* other -1: a plane */
    bool slides;     /* has friction */
    bool filtered;   /* its normal law says itself where contact begins and ends */
    bool rests;      /* the states of its normal law go on in the air */
    bool turns;      /* friction answers with a moment */
    bool graded;     /* the springs of friction change their level */
    bool gated;      /* no contact while its body turns about `gate` */
    bool stateful;   /* the ground recovers at its own pace; its depth is the last of the states */
    int states;
    size_t state_at; /* in y */
    size_t integral_at;
    int integral[FF_CONTACT_INTEGRALS]; /* from there; -1: always 0 */
    ff_pair_point both;                 /* both laws at once */
    double center[3], radius;           /* body axes */
    /* Where the common point of two spheres lies: R/r_a. On a plane 1 where the lever is r - z, else 0. */
    double share;
    double other_center[3], other_radius; /* of the other body's sphere */
    double normal[3], skin[3];            /* of the plane; skin: velocity of its surface */
    double level, rise;                   /* z = level + rise t - normal.(centre of the sphere) */
    const ff_plane_motion *motion;        /* of a plane that moves by a law of time; else NULL */
    ff_normal law;
    ff_friction friction;
    /* read less often */
    const char *name; /* "ball/floor" */
    int pair;         /* of the scene */
    int clock;        /* t - t0 = sigma^clock makes touch-down smooth */
    double extent;    /* a bound of the constants that z is formed of */
    double gate[3];
} ff_slot;

/* ---- crowds: scenes with more pairs than can have slots of their own ---- */

/* A pair of the scene, with the laws of all its contacts. */
typedef struct ff_class {
    const char *name;
    ff_normal law;
    ff_friction friction;
    bool slides;
    bool graded; /* the springs of friction change their level */
    bool meets;  /* two bodies can meet under it */
} ff_class;

typedef struct ff_wall {
    double normal[3], level, rise, skin[3]; /* as of a slot, level without a radius */
} ff_wall;

/* Spheres and planes: body i is one sphere. */
typedef struct ff_crowd_model {
    int *kind; /* of each body */
    double *radius;
    double *push; /* force that always acts, 3 for each body */
    ff_wall *walls;
    ff_class *classes;
    int *pair_class; /* kind by kind: the class of their contacts, negative for none */
    int *wall_class; /* kind by wall */
    size_t kind_count, wall_count, class_count;
} ff_crowd_model;

/* ---- topology ---- */

/* Which of the scene's definitions a slot is made of: a sphere, and another one or a plane, the other -1. */
typedef struct ff_slot_source {
    int shape, other, plane, pair;
} ff_slot_source;

/* What a shape of the scene is called in its file. */
typedef enum ff_shape_word {
    FF_SHAPE_SPHERE,
    FF_SHAPE_LISTED, /* one of `spheres` */
    FF_SHAPE_BOX,    /* the first corner of a box stands for the box */
    FF_SHAPE_CORNER, /* the other corners of a box */
    FF_SHAPE_POINT
} ff_shape_word;

/* Controllers and expressions of a run. States are those of the program, then those of each controller in C that is
 * continuous; memories those of the program, then states and commands of each one that is sampled. */
typedef struct ff_controls {
    ff_control *program;    /* NULL: none */
    ff_controller_def *own; /* in C */
    size_t own_count;
    size_t *own_at;   /* the first state or memory of each */
    size_t *contacts; /* of the model: those of the program's list */
    size_t states, memories, samplers;
    bool acts;        /* there is something that goes on all the time */
    bool differences; /* it has no derivatives of its own: contacts are read, or it is in C */
    bool timed;
} ff_controls;

enum { FF_APART_MOST = 100 };

/* What no number changes; shared by all copies of a model. */
typedef struct ff_topology {
    char *names;    /* all of them, one after the other */
    double *tables; /* points of forces: times, then factors */
    ff_slot_source *sources;
    size_t *shapes, *first; /* shapes by body; first[i] is where those of body i begin */
    bool *held;             /* bodies that a spring or a joint holds */
    int *placer;            /* of each body: the joint that says how it starts, or -1 */
    ff_shape_word *words;   /* of each shape */
    bool *belt;             /* planes whose surface moves: contacts have an account for its work */
    size_t
        *field_at;   /* the first field of each thing that has numbers (numbers.c), and their end */
    char **unpaired; /* names of pairs without an entry, the first hundred of them */
    size_t unpaired_count;
    ff_slot_source apart[FF_APART_MOST]; /* the first of them, shape by shape (not of crowds) */
    size_t apart_count;
    /* Of an open model: the first source of each shape, and the end of the last; the name of each contact; and which kinds
     * of shapes and planes meet by which pair. */
    size_t *row_at;
    const char **contact_names;
    ff_kinds kinds;
    ff_controls controls;
} ff_topology;

struct ff_model {
    double gravity[3];
    ff_model_body *bodies;
    ff_slot *slots;
    ff_force_def *forces;
    ff_event_def *events;
    ff_joint *joints;
    ff_joint_tree *tree; /* NULL: no joints */
    size_t body_count, slot_count, force_count, event_count, joint_count;
    size_t contact_count; /* pairs that may touch: as many as slots, unless the model is open */
    size_t *body_at;      /* of each body in y; coordinates of its joint in an articulated model */
    size_t joint_rows, bristles;
    size_t states, size; /* of y: what feeds back, and all */
    size_t active;       /* states that act on something */
    size_t control_at, slot_at, integral_at,
        run_at; /* offsets in y: of controllers' and all slots' states, of their accounts, of the run's */
    ff_extent *extents; /* of each body, at the start */
    double *scales;     /* of every component of y at the start, for absolute tolerances */
    double energy;      /* energy scale of the accounts, J */
    bool *first;        /* the velocities, which a semi-implicit step moves first */
    int *speed;  /* of a state that is a position: which one is its velocity; -1 for others */
    bool *inert; /* components that act on nothing but themselves */
    bool graded, turns; /* some slots are, and do */
    ff_run_options run;
    ff_crowd_model *crowd; /* NULL: slots */
    /* Of a model that is no scene: how it is run (sim/sim.h), its fields (fields.h), what it is made of, and who frees that. */
    const struct ff_sim_kind *kind;
    const struct ff_field_source *fields;
    void *source;
    void (*free_source)(void *source);

    /* The definitions: lists in the block, names of the topology. A crowd keeps none of bodies and shapes. */
    ff_scene defs;
    ff_topology *topology;
    ff_joint_tree own_tree; /* what `tree` and `crowd` point at */
    ff_crowd_model own_crowd;
    double *starts; /* where bodies start, one after the other, for those that read them so */
    size_t room;    /* numbers that y has at the most, whatever the laws */
    char *block;
    size_t block_size;
    bool derived; /* everything has been worked out before: the layout stays as it is */
    /* There are too many pairs for a slot each: the model has none, and a run has slots of the pairs that are near each
     * other (sim/near.c) */
    bool open;
    ff_slot *
        prototypes; /* of an open model, one for each pair of the scene: what layout its slots have */
    bool copy;      /* topology is another model's */
};

/* The motion of a body in a block of FF_BODY_STRIDE numbers for each body: y itself, where it begins so. */
static inline const double *ff_body_state(const double *bodies, int body) {
    return bodies + (size_t)body * FF_BODY_STRIDE;
}

/* The inner states of a slot: of its normal law, of its friction law, and the depth of its ground. */
static inline int ff_slot_u(const ff_slot *slot) { return slot->law.states; }
static inline int ff_slot_ground(const ff_slot *slot) { return slot->states - 1; }
/* An account of a slot, from the integrals in y. */
static inline double ff_slot_integral(const ff_slot *slot, const double *y, ff_integral which) {
    return slot->integral[which] < 0 ? 0 : y[slot->integral_at + (size_t)slot->integral[which]];
}

/* An account of the run. */
static inline double ff_run_integral(const ff_model *model, const double *y, int which) {
    size_t at = model->run_at + (size_t)which;
    return at < model->size ? y[at] : 0;
}

/* Whether y holds coordinates of joints in place of the motions of bodies. */
static inline bool ff_articulated(const ff_model *model) {
    return model->tree && model->tree->articulated;
}

/* Whether the orientation of a body is left out of the rates: it acts on nothing, and is turned after each step. */
static inline bool ff_turns_apart(const ff_model *model, size_t body) {
    return model->bodies[body].free_turning && !model->tree;
}

/* Beyond so many pairs contacts are found while a run goes, by the crowd where the method can do it, by near pairs where
 * events are located. Below, a slot for every pair costs less than finding out which ones are needed. */
enum { FF_SLOTS_USUAL = 100 };

/* What has no entry has no contact; `check` lists it, a body and a partner once. */
ff_status ff_model_note_unpaired(ff_topology *topology, const char *a, const char *b);

/* Contacts that have fields, and so columns in traces. */
static inline size_t ff_model_contacts_listed(const ff_model *model) {
    return model->contact_count <= FF_CONTACTS_LISTED ? model->contact_count : 0;
}

/* How many pairs of things may touch, and whether they are to be a crowd; 0 where the scene is wrong. */
double ff_model_pairs(const ff_scene *scene, bool *crowd);

/* The velocity of a plane's surface: its own, and that of its skin, which moves in the plane. */
void ff_plane_skin(const ff_plane_def *plane, double out[3]);

/* ---- controllers (controls.c) ---- */

/* Binds what the scene has of them to the model, once its contacts have names. */
ff_status ff_controls_make(ff_model *model, const ff_scene *scene, ff_error *error);
void ff_controls_clear(ff_controls *controls);
/* The samples of controllers: those of the program, then those in C that are sampled. */
double ff_controls_every(const ff_controls *controls, size_t sampler, size_t *own);

/* ---- making a model (topology.c): its topology, and its block with the definitions ---- */

ff_status ff_topology_make(const ff_scene *scene, ff_model **out, ff_error *error);
/* Frees what only bodies are derived by: those of a crowd never are again. */
void ff_topology_forget_bodies(ff_topology *topology);
/* A model with numbers of its own and the topology of another, which must outlive it; NULL where memory ends. `into` is
 * such a copy whose memory is used, or NULL. */
ff_model *ff_model_copy(const ff_model *model, ff_model *into);
/* FF_BAD_VALUE, with the reason, unless two models have the same topology and layout. */
ff_status ff_model_compare(const ff_model *a, const ff_model *b, ff_error *error);

/* Why a scene cannot be a crowd, or NULL. */
const char *ff_crowd_obstacle(const ff_scene *scene);
/* Kinds of bodies that do not meet each other, or a wall. */
ff_status ff_crowd_note_strangers(ff_topology *topology, const ff_scene *scene,
                                  const ff_kinds *kinds);

/* ---- numbers, from the definitions of the model ---- */

/* Everything but where joints put bodies and what scales follow from that. `scene` has the bodies and shapes; NULL: all
 * that depends on them stays as it is. */
ff_status ff_model_derive_parts(ff_model *model, const ff_scene *scene, ff_error *error);
ff_status ff_joints_derive(ff_model *model, ff_error *error);
/* What acts along the coordinates of joints alone. */
void ff_joints_derive_efforts(ff_model *model);
ff_status ff_crowd_derive(ff_model *model, const ff_scene *scene, ff_error *error);
/* The slot of a contact of a model, from the definitions, but for its place in y. */
void ff_model_slot(const ff_model *model, size_t contact, ff_slot *out);
/* The contact of two shapes, or of a shape and a plane, of an open model; SIZE_MAX where there is none. */
size_t ff_model_contact_of(const ff_model *model, size_t shape, size_t other);
size_t ff_model_contact_on(const ff_model *model, size_t shape, size_t plane);
/* Where slots and accounts are in y, after bodies and joints. */
void ff_model_lay_out_slots(ff_model *model);
/* Which components are velocities, which of them moves a position, and which act on nothing but themselves. */
void ff_model_mark_states(ff_model *model);
/* The sizes of everything, from where its bodies start. */
void ff_model_scale(ff_model *model);
/* All of it, in this order (dynamics/assembly.c). */
ff_status ff_model_derive(ff_model *model, const ff_scene *scene, ff_error *error);

/* The sizes of the motions of all bodies, from how they move now. */
void ff_scales_bodies(const ff_model *model, const double *bodies, ff_extent *out);
/* The scales of all components of y that follow from these; returns that of accounts. */
double ff_scales_fill(const ff_model *model, const ff_extent *extents, double *out);
