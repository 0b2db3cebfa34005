/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#define _POSIX_C_SOURCE 200809L

/* Saved traces: the contents of an HDF5 file, with values of columns read on demand. A file may be damaged or foreign:
 * everything is checked before it is used, and missing parts are errors. */

#include "expr/word.h"
#include "h5.h"
#include "num/memory.h"
#include "sim/sim.h"
#include "trace.h"
#include <footfall/footfall.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One dataset: a field, or for a crowd a quantity of all bodies. */
typedef struct {
    char *path; /* path in the file */
    char *unit, *parts;
    const char *names[4]; /* `parts`, split; NULL: none */
    size_t first;         /* index of its first column */
    size_t width, count;  /* numbers of a field; bodies of a block, 0: not a block */
} dataset;

struct ff_saved {
    ff_h5 *file;
    char *path;
    dataset *sets;
    size_t set_count, set_room;
    char *bodies; /* names of the bodies of a crowd, `name_width` bytes each */
    size_t name_width, body_count, body_rows;
    char *version, *name, *source, *scene, *command, *picture, *outcome;
    char *pairs; /* owners of events, `pair_width` + 1 bytes each */
    size_t pair_width;
    bool inclusion, crowd, complete, no_memory;
    double time;
    ff_statistics statistics;
    ff_run_options run;
    ff_error *error;
};

void ff_saved_free(ff_saved *s) {
    if (!s) {
        return;
    }
    for (size_t i = 0; i < s->set_count; i++) {
        ff_free(s->sets[i].path);
        ff_free(s->sets[i].unit);
        ff_free(s->sets[i].parts);
    }
    ff_free(s->sets);
    ff_free(s->bodies);
    ff_free(s->version);
    ff_free(s->name);
    ff_free(s->source);
    ff_free(s->scene);
    ff_free(s->command);
    ff_free(s->picture);
    ff_free(s->outcome);
    ff_free(s->pairs);
    ff_free(s->path);
    ff_h5_close(s->file, NULL);
    ff_free(s);
}

/* Records what is wrong with the file; the first reason is kept. */
static bool damaged(ff_saved *s, const char *what, const char *path) {
    if (s->error && !*s->error->text) {
        snprintf(s->error->text, sizeof s->error->text, "%s: is damaged: %s %s", s->path, path,
                 what);
    }
    return false;
}

static bool no_memory(ff_saved *s) {
    s->no_memory = true;
    return false;
}

/* ---- datasets ---- */

/* Splits the names of the numbers of a field, separated by spaces. */
static bool split_parts(dataset *d) {
    size_t count = 0;
    for (char *at = d->parts; at && *at;) {
        if (count == d->width || count == 4) {
            return false;
        }
        d->names[count++] = at;
        at += strcspn(at, " ");
        if (*at) {
            *at++ = '\0';
        }
    }
    return count == 0 || count == d->width;
}

/* Datasets that are not fields: texts, events, dimensions, names. */
static bool is_field(const char *path) {
    return strncmp(path, "/run/", 5) != 0 && strncmp(path, "/events/", 8) != 0 &&
           strncmp(path, "/axis_", 6) != 0 && strcmp(path, "/bodies/name") != 0;
}

