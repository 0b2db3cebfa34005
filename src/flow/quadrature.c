/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "quadrature.h"
#include "num/elementary.h"

/* A method whose weights integrate polynomials of degree k - 1 exactly has, for a function with |f^(k)|/k! <= c over a step h, an
 * error of at most kappa_k c h^(k+1) in the integral of f (Peano): kappa_k = k! times the integral of the magnitude of its
 * kernel. For k = 0, with values within r of one number, it is (1 + sum |b_i|) r h. */

static const double kappa_five[] = {2.645, 0.1278, 0.01378, 0.003165, 0.001128, 0.0006414};
static const double kappa_eight[] = {13.91,    0.2839,   0.01360,  0.001409, 0.0002691,
                                     7.840e-5, 3.443e-5, 2.279e-5, 2.676e-5};
/* other methods, and steps on a curved clock: exact up to their order, with weights whose magnitudes add up to less than 1 */
static const double kappa_any[] = {2, 1, 1, 1, 1, 1, 1, 1, 1};

ff_quadrature ff_quadrature_of(const ff_flow *f) {
    const ff_method method = f->now.method;
    const bool five = method == FF_DOPRI5 || method == FF_AUTO, eight = method == FF_DOP853;
    const int of = ff_method_order(method), order = five ? 5 : eight ? 8 : of > 0 ? of : 4;
    return (ff_quadrature){order, f->now.clock.power > 1 ? kappa_any
                                  : five                 ? kappa_five
                                  : eight                ? kappa_eight
                                                         : kappa_any};
}

double ff_quadrature_longest(const ff_interval *c, ff_quadrature q, double room, bool integrated) {
    double most = 0;
    for (int k = q.order; k >= 0; k--) {
        const double size = k > 0 ? ff_interval_magnitude(c[k]) : ff_interval_width(c[0]) / 2;
        if (size == 0 || (k == 0 && !integrated && size <= room)) {
            return HUGE_VAL;
        }
        if (!(size < HUGE_VAL) || (k == 0 && !integrated)) {
            continue;
        }
        const double h = integrated ? ff_pow(room / (q.kappa[k] * size), 1.0 / (k + 1))
                                    : 4 * ff_pow(room / (2 * size), 1.0 / k);
        most = h > most ? h : most;
    }
    return most;
}

bool ff_quadrature_shows(const ff_interval *c, ff_quadrature q, double room, double h) {
    double powers[FF_SERIES_ORDER_MOST + 2] = {1};
    for (int k = 0; k <= q.order; k++) {
        powers[k + 1] = h * powers[k];
    }
    for (int k = q.order; k >= 0; k--) {
        const double size = k > 0 ? ff_interval_magnitude(c[k]) : ff_interval_width(c[0]) / 2;
        if (q.kappa[k] * size * powers[k + 1] <= room) {
            return true;
        }
    }
    return false;
}

bool ff_quadrature_survey(ff_method method, double t, double want, ff_longest_within *longest,
                          void *user, ff_survey *out) {
    enum { DOUBLINGS = 40, REFINEMENTS = 7 };
    /* a jump may change a state by a million times the tolerance there, a pole changes it more */
    const double EDGE_PART = 1e-6;
    const double least = FF_QUADRATURE_NEAR * fmax(t, want);
    double length = want, step = longest(user, t, t + length), fails = 0;
    while (step < length && length >= least) {
        fails = length;
        length /= 2;
        step = longest(user, t, t + length);
    }
    if (step < length) {
        /* at the end of a domain, such as that of sqrt(), rounding decides on which side t is */
        if (!(step > 0)) {
            step = longest(user, t + 1e-3 * least, t + least);
        }
        *out = (ff_survey){t + least, least, (double)method};
        return step >= EDGE_PART * least;
    }
    /* before a jump or a kink steps would get shorter and shorter: go closer */
    for (int k = 0; k < REFINEMENTS && length < 1e-3 * want; k++) {
        const double middle = (length + fails) / 2, longer = longest(user, t, t + middle);
        if (longer < middle) {
            fails = middle;
        } else {
            length = middle;
            step = longer;
        }
    }
    const double enough = fmin(step / 2, 4 * want);
    for (int k = 0; k < DOUBLINGS; k++) {
        const double longer = longest(user, t, t + 2 * length);
        if (longer < enough) {
            break;
        }
        step = longer;
        length *= 2;
    }
    *out = (ff_survey){t + length, step, (double)method};
    return true;
}
