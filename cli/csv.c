/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "csv.h"
#include <ctype.h>
#include <errno.h>
#include <footfall/unit.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A million rows of forces and times take about 30 MB. */
#define LARGEST ((size_t)256 << 20)

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

/* Reads the whole file and appends a 0. */
static char *read_all(FILE *in, size_t *length, const place *at) {
    size_t room = 1 << 16, used = 0;
    char *text = malloc(room);
    while (text) {
        used += fread(text + used, 1, room - 1 - used, in);
        if (used + 1 < room || room > LARGEST) {
            break;
        }
        char *more = realloc(text, room *= 2);
        if (!more) {
            free(text);
        }
        text = more;
    }
    if (!text) {
        wrong(at, 1, "out of memory");
        return NULL;
    }
    if (ferror(in) || room > LARGEST) {
        wrong(at, 1, ferror(in) ? "cannot be read" : "the file is larger than 256 MB");
        free(text);
        return NULL;
    }
    text[used] = '\0';
    *length = used;
    return text;
}

/* without surrounding spaces */
static char *trimmed(char *from, char *end) {
    while (from < end && isspace((unsigned char)*from)) {
        from++;
    }
    while (end > from && isspace((unsigned char)end[-1])) {
        end--;
    }
    *end = '\0';
    return from;
}

/* splits the next field off `*rest`, without surrounding spaces and quotes */
static char *next_field(char **rest, char mark) {
    char *field = *rest, *end = strchr(field, mark);
    *rest = end ? end + 1 : NULL;
    end = end ? end : field + strlen(field);
    field = trimmed(field, end);
    const size_t length = strlen(field);
    if (length >= 2 && field[0] == '"' && field[length - 1] == '"') {
        field = trimmed(field + 1, field + length - 1);
    }
    return field;
}

/* splits `speed [m/s]` into name and unit */
static int split_unit(char *name, char **unit, const place *at, size_t column) {
    char *open = strpbrk(name, "[(");
    const size_t length = strlen(name);
    *unit = name + length;
    if (open) {
        if (name[length - 1] != (*open == '[' ? ']' : ')')) {
            return wrong(at, column,
                         "write the unit of a column after its name in brackets: 'speed [m/s]'");
        }
        *unit = trimmed(open + 1, name + length - 1);
        /* `[-]` and `[1]` mean dimensionless */
        *unit += strcmp(*unit, "-") == 0 || strcmp(*unit, "1") == 0;
        trimmed(name, open);
    }
    for (char *c = name; *c; c++) {
        *c = *c == ' ' || *c == '-' ? '_' : (char)tolower((unsigned char)*c);
    }
    return 0;
}

static bool is_number(const char *text) {
    double value;
    return ff_quantity_parse(text, (ff_dimension){0, 0, 0}, &value, NULL, 0) == 0;
}

static int read_names(csv *out, char *line, char mark, const place *at) {
    size_t most = 1;
    for (const char *c = line; *c; c++) {
        most += *c == mark;
    }
    out->head = at->line;
    out->names = calloc(most, sizeof *out->names);
    out->units = calloc(most, sizeof *out->units);
    out->name_places = calloc(most, sizeof *out->name_places);
    if (!out->names || !out->units || !out->name_places) {
        return wrong(at, 1, "out of memory");
    }
    for (char *rest = line; rest;) {
        const size_t column = (size_t)(rest - line) + 1, i = out->columns;
        char *name = next_field(&rest, mark), reason[160];
        int status = split_unit(name, &out->units[i], at, column);
        if (status) {
            return status;
        }
        if (is_number(name)) {
            snprintf(reason, sizeof reason,
                     "'%.40s' is a number: the first line has the names of the columns", name);
            return wrong(at, column, reason);
        }
        if (*name == '\0') {
            return wrong(at, column, "a column has no name");
        }
        for (size_t j = 0; j < i; j++) {
            if (strcmp(out->names[j], name) == 0) {
                return wrong(at, column, "two columns have the same name");
            }
        }
        out->names[i] = name;
        out->name_places[i] = column;
        out->columns++;
    }
    return 0;
}

static int read_row(csv *out, char *line, char mark, const place *at) {
    const size_t first = out->rows * out->columns;
    size_t i = 0;
    const size_t length = strlen(line);
    for (char *rest = line; rest; i++) {
        size_t column = (size_t)(rest - line) + 1;
        char *field = next_field(&rest, mark);
        if (i == out->columns) {
            return wrong(at, column, "more fields than the first line has names");
        }
        out->cells[first + i] = field;
        out->places[first + i] = column;
    }
    out->lines[out->rows++] = at->line;
    return i == out->columns ? 0
                             : wrong(at, length + 1, "fewer fields than the first line has names");
}

/* makes room for one row more */
static bool has_room(csv *out, size_t *room) {
    if (out->rows < *room) {
        return true;
    }
    const size_t larger = *room ? 2 * *room : 64, fields = larger * out->columns;
    char **cells = realloc(out->cells, fields * sizeof *cells);
    out->cells = cells ? cells : out->cells;
    int *lines = realloc(out->lines, larger * sizeof *lines);
    out->lines = lines ? lines : out->lines;
    size_t *places = realloc(out->places, fields * sizeof *places);
    out->places = places ? places : out->places;
    *room = larger;
    return cells && lines && places;
}

