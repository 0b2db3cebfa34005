/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "inclusion.h"
#include <math.h>

/* Energy that changes of chi removed from, and gave to, the springs of sgns whose stiffness is proportional to chi
 * (ledger/ledger.c). */

/* The sum of the two, up to a constant, at the last evaluation of a sgn. */
static double graded_sum(const ff_inclusion *inc, size_t i, const double *y) {
    const ff_sgn *sgn = &inc->sgns[i];
    return sgn->graded ? y[sgn->integral + sgn->losses] - inc->graded[i] * fmax(inc->chi[i], 0) : 0;
}

static void evaluate_at(ff_inclusion *inc, double time, const double *y, double *sums) {
    ff_inclusion_evaluate(inc, &inc->phases[0], time, y);
    for (size_t i = 0; i < inc->def.sgn_count; i++) {
        sums[i] = graded_sum(inc, i, y);
    }
}

void ff_inclusion_open_books(ff_inclusion *inc) {
    for (size_t i = 0; i < inc->def.sgn_count && inc->grades; i++) {
        inc->phases[0].books[i] =
            (ff_books){.graded = graded_sum(inc, i, inc->sim->flow.y), .watched = inc->chi[i]};
    }
}

/* The sums at the end of a step and, if chi has changed, at fractions of it. If chi has not changed, nothing is regraded,
 * whatever the error of the step. */
void ff_inclusion_book_step(ff_inclusion *inc) {
    const size_t count = inc->def.sgn_count;
    ff_flow *f = &inc->sim->flow;
    ff_books *books = inc->phases[0].books;
    double *end = inc->sums + FF_PARTS * count;
    bool varies = false;
    evaluate_at(inc, ff_flow_time(f), f->y, end);
    for (size_t i = 0; i < count; i++) {
        bool changed = inc->sgns[i].graded && inc->chi[i] != books[i].watched;
        varies = varies || changed;
        books[i].watched = inc->chi[i];
        inc->sums[i] = changed ? books[i].graded : end[i];
    }
    const int parts = varies && ff_method_order(f->method) ? FF_PARTS : 1;
    for (int k = 1; k < parts; k++) {
        const double theta = (double)k / FF_PARTS;
        ff_flow_within(f, theta, (ff_reads){0}, inc->inside);
        evaluate_at(inc, ff_flow_time_within(f, theta), inc->inside, inc->sums + (size_t)k * count);
    }
    for (size_t i = 0; i < count; i++) {
        double at[FF_PARTS + 1], theta;
        ff_books *past = &inc->phases[1].books[i];
        for (int k = 0; k < parts; k++) {
            at[k] = inc->sums[(size_t)k * count + i];
        }
        at[parts] = end[i];
        if (at[0] != end[i] &&
            ff_ledger_book_parts(&books[i], at, parts, &theta, &past->turned_sum)) {
            past->turned = true;
            past->turned_at = ff_flow_time_within(f, theta);
        }
        books[i].graded = end[i];
    }
    f->altered = true;
}

void ff_inclusion_book_jump(ff_inclusion *inc) {
    const ff_flow *f = &inc->sim->flow;
    evaluate_at(inc, ff_flow_time(f), f->y, inc->sums);
    for (size_t i = 0; i < inc->def.sgn_count; i++) {
        ff_books *books = &inc->phases[0].books[i];
        if (inc->chi[i] != books->watched) {
            ff_ledger_book(books, inc->sums[i] - books->graded);
        }
        books->graded = inc->sums[i];
        books->watched = inc->chi[i];
    }
}

ff_books ff_inclusion_books(const ff_inclusion *inc, size_t i, const ff_inclusion_sight *at) {
    ff_books now = at->phase->books[i];
    if (inc->chi[i] != now.watched) {
        ff_ledger_catch_up(&now, at->time, graded_sum(inc, i, at->y));
    }
    return now;
}
