/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */

/* Sparse factorization: residuals, comparison with dense factorization with row exchanges, loss of digits, lack of
 * memory, and implicit steps of suitable scenes. */

#include "motion.h"
#include "no_memory.h"
#include "num/matrix.h"
#include "num/sparse.h"
#include "sim/sim.h"
#include <float.h>
#include <stdlib.h>

/* ---- systems ---- */

enum { ENTRIES_MOST = 20000 };

/* (d - A) x = b, with A as a list of entries */
typedef struct {
    size_t n, count;
    size_t row[ENTRIES_MOST], column[ENTRIES_MOST];
    double value[ENTRIES_MOST];
} matrix;

static void put(matrix *a, size_t row, size_t column, double value) {
    assert_true(a->count < ENTRIES_MOST && row < a->n && column < a->n);
    a->row[a->count] = row;
    a->column[a->count] = column;
    a->value[a->count++] = value;
}

static ff_status give(ff_sparse *s, const matrix *a) {
    ff_sparse_begin(s);
    for (size_t k = 0; k < a->count; k++) {
        ff_sparse_add(s, a->row[k], a->column[k], a->value[k]);
    }
    return ff_sparse_end(s);
}

static ff_sparse *sparse_of(const matrix *a) {
    ff_sparse *s = ff_sparse_create(a->n);
    assert_non_null(s);
    assert_int_equal(give(s, a), FF_OK);
    return s;
}

/* The largest residual of a row relative to its terms: the relative change of the entries for which x is the exact
 * solution (Oettli and Prager 1964). It does not depend on units. */
static double backward_error(const matrix *a, double d, const double *x, const double *b) {
    double rest[a->n], terms[a->n], most = 0;
    for (size_t i = 0; i < a->n; i++) {
        rest[i] = b[i] - d * x[i];
        terms[i] = fabs(b[i]) + fabs(d * x[i]);
    }
    for (size_t k = 0; k < a->count; k++) {
        const double term = a->value[k] * x[a->column[k]];
        rest[a->row[k]] += term;
        terms[a->row[k]] += fabs(term);
    }
    for (size_t i = 0; i < a->n; i++) {
        most = terms[i] > 0 ? fmax(most, fabs(rest[i]) / terms[i]) : most;
    }
    return most;
}

static void fill_random(double *b, size_t n) {
    for (size_t i = 0; i < n; i++) {
        b[i] = uniform(-1, 1);
    }
}

static double error_of(ff_sparse *s, const matrix *a, double d) {
    double b[a->n], x[a->n];
    fill_random(b, a->n);
    memcpy(x, b, sizeof x);
    ff_sparse_solve(s, x);
    return backward_error(a, d, x, b);
}

/* Few or many random entries, some repeated, in rows that may be empty. Rows and columns have different units, and
 * d dominates: Gaussian elimination needs no exchanges and is accurate to rounding. */
static void test_random_systems(void **state) {
    (void)state;
    static matrix a;
    for (int turn = 0; turn < 2000; turn++) {
        a = (matrix){.n = 1 + (size_t)uniform(0, 70)};
        const size_t count = (size_t)(uniform(0, 1) * uniform(0, 2) * (double)(a.n * a.n));
        double row[71] = {0}, d = 0;
        for (size_t k = 0; k < count; k++) {
            put(&a, (size_t)uniform(0, (double)a.n), (size_t)uniform(0, (double)a.n),
                uniform(-1, 1));
            row[a.row[k]] += fabs(a.value[k]);
            d = fmax(d, row[a.row[k]]);
        }
        d = d > 0 ? 1.01 * d : 1;
        ff_sparse *s = sparse_of(&a);
        assert_true(ff_sparse_factor(s, d));
        double error = error_of(s, &a, d);
        /* n roundings of the terms of a row */
        assert_holds(error < (double)(a.n + 4) * DBL_EPSILON, "turn %d, %zu rows: %g", turn, a.n,
                     error);
        /* scratch is 0 again wherever there are entries */
        for (size_t i = 0; i < a.n; i++) {
            assert_true(s->row[i] == 0);
        }
        ff_sparse_free(s);
    }
}

/* Zeros of a matrix of few rows are skipped: same bits as with the full matrix. If the first rows are eliminated last, accurate to
 * rounding. */
