/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* The tables of a study by name, and expressions of their columns. */

#include <footfall/study.h>

typedef struct ff_sheet {
    const char *name;
    ff_table *table;
    bool series; /* consecutive rows belong to one run or curve */
} ff_sheet;

/* Whether two rows belong to one curve: in a series, rows of one run; in other tables, rows that differ only in the
 * last parameter. */
bool ff_sheet_together(const ff_sheet *sheet, size_t a, size_t b);

/* Evaluates an expression in each row of a table. Names are columns, previous.COLUMN (NAN in the first row),
 * first.COLUMN, the value in the first row of the curve, and `number`, the number of the row in its curve, from 1.
 * The caller frees *values. */
ff_status ff_sheet_rows(const ff_sheet *sheet, const char *text, double **values, ff_error *error);

/* Evaluates an expression of reductions over the rows of tables, such as max(fig4.e/known.e - 1). Columns are named
 * TABLE.COLUMN; all tables in one reduction must have the same number of rows, or one. previous.TABLE.COLUMN is the
 * value in the previous row; rows without one, the first of a curve or of the values of the last parameter, are left
 * out. first.TABLE.COLUMN is the value in the first row of the curve. */
ff_status ff_sheet_value(const ff_sheet *sheets, size_t count, const char *text, double *value,
                         ff_error *error);
