/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* One-step methods for a system y' = f(x, y), where x is time or a transformed time. The last components may be
 * quadratures: integrals on which no rate depends, which are not part of any matrix. */

#include "num/sparse.h"
#include <footfall/tool.h>

/* Fills in dy. Returns 0; > 0 if the step must be shorter; or an ff_status < 0 if the run cannot continue (dy is then not
 * used). */
typedef int (*ff_rates)(void *user, double x, const double *y, double *dy);

/* Number of stored rates: what dop853 needs for its 16 stages */
enum { FF_STAGES = 11 };

/* Interruption of a step by the caller. */
typedef struct ff_halt {
    bool (*wanted)(void *user); /* NULL: never interrupt */
    void *user;
    bool asks; /* the current step may be interrupted */
    bool now;  /* the current step is interrupted */
    /* evaluations until `wanted` is called again: a call may read a clock, 20 ns or more */
    int left;
} ff_halt;

/* States that are next to each other and have the same part in a folded matrix. */
typedef enum ff_fold_kind {
    FF_FOLD_OWN,    /* states with a row each: row, row + 1, ... */
    FF_FOLD_SHARED, /* vectors of three states, all of which share the three rows from `row` */
    FF_FOLD_APART,  /* states without a row, whose rates are `own` times themselves */
    FF_FOLD_INERT   /* states that are not active */
} ff_fold_kind;

typedef struct ff_fold_run {
    ff_fold_kind kind;
    size_t state, count; /* first state; number of states, or of vectors */
    size_t row;
    double own;
} ff_fold_run;

/* A matrix with fewer rows than active states. States whose rates depend on the other states in the same way, and on which the
 * others depend only through their sum, share a row, which stands for their mean. A state whose rate is `own` times itself,
 * and on which nothing depends, has none. The solution is that of the whole system:
 *     (d - J) x = b:  x_a = mean(x) + (b_a - mean(b))/d,  or  x_a = b_a/(d - own). */
typedef struct ff_fold {
    bool used;         /* the current matrix is folded; set by `jacobian` */
    size_t rows;       /* number of its rows */
    size_t fixed;      /* number of the rows, the first, of states that are never folded */
    size_t fewest;     /* number of rows to expect before the first matrix; 0: never folded */
    ff_fold_run *runs; /* all states */
    size_t run_count;
    size_t *first; /* first state of each row */
    double *part;  /* 1/number of states in each row */
    double *mean, *solution;
    double d;
} ff_fold;

typedef struct ff_stepper {
    size_t n, states; /* number of all components, and of states (without quadratures) */
    ff_rates rates;
    void *user;
    const struct ff_loops *loops; /* methods compiled for this machine (methods.h) */
    /* semi-implicit: the components that are advanced first (velocities); may be NULL */
    const bool *first;
    /* verlet: for a state that is a position, its velocity, otherwise -1; may be NULL */
    const int *speed;
    const double *scales; /* scales of the components, for finite differences; may be NULL */
    size_t *active;       /* indices of the states that are part of matrices */
    size_t active_count;
    /* adds the entries of df/dy over the active states; NULL: by finite differences */
    void (*jacobian)(void *user, double x, const double *y, ff_sparse *out);
    ff_fold fold;
    bool timed; /* f depends explicitly on x, for implicit methods */
    int answer; /* return value of f in the last step tried: the first one that was not 0 */
    double *k[FF_STAGES]; /* k[0] is f at the start of a step, k[6] at its end */
    double *y1;           /* end of the last step tried */
    double *stage;        /* scratch */
    double *dense;        /* coefficients of the interpolant, n each */
    int dense_terms;      /* number of coefficients for the last step tried; 0: not computed yet */
    double dense_end;     /* argument of the interpolant at the end of the step; 1: not moved */
    /* df/dy, and the factors of I/(gamma h) - df/dy; NULL: no implicit methods */
    ff_sparse *matrix;
    bool taken;     /* the last step tried was accepted: k[6] is the next k[0] */
    bool sloped;    /* the Jacobian at the start of the step is known */
    double x, step; /* start and length of the last step tried */
    double
        length; /* its length when it was tried, to which the stages belong; `step` may have been moved since */
    ff_halt halt;
    /* error of the trapezoidal rule over the last dopri5 step, relative to the tolerances */
    double bend;
    /* estimate of the step times the largest eigenvalue modulus, see ff_stepper_stiffness() */
    double stiffness;
    bool elsewhere; /* the last step was tried elsewhere, see ff_stepper_hand_out() */
    /* fills in k[0] and k[2] to k[6] of that step when they are needed; NULL: they are known */
    void (*fetch)(void *user);
    void *fetcher;
    long evaluations;
    long tries; /* number of steps tried: a name of the last one */
} ff_stepper;

