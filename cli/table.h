/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

#include <stddef.h>
#include <stdio.h>

typedef struct table_column {
    const char *name;
    const char *unit; /* NULL for none */
} table_column;

typedef struct table_cell {
    const char *text; /* NULL: a number */
    double number;
} table_cell;

/* An aligned text table. Cells are added row by row, from left to right. Numbers are right-aligned with six digits, NAN as
 * `-`. Columns and texts are not copied. */
typedef struct table {
    const table_column *columns;
    size_t column_count;
    table_cell *cells;
    size_t count, room;
} table;

void table_init(table *t, const table_column *columns, size_t column_count);
void table_clear(table *t);

void table_number(table *t, double value);
void table_text(table *t, const char *text);

/* Prints heads, units if any column has one, and rows. */
void table_print(const table *t, FILE *out);

/* Width of UTF-8 text on a terminal: characters, not bytes. */
size_t table_width(const char *text, size_t bytes);

typedef enum table_tone { TONE_PLAIN, TONE_BOLD, TONE_DIM, TONE_RED, TONE_GREEN } table_tone;

/* The escape sequence that changes the colour of a stream; empty if it is not a terminal or NO_COLOR is set. */
const char *table_colour(FILE *out, table_tone tone);
