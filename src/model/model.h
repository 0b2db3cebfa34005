/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* A compiled scene: immutable and shared by threads. It has three parts:
 *
 * topology what touches what by which laws, which joint connects which bodies, names, tables: constant numbers the scene's
 * definitions and everything derived from them, in one block of memory without pointers into
 *              itself: copying a model means copying this struct and the block, and setting new pointers into it
 * layout where everything is in the vector y that is integrated
 *
 * ff_model_derive() computes everything else in the block from the definitions, so that a model with changed definitions
 * equals, bit for bit, the one that a scene with these definitions compiles to. The layout of y:
 *
 * bodies 13 each: position 3, quaternion 4, velocity 3, omega 3; in an articulated model the coordinates of
 *              its joint and their speeds instead
 * joints 1 for each coordinate whose friction has an inner state control states of controllers contacts for each: inner
 * states of its normal law, of its laws of friction, rolling and twist, and the depth of a stateful ground accounts integrals of each contact,
 * then of the run, as far as they can be nonzero; no rate depends on them */

#include "kinds.h"
#include "law/kernels.h"
#include "law/sizes.h"
#include <footfall/field.h>

enum { FF_BODY_STRIDE = 13 };
enum { FF_P = 0, FF_Q = 3, FF_VEL = 7, FF_OMEGA = 10 };

/* Integrals of a contact over the run, J. `graded work` is the energy that friction springs take up at their current level
 * (docs/theory.md, Regrade). */
typedef enum ff_integral {
    FF_NORMAL_DAMPER,
    FF_TANGENTIAL_DAMPER,
    FF_SLIP_LOSS,
    FF_VISCOUS,
    FF_GRADED_WORK,
    FF_PLANE_WORK,
    FF_CONTACT_INTEGRALS
} ff_integral;

/* Integrals of the run: none without forces or joints; FF_CONSTRAINT_WORK only with joints. */
enum { FF_DAMPER_WORK, FF_APPLIED_WORK, FF_CONSTRAINT_WORK, FF_RUN_INTEGRALS };

typedef struct ff_model_body {
    const char *name;
    double mass, per_mass;
    bool round; /* three equal moments of inertia */
    /* round, with all spheres at its centre of mass: nothing depends on its orientation */
    bool free_turning;
    double inertia[3][3]; /* body axes */
    double centre[3];     /* centre of mass in the frame of its shapes; 0 if inertia was given */
    double per_inertia[3][3];
    unsigned locked;
    bool moves; /* it can move: neither locked in all directions nor welded to the world */
    double start[FF_BODY_STRIDE];
} ff_model_body;

/* Scales of a body's motion: m/s, m, rad/s. */
typedef struct ff_extent {
    double speed, length, turning;
} ff_extent;

/* ---- joints ---- */

/* Most constraint rows of a joint: 3 for coinciding anchors, 3 for directions. */
enum { FF_ROWS = 6 };

/* Efforts along one coordinate of a joint. */
typedef struct ff_effort {
    bool works; /* any effort is nonzero */
    double stiffness, rest, damping, lower, upper, limit_stiffness, limit_damping, load;
    ff_normal limit; /* law of the stops; its law NULL: limit_stiffness and limit_damping */
    ff_friction friction;
    bool has_friction;
    bool reacts;    /* friction depends on the joint's own reaction instead of `load` */
    double bearing; /* bearing radius of a rotation, m */
    double apart;   /* distance of two bearings of a translation, or 0, m */
    ff_friction_flat rub;
    int bristle; /* position in y of the inner state of its friction, or -1 */
} ff_effort;

/* A joint between its first and second body. Its constraint rows are
 *    3 rows: the anchors coincide; or rows without displacement along `slide`, directions of the first body;
 *    `across` of the second body is perpendicular to `square` of the first;
 *    the displacement along the axis is proportional to the angle about it;
 *    the rate of one coordinate is proportional to that of another (gear);
 *    a coordinate equals its prescribed motion. */
