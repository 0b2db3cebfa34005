/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "num/memory.h"
#include "scene_control.h"
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
    bool unplaced; /* it acts at an invalid joint */
    /* for expressions */
    const ff_node *effort, *force, *torque;
    double every;
} force;

#define IN_FORCE(field) offsetof(force, def) + offsetof(ff_force_def, field)

/* ---- what a force acts on ---- */

/* the joint that a node names; NULL if there is none */
static const ff_joined *find_joint(const ff_scene_reader *r, const ff_node *name) {
    for (size_t i = 0; i < r->joints.count && name->kind == FF_NODE_TEXT; i++) {
        if (strcmp(r->joints.at[i].name, name->text) == 0) {
            return &r->joints.at[i];
        }
    }
    return NULL;
}

static void refuse_joint(ff_scene_reader *r, const ff_map *map, const ff_node *node) {
    const char **words = ff_calloc(r->joints.count + 1, sizeof *words);
    if (!words) {
        r->status = FF_NO_MEMORY;
        return;
    }
    for (size_t i = 0; i < r->joints.count; i++) {
        words[i] = r->joints.at[i].name;
    }
    char hint[FF_HINT];
    ff_messages_add(map->messages, node->place, "unknown joint '%.60s' in %s%s", node->text,
                    map->where, ff_word_hint(map, node->text, words, r->joints.count, hint));
    ff_free(words);
}

static void read_joint_name(const ff_map *map, const ff_key *field, const ff_node *node) {
    force *f = map->out;
    const ff_joined *joint = find_joint(map->context, node);
    if (node->kind != FF_NODE_TEXT) {
        ff_node_refuse(map, field->key, node, "the name of a joint");
    } else if (!joint) {
        refuse_joint(map->context, map, node);
    } else if (!ff_joint_coordinate_name(joint->kind, 0)) {
        ff_messages_add(map->messages, node->place,
                        "%s of %s must have a coordinate to act along, but '%s' is %s", field->key,
                        map->where, joint->name, ff_joint_kind_name(joint->kind));
    } else {
        f->def.joint = joint->index;
        /* an invalid joint has its own message */
        f->unplaced = joint->index < 0;
    }
}

/* The coordinate of the actuator in `node`: the one it names, or the joint's only one; -1, with a message, if it names none
 * of several. */
static int find_coordinate(const ff_map *map, const ff_node *node, const ff_joined *joint) {
    const ff_node *name = ff_node_find(node, "coordinate");
    const char *words[FF_JOINT_COORDINATES];
    size_t count = 0;
    while (ff_joint_coordinate_name(joint->kind, (int)count)) {
        words[count] = ff_joint_coordinate_name(joint->kind, (int)count);
        count++;
    }
    if (name) {
        return ff_node_word(map, "coordinate", name, words, count);
    }
    if (count > 1) {
        char list[64] = "";
        for (size_t i = 0, at = 0; i < count; i++) {
            at += (size_t)snprintf(list + at, sizeof list - at, "%s%s", i ? ", " : "", words[i]);
        }
        ff_messages_add(map->messages, ff_node_find(node, "joint")->place,
                        "%s needs coordinate, because joint '%s' has several: %s", map->where,
                        joint->name, list);
        return -1;
    }
    return 0;
}

static void skip_coordinate(const ff_map *map, const ff_key *field, const ff_node *node) {
    (void)map, (void)field, (void)node;
}

/* reads the other end of a spring */
static void read_end(const ff_map *map, const ff_key *field, const ff_node *node) {
    if (node->kind != FF_NODE_TEXT || strcmp(node->text, "world") != 0) {
        ff_key_body(map, field, node);
    }
}

static void read_list(const ff_map *map, const ff_key *field, const ff_node *node) {
    ff_scene_reader *r = map->context;
    numbers *list = (numbers *)((char *)map->out + field->offset);
    if (node->kind != FF_NODE_LIST || node->count < 2) {
        ff_node_refuse(map, field->key, node, "a list of two numbers or more");
        return;
    }
    list->at = ff_calloc(node->count, sizeof *list->at);
    if (!list->at) {
        r->status = FF_NO_MEMORY;
        return;
    }
    list->count = node->count;
    ff_node_numbers(map, field, node, node->count, list->at, "");
}

