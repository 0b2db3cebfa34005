/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "num/memory.h"
#include "tree.h"
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* replace the locale's decimal point, and 1e+07 by 1e7 */
static void tidy(char *text) {
    const char *comma = localeconv()->decimal_point;
    char *point = strstr(text, comma), *e;
    if (point) {
        *point = '.';
        memmove(point + 1, point + strlen(comma), strlen(point + strlen(comma)) + 1);
    }
    e = strchr(text, 'e');
    if (e) {
        char *to = e + 1 + (e[1] == '-'), *from = e + 2 + strspn(e + 2, "0");
        memmove(to, from, strlen(from) + 1);
    }
}

const char *ff_number_print(double value, char *buf, size_t size) {
    char text[64];
    double again;
    for (int digits = 1; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        tidy(text);
        if (ff_number_read(text, &again) && again == value) {
            break;
        }
    }
    /* integers without an exponent if that is as short */
    if (strchr(text, 'e') && fabs(value) >= 1 && fabs(value) < 1e6) {
        snprintf(text, sizeof text, "%.0f", value);
    }
    snprintf(buf, size, "%s", text);
    return buf;
}

/* Precedence of a node. A quantity has a low one, so that its unit does not extend into what follows. */
enum {
    tight_comparison = 1,
    tight_sum,
    tight_quantity,
    tight_product,
    tight_unary,
    tight_power,
    tight_item
};

static bool is_quantity(const ff_expr_pool *pool, ff_expr e) {
    return ff_expr_at(pool, e)->kind == FF_EXPR_QUANTITY;
}

static int tightness(const ff_expr_pool *pool, ff_expr e) {
    switch (ff_expr_at(pool, e)->kind) {
    case FF_EXPR_QUANTITY: return tight_quantity;
    case FF_EXPR_NEGATE:
        return is_quantity(pool, ff_expr_argument(pool, e, 0)) ? tight_quantity : tight_unary;
    case FF_EXPR_ADD:
    case FF_EXPR_SUBTRACT: return tight_sum;
    case FF_EXPR_MULTIPLY:
    case FF_EXPR_DIVIDE: return tight_product;
    case FF_EXPR_POWER: return tight_power;
    case FF_EXPR_LESS:
    case FF_EXPR_LESS_EQUAL:
    case FF_EXPR_GREATER:
    case FF_EXPR_GREATER_EQUAL:
    case FF_EXPR_EQUAL:
    case FF_EXPR_NOT_EQUAL: return tight_comparison;
    case FF_EXPR_NUMBER:
    case FF_EXPR_NAME:
    case FF_EXPR_CALL:
    case FF_EXPR_VECTOR:
    case FF_EXPR_ITEM: break;
    }
    return tight_item;
}

static const char *const signs[] = {
    [FF_EXPR_ADD] = " + ",        [FF_EXPR_SUBTRACT] = " - ",       [FF_EXPR_MULTIPLY] = "*",
    [FF_EXPR_DIVIDE] = "/",       [FF_EXPR_LESS] = " < ",           [FF_EXPR_LESS_EQUAL] = " <= ",
    [FF_EXPR_GREATER] = " > ",    [FF_EXPR_GREATER_EQUAL] = " >= ", [FF_EXPR_EQUAL] = " == ",
    [FF_EXPR_NOT_EQUAL] = " != ",
};

/* An item of the output stack: a text, or a node with the required precedence. */
typedef struct piece {
    const char *text;
    ff_expr e;
    int least;
} piece;

typedef struct printer {
    const ff_expr_pool *pool;
    char *text;
    size_t length, room;
    piece *pieces;
    size_t count, piece_room;
    bool good;
} printer;

static void put(printer *p, const char *text) {
    size_t length = strlen(text);
    if (p->good && p->length + length > FF_EXPR_LENGTH) {
        p->good = false;
    }
    if (p->good && p->length + length + 1 > p->room) {
        size_t room = 2 * (p->length + length + 1);
        char *grown = ff_realloc(p->text, room);
        p->good = grown;
        p->text = grown ? grown : p->text;
        p->room = grown ? room : p->room;
    }
    if (p->good) {
        memcpy(p->text + p->length, text, length + 1);
        p->length += length;
    }
}

