/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "lane.h"
#include "body/vector.h"
#include "num/elementary.h"
#include <float.h>
#include <math.h>
#include <string.h>

/* Control of single lanes: events, flights, start and end (docs/theory.md, Lanes). */

static const ff_slot *slot_of(const ff_lane *lane) { return &lane->sim->reduced->slots[0]; }

static double time_of(const ff_lane_block *b, int l, double x) {
    const int power = (int)b->power[l];
    const double since = ff_power_of(fabs(x), power);
    return power == 1 ? x : b->start[l] + (x < 0 ? -since : since);
}

/* Whether a step of h in x is within the rounding error of time. */
static bool stands_still(const ff_lane_block *b, int l, double h) {
    const double now = time_of(b, l, b->x[l]);
    return !(time_of(b, l, b->x[l] + h) - now > DBL_EPSILON * fabs(now));
}

/* ---- laws ---- */

/* Evaluates both laws of the contact at six states. The answer is valid until the next call. */
static const ff_pair_answer *answer(ff_lane *lane, const ff_lane_block *b, int l,
                                    const double v[FF_LANE_STATES]) {
    const ff_slot *slot = slot_of(lane);
    const double z = v[FF_LANE_Z], u[3] = {v[FF_LANE_U], v[FF_LANE_U + 1], 0};
    const ff_normal_query q = {z > 0 || lane->mode == FF_FREE ? z : 0, v[FF_LANE_W], &b->latched[l],
                               lane->mode == FF_LOADED};
    ff_pair_answer *out = &lane->at;
    if (slot->slides) {
        lane->slide.v[0] = v[FF_LANE_S];
        lane->slide.v[1] = v[FF_LANE_S + 1];
        lane->slide.u = u;
        slot->both(&slot->law, &slot->friction, &q, &lane->slide, out);
        lane->slide.u = NULL;
    } else {
        ff_normal_answer n = {0};
        slot->law.respond(&slot->law, &q, &n);
        out->force = n.force;
        out->grade = n.grade;
        out->hold = n.hold;
    }
    return out;
}

/* Excess of friction over the threshold at which it slips, or over the kink of a law that bends. */
static double excess_at(ff_lane *lane, const ff_lane_block *b, int l,
                        const double v[FF_LANE_STATES]) {
    if (ff_slot_bends(slot_of(lane))) {
        const ff_friction *law = &slot_of(lane)->friction;
        lane->slide.v[0] = v[FF_LANE_S];
        lane->slide.v[1] = v[FF_LANE_S + 1];
        return law->law->bend(law, &lane->slide);
    }
    return answer(lane, b, l, v)->excess;
}

static double level_of(const ff_lane_laws *laws, const ff_pair_answer *at) {
    return laws->graded == 2 ? at->grade : at->force > 0 ? at->force : 0;
}

/* A root function, positive where it disagrees with the mode of the lane. For the clamp the depth decides: where z
 * falls to 0, `hold` falls to 0 too, and its sign there is only rounding. */
static double disagreement(ff_lane *lane, const ff_lane_block *b, int l, ff_lane_root root,
                           const double v[FF_LANE_STATES]) {
    if (root == FF_LANE_GAP) {
        return -v[FF_LANE_Z];
    }
    if (root == FF_LANE_HOLD) {
        const ff_normal *law = &slot_of(lane)->law;
        const double z = v[FF_LANE_Z] > b->noise[l] ? v[FF_LANE_Z] : b->noise[l];
        ff_normal_answer at = {0};
        law->respond(law, &(ff_normal_query){z, v[FF_LANE_W], &b->latched[l], true}, &at);
        return (lane->mode == FF_LOADED ? -at.hold : at.hold) / z;
    }
    const double excess = excess_at(lane, b, l, v);
    return b->slipping[l] ? -excess : excess;
}

/* The root function at the end of the last trial step, from the stored values. */
static double disagreement_at_end(ff_lane *lane, const ff_lane_block *b, int l, ff_lane_root root) {
    const double z = b->y1[FF_LANE_Z][l], hold = b->look.hold[l], excess = b->look.excess[l];
    if (root == FF_LANE_HOLD && !(z > b->noise[l])) {
        double v[FF_LANE_STATES];
        for (int i = 0; i < FF_LANE_STATES; i++) {
            v[i] = b->y1[i][l];
        }
        return disagreement(lane, b, l, root, v);
    }
    return root == FF_LANE_GAP    ? -z
           : root == FF_LANE_HOLD ? (lane->mode == FF_LOADED ? -hold : hold) / z
                                  : (b->slipping[l] ? -excess : excess);
}

/* ---- within a step ---- */

/* Interpolant of order 4 of the last trial step (ode/stepper.c), for the states and the graded work. */
enum { DENSE = FF_LANE_STATES + 1 };

typedef struct dense {
    double c[DENSE][5];
} dense;

static void make_dense(const ff_lane_block *b, int l, dense *out) {
    double h[7];
    for (int i = 0; i < 7; i++) {
        h[i] = b->reach[i < 6 ? i : 5][l];
    }
    for (int i = 0; i < DENSE; i++) {
        const int c = i < FF_LANE_STATES ? i : FF_LANE_GRADED;
        const double k1 = h[0] * b->k[0][c][l], k3 = h[2] * b->k[2][c][l],
                     k4 = h[3] * b->k[3][c][l], k5 = h[4] * b->k[4][c][l],
                     k6 = h[5] * b->k[5][c][l], k7 = h[6] * b->k[6][c][l];
        const double rise = b->y1[c][l] - b->y[c][l], bend = k1 - rise;
        double *r = out->c[i];
        r[0] = b->y[c][l];
        r[1] = rise;
        r[2] = bend;
        r[3] = rise - k7 - bend;
        r[4] = (-12715105075.0 / 11282082432.0 * k1 + 87487479700.0 / 32700410799.0 * k3 -
                10690763975.0 / 1880347072.0 * k4 + 701980252875.0 / 199316789632.0 * k5 -
                1453857185.0 / 822651844.0 * k6 + 69997945.0 / 29380423.0 * k7);
    }
}

static double dense_at(const dense *d, double theta, int i) {
    const double *r = d->c[i], rest = 1 - theta;
    return r[0] + theta * (r[1] + rest * (r[2] + theta * (r[3] + rest * r[4])));
}

