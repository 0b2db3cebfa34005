/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#define _POSIX_C_SOURCE 200809L
#include "sweep_page.h"
#include "study.h"
#include <footfall/footfall.h>
#include <footfall/json.h>
#include <footfall/report.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A page contains all numbers as text, about 20 bytes each: browsers would not open a larger one. */
static const double most_numbers = 2e6;

static void list_json(ff_json *j, const char *name, const char *const *list) {
    ff_json_array(j, name);
    for (; list && *list; list++) {
        ff_json_string(j, NULL, *list);
    }
    ff_json_end(j);
}

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
            list_json(j, "words", column->words);
        }
        ff_json_end(j);
    }
    ff_json_end(j);
}

/* The contents of a table: how its runs are repeated, columns, numbers, failed runs. */
static void table_json(ff_json *j, const ff_table *t) {
    ff_json_string(j, "file", t->path);
    list_json(j, "settings", t->settings);
    list_json(j, "stops", t->stops);
    columns_json(j, t);
    ff_json_integer(j, "rows", (long long)t->rows);
    ff_json_integer(j, "samples", (long long)t->samples);
    ff_json_numbers(j, "values", t->values, t->rows * t->columns);
    ff_json_array(j, "failed");
    for (size_t i = 0; i < t->rows; i++) {
        if (t->reason[i]) {
            ff_json_object(j, NULL);
            ff_json_integer(j, "row", (long long)i);
            ff_json_string(j, "error", t->reason[i]);
            ff_json_end(j);
        }
    }
    ff_json_end(j);
}

/* Opens the object of a page: its kind, what wrote it, the command and the laws that it loads. */
static void open_document(ff_json *j, const char *kind, const args *a, const char *line) {
    char version[40];
    const char *law;
    snprintf(version, sizeof version, "footfall %s", ff_version());
    ff_json_object(j, NULL);
    ff_json_string(j, "kind", kind);
    ff_json_string(j, "generated_by", version);
    ff_json_string(j, "command", line);
    ff_json_array(j, "laws");
    for (size_t i = 0; (law = args_text_at(a, "law", i)); i++) {
        ff_json_string(j, NULL, law);
    }
    ff_json_end(j);
}

