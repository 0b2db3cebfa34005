/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* What restitution, design and compare show of an impact. */

#include "args.h"
#include "json.h"
#include "plot.h"
#include <footfall/footfall.h>

/* The members of one impact, inside an open object. */
void report_impact_json(json *j, const ff_impact *impact);

/* The parameters of a law as the user would write them: name, value, unit. */
void report_law(FILE *out, const ff_normal *law);
void report_law_json(json *j, const char *key, const ff_normal *law);

/* The numbers of a friction law, by the names its table gives them; `turns`: it is that of something that does. */
void report_friction(FILE *out, const ff_friction *law, bool turns);
void report_friction_json(json *j, const char *key, const ff_friction *law);

/* Draws into every file of --plot; says on stderr where the pictures are. */
int report_plot(const args *a, const plot *p);
/* Finds a wrong suffix before the work starts. */
int report_plot_check(const args *a);
