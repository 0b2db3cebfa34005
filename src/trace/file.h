/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* Traces in files, CSV or HDF5 by the suffix. What was added a second ago is in the file, whatever then
 * happens to the run. docs/traces.md describes the contents of an HDF5 file. */

#include <footfall/trace.h>

typedef struct ff_trace_file ff_trace_file;
typedef struct ff_saved ff_saved;

/* bytes of the reasons why a run ended or failed, in the file and with a 0 */
enum { FF_TRACE_REASON = 512, FF_TRACE_KIND = 12 };

/* About how much memory writing it takes, bytes. */
double ff_trace_file_memory(const ff_trace *trace);

/* Opens the file of a trace that was initialised, or goes on with it: of a restored trace what was written later is cut
 * off; an .h5 file is written anew, and keeps the command line of the run that began it. FF_BAD_VALUE: it is not the file of
 * this trace. */
ff_status ff_trace_file_open(ff_trace *trace, ff_error *error);

/* Whether there is something under this name that a run could go on with. */
bool ff_trace_file_there(const char *path);

/* These are false where the file cannot be written, and from then on always; closing it tells why. */
bool ff_trace_file_row(ff_trace_file *file, const double *row);
bool ff_trace_file_event(ff_trace_file *file, const ff_event *event);
/* For calling after each step. */
bool ff_trace_file_tick(ff_trace_file *file);
/* From here on a reader finds all that was added. */
bool ff_trace_file_flush(ff_trace_file *file);
/* How many bytes a CSV file that was flushed has; 0 for others. */
long long ff_trace_file_place(const ff_trace_file *file);

/* Why it could not be written; empty: it could. */
const char *ff_trace_file_why(const ff_trace_file *file);

/* Writes what is left, and how the run has ended. */
ff_status ff_trace_file_close(ff_trace *trace, ff_error *error);

/* ---- saved ones (read.c) ---- */

void ff_saved_free(ff_saved *saved);
