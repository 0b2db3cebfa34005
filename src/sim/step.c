/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#define _POSIX_C_SOURCE 200809L
#include "body/vector.h"
#include "num/elementary.h"
#include "ode/bracket.h"
#include "ode/grid.h"
#include "ode/seconds.h"
#include "ode/sundials.h"
#include "sim.h"
#include <float.h>
#include <stdio.h>
#include <string.h>

/* a run of this many steps without reaching the next event or time has lost its way */
#define MOST_STEPS 100000000L
double ff_sim_time(const ff_sim *sim) {
    if (sim->crowd) {
        return ff_crowd_time(sim->crowd);
    }
    return ff_clock_time(&sim->now.clock, sim->now.clock.x);
}

static void rates(void *user, double x, const double *y, double *dy) {
    ff_sim *sim = user;
    if (ff_halted(&sim->stepper.halt)) {
        memset(dy, 0, sim->model->size * sizeof *dy);
        return;
    }
    ff_phase phase = ff_sim_phase(sim, sim->touches);
    ff_dynamics_rates(sim->model, &phase, ff_clock_time(&sim->now.clock, x), y, dy);
    if (sim->now.clock.power > 1) {
        double pace = sim->now.clock.power * ff_power_of(x, sim->now.clock.power - 1);
        for (size_t i = 0; i < sim->model->size; i++) {
            dy[i] *= pace;
        }
    }
}

static bool slopes(void *user, double x, const double *y, double *out) {
    ff_sim *sim = user;
    ff_phase phase = ff_sim_phase(sim, NULL);
    if (sim->now.clock.power > 1 || ff_halted(&sim->stepper.halt)) {
        /* implicit methods run on plain time; a step that is broken off needs none */
        return false;
    }
    if (sim->model->tree) {
        /* by differences; what counts as one evaluation is none where the rates here are known */
        bool known = !ff_method_own_steps(sim->now.method);
        phase.rates = known ? sim->stepper.k[0] : NULL;
        sim->stepper.evaluations += (long)sim->stepper.active_count - known;
    }
    ff_dynamics_jacobian(sim->model, &phase, ff_clock_time(&sim->now.clock, x), y, sim->place,
                         sim->stepper.active_count, out);
    return true;
}

/* The weights of omega at the start, in the middle of x and at the end of a step in the integral of the parabola through
 * them; returns the time that the step takes. */
static double turn_weights(const ff_clock *clock, double h, double weights[3]) {
    const double x = clock->x;
    weights[0] = weights[2] = 1.0 / 6;
    weights[1] = 4.0 / 6;
    if (clock->power == 1) {
        return h;
    }
    double t0 = ff_power_of(x, clock->power), time = ff_power_of(x + h, clock->power) - t0;
    double part = (ff_power_of(x + h / 2, clock->power) - t0) / time;
    if (part > 0 && part < 1) { /* else the step is within rounding */
        weights[0] = (3 * part - 1) / (6 * part);
        weights[1] = 1 / (6 * part * (1 - part));
        weights[2] = (2 - 3 * part) / (6 * (1 - part));
    }
    return time;
}

/* Turns q by the rotation vector of Magnus' series of order 4: time times the mean of omega, and time^2 (w1 x w0)/12. */
static void turn(const double from[4], double time, const double mean[3], const double w0[3],
                 const double w1[3], double q[4]) {
    double by[3], twist[3];
    ff_cross(w1, w0, twist);
    for (int c = 0; c < 3; c++) {
        by[c] = time * mean[c] + time * time / 12 * twist[c];
    }
    memcpy(q, from, 4 * sizeof *q);
    if (by[0] != 0 || by[1] != 0 || by[2] != 0) {
        ff_quaternion_turn(q, by);
    }
}

void ff_step_turn(const ff_sim *sim, const ff_clock *clock, double h, const double *from,
                  const double *middle, double *to) {
    double weights[3], time = turn_weights(clock, h, weights), mean[3];
    for (size_t at = 0, i = 0; i < sim->model->body_count; i++, at += FF_BODY_STRIDE) {
        if (ff_turns_apart(sim->model, i)) {
            const double *w0 = from + at + FF_OMEGA, *wm = middle + at + FF_OMEGA,
                         *w1 = to + at + FF_OMEGA;
            for (int c = 0; c < 3; c++) {
                mean[c] = weights[0] * w0[c] + weights[1] * wm[c] + weights[2] * w1[c];
            }
            turn(from + at + FF_Q, time, mean, w0, w1, to + at + FF_Q);
        }
    }
}

