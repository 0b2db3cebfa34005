/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* The one adaptive driver: carries a hybrid system through time. Between jumps a system is y' = f(t, y) with all that is
 * discrete fixed in its phase, a flat block of bytes beside y. The flow makes steps under error control, ends them at the
 * first root of the system's functions and at times that must be met, and lets the system jump there. */

#include "choice.h"
#include "clock.h"
#include "num/arena.h"
#include "ode/stepper.h"
#include "plan.h"

/* ---- what a system is ---- */

/* What a root function is to its phase. */
typedef enum ff_root_kind {
    FF_ROOT_MODE, /* must agree with the phase wherever a step ends */
    /* FF_ROOT_MODE, but one that has switched as often as it may at one instant stays as it is for a step: a contact that is
     * ignored while its body turns, and turns it that way itself */
    FF_ROOT_GATE,
    FF_ROOT_EDGE, /* the rates are the same on both sides: one that cannot be reached is left to error control */
    FF_ROOT_KINK, /* an edge that is not reported: step and method go on as they were */
    FF_ROOT_USER, /* of the user's own */
    FF_ROOT_HELD  /* must not disagree: the run fails there */
} ff_root_kind;

/* Where a function may leave the side that it agrees on and come back within one step. */
typedef enum ff_root_dips {
    FF_DIPS_NONE,
    FF_DIPS_ONCE, /* where its slope says so at both ends: steps are short against it */
    FF_DIPS_ANY
} ff_root_dips;

/* A root function at one instant: positive where it disagrees with the phase, undecided within `noise`, the rounding of
 * the terms it is formed of. */
typedef struct ff_root {
    double g, noise;
    double slope; /* dg/dt where dips are looked for; NAN: not known, found by differences */
    unsigned char dips;
    bool leaving; /* g is 0 within noise, and its rate takes it to where it disagrees */
} ff_root;

static inline bool ff_root_agrees(const ff_root *r) { return r->g < -r->noise; }
static inline bool ff_root_disagrees(const ff_root *r) { return r->g > r->noise; }

/* What follows from a jump. */
typedef struct ff_jump {
    int power;   /* of the clock after it: the highest asked for */
    double step; /* s, the first step after it: the shortest asked for */
    bool silent; /* the step and the method go on as they were */
} ff_jump;

static inline void ff_jump_ask(ff_jump *jump, int power, double step) {
    jump->power = power > jump->power ? power : jump->power;
    jump->step = step < jump->step ? step : jump->step;
    jump->silent = false;
}

/* A step, or what was tried as one, from clock->x over h in x. */
typedef struct ff_span {
    const ff_clock *clock;
    double h;
    const double *from; /* y at its start */
} ff_span;

/* Components of y that something depends on, for example one root function, in a few parts; no parts: on all of y. */
typedef struct ff_reads {
    struct {
        size_t from, count;
    } part[4];
    int parts; /* 0: on all states */
} ff_reads;

/* What a system may know already where its root functions are asked for: the rates were evaluated there last, or all root
 * functions were looked at there last, before the jumps that have happened since. */
typedef enum ff_known { FF_KNOWN_NOTHING, FF_KNOWN_RATES, FF_KNOWN_ROOTS } ff_known;

/* The functions of a system; `self` is its own. Those that are NULL are not needed. */
typedef struct ff_system {
    /* dy/dt in the phase of the flow, or of its last step while `past`; of ff_rates */
    ff_rates rates;
    /* adds the entries of its derivatives by the active states; NULL: differences must do */
    void (*jacobian)(void *self, double t, const double *y, ff_sparse *out);
    /* All root functions at (t, y), and one of them. */
    void (*roots)(void *self, double t, const double *y, ff_known known, ff_root *out);
    void (*root)(void *self, double t, const double *y, size_t which, ff_root *out);
    /* What root function `which` depends on; NULL: any of them on all states. */
    ff_reads (*reads)(const void *self, size_t which);
    /* All functions that are past their roots at this instant: modes change, y may, events are reported by
     * ff_flow_report(). `last` is how long steps were, s. */
    void (*jump)(void *self, const size_t *fired, size_t count, double last, ff_jump *out);
    /* The next time after t that a step must meet, and what happens there. True: the step and the method go on as they
     * were. */
    double (*next)(const void *self, double t);
    bool (*meet)(void *self);
    /* What the rates leave out, at the part theta of a span: `to` has all else there. */
    void (*carry)(void *self, const ff_span *span, double theta, double *to);
    /* Makes sure that the layout of y and of the phase serves a step of this time: before it is tried, and at its end `to`.
     * Where they are laid out anew (ff_flow_move()), `changed`, the step is tried again. */
    ff_status (*arrange)(void *self, double time, const double *to, bool *changed);
    /* A step is about to be tried; `first`: not again. */
    void (*attempt)(void *self, bool first);
    /* A step was taken, before anything happens at its end: books are kept, constraints held. A failure takes the step
     * back. */
    ff_status (*taken)(void *self);
    /* Without located events: modes follow the state. Whether any did. */
    bool (*settle)(void *self);
    /* Whether an event of this kind can be of this thing: looked at when a state is put back. */
    bool (*knows)(const void *self, const ff_event *event);
} ff_system;

