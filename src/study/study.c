/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#define _POSIX_C_SOURCE 200809L
#include "study.h"
#include "crowd/pool.h"
#include "ensemble/ensemble.h"
#include "flow/seconds.h"
#include "model/numbers.h"
#include "num/hash.h"
#include "num/memory.h"
#include "reduction.h"
#include "results.h"
#include "sim/sim.h"
#include "warned.h"
#include <footfall/footfall.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* How to set parameters that are all fields of the model: the fields, their unvaried values as one array, and the
 * positions in it of the value of each axis. */
typedef struct numbers {
    size_t *fields, *places;
    size_t count, width;
    double *base;
} numbers;

typedef struct study {
    const ff_study_subject *subject;
    const ff_sweep *sweep;
    const ff_design *design;
    ff_keep *keep;  /* compiled for the subject's model */
    bool by_number; /* set by fields; otherwise by settings, with a separate model for each run */
    numbers numbers;

    ff_results results;
    size_t *todo, todo_count;
    const char *alone; /* why runs do not use lanes; NULL: they do */
    bool plain; /* set by fields, and nothing else in the file depends on the varied values */

    /* shared by threads */
    pthread_mutex_t lock;
    atomic_bool over;
    atomic_size_t taken; /* number of entries of todo taken by lanes */
    atomic_size_t left;  /* number of runs that lanes could not complete */
    ff_recorder *recorder;
    ff_warned warned;
    ff_status status;
    ff_error *error;
    double told, flushed, polled; /* times of the last progress report, flush and poll, s */

    /* team: the rows that this process has taken from the shared counter but not started, relative to `first` */
    size_t next, end;
} study;

static ff_status no_memory(ff_error *error) {
    return ff_model_fail(error, FF_NO_MEMORY, "%s", ff_status_text(FF_NO_MEMORY));
}

/* ---- parameters ---- */

/* Finds the field of a path if it is a number of the model that can be set; false otherwise. */
static bool number_field(const ff_model *model, const char *path, size_t *field, size_t *part,
                         ff_field *out) {
    if (model->fields || ff_model_field_find(model, path, field, part, NULL) < 0) {
        return false;
    }
    ff_model_field(model, *field, out);
    const size_t number = ff_numbers_find(model, out->path, strlen(out->path));
    return number != SIZE_MAX && ff_numbers_facts(model, number).kind != FF_FIELD_STRUCTURE;
}

/* Records where the value of an axis goes. */
static ff_status place_axis(const ff_model *model, numbers *n, size_t axis, const char *path,
                            ff_error *error) {
    size_t field, part, at = 0, i = 0;
    ff_field f;
    number_field(model, path, &field, &part, &f);
    if (part == SIZE_MAX && f.width > 1) {
        return ff_model_fail(error, FF_BAD_VALUE,
                             "'%.80s' has %zu numbers: name one of them, as '%.60s[0]'", path,
                             f.width, path);
    }
    for (; i < n->count && n->fields[i] != field; i++) {
        ff_field other;
        ff_model_field(model, n->fields[i], &other);
        at += other.width;
    }
    if (i == n->count) {
        n->fields[n->count++] = field;
        ff_numbers_read(model, ff_numbers_find(model, f.path, strlen(f.path)), n->base + at);
        n->width += f.width;
    }
    n->places[axis] = at + (part == SIZE_MAX ? 0 : part);
    for (size_t k = 0; k < axis; k++) {
        if (n->places[k] == n->places[axis]) {
            return ff_model_fail(error, FF_BAD_VALUE, "'%.80s' is varied twice", path);
        }
    }
    return FF_OK;
}

/* Chooses how parameters are set: as fields of the model if all paths are such fields, otherwise as settings of the
 * file. */
static ff_status prepare_parameters(study *s, size_t *wrong, ff_error *error) {
    const ff_design *d = s->design;
    const ff_model *model = s->subject->model;
    numbers *n = &s->numbers;
    s->by_number = true;
    for (size_t i = 0; i < d->count; i++) {
        size_t field, part;
        ff_field f;
        s->by_number = s->by_number && !d->axes[i].words &&
                       number_field(model, d->axes[i].path, &field, &part, &f);
        for (size_t k = 0; k < i; k++) {
            if (strcmp(d->axes[i].path, d->axes[k].path) == 0) {
                *wrong = i;
                return ff_model_fail(error, FF_BAD_VALUE, "'%.80s' is varied twice",
                                     d->axes[i].path);
            }
        }
    }
    n->fields = ff_malloc((d->count + 1) * sizeof *n->fields);
    n->places = ff_malloc((d->count + 1) * sizeof *n->places);
    n->base = ff_malloc((d->count + 1) * FF_NUMBER_WIDTH * sizeof *n->base);
    ff_status status = n->fields && n->places && n->base ? FF_OK : no_memory(error);
    for (size_t i = 0; i < d->count && status >= 0 && s->by_number; i++) {
        *wrong = i;
        status = place_axis(model, n, i, d->axes[i].path, error);
    }
    return status;
}

