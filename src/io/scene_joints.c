/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "num/elementary.h"
#include "num/memory.h"
#include "scene_reader.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct joint {
    ff_joint_def def;
    const ff_node *given; /* the first key that gives an initial coordinate or rate; or NULL */
    const ff_joined *geared[2];       /* the joints that a gear couples; NULL: not known */
    bool moves[FF_JOINT_COORDINATES]; /* coordinates with a prescribed motion */
    const ff_node *held;              /* the first coordinate whose load is a number; or NULL */
} joint;

#define IN_JOINT(field) offsetof(joint, def) + offsetof(ff_joint_def, field)

static void refuse_locked(const ff_map *map, const ff_node *node, int body) {
    const ff_scene_reader *r = map->context;
    if (body >= 0 && r->scene->bodies.at[body].locked) {
        ff_messages_add(map->messages, node->place,
                        "body '%s' has a lock, and %s holds it: a joint with the world can do what "
                        "the lock does",
                        node->text, map->where);
    }
}

/* two bodies; the first may be the world */
static void read_between(const ff_map *map, const ff_key *field, const ff_node *node) {
    joint *j = map->out;
    if (node->kind != FF_NODE_LIST || node->count != 2) {
        ff_node_refuse(map, field->key, node, "two bodies, [a, b]");
        return;
    }
    const ff_node *first = node->first, *second = node->last;
    size_t before = ff_messages_total(map->messages);
    j->def.second = -1;
    if (first->kind != FF_NODE_TEXT || strcmp(first->text, "world") != 0) {
        ff_key a = {.key = field->key, .offset = IN_JOINT(first)};
        ff_key_body(map, &a, first);
    }
    if (second->kind == FF_NODE_TEXT && strcmp(second->text, "world") == 0) {
        ff_messages_add(map->messages, second->place, "%s of %s: world can only come first",
                        field->key, map->where);
        return;
    }
    ff_key b = {.key = field->key, .offset = IN_JOINT(second)};
    ff_key_body(map, &b, second);
    /* an invalid node already has a message */
    if (ff_messages_total(map->messages) > before || j->def.second < 0) {
        return;
    }
    if (j->def.first == j->def.second) {
        ff_messages_add(map->messages, node->place, "%s of %s names one body twice", field->key,
                        map->where);
    } else if (j->def.kind == FF_JOINT_FREE && j->def.first >= 0) {
        ff_messages_add(map->messages, first->place,
                        "%s of %s must begin with world: two bodies that move at will against each "
                        "other need no joint",
                        field->key, map->where);
    }
    refuse_locked(map, first, j->def.first);
    refuse_locked(map, second, j->def.second);
}

/* ---- coordinates ---- */

static void note_start(joint *j, const ff_node *node) { j->given = j->given ? j->given : node; }

static void read_one(const ff_map *map, const ff_key *field, const ff_node *node) {
    note_start(map->out, node);
    ff_key_number(map, field, node);
}

static void read_two(const ff_map *map, const ff_key *field, const ff_node *node) {
    double values[2];
    note_start(map->out, node);
    if (ff_node_numbers(map, field, node, 2, values, "a list of two numbers")) {
        memcpy((char *)map->out + field->offset, values, sizeof values);
    }
}

static void read_three(const ff_map *map, const ff_key *field, const ff_node *node) {
    double values[3];
    note_start(map->out, node);
    if (ff_node_numbers(map, field, node, 3, values, "a list of three numbers")) {
        memcpy((char *)map->out + field->offset, values, sizeof values);
    }
}

static void read_pitch(const ff_map *map, const ff_key *field, const ff_node *node) {
    double *pitch = &((joint *)map->out)->def.pitch;
    if (ff_node_number(map, field, node, pitch) && *pitch == 0) {
        ff_messages_add(map->messages, node->place,
                        "%s of %s must not be 0: that is a revolute joint", field->key, map->where);
    }
}

/* Completes the initial coordinates: those not given are 0 if another is given, or follow the prescribed motion,
 * which is compiled once all names are known (scene_control.c). */
static void fill_start(joint *j) {
    for (int i = 0; i < FF_JOINT_COORDINATES && j->given; i++) {
        if (j->moves[i]) {
            continue;
        }
        j->def.start[i] = isnan(j->def.start[i]) ? 0 : j->def.start[i];
        j->def.rate[i] = isnan(j->def.rate[i]) ? 0 : j->def.rate[i];
    }
}

/* ---- efforts along a coordinate ---- */

