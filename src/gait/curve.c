/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "curve.h"
#include "fixed_point.h"
#include "num/memory.h"
#include <float.h>
#include <math.h>
#include <string.h>

/* Most Newton iterations of one step; each must halve the residual. */
enum { ITERATIONS = 10 };
/* with fewer iterations the next step is longer, with more it is shorter */
enum { FEW = 4, MANY = 8 };
/* The tangents at both ends of a step may differ by at most 15 degrees; otherwise the step might have jumped to another
 * branch. */
static const double straight = 0.966;
/* give up if a step is shorter than this fraction of the longest one */
static const double shortest = 1e-4;
/* A turning point is where the component of the tangent along the parameter is below this: the error of the parameter is
 * then its square times the radius of curvature. */
static const double flat = 1e-4;
/* trials to locate a turning point; beyond that only noise is left, and the last one is used */
enum { LOOKS = 12 };

static double dot(size_t count, const double *a, const double *b) {
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        sum += a[i] * b[i];
    }
    return sum;
}

/* The map with its parameter as an additional, constant number, as ff_fixed_point_derivative() needs it. */
static ff_status extended(void *user, const double *z, double *out) {
    const ff_curve_map *map = user;
    out[map->n] = z[map->n];
    return map->at(map->user, z, z[map->n], false, out);
}

static size_t point_room(size_t m) { return 2 * m + m * m; }

static ff_curve_point point_at(double *memory, size_t m) {
    return (ff_curve_point){memory, memory + m, memory + 2 * m};
}

static void point_copy(ff_curve_point *to, const ff_curve_point *from, size_t m) {
    memcpy(to->z, from->z, point_room(m) * sizeof(double));
}

/* Work memory of one step. */
typedef struct work {
    double *memory;
    double *matrix, *value, *guess, *row;
    size_t *pivots;
} work;

static ff_status work_init(work *w, size_t m) {
    *w = (work){.memory = ff_malloc((m * m + 3 * m) * sizeof *w->memory),
                .pivots = ff_malloc(m * sizeof *w->pivots)};
    w->matrix = w->memory;
    w->value = w->matrix + m * m;
    w->guess = w->value + m;
    w->row = w->guess + m;
    return w->memory && w->pivots ? FF_OK : FF_NO_MEMORY;
}

static void work_clear(work *w) {
    ff_free(w->memory);
    ff_free(w->pivots);
}

/* The derivative at p->z. */
static ff_status differentiate(const ff_curve_map *map, ff_curve_point *p, work *w) {
    const size_t n = map->n, m = n + 1;
    const ff_fixed_point_map wide = {
        .at = extended, .user = (void *)map, .n = m, .step = map->step, .noise = map->noise};
    double kink;
    ff_status status = extended((void *)map, p->z, w->value);
    status = status < 0 ? status
                        : ff_fixed_point_derivative(&wide, p->z, w->value, p->derivative, &kink);
    for (size_t i = 0; i < n && status >= 0; i++) {
        p->derivative[i * m + i] -= 1;
    }
    return status;
}

/* The factors of [map_x - 1, map_p; row] at a point. */
static ff_status factor(const ff_curve_map *map, const ff_curve_point *p, const double *row,
                        work *w) {
    const size_t m = map->n + 1;
    memcpy(w->matrix, p->derivative, m * m * sizeof *w->matrix);
    memcpy(w->matrix + (m - 1) * m, row, m * sizeof *row);
    const double norm = ff_matrix_norm(m, w->matrix);
    const double least = ff_matrix_factor(m, w->matrix, norm * (double)m * DBL_EPSILON, w->pivots);
    return least > 1e-6 * norm ? FF_OK : FF_SINGULAR;
}

/* The derivative and the unit tangent at p->z, with the tangent in the direction of `before`: (map_x - 1) t_x + map_p t_p =
 * 0. */
static ff_status examine(const ff_curve_map *map, const double *before, work *w,
                         ff_curve_point *p) {
    const size_t m = map->n + 1;
    ff_status status = differentiate(map, p, w);
    status = status < 0 ? status : factor(map, p, before, w);
    if (status < 0) {
        return status;
    }
    memset(w->value, 0, m * sizeof *w->value);
    w->value[m - 1] = 1;
    ff_matrix_solve(m, w->matrix, w->pivots, w->value);
    const double length = sqrt(dot(m, w->value, w->value));
    for (size_t i = 0; i < m; i++) {
        p->tangent[i] = w->value[i] / length;
    }
    return FF_OK;
}

/* Newton's method from w->guess within the plane w->row . (z - guess) = 0, with the existing factors. */
static ff_status correct(const ff_curve_map *map, work *w, double *z, int *iterations) {
    const size_t n = map->n, m = n + 1;
    double before = INFINITY, *f = w->value;
    memcpy(z, w->guess, m * sizeof *z);
    for (*iterations = 0; *iterations <= ITERATIONS; ++*iterations) {
        double most = 0;
        ff_status status = map->at(map->user, z, z[n], true, f);
        if (status < 0) {
            return status;
        }
        f[n] = 0;
        for (size_t i = 0; i < n; i++) {
            f[i] = z[i] - f[i];
            most = fabs(f[i]) <= most ? most : fabs(f[i]);
        }
        if (most <= map->noise) {
            return FF_OK;
        }
        if (!(most < before / 2)) {
            return FF_UNREACHABLE;
        }
        before = most;
        for (size_t i = 0; i < m; i++) {
            f[n] += w->row[i] * (w->guess[i] - z[i]);
        }
        ff_matrix_solve(m, w->matrix, w->pivots, f);
        for (size_t i = 0; i < m; i++) {
            z[i] += f[i];
        }
    }
    return FF_UNREACHABLE;
}

