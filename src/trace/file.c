/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#define _POSIX_C_SOURCE 200809L
#include "file.h"
#include "h5.h"
#include "num/memory.h"
#include "sim/sim.h"
#include "trace.h"
#include <errno.h>
#include <footfall/footfall.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { kind_width = FF_TRACE_KIND };

struct ff_trace_file {
    const ff_trace *t;
    const char *path;
    FILE *csv;
    time_t flushed;
    ff_h5 *h5;
    ff_h5_table *rows, *events;
    ff_error why; /* why HDF5 is not available */
    char *event;  /* one row of the table of events */
    /* crowds: the position of each set in a row of the file, and that row; otherwise NULL, and rows are written as they are */
    size_t *to;
    double *moved;
};

static bool ends_in(const char *path, const char *suffix) {
    size_t length = strlen(path), tail = strlen(suffix);
    return length > tail && strcmp(path + length - tail, suffix) == 0;
}

ff_status ff_trace_check(const char *path, ff_error *error) {
    ff_error why = {""};
    if (ends_in(path, ".csv")) {
        return FF_OK;
    }
    if (!ends_in(path, ".h5")) {
        return ff_trace_refuse(error, FF_BAD_VALUE, "traces are written as .csv or .h5, not '%s'",
                               path);
    }
    return ff_h5_ready(&why) ? FF_OK
                             : ff_trace_refuse(error, FF_NOT_BUILT, "%s: %s", path, why.text);
}

static ff_status refuse(const ff_trace_file *f, ff_error *error, ff_status status,
                        const char *why) {
    return ff_trace_refuse(error, status, "%s: %s", f->path, why);
}

/* ---- CSV ---- */

static void head_csv(FILE *out, const ff_trace *t) {
    for (size_t i = 0; i < t->set_count; i++) {
        const ff_field f = ff_trace_field(t, i);
        for (size_t part = 0; part < f.width; part++) {
            char name[FF_TRACE_NAME];
            ff_trace_column_name(&f, part, name, sizeof name);
            fprintf(out, "%s%s", i + part ? "," : "", name);
        }
    }
    fputc('\n', out);
}

static ff_status open_csv(ff_trace_file *f, ff_error *error) {
    f->csv = fopen(f->path, "w");
    if (!f->csv) {
        return refuse(f, error, FF_NOT_WRITTEN, strerror(errno));
    }
    head_csv(f->csv, f->t);
    return FF_OK;
}

static bool row_csv(FILE *out, const double *row, size_t count) {
    for (size_t i = 0; i < count; i++) {
        fprintf(out, "%s%.17g", i ? "," : "", row[i]);
    }
    fputc('\n', out);
    return !ferror(out);
}

/* whether the file has these bytes at a position */
static bool finds(FILE *file, long long place, const char *bytes, size_t size) {
    bool same = place >= 0 && fseeko(file, (off_t)place, SEEK_SET) == 0;
    for (size_t i = 0; same && i < size; i++) {
        same = fgetc(file) == (unsigned char)bytes[i];
    }
    return same;
}

/* The file belongs to the trace if it begins with its column names and has its last row at the expected position. */
static ff_status resume_csv(ff_trace_file *f, ff_error *error) {
    const ff_trace *t = f->t;
    char *text = NULL;
    size_t size = 0, head;
    FILE *out = open_memstream(&text, &size);
    f->csv = out ? fopen(f->path, "r+") : NULL;
    if (!f->csv) {
        ff_status status = refuse(f, error, out ? FF_NOT_WRITTEN : FF_NO_MEMORY, strerror(errno));
        if (out) {
            fclose(out);
        }
        ff_free(text);
        return status;
    }
    head_csv(out, t);
    fflush(out);
    head = size;
    if (t->rows) {
        row_csv(out, t->last, t->columns);
    }
    bool written = fclose(out) == 0;
    text = ff_streamed(text, size);
    written = written && text;
    bool ours = written && finds(f->csv, 0, text, head) &&
                finds(f->csv, t->place - (long long)(size - head), text + head, size - head);
    ff_free(text);
    if (!written || !ours) {
        return written ? refuse(f, error, FF_BAD_VALUE, "is not the trace of the checkpoint")
                       : refuse(f, error, FF_NO_MEMORY, "out of memory");
    }
    if (ftruncate(fileno(f->csv), (off_t)t->place) != 0 ||
        fseeko(f->csv, (off_t)t->place, SEEK_SET) != 0) {
        return refuse(f, error, FF_NOT_WRITTEN, strerror(errno));
    }
    return FF_OK;
}

