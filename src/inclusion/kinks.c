/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "kinks.h"
#include "num/memory.h"
#include <stdlib.h>
#include <string.h>

typedef struct {
    ff_expr_pool *pool;
    ff_change (*change)(const void *user, const char *name);
    const void *user;
    ff_kink *found;
    size_t count, room;
    ff_change most; /* of the current expression */
    ff_status status;
} search;

static bool note_change(const ff_expr_pool *pool, ff_expr e, void *user) {
    search *s = user;
    const ff_expr_node *node = ff_expr_at(pool, e);
    if (node->kind == FF_EXPR_NAME) {
        ff_change change = s->change(s->user, node->text);
        s->most = change > s->most ? change : s->most;
    }
    return true;
}

static void add(search *s, ff_expr e, bool jumps) {
    if (!e) {
        s->status = ff_expr_pool_status(s->pool);
        return;
    }
    s->most = FF_CHANGES_NEVER;
    if (!ff_expr_walk(s->pool, e, note_change, s)) {
        s->status = FF_NO_MEMORY;
        return;
    }
    if (s->most == FF_CHANGES_NEVER) {
        return;
    }
    for (size_t i = 0; i < s->count; i++) {
        if (ff_expr_same(s->pool, s->found[i].is, e)) {
            s->found[i].jumps = s->found[i].jumps || jumps;
            return;
        }
    }
    if (s->count == s->room) {
        s->room = s->room ? 2 * s->room : 16;
        ff_kink *grown = ff_realloc(s->found, s->room * sizeof *grown);
        if (!grown) {
            s->status = FF_NO_MEMORY;
            return;
        }
        s->found = grown;
    }
    s->found[s->count++] = (ff_kink){.is = e,
                                     .of_time = s->most == FF_CHANGES_BY_TIME,
                                     .jumps = jumps,
                                     .of_forces = s->most == FF_CHANGES_WITH_FORCES};
}

static bool is_zero(const ff_expr_pool *pool, ff_expr e) {
    const ff_expr_node *node = ff_expr_at(pool, e);
    return node->kind <= FF_EXPR_QUANTITY && node->value == 0;
}

/* a - b, omitting zeros */
static void add_difference(search *s, ff_expr a, ff_expr b, bool jumps) {
    add(s,
        is_zero(s->pool, b)   ? a
        : is_zero(s->pool, a) ? b
                              : ff_expr_binary(s->pool, FF_EXPR_SUBTRACT, a, b),
        jumps);
}

static bool look(const ff_expr_pool *pool, ff_expr e, void *user) {
    search *s = user;
    const ff_expr_node node = *ff_expr_at(pool, e);
    const bool call = node.kind == FF_EXPR_CALL;
    if (node.kind >= FF_EXPR_LESS && node.kind <= FF_EXPR_GREATER_EQUAL) {
        add_difference(s, ff_expr_argument(pool, e, 0), ff_expr_argument(pool, e, 1), true);
    } else if (call && (strcmp(node.text, "abs") == 0 || strcmp(node.text, "sign") == 0)) {
        add(s, ff_expr_argument(pool, e, 0), node.text[0] == 's');
    } else if (call && (strcmp(node.text, "min") == 0 || strcmp(node.text, "max") == 0)) {
        /* max(a, b, c) is max(max(a, b), c) */
        ff_expr first = ff_expr_argument(pool, e, 0);
        for (uint32_t i = 1; i < node.count && s->status == FF_OK; i++) {
            ff_expr next = ff_expr_argument(pool, e, i);
            add_difference(s, first, next, false);
            if (i + 1 < node.count) {
                first = ff_expr_call(s->pool, node.text, (ff_expr[]){first, next}, 2);
                s->status = first ? s->status : ff_expr_pool_status(s->pool);
            }
        }
    }
    return s->status == FF_OK;
}

ff_status ff_kinks_find(ff_expr_pool *pool, const ff_expr *expressions, size_t count,
                        ff_change (*change)(const void *user, const char *name), const void *user,
                        ff_kink **out, size_t *out_count) {
    search s = {.pool = pool, .change = change, .user = user};
    for (size_t i = 0; i < count && s.status == FF_OK; i++) {
        if (!ff_expr_walk(pool, expressions[i], look, &s) && s.status == FF_OK) {
            s.status = FF_NO_MEMORY;
        }
    }
    if (s.status < 0) {
        ff_free(s.found);
        s.found = NULL;
        s.count = 0;
    }
    *out = s.found;
    *out_count = s.count;
    return s.status;
}
