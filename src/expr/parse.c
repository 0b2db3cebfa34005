/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "num/memory.h"
#include "tree.h"
#include "word.h"
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* longer than 400 digits, an exponent and a unit */
enum { quantity_most = 600, unit_depth = 8 };

typedef struct reader {
    ff_expr_pool *pool;
    const char *text, *at;
    const char *const *names; /* names that are not units after * and / */
    size_t name_count;
    int depth;
    size_t before; /* number of nodes in the pool when this text began */
    ff_expr_error *error;
} reader;

__attribute__((format(printf, 3, 4))) static ff_expr fail(reader *r, const char *at,
                                                          const char *format, ...) {
    va_list list;
    va_start(list, format);
    r->error->column = (size_t)(at - r->text) + 1;
    vsnprintf(r->error->text, sizeof r->error->text, format, list);
    va_end(list);
    return 0;
}

static uint32_t column(const reader *r, const char *at) { return (uint32_t)(at - r->text) + 1; }

static const char *skip(const char *at) { return at + strspn(at, " \t\r\n"); }

#define WORD "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"
#define PATH WORD "."

static bool starts_word(char c) { return isalpha((unsigned char)c) || c == '_'; }

static size_t word_length(const char *at) { return starts_word(*at) ? strspn(at, WORD) : 0; }

/* length of the word or character at a position, for messages */
static int shown(const char *at) {
    size_t length = word_length(at);
    if (length == 0 && *at) {
        do {
            length++;
        } while (length < 4 && ((unsigned char)at[length] & 0xc0) == 0x80);
    }
    return length > 40 ? 40 : (int)length;
}

static ff_expr made(reader *r, const char *at, ff_expr_node node, const ff_expr *arguments) {
    node.column = column(r, at);
    if (ff_expr_pool_count(r->pool) - r->before >= FF_EXPR_NODES) {
        return fail(r, at, "this has more than %d parts", FF_EXPR_NODES);
    }
    ff_expr e = ff_expr_make(r->pool, node, arguments);
    return e ? e : fail(r, at, "%s", ff_status_text(ff_expr_pool_status(r->pool)));
}

/* ---- numbers with units ---- */

/* The end of an exponent after ^; NULL if it is not a number. */
static const char *skip_exponent(const char *at) {
    double value;
    if (*at == '(') {
        at += 1 + strspn(at + 1, "0123456789.+-*/ ");
        return *at == ')' ? at + 1 : NULL;
    }
    at += *at == '+' || *at == '-';
    return isdigit((unsigned char)*at) || *at == '.' ? ff_number_read(at, &value) : NULL;
}

/* State of a scan over the factors of a unit. */
typedef struct unit_way {
    const char *end;       /* end of the unit so far */
    const char *ambiguous; /* a name after * or /, or NULL */
    const char *sign;      /* the operator before it */
    const char *exponent;  /* an invalid exponent, or NULL */
} unit_way;

static bool is_name(const reader *r, const char *at, size_t length) {
    for (size_t i = 0; i < r->name_count; i++) {
        if (strncmp(r->names[i], at, length) == 0 && r->names[i][length] == '\0') {
            return true;
        }
    }
    return false;
}

static bool skip_product(const reader *r, const char *at, const char *sign, int depth,
                         unit_way *way);

/* a unit's name or (product), with its exponent; a name before a parenthesis is a function */
static bool skip_factor(const reader *r, const char *at, const char *sign, int depth,
                        unit_way *way) {
    size_t length = ff_unit_word(at);
    if (length > 0) {
        if (*skip(at + length) == '(') {
            return false;
        }
        if (sign && is_name(r, at, length)) {
            way->ambiguous = at;
            way->sign = sign;
        }
        way->end = at + length;
    } else if (*at == '(' && sign && depth < unit_depth) {
        unit_way inner = {0};
        if (!skip_product(r, skip(at + 1), sign, depth + 1, &inner) || *skip(inner.end) != ')') {
            return false;
        }
        *way = inner;
        way->end = skip(inner.end) + 1;
    } else {
        return false;
    }
    if (*way->end == '^') {
        const char *end = skip_exponent(way->end + 1);
        way->exponent = end ? way->exponent : way->end + 1;
        way->end = end ? end : way->end + 1;
    }
    return true;
}