/* ---- HDF5 ---- */

/* path of the dataset of a field */
static const char *dataset(const ff_field *f, char path[FF_TRACE_NAME]) {
    ff_trace_words w;
    ff_trace_split(f, &w);
    snprintf(path, FF_TRACE_NAME, "%s%s%s%s/%s", *w.folder ? "/" : "", w.folder,
             *w.owner ? "/" : "", w.owner, w.name);
    return path;
}

/* data written to a dataset */
typedef struct {
    char path[FF_TRACE_NAME], units[FF_FIELD_UNIT], parts[64];
} labels;

/* The datasets of a trace. For a crowd each quantity of all bodies is one block, because one dataset per body would take 57
 * kB of memory and run at a tenth of the speed. */
typedef struct {
    ff_h5_column *columns;
    labels *labels;
    size_t *of_set; /* the column of each set */
    size_t count;
} layout;

static bool is_block(const ff_trace *t, const ff_field *field) {
    return ff_model_class_count(t->model) > 0 && strncmp(field->path, "bodies.", 7) == 0;
}

static void free_layout(layout *l) {
    ff_free(l->columns);
    ff_free(l->labels);
    ff_free(l->of_set);
}

/* False if out of memory. */
static bool make_layout(const ff_trace *t, layout *l) {
    *l = (layout){ff_calloc(t->set_count, sizeof *l->columns),
                  ff_calloc(t->set_count, sizeof *l->labels),
                  ff_calloc(t->set_count, sizeof *l->of_set), 0};
    size_t blocks = 0; /* start of the blocks: bodies are side by side */
    for (size_t i = 0; l->columns && l->labels && l->of_set && i < t->set_count; i++) {
        const ff_field field = ff_trace_field(t, i);
        const bool block = is_block(t, &field);
        labels *made = &l->labels[l->count];
        dataset(&field, made->path);
        size_t k = l->count;
        if (block) {
            ff_trace_words w;
            ff_trace_split(&field, &w);
            snprintf(made->path, sizeof made->path, "/bodies/%s", w.name);
            blocks = blocks ? blocks : l->count;
            for (k = blocks; k < l->count && strcmp(l->labels[k].path, made->path) != 0;) {
                k++;
            }
        }
        l->of_set[i] = k;
        if (k < l->count) {
            l->columns[k].count++;
            continue;
        }
        *made->parts = '\0';
        for (size_t c = 0; c < field.width && field.parts[0]; c++) {
            size_t used = strlen(made->parts);
            snprintf(made->parts + used, sizeof made->parts - used, "%s%s", c ? " " : "",
                     field.parts[c]);
        }
        memcpy(made->units, field.unit, sizeof made->units);
        l->columns[l->count++] = (ff_h5_column){.path = made->path,
                                                .units = made->units,
                                                .parts = *made->parts ? made->parts : NULL,
                                                .width = field.width,
                                                .count = block,
                                                .things = "/bodies/name",
                                                .first = t->sets[i].at};
    }
    return l->columns && l->labels && l->of_set;
}

static size_t column_width(const ff_h5_column *c) { return (c->count ? c->count : 1) * c->width; }

