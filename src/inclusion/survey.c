/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "inclusion.h"
#include "num/memory.h"
#include "num/valid.h"
#include "parts.h"
#include <stdio.h>
#include <string.h>

/* Steps over which no expression of a file can hide anything (docs/theory.md, Between stages): its tape is run on interval Taylor
 * series. Inputs of the tape are t, states, contact forces and friction forces; forces are given by laws, which have no tape. */

typedef ff_inclusion_survey survey;

/* Fixed steps have no tolerance: what changes a state by a thousandth of its scale counts as missed. An argument that is a function
 * of states may deviate from a polynomial by as much, since what it does is integrated. */
#define ROUGH_TOL 1e-3
/* With fixed steps, which pass over kinks, a hundredth of what a function does in a step does not count: the kink of a ramp that
 * begins anywhere in a step of rk4 makes 1e-3 of that. */
#define STEP_PART 1e-2
/* smallest size of an argument, SI units: as that of a state */
#define LEAST_SIZE 1e-6

/* pieces of dopri5, of dop853, between which auto changes often, and of other methods */
enum { METHODS = 3 };

static bool examines(const survey *s) { return s->timed || s->free; }

/* Arguments and factors are outputs before and after the kinks. */
static size_t size_count(const ff_inclusion *inc) {
    return inc->survey.arguments + inc->def.sgn_count;
}

static size_t force_count(const ff_inclusion *inc) { return inc->def.dio_count + inc->width; }

/* Whether there may be root functions that are expressions. */
static bool watches(const ff_inclusion *inc) {
    bool out = inc->survey.kinks > 0;
    for (size_t i = 0; i < inc->def.dio_count; i++) {
        out = out || !inc->def.dios[i].law.law->gap;
    }
    return out;
}

/* Numbers of a box for each state: its range, and bounds of the magnitudes of its first three Taylor coefficients. */
enum { EDGES = 5 };

/* ---- what is examined ---- */

/* What outputs rely on, if inputs are of these kinds. */
static ff_status rely(const ff_inclusion *inc, ff_input_kind time, ff_input_kind state,
                      ff_input_kind force, unsigned char *kinds, unsigned char *out) {
    const ff_tape *tape = inc->survey.of->tape;
    const size_t count = ff_tape_inputs(tape), states = inc->def.states;
    for (size_t i = 0; i < count; i++) {
        kinds[i] = (unsigned char)(i == 0 ? time : i <= states ? state : force);
    }
    return ff_series_reliance(tape, kinds, out);
}

/* Which outputs are functions of time plus an affine part, and which read states, or forces times functions of time, freely. What is
 * affine in states shows itself at the stages. */
static ff_status classify(ff_inclusion *inc, unsigned char *kinds, unsigned char *by[4]) {
    survey *s = &inc->survey;
    const ff_input_kind none = FF_INPUT_CONSTANT, state = FF_INPUT_STATE, time = FF_INPUT_TIME;
    ff_status status = rely(inc, time, state, state, kinds, by[0]);
    status = status < 0 ? status : rely(inc, time, none, none, kinds, by[1]);
    status = status < 0 ? status : rely(inc, time, state, none, kinds, by[2]);
    status = status < 0 ? status : rely(inc, none, none, state, kinds, by[3]);
    s->timed = s->free = s->pushed = s->clocked = false;
    const size_t n = inc->def.states, rates = s->outputs - n - (inc->def.power != NULL);
    for (size_t i = 0; i < s->outputs && status == FF_OK; i++) {
        const bool kink = i >= s->kinks_at && i < s->kinks_at + s->kinks, power = i >= rates + n,
                   freely = by[0][i] == FF_RELIES_FREELY, timed = by[1][i] != FF_RELIES_NOT,
                   closing = i >= inc->def.dio_count + inc->width;
        unsigned char relies = FF_RELIES_NOT;
        if (timed && !freely) {
            relies = FF_RELIES_ON_TIME;
        } else if (freely && !power && (by[2][i] == FF_RELIES_FREELY || timed)) {
            relies = FF_RELIES_FREELY;
        }
        /* psi tells about its rate */
        relies = kink || (closing && i < s->arguments) ? FF_RELIES_NOT : relies;
        s->clocked = s->clocked || timed;
        s->timed = s->timed || relies == FF_RELIES_ON_TIME;
        s->free = s->free || relies == FF_RELIES_FREELY;
        s->pushed = s->pushed || (relies == FF_RELIES_FREELY && by[3][i] != FF_RELIES_NOT);
        if (s->relies) {
            s->relies[i] = relies;
        }
    }
    return status;
}

