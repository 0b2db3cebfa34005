/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* Linear equations (d I - A) x = b with a sparse square A, factored without exchanges of rows.
 *
 * A is given as a list of entries, which is added up. While the rows and columns of the list stay as they were, only
 * numbers change; another list is analysed anew. The factors depend on the present list alone, never on earlier ones.
 *
 * Pivots are taken from the diagonal in an order chosen by structure. That suits matrices of implicit steps, I/(gamma h) -
 * df/dy, which become diagonal as h becomes small: a factorisation that loses digits fails, and a shorter step is tried. */

#include <footfall/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Columns that follow each other. */
typedef struct ff_sparse_run {
    uint32_t from, count;
} ff_sparse_run;

/* Rows of the factors that follow each other and share their structure: entries of L in the columns of `lower`, the square
 * block on the diagonal, then entries of U in the columns of `upper`. Columns are in the order of elimination. */
typedef struct ff_sparse_block {
    uint32_t first, width;
    uint32_t pivots_at, pivots;    /* blocks that its rows are reduced by, in `list` */
    uint32_t lower_at, lower;      /* runs */
    uint32_t upper_at, upper;      /* runs */
    uint32_t lower_size, row_size; /* numbers in a row: of L, and in all */
    size_t at;                     /* its first row in `factors` */
} ff_sparse_block;

typedef struct ff_sparse {
    size_t n;

    /* the entries of A as they were added */
    uint64_t *keys; /* row and column */
    double *added;
    uint32_t *to; /* where each is added up, in `entries` */
    size_t count, room;
    size_t known;     /* entries of the list that was analysed; 0 once this one is another */
    bool ready;       /* the structure is that of the list */
    bool full;        /* A is full, and not a list */
    ff_status status; /* of adding */
    size_t most;      /* numbers that L and U may have: FF_SPARSE_MOST */

    /* the structure, in one block of memory that only grows */
    char *memory;
    size_t size;
    uint32_t *place; /* of a row in the order of elimination */
    uint32_t *
        row_at; /* rows of A in that order: entries row_at[i] to row_at[i + 1]; none of a single block */
    uint32_t *
        columns; /* of the entries, in that order; none of a single block, which is full, row by row */
    double *entries;
    size_t entry_count;
    ff_sparse_block *blocks;
    size_t block_count;
    uint32_t *list;
    ff_sparse_run *runs;
    double *factors, *inverse; /* L and U; 1 by each pivot */
    double *row, *solution;    /* scratch, of n */
    size_t factor_size;        /* numbers in L and U */
    double factor_flops, solve_flops;
} ff_sparse;

/* More numbers in L and U than this (512 MB) are refused. */
#define FF_SPARSE_MOST ((size_t)1 << 26)

/* A matrix of n rows. What a small one can need at most is taken at once; a large one takes memory as its lists of entries
 * ask for it. NULL where memory ends. */
ff_sparse *ff_sparse_create(size_t n);
void ff_sparse_free(ff_sparse *s);
/* Has n rows from now on, and no entries; memory stays. */
void ff_sparse_reset(ff_sparse *s, size_t n);

/* Begins a list of entries; adds one, of which there may be several in one place; ends the list. FF_NO_MEMORY, also where
 * the factors would be larger than FF_SPARSE_MOST: there is no matrix then. */
void ff_sparse_begin(ff_sparse *s);
ff_status ff_sparse_end(ff_sparse *s);

/* An entry that is not the one of the last list. */
void ff_sparse_add_other(ff_sparse *s, uint64_t key, double value);

static inline void ff_sparse_add(ff_sparse *s, size_t row, size_t column, double value) {
    const uint64_t key = (uint64_t)row << 32 | column;
    if (s->count < s->known && s->keys[s->count] == key) {
        s->added[s->count++] = value;
    } else {
        ff_sparse_add_other(s, key, value);
    }
}

/* Makes A full: its entries row by row, for the caller to fill. NULL where memory ends. */
double *ff_sparse_full(ff_sparse *s);

/* Factors d I - A. False where a pivot has lost too many digits to stand for the matrix, or is not finite. */
bool ff_sparse_factor(ff_sparse *s, double d);
/* A x */
void ff_sparse_multiply(const ff_sparse *s, const double *x, double *out);
/* b becomes the solution. */
void ff_sparse_solve(ff_sparse *s, double *b);