/* Determines the position of each set in a row of the file. */
static bool place_sets(ff_trace_file *f, const layout *l) {
    const ff_trace *t = f->t;
    size_t *next = ff_calloc(l->count + 1, sizeof *next);
    f->to = ff_calloc(t->set_count + 1, sizeof *f->to);
    f->moved = ff_malloc(t->columns * sizeof *f->moved);
    bool done = next && f->to && f->moved;
    for (size_t k = 0; done && k < l->count; k++) {
        next[k + 1] = next[k] + column_width(&l->columns[k]);
    }
    for (size_t i = 0; done && i < t->set_count; i++) {
        f->to[i] = next[l->of_set[i]];
        next[l->of_set[i]] += t->sets[i].width;
    }
    ff_free(next);
    return done;
}

/* writes the names of bodies, in the order of a block */
static bool add_names(ff_trace_file *f) {
    const ff_trace *t = f->t;
    size_t longest = 1;
    for (size_t i = 0; i < t->bodies; i++) {
        size_t length = strlen(ff_model_body_name(t->model, ff_trace_body(t, i)));
        longest = length + 1 > longest ? length + 1 : longest;
    }
    const ff_h5_column column = {
        .path = "/bodies/name", .width = longest, .text = true, .first = SIZE_MAX};
    char *row = ff_malloc(longest);
    ff_h5_table *names =
        row && ff_h5_group(f->h5, "/bodies") ? ff_h5_add_table(f->h5, "/bodies", &column, 1) : NULL;
    bool done = names != NULL;
    for (size_t i = 0; done && i < t->bodies; i++) {
        const char *name = ff_model_body_name(t->model, ff_trace_body(t, i));
        memset(row, 0, longest);
        memcpy(row, name, strlen(name));
        done = ff_h5_add_row(names, row);
    }
    ff_free(row);
    return done;
}

static bool add_trace_table(ff_trace_file *f, const layout *l) {
    if (ff_trace_is_crowd(f->t) && !(place_sets(f, l) && add_names(f))) {
        return false;
    }
    f->rows = ff_h5_add_table(f->h5, "/", l->columns, l->count);
    return f->rows;
}

/* Converts a row of the trace to a row of the file. */
static const double *file_row(const ff_trace_file *f, const double *row) {
    for (size_t i = 0; f->to && i < f->t->set_count; i++) {
        const ff_trace_set *s = &f->t->sets[i];
        memcpy(f->moved + f->to[i], row + s->at, s->width * sizeof *row);
    }
    return f->to ? f->moved : row;
}

static bool add_event_table(ff_trace_file *f) {
    f->event = ff_malloc(3 * sizeof(double) + kind_width + f->t->pair_width);
    const size_t none = SIZE_MAX;
    const ff_h5_column columns[] = {
        {.path = "/events/time", .units = "s", .width = 1, .first = none},
        {.path = "/events/rejoin", .units = "1", .width = 1, .first = none},
        {.path = "/events/contact", .units = "1", .width = 1, .first = none},
        {.path = "/events/kind", .width = kind_width, .text = true, .first = none},
        {.path = "/events/pair", .width = f->t->pair_width, .text = true, .first = none},
    };
    f->events = f->event && ff_h5_group(f->h5, "/events")
                    ? ff_h5_add_table(f->h5, "/events", columns, 5)
                    : NULL;
    return f->events != NULL;
}