static bool add_dataset(void *user, const char *path, bool is_set) {
    ff_saved *s = user;
    if (!is_set || !is_field(path)) {
        return true;
    }
    size_t width = 0;
    const long long rows = ff_h5_rows(s->file, path, &width);
    const double first = ff_h5_number(s->file, path, "first_column");
    if (rows < 0 || width == 0) {
        return damaged(s, "is not a dataset of numbers", path);
    }
    if (!(first >= 0 && first < 1e15)) {
        return damaged(s, "does not say which columns it has", path);
    }
    if ((size_t)rows < s->body_rows) {
        return damaged(s, "has fewer rows than the file says", path);
    }
    if (s->set_count == s->set_room) {
        const size_t room = s->set_room ? 2 * s->set_room : 64;
        dataset *more = ff_realloc(s->sets, room * sizeof *more);
        if (!more) {
            return no_memory(s);
        }
        s->sets = more;
        s->set_room = room;
    }
    dataset *d = &s->sets[s->set_count++];
    *d = (dataset){.path = ff_word_copy(path),
                   .unit = ff_h5_text(s->file, path, "units"),
                   .parts = ff_h5_text(s->file, path, "columns"),
                   .first = (size_t)first,
                   .width = width};
    if (!d->path) {
        return no_memory(s);
    }
    const bool block = s->crowd && strncmp(path, "/bodies/", 8) == 0;
    if (block) {
        if (s->body_count == 0 || width % s->body_count != 0) {
            return damaged(s, "does not have the same number of values for each body", path);
        }
        d->width = width / s->body_count;
        d->count = s->body_count;
    }
    if (!d->unit || strlen(d->unit) >= FF_FIELD_UNIT || strlen(path) + 1 >= FF_FIELD_PATH) {
        return damaged(s, "has no unit that is a text of fixed length", path);
    }
    return split_parts(d) || damaged(s, "has a different number of names than values", path);
}

static int by_first(const void *a, const void *b) {
    const dataset *x = a, *y = b;
    return (x->first > y->first) - (x->first < y->first);
}

/* ---- columns ---- */

static bool add_set(ff_trace *t, size_t *room, size_t where, size_t body, size_t width) {
    if (t->set_count == *room) {
        const size_t more = *room ? 2 * *room : 64;
        ff_trace_set *sets = ff_realloc(t->sets, more * sizeof *sets);
        if (!sets) {
            return false;
        }
        t->sets = sets;
        *room = more;
    }
    t->sets[t->set_count++] =
        (ff_trace_set){.at = t->columns, .width = width, .dataset = where, .body = body};
    t->columns += width;
    return true;
}

/* Lists fields in the order of their columns: all, or for a crowd those of `shown` bodies. */
static bool lay_out(ff_trace *t, const ff_saved *s) {
    size_t room = 0, end = 0;
    bool done = true;
    for (size_t i = 0; done && i < s->set_count; i = end) {
        /* blocks are interleaved: all quantities of a body, then of the next */
        for (end = i + 1; end < s->set_count && s->sets[i].count && s->sets[end].count; end++) {
        }
        for (size_t b = 0; done && b < (s->sets[i].count ? t->bodies : 1); b++) {
            const size_t body = s->sets[i].count ? ff_trace_body(t, b) : SIZE_MAX;
            for (size_t k = i; done && k < end; k++) {
                done = add_set(t, &room, k, body, s->sets[k].width);
            }
        }
    }
    return done;
}

/* Whether the datasets have all columns, each once. */
static bool are_whole(ff_saved *s) {
    size_t next = 0, end;
    for (size_t i = 0; i < s->set_count; i = end) {
        const size_t from = next;
        for (end = i; end < s->set_count && (end == i || (s->sets[i].count && s->sets[end].count));
             end++) {
            if (s->sets[end].first != next) {
                return damaged(s, "has columns that other datasets have already",
                               s->sets[end].path);
            }
            next += s->sets[end].width;
        }
        next = from + (next - from) * (s->sets[i].count ? s->sets[i].count : 1);
    }
    return (s->set_count && strcmp(s->sets[0].path, "/time") == 0 && s->sets[0].width == 1) ||
           damaged(s, "is not there", "/time");
}

/* the names of a crowd's bodies, which share their datasets */
static bool read_bodies(ff_saved *s) {
    const long long rows = ff_h5_rows(s->file, "/bodies/name", &s->name_width);
    if (!s->crowd) {
        return true;
    }
    if (rows <= 0 || s->name_width == 0 || s->name_width >= FF_FIELD_PATH) {
        return damaged(s, "are not there", "names of bodies in /bodies/name");
    }
    s->body_count = (size_t)rows;
    s->bodies = ff_malloc(s->body_count * s->name_width);
    return s->bodies ? ff_h5_read(s->file, "/bodies/name", 0, s->body_count, s->bodies) ||
                           damaged(s, "cannot be read", "/bodies/name")
                     : no_memory(s);
}

