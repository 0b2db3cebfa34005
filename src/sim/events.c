/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "body/vector.h"
#include "edges.h"
#include <footfall/impact.h>
#include <footfall/material.h>
#include <string.h>

ff_motion ff_motion_at(const double *bodies, size_t body) {
    const double *at = bodies + body * FF_BODY_STRIDE;
    ff_motion out;
    double norm = sqrt(at[FF_Q] * at[FF_Q] + ff_dot(at + FF_Q + 1, at + FF_Q + 1));
    memcpy(out.position, at + FF_P, sizeof out.position);
    for (int i = 0; i < 4; i++) {
        out.orientation[i] = at[FF_Q + i] / norm;
    }
    memcpy(out.velocity, at + FF_VEL, sizeof out.velocity);
    memcpy(out.omega, at + FF_OMEGA, sizeof out.omega);
    return out;
}

/* ---- changes at an event ---- */

/* By which part of its strain the part of a contact that is nearest to slipping has to stick for full stick: at a touch-down parts
 * begin to slip and stick one after the other, and full stick that ends at once would be reported. */
#define GRIP 0.01

/* Reports an event of a slot, under the name of its contact. */
static void report(ff_sim *sim, ff_event_kind kind, size_t slot, bool rejoin) {
    ff_flow_report(&sim->flow, kind, (int)ff_near_contact(sim, slot), rejoin);
}

/* Sets on which side of their edges rolling and twist of a slot are, and whether a law with a kink at zdot = 0 opens. If changes
 * are reported, stick and slip follow by their own root functions. */
static void set_turning(ff_sim *sim, size_t i, bool report_changes) {
    const ff_slot *slot = &sim->reduced->slots[i];
    const double *state = sim->flow.y + slot->state_at, errors[3] = {0};
    sim->phase.opening[i] = false;
    if (sim->phase.modes[i] != FF_AIR && slot->kinked) {
        ff_touch touch;
        ff_touch_find(slot, ff_sim_now_time(sim), ff_sim_bodies_at(sim, sim->flow.y), &touch);
        sim->phase.opening[i] = touch.zdot < 0;
    }
    for (int twist = 0; slot->resists && twist < 2; twist++) {
        double noise;
        bool *beyond = &sim->phase.turning[2 * i + (size_t)twist];
        if (report_changes && ff_slot_turning_slips(slot, twist)) {
            continue;
        }
        *beyond = false;
        if (sim->phase.modes[i] != FF_AIR && ff_slot_turning_edge(slot, twist)) {
            ff_touch touch;
            ff_touch_find(slot, ff_sim_now_time(sim), ff_sim_bodies_at(sim, sim->flow.y), &touch);
            ff_touch_answer(slot, sim->phase.modes[i], state, NULL, &touch);
            *beyond = ff_touch_turning_edge(slot, twist, state, &touch, errors, &noise) > 0;
        }
    }
}

/* Sets whether a touching slot slips, and reports a change; for friction laws with a kink, whether the slip is beyond the
 * kink, which is not an event. */
static void set_slip(ff_sim *sim, size_t i, bool report_changes) {
    const ff_slot *slot = &sim->reduced->slots[i];
    const double *state = sim->flow.y + slot->state_at;
    set_turning(sim, i, report_changes);
    if (!ff_slot_has_edge(slot)) {
        return;
    }
    const bool bends = ff_slot_bends(slot);
    bool slips = false;
    if (sim->phase.modes[i] != FF_AIR) {
        ff_touch touch;
        ff_touch_find(slot, ff_sim_now_time(sim), ff_sim_bodies_at(sim, sim->flow.y), &touch);
        ff_touch_answer(slot, sim->phase.modes[i], state, NULL, &touch);
        slips = (bends ? ff_touch_bend(slot, state, &touch) : touch.at.excess) > 0;
    }
    if (slips != sim->phase.slipping[i] && report_changes && !bends) {
        report(sim, slips ? FF_SLIP : FF_STICK, i, false);
    }
    sim->phase.slipping[i] = slips;
}

void ff_events_watch_grip(ff_sim *sim) {
    for (size_t i = 0; i < sim->reduced->slot_count; i++) {
        if (!ff_slot_has_parts(&sim->reduced->slots[i]) || sim->phase.modes[i] != FF_LOADED ||
            sim->phase.parted[i] || sim->phase.grips[i]) {
            continue;
        }
        if (!ff_sim_touches_known(sim)) {
            ff_roots_look_again(sim, i);
        }
        if (sim->touches[i].first < -GRIP * sim->touches[i].strain) {
            sim->phase.grips[i] = true;
            sim->flow.altered = true;
        }
    }
}

