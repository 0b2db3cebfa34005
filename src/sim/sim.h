/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* A sim from inside: what it is at one instant (saved and restored as a copy), and what it works with. */

#include "crowd/crowd.h"
#include "dynamics/dynamics.h"
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
    double initial, scale; /* J, of the ledger */
    double removed;        /* J, by corrections onto constraints */
    ff_violation violated; /* the most after any step */
    ff_event event;        /* the one told last */
    size_t queued, told;
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
    double *release, *cut;
    double spent, removed;
} ff_last_step;

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
    ff_mode *modes;
    bool *slipping, *acting, *inside;
    bool *above;     /* which users' functions are positive */
    double *changed; /* when the mode of a slot, or the sign of a user's function, changed last */
    double *release; /* J, of each slot: what was in its tangential spring when it was cut off */
    double *cut;     /* the same of its normal spring */
    ff_event *queue; /* events at one instant, told one by one */

    /* work */
    ff_touch *touches; /* of the last evaluation of the rates */
    bool *armed;       /* which ends were negative at the start of the step */
    ff_motion *motions;
    double *per_weight, *scratch, *stepper_memory;
    int *pivots;
    size_t *active;
    int *place; /* of a state among those that act on something, or -1 */
    ff_stepper stepper;
    ff_mechanism mechanism; /* of a model with joints */
    bool reactions;         /* it holds what the joints exert at the time that is asked for */
    char error[240];        /* what the last failure was */
    ff_last_step last;
    double *seen;     /* y at the time that is observed */
    double seen_time; /* NAN: the sim's own */
};

/* How many rows the matrices of a method have; 0: it has none. */
size_t ff_step_rows(const ff_model *model, ff_method method);

/* ---- events (events.c) ---- */

/* The functions of a slot that end its mode where they become positive. */
enum { FF_ENDS = 3 };

ff_motion ff_motion_at(const double *bodies, size_t body);
/* The motions of bodies at y: in y itself, or in the mechanism's work, until it is asked again. */
const double *ff_sim_bodies(const ff_sim *sim, const double *y);
/* What rates depend on besides y. */
ff_phase ff_sim_phase(const ff_sim *sim, ff_touch *touches);

/* Whether an event lies within the step last tried, of length `step` in x: which one, and how far into the
 * step, 0 < theta <= 1. FF_EVENTS_NEAR: there is one, but the step is too long to tell. */
typedef enum ff_search { FF_EVENTS_NONE, FF_EVENTS_FOUND, FF_EVENTS_NOW, FF_EVENTS_NEAR } ff_search;

typedef struct ff_end {
    size_t slot; /* from slot_count on: users' functions */
    int which;
} ff_end;

ff_search ff_events_search(ff_sim *sim, double step, ff_end *end, double *theta);
/* The value of an end at y. */
double ff_events_value(const ff_sim *sim, ff_end end, double t, const double *y);
/* The mode that an end leads to begins; `last` is how long steps were, s. */
void ff_events_change(ff_sim *sim, ff_end end, double last);
/* How things stand at the start of a run; returns the power of its clock. */
int ff_events_start(ff_sim *sim);
/* Without located events: a slot that has come into contact latches its speed, one that has left it
 * is reset, both at the end of the step that shows it. Whether there was any. */
bool ff_events_settle(ff_sim *sim);
/* Adds an event to those that are to be told. */
void ff_events_queue(ff_sim *sim, ff_event_kind kind, int contact, bool rejoin);

/* ---- steps (step.c) ---- */

/* Prepares the stepper of a new sim. */
ff_status ff_step_init(ff_sim *sim);
/* A new stretch of time begins here, with a step of about this time; where events fall together that is
 * none, and the shortest contact tells how long one may be. */
void ff_step_restart(ff_sim *sim, int power, double step);
/* auto goes back to explicit steps at every event: what was stiff may be no more */
void ff_step_choose(ff_sim *sim, ff_method method);
/* Sets which forces act from now on; `tell`: as events. */
void ff_step_set_acting(ff_sim *sim, bool tell);
/* Takes the ledger's scale into account. */
void ff_step_note_scale(ff_sim *sim);
/* The time a contact takes to reach its depth. */
double ff_step_touch_time(const ff_model *model, const ff_slot *slot);
