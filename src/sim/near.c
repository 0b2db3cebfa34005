/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "near.h"
#include "body/vector.h"
#include "num/memory.h"
#include "num/valid.h"
#include "sim.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* ---- near contacts ---- */

/* Margin as a fraction of a body's size: a larger one gives more slots, a smaller one more frequent searches. */
#define MARGIN 0.2

/* Most near pairs per body: a step for which there are more is shortened. Pairs that do not meet in it would cost more than
 * the additional steps, and take 4 kB of memory each. A fall of 1,000 balls takes 0.99, 1.07 and 1.14 s with 12, 16 and 24; balls
 * at rest in a heap have about 6. */
enum { PAIRS_MOST = 16 };

static double distance(const double a[3], const double b[3]) {
    double d[3];
    ff_add_scaled(a, -1, b, d);
    return sqrt(ff_dot(d, d));
}

static bool grow(void **at, size_t *room, size_t count, size_t size) {
    if (count <= *room) {
        return true;
    }
    size_t more = count + count / 2 + 64;
    void *grown = ff_realloc(*at, more * size);
    if (grown) {
        *at = grown;
        *room = more;
    }
    return grown;
}

static bool find(ff_near *near, size_t contact) {
    if (contact == SIZE_MAX) {
        return true;
    }
    if (!grow((void **)&near->found, &near->found_room, near->found_count + 1,
              sizeof *near->found)) {
        return false;
    }
    near->found[near->found_count++] = contact;
    return true;
}

static int by_size(const void *a, const void *b) {
    const size_t x = *(const size_t *)a, y = *(const size_t *)b;
    return (x > y) - (x < y);
}

/* adds all contacts between the shapes of two bodies */
static bool find_pair(ff_near *near, const ff_model *model, size_t a, size_t b) {
    const ff_topology *t = model->topology;
    bool good = true;
    for (size_t i = t->first[a]; i < t->first[a + 1]; i++) {
        for (size_t j = t->first[b]; j < t->first[b + 1] && good; j++) {
            good = find(near, ff_model_contact_of(model, t->shapes[i], t->shapes[j]));
        }
    }
    return good;
}

/* adds all contacts of the shapes of a body with planes that it is near */
static bool find_planes(ff_near *near, const ff_model *model, size_t a, double t, double margin,
                        const double p[3]) {
    const ff_topology *top = model->topology;
    bool good = true;
    for (size_t k = 0; k < model->defs.planes.count && good; k++) {
        const ff_plane_def *plane = &model->defs.planes.at[k];
        double gap = ff_dot(p, plane->normal) - ff_dot(plane->point, plane->normal) -
                     t * ff_dot(plane->velocity, plane->normal);
        for (size_t i = top->first[a];
             i < top->first[a + 1] && gap <= near->reach[a] + margin && good; i++) {
            good = find(near, ff_model_contact_on(model, top->shapes[i], k));
        }
    }
    return good;
}

/* Whether a slot must be kept because something evolves that only a slot can hold. */
static bool must_stay(const ff_sim *sim, size_t i) {
    const ff_slot *slot = &sim->reduced->slots[i];
    const double *state = sim->flow.y + slot->state_at;
    const ff_mode mode = sim->phase.modes[i];
    return mode == FF_LOADED || mode == FF_CLAMPED || sim->phase.inside[i] ||
           (mode == FF_FREE && slot->rests) || (slot->stateful && state[ff_slot_ground(slot)] != 0);
}

/* radius of a ball that contains everything of finite energy */
#define FARTHEST 1e150

/* Whether the last search found more pairs than it should. */
static bool has_more(const ff_near *near) {
    return near->cells.most > 0 && near->cells.count > near->cells.most;
}

/* Finds all near contacts for these positions and margins, in order, and those whose slots must be kept; none if there are
 * more than `most` pairs of bodies (0: no limit). */
