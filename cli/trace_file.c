/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#define _POSIX_C_SOURCE 200809L
#include "trace_file.h"
#include "io/h5.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { kind_width = 12 };

struct trace_file {
    const trace *t;
    const char *path;
    FILE *csv;
    time_t flushed;
    ff_h5 *h5;
    ff_h5_table *rows, *events;
    size_t pair_width; /* bytes of the names of pairs in events */
    char *event;       /* one row of them */
};

static bool ends_in(const char *path, const char *suffix) {
    size_t length = strlen(path), tail = strlen(suffix);
    return length > tail && strcmp(path + length - tail, suffix) == 0;
}

int trace_file_check(const args *a, const char *path) {
    ff_error error = {""};
    if (ends_in(path, ".csv")) {
        return 0;
    }
    if (!ends_in(path, ".h5")) {
        return args_error(a, "traces are written as .csv or .h5, not '%s'", path);
    }
    return ff_h5_ready(&error) ? 0 : args_error(a, "%s: %s", path, error.text);
}

static bool refuse(const trace_file *f, const args *a, const char *why) {
    args_error(a, "%s: %s", f->path, why);
    return false;
}

/* ---- CSV ---- */

static bool open_csv(trace_file *f, const args *a) {
    f->csv = fopen(f->path, "w");
    if (!f->csv) {
        return refuse(f, a, strerror(errno));
    }
    for (size_t i = 0; i < f->t->columns; i++) {
        char name[TRACE_NAME];
        trace_column_name(f->t, i, name, sizeof name);
        fprintf(f->csv, "%s%s", i ? "," : "", name);
    }
    fputc('\n', f->csv);
    return true;
}

static bool row_csv(FILE *out, const double *row, size_t count) {
    for (size_t i = 0; i < count; i++) {
        fprintf(out, "%s%.17g", i ? "," : "", row[i]);
    }
    fputc('\n', out);
    return !ferror(out);
}

/* ---- HDF5 ---- */

/* the command as one would type it, with quotes around what a shell would take apart */
static char *command_line(const args *a) {
    char *line = NULL;
    size_t size;
    FILE *out = open_memstream(&line, &size);
    if (!out) {
        return NULL;
    }
    fputs("footfall", out);
    for (int i = 0; i < a->argc; i++) {
        const char *word = a->argv[i];
        bool plain = *word && strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                           "0123456789_-+=./,:@%") == strlen(word);
        fputs(plain ? " " : " '", out);
        for (; *word; word++) {
            fputs(*word == '\'' ? "'\\''" : (char[]){*word, '\0'}, out);
        }
        fputs(plain ? "" : "'", out);
    }
    return fclose(out) == 0 ? line : NULL;
}

static bool add_trace_table(trace_file *f) {
    const trace *t = f->t;
    ff_h5_column *columns = calloc(t->set_count, sizeof *columns);
    char(*paths)[TRACE_NAME] = calloc(t->set_count, sizeof *paths);
    char(*parts)[64] = calloc(t->set_count, sizeof *parts);
    bool done = columns && paths && parts;
    for (size_t i = 0; done && i < t->set_count; i++) {
        const trace_set *s = &t->sets[i];
        const trace_field *field = s->field;
        snprintf(paths[i], sizeof paths[i], "%s%s%s%s/%s", s->folder ? "/" : "",
                 s->folder ? s->folder : "", s->folder && s->owner ? "/" : "",
                 s->folder && s->owner ? s->owner : "", field->name);
        for (size_t c = 0; c < field->width; c++) {
            size_t used = strlen(parts[i]);
            snprintf(parts[i] + used, sizeof parts[i] - used, "%s%s", c ? " " : "",
                     field->parts[c]);
        }
        columns[i] = (ff_h5_column){.path = paths[i],
                                    .units = field->units,
                                    .parts = field->width > 1 ? parts[i] : NULL,
                                    .width = field->width};
    }
    f->rows = done ? ff_h5_add_table(f->h5, "/", columns, t->set_count) : NULL;
    free(columns);
    free(paths);
    free(parts);
    return f->rows != NULL;
}

static bool add_event_table(trace_file *f) {
    f->pair_width = 1;
    for (size_t i = 0; i < ff_model_contact_count(f->t->model); i++) {
        size_t length = strlen(ff_model_contact_name(f->t->model, i));
        f->pair_width = length > f->pair_width ? length : f->pair_width;
    }
    f->event = malloc(2 * sizeof(double) + kind_width + f->pair_width);
    const ff_h5_column columns[] = {
        {.path = "/events/time", .units = "s", .width = 1},
        {.path = "/events/rejoin", .units = "1", .width = 1},
        {.path = "/events/kind", .width = kind_width, .text = true},
        {.path = "/events/pair", .width = f->pair_width, .text = true},
    };
    f->events = f->event && ff_h5_group(f->h5, "/events")
                    ? ff_h5_add_table(f->h5, "/events", columns, 4)
                    : NULL;
    return f->events != NULL;
}

