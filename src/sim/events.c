/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "body/vector.h"
#include "ode/bracket.h"
#include "sim.h"
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

/* The gap of a slot; one that is ignored while its body turns is open then: whichever closes last counts. A turning
 * of the body's own size is as large as a depth of its own. */
static double open_gap(const ff_model *model, const ff_slot *slot, const double *bodies,
                       const double *state, const ff_touch *touch) {
    double gap = ff_touch_gap(slot, state, touch);
    if (slot->gated) {
        const ff_model_body *body = &model->bodies[slot->body];
        double turning = ff_dot(slot->gate, ff_body_state(bodies, slot->body) + FF_OMEGA);
        gap = fmin(gap, -turning / body->turning * body->length);
    }
    return gap;
}

/* What a slot watches: how its gap, its hold on the force and its grip stand at y. */
typedef struct {
    double gap, hold, excess;
} watch;

/* `bodies` are the motions at y, everywhere here. */
static watch judge(const ff_sim *sim, size_t i, const double *bodies, const double *y,
                   const ff_touch *touch) {
    const ff_slot *slot = &sim->model->slots[i];
    const double *state = y + sim->model->slot_at + i * FF_CONTACT_STRIDE;
    watch out = {.gap = open_gap(sim->model, slot, bodies, state, touch)};
    if (sim->modes[i] != FF_AIR) {
        out.hold = ff_touch_hold(slot, sim->modes[i], state, touch);
        out.excess = slot->friction.law->events ? ff_touch_excess(slot, state, touch) : 0;
    }
    return out;
}

static watch look(const ff_sim *sim, size_t i, double t, const double *bodies, const double *y) {
    const ff_slot *slot = &sim->model->slots[i];
    ff_touch touch;
    ff_touch_find(slot, t, bodies, &touch);
    if (sim->modes[i] != FF_AIR) {
        ff_touch_answer(slot, sim->modes[i], y + sim->model->slot_at + i * FF_CONTACT_STRIDE,
                        &touch);
    }
    return judge(sim, i, bodies, y, &touch);
}

/* The functions of a slot that end the present mode where they become positive; -1 marks none. */
static void ends(const ff_sim *sim, size_t i, watch at, double g[FF_ENDS]) {
    const ff_slot *slot = &sim->model->slots[i];
    bool clamps =
        slot->law.least == 0 && slot->law.p < slot->law.n && slot->law.law->inner != FF_INNER_RATE;
    g[0] = sim->modes[i] == FF_AIR ? at.gap : -at.gap;
    g[1] = !clamps || sim->modes[i] == FF_AIR ? -1
           : sim->modes[i] == FF_LOADED       ? -at.hold
                                              : at.hold;
    g[2] = sim->modes[i] == FF_AIR || !slot->friction.law->events ? -1
           : sim->slipping[i]                                     ? -at.excess
                                                                  : at.excess;
}

/* A user's function, with the sign that makes it negative now. */
static double user_end(const ff_sim *sim, size_t i, double t, const double *bodies) {
    const ff_event_def *event = &sim->model->events[i];
    for (size_t b = 0; b < sim->model->body_count; b++) {
        sim->motions[b] = ff_motion_at(bodies, b);
    }
    double value = event->function(event->user, t, sim->motions);
    return sim->above[i] ? -value : value;
}

/* The largest of all end functions at y: an event lies before it if it is positive. `known`: y is where
 * the rates were evaluated last, and their touches are still there. `armed`: only ends that were negative
 * at the start of the step; a mode that has just begun stands at 0, on either side by rounding. */
static double nearest_end(const ff_sim *sim, double t, const double *y, bool known, bool armed,
                          ff_end *end) {
    double most = -INFINITY;
    /* where the rates were evaluated last the bodies are placed already */
    const double *bodies =
        known && ff_articulated(sim->model) ? sim->mechanism.bodies : ff_sim_bodies(sim, y);
    for (size_t i = 0; i < sim->model->slot_count; i++) {
        double g[FF_ENDS];
        known = known && sim->modes[i] != FF_AIR;
        ends(sim, i,
             known ? judge(sim, i, bodies, y, &sim->touches[i]) : look(sim, i, t, bodies, y), g);
        for (int j = 0; j < FF_ENDS; j++) {
            if (g[j] > 0 && g[j] > most && (!armed || sim->armed[i * FF_ENDS + (size_t)j])) {
                most = g[j];
                *end = (ff_end){i, j};
            }
        }
    }
    for (size_t i = 0; i < sim->model->event_count; i++) {
        double g = user_end(sim, i, t, bodies);
        if (g > 0 && g > most && (!armed || sim->armed[sim->model->slot_count * FF_ENDS + i])) {
            most = g;
            *end = (ff_end){sim->model->slot_count + i, 0};
        }
    }
    return most;
}

