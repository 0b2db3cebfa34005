/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* What came out of a run: events, where things are at the end, the energy ledger. */

#include <footfall/footfall.h>
#include <footfall/json.h>

/* The keys of an object that is open. */
void outcome_json(ff_json *j, const ff_model *model, ff_sim *sim, const ff_trace *events,
                  const ff_run_options *o);

/* Parts of that, and of what is printed, that runs of scenes and inclusions share: statistics and events, and the
 * ledger. */
void outcome_head_json(ff_json *j, const ff_model *model, ff_sim *sim, const ff_trace *events,
                       const ff_run_options *o);
void outcome_ledger_json(ff_json *j, ff_sim *sim);
void outcome_head_print(const ff_model *model, ff_sim *sim, const ff_trace *events);

/* The residual as a part of scale. */
double outcome_part(const ff_ledger *ledger);

void outcome_print(const ff_model *model, ff_sim *sim, const ff_trace *events);