static ff_status find_all(ff_sim *sim, const double *bodies, double t, const double *margins,
                          size_t most, bool keep) {
    ff_near *near = sim->near;
    const ff_model *model = sim->model;
    near->cells.most = most;
    for (size_t i = 0; i < model->body_count; i++) {
        ff_ball *ball = &near->balls[i];
        memcpy(ball->at, ff_body_state(bodies, (int)i) + FF_P, sizeof ball->at);
        ball->reach = fmin(near->reach[i] + margins[i], FARTHEST);
    }
    ff_status status = ff_cells_find(&near->cells, near->balls, model->body_count, 0);
    if (status < 0 || has_more(near)) {
        return status;
    }
    bool good = true;
    near->found_count = 0;
    for (size_t i = 0; i < model->body_count && good; i++) {
        good = find_planes(near, model, i, t, margins[i], near->balls[i].at);
    }
    for (size_t i = 0; i < near->cells.count && good; i++) {
        const ff_couple c = near->cells.couples[i];
        good = find_pair(near, model, (size_t)c.a, (size_t)c.b);
    }
    for (size_t i = 0; keep && good && i < near->counts->slots; i++) {
        good = !must_stay(sim, i) || find(near, near->of[i]);
    }
    qsort(near->found, near->found_count, sizeof *near->found, by_size);
    size_t count = 0;
    for (size_t i = 0; i < near->found_count; i++) {
        if (count == 0 || near->found[i] != near->found[count - 1]) {
            near->found[count++] = near->found[i];
        }
    }
    near->found_count = count;
    return good ? FF_OK : FF_NO_MEMORY;
}

size_t ff_near_slot(const ff_sim *sim, size_t contact) {
    if (!sim->near) {
        return contact;
    }
    const size_t *at =
        bsearch(&contact, sim->near->of, sim->near->counts->slots, sizeof contact, by_size);
    return at ? (size_t)(at - sim->near->of) : SIZE_MAX;
}

/* ---- contacts without a slot ---- */

static int by_contact(const void *a, const void *b) {
    return by_size(&((const ff_absent *)a)->contact, &((const ff_absent *)b)->contact);
}

static const ff_absent *absent_of(const ff_near *near, size_t contact) {
    const ff_absent key = {.contact = contact};
    return bsearch(&key, near->absent, near->counts->absent, sizeof key, by_contact);
}

/* Advances the inner states of a normal law without contact, by its closed form; returns the energy that they have lost. */
static double rest(const ff_slot *slot, double time, double *state) {
    if (!slot->rests) {
        return 0;
    }
    const double before = ff_normal_stored(&slot->law, 0, 0, state);
    slot->law.law->rest(&slot->law, time, state);
    return before - ff_normal_stored(&slot->law, 0, 0, state);
}

ff_ledger ff_near_absent_ledger(const ff_sim *sim, size_t contact, double t) {
    const ff_near *near = sim->near;
    const ff_absent *a = absent_of(near, contact);
    ff_ledger out = {0};
    if (!a) {
        return out;
    }
    ff_slot slot;
    double state[near->states + 1];
    ff_model_slot(sim->model, contact, &slot);
    memcpy(state, near->absent_states + (size_t)(a - near->absent) * near->states,
           near->states * sizeof *state);
    const double lost = rest(&slot, t - a->left, state);
    out.normal_spring = slot.rests ? ff_normal_stored(&slot.law, 0, 0, state) : 0;
    out.normal_damper = a->integral[FF_NORMAL_DAMPER] + lost;
    out.tangential_damper = a->integral[FF_TANGENTIAL_DAMPER];
    out.slip = a->integral[FF_SLIP_LOSS];
    out.viscous = a->integral[FF_VISCOUS];
    out.regrade = a->books.regrade;
    out.created = a->books.created;
    out.release = a->books.release + a->books.cut;
    out.external = a->integral[FF_PLANE_WORK];
    return out;
}

const ff_books *ff_near_absent_books(const ff_sim *sim, size_t contact) {
    const ff_absent *a = absent_of(sim->near, contact);
    return a ? &a->books : NULL;
}

/* Whether a slot that is given up has anything to keep. */
static bool has_history(const ff_sim *sim, size_t i) {
    static const ff_books none;
    const ff_slot *slot = &sim->reduced->slots[i];
    const double *y = sim->flow.y;
    bool any = memcmp(&sim->phase.books[i], &none, sizeof none) != 0;
    for (int c = 0; c < slot->states; c++) {
        any = any || y[slot->state_at + (size_t)c] != 0;
    }
    for (int k = 0; k < FF_CONTACT_INTEGRALS; k++) {
        any = any || ff_slot_integral(slot, y, (ff_integral)k) != 0;
    }
    return any;
}

/* ---- layout ---- */

/* Creates slots for the contacts that were found, and their previous slots: SIZE_MAX for new ones; others are copied. */
static ff_status make_slots(ff_sim *sim) {
    ff_near *near = sim->near;
    const size_t before = near->counts ? near->counts->slots : 0, count = near->found_count;
    if (!grow((void **)&near->next_slots, &near->next_slot_room, count, sizeof *near->slots) ||
        !grow((void **)&near->slot_from, &near->slot_from_room, count, sizeof *near->slot_from)) {
        return FF_NO_MEMORY;
    }
    for (size_t i = 0, old = 0; i < count; i++) {
        while (old < before && near->of[old] < near->found[i]) {
            old++;
        }
        const bool was = old < before && near->of[old] == near->found[i];
        near->slot_from[i] = was ? old : SIZE_MAX;
        if (was) {
            near->next_slots[i] = near->slots[old];
        } else {
            ff_model_slot(sim->model, near->found[i], &near->next_slots[i]);
        }
    }
    return FF_OK;
}