/* The field of a set. */
static ff_field saved_field(const ff_saved *s, const ff_trace_set *set) {
    const dataset *d = &s->sets[set->dataset];
    ff_field f = {.kind = FF_FIELD_OUTPUT, .width = d->width, .meaning = ""};
    if (set->body != SIZE_MAX) {
        snprintf(f.path, sizeof f.path, "bodies.%.*s.%s", (int)s->name_width,
                 s->bodies + set->body * s->name_width, strrchr(d->path, '/') + 1);
    } else {
        /* the first and last part of the path; in between is the name of the owner, which may contain a / */
        snprintf(f.path, sizeof f.path, "%s", d->path + 1);
        char *first = strchr(f.path, '/'), *last = strrchr(f.path, '/');
        if (first) {
            *first = *last = '.';
        }
    }
    memcpy(f.unit, d->unit, strlen(d->unit) + 1);
    memcpy(f.parts, d->names, sizeof f.parts);
    return f;
}

ff_field ff_trace_field(const ff_trace *t, size_t set) {
    ff_field f = {0};
    if (t->model) {
        ff_model_field(t->model, t->fields[set], &f);
        return f;
    }
    return saved_field(t->of ? t->of->saved : t->saved, &t->sets[set]);
}

size_t ff_trace_owners(const ff_trace *t, const char *folder) {
    char owner[FF_FIELD_PATH] = "";
    size_t count = 0;
    for (size_t i = 0; i < t->set_count; i++) {
        const ff_field f = ff_trace_field(t, i);
        ff_trace_words w;
        ff_trace_split(&f, &w);
        if (strcmp(w.folder, folder) == 0 && strcmp(w.owner, owner) != 0) {
            memcpy(owner, w.owner, strlen(w.owner) + 1);
            count++;
        }
    }
    return count;
}

/* ---- facts of the run ---- */

static ff_event_kind kind_of(const char *text, size_t width) {
    int kind = 0;
    while (kind < FF_EVENT_KINDS && strncmp(text, ff_event_name((ff_event_kind)kind), width) != 0) {
        kind++;
    }
    return (ff_event_kind)kind;
}

static bool read_events(ff_trace *t, ff_saved *s) {
    static const char *const columns[] = {"/events/time", "/events/rejoin", "/events/contact",
                                          "/events/kind", "/events/pair"};
    const double said = ff_h5_number(s->file, "/events", "rows");
    size_t widths[5];
    for (int i = 0; i < 5; i++) {
        const long long rows = ff_h5_rows(s->file, columns[i], &widths[i]);
        if (!(said >= 0) || (double)rows < said || (i < 3 && widths[i] != 1)) {
            return damaged(s, "has fewer events than the file says", columns[i]);
        }
    }
    const size_t count = t->event_count = (size_t)said;
    s->pair_width = widths[4];
    t->events = ff_calloc(count + 1, sizeof *t->events);
    s->pairs = ff_calloc(count + 1, s->pair_width + 1);
    double *numbers = ff_malloc(3 * (count + 1) * sizeof *numbers);
    char *kinds = ff_calloc(count + 1, widths[3]), *pairs = ff_calloc(count + 1, widths[4]);
    bool done = t->events && s->pairs && numbers && kinds && pairs;
    done = done || no_memory(s);
    for (size_t i = 0; done && i < 3; i++) {
        done = ff_h5_read(s->file, columns[i], 0, count, numbers + i * count) ||
               damaged(s, "cannot be read", columns[i]);
    }
    done = done && ((ff_h5_read(s->file, columns[3], 0, count, kinds) &&
                     ff_h5_read(s->file, columns[4], 0, count, pairs)) ||
                    damaged(s, "cannot be read", columns[3]));
    for (size_t i = 0; done && i < count; i++) {
        const double contact = numbers[2 * count + i];
        const ff_event_kind kind = kind_of(kinds + i * widths[3], widths[3]);
        done = ((int)kind < FF_EVENT_KINDS && contact >= -1 && contact < INT32_MAX) ||
               damaged(s, "has an unknown kind", "an event");
        t->events[i] =
            (ff_event){numbers[i], kind, (int)(done ? contact : 0), numbers[count + i] != 0};
        memcpy(s->pairs + i * (s->pair_width + 1), pairs + i * s->pair_width, s->pair_width);
    }
    ff_free(numbers);
    ff_free(kinds);
    ff_free(pairs);
    return done;
}

