/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* Shared by the readers of the sections of a scene file. */

#include "key.h"
#include "model/scene.h"
#include <footfall/material.h>

/* A body, a group of grains or a plane, by name. */
typedef struct ff_named {
    const char *name;
    const ff_node *node;
    int body;                /* for a group its first one; -1: a plane */
    size_t shape, shape_end; /* its shapes in the scene */
    size_t grains;           /* number of grains of a group, otherwise 0 */
} ff_named;

/* A joint, by name. */
typedef struct ff_joined {
    const char *name;
    ff_joint_kind kind;
    int index; /* -1: it is invalid */
} ff_joined;

typedef struct ff_scene_reader {
    ff_messages *messages;
    ff_scene *scene;
    double memory; /* memory limit of the scene, bytes */
    ff_parameters parameters;
    FF_LIST(ff_named) names; /* sorted once bodies and ground are read */
    FF_LIST(ff_joined) joints;
    struct ff_control_reader *control; /* for a file with expressions of its run; otherwise NULL */
    ff_status status;                  /* FF_NO_MEMORY once memory is exhausted */
} ff_scene_reader;

/* Readers of sections, in the order of reading. Invalid things are reported and replaced by valid ones, so that references
 * to them can be read. */
void ff_read_bodies(ff_scene_reader *r, const ff_node *node);
void ff_read_ground(ff_scene_reader *r, const ff_node *node);
void ff_read_joints(ff_scene_reader *r, const ff_node *node);
void ff_read_pairs(ff_scene_reader *r, const ff_node *node);
void ff_read_forces(ff_scene_reader *r, const ff_node *node);
void ff_read_gait(ff_scene_reader *r, const ff_node *node);

/* Whether an entry of `bodies` is a group of grains; and reads a group with a valid name. */
bool ff_is_grains(const ff_node *node);
void ff_read_grains(ff_scene_reader *r, const ff_node *node, const char *name);

/* Records a name for later references. */
void ff_reader_name(ff_scene_reader *r, ff_named named);

/* Finds what has that name: a body, a group, a grain such as sand[3], or a plane. */
bool ff_reader_find(const ff_scene_reader *r, const char *name, ff_named *out);

/* Reports that nothing has the name in `node`; suggests planes only if they are allowed. */
void ff_reader_unknown(ff_scene_reader *r, const ff_map *map, const ff_node *node, bool planes);

/* Reads the name of a body and stores its index as an int. */
ff_key_reader ff_key_body;

/* What a friction law may derive its parameters from: the normal law of the same pair. */
typedef struct ff_beside {
    bool contact; /* there is one; joints have none */
    bool read;    /* and it is valid */
    double n; /* exponent in units such as N/m^n: the normal law's grade is z^(n-1); NAN: unknown */
    /* the grade is not a power: such units cannot be checked, and a plain number is accepted */
    bool loose;
    double k, lambda, exponent; /* quantities from which parameters may be derived; NAN: unknown */
    double local_tau;           /* tau of a bed with detach: local */
    bool material;              /* they follow from these materials */
    const ff_material *materials[2];
} ff_beside;

/* Reads a friction law. With `angle` it is rotational: newton metres instead of newtons, radians instead of metres. */
void ff_read_friction(ff_scene_reader *r, const char *where, const ff_node *node,
                      const ff_beside *beside, bool angle, ff_friction *out);
/* Reads `rolling` or `twist`: a friction law whose springs have their own stiffness. `mu_r` and `mu_t` are mu. */
void ff_read_turning(ff_scene_reader *r, const char *where, const ff_node *node, bool twist,
                     const ff_beside *beside, ff_pair_def *def);

/* Reads the normal law of a joint's limits from a map that also has `lower` and `upper`; `angle` as for friction. */
void ff_read_stop(ff_scene_reader *r, const char *where, const ff_node *node, bool angle,
                  ff_normal *out);

/* Checks the return value of a builder function and returns it. */
int ff_reader_added(ff_scene_reader *r, const char *where, const ff_node *node, int index);
