/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "fit_model.h"
#include "law/params.h"
#include "num/elementary.h"
#include <math.h>

/* ---- unknowns ---- */

/* Any x gives a valid value: exp(x) above the lower limit of a half-open range, a logistic function in a closed one. */
double ff_fit_value(const ff_param *param, double x) {
    const double least = param->least == FF_POSITIVE ? 0 : param->least;
    return isinf(param->least)  ? x
           : isinf(param->most) ? least + ff_exp(x)
                                : least + (param->most - least) / (1 + ff_exp(-x));
}

double ff_fit_unknown(const ff_param *param, double value) {
    const double least = param->least == FF_POSITIVE ? 0 : param->least;
    return isinf(param->least)  ? value
           : isinf(param->most) ? ff_log(value - least)
                                : ff_log((value - least) / (param->most - value));
}

bool ff_fit_law(const ff_fit_job *job, const double *x, ff_normal *law) {
    const ff_normal_law *table = job->law.law;
    double values[FF_LAW_PARAMS];
    ff_law_given(table->params, job->law.values, values);
    for (int i = 0; i < job->found; i++) {
        values[job->index[i]] = ff_fit_value(&table->params[job->index[i]], x[i]);
    }
    return ff_normal_make(law, table, values, NULL) == FF_OK;
}

/* ---- kinds of data ---- */

static bool chain(const ff_fit_job *job) {
    return job->data->kind == FF_FIT_BOUNCES ||
           (job->data->kind == FF_FIT_HEIGHTS && job->data->height);
}

static void add_row(ff_fit_job *job, double measured, double scale, size_t source) {
    job->measured[job->rows] = measured;
    job->scale[job->rows] = scale;
    job->source[job->rows++] = source;
}

/* Intervals between touch-downs after the first, which gives the first speed: with scatter of bounces, the error of each is
 * that of a restitution, proportional to the previous interval. Likewise heights: h' = e^2 h has the error 2 e h = 2 sqrt(h
 * h') times that of e. */
static void add_bounces(ff_fit_job *job) {
    const ff_fit_data *d = job->data;
    for (size_t i = 1; d->kind == FF_FIT_BOUNCES && i + 1 < d->count; i++) {
        add_row(job, d->time[i + 1] - d->time[i], d->time[i] - d->time[i - 1], i + 1);
    }
    for (size_t i = 0; d->kind == FF_FIT_HEIGHTS && i + (d->height ? 1 : 0) < d->count; i++) {
        const double before = d->height ? d->height[i] : d->drop[i];
        const double after = d->height ? d->height[i + 1] : d->rebound[i];
        add_row(job, after, 2 * sqrt(before * after), d->height ? i + 1 : i);
    }
}

void ff_fit_rows(ff_fit_job *job) {
    const ff_fit_data *d = job->data;
    const double *measured = d->kind == FF_FIT_RESTITUTION ? d->restitution
                             : d->kind == FF_FIT_BOUNCES   ? d->time
                             : d->kind == FF_FIT_HEIGHTS   ? d->height ? d->height : d->rebound
                                                           : d->force;
    job->rows = 0;
    job->unknowns = job->found;
    if (job->scatter == FF_FIT_SCATTER_BOUNCES) {
        add_bounces(job);
        return;
    }
    for (size_t i = 0; i < d->count; i++) {
        add_row(job, measured[i], d->sigma ? d->sigma[i] : 1, i);
    }
    for (size_t i = 0; job->timed && i < d->count; i++) {
        if (!isnan(d->contact_time[i])) {
            add_row(job, d->contact_time[i],
                    d->time_sigma ? d->time_sigma[i] : 0.01 * d->contact_time[i], i);
        }
    }
    /* the first touch-down: its time and speed, or the height before it */
    job->unknowns += d->kind == FF_FIT_BOUNCES      ? 2
                     : chain(job)                   ? 1
                     : d->kind == FF_FIT_FORCE_TIME ? isnan(job->options.speed) ? 2 : 1
                                                    : 0;
}

static bool solve(const ff_fit_job *job, const ff_normal *law, double speed, ff_impact *out) {
    return ff_impact_solve(law, job->options.mass, speed, out) == FF_OK;
}

static double fall_speed(const ff_fit_job *job, double height) {
    return sqrt(2 * job->options.gravity * height);
}

/* ---- models ---- */

static bool model_restitution(ff_fit_job *job, const ff_normal *law) {
    const ff_fit_data *d = job->data;
    ff_impact impact;
    ff_impact_restitution_all(law, job->options.mass, d->count, d->speed, job->model);
    for (size_t i = d->count; i < job->rows; i++) {
        if (!solve(job, law, d->speed[job->source[i]], &impact)) {
            return false;
        }
        job->model[i] = impact.contact_time;
    }
    return true;
}

