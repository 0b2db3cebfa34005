/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* A scene is what a user writes: bodies, shapes, ground, pairs, forces, and how to run it. It is plain
 * data that grows; a scene file fills the same structs. SI units, world axes unless said otherwise.
 *
 *     ff_scene *scene = ff_scene_create();
 *     ff_body_def ball = ff_body_def_default();
 *     ball.name = "ball", ball.mass = 0.154, ball.position[2] = 0.1;
 *     int body = ff_scene_add_body(scene, &ball);
 *     ff_scene_add_sphere(scene, body, NULL, (double[]){0, 0, 0}, 0.0165);
 *
 * Names are copied. Functions that add return an index >= 0, or a negative ff_status. */

#include <footfall/law.h>
#include <footfall/run.h>
#include <stdint.h>

FF_C_BEGIN

typedef struct ff_scene ff_scene;

FF_API ff_scene *ff_scene_create(void);
FF_API void ff_scene_free(ff_scene *scene);

/* gravity, m/s^2; (0, 0, -9.81) if not set */
FF_API void ff_scene_set_gravity(ff_scene *scene, const double gravity[3]);

/* How a run of the scene starts: as bodies and joints are written, or at the static equilibrium that slow loading leads to
 * from there, with all velocities 0 (ff_sim_rest()). */
typedef enum ff_start { FF_START_WRITTEN, FF_START_REST } ff_start;

FF_API void ff_scene_set_start(ff_scene *scene, ff_start start);
FF_API ff_start ff_scene_start(const ff_scene *scene);

/* Degrees of freedom that are held still, in world axes; a body that does not rotate has the last three. */
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
    /* kg m^2 about the centre of mass, body axes; symmetric, but for rounding. NAN: from the shapes; then the origin of the
     * frame that shapes and anchors are written in need not be the centre of mass */
    double inertia[3][3];
    double position[3];    /* of the centre of mass, or of that origin; so is velocity */
    double orientation[4]; /* w, x, y, z; normalised when the model is made */
    double velocity[3];
    double omega[3]; /* world axes */
    unsigned locked; /* FF_LOCK_... */
} ff_body_def;

FF_DEFAULTS(ff_body_def)
FF_API int ff_scene_add_body(ff_scene *scene, const ff_body_def *def);

/* A sphere of a body, centre in body axes, radius >= 0 (0: a point). `name` may be NULL for a body's only
 * shape; otherwise the shape is called body.name. */
FF_API int ff_scene_add_sphere(ff_scene *scene, int body, const char *name, const double center[3],
                               double radius);
/* A box by eight corner spheres, inset so that they touch its faces; size is its edges' lengths. */
FF_API int ff_scene_add_box(ff_scene *scene, int body, const double size[3], double corner_radius);

/* How a number is spread over the grains of a group. */
typedef enum ff_spread_kind {
    FF_SPREAD_SAME,    /* a for all */
    FF_SPREAD_UNIFORM, /* evenly from a to b */
    FF_SPREAD_NORMAL   /* normally, with mean a and deviation b, cut off at 2 deviations */
} ff_spread_kind;

typedef struct ff_spread {
    ff_spread_kind kind;
    double a, b;
} ff_spread;

#define FF_GRAINS_MOST 10000000

/* Many spheres of one kind: bodies name[0], name[1] ... of uniform density, with one sphere each. They start
 * in a box that is cut into as many equal cells as it holds, with edges of 1.05 diameters of the largest
 * grain at least: a grain a cell, x first, then y, then z upward, each at random within its cell. No two
 * touch. The same seed gives the same grains on every machine, and fewer grains are the first of many. */
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

/* One grain of radius NAN, which is to be given. */
FF_DEFAULTS(ff_grains_def)

/* The index of the first body; what is wrong, such as how many would fit the box, is in `error` (may be
 * NULL). */
FF_API int ff_scene_add_grains(ff_scene *scene, const ff_grains_def *def, ff_error *error);

/* What a group has become; its name lives as long as the scene. */
typedef struct ff_group {
    const char *name;
    int first; /* of its bodies */
    size_t count;
    double radius_least, radius_most; /* m */
    double mass;                      /* kg, of all together */
} ff_group;

FF_API size_t ff_scene_group_count(const ff_scene *scene);
FF_API ff_group ff_scene_group(const ff_scene *scene, size_t i);

