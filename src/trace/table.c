/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#define _POSIX_C_SOURCE 200809L
#include "h5.h"
#include "num/memory.h"
#include "trace.h"
#include <errno.h>
#include <footfall/study.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Tables of sweeps as files. */

static double value_of(const ff_table *t, size_t row, size_t column) {
    return t->values[row * t->columns + column];
}

/* the word for a value */
static const char *word_of(const ff_table *t, size_t row, size_t column) {
    return t->column[column].words[(size_t)value_of(t, row, column)];
}

/* ---- CSV ---- */

/* writes a text, quoted if it contains commas or quotes (RFC 4180) */
static void put_csv(FILE *out, const char *text) {
    if (!strpbrk(text, ",\"\n")) {
        fputs(text, out);
        return;
    }
    fputc('"', out);
    for (; *text; text++) {
        fprintf(out, "%s%c", *text == '"' ? "\"" : "", *text);
    }
    fputc('"', out);
}

static bool write_csv(const ff_table *t, FILE *out) {
    for (size_t c = 0; c < t->columns; c++) {
        put_csv(out, t->column[c].name);
        fputc(',', out);
    }
    fputs("failed\n", out);
    for (size_t i = 0; i < t->rows; i++) {
        for (size_t c = 0; c < t->columns; c++) {
            if (t->column[c].words) {
                put_csv(out, word_of(t, i, c));
            } else if (!isnan(value_of(t, i, c))) {
                fprintf(out, "%.17g", value_of(t, i, c));
            }
            fputc(',', out);
        }
        put_csv(out, t->reason[i] ? t->reason[i] : "");
        fputc('\n', out);
    }
    return !ferror(out);
}

/* Writes under a temporary name until it is complete. */
static ff_status save_csv(const ff_table *t, const char *path, ff_error *error) {
    const size_t size = strlen(path) + 8;
    char *made = ff_malloc(size);
    if (!made) {
        return ff_trace_refuse(error, FF_NO_MEMORY, "%s", ff_status_text(FF_NO_MEMORY));
    }
    snprintf(made, size, "%s.new", path);
    FILE *out = fopen(made, "w");
    bool good = out && write_csv(t, out);
    good = out && fclose(out) == 0 && good;
    good = good && rename(made, path) == 0;
    ff_status status = good ? FF_OK
                            : ff_trace_refuse(error, FF_NOT_WRITTEN, "%s: %s", path,
                                              strerror(errno ? errno : EIO));
    if (!good && out) {
        unlink(made);
    }
    ff_free(made);
    return status;
}

/* ---- HDF5 ---- */

/* The dataset path of a column: slashes in its name are replaced, because they would create groups. */
static char *path_of(const ff_table_column *c) {
    const char *folder = c->varied ? "/parameters/" : "/kept/";
    const size_t before = strlen(folder);
    char *out = ff_malloc(before + strlen(c->name) + 1);
    if (out) {
        strcpy(out, folder);
        strcpy(out + before, c->name);
        for (char *at = out + before; *at; at++) {
            *at = *at == '/' ? ':' : *at;
        }
    }
    return out;
}

/* size of a text, including the terminating 0 */
static size_t width_of(const ff_table_column *c) {
    size_t width = 1;
    for (size_t i = 0; c->words && c->words[i]; i++) {
        width = strlen(c->words[i]) + 1 > width ? strlen(c->words[i]) + 1 : width;
    }
    return width;
}

/* The datasets of a table: /run, its columns, /failed. */
typedef struct layout {
    ff_h5_column *columns;
    char **paths;
    size_t count, bytes; /* of a row */
} layout;

static void free_layout(layout *l, size_t columns) {
    for (size_t c = 0; l->paths && c < columns; c++) {
        ff_free(l->paths[c]);
    }
    ff_free(l->paths);
    ff_free(l->columns);
}