double ff_events_value(const ff_sim *sim, ff_end end, double t, const double *y) {
    const double *bodies = ff_sim_bodies(sim, y);
    if (end.slot >= sim->model->slot_count) {
        return user_end(sim, end.slot - sim->model->slot_count, t, bodies);
    }
    double g[FF_ENDS];
    ends(sim, end.slot, look(sim, end.slot, t, bodies, y), g);
    return g[end.which];
}

/* Whether an open slot dips into contact and out again within a step: its gap is greatest where its
 * rate changes sign, which the ends of the step show. theta of that place, or 0. */
static double dip(ff_sim *sim, double step, const double *y1) {
    const ff_model *model = sim->model;
    for (size_t i = 0; i < model->slot_count; i++) {
        const ff_slot *slot = &model->slots[i];
        if (sim->modes[i] != FF_AIR) {
            continue;
        }
        ff_touch a, b;
        double x = sim->now.clock.x;
        ff_touch_find(slot, ff_clock_time(&sim->now.clock, x), ff_sim_bodies(sim, sim->y), &a);
        ff_touch_find(slot, ff_clock_time(&sim->now.clock, x + step), ff_sim_bodies(sim, y1), &b);
        if (!(a.zdot > 0 && b.zdot < 0)) {
            continue;
        }
        ff_stepper_dense(&sim->stepper, sim->now.method, x, sim->y, step);
        double low = 0, high = 1;
        for (int turn = 0; turn < 40; turn++) {
            double theta = (low + high) / 2;
            ff_touch c;
            ff_stepper_states_at(&sim->stepper, theta, sim->scratch);
            const double *bodies = ff_sim_bodies(sim, sim->scratch);
            ff_touch_find(slot, ff_clock_time(&sim->now.clock, x + theta * step), bodies, &c);
            const double *state = sim->scratch + model->slot_at + i * FF_CONTACT_STRIDE;
            if (open_gap(model, slot, bodies, state, &c) > 0) {
                return theta;
            }
            if (c.zdot > 0) {
                low = theta;
            } else {
                high = theta;
            }
        }
    }
    return 0;
}

/* Which ends are negative at the start of a step. */
static void arm(ff_sim *sim) {
    const double *bodies = ff_sim_bodies(sim, sim->y);
    for (size_t i = 0; i < sim->model->slot_count; i++) {
        double g[FF_ENDS];
        ends(sim, i, look(sim, i, ff_sim_time(sim), bodies, sim->y), g);
        for (size_t j = 0; j < FF_ENDS; j++) {
            sim->armed[i * FF_ENDS + j] = g[j] < 0;
        }
    }
    for (size_t i = 0; i < sim->model->event_count; i++) {
        sim->armed[sim->model->slot_count * FF_ENDS + i] =
            user_end(sim, i, ff_sim_time(sim), bodies) < 0;
    }
}

/* An end that is past already at the start of a step and still at its end, of a slot whose mode did not
 * change at this very instant: it fell together with the event before, and is told now. */
static bool standing_end(const ff_sim *sim, double time, ff_end *end) {
    double now = ff_sim_time(sim);
    size_t slots = sim->model->slot_count;
    for (size_t i = 0; i < slots + sim->model->event_count; i++) {
        for (int j = 0; j < (i < slots ? FF_ENDS : 1) && sim->changed[i] != now; j++) {
            ff_end one = {i, j};
            if (ff_events_value(sim, one, now, sim->y) >= 0 &&
                ff_events_value(sim, one, time, sim->stepper.y1) > 0) {
                *end = one;
                return true;
            }
        }
    }
    return false;
}

/* The first armed end inside the step last tried, one of which is known to be before theta: its place. */
static double first_end(ff_sim *sim, double step, double theta, ff_end *end) {
    double x = sim->now.clock.x, high = theta;
    ff_stepper_dense(&sim->stepper, sim->now.method, x, sim->y, step);
    /* earlier ends of other slots may hide behind the largest: look again before each one found */
    while (true) {
        ff_end next;
        ff_stepper_states_at(&sim->stepper, high, sim->scratch);
        double g_high = nearest_end(sim, ff_clock_time(&sim->now.clock, x + high * step),
                                    sim->scratch, false, true, &next);
        if (!(g_high > 0)) {
            return high;
        }
        *end = next;
        ff_bracket b = {.high = high, .g_high = g_high};
        b.g_low = ff_events_value(sim, next, ff_clock_time(&sim->now.clock, x), sim->y);
        while (ff_bracket_open(&b)) {
            double at = ff_bracket_guess(&b);
            ff_stepper_states_at(&sim->stepper, at, sim->scratch);
            double time = ff_clock_time(&sim->now.clock, x + at * step);
            ff_bracket_narrow(&b, at, ff_events_value(sim, next, time, sim->scratch));
        }
        /* just before it: nothing of this slot is left to be found there */
        high = b.low;
    }
}