static int read_lines(csv *out, size_t length, place *at) {
    size_t room = 0;
    int status = 0;
    char mark = ',', *end = out->text + length;
    /* skip the byte order mark that some programs write */
    char *next = out->text + (strncmp(out->text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0);
    while (!status && next < end) {
        char *line = next, *stop = memchr(line, '\n', (size_t)(end - line));
        stop = stop ? stop : end;
        next = stop + 1;
        *stop = '\0';
        at->line++;
        if (strlen(line) != (size_t)(stop - line)) {
            return wrong(at, strlen(line) + 1, "the file contains a 0 byte: it is not a text");
        }
        if (stop > line && stop[-1] == '\r') {
            stop[-1] = '\0';
        }
        const char *start = line + strspn(line, " \t\r");
        if (*start == '\0' || *start == '#') {
            continue;
        }
        if (!out->names) {
            mark = strchr(line, ';') ? ';' : strchr(line, ',') ? ',' : '\t';
            status = read_names(out, line, mark, at);
        } else {
            status = has_room(out, &room) ? read_row(out, line, mark, at)
                                          : wrong(at, 1, "out of memory");
        }
    }
    if (!status && out->rows == 0) {
        at->line++;
        status = wrong(at, 1, "no data");
    }
    return status;
}

int csv_read(csv *out, const char *path, char *why, size_t why_size) {
    place at = {path, 0, why, why_size};
    size_t length = 0;
    int status = 2;
    *out = (csv){0};
    FILE *in = fopen(path, "rb");
    if (!in) {
        snprintf(why, why_size, "%s: %s", path, strerror(errno));
        return 2;
    }
    out->text = read_all(in, &length, &at);
    fclose(in);
    if (out->text) {
        status = read_lines(out, length, &at);
    }
    if (status) {
        csv_clear(out);
    }
    return status;
}

void csv_clear(csv *c) {
    free(c->text);
    free(c->names);
    free(c->units);
    free(c->cells);
    free(c->lines);
    free(c->places);
    free(c->name_places);
    *c = (csv){0};
}

int csv_find(const csv *c, const char *name) {
    for (size_t i = 0; i < c->columns; i++) {
        if (strcmp(c->names[i], name) == 0) {
            return (int)i;
        }
    }
    return -1;
}

static bool same_dimension(const ff_unit *a, const ff_unit *b) {
    return a->dim.kg == b->dim.kg && a->dim.m == b->dim.m && a->dim.s == b->dim.s &&
           a->hertz == b->hertz;
}

/* Powers of ten in the unit are merged into the number, so that `154 [g]` gives the same double as `154 g`. */
static int parse_cell(const char *cell, const char *unit, ff_dimension wanted, double *out,
                      char *reason, size_t size) {
    char both[200];
    double plain;
    const bool bare =
        *unit && ff_quantity_parse(cell, (ff_dimension){0, 0, 0}, &plain, NULL, 0) == 0;
    if ((size_t)snprintf(both, sizeof both, "%s %s", cell, unit) >= sizeof both) {
        snprintf(reason, size, "'%.40s...' is too long for a number", cell);
        return 2;
    }
    if (ff_quantity_parse(bare ? both : cell, wanted, out, reason, size) == 0) {
        return 0;
    }
    if (strchr(cell, ',')) {
        const size_t used = strlen(reason);
        snprintf(reason + used, size - used, " (a decimal point is expected, not a comma)");
    }
    return 2;
}

int csv_numbers(const csv *c, const char *path, size_t column, const char *unit, double *out,
                char *why, size_t why_size) {
    place at = {path, c->head, why, why_size};
    ff_unit wanted, own;
    char reason[260];
    ff_unit_parse(unit, NULL, &wanted, NULL, 0);
    own = wanted;
    if (*c->units[column] && ff_unit_parse(c->units[column], NULL, &own, reason, sizeof reason)) {
        return wrong(&at, c->name_places[column], reason);
    }
    if (!same_dimension(&own, &wanted)) {
        char text[80];
        snprintf(reason, sizeof reason, "the unit of '%.60s' is '%.60s', but must be one of %s",
                 c->names[column], c->units[column],
                 strcmp(unit, "1") == 0 ? "a pure number"
                                        : ff_dimension_units(wanted.dim, text, sizeof text));
        return wrong(&at, c->name_places[column], reason);
    }
    for (size_t row = 0; row < c->rows; row++) {
        const char *cell = c->cells[row * c->columns + column];
        out[row] = (double)NAN;
        at.line = c->lines[row];
        if (*cell &&
            parse_cell(cell, c->units[column], wanted.dim, &out[row], reason, sizeof reason)) {
            return wrong(&at, c->places[row * c->columns + column], reason);
        }
    }
    return 0;
}
