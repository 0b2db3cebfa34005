/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "cells.h"
#include "memory.h"
#include "pair.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Balls are sorted by (grid, cell). The cells of a grid are sorted row by row, so that three neighbouring cells along the
 * first axis are adjacent in memory. A ball is compared with later balls in its own cell, with those in the next cell and
 * in the four rows ahead (13 of 26 neighbours, so that each pair is found once), and with those in the surrounding cells of
 * each coarser grid.
 *
 * The width of a cell is at least the largest diameter in its grid, so that two overlapping balls of a grid are in the same
 * or in neighbouring cells. */

enum {
    GRIDS = 64, /* most grids; sizes that would need more go into the finest one */
    /* most bits of a cell index along an axis; balls farther away get wider cells */
    CELL_BITS = 20,
    BINS = 1 << 13, /* sizes by exponent and two bits of the mantissa */
};
#define LEAST 1e-150 /* smallest size, so that its square does not underflow */
/* relative enlargement of cells, larger than the error 2^-33 of an index of 20 bits */
#define SLACK 1.001

typedef struct {
    uint64_t key;
    int32_t index, grid;
} entry;

typedef struct {
    double size; /* size of its largest ball, later of its cells */
    int32_t low[3], high[3];
    size_t begin, end; /* range of its entries */
} grid;

struct ff_cells_scratch {
    size_t room, pair_room, count;
    entry *entries, *spare;
    ff_ball *balls; /* in the order of entries */
    ff_couple *found;
    int32_t *order;
    size_t *starts;
    size_t pairs, pairs_most;
    bool ordered; /* pairs were found in the order of (a, b) */
    double origin[3], margin;
    int axis[3], shift[3]; /* for each rank: the axis, and the position of its bits in a key */
    int grids;
    grid grid[GRIDS];
    double most[BINS]; /* largest ball of each bin; 0: none */
    uint8_t grid_of[BINS];
};

static ff_status check(const ff_ball *balls, size_t count, double margin) {
    bool finite = isfinite(margin), good = margin >= 0 && margin <= FF_CELLS_FARTHEST;
    if (count > INT32_MAX) {
        return FF_BAD_VALUE;
    }
    for (size_t i = 0; i < count; i++) {
        const double *at = balls[i].at, reach = balls[i].reach;
        finite = finite && isfinite(at[0]) && isfinite(at[1]) && isfinite(at[2]) && isfinite(reach);
        good = good && fabs(at[0]) <= FF_CELLS_FARTHEST && fabs(at[1]) <= FF_CELLS_FARTHEST &&
               fabs(at[2]) <= FF_CELLS_FARTHEST && reach >= 0 && reach <= FF_CELLS_FARTHEST;
    }
    return !finite ? FF_NOT_FINITE : good ? FF_OK : FF_BAD_VALUE;
}

/* ---- memory ---- */

static void free_arrays(ff_cells_scratch *s) {
    ff_free(s->entries);
    ff_free(s->spare);
    ff_free(s->balls);
    ff_free(s->order);
    ff_free(s->starts);
}

static bool make_room(ff_cells *cells, size_t count) {
    if (!cells->scratch && !(cells->scratch = ff_calloc(1, sizeof *cells->scratch))) {
        return false;
    }
    ff_cells_scratch *s = cells->scratch;
    if (count <= s->room) {
        return true;
    }
    free_arrays(s);
    const size_t room = count + count / 4;
    s->entries = ff_malloc(room * sizeof *s->entries);
    s->spare = ff_malloc(room * sizeof *s->spare);
    s->balls = ff_malloc(room * sizeof *s->balls);
    s->order = ff_malloc(room * sizeof *s->order);
    s->starts = ff_malloc((room + 1) * sizeof *s->starts);
    bool good = s->entries && s->spare && s->balls && s->order && s->starts;
    s->room = good ? room : 0;
    return good;
}

