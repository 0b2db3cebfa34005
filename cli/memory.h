/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

#include "args.h"

/* The memory that a run may take, bytes: --max-memory, or a share of what the machine has available. 0, or 2 after
 * an error was printed. */
int memory_limit(const args *a, int runs_at_once, double *limit);

/* Reserves `bytes` of the memory that is left; 0, or 2 after printing that they are too many. */
int memory_take(const args *a, const char *path, double bytes, double *left);
