/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "pack.h"
#include "num/elementary.h"
#include "num/memory.h"
#include <math.h>
#include <stdlib.h>

static void put_bits(pack *p, uint64_t value, int count) {
    p->bits = p->bits << count | value;
    p->pending += count;
    while (p->pending >= 8) {
        if (p->size == p->room) {
            size_t room = p->room ? 2 * p->room : 4096;
            unsigned char *more = p->failed ? NULL : ff_realloc(p->bytes, room);
            if (!more) {
                p->failed = true;
                p->pending = 0;
                return;
            }
            p->bytes = more;
            p->room = room;
        }
        p->pending -= 8;
        p->bytes[p->size++] = (unsigned char)(p->bits >> p->pending);
    }
}

void pack_end(pack *p) {
    if (p->pending > 0) {
        put_bits(p, 0, 8 - p->pending);
    }
}

pack_scale pack_scale_of(const double *values, size_t count, double floor, int bits) {
    double least = INFINITY, most = -INFINITY;
    for (size_t i = 0; i < count; i++) {
        if (isfinite(values[i])) {
            least = fmin(least, values[i]);
            most = fmax(most, values[i]);
        }
    }
    if (!(most > least)) {
        return (pack_scale){isfinite(least) ? least : 0, 0};
    }
    const double step = fmax(most - least, floor) / (double)((1 << bits) - 1);
    /* make 0 one of the representable values if it is in the range: a force of 0 must be 0 on the page, not a rounding
     * error */
    return (pack_scale){least < 0 && most >= 0 ? -ceil(-least / step) * step : least, step};
}

/* Finite differences of order 0 to 3, with zeros before the first value: residuals of a polynomial prediction of one order
 * less (Robinson 1994, the fixed predictors of Shorten and FLAC). */
static int32_t prediction_error(const int32_t *q, size_t i, int order) {
    int32_t a = i > 0 ? q[i - 1] : 0, b = i > 1 ? q[i - 2] : 0, c = i > 2 ? q[i - 3] : 0;
    switch (order) {
    case 0: return q[i];
    case 1: return q[i] - a;
    case 2: return q[i] - 2 * a + b;
    default: return q[i] - 3 * a + 3 * b - c;
    }
}

/* 0, -1, 1, -2 ... to 0, 1, 2, 3 ... */
static uint32_t folded(int32_t d) { return (uint32_t)d << 1 ^ (d < 0 ? UINT32_MAX : 0); }

/* Rice code (1979): the quotient by 2^k as that many ones and a zero, then the last k bits. One k per block; a special k
 * marks a block of zeros. A number that would need more than `ones_most` ones is written in plain binary. */
enum { block = 64, zeros = 31, k_bits = 5, ones_most = 20, plain_bits = 32 };

static void put_block(pack *p, const int32_t *q, size_t from, size_t to, int order) {
    uint64_t sum = 0;
    int k = 0;
    for (size_t i = from; i < to; i++) {
        sum += folded(prediction_error(q, i, order));
    }
    if (sum == 0) {
        put_bits(p, zeros, k_bits);
        return;
    }
    /* the mean lies between 2^k and 2^(k+1) */
    while (k < 24 && ((uint64_t)(to - from) << (k + 1)) <= sum) {
        k++;
    }
    put_bits(p, (uint64_t)k, k_bits);
    for (size_t i = from; i < to; i++) {
        uint32_t value = folded(prediction_error(q, i, order)), ones = value >> k;
        if (ones < ones_most) {
            put_bits(p, (UINT64_C(1) << (ones + 1)) - 2, (int)ones + 1);
            put_bits(p, value & ((UINT32_C(1) << k) - 1), k);
        } else {
            put_bits(p, (UINT64_C(1) << ones_most) - 1, ones_most);
            put_bits(p, value, plain_bits);
        }
    }
}

void pack_column(pack *p, const double *values, size_t count, pack_scale scale, int32_t *work) {
    double cost[4] = {0};
    int best = 0;
    if (!(scale.step > 0)) {
        /* a single value needs no data */
        return;
    }
    for (size_t i = 0; i < count; i++) {
        work[i] = isfinite(values[i]) ? (int32_t)lround((values[i] - scale.least) / scale.step) : 0;
    }
    for (int order = 0; order < 4; order++) {
        for (size_t i = 0; i < count; i++) {
            cost[order] += ff_log2(1 + (double)folded(prediction_error(work, i, order)));
        }
        best = cost[order] < cost[best] ? order : best;
    }
    put_bits(p, (uint64_t)best, 2);
    for (size_t i = 0; i < count; i += block) {
        put_block(p, work, i, i + block < count ? i + block : count, best);
    }
}

char *pack_base64(const void *bytes, size_t size) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const unsigned char *from = bytes;
    char *text = ff_malloc((size + 2) / 3 * 4 + 1), *to = text;
    for (size_t i = 0; text && i < size; i += 3) {
        size_t left = size - i;
        unsigned v = (unsigned)from[i] << 16 | (left > 1 ? (unsigned)from[i + 1] << 8 : 0) |
                     (left > 2 ? from[i + 2] : 0);
        *to++ = digits[v >> 18];
        *to++ = digits[v >> 12 & 63];
        *to++ = left > 1 ? digits[v >> 6 & 63] : '=';
        *to++ = left > 2 ? digits[v & 63] : '=';
    }
    if (text) {
        *to = '\0';
    }
    return text;
}