ff_status ff_inclusion_survey_prepare(ff_inclusion *inc) {
    survey *s = &inc->survey;
    const ff_equations *of = s->of = ff_equations_behind(&inc->def);
    if (!of) {
        return FF_OK;
    }
    s->arguments = of->contact_count * (1u + of->closes) + of->width;
    s->kinks_at = s->arguments;
    s->kinks = of->kink_count - of->force_kinks;
    s->outputs = s->arguments + s->kinks + of->friction_count + of->state_count + (of->power > 0);
    s->order = -1;
    s->step = s->known = -1;
    const size_t all = ff_tape_outputs(of->tape) + 1, inputs = ff_tape_inputs(of->tape);
    unsigned char *room = ff_malloc(4 * all + inputs + 1);
    if (!room) {
        return FF_NO_MEMORY;
    }
    unsigned char *by[4] = {room, room + all, room + 2 * all, room + 3 * all};
    const ff_status status = classify(inc, room + 4 * all, by);
    ff_free(room);
    return status;
}

void ff_inclusion_survey_lay_out_state(ff_inclusion *inc, ff_arena *a) {
    survey *s = &inc->survey;
    const size_t n = inc->def.states;
    if (examines(s)) {
        FF_TAKE(a, s->sizes, size_count(inc));
        FF_TAKE(a, s->pieces, METHODS);
    }
    if (s->free) {
        FF_TAKE(a, s->boxes, METHODS);
        FF_TAKE(a, s->forces, force_count(inc));
        FF_TAKE(a, s->box_edges, METHODS * (EDGES * n + 2 * force_count(inc)));
    }
    if (s->of && inc->watched > 0 && watches(inc)) {
        FF_TAKE(a, s->around, 1);
        FF_TAKE(a, s->around_edges, n);
        FF_TAKE(a, s->around_values, s->kinks_at + s->kinks);
    }
}

void ff_inclusion_survey_lay_out_work(ff_inclusion *inc, ff_arena *a) {
    survey *s = &inc->survey;
    if (s->of && (examines(s) || (inc->watched > 0 && watches(inc)))) {
        FF_TAKE(a, s->work, ff_series_room(s->of->tape, FF_SERIES_ORDER_MOST));
    }
    if (s->of) {
        FF_TAKE(a, s->relies, s->outputs);
    }
}

static bool numbers(const double *at, size_t count) {
    bool good = true;
    for (size_t i = 0; i < count; i++) {
        good = good && !isnan(at[i]);
    }
    return good;
}

bool ff_inclusion_survey_valid(const ff_inclusion *inc) {
    const survey *s = &inc->survey;
    const size_t n = inc->def.states, each = sizeof(ff_interval) / sizeof(double);
    bool good = true;
    if (s->sizes) {
        good =
            ff_valid_sizes(s->sizes, size_count(inc)) &&
            ff_valid_sizes((const double *)s->pieces, METHODS * sizeof *s->pieces / sizeof(double));
    }
    if (s->boxes) {
        good =
            good &&
            ff_valid_sizes((const double *)s->boxes, METHODS * sizeof *s->boxes / sizeof(double)) &&
            numbers(s->forces, force_count(inc)) &&
            numbers(s->box_edges, METHODS * (EDGES * n + 2 * force_count(inc)));
    }
    if (s->around) {
        good = good && numbers((const double *)s->around, 2) &&
               numbers((const double *)s->around_edges, each * n) &&
               numbers((const double *)s->around_values, each * (s->kinks_at + s->kinks));
    }
    return good;
}

