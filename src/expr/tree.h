/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* Expressions as trees. Nodes are stored in a pool, are immutable, and come after their arguments: a loop from the first to
 * the last visits arguments first, and no function recurses over a tree. */

#include "unit.h"
#include <footfall/status.h>
#include <stdint.h>

/* The index of a node in its pool; 0: none. */
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
    FF_EXPR_CALL,   /* a call of any function, known or not */
    FF_EXPR_VECTOR, /* [a, b] */
    FF_EXPR_ITEM    /* a[0] */
} ff_expr_kind;

typedef struct ff_expr_node {
    ff_expr_kind kind;
    ff_expr same;    /* the first node of the pool with the same expression */
    uint32_t column; /* position in the source text in bytes, from 1; 0 if it was constructed */
    uint32_t first, count; /* arguments, see ff_expr_argument() */
    double value;          /* of numbers, in SI; of an item, its index */
    ff_dimension dim;      /* dimension of a quantity */
    bool hertz;            /* the unit of a quantity contains Hz */
    const char *text;      /* the name, the function, or the quantity as written; otherwise "" */
} ff_expr_node;

typedef struct ff_expr_pool ff_expr_pool;

/* What is wrong with an expression, and where: a column in bytes from 1, 0 if unknown. */
typedef struct ff_expr_error {
    size_t column;
    bool ambiguous; /* a word could be a unit or a name */
    char text[320];
} ff_expr_error;

/* limits of a text and of a pool */
enum {
    FF_EXPR_DEPTH = 200,
    FF_EXPR_LENGTH = 1000000,
    FF_EXPR_NODES = 100000,
    FF_EXPR_POOL = 1000000,
    FF_EXPR_NAME_MOST = 63,
    FF_EXPR_ITEMS = 16 /* components of a vector */
};

ff_expr_pool *ff_expr_pool_create(void);
void ff_expr_pool_free(ff_expr_pool *pool);

/* Removes all nodes and keeps the memory. */
void ff_expr_pool_clear(ff_expr_pool *pool);

/* FF_OK, or why a node could not be made: FF_NO_MEMORY, or FF_BAD_VALUE for something that cannot be written as text (a
 * number that is not finite, an invalid name, too many items) and for more than FF_EXPR_POOL nodes. */
ff_status ff_expr_pool_status(const ff_expr_pool *pool);

/* A node; valid until another one is made. */
const ff_expr_node *ff_expr_at(const ff_expr_pool *pool, ff_expr e);
ff_expr ff_expr_argument(const ff_expr_pool *pool, ff_expr e, size_t i);

/* Parses an expression:
 *     sum     = product {(+ or -) product}, with at most one of < <= > >= == != between two sums
 *     product = unary {(* or /) unary}
 *     unary   = {- or +} power
 *     power   = item [^ unary]
 *     item    = (number [unit], name, name(..), (..) or [..]) {[integer]}
 * A number directly before a unit is a quantity; its unit extends over spaces, * and / as long as known units follow.
 * names: words that are names and not units although they look like one; such a word after * or / is an error. Names with a
 * dot, such as `ball.position` or `contacts.foot/floor.force`, are matched as a whole, the longest first; they may contain
 * any characters and have any length. Returns 0 with the reason in error; nodes made until then stay in the pool. */
ff_expr ff_expr_parse(ff_expr_pool *pool, const char *text, const char *const *names,
                      size_t name_count, ff_expr_error *error);

/* The text of an expression, with few parentheses, which parses to the same expression again (within the limits). The
 * caller frees it; NULL if out of memory or if the text is longer than FF_EXPR_LENGTH. */
char *ff_expr_print(const ff_expr_pool *pool, ff_expr e);

/* Constructors. They return 0 if an argument is 0 or on failure, see the status of the pool, so that it is enough to check
 * the end of a chain of calls. A negative number becomes the negation of a positive one. */
ff_expr ff_expr_number(ff_expr_pool *pool, double value);
ff_expr ff_expr_name(ff_expr_pool *pool, const char *name);
ff_expr ff_expr_negate(ff_expr_pool *pool, ff_expr a);
ff_expr ff_expr_binary(ff_expr_pool *pool, ff_expr_kind kind, ff_expr a, ff_expr b);
ff_expr ff_expr_call(ff_expr_pool *pool, const char *function, const ff_expr *arguments,
                     size_t count);
ff_expr ff_expr_vector(ff_expr_pool *pool, const ff_expr *items, size_t count);
ff_expr ff_expr_item(ff_expr_pool *pool, ff_expr vector, size_t index);

/* Whether two expressions of a pool are equal, wherever they were written. */
bool ff_expr_same(const ff_expr_pool *pool, ff_expr a, ff_expr b);

/* Calls visit for every node of an expression once, arguments first, until it returns false. Returns whether it never did;
 * also false if out of memory. visit may make nodes, which are not visited. */
typedef bool ff_expr_visitor(const ff_expr_pool *pool, ff_expr e, void *user);
bool ff_expr_walk(const ff_expr_pool *pool, ff_expr e, ff_expr_visitor *visit, void *user);

/* The expression with each part that equals from[i] replaced by to[i]; replacements are not examined again, except that an
 * item of a vector becomes that item. Nodes keep the columns of the ones they replace. */
ff_expr ff_expr_replace(ff_expr_pool *pool, ff_expr e, const ff_expr *from, const ff_expr *to,
                        size_t count);

/* A name that ff_expr_parse() accepts only with a dot, or not at all. */
ff_expr ff_expr_path(ff_expr_pool *pool, const char *name);

/* Copies an expression to another pool. */
ff_expr ff_expr_copy(ff_expr_pool *pool, const ff_expr_pool *from, ff_expr e);

/* The calls of a function in an expression, arguments first: their number, and the first `room` of them. */
size_t ff_expr_calls(const ff_expr_pool *pool, ff_expr e, const char *function, ff_expr *found,
                     size_t room);

/* Whether a text is a valid name: letters, digits and _, no digit first, not too long. */
bool ff_expr_is_name(const char *text);

/* Whether a name occurs in an expression. */
bool ff_expr_has(const ff_expr_pool *pool, ff_expr e, const char *name);

/* For the parser: constructors with a column, and of a quantity. */
ff_expr ff_expr_make(ff_expr_pool *pool, ff_expr_node node, const ff_expr *arguments);
size_t ff_expr_pool_count(const ff_expr_pool *pool);
