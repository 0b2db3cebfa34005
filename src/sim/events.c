/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "body/vector.h"
#include "sim.h"
#include <stdio.h>
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

/* ---- how often a function switches ---- */

/* At one instant a function switches at most so often. */
enum { SWITCHES_MOST = 2 };

size_t ff_end_place(const ff_sim *sim, ff_end end) {
    size_t slots = sim->model->slot_count;
    return end.slot < slots ? end.slot * FF_ENDS + (size_t)end.which
                            : slots * FF_ENDS + end.slot - slots;
}

static bool switched_most(const ff_sim *sim, ff_end end) {
    size_t at = ff_end_place(sim, end);
    return sim->changed[at] == ff_sim_now(sim) && sim->switches[at] >= SWITCHES_MOST;
}

bool ff_end_is_slip(const ff_sim *sim, ff_end end) {
    return end.slot < sim->model->slot_count && end.which == FF_END_SLIP;
}

/* Beyond that, stick and slip are left to error control: the force is the same on both sides of their border. A contact
 * that is ignored while its body turns, and turns its body that way itself, is on and off in turns: it stays as it is for
 * a step. */
bool ff_events_exhausted(const ff_sim *sim, ff_end end) {
    bool gated = end.slot < sim->model->slot_count && sim->model->slots[end.slot].gated;
    return (gated || ff_end_is_slip(sim, end)) && switched_most(sim, end);
}

static ff_status count_switch(ff_sim *sim, ff_end end) {
    size_t at = ff_end_place(sim, end);
    if (switched_most(sim, end)) {
        return ff_events_stuck(sim, end);
    }
    sim->switches[at] = sim->changed[at] == ff_sim_now(sim) ? sim->switches[at] + 1 : 1;
    sim->changed[at] = ff_sim_now(sim);
    return FF_OK;
}

ff_status ff_events_stuck(ff_sim *sim, ff_end end) {
    bool user = end.slot >= sim->model->slot_count;
    snprintf(
        sim->error, sizeof sim->error, "%s%s switches to and fro without any progress in time%s",
        user ? "a user's event" : "contact ", user ? "" : sim->model->slots[end.slot].name,
        ff_method_fixed(sim->options.method) ? "; a smaller dt, or method auto, would help" : "");
    return FF_STUCK;
}

/* ---- what happens ---- */

void ff_events_queue(ff_sim *sim, ff_event_kind kind, int contact, bool rejoin) {
    sim->queue[sim->now.queued++] = (ff_event){ff_sim_now(sim), kind, contact, rejoin};
    sim->now.statistics.events++;
}

/* Whether a slot that is now in contact slips; told only where it changes. */
static void set_slip(ff_sim *sim, size_t i, bool tell) {
    const ff_slot *slot = &sim->model->slots[i];
    if (!slot->friction.law->slips) {
        return;
    }
    bool slips = false;
    if (sim->modes[i] != FF_AIR) {
        ff_touch touch;
        ff_touch_find(slot, ff_sim_now(sim), ff_sim_bodies(sim, sim->y), &touch);
        ff_touch_answer(slot, sim->modes[i], sim->y + slot->state_at, NULL, &touch);
        slips = touch.at.excess > 0;
    }
    if (slips != sim->slipping[i] && tell) {
        ff_events_queue(sim, slips ? FF_SLIP : FF_STICK, (int)i, false);
    }
    sim->slipping[i] = slips;
}

/* A contact has ended: what is left in a tangential spring goes to `release`, and u to 0 unless its law keeps it; what is
 * in a normal one that is cut off before z = 0 goes to `cut`. */
