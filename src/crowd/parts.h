/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* A crowd from inside. Bodies are split by who reads them: places by the search for contacts, speeds and loads
 * by contacts, the rest by their own motion only. */

#include "crowd.h"
#include "lanes.h"
#include "pool.h"
#include <stdint.h>

typedef struct ff_place {
    double p[3], r;
} ff_place;

typedef struct ff_speed {
    double v[3], spare, w[3], spare2; /* predicted for the end of a step */
} ff_speed;

typedef struct ff_load {
    double f[3], spare, t[3], spare2;
} ff_load;

typedef struct ff_grain {
    double v[3], w[3], a[3], alpha[3], q[4], per_mass, per_inertia;
} ff_grain;

/* What a contact remembers. */
typedef struct ff_memory {
    double u[3], rate[3], inner, spare;
} ff_memory;

/* Slots: two bodies, or a body and a wall, that are close; sorted by (class, first, second). */
typedef struct ff_slots {
    size_t count, room, sections;
    size_t *bounds; /* of sections: those of one class, of bodies or with one wall */
    int32_t *a, *b;
    uint8_t *touching;
    ff_memory *memory;
} ff_slots;

enum { FF_CHUNK = 512 };

/* Slots of one class, and of one wall, that are worked on together. */
typedef struct ff_chunk {
    int class, wall; /* wall -1: two bodies */
    size_t begin, end;
    int32_t low, high; /* the range of bodies in them */
    size_t active;     /* how many touch, and which; their pushes are at `begin` */
    double power[FF_CONTACT_INTEGRALS], released;
    int32_t list[FF_CHUNK];
} ff_chunk;

/* What a contact does to its two bodies. */
typedef struct ff_push {
    double push[3], lever_a, twist[3], lever_b;
} ff_push;

/* What a class has given away: integrals, their last powers, and what was left in springs cut off. */
typedef struct ff_account {
    double integral[FF_CONTACT_INTEGRALS], power[FF_CONTACT_INTEGRALS], release;
} ff_account;

/* All numbers of a crowd that are not in arrays. */
typedef struct ff_crowd_now {
    double time, step; /* step: the one whose end has been reached but for velocities */
    long searches;
    size_t slot_count, contacts;
} ff_crowd_now;

struct ff_crowd {
    const ff_model *model;
    const ff_crowd_model *parts;
    double dt, skin, reach; /* reach: of the largest sphere */
    bool verlet;
    double gravity[3];
    bool special; /* some bodies are pushed or locked */
    ff_crowd_now now;
    size_t bodies;
    ff_place *places, *seen; /* seen: when slots were found last */
    ff_speed *speeds;
    ff_load *loads;
    ff_grain *grains;
    ff_account *accounts;
    ff_slots slots, next;
    ff_chunk *chunks;
    size_t chunk_count, chunk_room;
    const ff_lane_set *lanes;
    ff_lanes *scratch; /* one a thread */
    ff_push *pushes;   /* as many as slots; only where there are threads */
    size_t push_room;
    ff_pool *pool; /* NULL: no threads */
    /* of the search */
    uint64_t *keys;
    int32_t *order;
    uint32_t *starts;
    size_t buckets;
};

/* Room for so many slots in place of those that are there. */
ff_status ff_crowd_make_room(ff_crowd *crowd, size_t slots);
/* Cuts the slots into chunks. */
ff_status ff_crowd_cut(ff_crowd *crowd);
/* Finds which slots touch, without any of them being new. */
void ff_crowd_look(ff_crowd *crowd);
/* Finds all slots anew, and keeps what contacts remember. */
ff_status ff_crowd_search(ff_crowd *crowd);
