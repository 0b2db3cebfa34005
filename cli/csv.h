/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

#include <stddef.h>

/* A table of numbers read from a file: a line of names, then rows, fields apart by commas. Empty
 * lines and lines that start with # are passed over; an empty field is NAN. */
typedef struct csv {
    char **names;
    size_t columns, rows;
    double *values; /* by columns: values[column*rows + row] */
    int *lines;     /* the line of the file that a row was on */
    int head;       /* the line of the names */
    size_t *places,
        *name_places; /* the columns of the file where fields begin, by rows, and names */
} csv;

/* Returns 0, or 2 with `path:line:column: reason` in why. */
int csv_read(csv *out, const char *path, char *why, size_t why_size);
void csv_clear(csv *c);

/* The values of a column, NULL if there is none of that name. */
const double *csv_column(const csv *c, const char *name);
