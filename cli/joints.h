/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* What check and run show of joints. */

#include <footfall/footfall.h>
#include <footfall/json.h>

/* The scene as understood; `sim` is at the start. */
void joints_check(const ff_scene *scene, const ff_model *model, ff_sim *sim);
void joints_check_json(ff_json *j, const ff_scene *scene, const ff_model *model, ff_sim *sim);

/* What came out of a run. */
void joints_print(const ff_model *model, ff_sim *sim);
void joints_json(ff_json *j, const ff_model *model, ff_sim *sim, const ff_run_options *o);
