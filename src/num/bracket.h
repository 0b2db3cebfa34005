/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* Finds the root of a function that is negative or 0 at `low` and positive at `high`, by regula falsi with the Illinois
 * modification (the value at an end that stays is halved) and a bisection at every eighth iteration. The caller evaluates
 * the function:
 *
 *     while (ff_bracket_open(&b)) {
 *         double at = ff_bracket_guess(&b);
 *         ff_bracket_narrow(&b, at, g(at));
 *     } */

#include <stdbool.h>

typedef struct ff_bracket {
    double low, g_low, high, g_high; /* both ends equal the root if it was hit exactly */
    int side;                        /* which end moved last: 1 high, -1 low */
    int turn;
} ff_bracket;

/* Relative width at which a bracket within a step counts as closed: the resolution of times is about 1e-15 of a step. */
#define FF_BRACKET_FINE 1e-15

static inline bool ff_bracket_wider(const ff_bracket *b, double width) {
    return b->turn < 100 && b->high - b->low > width;
}

static inline bool ff_bracket_open(const ff_bracket *b) {
    return ff_bracket_wider(b, FF_BRACKET_FINE);
}

static inline double ff_bracket_guess(const ff_bracket *b) {
    double at = b->high - b->g_high * (b->high - b->low) / (b->g_high - b->g_low);
    return at > b->low && at < b->high && b->turn % 8 != 7 ? at : (b->low + b->high) / 2;
}

static inline void ff_bracket_narrow(ff_bracket *b, double at, double g) {
    b->turn++;
    if (g > 0) {
        b->g_low *= b->side > 0 ? 0.5 : 1;
        b->side = 1;
        b->high = at;
        b->g_high = g;
        return;
    }
    b->g_high *= b->side < 0 ? 0.5 : 1;
    b->side = -1;
    b->low = at;
    b->g_low = g;
    b->high = g == 0 ? at : b->high;
}