static void reset_slot(ff_sim *sim, size_t i) {
    const ff_slot *slot = &sim->model->slots[i];
    double *state = sim->y + slot->state_at;
    ff_touch touch;
    ff_touch_find(slot, ff_sim_now(sim), ff_sim_bodies(sim, sim->y), &touch);
    ff_touch_answer(slot, sim->modes[i], state, NULL, &touch);
    ff_books *books = &sim->books[i];
    books->release += ff_touch_tangential(slot, state, &touch);
    books->cut +=
        slot->gated && touch.z > 0 ? ff_touch_normal(slot, sim->modes[i], state, &touch) : 0;
    if (!slot->friction.keeps) {
        memset(state + ff_slot_u(slot), 0, 3 * (size_t)slot->friction.vectors * sizeof *state);
    }
    if (slot->law.law->leave) {
        slot->law.law->leave(&slot->law, state);
    }
    /* what the springs stored is released: nothing of it is left to regrade */
    books->graded = ff_slot_integral(slot, sim->y, FF_GRADED_WORK);
    sim->slipping[i] = false;
}

/* A contact that begins where it is deep already has a spring that is wound already. So has one whose law keeps u: where
 * its springs have a level, that rises from 0 now, and the next look finds what was created; else it is taken back. */
static void appear(ff_sim *sim, size_t i, ff_touch *touch) {
    const ff_slot *slot = &sim->model->slots[i];
    const double *state = sim->y + slot->state_at;
    if (slot->gated && touch->z > 0) {
        ff_touch_answer(slot, FF_LOADED, state, NULL, touch);
        sim->books[i].cut -= ff_touch_normal(slot, FF_LOADED, state, touch);
    }
    if (slot->friction.keeps && !slot->graded) {
        ff_touch_answer(slot, FF_LOADED, state, NULL, touch);
        sim->books[i].release -= ff_touch_tangential(slot, state, touch);
    }
}

bool ff_events_settle(ff_sim *sim) {
    const ff_model *model = sim->model;
    bool changed = false;
    for (size_t i = 0; i < model->slot_count; i++) {
        const ff_slot *slot = &model->slots[i];
        double *state = sim->y + slot->state_at, rate;
        const double *bodies = ff_sim_bodies(sim, sim->y);
        ff_touch touch;
        ff_touch_find(slot, ff_sim_now(sim), bodies, &touch);
        bool inside =
            ff_touch_gap(slot, state, &touch, &rate) > 0 && !ff_touch_ignored(slot, bodies);
        if (inside && !sim->inside[i]) {
            ff_normal_touch(&slot->law, touch.zdot, state);
            appear(sim, i, &touch);
        } else if (!inside && sim->inside[i]) {
            reset_slot(sim, i);
        }
        changed = changed || inside != sim->inside[i];
        sim->inside[i] = inside;
    }
    return changed;
}

/* A body that has left the ground flies for a time that its speed and gravity tell: half of that is a
 * first step that saves the climb from the steps of a contact. */
static double flight_step(const ff_sim *sim, const ff_slot *slot, double last) {
    const ff_model *model = sim->model;
    double g = sqrt(ff_dot(model->gravity, model->gravity));
    const double *v = ff_body_state(ff_sim_bodies(sim, sim->y), slot->body) + FF_VEL;
    for (size_t i = 0; i < model->slot_count; i++) {
        if (sim->modes[i] != FF_AIR) {
            return last;
        }
    }
    return g > 0 ? fmax(last, fabs(ff_dot(v, model->gravity)) / (g * g)) : last;
}

/* The first step after what has happened at one instant: the shortest one asked for, on the clock of the highest power. */
typedef struct {
    int power;
    double step;
} restart;

static void note(restart *next, int power, double step) {
    next->power = power > next->power ? power : next->power;
    next->step = fmin(next->step, step);
}

/* The force of a slot begins or ends, which is told. */
static void tell_force(ff_sim *sim, size_t i, bool acts, bool rejoin) {
    if (sim->inside[i] != acts) {
        sim->inside[i] = acts;
        ff_events_queue(sim, acts ? FF_TOUCHDOWN : FF_LIFTOFF, (int)i, rejoin);
    }
}