static void exchange_slots(ff_near *near) {
    ff_slot *slots = near->slots;
    const size_t room = near->slot_room;
    near->slots = near->next_slots;
    near->slot_room = near->next_slot_room;
    near->next_slots = slots;
    near->next_slot_room = room;
}

void ff_near_lay_out_state(ff_sim *sim, const ff_near_counts *counts, ff_arena *a) {
    ff_near *near = sim->near;
    const size_t bodies = sim->model->body_count;
    FF_TAKE(a, near->counts, 1);
    FF_TAKE(a, near->of, counts->slots);
    FF_TAKE(a, near->anchors, bodies);
    FF_TAKE(a, near->margins, bodies);
    FF_TAKE(a, near->absent, counts->absent);
    FF_TAKE(a, near->absent_states, counts->absent * near->states);
}

void ff_near_lay_out_work(ff_sim *sim, ff_arena *a) {
    ff_near *near = sim->near;
    ff_model *m = &near->reduced;
    FF_TAKE(a, m->scales, m->size);
    FF_TAKE(a, m->speed, m->size);
    FF_TAKE(a, m->first, m->size);
    FF_TAKE(a, m->inert, m->size);
    FF_TAKE(a, near->y_from, m->size);
    FF_TAKE(a, near->root_from, sim->flow.roots);
}

/* Points the reduced model at the current slots. */
static void reduce(ff_sim *sim, size_t slots) {
    ff_near *near = sim->near;
    ff_model *m = &near->reduced, had = *m;
    *m = *sim->model;
    m->slots = near->slots;
    m->slot_count = slots;
    m->scales = had.scales;
    m->speed = had.speed;
    m->first = had.first;
    m->inert = had.inert;
    ff_model_lay_out_slots(m);
    /* all inner states affect something */
    m->active = sim->model->active + (m->states - m->slot_at);
    sim->reduced = m;
    near->rise = 0;
    for (size_t i = 0; i < m->defs.planes.count; i++) {
        const ff_plane_def *plane = &m->defs.planes.at[i];
        near->rise = fmax(near->rise, fabs(ff_dot(plane->velocity, plane->normal)));
    }
    for (size_t i = 0; i < m->body_count; i++) {
        near->reach[i] = 0;
    }
    for (size_t i = 0; i < m->defs.shapes.count; i++) {
        const ff_shape_def *s = &m->defs.shapes.at[i];
        double arm[3], *reach = &near->reach[s->body];
        ff_add_scaled(s->center, -1, m->bodies[s->body].centre, arm);
        *reach = fmax(*reach, sqrt(ff_dot(arm, arm)) + s->radius);
    }
}

/* Determines which components affect something, and their scales; call after arrays are laid out. */
static void describe(ff_sim *sim) {
    ff_model *m = &sim->near->reduced;
    memset(m->first, 0, m->size * sizeof *m->first);
    memset(m->inert, 0, m->size * sizeof *m->inert);
    ff_model_mark_states(m);
    ff_scales_fill(m, m->extents, m->scales);
}

void ff_near_refresh(ff_sim *sim) {
    ff_near *near = sim->near;
    if (!near) {
        sim->reduced = sim->model;
        return;
    }
    for (size_t i = 0; i < near->counts->slots; i++) {
        ff_model_slot(sim->model, near->of[i], &near->slots[i]);
    }
    reduce(sim, near->counts->slots);
    describe(sim);
}

