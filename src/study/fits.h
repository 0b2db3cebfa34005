/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* Tables of fits: parameters of a normal law from impacts, by least squares. */

#include "sheet.h"

/* Fits a law to the columns `speed` and `restitution` of a table: a row for each value of its column `by` (NULL: one for all rows), with
 * the parameters that were found and `rms`, what is left of the restitution. Parameters are NAME=VALUE: those of the law, of which
 * those in `free` (none: the damping) are found from there, and mass. */
ff_status ff_fits_table(const char *law, const char *const *parameters, size_t count,
                        const char *const *free, size_t free_count, const ff_sheet *data,
                        const char *by, ff_table **out, ff_error *error);
