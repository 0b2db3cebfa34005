/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* Estimation of the parameters of a normal law from measurements, by least squares, with confidence intervals. docs/fit.md
 * explains how to measure and how to interpret the result. */

#include <footfall/law.h>

FF_C_BEGIN

/* Kind of measurement. */
typedef enum ff_fit_kind {
    FF_FIT_RESTITUTION, /* speed and restitution of impacts, with or without their contact times */
    FF_FIT_BOUNCES,     /* times of successive touch-downs of a ball bouncing in place */
    FF_FIT_HEIGHTS, /* heights before and after bounces: drop and rebound, or successive heights */
    FF_FIT_FORCE_TIME, /* force against time in one impact */
    FF_FIT_FORCE_DEPTH /* force against depth, with the depth rate or the time */
} ff_fit_kind;

/* Source of the scatter in bounce times and heights: independent reading errors, or a random restitution in each bounce,
 * which affects all later bounces. */
typedef enum ff_fit_scatter {
    FF_FIT_SCATTER_AUTO, /* the more likely of the two; readings if sigma is given */
    FF_FIT_SCATTER_READINGS,
    FF_FIT_SCATTER_BOUNCES
} ff_fit_scatter;

/* Columns of `count` numbers in SI units; NULL: not measured. Each kind uses only these columns:
 *
 *     FF_FIT_RESTITUTION   speed, restitution; optional: sigma, contact_time, time_sigma
 *     FF_FIT_BOUNCES       time; optional: sigma
 *     FF_FIT_HEIGHTS       drop and rebound, or height; optional: sigma
 *     FF_FIT_FORCE_TIME    time, force; optional: sigma
 *     FF_FIT_FORCE_DEPTH   depth, force, and rate or time for a law with damping; optional: sigma
 *
 * Units: speed m/s, time s, heights m, depth m (> 0 is penetration), rate m/s (> 0 is closing), force N. */
typedef struct ff_fit_data {
    ff_fit_kind kind;
    size_t count;
    const double *speed, *restitution; /* restitution: above 0, at most 1 */
    const double *contact_time;        /* NAN: not measured in this row; used if k is estimated */
    const double *time_sigma;          /* standard deviation of contact times; NULL: 1 % of each */
    const double *time;
    /* above the position at contact, i.e. without the radius of the ball */
    const double *drop, *rebound, *height;
    const double *force, *depth, *rate;
    /* standard deviation of restitution, time, rebound or height, or force; NULL: equal for all rows, estimated from the
     * scatter */
    const double *sigma;
} ff_fit_data;

typedef struct ff_fit_options {
    size_t size;    /* as ff_fit_options_default() sets it */
    double mass;    /* kg, reduced mass of two free bodies; not used by FF_FIT_FORCE_DEPTH */
    double gravity; /* for bounces and heights, m/s^2; default 9.81 */
    double speed;   /* speed at touch-down for FF_FIT_FORCE_TIME, m/s; NAN: also estimated */
    double level;   /* confidence level of the intervals; default 0.95 */
    ff_fit_scatter scatter;
    /* Names of the parameters to estimate; the others stay fixed. NULL: the damping, and the stiffness as well if there is
     * a force column. */
    const char *const *free;
    size_t free_count;
    long evaluations; /* most evaluations of all rows before the fit gives up; default 20,000 */
} ff_fit_options;
FF_DEFAULTS(ff_fit_options)

/* An estimated parameter. */
typedef struct ff_fit_param {
    const char *name;
    double value;
    double error; /* standard error of the linearised problem */
    double low,
        high; /* confidence interval; a limit of the valid range where the data do not bound it */
    /* whether the data determine the parameter: both ends are bounded and the interval is no wider than the value */
    bool told;
} ff_fit_param;

typedef struct ff_fit_result {
    int unknowns; /* number of estimated parameters */
    ff_fit_param params[FF_LAW_PARAMS];
    double correlation[FF_LAW_PARAMS][FF_LAW_PARAMS]; /* correlation of the estimates */
    /* the law as a power law; NAN if it is not one; errors are 0 if nothing in it was estimated */
    double lambda, lambda_error, k, k_error;
    /* speed at the first touch-down for bounces and force against time, m/s; otherwise NAN */
    double speed;
    double chi2;    /* sum of squared residuals over sigma^2 (sigma 1 if unknown) */
    double rms;     /* root mean square residual, in the unit of the measurement */
    double freedom; /* degrees of freedom of the residual variance; INFINITY if sigma is given */
    double level;   /* confidence level */
    /* Akaike information criterion, and its small-sample correction; comparable between laws for the same data and scatter */
    double aic, aicc;
    size_t rows;            /* number of residuals */
    ff_fit_scatter scatter; /* source of scatter that was used for bounces and heights */
    long evaluations;
    /* If data are refused: the row, counted from 0, and the column at fault; NULL: no column. */
    size_t bad_row;
    const char *bad_column;
    /* sentences on what the data do not determine, one per line; "" if they determine everything */
    char words[600];
} ff_fit_result;

/* Estimates parameters of `law` by least squares. The other parameters keep the values they have in `law`; on return `law`
 * has the estimates. For power laws the search finds its own starting point; otherwise it starts from the parameters of
 * `law`.
 *
 * Confidence intervals are profile-likelihood intervals: the values for which the sum of squares, minimised over all other
 * unknowns, exceeds its minimum by at most q^2 s^2. Here s^2 is the residual variance and q the quantile of Student's t
 * distribution; if sigma is given, s = 1 and q is the normal quantile. They have the nominal coverage `level` for small
 * data sets and mild non-linearity, provided that the law is right and the scatter is Gaussian.
 *
 * `residuals` (`count` numbers, may be NULL) receives measured minus fitted values of restitution, time, rebound or height,
 * or force; NAN for rows without a residual. FF_NOT_IDENTIFIABLE: the data determine only a combination of parameters;
 * FF_BAD_VALUE: invalid data (see bad_row) or options; FF_NO_CONVERGENCE. */
FF_API ff_status ff_fit(ff_normal *law, const ff_fit_data *data, const ff_fit_options *options,
                        ff_fit_result *out, double *residuals, ff_error *error);

FF_C_END