/* ---- one run ---- */

/* PATH=VALUE of all axes, in one allocation that starts with pointers to them; NULL if out of memory. */
static const char **write_settings(const ff_design *d, const double *point) {
    enum { NUMBER = 32 };
    size_t size = (d->count + 1) * sizeof(char *);
    for (size_t i = 0; i < d->count; i++) {
        const ff_axis *axis = &d->axes[i];
        size += strlen(axis->path) + strlen(axis->unit) + NUMBER +
                (axis->words ? strlen(axis->words[(size_t)point[i]]) : 0);
    }
    const char **settings = ff_malloc(size);
    char *at = settings ? (char *)(settings + d->count + 1) : NULL;
    for (size_t i = 0; settings && i < d->count; i++) {
        const ff_axis *axis = &d->axes[i];
        settings[i] = at;
        at += axis->words ? sprintf(at, "%s=%s", axis->path, axis->words[(size_t)point[i]])
                          : sprintf(at, "%s=%.17g%s%s", axis->path, point[i],
                                    *axis->unit ? " " : "", axis->unit);
        at++;
    }
    return settings;
}

/* Prepares the run of a point. */
static ff_status open_run(const study *s, const double *point, double *numbers_room, ff_opened *run,
                          ff_error *error) {
    const ff_model *model = s->subject->model;
    if (!s->by_number) {
        const char **settings = write_settings(s->design, point);
        ff_status status =
            settings ? s->subject->open(s->subject->user, settings, s->design->count, run, error)
                     : no_memory(error);
        ff_free(settings);
        return status;
    }
    const numbers *n = &s->numbers;
    ff_run_options o = *ff_model_run(model);
    /* the threads are used by different runs */
    o.threads = 1;
    *run = (ff_opened){.until = o.until};
    memcpy(numbers_room, n->base, n->width * sizeof *numbers_room);
    for (size_t i = 0; i < s->design->count; i++) {
        numbers_room[n->places[i]] = point[i];
    }
    ff_status status = ff_sim_create(model, &o, &run->sim, error);
    return status < 0 ? status : ff_sim_set_all(run->sim, n->fields, n->count, numbers_room, error);
}

static void close_run(const study *s, ff_opened *run) {
    if (run->held) {
        s->subject->close(run);
    } else {
        ff_sim_free(run->sim);
    }
}

static void tick(study *s);

/* Called between evaluations of a run; true interrupts it. */
static bool wants_end(void *user) {
    study *s = user;
    tick(s);
    return atomic_load(&s->over);
}

/* Executes one run: its kept numbers, or its time series. */
static ff_status follow_run(const study *s, const ff_keep *keep, const ff_opened *run,
                            double *values, ff_keep_rows *rows, ff_error *why) {
    const ff_study_subject *subject = s->subject;
    const ff_model *model = run->sim->model;
    const ff_sweep *w = s->sweep;
    ff_reduction stops[FF_SWEEP_STOPS] = {{0}}, only = {0}, from = {0};
    ff_status status = FF_OK;
    for (size_t i = 0; i < w->stop_count && status >= 0; i++) {
        const char *text = w->stops[i];
        status = ff_reduction_read_event(model, text, strlen(text), &stops[i], why);
    }
    if (status >= 0 && subject->only) {
        status = ff_reduction_read_event(model, subject->only, strlen(subject->only), &only, why);
    }
    if (status >= 0 && subject->from) {
        status = ff_reduction_read_event(model, subject->from, strlen(subject->from), &from, why);
    }
    const ff_keep_stops ends = {stops, w->stop_count};
    const ff_sampler when = {
        .every = subject->every, .parts = subject->parts, .events = !subject->no_events};
    return status < 0 ? status
           : rows     ? ff_keep_sample(keep, run->sim, run->until, when, ends,
                                   subject->only ? &only : NULL, subject->from ? &from : NULL, rows)
                      : ff_keep_run(keep, run->sim, run->until, ends, values);
}