static void note(double *size, const double *values, size_t count) {
    for (size_t i = 0; i < count; i++) {
        size[i] = fmax(size[i], fabs(values[i]));
    }
}

void ff_inclusion_survey_note(ff_inclusion *inc) {
    survey *s = &inc->survey;
    ff_sim *sim = inc->sim;
    if (sim->flow.now.doubtful > 0 && sim->now.unbounded == 0) {
        sim->now.unbounded = fmax(ff_clock_now(&sim->flow.last.clock), FF_SOON);
    }
    if (!examines(s)) {
        return;
    }
    const size_t m = inc->def.dio_count;
    note(s->sizes, inc->psi, m);
    note(s->sizes + m, inc->theta, inc->width);
    note(s->sizes + m + inc->width, inc->psi_rate, s->arguments - m - inc->width);
    note(s->sizes + s->arguments, inc->chi, inc->def.sgn_count);
}

/* ---- runs of the tape ---- */

/* Initialises work memory for an order and returns where inputs go. */
static ff_interval *begin(survey *s, int order) {
    if (s->order != order) {
        ff_series_begin(s->of->tape, order, s->work);
        s->order = order;
    }
    s->step = -1;
    return s->work;
}

void ff_inclusion_survey_renew(ff_inclusion *inc) {
    survey *s = &inc->survey;
    for (size_t k = 0; k < METHODS; k++) {
        if (s->pieces) {
            s->pieces[k].at.to = 0;
        }
        if (s->boxes) {
            s->boxes[k].longest = 0;
        }
    }
}

static const ff_interval *output(const survey *s, size_t i) {
    return ff_series_output(s->of->tape, i, s->order, s->work);
}

static void run(survey *s, size_t groups) {
    for (size_t g = 0; g < groups; g++) {
        ff_series_run(s->of->tape, g, s->order, s->work);
    }
}

/* Forces between two values that stay constant, for all between them. */
static ff_interval *put_forces(ff_inclusion *inc, ff_interval *out, bool known) {
    survey *s = &inc->survey;
    const size_t m = inc->def.dio_count;
    for (size_t i = 0; i < m + inc->width; i++, out += s->order + 1) {
        const double last = i < m ? inc->contact[i] : inc->friction[i - m];
        ff_path_constant(0, s->order, out);
        if (known) {
            out[0] = (ff_interval){fmin(s->forces[i], last), fmax(s->forces[i], last)};
        }
    }
    return out;
}

/* Along the last step tried; up to a group. */
static void run_path(ff_inclusion *inc, const ff_path *p, size_t groups, bool forces) {
    survey *s = &inc->survey;
    const ff_flow *f = &inc->sim->flow;
    ff_interval *out = begin(s, p->order);
    const size_t each = (size_t)p->order + 1;
    memcpy(out, p->rate, each * sizeof *out);
    for (size_t i = 0; i < inc->def.states; i++) {
        double mean = 0, spread = 0;
        if (p->by == FF_PATH_STAGES) {
            spread = ff_course_spread(inc->sim, i, &mean);
        }
        ff_path_state(f, p, i, mean, spread, out += each);
    }
    put_forces(inc, out + each, forces);
    run(s, groups);
}

/* ---- functions of time ---- */

static double tolerance(const ff_inclusion *inc) {
    return ff_method_order(inc->sim->flow.now.method) > 0 ? inc->sim->options.tol : ROUGH_TOL;
}

/* How much output i may hide, and whether it is integrated. `part`: duration of a step in the unit of the variable. */
static double room_of(const ff_inclusion *inc, size_t i, bool rough, bool *integrated) {
    const survey *s = &inc->survey;
    const double tol = tolerance(inc), *y = inc->sim->flow.y;
    const size_t factors = s->kinks_at + s->kinks, rates = factors + inc->def.sgn_count;
    *integrated = i >= rates;
    if (i >= rates) {
        const size_t k = i - rates, at = k < inc->def.states ? k : inc->work_at;
        return tol * fmax(inc->scales[at], at == k ? fabs(y[at]) : 0);
    }
    const double size = s->sizes[i < s->arguments ? i : s->arguments + i - factors];
    return (rough ? ROUGH_TOL : tol) * fmax(size, LEAST_SIZE);
}

