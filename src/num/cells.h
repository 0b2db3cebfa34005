/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* Broad phase: finds which of many balls overlap. Balls of similar size share a grid of cubes; a ball is compared with
 * those of its own grid and of coarser ones, so a few very large balls cost little. If each ball overlaps few others, the
 * time is O(n log n) for any sizes and any distant outliers. */

#include <footfall/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct ff_ball {
    double at[3], reach;
} ff_ball;

/* Indices of two overlapping balls, a < b. */
typedef struct ff_couple {
    int32_t a, b;
} ff_couple;

typedef struct ff_cells_scratch ff_cells_scratch;

/* Initialise with {0}; memory grows as needed and is kept until ff_cells_clear(). */
typedef struct ff_cells {
    size_t
        most; /* if there are more pairs, a search ends with a larger `count` and no list; 0: no limit */
    size_t count; /* number of pairs, sorted by (a, b) without duplicates */
    ff_couple *couples;
    size_t room;
    ff_cells_scratch *scratch;
} ff_cells;

/* Whether the gap between two balls is at most `margin`. */
static inline bool ff_ball_near(const ff_ball *p, const ff_ball *q, double margin) {
    const double x = p->at[0] - q->at[0], y = p->at[1] - q->at[1], z = p->at[2] - q->at[2],
                 reach = p->reach + q->reach + margin;
    return x * x + y * y + z * z <= reach * reach;
}

/* Largest magnitude of a coordinate or radius: its square must be finite. */
#define FF_CELLS_FARTHEST 1e150

/* Finds all pairs of near balls into cells->couples; the list is the same on every machine. FF_NOT_FINITE: a number is not
 * finite; FF_BAD_VALUE: a radius or the margin is negative, a number exceeds FF_CELLS_FARTHEST, or there are more than
 * INT32_MAX balls; FF_NO_MEMORY. On failure there are no pairs. */
ff_status ff_cells_find(ff_cells *cells, const ff_ball *balls, size_t count, double margin);
/* Indices of the balls of the last search (with more than FF_CELLS_FEW) in the order of their cells, so that neighbours in
 * space are close in the list. NULL if there was no search. */
const int32_t *ff_cells_order(const ff_cells *cells);
void ff_cells_clear(ff_cells *cells);
/* Estimate of the memory for these numbers of balls and pairs, bytes. */
double ff_cells_memory(double balls, double couples);

/* up to this number every ball is compared with every other */
enum { FF_CELLS_FEW = 24 };
