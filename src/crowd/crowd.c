/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#define _DEFAULT_SOURCE
#include "crowd.h"
#include "body/vector.h"
#include "flow/grid.h"
#include "ledger/ledger.h"
#include "num/memory.h"
#include "parts.h"
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* Skin as a fraction of the smallest radius: pairs closer than the skin have slots. A wider skin needs fewer searches but
 * more slots. */
#define SKIN 0.15

/* Least number of bodies for which prefetching pays off. 1,000 bodies with their contacts take 850 kB, fit in a
 * second-level cache, and would take 4 ns more per step each. */
enum { FETCH_LEAST = 8192 };

void ff_crowd_look(ff_crowd *crowd) {
    for (size_t i = 0; i < crowd->chunk_count; i++) {
        crowd->work->look(crowd, &crowd->chunks[i], false);
    }
}

static size_t range_count(const ff_crowd *crowd) {
    return (crowd->bodies + FF_RANGE - 1) / FF_RANGE;
}

static size_t larger(size_t a, size_t b) { return a > b ? a : b; }

/* Evaluates the chunks `from` to `end` one after the other, and moves bodies by t->h, in ranges from t->moved up to `last`,
 * shortly before their contacts: a body is read from memory once per step and is in a cache when its contacts are evaluated. */
static void follow(ff_task t, size_t from, size_t end, size_t last, int worker) {
    const ff_crowd *crowd = t.crowd;
    t.from = 0;
    t.end = end;
    for (size_t c = from; c < end; c++) {
        const size_t needed = ff_ranges(crowd->chunks[c].high + 1);
        for (; t.moved < needed && t.moved < last; t.moved++) {
            crowd->work->move(&t, t.moved, worker);
        }
        crowd->work->chunk(&t, c, worker);
    }
    for (; t.moved < last; t.moved++) {
        crowd->work->move(&t, t.moved, worker);
    }
}

/* ---- with threads ---- */

/* Moves the bodies that the contacts of two strands share. */
static void move_head(void *user, size_t index, int worker) {
    ff_task t = *(const ff_task *)user;
    const ff_strand *strand = &t.crowd->strands[t.from + index];
    t.from = 0;
    for (size_t i = larger(strand->first, t.moved); i < strand->head; i++) {
        t.crowd->work->move(&t, i, worker);
    }
}

static void follow_strand(void *user, size_t index, int worker) {
    ff_task t = *(const ff_task *)user;
    const ff_strand *strand = &t.crowd->strands[t.from + index];
    t.moved = larger(strand->head, t.moved);
    t.fetches = t.crowd->fetches;
    follow(t, strand->from, strand->end, strand->last, worker);
}

static void push_strand(void *user, size_t index, int worker) {
    ff_task t = *(const ff_task *)user;
    const ff_strand *strand = &t.crowd->strands[t.from + index];
    t.from = strand->from;
    t.end = strand->border;
    t.parts = 1;
    t.low = 0;
    t.high = INT32_MAX;
    t.crowd->work->push(&t, 0, worker);
}

/* Evaluates the strands of a section side by side, from strand t->from on. Returns the strand after the last one. */
static size_t sweep_strands(ff_task *t) {
    ff_crowd *crowd = t->crowd;
    size_t end = t->from + 1;
    while (end < crowd->strand_count && !crowd->strands[end].leads) {
        end++;
    }
    ff_pool_run(crowd->pool, move_head, t, end - t->from);
    ff_pool_run(crowd->pool, follow_strand, t, end - t->from);
    ff_pool_run(crowd->pool, push_strand, t, end - t->from);
    t->moved = larger(t->moved, crowd->strands[end - 1].last);
    return end;
}

/* Moves the bodies of the chunks t->from to t->end, evaluates these chunks in any order, and then adds all their forces. */
static void sweep_chunks(ff_task *t) {
    ff_crowd *crowd = t->crowd;
    const size_t begin = t->from;
    t->low = INT32_MAX;
    t->high = 0;
    for (size_t c = begin; c < t->end; c++) {
        const ff_chunk *chunk = &crowd->chunks[c];
        t->low = chunk->low < t->low ? chunk->low : t->low;
        t->high = chunk->high >= t->high ? chunk->high + 1 : t->high;
    }
    const size_t needed = ff_ranges(t->high);
    if (t->moved < needed) {
        t->from = t->moved;
        ff_pool_run(crowd->pool, crowd->work->move, t, needed - t->moved);
        t->moved = needed;
        t->from = begin;
    }
    ff_pool_run(crowd->pool, crowd->work->chunk, t, t->end - begin);
    ff_pool_run(crowd->pool, crowd->work->push, t, t->parts);
}

