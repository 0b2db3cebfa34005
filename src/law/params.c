/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "params.h"
#include <footfall/footfall.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

const char *ff_status_text(ff_status status) {
    switch (status) {
#define FF_STATUS_CASE(name, value, text)                                                          \
    case name: return text;
        FF_STATUS_LIST(FF_STATUS_CASE)
#undef FF_STATUS_CASE
    }
    return "unknown status";
}

const char *ff_version(void) { return FF_VERSION_STRING; }

static ff_status refuse(ff_error *error, const char *law, const ff_param *param, double value) {
    char range[80], least[40] = "> 0";
    bool open = param->least == FF_POSITIVE;
    if (!open) {
        snprintf(least, sizeof least, ">= %g", param->least);
    }
    if (isinf(param->most)) {
        snprintf(range, sizeof range, "%s", least);
    } else {
        snprintf(range, sizeof range, "%s and <= %g", least, param->most);
    }
    if (error) {
        snprintf(error->text, sizeof error->text, "%s of %s is %g, but must be %s", param->name,
                 law, value, range);
    }
    return FF_BAD_VALUE;
}

ff_status ff_law_check(const char *law, int abi, const ff_param *params, const double *values,
                       double *out, ff_error *error) {
    if (abi != FF_LAW_ABI) {
        if (error) {
            snprintf(error->text, sizeof error->text, "law %s has ABI %d, this library has %d", law,
                     abi, FF_LAW_ABI);
        }
        return FF_BAD_VALUE;
    }
    for (size_t i = 0; params[i].name; i++) {
        const ff_param *param = &params[i];
        out[i] = isnan(values[i]) ? param->fallback : values[i];
        if (isnan(out[i])) {
            if (error) {
                snprintf(error->text, sizeof error->text, "%s needs %s (%s, %s)", law, param->name,
                         param->meaning, param->unit ? param->unit : "a word");
            }
            return FF_MISSING;
        }
        /* what the law derives when it is not given has no range to keep until it is given */
        if (isnan(values[i]) && param->fallback == FF_DERIVED) {
            continue;
        }
        if (!(out[i] >= param->least && out[i] <= param->most) || isinf(out[i])) {
            return refuse(error, law, param, out[i]);
        }
    }
    return FF_OK;
}

double ff_law_value(const ff_param *params, const double *values, const char *name) {
    for (size_t i = 0; params[i].name; i++) {
        if (strcmp(params[i].name, name) == 0) {
            return values[i];
        }
    }
    return (double)NAN;
}

void ff_law_fill(const ff_param *params, double *values) {
    for (size_t i = 0; params[i].name; i++) {
        const ff_param *param = &params[i];
        bool derived = param->fallback == FF_DERIVED;
        if (isnan(values[i]) && !derived) {
            values[i] =
                isnan(param->fallback) ? fmin(fmax(1, param->least), param->most) : param->fallback;
        }
    }
}
