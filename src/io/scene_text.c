/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#define _POSIX_C_SOURCE 200809L
#include "num/memory.h"
#include "scene_file.h"
#include "source.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* words and numbers with units need no quotes */
static bool is_plain(const char *text) {
    size_t sign = *text == '-' || *text == '+' || *text == '.';
    size_t length = strlen(text);
    return isalnum((unsigned char)text[sign]) && text[length - 1] != ' ' &&
           strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                        "_-+*/^. ") == length;
}

static void put_text(FILE *out, const char *text) {
    if (is_plain(text)) {
        fputs(text, out);
        return;
    }
    fputc('"', out);
    for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
        if (*c < 0x20 || *c == 0x7f) {
            fprintf(out, "\\x%02x", *c);
        } else {
            fprintf(out, *c == '"' || *c == '\\' ? "\\%c" : "%c", *c);
        }
    }
    fputc('"', out);
}

/* writes a value on one line */
static void put_flow(FILE *out, const ff_node *node) {
    bool map = node->kind == FF_NODE_MAP;
    if (node->kind == FF_NODE_TEXT) {
        put_text(out, node->text);
        return;
    }
    if (node->kind == FF_NODE_NONE) {
        return;
    }
    fputc(map ? '{' : '[', out);
    for (const ff_node *item = node->first; item; item = item->next) {
        fputs(item == node->first ? "" : ", ", out);
        if (map) {
            put_text(out, item->key);
            fputs(": ", out);
        }
        put_flow(out, item);
    }
    fputc(map ? '}' : ']', out);
}

/* writes a section of the scene; lists and maps of maps have one line per entry */
static void put_section(FILE *out, const ff_node *section) {
    bool lines = false;
    for (const ff_node *item = section->first; item; item = item->next) {
        lines = lines || item->kind == FF_NODE_MAP;
    }
    put_text(out, section->key);
    fputc(':', out);
    if (!lines) {
        fputc(' ', out);
        put_flow(out, section);
    }
    for (const ff_node *item = section->first; lines && item; item = item->next) {
        fputs("\n  ", out);
        if (item->key) {
            put_text(out, item->key);
            fputs(": ", out);
        } else {
            fputs("- ", out);
        }
        put_flow(out, item);
    }
    fputc('\n', out);
}

ff_status ff_tree_print(const ff_node *root, char **out) {
    size_t length;
    *out = NULL;
    FILE *stream = open_memstream(out, &length);
    if (stream) {
        for (const ff_node *section = root->first; section; section = section->next) {
            put_section(stream, section);
        }
        const bool written = fclose(stream) == 0;
        *out = ff_streamed(*out, length);
        if (!written) {
            ff_free(*out);
            *out = NULL;
        }
    }
    return *out ? FF_OK : FF_NO_MEMORY;
}

ff_status ff_scene_resolve(const char *text, const char *const *settings, size_t setting_count,
                           char **out) {
    ff_messages messages = {0};
    ff_node *root = NULL;
    *out = NULL;
    ff_tree *tree = ff_tree_create();
    ff_status status = tree ? FF_OK : FF_NO_MEMORY;
    if (status >= 0) {
        status =
            ff_source_tree(tree, "", text, strlen(text), settings, setting_count, &messages, &root);
    }
    if (status >= 0) {
        status = messages.count ? FF_BAD_VALUE : ff_tree_print(root, out);
    }
    ff_messages_clear(&messages);
    ff_tree_free(tree);
    return status;
}
