/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "num/valid.h"
#include "sim.h"
#include <float.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* Controllers in a run: samples, actions of events, sides of kinks, event functions of the user. */

static const ff_controls *controls_of(const ff_sim *sim) {
    return &sim->reduced->topology->controls;
}

static const ff_control *program_of(const ff_sim *sim) { return controls_of(sim)->program; }

size_t ff_control_branches(const ff_model *model) {
    const ff_control *program = model->topology->controls.program;
    return program ? program->branch_count : 0;
}

/* ---- memory ---- */

void ff_control_lay_out(ff_sim *sim, ff_arena *a) {
    const ff_model *model = sim->reduced;
    const ff_controls *c = controls_of(sim);
    ff_control_room *room = &sim->control;
    size_t forces = 0, states = 0, most = c->program ? c->program->room_out : 0;
    for (size_t i = 0; i < c->own_count; i++) {
        const ff_controller_def *def = &c->own[i];
        forces = def->force_count > forces ? def->force_count : forces;
        states = def->state_count > states ? def->state_count : states;
    }
    FF_TAKE(a, room->work, c->program ? c->program->room : 0);
    FF_TAKE(a, room->commands, 3 * FF_COMMANDS * (c->acts ? model->force_count : 0));
    FF_TAKE(a, room->acted, c->memories + 1);
    FF_TAKE(a, room->own_commands, FF_COMMANDS * forces);
    FF_TAKE(a, room->own_rates, states);
    FF_TAKE(a, room->slopes, c->program ? c->program->slope_count : 0);
    FF_TAKE(a, room->values, most);
    FF_TAKE(a, room->before, c->memories);
    FF_TAKE(a, room->after, c->memories);
    FF_TAKE(a, room->rested, model->defs.start == FF_START_REST ? c->memories : 0);
}

void ff_control_prepare(ff_sim *sim) {
    sim->control.acted[controls_of(sim)->memories] = 0;
    if (program_of(sim)) {
        ff_control_begin(program_of(sim), sim->control.work);
    }
}

void ff_control_give(const ff_sim *sim, const ff_sim_phase *phase, ff_phase *out) {
    out->memory = phase->memory;
    out->branches = phase->branches;
    out->control_work = sim->control.work;
    out->commands = sim->control.commands;
    out->acted = sim->control.acted;
    out->own_commands = sim->control.own_commands;
    out->own_rates = sim->control.own_rates;
    out->control_slopes = sim->control.slopes;
    out->control_values = sim->control.values;
}

static ff_control_view view_here(ff_sim *sim) {
    return (ff_control_view){sim->reduced, &sim->contexts[0], ff_sim_now_time(sim),
                             ff_sim_bodies_at(sim, sim->flow.y), sim->flow.y};
}

/* ---- kinks ---- */

/* Positive if an argument is not on the stored side. */
static double disagreement(const ff_branch *branch, double side, double x) {
    return branch->whole ? fmax(side - x, x - (side + 1)) : side != 0 ? x : -x;
}

bool ff_control_settle(ff_sim *sim) {
    if (ff_control_branches(sim->reduced) == 0) {
        return false;
    }
    const ff_control_view view = view_here(sim);
    return ff_control_decide_sides(&view, sim->phase.branches);
}

/* Called after discrete numbers have changed. If that makes the argument of a kink exactly 0, as a factor `touching` does,
 * its side is decided by the expression, not by its previous side; `fired` are those that have switched at this instant. */
void ff_control_decide(ff_sim *sim, const size_t *fired, size_t count) {
    const ff_control *program = program_of(sim);
    if (!program || program->branch_count == 0) {
        return;
    }
    const ff_control_view view = view_here(sim);
    const size_t kinks = sim->reduced->slot_count + sim->reduced->event_count;
    for (size_t k = 0; k < program->branch_count; k++) {
        const double x = ff_control_argument(program, ff_control_run_branches(&view), k);
        bool switched = false;
        for (size_t i = 0; i < count; i++) {
            switched = switched || sim->ends[fired[i]].slot == kinks + k;
        }
        if (x == 0 && !switched) {
            sim->phase.branches[k] = ff_branch_side(&program->branches[k], x);
        }
    }
}

/* Estimate of the magnitude of the terms in a function, which is not known: its largest value at the end of a step, and its
 * change over the elapsed time, since time and quantities that depend on it are rounded. */
double ff_control_size(const ff_sim *sim, double size, const ff_root *from, const ff_root *to) {
    const ff_flow *f = &sim->flow;
    const double now = ff_flow_time(f), step = now - ff_clock_now(&f->last.clock);
    /* the slope of a step within rounding is meaningless */
    const double moved = step > 1e-9 * now ? now * fabs(to->g - from->g) / step : 0;
    return fmax(size, fmax(fabs(to->g), isfinite(moved) ? moved : 0));
}

