/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "check.h"
#include "num/cells.h"

/* The search for overlapping balls, compared with a test of all pairs. */

enum { MOST = 3000 };
static ff_ball balls[MOST];

static void expect_all(ff_cells *cells, size_t count, double margin, const char *what) {
    assert_int_equal(ff_cells_find(cells, balls, count, margin), FF_OK);
    size_t at = 0;
    for (size_t i = 0; i < count; i++) {
        for (size_t j = i + 1; j < count; j++) {
            if (ff_ball_near(&balls[i], &balls[j], margin)) {
                assert_holds(at < cells->count && cells->couples[at].a == (int32_t)i &&
                                 cells->couples[at].b == (int32_t)j,
                             "%s: couple %zu of %zu is not (%zu, %zu)", what, at, cells->count, i,
                             j);
                at++;
            }
        }
    }
    assert_holds(at == cells->count, "%s: %zu couples instead of %zu", what, cells->count, at);
    /* each ball once in the order of cells */
    const int32_t *order = ff_cells_order(cells);
    assert_int_equal(order != NULL, count > FF_CELLS_FEW);
    static bool seen[MOST];
    memset(seen, 0, sizeof seen);
    for (size_t i = 0; order && i < count; i++) {
        assert_true(order[i] >= 0 && order[i] < (int32_t)count && !seen[order[i]]);
        seen[order[i]] = true;
    }
}

static void scatter(size_t count, const double low[3], const double high[3], double least,
                    double most) {
    for (size_t i = 0; i < count; i++) {
        for (int c = 0; c < 3; c++) {
            balls[i].at[c] = uniform(low[c], high[c]);
        }
        balls[i].reach = least < most ? log_uniform(least, most) : most;
    }
}

/* boxes of many proportions, also flat and thin ones, far from the origin and on both sides of it; equal radii,
 * and radii that differ by up to nine orders of magnitude */
static void test_scattered(void **state) {
    (void)state;
    static const double offsets[] = {0, -7, 1e4, -3e9, 1e12};
    static const double ratios[] = {1, 1.3, 4, 1e3, 1e9};
    ff_cells cells = {0};
    for (int trial = 0; trial < 150; trial++) {
        double low[3], high[3];
        size_t count = (size_t)uniform(0, trial % 3 ? 400 : 40);
        double offset = offsets[trial % 5], ratio = ratios[trial / 5 % 5];
        for (int c = 0; c < 3; c++) {
            double width = log_uniform(1e-3, 30);
            low[c] = offset - width * uniform(0, 1);
            high[c] = low[c] + width;
        }
        scatter(count, low, high, 1 / ratio, 1);
        expect_all(&cells, count, trial % 2 ? 0 : 0.1, "scattered");
    }
    scatter(MOST, (double[]){-9, -9, -9}, (double[]){9, 9, 9}, 0.4, 0.5);
    expect_all(&cells, MOST, 0.05, "close");
    scatter(MOST, (double[]){-9, -9, -9}, (double[]){9, 9, 9}, 1e-4, 3);
    expect_all(&cells, MOST, 0, "of many sizes");
    ff_cells_clear(&cells);
}

/* a lattice of balls that touch exactly: none is lost to rounding or at the edges of cells */
static void test_lattice(void **state) {
    (void)state;
    ff_cells cells = {0};
    for (size_t i = 0; i < 1000; i++) {
        balls[i] = (ff_ball){{(double)(i % 10), (double)(i / 10 % 10), (double)(i / 100)}, 0.5};
    }
    expect_all(&cells, 1000, 0, "lattice");
    assert_int_equal(cells.count, 3 * 10 * 10 * 9);
    ff_cells_clear(&cells);
}

/* many at one point, with and without a size; and no two of them near each other */
static void test_coincident(void **state) {
    (void)state;
    ff_cells cells = {0};
    scatter(200, (double[]){-1, -1, -1}, (double[]){1, 1, 1}, 0, 0);
    expect_all(&cells, 200, 0, "points");
    assert_int_equal(cells.count, 0);
    for (size_t i = 100; i < 200; i++) {
        balls[i] = balls[i % 7];
    }
    expect_all(&cells, 200, 0, "coincident points");
    assert_true(cells.count > 500);
    scatter(100, (double[]){5, 5, 5}, (double[]){5, 5, 5}, 1e-3, 1);
    expect_all(&cells, 100, 0, "coincident balls");
    assert_int_equal(cells.count, 4950);
    ff_cells_clear(&cells);
}

