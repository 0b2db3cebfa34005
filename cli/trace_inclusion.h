/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* Traces of inclusions: states, contacts, frictions, outputs and the ledger. */

#include "inclusion/equations.h"
#include "trace.h"

/* The force that an event is of; NULL for switches and functions of the user's. */
const char *trace_inclusion_force(const ff_inclusion_def *def, const ff_event *event);

/* As trace_init(). */
bool trace_init_inclusion(trace *t, ff_equations *system, ff_sim *inc,
                          const trace_choice *choice);

/* Draws it: states and outputs by their units, gaps, forces, slip, what touches and slips, energies. The exit
 * status. */
int trace_plot_inclusion(const trace *t, const args *a, const char *folder);
