/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "sim.h"
#include "body/vector.h"
#include "dynamics/assembly.h"
#include "ledger/ledger.h"
#include "num/elementary.h"
#include "ode/arena.h"
#include "ode/sundials.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SWAP(type, a, b)                                                                           \
    do {                                                                                           \
        type kept_ = (a);                                                                          \
        (a) = (b);                                                                                 \
        (b) = kept_;                                                                               \
    } while (0)

/* What rates depend on now, for what they depended on in the last step. */
static void exchange(ff_sim *sim) {
    SWAP(ff_clock, sim->now.clock, sim->last.clock);
    SWAP(ff_mode *, sim->modes, sim->last.modes);
    SWAP(bool *, sim->acting, sim->last.acting);
}

void ff_sim_observe(ff_sim *sim, double time) {
    double from = ff_clock_time(&sim->last.clock, sim->last.clock.x);
    sim->seen_time = NAN;
    sim->reactions = false;
    if (sim->crowd || sim->last.none || !(time >= from && time < ff_sim_time(sim))) {
        return;
    }
    const ff_clock *clock = &sim->last.clock;
    double x = ff_root_of(time - clock->start, clock->power);
    /* its interpolant may need rates: those of the modes that were then */
    ff_last_step *last = &sim->last;
    double theta = (x - clock->x) / last->step;
    exchange(sim);
    ff_stepper_dense(&sim->stepper, last->method, sim->now.clock.x, last->y, last->step);
    ff_stepper_at(&sim->stepper, theta, sim->seen);
    if (sim->round) {
        ff_stepper_states_at(&sim->stepper, theta / 2, sim->scratch);
        ff_step_turn(sim, &sim->now.clock, theta * last->step, last->y, sim->scratch, sim->seen);
    }
    exchange(sim);
    sim->now.statistics.evaluations = sim->stepper.evaluations;
    sim->reactions = false;
    sim->seen_time = time;
}

const double *ff_sim_bodies(const ff_sim *sim, const double *y) {
    return ff_mechanism_bodies(sim->model, (ff_mechanism *)&sim->mechanism, y);
}

void ff_sim_watch(ff_sim *sim, bool (*wanted)(void *user), void *user) {
    sim->stepper.halt = (ff_halt){.wanted = wanted, .user = user};
}

const ff_event *ff_sim_event(const ff_sim *sim) { return &sim->now.event; }

const char *ff_event_name(ff_event_kind kind) {
    static const char *const names[] = {"touchdown", "liftoff", "clear", "stick",
                                        "slip",      "switch",  "user"};
    return names[kind];
}

/* ---- making ---- */

/* The end of the state: all that a crowd has besides its own memory. */
static void lay_out_leak(ff_sim *sim, ff_arena *a) {
    const size_t parties = sim->leak.parties = ff_verdict_parties(sim->model);
    FF_TAKE(a, sim->leak.taken, parties);
    FF_TAKE(a, sim->leak.blamed, parties + 1);
    sim->state_size = a->used;
    FF_TAKE(a, sim->leak.held, parties);
}

