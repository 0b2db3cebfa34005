/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "body/vector.h"
#include "num/memory.h"
#include "parts.h"
#include <stdlib.h>
#include <string.h>

/* Search for close pairs (num/cells.h). The resulting slots are sorted by (class, first, second). */

/* searches between reorderings of the bodies: they mix slowly, and reordering takes as long as a few steps */
enum { SORT_EVERY = 32 };

static bool more_slots(ff_slots *slots, size_t room) {
    if (room <= slots->room) {
        return true;
    }
    room = room + room / 4 + 256;
    int32_t *a = ff_realloc(slots->a, room * sizeof *a);
    slots->a = a ? a : slots->a;
    int32_t *b = ff_realloc(slots->b, room * sizeof *b);
    slots->b = b ? b : slots->b;
    uint8_t *touching = ff_realloc(slots->touching, room);
    slots->touching = touching ? touching : slots->touching;
    /* one contact state per cache line, rebuilt by every search */
    ff_memory *memory = ff_crowd_alloc(room, sizeof *memory);
    if (memory) {
        ff_free(slots->memory);
        slots->memory = memory;
    }
    if (!a || !b || !touching || !memory) {
        return false;
    }
    slots->room = room;
    return true;
}

static bool more_chunks(ff_crowd *crowd, size_t room) {
    if (room <= crowd->chunk_room) {
        return true;
    }
    room = room < 16 ? 16 : room;
    ff_chunk *grown = ff_realloc(crowd->chunks, room * sizeof *grown);
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
    *chunk = (ff_chunk){.class = class,
                        .wall = wall,
                        .begin = begin,
                        .end = end,
                        .low = INT32_MAX,
                        .high = -1,
                        .hold = crowd->pool ? INT32_MAX : 0};
    for (size_t s = begin; s < end; s++) {
        int32_t a = crowd->slots.a[s], b = wall < 0 ? crowd->slots.b[s] : a;
        chunk->low = a < chunk->low ? a : chunk->low;
        chunk->high = b > chunk->high ? b : chunk->high;
        crowd->starts[a]++;
        crowd->starts[b] += wall < 0;
    }
    return true;
}

/* Divides the chunks of a section from `begin` on, all contacts between bodies, into strands such that a body is in contacts
 * of at most two of them. A section that is too small is not divided. */
static void add_strands(ff_crowd *crowd, size_t begin) {
    enum { LEAST = 8 }; /* chunks */
    const size_t threads = (size_t)ff_pool_threads(crowd->pool), before = crowd->strand_count,
                 count = crowd->chunk_count - begin, most = count / LEAST / threads,
                 strands = threads * (most < FF_STRANDS_EACH ? most : FF_STRANDS_EACH),
                 each = strands > 0 ? count / strands : count;
    ff_strand *strand = NULL;
    int32_t end = 0; /* bodies of the chunks so far are before this one */
    for (size_t c = begin; c < crowd->chunk_count; c++) {
        const ff_chunk *chunk = &crowd->chunks[c];
        const size_t first = (size_t)chunk->low / FF_RANGE, head = ff_ranges(end);
        if (!strand) {
            strand = &crowd->strands[crowd->strand_count++];
            *strand = (ff_strand){.from = begin, .border = begin, .leads = true};
        } else if (c >= strand->from + each && c + each <= crowd->chunk_count &&
                   first >= strand->head) {
            strand->end = c;
            strand->last = first;
            strand = &crowd->strands[crowd->strand_count++];
            *strand = (ff_strand){.from = c,
                                  .border = c,
                                  .first = first,
                                  .head = head > first ? head : first,
                                  .hold = end};
        }
        strand->border = chunk->low < strand->hold ? c + 1 : strand->border;
        end = chunk->high >= end ? chunk->high + 1 : end;
    }
    if (crowd->strand_count < before + threads) {
        crowd->strand_count = before;
        return;
    }
    strand->end = crowd->chunk_count;
    strand->last = ff_ranges(end);
    for (strand = crowd->strands + before; strand < crowd->strands + crowd->strand_count;
         strand++) {
        for (size_t c = strand->from; c < strand->end; c++) {
            crowd->chunks[c].hold = strand->hold;
        }
    }
}

static bool cut_section(ff_crowd *crowd, size_t section) {
    const ff_slots *slots = &crowd->slots;
    const size_t walls = crowd->parts->wall_count, chunks = crowd->chunk_count,
                 last = slots->bounds[section + 1];
    const int class = (int)(section / (walls + 1)), wall = (int)(section % (walls + 1)) - 1;
    for (size_t begin = slots->bounds[section]; begin < last; begin += FF_CHUNK) {
        const size_t end = begin + FF_CHUNK < last ? begin + FF_CHUNK : last;
        if (!add_chunk(crowd, class, wall, begin, end)) {
            return false;
        }
    }
    if (crowd->pool && wall < 0) {
        add_strands(crowd, chunks);
    }
    return true;
}

