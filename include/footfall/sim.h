/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* Simulation: a compiled model, and sims that run it.
 *
 *     ff_model *model;
 *     ff_sim *sim;
 *     ff_model_create(scene, &model, &error);
 *     ff_sim_create(model, NULL, &sim, &error);
 *     while (ff_sim_advance(sim, until) == FF_EVENT) { ... }
 *
 * A model is immutable and can be shared by threads; a sim belongs to one thread at a time and must be freed before its
 * model. An index out of range is not an error: names are NULL, facts and records are 0 with orientation (1, 0, 0, 0) and
 * body -1. */

#include <footfall/scene.h>

FF_C_BEGIN

typedef struct ff_model ff_model;
typedef struct ff_sim ff_sim;

/* Compiles a scene, which may be freed afterwards. FF_BAD_VALUE or FF_MISSING if the scene is invalid or its joints cannot be
 * satisfied; `error` (may be NULL) says what is wrong. */
FF_API ff_status ff_model_create(const ff_scene *scene, ff_model **out, ff_error *error);
/* Frees a model; NULL is allowed. */
FF_API void ff_model_free(ff_model *model);

/* Estimate of the memory that a run of this scene needs, in bytes, within a factor of 2: scene, model and sim. Many bodies,
 * many pairs, and the matrices of implicit methods dominate. */
FF_API double ff_scene_memory(const ff_scene *scene);

/* The run options of the scene. */
FF_API const ff_run_options *ff_model_run(const ff_model *model);

/* Bodies in scene order, and contacts: one for each pair of shapes that may touch, named as in "ball/floor". */
FF_API size_t ff_model_body_count(const ff_model *model);
FF_API const char *ff_model_body_name(const ff_model *model, size_t body);
FF_API size_t ff_model_contact_count(const ff_model *model);
FF_API const char *ff_model_contact_name(const ff_model *model, size_t contact);

/* Pairs of things that could meet but are named by no pair of the scene, as in "ball/floor". They pass through each other. */
FF_API size_t ff_model_unpaired_count(const ff_model *model);
FF_API const char *ff_model_unpaired_name(const ff_model *model, size_t i);

/* Constant properties of bodies and contacts. Pointers are valid as long as the model. */
typedef struct ff_body_facts {
    double mass;
    double inertia[3],
        /* kg m^2, body axes: elements xx, yy, zz and xy, xz, yz of the inertia matrix */
        products[3];
    double center[3]; /* centre of mass in the frame in which shapes and anchors were given, m */
    /* absolute tolerances are tol times these scales, m and m/s */
    double length_scale, speed_scale;
} ff_body_facts;

typedef struct ff_contact_facts {
    const ff_normal *normal;
    const ff_friction *friction;
    double mass, speed; /* reduced mass (kg) and speed (m/s) of a typical impact */
    /* no contact while rotating about this axis; NULL: no such axis */
    const double *ignored_while_turning;
    const struct ff_material *materials[2]; /* materials of the two bodies; NULL: not given */
    const ff_friction *rolling, *twist;     /* NULL: none */
    ff_arm arm;                             /* of twist */
    double arm_length;                      /* for FF_ARM_LENGTH, m */
} ff_contact_facts;

/* Properties of a body, and of a contact. */
FF_API ff_body_facts ff_model_body_facts(const ff_model *model, size_t body);
FF_API ff_contact_facts ff_model_contact_facts(const ff_model *model, size_t contact);

/* A sphere of a body. Each corner of a box counts as one sphere. */
typedef struct ff_shape_facts {
    const char *name; /* "corner0"; NULL: the body's only shape */
    int body;         /* index of the body; -1: there is no such shape */
    double center[3]; /* body axes, relative to the centre of mass, m */
    double radius;    /* m */
} ff_shape_facts;

/* Shapes and planes, in scene order. */
FF_API size_t ff_model_shape_count(const ff_model *model);
FF_API ff_shape_facts ff_model_shape(const ff_model *model, size_t shape);
FF_API size_t ff_model_plane_count(const ff_model *model);
FF_API ff_plane_def ff_model_plane(const ff_model *model, size_t plane);

