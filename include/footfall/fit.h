/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* Parameters of a normal law from measurements, by least squares, with confidence intervals. docs/fit.md tells how to measure
 * and how to read the answer. */

#include <footfall/law.h>

FF_C_BEGIN

/* What was measured. */
typedef enum ff_fit_kind {
    FF_FIT_RESTITUTION, /* speed and restitution of impacts, with or without their contact times */
    FF_FIT_BOUNCES,     /* times of successive touch-downs of a ball that bounces in place */
    FF_FIT_HEIGHTS, /* heights before and after bounces: drop and rebound, or successive heights */
    FF_FIT_FORCE_TIME, /* force against time in one impact */
    FF_FIT_FORCE_DEPTH /* force against depth, with the rate of the depth or the time */
} ff_fit_kind;

/* What scatters in times of bounces and in heights: the readings, each by itself, or the restitution of each bounce, after
 * which all later bounces follow. */
typedef enum ff_fit_scatter {
    FF_FIT_SCATTER_AUTO, /* the one under which the data are more likely; readings where sigma is given */
    FF_FIT_SCATTER_READINGS,
    FF_FIT_SCATTER_BOUNCES
} ff_fit_scatter;

/* Columns of `count` numbers in SI units; NULL: not measured. A kind uses the columns named here and no others:
 *
 *     FF_FIT_RESTITUTION   speed, restitution; may use sigma, contact_time, time_sigma
 *     FF_FIT_BOUNCES       time; may use sigma
 *     FF_FIT_HEIGHTS       drop and rebound, or height; may use sigma
 *     FF_FIT_FORCE_TIME    time, force; may use sigma
 *     FF_FIT_FORCE_DEPTH   depth, force, and rate or time for a law with damping; may use sigma
 *
 * Units: speed m/s, time s, heights m, depth m (> 0 is penetration), rate m/s (> 0 is closing), force N. */
typedef struct ff_fit_data {
    ff_fit_kind kind;
    size_t count;
    const double *speed, *restitution; /* restitution: above 0, at most 1 */
    const double *contact_time;        /* NAN where it was not measured; used where k is found */
    const double *time_sigma;          /* standard deviation of contact times; NULL: 1 % */
    const double *time;
    const double *drop, *rebound, *height; /* above the contact, without the radius of the ball */
    const double *force, *depth, *rate;
    const double *sigma; /* standard deviation of restitution, time, rebound or height, or force;
                          * NULL: equal for all rows, from the scatter */
} ff_fit_data;

typedef struct ff_fit_options {
    size_t size;    /* as ff_fit_options_default() sets it */
    double mass;    /* kg, reduced mass of two free bodies; not used by FF_FIT_FORCE_DEPTH */
    double gravity; /* m/s^2, for bounces and heights; 9.81 */
    double speed;   /* m/s at touch-down, for FF_FIT_FORCE_TIME; NAN: found as well */
    double level;   /* of the confidence intervals; 0.95 */
    ff_fit_scatter scatter;
    /* Names of the law's parameters that are found; the others stay. NULL: the damping, and with a force column the
     * stiffness as well. */
    const char *const *free;
    size_t free_count;
    long evaluations; /* the fit gives up after computing all rows so often; 20,000 */
} ff_fit_options;
FF_DEFAULTS(ff_fit_options)

/* A parameter that was found. */
typedef struct ff_fit_param {
    const char *name;
    double value;
    double error; /* standard error, of the linearised problem */
    double low,
        high; /* ends of the confidence interval; an end of the legal range where the data set none */
    bool told; /* whether the data tell it: the interval has ends and is no wider than the value */
} ff_fit_param;

typedef struct ff_fit_result {
    int unknowns; /* how many parameters of the law were found */
    ff_fit_param params[FF_LAW_PARAMS];
    double correlation[FF_LAW_PARAMS][FF_LAW_PARAMS]; /* of their estimates */
    /* the law seen as a power law; NAN where it is none, errors 0 where nothing in it was found */
    double lambda, lambda_error, k, k_error;
    double speed;   /* at the first touch-down, m/s, of bounces and force against time; else NAN */
    double chi2;    /* sum of squared residuals over sigma^2 (sigma 1 if unknown) */
    double rms;     /* root mean square residual, in the unit of what was measured */
    double freedom; /* degrees of freedom of the scatter; INFINITY where sigma is given */
    double level;   /* of the intervals */
    double aic, aicc; /* Akaike's criterion, and with its correction for few data; for laws on the
                             * same data with the same scatter */
    size_t rows;      /* residuals that were made small */
    ff_fit_scatter scatter; /* of bounces and heights */
    long evaluations;
    /* Where data are refused: the row, from 0, and the column that is wrong; NULL: no column. */
    size_t bad_row;
    const char *bad_column;
    char words
        [600]; /* sentences on what the data do not tell, a line each; empty where they tell all */
} ff_fit_result;

/* Least squares for parameters of `law`, which brings all others; on return it has the estimates. Where a law is a power law the
 * search finds its own start, otherwise it starts from the parameters of `law`.
 *
 * Intervals are those of the profile likelihood: the values for which the sum of squares, made as small as all other
 * unknowns allow, exceeds its least by at most q^2 s^2, s^2 the residual variance and q the quantile of Student's distribution,
 * or s = 1 and q of the normal one where sigma is given. For few data and mild non-linearity they hold the truth as often as
 * `level` says, if the law is right and the scatter is Gaussian.
 *
 * `residuals` (count, may be NULL) gets measured minus fitted values of restitution, time, rebound or height, or force; NAN for
 * rows that have none. FF_NOT_IDENTIFIABLE where the data determine but a combination of parameters. */
FF_API ff_status ff_fit(ff_normal *law, const ff_fit_data *data, const ff_fit_options *options,
                        ff_fit_result *out, double *residuals, ff_error *error);

FF_C_END
