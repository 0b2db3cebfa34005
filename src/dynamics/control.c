/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "dynamics.h"
#include <stdint.h>
#include <string.h>

/* ---- what controllers can read ---- */

double ff_control_time(const ff_control_view *view) { return view->time; }

static void see_body(const double *at, double out[FF_BODY_SIGNALS]) {
    const double *q = at + FF_Q;
    const double norm = sqrt(q[0] * q[0] + ff_dot(q + 1, q + 1));
    memcpy(out, at, FF_BODY_SIGNALS * sizeof *out);
    for (int i = 0; i < 4; i++) {
        out[FF_Q + i] = q[i] / norm;
    }
}

ff_motion ff_control_body(const ff_control_view *view, size_t body) {
    double at[FF_BODY_SIGNALS];
    ff_motion out;
    see_body(ff_body_state(view->bodies, (int)body), at);
    memcpy(out.position, at + FF_P, sizeof out.position);
    memcpy(out.orientation, at + FF_Q, sizeof out.orientation);
    memcpy(out.velocity, at + FF_VEL, sizeof out.velocity);
    memcpy(out.omega, at + FF_OMEGA, sizeof out.omega);
    return out;
}

ff_joint_view ff_control_joint(const ff_control_view *view, size_t joint) {
    const ff_model *model = view->model;
    const ff_joint *j = &model->joints[joint];
    ff_joint_view out = {{0}, {0}};
    if (model->tree->articulated && !j->loop && j->kind != FF_JOINT_SPHERICAL) {
        const ff_link *link = &model->tree->links[ff_joint_hanging(model, joint)];
        if (link->coordinates <= FF_JOINT_COORDINATES) {
            const double *at = view->y + link->at;
            memcpy(out.position, at, (size_t)link->coordinates * sizeof *at);
            memcpy(out.rate, at + link->coordinates, (size_t)link->speeds * sizeof *at);
        }
        return out;
    }
    ff_joint_coordinates(j, view->bodies, out.position, out.rate);
    return out;
}

ff_contact_view ff_control_contact(const ff_control_view *view, size_t contact) {
    const ff_model *model = view->model;
    size_t own = contact;
    ff_slot far;
    if (model->open) {
        /* a run has slots only for near pairs: names are those of the model */
        const char *name = model->topology->contact_names[contact];
        for (own = 0; own < model->slot_count && model->slots[own].name != name; own++) {
            ;
        }
        ff_model_slot(model, contact, &far);
    }
    const bool has = own < model->slot_count;
    const ff_slot *slot = has ? &model->slots[own] : &far;
    const ff_mode mode = has ? view->phase->modes[own] : FF_AIR;
    ff_contact_view out = {0};
    ff_touch touch;
    ff_touch_find(slot, view->time, view->bodies, &touch);
    out.depth = touch.z;
    out.rate = touch.zdot;
    if (mode != FF_AIR &&
        !(mode == FF_FREE && (touch.z < 0 || ff_touch_ignored(slot, view->bodies)))) {
        ff_touch_answer(slot, mode, view->y + slot->state_at, NULL, &touch);
        out.touching = mode == FF_FREE     ? touch.at.force > 0
                       : mode == FF_LOADED ? true
                                           : touch.at.lift > 0;
        memcpy(out.force, touch.push, sizeof out.force);
    }
    return out;
}

/* ---- programs ---- */

