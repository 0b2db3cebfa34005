/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

#include <footfall/law.h>

/* Checks the ABI of a law's table and `values` (NAN: not given) against a law's parameters and writes them, with defaults filled
 * in, to `out`. FF_DERIVED is passed on where a derived parameter was not given. */
ff_status ff_law_check(const char *law, int abi, const ff_param *params, const double *values,
                       double *out, ff_error *error);

/* The value of the parameter of that name; NAN where there is none. */
double ff_law_value(const ff_param *params, const double *values, const char *name);

/* Gives each value that is NAN its default, or, where it has none, a legal number: for a law whose structure is asked for
 * before its numbers are known. */
void ff_law_fill(const ff_param *params, double *values);