/* Whether the gap of a law without its own is open: it acts at its root, which is bounded, and nowhere else. */
static bool is_open(const ff_inclusion *inc, size_t i) {
    const ff_dio *dio = &inc->dios[i];
    return inc->sim->flow.locates && dio->jumps && !dio->law.law->rest &&
           !inc->phases[0].above[dio->gap];
}

/* Longest step over which outputs of a class show everything. */
static double longest_of(ff_inclusion *inc, ff_quadrature q, unsigned char relies, double per) {
    survey *s = &inc->survey;
    const ff_flow *f = &inc->sim->flow;
    double most = HUGE_VAL;
    for (size_t i = 0; i < s->outputs; i++) {
        bool integrated;
        if (s->relies[i] != relies || (i < inc->def.dio_count && is_open(inc, i))) {
            continue;
        }
        double room = room_of(inc, i, relies == FF_RELIES_FREELY, &integrated);
        if (integrated && i == s->outputs - 1 && inc->def.power && inc->work_at == inc->size) {
            /* no accounts */
            continue;
        }
        const ff_interval *c = output(s, i);
        if (ff_method_order(f->now.method) == 0) {
            /* scales do not follow states: what a step changes counts as well */
            room = fmax(room, STEP_PART * ff_interval_magnitude(c[0]) * (integrated ? f->dt : 1));
        }
        const double longest =
            ff_quadrature_longest(c, q, integrated ? room / per : room, integrated);
        if (longest < most) {
            most = longest;
            s->worst = i;
        }
    }
    return most;
}

/* The last time before the next switch after t: what a switch does is known to the author, also where steps pass over it. */
static double brink_of(const ff_inclusion *inc, double t) {
    double next = INFINITY;
    for (size_t i = 0; i < inc->def.switch_count; i++) {
        next = inc->def.switches[i] > t ? fmin(next, inc->def.switches[i]) : next;
    }
    return nextafter(next, -INFINITY);
}

static double longest_within(void *self, double from, double to) {
    ff_inclusion *inc = self;
    survey *s = &inc->survey;
    const ff_quadrature q = ff_quadrature_of(&inc->sim->flow);
    ff_interval *out = begin(s, q.order);
    const double brink = brink_of(inc, from);
    ff_path_constant(from, q.order, out);
    out[0].hi = fmax(fmin(to, brink), from);
    out[1] = ff_interval_of(1);
    for (size_t i = 0; i < inc->def.states; i++) {
        ff_path_constant(0, q.order, out += q.order + 1);
    }
    put_forces(inc, out + q.order + 1, false);
    run(s, FF_GROUP_RATES + 1);
    return longest_of(inc, q, FF_RELIES_ON_TIME, 1);
}

static void name_output(const ff_inclusion *inc, size_t i, char *out, size_t size) {
    const survey *s = &inc->survey;
    const size_t m = inc->def.dio_count, factors = s->kinks_at + s->kinks,
                 rates = factors + inc->def.sgn_count;
    if (i >= rates) {
        const size_t k = i - rates;
        snprintf(out, size, k < inc->def.states ? "the rate of %s" : "the power",
                 k < inc->def.states ? inc->def.names[k] : "");
    } else if (i >= factors) {
        snprintf(out, size, "the factor of %s", inc->sgns[i - factors].name);
    } else if (i < m) {
        snprintf(out, size, "psi of %s", inc->dios[i].name);
    } else {
        snprintf(out, size, "theta or a rate of psi");
    }
}