/* A touch-down of speed v is followed by the next one after the contact and a flight up and down from where the depth is
 * back at 0:
 *     t' = t + clear_time(v) + 2 v'/g,   v' = e(v) v. */
static bool bounce(const ff_fit_job *job, const ff_normal *law, double *time, double *speed) {
    ff_impact impact;
    if (!solve(job, law, *speed, &impact)) {
        return false;
    }
    *speed *= impact.restitution;
    *time += impact.clear_time + 2 * *speed / job->options.gravity;
    return true;
}

static bool model_times(ff_fit_job *job, const ff_normal *law, const double *open) {
    double time = job->origin + job->unit * open[0], speed = ff_exp(open[1]);
    for (size_t i = 0; i < job->rows; i++) {
        job->model[i] = time;
        if (i + 1 < job->rows && !bounce(job, law, &time, &speed)) {
            return false;
        }
    }
    return true;
}

/* Computes every interval from the speed that follows from the previous one, minus the contact time of the law. The speed v
 * before the first interval, v e(v) = v', is needed only for a contact time, which hardly depends on it (as v^(-1/5) under
 * Hertz's law): an iteration reduces the error tenfold each time. */
static bool model_intervals(ff_fit_job *job, const ff_normal *law) {
    const double *time = job->data->time, g = job->options.gravity, first = time[1] - time[0];
    double contact = 0, before = 1, speed = g * first / 2;
    ff_impact impact = {.restitution = ff_impact_restitution(law, job->options.mass, speed)};
    for (int turn = 0; turn < 20 && fabs(contact - before) > 1e-13 * first; turn++) {
        if (!(speed > 0 && impact.restitution > 0) ||
            !solve(job, law, speed / impact.restitution, &impact)) {
            return false;
        }
        before = contact;
        contact = impact.clear_time;
        speed = g * (first - contact) / 2;
    }
    for (size_t i = 0; i < job->rows; i++) {
        if (!(speed > 0) || !solve(job, law, speed, &impact)) {
            return false;
        }
        job->model[i] = impact.clear_time + 2 * impact.restitution * speed / g;
        speed = g * (job->measured[i] - impact.clear_time) / 2;
    }
    return true;
}

static bool model_heights(ff_fit_job *job, const ff_normal *law, const double *open) {
    const ff_fit_data *d = job->data;
    const bool readings = job->scatter == FF_FIT_SCATTER_READINGS;
    double height = d->height && readings ? ff_exp(open[0]) : 0;
    for (size_t i = 0; i < job->rows; i++) {
        if (d->height && readings && i == 0) {
            job->model[0] = height;
            continue;
        }
        height = d->height ? readings ? height : d->height[i] : d->drop[i];
        double e = ff_impact_restitution(law, job->options.mass, fall_speed(job, height));
        job->model[i] = height = e * e * height;
        if (!(height > 0)) {
            return false;
        }
    }
    return true;
}

/* The force at time t between two points of an impact, from the polynomial of degree 5 that matches depths, velocities and
 * forces of both, z'' = -F/m: the law's force at the interpolated depth and velocity, which stays accurate for a force that
 * starts as t^p; for a law with inner states -m z'' of the polynomial. */
static double force_between(const ff_normal *law, double mass, const ff_impact_point *a,
                            const ff_impact_point *b, double t) {
    const double h = b->time - a->time, s = (t - a->time) / h, s2 = s * s, s3 = s2 * s;
    const double rise = b->depth - a->depth - h * a->velocity, gain = b->velocity - a->velocity;
    const double a0 = -a->force / mass, a1 = -b->force / mass;
    /* z = z0 + v0 t + a0 t^2/2 + s^3 (c3 + c4 s + c5 s^2): remainders of depth, velocity and acceleration at s = 1 */
    const double z1 = rise - a0 * h * h / 2, v1 = h * (gain - a0 * h), w1 = h * h * (a1 - a0);
    const double c3 = 10 * z1 - 4 * v1 + w1 / 2, c4 = -15 * z1 + 7 * v1 - w1,
                 c5 = 6 * z1 - 3 * v1 + w1 / 2;
    if (law->states > 0) {
        return -mass * (a0 + (6 * c3 * s + 12 * c4 * s2 + 20 * c5 * s3) / (h * h));
    }
    const double z =
        a->depth + a->velocity * s * h + a0 * s2 * h * h / 2 + s3 * (c3 + c4 * s + c5 * s2);
    const double v = a->velocity + a0 * s * h + s2 * (3 * c3 + 4 * c4 * s + 5 * c5 * s2) / h;
    return ff_normal_force(law, z, v, NULL);
}

