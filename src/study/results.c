/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#define _POSIX_C_SOURCE 200809L
#include "results.h"
#include "expr/word.h"
#include "model/kinds.h"
#include "num/memory.h"
#include "table.h"
#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

ff_status ff_results_init(ff_results *r, bool series) {
    const ff_sweep *w = r->sweep;
    const size_t all = r->design->rows;
    const size_t parts = w->shards ? w->shards : 1, part = w->shards ? w->shard - 1 : 0;
    r->first = (size_t)((double)all * (double)part / (double)parts);
    r->rows = (size_t)((double)all * (double)(part + 1) / (double)parts) - r->first;
    r->values = ff_calloc(r->rows * w->keep_count + 1, sizeof *r->values);
    r->reasons = ff_calloc(r->rows + 1, sizeof *r->reasons);
    r->done = ff_calloc(r->rows + 1, sizeof *r->done);
    r->series = series ? ff_calloc(r->rows + 1, sizeof *r->series) : NULL;
    return r->values && r->reasons && r->done && (r->series || !series) ? FF_OK : FF_NO_MEMORY;
}

void ff_results_clear(ff_results *r) {
    for (size_t i = 0; r->reasons && i < r->rows; i++) {
        ff_free(r->reasons[i]);
        ff_free(r->series ? r->series[i].values : NULL);
    }
    ff_free(r->series);
    ff_free(r->values);
    ff_free(r->reasons);
    ff_free(r->done);
}

bool ff_results_put(void *user, size_t row, const double *values, const char *reason) {
    ff_results *r = user;
    if (row < r->first || row - r->first >= r->rows || r->done[row - r->first]) {
        return true;
    }
    const size_t i = row - r->first, kept = r->sweep->keep_count;
    for (size_t k = 0; k < kept; k++) {
        r->values[i * kept + k] = reason ? (double)NAN : values[k];
    }
    r->reasons[i] = reason ? ff_word_copy(reason) : NULL;
    r->done[i] = !reason || r->reasons[i];
    r->finished += r->done[i];
    return r->done[i];
}

ff_status ff_results_read(ff_results *r, const ff_record_kind *kind, ff_error *error) {
    const char *path = r->sweep->records, *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    const size_t length = strlen(name), before = (size_t)(name - path);
    char *file = ff_malloc(strlen(path) + sizeof((struct dirent *)0)->d_name + 3);
    if (!file) {
        return ff_model_fail(error, FF_NO_MEMORY, "%s", ff_status_text(FF_NO_MEMORY));
    }
    sprintf(file, "%.*s.", (int)before, path);
    DIR *folder = opendir(file);
    ff_status status =
        folder ? FF_OK : ff_model_fail(error, FF_NOT_WRITTEN, "%s: %s", file, strerror(errno));
    for (struct dirent *entry; status >= 0 && (entry = readdir(folder));) {
        if (strncmp(entry->d_name, name, length) == 0) {
            sprintf(file, "%.*s%s", (int)before, path, entry->d_name);
            status = ff_record_read(file, kind, ff_results_put, r, error);
        }
    }
    if (folder) {
        closedir(folder);
    }
    ff_free(file);
    return status;
}

/* ---- the table ---- */

/* Describes the column of an axis. */
static ff_table_column axis_column(const ff_results *r, const ff_axis *axis,
                                   char unit[FF_FIELD_UNIT]) {
    size_t field, part;
    ff_field f = {.unit = ""};
    if (ff_model_field_find(r->model, axis->path, &field, &part, NULL) >= 0) {
        ff_model_field(r->model, field, &f);
    }
    snprintf(unit, FF_FIELD_UNIT, "%s", *f.unit ? f.unit : axis->unit);
    return (ff_table_column){.name = axis->path,
                             .unit = unit,
                             .words = (const char *const *)axis->words,
                             .varied = true,
                             .logarithmic = axis->logarithmic,
                             .count = axis->count};
}

/* Writes the rows of a run: one, or one for each time of a series; one for a failed run. */
static size_t put_rows(const ff_results *r, size_t i, double *values) {
    const size_t varied = r->design->count, kept = r->sweep->keep_count + (r->series != NULL);
    const bool failed = r->reasons[i];
    const size_t rows = r->series && !failed ? r->series[i].count : 1;
    for (size_t n = 0; values && n < rows; n++, values += varied + kept) {
        ff_design_point(r->design, r->first + i, values);
        for (size_t k = 0; k < kept; k++) {
            values[varied + k] = failed      ? (double)NAN
                                 : r->series ? r->series[i].values[n * kept + k]
                                             : r->values[i * kept + k];
        }
    }
    return rows;
}

/* Copies the name of a kept number. */
static char *copy_name(const char *text) {
    size_t length;
    ff_keep_name(text, &length);
    char *name = ff_malloc(length + 1);
    if (name) {
        snprintf(name, length + 1, "%s", text + strspn(text, " \t"));
    }
    return name;
}

ff_table *ff_results_table(const ff_results *r) {
    const size_t varied = r->design->count, kept = r->sweep->keep_count,
                 before = varied + (r->series != NULL), count = before + kept;
    size_t rows = 0;
    for (size_t i = 0; i < r->rows; i++) {
        rows += put_rows(r, i, NULL);
    }
    ff_table_column *columns = ff_calloc(count, sizeof *columns);
    char(*units)[FF_FIELD_UNIT] = ff_calloc(varied + 1, sizeof *units),
    **names = ff_calloc(kept + 1, sizeof *names);
    const char **reasons = ff_calloc(rows + 1, sizeof *reasons);
    bool good = columns && units && names && reasons;
    for (size_t i = 0; good && i < count; i++) {
        const size_t k = i - before;
        if (i < varied) {
            columns[i] = axis_column(r, &r->design->axes[i], units[i]);
        } else if (i < before) {
            columns[i] = (ff_table_column){.name = "t", .unit = "s"};
        } else {
            names[k] = copy_name(r->sweep->keep[k]);
            good = names[k];
            columns[i] = (ff_table_column){.name = names[k], .unit = ff_keep_unit(r->keep, k)};
        }
    }
    for (size_t i = 0, at = 0; good && i < r->rows; i++) {
        for (size_t end = at + put_rows(r, i, NULL); at < end; at++) {
            reasons[at] = r->reasons[i];
        }
    }
    double *values = NULL;
    ff_table *out = good ? ff_table_create(columns, count, varied, r->design->samples, rows,
                                           reasons, r->runs, &values)
                         : NULL;
    for (size_t i = 0; out && i < r->rows; i++) {
        values += put_rows(r, i, values) * count;
    }
    for (size_t k = 0; names && k < kept; k++) {
        ff_free(names[k]);
    }
    ff_free(names);
    ff_free(units);
    ff_free(columns);
    ff_free(reasons);
    return out;
}
