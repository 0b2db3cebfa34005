/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

#include <stdbool.h>

/* number of steps per interval that are learned; later ones are left to error control */
enum { FF_PLAN_MOST = 16 };

/* Step lengths between two controller samples, learned from previous intervals. Part of the state, since the next steps
 * depend on it. */
typedef struct ff_plan {
    /* lengths suggested by error control, s, in order after a sample */
    double wanted[FF_PLAN_MOST];
    int count; /* number of known lengths */
    /* number of steps since the last sample; -1: something else has happened since, and nothing is learned up to the next */
    int at;
    int end;      /* number of planned steps; 0: none, or one was rejected */
    bool whole;   /* the last planned step ends at the next sample */
    double scale; /* scale factor of the wanted lengths */
} ff_plan;
