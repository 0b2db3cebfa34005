/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

#include "contact/contact.h"

/* What is known of the impacts of a slot (sim/impacts.c); all 0: nothing has touched. */
typedef struct ff_hits {
    double count;         /* touch-downs */
    double force, depth;  /* the greatest, N and m */
    double time;          /* s, in which its force has acted, up to `since` where it acts now */
    double slip;          /* m, that the touching points have slid over each other */
    double since;         /* when the force began to act */
    double began, speed;  /* the last touch-down: when, and how fast; speed 0: there was none */
    double spell;         /* s, in which the force has acted since then, up to `since` */
    double entry;         /* of the last impact in the list of all, from 1; 0: in none */
    double load, rate, v; /* at the last look: force, rate of depth, speed of slip */
    bool acts;            /* its force does */
} ff_hits;

/* The accounts of a slot that are no integrals, J; and its impacts. */
typedef struct ff_books {
    double release; /* what was in the springs of friction when it was cut off */
    double cut;     /* what was in its normal spring then */
    /* Up to the last look: what changes of level took from the springs of friction, and what they made; and the sum of the
     * two by its own formula, ff_ledger_graded(). */
    double regrade, created, graded;
    double watched; /* then, too: the rate of the depth of a contact, chi of a sgn */
    /* Of the step that is observed: whether the sum turned within it, when, and where it was then. */
    bool turned;
    double turned_at, turned_sum;
    ff_hits hits;
} ff_books;

/* Whether books that were read from somewhere can be some. */
bool ff_books_valid(const ff_books *books);

/* Regrade and created together, up to a constant: the graded work less graded times level. After ff_touch_answer(). */
double ff_ledger_graded(const ff_slot *slot, const double *y, const ff_touch *touch);
/* Books a change of it: as regrade where it grew, as created where it fell. */
void ff_ledger_book(ff_books *books, double change);

/* Books the change of regrade and created up to a time within the step that the books began with, where their sum is
 * `sum`. */
void ff_ledger_catch_up(ff_books *books, double time, double sum);
/* Books a step by values of the sum at its start, at equal parts of it, and at its end: at[0] to at[parts]. Where it turns
 * at one of them, that is put in the vertex of the parabola through three. Returns whether it turned, and after which part of
 * the step the last time, with the sum there. */
bool ff_ledger_book_parts(ff_books *books, double *at, int parts, double *theta, double *sum);

/* The accounts of one slot; `bodies` are the motions at y. */
ff_ledger ff_ledger_contact(const ff_model *model, size_t slot, ff_mode mode, double t,
                            const double *bodies, const double *y, const ff_books *books);
/* Adds what belongs to the bodies and the run. */
void ff_ledger_bodies(const ff_model *model, const double *bodies, const double *y, ff_ledger *out);
/* Parties to a leak (leak.h): contacts, or classes of them in a crowd, then these. */
enum { FF_PARTY_SPRINGS, FF_PARTY_DAMPERS, FF_PARTY_APPLIED, FF_PARTY_CONSTRAINT, FF_PARTIES };

/* The sum of all accounts, and the sum of their magnitudes with gravity counted from `gravity`. */
double ff_ledger_sum(const ff_ledger *ledger);
double ff_ledger_magnitude(const ff_ledger *ledger, double gravity);
/* residual = initial - the sum of all accounts. */
void ff_ledger_close(ff_ledger *ledger);
/* The largest residual of a run that has not failed, as a part of scale. */
double ff_ledger_limit(const ff_run_options *options);