/* pushed in reverse order */
static void push(printer *p, piece next) {
    if (p->good && p->count == p->piece_room) {
        size_t room = p->piece_room ? 2 * p->piece_room : 64;
        piece *grown = ff_realloc(p->pieces, room * sizeof *grown);
        p->good = grown;
        p->pieces = grown ? grown : p->pieces;
        p->piece_room = grown ? room : p->piece_room;
    }
    if (p->good) {
        p->pieces[p->count++] = next;
    }
}

static void push_text(printer *p, const char *text) { push(p, (piece){.text = text}); }

static void push_node(printer *p, ff_expr e, int least) { push(p, (piece){NULL, e, least}); }

static void push_list(printer *p, ff_expr e, size_t count, const char *close) {
    push_text(p, close);
    for (size_t i = count; i-- > 0;) {
        push_node(p, ff_expr_argument(p->pool, e, i), tight_comparison);
        if (i > 0) {
            push_text(p, ", ");
        }
    }
}

static void print_node(printer *p, ff_expr e, int least) {
    static const char *const items[FF_EXPR_ITEMS] = {"[0]",  "[1]",  "[2]",  "[3]", "[4]",  "[5]",
                                                     "[6]",  "[7]",  "[8]",  "[9]", "[10]", "[11]",
                                                     "[12]", "[13]", "[14]", "[15]"};
    const ff_expr_node *node = ff_expr_at(p->pool, e);
    int tight = tightness(p->pool, e);
    char number[32];
    if (tight < least) {
        put(p, "(");
        push_text(p, ")");
    }
    switch (node->kind) {
    case FF_EXPR_NUMBER: put(p, ff_number_print(node->value, number, sizeof number)); break;
    case FF_EXPR_QUANTITY:
    case FF_EXPR_NAME: put(p, node->text); break;
    case FF_EXPR_NEGATE:
        put(p, "-");
        push_node(p, ff_expr_argument(p->pool, e, 0), tight);
        break;
    case FF_EXPR_CALL:
        put(p, node->text);
        put(p, "(");
        push_list(p, e, node->count, ")");
        break;
    case FF_EXPR_VECTOR:
        put(p, "[");
        push_list(p, e, node->count, "]");
        break;
    case FF_EXPR_ITEM: {
        ff_expr of = ff_expr_argument(p->pool, e, 0);
        push_text(p, items[(size_t)node->value]);
        push_node(p, of, tight_item + (ff_expr_at(p->pool, of)->kind == FF_EXPR_NUMBER));
        break;
    }
    case FF_EXPR_POWER:
        /* a sign or another power may follow ^ */
        push_node(p, ff_expr_argument(p->pool, e, 1), tight_unary);
        push_text(p, "^");
        push_node(p, ff_expr_argument(p->pool, e, 0), tight_item);
        break;
    default:
        /* the right operand needs a higher precedence, unless both operators are associative */
        push_node(p, ff_expr_argument(p->pool, e, 1),
                  tight == tight_sum ? tight_quantity : tight + 1);
        push_text(p, signs[node->kind]);
        push_node(p, ff_expr_argument(p->pool, e, 0),
                  tight == tight_comparison ? tight + 1 : tight);
    }
}

char *ff_expr_print(const ff_expr_pool *pool, ff_expr e) {
    printer p = {.pool = pool, .good = e > 0};
    push_node(&p, e, tight_comparison);
    while (p.good && p.count > 0) {
        piece next = p.pieces[--p.count];
        if (next.text) {
            put(&p, next.text);
        } else {
            print_node(&p, next.e, next.least);
        }
    }
    ff_free(p.pieces);
    if (!p.good) {
        ff_free(p.text);
        return NULL;
    }
    return p.text;
}
