/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "flow.h"
#include "grid.h"
#include "num/valid.h"
#include <float.h>
#include <limits.h>
#include <stdint.h>
#include <string.h>

/* ---- making ---- */

void ff_flow_lay_out_state(ff_flow *f, ff_arena *a) {
    FF_TAKE(a, f->y, f->n);
    FF_TAKE(a, f->rates_here, f->n);
    FF_TAKE(a, f->per_weight, f->n);
    FF_TAKE(a, f->phase, f->phase_size);
    FF_TAKE(a, f->roots_here, f->roots);
    FF_TAKE(a, f->changed, f->roots);
    FF_TAKE(a, f->switches, f->roots);
    FF_TAKE(a, f->queue, ff_flow_events_most(f));
}

void ff_flow_lay_out_work(ff_flow *f, ff_arena *a) {
    FF_TAKE(a, f->kinds, f->roots);
    FF_TAKE(a, f->here, f->roots);
    FF_TAKE(a, f->end, f->roots);
    FF_TAKE(a, f->near, f->roots);
    FF_TAKE(a, f->fired, f->roots + 1);
    FF_TAKE(a, f->scratch, f->n);
    FF_TAKE(a, f->stepper_memory, ff_stepper_room(f->n));
    FF_TAKE(a, f->active, f->states);
    FF_TAKE(a, f->last.y, f->n);
    FF_TAKE(a, f->last.phase, f->phase_size);
    FF_TAKE(a, f->seen, f->n);
}

/* dy/dx = dy/dt dt/dx */
static int paced_rates(void *user, double x, const double *y, double *dy) {
    ff_flow *f = user;
    const ff_clock *clock = &f->now.clock;
    int answer = f->system->rates(f->self, ff_clock_time(clock, x), y, dy);
    const double pace = clock->power * ff_power_of(x, clock->power - 1);
    for (size_t i = 0; i < f->n; i++) {
        dy[i] *= pace;
    }
    return answer;
}

/* If x is time itself, the stepper calls the system directly. */
static void set_pace(ff_flow *f) {
    const bool plain = f->now.clock.power == 1;
    f->stepper.rates = plain ? f->system->rates : paced_rates;
    f->stepper.user = plain ? f->self : f;
    /* implicit methods need x to be time */
    f->stepper.jacobian = plain ? f->system->jacobian : NULL;
}

ff_status ff_flow_init(ff_flow *f, const bool *inert) {
    if (f->matrix) {
        ff_sparse_reset(f->matrix, f->rows);
    } else if (f->rows > 0 && !(f->matrix = ff_sparse_create(f->rows))) {
        return FF_NO_MEMORY;
    }
    ff_stepper_init(&f->stepper, f->n, f->states, inert, f->system->rates, f->self,
                    f->stepper_memory, f->matrix, f->active);
    f->now.clock = ff_clock_at(0, 1);
    f->seen_time = NAN;
    f->last.none = true;
    f->longer = ff_choice_longer(f->tol);
    return FF_OK;
}

void ff_flow_free(ff_flow *f) {
    ff_sparse_free(f->matrix);
    f->matrix = NULL;
}

static void set_clock(ff_flow *f, int power, double step) {
    f->now.clock = ff_clock_at(ff_flow_time(f), power);
    f->now.step = ff_method_order(f->now.method) ? ff_root_of(step, power) : f->dt;
    set_pace(f);
}

/* Restarts integration here, with a first step of about this duration. */
static void restart(ff_flow *f, int power, double step) {
    set_clock(f, power, fmax(step, f->now.least));
    f->now.fresh = true;
    ff_plan_leave(f);
}

/* smallest first step, s, of a run of zero duration: short compared with any contact */
#define LEAST_STEP 1e-9

void ff_flow_begin(ff_flow *f, int power, double step, double least) {
    f->now = (ff_flow_now){.clock = ff_clock_at(0, 1),
                           .least = least > 0 ? least : LEAST_STEP,
                           .next = INFINITY,
                           .method = f->method == FF_AUTO ? FF_DOPRI5 : f->method};
    f->stepper.evaluations = 0;
    f->trial.waits = f->trial.made = false;
    f->last.none = true;
    f->seen_time = NAN;
    f->altered = true;
    for (size_t i = 0; i < f->roots; i++) {
        f->changed[i] = NAN;
        f->switches[i] = 0;
    }
    if (f->system->next) {
        f->now.next = f->system->next(f->self, 0);
    }
    if (f->roots > 0) {
        f->system->roots(f->self, 0, f->y, FF_KNOWN_NOTHING, f->here);
    }
    restart(f, power, step);
}

/* Restarts after a jump: auto returns to explicit steps, since stiff components may be gone. */
static void restart_explicit(ff_flow *f, int power, double step, bool edge) {
    ff_choice_event(f, edge);
    restart(f, power, step);
}

void ff_flow_go_on(ff_flow *f, double step) {
    if (f->now.clock.power > 1 && !ff_method_curved(f->now.method)) {
        restart(f, 1, step);
    } else {
        f->now.step = fmax(step, f->now.least);
    }
}

