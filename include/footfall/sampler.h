/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* Sample times of a run: its start, then each step, a fixed spacing or events. Traces record their rows at these times.
 * With `before`, quantities that jump at an event are sampled on both sides of it: at the last representable time before
 * the event, and at the event itself, after the jump.
 *
 *     ff_sampler s = {.every = 1e-3};
 *     ff_sampler_start(&s, now);
 *     for each step: ff_sampler_step(&s, now, event), then
 *     while ((time = ff_sampler_next(&s)) <= now) { ff_sampler_pass(&s); observe the run at `time` ... } */

#include <math.h>
#include <stdbool.h>

typedef struct ff_sampler {
    double every; /* spacing, s; 0: every step */
    /* with every step: additional times within the step, at most this far apart, s; 0: none */
    double fill;
    int parts; /* with every step: divide each step into at least this many parts; 0: not divided */
    bool events; /* with a spacing: also at events */
    bool before; /* with every step: also the last time before an event */
    bool only_events;

    /* internal state */
    double ticks;    /* index of the next multiple of the spacing */
    double from, to; /* start and end of the last step */
    int part, cuts;  /* index of the next time within the last step, and the number of its parts */
    bool pending;    /* the end of the last step has not been sampled yet */
    bool edge;       /* the last time before the end of the step has not been sampled yet */
} ff_sampler;

/* Times within this fraction of the spacing from a multiple count as that multiple: 6*0.1 exceeds 0.6 by rounding. */
#define FF_SAMPLER_SAME_TIME 1e-9

/* most parts of one step: a thousand points are a smooth curve even for a long step in free flight */
#define FF_SAMPLER_CUTS_MOST 1000

static inline bool ff_sampler_is_even(const ff_sampler *s) {
    return s->every > 0 && !s->only_events;
}

/* Starts sampling at `now`, the start of a run or the point where it resumes; `now` is the first sample. */
static inline void ff_sampler_start(ff_sampler *s, double now) {
    s->ticks = s->every > 0 ? floor(now / s->every + FF_SAMPLER_SAME_TIME) + 1 : 0;
    s->from = s->to = now;
    s->part = s->cuts = 1;
    s->pending = !s->only_events;
    s->edge = false;
}

/* Tells the sampler that a step was made up to `now`. */
static inline void ff_sampler_step(ff_sampler *s, double now, bool event) {
    bool each = !ff_sampler_is_even(s) && !s->only_events;
    s->from = s->to;
    s->to = now;
    s->part = s->cuts = 1;
    if (each && s->fill > 0 && now > s->from) {
        s->cuts = (int)fmin(ceil((now - s->from) / s->fill), FF_SAMPLER_CUTS_MOST);
    }
    if (each && now > s->from && s->parts > s->cuts) {
        s->cuts = s->parts;
    }
    s->pending = each || (event && (s->events || s->only_events));
    /* events that follow at the same instant have no time before them */
    s->edge = each && event && s->before && nextafter(now, s->from) > s->from;
}

/* Tells the sampler that the run has ended: a multiple of the spacing that only rounding puts after `now` is due. */
static inline void ff_sampler_end(ff_sampler *s, double now) {
    if (ff_sampler_is_even(s) &&
        fabs(s->every * s->ticks - now) < FF_SAMPLER_SAME_TIME * s->every) {
        s->ticks++;
        s->to = now;
        s->pending = true;
    }
}

/* The next sample time; infinite if none is due. */
static inline double ff_sampler_next(const ff_sampler *s) {
    if (ff_sampler_is_even(s) && s->every * s->ticks <= s->to) {
        return s->every * s->ticks;
    }
    if (s->part < s->cuts) {
        return s->from + (s->to - s->from) * s->part / s->cuts;
    }
    if (s->edge) {
        return nextafter(s->to, s->from);
    }
    return s->pending ? s->to : (double)INFINITY;
}

/* Advances to the next sample, after the time of ff_sampler_next() has been observed. */
static inline void ff_sampler_pass(ff_sampler *s) {
    if (ff_sampler_is_even(s) && s->every * s->ticks <= s->to) {
        s->ticks++;
    } else if (s->part < s->cuts) {
        s->part++;
    } else if (s->edge) {
        s->edge = false;
    } else {
        s->pending = false;
    }
}
