/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "body/vector.h"
#include "num/bracket.h"
#include "num/peak.h"
#include "sim.h"
#include <string.h>

/* Impact statistics of contacts: number, largest force and depth, contact time, slip distance. They are kept in the books
 * of a slot, a part of the phase: saved, restored, and carried along when a contact gives up its slot. */

/* ---- impacts ---- */

/* The entry of a slot's impact in the list of all; NULL: it is not listed. */
static ff_impact_record *record_of(const ff_sim *sim, const ff_hits *h) {
    return h->entry > 0 && h->entry <= FF_IMPACTS_KEPT ? &sim->impacts[(size_t)h->entry - 1] : NULL;
}

/* A force that jumps at touch-down, such as that of a linear damper, may have its maximum there. */
void ff_impacts_begin(ff_sim *sim, size_t i, const ff_touch *touch, ff_hit how) {
    const ff_slot *slot = &sim->reduced->slots[i];
    ff_hits *h = &sim->phase.books[i].hits;
    ff_touch at = *touch;
    h->acts = true;
    h->since = ff_sim_now_time(sim);
    if (how == FF_HIT_NEW && touch->zdot > 0) {
        h->count++;
        h->began = h->since;
        h->speed = touch->zdot;
        h->spell = 0;
        h->entry = ++sim->now.impacts;
        ff_impact_record *record = record_of(sim, h);
        if (record) {
            *record = (ff_impact_record){.time = h->began,
                                         .speed = h->speed,
                                         .restitution = NAN,
                                         .contact = (int)ff_near_contact(sim, i)};
        }
    } else if (how != FF_HIT_ON) {
        h->speed = h->entry = 0;
    }
    ff_touch_answer(slot, sim->phase.modes[i], sim->flow.y + slot->state_at, NULL, &at);
    h->load = ff_dot(at.push, at.n);
    h->rate = at.zdot;
    h->v = sqrt(ff_dot(at.slide.v, at.slide.v));
    h->swing = h->span = 0;
    h->force = fmax(h->force, h->load);
    h->depth = fmax(h->depth, at.z);
    sim->flow.altered = true;
}

void ff_impacts_end(ff_sim *sim, size_t i, const ff_touch *touch) {
    ff_hits *h = &sim->phase.books[i].hits;
    const double passed = ff_sim_now_time(sim) - h->since;
    ff_impact_record *record = record_of(sim, h);
    h->acts = false;
    h->time += passed;
    h->spell += passed;
    if (record) {
        record->restitution = -touch->zdot / h->speed;
        record->contact_time = h->spell;
    }
    sim->flow.altered = true;
}

/* ---- steps ---- */

/* The state of a slot at one instant; `slip` is the tangential speed at the contact point. */
typedef struct {
    double z, rate, force, slip;
} showing;

/* Whether the tangential speed at the contact point is slip: not while friction that can stick does. */
static bool slides_now(const ff_sim *sim, size_t i) {
    const ff_slot *slot = &sim->reduced->slots[i];
    return !slot->slides || !slot->friction.law->slips || sim->phase.slipping[i];
}

static showing show(const ff_touch *touch) {
    const double *v = touch->slide.v;
    return (showing){touch->z, touch->zdot, ff_dot(touch->push, touch->n), sqrt(ff_dot(v, v))};
}

static showing show_at(ff_sim *sim, size_t i, double t, const double *y) {
    const ff_slot *slot = &sim->reduced->slots[i];
    ff_touch touch;
    ff_touch_find(slot, t, ff_sim_bodies_at(sim, y), &touch);
    /* friction matters only if it adds to the normal force; the deflections of a bed are many states */
    if (slot->lifts) {
        ff_touch_answer(slot, sim->phase.modes[i], y + slot->state_at, NULL, &touch);
    } else {
        ff_touch_press(slot, sim->phase.modes[i], y + slot->state_at, &touch);
    }
    return show(&touch);
}

static showing show_within(ff_sim *sim, size_t i, double theta) {
    const ff_slot *slot = &sim->reduced->slots[i];
    ff_reads reads = ff_slot_reads(sim, i);
    if (reads.parts > 0 && !slot->lifts) {
        /* show_at() reads only the bodies and the states of the normal law */
        reads.part[reads.parts - 1].count = (size_t)ff_slot_u(slot);
    }
    ff_flow_within(&sim->flow, theta, reads, sim->scratch);
    return show_at(sim, i, ff_flow_time_within(&sim->flow, theta), sim->scratch);
}

/* The largest depth in the step, where its rate crosses 0. The depth is stationary there: an error of 1e-5 of the step is
 * 1e-10 of the depth. */
