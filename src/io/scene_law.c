/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "scene_law.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

void ff_written_skip(const ff_map *map, const ff_key *field, const ff_node *node) {
    (void)map, (void)field, (void)node;
}

static void leave(const ff_map *map, const ff_key *field, const ff_node *node) {
    (void)field, (void)node;
    ((ff_written_law *)map->out)->unread = true;
}

static void read_choice(const ff_map *map, const ff_key *field, const ff_node *node) {
    ff_written_law *l = map->out;
    size_t index = (field->offset - offsetof(ff_written_law, values)) / sizeof(double), count = 0;
    const char *const *words = l->params[index].words;
    while (words[count]) {
        count++;
    }
    int word = ff_node_word(map, field->key, node, words, count);
    if (word >= 0) {
        l->values[index] = word;
    }
}

void ff_written_exponents(ff_parameters *parameters, const ff_node *node, double n,
                          ff_written_law *l) {
    size_t i = 0;
    for (; l->params[i].name; i++) {
        const ff_param *param = &l->params[i];
        bool pure = param->unit && strcmp(param->unit, "1") == 0;
        const ff_node *entry = pure ? ff_node_find(node, param->name) : NULL;
        double value = param->fallback;
        size_t at;
        if (entry && (ff_parameters_number(parameters, entry->text, (ff_dimension){0}, &value, NULL,
                                           0, &at) < 0 ||
                      !(value >= param->least && value <= param->most))) {
            value = (double)NAN;
        }
        /* if n is not given, that of the normal law is used */
        const bool own = pure && (entry || !isnan(value));
        l->exponents[i] = (ff_exponent){own ? param->name : "", value};
    }
    l->exponents[i] = (ff_exponent){"n", n};
    l->exponents[i + 1] = (ff_exponent){0};
}

/* A dimension is a product of powers of force, length and time: N^kg m^(m - kg) s^(s + 2 kg). With N m for N, and 1
 * for m: */
static ff_dimension turned(ff_dimension dim) { return (ff_dimension){dim.kg, 2 * dim.kg, dim.s}; }

bool ff_written_derives(const ff_written_law *l, const ff_surroundings *with, bool own,
                        bool out[FF_LAW_PARAMS]) {
    double before[FF_LAW_PARAMS], values[FF_LAW_PARAMS];
    bool any = false;
    for (size_t i = 0; i < FF_LAW_PARAMS; i++) {
        before[i] = (double)NAN;
    }
    for (size_t i = 0; own && l->params[i].name; i++) {
        before[i] = *l->exponents[i].name ? l->exponents[i].value : (double)NAN;
    }
    memcpy(values, before, sizeof values);
    if (l->surround) {
        l->surround(with, values);
    }
    for (size_t i = 0; i < FF_LAW_PARAMS; i++) {
        out[i] = isnan(before[i]) && !isnan(values[i]);
        any = any || out[i];
    }
    return any;
}

enum { law_fields = FF_LAW_PARAMS + 8, need_size = 160 };

/* Makes the table of a law's keys from its parameters. Those in `derived` are optional. A unit whose exponent is not
 * known cannot be checked: an invalid exponent has its own message. */
static size_t make_fields(const ff_written_law *l, const bool derived[FF_LAW_PARAMS],
                          ff_key fields[law_fields], char needs[FF_LAW_PARAMS][need_size]) {
    size_t count = 0;
    fields[count++] = (ff_key){.key = "law", .read = ff_written_skip};
    for (size_t i = 0; l->params[i].name; i++) {
        const ff_param *param = &l->params[i];
        ff_key field = {.key = param->name,
                        .read = param->words ? read_choice : ff_key_number,
                        .offset = offsetof(ff_written_law, values) + i * sizeof(double),
                        .least = param->least,
                        .most = param->most};
        ff_unit unit = {0};
        if (param->unit && ff_unit_parse(param->unit, l->exponents, &unit, NULL, 0) < 0 &&
            !l->loose) {
            field.read = leave;
        }
        field.dim = l->angle ? turned(unit.dim) : unit.dim;
        if (isnan(param->fallback) && !derived[i]) {
            char text[64];
            const char *name = param->unit ? param->unit : "a word";
            if (l->angle && param->unit) {
                /* a torque, not an energy */
                name = ff_dimension_same(field.dim, (ff_dimension)FF_DIM_TORQUE)
                           ? "N m"
                           : ff_dimension_units(field.dim, text, sizeof text);
            }
            snprintf(needs[i], need_size, "%s, %s%s", param->meaning, name,
                     l->beside[i] ? "; or from: normal" : "");
            field.need = needs[i];
        }
        fields[count++] = field;
    }
    return count;
}

bool ff_written_read(const ff_map *section, const ff_node *node, ff_written_law *l,
                     const bool derived[FF_LAW_PARAMS], const ff_key *keys, size_t key_count) {
    size_t before = ff_messages_total(section->messages);
    ff_key fields[law_fields];
    char needs[FF_LAW_PARAMS][need_size];
    ff_map map = {section->messages, section->parameters, l->name, l, NULL};
    for (size_t i = 0; i < FF_LAW_PARAMS; i++) {
        l->values[i] = (double)NAN;
    }
    size_t count = make_fields(l, derived, fields, needs);
    memcpy(fields + count, keys, key_count * sizeof *keys);
    ff_keys_read(&map, node, fields, count + key_count);
    return ff_messages_total(section->messages) == before && !l->unread;
}

int ff_written_index(const ff_map *section, const ff_node *node, const char *const *names,
                     size_t count) {
    if (node->kind != FF_NODE_MAP && node->kind != FF_NODE_NONE) {
        ff_keys_read(section, node, NULL, 0);
        return -1;
    }
    const ff_node *name = ff_node_find(node, "law");
    if (!name) {
        ff_messages_add(section->messages, node->key_place, "%s needs law (the name of a law)",
                        section->where);
        return -1;
    }
    return ff_node_word(section, "law", name, names, count);
}
