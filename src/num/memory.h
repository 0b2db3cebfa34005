/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* malloc(), calloc(), realloc() and aligned_alloc() by the allocator of the program; ff_free() is free(). */

#include <footfall/memory.h>

void *ff_malloc(size_t bytes);
void *ff_calloc(size_t count, size_t bytes);
void *ff_realloc(void *block, size_t bytes);
void *ff_aligned_alloc(size_t alignment, size_t bytes);

/* What a stream into memory has written, `size` bytes and a 0 that closes them, as a block of the allocator; the stream's own
 * block goes back to the C library. NULL stays NULL. */
char *ff_streamed(char *text, size_t size);
