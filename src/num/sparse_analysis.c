/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "sparse_analysis.h"
#include <string.h>

/* Order of elimination and fill-in, from the structure alone.
 *
 * A pivot k whose row has r other entries and whose column has c causes at most r c new entries, at about that cost: the
 * cheapest is eliminated first (Markowitz 1957, Management Sci. 3, 255), here always from the diagonal. Rows or columns
 * with a single other entry come first, since they cause no fill-in: positions, p' = v. Then rows of the same structure,
 * such as velocities of one body or friction states of one contact, form blocks that are eliminated together. */

/* ---- memory ---- */

typedef struct {
    char *at;
    size_t used, size;
    bool ended;
} room;

static void *take(room *m, size_t count, size_t size) {
    const size_t bytes = (count * size + 15) / 16 * 16;
    if (m->ended || bytes > m->size - m->used) {
        m->ended = true;
        return NULL;
    }
    void *out = m->at + m->used;
    m->used += bytes;
    return out;
}

#define TAKE(m, field, count) ((field) = take((m), (count), sizeof *(field)))

/* Upper bound for n full rows: sets of rows and columns including their discarded copies, 44 n^2 bytes; entries by row, 24
 * n^2 (6 n^2 of them, as ff_sparse_create() allocates); A 12 n^2; factors 8 n^2; lists and runs 14 n^2; and arrays of n. */
size_t ff_sparse_least_size(size_t n) { return 112 * n * n + 512 * n + 16384; }

/* ---- the graph ---- */

typedef struct {
    uint32_t *at, count, room;
} set;

/* Structure of what is not eliminated yet: the columns of every row and the rows of every column, without the diagonal.
 * Once there are blocks, only the first row of each remains. */
typedef struct {
    size_t n;
    room *memory;
    set *rows, *columns;
    uint32_t *row_weight,
        *column_weight; /* number of entries in a row or column of a block, without the diagonal */
    uint32_t *weight;   /* rows in a block */
    uint32_t *next;     /* next row of a block, or n */
    uint32_t *mark, stamp;
    bool *left; /* neither eliminated nor part of another block */
    uint32_t *order;
    /* number of eliminated blocks; the first `single` of them are single rows */
    size_t ordered, single;
    size_t fill; /* entries of the factors so far */
} graph;

static void insert(graph *g, set *s, uint32_t x) {
    if (s->count == s->room) {
        const uint32_t more = 2 * s->room < g->n ? 2 * s->room : (uint32_t)g->n;
        uint32_t *at = take(g->memory, more, sizeof *at);
        if (!at) {
            return;
        }
        memcpy(at, s->at, s->count * sizeof *at);
        s->at = at;
        s->room = more;
    }
    s->at[s->count++] = x;
}

static void leave_out(set *s, uint32_t x) {
    uint32_t i = 0;
    while (s->at[i] != x) {
        i++;
    }
    s->at[i] = s->at[--s->count];
}

static bool has(const set *s, uint32_t x) {
    bool out = false;
    for (uint32_t i = 0; i < s->count; i++) {
        out |= s->at[i] == x;
    }
    return out;
}

static void mark_all(graph *g, const set *s) {
    g->stamp++;
    for (uint32_t i = 0; i < s->count; i++) {
        g->mark[s->at[i]] = g->stamp;
    }
}

/* Adds the entries of k to all lines that have an entry for k: rows by columns, and columns by rows. */
static void fill_in(graph *g, uint32_t k, set *lines, uint32_t *weights, const set *across,
                    const set *along) {
    for (uint32_t i = 0; i < across->count; i++) {
        const uint32_t line = across->at[i];
        set *s = &lines[line];
        leave_out(s, k);
        weights[line] -= g->weight[k];
        /* for a single entry, such as of positions, a linear search is faster */
        if (along->count <= 1 && (along->count == 0 || has(s, along->at[0]))) {
            continue;
        }
        mark_all(g, s);
        g->mark[line] = g->stamp;
        for (uint32_t j = 0; j < along->count; j++) {
            const uint32_t x = along->at[j];
            if (g->mark[x] != g->stamp) {
                insert(g, s, x);
                weights[line] += g->weight[x];
            }
        }
    }
}

