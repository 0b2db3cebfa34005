/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* Output of check and run about joints. */

#include <footfall/footfall.h>
#include <footfall/json.h>

/* For check; `sim` is at the start. */
void joints_check(const ff_scene *scene, const ff_model *model, ff_sim *sim);
void joints_check_json(ff_json *j, const ff_scene *scene, const ff_model *model, ff_sim *sim);

/* For a run. */
void joints_print(const ff_model *model, ff_sim *sim);
void joints_json(ff_json *j, const ff_model *model, ff_sim *sim, const ff_run_options *o);