static bool grow(ff_couple **at, size_t *room, size_t wanted) {
    if (wanted <= *room) {
        return true;
    }
    wanted += wanted / 2 + 64;
    ff_couple *grown = ff_realloc(*at, wanted * sizeof *grown);
    if (!grown) {
        return false;
    }
    *at = grown;
    *room = wanted;
    return true;
}

/* Adds a pair of near balls. False: there is no memory, or there are more than s->pairs_most. */
static bool add(ff_cells_scratch *s, int32_t i, int32_t j) {
    if (s->pairs == s->pairs_most) {
        s->pairs++;
        return false;
    }
    if (s->pairs == s->pair_room && !grow(&s->found, &s->pair_room, s->pairs + 1)) {
        return false;
    }
    const ff_couple c = i < j ? (ff_couple){i, j} : (ff_couple){j, i};
    if (s->pairs > 0) {
        const ff_couple *last = &s->found[s->pairs - 1];
        s->ordered = s->ordered && (last->a < c.a || (last->a == c.a && last->b < c.b));
    }
    s->found[s->pairs++] = c;
    return true;
}

/* ---- cells ---- */

/* Median of a sample of positions along an axis, so that a few distant balls do not affect it. */
static double middle_of(const ff_ball *balls, size_t count, int axis) {
    enum { SAMPLES = 31 };
    double x[SAMPLES];
    for (size_t k = 0; k < SAMPLES; k++) {
        /* multiplicative hashing with 2^32 over the golden ratio (Knuth) spreads the samples evenly */
        double next = balls[k * 2654435769u % count].at[axis];
        size_t at = k;
        for (; at > 0 && x[at - 1] > next; at--) {
            x[at] = x[at - 1];
        }
        x[at] = next;
    }
    return x[SAMPLES / 2];
}

/* Diameter of a ball plus its share of the margin; larger if the ball is farther from the origin than cell indices reach. */
static double size_of(const ff_cells_scratch *s, const ff_ball *b) {
    double far = 0;
    for (int c = 0; c < 3; c++) {
        far = fmax(far, fabs(b->at[c] - s->origin[c]));
    }
    return fmax(fmax(2 * b->reach + s->margin, ldexp(far, 1 - CELL_BITS)), LEAST);
}

static size_t bin_of(double size) { return (size_t)(ff_bits(size) >> 50); }

/* Sizes that differ by less than a factor of about two share a grid; the coarsest comes first. */
static void make_grids(ff_cells_scratch *s, const ff_ball *balls, size_t count) {
    size_t low = BINS - 1, high = 0;
    for (size_t i = 0; i < count; i++) {
        size_t bin = bin_of(size_of(s, &balls[i]));
        low = bin < low ? bin : low;
        high = bin > high ? bin : high;
    }
    memset(s->most + low, 0, (high - low + 1) * sizeof *s->most);
    for (size_t i = 0; i < count; i++) {
        double size = size_of(s, &balls[i]), *most = &s->most[bin_of(size)];
        *most = fmax(*most, size);
    }
    s->grids = 0;
    for (size_t bin = high + 1; bin-- > low;) {
        if (s->most[bin] == 0) {
            continue;
        }
        if (s->grids == 0 || (s->most[bin] < s->grid[s->grids - 1].size / 2 && s->grids < GRIDS)) {
            s->grid[s->grids++] = (grid){.size = s->most[bin],
                                         .low = {INT32_MAX, INT32_MAX, INT32_MAX},
                                         .high = {INT32_MIN, INT32_MIN, INT32_MIN}};
        }
        s->grid_of[bin] = (uint8_t)(s->grids - 1);
    }
    for (int g = 0; g < s->grids; g++) {
        s->grid[g].size *= SLACK;
    }
}

/* Cell index of the position x + off. Subtracting the origin first is exact where it matters. */
static int32_t cell_along(const ff_cells_scratch *s, int g, double x, double off, int axis) {
    return (int32_t)floor((x - s->origin[axis] + off) / s->grid[g].size);
}

