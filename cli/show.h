/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* Output of restitution, design and compare about an impact. */

#include "args.h"
#include <footfall/footfall.h>
#include <footfall/json.h>
#include <footfall/report.h>

/* The members of one impact, inside an open object. */
void show_impact_json(ff_json *j, const ff_impact *impact);

/* The speed below which an adhesive contact sticks, m/s; 0: it rebounds at any speed, INFINITY: at none, NAN: the law has no
 * adhesion. */
double show_sticking_speed(const ff_normal *law, double mass);

/* The parameters of a law as the user would write them: name, value, unit. */
void show_law(FILE *out, const ff_normal *law);
void show_law_json(ff_json *j, const char *key, const ff_normal *law);

/* The parameters of a friction law; `turns`: it is rotational. */
void show_friction(FILE *out, const ff_friction *law, bool turns);
void show_friction_json(ff_json *j, const char *key, const ff_friction *law);

/* The laws of rolling and twist of a contact, if it has any: text, and members of an open object. */
void show_turning(FILE *out, const ff_contact_facts *facts);
void show_turning_json(ff_json *j, const ff_contact_facts *facts);

/* Draws into every file of --plot; prints on stderr where the pictures are. */
int show_plot(const args *a, const ff_plot *p);
/* Reports a wrong suffix before the computation starts. */
int show_plot_check(const args *a);
