/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#define _POSIX_C_SOURCE 200809L
#include "body/vector.h"
#include "dynamics/dynamics.h"
#include "ledger/ledger.h"
#include "ode/stepper.h"
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* local errors add up over a run: each is kept at this part of the tolerance, so that the ledger
 * closes to about the tolerance itself */
#define LOCAL_PART 0.03
/* a run of this many steps without reaching the next event or time has lost its way */
#define MOST_STEPS 100000000L
/* growth and shrinkage of steps; the order of the error estimate is 5 */
#define SAFETY 0.9
#define SHRINK 0.2
#define GROW 5.0

/* The clock: between events time runs as t = start + x^power, x from 0. A power above 1 after a
 * touch-down makes roots of the depth smooth functions of x, for every contact at once. */
typedef struct {
    double start, x;
    int power;
    double mark_x,
        mark_time; /* where a step was made to end: that time exactly, whatever x^power rounds to */
} clock_state;

/* The step last taken, which its interpolant covers, and the modes it was taken in. */
typedef struct {
    clock_state clock; /* at its start */
    double step;       /* its length in x */
    bool none;         /* there is no last step */
    double *y;         /* at its start */
    ff_method method;
    bool dense; /* the stepper's interpolant is ready */
    ff_mode *modes;
    bool *slipping;
    double *release;
} last_step;

struct ff_sim {
    const ff_model *model;
    ff_run_options options;
    clock_state clock;
    double step; /* in x, for the next step */
    double *y;
    ff_mode *modes;
    bool *slipping, *acting, *inside;
    ff_touch *touches; /* of the last evaluation of the rates */
    bool *armed;       /* which ends were negative at the start of the step */
    double *changed;   /* when the mode of a slot, or the sign of a user's function, changed last */
    double least;      /* the shortest step that is begun with after an event, s */
    bool *above;       /* which users' functions are positive */
    ff_motion *motions;
    double *release; /* J, of each slot */
    double
        spent; /* J: what was in springs that stopped acting, less what was in those that began */
    double *per_weight, *scratch, *memory;
    int *pivots;
    size_t *active;
    int *place;       /* of a state among those that act on something, or -1 */
    ff_method method; /* of the next step: what auto has chosen, or what was asked for */
    int stiff;        /* how many steps in a row looked stiff */
    ff_stepper stepper;
    bool fresh; /* k[0] of the stepper is not that of here */
    last_step last;
    double *seen;     /* y at the time that is observed */
    double seen_time; /* NAN: the sim's own */
    ff_event event;
    ff_event *queue; /* events at one instant, told one by one */
    size_t queued, told;
    double initial, scale;
    ff_statistics statistics;
};

static double power_of(double x, int power) {
    double out = 1;
    for (int i = 0; i < power; i++) {
        out *= x;
    }
    return out;
}

static double time_at(const clock_state *clock, double x) {
    return x == clock->mark_x ? clock->mark_time : clock->start + power_of(x, clock->power);
}

double ff_sim_time(const ff_sim *sim) { return time_at(&sim->clock, sim->clock.x); }

static void rates(void *user, double x, const double *y, double *dy) {
    ff_sim *sim = user;
    ff_dynamics_rates(sim->model, &(ff_phase){sim->modes, sim->acting, sim->touches},
                      time_at(&sim->clock, x), y, dy);
    if (sim->clock.power > 1) {
        double pace = sim->clock.power * power_of(x, sim->clock.power - 1);
        for (size_t i = 0; i < sim->model->size; i++) {
            dy[i] *= pace;
        }
    }
}

