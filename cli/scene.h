/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

#include "args.h"
#include <footfall/footfall.h>

/* The values of --set, and room for `more`; NULL if out of memory. */
const char **scene_settings(const args *a, size_t more, size_t *count);
/* Prints the errors of a file and clears the messages; 0 or 2. */
int scene_tell(const args *a, const char *path, ff_status status, ff_messages *messages);
/* Applies --until, --dt, --every, --tol, --method and --events to `o`. */
int scene_run_options(const args *a, ff_run_options *o);
/* Applies --formulation and --constraints, for which a model is compiled, to `o`. */
int scene_joint_options(const args *a, ff_run_options *o);

/* Reads a scene with --set applied, using at most `memory` bytes. Errors go to stderr, one per line; returns 0 or 2.
 * `source` (may be NULL) receives the text of the file, which the caller frees. */
int scene_read(const args *a, const char *path, double memory, ff_scene **scene, char **source);

/* Compiles a scene with its current run options, which decide how many bodies are treated and how much memory a run needs;
 * this is subtracted from `memory`. 0, or 2 after an error was printed. */
int scene_compile(const args *a, const char *path, const ff_scene *scene, double *memory,
                  ff_model **model);

/* The scene with --set and these options applied, as text that repeats the run. If the scene keeps its source, the text is
 * not parsed again. The caller frees it; NULL if out of memory. */
char *scene_print(const args *a, const ff_scene *scene, const char *text, const ff_run_options *o);
/* The text of a scene with --set and these options applied; the caller frees it, NULL if out of memory. */
char *scene_resolved(const args *a, const char *text, const ff_run_options *o);
