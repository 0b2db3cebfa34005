/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "body/inertia.h"
#include "scene_reader.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- shapes ---- */

typedef struct sphere {
    const ff_node *name;
    double center[3], radius;
} sphere;

typedef struct box {
    double size[3], corner_radius;
} box;

/* the body whose shape is being read */
typedef struct shape_context {
    ff_scene_reader *reader;
    const char *where; /* such as body 'ball' */
    int body;
} shape_context;

static const ff_key sphere_fields[] = {
    {"radius", ff_key_number, offsetof(sphere, radius), "m", FF_DIM_LENGTH, FF_POSITIVE, INFINITY},
};

static const ff_key spheres_fields[] = {
    {.key = "name", .read = ff_key_node, .offset = offsetof(sphere, name)},
    {"center", ff_key_vector, offsetof(sphere, center), "m, body axes", FF_DIM_LENGTH, 0, 0},
    {"radius", ff_key_number, offsetof(sphere, radius), "m", FF_DIM_LENGTH, 0, INFINITY},
};

static const ff_key box_fields[] = {
    {"size", ff_key_vector, offsetof(box, size), "its edges, m", FF_DIM_LENGTH, FF_POSITIVE,
     INFINITY},
    {"corner_radius", ff_key_number, offsetof(box, corner_radius), NULL, FF_DIM_LENGTH, 0,
     INFINITY},
};

static void add_sphere(const shape_context *c, const ff_node *node, const char *name,
                       const sphere *s, bool listed) {
    int added = ff_scene_add_sphere(c->reader->scene, c->body, name, s->center, s->radius);
    if (ff_reader_added(c->reader, c->where, node, added) >= 0) {
        c->reader->scene->shapes.at[added].listed = listed;
    }
}

static void read_sphere(const ff_map *map, const ff_key *field, const ff_node *node) {
    (void)field;
    const shape_context *c = map->context;
    sphere s = {.radius = 1};
    char where[FF_WHERE];
    ff_where(where, "sphere of %s", c->where);
    ff_keys_read(&(ff_map){map->messages, map->parameters, where, &s, NULL}, node, sphere_fields,
                 FF_COUNT(sphere_fields));
    add_sphere(c, node, NULL, &s, false);
}

/* the name of a sphere in a list: as given, or sphere0, sphere1 ... if there are several */
static const char *sphere_name(const ff_map *map, const ff_node *name, size_t index, bool single,
                               char made[32]) {
    snprintf(made, 32, "sphere%zu", index);
    const char *fallback = single ? NULL : made;
    if (!name) {
        return fallback;
    }
    if (name->kind != FF_NODE_TEXT) {
        ff_node_refuse(map, "name", name, "a word");
        return fallback;
    }
    return ff_node_name(map, "sphere", name->text, name->place) ? name->text : fallback;
}

static bool name_is_taken(const ff_scene *scene, int body, const char *name) {
    for (size_t i = scene->shapes.count; name && i-- > 0 && scene->shapes.at[i].body == body;) {
        const char *other = scene->shapes.at[i].name;
        if (other && strcmp(other, name) == 0) {
            return true;
        }
    }
    return false;
}

static void read_spheres(const ff_map *map, const ff_key *field, const ff_node *node) {
    const shape_context *c = map->context;
    if (node->kind != FF_NODE_LIST || node->count == 0) {
        ff_node_refuse(map, field->key, node, "a list of {center, radius}");
        return;
    }
    size_t index = 0;
    for (const ff_node *item = node->first; item; item = item->next, index++) {
        sphere s = {.radius = 1};
        char where[FF_WHERE], made[32];
        ff_where(where, "spheres[%zu] of %s", index, c->where);
        ff_map inner = {map->messages, map->parameters, where, &s, NULL};
        ff_keys_read(&inner, item, spheres_fields, FF_COUNT(spheres_fields));
        const char *name = sphere_name(&inner, s.name, index, node->count == 1, made);
        if (!ff_messages_full(map->messages) && name_is_taken(c->reader->scene, c->body, name)) {
            ff_messages_add(map->messages, s.name ? s.name->place : item->place,
                            "%s: an earlier sphere is also called '%s'", where, name);
        }
        add_sphere(c, item, name, &s, true);
    }
}