void ff_step_turn_end(ff_sim *sim) {
    const ff_stepper *s = &sim->stepper;
    const double h = s->step;
    if (s->sundials) {
        ff_stepper_states_at(s, 0.5, sim->scratch);
        ff_step_turn(sim, &sim->now.clock, h, sim->y, sim->scratch, s->y1);
        return;
    }
    /* Hermite's cubic in the middle is (w0 + w1)/2 + h (w0' - w1')/8 */
    double weights[3], time = turn_weights(&sim->now.clock, h, weights), mean[3];
    const double first = weights[0] + weights[1] / 2, last = weights[2] + weights[1] / 2,
                 bend = weights[1] * h / 8;
    for (size_t at = 0, i = 0; i < sim->model->body_count; i++, at += FF_BODY_STRIDE) {
        if (ff_turns_apart(sim->model, i)) {
            const double *w0 = sim->y + at + FF_OMEGA, *w1 = s->y1 + at + FF_OMEGA,
                         *k0 = s->k[0] + at + FF_OMEGA, *k1 = s->k[6] + at + FF_OMEGA;
            for (int c = 0; c < 3; c++) {
                mean[c] = first * w0[c] + last * w1[c] + bend * (k0[c] - k1[c]);
            }
            turn(sim->y + at + FF_Q, time, mean, w0, w1, s->y1 + at + FF_Q);
        }
    }
}

size_t ff_step_rows(const ff_model *model, ff_method method) {
    if (method == FF_AUTO) {
        return model->active > FF_ROWS_MOST ? 0 : model->active;
    }
    if (ff_method_own_steps(method)) {
        /* SUNDIALS has all states in its matrices */
        return model->states;
    }
    return method == FF_ROSENBROCK || method == FF_RODAS || method == FF_TRAPEZOID ? model->active
                                                                                   : 0;
}

/* Whether forces depend on time by themselves. */
static bool timed(const ff_model *model) {
    bool out = false;
    for (size_t i = 0; i < model->force_count; i++) {
        const ff_force_def *f = &model->forces[i];
        out = out || f->kind == FF_FORCE_TABLE ||
              (f->kind == FF_FORCE_PD && (f->target[1] != 0 || f->target[2] != 0));
    }
    return out;
}

/* Rounding of a unit in the last place of what a component is formed of is no error of a step: a depth is the
 * difference of positions, and the force that answers to it moves velocities over the time of a contact. */
#define STEP_ROUNDING DBL_EPSILON

void ff_step_weigh(ff_sim *sim) {
    const ff_model *model = sim->model;
    double *weight = sim->per_weight;
    ff_scales_fill(model, sim->extents, weight);
    for (size_t i = 0; i < model->size; i++) {
        weight[i] =
            fmax(FF_LOCAL_PART * sim->options.tol * weight[i], STEP_ROUNDING * fabs(sim->y[i]));
    }
    for (size_t i = 0; i < model->body_count && !ff_articulated(model); i++) {
        double *at = weight + i * FF_BODY_STRIDE;
        const double *p = sim->y + i * FF_BODY_STRIDE + FF_P;
        const ff_extent *size = &sim->extents[i];
        double far = STEP_ROUNDING * (fabs(p[0]) + fabs(p[1]) + fabs(p[2]));
        for (int c = 0; c < 3; c++) {
            at[FF_P + c] = fmax(at[FF_P + c], far);
            at[FF_VEL + c] = fmax(at[FF_VEL + c], far * size->speed / size->length);
            at[FF_OMEGA + c] = fmax(at[FF_OMEGA + c], far * size->turning / size->length);
        }
    }
    for (size_t i = 0; i < model->slot_count && !ff_articulated(model); i++) {
        const ff_slot *slot = &model->slots[i];
        double *at = weight + slot->state_at;
        for (int c = ff_slot_u(slot); c < slot->states; c++) {
            at[c] = fmax(at[c], weight[(size_t)slot->body * FF_BODY_STRIDE + FF_P]);
        }
    }
    for (size_t i = 0; i < model->size; i++) {
        weight[i] = 1 / weight[i];
    }
}