static double within(ff_lane *lane, const ff_lane_block *b, int l, const dense *d, double theta,
                     ff_lane_root root) {
    double v[FF_LANE_STATES];
    for (int i = 0; i < (root == FF_LANE_GAP ? 1 : FF_LANE_STATES); i++) {
        v[i] = dense_at(d, theta, i);
    }
    return disagreement(lane, b, l, root, v);
}

/* A root within the last trial step. */
typedef struct found {
    double theta;       /* 0: the function disagrees throughout the step */
    double slope;       /* derivative of the function with respect to theta at the root */
    double first, last; /* the function at the start and the end of the step */
} found;

/* Locates where a function that disagrees at the end of the step begins to disagree, to a fraction `fine` of the
 * step. */
static found find_root(ff_lane *lane, const ff_lane_block *b, int l, const dense *d,
                       ff_lane_root root, double fine) {
    found out = {.first = within(lane, b, l, d, 0, root),
                 .last = disagreement_at_end(lane, b, l, root)};
    ff_bracket k = {.high = 1, .g_high = out.last, .g_low = out.first};
    if (!(k.g_low < 0)) {
        /* at its root at the start of the step */
        for (double at = 0.5;; at /= 2) {
            if (at < 1e-9) {
                return out;
            }
            const double g = within(lane, b, l, d, at, root);
            if (g < 0) {
                k.low = at;
                k.g_low = g;
                break;
            }
            k.high = at;
            k.g_high = g;
        }
    }
    const double range = k.g_high - k.g_low;
    double before = k.high, g_before = k.g_high;
    out.theta = k.high;
    while (ff_bracket_wider(&k, fine)) {
        const double at = ff_bracket_guess(&k), g = within(lane, b, l, d, at, root);
        out.theta = at;
        out.slope = at != before ? (g - g_before) / (at - before) : out.slope;
        ff_bracket_narrow(&k, at, g);
        if (fabs(g) < fine * range) {
            break;
        }
        before = at;
        g_before = g;
    }
    return out;
}

/* The functions that disagree at the end of the last trial step, as a bit mask. */
static unsigned disagreeing(const ff_lane *lane, const ff_lane_block *b, const ff_lane_laws *laws,
                            int l) {
    const double hold = b->look.hold[l], excess = b->look.excess[l];
    unsigned out = b->y1[FF_LANE_Z][l] < -b->noise[l] ? 1u << FF_LANE_GAP : 0;
    out |= laws->clamps && (lane->mode == FF_LOADED ? hold < 0 : hold > 0) ? 1u << FF_LANE_HOLD : 0;
    /* without load there is always slip */
    out |= laws->slips && lane->mode == FF_LOADED && (b->slipping[l] ? excess < 0 : excess > 0)
               ? 1u << FF_LANE_EDGE
               : 0;
    return out;
}

/* ---- clocks ---- */

/* Restarts the clock at `time`, with a first step of about `step`, s. */
static void restart(ff_lane *lane, ff_lane_block *b, int l, double time, int power, double step) {
    step = step > lane->least ? step : lane->least;
    b->power[l] = power;
    b->start[l] = time;
    b->x[l] = power == 1 ? time : 0;
    b->end[l] = power == 1 ? lane->until : ff_root_of(lane->until - time, power);
    b->h[l] = ff_root_of(step, power);
    b->fresh[l] = -1;
    lane->leaves = false;
}

/* Restarts the clock of a lane without force, so that it ends where contact ends: at `time` + `left`, with `time` + left
 * - t = x^2 and x < 0. Grades that are roots of the depth, which falls to 0 like x^2, are smooth functions of x. */
static void restart_to_leave(ff_lane *lane, ff_lane_block *b, int l, double time, double left,
                             double step) {
    const double x = sqrt(left), h = step / (2 * x);
    b->power[l] = 2;
    b->start[l] = time + left;
    b->x[l] = -x;
    b->end[l] = 0;
    b->h[l] = h < x / 4 ? h : x / 4;
    b->fresh[l] = -1;
    lane->leaves = true;
}

static void aim_at_nothing(ff_lane *lane, ff_lane_block *b, int l) {
    lane->aim = FF_LANE_NO_ROOT;
    lane->turns = 0;
    b->aimed[l] = 0;
}

/* ---- accounts ---- */

/* In-plane position of the centre of mass. */
static double place(const ff_lane *lane, const ff_lane_block *b, int l, double time, int i) {
    return lane->place0[i] + lane->alpha * b->y[FF_LANE_WAY + i][l] + lane->beta[i] * time +
           lane->gamma[i] * time * time / 2;
}

/* The sum of the magnitudes of all accounts during flight, with gravity counted from the start. All accounts sum to
 * the initial energy, so it is that energy without gravity plus twice the contributions of gravity and of created
 * energy. */
static void note_scale(ff_lane *lane, const ff_lane_block *b, int l, double time) {
    const ff_model *model = lane->sim->reduced;
    const double *g = model->gravity, *n = slot_of(lane)->normal;
    double up = (slot_of(lane)->level - b->y[FF_LANE_Z][l]) * ff_dot(g, n);
    for (int i = 0; i < 2; i++) {
        up += place(lane, b, l, time, i) * ff_dot(g, lane->across[i]);
    }
    const ff_sim_now *now = &lane->sim->now;
    const double fall = now->gravity + model->bodies[0].mass * up,
                 size = now->initial - now->gravity + fall + fabs(fall) - 2 * b->created[l] +
                        fabs(lane->release) - lane->release;
    lane->scale = size > lane->scale ? size : lane->scale;
}

static void book(ff_lane_block *b, int l, double change) {
    *(change > 0 ? &b->regrade[l] : &b->created[l]) += change;
}

/* The sum of regrade and created within the last trial step. */
static double sum_at(ff_lane *lane, const ff_lane_block *b, const ff_lane_laws *laws, int l,
                     const dense *d, double theta) {
    double v[FF_LANE_STATES];
    for (int i = 0; i < FF_LANE_STATES; i++) {
        v[i] = dense_at(d, theta, i);
    }
    const ff_pair_answer *at = answer(lane, b, l, v);
    return dense_at(d, theta, FF_LANE_STATES) - level_of(laws, at) * at->graded;
}