static long whole(ff_saved *s, const char *name) {
    const double value = ff_h5_number(s->file, "/run", name);
    return value >= 0 && value < 1e18 ? (long)value : 0;
}

/* reads a reason of fixed length */
static bool read_reason(ff_saved *s, const char *name, char out[FF_TRACE_REASON]) {
    char *text = ff_h5_text(s->file, "/run", name);
    if (text) {
        snprintf(out, FF_TRACE_REASON, "%s", text);
    }
    ff_free(text);
    return text || damaged(s, "is not a text of fixed length", name);
}

static bool read_run(ff_trace *t, ff_saved *s) {
    char *kind = ff_h5_text(s->file, "/run", "kind"),
         *method = ff_h5_text(s->file, "/run", "method");
    bool done = kind && method;
    s->inclusion = done && strcmp(kind, "inclusion") == 0;
    s->crowd = done && strcmp(kind, "crowd") == 0;
    s->run = ff_run_options_default();
    int m = 0;
    while (done && m < FF_METHODS && strcmp(method, ff_method_name((ff_method)m)) != 0) {
        m++;
    }
    done = done && m < FF_METHODS;
    s->run.method = (ff_method)(done ? m : 0);
    ff_free(kind);
    ff_free(method);
    s->run.tol = ff_h5_number(s->file, "/run", "tol");
    s->run.dt = ff_h5_number(s->file, "/run", "dt");
    s->run.until = ff_h5_number(s->file, "/run", "until");
    s->run.events = ff_h5_number(s->file, "/run", "events_located") == 1;
    if (!done || isnan(s->run.tol) || isnan(s->run.until)) {
        return damaged(s, "does not contain the run options", "/run");
    }
    s->time = ff_h5_number(s->file, "/run", "time");
    s->statistics = (ff_statistics){.steps = whole(s, "steps"),
                                    .rejected = whole(s, "rejected"),
                                    .evaluations = whole(s, "evaluations"),
                                    .switches = whole(s, "method_changes"),
                                    .cost = ff_h5_number(s->file, "/run", "cost")};
    for (m = 0; m < FF_METHODS; m++) {
        char name[40];
        snprintf(name, sizeof name, "steps_%s", ff_method_name((ff_method)m));
        s->statistics.method_steps[m] = whole(s, name);
    }
#define GET(name) t->ledger.name = ff_h5_number(s->file, "/ledger", #name);
    FF_LEDGER_LIST(GET)
    GET(initial)
    GET(scale)
    GET(residual)
#undef GET
    return read_reason(s, "ended", t->ended) && read_reason(s, "failed", t->failed);
}

/* Whether a text, if there is one, is a JSON object. */
static bool is_object(const char *text) { return !text || (text[0] == '{' && strchr(text, '}')); }

static bool read_texts(ff_saved *s) {
    const struct {
        const char *path;
        char **to;
    } texts[] = {{"/run/name", &s->name},       {"/run/source", &s->source},
                 {"/run/scene", &s->scene},     {"/run/command_line", &s->command},
                 {"/run/picture", &s->picture}, {"/run/outcome", &s->outcome}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        ff_error why = {""};
        if (!ff_h5_document(s->file, texts[i].path, texts[i].to, &why)) {
            return damaged(s, "is not a text of fixed length", texts[i].path);
        }
    }
    return (is_object(s->picture) || damaged(s, "is not a JSON object", "/run/picture")) &&
           (is_object(s->outcome) || damaged(s, "is not a JSON object", "/run/outcome"));
}

