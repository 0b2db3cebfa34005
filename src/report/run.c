/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#define _POSIX_C_SOURCE 200809L
#include "num/memory.h"
#include "pack.h"
#include "trace/trace.h"
#include <footfall/footfall.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Limits that keep a page small and fast; the page says which were reached. */
enum {
    values_most = 8000000, /* numbers read from a saved trace: 64 MB */
    bodies_turning = 200,  /* with more bodies, orientations are omitted */
    bodies_moving = 50,    /* with more bodies, velocities are omitted */
    events_most = 5000,
    data_most = 2400 * 1000 /* bytes of sample data; a third more as base64 */
};

/* ---- the columns of a page ---- */

typedef struct {
    size_t set;
    size_t at;   /* column in the trace */
    bool length; /* the column is the magnitude of a vector */
} column;

/* columns of a trace that go to a page, in the order of the trace */
static const struct {
    const char *folder, *field;
    size_t most; /* most bodies for which the column is included; 0: any number */
    bool length; /* only the magnitude of the vector is needed */
} wanted[] = {
    {"bodies", "position", 0, false},
    {"bodies", "orientation", bodies_turning, false},
    {"bodies", "velocity", bodies_moving, false},
    {"bodies", "omega", bodies_moving, true},
    {"bodies", "normal_force", 0, false},
    {"contacts", "touching", 0, false},
    {"contacts", "depth", 0, false},
    {"contacts", "force", 0, false},
    {"contacts", "slip", 0, true},
    {"contacts", "slips", 0, false},
    {"joints", "position", 0, false},
    {"joints", "angle", 0, false},
    {"joints", "rate", 0, false},
    {"joints", "velocity", 0, false},
    {"joints", "effort", 0, false},
    {"joints", "torque", 0, false},
    {"joints", "force", 0, true},
};

/* for an inclusion: all numbers of a field; name NULL: every field of the folder */
static const struct {
    const char *folder, *field;
} quantities[] = {{"states", NULL},      {"contacts", "gap"},    {"contacts", "force"},
                  {"frictions", "slip"}, {"frictions", "force"}, {"outputs", NULL}};

static bool is_quantity(const ff_trace_words *w) {
    bool is = false;
    for (size_t i = 0; i < sizeof quantities / sizeof *quantities; i++) {
        const char *field = quantities[i].field;
        is = is || (strcmp(w->folder, quantities[i].folder) == 0 &&
                    (!field || strcmp(w->name, field) == 0));
    }
    return is;
}

/* The number of columns of a set, 0 if it is not wanted. */
static size_t columns_of(const ff_trace *t, size_t set, bool *length) {
    const ff_field f = ff_trace_field(t, set);
    ff_trace_words w;
    ff_trace_split(&f, &w);
    *length = false;
    if (strcmp(w.folder, "ledger") == 0) {
        return 1;
    }
    if (ff_trace_is_inclusion(t)) {
        return is_quantity(&w) ? f.width : 0;
    }
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        if (strcmp(w.folder, wanted[i].folder) == 0 && strcmp(w.name, wanted[i].field) == 0) {
            *length = wanted[i].length;
            return wanted[i].most > 0 && t->bodies > wanted[i].most ? 0 : *length ? 1 : f.width;
        }
    }
    return 0;
}

static column *choose_columns(const ff_trace *t, size_t *count) {
    column *columns = ff_calloc(t->columns, sizeof *columns);
    *count = 0;
    for (size_t i = 0; columns && i < t->set_count; i++) {
        bool length;
        size_t width = columns_of(t, i, &length);
        for (size_t k = 0; k < width; k++) {
            columns[(*count)++] = (column){i, t->sets[i].at + k, length};
        }
    }
    return columns;
}

/* the row of the trace that is row i of the page: every `thin`-th row, and the last */
static size_t row_at(const ff_trace *t, size_t i, size_t thin) {
    return i * thin < t->rows ? i * thin : t->rows - 1;
}

static size_t rows_of(const ff_trace *t, size_t thin) {
    return (t->rows - 1 + thin - 1) / thin + 1;
}

static double largest(const ff_trace *t, const ff_trace_set *s) {
    double most = 0;
    for (size_t r = 0; r < t->rows; r++) {
        for (size_t c = s->at; c < s->at + s->width; c++) {
            most = fmax(most, fabs(t->values[r * t->columns + c]));
        }
    }
    return most;
}

/* Packs all columns; false if out of memory. The smallest step of a vector's components is a millionth of the largest of
 * them, so that rounding errors become 0. */
