/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "sheet.h"
#include "expr/tape.h"
#include "model/kinds.h"
#include "num/memory.h"
#include "reduction.h"
#include <ctype.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    ROW_MAX,
    ROW_MIN,
    ROW_MEAN,
    ROW_SUM,
    ROW_START,
    ROW_END,
    ROW_AT,
    ROW_ALL,
    ROW_SLOPE,
    ROW_BEND,
    ROW_REDUCTIONS
};

static const ff_reduction_name known[ROW_REDUCTIONS] = {
    [ROW_MAX] = {"max", 1, "max(x)"},          [ROW_MIN] = {"min", 1, "min(x)"},
    [ROW_MEAN] = {"mean", 1, "mean(x)"},       [ROW_SUM] = {"sum", 1, "sum(x)"},
    [ROW_START] = {"start", 1, "start(x)"},    [ROW_END] = {"end", 1, "end(x)"},
    [ROW_AT] = {"row", 2, "row(3, x)"},        [ROW_ALL] = {"all", 1, "all(a < b)"},
    [ROW_SLOPE] = {"slope", 2, "slope(x, y)"}, [ROW_BEND] = {"bend", 2, "bend(x, y)"},
};

/* Index of the pseudo-column `number`: the number of a row in its curve, from 1. */
#define NUMBER SIZE_MAX

/* A name in an expression of rows: a column or NUMBER, in the row itself, in an earlier row, or in the first row of
 * the curve. */
typedef struct cell {
    const ff_sheet *sheet;
    size_t column, before;
    char *name;
} cell;

enum { BEFORE_MOST = 2, FIRST, PLACEHOLDER = 24, REDUCTIONS_MOST = 100 };

typedef struct cells {
    cell *at;
    size_t count, room;
} cells;

static ff_status no_memory(ff_error *error) {
    return ff_model_fail(error, FF_NO_MEMORY, "%s", ff_status_text(FF_NO_MEMORY));
}

static void clear_cells(cells *c) {
    for (size_t i = 0; i < c->count; i++) {
        ff_free(c->at[i].name);
    }
    ff_free(c->at);
}

static bool in_word(char c) { return isalnum((unsigned char)c) || c == '_'; }

/* Whether a name occurs in a text, not as a part of a longer word: linear.t occurs in first.linear.t, not in weak_linear.t. */
static bool occurs(const char *text, const char *name) {
    const size_t length = strlen(name);
    for (const char *at = strstr(text, name); at; at = strstr(at + 1, name)) {
        if ((at == text || !in_word(at[-1]) || !in_word(*name)) &&
            (!in_word(at[length]) || !in_word(name[length - 1]))) {
            return true;
        }
    }
    return false;
}

/* Adds the names of a column that occur in a text; false if out of memory. */
static bool add_cells(cells *c, const ff_sheet *sheet, size_t column, bool bare, const char *text) {
    const char *own = column == NUMBER ? "number" : sheet->table->column[column].name;
    for (size_t before = 0; before <= (column == NUMBER ? 0 : FIRST); before++) {
        const size_t size = strlen(sheet->name) + strlen(own) + 9 * before + 2;
        char *name = ff_malloc(size);
        if (!name) {
            return false;
        }
        snprintf(name, size, "%s%s%s%s",
                 before == FIRST ? "first."
                 : before > 1    ? "previous.previous."
                 : before        ? "previous."
                                 : "",
                 bare ? "" : sheet->name, bare ? "" : ".", own);
        if (!occurs(text, name)) {
            ff_free(name);
            continue;
        }
        if (c->count == c->room) {
            const size_t room = 2 * c->room + 8;
            cell *more = ff_realloc(c->at, room * sizeof *more);
            if (!more) {
                ff_free(name);
                return false;
            }
            c->at = more;
            c->room = room;
        }
        c->at[c->count++] = (cell){sheet, column, before, name};
    }
    return true;
}

bool ff_sheet_together(const ff_sheet *sheet, size_t a, size_t b) {
    const ff_table *t = sheet->table;
    const size_t count = sheet->series || t->varied == 0 ? t->varied : t->varied - 1;
    bool same = true;
    for (size_t c = 0; c < count; c++) {
        same = same && t->values[a * t->columns + c] == t->values[b * t->columns + c];
    }
    return same;
}

