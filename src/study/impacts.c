/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "impacts.h"
#include "design.h"
#include "model/kinds.h"
#include "num/memory.h"
#include "table.h"
#include <footfall/impact.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const ff_table_column number_columns[] = {
    {.name = "restitution", .unit = "1"},  {.name = "loss", .unit = "1"},
    {.name = "contact_time", .unit = "s"}, {.name = "max_depth", .unit = "m"},
    {.name = "max_force", .unit = "N"},    {.name = "energy_lost", .unit = "J"},
    {.name = "impulse", .unit = "N s"},
};
static const ff_table_column point_columns[] = {{.name = "t", .unit = "s"},
                                                {.name = "depth", .unit = "m"},
                                                {.name = "velocity", .unit = "m/s"},
                                                {.name = "force", .unit = "N"}};
enum {
    NUMBERS = sizeof number_columns / sizeof *number_columns,
    POINT = sizeof point_columns / sizeof *point_columns
};

/* What is no parameter of the law. */
typedef struct setup {
    double mass, speed, depth, velocity;
} setup;

static double *setup_number(setup *s, const char *name) {
    return strcmp(name, "mass") == 0             ? &s->mass
           : strcmp(name, "speed") == 0          ? &s->speed
           : strcmp(name, "start_depth") == 0    ? &s->depth
           : strcmp(name, "start_velocity") == 0 ? &s->velocity
                                                 : NULL;
}

static const char *unit_of(const char *text) {
    static const char *const known[][2] = {
        {"mass=", "kg"}, {"speed=", "m/s"}, {"start_depth=", "m"}, {"start_velocity=", "m/s"}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (strncmp(text, known[i][0], strlen(known[i][0])) == 0) {
            return known[i][1];
        }
    }
    return "";
}

/* The law and the impact of a point. */
static ff_status read_point(const ff_design *d, const ff_normal_law *table, const double *point,
                            ff_normal *law, setup *s, ff_error *error) {
    ff_param_value given[FF_LAW_PARAMS];
    size_t count = 0;
    *s = (setup){NAN, NAN, NAN, NAN};
    ff_status status = ff_normal_init(law, table, error);
    for (size_t i = 0; i < d->count && status >= 0; i++) {
        const ff_axis *axis = &d->axes[i];
        double *number = setup_number(s, axis->path);
        if (axis->words) {
            status = ff_normal_choose(law, axis->path, axis->words[(size_t)point[i]], error);
        } else if (number) {
            *number = point[i];
        } else if (count < FF_LAW_PARAMS) {
            given[count++] = (ff_param_value){axis->path, point[i]};
        }
    }
    status = status < 0 ? status : ff_normal_set_all(law, given, count, error);
    return status < 0 ? status : ff_normal_check(law, error);
}

/* The rows of a point. */
static ff_status put_point(ff_impacts_kind kind, const ff_normal *law, const setup *s,
                           size_t points, ff_impact_point *room, double *values, size_t stride,
                           ff_error *error) {
    ff_impact impact;
    ff_status status;
    if (kind == FF_IMPACTS_NUMBERS) {
        status = ff_impact_solve(law, s->mass, s->speed, &impact);
        const double numbers[NUMBERS] = {impact.restitution, impact.loss,      impact.contact_time,
                                         impact.max_depth,   impact.max_force, impact.energy_lost,
                                         impact.impulse};
        memcpy(values, numbers, status < 0 ? 0 : sizeof numbers);
    } else {
        status = kind == FF_IMPACTS_CURVES
                     ? ff_impact_curve(law, s->mass, s->speed, points, room)
                     : ff_phase_branch(law, s->mass, s->depth, s->velocity, points, room);
        for (size_t i = 0; i < points && status >= 0; i++) {
            const double row[POINT] = {room[i].time, room[i].depth, room[i].velocity,
                                       room[i].force};
            memcpy(values + i * stride, row, sizeof row);
        }
    }
    return status < 0 ? ff_model_fail(error, status, "an impact of %g kg at %g m/s: %s", s->mass,
                                      kind == FF_IMPACTS_BRANCHES ? s->velocity : s->speed,
                                      ff_status_text(status))
                      : FF_OK;
}

