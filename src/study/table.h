/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

#include <footfall/study.h>

/* Creates a table in one block, with copies of the column descriptions, of the reasons (may be NULL: no run failed) and of the file,
 * settings and stops of `runs` (may be NULL: rows are not runs). The caller fills in *values. NULL if out of memory. */
ff_table *ff_table_create(const ff_table_column *columns, size_t count, size_t varied,
                          size_t samples, size_t rows, const char *const *reasons,
                          const ff_sweep *runs, double **values);
