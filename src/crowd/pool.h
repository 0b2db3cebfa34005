/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* A pool of threads that process the parts of a task. The assignment of parts to threads is arbitrary: parts must not
 * depend on each other. */

#include <footfall/tool.h>
#include <stddef.h>

typedef struct ff_pool ff_pool;
/* worker: index of the thread, from 0 */
typedef void (*ff_part)(void *task, size_t index, int worker);

/* NULL if threads cannot be created. `threads` includes the caller. */
ff_pool *ff_pool_create(int threads);
void ff_pool_free(ff_pool *pool);
int ff_pool_threads(const ff_pool *pool);

/* Processes parts 0 to count - 1 and returns when all are done; pool NULL: one after the other. */
void ff_pool_run(ff_pool *pool, ff_part part, void *task, size_t count);
