/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "fit_model.h"
#include "num/def.h"
#include "num/elementary.h"
#include "num/memory.h"
#include "num/student.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void ff_fit_options_init(ff_fit_options *out, size_t size) {
    const ff_fit_options defaults = {.size = sizeof defaults,
                                     .mass = NAN,
                                     .gravity = 9.81,
                                     .speed = NAN,
                                     .level = 0.95,
                                     .evaluations = 20000};
    ff_def_give(out, size, &defaults, sizeof defaults);
}

static ff_status say(ff_error *error, ff_status status, const char *format, ...) {
    if (error) {
        va_list list;
        va_start(list, format);
        vsnprintf(error->text, sizeof error->text, format, list);
        va_end(list);
    }
    return status;
}

#if !FF_HAVE_CMINPACK

ff_status ff_fit(ff_normal *law, const ff_fit_data *data, const ff_fit_options *options,
                 ff_fit_result *out, double *residuals, ff_error *error) {
    (void)law, (void)data, (void)options, (void)out, (void)residuals;
    return say(error, FF_NOT_BUILT, "built without cminpack (Debian package libcminpack-dev)");
}

#else
#include "num/bracket.h"
#include "num/matrix.h"
#include <cminpack.h>

/* ---- validation of data ---- */

/* Ranges are wider than any experiment, and keep powers of the numbers within the range of doubles. */
static const struct column {
    const char *name;
    size_t member;
    double least, most; /* exclusive limits */
    const char *rule;
} columns[] = {
    {"speed", offsetof(ff_fit_data, speed), 0, 1e6, "must be > 0 and below 1e6 m/s"},
    {"restitution", offsetof(ff_fit_data, restitution), 0, 1 + 1e-15,
     "must be > 0 and at most 1: an impact cannot create energy"},
    {"contact_time", offsetof(ff_fit_data, contact_time), 0, 1e6, "must be > 0 and below 1e6 s"},
    {"time_sigma", offsetof(ff_fit_data, time_sigma), 0, 1e6, "must be > 0 and below 1e6 s"},
    {"time", offsetof(ff_fit_data, time), -1e12, 1e12, "must be within 1e12 s of 0"},
    {"drop", offsetof(ff_fit_data, drop), 0, 1e6, "must be > 0 and below 1e6 m"},
    {"rebound", offsetof(ff_fit_data, rebound), 0, 1e6, "must be > 0 and below 1e6 m"},
    {"height", offsetof(ff_fit_data, height), 0, 1e6, "must be > 0 and below 1e6 m"},
    {"force", offsetof(ff_fit_data, force), -1e15, 1e15, "must be within 1e15 N of 0"},
    {"depth", offsetof(ff_fit_data, depth), -1e6, 1e6, "must be within 1e6 m of 0"},
    {"rate", offsetof(ff_fit_data, rate), -1e6, 1e6, "must be within 1e6 m/s of 0"},
    {"sigma", offsetof(ff_fit_data, sigma), 0, 1e15, "must be > 0 and below 1e15"},
};

static const double *column_of(const ff_fit_data *data, const struct column *column) {
    const double *at;
    memcpy(&at, (const char *)data + column->member, sizeof at);
    return at;
}

/* Reports an invalid value in a row. */
static ff_status refuse(ff_fit_result *out, ff_error *error, size_t row, const char *name,
                        double value, const char *rule) {
    out->bad_row = row;
    out->bad_column = name;
    return isnan(value) ? say(error, FF_BAD_VALUE, "%s is missing: it %s", name, rule)
                        : say(error, FF_BAD_VALUE, "%s is %g, but %s", name, value, rule);
}

static ff_status check_columns(const ff_fit_data *d, ff_fit_result *out, ff_error *error) {
    static const char *const needed[] = {
        [FF_FIT_RESTITUTION] = "speed and restitution",   [FF_FIT_BOUNCES] = "time",
        [FF_FIT_HEIGHTS] = "drop and rebound, or height", [FF_FIT_FORCE_TIME] = "time and force",
        [FF_FIT_FORCE_DEPTH] = "depth and force",
    };
    const bool there[] = {
        [FF_FIT_RESTITUTION] = d->speed && d->restitution,
        [FF_FIT_BOUNCES] = d->time,
        [FF_FIT_HEIGHTS] = d->height || (d->drop && d->rebound),
        [FF_FIT_FORCE_TIME] = d->time && d->force,
        [FF_FIT_FORCE_DEPTH] = d->depth && d->force,
    };
    if ((unsigned)d->kind > FF_FIT_FORCE_DEPTH) {
        return say(error, FF_BAD_VALUE, "there is no kind of data %d", (int)d->kind);
    }
    if (!there[d->kind]) {
        return say(error, FF_BAD_VALUE, "these data need columns %s", needed[d->kind]);
    }
    for (size_t row = 0; row < d->count; row++) {
        for (size_t c = 0; c < sizeof columns / sizeof *columns; c++) {
            const double *at = column_of(d, &columns[c]);
            const bool hole = at == d->contact_time || at == d->time_sigma;
            if (at && !(at[row] > columns[c].least && at[row] < columns[c].most) &&
                !(hole && isnan(at[row]))) {
                return refuse(out, error, row, columns[c].name, at[row], columns[c].rule);
            }
        }
        if (d->time && row > 0 && !(d->time[row] > d->time[row - 1])) {
            return refuse(out, error, row, "time", d->time[row], "must increase from row to row");
        }
    }
    return FF_OK;
}

