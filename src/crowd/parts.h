/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* Internals of a crowd. Data of bodies are split by use: places for the search of contacts, speeds and loads for contacts,
 * the rest only for the motion of the body itself. */

#include "crowd.h"
#include "num/cells.h"
#include "pool.h"
#include <math.h>
#include <stdint.h>

/* All of them are rows of four numbers, a vector and one more: loops read and write whole rows and transpose four of them
 * into lanes (a quarter of the instructions of moving single numbers). */

typedef ff_ball ff_place; /* centre and radius */

typedef struct ff_speed {
    double v[3], r, w[3], spare; /* predicted for the end of a step; r as in ff_place */
} ff_speed;

typedef struct ff_load {
    double f[4], t[4]; /* the fourth components are unused */
} ff_load;

/* velocities are those at the middle of the last step (verlet), or at its end */
typedef struct ff_grain {
    double v[3], per_mass, w[3], per_inertia, q[4];
} ff_grain;

/* State of a contact: u and its rate, the state of the normal law, the level of the friction springs. */
typedef struct ff_memory {
    double u[3], inner, rate[3], level;
} ff_memory;

/* Slots: two bodies, or a body and a wall, that are close; sorted by (class, first, second). */
typedef struct ff_slots {
    size_t count, room, sections;
    size_t *bounds; /* bounds of sections: the slots of one class, of two bodies or with one wall */
    int32_t *a, *b;
    uint8_t *touching;
    ff_memory *memory;
} ff_slots;

enum { FF_CHUNK = 512 };

/* Slots of one class, and of one wall, that are processed together. */
typedef struct ff_chunk {
    int class, wall; /* wall -1: two bodies */
    size_t begin, end;
    int32_t low, high; /* range of the bodies in them */
    int32_t hold;      /* forces on bodies before this one are stored and added later */
    size_t active;     /* number and list of touching slots; their pushes start at `begin` */
    bool fresh;        /* one of them has just begun to touch */
    double power[FF_CONTACT_INTEGRALS];
    double regrade, created; /* energy that changes of level removed in this step, and created, J */
    double released;         /* energy released by contacts that have ended */
    double hardest;          /* square of the largest contact force, N^2 */
    int32_t list[FF_CHUNK + 4]; /* rounded up to rows of four */
} ff_chunk;

/* Consecutive chunks of the contacts between bodies that one thread evaluates in order, and the ranges of bodies that it
 * moves before they are needed: `first` to `last` - 1. Strands are evaluated side by side. Bodies of the first ranges, up to
 * `head`, are in contacts of the strand before too: they are moved before both begin, and forces of this strand on them, in
 * chunks before `border`, are added when both have ended, in the order of slots. */
typedef struct ff_strand {
    size_t from, border, end; /* chunks */
    size_t first, head, last; /* ranges of bodies */
    int32_t hold;             /* bodies before this one are in contacts of earlier strands */
    bool leads;               /* the first one of its section */
} ff_strand;

/* Force of a contact on its first body, and the moments of friction that are subtracted on both. */
typedef struct ff_push {
    double force[4], first[4], second[4]; /* the fourth components are unused */
} ff_push;

/* Many contacts at once, component by component. */
enum { FF_LANES = 64 }; /* contacts at once: all lanes together fit in a first-level cache */

typedef double ff_lane[FF_LANES];

typedef struct ff_lanes {
    /* gathered data: relative position and velocity of the first body, spins, radii, states */
    ff_lane d[3], dv[3], wa[3], wb[3], ra, rb;
    ff_lane u[3], before[3], before_rate[3], inner, level;
    /* geometry */
    ff_lane n[3], z, zdot, slip[3], turn[3], lever_a, lever_b;
    /* laws */
    ff_lane force, loss, rate, grade, ratio, load, grade_slope;
    ff_lane pull[3], u_rate[3], lift, damper, slip_loss, viscous, regrade;
    /* results: force on the first body, n x force */
    ff_lane push[3], twist[3];
} ff_lanes;

/* Energy accounts of a class: integrals, their last powers, and energy in springs that were cut off. */
typedef struct ff_account {
    double integral[FF_CONTACT_INTEGRALS], power[FF_CONTACT_INTEGRALS];
    double release, regrade, created;
} ff_account;

/* State of a crowd besides its arrays. */
typedef struct ff_crowd_now {
    double time, step; /* step: the last step, whose end has been reached except for velocities */
    double drift; /* upper bound of the distance of any body from its position at the last search */
    long searches;
    size_t slot_count, contacts;
} ff_crowd_now;

typedef struct ff_work ff_work;