void ff_control_gather(const ff_control_view *view, const ff_program *program, double *work) {
    const ff_controls *c = &view->model->topology->controls;
    const ff_phase *phase = view->phase;
    /* consecutive inputs often belong to the same object */
    ff_signal_kind kind = FF_SIGNAL_TIME;
    size_t thing = SIZE_MAX;
    double record[FF_BODY_SIGNALS];
    double *to = work + program->work_at;
    for (size_t i = 0; i < program->read_count; i++) {
        const ff_signal *s = &program->reads[i];
        const bool known = s->kind == kind && s->thing == thing;
        const double *from = record;
        switch (s->kind) {
        case FF_SIGNAL_TIME: from = &view->time; break;
        case FF_SIGNAL_BODY:
            if (!known) {
                see_body(ff_body_state(view->bodies, (int)s->thing), record);
            }
            break;
        case FF_SIGNAL_JOINT:
            if (!known) {
                const ff_joint_view joint = ff_control_joint(view, s->thing);
                memcpy(record, joint.position, sizeof joint.position);
                memcpy(record + FF_JOINT_RATE, joint.rate, sizeof joint.rate);
            }
            break;
        case FF_SIGNAL_CONTACT:
            if (!known) {
                const ff_contact_view contact = ff_control_contact(view, c->contacts[s->thing]);
                record[FF_CONTACT_TOUCHING] = contact.touching;
                record[FF_CONTACT_DEPTH] = contact.depth;
                record[FF_CONTACT_RATE] = contact.rate;
                memcpy(record + FF_CONTACT_FORCE, contact.force, sizeof contact.force);
            }
            break;
        case FF_SIGNAL_STATE: from = view->y + view->model->control_at + s->thing; break;
        case FF_SIGNAL_MEMORY: from = phase->memory + s->thing; break;
        case FF_SIGNAL_BRANCH: from = phase->branches + s->thing; break;
        }
        if (from == record) {
            kind = s->kind;
            thing = s->thing;
            from += s->part;
        }
        memcpy(to, from, s->width * sizeof *to);
        to += s->width;
    }
}

void ff_control_run(const ff_control_view *view, const ff_program *program, double *out) {
    double *work = view->phase->control_work;
    ff_control_gather(view, program, work);
    ff_tape_run(program->tape, 0, work + program->work_at);
    for (size_t i = 0; i < ff_tape_outputs(program->tape); i++) {
        out[i] = work[program->work_at + ff_tape_place(program->tape, i)];
    }
}

/* ---- kinks ---- */

const double *ff_control_run_branches(const ff_control_view *view) {
    const ff_control *program = view->model->topology->controls.program;
    double *work = view->phase->control_work + program->flow.work_at;
    ff_control_gather(view, &program->flow, view->phase->control_work);
    ff_tape_run(program->flow.tape, FF_GROUP_ACTS, work);
    ff_tape_run(program->flow.tape, FF_GROUP_BRANCHES, work);
    return work;
}

bool ff_control_decide_sides(const ff_control_view *view, double *branches) {
    const ff_control *program = view->model->topology->controls.program;
    bool any = false;
    /* the argument of a branch may depend on the sides of previous ones */
    for (size_t turn = 0; program && turn <= program->branch_count; turn++) {
        const double *work = ff_control_run_branches(view);
        bool changed = false;
        for (size_t k = 0; k < program->branch_count; k++) {
            const double side =
                ff_branch_side(&program->branches[k], ff_control_argument(program, work, k));
            changed = changed || side != branches[k];
            branches[k] = side;
        }
        if (!changed) {
            break;
        }
        any = true;
    }
    return any;
}

/* ---- equilibrium search ---- */

/* The values that samples taken here would hold, with the states of sampled controllers unchanged. Expressions read the
 * values of samples before their own. */
static void sample_at_rest(const ff_control_view *view) {
    const ff_controls *c = &view->model->topology->controls;
    const ff_phase *phase = view->phase;
    const ff_control *program = c->program;
    for (size_t i = 0; program && i < program->sampler_count; i++) {
        const ff_sample_group *s = &program->samplers[i];
        if (s->count > 0) {
            ff_control_run(view, &s->program, phase->control_values);
        }
        for (size_t k = 0; k < s->count; k++) {
            if (s->targets[k].kind == FF_TARGET_MEMORY) {
                phase->rest_memory[s->targets[k].at] = phase->control_values[k];
            }
        }
    }
    for (size_t i = 0; i < c->own_count; i++) {
        const ff_controller_def *def = &c->own[i];
        if (def->every > 0) {
            double *memory = phase->rest_memory + c->own_at[i];
            memcpy(phase->own_rates, memory, def->state_count * sizeof *memory);
            def->function(def->user, view, phase->own_rates, NULL,
                          (double(*)[FF_COMMANDS])(memory + def->state_count));
        }
    }
    ff_control_decide_sides(view, phase->rest_branches);
}