void ff_control_note_sizes(ff_sim *sim, const ff_root *from, const ff_root *to) {
    for (size_t k = 0; k < ff_control_branches(sim->reduced); k++) {
        sim->branch_size[k] = ff_control_size(sim, sim->branch_size[k], &from[k], &to[k]);
    }
}

/* a few units in the last place of the largest argument so far */
#define ROUNDING (8 * DBL_EPSILON)

void ff_control_roots(ff_sim *sim, double t, const double *bodies, const double *y, size_t first,
                      size_t count, ff_root *out) {
    const ff_control *program = program_of(sim);
    const ff_control_view view = {sim->reduced, &sim->contexts[0], t, bodies, y};
    const double *work = ff_control_run_branches(&view);
    for (size_t k = first; k < first + count; k++) {
        out[k - first] = (ff_root){.g = disagreement(&program->branches[k], sim->phase.branches[k],
                                                     ff_control_argument(program, work, k)),
                                   .noise = ROUNDING * sim->branch_size[k],
                                   .slope = NAN,
                                   .course = sim->pieces.branches[k]};
    }
}

void ff_control_switch(ff_sim *sim, size_t k) {
    const ff_control *program = program_of(sim);
    const ff_branch *branch = &program->branches[k];
    double *side = &sim->phase.branches[k];
    if (!branch->whole) {
        *side = *side == 0;
        return;
    }
    const ff_control_view view = view_here(sim);
    const double x = ff_control_argument(program, ff_control_run_branches(&view), k),
                 now = floor(x);
    /* at its root within rounding: take the neighbouring value */
    *side = now != *side ? now : x - *side > 0.5 ? *side + 1 : *side - 1;
}

/* ---- users' functions ---- */

double ff_control_event_value(ff_sim *sim, size_t expression, double t, const double *bodies,
                              const double *y) {
    double out;
    const ff_control_view view = {sim->reduced, &sim->contexts[0], t, bodies, y};
    ff_control_run(&view, &program_of(sim)->events[expression], &out);
    return out;
}

/* ---- samples ---- */

/* Assigns values that were all computed before. */
static void assign(ff_sim *sim, const ff_target *targets, size_t count, const double *values) {
    for (size_t i = 0; i < count; i++) {
        if (targets[i].kind == FF_TARGET_STATE) {
            sim->flow.y[sim->reduced->control_at + targets[i].at] = values[i];
        } else {
            sim->phase.memory[targets[i].at] = values[i];
        }
    }
}

static void sample(ff_sim *sim, const ff_control_view *here, size_t i) {
    const ff_controls *c = controls_of(sim);
    size_t own;
    const double every = ff_controls_every(c, i, &own);
    /* the controller is given its exact sample time, even if another sample was due within rounding before */
    ff_control_view at = *here;
    const ff_control_view *view = &at;
    at.time = sim->phase.samples[i] * every;
    if (own == SIZE_MAX) {
        const ff_sample_group *s = &c->program->samplers[i];
        if (s->count > 0) {
            ff_control_run(view, &s->program, sim->control.values);
            assign(sim, s->targets, s->count, sim->control.values);
        }
    } else {
        const ff_controller_def *def = &c->own[own];
        double *memory = sim->phase.memory + c->own_at[own];
        def->function(def->user, view, memory, NULL,
                      (double(*)[FF_COMMANDS])(memory + def->state_count));
    }
    sim->phase.samples[i]++;
}

/* Samples are at k every with an integer k, so no error accumulates. Periods that are multiples of each other coincide
 * within rounding: all samples of that instant are taken together. */
static bool is_due(const ff_sim *sim, size_t i, double now) {
    size_t own;
    return sim->phase.samples[i] * ff_controls_every(controls_of(sim), i, &own) <=
           now * (1 + 4 * DBL_EPSILON);
}

/* The next sample: its controller, SIZE_MAX without samples. */
static size_t first_due(const ff_sim *sim, double *time, double *every) {
    const ff_controls *c = controls_of(sim);
    size_t out = SIZE_MAX;
    *time = INFINITY;
    for (size_t i = 0; i < c->samplers; i++) {
        size_t own;
        const double period = ff_controls_every(c, i, &own), at = sim->phase.samples[i] * period;
        if (at < *time) {
            *time = at;
            *every = period;
            out = i;
        }
    }
    return out;
}

double ff_control_next(const ff_sim *sim) {
    double time, every;
    first_due(sim, &time, &every);
    return time;
}

/* A sample that changes neither commands nor states has no effect, and a step can pass it. Whether it does is known only
 * after the step: if it does not, the step is made in vain. So steps may pass the more samples, the longer none has changed
 * anything: as many as fit in that time, which makes the steps made in vain at most as many as those that were useful.
 * Steps without error control and without located events end at each sample. */