/* ---- jumps ---- */

void ff_flow_report(ff_flow *f, ff_event_kind kind, int of, bool rejoin) {
    f->queue[f->now.queued++] = (ff_event){ff_flow_time(f), kind, of, rejoin};
    f->now.statistics.events++;
}

/* Most switches of one function at one instant. */
enum { SWITCHES_MOST = 2 };

static bool switched_most(const ff_flow *f, size_t root) {
    return f->changed[root] == ff_flow_time(f) && f->switches[root] >= SWITCHES_MOST;
}

bool ff_flow_exhausted(const ff_flow *f, size_t root) {
    return f->kinds[root] != FF_ROOT_MODE && f->kinds[root] != FF_ROOT_USER &&
           switched_most(f, root);
}

static ff_status stuck(ff_flow *f, size_t root) {
    f->blame = root;
    return FF_STUCK;
}

/* Counts the switches of the first functions in `fired`. */
static ff_status count_switches(ff_flow *f, size_t count) {
    const double time = ff_flow_time(f);
    for (size_t k = 0; k < count; k++) {
        size_t root = f->fired[k];
        if (switched_most(f, root)) {
            return stuck(f, root);
        }
        f->switches[root] = f->changed[root] == time ? f->switches[root] + 1 : 1;
        f->changed[root] = time;
    }
    return FF_OK;
}

/* Finds the functions that disagree with the phase at `end`; if none does, those that are about to. One that has switched back
 * already is not about to: whatever it did would stay within its noise. A ball that rises by less than the rounding error of its
 * position has left the ground and come back at the same instant. */
static size_t find_fired(ff_flow *f) {
    size_t count = 0;
    for (int leaving = 0; leaving < 2 && count == 0; leaving++) {
        for (size_t i = 0; i < f->roots; i++) {
            const ff_root *r = &f->end[i];
            bool fires = leaving ? r->leaving && !switched_most(f, i) : ff_root_disagrees(r);
            if (fires && f->kinds[i] != FF_ROOT_HELD && !ff_flow_exhausted(f, i)) {
                f->fired[count++] = i;
            }
        }
    }
    return count;
}

/* Makes the values at `end` the start of the next step. */
static void begin_here(ff_flow *f) {
    ff_root *here = f->here;
    f->here = f->end;
    f->end = here;
}

/* Gives functions without a known course their mean slopes over the last step. */
static void keep_slopes(ff_flow *f, double duration) {
    for (size_t i = 0; i < f->roots; i++) {
        if (f->end[i].course == FF_COURSE_UNKNOWN) {
            f->end[i].slope = (f->end[i].g - f->here[i].g) / duration;
        }
    }
}

/* Handles the root of function `root` (SIZE_MAX: none): the system jumps, and all modes are made to agree with the state,
 * repeatedly if a jump causes further ones. `known`: what is known at y. FF_EVENT if anything happened. */
static ff_status change(ff_flow *f, size_t root, double last, ff_known known) {
    ff_jump jump = {.power = 1, .step = HUGE_VAL, .silent = true};
    size_t count = root != SIZE_MAX, total = 0;
    bool edge = true;
    f->fired[0] = root;
    for (;;) {
        ff_status status = count_switches(f, count);
        if (status < 0) {
            return status;
        }
        for (size_t i = 0; i < count; i++) {
            edge = edge && ff_flow_is_edge(f, f->fired[i]);
        }
        if (count > 0) {
            f->system->jump(f->self, f->fired, count, last, &jump);
            f->altered = true;
            total += count;
        }
        f->system->roots(f->self, ff_flow_time(f), f->y, known, f->end);
        known = FF_KNOWN_ROOTS;
        count = find_fired(f);
        if (count == 0) {
            break;
        }
    }
    begin_here(f);
    if (total == 0) {
        return FF_OK;
    }
    if (jump.silent) {
        f->now.fresh = true;
        return FF_EVENT;
    }
    restart_explicit(f, jump.power, jump.step, edge && jump.power == 1);
    return FF_EVENT;
}

ff_status ff_flow_disturb(ff_flow *f) {
    const ff_clock *clock = &f->now.clock;
    const double last = ff_clock_time(clock, clock->x + f->now.step) - ff_flow_time(f);
    f->now.fresh = true;
    f->altered = true;
    f->last.none = true;
    f->seen_time = NAN;
    if (f->system->next) {
        f->now.next = f->system->next(f->self, ff_flow_time(f));
    }
    ff_status status =
        f->roots > 0 && f->locates ? change(f, SIZE_MAX, last, FF_KNOWN_NOTHING) : FF_OK;
    return status < 0 ? status : FF_OK;
}

/* most events at one instant without progress, in addition to one for each function */
enum { TRIES = 50 };

/* Counts events that follow each other within the resolution of time, and fails a run that makes no progress. As many
 * events may coincide as there are functions that can switch. */
