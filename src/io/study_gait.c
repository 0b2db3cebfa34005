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

/* Motions of the previous gait. */
typedef struct place {
    ff_motion *bodies;
    size_t count;
} place;

/* Finds the gait for one value, and the position of its walker. */
static ff_status find_gait(const ff_scene *scene, const char *setting, size_t steps, place *from,
                           double row[COLUMNS], ff_messages *messages, ff_error *error) {
    ff_scene *own = NULL;
    ff_gait *gait = NULL;
    ff_gait_record step;
    ff_gait_cycle cycle;
    ff_status status = ff_scene_with(scene, &setting, 1, &own, messages);
    status = status < 0 ? status : ff_gait_create(own, NULL, &gait, error);
    if (status >= 0 && from->bodies) {
        ff_gait_stand(gait, from->bodies);
    }
    for (size_t i = 0; i < steps && status >= 0 && !from->bodies; i++) {
        status = ff_gait_step(gait, &step, error);
    }
    status = status < 0 ? status : ff_gait_find(gait, &cycle, error);
    if (status >= 0) {
        const double found[COLUMNS - 1] = {cycle.period, cycle.length, cycle.speed,   cycle.largest,
                                           cycle.error,  cycle.stable, cycle.residual};
        memcpy(row + 1, found, sizeof found);
        from->count = ff_model_body_count(ff_gait_model(gait));
        from->bodies =
            from->bodies ? from->bodies : ff_malloc((from->count + 1) * sizeof *from->bodies);
        status = from->bodies ? FF_OK : FF_NO_MEMORY;
    }
    for (size_t k = 0; status >= 0 && k < from->count; k++) {
        from->bodies[k] = ff_gait_body(gait, k);
    }
    ff_gait_free(gait);
    ff_scene_free(own);
    return status;
}

ff_status ff_gait_table(const ff_sweep *sweep, size_t steps, ff_table **out,
                        ff_messages *messages) {
    ff_scene *scene = NULL;
    ff_error error = {""};
    ff_axis axis = {0};
    place at = {0};
    double *values = NULL;
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
        *out = ff_table_create(named, COLUMNS, 1, 1, axis.count, NULL, &values);
        status = *out ? FF_OK : FF_NO_MEMORY;
    }
    for (size_t i = 0; i < axis.count && status >= 0; i++) {
        char setting[FF_FIELD_PATH + 64];
        snprintf(setting, sizeof setting, "%.*s=%.17g", FF_FIELD_PATH, axis.path, axis.values[i]);
        values[i * COLUMNS] = axis.values[i];
        status = find_gait(scene, setting, steps, &at, values + i * COLUMNS, messages, &error);
        if (status < 0 && *error.text) {
            ff_messages_add(messages, (ff_place){sweep->path, 0, 0}, "%.100s: %s", setting,
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
    ff_free(at.bodies);
    ff_axis_clear(&axis);
    ff_scene_free(scene);
    return status;
}
