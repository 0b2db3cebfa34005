/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* Scene builder. A scene describes bodies, shapes, ground, pairs, joints, forces and run options; scene files fill in the
 * same structs. SI units and world axes unless noted otherwise.
 *
 *     ff_scene *scene = ff_scene_create();
 *     ff_body_def ball = ff_body_def_default();
 *     ball.name = "ball", ball.mass = 0.154, ball.position[2] = 0.1;
 *     int body = ff_scene_add_body(scene, &ball);
 *     ff_scene_add_sphere(scene, body, NULL, (double[]){0, 0, 0}, 0.0165);
 *
 * Names are copied. Functions named ff_scene_add_...() return the index of the new object (>= 0) or a negative ff_status:
 * FF_BAD_VALUE for an invalid definition, FF_NO_MEMORY. Names and references between objects are checked by
 * ff_model_create(). */

#include <footfall/law.h>
#include <footfall/run.h>
#include <stdint.h>

FF_C_BEGIN

typedef struct ff_scene ff_scene;

/* Creates an empty scene; NULL if out of memory. */
FF_API ff_scene *ff_scene_create(void);
/* Frees a scene; NULL is allowed. */
FF_API void ff_scene_free(ff_scene *scene);

/* Sets gravity, m/s^2; (0, 0, -9.81) by default. */
FF_API void ff_scene_set_gravity(ff_scene *scene, const double gravity[3]);

/* Start state of a run: as the bodies and joints define it (FF_START_WRITTEN), or the static equilibrium that is reached
 * from there by slow loading, with all velocities 0 (FF_START_REST; see ff_sim_rest()). */
typedef enum ff_start { FF_START_WRITTEN, FF_START_REST } ff_start;

FF_API void ff_scene_set_start(ff_scene *scene, ff_start start);
FF_API ff_start ff_scene_start(const ff_scene *scene);

/* Degrees of freedom that are held fixed, in world axes. FF_LOCK_ROTATION locks all three rotations. */
enum {
    FF_LOCK_X = 1,
    FF_LOCK_Y = 2,
    FF_LOCK_Z = 4,
    FF_LOCK_RX = 8,
    FF_LOCK_RY = 16,
    FF_LOCK_RZ = 32,
    FF_LOCK_ROTATION = 56
};

typedef struct ff_body_def {
    size_t size;
    const char *name;
    double mass; /* kg, > 0 */
    /* inertia about the centre of mass, kg m^2, body axes; must be symmetric up to rounding. NAN: computed from the shapes;
     * then the origin of the frame in which shapes and anchors are given need not be the centre of mass */
    double inertia[3][3];
    /* position of the centre of mass, m; if the inertia comes from shapes, of the origin of their frame */
    double position[3];
    double orientation[4]; /* quaternion w, x, y, z; normalised by ff_model_create() */
    double velocity[3];
    double omega[3]; /* angular velocity, rad/s, world axes */
    unsigned locked; /* bitwise or of FF_LOCK_... */
} ff_body_def;

FF_DEFAULTS(ff_body_def)
/* Adds a body. */
FF_API int ff_scene_add_body(ff_scene *scene, const ff_body_def *def);

/* Adds a sphere to a body: centre in body axes (m), radius >= 0 (m; 0 is a point). `name` may be NULL if it is the body's
 * only shape; otherwise the shape is called body.name. */
FF_API int ff_scene_add_sphere(ff_scene *scene, int body, const char *name, const double center[3],
                               double radius);
/* Adds a box as eight corner spheres, inset so that they touch its faces. `size`: edge lengths, m. */
FF_API int ff_scene_add_box(ff_scene *scene, int body, const double size[3], double corner_radius);

/* Distribution of a number over the grains of a group. */
typedef enum ff_spread_kind {
    FF_SPREAD_SAME,    /* a for all grains */
    FF_SPREAD_UNIFORM, /* uniform between a and b */
    /* normal with mean a and standard deviation b, truncated at 2 standard deviations */
    FF_SPREAD_NORMAL
} ff_spread_kind;

