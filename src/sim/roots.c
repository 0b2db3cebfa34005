/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "body/vector.h"
#include "edges.h"
#include <float.h>
#include <string.h>

/* Root functions of a scene (docs/theory.md, Events and modes). A function is positive if it disagrees with the mode of its
 * slot, or with the stored side of a user's function. Within its noise, the rounding error of its terms, it is undecided.
 * `bodies` are the motions at y. */

/* a few units in the last place of each term */
#define ROUNDING (8 * DBL_EPSILON)
/* fraction of a force that is far above rounding */
#define CLEAR 1e-4

/* Negative gap of a slot that is ignored while its body turns: a rotation rate of the body's own scale counts as much as a
 * depth of its scale. */
static double turning_gap(const ff_model *model, const ff_slot *slot, const double *bodies) {
    const ff_extent *size = &model->extents[slot->body];
    double turning = ff_dot(slot->gate, ff_body_state(bodies, slot->body) + FF_OMEGA);
    return -turning / size->turning * size->length;
}

/* The gap of a slot; for one that can be ignored, the smaller of depth and rotation gap. */
static double open_gap(const ff_model *model, const ff_slot *slot, const double *bodies,
                       double gap) {
    return slot->gated ? fmin(gap, turning_gap(model, slot, bodies)) : gap;
}

/* Kinks are located only where that pays off. With fixed steps and loose tolerances other errors are larger than that of a
 * kink: with kinks located, the biped of bench/biped takes 3506 evaluations at 1e-4 instead of 1475, and 2576 instead of
 * 2429 at 1e-6, at the same error; at 1e-9 and below, errors with friction ramps are 10 times smaller at the same cost
 * (bench/auto). */
#define BEND_TOL 1e-6

bool ff_roots_locate_bends(const ff_run_options *o) {
    return !ff_method_fixed(o->method) && o->tol <= BEND_TOL;
}

/* The larger of the error allowed in a velocity of a contact and its rounding error. */
static double velocity_noise(const ff_sim *sim, const ff_slot *slot, const double *bodies) {
    double speed = sim->extents[slot->body].speed;
    speed = slot->other < 0 ? speed : fmax(speed, sim->extents[slot->other].speed);
    return fmax(FF_LOCAL_PART * sim->options.tol * speed, ROUNDING * ff_touch_speed(slot, bodies));
}

/* Root function of a kink of friction. Slip at exactly that speed must not end every step because of its errors: the error
 * allowed in a velocity counts as noise. A slot that is not loaded has no friction. */
static ff_root bend_root(const ff_sim *sim, size_t i, double t, const double *bodies,
                         const double *state, const ff_touch *touch) {
    const ff_slot *slot = &sim->reduced->slots[i];
    if (sim->phase.modes[i] != FF_LOADED) {
        return (ff_root){.g = -1};
    }
    ff_touch whole = *touch;
    ff_touch_find(slot, t, bodies, &whole);
    double beyond = ff_touch_bend(slot, state, &whole);
    return (ff_root){.g = sim->phase.slipping[i] ? -beyond : beyond,
                     .noise = velocity_noise(sim, slot, bodies)};
}

/* Root function of the edge between stick and slip of rolling (0) or twist (1). As for kinks, errors that error control allows
 * count as noise. */
static ff_root turning_root(const ff_sim *sim, size_t i, int twist, double t, const double *bodies,
                            const double *state, const ff_touch *touch) {
    const ff_slot *slot = &sim->reduced->slots[i];
    const bool slips = ff_slot_turning_slips(slot, twist);
    if (sim->phase.modes[i] != FF_LOADED || !(slips || ff_roots_locate_bends(&sim->options))) {
        return (ff_root){.g = -1};
    }
    ff_touch whole = *touch;
    ff_touch_find(slot, t, bodies, &whole);
    const ff_extent *size = &sim->extents[slot->body];
    const double part = FF_LOCAL_PART * sim->options.tol,
                 errors[3] = {part * fabs(touch->at.force),
                              fmax(part * size->speed, ROUNDING * ff_touch_speed(slot, bodies)),
                              part * size->length};
    ff_root out = {0};
    const double beyond = ff_touch_turning_edge(slot, twist, state, &whole, errors, &out.noise);
    out.g = sim->phase.turning[2 * i + (size_t)twist] ? -beyond : beyond;
    return out;
}

