/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "flow.h"
#include "num/elementary.h"
#include "num/valid.h"
#include <limits.h>
#include <math.h>

/* How `auto` chooses its method: dopri5, RODAS if stability limits its steps, dop853 if accuracy limits them at tight
 * tolerances. The cost of a step is counted in evaluations of the rates, not timed, and all data for the decision are part
 * of the state: a run makes the same choices on every machine and after a restore.
 *
 * Whether another method pays off is known only after a trial. A trial is made once steps that suggest it have cost about
 * as much as the trial itself, and less and less often after failed trials. So the total cost is always less than about
 * twice that of the better method (the ski rental argument: Karlin and others, Algorithmica 3, 1988). */

/* evaluations per step */
enum { DOPRI5_COST = 6, DOP853_COST = 12 };

/* Of the implicit methods RODAS is the cheapest at equal error, at every tolerance (bench/auto --all). */
#define STIFF_METHOD FF_RODAS

/* RODAS is tried only after ten steps limited by stability, since a short transient looks the same. */
enum { LIMITED_LEAST = 10 * DOPRI5_COST };

/* dopri5 takes over after two steps of dop853 that are too long for the fastest motion. */
enum { STRAINED_LEAST = 2 * DOP853_COST };

/* Budget of a trial of RODAS: 300 evaluations, at least one step, or 16 steps once the run has cost twice that: friction
 * that chatters at a loose tolerance takes a dozen implicit steps to come to rest (scenes/biped.yaml at 1e-3). Budget of a
 * trial of dop853: five steps. */
enum { STIFF_TRIES = 16, STIFF_TRIAL = 300, SMOOTH_TRIAL = 5 * DOP853_COST };

/* After every second failed trial the wait doubles, up to 2^5: failed trials then cost about 5 %, and a change of the
 * motion is still noticed. */
enum { FAILURES_MOST = 10 };

/* Another method than dopri5 is kept while it costs up to a quarter more, because a change has a cost too, and errors are
 * larger at the stability limit, where dopri5 would operate. */
#define MARGIN 1.25

/* Estimating the spectral radius costs as much as all solves of a step, so it is done only in every eighth step. */
enum { RADIUS_EVERY = 8 };

bool ff_choice_possible(const ff_flow *f, ff_method method) {
    return method == FF_DOPRI5 || method == FF_DOP853 || (f->rows > 0 && method == STIFF_METHOD);
}

/* ---- costs ---- */

/* Overhead of a row, in operations: the time of a step of RODAS is then estimated to within a third for dense matrices of 9, 12,
 * 21 and 48 rows (bench/auto). */
enum { PER_ROW = 700 };

/* Floating-point operations of the linear algebra in a step of RODAS with an unknown matrix: rows are assumed to have at most 24
 * entries, as for two touching bodies. */
static double flops_of(size_t rows) {
    const double m = (double)rows, row = fmin(m, 24);
    return 2 * m * row * row / 3 + 7 * 2 * m * row + PER_ROW * m;
}

/* The same from the last step tried, if there was one. */
static double flops(const ff_flow *f) {
    return f->now.flops > 0 ? f->now.flops : flops_of(ff_stepper_rows(&f->stepper));
}

/* Cost of linear algebra and of analytic Jacobians. */
static double linear_cost(const ff_flow *f, double operations) {
    return (f->differences ? 0 : f->jacobian - 1) + operations / (2 * f->evaluation);
}

void ff_choice_count(ff_flow *f) {
    if (!ff_method_implicit(f->now.method) || f->stepper.active_count == 0) {
        return;
    }
    const double solves = ff_stepper_solve_flops(&f->stepper, f->now.method);
    const size_t rows = solves > 0 ? f->stepper.matrix->n : ff_stepper_rows(&f->stepper);
    const double operations = solves + PER_ROW * (double)rows;
    f->now.linear += linear_cost(f, operations);
    f->now.flops = f->now.method == STIFF_METHOD && solves > 0 ? operations : 0;
}

/* Cost of a step of RODAS: six stages, one evaluation in the middle of the step for quadratures, the Jacobian. */
static double implicit_cost(const ff_flow *f) {
    return 6 + (f->n > f->states) + (f->differences ? f->jacobian : 1) + linear_cost(f, flops(f));
}

/* If accuracy limits both, steps of dop853 are longer than those of dopri5 by A^(1/5 - 1/8) for a motion of amplitude A in
 * units of the tolerance; A = 1/(FF_LOCAL_PART tol) for a motion as large as its scale. The factor is fitted to
 * scenes/rolling.yaml at 1e-7 to 1e-11. */
double ff_choice_longer(double tol) { return 0.55 * ff_pow(1 / (FF_LOCAL_PART * tol), 0.075); }

/* dop853 pays off if steady steps are below the stability limit by a factor of at least 1.3, which is the case at tol 3e-8
 * and below. */
static bool dop853_pays(const ff_flow *f) { return f->longer * DOPRI5_COST > 1.3 * DOP853_COST; }

bool ff_choice_asks_stiffness(const ff_flow *f) {
    return f->method == FF_AUTO &&
           (f->now.method == FF_DOP853 ||
            (f->now.method == FF_DOPRI5 && (f->now.choice.failures[1] > 0 || dop853_pays(f))));
}

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

/* Continues with another method than dopri5, with a step of this length in s, or in x if the time transformation is kept. */
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

/* If even the trapezoidal rule would be accurate enough, stability limits a step. In a step limited by accuracy that rule
 * has an error of thousands of tolerances; in a step at the stability limit, where errors of about one tolerance come and
 * go, only a few. Repeated rejection is the other sign: errors that do not decrease as a power of the step are caused by
 * rates that change within a fraction of it. */