/* A ball loses height, and the time between touch-downs decreases. */
static ff_status check_bounces(const ff_fit_data *d, ff_fit_result *out, ff_error *error) {
    for (size_t i = 0; i < d->count; i++) {
        if (d->kind == FF_FIT_BOUNCES && i > 1 &&
            !(d->time[i] - d->time[i - 1] < d->time[i - 1] - d->time[i - 2])) {
            return refuse(
                out, error, i, "time", d->time[i],
                "the time since the previous touch-down must be shorter than the interval before "
                "it: the restitution would be above 1, or a touch-down is missing");
        }
        if (d->kind == FF_FIT_HEIGHTS && d->height && i > 0 && !(d->height[i] < d->height[i - 1])) {
            return refuse(
                out, error, i, "height", d->height[i],
                "must be below the previous one: a bounce cannot be higher than the last");
        }
        if (d->kind == FF_FIT_HEIGHTS && !d->height && !(d->rebound[i] <= d->drop[i])) {
            return refuse(out, error, i, "rebound", d->rebound[i],
                          "must be at most the drop: a bounce cannot be higher than the drop");
        }
    }
    return FF_OK;
}

/* ---- estimated parameters ---- */

/* Determines which parameters of a power law change with its damping, and which with its stiffness. */
static void find_roles(const ff_normal *law, bool damping[FF_LAW_PARAMS],
                       bool stiffness[FF_LAW_PARAMS]) {
    ff_power power;
    for (int i = 0; i < FF_LAW_PARAMS; i++) {
        damping[i] = stiffness[i] = false;
    }
    if (!law->law->with_power || !ff_normal_power(law, 1, &power)) {
        return;
    }
    for (int role = 0; role < 2; role++) {
        ff_power wanted = power;
        double values[FF_LAW_PARAMS];
        memcpy(values, law->values, sizeof values);
        wanted.lambda = power.lambda > 0 ? 2 * power.lambda : role == 0 ? 1 : 0;
        wanted.lambda_out = power.lambda_out == power.lambda ? wanted.lambda : power.lambda_out;
        wanted.k *= role + 1;
        wanted.lambda_out *= role == 1 && power.lambda_out != power.lambda ? 2 : 1;
        if (!law->law->with_power(law, &wanted, values)) {
            continue;
        }
        for (int i = 0; law->law->params[i].name; i++) {
            const bool changed = !isnan(values[i]) && values[i] != law->values[i];
            damping[i] = role == 0 ? changed : damping[i];
            stiffness[i] = role == 1 && changed && !damping[i];
        }
    }
}

static ff_status choose(ff_fit_job *job, const bool *damping, const bool *stiffness,
                        ff_error *error) {
    const ff_fit_options *o = &job->options;
    const ff_param *params = job->law.law->params;
    const bool forces =
        job->data->kind == FF_FIT_FORCE_TIME || job->data->kind == FF_FIT_FORCE_DEPTH;
    job->found = 0;
    for (int i = 0; !o->free && params[i].name; i++) {
        if (damping[i] || (forces && stiffness[i])) {
            job->index[job->found++] = i;
        }
    }
    if (o->free_count > FF_LAW_PARAMS) {
        return say(error, FF_BAD_VALUE, "%zu parameters cannot be estimated: no law has so many",
                   o->free_count);
    }
    for (size_t j = 0; o->free && j < o->free_count; j++) {
        int i = 0;
        while (params[i].name && strcmp(params[i].name, o->free[j]) != 0) {
            i++;
        }
        if (!params[i].name || params[i].words) {
            return say(error, FF_BAD_VALUE, "%s has no numeric parameter '%s' to estimate",
                       job->law.law->name, o->free[j]);
        }
        for (int k = 0; k < job->found; k++) {
            if (job->index[k] == i) {
                return say(error, FF_BAD_VALUE, "'%s' is named twice", o->free[j]);
            }
        }
        job->index[job->found++] = i;
    }
    return job->found > 0 ? FF_OK
                          : say(error, FF_BAD_VALUE,
                                "%s has no damping to estimate: name the parameters to estimate, "
                                "or use another law",
                                job->law.law->name);
}

/* Restitution depends on k and lambda through one group. If k is free, contact times are used if there are any. */
static ff_status check_groups(ff_fit_job *job, const bool *damping, const bool *stiffness,
                              ff_error *error) {
    const ff_fit_data *d = job->data;
    bool damped = false, stiff = false, times = false;
    for (int i = 0; i < job->found; i++) {
        damped = damped || damping[job->index[i]];
        stiff = stiff || stiffness[job->index[i]];
    }
    for (size_t i = 0; d->contact_time && i < d->count; i++) {
        times = times || !isnan(d->contact_time[i]);
    }
    job->timed = d->kind == FF_FIT_RESTITUTION && stiff && times;
    return (d->kind == FF_FIT_RESTITUTION || d->kind == FF_FIT_HEIGHTS) && damped && stiff &&
                   !job->timed
               ? say(error, FF_NOT_IDENTIFIABLE,
                     "restitution depends on lambda and k through one group only: give k, or data "
                     "with contact times")
               : FF_OK;
}

/* ---- rate of a depth measured at given times ---- */

