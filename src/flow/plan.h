/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

#include <stdbool.h>

/* steps of an interval that are learned: later ones are left to error control */
enum { FF_PLAN_MOST = 16 };

/* Step lengths between two samples of a controller, learned in the intervals before. Part of the state, since the next
 * steps depend on it. */
typedef struct ff_plan {
    double wanted[FF_PLAN_MOST]; /* s, as error control asks for, in their order after a sample */
    int count;                   /* of those that are known */
    /* steps since the last sample; -1: something else has happened since, and nothing is learned up to the next */
    int at;
    int end;      /* of the steps that are planned; 0: none, or one was refused */
    bool whole;   /* the last of these ends at the next sample */
    double scale; /* of the lengths that are wanted */
} ff_plan;
