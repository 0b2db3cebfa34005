/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* Finished runs in a file: fixed-size records, each with a checksum, appended as runs end. Whatever ends the process,
 * complete records can be read again; an incomplete record, or one with a wrong checksum, counts as not written.
 *
 * The file begins with a header of FF_RECORD_HEAD bytes that identifies the sweep. A record is
 *
 *     row (8 bytes), part (4), parts (4), payload (8 bytes for each kept number, at least 32), checksum (8)
 *
 * with parts = 0 and the kept numbers of a run or, for a failed run, its reason in several parts, counted from 1. Numbers
 * have the byte order of the machine. */

#include <footfall/status.h>
#include <stdbool.h>
#include <stdint.h>

enum { FF_RECORD_HEAD = 64 };

/* Identification of records. */
typedef struct ff_record_kind {
    uint64_t fingerprint; /* of the sweep: files of other sweeps are refused */
    uint64_t rows;
    uint64_t kept; /* numbers kept of each run */
} ff_record_kind;

/* Called with a run; `reason` NULL: it did not fail. Returns false if out of memory. */
typedef bool ff_record_visitor(void *user, size_t row, const double *values, const char *reason);

/* Reads a file and calls back for each run in it. FF_MISSING: it belongs to another sweep or is not such a file. */
ff_status ff_record_read(const char *path, const ff_record_kind *kind, ff_record_visitor *visit,
                         void *user, ff_error *error);

/* A file that is appended to and locked against other processes. */
typedef struct ff_recorder ff_recorder;

/* Creates the file, or continues one after removing an incomplete last record. */
ff_status ff_recorder_open(const char *path, const ff_record_kind *kind, ff_recorder **out,
                           ff_error *error);
/* Adds a run, in memory until the next flush; false if out of memory. */
bool ff_recorder_add(ff_recorder *recorder, size_t row, const double *values, const char *reason);
/* Writes the added runs; false on failure. */
bool ff_recorder_flush(ff_recorder *recorder, ff_error *error);
void ff_recorder_free(ff_recorder *recorder);