static ff_status survey_time(ff_inclusion *inc, double *time) {
    /* steps, so that finding a piece, some dozen runs of the tape on series, costs little more than one of these */
    enum { KEPT = 32 };
    survey *s = &inc->survey;
    ff_sim *sim = inc->sim;
    const ff_method method = sim->flow.now.method;
    const bool fixed = ff_method_order(method) == 0;
    const double t = ff_flow_time(&sim->flow), brink = brink_of(inc, t),
                 want = fmin(*time, brink - t);
    if (!s->timed || (fixed && sim->now.unresolved > 0) || !(want > 0)) {
        return FF_OK;
    }
    ff_inclusion_piece *piece = &s->pieces[method == FF_DOPRI5 ? 0 : method == FF_DOP853 ? 1 : 2];
    ff_survey *at = &piece->at;
    /* a piece on which steps are shorter than wanted is kept for some of them, unless it was found for shorter ones */
    if (at->method != (double)method || t + fmin(want, at->longest) > at->to ||
        (want > at->longest && (want > 2 * piece->want || t > piece->from + KEPT * at->longest))) {
        piece->from = t;
        piece->want = want;
        /* a jump is crossed by one short step, a pole is not */
        if (!ff_quadrature_survey(method, t, want, longest_within, inc, at) &&
            !(longest_within(inc, t + 1e-3 * at->longest, t + at->longest) > 0)) {
            char name[160];
            name_output(inc, s->worst, name, sizeof name);
            at->to = 0;
            snprintf(sim->error, sizeof sim->error,
                     "%s has no bound near t = %.9g, such as at a pole", name, t);
            return FF_BAD_VALUE;
        }
        /* beyond a switch nothing was examined */
        at->to = fmin(at->to, brink);
    }
    const double longest = fmin(at->longest, at->to - t);
    if (longest < want && fixed) {
        sim->now.unresolved = fmax(t, FF_SOON);
    } else if (longest < want) {
        *time = longest;
    }
    return FF_OK;
}

/* ---- functions that read states ---- */

/* Whether all kinks keep their sides. */
static bool decided(const survey *s) {
    bool out = true;
    for (size_t k = 0; k < s->kinks && out; k++) {
        const ff_interval x = output(s, s->kinks_at + k)[0];
        out = !(x.lo < 0 && x.hi > 0);
    }
    return out;
}

/* Forces at the end of the step, as its rates have left them. */
static void find_forces(ff_inclusion *inc, double time, const double *to) {
    const ff_flow *f = &inc->sim->flow;
    if (!ff_method_ends_last(f->now.method) || f->stepper.answer != 0) {
        ff_inclusion_evaluate(inc, &inc->phases[0], ff_flow_time(f) + time, to);
    }
}

static void keep_forces(ff_inclusion *inc) {
    const size_t m = inc->def.dio_count;
    memcpy(inc->survey.forces, inc->contact, m * sizeof *inc->contact);
    memcpy(inc->survey.forces + m, inc->friction, inc->width * sizeof *inc->friction);
}

/* The cubic through both ends of the step: magnitudes of its coefficients after the value. */
static inline void cubic_of(const ff_flow *f, size_t i, double by[3]) {
    const ff_stepper *s = &f->stepper;
    const double rise = s->y1[i] - f->y[i], first = s->step * s->k[0][i],
                 last = s->step * s->k[6][i];
    by[0] = fabs(first);
    by[1] = fabs(3 * rise - 2 * first - last);
    by[2] = fabs(first + last - 2 * rise);
}

static double *edges_of(const ff_inclusion *inc, const ff_inclusion_box *box) {
    const survey *s = &inc->survey;
    return s->box_edges +
           (size_t)(box - s->boxes) * (EDGES * inc->def.states + 2 * force_count(inc));
}

static double force_at(const ff_inclusion *inc, size_t i) {
    const size_t m = inc->def.dio_count;
    return i < m ? inc->contact[i] : inc->friction[i - m];
}