/* Sections have the same order in every search, including empty ones: for each class that of two bodies, then one for each
 * wall. Chunks of two bodies come first: a wall may touch all bodies, and all would have to be moved for it. */
ff_status ff_crowd_cut(ff_crowd *crowd) {
    const size_t each = crowd->parts->wall_count + 1;
    bool good = true;
    crowd->chunk_count = crowd->strand_count = 0;
    memset(crowd->starts, 0, crowd->bodies * sizeof *crowd->starts);
    for (size_t k = 0; k < crowd->slots.sections && good; k += each) {
        good = cut_section(crowd, k);
    }
    for (size_t k = 0; k < crowd->slots.sections && good; k++) {
        good = k % each == 0 || cut_section(crowd, k);
    }
    if (!good) {
        return FF_NO_MEMORY;
    }
    crowd->most_slots = 0;
    for (size_t i = 0; i < crowd->bodies; i++) {
        crowd->most_slots = fmax(crowd->most_slots, crowd->starts[i]);
    }
    return FF_OK;
}

static void end_section(ff_slots *slots) { slots->bounds[++slots->sections] = slots->count; }

static bool find_pairs(ff_crowd *crowd, int class) {
    const ff_crowd_model *parts = crowd->parts;
    const ff_cells *cells = &crowd->cells;
    ff_slots *next = &crowd->next;
    size_t couples = parts->classes[class].meets ? cells->count : 0;
    if (!more_slots(next, next->count + couples)) {
        return false;
    }
    for (size_t i = 0; i < couples; i++) {
        const ff_couple c = cells->couples[i];
        const int a = parts->kind[crowd->order[c.a]], b = parts->kind[crowd->order[c.b]];
        next->a[next->count] = c.a;
        next->b[next->count] = c.b;
        next->count += parts->pair_class[(size_t)a * parts->kind_count + (size_t)b] == class;
    }
    end_section(next);
    return true;
}

