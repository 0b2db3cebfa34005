/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

#include <stdbool.h>

/* What `auto` knows of the run so far. Part of the state, since the next steps depend on it. */
typedef struct ff_choice {
    double limited; /* evaluations spent on steps that stability limits, older ones counted less */
    double
        explicit_step; /* in x: how long a step of dopri5 would be, while another method makes them */
    double spent, gone; /* recent evaluations of that method, and how far in x they led */
    double budget;      /* evaluations that its trial may still cost */
    bool proved;        /* the trial is over: the method pays */
    int failures[2];    /* trials that did not pay, less those that did: of dop853, of RODAS */
    int smooth;         /* steps of dopri5 in a row that accuracy limits */
    double steps;       /* of dopri5 since the last event, or what would have been */
    double stretch;     /* a mean of these, the last ones count most */
} ff_choice;
