/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

#include "args.h"
#include <footfall/json.h>
#include <footfall/study.h>

/* Runs the study of the command line with the options of `sweep`; returns the exit status. */
int study_command(const args *a);
/* Writes the array `claims`; `statuses` are the words for FF_CLAIM_HOLDS, FF_CLAIM_FAILS and FF_CLAIM_OTHERWISE. */
void study_claims_json(ff_json *j, const ff_study *s, const char *const statuses[]);