/* Allocates memory in which the contacts that were found have slots, all zero. The previous memory becomes the spare. */
static ff_status lay_out(ff_sim *sim, size_t absent) {
    ff_near *near = sim->near;
    const ff_near_counts *had = near->counts;
    ff_near_counts counts = had ? *had : (ff_near_counts){.longest = INFINITY};
    const ff_halt halt = sim->flow.stepper.halt;
    ff_sparse *matrix = sim->flow.matrix;
    counts.slots = near->found_count;
    counts.absent = absent;
    ff_status status = make_slots(sim);
    if (status < 0) {
        return status;
    }
    exchange_slots(near);
    reduce(sim, counts.slots);
    ff_arena room = {0};
    ff_scene_lay_out(sim, &counts, &room);
    if (room.used > near->spare_size) {
        const size_t size = room.used + (had ? room.used / 4 : 0);
        void *memory = ff_malloc(size);
        if (!memory) {
            return FF_NO_MEMORY;
        }
        ff_free(near->spare);
        near->spare = memory;
        near->spare_size = size;
    }
    void *memory = sim->memory;
    const size_t size = near->memory_size;
    sim->memory = near->spare;
    near->memory_size = near->spare_size;
    near->spare = memory;
    near->spare_size = size;
    memset(sim->memory, 0, room.used);
    room = (ff_arena){sim->memory, 0};
    ff_scene_lay_out(sim, &counts, &room);
    *near->counts = counts;
    memcpy(near->of, near->found, counts.slots * sizeof *near->of);
    describe(sim);
    sim->flow.matrix = matrix;
    status = ff_system_prepare(sim);
    sim->flow.stepper.halt = halt;
    return status;
}

void ff_near_keep(const ff_sim *sim, ff_near_kept *out) {
    out->sim = *sim;
    out->near = *sim->near;
}

void ff_near_undo(ff_sim *sim, const ff_near_kept *kept) {
    ff_near *near = sim->near, now = *near;
    const bool exchanged = now.slots != kept->near.slots, moved = sim->memory != kept->sim.memory;
    void *memory = sim->memory;
    ff_sparse *matrix = sim->flow.matrix ? sim->flow.matrix : kept->sim.flow.matrix;
    struct ff_own_numbers *numbers = sim->numbers;
    *near = kept->near;
    *sim = kept->sim;
    /* room for inputs that were refused is kept, too */
    sim->numbers = numbers;
    if (matrix) {
        sim->flow.matrix = sim->flow.stepper.matrix = matrix;
        ff_sparse_reset(matrix, sim->flow.rows);
    }
    /* memory that has grown in the meantime is kept */
    near->found = now.found;
    near->found_count = now.found_count;
    near->found_room = now.found_room;
    near->slot_from = now.slot_from;
    near->slot_from_room = now.slot_from_room;
    near->leaves = now.leaves;
    near->leaves_room = now.leaves_room;
    near->cells = now.cells;
    near->next_slots = exchanged ? now.slots : now.next_slots;
    near->next_slot_room = exchanged ? now.slot_room : now.next_slot_room;
    near->spare = moved ? memory : now.spare;
    near->spare_size = moved ? now.memory_size : now.spare_size;
}

/* ---- from one layout to another ---- */

/* Positions of components and root functions in the previous layout; SIZE_MAX: none. */
static void map(ff_sim *sim, const ff_near_kept *old) {
    ff_near *near = sim->near;
    const ff_model *to = sim->reduced, *from = &old->near.reduced;
    /* user functions and kinks */
    const size_t users = sim->flow.roots ? to->event_count + ff_control_branches(to) : 0;
    for (size_t i = 0; i < to->size; i++) {
        near->y_from[i] = i < to->slot_at   ? i
                          : i >= to->run_at ? from->run_at + (i - to->run_at)
                                            : SIZE_MAX;
    }
    for (size_t i = 0; i < sim->flow.roots; i++) {
        const size_t first = sim->flow.roots - users;
        near->root_from[i] = i < first ? SIZE_MAX : old->sim.flow.roots - users + (i - first);
    }
    for (size_t i = 0; i < to->slot_count; i++) {
        const size_t k = near->slot_from[i];
        if (k == SIZE_MAX) {
            continue;
        }
        const ff_slot *s = &to->slots[i], *o = &from->slots[k];
        for (int c = 0; c < s->states; c++) {
            near->y_from[s->state_at + (size_t)c] = o->state_at + (size_t)c;
        }
        for (int c = 0; c < FF_CONTACT_INTEGRALS; c++) {
            if (s->integral[c] >= 0) {
                near->y_from[s->integral_at + (size_t)s->integral[c]] =
                    o->integral_at + (size_t)o->integral[c];
            }
        }
        const size_t end = i + 1 < to->slot_count ? sim->root_at[i + 1] : sim->flow.roots - users;
        for (size_t r = sim->root_at[i]; sim->flow.locates && r < end; r++) {
            near->root_from[r] = old->sim.root_at[k] + (r - sim->root_at[i]);
        }
    }
}

/* Initialises a slot that a contact did not have before: from its kept state, or without contact. Returns whether its
 * states change. */
