/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* Traces in files, CSV or HDF5 by the suffix. What was added a second ago is in the file, whatever then
 * happens to the run. */

#include "trace.h"

/* Whether a trace can be written under this name: 0, or the exit status after an error was told. */
int trace_file_check(const args *a, const char *path);

/* About how much memory writing it takes, bytes. */
double trace_file_memory(const trace *t, const char *path);

/* Opens the file of a trace that was initialised. `scene` is what the run can be done again with, `rows`
 * how many there will be, 0 if that is not known. The exit status. */
int trace_file_open(trace *t, const args *a, const char *path, const char *scene, double rows);

/* Whether there is something under this name that a run could go on with. */
bool trace_file_there(const char *path);
/* Goes on with a file, from where a restored trace stands; what was written later is cut off. `events` are all of
 * the run so far, the last t->events of them are in the file. An .h5 file is written anew, and keeps the
 * command line of the run that began it. The exit status; 2: it is not the file of this trace. */
int trace_file_resume(trace *t, const args *a, const char *path, const char *scene, double rows,
                      const ff_event *events, size_t event_count);

bool trace_file_row(trace_file *file, const double *row);
bool trace_file_event(trace_file *file, const ff_event *event);
/* For calling after each step. */
bool trace_file_tick(trace_file *file);
/* From here on a reader finds all that was added. */
bool trace_file_flush(trace_file *file);
/* How many bytes a CSV file that was flushed has; 0 for others. */
long long trace_file_place(const trace_file *file);

/* Whether it could not be written; closing it tells why. */
bool trace_file_failed(const trace_file *file);

/* Writes what is left; `complete`: the run came to its end. The exit status. */
int trace_file_close(trace *t, const args *a, bool complete);
