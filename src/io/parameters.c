/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "parameters.h"
#include "expr/tape.h"
#include "key.h"
#include "num/memory.h"
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

ff_place ff_node_place(const ff_node *node, size_t at) {
    ff_place place = node->place;
    for (size_t i = 0; node->one_line && place.line > 0 && i < at && node->text[i]; i++) {
        /* columns count characters */
        place.column += ((unsigned char)node->text[i] & 0xc0) != 0x80;
    }
    return place;
}

__attribute__((format(printf, 3, 4))) static int fail(char *why, size_t why_size,
                                                      const char *format, ...) {
    va_list list;
    va_start(list, format);
    vsnprintf(why, why_size, format, list);
    va_end(list);
    return -1;
}

/* ---- one number ---- */

/* Whether a text is a literal or was meant to be one, so that errors are reported as for literals. */
static bool is_literal(const ff_parameters *p, const char *text, ff_expr e,
                       const ff_expr_error *error) {
    const char *start = text + strspn(text, " \t"),
               *digits = start + (*start == '+' || *start == '-');
    double value;
    bool number = isdigit((unsigned char)*digits) || *digits == '.';
    const char *end = number ? ff_number_read(digits, &value) : NULL;
    if (e) {
        const ff_expr_node *node = ff_expr_at(p->pool, e);
        while (node->kind == FF_EXPR_NEGATE) {
            e = ff_expr_argument(p->pool, e, 0);
            node = ff_expr_at(p->pool, e);
        }
        return (end && node->kind <= FF_EXPR_QUANTITY) ||
               (node->kind == FF_EXPR_NAME && p->names.count == 0 && strcmp(node->text, "pi") != 0);
    }
    if (!end) {
        return *digits == '\0' || !(isalpha((unsigned char)*digits) || strchr("-+_([", *digits));
    }
    /* the error is in the number or directly after it */
    end += strspn(end, " \t");
    return error->column <= (size_t)(end - text) + 1;
}

/* a name that is used before its definition, or in it; NULL if there is none */
static const ff_expr_node *used_early(const ff_parameters *p) {
    for (ff_expr e = 1; e <= ff_expr_pool_count(p->pool); e++) {
        const ff_expr_node *node = ff_expr_at(p->pool, e);
        for (size_t i = p->ready; node->kind == FF_EXPR_NAME && i < p->names.count; i++) {
            if (strcmp(p->names.at[i].name, node->text) == 0) {
                return node;
            }
        }
    }
    return NULL;
}

static bool mark_name(const ff_expr_pool *pool, ff_expr e, void *user) {
    ff_parameters *p = user;
    const ff_expr_node *node = ff_expr_at(pool, e);
    for (size_t i = 0; node->kind == FF_EXPR_NAME && i < p->ready; i++) {
        p->used[i] = p->used[i] || strcmp(p->names.at[i].name, node->text) == 0;
    }
    return true;
}

void ff_parameters_use(ff_parameters *p, const ff_expr_pool *pool, ff_expr e) {
    if (!ff_expr_walk(pool, e, mark_name, p)) {
        p->status = FF_NO_MEMORY;
    }
}

static ff_expr parse(ff_parameters *p, const char *text, ff_expr_error *error) {
    const char **words = ff_malloc((p->names.count + 1) * sizeof *words);
    if (!words || (!p->pool && !(p->pool = ff_expr_pool_create()))) {
        ff_free(words);
        p->status = FF_NO_MEMORY;
        fail(error->text, sizeof error->text, "%s", ff_status_text(p->status));
        return 0;
    }
    ff_expr_pool_clear(p->pool);
    for (size_t i = 0; i < p->names.count; i++) {
        words[i] = p->names.at[i].name;
    }
    ff_expr e = ff_expr_parse(p->pool, text, words, p->names.count, error);
    ff_free(words);
    if (ff_expr_pool_status(p->pool) == FF_NO_MEMORY) {
        p->status = FF_NO_MEMORY;
    }
    return e;
}