/* Contact classes of a crowd. A scene with too many pairs for individual contacts is run as a crowd; its contacts are known
 * only by the pair of the scene that they belong to, the class. Other scenes have no classes. The facts of a class describe
 * its shortest impact: lightest bodies, highest speed. */
FF_API size_t ff_model_class_count(const ff_model *model);
FF_API const char *ff_model_class_name(const ff_model *model, size_t index);
FF_API ff_contact_facts ff_model_class_facts(const ff_model *model, size_t index);

/* Joints, in scene order. */
FF_API size_t ff_model_joint_count(const ff_model *model);
FF_API const char *ff_model_joint_name(const ff_model *model, size_t joint);

typedef struct ff_joint_facts {
    ff_joint_kind kind;
    int first, second; /* indices of bodies; first = -1: the world */
    int coordinates;   /* number of coordinates that can be queried: 0 to FF_JOINT_COORDINATES */
    /* body axes relative to the centre of mass, or world axes */
    double anchor[3], second_anchor[3];
    bool loop; /* the joint closes a loop: enforced by multipliers in every formulation */
} ff_joint_facts;

/* Properties of a joint. */
FF_API ff_joint_facts ff_model_joint_facts(const ff_model *model, size_t joint);

/* Correction of the start state so that it satisfies the joints: the largest over all bodies. */
typedef struct ff_assembly {
    double moved, turned;   /* m, rad */
    double velocity, omega; /* m/s, rad/s */
    size_t freedoms;        /* degrees of freedom */
    /* number of constraint rows, and how many of them are redundant */
    size_t constraints, redundant;
} ff_assembly;

/* How the start state of a model was corrected. */
FF_API ff_assembly ff_model_assembly(const ff_model *model);

/* Energy accounts of a run or of one contact, J. The accounts sum to `initial`, up to `residual`, the energy that is not
 * accounted for. Compare `residual` with `scale`, the largest sum of magnitudes of the accounts in the run. */
/* clang-format off */
#define FF_LEDGER_LIST(X) \
    X(kinetic) X(gravity) X(springs) X(dampers) X(normal_spring) X(normal_damper) \
    X(tangential_spring) X(tangential_damper) X(slip) X(viscous) X(regrade) X(created) X(release) \
    X(external) X(constraint)
/* clang-format on */

typedef struct ff_ledger {
#define FF_LEDGER_FIELD(name) double name;
    FF_LEDGER_LIST(FF_LEDGER_FIELD)
#undef FF_LEDGER_FIELD
    double initial, scale, residual;
} ff_ledger;

/* What an event belongs to: the name of a contact; of a joint (rail), or of one of its coordinates if it has several
 * (post.angle); of a dio or sgn of an inclusion; NULL for FF_SWITCH and FF_USER. Valid as long as the model. */
FF_API const char *ff_model_event_owner(const ff_model *model, const ff_event *event);
/* The name that a scene file gives to the event function of an FF_USER event; NULL for other events and unnamed functions. */
FF_API const char *ff_model_event_name(const ff_model *model, const ff_event *event);

/* State of one contact at one instant. */
typedef struct ff_contact_record {
    bool touching;
    double depth, rate; /* m, m/s */
    /* contact point, m; unit normal, from the second thing to the first */
    double point[3], normal[3];
    double elastic, viscous; /* elastic and viscous part of the normal force, N */
    double force[3];         /* total force (normal and friction) on the first thing, N */
    double slip[3];          /* relative tangential velocity at the contact point, m/s */
    double u[3];             /* tangential deflection, m; 0 for laws without inner state */
    bool slips;
    double torque[3]; /* moment of rolling and twist on the first thing, N m */
} ff_contact_record;

/* Summary of the impacts of a contact so far. Peaks are found within steps by interpolation; with fixed steps, only the
 * ends of steps are examined. */
typedef struct ff_impacts {
    /* number of touch-downs; excludes touch-downs with z > 0 and contacts that exist at the start */
    size_t count;
    double force, depth; /* largest normal force (N) and depth (m) */
    double contact_time; /* time during which a force acted, s */
    /* distance slid at the contact point, m, to the tolerance of positions; for laws with stick and slip events, only
     * while slipping */
    double slip_distance;
} ff_impacts;

