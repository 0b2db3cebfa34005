/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "law/sizes.h"
#include "num/elementary.h"
#include "num/matrix.h"
#include "num/memory.h"
#include <complex.h>
#include <footfall/impact.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* growth factor of an explicit Runge-Kutta method with order = stages over one step, x = h mu */
static double growth(int order, double complex x) {
    double complex total = 1;
    for (int j = order; j >= 1; j--) {
        total = 1 + x / j * total;
    }
    return ff_hypot(creal(total), cimag(total));
}

/* The largest h with |R(h mu)| <= 1 for all eigenvalues, largest first, by bisection: the stability regions of these
 * methods are star-shaped about 0 in the left half plane. */
static double stable_step(int order, size_t count, double (*mu)[2]) {
    double most = ff_hypot(mu[0][0], mu[0][1]);
    /* no stability region of order <= 4 extends beyond 3 */
    double low = 0, high = 3 / most;
    for (int turn = 0; turn < 100; turn++) {
        double h = (low + high) / 2;
        bool stable = true;
        for (size_t i = 0; i < count; i++) {
            stable = stable && growth(order, h * mu[i][0] + h * mu[i][1] * (double complex)I) <= 1;
        }
        if (stable) {
            low = h;
        } else {
            high = h;
        }
    }
    /* |R| - 1 of an undamped motion is h^2/2 (Euler) or h^4/8 (Heun): below this it is lost in rounding */
    return low * most > (order == 2 ? 1e-3 : 1e-7) ? low : 0;
}

/* Stable steps of a system of n equations; its matrix is overwritten, and `mu` receives its eigenvalues. */
static void fill_steps(size_t n, double *matrix, double (*mu)[2], ff_stiffness *out) {
    if (ff_matrix_eigenvalues(n, matrix, mu) < 0) {
        out->time_scale = out->step_euler = out->step_heun = out->step_rk4 = (double)NAN;
        return;
    }
    out->time_scale = 1 / ff_hypot(mu[0][0], mu[0][1]);
    out->step_euler = stable_step(1, n, mu);
    out->step_heun = stable_step(2, n, mu);
    out->step_rk4 = stable_step(4, n, mu);
}

/* z'' = -K z - C z' */
static ff_stiffness oscillator(double stiffness, double damping) {
    double mu[2][2];
    ff_stiffness out = {.frequency = sqrt(stiffness) / (2 * FF_PI),
                        .damping_ratio = damping / (2 * sqrt(stiffness)),
                        /* v += h a, then z += h v: trace and determinant give h^2 K + 2 h C <= 4 */
                        .step_semi_implicit =
                            4 / (damping + sqrt(damping * damping + 4 * stiffness))};
    fill_steps(2, (double[]){0, 1, -stiffness, -damping}, mu, &out);
    return out;
}

/* Inner states at rest at a depth: roots of their rates, by Newton's method from where touch() puts them. Leaves the
 * partial derivatives there in `slopes`, and in `follow` d(state)/dz of states that stay at rest. */
static void settle(const ff_normal *law, double depth, double *state, double *slopes,
                   double *factors, size_t *pivots, double *follow) {
    const size_t n = (size_t)law->states, columns = FF_BY_STATES + n;
    const double *rates = slopes + FF_OF_RATES * columns;
    memset(state, 0, n * sizeof *state);
    ff_normal_touch(law, 0, state);
    for (int turn = 0; turn < 50; turn++) {
        double change = 0, size = 0;
        const ff_normal_query at = {.z = depth, .state = state, .open = true};
        ff_normal_at(law, depth, 0, state, follow);
        ff_normal_slopes_at(law, &at, slopes);
        for (size_t i = 0; i < n; i++) {
            memcpy(factors + i * n, rates + i * columns + FF_BY_STATES, n * sizeof *factors);
        }
        const double least = 1e-12 * ff_matrix_norm(n, factors);
        if (!(ff_matrix_factor(n, factors, 0, pivots) > least)) {
            /* states without rates are constant */
            memset(follow, 0, n * sizeof *follow);
            return;
        }
        ff_matrix_solve(n, factors, pivots, follow);
        for (size_t i = 0; i < n; i++) {
            state[i] -= follow[i];
            change = fmax(change, fabs(follow[i]));
            size = fmax(size, fabs(state[i]));
        }
        if (change <= 1e-14 * size) {
            break;
        }
    }
    for (size_t i = 0; i < n; i++) {
        follow[i] = -rates[i * columns + FF_BY_Z];
    }
    ff_matrix_solve(n, factors, pivots, follow);
}

/* A law with inner states: (z, v, w)' = (v, -F/m, rates), linearised about rest. */
static ff_stiffness with_states(const ff_normal *law, double mass, double depth) {
    const size_t n = (size_t)law->states, all = FF_BY_STATES + n;
    ff_stiffness out = {.damping_ratio = NAN, .step_semi_implicit = NAN};
    double *slopes =
        ff_malloc((ff_normal_slope_size(law) + all * all + n * n + 2 * n) * sizeof *slopes);
    size_t *pivots = ff_malloc(n * sizeof *pivots);
    double(*mu)[2] = ff_malloc(all * sizeof *mu);
    if (slopes && pivots && mu) {
        double *matrix = slopes + ff_normal_slope_size(law), *factors = matrix + all * all,
               *state = factors + n * n, *follow = state + n;
        settle(law, depth, state, slopes, factors, pivots, follow);
        double stiffness = slopes[FF_BY_Z];
        for (size_t i = 0; i < n; i++) {
            stiffness += slopes[FF_BY_STATES + i] * follow[i];
        }
        out.frequency = sqrt(stiffness / mass) / (2 * FF_PI);
        memset(matrix, 0, all * sizeof *matrix);
        matrix[1] = 1;
        for (size_t j = 0; j < all; j++) {
            matrix[all + j] = -slopes[FF_OF_NORMAL * all + j] / mass;
        }
        memcpy(matrix + 2 * all, slopes + FF_OF_RATES * all, n * all * sizeof *matrix);
        fill_steps(all, matrix, mu, &out);
    }
    ff_free(slopes);
    ff_free(pivots);
    ff_free(mu);
    return out;
}

ff_stiffness ff_impact_stiffness(const ff_normal *law, double mass, double depth) {
    ff_power power;
    if (ff_normal_check(law, NULL) < 0) {
        const double none = (double)NAN;
        return (ff_stiffness){none, none, none, none, none, none, none};
    }
    /* damping that decreases with the touch-down speed is largest at 0 */
    if (ff_normal_power(law, 0, &power)) {
        return oscillator(power.n * power.k * ff_pow(depth, power.n - 1) / mass,
                          fmax(power.lambda, power.lambda_out) * ff_pow(depth, power.p) / mass);
    }
    if (law->states > 0) {
        return with_states(law, mass, depth);
    }
    double slopes[FF_OF_RATES * FF_BY_STATES];
    ff_normal_slopes_at(law, &(ff_normal_query){.z = depth, .open = true}, slopes);
    return oscillator(slopes[FF_BY_Z] / mass, slopes[FF_BY_ZDOT] / mass);
}