/* The clamp of a slot's normal law begins or ends to hold. A lift of friction may push on. */
static void change_hold(ff_sim *sim, size_t i, const ff_touch *touch) {
    const ff_slot *slot = &sim->model->slots[i];
    double *state = sim->y + slot->state_at;
    bool rejoin = sim->modes[i] == FF_CLAMPED;
    if (!slot->stateful) {
        sim->modes[i] = rejoin ? FF_LOADED : FF_CLAMPED;
        bool acts = rejoin;
        if (slot->friction.lifts && !rejoin) {
            ff_touch at = *touch;
            ff_touch_answer(slot, FF_CLAMPED, state, NULL, &at);
            acts = at.at.lift > 0;
        }
        tell_force(sim, i, acts, rejoin);
        set_slip(sim, i, true);
        return;
    }
    /* the body leaves its ground behind, which goes on with u where friction can */
    tell_force(sim, i, false, false);
    if (!slot->friction.law->relax) {
        reset_slot(sim, i);
    }
    state[ff_slot_ground(slot)] = fmax(touch->z, 0);
    sim->slipping[i] = false;
    sim->modes[i] = FF_AIR;
}

/* A root function of a slot is past its root: the mode that it leads to begins. `last` is how long steps were, s. */
static void change_slot(ff_sim *sim, ff_end end, double last, restart *next) {
    const size_t i = end.slot;
    const ff_slot *slot = &sim->model->slots[i];
    double *state = sim->y + slot->state_at;
    int power = 1;
    ff_touch touch;
    ff_touch_find(slot, ff_sim_now(sim), ff_sim_bodies(sim, sim->y), &touch);
    if (end.which == FF_END_SLIP) {
        sim->slipping[i] = !sim->slipping[i];
        ff_events_queue(sim, sim->slipping[i] ? FF_SLIP : FF_STICK, (int)i, false);
    } else if (sim->modes[i] == FF_AIR) {
        double *ground = slot->stateful ? &state[ff_slot_ground(slot)] : NULL;
        /* a ground that has not recovered is met at its own depth, where the force jumps */
        bool rejoin = ground
                          ? *ground > 0
                          : slot->gated && touch.z > 1e-9 * sim->model->extents[slot->body].length;
        if (ground) {
            *ground = 0;
        }
        ff_normal_touch(&slot->law, touch.zdot, state);
        sim->modes[i] = FF_LOADED;
        appear(sim, i, &touch);
        tell_force(sim, i, true, rejoin);
        set_slip(sim, i, false);
        power = ff_method_curved(sim->options.method) && !rejoin ? slot->clock : 1;
        last = 0.05 * ff_step_touch_time(sim->model, slot);
    } else if (end.which == FF_END_HOLD) {
        change_hold(sim, i, &touch);
    } else {
        tell_force(sim, i, false, false);
        reset_slot(sim, i);
        sim->modes[i] = FF_AIR;
        ff_events_queue(sim, FF_CLEAR, (int)i, false);
        last = flight_step(sim, slot, last);
    }
    note(next, power, last);
}

static ff_status change(ff_sim *sim, ff_end end, double last, restart *next) {
    ff_status status = count_switch(sim, end);
    if (status < 0) {
        return status;
    }
    if (end.slot < sim->model->slot_count) {
        change_slot(sim, end, last, next);
    } else {
        size_t user = end.slot - sim->model->slot_count;
        sim->above[user] = !sim->above[user];
        ff_events_queue(sim, FF_USER, (int)user, false);
        note(next, 1, last);
    }
    return FF_OK;
}

/* Whether a slot whose gap is 0 to rounding is about to leave its mode, by the rate of its gap. */
static bool about_to_leave(const ff_sim *sim, size_t i, const double *bodies) {
    const ff_slot *slot = &sim->model->slots[i];
    double noise = 1e-15 * ff_touch_speed(slot, bodies), rate = sim->gaps_end[i].rate;
    /* a ground that recovers is left at its own pace: the rate of that gap is 0, too */
    if (ff_touch_ignored(slot, bodies) || slot->stateful) {
        return false;
    }
    return sim->modes[i] == FF_AIR ? rate > noise : rate < -noise;
}

