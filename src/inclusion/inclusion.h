/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* Internals of an inclusion. The state is y = x, the inner states of each dio and of each sgn, then the accounts: the loss
 * of each dio; the losses of each sgn and, if its spring stiffness is proportional to chi, the energy that changes of chi
 * removed, and its negative part; the work of power(). */

#include "law/kernels.h"
#include "model/fields.h"
#include "num/ellipse.h"
#include "sim/sim.h"
#include <footfall/inclusion.h>
#include <footfall/source.h>

enum { FF_NAME_ROOM = 32 };

/* smallest scale of accounts, J */
#define FF_LEAST_ENERGY 1e-9

typedef struct ff_dio {
    ff_normal law;
    /* Contact begins at psi = 0, where the force may jump; otherwise the law has its own gap function. */
    bool jumps;
    bool clamps; /* the force may end before psi returns to 0 */
    size_t at;   /* position of its first inner state in y */
    bool kinked; /* the force has a kink at psi' = 0 */
    size_t
        gap; /* its first root function; the next one is its hold if `clamps`, then the turning point if `kinked` */
    const char *name;
} ff_dio;

typedef struct ff_sgn {
    ff_friction law;
    bool shaped; /* its forces lie in an ellipse */
    ff_ellipse ellipse;
    int dimension;
    size_t at;    /* position among the friction arguments */
    size_t a_at;  /* position of its first inner state in y */
    bool watched; /* it has a root function */
    bool slips;   /* whose root is the onset of slip; otherwise a kink of its force */
    size_t root;
    size_t integral; /* position of its first account in y */
    size_t losses;   /* number of loss accounts, in the order of FF_LOST_DAMPER .. */
    bool graded;     /* followed by one more: graded work (ledger/ledger.c) */
    const char *name;
} ff_sgn;

/* consecutive dios and sgns that are evaluated together: of laws of this library, with their own gap, and without an
 * ellipse. Others are evaluated one by one. */
typedef struct ff_dio_row {
    ff_push_row row;
    ff_normal_push_all push; /* NULL: a single dio */
    size_t first;            /* index of the first */
    size_t at, integral;     /* positions of its states and accounts in y */
} ff_dio_row;

typedef struct ff_sgn_row {
    ff_slide_row row;
    ff_friction_flat_all rub;
    size_t first, at, integral;
} ff_sgn_row;

/* What a root function belongs to. */
typedef enum ff_watched {
    FF_OF_GAP,
    FF_OF_HOLD,
    FF_OF_TURN, /* kink of the force of a dio at psi' = 0, not reported */
    FF_OF_GRIP, /* stick and slip */
    FF_OF_BEND, /* kink of the force of a sgn, not reported */
    FF_OF_USER
} ff_watched;

typedef struct ff_inclusion_root {
    ff_watched of;
    size_t i;
    bool bounded; /* it is an expression that can be bounded within a step */
} ff_inclusion_root;

/* The discrete state, as a view of one block of bytes. */
typedef struct ff_inclusion_phase {
    double *brink; /* the next switch: times from here on are replaced by the time just before it */
    ff_books *books; /* for each sgn; watched: chi at the last evaluation */
    bool *above;     /* side of 0 of each root function */
} ff_inclusion_phase;

/* A piece of time; where it begins, and the step that was wanted there, s. */
typedef struct ff_inclusion_piece {
    ff_survey at;
    double from, want;
} ff_inclusion_piece;

/* A region of times and states: in steps up to `longest` that stay in it, with rates below its bounds, expressions show all. */
typedef struct ff_inclusion_box {
    double from, to, longest, method; /* s */
    double reach, pause; /* length that the next one is given, in steps; steps until then */
} ff_inclusion_box;

/* A region of times and states, in which the arguments have known ranges. */
typedef struct ff_inclusion_around {
    double from, to;
} ff_inclusion_around;

/* Steps in which expressions hide nothing (survey.c). */
typedef struct ff_inclusion_survey {
    const ff_equations *of; /* NULL: the functions are those of a caller */
    /* some outputs are functions of time; read states or forces freely; and depend on forces; some read time */
    bool timed, free, pushed, clocked;
    /* numbers of psi, theta and psi'; index of the first kink among the outputs */
    size_t arguments, kinks_at;
    size_t kinks, outputs; /* numbers of kinks without forces, and of outputs up to the power */
    unsigned char *relies; /* ff_reliance of outputs that are examined */
    ff_interval *work;     /* of the tape */
    int order;             /* that `work` was initialised for, -1: none */
    /* the step whose kinks are in `work` as bounds from stages: ff_stepper.tries, -1: none */
    long step;
    long known;   /* the step that was last compared with `around` */
    size_t worst; /* the output that limits a piece */
    /* part of the state: largest arguments and factors so far; pieces of dopri5, of dop853, and of other methods */
    double *sizes;
    ff_inclusion_piece *pieces;
    double *forces; /* contact and friction forces at the end of the last step examined */
    /* likewise: boxes around parts of the path in which steps hide nothing, and one in which ranges of kinks are known */
    ff_inclusion_box *boxes;
    double *box_edges;
    ff_inclusion_around *around;
    ff_interval *around_edges, *around_values;
} ff_inclusion_survey;

/* The observed state. */
typedef struct ff_inclusion_sight {
    double time;
    const double *y;
    const ff_inclusion_phase *phase;
} ff_inclusion_sight;

