/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* Runs that are finished, in a file: fixed-size records, each with a checksum, appended as runs end. Whatever ends the process at
 * any moment, the records that were written are read again; one that was torn, or whose checksum is wrong, was not written.
 *
 * The file begins with a head of FF_RECORD_HEAD bytes: what the records are of. A record is
 *
 *     row (8 bytes), part (4), parts (4), payload (8 bytes for each kept number, 32 at the least), checksum (8)
 *
 * with parts 0 and the kept numbers of a run, or, of a run that failed, with the reason in so many parts, counted from 1.
 * Numbers are in the order of bytes of the machine. */

#include <footfall/status.h>
#include <stdbool.h>
#include <stdint.h>

enum { FF_RECORD_HEAD = 64 };

/* What records are of. */
typedef struct ff_record_kind {
    uint64_t fingerprint; /* of the sweep: files of others are refused */
    uint64_t rows;
    uint64_t kept; /* numbers of a run */
} ff_record_kind;

/* A record of a run, while it is called back: `reason` NULL: it did not fail. False: memory has ended. */
typedef bool ff_record_visitor(void *user, size_t row, const double *values, const char *reason);

/* Reads a file, and calls back for each run in it. FF_MISSING: it is of another sweep, or no such file. */
ff_status ff_record_read(const char *path, const ff_record_kind *kind, ff_record_visitor *visit,
                         void *user, ff_error *error);

/* A file that is appended to; no other process can open it meanwhile. */
typedef struct ff_recorder ff_recorder;

/* Makes the file, or goes on with one, whose last record is cut off where it was torn. */
ff_status ff_recorder_open(const char *path, const ff_record_kind *kind, ff_recorder **out,
                           ff_error *error);
/* Adds a run, in memory until the next flush; false where memory ends. */
bool ff_recorder_add(ff_recorder *recorder, size_t row, const double *values, const char *reason);
/* Writes what was added; false where that fails. */
bool ff_recorder_flush(ff_recorder *recorder, ff_error *error);
void ff_recorder_free(ff_recorder *recorder);
