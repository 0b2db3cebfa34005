/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "body/vector.h"
#include "ode/bracket.h"
#include "sim.h"
#include <float.h>
#include <string.h>

/* The functions whose roots are events, and the first of their roots within a step (docs/theory.md, Events and modes).
 * A function is positive where it disagrees with the mode that a slot is in, or with the side that a user's function is
 * on. Within its noise, the rounding of the terms it is formed of, it is undecided. `bodies` are the motions at y. */

/* a few units in the last place of each term */
#define ROUNDING (8 * DBL_EPSILON)
/* a part of a force that rounding does not reach */
#define CLEAR 1e-4

/* Where a slot that is ignored while its body turns is open for that reason: how far, negative. A turning of the body's
 * own size is as large as a depth of its own. */
static double turning_gap(const ff_model *model, const ff_slot *slot, const double *bodies) {
    const ff_extent *size = &model->extents[slot->body];
    double turning = ff_dot(slot->gate, ff_body_state(bodies, slot->body) + FF_OMEGA);
    return -turning / size->turning * size->length;
}

/* The gap of a slot; of one that can be ignored, whichever of depth and turning closes last. */
static double open_gap(const ff_model *model, const ff_slot *slot, const double *bodies,
                       double gap) {
    return slot->gated ? fmin(gap, turning_gap(model, slot, bodies)) : gap;
}

/* What one slot shows at one instant: `touch` was found, and answered unless the slot is in the air. */
static void judge(const ff_sim *sim, size_t i, double t, const double *bodies, const double *y,
                  const ff_touch *touch, ff_root roots[FF_ENDS], ff_gap *at) {
    const ff_slot *slot = &sim->model->slots[i];
    const double *state = y + slot->state_at;
    const ff_mode mode = sim->modes[i];
    double size = ff_touch_size(slot, t, bodies, state, touch);
    at->noise = ROUNDING * size;
    at->gap = ff_touch_gap(slot, state, touch, &at->rate);
    double gap = open_gap(sim->model, slot, bodies, at->gap);
    roots[FF_END_GAP] = (ff_root){mode == FF_AIR ? gap : -gap, at->noise};
    roots[FF_END_HOLD] = roots[FF_END_SLIP] = (ff_root){.g = -1};
    const bool clamps = slot->law.clamps, slips = slot->friction.law->slips;
    if (mode == FF_AIR || !(clamps || slips)) {
        return;
    }
    /* loaded, the force is answered without its clamp */
    const double excess = touch->at.excess;
    double hold =
        mode == FF_LOADED || !clamps ? touch->at.ratio : ff_touch_hold(slot, state, touch);
    if (slot->stateful && slot->friction.lifts) {
        /* the ground is left where all that it exerts ends */
        hold += touch->at.lift / fmax(touch->at.grade, 1e-200);
    }
    roots[FF_END_HOLD].g = !clamps ? -1 : mode == FF_LOADED ? -hold : hold;
    roots[FF_END_SLIP].g = !slips ? -1 : sim->slipping[i] ? -excess : excess;
    /* far from a root their noise is not needed: it is below 1e-4 of the force unless velocities are 1e10 times those
     * that the force comes from. Where spring and damper cancel, hold grade zdot is small against what is lost */
    const double z = touch->z;
    bool shallow = z <= at->noise;
    bool near_hold = clamps && (shallow || fabs(hold * touch->at.grade * touch->zdot) * z <=
                                               fabs(touch->at.loss) * (CLEAR * z + at->noise)),
         near_slip = slips && (shallow || fabs(excess) <= CLEAR * touch->at.strain);
    if (near_hold || near_slip) {
        double speed = ff_touch_speed(slot, bodies);
        roots[FF_END_HOLD].noise =
            near_hold ? ROUNDING * ff_touch_hold_size(slot, state, touch, size, speed) : 0;
        roots[FF_END_SLIP].noise =
            near_slip ? ROUNDING * ff_touch_excess_size(slot, state, touch, size, speed) : 0;
    }
}

static void look(const ff_sim *sim, size_t i, double t, const double *bodies, const double *y,
                 ff_root roots[FF_ENDS], ff_gap *at) {
    const ff_slot *slot = &sim->model->slots[i];
    ff_touch touch;
    ff_touch_find(slot, t, bodies, &touch);
    if (sim->modes[i] != FF_AIR) {
        ff_touch_answer(slot, sim->modes[i], y + slot->state_at, NULL, &touch);
    }
    judge(sim, i, t, bodies, y, &touch, roots, at);
}

/* A user's function. What it is formed of is not known: the largest value met stands for that. */
static ff_root user_root(const ff_sim *sim, size_t i, double t, const double *bodies) {
    const ff_event_def *event = &sim->model->events[i];
    for (size_t b = 0; b < sim->model->body_count; b++) {
        sim->motions[b] = ff_motion_at(bodies, b);
    }
    double value = event->function(event->user, t, sim->motions);
    sim->user_size[i] = fmax(sim->user_size[i], fabs(value));
    return (ff_root){sim->above[i] ? -value : value, ROUNDING * sim->user_size[i]};
}