static bool pack_all(const ff_trace *t, const column *columns, size_t count, size_t thin, int bits,
                     pack *p, pack_scale *scales) {
    size_t rows = rows_of(t, thin);
    double *values = ff_malloc(rows * sizeof *values), most = 0;
    int32_t *work = ff_malloc(rows * sizeof *work);
    *p = (pack){0};
    for (size_t c = 0; values && work && c < count; c++) {
        const column *k = &columns[c];
        for (size_t i = 0; i < rows; i++) {
            const double *v = t->values + row_at(t, i, thin) * t->columns + k->at;
            values[i] = k->length ? sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) : *v;
        }
        most = c > 0 && columns[c - 1].set == k->set ? most : largest(t, &t->sets[k->set]);
        scales[c] = pack_scale_of(values, rows, 1e-6 * most, bits);
        pack_column(p, values, rows, scales[c], work);
    }
    pack_end(p);
    bool done = values && work && !p->failed;
    ff_free(values);
    ff_free(work);
    return done;
}

/* ---- the document ---- */

/* name and unit of a column */
static void put_column(ff_json *j, const ff_trace *t, const ff_field *f, const column *c,
                       const char *length) {
    ff_json_string(j, NULL, c->length ? length : f->parts[c->at - t->sets[c->set].at]);
    ff_json_string(j, NULL, f->unit);
}

/* columns [name, unit] of the first object of a folder: all others have the same */
static void put_layout(ff_json *j, const ff_trace *t, const column *columns, size_t count,
                       const char *folder) {
    char owner[FF_FIELD_PATH] = "";
    bool first = true;
    ff_json_array(j, folder);
    for (size_t c = 0; c < count; c++) {
        const ff_field f = ff_trace_field(t, columns[c].set);
        ff_trace_words w;
        ff_trace_split(&f, &w);
        if (strcmp(w.folder, folder) == 0 && (first || strcmp(w.owner, owner) == 0)) {
            memcpy(owner, w.owner, strlen(w.owner) + 1);
            first = false;
            ff_json_array(j, NULL);
            put_column(j, t, &f, &columns[c], w.name);
            ff_json_end(j);
        }
    }
    ff_json_end(j);
}

/* columns [joint, name, unit]: they differ between joint kinds */
static void put_joint_layout(ff_json *j, const ff_trace *t, const column *columns, size_t count) {
    char owner[FF_FIELD_PATH] = "";
    size_t joint = 0;
    ff_json_array(j, "joints");
    for (size_t c = 0; c < count; c++) {
        const ff_field f = ff_trace_field(t, columns[c].set);
        ff_trace_words w;
        ff_trace_split(&f, &w);
        if (strcmp(w.folder, "joints") == 0) {
            /* each joint has a reaction, so none is skipped */
            joint += *owner && strcmp(w.owner, owner) != 0;
            memcpy(owner, w.owner, strlen(w.owner) + 1);
            ff_json_array(j, NULL);
            ff_json_integer(j, NULL, (long long)joint);
            put_column(j, t, &f, &columns[c], "reaction");
            ff_json_end(j);
        }
    }
    ff_json_end(j);
}

/* columns [folder, owner, name, unit] of an inclusion */
static void put_quantity_layout(ff_json *j, const ff_trace *t, const column *columns,
                                size_t count) {
    ff_json_array(j, "quantities");
    for (size_t c = 0; c < count && ff_trace_is_inclusion(t); c++) {
        const ff_field f = ff_trace_field(t, columns[c].set);
        ff_trace_words w;
        ff_trace_split(&f, &w);
        if (is_quantity(&w)) {
            char name[FF_FIELD_PATH + 24];
            const size_t part = columns[c].at - t->sets[columns[c].set].at;
            snprintf(name, sizeof name, f.width > 1 ? "%s[%zu]" : "%s", w.name, part);
            ff_json_array(j, NULL);
            ff_json_string(j, NULL, w.folder);
            ff_json_string(j, NULL, w.owner);
            ff_json_string(j, NULL, name);
            ff_json_string(j, NULL, f.unit);
            ff_json_end(j);
        }
    }
    ff_json_end(j);
}

static bool put_base64(ff_json *j, const char *key, const void *bytes, size_t size) {
    char *text = pack_base64(bytes, size);
    if (text) {
        ff_json_string(j, key, text);
    }
    ff_free(text);
    return text;
}

/* times as little-endian doubles */
static bool put_times(ff_json *j, const ff_trace *t, size_t thin) {
    size_t rows = rows_of(t, thin);
    unsigned char *bytes = ff_malloc(8 * rows);
    for (size_t i = 0; bytes && i < rows; i++) {
        uint64_t bits;
        memcpy(&bits, t->values + row_at(t, i, thin) * t->columns, sizeof bits);
        for (int k = 0; k < 8; k++) {
            bytes[8 * i + (size_t)k] = (unsigned char)(bits >> 8 * k);
        }
    }
    bool done = bytes && put_base64(j, "time", bytes, 8 * rows);
    ff_free(bytes);
    return done;
}