static void read_box(const ff_map *map, const ff_key *field, const ff_node *node) {
    (void)field;
    const shape_context *c = map->context;
    box b = {.size = {1, 1, 1}};
    char where[FF_WHERE];
    ff_where(where, "box of %s", c->where);
    ff_keys_read(&(ff_map){map->messages, map->parameters, where, &b, NULL}, node, box_fields,
                 FF_COUNT(box_fields));
    double most = fmin(b.size[0], fmin(b.size[1], b.size[2])) / 2;
    if (b.corner_radius > most) {
        ff_messages_add(map->messages, ff_node_find(node, "corner_radius")->place,
                        "corner_radius of %s is %g, but must be <= %g, half of its shortest edge",
                        where, b.corner_radius, most);
        b.corner_radius = 0;
    }
    int added = ff_scene_add_box(c->reader->scene, c->body, b.size, b.corner_radius);
    ff_reader_added(c->reader, c->where, node, added);
}

static void read_point(const ff_map *map, const ff_key *field, const ff_node *node) {
    const shape_context *c = map->context;
    if (node->first || (node->kind != FF_NODE_MAP && node->kind != FF_NODE_NONE)) {
        ff_node_refuse(map, field->key, node, "an empty map, {}");
    }
    add_sphere(c, node, NULL, &(sphere){0}, false);
}

static const ff_key shape_fields[] = {
    {.key = "sphere", .read = read_sphere},
    {.key = "spheres", .read = read_spheres},
    {.key = "box", .read = read_box},
    {.key = "point", .read = read_point},
};

static void read_shape(ff_scene_reader *r, const char *body_where, int body, const ff_node *node) {
    shape_context context = {r, body_where, body};
    char where[FF_WHERE];
    ff_where(where, "shape of %s", body_where);
    ff_map map = {r->messages, &r->parameters, where, NULL, &context};
    ff_keys_read(&map, node, shape_fields, FF_COUNT(shape_fields));
    ff_keys_one(&map, node, shape_fields, FF_COUNT(shape_fields));
}

/* ---- bodies ---- */

typedef struct body {
    ff_body_def def;
    const ff_node *shape;
} body;

static bool positive(const double a[3][3]) {
    double minor = a[0][0] * a[1][1] - a[0][1] * a[1][0];
    double determinant = a[0][0] * (a[1][1] * a[2][2] - a[1][2] * a[2][1]) -
                         a[0][1] * (a[1][0] * a[2][2] - a[1][2] * a[2][0]) +
                         a[0][2] * (a[1][0] * a[2][1] - a[1][1] * a[2][0]);
    return a[0][0] > 0 && minor > 0 && determinant > 0;
}

/* reads three rows of three */
static bool read_tensor(const ff_map *map, const ff_key *field, const ff_node *node,
                        double out[3][3]) {
    static const char wanted[] = "a list of three rows of three numbers";
    ff_key any = {.key = field->key, .dim = field->dim};
    bool good = true;
    size_t i = 0;
    for (const ff_node *row = node->first; row; row = row->next) {
        good = ff_node_numbers(map, &any, row, 3, out[i++], wanted) && good;
    }
    if (!good) {
        return false;
    }
    bool symmetric = ff_inertia_mend(out);
    if (!symmetric || !positive((const double(*)[3])out)) {
        ff_messages_add(map->messages, node->place, "%s of %s must be %s", field->key, map->where,
                        symmetric ? "positive definite" : "symmetric");
        return false;
    }
    return true;
}

static void read_inertia(const ff_map *map, const ff_key *field, const ff_node *node) {
    static const char wanted[] = "a number, a list of three, or three rows of three";
    body *b = map->out;
    double moments[3], tensor[3][3];
    if (node->kind == FF_NODE_LIST && node->count == 3 && node->first->kind == FF_NODE_LIST) {
        if (read_tensor(map, field, node, tensor)) {
            memcpy(b->def.inertia, tensor, sizeof tensor);
        }
        return;
    }
    if (node->kind == FF_NODE_TEXT) {
        if (!ff_node_number(map, field, node, &moments[0])) {
            return;
        }
        moments[1] = moments[2] = moments[0];
    } else if (!ff_node_numbers(map, field, node, 3, moments, wanted)) {
        return;
    }
    memset(b->def.inertia, 0, sizeof b->def.inertia);
    for (int i = 0; i < 3; i++) {
        b->def.inertia[i][i] = moments[i];
    }
}

