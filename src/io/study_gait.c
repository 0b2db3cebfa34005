/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "study_gait.h"
#include "expr/word.h"
#include "messages.h"
#include "model/kinds.h"
#include "num/memory.h"
#include "study/axis.h"
#include "study/table.h"
#include <footfall/gait.h>
#include <footfall/source.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const ff_table_column columns[] = {
    {.name = "value", .unit = "", .varied = true},
    {.name = "period", .unit = "s"},
    {.name = "length", .unit = "m"},
    {.name = "speed", .unit = "m/s"},
    {.name = "multiplier", .unit = "1"}, /* largest modulus */
    {.name = "error", .unit = "1"},      /* bound of the error of the multipliers */
    {.name = "stable", .unit = "1"},
    {.name = "residual", .unit = "1"},
    {.name = "turning", .unit = "1"}, /* only of a branch */
};
enum { COLUMNS = sizeof columns / sizeof *columns, NAME = 32 };

/* A gait, or the reason why there is none. */
typedef struct row {
    double values[COLUMNS];
    double (*multipliers)[2];
    size_t count;
    char *reason;
} row;

/* The rows of a table that is being made. */
typedef struct rows {
    const ff_gait_search *search;
    const ff_scene *scene;
    const char *path; /* of the number that varies */
    size_t wanted;    /* values, or values on a branch that does not turn back */
    row *at;
    size_t count;
    double value;                     /* of the last walker */
    char setting[FF_FIELD_PATH + 64]; /* and its setting */
    ff_messages *messages;
} rows;

static ff_status walker_for(void *user, double value, ff_gait **out, ff_error *error) {
    rows *r = user;
    ff_scene *own = NULL;
    const char *setting = r->setting;
    r->value = value;
    snprintf(r->setting, sizeof r->setting, "%.*s=%.17g", FF_FIELD_PATH, r->path, value);
    ff_status status = ff_scene_with(r->scene, &setting, 1, &own, r->messages);
    status = status < 0 ? status : ff_gait_create(own, NULL, out, error);
    ff_scene_free(own);
    return status;
}

/* Adds a row without a gait; NULL: out of memory. */
static row *add_row(rows *r, double value) {
    row *more = ff_realloc(r->at, (r->count + 1) * sizeof *more);
    if (!more) {
        return NULL;
    }
    r->at = more;
    row *out = &r->at[r->count++];
    *out = (row){.values[0] = value};
    for (size_t i = 1; i < COLUMNS; i++) {
        out->values[i] = NAN;
    }
    return out;
}

/* Reports progress after a row. */
static ff_status report(const rows *r) {
    const ff_sweep *sweep = r->search->sweep;
    return !sweep->progress || sweep->progress(sweep->user, r->count,
                                               r->count > r->wanted ? r->count : r->wanted)
               ? FF_OK
               : FF_STOPPED;
}

static ff_status add_gait(void *user, double value, bool turning, ff_gait *gait,
                          const ff_gait_cycle *c) {
    (void)gait;
    rows *r = user;
    row *out = add_row(r, value);
    const double values[COLUMNS] = {value,    c->period, c->length,   c->speed, c->largest,
                                    c->error, c->stable, c->residual, turning};
    const size_t size = c->count * sizeof *c->multipliers;
    double(*multipliers)[2] = out ? ff_malloc(size + 1) : NULL;
    if (!multipliers) {
        return FF_NO_MEMORY;
    }
    memcpy(multipliers, c->multipliers, size);
    memcpy(out->values, values, sizeof values);
    out->multipliers = multipliers;
    out->count = c->count;
    return report(r);
}

static ff_status add_missing(void *user, double value, ff_status status, const ff_error *error) {
    if (status == FF_BAD_VALUE || status == FF_MISSING || status == FF_NO_MEMORY) {
        return status;
    }
    rows *r = user;
    row *out = add_row(r, value);
    if (out) {
        out->reason = ff_word_copy(error->text);
    }
    return out && out->reason ? report(r) : FF_NO_MEMORY;
}

static void clear_rows(rows *r) {
    for (size_t i = 0; i < r->count; i++) {
        ff_free(r->at[i].multipliers);
        ff_free(r->at[i].reason);
    }
    ff_free(r->at);
}