/* Describes why a run ended early. */
static void tell_end(const ff_sim *sim, ff_status status, ff_error *why) {
    const char *told = ff_sim_error(sim);
    snprintf(why->text, sizeof why->text, "at %g s: %.200s", ff_sim_time(sim),
             *told ? told : ff_status_text(status));
}

/* Replaces line breaks in a message by spaces. */
static void put_on_line(ff_error *why) {
    for (char *c = why->text; *c; c++) {
        *c = *c == '\n' || *c == '\r' ? ' ' : *c;
    }
}

/* Collects the warnings of a run, and of its model if it has its own. */
static void collect_warnings(study *s, size_t row, ff_sim *sim) {
    ff_warnings of_model = {.count = 0}, of_run;
    ff_warnings_of_run(sim, &of_run);
    if (!s->by_number) {
        ff_warnings_of_model(sim->model, &of_model);
    }
    pthread_mutex_lock(&s->lock);
    ff_warned_add(&s->warned, &of_model, row, 1);
    ff_warned_add(&s->warned, &of_run, row, 1);
    pthread_mutex_unlock(&s->lock);
}

/* Executes the run of a row: FF_OK, FF_STOPPED if it was interrupted, or the failure, with its message in `why`. */
static ff_status run_row(study *s, size_t row, const double *point, double *room, double *values,
                         ff_error *why) {
    ff_opened run = {0};
    ff_keep *own = NULL;
    size_t wrong;
    *why = (ff_error){""};
    ff_status status = open_run(s, point, room, &run, why);
    if (status >= 0 && !s->by_number) {
        status = ff_keep_compile(run.sim->model, s->sweep->keep, s->sweep->keep_count, &own, &wrong,
                                 why);
    }
    if (status >= 0) {
        ff_sim_watch(run.sim, wants_end, s);
        const ff_keep *keep = own ? own : s->keep;
        status =
            follow_run(s, keep, &run, values,
                       s->results.series ? &s->results.series[row - s->results.first] : NULL, why);
        if (status < 0 && !*why->text) {
            tell_end(run.sim, status, why);
        } else if (status == FF_OK && s->sweep->warning) {
            collect_warnings(s, row, run.sim);
        }
    }
    if (status < 0 && !*why->text) {
        snprintf(why->text, sizeof why->text, "%s", ff_status_text(status));
    }
    put_on_line(why);
    ff_keep_free(own);
    close_run(s, &run);
    return status;
}

/* ---- results ---- */

static void fail(study *s, ff_status status) {
    s->status = s->status < 0 ? s->status : status;
    atomic_store(&s->over, true);
}

/* Flushes records every second and reports progress ten times a second; the lock must be held. */
static void tick_locked(study *s) {
    const ff_team *team = s->sweep->team;
    const double now = ff_seconds();
    /* a process of a team knows how many rows have been taken by all, not how many the others have finished */
    const size_t finished = team ? s->next : s->results.finished;
    const bool ended = !team && finished == s->results.rows;
    if (team && team->poll && now - s->polled >= 1e-3) {
        s->polled = now;
        team->poll(team->user);
    }
    if (s->recorder && s->status >= 0 && (now - s->flushed >= 1 || ended)) {
        s->flushed = now;
        if (!ff_recorder_flush(s->recorder, s->error)) {
            fail(s, FF_NOT_WRITTEN);
        }
    }
    if (s->sweep->progress && (now - s->told >= 0.1 || ended)) {
        s->told = now;
        if (!s->sweep->progress(s->sweep->user, finished, s->results.rows) && !ended) {
            fail(s, FF_STOPPED);
        }
    }
}

static void tick(study *s) {
    if (pthread_mutex_trylock(&s->lock) == 0) {
        tick_locked(s);
        pthread_mutex_unlock(&s->lock);
    }
}

/* Handles a run that has finished, failed or been interrupted. */
static void take_result(study *s, size_t row, ff_status status, const double *values,
                        const ff_error *why) {
    pthread_mutex_lock(&s->lock);
    if (status == FF_NO_MEMORY) {
        no_memory(s->error);
        fail(s, status);
    } else if (status != FF_STOPPED) {
        const char *reason = status < 0 ? why->text : NULL;
        if (!ff_results_put(&s->results, row, values, reason) ||
            (s->recorder && !ff_recorder_add(s->recorder, row, values, reason))) {
            no_memory(s->error);
            fail(s, FF_NO_MEMORY);
        }
        tick_locked(s);
    }
    pthread_mutex_unlock(&s->lock);
}

/* scratch memory of a thread: a point, the values of fields, the kept numbers */
static size_t room_of(const study *s) {
    return s->design->count + s->numbers.width + s->sweep->keep_count + 1;
}

