/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* Warnings about a scene or run: lines on stderr, and the effect of --strict. */

#include "args.h"
#include <footfall/footfall.h>

#define WARNINGS_STRICT                                                                            \
    { "strict", "", "", "a warning is an error: it ends the command", false, 0 }

/* Prints one line each on stderr. With --strict and a warning, returns the exit status 2 for a model that is not run, 1 for
 * a completed run. Otherwise 0. */
int warnings_of_model(const args *a, const char *scene, const ff_model *model);
int warnings_of_run(const args *a, const char *scene, ff_sim *sim);
/* Prints a warning of several runs, the first of which is `row`, counted from 0. */
void warnings_of_runs(const args *a, const char *scene, const ff_warning *w, size_t row,
                      size_t runs);