/* Called when a contact begins, or exists at the start: gives the friction law the expected depth, from the speed and
 * weight of the bodies and from adhesion, and the time to reach it. */
static void touch_friction(const ff_model *model, const ff_slot *slot, const ff_touch *touch,
                           double *state) {
    if (!slot->friction.law->touch) {
        return;
    }
    const double mass =
        ff_reduced_mass(model->bodies[slot->body].mass,
                        slot->other < 0 ? HUGE_VAL : model->bodies[slot->other].mass);
    const double speed = fmax(touch->zdot, 0),
                 load = mass * sqrt(ff_dot(model->gravity, model->gravity)) + slot->law.adhesion;
    double depth = 0;
    ff_impact impact;
    ff_power power;
    if (speed > 0 && ff_impact_solve(&slot->law, mass, speed, &impact) >= 0) {
        depth = impact.max_depth;
    }
    if (load > 0 && ff_normal_springs(&slot->law, &power)) {
        /* adhesion acts suddenly: without damping k z^(n+1)/(n+1) = load z */
        depth += ff_pow((slot->law.adhesion > 0 ? power.n + 1 : 1) * load / power.k, 1 / power.n);
    }
    depth = fmax(depth, touch->z);
    depth = depth > 0 ? depth : model->extents[slot->body].length;
    const double pace = fmax(speed, ff_normal_speed(&slot->law, mass, depth));
    ff_friction_touch(&slot->friction, depth, depth / pace, state + ff_slot_u(slot));
}

void ff_events_touch(const ff_sim *sim, double *y) {
    const ff_model *model = sim->reduced;
    for (size_t i = 0; i < model->slot_count; i++) {
        const ff_slot *slot = &model->slots[i];
        double *state = y + slot->state_at, any = 0;
        if (slot->filtered) {
            ff_normal_touch(&slot->law, 0, state);
        }
        for (int k = 0; k < ff_slot_u_states(slot); k++) {
            any += fabs(state[ff_slot_u(slot) + k]);
        }
        if (any == 0) {
            touch_friction(model, slot, &(ff_touch){0}, state);
        }
    }
}

/* The energy of a normal law that touching and leaving change at once: of laws with their own gap function. */
static double jumping_energy(const ff_slot *slot, const double *state, const ff_touch *touch) {
    return slot->filtered ? ff_normal_stored(&slot->law, touch->z, touch->zdot, state) : 0;
}

/* Called when a contact begins: the energy that its normal law loses at once (adhesion) goes to `cut`. */
static void touch_normal(ff_sim *sim, size_t i, const ff_touch *touch, double *state) {
    const ff_slot *slot = &sim->reduced->slots[i];
    const double before = jumping_energy(slot, state, touch);
    ff_normal_touch(&slot->law, touch->zdot, state);
    sim->phase.books[i].cut += before - jumping_energy(slot, state, touch);
}

/* Called when a contact has ended: the energy in its tangential spring goes to `release`, and u is reset unless its law
 * keeps it; the energy in a normal spring that is cut off before z = 0 or breaks beyond it goes to `cut`. */
static void reset_slot(ff_sim *sim, size_t i) {
    const ff_slot *slot = &sim->reduced->slots[i];
    double *state = sim->flow.y + slot->state_at;
    ff_touch touch;
    ff_touch_find(slot, ff_sim_now_time(sim), ff_sim_bodies_at(sim, sim->flow.y), &touch);
    ff_touch_answer(slot, sim->phase.modes[i], state, NULL, &touch);
    ff_books *books = &sim->phase.books[i];
    books->release += ff_touch_tangential(slot, state, &touch);
    books->cut +=
        slot->gated && touch.z > 0 ? ff_touch_normal(slot, sim->phase.modes[i], state, &touch) : 0;
    const int kept = slot->friction.keeps ? ff_friction_states(&slot->friction) : 0;
    memset(state + ff_slot_u(slot) + kept, 0,
           (size_t)(ff_slot_u_states(slot) - kept) * sizeof *state);
    if (slot->law.law->leave) {
        const double before = jumping_energy(slot, state, &touch);
        slot->law.law->leave(&slot->law, state);
        books->cut += before - jumping_energy(slot, state, &touch);
    }
    /* the spring energy was released: nothing is left to regrade */
    books->graded = ff_slot_integral(slot, sim->flow.y, FF_GRADED_WORK);
    sim->phase.slipping[i] = sim->phase.grips[i] = sim->phase.parted[i] = false;
    sim->phase.opening[i] = false;
    for (size_t c = 0; slot->resists && c < 2; c++) {
        sim->phase.turning[2 * i + c] = false;
    }
}