ff_root ff_roots_value(const ff_sim *sim, ff_end end, double t, const double *y) {
    const double *bodies = ff_sim_bodies(sim, y);
    if (end.slot >= sim->model->slot_count) {
        return user_root(sim, end.slot - sim->model->slot_count, t, bodies);
    }
    ff_root roots[FF_ENDS];
    ff_gap at;
    look(sim, end.slot, t, bodies, y, roots, &at);
    return roots[end.which];
}

size_t ff_roots_look(ff_sim *sim, double t, const double *y, bool known) {
    const ff_model *model = sim->model;
    const size_t slots = model->slot_count;
    /* where the rates were evaluated last the bodies are placed already */
    const double *bodies =
        known && ff_articulated(model) ? sim->mechanism.bodies : ff_sim_bodies(sim, y);
    size_t count = 0;
    for (size_t i = 0; i < slots; i++) {
        ff_root roots[FF_ENDS];
        bool *armed = sim->armed_end + i * FF_ENDS;
        if (known && sim->modes[i] != FF_AIR) {
            judge(sim, i, t, bodies, y, &sim->touches[i], roots, &sim->gaps_end[i]);
        } else {
            look(sim, i, t, bodies, y, roots, &sim->gaps_end[i]);
        }
        for (int j = 0; j < FF_ENDS; j++) {
            armed[j] = ff_root_agrees(roots[j]);
            if (ff_root_disagrees(roots[j])) {
                sim->ended[count++] = (ff_end){i, j};
            }
        }
    }
    for (size_t i = 0; i < model->event_count; i++) {
        ff_root root = user_root(sim, i, t, bodies);
        sim->armed_end[slots * FF_ENDS + i] = ff_root_agrees(root);
        if (ff_root_disagrees(root)) {
            sim->ended[count++] = (ff_end){slots + i, 0};
        }
    }
    return count;
}

void ff_roots_begin(ff_sim *sim) {
    const size_t slots = sim->model->slot_count;
    memcpy(sim->armed, sim->armed_end,
           (slots * FF_ENDS + sim->model->event_count) * sizeof *sim->armed);
    memcpy(sim->gaps, sim->gaps_end, slots * sizeof *sim->gaps);
}

/* ---- on the interpolant of the step last tried ---- */

/* how far into a step, and when that is */
static double time_at(const ff_sim *sim, double theta) {
    return ff_clock_time(&sim->now.clock, sim->now.clock.x + theta * sim->stepper.step);
}

static ff_root root_at(ff_sim *sim, ff_end end, double theta) {
    if (theta == 1) {
        /* as it is: the interpolant is off by rounding */
        return ff_roots_value(sim, end, time_at(sim, 1), sim->stepper.y1);
    }
    ff_stepper_states_at(&sim->stepper, theta, sim->scratch);
    if (sim->round && sim->model->event_count > 0) {
        /* users' functions may look at orientations */
        ff_stepper_states_at(&sim->stepper, theta / 2, sim->seen);
        ff_step_turn(sim, &sim->now.clock, theta * sim->stepper.step, sim->y, sim->seen,
                     sim->scratch);
    }
    return ff_roots_value(sim, end, time_at(sim, theta), sim->scratch);
}

/* ---- dips: a slot that leaves its mode and comes back within a step ---- */

/* The gap is that of the mode: negative while it agrees. */
typedef struct {
    double theta, t;
    ff_gap at;
} mark;

static ff_gap seen_from(ff_mode mode, ff_gap at) {
    return mode == FF_AIR ? at : (ff_gap){-at.gap, -at.rate, at.noise};
}

static inline double larger(double a, double b) { return a > b ? a : b; }

/* the most that z + v t + a t^2/2 is for 0 <= t <= h */
static double peak(double z, double v, double a, double h) {
    double most = larger(z, z + h * (v + a * h / 2));
    return a < 0 && v > 0 && v < -a * h ? z - v * v / (2 * a) : most;
}

/* Whether a gap cannot rise above its noise between two marks where it does not: it lies below the two parabolas that
 * leave the marks with its rates and the greatest acceleration. That is the greatest of the cubic through both marks,
 * and half of its size and all of its change on top of that. */
static bool excluded(const mark *a, const mark *b) {
    double h = b->t - a->t, noise = larger(a->at.noise, b->at.noise);
    if (!(h > 0)) {
        return true;
    }
    double mean = (b->at.gap - a->at.gap) / h;
    double first = (6 * mean - 4 * a->at.rate - 2 * b->at.rate) / h;
    double last = (2 * a->at.rate + 4 * b->at.rate - 6 * mean) / h;
    double most = larger(first, last) + larger(fabs(first), fabs(last)) / 2 + fabs(last - first);
    return peak(a->at.gap, a->at.rate, most, h / 2) <= noise &&
           peak(b->at.gap, -b->at.rate, most, h / 2) <= noise;
}

/* Where slot i is out of its mode between two marks on the interpolant; false where it is not. Halves are looked at until all are
 * excluded. */
