/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "key.h"
#include "expr/word.h"
#include "law/params.h"
#include "num/elementary.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* a longer list of words is no help and would not fit in a hint */
enum { words_shown = 16, fields_most = 24, name_most = 63 };

/* the square of a longer or shorter vector would overflow or underflow */
static const double length_most = 1e100;

const char *ff_where(char buf[FF_WHERE], const char *format, ...) {
    va_list list;
    va_start(list, format);
    vsnprintf(buf, FF_WHERE, format, list);
    va_end(list);
    return buf;
}

/* ---- words ---- */

const char *ff_word_hint(const ff_map *map, const char *word, const char *const *words,
                         size_t count, char hint[FF_HINT]) {
    hint[0] = '\0';
    if (ff_messages_full(map->messages)) {
        return hint;
    }
    const char *near = ff_word_nearest(word, words, count);
    if (near) {
        snprintf(hint, FF_HINT, " (did you mean '%s'?)", near);
    } else if (count > 0 && count <= words_shown) {
        size_t used = 0;
        for (size_t i = 0; i < count && used < FF_HINT; i++) {
            used += (size_t)snprintf(hint + used, FF_HINT - used, "%s%s", i ? ", " : " (known are ",
                                     words[i]);
        }
        if (used < FF_HINT) {
            snprintf(hint + used, FF_HINT - used, ")");
        }
    }
    return hint;
}

int ff_node_word(const ff_map *map, const char *what, const ff_node *node, const char *const *words,
                 size_t count) {
    if (node->kind != FF_NODE_TEXT) {
        ff_node_refuse(map, what, node, "a word");
        return -1;
    }
    for (size_t i = 0; i < count; i++) {
        if (strcmp(node->text, words[i]) == 0) {
            return (int)i;
        }
    }
    char hint[FF_HINT];
    ff_messages_add(map->messages, node->place, "unknown %s '%.60s' in %s%s", what, node->text,
                    map->where, ff_word_hint(map, node->text, words, count, hint));
    return -1;
}

bool ff_node_name(const ff_map *map, const char *what, const char *name, ff_place place) {
    size_t length =
        strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-");
    if (length > 0 && length <= name_most && name[length] == '\0') {
        return true;
    }
    ff_messages_add(map->messages, place,
                    "'%.60s' cannot be the name of a %s: use letters, digits, _ and -, at most %d",
                    name, what, name_most);
    return false;
}

/* ---- nodes ---- */

void ff_node_refuse(const ff_map *map, const char *key, const ff_node *node, const char *wanted) {
    char is[80] = "empty";
    switch (node->kind) {
    case FF_NODE_BAD: return;
    case FF_NODE_NONE: break;
    case FF_NODE_TEXT: snprintf(is, sizeof is, "'%.60s'", node->text); break;
    case FF_NODE_LIST: snprintf(is, sizeof is, "a list of %zu", node->count); break;
    case FF_NODE_MAP: snprintf(is, sizeof is, node->count ? "a map" : "an empty map"); break;
    }
    ff_messages_add(map->messages, node->place, "%s of %s must be %s, not %s", key, map->where,
                    wanted, is);
}

bool ff_node_number(const ff_map *map, const ff_key *field, const ff_node *node, double *value) {
    if (node->kind != FF_NODE_TEXT) {
        ff_node_refuse(map, field->key, node, "a number");
        return false;
    }
    char why[320];
    double read, checked;
    size_t at;
    if (ff_parameters_number(map->parameters, node->text, field->dim, &read, why, sizeof why, &at) <
        0) {
        ff_messages_add(map->messages, ff_node_place(node, at), "%s of %s: %s", field->key,
                        map->where, why);
        return false;
    }
    /* use the law's wording for the range */
    bool any = field->least == 0 && field->most == 0;
    ff_error error;
    ff_param range[2] = {{.name = field->key, .least = field->least, .most = field->most}};
    if (!any && ff_law_check(map->where, FF_LAW_ABI, range, &read, &checked, &error) < 0) {
        ff_messages_add(map->messages, node->place, "%s", error.text);
        return false;
    }
    *value = read;
    return true;
}

