/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "flow.h"
#include "num/elementary.h"
#include "num/valid.h"
#include <limits.h>
#include <math.h>

/* Which method `auto` takes: dopri5, RODAS where stability limits its steps, dop853 where accuracy does at tight tolerances.
 * The cost of a step is counted in evaluations of the rates, not timed, and all that decides is part of the state: a run
 * makes the same choices on every machine, and after it was restored.
 *
 * Whether another method pays is not known before it was tried. A trial is made once about as much was spent on steps that
 * hint at it as the trial costs, and more and more after each that failed. So whatever comes, what is spent is less than about
 * twice what the better method would have cost (the argument of the ski rental: Karlin and others, Algorithmica 3, 1988). */

/* evaluations of a step */
enum { DOPRI5_COST = 6, DOP853_COST = 12 };

/* Of the implicit methods RODAS is the cheapest at equal error, at every tolerance (bench/auto --all). */
#define STIFF_METHOD FF_RODAS

/* Ten steps are limited by stability before RODAS is tried: a transient of a few looks the same. */
enum { LIMITED_LEAST = 10 * DOPRI5_COST };

/* Two steps of dop853 are too long for the fastest motion before dopri5 takes over. */
enum { STRAINED_LEAST = 2 * DOP853_COST };

/* A trial of RODAS may cost so much, or one step, or 16 steps once the run has cost twice that: friction that chatters at a
 * loose tolerance takes a dozen implicit steps to come to rest (scenes/biped.yaml at 1e-3). A trial of dop853: five steps. */
enum { STIFF_TRIES = 16, STIFF_TRIAL = 300, SMOOTH_TRIAL = 5 * DOP853_COST };

/* Trials that fail wait twice as long after every second, up to 2^5 times: they cost some 5 % then, and a motion that has
 * changed is found out. */
enum { FAILURES_MOST = 10 };

/* Another method than dopri5 is kept while it costs up to a quarter more: to change costs something, too, and errors are
 * larger at the border of stability, where dopri5 would be. */
#define MARGIN 1.25

/* The spectral radius takes as much as all solutions of a step: in every eighth it is cheap. */
enum { RADIUS_EVERY = 8 };

bool ff_choice_possible(const ff_flow *f, ff_method method) {
    return method == FF_DOPRI5 || method == FF_DOP853 || (f->rows > 0 && method == STIFF_METHOD);
}

/* ---- costs ---- */

/* Additions and multiplications of the linear algebra of a step of RODAS, as of the last that was tried. Before the first the
 * structure of the matrix is not known: as if a row had 24 entries at the most, those of two bodies that touch. */
static double flops(const ff_flow *f) {
    const double m = (double)f->stepper.active_count, row = fmin(m, 24);
    return f->now.flops > 0 ? f->now.flops : 2 * m * row * row / 3 + 7 * 2 * m * row;
}

/* Jacobians that are not found by evaluations, and linear algebra. A row has a cost of its own besides: with 700 operations for
 * each the time of a step of RODAS is met within a third for dense matrices of 9, 12, 21 and 48 rows (bench/auto). */
static double linear_cost(const ff_flow *f, double operations) {
    return (f->differences ? 0 : f->jacobian - 1) +
           (operations + 700 * (double)f->stepper.active_count) / (2 * f->evaluation);
}

void ff_choice_count(ff_flow *f) {
    if (!ff_method_implicit(f->now.method) || f->stepper.active_count == 0) {
        return;
    }
    const double operations = ff_stepper_solve_flops(&f->stepper, f->now.method);
    f->now.linear += linear_cost(f, operations);
    f->now.flops = f->now.method == STIFF_METHOD ? operations : 0;
}

/* A step of RODAS: six stages, the middle of the step for quadratures, the Jacobian. */
static double implicit_cost(const ff_flow *f) {
    return 6 + (f->n > f->states) + (f->differences ? f->jacobian : 1) + linear_cost(f, flops(f));
}

/* Where accuracy limits both, steps of dop853 are longer than those of dopri5 by A^(1/5 - 1/8) for a motion of amplitude A in
 * weights; A = 1/(FF_LOCAL_PART tol) of one as large as its scale. The factor is that of scenes/rolling.yaml at 1e-7 to 1e-11. */
double ff_choice_longer(double tol) { return 0.55 * ff_pow(1 / (FF_LOCAL_PART * tol), 0.075); }