typedef struct ff_joint {
    const char *name;
    ff_joint_kind kind;
    int first, second;                  /* first -1: the world */
    double anchor[3], second_anchor[3]; /* body axes */
    double axis[3], second_axis[3];     /* unit vectors, of the first and of the second body */
    double ways[2][3];                  /* planar: directions of the first body */
    double turn[4];
    double start[FF_JOINT_COORDINATES], rate[FF_JOINT_COORDINATES];
    bool placed; /* start and rate determine how the second body starts */
    bool meets;
    bool threads; /* screw: displacement along the axis is `pitch` times the angle */
    double pitch; /* m/rad */
    /* gear: the coupled joints and coordinates, and the first and second body of each joint */
    int geared[2], geared_coordinates[2], bodies[2][2];
    double ratio;
    int slides, squares, rows;
    int drives; /* number of coordinates with prescribed motion: each has a row, after the others */
    const ff_joint_motion *law[FF_JOINT_COORDINATES]; /* NULL: not prescribed */
    double slide[2][3], square[3][3], across[3][3];
    size_t row_at;   /* position of its rows among those of all joints */
    bool loop;       /* closes a loop of joints */
    int coordinates; /* number of coordinates that can be queried and that efforts can act along */
    bool works;      /* an effort acts along one of them, or on the rotation of a spherical joint */
    ff_effort along[FF_JOINT_COORDINATES]; /* spherical: the first one, for all directions */
} ff_joint;

/* A body in the tree of joints and its connection to its parent. The joint's coordinates are those of the user, even if the
 * tree goes from its second body to its first: then axes are reversed, and those of a universal joint are exchanged. */
typedef struct ff_link {
    int parent; /* -1: the world */
    int joint;  /* -1: none, the body moves freely */
    ff_joint_kind kind;
    bool reversed;
    unsigned driven;  /* bit c: coordinate c has a prescribed motion */
    double anchor[3]; /* on the parent, body axes, or on the world */
    double offset[4]; /* from the parent's own anchor to `anchor`, body axes; padded with 0 */
    double com[4];    /* from the body's anchor to its centre of mass, body axes; padded with 0 */
    double axis[4];   /* unit vector, body axes; padded with 0 */
    double parent_axis[3]; /* universal: axis of the parent */
    double ways[2][3];     /* planar: directions of the parent */
    double pitch;          /* screw: displacement along the axis per angle */
    double turn[4];        /* orientation in axes of the parent where coordinates are 0 */
    double swing[4];  /* turn times axis: turn cos(q/2) + swing sin(q/2) is the orientation at q */
    double weight[8]; /* inertia about the anchor, body axes: xx, xy, xz, yy, yz, zz; mass; 0 */
    size_t at;        /* position in y: coordinates, then speeds */
    int coordinates, speeds;
    size_t speed_at; /* position of its speeds among those of all links */
} ff_link;

/* The tree: bodies in an order in which parents come first, and joints that close loops. */
typedef struct ff_joint_tree {
    ff_link *links; /* by body */
    int *order;
    int *loops; /* joints that close loops */
    size_t loop_count, loop_rows, speeds;
    bool articulated;
    bool driven; /* some coordinates have a prescribed motion */
    bool reacts; /* friction of some joints depends on their reactions */
    bool balls;  /* an effort acts on the rotation of a spherical joint */
    bool locks;  /* a body without joints has locked degrees of freedom */
    ff_assembly assembly;
    double condition; /* smallest over largest eigenvalue of the loop rows at the start */
} ff_joint_tree;

/* A slot: two things that may touch. The first is a sphere of a body, the second a sphere of another body or a plane. */
typedef struct ff_slot {
    /* Used in every evaluation and kept together for the cache. */
    int body, other; /* other -1: a plane */
    bool slides;     /* has friction */
    bool kinked;     /* steps end where zdot = 0, at a kink of its normal law */
    bool filtered;   /* its normal law defines where contact begins and ends */
    bool rests;      /* the states of its normal law evolve without contact */
    bool turns;      /* friction, rolling or twist has a moment */
    bool resists;    /* has a law of rolling or twist */
    bool lifts;      /* friction or rolling adds to the normal force */
    bool graded;     /* the level of the friction springs changes */
    bool centred;    /* all its spheres are at the centres of mass of their bodies */
    bool gated;      /* no contact while its body turns about `gate` */
    bool stateful;   /* the ground has a state of its own; its depth is the last of the states */
    int states;
    size_t state_at; /* position in y */
    size_t integral_at;
    int integral[FF_CONTACT_INTEGRALS]; /* relative to state_at; -1: always 0 */
    ff_pair_point both;                 /* evaluates both laws at once */
    double center[3], radius;           /* body axes */
    /* Position of the common contact point of two spheres: R/r_a. For a plane, 1 if the lever is r - z, otherwise 0. */
    double share;
    double other_center[3], other_radius; /* sphere of the other body */
    double normal[3], skin[3];            /* of the plane; skin: velocity of its surface */
    double level, rise;                   /* z = level + rise t - normal.(centre of the sphere) */
    const ff_plane_motion *motion;        /* prescribed motion of the plane; NULL: none */
    ff_normal law;
    ff_friction friction;
    /* used less often */
    const char *name; /* "ball/floor" */
    int pair;         /* index of its pair in the scene */
    int clock;        /* t - t0 = sigma^clock makes touch-down smooth */
    double extent;    /* upper bound of the constants in z */
    double gate[3];
    ff_friction rolling, twist; /* law NULL: none; their states are after those of friction */
    ff_arm arm;
    double arm_length;
} ff_slot;

