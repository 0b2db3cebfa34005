/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* Many runs of one scene at once, in lanes (parts.h). */

#include "sim/sim.h"
#include <footfall/sim.h>

/* How many runs are in lanes at once. */
enum { FF_ENSEMBLE_RUNS = 16 };

/* Where runs come from and go to. A lane, from 0 to FF_ENSEMBLE_RUNS - 1, has one run at a time. */
typedef struct ff_ensemble_feed {
    /* The next run: a sim at its start, to be lent until done(); false: there is no other one. */
    bool (*next)(void *user, int lane, ff_sim **sim);
    /* The run of a lane has come to its end, and its sim is there: all fields but orientations are those of the end. `counts` are
     * its events, by their kind. Not `good`: lanes cannot begin with it or go on with it, and the sim is where it began. */
    void (*done)(void *user, int lane, const size_t counts[FF_USER + 1], bool good);
    /* Whether to stop; asked now and then, may be NULL. */
    bool (*stop)(void *user);
    void *user;
} ff_ensemble_feed;

/* Why runs of a model in this way cannot go in lanes, in a few words; NULL: they can. */
const char *ff_ensemble_refusal(const ff_model *model, const ff_run_options *options);

/* Lanes on this machine: how many runs a vector has. */
int ff_ensemble_width(void);

/* Runs until the feed ends, on this thread; may be called by several at once. Runs of models with other laws than this one,
 * which is not refused, or without events where this one has some, are not good. What comes of a run depends on nothing but
 * its sim. FF_NO_MEMORY. */
ff_status ff_ensemble_run(const ff_model *model, const ff_run_options *options,
                          const ff_ensemble_feed *feed);
