/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#define _POSIX_C_SOURCE 200809L
#include "trace_file.h"
#include "io/h5.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { kind_width = 12 };

struct trace_file {
    const trace *t;
    const char *path;
    FILE *csv;
    time_t flushed;
    ff_h5 *h5;
    ff_h5_table *rows, *events;
    ff_error why; /* there is no h5 */
    char *event;  /* one row of the events */
    /* of a crowd: where each set goes in a row of the file, and that row; otherwise NULL, and rows go as they are */
    size_t *to;
    double *moved;
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

static void head_csv(FILE *out, const trace *t) {
    for (size_t i = 0; i < t->set_count; i++) {
        const ff_field f = trace_field(t, i);
        for (size_t part = 0; part < f.width; part++) {
            char name[TRACE_NAME];
            trace_column_name(&f, part, name, sizeof name);
            fprintf(out, "%s%s", i + part ? "," : "", name);
        }
    }
    fputc('\n', out);
}

static int open_csv(trace_file *f, const args *a) {
    f->csv = fopen(f->path, "w");
    if (!f->csv) {
        refuse(f, a, strerror(errno));
        return 1;
    }
    head_csv(f->csv, f->t);
    return 0;
}

static bool row_csv(FILE *out, const double *row, size_t count) {
    for (size_t i = 0; i < count; i++) {
        fprintf(out, "%s%.17g", i ? "," : "", row[i]);
    }
    fputc('\n', out);
    return !ferror(out);
}

/* whether these bytes are at a place of the file */
static bool finds(FILE *file, long long place, const char *bytes, size_t size) {
    bool same = place >= 0 && fseeko(file, (off_t)place, SEEK_SET) == 0;
    for (size_t i = 0; same && i < size; i++) {
        same = fgetc(file) == (unsigned char)bytes[i];
    }
    return same;
}

/* The file is that of the trace if it begins with its names, and with its last row where that is to be. */
static int resume_csv(trace_file *f, const args *a) {
    const trace *t = f->t;
    char *text = NULL;
    size_t size = 0, head;
    FILE *out = open_memstream(&text, &size);
    f->csv = fopen(f->path, "r+");
    if (!f->csv || !out) {
        refuse(f, a, strerror(errno));
        if (out) {
            fclose(out);
        }
        free(text);
        return 1;
    }
    head_csv(out, t);
    fflush(out);
    head = size;
    if (t->rows) {
        row_csv(out, t->last, t->columns);
    }
    bool written = fclose(out) == 0 && text;
    bool ours = written && finds(f->csv, 0, text, head) &&
                finds(f->csv, t->place - (long long)(size - head), text + head, size - head);
    free(text);
    if (!written || !ours) {
        refuse(f, a, written ? "is not the trace of the checkpoint" : "out of memory");
        return written ? ARGS_WRONG : 1;
    }
    if (ftruncate(fileno(f->csv), (off_t)t->place) != 0 ||
        fseeko(f->csv, (off_t)t->place, SEEK_SET) != 0) {
        refuse(f, a, strerror(errno));
        return 1;
    }
    return 0;
}

/* ---- HDF5 ---- */

/* the dataset of a field */
static const char *dataset(const ff_field *f, char path[TRACE_NAME]) {
    trace_words w;
    trace_split(f, &w);
    snprintf(path, TRACE_NAME, "%s%s%s%s/%s", *w.folder ? "/" : "", w.folder, *w.owner ? "/" : "",
             w.owner, w.name);
    return path;
}

/* what is written of a dataset */
typedef struct {
    char path[TRACE_NAME], units[FF_FIELD_UNIT], parts[64];
} labels;

/* The datasets of a trace. Of a crowd each quantity of all bodies is one block: a dataset for each body takes 57 kB of
 * memory and a tenth of the speed. */
typedef struct {
    ff_h5_column *columns;
    labels *labels;
    size_t *of_set; /* the column of each set */
    size_t count;
} layout;

static bool is_block(const trace *t, const ff_field *field) {
    return ff_model_class_count(t->model) > 0 && strncmp(field->path, "bodies.", 7) == 0;
}

static void free_layout(layout *l) {
    free(l->columns);
    free(l->labels);
    free(l->of_set);
}

/* False where memory ends. */
static bool make_layout(const trace *t, layout *l) {
    *l = (layout){calloc(t->set_count, sizeof *l->columns), calloc(t->set_count, sizeof *l->labels),
                  calloc(t->set_count, sizeof *l->of_set), 0};
    size_t blocks = 0; /* where they begin: bodies stand side by side */
    for (size_t i = 0; l->columns && l->labels && l->of_set && i < t->set_count; i++) {
        const ff_field field = trace_field(t, i);
        const bool block = is_block(t, &field);
        labels *made = &l->labels[l->count];
        dataset(&field, made->path);
        size_t k = l->count;
        if (block) {
            trace_words w;
            trace_split(&field, &w);
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
        for (size_t c = 0; c < field.width && field.width > 1 && field.parts[0]; c++) {
            size_t used = strlen(made->parts);
            snprintf(made->parts + used, sizeof made->parts - used, "%s%s", c ? " " : "",
                     field.parts[c]);
        }
        memcpy(made->units, field.unit, sizeof made->units);
        l->columns[l->count++] = (ff_h5_column){.path = made->path,
                                                .units = made->units,
                                                .parts = *made->parts ? made->parts : NULL,
                                                .width = field.width,
                                                .count = block};
    }
    return l->columns && l->labels && l->of_set;
}

static size_t column_width(const ff_h5_column *c) { return (c->count ? c->count : 1) * c->width; }

/* Where each set goes in a row of the file. */
static bool place_sets(trace_file *f, const layout *l) {
    const trace *t = f->t;
    size_t *next = calloc(l->count + 1, sizeof *next);
    f->to = calloc(t->set_count + 1, sizeof *f->to);
    f->moved = malloc(t->columns * sizeof *f->moved);
    bool done = next && f->to && f->moved;
    for (size_t k = 0; done && k < l->count; k++) {
        next[k + 1] = next[k] + column_width(&l->columns[k]);
    }
    for (size_t i = 0; done && i < t->set_count; i++) {
        f->to[i] = next[l->of_set[i]];
        next[l->of_set[i]] += t->sets[i].width;
    }
    free(next);
    return done;
}

/* the names of bodies, in the order of a block */
static bool add_names(trace_file *f) {
    const ff_model *model = f->t->model;
    size_t longest = 1;
    for (size_t i = 0; i < ff_model_body_count(model); i++) {
        size_t length = strlen(ff_model_body_name(model, i));
        longest = length > longest ? length : longest;
    }
    const ff_h5_column column = {.path = "/bodies/name", .width = longest, .text = true};
    char *row = malloc(longest);
    ff_h5_table *names = row ? ff_h5_add_table(f->h5, "/bodies", &column, 1) : NULL;
    bool done = names != NULL;
    for (size_t i = 0; done && i < ff_model_body_count(model); i++) {
        const char *name = ff_model_body_name(model, i);
        memset(row, 0, longest);
        memcpy(row, name, strlen(name));
        done = ff_h5_add_row(names, row);
    }
    free(row);
    return done;
}

static bool add_trace_table(trace_file *f, const layout *l) {
    const bool crowd = ff_model_class_count(f->t->model) > 0;
    f->rows = ff_h5_add_table(f->h5, "/", l->columns, l->count);
    return f->rows && (!crowd || (place_sets(f, l) && add_names(f)));
}

/* A row of the trace as a row of the file. */
static const double *file_row(const trace_file *f, const double *row) {
    for (size_t i = 0; f->to && i < f->t->set_count; i++) {
        const trace_set *s = &f->t->sets[i];
        memcpy(f->moved + f->to[i], row + s->at, s->width * sizeof *row);
    }
    return f->to ? f->moved : row;
}

static bool add_event_table(trace_file *f) {
    f->event = malloc(2 * sizeof(double) + kind_width + f->t->pair_width);
    const ff_h5_column columns[] = {
        {.path = "/events/time", .units = "s", .width = 1},
        {.path = "/events/rejoin", .units = "1", .width = 1},
        {.path = "/events/kind", .width = kind_width, .text = true},
        {.path = "/events/pair", .width = f->t->pair_width, .text = true},
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

/* a file with everything but rows, without its name */
static bool create_h5(trace_file *f, const char *line, const char *scene, double rows) {
    layout l;
    const bool made = make_layout(f->t, &l), crowd = ff_model_class_count(f->t->model) > 0;
    const size_t block = crowd ? f->t->columns * sizeof(double) : 0;
    f->h5 = line && made ? ff_h5_create(f->path, l.count, rows, block, &f->why) : NULL;
    bool done = f->h5 && ff_h5_put_text(f->h5, "/", "footfall_version", ff_version()) &&
                ff_h5_put_text(f->h5, "/", "command_line", line) &&
                ff_h5_put_text(f->h5, "/", "scene", scene) &&
                ff_h5_put_integer(f->h5, "/", "complete", 0) && add_trace_table(f, &l) &&
                add_event_table(f) && put_ledger(f->h5, NULL);
    free_layout(&l);
    return done;
}

/* why a file could not be made */
static int refuse_h5(const trace_file *f, const args *a) {
    const char *why = f->h5 ? ff_h5_why(f->h5) : f->why.text;
    refuse(f, a, *why ? why : "out of memory");
    return 1;
}

static int open_h5(trace_file *f, const args *a, const char *scene, double rows) {
    char *line = args_line(a);
    bool done = create_h5(f, line, scene, rows) && ff_h5_publish(f->h5);
    free(line);
    return done ? 0 : refuse_h5(f, a);
}

/* Rows of an old file, as they were added; `column` has room for the widest dataset. */
static bool read_rows(ff_h5 *old, const trace *t, const layout *l, size_t first, size_t count,
                      double *rows, double *column) {
    bool done = true;
    for (size_t k = 0, i = 0; done && k < l->count; k++) {
        size_t width = 0, wanted = column_width(&l->columns[k]), at = 0;
        const char *path = l->columns[k].path;
        done = ff_h5_rows(old, path, &width) >= (long long)(first + count) && width == wanted &&
               ff_h5_read(old, path, first, count, column);
        /* the sets of a column begin with the first one that no column before has */
        for (size_t set = i; done && set < t->set_count && at < wanted; set++) {
            const trace_set *s = &t->sets[set];
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

/* The file is that of the trace if it has its last row in its place. */
static bool is_ours(ff_h5 *old, const trace *t, const layout *l, double *row, double *column) {
    return ff_h5_number(old, "/", "rows") >= (double)t->rows &&
           (t->rows == 0 || (read_rows(old, t, l, t->rows - 1, 1, row, column) &&
                             memcmp(row, t->last, t->columns * sizeof *row) == 0));
}

/* An old file stays as it is until a new one with the rows that are to be kept takes its place. */
static int resume_h5(trace_file *f, const args *a, const char *scene, double rows,
                     const ff_event *events) {
    const trace *t = f->t;
    ff_error error;
    ff_h5 *old = ff_h5_open(f->path, &error);
    if (!old) {
        refuse(f, a, error.text);
        return ARGS_WRONG;
    }
    /* some megabytes at a time */
    size_t block = (4 << 20) / (t->columns * sizeof(double));
    block = block < 1 ? 1 : block > 1024 ? 1024 : block;
    layout l;
    const bool made = make_layout(t, &l);
    size_t widest = 1;
    for (size_t k = 0; made && k < l.count; k++) {
        widest = column_width(&l.columns[k]) > widest ? column_width(&l.columns[k]) : widest;
    }
    double *buffer = malloc(block * t->columns * sizeof *buffer),
           *column = malloc(block * widest * sizeof *column);
    char *line = ff_h5_text(old, "/", "command_line");
    int status = made && buffer && column ? 0 : 1;
    if (status) {
        refuse(f, a, "out of memory");
    } else if (!line || !is_ours(old, t, &l, buffer, column)) {
        refuse(f, a, "is not the trace of the checkpoint");
        status = ARGS_WRONG;
    } else {
        bool done = create_h5(f, line, scene, rows);
        for (size_t first = 0; done && first < t->rows; first += block) {
            size_t count = t->rows - first < block ? t->rows - first : block;
            done = read_rows(old, t, &l, first, count, buffer, column) ||
                   refuse(f, a, "is cut off or damaged");
            status = done ? 0 : ARGS_WRONG;
            for (size_t r = 0; done && r < count; r++) {
                done = ff_h5_add_row(f->rows, file_row(f, buffer + r * t->columns));
            }
        }
        for (size_t i = 0; done && i < t->events; i++) {
            done = trace_file_event(f, &events[i]);
        }
        done = done && ff_h5_publish(f->h5);
        status = done || status ? status : refuse_h5(f, a);
    }
    free_layout(&l);
    free(buffer);
    free(column);
    free(line);
    ff_h5_close(old, NULL);
    return status;
}

/* ---- both ---- */

double trace_file_memory(const trace *t, const char *path) {
    double row = (double)t->columns * sizeof(double);
    /* measured: HDF5 itself, and what it keeps of each dataset; chunks have 16 rows or 4 MB */
    if (ends_in(path, ".csv")) {
        return row;
    }
    /* blocks: the buffers of a chunk, another one to compress it in, and a row */
    return ff_model_class_count(t->model) > 0
               ? 15e6 + 3 * fmax(row, 4e6) + row
               : 10e6 + 57e3 * (double)t->set_count + fmax(16 * row, 4e6);
}

static trace_file *make(trace *t, const args *a, const char *path) {
    trace_file *f = calloc(1, sizeof *f);
    if (f) {
        *f = (trace_file){.t = t, .path = path, .flushed = time(NULL)};
    } else {
        args_error(a, "out of memory");
    }
    return f;
}

/* takes a file that was opened, or leaves none */
static int take(trace *t, trace_file *f, int status) {
    if (!status) {
        t->file = f;
        return 0;
    }
    if (f->csv) {
        fclose(f->csv);
    }
    ff_h5_close(f->h5, NULL);
    free(f->event);
    free(f->to);
    free(f->moved);
    free(f);
    return status;
}

int trace_file_open(trace *t, const args *a, const char *path, const char *scene, double rows) {
    trace_file *f = make(t, a, path);
    return f ? take(t, f, ends_in(path, ".csv") ? open_csv(f, a) : open_h5(f, a, scene, rows)) : 1;
}

bool trace_file_there(const char *path) {
    struct stat s;
    return stat(path, &s) == 0 && S_ISREG(s.st_mode) && s.st_size > 0;
}

int trace_file_resume(trace *t, const args *a, const char *path, const char *scene, double rows,
                      const ff_event *events, size_t event_count) {
    trace_file *f = make(t, a, path);
    if (!f) {
        return 1;
    }
    if (t->events > event_count) {
        refuse(f, a, "is not the trace of the checkpoint");
        return take(t, f, ARGS_WRONG);
    }
    const ff_event *first = events ? events + (event_count - t->events) : NULL;
    return take(t, f,
                ends_in(path, ".csv") ? resume_csv(f, a) : resume_h5(f, a, scene, rows, first));
}

bool trace_file_row(trace_file *f, const double *row) {
    return f->csv ? row_csv(f->csv, row, f->t->columns) : ff_h5_add_row(f->rows, file_row(f, row));
}

bool trace_file_event(trace_file *f, const ff_event *event) {
    if (f->csv) {
        return true;
    }
    const char *pair = ff_model_event_owner(f->t->model, event);
    char *kind = f->event + 2 * sizeof(double);
    memcpy(f->event, &event->time, sizeof(double));
    memcpy(f->event + sizeof(double), &(double){event->rejoin}, sizeof(double));
    memset(kind, 0, kind_width + f->t->pair_width);
    memcpy(kind, ff_event_name(event->kind), strlen(ff_event_name(event->kind)));
    if (pair) {
        memcpy(kind + kind_width, pair, strlen(pair));
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

bool trace_file_flush(trace_file *f) {
    return f->h5 ? ff_h5_flush(f->h5) : fflush(f->csv) == 0 && !ferror(f->csv);
}

long long trace_file_place(const trace_file *f) { return f->csv ? ftello(f->csv) : 0; }

bool trace_file_failed(const trace_file *f) {
    return f->csv ? ferror(f->csv) != 0 : *ff_h5_why(f->h5) != '\0';
}

int trace_file_close(trace *t, const args *a, bool complete) {
    trace_file *f = t->file;
    ff_error error = {"cannot be written"};
    bool done;
    t->file = NULL;
    if (f->csv) {
        done = !ferror(f->csv);
        done = fclose(f->csv) == 0 && done;
    } else {
        ff_ledger ledger = ff_sim_ledger(t->sim);
        done = put_ledger(f->h5, &ledger) && ff_h5_put_integer(f->h5, "/", "complete", complete);
        done = ff_h5_close(f->h5, &error) && done;
    }
    if (done) {
        fprintf(stderr, "wrote %s\n", f->path);
    } else {
        args_error(a, "%s: %s", f->path, error.text);
    }
    free(f->event);
    free(f->to);
    free(f->moved);
    free(f);
    return !done;
}
