/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "design.h"
#include "model/kinds.h"
#include "num/memory.h"
#include <math.h>
#include <stdlib.h>

/* most rows of a table in memory; also the largest index of a layer */
static const size_t rows_most = 1000000000;

/* ---- random numbers from a seed and an index ---- */

/* The finaliser of SplitMix64 (Steele, Lea and Flood 2014): all bits of the result depend on all bits of x. */
static uint64_t mix(uint64_t x) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

static uint64_t bits_at(uint64_t seed, uint64_t a, uint64_t b) {
    const uint64_t gamma = 0x9e3779b97f4a7c15u;
    return mix(mix(mix(seed + gamma) ^ (a + gamma)) ^ (b + gamma));
}

/* The middle of one of 2^52 equal intervals of (0, 1): never 0 and never 1. */
static double part_of_one(uint64_t bits) { return ((double)(bits >> 12) + 0.5) * 0x1p-52; }

/* purpose of a random number */
enum { FOR_VALUES = 0, FOR_LAYERS = 1u << 20, FOR_SHIFT = 1u << 21 };

/* ---- Latin hypercubes (McKay, Beckman and Conover 1979) ---- */

/* For each axis a permutation of the layers (Fisher-Yates). */
static bool make_layers(ff_design *d) {
    d->layers = ff_malloc(d->samples * d->randoms * sizeof *d->layers);
    for (size_t k = 0; d->layers && k < d->randoms; k++) {
        uint32_t *layers = d->layers + k * d->samples;
        for (size_t i = 0; i < d->samples; i++) {
            const size_t other = (size_t)(bits_at(d->seed, FOR_LAYERS + k, i) % (i + 1));
            layers[i] = 0;
            layers[i] = layers[other];
            layers[other] = (uint32_t)i;
        }
    }
    return d->layers;
}

/* ---- Sobol's sequence ---- */

/* The first dimensions of Joe and Kuo (2008, new-joe-kuo-6): the degree s of a primitive polynomial, its inner coefficients
 * a as bits, the first s direction numbers. The first dimension, the van der Corput sequence, has none. */
static const struct {
    unsigned s, a, m[7];
} joe_kuo[FF_SOBOL_MOST - 1] = {
    {1, 0, {1}},
    {2, 1, {1, 3}},
    {3, 1, {1, 3, 1}},
    {3, 2, {1, 1, 1}},
    {4, 1, {1, 1, 3, 3}},
    {4, 4, {1, 3, 5, 13}},
    {5, 2, {1, 1, 5, 5, 17}},
    {5, 4, {1, 1, 5, 5, 5}},
    {5, 7, {1, 1, 7, 11, 19}},
    {5, 11, {1, 1, 5, 1, 1}},
    {5, 13, {1, 1, 1, 3, 11}},
    {5, 14, {1, 3, 5, 5, 31}},
    {6, 1, {1, 3, 3, 9, 7, 49}},
    {6, 13, {1, 1, 1, 15, 21, 21}},
    {6, 16, {1, 3, 1, 13, 27, 49}},
    {6, 19, {1, 1, 1, 15, 7, 5}},
    {6, 22, {1, 3, 1, 15, 13, 25}},
    {6, 25, {1, 1, 5, 5, 19, 61}},
    {7, 1, {1, 3, 7, 11, 23, 15, 103}},
    {7, 4, {1, 3, 7, 13, 13, 15, 69}},
};

/* v_k = a_1 v_(k-1) ^ .. ^ a_(s-1) v_(k-s+1) ^ v_(k-s) ^ (v_(k-s) >> s), with v_k = m_k 2^(52-k) (Bratley and Fox 1988). */
static void make_directions(ff_design *d) {
    for (unsigned j = 0; j < FF_SOBOL_MOST; j++) {
        const unsigned s = j ? joe_kuo[j - 1].s : 0;
        uint64_t *v = d->directions[j];
        for (unsigned k = 0; k < FF_SOBOL_BITS; k++) {
            if (j == 0 || k < s) {
                v[k] = (uint64_t)(j ? joe_kuo[j - 1].m[k] : 1) << (FF_SOBOL_BITS - 1 - k);
                continue;
            }
            v[k] = v[k - s] ^ (v[k - s] >> s);
            for (unsigned i = 1; i < s; i++) {
                v[k] ^= joe_kuo[j - 1].a >> (s - 1 - i) & 1 ? v[k - i] : 0;
            }
        }
    }
}

