/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* A sim from inside: what it is at one instant (saved and restored as a copy), and what it works with. */

#include "crowd/crowd.h"
#include "dynamics/dynamics.h"
#include "ledger/leak.h"
#include "ledger/ledger.h"
#include "num/elementary.h"
#include "ode/stepper.h"

/* The clock: between events time runs as t = start + x^power, x from 0. A power above 1 after a
 * touch-down makes roots of the depth smooth functions of x, for every contact at once. */
typedef struct ff_clock {
    double start, x;
    int power;
    double mark_x,
        mark_time; /* where a step was made to end: that time exactly, whatever x^power rounds to */
} ff_clock;

static inline double ff_power_of(double x, int power) {
    double out = 1;
    for (int i = 0; i < power; i++) {
        out *= x;
    }
    return out;
}

/* x^(1/power), for the powers of clocks: 1 to 4 */
static inline double ff_root_of(double x, int power) {
    return power == 1 ? x : power == 2 ? sqrt(x) : power == 3 ? ff_cbrt(x) : sqrt(sqrt(x));
}

static inline double ff_clock_time(const ff_clock *clock, double x) {
    return x == clock->mark_x ? clock->mark_time : clock->start + ff_power_of(x, clock->power);
}

/* All that a run is at one instant besides its arrays. */
typedef struct ff_now {
    ff_clock clock;
    double step;      /* in x, for the next step; infinite where the method chooses */
    double least;     /* the shortest step that is begun with after an event, s */
    ff_method method; /* of the next step: what auto has chosen, or what was asked for */
    int stiff;        /* how many steps in a row looked stiff */
    bool fresh;       /* the rates here are not known yet */
    /* J: what was in springs that stopped acting, less what was in those that began */
    double spent;
    double initial, scale; /* of the ledger: energy at the start, largest sum of magnitudes, J */
    double gravity;        /* account at the start, from where its magnitude is counted, J */
    ff_leak_now leak;
    double removed;        /* J, by corrections onto constraints */
    ff_violation violated; /* the most after any step */
    ff_event event;        /* the one told last */
    size_t queued, told;
    double moved; /* the last time of an event that came more than rounding after the one before */
    int stalled;  /* events since then */
    ff_statistics statistics;
} ff_now;

/* The step last taken, which its interpolant covers, and the modes it was taken in. */
typedef struct ff_last_step {
    ff_clock clock; /* at its start */
    double step;    /* its length in x */
    bool none;      /* there is no last step */
    double *y;      /* at its start */
    ff_method method;
    ff_mode *modes;
    bool *slipping, *acting;
    ff_books *books;
    double spent, removed;
} ff_last_step;

/* The functions of a slot whose roots end its mode: of the gap, the hold on the force, and stick or slip. */
enum { FF_END_GAP, FF_END_HOLD, FF_END_SLIP, FF_ENDS };

typedef struct ff_end {
    size_t slot; /* from slot_count on: users' functions */
    int which;
} ff_end;

/* Depth of a slot, negative in the air, m, and its rate; for laws with an inner state what their contact begins by.
 * Within `noise` the gap is 0. */
typedef struct ff_gap {
    double gap, rate, noise;
} ff_gap;

struct ff_sim {
    const ff_model *model;
    ff_run_options options;
    ff_crowd *crowd; /* of a model without slots: everything but `now`; NULL for others */
    void *memory;    /* all arrays: those of the state first, `state_size` bytes of them */
    size_t state_size;

    /* the state */
    ff_now now;
    double *y;
    double *rates_here; /* dy/dx at y, unless now.fresh; filled when the state is saved */
    double *per_weight; /* of every component: 1 by the error that a step may have */
    ff_extent *extents; /* of each body: what that is relative to */
    double *fastest;    /* the speed of each body lately */
    ff_mode *modes;
    bool *slipping, *acting;
    bool *inside;      /* whether a slot is in contact, as told: its force acts */
    bool *above;       /* which users' functions are positive */
    double *user_size; /* the largest magnitude of each user's function so far */
    /* of the root functions of all slots, then users */
    bool *armed; /* which agreed with their modes, beyond rounding, where the next step begins */
    double *changed; /* when each switched last */
    int *switches;   /* how often at that time */
    ff_gap *gaps;    /* of slots, where the next step begins */
    ff_books *books; /* of each slot */
    ff_event *queue; /* events at one instant, told one by one */

    /* work */
    ff_leak leak;      /* its `taken` and `blamed` are of the state */
    ff_touch *touches; /* of the last evaluation of the rates */
    bool *armed_end;   /* as `armed` and `gaps`, where ff_roots_look() looked last */
    ff_gap *gaps_end;
    ff_end *ended; /* the root functions that disagreed there */
    ff_motion *motions;
    double *scratch, *stepper_memory;
    double *slope_rates; /* of models with contacts that answer with a moment */
    ff_extent *extents_now;
    bool round; /* there are bodies that turn apart from the rates */
    int *pivots;
    size_t *active;
    int *place; /* of a state among those that act on something, or -1 */
    ff_stepper stepper;
    ff_mechanism mechanism; /* of a model with joints */
    bool reactions;         /* it holds what the joints exert at the time that is asked for */
    char error[480];        /* what the last failure was */
    ff_last_step last;
    double *seen;     /* y at the time that is observed */
    double seen_time; /* NAN: the sim's own */
};

/* How many rows the matrices of a method have; 0: it has none. */
size_t ff_step_rows(const ff_model *model, ff_method method);

