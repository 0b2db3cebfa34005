/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* Time transformation of a flow: steps are made in x. Normally x is time; after a touch-down t = start + x^power, starting
 * at x = 0, with a power above 1 for which roots of the depth are smooth functions of x, for all contacts at once
 * (docs/theory.md, The clock). */

#include "num/elementary.h"
#include <math.h>

typedef struct ff_clock {
    double start, x; /* start: the time at which this transformation began */
    int power;
    /* a step was made to end at exactly this time, whatever x^power rounds to */
    double mark_x, mark_time;
} ff_clock;

static inline ff_clock ff_clock_at(double time, int power) {
    return (ff_clock){time, power == 1 ? time : 0, power, NAN, NAN};
}

static inline double ff_power_of(double x, int power) {
    double out = 1;
    for (int i = 0; i < power; i++) {
        out *= x;
    }
    return out;
}

/* x^(1/power), for powers 1 to 4 */
static inline double ff_root_of(double x, int power) {
    return power == 1 ? x : power == 2 ? sqrt(x) : power == 3 ? ff_cbrt(x) : sqrt(sqrt(x));
}

static inline double ff_clock_time(const ff_clock *clock, double x) {
    return clock->power == 1    ? x
           : x == clock->mark_x ? clock->mark_time
                                : clock->start + ff_power_of(x, clock->power);
}

static inline double ff_clock_x(const ff_clock *clock, double time) {
    return clock->power == 1 ? time : ff_root_of(fmax(time - clock->start, 0), clock->power);
}

static inline double ff_clock_now(const ff_clock *clock) { return ff_clock_time(clock, clock->x); }