/* The value and facts of an expression that was parsed. */
static int evaluate(ff_parameters *p, const char *text, ff_expr e, double *value,
                    ff_expr_facts *facts, ff_expr_error *error) {
    const ff_expr_scope scope = {p->names.at, p->ready, NULL, 0};
    const ff_expr_node *early = used_early(p);
    if (early) {
        error->column = early->column;
        return fail(error->text, sizeof error->text,
                    "parameter '%s' is used before it is defined: define it above", early->text);
    }
    ff_status status = ff_expr_check(p->pool, &e, 1, &scope, true, facts, error);
    if (status >= 0 && facts->length > 1) {
        error->column = 1;
        return fail(error->text, sizeof error->text, "'%.60s' is a vector, not a number", text);
    }
    if (status >= 0) {
        status = ff_expr_value(p->pool, e, &scope, value, 1, error);
    }
    if (status < 0) {
        p->status = status == FF_NO_MEMORY ? status : p->status;
        return -1;
    }
    if (!isfinite(*value)) {
        error->column = 1;
        return fail(error->text, sizeof error->text, "'%.60s' is %g, but must be finite", text,
                    *value);
    }
    ff_parameters_use(p, p->pool, e);
    return 0;
}

int ff_parameters_number(ff_parameters *p, const char *text, ff_dimension expected, double *value,
                         char *why, size_t why_size, size_t *at) {
    *at = 0;
    bool plain = ff_quantity_parse(text, expected, value, why, why_size) == 0;
    if (plain && !p->like_units) {
        return 0;
    }
    ff_expr_error error = {0};
    ff_expr_facts facts;
    double found;
    ff_expr e = parse(p, text, &error);
    if (plain && !error.ambiguous) {
        return 0;
    }
    if (!plain && !error.ambiguous && is_literal(p, text, e, &error)) {
        return -1;
    }
    if (!e || evaluate(p, text, e, &found, &facts, &error) < 0) {
        /* arithmetic of literals only: probably a mistyped unit */
        if (e && p->names.count == 0 && !strpbrk(text, "([") && !isalpha((unsigned char)*text)) {
            return -1;
        }
        *at = error.column ? error.column - 1 : 0;
        return fail(why, why_size, "%s", error.text);
    }
    if (facts.measure == FF_MEASURE_KNOWN && !ff_dimension_same(facts.dim, expected)) {
        return ff_dimension_refuse(text, facts.dim, expected, why, why_size);
    }
    if (facts.hertz && ff_dimension_same(expected, (ff_dimension){0, 0, -1})) {
        return fail(why, why_size,
                    "'%.60s' is a frequency, expected an angular velocity: multiply it by 2*pi",
                    text);
    }
    *value = found;
    return 0;
}

/* ---- the section ---- */

static bool is_usable(const ff_map *map, const ff_node *entry) {
    const char *why = ff_function_find(entry->key)          ? "it is a function"
                      : strcmp(entry->key, "pi") == 0       ? "it is 3.14159"
                      : strchr(entry->key, '-')             ? "- is an operator"
                      : isdigit((unsigned char)*entry->key) ? "it begins with a digit"
                                                            : NULL;
    if (!ff_node_name(map, "parameter", entry->key, entry->key_place)) {
        return false;
    }
    if (why) {
        ff_messages_add(map->messages, entry->key_place,
                        "'%.60s' cannot be the name of a parameter: %s", entry->key, why);
    }
    return !why;
}

bool ff_parameters_any(ff_parameters *p, const ff_map *map, const char *key, const ff_node *entry,
                       double *value, ff_expr_facts *facts) {
    ff_expr_error error = {0};
    char why[256];
    ff_quantity q;
    if (entry->kind != FF_NODE_TEXT) {
        ff_node_refuse(map, key, entry, "a number");
        return false;
    }
    ff_expr e = parse(p, entry->text, &error);
    if (!error.ambiguous && is_literal(p, entry->text, e, &error)) {
        if (ff_quantity_read(entry->text, &q, why, sizeof why) < 0) {
            ff_messages_add(map->messages, entry->place, "%s of %s: %s", key, map->where, why);
            return false;
        }
        facts->measure = q.has_unit ? FF_MEASURE_KNOWN : FF_MEASURE_FREE;
        facts->dim = q.dim;
        facts->hertz = q.hertz;
        *value = q.value;
    } else if (!e || evaluate(p, entry->text, e, value, facts, &error) < 0) {
        ff_messages_add(map->messages, ff_node_place(entry, error.column ? error.column - 1 : 0),
                        "%s of %s: %s", key, map->where, error.text);
        return false;
    }
    return true;
}

