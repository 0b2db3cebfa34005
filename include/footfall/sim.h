/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* A simulation: a model, a state, a method.
 *
 *     ff_model *model;
 *     ff_sim *sim;
 *     ff_model_create(scene, &model, &error);
 *     ff_sim_create(model, NULL, &sim, &error);
 *     while (ff_sim_advance(sim, until) == FF_EVENT) { ... }
 *
 * An index out of range is no error: names are NULL, facts and records are 0, with an orientation of (1, 0, 0, 0) and a body
 * of -1. */

#include <footfall/scene.h>

FF_C_BEGIN

typedef struct ff_model ff_model;
typedef struct ff_sim ff_sim;

/* Compiles a scene, which may be freed afterwards. What is wrong with it is in `error`. */
FF_API ff_status ff_model_create(const ff_scene *scene, ff_model **out, ff_error *error);
FF_API void ff_model_free(ff_model *model);

/* About how much memory a run of this scene takes, bytes, with the scene, its model and what it works with; within a
 * factor of 2. Large are many bodies, many pairs that have slots of their own, and the matrices of implicit methods
 * for these. */
FF_API double ff_scene_memory(const ff_scene *scene);

/* The run options of the scene. */
FF_API const ff_run_options *ff_model_run(const ff_model *model);

FF_API size_t ff_model_body_count(const ff_model *model);
FF_API const char *ff_model_body_name(const ff_model *model, size_t body);
FF_API size_t ff_model_contact_count(const ff_model *model);
FF_API const char *ff_model_contact_name(const ff_model *model, size_t contact);

/* Things that could meet but that no pair of the scene names, as "ball/floor": they do not touch. */
FF_API size_t ff_model_unpaired_count(const ff_model *model);
FF_API const char *ff_model_unpaired_name(const ff_model *model, size_t i);

/* Constant properties of a body, and of a contact. Pointers live as long as the model. */
typedef struct ff_body_facts {
    double mass;
    double inertia[3],
        products[3]; /* kg m^2 in body axes: xx, yy, zz and the elements xy, xz, yz of the matrix */
    double center[3]; /* m: of mass, in the frame that shapes and anchors are written in */
    double length_scale, speed_scale; /* m, m/s: absolute tolerances are tol times these */
} ff_body_facts;

typedef struct ff_contact_facts {
    const ff_normal *normal;
    const ff_friction *friction;
    double mass, speed;                  /* of a likely impact: reduced mass, kg, and speed, m/s */
    const double *ignored_while_turning; /* about this axis there is no contact; NULL: always */
    const struct ff_material *materials[2]; /* of the two partners; NULL: not given */
} ff_contact_facts;

FF_API ff_body_facts ff_model_body_facts(const ff_model *model, size_t body);
FF_API ff_contact_facts ff_model_contact_facts(const ff_model *model, size_t contact);

/* Spheres of bodies, each corner of a box for itself, and planes of the ground, by their order in the scene. */
typedef struct ff_shape_facts {
    const char *name; /* "corner0"; NULL: the only shape of its body */
    int body;         /* -1: there is no such shape */
    double center[3]; /* m, body axes, from the centre of mass */
    double radius;    /* m */
} ff_shape_facts;

FF_API size_t ff_model_shape_count(const ff_model *model);
FF_API ff_shape_facts ff_model_shape(const ff_model *model, size_t shape);
FF_API size_t ff_model_plane_count(const ff_model *model);
FF_API ff_plane_def ff_model_plane(const ff_model *model, size_t plane);

/* A crowd: a scene of more pairs than have slots of their own. Its contacts are known by the pairs of the scene
 * only, as classes; there are none where contacts have slots. Facts are of the shortest impact: the lightest
 * bodies at the greatest speed. */
FF_API size_t ff_model_class_count(const ff_model *model);
FF_API const char *ff_model_class_name(const ff_model *model, size_t index);
FF_API ff_contact_facts ff_model_class_facts(const ff_model *model, size_t index);

/* The joints of a model, in the order of the scene. */
FF_API size_t ff_model_joint_count(const ff_model *model);
FF_API const char *ff_model_joint_name(const ff_model *model, size_t joint);

typedef struct ff_joint_facts {
    ff_joint_kind kind;
    int first, second;                  /* bodies; first -1: the world */
    int coordinates;                    /* that can be asked for: 0 to FF_JOINT_COORDINATES */
    double anchor[3], second_anchor[3]; /* body axes from the centre of mass, or the world's */
    bool loop; /* closes a loop: held by multipliers in every formulation */
} ff_joint_facts;

FF_API ff_joint_facts ff_model_joint_facts(const ff_model *model, size_t joint);

