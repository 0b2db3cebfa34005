/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

#include "args.h"
#include <footfall/footfall.h>

/* Reads the scene that is the first word, with --set applied, and compiles it. Mistakes go to stderr, a
 * line each; returns 0 or 2. `source` (may be NULL) gets the text of the file, which the caller frees. */
int scene_load(const args *a, ff_scene **scene, ff_model **model, char **source);

/* The text with --set and these options applied: running it does the same again. The caller frees it; NULL
 * where memory ends. */
char *scene_resolved(const args *a, const char *source, const ff_run_options *o);
