/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "crowd.h"
#include "body/vector.h"
#include "parts.h"
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* slots hold what is nearer than this part of the smallest radius: wider ones are found anew less often,
 * and looked through longer */
#define SKIN 0.15
/* bodies that one thread moves at a time */
enum { RANGE = 512 };

/* ---- contacts ---- */

static ff_level level_of(const ff_friction *law) {
    return law->beta > 0                          ? FF_LEVEL_ONE
           : law->damping > 0 && law->law->events ? FF_LEVEL_GRADE
                                                  : FF_LEVEL_LOAD;
}

/* What is left in a tangential spring when z is back at 0: its grade and load are gone, so only one that
 * depends on neither has any. */
static double left_over(const ff_class *class, const ff_memory *memory) {
    const ff_friction *law = &class->friction;
    bool stores = class->slides && law->law->inner && level_of(law) == FF_LEVEL_ONE;
    return stores ? law->k / 2 * ff_dot(memory->u, memory->u) : 0;
}

/* A contact has ended: it forgets. */
static void leave(ff_crowd *crowd, ff_chunk *chunk, size_t slot) {
    chunk->released += left_over(&crowd->parts->classes[chunk->class], &crowd->slots.memory[slot]);
    crowd->slots.memory[slot] = (ff_memory){0};
}

/* Which slots of a chunk touch. */
static void look(ff_crowd *crowd, ff_chunk *chunk) {
    const int32_t *a = crowd->slots.a, *b = crowd->slots.b;
    uint8_t *touching = crowd->slots.touching;
    const ff_place *places = crowd->places;
    size_t active = 0;
    chunk->released = 0;
    if (chunk->wall >= 0) {
        const ff_wall *wall = &crowd->parts->walls[chunk->wall];
        double level = wall->level + wall->rise * crowd->now.time;
        for (size_t s = chunk->begin; s < chunk->end; s++) {
            const ff_place *p = &places[a[s]];
            bool now = p->r + level - ff_dot(p->p, wall->normal) > 0;
            if (touching[s] && !now) {
                leave(crowd, chunk, s);
            }
            touching[s] = (uint8_t)(now ? touching[s] : 0);
            chunk->list[active] = (int32_t)(s - chunk->begin);
            active += now;
        }
    } else {
        for (size_t s = chunk->begin; s < chunk->end; s++) {
            const ff_place *p = &places[a[s]], *q = &places[b[s]];
            double x = p->p[0] - q->p[0], y = p->p[1] - q->p[1], z = p->p[2] - q->p[2],
                   reach = p->r + q->r;
            bool now = x * x + y * y + z * z < reach * reach;
            if (touching[s] && !now) {
                leave(crowd, chunk, s);
                touching[s] = 0;
            }
            chunk->list[active] = (int32_t)(s - chunk->begin);
            active += now;
        }
    }
    chunk->active = active;
}

void ff_crowd_look(ff_crowd *crowd) {
    for (size_t i = 0; i < crowd->chunk_count; i++) {
        look(crowd, &crowd->chunks[i]);
    }
}

/* Place and velocity of two spheres against each other. */
static void gather(const ff_crowd *crowd, const ff_chunk *chunk, const int32_t *list, size_t count,
                   ff_lanes *l) {
    for (size_t i = 0; i < count; i++) {
        size_t s = chunk->begin + (size_t)list[i];
        int32_t a = crowd->slots.a[s], b = crowd->slots.b[s];
        const ff_place *p = &crowd->places[a], *q = &crowd->places[b];
        const ff_speed *v = &crowd->speeds[a], *w = &crowd->speeds[b];
        for (int c = 0; c < 3; c++) {
            l->d[c][i] = p->p[c] - q->p[c];
            l->dv[c][i] = v->v[c] - w->v[c];
            l->wa[c][i] = v->w[c];
            l->wb[c][i] = w->w[c];
        }
        l->ra[i] = p->r;
        l->rb[i] = q->r;
    }
}