/* How the start state was corrected so that it satisfies the joints: the largest correction over all bodies. */
typedef struct ff_assembly {
    double moved, turned;          /* m, rad */
    double velocity, omega;        /* m/s, rad/s */
    size_t freedoms;               /* degrees of freedom */
    size_t constraints, redundant; /* rows of constraints, and how many of them are redundant */
} ff_assembly;

FF_API ff_assembly ff_model_assembly(const ff_model *model);

/* The accounts of a run or of one contact, in joules; they sum to `initial`, what is missing is
 * `residual`. Goals for it are relative to `scale`. */
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

/* What an event is of: the name of a contact, or of a dio or sgn of an inclusion; NULL for switches and functions of the
 * user's own. It lives as long as the model. */
FF_API const char *ff_model_event_owner(const ff_model *model, const ff_event *event);
/* The name that a scene file gives to a function of the user's own; NULL for other events, and functions without one. */
FF_API const char *ff_model_event_name(const ff_model *model, const ff_event *event);

/* One contact at one instant. */
typedef struct ff_contact_record {
    bool touching;
    double depth, rate;         /* m, m/s */
    double point[3], normal[3]; /* the normal points from the second thing to the first */
    double elastic, viscous;    /* parts of the normal force, N */
    double force[3];            /* on the first thing: normal and friction, N */
    double slip[3];             /* velocity of the touching points against each other, m/s */
    double u[3];                /* deflection, m */
    bool slips;
} ff_contact_record;

/* The impacts of a contact up to now. Peaks are found within steps, by their interpolants; with fixed steps they are
 * the greatest at the ends of steps. */
typedef struct ff_impacts {
    size_t
        count; /* touch-downs; none where z > 0 already, and none of contacts that the run starts with */
    double force, depth; /* the greatest: normal force, N, and depth, m */
    double contact_time; /* s during which the force acted */
    double
        slip_distance; /* m that the touching points slid over each other; for laws with the events stick and slip,
                             while slipping */
} ff_impacts;

/* One impact, from touch-down to the last end of its force. */
typedef struct ff_impact_record {
    double time;  /* of touch-down, s */
    double speed; /* of approach, m/s */
    double
        restitution; /* the speed of departure, where the force ended, by that of approach; NAN: not ended yet */
    double contact_time; /* s in which the force acted */
    int contact;
} ff_impact_record;

/* How many impacts of a run are recorded one by one, from the first. */
enum { FF_IMPACTS_KEPT = 1000 };

/* Creates a sim in the scene's start state, at time 0. Options NULL: the options of the scene. Options that
 * contradict the model are refused: the formulation it was made for, fixed steps of a crowd, located events of a
 * ground with a state of its own. FF_UNREACHABLE: it should start at rest, and nothing holds it there. What is wrong is in
 * `error` (may be NULL). */
FF_API ff_status ff_sim_create(const ff_model *model, const ff_run_options *options, ff_sim **out,
                               ff_error *error);
FF_API void ff_sim_free(ff_sim *sim);

/* What the search for the equilibrium found that a run with FF_START_REST starts at. */
typedef struct ff_rest {
    bool found;          /* false: the run starts as written, and all else is 0 */
    long iterations;     /* Newton steps */
    double acceleration; /* the largest that is left, m/s^2 or rad/s^2: rounding */
    double moved;        /* m: how far the centre of mass of `body` was moved, the most of all */
    double turned;       /* rad: the most of all bodies */
    double dropped;      /* m/s: the largest velocity that the scene gives and that was set to 0 */
    int body;
    size_t carrying; /* contacts that touch there */
    double growth;   /* 1/s: of small disturbances, where it is found unstable; else 0 */
} ff_rest;

FF_API ff_rest ff_sim_rest(const ff_sim *sim);
/* Whether a contact carries load in the equilibrium of ff_sim_rest(). */
FF_API bool ff_sim_rest_carries(const ff_sim *sim, size_t contact);

/* Advances to `until`: FF_OK there, FF_EVENT at the first event before, which ff_sim_event() returns. A
 * failure leaves the sim where it was good; but a crowd that fails with FF_NOT_FINITE stays as it is. */
FF_API ff_status ff_sim_advance(ff_sim *sim, double until);
FF_API const ff_event *ff_sim_event(const ff_sim *sim);

/* A sentence about the last failure, where more is known than its status; otherwise empty. */
FF_API const char *ff_sim_error(const ff_sim *sim);

/* Whether the run so far can be trusted: FF_NOT_FINITE where a number of its state, its joints or its ledger is not
 * finite; FF_NOT_CLOSED where the residual of the ledger exceeds max(1e-6, 1e3 tol) of its scale, or 1e-2 with fixed
 * steps and with events that are not located; FF_NOT_HELD where joints were not held: where ff_sim_constraint_part() exceeds
 * max(1e-6, 1e3 tol), at most 1e-2 (1e-2 with fixed steps, with events that are not located, and for penalty, which gives
 * way), or where violations exceed 1e-2 of the size of the mechanism. ff_sim_error() then says how large the residual is, which contact or account most of it comes from, and when it grew. To be asked at the end of a run;
 * changes no result. */