ff_motion ff_motion_at(const double *bodies, size_t body);
/* The motions of bodies at y: in y itself, or in the mechanism's work, until it is asked again. */
const double *ff_sim_bodies(const ff_sim *sim, const double *y);
/* What rates depend on besides y. */
static inline ff_phase ff_sim_phase(const ff_sim *sim, ff_touch *touches) {
    return (ff_phase){.modes = sim->modes,
                      .acting = sim->acting,
                      .touches = touches,
                      .mechanism = (ff_mechanism *)&sim->mechanism,
                      .way = &sim->options,
                      .slope_rates = sim->slope_rates};
}
/* As ff_sim_time(), for sims that are no crowd. */
static inline double ff_sim_now(const ff_sim *sim) {
    return ff_clock_time(&sim->now.clock, sim->now.clock.x);
}

/* ---- roots (roots.c) ---- */

/* A root function: positive where it disagrees with its mode, undecided within `noise`. */
typedef struct ff_root {
    double g, noise;
} ff_root;

static inline bool ff_root_agrees(ff_root r) { return r.g < -r.noise; }
static inline bool ff_root_disagrees(ff_root r) { return r.g > r.noise; }

/* A root function at y. */
ff_root ff_roots_value(const ff_sim *sim, ff_end end, double t, const double *y);
/* Looks at all root functions at y: fills armed_end, gaps_end and `ended`, and returns how many disagree. `known`: y is
 * where the rates were evaluated last, and the touches of slots in contact are still there. */
size_t ff_roots_look(ff_sim *sim, double t, const double *y, bool known);
/* The next step begins where ff_roots_look() looked last. */
void ff_roots_begin(ff_sim *sim);

typedef enum ff_search {
    FF_EVENTS_NONE,
    FF_EVENTS_FOUND, /* within the step: its first root */
    FF_EVENTS_NOW    /* at its start: a function that was undecided there agrees nowhere after it */
} ff_search;

/* The first root within the step last tried: of which function, and how far into the step, 0 < theta <= 1. `but` is the
 * function that the step ends at, or NULL. Not `all`: without stick and slip, and
 * without functions that have switched as often as they may. */
ff_search ff_roots_search(ff_sim *sim, bool known, bool all, const ff_end *but, ff_end *end,
                          double *theta);

/* ---- events (events.c) ---- */

/* The place of a root function among those of all slots and users. */
size_t ff_end_place(const ff_sim *sim, ff_end end);
/* Whether it is the border between stick and slip. */
bool ff_end_is_slip(const ff_sim *sim, ff_end end);
/* Whether a function has switched so often at this instant that it is left alone. */
bool ff_events_exhausted(const ff_sim *sim, ff_end end);
/* The failure of a run that makes no progress because of this function. */
ff_status ff_events_stuck(ff_sim *sim, ff_end end);
/* A root function is past its root: what it leads to happens, and all modes are made to agree with the state. NULL: only
 * the latter. `last` is how long steps were, s. FF_EVENT where anything happened: a new stretch of time has begun. */
ff_status ff_events_change(ff_sim *sim, const ff_end *end, double last);
/* How things stand at the start of a run; returns the power of its clock. */
int ff_events_start(ff_sim *sim);
/* Without located events: a slot that has come into contact latches its speed, one that has left it
 * is reset, both at the end of the step that shows it. Whether there was any. */
bool ff_events_settle(ff_sim *sim);
/* Adds an event to those that are to be told. */
void ff_events_queue(ff_sim *sim, ff_event_kind kind, int contact, bool rejoin);

/* ---- steps (step.c) ---- */

/* The errors that steps may have, from the sizes of motions and the rounding of y. */
void ff_step_weigh(ff_sim *sim);
/* Turns round bodies, whose orientation is not in the rates, over a step from clock->x to clock->x + h or a part of one:
 * by the rotation vector of Magnus' series of order 4, the integral of omega and time^2 (w2 x w0)/12, for omega at the
 * start, the middle (of x) and the end. Exact while omega stays as it is. Sets the orientations in `to`. */
void ff_step_turn(const ff_sim *sim, const ff_clock *clock, double h, const double *from,
                  const double *middle, double *to);
/* The same at the end of the step last tried. */
void ff_step_turn_end(ff_sim *sim);
/* Prepares the stepper of a new sim. */
ff_status ff_step_init(ff_sim *sim);
/* A new stretch of time begins here, with a step of about this time; where events fall together that is
 * none, and the shortest contact tells how long one may be. */
void ff_step_restart(ff_sim *sim, int power, double step);
/* auto goes back to explicit steps at every event: what was stiff may be no more */
void ff_step_choose(ff_sim *sim, ff_method method);
/* Sets which forces act from now on; `tell`: as events. */
void ff_step_set_acting(ff_sim *sim, bool tell);
/* A look at the ledger, and at how large things have become. */
void ff_step_note_scale(ff_sim *sim);
/* Books what changes of level did to the springs of friction in the step last taken, before anything happens at its end. */
void ff_books_step(ff_sim *sim);
/* The time a contact takes to reach its depth. */
double ff_step_touch_time(const ff_model *model, const ff_slot *slot);

/* The ledger, and what each party to it holds: the sum of a contact's accounts, or an account of the run. */
ff_ledger ff_sim_ledger_parts(const ff_sim *sim, double *held);

/* ---- whether a run can be trusted (verdict.c) ---- */

size_t ff_verdict_parties(const ff_model *model);
/* The ledger begins here. */
void ff_verdict_begin(ff_sim *sim);
/* A look at the ledger: its scale, and who is to be blamed for what the residual has grown by. */
void ff_verdict_note(ff_sim *sim);
/* FF_NOT_FINITE, with a text that names it, where y or the motion of a body has a number that is not finite. */
ff_status ff_verdict_state(ff_sim *sim, const double *y);
ff_status ff_verdict_bodies(ff_sim *sim);