/* Bits of a cell index along an axis, with one spare cell on either side. */
static int bits_along(const ff_cells_scratch *s, int axis) {
    int64_t most = 0;
    for (int g = 0; g < s->grids; g++) {
        int64_t span = (int64_t)s->grid[g].high[axis] - s->grid[g].low[axis] + 3;
        most = span > most ? span : most;
    }
    int bits = 0;
    for (; most > 0; most /= 2) {
        bits++;
    }
    return bits;
}

static uint64_t key_of(const ff_cells_scratch *s, int g, const int32_t cell[3]) {
    uint64_t key = 0;
    for (int c = 0; c < 3; c++) {
        key |= (uint64_t)(cell[c] - s->grid[g].low[c] + 1) << s->shift[c];
    }
    return key;
}

/* The shortest axis gets the lowest bits, which brings neighbouring rows closest together in memory. Returns the number of
 * bits of a key. */
static int make_keys(ff_cells_scratch *s, const ff_ball *balls, size_t count) {
    for (size_t i = 0; i < count; i++) {
        int g = s->grid_of[bin_of(size_of(s, &balls[i]))];
        grid *at = &s->grid[g];
        for (int c = 0; c < 3; c++) {
            int32_t cell = cell_along(s, g, balls[i].at[c], 0, c);
            at->low[c] = cell < at->low[c] ? cell : at->low[c];
            at->high[c] = cell > at->high[c] ? cell : at->high[c];
        }
        s->entries[i] = (entry){.index = (int32_t)i, .grid = g};
    }
    /* axes by how many cells the finest grid has along them */
    const grid *fine = &s->grid[s->grids - 1];
    int axes[3] = {0, 1, 2}, bits = 0;
    for (int k = 0; k < 3; k++) {
        for (int j = 2; j > k; j--) {
            int a = axes[j - 1], b = axes[j];
            if ((int64_t)fine->high[b] - fine->low[b] < (int64_t)fine->high[a] - fine->low[a]) {
                axes[j - 1] = b;
                axes[j] = a;
            }
        }
        s->axis[k] = axes[k];
        s->shift[axes[k]] = bits;
        bits += bits_along(s, axes[k]);
    }
    for (size_t i = 0; i < count; i++) {
        int32_t cell[3];
        for (int c = 0; c < 3; c++) {
            cell[c] = cell_along(s, s->entries[i].grid, balls[i].at[c], 0, c);
        }
        s->entries[i].key = key_of(s, s->entries[i].grid, cell);
    }
    return bits;
}

/* One pass of a stable radix sort; by grid if bits is 0. */
static void sort_digit(ff_cells_scratch *s, size_t count, int shift, int bits) {
    size_t starts[1 << 11] = {0};
    const uint64_t mask = ((uint64_t)1 << bits) - 1;
#define DIGIT(e) (bits ? (size_t)((e)->key >> shift & mask) : (size_t)(e)->grid)
    for (size_t i = 0; i < count; i++) {
        starts[DIGIT(&s->entries[i])]++;
    }
    size_t sum = 0, digits = bits ? (size_t)1 << bits : GRIDS;
    for (size_t d = 0; d < digits; d++) {
        size_t next = starts[d];
        starts[d] = sum;
        sum += next;
    }
    for (size_t i = 0; i < count; i++) {
        s->spare[starts[DIGIT(&s->entries[i])]++] = s->entries[i];
    }
#undef DIGIT
    entry *sorted = s->spare;
    s->spare = s->entries;
    s->entries = sorted;
}

static void sort_entries(ff_cells_scratch *s, const ff_ball *balls, size_t count, int bits) {
    const int digit = count < 4096 ? 8 : 11;
    bool sorted = true;
    for (size_t i = 1; i < count && sorted; i++) {
        const entry *a = &s->entries[i - 1], *b = &s->entries[i];
        sorted = a->grid < b->grid || (a->grid == b->grid && a->key <= b->key);
    }
    for (int shift = 0; shift < bits && !sorted; shift += digit) {
        sort_digit(s, count, shift, digit);
    }
    if (s->grids > 1 && !sorted) {
        sort_digit(s, count, 0, 0);
    }
    for (size_t i = 0; i < count; i++) {
        grid *g = &s->grid[s->entries[i].grid];
        s->balls[i] = balls[s->entries[i].index];
        s->order[i] = s->entries[i].index;
        g->begin = g->end == 0 ? i : g->begin;
        g->end = i + 1;
    }
    s->count = count;
}

