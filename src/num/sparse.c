/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "sparse.h"
#include "memory.h"
#include "sparse_analysis.h"
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- memory ---- */

/* allocates lists of `count` entries */
static bool grow_list(ff_sparse *s, size_t count) {
    uint64_t *keys = ff_realloc(s->keys, count * sizeof *keys);
    s->keys = keys ? keys : s->keys;
    double *added = ff_realloc(s->added, count * sizeof *added);
    s->added = added ? added : s->added;
    uint32_t *to = ff_realloc(s->to, count * sizeof *to);
    s->to = to ? to : s->to;
    if (!keys || !added || !to) {
        return false;
    }
    s->room = count;
    return true;
}

/* Allocates the structure memory; the old contents are lost. */
static bool grow_memory(ff_sparse *s, size_t size) {
    ff_free(s->memory);
    s->memory = ff_malloc(size);
    s->size = s->memory ? size : 0;
    return s->memory != NULL;
}

/* up to this number of rows all memory is allocated at creation: 170 kB at 40 rows */
enum { SMALL = 40 };

ff_sparse *ff_sparse_create(size_t n) {
    ff_sparse *s = ff_calloc(1, sizeof *s);
    if (s) {
        s->n = n;
        s->most = FF_SPARSE_MOST;
        /* a touching slot adds 100 to 300 entries */
        size_t count = n <= SMALL ? 6 * n * n + 256 : 1024;
        if (!grow_list(s, count) || !grow_memory(s, ff_sparse_least_size(n <= SMALL ? n : 0))) {
            ff_sparse_free(s);
            return NULL;
        }
    }
    return s;
}

void ff_sparse_reset(ff_sparse *s, size_t n) {
    s->n = n;
    s->late = 0;
    s->count = s->known = 0;
    s->ready = s->full = false;
}

void ff_sparse_resize(ff_sparse *s, size_t n, size_t late) {
    if (s->n != n || s->late != late) {
        s->n = n;
        s->late = late;
        s->known = 0;
        s->ready = s->full = false;
    }
}

void ff_sparse_free(ff_sparse *s) {
    if (s) {
        ff_free(s->keys);
        ff_free(s->added);
        ff_free(s->to);
        ff_free(s->memory);
        ff_free(s);
    }
}

/* ---- entries ---- */

void ff_sparse_begin(ff_sparse *s) {
    s->count = 0;
    s->full = false;
    s->status = FF_OK;
}

void ff_sparse_add_other(ff_sparse *s, uint64_t key, double value) {
    s->ready = false;
    s->known = 0;
    if (s->status < 0 || (s->count == s->room && !grow_list(s, 2 * s->room))) {
        s->status = FF_NO_MEMORY;
        return;
    }
    s->keys[s->count] = key;
    s->added[s->count++] = value;
}

/* Lays out a structure, enlarging the memory as needed. */
static bool lay_out(ff_sparse *s, ff_sparse_need (*structure)(ff_sparse *)) {
    ff_sparse_need need;
    while ((need = structure(s)) == FF_SPARSE_MORE) {
        if (!grow_memory(s, 2 * s->size + ff_sparse_least_size(0))) {
            /* shrink to the minimum again, if that is possible */
            grow_memory(s, ff_sparse_least_size(0));
            return false;
        }
    }
    return need == FF_SPARSE_DONE;
}

/* Finds zeros of L and U in a single block: a row of L is 0 before the first entry of that row of A, and where a row of L is
 * empty, that of U is the row of A. */
static void find_zeros(ff_sparse *s) {
    const size_t n = s->n;
    for (size_t i = 0; i < n; i++) {
        const double *a = s->entries + i * n;
        size_t lead = 0, tail = i + 1;
        while (lead < i && a[lead] == 0) {
            lead++;
        }
        while (lead == i && tail < n && a[tail] == 0) {
            tail++;
        }
        s->lead[i] = (uint32_t)lead;
        s->tail[i] = (uint32_t)tail;
    }
}

ff_status ff_sparse_end(ff_sparse *s) {
    if (!s->ready || s->count != s->known) {
        s->known = 0;
        s->ready = s->status == FF_OK && lay_out(s, ff_sparse_analyse);
        if (!s->ready) {
            return FF_NO_MEMORY;
        }
        s->known = s->count;
    }
    memset(s->entries, 0, s->entry_count * sizeof *s->entries);
    for (size_t k = 0; k < s->count; k++) {
        s->entries[s->to[k]] += s->added[k];
    }
    if (s->block_count == 1) {
        find_zeros(s);
    }
    return FF_OK;
}