static bool read_all(ff_trace *t, ff_saved *s) {
    s->version = ff_h5_text(s->file, "/", "footfall_version");
    if (!s->version) {
        snprintf(s->error->text, sizeof s->error->text, "%s: is not a trace of footfall", s->path);
        return false;
    }
    const double rows = ff_h5_number(s->file, "/", "rows");
    if (!(rows >= 0 && rows < 1e15)) {
        return damaged(s, "how many rows it has", "the file does not say");
    }
    t->rows = t->offered = s->body_rows = (size_t)rows;
    s->complete = ff_h5_number(s->file, "/", "complete") == 1;
    if (!read_run(t, s) || !read_bodies(s) || !read_texts(s)) {
        return false;
    }
    if (!ff_h5_visit(s->file, "/", add_dataset, s)) {
        return s->no_memory ? false : damaged(s, "cannot be opened", "something in it");
    }
    qsort(s->sets, s->set_count, sizeof *s->sets, by_first);
    t->body_most = t->bodies = s->body_count;
    return are_whole(s) && read_events(t, s) && (lay_out(t, s) || no_memory(s));
}

ff_status ff_trace_open(const char *path, ff_trace **out, ff_error *error) {
    ff_error why = {""};
    *out = NULL;
    ff_trace *t = ff_calloc(1, sizeof *t);
    ff_saved *s = t ? t->saved = ff_calloc(1, sizeof *s) : NULL;
    if (s) {
        s->error = &why;
        s->path = ff_word_copy(path);
        s->file = s->path ? ff_h5_open(path, &why) : NULL;
    }
    if (!s || !s->path) {
        ff_trace_free(t);
        return ff_trace_refuse(error, FF_NO_MEMORY, "out of memory");
    }
    if (!s->file) {
        ff_trace_free(t);
        return ff_trace_refuse(error, FF_BAD_VALUE, "%s: %s", path, why.text);
    }
    t->over = true;
    const bool good = read_all(t, s);
    s->error = NULL;
    if (!good) {
        const bool full = s->no_memory && !*why.text;
        ff_trace_free(t);
        return full ? ff_trace_refuse(error, FF_NO_MEMORY, "out of memory")
                    : ff_trace_refuse(error, FF_BAD_VALUE, "%s", why.text);
    }
    *out = t;
    return FF_OK;
}

/* ---- queries ---- */

bool ff_trace_is_inclusion(const ff_trace *t) {
    const ff_saved *s = t->of ? t->of->saved : t->saved;
    return t->model ? ff_model_inclusion(t->model) != NULL : s->inclusion;
}

size_t ff_trace_row_count(const ff_trace *t) { return t->rows; }

size_t ff_trace_column_count(const ff_trace *t) { return t->columns; }

/* The set of a column; t->set_count: there is none. */
static size_t set_of(const ff_trace *t, size_t column) {
    size_t least = 0, most = t->set_count;
    if (column >= t->columns) {
        return t->set_count;
    }
    while (most - least > 1) {
        const size_t middle = (least + most) / 2;
        if (t->sets[middle].at <= column) {
            least = middle;
        } else {
            most = middle;
        }
    }
    return least;
}

bool ff_trace_column(const ff_trace *t, size_t i, ff_column *out) {
    const size_t set = set_of(t, i);
    if (set == t->set_count) {
        return false;
    }
    const ff_field f = ff_trace_field(t, set);
    *out = (ff_column){.part = i - t->sets[set].at, .width = f.width};
    memcpy(out->path, f.path, sizeof out->path);
    memcpy(out->unit, f.unit, sizeof out->unit);
    ff_trace_column_name(&f, out->part, out->name, sizeof out->name);
    return true;
}

ff_status ff_trace_find(const ff_trace *t, const char *name, size_t *column, ff_error *error) {
    ff_column c;
    char nearest[FF_FIELD_PATH] = "";
    size_t least = strlen(name) / 3 + 2;
    for (size_t i = 0; ff_trace_column(t, i, &c); i++) {
        const size_t off = ff_word_distance(name, c.name);
        if (off == 0) {
            *column = i;
            return FF_OK;
        }
        if (off < least) {
            least = off;
            memcpy(nearest, c.name, sizeof nearest);
        }
    }
    return *nearest ? ff_trace_refuse(error, FF_BAD_VALUE,
                                      "there is no column '%.60s' (did you mean '%.60s'?)", name,
                                      nearest)
                    : ff_trace_refuse(error, FF_BAD_VALUE, "there is no column '%.60s'", name);
}