/* Whether the last step tried, over a time h, is in a box. */
static bool is_inside(const ff_inclusion *inc, const ff_inclusion_box *box, double h) {
    const survey *s = &inc->survey;
    const ff_flow *f = &inc->sim->flow;
    const double t = ff_flow_time(f), *e = edges_of(inc, box);
    if (box->method != (double)f->now.method || !(t >= box->from) || t + h > box->to ||
        h > box->longest) {
        return false;
    }
    const double h2 = h * h, h3 = h2 * h;
    for (size_t i = 0; i < inc->def.states; i++, e += EDGES) {
        double by[3];
        cubic_of(f, i, by);
        const double way = by[0] + by[1] + by[2], y = f->y[i];
        if (!(y - way >= e[0] && y + way <= e[1] && way + by[1] + 2 * by[2] <= e[2] * h &&
              by[1] + 3 * by[2] <= e[3] * h2 && by[2] <= e[4] * h3)) {
            return false;
        }
    }
    for (size_t i = 0; i < force_count(inc) && s->pushed; i++, e += 2) {
        const double last = force_at(inc, i);
        if (!(fmin(last, s->forces[i]) >= e[0] && fmax(last, s->forces[i]) <= e[1])) {
            return false;
        }
    }
    return true;
}

/* The largest of all contact forces, or of all friction forces, that begin at i. */
static double largest_force(const ff_inclusion *inc, size_t i) {
    const size_t m = inc->def.dio_count, end = i < m ? m : force_count(inc);
    double most = 0;
    for (; i < end; i++) {
        most = fmax(most, fmax(fabs(inc->survey.forces[i]), fabs(force_at(inc, i))));
    }
    return most;
}

/* A box for steps like the last one tried, over a time h, and the next ones: paths may have 4, 8 and 16 times its
 * derivatives, and those that change the rates within the length of the box; movements below the tolerance do not end it. Returns whether that step hides nothing in it. */
static bool find_box(ff_inclusion *inc, ff_quadrature q, double h, ff_inclusion_box *box) {
    survey *s = &inc->survey;
    const ff_flow *f = &inc->sim->flow;
    const double t = ff_flow_time(f), reach = box->reach;
    double *e = edges_of(inc, box);
    const size_t each = (size_t)q.order + 1;
    ff_interval *out = begin(s, q.order);
    box->from = t;
    box->to = s->clocked ? t + reach * h : HUGE_VAL;
    box->method = (double)f->now.method;
    /* in units of h */
    ff_path_constant(t, q.order, out);
    out[0].hi = t + reach * h;
    out[1] = ff_interval_of(h);
    for (size_t i = 0; i < inc->def.states; i++, e += EDGES) {
        double by[3];
        cubic_of(f, i, by);
        const double first = 4 * fmax(by[0] + 2 * by[1] + 3 * by[2],
                                      inc->sim->options.tol * inc->scales[i]),
                     second = fmax(8 * (by[1] + 3 * by[2]), first / reach),
                     third = fmax(16 * by[2], first / (reach * reach)), way = first * reach;
        const double most[3] = {first, second, third};
        out += each;
        ff_path_constant(0, q.order, out);
        out[0] = ff_path_within(f->y[i], way);
        for (int k = 1; k <= 3 && k <= q.order; k++) {
            out[k] = (ff_interval){-most[k - 1], most[k - 1]};
        }
        e[0] = out[0].lo;
        e[1] = out[0].hi;
        e[2] = first / h;
        e[3] = second / (h * h);
        e[4] = third / (h * h * h);
    }
    out = put_forces(inc, out + each, false) - force_count(inc) * each;
    double size = 0;
    for (size_t i = 0; i < force_count(inc) && s->pushed; i++, out += each, e += 2) {
        if (i == 0 || i == inc->def.dio_count) {
            size = 2 * largest_force(inc, i);
        }
        out[0] = (ff_interval){-size, size};
        e[0] = -size;
        e[1] = size;
    }
    run(s, FF_GROUP_RATES + 1);
    box->longest = h * longest_of(inc, q, FF_RELIES_FREELY, h);
    return box->longest >= h;
}

