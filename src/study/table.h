/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

#include <footfall/study.h>

/* A table in one block, with copies of what its columns say and of the reasons (may be NULL: no run failed). Its values are the
 * caller's to fill in: *values. NULL where memory ends. */
ff_table *ff_table_create(const ff_table_column *columns, size_t count, size_t varied,
                          size_t samples, size_t rows, const char *const *reasons, double **values);
