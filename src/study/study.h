/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* Executes the runs of a sweep, independent of the kind of file. */

#include "design.h"
#include "keep.h"

/* A prepared run. */
typedef struct ff_opened {
    ff_sim *sim;
    double until; /* s */
    void *held;   /* memory that the sim needs, owned by the opener */
} ff_opened;

/* The file of a sweep, with functions to prepare runs. */
typedef struct ff_study_subject {
    const ff_model *model; /* without varied parameters */
    /* Prepares a run of the file with settings PATH=VALUE and its own model; called by several threads at once. On
     * failure `error` has one sentence. */
    ff_status (*open)(const void *user, const char *const *settings, size_t count, ff_opened *out,
                      ff_error *error);
    void (*close)(ff_opened *run);
    const void *user;
    uint64_t fingerprint; /* of the file and its settings */
    bool series;          /* one row for each of many times of a run: ff_keep_sample() */
    double every;
    int parts;                      /* rows at every step: number of parts of each step */
    bool no_events;                 /* no additional rows at events */
    const char *only;               /* series: rows only after these events; NULL: no restriction */
    const char *from;               /* series: no rows before this event; NULL: from the start */
    const struct ff_rivals *rivals; /* for an inclusion; NULL: none */
} ff_study_subject;

enum { FF_STUDY_PLACE = 240 };

/* Like ff_sweep_run(). `place` says what a failure refers to, such as "--vary PATH=RANGE", or is "". */
ff_status ff_study_sweep(const ff_study_subject *subject, const ff_sweep *sweep, ff_table **out,
                         char place[FF_STUDY_PLACE], ff_error *error);
