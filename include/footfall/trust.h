/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* Trust: how many digits of a run's numbers are determined. The run is repeated twice, at a tenth of its tolerance, and at
 * a hundredth with another method and a largest step of random size. Digits that all three runs share do not depend on the
 * choice of steps; in chaotic motion there are none after a while, although the ledger closes.
 *
 *     ff_trust *trust;
 *     ff_trust_run(model, NULL, NULL, &trust, &error);
 *     for (size_t i = 0; i < trust->count; i++) {
 *         printf("%s: %.1f digits\n", trust->fields[i].path, trust->fields[i].digits);
 *     }
 *     ff_free(trust);
 *
 * With D the largest difference between the run and its repetitions so far, and S the scale of the field, digits are
 * log10(S/D), between 0 and 53 log10(2) = 15.95. Differences and scales are the largest over the numbers of a field, so that
 * a component that passes through 0 keeps its digits. The scale is, so far,
 *
 *     position of a body, coordinate of a joint   the greatest distance from the start
 *     orientation                                 1; a quaternion and its negative are one orientation
 *     energy account                              the greatest magnitude, at least 1e-3 of the energy scale of the ledger
 *     others                                      the greatest magnitude
 *
 * and at least the scale of the field's absolute tolerance (ff_field). Angles that are known up to full turns, those of joints
 * in maximal coordinates and of spherical joints, are compared as rotations. A difference counts if two neighbouring times
 * have it: between the times of one event in two runs, a number that jumps there is entirely different. */

#include <footfall/field.h>
#include <stdint.h>

FF_C_BEGIN

/* With fewer digits than this a number is called undetermined. */
enum { FF_TRUST_FEW = 3 };

/* The run, and its two repetitions. */
enum { FF_TRUST_RUNS = 3 };

typedef struct ff_trust_options {
    size_t size;
    uint64_t seed; /* of the largest step of the last repetition; default 1 */
    /* Number of times at which runs are compared, spread evenly, and at the end; default 1000. It is reduced if their
     * numbers need more than 64 MB */
    size_t samples;
    /* Fields to compare besides bodies, coordinates and rates of joints, accounts, states and outputs of controllers, and states
     * and outputs of inclusions */
    const size_t *fields;
    size_t field_count;
    /* Called before the first step of each run, with the number of the run (0: the run itself): sets fields, begins from other
     * motions, resets what `user` keeps. May be NULL */
    ff_status (*begin)(void *user, ff_sim *sim, size_t run);
    /* Called after each step with its status, FF_OK or FF_EVENT: may set inputs, each of which is an event. May be NULL */
    ff_status (*act)(void *user, ff_sim *sim, ff_status status);
    /* Called about every 30 evaluations; returning true stops. May be NULL */
    bool (*stop)(void *user, size_t run, double time);
    void *user;
} ff_trust_options;

static inline ff_trust_options ff_trust_options_default(void) {
    ff_trust_options options;
    __builtin_memset(&options, 0, sizeof options);
    options.size = sizeof options;
    options.seed = 1;
    options.samples = 1000;
    return options;
}

/* One of the runs. */
typedef struct ff_trust_repeat {
    ff_run_options options; /* method, tol, max_step, dt */
    ff_statistics statistics;
    double time;       /* reached, s */
    ff_status status;  /* negative: it failed at this time */
    const char *error; /* why, one sentence; "" */
} ff_trust_repeat;

typedef struct ff_trust_field {
    size_t field; /* index in the model */
    const char *path, *unit;
    double digits;            /* at the end of the run; NAN: its numbers are not finite */
    double difference, scale; /* largest difference and scale at the end, in its unit */
    /* from this time to the end fewer than FF_TRUST_FEW digits are determined, and less than one, s; NAN: more are */
    double few_from, none_from;
} ff_trust_field;

/* Result. One block of memory; free it with ff_free(). */
typedef struct ff_trust {
    uint64_t seed;
    size_t samples; /* number of times compared, the end included */
    ff_trust_repeat runs[FF_TRUST_RUNS];
    size_t count;
    const ff_trust_field *fields; /* in the order of the model's fields */
    size_t least;                 /* index of the field with the fewest digits; SIZE_MAX: none */
} ff_trust;

/* Runs a model three times from its start and compares. `run` NULL: the run options of the model; `options` may be NULL.
 * Runs with fixed steps have no tolerance: they are repeated with half the step, and with a third to a fifth of it. If the
 * run itself fails, returns its status, with its error; a repetition that fails is compared as far as it came (`status`).
 * FF_STOPPED: stop() stopped it, and there is no result. FF_BAD_VALUE: invalid options, a field that does not exist, or a run
 * without duration. */
FF_API ff_status ff_trust_run(const ff_model *model, const ff_run_options *run,
                              const ff_trust_options *options, ff_trust **out, ff_error *error);

FF_C_END
