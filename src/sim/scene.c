/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "body/vector.h"
#include "dynamics/assembly.h"
#include "edges.h"
#include "num/memory.h"
#include "num/valid.h"
#include "rest.h"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A run of a scene whose contacts have their own slots. */

/* ---- observed state ---- */

const double *ff_sim_bodies_at(ff_sim *sim, const double *y) {
    return ff_mechanism_bodies(sim->reduced, &sim->mechanism, y);
}

/* The state that queries refer to: the sim's own, or the observed one. */
typedef struct {
    double time;
    const double *y, *bodies;
    const ff_sim_phase *phase;
} sight;

static sight view(const ff_sim *sim) {
    const ff_flow *f = &sim->flow;
    bool now = isnan(f->seen_time);
    const double *y = now ? f->y : f->seen;
    return (sight){.time = now ? ff_sim_now_time(sim) : f->seen_time,
                   .y = y,
                   .bodies = ff_articulated(sim->reduced) ? sim->shown : y,
                   .phase = now ? &sim->phase : &sim->past};
}

void ff_scene_look(const ff_sim *sim, ff_control_view *out) {
    const sight at = view(sim);
    *out = (ff_control_view){sim->reduced, &sim->contexts[at.phase != &sim->phase], at.time,
                             at.bodies, at.y};
}

static void show(ff_sim *sim) {
    const ff_model *model = sim->reduced;
    if (ff_articulated(model)) {
        memcpy(sim->shown, ff_sim_bodies_at(sim, view(sim).y),
               model->body_count * FF_BODY_STRIDE * sizeof *sim->shown);
    }
}

/* ---- construction ---- */

/* Positions of the parts of a phase in its block; returns its size. */
static size_t lay_out_phase(const ff_model *model, char *block, ff_sim_phase *out) {
    ff_arena a = {block, 0};
    FF_TAKE(&a, out->spent, 1);
    FF_TAKE(&a, out->removed, 1);
    FF_TAKE(&a, out->books, model->slot_count);
    FF_TAKE(&a, out->modes, model->slot_count);
    FF_TAKE(&a, out->slipping, model->slot_count);
    FF_TAKE(&a, out->grips, model->slot_count);
    FF_TAKE(&a, out->parted, model->slot_count);
    FF_TAKE(&a, out->turning, model->turns ? 2 * model->slot_count : 0);
    FF_TAKE(&a, out->opening, model->slot_count);
    FF_TAKE(&a, out->inside, model->slot_count);
    FF_TAKE(&a, out->rubbing,
            ff_edges_list(model, NULL) > 0 ? FF_JOINT_COORDINATES * model->joint_count : 0);
    FF_TAKE(&a, out->stops, ff_edges_stops(model));
    FF_TAKE(&a, out->acting, model->force_count);
    FF_TAKE(&a, out->above, model->event_count);
    FF_TAKE(&a, out->memory, model->topology->controls.memories);
    FF_TAKE(&a, out->branches, ff_control_branches(model));
    FF_TAKE(&a, out->samples, model->topology->controls.samplers);
    FF_TAKE(&a, out->changed, model->topology->controls.samplers > 0);
    return a.used;
}

/* Floating-point operations of an evaluation: measured per body and slot, for trees and free bodies (bench/auto). */
static double evaluation(const ff_model *model) {
    return 250 + (model->tree ? 550 : 250) * (double)model->body_count +
           125 * (double)model->slot_count;
}

/* Cost of a Jacobian in evaluations: by finite differences one per state, otherwise as measured on scenes/rolling.yaml,
 * scenes/collision.yaml, the biped and the quadruped. */
static double jacobian(const ff_model *model, bool differences) {
    return differences   ? (double)model->active
           : model->tree ? fmax(8, 3 + 1.5 * (double)model->body_count)
                         : 12;
}

