/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* Sources of the fields of a model: the list is that of each source, one after the other. */

#include <footfall/field.h>

typedef struct ff_field_source {
    size_t (*count)(const ff_model *model);
    void (*describe)(const ff_model *model, size_t i, ff_field *out);
    /* The field with this path of `length` characters, without an index at its end; SIZE_MAX: not found. */
    size_t (*find)(const ff_model *model, const char *path, size_t length);
    /* Reads values; may write to the sim's scratch memory. */
    void (*get)(ff_sim *sim, const size_t *fields, size_t count, double *values);
} ff_field_source;

/* States and outputs: time, bodies, joints, contacts, classes of a crowd, violations, the ledger (sim/values.c). */
extern const ff_field_source ff_field_outputs;
/* States, outputs and commands of controllers (sim/control_fields.c). */
extern const ff_field_source ff_field_controls;
/* Numbers given by the scene: parameters, inputs, structure (model/numbers.c). */
extern const ff_field_source ff_field_numbers;

/* The source of field i; its fields are `first` to `end` - 1. NULL: there is no such field, and `end` is the number of
 * fields. */
const ff_field_source *ff_field_source_of(const ff_model *model, size_t i, size_t *first,
                                          size_t *end);
