/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

#include "args.h"
#include <footfall/footfall.h>

/* The values of --set, and room for `more`; NULL where memory ends. */
const char **scene_settings(const args *a, size_t more, size_t *count);
/* Prints what is wrong with a file that was read, and clears the messages; 0 or 2. */
int scene_tell(const args *a, const char *path, ff_status status, ff_messages *messages);
/* --until, --dt, --every, --tol, --method and --events in the place of what `o` has. */
int scene_run_options(const args *a, ff_run_options *o);
/* --formulation and --constraints, which a model is made for, in the place of what `o` has. */
int scene_joint_options(const args *a, ff_run_options *o);

/* Reads a scene with --set applied, of at most `memory` bytes. Mistakes go to stderr, a line each; returns 0 or 2.
 * `source` (may be NULL) gets the text of the file, which the caller frees. */
int scene_read(const args *a, const char *path, double memory, ff_scene **scene, char **source);

/* Compiles it, as its run options are now: they decide what is made of many bodies, and how much memory a run takes,
 * which is taken of what is left. 0, or 2 after an error was printed. */
int scene_compile(const args *a, const char *path, const ff_scene *scene, double *memory,
                  ff_model **model);

/* The scene with --set and these options applied, as text: running it repeats the run. Of a scene that keeps what
 * it was read from, the text need not be parsed again. The caller frees it; NULL where memory ends. */
char *scene_print(const args *a, const ff_scene *scene, const char *text, const ff_run_options *o);
/* The text of a scene with --set and these options applied; the caller frees it, NULL where memory ends. */
char *scene_resolved(const args *a, const char *text, const ff_run_options *o);
