/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

#include "args.h"
#include <footfall/study.h>

/* Writes the page of a sweep. `settings` are those of all runs. Prints what is wrong, and returns an exit status. */
int sweep_page(const args *a, const ff_table *table, const char *const *settings, size_t count,
               const char *path);
