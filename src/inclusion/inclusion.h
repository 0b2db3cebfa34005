/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* An inclusion from inside. The state is y = x, the inner states of each dio and of each sgn, then the accounts: what
 * each dio has lost; the losses of each sgn and, where its springs are in proportion to chi, what changes of chi took
 * from them, and the part of that which is negative; the work of power(). */

#include "law/kernels.h"
#include "ledger/leak.h"
#include "ledger/ledger.h"
#include "num/ellipse.h"
#include "ode/march.h"
#include <footfall/inclusion.h>

enum { FF_NAME_ROOM = 32 };

typedef struct ff_dio {
    ff_normal law;
    /* Contact begins at psi = 0, where the force may jump; else the law has a gap of its own. */
    bool jumps;
    bool clamps; /* the force may end before psi is back at 0 */
    size_t at;   /* its first inner state in y */
    size_t gap;  /* its first root; the one after it is its hold where `clamps` */
    char name[FF_NAME_ROOM];
} ff_dio;

typedef struct ff_sgn {
    ff_friction law;
    bool shaped; /* its forces lie in an ellipse */
    ff_ellipse ellipse;
    int dimension;
    size_t at;    /* its place among friction arguments */
    size_t a_at;  /* its first inner state in y */
    bool watched; /* it has a root */
    bool slips;   /* which is where it slips; else where its force bends */
    size_t root;
    size_t integral; /* its first account in y */
    size_t losses;   /* how many of them are losses, in the order of FF_LOST_DAMPER .. */
    bool graded;     /* one more after them: graded work (ledger/ledger.c) */
    char name[FF_NAME_ROOM];
} ff_sgn;

/* dios and sgns one after the other that are evaluated in one go: of laws of this library, with a gap of their own, and
 * without an ellipse. Others are alone. */
typedef struct ff_dio_row {
    ff_push_row row;
    ff_normal_push_all push; /* NULL: one dio alone */
    size_t first;            /* its place */
    size_t at, integral;     /* of its states and accounts in y */
} ff_dio_row;

typedef struct ff_sgn_row {
    ff_slide_row row;
    ff_friction_flat_all rub;
    size_t first, at, integral;
} ff_sgn_row;

/* What a root belongs to. */
typedef enum ff_root_kind {
    FF_ROOT_GAP,
    FF_ROOT_HOLD,
    FF_ROOT_GRIP, /* stick and slip */
    FF_ROOT_KINK, /* of a sgn, silent */
    FF_ROOT_USER
} ff_root_kind;

typedef struct ff_root {
    ff_root_kind kind;
    size_t of;
} ff_root;

struct ff_inclusion {
    ff_inclusion_def def; /* arrays are the inclusion's own */
    ff_run_options options;
    void *memory;
    size_t width;   /* of all friction arguments */
    size_t lost_at; /* the first account in y */
    size_t work_at; /* the work of power(); y's size where there is none */
    bool closes;    /* some law wants the rates of psi */
    bool grades;    /* some sgn is graded, and there are accounts */
    ff_dio *dios;
    ff_sgn *sgns;
    ff_dio_row *dio_rows;
    ff_sgn_row *sgn_rows;
    size_t dio_row_count, sgn_row_count;
    ff_root *roots;
    ff_march march;
    double *stepper_memory, *march_memory;
    bool *above, *last_above;
    bool *first, *fixed; /* fixed: the scale was given */
    int *speed, *pivots;
    size_t *active;
    double *scales;
    double *switches;
    char (*names)[FF_NAME_ROOM]; /* of states */
    bool *silent;
    double brink, last_brink; /* times from here on are seen as just before it: the next switch */

    /* of the last evaluation */
    double *psi, *psi_rate, *theta, *contact, *chi, *friction;
    double *excess, *graded; /* of each sgn */
    /* Rates of inner states and accounts, in the places of y, where nobody wants them. */
    double *inner_rates;
    double *inside, *sums; /* y within a step, and what changes of chi came to there, of each sgn */
    ff_books *books, *last_books; /* of each sgn; watched: chi at the last look */
    bool *touching, *slipping;    /* for views only */
    double *e, *a;                /* the same: first inner states */

    double *seen; /* y at the time that is observed */
    double seen_time;
    ff_event event, *queue;
    size_t queued, told;
    double initial, scale;
    ff_leak leak; /* parties: dios, sgns, then power() */
    ff_leak_now leaked;
    bool blaming; /* every evaluation is looked through for what is not a number */
    ff_error error;
};

/* ---- laws (laws.c) ---- */

/* Forces and rates of inner states at (t, y), from arguments to friction. */
void ff_inclusion_evaluate(ff_inclusion *inc, double t, const double *y);
/* The values of all roots and, after them, chi and a 0 unless some psi is no number. */
void ff_inclusion_values(void *user, double t, const double *y, bool known, double *g);
/* Fills dy; of `ff_rates`. */
void ff_inclusion_rates(void *user, double t, const double *y, double *dy);
/* The sides and the switch of the last step for those of now, and back. */
static inline void ff_inclusion_exchange(ff_inclusion *inc) {
    bool *above = inc->march.above;
    double brink = inc->brink;
    inc->march.above = inc->last_above;
    inc->last_above = above;
    inc->brink = inc->last_brink;
    inc->last_brink = brink;
}

/* ---- regrade and created (books.c) ---- */

/* of a step in which chi changes: enough to tell rises and falls apart to the tolerance */
enum { FF_PARTS = 4 };

/* At the start, where all was evaluated. */
void ff_inclusion_open_books(ff_inclusion *inc);
/* After a step; `jumped`: functions or sides changed at its end. */
void ff_inclusion_book(ff_inclusion *inc, bool jumped);
/* The books of a sgn at the time that is looked at, after evaluation there. */
ff_books ff_inclusion_books(const ff_inclusion *inc, size_t sgn, double time, const double *y);

/* Energy in a law after evaluation; of a sgn at that chi. */
double ff_inclusion_dio_stored(const ff_inclusion *inc, size_t i, const double *y);
double ff_inclusion_sgn_stored(const ff_inclusion *inc, size_t i, double chi, const double *y);
/* How fast the inner states of a law settle, 1/s; 0 where it has none. */
double ff_inclusion_dio_pace(const ff_dio *dio);
double ff_inclusion_sgn_pace(const ff_sgn *sgn);