/* Motions that have become much faster or slower than they were have other sizes. A body that turns back stands still
 * for a moment: the speeds that count as slower are those of the last few thousand steps, forgotten by a tenth every 64. */
static void watch_sizes(ff_sim *sim) {
    const double faster = 10, slower = 100, keeps = 0.9;
    const size_t count = sim->model->body_count;
    bool changed = false;
    ff_scales_bodies(sim->model, ff_sim_bodies(sim, sim->y), sim->extents_now);
    for (size_t i = 0; i < count; i++) {
        double now = sim->extents_now[i].speed, size = sim->extents[i].speed;
        sim->fastest[i] = fmax(now, keeps * sim->fastest[i]);
        changed = changed || now > faster * size || sim->fastest[i] * slower < size;
    }
    if (changed) {
        memcpy(sim->extents, sim->extents_now, count * sizeof *sim->extents);
        ff_step_weigh(sim);
    }
}

ff_status ff_step_init(ff_sim *sim) {
    const ff_model *model = sim->model;
    const bool own = ff_method_own_steps(sim->options.method);
    ff_step_weigh(sim);
    int acting = 0;
    for (size_t i = 0; i < model->states; i++) {
        sim->place[i] = model->inert[i] && !own ? -1 : acting++;
    }
    ff_stepper_init(&sim->stepper, model->size, model->states, own ? NULL : model->inert, rates,
                    sim, sim->stepper_memory, sim->pivots, sim->active);
    sim->stepper.scales = model->scales;
    sim->stepper.first = model->first;
    sim->stepper.speed = model->speed;
    sim->stepper.jacobian = slopes;
    sim->stepper.timed = timed(model);
    sim->now.least = 1e-6 * sim->options.until;
    for (size_t i = 0; i < model->slot_count; i++) {
        sim->now.least = fmin(sim->now.least, 1e-3 * ff_step_touch_time(model, &model->slots[i]));
    }
    sim->now.method = sim->options.method == FF_AUTO ? FF_DOPRI5 : sim->options.method;
    return own ? ff_sundials_create(&sim->stepper, sim->options.method, sim->per_weight,
                                    &sim->stepper.sundials)
               : FF_OK;
}

double ff_step_touch_time(const ff_model *model, const ff_slot *slot) {
    const ff_extent *size = &model->extents[slot->body];
    return size->length / size->speed;
}

void ff_step_restart(ff_sim *sim, int power, double step) {
    step = fmax(step, sim->now.least);
    sim->now.clock = (ff_clock){ff_sim_now(sim), 0, power, NAN, NAN};
    sim->now.step = ff_method_own_steps(sim->now.method) ? HUGE_VAL
                    : !ff_method_order(sim->now.method)  ? sim->options.dt
                                                         : ff_root_of(step, power);
    sim->now.fresh = true;
}

void ff_step_choose(ff_sim *sim, ff_method method) {
    if (method != sim->now.method) {
        sim->now.statistics.switches++;
    }
    sim->now.method = method;
    sim->now.stiff = 0;
}

/* The root function of `end` where a step of length h in x ends. */
static ff_root root_at_end(ff_sim *sim, ff_end end, double h) {
    sim->stepper.step = h;
    if (sim->round && sim->model->event_count > 0) {
        ff_step_turn_end(sim);
    }
    return ff_roots_value(sim, end, ff_clock_time(&sim->now.clock, sim->now.clock.x + h),
                          sim->stepper.y1);
}

/* Moves the end of the step last tried, which is straight over so short a way, until the root function is 0 to rounding,
 * or past its root. False where that does not come about. */