static ff_status watch_progress(ff_flow *f, size_t root) {
    double time = ff_flow_time(f);
    if (time - f->now.moved > 4 * DBL_EPSILON * fabs(time)) {
        f->now.moved = time;
        f->now.stalled = 0;
    }
    return (size_t)++f->now.stalled > TRIES + f->roots ? stuck(f, root)
           : f->now.queued > 0                         ? FF_EVENT
                                                       : FF_OK;
}

/* ---- steps ---- */

static bool finite(const double *y, size_t n) {
    /* two sums, since each addition has to wait for the previous one */
    double even = 0, odd = 0;
    for (size_t i = 0; i + 1 < n; i += 2) {
        even += y[i] - y[i];
        odd += y[i + 1] - y[i + 1];
    }
    return even + odd + (y[n - 1] - y[n - 1]) == 0;
}

/* Counts an accepted step of length h and saves the state before it. */
static void remember(ff_flow *f, double h) {
    f->now.statistics.steps++;
    f->now.statistics.method_steps[f->now.method]++;
    f->last.clock = f->now.clock;
    f->last.step = h;
    f->last.none = false;
    f->last.method = f->now.method;
    memcpy(f->last.y, f->y, f->n * sizeof *f->y);
    if (f->altered) {
        memcpy(f->last.phase, f->phase, f->phase_size);
        f->altered = false;
    }
}

/* Accepts the last step tried. */
static ff_status take(ff_flow *f) {
    const double h = f->stepper.step;
    if (f->carries) {
        ff_stepper_fetch(&f->stepper);
        const int terms = f->stepper.dense_terms;
        f->system->carry(f->self, &(ff_span){&f->now.clock, h, f->y}, 1, f->stepper.y1);
        if (f->stepper.dense_terms != terms) {
            f->known = FF_KNOWN_NOTHING; /* the last evaluation was elsewhere */
        }
    }
    remember(f, h);
    memcpy(f->y, f->stepper.y1, f->n * sizeof *f->y);
    f->now.clock.x += h;
    ff_status status = f->system->taken ? f->system->taken(f->self) : FF_OK;
    if (status < 0) {
        memcpy(f->y, f->last.y, f->n * sizeof *f->y);
        memcpy(f->phase, f->last.phase, f->phase_size);
        f->now.clock = f->last.clock;
        f->now.fresh = true;
        f->last.none = true;
    }
    return status;
}

/* Result of cutting a step that error control has accepted; `BROKEN`: to be tried again with another size. */
typedef enum { WHOLE, SHORTER, BROKEN } cut;

/* Ends the last step tried at its first root, where all other functions agree or are undecided. This may take several
 * iterations, because a shortened step has a slightly different result, within its error. FF_EVENT: `root` is at or past
 * its root at the end of the step. Otherwise, or if the step is interrupted, the next step decides. Roots at the start of
 * the step are handled immediately. An edge that cannot be reached is left to error control.
 *
 * The shorter step is subject to error control, too. Its error may exceed the estimate for the longer step: where a rate is
 * singular at the root, such as the z^(3/2) of a relaxing spring, that estimate nearly vanishes for some positions of the root.
 * `next_step`: size of the next attempt, if broken. */
static ff_status cut_at_roots(ff_flow *f, cut *is, size_t *root, double *next_step) {
    /* each iteration shortens the step; more than a few are needed only if roots lie within rounding of each other */
    enum { TURNS = 50, EDGE_TURNS = 8 };
    /* of a step over which a function could not be bounded, at least this part is tried next */
    const double OPEN_PART = 0.1;
    ff_stepper *s = &f->stepper;
    const double now = ff_flow_time(f), whole = s->step;
    ff_known known = ff_method_ends_last(f->now.method) ? FF_KNOWN_RATES : FF_KNOWN_NOTHING;
    bool reached = false, all = true;
    double error = 0;
    *is = WHOLE;
    for (int turn = 0; turn < TURNS; turn++) {
        ff_crossing next;
        const ff_search found = ff_flow_search(f, known, all, reached ? *root : SIZE_MAX, &next);
        /* a step that is so short that time does not change has no root at its start */
        bool at_start =
            found == FF_SEARCH_NOW ||
            (*is == SHORTER && !(ff_clock_time(&f->now.clock, f->now.clock.x + s->step) > now));
        /* two edges within rounding of each other may take turns for ever */
        bool fails =
            *is == SHORTER && ff_flow_is_edge(f, *root) &&
            (turn > TURNS / 2 || (!reached && (turn > EDGE_TURNS || s->step < 1e-3 * whole)));
        if (all && (fails || (at_start &&
                              ff_flow_exhausted(f, found == FF_SEARCH_NOW ? next.root : *root)))) {
            /* ignore functions that can be left to error control */
            all = reached = false;
            *is = WHOLE;
            error = ff_stepper_try(s, f->now.method, f->now.clock.x, f->y, whole, f->per_weight);
            continue;
        }
        if (at_start) {
            *root = found == FF_SEARCH_NOW ? next.root : *root;
            *is = WHOLE;
            return change(f, *root, 0, FF_KNOWN_NOTHING);
        }
        if (found == FF_SEARCH_OPEN) {
            *is = BROKEN;
            *next_step = s->step * fmax(next.theta, OPEN_PART);
            return FF_OK;
        }
        if (found == FF_SEARCH_NONE) {
            if (*is == SHORTER && !(error <= 1) && s->step > 64 * DBL_EPSILON * f->now.clock.x) {
                *is = BROKEN;
                *next_step = s->step * fmin(ff_method_factor(f->now.method, error), 1);
                return FF_OK;
            }
            return reached ? FF_EVENT : FF_OK;
        }
        *root = next.root;
        *is = SHORTER;
        known = FF_KNOWN_NOTHING;
        reached = next.theta == 1 || ff_flow_shorten(f, &next, &error);
        /* a function that disagrees on the interpolant but not on an actual step requires a shorter step */
        bool phantom = !reached && next.beyond < 1 && !ff_flow_is_edge(f, next.root) &&
                       ff_method_order(f->now.method) > 0;
        if (phantom || !finite(s->y1, f->n)) {
            *is = BROKEN;
            *next_step = 0.1 * whole;
            return FF_OK;
        }
    }
    return stuck(f, *root);
}