static bool make_layout(const ff_table *t, layout *l) {
    *l = (layout){.columns = ff_calloc(t->columns + 2, sizeof *l->columns),
                  .paths = ff_calloc(t->columns + 1, sizeof *l->paths),
                  .count = t->columns + 2};
    bool good = l->columns && l->paths;
    if (good) {
        l->columns[0] = (ff_h5_column){.path = "/run", .units = "1", .width = 1, .first = SIZE_MAX};
        l->columns[t->columns + 1] =
            (ff_h5_column){.path = "/failed", .width = 1, .text = true, .first = SIZE_MAX};
    }
    for (size_t c = 0; good && c < t->columns; c++) {
        const ff_table_column *from = &t->column[c];
        l->paths[c] = path_of(from);
        good = l->paths[c];
        l->columns[1 + c] = (ff_h5_column){.path = l->paths[c],
                                           .units = *from->unit ? from->unit : NULL,
                                           .width = from->words ? width_of(from) : 1,
                                           .text = from->words != NULL,
                                           .first = SIZE_MAX};
    }
    for (size_t i = 0; good && i < t->rows; i++) {
        const size_t width = t->reason[i] ? strlen(t->reason[i]) + 1 : 1;
        ff_h5_column *failed = &l->columns[t->columns + 1];
        failed->width = width > failed->width ? width : failed->width;
    }
    for (size_t c = 0; good && c < l->count; c++) {
        l->bytes += l->columns[c].width * (l->columns[c].text ? 1 : sizeof(double));
    }
    return good;
}

/* Appends a text of fixed width, or a number, to a row. */
static char *put_text(char *at, const char *text, size_t width) {
    memset(at, 0, width);
    memcpy(at, text, strlen(text));
    return at + width;
}

static char *put_number(char *at, double value) {
    memcpy(at, &value, sizeof value);
    return at + sizeof value;
}

static bool add_rows(const ff_table *t, const layout *l, ff_h5_table *to) {
    char *row = ff_malloc(l->bytes);
    bool good = row;
    for (size_t i = 0; good && i < t->rows; i++) {
        char *at = put_number(row, (double)i);
        for (size_t c = 0; c < t->columns; c++) {
            at = t->column[c].words ? put_text(at, word_of(t, i, c), l->columns[1 + c].width)
                                    : put_number(at, value_of(t, i, c));
        }
        put_text(at, t->reason[i] ? t->reason[i] : "", l->columns[t->columns + 1].width);
        good = ff_h5_add_row(to, row);
    }
    ff_free(row);
    return good;
}

static ff_status save_h5(const ff_table *t, const char *path, ff_error *error) {
    ff_error why = {""};
    layout l;
    if (!make_layout(t, &l)) {
        free_layout(&l, t->columns);
        return ff_trace_refuse(error, FF_NO_MEMORY, "%s", ff_status_text(FF_NO_MEMORY));
    }
    ff_h5 *file = ff_h5_create(path, l.count, (double)t->rows, 0, &why);
    bool good = file && ff_h5_group(file, "/parameters") && ff_h5_group(file, "/kept");
    ff_h5_table *to = good ? ff_h5_add_table(file, "/", l.columns, l.count) : NULL;
    good = to && ff_h5_put_text(file, "/", "kind", "footfall sweep", 0);
    for (size_t c = 0; good && c < t->columns; c++) {
        good = ff_h5_put_text(file, l.paths[c], "name", t->column[c].name, 0);
    }
    good = good && add_rows(t, &l, to) && ff_h5_publish(file);
    if (file && !good) {
        why = (ff_error){""};
        snprintf(why.text, sizeof why.text, "%s", ff_h5_why(file));
    }
    good = ff_h5_close(file, good ? &why : NULL) && good;
    free_layout(&l, t->columns);
    return good ? FF_OK : ff_trace_refuse(error, FF_NOT_WRITTEN, "%s: %s", path, why.text);
}

/* ---- both formats ---- */

ff_status ff_table_write(const ff_table *table, const char *path, ff_error *error) {
    const size_t length = strlen(path);
    const bool csv = length > 4 && strcmp(path + length - 4, ".csv") == 0;
    const ff_status status = ff_trace_check(path, error);
    return status < 0 || !table ? status
           : csv                ? save_csv(table, path, error)
                                : save_h5(table, path, error);
}
