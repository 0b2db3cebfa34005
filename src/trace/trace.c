/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#define _POSIX_C_SOURCE 200809L
#include "trace.h"
#include "expr/word.h"
#include "model/model.h"
#include "num/def.h"
#include "num/memory.h"
#include "ode/stepper.h"
#include "sim/sim.h"
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

ff_status ff_trace_refuse(ff_error *error, ff_status status, const char *format, ...) {
    if (error) {
        va_list list;
        va_start(list, format);
        vsnprintf(error->text, sizeof error->text, format, list);
        va_end(list);
    }
    return status;
}

static ff_status out_of_memory(ff_error *error) {
    return ff_trace_refuse(error, FF_NO_MEMORY, "out of memory");
}

/* ---- options ---- */

/* Numbers that a page keeps: 64 MB, and four times as much while it is made. */
enum { page_values = 8000000 };

void ff_trace_options_page(ff_trace_options *options, const ff_sim *sim, double memory) {
    /* every step, because a contact is short, and enough in between for smooth curves */
    options->rows = FF_ROWS_STEPS;
    options->every = options->change = 0;
    options->fill = sim->options.until / 400;
    options->values_most =
        memory > 0 ? (size_t)fmin(page_values, memory / (4 * sizeof(double)) + 1) : page_values;
    options->bodies_most = FF_PICTURE_BODIES;
}

/* ---- names ---- */

void ff_trace_split(const ff_field *field, ff_trace_words *out) {
    memcpy(out->text, field->path, sizeof out->text);
    char *first = strchr(out->text, '.'), *last = strrchr(out->text, '.');
    out->folder = first ? out->text : "";
    out->name = last ? last + 1 : out->text;
    out->owner = first < last ? first + 1 : "";
    if (first) {
        *first = *last = '\0';
    }
}

void ff_trace_column_name(const ff_field *field, size_t part, char *buf, size_t size) {
    ff_trace_words w;
    char index[24] = "";
    ff_trace_split(field, &w);
    bool bare = strcmp(w.folder, "states") == 0 || strcmp(w.folder, "outputs") == 0;
    const char *before = bare ? "" : *w.owner ? w.owner : *w.folder ? w.folder : "t";
    if (!field->parts[0] && field->width > 1) {
        snprintf(index, sizeof index, "[%zu]", part);
    }
    snprintf(buf, size, "%s%s%s%s", before, bare ? "" : ":",
             field->parts[0] ? field->parts[part] : w.name, index);
}

/* ---- contents of a row ---- */

/* Changes are relative to the range of a field so far, but at least to this fraction of its scale, an estimate of its
 * largest values, so that rounding errors of constant values do not count as changes; errors within tolerances are far
 * smaller. */
static const double least_change = 1e-3;

static bool add_set(ff_trace *t, size_t field, const ff_field *f) {
    /* room for one more field, the scale of energies */
    if (t->set_count + 1 >= t->set_room) {
        const size_t room = t->set_room ? 2 * t->set_room : 64;
        size_t *fields = ff_realloc(t->fields, room * sizeof *fields);
        t->fields = fields ? fields : t->fields;
        ff_trace_set *sets = fields ? ff_realloc(t->sets, room * sizeof *sets) : NULL;
        t->sets = sets ? sets : t->sets;
        if (!sets) {
            return false;
        }
        t->set_room = room;
    }
    t->fields[t->set_count] = field;
    t->sets[t->set_count++] = (ff_trace_set){.at = t->columns,
                                             .width = f->width,
                                             .scale = least_change * f->scale,
                                             .energy = f->unit[0] == 'J',
                                             .body = SIZE_MAX};
    t->columns += f->width;
    return true;
}

size_t ff_trace_body(const ff_trace *t, size_t i) {
    const size_t all = t->body_most;
    return all == t->bodies ? i : (size_t)((double)i * (double)all / (double)t->bodies);
}