/* Writes the accounts at the end of the run, and how it ended; until then accounts are NAN. */
static bool put_outcome(ff_h5 *h5, const ff_trace *t, bool over) {
    const ff_ledger *l = &t->ledger;
    const ff_statistics s = ff_sim_statistics(t->sim);
    bool done = true;
#define PUT(name)                                                                                  \
    done = done && ff_h5_put_number(h5, "/ledger", #name, over ? l->name : (double)NAN);
    FF_LEDGER_LIST(PUT)
    PUT(initial)
    PUT(scale)
    PUT(residual)
#undef PUT
    done = done && ff_h5_put_text(h5, "/run", "ended", t->ended, FF_TRACE_REASON) &&
           ff_h5_put_text(h5, "/run", "failed", t->failed, FF_TRACE_REASON) &&
           ff_h5_put_number(h5, "/run", "time", over ? ff_trace_time(t) : (double)NAN) &&
           ff_h5_put_integer(h5, "/run", "steps", s.steps) &&
           ff_h5_put_integer(h5, "/run", "rejected", s.rejected) &&
           ff_h5_put_integer(h5, "/run", "evaluations", s.evaluations) &&
           ff_h5_put_integer(h5, "/run", "method_changes", s.switches) &&
           ff_h5_put_number(h5, "/run", "cost", s.cost);
    for (int m = 0; done && m < FF_METHODS; m++) {
        char name[40];
        snprintf(name, sizeof name, "steps_%s", ff_method_name((ff_method)m));
        done = ff_h5_put_integer(h5, "/run", name, s.method_steps[m]);
    }
    return done && ff_h5_put_integer(h5, "/", "complete", over && !*t->ended);
}

/* Writes run options and the description of the model. */
static bool put_run(ff_h5 *h5, const ff_trace *t, const char *command) {
    const ff_run_options *o = &t->sim->options;
    const size_t bodies = t->body_most;
    char *picture = ff_picture_make(
        t->model, ff_trace_is_crowd(t) && bodies > FF_PICTURE_BODIES ? FF_PICTURE_BODIES : bodies);
    bool done = picture && ff_h5_group(h5, "/run") &&
                ff_h5_put_text(h5, "/run", "kind",
                               ff_trace_is_inclusion(t) ? "inclusion"
                               : ff_trace_is_crowd(t)   ? "crowd"
                                                        : "scene",
                               0) &&
                ff_h5_put_text(h5, "/run", "method", ff_method_name(o->method), 0) &&
                ff_h5_put_number(h5, "/run", "tol", o->tol) &&
                ff_h5_put_number(h5, "/run", "dt", o->dt) &&
                ff_h5_put_number(h5, "/run", "until", o->until) &&
                ff_h5_put_integer(h5, "/run", "events_located", o->events) &&
                ff_h5_put_document(h5, "/run/name", t->choice.name) &&
                ff_h5_put_document(h5, "/run/command_line", command) &&
                ff_h5_put_document(h5, "/run/source", t->choice.source) &&
                ff_h5_put_document(h5, "/run/scene", t->choice.scene) &&
                ff_h5_put_document(h5, "/run/picture", picture);
    ff_free(picture);
    return done;
}

/* creates a complete file without rows, under a temporary name */
static bool create_h5(ff_trace_file *f, const char *command) {
    const ff_trace *t = f->t;
    layout l;
    const bool made = make_layout(t, &l);
    const size_t block = ff_trace_is_crowd(t) ? t->columns * sizeof(double) : 0;
    f->h5 = made ? ff_h5_create(f->path, l.count, ff_trace_expected(t), block, &f->why) : NULL;
    bool done = f->h5 && ff_h5_put_text(f->h5, "/", "footfall_version", ff_version(), 0) &&
                put_run(f->h5, t, command) && add_trace_table(f, &l) && add_event_table(f) &&
                put_outcome(f->h5, t, false);
    free_layout(&l);
    return done;
}

/* reports why a file could not be created */
static ff_status refuse_h5(const ff_trace_file *f, ff_error *error) {
    const char *why = f->h5 ? ff_h5_why(f->h5) : f->why.text;
    return *why ? refuse(f, error, FF_NOT_WRITTEN, why)
                : refuse(f, error, FF_NO_MEMORY, "out of memory");
}

static ff_status open_h5(ff_trace_file *f, ff_error *error) {
    return create_h5(f, f->t->choice.command) && ff_h5_publish(f->h5) ? FF_OK : refuse_h5(f, error);
}

/* Reads rows of an old file; `column` has room for the widest dataset. */
static bool read_rows(ff_h5 *old, const ff_trace *t, const layout *l, size_t first, size_t count,
                      double *rows, double *column) {
    bool done = true;
    for (size_t k = 0, i = 0; done && k < l->count; k++) {
        size_t width = 0, wanted = column_width(&l->columns[k]), at = 0;
        const char *path = l->columns[k].path;
        done = ff_h5_rows(old, path, &width) >= (long long)(first + count) && width == wanted &&
               ff_h5_read(old, path, first, count, column);
        /* the sets of a column begin after those of previous columns */
        for (size_t set = i; done && set < t->set_count && at < wanted; set++) {
            const ff_trace_set *s = &t->sets[set];
            if (l->of_set[set] != k) {
                continue;
            }
            for (size_t r = 0; r < count; r++) {
                memcpy(rows + r * t->columns + s->at, column + r * wanted + at,
                       s->width * sizeof *rows);
            }
            at += s->width;
        }
        while (i < t->set_count && l->of_set[i] <= k) {
            i++;
        }
    }
    return done;
}

/* The file belongs to the trace if it has the trace's last row at the expected position. */
static bool is_ours(ff_h5 *old, const ff_trace *t, const layout *l, double *row, double *column) {
    return ff_h5_number(old, "/", "rows") >= (double)t->rows &&
           (t->rows == 0 || (read_rows(old, t, l, t->rows - 1, 1, row, column) &&
                             memcmp(row, t->last, t->columns * sizeof *row) == 0));
}

/* An old file is kept until a new one with the rows to keep replaces it. */
static ff_status resume_h5(ff_trace_file *f, ff_error *error, const ff_event *events) {
    const ff_trace *t = f->t;
    ff_error why = {""};
    ff_h5 *old = ff_h5_open(f->path, &why);
    if (!old) {
        return refuse(f, error, FF_BAD_VALUE, why.text);
    }
    /* a few megabytes at a time */
    size_t block = (4 << 20) / (t->columns * sizeof(double));
    block = block < 1 ? 1 : block > 1024 ? 1024 : block;
    layout l;
    const bool made = make_layout(t, &l);
    size_t widest = 1;
    for (size_t k = 0; made && k < l.count; k++) {
        widest = column_width(&l.columns[k]) > widest ? column_width(&l.columns[k]) : widest;
    }
    double *buffer = ff_malloc(block * t->columns * sizeof *buffer),
           *column = ff_malloc(block * widest * sizeof *column);
    char *line = NULL;
    const bool has_line = ff_h5_document(old, "/run/command_line", &line, &why);
    ff_status status = made && buffer && column ? FF_OK : FF_NO_MEMORY;
    if (status < 0) {
        refuse(f, error, status, "out of memory");
    } else if (!has_line || !is_ours(old, t, &l, buffer, column)) {
        status = refuse(f, error, FF_BAD_VALUE, "is not the trace of the checkpoint");
    } else {
        bool done = create_h5(f, line);
        for (size_t first = 0; done && first < t->rows; first += block) {
            size_t count = t->rows - first < block ? t->rows - first : block;
            done = read_rows(old, t, &l, first, count, buffer, column);
            status = done ? FF_OK : refuse(f, error, FF_BAD_VALUE, "is truncated or damaged");
            for (size_t r = 0; done && r < count; r++) {
                done = ff_h5_add_row(f->rows, file_row(f, buffer + r * t->columns));
            }
        }
        for (size_t i = 0; done && i < t->file_events; i++) {
            done = ff_trace_file_event(f, &events[i]);
        }
        done = done && ff_h5_publish(f->h5);
        status = done || status < 0 ? status : refuse_h5(f, error);
    }
    free_layout(&l);
    ff_free(buffer);
    ff_free(column);
    ff_free(line);
    ff_h5_close(old, NULL);
    return status;
}

/* ---- both formats ---- */

double ff_trace_file_memory(const ff_trace *t) {
    double row = (double)t->columns * sizeof(double);
    /* measured: HDF5 itself, and its memory per dataset; chunks have 16 rows or 4 MB */
    if (ends_in(t->choice.path, ".csv")) {
        return row;
    }
    /* for blocks: the buffers of a chunk, one for compression, and a row */
    return ff_trace_is_crowd(t) ? 15e6 + 3 * fmax(row, 4e6) + row
                                : 10e6 + 57e3 * (double)t->set_count + fmax(16 * row, 4e6);
}

static void free_file(ff_trace_file *f) {
    ff_free(f->event);
    ff_free(f->to);
    ff_free(f->moved);
    ff_free(f);
}

bool ff_trace_file_there(const char *path) {
    struct stat s;
    return stat(path, &s) == 0 && S_ISREG(s.st_mode) && s.st_size > 0;
}

ff_status ff_trace_file_open(ff_trace *t, ff_error *error) {
    ff_trace_file *f = ff_calloc(1, sizeof *f);
    if (!f) {
        return ff_trace_refuse(error, FF_NO_MEMORY, "out of memory");
    }
    *f = (ff_trace_file){.t = t, .path = t->choice.path, .flushed = time(NULL)};
    const bool csv = ends_in(f->path, ".csv");
    const ff_event *events = t->events ? t->events + (t->event_count - t->file_events) : NULL;
    ff_status status = !t->resumed ? csv ? open_csv(f, error) : open_h5(f, error)
                       : csv ? resume_csv(f, error)
                                   : resume_h5(f, error, events);
    if (status >= 0) {
        t->file = f;
        return FF_OK;
    }
    if (f->csv) {
        fclose(f->csv);
    }
    ff_h5_close(f->h5, NULL);
    free_file(f);
    return status;
}

bool ff_trace_file_row(ff_trace_file *f, const double *row) {
    return f->csv ? row_csv(f->csv, row, f->t->columns) : ff_h5_add_row(f->rows, file_row(f, row));
}

bool ff_trace_file_event(ff_trace_file *f, const ff_event *event) {
    if (f->csv) {
        return true;
    }
    const char *pair = ff_model_event_owner(f->t->model, event);
    const double numbers[] = {event->time, event->rejoin, event->contact};
    char *kind = f->event + sizeof numbers;
    memcpy(f->event, numbers, sizeof numbers);
    memset(kind, 0, kind_width + f->t->pair_width);
    memcpy(kind, ff_event_name(event->kind), strlen(ff_event_name(event->kind)));
    if (pair) {
        memcpy(kind + kind_width, pair, strlen(pair));
    }
    return ff_h5_add_row(f->events, f->event);
}

bool ff_trace_file_tick(ff_trace_file *f) {
    if (f->h5) {
        return ff_h5_tick(f->h5);
    }
    time_t now = time(NULL);
    if (now == f->flushed) {
        return !ferror(f->csv);
    }
    f->flushed = now;
    return fflush(f->csv) == 0;
}

bool ff_trace_file_flush(ff_trace_file *f) {
    return f->h5 ? ff_h5_flush(f->h5) : fflush(f->csv) == 0 && !ferror(f->csv);
}

long long ff_trace_file_place(const ff_trace_file *f) { return f->csv ? ftello(f->csv) : 0; }

const char *ff_trace_file_why(const ff_trace_file *f) {
    return !f->csv ? ff_h5_why(f->h5) : ferror(f->csv) ? "cannot be written" : "";
}

ff_status ff_trace_file_close(ff_trace *t, ff_error *error) {
    ff_trace_file *f = t->file;
    ff_error why = {"cannot be written"};
    bool done;
    t->file = NULL;
    if (f->csv) {
        done = !ferror(f->csv);
        done = fclose(f->csv) == 0 && done;
    } else {
        done = put_outcome(f->h5, t, true) && ff_h5_put_document(f->h5, "/run/outcome", t->outcome);
        done = ff_h5_close(f->h5, &why) && done;
    }
    ff_status status = done ? FF_OK : refuse(f, error, FF_NOT_WRITTEN, why.text);
    free_file(f);
    return status;
}