/* Chunks processed together, per thread: enough to keep the threads busy, and small enough for a cache. */
enum { TOGETHER = 32 };

static void sweep_shared(ff_task *t) {
    const ff_crowd *crowd = t->crowd;
    size_t strand = 0;
    for (size_t begin = 0; begin < crowd->chunk_count;) {
        const size_t next =
            strand < crowd->strand_count ? crowd->strands[strand].from : crowd->chunk_count;
        if (begin == next) {
            t->from = strand;
            strand = sweep_strands(t);
            begin = crowd->strands[strand - 1].end;
        } else {
            const size_t end = begin + TOGETHER * t->parts;
            t->from = begin;
            t->end = end < next ? end : next;
            sweep_chunks(t);
            begin = t->end;
        }
    }
    t->from = t->moved;
    ff_pool_run(crowd->pool, crowd->work->move, t, range_count(crowd) - t->moved);
}

/* Moves bodies by h, in ranges from `moved` on, and computes the forces of all contacts. A chunk is evaluated when all of its
 * bodies have moved, and forces on a body are added in the order of chunks, so that no sum depends on where bodies are moved
 * or on threads. */
static void sweep(ff_crowd *crowd, double h, size_t moved) {
    ff_task t = {
        .crowd = crowd, .h = h, .parts = (size_t)ff_pool_threads(crowd->pool), .moved = moved};
    if (crowd->pool) {
        sweep_shared(&t);
    } else {
        t.fetches = crowd->fetches;
        follow(t, 0, crowd->chunk_count, range_count(crowd), 0);
    }
}

/* Integrates the accounts up to the end of a step of h. */
static void book(ff_crowd *crowd, double h) {
    /* sum the powers at the end of the step by class, in the order of chunks */
    crowd->now.contacts = 0;
    crowd->hardest = 0;
    for (size_t c = 0; c < crowd->chunk_count; c++) {
        const double push = crowd->chunks[c].hardest;
        crowd->hardest = push <= crowd->hardest ? crowd->hardest : push;
    }
    for (size_t i = 0; i < crowd->parts->class_count; i++) {
        ff_account *account = &crowd->accounts[i];
        double power[FF_CONTACT_INTEGRALS] = {0};
        for (size_t c = 0; c < crowd->chunk_count; c++) {
            const ff_chunk *chunk = &crowd->chunks[c];
            for (int k = 0; k < FF_CONTACT_INTEGRALS && chunk->class == (int)i; k++) {
                power[k] += chunk->power[k];
            }
            account->release += chunk->class == (int)i ? chunk->released : 0;
            account->regrade += chunk->class == (int)i ? chunk->regrade : 0;
            account->created += chunk->class == (int)i ? chunk->created : 0;
            crowd->now.contacts += chunk->class == (int)i ? chunk->active : 0;
        }
        for (int k = 0; k < FF_CONTACT_INTEGRALS; k++) {
            account->integral[k] +=
                crowd->verlet ? h / 2 * (account->power[k] + power[k]) : h * account->power[k];
            account->power[k] = power[k];
        }
    }
}

/* ---- bodies ---- */

/* Adds the largest displacement in a step of h to the drift. NAN is kept. */
static void drift(ff_crowd *crowd, double h) {
    double most = 0;
    for (size_t i = 0; i < range_count(crowd); i++) {
        most = crowd->ways[i] <= most ? most : crowd->ways[i];
    }
    crowd->now.drift += sqrt(most);
    crowd->fastest = sqrt(most) / h;
}

/* Whether no body can leave the range of its slots in a step of h, for any loads. Velocities change by `more` a, where |a|
 * is at most that of the largest contact force in all slots of a body plus the acceleration without contacts. */