static void test_zeros_of_few_rows(void **state) {
    (void)state;
    static matrix a;
    for (int turn = 0; turn < 500; turn++) {
        a = (matrix){.n = 1 + (size_t)uniform(0, 16)};
        const size_t n = a.n, late = (size_t)uniform(0, (double)n);
        const double d = 1.01 * (double)n;
        for (size_t i = 0; i < n; i++) {
            for (size_t j = 0; j < n; j++) {
                /* an entry may be 0 */
                put(&a, i, j, uniform(0, 1) < 0.4 ? uniform(-1, 1) : 0);
            }
        }
        ff_sparse *s = sparse_of(&a), *whole = ff_sparse_create(n), *turned = ff_sparse_create(n);
        memcpy(ff_sparse_full(whole), a.value, n * n * sizeof *a.value);
        ff_sparse_begin(turned);
        for (size_t k = 0; k < a.count; k++) {
            ff_sparse_add(turned, a.row[k], a.column[k], a.value[k]);
        }
        ff_sparse_resize(turned, n, late);
        assert_int_equal(ff_sparse_end(turned), FF_OK);
        assert_true(ff_sparse_factor(s, d) && ff_sparse_factor(whole, d) &&
                    ff_sparse_factor(turned, d));
        double b[16], x[16], y[16];
        fill_random(b, n);
        memcpy(x, b, sizeof x);
        memcpy(y, b, sizeof y);
        ff_sparse_solve(s, x);
        ff_sparse_solve(whole, y);
        assert_memory_equal(x, y, n * sizeof *x);
        assert_true(error_of(turned, &a, d) < (double)(n + 4) * DBL_EPSILON);
        ff_sparse_free(s);
        ff_sparse_free(whole);
        ff_sparse_free(turned);
    }
}

/* a chain of masses connected by springs and dampers: p' = v, m v' = forces */
static void chain(matrix *a, size_t masses, double stiffness, double damping) {
    *a = (matrix){.n = 2 * masses};
    for (size_t i = 0; i < masses; i++) {
        put(a, i, masses + i, 1);
        for (size_t j = i > 0 ? i - 1 : 0; j <= i + 1 && j < masses; j++) {
            double part = i == j ? -2 : 1;
            put(a, masses + i, j, part * stiffness);
            put(a, masses + i, masses + j, part * damping);
        }
    }
}

/* Positions of a chain are independent of each other: their rows of L are empty, and their rows of U have one entry. */
static void test_independent_rows(void **state) {
    (void)state;
    static matrix a;
    enum { MASSES = 5 };
    chain(&a, MASSES, 10, 1);
    ff_sparse *s = sparse_of(&a);
    for (uint32_t i = 0; i < MASSES; i++) {
        assert_int_equal(s->lead[i], i);
        assert_int_equal(s->tail[i], MASSES + i);
        assert_int_equal(s->lead[MASSES + i], i > 0 ? i - 1 : 0);
    }
    ff_sparse_free(s);
}

/* The solution in extended precision, with row exchanges. */
static void exact(const matrix *a, double d, const double *b, double *x) {
    static long double m[120][121];
    const size_t n = a->n;
    memset(m, 0, sizeof m);
    for (size_t i = 0; i < n; i++) {
        m[i][i] = d;
        m[i][n] = b[i];
    }
    for (size_t k = 0; k < a->count; k++) {
        m[a->row[k]][a->column[k]] -= a->value[k];
    }
    for (size_t k = 0; k < n; k++) {
        size_t best = k;
        for (size_t i = k + 1; i < n; i++) {
            best = fabsl(m[i][k]) > fabsl(m[best][k]) ? i : best;
        }
        for (size_t j = 0; j <= n; j++) {
            long double kept = m[k][j];
            m[k][j] = m[best][j];
            m[best][j] = kept;
        }
        for (size_t i = k + 1; i < n; i++) {
            long double factor = m[i][k] / m[k][k];
            for (size_t j = k; j <= n; j++) {
                m[i][j] -= factor * m[k][j];
            }
        }
    }
    for (size_t i = n; i-- > 0;) {
        long double sum = m[i][n];
        for (size_t j = i + 1; j < n; j++) {
            sum -= m[i][j] * m[j][n];
        }
        m[i][n] = sum / m[i][i];
        x[i] = (double)m[i][n];
    }
}