/* A point of the sequence with a random digital shift from the seed, in the middle of its cell of 2^-52. */
static double sobol(const ff_design *d, size_t axis, uint64_t sample) {
    uint64_t x = bits_at(d->seed, FOR_SHIFT, axis) >> 12;
    for (unsigned k = 0; sample; sample >>= 1, k++) {
        x ^= sample & 1 ? d->directions[axis][k] : 0;
    }
    return ((double)x + 0.5) * 0x1p-52;
}

/* ---- points ---- */

static double sample_of(const ff_design *d, size_t axis, size_t sample) {
    if (d->points == FF_POINTS_SOBOL) {
        return sobol(d, axis, sample);
    }
    const double u = part_of_one(bits_at(d->seed, FOR_VALUES + axis, sample));
    if (d->points == FF_POINTS_RANDOM) {
        return u;
    }
    /* rounding may give 1 for the last one */
    const uint32_t layer = d->layers[axis * d->samples + sample];
    return fmin(((double)layer + u) / (double)d->samples, 1 - 0x1p-53);
}

void ff_design_point(const ff_design *d, size_t row, double *values) {
    const size_t sample = row % d->samples;
    row /= d->samples;
    for (size_t i = d->count, random = d->randoms; i-- > 0;) {
        const ff_axis *axis = &d->axes[i];
        if (axis->count == 0) {
            values[i] = ff_axis_quantile(axis, sample_of(d, --random, sample));
        } else {
            const size_t at = row % axis->count;
            values[i] = axis->words ? (double)at : axis->values[at];
            row /= axis->count;
        }
    }
}

static ff_status check(ff_design *d, const ff_sweep *sweep, ff_error *error) {
    d->rows = 1;
    for (size_t i = 0; i < d->count; i++) {
        const size_t count = d->axes[i].count;
        if (count > 0 && d->rows > rows_most / count) {
            return ff_model_fail(error, FF_BAD_VALUE, "these are more than %zu runs", rows_most);
        }
        d->rows *= count ? count : 1;
        d->randoms += count == 0;
    }
    if (d->randoms == 0 && sweep->samples > 1) {
        return ff_model_fail(error, FF_BAD_VALUE,
                             "%zu samples of nothing: no parameter has a distribution, as "
                             "uniform(0.1, 0.5)",
                             sweep->samples);
    }
    if (d->randoms > 0 && sweep->samples == 0) {
        return ff_model_fail(error, FF_MISSING,
                             "how many samples? A parameter has a distribution, and the number of "
                             "samples is not given");
    }
    d->samples = d->randoms ? sweep->samples : 1;
    if (d->samples > rows_most / d->rows) {
        return ff_model_fail(error, FF_BAD_VALUE, "these are more than %zu runs", rows_most);
    }
    d->rows *= d->samples;
    return d->points == FF_POINTS_SOBOL && d->randoms > FF_SOBOL_MOST
               ? ff_model_fail(error, FF_BAD_VALUE,
                               "Sobol's sequence has %d dimensions here, and %zu parameters have "
                               "distributions: take a Latin hypercube",
                               FF_SOBOL_MOST, d->randoms)
               : FF_OK;
}

ff_status ff_design_create(ff_axis *axes, size_t count, const ff_sweep *sweep, ff_design **out,
                           ff_error *error) {
    ff_design *d = *out = ff_calloc(1, sizeof *d);
    if (!d) {
        for (size_t i = 0; i < count; i++) {
            ff_axis_clear(&axes[i]);
        }
        ff_free(axes);
        return ff_model_fail(error, FF_NO_MEMORY, "%s", ff_status_text(FF_NO_MEMORY));
    }
    d->axes = axes;
    d->count = count;
    d->points = sweep->points;
    d->seed = sweep->seed;
    ff_status status = check(d, sweep, error);
    if (status >= 0 && d->points == FF_POINTS_LATIN && d->randoms && !make_layers(d)) {
        status = ff_model_fail(error, FF_NO_MEMORY, "%s", ff_status_text(FF_NO_MEMORY));
    }
    make_directions(d);
    if (status < 0) {
        ff_design_free(d);
        *out = NULL;
    }
    return status;
}

void ff_design_free(ff_design *d) {
    for (size_t i = 0; d && i < d->count; i++) {
        ff_axis_clear(&d->axes[i]);
    }
    ff_free(d ? d->axes : NULL);
    ff_free(d ? d->layers : NULL);
    ff_free(d);
}
