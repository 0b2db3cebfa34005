/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "text_file.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

char *ff_text_file(const char *path, size_t most, size_t *length, ff_status *status) {
    FILE *file = fopen(path, "rb");
    char *text = NULL;
    size_t room = 0;
    *length = 0;
    *status = FF_OK;
    while (file && *status == FF_OK && !feof(file) && !ferror(file)) {
        if (*length + 1 >= room) {
            room = room ? 2 * room : 65536;
            char *grown = realloc(text, room);
            *status = grown ? FF_OK : FF_NO_MEMORY;
            text = grown ? grown : text;
            continue;
        }
        *length += fread(text + *length, 1, room - 1 - *length, file);
        errno = *length > most ? EFBIG : errno;
        *status = *length > most ? FF_BAD_VALUE : FF_OK;
    }
    if (!file || ferror(file)) {
        *status = FF_BAD_VALUE;
    }
    int reason = errno;
    if (file) {
        fclose(file);
    }
    if (*status < 0) {
        free(text);
        text = NULL;
    } else {
        text[*length] = '\0';
    }
    errno = reason;
    return text;
}
