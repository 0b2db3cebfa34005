/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "messages.h"
#include "num/memory.h"
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { text_room = 640 };

/* the length of the UTF-8 sequence that starts with this byte, 0 if none does */
static size_t sequence(unsigned char byte) {
    return byte < 0x80   ? 1
           : byte < 0xc2 ? 0
           : byte < 0xe0 ? 2
           : byte < 0xf0 ? 3
           : byte < 0xf5 ? 4
                         : 0;
}

/* Makes the text a single line: control characters and truncated characters become '?'. */
static void tidy(char *text) {
    for (unsigned char *at = (unsigned char *)text; *at;) {
        size_t length = sequence(*at), have = 1;
        while (have < length && at[have] >> 6 == 2) {
            have++;
        }
        if (*at < ' ' || *at == 0x7f || have != length) {
            *at = '?';
            have = 1;
        }
        at += have;
    }
}

static char *copied(const char *text) {
    size_t size = strlen(text) + 1;
    char *copy = ff_malloc(size);
    if (copy) {
        memcpy(copy, text, size);
        tidy(copy);
    }
    return copy;
}

static bool grow(ff_messages *messages) {
    if (messages->count < messages->room) {
        return true;
    }
    size_t room = messages->room ? 2 * messages->room : 8;
    ff_message *at = ff_realloc(messages->at, room * sizeof *at);
    if (!at) {
        return false;
    }
    messages->at = at;
    messages->room = room;
    return true;
}

void ff_messages_add(ff_messages *messages, ff_place place, const char *format, ...) {
    if (ff_messages_full(messages) || !grow(messages)) {
        messages->left_out++;
        return;
    }
    char text[text_room];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);

    ff_message message = {copied(place.file), place.line, place.column, copied(text)};
    if (!message.file || !message.text) {
        ff_free(message.file);
        ff_free(message.text);
        messages->left_out++;
        return;
    }
    messages->at[messages->count++] = message;
}

bool ff_messages_full(const ff_messages *messages) { return messages->count >= FF_MESSAGES_MOST; }

size_t ff_messages_total(const ff_messages *messages) {
    return messages->count + messages->left_out;
}

static bool before(const ff_message *a, const ff_message *b) {
    /* line 0 wraps around to the last position */
    size_t a_line = a->line - 1, b_line = b->line - 1;
    return a_line < b_line || (a_line == b_line && a->column < b->column);
}

void ff_messages_sort(ff_messages *messages, size_t first) {
    /* there are at most FF_MESSAGES_MOST; insertion sort is stable */
    for (size_t i = first + 1; i < messages->count; i++) {
        ff_message moved = messages->at[i];
        size_t j = i;
        for (; j > first && before(&moved, &messages->at[j - 1]); j--) {
            messages->at[j] = messages->at[j - 1];
        }
        messages->at[j] = moved;
    }
}

void ff_messages_clear(ff_messages *messages) {
    for (size_t i = 0; i < messages->count; i++) {
        ff_free(messages->at[i].file);
        ff_free(messages->at[i].text);
    }
    ff_free(messages->at);
    *messages = (ff_messages){0};
}

int ff_message_format(const ff_message *message, char *buf, size_t size) {
    if (message->line == 0) {
        return snprintf(buf, size, "%s: %s", message->file, message->text);
    }
    return snprintf(buf, size, "%s:%zu:%zu: %s", message->file, message->line, message->column,
                    message->text);
}