static bool slopes(void *user, double x, const double *y, double *out) {
    ff_sim *sim = user;
    /* implicit methods run on plain time */
    return sim->clock.power == 1 &&
           ff_dynamics_jacobian(sim->model, &(ff_phase){sim->modes, sim->acting, NULL},
                                time_at(&sim->clock, x), y, sim->place, sim->stepper.active_count,
                                out);
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
        size_t at = i * FF_BODY_STRIDE;
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

/* ---- events ---- */

static ff_motion motion_at(const double *y, size_t body) {
    const double *at = y + body * FF_BODY_STRIDE;
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

/* What a slot watches: how its gap, its hold on the force and its grip stand at y. */
typedef struct {
    double gap, hold, excess;
} watch;

static watch judge(const ff_sim *sim, size_t i, const double *y, const ff_touch *touch) {
    const ff_slot *slot = &sim->model->slots[i];
    const double *state = y + sim->model->slot_at + i * FF_CONTACT_STRIDE;
    watch out = {.gap = ff_touch_gap(slot, state, touch)};
    if (sim->modes[i] != FF_AIR) {
        out.hold = ff_touch_hold(slot, sim->modes[i], state, touch);
        out.excess = slot->friction.law->events ? ff_touch_excess(slot, state, touch) : 0;
    }
    return out;
}

static watch look(const ff_sim *sim, size_t i, double t, const double *y) {
    const ff_slot *slot = &sim->model->slots[i];
    ff_touch touch;
    ff_touch_find(slot, t, y, &touch);
    if (sim->modes[i] != FF_AIR) {
        ff_touch_answer(slot, sim->modes[i], y + sim->model->slot_at + i * FF_CONTACT_STRIDE,
                        &touch);
    }
    return judge(sim, i, y, &touch);
}

/* The functions of a slot that end the present mode where they become positive; 0 marks none. */
enum { ENDS = 3 };

static void ends(const ff_sim *sim, size_t i, watch at, double g[ENDS]) {
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
static double user_end(const ff_sim *sim, size_t i, double t, const double *y) {
    const ff_event_def *event = &sim->model->events[i];
    for (size_t b = 0; b < sim->model->body_count; b++) {
        sim->motions[b] = motion_at(y, b);
    }
    double value = event->function(event->user, t, sim->motions);
    return sim->above[i] ? -value : value;
}

/* The largest of all end functions at y: an event lies before it if it is positive. `known`: y is where
 * the rates were evaluated last, and their touches are still there. `armed`: only ends that were negative
 * at the start of the step; a mode that has just begun stands at 0, on either side by rounding. */
static double nearest_end(const ff_sim *sim, double t, const double *y, bool known, bool armed,
                          size_t *slot, int *which) {
    double most = -INFINITY;
    for (size_t i = 0; i < sim->model->slot_count; i++) {
        double g[ENDS];
        known = known && sim->modes[i] != FF_AIR;
        ends(sim, i, known ? judge(sim, i, y, &sim->touches[i]) : look(sim, i, t, y), g);
        for (int j = 0; j < ENDS; j++) {
            if (g[j] > 0 && g[j] > most && (!armed || sim->armed[i * ENDS + (size_t)j])) {
                most = g[j];
                *slot = i;
                *which = j;
            }
        }
    }
    for (size_t i = 0; i < sim->model->event_count; i++) {
        double g = user_end(sim, i, t, y);
        if (g > 0 && g > most && (!armed || sim->armed[sim->model->slot_count * ENDS + i])) {
            most = g;
            *slot = sim->model->slot_count + i;
            *which = 0;
        }
    }
    return most;
}

static double end_at(const ff_sim *sim, size_t slot, int which, double t, const double *y) {
    if (slot >= sim->model->slot_count) {
        return user_end(sim, slot - sim->model->slot_count, t, y);
    }
    double g[ENDS];
    ends(sim, slot, look(sim, slot, t, y), g);
    return g[which];
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
        double x = sim->clock.x;
        ff_touch_find(slot, time_at(&sim->clock, x), sim->y, &a);
        ff_touch_find(slot, time_at(&sim->clock, x + step), y1, &b);
        if (!(a.zdot > 0 && b.zdot < 0)) {
            continue;
        }
        ff_stepper_dense(&sim->stepper, sim->method, sim->y, step);
        double low = 0, high = 1;
        for (int turn = 0; turn < 40; turn++) {
            double theta = (low + high) / 2;
            ff_touch c;
            ff_stepper_at(&sim->stepper, theta, sim->scratch);
            ff_touch_find(slot, time_at(&sim->clock, x + theta * step), sim->scratch, &c);
            const double *state = sim->scratch + model->slot_at + i * FF_CONTACT_STRIDE;
            if (ff_touch_gap(slot, state, &c) > 0) {
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
    for (size_t i = 0; i < sim->model->slot_count; i++) {
        double g[ENDS];
        ends(sim, i, look(sim, i, ff_sim_time(sim), sim->y), g);
        for (size_t j = 0; j < ENDS; j++) {
            sim->armed[i * ENDS + j] = g[j] < 0;
        }
    }
    for (size_t i = 0; i < sim->model->event_count; i++) {
        sim->armed[sim->model->slot_count * ENDS + i] =
            user_end(sim, i, ff_sim_time(sim), sim->y) < 0;
    }
}

/* An end that is past already at the start of a step and still at its end, of a slot whose mode did not
 * change at this very instant: it fell together with the event before, and is told now. */
static bool standing_end(const ff_sim *sim, double end, size_t *slot, int *which) {
    double now = ff_sim_time(sim);
    size_t slots = sim->model->slot_count;
    for (size_t i = 0; i < slots + sim->model->event_count; i++) {
        for (int j = 0; j < (i < slots ? ENDS : 1) && sim->changed[i] != now; j++) {
            if (end_at(sim, i, j, now, sim->y) >= 0 &&
                end_at(sim, i, j, end, sim->stepper.y1) > 0) {
                *slot = i;
                *which = j;
                return true;
            }
        }
    }
    return false;
}

/* The first armed end inside the step last tried, one of which is known to be before theta: its place. */
static double first_end(ff_sim *sim, double step, double theta, size_t *slot, int *which) {
    double x = sim->clock.x, high = theta;
    ff_stepper_dense(&sim->stepper, sim->method, sim->y, step);
    /* earlier ends of other slots may hide behind the largest: look again before each one found */
    while (true) {
        size_t s;
        int w;
        ff_stepper_at(&sim->stepper, high, sim->scratch);
        double g_high = nearest_end(sim, time_at(&sim->clock, x + high * step), sim->scratch, false,
                                    true, &s, &w);
        if (!(g_high > 0)) {
            return high;
        }
        *slot = s;
        *which = w;
        /* regula falsi with Illinois' correction on the interpolant */
        double low = 0, g_low = end_at(sim, s, w, time_at(&sim->clock, x), sim->y);
        int side = 0;
        for (int turn = 0; turn < 100 && high - low > 1e-15; turn++) {
            double at = high - g_high * (high - low) / (g_high - g_low);
            if (!(at > low && at < high) || turn % 8 == 7) {
                at = (low + high) / 2;
            }
            ff_stepper_at(&sim->stepper, at, sim->scratch);
            double g = end_at(sim, s, w, time_at(&sim->clock, x + at * step), sim->scratch);
            if (g > 0) {
                g_low *= side > 0 ? 0.5 : 1;
                side = 1;
                high = at;
                g_high = g;
            } else {
                g_high *= side < 0 ? 0.5 : 1;
                side = -1;
                low = at;
                g_low = g;
                if (g == 0) {
                    break;
                }
            }
        }
        /* just before it: nothing of this slot is left to be found there */
        high = low;
    }
}

static void queue_event(ff_sim *sim, ff_event_kind kind, size_t slot, bool rejoin) {
    sim->queue[sim->queued++] = (ff_event){ff_sim_time(sim), kind, (int)slot, rejoin};
    sim->statistics.events++;
}

/* Whether a slot that is now in contact slips; told only where it changes. */
static void set_slip(ff_sim *sim, size_t i, bool tell) {
    const ff_slot *slot = &sim->model->slots[i];
    if (!slot->friction.law->events) {
        return;
    }
    bool slips = look(sim, i, ff_sim_time(sim), sim->y).excess > 0;
    if (slips != sim->slipping[i] && tell) {
        queue_event(sim, slips ? FF_SLIP : FF_STICK, i, false);
    }
    sim->slipping[i] = slips;
}

/* What is left in a tangential spring when z is back at 0 goes to `release`, and u to 0. */
static void reset_slot(ff_sim *sim, size_t i) {
    const ff_slot *slot = &sim->model->slots[i];
    double *state = sim->y + sim->model->slot_at + i * FF_CONTACT_STRIDE;
    ff_touch touch;
    ff_touch_find(slot, ff_sim_time(sim), sim->y, &touch);
    ff_touch_answer(slot, sim->modes[i], state, &touch);
    sim->release[i] += ff_touch_tangential(slot, state, &touch);
    memset(state + 1, 0, 3 * sizeof *state);
    sim->slipping[i] = false;
}

/* the time a contact takes to reach its depth */
static double touch_time(const ff_model *model, const ff_slot *slot) {
    const double *scales = model->scales + (size_t)slot->body * FF_BODY_STRIDE;
    return scales[FF_P] / scales[FF_VEL];
}

/* A new stretch of time begins here, with a step of about this time; where events fall together that is
 * none, and the shortest contact tells how long one may be. */
static void restart(ff_sim *sim, int power, double step) {
    step = fmax(step, sim->least);
    sim->clock = (clock_state){ff_sim_time(sim), 0, power, NAN, NAN};
    sim->step = !ff_method_order(sim->method) ? sim->options.dt
                : power == 1                  ? step
                                              : pow(step, 1.0 / power);
    sim->fresh = true;
}

/* auto goes back to explicit steps at every event: what was stiff may be no more */
static void choose_method(ff_sim *sim, ff_method method) {
    if (method != sim->method) {
        sim->statistics.switches++;
    }
    sim->method = method;
    sim->stiff = 0;
}

/* Without located events: a slot that has come into contact latches its speed, one that has left it
 * is reset, both at the end of the step that shows it. */
static void settle(ff_sim *sim) {
    const ff_model *model = sim->model;
    for (size_t i = 0; i < model->slot_count; i++) {
        const ff_slot *slot = &model->slots[i];
        double *state = sim->y + model->slot_at + i * FF_CONTACT_STRIDE;
        ff_touch touch;
        ff_touch_find(slot, ff_sim_time(sim), sim->y, &touch);
        bool inside = touch.z > 0;
        if (inside && !sim->inside[i]) {
            state[0] = ff_normal_touch(&slot->law, touch.zdot, state[0]);
        } else if (!inside && sim->inside[i]) {
            reset_slot(sim, i);
        }
        sim->inside[i] = inside;
    }
}

/* A body that has left the ground flies for a time that its speed and gravity tell: half of that is a
 * first step that saves the climb from the steps of a contact. */
static double flight_step(const ff_sim *sim, const ff_slot *slot, double last) {
    const ff_model *model = sim->model;
    double g = sqrt(ff_dot(model->gravity, model->gravity));
    const double *v = ff_body_state(sim->y, slot->body) + FF_VEL;
    for (size_t i = 0; i < model->slot_count; i++) {
        if (sim->modes[i] != FF_AIR) {
            return last;
        }
    }
    return g > 0 ? fmax(last, fabs(ff_dot(v, model->gravity)) / (g * g)) : last;
}

static void change_mode(ff_sim *sim, size_t i, int which, double last) {
    sim->changed[i] = ff_sim_time(sim);
    if (i >= sim->model->slot_count) {
        size_t user = i - sim->model->slot_count;
        sim->above[user] = !sim->above[user];
        queue_event(sim, FF_USER, user, false);
        restart(sim, 1, last);
        return;
    }
    const ff_slot *slot = &sim->model->slots[i];
    double *state = sim->y + sim->model->slot_at + i * FF_CONTACT_STRIDE;
    int power = 1;
    if (sim->options.method == FF_AUTO) {
        choose_method(sim, FF_DOPRI5);
    }
    if (which == 2) {
        sim->slipping[i] = !sim->slipping[i];
        queue_event(sim, sim->slipping[i] ? FF_SLIP : FF_STICK, i, false);
    } else if (sim->modes[i] == FF_AIR) {
        ff_touch touch;
        ff_touch_find(slot, ff_sim_time(sim), sim->y, &touch);
        /* a ground that has not recovered is met at its own depth, where the force jumps */
        bool rejoin = slot->stateful && state[0] > 0;
        state[0] = slot->stateful ? 0 : ff_normal_touch(&slot->law, touch.zdot, state[0]);
        sim->modes[i] = FF_LOADED;
        queue_event(sim, FF_TOUCHDOWN, i, rejoin);
        set_slip(sim, i, false);
        power = ff_method_order(sim->options.method) == 5 && !rejoin ? slot->clock : 1;
        last = 0.05 * touch_time(sim->model, slot);
    } else if (which == 1 && slot->stateful) {
        queue_event(sim, FF_LIFTOFF, i, false);
        if (!slot->friction.law->events || slot->friction.beta > 0) {
            /* only the clutch's spring has a damper of its own to relax by */
            reset_slot(sim, i);
        }
        ff_touch touch;
        ff_touch_find(slot, ff_sim_time(sim), sim->y, &touch);
        state[0] = fmax(touch.z, 0);
        sim->slipping[i] = false;
        sim->modes[i] = FF_AIR;
    } else if (which == 1) {
        bool rejoin = sim->modes[i] == FF_CLAMPED;
        sim->modes[i] = rejoin ? FF_LOADED : FF_CLAMPED;
        queue_event(sim, rejoin ? FF_TOUCHDOWN : FF_LIFTOFF, i, rejoin);
        set_slip(sim, i, true);
    } else {
        if (sim->modes[i] == FF_LOADED) {
            queue_event(sim, FF_LIFTOFF, i, false);
        }
        reset_slot(sim, i);
        sim->modes[i] = FF_AIR;
        queue_event(sim, FF_CLEAR, i, false);
        last = flight_step(sim, slot, last);
    }
    restart(sim, power, last);
}

/* ---- steps ---- */

/* Ends the step exactly at an event: it is taken anew with the length the interpolant gives, and
 * corrected by Newton's method with the interpolant's slope until it stands still. */
static double shorten(ff_sim *sim, double step, double theta, size_t slot, int which) {
    double h = theta * step, x = sim->clock.x, g[2], part = 1e-3 * theta;
    for (int side = 0; side < 2; side++) {
        double at = theta + (side ? part : -part);
        ff_stepper_at(&sim->stepper, at, sim->scratch);
        g[side] = end_at(sim, slot, which, time_at(&sim->clock, x + at * step), sim->scratch);
    }
    double slope = (g[1] - g[0]) / (2 * part * step);
    for (int turn = 0;; turn++) {
        ff_stepper_try(&sim->stepper, sim->method, x, sim->y, h, sim->per_weight);
        double miss = end_at(sim, slot, which, time_at(&sim->clock, x + h), sim->stepper.y1);
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
    sim->statistics.steps++;
    sim->statistics.method_steps[sim->method]++;
    memcpy(sim->last.y, sim->y, sim->model->size * sizeof *sim->y);
    sim->last.clock = sim->clock;
    sim->last.step = h;
    sim->last.none = false;
    sim->last.method = sim->method;
    sim->last.dense = false;
    memcpy(sim->last.modes, sim->modes, slots * sizeof *sim->modes);
    memcpy(sim->last.slipping, sim->slipping, slots * sizeof *sim->slipping);
    memcpy(sim->last.release, sim->release, slots * sizeof *sim->release);
}

/* Explicit steps over which even the trapezoidal rule would be good enough are limited by stability, and
 * not by accuracy: ten in a row in a contact are left to the implicit method. A step that accuracy
 * limits is off by thousands of weights in that rule; one at the border of stability, where errors of a
 * weight come and go, by a few. */
static void watch_stiffness(ff_sim *sim, double taken) {
    bool touching = false;
    if (sim->options.method != FF_AUTO || sim->method != FF_DOPRI5) {
        return;
    }
    for (size_t i = 0; i < sim->model->slot_count; i++) {
        touching = touching || sim->modes[i] != FF_AIR;
    }
    sim->stiff = touching && sim->stepper.bend < 25 ? sim->stiff + 1 : 0;
    if (sim->stiff >= 10) {
        choose_method(sim, FF_ROSENBROCK);
        restart(sim, 1, taken);
    }
}

/* One accepted step, of at most `most` in x, or up to an event. */
static ff_status one_step(ff_sim *sim, double most) {
    ff_stepper *stepper = &sim->stepper;
    if (sim->fresh) {
        ff_stepper_start(stepper, sim->clock.x, sim->y);
        sim->fresh = false;
    }
    for (long attempt = 0; attempt < 200; attempt++) {
        double h = fmin(sim->step, most);
        double error =
            ff_stepper_try(stepper, sim->method, sim->clock.x, sim->y, h, sim->per_weight);
        int order = ff_method_order(sim->method);
        double factor =
            order ? fmin(fmax(SAFETY * pow(error + 1e-10, -1.0 / order), SHRINK), GROW) : 1;
        if (!(error <= 1)) {
            sim->step = h * (isfinite(error) ? fmin(factor, 1) : SHRINK);
            sim->statistics.rejected++;
            if (sim->clock.x + sim->step == sim->clock.x) {
                return FF_TOO_STIFF;
            }
            continue;
        }
        size_t slot = 0;
        int which = 0;
        double before = ff_sim_time(sim);
        double theta = 1, tried = 0;
        if (sim->options.events && sim->model->slot_count + sim->model->event_count > 0) {
            bool known = ff_method_order(sim->method) == 5 || ff_method_order(sim->method) == 0;
            double end = time_at(&sim->clock, sim->clock.x + h);
            bool ended = nearest_end(sim, end, stepper->y1, known, false, &slot, &which) > 0;
            double inside = ended ? 1 : dip(sim, h, stepper->y1);
            if (ended && standing_end(sim, end, &slot, &which)) {
                change_mode(sim, slot, which, 0);
                return FF_EVENT;
            }
            if (inside > 0) {
                arm(sim);
                ff_stepper_dense(stepper, sim->method, sim->y, h);
                ff_stepper_at(stepper, inside, sim->scratch);
                double at = time_at(&sim->clock, sim->clock.x + inside * h);
                if (nearest_end(sim, at, sim->scratch, false, true, &slot, &which) > 0) {
                    theta = first_end(sim, h, inside, &slot, &which);
                    tried = end - before;
                    h = shorten(sim, h, theta, slot, which);
                } else if (!ended || h > 2 * sim->least) {
                    /* a mode that never was right ends with the shortest step there is */
                    if (sim->clock.x + 0.1 * h == sim->clock.x) {
                        return FF_TOO_STIFF;
                    }
                    sim->step = ended ? fmax(0.1 * h, sim->least) : 0.1 * h;
                    sim->statistics.rejected++;
                    continue;
                }
                if (!finite(stepper->y1, sim->model->size)) {
                    sim->step = 0.1 * h;
                    sim->statistics.rejected++;
                    continue;
                }
                remember(sim, h);
                memcpy(sim->y, stepper->y1, sim->model->size * sizeof *sim->y);
                sim->clock.x += h;
                change_mode(sim, slot, which, fmax(tried, ff_sim_time(sim) - before));
                return FF_EVENT;
            }
        }
        remember(sim, h);
        memcpy(sim->y, stepper->y1, sim->model->size * sizeof *sim->y);
        sim->clock.x += h;
        ff_stepper_accept(stepper);
        /* a step cut short by `most` says nothing of the next; a clock that quickens asks for shorter
         * steps of x where it is the time they take that counts */
        double begin = sim->clock.x - h, slower = 1;
        if (sim->clock.power > 1 && begin > h) {
            slower = power_of((begin + h / 2) / (begin + 3 * h / 2), sim->clock.power - 1);
        }
        sim->step = h < sim->step ? sim->step : h * factor * slower;
        if (!sim->options.events) {
            settle(sim);
            sim->fresh = true;
        }
        watch_stiffness(sim, ff_sim_time(sim) - before);
        return FF_OK;
    }
    return FF_TOO_STIFF;
}

static void note_scale(ff_sim *sim) {
    ff_ledger l = ff_sim_ledger(sim);
    double sum = 0;
#define ADD(name) sum += fabs(l.name);
    FF_LEDGER_LIST(ADD)
#undef ADD
    sim->scale = fmax(sim->scale, sum);
}

static double seconds_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
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
static void set_acting(ff_sim *sim, bool tell) {
    const ff_model *model = sim->model;
    double now = ff_sim_time(sim), before;
    ff_phase phase = {sim->modes, sim->acting, NULL};
    before = ff_dynamics_springs(model, &phase, sim->y);
    for (size_t i = 0; i < model->force_count; i++) {
        bool acts = model->forces[i].from <= now && now < model->forces[i].to;
        if (acts != sim->acting[i] && tell) {
            sim->queue[sim->queued++] = (ff_event){now, FF_SWITCH, -1, false};
            sim->statistics.events++;
        }
        sim->acting[i] = acts;
    }
    if (tell) {
        sim->spent += before - ff_dynamics_springs(model, &phase, sim->y);
    }
}

static ff_status step_once(ff_sim *sim, double until) {
    sim->seen_time = NAN;
    if (sim->told < sim->queued) {
        sim->event = sim->queue[sim->told++];
        return FF_EVENT;
    }
    sim->queued = sim->told = 0;
    sim->last.none = true;
    double change = next_switch(sim), aim = fmin(until, change), left = aim - sim->clock.start;
    double x = sim->clock.power == 1 ? left : pow(fmax(left, 0), 1.0 / sim->clock.power);
    double most = x - sim->clock.x;
    if (!(ff_sim_time(sim) < until) || !(most > 0) || sim->clock.x + most == sim->clock.x) {
        return FF_OK;
    }
    double before = ff_sim_time(sim);
    sim->clock.mark_x = NAN;
    ff_status status = one_step(sim, most);
    bool there = status == FF_OK && sim->clock.x >= x * (1 - 1e-15);
    if (there) {
        sim->clock.x = sim->clock.mark_x = x;
        sim->clock.mark_time = aim;
    }
    if (there && change <= until) {
        restart(sim, 1, change - before);
        set_acting(sim, true);
        status = sim->queued > 0 ? FF_EVENT : FF_OK;
    }
    /* between events energies change little in a few steps */
    if (status != FF_OK || sim->statistics.steps % 8 == 0) {
        note_scale(sim);
    }
    sim->statistics.evaluations = sim->stepper.evaluations;
    if (status == FF_EVENT) {
        sim->event = sim->queue[sim->told++];
    }
    return status;
}

ff_status ff_sim_step(ff_sim *sim, double until) {
    double start = seconds_now();
    ff_status status = step_once(sim, until);
    sim->statistics.seconds += seconds_now() - start;
    return status;
}

ff_status ff_sim_advance(ff_sim *sim, double until) {
    ff_status status = FF_OK;
    double start = seconds_now();
    long steps = 0;
    do {
        status = step_once(sim, until);
    } while (status == FF_OK && !sim->last.none && ++steps < MOST_STEPS);
    sim->statistics.seconds += seconds_now() - start;
    return steps < MOST_STEPS ? status : FF_TOO_STIFF;
}

void ff_sim_observe(ff_sim *sim, double time) {
    double from = time_at(&sim->last.clock, sim->last.clock.x);
    sim->seen_time = NAN;
    if (sim->last.none || !(time >= from && time < ff_sim_time(sim))) {
        return;
    }
    const clock_state *clock = &sim->last.clock;
    double x =
        clock->power == 1 ? time - clock->start : pow(time - clock->start, 1.0 / clock->power);
    if (!sim->last.dense) {
        ff_stepper_dense(&sim->stepper, sim->last.method, sim->last.y, sim->last.step);
        sim->last.dense = true;
    }
    ff_stepper_at(&sim->stepper, (x - clock->x) / sim->last.step, sim->seen);
    sim->seen_time = time;
}

const ff_event *ff_sim_event(const ff_sim *sim) { return &sim->event; }

const char *ff_event_name(ff_event_kind kind) {
    static const char *const names[] = {"touchdown", "liftoff", "clear", "stick",
                                        "slip",      "switch",  "user"};
    return names[kind];
}

/* ---- making and asking ---- */

ff_status ff_sim_create(const ff_model *model, const ff_run_options *options, ff_sim **out) {
    /* a ground that recovers is met at an event */
    for (size_t i = 0; i < model->slot_count; i++) {
        if (model->slots[i].stateful && !(options ? options : &model->run)->events) {
            return FF_BAD_VALUE;
        }
    }
    ff_sim *sim = calloc(1, sizeof *sim);
    size_t n = model->size, slots = model->slot_count + 1;
    if (!sim) {
        return FF_NO_MEMORY;
    }
    sim->model = model;
    sim->options = options ? *options : model->run;
    sim->y = calloc(n, sizeof *sim->y);
    sim->per_weight = malloc(n * sizeof *sim->per_weight);
    sim->scratch = malloc(n * sizeof *sim->scratch);
    sim->memory = malloc(ff_stepper_room(n, model->states) * sizeof *sim->memory);
    sim->pivots = malloc((model->states + 1) * sizeof *sim->pivots);
    sim->active = malloc((model->states + 1) * sizeof *sim->active);
    sim->place = malloc((model->states + 1) * sizeof *sim->place);
    sim->modes = calloc(slots, sizeof *sim->modes);
    sim->slipping = calloc(slots, sizeof *sim->slipping);
    sim->release = calloc(slots, sizeof *sim->release);
    sim->acting = calloc(model->force_count + 1, sizeof *sim->acting);
    sim->inside = calloc(slots, sizeof *sim->inside);
    sim->touches = calloc(slots, sizeof *sim->touches);
    sim->armed = calloc(slots * ENDS + model->event_count, sizeof *sim->armed);
    sim->changed = calloc(slots + model->event_count, sizeof *sim->changed);
    sim->above = calloc(model->event_count + 1, sizeof *sim->above);
    sim->motions = calloc(model->body_count + 1, sizeof *sim->motions);
    sim->queue =
        calloc(4 * slots + 2 * model->force_count + model->event_count, sizeof *sim->queue);
    sim->seen = calloc(n, sizeof *sim->seen);
    sim->seen_time = NAN;
    sim->last.y = calloc(n, sizeof *sim->y);
    sim->last.modes = calloc(slots, sizeof *sim->modes);
    sim->last.slipping = calloc(slots, sizeof *sim->slipping);
    sim->last.release = calloc(slots, sizeof *sim->release);
    if (!sim->changed || !sim->armed || !sim->above || !sim->motions || !sim->touches ||
        !sim->inside || !sim->pivots || !sim->active || !sim->place || !sim->acting || !sim->seen ||
        !sim->last.y || !sim->last.modes || !sim->last.slipping || !sim->last.release || !sim->y ||
        !sim->per_weight || !sim->scratch || !sim->memory || !sim->modes || !sim->slipping ||
        !sim->release || !sim->queue) {
        ff_sim_free(sim);
        return FF_NO_MEMORY;
    }
    if (!(sim->options.tol > 0) || !(sim->options.until >= 0) || !(sim->options.dt > 0)) {
        ff_sim_free(sim);
        return FF_BAD_VALUE;
    }
    int power = 1;
    for (size_t i = 0; i < model->slot_count + model->event_count; i++) {
        sim->changed[i] = NAN;
    }
    ff_model_start(model, sim->y);
    for (size_t i = 0; i < n; i++) {
        sim->per_weight[i] = 1 / (LOCAL_PART * sim->options.tol * model->scales[i]);
    }
    for (size_t i = 0; i < model->body_count; i++) {
        for (size_t c = 0; c < 4 && model->bodies[i].free_turning; c++) {
            /* nothing depends on how a round body is turned */
            sim->per_weight[i * FF_BODY_STRIDE + FF_Q + c] = 1 / sim->options.tol;
        }
    }
    for (size_t i = 0; i < model->slot_count; i++) {
        /* a start in contact: inner states 0, no touch-down, its energy in `initial` */
        double *state = sim->y + model->slot_at + i * FF_CONTACT_STRIDE;
        ff_touch touch;
        ff_touch_find(&model->slots[i], 0, sim->y, &touch);
        sim->modes[i] =
            sim->options.events ? ff_touch_mode(&model->slots[i], state, &touch) : FF_FREE;
        sim->inside[i] = touch.z > 0;
        if (sim->modes[i] == FF_AIR && touch.z == 0 && touch.zdot > 0) {
            /* it touches down as time begins */
            state[0] = ff_normal_touch(&model->slots[i].law, touch.zdot, state[0]);
            sim->modes[i] = FF_LOADED;
            power = ff_method_order(sim->options.method) == 5 ? model->slots[i].clock : 1;
        }
        set_slip(sim, i, false);
    }
    ff_stepper_init(&sim->stepper, n, model->states, model->inert, rates, sim, sim->memory,
                    sim->pivots, sim->active);
    sim->stepper.scales = model->scales;
    sim->stepper.first = model->first;
    sim->stepper.carry = carry_turning;
    sim->stepper.jacobian = slopes;
    int acting = 0;
    for (size_t i = 0; i < model->states; i++) {
        sim->place[i] = model->inert[i] ? -1 : acting++;
    }
    sim->clock.power = 1;
    sim->least = 1e-6 * sim->options.until;
    for (size_t i = 0; i < model->slot_count; i++) {
        sim->least = fmin(sim->least, 1e-3 * touch_time(model, &model->slots[i]));
    }
    sim->method = sim->options.method == FF_AUTO ? FF_DOPRI5 : sim->options.method;
    set_acting(sim, false);
    restart(sim, power, power > 1 ? sim->least : 1e-3 * sim->options.until + 1e-9);
    for (size_t i = 0; i < model->event_count; i++) {
        sim->above[i] = user_end(sim, i, 0, sim->y) > 0;
    }
    ff_ledger start = ff_sim_ledger(sim);
    sim->initial = -start.residual;
    note_scale(sim);
    *out = sim;
    return FF_OK;
}

void ff_sim_free(ff_sim *sim) {
    if (!sim) {
        return;
    }
    free(sim->y);
    free(sim->per_weight);
    free(sim->scratch);
    free(sim->memory);
    free(sim->pivots);
    free(sim->active);
    free(sim->place);
    free(sim->modes);
    free(sim->slipping);
    free(sim->release);
    free(sim->queue);
    free(sim->acting);
    free(sim->inside);
    free(sim->touches);
    free(sim->changed);
    free(sim->armed);
    free(sim->above);
    free(sim->motions);
    free(sim->seen);
    free(sim->last.y);
    free(sim->last.modes);
    free(sim->last.slipping);
    free(sim->last.release);
    free(sim);
}

/* What queries look at: the sim's own state, or the one observed. */
typedef struct {
    double time;
    const double *y, *release;
    const ff_mode *modes;
    const bool *slipping;
} sight;

static sight view(const ff_sim *sim) {
    if (isnan(sim->seen_time)) {
        return (sight){ff_sim_time(sim), sim->y, sim->release, sim->modes, sim->slipping};
    }
    return (sight){sim->seen_time, sim->seen, sim->last.release, sim->last.modes,
                   sim->last.slipping};
}

ff_motion ff_sim_body(const ff_sim *sim, size_t body) { return motion_at(view(sim).y, body); }

ff_contact_record ff_sim_contact(const ff_sim *sim, size_t contact) {
    const ff_model *model = sim->model;
    const ff_slot *slot = &model->slots[contact];
    const sight at = view(sim);
    const double *state = at.y + model->slot_at + contact * FF_CONTACT_STRIDE;
    ff_contact_record out = {0};
    ff_touch touch;
    ff_touch_find(slot, at.time, at.y, &touch);
    out.depth = touch.z;
    out.rate = touch.zdot;
    const double *body = ff_body_state(at.y, slot->body);
    ff_add_scaled(body + FF_P, 1, touch.arm, out.point);
    memcpy(out.normal, touch.n, sizeof out.normal);
    memcpy(out.slip, touch.slide.v, sizeof out.slip);
    if (at.modes[contact] != FF_AIR) {
        ff_touch_answer(slot, at.modes[contact], state, &touch);
        bool free = at.modes[contact] == FF_FREE;
        out.touching = free ? touch.normal.force > 0 : at.modes[contact] == FF_LOADED;
        out.elastic = slot->law.law->inner == FF_INNER_RATE
                          ? touch.normal.force
                          : slot->law.k * touch.normal.grade * touch.z;
        out.viscous = touch.normal.force - out.elastic;
        memcpy(out.force, touch.push, sizeof out.force);
        memcpy(out.u, state + 1, sizeof out.u);
        out.slips = !free ? at.slipping[contact]
                          : touch.z > 0 && slot->friction.law->events &&
                                ff_touch_excess(slot, state, &touch) > 0;
    }
    return out;
}

ff_ledger ff_sim_contact_ledger(const ff_sim *sim, size_t contact) {
    const sight at = view(sim);
    return ff_ledger_contact(sim->model, contact, at.modes[contact], at.time, at.y,
                             at.release[contact]);
}

ff_ledger ff_sim_ledger(const ff_sim *sim) {
    ff_ledger out = {0};
    for (size_t i = 0; i < sim->model->slot_count; i++) {
        ff_ledger part = ff_sim_contact_ledger(sim, i);
#define ADD(name) out.name += part.name;
        FF_LEDGER_LIST(ADD)
#undef ADD
    }
    ff_ledger_bodies(sim->model, view(sim).y, &out);
    out.springs =
        ff_dynamics_springs(sim->model, &(ff_phase){sim->modes, sim->acting, NULL}, view(sim).y);
    out.external += sim->spent;
    out.initial = sim->initial;
    out.scale = sim->scale;
    ff_ledger_close(&out);
    return out;
}

ff_statistics ff_sim_statistics(const ff_sim *sim) { return sim->statistics; }