static void eliminate(graph *g, uint32_t k) {
    const size_t w = g->weight[k];
    fill_in(g, k, g->rows, g->row_weight, &g->columns[k], &g->rows[k]);
    fill_in(g, k, g->columns, g->column_weight, &g->rows[k], &g->columns[k]);
    g->left[k] = false;
    g->order[g->ordered++] = k;
    g->fill += w * (w + g->row_weight[k] + g->column_weight[k]);
}

/* ---- the entries ---- */

/* sorts the entries of the list by row into by_row; `from` has n + 1 numbers */
static void sort_by_row(const ff_sparse *s, uint32_t *from, uint32_t *by_row) {
    memset(from, 0, (s->n + 1) * sizeof *from);
    for (size_t k = 0; k < s->count; k++) {
        from[s->keys[k] >> 32]++;
    }
    uint32_t sum = 0;
    for (size_t i = 0; i <= s->n; i++) {
        uint32_t count = from[i];
        from[i] = sum;
        sum += i < s->n ? count : 0;
    }
    for (size_t k = 0; k < s->count; k++) {
        by_row[from[s->keys[k] >> 32]++] = (uint32_t)k;
    }
    memmove(from + 1, from, s->n * sizeof *from);
    from[0] = 0;
}

static uint32_t column_of(const ff_sparse *s, uint32_t k) { return (uint32_t)s->keys[k]; }

/* allocates sets with room for half as many entries again */
static void take_sets(graph *g, set *sets) {
    for (size_t i = 0; i < g->n; i++) {
        const uint32_t count = sets[i].count, most = (uint32_t)g->n, more = count + count / 2 + 2;
        sets[i].room = more < most ? more : most;
        TAKE(g->memory, sets[i].at, sets[i].room);
        sets[i].count = 0;
    }
}

static void build(const ff_sparse *s, graph *g, const uint32_t *from, const uint32_t *by_row) {
    for (int fills = 0; fills < 2; fills++) {
        for (uint32_t i = 0; i < g->n; i++) {
            g->mark[i] = ++g->stamp;
            for (uint32_t k = from[i]; k < from[i + 1]; k++) {
                const uint32_t j = column_of(s, by_row[k]);
                if (g->mark[j] != g->stamp) {
                    g->mark[j] = g->stamp;
                    if (fills) {
                        insert(g, &g->rows[i], j);
                        insert(g, &g->columns[j], i);
                    } else {
                        g->rows[i].count++;
                        g->columns[j].count++;
                    }
                }
            }
        }
        if (!fills) {
            take_sets(g, g->rows);
            take_sets(g, g->columns);
            if (g->memory->ended) {
                return;
            }
        }
    }
    for (size_t i = 0; i < g->n; i++) {
        g->row_weight[i] = g->rows[i].count;
        g->column_weight[i] = g->columns[i].count;
    }
}

/* ---- the order ---- */

/* Eliminates rows and columns with at most one other entry until there are none. */
static void eliminate_singles(graph *g) {
    bool found = true;
    while (found && !g->memory->ended) {
        found = false;
        for (uint32_t i = 0; i < g->n && !g->memory->ended; i++) {
            if (g->left[i] && (g->rows[i].count <= 1 || g->columns[i].count <= 1)) {
                eliminate(g, i);
                found = true;
            }
        }
    }
    g->single = g->ordered;
}

static uint64_t mixed(uint64_t x) {
    x = (x + 1) * 0x9e3779b97f4a7c15u;
    return (x ^ x >> 29) * 0xbf58476d1ce4e5b9u;
}