/* All modes are made to agree with the state: functions that disagree switch, and gaps of 0 go the way of their rates.
 * What a switch brings about is looked at again. */
static ff_status agree(ff_sim *sim, double last, restart *next) {
    const ff_model *model = sim->model;
    size_t count;
    do {
        const double *bodies = ff_sim_bodies(sim, sim->y);
        size_t kept = 0;
        count = ff_roots_look(sim, ff_sim_now(sim), sim->y, false);
        for (size_t k = 0; k < count; k++) {
            if (!ff_events_exhausted(sim, sim->ended[k])) {
                sim->ended[kept++] = sim->ended[k];
            }
        }
        count = kept;
        for (size_t i = 0; i < model->slot_count && count == 0; i++) {
            const ff_end gap = {i, FF_END_GAP};
            if (!sim->armed_end[ff_end_place(sim, gap)] && about_to_leave(sim, i, bodies) &&
                !ff_events_exhausted(sim, gap)) {
                sim->ended[count++] = gap;
            }
        }
        for (size_t k = 0; k < count; k++) {
            ff_status status = change(sim, sim->ended[k], last, next);
            if (status < 0) {
                return status;
            }
        }
    } while (count > 0);
    ff_roots_begin(sim);
    return FF_OK;
}

ff_status ff_events_change(ff_sim *sim, const ff_end *end, double last) {
    restart next = {.power = 1, .step = HUGE_VAL};
    ff_status status = end ? change(sim, *end, last, &next) : FF_OK;
    status = status < 0 ? status : agree(sim, last, &next);
    if (status == FF_OK && next.step < HUGE_VAL) {
        if (sim->options.method == FF_AUTO) {
            /* what was stiff may be no more */
            ff_step_choose(sim, FF_DOPRI5);
        }
        ff_step_restart(sim, next.power, next.step);
        return FF_EVENT;
    }
    return status;
}

int ff_events_start(ff_sim *sim) {
    const ff_model *model = sim->model;
    int power = 1;
    for (size_t i = 0; i < model->slot_count * FF_ENDS + model->event_count; i++) {
        sim->changed[i] = NAN;
    }
    for (size_t i = 0; i < model->slot_count; i++) {
        /* a start in contact: inner states 0, no touch-down, its energy in `initial` */
        double *state = sim->y + model->slots[i].state_at;
        ff_touch touch;
        const double *bodies = ff_sim_bodies(sim, sim->y);
        bool ignored = ff_touch_ignored(&model->slots[i], bodies);
        ff_touch_find(&model->slots[i], 0, bodies, &touch);
        sim->modes[i] = !sim->options.events ? FF_FREE
                        : ignored            ? FF_AIR
                                             : ff_touch_mode(&model->slots[i], state, &touch);
        if (sim->modes[i] == FF_AIR && !ignored && touch.z == 0 && touch.zdot > 0) {
            /* it touches down as time begins */
            ff_normal_touch(&model->slots[i].law, touch.zdot, state);
            sim->modes[i] = FF_LOADED;
            power = ff_method_curved(sim->options.method) ? model->slots[i].clock : 1;
        }
        sim->inside[i] = sim->options.events ? sim->modes[i] == FF_LOADED : touch.z > 0 && !ignored;
        set_slip(sim, i, false);
    }
    for (size_t i = 0; i < model->event_count; i++) {
        sim->above[i] = false;
        sim->user_size[i] = 0;
        sim->above[i] = ff_roots_value(sim, (ff_end){model->slot_count + i, 0}, 0, sim->y).g > 0;
    }
    if (sim->options.events) {
        ff_roots_look(sim, 0, sim->y, false);
        ff_roots_begin(sim);
    }
    return power;
}