/* Executes row i of those computed here. */
static void do_row(study *s, size_t i) {
    const size_t row = s->results.first + i;
    tick(s);
    if (atomic_load(&s->over)) {
        return;
    }
    double *room = ff_calloc(room_of(s), sizeof *room), *numbers_room = room + s->design->count,
           *values = numbers_room + s->numbers.width;
    ff_error why = {""};
    ff_status status = FF_NO_MEMORY;
    if (room) {
        ff_design_point(s->design, row, room);
        status = run_row(s, row, room, numbers_room, values, &why);
    }
    take_result(s, row, status, values, &why);
    ff_free(room);
}

static void do_part(void *task, size_t index, int worker) {
    study *s = task;
    (void)worker;
    do_row(s, s->todo[index]);
}

/* A team takes rows in chunks. A chunk is about a hundredth of the rows of a process, so that the imbalance at the
 * end is about 1 %, and at most as many rows as fast runs complete in a tenth of a second. */
static size_t chunk_of(const study *s) {
    const size_t chunk = s->results.rows / (100 * s->sweep->team->ranks);
    return chunk < 1 ? 1 : chunk > 1024 ? 1024 : chunk;
}

/* The next row of a team that is not done yet; false if none is left. */
static bool next_row(study *s, size_t *index) {
    const ff_team *team = s->sweep->team;
    const size_t chunk = chunk_of(s);
    bool found = false;
    pthread_mutex_lock(&s->lock);
    while (!found && !atomic_load(&s->over)) {
        if (s->next == s->end && s->end < s->results.rows) {
            const uint64_t before = team->take(team->user, chunk);
            s->next = before < s->results.rows ? (size_t)before : s->results.rows;
            s->end = s->results.rows - s->next < chunk ? s->results.rows : s->next + chunk;
        }
        if (s->next == s->results.rows) {
            break;
        }
        *index = s->next++;
        found = !s->results.done[*index];
    }
    pthread_mutex_unlock(&s->lock);
    return found;
}

/* Work of one thread of a team. */
static void do_rows(void *task, size_t index, int worker) {
    study *s = task;
    (void)index;
    (void)worker;
    for (size_t i; next_row(s, &i);) {
        do_row(s, i);
    }
}

/* ---- lanes ---- */

/* The lanes of one thread: a sim for each, created once if parameters are set by fields. */
typedef struct seats {
    study *study;
    size_t row[FF_ENSEMBLE_RUNS];
    ff_opened run[FF_ENSEMBLE_RUNS];
    ff_keep
        *own[FF_ENSEMBLE_RUNS]; /* compiled for the model of the run; NULL: shared by all runs */
    ff_keeping *keeping[FF_ENSEMBLE_RUNS];
    double *room, *numbers_room, *values;
} seats;

/* Starts the kept numbers of a lane. */
static ff_status begin_keeping(seats *t, int lane, ff_error *why) {
    study *s = t->study;
    ff_sim *sim = t->run[lane].sim;
    size_t wrong;
    const ff_status status = s->by_number
                                 ? FF_OK
                                 : ff_keep_compile(sim->model, s->sweep->keep, s->sweep->keep_count,
                                                   &t->own[lane], &wrong, why);
    if (status < 0) {
        return status;
    }
    t->keeping[lane] = ff_keep_begin(t->own[lane] ? t->own[lane] : s->keep, sim);
    return t->keeping[lane] ? FF_OK : FF_NO_MEMORY;
}

static void end_keeping(seats *t, int lane) {
    ff_keeping_free(t->keeping[lane]);
    ff_keep_free(t->own[lane]);
    t->keeping[lane] = NULL;
    t->own[lane] = NULL;
}

/* Prepares the run of a point for a lane. */
static ff_status sit(seats *t, int lane, ff_error *why) {
    study *s = t->study;
    ff_opened *run = &t->run[lane];
    if (!s->by_number || !run->sim) {
        return open_run(s, t->room, t->numbers_room, run, why);
    }
    const numbers *n = &s->numbers;
    memcpy(t->numbers_room, n->base, n->width * sizeof *n->base);
    for (size_t i = 0; i < s->design->count; i++) {
        t->numbers_room[n->places[i]] = t->room[i];
    }
    return ff_set_again(run->sim, n->fields, n->count, t->numbers_room, s->plain, why);
}

static void rise(seats *t, int lane) {
    end_keeping(t, lane);
    if (!t->study->by_number) {
        close_run(t->study, &t->run[lane]);
        t->run[lane] = (ff_opened){0};
    }
}

