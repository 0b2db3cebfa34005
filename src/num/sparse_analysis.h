/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

#include "sparse.h"

typedef enum ff_sparse_need {
    FF_SPARSE_DONE,
    FF_SPARSE_MORE,    /* memory: all that was there is lost */
    FF_SPARSE_TOO_MUCH /* the factors are too large */
} ff_sparse_need;

/* Lays out the structure of the present list of entries in s->memory, as far as s->size goes, and fills `to`. */
ff_sparse_need ff_sparse_analyse(ff_sparse *s);

/* ff_sparse_analyse() for a matrix that is full: one block. */
ff_sparse_need ff_sparse_lay_out_full(ff_sparse *s);

/* Bytes that suffice for any list of entries of n rows. */
size_t ff_sparse_least_size(size_t n);
