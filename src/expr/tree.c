/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "tree.h"
#include "num/memory.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Texts are allocated from chunks, which are freed together. */
enum { chunk_size = 4096 };

typedef struct chunk {
    struct chunk *before;
    size_t used, room;
    char bytes[];
} chunk;

struct ff_expr_pool {
    ff_expr_node *nodes; /* node 0 is unused */
    size_t count, room;
    ff_expr *arguments;
    size_t argument_count, argument_room;
    ff_expr *table; /* hash table of nodes that are the first of their kind */
    size_t table_room;
    chunk *texts;
    ff_status status;
};

/* ---- the pool ---- */

ff_expr_pool *ff_expr_pool_create(void) {
    ff_expr_pool *pool = ff_calloc(1, sizeof *pool);
    if (pool) {
        pool->count = 1;
    }
    return pool;
}

static void free_texts(ff_expr_pool *pool) {
    while (pool->texts) {
        chunk *before = pool->texts->before;
        ff_free(pool->texts);
        pool->texts = before;
    }
}

void ff_expr_pool_free(ff_expr_pool *pool) {
    if (!pool) {
        return;
    }
    free_texts(pool);
    ff_free(pool->nodes);
    ff_free(pool->arguments);
    ff_free(pool->table);
    ff_free(pool);
}

void ff_expr_pool_clear(ff_expr_pool *pool) {
    free_texts(pool);
    pool->count = 1;
    pool->argument_count = 0;
    pool->status = FF_OK;
    if (pool->table) {
        memset(pool->table, 0, pool->table_room * sizeof *pool->table);
    }
}

ff_status ff_expr_pool_status(const ff_expr_pool *pool) { return pool->status; }

size_t ff_expr_pool_count(const ff_expr_pool *pool) { return pool->count - 1; }

const ff_expr_node *ff_expr_at(const ff_expr_pool *pool, ff_expr e) { return &pool->nodes[e]; }

ff_expr ff_expr_argument(const ff_expr_pool *pool, ff_expr e, size_t i) {
    return pool->arguments[pool->nodes[e].first + i];
}

static ff_expr refuse(ff_expr_pool *pool, ff_status status) {
    if (pool->status == FF_OK) {
        pool->status = status;
    }
    return 0;
}

/* makes room in a list */
static bool grow(void **at, size_t wanted, size_t *room, size_t size) {
    if (wanted <= *room) {
        return true;
    }
    size_t more = *room ? 2 * *room : 64;
    more = more < wanted ? wanted : more;
    void *grown = ff_realloc(*at, more * size);
    if (!grown) {
        return false;
    }
    *at = grown;
    *room = more;
    return true;
}

static const char *keep_text(ff_expr_pool *pool, const char *text) {
    size_t size = strlen(text) + 1;
    if (size == 1) {
        return "";
    }
    if (!pool->texts || pool->texts->room - pool->texts->used < size) {
        size_t room = size > chunk_size ? size : chunk_size;
        chunk *made = ff_malloc(sizeof *made + room);
        if (!made) {
            return NULL;
        }
        *made = (chunk){.before = pool->texts, .room = room};
        pool->texts = made;
    }
    char *copy = memcpy(pool->texts->bytes + pool->texts->used, text, size);
    pool->texts->used += size;
    return copy;
}

/* ---- equality of expressions ---- */

static uint64_t mix(uint64_t hash, uint64_t more) {
    hash = (hash ^ more) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 29;
}

static uint64_t hash_of(const ff_expr_pool *pool, const ff_expr_node *node,
                        const ff_expr *arguments) {
    uint64_t bits, hash = mix((uint64_t)node->kind, node->count);
    memcpy(&bits, &node->value, sizeof bits);
    hash = mix(hash, bits);
    for (const char *at = node->text; *at; at++) {
        hash = mix(hash, (unsigned char)*at);
    }
    for (size_t i = 0; i < node->count; i++) {
        hash = mix(hash, pool->nodes[arguments[i]].same);
    }
    return hash;
}

/* Quantities are equal if they are written equally, since they are printed as written. */
static bool is_same(const ff_expr_pool *pool, const ff_expr_node *a, const ff_expr_node *b,
                    const ff_expr *b_arguments) {
    if (a->kind != b->kind || a->count != b->count || a->value != b->value ||
        strcmp(a->text, b->text) != 0) {
        return false;
    }
    for (size_t i = 0; i < a->count; i++) {
        if (pool->nodes[pool->arguments[a->first + i]].same != pool->nodes[b_arguments[i]].same) {
            return false;
        }
    }
    return true;
}

/* the position in the table for a node: of the first equal one, or an empty one */
static ff_expr *place_of(const ff_expr_pool *pool, const ff_expr_node *node,
                         const ff_expr *arguments) {
    size_t at = (size_t)hash_of(pool, node, arguments) & (pool->table_room - 1);
    while (pool->table[at] && !is_same(pool, &pool->nodes[pool->table[at]], node, arguments)) {
        at = (at + 1) & (pool->table_room - 1);
    }
    return &pool->table[at];
}