/* some are far away, also at 1e150, and some are huge: all others are found as before */
static void test_far(void **state) {
    (void)state;
    ff_cells cells = {0};
    scatter(1000, (double[]){-5, -5, -5}, (double[]){5, 5, 5}, 0.3, 0.5);
    for (int k = 0; k < 60; k++) {
        for (int c = 0; c < 3; c++) {
            balls[k * 7].at[c] = uniform(-1, 1) * pow(10, 2.5 * k);
        }
    }
    balls[500].reach = 1e5;
    balls[501] = (ff_ball){{1e150, -1e150, 1e150}, 0.5};
    balls[502] = balls[501];
    balls[503] = (ff_ball){{-1e150, 0, 0}, 1e150};
    balls[504].reach = 1e-160;
    balls[505] = balls[504];
    expect_all(&cells, 1000, 0, "far");
    expect_all(&cells, 1000, 1e-3, "far, with a margin");
    ff_cells_clear(&cells);
}

static void test_refused(void **state) {
    (void)state;
    ff_cells cells = {0};
    for (size_t count = 5; count <= 100; count += 95) {
        scatter(count, (double[]){-1, -1, -1}, (double[]){1, 1, 1}, 0.5, 0.5);
        expect_all(&cells, count, 0, "good");
        ff_ball good = balls[3];
        static const double not_finite[] = {NAN, INFINITY, -INFINITY};
        for (size_t k = 0; k < ROWS(not_finite); k++) {
            for (int c = 0; c < 3; c++) {
                balls[3].at[c] = not_finite[k];
                assert_int_equal(ff_cells_find(&cells, balls, count, 0), FF_NOT_FINITE);
                assert_int_equal(cells.count, 0);
                assert_null(ff_cells_order(&cells));
                balls[3] = good;
            }
            balls[3].reach = not_finite[k];
            assert_int_equal(ff_cells_find(&cells, balls, count, 0), FF_NOT_FINITE);
            balls[3] = good;
            assert_int_equal(ff_cells_find(&cells, balls, count, not_finite[k]), FF_NOT_FINITE);
        }
        balls[3].reach = -1e-9;
        assert_int_equal(ff_cells_find(&cells, balls, count, 0), FF_BAD_VALUE);
        balls[3] = good;
        balls[3].at[1] = -2e150;
        assert_int_equal(ff_cells_find(&cells, balls, count, 0), FF_BAD_VALUE);
        balls[3] = good;
        assert_int_equal(ff_cells_find(&cells, balls, count, -1), FF_BAD_VALUE);
        assert_int_equal(ff_cells_find(&cells, balls, (size_t)INT32_MAX + 1, 0), FF_BAD_VALUE);
        expect_all(&cells, count, 0, "good again");
    }
    expect_all(&cells, 0, 0, "none");
    ff_cells_clear(&cells);
    assert_null(ff_cells_order(&cells));
}

/* A search with a limit finds all pairs, or says that there are more; the next one is not affected. */
static void test_limit(void **state) {
    (void)state;
    ff_cells cells = {0};
    for (int trial = 0; trial < 20; trial++) {
        const size_t count = (size_t)uniform(30, 400);
        scatter(count, (double[]){0, 0, 0}, (double[]){1, 1, 1}, 0.05, 0.2);
        cells.most = 0;
        expect_all(&cells, count, 0, "no limit");
        const size_t pairs = cells.count;
        cells.most = pairs;
        expect_all(&cells, count, 0, "as many as there are");
        cells.most = (size_t)uniform(1, (double)pairs);
        assert_int_equal(ff_cells_find(&cells, balls, count, 0), FF_OK);
        assert_in_range(cells.count, cells.most + 1, pairs);
    }
    ff_cells_clear(&cells);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_scattered),  cmocka_unit_test(test_lattice),
    cmocka_unit_test(test_coincident), cmocka_unit_test(test_far),
    cmocka_unit_test(test_refused),    cmocka_unit_test(test_limit),
};
CHECK_MAIN(tests)