/* The slope at row i of the least-squares cubic through the seven rows around it (Savitzky and Golay 1964), for times that
 * need not be equally spaced. In s = (t - t_i)/width the normal equations are well conditioned. */
static double smooth_slope(const ff_fit_data *d, size_t i) {
    const size_t count = d->count < 7 ? d->count : 7, half = count / 2;
    const size_t first = i < half ? 0 : i - half > d->count - count ? d->count - count : i - half;
    const size_t terms = count < 4 ? count : 4;
    const double width = d->time[first + count - 1] - d->time[first];
    double a[16] = {0}, b[4] = {0};
    size_t pivots[4];
    for (size_t r = first; r < first + count; r++) {
        const double s = (d->time[r] - d->time[i]) / width, power[] = {1, s, s * s, s * s * s};
        for (size_t p = 0; p < terms; p++) {
            for (size_t q = 0; q < terms; q++) {
                a[p * terms + q] += power[p] * power[q];
            }
            b[p] += power[p] * d->depth[r];
        }
    }
    if (ff_matrix_factor(terms, a, 0, pivots) == 0) {
        return (double)NAN;
    }
    ff_matrix_solve(terms, a, pivots, b);
    return b[1] / width;
}

static ff_status find_rates(ff_fit_job *job, double *rate, ff_error *error) {
    const ff_fit_data *d = job->data;
    if (d->kind != FF_FIT_FORCE_DEPTH) {
        return FF_OK;
    }
    if (!d->rate && !d->time) {
        return job->law.damped ? say(error, FF_NOT_IDENTIFIABLE,
                                     "the force of %s depends on the rate of the depth: give a "
                                     "column rate or time",
                                     job->law.law->name)
                               : FF_OK;
    }
    for (size_t i = 0; i < d->count; i++) {
        rate[i] = d->rate ? d->rate[i] : smooth_slope(d, i);
    }
    job->rate = rate;
    return FF_OK;
}

/* ---- least squares ---- */

/* Residual where the model does not exist: far larger than any other, with a square within the range of doubles. */
#define FAR 1e100

typedef struct search {
    ff_fit_job *job;
    double *x;                        /* all unknowns */
    int free[FF_FIT_UNKNOWNS], count; /* the unknowns that vary, and their number */
    bool gave_up;
} search;

static void residuals_at(ff_fit_job *job, const double *x, double *r) {
    const bool good = ff_fit_model(job, x);
    for (size_t i = 0; i < job->rows; i++) {
        const double residual = (job->model[i] - job->measured[i]) / job->scale[i];
        r[i] = good && fabs(residual) < FAR ? residual : FAR;
    }
}

/* Central differences over h: the models are accurate to 1e-12, so that h^2/6 and 1e-12/h are both about 1e-8 of the slope. */
static void slopes_at(ff_fit_job *job, const double *x, int unknown, double *above, double *out) {
    const double h = 1e-4;
    double moved[FF_FIT_UNKNOWNS];
    memcpy(moved, x, (size_t)job->unknowns * sizeof *x);
    moved[unknown] = x[unknown] + h;
    residuals_at(job, moved, above);
    moved[unknown] = x[unknown] - h;
    residuals_at(job, moved, out);
    for (size_t i = 0; i < job->rows; i++) {
        out[i] = (above[i] - out[i]) / (2 * h);
    }
}

/* A negative return value ends a search that has used all evaluations. */
static int callback(void *user, int rows, int count, const double *x, double *r, double *jac,
                    int stride, int flag) {
    search *s = user;
    ff_fit_job *job = s->job;
    for (int i = 0; i < count; i++) {
        s->x[s->free[i]] = x[i];
    }
    if (job->evaluations >= job->options.evaluations) {
        s->gave_up = true;
        return -1;
    }
    if (flag == 1) {
        residuals_at(job, s->x, r);
    }
    for (int i = 0; flag == 2 && i < count; i++) {
        /* the last column of jac is followed by spare room */
        slopes_at(job, s->x, s->free[i], jac + (size_t)count * (size_t)rows,
                  jac + (size_t)i * (size_t)stride);
    }
    return 0;
}

/* Memory of one fit: residuals, slopes with a spare column, and scratch memory of lmder(). */
typedef struct room {
    double *r, *jac, *scratch;
} room;

/* Minimises the sum of squares near x, in place, over all unknowns except `held` (-1: none). */
static ff_status minimise_near(ff_fit_job *job, double *x, int held, const room *m, double *chi2) {
    search s = {.job = job, .x = x};
    double at[FF_FIT_UNKNOWNS], scale[FF_FIT_UNKNOWNS], qtf[FF_FIT_UNKNOWNS];
    double w1[FF_FIT_UNKNOWNS], w2[FF_FIT_UNKNOWNS], w3[FF_FIT_UNKNOWNS];
    int pivots[FF_FIT_UNKNOWNS], calls, slopes, rows = (int)job->rows;
    for (int i = 0; i < job->unknowns; i++) {
        if (i != held) {
            at[s.count] = x[i];
            s.free[s.count++] = i;
        }
    }
    if (s.count > 0) {
        /* The minimum itself is found to the accuracy of the models; along a profile the sum of squares is needed only to a
         * fraction of its allowed increase. A search that ends by its number of calls has still found a sum of squares. */
        const double sum_fine = held < 0 ? 1e-13 : 1e-7, fine = held < 0 ? 1e-11 : 1e-5;
        lmder(callback, &s, rows, s.count, at, m->r, m->jac, rows, sum_fine, fine, 0,
              held < 0 ? 200 : 30, scale, 1, 1, 0, &calls, &slopes, pivots, qtf, w1, w2, w3,
              m->scratch);
        if (s.gave_up) {
            return FF_NO_CONVERGENCE;
        }
        for (int i = 0; i < s.count; i++) {
            x[s.free[i]] = at[i];
        }
    }
    residuals_at(job, x, m->r);
    *chi2 = 0;
    for (size_t i = 0; i < job->rows; i++) {
        *chi2 += m->r[i] * m->r[i];
    }
    return *chi2 < FAR ? FF_OK : FF_NO_CONVERGENCE;
}

