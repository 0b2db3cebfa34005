/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* When a run is looked at: at its start, then at each step, at even spacing or at events. Traces take their rows at these
 * instants. What jumps at an event (a force that begins, a mode) is seen on both sides of it with `before`: at the last time
 * that a double can hold before the event, and at the event itself, after the jump.
 *
 *     ff_sampler s = {.every = 1e-3};
 *     ff_sampler_start(&s, now);
 *     for each step: ff_sampler_step(&s, now, event), then
 *     while ((time = ff_sampler_next(&s)) <= now) { ff_sampler_pass(&s); observe the run at `time` ... } */

#include <math.h>
#include <stdbool.h>

typedef struct ff_sampler {
    double every; /* spacing, s; 0: every step */
    double fill;  /* with every step: instants within it, at most so far apart, s; 0: none */
    int parts;    /* with every step: it is cut in at least so many; 0: it is not */
    bool events;  /* with a spacing: events, too */
    bool before;  /* with every step: also the last instant before an event */
    bool only_events;

    /* where it stands */
    double ticks;    /* the next instant of even spacing is so many of them from time 0 */
    double from, to; /* the step last made */
    int part, cuts;  /* the next instant within it, and how many parts it is cut in */
    bool pending;    /* its end is yet to be looked at */
    bool edge;       /* and so is the last instant before it */
} ff_sampler;

/* A time this part of the spacing away from a multiple of it is that multiple: 6*0.1 is above 0.6 by rounding. */
#define FF_SAMPLER_SAME_TIME 1e-9

/* parts of one step at the most: of a long step in free flight a thousand points are a smooth curve */
#define FF_SAMPLER_CUTS_MOST 1000

static inline bool ff_sampler_is_even(const ff_sampler *s) {
    return s->every > 0 && !s->only_events;
}

/* Begins at `now`, the start of a run or where it resumes; `now` is the first instant. */
static inline void ff_sampler_start(ff_sampler *s, double now) {
    s->ticks = s->every > 0 ? floor(now / s->every + FF_SAMPLER_SAME_TIME) + 1 : 0;
    s->from = s->to = now;
    s->part = s->cuts = 1;
    s->pending = !s->only_events;
    s->edge = false;
}

/* A step was made up to `now`. */
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

/* The run has come to its end: a multiple of the spacing that only rounding puts later is due. */
static inline void ff_sampler_end(ff_sampler *s, double now) {
    if (ff_sampler_is_even(s) &&
        fabs(s->every * s->ticks - now) < FF_SAMPLER_SAME_TIME * s->every) {
        s->ticks++;
        s->to = now;
        s->pending = true;
    }
}

/* The next instant that is due; infinite: none is. */
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

/* Goes on to the next instant, after the one of ff_sampler_next() was observed. */
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
