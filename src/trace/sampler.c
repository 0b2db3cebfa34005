/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include <footfall/trace.h>
#include <math.h>

/* A time this part of the spacing away from a multiple of it is that multiple: 6*0.1 is above 0.6 by rounding. */
#define SAME_TIME 1e-9

/* parts of one step at the most: of a long step in free flight a thousand points are a smooth curve */
enum { cuts_most = 1000 };

static bool is_even(const ff_sampler *s) { return s->every > 0 && !s->only_events; }

void ff_sampler_start(ff_sampler *s, double now) {
    s->ticks = s->every > 0 ? floor(now / s->every + SAME_TIME) + 1 : 0;
    s->from = s->to = now;
    s->part = s->cuts = 1;
    s->pending = !s->only_events;
}

void ff_sampler_step(ff_sampler *s, double now, bool event) {
    bool each = !is_even(s) && !s->only_events;
    s->from = s->to;
    s->to = now;
    s->part = s->cuts = 1;
    if (each && s->fill > 0 && now > s->from) {
        s->cuts = (int)fmin(ceil((now - s->from) / s->fill), cuts_most);
    }
    if (each && now > s->from && s->parts > s->cuts) {
        s->cuts = s->parts;
    }
    s->pending = each || (event && (s->events || s->only_events));
}

void ff_sampler_end(ff_sampler *s, double now) {
    if (is_even(s) && fabs(s->every * s->ticks - now) < SAME_TIME * s->every) {
        s->ticks++;
        s->to = now;
        s->pending = true;
    }
}

double ff_sampler_next(const ff_sampler *s) {
    if (is_even(s) && s->every * s->ticks <= s->to) {
        return s->every * s->ticks;
    }
    if (s->part < s->cuts) {
        return s->from + (s->to - s->from) * s->part / s->cuts;
    }
    return s->pending ? s->to : (double)INFINITY;
}

void ff_sampler_pass(ff_sampler *s) {
    if (is_even(s) && s->every * s->ticks <= s->to) {
        s->ticks++;
    } else if (s->part < s->cuts) {
        s->part++;
    } else {
        s->pending = false;
    }
}