/* clang-format off */
#define IN_EFFORT(field) offsetof(ff_joint_effort, field)
static const ff_key turn_limit_fields[] = {
    {"lower", ff_key_number, IN_EFFORT(lower), NULL, FF_DIM_NONE, 0, 0},
    {"upper", ff_key_number, IN_EFFORT(upper), NULL, FF_DIM_NONE, 0, 0},
    {"stiffness", ff_key_number, IN_EFFORT(limit_stiffness), "N m/rad", FF_DIM_TORQUE, FF_POSITIVE, INFINITY},
    {"damping", ff_key_number, IN_EFFORT(limit_damping), NULL, FF_DIM_TIME, 0, INFINITY},
};

static const ff_key slide_limit_fields[] = {
    {"lower", ff_key_number, IN_EFFORT(lower), NULL, FF_DIM_LENGTH, 0, 0},
    {"upper", ff_key_number, IN_EFFORT(upper), NULL, FF_DIM_LENGTH, 0, 0},
    {"stiffness", ff_key_number, IN_EFFORT(limit_stiffness), "N/m", FF_DIM_STIFFNESS, FF_POSITIVE, INFINITY},
    {"damping", ff_key_number, IN_EFFORT(limit_damping), NULL, {0, -1, 1}, 0, INFINITY},
};
/* clang-format on */

static void read_limits(const ff_map *map, const ff_key *field, const ff_node *node, bool slides) {
    ff_joint_effort *e = (ff_joint_effort *)((char *)map->out + field->offset);
    char where[FF_WHERE];
    ff_where(where, "%s of %s", field->key, map->where);
    ff_map inner = {map->messages, map->parameters, where, e, map->context};
    const ff_key *fields = slides ? slide_limit_fields : turn_limit_fields;
    if (node->kind == FF_NODE_MAP && ff_node_find(node, "law")) {
        for (int i = 0; i < 2; i++) {
            const ff_node *side = ff_node_find(node, fields[i].key);
            if (side) {
                fields[i].read(&inner, &fields[i], side);
            }
        }
        ff_read_stop(map->context, where, node, !slides, &e->limit);
    } else {
        ff_keys_read(&inner, node, fields, FF_COUNT(turn_limit_fields));
    }
    if (node->kind != FF_NODE_MAP && node->kind != FF_NODE_NONE) {
        return;
    }
    if (!ff_node_find(node, "lower") && !ff_node_find(node, "upper")) {
        ff_messages_add(map->messages, node->key_place, "%s needs lower or upper", where);
    }
    if (e->lower > e->upper) {
        ff_messages_add(map->messages, ff_node_find(node, "upper")->place,
                        "upper of %s is %g, below its lower, %g", where, e->upper, e->lower);
    }
}

static void read_turn_limits(const ff_map *map, const ff_key *field, const ff_node *node) {
    read_limits(map, field, node, false);
}

static void read_slide_limits(const ff_map *map, const ff_key *field, const ff_node *node) {
    read_limits(map, field, node, true);
}

/* The limit of the swing of a spherical joint. */
static void read_swing(const ff_map *map, const ff_key *field, const ff_node *node) {
    const ff_joint_effort *e = (ff_joint_effort *)((char *)map->out + field->offset);
    read_limits(map, field, node, false);
    if (!isinf(e->lower)) {
        ff_messages_add(map->messages, ff_node_find(node, "lower")->key_place,
                        "%s of %s: a swing has no lower limit", field->key, map->where);
    } else if (!(e->upper > 0 && e->upper < FF_PI) && !isinf(e->upper)) {
        ff_messages_add(map->messages, ff_node_find(node, "upper")->place,
                        "upper of %s of %s is %g, and must be between 0 and 180 deg", field->key,
                        map->where, e->upper);
    }
}

static void read_friction(const ff_map *map, const ff_key *field, const ff_node *node,
                          bool slides) {
    ff_joint_effort *e = (ff_joint_effort *)((char *)map->out + field->offset);
    char where[FF_WHERE];
    ff_where(where, "%s of %s", field->key, map->where);
    /* the load is constant: no parameter depends on a depth */
    const ff_beside beside = {.n = 1, .k = NAN, .lambda = NAN};
    ff_read_friction(map->context, where, node, &beside, !slides, &e->friction);
}

static void read_turn_friction(const ff_map *map, const ff_key *field, const ff_node *node) {
    read_friction(map, field, node, false);
}

static void read_slide_friction(const ff_map *map, const ff_key *field, const ff_node *node) {
    read_friction(map, field, node, true);
}

