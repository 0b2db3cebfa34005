/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* What a run records: rows of numbers, at every step, at even spacing, at changes or at events. They go
 * into a file as the run goes, or are kept to be drawn. */

#include "args.h"
#include <footfall/footfall.h>

/* Numbers that belong together: what they are called, and each of them in a table. Those without names of their
 * own are called as the field, with an index where there are several. */
typedef struct trace_field {
    const char *name, *units;
    size_t width;
    const char *parts[4];
} trace_field;

/* A field of something: of a body, of two things that may touch, of the run. */
typedef struct trace_set {
    const char *folder, *owner; /* "bodies" and "ball"; NULL for none */
    bool bare;                  /* its name in a table goes without its owner or folder */
    const trace_field *field;
    size_t at;           /* its first column */
    double scale, reach; /* what changes are measured against: the larger one */
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

/* How a run is asked. */
typedef struct trace_kind {
    double (*time)(const trace *t);
    void (*observe)(trace *t, double time); /* NAN: the present */
    /* fills t->row but for its time, and t->energy, where it is observed */
    void (*fill)(trace *t);
    ff_ledger (*ledger)(const trace *t);
    /* what an event is of, NULL: of nothing that has a name */
    const char *(*pair)(const trace *t, const ff_event *event);
} trace_kind;

struct trace {
    const trace_kind *kind;
    const void *of;    /* the model, or the system */
    void *run;         /* the sim, or the inclusion */
    void *own;         /* memory of the kind's, freed with the trace */
    size_t pair_width; /* bytes of the longest name that an event may have */
    trace_choice choice;
    trace_file *file; /* where rows go; NULL: they are kept */
    trace_set *sets;
    size_t set_count, columns, rows, room;
    size_t bodies;              /* that have columns */
    size_t offered, stride;     /* rows that there were; of those that are kept one in so many is */
    size_t events;              /* that were told to the file */
    double ticks;               /* the next row of even spacing is so many of them from time 0 */
    long long place;            /* where a CSV file is to be gone on with, bytes */
    double *row, *first, *last; /* this one, the first and the last that were taken */
    double energy;              /* scale of energies */
    double *values;             /* by rows, if they are kept */
};

/* Of a run of a scene (trace_scene.c). False where memory ends; it is to be cleared all the same. */
bool trace_init(trace *t, const ff_model *model, ff_sim *sim, const trace_choice *choice);
void trace_clear(trace *t);

/* For kinds: a trace with room for so many sets and nothing but time; a set more, with a field that lives as long
 * as the trace; what a row needs, once all are there. */
bool trace_begin(trace *t, size_t sets);
void trace_add(trace *t, const trace_set *set);
bool trace_ready(trace *t);
/* The values of a ledger and its residual, in the order of the sets that trace_add_ledger() makes. */
void trace_add_ledger(trace *t);
void trace_fill_ledger(trace *t, const ff_ledger *l, double *row);
#define TRACE_ONE(name) +1
enum { TRACE_LEDGER = 1 FF_LEDGER_LIST(TRACE_ONE) };
#undef TRACE_ONE

/* How many rows there will be, 0 if that is not known; events add a few. */
double trace_rows(const ff_run_options *o, const trace_choice *choice);

/* The row of the start; these are false where memory ends or the file cannot be written. */
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

/* "ball:x" */
enum { TRACE_NAME = 256 };
void trace_column_name(const trace *t, size_t column, char *buf, size_t size);

/* A picture of some columns, those of which `wanted` is true; none where there are none. The exit status. */
typedef bool trace_wanted(const trace_set *set, size_t part, const void *user);
int trace_draw(const trace *t, const args *a, const char *folder, const char *name,
               const char *title, const char *label, trace_wanted *wanted, const void *user);
/* that of the ledger */
int trace_draw_energy(const trace *t, const args *a, const char *folder);
/* Makes the folder of pictures, or tells why not; the exit status. */
int trace_folder(const args *a, const char *folder);

/* Draws a run of a scene; the exit status. */
int trace_plot(const trace *t, const args *a, const char *folder);