/* A contact that begins at a positive depth has a compressed spring. So has one whose law keeps u: if its springs have a
 * level, the level rises from 0 now, and the next evaluation books the created energy; otherwise the released energy is
 * taken back. */
static void appear(ff_sim *sim, size_t i, ff_touch *touch) {
    const ff_slot *slot = &sim->reduced->slots[i];
    const double *state = sim->flow.y + slot->state_at;
    if (slot->gated && touch->z > 0) {
        ff_touch_answer(slot, FF_LOADED, state, NULL, touch);
        sim->phase.books[i].cut -= ff_touch_normal(slot, FF_LOADED, state, touch);
    }
    if (slot->friction.keeps && !slot->graded) {
        ff_touch_answer(slot, FF_LOADED, state, NULL, touch);
        sim->phase.books[i].release -= ff_touch_tangential(slot, state, touch);
    }
}

bool ff_events_settle(void *self) {
    ff_sim *sim = self;
    const ff_model *model = sim->reduced;
    bool changed = false;
    for (size_t i = 0; i < model->slot_count; i++) {
        const ff_slot *slot = &model->slots[i];
        double *state = sim->flow.y + slot->state_at, rate;
        const double *bodies = ff_sim_bodies_at(sim, sim->flow.y);
        ff_touch touch;
        ff_touch_find(slot, ff_sim_now_time(sim), bodies, &touch);
        bool inside =
            ff_touch_gap(slot, state, &touch, &rate) > 0 && !ff_touch_ignored(slot, bodies);
        if (inside && !sim->phase.inside[i]) {
            touch_normal(sim, i, &touch, state);
            touch_friction(model, slot, &touch, state);
            appear(sim, i, &touch);
            ff_impacts_begin(sim, i, &touch, FF_HIT_NEW);
        } else if (!inside && sim->phase.inside[i]) {
            ff_impacts_end(sim, i, &touch);
            reset_slot(sim, i);
        }
        for (double *u = state + ff_slot_u(slot);
             inside && ff_slot_has_room(slot) &&
             slot->friction.law->covers(&slot->friction, u) < touch.z;) {
            sim->phase.books[i].regrade += slot->friction.law->regrid(&slot->friction, u);
            changed = true;
        }
        changed = changed || inside != sim->phase.inside[i];
        sim->phase.inside[i] = inside;
    }
    changed = ff_control_settle(sim) || changed;
    if (changed) {
        ff_survey_forget(sim);
    }
    return changed;
}

/* First step for a body that has left the ground: half of the flight time that follows from its speed and gravity, so that
 * the step size need not grow from that of a contact. */
static double flight_step(ff_sim *sim, const ff_slot *slot, double last) {
    const ff_model *model = sim->reduced;
    double g = sqrt(ff_dot(model->gravity, model->gravity));
    const double *v = ff_body_state(ff_sim_bodies_at(sim, sim->flow.y), slot->body) + FF_VEL;
    for (size_t i = 0; i < model->slot_count; i++) {
        if (sim->phase.modes[i] != FF_AIR) {
            return last;
        }
    }
    return g > 0 ? fmax(last, fabs(ff_dot(v, model->gravity)) / (g * g)) : last;
}

/* Called when the force of a slot begins or ends: records the impact and reports the event. */
static void report_force(ff_sim *sim, size_t i, const ff_touch *touch, bool acts, bool rejoin) {
    const ff_slot *slot = &sim->reduced->slots[i];
    if (sim->phase.inside[i] != acts) {
        sim->phase.inside[i] = acts;
        if (acts) {
            /* a recovering ground is hit at its own depth; a contact that was ignored appears at once */
            ff_impacts_begin(sim, i, touch,
                             !rejoin || slot->stateful ? FF_HIT_NEW
                             : slot->gated             ? FF_HIT_NONE
                                                       : FF_HIT_ON);
        } else {
            ff_impacts_end(sim, i, touch);
        }
        report(sim, acts ? FF_TOUCHDOWN : FF_LIFTOFF, i, rejoin);
    }
}

