/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#define _POSIX_C_SOURCE 200809L
#include "table.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *table_colour(FILE *out, table_tone tone) {
    static const char *const codes[] = {"\033[0m", "\033[1m", "\033[2m", "\033[31m", "\033[32m"};
    const char *off = getenv("NO_COLOR");
    return (off && *off) || !isatty(fileno(out)) ? "" : codes[tone];
}

void table_init(table *t, const table_column *columns, size_t column_count) {
    *t = (table){.columns = columns, .column_count = column_count};
}

void table_clear(table *t) {
    free(t->cells);
    table_init(t, t->columns, t->column_count);
}

static void add_cell(table *t, table_cell cell) {
    if (t->count == t->room) {
        t->room = t->room ? 2 * t->room : 64;
        t->cells = realloc(t->cells, t->room * sizeof *t->cells);
        if (!t->cells) {
            fprintf(stderr, "footfall: out of memory\n");
            exit(1);
        }
    }
    t->cells[t->count++] = cell;
}

void table_number(table *t, double value) { add_cell(t, (table_cell){.number = value}); }

void table_text(table *t, const char *text) { add_cell(t, (table_cell){.text = text}); }

static const char *cell_text(const table_cell *cell, char *buf, size_t size) {
    if (cell->text) {
        return cell->text;
    }
    snprintf(buf, size, isnan(cell->number) ? "-" : "%.6g", cell->number);
    return buf;
}

size_t table_width(const char *text, size_t bytes) {
    size_t width = 0;
    for (size_t i = 0; i < bytes && text[i]; i++) {
        width += ((unsigned char)text[i] & 0xc0) != 0x80;
    }
    return width;
}

static int text_width(const char *text) { return (int)table_width(text, strlen(text)); }

/* Prints a cell; blanks are kept in *pending until something follows in the row. */
static void put_cell(FILE *out, const char *text, int width, bool right, int *pending) {
    int blanks = width - text_width(text);
    *pending += right ? blanks : 0;
    if (*text) {
        fprintf(out, "%*s%s", *pending, "", text);
        *pending = 0;
    }
    *pending += (right ? 0 : blanks) + 2;
}

void table_print(const table *t, FILE *out) {
    const size_t n = t->column_count;
    int *widths = calloc(n ? n : 1, sizeof *widths);
    bool *right = calloc(n ? n : 1, sizeof *right), units = false;
    if (!widths || !right) {
        fprintf(stderr, "footfall: out of memory\n");
        exit(1);
    }
    char buf[32];
    for (size_t c = 0; c < n; c++) {
        const char *unit = t->columns[c].unit ? t->columns[c].unit : "";
        int name_width = text_width(t->columns[c].name), unit_width = text_width(unit);
        widths[c] = name_width > unit_width ? name_width : unit_width;
        units |= *unit != '\0';
        right[c] = true;
    }
    for (size_t i = 0; i < t->count; i++) {
        int width = text_width(cell_text(&t->cells[i], buf, sizeof buf));
        if (width > widths[i % n]) {
            widths[i % n] = width;
        }
        if (t->cells[i].text) {
            right[i % n] = false;
        }
    }

    int pending = 0;
    fputs(table_colour(out, TONE_BOLD), out);
    for (size_t c = 0; c < n; c++) {
        put_cell(out, t->columns[c].name, widths[c], right[c], &pending);
    }
    fprintf(out, "%s\n", table_colour(out, TONE_PLAIN));
    pending = 0;
    if (units) {
        fputs(table_colour(out, TONE_DIM), out);
        for (size_t c = 0; c < n; c++) {
            put_cell(out, t->columns[c].unit ? t->columns[c].unit : "", widths[c], right[c],
                     &pending);
        }
        fprintf(out, "%s\n", table_colour(out, TONE_PLAIN));
    }
    for (size_t i = 0; i < t->count; i++) {
        size_t c = i % n;
        if (c == 0) {
            pending = 0;
        }
        put_cell(out, cell_text(&t->cells[i], buf, sizeof buf), widths[c], right[c], &pending);
        if (c + 1 == n) {
            fputc('\n', out);
        }
    }
    free(right);
    free(widths);
}