/* A run of an inclusion. */
typedef struct ff_inclusion {
    ff_sim *sim;
    ff_inclusion_def def; /* its arrays belong to the model */
    size_t size;          /* size of y */
    size_t width;         /* number of friction arguments */
    size_t watched;       /* root functions other than those that must not change */
    size_t lost_at;       /* position of the first account in y */
    size_t work_at;       /* position of the work of power(); the size of y if there is none */
    bool closes;          /* some law needs the rates of psi */
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
    double *sizes;  /* the largest value of each root function so far */

    /* how far a root function must be beyond 0 to count as crossed, and that as a fraction of its size */
    double *noise, *noise_part;
    bool *first, *fixed; /* fixed: the scale was given */
    int *speed;
    /* results of the last evaluation */
    double *psi, *psi_rate, *theta, *contact, *chi, *friction;
    double *excess, *graded; /* of each sgn */
    double *values;          /* of all root functions */
    /* Rates of inner states and accounts, indexed like y, if the caller does not need them. */
    double *inner_rates;
    double *inside, *sums;     /* y within a step, and the sums of regrade there, for each sgn */
    bool *touching, *slipping; /* for views only */
    double *e, *a;             /* first inner states, for views only */
    double *outputs;           /* all numbers of all outputs */
    bool blaming;              /* check every evaluation for NAN */
    ff_inclusion_survey survey;
} ff_inclusion;

extern const ff_sim_kind ff_inclusion_kind;
/* Its states, forces, outputs and accounts (fields.c). */
extern const ff_field_source ff_inclusion_fields;

/* Creates a run; see ff_sim_kind (inclusion.c). */
ff_status ff_inclusion_make(ff_sim *sim, ff_error *error);

/* ---- as a system (system.c) ---- */

extern const ff_system ff_inclusion_system;

/* Computes the reciprocal of the allowed error of each component. */
void ff_inclusion_weigh(ff_inclusion *inc, size_t from);
/* The first switch after t; infinite if switches are not located. */
double ff_inclusion_next(const void *self, double t);
void ff_inclusion_note(ff_sim *sim, ff_status status);
/* Computes the noise of root functions from their sizes. */
void ff_inclusion_size_noise(ff_inclusion *inc);

/* Functions of ff_system and ff_sim_kind (state.c). */
bool ff_inclusion_knows(const void *self, const ff_event *event);
bool ff_inclusion_valid(const ff_sim *sim);
uint64_t ff_inclusion_fingerprint(const ff_sim *sim);

/* All accounts; see ff_sim_kind (view.c). */
ff_ledger ff_inclusion_accounts(ff_sim *sim, double *held);

/* ---- laws (laws.c) ---- */

/* Evaluates forces and rates of inner states at (t, y), from arguments to friction. */
void ff_inclusion_evaluate(ff_inclusion *inc, const ff_inclusion_phase *phase, double t,
                           const double *y);
/* Evaluates all root functions and, after them, chi and a number that is 0 unless some psi is NAN. `known`: the rates were
 * evaluated there last. */
void ff_inclusion_values(ff_inclusion *inc, double t, const double *y, bool known);
/* Fills in dy; see `ff_rates`. */
int ff_inclusion_rates(void *self, double t, const double *y, double *dy);

/* ---- steps in which expressions hide nothing (survey.c) ---- */

/* Finds out what is examined; call it again when the arrays exist. FF_NO_MEMORY. */
ff_status ff_inclusion_survey_prepare(ff_inclusion *inc);
void ff_inclusion_survey_lay_out_state(ff_inclusion *inc, ff_arena *a);
void ff_inclusion_survey_lay_out_work(ff_inclusion *inc, ff_arena *a);
bool ff_inclusion_survey_valid(const ff_inclusion *inc);
/* Whether the expression of a root function can be bounded within a step; and most() of ff_system. */
bool ff_inclusion_survey_bounds(const ff_inclusion *inc, size_t root);
double ff_inclusion_survey_most(void *self, size_t which, const ff_step_part *part);
/* arrange() of ff_system. */
ff_status ff_inclusion_survey_arrange(void *self, double *time, const double *to, bool *changed);
/* Call when a contact has begun: what its gap does counts from now on. */
void ff_inclusion_survey_renew(ff_inclusion *inc);
/* Call after an accepted step. */
void ff_inclusion_survey_note(ff_inclusion *inc);

/* ---- regrade and created (books.c) ---- */

/* subintervals of a step in which chi changes: enough to separate increases and decreases to the tolerance */
enum { FF_PARTS = 4 };

/* At the start, after an evaluation. */
void ff_inclusion_open_books(ff_inclusion *inc);
/* After a step, and after functions or sides changed at its end. */
void ff_inclusion_book_step(ff_inclusion *inc);
void ff_inclusion_book_jump(ff_inclusion *inc);
/* The books of a sgn for the observed state, after an evaluation there. */
ff_books ff_inclusion_books(const ff_inclusion *inc, size_t sgn, const ff_inclusion_sight *at);

/* Energy stored in a law after an evaluation; for a sgn at that chi. */
double ff_inclusion_dio_stored(const ff_inclusion *inc, const ff_inclusion_phase *phase, size_t i,
                               const double *y);
double ff_inclusion_sgn_stored(const ff_inclusion *inc, size_t i, double chi, const double *y);
/* Relaxation rate of the inner states of a law, 1/s; 0 if it has none. */
double ff_inclusion_dio_pace(const ff_dio *dio);
double ff_inclusion_sgn_pace(const ff_sgn *sgn);