/* The next row for a lane; false if none is left. */
static bool take_row(study *s, size_t *index) {
    if (s->sweep->team) {
        return next_row(s, index);
    }
    const size_t i = atomic_fetch_add(&s->taken, 1);
    *index = i < s->todo_count ? s->todo[i] : 0;
    return i < s->todo_count && !atomic_load(&s->over);
}

static bool next_run(void *user, int lane, ff_sim **sim) {
    seats *t = user;
    study *s = t->study;
    size_t i;
    while (take_row(s, &i)) {
        ff_error why = {""};
        t->row[lane] = s->results.first + i;
        ff_design_point(s->design, t->row[lane], t->room);
        ff_status status = sit(t, lane, &why);
        status = status < 0 ? status : begin_keeping(t, lane, &why);
        if (status >= 0) {
            *sim = t->run[lane].sim;
            return true;
        }
        if (!*why.text) {
            snprintf(why.text, sizeof why.text, "%s", ff_status_text(status));
        }
        put_on_line(&why);
        rise(t, lane);
        take_result(s, t->row[lane], status, t->values, &why);
    }
    return false;
}

/* Takes the result of a lane. A run that lanes cannot do is executed alone. */
static void end_run(void *user, int lane, const size_t counts[FF_USER + 1], bool good) {
    seats *t = user;
    study *s = t->study;
    const size_t row = t->row[lane];
    ff_sim *sim = t->run[lane].sim;
    ff_error why = {""};
    ff_status status;
    if (good) {
        status = ff_keep_end(t->keeping[lane], counts, t->values);
        if (status < 0) {
            tell_end(sim, status, &why);
        } else if (s->sweep->warning) {
            collect_warnings(s, row, sim);
        }
        put_on_line(&why);
    } else {
        atomic_fetch_add(&s->left, 1);
        ff_design_point(s->design, row, t->room);
        status = run_row(s, row, t->room, t->numbers_room, t->values, &why);
    }
    rise(t, lane);
    take_result(s, row, status, t->values, &why);
}

static void note_event(void *user, int lane) {
    seats *t = user;
    ff_keep_event(t->keeping[lane]);
}

static void note_step(void *user, int lane, const ff_ensemble_step *step) {
    seats *t = user;
    ff_keep_step(t->keeping[lane], step);
}

static bool stops(void *user) {
    seats *t = user;
    tick(t->study);
    return atomic_load(&t->study->over);
}

static void do_lanes(void *task, size_t index, int worker) {
    study *s = task;
    seats t = {.study = s, .room = ff_calloc(room_of(s), sizeof *t.room)};
    (void)index, (void)worker;
    t.numbers_room = t.room ? t.room + s->design->count : NULL;
    t.values = t.room ? t.numbers_room + s->numbers.width : NULL;
    const ff_ensemble_feed feed = {.next = next_run,
                                   .done = end_run,
                                   .event = ff_keep_needs_events(s->keep) ? note_event : NULL,
                                   .step = ff_keep_needs_steps(s->keep) ? note_step : NULL,
                                   .stop = stops,
                                   .user = &t};
    if (!t.room || ff_ensemble_run(s->subject->model, ff_model_run(s->subject->model), &feed) < 0) {
        take_result(s, 0, FF_NO_MEMORY, NULL, NULL);
    }
    for (int l = 0; l < FF_ENSEMBLE_RUNS; l++) {
        end_keeping(&t, l);
        close_run(s, &t.run[l]);
    }
    ff_free(t.room);
}

/* Decides whether setting fields alone is sufficient: the first and the last point are set in both ways and
 * compared. A value elsewhere in the file that depends on a varied number would make them differ. */
static ff_status find_plain(study *s, double *room) {
    const numbers *n = &s->numbers;
    ff_status status = FF_OK;
    s->plain = s->by_number;
    for (int end = 0; end < 2 && s->plain; end++) {
        ff_opened run = {0};
        ff_sim *alone = NULL;
        ff_error why;
        double *values = room + s->design->count;
        ff_design_point(s->design, end ? s->design->rows - 1 : 0, room);
        /* also fills in the values */
        status = open_run(s, room, values, &run, &why);
        status =
            status < 0 ? status : ff_sim_create(s->subject->model, &run.sim->options, &alone, &why);
        status = status < 0 ? status : ff_set_again(alone, n->fields, n->count, values, true, &why);
        /* an invalid point is a row that fails */
        s->plain = status >= 0 && ff_set_same(run.sim, alone);
        close_run(s, &run);
        ff_sim_free(alone);
    }
    return status == FF_NO_MEMORY ? no_memory(s->error) : FF_OK;
}

