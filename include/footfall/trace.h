/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* What a run records: rows of the values of its fields, at every step, at even spacing, at changes or at events. Rows go
 * into a file as the run goes, CSV or HDF5 by the suffix, or are kept in memory.
 *
 *     ff_trace_options options = ff_trace_options_default();
 *     options.path = "roll.h5";
 *     ff_sim_record(sim, until, &options, &trace, &error);
 *
 * or, where the caller makes the steps:
 *
 *     ff_trace_create(sim, &options, &trace, &error);
 *     ff_trace_start(trace, &error);
 *     while (ff_sim_time(sim) < until && (status = ff_sim_step(sim, until)) >= 0) {
 *         ff_trace_step(trace, status == FF_EVENT ? ff_sim_event(sim) : NULL, &error);
 *     }
 *     ff_trace_end(trace, NULL, &error);
 *
 * A trace reads its sim and the sim's model as long as it lives. `error` may be NULL everywhere. Calls that fail return
 * FF_NO_MEMORY, FF_NOT_WRITTEN where a file cannot be written, or FF_BAD_VALUE where the input is wrong. */

#include <footfall/field.h>

FF_C_BEGIN

typedef struct ff_trace ff_trace;

typedef enum ff_trace_rows {
    FF_ROWS_STEPS,  /* at every step, at events on both sides of the jump; or at even spacing */
    FF_ROWS_EVENTS, /* at events only */
    FF_ROWS_NONE    /* none: only events are kept */
} ff_trace_rows;

typedef struct ff_trace_options {
    size_t size;
    const char *path; /* of the file that rows go to, .csv or .h5; NULL: they are kept in memory */
    ff_trace_rows rows;
    double every; /* spacing of rows, s; 0: every step */
    double fill;  /* with every step: rows in between, at most so far apart, s; 0: none */
    double
        change; /* rows where something has changed by this part of its scale; 0: changed or not */
    size_t
        values_most; /* numbers kept in memory: of more rows every second one is dropped; 0: no limit */
    size_t bodies_most; /* of a crowd: so many of its bodies, evenly chosen; 0: all */
    /* What an .h5 file and a page tell of the run; each may be NULL. Copied. */
    const char *name;    /* the file of the scene; a page takes its title from it */
    const char *source;  /* the text of the scene as it was written */
    const char *scene;   /* the text of the scene as it is run: ff_scene_print() */
    const char *command; /* what did the run, for people */
    /* Another trace of the same sim, or NULL: all calls for this trace are for that one, too, and a row that both take is
     * evaluated once. Its fields are among those of this one; it must live as long. */
    ff_trace *beside;
} ff_trace_options;

/* Every step, in memory. */
FF_DEFAULTS(ff_trace_options)

/* What a page of a run wants to have: every step, and rows in between for smooth curves, within `memory` bytes (0: 256 MB).
 */
FF_API void ff_trace_options_page(ff_trace_options *options, const ff_sim *sim, double memory);

/* Whether a trace can be written under this name, for finding out before a long run. */
FF_API ff_status ff_trace_check(const char *path, ff_error *error);

/* ---- recording ---- */

FF_API ff_status ff_trace_create(ff_sim *sim, const ff_trace_options *options, ff_trace **out,
                                 ff_error *error);
/* Closes a file that ff_trace_end() has not closed, as one of a run that did not come to its end. NULL is allowed. */
FF_API void ff_trace_free(ff_trace *trace);

/* About how much memory recording takes, bytes. */
FF_API double ff_trace_memory(const ff_trace *trace);

/* Opens the file, and takes the row of the start. */
FF_API ff_status ff_trace_start(ff_trace *trace, ff_error *error);
/* Takes rows from the step that was just made, and the event that it ended in, NULL if in none. */
FF_API ff_status ff_trace_step(ff_trace *trace, const ff_event *event, ff_error *error);
/* Takes the last row, asks ff_sim_verdict(), writes what is left and closes the file. `ended`: why the run ended before its
 * time; NULL: it came to its end. */
