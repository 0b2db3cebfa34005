/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

#include "control/control.h"
#include <footfall/control.h>
#include <footfall/scene.h>
#include <stdatomic.h>

/* A list that grows: items of one type, owned by the scene. */
#define FF_LIST(type)                                                                              \
    struct {                                                                                       \
        type *at;                                                                                  \
        size_t count, room;                                                                        \
    }

/* Room for one more in a list; false where memory ends. */
#define FF_GROW(list)                                                                              \
    ff_list_grow((void **)&(list).at, (list).count, &(list).room, sizeof *(list).at)
bool ff_list_grow(void **at, size_t count, size_t *room, size_t size);

typedef struct ff_shape_def {
    char *name; /* NULL for a body's only shape */
    int body;
    double center[3], radius;
    double box[3]; /* the edges of the box it is a corner of, 0 for a sphere */
    bool listed;   /* a scene file has it among `spheres` */
} ff_shape_def;

typedef struct ff_event_def {
    ff_event_function function; /* NULL: an expression of the scene file, */
    void *user;
    size_t expression; /* this one */
} ff_event_def;

/* What a scene was read from: it gives the scene again with other values, without the file (io/scene_file.c). Nothing writes
 * to it once it is made, so that several threads can ask. */
typedef struct ff_origin ff_origin;
struct ff_origin {
    atomic_int owners; /* scenes and models */
    ff_status (*with)(const ff_origin *origin, const char *const *settings, size_t count,
                      ff_scene **out, ff_messages *messages);
    void (*free)(ff_origin *origin);
};

/* One owner more, and one less; NULL is none. */
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
    ff_control *control; /* of a scene file with expressions of its run; else NULL */
    ff_run_options run;
    ff_gait_def gait;
    bool walks;        /* it has a gait */
    double slots_most; /* pairs that have a slot each; 0: FF_SLOTS_USUAL. For tests */
    ff_origin *origin; /* NULL: it was made, or changed, by calls */
};

/* Adds a parameter of a scene file, under a name that is copied. */
ff_status ff_scene_add_parameter(ff_scene *scene, const char *name, const ff_parameter *parameter);

/* FF_BAD_VALUE, with a reason, unless all that a spread gives is above 0. `what` is as in "radius of group
 * 'sand'". */
ff_status ff_spread_check(const ff_spread *spread, const char *what, ff_error *error);

/* A copy that owns its arrays; what was copied is given back by ff_controller_clear(). */
ff_status ff_controller_copy(const ff_controller_def *def, ff_controller_def *out);
void ff_controller_clear(ff_controller_def *def);
