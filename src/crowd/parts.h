/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* A crowd from inside. Bodies are split by who reads them: places by the search for contacts, speeds and loads
 * by contacts, the rest by their own motion only. */

#include "crowd.h"
#include "num/cells.h"
#include "pool.h"
#include <math.h>
#include <stdint.h>

/* All of them are rows of four numbers, three of a vector and one besides: loops read and write whole rows, and turn
 * four of them into lanes at once (a quarter of the instructions of moving numbers one by one). */

typedef ff_ball ff_place; /* centre and radius */

typedef struct ff_speed {
    double v[3], r, w[3], spare; /* predicted for the end of a step; r as in its place */
} ff_speed;

typedef struct ff_load {
    double f[4], t[4]; /* the fourth ones are spare */
} ff_load;

/* velocities are those at the middle of the last step (verlet), or at its end */
typedef struct ff_grain {
    double v[3], per_mass, w[3], per_inertia, q[4];
} ff_grain;

/* What a contact remembers: u and its rate, the state of the normal law, the level of the springs of friction. */
typedef struct ff_memory {
    double u[3], inner, rate[3], level;
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
    bool fresh;        /* one of them has not touched before */
    double power[FF_CONTACT_INTEGRALS];
    double regrade, created;    /* J: what changes of level took away in this step, and made */
    double released;            /* by contacts that have ended */
    double hardest;             /* the greatest push of a contact, squared, N^2 */
    int32_t list[FF_CHUNK + 4]; /* and as many more as make rows of four */
} ff_chunk;

/* What a contact does to its two bodies. */
typedef struct ff_push {
    double push[4], twist[4]; /* the fourth ones are the levers */
} ff_push;

/* Many contacts at once, component by component. */
enum { FF_LANES = 64 }; /* contacts at once: all lanes together fit into a first-level cache */

typedef double ff_lane[FF_LANES];

typedef struct ff_lanes {
    /* gathered: place and velocity of the first against the second, spins, radii, states */
    ff_lane d[3], dv[3], wa[3], wb[3], ra, rb;
    ff_lane u[3], before[3], before_rate[3], inner, level;
    /* geometry */
    ff_lane n[3], z, zdot, slip[3], turn[3], lever_a, lever_b;
    /* laws */
    ff_lane force, loss, rate, grade, ratio, load, grade_slope;
    ff_lane pull[3], u_rate[3], lift, damper, slip_loss, viscous, regrade;
    /* what goes back: push on the first, n x push */
    ff_lane push[3], twist[3];
} ff_lanes;

/* What a class has given away: integrals, their last powers, and what was left in springs cut off. */
typedef struct ff_account {
    double integral[FF_CONTACT_INTEGRALS], power[FF_CONTACT_INTEGRALS];
    double release, regrade, created;
} ff_account;

/* All numbers of a crowd that are not in arrays. */
typedef struct ff_crowd_now {
    double time, step; /* step: the one whose end has been reached but for velocities */
    double drift;      /* how far any body may be from where slots were found, at most */
    long searches;
    size_t slot_count, contacts;
} ff_crowd_now;

typedef struct ff_work ff_work;

struct ff_crowd {
    const ff_model *model;
    const ff_crowd_model *parts;
    double dt, skin;
    bool verlet;
    double gravity[3];
    bool special; /* some bodies are pushed or locked */
    ff_crowd_now now;
    size_t bodies;
    /* Bodies are in the order of cells, so that those that touch lie close to each other in memory: the number in the model
     * of each, and where each of the model is. */
    int32_t *order, *rank;
    ff_place *places, *seen; /* seen: when slots were found last */
    ff_speed *speeds;
    ff_load *loads;
    ff_grain *grains;
    double *ways;    /* the longest way of each range of bodies in a step, squared */
    double *pressed; /* sum of the normal forces on each body, N; only where `weighed` */
    bool weighed;
    /* What bounds the ways of the next step: the greatest speed (INFINITY: not known) and push of a contact in this one,
     * slots of one body, 1/mass, and acceleration without contacts. */
    double fastest, hardest, most_slots, most_per_mass, most_drive;
    ff_account *accounts;
    ff_slots slots, next;
    ff_chunk *chunks;
    size_t chunk_count, chunk_room;
    const ff_work *work;
    ff_lanes *scratch; /* one a thread */
    ff_push *pushes;   /* as many as slots; only where there are threads */
    size_t push_room;
    ff_pool *pool; /* NULL: no threads */
    ff_cells cells;
    uint32_t *starts; /* scratch: one a body, and two more */
};

/* Part of the work of one step, of h: ranges of bodies from `from` on are moved, or chunks from `from` to `end` worked on,
 * whose bodies are shared out in `parts`. */
typedef struct ff_task {
    ff_crowd *crowd;
    double h;
    size_t from, end, parts;
    int32_t low, high; /* bodies of these chunks, from `low` to before `high` */
} ff_task;

enum { FF_RANGE = 512 }; /* bodies that one thread moves at a time */

/* The loops, for one instruction set. */
struct ff_work {
    void (*look)(ff_crowd *crowd, ff_chunk *chunk); /* which slots of a chunk touch */
    ff_part chunk, push, move;                      /* parts of an ff_task */
};

extern const ff_work ff_work_plain;
#if FF_X86
extern const ff_work ff_work_avx2;
extern const ff_work ff_work_avx512;
#endif

/* The widest one this machine can run. */
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

/* Memory that starts at a cache line; NULL where there is none. */
void *ff_crowd_alloc(size_t count, size_t size);
/* Room for so many slots in crowd->next, for their bounds, and for `chunks` chunks. */
ff_status ff_crowd_make_room(ff_crowd *crowd, size_t slots, size_t chunks);
/* crowd->next takes the place of the slots that are there; then ff_crowd_cut() is needed. */
void ff_crowd_take_next(ff_crowd *crowd);
/* Puts bodies into another order, the one at from[i] to i, and the slots that touch with them; others are gone, and
 * ff_crowd_search() is needed. FF_NO_MEMORY: nothing has changed. */
ff_status ff_crowd_reorder(ff_crowd *crowd, const int32_t *from);
/* Finds where each body of the model is. */
void ff_crowd_rank(ff_crowd *crowd);
/* Cuts the slots into chunks, and counts the slots of bodies. */
ff_status ff_crowd_cut(ff_crowd *crowd);
/* Finds which slots touch, without any of them being new. */
void ff_crowd_look(ff_crowd *crowd);
/* Finds all slots anew, and keeps what contacts remember. */
ff_status ff_crowd_search(ff_crowd *crowd);
