/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "axis.h"
#include "expr/unit.h"
#include "expr/word.h"
#include "model/kinds.h"
#include "num/elementary.h"
#include "num/memory.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* more values of one parameter are probably a mistake; use a distribution */
enum { VALUES_MOST = 10000000, TEXT_MOST = 100 };

void ff_axis_clear(ff_axis *axis) {
    for (size_t i = 0; axis->words && i < axis->count; i++) {
        ff_free(axis->words[i]);
    }
    ff_free(axis->words);
    ff_free(axis->values);
    ff_free(axis->path);
    *axis = (ff_axis){0};
}

size_t ff_axis_path(const char *text) {
    const char *equals = strchr(text, '=');
    return equals ? (size_t)(equals - text) : 0;
}

/* ---- distributions ---- */

/* Q(x), the tail of the normal distribution above x >= 0. Below 2 by the series of the integral from 0, phi(x) (x + x^3/3 +
 * x^5/(3 5) + ..), all of whose terms are positive (Marsaglia 2004); above by Laplace's continued fraction, phi(x) / (x +
 * 1/(x + 2/(x + 3/(x + ..)))), whose relative error after 100 terms is below 1e-16 there. */
static double normal_tail(double x) {
    const double density = 0.3989422804014327 * ff_exp(-x * x / 2);
    if (x < 2) {
        double term = x, sum = x;
        for (int k = 3; term > 1e-17 * sum; k += 2) {
            term *= x * x / k;
            sum += term;
        }
        return 0.5 - density * sum;
    }
    double fraction = x;
    for (int k = 100; k > 0; k--) {
        fraction = x + k / fraction;
    }
    return density / fraction;
}

/* Newton's method on log Q(x) = log u, for u < 1/2. log Q is concave and decreasing, and Q(x) <= exp(-x^2/2)/2 puts the
 * start to the right of the root: iterates stay there and approach the root monotonically. */
double ff_normal_quantile(double u) {
    const double tail = u < 0.5 ? u : 1 - u;
    double x = sqrt(-2 * ff_log(2 * tail));
    for (int turn = 0; turn < 50; turn++) {
        const double q = normal_tail(x), density = 0.3989422804014327 * ff_exp(-x * x / 2),
                     next = x + ff_log(q / tail) * q / density;
        if (!(next < x) || next < 0) {
            break;
        }
        x = next;
    }
    return u < 0.5 ? -x : x;
}

double ff_axis_quantile(const ff_axis *axis, double u) {
    const double a = axis->a, b = axis->b;
    switch (axis->kind) {
    case FF_AXIS_UNIFORM: return a + (b - a) * u;
    case FF_AXIS_LOGUNIFORM: return a * ff_exp(ff_log(b / a) * u);
    case FF_AXIS_NORMAL: return a + b * ff_normal_quantile(u);
    default: return a * ff_exp(b * ff_normal_quantile(u));
    }
}

/* ---- reading ---- */

typedef struct reader {
    ff_axis *axis;
    const char *unit;
    ff_dimension expected;
    ff_error *error;
} reader;

/* a part of a text without surrounding blanks, truncated if it is too long to be a number */
static void trim(const char *from, size_t length, char out[TEXT_MOST]) {
    while (length > 0 && (*from == ' ' || *from == '\t')) {
        from++, length--;
    }
    while (length > 0 && (from[length - 1] == ' ' || from[length - 1] == '\t')) {
        length--;
    }
    snprintf(out, TEXT_MOST, "%.*s", length < TEXT_MOST ? (int)length : TEXT_MOST - 1, from);
}

static ff_status read_number(reader *r, const char *from, size_t length, double *out) {
    char text[TEXT_MOST], why[200], unit[64];
    ff_quantity q;
    trim(from, length, text);
    if (*r->unit) {
        return ff_quantity_parse(text, r->expected, out, why, sizeof why) < 0
                   ? ff_model_fail(r->error, FF_BAD_VALUE, "%s", why)
                   : FF_OK;
    }
    if (ff_quantity_read(text, &q, why, sizeof why) < 0) {
        return ff_model_fail(r->error, FF_BAD_VALUE, "%s", why);
    }
    if (q.has_unit) {
        ff_dimension_units(q.dim, unit, sizeof unit);
        if (*r->axis->unit && strcmp(unit, r->axis->unit) != 0) {
            return ff_model_fail(r->error, FF_BAD_VALUE, "'%s' is in %s, and others are in %s",
                                 text, unit, r->axis->unit);
        }
        snprintf(r->axis->unit, sizeof r->axis->unit, "%s", unit);
    }
    *out = q.value;
    return FF_OK;
}

