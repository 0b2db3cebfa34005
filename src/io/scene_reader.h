/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* What the sections of a scene file share while they are read. */

#include "key.h"
#include "model/scene.h"
#include <footfall/material.h>

/* A body, a group of grains or a plane, by name. */
typedef struct ff_named {
    const char *name;
    const ff_node *node;
    int body;                /* a group's first; -1: a plane */
    size_t shape, shape_end; /* its shapes in the scene */
    size_t grains;           /* of a group, else 0 */
} ff_named;

/* A joint, by name. */
typedef struct ff_joined {
    const char *name;
    ff_joint_kind kind;
    int index; /* -1: there is something wrong with it */
} ff_joined;

typedef struct ff_scene_reader {
    ff_messages *messages;
    ff_scene *scene;
    double memory; /* bytes that the scene may take */
    ff_parameters parameters;
    FF_LIST(ff_named) names; /* sorted once bodies and ground are read */
    FF_LIST(ff_joined) joints;
    struct ff_control_reader *control; /* of a file with expressions of its run; else NULL */
    ff_status status;                  /* FF_NO_MEMORY once memory has ended */
} ff_scene_reader;

/* Sections, in the order in which they are read. What is wrong is reported and replaced by something
 * legal, so that what refers to it can be read. */
void ff_read_bodies(ff_scene_reader *r, const ff_node *node);
void ff_read_ground(ff_scene_reader *r, const ff_node *node);
void ff_read_joints(ff_scene_reader *r, const ff_node *node);
void ff_read_pairs(ff_scene_reader *r, const ff_node *node);
void ff_read_forces(ff_scene_reader *r, const ff_node *node);
void ff_read_gait(ff_scene_reader *r, const ff_node *node);

/* Whether an entry of `bodies` is a group of grains; and reads such a one, under a name that can be. */
bool ff_is_grains(const ff_node *node);
void ff_read_grains(ff_scene_reader *r, const ff_node *node, const char *name);

/* Keeps a name for those that refer to it. */
void ff_reader_name(ff_scene_reader *r, ff_named named);

/* Finds what has that name: a body, a group, a grain such as sand[3], or a plane. */
bool ff_reader_find(const ff_scene_reader *r, const char *name, ff_named *out);

/* Reports that nothing has the name in `node`; planes are offered where they would do. */
void ff_reader_unknown(ff_scene_reader *r, const ff_map *map, const ff_node *node, bool planes);

/* The index of one body, at an int, by its name. */
ff_key_reader ff_key_body;

/* What a friction law may derive its parameters from: the normal law beside it. */
typedef struct ff_beside {
    bool contact; /* there is one; joints have none */
    bool read;    /* and nothing is wrong with it */
    double n;     /* in units such as N/m^n: the normal law's grade is z^(n-1); NAN: not known */
    bool
        loose; /* the grade is no power: such units cannot be checked, and a plain number is taken */
    double k, lambda, exponent; /* what parameters may be derived from; NAN where there is none */
    bool material;              /* they follow from materials, which are these */
    const ff_material *materials[2];
} ff_beside;

/* Reads a friction law. With `angle` it is that of something that turns: what is in newton for a contact is in newton
 * metres, and what is in metres in radians. */
void ff_read_friction(ff_scene_reader *r, const char *where, const ff_node *node,
                      const ff_beside *beside, bool angle, ff_friction *out);

/* Reads the normal law of a joint's limits from a map that also has `lower` and `upper`; with `angle` as above. */
void ff_read_stop(ff_scene_reader *r, const char *where, const ff_node *node, bool angle,
                  ff_normal *out);

/* Takes what a call of the builder returned, and returns it. */
int ff_reader_added(ff_scene_reader *r, const char *where, const ff_node *node, int index);