/* Reads rows of a dataset, a few megabytes at a time, every `stride`-th and the last: numbers of `count` sets, each `step`
 * sets after the previous one, go to `to` at their columns, with `apart` numbers per row. */
static bool read_sets(const ff_saved *s, const ff_trace_set *sets, size_t count, size_t step,
                      size_t rows, size_t stride, double *to, size_t apart) {
    const dataset *d = &s->sets[sets->dataset];
    const size_t wide = d->width * (d->count ? d->count : 1);
    size_t block = (4 << 20) / (wide * sizeof(double));
    block = block < 1 ? 1 : block;
    block = block < rows ? block : rows;
    double *buffer = ff_malloc((block + 1) * wide * sizeof *buffer);
    bool done = buffer != NULL;
    for (size_t first = 0; done && first < rows; first += block) {
        const size_t some = rows - first < block ? rows - first : block;
        done = ff_h5_read(s->file, d->path, first, some, buffer);
        for (size_t r = 0; done && r < some; r++) {
            if ((first + r) % stride != 0 && first + r != rows - 1) {
                continue;
            }
            for (size_t i = 0; i < count; i++) {
                const ff_trace_set *set = &sets[i * step];
                const size_t at = set->body == SIZE_MAX ? 0 : set->body * d->width;
                memcpy(to + set->at, buffer + r * wide + at, d->width * sizeof *to);
            }
            to += apart;
        }
    }
    ff_free(buffer);
    return done;
}

/* Reads every `stride`-th row of all columns, and the last; all bodies of a block at once, with the first one. */
static bool read_columns(const ff_trace *t, const ff_saved *s, size_t rows, size_t stride,
                         double *values) {
    size_t step = 0;
    for (size_t k = 0; k < s->set_count; k++) {
        step += s->sets[k].count > 0;
    }
    bool read = true;
    for (size_t i = 0; read && i < t->set_count; i++) {
        const ff_trace_set *set = &t->sets[i];
        if (set->body == SIZE_MAX || set->body == ff_trace_body(t, 0)) {
            read = read_sets(s, set, set->body == SIZE_MAX ? 1 : t->bodies, step, rows, stride,
                             values, t->columns);
        }
    }
    return read;
}

ff_status ff_trace_values(const ff_trace *t, size_t column, double *values, ff_error *error) {
    const bool all_columns = column == FF_TRACE_ALL;
    const size_t set = all_columns ? 0 : set_of(t, column);
    if (set == t->set_count) {
        return ff_trace_refuse(error, FF_BAD_VALUE, "there are %zu columns, and no column %zu",
                               t->columns, column);
    }
    if (t->values && all_columns) {
        memcpy(values, t->values, t->rows * t->columns * sizeof *values);
        return FF_OK;
    }
    if (t->values) {
        for (size_t r = 0; r < t->rows; r++) {
            values[r] = t->values[r * t->columns + column];
        }
        return FF_OK;
    }
    if (!t->saved) {
        return t->rows == 0
                   ? FF_OK
                   : ff_trace_refuse(
                         error, FF_MISSING,
                         "the rows are in %s, which can be opened after the trace has ended",
                         t->choice.path);
    }
    if (all_columns) {
        return read_columns(t, t->saved, t->rows, 1, values)
                   ? FF_OK
                   : ff_trace_refuse(error, FF_BAD_VALUE, "%s: is damaged: rows cannot be read",
                                     t->saved->path);
    }
    ff_trace_set one = t->sets[set], *s = &one;
    const size_t part = column - s->at;
    double *all = ff_malloc((t->rows + 1) * s->width * sizeof *all);
    s->at = 0;
    const bool done = all && read_sets(t->saved, s, 1, 1, t->rows, 1, all, s->width);
    for (size_t r = 0; done && r < t->rows; r++) {
        values[r] = all[r * s->width + part];
    }
    ff_free(all);
    return done  ? FF_OK
           : all ? ff_trace_refuse(error, FF_BAD_VALUE, "%s: is damaged: %s cannot be read",
                                   t->saved->path, t->saved->sets[s->dataset].path)
                 : ff_trace_refuse(error, FF_NO_MEMORY, "out of memory");
}

