/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* The motion under a power law as Taylor series in sigma, if the equations of orbit.h are polynomials of low degree:
 * orbit->in_series. */

#include "orbit.h"

/* Order 24: a step is 0.23 of the radius of convergence, and an impact takes 15 of them. Orders 20, 28 and 32 take 1 to 10
 * % longer (bench/impact). */
#define FF_SERIES_TERMS 25

typedef struct ff_series {
    /* coefficients of powers of sigma/unit; a unit of the size of the impact prevents overflow */
    double unit, c[FF_ORBIT_STATES][FF_SERIES_TERMS];
} ff_series;

/* Finds the products that form the powers of s, in orbit->chain. */
void ff_series_init(ff_orbit *orbit);
void ff_series_expand(const ff_orbit *orbit, double delta, const double *from, ff_series *out);
/* The distance up to which the series is accurate to rounding. */
double ff_series_reach(const ff_orbit *orbit, const ff_series *series);
void ff_series_at(const ff_series *series, double sigma, double *to);