/* ---- changes ---- */

static void choose(ff_flow *f, ff_method method, ff_reason why) {
    ff_choice *c = &f->now.choice;
    if (method != f->now.method) {
        f->now.statistics.switches++;
        f->now.statistics.changes[why]++;
        ff_plan_forget(f);
    }
    f->now.method = method;
    c->limited = c->spent = c->gone = c->budget = 0;
    c->smooth = 0;
    c->proved = false;
}

/* Goes on with another method than dopri5, with a step of this length in s, or in x where the clock stays. */
static void try_method(ff_flow *f, ff_method method, ff_reason why, double explicit_step,
                       double budget, double step) {
    choose(f, method, why);
    f->now.choice.explicit_step = explicit_step;
    f->now.choice.budget = budget;
    ff_flow_go_on(f, step);
}

static void go_back(ff_flow *f, ff_reason why, double step) {
    int *failures = &f->now.choice.failures[ff_method_implicit(f->now.method)];
    *failures += *failures < FAILURES_MOST;
    choose(f, FF_DOPRI5, why);
    ff_flow_go_on(f, step);
}

/* ---- steps of dopri5 ---- */

/* Where even the trapezoidal rule would be good enough it is stability that limits a step. A step that accuracy limits is off
 * by thousands of weights in that rule; one at the border of stability, where errors of a weight come and go, by a few. So
 * does a step that is refused again and again: errors that do not shrink as a power of the step are those of rates which
 * change over a part of it. */
static void count_limited(ff_flow *f, double factor, int refusals) {
    ff_choice *c = &f->now.choice;
    const bool limited = (f->stepper.bend < 25 && factor < 2) || refusals > 2;
    /* a trial that failed is made again sooner once all signs agree: what moved then has decayed */
    const bool sure =
        limited && c->failures[1] > 0 && f->stepper.stiffness > 2.5 && f->stepper.bend < 10;
    c->limited = limited ? c->limited + (sure ? 2 : 1) * DOPRI5_COST : 0.9 * c->limited;
}

/* A trial of RODAS begins with a step that is long enough to pay. Steps end at events, too: one that costs as much as all
 * steps of dopri5 since the last event would hardly have the time. */
static bool try_implicit(ff_flow *f, double taken) {
    const ff_choice *c = &f->now.choice;
    const double cost = implicit_cost(f);
    if (f->rows == 0 || c->limited < ldexp(fmax(2 * cost, LIMITED_LEAST), c->failures[1] / 2)) {
        return false;
    }
    const double budget = fmin(STIFF_TRIES * cost, (double)f->stepper.evaluations / 2);
    try_method(f, STIFF_METHOD, FF_REASON_STIFF, taken, fmax(fmax(cost, STIFF_TRIAL), budget),
               1.25 * taken * cost / DOPRI5_COST);
    return true;
}

/* dop853 pays where steady steps are far from the border of stability, by 1.3 at least, which is at tol 3e-8 and below, and
 * where events are rare: each costs it two steps or so, as much as ten of dopri5 gain. */
static void try_dop853(ff_flow *f, double factor) {
    ff_choice *c = &f->now.choice;
    const bool steady = factor > 0.5 && factor < 2 && f->stepper.stiffness < 0.3;
    const int enough = (c->stretch > 20 ? 3 : 10) << c->failures[0] / 2;
    c->smooth = steady ? c->smooth + (c->smooth < INT_MAX / 2) : 0;
    if (f->longer * DOPRI5_COST > 1.3 * DOP853_COST && c->smooth >= enough) {
        try_method(f, FF_DOP853, FF_REASON_SMOOTH, f->now.step, SMOOTH_TRIAL,
                   0.8 * f->longer * f->now.step);
    }
}

/* ---- steps of another method ---- */

/* How long steps of dopri5 would be by now. Those of dop853 tell. While steps are implicit, stability allows for 3.3/rho: where
 * that is twice as long as steps were, since friction slips again, say, those of dopri5 are no shorter than these. */
static void follow(ff_flow *f, double gone) {
    ff_choice *c = &f->now.choice;
    if (f->now.method == FF_DOP853) {
        c->explicit_step = gone / f->longer;
    } else if (f->now.statistics.method_steps[STIFF_METHOD] % RADIUS_EVERY == 0) {
        double stable = 3.3 / ff_stepper_spectral_radius(&f->stepper, f->per_weight);
        c->explicit_step = stable > 2 * c->explicit_step ? fmin(stable, gone) : c->explicit_step;
    }
}

