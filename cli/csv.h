/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

#include <stddef.h>

/* A table read from a file: a line of names, then rows. Fields are apart by semicolons, commas or tabs: whichever of these, in this
 * order, the line of names has. A name may have a unit behind it, as `speed [m/s]` or `t (ms)`. Names, units and fields may be
 * in double quotes. Empty lines and lines that start with # are passed over. */
typedef struct csv {
    char *text;   /* the file, cut into fields */
    char **names; /* lower case, `_` for spaces and hyphens */
    char **units; /* "" where the name has none */
    char **cells; /* by rows: cells[row*columns + column] */
    size_t columns, rows;
    int *lines; /* the line of the file that a row is on */
    int head;   /* the line of the names */
    size_t *places,
        *name_places; /* the columns of the file where fields begin, by rows, and names */
} csv;

/* Returns 0, or 2 with `path:line:column: reason` in why. */
int csv_read(csv *out, const char *path, char *why, size_t why_size);
void csv_clear(csv *c);

/* The column of that name; -1: there is none. */
int csv_find(const csv *c, const char *name);

/* The numbers of a column in SI, `unit` being the unit in SI that they must have ("1": a pure number): in the unit of the cell, in
 * that of the name, or in SI; NAN where a cell is empty. Returns as csv_read(). */
int csv_numbers(const csv *c, const char *path, size_t column, const char *unit, double *out,
                char *why, size_t why_size);