/* The table: after the columns of each gait, real and imaginary parts of its multipliers, as re1, im1, re2, .. */
static ff_table *make_table(const rows *r, const ff_axis *axis) {
    const size_t own = r->search->branch ? COLUMNS : COLUMNS - 1;
    size_t most = 0;
    for (size_t i = 0; i < r->count; i++) {
        most = r->at[i].count > most ? r->at[i].count : most;
    }
    const size_t width = own + 2 * most;
    ff_table_column *named = ff_malloc(width * sizeof *named);
    char(*names)[NAME] = ff_malloc(2 * most * sizeof *names + 1);
    const char **reasons = ff_malloc((r->count + 1) * sizeof *reasons);
    double *values;
    ff_table *out = NULL;
    if (named && names && reasons) {
        memcpy(named, columns, own * sizeof *named);
        named[0].name = axis->path;
        named[0].count = r->count;
        named[0].logarithmic = axis->logarithmic;
        for (size_t i = 0; i < 2 * most; i++) {
            snprintf(names[i], NAME, "%s%zu", i % 2 ? "im" : "re", i / 2 + 1);
            named[own + i] = (ff_table_column){.name = names[i], .unit = "1"};
        }
        for (size_t i = 0; i < r->count; i++) {
            reasons[i] = r->at[i].reason;
        }
        out = ff_table_create(named, width, 1, 1, r->count, reasons, NULL, &values);
    }
    for (size_t i = 0; out && i < r->count; i++, values += width) {
        const row *from = &r->at[i];
        memcpy(values, from->values, own * sizeof *values);
        for (size_t k = 0; k < 2 * most; k++) {
            values[own + k] = k / 2 < from->count ? from->multipliers[k / 2][k % 2] : (double)NAN;
        }
    }
    ff_free(named);
    ff_free(names);
    ff_free(reasons);
    return out;
}

/* Reads the parameter and its values. */
static ff_status read_axis(const ff_gait_search *search, ff_axis *axis, ff_error *error) {
    const ff_sweep *sweep = search->sweep;
    const ff_status status = ff_axis_read(sweep->vary[0], "", axis, error);
    const char *range = sweep->vary[0] + ff_axis_path(sweep->vary[0]);
    if (status < 0) {
        return status;
    }
    if (axis->count == 0 || axis->words) {
        return ff_model_fail(error, FF_BAD_VALUE, "'%.60s': numbers are wanted", axis->path);
    }
    /* a branch has no values of its own between its ends */
    return search->branch && (axis->count < 2 || axis->logarithmic || strchr(range, ',') ||
                              axis->values[0] == axis->values[axis->count - 1])
               ? ff_model_fail(error, FF_BAD_VALUE,
                               "a branch needs FROM:TO:N with N of 2 or more and two values that "
                               "differ, as 0.02:0.009:12")
               : FF_OK;
}

/* Finds the gaits; an error is about the walker of the last setting. */
static ff_status find_gaits(rows *r, const ff_axis *axis, ff_error *error) {
    const ff_gait_search *search = r->search;
    ff_gait_branch branch = ff_gait_branch_default();
    if (search->branch) {
        branch.from = axis->values[0];
        branch.to = axis->values[axis->count - 1];
        branch.points = (double)axis->count - 1;
    } else {
        branch.values = axis->values;
        branch.count = axis->count;
    }
    branch.steps = search->steps;
    branch.walker = walker_for;
    branch.point = add_gait;
    branch.missing = search->may_fail ? add_missing : NULL;
    branch.user = r;
    const ff_status status = ff_gait_continue(&branch, error);
    return status < 0 && search->branch && search->may_fail
               ? add_missing(r, r->value, status, error)
               : status;
}

ff_status ff_gait_table(const ff_gait_search *search, ff_table **out, ff_messages *messages) {
    const ff_sweep *sweep = search->sweep;
    ff_scene *scene = NULL;
    ff_error error = {""};
    ff_axis axis = {0};
    rows r = {.search = search, .messages = messages};
    char place[FF_FIELD_PATH + 64];
    *out = NULL;
    if (sweep->vary_count != 1) {
        ff_messages_add(messages, (ff_place){sweep->path, 0, 0},
                        "gaits are followed over one parameter: vary or continue it");
        return FF_BAD_VALUE;
    }
    ff_status status = read_axis(search, &axis, &error);
    if (status < 0 && status != FF_NO_MEMORY) {
        snprintf(place, sizeof place, "--%s %s", search->branch ? "continue" : "vary",
                 sweep->vary[0]);
        ff_messages_add(messages, (ff_place){place, 0, 0}, "%s", error.text);
    }
    if (status >= 0) {
        status = ff_scene_parse(sweep->path, sweep->text, strlen(sweep->text), sweep->settings,
                                sweep->setting_count, INFINITY, &scene, messages);
    }
    if (status >= 0) {
        r.scene = scene;
        r.path = axis.path;
        r.wanted = axis.count;
        status = find_gaits(&r, &axis, &error);
        if (status < 0 && status != FF_NO_MEMORY && *error.text) {
            ff_messages_add(messages, (ff_place){sweep->path, 0, 0}, "%.100s: %s", r.setting,
                            error.text);
        }
    }
    if (status == FF_OK) {
        *out = make_table(&r, &axis);
        status = *out ? FF_OK : FF_NO_MEMORY;
    }
    clear_rows(&r);
    ff_axis_clear(&axis);
    ff_scene_free(scene);
    return status;
}