/* Whether a function that must not change (FF_ROOT_HELD) disagrees, or is NAN, at the end of the last step tried. */
static bool is_held(ff_flow *f) {
    for (size_t i = 0; i < f->roots; i++) {
        if (f->kinds[i] == FF_ROOT_HELD && !(f->end[i].g <= f->end[i].noise)) {
            f->blame = i;
            return false;
        }
    }
    return true;
}

/* Where a rejected step should end next, as a fraction of it: slightly beyond an edge that it crosses, 0 if it crosses
 * none. The error may be caused by the part beyond the edge; a step up to the edge has a smaller error and locates the root
 * better. */
static double edge_ahead(ff_flow *f) {
    const ff_stepper *s = &f->stepper;
    double theta = finite(s->y1, f->n) ? ff_flow_edge(f) : 0;
    /* an edge at the very start is not a useful target: the step would be too short */
    double time = ff_clock_time(&f->now.clock, f->now.clock.x + theta * s->step);
    return theta > 1e-6 && theta < 0.9 && time > ff_flow_time(f) ? theta : 0;
}

/* Ends a shortened step, in an event or before the root of a grazing contact. */
static ff_status end_short(ff_flow *f, ff_status found, size_t root, double tried, double before) {
    if (!is_held(f)) {
        return FF_BAD_VALUE;
    }
    /* slopes by finite differences were evaluated elsewhere last */
    f->known = f->slopeless ? FF_KNOWN_NOTHING : FF_KNOWN_ROOTS;
    ff_status status = take(f);
    if (status < 0) {
        return status;
    }
    double last = fmax(tried, ff_flow_time(f) - before);
    ff_plan_leave(f);
    if (found == FF_EVENT) {
        /* corrections onto constraints may have moved the bodies */
        status = change(f, root, last, f->now.fresh ? FF_KNOWN_NOTHING : f->known);
    } else {
        begin_here(f);
        restart(f, 1, last);
    }
    return status < 0 ? status : watch_progress(f, root);
}

/* Lets the system do what is due inside the last step tried. True if that has an effect, at now.next. */
static bool interrupted(ff_flow *f) {
    const double end = ff_clock_time(&f->now.clock, f->now.clock.x + f->stepper.step);
    if (!f->system->pass || !(f->system->due(f->self) < end)) {
        return false;
    }
    const double time = f->system->pass(f->self, end);
    f->now.next = fmin(f->now.next, time);
    return time < end;
}

/* Ends the last step tried at now.next, which lies inside it. The step is made again, since interpolation may be less
 * accurate than a step. Roots are not searched for: the longer step has none before its own end; modes are made to agree
 * after `meet`. */
static ff_status end_inside(ff_flow *f) {
    ff_stepper *s = &f->stepper;
    const double h = ff_clock_x(&f->now.clock, f->now.next) - f->now.clock.x;
    f->now.statistics.rejected++;
    ff_stepper_try(s, f->now.method, f->now.clock.x, f->y, h, f->per_weight);
    if (s->answer < 0 || !finite(s->y1, f->n)) {
        return s->answer < 0 ? (ff_status)s->answer : FF_NOT_FINITE;
    }
    f->known = ff_method_ends_last(f->now.method) ? FF_KNOWN_RATES : FF_KNOWN_NOTHING;
    const ff_status status = take(f);
    if (status == FF_OK) {
        ff_stepper_accept(s);
    }
    return status;
}

/* Evaluates the rates at the current state unless they are known. */
static ff_status know_rates(ff_flow *f) {
    ff_stepper *s = &f->stepper;
    if (!f->now.fresh) {
        return FF_OK;
    }
    ff_stepper_start(s, f->now.clock.x, f->y);
    if (s->answer < 0) {
        return (ff_status)s->answer;
    }
    f->now.fresh = false;
    if (f->roots > 0 && f->locates) {
        ff_flow_slopes_here(f);
    }
    return FF_OK;
}

