/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* The adaptive driver that integrates a hybrid system. Between jumps a system is y' = f(t, y), with everything discrete
 * fixed in its phase, a flat block of bytes beside y. The flow makes steps under error control, ends them at the first root
 * of the system's root functions and at prescribed times, and lets the system jump there. */

#include "choice.h"
#include "clock.h"
#include "num/arena.h"
#include "ode/stepper.h"
#include "plan.h"

/* ---- what a system is ---- */

/* How the flow treats a root function. */
typedef enum ff_root_kind {
    FF_ROOT_MODE, /* must agree with the phase at the end of every step */
    /* like FF_ROOT_MODE, but after the largest number of switches at one instant it stays unchanged for one step: for a
     * contact that is ignored while its body turns, and that turns the body that way itself */
    FF_ROOT_GATE,
    /* rates are continuous across the root: if the root cannot be reached it is left to error control */
    FF_ROOT_EDGE,
    FF_ROOT_KINK, /* an edge that is not reported: step size and method continue unchanged */
    FF_ROOT_USER, /* an event function of the user */
    FF_ROOT_HELD  /* must not disagree: otherwise the run fails */
} ff_root_kind;

/* What is known of a function between two points of a step at which it agrees with the phase. */
typedef enum ff_course {
    FF_COURSE_UNKNOWN,
    FF_COURSE_SMOOTH, /* its values and slopes at both points tell, as far as it is smooth */
    FF_COURSE_BOUNDED /* the system bounds it (ff_system.most) */
} ff_course;

/* A root function at one instant: positive if it disagrees with the phase, undecided within `noise`, the rounding error of
 * the terms it is computed from. */
typedef struct ff_root {
    double g, noise;
    /* dg/dt of a smooth function; NAN: unknown, found by finite differences. Of one without a known course the mean over the
     * step that ends here, 0 if there is none */
    double slope;
    unsigned char course;
    bool leaving; /* g is 0 within noise, and its rate leads to disagreement */
} ff_root;

static inline bool ff_root_agrees(const ff_root *r) { return r->g < -r->noise; }
static inline bool ff_root_disagrees(const ff_root *r) { return r->g > r->noise; }

/* Requests of a jump. */
typedef struct ff_jump {
    int power;   /* exponent of the time transformation afterwards: the largest one requested */
    double step; /* duration of the first step afterwards, s: the shortest one requested */
    bool silent; /* step size and method continue unchanged */
} ff_jump;

static inline void ff_jump_ask(ff_jump *jump, int power, double step) {
    jump->power = power > jump->power ? power : jump->power;
    jump->step = step < jump->step ? step : jump->step;
    jump->silent = false;
}

/* A part of the last step tried, between two fractions of it in x, a time h apart; and a root function at both. */
typedef struct ff_step_part {
    double from, to, h;
    const ff_root *a, *b;
} ff_step_part;

/* A step, made or tried, from clock->x over h in x. */
typedef struct ff_span {
    const ff_clock *clock;
    double h;
    const double *from; /* y at its start */
} ff_span;

/* The components of y on which something, such as one root function, depends, as a few ranges. */
typedef struct ff_reads {
    struct {
        size_t from, count;
    } part[4];
    int parts; /* 0: all states */
} ff_reads;

/* What a system may already know when root functions are requested: the rates were evaluated there last, or all root
 * functions were evaluated there last, before the jumps that have happened since. */
typedef enum ff_known { FF_KNOWN_NOTHING, FF_KNOWN_RATES, FF_KNOWN_ROOTS } ff_known;

/* What happened at a time at which a step had to end: nothing that the rates depend on; changes that leave step size and
 * method as they are; or changes after which integration restarts. */
typedef enum ff_met { FF_MET_NOTHING, FF_MET_QUIETLY, FF_MET_CHANGE } ff_met;