static void check_friction(const ff_map *map, const ff_node *node, bool slides) {
    const ff_node *friction = ff_node_find(node, "friction"), *load = ff_node_find(node, "load");
    if (friction && !load) {
        ff_messages_add(map->messages, friction->key_place,
                        "%s has friction, and needs load (what presses on it, %s)", map->where,
                        slides ? "N" : "N m");
    }
    if (load && !friction) {
        ff_messages_add(map->messages, load->key_place,
                        "%s has a load, and needs friction for it to act", map->where);
    }
}

static bool is_reaction(const ff_node *load) {
    return load && load->kind == FF_NODE_TEXT && strcmp(load->text, "reaction") == 0;
}

/* A number, or `reaction`. */
static void read_load(const ff_map *map, const ff_key *field, const ff_node *node) {
    joint *j = map->out;
    j->def.loaded = is_reaction(node);
    if (!j->def.loaded) {
        ff_key_number(map, field, node);
    }
}

/* The load of one coordinate of several; read_coordinate() copies it to the joint. */
static void read_own_load(const ff_map *map, const ff_key *field, const ff_node *node) {
    if (!is_reaction(node)) {
        ff_key_number(map, field, node);
    }
}

static void refuse_states(const ff_map *map, const ff_node *node, const ff_friction *law) {
    const ff_node *friction = ff_node_find(node, "friction");
    if (friction && law->vectors > 0 && law->law->level == FF_LEVEL_LOAD) {
        ff_messages_add(
            map->messages, friction->place,
            "friction of %s has a spring that gets stiffer with the load, and must have "
            "none under its reaction (take clutch, sat, coulomb, awrejcewicz or "
            "bengisu-akay)",
            map->where);
    }
}

/* Checks what friction under the joint's own reaction requires and excludes. */
static void check_reaction(const ff_map *map, const ff_node *node) {
    static const char *const keys[] = {"bearing_radius", "bearing_length"};
    const joint *j = map->out;
    const ff_node *load = ff_node_find(node, "load");
    bool turns = false;
    for (int c = 0; ff_joint_coordinate_name(j->def.kind, c); c++) {
        turns =
            turns || (j->def.along[c].friction.law && !ff_joint_coordinate_slides(j->def.kind, c));
    }
    for (size_t i = 0; i < FF_COUNT(keys); i++) {
        const ff_node *bearing = ff_node_find(node, keys[i]);
        if (bearing && !j->def.loaded) {
            ff_messages_add(map->messages, bearing->key_place, "%s of %s is for `load: reaction`",
                            keys[i], map->where);
        }
    }
    if (j->def.loaded && (turns || j->def.kind == FF_JOINT_REVOLUTE) &&
        !ff_node_find(node, "bearing_radius")) {
        ff_messages_add(map->messages, load ? load->place : ff_node_find(node, "along")->key_place,
                        "load of %s is its reaction, a force, and needs bearing_radius to be a "
                        "torque",
                        map->where);
    }
    if (j->def.loaded && load) {
        refuse_states(map, node, &j->def.along[0].friction);
    }
    if (j->def.loaded && j->held) {
        ff_messages_add(map->messages, j->held->place,
                        "load of %s is a number here and its reaction elsewhere: it is the "
                        "reaction of all coordinates with friction, or of none",
                        map->where);
    }
}

/* Marks a coordinate with a prescribed motion, which determines how the second body starts. It is compiled with the
 * expressions of a run (scene_motion.c). */
static void note_motion(joint *j, int c, const ff_node *node) {
    j->def.motion[c] = node && node->kind == FF_NODE_TEXT ? node->text : NULL;
    j->moves[c] = true;
}

/* The prescribed motion of a joint's only coordinate, or of all three of a spherical joint. */
static void read_motion(const ff_map *map, const ff_key *field, const ff_node *node) {
    joint *j = map->out;
    (void)field;
    note_start(j, node);
    if (j->def.kind != FF_JOINT_SPHERICAL) {
        note_motion(j, 0, node);
        return;
    }
    const ff_node *item = node->kind == FF_NODE_LIST ? node->first : NULL;
    for (int c = 0; c < 3; c++) {
        note_motion(j, c, item);
        item = item ? item->next : NULL;
    }
}

static void skip(const ff_map *map, const ff_key *field, const ff_node *node) {
    (void)map, (void)field, (void)node;
}

