/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#define _DEFAULT_SOURCE
#include "page.h"
#include <assert.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The bundle, as the build made it of web/, and a 0 behind it; empty if that was without Node. */
extern const char page_bundle[];
extern const uint32_t page_bundle_size;
__asm__(".pushsection .rodata\n"
        ".global page_bundle, page_bundle_size\n"
        "page_bundle:\n"
        ".incbin \"" FF_PAGE "\"\n"
        "page_bundle_end:\n"
        ".byte 0\n"
        ".balign 4\n"
        "page_bundle_size:\n"
        ".4byte page_bundle_end - page_bundle\n"
        ".popsection\n");

/* Where a document goes: what is written in web/index.html. */
static const char title_place[] = "<title>footfall</title>",
                  document_place[] = "<script type=\"application/json\" id=\"document\">";

int page_built(const args *a) {
    if (page_bundle_size == 0) {
        return args_error(
            a, "built without the page of reports: that needs Node 18 or later, npm and "
               "its packages (`make setup GROUPS=web`, then `make`, which tells what is missing)");
    }
    return 0;
}

int page_check(const args *a, const char *path) {
    size_t length = strlen(path);
    const char *slash = strrchr(path, '/');
    if (length < 6 || strcmp(path + length - 5, ".html") != 0 || (slash && strlen(slash) < 7)) {
        return args_error(a, "cannot write a page to '%s': its name must end in .html", path);
    }
    int status = page_built(a);
    if (status || !slash) {
        return status;
    }
    char *folder = strndup(path, (size_t)(slash - path) + 1);
    if (folder && access(folder, W_OK) != 0) {
        status = args_error(a, "cannot write '%s': %s", path, strerror(errno));
    }
    free(folder);
    return status;
}

/* a text between tags */
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

bool page_write(FILE *out, const char *title, const char *json, size_t length) {
    const char *name = strstr(page_bundle, title_place),
               *place = name ? strstr(name, document_place) : NULL, *rest;
    assert(place);
    fwrite(page_bundle, 1, (size_t)(name - page_bundle), out);
    fputs("<title>", out);
    put_escaped(out, title);
    fputs("</title>", out);
    name += sizeof title_place - 1;
    rest = place + sizeof document_place - 1;
    fwrite(name, 1, (size_t)(rest - name), out);
    /* in JSON a `<` is part of a string, and is the same when written as a number: no text can end the script */
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
    fwrite(rest, 1, page_bundle_size - (size_t)(rest - page_bundle), out);
    return !ferror(out);
}

int page_save(const args *a, const char *path, const char *title, const char *json, size_t length) {
    /* beside the target, so that the rename is atomic */
    size_t size = strlen(path) + 8;
    char *temporary = malloc(size);
    if (!temporary) {
        args_error(a, "out of memory");
        return 1;
    }
    snprintf(temporary, size, "%s.XXXXXX", path);
    int file = mkstemp(temporary);
    FILE *out = file < 0 ? NULL : fdopen(file, "w");
    bool done = false;
    if (out) {
        mode_t mask = umask(0);
        umask(mask);
        fchmod(file, 0666 & ~mask);
        done = page_write(out, title, json, length);
        done = fclose(out) == 0 && done && rename(temporary, path) == 0;
    }
    if (done) {
        fprintf(stderr, "wrote %s\n", path);
    } else {
        args_error(a, "cannot write '%s': %s", path, strerror(errno));
    }
    if (!done && file >= 0) {
        unlink(temporary);
    }
    free(temporary);
    return done ? 0 : 1;
}