/* A force that starts as t^p, p < 1, has a steep slope at touch-down: where touch-down passes a sample, the sum of squares
 * has a kink with minima on both sides. Touch-down is therefore also tried half a sample earlier and later. */
static ff_status minimise(ff_fit_job *job, double *x, int held, const room *m, double *chi2) {
    ff_status status = minimise_near(job, x, held, m, chi2);
    if (job->data->kind != FF_FIT_FORCE_TIME) {
        return status;
    }
    const int shift = job->found;
    const double start = x[shift];
    for (int side = -1; side <= 1; side += 2) {
        double tried[FF_FIT_UNKNOWNS], sum;
        memcpy(tried, x, sizeof tried);
        tried[shift] = start + 0.5 * side * job->spacing / job->unit;
        if (minimise_near(job, tried, held, m, &sum) == FF_OK && (status != FF_OK || sum < *chi2)) {
            status = FF_OK;
            *chi2 = sum;
            memcpy(x, tried, sizeof tried);
        }
    }
    return status;
}

/* The best result of all starting points. */
static ff_status search_all(ff_fit_job *job, double *x, const room *m, double *chi2) {
    double origin = 0, unit = 0, tried[FF_FIT_UNKNOWNS];
    ff_status status = FF_NO_CONVERGENCE;
    for (int attempt = 0; ff_fit_start(job, attempt, tried); attempt++) {
        double sum;
        ff_status ended = minimise(job, tried, -1, m, &sum);
        if (ended == FF_OK && (status != FF_OK || sum < *chi2)) {
            status = FF_OK;
            *chi2 = sum;
            memcpy(x, tried, sizeof tried);
            origin = job->origin;
            unit = job->unit;
        }
    }
    job->origin = origin;
    job->unit = unit;
    return status;
}

/* ---- errors and intervals ---- */

/* Correlations are computed from slopes that are accurate to 1e-8: columns with a smaller independent part count as
 * dependent. */
#define DEPENDENT 1e-10

/* The covariance of x, the inverse of J^T J; returns the index of an unknown that depends on the others, or -1. */
static int covariance(ff_fit_job *job, const double *x, const room *m,
                      double out[FF_FIT_UNKNOWNS][FF_FIT_UNKNOWNS]) {
    const size_t n = (size_t)job->unknowns;
    double a[FF_FIT_UNKNOWNS * FF_FIT_UNKNOWNS], norm[FF_FIT_UNKNOWNS];
    double *spare = m->jac + n * job->rows;
    size_t pivots[FF_FIT_UNKNOWNS];
    for (size_t i = 0; i < n; i++) {
        const double *column = m->jac + i * job->rows;
        slopes_at(job, x, (int)i, spare, m->jac + i * job->rows);
        norm[i] = 0;
        for (size_t r = 0; r < job->rows; r++) {
            norm[i] += column[r] * column[r];
        }
        norm[i] = sqrt(norm[i]);
        if (!(norm[i] > 0) || isinf(norm[i])) {
            return (int)i;
        }
    }
    /* Columns are normalised and orthogonalised one after the other: the remainder is the distance from the span of the
     * previous ones. */
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            double sum = 0;
            for (size_t r = 0; r < job->rows; r++) {
                sum += m->jac[i * job->rows + r] * m->jac[j * job->rows + r];
            }
            a[i * n + j] = sum / (norm[i] * norm[j]);
        }
    }
    double left[FF_FIT_UNKNOWNS * FF_FIT_UNKNOWNS];
    memcpy(left, a, n * n * sizeof *a);
    for (size_t i = 0; i < n; i++) {
        if (left[i * n + i] < DEPENDENT) {
            return (int)i;
        }
        for (size_t j = i + 1; j < n; j++) {
            const double part = left[j * n + i] / left[i * n + i];
            for (size_t k = i; k < n; k++) {
                left[j * n + k] -= part * left[i * n + k];
            }
        }
    }
    ff_matrix_factor(n, a, 0, pivots);
    for (size_t i = 0; i < n; i++) {
        double unit[FF_FIT_UNKNOWNS] = {0};
        unit[i] = 1;
        ff_matrix_solve(n, a, pivots, unit);
        for (size_t j = 0; j <= i; j++) {
            out[i][j] = out[j][i] = unit[j] / (norm[i] * norm[j]);
        }
    }
    return -1;
}

/* How far the end of an interval is searched: a factor of 1000, or up to 1e-3 of the ends of a range. */
#define FARTHEST 7
/* Accuracy of the ends of intervals, relative to half their length. */
#define END_FINE 1e-3

