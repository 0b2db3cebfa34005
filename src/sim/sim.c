/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#define _POSIX_C_SOURCE 200809L
#include "sim.h"
#include "flow/seconds.h"
#include "num/def.h"
#include "num/memory.h"
#include "num/valid.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- construction ---- */

void ff_sim_lay_out_leak(ff_sim *sim, ff_arena *a) {
    const size_t parties = sim->leak.parties = sim->kind->parties(sim->model);
    FF_TAKE(a, sim->leak.taken, parties);
    FF_TAKE(a, sim->leak.blamed, parties + 1);
    sim->state_size = a->used;
    FF_TAKE(a, sim->leak.held, parties);
}

static const ff_sim_kind *kind_of(const ff_model *model) {
    return model->kind ? model->kind : model->crowd ? &ff_crowd_kind : &ff_scene_kind;
}

ff_status ff_sim_create(const ff_model *model, const ff_run_options *options, ff_sim **out,
                        ff_error *error) {
    ff_run_options taken = ff_run_options_default(), *o = &taken;
    if (!FF_DEF_TAKE(o, options ? options : &model->run)) {
        return ff_def_refuse(error);
    }
    if (!(o->tol > 0) || !(o->until >= 0) || !(o->dt > 0)) {
        return ff_model_fail(error, FF_BAD_VALUE,
                             "tol and dt must be positive, until must not be negative");
    }
    if (!(o->max_step > 0) || (ff_method_fixed(o->method) && o->dt > o->max_step)) {
        return ff_model_fail(error, FF_BAD_VALUE,
                             o->max_step > 0 ? "dt is %g s, longer than max_step, %g s"
                                             : "max_step must be positive (dt %g s, max_step %g s)",
                             o->dt, o->max_step);
    }
    if (!(o->max_steps >= 1) || o->max_steps != floor(o->max_steps)) {
        return ff_model_fail(error, FF_BAD_VALUE, "max_steps must be a whole number, 1 or more");
    }
    if (o->threads < 0 || o->threads > FF_THREADS_MOST) {
        return ff_model_fail(error, FF_BAD_VALUE, "threads must be 0 to %d", FF_THREADS_MOST);
    }
    if (model->crowd && model->defs.start == FF_START_REST) {
        return ff_model_fail(
            error, FF_BAD_VALUE,
            "start: rest is not possible for a crowd: let it come to rest in a run");
    }
    ff_sim *sim = ff_calloc(1, sizeof *sim);
    ff_status status = sim ? FF_OK : FF_NO_MEMORY;
    if (sim) {
        sim->model = sim->reduced = model;
        sim->options = *o;
        sim->kind = kind_of(model);
        status = sim->kind->create(sim, error);
    }
    if (status == FF_NO_MEMORY) {
        ff_model_fail(error, status, "%s", ff_status_text(status));
    }
    if (status < 0) {
        ff_sim_free(sim);
        return status;
    }
    *out = sim;
    return FF_OK;
}

void ff_sim_free(ff_sim *sim) {
    if (sim) {
        if (sim->kind->free) {
            sim->kind->free(sim);
        }
        ff_flow_free(&sim->flow);
        ff_set_free(sim);
        ff_model_free(sim->own_model);
        ff_free(sim->memory);
        ff_free(sim);
    }
}

static void show(ff_sim *sim) {
    if (sim->kind->show) {
        sim->kind->show(sim);
    }
}

/* ---- saving ---- */

/* A block consists of `now` of the sim, `now` of its flow, the arrays of the state, then the data of a crowd. */
enum { HEAD = sizeof(ff_sim_now) + sizeof(ff_flow_now) };

size_t ff_sim_state_size(const ff_sim *sim) {
    return HEAD + sim->state_size + (sim->kind->saved_size ? sim->kind->saved_size(sim) : 0);
}

/* Copies everything but the data of a crowd. */
static void copy_out(const ff_sim *sim, char *at) {
    memcpy(at, &sim->now, sizeof sim->now);
    memcpy(at + sizeof sim->now, &sim->flow.now, sizeof sim->flow.now);
    memcpy(at + HEAD, sim->memory, sim->state_size);
}

void ff_sim_save(ff_sim *sim, void *state) {
    char *at = state;
    if (sim->kind->pack) {
        sim->kind->pack(sim);
    }
    copy_out(sim, at);
    if (sim->kind->save) {
        sim->kind->save(sim, at + HEAD + sim->state_size);
    }
}

