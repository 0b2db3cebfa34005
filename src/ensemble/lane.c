/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "body/vector.h"
#include "inside.h"
#include "num/elementary.h"
#include <float.h>
#include <math.h>
#include <string.h>

/* Control of single lanes: events, flights, start and end (docs/theory.md, Lanes). */

/* Whether a step of h in x is within the rounding error of time. */
static bool stands_still(const ff_lane_block *b, int l, double h) {
    const double now = ff_lane_time(b, l, b->x[l]);
    return !(ff_lane_time(b, l, b->x[l] + h) - now > DBL_EPSILON * fabs(now));
}

/* ---- clocks ---- */

/* Restarts the clock at `time`, with a first step of about `step`, s. */
void ff_lane_restart(ff_lane *lane, ff_lane_block *b, int l, double time, int power, double step) {
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

/* The sum of the magnitudes of all accounts during flight, with gravity counted from the start. All accounts sum to
 * the initial energy, so it is that energy without gravity plus twice the contributions of gravity and of created
 * energy. */
static void note_scale(ff_lane *lane, const ff_lane_block *b, int l, double time) {
    const ff_model *model = lane->sim->reduced;
    const double *g = model->gravity, *n = ff_lane_slot(lane)->normal;
    double up = (ff_lane_slot(lane)->level - b->y[FF_LANE_Z][l]) * ff_dot(g, n);
    for (int i = 0; i < 2; i++) {
        up += ff_lane_place(lane, b->y[FF_LANE_WAY + i][l], time, i) * ff_dot(g, lane->across[i]);
    }
    const ff_sim_now *now = &lane->sim->now;
    const double fall = now->gravity + model->bodies[0].mass * up;
    double size = now->initial - now->gravity + fall + fabs(fall) - 2 * b->created[l] +
                  fabs(lane->release) - lane->release;
    for (size_t i = 0; i < model->slot_count; i++) {
        const ff_lane_kept *k = &lane->kept[i];
        size += i == lane->plane ? 0 : fabs(k->release) - k->release - 2 * k->created;
    }
    lane->scale = size > lane->scale ? size : lane->scale;
}

/* The sum of regrade and created within the last trial step. */
static double sum_at(ff_lane *lane, const ff_lane_block *b, int l, const ff_lane_dense *d,
                     double theta) {
    double v[FF_LANE_STATES];
    for (int i = 0; i < FF_LANE_STATES; i++) {
        v[i] = ff_lane_dense_at(d, theta, i);
    }
    const ff_pair_answer *at = ff_lane_answer(lane, b, l, v);
    return ff_lane_dense_at(d, theta, FF_LANE_GRADED) - ff_lane_level(lane->laws, at) * at->graded;
}

/* Notes for a step that is reported that the sum of regrade and created changed direction in it. */
static void note_turn(ff_lane *lane, const ff_lane_block *b, int l, double theta, double sum) {
    lane->turned = true;
    lane->turned_at = ff_lane_time(b, l, b->x[l] + theta * b->tried[l]);
    lane->turned_sum = sum;
}

/* Where the depth rate changes its sign in the last trial step, as a part of it. */
static double turning_point(const ff_lane_block *b, int l, const ff_lane_dense *d) {
    const double w0 = b->y[FF_LANE_W][l], w1 = b->y1[FF_LANE_W][l], sign = w1 > 0 ? 1 : -1;
    ff_bracket k = {.high = 1, .g_low = sign * w0, .g_high = sign * w1};
    double at = 1;
    for (int turn = 0; turn < 20 && k.high - k.low > 1e-6; turn++) {
        at = ff_bracket_guess(&k);
        const double w = sign * ff_lane_dense_at(d, at, FF_LANE_W);
        ff_bracket_narrow(&k, at, w);
        if (fabs(w) < 1e-6 * (sign * (w1 - w0))) {
            break;
        }
    }
    return at;
}

/* Records the largest depth in the last trial step if a warning may depend on it. Without a turning point in the step it is at
 * one of its ends. */
static void note_depth(ff_lane *lane, const ff_lane_block *b, int l) {
    double depth = fmax(b->y[FF_LANE_Z][l], b->y1[FF_LANE_Z][l]);
    if (depth > b->deep[l]) {
        if (b->y[FF_LANE_W][l] > 0 && b->y1[FF_LANE_W][l] < 0) {
            ff_lane_dense d;
            ff_lane_dense_make(b, l, false, &d);
            depth = fmax(depth, ff_lane_dense_at(&d, turning_point(b, l, &d), FF_LANE_Z));
        }
        lane->deepest[lane->plane] = fmax(lane->deepest[lane->plane], depth);
    }
}

/* Books the effect of level changes on the friction springs in the last trial step, with rises and falls of their
 * sum separated. A grade reverses where the depth does; the instant at which a load reverses is not known in
 * advance. */
static void book_step(ff_lane *lane, ff_lane_block *b, int l, double sum) {
    enum { PARTS = 4 };
    const double w0 = b->y[FF_LANE_W][l], w1 = b->y1[FF_LANE_W][l];
    ff_lane_dense d;
    if (!lane->laws->graded) {
        return;
    }
    if (lane->laws->graded == 2 && w0 * w1 < 0) {
        ff_lane_dense_make(b, l, false, &d);
        const double at = turning_point(b, l, &d), turned = sum_at(lane, b, l, &d, at);
        ff_lane_book(b, l, turned - b->sum[l]);
        ff_lane_book(b, l, sum - turned);
        note_turn(lane, b, l, at, turned);
    } else if (lane->laws->graded == 1) {
        double at[PARTS + 1] = {b->sum[l]}, theta, there;
        ff_books books = {0};
        ff_lane_dense_make(b, l, false, &d);
        for (int k = 1; k < PARTS; k++) {
            at[k] = sum_at(lane, b, l, &d, (double)k / PARTS);
        }
        at[PARTS] = sum;
        if (ff_ledger_book_parts(&books, at, PARTS, &theta, &there)) {
            note_turn(lane, b, l, theta, there);
        }
        b->regrade[l] += books.regrade;
        b->created[l] += books.created;
    } else {
        ff_lane_book(b, l, sum - b->sum[l]);
    }
    b->sum[l] = sum;
}

/* Accepts the last trial step. */
static void take(ff_lane *lane, ff_lane_block *b, int l, double sum) {
    book_step(lane, b, l, sum);
    note_depth(lane, b, l);
    for (int c = 0; c < FF_LANE_SIZE; c++) {
        b->y[c][l] = b->y1[c][l];
        b->k[0][c][l] = b->k[6][c][l];
    }
    b->x[l] += b->tried[l];
    b->steps[l]++;
    lane->tries = 0;
    lane->span = FF_LANE_STEP;
}

/* ---- events ---- */

/* Counts an event at y and reports it; impacts are recorded as by a flow. */
static void report(ff_lane *lane, const ff_lane_block *b, int l, double time, ff_event_kind kind,
                   bool rejoin) {
    lane->counts[kind]++;
    if (!lane->event) {
        return;
    }
    ff_sim *sim = lane->sim;
    ff_touch touch;
    ff_lane_put(lane, b, l, time);
    ff_touch_find(ff_lane_slot(lane), time, ff_sim_bodies_at(sim, sim->flow.y), &touch);
    if (kind == FF_TOUCHDOWN) {
        ff_impacts_begin(sim, lane->plane, &touch, rejoin ? FF_HIT_ON : FF_HIT_NEW);
    } else if (kind == FF_LIFTOFF) {
        ff_impacts_end(sim, lane->plane, &touch);
    }
    sim->flow.now.event = (ff_event){time, kind, (int)ff_near_contact(sim, lane->plane), rejoin};
    lane->event(lane->user, l);
}

/* Decides whether the contact slips at y. Returns whether this has changed. */
static bool set_slip(ff_lane *lane, ff_lane_block *b, int l) {
    double v[FF_LANE_STATES];
    if (!lane->laws->slips) {
        return false;
    }
    for (int i = 0; i < FF_LANE_STATES; i++) {
        v[i] = b->y[i][l];
    }
    const bool slips = lane->mode == FF_CLAMPED || ff_lane_excess(lane, b, l, v) > 0;
    const bool changed = slips != (b->slipping[l] != 0);
    b->slipping[l] = slips ? -1 : 0;
    return changed && !lane->laws->bends;
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

void ff_lane_glide(const ff_lane_block *b, int l, const double from[FF_LANE_SIZE], double t,
                   double to[FF_LANE_SIZE]) {
    memcpy(to, from, FF_LANE_SIZE * sizeof *to);
    to[FF_LANE_Z] += t * (from[FF_LANE_W] + b->fall[l] * t / 2);
    to[FF_LANE_W] += b->fall[l] * t;
    for (int i = 0; i < 2; i++) {
        const double pull = b->pull[i][l];
        to[FF_LANE_WAY + i] += t * (from[FF_LANE_S + i] + pull * t / 2);
        to[FF_LANE_S + i] += pull * t;
    }
}

static void get_column(const ff_lane_block *b, int l, double y[FF_LANE_SIZE]) {
    for (int c = 0; c < FF_LANE_SIZE; c++) {
        y[c] = b->y[c][l];
    }
}

/* ---- several planes ---- */

/* Notes the distances from the other planes and their rates, and sets the time until which none of them can be touched. The
 * speed of the centre is at most v0 = sqrt(2 E/m), where E is the energy scale of the ledger, or the kinetic energy at present
 * if that is larger. Friction laws create a small part of that (docs/theory.md, Regrade); twice that speed leaves room for
 * it. Gravity adds at most 2 v0 within a time 2 v0/|g|, so that the speed is below V = 4 v0 for that long. */
static void note_others(ff_lane *lane, ff_lane_block *b, int l, double time,
                        ff_lane_others *others) {
    const ff_model *model = lane->sim->reduced;
    const double *g = model->gravity, per_mass = b->per_mass[l],
                 turning = per_mass / model->bodies[0].per_inertia[0][0];
    double y[FF_LANE_SIZE], nearest = HUGE_VAL;
    ff_lane_motion m;
    get_column(b, l, y);
    ff_lane_motion_at(lane, y, time, &m);
    others->time = time;
    for (size_t i = 0; i < model->slot_count; i++) {
        const ff_slot *slot = &model->slots[i];
        others->gap[i] = ff_dot(m.position, slot->normal) - slot->level;
        others->rate[i] = ff_dot(m.velocity, slot->normal);
        nearest = i != lane->plane ? fmin(nearest, others->gap[i]) : nearest;
    }
    const double fast = fmax(2 * lane->scale * per_mass,
                             ff_dot(m.velocity, m.velocity) + turning * ff_dot(m.omega, m.omega)),
                 speed = 4 * sqrt(fast);
    b->safe[l] = time + fmin(nearest / speed, speed / (2 * sqrt(ff_dot(g, g))));
}

/* Compares the distances from the other planes with those at the last comparison. Between the two, at a time T apart, the
 * distance from a plane is above the tangents at its ends, so that it is at least the smaller one minus T/2 times the rate at
 * which it decreases first or increases last. If that is not positive, the plane may have been touched. */
bool ff_lane_keeps_clear(ff_lane *lane, ff_lane_block *b, int l) {
    const double time = ff_lane_time(b, l, b->x[l]);
    ff_lane_others now, *last = &lane->others;
    if (!lane->laws->several || !(time > b->safe[l])) {
        return true;
    }
    note_others(lane, b, l, time, &now);
    for (size_t i = 0; i < lane->sim->reduced->slot_count; i++) {
        const double dip = fmax(fmax(-last->rate[i], now.rate[i]), 0) * (time - last->time) / 2;
        if (i != lane->plane && !(fmin(last->gap[i], now.gap[i]) > dip)) {
            return false;
        }
    }
    *last = now;
    return true;
}

/* A contact begins. If another plane is touched as well, the safe time is in the past, and the first step does not keep
 * clear. */
static void watch_others(ff_lane *lane, ff_lane_block *b, int l, double time) {
    if (lane->laws->several) {
        note_others(lane, b, l, time, &lane->others);
    }
}

/* In flight: changes to the frame of the plane that is met first, if that is another one. */
static void face_next(ff_lane *lane, ff_lane_block *b, int l, double time) {
    const ff_model *model = lane->sim->reduced;
    double y[FF_LANE_SIZE];
    ff_lane_motion m;
    if (!lane->laws->several) {
        return;
    }
    get_column(b, l, y);
    ff_lane_motion_at(lane, y, time, &m);
    double first = flight_time(y[FF_LANE_Z], y[FF_LANE_W], b->fall[l]);
    size_t next = lane->plane;
    for (size_t i = 0; i < model->slot_count; i++) {
        const ff_slot *slot = &model->slots[i];
        const double *n = slot->normal,
                     t = flight_time(fmin(slot->level - ff_dot(m.position, n), 0),
                                     -ff_dot(m.velocity, n), -ff_dot(model->gravity, n));
        if (i != lane->plane && t < first) {
            first = t;
            next = i;
        }
    }
    if (next != lane->plane) {
        ff_lane_store(lane, b, l);
        ff_lane_enter(lane, b, l, next, time, &m);
        ff_lane_rest_find(lane, b, l);
        b->y[FF_LANE_Z][l] = fmin(b->y[FF_LANE_Z][l], 0);
        lane->past.latched = b->latched[l];
        lane->past.release = lane->release;
    }
}

/* ---- flight ---- */

/* Moves a lane in flight to touch-down or to the end of the run: only gravity acts, and one step is exact. */
static ff_lane_next fly(ff_lane *lane, ff_lane_block *b, int l, double time) {
    double from[FF_LANE_SIZE], to[FF_LANE_SIZE];
    b->y[FF_LANE_Z][l] = b->y[FF_LANE_Z][l] < 0 ? b->y[FF_LANE_Z][l] : 0;
    face_next(lane, b, l, time);
    const ff_slot *slot = ff_lane_slot(lane);
    get_column(b, l, from);
    const double flight = flight_time(from[FF_LANE_Z], from[FF_LANE_W], b->fall[l]);
    const bool lands = time + flight < lane->until;
    ff_lane_set_off(lane, b, l, FF_LANE_FLIGHT, time);
    ff_lane_glide(b, l, from, lands ? flight : lane->until - time, to);
    to[FF_LANE_Z] = lands ? 0 : to[FF_LANE_Z];
    for (int c = 0; c < FF_LANE_SIZE; c++) {
        b->y[c][l] = to[c];
    }
    b->steps[l]++;
    time = lands ? time + flight : lane->until;
    if (!lands) {
        ff_lane_restart(lane, b, l, time, 1, 0);
        ff_lane_tell(lane, b, l, time, false);
        return FF_LANE_DONE;
    }
    note_scale(lane, b, l, time);
    watch_others(lane, b, l, time);
    ff_normal_touch(&slot->law, b->y[FF_LANE_W][l], &b->latched[l]);
    set_mode(lane, b, l, FF_LOADED);
    set_slip(lane, b, l);
    b->sum[l] = b->y[FF_LANE_GRADED][l];
    ff_lane_tell(lane, b, l, time, false);
    report(lane, b, l, time, FF_TOUCHDOWN, false);
    ff_lane_restart(lane, b, l, time, slot->clock, lane->touch_step);
    /* the previous contact tells a good first step */
    b->h[l] = b->first[l] > 0 && slot->clock > 1 ? b->first[l] : b->h[l];
    return stalls(lane, time) ? FF_LANE_IN_TROUBLE : FF_LANE_GOES_ON;
}

/* Ends a contact: the energy left in the friction spring is released, and u is 0 from now on. */
static void reset(ff_lane *lane, ff_lane_block *b, int l) {
    const ff_friction *law = &ff_lane_slot(lane)->friction;
    double v[FF_LANE_STATES];
    for (int i = 0; i < FF_LANE_STATES; i++) {
        v[i] = b->y[i][l];
    }
    if (law->vectors > 0) {
        const double u[3] = {v[FF_LANE_U], v[FF_LANE_U + 1], 0};
        const ff_pair_answer *at = ff_lane_answer(lane, b, l, v);
        const double load = at->force > 0 ? at->force : 0;
        lane->release += law->law->stored(law, ff_friction_level(law, at->grade, load), u);
        b->y[FF_LANE_U][l] = b->y[FF_LANE_U + 1][l] = 0;
    }
    b->sum[l] = b->y[FF_LANE_GRADED][l];
    b->slipping[l] = 0;
}

/* Switches to the mode on the other side of a root that y has passed. */
static ff_lane_next jump(ff_lane *lane, ff_lane_block *b, int l, ff_lane_root root) {
    const double time = ff_lane_time(b, l, b->x[l]);
    if (stalls(lane, time) || !ff_lane_keeps_clear(lane, b, l)) {
        return FF_LANE_IN_TROUBLE;
    }
    if (root == FF_LANE_GAP) {
        const bool acts = lane->mode == FF_LOADED;
        b->y[FF_LANE_Z][l] = 0;
        reset(lane, b, l);
        set_mode(lane, b, l, FF_AIR);
        note_scale(lane, b, l, time);
        ff_lane_tell(lane, b, l, time, false);
        if (acts) {
            report(lane, b, l, time, FF_LIFTOFF, false);
        }
        report(lane, b, l, time, FF_CLEAR, false);
        return fly(lane, b, l, time);
    }
    if (root == FF_LANE_HOLD) {
        const bool rejoin = lane->mode == FF_CLAMPED;
        set_mode(lane, b, l, rejoin ? FF_LOADED : FF_CLAMPED);
        const bool changed = set_slip(lane, b, l);
        ff_lane_tell(lane, b, l, time, false);
        report(lane, b, l, time, rejoin ? FF_TOUCHDOWN : FF_LIFTOFF, rejoin);
        if (changed) {
            report(lane, b, l, time, b->slipping[l] ? FF_SLIP : FF_STICK, false);
        }
    } else {
        b->slipping[l] = ~b->slipping[l];
        ff_lane_tell(lane, b, l, time, false);
        if (!lane->laws->bends) {
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
        ff_lane_restart(lane, b, l, time, 1, 0.5 * lane->last);
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
    ff_lane_dense d;
    ff_lane_found first = {.theta = 2};
    ff_lane_root root = *now = FF_LANE_NO_ROOT;
    ff_lane_dense_make(b, l, false, &d);
    /* friction usually slips before the force ends, and the force ends before the contact */
    for (int i = FF_LANE_ROOTS - 1; i >= 0; i--) {
        const ff_lane_root r = (ff_lane_root)i;
        if (!(which & 1u << r) || !(ff_lane_root_at_end(lane, b, l, r) > 0) ||
            (root != FF_LANE_NO_ROOT && ff_lane_root_within(lane, b, l, &d, first.theta, r) < 0)) {
            continue;
        }
        /* the end of a real step is then corrected by Newton's method */
        const ff_lane_found at = ff_lane_root_find(lane, b, l, &d, r, 0.1 * straight(lane));
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
static ff_lane_next jump_now(ff_lane *lane, ff_lane_block *b, int l, ff_lane_root root) {
    aim_at_nothing(lane, b, l);
    if (root == FF_LANE_NO_ROOT) {
        return FF_LANE_IN_TROUBLE;
    }
    lane->last = ff_lane_time(b, l, b->x[l] + b->tried[l]) - ff_lane_time(b, l, b->x[l]);
    return jump(lane, b, l, root);
}

/* Handles an accepted step in which some functions begin to disagree. */
static ff_lane_next cut(ff_lane *lane, ff_lane_block *b, int l, unsigned which) {
    ff_lane_root now;
    lane->last = ff_lane_time(b, l, b->x[l] + b->tried[l]) - ff_lane_time(b, l, b->x[l]);
    return aim_at_first(lane, b, l, which, &now) ? FF_LANE_GOES_ON : jump_now(lane, b, l, now);
}

/* Handles an accepted step that was aimed at a root: moves its end to the root if linear extrapolation is accurate
 * enough, otherwise tries again. */
static ff_lane_next meet(ff_lane *lane, ff_lane_block *b, int l) {
    const ff_lane_root root = lane->aim;
    ff_bracket *k = &lane->lengths;
    const double h = b->tried[l];
    /* shifts that are small relative to the shortest step are always allowed: two events may be within rounding of
     * each other */
    const double whole = b->power[l] == 1 && h < lane->least ? lane->least : h;
    double v[FF_LANE_STATES], sum, g = ff_lane_root_at_end(lane, b, l, root),
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
            return jump_now(lane, b, l, root);
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
        return jump_now(lane, b, l, root);
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
    const ff_pair_answer *at = ff_lane_answer(lane, b, l, v);
    b->look.hold[l] = at->hold;
    b->look.excess[l] = lane->laws->bends ? ff_lane_excess(lane, b, l, v) : at->excess;
    sum = b->y1[FF_LANE_GRADED][l] -
          (lane->laws->graded ? ff_lane_level(lane->laws, at) * at->graded : 0);
    /* other roots before this one: the step ends at the first */
    unsigned others = ff_lane_roots_passed(lane, b, l) & ~(1u << root);
    /* the force ends together with the contact: no clamp begins before */
    others &= root == FF_LANE_GAP ? 1u << FF_LANE_EDGE : ~0u;
    if (others) {
        ff_lane_root now;
        return aim_at_first(lane, b, l, others, &now) ? FF_LANE_GOES_ON : jump_now(lane, b, l, now);
    }
    const double before = ff_lane_time(b, l, b->x[l]);
    take(lane, b, l, sum);
    const double taken = ff_lane_time(b, l, b->x[l]) - before;
    lane->last = taken > lane->last ? taken : lane->last;
    aim_at_nothing(lane, b, l);
    return jump(lane, b, l, root);
}

/* ---- what a lane does ---- */

ff_lane_next ff_lane_attend(ff_lane *lane, ff_lane_block *b, int l) {
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
        return meet(lane, b, l);
    }
    if (b->events >> l & 1) {
        return cut(lane, b, l, ff_lane_roots_passed(lane, b, l));
    }
    /* the level of the springs reversed, motion becomes linear, or the end is reached */
    take(lane, b, l, b->look.sum[l]);
    b->h[l] = b->tried[l] * (forced ? 1 : b->factor[l]);
    if (b->ended >> l & 1 && lane->leaves) {
        return jump(lane, b, l, FF_LANE_GAP);
    }
    if (!ff_lane_keeps_clear(lane, b, l)) {
        return FF_LANE_IN_TROUBLE;
    }
    ff_lane_tell(lane, b, l, ff_lane_time(b, l, b->x[l]), true);
    if (b->calmed >> l & 1 && !(b->ended >> l & 1)) {
        return ff_lane_settle(lane, b, l);
    }
    return b->ended >> l & 1 ? FF_LANE_DONE : FF_LANE_GOES_ON;
}

ff_lane_next ff_lane_attend_fixed(ff_lane *lane, ff_lane_block *b, int l) {
    const bool inside = b->y[FF_LANE_Z][l] > 0;
    if (inside && !lane->inside) {
        ff_normal_touch(&ff_lane_slot(lane)->law, b->y[FF_LANE_W][l], &b->latched[l]);
    } else if (!inside && lane->inside) {
        /* without contact springs have no level */
        ff_lane_book(b, l, b->y[FF_LANE_GRADED][l] - b->sum[l]);
        reset(lane, b, l);
    }
    if (inside != lane->inside) {
        note_scale(lane, b, l, b->x[l]);
    }
    lane->inside = inside;
    return b->ended >> l & 1 ? FF_LANE_DONE : FF_LANE_GOES_ON;
}

/* ---- start and end ---- */

/* The plane that a run touches at its start, or the first one; slot_count if it touches several. */
static size_t first_plane(const ff_sim *sim) {
    size_t out = 0, touched = 0;
    for (size_t i = 0; i < sim->reduced->slot_count; i++) {
        if (sim->phase.modes[i] != FF_AIR) {
            out = i;
            touched++;
        }
    }
    return touched > 1 ? sim->reduced->slot_count : out;
}

ff_lane_next ff_lane_begin(ff_lane *lane, ff_lane_block *b, int l) {
    const ff_sim *sim = lane->sim;
    const ff_model *model = sim->reduced;
    const double *y = sim->flow.y;
    const size_t plane = first_plane(sim);
    ff_lane_motion motion;
    memset(lane->counts, 0, sizeof lane->counts);
    memset(lane->deepest, 0, sizeof lane->deepest);
    if (plane == model->slot_count) {
        return FF_LANE_IN_TROUBLE;
    }
    for (size_t i = 0; i < model->slot_count; i++) {
        const ff_slot *slot = &model->slots[i];
        lane->kept[i] = (ff_lane_kept){.sum = sim->phase.books[i].graded,
                                       .latched = slot->law.states > 0 ? y[slot->state_at] : 0};
        for (int k = 0; k < FF_LANE_ACCOUNTS; k++) {
            const int at = slot->integral[ff_lane_accounts[k]];
            lane->kept[i].accounts[k] = at < 0 ? 0 : y[slot->integral_at + (size_t)at];
        }
    }
    memcpy(motion.position, y + FF_P, sizeof motion.position);
    memcpy(motion.velocity, y + FF_VEL, sizeof motion.velocity);
    memcpy(motion.omega, y + FF_OMEGA, sizeof motion.omega);
    ff_lane_enter(lane, b, l, plane, 0, &motion);
    const ff_slot *slot = ff_lane_slot(lane);
    for (int i = 0; i < 2 && slot->friction.vectors > 0; i++) {
        b->y[FF_LANE_U + i][l] = ff_dot(y + slot->state_at + ff_slot_u(slot), lane->across[i]);
    }
    lane->until = sim->options.until;
    lane->tol = sim->options.tol;
    lane->least = sim->flow.now.least;
    lane->touch_step = 0.05 * ff_system_touch_time(model, 0);
    lane->moved = -1;
    lane->stalled = 0;
    lane->scale = sim->now.scale;
    lane->leaves = false;
    lane->tries = lane->forced = 0;
    lane->slide = (ff_friction_query){0};
    lane->at = (ff_pair_answer){0};
    lane->span = FF_LANE_NO_SPAN;
    lane->interpolates = lane->turned = false;
    b->steps[l] = b->rejected[l] = 0;
    b->live[l] = -1;
    aim_at_nothing(lane, b, l);
    set_mode(lane, b, l, sim->phase.modes[plane]);
    b->slipping[l] = sim->phase.slipping[plane] ? -1 : 0;
    lane->inside = sim->phase.inside[plane];
    lane->past = (ff_lane_phase){lane->mode, b->slipping[l] != 0, b->latched[l], lane->release};
    if (lane->mode == FF_FREE) {
        ff_lane_restart(lane, b, l, 0, 1, 0);
        b->h[l] = sim->options.dt;
        return FF_LANE_GOES_ON;
    }
    ff_lane_rest_find(lane, b, l);
    if (lane->mode == FF_AIR) {
        b->power[l] = 1;
        return fly(lane, b, l, 0);
    }
    const int power = sim->flow.now.clock.power;
    ff_lane_restart(lane, b, l, 0, power, ff_power_of(sim->flow.now.step, power));
    watch_others(lane, b, l, 0);
    return lane->until > 0 ? FF_LANE_GOES_ON : FF_LANE_DONE;
}