/* A sphere on a wall: the force acts at the bottom of the undeformed sphere. */
static void gather_wall(const ff_crowd *crowd, const ff_chunk *chunk, const int32_t *list,
                        size_t count, ff_lanes *l) {
    const ff_wall *wall = &crowd->parts->walls[chunk->wall];
    double level = wall->level + wall->rise * crowd->now.time;
    for (size_t i = 0; i < count; i++) {
        int32_t a = crowd->slots.a[chunk->begin + (size_t)list[i]];
        const ff_place *p = &crowd->places[a];
        const ff_speed *s = &crowd->speeds[a];
        double arm[3], v[3];
        for (int c = 0; c < 3; c++) {
            arm[c] = -p->r * wall->normal[c];
            l->n[c][i] = wall->normal[c];
            l->turn[c][i] = 0;
        }
        ff_cross(s->w, arm, v);
        for (int c = 0; c < 3; c++) {
            v[c] += s->v[c] - wall->skin[c];
        }
        double along = ff_dot(v, wall->normal);
        l->z[i] = p->r + level - ff_dot(p->p, wall->normal);
        l->zdot[i] = -along;
        for (int c = 0; c < 3; c++) {
            l->slip[c][i] = v[c] - along * wall->normal[c];
        }
        l->lever_a[i] = p->r;
        l->lever_b[i] = 0;
    }
}

/* What contacts remember: u is predicted for the end of the step; one that begins latches its speed. */
static void recall(ff_crowd *crowd, const ff_chunk *chunk, const int32_t *list, size_t count,
                   double h, ff_lanes *l) {
    const ff_normal *law = &crowd->parts->classes[chunk->class].law;
    for (size_t i = 0; i < count; i++) {
        size_t s = chunk->begin + (size_t)list[i];
        ff_memory *m = &crowd->slots.memory[s];
        if (!crowd->slots.touching[s]) {
            m->inner = ff_normal_touch(law, l->zdot[i], m->inner);
            crowd->slots.touching[s] = 1;
        }
        l->inner[i] = m->inner;
        for (int c = 0; c < 3; c++) {
            l->u[c][i] = m->u[c] + h * m->rate[c];
        }
    }
}

static void apply_laws(const ff_lane_set *lanes, const ff_class *class, size_t count, ff_lanes *l) {
    class->law.kernels->respond(&class->law, &(ff_normal_batch){.count = count,
                                                                .z = l->z,
                                                                .zdot = l->zdot,
                                                                .inner = l->inner,
                                                                .force = l->force,
                                                                .loss = l->loss,
                                                                .rate = l->rate,
                                                                .grade = l->grade,
                                                                .ratio = l->ratio});
    if (!class->slides) {
        return;
    }
    lanes->weigh(l, count);
    const ff_friction *law = &class->friction;
    for (size_t i = 0; law->passive && i < count; i++) {
        double depth = fmax(l->z[i], FF_DEPTH_FLOOR);
        l->grade_slope[i] = (class->law.n - 1) * pow(depth, class->law.n - 2);
    }
    law->kernels->respond(law,
                          &(ff_friction_batch){.count = count,
                                               .stride = FF_LANES,
                                               .load = l->load,
                                               .grade = l->grade,
                                               .ratio = l->ratio,
                                               .grade_slope = law->passive ? l->grade_slope : NULL,
                                               .v = l->slip[0],
                                               .u = l->u[0],
                                               .force = l->pull[0],
                                               .rate = l->u_rate[0],
                                               .lift = l->lift,
                                               .damper = l->damper,
                                               .clutch = l->clutch,
                                               .viscous = l->viscous});
}

/* u by the mean of its rates at both ends of the step (verlet), or by the one at its start */
static void remember(ff_crowd *crowd, const ff_chunk *chunk, const int32_t *list, size_t count,
                     double h, const ff_lanes *l) {
    for (size_t i = 0; i < count; i++) {
        ff_memory *m = &crowd->slots.memory[chunk->begin + (size_t)list[i]];
        for (int c = 0; c < 3; c++) {
            m->u[c] += crowd->verlet ? h / 2 * (m->rate[c] + l->u_rate[c][i]) : h * m->rate[c];
            m->rate[c] = l->u_rate[c][i];
        }
    }
}

/* The powers of a chunk, summed in the order of its slots. */
static void sum_powers(const ff_crowd *crowd, ff_chunk *chunk, size_t count, const ff_lanes *l) {
    double *p = chunk->power;
    const ff_class *class = &crowd->parts->classes[chunk->class];
    for (size_t i = 0; i < count; i++) {
        p[FF_NORMAL_DAMPER] += l->loss[i];
    }
    for (size_t i = 0; class->slides && i < count; i++) {
        p[FF_TANGENTIAL_DAMPER] += l->damper[i];
        p[FF_CLUTCH] += l->clutch[i];
        p[FF_VISCOUS] += l->viscous[i];
    }
    for (size_t i = 0; class->slides && class->friction.law->inner && i < count; i++) {
        p[FF_SPRING_WORK] += l->spring_work[i];
    }
    if (chunk->wall >= 0) {
        const double *skin = crowd->parts->walls[chunk->wall].skin;
        for (size_t i = 0; i < count; i++) {
            p[FF_PLANE_WORK] -=
                l->push[0][i] * skin[0] + l->push[1][i] * skin[1] + l->push[2][i] * skin[2];
        }
    }
}