/* Writes samples within the size limit: first with lower precision, then fewer of them. */
static bool put_samples(ff_json *j, const ff_trace *t) {
    static const int precisions[] = {20, 17, 14};
    size_t count, thin = 1, room = data_most;
    int bits = 0;
    pack p = {0};
    column *columns = choose_columns(t, &count);
    pack_scale *scales = columns ? ff_calloc(count + 1, sizeof *scales) : NULL;
    bool done = scales, fits = false;
    for (; done && !fits; thin *= 2) {
        for (size_t i = 0; done && !fits && i < sizeof precisions / sizeof *precisions; i++) {
            bits = precisions[i];
            ff_free(p.bytes);
            done = pack_all(t, columns, count, thin, bits, &p, scales);
            fits = p.size + 8 * rows_of(t, thin) <= room || rows_of(t, thin) <= 2;
        }
        if (fits) {
            break;
        }
    }
    if (done) {
        ff_json_object(j, "samples");
        ff_json_integer(j, "offered", (long long)t->offered);
        ff_json_integer(j, "rows", (long long)rows_of(t, thin));
        ff_json_integer(j, "bits", bits);
        ff_json_object(j, "layout");
        const bool scene = !ff_trace_is_inclusion(t);
        put_layout(j, t, columns, scene ? count : 0, "bodies");
        put_layout(j, t, columns, scene ? count : 0, "contacts");
        put_quantity_layout(j, t, columns, count);
        put_joint_layout(j, t, columns, count);
        put_layout(j, t, columns, count, "ledger");
        ff_json_end(j);
        double *numbers = ff_calloc(count + 1, sizeof *numbers);
        for (int part = 0; numbers && part < 2; part++) {
            for (size_t c = 0; c < count; c++) {
                numbers[c] = part == 0 ? scales[c].least : scales[c].step;
            }
            ff_json_numbers(j, part == 0 ? "least" : "step", numbers, count);
        }
        done = numbers && put_times(j, t, thin) && put_base64(j, "data", p.bytes, p.size);
        ff_free(numbers);
        ff_json_end(j);
    }
    ff_free(p.bytes);
    ff_free(scales);
    ff_free(columns);
    return done;
}

/* An event is [time, kind, owner], with owner -1 if it has none. */
static void put_events(ff_json *j, const ff_trace *t) {
    const bool inclusion = ff_trace_is_inclusion(t);
    const size_t contacts = ff_trace_owners(t, "contacts"), joints = ff_trace_owners(t, "joints"),
                 count = ff_trace_event_count(t);
    ff_json_array(j, "event_kinds");
    for (int k = 0; k < FF_EVENT_KINDS; k++) {
        ff_json_string(j, NULL, ff_event_name((ff_event_kind)k));
    }
    ff_json_end(j);
    ff_json_integer(j, "event_count", (long long)count);
    ff_json_array(j, "events");
    for (size_t i = 0; i < count && i < events_most; i++) {
        ff_event e;
        const char *name = ff_trace_event(t, i, &e);
        const bool slides = inclusion && (e.kind == FF_STICK || e.kind == FF_SLIP);
        const double owner = !name || (!inclusion && contacts + joints == 0)
                                 ? -1
                                 : e.contact + (slides ? (double)contacts : 0);
        ff_json_numbers(j, NULL, (double[]){e.time, e.kind, owner}, 3);
    }
    ff_json_end(j);
}

static void put_ledger(ff_json *j, const ff_ledger *l) {
    ff_json_object(j, "ledger");
    ff_json_number(j, "initial", l->initial);
    ff_json_number(j, "scale", l->scale);
    ff_json_number(j, "residual", l->residual);
    ff_json_end(j);
}

/* The description of the scene: the comment at its beginning. */
static bool put_about(ff_json *j, const char *source) {
    char *text = ff_malloc(strlen(source) + 1), *to = text;
    while (text && *source == '#') {
        size_t line = strcspn(source, "\n");
        size_t skip = strspn(source, "# ") < line ? strspn(source, "# ") : line;
        memcpy(to, source + skip, line - skip);
        to += line - skip;
        *to++ = '\n';
        source += line + (source[line] == '\n');
    }
    if (text) {
        *to = '\0';
        ff_json_string(j, "about", text);
    }
    ff_free(text);
    return text;
}

/* Copies the members of a JSON object into the open one. */
static void put_members(ff_json *j, const char *object) {
    const char *from = strchr(object, '{') + 1, *to = strrchr(object, '}');
    while (to > from && to[-1] == '\n') {
        to--;
    }
    fprintf(j->out, ",%.*s", (int)(to - from), from);
    j->filled = true;
}

/* A run for a page: the trace, its rows in memory (another trace if it was saved), its columns, and its name. */
typedef struct {
    const ff_trace *of;
    const ff_trace *rows;
    ff_trace *loaded;
    char *picture;
    const char *title;
} subject;