static void lock_word(const ff_map *map, const ff_node *node) {
    static const char *const words[] = {"x", "y", "z", "rx", "ry", "rz", "rotation"};
    static const unsigned masks[] = {FF_LOCK_X,  FF_LOCK_Y,  FF_LOCK_Z,       FF_LOCK_RX,
                                     FF_LOCK_RY, FF_LOCK_RZ, FF_LOCK_ROTATION};
    body *b = map->out;
    int word = ff_node_word(map, "lock", node, words, FF_COUNT(words));
    if (word < 0) {
        return;
    }
    if (b->def.locked & masks[word]) {
        ff_messages_add(map->messages, node->place, "lock of %s names '%s' twice", map->where,
                        words[word]);
    }
    b->def.locked |= masks[word];
}

static void read_lock(const ff_map *map, const ff_key *field, const ff_node *node) {
    if (node->kind == FF_NODE_TEXT) {
        lock_word(map, node);
    } else if (node->kind == FF_NODE_LIST) {
        for (const ff_node *item = node->first; item; item = item->next) {
            lock_word(map, item);
        }
    } else {
        ff_node_refuse(map, field->key, node, "a list of x, y, z, rx, ry, rz, or rotation");
    }
}

#define GROUP(name)                                                                                \
    { .key = name, .read = ff_key_refuse, .need = "for a group of grains: count is missing" }
#define IN_BODY(field) offsetof(body, def) + offsetof(ff_body_def, field)

static const ff_key body_fields[] = {
    {"mass", ff_key_number, IN_BODY(mass), "kg", FF_DIM_MASS, FF_POSITIVE, INFINITY},
    {"inertia", read_inertia, 0, NULL, FF_DIM_INERTIA, FF_POSITIVE, INFINITY},
    {"position", ff_key_vector, IN_BODY(position), NULL, FF_DIM_LENGTH, 0, 0},
    {.key = "orientation", .read = ff_key_orientation, .offset = IN_BODY(orientation)},
    {"velocity", ff_key_vector, IN_BODY(velocity), NULL, FF_DIM_SPEED, 0, 0},
    {"omega", ff_key_vector, IN_BODY(omega), NULL, FF_DIM_RATE, 0, 0},
    {.key = "shape", .read = ff_key_node, .offset = offsetof(body, shape)},
    {.key = "lock", .read = read_lock},
    GROUP("radius"),
    GROUP("density"),
    GROUP("fill"),
    GROUP("seed"),
};

/* Checks combinations of valid parts; the model refuses these too, but without a location. */
static void check_body(const ff_map *map, const ff_node *node, const ff_scene *scene,
                       size_t first_shape) {
    const ff_body_def *def = &((const body *)map->out)->def;
    const ff_node *velocity = ff_node_find(node, "velocity"), *omega = ff_node_find(node, "omega");
    for (int axis = 0; axis < 3; axis++) {
        if ((def->locked >> axis & 1) && def->velocity[axis] != 0) {
            ff_messages_add(map->messages, velocity->place,
                            "velocity of %s is not 0 along %c, which is locked", map->where,
                            "xyz"[axis]);
        }
        if ((def->locked >> (axis + 3) & 1) && def->omega[axis] != 0) {
            ff_messages_add(map->messages, omega->place,
                            "omega of %s is not 0 about %c, which is locked", map->where,
                            "xyz"[axis]);
        }
    }
    /* an invalid shape has its own message */
    bool solid = ff_node_find(node, "shape") && first_shape == scene->shapes.count;
    for (size_t i = first_shape; i < scene->shapes.count; i++) {
        solid = solid || scene->shapes.at[i].radius > 0 || scene->shapes.at[i].box[0] > 0;
    }
    if (!solid && !ff_node_find(node, "inertia") &&
        (def->locked & FF_LOCK_ROTATION) != FF_LOCK_ROTATION) {
        ff_messages_add(map->messages, node->key_place,
                        "%s needs inertia, or lock: rotation: it has no shape with a volume",
                        map->where);
    }
}

