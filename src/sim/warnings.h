/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* A list of warnings that is being made. */

#include "sim.h"
#include <footfall/warning.h>

/* Of each kind the first few are kept, so that a thousand grains that are too heavy do not hide what else there is. */
enum { FF_WARNINGS_OF_KIND = 4, FF_WARNINGS_MOST = FF_WARNINGS_OF_KIND * FF_WARNING_KINDS };

typedef struct ff_warnings {
    ff_warning at[FF_WARNINGS_MOST];
    size_t count;
    size_t of_kind[FF_WARNING_KINDS], last[FF_WARNING_KINDS];
} ff_warnings;

/* Starts as {.count = 0}. `format` is of the text. */
__attribute__((format(printf, 5, 6))) void ff_warnings_add(ff_warnings *list, ff_warning_kind kind,
                                                           double value, double limit,
                                                           const char *format, ...);
/* All of a model, and what a run adds to them. */
void ff_warnings_of_model(const ff_model *model, ff_warnings *list);
void ff_warnings_of_run(ff_sim *sim, ff_warnings *list);
/* Says how many were left out of each kind. */
void ff_warnings_end(ff_warnings *list);
/* Warning i of the list, or an empty one. */
ff_warning ff_warnings_at(const ff_warnings *list, size_t i);

/* A depth above this part of the radius is beyond what laws of small deformations know. */
#define FF_DEPTH_PART 0.1

/* A fixed step that a contact of the model is not stable with. */
void ff_warn_step(const ff_model *model, const ff_run_options *o, ff_warnings *list);