/* Whether the last step tried is in a box, an old one or a new one. */
static bool is_boxed(ff_inclusion *inc, ff_quadrature q, double h) {
    /* lengths of boxes, in steps: each costs as much as the examination of one step; and a pause after failures */
    const double FIRST = 16, LEAST = 2, MOST = 256, PAUSE = 32;
    const ff_flow *f = &inc->sim->flow;
    const ff_method method = f->now.method;
    ff_inclusion_box *box = &inc->survey.boxes[method == FF_DOPRI5   ? 0
                                               : method == FF_DOP853 ? 1
                                                                     : 2];
    if (f->now.clock.power > 1) {
        return false;
    }
    if (is_inside(inc, box, h)) {
        return true;
    }
    if (box->pause > 0) {
        box->pause--;
        return false;
    }
    box->reach = box->reach > 0 ? box->reach : FIRST;
    if (find_box(inc, q, h, box)) {
        /* much longer steps would be possible: so is a longer box */
        box->reach = fmin(box->longest >= 4 * h ? 2 * box->reach : box->reach, MOST);
        return true;
    }
    box->longest = 0;
    box->pause = box->reach > LEAST ? 0 : PAUSE;
    box->reach = fmax(box->reach / 4, LEAST);
    return false;
}

/* After a step: the rates along the cubic through both of its ends. A step in which a kink changes its side is examined only up to
 * there: it will end at the kink. */
static bool examine_step(ff_inclusion *inc, double *time, const double *to) {
    enum { HALVINGS = 30, FEW = 5 };
    const double LEAST_PART = 0.1;
    survey *s = &inc->survey;
    ff_sim *sim = inc->sim;
    const bool fixed = ff_method_order(sim->flow.now.method) == 0;
    const ff_quadrature q = ff_quadrature_of(&sim->flow);
    const double h = *time;
    double part = 1;
    bool short_of = false;
    ff_stepper_fetch(&sim->flow.stepper);
    if (s->pushed) {
        find_forces(inc, h, to);
    }
    if (is_boxed(inc, q, h)) {
        return true;
    }
    for (int turn = 0; turn < HALVINGS; turn++, part /= 2) {
        ff_path p = ff_path_of(&sim->flow, 0, part, 0);
        p.by = FF_PATH_CUBIC;
        if (s->kinks > 0) {
            run_path(inc, &p, FF_GROUP_ARGUMENTS + 1, false);
            if (!decided(s) && part > LEAST_PART) {
                continue;
            }
            if (!decided(s)) {
                /* it slides along the kink, or ends there soon */
                break;
            }
        }
        /* the highest derivatives are rarely needed, since something else makes the steps short */
        bool shows = false;
        for (int order = q.order > FEW ? FEW : q.order; !shows; order = q.order) {
            p = ff_path_of(&sim->flow, 0, part, order);
            p.by = FF_PATH_CUBIC;
            run_path(inc, &p, FF_GROUP_RATES + 1, s->pushed);
            shows = longest_of(inc, (ff_quadrature){order, q.kappa}, FF_RELIES_FREELY, h) >= part;
            if (order == q.order) {
                break;
            }
        }
        if (shows) {
            if (short_of) {
                *time = part * h;
            }
            return !short_of;
        }
        if (fixed) {
            sim->now.unresolved = fmax(ff_flow_time(&sim->flow), FF_SOON);
            return true;
        }
        short_of = true;
    }
    /* a singularity at a point of the path is left to error control */
    return true;
}

static bool survey_step(ff_inclusion *inc, double *time, const double *to) {
    const survey *s = &inc->survey;
    const ff_sim *sim = inc->sim;
    if (!s->free || (ff_method_order(sim->flow.now.method) == 0 && sim->now.unresolved > 0)) {
        return true;
    }
    const bool good = examine_step(inc, time, to);
    if (good && s->pushed) {
        keep_forces(inc);
    }
    return good;
}

ff_status ff_inclusion_survey_arrange(void *self, double *time, const double *to, bool *changed) {
    ff_inclusion *inc = self;
    *changed = false;
    if (to) {
        *changed = !survey_step(inc, time, to);
        return FF_OK;
    }
    return survey_time(inc, time);
}

/* ---- root functions ---- */