/* Compiled expressions of rows. */
typedef struct rows {
    cells cells;
    ff_tape *tape;
    double *work;
    size_t count; /* number of rows */
    size_t first; /* first row of the curve of the last evaluated row */
} rows;

static void clear_rows(rows *r) {
    clear_cells(&r->cells);
    ff_tape_free(r->tape);
    ff_free(r->work);
}

/* Checks that all tables of the expression have the same number of rows, or one. */
static ff_status count_rows(rows *r, ff_error *error) {
    r->count = 1;
    for (size_t i = 0; i < r->cells.count; i++) {
        const ff_table *t = r->cells.at[i].sheet->table;
        if (t->rows != 1 && r->count != 1 && t->rows != r->count) {
            return ff_model_fail(error, FF_BAD_VALUE, "'%.60s' has %zu rows, and others have %zu",
                                 r->cells.at[i].name, t->rows, r->count);
        }
        r->count = t->rows != 1 ? t->rows : r->count;
    }
    return FF_OK;
}

static ff_status compile(rows *r, const char *text, ff_error *error) {
    const size_t count = r->cells.count, one = 1;
    ff_expr_pool *pool = ff_expr_pool_create();
    ff_expr_name_def *defs = ff_calloc(count + 1, sizeof *defs);
    const char **words = ff_calloc(count + 1, sizeof *words);
    ff_expr_error why = {0};
    ff_expr_facts facts;
    ff_expr e = 0;
    ff_status status = pool && defs && words ? FF_OK : FF_NO_MEMORY;
    for (size_t i = 0; i < count && status >= 0; i++) {
        words[i] = r->cells.at[i].name;
        defs[i] = (ff_expr_name_def){.name = words[i], .length = 1, .measure = FF_MEASURE_FREE};
    }
    const ff_expr_scope scope = {defs, count, NULL, 0};
    if (status >= 0) {
        e = ff_expr_parse(pool, text, words, count, &why);
        status = e ? ff_expr_check(pool, &e, 1, &scope, false, &facts, &why) : FF_BAD_VALUE;
    }
    if (status >= 0) {
        status = ff_tape_compile(pool, &e, &one, 1, 1, &scope, &r->tape, &why);
    }
    if (status >= 0) {
        r->work = ff_malloc(ff_tape_room(r->tape) * sizeof *r->work);
        status = r->work ? FF_OK : FF_NO_MEMORY;
    }
    if (status >= 0) {
        ff_tape_begin(r->tape, r->work);
    }
    if (pool && ff_reduction_no_memory(pool, &why)) {
        status = FF_NO_MEMORY;
    }
    ff_expr_pool_free(pool);
    ff_free(defs);
    ff_free(words);
    return status == FF_NO_MEMORY ? no_memory(error)
           : status < 0 ? ff_model_fail(error, FF_BAD_VALUE, "'%.80s': %s", text, why.text)
                        : FF_OK;
}

/* Evaluates a row; false if an earlier row is needed that does not exist. Rows must be evaluated in order. */
static bool evaluate(rows *r, size_t row, double *value) {
    for (size_t i = 0; i < r->cells.count; i++) {
        const cell *c = &r->cells.at[i];
        const ff_table *t = c->sheet->table;
        const size_t at = t->rows == 1 ? 0 : row;
        if (at == 0 || !ff_sheet_together(c->sheet, at - 1, at)) {
            r->first = at;
        }
        if (c->before < FIRST &&
            (at < c->before || !ff_sheet_together(c->sheet, at, at - c->before))) {
            return false;
        }
        const size_t row_at = c->before == FIRST ? r->first : at - c->before;
        r->work[i] = c->column == NUMBER ? (double)(at - r->first + 1)
                                         : t->values[row_at * t->columns + c->column];
    }
    ff_tape_run(r->tape, 0, r->work);
    *value = r->work[ff_tape_place(r->tape, 0)];
    return true;
}