/* Books the effect of level changes on the friction springs in the last trial step, with rises and falls of their
 * sum separated. A grade reverses where the depth does; the instant at which a load reverses is not known in
 * advance. */
static void book_step(ff_lane *lane, ff_lane_block *b, const ff_lane_laws *laws, int l,
                      double sum) {
    enum { PARTS = 4 };
    const double w0 = b->y[FF_LANE_W][l], w1 = b->y1[FF_LANE_W][l];
    dense d;
    if (!laws->graded) {
        return;
    }
    if (laws->graded == 2 && w0 * w1 < 0) {
        const double sign = w1 > 0 ? 1 : -1;
        ff_bracket k = {.high = 1, .g_low = sign * w0, .g_high = sign * w1};
        double at = 1;
        make_dense(b, l, &d);
        for (int turn = 0; turn < 20 && k.high - k.low > 1e-6; turn++) {
            at = ff_bracket_guess(&k);
            const double w = sign * dense_at(&d, at, FF_LANE_W);
            ff_bracket_narrow(&k, at, w);
            if (fabs(w) < 1e-6 * (sign * (w1 - w0))) {
                break;
            }
        }
        const double turned = sum_at(lane, b, laws, l, &d, at);
        book(b, l, turned - b->sum[l]);
        book(b, l, sum - turned);
    } else if (laws->graded == 1) {
        double at[PARTS + 1] = {b->sum[l]}, theta, there;
        ff_books books = {0};
        make_dense(b, l, &d);
        for (int k = 1; k < PARTS; k++) {
            at[k] = sum_at(lane, b, laws, l, &d, (double)k / PARTS);
        }
        at[PARTS] = sum;
        ff_ledger_book_parts(&books, at, PARTS, &theta, &there);
        b->regrade[l] += books.regrade;
        b->created[l] += books.created;
    } else {
        book(b, l, sum - b->sum[l]);
    }
    b->sum[l] = sum;
}

/* Accepts the last trial step. */
static void take(ff_lane *lane, ff_lane_block *b, const ff_lane_laws *laws, int l, double sum) {
    book_step(lane, b, laws, l, sum);
    for (int c = 0; c < FF_LANE_SIZE; c++) {
        b->y[c][l] = b->y1[c][l];
        b->k[0][c][l] = b->k[6][c][l];
    }
    b->x[l] += b->tried[l];
    b->steps[l]++;
    lane->tries = 0;
}

/* ---- events ---- */

/* Puts the state of a lane at a time into its sim. */
static void put_state(ff_lane *lane, const ff_lane_block *b, int l, double time);

/* Counts an event at y and reports it; impacts are recorded as by a flow. */
static void report(ff_lane *lane, const ff_lane_block *b, int l, double time, ff_event_kind kind,
                   bool rejoin) {
    lane->counts[kind]++;
    if (!lane->event) {
        return;
    }
    ff_sim *sim = lane->sim;
    ff_touch touch;
    put_state(lane, b, l, time);
    ff_touch_find(slot_of(lane), time, ff_sim_bodies_at(sim, sim->flow.y), &touch);
    if (kind == FF_TOUCHDOWN) {
        ff_impacts_begin(sim, 0, &touch, rejoin ? FF_HIT_ON : FF_HIT_NEW);
    } else if (kind == FF_LIFTOFF) {
        ff_impacts_end(sim, 0, &touch);
    }
    sim->flow.now.event = (ff_event){time, kind, (int)ff_near_contact(sim, 0), rejoin};
    lane->event(lane->user, l);
}

/* Decides whether the contact slips at y. Returns whether this has changed. */
static bool set_slip(ff_lane *lane, ff_lane_block *b, const ff_lane_laws *laws, int l) {
    double v[FF_LANE_STATES];
    if (!laws->slips) {
        return false;
    }
    for (int i = 0; i < FF_LANE_STATES; i++) {
        v[i] = b->y[i][l];
    }
    const bool slips = lane->mode == FF_CLAMPED || excess_at(lane, b, l, v) > 0;
    const bool changed = slips != (b->slipping[l] != 0);
    b->slipping[l] = slips ? -1 : 0;
    return changed && !laws->bends;
}

static void set_mode(ff_lane *lane, ff_lane_block *b, int l, ff_mode mode) {
    lane->mode = mode;
    b->open[l] = mode == FF_LOADED ? -1 : 0;
}

/* The time until z = z0 + w0 t + a t^2/2 rises through 0, z0 <= 0; HUGE_VAL if it does not. */
static double flight_time(double z0, double w0, double a) {
    const double under = w0 * w0 - 2 * a * z0;
    if (w0 > 0) {
        return under >= 0 ? -2 * z0 / (w0 + sqrt(under)) : HUGE_VAL;
    }
    return a > 0 ? (sqrt(under) - w0) / a : HUGE_VAL;
}

/* The time until z0 + w0 t + a t^2/2 falls to 0, z0 >= 0; HUGE_VAL if it does not. */
static double leave_time(double z0, double w0, double a) {
    const double under = w0 * w0 - 2 * a * z0;
    return w0 < 0 && under >= 0 ? 2 * z0 / (sqrt(under) - w0) : HUGE_VAL;
}

/* most consecutive events without progress in time */
enum { STALLED_MOST = 8 };

/* Whether too many events follow each other within rounding of time. */
static bool stalls(ff_lane *lane, double time) {
    if (time - lane->moved > 4 * DBL_EPSILON * fabs(time)) {
        lane->moved = time;
        lane->stalled = 0;
    }
    return ++lane->stalled > STALLED_MOST;
}