/* keeps the table at most half full */
static bool grow_table(ff_expr_pool *pool) {
    if (2 * pool->count < pool->table_room) {
        return true;
    }
    size_t room = pool->table_room ? 2 * pool->table_room : 256;
    ff_expr *table = ff_calloc(room, sizeof *table);
    if (!table) {
        return false;
    }
    ff_free(pool->table);
    pool->table = table;
    pool->table_room = room;
    for (ff_expr e = 1; e < pool->count; e++) {
        if (pool->nodes[e].same == e) {
            const ff_expr_node *node = &pool->nodes[e];
            *place_of(pool, node, pool->arguments + node->first) = e;
        }
    }
    return true;
}

bool ff_expr_same(const ff_expr_pool *pool, ff_expr a, ff_expr b) {
    return pool->nodes[a].same == pool->nodes[b].same;
}

/* ---- constructors ---- */

ff_expr ff_expr_make(ff_expr_pool *pool, ff_expr_node node, const ff_expr *arguments) {
    for (size_t i = 0; i < node.count; i++) {
        if (arguments[i] == 0) {
            return 0;
        }
    }
    if (pool->count > FF_EXPR_POOL) {
        return refuse(pool, FF_BAD_VALUE);
    }
    /* arguments may be part of the list that grows */
    ff_expr few[FF_EXPR_ITEMS], *kept = few;
    if (node.count > FF_EXPR_ITEMS && !(kept = ff_malloc(node.count * sizeof *kept))) {
        return refuse(pool, FF_NO_MEMORY);
    }
    if (node.count) {
        memcpy(kept, arguments, node.count * sizeof *kept);
    }
    node.text = node.text ? node.text : "";
    ff_expr made = 0;
    if (grow((void **)&pool->nodes, pool->count + 1, &pool->room, sizeof *pool->nodes) &&
        grow((void **)&pool->arguments, pool->argument_count + node.count + 1, &pool->argument_room,
             sizeof *pool->arguments) &&
        grow_table(pool)) {
        ff_expr *place = place_of(pool, &node, kept);
        made = (ff_expr)pool->count;
        node.text = *place ? pool->nodes[*place].text : keep_text(pool, node.text);
        made = node.text ? made : 0;
        if (made) {
            *place = *place ? *place : made;
            node.same = *place;
            node.first = (uint32_t)pool->argument_count;
            if (node.count) {
                memcpy(pool->arguments + node.first, kept, node.count * sizeof *kept);
            }
            pool->argument_count += node.count;
            pool->nodes[pool->count++] = node;
        }
    }
    if (kept != few) {
        ff_free(kept);
    }
    return made ? made : refuse(pool, FF_NO_MEMORY);
}

bool ff_expr_is_name(const char *text) {
    size_t length = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
    return length > 0 && length <= FF_EXPR_NAME_MOST && text[length] == '\0' &&
           !(*text >= '0' && *text <= '9');
}

ff_expr ff_expr_number(ff_expr_pool *pool, double value) {
    if (!isfinite(value)) {
        return refuse(pool, FF_BAD_VALUE);
    }
    ff_expr e =
        ff_expr_make(pool, (ff_expr_node){.kind = FF_EXPR_NUMBER, .value = fabs(value)}, NULL);
    return signbit(value) ? ff_expr_negate(pool, e) : e;
}

ff_expr ff_expr_name(ff_expr_pool *pool, const char *name) {
    if (!ff_expr_is_name(name)) {
        return refuse(pool, FF_BAD_VALUE);
    }
    return ff_expr_make(pool, (ff_expr_node){.kind = FF_EXPR_NAME, .text = name}, NULL);
}

ff_expr ff_expr_path(ff_expr_pool *pool, const char *name) {
    return ff_expr_make(pool, (ff_expr_node){.kind = FF_EXPR_NAME, .text = name}, NULL);
}

ff_expr ff_expr_negate(ff_expr_pool *pool, ff_expr a) {
    return ff_expr_make(pool, (ff_expr_node){.kind = FF_EXPR_NEGATE, .count = 1}, &a);
}

ff_expr ff_expr_binary(ff_expr_pool *pool, ff_expr_kind kind, ff_expr a, ff_expr b) {
    return ff_expr_make(pool, (ff_expr_node){.kind = kind, .count = 2}, (ff_expr[]){a, b});
}

ff_expr ff_expr_call(ff_expr_pool *pool, const char *function, const ff_expr *arguments,
                     size_t count) {
    if (!ff_expr_is_name(function) || count == 0 || count > FF_EXPR_POOL) {
        return refuse(pool, FF_BAD_VALUE);
    }
    return ff_expr_make(
        pool, (ff_expr_node){.kind = FF_EXPR_CALL, .text = function, .count = (uint32_t)count},
        arguments);
}

