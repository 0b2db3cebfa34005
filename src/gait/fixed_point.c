/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "fixed_point.h"
#include "num/memory.h"
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static double largest(size_t n, const double *a) {
    double out = 0;
    for (size_t i = 0; i < n; i++) {
        /* also if one of them is NAN */
        out = fabs(a[i]) <= out ? out : fabs(a[i]);
    }
    return out;
}

/* One-sided differences of a smooth map agree to step |f''|; at a kink or jump they do not. They must agree to this
 * fraction of their size, with neighbourhoods and derivatives of at least size 1. */
static const double smooth = 0.1;
/* If a difference crosses a jump, for example because it lifts a foot off the ground, its step is reduced by this factor,
 * repeatedly: down to 1e-8 from the usual 1e-4, where noise of 1e-12 is still 1e-4 of a derivative. */
static const double shrink = 8;
enum { SHRINKS = 4 };

ff_status ff_fixed_point_derivative(const ff_fixed_point_map *map, const double *x,
                                    const double *value, double *jacobian, double *kink) {
    const size_t n = map->n;
    double *at = ff_malloc((3 * n + 1) * sizeof *at), *up = at + n, *down = up + n;
    ff_status status = at ? FF_OK : FF_NO_MEMORY;
    *kink = 0;
    for (size_t j = 0; j < n && status >= 0; j++) {
        /* of the steps tried: the one whose sides agree best. Shorter steps no longer cross a jump, but have more noise. */
        double step = map->step, least = INFINITY, left = 0;
        for (int turn = 0; turn <= SHRINKS && least > smooth; turn++) {
            step = turn ? step / shrink : step;
            memcpy(at, x, n * sizeof *at);
            at[j] = x[j] + step;
            status = map->at(map->user, at, up);
            at[j] = x[j] - step;
            /* a step to where the map is undefined is also too long */
            status = status < 0 ? status : map->at(map->user, at, down);
            if (status == FF_NO_MEMORY) {
                break;
            }
            if (status < 0) {
                continue;
            }
            double bend = 0, slope = 1;
            for (size_t i = 0; i < n; i++) {
                bend = fmax(bend, fabs(up[i] - 2 * value[i] + down[i]) / step);
                slope = fmax(slope, fabs(up[i] - down[i]) / (2 * step));
            }
            if (bend / slope < least) {
                least = bend / slope;
                left = least > smooth ? bend : 0;
                for (size_t i = 0; i < n; i++) {
                    jacobian[i * n + j] = (up[i] - down[i]) / (2 * step);
                }
            }
        }
        status = status != FF_NO_MEMORY && isfinite(least) ? FF_OK : status;
        *kink = fmax(*kink, left);
    }
    ff_free(at);
    return status;
}

/* the displacement to the fixed point of the linearised map: (1 - J) d = f */
static bool way_of(size_t n, const double *jacobian, const double *f, double *matrix,
                   size_t *pivots, double *d) {
    for (size_t i = 0; i < n * n; i++) {
        matrix[i] = (i % (n + 1) == 0) - jacobian[i];
    }
    /* a derivative by differences is not more accurate */
    const double most = ff_matrix_norm(n, matrix), norm = most > 0 ? most : 1;
    bool regular =
        ff_matrix_factor(n, matrix, norm * (double)n * DBL_EPSILON, pivots) > 1e-6 * norm;
    memcpy(d, f, n * sizeof *d);
    ff_matrix_solve(n, matrix, pivots, d);
    return regular;
}

typedef struct work {
    double *memory, *f, *d, *next, *next_f, *matrix;
    size_t *pivots;
} work;

static ff_status residual(const ff_fixed_point_map *map, const double *x, double *f) {
    ff_status status = map->at(map->user, x, f);
    for (size_t i = 0; i < map->n && status >= 0; i++) {
        f[i] -= x[i];
    }
    return status;
}

static ff_status iterate(const ff_fixed_point_map *map, double *x, double *jacobian, bool known,
                         work *w, ff_found *found) {
    const size_t n = map->n;
    ff_status status = residual(map, x, w->f);
    if (status < 0) {
        return status;
    }
    found->residual = largest(n, w->f);
    bool fresh = false;
    while (!(found->residual <= map->noise)) {
        if (found->iterations++ == 30) {
            return FF_NO_CONVERGENCE;
        }
        if (!known) {
            for (size_t i = 0; i < n; i++) {
                w->next[i] = x[i] + w->f[i];
            }
            double kink;
            status = ff_fixed_point_derivative(map, x, w->next, jacobian, &kink);
            found->derivatives++;
            known = fresh = true;
        }
        if (status < 0) {
            return status;
        }
        if (!way_of(n, jacobian, w->f, w->matrix, w->pivots, w->d)) {
            return FF_SINGULAR;
        }
        /* shorten the step if the map is undefined or the residual is larger at its end */
        double after = INFINITY, part = 1;
        for (int turn = 0; turn < 5; turn++, part /= 2) {
            for (size_t i = 0; i < n; i++) {
                w->next[i] = x[i] + part * w->d[i];
            }
            status = residual(map, w->next, w->next_f);
            after = status < 0 ? (double)INFINITY : largest(n, w->next_f);
            if (after < found->residual || !fresh) {
                break;
            }
        }
        if (!(after < found->residual) && fresh) {
            /* only noise is left, or there is no convergence */
            return found->residual <= 100 * map->noise ? FF_OK
                   : status < 0                        ? status
                                                       : FF_NO_CONVERGENCE;
        }
        known = after < 0.1 * found->residual;
        fresh = false;
        status = FF_OK;
        if (after < found->residual) {
            memcpy(x, w->next, n * sizeof *x);
            memcpy(w->f, w->next_f, n * sizeof *x);
            found->residual = after;
        }
    }
    return FF_OK;
}

ff_status ff_fixed_point_find(const ff_fixed_point_map *map, double *x, double *jacobian,
                              bool known, ff_found *found) {
    const size_t n = map->n;
    work w = {.memory = ff_malloc((4 * n + n * n) * sizeof(double)),
              .pivots = ff_malloc((n + 1) * sizeof(size_t))};
    *found = (ff_found){0};
    ff_status status = w.memory && w.pivots ? FF_OK : FF_NO_MEMORY;
    if (status == FF_OK) {
        w.f = w.memory;
        w.d = w.f + n;
        w.next = w.d + n;
        w.next_f = w.next + n;
        w.matrix = w.next_f + n;
        status = iterate(map, x, jacobian, known, &w, found);
    }
    ff_free(w.memory);
    ff_free(w.pivots);
    return status;
}
