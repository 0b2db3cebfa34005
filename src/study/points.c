/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "points.h"
#include "expr/tree.h"
#include "model/kinds.h"
#include "num/memory.h"
#include "table.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS_MOST = 100 };

/* The next line that is not a comment, null-terminated; NULL at the end. */
static char *next_line(char **rest, size_t *line) {
    while (*rest && **rest) {
        char *at = *rest, *end = strchr(at, '\n');
        *rest = end ? end + 1 : NULL;
        ++*line;
        at[strcspn(at, "\r\n")] = '\0';
        at += strspn(at, " \t");
        if (*at && *at != '#') {
            return at;
        }
    }
    return NULL;
}

/* Splits a line into its fields, without surrounding blanks. */
static size_t split(char *line, char *fields[COLUMNS_MOST]) {
    size_t count = 0;
    for (char *at = line; at && count < COLUMNS_MOST; count++) {
        char *comma = strchr(at, ','), *end;
        if (comma) {
            *comma = '\0';
        }
        at += strspn(at, " \t");
        for (end = at + strlen(at); end > at && isspace((unsigned char)end[-1]);) {
            *--end = '\0';
        }
        fields[count] = at;
        at = comma ? comma + 1 : NULL;
    }
    return count;
}

static ff_status read_rows(char *text, size_t rows, ff_table **out, size_t *line, ff_error *error) {
    char *rest = text, *fields[COLUMNS_MOST], *head = next_line(&rest, line);
    ff_table_column columns[COLUMNS_MOST];
    const size_t count = head ? split(head, fields) : 0;
    double *values = NULL;
    for (size_t c = 0; c < count; c++) {
        if (!ff_expr_is_name(fields[c])) {
            return ff_model_fail(error, FF_BAD_VALUE, "'%.60s' cannot be the name of a column",
                                 fields[c]);
        }
        columns[c] = (ff_table_column){.name = fields[c], .unit = ""};
    }
    if (count == 0) {
        return ff_model_fail(error, FF_BAD_VALUE, "names of columns are wanted, as speed,force");
    }
    *out = ff_table_create(columns, count, 0, 1, rows, NULL, NULL, &values);
    if (!*out) {
        return ff_model_fail(error, FF_NO_MEMORY, "%s", ff_status_text(FF_NO_MEMORY));
    }
    for (char *at; (at = next_line(&rest, line)); values += count) {
        const size_t here = split(at, fields);
        if (here != count) {
            return ff_model_fail(error, FF_BAD_VALUE, "%zu columns, and the first line has %zu",
                                 here, count);
        }
        for (size_t c = 0; c < count; c++) {
            char *end;
            values[c] = strtod(fields[c], &end);
            if (*end || end == fields[c]) {
                return ff_model_fail(error, FF_BAD_VALUE, "'%.60s' is not a number", fields[c]);
            }
        }
    }
    return FF_OK;
}

ff_status ff_points_table(const char *text, ff_table **out, size_t *line, ff_error *error) {
    const size_t size = strlen(text) + 1;
    char *copy = ff_malloc(size);
    size_t rows = 0;
    *line = 0;
    *out = NULL;
    if (!copy) {
        return ff_model_fail(error, FF_NO_MEMORY, "%s", ff_status_text(FF_NO_MEMORY));
    }
    memcpy(copy, text, size);
    for (char *rest = copy; next_line(&rest, line);) {
        rows++;
    }
    memcpy(copy, text, size);
    *line = 0;
    const ff_status status = read_rows(copy, rows ? rows - 1 : 0, out, line, error);
    if (status < 0) {
        ff_free(*out);
        *out = NULL;
    }
    ff_free(copy);
    return status;
}
