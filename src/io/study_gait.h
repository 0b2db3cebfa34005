/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

#include <footfall/study.h>

/* The gaits of a walker over one parameter. `sweep` has the file, its settings, in vary the parameter, and
 * progress(). FF_STOPPED: progress() stopped it, and there is no table. */
typedef struct ff_gait_search {
    const ff_sweep *sweep;
    size_t steps; /* from the start of the scene to the search for the first gait */
    /* follow a branch, PATH=FROM:TO:N, also where it turns back; otherwise find the gait of each value of PATH=RANGE, from the gait
     * before it, or from the start if that fails */
    bool branch;
    bool may_fail; /* where no gait is found is a row with the reason; otherwise an error */
} ff_gait_search;

ff_status ff_gait_table(const ff_gait_search *search, ff_table **out, ff_messages *messages);