static void read_times(const ff_map *map, const ff_key *field, const ff_node *node) {
    const numbers *times = &((const force *)map->out)->times;
    size_t before = ff_messages_total(map->messages), i = 1;
    read_list(map, field, node);
    if (ff_messages_total(map->messages) > before || times->count == 0) {
        return;
    }
    for (const ff_node *item = node->first->next; item; item = item->next, i++) {
        if (!(times->at[i] > times->at[i - 1])) {
            ff_messages_add(map->messages, item->place, "%s of %s must increase: %g comes after %g",
                            field->key, map->where, times->at[i], times->at[i - 1]);
        }
    }
}

/* reads the target polynomial: position, velocity, half the acceleration, with the dimension of the field */
static void read_target(const ff_map *map, const ff_key *field, const ff_node *node) {
    const double m = field->dim.m;
    const ff_dimension dims[] = {{0, m, 0}, {0, m, -1}, {0, m, -2}};
    force *f = map->out;
    size_t i = 0;
    if (node->kind != FF_NODE_LIST || node->count == 0 || node->count > FF_COUNT(dims)) {
        ff_node_refuse(map, field->key, node, "a list [t0, t1, t2] of one to three numbers");
        return;
    }
    for (const ff_node *item = node->first; item; item = item->next, i++) {
        ff_key term = {.key = field->key, .dim = dims[i]};
        ff_node_number(map, &term, item, &f->def.target[i]);
    }
}

/* ---- the kinds of forces ---- */

/* clang-format off */
#define BODY_FIELD {.key = "body", .read = ff_key_body, .offset = IN_FORCE(body), .need = "the name of one"}
#define FORCE_FIELD {"force", ff_key_vector, IN_FORCE(force), NULL, FF_DIM_FORCE, 0, 0}
#define TORQUE_FIELD {"torque", ff_key_vector, IN_FORCE(torque), NULL, FF_DIM_TORQUE, 0, 0}
#define TIMES_FIELD {"times", read_times, offsetof(force, times), "s", FF_DIM_TIME, 0, 0}
#define FACTORS_FIELD \
    {.key = "factors", .read = read_list, .offset = offsetof(force, factors), .need = "one for each time"}
#define TARGET_FROM_FIELD {"target_from", ff_key_number, IN_FORCE(target_from), NULL, FF_DIM_TIME, 0, 0}

/* keys of forces along a joint coordinate */
#define JOINT_FIELD \
    {.key = "joint", .read = read_joint_name, .need = "the name of one"}, {.key = "coordinate", .read = skip_coordinate}
#define EFFORT_FIELD(word, unit, dim) {word, ff_key_number, IN_FORCE(effort), unit, dim, 0, 0}
#define NO_EFFORT(word, why) {.key = word, .read = ff_key_refuse, .need = why}
#define TURN_EFFORT EFFORT_FIELD("torque", "N m", FF_DIM_TORQUE), NO_EFFORT("force", "for coordinates that slide")
#define SLIDE_EFFORT EFFORT_FIELD("force", "N", FF_DIM_FORCE), NO_EFFORT("torque", "for coordinates that turn")
#define NO_BODY {.key = "body", .read = ff_key_refuse, .need = "not allowed: the force acts at a joint"}
#define NO_PD_AXIS {.key = "axis", .read = ff_key_refuse, .need = "that of the joint"}
/* clang-format on */

static const ff_key constant_fields[] = {BODY_FIELD, FORCE_FIELD, TORQUE_FIELD};

static const ff_key table_fields[] = {
    BODY_FIELD, FORCE_FIELD, TORQUE_FIELD, TIMES_FIELD, FACTORS_FIELD,
};