/* Moves a lane in flight to touch-down or to the end of the run: only gravity acts, and one step is exact. */
static ff_lane_next fly(ff_lane *lane, ff_lane_block *b, const ff_lane_laws *laws, int l,
                        double time) {
    const ff_slot *slot = slot_of(lane);
    const double z0 = b->y[FF_LANE_Z][l] < 0 ? b->y[FF_LANE_Z][l] : 0, w0 = b->y[FF_LANE_W][l],
                 a = b->fall[l], flight = flight_time(z0, w0, a);
    const bool lands = time + flight < lane->until;
    const double t = lands ? flight : lane->until - time;
    b->y[FF_LANE_Z][l] = lands ? 0 : z0 + t * (w0 + a * t / 2);
    b->y[FF_LANE_W][l] = w0 + a * t;
    for (int i = 0; i < 2; i++) {
        double *s = &b->y[FF_LANE_S + i][l];
        b->y[FF_LANE_WAY + i][l] += t * (*s + b->pull[i][l] * t / 2);
        *s += b->pull[i][l] * t;
    }
    b->steps[l]++;
    time = lands ? time + flight : lane->until;
    if (!lands) {
        restart(lane, b, l, time, 1, 0);
        return FF_LANE_DONE;
    }
    note_scale(lane, b, l, time);
    ff_normal_touch(&slot->law, b->y[FF_LANE_W][l], &b->latched[l]);
    set_mode(lane, b, l, FF_LOADED);
    set_slip(lane, b, laws, l);
    b->sum[l] = b->y[FF_LANE_GRADED][l];
    report(lane, b, l, time, FF_TOUCHDOWN, false);
    restart(lane, b, l, time, slot->clock, lane->touch_step);
    /* the previous contact tells a good first step */
    b->h[l] = b->first[l] > 0 && slot->clock > 1 ? b->first[l] : b->h[l];
    return stalls(lane, time) ? FF_LANE_IN_TROUBLE : FF_LANE_GOES_ON;
}

/* Ends a contact: the energy left in the friction spring is released, and u is 0 from now on. */
static void reset(ff_lane *lane, ff_lane_block *b, int l) {
    const ff_friction *law = &slot_of(lane)->friction;
    double v[FF_LANE_STATES];
    for (int i = 0; i < FF_LANE_STATES; i++) {
        v[i] = b->y[i][l];
    }
    if (law->vectors > 0) {
        const double u[3] = {v[FF_LANE_U], v[FF_LANE_U + 1], 0};
        const ff_pair_answer *at = answer(lane, b, l, v);
        const double load = at->force > 0 ? at->force : 0;
        lane->release += law->law->stored(law, ff_friction_level(law, at->grade, load), u);
        b->y[FF_LANE_U][l] = b->y[FF_LANE_U + 1][l] = 0;
    }
    b->sum[l] = b->y[FF_LANE_GRADED][l];
    b->slipping[l] = 0;
}

/* Switches to the mode on the other side of a root that y has passed. */
static ff_lane_next jump(ff_lane *lane, ff_lane_block *b, const ff_lane_laws *laws, int l,
                         ff_lane_root root) {
    const double time = time_of(b, l, b->x[l]);
    if (stalls(lane, time)) {
        return FF_LANE_IN_TROUBLE;
    }
    if (root == FF_LANE_GAP) {
        const bool acts = lane->mode == FF_LOADED;
        b->y[FF_LANE_Z][l] = 0;
        reset(lane, b, l);
        set_mode(lane, b, l, FF_AIR);
        note_scale(lane, b, l, time);
        if (acts) {
            report(lane, b, l, time, FF_LIFTOFF, false);
        }
        report(lane, b, l, time, FF_CLEAR, false);
        return fly(lane, b, laws, l, time);
    }
    if (root == FF_LANE_HOLD) {
        const bool rejoin = lane->mode == FF_CLAMPED;
        set_mode(lane, b, l, rejoin ? FF_LOADED : FF_CLAMPED);
        const bool changed = set_slip(lane, b, laws, l);
        report(lane, b, l, time, rejoin ? FF_TOUCHDOWN : FF_LIFTOFF, rejoin);
        if (changed) {
            report(lane, b, l, time, b->slipping[l] ? FF_SLIP : FF_STICK, false);
        }
    } else {
        b->slipping[l] = ~b->slipping[l];
        if (!laws->bends) {
            report(lane, b, l, time, b->slipping[l] ? FF_SLIP : FF_STICK, false);
        }
    }
    /* without force the depth is that of free fall */
    const double left = lane->mode == FF_CLAMPED
                            ? leave_time(b->y[FF_LANE_Z][l], b->y[FF_LANE_W][l], b->fall[l])
                            : HUGE_VAL;
    if (time + left < lane->until && left > 1e-9 * time) {
        restart_to_leave(lane, b, l, time, left, lane->last);
    } else {
        restart(lane, b, l, time, 1, 0.5 * lane->last);
    }
    return FF_LANE_GOES_ON;
}

/* ---- ending a step at a root ---- */

/* The largest shift of the end of a step, as a fraction of the step, for which linear extrapolation is accurate
 * enough: the neglected term is the square. */
static double straight(const ff_lane *lane) { return sqrt(1e-3 * lane->tol); }

/* Aims at the first root of the given functions within the last trial step. False if one of them, `now`, was at its
 * root at the start of the step and disagrees throughout it, or if none disagrees (FF_LANE_NO_ROOT). */
static bool aim_at_first(ff_lane *lane, ff_lane_block *b, int l, unsigned which,
                         ff_lane_root *now) {
    const double h = b->tried[l];
    dense d;
    found first = {.theta = 2};
    ff_lane_root root = *now = FF_LANE_NO_ROOT;
    make_dense(b, l, &d);
    /* friction usually slips before the force ends, and the force ends before the contact */
    for (int i = FF_LANE_ROOTS - 1; i >= 0; i--) {
        const ff_lane_root r = (ff_lane_root)i;
        if (!(which & 1u << r) || !(disagreement_at_end(lane, b, l, r) > 0) ||
            (root != FF_LANE_NO_ROOT && within(lane, b, l, &d, first.theta, r) < 0)) {
            continue;
        }
        /* the end of a real step is then corrected by Newton's method */
        const found at = find_root(lane, b, l, &d, r, 0.1 * straight(lane));
        if (at.theta < first.theta) {
            root = r;
            first = at;
        }
    }
    if (root == FF_LANE_NO_ROOT) {
        /* the disagreement was rounding */
        return false;
    }
    if (stands_still(b, l, first.theta * h)) {
        *now = root;
        return false;
    }
    lane->slope = first.slope / h;
    lane->aim = root;
    lane->turns = 0;
    lane->lengths = (ff_bracket){.g_low = fmin(first.first, 0), .high = h, .g_high = first.last};
    b->aimed[l] = -1;
    b->h[l] = first.theta * h;
    return true;
}

