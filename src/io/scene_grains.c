/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "crowd/memory.h"
#include "scene_reader.h"
#include <math.h>
#include <string.h>

typedef struct grains {
    ff_grains_def def;
    double count, seed;
    const ff_node *fill;
} grains;

#define IN_GRAINS(field) offsetof(grains, def) + offsetof(ff_grains_def, field)

/* ---- radius ---- */

static void read_uniform(const ff_map *map, const ff_key *field, const ff_node *node) {
    double ends[2];
    if (ff_node_numbers(map, field, node, 2, ends, "two numbers, [from, to]")) {
        *(ff_spread *)map->out = (ff_spread){FF_SPREAD_UNIFORM, ends[0], ends[1]};
    }
}

static void read_normal(const ff_map *map, const ff_key *field, const ff_node *node) {
    double numbers[2];
    if (ff_node_numbers(map, field, node, 2, numbers, "two numbers, [mean, deviation]")) {
        *(ff_spread *)map->out = (ff_spread){FF_SPREAD_NORMAL, numbers[0], numbers[1]};
    }
}

static const ff_key spread_fields[] = {
    {"uniform", read_uniform, 0, NULL, FF_DIM_LENGTH, 0, INFINITY},
    {"normal", read_normal, 0, NULL, FF_DIM_LENGTH, 0, INFINITY},
};

static void read_radius(const ff_map *map, const ff_key *field, const ff_node *node) {
    ff_spread *spread = &((grains *)map->out)->def.radius;
    if (node->kind == FF_NODE_TEXT) {
        ff_node_number(map, field, node, &spread->a);
        return;
    }
    if (node->kind != FF_NODE_MAP) {
        ff_node_refuse(map, field->key, node,
                       "a length, {uniform: [from, to]} or {normal: [mean, deviation]}");
        return;
    }
    char where[FF_WHERE];
    ff_error error;
    size_t before = ff_messages_total(map->messages);
    ff_where(where, "radius of %s", map->where);
    ff_map inner = {map->messages, map->parameters, where, spread, NULL};
    ff_keys_read(&inner, node, spread_fields, FF_COUNT(spread_fields));
    ff_keys_one(&inner, node, spread_fields, FF_COUNT(spread_fields));
    if (ff_messages_total(map->messages) == before && ff_spread_check(spread, where, &error) < 0) {
        ff_messages_add(map->messages, node->place, "%s", error.text);
    }
}

/* ---- groups ---- */

static const ff_key fill_fields[] = {
    {"from", ff_key_vector, IN_GRAINS(from), "a corner of the box, m", FF_DIM_LENGTH, 0, 0},
    {"to", ff_key_vector, IN_GRAINS(to), "the opposite corner, m", FF_DIM_LENGTH, 0, 0},
};

static void read_fill(const ff_map *map, const ff_key *field, const ff_node *node) {
    (void)field;
    char where[FF_WHERE];
    ((grains *)map->out)->fill = node;
    ff_where(where, "fill of %s", map->where);
    ff_keys_read(&(ff_map){map->messages, map->parameters, where, map->out, NULL}, node,
                 fill_fields, FF_COUNT(fill_fields));
}

#define SINGLE(name)                                                                               \
    {                                                                                              \
        .key = name, .read = ff_key_refuse,                                                        \
        .need = "for a single body: a group has radius, density and fill"                          \
    }

static const ff_key grains_fields[] = {
    {"count", ff_key_whole, offsetof(grains, count), "how many", FF_DIM_NONE, 1, FF_GRAINS_MOST},
    {"radius", read_radius, 0, "m, or {uniform: [from, to]}", FF_DIM_LENGTH, FF_POSITIVE, INFINITY},
    {"density", ff_key_number, IN_GRAINS(density), "kg/m^3", FF_DIM_DENSITY, FF_POSITIVE, INFINITY},
    {.key = "fill", .read = read_fill, .need = "{from: [..], to: [..]}"},
    {"velocity", ff_key_vector, IN_GRAINS(velocity), NULL, FF_DIM_SPEED, 0, 0},
    /* integers up to 2^53 are exact in a double */
    {"seed", ff_key_whole, offsetof(grains, seed), NULL, FF_DIM_NONE, 0, 0x1p53},
    SINGLE("mass"),
    SINGLE("inertia"),
    SINGLE("position"),
    SINGLE("orientation"),
    SINGLE("omega"),
    SINGLE("shape"),
    SINGLE("lock"),
};

bool ff_is_grains(const ff_node *node) {
    static const char *const own[] = {"radius", "density", "fill", "seed"};
    if (ff_node_find(node, "count")) {
        return true;
    }
    bool single = ff_node_find(node, "mass") || ff_node_find(node, "shape");
    for (size_t i = 0; i < FF_COUNT(own) && !single; i++) {
        if (ff_node_find(node, own[i])) {
            return true;
        }
    }
    return false;
}

void ff_read_grains(ff_scene_reader *r, const ff_node *node, const char *name) {
    grains g = {.fill = NULL, .def = {.size = sizeof g.def}};
    char where[FF_WHERE];
    ff_error error;
    size_t before = ff_messages_total(r->messages);
    ff_where(where, "group '%.63s'", node->key);
    ff_keys_read(&(ff_map){r->messages, &r->parameters, where, &g, r}, node, grains_fields,
                 FF_COUNT(grains_fields));
    g.def.name = name;
    g.def.count = (size_t)g.count;
    g.def.seed = (uint64_t)g.seed;
    int first = FF_BAD_VALUE;
    double memory = ff_spheres_memory((double)r->scene->bodies.count + g.count);
    if (ff_messages_total(r->messages) == before && memory > r->memory) {
        char needs[FF_MEMORY_TEXT], there[FF_MEMORY_TEXT];
        ff_messages_add(r->messages, ff_node_find(node, "count")->place,
                        "%s of %.0f grains needs about %s, %s are available", where, g.count,
                        ff_memory_text(memory, needs), ff_memory_text(r->memory, there));
    }
    if (ff_messages_total(r->messages) == before) {
        first = ff_scene_add_grains(r->scene, &g.def, &error);
        if (first == FF_BAD_VALUE) {
            ff_messages_add(r->messages, g.fill->place, "%s", error.text);
        }
    }
    if (first == FF_BAD_VALUE) {
        /* replace an invalid group by one grain */
        g.def = (ff_grains_def){.size = sizeof(ff_grains_def),
                                .name = name,
                                .count = 1,
                                .radius = {.a = 1},
                                .density = 1,
                                .to = {3, 3, 3}};
        first = ff_scene_add_grains(r->scene, &g.def, &error);
    }
    if (ff_reader_added(r, where, node, first) >= 0) {
        size_t end = r->scene->shapes.count;
        ff_reader_name(r, (ff_named){node->key, node, first, end - g.def.count, end, g.def.count});
    }
}
