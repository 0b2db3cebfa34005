/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

#include "sparse.h"

typedef enum ff_sparse_need {
    FF_SPARSE_DONE,
    FF_SPARSE_MORE,    /* more memory is needed; the contents are lost */
    FF_SPARSE_TOO_MUCH /* the factors would be too large */
} ff_sparse_need;

/* Lays out the structure of the current list of entries in s->memory, as far as s->size allows, and fills in `to`. */
ff_sparse_need ff_sparse_analyse(ff_sparse *s);

/* The same for a full matrix: one block. */
ff_sparse_need ff_sparse_lay_out_full(ff_sparse *s);

/* Number of bytes that suffices for any list of entries of n rows. */
size_t ff_sparse_least_size(size_t n);
