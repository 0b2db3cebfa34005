/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* Predictions of a law with given parameters for each kind of measurement: the model of a fit, and starting points of its
 * search. */

#include <footfall/fit.h>
#include <footfall/impact.h>

/* Parameters of the law, and at most the time and speed of a touch-down. */
enum { FF_FIT_UNKNOWNS = FF_LAW_PARAMS + 2 };
/* Number of points of an impact curve, which make the force accurate to 1e-6 of its maximum (test_fit.c). */
enum { FF_FIT_CURVE = 64 };

typedef struct ff_fit_job {
    const ff_fit_data *data;
    ff_fit_options options;
    ff_normal law; /* provides the parameters that are not estimated */
    int found;     /* number of estimated parameters of the law, and their indices */
    int index[FF_LAW_PARAMS];
    int unknowns; /* these and the nuisance parameters of the experiment */
    ff_fit_scatter scatter;
    bool timed; /* contact times are fitted as well */
    /* Rows: the measurement, and the divisor of its residual: sigma if it is known, otherwise a quantity it is proportional
     * to. `source`: the row of the data. */
    size_t rows;
    double *measured, *scale, *model, *rate;
    size_t *source;
    ff_impact_point *curve;
    double origin, unit; /* an estimated time is origin + unit*x, s */
    double spacing;      /* sampling interval of a force, s */
    long evaluations;
} ff_fit_job;

/* Sets the rows and the number of unknowns from data, scatter, found and timed. Needs room for 2*count rows. */
void ff_fit_rows(ff_fit_job *job);

/* Starting point of the search for attempt 0, 1, ...; false: there is no such attempt. */
bool ff_fit_start(ff_fit_job *job, int attempt, double *x);

/* A parameter of the law from an unknown, which may be any number, and the inverse. */
double ff_fit_value(const ff_param *param, double x);
double ff_fit_unknown(const ff_param *param, double value);

/* The law at x, and the model of every row in job->model. False if the model does not exist. */
bool ff_fit_law(const ff_fit_job *job, const double *x, ff_normal *law);
bool ff_fit_model(ff_fit_job *job, const double *x);
/* The speed at the first touch-down; NAN if the kind has none. */
double ff_fit_speed(const ff_fit_job *job, const double *x);
