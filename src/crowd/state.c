/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "body/vector.h"
#include "parts.h"
#include <limits.h>
#include <string.h>

/* A crowd as bytes: numbers, arrays of bodies, accounts, and slots with their states. Positions determine which slots
 * touch, so chunks are not included. */

typedef struct {
    char *to;         /* NULL: only count, or read */
    const char *from; /* NULL: write */
    size_t at;
} stream;

static void pass(stream *s, void *data, size_t size) {
    if (s->from) {
        memcpy(data, s->from + s->at, size);
    } else if (s->to) {
        memcpy(s->to + s->at, data, size);
    }
    s->at += size;
}

static void pass_bodies(stream *s, ff_crowd *crowd) {
    size_t n = crowd->bodies;
    pass(s, &crowd->now, sizeof crowd->now);
    pass(s, crowd->order, n * sizeof *crowd->order);
    pass(s, crowd->places, n * sizeof *crowd->places);
    pass(s, crowd->seen, n * sizeof *crowd->seen);
    pass(s, crowd->speeds, n * sizeof *crowd->speeds);
    pass(s, crowd->loads, n * sizeof *crowd->loads);
    pass(s, crowd->grains, n * sizeof *crowd->grains);
    pass(s, crowd->accounts, crowd->parts->class_count * sizeof *crowd->accounts);
}

static void pass_slots(stream *s, ff_slots *slots, size_t sections, size_t count) {
    pass(s, slots->bounds, (sections + 1) * sizeof *slots->bounds);
    pass(s, slots->a, count * sizeof *slots->a);
    pass(s, slots->b, count * sizeof *slots->b);
    pass(s, slots->touching, count * sizeof *slots->touching);
    pass(s, slots->memory, count * sizeof *slots->memory);
}

static size_t pass_all(stream *s, ff_crowd *crowd) {
    pass_bodies(s, crowd);
    pass_slots(s, &crowd->slots, crowd->slots.sections, crowd->slots.count);
    return s->at;
}

size_t ff_crowd_state_size(const ff_crowd *crowd) {
    return pass_all(&(stream){0}, (ff_crowd *)crowd);
}

void ff_crowd_save(const ff_crowd *crowd, void *state) {
    pass_all(&(stream){.to = state}, (ff_crowd *)crowd);
}

/* ---- validation of a restored state ---- */

/* Skips the next `size` bytes and returns them. */
static const char *skip(stream *s, size_t size) {
    const char *out = s->from + s->at;
    s->at += size;
    return out;
}

/* The bytes need not be aligned for doubles. */
static bool finite_bytes(const char *at, size_t size) {
    bool good = true;
    for (size_t i = 0; i < size; i += sizeof(double)) {
        double value;
        memcpy(&value, at + i, sizeof value);
        good = good && isfinite(value);
    }
    return good;
}

static bool valid_now(const ff_crowd_now *now) {
    return now->time >= 0 && isfinite(now->time) && now->step >= 0 && isfinite(now->step) &&
           now->drift >= 0 && isfinite(now->drift) && now->searches >= 0 &&
           now->searches <= LONG_MAX / 2 && now->contacts <= now->slot_count;
}

/* The model index of the body at i. */
static size_t number_at(const char *order, size_t i) {
    int32_t number;
    memcpy(&number, order + i * sizeof number, sizeof number);
    return (size_t)number;
}

/* Whether each body of the model occurs once. */
static bool valid_order(ff_crowd *crowd, const char *order) {
    bool good = true;
    memset(crowd->starts, 0, crowd->bodies * sizeof *crowd->starts);
    for (size_t i = 0; i < crowd->bodies && good; i++) {
        const size_t number = number_at(order, i);
        good = number < crowd->bodies && crowd->starts[number]++ == 0;
    }
    return good;
}

/* Whether positions are finite and radii are those of the model. */
static bool valid_places(const ff_crowd *crowd, const char *order, const char *at) {
    bool good = finite_bytes(at, crowd->bodies * sizeof(ff_place));
    for (size_t i = 0; i < crowd->bodies && good; i++, at += sizeof(ff_place)) {
        ff_place place;
        memcpy(&place, at, sizeof place);
        good = place.reach == crowd->parts->radius[number_at(order, i)];
    }
    return good;
}

/* Whether speeds are finite and radii are those of the model. */
static bool valid_speeds(const ff_crowd *crowd, const char *order, const char *at) {
    bool good = finite_bytes(at, crowd->bodies * sizeof(ff_speed));
    for (size_t i = 0; i < crowd->bodies && good; i++, at += sizeof(ff_speed)) {
        ff_speed speed;
        memcpy(&speed, at, sizeof speed);
        good = speed.r == crowd->parts->radius[number_at(order, i)];
    }
    return good;
}

/* Whether masses are those of the model and orientations have a nonzero length. */
static bool valid_grains(const ff_crowd *crowd, const char *order, const char *at) {
    bool good = finite_bytes(at, crowd->bodies * sizeof(ff_grain));
    for (size_t i = 0; i < crowd->bodies && good; i++, at += sizeof(ff_grain)) {
        ff_grain g;
        memcpy(&g, at, sizeof g);
        const double norm = g.q[0] * g.q[0] + ff_dot(g.q + 1, g.q + 1);
        const ff_model_body *body = &crowd->model->bodies[number_at(order, i)];
        good = norm > 0 && isfinite(norm) && g.per_mass == body->per_mass &&
               g.per_inertia == body->per_inertia[0][0];
    }
    return good;
}

