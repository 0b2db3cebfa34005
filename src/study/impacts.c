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
static const ff_table_column force_columns[] = {{.name = "force", .unit = "N"}};
static const ff_table_column friction_columns[] = {{.name = "force_x", .unit = "N"},
                                                   {.name = "force_y", .unit = "N"}};
enum {
    NUMBERS = sizeof number_columns / sizeof *number_columns,
    POINT = sizeof point_columns / sizeof *point_columns,
    FRICTION = sizeof friction_columns / sizeof *friction_columns
};

/* Quantities that are not parameters of the law. */
enum {
    MASS,
    SPEED,
    START_DEPTH,
    START_VELOCITY,
    DEPTH,
    RATE,
    LOAD,
    SLIP_X,
    SLIP_Y,
    U_X,
    U_Y,
    SETUP
};

static const char *const setup_names[SETUP][2] = {
    [MASS] = {"mass", "kg"},
    [SPEED] = {"speed", "m/s"},
    [START_DEPTH] = {"start_depth", "m"},
    [START_VELOCITY] = {"start_velocity", "m/s"},
    [DEPTH] = {"depth", "m"},
    [RATE] = {"rate", "m/s"},
    [LOAD] = {"load", "N"},
    [SLIP_X] = {"slip_x", "m/s"},
    [SLIP_Y] = {"slip_y", "m/s"},
    [U_X] = {"u_x", "m"},
    [U_Y] = {"u_y", "m"},
};

/* The index of such a quantity by its name of `length` bytes; SETUP if it is a parameter of the law. */
static size_t setup_find(const char *name, size_t length) {
    size_t i = 0;
    while (i < SETUP &&
           (strncmp(setup_names[i][0], name, length) != 0 || setup_names[i][0][length])) {
        i++;
    }
    return i;
}

static const char *unit_of(const char *text) {
    const size_t i = setup_find(text, ff_axis_path(text));
    return i < SETUP ? setup_names[i][1] : "";
}

/* A normal law or a friction law. */
typedef struct any_law {
    const ff_normal_law *normal;
    const ff_friction_law *friction; /* NULL: a normal law */
} any_law;

/* Reads the law of a point, normal or friction, and the quantities besides it. */
static ff_status read_point(const ff_design *d, any_law table, const double *point, ff_normal *law,
                            ff_friction *friction, double s[SETUP], ff_error *error) {
    ff_param_value given[FF_LAW_PARAMS];
    size_t count = 0;
    for (size_t i = 0; i < SETUP; i++) {
        s[i] = i < LOAD ? (double)NAN : 0;
    }
    ff_status status = table.friction ? ff_friction_init(friction, table.friction, error)
                                      : ff_normal_init(law, table.normal, error);
    for (size_t i = 0; i < d->count && status >= 0; i++) {
        const ff_axis *axis = &d->axes[i];
        const size_t number = setup_find(axis->path, strlen(axis->path));
        if (axis->words && !table.friction) {
            status = ff_normal_choose(law, axis->path, axis->words[(size_t)point[i]], error);
        } else if (axis->words) {
            status = ff_model_fail(error, FF_BAD_VALUE, "'%.60s': a number is wanted", axis->path);
        } else if (number < SETUP) {
            s[number] = point[i];
        } else if (count < FF_LAW_PARAMS) {
            given[count++] = (ff_param_value){axis->path, point[i]};
        }
    }
    if (table.friction) {
        return status < 0 ? status : ff_friction_set_all(friction, given, count, error);
    }
    status = status < 0 ? status : ff_normal_set_all(law, given, count, error);
    return status < 0 ? status : ff_normal_check(law, error);
}

/* Friction force at a slip velocity, for a law whose first spring has the deflection u and under a normal law of
 * grade 1. */
