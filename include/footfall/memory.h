/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* Memory allocation of the library. By default it uses the C library. Libraries that footfall calls (libyaml, HDF5,
 * cminpack) always do. */

#include <footfall/status.h>

FF_C_BEGIN

/* allocate() returns a block of `size` bytes aligned to `alignment`, a power of 2, or NULL. resize() acts like realloc() on
 * a non-NULL block with the alignment of malloc(). release() frees a non-NULL block. All may be called by several threads
 * at once. */
typedef struct ff_allocator {
    size_t size;
    void *(*allocate)(void *user, size_t alignment, size_t bytes);
    void *(*resize)(void *user, void *block, size_t bytes);
    void (*release)(void *user, void *block);
    void *user;
} ff_allocator;

/* Sets the allocator; NULL restores the C library's. Call it before any other function of the library, or after everything
 * has been freed, because blocks are released by the allocator that is set at that time. FF_BAD_VALUE if a function is
 * missing. */
FF_API ff_status ff_allocator_set(const ff_allocator *allocator);

/* Frees a block that the library has returned to the caller. NULL is allowed. */
FF_API void ff_free(void *block);

FF_C_END