typedef struct profile {
    ff_fit_job *job;
    const room *room;
    const double *best; /* best x */
    double (*covariance)[FF_FIT_UNKNOWNS];
    double chi2, allowed; /* smallest sum of squares, and its allowed increase */
    int of;               /* the unknown of the interval */
    ff_status status;
    double found[FF_FIT_UNKNOWNS], found_chi2; /* a better minimum that was found on the way */
} profile;

/* Positive if the sum of squares, minimised over the other unknowns, exceeds its allowed value when unknown `of` is changed
 * by `by`; in terms of its square root, which is nearly linear. */
static double excess(profile *p, double by) {
    double x[FF_FIT_UNKNOWNS], chi2;
    for (int i = 0; i < p->job->unknowns; i++) {
        /* the other unknowns start as in the linearised problem */
        x[i] = p->best[i] + by * p->covariance[i][p->of] / p->covariance[p->of][p->of];
    }
    x[p->of] = p->best[p->of] + by;
    ff_status status = minimise(p->job, x, p->of, p->room, &chi2);
    if (status != FF_OK) {
        /* a model that does not exist counts as infinitely bad; without evaluations left nothing is known */
        p->status = p->job->evaluations >= p->job->options.evaluations ? status : p->status;
        return HUGE_VAL;
    }
    if (chi2 < p->found_chi2) {
        p->found_chi2 = chi2;
        memcpy(p->found, x, sizeof x);
    }
    return sqrt(fmax(chi2 - p->chi2, 0)) - sqrt(p->allowed);
}

/* The end of the interval on one side, as an unknown; infinite if the data do not bound it. */
static double interval_end(profile *p, double side) {
    const double wald = sqrt(p->allowed * p->covariance[p->of][p->of]);
    double low = 0, g_low = -sqrt(p->allowed), high = wald, g_high;
    /* if rounding hides the increase of the sum of squares, the linearised problem is exact */
    if (wald < 1e-7) {
        return p->best[p->of] + side * wald;
    }
    high = fmin(high, FARTHEST);
    while ((g_high = excess(p, side * high)) <= 0) {
        if (high >= FARTHEST || p->status != FF_OK) {
            return side * HUGE_VAL;
        }
        low = high;
        g_low = g_high;
        high = fmin(1.5 * high, FARTHEST);
    }
    /* the increase is infinite where the model does not exist; regula falsi needs a finite number */
    const double most = 10 * sqrt(p->allowed);
    ff_bracket b = {.low = low, .g_low = g_low, .high = high, .g_high = fmin(g_high, most)};
    while (ff_bracket_wider(&b, END_FINE * wald) && p->status == FF_OK) {
        double at = ff_bracket_guess(&b), g = excess(p, side * at);
        ff_bracket_narrow(&b, at, fmin(g, most));
        /* close enough: END_FINE in terms of the increase */
        if (fabs(g) < END_FINE / 4 * sqrt(p->allowed)) {
            return p->best[p->of] + side * at;
        }
    }
    return p->best[p->of] + side * (b.low + b.high) / 2;
}

/* d(value)/dx by a difference */
static double value_slope(const ff_param *param, double x) {
    const double h = 1e-5;
    return (ff_fit_value(param, x + h) - ff_fit_value(param, x - h)) / (2 * h);
}

/* ---- results ---- */

typedef struct estimate {
    double x[FF_FIT_UNKNOWNS], covariance[FF_FIT_UNKNOWNS][FF_FIT_UNKNOWNS];
    double chi2, variance, freedom;
} estimate;

/* Standard errors of k and lambda of the power law, from their derivatives with respect to each unknown. */
static void fill_power(const ff_fit_job *job, const estimate *e, const ff_normal *law,
                       ff_fit_result *out) {
    ff_power power;
    double by[2][FF_LAW_PARAMS] = {{0}}, square[2] = {0};
    out->k = out->lambda = (double)NAN;
    out->k_error = out->lambda_error = 0;
    if (!ff_normal_power(law, 1, &power)) {
        return;
    }
    for (int i = 0; i < job->found; i++) {
        const double h = 1e-5;
        double x[FF_FIT_UNKNOWNS];
        ff_power at[2] = {power, power};
        for (int side = 0; side < 2; side++) {
            ff_normal moved;
            memcpy(x, e->x, sizeof x);
            x[i] += side ? h : -h;
            if (ff_fit_law(job, x, &moved)) {
                ff_normal_power(&moved, 1, &at[side]);
            }
        }
        by[0][i] = (at[1].k - at[0].k) / (2 * h);
        by[1][i] = (at[1].lambda - at[0].lambda) / (2 * h);
    }
    for (int i = 0; i < job->found; i++) {
        for (int j = 0; j < job->found; j++) {
            square[0] += by[0][i] * by[0][j] * e->covariance[i][j];
            square[1] += by[1][i] * by[1][j] * e->covariance[i][j];
        }
    }
    out->k = power.k;
    out->k_error = sqrt(e->variance * fmax(square[0], 0));
    out->lambda = power.lambda;
    out->lambda_error = sqrt(e->variance * fmax(square[1], 0));
}

static void add_words(ff_fit_result *out, const char *format, ...) {
    const size_t used = strlen(out->words);
    va_list list;
    va_start(list, format);
    vsnprintf(out->words + used, sizeof out->words - used, format, list);
    va_end(list);
}

/* A parameter counts as determined if its interval is no wider than this many times the estimate. */
#define WIDE 1

