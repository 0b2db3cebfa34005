/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* What came out of a run: events, where things are at the end, the energy ledger. */

#include "json.h"
#include <footfall/footfall.h>

/* A list that starts as {0}; its memory is the caller's to free. */
typedef struct event_list {
    ff_event *at;
    size_t count, room;
} event_list;

/* False where memory ends. */
bool event_list_add(event_list *list, const ff_event *event);

/* The keys of an object that is open. */
void outcome_json(json *j, const ff_model *model, ff_sim *sim, const event_list *events,
                  const ff_run_options *o);

/* Parts of that, and of what is printed, that runs of scenes and inclusions share: statistics and events, and the
 * ledger. */
void outcome_head_json(json *j, const ff_model *model, ff_sim *sim, const event_list *events,
                       const ff_run_options *o);
void outcome_ledger_json(json *j, ff_sim *sim);
void outcome_head_print(const ff_model *model, ff_sim *sim, const event_list *events);

/* The residual as a part of scale. */
double outcome_part(const ff_ledger *ledger);

void outcome_print(const ff_model *model, ff_sim *sim, const event_list *events);
