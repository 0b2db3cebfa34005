/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* Division of the tables of decay.c: from 0 to 1/8, then in eighths of octaves, up to where the function equals the
 * logarithm to the last bit. */

#include <math.h>

#define FF_DECAY_FROM 0.125
#define FF_DECAY_MOST 40
#define FF_DECAY_OPENING_MOST 9
#define FF_DECAY_PARTS 8
/* the first omitted term is at most 0.15 units in the last place of the function */
#define FF_DECAY_TERMS 11

/* The piece of x >= 0, and t = -1 ... 1 within it, without rounding from FF_DECAY_FROM on. */
static inline int ff_decay_piece(double x, double *t) {
    if (x < FF_DECAY_FROM) {
        *t = (x - FF_DECAY_FROM / 2) * (2 / FF_DECAY_FROM);
        return 0;
    }
    int exponent;
    double position = frexp(x, &exponent) * (2 * FF_DECAY_PARTS); /* 8 ... 16 */
    int part = (int)position;
    *t = (position - part - 0.5) * 2;
    return 1 + (exponent + 2) * FF_DECAY_PARTS + part - FF_DECAY_PARTS;
}
