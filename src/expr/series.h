/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* Runs a tape on interval Taylor series, and classifies what outputs depend on.
 *
 * Coefficient k of a number x(t) is an interval that contains x^(k)(t)/k! for every t of a piece. The caller writes those of
 * the inputs: a constant has its value and zeros; time on [t0, t1] has [t0, t1], [1, 1] and zeros; a state has enclosures of
 * its own. Rounding is included, of the series and of ff_tape_run(): coefficient 0 contains the value that the tape computes
 * anywhere on the piece. Coefficients are computed by the usual recurrences of automatic differentiation (Moore 1966;
 * Griewank and Walther 2008, table 13.2), those of order 0 from the monotonic pieces of each function; a shorter piece gives
 * intervals that are shorter in proportion.
 *
 * Numbers of the tape are taken as they are: an expression of constants that was folded has its rounded value.
 *
 * [-inf, inf] means that nothing is known, not even that the number exists; no coefficient is a NAN. In particular:
 *     - A function of an unknown number is unknown, except for the arm that if() does not take.
 *     - Where an argument leaves the domain of its function on a part of the piece (sqrt of [-1, 4], log or a divisor of
 *       [0, 1]) all coefficients are unbounded; at the end of a domain (sqrt of [0, 4]) those after the first.
 *     - abs, min and max have the coefficients of one side if the piece decides which. Otherwise coefficient 0 is the range,
 *       coefficient 1 contains both slopes (a bound of difference quotients), and later ones are unbounded.
 *     - Comparisons, sign, floor and ceil are constant if the piece decides them, otherwise they have a range and unbounded
 *       later coefficients. if() takes the coefficients of one arm if its condition is decided, whatever the other has.
 *     - A function of constants is constant. 0 times a bounded function is 0.
 * The derivatives at an end of the piece are those from within the piece. */

#include "num/interval.h"
#include "tape.h"

enum { FF_SERIES_ORDER_MOST = 8 };

/* Number of intervals of work memory for coefficients 0 to `order`; and initialisation, needed once for an order. */
size_t ff_series_room(const ff_tape *tape, int order);
void ff_series_begin(const ff_tape *tape, int order, ff_interval *work);

/* Runs one group; the groups before it must have been run with these inputs. Coefficient k of number i (inputs first, as in
 * `work` of a tape) is work[i*(order + 1) + k]. */
void ff_series_run(const ff_tape *tape, size_t group, int order, ff_interval *work);

/* The coefficients 0 to `order` of output i, after its group has been run. */
const ff_interval *ff_series_output(const ff_tape *tape, size_t i, int order,
                                    const ff_interval *work);

/* What an input is in time. */
typedef enum ff_input_kind { FF_INPUT_CONSTANT, FF_INPUT_TIME, FF_INPUT_STATE } ff_input_kind;

/* How an output depends on the inputs, as its operations show it; x - x relies on x. Kinks and jumps in time rely on time,
 * those in a state rely on it freely. */
typedef enum ff_reliance {
    FF_RELIES_NOT,
    FF_RELIES_ON_TIME,
    FF_RELIES_AFFINELY, /* a function of time plus constants times states */
    FF_RELIES_FREELY
} ff_reliance;

/* kinds: an ff_input_kind for each input; out: an ff_reliance for each output of all groups. FF_OK or FF_NO_MEMORY. */
ff_status ff_series_reliance(const ff_tape *tape, const unsigned char *kinds, unsigned char *out);
