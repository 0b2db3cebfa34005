/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "num/elementary.h"
#include <complex.h>
#include <footfall/impact.h>
#include <math.h>

static double size_of(double complex x) { return ff_hypot(creal(x), cimag(x)); }

/* Roots of a monic polynomial of degree `count` <= 3, c[0] + c[1] x + ... + x^count, by Durand and
 * Kerner's simultaneous iteration. */
static void roots(int count, const double *c, double complex *x) {
    double size = 1;
    for (int i = 0; i < count; i++) {
        size = fmax(size, ff_pow(fabs(c[i]), 1.0 / (count - i)));
    }
    double complex start = size;
    for (int i = 0; i < count; i++) {
        x[i] = start;
        start *= 0.4 + 0.9 * (double complex)I;
    }
    for (int turn = 0; turn < 200; turn++) {
        for (int i = 0; i < count; i++) {
            double complex value = 1, spread = 1;
            for (int j = count - 1; j >= 0; j--) {
                value = value * x[i] + c[j];
            }
            for (int j = 0; j < count; j++) {
                spread *= j == i ? 1 : x[i] - x[j];
            }
            double square = creal(spread) * creal(spread) + cimag(spread) * cimag(spread);
            if (square > 0) {
                x[i] -= value * conj(spread) / square;
            }
        }
    }
}

/* the growth of an explicit Runge-Kutta method of order = stages over one step, x = h mu */
static double growth(int order, double complex x) {
    double complex total = 1;
    for (int j = order; j >= 1; j--) {
        total = 1 + x / j * total;
    }
    return size_of(total);
}

/* The largest h with |R(h mu)| <= 1 for all eigenvalues, by bisection: the stability regions of
 * these methods are star-shaped about 0 in the left half plane. */
static double stable_step(int order, int count, const double complex *mu) {
    double most = 0;
    for (int i = 0; i < count; i++) {
        most = fmax(most, size_of(mu[i]));
    }
    /* no region of order <= 4 reaches further than 3 */
    double low = 0, high = 3 / most;
    for (int turn = 0; turn < 100; turn++) {
        double h = (low + high) / 2;
        bool stable = true;
        for (int i = 0; i < count; i++) {
            stable = stable && growth(order, h * mu[i]) <= 1;
        }
        if (stable) {
            low = h;
        } else {
            high = h;
        }
    }
    /* |R| - 1 of an undamped motion is h^2/2 (Euler) or h^4/8 (Heun): below this it drowns in rounding */
    return low * most > (order == 2 ? 1e-3 : 1e-7) ? low : 0;
}

ff_stiffness ff_impact_stiffness(const ff_normal *law, double mass, double depth) {
    ff_stiffness out = {.damping_ratio = NAN};
    double complex mu[3];
    int count = 2;
    if (law->law->inner == FF_INNER_RATE) {
        /* alpha s^3 + s^2 + (K/m)(beta s + 1) = 0 (docs/theory.md, Xiong's law) */
        double w2 = law->k / mass, per = 1 / law->alpha;
        count = 3;
        roots(3, (double[]){w2 * per, w2 * law->beta * per, per}, mu);
        out.frequency = sqrt(w2) / (2 * FF_PI);
        /* no oscillator of two states: the semi-implicit step is not known in closed form */
        out.step_semi_implicit = NAN;
    } else {
        double latched = law->law->inner == FF_INNER_SPEED ? 1 / law->v_min : 1;
        double stiffness = law->n * law->k * ff_pow(depth, law->n - 1) / mass;
        double lambda = fmax(law->lambda, law->lambda_out) * latched;
        double damping = lambda * ff_pow(depth, law->p) / mass;
        roots(2, (double[]){stiffness, damping}, mu);
        out.frequency = sqrt(stiffness) / (2 * FF_PI);
        out.damping_ratio = damping / (2 * sqrt(stiffness));
        /* v += h a, then z += h v: trace and determinant bound h^2 K + 2 h C <= 4 */
        out.step_semi_implicit = 4 / (damping + sqrt(damping * damping + 4 * stiffness));
    }
    out.time_scale = INFINITY;
    for (int i = 0; i < count; i++) {
        out.time_scale = fmin(out.time_scale, 1 / size_of(mu[i]));
    }
    out.step_euler = stable_step(1, count, mu);
    out.step_heun = stable_step(2, count, mu);
    out.step_rk4 = stable_step(4, count, mu);
    return out;
}