/* Asks the system whether its layout is sufficient for a step of h, which may become shorter. */
static ff_status arrange(ff_flow *f, double *h, const double *to, bool *changed) {
    *changed = false;
    if (!f->arranges) {
        return FF_OK;
    }
    const double time = ff_clock_time(&f->now.clock, f->now.clock.x + *h) - ff_flow_time(f);
    double shorter = time;
    const ff_status status = f->system->arrange(f->self, &shorter, to, changed);
    if (shorter < time) {
        /* time grows with a power of x of at least 1, so this is not too long */
        *h *= shorter / time;
    }
    return status;
}

/* Tries a step. False if it was interrupted, or if it waits to be tried elsewhere. */
static bool try_step(ff_flow *f, double h, double wish, int aimed, int attempt, double *error) {
    ff_stepper *s = &f->stepper;
    ff_flow_trial *t = &f->trial;
    if (!t->elsewhere || f->now.method != FF_DOPRI5) {
        t->waits = false;
        return !ff_stepper_broken(s, f->now.method, f->now.clock.x, f->y, h, f->per_weight, error);
    }
    if (t->made) {
        *error = t->error;
        t->waits = t->made = false;
        ff_stepper_hand_in(s);
        return true;
    }
    *t = (ff_flow_trial){
        .elsewhere = true, .waits = true, .h = h, .wish = wish, .aimed = aimed, .attempt = attempt};
    return false;
}

/* most consecutive steps at the resolution of time that are accepted with too large an error */
enum { FORCED_MOST = 1000 };

/* Makes one accepted step of at most `most` in x, or up to an event. */
static ff_status one_step(ff_flow *f, double most) {
    /* most attempts to end a step at an edge before its size is reduced by the error */
    enum { AIMS = 4 };
    ff_stepper *s = &f->stepper;
    const ff_flow_trial *t = &f->trial;
    /* a trial elsewhere is an attempt that continues */
    f->opened = t->waits ? f->opened : 0;
    const double wish = t->waits ? t->wish : f->now.step;
    int aimed = t->waits ? t->aimed : 0;
    for (int attempt = t->waits ? t->attempt : 0; attempt < 200; attempt++) {
        /* avoid a tiny remaining step caused by rounding */
        double h = most < f->now.step * (1 + 1e-9) ? most : f->now.step, error;
        bool changed;
        ff_status ready = arrange(f, &h, NULL, &changed);
        ready = ready < 0 ? ready : know_rates(f);
        if (ready < 0) {
            return ready;
        }
        if (f->system->attempt) {
            f->system->attempt(f->self, attempt == 0);
        }
        if (!try_step(f, h, wish, aimed, attempt, &error)) {
            return FF_STOPPED;
        }
        if (s->answer == FF_NO_MEMORY && f->method == FF_AUTO &&
            ff_method_implicit(f->now.method)) {
            ff_choice_no_room(f);
            continue;
        }
        if (s->answer < 0) {
            return (ff_status)s->answer;
        }
        const double factor = ff_method_factor(f->now.method, error), before = ff_flow_time(f);
        ff_choice_count(f);
        if (ff_choice_asks_stiffness(f)) {
            ff_stepper_stiffness(s, f->now.method, f->per_weight);
        }
        if (ff_method_fixed(f->now.method) && !finite(s->y1, f->n)) {
            return FF_NOT_FINITE;
        }
        /* A step at the resolution of time cannot be made shorter, so its error is no reason to reject it. This occurs at
         * integrable singularities of laws, such as the lift of a passive clutch at lift-off. */
        const bool forced = !(error <= 1) && isfinite(error) && f->now.clock.power == 1 &&
                            h <= 4 * DBL_EPSILON * f->now.clock.x &&
                            f->now.clock.x + h > f->now.clock.x && f->now.forced < FORCED_MOST;
        f->now.forced = forced                                  ? f->now.forced + 1
                        : h > 64 * DBL_EPSILON * f->now.clock.x ? 0
                                                                : f->now.forced;
        bool broken = !(error <= 1) && !forced;
        if (!broken) {
            ready = arrange(f, &h, s->y1, &changed);
            if (ready < 0) {
                return ready;
            }
            if (changed) {
                most = fmin(most, h);
                continue;
            }
        }
        if (broken) {
            f->not_finite = !isfinite(error);
            double part = f->locates && f->roots > 0 && aimed < AIMS ? edge_ahead(f) : 0;
            aimed += part > 0;
            f->now.step = h * (part > 0 ? part : fmin(factor, 1));
            ff_plan_refused(f);
            if (part == 0) {
                ff_choice_refused(f, factor, attempt + 1 - aimed);
            }
        } else if (f->roots > 0) {
            size_t root = SIZE_MAX;
            cut is;
            double tried = ff_clock_time(&f->now.clock, f->now.clock.x + h) - before;
            ff_status status = cut_at_roots(f, &is, &root, &f->now.step);
            if (status < 0 || (status == FF_EVENT && is == WHOLE)) {
                return status < 0 ? status : watch_progress(f, root);
            }
            if (is == SHORTER && interrupted(f)) {
                return end_inside(f);
            }
            if (is == SHORTER) {
                if (aimed > 0) {
                    /* only the edge made the steps short */
                    f->now.step = fmax(f->now.step, wish);
                    tried = ff_clock_time(&f->now.clock, f->now.clock.x + f->now.step) - before;
                }
                return end_short(f, status, root, tried, before);
            }
            broken = is == BROKEN;
            if (broken) {
                ff_plan_refused(f);
            } else if (!is_held(f)) {
                return FF_BAD_VALUE;
            }
        }
        if (broken) {
            f->now.statistics.rejected++;
            if (f->now.clock.x + f->now.step == f->now.clock.x) {
                return FF_TOO_STIFF;
            }
            continue;
        }
        if (interrupted(f)) {
            return end_inside(f);
        }
        /* the interpolant of dop853 makes evaluations of its own */
        f->known = ff_method_ends_last(f->now.method) &&
                           !(f->now.method == FF_DOP853 && s->dense_terms > 0)
                       ? FF_KNOWN_RATES
                       : FF_KNOWN_NOTHING;
        ff_status status = take(f);
        if (status < 0) {
            return status;
        }
        ff_stepper_accept(s);
        if (f->roots > 0) {
            keep_slopes(f, ff_flow_time(f) - before);
            begin_here(f);
        }
        if (!f->locates) {
            if (f->system->settle && f->system->settle(f->self)) {
                f->now.fresh = f->altered = true;
            }
        } else if (f->now.fresh && f->roots > 0) {
            /* corrections onto constraints have moved the bodies */
            status = change(f, SIZE_MAX, ff_flow_time(f) - before, FF_KNOWN_NOTHING);
            if (status != FF_OK) {
                return status < 0 ? status : FF_EVENT;
            }
        }
        const bool sample = f->now.clock.power == 1 && f->now.clock.x >= f->now.next * (1 - 1e-15);
        /* a step limited by `most` says nothing about the next one */
        if (ff_method_order(f->now.method) && h >= f->now.step * (1 - 1e-8)) {
            /* as dt/dx grows, steps in x must become shorter if their duration is limited */
            double begin = f->last.clock.x, slower = 1;
            if (f->now.clock.power > 1 && begin > h) {
                slower = ff_power_of((begin + h / 2) / (begin + 3 * h / 2), f->now.clock.power - 1);
            }
            f->now.step = h * (forced ? 1 : factor) * slower;
            ff_choice_taken(f, ff_flow_time(f) - before, factor);
            ff_plan_taken(f, h, forced ? 1 : factor);
        } else if (sample) {
            ff_plan_taken(f, h, factor);
        }
        return FF_OK;
    }
    return FF_TOO_STIFF;
}

