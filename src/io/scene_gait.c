/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "scene_reader.h"
#include <math.h>
#include <string.h>

/* ---- where a step begins ---- */

static const ff_key section_fields[] = {
    /* the first two: which of them it is */
    {"turning", ff_key_direction, offsetof(ff_gait_def, axis), NULL, FF_DIM_NONE, 0, 0},
    {"moving", ff_key_direction, offsetof(ff_gait_def, axis), NULL, FF_DIM_NONE, 0, 0},
    {.key = "body",
     .read = ff_key_body,
     .offset = offsetof(ff_gait_def, body),
     .need = "the name of a body"},
};

static void read_section(const ff_map *map, const ff_key *field, const ff_node *node) {
    ff_gait_def *gait = map->out;
    if (node->kind != FF_NODE_MAP) {
        ff_node_refuse(map, field->key, node, "a map: {body: .., turning: [0, 1, 0]}");
        return;
    }
    const ff_map section = {map->messages, map->parameters, "section of the gait", gait,
                            map->context};
    if (!ff_keys_one(&section, node, section_fields, 2)) {
        return;
    }
    ff_keys_read(&section, node, section_fields, FF_COUNT(section_fields));
    gait->section = ff_node_find(node, "turning") ? FF_SECTION_TURNING : FF_SECTION_MOVING;
}

/* ---- what changes places ---- */

static void read_pair(const ff_map *map, const ff_key *field, const ff_node *pair) {
    ff_gait_def *gait = map->out;
    int *swap = gait->swap[gait->swaps];
    size_t before = ff_messages_total(map->messages);
    if (pair->kind != FF_NODE_LIST || pair->count != 2) {
        ff_node_refuse(map, field->key, pair, "a list of pairs of bodies, [[a, b], ..]");
        return;
    }
    const ff_node *item = pair->first;
    for (size_t i = 0; i < 2; i++, item = item->next) {
        ff_key body = {.key = field->key,
                       .offset = offsetof(ff_gait_def, swap) + (2 * gait->swaps + i) * sizeof(int)};
        ff_key_body(map, &body, item);
        for (size_t k = 0; k < 2 * gait->swaps + i && ff_messages_total(map->messages) == before;
             k++) {
            if (gait->swap[k / 2][k % 2] == swap[i]) {
                ff_messages_add(map->messages, item->place, "%s of %s names '%s' twice", field->key,
                                map->where, item->text);
            }
        }
    }
    gait->swaps += ff_messages_total(map->messages) == before;
}

static void read_swap(const ff_map *map, const ff_key *field, const ff_node *node) {
    if (node->kind != FF_NODE_LIST) {
        ff_node_refuse(map, field->key, node, "a list of pairs of bodies, [[a, b], ..]");
        return;
    }
    if (node->count > FF_GAIT_SWAPS) {
        ff_messages_add(map->messages, node->place, "%s of %s has more than %d pairs", field->key,
                        map->where, FF_GAIT_SWAPS);
        return;
    }
    for (const ff_node *pair = node->first; pair; pair = pair->next) {
        read_pair(map, field, pair);
    }
}

static const ff_key gait_fields[] = {
    {.key = "section",
     .read = read_section,
     .need = "where a step begins: {body: .., turning: [0, 1, 0]}"},
    {.key = "swap", .read = read_swap},
    {"reflect", ff_key_direction, offsetof(ff_gait_def, reflect), NULL, FF_DIM_NONE, 0, 0},
    {"direction", ff_key_direction, offsetof(ff_gait_def, direction), NULL, FF_DIM_NONE, 0, 0},
    {"limit", ff_key_number, offsetof(ff_gait_def, limit), NULL, FF_DIM_TIME, FF_POSITIVE,
     INFINITY},
    {"lowest", ff_key_number, offsetof(ff_gait_def, lowest), NULL, FF_DIM_LENGTH, 0, INFINITY},
};

void ff_read_gait(ff_scene_reader *r, const ff_node *node) {
    ff_gait_def gait = ff_gait_def_default();
    size_t before = ff_messages_total(r->messages);
    ff_keys_read(&(ff_map){r->messages, &r->parameters, "the gait", &gait, r}, node, gait_fields,
                 FF_COUNT(gait_fields));
    if (ff_messages_total(r->messages) == before) {
        ff_reader_added(r, "the gait", node, ff_scene_set_gait(r->scene, &gait));
    }
}
