/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */

/* Checkpoints of a run with a trace: the data beside the sim are a header, the events, and the position in the trace's
 * file. */

#include "num/memory.h"
#include "trace.h"
#include <footfall/checkpoint.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    uint64_t event_size, events, trace;
} head;

/* State of a trace, followed by its first and last row, and the range of each set. */
typedef struct {
    double every, change, only_events, ticks;
    uint64_t rows, events, columns, sets;
    int64_t place;
} state_head;

static size_t state_size(const ff_trace *t) {
    return t->file ? sizeof(state_head) + (2 * t->columns + t->set_count) * sizeof(double) : 0;
}

static state_head state_of(const ff_trace *t) {
    return (state_head){t->choice.every, t->choice.change, t->choice.rows == FF_ROWS_EVENTS,
                        t->when.ticks,   t->rows,          t->file_events,
                        t->columns,      t->set_count,     ff_trace_file_place(t->file)};
}

static void save_state(const ff_trace *t, char *at) {
    const state_head first = state_of(t);
    const size_t row = t->columns * sizeof *t->row;
    memcpy(at, &first, sizeof first);
    memcpy(at + sizeof first, t->first, row);
    memcpy(at + sizeof first + row, t->last, row);
    for (size_t i = 0; i < t->set_count; i++) {
        memcpy(at + sizeof first + 2 * row + i * sizeof(double), &t->sets[i].reach, sizeof(double));
    }
}

ff_status ff_trace_checkpoint(ff_trace *t, const char *path, ff_error *error) {
    if (t->file && !ff_trace_file_flush(t->file)) {
        return ff_trace_refuse(error, FF_NOT_WRITTEN, "%s: %s", t->choice.path,
                               ff_trace_file_why(t->file));
    }
    const head first = {sizeof(ff_event), t->event_count, state_size(t)};
    const size_t list = t->event_count * sizeof *t->events,
                 size = sizeof first + list + (size_t)first.trace;
    char *extra = ff_calloc(1, size);
    if (!extra) {
        return ff_trace_refuse(error, FF_NO_MEMORY, "out of memory");
    }
    memcpy(extra, &first, sizeof first);
    if (list) {
        memcpy(extra + sizeof first, t->events, list);
    }
    if (first.trace) {
        save_state(t, extra + sizeof first + list);
    }
    ff_status status = ff_checkpoint_write(path, t->sim, extra, size, error);
    ff_free(extra);
    return status;
}

/* Continues from a saved state; false if it belongs to other options or is invalid. */
static bool restore_state(ff_trace *t, const char *at, size_t size) {
    state_head first;
    const size_t row = t->columns * sizeof *t->row;
    if (size != sizeof first + (2 * t->columns + t->set_count) * sizeof(double)) {
        return false;
    }
    memcpy(&first, at, sizeof first);
    if (first.every != t->choice.every || first.change != t->choice.change ||
        first.only_events != (t->choice.rows == FF_ROWS_EVENTS) || first.columns != t->columns ||
        first.sets != t->set_count || first.events > t->event_count) {
        return false;
    }
    t->when.ticks = first.ticks;
    t->rows = (size_t)first.rows;
    t->file_events = (size_t)first.events;
    t->place = first.place;
    memcpy(t->first, at + sizeof first, row);
    memcpy(t->last, at + sizeof first + row, row);
    for (size_t i = 0; i < t->set_count; i++) {
        memcpy(&t->sets[i].reach, at + sizeof first + 2 * row + i * sizeof(double), sizeof(double));
    }
    return true;
}

/* the events so far, for a trace and those beside it */
static bool restore_events(ff_trace *first, const char *at, size_t count) {
    bool done = true;
    for (ff_trace *t = first; t && done; t = t->beside) {
        ff_event *events = ff_malloc((count + 1) * sizeof *events);
        done = events != NULL;
        if (done) {
            memcpy(events, at, count * sizeof *events);
            ff_free(t->events);
            t->events = events;
            t->event_count = count;
            t->event_room = count + 1;
        }
    }
    return done;
}

ff_status ff_trace_restore(ff_trace *t, const void *extra, size_t size, ff_error *error) {
    const char *at = extra;
    head first;
    bool good = !t->started && size >= sizeof first;
    if (good) {
        memcpy(&first, at, sizeof first);
        good = first.event_size == sizeof(ff_event) && first.events <= size &&
               first.trace <= size &&
               sizeof first + first.events * sizeof(ff_event) + first.trace == size;
    }
    if (!good) {
        return ff_trace_refuse(error, FF_BAD_VALUE,
                               t->started ? "the trace has started"
                                          : "the checkpoint was not written by a trace");
    }
    at += sizeof first;
    for (size_t i = 0; i < first.events; i++) {
        ff_event event;
        memcpy(&event, at + i * sizeof event, sizeof event);
        if ((int)event.kind < 0 || (int)event.kind >= FF_EVENT_KINDS) {
            return ff_trace_refuse(error, FF_BAD_VALUE,
                                   "the checkpoint was not written by a trace");
        }
    }
    if (!restore_events(t, at, (size_t)first.events)) {
        return ff_trace_refuse(error, FF_NO_MEMORY, "out of memory");
    }
    t->discards = first.trace > 0 && !t->choice.path;
    if (!t->choice.path || !ff_trace_file_there(t->choice.path)) {
        return FF_OK;
    }
    if (first.trace == 0) {
        return ff_trace_refuse(error, FF_BAD_VALUE,
                               "%s: the file exists, but the checkpoint has no trace",
                               t->choice.path);
    }
    t->resumed = restore_state(t, at + first.events * sizeof(ff_event), (size_t)first.trace);
    return t->resumed ? FF_OK
                      : ff_trace_refuse(error, FF_BAD_VALUE,
                                        "%s: was started with different rows; spacing, change and "
                                        "events must be the same",
                                        t->choice.path);
}
