/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#define _DEFAULT_SOURCE
#include "expr/word.h"
#include "num/memory.h"
#include "trace/trace.h"
#include <assert.h>
#include <errno.h>
#include <footfall/report.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The bundle that the build made of web/, with a terminating 0; empty if the build had no Node. */
extern const char ff_page_bundle[];
extern const uint32_t ff_page_bundle_size;
__asm__(".pushsection .rodata\n"
        ".global ff_page_bundle, ff_page_bundle_size\n"
        ".hidden ff_page_bundle, ff_page_bundle_size\n"
        "ff_page_bundle:\n"
        ".incbin \"" FF_PAGE "\"\n"
        "ff_page_bundle_end:\n"
        ".byte 0\n"
        ".balign 4\n"
        "ff_page_bundle_size:\n"
        ".4byte ff_page_bundle_end - ff_page_bundle\n"
        ".popsection\n");

/* Placeholders in web/index.html that are replaced. */
static const char title_place[] = "<title>footfall</title>",
                  document_place[] = "<script type=\"application/json\" id=\"document\">";

ff_status ff_page_check(const char *path, ff_error *error) {
    if (path) {
        const size_t length = strlen(path);
        const char *slash = strrchr(path, '/');
        if (length < 6 || strcmp(path + length - 5, ".html") != 0 || (slash && strlen(slash) < 7)) {
            return ff_trace_refuse(error, FF_BAD_VALUE,
                                   "cannot write a page to '%s': its name must end in .html", path);
        }
    }
    if (ff_page_bundle_size == 0) {
        return ff_trace_refuse(
            error, FF_NOT_BUILT,
            "built without the page of reports: that needs Node 18 or later, npm and its packages "
            "(`make setup GROUPS=web`, then `make`, which says what is missing)");
    }
    const char *slash = path ? strrchr(path, '/') : NULL;
    char *folder = slash ? ff_word_copy(path) : NULL;
    if (folder) {
        folder[slash - path + 1] = '\0';
    }
    ff_status status =
        slash && !folder ? ff_trace_refuse(error, FF_NO_MEMORY, "out of memory") : FF_OK;
    if (folder && access(folder, W_OK) != 0) {
        status =
            ff_trace_refuse(error, FF_BAD_VALUE, "cannot write '%s': %s", path, strerror(errno));
    }
    ff_free(folder);
    return status;
}

/* writes text between tags */
static void put_escaped(FILE *out, const char *text) {
    for (; *text; text++) {
        if (*text == '<') {
            fputs("&lt;", out);
        } else if (*text == '&') {
            fputs("&amp;", out);
        } else {
            fputc((unsigned char)*text < ' ' ? ' ' : *text, out);
        }
    }
}

/* `json` is UTF-8 and may contain any text. False if the stream failed. */
static bool write_page(FILE *out, const char *title, const char *json, size_t length) {
    const char *name = strstr(ff_page_bundle, title_place),
               *place = name ? strstr(name, document_place) : NULL, *rest;
    assert(place);
    fwrite(ff_page_bundle, 1, (size_t)(name - ff_page_bundle), out);
    fputs("<title>", out);
    put_escaped(out, title);
    fputs("</title>", out);
    name += sizeof title_place - 1;
    rest = place + sizeof document_place - 1;
    fwrite(name, 1, (size_t)(rest - name), out);
    /* in JSON a `<` occurs only in strings, where it can be written as an escape: so no text can end the script */
    for (const char *at = json, *end = json + length; at < end;) {
        const char *next = memchr(at, '<', (size_t)(end - at));
        next = next ? next : end;
        fwrite(at, 1, (size_t)(next - at), out);
        if (next < end) {
            fputs("\\u003c", out);
            next++;
        }
        at = next;
    }
    fwrite(rest, 1, ff_page_bundle_size - (size_t)(rest - ff_page_bundle), out);
    return !ferror(out);
}

ff_status ff_page_save(const char *path, const char *title, const char *json, size_t length,
                       ff_error *error) {
    ff_status status = ff_page_check(path, error);
    if (status < 0) {
        return status;
    }
    /* next to the target, so that the rename is atomic */
    size_t size = strlen(path) + 8;
    char *temporary = ff_malloc(size);
    if (!temporary) {
        return ff_trace_refuse(error, FF_NO_MEMORY, "out of memory");
    }
    snprintf(temporary, size, "%s.XXXXXX", path);
    int file = mkstemp(temporary);
    FILE *out = file < 0 ? NULL : fdopen(file, "w");
    bool done = false;
    if (out) {
        mode_t mask = umask(0);
        umask(mask);
        fchmod(file, 0666 & ~mask);
        done = write_page(out, title, json, length);
        done = fclose(out) == 0 && done && rename(temporary, path) == 0;
    }
    if (!done) {
        status = ff_trace_refuse(error, errno == ENOMEM ? FF_NO_MEMORY : FF_NOT_WRITTEN,
                                 "cannot write '%s': %s", path, strerror(errno));
    }
    if (!out && file >= 0) {
        close(file);
    }
    if (!done && file >= 0) {
        unlink(temporary);
    }
    ff_free(temporary);
    return status;
}
