/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* Expressions of a run: controllers, forces, users' functions (docs/scenes.md, Control). */

#include "scene_reader.h"

typedef struct ff_control_reader ff_control_reader;

/* Whether a scene file has any. */
bool ff_control_wanted(const ff_node *root);
/* Makes the names ready that expressions may use, and reads the sections `controllers` and `events`, and motions of planes.
 * NULL where memory ends. */
ff_control_reader *ff_control_read(ff_scene_reader *r, const ff_node *root);
/* Reads one expression as component `part` of the command of the next force, of this dimension; sampled where `every` is
 * not 0. */
void ff_control_command(ff_control_reader *c, const ff_map *map, const char *key,
                        const ff_node *node, ff_dimension dim, size_t part, double every);
/* Gives it all to the scene, unless there were mistakes since `before`. */
void ff_control_finish(ff_control_reader *c, size_t before);
void ff_control_reader_free(ff_control_reader *c);
