/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* FNV-1a, 64 bit (Fowler, Noll and Vo): detects accidental differences of files and models, not intentional ones. */

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define FF_HASH_START 0xcbf29ce484222325u

static inline uint64_t ff_hash(uint64_t h, const void *data, size_t size) {
    const unsigned char *at = data;
    for (size_t i = 0; i < size; i++) {
        h = (h ^ at[i]) * 0x100000001b3u;
    }
    return h;
}

static inline uint64_t ff_hash_text(uint64_t h, const char *text) {
    return ff_hash(h, text, strlen(text) + 1);
}

/* Hash of one value without padding. */
#define FF_HASH(h, value) ff_hash((h), &(value), sizeof(value))