bool ff_node_numbers(const ff_map *map, const ff_key *field, const ff_node *node, size_t count,
                     double *values, const char *wanted) {
    if (node->kind != FF_NODE_LIST || node->count != count) {
        ff_node_refuse(map, field->key, node, wanted);
        return false;
    }
    bool good = true;
    for (const ff_node *item = node->first; item; item = item->next) {
        good = ff_node_number(map, field, item, values++) && good;
    }
    return good;
}

/* ---- fields ---- */

static const ff_key *field_named(const ff_key *fields, size_t count, const char *key) {
    for (size_t i = 0; i < count; i++) {
        if (strcmp(fields[i].key, key) == 0) {
            return &fields[i];
        }
    }
    return NULL;
}

/* the keys of a table, for hints */
static size_t keys_of(const ff_key *fields, size_t count, const char *keys[fields_most]) {
    size_t used = 0;
    for (size_t i = 0; i < count && used < fields_most; i++) {
        if (fields[i].read != ff_key_refuse) {
            keys[used++] = fields[i].key;
        }
    }
    return used;
}

static void refuse_key(const ff_map *map, const ff_node *entry, const ff_key *fields,
                       size_t count) {
    const char *keys[fields_most];
    char hint[FF_HINT];
    count = keys_of(fields, count, keys);
    ff_messages_add(map->messages, entry->key_place, "unknown key '%.60s' in %s%s", entry->key,
                    map->where, ff_word_hint(map, entry->key, keys, count, hint));
}

/* whether a missing key is present but misspelt, which has its own message */
static bool misspelt(const ff_node *node, const char *key, const ff_key *fields, size_t count) {
    const char *keys[fields_most];
    size_t key_count = keys_of(fields, count, keys);
    for (const ff_node *entry = node->first; entry; entry = entry->next) {
        const char *near = field_named(fields, count, entry->key)
                               ? NULL
                               : ff_word_nearest(entry->key, keys, key_count);
        if (near && strcmp(near, key) == 0) {
            return true;
        }
    }
    return false;
}

void ff_keys_read(const ff_map *map, const ff_node *node, const ff_key *fields, size_t count) {
    if (node->kind != FF_NODE_MAP && node->kind != FF_NODE_NONE) {
        if (node->kind != FF_NODE_BAD) {
            ff_messages_add(map->messages, node->place, "%s must be a map, not %s", map->where,
                            node->kind == FF_NODE_LIST ? "a list" : "a text");
        }
        return;
    }
    for (const ff_node *entry = node->first; entry; entry = entry->next) {
        const ff_key *field = field_named(fields, count, entry->key);
        if (field) {
            field->read(map, field, entry);
        } else {
            refuse_key(map, entry, fields, count);
        }
    }
    for (size_t i = 0; i < count; i++) {
        const char *key = fields[i].key;
        bool needed = fields[i].need && fields[i].read != ff_key_refuse;
        if (needed && !ff_node_find(node, key) && !misspelt(node, key, fields, count)) {
            ff_messages_add(map->messages, node->key_place, "%s needs %s (%s)", map->where, key,
                            fields[i].need);
        }
    }
}

bool ff_keys_one(const ff_map *map, const ff_node *node, const ff_key *fields, size_t kinds) {
    const ff_node *found = NULL;
    if (node->kind != FF_NODE_MAP && node->kind != FF_NODE_NONE) {
        return false;
    }
    for (const ff_node *entry = node->first; entry; entry = entry->next) {
        if (!field_named(fields, kinds, entry->key)) {
            continue;
        }
        if (found) {
            ff_messages_add(map->messages, entry->key_place, "%s has both %s and %s: give only one",
                            map->where, found->key, entry->key);
            return false;
        }
        found = entry;
    }
    if (found) {
        return true;
    }
    char list[FF_HINT];
    size_t used = 0;
    for (size_t i = 0; i < kinds && used < sizeof list; i++) {
        if (misspelt(node, fields[i].key, fields, kinds)) {
            return false;
        }
        used +=
            (size_t)snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", fields[i].key);
    }
    ff_messages_add(map->messages, node->key_place,
                    kinds > 1 ? "%s needs one of %s" : "%s needs %s", map->where, list);
    return false;
}

