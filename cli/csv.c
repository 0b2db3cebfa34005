/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#define _POSIX_C_SOURCE 200809L
#include "csv.h"
#include <ctype.h>
#include <errno.h>
#include <footfall/unit.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

typedef struct {
    const char *path;
    int line;
    char *why;
    size_t why_size;
} place;

static int wrong(const place *at, size_t column, const char *text) {
    snprintf(at->why, at->why_size, "%s:%d:%zu: %s", at->path, at->line, column, text);
    return 2;
}

/* cuts the next field off `*rest`, without the spaces around it */
static char *next_field(char **rest) {
    char *field = *rest, *end = strchr(field, ',');
    *rest = end ? end + 1 : NULL;
    end = end ? end : field + strlen(field);
    *end = '\0';
    while (isspace((unsigned char)*field)) {
        field++;
    }
    while (end > field && isspace((unsigned char)end[-1])) {
        *--end = '\0';
    }
    return field;
}

static int read_names(csv *out, char *line, const place *at) {
    for (char *rest = line; rest;) {
        size_t column = (size_t)(rest - line) + 1;
        char *name = next_field(&rest);
        char **names = realloc(out->names, (out->columns + 1) * sizeof *names);
        out->names = names ? names : out->names;
        size_t *places = realloc(out->name_places, (out->columns + 1) * sizeof *places);
        out->name_places = places ? places : out->name_places;
        if (!names || !places || !(names[out->columns] = strdup(name))) {
            return wrong(at, column, "out of memory");
        }
        places[out->columns++] = column;
        out->head = at->line;
        for (size_t i = 0; i + 1 < out->columns; i++) {
            if (strcmp(names[i], name) == 0) {
                return wrong(at, column, "two columns have the same name");
            }
        }
        if (*name == '\0') {
            return wrong(at, column, "a column has no name");
        }
    }
    return 0;
}

/* rows are collected one after another and turned into columns at the end */
static int read_row(const csv *out, char *line, double *row, size_t *places, const place *at) {
    size_t i = 0;
    for (char *rest = line; rest; i++) {
        size_t column = (size_t)(rest - line) + 1;
        char *field = next_field(&rest), reason[160];
        if (i == out->columns) {
            return wrong(at, column, "more fields than the first line has names");
        }
        row[i] = NAN;
        places[i] = column;
        if (*field &&
            ff_quantity_parse(field, (ff_dimension){0, 0, 0}, &row[i], reason, sizeof reason)) {
            return wrong(at, column, reason);
        }
    }
    return i == out->columns
               ? 0
               : wrong(at, strlen(line) + 1, "fewer fields than the first line has names");
}

static int read_lines(csv *out, FILE *in, double **rows, place *at) {
    char *line = NULL;
    size_t size = 0, room = 0;
    int status = 0;
    for (ssize_t length; !status && (length = getline(&line, &size, in)) >= 0;) {
        at->line++;
        if (strlen(line) != (size_t)length) {
            status = wrong(at, strlen(line) + 1, "a byte that is 0: this is no text");
            continue;
        }
        const char *start = line + strspn(line, " \t\r\n");
        if (*start == '\0' || *start == '#') {
            continue;
        }
        if (!out->names) {
            status = read_names(out, line, at);
            continue;
        }
        if (out->rows == room) {
            const size_t larger = room ? 2 * room : 64;
            double *more = realloc(*rows, larger * out->columns * sizeof *more);
            *rows = more ? more : *rows;
            int *lines = realloc(out->lines, larger * sizeof *lines);
            out->lines = lines ? lines : out->lines;
            size_t *places = realloc(out->places, larger * out->columns * sizeof *places);
            out->places = places ? places : out->places;
            if (!more || !lines || !places) {
                status = wrong(at, 1, "out of memory");
                break;
            }
            room = larger;
        }
        size_t first = out->rows * out->columns;
        status = read_row(out, line, *rows + first, out->places + first, at);
        out->lines[out->rows++] = at->line;
    }
    free(line);
    if (!status && ferror(in)) {
        status = wrong(at, 1, "cannot be read");
    }
    if (!status && out->rows == 0) {
        at->line++;
        status = wrong(at, 1, "no data");
    }
    return status;
}

int csv_read(csv *out, const char *path, char *why, size_t why_size) {
    place at = {path, 0, why, why_size};
    double *rows = NULL;
    *out = (csv){0};
    FILE *in = fopen(path, "r");
    if (!in) {
        snprintf(why, why_size, "%s: %s", path, strerror(errno));
        return 2;
    }
    int status = read_lines(out, in, &rows, &at);
    fclose(in);
    if (!status && !(out->values = malloc(out->rows * out->columns * sizeof *out->values))) {
        status = wrong(&at, 1, "out of memory");
    }
    for (size_t i = 0; !status && i < out->rows * out->columns; i++) {
        out->values[i % out->columns * out->rows + i / out->columns] = rows[i];
    }
    free(rows);
    if (status) {
        csv_clear(out);
    }
    return status;
}

void csv_clear(csv *c) {
    for (size_t i = 0; i < c->columns; i++) {
        free(c->names[i]);
    }
    free(c->names);
    free(c->values);
    free(c->lines);
    free(c->places);
    free(c->name_places);
    *c = (csv){0};
}

const double *csv_column(const csv *c, const char *name) {
    for (size_t i = 0; i < c->columns; i++) {
        if (strcmp(c->names[i], name) == 0) {
            return c->values + i * c->rows;
        }
    }
    return NULL;
}
