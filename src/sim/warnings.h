/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* Construction of a list of warnings. */

#include "sim.h"
#include <footfall/warning.h>

/* Only the first few of each kind are kept, so that a thousand equal warnings do not hide others. */
enum { FF_WARNINGS_OF_KIND = 4, FF_WARNINGS_MOST = FF_WARNINGS_OF_KIND * FF_WARNING_KINDS };

typedef struct ff_warnings {
    ff_warning at[FF_WARNINGS_MOST];
    size_t count;
    size_t of_kind[FF_WARNING_KINDS], last[FF_WARNING_KINDS];
} ff_warnings;

/* Initialise with {.count = 0}. `format` and the following arguments give the text. */
__attribute__((format(printf, 5, 6))) void ff_warnings_add(ff_warnings *list, ff_warning_kind kind,
                                                           double value, double limit,
                                                           const char *format, ...);
/* Adds all warnings of a model, and those of a run. */
void ff_warnings_of_model(const ff_model *model, ff_warnings *list);
void ff_warnings_of_run(ff_sim *sim, ff_warnings *list);
/* Adds the number of omitted warnings of each kind. */
void ff_warnings_end(ff_warnings *list);
/* Warning i of the list, or an empty one. */
ff_warning ff_warnings_at(const ff_warnings *list, size_t i);

/* A depth above this fraction of the radius is beyond the validity of laws for small deformations. */
#define FF_DEPTH_PART 0.1

/* Warns about a fixed step for which a contact of the model is unstable. */
void ff_warn_step(const ff_model *model, const ff_run_options *o, ff_warnings *list);