/* clang-format off */
#define MOTION {.key = "motion", .read = read_motion}
#define TURN_SPRING(at) \
    {"stiffness", ff_key_number, (at) + IN_EFFORT(stiffness), NULL, FF_DIM_TORQUE, 0, INFINITY}, \
    {"rest", ff_key_number, (at) + IN_EFFORT(rest), NULL, FF_DIM_NONE, 0, 0}, \
    {"damping", ff_key_number, (at) + IN_EFFORT(damping), NULL, FF_DIM_TURN_DAMPING, 0, INFINITY}, \
    {.key = "limits", .read = read_turn_limits, .offset = (at)}, \
    {.key = "friction", .read = read_turn_friction, .offset = (at)}
#define TURN_EFFORT(at) \
    TURN_SPRING(at), {"load", read_own_load, (at) + IN_EFFORT(load), NULL, FF_DIM_TORQUE, 0, INFINITY}
#define SLIDE_SPRING(at) \
    {"stiffness", ff_key_number, (at) + IN_EFFORT(stiffness), NULL, FF_DIM_STIFFNESS, 0, INFINITY}, \
    {"rest", ff_key_number, (at) + IN_EFFORT(rest), NULL, FF_DIM_LENGTH, 0, 0}, \
    {"damping", ff_key_number, (at) + IN_EFFORT(damping), NULL, FF_DIM_DAMPING, 0, INFINITY}, \
    {.key = "limits", .read = read_slide_limits, .offset = (at)}, \
    {.key = "friction", .read = read_slide_friction, .offset = (at)}
#define SLIDE_EFFORT(at) \
    SLIDE_SPRING(at), {"load", read_own_load, (at) + IN_EFFORT(load), NULL, FF_DIM_FORCE, 0, INFINITY}
static const ff_key turn_fields[] = {TURN_EFFORT(0), {.key = "motion", .read = skip}};
static const ff_key slide_fields[] = {SLIDE_EFFORT(0), {.key = "motion", .read = skip}};
/* clang-format on */

/* one coordinate of several; the key is its name */
static void read_coordinate(const ff_map *map, const ff_key *field, const ff_node *node) {
    joint *j = map->out;
    int c = 0;
    char where[FF_WHERE];
    while (strcmp(ff_joint_coordinate_name(j->def.kind, c), field->key) != 0) {
        c++;
    }
    const bool slides = ff_joint_coordinate_slides(j->def.kind, c);
    ff_where(where, "%s of %s", field->key, map->where);
    ff_map inner = {map->messages, map->parameters, where, &j->def.along[c], map->context};
    ff_keys_read(&inner, node, slides ? slide_fields : turn_fields, FF_COUNT(turn_fields));
    check_friction(&inner, node, slides);
    const ff_node *load = node->kind == FF_NODE_MAP ? ff_node_find(node, "load") : NULL;
    if (is_reaction(load)) {
        j->def.loaded = true;
        refuse_states(&inner, node, &j->def.along[c].friction);
    } else if (load) {
        j->held = j->held ? j->held : load;
    }
    const ff_node *motion = node->kind == FF_NODE_MAP ? ff_node_find(node, "motion") : NULL;
    if (motion) {
        note_start(j, motion);
        note_motion(j, c, motion);
    }
}

static void read_along(const ff_map *map, const ff_key *field, const ff_node *node) {
    const joint *j = map->out;
    ff_key keys[FF_JOINT_COORDINATES];
    size_t count = 0;
    const char *name;
    char where[FF_WHERE];
    while ((name = ff_joint_coordinate_name(j->def.kind, (int)count))) {
        keys[count++] = (ff_key){.key = name, .read = read_coordinate};
    }
    ff_where(where, "%s of %s", field->key, map->where);
    ff_map inner = {map->messages, map->parameters, where, map->out, map->context};
    ff_keys_read(&inner, node, keys, count);
}

/* ---- gears ---- */

/* two joints defined before */
static void read_geared(const ff_map *map, const ff_key *field, const ff_node *node) {
    joint *j = map->out;
    const ff_scene_reader *r = map->context;
    if (node->kind != FF_NODE_LIST || node->count != 2) {
        ff_node_refuse(map, field->key, node, "two joints, [a, b]");
        return;
    }
    const ff_node *name = node->first;
    for (int i = 0; i < 2; i++, name = name->next) {
        const ff_joined *found = NULL;
        for (size_t k = 0; k < r->joints.count && name->kind == FF_NODE_TEXT; k++) {
            found = strcmp(r->joints.at[k].name, name->text) == 0 ? &r->joints.at[k] : found;
        }
        if (name->kind != FF_NODE_TEXT) {
            ff_node_refuse(map, field->key, name, "the name of a joint");
        } else if (!found) {
            ff_messages_add(map->messages, name->place, "no joint '%.60s' before %s", name->text,
                            map->where);
        } else if (!ff_joint_coordinate_name(found->kind, 0) || found->kind == FF_JOINT_SPHERICAL) {
            ff_messages_add(map->messages, name->place,
                            "%s of %s must have coordinates, and '%s' is %s", field->key,
                            map->where, found->name, ff_joint_kind_name(found->kind));
        } else {
            j->geared[i] = found;
            j->def.joints[i] = found->index;
        }
    }
}

