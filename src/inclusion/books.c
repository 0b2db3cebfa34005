/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "inclusion.h"
#include <math.h>

/* What changes of chi took from the springs of sgns that are in proportion to it, and gave them (ledger/ledger.c). */

/* The sum of the two, up to a constant, where a sgn was last evaluated. */
static double graded_sum(const ff_inclusion *inc, size_t i, const double *y) {
    const ff_sgn *sgn = &inc->sgns[i];
    return sgn->graded ? y[sgn->integral + sgn->losses] - inc->graded[i] * fmax(inc->chi[i], 0) : 0;
}

static void evaluate_at(ff_inclusion *inc, double time, const double *y, double *sums) {
    ff_inclusion_evaluate(inc, time < inc->brink ? time : inc->brink, y);
    for (size_t i = 0; i < inc->def.sgn_count; i++) {
        sums[i] = graded_sum(inc, i, y);
    }
}

void ff_inclusion_open_books(ff_inclusion *inc) {
    for (size_t i = 0; i < inc->def.sgn_count && inc->grades; i++) {
        inc->books[i] =
            (ff_books){.graded = graded_sum(inc, i, inc->march.y), .watched = inc->chi[i]};
    }
}

/* The sums at the end of a step and, where chi has changed, at parts of it, all with the sides of then. Where it has not
 * nothing is regraded, whatever the step was off by. */
static void book_step(ff_inclusion *inc) {
    const size_t count = inc->def.sgn_count;
    ff_march *m = &inc->march;
    double *end = inc->sums + FF_PARTS * count;
    bool varies = false;
    evaluate_at(inc, m->time, m->y, end);
    for (size_t i = 0; i < count; i++) {
        bool changed = inc->sgns[i].graded && inc->chi[i] != inc->books[i].watched;
        varies = varies || changed;
        inc->books[i].watched = inc->chi[i];
        inc->sums[i] = changed ? inc->books[i].graded : end[i];
    }
    const int parts = varies && m->last_step > 0 && ff_method_order(m->asked) ? FF_PARTS : 1;
    for (int k = 1; k < parts; k++) {
        double time = m->last_time + m->last_step * k / FF_PARTS;
        ff_march_at(m, time, inc->inside);
        evaluate_at(inc, time, inc->inside, inc->sums + (size_t)k * count);
    }
    for (size_t i = 0; i < count; i++) {
        double at[FF_PARTS + 1], theta;
        ff_books *last = &inc->last_books[i];
        for (int k = 0; k < parts; k++) {
            at[k] = inc->sums[(size_t)k * count + i];
        }
        at[parts] = end[i];
        if (at[0] != end[i] &&
            ff_ledger_book_parts(&inc->books[i], at, parts, &theta, &last->turned_sum)) {
            last->turned = true;
            last->turned_at = m->last_time + m->last_step * theta;
        }
        inc->books[i].graded = end[i];
    }
}

void ff_inclusion_book(ff_inclusion *inc, bool jumped) {
    ff_march *m = &inc->march;
    ff_inclusion_exchange(inc);
    book_step(inc);
    ff_inclusion_exchange(inc);
    if (!jumped) {
        return;
    }
    evaluate_at(inc, m->time, m->y, inc->sums);
    for (size_t i = 0; i < inc->def.sgn_count; i++) {
        ff_books *books = &inc->books[i];
        if (inc->chi[i] != books->watched) {
            ff_ledger_book(books, inc->sums[i] - books->graded);
        }
        books->graded = inc->sums[i];
        books->watched = inc->chi[i];
    }
}

ff_books ff_inclusion_books(const ff_inclusion *inc, size_t i, double time, const double *y) {
    ff_books now = isnan(inc->seen_time) ? inc->books[i] : inc->last_books[i];
    if (inc->chi[i] != now.watched) {
        ff_ledger_catch_up(&now, time, graded_sum(inc, i, y));
    }
    return now;
}
