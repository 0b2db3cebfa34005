/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* malloc(), calloc(), realloc() and aligned_alloc() of the program's allocator; ff_free() is free(). */

#include <footfall/memory.h>

void *ff_malloc(size_t bytes);
void *ff_calloc(size_t count, size_t bytes);
void *ff_realloc(void *block, size_t bytes);
void *ff_aligned_alloc(size_t alignment, size_t bytes);

/* Copies the text of a memory stream (`size` bytes and a terminating 0) to a block of the allocator, and frees the stream's
 * own block with the C library. NULL stays NULL. */
char *ff_streamed(char *text, size_t size);
