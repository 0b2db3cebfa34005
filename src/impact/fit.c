/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "num/elementary.h"
#include "num/memory.h"
#include <footfall/impact.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static ff_status say(ff_error *error, ff_status status, const char *text) {
    if (error) {
        snprintf(error->text, sizeof error->text, "%s", text);
    }
    return status;
}

#if !FF_HAVE_CMINPACK

ff_status ff_fit_restitution(ff_normal *law, double mass, const ff_fit_data *data, bool fit_k,
                             ff_fit *out, double *residuals, ff_error *error) {
    (void)law, (void)mass, (void)data, (void)fit_k, (void)out, (void)residuals;
    return say(error, FF_NOT_BUILT, "built without cminpack (Debian package libcminpack-dev)");
}

#else
#include <cminpack.h>

typedef struct {
    const ff_normal *law;
    const ff_fit_data *data;
    double mass;
    size_t times; /* how many contact times there are */
} problem;

static ff_power power_of(const ff_normal *law) {
    ff_power power;
    ff_normal_power(law, 1, &power);
    return power;
}

/* the law at x = (ln lambda[, ln k]) */
static ff_normal law_at(const problem *job, const double *x, int unknowns) {
    ff_normal law = *job->law;
    const ff_power power = power_of(&law);
    double ratio = power.lambda_out / power.lambda, lambda = ff_exp(x[0]);
    ff_normal_set_power(&law, unknowns == 2 ? ff_exp(x[1]) : power.k, lambda, ratio * lambda);
    return law;
}

/* the law with so many times its damping */
static ff_normal damped(const ff_normal *law, double times) {
    ff_normal out = *law;
    const ff_power power = power_of(law);
    ff_normal_set_power(&out, power.k, power.lambda * times, power.lambda_out * times);
    return out;
}

/* d(-ln e)/d(ln delta): exact from the universal function, elsewhere a five-point stencil in ln
 * lambda, whose error of h^4/30 and of 1e-15/h balance near 1e-12 at this h */
static double decay_slope(const ff_normal *law, double mass, double speed) {
    double derivative, delta = ff_impact_delta(law, mass, speed);
    const ff_power power = power_of(law);
    if (power.n == 1.5 && power.clamps && !power.local && power.lambda == power.lambda_out &&
        !isnan(ff_universal_decay(power.p, delta, &derivative))) {
        return delta * derivative;
    }
    const double h = 1e-3;
    double at[5];
    for (int i = 0; i < 5; i++) {
        const ff_normal near = damped(law, ff_exp((i - 2) * h));
        at[i] = ff_impact_decay(&near, mass, speed);
    }
    return (at[0] - 8 * at[1] + 8 * at[3] - at[4]) / (12 * h);
}

/* d(ln delta)/d(ln k) = -(p + 1)/(n + 1): docs/theory.md, Reduction to delta */
static double delta_by_k(const ff_power *law) { return -(law->p + 1) / (law->n + 1); }

static double time_sigma(const ff_fit_data *data, size_t i) {
    return data->time_sigma ? data->time_sigma[i] : 0.01 * data->contact_time[i];
}

static double contact_time(const ff_normal *law, double mass, double speed) {
    ff_impact impact;
    return ff_impact_solve(law, mass, speed, &impact) == FF_OK ? impact.contact_time : HUGE_VAL;
}

/* Residuals (model - measured)/sigma, first of every restitution, then of every contact time there
 * is; and their derivatives in x by columns. Either may be NULL. */
static void evaluate(const problem *job, const double *x, int unknowns, double *r, double *jac) {
    const ff_fit_data *data = job->data;
    const ff_normal law = law_at(job, x, unknowns);
    const ff_power power = power_of(&law);
    size_t rows = data->count + job->times, row = data->count;
    for (size_t i = 0; i < data->count; i++) {
        double v = data->speed[i], sigma = data->sigma ? data->sigma[i] : 1;
        double e = ff_impact_restitution(&law, job->mass, v);
        if (r) {
            r[i] = (e - data->restitution[i]) / sigma;
        }
        if (jac) {
            double slope = -e * decay_slope(&law, job->mass, v) / sigma;
            jac[i] = slope;
            if (unknowns == 2) {
                jac[rows + i] = slope * delta_by_k(&power);
            }
        }
        if (job->times == 0 || isnan(data->contact_time[i])) {
            continue;
        }
        double time = contact_time(&law, job->mass, v), spread = time_sigma(data, i);
        if (r) {
            r[row] = (time - data->contact_time[i]) / spread;
        }
        if (jac) {
            /* T = (L/v) Theta(delta): a central difference for Theta, L is known */
            const double h = 1e-4;
            const ff_normal up = damped(&law, ff_exp(h)), down = damped(&law, ff_exp(-h));
            double slope = (contact_time(&up, job->mass, v) - contact_time(&down, job->mass, v)) /
                           (2 * h * spread);
            jac[row] = slope;
            if (unknowns == 2) {
                jac[rows + row] = slope * delta_by_k(&power) - time / (spread * (power.n + 1));
            }
        }
        row++;
    }
}