/* A half-space of ground. `velocity` moves the plane, `surface_velocity` its skin (a belt). */
typedef struct ff_plane_def {
    size_t size;
    const char *name;
    double point[3], normal[3]; /* the normal points out of the ground; any length but 0 */
    double velocity[3], surface_velocity[3];
} ff_plane_def;

/* Through the origin, with its normal upward: (0, 0, 1). */
FF_DEFAULTS(ff_plane_def)

FF_API int ff_scene_add_plane(ff_scene *scene, const ff_plane_def *def);

/* ---- joints ---- */

typedef enum ff_joint_kind {
    FF_JOINT_REVOLUTE,  /* turns about an axis */
    FF_JOINT_PRISMATIC, /* slides along an axis */
    FF_JOINT_SPHERICAL, /* turns about a point */
    FF_JOINT_UNIVERSAL, /* turns about an axis of the first body, then about one of the second */
    FF_JOINT_FIXED,
    FF_JOINT_PLANAR,      /* slides across an axis and turns about it */
    FF_JOINT_FREE,        /* moves at will: the same as no joint, with a name */
    FF_JOINT_CYLINDRICAL, /* slides along an axis and turns about it */
    FF_JOINT_SCREW, /* slides along an axis by `pitch` times the angle that it turns about it */
    FF_JOINT_GEAR /* couples the rates of coordinates of two other joints: that of the second is `ratio` times that of the first */
} ff_joint_kind;

enum { FF_JOINT_KINDS = FF_JOINT_GEAR + 1 };

FF_API const char *ff_joint_kind_name(ff_joint_kind kind);

/* Coordinates of a joint at the most that can be given or asked for: planar, two ways and an angle. */
enum { FF_JOINT_COORDINATES = 3 };

/* The name of a coordinate, from 0, as in scene files; NULL past the last one that something can act along. */
FF_API const char *ff_joint_coordinate_name(ff_joint_kind kind, int coordinate);
/* Whether it is a way, in m, and not an angle, in rad. */
FF_API bool ff_joint_coordinate_slides(ff_joint_kind kind, int coordinate);

/* What acts along one coordinate of a joint: N m and rad where it is an angle, N and m where it is a way. */
typedef struct ff_joint_effort {
    double stiffness, rest, damping; /* effort -stiffness (q - rest) - damping q' */
    double lower, upper;             /* limits; infinite: none */
    /* beyond a limit by z: the effort of this law back, with z for the depth and z' for its rate; a law without inner states.
     * law NULL: max(0, limit_stiffness z (1 + limit_damping z')) */
    ff_normal limit;
    double limit_stiffness, limit_damping;
    ff_friction
        friction; /* under the load `load`, with one inner state at the most; law NULL: none */
    double load;
} ff_joint_effort;

/* What holds two bodies together. Its coordinates are 0 where the anchors meet and the axes of the second are
 * those of the first, turned by `turn`. A revolute one has the angle of the second against the first about
 * `axis`, a prismatic one the way of its anchor along it, a cylindrical one both, the way first, a screw the angle, a
 * universal one the angles about `axis` and `second_axis`, a planar one the ways along two directions across `axis` and the angle about it: the first
 * direction is that of x, y, z which comes first and is not within 45 degrees of the axis, made square to it, the
 * second is square to both, with its largest component positive. */
typedef struct ff_joint_def {
    size_t size;
    const char *name;
    ff_joint_kind kind;
    int first, second;       /* bodies; first -1: the world */
    double anchor[3];        /* on the first, in its body axes; world axes for the world */
    double second_anchor[3]; /* on the second, in its body axes */
    double axis[3];          /* of the first, any length but 0 */
    double second_axis[3]; /* of the second: universal, across `axis` where the coordinates are 0 */
    double turn[4];        /* orientation w, x, y, z of the second in axes of the first */
    /* at the start; NAN: as the bodies start. The second body then starts where these put it, whatever its own
     * start is. Not for spherical and free ones */
    double start[FF_JOINT_COORDINATES], rate[FF_JOINT_COORDINATES];
    /* What acts along each coordinate. Of a spherical one the first acts on its turning in all directions: stiffness (rest is 0)
     * on the rotation vector from `turn`, by the shorter way round; damping and friction (without inner state) on the angular
     * velocity; `upper` limits the angle between `axis` of the first and what has been that of the second */
    ff_joint_effort along[FF_JOINT_COORDINATES];
    double
        pitch; /* screw: way of the second along `axis` by its angle, m/rad; below 0: a left-hand thread; not 0 */
    /* gear: two joints of the scene, and which coordinate of each; what it says of bodies is not used. Coordinates may be
     * angles or ways (rack and pinion: m/rad). Its rows hold rates: how far coordinates are apart is as they start */
    int joints[2], coordinates[2];
    double ratio; /* not 0 */
    /* revolute and prismatic: the friction of the coordinate is under the joint's own reaction instead of `load`. It then has no inner
     * state. `bearing`: the radius, m, that makes a load of the force of a revolute joint; of a prismatic one the distance of two
     * bearings, which share the moment, too, or 0: the force across the axis alone */
    bool loaded;
    double bearing;
} ff_joint_def;