static void judge(const ff_fit_job *job, ff_fit_result *out, int i) {
    const ff_param *param = &job->law.law->params[job->index[i]];
    ff_fit_param *p = &out->params[i];
    const double least = param->least == FF_POSITIVE ? 0 : param->least;
    const bool open = p->low <= least || p->high >= param->most;
    p->told = !open && p->high - p->low <= WIDE * fabs(p->value);
    if (p->told) {
        return;
    }
    char high[32] = "infinity";
    if (!isinf(p->high)) {
        snprintf(high, sizeof high, "%.3g", p->high);
    }
    add_words(out, "the data do not determine %s: its %g %% interval, %.3g to %s, %s\n", p->name,
              100 * out->level, p->low, high,
              open ? "reaches an end of its range" : "is wider than the estimate");
}

/* Intervals of all estimated parameters. FF_EVENT: a better minimum was found, start again from it. */
static ff_status fill_intervals(ff_fit_job *job, estimate *e, const room *m, ff_fit_result *out) {
    const double quantile = ff_student_quantile(job->options.level, e->freedom);
    profile p = {.job = job,
                 .room = m,
                 .best = e->x,
                 .covariance = e->covariance,
                 .chi2 = e->chi2,
                 .allowed = quantile * quantile * e->variance,
                 .found_chi2 = e->chi2 * (1 - 1e-6)};
    for (int i = 0; i < job->found; i++) {
        const ff_param *param = &job->law.law->params[job->index[i]];
        const double least = param->least == FF_POSITIVE ? 0 : param->least;
        p.of = i;
        double low = interval_end(&p, -1), high = interval_end(&p, 1);
        if (p.status != FF_OK) {
            const double wald = sqrt(p.allowed * e->covariance[i][i]);
            low = e->x[i] - wald;
            high = e->x[i] + wald;
            add_words(out,
                      "the interval of %s is that of the linearised problem: its ends were not "
                      "found within %ld evaluations of all rows\n",
                      param->name, job->options.evaluations);
        }
        out->params[i] = (ff_fit_param){
            .name = param->name,
            .value = ff_fit_value(param, e->x[i]),
            .error = sqrt(e->variance * e->covariance[i][i]) * value_slope(param, e->x[i]),
            .low = isinf(low) ? least : ff_fit_value(param, low),
            .high = isinf(high) ? param->most : ff_fit_value(param, high)};
        for (int j = 0; j < job->found; j++) {
            out->correlation[i][j] =
                e->covariance[i][j] / sqrt(e->covariance[i][i] * e->covariance[j][j]);
        }
        if (p.found_chi2 < e->chi2 * (1 - 1e-6)) {
            out->words[0] = '\0';
            memcpy(e->x, p.found, sizeof p.found);
            return FF_EVENT;
        }
    }
    return FF_OK;
}

/* Akaike's criterion and that of Hurvich and Tsai (1989); an unknown sigma is one more parameter. `known`: the variances of
 * the rows are known. */
static void fill_criteria(const ff_fit_job *job, const estimate *e, bool known,
                          ff_fit_result *out) {
    const double rows = (double)job->rows, count = job->unknowns + (known ? 0 : 1);
    out->aic = (known ? e->chi2 : rows * ff_log(e->chi2 / rows)) + 2 * count;
    out->aicc =
        rows > count + 1 ? out->aic + 2 * count * (count + 1) / (rows - count - 1) : HUGE_VAL;
}

static void fill_residuals(const ff_fit_job *job, ff_fit_result *out, double *residuals) {
    const size_t rows = job->timed ? job->data->count : job->rows;
    double sum = 0;
    for (size_t i = 0; residuals && i < job->data->count; i++) {
        residuals[i] = (double)NAN;
    }
    for (size_t i = 0; i < rows; i++) {
        const double residual = job->measured[i] - job->model[i];
        sum += residual * residual;
        if (residuals) {
            residuals[job->source[i]] = residual;
        }
    }
    out->rms = sqrt(sum / (double)rows);
}

/* -2 ln of the likelihood, up to a constant of the data, with the nuisance parameters of the experiment integrated out:
 * this allows comparing scatter of readings and of bounces, which explain different numbers of rows. The u unknown times
 * and heights are those of the first u rows themselves (their slopes are the first u by u block of J), so the integral over
 * them gives det(J^T J) of their columns over the square of the determinant of that block. */
static double unlikelihood(const ff_fit_job *job, const estimate *e, const room *m) {
    const int open = job->unknowns - job->found;
    const double *a = m->jac + (size_t)job->found * job->rows, *b = a + job->rows;
    const double rows = (double)job->rows - open;
    double value = rows * ff_log(e->chi2 / rows), aa = 0, ab = 0, bb = 0;
    for (size_t i = 0; i < job->rows; i++) {
        value += 2 * ff_log(job->scale[i]);
        aa += open > 0 ? a[i] * a[i] : 0;
        ab += open > 1 ? a[i] * b[i] : 0;
        bb += open > 1 ? b[i] * b[i] : 0;
    }
    if (open == 1) {
        value += ff_log(aa / (a[0] * a[0]));
    } else if (open == 2) {
        const double block = a[0] * b[1] - a[1] * b[0];
        value += ff_log((aa * bb - ab * ab) / (block * block));
    }
    return value;
}

/* ---- a single fit ---- */

