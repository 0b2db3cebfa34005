/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "crowd.h"
#include "num/memory.h"
#include "sim/sim.h"
#include <stdlib.h>
#include <string.h>

/* A run of a crowd: fixed steps of many spheres (crowd/crowd.h). */

/* A crowd has no flow: the members of its `now` other than statistics stay constant. */
static void begin_flow(ff_sim *sim) {
    sim->flow.now = (ff_flow_now){.clock = ff_clock_at(0, 1),
                                  .step = sim->options.dt,
                                  .least = sim->options.dt,
                                  .next = INFINITY,
                                  .method = sim->options.method};
}

static ff_status create(ff_sim *sim, ff_error *error) {
    const ff_model *model = sim->model;
    const ff_run_options *o = &sim->options;
    if (o->events || (o->method != FF_VERLET && o->method != FF_SEMI_IMPLICIT)) {
        return ff_model_fail(error, FF_BAD_VALUE,
                             "a crowd needs method verlet or semi-implicit and events: none");
    }
    ff_crowd *crowd;
    ff_status status = ff_crowd_create(model, o, &crowd);
    if (status < 0) {
        return ff_model_fail(error, status, "the crowd cannot be created: %s",
                             ff_status_text(status));
    }
    sim->own = crowd;
    ff_arena room = {0};
    ff_sim_lay_out_leak(sim, &room);
    room = (ff_arena){ff_calloc(room.used, 1), 0};
    if (!room.at) {
        return FF_NO_MEMORY;
    }
    sim->memory = room.at;
    ff_sim_lay_out_leak(sim, &room);
    sim->flow.method = o->method;
    sim->flow.seen_time = NAN;
    begin_flow(sim);
    ff_verdict_begin(sim);
    return FF_OK;
}

/* A crowd reads all its numbers when it is created. */
static ff_status renumber(ff_sim *sim, const ff_model *made, ff_error *error) {
    ff_crowd *crowd;
    ff_status status = ff_crowd_create(made, &sim->options, &crowd);
    if (status < 0) {
        return ff_model_fail(error, status, "%s", ff_status_text(status));
    }
    ff_crowd_free(sim->own);
    sim->own = crowd;
    sim->now = (ff_sim_now){0};
    begin_flow(sim);
    memset(sim->memory, 0, sim->state_size);
    return FF_OK;
}

/* steps between evaluations of the ledger, each of which takes about as long as a step */
enum { LOOKS = 100 };

static ff_status step(ff_sim *sim, double until) {
    ff_statistics *s = &sim->flow.now.statistics;
    if (!(ff_sim_time(sim) < until)) {
        return FF_OK;
    }
    ff_status status = ff_crowd_step(sim->own, until);
    s->steps++;
    s->evaluations++;
    s->method_steps[sim->options.method]++;
    s->contacts = (long)ff_crowd_contacts(sim->own);
    s->searches = ff_crowd_searches(sim->own);
    if (status == FF_NOT_FINITE) {
        return ff_verdict_bodies(sim);
    }
    if (status < 0 || s->steps % LOOKS == 0) {
        ff_verdict_note(sim);
    }
    return status;
}

static void free_run(ff_sim *sim) { ff_crowd_free(sim->own); }

static ff_ledger ledger(ff_sim *sim, double *held) { return ff_crowd_ledger(sim->own, held); }

static ff_ledger class_ledger(const ff_sim *sim, size_t index) {
    return ff_crowd_class_ledger(sim->own, index);
}

static double time_of(const ff_sim *sim) { return ff_crowd_time(sim->own); }

static ff_motion body(const ff_sim *sim, size_t i) { return ff_crowd_body(sim->own, i); }

static double normal_force(ff_sim *sim, size_t i) { return ff_crowd_normal_force(sim->own, i); }

static int threads(const ff_sim *sim) { return ff_crowd_threads(sim->own); }

static size_t saved_size(const ff_sim *sim) { return ff_crowd_state_size(sim->own); }

static void save(const ff_sim *sim, void *out) { ff_crowd_save(sim->own, out); }

static ff_status restore(ff_sim *sim, const void *state, size_t size) {
    return ff_crowd_restore(sim->own, state, size);
}

const ff_sim_kind ff_crowd_kind = {.create = create,
                                   .free = free_run,
                                   .step = step,
                                   .renumber = renumber,
                                   .time = time_of,
                                   .body = body,
                                   .normal_force = normal_force,
                                   .class_ledger = class_ledger,
                                   .threads = threads,
                                   .saved_size = saved_size,
                                   .save = save,
                                   .restore = restore,
                                   .fingerprint = ff_fingerprint_scene,
                                   .ledger = ledger,
                                   .parties = ff_verdict_parties,
                                   .name_party = ff_verdict_name_party,
                                   .finite = ff_verdict_finite,
                                   .permits = ff_verdict_permits};