/* hash of the rows and columns that i is coupled to, including the diagonal, independent of their order */
static uint64_t hash_of(const graph *g, uint32_t i) {
    uint64_t rows = mixed(i), columns = rows;
    for (uint32_t k = 0; k < g->rows[i].count; k++) {
        rows += mixed(g->rows[i].at[k]);
    }
    for (uint32_t k = 0; k < g->columns[i].count; k++) {
        columns += mixed(g->columns[i].at[k]);
    }
    return mixed(rows) ^ columns;
}

/* whether both sets are equal, with i added to the first and j to the second */
static bool same(graph *g, const set *a, uint32_t i, const set *b, uint32_t j) {
    if (a->count != b->count) {
        return false;
    }
    mark_all(g, a);
    g->mark[i] = g->stamp;
    bool out = g->mark[j] == g->stamp;
    for (uint32_t k = 0; k < b->count && out; k++) {
        out = g->mark[b->at[k]] == g->stamp;
    }
    return out;
}

static void keep_left(graph *g, set *s, uint32_t *weight) {
    uint32_t count = 0;
    *weight = 0;
    for (uint32_t k = 0; k < s->count; k++) {
        if (g->left[s->at[k]]) {
            *weight += g->weight[s->at[k]];
            s->at[count++] = s->at[k];
        }
    }
    s->count = count;
}

/* Combines remaining rows with the same rows and columns into blocks, each represented by its first row. */
static void make_blocks(graph *g) {
    const uint32_t none = (uint32_t)g->n;
    uint32_t *heads, *others, *last;
    uint64_t *hashes;
    TAKE(g->memory, heads, g->n);
    TAKE(g->memory, others, g->n);
    TAKE(g->memory, last, g->n);
    TAKE(g->memory, hashes, g->n);
    if (g->memory->ended) {
        return;
    }
    for (size_t i = 0; i < g->n; i++) {
        heads[i] = none;
    }
    for (uint32_t i = 0; i < g->n; i++) {
        if (!g->left[i]) {
            continue;
        }
        hashes[i] = hash_of(g, i);
        uint32_t *head = &heads[hashes[i] % g->n], j = *head;
        while (j != none && !(hashes[j] == hashes[i] && same(g, &g->rows[j], j, &g->rows[i], i) &&
                              same(g, &g->columns[j], j, &g->columns[i], i))) {
            j = others[j];
        }
        last[i] = i;
        if (j == none) {
            others[i] = *head;
            *head = i;
        } else {
            g->weight[j]++;
            g->next[last[j]] = i;
            last[j] = i;
            g->left[i] = false;
        }
    }
    for (size_t i = 0; i < g->n; i++) {
        if (g->left[i]) {
            keep_left(g, &g->rows[i], &g->row_weight[i]);
            keep_left(g, &g->columns[i], &g->column_weight[i]);
        }
    }
}

/* Eliminates the cheapest block first, of equally cheap ones the first. The search takes time proportional to the number of
 * blocks, which for bodies in contact is small compared with the fill-in. False if the factors become too large. */
static bool eliminate_blocks(graph *g, size_t most) {
    uint32_t *open;
    size_t count = 0;
    TAKE(g->memory, open, g->n);
    if (!open) {
        return true;
    }
    for (uint32_t i = 0; i < g->n; i++) {
        if (g->left[i]) {
            open[count++] = i;
        }
    }
    while (count > 0 && !g->memory->ended) {
        size_t best = 0;
        uint64_t least = UINT64_MAX;
        for (size_t k = 0; k < count; k++) {
            const uint64_t cost = (uint64_t)g->row_weight[open[k]] * g->column_weight[open[k]];
            if (cost < least || (cost == least && open[k] < open[best])) {
                least = cost;
                best = k;
            }
        }
        eliminate(g, open[best]);
        open[best] = open[--count];
        if (g->fill > most) {
            return false;
        }
    }
    return true;
}

/* ---- the structure of the factors ---- */

