/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "law/normal.h"
#include "num/elementary.h"
#include "xiong.h"
#include <math.h>
#include <stdio.h>

/* -ln e grows with lambda, and ln(-ln e) against ln lambda is almost straight: the secant method in
 * these, kept inside a bracket. */
ff_status ff_design_damping(ff_normal *law, double mass, double speed, double decay) {
    if (!ff_normal_has_damping(law->law) || !(decay > 0) || isinf(decay) ||
        !(mass > 0 && speed > 0)) {
        return FF_BAD_VALUE;
    }
    /* start from delta = decay, within a factor of 2 for small decay, whatever the law was */
    double ratio = law->lambda > 0 ? law->lambda_out / law->lambda : 1;
    ff_normal now = *law;
    ff_normal_set(&now, law->k, 1, ratio);
    double start = decay / ff_impact_delta(&now, mass, speed);
    double low = -INFINITY, high = INFINITY, x = 0, last_x = NAN, last_g = NAN;
    for (int turn = 0; turn < 200; turn++) {
        double lambda = start * ff_exp(x);
        ff_normal_set(&now, law->k, lambda, ratio * lambda);
        double reached = ff_impact_decay(&now, mass, speed);
        if (isnan(reached)) {
            return FF_TOO_STIFF;
        }
        double g = isinf(reached) ? HUGE_VAL : ff_log(reached / decay);
        if (g == 0 || high - low <= 1e-16 * fmax(1, fabs(x)) || x == last_x) {
            *law = now;
            return FF_OK;
        }
        if (g > 0) {
            high = x;
        } else {
            low = x;
        }
        /* slope 1 where there is no secant yet */
        double slope = (g - last_g) / (x - last_x);
        double next = x - g / (slope > 0.05 && isfinite(slope) ? slope : 1);
        last_x = x;
        last_g = g;
        if (!(next > low && next < high)) {
            next = isinf(low) ? high - 2 : isinf(high) ? low + 2 : low + (high - low) / 2;
        }
        if (fabs(next - x) < 2e-16 * fmax(1, fabs(x))) {
            *law = now;
            return FF_OK;
        }
        x = next;
    }
    return FF_NO_CONVERGENCE;
}

/* Depth and contact time are L and L/v times functions of delta alone, and e fixes delta. So one
 * impact with any k gives both; then L follows, and k = m v^2/L^(n+1). */
static ff_status design_scale(ff_normal *law, double mass, double speed, double decay,
                              double wanted, bool by_depth) {
    ff_impact impact;
    if (!(wanted > 0) || isinf(wanted)) {
        return FF_BAD_VALUE;
    }
    ff_status status = ff_design_damping(law, mass, speed, decay);
    if (status != FF_OK) {
        return status;
    }
    status = ff_impact_solve(law, mass, speed, &impact);
    if (status != FF_OK) {
        return status;
    }
    double a = wanted / (by_depth ? impact.max_depth : impact.contact_time);
    /* (k, lambda) -> (a^-(n+1) k, a^-(p+1) lambda) leaves e and multiplies times and depths by a */
    double per = ff_pow(a, -(law->p + 1));
    double k = law->k * ff_pow(a, -(law->n + 1));
    if (!(k > 0 && isfinite(k) && isfinite(law->lambda * per))) {
        return FF_BAD_VALUE;
    }
    ff_normal_set(law, k, law->lambda * per, law->lambda_out * per);
    return FF_OK;
}

ff_status ff_design_contact_time(ff_normal *law, double mass, double speed, double decay,
                                 double contact_time) {
    return design_scale(law, mass, speed, decay, contact_time, false);
}

ff_status ff_design_max_depth(ff_normal *law, double mass, double speed, double decay,
                              double max_depth) {
    return design_scale(law, mass, speed, decay, max_depth, true);
}

static double xiong_e(double ratio, double beta) {
    return ff_xiong_solve(ratio * beta, beta).restitution;
}

/* The beta at which e is least for alpha = ratio beta, by golden section: e falls from 1 at beta = 0
 * to its minimum and rises again towards 1. */
static double least_beta(double ratio) {
    const double golden = 0.6180339887498949;
    double low = 0.01, high = 4;
    for (int turn = 0; turn < 80; turn++) {
        double left = high - golden * (high - low), right = low + golden * (high - low);
        if (xiong_e(ratio, left) < xiong_e(ratio, right)) {
            high = right;
        } else {
            low = left;
        }
    }
    return (low + high) / 2;
}

ff_status ff_design_xiong(ff_normal *law, double mass, double restitution, double contact_time,
                          ff_error *error) {
    static const double ratios[] = {0.7, 0.5, 0.3, 0.1};
    double least = 1;
    if (!(restitution > 0 && restitution <= 1 && mass > 0 && contact_time > 0) ||
        law->law->inner != FF_INNER_RATE) {
        return FF_BAD_VALUE;
    }
    /* alpha = beta is a spring, whatever beta; its contact takes pi sqrt(m/K) */
    double ratio = 1, beta = 0.1;
    if (restitution < 1) {
        size_t i = 0;
        double high = 0;
        for (; i < sizeof ratios / sizeof *ratios; i++) {
            high = least_beta(ratios[i]);
            least = xiong_e(ratios[i], high);
            if (least <= restitution) {
                break;
            }
        }
        if (i == sizeof ratios / sizeof *ratios) {
            if (error) {
                snprintf(error->text, sizeof error->text,
                         "xiong cannot reach e = %g: its least is %.4f, at alpha/beta = 0.1",
                         restitution, least);
            }
            return FF_UNREACHABLE;
        }
        ratio = ratios[i];
        /* e falls with beta up to `high`; bisection to the last bit */
        double low = 0;
        for (int turn = 0; turn < 200; turn++) {
            beta = low + (high - low) / 2;
            if (beta <= low || beta >= high) {
                break;
            }
            if (xiong_e(ratio, beta) > restitution) {
                low = beta;
            } else {
                high = beta;
            }
        }
    }
    double tau = contact_time / ff_xiong_solve(ratio * beta, beta).contact_time;
    law->k = mass / (tau * tau);
    law->beta = beta * tau;
    law->alpha = ratio * law->beta;
    return FF_OK;
}