/* Sets what a flow needs before arrays are laid out. */
static void describe(ff_sim *sim) {
    const ff_model *model = sim->reduced;
    const ff_run_options *o = &sim->options;
    ff_sim_phase none;
    size_t roots = 0;
    for (size_t i = 0; i < model->slot_count && o->events; i++) {
        roots += 1u + model->slots[i].law.clamps + ff_slot_has_edge(&model->slots[i]) +
                 ff_slot_has_room(&model->slots[i]) + ff_slot_has_parts(&model->slots[i]) +
                 ff_slot_turning_edge(&model->slots[i], 0) +
                 ff_slot_turning_edge(&model->slots[i], 1) + model->slots[i].kinked;
    }
    roots += o->events
                 ? ff_edges_list(model, NULL) + model->event_count + ff_control_branches(model)
                 : 0;
    const bool differences = model->tree && ff_dynamics_differences(model);
    const bool driven = ff_articulated(model) && model->tree->driven;
    bool round = false;
    for (size_t i = 0; i < model->body_count; i++) {
        round = round || ff_turns_apart(model, i);
    }
    sim->flow = (ff_flow){.system = &ff_scene_system,
                          .self = sim,
                          .n = model->size,
                          .states = model->states,
                          .rows = ff_sim_rows(model, o->method),
                          .phase_size = lay_out_phase(model, NULL, &none),
                          .roots = roots,
                          /* a force begins and ends */
                          .switches_most = 2 * model->force_count + 1,
                          .method = o->method,
                          .tol = o->tol,
                          .dt = o->dt,
                          .longest = o->max_step,
                          .evaluation = evaluation(model),
                          .jacobian = jacobian(model, differences),
                          .differences = differences,
                          .locates = o->events,
                          .arranges = sim->near || ff_survey_limits(model),
                          .carries = round || driven,
                          /* an orientation that an event reads is in the rates */
                          .carries_roots = driven};
}

/* Whether Jacobians of free bodies need finite differences in part: for contacts with a moment, for controllers, and in an
 * equilibrium search for their held outputs. */
static bool needs_rates(const ff_model *model) {
    const ff_controls *c = &model->topology->controls;
    return model->turns || c->differences ||
           (c->samplers > 0 && model->defs.start == FF_START_REST);
}

void ff_scene_lay_out(ff_sim *sim, const ff_near_counts *counts, ff_arena *a) {
    const ff_model *model = sim->reduced;
    const size_t n = model->size, slots = model->slot_count, bodies = model->body_count;
    describe(sim);
    if (sim->near) {
        ff_near_lay_out_state(sim, counts, a);
    }
    ff_flow_lay_out_state(&sim->flow, a);
    FF_TAKE(a, sim->extents, bodies);
    FF_TAKE(a, sim->fastest, bodies);
    FF_TAKE(a, sim->user_size, model->event_count);
    FF_TAKE(a, sim->branch_size, ff_control_branches(model));
    FF_TAKE(a, sim->surveys, ff_survey_count(model));
    FF_TAKE(a, sim->inputs, ff_set_inputs_size(sim));
    FF_TAKE(a, sim->impacts, sim->model->contact_count > 0 ? FF_IMPACTS_KEPT : 0);
    ff_sim_lay_out_leak(sim, a);
    ff_flow_lay_out_work(&sim->flow, a);
    lay_out_phase(model, sim->flow.phase, &sim->phase);
    lay_out_phase(model, sim->flow.last.phase, &sim->past);
    FF_TAKE(a, sim->ends, sim->flow.roots);
    FF_TAKE(a, sim->root_at, slots);
    FF_TAKE(a, sim->touches, slots);
    FF_TAKE(a, sim->carries, slots);
    FF_TAKE(a, sim->sways, sim->options.events ? bodies : 0);
    ff_piece_lay_out(sim, a);
    FF_TAKE(a, sim->motions, bodies);
    FF_TAKE(a, sim->extents_now, bodies);
    FF_TAKE(a, sim->shown, ff_articulated(model) ? bodies * FF_BODY_STRIDE : 0);
    FF_TAKE(a, sim->scratch, n > bodies * FF_BODY_STRIDE ? n : bodies * FF_BODY_STRIDE);
    FF_TAKE(a, sim->place, model->states);
    const size_t folded = sim->flow.rows > 0 && ff_dynamics_folds(model) ? model->states : 0;
    FF_TAKE(a, sim->folding.place, folded);
    FF_TAKE(a, sim->fold.runs, folded);
    FF_TAKE(a, sim->fold.first, folded);
    FF_TAKE(a, sim->fold.part, folded);
    FF_TAKE(a, sim->fold.mean, folded);
    FF_TAKE(a, sim->fold.solution, folded);
    FF_TAKE(a, sim->slope_rates, needs_rates(model) ? 2 * n : 0);
    ff_control_lay_out(sim, a);
    ff_edges_lay_out(sim, a);
    ff_mechanism_lay_out(model, &sim->mechanism, a);
    if (sim->near) {
        ff_near_lay_out_work(sim, a);
    }
}

