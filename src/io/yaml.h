/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* YAML as a tree of nodes that know where they stand. Anchors, aliases, merge keys and tags are
 * refused, duplicate keys too. */

#include "messages.h"

typedef enum ff_node_kind {
    FF_NODE_NONE, /* nothing was written: an empty map, list or text */
    FF_NODE_TEXT,
    FF_NODE_LIST,
    FF_NODE_MAP,
    FF_NODE_BAD /* a message says what is wrong; ask no more */
} ff_node_kind;

typedef struct ff_node ff_node;
struct ff_node {
    ff_node_kind kind;
    bool twice;         /* a duplicate, on its way out */
    const char *key;    /* of an entry of a map, else NULL */
    bool one_line;      /* a text without quotes, in one line: bytes of it have columns */
    const char *text;   /* "" where it is not text */
    ff_place place;     /* of the value */
    ff_place key_place; /* of the key, or of the value where there is none */
    size_t count;       /* of the entries or items */
    ff_node *first, *last, *next;
};

/* Owns its nodes and their texts. */
typedef struct ff_tree ff_tree;

ff_tree *ff_tree_create(void);
void ff_tree_free(ff_tree *tree);

/* Reads a document into nodes of the tree. Places get `line` and `column` unless `setting`. Mistakes
 * that leave a tree are only in `messages`; where none can be made the status is negative and *out is
 * NULL. `file` must outlive the tree. */
ff_status ff_tree_read(ff_tree *tree, const char *file, bool setting, const char *text,
                       size_t length, ff_messages *messages, ff_node **out);

/* Adds an entry to a map; NULL where memory ends. */
ff_node *ff_tree_add(ff_tree *tree, ff_node *map, const char *key, ff_place place);

/* Room, or a copy of a text, that lives as long as the tree; NULL where memory ends. */
void *ff_tree_room(ff_tree *tree, size_t size);
char *ff_tree_text(ff_tree *tree, const char *text, size_t length);

/* A copy of a node and all below it, in another tree; texts are shared with the first, which must outlive it. NULL where
 * memory ends. */
ff_node *ff_tree_copy(ff_tree *tree, const ff_node *node);
/* Bytes that a tree takes. */
size_t ff_tree_size(const ff_tree *tree);

/* The entry of a map, NULL if there is none. */
ff_node *ff_node_find(const ff_node *map, const char *key);

/* The sections of a scene or an inclusion as YAML without comments, a line for each thing; the caller frees it
 * (scene_text.c). */
ff_status ff_tree_print(const ff_node *root, char **out);