/* Fits the prepared rows; `known`: sigma is known; `freedom` > 0: degrees of freedom from which sigma was estimated. */
static ff_status solve(ff_fit_job *job, bool known, double freedom, const room *m, estimate *e,
                       ff_fit_result *out, ff_error *error) {
    ff_status status = FF_NO_CONVERGENCE;
    if (job->rows <= (size_t)job->unknowns) {
        return say(error, FF_NOT_IDENTIFIABLE,
                   "%zu measured values are too few for %d unknowns: at least %d are needed",
                   job->rows, job->unknowns, job->unknowns + 1);
    }
    status = search_all(job, e->x, m, &e->chi2);
    if (status != FF_OK) {
        return job->evaluations >= job->options.evaluations
                   ? say(error, status, "gave up after %ld evaluations of all rows",
                         job->evaluations)
                   : say(error, status, "the least squares did not converge");
    }
    e->freedom = freedom > 0 ? freedom
                 : known     ? HUGE_VAL
                             : (double)(job->rows - (size_t)job->unknowns);
    /* a profile may find a better minimum than the search; restart at most three times */
    for (int turn = 0; turn < 3; turn++) {
        int bad = covariance(job, e->x, m, e->covariance);
        if (bad >= 0) {
            const char *name = bad < job->found ? job->law.law->params[job->index[bad]].name
                                                : "the first touch-down";
            return say(error, FF_NOT_IDENTIFIABLE,
                       "the data do not distinguish %s from the other unknowns: fix one of them",
                       name);
        }
        e->variance = known ? 1 : e->chi2 / (double)(job->rows - (size_t)job->unknowns);
        status = out ? fill_intervals(job, e, m, out) : FF_OK;
        if (status != FF_EVENT) {
            break;
        }
        status = minimise(job, e->x, -1, m, &e->chi2);
    }
    if (status == FF_OK) {
        residuals_at(job, e->x, m->r);
    }
    return status == FF_OK ? FF_OK
                           : say(error, FF_NO_CONVERGENCE, "the least squares did not converge");
}

/* Scatter of readings is chosen if the data are far more likely under it, by a difference that leaves bounces no support;
 * otherwise scatter of bounces. Treating scattering bounces as readings makes intervals much too short (a third of them
 * contained the true value); the opposite error makes them slightly too long: 99 % did. With 10, 2 % of series of six
 * heights with scattering bounces are taken for readings. */
#define FAR_MORE_LIKELY 10
static ff_status decide_scatter(ff_fit_job *job, const room *m, ff_error *error) {
    const ff_fit_scatter both[] = {FF_FIT_SCATTER_READINGS, FF_FIT_SCATTER_BOUNCES};
    double least = INFINITY;
    ff_fit_scatter best = FF_FIT_SCATTER_READINGS;
    ff_status status = FF_OK, any = FF_NO_CONVERGENCE;
    for (int i = 0; i < 2; i++) {
        estimate e;
        job->scatter = both[i];
        ff_fit_rows(job);
        status = solve(job, false, 0, m, &e, NULL, error);
        const double handicap = both[i] == FF_FIT_SCATTER_READINGS ? FAR_MORE_LIKELY : 0;
        const double value = status == FF_OK ? handicap + unlikelihood(job, &e, m) : HUGE_VAL;
        if (status == FF_OK && !(value >= least)) {
            least = value;
            best = both[i];
        }
        any = status == FF_OK || any != FF_OK ? status : any;
        if (status == FF_NOT_IDENTIFIABLE) {
            return status;
        }
    }
    job->scatter = best;
    ff_fit_rows(job);
    return any;
}

/* Restitutions without sigma, together with contact times: e alone determines the group of lambda and k for any k, and its
 * scatter about that fit is the sigma that weights it against the times. */
static ff_status weigh(ff_fit_job *job, const bool *damping, const room *m, double *freedom,
                       double *scatter, ff_error *error) {
    ff_fit_job alone = *job;
    estimate e;
    alone.timed = false;
    alone.found = 0;
    for (int i = 0; i < job->found; i++) {
        if (damping[job->index[i]]) {
            alone.index[alone.found++] = job->index[i];
        }
    }
    ff_fit_rows(&alone);
    ff_status status = solve(&alone, false, 0, m, &e, NULL, error);
    job->evaluations = alone.evaluations;
    ff_fit_rows(job);
    if (status != FF_OK) {
        return status;
    }
    /* exact data have no scatter; any weight will do */
    *scatter = fmax(sqrt(e.variance), 1e-6);
    *freedom = e.freedom;
    for (size_t i = 0; i < job->data->count; i++) {
        job->scale[i] = *scatter;
    }
    return FF_OK;
}