/* Reports the next event of the queue. */
static ff_status report_next(ff_flow *f) {
    f->now.event = f->queue[f->now.reported++];
    return FF_EVENT;
}

/* Whether something that `pass` does is due by this time. */
static bool is_due(const ff_flow *f, double time) {
    return f->system->due && f->system->due(f->self) <= time;
}

ff_status ff_flow_step(ff_flow *f, double until) {
    f->seen_time = NAN;
    if (f->now.reported < f->now.queued) {
        return report_next(f);
    }
    f->now.queued = f->now.reported = 0;
    f->last.none = true;
    const double before = ff_flow_time(f);
    if (!(before < until)) {
        return FF_OK;
    }
    if (is_due(f, before)) {
        /* an event has ended a step at the time of a sample */
        f->now.next = before;
    }
    double aim = fmin(until, f->now.next), x = ff_clock_x(&f->now.clock, aim);
    const int power = f->now.clock.power;
    ff_status status = FF_OK;
    f->now.clock.mark_x = NAN;
    if (x > f->now.clock.x) {
        const double end = fmin(aim, before + f->longest);
        status = one_step(f, (end < aim ? ff_clock_x(&f->now.clock, end) : x) - f->now.clock.x);
    }
    if (f->now.next < aim) {
        aim = f->now.next;
        x = ff_clock_x(&f->now.clock, aim);
    }
    f->now.statistics.evaluations = f->stepper.evaluations;
    if (ff_method_fixed(f->now.method) && status == FF_OK) {
        const double start = f->now.clock.start;
        f->now.clock.x = start + ff_on_grid(f->now.clock.x - start, f->dt);
    }
    /* with another time transformation x is a different time */
    if (status == FF_OK && f->now.clock.power == power && f->now.clock.x >= x * (1 - 1e-15)) {
        f->now.clock.x = f->now.clock.mark_x = x;
        f->now.clock.mark_time = aim;
        if (aim == f->now.next || is_due(f, aim)) {
            const ff_met met = f->system->meet(f->self);
            f->altered = true;
            f->now.next = f->system->next(f->self, aim);
            f->now.fresh = f->now.fresh || met != FF_MET_NOTHING;
            if (met == FF_MET_CHANGE) {
                restart_explicit(f, 1, aim - before, false);
            }
            if (met != FF_MET_NOTHING && f->locates && f->roots > 0) {
                status = change(f, SIZE_MAX, aim - before, FF_KNOWN_NOTHING);
            }
            if (met == FF_MET_QUIETLY && status == FF_OK) {
                ff_plan_begin(f);
            } else {
                ff_plan_leave(f);
            }
        }
    }
    return status < 0 || status == FF_STOPPED ? status : f->now.queued > 0 ? report_next(f) : FF_OK;
}

