/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#define _POSIX_C_SOURCE 200809L
#include "trace.h"
#include "plot.h"
#include "trace_file.h"
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- what is in a row ---- */

static const trace_field time_field = {"time", "s", 1, {"s"}};

static const trace_field ledger_fields[] = {
#define FIELD(name) {#name, "J", 1, {#name}},
    FF_LEDGER_LIST(FIELD)
#undef FIELD
        {"residual", "J", 1, {"residual"}}};

bool trace_begin(trace *t, size_t sets) {
    t->sets = calloc(1 + sets, sizeof *t->sets);
    t->pair_width = 1;
    t->stride = 1;
    if (t->sets) {
        trace_add(t, &(trace_set){.owner = "t", .field = &time_field, .scale = INFINITY});
    }
    return t->sets != NULL;
}

void trace_add(trace *t, const trace_set *set) {
    t->sets[t->set_count] = *set;
    t->sets[t->set_count++].at = t->columns;
    t->columns += set->field->width;
}

void trace_add_ledger(trace *t) {
    /* energies are measured against all of them together */
    for (size_t j = 0; j < TRACE_LEDGER; j++) {
        trace_add(t, &(trace_set){.folder = "ledger", .field = &ledger_fields[j]});
    }
}

void trace_fill_ledger(trace *t, const ff_ledger *l, double *row) {
#define VALUE(name) *row++ = l->name;
    FF_LEDGER_LIST(VALUE)
#undef VALUE
    *row = l->residual;
    t->energy = l->scale;
}

bool trace_ready(trace *t) {
    t->row = calloc(3 * t->columns, sizeof *t->row);
    t->first = t->row ? t->row + t->columns : NULL;
    t->last = t->row ? t->first + t->columns : NULL;
    return t->row != NULL;
}

void trace_clear(trace *t) {
    free(t->sets);
    free(t->own);
    free(t->row);
    free(t->values);
}

/* ---- rows ---- */

static void fill_row(trace *t, double time) {
    t->row[0] = time;
    t->kind->fill(t);
}