/* The coordinates that a gear couples, and its ratio, in units of the second per unit of the first. */
static void read_couple(const ff_map *map, const ff_node *node) {
    joint *j = map->out;
    const ff_node *names = ff_node_find(node, "coordinates"), *ratio = ff_node_find(node, "ratio");
    double length = 0;
    if (!j->geared[0] || !j->geared[1]) {
        return;
    }
    if (names && (names->kind != FF_NODE_LIST || names->count != 2)) {
        ff_node_refuse(map, "coordinates", names, "two coordinates, [a, b]");
        return;
    }
    for (int i = 0; i < 2; i++) {
        const ff_joint_kind kind = j->geared[i]->kind;
        const char *words[FF_JOINT_COORDINATES];
        size_t count = 0;
        while (ff_joint_coordinate_name(kind, (int)count)) {
            words[count] = ff_joint_coordinate_name(kind, (int)count);
            count++;
        }
        if (!names && count > 1) {
            ff_messages_add(map->messages, node->key_place,
                            "%s needs coordinates, for joint '%s' has several", map->where,
                            j->geared[i]->name);
            return;
        }
        int c = names
                    ? ff_node_word(map, "coordinate", i ? names->last : names->first, words, count)
                    : 0;
        if (c < 0) {
            return;
        }
        j->def.coordinates[i] = c;
        length += (i ? 1 : -1) * ff_joint_coordinate_slides(kind, c);
    }
    if (j->geared[0] == j->geared[1] && j->def.coordinates[0] == j->def.coordinates[1]) {
        ff_messages_add(map->messages, names ? names->place : ff_node_find(node, "joints")->place,
                        "%s couples a coordinate with itself", map->where);
        return;
    }
    const ff_key field = {.key = "ratio", .dim = {0, length, 0}};
    if (ratio && ff_node_number(map, &field, ratio, &j->def.ratio) && j->def.ratio == 0) {
        ff_messages_add(map->messages, ratio->place, "ratio of %s must not be 0", map->where);
    }
}

/* ---- kinds of joints ---- */

/* clang-format off */
#define BOTH \
    {.key = "between", .read = read_between, .need = "two bodies, [a, b]"}, \
    {"anchor", ff_key_vector, IN_JOINT(anchor), NULL, FF_DIM_LENGTH, 0, 0}, \
    {"second_anchor", ff_key_vector, IN_JOINT(second_anchor), NULL, FF_DIM_LENGTH, 0, 0}, \
    {.key = "orientation", .read = ff_key_orientation, .offset = IN_JOINT(turn)}
#define AXIS \
    {.key = "axis", .read = ff_key_direction, .offset = IN_JOINT(axis), .need = "a vector"}
#define ALONG {.key = "along", .read = read_along}
#define NO_SPRINGS(why) \
    {.key = "stiffness", .read = ff_key_refuse, .need = why}, {.key = "rest", .read = ff_key_refuse, .need = why}, \
    {.key = "damping", .read = ff_key_refuse, .need = why}, {.key = "limits", .read = ff_key_refuse, .need = why}, \
    {.key = "friction", .read = ff_key_refuse, .need = why}, {.key = "load", .read = ff_key_refuse, .need = why}, \
    {.key = "motion", .read = ff_key_refuse, .need = why}
#define RADIUS {"bearing_radius", ff_key_number, IN_JOINT(bearing), NULL, FF_DIM_LENGTH, FF_POSITIVE, INFINITY}
#define REACTS {"load", read_load, IN_JOINT(along) + IN_EFFORT(load), NULL, FF_DIM_TORQUE, 0, INFINITY}, RADIUS
#define SEVERAL "given for each coordinate, under along"
#define NO_ALONG(why) {.key = "along", .read = ff_key_refuse, .need = why}
#define NO_AXIS {.key = "axis", .read = ff_key_refuse, .need = "for joints that have one"}

static const ff_key revolute_fields[] = {
    BOTH, AXIS,
    {"angle", read_one, IN_JOINT(start), NULL, FF_DIM_NONE, 0, 0},
    {"rate", read_one, IN_JOINT(rate), NULL, FF_DIM_RATE, 0, 0},
    TURN_SPRING(IN_JOINT(along)),
    REACTS,
    MOTION,
    NO_ALONG("for joints with several coordinates"),
};

