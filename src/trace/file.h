/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* Trace files, CSV or HDF5 depending on the suffix. Data are in the file within a second, whatever happens to the run.
 * docs/traces.md describes the contents of an HDF5 file. */

#include <footfall/trace.h>

typedef struct ff_trace_file ff_trace_file;
typedef struct ff_saved ff_saved;

/* size of the reasons why a run ended or failed, including the terminating 0 */
enum { FF_TRACE_REASON = 512, FF_TRACE_KIND = 12 };

/* Estimate of the memory for writing, bytes. */
double ff_trace_file_memory(const ff_trace *trace);

/* Opens the file of an initialised trace, or continues it: rows after the checkpoint of a restored trace are removed; an
 * .h5 file is rewritten and keeps the command line of the original run. FF_BAD_VALUE: it is not the file of this trace. */
ff_status ff_trace_file_open(ff_trace *trace, ff_error *error);

/* Whether a file exists that a run could continue. */
bool ff_trace_file_there(const char *path);

/* These functions return false if the file cannot be written, and always after that; closing it returns the reason. */
bool ff_trace_file_row(ff_trace_file *file, const double *row);
bool ff_trace_file_event(ff_trace_file *file, const ff_event *event);
/* To be called after each step. */
bool ff_trace_file_tick(ff_trace_file *file);
/* Makes all rows so far visible to readers. */
bool ff_trace_file_flush(ff_trace_file *file);
/* Size of a flushed CSV file in bytes; 0 for other formats. */
long long ff_trace_file_place(const ff_trace_file *file);

/* Why it could not be written; "" if it could. */
const char *ff_trace_file_why(const ff_trace_file *file);

/* Writes remaining data, and how the run ended. */
ff_status ff_trace_file_close(ff_trace *trace, ff_error *error);

/* ---- reading (read.c) ---- */

void ff_saved_free(ff_saved *saved);