static bool find_wall(ff_crowd *crowd, int class, size_t w) {
    const ff_wall *wall = &crowd->parts->walls[w];
    double level = wall->level + wall->rise * crowd->now.time + (crowd->skin + crowd->reach);
    ff_slots *next = &crowd->next;
    for (size_t i = 0; i < crowd->bodies; i++) {
        const ff_place *p = &crowd->places[i];
        size_t kind = (size_t)crowd->parts->kind[crowd->order[i]];
        if (crowd->parts->wall_class[kind * crowd->parts->wall_count + w] != class ||
            !(p->reach + level - ff_dot(p->at, wall->normal) > 0)) {
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

/* Copies the states of touching slots into the new ones. */
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

static bool make_bounds(ff_crowd *crowd) {
    ff_slots *next = &crowd->next;
    const size_t sections = crowd->parts->class_count * (1 + crowd->parts->wall_count);
    return next->bounds || (next->bounds = ff_calloc(sections + 1, sizeof *next->bounds));
}

/* ---- the order of bodies ---- */

/* Reorders bodies in place, one cycle after the other: the new one at i is the old one at from[i]. */
static void move_bodies(ff_crowd *crowd, const int32_t *from) {
    for (size_t i = 0; i < crowd->bodies; i++) {
        crowd->starts[i] = 0; /* whether it has been moved */
    }
    for (size_t begin = 0; begin < crowd->bodies; begin++) {
        if (crowd->starts[begin] || from[begin] == (int32_t)begin) {
            continue;
        }
        const ff_place place = crowd->places[begin], seen = crowd->seen[begin];
        const ff_speed speed = crowd->speeds[begin];
        const ff_load load = crowd->loads[begin];
        const ff_grain grain = crowd->grains[begin];
        const int32_t number = crowd->order[begin];
        size_t i = begin;
        for (size_t j; (j = (size_t)from[i]) != begin; i = j) {
            crowd->places[i] = crowd->places[j];
            crowd->seen[i] = crowd->seen[j];
            crowd->speeds[i] = crowd->speeds[j];
            crowd->loads[i] = crowd->loads[j];
            crowd->grains[i] = crowd->grains[j];
            crowd->order[i] = crowd->order[j];
            crowd->starts[i] = 1;
        }
        crowd->places[i] = place;
        crowd->seen[i] = seen;
        crowd->speeds[i] = speed;
        crowd->loads[i] = load;
        crowd->grains[i] = grain;
        crowd->order[i] = number;
        crowd->starts[i] = 1;
    }
}

/* Sorts slots from `begin` on, which are sorted by their first body, by the second one. */
static void sort_seconds(ff_slots *slots, size_t begin) {
    for (size_t i = begin + 1; i < slots->count; i++) {
        const int32_t a = slots->a[i], b = slots->b[i];
        const ff_memory memory = slots->memory[i];
        size_t at = i;
        for (; at > begin && slots->a[at - 1] == a && slots->b[at - 1] > b; at--) {
            slots->b[at] = slots->b[at - 1];
            slots->memory[at] = slots->memory[at - 1];
        }
        slots->b[at] = b;
        slots->memory[at] = memory;
    }
}

/* Copies the touching slots of a section with the new numbers of bodies. If first and second are exchanged, the sign of the
 * contact state changes. */
static void move_section(ff_crowd *crowd, size_t section, const int32_t *to) {
    const ff_slots *last = &crowd->slots;
    ff_slots *next = &crowd->next;
    const bool walls = section % (crowd->parts->wall_count + 1) > 0;
    const size_t begin = next->count;
    uint32_t *starts = crowd->starts;
    memset(starts, 0, (crowd->bodies + 2) * sizeof *starts);
    for (size_t s = last->bounds[section]; s < last->bounds[section + 1]; s++) {
        const int32_t a = to[last->a[s]], b = walls ? INT32_MAX : to[last->b[s]];
        starts[(a < b ? a : b) + 1] += last->touching[s];
    }
    for (size_t i = 1; i < crowd->bodies + 1; i++) {
        starts[i] += starts[i - 1];
    }
    for (size_t s = last->bounds[section]; s < last->bounds[section + 1]; s++) {
        const int32_t a = to[last->a[s]], b = walls ? last->b[s] : to[last->b[s]];
        const bool turned = !walls && b < a;
        ff_memory memory = last->memory[s];
        if (!last->touching[s]) {
            continue;
        }
        for (int c = 0; c < 3 && turned; c++) {
            memory.u[c] = -memory.u[c];
            memory.rate[c] = -memory.rate[c];
        }
        size_t at = begin + starts[turned ? b : a]++;
        next->a[at] = turned ? b : a;
        next->b[at] = turned ? a : b;
        next->memory[at] = memory;
        next->count++;
    }
    sort_seconds(next, begin);
    memset(next->touching + begin, 1, next->count - begin);
    end_section(next);
}

ff_status ff_crowd_reorder(ff_crowd *crowd, const int32_t *from) {
    if (!make_bounds(crowd) || !more_slots(&crowd->next, crowd->slots.count)) {
        return FF_NO_MEMORY;
    }
    move_bodies(crowd, from);
    /* inverse of the permutation */
    for (size_t i = 0; i < crowd->bodies; i++) {
        crowd->rank[from[i]] = (int32_t)i;
    }
    crowd->next.count = crowd->next.sections = 0;
    for (size_t k = 0; k < crowd->slots.sections; k++) {
        move_section(crowd, k, crowd->rank);
    }
    ff_crowd_take_next(crowd);
    ff_crowd_rank(crowd);
    /* if memory is exhausted now, no chunk refers to slots that are gone */
    crowd->chunk_count = crowd->strand_count = 0;
    return FF_OK;
}

void ff_crowd_rank(ff_crowd *crowd) {
    for (size_t i = 0; i < crowd->bodies; i++) {
        crowd->rank[crowd->order[i]] = (int32_t)i;
    }
}

/* ---- search ---- */

/* with threads, contact forces are stored before they are summed */
static ff_status make_pushes(ff_crowd *crowd, size_t room) {
    if (crowd->pool && room > crowd->push_room) {
        ff_push *pushes = ff_crowd_alloc(room, sizeof *pushes);
        if (!pushes) {
            return FF_NO_MEMORY;
        }
        ff_free(crowd->pushes);
        crowd->pushes = pushes;
        crowd->push_room = room;
    }
    return FF_OK;
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

/* Distances whose squares overflow are infinite: a body that far away has no position. */
static ff_status lose_far(ff_crowd *crowd) {
    for (size_t i = 0; i < crowd->bodies; i++) {
        double *at = crowd->places[i].at;
        for (int c = 0; c < 3; c++) {
            at[c] = fabs(at[c]) > FF_CELLS_FARTHEST ? copysign(INFINITY, at[c]) : at[c];
        }
    }
    return FF_NOT_FINITE;
}

ff_status ff_crowd_search(ff_crowd *crowd) {
    const ff_crowd_model *parts = crowd->parts;
    ff_slots *next = &crowd->next;
    ff_cells *cells = &crowd->cells;
    const double range = crowd->skin + crowd->reach;
    ff_status status = ff_cells_find(cells, crowd->places, crowd->bodies, range);
    const int32_t *order = ff_cells_order(cells);
    if (status == FF_OK && order && crowd->now.searches % SORT_EVERY == 0) {
        status = ff_crowd_reorder(crowd, order);
        if (status == FF_OK) {
            status = ff_cells_find(cells, crowd->places, crowd->bodies, range);
        }
    }
    if (status < 0) {
        return status == FF_BAD_VALUE ? lose_far(crowd) : status;
    }
    if (!make_bounds(crowd)) {
        return FF_NO_MEMORY;
    }
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
    status = make_pushes(crowd, crowd->slots.room);
    return status < 0 ? status : ff_crowd_cut(crowd);
}
