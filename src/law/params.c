/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "params.h"
#include "expr/word.h"
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

static ff_status miss(ff_error *error, const char *law, const ff_param *param) {
    if (error) {
        snprintf(error->text, sizeof error->text, "%s needs %s (%s, %s)", law, param->name,
                 param->meaning, param->unit ? param->unit : "a word");
    }
    return FF_MISSING;
}

static bool in_range(const ff_param *param, double value) {
    return value >= param->least && value <= param->most && !isinf(value);
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
            return miss(error, law, param);
        }
        /* a derived parameter that is not given has no range to check */
        if (isnan(values[i]) && param->fallback == FF_DERIVED) {
            continue;
        }
        if (!in_range(param, out[i])) {
            return refuse(error, law, param, out[i]);
        }
    }
    return FF_OK;
}

void ff_law_given(const ff_param *params, const double *values, double *out) {
    for (size_t i = 0; params[i].name; i++) {
        bool derived = params[i].fallback == FF_DERIVED && values[i] == FF_DERIVED;
        out[i] = derived ? (double)NAN : values[i];
    }
}

/* the parameter of that name; NULL, with an error that lists the names, if the law has none */
static const ff_param *find(const char *law, const ff_param *params, const char *name,
                            ff_error *error) {
    const char *names[FF_LAW_PARAMS];
    size_t count = 0;
    for (; params[count].name; count++) {
        if (name && strcmp(params[count].name, name) == 0) {
            return &params[count];
        }
        names[count] = params[count].name;
    }
    const char *near = name ? ff_word_nearest(name, names, count) : NULL;
    if (error) {
        snprintf(error->text, sizeof error->text, "%s has no parameter '%.40s'%s%s%s", law,
                 name ? name : "", near ? " (did you mean '" : "", near ? near : "",
                 near ? "'?)" : "");
    }
    return NULL;
}

ff_status ff_law_put(const char *law, const ff_param *params, double *values,
                     const ff_param_value *given, size_t count, bool *complete, ff_error *error) {
    for (size_t i = 0; i < count; i++) {
        const ff_param *param = find(law, params, given[i].name, error);
        if (!param) {
            return FF_BAD_VALUE;
        }
        if (!in_range(param, given[i].value)) {
            return refuse(error, law, param, given[i].value);
        }
        values[param - params] = given[i].value;
    }
    *complete = true;
    for (size_t i = 0; params[i].name; i++) {
        *complete = *complete && !(isnan(values[i]) && isnan(params[i].fallback));
    }
    return FF_OK;
}

ff_status ff_law_word(const char *law, const ff_param *params, const char *name, const char *word,
                      double *value, ff_error *error) {
    const ff_param *param = find(law, params, name, error);
    if (!param) {
        return FF_BAD_VALUE;
    }
    size_t count = 0;
    for (; param->words && param->words[count]; count++) {
        if (word && strcmp(param->words[count], word) == 0) {
            *value = (double)count;
            return FF_OK;
        }
    }
    char choices[160] = "";
    for (size_t i = 0, at = 0; i < count && at < sizeof choices; i++) {
        at += (size_t)snprintf(choices + at, sizeof choices - at, "%s%s", i ? ", " : "",
                               param->words[i]);
    }
    if (error && count == 0) {
        snprintf(error->text, sizeof error->text, "%s of %s is a number, not a word", name, law);
    } else if (error) {
        snprintf(error->text, sizeof error->text, "%s of %s is '%.40s', but must be one of %s",
                 name, law, word ? word : "", choices);
    }
    return FF_BAD_VALUE;
}

ff_status ff_law_lacks(const char *law, const ff_param *params, const double *values,
                       ff_error *error) {
    for (size_t i = 0; params[i].name; i++) {
        if (isnan(values[i])) {
            return miss(error, law, &params[i]);
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