static bool find_dip(ff_sim *sim, size_t i, const mark *a, const mark *b, int *left,
                     double *theta) {
    if (*left == 0 || excluded(a, b)) {
        return false;
    }
    --*left;
    mark m = {.theta = (a->theta + b->theta) / 2};
    m.t = time_at(sim, m.theta);
    ff_root roots[FF_ENDS];
    ff_stepper_states_at(&sim->stepper, m.theta, sim->scratch);
    look(sim, i, m.t, ff_sim_bodies(sim, sim->scratch), sim->scratch, roots, &m.at);
    m.at = seen_from(sim->modes[i], m.at);
    if (ff_root_disagrees(roots[FF_END_GAP])) {
        *theta = m.theta;
        return true;
    }
    return find_dip(sim, i, a, &m, left, theta) || find_dip(sim, i, &m, b, left, theta);
}

/* The first slot found that dips within the step last tried: theta of a place where it is out of its mode. */
static bool any_dip(ff_sim *sim, const ff_end *but, ff_end *end, double *theta) {
    /* more than any path that error control lets through needs: a graze is pinned down in about 60 */
    enum { LOOKS = 200 };
    mark a = {.theta = 0, .t = time_at(sim, 0)}, b = {.theta = 1, .t = time_at(sim, 1)};
    for (size_t i = 0; i < sim->model->slot_count; i++) {
        const ff_mode mode = sim->modes[i];
        /* a contact that opens and closes again does so once: steps are short against it */
        bool turns = mode == FF_AIR || (sim->gaps[i].rate < 0 && sim->gaps_end[i].rate > 0);
        if (!turns || (but && but->slot == i)) {
            continue;
        }
        a.at = seen_from(mode, sim->gaps[i]);
        b.at = seen_from(mode, sim->gaps_end[i]);
        /* one that is deep but ignored is open because its body turns, which is no dip */
        bool ignored = larger(a.at.gap - a.at.noise, b.at.gap - b.at.noise) > 0;
        if (ignored || excluded(&a, &b)) {
            continue;
        }
        int left = LOOKS;
        ff_stepper_dense(&sim->stepper, sim->now.method, sim->now.clock.x, sim->y,
                         sim->stepper.step);
        if (find_dip(sim, i, &a, &b, &left, theta)) {
            *end = (ff_end){i, FF_END_GAP};
            return true;
        }
    }
    return false;
}

/* ---- the first root ---- */

/* A function that was undecided at the start of a step and disagrees at b->high: narrows that to where it leaves the
 * side it agrees on. False where it agrees nowhere: it has been past its root from the start. */
static bool agrees_later(ff_sim *sim, ff_end end, ff_bracket *b) {
    const double now = ff_sim_now(sim);
    for (double at = b->high / 2; time_at(sim, at) > now; at /= 2) {
        ff_root root = root_at(sim, end, at);
        if (ff_root_agrees(root)) {
            b->low = at;
            b->g_low = root.g;
            return true;
        }
        if (root.g > 0) {
            b->high = at;
            b->g_high = root.g;
        }
    }
    return false;
}

ff_search ff_roots_search(ff_sim *sim, bool known, bool all, const ff_end *but, ff_end *end,
                          double *theta) {
    ff_stepper *stepper = &sim->stepper;
    if (sim->round && sim->model->event_count > 0) {
        ff_step_turn_end(sim);
    }
    size_t count = ff_roots_look(sim, time_at(sim, 1), stepper->y1, known);
    double first = 1;
    bool found = false;
    for (size_t i = 0; i < count; i++) {
        /* the one that the step ends at stays out */
        if (but && sim->ended[i].slot == but->slot && sim->ended[i].which == but->which) {
            sim->ended[i] = sim->ended[--count];
        }
    }
    if (count == 0) {
        if (!any_dip(sim, but, &sim->ended[0], &first)) {
            return FF_EVENTS_NONE;
        }
        count = 1;
    }
    ff_stepper_dense(stepper, sim->now.method, sim->now.clock.x, sim->y, stepper->step);
    for (size_t i = 0; i < count; i++) {
        const ff_end one = sim->ended[i];
        if (!all && (ff_end_is_slip(sim, one) || ff_events_exhausted(sim, one))) {
            continue;
        }
        /* past its root before the first root so far? */
        ff_root late = root_at(sim, one, first);
        if (found && !ff_root_disagrees(late)) {
            continue;
        }
        ff_bracket b = {.high = first, .g_high = late.g};
        if (sim->armed[ff_end_place(sim, one)]) {
            b.g_low = ff_roots_value(sim, one, time_at(sim, 0), sim->y).g;
        } else if (!agrees_later(sim, one, &b)) {
            *end = one;
            return FF_EVENTS_NOW;
        }
        while (ff_bracket_open(&b)) {
            double at = ff_bracket_guess(&b);
            ff_bracket_narrow(&b, at, root_at(sim, one, at).g);
        }
        *end = one;
        first = b.high;
        found = true;
    }
    *theta = first;
    return found ? FF_EVENTS_FOUND : FF_EVENTS_NONE;
}