typedef struct ff_spread {
    ff_spread_kind kind;
    double a, b;
} ff_spread;

#define FF_GRAINS_MOST 10000000

/* A group of many spheres: bodies name[0], name[1] ... of uniform density, with one sphere each. The start box is divided
 * into as many equal cells as fit, with edges of at least 1.05 diameters of the largest grain. Cells are filled in the
 * order x, y, z, one grain per cell at a random place within it, so no two grains touch. A seed gives the same grains on
 * every machine, and a smaller group is the beginning of a larger one with the same seed. */
typedef struct ff_grains_def {
    size_t size;
    const char *name;
    size_t count;          /* 1 to FF_GRAINS_MOST */
    ff_spread radius;      /* m, > 0 */
    double density;        /* kg/m^3, > 0 */
    double from[3], to[3]; /* corners of the box, m */
    double velocity[3];
    uint64_t seed;
} ff_grains_def;

/* Defaults: one grain, radius NAN (must be set). */
FF_DEFAULTS(ff_grains_def)

/* Adds a group of grains. Returns the index of its first body. On failure `error` (may be NULL) says why, for example how
 * many grains fit in the box. */
FF_API int ff_scene_add_grains(ff_scene *scene, const ff_grains_def *def, ff_error *error);

/* Summary of a group of grains; the name is valid as long as the scene. */
typedef struct ff_group {
    const char *name;
    int first; /* index of its first body */
    size_t count;
    double radius_least, radius_most; /* m */
    double mass;                      /* total mass, kg */
} ff_group;

/* Number of groups, and group i. */
FF_API size_t ff_scene_group_count(const ff_scene *scene);
FF_API ff_group ff_scene_group(const ff_scene *scene, size_t i);

/* A half-space of ground. `velocity` (m/s) moves the plane; `surface_velocity` (m/s) moves only its surface, as of a belt. */
typedef struct ff_plane_def {
    size_t size;
    const char *name;
    /* the normal points out of the ground and need not be a unit vector */
    double point[3], normal[3];
    double velocity[3], surface_velocity[3];
    /* prescribed motion: the displacement, m, as three expressions of `t` with units, such as "2 mm*sin(2*pi*t*25 Hz)"
     * (docs/scenes.md, Control). The texts are copied, and compiled when the model is created. NULL: 0 */
    const char *motion[3];
} ff_plane_def;

/* Defaults: through the origin, normal (0, 0, 1). */
FF_DEFAULTS(ff_plane_def)

/* Adds a plane. */
FF_API int ff_scene_add_plane(ff_scene *scene, const ff_plane_def *def);

/* ---- joints ---- */

typedef enum ff_joint_kind {
    FF_JOINT_REVOLUTE,  /* rotates about an axis */
    FF_JOINT_PRISMATIC, /* slides along an axis */
    FF_JOINT_SPHERICAL, /* rotates about a point */
    /* rotates about an axis of the first body, then about an axis of the second */
    FF_JOINT_UNIVERSAL,
    FF_JOINT_FIXED,
    FF_JOINT_PLANAR,      /* translates perpendicular to an axis and rotates about it */
    FF_JOINT_FREE,        /* no constraint; gives the pair of bodies a name */
    FF_JOINT_CYLINDRICAL, /* translates along an axis and rotates about it */
    FF_JOINT_SCREW, /* translates along an axis by `pitch` times the angle of rotation about it */
    /* couples coordinates of two other joints: the rate of the second is `ratio` times the rate of the first */
    FF_JOINT_GEAR
} ff_joint_kind;

enum { FF_JOINT_KINDS = FF_JOINT_GEAR + 1 };

/* The name of a joint kind as in scene files, such as "revolute". */
FF_API const char *ff_joint_kind_name(ff_joint_kind kind);