void ff_events_queue(ff_sim *sim, ff_event_kind kind, int contact, bool rejoin) {
    sim->queue[sim->now.queued++] = (ff_event){ff_sim_time(sim), kind, contact, rejoin};
    sim->now.statistics.events++;
}

/* Whether a slot that is now in contact slips; told only where it changes. */
static void set_slip(ff_sim *sim, size_t i, bool tell) {
    const ff_slot *slot = &sim->model->slots[i];
    if (!slot->friction.law->events) {
        return;
    }
    bool slips = look(sim, i, ff_sim_time(sim), ff_sim_bodies(sim, sim->y), sim->y).excess > 0;
    if (slips != sim->slipping[i] && tell) {
        ff_events_queue(sim, slips ? FF_SLIP : FF_STICK, (int)i, false);
    }
    sim->slipping[i] = slips;
}

/* What is left in a tangential spring when z is back at 0 goes to `release`, and u to 0; what is in a normal one that
 * is cut off before goes to `cut`. */
static void reset_slot(ff_sim *sim, size_t i) {
    const ff_slot *slot = &sim->model->slots[i];
    double *state = sim->y + sim->model->slot_at + i * FF_CONTACT_STRIDE;
    ff_touch touch;
    ff_touch_find(slot, ff_sim_time(sim), ff_sim_bodies(sim, sim->y), &touch);
    ff_touch_answer(slot, sim->modes[i], state, &touch);
    sim->release[i] += ff_touch_tangential(slot, state, &touch);
    sim->cut[i] += slot->gated && touch.z > 0 ? ff_touch_normal(slot, state, &touch) : 0;
    memset(state + 1, 0, 3 * sizeof *state);
    sim->slipping[i] = false;
}

/* A contact that begins where it is deep already has a spring that is wound already. */
static void appear(ff_sim *sim, size_t i, ff_touch *touch) {
    const ff_slot *slot = &sim->model->slots[i];
    const double *state = sim->y + sim->model->slot_at + i * FF_CONTACT_STRIDE;
    if (slot->gated && touch->z > 0) {
        ff_touch_answer(slot, FF_LOADED, state, touch);
        sim->cut[i] -= ff_touch_normal(slot, state, touch);
    }
}