/* the largest error of speeds and of positions, both as speeds: divided by the time 1/d of a step */
static double gap(const matrix *a, double d, const double *x, const double *want) {
    double most = 0;
    for (size_t i = 0; i < a->n; i++) {
        most = fmax(most, (i < a->n / 2 ? d : 1) * fabs(x[i] - want[i]));
    }
    return most;
}

/* The matrices of implicit steps, from steps that resolve the fastest motion to those of a million of its periods.
 * Errors are bounded by those of dense factorization with row exchanges, or by the effect of rounding a speed of 1
 * on the slowest motion of the chain, which involves 60 masses. */
static void test_stiff_chains(void **state) {
    (void)state;
    static matrix a;
    static double dense[120 * 120];
    for (double stiffness = 1; stiffness < 1e13; stiffness *= 10) {
        for (int damped = 0; damped < 3; damped++) {
            const double damping = damped == 0 ? 0 : damped == 1 ? sqrt(stiffness) : stiffness;
            const double d = 4;
            size_t pivots[120];
            double b[120], x[120], want[120];
            chain(&a, 60, stiffness, damping);
            ff_sparse *s = sparse_of(&a);
            assert_true(ff_sparse_factor(s, d));
            memset(dense, 0, sizeof dense);
            for (size_t k = 0; k < a.count; k++) {
                dense[a.row[k] * a.n + a.column[k]] -= a.value[k];
            }
            for (size_t i = 0; i < a.n; i++) {
                dense[i * a.n + i] += d;
            }
            assert_true(ff_matrix_factor(a.n, dense, 0, pivots) > 0);
            fill_random(b, a.n);
            exact(&a, d, b, want);
            memcpy(x, b, sizeof x);
            ff_matrix_solve(a.n, dense, pivots, x);
            const double with = gap(&a, d, x, want);
            memcpy(x, b, sizeof x);
            ff_sparse_solve(s, x);
            const double without = gap(&a, d, x, want);
            assert_holds(without <= fmax(with, 60 * DBL_EPSILON),
                         "stiffness %g, damping %g: %g, with exchanges %g", stiffness, damping,
                         without, with);
            ff_sparse_free(s);
        }
    }
}

/* a full matrix, given in both ways, has the same factors */
static void test_full_matrix(void **state) {
    (void)state;
    enum { N = 37 };
    static matrix a;
    double b[N], x[N], y[N];
    a = (matrix){.n = N};
    ff_sparse *full = ff_sparse_create(N);
    double *entries = ff_sparse_full(full);
    assert_non_null(entries);
    for (size_t i = 0; i < N * N; i++) {
        entries[i] = uniform(-1, 1);
        put(&a, i / N, i % N, entries[i]);
    }
    ff_sparse *s = sparse_of(&a);
    assert_int_equal(s->block_count, 1);
    assert_true(ff_sparse_factor(s, 30) && ff_sparse_factor(full, 30));
    fill_random(b, N);
    memcpy(x, b, sizeof x);
    memcpy(y, b, sizeof y);
    ff_sparse_solve(s, x);
    ff_sparse_solve(full, y);
    assert_memory_equal(x, y, sizeof x);
    assert_true(backward_error(&a, 30, x, b) < N * DBL_EPSILON);
    assert_true(ff_sparse_full(full) == entries);
    /* and as a list again */
    assert_int_equal(give(full, &a), FF_OK);
    assert_true(ff_sparse_factor(full, 30));
    memcpy(y, b, sizeof y);
    ff_sparse_solve(full, y);
    assert_memory_equal(x, y, sizeof x);
    ff_sparse_free(s);
    ff_sparse_free(full);
}

/* ---- structure ---- */

/* a full row and column, the others diagonal: no fill-in if that row is eliminated last */
static void test_nothing_fills_in(void **state) {
    (void)state;
    enum { N = 500 };
    static matrix a;
    a = (matrix){.n = N};
    for (size_t i = 1; i < N; i++) {
        put(&a, 0, i, 1);
        put(&a, i, 0, 1);
    }
    ff_sparse *s = sparse_of(&a);
    assert_int_equal(s->factor_size, 3 * N - 2);
    assert_true(ff_sparse_factor(s, 100));
    /* a row of 500 terms */
    assert_true(error_of(s, &a, 100) < N * DBL_EPSILON);
    ff_sparse_free(s);
    /* in a tree of masses positions cause no fill-in, and each speed only that of its parent */
    a = (matrix){.n = 2 * N};
    for (size_t i = 0; i < N; i++) {
        const size_t parent = (i - 1) / 2;
        put(&a, i, N + i, 1);
        put(&a, N + i, i, -1);
        if (i > 0) {
            put(&a, N + i, parent, 1);
            put(&a, N + parent, i, 1);
        }
    }
    s = sparse_of(&a);
    /* diagonal; v by p and p by v; the first of each two speeds towards the root, both by p: 2 (N - 1); the same
     * by v */
    assert_int_equal(s->factor_size, 2 * N + N + N + 2 * (N - 1) + 2 * (N - 1));
    assert_true(ff_sparse_factor(s, 10));
    assert_true(error_of(s, &a, 10) < 16 * DBL_EPSILON);
    ff_sparse_free(s);
}