/* Largest number of coordinates of a joint: planar has two displacements and an angle, spherical a rotation vector. */
enum { FF_JOINT_COORDINATES = 3 };

/* The name of coordinate 0, 1 or 2 of a joint kind as in scene files; NULL if no effort can act along it. */
FF_API const char *ff_joint_coordinate_name(ff_joint_kind kind, int coordinate);
/* Whether the coordinate is a displacement (m) rather than an angle (rad). */
FF_API bool ff_joint_coordinate_slides(ff_joint_kind kind, int coordinate);

/* Efforts along one coordinate of a joint: in N m and rad for an angle, in N and m for a displacement. */
typedef struct ff_joint_effort {
    double stiffness, rest, damping; /* effort -stiffness (q - rest) - damping q' */
    double lower, upper;             /* limits; infinite: no limit */
    /* The effort beyond a limit: this law, with the distance z beyond the limit as depth. The law must have no inner
     * states. If its law is NULL: max(0, limit_stiffness z (1 + limit_damping z')) */
    ff_normal limit;
    double limit_stiffness, limit_damping;
    /* friction under the load `load`, with at most one inner state; none if its law is NULL */
    ff_friction friction;
    double load;
} ff_joint_effort;

/* A joint between two bodies. All coordinates are 0 where the anchors coincide and the axes of the second body are those of
 * the first rotated by `turn`. The coordinates are: revolute, the angle of the second body relative to the first about
 * `axis`; prismatic, the displacement of the second anchor along `axis`; cylindrical, that displacement and that angle;
 * screw, the angle; universal, the angles about `axis` and `second_axis`; planar, the displacements along two directions
 * perpendicular to `axis` and the angle about it. The first of these directions is the first of x, y, z that is more than
 * 45 degrees from the axis, projected into the plane; the second is perpendicular to both, with its largest component
 * positive. Spherical: the rotation vector x, y, z of the second body relative to the first, in axes of the first, along the
 * shorter rotation. Its rates are the relative angular velocity in the same axes, not the derivatives of the vector, and
 * efforts along x, y, z are torques on the second body about these axes. */
typedef struct ff_joint_def {
    size_t size;
    const char *name;
    ff_joint_kind kind;
    int first, second; /* indices of bodies; first = -1: the world */
    double anchor[3];  /* on the first body, in its body axes; world axes if `first` is the world */
    double second_anchor[3]; /* on the second body, in its body axes */
    double axis[3];          /* in axes of the first body; any length but 0 */
    /* universal: in axes of the second body, perpendicular to `axis` where the coordinates are 0 */
    double second_axis[3];
    /* orientation w, x, y, z of the second body in axes of the first where the coordinates are 0 */
    double turn[4];
    /* coordinates and rates at the start; NAN: from the start states of the bodies. If given, they determine the start of
     * the second body. Not for free joints */
    double start[FF_JOINT_COORDINATES], rate[FF_JOINT_COORDINATES];
    /* Efforts along each coordinate. In a spherical joint, along[0] acts on the relative rotation: the stiffness (rest must
     * be 0) on the rotation vector from `turn`, along the shorter rotation; damping and friction (a law without inner
     * states) on the relative angular velocity; `upper` limits the angle between `axis` and its image on the second body */
    ff_joint_effort along[FF_JOINT_COORDINATES];
    double pitch; /* screw: displacement per angle, m/rad; negative: left-hand thread; not 0 */
    /* gear: two joints and the coupled coordinate of each; bodies, anchors and axes of the definition are not used. The
     * coordinates may be angles or displacements (rack and pinion: ratio in m/rad). Only rates are constrained, so the
     * offset of the coordinates stays as it is at the start */
    int joints[2], coordinates[2];
    double ratio; /* gear: not 0 */
    /* the load of all friction in the joint is its own reaction instead of `load`: the force R and the moment M on the second
     * body at its anchor. The stiffness of a friction law with an inner state must not depend on the load, as that of dahl
     * and lugre does. `bearing` is the radius r of the bearing, m; of a prismatic joint, the same as `bearing_length`. The
     * loads are
     *   revolute, universal, spherical          r |R|
     *   prismatic, displacement of cylindrical  N, the part of R perpendicular to the axis; for two bearings with the distance
     *                                           `bearing_length`, the sum of their forces, which also carry the moment
     *   angle of cylindrical                    r N
     *   displacements and angle of planar       N, the part of R along the axis, and r N
     *   screw                                   that of a square thread with this radius under the axial force */
    bool loaded;
    double bearing;
    double bearing_length; /* m; 0: only the force perpendicular to the axis counts */
    /* prescribed motions of the coordinates: expressions of `t` with units as text, such as "30 deg*sin(2*pi*t*1 Hz)". The
     * texts are copied, and compiled when the model is created. NULL: the coordinate moves freely. A spherical joint has all
     * three or none */
    const char *motion[FF_JOINT_COORDINATES];
} ff_joint_def;

