/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* Determines which pair of a scene applies to which two things. Names are compared once for each thing: things that match
 * all names equally well form a kind, and there are few kinds even if there are many things. */

#include "scene.h"

typedef struct ff_kinds {
    size_t count;
    int *shape, *plane; /* kind of each shape and plane */
    int *pair;          /* count by count matrix: the index of the pair, or one of these */
    bool *swapped;      /* the first thing matches the pair's second name */
} ff_kinds;

enum { FF_NO_PAIR = -1, FF_TWO_PAIRS = -2 };

static inline int ff_kinds_pair(const ff_kinds *kinds, int a, int b) {
    return kinds->pair[(size_t)a * kinds->count + (size_t)b];
}

static inline bool ff_kinds_swapped(const ff_kinds *kinds, int a, int b) {
    return kinds->swapped[(size_t)a * kinds->count + (size_t)b];
}

/* FF_BAD_VALUE, with the reason in `error`, if a pair names something that does not exist, or two things have the same
 * name. */
ff_status ff_kinds_make(const ff_scene *scene, ff_kinds *out, ff_error *error);
void ff_kinds_free(ff_kinds *kinds);

/* Writes the reason to `error` (may be NULL) and returns the status. */
ff_status ff_model_fail(ff_error *error, ff_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