/* Whether two slots have the same inner states, accounts and root functions of their normal law, as a run that changes numbers
 * requires. */
bool ff_slot_same_layout(const ff_slot *a, const ff_slot *b);

/* ---- crowds: scenes with more pairs than can have slots of their own ---- */

/* A pair of the scene, with the laws of all its contacts. */
typedef struct ff_class {
    const char *name;
    ff_normal law;
    ff_friction friction;
    bool slides;
    bool graded;  /* the level of the friction springs changes */
    bool meets;   /* two bodies can meet under it */
    double reach; /* distance beyond z = 0 at which a contact that was made breaks, m (adhesion) */
} ff_class;

typedef struct ff_wall {
    double normal[3], level, rise, skin[3]; /* as in ff_slot, with level excluding the radius */
} ff_wall;

/* Spheres and planes: each body is one sphere. */
typedef struct ff_crowd_model {
    int *kind; /* kind of each body */
    double *radius;
    double *push; /* constant applied force, 3 numbers for each body */
    ff_wall *walls;
    ff_class *classes;
    int *pair_class; /* kind by kind matrix: the class of their contacts, negative for none */
    int *wall_class; /* kind by wall matrix */
    size_t kind_count, wall_count, class_count;
} ff_crowd_model;

/* ---- topology ---- */

/* The definitions from which a slot is made: a sphere, and another sphere or a plane; the unused index is -1. */
typedef struct ff_slot_source {
    int shape, other, plane, pair;
} ff_slot_source;

/* The kind of shape in a scene file. */
typedef enum ff_shape_word {
    FF_SHAPE_SPHERE,
    FF_SHAPE_LISTED, /* one of `spheres` */
    FF_SHAPE_BOX,    /* the first corner represents the box */
    FF_SHAPE_CORNER, /* the other corners of a box */
    FF_SHAPE_POINT
} ff_shape_word;

/* Controllers and expressions of a run. States are those of the program, then of each continuous controller in C; memories
 * are those of the program, then states and commands of each sampled one. */
typedef struct ff_controls {
    ff_control *program; /* NULL: none */
    ff_control *laws;    /* prescribed motions of definitions made by function calls; NULL: none */
    ff_controller_def *own; /* controllers in C */
    size_t own_count;
    size_t *own_at;   /* position of the first state or memory of each */
    size_t *contacts; /* contacts of the model for the program's list */
    size_t states, memories, samplers;
    bool acts;        /* something acts continuously */
    bool differences; /* without analytic derivatives: contacts are read, or it is in C */
    bool timed;
} ff_controls;

enum { FF_APART_MOST = 100 };