static bool make_columns(ff_trace *t) {
    ff_field f;
    ff_trace_words w;
    char owner[FF_FIELD_PATH] = "";
    size_t body = 0, chosen = 0, scale = 0;
    t->pair_width = t->stride = 1;
    for (size_t i = 0; i < FF_JOINT_COORDINATES * t->model->joint_count; i++) {
        const ff_event event = {.kind = FF_SLIP, .contact = (int)(t->model->contact_count + i)};
        const size_t width = strlen(ff_model_event_owner(t->model, &event)) + 1;
        t->pair_width = width > t->pair_width ? width : t->pair_width;
    }
    for (size_t i = 0; ff_model_field(t->model, i, &f); i++) {
        if (f.kind != FF_FIELD_STATE && f.kind != FF_FIELD_OUTPUT) {
            continue;
        }
        ff_trace_split(&f, &w);
        const bool ledger = strcmp(w.folder, "ledger") == 0;
        if (ledger && !*w.owner && strcmp(w.name, "scale") == 0) {
            scale = i;
        }
        /* a table has the accounts of the run, but not those that hardly change */
        if (ledger &&
            (*w.owner || strcmp(w.name, "scale") == 0 || strcmp(w.name, "initial") == 0)) {
            continue;
        }
        if (strcmp(w.folder, "contacts") == 0 || strcmp(w.folder, "frictions") == 0) {
            t->pair_width =
                strlen(w.owner) + 1 > t->pair_width ? strlen(w.owner) + 1 : t->pair_width;
        }
        if (strcmp(w.folder, "bodies") == 0) {
            if (strcmp(w.owner, owner) != 0) {
                chosen += *owner && chosen < t->bodies && ff_trace_body(t, chosen) == body;
                body += *owner != '\0';
                memcpy(owner, w.owner, strlen(w.owner) + 1);
            }
            if (chosen == t->bodies || ff_trace_body(t, chosen) != body) {
                continue;
            }
        }
        if (!add_set(t, i, &f)) {
            return false;
        }
    }
    /* the row has room for the scale after its columns */
    t->fields[t->set_count] = scale;
    t->row = ff_calloc(3 * (t->columns + 1), sizeof *t->row);
    t->first = t->row ? t->row + t->columns + 1 : NULL;
    t->last = t->row ? t->first + t->columns + 1 : NULL;
    return t->row != NULL;
}

static void free_texts(ff_trace *t) {
    ff_free((char *)t->choice.source);
    ff_free((char *)t->choice.scene);
    t->choice.source = t->choice.scene = NULL;
}

void ff_trace_free(ff_trace *t) {
    if (!t) {
        return;
    }
    if (t->file) {
        snprintf(t->ended, sizeof t->ended, "given up");
        t->ledger = ff_sim_ledger(t->sim);
        ff_trace_file_close(t, NULL);
    }
    ff_saved_free(t->saved);
    free_texts(t);
    ff_free((char *)t->choice.path);
    ff_free((char *)t->choice.name);
    ff_free((char *)t->choice.command);
    ff_free(t->fields);
    ff_free(t->sets);
    ff_free(t->row);
    ff_free(t->values);
    ff_free(t->events);
    ff_free(t->outcome);
    ff_free(t);
}

bool ff_trace_is_crowd(const ff_trace *t) { return t->model && ff_model_class_count(t->model) > 0; }

/* Copies a text that may be NULL; false if out of memory. */
static bool copy_text(const char **text) {
    const char *from = *text;
    *text = from ? ff_word_copy(from) : NULL;
    return !from || *text;
}

static bool copy_texts(ff_trace_options *o) {
    bool done = copy_text(&o->path);
    done = copy_text(&o->name) && done;
    done = copy_text(&o->source) && done;
    done = copy_text(&o->scene) && done;
    return copy_text(&o->command) && done;
}

/* Whether each field of a trace is also one of another trace. */
static bool are_among(const ff_trace *t, const ff_trace *others) {
    size_t k = 0;
    for (size_t i = 0; i < t->set_count; i++, k++) {
        while (k < others->set_count && others->fields[k] != t->fields[i]) {
            k++;
        }
        if (k >= others->set_count) {
            return false;
        }
    }
    return true;
}

