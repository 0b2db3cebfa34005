/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* What the author of a scene may not have meant: lines on stderr, and what --strict makes of them. */

#include "args.h"
#include <footfall/footfall.h>

#define WARNINGS_STRICT                                                                            \
    { "strict", "", "", "a warning is an error: it ends the command", false, 0 }

/* A line each on stderr. With --strict and a warning: the exit status 2, of a model that is not run; 1, of a run that
 * was made. Otherwise 0. */
int warnings_of_model(const args *a, const char *scene, const ff_model *model);
int warnings_of_run(const args *a, const char *scene, ff_sim *sim);