static const ff_key spring_fields[] = {
    BODY_FIELD,
    {"anchor", ff_key_vector, IN_FORCE(anchor), NULL, FF_DIM_LENGTH, 0, 0},
    {.key = "to", .read = read_end, .offset = IN_FORCE(other), .need = "world, or a body"},
    {"to_anchor", ff_key_vector, IN_FORCE(other_anchor), NULL, FF_DIM_LENGTH, 0, 0},
    {"stiffness", ff_key_number, IN_FORCE(stiffness), "N/m", FF_DIM_STIFFNESS, 0, INFINITY},
    {"damping", ff_key_number, IN_FORCE(damping), NULL, FF_DIM_DAMPING, 0, INFINITY},
    {"rest", ff_key_number, IN_FORCE(rest), NULL, FF_DIM_LENGTH, 0, INFINITY},
};

static const ff_key pd_fields[] = {
    BODY_FIELD,
    {.key = "axis", .read = ff_key_direction, .offset = IN_FORCE(axis), .need = "a vector"},
    {"kp", ff_key_number, IN_FORCE(kp), "N/m", FF_DIM_STIFFNESS, 0, INFINITY},
    {"kd", ff_key_number, IN_FORCE(kd), NULL, FF_DIM_DAMPING, 0, INFINITY},
    {"target", read_target, 0, "[t0, t1, t2], m, m/s, m/s^2", FF_DIM_LENGTH, 0, 0},
    TARGET_FROM_FIELD,
};

static const ff_key turn_constant_fields[] = {JOINT_FIELD, TURN_EFFORT, NO_BODY};
static const ff_key slide_constant_fields[] = {JOINT_FIELD, SLIDE_EFFORT, NO_BODY};
static const ff_key turn_table_fields[] = {JOINT_FIELD, TURN_EFFORT, NO_BODY, TIMES_FIELD,
                                           FACTORS_FIELD};
static const ff_key slide_table_fields[] = {JOINT_FIELD, SLIDE_EFFORT, NO_BODY, TIMES_FIELD,
                                            FACTORS_FIELD};

static const ff_key turn_pd_fields[] = {
    JOINT_FIELD,
    NO_BODY,
    NO_PD_AXIS,
    {"kp", ff_key_number, IN_FORCE(kp), "N m/rad", FF_DIM_TORQUE, 0, INFINITY},
    {"kd", ff_key_number, IN_FORCE(kd), NULL, FF_DIM_TURN_DAMPING, 0, INFINITY},
    {"target", read_target, 0, "[t0, t1, t2], rad, rad/s, rad/s^2", FF_DIM_NONE, 0, 0},
    TARGET_FROM_FIELD,
};

static const ff_key slide_pd_fields[] = {
    JOINT_FIELD,
    NO_BODY,
    NO_PD_AXIS,
    {"kp", ff_key_number, IN_FORCE(kp), "N/m", FF_DIM_STIFFNESS, 0, INFINITY},
    {"kd", ff_key_number, IN_FORCE(kd), NULL, FF_DIM_DAMPING, 0, INFINITY},
    {"target", read_target, 0, "[t0, t1, t2], m, m/s, m/s^2", FF_DIM_LENGTH, 0, 0},
    TARGET_FROM_FIELD,
};

/* Key tables of a kind of force: on a body, at a rotational and at a translational coordinate. */
typedef struct tables {
    const ff_key *fields[3];
    size_t counts[3];
} tables;

/* clang-format off */
#define TABLES(body, turn, slide) {{body, turn, slide}, {FF_COUNT(body), FF_COUNT(turn), FF_COUNT(slide)}}
/* clang-format on */

static void read_kind(const ff_map *map, const ff_key *field, const ff_node *node,
                      ff_force_kind kind, const tables *by) {
    char where[FF_WHERE];
    ((force *)map->out)->def.kind = kind;
    ff_where(where, "%s of %s", field->key, map->where);
    ff_map inner = {map->messages, map->parameters, where, map->out, map->context};
    const ff_node *name = by->fields[1] ? ff_node_find(node, "joint") : NULL;
    const ff_joined *joint = name ? find_joint(map->context, name) : NULL;
    size_t table = name ? 1 : 0;
    if (joint && ff_joint_coordinate_name(joint->kind, 0)) {
        const int c = find_coordinate(&inner, node, joint);
        if (c < 0) {
            /* other keys depend on the coordinate */
            return;
        }
        ((force *)map->out)->def.coordinate = c;
        table = ff_joint_coordinate_slides(joint->kind, c) ? 2 : 1;
    }
    ff_keys_read(&inner, node, by->fields[table], by->counts[table]);
}

