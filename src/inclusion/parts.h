/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* The parts of a system, shared by equations.c, which reads it, and program.c, which compiles and runs it. */

#include "equations.h"
#include "kinks.h"

/* groups of the tape, in the order of the procedure; power is evaluated with the rates */
enum {
    FF_GROUP_ARGUMENTS,
    FF_GROUP_FACTORS,
    FF_GROUP_RATES,
    FF_GROUP_ENERGY,
    FF_GROUP_KINKS,
    FF_GROUP_REST,
    FF_EQUATIONS_GROUPS
};

/* Meaning of a name. */
typedef enum ff_meaning {
    FF_MEANS_PARAMETER,
    FF_MEANS_TIME,
    FF_MEANS_STATE,
    FF_MEANS_CONTACT,
    FF_MEANS_FRICTION,
    FF_MEANS_LET
} ff_meaning;

typedef struct ff_equations_entry {
    char *name;
    ff_meaning meaning;
    ff_expr is;    /* its definition: for a LET, with other LETs replaced */
    double value;  /* of a parameter, or of a state at the start */
    size_t number; /* index of the state, contact or friction */
    ff_expr_facts facts;
} ff_equations_entry;

typedef struct ff_equations_dio {
    ff_expr psi, rate; /* rate: of psi, for laws with a damper; 0 if not needed */
    size_t name;       /* index among the entries */
    ff_expr_facts facts;
    ff_normal law;
    char why[FF_WHY];
} ff_equations_dio;

typedef struct ff_equations_sgn {
    ff_expr theta, chi;
    size_t name;
    unsigned length;
    ff_expr_facts facts; /* of theta */
    double shape[2][2];  /* all 0: no matrix */
    ff_friction law;
    char why[FF_WHY];
} ff_equations_sgn;

typedef struct ff_equations_result {
    char *name;
    ff_expr is;
    unsigned length;
    char units[FF_EQUATIONS_UNITS];
} ff_equations_result;

struct ff_equations {
    ff_expr_pool *pool;
    ff_equations_entry *entries;
    ff_expr_name_def *names; /* of the entries, for expressions */
    size_t count, room;
    ff_equations_dio *contacts;
    ff_equations_sgn *frictions;
    ff_equations_result *outputs;
    double *switches;
    ff_expr *rates; /* by state */
    size_t contact_count, friction_count, output_count, switch_count, state_count;
    ff_expr energy, power;
    ff_kink *kinks; /* where steps end */
    /* force_kinks: the number of kinks that contain forces, which come last */
    size_t kink_count, force_kinks;
    bool *silent;
    /* set when it is finished */
    ff_inclusion_def def;
    ff_tape *tape;
    double *work, *start;
    const char **state_names, **state_unit_names;
    char (*state_units)[FF_EQUATIONS_UNITS];
    ff_inclusion_output *output_defs;
    ff_dio_def *dios;
    ff_sgn_def *sgns;
    size_t width;                          /* number of friction arguments */
    bool closes;                           /* the rates of psi are known */
    const double *psi_rates_at, *kinks_at; /* positions in `work` */
    size_t *rate_places;                   /* positions of outputs in `work` */
    size_t power_place, energy_place, first_force_kink, first_output;
    int done; /* the last group that was run with the current inputs */
};

/* NULL if there is no such name */
const ff_equations_entry *ff_equations_find(const ff_equations *s, const char *name);
/* Whether a name of this meaning occurs in an expression. */
bool ff_equations_means(const ff_equations *s, ff_expr e, ff_meaning what);
ff_expr_scope ff_equations_scope(const ff_equations *s);
/* false if out of memory */
bool ff_equations_add_switch(ff_equations *s, double time);

/* Errors with their status; the last one reports why the pool could not make an expression. */
ff_status ff_equations_fail(ff_expr_error *error, size_t column, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
ff_status ff_equations_no_memory(ff_expr_error *error);
ff_status ff_equations_not_made(const ff_equations *s, ff_expr_error *error);

/* The equations that a definition was made from; NULL if its functions are those of a caller. */
const ff_equations *ff_equations_behind(const ff_inclusion_def *def);
