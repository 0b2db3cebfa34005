/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "num/memory.h"
#include "study_reader.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct curve_keys {
    const ff_node *table, *x, *y, *z, *where, *name, *value, *style, *colour, *colours;
} curve_keys;

static const ff_key curve_fields[] = {
    FF_NODE_KEY(curve_keys, table),  FF_NODE_KEY(curve_keys, x),
    FF_NODE_KEY(curve_keys, y),      FF_NODE_KEY(curve_keys, name),
    FF_NODE_KEY(curve_keys, value),  FF_NODE_KEY(curve_keys, style),
    FF_NODE_KEY(curve_keys, colour), FF_NODE_KEY(curve_keys, colours),
    FF_NODE_KEY(curve_keys, where),  FF_NODE_KEY(curve_keys, z),
};
/* Most expressions of a curve along each axis: the points of a line that is drawn for each row. */
enum { CURVE_POINTS = 32 };

/* The name of a curve, with %g replaced by a number. */
static char *curve_name(const char *name, double value) {
    const char *at = strstr(name, "%g");
    const size_t size = strlen(name) + 40;
    char *out = ff_malloc(size);
    if (out && at) {
        snprintf(out, size, "%.*s%g%s", (int)(at - name), name, value, at + 2);
    } else if (out) {
        snprintf(out, size, "%s", name);
    }
    return out;
}

/* The number of expressions of a curve along an axis, given as a text or a list of texts. */
static size_t expressions_of(ff_study_reader *r, const ff_node *node, const ff_node *owner,
                             const char *key, const char *out[CURVE_POINTS]) {
    if (!node) {
        ff_study_refuse(r, owner, "'%s' is missing", key);
        return 0;
    }
    return ff_study_list(r, node, key, out, CURVE_POINTS);
}

/* The values of `count` expressions in each row; if there are several, each row is a separate line and ends with
 * NAN. Rows in which `where` is not 1 are NAN. */
static double *row_values(ff_study_reader *r, const ff_node *node, const ff_sheet *sheet,
                          const char *const *given, size_t count, const double *where) {
    const size_t rows = sheet->table->rows, each = count > 1 ? count + 1 : 1;
    double *out = ff_malloc((rows * each + 1) * sizeof *out);
    ff_error error = {""};
    if (!out) {
        ff_study_no_memory(r);
    }
    for (size_t i = 0; out && i < count && r->status >= 0; i++) {
        double *one = NULL;
        const ff_status status = ff_sheet_rows(sheet, given[i], &one, &error);
        if (status < 0) {
            ff_study_refuse_status(r, node, status, &error);
        }
        for (size_t k = 0; k < rows && status >= 0; k++) {
            out[k * each + i] = where && where[k] != 1 ? (double)NAN : one[k];
            out[k * each + each - 1] = count > 1 ? (double)NAN : out[k * each];
        }
        ff_free(one);
    }
    return out;
}

void ff_study_read_curves(ff_study_reader *r, const ff_node *node, ff_study_figure *f) {
    static const char *const styles[] = {"lines", "points", "dotted", "heat", "histogram"};
    curve_keys k = {0};
    double *labels = NULL, *where = NULL;
    ff_error error = {""};
    ff_study_map(r, "a curve", node, curve_fields, FF_COUNT(curve_fields), &k);
    const char *xs[CURVE_POINTS], *ys[CURVE_POINTS];
    const size_t count = expressions_of(r, k.x, node, "x", xs);
    const char *table = ff_study_need(r, k.table, node, "table"),
               *name = ff_study_text(r, k.name, "name"),
               *value = ff_study_text(r, k.value, "value"),
               *style = ff_study_text(r, k.style, "style"),
               *condition = ff_study_text(r, k.where, "where");
    const bool heat = style && strcmp(style, "heat") == 0,
               histogram = style && strcmp(style, "histogram") == 0;
    const char *z_text = heat ? ff_study_need(r, k.z, node, "z") : NULL;
    if (!histogram && expressions_of(r, k.y, node, "y", ys) != count) {
        ff_study_refuse(r, node, "x and y have as many expressions as each other");
    }
    if ((heat || histogram) && count > 1) {
        ff_study_refuse(r, node, "x of a heat map or histogram is one expression");
    }
    if ((!heat && k.z) || (histogram && k.y)) {
        ff_study_refuse(r, node,
                        "lines and points have x and y, heat maps x, y and z, histograms x");
    }
    const double colour = ff_study_number(r, k.colour, "colour", 0, (ff_dimension){0, 0, 0}),
                 colours = ff_study_number(r, k.colours, "colours", 0, (ff_dimension){0, 0, 0});
    size_t kind = 0;
    while (style && kind < FF_COUNT(styles) && strcmp(style, styles[kind]) != 0) {
        kind++;
    }
    if (kind == FF_COUNT(styles)) {
        ff_study_refuse(r, k.style,
                        "style is lines, points, dotted, heat or histogram, not '%.60s'", style);
    }
    const ff_sheet *sheet = table ? ff_study_sheet(r, table) : NULL;
    if (table && !sheet) {
        ff_study_refuse(r, k.table, "there is no table '%.60s'", table);
    }
    if (r->status < 0) {
        return;
    }
    ff_status status = condition ? ff_sheet_rows(sheet, condition, &where, &error) : FF_OK;
    if (status >= 0 && value) {
        status = ff_sheet_rows(sheet, value, &labels, &error);
    }
    if (status < 0) {
        ff_study_refuse_status(r, node, status, &error);
    }
    double *x = row_values(r, node, sheet, xs, count, where),
           *y = histogram ? NULL : row_values(r, node, sheet, ys, count, where),
           *z = heat ? row_values(r, node, sheet, &z_text, 1, where) : NULL;
    const ff_table *t = sheet->table;
    const size_t each = count > 1 ? count + 1 : 1;
    /* points without separate names form one ff_study_curve */
    const bool cloud = (kind == FF_PLOT_POINTS || heat || histogram) && colours == 0 &&
                       !(name && strstr(name, "%g"));
    bool taken = false;
    for (size_t from = 0, to, family = 0; r->status >= 0 && from < t->rows; from = to, family++) {
        for (to = from + 1; to < t->rows && (cloud || ff_sheet_together(sheet, to - 1, to));) {
            to++;
        }
        ff_study_curve *more = ff_realloc(f->curves, (f->count + 1) * sizeof *more);
        if (!more) {
            ff_study_no_memory(r);
            break;
        }
        f->curves = more;
        const double number = labels ? labels[from] : t->varied ? t->values[from * t->columns] : 0;
        const bool named = name && (family == 0 || strstr(name, "%g"));
        ff_study_curve *c = &f->curves[f->count++];
        *c = (ff_study_curve){.name = named ? curve_name(name, number) : NULL,
                              .x = x,
                              .y = y,
                              .z = z,
                              .first = from * each,
                              .count = (to - from) * each,
                              .style = (ff_plot_style)kind,
                              .colour = colours > 0 ? (size_t)colours + family : (size_t)colour,
                              .owns = family == 0};
        taken = true;
        if (named && !c->name) {
            ff_study_no_memory(r);
        }
    }
    ff_free(labels);
    ff_free(where);
    if (!taken) {
        ff_free(x);
        ff_free(y);
        ff_free(z);
    }
}
