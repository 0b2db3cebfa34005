/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* Random laws with random legal parameters. */

#include "check.h"
#include "law/params.h"
#include <footfall/footfall.h>

/* random legal parameters: required ones are drawn, the others half of the time */
static inline void draw_params(const ff_param *params, double *values) {
    for (size_t i = 0; params[i].name; i++) {
        const ff_param *p = &params[i];
        double low = p->least == FF_POSITIVE || p->least == 0 ? 1e-3 : p->least;
        double high = isinf(p->most) ? 1e6 : p->most;
        bool required = isnan(p->fallback);
        values[i] = p->words                           ? floor(uniform(0, 2))
                    : !required && uniform(0, 1) < 0.5 ? (double)NAN
                    : isinf(p->most)                   ? log_uniform(low, high)
                                                       : uniform(p->least, p->most);
        /* a count */
        values[i] = strcmp(p->name, "elements") == 0 ? nearbyint(values[i]) : values[i];
        if (p->least == FF_POSITIVE && values[i] == 0) {
            values[i] = p->most;
        }
    }
}

static inline ff_normal draw_normal(const ff_normal_law *law) {
    ff_normal out;
    double values[FF_LAW_PARAMS];
    while (true) {
        ff_error error;
        draw_params(law->params, values);
        if (ff_normal_make(&out, law, values, &error) == FF_OK) {
            return out;
        }
        /* constraints between parameters: alpha <= beta of xiong, n2 > n of two-term, and p = n - 1 of a local bed */
        assert_true(strstr(error.text, "must not exceed beta") || strstr(error.text, "above n") ||
                    strstr(error.text, "detach: local"));
    }
}

static inline ff_friction draw_friction(const ff_friction_law *law) {
    ff_friction out;
    double values[FF_LAW_PARAMS];
    ff_error error = {""};
    do {
        draw_params(law->params, values);
        if (ff_friction_make(&out, law, values, &error) == FF_OK) {
            return out;
        }
        /* constraint between parameters: twist of bed needs n = 3/2 and a ratio below 2 */
    } while (strstr(error.text, "twist of bed"));
    fail_msg("%s", error.text);
    return out;
}

static inline ff_normal normal_of(const char *name, const double values[FF_LAW_PARAMS]) {
    ff_normal out;
    ff_error error = {""};
    if (ff_normal_make(&out, ff_normal_law_find(name), values, &error) != FF_OK) {
        fail_msg("%s", error.text);
    }
    return out;
}

static inline ff_friction friction_of(const char *name, const double values[FF_LAW_PARAMS]) {
    ff_friction out;
    ff_error error = {""};
    if (ff_friction_make(&out, ff_friction_law_find(name), values, &error) != FF_OK) {
        fail_msg("%s", error.text);
    }
    return out;
}

#define NORMAL(name, ...) normal_of(name, (double[FF_LAW_PARAMS]){__VA_ARGS__})
#define FRICTION(name, ...) friction_of(name, (double[FF_LAW_PARAMS]){__VA_ARGS__})

/* the value of a parameter, 0 if the law has none of that name */
static inline double normal_value(const ff_normal *a, const char *name) {
    double value = ff_normal_value(a, name);
    return isnan(value) ? 0 : value;
}
static inline double friction_value(const ff_friction *a, const char *name) {
    double value = ff_friction_value(a, name);
    return isnan(value) ? 0 : value;
}

static inline double dot(const double *a, const double *b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* a random internal state: of a law that latches a speed, or of the order of the depth */
static inline double draw_state(const ff_normal *a, double z) {
    return a->law->touch ? log_uniform(1e-5, 10) : uniform(-1, 1) * z;
}