/* Number of doubles of work memory of a stepper; `active` must have room for all states. */
size_t ff_stepper_room(size_t n);
/* `inert` marks states that affect nothing but themselves and are left out of matrices; may be NULL. Implicit methods need
 * a `matrix` with as many rows as there are active states; NULL: no implicit methods. The matrix belongs to the caller. */
void ff_stepper_init(ff_stepper *s, size_t n, size_t states, const bool *inert, ff_rates rates,
                     void *user, double *memory, ff_sparse *matrix, size_t *active);

/* Starts integration without history: evaluates k[0]. */
void ff_stepper_start(ff_stepper *s, double x, const double *y);

/* Tries a step from (x, y), with k[0] known: computes y1, k[6] and data for the interpolant. Returns the largest error
 * relative to the tolerances, max over i of |error_i| per_weight_i, which should be at most 1; 0 for fixed-step methods,
 * infinite if f requested a shorter step. `answer` is FF_NO_MEMORY if there is no memory for the matrix of an implicit
 * method. */
double ff_stepper_try(ff_stepper *s, ff_method method, double x, const double *y, double h,
                      const double *per_weight);

/* A step of dopri5 that is tried elsewhere, together with steps of other steppers (ensemble/trials.h): call this before, and
 * fill in y1, `bend` and `stiffness` as ff_stepper_try() and ff_stepper_stiffness() would. */
void ff_stepper_hand_out(ff_stepper *s, double x, double h, void (*fetch)(void *user),
                         void *fetcher);
/* Counts the evaluations of such a step, when its result is used. */
void ff_stepper_hand_in(ff_stepper *s);
/* Makes the rates of such a step known. */
static inline void ff_stepper_fetch(const ff_stepper *s) {
    if (s->fetch) {
        s->fetch(s->fetcher);
    }
}

/* Evaluates df/dy at the start (x, y) of a step unless it is known; implicit methods do this themselves. False if f
 * requested a shorter step or memory is exhausted: see `answer`. */
bool ff_stepper_find_slopes(ff_stepper *s, double x, const double *y);
/* Floating-point operations of the linear algebra in one step of a method, with the last structure of df/dy: one
 * factorisation and solves; 0 for explicit methods, and if there is no structure yet. */
double ff_stepper_solve_flops(const ff_stepper *s, ff_method method);
/* Number of rows of matrices to expect. */
static inline size_t ff_stepper_rows(const ff_stepper *s) {
    return s->fold.fewest > 0 ? s->fold.fewest : s->active_count;
}

/* Tries a step that may be interrupted. Returns true if it was; then `error` is not set, and the next try starts from the
 * same point. */
bool ff_stepper_broken(ff_stepper *s, ff_method method, double x, const double *y, double h,
                       const double *per_weight, double *error);

/* Computes `stiffness` after a step of dopri5 or dop853: |f(y1) - f(g)| h/|y1 - g| in units of the tolerances, where g is
 * the argument of the last stage, which is also at the end of the step (Hairer and Wanner, Solving Ordinary Differential
 * Equations II, IV.2). Explicit steps are stable up to about 3.3 (dopri5) and 6 (dop853). */
