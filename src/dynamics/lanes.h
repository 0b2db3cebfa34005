/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* Vectors of four lanes: a 3-vector and a 0, or one number of each of four bodies. Without fused operations and in a fixed
 * order, so that every instruction set gives the same bits. */

#include <string.h>

typedef double V __attribute__((vector_size(32)));

typedef long long M __attribute__((vector_size(32)));

/* selects four of the eight lanes of a and b; four numbers */
#if defined(__clang__) || (defined(__AVX__) && __GNUC__ >= 12)
#define PICK(a, b, i, j, k, l) __builtin_shufflevector(a, b, i, j, k, l)
#define FOUR(x, y, z, w) ((V){x, y, z, w})
#elif defined(__AVX__)
#define PICK(a, b, i, j, k, l) __builtin_shuffle(a, b, (M){i, j, k, l})
#define FOUR(x, y, z, w) ((V){x, y, z, w})
#else
/* with registers of two lanes, gcc splits such vectors into single numbers in memory, but not halves */
typedef double H __attribute__((vector_size(16)));
typedef long long HM __attribute__((vector_size(16)));
static inline H half_of(V x, int i) {
    H out;
    memcpy(&out, (const char *)&x + 16 * i, sizeof out);
    return out;
}
static inline V join(H a, H b) {
    V out;
    memcpy(&out, &a, sizeof a);
    memcpy((char *)&out + 16, &b, sizeof b);
    return out;
}
#define LANE(a, b, i) half_of((i) < 4 ? (a) : (b), (i) % 4 / 2)
#define PAIR(a, b, i, j) __builtin_shuffle(LANE(a, b, i), LANE(a, b, j), (HM){(i) % 2, 2 + (j) % 2})
#define PICK(a, b, i, j, k, l) join(PAIR(a, b, i, j), PAIR(a, b, k, l))
#define FOUR(x, y, z, w) join((H){x, y}, (H){z, w})
#endif

static inline V get(const double a[4]) {
    V out;
    memcpy(&out, a, sizeof out);
    return out;
}

static inline V get3(const double a[3]) { return FOUR(a[0], a[1], a[2], 0); }

static inline void put3(double a[3], V x) {
    a[0] = x[0];
    a[1] = x[1];
    a[2] = x[2];
}

static inline void put(double a[4], V x) { memcpy(a, &x, sizeof x); }

static inline V all(double x) { return FOUR(x, x, x, x); }

/* a where all bits of the mask are 1, b where they are 0 */
static inline V blend(long long mask, V a, V b) {
#ifdef LANE
    const HM m = {mask, mask};
    const HM low = (m & (HM)half_of(a, 0)) | (~m & (HM)half_of(b, 0)),
             high = (m & (HM)half_of(a, 1)) | (~m & (HM)half_of(b, 1));
    return join((H)low, (H)high);
#else
    const M m = {mask, mask, mask, mask};
    return (V)((m & (M)a) | (~m & (M)b));
#endif
}

/* cross product of 3-vectors whose last lane is 0 */
static inline V cross(V a, V b) {
    V c = a * PICK(b, b, 1, 2, 0, 3) - PICK(a, a, 1, 2, 0, 3) * b;
    return PICK(c, c, 1, 2, 0, 3);
}

static inline double dot(V a, V b) {
    V c = a * b;
    return c[0] + c[1] + c[2];
}
