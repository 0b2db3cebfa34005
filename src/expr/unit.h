/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Exponents of kilogram, metre and second; fractions are allowed. Angles have no dimension. */
typedef struct ff_dimension {
    double kg, m, s;
} ff_dimension;

/* A value x in this unit is x * factor * 10^ten in SI. Powers of ten are kept apart so that
 * `154 g` and `0.154` are the same double. */
typedef struct ff_unit {
    double factor, ten;
    ff_dimension dim;
    double hertz; /* exponent of Hz: a frequency is no angular velocity */
} ff_unit;

/* A name that the exponents of a unit may use, such as n, with its value; NAN: it has none. */
typedef struct ff_exponent {
    const char *name;
    double value;
} ff_exponent;

/* Reads a unit such as `N s/m^(n+1)`, `kg m^2`, `N/m^1.5` or `1`. A space, `*` or `·` multiplies,
 * `/` divides by the next factor only; parentheses group. Exponents are numbers, names in the list
 * (which ends with a NULL name; NULL: none), or sums and fractions of these in parentheses. Returns 0,
 * or -1 with a reason of one line in why (NULL with why_size 0 is allowed). */
int ff_unit_parse(const char *text, const ff_exponent *names, ff_unit *unit, char *why,
                  size_t why_size);

/* Reads a number in SI, or a number with a unit of the expected dimension (`1.65cm`, `200 GPa`),
 * whatever the locale. Returns 0 and the finite value in SI, or -1 with a reason in why, such as
 * "'3 cm' is a length (m), expected a mass (kg)"; then *value is untouched. Where 1/s is expected it
 * is an angular velocity, and Hz is refused. */
int ff_quantity_parse(const char *text, ff_dimension expected, double *value, char *why,
                      size_t why_size);

/* A number in SI, from a literal. */
typedef struct ff_quantity {
    double value;
    ff_dimension dim; /* of its unit */
    bool has_unit, hertz;
} ff_quantity;

/* Reads a number, with a unit of any dimension or without one, and nothing after it. Returns 0 or -1, as
 * ff_quantity_parse(). */
int ff_quantity_read(const char *text, ff_quantity *q, char *why, size_t why_size);

/* Reads a decimal number, at most 400 digits, whatever the locale. Returns its end, NULL if there is none. */
const char *ff_number_read(const char *text, double *value);

/* The length of the name of a unit at text, 0 where there is none: `kN` in `kN*x`, nothing in `kNx`. */
size_t ff_unit_word(const char *text);

/* The length of a sign that multiplies units at text (`*`, U+00B7 or U+22C5), else 0. */
size_t ff_unit_times(const char *text);

/* Whether two dimensions are the same, but for the rounding of their exponents. */
bool ff_dimension_same(ff_dimension a, ff_dimension b);

/* Writes the bare units, as `N/m^1.5`, `kg^2 m` or `1`. Returns buf. 64 bytes are enough. */
const char *ff_dimension_units(ff_dimension dim, char *buf, size_t size);

/* Writes "'3 cm' is a length (m), expected a mass (kg)", of a text with that dimension. Returns -1. */
int ff_dimension_refuse(const char *text, ff_dimension is, ff_dimension expected, char *why,
                        size_t why_size);

/* Writes `length (m)` for a dimension that has a name, else its units, as `N/m^1.5` or `kg^2 m`.
 * Returns buf. 64 bytes are enough. */
const char *ff_dimension_text(ff_dimension dim, char *buf, size_t size);