/* whether the row differs from the last one that was taken */
static bool has_changed(trace *t) {
    bool changed = false;
    for (size_t i = 1; i < t->set_count; i++) {
        trace_set *s = &t->sets[i];
        double by = 0;
        for (size_t c = s->at; c < s->at + s->field->width; c++) {
            by = fmax(by, fabs(t->row[c] - t->last[c]));
            s->reach = fmax(s->reach, fabs(t->row[c] - t->first[c]));
        }
        double scale = *s->field->units == 'J' ? t->energy : fmax(s->scale, s->reach);
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
    t->rows++;
    if (t->file) {
        return trace_file_row(t->file, t->row);
    }
    if (t->rows > t->room) {
        t->room = t->room ? 2 * t->room : 64;
        double *more = realloc(t->values, t->room * t->columns * sizeof *more);
        if (!more) {
            return false;
        }
        t->values = more;
    }
    memcpy(t->values + (t->rows - 1) * t->columns, t->row, t->columns * sizeof *t->row);
    return true;
}

static bool add_row(trace *t, double time) {
    size_t most = t->choice.values_most / t->columns;
    if (!t->file && t->choice.values_most > 0 && t->rows >= (most > 2 ? most : 2)) {
        halve(t);
    }
    /* the first row is the start, and the others are counted from there */
    if (t->offered++ % t->stride != 0) {
        t->last[0] = time;
        return true;
    }
    fill_row(t, time);
    return take_row(t);
}

double trace_rows(const ff_run_options *o, const trace_choice *choice) {
    bool fixed = o->method == FF_EULER || o->method == FF_SEMI_IMPLICIT || o->method == FF_HEUN ||
                 o->method == FF_RK4 || o->method == FF_VERLET;
    if (choice->only_events || choice->change > 0) {
        return 0;
    }
    return choice->every > 0 ? o->until / choice->every + 1 : fixed ? 1.1 * o->until / o->dt : 0;
}

/* A time this part of the spacing away from a multiple of it is that multiple: 6*0.1 is above 0.6 by rounding. */
#define SAME_TIME 1e-9

bool trace_start(trace *t) {
    double now = t->kind->time(t);
    t->ticks = t->choice.every > 0 ? floor(now / t->choice.every + SAME_TIME) + 1 : 0;
    return t->choice.only_events || add_row(t, now);
}

static bool step(trace *t, const ff_event *event) {
    double now = t->kind->time(t);
    bool good = true;
    if (t->choice.only_events) {
        return !event || add_row(t, now);
    }
    if (t->choice.change > 0) {
        fill_row(t, now);
        return (!has_changed(t) && !event) || take_row(t);
    }
    if (!(t->choice.every > 0)) {
        double last = t->last[0], fill = t->choice.fill;
        int parts = fill > 0 && now > last ? (int)fmin(ceil((now - last) / fill), 1000) : 1;
        for (int i = 1; i < parts && good; i++) {
            double time = last + (now - last) * i / parts;
            t->kind->observe(t, time);
            good = add_row(t, time);
        }
        t->kind->observe(t, NAN);
        return good && add_row(t, now);
    }
    for (double next; good && (next = t->choice.every * t->ticks) <= now; t->ticks++) {
        t->kind->observe(t, next);
        good = add_row(t, next);
    }
    t->kind->observe(t, NAN);
    return good;
}

bool trace_step(trace *t, const ff_event *event) {
    if (t->file && event) {
        t->events++;
        if (!trace_file_event(t->file, event)) {
            return false;
        }
    }
    return step(t, event) && (!t->file || trace_file_tick(t->file));
}

bool trace_end(trace *t) {
    /* the last state is worth a row, changed or passed over or not */
    double time = t->kind->time(t), every = t->choice.change > 0 ? 0 : t->choice.every;
    bool due = every > 0 && !t->choice.only_events && t->rows &&
               fabs(every * t->ticks - time) < SAME_TIME * every;
    if (due) {
        t->ticks++;
        return add_row(t, time);
    }
    bool passed = t->values && t->rows && t->values[(t->rows - 1) * t->columns] < time;
    bool missing = t->choice.change > 0 && t->rows && t->last[0] < time;
    if (passed || missing) {
        fill_row(t, time);
        return take_row(t);
    }
    return true;
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
                             t->ticks,        t->rows,          t->events,
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
    t->ticks = head.ticks;
    t->rows = head.rows;
    t->events = head.events;
    t->place = head.place;
    memcpy(t->first, at + sizeof head, row);
    memcpy(t->last, at + sizeof head + row, row);
    for (size_t i = 0; i < t->set_count; i++) {
        memcpy(&t->sets[i].reach, at + sizeof head + 2 * row + i * sizeof(double), sizeof(double));
    }
    return true;
}

void trace_column_name(const trace *t, size_t column, char *buf, size_t size) {
    const trace_set *s = t->sets;
    while (column >= s->at + s->field->width) {
        s++;
    }
    const size_t part = column - s->at;
    const char *own = s->field->parts[0] ? s->field->parts[part] : s->field->name;
    char index[24] = "";
    if (!s->field->parts[0] && s->field->width > 1) {
        snprintf(index, sizeof index, "[%zu]", part);
    }
    snprintf(buf, size, "%s%s%s%s",
             s->bare    ? ""
             : s->owner ? s->owner
                        : s->folder,
             s->bare ? "" : ":", own, index);
}

/* ---- pictures ---- */

/* more lines than that cannot be told apart: three for each of twenty contacts */
enum { curves_most = 60 };

int trace_draw(const trace *t, const args *a, const char *folder, const char *name,
               const char *title, const char *label, trace_wanted *wanted, const void *user) {
    plot_curve curves[curves_most];
    double *values = malloc((curves_most + 1) * (t->rows + 1) * sizeof *values);
    char(*names)[TRACE_NAME] = calloc(curves_most, sizeof *names), path[1024], why[400];
    size_t used = 0, left_out = 0;
    int status = values && names ? 0 : 1;
    for (size_t r = 0; r < t->rows && !status; r++) {
        values[r] = t->values[r * t->columns];
    }
    for (size_t i = 1; i < t->set_count && !status; i++) {
        const trace_set *s = &t->sets[i];
        for (size_t part = 0; part < s->field->width; part++) {
            if (!wanted(s, part, user)) {
                continue;
            }
            if (used == curves_most) {
                left_out++;
                continue;
            }
            double *y = values + (used + 1) * t->rows;
            bool moves = false;
            for (size_t r = 0; r < t->rows; r++) {
                y[r] = t->values[r * t->columns + s->at + part];
                moves = moves || y[r] > y[0] || y[r] < y[0];
            }
            /* accounts that stay as they are are left out, and their names go without `ledger` */
            bool ledger = *s->field->units == 'J' && s->folder && !s->owner && !s->bare;
            if (ledger && !moves) {
                continue;
            }
            trace_column_name(t, s->at + part, names[used], sizeof *names);
            curves[used] = (plot_curve){.name = ledger ? s->field->name : names[used],
                                        .x = values,
                                        .y = y,
                                        .count = t->rows};
            used++;
        }
    }
    snprintf(path, sizeof path, "%s/%s", folder, name);
    if (!status && used) {
        status = plot_write(&(plot){.title = title,
                                    .x_label = "time (s)",
                                    .y_label = label,
                                    .curves = curves,
                                    .curve_count = used},
                            path, why, sizeof why);
        if (status) {
            args_error(a, "%s", why);
        } else if (left_out) {
            fprintf(stderr, "wrote %s: the first %zu of %zu lines\n", path, used, used + left_out);
        } else {
            fprintf(stderr, "wrote %s\n", path);
        }
    }
    free(values);
    free(names);
    return status;
}

static bool of_ledger(const trace_set *set, size_t part, const void *user) {
    (void)part, (void)user;
    return set->folder && strcmp(set->folder, "ledger") == 0;
}

int trace_draw_energy(const trace *t, const args *a, const char *folder) {
    return trace_draw(t, a, folder, "energy.svg", "Energy ledger", "energy (J)", of_ledger, NULL);
}

int trace_folder(const args *a, const char *folder) {
    if (mkdir(folder, 0777) == 0 || errno == EEXIST) {
        return 0;
    }
    args_error(a, "%s: %s", folder, strerror(errno));
    return 1;
}