/* Handles a function that was past its root at the start of a step. FF_LANE_NO_ROOT: the lane cannot go on. */
static ff_lane_next jump_now(ff_lane *lane, ff_lane_block *b, const ff_lane_laws *laws, int l,
                             ff_lane_root root) {
    aim_at_nothing(lane, b, l);
    if (root == FF_LANE_NO_ROOT) {
        return FF_LANE_IN_TROUBLE;
    }
    lane->last = time_of(b, l, b->x[l] + b->tried[l]) - time_of(b, l, b->x[l]);
    return jump(lane, b, laws, l, root);
}

/* Handles an accepted step in which some functions begin to disagree. */
static ff_lane_next cut(ff_lane *lane, ff_lane_block *b, const ff_lane_laws *laws, int l,
                        unsigned which) {
    ff_lane_root now;
    lane->last = time_of(b, l, b->x[l] + b->tried[l]) - time_of(b, l, b->x[l]);
    return aim_at_first(lane, b, l, which, &now) ? FF_LANE_GOES_ON
                                                 : jump_now(lane, b, laws, l, now);
}

/* Handles an accepted step that was aimed at a root: moves its end to the root if linear extrapolation is accurate
 * enough, otherwise tries again. */
static ff_lane_next meet(ff_lane *lane, ff_lane_block *b, const ff_lane_laws *laws, int l) {
    const ff_lane_root root = lane->aim;
    ff_bracket *k = &lane->lengths;
    const double h = b->tried[l];
    /* shifts that are small relative to the shortest step are always allowed: two events may be within rounding of
     * each other */
    const double whole = b->power[l] == 1 && h < lane->least ? lane->least : h;
    double v[FF_LANE_STATES], sum, g = disagreement_at_end(lane, b, l, root),
                                   change = g == 0 ? 0 : -g / lane->slope;
    if (!(fabs(change / whole) <= straight(lane))) {
        /* Newton's method with the slope of the interpolant, then of the last two steps, then bracketing with real
         * steps */
        const double before = g > 0 ? k->high : k->low, g_before = g > 0 ? k->g_high : k->g_low;
        if (lane->turns > 0 && g != g_before) {
            lane->slope = (g - g_before) / (h - before);
            change = -g / lane->slope;
        }
        ff_bracket_narrow(k, h, g);
        const double next = h + change;
        if (stands_still(b, l, k->high)) {
            return jump_now(lane, b, laws, l, root);
        }
        if (ff_bracket_wider(k, 4 * DBL_EPSILON * h)) {
            b->h[l] =
                lane->turns < 4 && next > k->low && next < k->high ? next : ff_bracket_guess(k);
            lane->turns++;
            return FF_LANE_GOES_ON;
        }
        /* at the root to rounding */
        change = 0;
    }
    if (stands_still(b, l, h + change)) {
        return jump_now(lane, b, laws, l, root);
    }
    /* the error of linear extrapolation is of the order of the square */
    const double shift = change * b->reach[5][l] / h;
    for (int c = 0; c < FF_LANE_SIZE; c++) {
        b->y1[c][l] += shift * b->k[6][c][l];
    }
    b->tried[l] += change;
    if (root == FF_LANE_GAP) {
        b->y1[FF_LANE_Z][l] = 0;
    }
    for (int i = 0; i < FF_LANE_STATES; i++) {
        v[i] = b->y1[i][l];
    }
    const ff_pair_answer *at = answer(lane, b, l, v);
    b->look.hold[l] = at->hold;
    b->look.excess[l] = laws->bends ? excess_at(lane, b, l, v) : at->excess;
    sum = b->y1[FF_LANE_GRADED][l] - (laws->graded ? level_of(laws, at) * at->graded : 0);
    /* other roots before this one: the step ends at the first */
    unsigned others = disagreeing(lane, b, laws, l) & ~(1u << root);
    /* the force ends together with the contact: no clamp begins before */
    others &= root == FF_LANE_GAP ? 1u << FF_LANE_EDGE : ~0u;
    if (others) {
        ff_lane_root now;
        return aim_at_first(lane, b, l, others, &now) ? FF_LANE_GOES_ON
                                                      : jump_now(lane, b, laws, l, now);
    }
    const double before = time_of(b, l, b->x[l]);
    take(lane, b, laws, l, sum);
    const double taken = time_of(b, l, b->x[l]) - before;
    lane->last = taken > lane->last ? taken : lane->last;
    aim_at_nothing(lane, b, l);
    return jump(lane, b, laws, l, root);
}

/* ---- rest ---- */

static double force_at(const ff_lane *lane, const ff_lane_block *b, int l, double z, double w) {
    const ff_normal *law = &slot_of(lane)->law;
    ff_normal_answer at = {0};
    law->respond(law, &(ff_normal_query){z, w, &b->latched[l], true}, &at);
    return at.force;
}

/* The depth at which the contact carries a force, by Newton's method for a force that grows like a power of the depth;
 * NAN if there is none. */
static double depth_of(const ff_lane *lane, const ff_lane_block *b, int l, double force) {
    /* exact for an exponent of 3/2 */
    double z = 1e-6;
    z *= ff_pow(force / force_at(lane, b, l, z, 0), 2.0 / 3);
    for (int turn = 0; turn < 60 && z > 0 && z < HUGE_VAL; turn++) {
        const double over = force_at(lane, b, l, z, 0) - force, d = 1e-6 * z;
        if (fabs(over) <= 1e-12 * force) {
            return z;
        }
        const double next = z - over * d / (force_at(lane, b, l, z + d, 0) - over - force);
        z = next > z / 4 ? next : z / 4;
    }
    return NAN;
}

/* Finds the equilibrium of a lane on a level plane, and the amplitudes up to which motion about it is linear within the
 * tolerance. With F the normal force, A and B stiffness and damping of friction that sticks, the linear equations are
 *     m z'' + F_w z' + F_z (z - z0) = 0,  s' + kappa (A u + B s) = 0,  u' = s.
 * For an amplitude a of the depth, the quadratic terms of F are at most a/z0 of the linear ones, for exponents up to 3,
 * and those of its damping a/z0 times F_w rate/F_z; the stiffness of friction varies by at most a/z0. */
