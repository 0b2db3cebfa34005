/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "scene_reader.h"
#include <math.h>
#include <string.h>

/* ---- where a step begins ---- */

static const ff_key section_fields[] = {
    /* exactly one of the first two */
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

/* ---- exchanged bodies ---- */

static const char swap_wanted[] = "a list of lists of bodies, [[a, b], ..]";

/* A cycle of bodies, in which each takes the place of the previous one and the first that of the last: written as exchanges
 * of neighbours. */
static void read_cycle(const ff_map *map, const ff_key *field, const ff_node *cycle) {
    ff_gait_def *gait = map->out;
    if (cycle->kind != FF_NODE_LIST || cycle->count < 2) {
        ff_node_refuse(map, field->key, cycle, swap_wanted);
        return;
    }
    if (gait->swaps + cycle->count - 1 > FF_GAIT_SWAPS) {
        ff_messages_add(map->messages, cycle->place,
                        "%s of %s has more than %d exchanges: a list of n bodies is n - 1 of them",
                        field->key, map->where, FF_GAIT_SWAPS);
        return;
    }
    int last = -1;
    for (const ff_node *item = cycle->first; item; item = item->next) {
        const size_t before = ff_messages_total(map->messages);
        int body = -1;
        ff_key_body(&(ff_map){map->messages, map->parameters, map->where, &body, map->context},
                    &(ff_key){.key = field->key}, item);
        bool twice = body == last;
        for (int(*swap)[2] = gait->swap; swap < gait->swap + gait->swaps; swap++) {
            twice = twice || (*swap)[0] == body || (*swap)[1] == body;
        }
        if (ff_messages_total(map->messages) > before) {
            return;
        }
        if (twice) {
            ff_messages_add(map->messages, item->place, "%s of %s names '%s' twice", field->key,
                            map->where, item->text);
            return;
        }
        if (item != cycle->first) {
            gait->swap[gait->swaps][0] = last;
            gait->swap[gait->swaps++][1] = body;
        }
        last = body;
    }
}

static void read_swap(const ff_map *map, const ff_key *field, const ff_node *node) {
    if (node->kind != FF_NODE_LIST) {
        ff_node_refuse(map, field->key, node, swap_wanted);
        return;
    }
    for (const ff_node *cycle = node->first; cycle; cycle = cycle->next) {
        read_cycle(map, field, cycle);
    }
}

/* ---- rotated bodies ---- */

static const ff_key turn_fields[] = {
    {.key = "body",
     .read = ff_key_body,
     .offset = offsetof(ff_gait_turn, body),
     .need = "the name of a body"},
    {.key = "by",
     .read = ff_key_vector,
     .offset = offsetof(ff_gait_turn, by),
     .need = "a rotation vector in axes of the body, rad"},
};

static void read_turn(const ff_map *map, const ff_key *field, const ff_node *node) {
    ff_gait_def *gait = map->out;
    if (node->kind != FF_NODE_LIST || node->count > FF_GAIT_TURNS) {
        ff_node_refuse(map, field->key, node,
                       "a list of at most 32 turns, [{body: .., by: [0, 2*pi/8, 0]}, ..]");
        return;
    }
    for (const ff_node *item = node->first; item; item = item->next) {
        const ff_map one = {map->messages, map->parameters, "turn of the gait",
                            &gait->turn[gait->turns], map->context};
        if (item->kind != FF_NODE_MAP) {
            ff_node_refuse(map, field->key, item, "a list of {body: .., by: [0, 2*pi/8, 0]}");
            return;
        }
        const size_t before = ff_messages_total(map->messages);
        ff_keys_read(&one, item, turn_fields, FF_COUNT(turn_fields));
        if (ff_messages_total(map->messages) > before) {
            return;
        }
        for (size_t i = 0; i < gait->turns; i++) {
            if (gait->turn[i].body == gait->turn[gait->turns].body) {
                ff_messages_add(map->messages, item->place, "%s of %s names a body twice",
                                field->key, map->where);
            }
        }
        gait->turns++;
    }
}

static const ff_key gait_fields[] = {
    {.key = "section",
     .read = read_section,
     .need = "where a step begins: {body: .., turning: [0, 1, 0]}"},
    {.key = "swap", .read = read_swap},
    {.key = "turn", .read = read_turn},
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
