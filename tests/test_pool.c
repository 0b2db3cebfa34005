/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#define _POSIX_C_SOURCE 200809L
#include "check.h"
#include "crowd/pool.h"
#include <stdatomic.h>
#include <stdbool.h>
#include <time.h>

/* Threads that share the parts of a task. */

enum { PARTS = 100, THREADS = 8 };

typedef struct {
    int seen[PARTS];
    atomic_long sum;
    atomic_bool strange; /* an invalid worker index was seen */
    int threads;
} count;

static void add(void *user, size_t index, int worker) {
    count *c = user;
    c->seen[index]++;
    atomic_fetch_add(&c->sum, (long)index);
    if (worker < 0 || worker >= c->threads) {
        atomic_store(&c->strange, true);
    }
}

static void pause_for(double seconds) {
    nanosleep(&(struct timespec){0, (long)(1e9 * seconds)}, NULL);
}

/* each part runs once, before the call returns, whether threads sleep or are looking for work */
static void test_each_part_once(void **state) {
    (void)state;
    static const int numbers[] = {1, 2, 3, 5, THREADS};
    for (size_t k = 0; k < ROWS(numbers); k++) {
        ff_pool *pool = ff_pool_create(numbers[k]);
        assert_non_null(pool);
        assert_int_equal(ff_pool_threads(pool), numbers[k]);
        for (int round = 0; round < 2000; round++) {
            count c = {.threads = numbers[k]};
            size_t parts = (size_t)(round % (PARTS + 1));
            ff_pool_run(pool, add, &c, parts);
            for (size_t i = 0; i < PARTS; i++) {
                assert_int_equal(c.seen[i], i < parts);
            }
            assert_int_equal(atomic_load(&c.sum), parts * (parts - 1) / 2);
            assert_false(atomic_load(&c.strange));
            if (round % 400 == 0) {
                pause_for(2e-3);
            }
        }
        ff_pool_free(pool);
    }
    count c = {.threads = 1};
    ff_pool_run(NULL, add, &c, 3);
    assert_int_equal(atomic_load(&c.sum), 3);
    ff_pool_free(NULL);
}

static void linger(void *user, size_t index, int worker) {
    (void)worker;
    atomic_int *ended = user;
    pause_for(index == 0 ? 2e-2 : 1e-3);
    atomic_fetch_add(ended, 1);
}

/* the caller sleeps until the longest part ends */
static void test_long_parts(void **state) {
    (void)state;
    ff_pool *pool = ff_pool_create(4);
    for (int round = 0; round < 3; round++) {
        atomic_int ended = 0;
        ff_pool_run(pool, linger, &ended, 4);
        assert_int_equal(atomic_load(&ended), 4);
    }
    ff_pool_free(pool);
}

/* idle threads use no CPU time: they stop looking for work after some microseconds */
static void test_rest(void **state) {
    (void)state;
    ff_pool *pool = ff_pool_create(2);
    count c = {.threads = 2};
    ff_pool_run(pool, add, &c, PARTS);
    pause_for(0.02);
    clock_t before = clock();
    pause_for(0.2);
    double used = (double)(clock() - before) / CLOCKS_PER_SEC;
    assert_holds(used < 0.02, "%g s of the processor in 0.2 s without work", used);
    ff_pool_free(pool);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_each_part_once),
    cmocka_unit_test(test_long_parts),
    cmocka_unit_test(test_rest),
};

CHECK_MAIN(tests)