static bool polish(ff_sim *sim, double *h, double slope, ff_end end) {
    for (int turn = 0; turn < 8; turn++) {
        ff_root root = root_at_end(sim, end, *h);
        /* from the third turn on rounding may be greater than it seems: twice as far is past the root */
        double change = -root.g / slope * (turn < 3 ? 1 : 2);
        if (!ff_root_agrees(root) && (turn > 2 || !ff_root_disagrees(root))) {
            return true;
        }
        if (!(fabs(change) < 1e-6 * *h)) {
            return false;
        }
        for (size_t i = 0; i < sim->model->size; i++) {
            sim->stepper.y1[i] += change * sim->stepper.k[6][i];
        }
        *h += change;
    }
    return false;
}

/* Ends the step at a root: it is taken anew with the length the interpolant gives, corrected by Newton's method with the
 * interpolant's slope, and where that does not get there by brackets of real steps. What SUNDIALS interpolates is as good
 * as its steps, which are not ours to take anew. False where the root is not reached; the step is shorter all the same. */
static bool shorten(ff_sim *sim, double theta, ff_end end) {
    ff_stepper *stepper = &sim->stepper;
    if (ff_method_own_steps(sim->now.method)) {
        ff_stepper_cut(stepper, theta);
        return true;
    }
    const double step = stepper->step, x = sim->now.clock.x, part = 1e-3 * theta;
    double h = theta * step, g[2];
    for (int side = 0; side < 2; side++) {
        double at = theta + (side ? part : -part);
        ff_stepper_states_at(stepper, at, sim->scratch);
        g[side] =
            ff_roots_value(sim, end, ff_clock_time(&sim->now.clock, x + at * step), sim->scratch).g;
    }
    double slope = (g[1] - g[0]) / (2 * part * step);
    ff_bracket b = {.high = 1};
    b.g_high = root_at_end(sim, end, step).g;
    b.g_low = ff_roots_value(sim, end, ff_sim_now(sim), sim->y).g;
    while (ff_bracket_open(&b)) {
        ff_stepper_try(stepper, sim->now.method, x, sim->y, h, sim->per_weight);
        double miss = root_at_end(sim, end, h).g, change = -miss / slope, part_of = change / h;
        if (fabs(part_of) <= 0.1 && (b.turn == 3 || part_of * part_of < 1e-3 * sim->options.tol) &&
            polish(sim, &h, slope, end)) {
            /* the curvature of the way that was left is of the order of the square */
            stepper->step = h;
            return true;
        }
        ff_bracket_narrow(&b, h / step, miss);
        double next = (h + change) / step;
        bool newton = b.turn < 3 && fabs(part_of) <= 0.1 && next > b.low && next < b.high;
        h = newton ? h + change : step * ff_bracket_guess(&b);
    }
    /* past it by rounding */
    h = b.high * step;
    ff_stepper_try(stepper, sim->now.method, x, sim->y, h, sim->per_weight);
    bool reached = !ff_root_agrees(root_at_end(sim, end, h)) && b.high < 1;
    return reached;
}

static bool finite(const double *y, size_t n) {
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        sum += y[i] - y[i];
    }
    return sum == 0;
}

/* Counts a step that is taken and remembers how things stood before; h is its length. */
static void remember(ff_sim *sim, double h) {
    size_t slots = sim->model->slot_count;
    sim->now.statistics.steps++;
    sim->now.statistics.method_steps[sim->now.method]++;
    memcpy(sim->last.y, sim->y, sim->model->size * sizeof *sim->y);
    sim->last.clock = sim->now.clock;
    sim->last.step = h;
    sim->last.none = false;
    sim->last.method = sim->now.method;
    sim->last.spent = sim->now.spent;
    memcpy(sim->last.modes, sim->modes, slots * sizeof *sim->modes);
    memcpy(sim->last.slipping, sim->slipping, slots * sizeof *sim->slipping);
    memcpy(sim->last.acting, sim->acting, sim->model->force_count * sizeof *sim->acting);
    memcpy(sim->last.books, sim->books, slots * sizeof *sim->books);
    sim->last.removed = sim->now.removed;
}

/* Energies that y tells at once: what a correction changes. */
static double stored(const ff_sim *sim) {
    ff_ledger l = ff_sim_ledger(sim);
    return l.initial - l.residual;
}

/* After a step: positions and velocities are corrected onto the constraints, where that is the way they are held;
 * what that takes out of the bodies is an account. FF_SINGULAR where joints could not be held within the step. */