/* The output of the tape that root function `which` is, up to its sign; SIZE_MAX: none. A gap that is linear in states is as smooth
 * as they are, and its course is told by its slopes; at rest it stays at 0, where no bound tells anything. */
static size_t output_of(const ff_inclusion *inc, size_t which) {
    const survey *s = &inc->survey;
    const ff_inclusion_root *root = &inc->roots[which];
    return !s->of                                         ? SIZE_MAX
           : root->of == FF_OF_USER && root->i < s->kinks ? s->kinks_at + root->i
           : root->of == FF_OF_GAP && inc->dios[root->i].jumps &&
                   s->relies[root->i] != FF_RELIES_NOT
               ? root->i
               : SIZE_MAX;
}

bool ff_inclusion_survey_bounds(const ff_inclusion *inc, size_t root) {
    return output_of(inc, root) != SIZE_MAX;
}

/* Finds the ranges of arguments around the last step tried, unless it stays where they are known. A new region is eight times as
 * long as the step. */
static void look_around(ff_inclusion *inc) {
    enum { REACH = 8 };
    survey *s = &inc->survey;
    const ff_flow *f = &inc->sim->flow;
    const double t = ff_flow_time(f),
                 h = ff_clock_time(&f->now.clock, f->now.clock.x + f->stepper.step) - t;
    const size_t n = inc->def.states;
    bool inside = t >= s->around->from && t + h <= s->around->to;
    for (size_t i = 0; i < n && inside; i++) {
        double mean;
        const double spread = ff_course_spread(inc->sim, i, &mean), way = h * (fabs(mean) + spread),
                     y = f->y[i];
        inside = y - way >= s->around_edges[i].lo && y + way <= s->around_edges[i].hi;
    }
    if (inside) {
        return;
    }
    ff_interval *out = begin(s, 0);
    *s->around = (ff_inclusion_around){t, s->clocked ? t + REACH * h : HUGE_VAL};
    *out++ = (ff_interval){t, t + REACH * h};
    for (size_t i = 0; i < n; i++) {
        double mean;
        const double spread = ff_course_spread(inc->sim, i, &mean),
                     way = REACH * h * (fabs(mean) + spread);
        *out++ = s->around_edges[i] = ff_path_within(f->y[i], way);
    }
    put_forces(inc, out, false);
    run(s, FF_GROUP_ARGUMENTS + 1);
    for (size_t i = 0; i < s->kinks_at + s->kinks; i++) {
        s->around_values[i] = output(s, i)[0];
    }
}

double ff_inclusion_survey_most(void *self, size_t which, const ff_step_part *part) {
    ff_inclusion *inc = self;
    survey *s = &inc->survey;
    ff_flow *f = &inc->sim->flow;
    const size_t i = output_of(inc, which);
    const bool gap = inc->roots[which].of == FF_OF_GAP, above = inc->phases[0].above[which],
               side = gap ? above : !above,
               whole = part->from == 0 && part->to == 1 && f->stepper.dense_terms == 0 &&
                       f->now.clock.power == 1;
    double most = HUGE_VAL;
    ff_stepper_fetch(&f->stepper);
    if (whole && s->known != f->stepper.tries) {
        look_around(inc);
        s->known = f->stepper.tries;
    }
    if (whole) {
        const ff_interval x = s->around_values[i];
        most = side ? x.hi : -x.lo;
    }
    for (int turn = whole ? 0 : 1; turn < 2 && most > part->a->noise; turn++) {
        if (turn > 0 || s->step != f->stepper.tries) {
            ff_path p = ff_path_of(f, part->from, part->to, FF_PATH_ORDER);
            p.by = turn == 0 ? FF_PATH_STAGES : FF_PATH_DENSE;
            if (turn > 0) {
                ff_stepper_dense(&f->stepper, f->now.method, f->now.clock.x, f->y, f->stepper.step);
            }
            run_path(inc, &p, FF_GROUP_ARGUMENTS + 1, false);
            s->step = turn == 0 ? f->stepper.tries : -1;
        }
        most = ff_path_bound_side(output(s, i), side, part);
    }
    return most;
}