/* A step from a point by `length` along its tangent, or to where the parameter is `stop`. */
static ff_status step_by(const ff_curve_map *map, const ff_curve_point *from, double length,
                         const double *stop, work *w, ff_curve_point *to, int *iterations) {
    const size_t n = map->n, m = n + 1;
    for (size_t i = 0; i < m; i++) {
        w->row[i] = stop ? i == n : from->tangent[i];
        w->guess[i] = from->z[i] + length * from->tangent[i];
    }
    w->guess[n] = stop ? *stop : w->guess[n];
    ff_status status = factor(map, from, w->row, w);
    status = status < 0 ? status : correct(map, w, to->z, iterations);
    status = status < 0 ? status : examine(map, from->tangent, w, to);
    return status >= 0 && !(dot(m, from->tangent, to->tangent) > straight) ? FF_UNREACHABLE
                                                                           : status;
}

ff_status ff_curve_start(ff_curve *curve, const ff_curve_map *map, const double *x,
                         double parameter, int direction, double step) {
    const size_t n = map->n, m = n + 1, room = point_room(m);
    *curve = (ff_curve){.map = map, .step = step};
    curve->memory = ff_calloc(3 * room, sizeof *curve->memory);
    work w = {0};
    ff_status status = curve->memory ? work_init(&w, m) : FF_NO_MEMORY;
    if (status >= 0) {
        curve->here = point_at(curve->memory, m);
        curve->next = point_at(curve->memory + room, m);
        curve->trial = point_at(curve->memory + 2 * room, m);
        memcpy(curve->here.z, x, n * sizeof *x);
        curve->here.z[n] = parameter;
        w.row[n] = direction > 0 ? 1 : -1;
        memset(w.row, 0, n * sizeof *w.row);
        status = examine(map, w.row, &w, &curve->here);
    }
    work_clear(&w);
    return status;
}

void ff_curve_clear(ff_curve *curve) {
    ff_free(curve->memory);
    *curve = (ff_curve){0};
}

/* Locates the turning point between here and the end of a step of `length`, in curve->trial: where the component of the
 * tangent along the parameter is 0, by regula falsi in the length with the Illinois modification. */
static ff_status locate(ff_curve *curve, double length, work *w) {
    const size_t n = curve->map->n;
    double low = 0, high = length;
    double at_low = curve->here.tangent[n], at_high = curve->next.tangent[n];
    for (int i = 0; i < LOOKS; i++) {
        const double at = (low * at_high - high * at_low) / (at_high - at_low);
        int iterations;
        ff_status status =
            step_by(curve->map, &curve->here, at, NULL, w, &curve->trial, &iterations);
        const double slope = curve->trial.tangent[n];
        if (status < 0 || fabs(slope) < flat) {
            return status;
        }
        if ((slope > 0) == (at_low > 0)) {
            low = at;
            at_low = slope;
            at_high /= 2;
        } else {
            high = at;
            at_high = slope;
            at_low /= 2;
        }
    }
    return FF_OK;
}

static ff_status advance(ff_curve *curve, double least, double most, double longest, work *w) {
    const size_t n = curve->map->n, m = n + 1;
    const ff_curve_point *here = &curve->here;
    ff_status status = FF_UNREACHABLE;
    curve->step = fmin(curve->step, longest);
    while (curve->step >= shortest * longest) {
        const double slope = here->tangent[n], to = here->z[n] + curve->step * slope;
        const double *stop = slope > 0 && to >= most    ? &most
                             : slope < 0 && to <= least ? &least
                                                        : NULL;
        /* a step to a bound has the length that is needed */
        const double length = stop ? (*stop - here->z[n]) / slope : curve->step;
        int iterations = 0;
        status = step_by(curve->map, here, length, stop, w, &curve->next, &iterations);
        if (status == FF_NO_MEMORY) {
            return status;
        }
        if (status < 0) {
            curve->step /= 2;
            continue;
        }
        curve->step *= stop ? 1 : iterations <= FEW ? 1.5 : iterations >= MANY ? 0.7 : 1;
        curve->pending = curve->next.tangent[n] * slope < 0;
        if (curve->pending) {
            status = locate(curve, length, w);
        }
        if (status >= 0) {
            point_copy(&curve->here, curve->pending ? &curve->trial : &curve->next, m);
            curve->turning = curve->pending;
        }
        return status;
    }
    /* a later call starts with the longest step again */
    curve->step = longest;
    return status;
}

ff_status ff_curve_next(ff_curve *curve, double least, double most, double longest) {
    const size_t m = curve->map->n + 1;
    if (curve->pending) {
        point_copy(&curve->here, &curve->next, m);
        curve->turning = curve->pending = false;
        return FF_OK;
    }
    work w;
    ff_status status = work_init(&w, m);
    status = status < 0 ? status : advance(curve, least, most, longest, &w);
    work_clear(&w);
    return status;
}
