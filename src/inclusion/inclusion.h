/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* An inclusion from inside. The state is y = x, e of each dio, a of each sgn, then the accounts: what each dio has
 * lost; damper and clutch of each sgn and, of laws other than sat, viscous and what went into its spring; the work
 * of power(). */

#include "ellipse.h"
#include "ledger/leak.h"
#include "ode/march.h"
#include <footfall/inclusion.h>

enum { FF_NAME_ROOM = 32 };

typedef struct ff_dio {
    ff_normal law, open;               /* open: the same without clamp */
    bool filtered;                     /* xiong: the force depends on e, and is continuous */
    double per_alpha, per_beta, waste; /* of xiong: 1/alpha, 1/beta, K (beta - alpha) */
    size_t gap;  /* its first root; the one after it is its hold where `clamps` */
    bool clamps; /* the clamp acts at some z > 0 */
    char name[FF_NAME_ROOM];
} ff_dio;

/* How a sgn rubs. */
typedef enum ff_rub {
    FF_RUB_LINE,  /* sat in R^1 */
    FF_RUB_PLANE, /* and R^2 */
    FF_RUB_ELLIPSE,
    FF_RUB_CLUTCH,
    FF_RUB_RAMP,    /* with a kink at a speed */
    FF_RUB_BRISTLE, /* with one at rest, on a line */
    FF_RUB_SMOOTH
} ff_rub;

typedef struct ff_sgn {
    ff_friction law;
    ff_rub rub;
    ff_ellipse ellipse;
    double per_k, per_beta, drag; /* of sat: mu/K, 1/beta, K beta */
    int dimension;
    size_t at;  /* its place among friction arguments */
    bool bends; /* it has a root */
    size_t root;
    size_t integral; /* its first account in y */
    char name[FF_NAME_ROOM];
} ff_sgn;

/* What a sgn loses: the accounts of sat are the first two. */
enum { FF_LOST_DAMPER, FF_LOST_CLUTCH, FF_LOST_VISCOUS, FF_SPRING_TAKES, FF_LOSSES };

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
    size_t width;               /* of all friction arguments */
    size_t e_at, a_at, lost_at; /* in y */
    size_t work_at;             /* the work of power(); y's size where there is none */
    bool closes;                /* some law wants the rates of psi */
    ff_dio *dios;
    ff_sgn *sgns;
    size_t first_dios,
        first_sgns; /* how many are of xiong, and of sat in R^1, before the first that is not */
    ff_root *roots;
    ff_march march;
    double *stepper_memory, *march_memory;
    bool *above, *last_above;
    bool *inert, *first, *fixed; /* fixed: the scale was given */
    int *speed, *pivots;
    size_t *active;
    double *scales;
    double *switches;
    char (*names)[FF_NAME_ROOM]; /* of states */
    bool *silent;
    double brink, last_brink; /* times from here on are seen as just before it: the next switch */

    /* of the last evaluation */
    double *psi, *psi_rate, *theta, *contact, *chi, *friction;
    double *inner_rates;       /* in the places of y, where nobody wants them */
    bool *touching, *slipping; /* for views only */

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
/* Of a sgn there: positive where it slips, or beyond its kink. */
double ff_inclusion_grip(const ff_inclusion *inc, size_t i, const double *all_a);
/* Fills dy; of `ff_rates`. */
void ff_inclusion_rates(void *user, double t, const double *y, double *dy);
/* Energy in a law's inner state after evaluation. */
double ff_inclusion_dio_stored(const ff_inclusion *inc, size_t i, const double *y);
double ff_inclusion_sgn_stored(const ff_inclusion *inc, size_t i, const double *y);
