/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#define _POSIX_C_SOURCE 200809L
#include "checkpoint.h"
#include "trace_file.h"
#include <errno.h>
#include <footfall/checkpoint.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* whether the file can be made, as ff_checkpoint_write() will: under a name that nobody has, which then takes its place */
static int try_path(const args *a, const char *path) {
    size_t room = strlen(path) + 8;
    char *made = malloc(room);
    struct stat s;
    errno = ENOMEM;
    if (made) {
        snprintf(made, room, "%s.XXXXXX", path);
        int file = mkstemp(made);
        if (file >= 0) {
            close(file);
            unlink(made);
            errno = stat(path, &s) == 0 && S_ISDIR(s.st_mode) ? EISDIR : 0;
        }
    }
    int reason = errno;
    if (reason) {
        args_error(a, "%s: %s", path, strerror(reason));
    }
    free(made);
    return reason ? 1 : 0;
}

int checkpoint_options(checkpoint *c, const args *a) {
    const char *every = args_text(a, "checkpoint-every");
    args_want want = args_want_any("s");
    want.least = FF_POSITIVE;
    *c = (checkpoint){.path = args_text(a, "checkpoint"), .steps = -1};
    if (every && !c->path) {
        return args_error(a, "'--checkpoint-every' needs --checkpoint FILE");
    }
    c->at_events = every && strcmp(every, "events") == 0;
    int status = every && !c->at_events ? args_number(a, "checkpoint-every", &want, &c->every) : 0;
    return status || !c->path ? status : try_path(a, c->path);
}

bool checkpoint_due(checkpoint *c, const ff_sim *sim, bool event) {
    return c->path && ((c->at_events && event) || (c->every > 0 && ff_sim_time(sim) >= c->next));
}

bool checkpoint_fresh(const checkpoint *c, const ff_sim *sim, const event_list *events) {
    return !c->failed && c->steps == ff_sim_statistics(sim).steps && c->told == events->count;
}

/* ---- what is kept beside the sim: this, the events, and the state of the trace ---- */

typedef struct {
    uint64_t event_size, events, trace;
} head;

bool checkpoint_write(checkpoint *c, const args *a, ff_sim *sim, const event_list *events,
                      trace *kept) {
    ff_error error = {"out of memory"};
    bool done = !kept || trace_file_flush(kept->file);
    const head first = {sizeof(ff_event), events->count, kept ? trace_state_size(kept) : 0};
    size_t list = events->count * sizeof *events->at;
    char *extra = done ? calloc(1, sizeof first + list + first.trace) : NULL;
    if (extra) {
        memcpy(extra, &first, sizeof first);
        if (list) {
            memcpy(extra + sizeof first, events->at, list);
        }
        if (kept) {
            trace_save(kept, extra + sizeof first + list);
        }
        size_t size = sizeof first + list + (size_t)first.trace;
        done = ff_checkpoint_write(c->path, sim, extra, size, &error) >= 0;
        free(extra);
    }
    /* a trace that cannot be written is told when it is closed */
    if (!done && !c->failed && !(kept && trace_file_failed(kept->file))) {
        args_error(a, "%s", error.text);
    }
    c->failed = !done || !extra;
    c->steps = ff_sim_statistics(sim).steps;
    c->told = events->count;
    c->next = c->every > 0 ? c->every * (floor(ff_sim_time(sim) / c->every) + 1) : 0;
    return !c->failed;
}

int checkpoint_resume(const args *a, const char *path, ff_sim *sim, event_list *events,
                      void **trace_state, size_t *size) {
    ff_error error = {""};
    void *extra = NULL;
    size_t extra_size = 0;
    head first;
    *trace_state = NULL;
    *size = 0;
    ff_status status = ff_checkpoint_read(path, sim, &extra, &extra_size, &error);
    if (status < 0) {
        args_error(a, "%s", error.text);
        return status == FF_NO_MEMORY ? 1 : ARGS_WRONG;
    }
    bool good = extra_size >= sizeof first;
    if (good) {
        memcpy(&first, extra, sizeof first);
        good = first.event_size == sizeof(ff_event) && first.events <= extra_size &&
               first.trace <= extra_size &&
               sizeof first + first.events * sizeof(ff_event) + first.trace == extra_size;
    }
    if (!good) {
        free(extra);
        return args_error(a, "%s: the checkpoint was not written by footfall run", path);
    }
    const char *at = (const char *)extra + sizeof first;
    events->count = events->room = (size_t)first.events;
    events->at = malloc((first.events + 1) * sizeof *events->at);
    *size = (size_t)first.trace;
    *trace_state = malloc(*size + 1);
    int told = events->at && *trace_state ? 0 : 1;
    if (told) {
        args_error(a, "out of memory");
    } else {
        memcpy(events->at, at, first.events * sizeof *events->at);
        memcpy(*trace_state, at + first.events * sizeof *events->at, *size);
    }
    free(extra);
    return told;
}