/* How far the force is from linear in zdot up to the current speed, in both directions, over the force at rest. */
static double kink_share(const ff_slot *slot, const double *state, const ff_touch *touch) {
    double force[5]; /* at -1, -1/2, 0, 1/2, 1 times zdot */
    for (int i = 0; i < 5; i++) {
        const ff_normal_query query = {fmax(touch->z, 0), (0.5 * i - 1) * touch->zdot, state, true};
        ff_normal_answer at = {0};
        slot->law.respond(&slot->law, &query, &at);
        force[i] = at.force;
    }
    return (fabs(force[0] - 2 * force[1] + force[2]) + fabs(force[0] - 2 * force[2] + force[4]) +
            fabs(force[2] - 2 * force[3] + force[4])) /
           fabs(force[2]);
}

/* Root function of the turning point under a law whose force has a kink at zdot = 0. A contact that rests or rings slightly
 * must not end every step: the error allowed in a velocity counts as noise, and so does a speed at which the kink changes
 * the force by less than the tolerance. */
static ff_root turn_root(const ff_sim *sim, size_t i, const double *bodies, const double *state,
                         const ff_touch *touch) {
    const ff_slot *slot = &sim->reduced->slots[i];
    if (sim->phase.modes[i] != FF_LOADED || !ff_roots_locate_bends(&sim->options)) {
        return (ff_root){.g = -1};
    }
    const double g = sim->phase.opening[i] ? touch->zdot : -touch->zdot;
    double noise = velocity_noise(sim, slot, bodies);
    /* only beyond the turning point, where it matters: the laws are evaluated five times */
    if (g > noise && kink_share(slot, state, touch) < sim->options.tol) {
        noise = g;
    }
    return (ff_root){.g = g, .noise = noise};
}

/* Root functions of one slot at one instant. `touch` is its geometry with the answers of its laws, unless it is without
 * contact, or the values kept from an earlier evaluation. `out` has room for the functions that the slot has. */