/* factors joined by spaces, * or /, as long as they are units */
static bool skip_product(const reader *r, const char *at, const char *sign, int depth,
                         unit_way *way) {
    if (!skip_factor(r, at, sign, depth, way)) {
        return false;
    }
    while (!way->ambiguous && !way->exponent) {
        const char *next = skip(way->end);
        size_t length = *next == '/' ? 1 : ff_unit_times(next);
        sign = length ? next : NULL;
        if ((!sign && next == way->end) || !skip_factor(r, skip(next + length), sign, depth, way)) {
            break;
        }
    }
    return true;
}

/* A number with an optional unit. */
static ff_expr read_number(reader *r) {
    const char *start = r->at;
    double value;
    const char *end = ff_number_read(start, &value);
    if (!end) {
        return *start == '.' ? fail(r, start, "'.' is not a number")
                             : fail(r, start, "a number has more than 400 digits");
    }
    const char *unit = skip(end);
    unit_way way = {.end = end};
    bool micro = strncmp(unit, "\xc2\xb5", 2) == 0 || strncmp(unit, "\xce\xbc", 2) == 0;
    if ((starts_word(*unit) || micro) && !skip_product(r, unit, NULL, 0, &way)) {
        size_t word = word_length(unit);
        bool call = ff_unit_word(unit) || *skip(unit + word) == '(' || is_name(r, unit, word);
        return call ? fail(r, unit, "an operator is missing before '%.*s'", shown(unit), unit)
                    : fail(r, unit, "unknown unit '%.*s'", shown(unit), unit);
    }
    if (way.ambiguous) {
        int length = (int)ff_unit_word(way.ambiguous);
        r->error->ambiguous = true;
        return fail(r, way.ambiguous,
                    "'%.*s' is a unit and a name: write (%.*s)%c%.*s for the name, or rename it",
                    length, way.ambiguous, (int)(way.sign - start), start,
                    *way.sign == '/' ? '/' : '*', length, way.ambiguous);
    }
    if (way.exponent) {
        return fail(r, way.exponent, "the exponent of a unit must be a number");
    }
    char copy[quantity_most], why[256];
    size_t length = (size_t)(way.end - start);
    ff_quantity q;
    if (length >= sizeof copy) {
        return fail(r, start, "a number and its unit are longer than %d bytes", quantity_most - 1);
    }
    memcpy(copy, start, length);
    copy[length] = '\0';
    if (ff_quantity_read(copy, &q, why, sizeof why) < 0) {
        return fail(r, start, "%s", why);
    }
    r->at = way.end;
    return made(r, start,
                (ff_expr_node){.kind = q.has_unit ? FF_EXPR_QUANTITY : FF_EXPR_NUMBER,
                               .value = q.value,
                               .dim = q.dim,
                               .hertz = q.hertz,
                               .text = q.has_unit ? copy : ""},
                NULL);
}

/* ---- the grammar ---- */

static ff_expr read_comparison(reader *r);

/* A list up to its closing bracket; the caller frees the items. */
static bool read_list(reader *r, const char *open, char close, ff_expr **items, size_t *count) {
    size_t room = 0;
    *items = NULL;
    *count = 0;
    r->at = skip(open + 1);
    if (*r->at == close) {
        r->at++;
        return true;
    }
    for (;;) {
        ff_expr item = read_comparison(r);
        if (!item) {
            return false;
        }
        if (*count == room) {
            room = room ? 2 * room : 4;
            ff_expr *grown = ff_realloc(*items, room * sizeof **items);
            if (!grown) {
                return fail(r, r->at, "%s", ff_status_text(FF_NO_MEMORY));
            }
            *items = grown;
        }
        (*items)[(*count)++] = item;
        r->at = skip(r->at);
        if (*r->at == close) {
            r->at++;
            return true;
        }
        if (*r->at != ',') {
            return *r->at ? fail(r, r->at, "',' or '%c' is missing before '%.*s'", close,
                                 shown(r->at), r->at)
                          : fail(r, open, "this '%c' has no matching '%c'", *open, close);
        }
        r->at = skip(r->at + 1);
    }
}

/* The longest name with a dot at a position, such as `ball.position`; NULL: none. */
static const char *path_at(const reader *r, const char *at) {
    const char *best = NULL;
    size_t most = 0;
    for (size_t i = 0; i < r->name_count; i++) {
        const char *name = r->names[i];
        size_t length = strlen(name);
        if (length > most && strchr(name, '.') && strncmp(at, name, length) == 0 &&
            !starts_word(at[length]) && !isdigit((unsigned char)at[length]) &&
            !(at[length] == '.' && starts_word(at[length + 1]))) {
            best = name;
            most = length;
        }
    }
    return best;
}