/* A grid of 30 by 30 nodes, each connected to four others: in row order it fills a band of 30 on either side; in
 * the cheapest order less than half of that (19,802 of 54,900 numbers, and 4,380 before fill-in). */
static void test_grid_fills_in_little(void **state) {
    (void)state;
    enum { SIDE = 30, N = SIDE * SIDE };
    static matrix a;
    a = (matrix){.n = N};
    for (size_t i = 0; i < N; i++) {
        for (size_t way = 1; way <= SIDE; way += SIDE - 1) {
            if (way == SIDE ? i + SIDE < N : (i + 1) % SIDE > 0) {
                put(&a, i, i + way, 1);
                put(&a, i + way, i, 1);
            }
        }
    }
    ff_sparse *s = sparse_of(&a);
    assert_holds(2 * s->factor_size < N * (2 * SIDE + 1), "%zu numbers", s->factor_size);
    assert_true(ff_sparse_factor(s, 5));
    assert_true(error_of(s, &a, 5) < 16 * DBL_EPSILON);
    ff_sparse_free(s);
}

/* operations are counted as performed: a full matrix takes 2/3 n^3 */
static void test_operations(void **state) {
    (void)state;
    ff_sparse *s = ff_sparse_create(90);
    assert_non_null(ff_sparse_full(s));
    assert_near(s->factor_flops, 2.0 / 3 * 90 * 90 * 90, 90 * 90);
    assert_near(s->solve_flops, 2 * 90 * 90, 0);
    ff_sparse_free(s);
}

/* The factors depend on the present list only: not on its order, nor on earlier lists. */
static void test_no_history(void **state) {
    (void)state;
    static matrix a, other, back;
    double b[120], x[120], y[120];
    chain(&a, 60, 1e6, 1e2);
    chain(&other, 60, 1e3, 1);
    for (size_t k = 0; k < 300; k++) {
        put(&other, (size_t)uniform(0, 120), (size_t)uniform(0, 120), uniform(-1, 1));
    }
    back = (matrix){.n = a.n};
    for (size_t k = a.count; k-- > 0;) {
        put(&back, a.row[k], a.column[k], a.value[k]);
    }
    fill_random(b, a.n);
    ff_sparse *fresh = sparse_of(&a), *used = sparse_of(&other);
    assert_true(ff_sparse_factor(fresh, 50) && ff_sparse_factor(used, 50));
    memcpy(x, b, sizeof x);
    ff_sparse_solve(fresh, x);
    for (int turn = 0; turn < 4; turn++) {
        /* a longer list, a shorter one, one in another order */
        assert_int_equal(give(used, turn == 1 ? &back : &a), FF_OK);
        assert_true(ff_sparse_factor(used, 50));
        memcpy(y, b, sizeof y);
        ff_sparse_solve(used, y);
        assert_memory_equal(x, y, sizeof x);
        if (turn == 2) {
            assert_int_equal(give(used, &other), FF_OK);
        }
    }
    /* a truncated list is another one */
    a.count -= 50;
    assert_int_equal(give(used, &a), FF_OK);
    assert_true(ff_sparse_factor(used, 50));
    /* positions result from speeds multiplied by k/d^2 = 400, in rows of a few terms */
    assert_true(error_of(used, &a, 50) < 4000 * DBL_EPSILON);
    ff_sparse_free(fresh);
    ff_sparse_free(used);
}

/* ---- lost digits and invalid numbers ---- */

