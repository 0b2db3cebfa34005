/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* Simulates exhausted memory: wrappers of the C library's functions that count blocks and fail after a given
 * number. To be included in one file of a program; if CAN_END is not defined, exhaustion cannot be simulated.
 * Unlike an ff_allocator this also affects streams and libraries called by footfall. */

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__)
#define CAN_END 1

static long given = 0, give_most = -1; /* -1: no limit */

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
