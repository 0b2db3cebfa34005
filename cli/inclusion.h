/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* Output of a run of an inclusion. */

#include "outcome.h"
#include <footfall/source.h>

/* Writes the members of an open object. */
void inclusion_json(ff_json *j, const ff_equations *s, const ff_model *model, ff_sim *sim,
                    const ff_trace *events, const ff_run_options *o);
void inclusion_print(const ff_equations *s, const ff_model *model, ff_sim *sim,
                     const ff_trace *events);