/* Accounts may have any value, since the energy of an inclusion is defined by its caller. */
static bool valid_now(const ff_sim_now *now, size_t apart, size_t behind) {
    const double sizes[] = {
        now->scale,      now->leak.worst, now->violated.position, now->violated.velocity,
        now->doubt.most, now->doubt.step, now->doubt.rounding};
    const double times[] = {now->leak.time, now->leak.from,  now->leak.to,      now->impacts,
                            now->meetings,  now->doubt.time, now->doubt.looked, now->behind_count};
    bool good = ff_valid_sizes(sizes, sizeof sizes / sizeof *sizes) &&
                ff_valid_finite(times, sizeof times / sizeof *times) &&
                ff_valid_sizes(times, sizeof times / sizeof *times) &&
                now->meetings <= FF_MEETINGS_KEPT;
    for (size_t i = 0; good && (double)i < now->meetings; i++) {
        const double met[] = {now->met[i].time, now->met[i].which};
        good = ff_valid_finite(met, 2) && ff_valid_sizes(met, 2) && met[1] < (double)apart;
    }
    good = good && now->behind_count <= FF_MEETINGS_KEPT;
    for (size_t i = 0; good && (double)i < now->behind_count; i++) {
        const ff_behind *b = &now->behind[i];
        const double seen[] = {b->time, b->which, b->depth};
        good = ff_valid_finite(seen, 3) && ff_valid_sizes(seen, 3) && b->which < (double)behind;
    }
    return good;
}

static void copy_in(ff_sim *sim, const char *at) {
    memcpy(&sim->now, at, sizeof sim->now);
    memcpy(&sim->flow.now, at + sizeof sim->now, sizeof sim->flow.now);
    memcpy(sim->memory, at + HEAD, sim->state_size);
}

static ff_status take_in(ff_sim *sim, const char *rest, size_t size) {
    const ff_sim_kind *kind = sim->kind;
    const ff_topology *topology = sim->model->topology;
    const size_t behind = topology ? sim->model->body_count * sim->model->defs.planes.count : 0;
    if (!valid_now(&sim->now, topology ? topology->apart_count : 0, behind) ||
        !ff_flow_valid(&sim->flow) || (kind->valid && !kind->valid(sim))) {
        return FF_BAD_VALUE;
    }
    ff_status status = kind->restore ? kind->restore(sim, rest, size) : FF_OK;
    return status == FF_OK && kind->unpack ? kind->unpack(sim) : status;
}

/* The state of an open model has its own layout, so the current state of the sim is kept completely. */
static ff_status restore_open(ff_sim *sim, const char *state, size_t size) {
    ff_near_kept kept;
    ff_near_keep(sim, &kept);
    ff_status status = size < HEAD ? FF_BAD_VALUE : ff_near_fit(sim, state + HEAD, size - HEAD);
    if (status == FF_OK && size != HEAD + sim->state_size) {
        status = FF_BAD_VALUE;
    }
    if (status == FF_OK) {
        copy_in(sim, state);
        status = take_in(sim, NULL, 0);
    }
    if (status < 0) {
        ff_near_undo(sim, &kept);
        return status;
    }
    sim->reactions = false;
    show(sim);
    return FF_OK;
}

ff_status ff_sim_restore(ff_sim *sim, const void *state, size_t size) {
    const size_t ours = HEAD + sim->state_size;
    if (sim->near) {
        return restore_open(sim, state, size);
    }
    if (size < ours || (!sim->kind->restore && size != ours)) {
        return FF_BAD_VALUE;
    }
    /* the current state, for the case that the block is invalid */
    char *before = ff_malloc(ours);
    if (!before) {
        return FF_NO_MEMORY;
    }
    copy_out(sim, before);
    copy_in(sim, state);
    ff_status status = take_in(sim, (const char *)state + ours, size - ours);
    if (status < 0) {
        copy_in(sim, before);
    } else {
        sim->reactions = false;
        show(sim);
    }
    ff_free(before);
    return status;
}

/* ---- steps ---- */

double ff_sim_time(const ff_sim *sim) {
    return sim->kind->time ? sim->kind->time(sim) : ff_sim_now_time(sim);
}

