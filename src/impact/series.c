/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "series.h"
#include "num/elementary.h"
#include "num/pair.h"
#include <math.h>
#include <string.h>

/* Factors of a product: 0 is the constant 1, 1 is s, the others are previous products. */
enum { ONE, S, PRODUCTS };

static int find_power(const ff_orbit *orbit, int exponent) {
    for (int i = ONE; i < PRODUCTS + orbit->products; i++) {
        if (orbit->chain[i].exponent == exponent) {
            return i;
        }
    }
    return -1;
}

/* s^exponent with as few products as a simple search finds: of two available powers, a square, or a power times s */
static int make_power(ff_orbit *orbit, int exponent) {
    int found = find_power(orbit, exponent);
    if (found >= 0) {
        return found;
    }
    int left = -1, right = -1;
    for (int i = S; i < PRODUCTS + orbit->products; i++) {
        int other = find_power(orbit, exponent - orbit->chain[i].exponent);
        if (other >= S) {
            left = i;
            right = other;
        }
    }
    if (left < 0) {
        left = make_power(orbit, exponent % 2 ? exponent - 1 : exponent / 2);
        right = exponent % 2 ? S : left;
    }
    int at = PRODUCTS + orbit->products++;
    orbit->chain[at] = (ff_orbit_product){exponent, left, right};
    return at;
}

void ff_series_init(ff_orbit *orbit) {
    orbit->products = 0;
    orbit->chain[ONE] = (ff_orbit_product){.exponent = 0};
    orbit->chain[S] = (ff_orbit_product){.exponent = 1};
    orbit->clock = make_power(orbit, orbit->q - 1);
    orbit->damper = make_power(orbit, (int)orbit->b);
    orbit->spring = make_power(orbit, (int)orbit->a);
    if (orbit->local) {
        orbit->bed = make_power(orbit, (int)nearbyint(orbit->q * orbit->n));
    }
}

/* products need all terms but the last */
enum { FACTOR_TERMS = FF_SERIES_TERMS - 1 };
typedef double pair __attribute__((vector_size(16)));

/* A factor: its coefficients so far, also in reverse order, so that the terms of a product are adjacent. */
typedef struct {
    double x[FACTOR_TERMS], back[FACTOR_TERMS];
} factor;

static inline void set(factor *to, int k, double value) {
    to->x[k] = to->back[FACTOR_TERMS - 1 - k] = value;
}

/* Coefficient k of the product of two series, in four parallel sums. The newest coefficients come last, so that nothing
 * else waits for them. */
static inline double product(const factor *left, const factor *right, int k) {
    const double *x = left->x, *back = right->back + FACTOR_TERMS - 1 - k;
    double sum = 0;
    pair even = {0, 0}, odd = {0, 0}, a, b;
    int j = 1;
    for (; j + 3 < k; j += 4) {
        memcpy(&a, x + j, sizeof a);
        memcpy(&b, back + j, sizeof b);
        even += a * b;
        memcpy(&a, x + j + 2, sizeof a);
        memcpy(&b, back + j + 2, sizeof b);
        odd += a * b;
    }
    for (; j < k; j++) {
        sum += x[j] * back[j];
    }
    even += odd;
    sum += even[0] + even[1];
    return k > 0 ? sum + (x[0] * back[0] + x[k] * back[k]) : x[0] * back[0];
}

/* Coefficient by coefficient: the powers of s up to k from those of s, then k + 1 of the states from their rates. */
void ff_series_expand(const ff_orbit *orbit, double delta, const double *from, ff_series *out) {
    factor powers[FF_ORBIT_CHAIN], velocity, drag;
    const int count = PRODUCTS + orbit->products;
    const bool shifted = orbit->local && signbit(delta);
    const double q = orbit->q, unit = 10 * orbit->first;
    out->unit = unit;
    memset(powers[ONE].x, 0, sizeof powers[ONE].x);
    powers[ONE].x[0] = 1;
    for (int i = 0; i < FF_ORBIT_STATES; i++) {
        out->c[i][0] = from[i];
    }
    for (int k = 0; k < FACTOR_TERMS; k++) {
        const double v = out->c[FF_V][k], per = unit / (k + 1), rate = q * per;
        set(&powers[S], k, out->c[FF_S][k]);
        set(&velocity, k, v);
        for (int i = PRODUCTS; i < count; i++) {
            const ff_orbit_product *p = &orbit->chain[i];
            set(&powers[i], k, product(&powers[p->left], &powers[p->right], k));
        }
        if (shifted) {
            /* `drag` is the square of s^(qn) */
            set(&drag, k, product(&powers[orbit->bed], &powers[orbit->bed], k));
            out->c[FF_S][k + 1] = per * (v - orbit->tau * powers[orbit->bed].x[k]);
            out->c[FF_V][k + 1] = -rate * powers[orbit->spring].x[k];
            out->c[FF_T][k + 1] = rate * powers[orbit->clock].x[k];
            out->c[FF_W][k + 1] =
                rate * orbit->tau *
                (orbit->clock == ONE ? drag.x[k] : product(&powers[orbit->clock], &drag, k));
            continue;
        }
        set(&drag, k, orbit->damper == ONE ? v : product(&powers[orbit->damper], &velocity, k));
        out->c[FF_S][k + 1] = per * v;
        out->c[FF_V][k + 1] = -rate * (powers[orbit->spring].x[k] + delta * drag.x[k]);
        out->c[FF_T][k + 1] = rate * powers[orbit->clock].x[k];
        out->c[FF_W][k + 1] = rate * delta * product(&drag, &velocity, k);
    }
}

/* The coefficients of a state of size x are bounded by x R^-k, with the radius R estimated from the second half of them; at
 * R (1e-16)^(1/25) the truncation error is 1e-16 x. Logarithms rounded to the next power of 2 are accurate enough, since
 * they are divided by k. */
double ff_series_reach(const ff_orbit *orbit, const ff_series *series) {
    double per_size[FF_ORBIT_STATES], steepest = -64; /* -log2 R */
    for (int i = 0; i < FF_ORBIT_STATES; i++) {
        const double *c = series->c[i];
        /* if a state is 0, its size is the change in a short step */
        per_size[i] = 1 / fmax(fabs(c[0]), fmax(orbit->floor[i], 0.1 * fabs(c[1])));
    }
    for (int k = FF_SERIES_TERMS / 2; k < FF_SERIES_TERMS; k++) {
        double most = 0;
        for (int i = 0; i < FF_ORBIT_STATES; i++) {
            double part = fabs(series->c[i][k]) * per_size[i];
            most = part > most ? part : most;
        }
        /* the exponent of a double, also of 0 and infinity */
        double log2 = (double)(ff_bits(most) >> 52) - 1022;
        steepest = log2 > steepest * k ? log2 / k : steepest;
    }
    return 0.229 * series->unit * ff_exp(-0.69314718055994531 * steepest);
}

void ff_series_at(const ff_series *series, double sigma, double *to) {
    double y[FF_ORBIT_STATES] = {0}, x = sigma / series->unit;
    for (int k = FF_SERIES_TERMS - 1; k >= 0; k--) {
        for (int i = 0; i < FF_ORBIT_STATES; i++) {
            y[i] = y[i] * x + series->c[i][k];
        }
    }
    memcpy(to, y, sizeof y);
}