static const ff_key prismatic_fields[] = {
    BOTH, AXIS,
    {"distance", read_one, IN_JOINT(start), NULL, FF_DIM_LENGTH, 0, 0},
    {"speed", read_one, IN_JOINT(rate), NULL, FF_DIM_SPEED, 0, 0},
    SLIDE_SPRING(IN_JOINT(along)),
    {"load", read_load, IN_JOINT(along) + IN_EFFORT(load), NULL, FF_DIM_FORCE, 0, INFINITY},
    {"bearing_length", ff_key_number, IN_JOINT(bearing), NULL, FF_DIM_LENGTH, FF_POSITIVE, INFINITY},
    MOTION,
    NO_ALONG("for joints with several coordinates"),
};

static const ff_key universal_fields[] = {
    BOTH, AXIS,
    {.key = "second_axis", .read = ff_key_direction, .offset = IN_JOINT(second_axis),
     .need = "a vector"},
    {"angles", read_two, IN_JOINT(start), NULL, FF_DIM_NONE, 0, 0},
    {"rates", read_two, IN_JOINT(rate), NULL, FF_DIM_RATE, 0, 0},
    RADIUS, ALONG, NO_SPRINGS(SEVERAL),
};

static const ff_key planar_fields[] = {
    BOTH, AXIS,
    {"position", read_two, IN_JOINT(start), NULL, FF_DIM_LENGTH, 0, 0},
    {"angle", read_one, IN_JOINT(start[2]), NULL, FF_DIM_NONE, 0, 0},
    {"velocity", read_two, IN_JOINT(rate), NULL, FF_DIM_SPEED, 0, 0},
    {"rate", read_one, IN_JOINT(rate[2]), NULL, FF_DIM_RATE, 0, 0},
    RADIUS, ALONG, NO_SPRINGS(SEVERAL),
};

static const ff_key cylindrical_fields[] = {
    BOTH, AXIS,
    {"distance", read_one, IN_JOINT(start), NULL, FF_DIM_LENGTH, 0, 0},
    {"angle", read_one, IN_JOINT(start[1]), NULL, FF_DIM_NONE, 0, 0},
    {"speed", read_one, IN_JOINT(rate), NULL, FF_DIM_SPEED, 0, 0},
    {"rate", read_one, IN_JOINT(rate[1]), NULL, FF_DIM_RATE, 0, 0},
    RADIUS,
    {"bearing_length", ff_key_number, IN_JOINT(bearing_length), NULL, FF_DIM_LENGTH, FF_POSITIVE, INFINITY},
    ALONG, NO_SPRINGS(SEVERAL),
};

static const ff_key screw_fields[] = {
    BOTH, AXIS,
    {"pitch", read_pitch, IN_JOINT(pitch), "way by angle, m/rad", FF_DIM_LENGTH, 0, 0},
    {"angle", read_one, IN_JOINT(start), NULL, FF_DIM_NONE, 0, 0},
    {"rate", read_one, IN_JOINT(rate), NULL, FF_DIM_RATE, 0, 0},
    TURN_SPRING(IN_JOINT(along)), REACTS, MOTION,
    NO_ALONG("for joints with several coordinates"),
};

static const ff_key gear_fields[] = {
    {.key = "joints", .read = read_geared, .need = "two joints, [a, b]"},
    {.key = "coordinates", .read = skip},
    {.key = "ratio", .read = skip, .need = "rate of the second by that of the first"},
};

static const ff_key spherical_fields[] = {
    BOTH,
    {.key = "axis", .read = ff_key_direction, .offset = IN_JOINT(axis)},
    {"rotation", read_three, IN_JOINT(start), NULL, FF_DIM_NONE, 0, 0},
    {"rates", read_three, IN_JOINT(rate), NULL, FF_DIM_RATE, 0, 0},
    {"stiffness", ff_key_number, IN_JOINT(along) + IN_EFFORT(stiffness), NULL, FF_DIM_TORQUE, 0, INFINITY},
    {"damping", ff_key_number, IN_JOINT(along) + IN_EFFORT(damping), NULL, FF_DIM_TURN_DAMPING, 0, INFINITY},
    {.key = "limits", .read = read_swing, .offset = IN_JOINT(along)},
    {.key = "friction", .read = read_turn_friction, .offset = IN_JOINT(along)},
    REACTS,
    {.key = "rest", .read = ff_key_refuse, .need = "what orientation says"},
    MOTION,
    NO_ALONG("for joints whose coordinates have springs of their own"),
};

