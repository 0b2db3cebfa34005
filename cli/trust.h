/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* The option --trust: how many digits of a run are determined, by two repetitions. */

#include "args.h"
#include <footfall/footfall.h>

/* Repeats a run. NULL, or why it could not be repeated to its end: a text, perhaps in `why`. ends() ends it early; then *out stays
 * NULL. */
const char *trust_run(const ff_model *model, const ff_run_options *o, bool (*ends)(void *user),
                      void *user, ff_trust **out, ff_error *why);

/* Prints the table, and a sentence for each number that is not determined. */
void trust_print(const ff_trust *t);
/* Writes the member `trust`; null for NULL. */
void trust_json(ff_json *j, const ff_trust *t);
