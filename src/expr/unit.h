/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

#include <footfall/unit.h>
#include <stdbool.h>
#include <stddef.h>

/* A number in SI, from a literal. */
typedef struct ff_quantity {
    double value;
    ff_dimension dim; /* of its unit */
    bool has_unit, hertz;
} ff_quantity;

/* Reads a number, with or without a unit of any dimension, and nothing after it. Returns 0 or -1, like ff_quantity_parse(). */
int ff_quantity_read(const char *text, ff_quantity *q, char *why, size_t why_size);

/* Reads a decimal number of at most 400 digits, independent of the locale. Returns its end, NULL if there is none. */
const char *ff_number_read(const char *text, double *value);

/* The length of the unit name at text, 0 if there is none: `kN` in `kN*x`, nothing in `kNx`. */
size_t ff_unit_word(const char *text);

/* The length of a multiplication sign at text (`*`, U+00B7 or U+22C5), otherwise 0. */
size_t ff_unit_times(const char *text);

/* Whether two dimensions are equal, up to rounding of their exponents. */
bool ff_dimension_same(ff_dimension a, ff_dimension b);

/* Writes "'3 cm' is a length (m), expected a mass (kg)" for a text of that dimension. Returns -1. */
int ff_dimension_refuse(const char *text, ff_dimension is, ff_dimension expected, char *why,
                        size_t why_size);

/* Writes `length (m)` for a dimension with a name, otherwise its units, such as `N/m^1.5` or `kg^2 m`. Returns buf. 64
 * bytes are enough. */
const char *ff_dimension_text(ff_dimension dim, char *buf, size_t size);
