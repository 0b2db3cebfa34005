/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* HDF5 files: tables that grow, texts and numbers about them. The library is loaded by the first file
 * that is created or opened, not before.
 *
 * A file that is being written can be read after its writer was killed at any moment: it appears under
 * its name when it is complete but for its rows, flushes order what they write, and `rows` of a table
 * says how many of its rows are whole. A dataset may be longer than that. The exception: in a run of many
 * more rows than expected, a flush has a moment in which an index is in two parts (see h5_write.c). */

#include <footfall/status.h>
#include <stdbool.h>

typedef struct ff_h5 ff_h5;
typedef struct ff_h5_table ff_h5_table;

/* One dataset of a table: a row has `width` doubles, or a text of `width` bytes with a 0 at its
 * end; or it is a block, one row of
 * `width` doubles for each of `count` things: a dataset of rows by things by numbers. */
typedef struct ff_h5_column {
    const char *path;  /* from the root; groups on the way are made */
    const char *units; /* an attribute; NULL for none */
    const char *parts; /* another: names of the numbers of a row, apart by spaces; NULL for none */
    size_t width;
    bool text;
    size_t count; /* 0: it is no block */
    const char
        *things;  /* of a block: the dataset of the names of its things, made before; NULL: none */
    size_t first; /* an attribute: its first column in a table of all numbers; SIZE_MAX for none */
} ff_h5_column;

/* Whether the library is there, for finding out before a long run; false with the reason. */
bool ff_h5_ready(ff_error *error);

/* ---- writing ---- */

/* A new file, under another name until ff_h5_publish(), made for so many datasets and rows (0: not known);
 * more are no mistake. Where rows have blocks `block` is how many bytes all of a row has, otherwise 0. NULL with the
 * reason. */
ff_h5 *ff_h5_create(const char *path, size_t datasets, double rows, size_t block, ff_error *error);

/* These return false where they fail, and from then on always; ff_h5_why() says why. */

bool ff_h5_group(ff_h5 *file, const char *path);
/* Attributes of a group or dataset; one may be put again, in its old place. A text is of fixed length, with room for `room`
 * bytes at least; 60,000 bytes at the most. */
bool ff_h5_put_text(ff_h5 *file, const char *object, const char *name, const char *text,
                    size_t room);
bool ff_h5_put_number(ff_h5 *file, const char *object, const char *name, double value);
bool ff_h5_put_integer(ff_h5 *file, const char *object, const char *name, long long value);

/* A text of any length as a dataset; NULL: none. */
bool ff_h5_put_document(ff_h5 *file, const char *path, const char *text);

/* A table without rows. Its first column is the dimension scale of its rows (HDF5 Dimension Scale Specification), as netCDF
 * and xarray want it; numbers of a row and things of a block have scales, too. Its attribute `rows` is in `group`, which must be there. The file owns it; NULL
 * where it cannot be made. */
ff_h5_table *ff_h5_add_table(ff_h5 *file, const char *group, const ff_h5_column *columns,
                             size_t count);
/* Adds a row: what its columns hold, one after another without gaps. */
bool ff_h5_add_row(ff_h5_table *table, const void *row);

/* Gives the file its name, with the rows that were added before. */
bool ff_h5_publish(ff_h5 *file);
/* From here on a reader finds all rows that were added. */
bool ff_h5_flush(ff_h5 *file);
/* Flushes where the last time is a second ago, or half a second and no chunk is left unfinished: one that
 * is has no compression. For calling often. */
bool ff_h5_tick(ff_h5 *file);

const char *ff_h5_why(const ff_h5 *file);

/* ---- reading ---- */

/* NULL with the reason. */
ff_h5 *ff_h5_open(const char *path, ff_error *error);

/* A text of fixed length, which the caller frees; NULL if there is none. */
char *ff_h5_text(ff_h5 *file, const char *object, const char *name);
/* NAN if there is none. */
double ff_h5_number(ff_h5 *file, const char *object, const char *name);
/* A text that is a dataset; *out NULL: there is none. False with a reason where it is there and cannot be read. */
bool ff_h5_document(ff_h5 *file, const char *path, char **out, ff_error *error);

/* Rows of a dataset, -1 if there is none; `width` as in the column, of a block that of all things together. */
long long ff_h5_rows(ff_h5 *file, const char *path, size_t *width);
/* Reads rows of a dataset, as they were added; text is padded with NUL. */
bool ff_h5_read(ff_h5 *file, const char *path, size_t first, size_t count, void *out);

/* Calls back for everything in a group and below, in the order of names: its path, and whether it is a dataset. False
 * where something cannot be opened or the visitor says so; then it ends there. */
typedef bool ff_h5_visitor(void *user, const char *path, bool dataset);
bool ff_h5_visit(ff_h5 *file, const char *group, ff_h5_visitor *visitor, void *user);

/* Writes what is left, for a file that is written, and closes; false where that fails, with the reason
 * (may be NULL). `file` may be NULL. */
bool ff_h5_close(ff_h5 *file, ff_error *error);
