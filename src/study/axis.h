/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* Varied parameters of a sweep: each is an axis with a list of values or a distribution. */

#include <footfall/study.h>
#include <footfall/unit.h>

typedef enum ff_axis_kind {
    FF_AXIS_VALUES,
    FF_AXIS_WORDS,
    FF_AXIS_UNIFORM,    /* from a to b */
    FF_AXIS_LOGUNIFORM, /* from a to b, uniform in the logarithm */
    FF_AXIS_NORMAL,     /* mean a, standard deviation b */
    FF_AXIS_LOGNORMAL   /* median a; b: standard deviation of the logarithm */
} ff_axis_kind;

typedef struct ff_axis {
    ff_axis_kind kind;
    char *path;
    double *values; /* SI */
    char **words;   /* terminated by NULL */
    size_t count;   /* number of values or words; 0: it has a distribution */
    double a, b;
    bool logarithmic; /* its values have equal ratios, or its logarithm has the distribution */
    char unit[64];    /* unit of the given values; "" if they have none */
} ff_axis;

/* Reads PATH=RANGE. `unit`: required unit of the values; "": any. */
ff_status ff_axis_read(const char *text, const char *unit, ff_axis *out, ff_error *error);
void ff_axis_clear(ff_axis *axis);

/* The length of the path in PATH=RANGE, 0 if there is none. */
size_t ff_axis_path(const char *text);

/* The u-quantile of a distribution, 0 < u < 1. */
double ff_axis_quantile(const ff_axis *axis, double u);

/* The u-quantile of the standard normal distribution. */
double ff_normal_quantile(double u);
