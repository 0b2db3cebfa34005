/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* What a law with given parameters says of each kind of measurements: the model of a fit, and where its search starts. */

#include <footfall/fit.h>
#include <footfall/impact.h>

/* Parameters of the law, and at the most the time and the speed of a touch-down. */
enum { FF_FIT_UNKNOWNS = FF_LAW_PARAMS + 2 };
/* Points of the curve of an impact: they make the force good to 1e-6 of its greatest (test_fit.c). */
enum { FF_FIT_CURVE = 64 };

typedef struct ff_fit_job {
    const ff_fit_data *data;
    ff_fit_options options;
    ff_normal law; /* brings what is not found */
    int found;     /* parameters of the law that are found, and which those are */
    int index[FF_LAW_PARAMS];
    int unknowns; /* those, and what the experiment leaves open */
    ff_fit_scatter scatter;
    bool timed; /* contact times are fitted, too */
    /* Rows: what was measured, and what its residual is divided by: sigma where it is known, otherwise what it is in proportion
     * to. `source` is the row of the data that it came from. */
    size_t rows;
    double *measured, *scale, *model, *rate;
    size_t *source;
    ff_impact_point *curve;
    double origin, unit; /* s: a time that is found is origin + unit*x */
    double spacing;      /* s: of samples of a force */
    long evaluations;
} ff_fit_job;

/* Sets the rows and the number of unknowns from data, scatter, found and timed. Needs room for 2*count rows. */
void ff_fit_rows(ff_fit_job *job);

/* Where the search starts, in several attempts from 0; false: there is no such attempt. */
bool ff_fit_start(ff_fit_job *job, int attempt, double *x);

/* A parameter of the law from an unknown, which may be any number, and back. */
double ff_fit_value(const ff_param *param, double x);
double ff_fit_unknown(const ff_param *param, double value);

/* The law at x, and the model of every row in job->model. False where there is none. */
bool ff_fit_law(const ff_fit_job *job, const double *x, ff_normal *law);
bool ff_fit_model(ff_fit_job *job, const double *x);
/* The speed at the first touch-down; NAN where the kind has none. */
double ff_fit_speed(const ff_fit_job *job, const double *x);
