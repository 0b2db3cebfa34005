/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* Runs many scenes at once, each in its own process, so that a crash of one does not affect the others. */

#include "args.h"

/* One run of many: its scene and output files (NULL: none). */
typedef struct batch_item {
    const char *scene, *output, *plot, *report;
    int at_once; /* number of runs that share the machine */
} batch_item;

/* Contents of the line of a run. */
typedef struct batch_result {
    bool there;                 /* valid */
    double time, part, seconds; /* simulated time, s; residual/scale; computing time, s */
    long steps;
} batch_result;

/* Runs a scene and returns its exit status; with --json it prints the members of an object that is open at BATCH_DEPTH and
 * already has members, otherwise nothing. */
typedef int batch_run(const args *a, const batch_item *item, batch_result *result);
enum { BATCH_DEPTH = 3 };

/* Whether the command line names more than one file. */
bool batch_wanted(const args *a);

/* Runs all items, --jobs at a time, and prints a line for each in the order of the command line. Exit status: 1 if a run
 * failed, otherwise 2 if an input was wrong. */
int batch_all(const args *a, batch_run *run);
