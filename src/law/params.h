/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

#include <footfall/tool.h>

/* Checks the ABI of a law's table and `values` (NAN: not given) against its parameters and writes them, with defaults
 * filled in, to `out`. FF_DERIVED is kept for a derived parameter that was not given. */
ff_status ff_law_check(const char *law, int abi, const ff_param *params, const double *values,
                       double *out, ff_error *error);

/* Makes a law from the values of its parameters, at most FF_LAW_PARAMS, in the order of law->params; NAN means the default.
 * `values` may be NULL for a law without parameters. On failure `error` (may be NULL) has the reason, and `out` is
 * unchanged. */
ff_status ff_normal_make(ff_normal *out, const ff_normal_law *law, const double *values,
                         ff_error *error);
ff_status ff_friction_make(ff_friction *out, const ff_friction_law *law, const double *values,
                           ff_error *error);

/* The values that a law was made from: NAN where the law derived one. */
void ff_law_given(const ff_param *params, const double *values, double *out);

/* Sets values by name; refuses unknown names and values out of range. `complete`: whether the law then has all required
 * values. */
ff_status ff_law_put(const char *law, const ff_param *params, double *values,
                     const ff_param_value *given, size_t count, bool *complete, ff_error *error);
/* The value of a word for a parameter that is a choice of words. */
ff_status ff_law_word(const char *law, const ff_param *params, const char *name, const char *word,
                      double *value, ff_error *error);

/* FF_MISSING, with the name, if a required value was not given. */
ff_status ff_law_lacks(const char *law, const ff_param *params, const double *values,
                       ff_error *error);

/* The value of the parameter of that name; NAN if there is none. */
double ff_law_value(const ff_param *params, const double *values, const char *name);