static void lay_out(ff_sim *sim, ff_arena *a) {
    const ff_model *model = sim->model;
    const size_t n = model->size, slots = model->slot_count, users = model->event_count;
    const size_t roots = slots * FF_ENDS + users;
    FF_TAKE(a, sim->y, n);
    FF_TAKE(a, sim->rates_here, n);
    FF_TAKE(a, sim->per_weight, n);
    FF_TAKE(a, sim->extents, model->body_count);
    FF_TAKE(a, sim->fastest, model->body_count);
    FF_TAKE(a, sim->modes, slots);
    FF_TAKE(a, sim->slipping, slots);
    FF_TAKE(a, sim->acting, model->force_count);
    FF_TAKE(a, sim->inside, slots);
    FF_TAKE(a, sim->above, users);
    FF_TAKE(a, sim->user_size, users);
    FF_TAKE(a, sim->armed, roots);
    FF_TAKE(a, sim->changed, roots);
    FF_TAKE(a, sim->switches, roots);
    FF_TAKE(a, sim->gaps, slots);
    FF_TAKE(a, sim->books, slots);
    /* each function switches twice at one instant at the most, and that is told as two events at the most */
    FF_TAKE(a, sim->queue, 4 * roots + 2 * model->force_count + 1);
    lay_out_leak(sim, a);
    FF_TAKE(a, sim->touches, slots);
    FF_TAKE(a, sim->armed_end, roots);
    FF_TAKE(a, sim->gaps_end, slots);
    FF_TAKE(a, sim->ended, roots + 1);
    FF_TAKE(a, sim->motions, model->body_count);
    FF_TAKE(a, sim->extents_now, model->body_count);
    FF_TAKE(a, sim->scratch,
            n > model->body_count * FF_BODY_STRIDE ? n : model->body_count * FF_BODY_STRIDE);
    FF_TAKE(a, sim->stepper_memory, ff_stepper_room(n, ff_step_rows(model, sim->options.method)));
    FF_TAKE(a, sim->pivots, model->states);
    FF_TAKE(a, sim->active, model->states);
    FF_TAKE(a, sim->place, model->states);
    FF_TAKE(a, sim->seen, n);
    FF_TAKE(a, sim->slope_rates, model->turns ? 2 * n : 0);
    FF_TAKE(a, sim->last.y, n);
    FF_TAKE(a, sim->last.modes, slots);
    FF_TAKE(a, sim->last.slipping, slots);
    FF_TAKE(a, sim->last.acting, model->force_count);
    FF_TAKE(a, sim->last.books, slots);
    ff_mechanism_lay_out(model, &sim->mechanism, a);
}

/* y with the bodies in these motions, and all else 0 */
static void set_bodies(ff_sim *sim, const double *bodies) {
    const ff_model *model = sim->model;
    memset(sim->y, 0, model->size * sizeof *sim->y);
    if (ff_articulated(model)) {
        ff_links_read(model, bodies, sim->y);
    } else {
        memcpy(sim->y, bodies, model->body_count * FF_BODY_STRIDE * sizeof *sim->y);
    }
}

/* All that a run is at its start, with y as it is. */
static void begin(ff_sim *sim) {
    for (size_t i = 0; i < sim->model->body_count; i++) {
        sim->fastest[i] = sim->extents[i].speed;
    }
    int power = ff_events_start(sim);
    ff_step_set_acting(sim, false);
    ff_step_restart(sim, power, power > 1 ? sim->now.least : 1e-3 * sim->options.until + 1e-9);
    ff_verdict_begin(sim);
    ff_step_note_scale(sim);
}

static ff_status create_crowd(ff_sim *sim, ff_sim **out) {
    const ff_run_options *o = &sim->options;
    bool fits = !o->events && (o->method == FF_VERLET || o->method == FF_SEMI_IMPLICIT);
    ff_status status = fits ? ff_crowd_create(sim->model, o, &sim->crowd) : FF_BAD_VALUE;
    ff_arena room = {0};
    lay_out_leak(sim, &room);
    room = (ff_arena){status < 0 ? NULL : calloc(room.used, 1), 0};
    if (!room.at) {
        ff_sim_free(sim);
        return status < 0 ? status : FF_NO_MEMORY;
    }
    sim->memory = room.at;
    lay_out_leak(sim, &room);
    sim->seen_time = NAN;
    sim->now.method = o->method;
    ff_verdict_begin(sim);
    *out = sim;
    return FF_OK;
}