double ff_control_end(const ff_sim *sim, double t) {
    const ff_flow *f = &sim->flow;
    double time, every;
    const size_t i = first_due(sim, &time, &every);
    if (i == SIZE_MAX || !f->locates || ff_method_order(f->now.method) == 0) {
        return time;
    }
    return (sim->phase.samples[i] + floor(fmax(t - *sim->phase.changed, 0) / every)) * every;
}

/* Takes all samples that are due at this time. Returns whether any of them changed anything. */
static bool take_samples(ff_sim *sim, const ff_control_view *view, double time) {
    const ff_controls *c = controls_of(sim);
    const size_t size = c->memories * sizeof *sim->phase.memory;
    memcpy(sim->control.before, sim->phase.memory, size);
    for (size_t i = 0; i < c->samplers; i++) {
        if (is_due(sim, i, time)) {
            sample(sim, view, i);
        }
    }
    return memcmp(sim->control.before, sim->phase.memory, size) != 0;
}

bool ff_control_meet(ff_sim *sim) {
    const ff_controls *c = controls_of(sim);
    ff_control_room *room = &sim->control;
    const double now = ff_sim_now_time(sim);
    bool changed = false;
    if (c->samplers == 0) {
        return false;
    }
    if (room->waits) {
        memcpy(sim->phase.memory, room->after, c->memories * sizeof *room->after);
        room->waits = false;
        changed = true;
    } else {
        const ff_control_view view = view_here(sim);
        changed = take_samples(sim, &view, now);
    }
    if (changed) {
        *sim->phase.changed = now;
        ff_control_decide(sim, NULL, 0);
    }
    return changed;
}

/* Each controller is called once for each of its samples: what it answered to the interpolated state takes effect at the
 * end of the repeated step. */
double ff_control_pass(ff_sim *sim, double end) {
    ff_control_room *room = &sim->control;
    const size_t size = controls_of(sim)->memories * sizeof *room->after;
    double *y = sim->flow.seen, time;
    while ((time = ff_control_next(sim)) * (1 + 4 * DBL_EPSILON) < end) {
        ff_flow_tried_at(&sim->flow, time, y);
        const ff_control_view view = {sim->reduced, &sim->contexts[0], time,
                                      ff_sim_bodies_at(sim, y), y};
        if (take_samples(sim, &view, time)) {
            memcpy(room->after, sim->phase.memory, size);
            memcpy(sim->phase.memory, room->before, size);
            room->waits = true;
            return time;
        }
    }
    if (ff_articulated(sim->reduced)) {
        /* restore the positions of the bodies at the end of the step for later use */
        const ff_flow *f = &sim->flow;
        memcpy(y, f->stepper.y1, f->n * sizeof *y);
        if (f->carries) {
            f->system->carry(sim, &(ff_span){&f->now.clock, f->stepper.step, f->y}, 1, y);
        }
        ff_sim_bodies_at(sim, y);
    }
    sim->flow.altered = true;
    return INFINITY;
}

/* ---- starts and events ---- */

void ff_control_write_start(ff_sim *sim, double *memory) {
    const ff_controls *c = controls_of(sim);
    double *y = sim->flow.y + sim->reduced->control_at;
    for (size_t i = 0; c->program && i < c->program->state_count; i++) {
        y[i] = c->program->states[i].start;
    }
    for (size_t i = 0; c->program && i < c->program->memory_count; i++) {
        memory[i] = c->program->memories[i].start;
    }
    for (size_t i = 0; i < c->own_count; i++) {
        const ff_controller_def *def = &c->own[i];
        double *to = def->every > 0 ? memory : y;
        memcpy(to + c->own_at[i], def->start, def->state_count * sizeof *to);
    }
}

void ff_control_start(ff_sim *sim) {
    const ff_controls *c = controls_of(sim);
    sim->control.waits = false;
    sim->control.acted[c->memories] = 0;
    if (sim->rest.found) {
        memcpy(sim->phase.memory, sim->control.rested, c->memories * sizeof *sim->phase.memory);
    } else {
        ff_control_write_start(sim, sim->phase.memory);
    }
    memset(sim->control.commands, 0,
           3 * FF_COMMANDS * (c->acts ? sim->reduced->force_count : 0) *
               sizeof *sim->control.commands);
    memset(sim->branch_size, 0, ff_control_branches(sim->reduced) * sizeof *sim->branch_size);
    ff_control_meet(sim);
    ff_control_settle(sim);
}

/* ---- rest ---- */