static bool stays(const ff_crowd *crowd, double h) {
    const double more = crowd->verlet ? crowd->now.step / 2 + h / 2 : h;
    const double most =
        sqrt(crowd->hardest) * crowd->most_slots * crowd->most_per_mass + crowd->most_drive;
    /* with an allowance for rounding */
    return (crowd->now.drift + h * (crowd->fastest + more * most)) * (1 + 1e-9) < crowd->skin / 2;
}

/* Whether a body may have left the range of its slots. The sum of the largest displacements usually decides; otherwise all
 * bodies are examined. */
static bool has_left(ff_crowd *crowd) {
    if (crowd->now.drift < crowd->skin / 2) {
        return false;
    }
    double most = 0;
    for (size_t i = 0; i < crowd->bodies; i++) {
        double off[3];
        ff_add_scaled(crowd->places[i].at, -1, crowd->seen[i].at, off);
        double way = ff_dot(off, off);
        most = way <= most ? most : way;
    }
    crowd->now.drift = sqrt(most);
    return !(crowd->now.drift < crowd->skin / 2);
}

ff_status ff_crowd_step(ff_crowd *crowd, double until) {
    double left = until - crowd->now.time, h = fmin(crowd->dt, left);
    if (!(h > 0)) {
        return FF_OK;
    }
    crowd->weighed = false;
    /* avoid a tiny remaining step */
    bool last = left <= crowd->dt * (1 + 1e-9);
    const double time = last ? until : ff_on_grid(crowd->now.time + h, crowd->dt);
    h = last ? left : h;
    /* if a search may be needed, all bodies are moved first */
    const bool together = stays(crowd, h);
    if (!together) {
        ff_task t = {.crowd = crowd, .h = h};
        ff_pool_run(crowd->pool, crowd->work->move, &t, range_count(crowd));
        drift(crowd, h);
    }
    crowd->now.time = time;
    if (!together && has_left(crowd)) {
        crowd->now.step = h;
        ff_status status = ff_crowd_search(crowd);
        if (status < 0) {
            return status;
        }
    }
    sweep(crowd, h, together ? 0 : range_count(crowd));
    if (together) {
        drift(crowd, h);
    }
    crowd->now.step = h;
    book(crowd, h);
    return FF_OK;
}

/* ---- construction ---- */

double ff_crowd_memory(double bodies) {
    double body = 2 * sizeof(ff_place) + sizeof(ff_speed) + sizeof(ff_load) + sizeof(ff_grain) +
                  sizeof(double);
    double cells = 2 * sizeof(int32_t) + sizeof(uint32_t) + ff_cells_memory(1, 3);
    double slot = 2 * (2 * sizeof(int32_t) + 1 + sizeof(ff_memory)) + sizeof(ff_push);
    /* per state: scale and marks; per body: kind, radius and applied force */
    double model = sizeof(ff_model_body) + FF_BODY_STRIDE * (sizeof(double) + sizeof(int) + 2) +
                   sizeof(int) + 7 * sizeof(double);
    /* about three slots per body: four if closely packed, two and fewer in flight */
    return bodies * (body + cells + 3 * slot + model);
}

/* Uses huge pages for large arrays if the system has them: a crowd reads all of its memory in every step. */
void *ff_crowd_alloc(size_t count, size_t size) {
    const size_t page = (size_t)2 << 20, bytes = count * size + 64;
    size_t unit = bytes > 2 * page ? page : 64;
    void *out = ff_aligned_alloc(unit, (bytes + unit - 1) / unit * unit);
#ifdef MADV_HUGEPAGE
    if (out && unit == page) {
        madvise(out, bytes / unit * unit, MADV_HUGEPAGE);
    }
#endif
    return out;
}