/* ---- a flow ---- */

/* All that a flow is at one instant besides its arrays. */
typedef struct ff_flow_now {
    ff_clock clock;
    double step;      /* in x, for the next step */
    double least;     /* the shortest step that is begun with after a jump, s */
    double next;      /* time that a step must meet, s */
    ff_method method; /* of the next step: what auto has chosen, or what was asked for */
    ff_choice choice; /* what auto knows */
    ff_plan plan;     /* of steps between samples */
    double flops;     /* of the linear algebra of an implicit step of auto; 0: not known yet */
    /* Jacobians and linear algebra so far, in evaluations that were not counted as such */
    double linear;
    bool fresh;     /* the rates here are not known yet */
    ff_event event; /* the one reported last */
    size_t queued, reported;
    double moved; /* the last time of an event that came more than rounding after the one before */
    int stalled;  /* events since then */
    int forced;   /* steps within rounding of time that were taken in spite of their error */
    ff_statistics statistics;
} ff_flow_now;

/* The step last taken, which its interpolant covers. */
typedef struct ff_flow_last {
    ff_clock clock; /* at its start */
    double step;    /* its length in x */
    bool none;      /* there is no last step */
    ff_method method;
    double *y; /* at its start */
    char *phase;
} ff_flow_last;

typedef struct ff_flow {
    /* given before arrays are laid out */
    const ff_system *system;
    void *self;
    size_t n, states;  /* of y: all, and what feeds back */
    size_t rows;       /* of the matrix of implicit methods; 0: none, and auto stays explicit */
    size_t phase_size; /* bytes */
    size_t roots;
    size_t
        switches_most; /* events of kind `switch` that one instant can report, besides inputs that are set */
    ff_method method; /* asked for */
    double tol, dt;
    double longest; /* s, of a step; may be infinite */
    /* what auto counts with: multiply-adds of an evaluation of the rates, about, and evaluations that a Jacobian costs */
    double evaluation, jacobian;
    bool differences;   /* the Jacobian is found by evaluations, which are counted */
    bool locates;       /* events; otherwise all roots are held ones, and `settle` is asked */
    bool slopeless;     /* some root functions whose dips are looked for do not know their slopes */
    bool carries;       /* `carry` has something to do */
    bool carries_roots; /* and root functions depend on it */

    /* the state: saved and restored as a copy */
    ff_flow_now now;
    double *y;
    double *rates_here; /* dy/dx at y, unless now.fresh; filled when the state is saved */
    double *per_weight; /* of every component: 1 by the error that a step may have */
    char *phase;
    ff_root *roots_here; /* `here`, filled when the state is saved */
    double *changed;     /* when each root function switched last */
    int *switches;       /* how often at that time */
    ff_event *queue;     /* events at one instant, reported one by one */

    /* work */
    unsigned char *kinds; /* of root functions: ff_root_kind */
    /* where the next step begins, where the step last tried ends, and near one of these */
    ff_root *here, *end, *near;
    size_t *fired;
    double *scratch, *stepper_memory;
    size_t *active;
    ff_sparse *matrix; /* of implicit methods; NULL where `rows` is 0 */
    ff_stepper stepper;
    ff_flow_last last;
    ff_known known; /* in `taken`: what is known at y */
    double longer;  /* steps of dop853 against those of dopri5 at this tolerance */
    bool past;      /* the rates are those of the last step */
    bool altered;   /* the phase has changed since it was remembered */
    size_t blame;   /* the root function that a run failed by */
    bool
        not_finite; /* the last step that was refused had an infinite error, or none that is a number */
    double *seen;     /* y at the time that is observed */
    double seen_time; /* NAN: the flow's own */
} ff_flow;

/* How many events one instant can report. A function switches twice at the most, and each is reported as an event; after each
 * of them, and once more, an input may be set. */
static inline size_t ff_flow_events_most(const ff_flow *f) {
    return 6 * f->roots + f->switches_most + 1;
}

/* Lays out the arrays of the state, then those of the work. */
void ff_flow_lay_out_state(ff_flow *f, ff_arena *a);
void ff_flow_lay_out_work(ff_flow *f, ff_arena *a);
/* Prepares the stepper; `inert` as in ff_stepper_init(); a matrix that is there is used again. FF_NO_MEMORY. What it takes is given back by ff_flow_free(). */
ff_status ff_flow_init(ff_flow *f, const bool *inert);
void ff_flow_free(ff_flow *f);
/* Begins at y and the phase, at time 0, with a first step of about this time. `least` is the shortest step that is begun
 * with after a jump. */
void ff_flow_begin(ff_flow *f, int power, double step, double least);

/* One accepted step that does not pass `until`, or what the last one has left to report. FF_EVENT: now.event was
 * reported. FF_STOPPED: as it was, since somebody wanted that. Failures: FF_TOO_STIFF, FF_STUCK and FF_BAD_VALUE (a function
 * that is held, `blame`), FF_NOT_FINITE (fixed steps), or what `taken` and `rates` say. */