ff_status ff_sheet_rows(const ff_sheet *sheet, const char *text, double **values, ff_error *error) {
    rows r = {0};
    bool good = true;
    for (size_t c = 0; c < sheet->table->columns && good; c++) {
        good = sheet->table->column[c].words || add_cells(&r.cells, sheet, c, true, text);
    }
    good = good && add_cells(&r.cells, sheet, NUMBER, true, text);
    ff_status status = good ? compile(&r, text, error) : no_memory(error);
    *values = status < 0 ? NULL : ff_malloc((sheet->table->rows + 1) * sizeof **values);
    if (status >= 0 && !*values) {
        status = no_memory(error);
    }
    for (size_t i = 0; status >= 0 && i < sheet->table->rows; i++) {
        if (!evaluate(&r, i, &(*values)[i])) {
            (*values)[i] = NAN;
        }
    }
    clear_rows(&r);
    return status;
}

/* ---- reductions ---- */

/* Compiles an expression of the columns of all tables. */
static ff_status open_rows(const ff_sheet *sheets, size_t count, const char *text, rows *r,
                           ff_error *error) {
    bool good = true;
    for (size_t s = 0; s < count && good; s++) {
        for (size_t c = 0; c < sheets[s].table->columns && good; c++) {
            good = sheets[s].table->column[c].words ||
                   add_cells(&r->cells, &sheets[s], c, false, text);
        }
    }
    const ff_status status = good ? compile(r, text, error) : no_memory(error);
    return status < 0 ? status : count_rows(r, error);
}

/* Fits a straight line to y over x by least squares: its slope, and the largest distance of y from it. */
static void fit_line(const double *x, const double *y, size_t count, double *slope, double *bend) {
    double mx = 0, my = 0, xx = 0, xy = 0, most = 0;
    for (size_t i = 0; i < count; i++) {
        mx += x[i] / (double)count;
        my += y[i] / (double)count;
    }
    for (size_t i = 0; i < count; i++) {
        xx += (x[i] - mx) * (x[i] - mx);
        xy += (x[i] - mx) * (y[i] - my);
    }
    for (size_t i = 0; i < count; i++) {
        most = ff_max(most, fabs(y[i] - my - xy / xx * (x[i] - mx)));
    }
    *slope = xy / xx;
    *bend = most;
}

/* slope(x, y) of the last curve, and bend(x, y), the largest of all curves. */
static ff_status reduce_line(const ff_sheet *sheets, size_t count, size_t kind, const char *x_text,
                             const char *y_text, double *out, ff_error *error) {
    rows x = {0}, y = {0};
    double *values = NULL, slope = NAN, bend = 0, most = 0;
    ff_status status = open_rows(sheets, count, x_text, &x, error);
    status = status < 0 ? status : open_rows(sheets, count, y_text, &y, error);
    const size_t n = x.count;
    if (status >= 0 && (y.count != n || n < 2)) {
        status = ff_model_fail(error, FF_BAD_VALUE, "a line needs 2 rows or more of both: %zu, %zu",
                               n, y.count);
    }
    if (status >= 0 && !(values = ff_malloc(2 * n * sizeof *values))) {
        status = no_memory(error);
    }
    for (size_t i = 0, first = 0; status >= 0 && i < n; i++) {
        if (!evaluate(&x, i, &values[i]) || !evaluate(&y, i, &values[n + i])) {
            status = ff_model_fail(error, FF_BAD_VALUE, "a line has no previous rows");
        } else if (i + 1 == n || !ff_sheet_together(y.cells.at[0].sheet, i, i + 1)) {
            fit_line(values + first, values + n + first, i + 1 - first, &slope, &bend);
            most = ff_max(most, bend);
            first = i + 1;
        }
    }
    *out = kind == ROW_SLOPE ? slope : most;
    ff_free(values);
    clear_rows(&x);
    clear_rows(&y);
    return status;
}

static ff_status reduce(const ff_sheet *sheets, size_t count, size_t kind, size_t number,
                        const char *text, double *out, ff_error *error) {
    rows r = {0};
    ff_status status = open_rows(sheets, count, text, &r, error);
    double value = 0, x;
    size_t seen = 0;
    for (size_t i = 0; status >= 0 && i < r.count; i++) {
        if (!evaluate(&r, i, &x)) {
            continue;
        }
        seen++;
        switch (kind) {
        case ROW_MAX: value = seen == 1 ? x : ff_max(value, x); break;
        case ROW_MIN: value = seen == 1 ? x : ff_min(value, x); break;
        case ROW_MEAN:
        case ROW_SUM: value += x; break;
        case ROW_START: value = seen == 1 ? x : value; break;
        case ROW_END: value = x; break;
        case ROW_AT: value = seen == number ? x : value; break;
        default: value = seen == 1 || value == 1 ? x == 1 : 0; break;
        }
    }
    if (status >= 0 && ((seen == 0 && kind != ROW_SUM) || (kind == ROW_AT && number > seen))) {
        status = ff_model_fail(error, FF_BAD_VALUE, "'%.80s' has %zu rows", text, seen);
    }
    *out = kind == ROW_MEAN ? value / (double)seen : value;
    clear_rows(&r);
    return status;
}