static void test_lost_digits(void **state) {
    (void)state;
    static matrix a;
    ff_sparse *s = ff_sparse_create(2);
    /* d - A = (1 1; 1 1 + e) with d = 2: the second pivot is e */
    for (double e = 3e-3; e > 1e-14; e *= 0.1) {
        a = (matrix){.n = 2};
        put(&a, 0, 0, 1);
        put(&a, 0, 1, -1);
        put(&a, 1, 0, -1);
        put(&a, 1, 1, 1 - e);
        assert_int_equal(give(s, &a), FF_OK);
        assert_int_equal(ff_sparse_factor(s, 2), e > 1e-10);
        /* at a larger d it has no effect */
        assert_true(ff_sparse_factor(s, 4));
        assert_true(error_of(s, &a, 4) < 4 * DBL_EPSILON);
    }
    ff_sparse_free(s);
}

/* a pivot that was 1e12 before it became 1, in a matrix treated as full and in a sparse one */
static void test_digits_lost_on_the_way(void **state) {
    (void)state;
    static matrix a;
    for (size_t n = 10; n <= 40; n += 30) {
        a = (matrix){.n = n};
        put(&a, 0, n - 1, -1e12);
        put(&a, n - 1, 0, -1);
        put(&a, 5, n - 1, 1e12);
        put(&a, n - 1, 5, -1);
        ff_sparse *s = sparse_of(&a);
        assert_false(ff_sparse_factor(s, 1));
        assert_true(ff_sparse_factor(s, 1e3));
        ff_sparse_free(s);
    }
}

static void test_no_numbers(void **state) {
    (void)state;
    static matrix a;
    static const double wrong[] = {NAN, INFINITY, -INFINITY, DBL_MAX};
    for (size_t w = 0; w < ROWS(wrong); w++) {
        chain(&a, 60, 1e6, 1e2);
        ff_sparse *s = sparse_of(&a);
        for (size_t k = 0; k < a.count; k += 7) {
            const double kept = a.value[k];
            double x[120];
            fill_random(x, a.n);
            a.value[k] = wrong[w];
            assert_int_equal(give(s, &a), FF_OK);
            /* the factorization fails, or the error is visible */
            if (ff_sparse_factor(s, 10) && wrong[w] != DBL_MAX) {
                bool shows = false;
                ff_sparse_solve(s, x);
                for (size_t i = 0; i < a.n; i++) {
                    shows = shows || !isfinite(x[i]) || isinf(wrong[w]);
                }
                assert_true(shows);
            }
            a.value[k] = kept;
            assert_int_equal(give(s, &a), FF_OK);
            assert_true(ff_sparse_factor(s, 10));
            double error = error_of(s, &a, 10);
            /* positions result from speeds multiplied by k/d^2 = 1e4 */
            assert_holds(error < 1e5 * DBL_EPSILON, "after %g: %g", wrong[w], error);
        }
        ff_sparse_free(s);
    }
}

/* ---- lack of memory ---- */

static void test_too_large(void **state) {
    (void)state;
    static matrix a;
    chain(&a, 60, 1e6, 1e2);
    ff_sparse *s = sparse_of(&a);
    const size_t size = s->factor_size;
    s->most = size / 2;
    /* unless it is another list */
    assert_int_equal(give(s, &a), FF_OK);
    put(&a, 3, 7, 1);
    assert_int_equal(give(s, &a), FF_NO_MEMORY);
    assert_int_equal(give(s, &a), FF_NO_MEMORY);
    assert_null(ff_sparse_full(s));
    s->most = 2 * size;
    assert_int_equal(give(s, &a), FF_OK);
    assert_true(ff_sparse_factor(s, 10));
    assert_true(error_of(s, &a, 10) < 1e5 * DBL_EPSILON);
    ff_sparse_free(s);
}

#ifdef CAN_END
static void test_memory_ends(void **state) {
    (void)state;
    static matrix a;
    chain(&a, 60, 1e6, 1e2);
    for (size_t k = 0; k < 3000; k++) {
        put(&a, (size_t)uniform(0, 120), (size_t)uniform(0, 120), uniform(-1, 1));
    }
    int failures = 0;
    for (long most = 0;; most++) {
        given = 0;
        give_most = most;
        ff_sparse *s = ff_sparse_create(a.n);
        ff_status status = s ? give(s, &a) : FF_NO_MEMORY;
        give_most = -1;
        if (s) {
            /* it continues when memory is available again */
            ff_status again = give(s, &a);
            assert_int_equal(again, FF_OK);
            assert_true(ff_sparse_factor(s, 1e6));
            assert_true(error_of(s, &a, 1e6) < 1e-14);
        }
        ff_sparse_free(s);
        if (status == FF_OK) {
            break;
        }
        assert_int_equal(status, FF_NO_MEMORY);
        failures++;
    }
    /* five at creation, and both kinds of growth */
    assert_true(failures > 8);
}