ff_status ff_sim_create(const ff_model *model, const ff_run_options *options, ff_sim **out) {
    const ff_run_options *o = options ? options : &model->run;
    if (!(o->tol > 0) || !(o->until >= 0) || !(o->dt > 0) || o->threads < 0 ||
        o->threads > FF_THREADS_MOST) {
        return FF_BAD_VALUE;
    }
    /* a ground that recovers is met at an event */
    for (size_t i = 0; i < model->slot_count; i++) {
        if (model->slots[i].stateful && !o->events) {
            return FF_BAD_VALUE;
        }
    }
    ff_sim *sim = calloc(1, sizeof *sim);
    if (!sim) {
        return FF_NO_MEMORY;
    }
    ff_arena room = {0};
    sim->model = model;
    sim->options = *o;
    if (model->crowd) {
        return create_crowd(sim, out);
    }
    if (ff_step_rows(model, o->method) > FF_ROWS_MOST) {
        ff_sim_free(sim);
        return FF_BAD_VALUE;
    }
    lay_out(sim, &room);
    room = (ff_arena){calloc(room.used, 1), 0};
    if (!room.at) {
        ff_sim_free(sim);
        return FF_NO_MEMORY;
    }
    sim->memory = room.at;
    lay_out(sim, &room);
    sim->seen_time = NAN;
    sim->now.clock.power = 1;
    for (size_t i = 0; i < model->body_count; i++) {
        memcpy(sim->scratch + i * FF_BODY_STRIDE, model->bodies[i].start,
               sizeof model->bodies[i].start);
    }
    set_bodies(sim, sim->scratch);
    if (model->tree) {
        sim->mechanism.usual = model->tree->loop_rows - model->tree->assembly.redundant;
        sim->mechanism.reference = model->tree->condition;
    }
    memcpy(sim->extents, model->extents, model->body_count * sizeof *sim->extents);
    for (size_t i = 0; i < model->body_count; i++) {
        sim->round = sim->round || ff_turns_apart(model, i);
    }
    ff_status status = ff_step_init(sim);
    if (status < 0) {
        ff_sim_free(sim);
        return status;
    }
    begin(sim);
    *out = sim;
    return FF_OK;
}

ff_status ff_sim_begin(ff_sim *sim, const ff_motion *bodies) {
    const ff_model *model = sim->model;
    if (sim->crowd) {
        return FF_BAD_VALUE;
    }
    double *at = sim->scratch;
    for (size_t i = 0; i < model->body_count; i++, at += FF_BODY_STRIDE) {
        memcpy(at + FF_P, bodies[i].position, sizeof bodies[i].position);
        memcpy(at + FF_Q, bodies[i].orientation, sizeof bodies[i].orientation);
        memcpy(at + FF_VEL, bodies[i].velocity, sizeof bodies[i].velocity);
        memcpy(at + FF_OMEGA, bodies[i].omega, sizeof bodies[i].omega);
    }
    ff_assembly assembly;
    double condition;
    int worst;
    ff_status status = model->tree
                           ? ff_assembly_correct(model, sim->scratch, &assembly, &condition, &worst)
                           : FF_OK;
    if (status < 0) {
        return status;
    }
    set_bodies(sim, sim->scratch);
    memset(sim->books, 0, model->slot_count * sizeof *sim->books);
    memset(sim->slipping, 0, model->slot_count * sizeof *sim->slipping);
    ff_scales_bodies(model, ff_sim_bodies(sim, sim->y), sim->extents);
    ff_step_weigh(sim);
    const double least = sim->now.least;
    sim->now = (ff_now){.least = least,
                        .method = sim->options.method == FF_AUTO ? FF_DOPRI5 : sim->options.method,
                        .clock = {.power = 1}};
    sim->last.none = true;
    sim->seen_time = NAN;
    sim->reactions = false;
    begin(sim);
    return FF_OK;
}

void ff_sim_free(ff_sim *sim) {
    if (sim) {
        ff_sundials_free(sim->stepper.sundials);
        ff_crowd_free(sim->crowd);
        free(sim->memory);
        free(sim);
    }
}

/* ---- saving ---- */

size_t ff_sim_state_size(const ff_sim *sim) {
    return sizeof sim->now + sim->state_size + (sim->crowd ? ff_crowd_state_size(sim->crowd) : 0);
}

void ff_sim_save(ff_sim *sim, void *state) {
    if (ff_method_own_steps(sim->now.method)) {
        sim->now.fresh = true;
    }
    char *arrays = (char *)state + sizeof sim->now;
    memcpy(state, &sim->now, sizeof sim->now);
    if (sim->crowd) {
        ff_crowd_save(sim->crowd, arrays + sim->state_size);
    } else if (!sim->now.fresh) {
        ff_stepper_rates(&sim->stepper, sim->rates_here);
    }
    memcpy(arrays, sim->memory, sim->state_size);
}

