/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "scene_reader.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct numbers {
    double *at;
    size_t count;
} numbers;

typedef struct force {
    ff_force_def def;
    numbers times, factors;
} force;

#define IN_FORCE(field) offsetof(force, def) + offsetof(ff_force_def, field)

/* the index of a body by its name, at an int of the force */
static void read_body_name(const ff_map *map, const ff_field *field, const ff_node *node) {
    ff_scene_reader *r = map->context;
    if (node->kind != FF_NODE_TEXT) {
        ff_node_refuse(map, field->key, node, "the name of a body");
        return;
    }
    ff_named named;
    if (!ff_reader_find(r, node->text, &named) || named.body < 0) {
        ff_reader_unknown(r, map, node, false);
        return;
    }
    if (named.grains) {
        ff_messages_add(map->messages, node->place,
                        "%s of %s must be one body, and '%s' is a group: name a grain, as '%s[0]'",
                        field->key, map->where, named.name, named.name);
        return;
    }
    *(int *)((char *)map->out + field->offset) = named.body;
}

/* the other end of a spring */
static void read_end(const ff_map *map, const ff_field *field, const ff_node *node) {
    if (node->kind != FF_NODE_TEXT || strcmp(node->text, "world") != 0) {
        read_body_name(map, field, node);
    }
}

static void read_list(const ff_map *map, const ff_field *field, const ff_node *node) {
    ff_scene_reader *r = map->context;
    numbers *list = (numbers *)((char *)map->out + field->offset);
    if (node->kind != FF_NODE_LIST || node->count < 2) {
        ff_node_refuse(map, field->key, node, "a list of two numbers or more");
        return;
    }
    list->at = calloc(node->count, sizeof *list->at);
    if (!list->at) {
        r->status = FF_NO_MEMORY;
        return;
    }
    list->count = node->count;
    ff_node_numbers(map, field, node, node->count, list->at, "");
}

static void read_times(const ff_map *map, const ff_field *field, const ff_node *node) {
    const numbers *times = &((const force *)map->out)->times;
    size_t before = ff_messages_total(map->messages), i = 1;
    read_list(map, field, node);
    if (ff_messages_total(map->messages) > before || times->count == 0) {
        return;
    }
    for (const ff_node *item = node->first->next; item; item = item->next, i++) {
        if (!(times->at[i] > times->at[i - 1])) {
            ff_messages_add(map->messages, item->place, "%s of %s must grow: %g comes after %g",
                            field->key, map->where, times->at[i], times->at[i - 1]);
        }
    }
}

/* the target's polynomial: position, velocity, half the acceleration */
static void read_target(const ff_map *map, const ff_field *field, const ff_node *node) {
    static const ff_dimension dims[] = {FF_DIM_LENGTH, FF_DIM_SPEED, FF_DIM_ACCELERATION};
    force *f = map->out;
    size_t i = 0;
    if (node->kind != FF_NODE_LIST || node->count == 0 || node->count > FF_COUNT(dims)) {
        ff_node_refuse(map, field->key, node, "a list [t0, t1, t2] of one to three numbers");
        return;
    }
    for (const ff_node *item = node->first; item; item = item->next, i++) {
        ff_field term = {.key = field->key, .dim = dims[i]};
        ff_node_number(map, &term, item, &f->def.target[i]);
    }
}

/* ---- the kinds of forces ---- */

/* clang-format off */
#define BODY_FIELD {.key = "body", .read = read_body_name, .offset = IN_FORCE(body), .need = "the name of one"}
#define FORCE_FIELD {"force", ff_field_vector, IN_FORCE(force), NULL, FF_DIM_FORCE, 0, 0}
#define TORQUE_FIELD {"torque", ff_field_vector, IN_FORCE(torque), NULL, FF_DIM_TORQUE, 0, 0}
/* clang-format on */

static const ff_field constant_fields[] = {BODY_FIELD, FORCE_FIELD, TORQUE_FIELD};

static const ff_field table_fields[] = {
    BODY_FIELD,
    FORCE_FIELD,
    TORQUE_FIELD,
    {"times", read_times, offsetof(force, times), "s", FF_DIM_TIME, 0, 0},
    {.key = "factors",
     .read = read_list,
     .offset = offsetof(force, factors),
     .need = "one for each time"},
};

static const ff_field spring_fields[] = {
    BODY_FIELD,
    {"anchor", ff_field_vector, IN_FORCE(anchor), NULL, FF_DIM_LENGTH, 0, 0},
    {.key = "to", .read = read_end, .offset = IN_FORCE(other), .need = "world, or a body"},
    {"to_anchor", ff_field_vector, IN_FORCE(other_anchor), NULL, FF_DIM_LENGTH, 0, 0},
    {"stiffness", ff_field_number, IN_FORCE(stiffness), "N/m", FF_DIM_STIFFNESS, 0, INFINITY},
    {"damping", ff_field_number, IN_FORCE(damping), NULL, FF_DIM_DAMPING, 0, INFINITY},
    {"rest", ff_field_number, IN_FORCE(rest), NULL, FF_DIM_LENGTH, 0, INFINITY},
};