static void slot_roots(const ff_sim *sim, size_t i, double t, const double *bodies, const double *y,
                       const ff_touch *touch, ff_root *out) {
    const ff_slot *slot = &sim->reduced->slots[i];
    const double *state = y + slot->state_at;
    const ff_mode mode = sim->phase.modes[i];
    const bool air = mode == FF_AIR;
    double size = ff_touch_size(slot, t, bodies, state, touch), rate;
    const double noise = ROUNDING * size, depth = ff_touch_gap(slot, state, touch, &rate);
    double gap = open_gap(sim->reduced, slot, bodies, depth);
    /* a deep but ignored contact is open because its body turns, which is not a dip */
    out[0] = (ff_root){.g = air ? gap : -gap,
                       .noise = noise,
                       .slope = air ? rate : -rate,
                       .course = gap < depth                        ? FF_COURSE_UNKNOWN
                                 : slot->stateful || slot->filtered ? FF_COURSE_SMOOTH
                                                                    : FF_COURSE_BOUNDED};
    if (fabs(gap) <= noise && !slot->stateful) {
        /* a recovering ground is left at its own rate, so the rate of this gap is 0 as well */
        out[0].leaving =
            out[0].slope > 1e-15 * ff_touch_speed(slot, bodies) && !ff_touch_ignored(slot, bodies);
    }
    if (air) {
        /* without contact only the gap can change */
        for (size_t k = sim->root_at[i] + 1; k < sim->flow.roots && sim->ends[k].slot == i; k++) {
            *++out = (ff_root){.g = -1};
        }
        return;
    }
    const bool clamps = slot->law.clamps, edge = ff_slot_has_edge(slot);
    ff_root *const at_hold = out + 1, *const at_slip = at_hold + clamps,
                   *const at_room = at_slip + edge,
                   *const at_grip = at_room + ff_slot_has_room(slot);
    ff_root *at_turning = at_grip + ff_slot_has_parts(slot);
    for (int twist = 0; slot->resists && twist < 2; twist++) {
        if (ff_slot_turning_edge(slot, twist)) {
            *at_turning++ = turning_root(sim, i, twist, t, bodies, state, touch);
        }
    }
    if (slot->kinked) {
        *at_turning = turn_root(sim, i, bodies, state, touch);
    }
    if (ff_slot_has_room(slot)) {
        double covers = slot->friction.law->covers(&slot->friction, state + ff_slot_u(slot));
        *at_room = covers < HUGE_VAL ? (ff_root){.g = depth - covers, .noise = noise, .slope = rate}
                                     : (ff_root){.g = -1};
    }
    const double z = touch->z;
    const bool shallow = z <= noise;
    bool near = false;
    /* far from a root the noise is not needed: it is below 1e-4 of the force unless velocities are 1e10 times those that
     * cause the force. Where spring and damper cancel, hold grade zdot is small compared with the loss */
    if (clamps) {
        /* in the mode loaded the force is evaluated without its clamp */
        double hold = mode == FF_LOADED ? touch->at.hold : ff_touch_hold(slot, state, touch);
        if (slot->stateful && slot->friction.lifts) {
            /* the contact ends where the total force ends */
            hold += touch->at.lift / fmax(touch->at.grade, 1e-200);
        }
        near = shallow || fabs(hold * touch->at.grade * touch->zdot) * z <=
                              fabs(touch->at.loss) * (CLEAR * z + noise);
        *at_hold = (ff_root){.g = mode == FF_LOADED ? -hold : hold};
        if (near) {
            at_hold->noise = ROUNDING * ff_touch_hold_size(slot, state, touch, size,
                                                           ff_touch_speed(slot, bodies));
        }
    }
    if (edge && ff_slot_bends(slot)) {
        *at_slip = ff_roots_locate_bends(&sim->options) ? bend_root(sim, i, t, bodies, state, touch)
                                                        : (ff_root){.g = -1};
    } else if (edge) {
        const double excess = touch->at.excess;
        const bool grips = ff_slot_has_parts(slot) && mode == FF_LOADED && sim->phase.grips[i];
        const double close = CLEAR * touch->at.strain;
        *at_slip = (ff_root){.g = sim->phase.slipping[i] ? -excess : excess};
        if (ff_slot_has_parts(slot)) {
            /* once in each contact: at its edge parts begin and end to slip all the time */
            const bool several = touch->at.first > excess;
            *at_grip = (ff_root){.g = grips && several ? touch->at.first : -1};
        }
        /* where the load ends all parts would slip, by what rounding leaves of it */
        const bool ends = near && ff_slot_has_parts(slot);
        if (shallow || ends || fabs(excess) <= close || (grips && fabs(touch->at.first) <= close)) {
            ff_touch whole = *touch;
            ff_touch_find(slot, t, bodies, &whole);
            at_slip->noise = ROUNDING * ff_touch_excess_size(slot, state, &whole, size,
                                                             ff_touch_speed(slot, bodies));
            if (grips) {
                at_grip->noise = at_slip->noise;
            }
        }
    }
}

/* Geometry and laws of a slot at one instant; without contact the laws are not evaluated. */
static void touch_at(const ff_sim *sim, size_t i, double t, const double *bodies, const double *y,
                     ff_touch *touch) {
    const ff_slot *slot = &sim->reduced->slots[i];
    ff_touch_find(slot, t, bodies, touch);
    if (sim->phase.modes[i] != FF_AIR) {
        ff_touch_answer(slot, sim->phase.modes[i], y + slot->state_at, NULL, touch);
    } else {
        touch->at = (ff_pair_answer){0};
        memset(touch->push, 0, sizeof touch->push);
    }
}

void ff_roots_look_again(ff_sim *sim, size_t slot) {
    const double *y = sim->flow.y;
    ff_touch touch;
    touch_at(sim, slot, ff_sim_now_time(sim), ff_sim_bodies_at(sim, y), y, &touch);
    sim->touches[slot] = ff_touch_keep(&touch);
}

/* A user's function. Its terms are unknown: the largest value at the end of a step takes their place. */
static ff_root user_root(ff_sim *sim, size_t i, double t, const double *bodies, const double *y) {
    const ff_event_def *event = &sim->reduced->events[i];
    for (size_t b = 0; b < sim->reduced->body_count && event->function; b++) {
        sim->motions[b] = ff_motion_at(bodies, b);
    }
    double value = event->function ? event->function(event->user, t, sim->motions)
                                   : ff_control_event_value(sim, event->expression, t, bodies, y);
    return (ff_root){.g = sim->phase.above[i] ? -value : value,
                     .noise = ROUNDING * sim->user_size[i],
                     .course = sim->pieces.events[i]};
}

