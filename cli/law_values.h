/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* Laws from command-line values: one for each parameter of the table, NAN if it was not given. */

#include <footfall/law.h>
#include <math.h>

static inline size_t given_values(const ff_param *params, const double *values,
                                  ff_param_value out[FF_LAW_PARAMS]) {
    size_t count = 0;
    for (size_t i = 0; params[i].name; i++) {
        if (!isnan(values[i])) {
            out[count++] = (ff_param_value){params[i].name, values[i]};
        }
    }
    return count;
}

static inline ff_status normal_of(ff_normal *out, const ff_normal_law *law, const double *values,
                                  ff_error *error) {
    ff_param_value given[FF_LAW_PARAMS];
    ff_status status = ff_normal_init(out, law, error);
    status = status < 0
                 ? status
                 : ff_normal_set_all(out, given, given_values(law->params, values, given), error);
    return status < 0 ? status : ff_normal_check(out, error);
}

static inline ff_status friction_of(ff_friction *out, const ff_friction_law *law,
                                    const double *values, ff_error *error) {
    ff_param_value given[FF_LAW_PARAMS];
    ff_status status = ff_friction_init(out, law, error);
    status = status < 0
                 ? status
                 : ff_friction_set_all(out, given, given_values(law->params, values, given), error);
    return status < 0 ? status : ff_friction_check(out, error);
}