static bool model_pulse(ff_fit_job *job, const ff_normal *law, const double *open) {
    const double *time = job->data->time, start = job->origin + job->unit * open[0];
    const double speed = isnan(job->options.speed) ? ff_exp(open[1]) : job->options.speed;
    const ff_impact_point *at = job->curve;
    size_t i = 0;
    if (ff_impact_curve(law, job->options.mass, speed, FF_FIT_CURVE, job->curve) != FF_OK) {
        return false;
    }
    for (size_t p = 0; i < job->rows && p + 1 < FF_FIT_CURVE; p++) {
        for (; i < job->rows && time[i] - start <= at[p + 1].time; i++) {
            const double t = time[i] - start;
            job->model[i] =
                t < 0 ? 0 : force_between(law, job->options.mass, &at[p], &at[p + 1], t);
        }
    }
    for (; i < job->rows; i++) {
        job->model[i] = 0;
    }
    return true;
}

bool ff_fit_model(ff_fit_job *job, const double *x) {
    const ff_fit_data *d = job->data;
    const double *open = x + job->found;
    ff_normal law;
    job->evaluations++;
    if (!ff_fit_law(job, x, &law)) {
        return false;
    }
    switch (d->kind) {
    case FF_FIT_RESTITUTION: return model_restitution(job, &law);
    case FF_FIT_BOUNCES:
        return job->scatter == FF_FIT_SCATTER_BOUNCES ? model_intervals(job, &law)
                                                      : model_times(job, &law, open);
    case FF_FIT_HEIGHTS: return model_heights(job, &law, open);
    case FF_FIT_FORCE_TIME: return model_pulse(job, &law, open);
    default:
        for (size_t i = 0; i < job->rows; i++) {
            job->model[i] = ff_normal_force(&law, d->depth[i], job->rate ? job->rate[i] : 0, NULL);
        }
        return true;
    }
}

double ff_fit_speed(const ff_fit_job *job, const double *x) {
    const ff_fit_kind kind = job->data->kind;
    if (kind == FF_FIT_FORCE_TIME && !isnan(job->options.speed)) {
        return job->options.speed;
    }
    return kind == FF_FIT_FORCE_TIME ||
                   (kind == FF_FIT_BOUNCES && job->scatter == FF_FIT_SCATTER_READINGS)
               ? ff_exp(x[job->found + 1])
               : (double)NAN;
}

/* ---- starting points of the search ---- */

/* Number of impacts, geometric mean speed and mean restitution, ignoring contact times. */
static void mean_impact(const ff_fit_job *job, double *speed, double *restitution) {
    const ff_fit_data *d = job->data;
    size_t count = 0;
    double log_v = 0, e = 0;
    for (size_t i = 0; i + (chain(job) ? 1 : 0) < d->count; i++) {
        double v, after;
        if (d->kind == FF_FIT_RESTITUTION) {
            v = d->speed[i], after = v * d->restitution[i];
        } else if (d->kind == FF_FIT_BOUNCES) {
            if (i + 2 == d->count) {
                break;
            }
            v = job->options.gravity * (d->time[i + 1] - d->time[i]) / 2;
            after = job->options.gravity * (d->time[i + 2] - d->time[i + 1]) / 2;
        } else {
            v = fall_speed(job, d->height ? d->height[i] : d->drop[i]);
            after = fall_speed(job, d->height ? d->height[i + 1] : d->rebound[i]);
        }
        log_v += ff_log(v);
        e += after / v;
        count++;
    }
    *speed = ff_exp(log_v / (double)count);
    *restitution = fmin(fmax(e / (double)count, 0.01), 0.999);
}

/* k and lambda of F = k z^n + lambda z^p zdot by linear least squares, with given exponents. */
static void regress(const ff_fit_job *job, ff_normal *law) {
    const ff_fit_data *d = job->data;
    ff_power power;
    double a = 0, b = 0, c = 0, f = 0, g = 0;
    if (!ff_normal_power(law, 1, &power)) {
        return;
    }
    for (size_t i = 0; i < d->count; i++) {
        if (d->depth[i] > 0 && d->force[i] > 0) {
            const double x = ff_pow(d->depth[i], power.n);
            const double y = job->rate ? ff_pow(d->depth[i], power.p) * job->rate[i] : 0;
            a += x * x, b += x * y, c += y * y, f += x * d->force[i], g += y * d->force[i];
        }
    }
    const double det = a * c - b * b;
    double k = det > 1e-12 * a * c ? (c * f - b * g) / det : f / a, lambda = (a * g - b * f) / det;
    k = k > 0 ? k : f / a;
    /* if lambda is not positive, start from a tenth of the spring force at the mean rate */
    lambda = det > 1e-12 * a * c && lambda > 0 ? lambda : 0.1 * k * sqrt(a / fmax(c, 1e-300));
    ff_normal_set_power(law, k, lambda, lambda);
}

