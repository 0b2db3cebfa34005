/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#define _POSIX_C_SOURCE 200809L
#include "body/vector.h"
#include "ode/seconds.h"
#include "ode/sundials.h"
#include "sim.h"
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
    if (sim->model->tree) {
        /* by differences; what counts as one evaluation is none where the rates here are known */
        bool known = !ff_method_own_steps(sim->now.method);
        phase.rates = known ? sim->stepper.k[0] : NULL;
        sim->stepper.evaluations += (long)sim->stepper.active_count - known;
    }
    /* implicit methods run on plain time */
    return sim->now.clock.power == 1 &&
           ff_dynamics_jacobian(sim->model, &phase, ff_clock_time(&sim->now.clock, x), y,
                                sim->place, sim->stepper.active_count, out);
}

/* A body whose orientation acts on nothing turns by the rotation vector of Magnus' series, of order 4 for
 * omega at the start, middle and end of a step: h (w0 + 4 wm + w1)/6 + h^2 (w1 x w0)/12. */
static void carry_turning(void *user, double h, const double *y, const double *middle, double *y1,
                          double *end) {
    const ff_model *model = ((ff_sim *)user)->model;
    for (size_t i = 0; i < model->body_count; i++) {
        if (!model->bodies[i].free_turning) {
            continue;
        }
        size_t at = model->body_at[i];
        const double *w0 = y + at + FF_OMEGA, *wm = middle + at + FF_OMEGA,
                     *w1 = y1 + at + FF_OMEGA;
        const double *q = y + at + FF_Q;
        double twist[3], turn[3];
        ff_cross(w1, w0, twist);
        for (int c = 0; c < 3; c++) {
            turn[c] = h / 6 * (w0[c] + 4 * wm[c] + w1[c]) + h * h / 12 * twist[c];
        }
        double angle = sqrt(ff_dot(turn, turn)), w = cos(angle / 2);
        double s = angle > 0 ? sin(angle / 2) / angle : 0.5;
        double x = s * turn[0], yy = s * turn[1], z = s * turn[2], *out = y1 + at + FF_Q;
        out[0] = w * q[0] - x * q[1] - yy * q[2] - z * q[3];
        out[1] = w * q[1] + x * q[0] + yy * q[3] - z * q[2];
        out[2] = w * q[2] + yy * q[0] + z * q[1] - x * q[3];
        out[3] = w * q[3] + z * q[0] + x * q[2] - yy * q[1];
        ff_quaternion_rate(out, w1, end + at + FF_Q);
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

ff_status ff_step_init(ff_sim *sim) {
    const ff_model *model = sim->model;
    const bool own = ff_method_own_steps(sim->options.method);
    for (size_t i = 0; i < model->size; i++) {
        sim->per_weight[i] = 1 / (FF_LOCAL_PART * sim->options.tol * model->scales[i]);
    }
    for (size_t i = 0; i < model->body_count; i++) {
        for (size_t c = 0; c < 4 && model->bodies[i].free_turning; c++) {
            /* nothing depends on how a round body is turned */
            sim->per_weight[model->body_at[i] + FF_Q + c] = 1 / sim->options.tol;
        }
    }
    int acting = 0;
    for (size_t i = 0; i < model->states; i++) {
        sim->place[i] = model->inert[i] && !own ? -1 : acting++;
    }
    ff_stepper_init(&sim->stepper, model->size, model->states, own ? NULL : model->inert, rates,
                    sim, sim->stepper_memory, sim->pivots, sim->active);
    sim->stepper.scales = model->scales;
    sim->stepper.first = model->first;
    sim->stepper.speed = model->speed;
    sim->stepper.carry = carry_turning;
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
    const ff_model_body *body = &model->bodies[slot->body];
    return body->length / body->speed;
}

void ff_step_restart(ff_sim *sim, int power, double step) {
    step = fmax(step, sim->now.least);
    sim->now.clock = (ff_clock){ff_sim_time(sim), 0, power, NAN, NAN};
    sim->now.step = ff_method_own_steps(sim->now.method) ? HUGE_VAL
                    : !ff_method_order(sim->now.method)  ? sim->options.dt
                    : power == 1                         ? step
                                                         : pow(step, 1.0 / power);
    sim->now.fresh = true;
}

void ff_step_choose(ff_sim *sim, ff_method method) {
    if (method != sim->now.method) {
        sim->now.statistics.switches++;
    }
    sim->now.method = method;
    sim->now.stiff = 0;
}

/* Ends the step exactly at an event: it is taken anew with the length the interpolant gives, and
 * corrected by Newton's method with the interpolant's slope until it stands still. What SUNDIALS
 * interpolates is as good as its steps, which are not ours to take anew. */
static double shorten(ff_sim *sim, double step, double theta, ff_end end) {
    if (ff_method_own_steps(sim->now.method)) {
        ff_stepper_cut(&sim->stepper, theta);
        return sim->stepper.step;
    }
    double h = theta * step, x = sim->now.clock.x, g[2], part = 1e-3 * theta;
    for (int side = 0; side < 2; side++) {
        double at = theta + (side ? part : -part);
        ff_stepper_states_at(&sim->stepper, at, sim->scratch);
        g[side] =
            ff_events_value(sim, end, ff_clock_time(&sim->now.clock, x + at * step), sim->scratch);
    }
    double slope = (g[1] - g[0]) / (2 * part * step);
    for (int turn = 0;; turn++) {
        ff_stepper_try(&sim->stepper, sim->now.method, x, sim->y, h, sim->per_weight);
        double miss =
            ff_events_value(sim, end, ff_clock_time(&sim->now.clock, x + h), sim->stepper.y1);
        double change = -miss / slope, part_of = change / h;
        if (turn == 3 || !isfinite(change) || fabs(part_of) < 1e-11 || fabs(part_of) > 0.1) {
            return h;
        }
        if (part_of * part_of < 1e-3 * sim->options.tol) {
            /* so short a way is straight: its curvature is of the order of the square */
            for (size_t i = 0; i < sim->model->size; i++) {
                sim->stepper.y1[i] += change * sim->stepper.k[6][i];
            }
            return h + change;
        }
        h += change;
    }
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
    memcpy(sim->last.release, sim->release, slots * sizeof *sim->release);
    memcpy(sim->last.cut, sim->cut, slots * sizeof *sim->cut);
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
                 ff_sim_time(sim), model->joints[m->trouble].name);
        return FF_SINGULAR;
    }
    if (model->tree->articulated
            ? loops
            : how == FF_INDEX1 || how == FF_INDEX1_AUGMENTED || how == FF_DIRECT) {
        double before = stored(sim);
        ff_mechanism_project(m, how == FF_DIRECT, sim->y);
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

/* One accepted step, of at most `most` in x, or up to an event. */
static ff_status one_step(ff_sim *sim, double most) {
    ff_stepper *stepper = &sim->stepper;
    sim->mechanism.trouble = -1;
    if (sim->now.fresh) {
        ff_stepper_start(stepper, sim->now.clock.x, sim->y);
        sim->now.fresh = false;
    }
    const int trouble = sim->mechanism.trouble;
    for (long attempt = 0; attempt < 200; attempt++) {
        double h = fmin(sim->now.step, most);
        sim->mechanism.trouble = trouble; /* what a step that is refused met does not count */
        double error =
            ff_stepper_try(stepper, sim->now.method, sim->now.clock.x, sim->y, h, sim->per_weight);
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
        double before = ff_sim_time(sim);
        if (sim->options.events && sim->model->slot_count + sim->model->event_count > 0) {
            ff_end end;
            double theta, tried = ff_clock_time(&sim->now.clock, sim->now.clock.x + h) - before;
            ff_search found = ff_events_search(sim, h, &end, &theta);
            if (found == FF_EVENTS_NOW) {
                ff_events_change(sim, end, 0);
                return FF_EVENT;
            }
            bool whole = theta == 1;
            if (found == FF_EVENTS_FOUND && !whole) {
                h = shorten(sim, h, theta, end);
            }
            if (found == FF_EVENTS_NEAR ||
                (found == FF_EVENTS_FOUND && !finite(stepper->y1, sim->model->size))) {
                if (sim->now.clock.x + 0.1 * h == sim->now.clock.x) {
                    return FF_TOO_STIFF;
                }
                sim->now.step =
                    found == FF_EVENTS_NEAR && whole ? fmax(0.1 * h, sim->now.least) : 0.1 * h;
                sim->now.statistics.rejected++;
                continue;
            }
            if (found == FF_EVENTS_FOUND) {
                remember(sim, h);
                memcpy(sim->y, stepper->y1, sim->model->size * sizeof *sim->y);
                sim->now.clock.x += h;
                ff_status status = sim->model->tree ? hold_joints(sim) : FF_OK;
                if (status < 0) {
                    return status;
                }
                ff_events_change(sim, end, fmax(tried, ff_sim_time(sim) - before));
                return FF_EVENT;
            }
        }
        remember(sim, h);
        memcpy(sim->y, stepper->y1, sim->model->size * sizeof *sim->y);
        sim->now.clock.x += h;
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
            sim->now.fresh = ff_events_settle(sim);
        }
        if (sim->model->tree) {
            ff_status status = hold_joints(sim);
            if (status < 0) {
                return status;
            }
        }
        watch_stiffness(sim, ff_sim_time(sim) - before);
        return FF_OK;
    }
    return FF_TOO_STIFF;
}

void ff_step_note_scale(ff_sim *sim) {
    ff_ledger l = ff_sim_ledger(sim);
    double sum = 0;
#define ADD(name) sum += fabs(l.name);
    FF_LEDGER_LIST(ADD)
#undef ADD
    sim->now.scale = fmax(sim->now.scale, sum);
}

/* The first time after now at which a force begins, ends, or its table bends. */
static double next_switch(const ff_sim *sim) {
    double now = ff_sim_time(sim), next = INFINITY;
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
    double now = ff_sim_time(sim), before;
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
    double x = sim->now.clock.power == 1 ? left : pow(fmax(left, 0), 1.0 / sim->now.clock.power);
    double most = x - sim->now.clock.x;
    if (!(ff_sim_time(sim) < until) || !(most > 0) || sim->now.clock.x + most == sim->now.clock.x) {
        return FF_OK;
    }
    double before = ff_sim_time(sim);
    sim->now.clock.mark_x = NAN;
    ff_status status = one_step(sim, most);
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
    /* between events energies change little in a few steps */
    if (status != FF_OK || sim->now.statistics.steps % 8 == 0) {
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