/* FROM:TO:COUNT, or FROM:TO:COUNTlog for equal ratios. Both ends are included exactly; a count of 1 gives FROM. Weights are
 * integers divided last, so that 0:5:51 contains 0.3 and not 0.30000000000000004. */
static ff_status read_range(reader *r, const char *text) {
    ff_axis *axis = r->axis;
    const char *first = strchr(text, ':'), *second = strchr(first + 1, ':');
    double from, to;
    char *kind = NULL;
    if (!second) {
        return ff_model_fail(r->error, FF_BAD_VALUE,
                             "'%.80s' has no count: FROM:TO:COUNT is wanted, as 0.1:0.5:50 or "
                             "1e3:1e6:4log",
                             text);
    }
    ff_status status = read_number(r, text, (size_t)(first - text), &from);
    status = status < 0 ? status : read_number(r, first + 1, (size_t)(second - first - 1), &to);
    if (status < 0) {
        return status;
    }
    second += 1 + strspn(second + 1, " ");
    const bool counts = *second >= '0' && *second <= '9';
    const long count = counts ? strtol(second, &kind, 10) : 0;
    const char *suffix = counts ? kind + strspn(kind, " ") : "";
    const bool logarithmic = strcmp(suffix, "log") == 0;
    if (count < 1 || count > VALUES_MOST || (*suffix && !logarithmic)) {
        return ff_model_fail(r->error, FF_BAD_VALUE,
                             "'%.60s' is not a count from 1 to %d, with or without 'log' after it",
                             second, VALUES_MOST);
    }
    if (logarithmic && !(from > 0 && to > 0)) {
        return ff_model_fail(r->error, FF_BAD_VALUE,
                             "both ends of a logarithmic range must be above 0");
    }
    axis->values = ff_malloc((size_t)count * sizeof *axis->values);
    if (!axis->values) {
        return ff_model_fail(r->error, FF_NO_MEMORY, "%s", ff_status_text(FF_NO_MEMORY));
    }
    axis->count = (size_t)count;
    axis->logarithmic = logarithmic;
    const double a = logarithmic ? ff_log10(from) : from, b = logarithmic ? ff_log10(to) : to,
                 last = (double)(count - 1);
    for (long i = 0; i < count; i++) {
        const double w = (double)i, x = (a * (last - w) + b * w) / last;
        axis->values[i] = i == 0 ? from : i == count - 1 ? to : logarithmic ? ff_pow(10, x) : x;
    }
    return FF_OK;
}

/* 0.1, 0.2, 0.5 or hertz, linear. An entry that begins with a letter is a word. */
static ff_status read_list(reader *r, const char *text) {
    ff_axis *axis = r->axis;
    const char *at = text + strspn(text, " \t");
    const bool words = (*at >= 'a' && *at <= 'z') || (*at >= 'A' && *at <= 'Z');
    size_t count = 1;
    for (const char *c = text; *c; c++) {
        count += *c == ',';
    }
    axis->kind = words ? FF_AXIS_WORDS : FF_AXIS_VALUES;
    axis->values = words ? NULL : ff_calloc(count, sizeof *axis->values);
    axis->words = words ? ff_calloc(count + 1, sizeof *axis->words) : NULL;
    ff_status status = axis->values || axis->words ? FF_OK : FF_NO_MEMORY;
    while (status >= 0 && axis->count < count) {
        const size_t length = strcspn(text, ",");
        char word[TEXT_MOST];
        trim(text, length, word);
        if (*word == '\0') {
            return ff_model_fail(r->error, FF_BAD_VALUE, "a value of the list is empty");
        }
        if (words) {
            axis->words[axis->count] = ff_word_copy(word);
            status = axis->words[axis->count] ? FF_OK : FF_NO_MEMORY;
        } else {
            status = read_number(r, text, length, &axis->values[axis->count]);
        }
        axis->count += status >= 0;
        text += length + 1;
    }
    return status == FF_NO_MEMORY ? ff_model_fail(r->error, status, "%s", ff_status_text(status))
                                  : status;
}