void ff_stepper_stiffness(ff_stepper *s, ff_method method, const double *per_weight);

/* After an accepted implicit step: estimate of the largest eigenvalue modulus of its Jacobian, by power iteration in units
 * of the tolerances. The geometric mean over four iterations is also correct for complex conjugate pairs. */
double ff_stepper_spectral_radius(ff_stepper *s, const double *per_weight);

/* Prepares and evaluates the interpolant of the last step tried, also after it was accepted, at 0 <= theta <= 1: order 4
 * for dopri5, 7 for dop853 (3 more evaluations), Hermite's cubic for the others. The step began at (x, y); the interpolant
 * is prepared only once. */
void ff_stepper_dense(ff_stepper *s, ff_method method, double x, const double *y, double h);
void ff_stepper_at(const ff_stepper *s, double theta, double *out);
/* Coefficients of the powers of theta, from 0 on, of component i of the interpolant; returns their number. */
enum { FF_DENSE_MOST = 8 };
int ff_stepper_polynomial(const ff_stepper *s, size_t i, double out[FF_DENSE_MOST]);
/* Moves the end of the last step tried to the fraction theta of the step, close to 1, along its interpolant, which is
 * prepared. The interpolant has the slope k[6] at the end: the error is that of its second derivative, times (theta -
 * 1)^2/2. */
void ff_stepper_move_end(ff_stepper *s, double theta);
/* Evaluates at least the states (no event depends on a quadrature), or some components, at their positions in `out`. */
void ff_stepper_states_at(const ff_stepper *s, double theta, double *out);
void ff_stepper_part_at(const ff_stepper *s, double theta, size_t from, size_t count, double *out);

/* The rates of the last step tried that are at hand: indices in `k`, where in the step they are, and with which weights they are in
 * y1. The first is at the start of the step, the last at its end; those with a weight that are before the end come first, `early` of
 * them. Of methods other than dopri5 and dop853 only the rates at both ends, without weights. */
typedef struct ff_stages {
    int count, early;
    struct {
        int k;
        double at, weight;
    } stage[FF_STAGES];
} ff_stages;

const ff_stages *ff_stepper_stages(const ff_stepper *s, ff_method method);

/* Accepts the step: its end is the start of the next one. */
void ff_stepper_accept(ff_stepper *s);

/* Saves and restores the rates at the start of the next step, the only memory of a stepper between steps. */
void ff_stepper_rates(const ff_stepper *s, double *out);
void ff_stepper_resume(ff_stepper *s, const double *rates, long evaluations);

/* fraction of the tolerance allowed for the error of one step: local errors accumulate over a run, and with this fraction
 * the accounts close to about the tolerance */
#define FF_LOCAL_PART 0.03

/* Properties of a method. */
typedef struct ff_method_facts {
    const char *name;
    /* order of the error estimate that controls the step size; 0 for fixed-step methods */
    int order;
    bool curved;    /* can step in x of t = start + x^power, where roots of time are smooth */
    bool ends_last; /* the last evaluation of a step is at its end (x + h, y1) */
    int solves; /* linear solves per step in addition to one factorisation; 0: explicit method */
} ff_method_facts;

extern const ff_method_facts ff_methods[FF_METHODS];

static inline int ff_method_order(ff_method method) { return ff_methods[method].order; }
static inline bool ff_method_curved(ff_method method) { return ff_methods[method].curved; }
/* Whether a method needs a matrix; auto may. */
static inline bool ff_method_implicit(ff_method method) {
    return method == FF_AUTO || ff_methods[method].solves > 0;
}
static inline bool ff_method_ends_last(ff_method method) { return ff_methods[method].ends_last; }

/* Factor by which the next step may be longer after a step with this error, within limits; 1 for fixed-step methods. */
double ff_method_factor(ff_method method, double error);