/* ---- another layout ---- */

void ff_flow_move(ff_flow *f, const ff_flow *old, const size_t *y_from) {
    double *const from[] = {old->y, old->per_weight, old->rates_here}, *const to[] = {
                                                                           f->y, f->per_weight,
                                                                           f->rates_here};
    f->now = old->now;
    if (!f->now.fresh) {
        ff_stepper_rates(&old->stepper, old->rates_here);
    }
    for (size_t k = 0; k < sizeof from / sizeof *from; k++) {
        for (size_t i = 0; i < f->n; i++) {
            to[k][i] = y_from[i] == SIZE_MAX ? 0 : from[k][y_from[i]];
        }
    }
    ff_stepper_resume(&f->stepper, f->rates_here, old->stepper.evaluations);
    f->last.none = f->altered = true;
    f->seen_time = NAN;
    set_pace(f);
}

void ff_flow_move_roots(ff_flow *f, const ff_flow *old, const size_t *from) {
    for (size_t i = 0; i < f->roots; i++) {
        const size_t was = from[i];
        f->changed[i] = was == SIZE_MAX ? (double)NAN : old->changed[was];
        f->switches[i] = was == SIZE_MAX ? 0 : old->switches[was];
        if (was != SIZE_MAX) {
            f->here[i] = old->here[was];
        } else {
            f->system->root(f->self, ff_flow_time(f), f->y, i, &f->here[i]);
        }
    }
}

/* ---- looking back ---- */

/* Exchanges the current clock with that of the last step; `past` tells the system which phase is valid. */
static void exchange(ff_flow *f) {
    ff_clock kept = f->now.clock;
    f->now.clock = f->last.clock;
    f->last.clock = kept;
    f->past = !f->past;
    set_pace(f);
}

double ff_flow_time_within(const ff_flow *f, double theta) {
    return ff_clock_time(&f->last.clock, f->last.clock.x + theta * f->last.step);
}

/* The interpolant of dop853 needs rates in the phase of that step. They are not counted, so that observing a run does not
 * change it. */
void ff_flow_within(ff_flow *f, double theta, ff_reads reads, double *out) {
    if (f->stepper.dense_terms == 0) {
        const long before = f->stepper.evaluations;
        exchange(f);
        ff_stepper_dense(&f->stepper, f->last.method, f->now.clock.x, f->last.y, f->last.step);
        exchange(f);
        if (f->stepper.evaluations != before) {
            f->known = FF_KNOWN_NOTHING; /* the last evaluation was elsewhere */
        }
        f->stepper.evaluations = before;
    }
    for (int k = 0; k < reads.parts; k++) {
        ff_stepper_part_at(&f->stepper, theta, reads.part[k].from, reads.part[k].count, out);
    }
    if (reads.parts == 0) {
        ff_stepper_at(&f->stepper, theta, out);
    }
}

void ff_flow_observe(ff_flow *f, double time) {
    const ff_clock *clock = &f->last.clock;
    f->seen_time = NAN;
    if (f->last.none || !(time >= ff_clock_now(clock) && time < ff_flow_time(f))) {
        return;
    }
    double theta = (ff_clock_x(clock, time) - clock->x) / f->last.step;
    ff_flow_within(f, theta, (ff_reads){0}, f->seen);
    if (f->carries) {
        f->system->carry(f->self, &(ff_span){clock, f->last.step, f->last.y}, theta, f->seen);
    }
    f->seen_time = time;
}

void ff_flow_tried_at(ff_flow *f, double time, double *out) {
    ff_stepper *s = &f->stepper;
    const ff_clock *clock = &f->now.clock;
    const double theta = (ff_clock_x(clock, time) - clock->x) / s->step;
    ff_stepper_dense(s, f->now.method, clock->x, f->y, s->step);
    ff_stepper_at(s, theta, out);
    if (f->carries) {
        f->system->carry(f->self, &(ff_span){clock, s->step, f->y}, theta, out);
    }
}

/* ---- saving ---- */

void ff_flow_pack(ff_flow *f) {
    memcpy(f->roots_here, f->here, f->roots * sizeof *f->here);
    if (!f->now.fresh) {
        ff_stepper_rates(&f->stepper, f->rates_here);
    }
}

void ff_flow_unpack(ff_flow *f) {
    memcpy(f->here, f->roots_here, f->roots * sizeof *f->here);
    ff_stepper_resume(&f->stepper, f->rates_here, f->now.statistics.evaluations);
    f->last.none = true;
    f->seen_time = NAN;
    f->altered = true;
    set_pace(f);
}

/* ---- validation of a restored state ---- */