static bool valid_bodies(ff_crowd *crowd, stream *s, const char **order) {
    const size_t n = crowd->bodies;
    skip(s, sizeof crowd->now);
    const char *o = *order = skip(s, n * sizeof *crowd->order);
    return valid_order(crowd, o) && valid_places(crowd, o, skip(s, n * sizeof *crowd->places)) &&
           valid_places(crowd, o, skip(s, n * sizeof *crowd->seen)) &&
           valid_speeds(crowd, o, skip(s, n * sizeof *crowd->speeds)) &&
           finite_bytes(skip(s, n * sizeof *crowd->loads), n * sizeof *crowd->loads) &&
           valid_grains(crowd, o, skip(s, n * sizeof *crowd->grains)) &&
           finite_bytes(skip(s, crowd->parts->class_count * sizeof *crowd->accounts),
                        crowd->parts->class_count * sizeof *crowd->accounts);
}

/* Whether a slot of this section can consist of these two. */
static bool valid_pair(const ff_crowd_model *parts, size_t bodies, size_t section,
                       const char *order, int32_t a, int32_t b) {
    const int class = (int)(section / (parts->wall_count + 1));
    const size_t wall = section % (parts->wall_count + 1);
    if (a < 0 || (size_t)a >= bodies) {
        return false;
    }
    const size_t kind = (size_t)parts->kind[number_at(order, (size_t)a)];
    if (wall > 0) {
        return b == (int32_t)wall - 1 &&
               parts->wall_class[kind * parts->wall_count + wall - 1] == class;
    }
    return b > a && (size_t)b < bodies &&
           parts->pair_class[kind * parts->kind_count +
                             (size_t)parts->kind[number_at(order, (size_t)b)]] == class;
}

/* Whether the slots `begin` to `end` of a section are sorted and consist of things that can meet. */
static bool valid_section(const ff_crowd *crowd, size_t section, size_t begin, size_t end,
                          const char *order, const char *as, const char *bs) {
    int32_t a, b, last_a = -1, last_b = -1;
    for (size_t i = begin; i < end; i++) {
        memcpy(&a, as + i * sizeof a, sizeof a);
        memcpy(&b, bs + i * sizeof b, sizeof b);
        if (!valid_pair(crowd->parts, crowd->bodies, section, order, a, b) ||
            !(a > last_a || (a == last_a && b > last_b))) {
            return false;
        }
        last_a = a;
        last_b = b;
    }
    return true;
}

/* Call after checking the bodies. Counts the chunks that the slots will be divided into. */
static bool valid_slots(const ff_crowd *crowd, stream *s, const char *order, size_t count,
                        size_t *chunks) {
    const ff_slots *slots = &crowd->slots;
    const size_t sections = slots->sections;
    const char *bounds = skip(s, (sections + 1) * sizeof *slots->bounds),
               *a = skip(s, count * sizeof *slots->a), *b = skip(s, count * sizeof *slots->b),
               *touching = skip(s, count * sizeof *slots->touching),
               *memory = skip(s, count * sizeof *slots->memory);
    size_t begin, end;
    memcpy(&begin, bounds, sizeof begin);
    bool good = begin == 0;
    *chunks = 0;
    for (size_t k = 0; k < sections && good; k++, begin = end) {
        memcpy(&end, bounds + (k + 1) * sizeof end, sizeof end);
        good = end >= begin && end <= count && valid_section(crowd, k, begin, end, order, a, b);
        *chunks += (end - begin + FF_CHUNK - 1) / FF_CHUNK;
    }
    for (size_t i = 0; i < count && good; i++) {
        good = (unsigned char)touching[i] <= 1;
    }
    return good && begin == count && finite_bytes(memory, count * sizeof *slots->memory);
}

ff_status ff_crowd_restore(ff_crowd *crowd, const void *state, size_t size) {
    ff_slots *next = &crowd->next;
    const size_t sections = crowd->slots.sections;
    stream fixed = {0}, s = {.from = state};
    pass_bodies(&fixed, crowd);
    pass_slots(&fixed, next, sections, 0);
    /* the number of slots determines the length */
    const size_t slot =
        sizeof *next->a + sizeof *next->b + sizeof *next->touching + sizeof *next->memory;
    ff_crowd_now now;
    if (size < fixed.at) {
        return FF_BAD_VALUE;
    }
    memcpy(&now, state, sizeof now);
    const size_t count = (size - fixed.at) / slot;
    size_t chunks;
    const char *order = NULL;
    if ((size - fixed.at) % slot != 0 || now.slot_count != count || !valid_now(&now) ||
        !valid_bodies(crowd, &s, &order) || !valid_slots(crowd, &s, order, count, &chunks)) {
        return FF_BAD_VALUE;
    }
    /* allocate all memory before anything changes */
    ff_status status = ff_crowd_make_room(crowd, count, chunks);
    if (status < 0) {
        return status;
    }
    s.at = 0;
    pass_bodies(&s, crowd);
    pass_slots(&s, next, sections, count);
    next->count = count;
    next->sections = sections;
    ff_crowd_take_next(crowd);
    crowd->fastest = INFINITY;
    crowd->weighed = false;
    ff_crowd_rank(crowd);
    ff_crowd_cut(crowd);
    ff_crowd_look(crowd);
    return FF_OK;
}
