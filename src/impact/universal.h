/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

#include <math.h>

/* Division of the table of the universal function: pieces of x = sqrt(delta), the first from 0 to 1/4, then octaves up to
 * 32. */
/* rows: p = 1/2 and p = 1 with clamp, p = 1/2 with detach: local */
typedef enum {
    FF_UNIVERSAL_HALF,
    FF_UNIVERSAL_ONE,
    FF_UNIVERSAL_LOCAL,
    FF_UNIVERSAL_ROWS
} ff_universal_law;

/* -ln e and its derivative (may be NULL) from the table, as ff_universal_decay(); NAN beyond delta = 1000. */
double ff_universal_row(ff_universal_law row, double delta, double *derivative);

#define FF_UNIVERSAL_PIECES 8
#define FF_UNIVERSAL_TERMS 24

static inline int ff_universal_piece(double x, double *low, double *high) {
    if (x < 0.25) {
        *low = 0;
        *high = 0.25;
        return 0;
    }
    int exponent;
    frexp(x, &exponent);
    *high = ldexp(1, exponent);
    *low = *high / 2;
    return exponent + 2;
}
