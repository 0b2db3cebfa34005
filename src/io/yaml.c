/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "yaml.h"
#include "num/memory.h"
#include <stdalign.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the tree ---- */

/* Nodes and texts are allocated from chunks, which are freed together. */
enum { chunk_size = 65536 };

typedef struct chunk {
    struct chunk *before;
    size_t used, room;
    alignas(max_align_t) char bytes[];
} chunk;

struct ff_tree {
    chunk *last;
    ff_node **sorted; /* scratch memory for finding duplicates */
    size_t sorted_room;
};

ff_tree *ff_tree_create(void) { return ff_calloc(1, sizeof(ff_tree)); }

void ff_tree_free(ff_tree *tree) {
    if (!tree) {
        return;
    }
    for (chunk *at = tree->last; at;) {
        chunk *before = at->before;
        ff_free(at);
        at = before;
    }
    ff_free(tree->sorted);
    ff_free(tree);
}

void *ff_tree_room(ff_tree *tree, size_t size) {
    size = (size + alignof(max_align_t) - 1) / alignof(max_align_t) * alignof(max_align_t);
    if (!tree->last || tree->last->room - tree->last->used < size) {
        size_t room = size > chunk_size ? size : chunk_size;
        chunk *made = ff_malloc(sizeof *made + room);
        if (!made) {
            return NULL;
        }
        *made = (chunk){.before = tree->last, .room = room};
        tree->last = made;
    }
    void *at = tree->last->bytes + tree->last->used;
    tree->last->used += size;
    return at;
}

char *ff_tree_text(ff_tree *tree, const char *text, size_t length) {
    char *copy = ff_tree_room(tree, length + 1);
    if (copy) {
        memcpy(copy, text, length);
        copy[length] = '\0';
    }
    return copy;
}

static ff_node *new_node(ff_tree *tree, ff_node_kind kind, ff_place place) {
    ff_node *node = ff_tree_room(tree, sizeof *node);
    if (node) {
        *node = (ff_node){.kind = kind, .text = "", .place = place, .key_place = place};
    }
    return node;
}

static void append(ff_node *parent, ff_node *child) {
    *(parent->last ? &parent->last->next : &parent->first) = child;
    parent->last = child;
    parent->count++;
}

ff_node *ff_tree_add(ff_tree *tree, ff_node *map, const char *key, ff_place place) {
    ff_node *node = new_node(tree, FF_NODE_NONE, place);
    if (node) {
        node->key = key;
        append(map, node);
    }
    return node;
}

ff_node *ff_tree_copy(ff_tree *tree, const ff_node *node) {
    ff_node *copy = ff_tree_room(tree, sizeof *copy);
    if (!copy) {
        return NULL;
    }
    *copy = *node;
    copy->first = copy->last = copy->next = NULL;
    copy->count = 0;
    for (const ff_node *child = node->first; child; child = child->next) {
        ff_node *made = ff_tree_copy(tree, child);
        if (!made) {
            return NULL;
        }
        append(copy, made);
    }
    return copy;
}

size_t ff_tree_size(const ff_tree *tree) {
    size_t size = 0;
    for (const chunk *at = tree->last; at; at = at->before) {
        size += at->room;
    }
    return size;
}

ff_node *ff_node_find(const ff_node *map, const char *key) {
    ff_node *entry = map->first;
    while (entry && !(entry->key && strcmp(entry->key, key) == 0)) {
        entry = entry->next;
    }
    return entry;
}

#ifdef FF_HAVE_YAML

#include <yaml.h>

/* A scene is nested 7 deep; a key has at most 63 characters and a number 400 digits. */
enum { depth_most = 16, text_most = 1000 };

typedef struct builder {
    ff_tree *tree;
    const char *file;
    bool setting;
    const char *text; /* the whole input */
    size_t length;
    ff_messages *messages;
    yaml_parser_t parser;
    ff_status status;
} builder;

