/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* What the search for a start at rest found. */

#include <footfall/footfall.h>
#include <footfall/json.h>

/* A paragraph, and the key `rest` of an object that is open; nothing, and null, for a start as written. */
void rest_print(const ff_model *model, const ff_sim *sim);
void rest_json(ff_json *j, const ff_model *model, const ff_sim *sim);