/* ---- couples ---- */

static bool meet(ff_cells_scratch *s, size_t i, size_t j) {
    return !ff_ball_near(&s->balls[i], &s->balls[j], s->margin) ||
           add(s, s->entries[i].index, s->entries[j].index);
}

/* Pairs within a grid. `ahead` moves through each row together with the ball. */
static bool meet_own(ff_cells_scratch *s, const grid *g) {
    const uint64_t y = (uint64_t)1 << s->shift[s->axis[1]], z = (uint64_t)1 << s->shift[s->axis[2]];
    const uint64_t rows[4] = {y, z - y, z, z + y};
    const entry *e = s->entries;
    size_t ahead[4] = {g->begin, g->begin, g->begin, g->begin};
    for (size_t i = g->begin; i < g->end; i++) {
        const uint64_t key = e[i].key;
        for (size_t j = i + 1; j < g->end && e[j].key <= key + 1; j++) {
            if (!meet(s, i, j)) {
                return false;
            }
        }
        for (int r = 0; r < 4; r++) {
            size_t j = ahead[r];
            while (j < g->end && e[j].key < key + rows[r] - 1) {
                j++;
            }
            ahead[r] = j;
            for (; j < g->end && e[j].key <= key + rows[r] + 1; j++) {
                if (!meet(s, i, j)) {
                    return false;
                }
            }
        }
    }
    return true;
}

/* The first entry of a grid whose key is not below `key`. */
static size_t first_from(const ff_cells_scratch *s, const grid *g, uint64_t key) {
    size_t low = g->begin, high = g->end;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (s->entries[middle].key < key) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* Pairs of a ball with those of a coarser grid. */
static bool meet_coarse(ff_cells_scratch *s, size_t i, int m) {
    const grid *g = &s->grid[m];
    const ff_ball *ball = &s->balls[i];
    const double reach = (size_of(s, ball) + g->size) / 2;
    int32_t low[3], high[3], cell[3];
    for (int c = 0; c < 3; c++) {
        low[c] = cell_along(s, m, ball->at[c], -reach, c);
        high[c] = cell_along(s, m, ball->at[c], reach, c);
        low[c] = low[c] < g->low[c] ? g->low[c] : low[c];
        high[c] = high[c] > g->high[c] ? g->high[c] : high[c];
        if (low[c] > high[c]) {
            return true;
        }
    }
    const int x = s->axis[0], y = s->axis[1], z = s->axis[2];
    for (cell[z] = low[z]; cell[z] <= high[z]; cell[z]++) {
        for (cell[y] = low[y]; cell[y] <= high[y]; cell[y]++) {
            cell[x] = low[x];
            const uint64_t from = key_of(s, m, cell), to = from + (uint64_t)(high[x] - low[x]);
            for (size_t j = first_from(s, g, from); j < g->end && s->entries[j].key <= to; j++) {
                if (!meet(s, i, j)) {
                    return false;
                }
            }
        }
    }
    return true;
}

static bool meet_all(ff_cells_scratch *s) {
    bool good = true;
    s->pairs = 0;
    s->ordered = true;
    for (int g = 0; g < s->grids && good; g++) {
        good = meet_own(s, &s->grid[g]);
        for (size_t i = s->grid[g].begin; g > 0 && i < s->grid[g].end && good; i++) {
            for (int m = 0; m < g && good; m++) {
                good = meet_coarse(s, i, m);
            }
        }
    }
    return good;
}

static int by_second(const void *a, const void *b) {
    const ff_couple *p = a, *q = b;
    return (p->b > q->b) - (p->b < q->b);
}

/* Sorts the pairs of one first ball by the second. */
static void sort_seconds(ff_couple *at, size_t count) {
    if (count > 64) {
        qsort(at, count, sizeof *at, by_second);
        return;
    }
    for (size_t i = 1; i < count; i++) {
        ff_couple c = at[i];
        size_t k = i;
        for (; k > 0 && at[k - 1].b > c.b; k--) {
            at[k] = at[k - 1];
        }
        at[k] = c;
    }
}

static bool sort_couples(ff_cells *cells) {
    ff_cells_scratch *s = cells->scratch;
    if (s->ordered) {
        ff_couple *found = s->found;
        size_t room = s->pair_room;
        s->found = cells->couples;
        s->pair_room = cells->room;
        cells->couples = found;
        cells->room = room;
        return true;
    }
    if (!grow(&cells->couples, &cells->room, s->pairs)) {
        return false;
    }
    size_t *starts = s->starts;
    memset(starts, 0, (s->count + 1) * sizeof *starts);
    for (size_t i = 0; i < s->pairs; i++) {
        starts[s->found[i].a + 1]++;
    }
    for (size_t i = 0; i < s->count; i++) {
        starts[i + 1] += starts[i];
    }
    for (size_t i = 0; i < s->pairs; i++) {
        cells->couples[starts[s->found[i].a]++] = s->found[i];
    }
    /* each start has become the start of the next one */
    for (size_t i = 0, from = 0; i < s->count; from = starts[i++]) {
        sort_seconds(cells->couples + from, starts[i] - from);
    }
    return true;
}

/* Compares every ball with every other. */
static bool meet_few(ff_cells *cells, const ff_ball *balls, size_t count, double margin) {
    if (!grow(&cells->couples, &cells->room, count * count / 2)) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        for (size_t j = i + 1; j < count; j++) {
            if (ff_ball_near(&balls[i], &balls[j], margin)) {
                cells->couples[cells->count++] = (ff_couple){(int32_t)i, (int32_t)j};
            }
        }
    }
    return true;
}

