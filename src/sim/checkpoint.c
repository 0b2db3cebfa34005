/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#define _POSIX_C_SOURCE 200809L
#include "num/hash.h"
#include "num/memory.h"
#include "sim.h"
#include <errno.h>
#include <fcntl.h>
#include <footfall/checkpoint.h>
#include <footfall/footfall.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Hash of everything that a run depends on besides its state. */
static uint64_t fingerprint(const ff_sim *sim) {
    if (sim->fingerprint) {
        return sim->fingerprint;
    }
    const ff_run_options *o = &sim->options;
    uint64_t h = sim->kind->fingerprint(sim);
    h = FF_HASH(FF_HASH(h, o->method), o->tol);
    return FF_HASH(FF_HASH(FF_HASH(h, o->dt), o->events), o->max_step);
}

void ff_checkpoint_note(ff_sim *sim) { sim->fingerprint = fingerprint(sim); }

/* Header of a file, followed by the state, the caller's bytes, and a hash of everything before. */
typedef struct {
    char magic[24];
    char version[24];
    uint64_t layout; /* layout of the state in this build */
    uint64_t model;
    uint64_t state_size, extra_size;
} head;

static const char magic[24] = "footfall checkpoint 1\n";

static uint64_t layout_of(const ff_sim *sim) {
    const uint64_t sizes[] = {sizeof sim->now,      sizeof sim->flow.now, sizeof(ff_event),
                              sizeof(ff_mode),      sizeof(ff_method),    sizeof(ff_root),
                              sizeof(ff_books),     FF_BODY_STRIDE,       FF_METHODS,
                              FF_CONTACT_INTEGRALS, 0x0102030405060708u};
    return ff_hash(FF_HASH_START, sizes, sizeof sizes);
}

static head make_head(const ff_sim *sim, size_t state_size, size_t extra_size) {
    head out = {.layout = layout_of(sim),
                .model = fingerprint(sim),
                .state_size = state_size,
                .extra_size = extra_size};
    memcpy(out.magic, magic, sizeof magic);
    snprintf(out.version, sizeof out.version, "%s", ff_version());
    return out;
}

static ff_status fail(ff_error *error, ff_status status, const char *path, const char *what) {
    return ff_model_fail(error, status, "%.150s: %s", path, what);
}

/* Reports the system's error for a file that could not be read or written; 0: no error is known. */
static ff_status report_errno(ff_error *error, const char *path, int reason) {
    return fail(error, reason == ENOMEM ? FF_NO_MEMORY : FF_BAD_VALUE, path,
                reason ? strerror(reason) : "cannot be read");
}

/* ---- writing ---- */

/* most temporary names that are tried: each may belong to another process or be left by a killed run */
enum { NAMES_MOST = 100 };

/* Creates a new file under the first free name of PATH.new, PATH.new1 ...; -1 with errno if none can be created. Existing
 * links count as taken and are not followed. */
static int make_file(const char *path, char *name, size_t room) {
    int file = -1;
    snprintf(name, room, "%s.new", path);
    for (int i = 1; i <= NAMES_MOST; i++) {
        file = open(name, O_WRONLY | O_CREAT | O_EXCL, 0666);
        if (file >= 0 || errno != EEXIST) {
            break;
        }
        snprintf(name, room, "%s.new%d", path, i);
    }
    return file;
}

/* flushes the file to disk before renaming it */
static bool put_file(const char *path, const char *data, size_t size) {
    size_t room = strlen(path) + 16;
    char *made = ff_malloc(room);
    if (!made) {
        return false;
    }
    int file = make_file(path, made, room), reason = errno;
    bool good = file >= 0, ours = good;
    for (size_t at = 0; good && at < size;) {
        ssize_t done = write(file, data + at, size - at);
        good = done > 0 || (done < 0 && errno == EINTR);
        at += done > 0 ? (size_t)done : 0;
    }
    good = good && fsync(file) == 0;
    reason = ours ? errno : reason;
    if (ours && close(file) != 0 && good) {
        good = false;
        reason = errno;
    }
    if (good && rename(made, path) != 0) {
        good = false;
        reason = errno;
    }
    if (ours && !good) {
        unlink(made);
    }
    ff_free(made);
    errno = reason;
    return good;
}

