/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* Tables of a study by their names, and expressions of their columns. */

#include <footfall/study.h>

typedef struct ff_sheet {
    const char *name;
    ff_table *table;
    bool series; /* rows of one run, or of one curve, follow each other */
} ff_sheet;

/* Whether two rows are of one curve: rows of one run, or of other tables rows that differ in the last parameter only. */
bool ff_sheet_together(const ff_sheet *sheet, size_t a, size_t b);

/* The value of an expression in each row of a table: of its columns by their names, previous.COLUMN (NAN where there is no row before),
 * first.COLUMN, the value in the first row of the curve, and `number`, which counts the rows of a curve from 1. The caller frees it. */
ff_status ff_sheet_rows(const ff_sheet *sheet, const char *text, double **values, ff_error *error);

/* One number of tables: an expression of reductions of rows, as max(fig4.e/known.e - 1). Columns are TABLE.COLUMN; tables in one
 * reduction have as many rows as each other, or one. previous.TABLE.COLUMN is the value in the row before; rows without one, the
 * first of a curve or of the values of the last parameter, are left out. first.TABLE.COLUMN is the value in the first row of the curve. */
ff_status ff_sheet_value(const ff_sheet *sheets, size_t count, const char *text, double *value,
                         ff_error *error);