/* Called when the clamp of a slot's normal law begins or ends to act. The lift of friction may still push. */
static void change_hold(ff_sim *sim, size_t i, const ff_touch *touch) {
    const ff_slot *slot = &sim->reduced->slots[i];
    double *state = sim->flow.y + slot->state_at;
    bool rejoin = sim->phase.modes[i] == FF_CLAMPED;
    if (!slot->stateful) {
        sim->phase.modes[i] = rejoin ? FF_LOADED : FF_CLAMPED;
        bool acts = rejoin;
        if (slot->lifts && !rejoin) {
            ff_touch at = *touch;
            ff_touch_answer(slot, FF_CLAMPED, state, NULL, &at);
            acts = at.at.lift > 0;
        }
        report_force(sim, i, touch, acts, rejoin);
        set_slip(sim, i, true);
        return;
    }
    /* the body leaves the ground, which continues with u if the friction law supports that */
    report_force(sim, i, touch, false, false);
    if (!slot->friction.law->relax) {
        reset_slot(sim, i);
    }
    state[ff_slot_ground(slot)] = fmax(touch->z, 0);
    sim->phase.slipping[i] = false;
    sim->phase.modes[i] = FF_AIR;
}

/* A root function of a slot is past its root: the next mode begins. `last`: duration of the last steps, s. */
static void change_slot(ff_sim *sim, ff_end end, double last, ff_jump *next) {
    const size_t i = end.slot;
    const ff_slot *slot = &sim->reduced->slots[i];
    double *state = sim->flow.y + slot->state_at;
    int power = 1;
    ff_touch touch;
    if (sim->phase.modes[i] == FF_AIR && end.which != FF_END_GAP) {
        /* the gap of this slot has ended the contact at the same instant */
        return;
    }
    if (end.which == FF_END_SLIP && ff_slot_bends(slot)) {
        /* only a kink: the next step has no history but continues with the same size and method */
        sim->phase.slipping[i] = !sim->phase.slipping[i];
        return;
    }
    if (end.which == FF_END_GRIP) {
        sim->phase.grips[i] = false;
        sim->phase.parted[i] = true;
        report(sim, FF_MICROSLIP, i, false);
        ff_jump_ask(next, 1, last);
        return;
    }
    if (end.which == FF_END_TURN) {
        sim->phase.opening[i] = !sim->phase.opening[i];
        return;
    }
    if (end.which >= FF_END_ROLLING) {
        const int twist = end.which - FF_END_ROLLING;
        bool *beyond = &sim->phase.turning[2 * i + (size_t)twist];
        *beyond = !*beyond;
        if (ff_slot_turning_slips(slot, twist)) {
            const ff_event_kind stick = twist ? FF_TWIST_STICK : FF_ROLL_STICK,
                                slip = twist ? FF_TWIST_SLIP : FF_ROLL_SLIP;
            report(sim, *beyond ? slip : stick, i, false);
            ff_jump_ask(next, 1, last);
        }
        return;
    }
    if (end.which == FF_END_ROOM) {
        /* twice as coarse until it is deep enough; the energy that the springs lose is booked as regrade */
        double *u = state + ff_slot_u(slot);
        sim->phase.books[i].regrade += slot->friction.law->regrid(&slot->friction, u);
        ff_jump_ask(next, 1, last);
        return;
    }
    ff_touch_find(slot, ff_sim_now_time(sim), ff_sim_bodies_at(sim, sim->flow.y), &touch);
    if (end.which == FF_END_SLIP) {
        sim->phase.slipping[i] = !sim->phase.slipping[i];
        report(sim, sim->phase.slipping[i] ? FF_SLIP : FF_STICK, i, false);
        if (sim->phase.slipping[i] && sim->phase.grips[i]) {
            /* all of it at once */
            sim->phase.grips[i] = false;
            sim->phase.parted[i] = true;
        }
    } else if (sim->phase.modes[i] == FF_AIR) {
        double *ground = slot->stateful ? &state[ff_slot_ground(slot)] : NULL;
        /* a ground that has not recovered is met at its own depth, where the force jumps; the numerical remainder in a
         * recovered one is far below a billionth of a usual depth */
        const double depth = ground ? *ground : slot->gated ? touch.z : 0;
        const bool rejoin = depth > 1e-9 * sim->reduced->extents[slot->body].length;
        if (ground) {
            *ground = 0;
        }
        touch_normal(sim, i, &touch, state);
        touch_friction(sim->reduced, slot, &touch, state);
        sim->phase.modes[i] = FF_LOADED;
        appear(sim, i, &touch);
        report_force(sim, i, &touch, true, rejoin);
        set_slip(sim, i, false);
        power = ff_method_curved(sim->options.method) && !rejoin ? slot->clock : 1;
        last = 0.05 * ff_system_touch_time(sim->reduced, slot->body);
    } else if (end.which == FF_END_HOLD) {
        change_hold(sim, i, &touch);
    } else {
        report_force(sim, i, &touch, false, false);
        reset_slot(sim, i);
        sim->phase.modes[i] = FF_AIR;
        report(sim, FF_CLEAR, i, false);
        last = flight_step(sim, slot, last);
    }
    ff_jump_ask(next, power, last);
}