/* Why options are invalid, or NULL. */
static const char *mistake(const ff_sim *sim, const ff_trace_options *o) {
    return !(o->every >= 0 && isfinite(o->every))      ? "the spacing of rows must be positive"
           : !(o->fill >= 0 && isfinite(o->fill))      ? "the spacing within steps must be positive"
           : !(o->change >= 0 && o->change <= 1)       ? "the change must be between 0 and 1"
           : o->change > 0 && o->rows != FF_ROWS_STEPS ? "rows are by change or at events, not both"
           : o->change > 0 && o->every > 0      ? "rows are by change or at even spacing, not both"
           : o->path && o->rows == FF_ROWS_NONE ? "a file without rows"
           : o->replay && (o->rows != FF_ROWS_STEPS || o->every > 0 || o->change > 0 || o->beside)
               ? "rows of another program are taken as they are"
           : o->replay && sim->model->fields    ? "rows of another program are of bodies"
           : o->beside && o->beside->sim != sim ? "the second trace belongs to another run"
           : o->beside && o->beside->started    ? "the second trace has already started"
                                                : NULL;
}

ff_status ff_trace_create(ff_sim *sim, const ff_trace_options *options, ff_trace **out,
                          ff_error *error) {
    ff_trace_options o = ff_trace_options_default();
    *out = NULL;
    if (options && !FF_DEF_TAKE(&o, options)) {
        return ff_def_refuse(error);
    }
    const char *wrong = mistake(sim, &o);
    if (wrong) {
        return ff_trace_refuse(error, FF_BAD_VALUE, "%s", wrong);
    }
    ff_status status = o.path ? ff_trace_check(o.path, error) : FF_OK;
    if (status < 0) {
        return status;
    }
    ff_trace *t = ff_calloc(1, sizeof *t);
    if (!t) {
        return out_of_memory(error);
    }
    t->model = sim->model;
    t->sim = sim;
    t->choice = o;
    t->beside = o.beside;
    t->body_most = ff_model_body_count(t->model);
    const bool fewer = o.bodies_most > 0 && o.bodies_most < t->body_most && ff_trace_is_crowd(t);
    t->bodies = fewer ? o.bodies_most : t->body_most;
    t->when = (ff_sampler){
        .every = o.every, .fill = o.fill, .before = true, .only_events = o.rows != FF_ROWS_STEPS};
    const bool copied = copy_texts(&t->choice);
    if (!copied || (o.rows != FF_ROWS_NONE && !make_columns(t))) {
        ff_trace_free(t);
        return out_of_memory(error);
    }
    for (const ff_trace *b = t->beside; b; b = b->beside) {
        if (!are_among(b, t)) {
            ff_trace_free(t);
            return ff_trace_refuse(error, FF_BAD_VALUE,
                                   "the second trace has fields that this one does not have");
        }
    }
    *out = t;
    return FF_OK;
}

double ff_trace_memory(const ff_trace *t) {
    const double row = (double)t->columns * sizeof(double);
    return t->choice.path ? ff_trace_file_memory(t) : 3 * row + (double)t->choice.values_most * 8;
}

/* ---- rows ---- */