/* Why there is no equilibrium with these controllers in any state; NULL: there may be one. */
const char *ff_control_unrest(const ff_model *model) {
    const ff_control *program = model->topology->controls.program;
    bool timed = false;
    for (size_t i = 0; program && i < program->flow.read_count; i++) {
        timed = timed || program->flow.reads[i].kind == FF_SIGNAL_TIME;
    }
    for (size_t k = 0; program && k < program->sampler_count; k++) {
        const ff_program *p = &program->samplers[k].program;
        for (size_t i = 0; i < p->read_count; i++) {
            timed = timed || p->reads[i].kind == FF_SIGNAL_TIME;
        }
    }
    return timed ? "an expression of a force or a controller depends on t" : NULL;
}

ff_status ff_control_keep_rest(ff_sim *sim, const ff_phase *phase) {
    const ff_controls *c = controls_of(sim);
    const ff_control *program = c->program;
    const ff_control_view view = {sim->reduced, phase, 0, ff_sim_bodies_at(sim, sim->flow.y),
                                  sim->flow.y};
    /* the search leaves rates of 1e-12; a change of half the digits of a number shows that it is not at rest */
    const double part = 1e-8;
    const char *moves = NULL;
    double from = 0, to = 0;
    for (size_t i = 0; program && i < program->sampler_count && !moves; i++) {
        const ff_sample_group *s = &program->samplers[i];
        if (s->count > 0) {
            ff_control_run(&view, &s->program, sim->control.values);
        }
        for (size_t k = 0; k < s->count && !moves; k++) {
            const ff_control_number *n = &program->memories[s->targets[k].at];
            from = phase->memory[s->targets[k].at];
            to = sim->control.values[k];
            moves = s->targets[k].kind == FF_TARGET_NEXT &&
                            !(fabs(to - from) <= part * fmax(fabs(from), n->scale))
                        ? n->path
                        : NULL;
        }
    }
    for (size_t i = 0; i < c->own_count && !moves; i++) {
        const ff_controller_def *def = &c->own[i];
        double commands[def->force_count + 1][FF_COMMANDS];
        const double *memory = phase->memory + c->own_at[i];
        memset(commands, 0, sizeof commands);
        if (def->every > 0) {
            memcpy(sim->control.own_rates, memory, def->state_count * sizeof *memory);
            def->function(def->user, &view, sim->control.own_rates, NULL, commands);
        }
        for (size_t k = 0; def->every > 0 && k < def->state_count && !moves; k++) {
            from = memory[k];
            to = sim->control.own_rates[k];
            moves = !(fabs(to - from) <= part * fmax(fabs(from), 1)) ? def->name : NULL;
        }
    }
    if (moves) {
        snprintf(sim->error, sizeof sim->error,
                 "start: rest: the state '%s' of a sampled controller is not in equilibrium: with "
                 "everything else at rest it changes from %.6g to %.6g in one sample",
                 moves, from, to);
        return FF_UNREACHABLE;
    }
    memcpy(sim->control.rested, phase->memory, c->memories * sizeof *phase->memory);
    return FF_OK;
}

void ff_control_event(ff_sim *sim, const ff_event *event) {
    const ff_controls *c = controls_of(sim);
    const ff_control *program = c->program;
    for (size_t i = 0; program && i < program->reaction_count; i++) {
        const ff_reaction *r = &program->reactions[i];
        const bool user = r->kind == FF_USER;
        if (r->kind != event->kind ||
            (user ? r->thing : c->contacts[r->thing]) != (size_t)event->contact) {
            continue;
        }
        const bool rises = user && sim->phase.above[event->contact];
        if (user && r->way != 0 && rises != (r->way > 0)) {
            continue;
        }
        const ff_control_view view = view_here(sim);
        ff_control_run(&view, &r->program, sim->control.values);
        assign(sim, r->targets, r->count, sim->control.values);
    }
    for (size_t i = 0; i < c->own_count; i++) {
        const ff_controller_def *def = &c->own[i];
        if (def->event) {
            const ff_control_view view = view_here(sim);
            double *states =
                def->every > 0 ? sim->phase.memory : sim->flow.y + sim->reduced->control_at;
            def->event(def->user, &view, event, states + c->own_at[i]);
        }
    }
}

bool ff_control_valid(const ff_sim *sim) {
    const ff_controls *c = controls_of(sim);
    const double now = ff_sim_now_time(sim);
    bool good = ff_valid_finite(sim->phase.memory, c->memories) &&
                ff_valid_finite(sim->phase.branches, ff_control_branches(sim->reduced)) &&
                ff_valid_sizes(sim->branch_size, ff_control_branches(sim->reduced));
    for (size_t i = 0; i < c->samplers && good; i++) {
        size_t own;
        const double k = sim->phase.samples[i], every = ff_controls_every(c, i, &own);
        /* an event may have ended a step at the time of a sample */
        good = k >= 1 && k == floor(k) && k * every > now * (1 - 1e-15) &&
               (k - 1) * every <= now * (1 + 1e-15);
    }
    good = good && (c->samplers == 0 || (*sim->phase.changed >= 0 && *sim->phase.changed <= now));
    return good;
}