FF_DEFAULTS(ff_joint_def)
/* Adds a joint. */
FF_API int ff_scene_add_joint(ff_scene *scene, const ff_joint_def *def);
/* Joint i as it was added; NULL if there is none. */
FF_API const ff_joint_def *ff_scene_joint(const ff_scene *scene, size_t i);

/* Where the force of a plane acts on a sphere, for the slip velocity and for the moment: at distance r from the centre, as
 * if the sphere were undeformed, or at the plane, r - z. Azad and Featherstone 2010 do not say which. */
typedef enum ff_lever { FF_LEVER_RADIUS, FF_LEVER_DEFORMED } ff_lever;

/* The lever arm of twist, in a contact of radius a = sqrt(R z). */
typedef enum ff_arm {
    FF_ARM_HERTZ,   /* (3 pi/16) a: gross slip under Hertz' pressure */
    FF_ARM_UNIFORM, /* (2/3) a: gross slip under uniform pressure */
    FF_ARM_LENGTH,  /* a given length */
    /* Marshall 2009: limit (2/3) a mu N; stiffness, damping and viscous friction a^2/2 times the tangential ones, z^(n-1) k
     * for a clutch, k for sat */
    FF_ARM_MARSHALL
} ff_arm;

/* Which two things may touch, and their contact laws. `a` and `b` are names of bodies, shapes (body.shape), groups or
 * planes, and may contain the wildcard `*`. A group stands for all its grains; a group paired with itself stands for
 * contacts among its grains. Where several pairs match, the name of a body or plane takes precedence over its group's name,
 * and any name over a wildcard. */
typedef struct ff_pair_def {
    size_t size;
    const char *a, *b;
    ff_normal normal;
    ff_friction friction; /* no friction if its law is NULL */
    bool stateful;  /* the ground has a state of its own and recovers gradually after lift-off */
    ff_lever lever; /* where the force of a plane acts on a sphere */
    /* contact is ignored while the body of `a` rotates about this axis (world axes) in the positive sense, so that a
     * swinging leg does not scuff. All 0: never ignored */
    double ignored_while_turning[3];
    /* materials of a and b, used only to warn of pressures above their strength (warning.h). NULL: not given. Must outlive
     * the scene and its models */
    const struct ff_material *materials[2];
    /* Resistance to rolling: a friction law applied to the velocity w = R omega_r x n, where 1/R = 1/r1 + 1/r2 and omega_r is
     * the component of omega1 - omega2 perpendicular to the normal n. Its force f gives the moment R n x f. A law with a
     * moment of its own is used as it is. None if its law is NULL */
    ff_friction rolling;
    /* Resistance to spin about the normal: a friction law applied to the velocity arm times spin. Its force f gives the
     * moment arm f. None if its law is NULL. Springs of rolling and twist have stiffness k at every depth */
    ff_friction twist;
    ff_arm arm;
    double arm_length; /* for FF_ARM_LENGTH, m */
} ff_pair_def;

