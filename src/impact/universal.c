/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "universal.h"
#include <footfall/impact.h>
#include <math.h>

/* -ln e = delta g(x), x = sqrt(delta). For small delta, e = 1 - C1 delta + C2 delta^2 + (4/15) delta^(5/2) ..., a series in
 * x (docs/theory.md, Weak and strong damping); for large delta, -ln e is (5/3) ln delta plus corrections in powers and
 * logarithms. So g is smooth on every octave of x, and Chebyshev series converge by a factor of 3 + sqrt(8) per term.
 * tools/universal generates and checks the table. */
#include "universal_table.inc"

double ff_universal_decay(double p, double delta, double *derivative) {
    return p == 0.5 ? ff_universal_row(FF_UNIVERSAL_HALF, delta, derivative)
           : p == 1 ? ff_universal_row(FF_UNIVERSAL_ONE, delta, derivative)
                    : (double)NAN;
}

double ff_universal_row(ff_universal_law row, double delta, double *derivative) {
    if (!(delta >= 0 && delta <= 1000)) {
        return NAN;
    }
    double x = sqrt(delta), low, high;
    int piece = ff_universal_piece(x, &low, &high);
    const double *c = table[row][piece];
    /* Clenshaw's recurrence for the series and for its derivative */
    double scale = 2 / (high - low), t = (x - low) * scale - 1;
    double b1 = 0, b2 = 0, d1 = 0, d2 = 0;
    if (!derivative) {
        for (int j = FF_UNIVERSAL_TERMS - 1; j > 0; j--) {
            double b = c[j] + 2 * t * b1 - b2;
            b2 = b1;
            b1 = b;
        }
        return delta * (c[0] + t * b1 - b2);
    }
    for (int j = FF_UNIVERSAL_TERMS - 1; j > 0; j--) {
        double b = c[j] + 2 * t * b1 - b2, d = 2 * b1 + 2 * t * d1 - d2;
        b2 = b1;
        b1 = b;
        d2 = d1;
        d1 = d;
    }
    double g = c[0] + t * b1 - b2, slope = (b1 + t * d1 - d2) * scale;
    *derivative = g + 0.5 * x * slope;
    return delta * g;
}