ff_status ff_cells_find(ff_cells *cells, const ff_ball *balls, size_t count, double margin) {
    cells->count = 0;
    if (cells->scratch) {
        cells->scratch->count = 0;
    }
    ff_status status = check(balls, count, margin);
    if (status < 0) {
        return status;
    }
    if (count <= FF_CELLS_FEW) {
        return meet_few(cells, balls, count, margin) ? FF_OK : FF_NO_MEMORY;
    }
    if (!make_room(cells, count)) {
        return FF_NO_MEMORY;
    }
    ff_cells_scratch *s = cells->scratch;
    s->margin = margin;
    s->pairs_most = cells->most > 0 ? cells->most : SIZE_MAX;
    for (int c = 0; c < 3; c++) {
        s->origin[c] = middle_of(balls, count, c);
    }
    make_grids(s, balls, count);
    sort_entries(s, balls, count, make_keys(s, balls, count));
    const bool all = meet_all(s);
    if (s->pairs > s->pairs_most) {
        cells->count = s->pairs;
        return FF_OK;
    }
    if (!all || !sort_couples(cells)) {
        s->count = 0;
        return FF_NO_MEMORY;
    }
    cells->count = s->pairs;
    return FF_OK;
}

const int32_t *ff_cells_order(const ff_cells *cells) {
    return cells->scratch && cells->scratch->count > 0 ? cells->scratch->order : NULL;
}

void ff_cells_clear(ff_cells *cells) {
    if (cells->scratch) {
        free_arrays(cells->scratch);
        ff_free(cells->scratch->found);
    }
    ff_free(cells->scratch);
    ff_free(cells->couples);
    *cells = (ff_cells){0};
}

double ff_cells_memory(double balls, double couples) {
    return 1.25 * balls * (2 * sizeof(entry) + sizeof(ff_ball) + sizeof(int32_t) + sizeof(size_t)) +
           2 * 1.25 * couples * sizeof(ff_couple);
}