FF_DEFAULTS(ff_pair_def)

/* Adds a pair. Also returns FF_MISSING if a law lacks a parameter. */
FF_API int ff_scene_add_pair(ff_scene *scene, const ff_pair_def *def);

/* A force other than gravity and contact, active between the times `from` and `to` (s; may be infinite). */
typedef enum ff_force_kind {
    FF_FORCE_CONSTANT, /* constant force and torque, world axes, at the centre of mass */
    /* force and torque times a factor of time, linear between the points of the table */
    FF_FORCE_TABLE,
    /* along the line between two points: stiffness (length - rest) + damping d(length)/dt */
    FF_FORCE_SPRING,
    /* along `axis`: kp (target - x) + kd (target' - x'), where target is a polynomial of time */
    FF_FORCE_PD,
    /* force and torque, or joint effort, set by a controller (control.h) or by an expression of a scene file */
    FF_FORCE_CONTROL
} ff_force_kind;

typedef struct ff_force_def {
    size_t size;
    const char *name;
    ff_force_kind kind;
    int body, other; /* indices of bodies; other = -1: the world (springs only) */
    /* actuator: constant, table, pd and control forces act along coordinate `coordinate` of this joint, with `effort` (N m
     * or N) as the force, and kp, kd and the target in units of the coordinate. -1: not an actuator */
    int joint, coordinate;
    double effort;
    double force[3], torque[3]; /* constant and table: N, N m */
    size_t points;              /* number of points of the table */
    const double *times, *factors;
    double anchor[3], other_anchor[3]; /* springs: in body axes, or world axes for the world */
    double stiffness, damping, rest;   /* N/m, N s/m, m */
    double axis[3];                    /* pd: unit vector, world axes */
    double kp, kd;                     /* N/m, N s/m */
    double target[3], target_from;     /* target = t0 + t1 s + t2 s^2 with s = time - target_from */
    double from, to;
} ff_force_def;

FF_DEFAULTS(ff_force_def)
/* Adds a force. */
FF_API int ff_scene_add_force(ff_scene *scene, const ff_force_def *def);

/* Position and motion of a body in world axes: m, m/s, quaternion w x y z, rad/s. */
typedef struct ff_motion {
    double position[3], orientation[4], velocity[3], omega[3];
} ff_motion;

/* An event function of the user: wherever its value crosses 0 an event of kind FF_USER is located. `bodies` has all bodies
 * in the order in which they were added. The function must be smooth and must not keep state between calls. It may read
 * orientations: those of balls, too, are then integrated under error control, so that fast spin shortens the steps. */
typedef double (*ff_event_function)(void *user, double time, const ff_motion *bodies);

/* Adds an event function. */
FF_API int ff_scene_add_event(ff_scene *scene, ff_event_function function, void *user);

/* What the section function of a gait is (gait.h): a step begins where it crosses 0 from above. */
typedef enum ff_section_kind {
    FF_SECTION_TURNING, /* angular velocity of the body about `axis` */
    FF_SECTION_MOVING   /* velocity of the body's centre of mass along `axis` */
} ff_section_kind;

enum { FF_GAIT_SWAPS = 32, FF_GAIT_TURNS = 32 };

/* A rotation that maps a body onto itself, such as 2 pi/n about the axle for a wheel of n spokes. */
typedef struct ff_gait_turn {
    int body;
    double by[3]; /* rotation vector, rad, body axes */
} ff_gait_turn;

