/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "decay.h"
#include "num/elementary.h"
#include <math.h>

/* With Z = z/L and time in L/v the impact is Z'' = -max(0, Z^n + delta Z^p Z'), Z(0) = 0,
 * Z'(0) = 1. Powers are taken of the groups at hand, since p = n and p = (n-1)/2 cancel exactly. */
double ff_power_delta(const ff_power *law, double lambda, double mass, double speed) {
    double n = law->n, p = law->p, per = 1 / (n + 1);
    if (p == n) {
        return lambda * speed / law->k;
    }
    return lambda * ff_pow(mass, (p - n) * per) * ff_pow(law->k, -(p + 1) * per) *
           ff_pow(speed, (2 * p + 1 - n) * per);
}

/* phi(x) = (x - ln(1 + x))/x^2 = 1/2 - x/3 + x^2/4 - ... for x > -1. */
static double phi(double x) {
    if (fabs(x) > 0.25) {
        return (x - ff_log1p(x)) / (x * x);
    }
    /* 0.25^26/28 is below half a unit in the last place of 1/2 */
    double total = 0;
    for (int j = 26; j >= 0; j--) {
        total = 1.0 / (j + 2) - x * total;
    }
    return total;
}

/* phi(-w) - phi(d) for small w and d, without the cancellation of their leading 1/2 */
static double phi_gap(double w, double d) {
    double rest = 0, w_j = w, d_j = -d;
    /* 0.1^17/19 is below the last place of the first term */
    for (int j = 1; j <= 17; j++) {
        rest += (w_j - d_j) / (j + 2);
        w_j *= w;
        d_j *= -d;
    }
    return rest;
}

/* Marhefka and Orin 1996, eq. 13: v dv/(1 + d v) = -z^n dz, in units of the touch-down speed.
 * Closing from v = 1 to 0 gives z_max^(n+1)/(n+1) = phi(d); opening from there to z = 0, where
 * v = -e, gives e^2 phi(-d_out e) for the same quantity. So e^2 phi(-w) = phi(d) with w = d_out e,
 * that is e = (1 + W0(-exp(-1 - d_out^2 phi(d))))/d_out, independent of m, k and n. */
double ff_decay_hunt_crossley(double closing, double opening) {
    double target = phi(closing), q = 0;
    if (fmax(closing, opening) < 0.1) {
        /* near e = 1 iterate on q = -ln e itself, to keep the digits of the loss; each turn gains
         * a factor below 0.1 */
        for (int turn = 0; turn < 20; turn++) {
            q = 0.5 * ff_log1p(phi_gap(opening * ff_exp(-q), closing) / target);
        }
        return q;
    }
    double a = opening * opening * target; /* -ln(1 - w) - w = a */
    if (a < 1) {
        double w = sqrt(2 * a) - 2 * a / 3;
        for (int turn = 0; turn < 8 && w > 0; turn++) {
            w -= (w * w * phi(-w) - a) * (1 - w) / w;
        }
        return 0.5 * ff_log(phi(-w) / target);
    }
    /* w -> 1: solve for u = 1 - w in u - ln u = 1 + a */
    double u = ff_exp(-1 - a);
    for (int turn = 0; turn < 8; turn++) {
        u *= 1 + (u - ff_log(u) - 1 - a) / (1 - u);
    }
    return ff_log(opening) - ff_log1p(-u);
}

/* h(zeta) = zeta acos(zeta)/sqrt(1 - zeta^2), with acosh and sqrt(zeta^2 - 1) beyond 1: what the
 * logarithm of speed loses between touch-down and the deepest point, and again from there to where
 * the force ends. At the deepest point the phase is acos(zeta), at F = 0 twice that. */
static double half_decay(double zeta) {
    double s = sqrt(fabs((1 - zeta) * (1 + zeta)));
    if (s < 1e-9) {
        return 1;
    }
    return zeta < 1 ? zeta * ff_atan2(s, zeta) / s : zeta * ff_log1p(zeta - 1 + s) / s;
}

/* p = (n-1)/2: with y^2/2 = z^(n+1)/(n+1) the phase curve v dv/dy = -(y + 2 zeta v) is that of a
 * linear oscillator, zeta = delta/sqrt(2 (n+1)). Marhefka and Orin 1996, eq. 4, is the case of
 * equal dampings under tension. */
double ff_decay_linear(double closing, double opening, bool clamp) {
    if (clamp) {
        return half_decay(closing) + half_decay(opening);
    }
    if (opening >= 1) {
        return INFINITY;
    }
    double s = sqrt((1 - opening) * (1 + opening));
    return half_decay(closing) + opening * ff_atan2(s, -opening) / s;
}

double ff_power_decay(const ff_normal *law, double mass, double speed) {
    ff_power power;
    if (!ff_normal_power(law, speed, &power)) {
        return (double)NAN;
    }
    double n = power.n, p = power.p;
    if (p == n) {
        return ff_decay_hunt_crossley(power.lambda * speed / power.k,
                                      power.lambda_out * speed / power.k);
    }
    if (p == (n - 1) / 2) {
        double per = 1 / sqrt(2 * (n + 1));
        double closing = ff_power_delta(&power, power.lambda, mass, speed) * per;
        double opening = ff_power_delta(&power, power.lambda_out, mass, speed) * per;
        return ff_decay_linear(closing, opening, power.clamps);
    }
    return power.lambda == 0 && power.lambda_out == 0 ? 0 : (double)NAN;
}
