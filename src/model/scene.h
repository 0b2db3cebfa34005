/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

#include "control/control.h"
#include <footfall/control.h>
#include <footfall/scene.h>
#include <stdatomic.h>

/* A growing list of one type, owned by the scene. */
#define FF_LIST(type)                                                                              \
    struct {                                                                                       \
        type *at;                                                                                  \
        size_t count, room;                                                                        \
    }

/* Makes room for one more item; false if out of memory. */
#define FF_GROW(list)                                                                              \
    ff_list_grow((void **)&(list).at, (list).count, &(list).room, sizeof *(list).at)
bool ff_list_grow(void **at, size_t count, size_t *room, size_t size);

typedef struct ff_shape_def {
    char *name; /* NULL for a body's only shape */
    int body;
    double center[3], radius;
    double box[3]; /* edges of the box of which it is a corner; 0 for a sphere */
    bool listed;   /* listed under `spheres` in a scene file */
} ff_shape_def;

typedef struct ff_event_def {
    ff_event_function function; /* NULL: an expression of the scene file */
    void *user;
    size_t expression; /* index of that expression */
    bool aside;        /* a function that reads no orientation */
} ff_event_def;

/* The source of a scene, from which it can be evaluated again with other values, without the file (io/scene_file.c).
 * Immutable, so that several threads can use it. */
typedef struct ff_origin ff_origin;
struct ff_origin {
    atomic_int owners; /* number of scenes and models that refer to it */
    ff_status (*with)(const ff_origin *origin, const char *const *settings, size_t count,
                      ff_scene **out, ff_messages *messages);
    void (*free)(ff_origin *origin);
};

/* Adds and removes an owner; NULL is allowed. */
ff_origin *ff_origin_keep(ff_origin *origin);
void ff_origin_drop(ff_origin *origin);

struct ff_scene {
    double gravity[3];
    ff_start start;
    FF_LIST(ff_body_def) bodies;
    FF_LIST(ff_shape_def) shapes;
    FF_LIST(ff_group) groups;
    FF_LIST(ff_plane_def) planes;
    FF_LIST(ff_pair_def) pairs;
    FF_LIST(ff_joint_def) joints;
    FF_LIST(ff_force_def) forces;
    FF_LIST(ff_event_def) events;
    FF_LIST(ff_parameter) parameters;
    FF_LIST(ff_controller_def) controllers;
    ff_control *control; /* expressions of a scene file; NULL: none */
    ff_run_options run;
    ff_gait_def gait;
    /* the scene is being read from a file, whose reader compiles the prescribed motions (laws.c) */
    bool reading;
    bool walks;        /* it has a gait definition */
    double slots_most; /* most pairs with one slot each; 0: FF_SLOTS_USUAL. For tests */
    ff_origin *origin; /* NULL: the scene was made or changed by function calls */
};

/* Whether a definition has a prescribed motion. */
bool ff_plane_moves(const ff_plane_def *def);
bool ff_joint_moves(const ff_joint_def *def);

/* Why a law cannot be one of rolling or twist, which have springs of a stiffness of their own; NULL: it can. */
const char *ff_turning_obstacle(const ff_friction *law, bool rolling);

/* Adds a parameter of a scene file, under a name that is copied. */
ff_status ff_scene_add_parameter(ff_scene *scene, const char *name, const ff_parameter *parameter);

/* FF_BAD_VALUE, with a reason, unless all values of a distribution are positive. `what` is as in "radius of group 'sand'". */
ff_status ff_spread_check(const ff_spread *spread, const char *what, ff_error *error);

/* A copy that owns its arrays; free it with ff_controller_clear(). */
ff_status ff_controller_copy(const ff_controller_def *def, ff_controller_def *out);
void ff_controller_clear(ff_controller_def *def);