static void refuse_nothing(const ff_map *map, const ff_node *node) {
    if (node->kind == FF_NODE_MAP && !ff_node_find(node, "joint") && !ff_node_find(node, "force") &&
        !ff_node_find(node, "torque")) {
        ff_messages_add(map->messages, node->key_place, "%s needs force or torque", map->where);
    }
}

static void read_constant(const ff_map *map, const ff_key *field, const ff_node *node) {
    static const tables by = TABLES(constant_fields, turn_constant_fields, slide_constant_fields);
    read_kind(map, field, node, FF_FORCE_CONSTANT, &by);
    refuse_nothing(map, node);
}

static void read_table(const ff_map *map, const ff_key *field, const ff_node *node) {
    const force *f = map->out;
    static const tables by = TABLES(table_fields, turn_table_fields, slide_table_fields);
    read_kind(map, field, node, FF_FORCE_TABLE, &by);
    refuse_nothing(map, node);
    if (f->times.count && f->factors.count && f->times.count != f->factors.count) {
        ff_messages_add(map->messages, ff_node_find(node, "factors")->place,
                        "%s has %zu times and %zu factors", map->where, f->times.count,
                        f->factors.count);
    }
}

static void read_spring(const ff_map *map, const ff_key *field, const ff_node *node) {
    const force *f = map->out;
    size_t before = ff_messages_total(map->messages);
    static const tables by = {{spring_fields}, {FF_COUNT(spring_fields)}};
    read_kind(map, field, node, FF_FORCE_SPRING, &by);
    if (ff_messages_total(map->messages) == before && f->def.other == f->def.body) {
        ff_messages_add(map->messages, ff_node_find(node, "to")->place,
                        "%s has both ends at the same body", map->where);
    }
}

static void read_pd(const ff_map *map, const ff_key *field, const ff_node *node) {
    force *f = map->out;
    double *a = f->def.axis;
    static const tables by = TABLES(pd_fields, turn_pd_fields, slide_pd_fields);
    read_kind(map, field, node, FF_FORCE_PD, &by);
    double length = sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
    for (int i = 0; i < 3 && length > 0; i++) {
        a[i] /= length;
    }
}

enum { kinds = 4 };

static const ff_key force_fields[] = {
    {.key = "constant", .read = read_constant},
    {.key = "table", .read = read_table},
    {.key = "spring", .read = read_spring},
    {.key = "pd", .read = read_pd},
    {"from", ff_key_number, IN_FORCE(from), NULL, FF_DIM_TIME, 0, 0},
    {"to", ff_key_number, IN_FORCE(to), NULL, FF_DIM_TIME, 0, 0},
};

/* ---- expressions ---- */

static const ff_key at_joint_fields[] = {
    JOINT_FIELD,
    NO_BODY,
    {.key = "effort",
     .read = ff_key_node,
     .offset = offsetof(force, effort),
     .need = "an expression, N m or N"},
    {.key = "force", .read = ff_key_refuse, .need = "for bodies: at a joint it is `effort`"},
    {.key = "torque", .read = ff_key_refuse, .need = "for bodies: at a joint it is `effort`"},
    {"every", ff_key_number, offsetof(force, every), NULL, FF_DIM_TIME, 1e-9, INFINITY},
    {"from", ff_key_number, IN_FORCE(from), NULL, FF_DIM_TIME, 0, 0},
    {"to", ff_key_number, IN_FORCE(to), NULL, FF_DIM_TIME, 0, 0},
};