FF_API ff_status ff_sim_verdict(ff_sim *sim);

/* As ff_sim_advance(), but one step only: what a trace of every step wants. */
FF_API ff_status ff_sim_step(ff_sim *sim, double until);

/* Lets a step be broken off: `wanted` is asked between evaluations of the rates, by the thread that makes the step, some
 * 30 evaluations apart. Where it says true the step is not made, and ff_sim_advance() and ff_sim_step() return
 * FF_STOPPED; the sim is where it was, and can go on. Steps of a crowd are not broken off. NULL: nobody is asked. */
FF_API void ff_sim_watch(ff_sim *sim, bool (*wanted)(void *user), void *user);

/* Makes the calls below answer for a time within the last step, by its interpolant, until the next step. Any other time:
 * they answer for the sim's own time again. Changes no result. */
FF_API void ff_sim_observe(ff_sim *sim, double time);

/* The whole state of a sim as a block of bytes without pointers, for this build of the library.
 * A sim of the same model and options that restores it continues bit for bit. FF_BAD_VALUE for a block
 * that no such sim can have saved, FF_NO_MEMORY: the sim is as it was. The size changes from step to
 * step for crowds, and for scenes of more than 100 pairs. */
FF_API size_t ff_sim_state_size(const ff_sim *sim);
FF_API void ff_sim_save(ff_sim *sim, void *state);
FF_API ff_status ff_sim_restore(ff_sim *sim, const void *state, size_t size);

/* Restarts the sim at time 0 with these motions of bodies, corrected to satisfy the joints; inner states are 0. Refused
 * for crowds. */
FF_API ff_status ff_sim_begin(ff_sim *sim, const ff_motion *bodies);

FF_API double ff_sim_time(const ff_sim *sim);
FF_API ff_motion ff_sim_body(const ff_sim *sim, size_t body);
FF_API ff_contact_record ff_sim_contact(const ff_sim *sim, size_t contact);
/* Impacts up to the sim's own time, also where another time is observed. Those of crowds and inclusions are not
 * recorded. */
FF_API ff_impacts ff_sim_impacts(const ff_sim *sim, size_t contact);
/* How many impacts there were of all contacts; impact i of the first FF_IMPACTS_KEPT, in the order of time. */
FF_API size_t ff_sim_impact_count(const ff_sim *sim);
FF_API ff_impact_record ff_sim_impact(const ff_sim *sim, size_t i);
/* One joint at one instant. */
typedef struct ff_joint_record {
    double position
        [FF_JOINT_COORDINATES]; /* coordinates, rad or m; angles of a maximal model within half a turn */
    double rate[FF_JOINT_COORDINATES];
    /* of springs, dampers, limits, friction and actuators along each coordinate, and of what makes it follow a law of time; of a
     * spherical joint their moment on the second body, world axes */
    double effort[FF_JOINT_COORDINATES];
    double anchor[3]; /* of the second body, world axes */
    double force[3],
        moment[3]; /* all that the joint exerts on the second body at its anchor, world axes */
} ff_joint_record;

FF_API ff_joint_record ff_sim_joint(ff_sim *sim, size_t joint);

/* All bodies, contacts or joints at once, at most `count`. Return how many there are. */
FF_API size_t ff_sim_bodies(const ff_sim *sim, ff_motion *out, size_t count);
FF_API size_t ff_sim_contacts(const ff_sim *sim, ff_contact_record *out, size_t count);
FF_API size_t ff_sim_joints(ff_sim *sim, ff_joint_record *out, size_t count);

/* Violation of constraints: the largest over all rows, in m (rad) and m/s (rad/s). */
typedef struct ff_violation {
    double position, velocity;
} ff_violation;

FF_API ff_violation ff_sim_violation(ff_sim *sim);
/* The largest violation after any step so far. */
FF_API ff_violation ff_sim_violation_most(const ff_sim *sim);

/* The account `constraint`, the work of forces that should do none and what corrections take away, as a part of all
 * energies of the run; not negative. */
FF_API double ff_sim_constraint_part(ff_sim *sim);

FF_API ff_ledger ff_sim_ledger(ff_sim *sim);
FF_API ff_ledger ff_sim_contact_ledger(const ff_sim *sim, size_t contact);
FF_API ff_ledger ff_sim_class_ledger(const ff_sim *sim, size_t index);
FF_API ff_statistics ff_sim_statistics(const ff_sim *sim);

FF_C_END