double *ff_sparse_full(ff_sparse *s) {
    s->ready = false;
    s->known = 0;
    s->full = s->full || lay_out(s, ff_sparse_lay_out_full);
    return s->full ? s->entries : NULL;
}

/* ---- factors ---- */

/* w -= f[0] u_0 + ... + f[rows - 1] u_(rows - 1), in this order; rows of U are `stride` apart */
static inline void reduce(double *restrict w, const double *restrict u, size_t stride,
                          const double *f, size_t rows, size_t count) {
    const double *u1 = u + stride, *u2 = u1 + stride, *u3 = u2 + stride;
    switch (rows) {
    case 1:
        for (size_t j = 0; j < count; j++) {
            w[j] -= f[0] * u[j];
        }
        break;
    case 2:
        for (size_t j = 0; j < count; j++) {
            w[j] = w[j] - f[0] * u[j] - f[1] * u1[j];
        }
        break;
    case 3:
        for (size_t j = 0; j < count; j++) {
            w[j] = w[j] - f[0] * u[j] - f[1] * u1[j] - f[2] * u2[j];
        }
        break;
    default:
        for (size_t j = 0; j < count; j++) {
            w[j] = w[j] - f[0] * u[j] - f[1] * u1[j] - f[2] * u2[j] - f[3] * u3[j];
        }
    }
}

/* Reduces a row by rows of a block, from `first` to `rows`: w becomes L in their columns. `pivot` is the position of the row's
 * diagonal entry; returns the larger of `most` and its intermediate magnitudes. */
static inline double reduce_by(const ff_sparse *s, const ff_sparse_block *b, size_t first,
                               size_t rows, double *w, const double *pivot, double most) {
    enum { AT_ONCE = 4 };
    const size_t stride = b->row_size, width = b->width;
    const double *inverse = s->inverse + b->first;
    double *at = w + b->first;
    for (size_t k = first / AT_ONCE * AT_ONCE; k < rows; k += AT_ONCE) {
        const size_t step = rows - k < AT_ONCE ? rows - k : AT_ONCE;
        const double *u = s->factors + b->at + k * stride + b->lower_size;
        double f[AT_ONCE];
        for (size_t i = 0; i < step; i++) {
            f[i] = at[k + i] *= inverse[k + i];
            for (size_t j = i + 1; j < step; j++) {
                at[k + j] -= f[i] * u[i * stride + k + j];
            }
        }
        reduce(at + k + step, u + k + step, stride, f, step, width - k - step);
        u += width;
        for (const ff_sparse_run *r = s->runs + b->upper_at, *end = r + b->upper; r < end; r++) {
            reduce(w + r->from, u, stride, f, step, r->count);
            u += r->count;
        }
        const double now = fabs(*pivot);
        most = now > most ? now : most;
    }
    return most;
}

/* moves numbers out of the scratch row and zeroes it */
static inline double *move(double *w, const ff_sparse_run *r, const ff_sparse_run *end,
                           double *out) {
    for (; r < end; r++) {
        for (size_t j = 0; j < r->count; j++) {
            *out++ = w[r->from + j];
            w[r->from + j] = 0;
        }
    }
    return out;
}

/* A pivot below this fraction of its largest intermediate value has lost ten of its sixteen digits. */
#define LEAST_PART 1e-10

/* whether a pivot is accurate enough, given its largest intermediate value */
static inline bool is_sound(double pivot, double most) {
    return fabs(pivot) > LEAST_PART * most && fabs(pivot) <= DBL_MAX;
}

/* Factorises a single full block in place. */
static bool factor_full(ff_sparse *s, double d) {
    const size_t n = s->n;
    for (size_t i = 0; i < n; i++) {
        const double *a = s->entries + i * n;
        double *w = s->factors + i * n;
        for (size_t j = 0; j < n; j++) {
            w[j] = 0 - a[j];
        }
        w[i] += d;
        const double most = reduce_by(s, s->blocks, s->lead[i], i, w, w + i, fabs(w[i]));
        if (!is_sound(w[i], most)) {
            return false;
        }
        s->inverse[i] = 1 / w[i];
    }
    return true;
}

/* Row by row (Gaussian elimination in Doolittle's order): w = row i of d I - A is reduced by all earlier rows for which it
 * has entries, and then is row i of L and U. */