static void find_rest(ff_lane *lane, ff_lane_block *b, const ff_lane_laws *laws, int l) {
    const ff_slot *slot = slot_of(lane);
    const double force = b->fall[l] / b->per_mass[l], tiny = 4 * DBL_EPSILON * b->fall[l];
    b->depth[l] = b->normal_rate[l] = b->slip_rate[l] = 0;
    b->calm[l] = b->calm_slip[l] = -1;
    if (!(force > 0) || fabs(b->pull[0][l]) > tiny || fabs(b->pull[1][l]) > tiny ||
        (slot->slides && (!laws->slips || laws->bends))) {
        return;
    }
    const double z = depth_of(lane, b, l, force), d = 1e-4 * z;
    const double stiffness =
        (force_at(lane, b, l, z + d, 0) - force_at(lane, b, l, z - d, 0)) / (2 * d);
    const double rate2 = stiffness * b->per_mass[l], rate = sqrt(rate2), slow = 1e-3 * rate * z;
    /* damping must be linear, and equal for both directions */
    const double damping = fmax((force_at(lane, b, l, z, slow) - force) / slow, 0),
                 opening = (force - force_at(lane, b, l, z, -slow)) / slow,
                 twice = (force_at(lane, b, l, z, 2 * slow) - force) / (2 * slow),
                 much = 1e-6 * stiffness / rate + 1e-6 * fabs(damping);
    if (!(rate > 0) || !(fabs(opening - damping) <= much) || !(fabs(twice - damping) <= much)) {
        return;
    }
    const double share = damping * rate / stiffness;
    double most =
        0.5 * z /
        ((1 + share) * fmax(b->per_weight[FF_LANE_Z][l], rate * b->per_weight[FF_LANE_W][l]));
    most = fmin(sqrt(most), fmin(0.01 * z, 0.1 * force / (damping * rate)));
    double slip_rate = 0, slip_damping = 0, slip_most = HUGE_VAL;
    if (slot->slides) {
        const double u = 1e-9, s = u * rate;
        const ff_pair_answer spring = *answer(lane, b, l, (double[]){z, 0, 0, 0, u, 0}),
                             damper = *answer(lane, b, l, (double[]){z, 0, s, 0, 0, 0});
        const double threshold = 0.5 * (spring.strain - spring.excess);
        slip_rate = -b->mobility[l] * spring.pull[0] / u;
        slip_damping = -b->mobility[l] * damper.pull[0] / s;
        const double fast = sqrt(slip_rate);
        if (!(fast > 0) || !(spring.excess < 0) || !(damper.excess < 0)) {
            return;
        }
        slip_most = fmin(threshold / (spring.strain / (u * fast) + damper.strain / s),
                         0.5 * z / most /
                             fmax(b->per_weight[FF_LANE_S][l], b->per_weight[FF_LANE_U][l] / fast));
    }
    b->depth[l] = z;
    b->normal_rate[l] = rate2;
    b->slip_rate[l] = slip_rate;
    lane->damping[0] = damping * b->per_mass[l];
    lane->damping[1] = slip_damping;
    b->calm[l] = rate2 * most * most;
    b->calm_slip[l] = slip_most * slip_most;
}

/* q'' + damping q' + rate q = 0 after a time t, rate > 0 */
static void swing(double rate, double damping, double t, double *q, double *w) {
    const double d = damping / 2, split = d * d - rate, half = sqrt(fabs(split)),
                 fade = ff_exp(-d * t), q0 = *q, w0 = *w;
    /* C = cos or cosh, S = sin or sinh over `half` */
    double c, s;
    if (split < 0) {
        ff_sincos(half * t, &s, &c);
        c *= fade;
        s *= fade / half;
    } else {
        const double slow = ff_exp((half - d) * t), fast = ff_exp(-(half + d) * t);
        c = (slow + fast) / 2;
        s = half * t > 1e-8 ? (slow - fast) / (2 * half) : t * fade;
    }
    *q = c * q0 + s * (w0 + d * q0);
    *w = c * w0 - s * (rate * q0 + d * w0);
}

/* Moves a lane close to its equilibrium to the end of the run, by the solution of the linear equations. Damping
 * dissipates what the energy of the linear motion loses. */
static ff_lane_next settle(ff_lane *lane, ff_lane_block *b, const ff_lane_laws *laws, int l) {
    const double t = lane->until - time_of(b, l, b->x[l]), rate = b->normal_rate[l],
                 pull = b->slip_rate[l] * lane->per_mobility;
    double *z = &b->y[FF_LANE_Z][l], *w = &b->y[FF_LANE_W][l], off = *z - b->depth[l],
           energy = rate * off * off + *w * *w;
    swing(rate, lane->damping[0], t, &off, w);
    *z = b->depth[l] + off;
    b->y[FF_LANE_NORMAL_DAMPER][l] += (energy - rate * off * off - *w * *w) / (2 * b->per_mass[l]);
    for (int i = 0; i < 2; i++) {
        double *s = &b->y[FF_LANE_S + i][l], *u = &b->y[FF_LANE_U + i][l];
        const double s0 = *s, u0 = *u;
        if (!(pull > 0)) {
            b->y[FF_LANE_WAY + i][l] += *s * t;
            continue;
        }
        swing(b->slip_rate[l], lane->damping[1], t, u, s);
        b->y[FF_LANE_WAY + i][l] += *u - u0;
        const double stored = pull * (*u * *u - u0 * u0) / 2;
        b->y[FF_LANE_DAMPER][l] += (s0 * s0 - *s * *s) * lane->per_mobility / 2 - stored;
        b->y[FF_LANE_GRADED][l] += laws->graded ? stored : 0;
    }
    if (laws->graded) {
        double v[FF_LANE_STATES];
        for (int i = 0; i < FF_LANE_STATES; i++) {
            v[i] = b->y[i][l];
        }
        const ff_pair_answer *at = answer(lane, b, l, v);
        const double sum = b->y[FF_LANE_GRADED][l] - level_of(laws, at) * at->graded;
        book(b, l, sum - b->sum[l]);
        b->sum[l] = sum;
    }
    b->steps[l]++;
    restart(lane, b, l, lane->until, 1, 0);
    return FF_LANE_DONE;
}