static ff_status fit(ff_fit_job *job, const bool *damping, const room *m, ff_normal *law,
                     ff_fit_result *out, double *residuals, ff_error *error) {
    const ff_fit_data *d = job->data;
    const bool choice = d->kind == FF_FIT_BOUNCES || d->kind == FF_FIT_HEIGHTS;
    const bool weighed = job->timed && !d->sigma;
    double freedom = 0, scatter = 0;
    ff_status status = FF_OK;
    estimate e;
    job->scatter = d->sigma || !choice ? FF_FIT_SCATTER_READINGS : job->options.scatter;
    if (choice && !d->sigma && job->scatter == FF_FIT_SCATTER_AUTO) {
        status = decide_scatter(job, m, error);
    } else if (weighed) {
        status = weigh(job, damping, m, &freedom, &scatter, error);
    } else {
        ff_fit_rows(job);
    }
    out->level = job->options.level;
    status = status ? status : solve(job, d->sigma || weighed, freedom, m, &e, out, error);
    if (status < 0) {
        return status;
    }
    ff_fit_law(job, e.x, law);
    out->unknowns = job->found;
    out->chi2 = e.chi2;
    out->freedom = e.freedom;
    out->rows = job->rows;
    out->scatter = choice ? job->scatter : FF_FIT_SCATTER_AUTO;
    out->speed = ff_fit_speed(job, e.x);
    out->evaluations = job->evaluations;
    fill_power(job, &e, law, out);
    fill_residuals(job, out, residuals);
    fill_criteria(job, &e, d->sigma || weighed, out);
    if (weighed) {
        /* the scatter of e is a parameter of each law: compare by likelihood, not by chi2 */
        const double count = (double)d->count, square = out->rms * out->rms;
        const double change = count * ff_log(square) - count * square / (scatter * scatter) + 2;
        out->aic += change;
        out->aicc += change;
    }
    for (int i = 0; i < job->found; i++) {
        judge(job, out, i);
    }
    return FF_OK;
}

static ff_status check_options(const ff_fit_job *job, ff_error *error) {
    const ff_fit_options *o = &job->options;
    const ff_fit_kind kind = job->data->kind;
    if (kind != FF_FIT_FORCE_DEPTH && !(o->mass > 0 && isfinite(o->mass))) {
        return say(error, FF_BAD_VALUE, "the mass is %g kg, but must be above 0", o->mass);
    }
    if ((kind == FF_FIT_BOUNCES || kind == FF_FIT_HEIGHTS) &&
        !(o->gravity > 0 && isfinite(o->gravity))) {
        return say(error, FF_BAD_VALUE, "gravity is %g m/s^2, but must be above 0", o->gravity);
    }
    if (kind == FF_FIT_FORCE_TIME && !isnan(o->speed) && !(o->speed > 0 && o->speed < 1e6)) {
        return say(error, FF_BAD_VALUE, "the speed is %g m/s, but must be > 0 and below 1e6",
                   o->speed);
    }
    if (!(o->level > 0 && o->level < 1)) {
        return say(error, FF_BAD_VALUE, "the level is %g, but must be between 0 and 1", o->level);
    }
    if ((unsigned)o->scatter > FF_FIT_SCATTER_BOUNCES) {
        return say(error, FF_BAD_VALUE, "there is no scatter %d", (int)o->scatter);
    }
    if (o->scatter == FF_FIT_SCATTER_BOUNCES && job->data->sigma &&
        (kind == FF_FIT_BOUNCES || kind == FF_FIT_HEIGHTS)) {
        return say(error, FF_BAD_VALUE,
                   "sigma is the error of readings: leave it out if bounces scatter");
    }
    return o->evaluations > 0 ? FF_OK
                              : say(error, FF_BAD_VALUE, "evaluations is %ld, but must be above 0",
                                    o->evaluations);
}

/* More rows would take minutes: a phone at 48 kHz records this many in 20 s. */
enum { MOST_ROWS = 1000000 };

ff_status ff_fit(ff_normal *law, const ff_fit_data *data, const ff_fit_options *options,
                 ff_fit_result *out, double *residuals, ff_error *error) {
    bool damping[FF_LAW_PARAMS], stiffness[FF_LAW_PARAMS];
    ff_fit_job job = {.data = data, .law = *law};
    *out = (ff_fit_result){.speed = NAN};
    ff_fit_options_init(&job.options, sizeof job.options);
    if (error) {
        error->text[0] = '\0';
    }
    if (!FF_DEF_TAKE(&job.options, options)) {
        return ff_def_refuse(error);
    }
    ff_status status = ff_normal_check(law, error);
    status = status ? status : check_options(&job, error);
    status = status ? status : check_columns(data, out, error);
    status = status ? status : check_bounces(data, out, error);
    if (!status && data->count > MOST_ROWS) {
        status = say(error, FF_BAD_VALUE, "%zu rows are more than %d", data->count, MOST_ROWS);
    }
    if (status < 0) {
        return status;
    }
    find_roles(law, damping, stiffness);
    status = choose(&job, damping, stiffness, error);
    status = status ? status : check_groups(&job, damping, stiffness, error);
    if (status < 0) {
        return status;
    }
    /* rows: restitutions and contact times; slopes: one column per unknown, and a spare one */
    const size_t rows = 2 * data->count + 1, columns_room = FF_FIT_UNKNOWNS + 1;
    double *memory = ff_malloc(rows * (5 + columns_room + 1) * sizeof *memory);
    size_t *source = ff_malloc(rows * sizeof *source);
    ff_impact_point *curve = ff_malloc(FF_FIT_CURVE * sizeof *curve);
    if (memory && source && curve) {
        const room m = {memory, memory + rows, memory + rows * (1 + columns_room)};
        job.measured = m.scratch + rows;
        job.scale = job.measured + rows;
        job.model = job.scale + rows;
        job.source = source;
        job.curve = curve;
        status = find_rates(&job, job.model + rows, error);
        status = status ? status : fit(&job, damping, &m, law, out, residuals, error);
    } else {
        status = say(error, FF_NO_MEMORY, "out of memory");
    }
    ff_free(memory);
    ff_free(source);
    ff_free(curve);
    return status;
}

#endif
