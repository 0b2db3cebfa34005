/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

#include "args.h"
#include <footfall/footfall.h>

/* Reads the scene that is the first word, with --set applied, and compiles it. Mistakes go to stderr, a
 * line each; returns 0 or 2. */
int scene_load(const args *a, ff_scene **scene, ff_model **model);
