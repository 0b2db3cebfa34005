/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "decay.h"
#include "decay_pieces.h"
#include "num/elementary.h"
#include <math.h>

#include "decay_table.inc"

/* With Z = z/L and time in L/v the impact is Z'' = -max(0, Z^n + delta Z^p Z'), Z(0) = 0, Z'(0) = 1. Powers are taken of
 * dimensional groups, since the exponents for p = n and p = (n-1)/2 cancel exactly. */
double ff_power_delta(const ff_power *law, double lambda, double mass, double speed) {
    double n = law->n, p = law->p, per = 1 / (n + 1);
    if (p == n) {
        return lambda * speed / law->k;
    }
    return lambda * ff_pow(mass, (p - n) * per) * ff_pow(law->k, -(p + 1) * per) *
           ff_pow(speed, (2 * p + 1 - n) * per);
}

/* evaluates a function from the pieces of its table; the first piece holds the function divided by x */
static double from_pieces(const double table[][FF_DECAY_TERMS], double x) {
    double t;
    int piece = ff_decay_piece(x, &t);
    const double *c = table[piece];
    /* even and odd powers separately: two short dependency chains instead of a long one */
    double t2 = t * t, even = c[10], odd = c[9];
    for (int k = 8; k > 1; k -= 2) {
        even = even * t2 + c[k];
        odd = odd * t2 + c[k - 1];
    }
    double value = c[0] + (odd * t + even * t2);
    return piece == 0 ? x * value : value;
}

/* -ln(2 phi(d))/2 = d/3 - ..., phi(d) = (d - ln(1 + d))/d^2 */
static double closing_decay(double d) {
    if (d < FF_DECAY_MOST) {
        return from_pieces(closing_pieces, d);
    }
    return 0.5 * (ff_log(0.5 * d) - ff_log1p(-ff_log1p(d) / d));
}

/* -ln(w/x) = x/3 - ..., -ln(1 - w) - w = x^2/2 */
static double opening_decay(double x) {
    return x < FF_DECAY_OPENING_MOST ? from_pieces(opening_pieces, x) : ff_log(x);
}

/* Marhefka and Orin 1996, eq. 13: v dv/(1 + d v) = -z^n dz, in units of the touch-down speed. Closing from v = 1 to 0 gives
 * z_max^(n+1)/(n+1) = phi(d) = (d - ln(1 + d))/d^2; opening from there to z = 0, where v = -e, gives e^2 phi(-d_out e) for
 * the same quantity, independent of m, k and n. With w = d_out e and x = d_out sqrt(2 phi(d)) this is -ln(1 - w) - w =
 * x^2/2, and e = sqrt(2 phi(d)) w/x: -ln e is the sum of a function of d and a function of x, neither of which is negative,
 * so that no digits of a small loss cancel. tools/decay generates and checks the tables of both, and of the sum for equal
 * dampings, whose e is 1/d to the last bit for d >= 40. */
double ff_decay_hunt_crossley(double closing, double opening) {
    if (!(closing < HUGE_VAL && opening < HUGE_VAL)) {
        return (double)NAN;
    }
    if (closing == opening) {
        return closing < FF_DECAY_MOST ? from_pieces(equal_pieces, closing) : ff_log(closing);
    }
    double decay = closing_decay(closing);
    return decay + opening_decay(opening * ff_exp(-decay));
}

/* h(zeta) = zeta acos(zeta)/sqrt(1 - zeta^2), with acosh and sqrt(zeta^2 - 1) beyond 1: the decrease of the logarithm of
 * speed between touch-down and the deepest point, and again from there to the end of the force. At the deepest point the
 * phase is acos(zeta), at F = 0 twice that. */
static double half_decay(double zeta) {
    double s = sqrt(fabs((1 - zeta) * (1 + zeta)));
    if (s < 1e-9) {
        return 1;
    }
    return zeta < 1 ? zeta * ff_atan2(s, zeta) / s : zeta * ff_log1p(zeta - 1 + s) / s;
}

/* p = (n-1)/2: with y^2/2 = z^(n+1)/(n+1) the phase curve v dv/dy = -(y + 2 zeta v) is that of a linear oscillator, zeta =
 * delta/sqrt(2 (n+1)). Marhefka and Orin 1996, eq. 4, is the case of equal dampings with tension. */
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
