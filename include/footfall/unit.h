/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* Units: numbers with units as people write them, `1.65 cm` or `200 GPa`, and the word that was probably meant. */

#include <footfall/status.h>

FF_C_BEGIN

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
FF_API int ff_unit_parse(const char *text, const ff_exponent *names, ff_unit *unit, char *why,
                         size_t why_size);

/* Reads a number in SI, or a number with a unit of the expected dimension (`1.65cm`, `200 GPa`),
 * whatever the locale. Returns 0 and the finite value in SI, or -1 with a reason in why, such as
 * "'3 cm' is a length (m), expected a mass (kg)"; then *value is untouched. Where 1/s is expected it
 * is an angular velocity, and Hz is refused. */
FF_API int ff_quantity_parse(const char *text, ff_dimension expected, double *value, char *why,
                             size_t why_size);

/* Writes a finite number with the fewest digits that read back as the same double: `0.3`, not `0.29999999999999999`.
 * Returns buf. 32 bytes are enough. */
FF_API const char *ff_number_print(double value, char *buf, size_t size);

/* Writes the bare units, as `N/m^1.5`, `kg^2 m` or `1`. Returns buf. 64 bytes are enough. */
FF_API const char *ff_dimension_units(ff_dimension dim, char *buf, size_t size);

/* The entry of list that word was probably meant to be, for "did you mean"; the first of equally
 * near ones. NULL if none is within a third of the word's length (or 1), or the word is longer than
 * 63 bytes. NULL entries are skipped. */
FF_API const char *ff_word_nearest(const char *word, const char *const *list, size_t count);

FF_C_END
