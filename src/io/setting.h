/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

#include "yaml.h"

/* Applies a text PATH=VALUE to the tree of a scene, as in bodies.ball.mass=0.2 or pairs[0].normal.k=1e6. A key that is not
 * in the file is added, for the reader of the scene to check; names of bodies, ground and forces, and items of lists, must
 * exist. Errors are reported under the setting's name. FF_NO_MEMORY is the only failure. */
ff_status ff_setting_apply(ff_tree *tree, ff_node *root, const char *setting,
                           ff_messages *messages);