static double deepest(ff_sim *sim, size_t i, double from, double to) {
    ff_bracket b = {.high = 1, .g_low = -from, .g_high = -to};
    double depth = 0;
    for (int turn = 0; turn < 12 && b.high - b.low > 1e-5; turn++) {
        const double at = ff_bracket_guess(&b);
        const showing s = show_within(sim, i, at);
        depth = fmax(depth, s.z);
        ff_bracket_narrow(&b, at, -s.rate);
        if (fabs(s.rate) < 1e-5 * (from - to)) {
            break;
        }
    }
    return depth;
}

/* The largest force within a step; it is known at both ends and in the middle. */
static double strongest(ff_sim *sim, size_t i, double from, double middle, double to) {
    ff_peak p = {.x = {0, 0.5, 1}, .f = {from, middle, to}};
    while (ff_peak_open(&p)) {
        ff_peak_narrow(&p, show_within(sim, i, p.at).force);
    }
    return ff_peak_value(&p);
}

/* ---- slip distance ---- */

/* The slip distance is the integral of the slip speed |v| over the interpolant of each step, by Simpson's rule on halves of
 * halves. The interpolant is a function of x, in which steps are made (flow/clock.h): the integrand is |v| dt/dx. An interval
 * is divided no further if the rule over its halves differs from that over the whole by less than 15 `allowed`, which
 * then estimates the error over the halves. */
typedef struct sliding {
    ff_sim *sim;
    size_t slot;
    ff_reads reads;
    double allowed; /* m, per step */
} sliding;

/* Divisions of a step: |v| has a kink where v goes through 0, whose error falls by 4 with each. 4^-24 = 4e-15 is rounding. */
enum { SLIDING_DEPTH = 24 };

/* What a fraction theta of the last step is worth in time: step dt/dx. */
static double pace_within(const ff_flow *f, double theta) {
    const ff_clock *clock = &f->last.clock;
    const int power = clock->power;
    return f->last.step * power *
           ff_power_of(power == 1 ? 1 : clock->x + theta * f->last.step, power - 1);
}

static double slip_within(const sliding *s, double theta) {
    ff_sim *sim = s->sim;
    ff_touch touch;
    ff_flow_within(&sim->flow, theta, s->reads, sim->scratch);
    ff_touch_find(&sim->reduced->slots[s->slot], ff_flow_time_within(&sim->flow, theta),
                  ff_sim_bodies_at(sim, sim->scratch), &touch);
    return sqrt(ff_dot(touch.slide.v, touch.slide.v)) * pace_within(&sim->flow, theta);
}

/* The integral over the part `width` of the step from `from`; g is the integrand at both ends and in between. */
static double integral(const sliding *s, double from, double width, const double g[3], int depth) {
    const double rule = width / 6 * (g[0] + 4 * g[1] + g[2]), half = width / 2;
    const double low[3] = {g[0], slip_within(s, from + half / 2), g[1]},
                 high[3] = {g[1], slip_within(s, from + 1.5 * half), g[2]};
    const double halves = width / 12 * (g[0] + 4 * low[1] + 2 * g[1] + 4 * high[1] + g[2]);
    if (depth == 0 || !(fabs(halves - rule) > 15 * s->allowed)) {
        return halves + (halves - rule) / 15;
    }
    return integral(s, from, half, low, depth - 1) +
           integral(s, from + half, half, high, depth - 1);
}

static double step_time(const ff_flow *f) { return ff_flow_time(f) - ff_clock_now(&f->last.clock); }

/* The distance of slip over the last step, from the speeds at both ends and in its middle (in x; NAN: not known). Its error may be
 * what error control allows a position: tol times its scale, which includes the distance so far. Where the trapezoidal rule
 * agrees with Simpson's, the integrand is a straight line. A step that begins and ends with less is not examined. */
static double slipped(ff_sim *sim, size_t i, double from, double middle, double to) {
    const ff_flow *f = &sim->flow;
    const double h = step_time(f),
                 allowed = sim->options.tol * (sim->extents[sim->reduced->slots[i].body].length +
                                               sim->phase.books[i].hits.slip);
    if (h * (from + to) <= allowed) {
        return h * 0.5 * (from + to);
    }
    /* The trapezoidal rule is off by h^3/12 times the second derivative, which the step before tells, too. What remains is smaller
     * by the order of a step over the time in which the speed changes. */
    const ff_hits *hits = &sim->phase.books[i].hits;
    if (hits->span > 0) {
        const double excess =
            h * h * h * ((to - from) / h - hits->swing / hits->span) / (6 * (h + hits->span));
        if (fabs(excess) <= 0.1 * allowed) {
            return h * 0.5 * (from + to) - excess;
        }
    }
    sliding s = {sim, i, ff_slot_reads(sim, i), allowed};
    if (s.reads.parts > 0) {
        /* bodies alone */
        s.reads.parts--;
    }
    const double g[3] = {from * pace_within(f, 0),
                         isnan(middle) ? slip_within(&s, 0.5) : middle * pace_within(f, 0.5),
                         to * pace_within(f, 1)},
                 rule = (g[0] + 4 * g[1] + g[2]) / 6;
    return fabs(rule - 0.5 * (g[0] + g[2])) <= allowed ? rule
                                                       : integral(&s, 0, 1, g, SLIDING_DEPTH);
}