static ff_status start(ff_crowd *crowd) {
    const ff_model *model = crowd->model;
    double least = INFINITY;
    for (size_t i = 0; i < crowd->bodies; i++) {
        const ff_model_body *body = &model->bodies[i];
        ff_grain *g = &crowd->grains[i];
        *g = (ff_grain){.per_mass = body->per_mass, .per_inertia = body->per_inertia[0][0]};
        memcpy(g->v, body->start + FF_VEL, sizeof g->v);
        memcpy(g->w, body->start + FF_OMEGA, sizeof g->w);
        memcpy(g->q, body->start + FF_Q, sizeof g->q);
        memcpy(crowd->places[i].at, body->start + FF_P, sizeof crowd->places[i].at);
        crowd->places[i].reach = crowd->parts->radius[i];
        /* unused components are saved with the others */
        crowd->speeds[i] = (ff_speed){.r = crowd->places[i].reach};
        memcpy(crowd->speeds[i].v, g->v, sizeof g->v);
        memcpy(crowd->speeds[i].w, g->w, sizeof g->w);
        least = fmin(least, crowd->places[i].reach);
        crowd->order[i] = crowd->rank[i] = (int32_t)i;
    }
    memset(crowd->loads, 0, crowd->bodies * sizeof *crowd->loads);
    memcpy(crowd->seen, crowd->places, crowd->bodies * sizeof *crowd->seen);
    memcpy(crowd->gravity, model->gravity, sizeof crowd->gravity);
    crowd->special = model->force_count > 0;
    for (size_t i = 0; i < crowd->bodies; i++) {
        crowd->special = crowd->special || model->bodies[i].locked;
        const double per_mass = model->bodies[i].per_mass, *push = crowd->parts->push + 3 * i;
        crowd->most_per_mass = fmax(crowd->most_per_mass, per_mass);
        crowd->most_drive = fmax(crowd->most_drive, sqrt(ff_dot(crowd->gravity, crowd->gravity)) +
                                                        per_mass * sqrt(ff_dot(push, push)));
    }
    crowd->fastest = INFINITY;
    crowd->skin = SKIN * least;
    for (size_t i = 0; i < crowd->parts->class_count; i++) {
        crowd->reach = fmax(crowd->reach, crowd->parts->classes[i].reach);
    }
    ff_status status = ff_crowd_search(crowd);
    if (status == FF_OK) {
        sweep(crowd, 0, range_count(crowd));
        book(crowd, 0);
    }
    for (size_t i = 0; i < crowd->parts->class_count; i++) {
        /* contacts of the start were made before it */
        crowd->accounts[i].release = 0;
    }
    return status;
}

ff_status ff_crowd_create(const ff_model *model, const ff_run_options *options, ff_crowd **out) {
    ff_crowd *crowd = ff_calloc(1, sizeof *crowd);
    size_t n = model->body_count;
    if (!crowd) {
        return FF_NO_MEMORY;
    }
    crowd->model = model;
    crowd->parts = model->crowd;
    crowd->dt = options->dt;
    crowd->verlet = options->method == FF_VERLET;
    crowd->bodies = n;
    const int threads = options->threads > 0 ? options->threads : n < 2000 ? 1 : ff_cores();
    crowd->places = ff_crowd_alloc(n, sizeof *crowd->places);
    crowd->seen = ff_crowd_alloc(n, sizeof *crowd->seen);
    crowd->speeds = ff_crowd_alloc(n, sizeof *crowd->speeds);
    crowd->loads = ff_crowd_alloc(n, sizeof *crowd->loads);
    crowd->grains = ff_crowd_alloc(n, sizeof *crowd->grains);
    crowd->order = ff_crowd_alloc(n, sizeof *crowd->order);
    crowd->rank = ff_crowd_alloc(n, sizeof *crowd->rank);
    crowd->starts = ff_crowd_alloc(n + 2, sizeof *crowd->starts);
    crowd->ways = ff_crowd_alloc(n / FF_RANGE + 1, sizeof *crowd->ways);
    crowd->pressed = ff_crowd_alloc(n, sizeof *crowd->pressed);
    crowd->strands =
        ff_calloc(model->crowd->class_count * (FF_STRANDS_EACH + 1) * (size_t)threads + 1,
                  sizeof *crowd->strands);
    crowd->accounts = ff_calloc(model->crowd->class_count + 1, sizeof *crowd->accounts);
    crowd->work = ff_work_best();
    crowd->pool = threads > 1 ? ff_pool_create(threads) : NULL;
    crowd->fetches = n >= FETCH_LEAST;
    crowd->scratch = ff_crowd_alloc((size_t)threads, sizeof *crowd->scratch);
    if (crowd->scratch) {
        /* lanes beyond the last contact are computed as well */
        memset(crowd->scratch, 0, (size_t)threads * sizeof *crowd->scratch);
    }
    ff_status status = crowd->places && crowd->seen && crowd->ways && crowd->speeds &&
                               crowd->loads && crowd->grains && crowd->accounts && crowd->scratch &&
                               crowd->order && crowd->rank && crowd->starts && crowd->pressed &&
                               crowd->strands
                           ? start(crowd)
                           : FF_NO_MEMORY;
    if (status < 0) {
        ff_crowd_free(crowd);
        return status;
    }
    *out = crowd;
    return FF_OK;
}

