/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* Linear equations (d I - A) x = b with a sparse square A, factorised without row exchanges.
 *
 * A is given as a list of entries, which are added up. As long as the rows and columns of the list stay the same, only
 * numbers change; another list is analysed again. The factors depend only on the current list, never on earlier ones.
 *
 * Pivots are taken from the diagonal in an order chosen by structure. This suits the matrices of implicit steps, I/(gamma
 * h) - df/dy, which become diagonal as h becomes small: a factorisation that loses accuracy fails, and a shorter step is
 * tried. */

#include <footfall/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A range of consecutive columns. */
typedef struct ff_sparse_run {
    uint32_t from, count;
} ff_sparse_run;

/* Consecutive rows of the factors with the same structure: entries of L in the columns of `lower`, the square block on the
 * diagonal, then entries of U in the columns of `upper`. Columns are in elimination order. */
typedef struct ff_sparse_block {
    uint32_t first, width;
    uint32_t pivots_at, pivots;    /* blocks that reduce its rows, in `list` */
    uint32_t lower_at, lower;      /* runs of columns of L */
    uint32_t upper_at, upper;      /* runs of columns of U */
    uint32_t lower_size, row_size; /* numbers in a row: of L, and in total */
    size_t at;                     /* position of its first row in `factors` */
} ff_sparse_block;

typedef struct ff_sparse {
    size_t n;

    /* the entries of A in the order in which they were added */
    uint64_t *keys; /* row and column */
    double *added;
    uint32_t *to; /* position in `entries` at which each is added up */
    size_t count, room;
    size_t late;      /* see ff_sparse_resize() */
    size_t known;     /* number of entries that match the analysed list; 0 once the list differs */
    bool ready;       /* the structure belongs to the current list */
    bool full;        /* A is full rather than a list */
    ff_status status; /* status of adding entries */
    size_t most;      /* largest allowed size of L and U: FF_SPARSE_MOST */

    /* the structure, in one block of memory that only grows */
    char *memory;
    size_t size;
    uint32_t *place; /* position of a row in elimination order */
    /* rows of A in elimination order: entries row_at[i] to row_at[i + 1]; unused for a single block */
    uint32_t *row_at;
    /* columns of the entries, in that order; unused for a single block, which is full */
    uint32_t *columns;
    double *entries;
    size_t entry_count;
    ff_sparse_block *blocks;
    size_t block_count;
    uint32_t *list;
    ff_sparse_run *runs;
    /* of each row of a single block: L is 0 before column `lead`, U between the diagonal and column `tail` */
    uint32_t *lead, *tail;
    double *factors, *inverse; /* L and U; reciprocals of the pivots */
    double *row, *solution;    /* scratch, n numbers each */
    size_t factor_size;        /* numbers in L and U */
    double factor_flops, solve_flops;
} ff_sparse;

/* Largest number of entries of L and U (512 MB); more is refused. */
#define FF_SPARSE_MOST ((size_t)1 << 26)

/* Creates a matrix of n rows. A small one allocates all it can need at once; a large one allocates as its lists of entries
 * require. NULL if out of memory. */
ff_sparse *ff_sparse_create(size_t n);
void ff_sparse_free(ff_sparse *s);
/* Changes the number of rows to n and removes all entries; memory is kept. */
void ff_sparse_reset(ff_sparse *s, size_t n);
/* Changes the number of rows to n; call after the entries were added. Where no order is found from the structure, since there are
 * few rows, the first `late` of them are eliminated after the others. */
void ff_sparse_resize(ff_sparse *s, size_t n, size_t late);

/* Starts a list of entries; adds an entry (several at one position are summed); ends the list. FF_NO_MEMORY, also if the
 * factors would exceed FF_SPARSE_MOST: then there is no matrix. */
void ff_sparse_begin(ff_sparse *s);
ff_status ff_sparse_end(ff_sparse *s);

/* Adds an entry that differs from the one of the previous list. */
void ff_sparse_add_other(ff_sparse *s, uint64_t key, double value);

static inline void ff_sparse_add(ff_sparse *s, size_t row, size_t column, double value) {
    const uint64_t key = (uint64_t)row << 32 | column;
    if (s->count < s->known && s->keys[s->count] == key) {
        s->added[s->count++] = value;
    } else {
        ff_sparse_add_other(s, key, value);
    }
}

/* Makes A full and returns its entries, row by row, for the caller to fill in. NULL if out of memory. */
double *ff_sparse_full(ff_sparse *s);

/* Factorises d I - A. False if a pivot has lost too many digits or is not finite. */
bool ff_sparse_factor(ff_sparse *s, double d);
/* A x */
void ff_sparse_multiply(const ff_sparse *s, const double *x, double *out);
/* Solves; b becomes the solution. */
void ff_sparse_solve(ff_sparse *s, double *b);
/* Solves with b and the solution in elimination order: the number of row i is at place[i]. */
void ff_sparse_solve_placed(const ff_sparse *s, double *b);
