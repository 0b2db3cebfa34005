/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "memory.h"
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static ff_allocator given; /* allocator set by the program; without functions: the C library */

ff_status ff_allocator_set(const ff_allocator *allocator) {
    if (!allocator) {
        given = (ff_allocator){.size = sizeof given};
        return FF_OK;
    }
    if (allocator->size != sizeof given || !allocator->allocate || !allocator->resize ||
        !allocator->release) {
        return FF_BAD_VALUE;
    }
    given = *allocator;
    return FF_OK;
}

void *ff_malloc(size_t bytes) {
    return given.allocate ? given.allocate(given.user, _Alignof(max_align_t), bytes)
                          : malloc(bytes);
}

void *ff_aligned_alloc(size_t alignment, size_t bytes) {
    return given.allocate ? given.allocate(given.user, alignment, bytes)
                          : aligned_alloc(alignment, bytes);
}

void *ff_calloc(size_t count, size_t bytes) {
    if (!given.allocate) {
        return calloc(count, bytes);
    }
    void *out = bytes > 0 && count > SIZE_MAX / bytes ? NULL : ff_malloc(count * bytes);
    return out ? memset(out, 0, count * bytes) : NULL;
}

void *ff_realloc(void *block, size_t bytes) {
    return !given.resize ? realloc(block, bytes)
           : block       ? given.resize(given.user, block, bytes)
                         : ff_malloc(bytes);
}

void ff_free(void *block) {
    if (!given.release) {
        free(block);
    } else if (block) {
        given.release(given.user, block);
    }
}

char *ff_streamed(char *text, size_t size) {
    if (!given.allocate || !text) {
        return text;
    }
    char *out = ff_malloc(size + 1);
    if (out) {
        memcpy(out, text, size + 1);
    }
    free(text);
    return out;
}