/* One impact: from touch-down to the last time at which its force ends. */
typedef struct ff_impact_record {
    double time;  /* time of touch-down, s */
    double speed; /* approach speed, m/s */
    /* separation speed where the force ended, divided by the approach speed; NAN: not ended yet */
    double restitution;
    double contact_time; /* time during which the force acted, s */
    int contact;
} ff_impact_record;

/* Number of impacts that a run records individually; later impacts are only counted. */
enum { FF_IMPACTS_KEPT = 1000 };

/* Creates a sim in the start state of the scene, at time 0. Options NULL: the run options of the scene. FF_BAD_VALUE if
 * options contradict the model: another formulation, adaptive steps of a crowd, located events with a stateful ground.
 * FF_UNREACHABLE if the scene starts at rest and no equilibrium was found. `error` (may be NULL) says why. */
FF_API ff_status ff_sim_create(const ff_model *model, const ff_run_options *options, ff_sim **out,
                               ff_error *error);
/* Frees a sim; NULL is allowed. */
FF_API void ff_sim_free(ff_sim *sim);

/* Result of the equilibrium search of a scene with FF_START_REST. */
typedef struct ff_rest {
    bool found;          /* false: the scene does not start at rest, and all other members are 0 */
    long iterations;     /* Newton steps */
    double acceleration; /* largest remaining acceleration, m/s^2 or rad/s^2 */
    double moved;   /* largest displacement of a centre of mass by the search, m; of body `body` */
    double turned;  /* largest rotation of a body by the search, rad */
    double dropped; /* largest initial velocity of the scene, which was set to 0, m/s */
    int body;
    size_t carrying; /* number of contacts that carry load */
    /* growth rate of small disturbances if the equilibrium is unstable, 1/s; otherwise 0 */
    double growth;
} ff_rest;

/* The equilibrium that the sim started from. */
FF_API ff_rest ff_sim_rest(const ff_sim *sim);
/* Whether a contact carries load in that equilibrium. */
FF_API bool ff_sim_rest_carries(const ff_sim *sim, size_t contact);

/* Advances to the time `until` (s). FF_OK: `until` was reached; FF_EVENT: stopped at an event before it, which
 * ff_sim_event() returns. On failure (negative status) the sim stays at the last accepted step; a crowd that fails with
 * FF_NOT_FINITE keeps the failed state. */
FF_API ff_status ff_sim_advance(ff_sim *sim, double until);
/* The last event; all members are 0 before the first one. Never NULL. */
FF_API const ff_event *ff_sim_event(const ff_sim *sim);

/* One sentence about the last failure if there is more to say than its status; otherwise "". */
FF_API const char *ff_sim_error(const ff_sim *sim);

/* Checks whether the results so far can be trusted; call it at the end of a run. It changes no result. FF_NOT_FINITE: a
 * state, joint or account is not finite. FF_NOT_CLOSED: the residual of the ledger at some time of the run exceeded max(1e-6, 1e3
 * tol) of its scale (1e-2 with fixed steps or without located events) by more than absolute tolerances and rounding explain
 * (docs/theory.md, The ledger). FF_NOT_HELD: joints were violated: ff_sim_constraint_part() exceeds max(1e-6, 1e3 tol), at most
 * 1e-2 (1e-2 with fixed steps, without located events and for penalty), or a violation exceeds 1e-2 of the size of the
 * mechanism. ff_sim_error() then says how large the residual is, which contact or account contributes most, and when it
 * grew. */
FF_API ff_status ff_sim_verdict(ff_sim *sim);

/* Like ff_sim_advance(), but makes a single step. */
FF_API ff_status ff_sim_step(ff_sim *sim, double until);

/* Installs a function that can interrupt a step. It is called by the stepping thread about every 30 evaluations of the
 * rates. If it returns true, the step is discarded and ff_sim_advance() and ff_sim_step() return FF_STOPPED; the sim can
 * continue afterwards. Steps of a crowd are not interrupted. NULL removes the function. */
