/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "setting.h"
#include "key.h"
#include "num/memory.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* State of following a path down the tree. */
typedef struct walk {
    ff_tree *tree;
    ff_messages *messages;
    const char *path, *at, *end; /* the complete path, the rest of it, its end */
    ff_place place;              /* location of the setting */
    const char *names;           /* the section directly above, if its keys are names */
    ff_node *node;
    ff_status status;
} walk;

static ff_node *stop(walk *w, ff_status status) {
    w->status = status;
    /* newly added nodes have no message of their own */
    if (w->node && w->node->kind == FF_NODE_NONE) {
        w->node->kind = FF_NODE_BAD;
    }
    return NULL;
}

/* the part of the path followed so far, for messages */
static int walked(const walk *w, const char *to) {
    long length = to - w->path;
    return length > 200 ? 200 : (int)length;
}

static bool holds_names(const char *key) {
    return strcmp(key, "bodies") == 0 || strcmp(key, "ground") == 0 || strcmp(key, "joints") == 0 ||
           strcmp(key, "forces") == 0 || strcmp(key, "parameters") == 0;
}

static ff_node *refuse_name(walk *w, const char *key) {
    const char **names = ff_calloc(w->node->count + 1, sizeof *names);
    if (!names) {
        return stop(w, FF_NO_MEMORY);
    }
    size_t count = 0;
    for (const ff_node *entry = w->node->first; entry; entry = entry->next) {
        names[count++] = entry->key;
    }
    char hint[FF_HINT];
    ff_map map = {.messages = w->messages};
    ff_messages_add(w->messages, w->place, "there is no '%.60s' in %s%s", key, w->names,
                    ff_word_hint(&map, key, names, count, hint));
    ff_free(names);
    return stop(w, FF_BAD_VALUE);
}

static ff_node *step_key(walk *w) {
    const char *from = w->at;
    size_t length = strcspn(from, ".[=");
    char *key = ff_tree_text(w->tree, from, length);
    if (!key) {
        return stop(w, FF_NO_MEMORY);
    }
    w->at += length;
    if (length == 0) {
        ff_messages_add(w->messages, w->place, "a key is missing after '%.*s'", walked(w, from),
                        w->path);
        return stop(w, FF_BAD_VALUE);
    }
    if (w->node->kind == FF_NODE_NONE) {
        w->node->kind = FF_NODE_MAP;
    }
    if (w->node->kind != FF_NODE_MAP) {
        ff_messages_add(w->messages, w->place, "'%.*s' is not a map, so it has no '%.60s'",
                        walked(w, from - (from > w->path)), w->path, key);
        return stop(w, FF_BAD_VALUE);
    }
    ff_node *entry = ff_node_find(w->node, key);
    if (!entry && w->names) {
        return refuse_name(w, key);
    }
    if (!entry && !(entry = ff_tree_add(w->tree, w->node, key, w->place))) {
        return stop(w, FF_NO_MEMORY);
    }
    w->names = from == w->path && holds_names(key) ? key : NULL;
    return entry;
}

static ff_node *step_index(walk *w) {
    const char *from = w->at;
    size_t digits = strspn(from + 1, "0123456789");
    if (digits == 0 || digits > 9 || from[1 + digits] != ']') {
        ff_messages_add(w->messages, w->place, "a number and ']' must follow '%.*s'",
                        walked(w, from + 1), w->path);
        return stop(w, FF_BAD_VALUE);
    }
    size_t index = (size_t)strtoul(from + 1, NULL, 10);
    w->at += digits + 2;
    if (w->node->kind != FF_NODE_LIST || index >= w->node->count) {
        bool list = w->node->kind == FF_NODE_LIST;
        ff_messages_add(w->messages, w->place,
                        list ? "'%.*s' has no item %zu: it has %zu, counted from 0"
                             : "'%.*s' is not a list, so it has no item %zu",
                        walked(w, from), w->path, index, w->node->count);
        return stop(w, FF_BAD_VALUE);
    }
    ff_node *item = w->node->first;
    while (index-- > 0) {
        item = item->next;
    }
    w->names = NULL;
    return item;
}

/* The node at the end of a path, added if it does not exist; NULL, with a message, if that is impossible. */
static ff_node *find(walk *w) {
    while (w->node && (w->node = step_key(w))) {
        while (w->node && *w->at == '[') {
            w->node = step_index(w);
        }
        if (!w->node || w->at == w->end) {
            break;
        }
        if (*w->at != '.') {
            ff_messages_add(w->messages, w->place, "'.' or '=' must follow '%.*s'",
                            walked(w, w->at), w->path);
            return stop(w, FF_BAD_VALUE);
        }
        w->at++;
    }
    return w->node;
}

/* replaces a node by a value */
static void replace(ff_node *node, const ff_node *value, ff_place place) {
    ff_node *next = node->next;
    const char *key = node->key;
    *node = *value;
    node->next = next;
    node->key = key;
    node->key_place = place;
}

ff_status ff_setting_apply(ff_tree *tree, ff_node *root, const char *setting,
                           ff_messages *messages) {
    size_t size = strlen("--set ") + strlen(setting) + 1;
    char *file = ff_tree_room(tree, size);
    if (!file) {
        return FF_NO_MEMORY;
    }
    snprintf(file, size, "--set %s", setting);
    ff_place place = {file, 0, 0};
    const char *end = strchr(setting, '=');
    if (!end || end[1 + strspn(end + 1, " \t")] == '\0') {
        ff_messages_add(messages, place,
                        end ? "the value is missing"
                            : "a setting must be PATH=VALUE, as in bodies.ball.mass=0.2");
        return FF_OK;
    }
    /* the value first: invalid YAML changes nothing */
    ff_node *value;
    ff_status status = ff_tree_read(tree, file, true, end + 1, strlen(end + 1), messages, &value);
    walk w = {tree, messages, setting, setting, end, place, NULL, root, status};
    ff_node *node = status < 0 ? NULL : find(&w);
    if (node) {
        replace(node, value, place);
    }
    return w.status == FF_NO_MEMORY ? FF_NO_MEMORY : FF_OK;
}