/* Finds where the force rises above a tenth of its maximum before the maximum, and falls below it afterwards; and its
 * impulse. */
static void find_pulse(const ff_fit_data *d, double *from, double *to, double *impulse) {
    size_t top = 0, first, last;
    for (size_t i = 1; i < d->count; i++) {
        top = d->force[i] > d->force[top] ? i : top;
    }
    for (first = top; first > 0 && d->force[first] > 0.1 * d->force[top]; first--) {
    }
    for (last = top; last + 1 < d->count && d->force[last] > 0.1 * d->force[top]; last++) {
    }
    *impulse = 0;
    for (size_t i = first; i < last; i++) {
        *impulse += (d->force[i] + d->force[i + 1]) / 2 * (d->time[i + 1] - d->time[i]);
    }
    *from = d->time[first];
    *to = d->time[last];
}

static bool start_pulse(ff_fit_job *job, int attempt, ff_normal *law, double *open) {
    static const double restitutions[] = {0.8, 0.5, 0.95};
    const ff_fit_options *o = &job->options;
    double from, to, impulse;
    find_pulse(job->data, &from, &to, &impulse);
    if (attempt >= 3 || !(impulse > 0)) {
        return false;
    }
    const double e = restitutions[attempt];
    const double speed = isnan(o->speed) ? impulse / (o->mass * (1 + e)) : o->speed;
    ff_normal designed = *law;
    if (ff_design_possible(law) &&
        ff_design_contact_time(&designed, o->mass, speed, -ff_log(e), to - from) == FF_OK) {
        *law = designed;
    }
    job->unit = to - from;
    job->origin = from;
    job->spacing = (job->data->time[job->data->count - 1] - job->data->time[0]) /
                   (double)(job->data->count - 1);
    open[0] = 0;
    open[1] = ff_log(speed);
    return true;
}

static bool start_impacts(ff_fit_job *job, ff_normal *law, double *open) {
    const ff_fit_data *d = job->data;
    double speed, restitution;
    mean_impact(job, &speed, &restitution);
    ff_normal designed = *law;
    if (ff_design_possible(law) &&
        ff_design_damping(&designed, job->options.mass, speed, -ff_log(restitution)) == FF_OK) {
        *law = designed;
    }
    /* k from the first contact time */
    for (size_t i = 0; job->timed && i < d->count; i++) {
        if (!isnan(d->contact_time[i])) {
            ff_normal sized = *law;
            const double decay = ff_impact_decay(law, job->options.mass, d->speed[i]);
            if (ff_design_contact_time(&sized, job->options.mass, d->speed[i], decay,
                                       d->contact_time[i]) == FF_OK) {
                *law = sized;
            }
            break;
        }
    }
    if (d->kind == FF_FIT_BOUNCES) {
        job->unit = d->time[1] - d->time[0];
        job->origin = d->time[0];
        open[0] = 0;
        open[1] = ff_log(job->options.gravity * job->unit / 2 / restitution);
    } else if (d->height) {
        open[0] = ff_log(d->height[0]);
    }
    return true;
}

bool ff_fit_start(ff_fit_job *job, int attempt, double *x) {
    const ff_param *params = job->law.law->params;
    ff_normal law = job->law;
    double open[2] = {0, 0};
    bool found = attempt == 0;
    if (job->data->kind == FF_FIT_FORCE_TIME) {
        found = start_pulse(job, attempt, &law, open);
    } else if (found && job->data->kind == FF_FIT_FORCE_DEPTH) {
        regress(job, &law);
    } else if (found) {
        found = start_impacts(job, &law, open);
    }
    for (int i = 0; found && i < job->found; i++) {
        const ff_param *param = &params[job->index[i]];
        /* start inside the range if the value is at its end */
        double value = ff_normal_value(&law, param->name), width = param->most - param->least;
        value = !isinf(width)
                    ? fmin(fmax(value, param->least + 1e-3 * width), param->most - 1e-3 * width)
                : value > param->least ? value
                                       : param->least + 1;
        x[i] = ff_fit_unknown(param, value);
    }
    for (int i = job->found; i < job->unknowns; i++) {
        x[i] = open[i - job->found];
    }
    return found;
}