static bool join(ff_sim *sim, const ff_near_kept *old, size_t i) {
    const ff_slot *slot = &sim->reduced->slots[i];
    const ff_absent *a = absent_of(&old->near, sim->near->of[i]);
    double *y = sim->flow.y, *state = y + slot->state_at;
    sim->phase.modes[i] = sim->flow.locates ? FF_AIR : FF_FREE;
    if (!a) {
        return false;
    }
    memcpy(state, old->near.absent_states + (size_t)(a - old->near.absent) * sim->near->states,
           (size_t)slot->states * sizeof *state);
    const double lost = rest(slot, ff_sim_now_time(sim) - a->left, state);
    for (int k = 0; k < FF_CONTACT_INTEGRALS; k++) {
        if (slot->integral[k] >= 0) {
            y[slot->integral_at + (size_t)slot->integral[k]] =
                a->integral[k] + (k == FF_NORMAL_DAMPER ? lost : 0);
        }
    }
    sim->phase.books[i] = a->books;
    return slot->rests;
}

static void leave(const ff_sim *sim, const ff_near_kept *old, size_t k, ff_absent *out,
                  double *states) {
    const ff_slot *slot = &old->near.reduced.slots[k];
    const double *y = old->sim.flow.y;
    *out = (ff_absent){
        .contact = old->near.of[k], .left = ff_sim_now_time(sim), .books = old->sim.phase.books[k]};
    for (int c = 0; c < FF_CONTACT_INTEGRALS; c++) {
        out->integral[c] = ff_slot_integral(slot, y, (ff_integral)c);
    }
    memcpy(states, y + slot->state_at, (size_t)slot->states * sizeof *states);
}

/* Collects the contacts without a slot: those that had none before, and those that have just lost one. */
static void fill_absent(ff_sim *sim, const ff_near_kept *old) {
    ff_near *near = sim->near;
    const ff_near *had = &old->near;
    const size_t width = near->states;
    size_t a = 0, k = 0, count = 0;
    while (a < had->counts->absent || k < had->counts->slots) {
        if (a < had->counts->absent && ff_near_slot(sim, had->absent[a].contact) != SIZE_MAX) {
            a++;
        } else if (k < had->counts->slots && !near->leaves[k]) {
            k++;
        } else if (k == had->counts->slots ||
                   (a < had->counts->absent && had->absent[a].contact < had->of[k])) {
            near->absent[count] = had->absent[a];
            memcpy(near->absent_states + count++ * width, had->absent_states + a++ * width,
                   width * sizeof *had->absent_states);
        } else {
            leave(sim, old, k++, &near->absent[count], near->absent_states + count * width);
            count++;
        }
    }
}

/* Allowed errors of the components of a slot, as in ff_system_weigh(); `scales` are those of all components. */
static void weigh_slot(ff_sim *sim, const ff_slot *slot, const double *scales) {
    double *per = sim->flow.per_weight;
    for (int c = 0; c < slot->states; c++) {
        const size_t at = slot->state_at + (size_t)c;
        per[at] = ff_system_per_weight(sim, scales[at], sim->flow.y[at]);
        if (c >= ff_slot_u(slot)) {
            per[at] = fmin(per[at], per[(size_t)slot->body * FF_BODY_STRIDE + FF_P]);
        }
    }
    for (int k = 0; k < FF_CONTACT_INTEGRALS; k++) {
        if (slot->integral[k] >= 0) {
            const size_t at = slot->integral_at + (size_t)slot->integral[k];
            per[at] = ff_system_per_weight(sim, scales[at], sim->flow.y[at]);
        }
    }
}

/* Counts the contacts that will be kept without a slot; marks the slots that leave something. */
static size_t count_absent(ff_sim *sim) {
    ff_near *near = sim->near;
    size_t count = 0;
    for (size_t k = 0; k < near->counts->slots; k++) {
        near->leaves[k] =
            !bsearch(&near->of[k], near->found, near->found_count, sizeof near->of[k], by_size) &&
            has_history(sim, k);
        count += near->leaves[k];
    }
    for (size_t a = 0; a < near->counts->absent; a++) {
        count += !bsearch(&near->absent[a].contact, near->found, near->found_count,
                          sizeof near->found[0], by_size);
    }
    return count;
}