static ff_status hold_joints(ff_sim *sim) {
    const ff_model *model = sim->model;
    ff_mechanism *m = &sim->mechanism;
    const ff_constraints how = sim->options.constraints;
    bool loops = model->tree->loop_rows > 0;
    if (m->trouble >= 0) {
        snprintf(sim->error, sizeof sim->error,
                 "near t = %.9g s joint '%s' and the loop it closes are in a singular position",
                 ff_sim_now(sim), model->joints[m->trouble].name);
        return FF_SINGULAR;
    }
    bool corrected = model->tree->articulated
                         ? loops
                         : how == FF_INDEX1 || how == FF_INDEX1_AUGMENTED || how == FF_DIRECT;
    /* a violation becomes a large one on the way through a singular position: there none is left */
    if (corrected || m->close) {
        double before = stored(sim), off;
        if (!ff_mechanism_project(m, how == FF_DIRECT, sim->y)) {
            int worst = ff_mechanism_worst(m, &off);
            memcpy(sim->y, sim->last.y, model->size * sizeof *sim->y);
            sim->now.clock = sim->last.clock;
            sim->now.fresh = true;
            snprintf(
                sim->error, sizeof sim->error,
                "joint '%s' came apart in a step of %.3g s and cannot be put together again (%.2g "
                "m or rad remain): shorter steps or a smaller tolerance are needed",
                model->joints[worst].name, sim->last.step, off);
            return FF_SINGULAR;
        }
        sim->now.removed += before - stored(sim);
        sim->now.fresh = true;
    }
    if (!model->tree->articulated || loops) {
        ff_violation now = ff_mechanism_violation(m, sim->y);
        sim->now.violated.position = fmax(sim->now.violated.position, now.position);
        sim->now.violated.velocity = fmax(sim->now.violated.velocity, now.velocity);
    }
    return FF_OK;
}

/* Whether something acts that may make steps stiff: a contact, a spring, damper, friction or controller of a joint. */
static bool something_acts(const ff_sim *sim) {
    const ff_model *model = sim->model;
    bool out = false;
    for (size_t i = 0; i < model->slot_count; i++) {
        out = out || sim->modes[i] != FF_AIR;
    }
    for (size_t i = 0; i < model->joint_count; i++) {
        out = out || model->joints[i].works;
    }
    for (size_t i = 0; i < model->force_count; i++) {
        out = out || (model->forces[i].joint >= 0 && model->forces[i].kind == FF_FORCE_PD);
    }
    return out;
}

/* Explicit steps over which even the trapezoidal rule would be good enough are limited by stability, and
 * not by accuracy: ten in a row where something acts are left to the implicit method. A step that accuracy
 * limits is off by thousands of weights in that rule; one at the border of stability, where errors of a
 * weight come and go, by a few. */
static void watch_stiffness(ff_sim *sim, double taken) {
    if (sim->options.method != FF_AUTO || sim->now.method != FF_DOPRI5 ||
        ff_step_rows(sim->model, FF_AUTO) == 0) {
        return;
    }
    sim->now.stiff = sim->stepper.bend < 25 && something_acts(sim) ? sim->now.stiff + 1 : 0;
    if (sim->now.stiff >= 10) {
        /* six stages pay where much is asked for */
        ff_step_choose(sim, sim->options.tol < 2e-5 ? FF_RODAS : FF_ROSENBROCK);
        ff_step_restart(sim, 1, taken);
    }
}

/* The step last tried is the one that is taken; h is its length in x. */
static ff_status take(ff_sim *sim, double h) {
    if (sim->round) {
        ff_step_turn_end(sim);
    }
    remember(sim, h);
    memcpy(sim->y, sim->stepper.y1, sim->model->size * sizeof *sim->y);
    sim->now.clock.x += h;
    if (sim->model->graded) {
        ff_books_step(sim);
    }
    return sim->model->tree ? hold_joints(sim) : FF_OK;
}

/* Events that follow each other within rounding of time are counted: a run that makes no progress fails. There may be as
 * many at once as there are functions that can switch. */