static void free_slots(ff_slots *slots) {
    ff_free(slots->a);
    ff_free(slots->b);
    ff_free(slots->touching);
    ff_free(slots->memory);
    ff_free(slots->bounds);
}

void ff_crowd_free(ff_crowd *crowd) {
    if (!crowd) {
        return;
    }
    ff_pool_free(crowd->pool);
    free_slots(&crowd->slots);
    free_slots(&crowd->next);
    ff_free(crowd->places);
    ff_free(crowd->seen);
    ff_free(crowd->ways);
    ff_free(crowd->pressed);
    ff_free(crowd->speeds);
    ff_free(crowd->loads);
    ff_free(crowd->grains);
    ff_free(crowd->accounts);
    ff_free(crowd->chunks);
    ff_free(crowd->scratch);
    ff_free(crowd->pushes);
    ff_free(crowd->strands);
    ff_cells_clear(&crowd->cells);
    ff_free(crowd->order);
    ff_free(crowd->rank);
    ff_free(crowd->starts);
    ff_free(crowd);
}

/* ---- queries ---- */

double ff_crowd_time(const ff_crowd *crowd) { return crowd->now.time; }

size_t ff_crowd_contacts(const ff_crowd *crowd) { return crowd->now.contacts; }

long ff_crowd_searches(const ff_crowd *crowd) { return crowd->now.searches; }

int ff_crowd_threads(const ff_crowd *crowd) { return ff_pool_threads(crowd->pool); }

ff_motion ff_crowd_body(const ff_crowd *crowd, size_t body) {
    ff_motion out;
    double a[3], alpha[3];
    const size_t at = (size_t)crowd->rank[body];
    const double *q = crowd->grains[at].q;
    double norm = sqrt(q[0] * q[0] + ff_dot(q + 1, q + 1));
    memcpy(out.position, crowd->places[at].at, sizeof out.position);
    for (int c = 0; c < 4; c++) {
        out.orientation[c] = q[c] / norm;
    }
    /* complete the second half of the last verlet step */
    const ff_grain *g = &crowd->grains[at];
    const double half = crowd->verlet ? crowd->now.step / 2 : 0;
    ff_accelerate(crowd, at, a, alpha);
    for (int c = 0; c < 3; c++) {
        out.velocity[c] = g->v[c] + half * a[c];
        out.omega[c] = g->w[c] + half * alpha[c];
    }
    return out;
}

double ff_crowd_depth(const ff_crowd *crowd, const ff_chunk *chunk, size_t slot) {
    const ff_place *p = &crowd->places[crowd->slots.a[slot]];
    if (chunk->wall >= 0) {
        const ff_wall *wall = &crowd->parts->walls[chunk->wall];
        return p->reach + wall->level + wall->rise * crowd->now.time - ff_dot(p->at, wall->normal);
    }
    const ff_place *q = &crowd->places[crowd->slots.b[slot]];
    double d[3];
    ff_add_scaled(p->at, -1, q->at, d);
    return p->reach + q->reach - sqrt(ff_dot(d, d));
}

/* The depth rate of a contact, from the velocities used for the forces of the step; spins move the surfaces only
 * perpendicular to the normal. */
static double rate_of(const ff_crowd *crowd, const ff_chunk *chunk, size_t slot) {
    const size_t a = (size_t)crowd->slots.a[slot];
    double v[3], n[3];
    if (chunk->wall >= 0) {
        const ff_wall *wall = &crowd->parts->walls[chunk->wall];
        ff_add_scaled(crowd->speeds[a].v, -1, wall->skin, v);
        return -ff_dot(v, wall->normal);
    }
    const size_t b = (size_t)crowd->slots.b[slot];
    ff_add_scaled(crowd->speeds[a].v, -1, crowd->speeds[b].v, v);
    ff_add_scaled(crowd->places[a].at, -1, crowd->places[b].at, n);
    return -ff_dot(v, n) / sqrt(ff_dot(n, n));
}

