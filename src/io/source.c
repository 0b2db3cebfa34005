/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "source.h"
#include "num/memory.h"
#include "setting.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *ff_source_read(const char *path, size_t most, size_t *length, ff_messages *messages,
                     ff_status *status) {
    FILE *file = fopen(path, "rb");
    char *text = NULL;
    size_t room = 0;
    *length = 0;
    *status = FF_OK;
    while (file && *status == FF_OK && !feof(file) && !ferror(file)) {
        if (*length == room) {
            room = room ? 2 * room : 65536;
            char *grown = ff_realloc(text, room);
            *status = grown ? FF_OK : FF_NO_MEMORY;
            text = grown ? grown : text;
            continue;
        }
        *length += fread(text + *length, 1, room - *length, file);
        errno = *length > most ? EFBIG : errno;
        *status = *length > most ? FF_BAD_VALUE : FF_OK;
    }
    if (!file || ferror(file)) {
        *status = FF_BAD_VALUE;
    }
    if (*status == FF_BAD_VALUE && messages) {
        ff_messages_add(messages, (ff_place){path, 0, 0}, "%s", strerror(errno));
    }
    if (file) {
        fclose(file);
    }
    if (*status < 0) {
        ff_free(text);
        return NULL;
    }
    /* there is room for the terminating 0 */
    text[*length] = '\0';
    return text;
}

ff_status ff_source_tree(ff_tree *tree, const char *name, const char *text, size_t length,
                         const char *const *settings, size_t setting_count, ff_messages *messages,
                         ff_node **root) {
    ff_status status = ff_tree_read(tree, name, false, text, length, messages, root);
    bool map = status >= 0 && ((*root)->kind == FF_NODE_MAP || (*root)->kind == FF_NODE_NONE);
    for (size_t i = 0; map && i < setting_count && status >= 0; i++) {
        status = ff_setting_apply(tree, *root, settings[i], messages);
    }
    return status;
}

/* Whether a line without indentation begins with a key. */
static bool has_key(const char *line, const char *key) {
    const char quote = *line == '"' || *line == '\'' ? *line++ : '\0';
    const size_t length = strlen(key);
    if (strncmp(line, key, length) != 0 || (quote && line[length] != quote)) {
        return false;
    }
    line += length + (quote != '\0');
    return line[strspn(line, " \t")] == ':';
}

bool ff_source_is_inclusion(const char *text) {
    bool rates = false, bodies = false;
    for (const char *line = text, *end; line; line = end ? end + 1 : NULL) {
        rates = rates || has_key(line, "rates");
        bodies = bodies || has_key(line, "bodies") || has_key(line, "robots");
        end = strchr(line, '\n');
    }
    return rates && !bodies;
}