/* Constant part of a model; shared by all its copies. */
typedef struct ff_topology {
    char *names;    /* all names, one after the other */
    double *tables; /* points of table forces: times, then factors */
    ff_slot_source *sources;
    size_t *shapes, *first; /* shapes by body; those of body i start at first[i] */
    bool *held;             /* bodies held by a spring or a joint */
    int *placer;            /* for each body: the joint that determines its start, or -1 */
    ff_shape_word *words;   /* of each shape */
    bool *belt; /* planes whose surface moves: their contacts have an account for its work */
    /* the first field of each thing that has numbers (numbers.c), and their end */
    size_t *field_at;
    char **unpaired; /* names of things that no pair names, the first hundred */
    size_t unpaired_count;
    ff_slot_source apart[FF_APART_MOST]; /* the first of them, shape by shape (not for crowds) */
    size_t apart_count;
    /* For an open model: the first source of each shape, and the end of the last; the name of each contact; and which kinds
     * of shapes and planes meet by which pair. */
    size_t *row_at;
    const char **contact_names;
    const char *(*joint_owners)[FF_JOINT_COORDINATES]; /* of events of each joint, by coordinate */
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
    /* pairs that may touch: equal to the number of slots, unless the model is open */
    size_t contact_count;
    /* position of each body in y; of its joint's coordinates in an articulated model */
    size_t *body_at;
    size_t joint_rows, bristles;
    size_t states, size; /* size of y: states, and total */
    size_t active;       /* states that affect something */
    size_t control_at, slot_at, integral_at,
        /* positions in y: states of controllers and of all slots, their accounts, accounts of the run */
        run_at;
    ff_extent *extents; /* scales of each body at the start */
    double *scales;     /* scale of every component of y at the start, for absolute tolerances */
    double energy;      /* energy scale of the accounts, J */
    bool *first;        /* velocities, which a semi-implicit step advances first */
    int *speed;         /* for a position, the index of its velocity; otherwise -1 */
    bool *inert;        /* components that affect only themselves */
    bool graded,
        turns; /* whether any slot is graded; has a moment, or too many states for a matrix */
    ff_run_options run;
    ff_crowd_model *crowd; /* NULL: slots */
    /* For a model that is not a scene: how it is run (sim/sim.h), its fields (fields.h), its data, and the function that
     * frees them. */
    const struct ff_sim_kind *kind;
    const struct ff_field_source *fields;
    void *source;
    void (*free_source)(void *source);

    /* The definitions: lists in the block, names in the topology. A crowd keeps no definitions of bodies and shapes. */
    ff_scene defs;
    ff_topology *topology;
    ff_joint_tree own_tree; /* storage for `tree` and `crowd` */
    ff_crowd_model own_crowd;
    double *starts; /* start motions of the bodies, contiguous */
    size_t room;    /* most numbers that y can have, for any laws */
    char *block;
    size_t block_size;
    bool derived; /* everything was derived before: the layout must not change */
    /* There are too many pairs for one slot each: the model has none, and a run has slots for near pairs (sim/near.c) */
    bool open;
    ff_slot *prototypes; /* open model: the layout of the slots of each pair of the scene */
    bool copy;           /* the topology belongs to another model */
};

/* The motion of a body in an array of FF_BODY_STRIDE numbers per body, such as y itself if it begins so. */
static inline const double *ff_body_state(const double *bodies, int body) {
    return bodies + (size_t)body * FF_BODY_STRIDE;
}

/* Offsets of the inner states of a slot: of its normal law, of its friction law, and the depth of its ground. */
static inline int ff_slot_u(const ff_slot *slot) { return slot->law.states; }
static inline int ff_slot_ground(const ff_slot *slot) { return slot->states - 1; }
static inline int ff_slot_rolling(const ff_slot *slot) {
    return slot->law.states + ff_friction_states(&slot->friction);
}
static inline int ff_slot_twist(const ff_slot *slot) {
    return ff_slot_rolling(slot) + ff_friction_states(&slot->rolling);
}
/* How many there are of friction, rolling and twist. */
static inline int ff_slot_u_states(const ff_slot *slot) {
    return ff_slot_twist(slot) + ff_friction_states(&slot->twist) - slot->law.states;
}

/* Whether its derivatives are differences of all that it does: where it answers with a moment, and where it has more states than
 * this, whose matrix (here 2 MB) would be too large for the stack. */
#define FF_SLOT_DENSE 360
static inline bool ff_slot_by_differences(const ff_slot *slot) {
    return slot->turns || slot->states > FF_SLOT_DENSE;
}
/* Whether its friction can be folded in matrices (ff_friction_law.fold). On another body u also rotates with the pair, so the
 * rates of its vectors differ. */
static inline bool ff_slot_folds(const ff_slot *slot) {
    return slot->slides && slot->friction.law->fold && slot->friction.vectors > 1 &&
           slot->other < 0 && !slot->stateful && !slot->resists && !ff_slot_by_differences(slot);
}
/* An account of a slot, from the integrals in y. */
static inline double ff_slot_integral(const ff_slot *slot, const double *y, ff_integral which) {
    return slot->integral[which] < 0 ? 0 : y[slot->integral_at + (size_t)slot->integral[which]];
}

/* An account of the run. */
static inline double ff_run_integral(const ff_model *model, const double *y, int which) {
    size_t at = model->run_at + (size_t)which;
    return at < model->size ? y[at] : 0;
}

/* Whether y holds joint coordinates instead of the motions of bodies. */
static inline bool ff_articulated(const ff_model *model) {
    return model->tree && model->tree->articulated;
}

/* Whether the orientation of a body is not integrated: nothing depends on it, and it is updated after each step. */
static inline bool ff_turns_apart(const ff_model *model, size_t body) {
    return model->bodies[body].free_turning && !model->tree;
}

/* With more pairs, contacts are found during a run: by a crowd if the method allows it, or as near pairs if events are
 * located. With fewer, a slot for every pair is cheaper than the search. */
enum { FF_SLOTS_USUAL = 100 };