static int callback(void *user, int rows, int unknowns, const double *x, double *r, double *jac,
                    int stride, int flag) {
    (void)rows, (void)stride;
    evaluate(user, x, unknowns, flag == 1 ? r : NULL, flag == 2 ? jac : NULL);
    return 0;
}

static ff_status minimise(const problem *job, double *x, int unknowns, double *r, double *jac,
                          int *turns) {
    int rows = (int)(job->data->count + job->times), pivots[2], jacobians = 0;
    double scale[2], qtf[2], w1[2], w2[2], w3[2], *w4 = ff_malloc((size_t)rows * sizeof *w4);
    if (!w4) {
        return FF_NO_MEMORY;
    }
    /* tolerances near rounding: the residuals are good to 1e-13 */
    int info = lmder(callback, (void *)job, rows, unknowns, x, r, jac, rows, 1e-14, 1e-12, 0, 200,
                     scale, 1, 1, 0, turns, &jacobians, pivots, qtf, w1, w2, w3, w4);
    ff_free(w4);
    return info >= 1 && info != 5 ? FF_OK : FF_NO_CONVERGENCE;
}

static bool usable(const ff_fit_data *data) {
    for (size_t i = 0; i < data->count; i++) {
        bool timed = data->contact_time && !isnan(data->contact_time[i]);
        if (!(data->speed[i] > 0) || !isfinite(data->speed[i]) ||
            !(data->restitution[i] > 0 && data->restitution[i] < 2) ||
            (data->sigma && !(data->sigma[i] > 0)) ||
            (timed && !(data->contact_time[i] > 0 && time_sigma(data, i) > 0))) {
            return false;
        }
    }
    return true;
}

/* lambda that gives the mean restitution at the geometric mean speed */
static ff_status start_damping(ff_normal *law, double mass, const ff_fit_data *data) {
    double e = 0, log_v = 0;
    for (size_t i = 0; i < data->count; i++) {
        e += data->restitution[i] / (double)data->count;
        log_v += ff_log(data->speed[i]) / (double)data->count;
    }
    return ff_design_damping(law, mass, ff_exp(log_v), -ff_log(fmin(fmax(e, 0.01), 0.999)));
}

/* Covariance of x: the inverse of J^T J, times the variance of a residual where sigma is unknown. */
static void fill_errors(const ff_fit_data *data, size_t rows, const double *jac, int unknowns,
                        ff_fit *out) {
    double a = 0, b = 0, c = 0;
    for (size_t i = 0; i < rows; i++) {
        double first = jac[i], second = unknowns == 2 ? jac[rows + i] : 0;
        a += first * first;
        b += first * second;
        c += second * second;
    }
    double variance = data->sigma ? 1 : out->chi2 / (double)(rows - (size_t)unknowns);
    double determinant = unknowns == 2 ? a * c - b * b : a;
    out->lambda_error = out->lambda * sqrt(variance * (unknowns == 2 ? c : 1) / determinant);
    if (unknowns == 2) {
        out->k_error = out->k * sqrt(variance * a / determinant);
        out->correlation = -b / sqrt(a * c);
    }
}

