/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "path.h"
#include <string.h>

/* About the middle m, with q(u) = p(m + u) and |u| <= r,
 * the k-th one is sum of C(j, k) q_j u^(j-k). */
void ff_path_polynomial(const double *p, int count, double from, double to, int order,
                        ff_interval *out) {
    const double m = (from + to) / 2, r = (to - from) / 2 * (1 + 4 * DBL_EPSILON);
    double q[FF_DENSE_MOST + 1];
    memcpy(q, p, (size_t)count * sizeof *q);
    /* Horner's scheme shifts the origin */
    for (int i = 0; i < count; i++) {
        for (int j = count - 2; j >= i; j--) {
            q[j] += m * q[j + 1];
        }
    }
    for (int k = 0; k <= order; k++) {
        double lo = 0, hi = 0, power = 1, choose = 1;
        for (int j = k; j < count; j++) {
            const double part = choose * q[j] * power;
            if (j == k) {
                lo = hi = part;
            } else if ((j - k) % 2 == 0) {
                lo += part < 0 ? part : 0;
                hi += part > 0 ? part : 0;
            } else {
                lo -= fabs(part);
                hi += fabs(part);
            }
            power *= r;
            choose = choose * (j + 1) / (j + 1 - k);
        }
        out[k] = (ff_interval){ff_interval_down(ff_interval_down(lo)),
                               ff_interval_up(ff_interval_up(hi))};
    }
}

void ff_path_constant(double value, int order, ff_interval *out) {
    out[0] = ff_interval_of(value);
    for (int k = 1; k <= order; k++) {
        out[k] = ff_interval_of(0);
    }
}

void ff_path_state(const ff_flow *f, const ff_path *p, size_t i, double mean, double spread,
                   ff_interval *out) {
    const ff_stepper *s = &f->stepper;
    double by[FF_DENSE_MOST];
    if (p->by == FF_PATH_DENSE) {
        const int count = ff_stepper_polynomial(s, i, by);
        ff_path_polynomial(by, count, p->from, p->to, p->order, out);
        return;
    }
    const double y = f->y[i], rise = s->y1[i] - y, first = s->step * s->k[0][i],
                 last = s->step * s->k[6][i];
    if (p->by == FF_PATH_CUBIC) {
        by[0] = y;
        by[1] = first;
        by[2] = 3 * rise - 2 * first - last;
        by[3] = first + last - 2 * rise;
        ff_path_polynomial(by, 4, p->from, p->to, p->order, out);
        return;
    }
    /* over the whole step, from the rates at its stages */
    const double h = p->t[1] - p->t[0];
    out[1] = ff_interval_scale(ff_path_within(mean, spread), h);
    out[0] =
        ff_interval_add((ff_interval){fmin(y, s->y1[i]), fmax(y, s->y1[i])},
                        ff_path_within(0, fmax(ff_interval_magnitude(out[1]) - fabs(rise), 0) / 2));
    for (int k = 2; k <= p->order; k++) {
        out[k] = ff_interval_all();
    }
}

ff_path ff_path_of(const ff_flow *f, double from, double to, int order) {
    const ff_clock *clock = &f->now.clock;
    const double x = clock->x, h = f->stepper.step;
    ff_path p = {.from = from, .to = to, .order = order};
    /* t = start + (x + theta h)^power */
    double by[5] = {x, h}, choose = 1;
    int count = 2;
    if (clock->power > 1) {
        count = clock->power + 1;
        for (int k = 0; k < count; k++) {
            by[k] = (k == 0 ? clock->start : 0) +
                    choose * ff_power_of(x, clock->power - k) * ff_power_of(h, k);
            choose = choose * (clock->power - k) / (k + 1);
        }
    }
    ff_path_polynomial(by, count, from, to, order, p.rate);
    p.t[0] = ff_clock_time(clock, x + from * h);
    p.t[1] = ff_clock_time(clock, x + to * h);
    return p;
}

double ff_path_bound(const ff_interval *c, double a, double b, double w) {
    double most = c[0].hi;
    const double down = fmin(c[1].lo, 0), up = fmax(c[1].hi, 0);
    if (up - down < HUGE_VAL) {
        /* a + up s = b - down (w - s) */
        const double s = up > down ? (b - a - down * w) / (up - down) : 0;
        const double tent = s <= 0 ? a : s >= w ? b : a + up * s;
        most = fmin(most, tent);
    }
    if (c[2].lo > -HUGE_VAL) {
        most = fmin(most, ff_path_chord(a, b, w, fmax(-2 * c[2].lo, 0)));
    }
    return most;
}

double ff_path_bound_side(const ff_interval *x, double side, const ff_step_part *part) {
    ff_interval g[FF_PATH_ORDER + 1];
    for (int i = 0; i <= FF_PATH_ORDER; i++) {
        g[i] = side == 0 ? ff_interval_negate(x[i]) : x[i];
    }
    return ff_path_bound(g, part->a->g, part->b->g, part->to - part->from);
}