/* reports an unknown path with the nearest known one */
static ff_expr refuse_path(reader *r, const char *at) {
    const size_t length = strspn(at, strncmp(at, "contacts.", 9) == 0 ? PATH "/" : PATH);
    char path[160];
    snprintf(path, sizeof path, "%.*s", length < 150 ? (int)length : 150, at);
    const char *near = ff_word_nearest(path, r->names, r->name_count);
    return near ? fail(r, at, "unknown name '%.100s' (did you mean '%.100s'?)", path, near)
                : fail(r, at, "unknown name '%.100s'", path);
}

static ff_expr read_word(reader *r) {
    const char *start = r->at, *open, *path = path_at(r, start);
    size_t length = word_length(start), count;
    char word[FF_EXPR_NAME_MOST + 1];
    if (path) {
        r->at += strlen(path);
        return made(r, start, (ff_expr_node){.kind = FF_EXPR_NAME, .text = path}, NULL);
    }
    if (start[length] == '.' && starts_word(start[length + 1])) {
        return refuse_path(r, start);
    }
    if (length > FF_EXPR_NAME_MOST) {
        return fail(r, start, "a name is longer than %d letters", FF_EXPR_NAME_MOST);
    }
    memcpy(word, start, length);
    word[length] = '\0';
    r->at += length;
    open = skip(r->at);
    if (*open != '(') {
        return made(r, start, (ff_expr_node){.kind = FF_EXPR_NAME, .text = word}, NULL);
    }
    ff_expr *items, e = 0;
    if (read_list(r, open, ')', &items, &count)) {
        e = count == 0
                ? fail(r, start, "%s() has nothing in its parentheses", word)
                : made(r, start,
                       (ff_expr_node){.kind = FF_EXPR_CALL, .text = word, .count = (uint32_t)count},
                       items);
    }
    ff_free(items);
    return e;
}

static ff_expr read_vector(reader *r) {
    const char *start = r->at;
    ff_expr *items, e = 0;
    size_t count;
    if (read_list(r, start, ']', &items, &count)) {
        e = count < 2 || count > FF_EXPR_ITEMS
                ? fail(r, start, "a vector has 2 to %d items, not %zu", FF_EXPR_ITEMS, count)
                : made(r, start, (ff_expr_node){.kind = FF_EXPR_VECTOR, .count = (uint32_t)count},
                       items);
    }
    ff_free(items);
    return e;
}

static ff_expr read_parentheses(reader *r) {
    const char *open = r->at;
    r->at = skip(open + 1);
    ff_expr e = read_comparison(r);
    if (!e) {
        return 0;
    }
    r->at = skip(r->at);
    if (*r->at != ')') {
        return *r->at ? fail(r, r->at, "an operator or ')' is missing before '%.*s'", shown(r->at),
                             r->at)
                      : fail(r, open, "this '(' has no matching ')'");
    }
    r->at++;
    return e;
}

/* item = (number, name, call, (..) or [..]) {[integer]} */
static ff_expr read_item(reader *r) {
    r->at = skip(r->at);
    char c = *r->at;
    if (isdigit((unsigned char)c) || c == '.') {
        return read_number(r);
    }
    ff_expr e = starts_word(c) ? read_word(r)
                : c == '('     ? read_parentheses(r)
                : c == '['     ? read_vector(r)
                : c == '\0'    ? fail(r, r->at, "a number or a name is missing at the end")
                               : fail(r, r->at, "a number or a name is missing before '%.*s'",
                                      shown(r->at), r->at);
    while (e && *skip(r->at) == '[') {
        const char *open = skip(r->at), *digit = skip(open + 1);
        size_t digits = strspn(digit, "0123456789");
        unsigned long index = digits > 0 && digits < 9 ? strtoul(digit, NULL, 10) : FF_EXPR_ITEMS;
        if (index >= FF_EXPR_ITEMS || *skip(digit + digits) != ']') {
            return fail(r, open, "an item is [0] to [%d]", FF_EXPR_ITEMS - 1);
        }
        r->at = skip(digit + digits) + 1;
        e = made(r, open, (ff_expr_node){.kind = FF_EXPR_ITEM, .value = (double)index, .count = 1},
                 &e);
    }
    return e;
}

