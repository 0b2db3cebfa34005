/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

#include "file.h"
#include <footfall/sampler.h>
#include <footfall/trace.h>

/* The columns of one field. */
typedef struct ff_trace_set {
    size_t at, width;    /* its first column, and number of columns */
    double scale, reach; /* changes are relative to the larger of these */
    bool energy;         /* an energy: changes are relative to the sum of all energies */
    size_t dataset;      /* for an opened trace: the dataset of its values, and the body */
    size_t body;         /* SIZE_MAX: not in a block */
} ff_trace_set;

struct ff_trace {
    const ff_model *model; /* NULL: it was opened from a file */
    ff_sim *sim;
    ff_trace *beside;
    ff_trace_options choice; /* with copied texts */
    size_t pair_width; /* size of the longest owner name of an event, including the terminating 0 */
    ff_sampler when;
    ff_trace_file *file; /* file for the rows, while it is open */
    size_t *fields;      /* field of each set; then of the scale of energies */
    ff_trace_set *sets;
    size_t set_count, set_room, columns, rows, room;
    size_t bodies, body_most;   /* number of bodies with columns, and of all bodies */
    size_t offered, stride;     /* number of rows so far; every `stride`-th row is kept */
    bool started, over;         /* ff_trace_start() and ff_trace_end() were called */
    double *row, *first, *last; /* the current row, the first and the last recorded one */
    double energy;              /* scale of energies */
    double *values;             /* stored rows, if they are kept in memory */
    ff_event *events;
    size_t event_count, event_room;
    char ended[FF_TRACE_REASON], failed[FF_TRACE_REASON]; /* "": not the case */
    ff_ledger ledger;                                     /* at the end */
    char *outcome; /* warnings and impacts at the end, a JSON object; NULL: not ended yet */

    /* for a resumed trace */
    bool resumed;       /* continues the file it was in */
    bool discards;      /* does not continue it: there is no file */
    size_t file_events; /* number of events in the file: the last ones of the list */
    long long place;    /* byte position at which a CSV file continues */

    /* for an opened trace (read.c): the file, or the trace that it was loaded from */
    ff_saved *saved;
    const ff_trace *of;
};

/* Writes the sentence of a failure and returns the status. */
__attribute__((format(printf, 3, 4))) ff_status ff_trace_refuse(ff_error *error, ff_status status,
                                                                const char *format, ...);

/* Whether a sim or a file is that of an inclusion. */
bool ff_trace_is_inclusion(const ff_trace *trace);
bool ff_trace_is_crowd(const ff_trace *trace);

/* The time that a run has reached: that of its sim, or of the last replayed row. */
double ff_trace_time(const ff_trace *trace);

/* Implements ff_sim_record() for options with `replay`; the trace has not started. */
ff_status ff_trace_replay(ff_trace *trace, ff_error *error);
/* Appends `row` of the trace; false if it cannot be written, or out of memory. */
bool ff_trace_take(ff_trace *trace);

/* Expected number of rows, 0 if unknown; events add a few. */
double ff_trace_expected(const ff_trace *trace);

/* The model index of the i-th body of a row. */
size_t ff_trace_body(const ff_trace *trace, size_t i);

/* Loads rows of an opened trace into memory: every n-th, so that there are at most `values_most` numbers, and the last; for
 * a crowd `bodies_most` bodies. Valid as long as `from`. */
ff_status ff_trace_load(const ff_trace *from, size_t values_most, size_t bodies_most,
                        ff_trace **out, ff_error *error);

/* ---- names ---- */

/* The field of a set. */
ff_field ff_trace_field(const ff_trace *trace, size_t set);

/* A path split into folder, owner and name: "bodies", "ball", "position"; "ledger", "", "slip"; "", "", "time". */
typedef struct ff_trace_words {
    char text[FF_FIELD_PATH];
    const char *folder, *owner, *name;
} ff_trace_words;

void ff_trace_split(const ff_field *field, ff_trace_words *out);

/* Column name of a number of a field: "ball:x", "ledger:slip". States and outputs of an inclusion have no folder. */
enum { FF_TRACE_NAME = 256 };
void ff_trace_column_name(const ff_field *field, size_t part, char *buf, size_t size);

/* Number of objects of a folder that have columns. */
size_t ff_trace_owners(const ff_trace *trace, const char *folder);

/* ---- warnings and impacts (outcome.c) ---- */

/* A JSON object as written by ff_outcome_json(), with at most 500 contacts, which the caller frees; NULL if out of memory. */
char *ff_outcome_make(const ff_model *model, ff_sim *sim);

/* ---- drawing of a model for pages (picture.c) ---- */

enum { FF_PICTURE_BODIES = 4000 }; /* most bodies of a crowd */

/* Bodies, shapes, planes, contacts, springs and joints, as one JSON object that the caller frees; NULL if out of memory.
 * For a crowd `shown` bodies, evenly chosen. */
char *ff_picture_make(const ff_model *model, size_t shown);
/* The picture of a trace, which the caller frees. FF_MISSING: the file has none. */
ff_status ff_trace_picture(const ff_trace *trace, char **out, ff_error *error);
