/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* One-step methods for any system y' = f(x, y); x is time, or what stands for it. The last components
 * may be quadratures: integrals that feed nothing back and stay out of every matrix. */

#include "num/sparse.h"
#include <footfall/tool.h>

/* Fills all of dy from the states: y may end with them. 0, or > 0: the step must be shorter, or an ff_status < 0: there is
 * no going on; dy then is no matter. */
typedef int (*ff_rates)(void *user, double x, const double *y, double *dy);

/* Rates that are kept at once: what dop853 needs of its 16 */
enum { FF_STAGES = 11 };

/* Whether a step is to be broken off, as somebody else wants. */
typedef struct ff_halt {
    bool (*wanted)(void *user); /* NULL: nobody wants anything */
    void *user;
    bool asks; /* the step that is made may be broken off */
    bool now;  /* and is */
    int left;  /* evaluations before it is asked again: asking may read a clock, 20 ns and more */
} ff_halt;

typedef struct ff_stepper {
    size_t n, states; /* all components, and those that feed back */
    ff_rates rates;
    void *user;
    const struct ff_explicit *explicit; /* for this machine (methods.h) */
    const bool *first; /* semi-implicit: the components that go first (velocities); may be NULL */
    const int *speed;  /* verlet: of a state that is a position, its velocity, or -1; may be NULL */
    const double *scales; /* sizes of the components, for differences; may be NULL */
    size_t *active;       /* indices of the states in matrices: those that act on something */
    size_t active_count;
    /* adds the entries of df/dy over the active states, where they are known; may be NULL: by differences */
    void (*jacobian)(void *user, double x, const double *y, ff_sparse *out);
    bool timed;           /* f depends on x of its own accord, for implicit methods */
    int answer;           /* of f in the step last tried: the first that was not 0 */
    double *k[FF_STAGES]; /* k[0] is f at the start of a step, k[6] at its end */
    double *y1;           /* the end of the step last tried */
    double *stage;        /* scratch */
    double *dense;        /* coefficients of the interpolant, n each */
    int dense_terms;      /* how many of them there are of the step last tried; 0: not made yet */
    ff_sparse
        *matrix;    /* df/dy, and the factors of I/(gamma h) - df/dy; NULL: no implicit methods */
    bool taken;     /* the step last tried was taken: k[6] is the next k[0] */
    bool sloped;    /* the Jacobian is that of the start of the step */
    double x, step; /* where the step last tried began, and how long it is */
    ff_halt halt;
    double bend; /* error of the trapezoidal rule over the last dopri5 step, against weights */
    double
        stiffness; /* step times the greatest rate of decay or oscillation, about, see ff_stepper_stiffness() */
    long evaluations;
} ff_stepper;

/* How many doubles of memory a stepper works in; `active` has room for all states. */
size_t ff_stepper_room(size_t n);
/* `inert` marks states that act on nothing but themselves: they stay out of matrices; may be NULL. Implicit methods need
 * a `matrix` of as many rows as states are active; NULL: the stepper will do without them. It stays the caller's. */
void ff_stepper_init(ff_stepper *s, size_t n, size_t states, const bool *inert, ff_rates rates,
                     void *user, double *memory, ff_sparse *matrix, size_t *active);

/* Begins a stretch without history: fills k[0]. */
void ff_stepper_start(ff_stepper *s, double x, const double *y);

/* Tries a step from (x, y) with k[0] known: fills y1, k[6] and what the interpolant needs. Returns the
 * error against weights, whose reciprocals are given: max over i of |error_i| per_weight_i, to be at most
 * 1; 0 for methods of fixed step, infinite where f asked for a shorter step. `answer` is FF_NO_MEMORY where an implicit
 * method has no room for its matrix. */
double ff_stepper_try(ff_stepper *s, ff_method method, double x, const double *y, double h,
                      const double *per_weight);

/* df/dy at the start (x, y) of a step into the matrix, unless it is there; implicit methods do it by themselves. False where
 * f has asked for a shorter step, or memory ended: see `answer`. */
bool ff_stepper_find_slopes(ff_stepper *s, double x, const double *y);
/* Additions and multiplications that the linear algebra of one step of a method takes, with the structure that df/dy had
 * last: one factorisation, and solutions; 0 for explicit methods, and where there is no structure yet. */
double ff_stepper_solve_flops(const ff_stepper *s, ff_method method);

/* Tries a step that may be broken off: true then, and `error` says nothing. The next try begins where this one did. */
bool ff_stepper_broken(ff_stepper *s, ff_method method, double x, const double *y, double h,
                       const double *per_weight, double *error);

/* Fills `stiffness` after a step by dopri5 or dop853: |f(y1) - f(g)| h/|y1 - g| in weights, where g is the argument of the last stage, at
 * the end of the step as well (Hairer and Wanner, Solving Ordinary Differential Equations II, IV.2). Explicit steps are
 * stable to about 3.3 (dopri5) and 6 (dop853). */
void ff_stepper_stiffness(ff_stepper *s, ff_method method, const double *per_weight);

/* After an implicit step was taken: about the greatest modulus of an eigenvalue of its Jacobian, by power iteration in units
 * of the weights. The geometric mean of four turns is right for conjugate pairs, too. */
double ff_stepper_spectral_radius(ff_stepper *s, const double *per_weight);

/* Prepares and evaluates the interpolant of the step last tried, also after it was taken, 0 <= theta <=
 * 1: order 4 for dopri5, 7 for dop853, which takes 3 evaluations, Hermite's cubic for the others. The step
 * began at (x, y); once prepared it is not made again. */
void ff_stepper_dense(ff_stepper *s, ff_method method, double x, const double *y, double h);
void ff_stepper_at(const ff_stepper *s, double theta, double *out);
/* The states alone, at the least: no event depends on a quadrature; and some components, in their places. */
void ff_stepper_states_at(const ff_stepper *s, double theta, double *out);
void ff_stepper_part_at(const ff_stepper *s, double theta, size_t from, size_t count, double *out);

/* The step is taken: its end is the start of the next. */
void ff_stepper_accept(ff_stepper *s);

/* The rates at the start of the next step, and that start given back: what a stepper knows between steps. */
void ff_stepper_rates(const ff_stepper *s, double *out);
void ff_stepper_resume(ff_stepper *s, const double *rates, long evaluations);

/* local errors add up over a run: each is kept at this part of the tolerance, so that accounts close to about the
 * tolerance itself */
#define FF_LOCAL_PART 0.03

/* What is to be known of a method besides its formulas. */
typedef struct ff_method_facts {
    const char *name;
    int order;   /* of the error estimate that a step is chosen by; 0 for methods of fixed step */
    bool curved; /* steps are in x of t = start + x^power: there, roots of time are smooth */
    bool ends_last; /* the last evaluation of a step is at its end (x + h, y1) */
    int solves; /* of linear equations in a step, beside one factorisation; 0: an explicit method */
} ff_method_facts;

extern const ff_method_facts ff_methods[FF_METHODS];

static inline int ff_method_order(ff_method method) { return ff_methods[method].order; }
static inline bool ff_method_curved(ff_method method) { return ff_methods[method].curved; }
/* Whether it needs a matrix; auto may. */
static inline bool ff_method_implicit(ff_method method) {
    return method == FF_AUTO || ff_methods[method].solves > 0;
}
static inline bool ff_method_ends_last(ff_method method) { return ff_methods[method].ends_last; }

/* How much longer than a step of this error the next one may be, within bounds; 1 for methods of fixed step. */
double ff_method_factor(ff_method method, double error);