/* Decides whether runs use lanes; depends only on the file, the varied parameters and the kept numbers. */
static ff_status choose_lanes(study *s) {
    const ff_model *model = s->subject->model;
    const ff_run_options *o = ff_model_run(model);
    s->alone = s->results.series            ? "each run is a table"
               : s->sweep->stop_count > 0   ? "an event ends a run"
               : s->subject->rivals != NULL ? "there are rivals"
                                            : ff_keep_follows(s->keep, model);
    s->alone = s->alone ? s->alone : ff_ensemble_refusal(model, o);
    if (!s->alone) {
        double *room = ff_malloc(room_of(s) * sizeof *room);
        if (!room) {
            return no_memory(s->error);
        }
        const ff_status status = find_plain(s, room);
        ff_free(room);
        return status;
    }
    return FF_OK;
}

/* ---- records ---- */

static ff_record_kind record_kind(const study *s) {
    const ff_sweep *w = s->sweep;
    uint64_t h = s->subject->fingerprint;
    const uint64_t design[] = {(uint64_t)w->points, w->samples, w->seed};
    for (size_t i = 0; i < w->vary_count; i++) {
        h = ff_hash_text(h, w->vary[i]);
    }
    for (size_t i = 0; i < w->keep_count; i++) {
        h = ff_hash_text(h, w->keep[i]);
    }
    for (size_t i = 0; i < w->stop_count; i++) {
        h = ff_hash_text(h, w->stops[i]);
    }
    h = ff_hash_text(FF_HASH(h, design), ff_version());
    return (ff_record_kind){h, s->design->rows, w->keep_count};
}

static ff_status open_records(study *s) {
    const ff_sweep *w = s->sweep;
    const ff_record_kind kind = record_kind(s);
    ff_status status = w->records ? ff_results_read(&s->results, &kind, s->error) : FF_OK;
    if (status >= 0 && w->merge && s->results.finished < s->results.rows) {
        return ff_model_fail(s->error, FF_MISSING,
                             "%zu of %zu runs are not in %s*: run the missing parts, then merge",
                             s->results.rows - s->results.finished, s->results.rows, w->records);
    }
    if (status >= 0 && w->records && !w->merge) {
        const size_t size = strlen(w->records) + 48;
        char *path = ff_malloc(size);
        if (!path) {
            return no_memory(s->error);
        }
        snprintf(path, size, "%s", w->records);
        if (w->shards) {
            snprintf(path, size, "%s%zu-%zu", w->records, w->shard, w->shards);
        } else if (w->team) {
            snprintf(path, size, "%s.rank%zu", w->records, w->team->rank);
        }
        status = ff_recorder_open(path, &kind, &s->recorder, s->error);
        ff_free(path);
    }
    return status;
}

/* ---- the sweep ---- */

static ff_status run_all(study *s) {
    const bool team = s->sweep->team;
    for (size_t i = 0; i < s->results.rows; i++) {
        if (!s->results.done[i]) {
            s->todo[s->todo_count++] = i;
        }
    }
    int threads = s->sweep->threads ? s->sweep->threads : ff_cores();
    threads = s->todo_count < (size_t)threads ? (int)s->todo_count : threads;
    ff_pool *pool = threads > 1 ? ff_pool_create(threads) : NULL;
    s->told = s->flushed = ff_seconds();
    if (!s->alone) {
        ff_pool_run(pool, do_lanes, s, (size_t)(threads > 0 ? threads : 1));
    } else {
        ff_pool_run(pool, team ? do_rows : do_part, s, team ? (size_t)threads : s->todo_count);
    }
    ff_pool_free(pool);
    if (s->recorder && s->status >= 0 && !ff_recorder_flush(s->recorder, s->error)) {
        s->status = FF_NOT_WRITTEN;
    }
    return s->status;
}

/* Waits for the team; rank 0 then reads the records of all ranks. On a shared file system, a file is visible to
 * others once it is closed. */
static ff_status meet_team(study *s, ff_status status) {
    const ff_team *team = s->sweep->team;
    ff_recorder_free(s->recorder);
    s->recorder = NULL;
    team->meet(team->user);
    if (status != FF_OK || team->rank > 0) {
        return status;
    }
    const ff_record_kind kind = record_kind(s);
    status = ff_results_read(&s->results, &kind, s->error);
    return status >= 0 && s->results.finished < s->results.rows
               ? ff_model_fail(s->error, FF_NOT_WRITTEN,
                               "%zu of %zu runs are missing: a rank has failed; the same command "
                               "resumes",
                               s->results.rows - s->results.finished, s->results.rows)
               : status;
}

