/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* Which pair of a scene holds for which two things. Names are compared once for each thing: those that
 * fit the same names equally well are of one kind, and kinds are few where things are many. */

#include "scene.h"

typedef struct ff_kinds {
    size_t count;
    int *shape, *plane; /* the kind of each */
    int *pair;          /* count by count: the index of the pair, or one of these */
    bool *swapped;      /* the first thing is the pair's second name */
} ff_kinds;

enum { FF_NO_PAIR = -1, FF_TWO_PAIRS = -2 };

static inline int ff_kinds_pair(const ff_kinds *kinds, int a, int b) {
    return kinds->pair[(size_t)a * kinds->count + (size_t)b];
}

static inline bool ff_kinds_swapped(const ff_kinds *kinds, int a, int b) {
    return kinds->swapped[(size_t)a * kinds->count + (size_t)b];
}

/* FF_BAD_VALUE where a pair names what is not there, or two things have one name; told in `error`. */
ff_status ff_kinds_make(const ff_scene *scene, ff_kinds *out, ff_error *error);
void ff_kinds_free(ff_kinds *kinds);

/* Tells what is wrong in `error` (may be NULL) and returns the status. */
ff_status ff_model_fail(ff_error *error, ff_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