static const ff_field pd_fields[] = {
    BODY_FIELD,
    {.key = "axis", .read = ff_field_direction, .offset = IN_FORCE(axis), .need = "a vector"},
    {"kp", ff_field_number, IN_FORCE(kp), "N/m", FF_DIM_STIFFNESS, 0, INFINITY},
    {"kd", ff_field_number, IN_FORCE(kd), NULL, FF_DIM_DAMPING, 0, INFINITY},
    {.key = "target", .read = read_target, .need = "[t0, t1, t2], m, m/s, m/s^2"},
    {"target_from", ff_field_number, IN_FORCE(target_from), NULL, FF_DIM_TIME, 0, 0},
};

static void read_kind(const ff_map *map, const ff_field *field, const ff_node *node,
                      ff_force_kind kind, const ff_field *fields, size_t count) {
    char where[FF_WHERE];
    ((force *)map->out)->def.kind = kind;
    ff_where(where, "%s of %s", field->key, map->where);
    ff_map inner = {map->messages, map->parameters, where, map->out, map->context};
    ff_fields_read(&inner, node, fields, count);
}

static void refuse_nothing(const ff_map *map, const ff_node *node) {
    if (node->kind == FF_NODE_MAP && !ff_node_find(node, "force") &&
        !ff_node_find(node, "torque")) {
        ff_messages_add(map->messages, node->key_place, "%s needs force or torque", map->where);
    }
}

static void read_constant(const ff_map *map, const ff_field *field, const ff_node *node) {
    read_kind(map, field, node, FF_FORCE_CONSTANT, constant_fields, FF_COUNT(constant_fields));
    refuse_nothing(map, node);
}

static void read_table(const ff_map *map, const ff_field *field, const ff_node *node) {
    const force *f = map->out;
    read_kind(map, field, node, FF_FORCE_TABLE, table_fields, FF_COUNT(table_fields));
    refuse_nothing(map, node);
    if (f->times.count && f->factors.count && f->times.count != f->factors.count) {
        ff_messages_add(map->messages, ff_node_find(node, "factors")->place,
                        "%s has %zu times and %zu factors", map->where, f->times.count,
                        f->factors.count);
    }
}

static void read_spring(const ff_map *map, const ff_field *field, const ff_node *node) {
    const force *f = map->out;
    size_t before = ff_messages_total(map->messages);
    read_kind(map, field, node, FF_FORCE_SPRING, spring_fields, FF_COUNT(spring_fields));
    if (ff_messages_total(map->messages) == before && f->def.other == f->def.body) {
        ff_messages_add(map->messages, ff_node_find(node, "to")->place,
                        "%s has both ends at one body", map->where);
    }
}

static void read_pd(const ff_map *map, const ff_field *field, const ff_node *node) {
    force *f = map->out;
    double *a = f->def.axis;
    read_kind(map, field, node, FF_FORCE_PD, pd_fields, FF_COUNT(pd_fields));
    double length = sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
    for (int i = 0; i < 3 && length > 0; i++) {
        a[i] /= length;
    }
}

enum { kinds = 4 };

static const ff_field force_fields[] = {
    {.key = "constant", .read = read_constant},
    {.key = "table", .read = read_table},
    {.key = "spring", .read = read_spring},
    {.key = "pd", .read = read_pd},
    {"from", ff_field_number, IN_FORCE(from), NULL, FF_DIM_TIME, 0, 0},
    {"to", ff_field_number, IN_FORCE(to), NULL, FF_DIM_TIME, 0, 0},
};

/* ---- forces ---- */

static void read_force(ff_scene_reader *r, const ff_node *node) {
    force f = {.def = ff_force_def_default()};
    size_t before = ff_messages_total(r->messages);
    char where[FF_WHERE];
    ff_where(where, "force '%.63s'", node->key);
    ff_map map = {r->messages, &r->parameters, where, &f, r};
    ff_node_name(&map, "force", node->key, node->key_place);
    ff_fields_read(&map, node, force_fields, FF_COUNT(force_fields));
    ff_fields_one(&map, node, force_fields, kinds);
    if (f.def.from > f.def.to) {
        ff_messages_add(r->messages, ff_node_find(node, "to")->place,
                        "to of %s is %g, before its from, %g", where, f.def.to, f.def.from);
    }
    if (ff_messages_total(r->messages) == before && node->kind == FF_NODE_MAP && r->status >= 0) {
        f.def.name = node->key;
        f.def.points = f.times.count;
        f.def.times = f.times.at;
        f.def.factors = f.factors.at;
        ff_reader_added(r, where, node, ff_scene_add_force(r->scene, &f.def));
    }
    free(f.times.at);
    free(f.factors.at);
}

void ff_read_forces(ff_scene_reader *r, const ff_node *node) {
    if (node->kind != FF_NODE_MAP && node->kind != FF_NODE_NONE) {
        ff_node_refuse(&(ff_map){r->messages, &r->parameters, "the scene", NULL, NULL}, "forces",
                       node, "a map of name: {constant: {..}}");
        return;
    }
    for (const ff_node *entry = node->first; entry; entry = entry->next) {
        read_force(r, entry);
    }
}
