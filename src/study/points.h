/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

#include <footfall/study.h>

/* Reads a table from CSV: names of columns in the first line, numbers in the others; lines that begin with # are
 * ignored. On failure `line` is the number of the invalid line, from 1. */
ff_status ff_points_table(const char *text, ff_table **out, size_t *line, ff_error *error);
