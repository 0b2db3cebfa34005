/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#define _POSIX_C_SOURCE 200809L
#include "pool.h"
#include "num/memory.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

/* A task is one word: its round in the upper half, the number of parts not yet begun in the lower half. Decrementing it
 * claims a part, and until that part is finished the task stays. So a thread that comes late, because it slept or its core
 * is busy, finds nothing to do and delays nobody: the caller waits for parts that were begun, not for threads.
 *
 * Threads poll for about ten microseconds, since the parts of a step follow each other within that time, and then sleep. */

/* number of polls before a thread sleeps, about 20 ns each */
enum { PATIENCE = 2000 };

typedef struct {
    ff_pool *pool;
    pthread_t thread;
    int index;
} worker;

struct ff_pool {
    int count; /* number of threads without the caller */
    int patience;
    worker *workers;
    pthread_mutex_t lock;
    pthread_cond_t wake, done;
    _Atomic uint64_t word;
    atomic_size_t finished; /* finished parts of this task */
    atomic_int sleepers;    /* number of sleeping threads */
    atomic_bool waiting;    /* the caller sleeps until all parts are finished */
    atomic_bool over;
    ff_part part;
    void *task;
    size_t parts;
};

static uint64_t parts_left(uint64_t word) { return word & UINT32_MAX; }

/* pause between two polls, so that the other hyper-thread of a core can run */
static void rest(void) {
#if FF_X86
    __builtin_ia32_pause();
#endif
}

/* Processes parts as long as there are any. */
static void work(ff_pool *pool, int index) {
    uint64_t word = atomic_load(&pool->word);
    while (parts_left(word) > 0) {
        if (!atomic_compare_exchange_weak(&pool->word, &word, word - 1)) {
            continue;
        }
        const size_t parts = pool->parts;
        pool->part(pool->task, parts - (size_t)parts_left(word), index);
        if (atomic_fetch_add(&pool->finished, 1) + 1 == parts && atomic_load(&pool->waiting)) {
            pthread_mutex_lock(&pool->lock);
            pthread_cond_signal(&pool->done);
            pthread_mutex_unlock(&pool->lock);
        }
        word = atomic_load(&pool->word);
    }
}

static bool has_work(ff_pool *pool) {
    return parts_left(atomic_load(&pool->word)) > 0 || atomic_load(&pool->over);
}

static void *serve(void *user) {
    const worker *me = user;
    ff_pool *pool = me->pool;
    while (!atomic_load(&pool->over)) {
        for (int i = 0; i < pool->patience && !has_work(pool); i++) {
            rest();
        }
        if (!has_work(pool)) {
            pthread_mutex_lock(&pool->lock);
            /* work added after this is signalled to the sleeper */
            atomic_fetch_add(&pool->sleepers, 1);
            while (!has_work(pool)) {
                pthread_cond_wait(&pool->wake, &pool->lock);
            }
            atomic_fetch_sub(&pool->sleepers, 1);
            pthread_mutex_unlock(&pool->lock);
        }
        work(pool, me->index);
    }
    return NULL;
}

static void wake_all(ff_pool *pool) {
    if (atomic_load(&pool->sleepers) > 0) {
        pthread_mutex_lock(&pool->lock);
        pthread_cond_broadcast(&pool->wake);
        pthread_mutex_unlock(&pool->lock);
    }
}

ff_pool *ff_pool_create(int threads) {
    ff_pool *pool = ff_calloc(1, sizeof *pool);
    if (!pool || !(pool->workers = ff_calloc((size_t)threads, sizeof *pool->workers))) {
        ff_free(pool);
        return NULL;
    }
    /* with more threads than cores, polling would take time from threads with work */
    pool->patience = threads <= ff_cores() ? PATIENCE : 0;
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->wake, NULL);
    pthread_cond_init(&pool->done, NULL);
    while (pool->count < threads - 1) {
        worker *next = &pool->workers[pool->count];
        *next = (worker){.pool = pool, .index = pool->count + 1};
        if (pthread_create(&next->thread, NULL, serve, next) != 0) {
            break;
        }
        pool->count++;
    }
    return pool;
}

void ff_pool_free(ff_pool *pool) {
    if (!pool) {
        return;
    }
    atomic_store(&pool->over, true);
    wake_all(pool);
    for (int i = 0; i < pool->count; i++) {
        pthread_join(pool->workers[i].thread, NULL);
    }
    pthread_cond_destroy(&pool->wake);
    pthread_cond_destroy(&pool->done);
    pthread_mutex_destroy(&pool->lock);
    ff_free(pool->workers);
    ff_free(pool);
}

int ff_pool_threads(const ff_pool *pool) { return pool ? pool->count + 1 : 1; }

static void wait_for_all(ff_pool *pool) {
    for (int i = 0; i < pool->patience && atomic_load(&pool->finished) < pool->parts; i++) {
        rest();
    }
    if (atomic_load(&pool->finished) < pool->parts) {
        pthread_mutex_lock(&pool->lock);
        atomic_store(&pool->waiting, true);
        while (atomic_load(&pool->finished) < pool->parts) {
            pthread_cond_wait(&pool->done, &pool->lock);
        }
        atomic_store(&pool->waiting, false);
        pthread_mutex_unlock(&pool->lock);
    }
}

void ff_pool_run(ff_pool *pool, ff_part part, void *task, size_t count) {
    /* a single part is not shared, and more parts than a word holds do not occur */
    if (!pool || pool->count == 0 || count < 2 || count > UINT32_MAX) {
        for (size_t i = 0; i < count; i++) {
            part(task, i, 0);
        }
        return;
    }
    pool->part = part;
    pool->task = task;
    pool->parts = count;
    atomic_store(&pool->finished, 0);
    const uint64_t round = (atomic_load(&pool->word) >> 32) + 1;
    atomic_store(&pool->word, round << 32 | count);
    wake_all(pool);
    work(pool, 0);
    wait_for_all(pool);
}

int ff_cores(void) {
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    return cores > 1 ? (int)cores : 1;
}
