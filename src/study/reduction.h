/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* Reductions, which reduce a run to one number, in the expressions of --keep. */

#include "expr/scope.h"
#include <footfall/field.h>
#include <footfall/sim.h>

typedef enum ff_reduction_kind {
    FF_REDUCE_MAX,
    FF_REDUCE_MIN,
    FF_REDUCE_PEAK,     /* peak(x): the time of the maximum */
    FF_REDUCE_MEAN,     /* over time */
    FF_REDUCE_INTEGRAL, /* over time */
    FF_REDUCE_START,
    FF_REDUCE_END,
    FF_REDUCE_AT,     /* at(EVENT, x): after an event */
    FF_REDUCE_FIRST,  /* first(x, a < b): at the first time at which a condition holds */
    FF_REDUCE_COUNT,  /* count(EVENT) */
    FF_REDUCE_IMPACT, /* impact([CONTACT] [N], WORD) */
    FF_REDUCTIONS
} ff_reduction_kind;

typedef enum ff_impact_word {
    FF_IMPACT_TIME,
    FF_IMPACT_SPEED,
    FF_IMPACT_RESTITUTION,
    FF_IMPACT_CONTACT_TIME
} ff_impact_word;

/* The last event of its kind. */
#define FF_LAST SIZE_MAX

typedef struct ff_reduction {
    ff_reduction_kind kind;
    /* event or impact: its kind, or -1 for a user's event by name; its owner, a contact, dio or sgn, or "" for any */
    int event;
    char owner[FF_FIELD_PATH];
    size_t number; /* from 1; FF_LAST */
    bool rejoin;   /* only touch-downs at which z > 0 already */
    int way;       /* user's event function: 1 rising through 0, -1 falling, 0 either */
    ff_impact_word word;
    /* expressions in their pool, or 0: the reduced quantity, and a function that is positive if the condition holds */
    ff_expr x, condition;
    size_t output, positive; /* their positions among the outputs of the tape */
    ff_expr_facts facts;     /* of the result */
} ff_reduction;

/* A reduction in a text: from its name at `from` to its last parenthesis before `to`. */
typedef struct ff_reduction_text {
    size_t kind; /* index in the list of known reductions */
    size_t from, to;
    size_t part[2],
        length[2]; /* its arguments without surrounding blanks; the second is optional */
    size_t parts;
} ff_reduction_text;

/* Name of a reduction, number of arguments, and notation. */
typedef struct ff_reduction_name {
    const char *name;
    size_t parts;
    const char *form;
} ff_reduction_name;

/* Reductions of runs, by kind. */
extern const ff_reduction_name ff_reductions[FF_REDUCTIONS];

/* The first reduction at or after `at` in a text, of the `count` known ones. With more arguments than a reduction has, max
 * and min are functions. FF_MISSING: there is none. FF_BAD_VALUE: a syntax error. */
ff_status ff_reduction_find(const char *text, size_t at, const ff_reduction_name *known,
                            size_t count, ff_reduction_text *out, ff_error *error);

/* Reads events or impacts from a text of `length` bytes, such as `touchdown ball/floor 3`. */
ff_status ff_reduction_read_event(const ff_model *model, const char *text, size_t length,
                                  ff_reduction *out, ff_error *error);
ff_status ff_reduction_read_impact(const ff_model *model, const char *text, size_t length,
                                   const char *word, size_t word_length, ff_reduction *out,
                                   ff_error *error);

/* Whether the event of a sim is one that a reduction means. */
bool ff_reduction_fits(const ff_reduction *r, const ff_sim *sim);

/* The impact of a reduction; NAN if there was none. */
double ff_reduction_impact(const ff_reduction *r, const ff_sim *sim);

/* Whether reading an expression failed because memory was exhausted. */
bool ff_reduction_no_memory(const ff_expr_pool *pool, const ff_expr_error *why);