ff_status ff_sim_restore(ff_sim *sim, const void *state, size_t size) {
    const char *arrays = (const char *)state + sizeof sim->now;
    const size_t ours = sizeof sim->now + sim->state_size;
    if (size < ours || (!sim->crowd && size != ours)) {
        return FF_BAD_VALUE;
    }
    if (sim->crowd) {
        ff_status status = ff_crowd_restore(sim->crowd, arrays + sim->state_size, size - ours);
        if (status < 0) {
            return status;
        }
    }
    memcpy(sim->memory, arrays, sim->state_size);
    memcpy(&sim->now, state, sizeof sim->now);
    if (!sim->crowd) {
        ff_stepper_resume(&sim->stepper, sim->rates_here, sim->now.statistics.evaluations);
    }
    sim->last.none = true;
    sim->seen_time = NAN;
    sim->reactions = false;
    return FF_OK;
}

/* ---- asking ---- */

/* What queries look at: the sim's own state, or the one observed. */
typedef struct {
    double time;
    const double *y;
    const ff_books *books;
    ff_mode *modes;
    const bool *slipping;
    bool *acting;
    double spent, removed;
} sight;

static sight view(const ff_sim *sim) {
    const ff_last_step *last = &sim->last;
    bool now = isnan(sim->seen_time);
    return (sight){.time = now ? ff_sim_time(sim) : sim->seen_time,
                   .y = now ? sim->y : sim->seen,
                   .books = now ? sim->books : last->books,
                   .modes = now ? sim->modes : last->modes,
                   .slipping = now ? sim->slipping : last->slipping,
                   .acting = now ? sim->acting : last->acting,
                   .spent = now ? sim->now.spent : last->spent,
                   .removed = now ? sim->now.removed : last->removed};
}

ff_motion ff_sim_body(const ff_sim *sim, size_t body) {
    return sim->crowd ? ff_crowd_body(sim->crowd, body)
                      : ff_motion_at(ff_sim_bodies(sim, view(sim).y), body);
}

ff_joint_record ff_sim_joint(ff_sim *sim, size_t joint) {
    const sight at = view(sim);
    ff_mechanism *m = &sim->mechanism;
    ff_joint_record out = {0};
    if (!sim->reactions) {
        ff_phase phase = {
            .modes = at.modes, .acting = at.acting, .mechanism = m, .way = &sim->options};
        ff_dynamics_rates(sim->model, &phase, at.time, at.y, m->scratch);
        ff_mechanism_reactions(m);
        sim->reactions = true;
    }
    /* rates have placed the bodies */
    ff_dynamics_reaction(sim->model, m, ff_articulated(sim->model) ? m->bodies : at.y, at.y, joint,
                         &out);
    return out;
}

ff_violation ff_sim_violation(ff_sim *sim) {
    sim->reactions = false;
    return sim->model->tree ? ff_mechanism_violation(&sim->mechanism, view(sim).y)
                            : (ff_violation){0};
}

ff_violation ff_sim_violation_most(const ff_sim *sim) { return sim->now.violated; }

double ff_sim_constraint_part(const ff_sim *sim) {
    const ff_ledger l = ff_sim_ledger(sim);
    /* the scale of the ledger is 0 where nothing moves */
    return fabs(l.constraint) / fmax(l.scale, 1e-6 * sim->model->energy);
}

ff_status ff_sim_joints_verdict(ff_sim *sim) {
    const ff_model *model = sim->model;
    const ff_run_options *o = &sim->options;
    if (!model->tree || sim->crowd) {
        return FF_OK;
    }
    bool maximal = !model->tree->articulated, soft = maximal && o->constraints == FF_PENALTY,
         promises = ff_method_order(o->method) > 0 && o->events && !soft;
    double part = ff_sim_constraint_part(sim),
           most = promises ? fmin(fmax(1e-6, 1e3 * o->tol), 1e-2) : 1e-2,
           off = sim->now.violated.position, size = ff_mechanism_size(model);
    if (part > most) {
        snprintf(
            sim->error, sizeof sim->error,
            "joints did %.3g J of work, %.2g of the energy scale, where they should do none (at "
            "most %.2g): the motion is not that of the model",
            -ff_sim_ledger(sim).constraint, part, most);
        return FF_NOT_HELD;
    }
    if (size > 0 && off > 1e-2 * size) {
        snprintf(sim->error, sizeof sim->error,
                 "joints came apart by %.2g m or rad, in a mechanism of %.2g m: the motion is not "
                 "that of the model",
                 off, size);
        return FF_NOT_HELD;
    }
    return FF_OK;
}

const char *ff_sim_error(const ff_sim *sim) { return sim->error; }