FF_API ff_status ff_trace_end(ff_trace *trace, const char *ended, ff_error *error);

/* Runs a sim to a time and records all of it. The status of the run where that failed, with a trace of what there is; a
 * verdict below 0 is a failure. *out NULL: nothing could be recorded. */
FF_API ff_status ff_sim_record(ff_sim *sim, double until, const ff_trace_options *options,
                               ff_trace **out, ff_error *error);

/* ---- checkpoints: the sim, the events so far, and where the trace stands ---- */

/* Brings the file of the trace up to date and writes a checkpoint of its sim, as ff_checkpoint_write(). */
FF_API ff_status ff_trace_checkpoint(ff_trace *trace, const char *path, ff_error *error);
/* Resumes recording. `extra` is what ff_checkpoint_read() gave, after it had put the sim where the checkpoint is; to be
 * called before ff_trace_start(), which then goes on with the file of the trace and cuts off what was written later. A file
 * that is not there begins here. */
FF_API ff_status ff_trace_restore(ff_trace *trace, const void *extra, size_t size, ff_error *error);

/* ---- reading ---- */

/* Opens an .h5 file that a trace was written to, complete or not. Values are read from it when they are asked for. A file
 * that is damaged, or of another kind, is refused with a reason. */
FF_API ff_status ff_trace_open(const char *path, ff_trace **out, ff_error *error);

FF_API size_t ff_trace_row_count(const ff_trace *trace);
FF_API size_t ff_trace_column_count(const ff_trace *trace);

typedef struct ff_column {
    char name[FF_FIELD_PATH]; /* as the head of a CSV file has it: "t:s", "ball:x", "ledger:slip" */
    char path[FF_FIELD_PATH]; /* of its field: "bodies.ball.position" */
    char unit[FF_FIELD_UNIT];
    size_t part, width; /* which number of the field it is, and how many that has */
} ff_column;

/* Column i; 0 is the time. False where there is none. */
FF_API bool ff_trace_column(const ff_trace *trace, size_t i, ff_column *out);
/* Finds a column by its name. FF_BAD_VALUE where there is none; `error` names the nearest one. */
FF_API ff_status ff_trace_find(const ff_trace *trace, const char *name, size_t *column,
                               ff_error *error);
/* The values of a column, one for each row. FF_MISSING: they are in a file that is being written. */
FF_API ff_status ff_trace_values(const ff_trace *trace, size_t column, double *values,
                                 ff_error *error);

FF_API size_t ff_trace_event_count(const ff_trace *trace);
/* Event i, and what it is of: ff_model_event_owner(). */
FF_API const char *ff_trace_event(const ff_trace *trace, size_t i, ff_event *out);

/* What is known of a run; texts live as long as the trace, NULL where they are not known. */
typedef struct ff_trace_facts {
    size_t size; /* of this struct */
    const char *version, *name, *source, *scene, *command;
    bool complete;      /* the run came to its end */
    const char *ended;  /* why it did not; NULL: it did, or it goes on, or its process was killed */
    const char *failed; /* why it cannot be trusted though it came to its end; NULL: it can */
    double time;        /* reached, s */
    ff_ledger ledger;   /* at the end; NAN before */
    ff_statistics statistics;
    ff_run_options run; /* method, tol, dt, until and events */
    bool crowd;         /* a file of it has one dataset for each quantity of all bodies */
    bool
        discards; /* it was restored from a checkpoint of a trace in a file, which it does not go on with */
    /* warnings and impacts at the end, a JSON object as ff_outcome_json() writes it with 500 contacts at the most; NULL
     * before the end, of traces without rows, and of files of older versions */
    const char *outcome;
} ff_trace_facts;

/* Fills in what is known of a run, in a struct of `size` bytes. */
FF_API void ff_trace_facts_fill(const ff_trace *trace, ff_trace_facts *out, size_t size);

static inline ff_trace_facts ff_trace_about(const ff_trace *trace) {
    ff_trace_facts facts;
    ff_trace_facts_fill(trace, &facts, sizeof facts);
    return facts;
}

FF_C_END