static inline void push_body(ff_load *load, double sign, const double push[3], double lever,
                             const double twist[3]) {
    for (int c = 0; c < 3; c++) {
        load->f[c] += sign * push[c];
        load->t[c] -= lever * twist[c];
    }
}

static void push_both(ff_crowd *crowd, const ff_chunk *chunk, size_t slot, const ff_push *p) {
    push_body(&crowd->loads[crowd->slots.a[slot]], 1, p->push, p->lever_a, p->twist);
    if (chunk->wall < 0) {
        push_body(&crowd->loads[crowd->slots.b[slot]], -1, p->push, p->lever_b, p->twist);
    }
}

typedef struct {
    ff_crowd *crowd;
    double h;
    size_t parts;
    atomic_bool moved; /* a body has left the reach of its slots */
} task;

static void work_chunk(void *user, size_t index, int worker) {
    const task *t = user;
    ff_crowd *crowd = t->crowd;
    ff_chunk *chunk = &crowd->chunks[index];
    const ff_class *class = &crowd->parts->classes[chunk->class];
    ff_lanes *l = &crowd->scratch[worker];
    look(crowd, chunk);
    memset(chunk->power, 0, sizeof chunk->power);
    for (size_t from = 0; from < chunk->active; from += FF_LANES) {
        const int32_t *list = chunk->list + from;
        size_t count = chunk->active - from < FF_LANES ? chunk->active - from : FF_LANES;
        if (chunk->wall >= 0) {
            gather_wall(crowd, chunk, list, count, l);
        } else {
            gather(crowd, chunk, list, count, l);
            crowd->lanes->touch(l, count);
        }
        recall(crowd, chunk, list, count, crowd->verlet ? t->h : 0, l);
        apply_laws(crowd->lanes, class, count, l);
        crowd->lanes->answer(l, count, class->slides, class->friction.k,
                             level_of(&class->friction));
        if (class->slides && class->friction.law->inner) {
            remember(crowd, chunk, list, count, t->h, l);
        }
        sum_powers(crowd, chunk, count, l);
        for (size_t i = 0; i < count; i++) {
            ff_push p = {{l->push[0][i], l->push[1][i], l->push[2][i]},
                         l->lever_a[i],
                         {l->twist[0][i], l->twist[1][i], l->twist[2][i]},
                         l->lever_b[i]};
            if (crowd->pool) {
                crowd->pushes[chunk->begin + from + i] = p;
            } else {
                push_both(crowd, chunk, chunk->begin + (size_t)list[i], &p);
            }
        }
    }
}

/* With threads each one pushes a range of bodies, in the order of slots, as one thread would. */
static void push_range(void *user, size_t index, int worker) {
    const task *t = user;
    ff_crowd *crowd = t->crowd;
    int32_t low = (int32_t)(index * crowd->bodies / t->parts),
            high = (int32_t)((index + 1) * crowd->bodies / t->parts);
    (void)worker;
    for (size_t c = 0; c < crowd->chunk_count; c++) {
        const ff_chunk *chunk = &crowd->chunks[c];
        for (size_t i = 0; chunk->low < high && chunk->high >= low && i < chunk->active; i++) {
            const ff_push *p = &crowd->pushes[chunk->begin + i];
            size_t s = chunk->begin + (size_t)chunk->list[i];
            int32_t a = crowd->slots.a[s], b = crowd->slots.b[s];
            if (a >= low && a < high) {
                push_body(&crowd->loads[a], 1, p->push, p->lever_a, p->twist);
            }
            if (chunk->wall < 0 && b >= low && b < high) {
                push_body(&crowd->loads[b], -1, p->push, p->lever_b, p->twist);
            }
        }
    }
}