static void add_run(ff_sparse_run *runs, uint32_t *count, uint32_t from, uint32_t size) {
    ff_sparse_run *last = runs + *count - 1;
    if (*count > 0 && last->from + last->count == from) {
        last->count += size;
    } else {
        runs[(*count)++] = (ff_sparse_run){from, size};
    }
}

/* Numbers the blocks in elimination order and finds the position of every row; owner[i] is the block of position i. */
static void number_blocks(ff_sparse *s, const graph *g, uint32_t *owner) {
    uint32_t at = 0;
    for (uint32_t e = 0; e < g->ordered; e++) {
        const uint32_t k = g->order[e];
        s->blocks[e] = (ff_sparse_block){.first = at, .width = g->weight[k]};
        for (uint32_t i = k; i < g->n; i = g->next[i]) {
            owner[at] = e;
            s->place[i] = at++;
        }
    }
    s->block_count = g->ordered;
}

/* Lists, for each block, the blocks that reduce it, in order: those that have its rows among their columns. */
static void list_pivots(ff_sparse *s, const graph *g, const uint32_t *owner, uint32_t *last) {
    for (int fills = 0; fills < 2; fills++) {
        uint32_t sum = 0;
        for (size_t e = 0; e < s->block_count; e++) {
            s->blocks[e].pivots_at = sum;
            sum += s->blocks[e].pivots;
            s->blocks[e].pivots = 0;
            last[e] = UINT32_MAX;
        }
        if (fills && !TAKE(g->memory, s->list, sum)) {
            return;
        }
        for (uint32_t e = 0; e < s->block_count; e++) {
            const set *rows = &g->columns[g->order[e]];
            for (uint32_t k = 0; k < rows->count; k++) {
                const uint32_t i = owner[s->place[rows->at[k]]];
                ff_sparse_block *b = &s->blocks[i];
                if (last[i] != e) {
                    last[i] = e;
                    if (fills) {
                        s->list[b->pivots_at + b->pivots] = e;
                    }
                    b->pivots++;
                }
            }
        }
    }
}

/* Finds runs of columns: of L from the blocks that reduce a block, of U from its row of the graph, sorted by going through
 * the columns. */
static void find_runs(ff_sparse *s, const graph *g, const uint32_t *owner) {
    uint32_t *to, *blocks;
    size_t total = 0, uppers = 0;
    for (size_t e = 0; e < s->block_count; e++) {
        ff_sparse_block *b = &s->blocks[e];
        const uint32_t count = g->rows[g->order[e]].count;
        b->lower_at = (uint32_t)total;
        b->upper_at = b->lower_at + b->pivots;
        total += b->pivots + count;
        uppers += count;
    }
    TAKE(g->memory, s->runs, total);
    TAKE(g->memory, to, g->n + 1);
    TAKE(g->memory, blocks, uppers);
    if (g->memory->ended) {
        return;
    }
    /* for each column, the blocks that have it in U; to[i] is the end of those of column i */
    memset(to, 0, (g->n + 1) * sizeof *to);
    for (int fills = 0; fills < 2; fills++) {
        for (uint32_t e = 0; e < s->block_count; e++) {
            const set *columns = &g->rows[g->order[e]];
            for (uint32_t k = 0; k < columns->count; k++) {
                const uint32_t at = s->place[columns->at[k]];
                if (fills) {
                    blocks[to[at]++] = e;
                } else {
                    to[at + 1]++;
                }
            }
        }
        for (size_t i = 0; i < g->n && !fills; i++) {
            to[i + 1] += to[i];
        }
    }
    for (uint32_t at = 0, k = 0; at < g->n; at++) {
        for (; k < to[at]; k++) {
            ff_sparse_block *b = &s->blocks[blocks[k]];
            /* rows eliminated before blocks were formed have single columns */
            const uint32_t width = blocks[k] < g->single ? 1 : s->blocks[owner[at]].width;
            add_run(s->runs + b->upper_at, &b->upper, at, width);
        }
    }
    for (size_t e = 0; e < s->block_count; e++) {
        ff_sparse_block *b = &s->blocks[e];
        for (uint32_t k = 0; k < b->pivots; k++) {
            const ff_sparse_block *by = &s->blocks[s->list[b->pivots_at + k]];
            add_run(s->runs + b->lower_at, &b->lower, by->first, by->width);
        }
    }
}

