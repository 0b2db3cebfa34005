/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

#include "contact/contact.h"

/* Impact record of a slot (sim/impacts.c); all 0: never touched. */
typedef struct ff_hits {
    double count;        /* touch-downs */
    double force, depth; /* largest force (N) and depth (m) */
    double time;         /* time during which its force acted, s, up to `since` if it acts now */
    double slip;         /* slip distance at the contact point, m */
    double since;        /* time at which the force began to act */
    /* time and approach speed of the last touch-down; speed 0: there was none */
    double began, speed;
    double spell;         /* time during which the force acted since then, s, up to `since` */
    double entry;         /* index of the last impact in the list of all, from 1; 0: not listed */
    double load, rate, v; /* at the last evaluation: force, depth rate, slip speed */
    double swing,
        span;  /* change of the slip speed in the last step, and its duration; 0: not known */
    bool acts; /* the force acts */
} ff_hits;

/* The accounts of a slot that are not integrals, J, and its impacts. */
typedef struct ff_books {
    double release; /* energy in the friction springs when they were cut off */
    double cut; /* energy in its normal spring at that time, and lost by it when contact was made */
    /* Up to the last evaluation: energy that changes of level removed from the friction springs, and energy they created;
     * and the sum of the two by its own formula, ff_ledger_graded(). */
    double regrade, created, graded;
    double watched; /* at the last evaluation: the depth rate of a contact, chi of a sgn */
    /* For the observed step: whether the sum changed direction within it, when, and its value then. */
    bool turned;
    double turned_at, turned_sum;
    ff_hits hits;
} ff_books;

/* Whether books that were read from outside are valid. */
bool ff_books_valid(const ff_books *books);

/* Regrade and created together, up to a constant: graded work minus graded times level. Call after ff_touch_answer(). */
double ff_ledger_graded(const ff_slot *slot, const double *y, const ff_touch *touch);
/* Books a change of that sum: as regrade if it grew, as created if it decreased. */
void ff_ledger_book(ff_books *books, double change);

/* Books the change of regrade and created up to a time within the current step, at which their sum is `sum`. */
void ff_ledger_catch_up(ff_books *books, double time, double sum);
/* Books a step from values of the sum at its start, at equal fractions and at its end: at[0] to at[parts]. An extremum is
 * replaced by the vertex of the parabola through three values. Returns whether there was one, with the fraction of the step
 * of the last one and the sum there. */
bool ff_ledger_book_parts(ff_books *books, double *at, int parts, double *theta, double *sum);

/* The accounts of one slot; `bodies` are the motions at y. */
ff_ledger ff_ledger_contact(const ff_model *model, size_t slot, ff_mode mode, double t,
                            const double *bodies, const double *y, const ff_books *books);
/* Adds the accounts of the bodies and the run. `gravity` without that of bodies that cannot move, which is added to
 * `initial`: its rounding must not hide what moves. */
void ff_ledger_bodies(const ff_model *model, const double *bodies, const double *y, ff_ledger *out);
/* Parties of the attribution (leak.h): contacts, or contact classes of a crowd, then these. */
enum { FF_PARTY_SPRINGS, FF_PARTY_DAMPERS, FF_PARTY_APPLIED, FF_PARTY_CONSTRAINT, FF_PARTIES };

/* The sum of all accounts, and the sum of their magnitudes with gravity relative to `gravity`. */
double ff_ledger_sum(const ff_ledger *ledger);
double ff_ledger_magnitude(const ff_ledger *ledger, double gravity);
/* residual = initial - the sum of all accounts. */
void ff_ledger_close(ff_ledger *ledger);
/* The largest residual of a successful run, as a fraction of scale. */
double ff_ledger_limit(const ff_run_options *options);