/* Records two things without a pair, once for each body and partner; `check` lists them. */
ff_status ff_model_note_unpaired(ff_topology *topology, const char *a, const char *b);

/* Number of contacts that have fields, and so columns in traces. */
static inline size_t ff_model_contacts_listed(const ff_model *model) {
    return model->contact_count <= FF_CONTACTS_LISTED ? model->contact_count : 0;
}

/* Number of pairs of things that may touch, and whether they should be a crowd; 0 if the scene is invalid. */
double ff_model_pairs(const ff_scene *scene, bool *crowd);

/* The velocity of a plane's surface: that of the plane, plus its surface velocity within the plane. */
void ff_plane_skin(const ff_plane_def *plane, double out[3]);

/* ---- controllers (controls.c) ---- */

/* Compiles the prescribed motions that definitions have as text; NULL if there are none (laws.c). */
ff_status ff_laws_make(const ff_scene *scene, ff_control **out, ff_error *error);
/* The prescribed motion of a plane, or of a coordinate of a joint; NULL: none. */
const ff_plane_motion *ff_laws_of_plane(const ff_controls *controls, size_t plane);
const ff_joint_motion *ff_laws_of_joint(const ff_controls *controls, size_t joint, int coordinate);
/* Connects the scene's controllers to the model, once its contacts have names. */
ff_status ff_controls_make(ff_model *model, const ff_scene *scene, ff_error *error);
void ff_controls_clear(ff_controls *controls);
/* Sampling periods: those of the program, then of sampled controllers in C. */
double ff_controls_every(const ff_controls *controls, size_t sampler, size_t *own);

/* ---- making a model (topology.c): its topology, and its block with the definitions ---- */

ff_status ff_topology_make(const ff_scene *scene, ff_model **out, ff_error *error);
/* Frees data that only the derivation of bodies needs; bodies of a crowd are derived once. */
void ff_topology_forget_bodies(ff_topology *topology);
/* A model with its own numbers and the topology of another, which must outlive it; NULL if out of memory. `into`: such a
 * copy whose memory is reused, or NULL. */
ff_model *ff_model_copy(const ff_model *model, ff_model *into);
/* FF_BAD_VALUE, with the reason, unless two models have the same topology and layout. */
ff_status ff_model_compare(const ff_model *a, const ff_model *b, ff_error *error);

/* Why a scene cannot be a crowd, or NULL. */
const char *ff_crowd_obstacle(const ff_scene *scene);
/* Records kinds of bodies that do not meet each other, or a wall. */
ff_status ff_crowd_note_strangers(ff_topology *topology, const ff_scene *scene,
                                  const ff_kinds *kinds);

/* ---- numbers, from the definitions of the model ---- */

/* Derives everything except the positions that joints determine and the scales that follow. `scene` has the bodies and
 * shapes; NULL: everything that depends on them is unchanged. */
ff_status ff_model_derive_parts(ff_model *model, const ff_scene *scene, ff_error *error);
ff_status ff_joints_derive(ff_model *model, ff_error *error);
/* Converts {x, x', x''} of the components of a rotation vector to {x, angular velocity, its rate}. */
void ff_joint_turn_law(double law[3][3]);
/* Derives only the efforts of joints. */
void ff_joints_derive_efforts(ff_model *model);
ff_status ff_crowd_derive(ff_model *model, const ff_scene *scene, ff_error *error);
/* The slot of a contact, from the definitions, except for its position in y. */
void ff_model_slot(const ff_model *model, size_t contact, ff_slot *out);
/* The contact of two shapes, or of a shape and a plane, in an open model; SIZE_MAX if there is none. */
size_t ff_model_contact_of(const ff_model *model, size_t shape, size_t other);
size_t ff_model_contact_on(const ff_model *model, size_t shape, size_t plane);
/* Positions of slots and accounts in y, after bodies and joints. */
void ff_model_lay_out_slots(ff_model *model);
/* Marks velocities, the velocity of each position, and components that affect only themselves. */
void ff_model_mark_states(ff_model *model);
/* Computes all scales from the start motions. */
void ff_model_scale(ff_model *model);
/* All of these, in this order (dynamics/assembly.c). */
ff_status ff_model_derive(ff_model *model, const ff_scene *scene, ff_error *error);

/* The scales of the motions of all bodies, from their motion at time t. */
void ff_scales_bodies(const ff_model *model, double t, const double *bodies, ff_extent *out);
/* The resulting scales of all components of y; returns that of accounts. */
double ff_scales_fill(const ff_model *model, const ff_extent *extents, double *out);