typedef struct ff_gait_def {
    size_t size;
    /* A step begins where the section function crosses 0 from above, for example where a leg swings furthest back or a
     * hopper is at its highest point */
    ff_section_kind section;
    int body;
    double axis[3];
    /* Bodies that exchange roles after each step, as two legs do. A step then ends where the image of the motion under this
     * symmetry begins a step. Exchanges are applied in order, so (a, b), (b, c) moves each of three bodies to the next
     * place */
    int swap[FF_GAIT_SWAPS][2];
    size_t swaps;
    double reflect[3]; /* normal of the mirror plane of the symmetry; all 0: no reflection */
    /* direction of travel: displacement along it is ignored in the step map; all 0: none */
    double direction[3];
    double limit; /* longest duration of a step, s */
    /* the walker has fallen if its centre of mass is closer to a plane than this, m; -INFINITY: never */
    double lowest;
    /* Bodies that are rotated by a symmetry of their own in each step: the image of the motion rotates them back */
    ff_gait_turn turn[FF_GAIT_TURNS];
    size_t turns;
} ff_gait_def;

FF_DEFAULTS(ff_gait_def)
/* Sets the gait definition. FF_BAD_VALUE if a body does not exist or a number is invalid. */
FF_API ff_status ff_scene_set_gait(ff_scene *scene, const ff_gait_def *def);
/* The gait definition of a scene; NULL if it has none. */
FF_API const ff_gait_def *ff_scene_gait(const ff_scene *scene);

/* Sets the run options. FF_BAD_VALUE only for an invalid `size`; values are checked by ff_sim_create(). */
FF_API ff_status ff_scene_set_run(ff_scene *scene, const ff_run_options *options);
/* The run options of a scene. */
FF_API const ff_run_options *ff_scene_run(const ff_scene *scene);

/* An error in the input, with its location. */
typedef struct ff_message {
    char *file;          /* file name as given by the caller; "--set PATH=VALUE" for a setting */
    size_t line, column; /* counted from 1; line 0: no location */
    char *text;
} ff_message;

#define FF_MESSAGES_MOST 50

/* A list of messages. Initialise it with {0}; free it with ff_messages_clear(). */
typedef struct ff_messages {
    ff_message *at;
    size_t count, room;
    size_t left_out; /* number of messages beyond FF_MESSAGES_MOST, which are not stored */
} ff_messages;

/* Frees all messages of a list. */
FF_API void ff_messages_clear(ff_messages *messages);
/* Writes `file:line:column: text` into buf, with the return value of snprintf(). */
FF_API int ff_message_format(const ff_message *message, char *buf, size_t size);

/* Reads a scene file (YAML). `settings` are strings PATH=VALUE, such as bodies.ball.mass=0.2 or pairs[0].normal.k=1e6, that
 * replace or add values before the scene is read; the last one takes precedence. All errors of the file are added to
 * `messages` (may be NULL) in file order. Only with FF_OK is *out a scene, which the caller frees. FF_BAD_VALUE: the input
 * is invalid; FF_NOT_BUILT: the library was built without libyaml. */
FF_API ff_status ff_scene_read(const char *path, const char *const *settings, size_t setting_count,
                               ff_scene **out, ff_messages *messages);

/* Builds a scene again from its file's contents with additional settings; the file is not read again, and settings given
 * earlier still apply. Run options, events and a gait set by function calls are not included. FF_MISSING: the contents are
 * not available, because the scene was not read from a file, was modified since, or lists more than about 20,000 single
 * bodies (2 MB). */
FF_API ff_status ff_scene_with(const ff_scene *scene, const char *const *settings,
                               size_t setting_count, ff_scene **out, ff_messages *messages);

/* A named parameter of a scene file; the name is valid as long as the scene. */
typedef struct ff_parameter {
    const char *name;
    double value;  /* SI units */
    char unit[64]; /* "" if it was given without a unit */
    bool used;     /* whether a number of the scene or another parameter uses it */
} ff_parameter;

/* Number of parameters, and parameter i. */
FF_API size_t ff_scene_parameter_count(const ff_scene *scene);
FF_API ff_parameter ff_scene_parameter(const ff_scene *scene, size_t i);

FF_C_END