static const char *name_of(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

int sweep_page(const args *a, const ff_table *t, const char *path) {
    if ((double)t->rows * (double)t->columns > most_numbers) {
        args_error(a, "%s: %zu rows of %zu numbers are too many for a page; -o %s.h5 holds them",
                   path, t->rows, t->columns, "OUT");
        return 1;
    }
    char *line = args_line(a), *text = NULL;
    size_t length = 0;
    FILE *out = line ? open_memstream(&text, &length) : NULL;
    ff_error error = {""};
    int status = 1;
    if (out) {
        ff_json j = {.out = out};
        open_document(&j, "sweep", a, line);
        table_json(&j, t);
        ff_json_end(&j);
    }
    if (!out || fclose(out) != 0) {
        args_error(a, "out of memory");
    } else {
        status = args_status(a, ff_page_save(path, name_of(t->path), text, length, &error), &error);
    }
    free(text);
    free(line);
    return status;
}

/* ---- studies ---- */

int study_page_begin(study_page *p, const args *a) {
    *p = (study_page){.a = a};
    p->j.out = open_memstream(&p->text, &p->length);
    char *line = args_line(a);
    if (!p->j.out || !line) {
        args_error(a, "out of memory");
        free(line);
        return 1;
    }
    open_document(&p->j, "study", a, line);
    ff_json_string(&p->j, "file", args_word(a, 0));
    ff_json_array(&p->j, "tables");
    free(line);
    return 0;
}

/* Whether the rows of a table are a grid of more than one run, or samples of it. Rows of a trace or of a curve are not. */
static bool is_grid(const ff_table *t) {
    size_t rows = t->samples;
    for (size_t c = 0; c < t->varied; c++) {
        rows *= t->column[c].count ? t->column[c].count : 1;
    }
    return t->varied > 0 && t->columns > t->varied && rows == t->rows && rows > 1;
}

void study_page_table(study_page *p, const char *name, const ff_table *t) {
    const double numbers = (double)t->rows * (double)t->columns;
    if (!p->j.out || !is_grid(t)) {
        return;
    }
    if (p->numbers + numbers > most_numbers) {
        fprintf(stderr, "footfall sweep: the page leaves out table '%s', of %zu rows: too many\n",
                name, t->rows);
        return;
    }
    p->numbers += numbers;
    ff_json_object(&p->j, NULL);
    ff_json_string(&p->j, "name", name);
    table_json(&p->j, t);
    ff_json_end(&p->j);
}

/* The picture of a figure, drawn into a file beside the page, which is read and removed. The caller frees it; NULL: it could not be
 * drawn, as `error` says. */
static char *picture_of(const ff_plot *plot, const char *page, ff_error *error) {
    const size_t size = strlen(page) + 5;
    char *path = malloc(size), *text = NULL;
    if (!path) {
        return NULL;
    }
    snprintf(path, size, "%s.svg", page);
    if (ff_plot_write(plot, path, error) >= 0) {
        FILE *in = fopen(path, "r");
        const long length = in && fseek(in, 0, SEEK_END) == 0 ? ftell(in) : -1;
        if (length >= 0 && (text = malloc((size_t)length + 1))) {
            rewind(in);
            text[fread(text, 1, (size_t)length, in)] = '\0';
        }
        if (in) {
            fclose(in);
        }
        unlink(path);
    }
    free(path);
    return text;
}

/* Writes the figures; 0, or 1 after it was said that pictures are missing. */
static int figures_json(study_page *p, const ff_study *s, const char *path) {
    const bool draws = ff_plot_possible();
    int status = 0;
    ff_json_array(&p->j, "figures");
    for (size_t i = 0; i < s->figure_count; i++) {
        const ff_figure *f = &s->figures[i];
        ff_error error = {""};
        char *picture = draws && f->plot.curve_count ? picture_of(&f->plot, path, &error) : NULL;
        if (draws && f->plot.curve_count && !picture) {
            args_error(p->a, "figure '%s': %s", f->id, *error.text ? error.text : "out of memory");
            status = 1;
        }
        ff_json_object(&p->j, NULL);
        ff_json_string(&p->j, "id", f->id);
        ff_json_string(&p->j, "title", f->title);
        ff_json_string(&p->j, "caption", f->caption);
        ff_json_string(&p->j, "chosen", f->chosen);
        ff_json_string(&p->j, "svg", picture);
        ff_json_end(&p->j);
        free(picture);
    }
    ff_json_end(&p->j);
    if (!draws && s->figure_count) {
        args_error(p->a, "the page has no figures: gnuplot is not installed (Debian: apt-get "
                         "install gnuplot-nox)");
        status = 1;
    }
    return status;
}

int study_page_end(study_page *p, const ff_study *s, const char *path) {
    int status = 0;
    if (s) {
        ff_error error = {""};
        ff_json_end(&p->j);
        ff_json_string(&p->j, "title", s->title);
        status = figures_json(p, s, path);
        /* the words of the page of papers, which shows them */
        static const char *const statuses[] = {"pass", "fail", "not-reproduced"};
        study_claims_json(&p->j, s, statuses);
        ff_json_end(&p->j);
        if (fclose(p->j.out) != 0) {
            args_error(p->a, "out of memory");
            status = 1;
        } else {
            const int saved =
                args_status(p->a,
                            ff_page_save(path, s->title ? s->title : name_of(args_word(p->a, 0)),
                                         p->text, p->length, &error),
                            &error);
            status = saved ? saved : status;
        }
    } else if (p->j.out) {
        fclose(p->j.out);
    }
    free(p->text);
    return status;
}