/* Whether steps of dop853 come near the border of stability. That is at 6, but from 0.7 on a fast motion that has nearly
 * decayed is not resolved any more, and the estimate misses what it does to the accounts (lugre's damper at tol 1e-12). */
static bool is_strained(ff_flow *f) {
    ff_choice *c = &f->now.choice;
    c->limited = f->stepper.stiffness > 0.7 ? c->limited + DOP853_COST : 0.9 * c->limited;
    return f->now.method == FF_DOP853 && c->limited >= STRAINED_LEAST;
}

/* A step was tried that led so far in x; 0: it was refused. Back to dopri5 where that would have been cheaper. */
static void weigh(ff_flow *f, double gone, double factor) {
    /* about five attempts count */
    const double keeps = 0.8;
    ff_choice *c = &f->now.choice;
    const bool implicit = ff_method_implicit(f->now.method);
    const double cost = implicit ? implicit_cost(f) : DOP853_COST;
    if (is_strained(f)) {
        go_back(f, FF_REASON_STABILITY, f->now.step / f->longer);
        return;
    }
    c->spent = keeps * c->spent + cost;
    c->gone = keeps * c->gone + gone;
    c->budget = fmax(c->budget - cost, 0);
    if (c->proved && gone > 0) {
        follow(f, gone);
    }
    const bool pays = c->spent * c->explicit_step <= MARGIN * DOPRI5_COST * c->gone;
    if (pays && c->budget == 0 && !c->proved) {
        c->failures[implicit] -= c->failures[implicit] > 0;
        c->proved = true;
    }
    /* a trial is over with a steady step that is not shorter than a transient leaves it, or with one that was refused by so
     * little that the next will be good, and too short */
    const bool steady = gone > 0.5 * c->explicit_step && factor < 2,
               close = gone == 0 && factor > 0.3 && f->now.step > c->explicit_step &&
                       DOPRI5_COST * f->now.step < 0.7 * cost * c->explicit_step;
    if (steady || close) {
        c->budget = 0;
    }
    if (c->budget == 0 && !pays && !(gone > 0 && factor >= 2)) {
        go_back(f, FF_REASON_COST, c->explicit_step);
    }
}

/* ---- for the flow ---- */

void ff_choice_taken(ff_flow *f, double taken, double factor) {
    if (f->method != FF_AUTO) {
        return;
    }
    f->now.choice.steps += f->now.method == FF_DOP853 ? f->longer : 1;
    if (f->now.method != FF_DOPRI5) {
        weigh(f, f->last.step, factor);
        return;
    }
    count_limited(f, factor, 0);
    if (!try_implicit(f, taken)) {
        try_dop853(f, factor);
    }
}

void ff_choice_refused(ff_flow *f, double factor, int refusals) {
    if (f->method != FF_AUTO) {
        return;
    }
    if (f->now.method != FF_DOPRI5) {
        weigh(f, 0, factor);
    } else {
        count_limited(f, factor, refusals);
    }
}

void ff_choice_no_room(ff_flow *f) {
    go_back(f, FF_REASON_COST, f->now.choice.explicit_step);
    f->now.choice.failures[1] = FAILURES_MOST;
}

void ff_choice_event(ff_flow *f, bool edge) {
    ff_choice *c = &f->now.choice;
    if (f->method != FF_AUTO) {
        return;
    }
    c->stretch = 0.7 * c->stretch + 0.3 * c->steps;
    c->steps = 0;
    if (!edge || !ff_method_implicit(f->now.method)) {
        choose(f, FF_DOPRI5, FF_REASON_EVENT);
    }
}

bool ff_choice_valid(const ff_flow *f) {
    const ff_choice *c = &f->now.choice;
    const double sizes[] = {c->limited, c->explicit_step, c->spent,  c->gone,
                            c->budget,  c->steps,         c->stretch};
    bool good = ff_valid_flags(&c->proved, 1) && c->smooth >= 0 && c->smooth <= INT_MAX / 2;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        good = good && sizes[i] >= 0 && isfinite(sizes[i]);
    }
    for (int i = 0; i < 2; i++) {
        good = good && c->failures[i] >= 0 && c->failures[i] <= FAILURES_MOST;
    }
    return good;
}