static ff_status watch_progress(ff_sim *sim, ff_end end) {
    enum { TRIES = 50 };
    double time = ff_sim_now(sim);
    if (time - sim->now.moved > 4 * DBL_EPSILON * fabs(time)) {
        sim->now.moved = time;
        sim->now.stalled = 0;
    }
    size_t most = TRIES + 2 * sim->model->slot_count + sim->model->event_count;
    return (size_t)++sim->now.stalled > most ? ff_events_stuck(sim, end)
           : sim->now.queued > 0             ? FF_EVENT
                                             : FF_OK;
}

/* What has become of a step that error control has let through. */
typedef enum { WHOLE, SHORTER, BROKEN } cut;

/* Ends the step last tried at its first root, where all other functions agree or are undecided. That may take several
 * turns: a step that ends earlier goes another way, within its error. FF_EVENT: `end` is at its root or past it there.
 * Where that is not so, or the step is broken, the next step will tell. Roots at the start of the step happen at once.
 * A border of slip that cannot be reached is left to error control: the force is the same on both of its sides. */
static ff_status cut_at_roots(ff_sim *sim, cut *is, ff_end *end) {
    /* each turn ends the step earlier; more than a few are needed only where roots lie within rounding */
    enum { TURNS = 50, SLIP_TURNS = 8 };
    ff_stepper *stepper = &sim->stepper;
    const double now = ff_sim_now(sim);
    const double whole = stepper->step;
    bool known = ff_method_ends_last(sim->now.method), reached = false, all = true;
    *is = WHOLE;
    for (int turn = 0; turn < TURNS; turn++) {
        ff_end next;
        double theta;
        ff_search found = ff_roots_search(sim, known, all, reached ? end : NULL, &next, &theta);
        /* a step that error control has made so short that time stands still is no root at its start */
        bool at_start = found == FF_EVENTS_NOW ||
                        (*is == SHORTER &&
                         !(ff_clock_time(&sim->now.clock, sim->now.clock.x + stepper->step) > now));
        bool fails = *is == SHORTER && !reached && ff_end_is_slip(sim, *end) &&
                     (turn > SLIP_TURNS || stepper->step < 1e-3 * whole);
        if (all && (fails ||
                    (at_start && ff_events_exhausted(sim, found == FF_EVENTS_NOW ? next : *end)))) {
            /* without what can be left to error control */
            all = reached = false;
            *is = WHOLE;
            ff_stepper_try(stepper, sim->now.method, sim->now.clock.x, sim->y, whole,
                           sim->per_weight);
            continue;
        }
        if (at_start) {
            *end = found == FF_EVENTS_NOW ? next : *end;
            *is = WHOLE;
            return ff_events_change(sim, end, 0);
        }
        if (found == FF_EVENTS_NONE) {
            return reached ? FF_EVENT : FF_OK;
        }
        *end = next;
        *is = SHORTER;
        known = false;
        reached = theta == 1 || shorten(sim, theta, next);
        if (!finite(stepper->y1, sim->model->size)) {
            *is = BROKEN;
            return FF_OK;
        }
    }
    return ff_events_stuck(sim, *end);
}