static ff_status fill(ff_impacts_kind kind, const ff_design *d, const ff_normal_law *table,
                      size_t varied, size_t points, size_t columns, double *values,
                      ff_error *error) {
    double *point = ff_malloc((d->count + 1) * sizeof *point);
    ff_impact_point *room = ff_malloc((points + 1) * sizeof *room);
    ff_status status = point && room ? FF_OK : FF_NO_MEMORY;
    for (size_t row = 0; row < d->rows && status >= 0; row++) {
        ff_normal law;
        setup s;
        ff_design_point(d, row, point);
        status = read_point(d, table, point, &law, &s, error);
        if (status >= 0) {
            status = put_point(kind, &law, &s, points, room, values + varied, columns, error);
        }
        for (size_t i = 0; i < points; i++, values += columns) {
            memcpy(values, point, varied * sizeof *values);
        }
    }
    ff_free(point);
    ff_free(room);
    return status == FF_NO_MEMORY ? ff_model_fail(error, status, "%s", ff_status_text(status))
                                  : status;
}

ff_status ff_impacts_table(ff_impacts_kind kind, const char *law, const char *const *parameters,
                           size_t count, size_t varied, size_t points, ff_table **out,
                           ff_error *error) {
    const ff_normal_law *table = ff_normal_law_find(law);
    const bool numbers = kind == FF_IMPACTS_NUMBERS;
    const size_t own = numbers ? NUMBERS : POINT, rows_each = numbers ? 1 : points;
    ff_sweep none = ff_sweep_default();
    ff_design *d = NULL;
    *out = NULL;
    if (!table) {
        return ff_model_fail(error, FF_BAD_VALUE, "there is no normal law '%.60s'", law);
    }
    if (!numbers && points < 2) {
        return ff_model_fail(error, FF_BAD_VALUE, "a curve has 2 points at the least");
    }
    ff_axis *axes = ff_calloc(count + 1, sizeof *axes);
    ff_status status =
        axes ? FF_OK : ff_model_fail(error, FF_NO_MEMORY, "%s", ff_status_text(FF_NO_MEMORY));
    size_t read = 0;
    for (; read < count && status >= 0; read++) {
        status = ff_axis_read(parameters[read], unit_of(parameters[read]), &axes[read], error);
    }
    if (status < 0) {
        for (size_t i = 0; i < read; i++) {
            ff_axis_clear(&axes[i]);
        }
        ff_free(axes);
        return status;
    }
    status = ff_design_create(axes, count, &none, &d, error);
    ff_table_column *columns = ff_calloc(varied + own, sizeof *columns);
    double *values = NULL;
    if (status >= 0 && columns) {
        for (size_t i = 0; i < varied; i++) {
            columns[i] = (ff_table_column){.name = d->axes[i].path,
                                           .unit = d->axes[i].unit,
                                           .words = (const char *const *)d->axes[i].words,
                                           .varied = true,
                                           .logarithmic = d->axes[i].logarithmic,
                                           .count = d->axes[i].count};
        }
        memcpy(columns + varied, numbers ? number_columns : point_columns, own * sizeof *columns);
        *out =
            ff_table_create(columns, varied + own, varied, 1, d->rows * rows_each, NULL, &values);
    }
    if (status >= 0 && !*out) {
        status = ff_model_fail(error, FF_NO_MEMORY, "%s", ff_status_text(FF_NO_MEMORY));
    }
    if (status >= 0) {
        status = fill(kind, d, table, varied, rows_each, varied + own, values, error);
    }
    if (status < 0) {
        ff_free(*out);
        *out = NULL;
    }
    ff_free(columns);
    ff_design_free(d);
    return status;
}