/* sets y to these motions of the bodies, and everything else to 0 */
static void set_bodies(ff_sim *sim, const double *bodies) {
    const ff_model *model = sim->reduced;
    double *y = sim->flow.y;
    memset(y, 0, model->size * sizeof *y);
    if (ff_articulated(model)) {
        ff_links_read(model, bodies, y);
        ff_mechanism_time(&sim->mechanism, 0);
        ff_mechanism_lead(&sim->mechanism, y);
    } else {
        memcpy(y, bodies, model->body_count * FF_BODY_STRIDE * sizeof *y);
    }
}

/* Evaluates the ledger now and then: between events energies change little in a few steps; contacts that began or ended
 * without being located are `fresh`. */
static void note(ff_sim *sim, ff_status status) {
    const ff_flow *f = &sim->flow;
    const long steps = f->now.statistics.steps;
    if (status == FF_OK && !(f->now.fresh && !f->locates) && steps % 8 != 0) {
        return;
    }
    ff_verdict_note(sim);
    ff_meetings_note(sim);
    if (ff_method_order(f->now.method) && steps % 64 == 0) {
        ff_system_watch_sizes(sim);
    }
}

/* Initialises a run at its start, with y as it is. */
static void begin(ff_sim *sim) {
    const ff_model *model = sim->reduced;
    ff_flow *f = &sim->flow;
    double least = 1e-6 * sim->options.until;
    for (size_t i = 0; i < model->slot_count && !model->open; i++) {
        least = fmin(least, 1e-3 * ff_system_touch_time(model, model->slots[i].body));
    }
    for (size_t i = 0; i < model->contact_count && model->open; i++) {
        const int shape = model->topology->sources[i].shape;
        least = fmin(least, 1e-3 * ff_system_touch_time(model, model->defs.shapes.at[shape].body));
    }
    for (size_t i = 0; i < model->body_count; i++) {
        sim->fastest[i] = sim->extents[i].speed;
    }
    memset(f->phase, 0, f->phase_size);
    ff_survey_forget(sim);
    sim->now = (ff_sim_now){0};
    sim->reactions = false;
    f->now = (ff_flow_now){.clock = ff_clock_at(0, 1)};
    ff_system_weigh(sim);
    int power = ff_events_start(sim);
    ff_books_start(sim);
    ff_system_set_acting(sim, false);
    if (model->tree && model->tree->reacts) {
        /* the loads of friction springs, which their allowed errors depend on */
        ff_dynamics_rates(model, &sim->contexts[0], 0, f->y, sim->scratch);
        ff_system_weigh(sim);
    }
    if (sim->edges.count > 0) {
        ff_edges_start(sim);
    }
    ff_flow_begin(f, power, power > 1 ? least : 1e-3 * sim->options.until + 1e-9, least);
    ff_verdict_begin(sim);
    note(sim, FF_EVENT);
    show(sim);
}

ff_status ff_sim_rebegin(ff_sim *sim) {
    ff_status status = sim->near ? ff_near_begin(sim, sim->model->starts) : FF_OK;
    if (status < 0) {
        return status;
    }
    const ff_model *model = sim->reduced;
    ff_system_use(sim);
    sim->fingerprint = 0;
    set_bodies(sim, model->starts);
    if (model->tree) {
        sim->mechanism.usual = model->tree->loop_rows - model->tree->assembly.redundant;
        sim->mechanism.reference = model->tree->condition;
    }
    memcpy(sim->extents, model->extents, model->body_count * sizeof *sim->extents);
    sim->rest = (ff_rest){0};
    sim->shift = (ff_shift){0};
    if (model->defs.start == FF_START_REST) {
        status = ff_rest_find(sim);
        if (status < 0) {
            /* if memory is exhausted, the first step of a run reports it */
            (void)(sim->near && ff_near_begin(sim, model->starts));
            set_bodies(sim, model->starts);
        }
        ff_scales_bodies(model, 0, ff_sim_bodies_at(sim, sim->flow.y), sim->extents);
    }
    begin(sim);
    return status;
}