ff_contact_record ff_sim_contact(const ff_sim *sim, size_t contact) {
    const ff_model *model = sim->model;
    const ff_slot *slot = &model->slots[contact];
    const sight at = view(sim);
    const double *state = at.y + slot->state_at;
    ff_contact_record out = {0};
    ff_touch touch;
    const double *bodies = ff_sim_bodies(sim, at.y), *body = ff_body_state(bodies, slot->body);
    ff_touch_find(slot, at.time, bodies, &touch);
    out.depth = touch.z;
    out.rate = touch.zdot;
    ff_add_scaled(body + FF_P, 1, touch.arm, out.point);
    memcpy(out.normal, touch.n, sizeof out.normal);
    memcpy(out.slip, touch.slide.v, sizeof out.slip);
    if (at.modes[contact] != FF_AIR &&
        !(at.modes[contact] == FF_FREE && ff_touch_ignored(slot, bodies))) {
        ff_touch_answer(slot, at.modes[contact], state, NULL, &touch);
        bool free = at.modes[contact] == FF_FREE;
        out.touching =
            free ? touch.at.force > 0 : at.modes[contact] == FF_LOADED || touch.at.lift > 0;
        out.elastic =
            ff_normal_force(&slot->law, slot->filtered ? touch.z : fmax(touch.z, 0), 0, state);
        out.viscous = touch.at.force - out.elastic;
        memcpy(out.force, touch.push, sizeof out.force);
        if (slot->friction.vectors > 0) {
            memcpy(out.u, state + ff_slot_u(slot), sizeof out.u);
        }
        out.slips = !free ? at.slipping[contact]
                          : touch.z > 0 && slot->friction.law->slips && touch.at.excess > 0;
    }
    return out;
}

ff_ledger ff_sim_contact_ledger(const ff_sim *sim, size_t contact) {
    const sight at = view(sim);
    return ff_ledger_contact(sim->model, contact, at.modes[contact], at.time,
                             ff_sim_bodies(sim, at.y), at.y, &at.books[contact]);
}

ff_ledger ff_sim_class_ledger(const ff_sim *sim, size_t index) {
    return ff_crowd_class_ledger(sim->crowd, index);
}

static ff_ledger slots_ledger(const ff_sim *sim, double *held) {
    const sight at = view(sim);
    ff_ledger out = {0};
    const double *bodies = ff_sim_bodies(sim, at.y);
    for (size_t i = 0; i < sim->model->slot_count; i++) {
        ff_ledger part =
            ff_ledger_contact(sim->model, i, at.modes[i], at.time, bodies, at.y, &at.books[i]);
#define ADD(name) out.name += part.name;
        FF_LEDGER_LIST(ADD)
#undef ADD
        if (held) {
            held[i] = ff_ledger_sum(&part);
        }
    }
    ff_ledger_bodies(sim->model, bodies, at.y, &out);
    out.springs = ff_dynamics_springs(
        sim->model, &(ff_phase){.modes = at.modes, .acting = at.acting}, bodies, at.y);
    out.external += at.spent;
    out.constraint += at.removed;
    if (held) {
        double *other = held + sim->model->slot_count;
        other[FF_PARTY_SPRINGS] = out.springs;
        other[FF_PARTY_DAMPERS] = out.dampers;
        other[FF_PARTY_APPLIED] = ff_run_integral(sim->model, at.y, FF_APPLIED_WORK) + at.spent;
        other[FF_PARTY_CONSTRAINT] = out.constraint;
    }
    return out;
}

ff_ledger ff_sim_ledger_parts(const ff_sim *sim, double *held) {
    ff_ledger out = sim->crowd ? ff_crowd_ledger(sim->crowd, held) : slots_ledger(sim, held);
    out.initial = sim->now.initial;
    out.scale = fmax(sim->now.scale, ff_ledger_magnitude(&out, sim->now.gravity));
    ff_ledger_close(&out);
    return out;
}

ff_ledger ff_sim_ledger(const ff_sim *sim) { return ff_sim_ledger_parts(sim, NULL); }

ff_statistics ff_sim_statistics(const ff_sim *sim) {
    ff_statistics out = sim->now.statistics;
    out.threads = sim->crowd ? ff_crowd_threads(sim->crowd) : 1;
    return out;
}
