/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* The runs of a sweep, whatever file they come from. */

#include "design.h"
#include "keep.h"

/* A run that was made ready. */
typedef struct ff_opened {
    ff_sim *sim;
    double until; /* s */
    void *held;   /* what the sim needs, by whoever opened it */
} ff_opened;

/* What a sweep runs. */
typedef struct ff_study_subject {
    const ff_model *model; /* with nothing varied */
    /* Makes a run of the file with settings PATH=VALUE, a model of its own; called by several threads at once. A failure is told
     * in one sentence. */
    ff_status (*open)(const void *user, const char *const *settings, size_t count, ff_opened *out,
                      ff_error *error);
    void (*close)(ff_opened *run);
    const void *user;
    uint64_t fingerprint; /* of the file and its settings */
    bool series;          /* a row for each of many times of a run: ff_keep_sample() */
    double every;
    int parts;                /* with every step: it is cut in so many */
    bool no_events;           /* no rows at events beside these */
    const char *const *stops; /* events any of which ends a run, as "clear mass/floor 1" */
    size_t stop_count;        /* FF_KEEP_STOPS at the most */
    const char *only;         /* of a series: rows after such events alone; NULL: not so */
    const char *from;         /* of a series: no rows before this event; NULL: from the start */
    const struct ff_rivals *rivals; /* of an inclusion; NULL: none */
} ff_study_subject;

enum { FF_STUDY_PLACE = 240 };

/* As ff_sweep_run(). `place` is what a failure is about, as "--vary PATH=RANGE", or "". */
ff_status ff_study_sweep(const ff_study_subject *subject, const ff_sweep *sweep, ff_table **out,
                         char place[FF_STUDY_PLACE], ff_error *error);