/* Reports settings that the file rejects for every value: those for which neither the first nor the last point can
 * be prepared. Other failures are rows of the table. */
static ff_status try_settings(study *s) {
    double *room = ff_malloc(room_of(s) * sizeof *room);
    ff_status status = room ? FF_OK : no_memory(s->error);
    for (int end = 0; end < 2 && room && (end == 0 || status < 0); end++) {
        ff_opened run = {0};
        ff_error why = {""};
        ff_design_point(s->design, end ? s->design->rows - 1 : 0, room);
        const ff_status opened = open_run(s, room, NULL, &run, &why);
        close_run(s, &run);
        if (end == 0) {
            *s->error = why;
        }
        status = opened < 0 ? FF_BAD_VALUE : opened;
    }
    if (status >= 0) {
        *s->error = (ff_error){""};
    }
    ff_free(room);
    return status;
}

static ff_status check_sweep(const ff_sweep *w, ff_error *error) {
    return w->vary_count == 0 ? ff_model_fail(error, FF_MISSING,
                                              "nothing is varied: PATH=RANGE is wanted, as in "
                                              "pairs[0].friction.mu=0.1:0.5:50")
           : w->keep_count == 0
               ? ff_model_fail(error, FF_MISSING,
                               "nothing is kept of the runs: an expression is wanted, as in "
                               "max(contacts.ball/floor.force) or end(bodies.ball.position[2])")
           : w->stop_count > FF_SWEEP_STOPS
               ? ff_model_fail(error, FF_BAD_VALUE,
                               "%zu events that end a run: at most %d are possible", w->stop_count,
                               FF_SWEEP_STOPS)
           : w->shards > 0 && (w->shard < 1 || w->shard > w->shards)
               ? ff_model_fail(error, FF_BAD_VALUE, "there is no part %zu of %zu", w->shard,
                               w->shards)
           : (w->shards > 0 || w->merge) && !w->records
               ? ff_model_fail(error, FF_MISSING, "parts of a sweep need a file for their records")
           : w->shards > 0 && w->merge
               ? ff_model_fail(error, FF_BAD_VALUE, "a part of a sweep is run or merged, not both")
           : w->team && (!w->records || w->shards > 0 || w->merge)
               ? ff_model_fail(error, FF_BAD_VALUE,
                               "processes that share a sweep need a file for their records, and "
                               "take all of it: no shard, no merge")
           : w->team && w->team->rank >= w->team->ranks
               ? ff_model_fail(error, FF_BAD_VALUE, "there is no rank %zu of %zu", w->team->rank,
                               w->team->ranks)
           : (unsigned)w->points >= FF_POINTS_KINDS
               ? ff_model_fail(error, FF_BAD_VALUE, "points are random, latin or sobol")
           : w->threads < 0 || w->threads > FF_THREADS_MOST
               ? ff_model_fail(error, FF_BAD_VALUE, "%d threads: 0 to %d are possible", w->threads,
                               FF_THREADS_MOST)
               : FF_OK;
}

/* Checks that no two columns have the same name. */
static ff_status check_names(const ff_sweep *w, ff_error *error) {
    for (size_t i = 0; i < w->keep_count; i++) {
        for (size_t k = 0; k < w->vary_count; k++) {
            size_t length;
            ff_keep_name(w->keep[i], &length);
            const char *name = w->keep[i] + strspn(w->keep[i], " \t");
            if (length == ff_axis_path(w->vary[k]) && strncmp(name, w->vary[k], length) == 0) {
                return ff_model_fail(error, FF_BAD_VALUE, "'%.*s' is varied and kept",
                                     length < 100 ? (int)length : 100, name);
            }
        }
        for (size_t k = 0; k < i; k++) {
            size_t length, other;
            ff_keep_name(w->keep[i], &length);
            ff_keep_name(w->keep[k], &other);
            const char *a = w->keep[i] + strspn(w->keep[i], " \t"),
                       *b = w->keep[k] + strspn(w->keep[k], " \t");
            if (length == other && strncmp(a, b, length) == 0) {
                return ff_model_fail(error, FF_BAD_VALUE, "'%.*s' is kept twice",
                                     length < 100 ? (int)length : 100, a);
            }
        }
    }
    return FF_OK;
}

static void put_place(const char *option, const char *text, char place[FF_STUDY_PLACE]) {
    snprintf(place, FF_STUDY_PLACE, "--%s %s", option, text);
}

