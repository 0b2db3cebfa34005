/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* Checkpoints of a run: when they are written. */

#include "args.h"
#include <footfall/footfall.h>

typedef struct checkpoint {
    const char *path; /* NULL: none are written */
    double every;     /* s of simulated time; 0: not by time */
    bool at_events;
    double next;   /* the time of the next one */
    long steps;    /* of the run when the last one was written */
    size_t events; /* that there were when the last checkpoint was written */
    bool failed;   /* the last one could not be written */
} checkpoint;

/* --checkpoint and --checkpoint-every; 0, or the exit status after an error was printed: also where the file could
 * not be written. */
int checkpoint_options(checkpoint *c, const args *a);

/* Whether the step that was just made is one to write after: it ended in an event, or was the first to end at or
 * after a multiple of the spacing. */
bool checkpoint_due(checkpoint *c, const ff_sim *sim, bool event);

/* Writes one of the run that a trace records. A failure is printed, once in a row. */
bool checkpoint_write(checkpoint *c, const args *a, ff_sim *sim, ff_trace *t);

/* Whether the last one that was written is of this very state. */
bool checkpoint_fresh(const checkpoint *c, const ff_sim *sim, const ff_trace *t);