ff_status ff_sim_step_once(ff_sim *sim, double until) {
    ff_flow *f = &sim->flow;
    if ((double)f->now.statistics.steps >= sim->options.max_steps) {
        snprintf(sim->error, sizeof sim->error, "%g steps are as many as max_steps allows",
                 sim->options.max_steps);
        return FF_TOO_STIFF;
    }
    if (sim->kind->step) {
        return sim->kind->step(sim, until);
    }
    const bool reporting = f->now.reported < f->now.queued;
    sim->kind->ready(sim);
    ff_status status = ff_flow_step(f, until);
    if (f->trial.waits) {
        return status;
    }
    show(sim);
    if (!reporting) {
        sim->kind->note(sim, status);
    }
    return status < 0 ? sim->kind->explain(sim, status) : status;
}

ff_status ff_sim_step(ff_sim *sim, double until) {
    double start = ff_seconds();
    ff_status status = ff_sim_step_once(sim, until);
    sim->flow.now.statistics.seconds += ff_seconds() - start;
    return status;
}

/* a run with this many steps without reaching the next event or time is considered stuck */
#define MOST_STEPS 100000000L

ff_status ff_sim_advance(ff_sim *sim, double until) {
    ff_status status = FF_OK;
    double start = ff_seconds();
    long steps = 0;
    do {
        status = ff_sim_step_once(sim, until);
    } while (status == FF_OK && ff_sim_time(sim) < until && ++steps < MOST_STEPS);
    sim->flow.now.statistics.seconds += ff_seconds() - start;
    return steps < MOST_STEPS ? status : FF_TOO_STIFF;
}

void ff_sim_watch(ff_sim *sim, bool (*wanted)(void *user), void *user) {
    sim->flow.stepper.halt = (ff_halt){.wanted = wanted, .user = user};
}

/* ---- queries ---- */

void ff_sim_observe(ff_sim *sim, double time) {
    sim->reactions = false;
    if (!sim->kind->step) {
        ff_flow_observe(&sim->flow, time);
        show(sim);
    }
}

const ff_event *ff_sim_event(const ff_sim *sim) { return &sim->flow.now.event; }

const char *ff_event_name(ff_event_kind kind) {
    static const char *const names[FF_EVENT_KINDS] = {
        "touchdown",   "liftoff",    "clear",       "stick",      "slip",
        "switch",      "user",       "microslip",   "roll-stick", "roll-slip",
        "twist-stick", "twist-slip", "reach-limit", "leave-limit"};
    return (unsigned)kind < sizeof names / sizeof *names ? names[kind] : NULL;
}

const char *ff_model_event_owner(const ff_model *model, const ff_event *event) {
    const ff_sim_kind *kind = kind_of(model);
    const bool owned = event->kind != FF_SWITCH && event->kind != FF_USER && event->contact >= 0;
    return owned && kind->owner ? kind->owner(model, event) : NULL;
}

const char *ff_model_event_name(const ff_model *model, const ff_event *event) {
    const ff_control *program = model->topology ? model->topology->controls.program : NULL;
    if (event->kind != FF_USER || !program || model->events[event->contact].function) {
        return NULL;
    }
    return program->event_names[model->events[event->contact].expression];
}

const char *ff_sim_error(const ff_sim *sim) { return sim->error; }

ff_ledger ff_sim_ledger_parts(ff_sim *sim, double *held) {
    ff_ledger out = sim->kind->ledger(sim, held);
    const double given = out.residual, still = out.initial;
    out.initial = sim->now.initial;
    out.scale = fmax(sim->now.scale, ff_ledger_magnitude(&out, sim->now.gravity));
    ff_ledger_close(&out);
    if (still != 0) {
        /* the gravity of bodies that cannot move */
        out.gravity += still;
        out.initial += still;
    }
    /* accounts that cannot close have a residual of NAN */
    out.residual = isnan(given) ? given : out.residual;
    return out;
}

ff_ledger ff_sim_ledger(ff_sim *sim) { return ff_sim_ledger_parts(sim, NULL); }

ff_statistics ff_sim_statistics(const ff_sim *sim) {
    ff_statistics out = sim->flow.now.statistics;
    out.threads = sim->kind->threads ? sim->kind->threads(sim) : 1;
    out.cost = (double)out.evaluations + sim->flow.now.linear;
    return out;
}
