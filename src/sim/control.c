/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "num/valid.h"
#include "sim.h"
#include <float.h>
#include <string.h>

/* Controllers in a run: samples, what events do, sides of kinks, users' functions. */

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
    FF_TAKE(a, room->own_commands, FF_COMMANDS * forces);
    FF_TAKE(a, room->own_rates, states);
    FF_TAKE(a, room->slopes, c->program ? c->program->slope_count : 0);
    FF_TAKE(a, room->values, most);
}

void ff_control_prepare(ff_sim *sim) {
    if (program_of(sim)) {
        ff_control_begin(program_of(sim), sim->control.work);
    }
}

void ff_control_give(const ff_sim *sim, const ff_sim_phase *phase, ff_phase *out) {
    out->memory = phase->memory;
    out->branches = phase->branches;
    out->control_work = sim->control.work;
    out->commands = sim->control.commands;
    out->own_commands = sim->control.own_commands;
    out->own_rates = sim->control.own_rates;
    out->control_slopes = sim->control.slopes;
}

static ff_control_view view_here(ff_sim *sim) {
    return (ff_control_view){sim->reduced, &sim->contexts[0], ff_sim_now_time(sim),
                             ff_sim_bodies_at(sim, sim->flow.y), sim->flow.y};
}

/* ---- kinks ---- */

/* The arguments of all branches: where they are in the work, and in which order. */
static const double *run_branches(const ff_control_view *view) {
    const ff_control *program = view->model->topology->controls.program;
    double *work = view->phase->control_work + program->flow.work_at;
    ff_control_gather(view, &program->flow, view->phase->control_work);
    ff_tape_run(program->flow.tape, FF_GROUP_ACTS, work);
    ff_tape_run(program->flow.tape, FF_GROUP_BRANCHES, work);
    return work;
}

static double argument(const ff_control *program, const double *work, size_t k) {
    return work[ff_tape_place(program->flow.tape, program->act_count + k)];
}

static double side_of(const ff_branch *branch, double x) {
    return branch->whole ? floor(x) : branch->equal ? x <= 0 : x < 0;
}

/* Positive where an argument is not on the side that is kept. */
static double disagreement(const ff_branch *branch, double side, double x) {
    return branch->whole ? fmax(side - x, x - (side + 1)) : side != 0 ? x : -x;
}

bool ff_control_settle(ff_sim *sim) {
    const ff_control *program = program_of(sim);
    bool any = false;
    if (!program || program->branch_count == 0) {
        return false;
    }
    const ff_control_view view = view_here(sim);
    /* the argument of one may depend on sides of those before it */
    for (size_t turn = 0; turn <= program->branch_count; turn++) {
        const double *work = run_branches(&view);
        bool changed = false;
        for (size_t k = 0; k < program->branch_count; k++) {
            const double side = side_of(&program->branches[k], argument(program, work, k));
            changed = changed || side != sim->phase.branches[k];
            sim->phase.branches[k] = side;
        }
        if (!changed) {
            break;
        }
        any = true;
    }
    return any;
}

/* What is discrete has changed. Where that makes the argument of a kink exactly 0, as a factor `touching` does, its side
 * is what the expression says, not what it was; `fired` are those that have switched here. */
void ff_control_decide(ff_sim *sim, const size_t *fired, size_t count) {
    const ff_control *program = program_of(sim);
    if (!program || program->branch_count == 0) {
        return;
    }
    const ff_control_view view = view_here(sim);
    const size_t kinks = sim->reduced->slot_count + sim->reduced->event_count;
    for (size_t k = 0; k < program->branch_count; k++) {
        const double x = argument(program, run_branches(&view), k);
        bool switched = false;
        for (size_t i = 0; i < count; i++) {
            switched = switched || sim->ends[fired[i]].slot == kinks + k;
        }
        if (x == 0 && !switched) {
            sim->phase.branches[k] = side_of(&program->branches[k], x);
        }
    }
}

/* How large the terms are that a function is formed of, which is not known: its greatest value where a step ended, and how
 * far it moves in the time that the run has taken, since time and what turns with it are rounded. */
double ff_control_size(const ff_sim *sim, double size, const ff_root *from, const ff_root *to) {
    const ff_flow *f = &sim->flow;
    const double now = ff_flow_time(f), step = now - ff_clock_now(&f->last.clock);
    /* the slope of a step within rounding is none */
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
    const double *work = run_branches(&view);
    for (size_t k = first; k < first + count; k++) {
        out[k - first] = (ff_root){.g = disagreement(&program->branches[k], sim->phase.branches[k],
                                                     argument(program, work, k)),
                                   .noise = ROUNDING * sim->branch_size[k],
                                   .slope = NAN,
                                   .dips = FF_DIPS_ONCE};
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
    const double x = argument(program, run_branches(&view), k), now = floor(x);
    /* at its root within rounding: the next one */
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

/* Assigns values that were taken before any of them. */
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
    /* the time that it is told is its own, also where another one was due a rounding earlier */
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

/* Samples are taken at k every, k counted: no error adds up. Periods that are multiples of each other meet within
 * rounding: then all samples of that instant are taken together. */
static bool is_due(const ff_sim *sim, size_t i, double now) {
    size_t own;
    return sim->phase.samples[i] * ff_controls_every(controls_of(sim), i, &own) <=
           now * (1 + 4 * DBL_EPSILON);
}

double ff_control_next(const ff_sim *sim) {
    const ff_controls *c = controls_of(sim);
    double out = INFINITY;
    for (size_t i = 0; i < c->samplers; i++) {
        size_t own;
        out = fmin(out, sim->phase.samples[i] * ff_controls_every(c, i, &own));
    }
    return out;
}

void ff_control_meet(ff_sim *sim) {
    const double now = ff_sim_now_time(sim);
    if (controls_of(sim)->samplers == 0) {
        return;
    }
    const ff_control_view view = view_here(sim);
    for (size_t i = 0; i < controls_of(sim)->samplers; i++) {
        if (is_due(sim, i, now)) {
            sample(sim, &view, i);
        }
    }
    ff_control_decide(sim, NULL, 0);
}

/* ---- starts and events ---- */

void ff_control_start(ff_sim *sim) {
    const ff_controls *c = controls_of(sim);
    double *y = sim->flow.y + sim->reduced->control_at;
    for (size_t i = 0; c->program && i < c->program->state_count; i++) {
        y[i] = c->program->states[i].start;
    }
    for (size_t i = 0; c->program && i < c->program->memory_count; i++) {
        sim->phase.memory[i] = c->program->memories[i].start;
    }
    for (size_t i = 0; i < c->own_count; i++) {
        const ff_controller_def *def = &c->own[i];
        double *to = def->every > 0 ? sim->phase.memory : y;
        memcpy(to + c->own_at[i], def->start, def->state_count * sizeof *to);
    }
    memset(sim->control.commands, 0,
           3 * FF_COMMANDS * (c->acts ? sim->reduced->force_count : 0) *
               sizeof *sim->control.commands);
    memset(sim->branch_size, 0, ff_control_branches(sim->reduced) * sizeof *sim->branch_size);
    ff_control_meet(sim);
    ff_control_settle(sim);
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
        good = k >= 1 && k == floor(k) && k * every > now && (k - 1) * every <= now * (1 + 1e-15);
    }
    return good;
}
