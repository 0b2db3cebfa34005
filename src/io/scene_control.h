/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* Expressions of a run: controllers, forces, event functions (docs/scenes.md, Control). */

#include "control/control.h"
#include "scene_reader.h"

typedef struct ff_control_reader ff_control_reader;

/* Whether a scene file has any. */
bool ff_control_wanted(const ff_node *root);
/* Prepares the names that expressions may use, and reads the sections `controllers` and `events`, and motions of planes and
 * joints. NULL if out of memory. */
ff_control_reader *ff_control_read(ff_scene_reader *r, const ff_node *root);
/* Reads one expression as component `part` of the command of the next force, with this dimension; sampled if `every` is not
 * 0. */
void ff_control_command(ff_control_reader *c, const ff_map *map, const char *key,
                        const ff_node *node, ff_dimension dim, size_t part, double every);
/* Reads the prescribed motions of planes and joints (scene_motion.c). */
void ff_read_motions(ff_control_reader *c, ff_scene_reader *r, const ff_node *root);
/* An expression of t alone with some dimension; 0, with a message, if it is invalid. */
ff_expr ff_control_law(ff_control_reader *c, const ff_map *map, const ff_node *node,
                       const ff_dimension *dim);
void ff_control_move_plane(ff_control_reader *c, const ff_draft_motion *motion);
void ff_control_move_joint(ff_control_reader *c, const ff_draft_drive *drive);
/* Adds everything to the scene, unless there were errors since `before`. */
void ff_control_finish(ff_control_reader *c, size_t before);
void ff_control_reader_free(ff_control_reader *c);
