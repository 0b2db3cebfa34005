/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

#include <stddef.h>

/* A table read from a file: a line of names, then rows. Fields are separated by semicolons, commas or tabs: the first of
 * these that occurs in the line of names. A name may have a unit, such as `speed [m/s]` or `t (ms)`. Names, units and
 * fields may be in double quotes. Empty lines and lines that start with # are skipped. */
typedef struct csv {
    char *text;   /* the contents of the file, split into fields */
    char **names; /* lower case, `_` for spaces and hyphens */
    char **units; /* "" if there is none */
    char **cells; /* by rows: cells[row*columns + column] */
    size_t columns, rows;
    int *lines;                   /* the line of each row in the file */
    int head;                     /* the line of the names */
    size_t *places, *name_places; /* columns of the file at which fields and names begin */
} csv;

/* Returns 0, or 2 with `path:line:column: reason` in why. */
int csv_read(csv *out, const char *path, char *why, size_t why_size);
void csv_clear(csv *c);

/* The column of that name; -1 if there is none. */
int csv_find(const csv *c, const char *name);

/* The numbers of a column in SI, with `unit` their required SI unit ("1": dimensionless): in the unit of the cell, in that
 * of the name, or in SI; NAN for an empty cell. Returns like csv_read(). */
int csv_numbers(const csv *c, const char *path, size_t column, const char *unit, double *out,
                char *why, size_t why_size);
