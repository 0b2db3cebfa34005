/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* Traces: records of a run. A trace stores rows of field values at every step, at a fixed spacing, at changes or at events,
 * in a CSV or HDF5 file (chosen by the suffix) or in memory.
 *
 *     ff_trace_options options = ff_trace_options_default();
 *     options.path = "roll.h5";
 *     ff_sim_record(sim, until, &options, &trace, &error);
 *
 * or, if the caller makes the steps:
 *
 *     ff_trace_create(sim, &options, &trace, &error);
 *     ff_trace_start(trace, &error);
 *     while (ff_sim_time(sim) < until && (status = ff_sim_step(sim, until)) >= 0) {
 *         ff_trace_step(trace, status == FF_EVENT ? ff_sim_event(sim) : NULL, &error);
 *     }
 *     ff_trace_end(trace, NULL, &error);
 *
 * The sim and its model must outlive the trace. `error` may be NULL everywhere. On failure, functions return FF_NO_MEMORY,
 * FF_NOT_WRITTEN if a file cannot be written, or FF_BAD_VALUE if the input is invalid. */

#include <footfall/field.h>

FF_C_BEGIN

typedef struct ff_trace ff_trace;

typedef enum ff_trace_rows {
    FF_ROWS_STEPS,  /* at every step, with a row on each side of an event; or at a fixed spacing */
    FF_ROWS_EVENTS, /* at events only */
    FF_ROWS_NONE    /* no rows: only events are stored */
} ff_trace_rows;

typedef struct ff_trace_options {
    size_t size;
    const char *path; /* file for the rows, .csv or .h5; NULL: in memory */
    ff_trace_rows rows;
    double every; /* time between rows, s; 0: every step */
    double fill;  /* for rows at every step: additional rows, at most this far apart, s; 0: none */
    /* only rows in which a value has changed by this fraction of its scale; 0: all rows */
    double change;
    /* most numbers kept in memory: beyond it, every second row is dropped; 0: no limit */
    size_t values_most;
    size_t bodies_most; /* crowds: record only this many bodies, evenly chosen; 0: all */
    /* Information stored in .h5 files and shown on pages; each may be NULL. Copied. */
    const char *name;    /* name of the scene file; title of a page */
    const char *source;  /* text of the scene as it was written */
    const char *scene;   /* text of the scene as it is run: ff_scene_print() */
    const char *command; /* command line of the run */
    /* A second trace of the same sim, or NULL. It records together with this one, and rows of both are evaluated only once.
     * Its fields must be among those of this trace, and it must outlive it. */
    ff_trace *beside;
    /* Rows of a run of another program, or NULL: ff_sim_record() then takes no step and calls replay() for row 0, 1, ... until
     * it returns FF_STOPPED. It returns the time, which must increase, and the motion of all bodies; the values of all other
     * fields are NAN. A failure ends the trace after the last complete row. */
    ff_status (*replay)(void *user, size_t row, double *time, ff_motion *bodies, ff_error *error);
    void *user;
} ff_trace_options;

/* Defaults: every step, in memory. */
static inline ff_trace_options ff_trace_options_default(void) {
    ff_trace_options options;
    __builtin_memset(&options, 0, sizeof options);
    options.size = sizeof options;
    return options;
}

/* Sets options for a page: every step, with additional rows for smooth curves, within `memory` bytes (0: 256 MB). */
FF_API void ff_trace_options_page(ff_trace_options *options, const ff_sim *sim, double memory);

/* Checks whether a trace can be written under this name, so that a long run does not fail at its end. */
FF_API ff_status ff_trace_check(const char *path, ff_error *error);

/* ---- recording ---- */

/* Creates a trace of a sim; no row is recorded yet. */
FF_API ff_status ff_trace_create(ff_sim *sim, const ff_trace_options *options, ff_trace **out,
                                 ff_error *error);
/* Frees a trace. A file that ff_trace_end() has not closed is closed as an incomplete run. NULL is allowed. */
FF_API void ff_trace_free(ff_trace *trace);

/* Estimate of the memory that recording needs, bytes. */
FF_API double ff_trace_memory(const ff_trace *trace);

/* Opens the file and records the row of the start. */
FF_API ff_status ff_trace_start(ff_trace *trace, ff_error *error);
/* Records the rows of the last step and the event at its end (NULL: none). */
FF_API ff_status ff_trace_step(ff_trace *trace, const ff_event *event, ff_error *error);
/* Records the last row, calls ff_sim_verdict(), writes what is left and closes the file. `ended`: why the run ended early;
 * NULL: it reached its end. */
