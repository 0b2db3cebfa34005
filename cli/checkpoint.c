/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#define _POSIX_C_SOURCE 200809L
#include "checkpoint.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* whether the file can be created like by ff_checkpoint_write(): under a free name, which is then renamed */
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

bool checkpoint_fresh(const checkpoint *c, const ff_sim *sim, const ff_trace *t) {
    return !c->failed && c->steps == ff_sim_statistics(sim).steps &&
           c->events == ff_trace_event_count(t);
}

bool checkpoint_write(checkpoint *c, const args *a, ff_sim *sim, ff_trace *t) {
    ff_error error = {""};
    const bool done = ff_trace_checkpoint(t, c->path, &error) >= 0;
    if (!done && !c->failed) {
        args_error(a, "%s", error.text);
    }
    c->failed = !done;
    c->steps = ff_sim_statistics(sim).steps;
    c->events = ff_trace_event_count(t);
    c->next = c->every > 0 ? c->every * (floor(ff_sim_time(sim) / c->every) + 1) : 0;
    return done;
}
