/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* Checks of arrays in a state that was read from outside. */

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

/* Examines bytes, since reading a bool that is neither 0 nor 1 is undefined. */
static inline bool ff_valid_flags(const bool *at, size_t count) {
    const unsigned char *bytes = (const unsigned char *)at;
    bool good = true;
    for (size_t i = 0; i < count * sizeof *at; i++) {
        good = good && bytes[i] <= 1;
    }
    return good;
}

static inline bool ff_valid_finite(const double *at, size_t count) {
    bool good = true;
    for (size_t i = 0; i < count; i++) {
        good = good && isfinite(at[i]);
    }
    return good;
}

/* Finite and above 0. */
static inline bool ff_valid_positive(const double *at, size_t count) {
    bool good = true;
    for (size_t i = 0; i < count; i++) {
        good = good && at[i] > 0 && isfinite(at[i]);
    }
    return good;
}

/* Not negative and not NAN. */
static inline bool ff_valid_sizes(const double *at, size_t count) {
    bool good = true;
    for (size_t i = 0; i < count; i++) {
        good = good && at[i] >= 0;
    }
    return good;
}