ff_status ff_trace_load(const ff_trace *from, size_t values_most, size_t bodies_most,
                        ff_trace **out, ff_error *error) {
    const ff_saved *s = from->saved;
    ff_trace *t = ff_calloc(1, sizeof *t);
    *out = NULL;
    if (!t) {
        return ff_trace_refuse(error, FF_NO_MEMORY, "out of memory");
    }
    t->of = from;
    t->over = true;
    t->body_most = from->body_most;
    t->bodies = s->crowd && bodies_most < from->bodies ? bodies_most : from->bodies;
    bool done = lay_out(t, s);
    size_t stride = 1;
    while (done && from->rows > 2 && (from->rows - 1) / stride + 1 > values_most / t->columns &&
           stride < from->rows) {
        stride *= 2;
    }
    const size_t kept = from->rows > 0 ? (from->rows - 1 + stride - 1) / stride + 1 : 0;
    t->values = done ? ff_malloc((kept + 1) * t->columns * sizeof *t->values) : NULL;
    t->rows = t->room = kept;
    t->offered = from->rows;
    done = t->values != NULL;
    const bool read = done && read_columns(t, s, from->rows, stride, t->values);
    if (!done || !read) {
        ff_trace_free(t);
        return done ? ff_trace_refuse(error, FF_BAD_VALUE, "%s: is damaged: rows cannot be read",
                                      s->path)
                    : ff_trace_refuse(error, FF_NO_MEMORY, "out of memory");
    }
    *out = t;
    return FF_OK;
}

size_t ff_trace_event_count(const ff_trace *t) { return t->event_count; }

const char *ff_trace_event(const ff_trace *t, size_t i, ff_event *out) {
    *out = t->events[i];
    if (t->model) {
        return ff_model_event_owner(t->model, out);
    }
    const char *pair = t->saved->pairs + i * (t->saved->pair_width + 1);
    return *pair ? pair : NULL;
}

ff_status ff_trace_picture(const ff_trace *t, char **out, ff_error *error) {
    if (!t->model && !t->saved->picture) {
        return ff_trace_refuse(error, FF_MISSING, "%s: has no picture of the scene",
                               t->saved->path);
    }
    *out = t->model ? ff_picture_make(t->model, t->bodies) : ff_word_copy(t->saved->picture);
    return *out ? FF_OK : ff_trace_refuse(error, FF_NO_MEMORY, "out of memory");
}

void ff_trace_facts_fill(const ff_trace *t, ff_trace_facts *out, size_t size) {
    const ff_saved *s = t->saved;
    const ff_trace_options *o = &t->choice;
    ff_trace_facts f = {.size = size,
                        .version = s ? s->version : ff_version(),
                        .name = s ? s->name : o->name,
                        .source = s ? s->source : o->source,
                        .scene = s ? s->scene : o->scene,
                        .command = s ? s->command : o->command,
                        .complete = s ? s->complete : t->over && !*t->ended,
                        .ended = *t->ended ? t->ended : NULL,
                        .failed = *t->failed ? t->failed : NULL,
                        .time = s ? s->time : ff_trace_time(t),
                        .ledger = t->ledger,
                        .statistics = s ? s->statistics : ff_sim_statistics(t->sim),
                        .run = s ? s->run : t->sim->options,
                        .crowd = s ? s->crowd : ff_trace_is_crowd(t),
                        .discards = t->discards,
                        .outcome = s ? s->outcome : t->outcome};
    if (!t->over) {
#define NONE(name) f.ledger.name = (double)NAN;
        FF_LEDGER_LIST(NONE)
        NONE(initial)
        NONE(scale)
        NONE(residual)
#undef NONE
    }
    memset(out, 0, size);
    memcpy(out, &f, size < sizeof f ? size : sizeof f);
}