static const ff_key on_body_fields[] = {
    BODY_FIELD,
    {.key = "force", .read = ff_key_node, .offset = offsetof(force, force)},
    {.key = "torque", .read = ff_key_node, .offset = offsetof(force, torque)},
    {.key = "effort",
     .read = ff_key_refuse,
     .need = "for joints: on a body it is `force` or `torque`"},
    {"every", ff_key_number, offsetof(force, every), NULL, FF_DIM_TIME, 1e-9, INFINITY},
    {"from", ff_key_number, IN_FORCE(from), NULL, FF_DIM_TIME, 0, 0},
    {"to", ff_key_number, IN_FORCE(to), NULL, FF_DIM_TIME, 0, 0},
};

/* `{joint: knee, effort: ..}` and `{body: ball, force: [.., .., ..]}`: forces given by expressions have no kind */
static bool is_expression(const ff_node *node) {
    return node->kind == FF_NODE_MAP && (ff_node_find(node, "joint") || ff_node_find(node, "body"));
}

static void read_components(const ff_map *map, const char *key, const ff_node *node,
                            ff_dimension dim, size_t first) {
    const force *f = map->out;
    ff_scene_reader *r = map->context;
    if (node->kind != FF_NODE_LIST || node->count != 3) {
        ff_node_refuse(map, key, node, "a list of three expressions");
        return;
    }
    for (const ff_node *item = node->first; item; item = item->next) {
        ff_control_command(r->control, map, key, item, dim, first++, f->every);
    }
}

static void read_expression(const ff_map *map, const ff_node *node) {
    force *f = map->out;
    ff_scene_reader *r = map->context;
    const ff_node *name = ff_node_find(node, "joint");
    const ff_joined *joint = name ? find_joint(r, name) : NULL;
    const ff_dimension turn = FF_DIM_TORQUE, slide = FF_DIM_FORCE;
    bool slides = false;
    f->def.kind = FF_FORCE_CONTROL;
    if (name) {
        ff_keys_read(map, node, at_joint_fields, FF_COUNT(at_joint_fields));
    } else {
        ff_keys_read(map, node, on_body_fields, FF_COUNT(on_body_fields));
    }
    if (!name && !f->force && !f->torque) {
        ff_messages_add(map->messages, node->key_place, "%s needs force or torque", map->where);
    }
    if (joint && ff_joint_coordinate_name(joint->kind, 0)) {
        const int c = find_coordinate(map, node, joint);
        if (c < 0) {
            /* the unit of the effort depends on the coordinate */
            return;
        }
        f->def.coordinate = c;
        slides = ff_joint_coordinate_slides(joint->kind, c);
    }
    if (!r->control || r->status < 0) {
        return;
    }
    if (f->effort) {
        ff_control_command(r->control, map, "effort", f->effort, slides ? slide : turn, 0,
                           f->every);
    }
    if (f->force) {
        read_components(map, "force", f->force, slide, 0);
    }
    if (f->torque) {
        read_components(map, "torque", f->torque, turn, 3);
    }
}

/* ---- forces ---- */

static void read_force(ff_scene_reader *r, const ff_node *node) {
    force f = {.def = ff_force_def_default()};
    size_t before = ff_messages_total(r->messages);
    char where[FF_WHERE];
    ff_where(where, "force '%.63s'", node->key);
    ff_map map = {r->messages, &r->parameters, where, &f, r};
    ff_node_name(&map, "force", node->key, node->key_place);
    if (is_expression(node)) {
        read_expression(&map, node);
    } else {
        ff_keys_read(&map, node, force_fields, FF_COUNT(force_fields));
        ff_keys_one(&map, node, force_fields, kinds);
    }
    if (f.def.from > f.def.to) {
        ff_messages_add(r->messages, ff_node_find(node, "to")->place,
                        "to of %s is %g, before its from, %g", where, f.def.to, f.def.from);
    }
    if (ff_messages_total(r->messages) == before && node->kind == FF_NODE_MAP && r->status >= 0 &&
        !f.unplaced) {
        f.def.name = node->key;
        f.def.points = f.times.count;
        f.def.times = f.times.at;
        f.def.factors = f.factors.at;
        ff_reader_added(r, where, node, ff_scene_add_force(r->scene, &f.def));
    }
    ff_free(f.times.at);
    ff_free(f.factors.at);
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
