/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* An inclusion from inside. The state is y = x, the inner states of each dio and of each sgn, then the accounts: what
 * each dio has lost; the losses of each sgn and, where its springs are in proportion to chi, what changes of chi took
 * from them, and the part of that which is negative; the work of power(). */

#include "law/kernels.h"
#include "model/fields.h"
#include "num/ellipse.h"
#include "sim/sim.h"
#include <footfall/inclusion.h>

enum { FF_NAME_ROOM = 32 };

/* J: what the scale of accounts is at the least */
#define FF_LEAST_ENERGY 1e-9

typedef struct ff_dio {
    ff_normal law;
    /* Contact begins at psi = 0, where the force may jump; else the law has a gap of its own. */
    bool jumps;
    bool clamps; /* the force may end before psi is back at 0 */
    size_t at;   /* its first inner state in y */
    size_t gap;  /* its first root; the one after it is its hold where `clamps` */
    const char *name;
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
    const char *name;
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

/* What a root function is of. */
typedef enum ff_watched {
    FF_OF_GAP,
    FF_OF_HOLD,
    FF_OF_GRIP, /* stick and slip */
    FF_OF_BEND, /* of the force of a sgn, silent */
    FF_OF_USER
} ff_watched;

typedef struct ff_inclusion_root {
    ff_watched of;
    size_t i;
} ff_inclusion_root;

/* All that is discrete, as a view of one block of bytes. */
typedef struct ff_inclusion_phase {
    double *brink;   /* times from here on are seen as just before it: the next switch */
    ff_books *books; /* of each sgn; watched: chi at the last look */
    bool *above;     /* on which side of 0 each root function is */
} ff_inclusion_phase;

/* What is looked at. */
typedef struct ff_inclusion_sight {
    double time;
    const double *y;
    const ff_inclusion_phase *phase;
} ff_inclusion_sight;

/* A run of an inclusion. */
typedef struct ff_inclusion {
    ff_sim *sim;
    ff_inclusion_def def; /* arrays are the model's */
    size_t size;          /* of y */
    size_t width;         /* of all friction arguments */
    size_t watched;       /* root functions that are not held */
    size_t lost_at;       /* the first account in y */
    size_t work_at;       /* the work of power(); y's size where there is none */
    bool closes;          /* some law wants the rates of psi */
    bool grades;          /* some sgn is graded, and there are accounts */
    ff_dio *dios;
    ff_sgn *sgns;
    ff_dio_row *dio_rows;
    ff_sgn_row *sgn_rows;
    size_t dio_row_count, sgn_row_count;
    ff_inclusion_root *roots;
    ff_inclusion_phase phases[2]; /* now, and in the last step */

    /* the state besides that of the flow */
    double *scales; /* of each component of y */
    double *sizes;  /* the largest of each root function so far; more is no harm */

    /* how far a root function must be beyond 0 to have crossed it, and what part of its size that is */
    double *noise, *noise_part;
    bool *first, *fixed; /* fixed: the scale was given */
    int *speed;
    /* of the last evaluation */
    double *psi, *psi_rate, *theta, *contact, *chi, *friction;
    double *excess, *graded; /* of each sgn */
    double *values;          /* of all root functions */
    /* Rates of inner states and accounts, in the places of y, where nobody wants them. */
    double *inner_rates;
    double *inside, *sums; /* y within a step, and what changes of chi came to there, of each sgn */
    bool *touching, *slipping; /* for views only */
    double *e, *a;             /* first inner states, for views only */
    double *outputs;           /* all numbers of all outputs */
    bool blaming;              /* every evaluation is looked through for what is not a number */
} ff_inclusion;

extern const ff_sim_kind ff_inclusion_kind;
/* Its states, forces, outputs and accounts (fields.c). */
extern const ff_field_source ff_inclusion_fields;

/* Makes a run, of ff_sim_kind (inclusion.c). */
ff_status ff_inclusion_make(ff_sim *sim, ff_error *error);

/* ---- as a system (system.c) ---- */

extern const ff_system ff_inclusion_system;

/* The reciprocal of the error that each component may make. */
void ff_inclusion_weigh(ff_inclusion *inc, size_t from);
/* The first switch after t, infinite where steps go over them. */
double ff_inclusion_next(const void *self, double t);
void ff_inclusion_note(ff_sim *sim, ff_status status);
/* The noise of root functions, from their sizes. */
void ff_inclusion_size_noise(ff_inclusion *inc);

/* Of ff_system and ff_sim_kind (state.c). */
bool ff_inclusion_knows(const void *self, const ff_event *event);
bool ff_inclusion_valid(const ff_sim *sim);
uint64_t ff_inclusion_fingerprint(const ff_sim *sim);

/* All accounts, of ff_sim_kind (view.c). */
ff_ledger ff_inclusion_accounts(ff_sim *sim, double *held);

/* ---- laws (laws.c) ---- */

/* Forces and rates of inner states at (t, y), from arguments to friction. */
void ff_inclusion_evaluate(ff_inclusion *inc, const ff_inclusion_phase *phase, double t,
                           const double *y);
/* The values of all root functions and, after them, chi and a 0 unless some psi is no number. `known`: the rates were
 * evaluated there last. */
void ff_inclusion_values(ff_inclusion *inc, double t, const double *y, bool known);
/* Fills dy; of `ff_rates`. */
int ff_inclusion_rates(void *self, double t, const double *y, double *dy);

/* ---- regrade and created (books.c) ---- */

/* of a step in which chi changes: enough to tell rises and falls apart to the tolerance */
enum { FF_PARTS = 4 };

/* At the start, where all was evaluated. */
void ff_inclusion_open_books(ff_inclusion *inc);
/* After a step, and after functions or sides changed at its end. */
void ff_inclusion_book_step(ff_inclusion *inc);
void ff_inclusion_book_jump(ff_inclusion *inc);
/* The books of a sgn at what is looked at, after evaluation there. */
ff_books ff_inclusion_books(const ff_inclusion *inc, size_t sgn, const ff_inclusion_sight *at);

/* Energy in a law after evaluation; of a sgn at that chi. */
double ff_inclusion_dio_stored(const ff_inclusion *inc, const ff_inclusion_phase *phase, size_t i,
                               const double *y);
double ff_inclusion_sgn_stored(const ff_inclusion *inc, size_t i, double chi, const double *y);
/* How fast the inner states of a law settle, 1/s; 0 where it has none. */
double ff_inclusion_dio_pace(const ff_dio *dio);
double ff_inclusion_sgn_pace(const ff_sgn *sgn);
