/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* Units: numbers with units as in `1.65 cm` or `200 GPa`, and suggestions for misspelt words. */

#include <footfall/status.h>

FF_C_BEGIN

/* Exponents of kilogram, metre and second; fractions are allowed. Angles have no dimension. */
typedef struct ff_dimension {
    double kg, m, s;
} ff_dimension;

/* A value x in this unit is x * factor * 10^ten in SI. Powers of ten are kept separately so that `154 g` and `0.154` give
 * the same double. */
typedef struct ff_unit {
    double factor, ten;
    ff_dimension dim;
    double hertz; /* exponent of Hz: a frequency is not an angular velocity */
} ff_unit;

/* A name that may be used in the exponents of a unit, such as n, with its value; NAN: unknown. */
typedef struct ff_exponent {
    const char *name;
    double value;
} ff_exponent;

/* Parses a unit such as `N s/m^(n+1)`, `kg m^2`, `N/m^1.5` or `1`. A space, `*` or `·` multiplies; `/` divides by the next
 * factor only; parentheses group. Exponents are numbers, names in the list (terminated by a NULL name; NULL: none), or sums
 * and fractions of these in parentheses. Returns 0, or -1 with a one-line reason in why (NULL with why_size 0 is allowed). */
FF_API int ff_unit_parse(const char *text, const ff_exponent *names, ff_unit *unit, char *why,
                         size_t why_size);

/* Parses a number in SI, or a number with a unit of the expected dimension (`1.65cm`, `200 GPa`), independent of the
 * locale. Returns 0 and the finite value in SI, or -1 with a reason in why, such as "'3 cm' is a length (m), expected a
 * mass (kg)", and leaves *value unchanged. Where 1/s is expected, the value is an angular velocity, and Hz is refused. */
FF_API int ff_quantity_parse(const char *text, ff_dimension expected, double *value, char *why,
                             size_t why_size);

/* Writes a finite number with the fewest digits that read back as the same double: `0.3`, not `0.29999999999999999`.
 * Returns buf. 32 bytes are enough. */
FF_API const char *ff_number_print(double value, char *buf, size_t size);

/* Writes units without a factor, such as `N/m^1.5`, `kg^2 m` or `1`. Returns buf. 64 bytes are enough. */
FF_API const char *ff_dimension_units(ff_dimension dim, char *buf, size_t size);

/* The entry of a list that is nearest to a misspelt word, for "did you mean"; the first of equally near ones. NULL if none
 * differs by at most a third of the word's length (at least 1), or if the word is longer than 63 bytes. NULL entries are
 * skipped. */
FF_API const char *ff_word_nearest(const char *word, const char *const *list, size_t count);

FF_C_END