struct ff_crowd {
    const ff_model *model;
    const ff_crowd_model *parts;
    double dt, skin;
    double
        reach; /* largest distance beyond z = 0 at which a law holds a contact: slots are found that much farther */
    bool verlet;
    double gravity[3];
    bool special; /* some bodies have applied forces or locks */
    ff_crowd_now now;
    size_t bodies;
    /* Bodies are stored in the order of cells, so that touching bodies are close in memory: the model index of each, and
     * the position of each body of the model. */
    int32_t *order, *rank;
    ff_place *places, *seen; /* seen: positions at the last search */
    ff_speed *speeds;
    ff_load *loads;
    ff_grain *grains;
    double *ways;    /* square of the largest displacement in each range of bodies in a step */
    double *pressed; /* sum of the normal forces on each body, N; valid only if `weighed` */
    bool weighed;
    /* Bounds for the displacements of the next step: largest speed (INFINITY: unknown) and contact force in this one, most
     * slots of one body, largest 1/mass, and largest acceleration without contacts. */
    double fastest, hardest, most_slots, most_per_mass, most_drive;
    ff_account *accounts;
    ff_slots slots, next;
    ff_chunk *chunks;
    size_t chunk_count, chunk_room;
    const ff_work *work;
    ff_lanes *scratch; /* one per thread */
    ff_push *pushes;   /* one per slot; only with threads */
    size_t push_room;
    ff_pool *pool; /* NULL: no threads */
    bool fetches;  /* prefetches while laws are evaluated: many bodies */
    ff_strand *strands;
    size_t strand_count;
    ff_cells cells;
    uint32_t *starts; /* scratch: one per body, and two more */
};

/* Part of the work of a step of h: moves ranges of bodies from `from` on, or processes chunks `from` to `end`, whose bodies
 * are distributed over `parts`. */
typedef struct ff_task {
    ff_crowd *crowd;
    double h;
    size_t from, end, parts;
    size_t moved;      /* number of ranges that have been moved */
    int32_t low, high; /* bodies of these chunks, `low` to `high` - 1 */
    /* chunks are processed one after the other: what the next one needs is prefetched, bodies up to `fetched` */
    bool fetches;
    size_t fetched;
} ff_task;

enum { FF_RANGE = 512 }; /* bodies that one thread moves at a time */

/* most strands of a section per thread: a late thread delays the others little */
enum { FF_STRANDS_EACH = 4 };

/* Number of ranges that the bodies before this one are in. */
static inline size_t ff_ranges(int32_t body) { return ((size_t)body + FF_RANGE - 1) / FF_RANGE; }

/* The loops for one instruction set. */
struct ff_work {
    /* determines which slots of a chunk touch; `fetched`: states of contacts have been prefetched */
    void (*look)(ff_crowd *crowd, ff_chunk *chunk, bool fetched);
    ff_part chunk, push, move; /* parts of an ff_task */
};

extern const ff_work ff_work_plain;
#if FF_X86
extern const ff_work ff_work_avx2;
extern const ff_work ff_work_avx512;
#endif

/* The loops for the widest instruction set of this machine. */
const ff_work *ff_work_best(void);

/* Accelerations of body i under its load. */
static inline void ff_accelerate(const ff_crowd *crowd, size_t i, double a[3], double alpha[3]) {
    const ff_grain *g = &crowd->grains[i];
    const ff_load *load = &crowd->loads[i];
    for (int c = 0; c < 3; c++) {
        a[c] = load->f[c] * g->per_mass + crowd->gravity[c];
        alpha[c] = load->t[c] * g->per_inertia;
    }
    if (crowd->special) {
        const double *push = crowd->parts->push + 3 * (size_t)crowd->order[i];
        unsigned locked = crowd->model->bodies[crowd->order[i]].locked;
        for (int c = 0; c < 3; c++) {
            a[c] = locked >> c & 1 ? 0 : a[c] + push[c] * g->per_mass;
            alpha[c] = locked >> (c + 3) & 1 ? 0 : alpha[c];
        }
    }
}

/* The depth of a contact. */
double ff_crowd_depth(const ff_crowd *crowd, const ff_chunk *chunk, size_t slot);
/* Memory aligned to a cache line; NULL if there is none. */
void *ff_crowd_alloc(size_t count, size_t size);
/* Allocates room for this many slots in crowd->next, for their bounds, and for `chunks` chunks. */
ff_status ff_crowd_make_room(ff_crowd *crowd, size_t slots, size_t chunks);
/* Replaces the slots by crowd->next; ff_crowd_cut() must follow. */
void ff_crowd_take_next(ff_crowd *crowd);
/* Reorders bodies, the one at from[i] to i, together with the touching slots; other slots are dropped, and
 * ff_crowd_search() must follow. FF_NO_MEMORY: nothing has changed. */
ff_status ff_crowd_reorder(ff_crowd *crowd, const int32_t *from);
/* Computes the position of each body of the model. */
void ff_crowd_rank(ff_crowd *crowd);
/* Divides the slots into chunks and counts the slots of bodies. */
ff_status ff_crowd_cut(ff_crowd *crowd);
/* Determines which slots touch, without treating any as new. */
void ff_crowd_look(ff_crowd *crowd);
/* Searches all slots again and keeps the states of contacts. */
ff_status ff_crowd_search(ff_crowd *crowd);