/* Reads the value of a parameter: a literal with any unit, or an expression of previous parameters. */
static void read_one(ff_parameters *p, const ff_map *map, const ff_node *entry,
                     ff_expr_name_def *def) {
    ff_expr_facts facts = {0};
    double *value = &p->values[def - p->names.at];
    *value = 1;
    if (!ff_parameters_any(p, map, entry->key, entry, value, &facts)) {
        *value = 1;
        return;
    }
    /* a number without a unit may have any dimension */
    def->measure = facts.measure == FF_MEASURE_KNOWN ? FF_MEASURE_KNOWN : FF_MEASURE_FREE;
    def->dim = facts.dim;
    def->hertz = facts.hertz;
}

void ff_parameters_read(ff_parameters *p, const ff_node *node, ff_messages *messages) {
    ff_map map = {messages, p, "parameters", NULL, NULL};
    if (node->kind != FF_NODE_MAP && node->kind != FF_NODE_NONE) {
        ff_node_refuse(&(ff_map){messages, p, "the scene", NULL, NULL}, "parameters", node,
                       "a map of name: number");
        return;
    }
    p->values = ff_calloc(node->count + 1, sizeof *p->values);
    p->used = ff_calloc(node->count + 1, sizeof *p->used);
    if (!p->values || !p->used) {
        p->status = FF_NO_MEMORY;
        return;
    }
    for (const ff_node *entry = node->first; entry; entry = entry->next) {
        if (!is_usable(&map, entry)) {
            continue;
        }
        if (!FF_GROW(p->names)) {
            p->status = FF_NO_MEMORY;
            return;
        }
        p->names.at[p->names.count] =
            (ff_expr_name_def){.name = entry->key, .value = &p->values[p->names.count]};
        p->names.count++;
        p->like_units = p->like_units || ff_unit_word(entry->key) == strlen(entry->key);
    }
    for (const ff_node *entry = node->first; entry && p->ready < p->names.count;
         entry = entry->next) {
        ff_expr_name_def *def = &p->names.at[p->ready];
        if (strcmp(entry->key, def->name) == 0) {
            read_one(p, &map, entry, def);
            p->ready++;
        }
    }
}

ff_status ff_parameters_give(const ff_parameters *p, ff_scene *scene) {
    for (size_t i = 0; i < p->ready; i++) {
        ff_parameter parameter = {.value = p->values[i], .used = p->used[i]};
        if (p->names.at[i].measure == FF_MEASURE_KNOWN) {
            ff_dimension_units(p->names.at[i].dim, parameter.unit, sizeof parameter.unit);
        }
        if (ff_scene_add_parameter(scene, p->names.at[i].name, &parameter) < 0) {
            return FF_NO_MEMORY;
        }
    }
    return p->status;
}

void ff_parameters_add(ff_parameters *p, const ff_expr_name_def *def) {
    bool *used = ff_realloc(p->used, (p->names.count + 1) * sizeof *used);
    p->used = used ? used : p->used;
    if (!used || !FF_GROW(p->names)) {
        p->status = FF_NO_MEMORY;
        return;
    }
    used[p->names.count] = false;
    p->names.at[p->names.count] = *def;
    p->ready = ++p->names.count;
    p->like_units = p->like_units || ff_unit_word(def->name) == strlen(def->name);
}

void ff_parameters_clear(ff_parameters *p) {
    ff_free(p->names.at);
    ff_free(p->values);
    ff_free(p->used);
    ff_expr_pool_free(p->pool);
}
