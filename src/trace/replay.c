/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "num/memory.h"
#include "trace.h"
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* Rows that another program made, as a trace of the model: where bodies are and how they move. */

double ff_trace_time(const ff_trace *t) {
    return t->choice.replay ? (t->rows ? t->last[0] : 0) : ff_sim_time(t->sim);
}

/* Where the value of a set is among the motions of all bodies, in doubles; SIZE_MAX: it is not there. */
static size_t place_of(const char *name, size_t body) {
    static const struct {
        const char *name;
        size_t at;
    } places[] = {{"position", offsetof(ff_motion, position)},
                  {"orientation", offsetof(ff_motion, orientation)},
                  {"velocity", offsetof(ff_motion, velocity)},
                  {"omega", offsetof(ff_motion, omega)}};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        if (strcmp(name, places[i].name) == 0) {
            return (body * sizeof(ff_motion) + places[i].at) / sizeof(double);
        }
    }
    return SIZE_MAX;
}

/* The place of each set; bodies have their sets in the order of the model. False where memory ends. */
static size_t *make_places(const ff_trace *t) {
    size_t *places = ff_malloc((t->set_count + 1) * sizeof *places), body = SIZE_MAX;
    char owner[FF_FIELD_PATH] = "";
    for (size_t i = 0; places && i < t->set_count; i++) {
        ff_trace_words w;
        const ff_field f = ff_trace_field(t, i);
        ff_trace_split(&f, &w);
        places[i] = SIZE_MAX;
        if (strcmp(w.folder, "bodies") == 0) {
            if (strcmp(w.owner, owner) != 0 || body == SIZE_MAX) {
                body = body == SIZE_MAX ? 0 : body + 1;
                memcpy(owner, w.owner, strlen(w.owner) + 1);
            }
            places[i] = place_of(w.name, ff_trace_body(t, body));
        }
    }
    return places;
}

static void forget_ledger(ff_ledger *l) {
#define NONE(name) l->name = (double)NAN;
    FF_LEDGER_LIST(NONE)
    NONE(initial)
    NONE(scale)
    NONE(residual)
#undef NONE
}

static ff_status refuse_row(const ff_trace *t, ff_error *error) {
    const char *why = t->file ? ff_trace_file_why(t->file) : "";
    return *why ? ff_trace_refuse(error, FF_NOT_WRITTEN, "%s: %s", t->choice.path, why)
                : ff_trace_refuse(error, FF_NO_MEMORY, "out of memory");
}

/* All rows; FF_STOPPED where there are no more. */
static ff_status take_rows(ff_trace *t, const size_t *places, ff_motion *bodies, ff_error *error) {
    ff_status status = FF_OK;
    for (size_t row = 0; status == FF_OK; row++) {
        double time = NAN;
        status = t->choice.replay(t->choice.user, row, &time, bodies, error);
        if (status != FF_OK) {
            break;
        }
        if (!(isfinite(time) && (row == 0 || time > t->last[0]))) {
            return ff_trace_refuse(error, FF_BAD_VALUE, "row %zu: the time %g s is not later", row,
                                   time);
        }
        for (size_t i = 0; i < t->set_count; i++) {
            for (size_t c = 0; c < t->sets[i].width; c++) {
                t->row[t->sets[i].at + c] =
                    places[i] == SIZE_MAX ? (double)NAN : ((double *)bodies)[places[i] + c];
            }
        }
        t->row[0] = time;
        status = ff_trace_take(t) && (!t->file || ff_trace_file_tick(t->file))
                     ? FF_OK
                     : refuse_row(t, error);
    }
    return status;
}

ff_status ff_trace_replay(ff_trace *t, ff_error *error) {
    ff_motion *bodies = ff_calloc(t->body_most + 1, sizeof *bodies);
    size_t *places = make_places(t);
    ff_error why = {""};
    ff_status status =
        bodies && places ? FF_OK : ff_trace_refuse(&why, FF_NO_MEMORY, "out of memory");
    status = status >= 0 && t->choice.path ? ff_trace_file_open(t, &why) : status;
    t->started = true;
    status = status < 0 ? status : take_rows(t, places, bodies, &why);
    snprintf(t->ended, sizeof t->ended, "%s", status < 0 ? why.text : "");
    forget_ledger(&t->ledger);
    t->outcome = ff_outcome_make(t->model, t->sim);
    if (!t->outcome && status >= 0) {
        status = ff_trace_refuse(&why, FF_NO_MEMORY, "out of memory");
    }
    t->over = true;
    if (t->file) {
        ff_error closing = {""};
        const ff_status closed = ff_trace_file_close(t, &closing);
        if (closed < 0 && status >= 0) {
            status = closed;
            why = closing;
        }
    }
    ff_free(bodies);
    ff_free(places);
    return status < 0 ? ff_trace_refuse(error, status, "%s", why.text) : FF_OK;
}
