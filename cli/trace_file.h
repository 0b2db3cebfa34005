/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* Traces in files, CSV or HDF5 by the suffix. What was added a second ago is in the file, whatever then
 * happens to the run. */

#include "trace.h"

/* Whether a trace can be written under this name: 0, or the exit status after an error was told. */
int trace_file_check(const args *a, const char *path);

/* Opens the file of a trace that was initialised. `scene` is what the run can be done again with, `rows`
 * how many there will be, 0 if that is not known. The exit status. */
int trace_file_open(trace *t, const args *a, const char *path, const char *scene, double rows);

bool trace_file_row(trace_file *file, const double *row);
bool trace_file_event(trace_file *file, const ff_event *event);
/* For calling after each step. */
bool trace_file_tick(trace_file *file);

/* Whether it could not be written; closing it tells why. */
bool trace_file_failed(const trace_file *file);

/* Writes what is left; `complete`: the run came to its end. The exit status. */
int trace_file_close(trace *t, const args *a, const ff_sim *sim, bool complete);
