/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* Compression of columns of numbers for a page: values are quantised to a fraction of their range, predicted from the
 * previous ones, and the differences are coded in as few bits as possible. web/src/unpack.js reads them. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* A bit stream; initialise with {0}. The caller frees `bytes`. */
typedef struct pack {
    unsigned char *bytes;
    size_t size, room;
    uint64_t bits; /* `pending` bits that are not a complete byte yet */
    int pending;
    bool failed; /* out of memory */
} pack;

/* A value is least + step times an integer. */
typedef struct pack_scale {
    double least, step;
} pack_scale;

/* Quantisation of a column: 2^bits - 1 steps in the range of its values, or in `floor` if that is larger, so that smaller
 * changes vanish. A 0 within the range is exact. `bits` at most 24. */
pack_scale pack_scale_of(const double *values, size_t count, double floor, int bits);
/* Adds a column; `work` has room for `count`. Values that are not finite become the smallest value. */
void pack_column(pack *p, const double *values, size_t count, pack_scale scale, int32_t *work);
/* Completes the last byte. */
void pack_end(pack *p);

/* Encodes as base64 (RFC 4648); the caller frees the text. NULL if out of memory. */
char *pack_base64(const void *bytes, size_t size);
