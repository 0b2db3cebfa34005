/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* Lengths of steps over which no function that a user has written can hide anything (docs/theory.md, Between stages). */

#include "expr/series.h"
#include "flow.h"

/* Orders up to which a method integrates polynomials, and its constants. */
typedef struct ff_quadrature {
    int order;
    const double *kappa;
} ff_quadrature;

/* Of the method of the next step. */
ff_quadrature ff_quadrature_of(const ff_flow *f);

/* Longest step in which a function with these coefficients changes a state by at most `room` more than its stages show, if it is
 * integrated; otherwise in which its value is within `room` of the best polynomial (Chebyshev: 2 c (h/4)^k). */
double ff_quadrature_longest(const ff_interval *c, ff_quadrature q, double room, bool integrated);

/* Whether a function with these coefficients, integrated over a step h, changes a state by at most `room` more than its stages show. */
bool ff_quadrature_shows(const ff_interval *c, ff_quadrature q, double room, double h);

/* Functions of time from some time in the past up to `to`: steps up to `longest` show all of them. Part of the state, since the
 * next steps depend on it. */
typedef struct ff_survey {
    double to, longest, method; /* s, s; method of those steps */
} ff_survey;

/* Longest step, s, from any time between two times on. */
typedef double ff_longest_within(void *user, double from, double to);

/* Closer to a time than this part of it no piece is looked for. */
#define FF_QUADRATURE_NEAR 1e-9

/* A piece from t on: halved until a step over all of it is possible, then doubled while steps stay half as long or longer than is
 * wanted. Where there is none longer than 1e-9 of t, such as at a jump, one step of that length crosses it. False if the function is
 * not even bounded there. */
bool ff_quadrature_survey(ff_method method, double t, double want, ff_longest_within *longest,
                          void *user, ff_survey *out);