/* ---- what a lane does ---- */

ff_lane_next ff_lane_attend(ff_lane *lane, ff_lane_block *b, const ff_lane_laws *laws, int l) {
    /* most trials of one step, as in flow/flow.c, and most forced steps */
    enum { TRIES = 200, FORCED_MOST = 1000 };
    if (++lane->tries > TRIES) {
        return FF_LANE_IN_TROUBLE;
    }
    const double shortest = 4 * DBL_EPSILON * fabs(b->x[l]);
    bool forced = false;
    if (!(b->good >> l & 1)) {
        /* A step of a few roundings of time moves no further than the rounding error, so its error is no reason to
         * refuse it. This occurs where a grade that is a root of the depth ends (flow/flow.c). */
        forced = b->power[l] == 1 && b->tried[l] <= shortest && isfinite(b->error[l]) &&
                 lane->forced < FORCED_MOST;
        lane->forced += forced;
    }
    if (!(b->good >> l & 1) && !forced) {
        b->h[l] = b->tried[l] * (b->factor[l] < 1 ? b->factor[l] : 1);
        b->rejected[l]++;
        aim_at_nothing(lane, b, l);
        if (b->power[l] == 1 && b->h[l] < shortest && b->tried[l] > shortest) {
            b->h[l] = shortest;
        } else if (stands_still(b, l, b->h[l])) {
            return FF_LANE_IN_TROUBLE;
        }
        return FF_LANE_GOES_ON;
    }
    if (b->aimed[l]) {
        return meet(lane, b, laws, l);
    }
    if (b->events >> l & 1) {
        return cut(lane, b, laws, l, disagreeing(lane, b, laws, l));
    }
    /* the level of the springs reversed, motion becomes linear, or the end is reached */
    take(lane, b, laws, l, b->look.sum[l]);
    b->h[l] = b->tried[l] * (forced ? 1 : b->factor[l]);
    if (b->ended >> l & 1 && lane->leaves) {
        return jump(lane, b, laws, l, FF_LANE_GAP);
    }
    if (b->calmed >> l & 1 && !(b->ended >> l & 1)) {
        return settle(lane, b, laws, l);
    }
    return b->ended >> l & 1 ? FF_LANE_DONE : FF_LANE_GOES_ON;
}

ff_lane_next ff_lane_attend_fixed(ff_lane *lane, ff_lane_block *b, int l) {
    const bool inside = b->y[FF_LANE_Z][l] > 0;
    if (inside && !lane->inside) {
        ff_normal_touch(&slot_of(lane)->law, b->y[FF_LANE_W][l], &b->latched[l]);
    } else if (!inside && lane->inside) {
        /* without contact springs have no level */
        book(b, l, b->y[FF_LANE_GRADED][l] - b->sum[l]);
        reset(lane, b, l);
    }
    if (inside != lane->inside) {
        note_scale(lane, b, l, b->x[l]);
    }
    lane->inside = inside;
    return b->ended >> l & 1 ? FF_LANE_DONE : FF_LANE_GOES_ON;
}

/* ---- start and end ---- */

static void set_frame(ff_lane *lane, const double n[3]) {
    /* the coordinate axis with the smallest component along n */
    int least = fabs(n[0]) < fabs(n[1]) ? 0 : 1;
    least = fabs(n[2]) < fabs(n[least]) ? 2 : least;
    double axis[3] = {0}, size;
    axis[least] = 1;
    ff_cross(n, axis, lane->across[0]);
    size = sqrt(ff_dot(lane->across[0], lane->across[0]));
    for (int c = 0; c < 3; c++) {
        lane->across[0][c] /= size;
    }
    ff_cross(n, lane->across[0], lane->across[1]);
}

