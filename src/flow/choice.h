/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

#include <stdbool.h>

/* Data from which `auto` chooses a method. Part of the state, since the next steps depend on it. */
typedef struct ff_choice {
    /* evaluations spent on steps limited by stability, with decreasing weight for older ones */
    double limited;
    double explicit_step; /* step of dopri5 in x, estimated while another method is used */
    double spent, gone;   /* recent evaluations of that method, and the advance of x */
    double budget;        /* remaining evaluations of its trial */
    bool proved;          /* the trial succeeded: the method pays off */
    int failures[2];      /* failed minus successful trials: of dop853, of RODAS */
    int smooth;           /* consecutive steps of dopri5 limited by accuracy */
    double steps;         /* steps of dopri5 since the last event, made or estimated */
    double stretch;       /* moving average of `steps` over intervals between events */
} ff_choice;
