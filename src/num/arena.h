/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* Allocates all arrays of a run as one block: a first pass adds up the sizes, a second one hands out pointers. */

#include <stddef.h>

typedef struct ff_arena {
    char *at; /* NULL while counting */
    size_t used;
} ff_arena;

static inline void *ff_arena_take(ff_arena *a, size_t count, size_t size) {
    void *out = a->at ? a->at + a->used : NULL;
    a->used += (count * size + 63) / 64 * 64;
    return out;
}

#define FF_TAKE(arena, field, count) ((field) = ff_arena_take((arena), (count), sizeof *(field)))
