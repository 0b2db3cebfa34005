/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* Many scenes at once, each in a process of its own: what ends one of them does not end the others. */

#include "args.h"

/* One run of many: its scene, and where its files go (NULL: it has none). */
typedef struct batch_item {
    const char *scene, *output, *plot, *report;
    int at_once; /* how many share the machine */
} batch_item;

/* What the line of a run prints. */
typedef struct batch_result {
    bool there;                 /* there is something to tell */
    double time, part, seconds; /* simulated, s; residual by scale; of computing, s */
    long steps;
} batch_result;

/* Runs a scene and returns its exit status; with --json it prints the members of an object that is open at
 * BATCH_DEPTH and has members already, else nothing. */
typedef int batch_run(const args *a, const batch_item *item, batch_result *result);
enum { BATCH_DEPTH = 3 };

/* Whether the words of the command line are more than one file. */
bool batch_wanted(const args *a);

/* Runs all items, as many at once as --jobs says, and prints a line for each, in the order of the command line. The exit
 * status: 1 if a run failed, 2 if none did and an input was wrong. */
int batch_all(const args *a, batch_run *run);
