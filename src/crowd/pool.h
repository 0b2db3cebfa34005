/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* Threads that do the parts of one task and wait for the next. Who does which part is left to chance: parts
 * must not depend on each other. */

#include <footfall/tool.h>
#include <stddef.h>

typedef struct ff_pool ff_pool;
/* worker: which thread does it, from 0 */
typedef void (*ff_part)(void *task, size_t index, int worker);

/* NULL where threads cannot be had. `threads` counts the caller. */
ff_pool *ff_pool_create(int threads);
void ff_pool_free(ff_pool *pool);
int ff_pool_threads(const ff_pool *pool);

/* Does parts 0 .. count-1 and returns when all are done; pool NULL: one after the other. */
void ff_pool_run(ff_pool *pool, ff_part part, void *task, size_t count);