/* One accepted step, of at most `most` in x, or up to an event. */
static ff_status one_step(ff_sim *sim, double most) {
    ff_stepper *stepper = &sim->stepper;
    const bool watched =
        sim->options.events && sim->model->slot_count + sim->model->event_count > 0;
    sim->mechanism.trouble = -1;
    if (sim->now.fresh) {
        ff_stepper_start(stepper, sim->now.clock.x, sim->y);
        sim->now.fresh = false;
    }
    const int trouble = sim->mechanism.trouble;
    for (long attempt = 0; attempt < 200; attempt++) {
        double h = fmin(sim->now.step, most);
        sim->mechanism.trouble = trouble; /* what a step that is refused met does not count */
        double error;
        if (ff_stepper_broken(stepper, sim->now.method, sim->now.clock.x, sim->y, h,
                              sim->per_weight, &error)) {
            return FF_STOPPED;
        }
        h = stepper->step;
        sim->now.statistics.rejected += stepper->refused;
        double factor = ff_method_factor(sim->now.method, error);
        if (!(error <= 1)) {
            sim->now.step = h * fmin(factor, 1);
            sim->now.statistics.rejected++;
            if (sim->now.clock.x + sim->now.step == sim->now.clock.x) {
                return FF_TOO_STIFF;
            }
            continue;
        }
        if (ff_method_fixed(sim->now.method) && !finite(stepper->y1, sim->model->size)) {
            return ff_verdict_state(sim, stepper->y1);
        }
        double before = ff_sim_now(sim);
        if (watched) {
            ff_end end;
            cut is;
            double tried = ff_clock_time(&sim->now.clock, sim->now.clock.x + h) - before;
            ff_status status = cut_at_roots(sim, &is, &end);
            if (status < 0 || (status == FF_EVENT && is == WHOLE)) {
                return status < 0 ? status : watch_progress(sim, end);
            }
            if (is == BROKEN) {
                sim->now.step = 0.1 * h;
                sim->now.statistics.rejected++;
                if (sim->now.clock.x + sim->now.step == sim->now.clock.x) {
                    return FF_TOO_STIFF;
                }
                continue;
            }
            if (is == SHORTER) {
                ff_status taken = take(sim, stepper->step);
                if (taken < 0) {
                    return taken;
                }
                double last = fmax(tried, ff_sim_now(sim) - before);
                if (status == FF_EVENT) {
                    status = ff_events_change(sim, &end, last);
                } else {
                    /* short of the root of a graze */
                    ff_roots_begin(sim);
                    ff_step_restart(sim, 1, last);
                }
                return status < 0 ? status : watch_progress(sim, end);
            }
            ff_roots_begin(sim);
        }
        ff_status status = take(sim, h);
        if (status < 0) {
            return status;
        }
        ff_stepper_accept(stepper);
        /* a step cut short by `most` says nothing of the next; a clock that quickens asks for shorter
         * steps of x where it is the time they take that counts */
        double begin = sim->now.clock.x - h, slower = 1;
        if (sim->now.clock.power > 1 && begin > h) {
            slower = ff_power_of((begin + h / 2) / (begin + 3 * h / 2), sim->now.clock.power - 1);
        }
        if (ff_method_own_steps(sim->now.method)) {
            sim->now.step = HUGE_VAL;
        } else if (h >= sim->now.step) {
            sim->now.step = h * factor * slower;
        }
        if (!sim->options.events) {
            sim->now.fresh = ff_events_settle(sim) || sim->now.fresh;
        } else if (sim->now.fresh && watched) {
            /* corrections onto constraints have moved the bodies */
            status = ff_events_change(sim, NULL, ff_sim_now(sim) - before);
            if (status != FF_OK) {
                return status;
            }
        }
        watch_stiffness(sim, ff_sim_now(sim) - before);
        return FF_OK;
    }
    return FF_TOO_STIFF;
}

void ff_step_note_scale(ff_sim *sim) {
    ff_verdict_note(sim);
    if (!sim->crowd && ff_method_order(sim->now.method) && sim->now.statistics.steps % 64 == 0) {
        watch_sizes(sim);
    }
}

/* The first time after now at which a force begins, ends, or its table bends. */
static double next_switch(const ff_sim *sim) {
    double now = ff_sim_now(sim), next = INFINITY;
    for (size_t i = 0; i < sim->model->force_count; i++) {
        const ff_force_def *f = &sim->model->forces[i];
        next = f->from > now ? fmin(next, f->from) : next;
        next = f->to > now ? fmin(next, f->to) : next;
        for (size_t j = 0; f->kind == FF_FORCE_TABLE && j < f->points; j++) {
            next = f->times[j] > now ? fmin(next, f->times[j]) : next;
        }
    }
    return next;
}

/* Sets which forces act from now on; tells of those that change. What is in a spring that stops leaves
 * the accounts of springs, what is in one that begins comes from nowhere: both are external. */
void ff_step_set_acting(ff_sim *sim, bool tell) {
    const ff_model *model = sim->model;
    double now = ff_sim_now(sim), before;
    ff_phase phase = ff_sim_phase(sim, NULL);
    const double *bodies = ff_sim_bodies(sim, sim->y);
    before = ff_dynamics_springs(model, &phase, bodies, sim->y);
    for (size_t i = 0; i < model->force_count; i++) {
        bool acts = model->forces[i].from <= now && now < model->forces[i].to;
        if (acts != sim->acting[i] && tell) {
            ff_events_queue(sim, FF_SWITCH, -1, false);
        }
        sim->acting[i] = acts;
    }
    if (tell) {
        sim->now.spent += before - ff_dynamics_springs(model, &phase, bodies, sim->y);
    }
}