ff_expr ff_expr_vector(ff_expr_pool *pool, const ff_expr *items, size_t count) {
    if (count < 2 || count > FF_EXPR_ITEMS) {
        return refuse(pool, FF_BAD_VALUE);
    }
    return ff_expr_make(pool, (ff_expr_node){.kind = FF_EXPR_VECTOR, .count = (uint32_t)count},
                        items);
}

ff_expr ff_expr_item(ff_expr_pool *pool, ff_expr vector, size_t index) {
    if (index >= FF_EXPR_ITEMS) {
        return refuse(pool, FF_BAD_VALUE);
    }
    return ff_expr_make(
        pool, (ff_expr_node){.kind = FF_EXPR_ITEM, .value = (double)index, .count = 1}, &vector);
}

/* ---- traversal ---- */

/* marks the nodes up to e that are part of it; NULL if out of memory */
static bool *parts_of(const ff_expr_pool *pool, ff_expr e) {
    bool *part = ff_calloc((size_t)e + 1, sizeof *part);
    if (!part) {
        return NULL;
    }
    part[e] = e > 0;
    for (ff_expr i = e; i > 0; i--) {
        for (size_t j = 0; part[i] && j < pool->nodes[i].count; j++) {
            part[pool->arguments[pool->nodes[i].first + j]] = true;
        }
    }
    return part;
}

bool ff_expr_walk(const ff_expr_pool *pool, ff_expr e, ff_expr_visitor *visit, void *user) {
    bool *part = parts_of(pool, e), good = part;
    for (ff_expr i = 1; good && i <= e; i++) {
        good = !part[i] || visit(pool, i, user);
    }
    ff_free(part);
    return good;
}

/* Rebuilds the parts of an expression, possibly in another pool. */
static ff_expr rebuild(ff_expr_pool *pool, const ff_expr_pool *source, ff_expr e,
                       const ff_expr *from, const ff_expr *to, size_t count) {
    bool *part = parts_of(source, e);
    ff_expr *made = ff_calloc((size_t)e + 1, sizeof *made), result = 0;
    ff_expr *arguments = ff_calloc(source->argument_count + 1, sizeof *arguments);
    bool good = part && made && arguments;
    for (ff_expr i = 1; good && i <= e; i++) {
        if (!part[i]) {
            continue;
        }
        ff_expr_node node = source->nodes[i];
        bool changed = pool != source;
        for (size_t j = 0; j < count && !made[i]; j++) {
            made[i] = node.same == source->nodes[from[j]].same ? to[j] : 0;
        }
        for (size_t j = 0; j < node.count; j++) {
            ff_expr old = source->arguments[node.first + j];
            arguments[j] = made[old];
            changed = changed || made[old] != old;
        }
        if (!made[i] && changed && count > 0 && node.kind == FF_EXPR_ITEM) {
            /* an item of a substituted vector is replaced by that item itself */
            const ff_expr_node *of = &pool->nodes[arguments[0]];
            if (of->kind == FF_EXPR_VECTOR && node.value < of->count) {
                made[i] = pool->arguments[of->first + (size_t)node.value];
            }
        }
        if (!made[i]) {
            made[i] = changed ? ff_expr_make(pool, node, arguments) : i;
        }
        good = made[i] != 0;
    }
    if (good) {
        result = made[e];
    } else if (pool->status == FF_OK) {
        refuse(pool, FF_NO_MEMORY);
    }
    ff_free(part);
    ff_free(made);
    ff_free(arguments);
    return result;
}

ff_expr ff_expr_replace(ff_expr_pool *pool, ff_expr e, const ff_expr *from, const ff_expr *to,
                        size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (from[i] == 0 || to[i] == 0) {
            return 0;
        }
    }
    return e ? rebuild(pool, pool, e, from, to, count) : 0;
}

ff_expr ff_expr_copy(ff_expr_pool *pool, const ff_expr_pool *from, ff_expr e) {
    return pool == from || e == 0 ? e : rebuild(pool, from, e, NULL, NULL, 0);
}

/* ---- search ---- */

typedef struct search {
    ff_expr_kind kind;
    const char *text;
    ff_expr *found;
    size_t count, room;
} search;

static bool look(const ff_expr_pool *pool, ff_expr e, void *user) {
    search *s = user;
    const ff_expr_node *node = ff_expr_at(pool, e);
    if (node->kind == s->kind && strcmp(node->text, s->text) == 0) {
        if (s->count < s->room) {
            s->found[s->count] = e;
        }
        s->count++;
    }
    return true;
}

size_t ff_expr_calls(const ff_expr_pool *pool, ff_expr e, const char *function, ff_expr *found,
                     size_t room) {
    search s = {FF_EXPR_CALL, function, found, 0, room};
    ff_expr_walk(pool, e, look, &s);
    return s.count;
}

bool ff_expr_has(const ff_expr_pool *pool, ff_expr e, const char *name) {
    search s = {FF_EXPR_NAME, name, NULL, 0, 0};
    ff_expr_walk(pool, e, look, &s);
    return s.count > 0;
}