ff_rest ff_sim_rest(const ff_sim *sim) { return sim->rest; }

bool ff_sim_rest_carries(const ff_sim *sim, size_t contact) {
    const size_t slot = sim->rest.found ? ff_near_slot(sim, contact) : SIZE_MAX;
    return slot < sim->reduced->slot_count && sim->carries[slot];
}

/* Whether a model can be run with these options. */
static ff_status check(const ff_model *model, const ff_run_options *o, ff_error *error) {
    if (model->tree && o->formulation != model->run.formulation) {
        return ff_model_fail(error, FF_BAD_VALUE,
                             "the model was made for the %s formulation and cannot be run in the "
                             "%s one",
                             ff_formulation_name(model->run.formulation),
                             ff_formulation_name(o->formulation));
    }
    if (model->tree && !model->tree->articulated && o->constraints != model->run.constraints) {
        return ff_model_fail(
            error, FF_BAD_VALUE, "the model was made for constraint method %s, not %s",
            ff_constraints_name(model->run.constraints), ff_constraints_name(o->constraints));
    }
    for (size_t i = 0; i < model->defs.pairs.count; i++) {
        if (model->defs.pairs.at[i].stateful && !o->events) {
            /* a recovering ground is met at an event */
            return ff_model_fail(error, FF_BAD_VALUE, "a stateful ground needs located events");
        }
    }
    for (size_t i = 0; i < model->joint_count && model->defs.start == FF_START_REST; i++) {
        if (model->joints[i].drives > 0) {
            return ff_model_fail(error, FF_BAD_VALUE,
                                 "start: rest: joint '%s' has a prescribed motion, so there is no "
                                 "equilibrium: write the start",
                                 model->joints[i].name);
        }
    }
    const ff_controls *controls = &model->topology->controls;
    if (controls->program && controls->program->reaction_count > 0 && !o->events) {
        return ff_model_fail(error, FF_BAD_VALUE,
                             "controllers that act at events need located events");
    }
    if (model->defs.start == FF_START_REST && ff_control_unrest(model)) {
        return ff_model_fail(error, FF_BAD_VALUE,
                             "start: rest: %s, so there is no equilibrium: write the start",
                             ff_control_unrest(model));
    }
    return FF_OK;
}

static ff_status create(ff_sim *sim, ff_error *error) {
    ff_status status = check(sim->model, &sim->options, error);
    if (status < 0) {
        return status;
    }
    if (sim->model->open) {
        status = ff_near_create(sim);
    } else {
        ff_arena room = {0};
        ff_scene_lay_out(sim, NULL, &room);
        room = (ff_arena){ff_calloc(room.used, 1), 0};
        if (!room.at) {
            return FF_NO_MEMORY;
        }
        sim->memory = room.at;
        ff_scene_lay_out(sim, NULL, &room);
        status = ff_system_prepare(sim);
    }
    status = status < 0 ? status : ff_sim_rebegin(sim);
    return status == FF_OK || !*sim->error ? status
                                           : ff_model_fail(error, status, "%s", sim->error);
}

/* Called before every step. */
static void ready(ff_sim *sim) {
    sim->reactions = false;
    sim->mechanism.trouble = -1;
}

ff_status ff_sim_begin(ff_sim *sim, const ff_motion *bodies) {
    return ff_sim_begin_inside(sim, bodies, NULL);
}

