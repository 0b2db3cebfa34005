/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#define _DEFAULT_SOURCE
#include "record.h"
#include "expr/word.h"
#include "model/kinds.h"
#include "num/hash.h"
#include "num/memory.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* bytes of a record before and after its payload */
enum { BEFORE = 16, AFTER = 8, PAYLOAD_LEAST = 32 };

static size_t payload_of(const ff_record_kind *kind) {
    const size_t size = 8 * (size_t)kind->kept;
    return size > PAYLOAD_LEAST ? size : PAYLOAD_LEAST;
}

static size_t size_of(const ff_record_kind *kind) { return BEFORE + payload_of(kind) + AFTER; }

static void make_head(const ff_record_kind *kind, char head[FF_RECORD_HEAD]) {
    /* the fourth number detects a machine with another byte order */
    const uint64_t numbers[] = {kind->fingerprint, kind->rows, kind->kept, 0x0102030405060708u,
                                size_of(kind)};
    memset(head, 0, FF_RECORD_HEAD);
    memcpy(head, "footfall records 1\n", 19);
    memcpy(head + 24, numbers, sizeof numbers);
}

static uint64_t checksum(const ff_record_kind *kind, const char *record) {
    return ff_hash(FF_HASH(FF_HASH_START, kind->fingerprint), record, size_of(kind) - AFTER);
}

static ff_status refuse(const char *path, ff_error *error) {
    return ff_model_fail(error, FF_NOT_WRITTEN, "%s: %s", path, strerror(errno));
}

static ff_status refuse_other(const char *path, ff_error *error) {
    return ff_model_fail(error, FF_MISSING,
                         "%s: has the runs of another sweep, or of another version of footfall: "
                         "remove it, or take another name for the results",
                         path);
}

/* ---- reading ---- */

typedef struct reading {
    const ff_record_kind *kind;
    char *reason; /* reason of the failed run that is being read */
    size_t row, length, next;
    double *values;
    ff_record_visitor *visit;
    void *user;
} reading;

/* Takes one record with a valid checksum. */
static bool take(reading *r, const char *record) {
    const size_t payload = payload_of(r->kind);
    uint64_t row;
    uint32_t part, parts;
    memcpy(&row, record, 8);
    memcpy(&part, record + 8, 4);
    memcpy(&parts, record + 12, 4);
    if (row >= r->kind->rows) {
        return true;
    }
    if (parts == 0) {
        memcpy(r->values, record + BEFORE, 8 * (size_t)r->kind->kept);
        return r->visit(r->user, (size_t)row, r->values, NULL);
    }
    /* parts are consecutive: incomplete ones are dropped */
    if (part == 1) {
        r->row = (size_t)row;
        r->next = 1;
        r->length = 0;
    }
    if (r->row != row || part != r->next) {
        r->next = 0;
        return true;
    }
    char *longer = ff_realloc(r->reason, r->length + payload + 1);
    if (!longer) {
        return false;
    }
    r->reason = longer;
    memcpy(longer + r->length, record + BEFORE, payload);
    r->length += payload;
    longer[r->length] = '\0';
    r->next++;
    return part < parts || r->visit(r->user, (size_t)row, NULL, longer);
}

ff_status ff_record_read(const char *path, const ff_record_kind *kind, ff_record_visitor *visit,
                         void *user, ff_error *error) {
    const size_t size = size_of(kind);
    char head[FF_RECORD_HEAD], seen[FF_RECORD_HEAD];
    reading r = {.kind = kind, .visit = visit, .user = user};
    FILE *file = fopen(path, "rb");
    if (!file) {
        return refuse(path, error);
    }
    char *record = ff_malloc(size);
    r.values = ff_malloc(8 * (size_t)kind->kept + 8);
    bool good = record && r.values;
    ff_status status = good ? FF_OK : FF_NO_MEMORY;
    make_head(kind, head);
    const size_t length = fread(seen, 1, sizeof seen, file);
    /* a process that was killed while it created the file leaves nothing or a part of the header */
    if (good && memcmp(seen, head, length) != 0) {
        status = refuse_other(path, error);
    }
    while (status >= 0 && length == sizeof seen && fread(record, 1, size, file) == size) {
        uint64_t sum;
        memcpy(&sum, record + size - AFTER, AFTER);
        if (sum == checksum(kind, record) && !take(&r, record)) {
            status = FF_NO_MEMORY;
        }
    }
    if (status == FF_NO_MEMORY) {
        ff_model_fail(error, status, "%s", ff_status_text(status));
    } else if (status >= 0 && ferror(file)) {
        status = refuse(path, error);
    }
    fclose(file);
    ff_free(record);
    ff_free(r.values);
    ff_free(r.reason);
    return status;
}