/* NAME(a, b); *out: whether it is a distribution. */
static ff_status read_distribution(reader *r, const char *text, bool *out) {
    static const struct {
        const char *name;
        ff_axis_kind kind;
        const char *wants;
    } known[] = {{"uniform", FF_AXIS_UNIFORM, "(FROM, TO)"},
                 {"loguniform", FF_AXIS_LOGUNIFORM, "(FROM, TO)"},
                 {"normal", FF_AXIS_NORMAL, "(MEAN, DEVIATION)"},
                 {"lognormal", FF_AXIS_LOGNORMAL, "(MEDIAN, DEVIATION OF THE LOGARITHM)"}};
    enum { KNOWN = sizeof known / sizeof *known };
    const char *names[KNOWN], *open = strchr(text, '(');
    ff_axis *axis = r->axis;
    char name[TEXT_MOST];
    *out = open != NULL;
    if (!open) {
        return FF_OK;
    }
    trim(text, (size_t)(open - text), name);
    size_t i = 0;
    while (i < KNOWN && strcmp(known[i].name, name) != 0) {
        names[i] = known[i].name;
        i++;
    }
    if (i == KNOWN) {
        const char *near = ff_word_nearest(name, names, KNOWN);
        return ff_model_fail(r->error, FF_BAD_VALUE,
                             "'%.60s' is no distribution%s%s%s: there are uniform, loguniform, "
                             "normal and lognormal",
                             name, near ? " (did you mean '" : "", near ? near : "",
                             near ? "'?)" : "");
    }
    const char *comma = strchr(open, ','), *close = strrchr(open, ')');
    if (!comma || !close || close < comma || close[1 + strspn(close + 1, " ")]) {
        return ff_model_fail(r->error, FF_BAD_VALUE, "%s%s is wanted, not '%.80s'", name,
                             known[i].wants, text);
    }
    axis->kind = known[i].kind;
    axis->logarithmic = axis->kind == FF_AXIS_LOGUNIFORM || axis->kind == FF_AXIS_LOGNORMAL;
    ff_status status = read_number(r, open + 1, (size_t)(comma - open - 1), &axis->a);
    if (axis->kind == FF_AXIS_LOGNORMAL) {
        r->unit = "1";
        r->expected = (ff_dimension){0, 0, 0};
    }
    status = status < 0 ? status : read_number(r, comma + 1, (size_t)(close - comma - 1), &axis->b);
    if (status < 0) {
        return status;
    }
    const bool normal = axis->kind == FF_AXIS_NORMAL || axis->kind == FF_AXIS_LOGNORMAL;
    return axis->logarithmic && !(axis->a > 0)
               ? ff_model_fail(r->error, FF_BAD_VALUE, "%s: %g is not above 0", name, axis->a)
           : normal && !(axis->b >= 0)
               ? ff_model_fail(r->error, FF_BAD_VALUE, "%s: a deviation of %g is below 0", name,
                               axis->b)
           : !normal && !(axis->b > axis->a)
               ? ff_model_fail(r->error, FF_BAD_VALUE, "%s: %g is not above %g", name, axis->b,
                               axis->a)
               : FF_OK;
}

ff_status ff_axis_read(const char *text, const char *unit, ff_axis *out, ff_error *error) {
    const size_t length = ff_axis_path(text);
    reader r = {.axis = out, .unit = unit, .error = error};
    ff_unit parsed;
    bool random = false;
    *out = (ff_axis){0};
    if (length == 0 || text[length + 1 + strspn(text + length + 1, " ")] == '\0') {
        return ff_model_fail(error, FF_BAD_VALUE,
                             "PATH=RANGE is wanted, as in pairs[0].friction.mu=0.1:0.5:50");
    }
    if (*unit && ff_unit_parse(unit, NULL, &parsed, NULL, 0) == 0 && parsed.hertz == 0) {
        r.expected = parsed.dim;
    } else {
        r.unit = "";
    }
    out->path = ff_malloc(length + 1);
    if (!out->path) {
        return ff_model_fail(error, FF_NO_MEMORY, "%s", ff_status_text(FF_NO_MEMORY));
    }
    snprintf(out->path, length + 1, "%s", text);
    text += length + 1;
    ff_status status = read_distribution(&r, text, &random);
    if (status >= 0 && !random) {
        status = strchr(text, ':') ? read_range(&r, text) : read_list(&r, text);
    }
    if (status < 0) {
        ff_axis_clear(out);
    }
    return status;
}