static ff_place place_at(const builder *b, yaml_mark_t mark) {
    return b->setting ? (ff_place){b->file, 0, 0}
                      : (ff_place){b->file, mark.line + 1, mark.column + 1};
}

/* ---- duplicate keys ---- */

static int by_key(const void *a, const void *b) {
    const ff_node *x = *(ff_node *const *)a, *y = *(ff_node *const *)b;
    int order = strcmp(x->key, y->key);
    if (order) {
        return order;
    }
    /* equal keys in file order */
    order = (x->key_place.line > y->key_place.line) - (x->key_place.line < y->key_place.line);
    return order ? order
                 : (x->key_place.column > y->key_place.column) -
                       (x->key_place.column < y->key_place.column);
}

static ff_node **sorted_entries(builder *b, const ff_node *map) {
    ff_tree *tree = b->tree;
    if (map->count > tree->sorted_room) {
        size_t room = 2 * map->count;
        ff_node **grown = ff_realloc(tree->sorted, room * sizeof(ff_node *));
        if (!grown) {
            b->status = FF_NO_MEMORY;
            return NULL;
        }
        tree->sorted = grown;
        tree->sorted_room = room;
    }
    size_t i = 0;
    for (ff_node *entry = map->first; entry; entry = entry->next) {
        tree->sorted[i++] = entry;
    }
    qsort(tree->sorted, map->count, sizeof(ff_node *), by_key);
    return tree->sorted;
}

/* removes the marked entries */
static void drop_twice(ff_node *map) {
    ff_node *entry = map->first;
    map->first = map->last = NULL;
    map->count = 0;
    while (entry) {
        ff_node *next = entry->next;
        entry->next = NULL;
        if (!entry->twice) {
            append(map, entry);
        }
        entry = next;
    }
}

static void refuse_duplicates(builder *b, ff_node *map) {
    if (map->count < 2) {
        return;
    }
    ff_node **entries = sorted_entries(b, map);
    bool found = false;
    const ff_node *kept = entries ? entries[0] : NULL;
    for (size_t i = 1; entries && i < map->count; i++) {
        ff_node *entry = entries[i];
        if (strcmp(entry->key, kept->key) != 0) {
            kept = entry;
            continue;
        }
        entry->twice = found = true;
        if (b->setting) {
            ff_messages_add(b->messages, entry->key_place, "duplicate key '%.60s'", entry->key);
        } else {
            ff_messages_add(b->messages, entry->key_place,
                            "duplicate key '%.60s', first in line %zu", entry->key,
                            kept->key_place.line);
        }
    }
    if (found) {
        drop_twice(map);
    }
}

/* ---- errors of libyaml ---- */

/* An invalid byte has an offset instead of a line. */
static ff_place place_of_byte(const builder *b, size_t offset) {
    ff_place place = {b->file, 1, 1};
    for (size_t i = 0; i < offset && i < b->length; i++) {
        place.column = b->text[i] == '\n' ? 1 : place.column + 1;
        place.line += b->text[i] == '\n';
    }
    return b->setting ? (ff_place){b->file, 0, 0} : place;
}

static void report_parser(builder *b) {
    const yaml_parser_t *p = &b->parser;
    const char *problem = p->problem ? p->problem : "this is not YAML";
    if (p->error == YAML_MEMORY_ERROR) {
        b->status = FF_NO_MEMORY;
        return;
    }
    b->status = FF_BAD_VALUE;
    if (p->error == YAML_READER_ERROR) {
        ff_messages_add(b->messages, place_of_byte(b, p->problem_offset),
                        "this is not a text in UTF-8: %s", problem);
    } else if (p->context && !b->setting) {
        ff_messages_add(b->messages, place_at(b, p->problem_mark),
                        "%s %s from line %zu, column %zu", problem, p->context,
                        p->context_mark.line + 1, p->context_mark.column + 1);
    } else {
        ff_messages_add(b->messages, place_at(b, p->problem_mark), "%s%s%s", problem,
                        p->context ? " " : "", p->context ? p->context : "");
    }
}