static uint32_t columns_in(const ff_sparse_run *runs, uint32_t count) {
    uint32_t sum = 0;
    for (uint32_t k = 0; k < count; k++) {
        sum += runs[k].count;
    }
    return sum;
}

/* Computes where numbers are stored and the operation counts: a multiplication with its subtraction counts as two. */
static void measure(ff_sparse *s) {
    s->factor_size = 0;
    s->factor_flops = 0;
    for (size_t e = 0; e < s->block_count; e++) {
        ff_sparse_block *b = &s->blocks[e];
        const uint32_t upper = columns_in(s->runs + b->upper_at, b->upper), width = b->width;
        double row = 0;
        b->lower_size = columns_in(s->runs + b->lower_at, b->lower);
        b->row_size = b->lower_size + width + upper;
        b->at = s->factor_size;
        s->factor_size += (size_t)width * b->row_size;
        for (uint32_t k = 0; k < b->pivots; k++) {
            const ff_sparse_block *by = &s->blocks[s->list[b->pivots_at + k]];
            row +=
                (double)by->width * (by->width + 2.0 * (by->row_size - by->lower_size - by->width));
        }
        /* within the block: rows below each of its rows */
        s->factor_flops += width * row + (double)width * width * (2.0 / 3 * width + upper);
    }
    s->solve_flops = 2.0 * (double)s->factor_size;
}

/* stores A with its rows in elimination order, and where the entries of the list are added up */
static void place_entries(ff_sparse *s, const graph *g, const uint32_t *from,
                          const uint32_t *by_row) {
    uint32_t *row_of, *seen = g->mark, count = 0;
    TAKE(g->memory, row_of, s->n);
    TAKE(g->memory, s->row_at, s->n + 1);
    TAKE(g->memory, s->columns, s->count);
    if (g->memory->ended) {
        return;
    }
    for (uint32_t i = 0; i < s->n; i++) {
        row_of[s->place[i]] = i;
        seen[i] = UINT32_MAX;
    }
    for (uint32_t at = 0; at < s->n; at++) {
        const uint32_t i = row_of[at];
        s->row_at[at] = count;
        for (uint32_t k = from[i]; k < from[i + 1]; k++) {
            const uint32_t j = column_of(s, by_row[k]);
            /* seen[j] is the entry of column j in this row, or of an earlier row */
            if (seen[j] == UINT32_MAX || seen[j] < s->row_at[at]) {
                seen[j] = count;
                s->columns[count++] = s->place[j];
            }
            s->to[by_row[k]] = seen[j];
        }
    }
    s->row_at[s->n] = count;
    s->entry_count = count;
}

/* Allocates the numbers of A and of its factors, and scratch memory. */
static ff_sparse_need take_numbers(ff_sparse *s, room *memory) {
    TAKE(memory, s->entries, s->entry_count);
    TAKE(memory, s->factors, s->factor_size);
    TAKE(memory, s->inverse, s->n);
    TAKE(memory, s->row, s->n);
    TAKE(memory, s->solution, s->n);
    if (memory->ended) {
        return FF_SPARSE_MORE;
    }
    memset(s->row, 0, s->n * sizeof *s->row);
    return FF_SPARSE_DONE;
}

static void set_up(graph *g) {
    const size_t n = g->n;
    TAKE(g->memory, g->rows, n);
    TAKE(g->memory, g->columns, n);
    TAKE(g->memory, g->row_weight, n);
    TAKE(g->memory, g->column_weight, n);
    TAKE(g->memory, g->weight, n);
    TAKE(g->memory, g->next, n);
    TAKE(g->memory, g->mark, n);
    TAKE(g->memory, g->left, n);
    TAKE(g->memory, g->order, n);
    for (size_t i = 0; i < n && !g->memory->ended; i++) {
        g->rows[i] = g->columns[i] = (set){0};
        g->weight[i] = 1;
        g->next[i] = (uint32_t)n;
        g->mark[i] = 0;
        g->left[i] = true;
    }
}