ff_status ff_sim_begin_inside(ff_sim *sim, const ff_motion *bodies, const double *inner) {
    const ff_model *model = sim->reduced;
    if (sim->kind != &ff_scene_kind) {
        return FF_BAD_VALUE;
    }
    double *const given = sim->scratch, *at = given;
    for (size_t i = 0; i < model->body_count; i++, at += FF_BODY_STRIDE) {
        memcpy(at + FF_P, bodies[i].position, sizeof bodies[i].position);
        memcpy(at + FF_Q, bodies[i].orientation, sizeof bodies[i].orientation);
        memcpy(at + FF_VEL, bodies[i].velocity, sizeof bodies[i].velocity);
        memcpy(at + FF_OMEGA, bodies[i].omega, sizeof bodies[i].omega);
    }
    ff_assembly assembly;
    double condition;
    int worst;
    ff_status status =
        model->tree ? ff_assembly_correct(model, given, &assembly, &condition, &worst) : FF_OK;
    /* `given` stays valid: when an open model gets a new layout, its previous memory is kept until the next time */
    status = status == FF_OK && sim->near ? ff_near_begin(sim, given) : status;
    if (status < 0) {
        return status;
    }
    sim->rest = (ff_rest){0};
    set_bodies(sim, given);
    const double *state = inner;
    for (size_t i = 0; i < model->slot_count && inner; i++) {
        const ff_slot *slot = &model->slots[i];
        memcpy(sim->flow.y + slot->state_at, state, (size_t)slot->states * sizeof *state);
        state += slot->states;
    }
    ff_scales_bodies(sim->reduced, 0, ff_sim_bodies_at(sim, sim->flow.y), sim->extents);
    sim->continues = inner != NULL;
    begin(sim);
    sim->continues = false;
    return FF_OK;
}

static void pack(ff_sim *sim) {
    ff_flow_pack(&sim->flow);
    ff_set_inputs_save(sim, sim->inputs);
}

/* Slots are free if no events are located; otherwise only a law with a clamp can be in the clamped mode. */
static bool valid_mode(const ff_sim *sim, size_t i) {
    const ff_slot *slot = &sim->reduced->slots[i];
    switch (sim->phase.modes[i]) {
    case FF_AIR:
    case FF_LOADED: return sim->options.events;
    case FF_CLAMPED: return sim->options.events && slot->law.clamps;
    case FF_FREE: return !sim->options.events;
    }
    return false;
}

/* An orientation must have a nonzero length. */
static bool valid_turn(const double q[4]) {
    const double norm = q[0] * q[0] + ff_dot(q + 1, q + 1);
    return norm > 0 && isfinite(norm);
}

static bool valid(const ff_sim *sim) {
    const ff_model *model = sim->reduced;
    const ff_sim_phase *phase = &sim->phase;
    bool good = (!sim->near || ff_near_valid(sim)) && isfinite(*phase->spent) &&
                isfinite(*phase->removed) && ff_valid_flags(phase->slipping, model->slot_count) &&
                ff_valid_flags(phase->grips, model->slot_count) &&
                ff_valid_flags(phase->parted, model->slot_count) &&
                ff_valid_flags(phase->turning, model->turns ? 2 * model->slot_count : 0) &&
                ff_valid_flags(phase->opening, model->slot_count) &&
                ff_valid_flags(phase->inside, model->slot_count) && ff_edges_valid(sim) &&
                ff_valid_flags(phase->acting, model->force_count) &&
                ff_valid_flags(phase->above, model->event_count) &&
                ff_valid_finite(sim->fastest, model->body_count) &&
                ff_valid_sizes(sim->fastest, model->body_count) &&
                ff_valid_sizes(sim->user_size, model->event_count) && ff_control_valid(sim) &&
                ff_survey_valid(sim);
    good = good && (sim->now.impacts == 0 || sim->model->contact_count > 0);
    for (size_t i = 0; i < FF_IMPACTS_KEPT && (double)i < sim->now.impacts && good; i++) {
        const ff_impact_record *r = &sim->impacts[i];
        good = ff_valid_sizes((const double[]){r->time, r->speed, r->contact_time}, 3) &&
               r->contact >= 0 && (size_t)r->contact < sim->model->contact_count;
    }
    for (size_t i = 0; i < model->slot_count && good; i++) {
        good = valid_mode(sim, i) && ff_books_valid(&phase->books[i]);
    }
    for (size_t i = 0; i < model->body_count && good; i++) {
        const ff_extent *e = &sim->extents[i];
        good = ff_valid_positive((const double[]){e->speed, e->length, e->turning}, 3) &&
               (ff_articulated(model) || valid_turn(sim->flow.y + i * FF_BODY_STRIDE + FF_Q));
    }
    return good;
}

