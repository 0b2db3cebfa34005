/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* Broad phase: which of many balls overlap. Balls of about the same size share a grid of cubes; a ball is compared
 * with those of its own grid and of coarser ones, so that a few huge ones cost little. Where each ball overlaps few
 * others the time grows as n log n, whatever their sizes are and however far some of them are away. */

#include <footfall/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct ff_ball {
    double at[3], reach;
} ff_ball;

/* Two balls that overlap, by their numbers: a < b. */
typedef struct ff_couple {
    int32_t a, b;
} ff_couple;

typedef struct ff_cells_scratch ff_cells_scratch;

/* Begins as {0}; its memory grows with what it is asked for and is kept until ff_cells_clear(). */
typedef struct ff_cells {
    size_t count; /* of couples, sorted by (a, b), each once */
    ff_couple *couples;
    size_t room;
    ff_cells_scratch *scratch;
} ff_cells;

/* Whether two balls are no farther apart than `margin`. */
static inline bool ff_ball_near(const ff_ball *p, const ff_ball *q, double margin) {
    const double x = p->at[0] - q->at[0], y = p->at[1] - q->at[1], z = p->at[2] - q->at[2],
                 reach = p->reach + q->reach + margin;
    return x * x + y * y + z * z <= reach * reach;
}

/* The largest number of a ball: its square is finite. */
#define FF_CELLS_FARTHEST 1e150

/* Finds all couples of balls that are near, into cells->couples: the same list on every machine. FF_NOT_FINITE: a number is
 * not finite; FF_BAD_VALUE: a reach or the margin is negative, a number is above FF_CELLS_FARTHEST, or there are more than INT32_MAX
 * balls; FF_NO_MEMORY. Then there are no couples. */
ff_status ff_cells_find(ff_cells *cells, const ff_ball *balls, size_t count, double margin);
/* The numbers of the balls of the last search (of more than FF_CELLS_FEW) in the order of their cells: those close to
 * each other in space are close in this list. NULL where there was none. */
const int32_t *ff_cells_order(const ff_cells *cells);
void ff_cells_clear(ff_cells *cells);
/* About how much memory so many balls take with so many couples, bytes. */
double ff_cells_memory(double balls, double couples);

/* so few are compared each with each */
enum { FF_CELLS_FEW = 24 };