static bool next(builder *b, yaml_event_t *event) {
    if (b->status < 0) {
        return false;
    }
    if (!yaml_parser_parse(&b->parser, event)) {
        report_parser(b);
        return false;
    }
    return true;
}

/* ---- nodes from events ---- */

static ff_node *made(builder *b, ff_node_kind kind, const yaml_event_t *event) {
    ff_node *node = new_node(b->tree, kind, place_at(b, event->start_mark));
    if (!node) {
        b->status = FF_NO_MEMORY;
    }
    return node;
}

static void refuse_marks(builder *b, const yaml_event_t *event, const yaml_char_t *anchor,
                         const yaml_char_t *tag) {
    ff_place place = place_at(b, event->start_mark);
    if (anchor) {
        ff_messages_add(b->messages, place, "anchors are not allowed: '&%.60s'",
                        (const char *)anchor);
    }
    if (tag) {
        ff_messages_add(b->messages, place, "tags are not allowed: '%.60s'", (const char *)tag);
    }
}

static ff_node *read_text(builder *b, const yaml_event_t *event) {
    const char *text = (const char *)event->data.scalar.value;
    size_t length = event->data.scalar.length;
    bool plain = event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
    ff_place place = place_at(b, event->start_mark);
    refuse_marks(b, event, event->data.scalar.anchor, event->data.scalar.tag);
    if (length > text_most) {
        ff_messages_add(b->messages, place, "a text of %zu bytes is too long (at most %d)", length,
                        text_most);
        return made(b, FF_NODE_BAD, event);
    }
    if (memchr(text, '\0', length)) {
        ff_messages_add(b->messages, place, "a text must not contain a NUL character");
        return made(b, FF_NODE_BAD, event);
    }
    ff_node *node = made(b, plain && length == 0 ? FF_NODE_NONE : FF_NODE_TEXT, event);
    if (node) {
        node->one_line = plain && event->start_mark.line == event->end_mark.line;
        node->text = ff_tree_text(b->tree, text, length);
        b->status = node->text ? b->status : FF_NO_MEMORY;
    }
    return node;
}

/* A node from its first event; NULL if the tree cannot be made. Deletes the event. */
static ff_node *read_node(builder *b, yaml_event_t *event, int depth);

/* the node of the next event; also NULL at the end of the list or map */
static ff_node *read_next(builder *b, int depth) {
    yaml_event_t event;
    if (!next(b, &event)) {
        return NULL;
    }
    if (event.type == YAML_SEQUENCE_END_EVENT || event.type == YAML_MAPPING_END_EVENT) {
        yaml_event_delete(&event);
        return NULL;
    }
    return read_node(b, &event, depth);
}

static void read_items(builder *b, ff_node *list, int depth) {
    ff_node *item;
    while ((item = read_next(b, depth + 1))) {
        append(list, item);
    }
}

static bool usable_key(builder *b, const ff_node *key) {
    if (key->kind == FF_NODE_LIST || key->kind == FF_NODE_MAP) {
        ff_messages_add(b->messages, key->place, "a key must be a word, not a %s",
                        key->kind == FF_NODE_MAP ? "map" : "list");
    } else if (strcmp(key->text, "<<") == 0) {
        ff_messages_add(b->messages, key->place, "merge keys are not allowed: '<<'");
    } else if (key->kind == FF_NODE_NONE) {
        ff_messages_add(b->messages, key->place, "a key is empty");
    }
    return key->kind == FF_NODE_TEXT && strcmp(key->text, "<<") != 0;
}

static void read_entries(builder *b, ff_node *map, int depth) {
    ff_node *key, *value;
    while ((key = read_next(b, depth + 1))) {
        bool usable = usable_key(b, key);
        value = read_next(b, depth + 1);
        if (!value) {
            return;
        }
        if (usable) {
            value->key = key->text;
            value->key_place = key->place;
            append(map, value);
        }
    }
    if (b->status >= 0) {
        refuse_duplicates(b, map);
    }
}

