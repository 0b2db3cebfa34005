/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* Warnings of many runs, one of each kind. */

#include "sim/warnings.h"
#include <footfall/study.h>

typedef struct ff_warned {
    struct {
        ff_warning warning; /* the first one of the first row that has it */
        size_t row, runs;
    } of[FF_WARNING_KINDS];
} ff_warned;

/* Adds the warnings of `runs` runs, the first of which is `row`. The result does not depend on the order of calls. */
void ff_warned_add(ff_warned *warned, const ff_warnings *list, size_t row, size_t runs);
/* Calls the function for each kind that has occurred. */
void ff_warned_tell(const ff_warned *warned, const ff_sweep *sweep);
