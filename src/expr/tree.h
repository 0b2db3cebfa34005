/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* Expressions as trees. Nodes live in a pool, never change, and come after their arguments: a loop from the
 * first to the last meets arguments first, and nothing here recurses over a tree. */

#include "unit.h"
#include <footfall/status.h>
#include <stdint.h>

/* A node, by its number in its pool; 0 is none. */
typedef uint32_t ff_expr;

typedef enum ff_expr_kind {
    FF_EXPR_NUMBER,   /* without a unit; finite, not negative */
    FF_EXPR_QUANTITY, /* a number with its unit */
    FF_EXPR_NAME,
    FF_EXPR_NEGATE,
    FF_EXPR_ADD,
    FF_EXPR_SUBTRACT,
    FF_EXPR_MULTIPLY,
    FF_EXPR_DIVIDE,
    FF_EXPR_POWER,
    FF_EXPR_LESS,
    FF_EXPR_LESS_EQUAL,
    FF_EXPR_GREATER,
    FF_EXPR_GREATER_EQUAL,
    FF_EXPR_EQUAL,
    FF_EXPR_NOT_EQUAL,
    FF_EXPR_CALL,   /* of any function, known or not */
    FF_EXPR_VECTOR, /* [a, b] */
    FF_EXPR_ITEM    /* a[0] */
} ff_expr_kind;

typedef struct ff_expr_node {
    ff_expr_kind kind;
    ff_expr same;          /* the first node of the pool that is the same expression */
    uint32_t column;       /* where it was written, in bytes from 1; 0 if it was made */
    uint32_t first, count; /* its arguments: ff_expr_argument() */
    double value;          /* of numbers, in SI; which item */
    ff_dimension dim;      /* of a quantity */
    bool hertz;            /* the unit of a quantity has Hz in it */
    const char *text;      /* the name, the function, the quantity as it was written; else "" */
} ff_expr_node;

typedef struct ff_expr_pool ff_expr_pool;

/* What is wrong with an expression, and where: a column in bytes from 1, 0 where there is none. */
typedef struct ff_expr_error {
    size_t column;
    bool ambiguous; /* of a word that is a unit and a name */
    char text[320];
} ff_expr_error;

/* the limits of a text, and of a pool */
enum {
    FF_EXPR_DEPTH = 200,
    FF_EXPR_LENGTH = 1000000,
    FF_EXPR_NODES = 100000,
    FF_EXPR_POOL = 1000000,
    FF_EXPR_NAME_MOST = 63,
    FF_EXPR_ITEMS = 16 /* of a vector */
};

ff_expr_pool *ff_expr_pool_create(void);
void ff_expr_pool_free(ff_expr_pool *pool);

/* Forgets all nodes, and keeps the room. */
void ff_expr_pool_clear(ff_expr_pool *pool);

/* FF_OK, or why a node could not be made: FF_NO_MEMORY, or FF_BAD_VALUE for what has no text (a number that
 * is not finite, a name that is none, too many items) and for more than FF_EXPR_POOL nodes. */
ff_status ff_expr_pool_status(const ff_expr_pool *pool);

/* A node, as long as no other one is made. */
const ff_expr_node *ff_expr_at(const ff_expr_pool *pool, ff_expr e);
ff_expr ff_expr_argument(const ff_expr_pool *pool, ff_expr e, size_t i);

/* Reads an expression:
 *     sum     = product {(+ or -) product}, and above it one of < <= > >= == != at most
 *     product = unary {(* or /) unary}
 *     unary   = {- or +} power
 *     power   = item [^ unary]
 *     item    = (number [unit], name, name(..), (..) or [..]) {[whole number]}
 * A number directly before a unit is a quantity; its unit goes on over spaces, * and / as long as known
 * units follow. names: what is no unit there though it looks like one; such a word after * or / is an
 * error. Names with a dot in them, such as `ball.position` or `contacts.foot/floor.force`, are read as they
 * stand, the longest that fits first; such names may have any letters and any length. Returns 0 with the reason in error; what was made until then stays in the pool. */
ff_expr ff_expr_parse(ff_expr_pool *pool, const char *text, const char *const *names,
                      size_t name_count, ff_expr_error *error);

/* The text of an expression, with few parentheses, that reads as the same expression again (as long as it
 * is within the limits). The caller frees it; NULL where memory ends or the text is beyond FF_EXPR_LENGTH. */
char *ff_expr_print(const ff_expr_pool *pool, ff_expr e);

/* Makers. They return 0 where an argument is 0, or where the status of the pool says why, so that it is
 * enough to look at the end of a chain of them. A negative number becomes the negation of a positive one. */
ff_expr ff_expr_number(ff_expr_pool *pool, double value);
ff_expr ff_expr_name(ff_expr_pool *pool, const char *name);
ff_expr ff_expr_negate(ff_expr_pool *pool, ff_expr a);
ff_expr ff_expr_binary(ff_expr_pool *pool, ff_expr_kind kind, ff_expr a, ff_expr b);
ff_expr ff_expr_call(ff_expr_pool *pool, const char *function, const ff_expr *arguments,
                     size_t count);
ff_expr ff_expr_vector(ff_expr_pool *pool, const ff_expr *items, size_t count);
ff_expr ff_expr_item(ff_expr_pool *pool, ff_expr vector, size_t index);

/* Whether two expressions of a pool are the same, wherever they were written. */
bool ff_expr_same(const ff_expr_pool *pool, ff_expr a, ff_expr b);

/* Calls visit for every node of an expression once, arguments first, until it says false. Returns whether
 * it never did; false where memory ends, too. visit may make nodes, which are not visited. */
typedef bool ff_expr_visitor(const ff_expr_pool *pool, ff_expr e, void *user);
bool ff_expr_walk(const ff_expr_pool *pool, ff_expr e, ff_expr_visitor *visit, void *user);

/* The same expression with each part that is the same as from[i] replaced by to[i]; what is put in is not
 * looked at again, except that an item of a vector becomes that item. Nodes that stand for written ones keep their
 * columns. */
ff_expr ff_expr_replace(ff_expr_pool *pool, ff_expr e, const ff_expr *from, const ff_expr *to,
                        size_t count);

/* A name that ff_expr_parse() reads only with a dot in it, or not at all. */
ff_expr ff_expr_path(ff_expr_pool *pool, const char *name);

/* The same expression in another pool. */
ff_expr ff_expr_copy(ff_expr_pool *pool, const ff_expr_pool *from, ff_expr e);

/* The calls of a function in an expression, arguments first: how many there are, and the first `room` of
 * them. */
size_t ff_expr_calls(const ff_expr_pool *pool, ff_expr e, const char *function, ff_expr *found,
                     size_t room);

/* Whether a text can be a name: letters, digits and _, no digit first, not too long. */
bool ff_expr_is_name(const char *text);

/* Whether a name stands in an expression. */
bool ff_expr_has(const ff_expr_pool *pool, ff_expr e, const char *name);

/* For the reader of texts: the same makers with a column, and a quantity. */
ff_expr ff_expr_make(ff_expr_pool *pool, ff_expr_node node, const ff_expr *arguments);
size_t ff_expr_pool_count(const ff_expr_pool *pool);