bool ff_events_settle(ff_sim *sim) {
    const ff_model *model = sim->model;
    bool changed = false;
    for (size_t i = 0; i < model->slot_count; i++) {
        const ff_slot *slot = &model->slots[i];
        double *state = sim->y + model->slot_at + i * FF_CONTACT_STRIDE;
        const double *bodies = ff_sim_bodies(sim, sim->y);
        ff_touch touch;
        ff_touch_find(slot, ff_sim_time(sim), bodies, &touch);
        bool inside = open_gap(model, slot, bodies, state, &touch) > 0;
        if (inside && !sim->inside[i]) {
            state[0] = ff_normal_touch(&slot->law, touch.zdot, state[0]);
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

void ff_events_change(ff_sim *sim, ff_end end, double last) {
    const size_t i = end.slot;
    const int which = end.which;
    sim->changed[i] = ff_sim_time(sim);
    if (i >= sim->model->slot_count) {
        size_t user = i - sim->model->slot_count;
        sim->above[user] = !sim->above[user];
        ff_events_queue(sim, FF_USER, (int)user, false);
        ff_step_restart(sim, 1, last);
        return;
    }
    const ff_slot *slot = &sim->model->slots[i];
    double *state = sim->y + sim->model->slot_at + i * FF_CONTACT_STRIDE;
    int power = 1;
    if (sim->options.method == FF_AUTO) {
        ff_step_choose(sim, FF_DOPRI5);
    }
    if (which == 2) {
        sim->slipping[i] = !sim->slipping[i];
        ff_events_queue(sim, sim->slipping[i] ? FF_SLIP : FF_STICK, (int)i, false);
    } else if (sim->modes[i] == FF_AIR) {
        ff_touch touch;
        ff_touch_find(slot, ff_sim_time(sim), ff_sim_bodies(sim, sim->y), &touch);
        /* a ground that has not recovered is met at its own depth, where the force jumps */
        bool rejoin = slot->stateful
                          ? state[0] > 0
                          : slot->gated && touch.z > 1e-9 * sim->model->bodies[slot->body].length;
        state[0] = slot->stateful ? 0 : ff_normal_touch(&slot->law, touch.zdot, state[0]);
        sim->modes[i] = FF_LOADED;
        appear(sim, i, &touch);
        ff_events_queue(sim, FF_TOUCHDOWN, (int)i, rejoin);
        set_slip(sim, i, false);
        power = ff_method_curved(sim->options.method) && !rejoin ? slot->clock : 1;
        last = 0.05 * ff_step_touch_time(sim->model, slot);
    } else if (which == 1 && slot->stateful) {
        ff_events_queue(sim, FF_LIFTOFF, (int)i, false);
        if (!slot->friction.law->events || slot->friction.beta > 0) {
            /* only the clutch's spring has a damper of its own to relax by */
            reset_slot(sim, i);
        }
        ff_touch touch;
        ff_touch_find(slot, ff_sim_time(sim), ff_sim_bodies(sim, sim->y), &touch);
        state[0] = fmax(touch.z, 0);
        sim->slipping[i] = false;
        sim->modes[i] = FF_AIR;
    } else if (which == 1) {
        bool rejoin = sim->modes[i] == FF_CLAMPED;
        sim->modes[i] = rejoin ? FF_LOADED : FF_CLAMPED;
        ff_events_queue(sim, rejoin ? FF_TOUCHDOWN : FF_LIFTOFF, (int)i, rejoin);
        set_slip(sim, i, true);
    } else {
        if (sim->modes[i] == FF_LOADED) {
            ff_events_queue(sim, FF_LIFTOFF, (int)i, false);
        }
        reset_slot(sim, i);
        sim->modes[i] = FF_AIR;
        ff_events_queue(sim, FF_CLEAR, (int)i, false);
        last = flight_step(sim, slot, last);
    }
    ff_step_restart(sim, power, last);
}

ff_search ff_events_search(ff_sim *sim, double step, ff_end *end, double *theta) {
    ff_stepper *stepper = &sim->stepper;
    bool known = ff_method_ends_last(sim->now.method);
    double time = ff_clock_time(&sim->now.clock, sim->now.clock.x + step);
    bool ended = nearest_end(sim, time, stepper->y1, known, false, end) > 0;
    *theta = ended ? 1 : dip(sim, step, stepper->y1);
    if (*theta == 0) {
        return FF_EVENTS_NONE;
    }
    if (ended && standing_end(sim, time, end)) {
        return FF_EVENTS_NOW;
    }
    arm(sim);
    ff_stepper_dense(stepper, sim->now.method, sim->now.clock.x, sim->y, step);
    ff_stepper_states_at(stepper, *theta, sim->scratch);
    time = ff_clock_time(&sim->now.clock, sim->now.clock.x + *theta * step);
    if (nearest_end(sim, time, sim->scratch, false, true, end) > 0) {
        *theta = first_end(sim, step, *theta, end);
        return FF_EVENTS_FOUND;
    }
    /* a mode that never was right ends with the shortest step there is */
    return ended && step <= 2 * sim->now.least ? FF_EVENTS_FOUND : FF_EVENTS_NEAR;
}

int ff_events_start(ff_sim *sim) {
    const ff_model *model = sim->model;
    int power = 1;
    for (size_t i = 0; i < model->slot_count + model->event_count; i++) {
        sim->changed[i] = NAN;
    }
    for (size_t i = 0; i < model->slot_count; i++) {
        /* a start in contact: inner states 0, no touch-down, its energy in `initial` */
        double *state = sim->y + model->slot_at + i * FF_CONTACT_STRIDE;
        ff_touch touch;
        const double *bodies = ff_sim_bodies(sim, sim->y);
        bool ignored = ff_touch_ignored(&model->slots[i], bodies);
        ff_touch_find(&model->slots[i], 0, bodies, &touch);
        sim->modes[i] = !sim->options.events ? FF_FREE
                        : ignored            ? FF_AIR
                                             : ff_touch_mode(&model->slots[i], state, &touch);
        sim->inside[i] = touch.z > 0 && !ignored;
        if (sim->modes[i] == FF_AIR && !ignored && touch.z == 0 && touch.zdot > 0) {
            /* it touches down as time begins */
            state[0] = ff_normal_touch(&model->slots[i].law, touch.zdot, state[0]);
            sim->modes[i] = FF_LOADED;
            power = ff_method_curved(sim->options.method) ? model->slots[i].clock : 1;
        }
        set_slip(sim, i, false);
    }
    for (size_t i = 0; i < model->event_count; i++) {
        sim->above[i] = user_end(sim, i, 0, ff_sim_bodies(sim, sim->y)) > 0;
    }
    return power;
}