/* memory for a small matrix is allocated at creation */
static void test_small_matrices_take_no_more(void **state) {
    (void)state;
    static matrix a;
    for (int turn = 0; turn < 500; turn++) {
        a = (matrix){.n = 1 + (size_t)uniform(0, 40)};
        const double kept = uniform(0, 1), most = 6 * (double)(a.n * a.n);
        for (size_t k = 0; k < (size_t)(turn % 2 ? most : most * kept * kept); k++) {
            put(&a, turn % 3 ? (size_t)uniform(0, (double)a.n) : k / a.n % a.n,
                turn % 3 ? (size_t)uniform(0, (double)a.n) : k % a.n, 1);
        }
        ff_sparse *s = ff_sparse_create(a.n);
        assert_non_null(s);
        const long before = given;
        assert_int_equal(give(s, &a), FF_OK);
        assert_non_null(ff_sparse_full(s));
        const long after = given;
        assert_int_equal(after - before, 0);
        ff_sparse_free(s);
    }
}
#endif

/* ---- scenes ---- */

/* balls of several sizes on a floor and on each other that stick and slip on bristles, with a box beside them */
static ff_model *heap(void) {
    ff_scene *scene = ff_scene_create();
    ff_scene_set_gravity(scene, (double[]){0, 0, -9.81});
    add_floor(scene);
    for (int i = 0; i < 6; i++) {
        char name[16];
        snprintf(name, sizeof name, "b%d", i);
        add_ball(scene, name, 0.05 + 0.01 * i, 0.02,
                 (double[]){0.039 * (i % 3) + 0.01 * (i / 3), 0.001 * i, 0.0199 + 0.0385 * (i / 3)},
                 (double[]){0.01 * i, -0.02, 0});
    }
    ff_body_def box = ff_body_def_default();
    box.name = "chest";
    box.mass = 0.2;
    box.position[0] = -0.2;
    box.position[2] = 0.05;
    box.omega[1] = 1;
    memcpy(box.orientation, (double[]){0.9, 0.3, 0.1, 0.2}, sizeof box.orientation);
    assert_true(ff_scene_add_box(scene, ff_scene_add_body(scene, &box),
                                 (double[]){0.05, 0.04, 0.06}, 0.003) >= 0);
    const ff_normal hard = normal("hunt-crossley", (double[]){1e7, 5e6, NAN, NAN, NAN});
    const ff_friction rub = friction("lugre", (double[]){0.4, 1e4, 2, NAN});
    add_pair(scene, "b*", "b*", hard, rub);
    add_pair(scene, "*", "floor", hard, rub);
    return compiled(scene);
}

static ff_sim *run_to(const ff_model *model, ff_method method, double tol, double until,
                      const ff_system *other) {
    ff_sim *sim = started(model, method, tol);
    ff_status status;
    if (other) {
        sim->flow.system = other;
    }
    while ((status = ff_sim_advance(sim, until)) == FF_EVENT) {
    }
    assert_holds(status == FF_OK, "%s: %s", ff_status_text(status), ff_sim_error(sim));
    return sim;
}

/* Analytic sparse slopes compared with full ones by differences: the same motion, to the accuracy of a tolerance
 * of 1e-9 over a tenth of a second (3e-9 m measured, by either method). */
