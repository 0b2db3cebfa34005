/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "leak.h"
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* the party that has exchanged the most energy since the last evaluation */
static size_t largest_exchange(const ff_leak *leak) {
    size_t out = leak->parties;
    double most = 0;
    for (size_t i = 0; i < leak->parties; i++) {
        double by = fabs(leak->held[i] - leak->taken[i]);
        if (by > most) {
            most = by;
            out = i;
        }
    }
    return out;
}

void ff_leak_begin(ff_leak *leak, ff_leak_now *now, double residual, double time) {
    memcpy(leak->taken, leak->held, leak->parties * sizeof *leak->taken);
    memset(leak->blamed, 0, (leak->parties + 1) * sizeof *leak->blamed);
    *now = (ff_leak_now){.residual = residual, .time = time};
}

void ff_leak_note(ff_leak *leak, ff_leak_now *now, double residual, double time) {
    const double jump = residual - now->residual;
    leak->blamed[largest_exchange(leak)] += jump;
    if (fabs(jump) > now->worst) {
        now->worst = fabs(jump);
        now->from = now->time;
        now->to = time;
    }
    now->residual = residual;
    now->time = time;
    memcpy(leak->taken, leak->held, leak->parties * sizeof *leak->taken);
}

size_t ff_leak_worst(const ff_leak *leak, const ff_leak_now *now, double residual, double time,
                     double *part, char when[FF_LEAK_TIME]) {
    const size_t last = largest_exchange(leak);
    const double jump = residual - now->residual;
    const bool late = fabs(jump) > now->worst;
    const double from = late ? now->time : now->from, to = late ? time : now->to;
    size_t out = last;
    *part = 0;
    for (size_t i = 0; i <= leak->parties; i++) {
        double own = leak->blamed[i] + (i == last ? jump : 0);
        if (fabs(own) > fabs(*part)) {
            *part = own;
            out = i;
        }
    }
    if (to - from < 1e-8 * to) {
        snprintf(when, FF_LEAK_TIME, "at %.9g s", to);
    } else {
        snprintf(when, FF_LEAK_TIME, "from %.9g to %.9g s", from, to);
    }
    return out;
}