static ff_status unpack(ff_sim *sim) {
    ff_status status = ff_set_inputs_restore(sim, sim->inputs);
    if (status == FF_OK) {
        ff_flow_unpack(&sim->flow);
        ff_edges_restored(sim);
    }
    return status;
}

/* ---- steps ---- */

/* Sets the error text for a step that failed. */
static ff_status explain(ff_sim *sim, ff_status status) {
    const ff_model *model = sim->reduced;
    if (status == FF_NOT_FINITE) {
        return ff_verdict_state(sim, sim->flow.stepper.y1);
    }
    if (status == FF_TOO_STIFF) {
        return ff_survey_stiff(sim);
    }
    if (status == FF_NO_MEMORY && sim->flow.matrix) {
        snprintf(
            sim->error, sizeof sim->error,
            "near t = %.9g s there is no memory for the matrix of method '%s', of %zu rows and "
            "at most %zu numbers: method dopri5 needs none",
            ff_sim_now_time(sim), ff_method_name(sim->flow.now.method), sim->flow.rows,
            sim->flow.matrix->most);
    }
    if (status == FF_STUCK) {
        const size_t slot = sim->ends[sim->flow.blame].slot;
        const size_t users = model->slot_count, kinks = users + model->event_count,
                     edges = kinks + ff_control_branches(model);
        snprintf(sim->error, sizeof sim->error,
                 "%s%s switches back and forth without any progress in time%s",
                 slot >= edges   ? "joint "
                 : slot >= kinks ? "an expression of a controller"
                 : slot >= users ? "a user's event"
                                 : "contact ",
                 slot >= edges   ? ff_edges_owner(sim, slot - edges)
                 : slot >= users ? ""
                                 : model->slots[slot].name,
                 ff_method_fixed(sim->options.method) ? "; a smaller dt, or method auto, would help"
                                                      : "");
    }
    return status;
}

/* ---- queries ---- */

ff_motion ff_sim_body(const ff_sim *sim, size_t body) {
    if (body >= sim->model->body_count) {
        return (ff_motion){.orientation = {1, 0, 0, 0}};
    }
    return sim->kind->body ? sim->kind->body(sim, body) : ff_motion_at(view(sim).bodies, body);
}

ff_joint_record ff_sim_joint(ff_sim *sim, size_t joint) {
    if (joint >= sim->model->joint_count) {
        return (ff_joint_record){.effort = {0}};
    }
    const sight at = view(sim);
    ff_mechanism *m = &sim->mechanism;
    ff_joint_record out = {0};
    if (!sim->reactions) {
        ff_phase phase = {.modes = at.phase->modes,
                          .acting = at.phase->acting,
                          .stops = sim->contexts[0].stops ? at.phase->stops : NULL,
                          .mechanism = m,
                          .way = &sim->options};
        ff_control_give(sim, at.phase, &phase);
        ff_dynamics_rates(sim->reduced, &phase, at.time, at.y, m->scratch);
        ff_mechanism_reactions(m);
        sim->reactions = true;
    }
    /* evaluating the rates has placed the bodies */
    ff_dynamics_reaction(sim->reduced, m, ff_articulated(sim->reduced) ? m->bodies : at.y, at.y,
                         joint, &out);
    return out;
}

ff_violation ff_sim_violation(ff_sim *sim) {
    sim->reactions = false;
    if (!sim->reduced->tree) {
        return (ff_violation){0};
    }
    ff_mechanism_time(&sim->mechanism, view(sim).time);
    return ff_mechanism_violation(&sim->mechanism, view(sim).y);
}

ff_violation ff_sim_violation_most(const ff_sim *sim) { return sim->now.violated; }

double ff_sim_constraint_part(ff_sim *sim) {
    const ff_ledger l = ff_sim_ledger(sim);
    /* the scale of the ledger is 0 if nothing moves, and without joints there is no constraint work */
    return l.constraint == 0 ? 0 : fabs(l.constraint) / fmax(l.scale, 1e-6 * sim->reduced->energy);
}