static void test_scene_as_with_full_matrix(void **state) {
    (void)state;
    static const ff_method methods[] = {FF_RODAS, FF_ROSENBROCK};
    ff_model *model = heap();
    ff_system full = ff_scene_system;
    full.jacobian = NULL;
    for (size_t m = 0; m < ROWS(methods); m++) {
        const double tol = methods[m] == FF_RODAS ? 1e-9 : 1e-7;
        ff_sim *a = run_to(model, methods[m], tol, 0.03, NULL);
        ff_sim *b = run_to(model, methods[m], tol, 0.03, &full);
        assert_true(!a->flow.matrix->full && b->flow.matrix->full);
        /* far fewer numbers and operations than a full matrix */
        assert_true(4 * a->flow.matrix->factor_size < b->flow.matrix->factor_size);
        double flops = ff_stepper_solve_flops(&a->flow.stepper, methods[m]);
        assert_true(flops > 0 && 20 * flops < ff_stepper_solve_flops(&b->flow.stepper, methods[m]));
        assert_true(ff_stepper_solve_flops(&a->flow.stepper, FF_DOPRI5) == 0);
        for (size_t i = 0; i < model->body_count; i++) {
            ff_motion p = ff_sim_body(a, i), q = ff_sim_body(b, i);
            for (int c = 0; c < 3; c++) {
                assert_near(p.position[c], q.position[c], 100 * tol * 0.02);
            }
        }
        ff_sim_free(a);
        ff_sim_free(b);
    }
    ff_model_free(model);
}

/* A run that is restored to an earlier state, with other contacts and another structure, continues bit for bit. */
static void test_restored_bits(void **state) {
    (void)state;
    ff_model *model = heap();
    ff_sim *sim = run_to(model, FF_RODAS, 1e-6, 0.004, NULL);
    const size_t size = ff_sim_state_size(sim);
    char *block = malloc(size);
    ff_sim_save(sim, block);
    double seen[2];
    for (int turn = 0; turn < 2; turn++) {
        while (ff_sim_advance(sim, 0.03) == FF_EVENT) {
        }
        seen[turn] = ff_sim_body(sim, 5).position[0];
        assert_int_equal(ff_sim_restore(sim, block, size), FF_OK);
    }
    assert_memory_equal(&seen[0], &seen[1], sizeof seen[0]);
    free(block);
    finish(sim, model);
}

/* If there is no memory for the matrix, auto continues explicitly, and an implicit method reports it. */
static void test_scene_without_room(void **state) {
    (void)state;
    ff_model *model = heap();
    ff_sim *sim = started(model, FF_RODAS, 1e-6);
    sim->flow.matrix->most = 100;
    ff_status status;
    while ((status = ff_sim_advance(sim, 0.03)) == FF_EVENT) {
    }
    assert_int_equal(status, FF_NO_MEMORY);
    assert_non_null(
        strstr(ff_sim_error(sim), "there is no memory for the matrix of method 'rodas'"));
    ff_sim_free(sim);
    ff_model_free(model);
    /* a friction ramp that ends at a micrometre per second */
    model = ball_on_floor(0.1, 0.02, 0.02, (double[]){0.02, 0, 0}, 9.81, azad(),
                          friction("coulomb", (double[]){0.3, 1e-6}));
    ff_sim *roomy = run_to(model, FF_AUTO, 1e-4, 0.02, NULL);
    assert_true(ff_sim_statistics(roomy).method_steps[FF_RODAS] > 0);
    sim = started(model, FF_AUTO, 1e-4);
    sim->flow.matrix->most = 10;
    while ((status = ff_sim_advance(sim, 0.02)) == FF_EVENT) {
    }
    assert_int_equal(status, FF_OK);
    /* implicit steps were tried */
    assert_true(ff_sim_statistics(sim).switches > 0);
    assert_int_equal(ff_sim_statistics(sim).method_steps[FF_RODAS], 0);
    assert_near(ff_sim_body(sim, 0).position[0], ff_sim_body(roomy, 0).position[0], 1e-6);
    ff_sim_free(roomy);
    finish(sim, model);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_random_systems),
    cmocka_unit_test(test_stiff_chains),
    cmocka_unit_test(test_full_matrix),
    cmocka_unit_test(test_nothing_fills_in),
    cmocka_unit_test(test_grid_fills_in_little),
    cmocka_unit_test(test_operations),
    cmocka_unit_test(test_no_history),
    cmocka_unit_test(test_lost_digits),
    cmocka_unit_test(test_digits_lost_on_the_way),
    cmocka_unit_test(test_no_numbers),
    cmocka_unit_test(test_too_large),
#ifdef CAN_END
    cmocka_unit_test(test_memory_ends),
    cmocka_unit_test(test_small_matrices_take_no_more),
#endif
    cmocka_unit_test(test_scene_as_with_full_matrix),
    cmocka_unit_test(test_restored_bits),
    cmocka_unit_test(test_scene_without_room),
    cmocka_unit_test(test_zeros_of_few_rows),
    cmocka_unit_test(test_independent_rows),
};

CHECK_MAIN(tests)
