/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* When checkpoints of a run are written. */

#include "args.h"
#include <footfall/footfall.h>

typedef struct checkpoint {
    const char *path; /* NULL: none are written */
    double every;     /* s of simulated time; 0: not by time */
    bool at_events;
    double next;   /* the time of the next one */
    long steps;    /* number of steps at the last one */
    size_t events; /* number of events at the last one */
    bool failed;   /* the last one could not be written */
} checkpoint;

/* Reads --checkpoint and --checkpoint-every; 0, or the exit status after an error was printed, also if the file could not
 * be written. */
int checkpoint_options(checkpoint *c, const args *a);

/* Whether a checkpoint is due after the last step: it ended in an event, or was the first to reach a multiple of the
 * spacing. */
bool checkpoint_due(checkpoint *c, const ff_sim *sim, bool event);

/* Writes a checkpoint of the run that a trace records. Of consecutive failures only the first is printed. */
bool checkpoint_write(checkpoint *c, const args *a, ff_sim *sim, ff_trace *t);

/* Whether the last checkpoint has the current state. */
bool checkpoint_fresh(const checkpoint *c, const ff_sim *sim, const ff_trace *t);