/* ---- continuous part ---- */

/* A controller in C: its held commands, or its commands at this instant. */
static void act_own(const ff_control_view *view, size_t i, double *dy) {
    const ff_phase *phase = view->phase;
    const ff_controls *c = &view->model->topology->controls;
    const ff_controller_def *def = &c->own[i];
    const double *said;
    if (def->every > 0) {
        said = phase->memory + c->own_at[i] + def->state_count;
    } else {
        double(*commands)[FF_COMMANDS] = (double(*)[FF_COMMANDS])phase->own_commands;
        double *rates = dy ? dy + view->model->control_at + c->own_at[i] : phase->own_rates;
        memset(commands, 0, def->force_count * sizeof *commands);
        memset(rates, 0, def->state_count * sizeof *rates);
        /* continuous controllers must not change their states */
        def->function(def->user, view, (double *)view->y + view->model->control_at + c->own_at[i],
                      rates, commands);
        said = commands[0];
    }
    for (size_t k = 0; k < def->force_count; k++) {
        memcpy(phase->commands + FF_COMMANDS * (size_t)def->forces[k], said + FF_COMMANDS * k,
               FF_COMMANDS * sizeof *said);
    }
}

/* Expressions: commands, and rates of states. */
static void act(const ff_control_view *view, double *dy) {
    const ff_phase *phase = view->phase;
    const ff_control *program = view->model->topology->controls.program;
    double *work = phase->control_work + program->flow.work_at;
    ff_control_gather(view, &program->flow, phase->control_work);
    ff_tape_run(program->flow.tape, FF_GROUP_ACTS, work);
    for (size_t i = 0; i < program->act_count; i++) {
        const ff_target *to = &program->acts[i];
        const double value = work[ff_tape_place(program->flow.tape, i)];
        if (to->kind == FF_TARGET_COMMAND) {
            phase->commands[to->at] = value;
        } else if (dy) {
            dy[view->model->control_at + to->at] = value;
        }
    }
}

void ff_control_act(const ff_control_view *view, double *dy) {
    const ff_controls *c = &view->model->topology->controls;
    const ff_phase *phase = view->phase;
    const ff_control *program = c->program;
    const size_t size = c->memories * sizeof *phase->memory;
    if (phase->rest_memory) {
        sample_at_rest(view);
    }
    if (program && program->act_count > 0) {
        /* between samples held commands do not change: on the quadruped, computing them is 3 % of an evaluation */
        double *acted = program->held && !phase->rest_memory ? phase->acted : NULL;
        if (!acted || acted[c->memories] == 0 || memcmp(acted, phase->memory, size) != 0) {
            act(view, dy);
            if (acted) {
                memcpy(acted, phase->memory, size);
                acted[c->memories] = 1;
            }
        }
    }
    for (size_t i = 0; i < c->own_count; i++) {
        act_own(view, i, dy);
    }
}

const double *ff_control_slopes(const ff_control_view *view, double *room) {
    const ff_control *program = view->model->topology->controls.program;
    double *work = view->phase->control_work + program->flow.work_at;
    ff_control_act(view, NULL);
    ff_tape_run(program->flow.tape, FF_GROUP_BRANCHES, work);
    ff_tape_run(program->flow.tape, FF_GROUP_SLOPES, work);
    for (size_t i = 0; i < program->slope_count; i++) {
        room[i] =
            work[ff_tape_place(program->flow.tape, program->act_count + program->branch_count + i)];
    }
    return room;
}