/* ---- writing ---- */

struct ff_recorder {
    ff_record_kind kind;
    char *path;
    int file;
    char *added; /* not written yet */
    size_t used, room;
};

ff_status ff_recorder_open(const char *path, const ff_record_kind *kind, ff_recorder **out,
                           ff_error *error) {
    char head[FF_RECORD_HEAD], seen[FF_RECORD_HEAD];
    struct stat facts;
    ff_status status = FF_OK;
    ff_recorder *r = *out = ff_calloc(1, sizeof *r);
    if (!r || !(r->path = ff_word_copy(path))) {
        ff_free(r);
        *out = NULL;
        return ff_model_fail(error, FF_NO_MEMORY, "%s", ff_status_text(FF_NO_MEMORY));
    }
    r->kind = *kind;
    r->file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    make_head(kind, head);
    if (r->file < 0 || fstat(r->file, &facts) != 0) {
        status = refuse(path, error);
    } else if (flock(r->file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
        status = ff_model_fail(error, FF_NOT_WRITTEN,
                               "%s: another process is writing it: is this sweep running already?",
                               path);
    } else {
        const size_t size = size_of(kind);
        const off_t whole = facts.st_size > FF_RECORD_HEAD
                                ? (off_t)((size_t)(facts.st_size - FF_RECORD_HEAD) / size * size)
                                : 0;
        const ssize_t length = pread(r->file, seen, sizeof seen, 0);
        if (length < 0) {
            status = refuse(path, error);
        } else if (memcmp(seen, head, (size_t)length) != 0) {
            status = refuse_other(path, error);
        } else if (pwrite(r->file, head, sizeof head, 0) != sizeof head ||
                   ftruncate(r->file, FF_RECORD_HEAD + whole) != 0 ||
                   lseek(r->file, 0, SEEK_END) < 0) {
            status = refuse(path, error);
        }
    }
    if (status < 0) {
        ff_recorder_free(r);
        *out = NULL;
    }
    return status;
}

/* Appends one record with `length` bytes of payload. */
static bool append(ff_recorder *r, size_t row, uint32_t part, uint32_t parts, const void *payload,
                   size_t length) {
    const size_t size = size_of(&r->kind);
    if (r->used + size > r->room) {
        const size_t room = 2 * r->room + size;
        char *more = ff_realloc(r->added, room);
        if (!more) {
            return false;
        }
        r->added = more;
        r->room = room;
    }
    char *to = r->added + r->used;
    const uint64_t index = row;
    memset(to, 0, size);
    memcpy(to, &index, 8);
    memcpy(to + 8, &part, 4);
    memcpy(to + 12, &parts, 4);
    memcpy(to + BEFORE, payload, length);
    const uint64_t sum = checksum(&r->kind, to);
    memcpy(to + size - AFTER, &sum, AFTER);
    r->used += size;
    return true;
}

bool ff_recorder_add(ff_recorder *r, size_t row, const double *values, const char *reason) {
    const size_t payload = payload_of(&r->kind), before = r->used;
    if (!reason) {
        return append(r, row, 0, 0, values, 8 * (size_t)r->kind.kept);
    }
    const size_t length = strlen(reason), parts = length ? (length - 1) / payload + 1 : 1;
    bool good = true;
    for (size_t i = 0; i < parts && good; i++) {
        const size_t left = length - i * payload;
        good = append(r, row, (uint32_t)(i + 1), (uint32_t)parts, reason + i * payload,
                      left < payload ? left : payload);
    }
    r->used = good ? r->used : before;
    return good;
}

bool ff_recorder_flush(ff_recorder *r, ff_error *error) {
    size_t done = 0;
    while (done < r->used) {
        const ssize_t written = write(r->file, r->added + done, r->used - done);
        if (written < 0 && errno != EINTR) {
            refuse(r->path, error);
            return false;
        }
        done += written > 0 ? (size_t)written : 0;
    }
    r->used = 0;
    return true;
}

void ff_recorder_free(ff_recorder *r) {
    if (r) {
        if (r->file >= 0) {
            close(r->file);
        }
        ff_free(r->added);
        ff_free(r->path);
        ff_free(r);
    }
}