/* unary = {- or +} item [^ unary]: every recursion passes through here, so depth is counted here */
static ff_expr read_unary(reader *r) {
    r->at = skip(r->at);
    const char *start = r->at;
    if (++r->depth > FF_EXPR_DEPTH) {
        return fail(r, start, "this is nested more than %d deep", FF_EXPR_DEPTH);
    }
    ff_expr e;
    if (*start == '-' || *start == '+') {
        r->at++;
        e = read_unary(r);
        if (e && *start == '-') {
            e = made(r, start, (ff_expr_node){.kind = FF_EXPR_NEGATE, .count = 1}, &e);
        }
    } else {
        e = read_item(r);
        const char *sign = e ? skip(r->at) : r->at;
        if (e && *sign == '^') {
            r->at = sign + 1;
            ff_expr power = read_unary(r);
            e = power ? made(r, sign, (ff_expr_node){.kind = FF_EXPR_POWER, .count = 2},
                             (ff_expr[]){e, power})
                      : 0;
        }
    }
    r->depth--;
    return e;
}

static ff_expr read_product(reader *r) {
    ff_expr e = read_unary(r);
    while (e) {
        const char *sign = skip(r->at);
        if (*sign != '*' && *sign != '/') {
            break;
        }
        if (sign[0] == '*' && sign[1] == '*') {
            return fail(r, sign, "a power is written with ^");
        }
        r->at = sign + 1;
        ff_expr next = read_unary(r);
        ff_expr_kind kind = *sign == '*' ? FF_EXPR_MULTIPLY : FF_EXPR_DIVIDE;
        e = next ? made(r, sign, (ff_expr_node){.kind = kind, .count = 2}, (ff_expr[]){e, next})
                 : 0;
    }
    return e;
}

static ff_expr read_sum(reader *r) {
    ff_expr e = read_product(r);
    while (e) {
        const char *sign = skip(r->at);
        if (*sign != '+' && *sign != '-') {
            break;
        }
        r->at = sign + 1;
        ff_expr next = read_product(r);
        ff_expr_kind kind = *sign == '+' ? FF_EXPR_ADD : FF_EXPR_SUBTRACT;
        e = next ? made(r, sign, (ff_expr_node){.kind = kind, .count = 2}, (ff_expr[]){e, next})
                 : 0;
    }
    return e;
}

/* the comparison operator at a position, and its length; 0 if there is none */
static size_t comparison(const char *at, ff_expr_kind *kind) {
    bool equal = at[0] && at[1] == '=';
    switch (*at) {
    case '<': *kind = equal ? FF_EXPR_LESS_EQUAL : FF_EXPR_LESS; return equal ? 2 : 1;
    case '>': *kind = equal ? FF_EXPR_GREATER_EQUAL : FF_EXPR_GREATER; return equal ? 2 : 1;
    case '=': *kind = FF_EXPR_EQUAL; return equal ? 2 : 0;
    case '!': *kind = FF_EXPR_NOT_EQUAL; return equal ? 2 : 0;
    default: return 0;
    }
}

static ff_expr read_comparison(reader *r) {
    ff_expr e = read_sum(r);
    if (!e) {
        return 0;
    }
    ff_expr_kind kind;
    const char *sign = skip(r->at);
    size_t length = comparison(sign, &kind);
    if (length == 0) {
        return *sign == '=' ? fail(r, sign, "equality is written with ==") : e;
    }
    r->at = sign + length;
    ff_expr next = read_sum(r);
    if (!next) {
        return 0;
    }
    const char *after = skip(r->at);
    ff_expr_kind other;
    if (comparison(after, &other)) {
        return fail(r, after, "comparisons cannot be chained: use parentheses");
    }
    return made(r, sign, (ff_expr_node){.kind = kind, .count = 2}, (ff_expr[]){e, next});
}

ff_expr ff_expr_parse(ff_expr_pool *pool, const char *text, const char *const *names,
                      size_t name_count, ff_expr_error *error) {
    reader r = {.pool = pool,
                .text = text,
                .at = skip(text),
                .names = names,
                .name_count = name_count,
                .before = ff_expr_pool_count(pool),
                .error = error};
    *error = (ff_expr_error){0};
    if (!memchr(text, '\0', FF_EXPR_LENGTH + 1)) {
        return fail(&r, text, "this is longer than %d bytes", FF_EXPR_LENGTH);
    }
    if (*r.at == '\0') {
        return fail(&r, r.at, "an expression is missing");
    }
    ff_expr e = read_comparison(&r);
    r.at = skip(r.at);
    if (e && *r.at) {
        return fail(&r, r.at,
                    strchr(")],", *r.at) ? "'%.*s' does not belong here"
                                         : "an operator is missing before '%.*s'",
                    shown(r.at), r.at);
    }
    return e;
}