static void count_limited(ff_flow *f, double factor, int refusals) {
    ff_choice *c = &f->now.choice;
    const bool limited = (f->stepper.bend < 25 && factor < 2) || refusals > 2;
    /* after a failed trial, try again sooner if all signs agree: the motion that prevented success has decayed */
    const bool sure =
        limited && c->failures[1] > 0 && f->stepper.stiffness > 2.5 && f->stepper.bend < 10;
    /* a longer wait needs a longer memory: with a fixed one the sum would stay below the wait if every fourth step has
     * another sign */
    const double keeps = 1 - ldexp(0.1, -(c->failures[1] / 2));
    c->limited = limited ? c->limited + (sure ? 2 : 1) * DOPRI5_COST : keeps * c->limited;
}

/* Whether steps limited by stability have cost enough for a trial of RODAS. */
static bool has_waited(const ff_flow *f) {
    const ff_choice *c = &f->now.choice;
    return c->limited >= ldexp(fmax(2 * implicit_cost(f), LIMITED_LEAST), c->failures[1] / 2);
}

/* A trial of RODAS begins with a step that is long enough to pay off. Steps also end at events: a step that costs as much
 * as all steps of dopri5 since the last event would hardly be completed before the next. */
static bool try_implicit(ff_flow *f, double taken) {
    if (f->rows == 0 || !has_waited(f)) {
        return false;
    }
    if (f->now.flops == 0 && f->stepper.fold.fewest > 0) {
        /* few rows would pay off: how many are there now? */
        f->now.flops = flops_of(f->system->rows(f->self, ff_flow_time(f), f->y));
        if (!has_waited(f)) {
            return false;
        }
    }
    const double cost = implicit_cost(f);
    const double budget = fmin(STIFF_TRIES * cost, (double)f->stepper.evaluations / 2);
    try_method(f, STIFF_METHOD, FF_REASON_STIFF, taken, fmax(fmax(cost, STIFF_TRIAL), budget),
               1.25 * taken * cost / DOPRI5_COST);
    return true;
}

/* dop853 is tried if events are rare: each costs it about two steps, as much as ten of dopri5 gain. */
static void try_dop853(ff_flow *f, double factor) {
    ff_choice *c = &f->now.choice;
    if (!dop853_pays(f)) {
        return;
    }
    const bool steady = factor > 0.5 && factor < 2 && f->stepper.stiffness < 0.3;
    const int enough = (c->stretch > 20 ? 3 : 10) << c->failures[0] / 2;
    c->smooth = steady ? c->smooth + (c->smooth < INT_MAX / 2) : 0;
    if (c->smooth >= enough) {
        try_method(f, FF_DOP853, FF_REASON_SMOOTH, f->now.step, SMOOTH_TRIAL,
                   0.8 * f->longer * f->now.step);
    }
}

/* ---- steps of another method ---- */

/* Estimates the current step size of dopri5. During steps of dop853 it follows from those. During implicit steps the
 * stability limit is 3.3/rho: if that is twice as long as the steps were, for example because friction slips again, steps
 * of dopri5 would be no shorter than these. */
static void follow(ff_flow *f, double gone) {
    ff_choice *c = &f->now.choice;
    if (f->now.method == FF_DOP853) {
        c->explicit_step = gone / f->longer;
    } else if (f->now.statistics.method_steps[STIFF_METHOD] % RADIUS_EVERY == 0) {
        double stable = 3.3 / ff_stepper_spectral_radius(&f->stepper, f->per_weight);
        c->explicit_step = stable > 2 * c->explicit_step ? fmin(stable, gone) : c->explicit_step;
    }
}

/* Whether steps of dop853 are close to the stability limit. The limit is 6, but above 0.7 a fast motion that has nearly
 * decayed is no longer resolved, and the error estimate misses its effect on the accounts (lugre's damper at tol 1e-12).
 * With 1, scenes/rolling.yaml takes 5 % less and stiff lugre at 1e-11 1.2 instead of 1.8 times the best method, but the final
 * speed of a rolling ball at 1e-10 is off by 3e-12 m/s instead of less than 1e-12. */
static bool is_strained(ff_flow *f) {
    ff_choice *c = &f->now.choice;
    if (f->now.method != FF_DOP853) {
        return false;
    }
    c->limited = f->stepper.stiffness > 0.7 ? c->limited + DOP853_COST : 0.9 * c->limited;
    return c->limited >= STRAINED_LEAST;
}

/* Accounts for a step that advanced x by `gone` (0: rejected), and returns to dopri5 if that would have been cheaper. */
static void weigh(ff_flow *f, double gone, double factor) {
    /* average over about five attempts */
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
    /* A trial ends early with a step that is no shorter than a transient leaves it, unless the next one will be longer.
     * Implicit steps may first have to bring friction that chattered to rest, during which their lengths and errors say
     * little (scenes/biped.yaml at 6e-4): any growth by a quarter counts. */
    if (gone > 0.5 * c->explicit_step && factor < (implicit ? 1.25 : 2)) {
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
    if (f->stepper.fold.fewest > 0) {
        /* the number of rows may change where something begins to stick or slip */
        f->now.flops = 0;
    }
    if (!edge || !ff_method_implicit(f->now.method)) {
        /* An event is no sign of either kind. A step of dopri5 that is too long for fast slip can end in a spurious stick,
         * and the next in a spurious slip, at every step. */
        const double limited = f->now.method == FF_DOPRI5 ? c->limited : 0;
        choose(f, FF_DOPRI5, FF_REASON_EVENT);
        c->limited = limited;
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
