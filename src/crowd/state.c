/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "parts.h"
#include <string.h>

/* A crowd as bytes: numbers first, then arrays of bodies, accounts, and slots with what they remember. Which slots
 * touch is told by places alone, so chunks are not in it. */

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
    pass(s, crowd->places, n * sizeof *crowd->places);
    pass(s, crowd->seen, n * sizeof *crowd->seen);
    pass(s, crowd->speeds, n * sizeof *crowd->speeds);
    pass(s, crowd->loads, n * sizeof *crowd->loads);
    pass(s, crowd->grains, n * sizeof *crowd->grains);
    pass(s, crowd->accounts, crowd->parts->class_count * sizeof *crowd->accounts);
}

static void pass_slots(stream *s, ff_crowd *crowd, size_t count) {
    ff_slots *slots = &crowd->slots;
    pass(s, slots->bounds, (slots->sections + 1) * sizeof *slots->bounds);
    pass(s, slots->a, count * sizeof *slots->a);
    pass(s, slots->b, count * sizeof *slots->b);
    pass(s, slots->touching, count * sizeof *slots->touching);
    pass(s, slots->memory, count * sizeof *slots->memory);
}

static size_t pass_all(stream *s, ff_crowd *crowd) {
    pass_bodies(s, crowd);
    pass_slots(s, crowd, crowd->slots.count);
    return s->at;
}

size_t ff_crowd_state_size(const ff_crowd *crowd) {
    return pass_all(&(stream){0}, (ff_crowd *)crowd);
}

void ff_crowd_save(const ff_crowd *crowd, void *state) {
    pass_all(&(stream){.to = state}, (ff_crowd *)crowd);
}

ff_status ff_crowd_restore(ff_crowd *crowd, const void *state, size_t size) {
    stream s = {.from = state};
    stream count = {0};
    pass_bodies(&count, crowd);
    if (size < count.at) {
        return FF_BAD_VALUE;
    }
    /* how many slots there are decides how long it is */
    ff_crowd_now now;
    memcpy(&now, state, sizeof now);
    pass_slots(&count, crowd, now.slot_count);
    if (size != count.at) {
        return FF_BAD_VALUE;
    }
    ff_status status = ff_crowd_make_room(crowd, now.slot_count);
    if (status < 0) {
        return status;
    }
    pass_bodies(&s, crowd);
    pass_slots(&s, crowd, now.slot_count);
    crowd->slots.count = now.slot_count;
    status = ff_crowd_cut(crowd);
    if (status == FF_OK) {
        ff_crowd_look(crowd);
    }
    return status;
}