FF_API ff_status ff_trace_end(ff_trace *trace, const char *ended, ff_error *error);

/* Runs a sim to the time `until` and records it. Returns the status of the run if the run failed, with a trace of what was
 * computed; a negative ff_sim_verdict() is also a failure. *out is NULL if nothing could be recorded. */
FF_API ff_status ff_sim_record(ff_sim *sim, double until, const ff_trace_options *options,
                               ff_trace **out, ff_error *error);

/* ---- checkpoints: the sim, its events so far, and the position in the trace ---- */

/* Flushes the file of the trace and writes a checkpoint of its sim, see ff_checkpoint_write(). */
FF_API ff_status ff_trace_checkpoint(ff_trace *trace, const char *path, ff_error *error);
/* Resumes recording. `extra` is the data that ff_checkpoint_read() returned when it restored the sim. Call it before
 * ff_trace_start(), which then continues the trace's file and removes rows written after the checkpoint. A file that does
 * not exist is created. */
FF_API ff_status ff_trace_restore(ff_trace *trace, const void *extra, size_t size, ff_error *error);

/* ---- reading ---- */

/* Opens an .h5 trace file, complete or not. Values are read from the file on demand. A damaged file or a file of another
 * kind is refused with FF_BAD_VALUE. */
FF_API ff_status ff_trace_open(const char *path, ff_trace **out, ff_error *error);

/* Number of rows and of columns. */
FF_API size_t ff_trace_row_count(const ff_trace *trace);
FF_API size_t ff_trace_column_count(const ff_trace *trace);

typedef struct ff_column {
    char name[FF_FIELD_PATH]; /* as in the header of a CSV file: "t:s", "ball:x", "ledger:slip" */
    char path[FF_FIELD_PATH]; /* path of its field: "bodies.ball.position" */
    char unit[FF_FIELD_UNIT];
    size_t part, width; /* index of the number within the field, and the width of the field */
} ff_column;

/* Column i; column 0 is the time. False if there is none. */
FF_API bool ff_trace_column(const ff_trace *trace, size_t i, ff_column *out);
/* Finds a column by name. FF_BAD_VALUE if there is none; `error` names the nearest one. */
FF_API ff_status ff_trace_find(const ff_trace *trace, const char *name, size_t *column,
                               ff_error *error);
#define FF_TRACE_ALL ((size_t)-1)
/* Reads the values of a column, one per row; for column FF_TRACE_ALL all values, row by row. FF_MISSING if they are in a file
 * that is still being written. */
FF_API ff_status ff_trace_values(const ff_trace *trace, size_t column, double *values,
                                 ff_error *error);

/* Number of events. */
FF_API size_t ff_trace_event_count(const ff_trace *trace);
/* Event i; returns what it belongs to, see ff_model_event_owner(). */
FF_API const char *ff_trace_event(const ff_trace *trace, size_t i, ff_event *out);

/* What is known about a recorded run. Strings are valid as long as the trace; NULL: unknown. */
typedef struct ff_trace_facts {
    size_t size; /* of this struct */
    const char *version, *name, *source, *scene, *command;
    bool complete; /* the run reached its end */
    /* why the run ended early; NULL: it reached its end, is still running, or its process was killed */
    const char *ended;
    /* why the results cannot be trusted although the run reached its end; NULL: they can */
    const char *failed;
    double time;      /* time reached, s */
    ff_ledger ledger; /* ledger at the end; NAN before the end */
    ff_statistics statistics;
    ff_run_options run; /* method, tol, dt, until and events */
    bool crowd;         /* a crowd: files have one dataset for each quantity of all bodies */
    /* restored from a checkpoint of a trace with a file, which this trace does not continue */
    bool discards;
    /* Warnings and impacts at the end: a JSON object written by ff_outcome_json() with at most 500 contacts. NULL before
     * the end, in traces without rows and in files of older versions. */
    const char *outcome;
} ff_trace_facts;

/* Fills in a struct of `size` bytes with what is known about a run. */
FF_API void ff_trace_facts_fill(const ff_trace *trace, ff_trace_facts *out, size_t size);

static inline ff_trace_facts ff_trace_about(const ff_trace *trace) {
    ff_trace_facts facts;
    ff_trace_facts_fill(trace, &facts, sizeof facts);
    return facts;
}

FF_C_END
