/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* When a run is looked at: at its start, then at each step, at even spacing or at events. Traces take their rows and
 * papers their points at these instants.
 *
 *     sampler s = {.every = 1e-3};
 *     sampler_start(&s, now);
 *     for each step: sampler_step(&s, now, event), then
 *     while ((time = sampler_next(&s)) <= now) { sampler_pass(&s); observe the run at `time` ... } */

#include <stdbool.h>

typedef struct sampler {
    double every; /* spacing, s; 0: every step */
    double fill;  /* with every step: instants within it, at most so far apart, s; 0: none */
    int parts;    /* with every step: it is cut in at least so many; 0: it is not */
    bool events;  /* with a spacing: events, too */
    bool only_events;

    /* where it stands */
    double ticks;    /* the next instant of even spacing is so many of them from time 0 */
    double from, to; /* the step last made */
    int part, cuts;  /* the next instant within it, and how many parts it is cut in */
    bool pending;    /* its end is yet to be looked at */
} sampler;

/* The run begins or resumes here; the instant is due. */
void sampler_start(sampler *s, double now);
/* A step was made up to `now`. */
void sampler_step(sampler *s, double now, bool event);
/* The run has come to its end: a multiple of the spacing that only rounding puts later is due. */
void sampler_end(sampler *s, double now);

/* The next instant that is due; infinite: none is. */
double sampler_next(const sampler *s);
/* It was looked at. */
void sampler_pass(sampler *s);