ff_status ff_checkpoint_write(const char *path, ff_sim *sim, const void *extra, size_t size,
                              ff_error *error) {
    size_t state = ff_sim_state_size(sim), total = sizeof(head) + state + size + sizeof(uint64_t);
    char *data = ff_malloc(total);
    if (!data) {
        return fail(error, FF_NO_MEMORY, path, "out of memory");
    }
    head first = make_head(sim, state, size);
    memcpy(data, &first, sizeof first);
    ff_sim_save(sim, data + sizeof first);
    if (size) {
        memcpy(data + sizeof first + state, extra, size);
    }
    uint64_t sum = ff_hash(FF_HASH_START, data, total - sizeof sum);
    memcpy(data + total - sizeof sum, &sum, sizeof sum);
    bool good = put_file(path, data, total);
    int reason = errno;
    ff_free(data);
    return good ? FF_OK : report_errno(error, path, reason);
}

/* ---- reading ---- */

static char *get_file(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    char *data = NULL;
    long length = -1;
    struct stat s;
    /* the length of a directory is meaningless */
    if (file && (fstat(fileno(file), &s) != 0 || S_ISDIR(s.st_mode))) {
        fclose(file);
        errno = EISDIR;
        return NULL;
    }
    if (file && fseek(file, 0, SEEK_END) == 0 && (length = ftell(file)) >= 0) {
        rewind(file);
        data = ff_malloc((size_t)length + 1);
        *size = (size_t)length;
        if (data && fread(data, 1, *size, file) != *size) {
            ff_free(data);
            data = NULL;
        }
    }
    int reason = errno;
    if (file) {
        fclose(file);
    }
    errno = reason;
    return data;
}

/* What is wrong with a file, or NULL. */
static const char *fault(const ff_sim *sim, const char *data, size_t size) {
    head first, ours = make_head(sim, 0, 0);
    uint64_t sum;
    if (size < sizeof first + sizeof sum || memcmp(data, magic, sizeof magic) != 0) {
        return "this is not a checkpoint of footfall";
    }
    memcpy(&first, data, sizeof first);
    memcpy(&sum, data + size - sizeof sum, sizeof sum);
    const size_t rest = size - sizeof first - sizeof sum;
    if (ff_hash(FF_HASH_START, data, size - sizeof sum) != sum || first.state_size > rest ||
        first.extra_size != rest - first.state_size) {
        return "the checkpoint is damaged";
    }
    if (memcmp(first.version, ours.version, sizeof first.version) != 0 ||
        first.layout != ours.layout) {
        return "the checkpoint was written by another version or build of footfall";
    }
    return first.model == ours.model ? NULL
           : sim->model->kind ? "the checkpoint belongs to another inclusion, method or tolerance"
                              : "the checkpoint belongs to another scene, method or tolerance";
}

ff_status ff_checkpoint_read(const char *path, ff_sim *sim, void **extra, size_t *extra_size,
                             ff_error *error) {
    size_t size = 0;
    errno = 0;
    char *data = get_file(path, &size);
    if (!data) {
        return report_errno(error, path, errno);
    }
    const char *why = fault(sim, data, size);
    ff_status status = why ? fail(error, FF_BAD_VALUE, path, why) : FF_OK;
    if (status == FF_OK) {
        head first;
        memcpy(&first, data, sizeof first);
        /* before the sim is changed: a failed call must have no effect */
        char *kept = extra ? ff_malloc((size_t)first.extra_size + 1) : NULL;
        status = extra && !kept
                     ? FF_NO_MEMORY
                     : ff_sim_restore(sim, data + sizeof first, (size_t)first.state_size);
        if (status < 0) {
            fail(error, status, path,
                 status == FF_BAD_VALUE
                     ? "the checkpoint does not contain a valid state of this run"
                     : ff_status_text(status));
        } else if (extra) {
            *extra_size = (size_t)first.extra_size;
            *extra = kept;
            memcpy(kept, data + sizeof first + first.state_size, *extra_size);
            kept = NULL;
        }
        ff_free(kept);
    }
    ff_free(data);
    return status;
}