/* The functions of a system; `self` is the system's own data. Functions that are NULL are not needed. */
typedef struct ff_system {
    /* dy/dt in the phase of the flow, or of its last step while `past`; see ff_rates */
    ff_rates rates;
    /* adds the entries of df/dy over the active states; NULL: finite differences */
    void (*jacobian)(void *self, double t, const double *y, ff_sparse *out);
    /* the number of rows of a folded df/dy (ff_fold); NULL: never folded */
    size_t (*rows)(void *self, double t, const double *y);
    /* Evaluates all root functions at (t, y), or one of them. */
    void (*roots)(void *self, double t, const double *y, ff_known known, ff_root *out);
    void (*root)(void *self, double t, const double *y, size_t which, ff_root *out);
    /* An upper bound, over a part of the last step tried, of a root function with FF_COURSE_BOUNDED. INFINITY: no
     * bound is known over so long a part. */
    double (*most)(void *self, size_t which, const ff_step_part *part);
    /* Finds a function that agrees at both ends of the last step tried and disagrees within it: its index, and a fraction of the
     * step at which it disagrees. `but`: the function at whose root the step ends, SIZE_MAX: none. */
    bool (*inside)(void *self, size_t but, size_t *root, double *theta);
    /* The components that root function `which` depends on; NULL: all states. */
    ff_reads (*reads)(const void *self, size_t which);
    /* Handles all functions that are past their roots at this instant: changes modes and possibly y, and reports events by
     * ff_flow_report(). `last`: duration of the last steps, s. */
    void (*jump)(void *self, const size_t *fired, size_t count, double last, ff_jump *out);
    /* next(): the next time after t at which a step must end. meet(): called there. */
    double (*next)(const void *self, double t);
    ff_met (*meet)(void *self);
    /* due(): the first time, possibly before next(), at which something is to be done that rarely has an effect, such as a
     * sample of an idle controller; at the end of an advance meet() does it. pass(): called with a step that error control
     * has accepted, for all such times before its end; returns the first one at which there is an effect, INFINITY for
     * none. The step is then repeated up to that time, and meet() lets the effect happen. */
    double (*due)(const void *self);
    double (*pass)(void *self, double end);
    /* Adds to `to` what the rates do not include, at the fraction theta of a span. */
    void (*carry)(void *self, const ff_span *span, double theta, double *to);
    /* Checks that the layout of y and of the phase is sufficient for a step of this duration: before it is tried, and at
     * its end `to`. It may shorten the steps of adaptive methods. If `changed` is set, because the step is shorter or there is
     * a new layout (ff_flow_move()), the step is repeated. */
    ff_status (*arrange)(void *self, double *time, const double *to, bool *changed);
    /* Called before a step is tried; `first`: it is not a repetition. */
    void (*attempt)(void *self, bool first);
    /* Called after a step was accepted, before anything happens at its end: keeps accounts and corrects constraints. On
     * failure the step is undone. */
    ff_status (*taken)(void *self);
    /* Without located events: lets modes follow the state. Returns whether any changed. */
    bool (*settle)(void *self);
    /* Whether an event of this kind can belong to this object; used to validate a restored state. */
    bool (*knows)(const void *self, const ff_event *event);
} ff_system;

/* ---- a flow ---- */

/* State of a flow besides its arrays. */
typedef struct ff_flow_now {
    ff_clock clock;
    double step;      /* next step, in x */
    double least;     /* shortest first step after a jump, s */
    double next;      /* next time at which a step must end, s */
    ff_method method; /* method of the next step: chosen by auto, or as requested */
    ff_choice choice; /* data of auto */
    ff_plan plan;     /* steps between controller samples */
    /* operations of the linear algebra of an implicit step of auto, with overheads: of the last one, or estimated if matrices
     * are folded; 0: not known yet */
    double flops;
    /* cost of Jacobians and linear algebra so far, in evaluations that were not counted as such */
    double linear;
    bool fresh;     /* the rates at the current state are not known yet */
    ff_event event; /* the last reported event */
    size_t queued, reported;
    /* time of the last event that was later than its predecessor by more than rounding */
    double moved;
    int stalled; /* number of events since then */
    /* number of steps at the resolution of time that were accepted in spite of their error; and of those that were accepted although a
     * root function had no bound */
    int forced, doubtful;
    ff_statistics statistics;
} ff_flow_now;

/* The last accepted step, which the interpolant covers. */
typedef struct ff_flow_last {
    ff_clock clock; /* at its start */
    double step;    /* length in x */
    bool none;      /* there is no last step */
    ff_method method;
    double *y; /* at its start */
    char *phase;
} ff_flow_last;

/* Steps of dopri5 that the caller of ff_flow_step() tries, for many flows at once. */
typedef struct ff_flow_trial {
    /* set by the caller: ff_flow_step() returns FF_STOPPED where such a step is due */
    bool elsewhere;
    bool waits; /* it has done so: a step of h in x waits to be tried (ff_stepper_hand_out()) */
    bool made;  /* set by the caller, with the error of that step */
    double h, error;
    /* of the step that it belongs to: its first length, attempts to end it at an edge, and attempts */
    double wish;
    int aimed, attempt;
} ff_flow_trial;

