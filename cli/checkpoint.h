/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* Checkpoints of a run: when they are written, and what is in them besides the sim: the events so far, and where
 * the trace stands. */

#include "outcome.h"
#include "trace.h"

typedef struct checkpoint {
    const char *path; /* NULL: none are written */
    double every;     /* s of simulated time; 0: not by time */
    bool at_events;
    double next; /* the time of the next one */
    long steps;  /* of the run when the last one was written */
    size_t told; /* events then */
    bool failed; /* the last one could not be written */
} checkpoint;

/* --checkpoint and --checkpoint-every; 0, or the exit status after an error was told: also where the file could
 * not be written. */
int checkpoint_options(checkpoint *c, const args *a);

/* Whether the step that was just made is one to write after: it ended in an event, or was the first to end at or
 * after a multiple of the spacing. */
bool checkpoint_due(checkpoint *c, const ff_sim *sim, bool event);

/* Brings the trace (NULL: none) up to date, then writes. Where that fails it is told, once in a row. */
bool checkpoint_write(checkpoint *c, const args *a, ff_sim *sim, const event_list *events,
                      trace *kept);

/* Whether the last one that was written is of this very state. */
bool checkpoint_fresh(const checkpoint *c, const ff_sim *sim, const event_list *events);

/* Puts a run where a file left off. `trace_state`, of `size` bytes, is what trace_restore() wants, and the caller's
 * to free; size 0: there was no trace. 0, or the exit status after an error was told. */
int checkpoint_resume(const args *a, const char *path, ff_sim *sim, event_list *events,
                      void **trace_state, size_t *size);