static void read_body(ff_scene_reader *r, const ff_node *node) {
    body b = {.def = ff_body_def_default()};
    char where[FF_WHERE];
    ff_where(where, "body '%.63s'", node->key);
    ff_map map = {r->messages, &r->parameters, where, &b, r};
    b.def.name = node->key;
    b.def.mass = 1;
    ff_keys_read(&map, node, body_fields, FF_COUNT(body_fields));

    size_t first_shape = r->scene->shapes.count;
    int index = ff_reader_added(r, where, node, ff_scene_add_body(r->scene, &b.def));
    if (index < 0) {
        return;
    }
    if (b.shape) {
        read_shape(r, where, index, b.shape);
    }
    if (node->kind == FF_NODE_MAP) {
        check_body(&map, node, r->scene, first_shape);
    }
    ff_reader_name(r, (ff_named){node->key, node, index, first_shape, r->scene->shapes.count, 0});
}

void ff_read_bodies(ff_scene_reader *r, const ff_node *node) {
    ff_map map = {r->messages, &r->parameters, "the scene", NULL, r};
    if (node->kind != FF_NODE_MAP || node->count == 0) {
        ff_node_refuse(&map, "bodies", node, "a map of name: {mass: .., shape: ..}");
        return;
    }
    for (const ff_node *entry = node->first; entry; entry = entry->next) {
        bool good = ff_node_name(&map, "body", entry->key, entry->key_place);
        if (good && strcmp(entry->key, "world") == 0) {
            ff_messages_add(r->messages, entry->key_place,
                            "a body cannot be called 'world': in springs and joints that name "
                            "means the ground");
        }
        if (ff_is_grains(entry)) {
            ff_read_grains(r, entry, good ? entry->key : "group");
        } else {
            read_body(r, entry);
        }
    }
}

/* ---- ground ---- */

/* the texts alone: they are compiled with the expressions of a run (scene_motion.c) */
static void read_motion(const ff_map *map, const ff_key *field, const ff_node *node) {
    ff_plane_def *def = map->out;
    const ff_node *item = node->kind == FF_NODE_LIST ? node->first : NULL;
    (void)field;
    for (int c = 0; c < 3 && item; c++, item = item->next) {
        def->motion[c] = item->kind == FF_NODE_TEXT ? item->text : NULL;
    }
}

static const ff_key plane_fields[] = {
    {"point", ff_key_vector, offsetof(ff_plane_def, point), NULL, FF_DIM_LENGTH, 0, 0},
    {.key = "normal",
     .read = ff_key_direction,
     .offset = offsetof(ff_plane_def, normal),
     .need = "out of the ground"},
    {"velocity", ff_key_vector, offsetof(ff_plane_def, velocity), NULL, FF_DIM_SPEED, 0, 0},
    {"surface_velocity", ff_key_vector, offsetof(ff_plane_def, surface_velocity), NULL,
     FF_DIM_SPEED, 0, 0},
    {.key = "motion", .read = read_motion},
};

static void read_plane(const ff_map *map, const ff_key *field, const ff_node *node) {
    (void)field;
    char where[FF_WHERE];
    ff_where(where, "plane of %s", map->where);
    ff_keys_read(&(ff_map){map->messages, map->parameters, where, map->out, NULL}, node,
                 plane_fields, FF_COUNT(plane_fields));
}

static const ff_key ground_fields[] = {{.key = "plane", .read = read_plane}};

void ff_read_ground(ff_scene_reader *r, const ff_node *node) {
    if (node->kind != FF_NODE_MAP && node->kind != FF_NODE_NONE) {
        ff_node_refuse(&(ff_map){r->messages, &r->parameters, "the scene", NULL, NULL}, "ground",
                       node, "a map of name: {plane: {..}}");
        return;
    }
    for (const ff_node *entry = node->first; entry; entry = entry->next) {
        ff_plane_def def = {.size = sizeof(ff_plane_def), .name = entry->key, .normal = {0, 0, 1}};
        char where[FF_WHERE];
        ff_where(where, "ground '%.63s'", entry->key);
        ff_map map = {r->messages, &r->parameters, where, &def, NULL};
        ff_node_name(&map, "ground", entry->key, entry->key_place);
        ff_keys_read(&map, entry, ground_fields, FF_COUNT(ground_fields));
        ff_keys_one(&map, entry, ground_fields, FF_COUNT(ground_fields));
        if (ff_reader_added(r, where, entry, ff_scene_add_plane(r->scene, &def)) >= 0) {
            ff_reader_name(r, (ff_named){entry->key, entry, -1, 0, 0, 0});
        }
    }
}
