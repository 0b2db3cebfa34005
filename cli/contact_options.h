/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* The options of commands that read a contact, generated from the tables of all known normal laws. */

#include "args.h"
#include <footfall/law.h>

/* Runs a command that reads a contact: its options are those of a contact, with one for every parameter of every normal
 * law, then its own. `sweep`: parameters may be lists or ranges. Returns the command's exit status. */
int contact_command(const args_command *command, bool sweep, int argc, char **argv,
                    int (*run)(const args *a));

enum { CONTACT_PARAMS = 512 };

/* The names of all parameters of all normal laws, without duplicates. Returns their number. */
size_t contact_params(const char *names[CONTACT_PARAMS]);

/* The parameter of that name; NULL if the law has none. */
const ff_param *contact_param(const ff_normal_law *law, const char *name);

/* The option of a parameter in such a command: v_min is --v-min; a name that is already an option becomes --normal-mass. */
const char *contact_option(const args *a, const char *param);
