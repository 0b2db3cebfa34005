/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "law/params.h"
#include "num/elementary.h"
#include <footfall/impact.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

bool ff_design_possible(const ff_normal *law) {
    ff_normal probe;
    ff_power power;
    if (ff_normal_check(law, NULL) < 0) {
        return false;
    }
    probe = *law;
    return ff_normal_power(law, 1, &power) && ff_normal_set_power(&probe, power.k, 1, 1) == FF_OK &&
           ff_normal_set_power(&probe, power.k, 2, 2) == FF_OK;
}

/* -ln e increases with lambda, and ln(-ln e) is nearly linear in ln lambda: a bracketed secant method in these variables. */
ff_status ff_design_damping(ff_normal *law, double mass, double speed, double decay) {
    ff_normal now;
    ff_power power;
    if (!ff_design_possible(law) || !ff_normal_power(law, speed, &power) || !(decay > 0) ||
        isinf(decay) || !(mass > 0 && speed > 0)) {
        return FF_BAD_VALUE;
    }
    /* start from delta = decay, right within a factor of 2 for small decay */
    now = *law;
    double ratio = power.lambda > 0 ? power.lambda_out / power.lambda : 1;
    ff_normal_set_power(&now, power.k, 1, ratio);
    double start = decay / ff_impact_delta(&now, mass, speed);
    double low = -INFINITY, high = INFINITY, x = 0, last_x = NAN, last_g = NAN;
    for (int turn = 0; turn < 200; turn++) {
        double lambda = start * ff_exp(x);
        if (ff_normal_set_power(&now, power.k, lambda, ratio * lambda) < 0) {
            return FF_BAD_VALUE;
        }
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
        /* slope 1 before there is a secant */
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

/* Depth and contact time are L and L/v times functions of delta alone, and e determines delta. So one impact with any k
 * gives both; then L follows, and k = m v^2/L^(n+1). */
static ff_status design_scale(ff_normal *law, double mass, double speed, double decay,
                              double wanted, bool by_depth) {
    ff_impact impact;
    ff_power power;
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
    /* (k, lambda) -> (a^-(n+1) k, a^-(p+1) lambda) keeps e and multiplies times and depths by a */
    ff_normal_power(law, speed, &power);
    double per = ff_pow(a, -(power.p + 1));
    double k = power.k * ff_pow(a, -(power.n + 1));
    return ff_normal_set_power(law, k, power.lambda * per, power.lambda_out * per);
}

ff_status ff_design_contact_time(ff_normal *law, double mass, double speed, double decay,
                                 double contact_time) {
    return design_scale(law, mass, speed, decay, contact_time, false);
}

ff_status ff_design_max_depth(ff_normal *law, double mass, double speed, double decay,
                              double max_depth) {
    return design_scale(law, mass, speed, decay, max_depth, true);
}

ff_status ff_design_impact(ff_normal *law, double mass, double restitution, double contact_time,
                           ff_error *error) {
    double values[FF_LAW_PARAMS];
    ff_status ready = ff_normal_check(law, error);
    if (ready < 0) {
        return ready;
    }
    if (!(mass > 0 && restitution > 0 && restitution <= 1 && contact_time > 0) || isinf(mass) ||
        isinf(contact_time)) {
        return FF_BAD_VALUE;
    }
    if (!law->law->design) {
        return ff_design_contact_time(law, mass, 1, -ff_log(restitution), contact_time);
    }
    memcpy(values, law->values, sizeof values);
    ff_status status = law->law->design(law, mass, restitution, contact_time, values, error);
    return status < 0 ? status : ff_normal_make(law, law->law, values, error);
}
