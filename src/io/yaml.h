/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* YAML as a tree of nodes with locations. Anchors, aliases, merge keys, tags and duplicate keys are refused. */

#include "messages.h"

typedef enum ff_node_kind {
    FF_NODE_NONE, /* nothing was written: acts as an empty map, list or text */
    FF_NODE_TEXT,
    FF_NODE_LIST,
    FF_NODE_MAP,
    FF_NODE_BAD /* invalid and already reported */
} ff_node_kind;

typedef struct ff_node ff_node;
struct ff_node {
    ff_node_kind kind;
    bool twice;         /* a duplicate that will be removed */
    const char *key;    /* of a map entry, otherwise NULL */
    bool one_line;      /* an unquoted text on one line, whose bytes have columns */
    const char *text;   /* "" if it is not a text */
    ff_place place;     /* location of the value */
    ff_place key_place; /* location of the key, or of the value if there is none */
    size_t count;       /* number of entries or items */
    ff_node *first, *last, *next;
};

/* Owns its nodes and their texts. */
typedef struct ff_tree ff_tree;

ff_tree *ff_tree_create(void);
void ff_tree_free(ff_tree *tree);

/* Parses a document into nodes of the tree. Locations have `line` and `column` unless `setting`. Errors that still allow a
 * tree are only reported in `messages`; otherwise the status is negative and *out is NULL. `file` must outlive the tree. */
ff_status ff_tree_read(ff_tree *tree, const char *file, bool setting, const char *text,
                       size_t length, ff_messages *messages, ff_node **out);

/* Adds an entry to a map; NULL if out of memory. */
ff_node *ff_tree_add(ff_tree *tree, ff_node *map, const char *key, ff_place place);

/* Allocates memory, or copies a text, with the lifetime of the tree; NULL if out of memory. */
void *ff_tree_room(ff_tree *tree, size_t size);
char *ff_tree_text(ff_tree *tree, const char *text, size_t length);

/* Copies a node and everything below it to another tree; texts are shared with the first tree, which must outlive it. NULL
 * if out of memory. */
ff_node *ff_tree_copy(ff_tree *tree, const ff_node *node);
/* Memory of a tree, bytes. */
size_t ff_tree_size(const ff_tree *tree);

/* The entry of a map, NULL if there is none. */
ff_node *ff_node_find(const ff_node *map, const char *key);

/* The sections of a scene or an inclusion as YAML without comments, one line per entry; the caller frees the text
 * (scene_text.c). */
ff_status ff_tree_print(const ff_node *root, char **out);