static ff_status open_subject(const ff_trace *t, subject *out, ff_error *error) {
    const char *name = ff_trace_about(t).name, *slash = name ? strrchr(name, '/') : NULL;
    *out = (subject){.of = t, .rows = t, .title = slash ? slash + 1 : name ? name : "run"};
    if (t->rows == 0 || !(t->values || t->saved)) {
        return ff_trace_refuse(error, FF_MISSING, "there are no rows for a page");
    }
    ff_status status = ff_trace_picture(t, &out->picture, error);
    if (status >= 0 && t->saved) {
        status = ff_trace_load(t, values_most, FF_PICTURE_BODIES, &out->loaded, error);
        out->rows = out->loaded;
    }
    return status;
}

static void close_subject(subject *s) {
    ff_trace_free(s->loaded);
    ff_free(s->picture);
}

static bool put_run(ff_json *j, const subject *s) {
    const ff_trace_facts facts = ff_trace_about(s->of);
    char version[80];
    snprintf(version, sizeof version, "footfall %s", ff_version());
    ff_json_object(j, NULL);
    ff_json_string(j, "kind", "run");
    ff_json_string(j, "title", s->title);
    ff_json_string(j, "generated_by", version);
    bool done = put_about(j, facts.source ? facts.source : "");
    ff_json_string(j, "command", facts.command);
    ff_json_string(j, "scene", facts.scene ? facts.scene : "");
    ff_json_string(j, "scene_path", facts.name ? facts.name : "");
    ff_json_string(j, "ended", facts.ended);
    ff_json_string(j, "failed", facts.failed);
    ff_json_number(j, "time", facts.time);
    ff_json_string(j, "method", ff_method_name(facts.run.method));
    ff_json_number(j, "tol", facts.run.tol);
    ff_json_bool(j, "events_located", facts.run.events);
    ff_json_integer(j, "steps", facts.statistics.steps);
    put_members(j, s->picture);
    /* a killed run leaves none */
    if (facts.outcome) {
        put_members(j, facts.outcome);
    }
    put_events(j, s->of);
    put_ledger(j, &facts.ledger);
    done = done && put_samples(j, s->rows);
    ff_json_end(j);
    return done;
}

/* The document of one run is the run itself; that of two has a list of them. */
static bool put_document(FILE *out, const subject *runs, size_t count, const char *title) {
    ff_json j = {.out = out};
    bool done = true;
    if (count > 1) {
        ff_json_object(&j, NULL);
        ff_json_string(&j, "kind", "runs");
        ff_json_string(&j, "title", title);
        ff_json_array(&j, "runs");
    }
    for (size_t i = 0; i < count && done; i++) {
        done = put_run(&j, &runs[i]);
    }
    if (count > 1) {
        ff_json_end(&j);
        ff_json_end(&j);
    }
    return done && !ferror(out);
}

static ff_status save(const subject *runs, size_t count, const char *path, ff_error *error) {
    char title[2 * FF_TRACE_NAME + 8], *text = NULL;
    size_t size = 0;
    snprintf(title, sizeof title, "%s%s%s", runs[0].title, count > 1 ? " and " : "",
             count > 1 ? runs[1].title : "");
    FILE *out = open_memstream(&text, &size);
    bool done = out && put_document(out, runs, count, title);
    if (out) {
        done = fclose(out) == 0 && done;
        text = ff_streamed(text, size);
        done = done && text;
    }
    const ff_status status = done ? ff_page_save(path, title, text, size, error)
                                  : ff_trace_refuse(error, FF_NO_MEMORY, "out of memory");
    ff_free(text);
    return status;
}

ff_status ff_trace_page(const ff_trace *t, const char *path, ff_error *error) {
    subject run = {0};
    ff_status status = ff_page_check(path, error);
    status = status < 0 ? status : open_subject(t, &run, error);
    status = status < 0 ? status : save(&run, 1, path, error);
    close_subject(&run);
    return status;
}

ff_status ff_trace_compare(const ff_trace *first, const ff_trace *second, const char *path,
                           ff_error *error) {
    subject runs[2] = {0};
    ff_status status = ff_page_check(path, error);
    if (status >= 0 && ff_trace_is_inclusion(first) != ff_trace_is_inclusion(second)) {
        status = ff_trace_refuse(error, FF_BAD_VALUE,
                                 "a scene and an inclusion have nothing to compare: both traces "
                                 "must be of scenes, or both of inclusions");
    }
    status = status < 0 ? status : open_subject(first, &runs[0], error);
    status = status < 0 ? status : open_subject(second, &runs[1], error);
    status = status < 0 ? status : save(runs, 2, path, error);
    close_subject(&runs[0]);
    close_subject(&runs[1]);
    return status;
}
