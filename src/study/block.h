/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* Results in one block of memory that the caller frees at once: sizes are counted first, then memory is handed out. */

#include <stddef.h>
#include <string.h>

typedef struct ff_block {
    char *at; /* NULL while counting */
    size_t used;
} ff_block;

static inline void *ff_block_take(ff_block *b, size_t size) {
    void *out = b->at ? b->at + b->used : NULL;
    b->used += (size + 7) / 8 * 8;
    return out;
}

/* A copy of the first bytes of a text; NULL stays NULL. */
static inline const char *ff_block_part(ff_block *b, const char *text, size_t length) {
    char *out = text ? ff_block_take(b, length + 1) : NULL;
    if (out) {
        memcpy(out, text, length);
        out[length] = '\0';
    }
    return out;
}

static inline const char *ff_block_text(ff_block *b, const char *text) {
    return ff_block_part(b, text, text ? strlen(text) : 0);
}