/* Gives slots to the contacts that were found and removes others. */
static ff_status change_slots(ff_sim *sim) {
    ff_near *near = sim->near;
    ff_near_kept old;
    if (!grow((void **)&near->leaves, &near->leaves_room, near->counts->slots,
              sizeof *near->leaves)) {
        return FF_NO_MEMORY;
    }
    const size_t absent = count_absent(sim);
    ff_near_keep(sim, &old);
    ff_status status = lay_out(sim, absent);
    if (status < 0) {
        ff_near_undo(sim, &old);
        return status;
    }
    map(sim, &old);
    const ff_model *model = sim->reduced;
    ff_sim_phase *to = &sim->phase;
    const ff_sim_phase *from = &old.sim.phase;
    *to->spent = *from->spent;
    *to->removed = *from->removed;
    memcpy(to->acting, from->acting, model->force_count * sizeof *to->acting);
    memcpy(to->above, from->above, model->event_count * sizeof *to->above);
    const ff_controls *controls = &model->topology->controls;
    memcpy(to->memory, from->memory, controls->memories * sizeof *to->memory);
    memcpy(to->branches, from->branches, ff_control_branches(model) * sizeof *to->branches);
    memcpy(to->samples, from->samples, controls->samplers * sizeof *to->samples);
    memcpy(to->changed, from->changed, (controls->samplers > 0) * sizeof *to->changed);
    memcpy(sim->branch_size, old.sim.branch_size,
           ff_control_branches(model) * sizeof *sim->branch_size);
    memcpy(sim->extents, old.sim.extents, model->body_count * sizeof *sim->extents);
    memcpy(sim->fastest, old.sim.fastest, model->body_count * sizeof *sim->fastest);
    memcpy(sim->user_size, old.sim.user_size, model->event_count * sizeof *sim->user_size);
    memcpy(sim->impacts, old.sim.impacts, FF_IMPACTS_KEPT * sizeof *sim->impacts);
    memcpy(sim->leak.taken, old.sim.leak.taken, sim->leak.parties * sizeof *sim->leak.taken);
    memcpy(sim->leak.blamed, old.sim.leak.blamed,
           (sim->leak.parties + 1) * sizeof *sim->leak.blamed);
    memcpy(near->anchors, old.near.anchors, model->body_count * sizeof *near->anchors);
    memcpy(near->margins, old.near.margins, model->body_count * sizeof *near->margins);
    ff_flow_move(&sim->flow, &old.sim.flow, near->y_from);
    for (size_t i = 0; i < model->slot_count; i++) {
        const size_t k = near->slot_from[i];
        if (k != SIZE_MAX) {
            to->modes[i] = from->modes[k];
            to->slipping[i] = from->slipping[k];
            to->grips[i] = from->grips[k];
            to->parted[i] = from->parted[k];
            for (size_t c = 0; model->turns && c < 2; c++) {
                to->turning[2 * i + c] = from->turning[2 * k + c];
            }
            to->opening[i] = from->opening[k];
            to->inside[i] = from->inside[k];
            to->books[i] = from->books[k];
        } else {
            sim->flow.now.fresh = join(sim, &old, i) || sim->flow.now.fresh;
        }
    }
    fill_absent(sim, &old);
    ff_scales_fill(model, sim->extents, sim->scratch);
    for (size_t i = 0; i < model->slot_count; i++) {
        if (near->slot_from[i] == SIZE_MAX) {
            weigh_slot(sim, &model->slots[i], sim->scratch);
        }
    }
    ff_flow_move_roots(&sim->flow, &old.sim.flow, near->root_from);
    return FF_OK;
}

static bool same_contacts(const ff_near *near) {
    return near->found_count == near->counts->slots &&
           memcmp(near->found, near->of, near->found_count * sizeof *near->of) == 0;
}

/* ---- steps ---- */

/* Upper bound of the distance that a body moves in a step of this duration: to its end, or with its current velocity. The
 * path may deviate from the straight line by that of Hermite's cubic, 4/27 of the speeds at both ends, four times that with
 * the time transformation after a touch-down. */
static double way_of(const ff_sim *sim, size_t i, double time, const double *to) {
    const double *a = ff_body_state(sim->flow.y, (int)i);
    const double v = sqrt(ff_dot(a + FF_VEL, a + FF_VEL));
    if (!to) {
        const double *g = sim->model->gravity;
        return time * v + time * time / 2 * sqrt(ff_dot(g, g));
    }
    const double *b = ff_body_state(to, (int)i);
    return distance(a + FF_P, b + FF_P) + 0.6 * time * (v + sqrt(ff_dot(b + FF_VEL, b + FF_VEL)));
}

/* The margin of a body for a step of this duration, and for the next one. */
static double margin_of(const ff_sim *sim, size_t i, double time, const double *to) {
    const ff_near *near = sim->near;
    return fmax(2 * (way_of(sim, i, time, to) + near->rise * time), MARGIN * near->reach[i]);
}

/* Whether no body moves farther than its margin in a step; a step that is not finite will be rejected. */
static bool stays_near(const ff_sim *sim, double time, const double *to) {
    const ff_near *near = sim->near;
    const double risen = near->rise * (ff_sim_now_time(sim) + time - near->counts->since);
    bool within = true;
    for (size_t i = 0; i < sim->model->body_count && within; i++) {
        double gone = distance(ff_body_state(sim->flow.y, (int)i) + FF_P, near->anchors[i]);
        within = !(gone + risen + way_of(sim, i, time, to) > near->margins[i]);
    }
    return within;
}