/* The least squares themselves, for data that were checked and have a sigma wherever it matters. */
static ff_status solve(problem *job, ff_normal *law, int unknowns, ff_fit *out, double *residuals,
                       ff_error *error) {
    const ff_fit_data *data = job->data;
    size_t rows = data->count + job->times;
    double *memory = ff_malloc(rows * 3 * sizeof *memory), *jac = memory + rows;
    if (!memory) {
        return say(error, FF_NO_MEMORY, "out of memory");
    }
    const ff_power start = power_of(job->law);
    double x[2] = {ff_log(start.lambda), ff_log(start.k)};
    *out = (ff_fit){.unknowns = unknowns};
    ff_status status = minimise(job, x, unknowns, memory, jac, &out->iterations);
    if (status == FF_OK) {
        evaluate(job, x, unknowns, memory, jac);
        *law = law_at(job, x, unknowns);
        const ff_power found = power_of(law);
        out->lambda = found.lambda;
        out->k = found.k;
        double sum = 0;
        for (size_t i = 0; i < rows; i++) {
            out->chi2 += memory[i] * memory[i];
            if (i < data->count) {
                double residual = -memory[i] * (data->sigma ? data->sigma[i] : 1);
                sum += residual * residual;
                if (residuals) {
                    residuals[i] = residual;
                }
            }
        }
        out->rms = sqrt(sum / (double)data->count);
        /* with unknown sigma it is one more parameter, estimated by its maximum likelihood */
        double count = (double)rows;
        out->aic = data->sigma ? out->chi2 + 2 * unknowns
                               : count * ff_log(out->chi2 / count) + 2 * (unknowns + 1);
        fill_errors(data, rows, jac, unknowns, out);
    } else {
        say(error, status, "the least squares did not converge");
    }
    ff_free(memory);
    return status;
}

/* Restitutions without sigma beside contact times: e alone fixes delta, whatever k, and its scatter
 * about that fit is the sigma that weighs it against the times. */
static ff_status solve_weighed(problem *job, ff_normal *law, ff_fit *out, double *residuals,
                               ff_error *error) {
    problem alone = *job;
    ff_normal scratch = *law;
    ff_fit first;
    alone.times = 0;
    ff_status status = solve(&alone, &scratch, 1, &first, NULL, error);
    double *sigma = ff_malloc(job->data->count * sizeof *sigma);
    if (status != FF_OK || !sigma) {
        ff_free(sigma);
        return status != FF_OK ? status : say(error, FF_NO_MEMORY, "out of memory");
    }
    /* exact data have no scatter; any weight serves them */
    double scatter = fmax(sqrt(first.chi2 / (double)(job->data->count - 1)), 1e-9);
    for (size_t i = 0; i < job->data->count; i++) {
        sigma[i] = scatter;
    }
    ff_fit_data weighed = *job->data;
    weighed.sigma = sigma;
    job->data = &weighed;
    status = solve(job, law, 2, out, residuals, error);
    ff_free(sigma);
    if (status == FF_OK) {
        /* the scatter of e is a parameter of each law's own: its likelihood counts, not chi2 */
        double count = (double)job->data->count, square = out->rms * out->rms;
        out->aic =
            count * ff_log(square) + (out->chi2 - count * square / (scatter * scatter)) + 2 * 3;
    }
    return status;
}

ff_status ff_fit_restitution(ff_normal *law, double mass, const ff_fit_data *data, bool fit_k,
                             ff_fit *out, double *residuals, ff_error *error) {
    problem job = {.data = data, .mass = mass};
    /* where k is given, contact times have little to say of lambda and are left aside */
    for (size_t i = 0; fit_k && data->contact_time && i < data->count; i++) {
        job.times += isnan(data->contact_time[i]) ? 0 : 1;
    }
    *out = (ff_fit){0};
    if (!ff_design_possible(law)) {
        return say(error, FF_BAD_VALUE, "only power laws with a damping to choose can be fitted");
    }
    if (!(mass > 0) || !usable(data)) {
        return say(error, FF_BAD_VALUE,
                   "data need speed > 0, 0 < restitution < 2, sigma > 0 and contact time > 0");
    }
    if (fit_k && job.times == 0) {
        return say(error, FF_NOT_IDENTIFIABLE,
                   "restitution depends on lambda and k through one group only: give k, or data "
                   "with contact times");
    }
    if (data->count < 2) {
        return say(error, FF_NOT_IDENTIFIABLE, "at least two measurements are needed");
    }
    ff_normal start = *law;
    ff_status status = start_damping(&start, mass, data);
    if (status < 0) {
        return say(error, status, "no damping gives the mean restitution of the data");
    }
    /* k starts from the first contact time there is */
    for (size_t i = 0; fit_k && i < data->count; i++) {
        if (!isnan(data->contact_time[i])) {
            ff_normal sized = start;
            double decay = ff_impact_decay(&start, mass, data->speed[i]);
            if (ff_design_contact_time(&sized, mass, data->speed[i], decay,
                                       data->contact_time[i]) == FF_OK) {
                start = sized;
            }
            break;
        }
    }
    job.law = &start;
    return fit_k && !data->sigma ? solve_weighed(&job, law, out, residuals, error)
                                 : solve(&job, law, fit_k ? 2 : 1, out, residuals, error);
}

#endif