/* fixed and free */
static const ff_key other_fields[] = {BOTH, NO_AXIS, NO_SPRINGS("for joints that have coordinates"),
                                      NO_ALONG("for joints that have coordinates")};
/* clang-format on */

/* largest cosine of axes that count as perpendicular: allows for rounding of axes given by expressions */
static const double square_most = 1e-9;

/* cosine of the angle between two directions, the second rotated by a quaternion of any length but 0 */
static double cosine_of(const double a[3], const double b[3], const double q[4]) {
    double across[3], part = q[1] * b[0] + q[2] * b[1] + q[3] * b[2], dot = 0, aa = 0, bb = 0;
    double square = q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
    across[0] = q[2] * b[2] - q[3] * b[1];
    across[1] = q[3] * b[0] - q[1] * b[2];
    across[2] = q[1] * b[1] - q[2] * b[0];
    for (int i = 0; i < 3; i++) {
        /* (w^2 - |v|^2) b + 2 (v.b) v + 2 w v x b, longer by |q|^2 */
        double turned = (q[0] * q[0] - square) * b[i] + 2 * part * q[i + 1] + 2 * q[0] * across[i];
        dot += a[i] * turned;
        aa += a[i] * a[i];
        bb += turned * turned;
    }
    return dot / sqrt(aa * bb);
}

static void check_axes(const ff_map *map, const ff_joint_def *def, const ff_node *node) {
    double cosine = cosine_of(def->axis, def->second_axis, def->turn);
    if (fabs(cosine) > square_most) {
        ff_messages_add(map->messages, node->place,
                        "second_axis of %s must be square to axis, and has %g deg against it",
                        map->where, ff_acos(fmin(1, fmax(-1, cosine))) * (180 / FF_PI));
    }
}

/* Reads a joint of one kind with its table of keys, and checks combinations of keys. */
static void read_kind(const ff_map *map, const ff_key *field, const ff_node *node,
                      ff_joint_kind kind, const ff_key *fields, size_t count) {
    joint *j = map->out;
    char where[FF_WHERE];
    size_t before = ff_messages_total(map->messages);
    j->def.kind = kind;
    ff_where(where, "%s of %s", field->key, map->where);
    ff_map inner = {map->messages, map->parameters, where, j, map->context};
    ff_keys_read(&inner, node, fields, count);
    if (ff_joint_coordinate_name(kind, 0) && !ff_joint_coordinate_name(kind, 1)) {
        check_friction(&inner, node, kind == FF_JOINT_PRISMATIC);
    }
    if (ff_joint_coordinate_name(kind, 0) && node->kind == FF_NODE_MAP) {
        check_reaction(&inner, node);
    }
    if (kind == FF_JOINT_SPHERICAL) {
        const ff_node *axis = ff_node_find(node, "axis"), *limits = ff_node_find(node, "limits");
        check_friction(&inner, node, false);
        if (!axis != !limits) {
            ff_messages_add(map->messages, (axis ? axis : limits)->key_place,
                            axis ? "axis of %s is for limits of its swing, and there are none"
                                 : "limits of %s need axis, from which it swings",
                            where);
        }
    }
    if (kind == FF_JOINT_UNIVERSAL && ff_messages_total(map->messages) == before) {
        check_axes(&inner, &j->def, ff_node_find(node, "second_axis"));
    }
    if (kind == FF_JOINT_GEAR) {
        read_couple(&inner, node);
    }
    fill_start(j);
}

/* clang-format off */
#define KIND(name, kind, fields) \
    static void read_##name(const ff_map *map, const ff_key *field, const ff_node *node) { \
        read_kind(map, field, node, kind, fields, FF_COUNT(fields)); \
    }
/* clang-format on */
KIND(revolute, FF_JOINT_REVOLUTE, revolute_fields)
KIND(prismatic, FF_JOINT_PRISMATIC, prismatic_fields)
KIND(spherical, FF_JOINT_SPHERICAL, spherical_fields)
KIND(universal, FF_JOINT_UNIVERSAL, universal_fields)
KIND(fixed, FF_JOINT_FIXED, other_fields)
KIND(planar, FF_JOINT_PLANAR, planar_fields)
KIND(free, FF_JOINT_FREE, other_fields)
KIND(cylindrical, FF_JOINT_CYLINDRICAL, cylindrical_fields)
KIND(screw, FF_JOINT_SCREW, screw_fields)
KIND(gear, FF_JOINT_GEAR, gear_fields)

