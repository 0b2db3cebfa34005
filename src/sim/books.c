/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "num/bracket.h"
#include "sim.h"

/* Regrade and created: one sum, whose increases and decreases are booked separately (ledger/ledger.c). */

/* The sum and the depth rate at y. Without contact the level is 0. */
static double graded_at(ff_sim *sim, size_t i, double t, const double *y, double *pace) {
    const ff_slot *slot = &sim->reduced->slots[i];
    const double *state = y + slot->state_at;
    const ff_mode mode = sim->phase.modes[i];
    const double *bodies = ff_sim_bodies_at(sim, y);
    ff_touch touch;
    ff_touch_find(slot, t, bodies, &touch);
    *pace = touch.zdot;
    if (ff_touch_recovers(slot, mode, state)) {
        ff_touch_recover(slot, state, NULL, &touch);
        *pace = touch.slide.zdot;
    } else if (mode != FF_AIR && !(mode == FF_FREE && ff_touch_ignored(slot, bodies))) {
        ff_touch_answer(slot, mode, state, NULL, &touch);
    } else {
        return ff_slot_integral(slot, y, FF_GRADED_WORK);
    }
    return ff_ledger_graded(slot, y, &touch);
}

/* ff_ledger_graded() of slot i at the end of a step. */
static double graded_here(ff_sim *sim, size_t i, double *pace) {
    const ff_mode mode = sim->phase.modes[i];
    if (ff_sim_touches_known(sim) && (mode == FF_LOADED || mode == FF_CLAMPED)) {
        const ff_touch touch = ff_touch_of(&sim->touches[i]);
        *pace = touch.zdot;
        return ff_ledger_graded(&sim->reduced->slots[i], sim->flow.y, &touch);
    }
    return graded_at(sim, i, ff_sim_now_time(sim), sim->flow.y, pace);
}

/* ff_ledger_graded() of slot i within the last step. */
static double graded_within(ff_sim *sim, size_t i, double theta, double *pace) {
    const ff_slot *slot = &sim->reduced->slots[i];
    ff_reads reads = ff_slot_reads(sim, i);
    /* also read the account itself */
    if (reads.parts > 0 && slot->integral[FF_GRADED_WORK] >= 0) {
        reads.part[reads.parts].from = slot->integral_at + (size_t)slot->integral[FF_GRADED_WORK];
        reads.part[reads.parts++].count = 1;
    }
    ff_flow_within(&sim->flow, theta, reads, sim->scratch);
    return graded_at(sim, i, ff_flow_time_within(&sim->flow, theta), sim->scratch, pace);
}

/* Records an extremum within the last step, for observers. */
static void note_turn(ff_sim *sim, size_t i, double theta, double sum) {
    ff_books *past = &sim->past.books[i];
    past->turned = true;
    past->turned_at = ff_flow_time_within(&sim->flow, theta);
    past->turned_sum = sum;
}

/* A grade has its extremum where the depth does. */
static void book_turn(ff_sim *sim, size_t i, double to, double pace) {
    ff_books *books = &sim->phase.books[i];
    const double sign = pace > 0 ? 1 : -1;
    ff_bracket b = {.high = 1, .g_low = sign * books->watched, .g_high = sign * pace};
    double sum = to, at = 1;
    for (int turn = 0; turn < 20 && b.high - b.low > 1e-6; turn++) {
        double rate;
        at = ff_bracket_guess(&b);
        sum = graded_within(sim, i, at, &rate);
        ff_bracket_narrow(&b, at, sign * rate);
    }
    note_turn(sim, i, at, sum);
    ff_ledger_book(books, sum - books->graded);
    ff_ledger_book(books, to - sum);
}

/* subintervals of a step in which the level may have an extremum: enough to separate increases and decreases to the
 * tolerance */
enum { PARTS = 4 };

/* The time at which a load has its extremum is unknown, so the sum is evaluated at subintervals of the step. */
static void book_parts(ff_sim *sim, size_t i, double to) {
    double at[PARTS + 1] = {sim->phase.books[i].graded}, pace, theta, sum;
    at[PARTS] = to;
    for (int k = 1; k < PARTS; k++) {
        at[k] = graded_within(sim, i, (double)k / PARTS, &pace);
    }
    if (ff_ledger_book_parts(&sim->phase.books[i], at, PARTS, &theta, &sum)) {
        note_turn(sim, i, theta, sum);
    }
}

void ff_books_start(ff_sim *sim) {
    for (size_t i = 0; i < sim->reduced->slot_count; i++) {
        double pace;
        if (sim->reduced->slots[i].graded) {
            sim->phase.books[i].graded =
                graded_at(sim, i, ff_sim_now_time(sim), sim->flow.y, &pace);
        }
    }
}

void ff_books_step(ff_sim *sim) {
    const ff_model *model = sim->reduced;
    for (size_t i = 0; i < model->slot_count; i++) {
        const ff_slot *slot = &model->slots[i];
        ff_books *books = &sim->phase.books[i];
        if (!slot->graded || (sim->phase.modes[i] == FF_AIR && !slot->stateful)) {
            continue;
        }
        double pace, sum = graded_here(sim, i, &pace);
        const bool grade = slot->friction.law->level == FF_LEVEL_GRADE;
        if (sum == books->graded || (grade && !(pace * books->watched < 0)) ||
            !ff_method_order(sim->flow.now.method)) {
            ff_ledger_book(books, sum - books->graded);
        } else {
            if (grade) {
                book_turn(sim, i, sum, pace);
            } else {
                book_parts(sim, i, sum);
            }
        }
        books->graded = sum;
        books->watched = pace;
        sim->flow.altered = true;
    }
}
