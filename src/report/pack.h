/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* Columns of numbers made small, for a page: values in steps of a part of their range, each told by how far it is
 * from what the ones before let expect, in as few bits as that takes. web/src/unpack.js reads them. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* A stream of bits that starts as {0}; `bytes` are the caller's to free. */
typedef struct pack {
    unsigned char *bytes;
    size_t size, room;
    uint64_t bits; /* that are no whole byte yet, `pending` of them */
    int pending;
    bool failed; /* memory ended */
} pack;

/* A value is least + step times a whole number. */
typedef struct pack_scale {
    double least, step;
} pack_scale;

/* The steps of a column: 2^bits - 1 of them in the range of its values, or in `floor` if that is more: smaller
 * changes are none. A 0 within the range is exact: it unpacks to 0. `bits` to 24. */
pack_scale pack_scale_of(const double *values, size_t count, double floor, int bits);
/* Adds a column; `work` has room for `count`. What is not finite is taken as the least value. */
void pack_column(pack *p, const double *values, size_t count, pack_scale scale, int32_t *work);
/* Fills up the last byte. */
void pack_end(pack *p);

/* As base64 (RFC 4648), the caller's to free; NULL where memory ends. */
char *pack_base64(const void *bytes, size_t size);
