/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "trace.h"
#include "ode/stepper.h"
#include "trace_file.h"
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* ---- names ---- */

ff_field trace_field(const trace *t, size_t set) {
    ff_field f = {0};
    ff_model_field(t->model, t->fields[set], &f);
    return f;
}

void trace_split(const ff_field *field, trace_words *out) {
    memcpy(out->text, field->path, sizeof out->text);
    char *first = strchr(out->text, '.'), *last = strrchr(out->text, '.');
    out->folder = first ? out->text : "";
    out->name = last ? last + 1 : out->text;
    out->owner = first < last ? first + 1 : "";
    if (first) {
        *first = *last = '\0';
    }
}

void trace_column_name(const ff_field *field, size_t part, char *buf, size_t size) {
    trace_words w;
    char index[24] = "";
    trace_split(field, &w);
    bool bare = strcmp(w.folder, "states") == 0 || strcmp(w.folder, "outputs") == 0;
    const char *before = bare ? "" : *w.owner ? w.owner : *w.folder ? w.folder : "t";
    if (!field->parts[0] && field->width > 1) {
        snprintf(index, sizeof index, "[%zu]", part);
    }
    snprintf(buf, size, "%s%s%s%s", before, bare ? "" : ":",
             field->parts[0] ? field->parts[part] : w.name, index);
}

/* ---- what is in a row ---- */

/* Changes are measured against how far a field has gone, but at least against this part of its scale, which is a guess
 * of its largest values: rounding errors of what stays where it is are no change, and what tolerances leave is far
 * below. */
static const double least_change = 1e-3;

static bool add_set(trace *t, size_t field, const ff_field *f) {
    /* one more field is the scale of energies */
    if (t->set_count + 1 >= t->set_room) {
        t->set_room = t->set_room ? 2 * t->set_room : 64;
        size_t *fields = realloc(t->fields, t->set_room * sizeof *fields);
        t->fields = fields ? fields : t->fields;
        trace_set *sets = fields ? realloc(t->sets, t->set_room * sizeof *sets) : NULL;
        t->sets = sets ? sets : t->sets;
        if (!sets) {
            return false;
        }
    }
    t->fields[t->set_count] = field;
    t->sets[t->set_count++] = (trace_set){.at = t->columns,
                                          .width = f->width,
                                          .scale = least_change * f->scale,
                                          .energy = f->unit[0] == 'J'};
    t->columns += f->width;
    return true;
}

size_t trace_body(const trace *t, size_t i) {
    size_t all = ff_model_body_count(t->model);
    return all == t->bodies ? i : (size_t)((double)i * (double)all / (double)t->bodies);
}

static bool make_columns(trace *t) {
    ff_field f;
    trace_words w;
    char owner[FF_FIELD_PATH] = "";
    size_t body = 0, chosen = 0, scale = 0;
    t->pair_width = t->stride = 1;
    for (size_t i = 0; ff_model_field(t->model, i, &f); i++) {
        if (f.kind != FF_FIELD_STATE && f.kind != FF_FIELD_OUTPUT) {
            continue;
        }
        trace_split(&f, &w);
        const bool ledger = strcmp(w.folder, "ledger") == 0;
        if (ledger && !*w.owner && strcmp(w.name, "scale") == 0) {
            scale = i;
        }
        /* a table has the accounts of the run, but not what hardly changes */
        if (ledger &&
            (*w.owner || strcmp(w.name, "scale") == 0 || strcmp(w.name, "initial") == 0)) {
            continue;
        }
        if (strcmp(w.folder, "contacts") == 0 || strcmp(w.folder, "frictions") == 0) {
            t->pair_width = strlen(w.owner) > t->pair_width ? strlen(w.owner) : t->pair_width;
        }
        if (strcmp(w.folder, "bodies") == 0) {
            if (strcmp(w.owner, owner) != 0) {
                chosen += *owner && chosen < t->bodies && trace_body(t, chosen) == body;
                body += *owner != '\0';
                memcpy(owner, w.owner, strlen(w.owner) + 1);
            }
            if (chosen == t->bodies || trace_body(t, chosen) != body) {
                continue;
            }
        }
        if (!add_set(t, i, &f)) {
            return false;
        }
    }
    /* the row has room for the scale behind its columns */
    t->fields[t->set_count] = scale;
    t->row = calloc(3 * (t->columns + 1), sizeof *t->row);
    t->first = t->row ? t->row + t->columns + 1 : NULL;
    t->last = t->row ? t->first + t->columns + 1 : NULL;
    t->when = (sampler){
        .every = t->choice.every, .fill = t->choice.fill, .only_events = t->choice.only_events};
    return t->row != NULL;
}

