/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* Memory that ends: the C library's own functions, counted, which give nothing once so many blocks were given. For one file of
 * a program; where CAN_END is not defined, memory cannot be made to end. Unlike an ff_allocator this also ends what libraries
 * that footfall calls take, and streams. */

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__)
#define CAN_END 1

static long given = 0, give_most = -1; /* -1: there is no end */

static bool gives(void) {
    if (given++ < give_most || give_most < 0) {
        return true;
    }
    errno = ENOMEM;
    return false;
}

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *at, size_t size);
void *__libc_memalign(size_t unit, size_t size);
void *malloc(size_t size) { return gives() ? __libc_malloc(size) : NULL; }
void *calloc(size_t count, size_t size) { return gives() ? __libc_calloc(count, size) : NULL; }
void *realloc(void *at, size_t size) { return gives() ? __libc_realloc(at, size) : NULL; }
void *aligned_alloc(size_t unit, size_t size) {
    return gives() ? __libc_memalign(unit, size) : NULL;
}
#endif
