/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* What a sweep varies: each parameter is an axis, with values one after the other or with a distribution. */

#include <footfall/study.h>
#include <footfall/unit.h>

typedef enum ff_axis_kind {
    FF_AXIS_VALUES,
    FF_AXIS_WORDS,
    FF_AXIS_UNIFORM,    /* from a to b */
    FF_AXIS_LOGUNIFORM, /* from a to b, its logarithm evenly */
    FF_AXIS_NORMAL,     /* mean a, standard deviation b */
    FF_AXIS_LOGNORMAL   /* median a; b: standard deviation of the logarithm */
} ff_axis_kind;

typedef struct ff_axis {
    ff_axis_kind kind;
    char *path;
    double *values; /* SI */
    char **words;   /* end with NULL */
    size_t count;   /* of values or words; 0: it has a distribution */
    double a, b;
    bool logarithmic; /* its values are in equal ratios, or its logarithm has the distribution */
    char unit[64];    /* of values that were given with one; "" otherwise */
} ff_axis;

/* Reads PATH=RANGE. `unit` is what the values must have: "": any. */
ff_status ff_axis_read(const char *text, const char *unit, ff_axis *out, ff_error *error);
void ff_axis_clear(ff_axis *axis);

/* The length of the path in PATH=RANGE, 0 where there is none. */
size_t ff_axis_path(const char *text);

/* The value of a distribution below which a part u of it lies, 0 < u < 1. */
double ff_axis_quantile(const ff_axis *axis, double u);

/* That of the normal distribution of mean 0 and standard deviation 1. */
double ff_normal_quantile(double u);