static bool valid_method(const ff_flow *f) {
    const ff_method is = f->now.method;
    return f->method != FF_AUTO ? is == f->method : ff_choice_possible(f, is);
}

/* Call after valid_method(). */
static bool valid_clock(const ff_flow *f) {
    const ff_clock *c = &f->now.clock;
    if (c->power < 1 || c->power > 4 || (c->power > 1 && !ff_method_curved(f->now.method)) ||
        !isfinite(c->x) || !isfinite(c->start)) {
        return false;
    }
    /* an unused mark has a time but no x */
    bool mark =
        isnan(c->mark_x) ? !isinf(c->mark_time) : isfinite(c->mark_x) && isfinite(c->mark_time);
    const double now = ff_clock_now(c);
    return mark && c->start >= 0 && c->x >= (c->power == 1 ? c->start : 0) && now >= c->start &&
           isfinite(now);
}

/* Whether counts are not negative and have room to grow. */
static bool valid_statistics(const ff_statistics *s) {
    const long counts[] = {s->steps,    s->rejected, s->evaluations, s->events,
                           s->switches, s->contacts, s->searches,    s->threads};
    bool good = isfinite(s->seconds);
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        good = good && counts[i] >= 0 && counts[i] <= LONG_MAX / 2;
    }
    for (size_t i = 0; i < FF_REASONS; i++) {
        good = good && s->changes[i] >= 0 && s->changes[i] <= LONG_MAX / 2;
    }
    for (size_t i = 0; i < FF_METHODS; i++) {
        good = good && s->method_steps[i] >= 0 && s->method_steps[i] <= LONG_MAX / 2;
    }
    return good;
}

static bool valid_event(const ff_flow *f, const ff_event *e) {
    return e->time >= 0 && e->time <= ff_flow_time(f) && (unsigned)e->kind < FF_EVENT_KINDS &&
           ff_valid_flags(&e->rejoin, 1) && f->system->knows(f->self, e);
}

/* The last reported event; before the first one all its members are 0. */
static bool valid_last_event(const ff_flow *f) {
    const ff_event *e = &f->now.event;
    const bool none =
        e->time == 0 && e->kind == 0 && e->contact == 0 && *(const unsigned char *)&e->rejoin == 0;
    return none || (f->system && valid_event(f, e));
}

/* Call after valid_roots(). The queue must have room for all events that this instant may still report. */
static bool valid_queue(const ff_flow *f) {
    const double now = ff_flow_time(f);
    size_t switched = 0, switches = 0;
    if (f->now.queued > ff_flow_events_most(f) || f->now.reported > f->now.queued) {
        return false;
    }
    for (size_t i = 0; i < f->roots; i++) {
        switched += f->changed[i] == now ? (size_t)f->switches[i] : 0;
    }
    for (size_t i = 0; i < f->now.queued; i++) {
        if (f->queue[i].time != now || !f->system || !valid_event(f, &f->queue[i])) {
            return false;
        }
        switches += f->queue[i].kind == FF_SWITCH;
    }
    return switches <= f->switches_most + switched && f->now.queued - switches <= 2 * switched;
}

static bool valid_roots(const ff_flow *f) {
    const double now = ff_flow_time(f);
    bool good = true;
    for (size_t i = 0; i < f->roots; i++) {
        const ff_root *r = &f->roots_here[i];
        good = good && r->noise >= 0 && r->course <= FF_COURSE_BOUNDED &&
               ff_valid_flags(&r->leaving, 1) && f->switches[i] >= 0 &&
               f->switches[i] <= SWITCHES_MOST &&
               (isnan(f->changed[i]) || (f->changed[i] >= 0 && f->changed[i] <= now));
    }
    return good;
}

/* An account whose scale is infinite may have any error. */
static bool valid_weights(const ff_flow *f) {
    bool good = true;
    for (size_t i = 0; i < f->n; i++) {
        const double per = f->per_weight[i];
        good = good && isfinite(per) && (per > 0 || (per == 0 && i >= f->states));
    }
    return good;
}

bool ff_flow_valid(const ff_flow *f) {
    const ff_flow_now *now = &f->now;
    if (!valid_method(f) || !valid_clock(f)) {
        return false;
    }
    const double time = ff_flow_time(f);
    return now->step > 0 && isfinite(now->step) && now->least > 0 && isfinite(now->least) &&
           now->next > time && now->linear >= 0 && isfinite(now->linear) && now->flops >= 0 &&
           isfinite(now->flops) && ff_choice_valid(f) && ff_plan_valid(f) &&
           ff_valid_flags(&now->fresh, 1) && now->moved >= 0 && now->moved <= time &&
           now->stalled >= 0 && now->stalled <= INT_MAX / 2 && now->forced >= 0 &&
           now->forced <= FORCED_MOST && now->doubtful >= 0 && now->doubtful <= INT_MAX / 2 &&
           valid_statistics(&now->statistics) && valid_roots(f) && valid_queue(f) &&
           valid_last_event(f) && ff_valid_finite(f->y, f->n) &&
           (now->fresh || ff_valid_finite(f->rates_here, f->n)) && valid_weights(f);
}
