/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* Where the library takes memory from: the C library, unless a program says otherwise. Libraries that footfall calls (libyaml,
 * HDF5, cminpack) take theirs from the C library. */

#include <footfall/status.h>

FF_C_BEGIN

/* allocate() returns a block of so many bytes at a multiple of `alignment`, a power of 2, or NULL. resize() does what realloc()
 * does, with blocks that are aligned for any type and are not NULL. release() takes a block back, never NULL. All of them may be
 * called by several threads at once. */
typedef struct ff_allocator {
    size_t size;
    void *(*allocate)(void *user, size_t alignment, size_t bytes);
    void *(*resize)(void *user, void *block, size_t bytes);
    void (*release)(void *user, void *block);
    void *user;
} ff_allocator;

/* Sets the allocator. To be called before any other call of the library, or after everything was freed, since blocks are
 * released by the allocator that is set then. NULL: the C library's. FF_BAD_VALUE where a function is missing. */
FF_API ff_status ff_allocator_set(const ff_allocator *allocator);

/* Frees a block that the library has handed to its caller. NULL is allowed. */
FF_API void ff_free(void *block);

FF_C_END