static void weigh(ff_crowd *crowd) {
    memset(crowd->pressed, 0, crowd->bodies * sizeof *crowd->pressed);
    for (size_t c = 0; c < crowd->chunk_count; c++) {
        const ff_chunk *chunk = &crowd->chunks[c];
        const ff_normal *law = &crowd->parts->classes[chunk->class].law;
        for (size_t i = 0; i < chunk->active; i++) {
            const size_t slot = chunk->begin + (size_t)chunk->list[i];
            const double force =
                ff_normal_at(law, ff_crowd_depth(crowd, chunk, slot), rate_of(crowd, chunk, slot),
                             &crowd->slots.memory[slot].inner, NULL)
                    .force;
            crowd->pressed[crowd->slots.a[slot]] += force;
            if (chunk->wall < 0) {
                crowd->pressed[crowd->slots.b[slot]] += force;
            }
        }
    }
    crowd->weighed = true;
}

double ff_crowd_normal_force(ff_crowd *crowd, size_t body) {
    if (!crowd->weighed) {
        weigh(crowd);
    }
    return crowd->pressed[crowd->rank[body]];
}

static void add_stored(const ff_crowd *crowd, const ff_chunk *chunk, ff_ledger *out) {
    const ff_class *class = &crowd->parts->classes[chunk->class];
    const ff_friction *friction = &class->friction;
    for (size_t i = 0; i < chunk->active; i++) {
        size_t slot = chunk->begin + (size_t)chunk->list[i];
        const ff_memory *m = &crowd->slots.memory[slot];
        double z = ff_crowd_depth(crowd, chunk, slot);
        out->normal_spring += ff_normal_stored(&class->law, z, 0, &m->inner);
        if (class->slides && friction->vectors > 0) {
            out->tangential_spring += friction->law->stored(friction, m->level, m->u);
        }
    }
}

ff_ledger ff_crowd_class_ledger(const ff_crowd *crowd, size_t index) {
    const ff_account *account = &crowd->accounts[index];
    ff_ledger out = {0};
    for (size_t c = 0; c < crowd->chunk_count; c++) {
        if (crowd->chunks[c].class == (int)index) {
            add_stored(crowd, &crowd->chunks[c], &out);
        }
    }
    out.normal_damper = account->integral[FF_NORMAL_DAMPER];
    out.tangential_damper = account->integral[FF_TANGENTIAL_DAMPER];
    out.slip = account->integral[FF_SLIP_LOSS];
    out.viscous = account->integral[FF_VISCOUS];
    out.regrade = account->regrade;
    out.created = account->created;
    out.release = account->release;
    out.external = account->integral[FF_PLANE_WORK];
    return out;
}

ff_ledger ff_crowd_ledger(const ff_crowd *crowd, double *held) {
    ff_ledger out = {0};
    for (size_t i = 0; i < crowd->parts->class_count; i++) {
        ff_ledger part = ff_crowd_class_ledger(crowd, i);
#define ADD(name) out.name += part.name;
        FF_LEDGER_LIST(ADD)
#undef ADD
        if (held) {
            held[i] = ff_ledger_sum(&part);
        }
    }
    const double grounds = out.external;
    for (size_t i = 0; i < crowd->bodies; i++) {
        const ff_model_body *body = &crowd->model->bodies[i];
        ff_motion m = ff_crowd_body(crowd, i);
        const double *push = crowd->parts->push + 3 * i;
        out.kinetic += 0.5 * (body->mass * ff_dot(m.velocity, m.velocity) +
                              body->inertia[0][0] * ff_dot(m.omega, m.omega));
        *(body->moves ? &out.gravity : &out.initial) -=
            body->mass * ff_dot(crowd->model->gravity, m.position);
        /* the work of a constant force depends only on the displacement */
        out.external -= ff_dot(push, m.position) - ff_dot(push, body->start + FF_P);
    }
    if (held) {
        double *other = held + crowd->parts->class_count;
        memset(other, 0, FF_PARTIES * sizeof *other);
        other[FF_PARTY_APPLIED] = out.external - grounds;
    }
    return out;
}
