/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

#include "file.h"
#include <footfall/sampler.h>
#include <footfall/trace.h>

/* The columns of one field. */
typedef struct ff_trace_set {
    size_t at, width;    /* its first column, and how many it has */
    double scale, reach; /* what changes are measured against: the larger one */
    bool energy;         /* it is an energy: measured against all of them together */
    size_t dataset;      /* of a trace that was opened: where its values are, and of which body */
    size_t body;         /* SIZE_MAX: not one of a block */
} ff_trace_set;

struct ff_trace {
    const ff_model *model; /* NULL: it was opened */
    ff_sim *sim;
    ff_trace *beside;
    ff_trace_options choice; /* its texts are copies */
    size_t pair_width;       /* bytes of the longest name that an event may have, with a 0 */
    ff_sampler when;
    ff_trace_file *file; /* that rows go to, while it is open */
    size_t *fields;      /* of each set; then of the scale of energies */
    ff_trace_set *sets;
    size_t set_count, set_room, columns, rows, room;
    size_t bodies, body_most;   /* that have columns, and that there are */
    size_t offered, stride;     /* rows that there were; of those that are kept one in so many is */
    bool started, over;         /* ff_trace_start() and ff_trace_end() were called */
    double *row, *first, *last; /* this one, the first and the last that were taken */
    double energy;              /* scale of energies */
    double *values;             /* by rows, if they are kept */
    ff_event *events;
    size_t event_count, event_room;
    char ended[FF_TRACE_REASON], failed[FF_TRACE_REASON]; /* "": not so */
    ff_ledger ledger;                                     /* at the end */
    char *outcome; /* warnings and impacts at the end, a JSON object; NULL: it goes on */

    /* of one that goes on */
    bool resumed;       /* in the file it was in */
    bool discards;      /* it is not: there is no file */
    size_t file_events; /* that are in the file: the last ones of the list */
    long long place;    /* where a CSV file goes on, bytes */

    /* of one that was opened (read.c): the file, or the trace that it was loaded from */
    ff_saved *saved;
    const ff_trace *of;
};

/* A sentence of a failure; the status. */
__attribute__((format(printf, 3, 4))) ff_status ff_trace_refuse(ff_error *error, ff_status status,
                                                                const char *format, ...);

/* Whether a sim or a file is that of an inclusion. */
bool ff_trace_is_inclusion(const ff_trace *trace);
bool ff_trace_is_crowd(const ff_trace *trace);

/* How many rows there will be, 0 if that is not known; events add a few. */
double ff_trace_expected(const ff_trace *trace);

/* The body of the model that the i-th one of a row is. */
size_t ff_trace_body(const ff_trace *trace, size_t i);

/* A trace in memory with the rows of one that was opened: one in so many, so that there are `values_most` numbers at the
 * most, and the last; of a crowd `bodies_most` bodies. It lives as long as `from` does. */
ff_status ff_trace_load(const ff_trace *from, size_t values_most, size_t bodies_most,
                        ff_trace **out, ff_error *error);

/* ---- names ---- */

/* The field of a set. */
ff_field ff_trace_field(const ff_trace *trace, size_t set);

/* A path taken apart: "bodies", "ball" and "position"; "ledger", "" and "slip"; "", "" and "time". */
typedef struct ff_trace_words {
    char text[FF_FIELD_PATH];
    const char *folder, *owner, *name;
} ff_trace_words;

void ff_trace_split(const ff_field *field, ff_trace_words *out);

/* What a table calls a number of a field: "ball:x", "ledger:slip". States and outputs of an inclusion go without their
 * folder. */
enum { FF_TRACE_NAME = 256 };
void ff_trace_column_name(const ff_field *field, size_t part, char *buf, size_t size);

/* How many things of a folder have columns. */
size_t ff_trace_owners(const ff_trace *trace, const char *folder);

/* ---- warnings and impacts (outcome.c) ---- */

/* One JSON object that the caller frees, as ff_outcome_json() writes it, with some 500 contacts at the most; NULL where
 * memory ends. */
char *ff_outcome_make(const ff_model *model, ff_sim *sim);

/* ---- what a page draws of a model (picture.c) ---- */

enum { FF_PICTURE_BODIES = 4000 }; /* of a crowd, at the most */

/* Bodies, shapes, planes, contacts, springs and joints, as one JSON object that the caller frees; NULL where memory ends.
 * Of a crowd `shown` bodies, evenly chosen. */
char *ff_picture_make(const ff_model *model, size_t shown);
/* The picture of a trace, the caller's to free. FF_MISSING: the file has none. */
ff_status ff_trace_picture(const ff_trace *trace, char **out, ff_error *error);