/* Forces of all contacts at the end of a step of h, and the accounts up to there. */
static void evaluate(ff_crowd *crowd, double h) {
    task t = {.crowd = crowd, .h = h, .parts = (size_t)ff_pool_threads(crowd->pool)};
    ff_pool_run(crowd->pool, work_chunk, &t, crowd->chunk_count);
    if (crowd->pool) {
        ff_pool_run(crowd->pool, push_range, &t, t.parts);
    }
    /* powers at the end of the step, class by class in the order of chunks */
    crowd->now.contacts = 0;
    for (size_t i = 0; i < crowd->parts->class_count; i++) {
        ff_account *account = &crowd->accounts[i];
        double power[FF_CONTACT_INTEGRALS] = {0};
        for (size_t c = 0; c < crowd->chunk_count; c++) {
            const ff_chunk *chunk = &crowd->chunks[c];
            for (int k = 0; k < FF_CONTACT_INTEGRALS && chunk->class == (int)i; k++) {
                power[k] += chunk->power[k];
            }
            account->release += chunk->class == (int)i ? chunk->released : 0;
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

/* Accelerations of body i under its load. */
static inline void accelerate(const ff_crowd *crowd, size_t i, double a[3], double alpha[3]) {
    const ff_grain *g = &crowd->grains[i];
    const ff_load *load = &crowd->loads[i];
    for (int c = 0; c < 3; c++) {
        a[c] = load->f[c] * g->per_mass + crowd->gravity[c];
        alpha[c] = load->t[c] * g->per_inertia;
    }
    if (crowd->special) {
        const double *push = crowd->parts->push + 6 * i;
        unsigned locked = crowd->model->bodies[i].locked;
        for (int c = 0; c < 3; c++) {
            a[c] = locked >> c & 1 ? 0 : a[c] + push[c] * g->per_mass;
            alpha[c] = locked >> (c + 3) & 1 ? 0 : alpha[c] + push[3 + c] * g->per_inertia;
        }
    }
}

/* q turned by w over h, to order 2: with q' = W q and W^2 = -|w|^2/4 */
static inline void turn(double q[4], const double w[3], double h) {
    double a = q[0], b = q[1], c = q[2], d = q[3], part = h / 2;
    double x = part * w[0], y = part * w[1], z = part * w[2];
    double keep = 1 - (x * x + y * y + z * z) / 2;
    q[0] = keep * a - (x * b + y * c + z * d);
    q[1] = keep * b + (x * a + y * d - z * c);
    q[2] = keep * c + (y * a + z * b - x * d);
    q[3] = keep * d + (z * a + x * c - y * b);
}

/* One body: its last step is finished, which verlet leaves open until the forces at its end are known, and the
 * next one begins, by h, with velocities predicted for its end. Returns how far it is from where it
 * was seen, squared. */
static inline double move_body(ff_crowd *crowd, size_t i, double half, double h, bool verlet) {
    ff_grain *g = &crowd->grains[i];
    ff_place *place = &crowd->places[i];
    ff_speed *speed = &crowd->speeds[i];
    double a[3], alpha[3], middle[3], way = 0;
    accelerate(crowd, i, a, alpha);
    for (int c = 0; c < 3; c++) {
        double v = g->v[c], w = g->w[c];
        if (verlet) {
            v += half * (g->a[c] + a[c]);
            w += half * (g->alpha[c] + alpha[c]);
        }
        double later = v + h * a[c], spin = w + h * alpha[c];
        g->v[c] = verlet ? v : later;
        g->w[c] = verlet ? w : spin;
        g->a[c] = a[c];
        g->alpha[c] = alpha[c];
        speed->v[c] = later;
        speed->w[c] = spin;
        middle[c] = verlet ? (w + spin) / 2 : spin;
        place->p[c] += verlet ? h / 2 * (v + later) : h * later;
        double off = place->p[c] - crowd->seen[i].p[c];
        way += off * off;
    }
    turn(g->q, middle, h);
    crowd->loads[i] = (ff_load){0};
    return way;
}

static void move_range(void *user, size_t index, int worker) {
    task *t = user;
    ff_crowd *crowd = t->crowd;
    const double half = crowd->now.step / 2, free = crowd->skin * crowd->skin / 4;
    size_t end = (index + 1) * RANGE < crowd->bodies ? (index + 1) * RANGE : crowd->bodies;
    bool moved = false;
    (void)worker;
    for (size_t i = index * RANGE; i < end; i++) {
        double way = crowd->verlet ? move_body(crowd, i, half, t->h, true)
                                   : move_body(crowd, i, half, t->h, false);
        /* a NAN counts as moved */
        moved = moved || !(way < free);
    }
    if (moved) {
        atomic_store_explicit(&t->moved, true, memory_order_relaxed);
    }
}

ff_status ff_crowd_step(ff_crowd *crowd, double until) {
    double left = until - crowd->now.time, h = fmin(crowd->dt, left);
    if (!(h > 0)) {
        return FF_OK;
    }
    /* what is left of the way is no step of its own */
    bool last = left <= crowd->dt * (1 + 1e-9);
    task t = {.crowd = crowd, .h = last ? left : h};
    ff_pool_run(crowd->pool, move_range, &t, (crowd->bodies + RANGE - 1) / RANGE);
    crowd->now.time = last ? until : crowd->now.time + h;
    crowd->now.step = t.h;
    if (t.moved) {
        ff_status status = ff_crowd_search(crowd);
        if (status < 0) {
            return status;
        }
    }
    evaluate(crowd, t.h);
    return FF_OK;
}

/* ---- making ---- */

double ff_crowd_memory(double bodies) {
    double body = 2 * sizeof(ff_place) + sizeof(ff_speed) + sizeof(ff_load) + sizeof(ff_grain);
    double slot = 2 * (2 * sizeof(int32_t) + 1 + sizeof(ff_memory)) + sizeof(ff_push);
    double model = sizeof(ff_model_body) + FF_BODY_STRIDE * 16 + 64;
    /* about eight slots a body where they lie close */
    return bodies * (body + 8 * slot + model);
}

static void *make(size_t count, size_t size) {
    return aligned_alloc(64, (count * size + 127) / 64 * 64);
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
        memcpy(crowd->places[i].p, body->start + FF_P, sizeof crowd->places[i].p);
        crowd->places[i].r = crowd->parts->radius[i];
        memcpy(crowd->speeds[i].v, g->v, sizeof g->v);
        memcpy(crowd->speeds[i].w, g->w, sizeof g->w);
        least = fmin(least, crowd->places[i].r);
        crowd->reach = fmax(crowd->reach, crowd->places[i].r);
    }
    memset(crowd->loads, 0, crowd->bodies * sizeof *crowd->loads);
    memcpy(crowd->gravity, model->gravity, sizeof crowd->gravity);
    crowd->special = model->force_count > 0;
    for (size_t i = 0; i < crowd->bodies; i++) {
        crowd->special = crowd->special || model->bodies[i].locked;
    }
    crowd->skin = SKIN * least;
    ff_status status = ff_crowd_search(crowd);
    if (status == FF_OK) {
        evaluate(crowd, 0);
    }
    return status;
}

ff_status ff_crowd_create(const ff_model *model, const ff_run_options *options, ff_crowd **out) {
    ff_crowd *crowd = calloc(1, sizeof *crowd);
    size_t n = model->body_count;
    if (!crowd) {
        return FF_NO_MEMORY;
    }
    crowd->model = model;
    crowd->parts = model->crowd;
    crowd->dt = options->dt;
    crowd->verlet = options->method == FF_VERLET;
    crowd->bodies = n;
    crowd->places = make(n, sizeof *crowd->places);
    crowd->seen = make(n, sizeof *crowd->seen);
    crowd->speeds = make(n, sizeof *crowd->speeds);
    crowd->loads = make(n, sizeof *crowd->loads);
    crowd->grains = make(n, sizeof *crowd->grains);
    crowd->accounts = calloc(model->crowd->class_count + 1, sizeof *crowd->accounts);
    crowd->lanes = ff_lane_set_best();
    int threads = options->threads > 0 ? options->threads : n < 2000 ? 1 : ff_pool_cores();
    crowd->pool = threads > 1 ? ff_pool_create(threads) : NULL;
    crowd->scratch = make((size_t)threads, sizeof *crowd->scratch);
    ff_status status = crowd->places && crowd->seen && crowd->speeds && crowd->loads &&
                               crowd->grains && crowd->accounts && crowd->scratch
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
    free(slots->a);
    free(slots->b);
    free(slots->touching);
    free(slots->memory);
    free(slots->bounds);
}

void ff_crowd_free(ff_crowd *crowd) {
    if (!crowd) {
        return;
    }
    ff_pool_free(crowd->pool);
    free_slots(&crowd->slots);
    free_slots(&crowd->next);
    free(crowd->places);
    free(crowd->seen);
    free(crowd->speeds);
    free(crowd->loads);
    free(crowd->grains);
    free(crowd->accounts);
    free(crowd->chunks);
    free(crowd->scratch);
    free(crowd->pushes);
    free(crowd->keys);
    free(crowd->order);
    free(crowd->starts);
    free(crowd);
}

/* ---- asking ---- */

double ff_crowd_time(const ff_crowd *crowd) { return crowd->now.time; }

size_t ff_crowd_contacts(const ff_crowd *crowd) { return crowd->now.contacts; }

long ff_crowd_searches(const ff_crowd *crowd) { return crowd->now.searches; }

ff_motion ff_crowd_body(const ff_crowd *crowd, size_t body) {
    ff_motion out;
    double a[3], alpha[3];
    const double *q = crowd->grains[body].q;
    double norm = sqrt(q[0] * q[0] + ff_dot(q + 1, q + 1));
    memcpy(out.position, crowd->places[body].p, sizeof out.position);
    for (int c = 0; c < 4; c++) {
        out.orientation[c] = q[c] / norm;
    }
    /* the second half of a step of verlet's is open */
    const ff_grain *g = &crowd->grains[body];
    const double half = crowd->verlet ? crowd->now.step / 2 : 0;
    accelerate(crowd, body, a, alpha);
    for (int c = 0; c < 3; c++) {
        out.velocity[c] = g->v[c] + half * (g->a[c] + a[c]);
        out.omega[c] = g->w[c] + half * (g->alpha[c] + alpha[c]);
    }
    return out;
}

/* the depth of a contact */
static double depth_of(const ff_crowd *crowd, const ff_chunk *chunk, size_t slot) {
    const ff_place *p = &crowd->places[crowd->slots.a[slot]];
    if (chunk->wall >= 0) {
        const ff_wall *wall = &crowd->parts->walls[chunk->wall];
        return p->r + wall->level + wall->rise * crowd->now.time - ff_dot(p->p, wall->normal);
    }
    const ff_place *q = &crowd->places[crowd->slots.b[slot]];
    double d[3];
    ff_add_scaled(p->p, -1, q->p, d);
    return p->r + q->r - sqrt(ff_dot(d, d));
}

static void add_stored(const ff_crowd *crowd, const ff_chunk *chunk, ff_ledger *out) {
    const ff_class *class = &crowd->parts->classes[chunk->class];
    const ff_friction *friction = &class->friction;
    for (size_t i = 0; i < chunk->active; i++) {
        size_t slot = chunk->begin + (size_t)chunk->list[i];
        const ff_memory *m = &crowd->slots.memory[slot];
        double z = depth_of(crowd, chunk, slot);
        ff_normal_answer at = ff_normal_at(&class->law, z, 0, m->inner);
        out->normal_spring += at.stored;
        if (class->slides && friction->law->inner) {
            double level = level_of(friction) == FF_LEVEL_ONE     ? 1
                           : level_of(friction) == FF_LEVEL_GRADE ? at.grade
                                                                  : fmax(at.force, 0);
            out->tangential_spring += friction->k / 2 * level * ff_dot(m->u, m->u);
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
    out.clutch = account->integral[FF_CLUTCH];
    out.viscous = account->integral[FF_VISCOUS];
    out.release = account->release;
    out.regrade = account->integral[FF_SPRING_WORK] - out.tangential_spring - account->release;
    out.external = account->integral[FF_PLANE_WORK];
    return out;
}

ff_ledger ff_crowd_ledger(const ff_crowd *crowd) {
    ff_ledger out = {0};
    for (size_t i = 0; i < crowd->parts->class_count; i++) {
        ff_ledger part = ff_crowd_class_ledger(crowd, i);
#define ADD(name) out.name += part.name;
        FF_LEDGER_LIST(ADD)
#undef ADD
    }
    for (size_t i = 0; i < crowd->bodies; i++) {
        const ff_model_body *body = &crowd->model->bodies[i];
        ff_motion m = ff_crowd_body(crowd, i);
        const double *push = crowd->parts->push + 6 * i;
        out.kinetic += 0.5 * (body->mass * ff_dot(m.velocity, m.velocity) +
                              body->inertia[0][0] * ff_dot(m.omega, m.omega));
        out.gravity -= body->mass * ff_dot(crowd->model->gravity, m.position);
        /* the work of a constant force is that of the way; of a torque it is summed up */
        out.external -= ff_dot(push, m.position) - ff_dot(push, body->start + FF_P);
    }
    return out;
}