void ff_events_jump(void *self, const size_t *fired, size_t count, double last, ff_jump *out) {
    ff_sim *sim = self;
    ff_survey_forget(sim);
    const size_t before = sim->flow.now.queued,
                 kinks = sim->reduced->slot_count + sim->reduced->event_count;
    for (size_t k = 0; k < count; k++) {
        const ff_end end = sim->ends[fired[k]];
        if (end.slot < sim->reduced->slot_count) {
            change_slot(sim, end, last, out);
            ff_roots_look_again(sim, end.slot);
        } else if (end.slot >= kinks + ff_control_branches(sim->reduced)) {
            ff_edges_jump(sim, fired[k] - sim->edges.root_at, last, out);
        } else if (end.slot >= kinks) {
            ff_control_switch(sim, end.slot - kinks);
        } else {
            size_t user = end.slot - sim->reduced->slot_count;
            sim->phase.above[user] = !sim->phase.above[user];
            ff_flow_report(&sim->flow, FF_USER, (int)user, false);
            ff_jump_ask(out, 1, last);
        }
    }
    for (size_t i = before; i < sim->flow.now.queued; i++) {
        ff_control_event(sim, &sim->flow.queue[i]);
    }
    if (sim->flow.now.queued > before) {
        ff_control_decide(sim, fired, count);
    }
}

/* Sets the inner states of laws with their own gap function at the start of a run: a contact that is inside was made
 * before, any other is reset, also after a search for rest. */
static void begin_inside(const ff_slot *slot, bool inside, const ff_touch *touch, double *state) {
    const ff_normal_law *law = slot->law.law;
    if (slot->filtered && inside) {
        ff_normal_touch(&slot->law, touch->zdot, state);
    } else if (slot->filtered && law->leave) {
        law->leave(&slot->law, state);
    }
}

int ff_events_start(ff_sim *sim) {
    const ff_model *model = sim->reduced;
    int power = 1;
    for (size_t i = 0; i < model->slot_count; i++) {
        /* a start in contact: inner states 0, no touch-down, its energy in `initial` */
        double *state = sim->flow.y + model->slots[i].state_at;
        ff_touch touch;
        const double *bodies = ff_sim_bodies_at(sim, sim->flow.y);
        bool ignored = ff_touch_ignored(&model->slots[i], bodies);
        ff_touch_find(&model->slots[i], 0, bodies, &touch);
        sim->phase.modes[i] = !sim->options.events ? FF_FREE
                              : ignored            ? FF_AIR
                                                   : ff_touch_mode(&model->slots[i], state, &touch);
        if (sim->phase.modes[i] == FF_AIR && !ignored && touch.z == 0 && touch.zdot > 0) {
            /* touches down at time 0 */
            ff_normal_touch(&model->slots[i].law, touch.zdot, state);
            sim->phase.modes[i] = FF_LOADED;
            power = ff_method_curved(sim->options.method) ? model->slots[i].clock : 1;
        }
        double rate;
        sim->phase.inside[i] =
            sim->options.events
                ? sim->phase.modes[i] == FF_LOADED
                : ff_touch_gap(&model->slots[i], state, &touch, &rate) > 0 && !ignored;
        begin_inside(&model->slots[i], sim->phase.inside[i], &touch, state);
        if (sim->continues && sim->phase.modes[i] == FF_AIR) {
            /* what a given contact remembers has no meaning where it does not touch */
            memset(state, 0, (size_t)model->slots[i].states * sizeof *state);
        }
        if (!sim->rest.found && !sim->continues &&
            (sim->phase.inside[i] || sim->phase.modes[i] == FF_CLAMPED)) {
            touch_friction(model, &model->slots[i], &touch, state);
        }
        if (sim->phase.inside[i]) {
            ff_impacts_begin(sim, i, &touch, touch.z == 0 ? FF_HIT_NEW : FF_HIT_NONE);
        }
        set_slip(sim, i, false);
    }
    ff_control_start(sim);
    for (size_t i = 0; i < model->event_count && sim->options.events; i++) {
        ff_root root;
        sim->phase.above[i] = false;
        sim->user_size[i] = 0;
        ff_roots_one(sim, 0, sim->flow.y, sim->flow.roots - model->event_count + i, &root);
        sim->phase.above[i] = root.g > 0;
        sim->user_size[i] = fabs(root.g);
    }
    return power;
}
