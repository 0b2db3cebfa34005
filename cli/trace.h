/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* What a run records: rows of the values of its fields, at every step, at even spacing, at changes or at events. They
 * go into a file as the run goes, or are kept to be drawn. */

#include "args.h"
#include "sampler.h"
#include <footfall/footfall.h>

/* The columns of one field. */
typedef struct trace_set {
    size_t at, width;    /* its first column, and how many it has */
    double scale, reach; /* what changes are measured against: the larger one */
    bool energy;         /* it is an energy: measured against all of them together */
} trace_set;

/* Which rows are taken. */
typedef struct trace_choice {
    double every;  /* spacing, s; 0: every step */
    double fill;   /* with every step: rows in between, at most so far apart; 0: none */
    double change; /* where something has changed by this part of its scale; 0: changed or not */
    bool only_events;
    size_t values_most; /* of rows that are kept: of more of them every second goes; 0: no limit */
    size_t bodies_most; /* of a crowd: so many of them, evenly chosen; 0: all */
} trace_choice;

typedef struct trace_file trace_file;
typedef struct trace trace;

struct trace {
    const ff_model *model;
    ff_sim *sim;
    /* Another trace of the same run, or NULL: it steps with this one, and a row that both want is evaluated once. Its
     * fields are among those of this one. */
    trace *beside;
    size_t pair_width; /* bytes of the longest name that an event may have */
    trace_choice choice;
    sampler when;
    trace_file *file; /* where rows go; NULL: they are kept */
    size_t *fields;   /* of each set; then of the scale of energies */
    trace_set *sets;
    size_t set_count, set_room, columns, rows, room;
    size_t bodies;              /* that have columns */
    size_t offered, stride;     /* rows that there were; of those that are kept one in so many is */
    size_t events;              /* that were told to the file */
    bool restored;              /* it resumes a file */
    long long place;            /* where a CSV file is resumed, bytes */
    double *row, *first, *last; /* this one, the first and the last that were taken */
    double energy;              /* scale of energies */
    double *values;             /* by rows, if they are kept */
};

/* False where memory ends; it is to be cleared all the same. */
bool trace_init(trace *t, const ff_model *model, ff_sim *sim, const trace_choice *choice);
void trace_clear(trace *t);

/* How many rows there will be, 0 if that is not known; events add a few. */
double trace_rows(const ff_run_options *o, const trace_choice *choice);

/* The row of the start, of a trace that was not restored; these are false where memory ends or the file cannot be
 * written. They are for the trace and those beside it. */
bool trace_start(trace *t);
/* Takes rows from the step that was just made, and the event that it ended in, NULL if in none. */
bool trace_step(trace *t, const ff_event *event);
bool trace_end(trace *t);

/* Where a trace stands, as bytes: one of the same model and choice that takes them back goes on with the file
 * from there, after trace_file_flush(). False where it is of another choice, or no such state. */
size_t trace_state_size(const trace *t);
void trace_save(const trace *t, void *state);
bool trace_restore(trace *t, const void *state, size_t size);

/* The body of the model that the i-th one of a row is. */
size_t trace_body(const trace *t, size_t i);

/* ---- names ---- */

/* The field of a set. */
ff_field trace_field(const trace *t, size_t set);

/* A path taken apart: "bodies", "ball" and "position"; "ledger", "" and "slip"; "", "" and "time". */
typedef struct trace_words {
    char text[FF_FIELD_PATH];
    const char *folder, *owner, *name;
} trace_words;

void trace_split(const ff_field *field, trace_words *out);

/* What a table calls a number of a field: "ball:x", "ledger:slip". States and outputs of an inclusion go without their
 * folder. */
enum { TRACE_NAME = 256 };
void trace_column_name(const ff_field *field, size_t part, char *buf, size_t size);

/* ---- pictures (trace_plot.c) ---- */

/* Draws a run: of a scene heights, forces, slip, joints and energies; of an inclusion states and outputs by their units,
 * gaps, forces, slip and energies. The exit status. */
int trace_plot(const trace *t, const args *a, const char *folder);