FF_DEFAULTS(ff_joint_def)
FF_API int ff_scene_add_joint(ff_scene *scene, const ff_joint_def *def);
/* Joint i as it was added; NULL where there is none. */
FF_API const ff_joint_def *ff_scene_joint(const ff_scene *scene, size_t i);

/* Which two things may touch and by which laws. Names are bodies, body.shape, groups or planes; they may hold
 * `*`. A group is all its grains, and with itself the grains among each other. The name of a body or plane
 * beats that of its group, and that beats a pattern. */
/* Where a plane's force acts on a sphere, for velocity and moment alike: at its bottom as if it were not deformed, r from
 * its centre, or at the plane, r - z (Azad and Featherstone 2010 leave it open). */
typedef enum ff_lever { FF_LEVER_RADIUS, FF_LEVER_DEFORMED } ff_lever;

typedef struct ff_pair_def {
    size_t size;
    const char *a, *b;
    ff_normal normal;
    ff_friction friction; /* of law none where law is NULL */
    bool stateful;        /* the ground recovers at its own pace after lift-off */
    ff_lever lever;       /* where the force of a plane acts on a sphere */
    /* no contact while the first thing's body turns about this axis, world axes, in the positive sense: a leg
     * that swings does not scuff. All 0: never */
    double ignored_while_turning[3];
    /* what a and b are made of, which changes no result: a pressure above their strength is a warning (warning.h). NULL: not
     * given. They live as long as the library, or longer than the scene and its models */
    const struct ff_material *materials[2];
} ff_pair_def;

FF_DEFAULTS(ff_pair_def)

FF_API int ff_scene_add_pair(ff_scene *scene, const ff_pair_def *def);

/* What acts on bodies besides gravity and contact, from `from` to `to` (s, may be infinite). */
typedef enum ff_force_kind {
    FF_FORCE_CONSTANT, /* force and torque, world axes, at the centre of mass */
    FF_FORCE_TABLE,    /* the same times a factor over time, linear between its points */
    FF_FORCE_SPRING,   /* along the line of two points: stiffness (length - rest) + damping rate */
    FF_FORCE_PD, /* along `axis`: kp (target - x) + kd (target' - x'), target a polynomial of time */
    /* force and torque, or the effort at a joint, as a controller says (control.h), or an expression of a scene file */
    FF_FORCE_CONTROL
} ff_force_kind;

typedef struct ff_force_def {
    size_t size;
    const char *name;
    ff_force_kind kind;
    int body, other; /* other -1: the world (springs only) */
    /* an actuator: constant, table, pd and control act along coordinate `coordinate` (from 0) of this joint instead, with
     * `effort` (N m, N) for the force, and kp, kd and the target in its units. -1: none */
    int joint, coordinate;
    double effort;
    double force[3], torque[3]; /* constant and table */
    size_t points;              /* of the table */
    const double *times, *factors;
    double anchor[3], other_anchor[3]; /* springs: in body axes, or world for the world */
    double stiffness, damping, rest;   /* N/m, N s/m, m */
    double axis[3];                    /* pd: unit vector, world axes */
    double kp, kd;                     /* N/m, N s/m */
    double target[3], target_from;     /* target = t0 + t1 s + t2 s^2, s = time - target_from */
    double from, to;
} ff_force_def;

FF_DEFAULTS(ff_force_def)
FF_API int ff_scene_add_force(ff_scene *scene, const ff_force_def *def);

/* Where a body is and how it moves, in world axes. */
typedef struct ff_motion {
    double position[3], orientation[4], velocity[3], omega[3];
} ff_motion;

/* A switching function of the user's own: an event of kind `user`, located like every other, wherever it
 * passes through 0. It gets all bodies in the order they were added, is called often, and must be smooth
 * and without memory. */
typedef double (*ff_event_function)(void *user, double time, const ff_motion *bodies);

FF_API int ff_scene_add_event(ff_scene *scene, ff_event_function function, void *user);

