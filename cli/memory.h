/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

#include "args.h"

/* The memory that a run may use, bytes: --max-memory, or a share of what is available. 0, or 2 after an error was printed. */
int memory_limit(const args *a, int runs_at_once, double *limit);

/* Reserves `bytes` of the remaining memory; 0, or 2 after printing that there is not enough. */
int memory_take(const args *a, const char *path, double bytes, double *left);
