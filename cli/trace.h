/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* What a run records: rows of numbers, one column a quantity, at every step or at even spacing. */

#include "args.h"
#include <footfall/footfall.h>

typedef struct trace {
    const ff_model *model;
    double every, next; /* spacing, 0: every step; the time of the next row */
    double fill;        /* with every step: rows in between, at most so far apart; 0: none */
    bool only_events;
    size_t columns, rows, room;
    char **names;
    double *values; /* by rows */
} trace;

void trace_init(trace *t, const ff_model *model, double every, bool only_events);
void trace_clear(trace *t);

/* Whether a trace can be written under this name. */
bool trace_known(const char *path);

/* The row of the start. */
bool trace_start(trace *t, const ff_sim *sim);
/* Takes rows from the step that was just made; `event`: it ended in one. */
bool trace_step(trace *t, ff_sim *sim, bool event);

/* Writes or draws it; the exit status. */
int trace_write(const trace *t, const args *a, const char *path);
int trace_plot(const trace *t, const args *a, const char *folder);
