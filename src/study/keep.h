/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* What is kept of a run: numbers such as max(contacts.ball/floor.force) - end(bodies.ball.position[2])/2. Each is an expression of
 * reductions, which follow a run from its start to its end, and of parameters. */

#include <footfall/field.h>
#include <footfall/sampler.h>

/* Compiled for a model; never changes, and may be shared by threads. */
typedef struct ff_keep ff_keep;

/* Compiles texts, EXPRESSION or NAME=EXPRESSION. Where one is wrong, `wrong` is which. */
ff_status ff_keep_compile(const ff_model *model, const char *const *texts, size_t count,
                          ff_keep **out, size_t *wrong, ff_error *error);
void ff_keep_free(ff_keep *keep);

/* The name of a kept number in its text, `length` bytes; and where its expression begins. */
const char *ff_keep_name(const char *text, size_t *length);
/* Its unit: "": not known. */
const char *ff_keep_unit(const ff_keep *keep, size_t i);

struct ff_reduction;

/* What ends a run before its time: any of so many events. */
typedef struct ff_keep_stops {
    const struct ff_reduction *at;
    size_t count;
} ff_keep_stops;

enum { FF_KEEP_STOPS = 4 };

/* Runs to `until` or a stop, and fills in what is kept. */
ff_status ff_keep_run(const ff_keep *keep, ff_sim *sim, double until, ff_keep_stops stops,
                      double *values);

/* Why what is kept cannot be told from the end of a run and its number of events alone, in a few words; NULL: it can. */
const char *ff_keep_follows(const ff_keep *keep, const ff_model *model);
/* What is kept of a run that was brought to its end elsewhere, with `counts` events of each kind. FF_NO_MEMORY, or what
 * ff_sim_verdict() says. */
ff_status ff_keep_end(const ff_keep *keep, ff_sim *sim, const size_t counts[FF_USER + 1],
                      double *values);

/* Rows of a run: the time, and what is kept. */
typedef struct ff_keep_rows {
    double *values;
    size_t count, room; /* rows */
} ff_keep_rows;

/* Runs to `until` or a stop, and takes rows where `when` says, or, with `only`, after such events alone; with `from` (both may be NULL) not
 * before this event. What is kept may have end()
 * as its only reduction, which then is what a field is at that time. */
ff_status ff_keep_sample(const ff_keep *keep, ff_sim *sim, double until, ff_sampler when,
                         ff_keep_stops stops, const struct ff_reduction *only,
                         const struct ff_reduction *from, ff_keep_rows *out);