void ff_roots_one(void *self, double t, const double *y, size_t which, ff_root *out) {
    ff_sim *sim = self;
    const ff_end end = sim->ends[which];
    const size_t users = sim->reduced->slot_count, kinks = users + sim->reduced->event_count;
    if (end.slot >= kinks + ff_control_branches(sim->reduced)) {
        *out = ff_edges_root(sim, which - sim->edges.root_at, t, y);
        return;
    }
    const double *bodies = ff_sim_bodies_at(sim, y);
    if (end.slot >= kinks) {
        ff_control_roots(sim, t, bodies, y, end.slot - kinks, 1, out);
        return;
    }
    if (end.slot >= users) {
        *out = user_root(sim, end.slot - users, t, bodies, y);
        return;
    }
    ff_root roots[FF_ENDS];
    ff_touch touch;
    touch_at(sim, end.slot, t, bodies, y, &touch);
    slot_roots(sim, end.slot, t, bodies, y, &touch, roots);
    *out = roots[which - sim->root_at[end.slot]];
}

/* The motion of a body in a mechanism depends on all coordinates. */
ff_reads ff_bodies_reads(const ff_sim *sim, int body, int other) {
    ff_reads out = {0};
    if (ff_articulated(sim->reduced)) {
        return out;
    }
    out.part[out.parts].from = (size_t)body * FF_BODY_STRIDE;
    out.part[out.parts++].count = FF_BODY_STRIDE;
    if (other >= 0) {
        out.part[out.parts].from = (size_t)other * FF_BODY_STRIDE;
        out.part[out.parts++].count = FF_BODY_STRIDE;
    }
    return out;
}

ff_reads ff_slot_reads(const ff_sim *sim, size_t i) {
    const ff_slot *slot = &sim->reduced->slots[i];
    ff_reads out = ff_bodies_reads(sim, slot->body, slot->other);
    if (out.parts > 0) {
        out.part[out.parts].from = slot->state_at;
        out.part[out.parts++].count = (size_t)slot->states;
    }
    return out;
}

ff_reads ff_roots_reads(const void *self, size_t which) {
    const ff_sim *sim = self;
    const size_t slot = sim->ends[which].slot;
    return slot < sim->reduced->slot_count ? ff_slot_reads(sim, slot) : (ff_reads){0};
}

void ff_roots_all(void *self, double t, const double *y, ff_known known, ff_root *out) {
    ff_sim *sim = self;
    const ff_model *model = sim->reduced;
    /* if the rates were evaluated here last, the bodies are in place */
    const double *bodies = known == FF_KNOWN_RATES && ff_articulated(model)
                               ? sim->mechanism.bodies
                               : ff_sim_bodies_at(sim, y);
    const bool looked = known == FF_KNOWN_ROOTS && sim->looked, rated = known == FF_KNOWN_RATES,
               all = sim->flow.stepper.elsewhere;
    for (size_t i = 0; i < model->slot_count; i++) {
        /* evaluations of the rates leave the touches of slots in contact; steps tried elsewhere those of all slots */
        const bool kept = looked || (rated && (all || sim->phase.modes[i] != FF_AIR));
        const ff_touch_kept *at = &sim->touches[i];
        ff_touch touch;
        if (!kept) {
            touch_at(sim, i, t, bodies, y, &touch);
        } else if (sim->phase.modes[i] == FF_AIR) {
            /* only the gap is needed without contact */
            touch.z = at->z;
            touch.zdot = at->zdot;
        } else {
            touch = ff_touch_of(at);
        }
        slot_roots(sim, i, t, bodies, y, &touch, out + sim->root_at[i]);
        if (!kept) {
            sim->touches[i] = ff_touch_keep(&touch);
        }
    }
    sim->looked = true;
    if (sim->edges.count > 0) {
        ff_edges_roots(sim, t, bodies, y, known, out + sim->edges.root_at);
    }
    ff_root *users = out + sim->flow.roots - model->event_count;
    for (size_t i = 0; i < model->event_count; i++) {
        users[i] = user_root(sim, i, t, bodies, y);
    }
    const size_t kinks = ff_control_branches(model);
    if (kinks > 0) {
        ff_control_roots(sim, t, bodies, y, 0, kinks, users - kinks);
    }
}