/* Reads the arguments of a reduction. */
static ff_status read_reduction(const ff_sheet *sheets, size_t count, const char *text,
                                const ff_reduction_text *at, double *out, ff_error *error) {
    const bool line = at->kind == ROW_SLOPE || at->kind == ROW_BEND;
    const size_t x = at->kind == ROW_AT || line ? 1 : 0;
    size_t number = 0;
    char *first = ff_malloc(at->length[0] + 1);
    char *part = ff_malloc(at->length[x] + 1);
    if (!part || !first) {
        ff_free(part);
        ff_free(first);
        return no_memory(error);
    }
    snprintf(part, at->length[x] + 1, "%s", text + at->part[x]);
    snprintf(first, at->length[0] + 1, "%s", text + at->part[0]);
    if (at->kind == ROW_AT) {
        number = (size_t)strtoul(text + at->part[0], NULL, 10);
    }
    ff_status status =
        at->kind == ROW_AT && number == 0
            ? ff_model_fail(error, FF_BAD_VALUE, "row(3, x) is wanted, with a number from 1")
        : line ? reduce_line(sheets, count, at->kind, first, part, out, error)
               : reduce(sheets, count, at->kind, number, part, out, error);
    ff_free(part);
    ff_free(first);
    return status;
}

ff_status ff_sheet_value(const ff_sheet *sheets, size_t count, const char *text, double *value,
                         ff_error *error) {
    static const size_t most = REDUCTIONS_MOST;
    char *outer = ff_malloc(strlen(text) + 1);
    char(*names)[PLACEHOLDER] = ff_malloc(most * sizeof *names);
    const char **words = ff_malloc(most * sizeof *words);
    ff_expr_name_def *defs = ff_calloc(most, sizeof *defs);
    double *values = ff_malloc(most * sizeof *values);
    ff_expr_pool *pool = ff_expr_pool_create();
    ff_expr_error why = {0};
    ff_reduction_text at = {0};
    size_t used = 0;
    ff_status status = outer && names && words && defs && values && pool ? FF_OK : no_memory(error);
    if (status >= 0) {
        strcpy(outer, text);
    }
    while (status >= 0 &&
           (status = ff_reduction_find(text, at.to, known, ROW_REDUCTIONS, &at, error)) >= 0) {
        if (used == most) {
            status = ff_model_fail(error, FF_BAD_VALUE, "more than %zu reductions", most);
            break;
        }
        status = read_reduction(sheets, count, text, &at, &values[used], error);
        const int length = snprintf(names[used], PLACEHOLDER, "_%zu", used);
        memset(outer + at.from, ' ', at.to - at.from);
        memcpy(outer + at.from, names[used], (size_t)length);
        words[used] = names[used];
        defs[used] = (ff_expr_name_def){
            .name = names[used], .length = 1, .measure = FF_MEASURE_FREE, .value = &values[used]};
        used++;
    }
    if (status == FF_MISSING) {
        const ff_expr e = ff_expr_parse(pool, outer, words, used, &why);
        const ff_expr_scope scope = {defs, used, NULL, 0};
        status = e ? ff_expr_value(pool, e, &scope, value, 1, &why) : FF_BAD_VALUE;
        if (ff_reduction_no_memory(pool, &why)) {
            status = FF_NO_MEMORY;
        }
        if (status < 0) {
            ff_model_fail(error, status, "'%.100s': %s", text,
                          status == FF_NO_MEMORY ? ff_status_text(status) : why.text);
        }
    }
    ff_expr_pool_free(pool);
    ff_free(outer);
    ff_free(names);
    ff_free(words);
    ff_free(defs);
    ff_free(values);
    return status;
}
