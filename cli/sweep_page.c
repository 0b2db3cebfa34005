/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#define _POSIX_C_SOURCE 200809L
#include "sweep_page.h"
#include <footfall/footfall.h>
#include <footfall/json.h>
#include <footfall/report.h>
#include <stdlib.h>
#include <string.h>

/* A page contains all numbers as text, about 20 bytes each: browsers would not open a larger one. */
static const double most_numbers = 2e6;

static void columns_json(ff_json *j, const ff_table *t) {
    ff_json_array(j, "columns");
    for (size_t c = 0; c < t->columns; c++) {
        const ff_table_column *column = &t->column[c];
        ff_json_object(j, NULL);
        ff_json_string(j, "name", column->name);
        ff_json_string(j, "unit", column->unit);
        ff_json_bool(j, "varied", column->varied);
        ff_json_bool(j, "logarithmic", column->logarithmic);
        ff_json_integer(j, "count", (long long)column->count);
        if (column->words) {
            ff_json_array(j, "words");
            for (const char *const *word = column->words; *word; word++) {
                ff_json_string(j, NULL, *word);
            }
            ff_json_end(j);
        }
        ff_json_end(j);
    }
    ff_json_end(j);
}

static void document_json(FILE *out, const char *file, const char *line, const ff_table *t,
                          const char *const *settings, size_t count) {
    ff_json j = {.out = out};
    char version[40];
    snprintf(version, sizeof version, "footfall %s", ff_version());
    ff_json_object(&j, NULL);
    ff_json_string(&j, "kind", "sweep");
    ff_json_string(&j, "generated_by", version);
    ff_json_string(&j, "file", file);
    ff_json_string(&j, "command", line);
    ff_json_array(&j, "settings");
    for (size_t i = 0; i < count; i++) {
        ff_json_string(&j, NULL, settings[i]);
    }
    ff_json_end(&j);
    columns_json(&j, t);
    ff_json_integer(&j, "rows", (long long)t->rows);
    ff_json_integer(&j, "samples", (long long)t->samples);
    ff_json_numbers(&j, "values", t->values, t->rows * t->columns);
    ff_json_array(&j, "failed");
    for (size_t i = 0; i < t->rows; i++) {
        if (t->reason[i]) {
            ff_json_object(&j, NULL);
            ff_json_integer(&j, "row", (long long)i);
            ff_json_string(&j, "error", t->reason[i]);
            ff_json_end(&j);
        }
    }
    ff_json_end(&j);
    ff_json_end(&j);
}

int sweep_page(const args *a, const ff_table *t, const char *const *settings, size_t count,
               const char *path) {
    if ((double)t->rows * (double)t->columns > most_numbers) {
        args_error(a, "%s: %zu rows of %zu numbers are too many for a page; -o %s.h5 holds them",
                   path, t->rows, t->columns, "OUT");
        return 1;
    }
    const char *file = args_word(a, 0), *slash = strrchr(file, '/');
    char *line = args_line(a), *text = NULL;
    size_t length = 0;
    FILE *out = line ? open_memstream(&text, &length) : NULL;
    ff_error error = {""};
    int status = 1;
    if (out) {
        document_json(out, file, line, t, settings, count);
    }
    if (!out || fclose(out) != 0) {
        args_error(a, "out of memory");
    } else {
        status = args_status(a, ff_page_save(path, slash ? slash + 1 : file, text, length, &error),
                             &error);
    }
    free(text);
    free(line);
    return status;
}
