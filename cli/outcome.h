/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* Output of a run: events, final state, energy ledger. */

#include <footfall/footfall.h>
#include <footfall/json.h>

/* Writes the members of an open object. */
void outcome_json(ff_json *j, const ff_model *model, ff_sim *sim, const ff_trace *events,
                  const ff_run_options *o);

/* Parts that runs of scenes and inclusions share: statistics and events, and the ledger. */
void outcome_head_json(ff_json *j, const ff_model *model, ff_sim *sim, const ff_trace *events,
                       const ff_run_options *o);
void outcome_ledger_json(ff_json *j, ff_sim *sim);
void outcome_head_print(const ff_model *model, ff_sim *sim, const ff_trace *events);

/* The residual divided by scale. */
double outcome_part(const ff_ledger *ledger);

void outcome_print(const ff_model *model, ff_sim *sim, const ff_trace *events);