static void look(ff_sim *sim, size_t i, bool refines) {
    ff_hits *h = &sim->phase.books[i].hits;
    const ff_flow *f = &sim->flow;
    const ff_slot *slot = &sim->reduced->slots[i];
    const ff_mode mode = sim->phase.modes[i];
    /* the interpolant of dop853 makes evaluations of its own */
    const bool known =
        ff_sim_touches_known(sim) && !(f->last.method == FF_DOP853 && f->stepper.dense_terms > 0);
    const ff_touch_kept *kept = &sim->touches[i];
    const bool slides = slides_now(sim, i);
    const showing end =
        !known || (mode != FF_LOADED && mode != FF_CLAMPED)
            ? show_at(sim, i, ff_sim_now_time(sim), f->y)
            : (showing){kept->z, kept->zdot,
                        slot->slides && slides ? kept->push : kept->force + kept->lift,
                        sqrt(kept->slip)};
    const double gain = end.force - h->load, higher = gain > 0 ? end.force : h->load;
    double middle_slip = (double)NAN;
    h->depth = end.z > h->depth ? end.z : h->depth;
    if (refines) {
        const bool turns = h->rate > 0 && end.rate < 0;
        const double steep = h->rate > -end.rate ? h->rate : -end.rate;
        /* a parabola exceeds its ends by at most half of the distance covered at the larger end speed */
        if (turns && end.z + step_time(f) * steep / 2 > h->depth) {
            h->depth = fmax(h->depth, deepest(sim, i, h->rate, end.rate));
        }
        /* A force that comes near the maximum so far, and changes by more than rounding, may be a new maximum. It may be equal at
         * both ends of a step: about as z^2, it then changes twice as much as the depth, relative to it. */
        const double swing = end.z > 0 ? 2 * higher * step_time(f) * steep / 2 / end.z : 0;
        const double reach = fmax(fabs(gain), swing);
        if (higher + reach > h->force && reach > 1e-7 * h->force) {
            const showing middle = show_within(sim, i, 0.5);
            /* Slopes of the parabola through three points, at both ends of the step. A slope that is much smaller than the other may
             * have the wrong sign: the maximum may then be near that end. */
            const double first = 4 * middle.force - 3 * h->load - end.force;
            const double last = 3 * end.force - 4 * middle.force + h->load;
            if (first > last && first > last / 4 && last < first / 4) {
                h->force = fmax(h->force, strongest(sim, i, h->load, middle.force, end.force));
            }
            middle_slip = middle.slip;
        }
    }
    if (slides) {
        h->slip += refines ? slipped(sim, i, h->v, middle_slip, end.slip)
                           : step_time(f) * (h->v + end.slip) / 2;
    }
    h->force = end.force > h->force ? end.force : h->force;
    h->load = end.force;
    h->rate = end.rate;
    h->swing = slides ? end.slip - h->v : 0;
    h->span = slides ? step_time(f) : 0;
    h->v = end.slip;
    sim->flow.altered = true;
}

void ff_impacts_step(ff_sim *sim) {
    const ff_flow *f = &sim->flow;
    const size_t count = sim->reduced->slot_count;
    const bool refines = ff_method_order(f->last.method) > 0;
    bool looked = false;
    for (size_t i = 0; i < count; i++) {
        if (sim->phase.books[i].hits.acts) {
            look(sim, i, refines);
            looked = true;
        }
    }
    if (looked && ff_articulated(sim->reduced)) {
        /* restore the positions of the bodies at the end of the step for later use */
        ff_sim_bodies_at(sim, sim->flow.y);
    }
}

/* ---- queries ---- */

ff_impacts ff_sim_impacts(const ff_sim *sim, size_t contact) {
    const size_t slot = contact < sim->model->contact_count && sim->kind == &ff_scene_kind
                            ? ff_near_slot(sim, contact)
                            : SIZE_MAX;
    const ff_books *books = slot != SIZE_MAX ? &sim->phase.books[slot]
                            : sim->near      ? ff_near_absent_books(sim, contact)
                                             : NULL;
    if (!books) {
        return (ff_impacts){.count = 0};
    }
    const ff_hits *h = &books->hits;
    return (ff_impacts){.count = (size_t)h->count,
                        .force = h->force,
                        .depth = h->depth,
                        .contact_time = h->time + (h->acts ? ff_sim_now_time(sim) - h->since : 0),
                        .slip_distance = h->slip};
}

size_t ff_sim_impact_count(const ff_sim *sim) { return (size_t)sim->now.impacts; }

ff_impact_record ff_sim_impact(const ff_sim *sim, size_t i) {
    return i < ff_sim_impact_count(sim) && i < FF_IMPACTS_KEPT ? sim->impacts[i]
                                                               : (ff_impact_record){.contact = -1};
}