static const ff_key joint_fields[] = {
    {.key = "revolute", .read = read_revolute},   {.key = "prismatic", .read = read_prismatic},
    {.key = "spherical", .read = read_spherical}, {.key = "universal", .read = read_universal},
    {.key = "fixed", .read = read_fixed},         {.key = "planar", .read = read_planar},
    {.key = "free", .read = read_free},           {.key = "cylindrical", .read = read_cylindrical},
    {.key = "screw", .read = read_screw},         {.key = "gear", .read = read_gear},
};

/* ---- initial positions of bodies ---- */

/* Lets a joint determine how its second body starts; a conflict with another joint or key is reported. `placers` has
 * the joint that places each body, -1 if none. */
static void place_body(ff_scene_reader *r, int *placers, const joint *j, int index) {
    static const char *const keys[] = {"position", "orientation", "velocity", "omega"};
    const char *body = r->scene->bodies.at[j->def.second].name;
    int *placer = &placers[j->def.second];
    ff_named named;
    if (*placer >= 0) {
        ff_messages_add(r->messages, j->given->key_place,
                        "%s of joint '%s': how body '%s' starts is given by joint '%s' already",
                        j->given->key, j->def.name, body, r->scene->joints.at[*placer].name);
        return;
    }
    *placer = index;
    for (size_t i = 0; i < FF_COUNT(keys) && ff_reader_find(r, body, &named); i++) {
        const ff_node *own = ff_node_find(named.node, keys[i]);
        if (own) {
            ff_messages_add(r->messages, own->key_place,
                            "%s of body '%s' is one too many: %s of joint '%s' says how it starts",
                            keys[i], body, j->given->key, j->def.name);
        }
    }
}

/* Reports a body whose initial position depends on itself through a cycle of joints. */
static void check_circle(ff_scene_reader *r, const int *placers, const joint *j) {
    int body = j->def.first;
    size_t most = r->scene->joints.count;
    while (body >= 0 && body != j->def.second && placers[body] >= 0 && most-- > 0) {
        body = r->scene->joints.at[placers[body]].first;
    }
    if (body == j->def.second) {
        ff_messages_add(r->messages, j->given->key_place,
                        "%s of joint '%s': body '%s' would start by itself, around a loop; "
                        "leave one joint of it without",
                        j->given->key, j->def.name, r->scene->bodies.at[body].name);
    }
}

/* ---- joints ---- */

static void read_joint(ff_scene_reader *r, const ff_node *node, int *placers) {
    joint j = {.def = ff_joint_def_default()};
    size_t before = ff_messages_total(r->messages);
    char where[FF_WHERE];
    int index = -1;
    ff_where(where, "joint '%.63s'", node->key);
    ff_map map = {r->messages, &r->parameters, where, &j, r};
    ff_node_name(&map, "joint", node->key, node->key_place);
    ff_keys_read(&map, node, joint_fields, FF_COUNT(joint_fields));
    ff_keys_one(&map, node, joint_fields, FF_COUNT(joint_fields));
    j.def.name = node->key;
    /* invalid keys already have a message */
    const bool wrong = j.def.second < 0 || (j.def.kind == FF_JOINT_GEAR &&
                                            (j.def.joints[0] < 0 || j.def.joints[1] < 0));
    if (ff_messages_total(r->messages) == before && node->kind == FF_NODE_MAP && r->status >= 0 &&
        !wrong) {
        index = ff_reader_added(r, where, node, ff_scene_add_joint(r->scene, &j.def));
    }
    if (index >= 0 && j.given) {
        place_body(r, placers, &j, index);
        check_circle(r, placers, &j);
    }
    if (!FF_GROW(r->joints)) {
        r->status = FF_NO_MEMORY;
        return;
    }
    r->joints.at[r->joints.count++] = (ff_joined){node->key, j.def.kind, index};
}

void ff_read_joints(ff_scene_reader *r, const ff_node *node) {
    size_t bodies = r->scene->bodies.count;
    if (node->kind != FF_NODE_MAP && node->kind != FF_NODE_NONE) {
        ff_node_refuse(&(ff_map){r->messages, &r->parameters, "the scene", NULL, NULL}, "joints",
                       node, "a map of name: {revolute: {..}}");
        return;
    }
    int *placers = ff_malloc((bodies + 1) * sizeof *placers);
    if (!placers) {
        r->status = FF_NO_MEMORY;
        return;
    }
    for (size_t i = 0; i < bodies; i++) {
        placers[i] = -1;
    }
    for (const ff_node *entry = node->first; entry; entry = entry->next) {
        read_joint(r, entry, placers);
    }
    ff_free(placers);
}
