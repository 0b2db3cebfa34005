/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* HDF5 files: growing tables, with texts and numbers as attributes. The library is loaded when the first file is created or
 * opened.
 *
 * A file can be read after its writer was killed at any moment: it appears under its name when it is complete except for
 * its rows, flushes write in a safe order, and the attribute `rows` of a table says how many of its rows are complete. A
 * dataset may be longer than that. The exception: in a run with many more rows than expected, there is a moment during a
 * flush in which an index is in two parts (see h5_write.c). */

#include <footfall/status.h>
#include <stdbool.h>

typedef struct ff_h5 ff_h5;
typedef struct ff_h5_table ff_h5_table;

/* One dataset of a table: a row has `width` doubles, or a text of `width` bytes including a 0; or it is a block, with one
 * row of `width` doubles for each of `count` objects: dimensions rows, objects, numbers. */
typedef struct ff_h5_column {
    const char *path;  /* absolute path; missing groups are created */
    const char *units; /* attribute; NULL for none */
    /* attribute: names of the numbers of a row, separated by spaces; NULL for none */
    const char *parts;
    size_t width;
    bool text;
    size_t count; /* 0: not a block */
    /* of a block: the dataset with the names of its objects, created before; NULL: none */
    const char *things;
    /* attribute: index of its first column in a table of all numbers; SIZE_MAX for none */
    size_t first;
} ff_h5_column;

/* Whether the library is available, for checking before a long run; false with the reason. */
bool ff_h5_ready(ff_error *error);

/* ---- writing ---- */

/* Creates a file under a temporary name until ff_h5_publish(), sized for these numbers of datasets and rows (0: unknown);
 * more are allowed. `block`: bytes of a row if there are blocks, otherwise 0. NULL with the reason. */
ff_h5 *ff_h5_create(const char *path, size_t datasets, double rows, size_t block, ff_error *error);

/* These functions return false on failure, and always after that; ff_h5_why() returns the reason. */

bool ff_h5_group(ff_h5 *file, const char *path);
/* Sets an attribute of a group or dataset; it may be set again in place. A text has a fixed length with room for at least
 * `room` bytes, at most 60,000. */
bool ff_h5_put_text(ff_h5 *file, const char *object, const char *name, const char *text,
                    size_t room);
bool ff_h5_put_number(ff_h5 *file, const char *object, const char *name, double value);
bool ff_h5_put_integer(ff_h5 *file, const char *object, const char *name, long long value);

/* Writes a text of any length as a dataset; NULL: none. */
bool ff_h5_put_document(ff_h5 *file, const char *path, const char *text);

/* Creates a table without rows. Its first column is the dimension scale of its rows (HDF5 Dimension Scale Specification),
 * as netCDF and xarray expect; numbers of a row and objects of a block have scales too. Its attribute `rows` belongs to
 * `group`, which must exist. The table belongs to the file; NULL on failure. */
ff_h5_table *ff_h5_add_table(ff_h5 *file, const char *group, const ff_h5_column *columns,
                             size_t count);
/* Adds a row: the values of its columns, one after another without gaps. */
bool ff_h5_add_row(ff_h5_table *table, const void *row);

/* Gives the file its name, with the rows added so far. */
bool ff_h5_publish(ff_h5 *file);
/* Makes all rows so far visible to readers. */
bool ff_h5_flush(ff_h5 *file);
/* Flushes if the last flush was a second ago, or half a second ago and no chunk is incomplete, since incomplete ones are
 * not compressed. To be called often. */
bool ff_h5_tick(ff_h5 *file);

const char *ff_h5_why(const ff_h5 *file);

/* ---- reading ---- */

/* Opens a file; NULL with the reason. */
ff_h5 *ff_h5_open(const char *path, ff_error *error);

/* A text of fixed length, which the caller frees; NULL if there is none. */
char *ff_h5_text(ff_h5 *file, const char *object, const char *name);
/* NAN if there is none. */
double ff_h5_number(ff_h5 *file, const char *object, const char *name);
/* Reads a text that is a dataset; *out NULL: there is none. False with a reason if it exists but cannot be read. */
bool ff_h5_document(ff_h5 *file, const char *path, char **out, ff_error *error);

/* Number of rows of a dataset, -1 if there is none; `width` as in the column, for a block that of all objects together. */
long long ff_h5_rows(ff_h5 *file, const char *path, size_t *width);
/* Reads rows of a dataset as they were added; text is padded with NUL. */
bool ff_h5_read(ff_h5 *file, const char *path, size_t first, size_t count, void *out);

/* Calls a function for everything in a group and below, in the order of names, with its path and whether it is a dataset.
 * Stops and returns false if something cannot be opened or the function returns false. */
typedef bool ff_h5_visitor(void *user, const char *path, bool dataset);
bool ff_h5_visit(ff_h5 *file, const char *group, ff_h5_visitor *visitor, void *user);

/* Writes remaining data of a file being written, and closes it; false on failure, with the reason (may be NULL). `file` may
 * be NULL. */
bool ff_h5_close(ff_h5 *file, ff_error *error);