/* Lays out one block, with the first `late` rows last. */
static ff_sparse_need lay_out_block(ff_sparse *s, size_t late) {
    room memory = {.at = s->memory, .size = s->size};
    const size_t n = s->n;
    if (n > s->most / n) {
        return FF_SPARSE_TOO_MUCH;
    }
    TAKE(&memory, s->place, n);
    TAKE(&memory, s->lead, n);
    TAKE(&memory, s->tail, n);
    TAKE(&memory, s->blocks, 1);
    /* unused, but not NULL: an offset of 0 from NULL is undefined */
    TAKE(&memory, s->list, 1);
    TAKE(&memory, s->runs, 1);
    if (memory.ended) {
        return FF_SPARSE_MORE;
    }
    for (size_t i = 0; i < n; i++) {
        s->place[i] = (uint32_t)(i < late ? n - late + i : i - late);
        s->lead[i] = 0;
        s->tail[i] = (uint32_t)i + 1;
    }
    s->blocks[0] = (ff_sparse_block){.width = (uint32_t)n};
    s->block_count = 1;
    s->entry_count = n * n;
    measure(s);
    return take_numbers(s, &memory);
}

ff_sparse_need ff_sparse_lay_out_full(ff_sparse *s) { return lay_out_block(s, 0); }

/* Lays out a list of entries with the structure of a full matrix. */
static ff_sparse_need lay_out_one_block(ff_sparse *s) {
    const ff_sparse_need need = lay_out_block(s, s->late < s->n ? s->late : 0);
    for (size_t k = 0; k < s->count && need == FF_SPARSE_DONE; k++) {
        s->to[k] =
            s->place[s->keys[k] >> 32] * (uint32_t)s->n + s->place[column_of(s, (uint32_t)k)];
    }
    return need;
}

/* Up to this number of rows sparsity does not pay off: rolling.yaml with RODAS, 12 rows, takes 455 million instructions
 * with it and 387 million as one full block. */
enum { FULL_MOST = 16 };

ff_sparse_need ff_sparse_analyse(ff_sparse *s) {
    if (s->n <= FULL_MOST) {
        return lay_out_one_block(s);
    }
    room memory = {.at = s->memory, .size = s->size};
    graph g = {.n = s->n, .memory = &memory};
    uint32_t *from, *by_row, *owner, *last;
    set_up(&g);
    TAKE(&memory, from, s->n + 1);
    TAKE(&memory, by_row, s->count);
    TAKE(&memory, owner, s->n);
    TAKE(&memory, last, s->n);
    TAKE(&memory, s->place, s->n);
    TAKE(&memory, s->blocks, s->n);
    if (memory.ended) {
        return FF_SPARSE_MORE;
    }
    sort_by_row(s, from, by_row);
    build(s, &g, from, by_row);
    eliminate_singles(&g);
    make_blocks(&g);
    if (!memory.ended && !eliminate_blocks(&g, s->most)) {
        return FF_SPARSE_TOO_MUCH;
    }
    if (memory.ended) {
        return FF_SPARSE_MORE;
    }
    if (g.ordered == 1) {
        return lay_out_one_block(s);
    }
    number_blocks(s, &g, owner);
    list_pivots(s, &g, owner, last);
    if (memory.ended) {
        return FF_SPARSE_MORE;
    }
    find_runs(s, &g, owner);
    if (memory.ended) {
        return FF_SPARSE_MORE;
    }
    measure(s);
    place_entries(s, &g, from, by_row);
    return memory.ended ? FF_SPARSE_MORE : take_numbers(s, &memory);
}