typedef struct ff_flow {
    /* set before arrays are laid out */
    const ff_system *system;
    void *self;
    size_t n, states; /* size of y: total, and states without quadratures */
    size_t rows;      /* rows of the matrix of implicit methods; 0: none, and auto stays explicit */
    size_t phase_size; /* bytes of the phase */
    size_t roots;
    /* most events of kind FF_SWITCH at one instant, not counting inputs that are set */
    size_t switches_most;
    ff_method method; /* requested method */
    double tol, dt;
    double longest; /* longest step, s; may be infinite */
    /* cost model of auto: floating-point operations of an evaluation of the rates, and cost of a Jacobian in evaluations */
    double evaluation, jacobian;
    bool differences; /* the Jacobian is computed by evaluations, which are counted */
    /* locate events; otherwise all root functions are FF_ROOT_HELD, and `settle` is called */
    bool locates;
    bool arranges;      /* `arrange` has an effect */
    bool insides;       /* `inside` has an effect */
    bool slopeless;     /* some smooth root functions have no known slopes */
    bool carries;       /* `carry` has an effect */
    bool carries_roots; /* and root functions depend on it */

    /* the state: saved and restored by copying */
    ff_flow_now now;
    double *y;
    double *rates_here; /* dy/dx at y, unless now.fresh; filled in when the state is saved */
    double *per_weight; /* for every component: reciprocal of the allowed error of a step */
    char *phase;
    ff_root *roots_here; /* copy of `here`, filled in when the state is saved */
    double *changed;     /* time of the last switch of each root function */
    int *switches;       /* number of switches at that time */
    ff_event *queue;     /* events at one instant, reported one by one */

    /* work memory */
    unsigned char *kinds; /* of root functions: ff_root_kind */
    /* root functions at the start of the next step, at the end of the last step tried, and near one of these */
    ff_root *here, *end, *near;
    size_t *fired;
    double *scratch, *stepper_memory;
    size_t *active;
    ff_sparse *matrix; /* matrix of implicit methods; NULL if `rows` is 0 */
    ff_stepper stepper;
    ff_flow_trial trial;
    ff_flow_last last;
    ff_known known; /* during `taken`: what is known at y */
    double longer;  /* ratio of steps of dop853 to those of dopri5 at this tolerance */
    int opened;   /* times that a root function without a bound has made the current step shorter */
    bool past;    /* rates are those of the last step */
    bool altered; /* the phase has changed since it was saved */
    size_t blame; /* the root function that caused a failure */
    bool not_finite;  /* the last rejected step had an infinite or NAN error */
    double *seen;     /* y at the observed time */
    double seen_time; /* observed time; NAN: the flow's own time */
} ff_flow;

/* Most events at one instant. A function switches at most twice, and each switch is reported as an event; after each of
 * them, and once more, an input may be set. */
static inline size_t ff_flow_events_most(const ff_flow *f) {
    return 6 * f->roots + f->switches_most + 1;
}

/* Lays out the arrays of the state, then those of the work memory. */
void ff_flow_lay_out_state(ff_flow *f, ff_arena *a);
void ff_flow_lay_out_work(ff_flow *f, ff_arena *a);
/* Initialises the stepper; `inert` as in ff_stepper_init(); an existing matrix is reused. FF_NO_MEMORY. Release with
 * ff_flow_free(). */
ff_status ff_flow_init(ff_flow *f, const bool *inert);
void ff_flow_free(ff_flow *f);
/* Starts at y and the phase, at time 0, with a first step of about this duration. `least`: shortest first step after a
 * jump. */
void ff_flow_begin(ff_flow *f, int power, double step, double least);

/* Makes one accepted step that does not pass `until`, or reports a pending event. FF_EVENT: now.event was reported.
 * FF_STOPPED: interrupted, or a step waits to be tried (ff_flow_trial); nothing changed. Failures: FF_TOO_STIFF,
 * FF_STUCK and FF_BAD_VALUE (a function that must not change, `blame`), FF_NOT_FINITE (fixed steps), or the status
 * of `taken` and `rates`. */
ff_status ff_flow_step(ff_flow *f, double until);

static inline double ff_flow_time(const ff_flow *f) { return ff_clock_now(&f->now.clock); }

/* For jumps: reports an event at the current instant. */
void ff_flow_report(ff_flow *f, ff_event_kind kind, int of, bool rejoin);
/* Tells the flow that something the rates depend on was changed from outside: the step size is kept, the rates are not
 * known, and modes are made to agree. */
ff_status ff_flow_disturb(ff_flow *f);

/* Lets a newly laid out and initialised flow continue from another one, between two steps. `y_from` gives the old position
 * of each component, SIZE_MAX for a new one, whose value, tolerance and rate are 0 until the system sets them. The system
 * then copies the phase and the root functions. */
void ff_flow_move(ff_flow *f, const ff_flow *old, const size_t *y_from);
void ff_flow_move_roots(ff_flow *f, const ff_flow *old, const size_t *from);

/* Observes a time within the last accepted step by interpolation: fills in `seen` and sets `seen_time`; any other time sets
 * NAN, the flow's own time. */
void ff_flow_observe(ff_flow *f, double time);
/* Evaluates the components `reads` of y at a fraction of the last accepted step, at their positions in `out`, without what
 * rates do not include. */
