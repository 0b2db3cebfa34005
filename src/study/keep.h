/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* Kept numbers of a run, such as max(contacts.ball/floor.force) - end(bodies.ball.position[2])/2. Each is an
 * expression of parameters and of reductions, which are evaluated over the whole run. */

#include <footfall/field.h>
#include <footfall/sampler.h>
#include <footfall/study.h>

/* Compiled for a model; immutable, may be shared by threads. */
typedef struct ff_keep ff_keep;

/* Compiles texts, EXPRESSION or NAME=EXPRESSION. On failure `wrong` is the index of the invalid one. */
ff_status ff_keep_compile(const ff_model *model, const char *const *texts, size_t count,
                          ff_keep **out, size_t *wrong, ff_error *error);
void ff_keep_free(ff_keep *keep);

/* The name of a kept number in its text, `length` bytes, and the start of its expression. */
const char *ff_keep_name(const char *text, size_t *length);
/* The unit of a kept number; "" if not known. */
const char *ff_keep_unit(const ff_keep *keep, size_t i);

struct ff_reduction;
struct ff_ensemble_step;

/* Events any of which ends a run early: at most FF_SWEEP_STOPS. */
typedef struct ff_keep_stops {
    const struct ff_reduction *at;
    size_t count;
} ff_keep_stops;

/* Runs to `until` or to a stop, and sets the kept numbers. */
ff_status ff_keep_run(const ff_keep *keep, ff_sim *sim, double until, ff_keep_stops stops,
                      double *values);

/* The reason why kept numbers cannot be computed from runs in lanes (ensemble/ensemble.h), in a few words; NULL if they
 * can. */
const char *ff_keep_follows(const ff_keep *keep, const ff_model *model);
/* Whether they need the steps of a run; and the state at events, besides the number of events of each kind. */
bool ff_keep_needs_steps(const ff_keep *keep);
bool ff_keep_needs_events(const ff_keep *keep);

/* Kept numbers of a run that is integrated elsewhere. */
typedef struct ff_keeping ff_keeping;

/* The sim is at the start of the run. NULL: out of memory. */
ff_keeping *ff_keep_begin(const ff_keep *keep, ff_sim *sim);
/* A lane has made a step; needed only if ff_keep_needs_steps(). */
void ff_keep_step(ff_keeping *keeping, const struct ff_ensemble_step *step);
/* The sim is at an event; needed only if ff_keep_needs_events(). */
void ff_keep_event(ff_keeping *keeping);
/* The sim is at the end of the run, with `counts` events of each kind. The status of ff_sim_verdict(). */
ff_status ff_keep_end(ff_keeping *keeping, const size_t counts[FF_USER + 1], double *values);
void ff_keeping_free(ff_keeping *keeping);

/* Rows of a run: time and kept numbers. */
typedef struct ff_keep_rows {
    double *values;
    size_t count, room; /* number of rows */
} ff_keep_rows;

/* Runs to `until` or to a stop, and adds rows at the times of `when` or, with `only`, after these events only; with
 * `from`, not before this event (`only` and `from` may be NULL). The only reduction allowed in the kept numbers is
 * end(), the value of a field at the time of the row. */
ff_status ff_keep_sample(const ff_keep *keep, ff_sim *sim, double until, ff_sampler when,
                         ff_keep_stops stops, const struct ff_reduction *only,
                         const struct ff_reduction *from, ff_keep_rows *out);