ff_status ff_sim_joints_verdict(ff_sim *sim) {
    const ff_model *model = sim->reduced;
    const ff_run_options *o = &sim->options;
    if (!model->tree) {
        return FF_OK;
    }
    bool maximal = !model->tree->articulated, soft = maximal && o->constraints == FF_PENALTY,
         promises = ff_method_order(o->method) > 0 && o->events && !soft;
    const ff_ledger l = ff_sim_ledger(sim);
    const double least = 1e-6 * sim->reduced->energy;
    double part = ff_sim_constraint_part(sim),
           most = promises ? fmin(fmax(1e-6, 1e3 * o->tol), 1e-2) : 1e-2,
           off = sim->now.violated.position, size = ff_mechanism_size(model);
    if (part > most &&
        fabs(l.constraint) > most * fmax(l.scale, least) + ff_verdict_permits(sim, &l)) {
        snprintf(sim->error, sizeof sim->error,
                 "joints did %.3g J of work, %.2g of the energy scale (limit %.2g), although they "
                 "should do none: the run has not followed its model",
                 -l.constraint, part, most);
        return FF_NOT_HELD;
    }
    if (size > 0 && off > 1e-2 * size) {
        snprintf(sim->error, sizeof sim->error,
                 "joints were violated by %.2g m or rad, in a mechanism of %.2g m: the run has not "
                 "followed its model",
                 off, size);
        return FF_NOT_HELD;
    }
    return FF_OK;
}

ff_contact_record ff_sim_contact(const ff_sim *sim, size_t contact) {
    if (contact >= sim->model->contact_count) {
        return (ff_contact_record){.touching = false};
    }
    const size_t own = ff_near_slot(sim, contact);
    const bool has = own != SIZE_MAX;
    ff_slot far;
    if (!has) {
        ff_model_slot(sim->model, contact, &far);
    }
    const ff_slot *slot = has ? &sim->reduced->slots[own] : &far;
    const sight at = view(sim);
    const ff_mode mode = has ? at.phase->modes[own] : FF_AIR;
    const double *state = has ? at.y + slot->state_at : NULL;
    ff_contact_record out = {0};
    ff_touch touch;
    const double *bodies = at.bodies, *body = ff_body_state(bodies, slot->body);
    ff_touch_find(slot, at.time, bodies, &touch);
    out.depth = touch.z;
    out.rate = touch.zdot;
    ff_add_scaled(body + FF_P, 1, touch.arm, out.point);
    memcpy(out.normal, touch.n, sizeof out.normal);
    memcpy(out.slip, touch.slide.v, sizeof out.slip);
    if (mode != FF_AIR && !(mode == FF_FREE && ff_touch_ignored(slot, bodies))) {
        ff_touch_answer(slot, mode, state, NULL, &touch);
        bool free = mode == FF_FREE;
        out.touching = free ? touch.at.force > 0 : mode == FF_LOADED || touch.at.lift > 0;
        out.elastic =
            ff_normal_force(&slot->law, slot->filtered ? touch.z : fmax(touch.z, 0), 0, state);
        out.viscous = touch.at.force - out.elastic;
        memcpy(out.force, touch.push, sizeof out.force);
        if (slot->turns) {
            ff_add_scaled(touch.at.moment, touch.at.twist, touch.n, out.torque);
        }
        if (slot->friction.vectors > 0) {
            memcpy(out.u, state + ff_slot_u(slot), sizeof out.u);
        }
        out.slips = slot->friction.law->slips &&
                    (free ? touch.z > 0 && touch.at.excess > 0 : at.phase->slipping[own]);
    }
    return out;
}

ff_ledger ff_sim_contact_ledger(const ff_sim *sim, size_t contact) {
    if (contact >= sim->model->contact_count) {
        return (ff_ledger){.kinetic = 0};
    }
    const sight at = view(sim);
    const size_t slot = ff_near_slot(sim, contact);
    return slot == SIZE_MAX ? ff_near_absent_ledger(sim, contact, at.time)
                            : ff_ledger_contact(sim->reduced, slot, at.phase->modes[slot], at.time,
                                                at.bodies, at.y, &at.phase->books[slot]);
}