/* the accounts at the end of the run; until then they are no numbers */
static bool put_ledger(ff_h5 *h5, const ff_ledger *l) {
    bool done = true;
#define PUT(name) done = done && ff_h5_put_number(h5, "/ledger", #name, l ? l->name : (double)NAN);
    FF_LEDGER_LIST(PUT)
    PUT(initial)
    PUT(scale)
    PUT(residual)
#undef PUT
    return done;
}

static bool open_h5(trace_file *f, const args *a, const char *scene, double rows) {
    ff_error error;
    f->h5 = ff_h5_create(f->path, f->t->set_count, rows, &error);
    if (!f->h5) {
        return refuse(f, a, error.text);
    }
    char *line = command_line(a);
    bool done = line && ff_h5_put_text(f->h5, "/", "footfall_version", ff_version()) &&
                ff_h5_put_text(f->h5, "/", "command_line", line) &&
                ff_h5_put_text(f->h5, "/", "scene", scene) &&
                ff_h5_put_integer(f->h5, "/", "complete", 0) && add_trace_table(f) &&
                add_event_table(f) && put_ledger(f->h5, NULL) && ff_h5_publish(f->h5);
    free(line);
    return done || refuse(f, a, *ff_h5_why(f->h5) ? ff_h5_why(f->h5) : "out of memory");
}

/* ---- both ---- */

int trace_file_open(trace *t, const args *a, const char *path, const char *scene, double rows) {
    trace_file *f = calloc(1, sizeof *f);
    if (!f) {
        args_error(a, "out of memory");
        return 1;
    }
    *f = (trace_file){.t = t, .path = path, .flushed = time(NULL)};
    if (ends_in(path, ".csv") ? open_csv(f, a) : open_h5(f, a, scene, rows)) {
        t->file = f;
        return 0;
    }
    ff_h5_close(f->h5, NULL);
    free(f->event);
    free(f);
    return 1;
}

bool trace_file_row(trace_file *f, const double *row) {
    return f->csv ? row_csv(f->csv, row, f->t->columns) : ff_h5_add_row(f->rows, row);
}

bool trace_file_event(trace_file *f, const ff_event *event) {
    if (f->csv) {
        return true;
    }
    const ff_model *model = f->t->model;
    bool pair = event->kind != FF_USER && event->contact >= 0;
    char *kind = f->event + 2 * sizeof(double);
    memcpy(f->event, &event->time, sizeof(double));
    memcpy(f->event + sizeof(double), &(double){event->rejoin}, sizeof(double));
    memset(kind, 0, kind_width + f->pair_width);
    memcpy(kind, ff_event_name(event->kind), strlen(ff_event_name(event->kind)));
    if (pair) {
        const char *name = ff_model_contact_name(model, (size_t)event->contact);
        memcpy(kind + kind_width, name, strlen(name));
    }
    return ff_h5_add_row(f->events, f->event);
}

bool trace_file_tick(trace_file *f) {
    if (f->h5) {
        return ff_h5_tick(f->h5);
    }
    time_t now = time(NULL);
    if (now == f->flushed) {
        return true;
    }
    f->flushed = now;
    return fflush(f->csv) == 0;
}

bool trace_file_failed(const trace_file *f) {
    return f->csv ? ferror(f->csv) != 0 : *ff_h5_why(f->h5) != '\0';
}

int trace_file_close(trace *t, const args *a, const ff_sim *sim, bool complete) {
    trace_file *f = t->file;
    ff_error error = {"cannot be written"};
    bool done;
    t->file = NULL;
    if (f->csv) {
        done = !ferror(f->csv);
        done = fclose(f->csv) == 0 && done;
    } else {
        ff_ledger ledger = ff_sim_ledger(sim);
        done = put_ledger(f->h5, &ledger) && ff_h5_put_integer(f->h5, "/", "complete", complete);
        done = ff_h5_close(f->h5, &error) && done;
    }
    if (done) {
        fprintf(stderr, "wrote %s\n", f->path);
    } else {
        args_error(a, "%s: %s", f->path, error.text);
    }
    free(f->event);
    free(f);
    return !done;
}