FF_API void ff_sim_watch(ff_sim *sim, bool (*wanted)(void *user), void *user);

/* Makes the query functions below answer for `time` within the last step, by interpolation, until the next step. A time
 * outside the last step restores the sim's own time. Changes no result. */
FF_API void ff_sim_observe(ff_sim *sim, double time);

/* Saves and restores the complete state of a sim as a block of bytes without pointers, valid for this build of the library.
 * A sim of the same model and options continues from it bit for bit. ff_sim_restore() returns FF_BAD_VALUE if no such sim
 * can have saved the block, or FF_NO_MEMORY, and then leaves the sim unchanged. The size changes between steps for crowds
 * and for scenes with more than 100 pairs. */
FF_API size_t ff_sim_state_size(const ff_sim *sim);
FF_API void ff_sim_save(ff_sim *sim, void *state);
FF_API ff_status ff_sim_restore(ff_sim *sim, const void *state, size_t size);

/* Restarts a sim at time 0 with the given motions of all bodies, corrected to satisfy the joints; inner states of contacts
 * are 0. FF_BAD_VALUE for crowds. */
FF_API ff_status ff_sim_begin(ff_sim *sim, const ff_motion *bodies);

/* Time (s), motion of a body, and state of a contact. */
FF_API double ff_sim_time(const ff_sim *sim);
FF_API ff_motion ff_sim_body(const ff_sim *sim, size_t body);
FF_API ff_contact_record ff_sim_contact(const ff_sim *sim, size_t contact);
/* Impacts up to the sim's own time, even while another time is observed. Crowds and inclusions record none. */
FF_API ff_impacts ff_sim_impacts(const ff_sim *sim, size_t contact);
/* Number of impacts of all contacts, and impact i of the first FF_IMPACTS_KEPT in order of time. */
FF_API size_t ff_sim_impact_count(const ff_sim *sim);
FF_API ff_impact_record ff_sim_impact(const ff_sim *sim, size_t i);
/* State of one joint at one instant. */
typedef struct ff_joint_record {
    /* coordinates, rad or m; in maximal coordinates, angles are within half a turn */
    double position[FF_JOINT_COORDINATES];
    double rate[FF_JOINT_COORDINATES];
    /* effort of springs, dampers, limits, friction and actuators along each coordinate, and of a prescribed motion */
    double effort[FF_JOINT_COORDINATES];
    double anchor[3]; /* anchor of the second body, world axes */
    double force[3],
        /* total force (N) and moment (N m) of the joint on the second body at its anchor, world axes */
        moment[3];
} ff_joint_record;

/* State of a joint. */
FF_API ff_joint_record ff_sim_joint(ff_sim *sim, size_t joint);

/* States of all bodies, contacts or joints; writes at most `count` of them and returns how many there are. */
FF_API size_t ff_sim_bodies(const ff_sim *sim, ff_motion *out, size_t count);
FF_API size_t ff_sim_contacts(const ff_sim *sim, ff_contact_record *out, size_t count);
FF_API size_t ff_sim_joints(ff_sim *sim, ff_joint_record *out, size_t count);

/* Largest violation of the constraints over all rows: m or rad, and m/s or rad/s. */
typedef struct ff_violation {
    double position, velocity;
} ff_violation;

/* The violation now. */
FF_API ff_violation ff_sim_violation(ff_sim *sim);
/* The largest violation after any step so far. */
FF_API ff_violation ff_sim_violation_most(const ff_sim *sim);

/* The account `constraint` (work of constraint forces and energy removed by corrections) as a fraction of all energies of
 * the run; >= 0. */
FF_API double ff_sim_constraint_part(ff_sim *sim);

/* Energy accounts of the run, of one contact, and of one contact class of a crowd. */
FF_API ff_ledger ff_sim_ledger(ff_sim *sim);
FF_API ff_ledger ff_sim_contact_ledger(const ff_sim *sim, size_t contact);
FF_API ff_ledger ff_sim_class_ledger(const ff_sim *sim, size_t index);
/* Steps, evaluations and other counts of the run so far. */
FF_API ff_statistics ff_sim_statistics(const ff_sim *sim);

FF_C_END