static void *target(const ff_map *map, const ff_key *field) {
    return (char *)map->out + field->offset;
}

void ff_key_node(const ff_map *map, const ff_key *field, const ff_node *node) {
    *(const ff_node **)target(map, field) = node;
}

void ff_key_refuse(const ff_map *map, const ff_key *field, const ff_node *node) {
    ff_messages_add(map->messages, node->key_place, "'%s' in %s is %s", field->key, map->where,
                    field->need);
}

void ff_key_number(const ff_map *map, const ff_key *field, const ff_node *node) {
    ff_node_number(map, field, node, target(map, field));
}

void ff_key_whole(const ff_map *map, const ff_key *field, const ff_node *node) {
    double value;
    if (!ff_node_number(map, field, node, &value)) {
        return;
    }
    if (value != floor(value)) {
        ff_messages_add(map->messages, node->place, "%s of %s is %g, but must be a whole number",
                        field->key, map->where, value);
        return;
    }
    *(double *)target(map, field) = value;
}

void ff_key_vector(const ff_map *map, const ff_key *field, const ff_node *node) {
    double values[3];
    if (ff_node_numbers(map, field, node, 3, values, "a list of three numbers")) {
        memcpy(target(map, field), values, sizeof values);
    }
}

void ff_key_direction(const ff_map *map, const ff_key *field, const ff_node *node) {
    double v[3];
    if (!ff_node_numbers(map, field, node, 3, v, "a list of three numbers")) {
        return;
    }
    double length = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    if (!(length > 1 / length_most && length < length_most)) {
        ff_messages_add(map->messages, node->place, "%s of %s has no direction: its length is %g",
                        field->key, map->where, length);
        return;
    }
    memcpy(target(map, field), v, sizeof v);
}

typedef struct turn {
    double axis[3], angle;
} turn;

static const ff_key turn_fields[] = {
    {.key = "axis", .read = ff_key_direction, .offset = offsetof(turn, axis), .need = "a vector"},
    {.key = "angle", .read = ff_key_number, .offset = offsetof(turn, angle), .need = "rad"},
};

void ff_key_orientation(const ff_map *map, const ff_key *field, const ff_node *node) {
    double *q = target(map, field);
    if (node->kind == FF_NODE_MAP) {
        turn t = {.axis = {0, 0, 1}};
        char where[FF_WHERE];
        ff_where(where, "orientation of %s", map->where);
        ff_keys_read(&(ff_map){map->messages, map->parameters, where, &t, NULL}, node, turn_fields,
                     FF_COUNT(turn_fields));
        double length = sqrt(t.axis[0] * t.axis[0] + t.axis[1] * t.axis[1] + t.axis[2] * t.axis[2]);
        q[0] = ff_cos(t.angle / 2);
        for (int i = 0; i < 3; i++) {
            q[i + 1] = ff_sin(t.angle / 2) * t.axis[i] / length;
        }
        return;
    }
    double values[4];
    if (!ff_node_numbers(map, field, node, 4, values, "[w, x, y, z] or {axis: [..], angle: ..}")) {
        return;
    }
    double length = sqrt(values[0] * values[0] + values[1] * values[1] + values[2] * values[2] +
                         values[3] * values[3]);
    if (!(length > 0) || isinf(length)) {
        ff_messages_add(map->messages, node->place, "%s of %s has no direction: its length is %g",
                        field->key, map->where, length);
        return;
    }
    memcpy(q, values, sizeof values);
}
