/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* Vectors of four lanes: three of a vector in space and a 0, or one of each of four bodies. No fused operations, and
 * the same order everywhere: every instruction set gives the same bits. */

#include <string.h>

typedef double V __attribute__((vector_size(32)));

typedef long long M __attribute__((vector_size(32)));

#if defined(__clang__) || __GNUC__ >= 12
#define PICK(a, b, i, j, k, l) __builtin_shufflevector(a, b, i, j, k, l)
#else
#define PICK(a, b, i, j, k, l) __builtin_shuffle(a, b, (M){i, j, k, l})
#endif

static inline V get(const double a[4]) {
    V out;
    memcpy(&out, a, sizeof out);
    return out;
}

static inline V get3(const double a[3]) { return (V){a[0], a[1], a[2], 0}; }

static inline void put3(double a[3], V x) {
    a[0] = x[0];
    a[1] = x[1];
    a[2] = x[2];
}

static inline void put(double a[4], V x) { memcpy(a, &x, sizeof x); }

static inline V all(double x) { return (V){x, x, x, x}; }

/* of vectors of three whose last lane is 0 */
static inline V cross(V a, V b) {
    V c = a * PICK(b, b, 1, 2, 0, 3) - PICK(a, a, 1, 2, 0, 3) * b;
    return PICK(c, c, 1, 2, 0, 3);
}

static inline double dot(V a, V b) {
    V c = a * b;
    return c[0] + c[1] + c[2];
}
