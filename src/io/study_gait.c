/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "study_gait.h"
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
};
enum { COLUMNS = sizeof columns / sizeof *columns };

/* A table that is being filled. */
typedef struct filling {
    const ff_scene *scene;
    const char *path;                 /* of the number that varies */
    double *values;                   /* the next row */
    char setting[FF_FIELD_PATH + 64]; /* of the last walker */
    ff_messages *messages;
} filling;

static ff_status walker_for(void *user, double value, ff_gait **out, ff_error *error) {
    filling *f = user;
    ff_scene *own = NULL;
    const char *setting = f->setting;
    snprintf(f->setting, sizeof f->setting, "%.*s=%.17g", FF_FIELD_PATH, f->path, value);
    ff_status status = ff_scene_with(f->scene, &setting, 1, &own, f->messages);
    status = status < 0 ? status : ff_gait_create(own, NULL, out, error);
    ff_scene_free(own);
    return status;
}

static ff_status add_row(void *user, double value, bool turning, ff_gait *gait,
                         const ff_gait_cycle *c) {
    (void)turning, (void)gait;
    filling *f = user;
    const double row[COLUMNS] = {value,      c->period, c->length, c->speed,
                                 c->largest, c->error,  c->stable, c->residual};
    memcpy(f->values, row, sizeof row);
    f->values += COLUMNS;
    return FF_OK;
}

ff_status ff_gait_table(const ff_sweep *sweep, size_t steps, ff_table **out,
                        ff_messages *messages) {
    ff_scene *scene = NULL;
    ff_error error = {""};
    ff_axis axis = {0};
    filling f = {.messages = messages};
    *out = NULL;
    ff_status status =
        sweep->vary_count != 1
            ? ff_model_fail(&error, FF_BAD_VALUE, "gaits are followed over one parameter: vary it")
            : ff_axis_read(sweep->vary[0], "", &axis, &error);
    if (status >= 0 && (axis.count == 0 || axis.words)) {
        status = ff_model_fail(&error, FF_BAD_VALUE, "'%.60s': numbers are wanted", axis.path);
    }
    if (status >= 0) {
        status = ff_scene_parse(sweep->path, sweep->text, strlen(sweep->text), sweep->settings,
                                sweep->setting_count, INFINITY, &scene, messages);
    }
    if (status >= 0) {
        ff_table_column named[COLUMNS];
        memcpy(named, columns, sizeof named);
        named[0].name = axis.path;
        named[0].count = axis.count;
        *out = ff_table_create(named, COLUMNS, 1, 1, axis.count, NULL, NULL, &f.values);
        status = *out ? FF_OK : FF_NO_MEMORY;
    }
    if (status >= 0) {
        ff_gait_branch branch = ff_gait_branch_default();
        branch.values = axis.values;
        branch.count = axis.count;
        branch.steps = steps;
        branch.walker = walker_for;
        branch.point = add_row;
        branch.user = &f;
        f.scene = scene;
        f.path = axis.path;
        status = ff_gait_continue(&branch, &error);
        if (status < 0 && *error.text) {
            ff_messages_add(messages, (ff_place){sweep->path, 0, 0}, "%.100s: %s", f.setting,
                            error.text);
            *error.text = '\0';
        }
    }
    if (*error.text) {
        ff_messages_add(messages, (ff_place){sweep->path, 0, 0}, "%s", error.text);
    }
    if (status < 0) {
        ff_free(*out);
        *out = NULL;
    }
    ff_axis_clear(&axis);
    ff_scene_free(scene);
    return status;
}