/* Evaluates the row at the observed time, or copies it from a trace that has just done so. */
static void fill_row(ff_trace *t, double time, const ff_trace *done) {
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

/* whether the row differs from the last recorded one */
static bool has_changed(ff_trace *t) {
    bool changed = false;
    for (size_t i = 1; i < t->set_count; i++) {
        ff_trace_set *s = &t->sets[i];
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

/* drops every second stored row, except the first */
static void halve(ff_trace *t) {
    size_t size = t->columns * sizeof *t->row;
    for (size_t i = 2; i < t->rows; i += 2) {
        memcpy(t->values + i / 2 * t->columns, t->values + i * t->columns, size);
    }
    t->rows = (t->rows + 1) / 2;
    t->stride *= 2;
}

bool ff_trace_take(ff_trace *t) {
    if (t->rows == 0) {
        memcpy(t->first, t->row, t->columns * sizeof *t->row);
    }
    memcpy(t->last, t->row, t->columns * sizeof *t->row);
    if (t->file) {
        t->rows++;
        return ff_trace_file_row(t->file, t->row);
    }
    if (t->rows == t->room) {
        size_t room = t->room ? 2 * t->room : 64;
        double *more = ff_realloc(t->values, room * t->columns * sizeof *more);
        if (!more) {
            return false;
        }
        t->values = more;
        t->room = room;
    }
    memcpy(t->values + t->rows++ * t->columns, t->row, t->columns * sizeof *t->row);
    return true;
}

/* Records a row at the observed time; `done` is a trace that has evaluated its own there, or NULL. */
static bool add_row(ff_trace *t, double time, bool event, const ff_trace **done) {
    size_t most = t->choice.values_most / t->columns;
    if (!t->file && t->choice.values_most > 0 && t->rows >= (most > 2 ? most : 2)) {
        halve(t);
    }
    /* the first row is the start; the others are counted from there */
    if (t->offered++ % t->stride != 0) {
        return true;
    }
    fill_row(t, time, *done);
    *done = *done ? *done : t;
    bool same = t->choice.change > 0 && t->rows > 0 && !has_changed(t);
    return (same && !event) || ff_trace_take(t);
}

double ff_trace_expected(const ff_trace *t) {
    const ff_run_options *o = &t->sim->options;
    if (t->choice.rows != FF_ROWS_STEPS || t->choice.change > 0) {
        return 0;
    }
    return t->choice.every > 0          ? o->until / t->choice.every + 1
           : ff_method_fixed(o->method) ? 1.1 * o->until / o->dt
                                        : 0;
}

/* Records all rows that are due, in order of time. */
static bool take_due(ff_trace *first, bool event) {
    bool good = true;
    for (double next = 0; good && next < (double)INFINITY;) {
        const ff_trace *done = NULL;
        next = INFINITY;
        for (const ff_trace *t = first; t; t = t->beside) {
            next = fmin(next, ff_sampler_next(&t->when));
        }
        /* finally, or at the end of the step: the current state */
        ff_sim_observe(first->sim, next);
        for (ff_trace *t = first; t && good && next < (double)INFINITY; t = t->beside) {
            if (ff_sampler_next(&t->when) <= next) {
                ff_sampler_pass(&t->when);
                good = add_row(t, next, event, &done);
            }
        }
    }
    return good;
}

/* Reports why a trace could not be written. */
static ff_status report_failure(const ff_trace *first, ff_error *error) {
    for (const ff_trace *t = first; t; t = t->beside) {
        const char *why = t->file ? ff_trace_file_why(t->file) : "";
        if (*why) {
            return ff_trace_refuse(error, FF_NOT_WRITTEN, "%s: %s", t->choice.path, why);
        }
    }
    return out_of_memory(error);
}

ff_status ff_trace_start(ff_trace *first, ff_error *error) {
    for (ff_trace *t = first; t; t = t->beside) {
        ff_status status = t->choice.path ? ff_trace_file_open(t, error) : FF_OK;
        if (status < 0) {
            return status;
        }
        t->started = true;
        if (t->choice.path) {
            /* they are in the file */
            free_texts(t);
        }
        if (!t->resumed) {
            ff_sampler_start(&t->when, ff_sim_time(t->sim));
        } else {
            /* an event at this instant has no time before it */
            t->when.from = t->when.to = ff_sim_time(t->sim);
        }
    }
    return take_due(first, false) ? FF_OK : report_failure(first, error);
}

static bool keep_event(ff_trace *t, const ff_event *event) {
    if (t->event_count == t->event_room) {
        const size_t room = t->event_room ? 2 * t->event_room : 64;
        ff_event *more = ff_realloc(t->events, room * sizeof *more);
        if (!more) {
            return false;
        }
        t->events = more;
        t->event_room = room;
    }
    t->events[t->event_count++] = *event;
    t->file_events += t->file != NULL;
    return !t->file || ff_trace_file_event(t->file, event);
}

ff_status ff_trace_step(ff_trace *first, const ff_event *event, ff_error *error) {
    bool good = true;
    for (ff_trace *t = first; t && good; t = t->beside) {
        ff_sampler_step(&t->when, ff_sim_time(t->sim), event && t->choice.rows != FF_ROWS_NONE);
        good = !event || keep_event(t, event);
    }
    good = good && take_due(first, event);
    for (ff_trace *t = first; t && good; t = t->beside) {
        good = !t->file || ff_trace_file_tick(t->file);
    }
    return good ? FF_OK : report_failure(first, error);
}

/* The last state is always recorded, changed or not. */
static bool take_last(ff_trace *first) {
    const double time = ff_sim_time(first->sim);
    const ff_trace *done = NULL;
    for (ff_trace *t = first; t; t = t->beside) {
        ff_sampler_end(&t->when, time);
    }
    bool good = take_due(first, false);
    for (ff_trace *t = first; t && good; t = t->beside) {
        const double *last =
            t->values && t->rows ? t->values + (t->rows - 1) * t->columns : t->last;
        if (t->rows && (t->values || t->choice.change > 0) && last[0] < time) {
            /* it may have been evaluated and found unchanged */
            if (t->row[0] < time) {
                fill_row(t, time, done);
            }
            done = done ? done : t;
            good = ff_trace_take(t);
        }
    }
    return good;
}

ff_status ff_trace_end(ff_trace *first, const char *ended, ff_error *error) {
    ff_status status = take_last(first) ? FF_OK : report_failure(first, error);
    const char *failed = !ended && ff_sim_verdict(first->sim) < 0 ? ff_sim_error(first->sim) : "";
    for (ff_trace *t = first; t; t = t->beside) {
        snprintf(t->ended, sizeof t->ended, "%s", ended ? ended : "");
        snprintf(t->failed, sizeof t->failed, "%s", failed);
        t->ledger = ff_sim_ledger(t->sim);
        ff_free(t->outcome);
        t->outcome = t->choice.rows == FF_ROWS_NONE ? NULL : ff_outcome_make(t->model, t->sim);
        if (!t->outcome && t->choice.rows != FF_ROWS_NONE && status >= 0) {
            status = out_of_memory(error);
        }
        t->over = true;
        ff_error why = {""};
        const ff_status closed = t->file ? ff_trace_file_close(t, &why) : FF_OK;
        if (closed < 0 && status >= 0) {
            status = ff_trace_refuse(error, closed, "%s", why.text);
        }
    }
    return status;
}

ff_status ff_sim_record(ff_sim *sim, double until, const ff_trace_options *options, ff_trace **out,
                        ff_error *error) {
    ff_status status = ff_trace_create(sim, options, out, error), run = FF_OK;
    if (status >= 0 && (*out)->choice.replay) {
        return ff_trace_replay(*out, error);
    }
    status = status < 0 ? status : ff_trace_start(*out, error);
    if (status < 0) {
        ff_trace_free(*out);
        *out = NULL;
        return status;
    }
    /* the first step is made even if the run has no duration */
    for (bool more = true; more && status >= 0 && run >= 0; more = ff_sim_time(sim) < until) {
        run = ff_sim_step(sim, until);
        if (run == FF_STOPPED) {
            break;
        }
        status = run < 0 ? FF_OK
                         : ff_trace_step(*out, run == FF_EVENT ? ff_sim_event(sim) : NULL, error);
    }
    const char *why = *ff_sim_error(sim) ? ff_sim_error(sim) : ff_status_text(run);
    if (run < 0) {
        ff_trace_refuse(error, run, "at %g s: %s", ff_sim_time(sim), why);
    }
    const char *ended = run < 0             ? why
                        : status < 0        ? "the trace could not be written"
                        : run == FF_STOPPED ? "stopped"
                                            : NULL;
    ff_error end_error = {""};
    const ff_status end = ff_trace_end(*out, ended, &end_error);
    if (run < 0 || status < 0) {
        return run < 0 ? run : status;
    }
    if (end < 0) {
        return ff_trace_refuse(error, end, "%s", end_error.text);
    }
    const ff_status verdict = run == FF_STOPPED ? FF_OK : ff_sim_verdict(sim);
    return verdict < 0         ? ff_trace_refuse(error, verdict, "%s", ff_sim_error(sim))
           : run == FF_STOPPED ? FF_STOPPED
                               : FF_OK;
}
