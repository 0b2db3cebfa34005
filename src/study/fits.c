/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "fits.h"
#include "axis.h"
#include "model/kinds.h"
#include "num/memory.h"
#include "table.h"
#include <footfall/fit.h>
#include <math.h>
#include <string.h>

static ff_status no_memory(ff_error *error) {
    return ff_model_fail(error, FF_NO_MEMORY, "%s", ff_status_text(FF_NO_MEMORY));
}

/* Reads NAME=VALUE of the law, and the mass. */
static ff_status read_law(const char *name, const char *const *parameters, size_t count,
                          ff_normal *law, double *mass, ff_error *error) {
    const ff_normal_law *table = ff_normal_law_find(name);
    ff_param_value given[FF_LAW_PARAMS];
    ff_axis axes[FF_LAW_PARAMS + 1];
    size_t read = 0, used = 0;
    *mass = NAN;
    ff_status status =
        table ? ff_normal_init(law, table, error)
              : ff_model_fail(error, FF_BAD_VALUE, "there is no normal law '%.60s'", name);
    for (; read < count && read <= FF_LAW_PARAMS && status >= 0; read++) {
        const bool is_mass = strncmp(parameters[read], "mass=", 5) == 0;
        ff_axis *axis = &axes[read];
        status = ff_axis_read(parameters[read], is_mass ? "kg" : "", axis, error);
        if (status >= 0 && axis->count != 1) {
            status = ff_model_fail(error, FF_BAD_VALUE, "'%.60s': one value is wanted", axis->path);
        } else if (status >= 0 && axis->words) {
            status = ff_normal_choose(law, axis->path, axis->words[0], error);
        } else if (status >= 0 && is_mass) {
            *mass = axis->values[0];
        } else if (status >= 0 && used < FF_LAW_PARAMS) {
            given[used++] = (ff_param_value){axis->path, axis->values[0]};
        }
    }
    status = status < 0 ? status : ff_normal_set_all(law, given, used, error);
    status = status < 0 ? status : ff_normal_check(law, error);
    for (size_t i = 0; i < read; i++) {
        ff_axis_clear(&axes[i]);
    }
    return status;
}

/* The columns of a table as one array. */
typedef struct measured {
    double *speed, *restitution, *by;
} measured;

static void clear_measured(measured *m) {
    ff_free(m->speed);
    ff_free(m->restitution);
    ff_free(m->by);
}

static ff_status read_measured(const ff_sheet *data, const char *by, measured *out,
                               ff_error *error) {
    ff_status status = ff_sheet_rows(data, "speed", &out->speed, error);
    status = status < 0 ? status : ff_sheet_rows(data, "restitution", &out->restitution, error);
    return status < 0 ? status : ff_sheet_rows(data, by ? by : "0", &out->by, error);
}

ff_status ff_fits_table(const char *law, const char *const *parameters, size_t count,
                        const char *const *free, size_t free_count, const ff_sheet *data,
                        const char *by, ff_table **out, ff_error *error) {
    const size_t rows = data->table->rows;
    ff_table_column columns[FF_LAW_PARAMS + 2] = {{.name = by ? by : "all", .unit = ""}};
    ff_fit_options o = ff_fit_options_default();
    ff_fit_result fit;
    measured m = {0};
    ff_normal start;
    double *values = NULL, *made = ff_malloc((rows + 1) * (FF_LAW_PARAMS + 2) * sizeof *made);
    size_t groups = 0, width = 0;
    *out = NULL;
    o.free = free;
    o.free_count = free_count;
    ff_status status = made ? FF_OK : no_memory(error);
    status = status < 0 ? status : read_law(law, parameters, count, &start, &o.mass, error);
    status = status < 0 ? status : read_measured(data, by, &m, error);
    for (size_t from = 0, to; from < rows && status >= 0; from = to) {
        for (to = from + 1; to < rows && m.by[to] == m.by[from];) {
            to++;
        }
        const ff_fit_data part = {.kind = FF_FIT_RESTITUTION,
                                  .count = to - from,
                                  .speed = m.speed + from,
                                  .restitution = m.restitution + from};
        ff_normal found = start;
        status = ff_fit(&found, &part, &o, &fit, NULL, error);
        width = status < 0 ? 0 : 2 + (size_t)fit.unknowns;
        double *row = made + groups++ * width;
        for (int i = 0; status >= 0 && i < fit.unknowns; i++) {
            columns[1 + i] = (ff_table_column){.name = fit.params[i].name, .unit = ""};
            row[1 + i] = fit.params[i].value;
        }
        if (status >= 0) {
            row[0] = m.by[from];
            row[width - 1] = fit.rms;
            columns[width - 1] = (ff_table_column){.name = "rms", .unit = "1"};
        }
    }
    if (status >= 0 && groups == 0) {
        status = ff_model_fail(error, FF_BAD_VALUE, "table '%.60s' has no rows", data->name);
    }
    if (status >= 0) {
        columns[0].varied = true;
        columns[0].count = groups;
        *out = ff_table_create(columns, width, 1, 1, groups, NULL, NULL, &values);
        status = *out ? FF_OK : no_memory(error);
    }
    if (status >= 0) {
        memcpy(values, made, groups * width * sizeof *values);
    }
    clear_measured(&m);
    ff_free(made);
    return status;
}