/* What a step of a walker is (gait.h). */
typedef enum ff_section_kind {
    FF_SECTION_TURNING, /* the angular velocity of the body about `axis` ... */
    FF_SECTION_MOVING   /* the velocity of its centre of mass along `axis` ... */
} ff_section_kind;

enum { FF_GAIT_SWAPS = 32, FF_GAIT_TURNS = 32 };

/* A body that looks and moves the same after this turn, such as a wheel of n spokes after 2 pi/n about its axle. */
typedef struct ff_gait_turn {
    int body;
    double by[3]; /* rad: rotation vector in the axes of the body */
} ff_gait_turn;

typedef struct ff_gait_def {
    size_t size;
    /* a step begins where this passes through 0 from above: where a leg has swung back as far as it does, or a hopper
     * is highest */
    ff_section_kind section;
    int body;
    double axis[3];
    /* bodies that change places with each other at every step: one leg does next what the other has done. Then a step
     * ends where the image of the motion begins one. Exchanges are made one after another, so that (a, b), (b, c) lets
     * each of three bodies take the place of the next */
    int swap[FF_GAIT_SWAPS][2];
    size_t swaps;
    double reflect[3];   /* normal of a plane in which the image is a mirror's, too; all 0: none */
    double direction[3]; /* along which it travels: where it is does not matter; all 0: none */
    double limit;        /* s: a step takes no longer */
    double
        lowest; /* m: it has fallen where its centre of mass is nearer to a plane; -infinite: never */
    /* bodies that have turned by a symmetry of their own after a step: in the image they are turned back by it */
    ff_gait_turn turn[FF_GAIT_TURNS];
    size_t turns;
} ff_gait_def;

FF_DEFAULTS(ff_gait_def)
FF_API ff_status ff_scene_set_gait(ff_scene *scene, const ff_gait_def *def);
/* The gait definition of a scene; NULL: it has none. */
FF_API const ff_gait_def *ff_scene_gait(const ff_scene *scene);

FF_API ff_status ff_scene_set_run(ff_scene *scene, const ff_run_options *options);
FF_API const ff_run_options *ff_scene_run(const ff_scene *scene);

/* What is wrong with an input, and where. */
typedef struct ff_message {
    char *file;          /* as it was given; `--set PATH=VALUE` for a setting */
    size_t line, column; /* from 1; line 0: no place in it */
    char *text;
} ff_message;

#define FF_MESSAGES_MOST 50

/* A list that starts as {0}; the caller clears it. */
typedef struct ff_messages {
    ff_message *at;
    size_t count, room;
    size_t left_out; /* found beyond FF_MESSAGES_MOST */
} ff_messages;

FF_API void ff_messages_clear(ff_messages *messages);
/* Writes `file:line:column: text`, in the way of snprintf. */
FF_API int ff_message_format(const ff_message *message, char *buf, size_t size);

/* Reads a scene file (YAML). `settings` are texts PATH=VALUE, such as bodies.ball.mass=0.2 or
 * pairs[0].normal.k=1e6, that replace or add values before the scene is read; the last one wins.
 * Every mistake of the file is in `messages` (may be NULL), in the order of the file; FF_OK means there
 * is none, and only then *out is a scene, which the caller frees. FF_BAD_VALUE: the input is wrong;
 * FF_NOT_BUILT: the library was built without libyaml. */
FF_API ff_status ff_scene_read(const char *path, const char *const *settings, size_t setting_count,
                               ff_scene **out, ff_messages *messages);

/* The scene that a file gives with more settings, from what was kept when it was read: the file is not read again, and the
 * settings it was read with hold, too. Run options, events and a gait that calls have given the scene since are not in it.
 * FF_MISSING: nothing was kept, for the scene was not read from a file, was added to
 * since, or has more than some 20,000 bodies given one by one (2 MB). */
FF_API ff_status ff_scene_with(const ff_scene *scene, const char *const *settings,
                               size_t setting_count, ff_scene **out, ff_messages *messages);

/* A parameter that a scene file gives; its name lives as long as the scene. */
typedef struct ff_parameter {
    const char *name;
    double value;  /* SI */
    char unit[64]; /* "" where it was given without one */
    bool used;     /* by a number of the scene or another parameter */
} ff_parameter;

FF_API size_t ff_scene_parameter_count(const ff_scene *scene);
FF_API ff_parameter ff_scene_parameter(const ff_scene *scene, size_t i);

FF_C_END