ff_status ff_flow_step(ff_flow *f, double until);

static inline double ff_flow_time(const ff_flow *f) { return ff_clock_now(&f->now.clock); }

/* For jumps: reports an event at this instant. */
void ff_flow_report(ff_flow *f, ff_event_kind kind, int of, bool rejoin);
/* What a step depends on has changed from outside: the next one is as long, and knows no rates. Modes are made to agree. */
ff_status ff_flow_disturb(ff_flow *f);

/* A flow that was laid out and initialised anew goes on where another one is, between two steps. `y_from` tells where a
 * component was there, SIZE_MAX for one that is new: its value and its weight are 0 until the system sets them, its rate is
 * 0. Then the phase is the system's to carry over, and root functions follow, `from` as before. */
void ff_flow_move(ff_flow *f, const ff_flow *old, const size_t *y_from);
void ff_flow_move_roots(ff_flow *f, const ff_flow *old, const size_t *from);

/* Looks at a time within the step last taken, by its interpolant: fills `seen`, and sets `seen_time`; any other time: NAN,
 * the flow's own. */
void ff_flow_observe(ff_flow *f, double time);
/* Components `reads` of y, in their places of `out`, at a part of the step last taken, without what rates leave out. */
void ff_flow_within(ff_flow *f, double theta, ff_reads reads, double *out);
double ff_flow_time_within(const ff_flow *f, double theta);

/* Before a copy of the state is taken, and after one was put back. */
void ff_flow_pack(ff_flow *f);
void ff_flow_unpack(ff_flow *f);
/* Whether a copy that was put where the state is, by anybody, can be a state of this flow: every field of `now` and of the
 * arrays but the phase, which is the system's. To be asked before ff_flow_unpack(). */
bool ff_flow_valid(const ff_flow *f);

/* The next step, by the method that was chosen, is about so long in x; in s where that method runs on plain time alone. */
void ff_flow_go_on(ff_flow *f, double step);

/* ---- what `auto` chooses (choice.c), for flow.c ---- */

/* Steps of dop853 against those of dopri5. */
double ff_choice_longer(double tol);
/* Whether auto can have chosen this method. */
bool ff_choice_possible(const ff_flow *f, ff_method method);
/* A step was tried: counts what it cost besides evaluations. */
void ff_choice_count(ff_flow *f);
/* A whole step was taken, in this time; or one was refused, for the how manieth time. The next may be longer by a factor. */
void ff_choice_taken(ff_flow *f, double taken, double factor);
void ff_choice_refused(ff_flow *f, double factor, int refusals);
/* There is no memory for the matrix of an implicit step. */
void ff_choice_no_room(ff_flow *f);
/* A new stretch begins at a jump; `edge`: the rates are the same before and after it. */
void ff_choice_event(ff_flow *f, bool edge);
/* As ff_flow_valid(). */
bool ff_choice_valid(const ff_flow *f);

/* ---- steps between samples (plan.c), for flow.c and choice.c ---- */

/* A sample was taken, and the steps go on as they were: plans those up to the next one. */
void ff_plan_begin(ff_flow *f);
/* A step was taken whose length error control has chosen, or the next sample; the next may be longer by a factor. One was
 * refused: error control alone goes on up to the next sample. */
void ff_plan_taken(ff_flow *f, double h, double factor);
void ff_plan_refused(ff_flow *f);
/* Something else than a sample has happened: steps up to the next sample say nothing of those after it; or what was
 * learned is of another method. */
void ff_plan_leave(ff_flow *f);
void ff_plan_forget(ff_flow *f);
/* As ff_flow_valid(). */
bool ff_plan_valid(const ff_flow *f);

/* ---- roots (roots.c), for flow.c ---- */

/* Whether the rates bend at a root, but do not jump. */
static inline bool ff_flow_is_edge(const ff_flow *f, size_t root) {
    return f->kinds[root] == FF_ROOT_EDGE || f->kinds[root] == FF_ROOT_KINK;
}

typedef enum ff_search {
    FF_SEARCH_NONE,
    FF_SEARCH_FOUND, /* within the step: its first root */
    FF_SEARCH_NOW    /* at its start: a function that was undecided there agrees nowhere after it */
} ff_search;

/* The first root within the step last tried: of which function, and how far into the step, 0 < theta <= 1. Fills `end`.
 * `but` is the function that the step ends at, or SIZE_MAX. Not `all`: without edges, and without functions that have
 * switched as often as they may. */
ff_search ff_flow_search(ff_flow *f, ff_known known, bool all, size_t but, size_t *root,
                         double *theta);
/* Where a step that was refused passes its first edge, about; 0 where it passes none. */
double ff_flow_edge(ff_flow *f);
/* Ends the step last tried at a root that its interpolant has at theta. False where the root is not reached; the step is
 * shorter all the same. */
bool ff_flow_shorten(ff_flow *f, double theta, size_t root);
/* The slopes that are not known of the functions in `here`, by differences along the rates. */
void ff_flow_slopes_here(ff_flow *f);
/* Whether a function has switched so often at this instant that it is left alone. */
bool ff_flow_exhausted(const ff_flow *f, size_t root);