/* how often the ledger of a crowd is looked at for its scale: it takes about as long as a step */
enum { CROWD_LOOKS = 100 };

static ff_status crowd_step(ff_sim *sim, double until) {
    sim->last.none = !(ff_sim_time(sim) < until);
    if (sim->last.none) {
        return FF_OK;
    }
    ff_status status = ff_crowd_step(sim->crowd, until);
    sim->now.statistics.steps++;
    sim->now.statistics.evaluations++;
    sim->now.statistics.method_steps[sim->now.method]++;
    sim->now.statistics.contacts = (long)ff_crowd_contacts(sim->crowd);
    sim->now.statistics.searches = ff_crowd_searches(sim->crowd);
    if (status == FF_NOT_FINITE) {
        return ff_verdict_bodies(sim);
    }
    if (status < 0 || sim->now.statistics.steps % CROWD_LOOKS == 0) {
        ff_step_note_scale(sim);
    }
    return status;
}

static ff_status step_once(ff_sim *sim, double until) {
    if (sim->crowd) {
        return crowd_step(sim, until);
    }
    sim->seen_time = NAN;
    sim->reactions = false;
    if (sim->now.told < sim->now.queued) {
        sim->now.event = sim->queue[sim->now.told++];
        return FF_EVENT;
    }
    sim->now.queued = sim->now.told = 0;
    sim->last.none = true;
    double change = next_switch(sim), aim = fmin(until, change), left = aim - sim->now.clock.start;
    double x = ff_root_of(fmax(left, 0), sim->now.clock.power);
    double most = x - sim->now.clock.x;
    if (!(ff_sim_now(sim) < until) || !(most > 0) || sim->now.clock.x + most == sim->now.clock.x) {
        return FF_OK;
    }
    double before = ff_sim_now(sim);
    sim->now.clock.mark_x = NAN;
    /* no sliver of a fixed step is left over by rounding */
    const double step = sim->now.step;
    const bool fixed = ff_method_fixed(sim->now.method),
               last = fixed && most > step && most < step * (1 + 1e-9);
    sim->now.step = last ? most : step;
    ff_status status = one_step(sim, most);
    if (fixed && status == FF_OK) {
        sim->now.step = last ? step : sim->now.step;
        sim->now.clock.x = ff_on_grid(sim->now.clock.x, sim->options.dt);
    }
    bool there = status == FF_OK && sim->now.clock.x >= x * (1 - 1e-15);
    if (there) {
        sim->now.clock.x = sim->now.clock.mark_x = x;
        sim->now.clock.mark_time = aim;
    }
    if (there && change <= until) {
        ff_step_restart(sim, 1, change - before);
        ff_step_set_acting(sim, true);
        status = sim->now.queued > 0 ? FF_EVENT : FF_OK;
    }
    /* between events energies change little in a few steps; contacts that began or ended unlocated are `fresh` */
    if (status != FF_OK || (sim->now.fresh && !sim->options.events) ||
        sim->now.statistics.steps % 8 == 0) {
        ff_step_note_scale(sim);
    }
    sim->now.statistics.evaluations = sim->stepper.evaluations;
    if (status == FF_EVENT) {
        sim->now.event = sim->queue[sim->now.told++];
    }
    return status;
}

ff_status ff_sim_step(ff_sim *sim, double until) {
    double start = ff_seconds();
    ff_status status = step_once(sim, until);
    sim->now.statistics.seconds += ff_seconds() - start;
    return status;
}

ff_status ff_sim_advance(ff_sim *sim, double until) {
    ff_status status = FF_OK;
    double start = ff_seconds();
    long steps = 0;
    do {
        status = step_once(sim, until);
    } while (status == FF_OK && !sim->last.none && ++steps < MOST_STEPS);
    sim->now.statistics.seconds += ff_seconds() - start;
    return steps < MOST_STEPS ? status : FF_TOO_STIFF;
}
