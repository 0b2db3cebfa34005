/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* Tables of fits: parameters of a normal law from impacts, by least squares. */

#include "sheet.h"

/* Fits a law to the columns `speed` and `restitution` of a table. The result has one row for each value of the
 * column `by` (NULL: one row for all), with the fitted parameters and `rms`, the remaining error of the restitution.
 * Parameters are NAME=VALUE: mass, and those of the law; those listed in `free` (none: the damping) are fitted,
 * starting from the given values. */
ff_status ff_fits_table(const char *law, const char *const *parameters, size_t count,
                        const char *const *free, size_t free_count, const ff_sheet *data,
                        const char *by, ff_table **out, ff_error *error);
