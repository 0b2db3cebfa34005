/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#define _POSIX_C_SOURCE 200809L
#include "pool.h"
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

/* how often a thread looks for work before it sleeps: steps follow each other within microseconds */
enum { PATIENCE = 20000 };

typedef struct {
    ff_pool *pool;
    pthread_t thread;
    int index;
} worker;

struct ff_pool {
    int count; /* without the caller */
    worker *workers;
    pthread_mutex_t lock;
    pthread_cond_t wake;
    atomic_uint round; /* counts tasks */
    atomic_bool over;
    atomic_size_t next; /* the next part to be done */
    atomic_int busy;    /* threads that are at the present task */
    ff_part part;
    void *task;
    size_t parts;
};

static void work(ff_pool *pool, int index) {
    size_t i;
    while ((i = atomic_fetch_add_explicit(&pool->next, 1, memory_order_relaxed)) < pool->parts) {
        pool->part(pool->task, i, index);
    }
}

static void *serve(void *user) {
    const worker *me = user;
    ff_pool *pool = me->pool;
    unsigned done = 0;
    while (true) {
        for (int i = 0; i < PATIENCE && atomic_load(&pool->round) == done; i++) {
            if (i % 64 == 63) {
                sched_yield();
            }
        }
        if (atomic_load(&pool->round) == done) {
            pthread_mutex_lock(&pool->lock);
            while (atomic_load(&pool->round) == done) {
                pthread_cond_wait(&pool->wake, &pool->lock);
            }
            pthread_mutex_unlock(&pool->lock);
        }
        done = atomic_load(&pool->round);
        if (atomic_load(&pool->over)) {
            return NULL;
        }
        work(pool, me->index);
        atomic_fetch_sub(&pool->busy, 1);
    }
}

static void begin_round(ff_pool *pool) {
    pthread_mutex_lock(&pool->lock);
    atomic_fetch_add(&pool->round, 1);
    pthread_cond_broadcast(&pool->wake);
    pthread_mutex_unlock(&pool->lock);
}

ff_pool *ff_pool_create(int threads) {
    ff_pool *pool = calloc(1, sizeof *pool);
    if (!pool || !(pool->workers = calloc((size_t)threads, sizeof *pool->workers))) {
        free(pool);
        return NULL;
    }
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->wake, NULL);
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
    begin_round(pool);
    for (int i = 0; i < pool->count; i++) {
        pthread_join(pool->workers[i].thread, NULL);
    }
    pthread_cond_destroy(&pool->wake);
    pthread_mutex_destroy(&pool->lock);
    free(pool->workers);
    free(pool);
}

int ff_pool_threads(const ff_pool *pool) { return pool ? pool->count + 1 : 1; }

void ff_pool_run(ff_pool *pool, ff_part part, void *task, size_t count) {
    if (!pool || pool->count == 0) {
        for (size_t i = 0; i < count; i++) {
            part(task, i, 0);
        }
        return;
    }
    pool->part = part;
    pool->task = task;
    pool->parts = count;
    atomic_store(&pool->next, 0);
    atomic_store(&pool->busy, pool->count);
    begin_round(pool);
    work(pool, 0);
    while (atomic_load(&pool->busy) > 0) {
        sched_yield();
    }
}

int ff_pool_cores(void) {
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    return cores > 1 ? (int)cores : 1;
}