/* Searches near pairs for a step, which becomes shorter if there are too many. */
static ff_status search(ff_sim *sim, double *time, const double *to) {
    ff_near *near = sim->near;
    const size_t bodies = sim->model->body_count;
    const double now = ff_sim_now_time(sim), *y = sim->flow.y;
    /* a repeated step must not undo an earlier search */
    const bool again = near->counts->since == now;
    double span = *time;
    /* steps that are shortened become longer by degrees */
    if (!to && isfinite(near->counts->longest)) {
        span = fmin(span, (again ? 1 : 2) * near->counts->longest);
    }
    for (bool more = true; more;) {
        /* the smallest margins are not for motion */
        bool moves = false;
        for (size_t i = 0; i < bodies; i++) {
            const double margin = margin_of(sim, i, span, to);
            moves = moves || margin > MARGIN * near->reach[i];
            near->wanted[i] = again ? fmax(margin, near->margins[i]) : margin;
        }
        const size_t most =
            moves && !ff_method_fixed(sim->flow.now.method) ? PAIRS_MOST * bodies : 0;
        ff_status status = find_all(sim, y, now, near->wanted, most, true);
        if (status < 0) {
            return status;
        }
        more = has_more(near);
        span = more ? span / 2 : span;
        to = more ? NULL : to;
    }
    for (size_t i = 0; i < bodies; i++) {
        memcpy(near->anchors[i], ff_body_state(y, (int)i) + FF_P, sizeof near->anchors[i]);
    }
    memcpy(near->margins, near->wanted, bodies * sizeof *near->margins);
    if (!again) {
        near->counts->longest = INFINITY;
    }
    if (span < *time) {
        near->counts->longest = fmin(span, near->counts->longest);
    }
    near->counts->since = now;
    *time = span;
    return FF_OK;
}

ff_status ff_near_arrange(void *self, double *time, const double *to, bool *changed) {
    ff_sim *sim = self;
    ff_near *near = sim->near;
    *changed = false;
    if (!near) {
        return FF_OK;
    }
    if (stays_near(sim, *time, to)) {
        return FF_OK;
    }
    if (!to && *time > near->counts->longest && stays_near(sim, near->counts->longest, NULL)) {
        *time = near->counts->longest;
        return FF_OK;
    }
    const double wanted = *time;
    const ff_status status = search(sim, time, to);
    *changed = to && *time < wanted;
    if (status < 0 || same_contacts(near)) {
        return status;
    }
    *changed = true;
    return change_slots(sim);
}

/* ---- start, restore and end of a run ---- */

ff_status ff_near_create(ff_sim *sim) {
    const ff_model *model = sim->model;
    ff_near *near = sim->near = ff_calloc(1, sizeof *near);
    if (!near) {
        return FF_NO_MEMORY;
    }
    near->reach = ff_calloc(model->body_count + 1, sizeof *near->reach);
    near->balls = ff_malloc((model->body_count + 1) * sizeof *near->balls);
    near->wanted = ff_malloc((model->body_count + 1) * sizeof *near->wanted);
    /* lists that may be empty are allocated all the same */
    if (!near->reach || !near->balls || !near->wanted ||
        !grow((void **)&near->found, &near->found_room, 1, sizeof *near->found) ||
        !grow((void **)&near->slots, &near->slot_room, 1, sizeof *near->slots) ||
        !grow((void **)&near->next_slots, &near->next_slot_room, 1, sizeof *near->slots)) {
        return FF_NO_MEMORY;
    }
    for (size_t i = 0; i < model->defs.pairs.count; i++) {
        const size_t states = (size_t)model->prototypes[i].states;
        near->states = states > near->states ? states : near->states;
    }
    return FF_OK;
}

void ff_near_free(ff_sim *sim) {
    ff_near *near = sim->near;
    if (near) {
        ff_free(near->reach);
        ff_free(near->balls);
        ff_free(near->wanted);
        ff_cells_clear(&near->cells);
        ff_free(near->slots);
        ff_free(near->next_slots);
        ff_free(near->found);
        ff_free(near->leaves);
        ff_free(near->slot_from);
        ff_free(near->spare);
        ff_free(near);
    }
}

/* Lays out a run with bodies at these positions and everything else 0. Each may move by `way` and a fraction of its size,
 * and by twice its distance to `to`, which may be NULL. */
