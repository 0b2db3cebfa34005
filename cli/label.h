/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* Names of single numbers of bodies and joints: as in tables, from the list of fields. */

#include <footfall/field.h>

typedef struct label {
    const char *name; /* lives as long as the model */
    char unit[FF_FIELD_UNIT];
} label;

/* The n-th number of an object: 1 of "bodies" and "ball" is y, in m. */
label label_of(const ff_model *model, const char *folder, const char *owner, size_t n);

/* A coordinate of a joint, and its rate. */
label label_coordinate(const ff_model *model, size_t joint, int coordinate);
label label_rate(const ff_model *model, size_t joint, int coordinate);