bool ff_sparse_factor(ff_sparse *s, double d) {
    double *w = s->row;
    if (s->block_count == 1) {
        return factor_full(s, d);
    }
    for (size_t e = 0; e < s->block_count; e++) {
        const ff_sparse_block *b = &s->blocks[e];
        const uint32_t *pivots = s->list + b->pivots_at;
        const ff_sparse_run *lower = s->runs + b->lower_at, *upper = s->runs + b->upper_at;
        const ff_sparse_run inner = {b->first, b->width};
        double *out = s->factors + b->at;
        for (size_t r = 0; r < b->width; r++) {
            const size_t i = b->first + r;
            w[i] = d;
            for (size_t k = s->row_at[i]; k < s->row_at[i + 1]; k++) {
                w[s->columns[k]] -= s->entries[k];
            }
            double most = fabs(w[i]);
            for (size_t k = 0; k < b->pivots; k++) {
                const ff_sparse_block *by = &s->blocks[pivots[k]];
                most = reduce_by(s, by, 0, by->width, w, w + i, most);
            }
            most = reduce_by(s, b, 0, r, w, w + i, most);
            if (!is_sound(w[i], most)) {
                memset(w, 0, s->n * sizeof *w);
                return false;
            }
            s->inverse[i] = 1 / w[i];
            out = move(w, lower, lower + b->lower, out);
            out = move(w, &inner, &inner + 1, out);
            out = move(w, upper, upper + b->upper, out);
        }
    }
    return true;
}

/* two sums, since each addition has to wait for the previous one */
static inline double dot(const double *a, const double *x, size_t count) {
    double even = 0, odd = 0;
    for (size_t j = 0; j + 1 < count; j += 2) {
        even += a[j] * x[j];
        odd += a[j + 1] * x[j + 1];
    }
    return (count & 1 ? even + a[count - 1] * x[count - 1] : even) + odd;
}

/* sum of consecutive numbers times the entries of x in the columns of some runs */
static inline double product(const ff_sparse_run *r, const ff_sparse_run *end, const double *at,
                             const double *x) {
    double sum = 0;
    for (; r < end; r++) {
        sum += dot(at, x + r->from, r->count);
        at += r->count;
    }
    return sum;
}

/* L y = b, then U x = y; x is in elimination order. */
static void substitute(const ff_sparse *s, double *x) {
    for (size_t e = 0; e < s->block_count; e++) {
        const ff_sparse_block *b = &s->blocks[e];
        const ff_sparse_run *lower = s->runs + b->lower_at;
        const double *at = s->factors + b->at;
        double *inner = x + b->first;
        for (size_t r = 0; r < b->width; r++, at += b->row_size) {
            inner[r] -= product(lower, lower + b->lower, at, x) + dot(at + b->lower_size, inner, r);
        }
    }
    for (size_t e = s->block_count; e-- > 0;) {
        const ff_sparse_block *b = &s->blocks[e];
        const ff_sparse_run *upper = s->runs + b->upper_at;
        double *inner = x + b->first;
        for (size_t r = b->width; r-- > 0;) {
            const double *at = s->factors + b->at + r * b->row_size + b->lower_size;
            inner[r] = s->inverse[b->first + r] *
                       (inner[r] - dot(at + r + 1, inner + r + 1, b->width - r - 1) -
                        product(upper, upper + b->upper, at + b->width, x));
        }
    }
}

/* Substitution in a single block. Zeros are skipped in pairs, so that the order of additions does not depend on them. */
static void substitute_full(const ff_sparse *s, double *x) {
    const size_t n = s->n;
    for (size_t r = 1; r < n; r++) {
        const size_t from = s->lead[r] / 2 * 2;
        x[r] -= from < r ? dot(s->factors + r * n + from, x + from, r - from) : 0;
    }
    for (size_t r = n; r-- > 0;) {
        const size_t from = r + 1 + (s->tail[r] - r - 1) / 2 * 2;
        x[r] = s->inverse[r] * (x[r] - dot(s->factors + r * n + from, x + from, n - from));
    }
}

void ff_sparse_solve_placed(const ff_sparse *s, double *b) {
    if (s->block_count == 1) {
        substitute_full(s, b);
    } else {
        substitute(s, b);
    }
}

void ff_sparse_solve(ff_sparse *s, double *b) {
    double *x = s->solution;
    if (s->block_count == 1 && s->place[0] == 0) {
        substitute_full(s, b);
        return;
    }
    for (size_t i = 0; i < s->n; i++) {
        x[s->place[i]] = b[i];
    }
    ff_sparse_solve_placed(s, x);
    for (size_t i = 0; i < s->n; i++) {
        b[i] = x[s->place[i]];
    }
}

void ff_sparse_multiply(const ff_sparse *s, const double *x, double *out) {
    memset(out, 0, s->n * sizeof *out);
    for (size_t i = 0; i < s->n && s->full; i++) {
        out[i] = dot(s->entries + i * s->n, x, s->n);
    }
    for (size_t i = 0; i < s->count && !s->full; i++) {
        out[s->keys[i] >> 32] += s->added[i] * x[s->keys[i] & UINT32_MAX];
    }
}
