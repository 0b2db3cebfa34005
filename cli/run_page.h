/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* The page of a run: charts, ledger, replay, scene. docs/report.md tells what is in its document. */

#include "outcome.h"
#include "trace.h"

/* What a page is made of. */
typedef struct run_page {
    const char *scene_path;
    const char *source, *resolved; /* the scene, as it was written and as it was run */
    const ff_scene *scene;         /* NULL: an inclusion */
    const ff_model *model;
    ff_sim *sim;
    const ff_run_options *o;
    const trace *t; /* rows that are kept, of every step */
    const event_list *events;
    const char *ended;  /* why before its end; NULL: it came there */
    const char *failed; /* why it cannot be trusted though it came there; NULL: it can */
} run_page;

/* The exit status. */
int run_page_save(const run_page *p, const args *a, const char *path);

/* What a trace has to keep for a page, of `memory` bytes that are left. */
trace_choice run_page_choice(const ff_run_options *o, double memory);