static void put_friction(const ff_friction *law, const double s[SETUP], double *values) {
    const double u[3] = {s[U_X], s[U_Y], 0};
    const ff_friction_query q = {
        .load = s[LOAD], .grade = 1, .ratio = s[LOAD], .v = {s[SLIP_X], s[SLIP_Y], 0}, .u = u};
    const ff_friction_answer a = ff_friction_at(law, &q, NULL);
    values[0] = a.force[0];
    values[1] = a.force[1];
}

/* Writes the rows of a point. */
static ff_status put_point(ff_impacts_kind kind, const ff_normal *law, const double s[SETUP],
                           size_t points, ff_impact_point *room, double *values, size_t stride,
                           ff_error *error) {
    ff_impact impact;
    ff_status status;
    if (kind == FF_IMPACTS_FORCES) {
        values[0] = ff_normal_force(law, s[DEPTH], s[RATE], NULL);
        return FF_OK;
    }
    if (kind == FF_IMPACTS_NUMBERS) {
        status = ff_impact_solve(law, s[MASS], s[SPEED], &impact);
        const double numbers[NUMBERS] = {impact.restitution, impact.loss,      impact.contact_time,
                                         impact.max_depth,   impact.max_force, impact.energy_lost,
                                         impact.impulse};
        memcpy(values, numbers, status < 0 ? 0 : sizeof numbers);
    } else {
        status = kind == FF_IMPACTS_CURVES ? ff_impact_curve(law, s[MASS], s[SPEED], points, room)
                                           : ff_phase_branch(law, s[MASS], s[START_DEPTH],
                                                             s[START_VELOCITY], points, room);
        for (size_t i = 0; i < points && status >= 0; i++) {
            const double row[POINT] = {room[i].time, room[i].depth, room[i].velocity,
                                       room[i].force};
            memcpy(values + i * stride, row, sizeof row);
        }
    }
    return status < 0 ? ff_model_fail(error, status, "an impact of %g kg at %g m/s: %s", s[MASS],
                                      s[kind == FF_IMPACTS_BRANCHES ? START_VELOCITY : SPEED],
                                      ff_status_text(status))
                      : FF_OK;
}

static ff_status fill(ff_impacts_kind kind, const ff_design *d, any_law table, size_t varied,
                      size_t points, size_t columns, double *values, ff_error *error) {
    double *point = ff_malloc((d->count + 1) * sizeof *point);
    ff_impact_point *room = ff_malloc((points + 1) * sizeof *room);
    ff_status status = point && room ? FF_OK : FF_NO_MEMORY;
    for (size_t row = 0; row < d->rows && status >= 0; row++) {
        ff_normal law;
        ff_friction friction;
        double s[SETUP];
        ff_design_point(d, row, point);
        status = read_point(d, table, point, &law, &friction, s, error);
        if (status >= 0 && table.friction) {
            put_friction(&friction, s, values + varied);
        } else if (status >= 0) {
            status = put_point(kind, &law, s, points, room, values + varied, columns, error);
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
    any_law table = {.normal = ff_normal_law_find(law)};
    const bool forces = kind == FF_IMPACTS_FORCES, one = forces || kind == FF_IMPACTS_NUMBERS;
    table.friction = forces && !table.normal ? ff_friction_law_find(law) : NULL;
    const size_t own = table.friction ? FRICTION
                       : forces       ? 1
                       : one          ? NUMBERS
                                      : POINT,
                 rows_each = one ? 1 : points;
    const ff_table_column *names = table.friction ? friction_columns
                                   : forces       ? force_columns
                                   : one          ? number_columns
                                                  : point_columns;
    ff_sweep none = ff_sweep_default();
    ff_design *d = NULL;
    *out = NULL;
    if (!table.normal && !table.friction) {
        return ff_model_fail(error, FF_BAD_VALUE, "there is no %slaw '%.60s'",
                             forces ? "" : "normal ", law);
    }
    if (!one && points < 2) {
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
        memcpy(columns + varied, names, own * sizeof *columns);
        *out = ff_table_create(columns, varied + own, varied, 1, d->rows * rows_each, NULL, NULL,
                               &values);
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