static ff_status lay_out_at(ff_sim *sim, const double *bodies, const double *to, double way) {
    ff_near *near = sim->near;
    const size_t count = sim->model->body_count;
    /* the first step makes room for itself */
    reduce(sim, near->counts ? near->counts->slots : 0);
    double *margins = ff_malloc((count + 1) * sizeof *margins);
    for (size_t i = 0; margins && i < count; i++) {
        const double *from = ff_body_state(bodies, (int)i);
        margins[i] = way + MARGIN * near->reach[i] +
                     (to ? 2 * distance(from, ff_body_state(to, (int)i)) : 0);
    }
    ff_near_kept kept;
    ff_near_keep(sim, &kept);
    ff_status status = margins ? find_all(sim, bodies, 0, margins, 0, false) : FF_NO_MEMORY;
    status = status < 0 ? status : lay_out(sim, 0);
    if (status < 0) {
        ff_near_undo(sim, &kept);
    }
    for (size_t i = 0; i < count && status == FF_OK; i++) {
        memcpy(near->anchors[i], ff_body_state(bodies, (int)i) + FF_P, sizeof near->anchors[i]);
        near->margins[i] = margins[i];
        near->counts->since = 0;
        near->counts->longest = INFINITY;
    }
    ff_free(margins);
    return status;
}

ff_status ff_near_begin(ff_sim *sim, const double *bodies) {
    return lay_out_at(sim, bodies, NULL, 0);
}

bool ff_near_covers(const ff_sim *sim, const double *to) {
    const ff_near *near = sim->near;
    bool covers = true;
    for (size_t i = 0; near && i < sim->model->body_count; i++) {
        covers =
            covers && distance(ff_body_state(to, (int)i), near->anchors[i]) <= near->margins[i];
    }
    return covers;
}

ff_status ff_near_follow(ff_sim *sim, const double *to, double way) {
    ff_near_kept old;
    ff_near_keep(sim, &old);
    /* the old layout stays in the spare memory until the next one is made */
    const ff_status status = lay_out_at(sim, sim->flow.y, to, way);
    if (status < 0) {
        return status;
    }
    map(sim, &old);
    for (size_t i = 0; i < sim->reduced->states; i++) {
        const size_t from = sim->near->y_from[i];
        sim->flow.y[i] = from == SIZE_MAX ? 0 : old.sim.flow.y[from];
    }
    return FF_OK;
}

ff_status ff_near_fit(ff_sim *sim, const char *state, size_t size) {
    ff_near *near = sim->near;
    const size_t contacts = sim->model->contact_count;
    ff_near_counts counts;
    ff_arena head = {0};
    ff_arena_take(&head, 1, sizeof counts);
    if (size < head.used) {
        return FF_BAD_VALUE;
    }
    memcpy(&counts, state, sizeof counts);
    if (counts.slots > contacts || counts.absent > contacts ||
        counts.slots * sizeof *near->of + counts.absent * sizeof *near->absent > size - head.used) {
        return FF_BAD_VALUE;
    }
    if (!grow((void **)&near->found, &near->found_room, counts.slots, sizeof *near->found)) {
        return FF_NO_MEMORY;
    }
    memcpy(near->found, state + head.used, counts.slots * sizeof *near->found);
    near->found_count = counts.slots;
    for (size_t i = 0; i < counts.slots; i++) {
        if (near->found[i] >= contacts || (i > 0 && near->found[i] <= near->found[i - 1])) {
            return FF_BAD_VALUE;
        }
    }
    return lay_out(sim, counts.absent);
}

bool ff_near_valid(const ff_sim *sim) {
    const ff_near *near = sim->near;
    const size_t bodies = sim->model->body_count, absent = near->counts->absent;
    bool good = near->counts->since >= 0 && near->counts->since <= ff_sim_now_time(sim) &&
                near->counts->longest > 0 && ff_valid_finite(near->anchors[0], 3 * bodies) &&
                ff_valid_finite(near->margins, bodies) && ff_valid_sizes(near->margins, bodies) &&
                ff_valid_finite(near->absent_states, absent * near->states);
    for (size_t i = 0; i < absent && good; i++) {
        const ff_absent *a = &near->absent[i];
        good = a->contact < sim->model->contact_count &&
               (i == 0 || a->contact > near->absent[i - 1].contact) &&
               ff_near_slot(sim, a->contact) == SIZE_MAX && a->left >= 0 &&
               a->left <= ff_sim_now_time(sim) && ff_books_valid(&a->books) &&
               ff_valid_finite(a->integral, FF_CONTACT_INTEGRALS);
    }
    return good;
}
