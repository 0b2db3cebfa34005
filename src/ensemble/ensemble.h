/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* Runs many simulations of one scene at once, one per SIMD lane: a sphere about its centre of mass (parts.h), whose orientation
 * is not integrated, or another free body (trials.h). */

#include "sim/sim.h"
#include <footfall/sim.h>

/* Number of runs that are in progress at once. */
enum { FF_ENSEMBLE_RUNS = 16 };

/* A step of a lane that is being reported. Steps follow each other without gaps, from the start of a run to its end; one of
 * length 0 only has new values at its end. */
typedef struct ff_ensemble_step {
    double end; /* s */
    /* without an event, and no longer than error control allows or a quarter of a period: everything that depends on the
     * state is smooth, and resolved by the ends of the steps */
    bool plain;
    ff_sim *sim; /* run with a flow of its own (trials.h); NULL: the lane */
    struct ff_lane *lane;
    const struct ff_lane_block *block;
    int index;
} ff_ensemble_step;

/* Sets the fields of the sim to a time within a step that is being reported, by interpolation; the end of the step, or a
 * later time: to the values after the events there. */
void ff_ensemble_observe(const ff_ensemble_step *step, double time);

/* Source and sink of runs. A lane, 0 to FF_ENSEMBLE_RUNS - 1, holds one run at a time. */
typedef struct ff_ensemble_feed {
    /* Supplies the next run: a sim at its start, borrowed until done() is called for it. False if there are no more. */
    bool (*next)(void *user, int lane, ff_sim **sim);
    /* The run of a lane has ended. Its sim is at the end of the run: all fields except orientations are valid.
     * `counts` has the number of events of each kind. If `good` is false, lanes could not start or continue the run;
     * the sim is at its start or at the last event. */
    void (*done)(void *user, int lane, const size_t counts[FF_USER + 1], bool good);
    /* The sim of a lane is at an event, ff_sim_event(): all fields except orientations are valid, and impacts are
     * recorded. NULL: events are only counted, which is faster. */
    void (*event)(void *user, int lane);
    /* The lane has made a step: its sim is at the end of the step, with all fields except orientations. Called before
     * event(). NULL: steps are not reported, which is faster. Not for fixed steps. */
    void (*step)(void *user, int lane, const ff_ensemble_step *step);
    /* Whether to stop; called several times a second, may be NULL. */
    bool (*stop)(void *user);
    void *user;
} ff_ensemble_feed;

/* The reason why runs of a model with these options cannot use lanes, in a few words; NULL if they can. */
const char *ff_ensemble_refusal(const ff_model *model, const ff_run_options *options);

/* Number of runs in one SIMD vector on this machine. */
int ff_ensemble_width(void);

/* Runs until the feed has no more runs, on the calling thread; several threads may call it at once. The model must
 * not be refused. Runs of models with other laws, or without events if this model has some, are returned as not
 * good. The result of a run depends only on its sim. FF_NO_MEMORY. */
ff_status ff_ensemble_run(const ff_model *model, const ff_run_options *options,
                          const ff_ensemble_feed *feed);