ff_lane_next ff_lane_begin(ff_lane *lane, ff_lane_block *b, const ff_lane_laws *laws, int l) {
    const ff_sim *sim = lane->sim;
    const ff_model *model = sim->reduced;
    const ff_slot *slot = &model->slots[0];
    const double *y = sim->flow.y, *n = slot->normal, *g = model->gravity,
                 *per = sim->flow.per_weight, mass = model->bodies[0].mass,
                 per_inertia = model->bodies[0].per_inertia[0][0];
    double arm[3], v[3];
    for (int i = 0; i < FF_LAW_NUMBERS; i++) {
        b->normal[i][l] = slot->law.numbers[i];
        b->friction[i][l] = slot->friction.numbers[i];
    }
    set_frame(lane, n);
    const double mobility = 1 / mass + slot->radius * slot->radius * per_inertia;
    b->per_mass[l] = 1 / mass;
    b->mobility[l] = mobility;
    b->fall[l] = -ff_dot(g, n);
    lane->alpha = 1 / (mass * mobility);
    lane->per_mobility = 1 / mobility;
    lane->turning = slot->radius * per_inertia;
    for (int c = 0; c < 3; c++) {
        arm[c] = -slot->radius * n[c];
    }
    ff_cross(y + FF_OMEGA, arm, v);
    ff_add_scaled(v, 1, y + FF_VEL, v);
    memcpy(lane->omega0, y + FF_OMEGA, sizeof lane->omega0);
    b->y[FF_LANE_Z][l] = slot->level - ff_dot(y + FF_P, n);
    b->y[FF_LANE_W][l] = -ff_dot(y + FF_VEL, n);
    for (int i = 0; i < 2; i++) {
        const double *e = lane->across[i], pull = ff_dot(g, e), s = ff_dot(v, e);
        lane->pull[i] = b->pull[i][l] = pull;
        b->y[FF_LANE_S + i][l] = lane->slip0[i] = s;
        lane->beta[i] = ff_dot(y + FF_VEL, e) - lane->alpha * s;
        lane->gamma[i] = pull * (1 - lane->alpha);
        lane->place0[i] = ff_dot(y + FF_P, e);
        b->y[FF_LANE_U + i][l] =
            slot->friction.vectors > 0 ? ff_dot(y + slot->state_at + ff_slot_u(slot), e) : 0;
        b->y[FF_LANE_WAY + i][l] = 0;
    }
    b->latched[l] = slot->law.states > 0 ? y[slot->state_at] : 0;
    static const ff_integral accounts[] = {FF_NORMAL_DAMPER, FF_TANGENTIAL_DAMPER, FF_SLIP_LOSS,
                                           FF_VISCOUS, FF_GRADED_WORK};
    for (int i = 0; i < 5; i++) {
        const int at = slot->integral[accounts[i]];
        const size_t c = slot->integral_at + (size_t)(at < 0 ? 0 : at);
        b->y[FF_LANE_NORMAL_DAMPER + i][l] = at < 0 ? 0 : y[c];
        b->per_weight[FF_LANE_NORMAL_DAMPER + i][l] = at < 0 ? 0 : per[c];
    }
    /* tolerances follow from those of the states of the body */
    const double speed = per[FF_VEL] * lane->alpha,
                 turns = per[FF_OMEGA] * lane->turning * lane->per_mobility;
    b->per_weight[FF_LANE_Z][l] = per[FF_P];
    b->per_weight[FF_LANE_W][l] = per[FF_VEL];
    for (int i = 0; i < 2; i++) {
        b->per_weight[FF_LANE_S + i][l] = speed > turns ? speed : turns;
        b->per_weight[FF_LANE_U + i][l] =
            slot->friction.vectors > 0 ? per[slot->state_at + (size_t)ff_slot_u(slot)] : 0;
        b->per_weight[FF_LANE_WAY + i][l] = per[FF_P] * lane->alpha;
    }
    /* a few units in the last place of the terms of the depth */
    b->noise[l] = 8 * DBL_EPSILON * (fabs(slot->level) + slot->extent);
    lane->until = sim->options.until;
    lane->tol = sim->options.tol;
    lane->least = sim->flow.now.least;
    lane->touch_step = 0.05 * ff_system_touch_time(model, 0);
    lane->moved = -1;
    lane->stalled = 0;
    lane->release = 0;
    lane->scale = sim->now.scale;
    lane->leaves = false;
    lane->tries = lane->forced = 0;
    memset(lane->counts, 0, sizeof lane->counts);
    lane->slide = (ff_friction_query){0};
    lane->at = (ff_pair_answer){0};
    b->regrade[l] = b->created[l] = b->steps[l] = b->rejected[l] = b->first[l] = 0;
    b->live[l] = -1;
    aim_at_nothing(lane, b, l);
    set_mode(lane, b, l, sim->phase.modes[0]);
    b->slipping[l] = sim->phase.slipping[0] ? -1 : 0;
    b->sum[l] = sim->phase.books[0].graded;
    lane->inside = sim->phase.inside[0];
    if (lane->mode == FF_FREE) {
        restart(lane, b, l, 0, 1, 0);
        b->h[l] = sim->options.dt;
        return FF_LANE_GOES_ON;
    }
    find_rest(lane, b, laws, l);
    if (lane->mode == FF_AIR) {
        b->power[l] = 1;
        return fly(lane, b, laws, l, 0);
    }
    const int power = sim->flow.now.clock.power;
    restart(lane, b, l, 0, power, ff_power_of(sim->flow.now.step, power));
    return lane->until > 0 ? FF_LANE_GOES_ON : FF_LANE_DONE;
}

static void put_state(ff_lane *lane, const ff_lane_block *b, int l, double time) {
    ff_sim *sim = lane->sim;
    ff_flow *f = &sim->flow;
    const ff_slot *slot = slot_of(lane);
    const double *n = slot->normal;
    double *y = f->y, impulse[3] = {0}, turned[3];
    for (int c = 0; c < 3; c++) {
        y[FF_P + c] = (slot->level - b->y[FF_LANE_Z][l]) * n[c];
        y[FF_VEL + c] = -b->y[FF_LANE_W][l] * n[c];
    }
    double *u = y + slot->state_at + ff_slot_u(slot);
    for (int c = 0; c < 3 && slot->friction.vectors > 0; c++) {
        u[c] = 0;
    }
    for (int i = 0; i < 2; i++) {
        const double *e = lane->across[i], s = b->y[FF_LANE_S + i][l];
        ff_add_scaled(y + FF_P, place(lane, b, l, time, i), e, y + FF_P);
        ff_add_scaled(y + FF_VEL, lane->alpha * s + lane->beta[i] + lane->gamma[i] * time, e,
                      y + FF_VEL);
        ff_add_scaled(impulse, (s - lane->slip0[i] - lane->pull[i] * time) * lane->per_mobility, e,
                      impulse);
        if (slot->friction.vectors > 0) {
            ff_add_scaled(u, b->y[FF_LANE_U + i][l], e, u);
        }
    }
    ff_cross(n, impulse, turned);
    ff_add_scaled(lane->omega0, -lane->turning, turned, y + FF_OMEGA);
    if (slot->law.states > 0) {
        y[slot->state_at] = b->latched[l];
    }
    static const ff_integral accounts[] = {FF_NORMAL_DAMPER, FF_TANGENTIAL_DAMPER, FF_SLIP_LOSS,
                                           FF_VISCOUS, FF_GRADED_WORK};
    for (int i = 0; i < 5; i++) {
        const int at = slot->integral[accounts[i]];
        if (at >= 0) {
            y[slot->integral_at + (size_t)at] = b->y[FF_LANE_NORMAL_DAMPER + i][l];
        }
    }
    sim->phase.modes[0] = lane->mode;
    sim->phase.slipping[0] = b->slipping[l] != 0;
    sim->phase.opening[0] = slot->kinked && lane->mode != FF_AIR && b->y[FF_LANE_W][l] < 0;
    sim->phase.inside[0] = lane->mode == FF_FREE ? lane->inside : lane->mode == FF_LOADED;
    ff_books *books = &sim->phase.books[0];
    books->release = lane->release;
    books->regrade = b->regrade[l];
    books->created = b->created[l];
    books->graded = b->sum[l];
    sim->now.scale = lane->scale;
    f->now.clock = ff_clock_at(time, 1);
    f->now.fresh = f->altered = f->last.none = true;
    f->seen_time = NAN;
    f->now.statistics.steps = (long)b->steps[l];
    f->now.statistics.rejected = (long)b->rejected[l];
    sim->looked = false;
}

void ff_lane_leave(ff_lane *lane, const ff_lane_block *b, int l) {
    put_state(lane, b, l, lane->until);
}
