/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "body/vector.h"
#include "parts.h"
#include <stdlib.h>
#include <string.h>

/* Which bodies are close: a grid of cubes as wide as the largest reach, kept as a hash table so that a body
 * that flies away costs nothing. Slots come out sorted by (class, first, second). */

/* cells are counted from -2^20 to 2^20 along each axis; what is farther is put into the last one */
enum { CELL_BITS = 21, CELL_MOST = (1 << (CELL_BITS - 1)) - 2 };

static uint64_t cell_along(double x, double per_size) {
    double cell = floor(x * per_size);
    cell = cell > CELL_MOST ? CELL_MOST : cell < -CELL_MOST ? -CELL_MOST : cell;
    return (uint64_t)((int64_t)cell + CELL_MOST + 1);
}

static uint64_t cell_key(uint64_t x, uint64_t y, uint64_t z) {
    return x | y << CELL_BITS | z << (2 * CELL_BITS);
}

/* the finaliser of splitmix64 (Steele, Lea and Flood 2014) */
static uint64_t mix(uint64_t x) {
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

static bool make_tables(ff_crowd *crowd) {
    size_t buckets = 64;
    while (buckets < 2 * crowd->bodies) {
        buckets *= 2;
    }
    crowd->buckets = buckets;
    crowd->keys = malloc((crowd->bodies + 1) * sizeof *crowd->keys);
    crowd->order = malloc((crowd->bodies + 1) * sizeof *crowd->order);
    crowd->starts = malloc((buckets + 2) * sizeof *crowd->starts);
    return crowd->keys && crowd->order && crowd->starts;
}

/* bodies by bucket, in the order of their numbers */
static void fill_cells(ff_crowd *crowd, double per_size) {
    uint32_t *starts = crowd->starts;
    memset(starts, 0, (crowd->buckets + 2) * sizeof *starts);
    for (size_t i = 0; i < crowd->bodies; i++) {
        const double *p = crowd->places[i].p;
        uint64_t key = cell_key(cell_along(p[0], per_size), cell_along(p[1], per_size),
                                cell_along(p[2], per_size));
        crowd->keys[i] = key;
        starts[(mix(key) & (crowd->buckets - 1)) + 2]++;
    }
    for (size_t i = 2; i < crowd->buckets + 2; i++) {
        starts[i] += starts[i - 1];
    }
    for (size_t i = 0; i < crowd->bodies; i++) {
        crowd->order[starts[(mix(crowd->keys[i]) & (crowd->buckets - 1)) + 1]++] = (int32_t)i;
    }
}

static bool more_slots(ff_slots *slots, size_t room) {
    if (room <= slots->room) {
        return true;
    }
    room = room + room / 4 + 256;
    int32_t *a = realloc(slots->a, room * sizeof *a);
    slots->a = a ? a : slots->a;
    int32_t *b = realloc(slots->b, room * sizeof *b);
    slots->b = b ? b : slots->b;
    uint8_t *touching = realloc(slots->touching, room);
    slots->touching = touching ? touching : slots->touching;
    /* what contacts remember lies one to a cache line, and is filled anew by every search */
    ff_memory *memory = ff_crowd_alloc(room, sizeof *memory);
    if (memory) {
        free(slots->memory);
        slots->memory = memory;
    }
    if (!a || !b || !touching || !memory) {
        return false;
    }
    slots->room = room;
    return true;
}

static int by_number(const void *a, const void *b) {
    return (*(const int32_t *)a > *(const int32_t *)b) -
           (*(const int32_t *)a < *(const int32_t *)b);
}

static void sort_numbers(int32_t *at, size_t count) {
    if (count > 64) {
        qsort(at, count, sizeof *at, by_number);
        return;
    }
    for (size_t i = 1; i < count; i++) {
        int32_t j = at[i];
        size_t k = i;
        for (; k > 0 && at[k - 1] > j; k--) {
            at[k] = at[k - 1];
        }
        at[k] = j;
    }
}

/* Adds slots of body i with those after it that are near, by number. */
static bool add_near(ff_crowd *crowd, size_t i, int class) {
    const ff_place *p = &crowd->places[i];
    const uint64_t key = crowd->keys[i], mask = ((uint64_t)1 << CELL_BITS) - 1;
    const uint64_t x = key & mask, y = key >> CELL_BITS & mask, z = key >> (2 * CELL_BITS);
    const int *classes =
        crowd->parts->pair_class + (size_t)crowd->parts->kind[i] * crowd->parts->kind_count;
    ff_slots *next = &crowd->next;
    size_t first = next->count;
    for (int n = 0; n < 27; n++) {
        uint64_t cell = cell_key(x + (uint64_t)(n % 3) - 1, y + (uint64_t)(n / 3 % 3) - 1,
                                 z + (uint64_t)(n / 9) - 1);
        size_t bucket = mix(cell) & (crowd->buckets - 1);
        for (uint32_t k = crowd->starts[bucket]; k < crowd->starts[bucket + 1]; k++) {
            int32_t j = crowd->order[k];
            if (j <= (int32_t)i || crowd->keys[j] != cell) {
                continue;
            }
            const ff_place *q = &crowd->places[j];
            double d[3], reach = p->r + q->r + crowd->skin;
            ff_add_scaled(p->p, -1, q->p, d);
            if (ff_dot(d, d) < reach * reach && classes[crowd->parts->kind[j]] == class) {
                if (!more_slots(next, next->count + 1)) {
                    return false;
                }
                next->a[next->count] = (int32_t)i;
                next->b[next->count++] = j;
            }
        }
    }
    sort_numbers(next->b + first, next->count - first);
    return true;
}

static bool more_chunks(ff_crowd *crowd, size_t room) {
    if (room <= crowd->chunk_room) {
        return true;
    }
    room = room < 16 ? 16 : room;
    ff_chunk *grown = realloc(crowd->chunks, room * sizeof *grown);
    if (!grown) {
        return false;
    }
    crowd->chunks = grown;
    crowd->chunk_room = room;
    return true;
}

static bool add_chunk(ff_crowd *crowd, int class, int wall, size_t begin, size_t end) {
    if (crowd->chunk_count == crowd->chunk_room && !more_chunks(crowd, 2 * crowd->chunk_room + 1)) {
        return false;
    }
    ff_chunk *chunk = &crowd->chunks[crowd->chunk_count++];
    *chunk = (ff_chunk){
        .class = class, .wall = wall, .begin = begin, .end = end, .low = INT32_MAX, .high = -1};
    for (size_t s = begin; s < end; s++) {
        int32_t a = crowd->slots.a[s], b = wall < 0 ? crowd->slots.b[s] : a;
        chunk->low = a < chunk->low ? a : chunk->low;
        chunk->high = b > chunk->high ? b : chunk->high;
    }
    return true;
}

/* Sections come in the same order in every search, empty ones, too: for each class that of two bodies, then
 * one for each wall. */
ff_status ff_crowd_cut(ff_crowd *crowd) {
    const ff_slots *slots = &crowd->slots;
    const size_t walls = crowd->parts->wall_count;
    crowd->chunk_count = 0;
    for (size_t k = 0; k < slots->sections; k++) {
        int class = (int)(k / (walls + 1)), wall = (int)(k % (walls + 1)) - 1;
        for (size_t begin = slots->bounds[k]; begin < slots->bounds[k + 1]; begin += FF_CHUNK) {
            size_t end = slots->bounds[k + 1];
            end = begin + FF_CHUNK < end ? begin + FF_CHUNK : end;
            if (!add_chunk(crowd, class, wall, begin, end)) {
                return FF_NO_MEMORY;
            }
        }
    }
    return FF_OK;
}

static void end_section(ff_slots *slots) { slots->bounds[++slots->sections] = slots->count; }

/* Whether any two bodies can meet under a class. */
static bool has_pairs(const ff_crowd_model *parts, int class) {
    for (size_t i = 0; i < parts->kind_count * parts->kind_count; i++) {
        if (parts->pair_class[i] == class) {
            return true;
        }
    }
    return false;
}

static bool find_pairs(ff_crowd *crowd, int class) {
    bool good = true, any = has_pairs(crowd->parts, class);
    for (size_t i = 0; any && i < crowd->bodies && good; i++) {
        good = add_near(crowd, i, class);
    }
    end_section(&crowd->next);
    return good;
}

static bool find_wall(ff_crowd *crowd, int class, size_t w) {
    const ff_wall *wall = &crowd->parts->walls[w];
    double level = wall->level + wall->rise * crowd->now.time + crowd->skin;
    ff_slots *next = &crowd->next;
    for (size_t i = 0; i < crowd->bodies; i++) {
        const ff_place *p = &crowd->places[i];
        size_t kind = (size_t)crowd->parts->kind[i];
        if (crowd->parts->wall_class[kind * crowd->parts->wall_count + w] != class ||
            !(p->r + level - ff_dot(p->p, wall->normal) > 0)) {
            continue;
        }
        if (!more_slots(next, next->count + 1)) {
            return false;
        }
        next->a[next->count] = (int32_t)i;
        next->b[next->count++] = (int32_t)w;
    }
    end_section(next);
    return true;
}

/* What touching slots remember goes into the new ones. */
static void keep_memory(ff_crowd *crowd) {
    ff_slots *next = &crowd->next;
    const ff_slots *last = &crowd->slots;
    memset(next->touching, 0, next->count);
    for (size_t k = 0; k < next->sections; k++) {
        size_t at = last->sections ? last->bounds[k] : 0,
               end = last->sections ? last->bounds[k + 1] : 0;
        for (size_t s = next->bounds[k]; s < next->bounds[k + 1]; s++) {
            while (at < end && (last->a[at] < next->a[s] ||
                                (last->a[at] == next->a[s] && last->b[at] < next->b[s]))) {
                at++;
            }
            bool same = at < end && last->a[at] == next->a[s] && last->b[at] == next->b[s];
            next->touching[s] = same ? last->touching[at] : 0;
            next->memory[s] = next->touching[s] ? last->memory[at] : (ff_memory){0};
        }
    }
}

/* threads put what contacts do beside each other */
static ff_status make_pushes(ff_crowd *crowd, size_t room) {
    if (crowd->pool && room > crowd->push_room) {
        ff_push *pushes = ff_crowd_alloc(room, sizeof *pushes);
        if (!pushes) {
            return FF_NO_MEMORY;
        }
        free(crowd->pushes);
        crowd->pushes = pushes;
        crowd->push_room = room;
    }
    return FF_OK;
}

static bool make_bounds(ff_crowd *crowd) {
    ff_slots *next = &crowd->next;
    const size_t sections = crowd->parts->class_count * (1 + crowd->parts->wall_count);
    return next->bounds || (next->bounds = calloc(sections + 1, sizeof *next->bounds));
}

ff_status ff_crowd_make_room(ff_crowd *crowd, size_t slots, size_t chunks) {
    return make_bounds(crowd) && more_slots(&crowd->next, slots) && more_chunks(crowd, chunks)
               ? make_pushes(crowd, crowd->next.room)
               : FF_NO_MEMORY;
}

void ff_crowd_take_next(ff_crowd *crowd) {
    ff_slots old = crowd->slots;
    crowd->slots = crowd->next;
    crowd->next = old;
}

ff_status ff_crowd_search(ff_crowd *crowd) {
    const ff_crowd_model *parts = crowd->parts;
    ff_slots *next = &crowd->next;
    if ((!crowd->keys && !make_tables(crowd)) || !make_bounds(crowd)) {
        return FF_NO_MEMORY;
    }
    for (size_t i = 0; i < crowd->bodies; i++) {
        const double *p = crowd->places[i].p;
        if (!isfinite(p[0] + p[1] + p[2])) {
            return FF_NOT_FINITE;
        }
    }
    fill_cells(crowd, 1 / (2 * crowd->reach + crowd->skin));
    next->count = next->sections = 0;
    bool good = more_slots(next, 1);
    for (size_t class = 0; class < parts->class_count && good; class ++) {
        good = find_pairs(crowd, (int)class);
        for (size_t w = 0; w < parts->wall_count && good; w++) {
            good = find_wall(crowd, (int)class, w);
        }
    }
    if (!good) {
        return FF_NO_MEMORY;
    }
    keep_memory(crowd);
    ff_crowd_take_next(crowd);
    memcpy(crowd->seen, crowd->places, crowd->bodies * sizeof *crowd->seen);
    crowd->now.searches++;
    crowd->now.drift = 0;
    crowd->now.slot_count = crowd->slots.count;
    ff_status status = make_pushes(crowd, crowd->slots.room);
    return status < 0 ? status : ff_crowd_cut(crowd);
}