void trace_clear(trace *t) {
    free(t->fields);
    free(t->sets);
    free(t->row);
    free(t->values);
}

bool trace_init(trace *t, const ff_model *model, ff_sim *sim, const trace_choice *choice) {
    size_t bodies = ff_model_body_count(model), most = choice->bodies_most;
    bool fewer = most > 0 && most < bodies && ff_model_class_count(model) > 0;
    *t = (trace){.model = model, .sim = sim, .choice = *choice, .bodies = fewer ? most : bodies};
    return make_columns(t);
}

/* ---- rows ---- */

/* Evaluates the row where the run is observed, or takes it from a trace that has just done so. */
static void fill_row(trace *t, double time, const trace *done) {
    if (!done) {
        ff_sim_get_all(t->sim, t->fields, t->set_count + 1, t->row);
        t->energy = t->row[t->columns];
    }
    for (size_t i = 0, k = 0; done && i < t->set_count; i++, k++) {
        while (done->fields[k] != t->fields[i]) {
            k++;
        }
        memcpy(t->row + t->sets[i].at, done->row + done->sets[k].at,
               t->sets[i].width * sizeof *t->row);
    }
    t->energy = done ? done->energy : t->energy;
    t->row[0] = time;
}

/* whether the row differs from the last one that was taken */
static bool has_changed(trace *t) {
    bool changed = false;
    for (size_t i = 1; i < t->set_count; i++) {
        trace_set *s = &t->sets[i];
        double by = 0;
        for (size_t c = s->at; c < s->at + s->width; c++) {
            by = fmax(by, fabs(t->row[c] - t->last[c]));
            s->reach = fmax(s->reach, fabs(t->row[c] - t->first[c]));
        }
        double scale = s->energy ? t->energy : fmax(s->scale, s->reach);
        changed = changed || by > t->choice.change * scale;
    }
    return changed;
}

/* every second of the rows that are kept goes, but for the first */
static void halve(trace *t) {
    size_t size = t->columns * sizeof *t->row;
    for (size_t i = 2; i < t->rows; i += 2) {
        memcpy(t->values + i / 2 * t->columns, t->values + i * t->columns, size);
    }
    t->rows = (t->rows + 1) / 2;
    t->stride *= 2;
}

static bool take_row(trace *t) {
    if (t->rows == 0) {
        memcpy(t->first, t->row, t->columns * sizeof *t->row);
    }
    memcpy(t->last, t->row, t->columns * sizeof *t->row);
    if (t->file) {
        t->rows++;
        return trace_file_row(t->file, t->row);
    }
    if (t->rows == t->room) {
        size_t room = t->room ? 2 * t->room : 64;
        double *more = realloc(t->values, room * t->columns * sizeof *more);
        if (!more) {
            return false;
        }
        t->values = more;
        t->room = room;
    }
    memcpy(t->values + t->rows++ * t->columns, t->row, t->columns * sizeof *t->row);
    return true;
}

/* A row at a time that is observed; `done` is a trace that has evaluated its own there, or NULL. */
static bool add_row(trace *t, double time, bool event, const trace **done) {
    size_t most = t->choice.values_most / t->columns;
    if (!t->file && t->choice.values_most > 0 && t->rows >= (most > 2 ? most : 2)) {
        halve(t);
    }
    /* the first row is the start, and the others are counted from there */
    if (t->offered++ % t->stride != 0) {
        return true;
    }
    fill_row(t, time, *done);
    *done = *done ? *done : t;
    bool same = t->choice.change > 0 && t->rows > 0 && !has_changed(t);
    return (same && !event) || take_row(t);
}

double trace_rows(const ff_run_options *o, const trace_choice *choice) {
    if (choice->only_events || choice->change > 0) {
        return 0;
    }
    return choice->every > 0            ? o->until / choice->every + 1
           : ff_method_fixed(o->method) ? 1.1 * o->until / o->dt
                                        : 0;
}

