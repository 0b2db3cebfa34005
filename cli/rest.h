/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* Output of the search for a start at rest. */

#include <footfall/footfall.h>
#include <footfall/json.h>

/* Prints a paragraph, or writes the key `rest` of an open object; nothing, or null, for a start as written. */
void rest_print(const ff_model *model, const ff_sim *sim);
void rest_json(ff_json *j, const ff_model *model, const ff_sim *sim);
