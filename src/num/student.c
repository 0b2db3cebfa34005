/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "student.h"
#include "bracket.h"
#include "elementary.h"
#include <math.h>

/* From this number of degrees of freedom on the normal distribution is used: Student quantiles are larger by the relative
 * amount (x^2 + 1)/(4 freedom) (Abramowitz and Stegun 26.7.5), 1e-11 for x = 6. */
#define MANY 1e12
/* Up to this number the finite sum is used, above it the expansion, whose next term is below 1e-11 for x < 6. */
#define SUMMED 3000

/* P(|x| <= at) of the normal distribution: sqrt(2/pi) exp(-x^2/2) (x + x^3/3 + x^5/(3 5) + ...), Abramowitz and Stegun 26.2.11.
 * All terms are positive. */
static double normal_within(double at) {
    double term = at, sum = at;
    for (int odd = 3; term > 1e-17 * sum; odd += 2) {
        term *= at * at / odd;
        sum += term;
    }
    return sqrt(2 / FF_PI) * ff_exp(-at * at / 2) * sum;
}

/* P(|t| <= at) for integer degrees of freedom, Abramowitz and Stegun 26.7.3 (odd) and 26.7.4 (even), with cos^2 = 1/(1 +
 * at^2/freedom). */
static double student_within(double at, int freedom) {
    const double square = 1 / (1 + at * at / freedom), sine = sqrt(1 - square);
    const double angle = ff_atan(at / sqrt(freedom));
    const int odd = freedom % 2;
    double term = odd ? sqrt(square) : 1, sum = freedom == 1 ? 0 : term;
    for (int i = odd ? 2 : 1; i <= freedom - 3; i += 2) {
        term *= square * i / (i + 1);
        sum += term;
    }
    return odd ? 2 / FF_PI * (angle + sine * sum) : sine * sum;
}

static double within(double at, double freedom) {
    return freedom > SUMMED ? normal_within(at) : student_within(at, (int)freedom);
}

double ff_student_quantile(double level, double freedom) {
    double high = 1;
    while (within(high, freedom) < level && high < 1e300) {
        high *= 2;
    }
    ff_bracket b = {.low = 0,
                    .g_low = -level,
                    .high = high,
                    .g_high = fmax(within(high, freedom) - level, 1e-300)};
    while (ff_bracket_wider(&b, 1e-13 * b.high)) {
        double at = ff_bracket_guess(&b);
        ff_bracket_narrow(&b, at, within(at, freedom) - level);
    }
    double x = b.high, square = x * x;
    /* Abramowitz and Stegun 26.7.5: expansion about the normal quantile */
    if (freedom > SUMMED && freedom < MANY) {
        x += x * (square + 1) / (4 * freedom) +
             x * ((5 * square + 16) * square + 3) / (96 * freedom * freedom);
    }
    return x;
}