/* Creates the design from the varied parameters. */
static ff_status make_design(const ff_model *model, const ff_sweep *w, ff_design **out,
                             char place[FF_STUDY_PLACE], ff_error *error) {
    ff_axis *axes = ff_calloc(w->vary_count + 1, sizeof *axes);
    ff_status status = axes ? FF_OK : no_memory(error);
    size_t count = 0;
    for (; count < w->vary_count && status >= 0; count++) {
        const char *text = w->vary[count];
        char path[FF_FIELD_PATH];
        size_t field, part;
        ff_field f = {.unit = ""};
        const size_t length = ff_axis_path(text);
        snprintf(path, sizeof path, "%.*s", length < sizeof path ? (int)length : 0, text);
        if (ff_model_field_find(model, path, &field, &part, NULL) >= 0) {
            ff_model_field(model, field, &f);
        }
        status = ff_axis_read(text, f.unit, &axes[count], error);
    }
    if (status < 0) {
        put_place("vary", w->vary[count ? count - 1 : 0], place);
        for (size_t i = 0; i < count; i++) {
            ff_axis_clear(&axes[i]);
        }
        ff_free(axes);
        return status;
    }
    return ff_design_create(axes, count, w, out, error);
}

static ff_status make_room(study *s) {
    s->results = (ff_results){.model = s->subject->model,
                              .sweep = s->sweep,
                              .runs = s->subject->rivals ? NULL : s->sweep,
                              .design = s->design,
                              .keep = s->keep};
    const ff_status status = ff_results_init(&s->results, s->subject->series);
    s->todo = ff_malloc((s->results.rows + 1) * sizeof *s->todo);
    return status >= 0 && s->todo ? FF_OK : no_memory(s->error);
}

ff_status ff_study_sweep(const ff_study_subject *subject, const ff_sweep *sweep, ff_table **out,
                         char place[FF_STUDY_PLACE], ff_error *error) {
    study s = {.subject = subject, .sweep = sweep, .error = error};
    ff_design *design = NULL;
    size_t wrong = 0;
    *out = NULL;
    *place = '\0';
    ff_status status = check_sweep(sweep, error);
    status = status < 0 ? status : make_design(subject->model, sweep, &design, place, error);
    s.design = design;
    if (status >= 0) {
        status = prepare_parameters(&s, &wrong, error);
        if (status < 0) {
            put_place("vary", sweep->vary[wrong], place);
        }
    }
    status = status < 0 ? status : check_names(sweep, error);
    if (status >= 0) {
        status =
            ff_keep_compile(subject->model, sweep->keep, sweep->keep_count, &s.keep, &wrong, error);
        if (status < 0) {
            put_place("keep", sweep->keep[wrong], place);
        }
    }
    for (size_t i = 0; i < sweep->stop_count && status >= 0; i++) {
        ff_reduction stop = {0};
        status = ff_reduction_read_event(subject->model, sweep->stops[i], strlen(sweep->stops[i]),
                                         &stop, error);
        if (status < 0) {
            put_place("stop", sweep->stops[i], place);
        }
    }
    if (status >= 0 && !s.by_number) {
        status = try_settings(&s);
    }
    pthread_mutex_init(&s.lock, NULL);
    status = status < 0 ? status : make_room(&s);
    status = status < 0 ? status : choose_lanes(&s);
    status = status < 0 ? status : open_records(&s);
    status = status < 0 ? status : run_all(&s);
    /* a rank that failed must not keep the others waiting */
    if (sweep->team) {
        status = meet_team(&s, status);
    }
    if (status == FF_OK && sweep->warning) {
        if (s.by_number) {
            ff_warnings list;
            ff_warnings_of_model(subject->model, &list);
            ff_warned_add(&s.warned, &list, s.results.first, s.results.rows);
        }
        ff_warned_tell(&s.warned, sweep);
    }
    const bool wanted = !sweep->team || sweep->team->rank == 0;
    if (status == FF_OK && wanted) {
        *out = ff_results_table(&s.results);
        status = *out ? FF_OK : no_memory(error);
    }
    if (*out) {
        (*out)->lanes = s.alone ? 0 : ff_ensemble_width();
        (*out)->alone = s.alone;
        (*out)->left_lanes = atomic_load(&s.left);
    }
    pthread_mutex_destroy(&s.lock);
    ff_recorder_free(s.recorder);
    ff_results_clear(&s.results);
    ff_free(s.todo);
    ff_free(s.numbers.fields);
    ff_free(s.numbers.places);
    ff_free(s.numbers.base);
    ff_keep_free(s.keep);
    ff_design_free(design);
    return status;
}