ff_ledger ff_sim_class_ledger(const ff_sim *sim, size_t index) {
    return index < ff_model_class_count(sim->model) && sim->kind->class_ledger
               ? sim->kind->class_ledger(sim, index)
               : (ff_ledger){0};
}

size_t ff_sim_bodies(const ff_sim *sim, ff_motion *out, size_t count) {
    for (size_t i = 0; i < sim->model->body_count && i < count; i++) {
        out[i] = ff_sim_body(sim, i);
    }
    return sim->model->body_count;
}

size_t ff_sim_contacts(const ff_sim *sim, ff_contact_record *out, size_t count) {
    for (size_t i = 0; i < sim->model->contact_count && i < count; i++) {
        out[i] = ff_sim_contact(sim, i);
    }
    return sim->model->contact_count;
}

size_t ff_sim_joints(ff_sim *sim, ff_joint_record *out, size_t count) {
    for (size_t i = 0; i < sim->model->joint_count && i < count; i++) {
        out[i] = ff_sim_joint(sim, i);
    }
    return sim->model->joint_count;
}

/* Adds the accounts of a contact to those of the run, and its energy to its party. */
static void add_contact(const ff_ledger *part, size_t party, ff_ledger *out, double *held) {
#define ADD(name) out->name += part->name;
    FF_LEDGER_LIST(ADD)
#undef ADD
    if (held) {
        held[party] += ff_ledger_sum(part);
    }
}

static ff_ledger slots_ledger(ff_sim *sim, double *held) {
    const sight at = view(sim);
    const ff_near *near = sim->near;
    const size_t parties = ff_verdict_parties(sim->model) - FF_PARTIES;
    ff_ledger out = {0};
    const double *bodies = ff_sim_bodies_at(sim, at.y);
    if (held) {
        memset(held, 0, parties * sizeof *held);
    }
    for (size_t i = 0; i < sim->reduced->slot_count; i++) {
        ff_ledger part = ff_ledger_contact(sim->reduced, i, at.phase->modes[i], at.time, bodies,
                                           at.y, &at.phase->books[i]);
        add_contact(&part, ff_verdict_party(sim, i), &out, held);
    }
    for (size_t i = 0; near && i < near->counts->absent; i++) {
        const size_t contact = near->absent[i].contact;
        ff_ledger part = ff_near_absent_ledger(sim, contact, at.time);
        add_contact(&part, (size_t)sim->model->topology->sources[contact].pair, &out, held);
    }
    ff_ledger_bodies(sim->reduced, bodies, at.y, &out);
    out.springs = ff_dynamics_springs(
        sim->reduced, &(ff_phase){.modes = at.phase->modes, .acting = at.phase->acting}, bodies,
        at.y);
    out.external += *at.phase->spent;
    out.constraint += *at.phase->removed;
    if (held) {
        double *other = held + parties;
        other[FF_PARTY_SPRINGS] = out.springs;
        other[FF_PARTY_DAMPERS] = out.dampers;
        other[FF_PARTY_APPLIED] =
            ff_run_integral(sim->reduced, at.y, FF_APPLIED_WORK) + *at.phase->spent;
        other[FF_PARTY_CONSTRAINT] = out.constraint;
    }
    return out;
}

static const char *owner(const ff_model *model, const ff_event *event) {
    const size_t of = (size_t)event->contact, joint = of - model->contact_count;
    return of < model->contact_count ? ff_model_contact_name(model, of)
           : joint < FF_JOINT_COORDINATES * model->joint_count
               ? model->topology
                     ->joint_owners[joint / FF_JOINT_COORDINATES][joint % FF_JOINT_COORDINATES]
               : NULL;
}

const ff_sim_kind ff_scene_kind = {.create = create,
                                   .free = ff_near_free,
                                   .ready = ready,
                                   .show = show,
                                   .pack = pack,
                                   .valid = valid,
                                   .unpack = unpack,
                                   .fingerprint = ff_fingerprint_scene,
                                   .note = note,
                                   .explain = explain,
                                   .ledger = slots_ledger,
                                   .owner = owner,
                                   .parties = ff_verdict_parties,
                                   .name_party = ff_verdict_name_party,
                                   .finite = ff_verdict_finite,
                                   .permits = ff_verdict_permits};