void ff_flow_within(ff_flow *f, double theta, ff_reads reads, double *out);
double ff_flow_time_within(const ff_flow *f, double theta);
/* For `pass`: evaluates y at a time within the last step tried, by interpolation. */
void ff_flow_tried_at(ff_flow *f, double time, double *out);

/* Call before a copy of the state is taken, and after one was restored. */
void ff_flow_pack(ff_flow *f);
void ff_flow_unpack(ff_flow *f);
/* Whether a restored copy can be a state of this flow: checks every member of `now` and the arrays except the phase, which
 * the system checks. Call before ff_flow_unpack(). */
bool ff_flow_valid(const ff_flow *f);

/* Sets the next step of the chosen method, in x; in s if that method needs x to be time. */
void ff_flow_go_on(ff_flow *f, double step);

/* ---- what `auto` chooses (choice.c), for flow.c ---- */

/* Ratio of steps of dop853 to those of dopri5. */
double ff_choice_longer(double tol);
/* Whether auto can have chosen this method. */
bool ff_choice_possible(const ff_flow *f, ff_method method);
/* Counts the cost of a step tried, apart from evaluations. */
void ff_choice_count(ff_flow *f);
/* Whether the choice depends on the stiffness that the last step tried has found. */
bool ff_choice_asks_stiffness(const ff_flow *f);
/* A complete step of this duration was accepted, or one was rejected for the n-th time. The next may be longer by a factor. */
void ff_choice_taken(ff_flow *f, double taken, double factor);
void ff_choice_refused(ff_flow *f, double factor, int refusals);
/* Called if there is no memory for the matrix of an implicit step. */
void ff_choice_no_room(ff_flow *f);
/* Called at the start of integration after a jump; `edge`: rates are continuous across it. */
void ff_choice_event(ff_flow *f, bool edge);
/* Validates the data of auto, see ff_flow_valid(). */
bool ff_choice_valid(const ff_flow *f);

/* ---- steps between samples (plan.c), for flow.c and choice.c ---- */

/* Called after a sample at which steps continue: plans the steps up to the next sample. */
void ff_plan_begin(ff_flow *f);
/* Called after an accepted step whose length was chosen by error control or limited by the next sample; the next may be
 * longer by a factor. After a rejected step, error control alone continues up to the next sample. */
void ff_plan_taken(ff_flow *f, double h, double factor);
void ff_plan_refused(ff_flow *f);
/* Called after anything other than a sample: steps up to the next sample say nothing about later intervals; or if what was
 * learned belongs to another method. */
void ff_plan_leave(ff_flow *f);
void ff_plan_forget(ff_flow *f);
/* Validates the plan, see ff_flow_valid(). */
bool ff_plan_valid(const ff_flow *f);

/* ---- roots (roots.c), for flow.c ---- */

/* Whether the rates have a kink but no jump at a root. */
static inline bool ff_flow_is_edge(const ff_flow *f, size_t root) {
    return f->kinds[root] == FF_ROOT_EDGE || f->kinds[root] == FF_ROOT_KINK;
}

typedef enum ff_search {
    FF_SEARCH_NONE,
    FF_SEARCH_FOUND, /* the first root within the step */
    FF_SEARCH_OPEN,  /* a function could not be bounded over the whole step */
    /* at the start of the step: a function that was undecided there agrees nowhere after it */
    FF_SEARCH_NOW
} ff_search;

/* A root within a step: its function, which has no other one before theta, 0 < theta <= 1. It agrees at `low`, before the root,
 * where its value is g_low, and disagrees at `beyond`; 1 if it disagrees at the end of the step. */
typedef struct ff_crossing {
    size_t root;
    double theta, low, g_low, beyond;
} ff_crossing;

/* Finds the first root within the last step tried. Fills in `end`. `but`: the function at whose root the step ends, or SIZE_MAX.
 * If not `all`: ignores edges and functions that have switched as often as allowed. FF_SEARCH_OPEN: `root` is the function, which
 * has no root before theta. */
ff_search ff_flow_search(ff_flow *f, ff_known known, bool all, size_t but, ff_crossing *out);
/* Approximate position of the first edge that a rejected step crosses; 0 if there is none. */
double ff_flow_edge(ff_flow *f);
/* Ends the last step tried at a root of its interpolant. False if the root is not reached; the step is shorter nevertheless.
 * `error`: of the shorter step, relative to the tolerance. */
bool ff_flow_shorten(ff_flow *f, const ff_crossing *at, double *error);
/* Computes unknown slopes of the functions in `here` by finite differences along the rates. */
void ff_flow_slopes_here(ff_flow *f);
/* Whether a function has switched as often as allowed at this instant. */
bool ff_flow_exhausted(const ff_flow *f, size_t root);