/* Takes all rows that are due, in the order of time. */
static bool take_due(trace *first, bool event) {
    bool good = true;
    for (double next = 0; good && next < (double)INFINITY;) {
        const trace *done = NULL;
        next = INFINITY;
        for (const trace *t = first; t; t = t->beside) {
            next = fmin(next, sampler_next(&t->when));
        }
        /* at last, or at the end of the step: the present */
        ff_sim_observe(first->sim, next);
        for (trace *t = first; t && good && next < (double)INFINITY; t = t->beside) {
            if (sampler_next(&t->when) <= next) {
                sampler_pass(&t->when);
                good = add_row(t, next, event, &done);
            }
        }
    }
    return good;
}

bool trace_start(trace *first) {
    for (trace *t = first; t; t = t->beside) {
        if (!t->restored) {
            sampler_start(&t->when, ff_sim_time(t->sim));
        }
    }
    return take_due(first, false);
}

bool trace_step(trace *first, const ff_event *event) {
    bool good = true;
    for (trace *t = first; t && good; t = t->beside) {
        sampler_step(&t->when, ff_sim_time(t->sim), event);
        if (t->file && event) {
            t->events++;
            good = trace_file_event(t->file, event);
        }
    }
    good = good && take_due(first, event);
    for (trace *t = first; t && good; t = t->beside) {
        good = !t->file || trace_file_tick(t->file);
    }
    return good;
}

bool trace_end(trace *first) {
    const double time = ff_sim_time(first->sim);
    const trace *done = NULL;
    for (trace *t = first; t; t = t->beside) {
        sampler_end(&t->when, time);
    }
    bool good = take_due(first, false);
    /* the last state is worth a row, changed or passed over or not */
    for (trace *t = first; t && good; t = t->beside) {
        const double *last =
            t->values && t->rows ? t->values + (t->rows - 1) * t->columns : t->last;
        if (t->rows && (t->values || t->choice.change > 0) && last[0] < time) {
            /* it may have been evaluated, and was found not to have changed */
            if (t->row[0] < time) {
                fill_row(t, time, done);
            }
            done = done ? done : t;
            good = take_row(t);
        }
    }
    return good;
}

/* ---- going on ---- */

typedef struct {
    double every, change, only_events, ticks;
    uint64_t rows, events, columns, sets;
    int64_t place;
} state_head;

size_t trace_state_size(const trace *t) {
    return sizeof(state_head) + (2 * t->columns + t->set_count) * sizeof(double);
}

void trace_save(const trace *t, void *state) {
    const state_head head = {t->choice.every, t->choice.change, t->choice.only_events,
                             t->when.ticks,   t->rows,          t->events,
                             t->columns,      t->set_count,     trace_file_place(t->file)};
    char *at = state;
    size_t row = t->columns * sizeof *t->row;
    memcpy(at, &head, sizeof head);
    memcpy(at + sizeof head, t->first, row);
    memcpy(at + sizeof head + row, t->last, row);
    for (size_t i = 0; i < t->set_count; i++) {
        memcpy(at + sizeof head + 2 * row + i * sizeof(double), &t->sets[i].reach, sizeof(double));
    }
}

bool trace_restore(trace *t, const void *state, size_t size) {
    state_head head;
    const char *at = state;
    size_t row = t->columns * sizeof *t->row;
    if (size != trace_state_size(t)) {
        return false;
    }
    memcpy(&head, at, sizeof head);
    if (head.every != t->choice.every || head.change != t->choice.change ||
        head.only_events != t->choice.only_events || head.columns != t->columns ||
        head.sets != t->set_count) {
        return false;
    }
    t->when.ticks = head.ticks;
    t->rows = head.rows;
    t->events = head.events;
    t->place = head.place;
    t->restored = true;
    memcpy(t->first, at + sizeof head, row);
    memcpy(t->last, at + sizeof head + row, row);
    for (size_t i = 0; i < t->set_count; i++) {
        memcpy(&t->sets[i].reach, at + sizeof head + 2 * row + i * sizeof(double), sizeof(double));
    }
    return true;
}