static ff_node *read_node(builder *b, yaml_event_t *event, int depth) {
    ff_node *node = NULL;
    bool too_deep = depth > depth_most && event->type != YAML_SCALAR_EVENT;
    if (too_deep) {
        ff_messages_add(b->messages, place_at(b, event->start_mark),
                        "lists and maps are nested more than %d deep", depth_most);
        b->status = FF_BAD_VALUE;
    } else if (event->type == YAML_SCALAR_EVENT) {
        node = read_text(b, event);
    } else if (event->type == YAML_SEQUENCE_START_EVENT) {
        refuse_marks(b, event, event->data.sequence_start.anchor, event->data.sequence_start.tag);
        node = made(b, FF_NODE_LIST, event);
    } else if (event->type == YAML_MAPPING_START_EVENT) {
        refuse_marks(b, event, event->data.mapping_start.anchor, event->data.mapping_start.tag);
        node = made(b, FF_NODE_MAP, event);
    } else if (event->type == YAML_ALIAS_EVENT) {
        ff_messages_add(b->messages, place_at(b, event->start_mark),
                        "aliases are not allowed: '*%.60s'",
                        (const char *)event->data.alias.anchor);
        node = made(b, FF_NODE_BAD, event);
    }
    yaml_event_delete(event);

    if (node && node->kind == FF_NODE_LIST) {
        read_items(b, node, depth);
    } else if (node && node->kind == FF_NODE_MAP) {
        read_entries(b, node, depth);
    }
    return node;
}

/* ---- the document ---- */

/* reads up to the beginning of a document; false at the end of the stream */
static bool next_document(builder *b, yaml_mark_t *mark) {
    yaml_event_t event;
    while (next(b, &event)) {
        yaml_event_type_t type = event.type;
        *mark = event.start_mark;
        bool tags =
            type == YAML_DOCUMENT_START_EVENT && event.data.document_start.tag_directives.start !=
                                                     event.data.document_start.tag_directives.end;
        yaml_event_delete(&event);
        if (tags) {
            ff_messages_add(b->messages, place_at(b, *mark), "tags are not allowed: '%%TAG'");
        }
        if (type == YAML_DOCUMENT_START_EVENT || type == YAML_STREAM_END_EVENT) {
            return type == YAML_DOCUMENT_START_EVENT;
        }
    }
    return false;
}

static ff_node *read_document(builder *b) {
    yaml_mark_t mark = {0};
    if (!next_document(b, &mark)) {
        if (b->status >= 0) {
            ff_messages_add(b->messages, place_at(b, (yaml_mark_t){0}), "the text is empty");
            b->status = FF_BAD_VALUE;
        }
        return NULL;
    }
    ff_node *root = read_next(b, 1);
    if (b->status >= 0 && next_document(b, &mark)) {
        ff_messages_add(b->messages, place_at(b, mark),
                        "a second document begins here; only one is allowed");
    }
    return b->status >= 0 ? root : NULL;
}

ff_status ff_tree_read(ff_tree *tree, const char *file, bool setting, const char *text,
                       size_t length, ff_messages *messages, ff_node **out) {
    builder b = {.tree = tree,
                 .file = file,
                 .setting = setting,
                 .text = text,
                 .length = length,
                 .messages = messages};
    *out = NULL;
    if (!yaml_parser_initialize(&b.parser)) {
        return FF_NO_MEMORY;
    }
    yaml_parser_set_input_string(&b.parser, (const yaml_char_t *)text, length);
    *out = read_document(&b);
    yaml_parser_delete(&b.parser);
    return b.status;
}

#else

ff_status ff_tree_read(ff_tree *tree, const char *file, bool setting, const char *text,
                       size_t length, ff_messages *messages, ff_node **out) {
    (void)tree, (void)setting, (void)text, (void)length;
    *out = NULL;
    ff_messages_add(messages, (ff_place){file, 0, 0},
                    "this build of footfall cannot read scene files: it needs libyaml (package "
                    "libyaml-dev)");
    return FF_NOT_BUILT;
}

#endif
