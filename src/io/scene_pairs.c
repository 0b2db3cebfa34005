/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "expr/word.h"
#include "scene_reader.h"
#include <footfall/material.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- who touches ---- */

/* One of the two names of a pair. */
typedef struct side {
    const char *name;
    bool known;     /* else a pattern, or nothing */
    ff_named named; /* with the one shape of body.shape */
} side;

/* a group fits by the names of its grains */
static bool fits_grains(const ff_scene *scene, const ff_named *named, const char *pattern) {
    for (size_t i = 0; i < named->grains; i++) {
        if (ff_word_fits(pattern, scene->bodies.at[(size_t)named->body + i].name)) {
            return true;
        }
    }
    return false;
}

static bool fits_any(const ff_scene_reader *r, const char *pattern) {
    const ff_scene *scene = r->scene;
    for (size_t i = 0; i < r->names.count; i++) {
        const ff_named *named = &r->names.at[i];
        if (named->grains ? fits_grains(scene, named, pattern)
                          : ff_word_fits(pattern, named->name)) {
            return true;
        }
        for (size_t j = named->shape;
             strchr(pattern, '.') && !named->grains && j < named->shape_end; j++) {
            char full[160];
            snprintf(full, sizeof full, "%s.%s", named->name,
                     scene->shapes.at[j].name ? scene->shapes.at[j].name : "");
            if (ff_word_fits(pattern, full)) {
                return true;
            }
        }
    }
    return false;
}

/* body.shape; false, reported, where there is no such shape */
static bool find_shape(ff_scene_reader *r, const ff_map *map, const ff_node *node, side *s) {
    const char *dot = strchr(node->text, '.'), *names[64];
    char body[80] = "", hint[FF_HINT];
    size_t length = (size_t)(dot - node->text), count = 0;
    memcpy(body, node->text, length < sizeof body ? length : 0);
    if (!ff_reader_find(r, body, &s->named) || s->named.body < 0) {
        ff_reader_unknown(r, map, node, true);
        return false;
    }
    for (size_t i = s->named.shape; i < s->named.shape_end; i++) {
        const char *name = r->scene->shapes.at[i].name;
        if (name && strcmp(name, dot + 1) == 0) {
            s->known = true;
            s->named.shape = i;
            s->named.shape_end = i + 1;
            return true;
        }
        if (name && count < FF_COUNT(names)) {
            names[count++] = name;
        }
    }
    ff_messages_add(map->messages, node->place, "body '%s' has no shape '%.60s'%s", body, dot + 1,
                    ff_word_hint(map, dot + 1, names, count, hint));
    return false;
}

static bool read_side(ff_scene_reader *r, const ff_map *map, const ff_node *node, side *s) {
    if (node->kind != FF_NODE_TEXT) {
        ff_node_refuse(map, "between", node, "two names");
        return false;
    }
    s->name = node->text;
    if (strchr(node->text, '*')) {
        if (!ff_messages_full(map->messages) && !fits_any(r, node->text)) {
            ff_messages_add(map->messages, node->place, "no body or plane fits '%.60s' in %s",
                            node->text, map->where);
        }
        return true;
    }
    if (strchr(node->text, '.')) {
        return find_shape(r, map, node, s);
    }
    s->known = ff_reader_find(r, node->text, &s->named);
    if (!s->known) {
        ff_reader_unknown(r, map, node, true);
        return false;
    }
    if (s->named.body >= 0 && s->named.shape == s->named.shape_end &&
        !ff_node_find(s->named.node, "shape")) {
        ff_messages_add(map->messages, node->place, "body '%s' has no shape to touch with",
                        s->name);
        return false;
    }
    return true;
}

static bool all_spheres(const ff_scene *scene, const ff_named *named) {
    for (size_t i = named->shape; i < named->shape_end; i++) {
        if (!(scene->shapes.at[i].radius > 0) || scene->shapes.at[i].box[0] > 0) {
            return false;
        }
    }
    return true;
}

/* two things by their own names that no geometry is there for; the model refuses them, too */
static void check_sides(const ff_scene_reader *r, const ff_node *node, const side sides[2]) {
    const char *why = NULL;
    const ff_named *a = &sides[0].named, *b = &sides[1].named;
    if (!sides[0].known || !sides[1].known) {
        return;
    }
    if (a->body < 0 && b->body < 0) {
        why = "both are ground";
    } else if (a->body == b->body && !a->grains && !b->grains) {
        why = "they are one body";
    } else if (a->body >= 0 && b->body >= 0 &&
               !(all_spheres(r->scene, a) && all_spheres(r->scene, b))) {
        why = "only spheres meet spheres";
    }
    if (why) {
        ff_messages_add(r->messages, node->place, "there is no contact between '%s' and '%s': %s",
                        sides[0].name, sides[1].name, why);
    }
}

static bool read_between(ff_scene_reader *r, const ff_map *map, const ff_node *node,
                         side sides[2]) {
    if (node->kind != FF_NODE_LIST || node->count != 2) {
        ff_node_refuse(map, "between", node, "two names, [a, b]");
        return false;
    }
    bool first = read_side(r, map, node->first, &sides[0]);
    bool second = read_side(r, map, node->last, &sides[1]);
    if (first && second) {
        check_sides(r, node, sides);
    }
    return first && second;
}

/* ---- stiffness from materials ---- */

/* the one radius of a side; NAN, reported, where it has none */
static double radius_of(const ff_map *map, const ff_node *node, const ff_scene *scene,
                        const side *s) {
    const ff_named *named = &s->named;
    if (!s->known) {
        ff_messages_add(map->messages, node->place,
                        "material of %s needs a radius, and '%s' is a pattern: give k", map->where,
                        s->name);
        return (double)NAN;
    }
    double radius = INFINITY;
    for (size_t i = named->shape; i < named->shape_end; i++) {
        double other = scene->shapes.at[i].radius;
        if (!(other > 0) || (i > named->shape && other != radius)) {
            ff_messages_add(
                map->messages, node->place,
                named->grains ? "material of %s needs a radius, and '%s' has grains of several: "
                                "give k"
                : other > 0   ? "material of %s needs a radius, and '%s' has several: name "
                                "one shape, or give k"
                              : "material of %s needs a radius, and that of '%s' is 0: give k",
                map->where, s->name);
            return (double)NAN;
        }
        radius = other;
    }
    return radius;
}

static const ff_material *read_material(const ff_map *map, const ff_node *node) {
    const char *names[32];
    size_t count = 0;
    for (const ff_material *m; count < FF_COUNT(names) && (m = ff_material_at(count)); count++) {
        names[count] = m->name;
    }
    int index = ff_node_word(map, "material", node, names, count);
    return index < 0 ? NULL : ff_material_at((size_t)index);
}

/* k = (4/3) E* sqrt(R); NAN, reported, where it cannot be */
static double material_k(const ff_map *map, const ff_node *node, const ff_scene *scene,
                         const side *sides) {
    if (node->kind != FF_NODE_LIST || node->count != 2) {
        ff_node_refuse(map, "material", node, "two materials, [a, b]");
        return (double)NAN;
    }
    const ff_material *a = read_material(map, node->first), *b = read_material(map, node->last);
    if (!sides || !a || !b) {
        return (double)NAN;
    }
    double a_radius = radius_of(map, node, scene, &sides[0]);
    double b_radius = radius_of(map, node, scene, &sides[1]);
    return ff_hertz_k(ff_modulus(a->E, a->nu, b->E, b->nu), ff_radius(a_radius, b_radius));
}

/* ---- laws ---- */

/* A law with the values of its parameters, as they are written. */
typedef struct law {
    const char *name;
    const ff_param *params;
    double n, p; /* for the units; NAN where they are not known */
    bool angle;  /* the units are those of something that turns */
    double values[FF_LAW_PARAMS];
    const ff_node *material; /* in the place of k */
    bool unread;             /* a value has a unit that cannot be known */
} law;

static void skip(const ff_map *map, const ff_field *field, const ff_node *node) {
    (void)map, (void)field, (void)node;
}

static void leave(const ff_map *map, const ff_field *field, const ff_node *node) {
    (void)field, (void)node;
    ((law *)map->out)->unread = true;
}

static void read_choice(const ff_map *map, const ff_field *field, const ff_node *node) {
    law *l = map->out;
    size_t index = (field->offset - offsetof(law, values)) / sizeof(double), count = 0;
    const char *const *words = l->params[index].words;
    while (words[count]) {
        count++;
    }
    int word = ff_node_word(map, field->key, node, words, count);
    if (word >= 0) {
        l->values[index] = word;
    }
}

/* the law's own n or p as far as it can be known before its fields are read */
static double exponent(ff_parameters *parameters, const ff_node *node, const ff_param *params,
                       const char *name, double fallback) {
    for (const ff_param *param = params; param->name; param++) {
        if (strcmp(param->name, name) != 0) {
            continue;
        }
        double value = param->fallback;
        const ff_node *entry = ff_node_find(node, name);
        size_t at;
        if (entry && (ff_parameters_number(parameters, entry->text, (ff_dimension){0}, &value, NULL,
                                           0, &at) < 0 ||
                      !(value >= param->least && value <= param->most))) {
            return (double)NAN;
        }
        return value;
    }
    return fallback;
}

/* A dimension is a product of powers of force, length and time: N^kg m^(m - kg) s^(s + 2 kg). With N m for N, and 1
 * for m: */
static ff_dimension turned(ff_dimension dim) { return (ff_dimension){dim.kg, 2 * dim.kg, dim.s}; }

enum { law_fields = FF_LAW_PARAMS + 2, need_size = 160 };

/* The table of a law's keys, from its parameters. A unit with an exponent that is not known cannot be
 * checked: the exponent has its own message. */
static size_t make_fields(const law *l, bool has_material, ff_field fields[law_fields],
                          char needs[FF_LAW_PARAMS][need_size]) {
    size_t count = 0;
    fields[count++] = (ff_field){.key = "law", .read = skip};
    for (size_t i = 0; l->params[i].name; i++) {
        const ff_param *param = &l->params[i];
        bool is_k = strcmp(param->name, "k") == 0;
        ff_field field = {.key = param->name,
                          .read = param->words ? read_choice : ff_field_number,
                          .offset = offsetof(law, values) + i * sizeof(double),
                          .least = param->least,
                          .most = param->most};
        ff_unit unit = {0};
        if (param->unit && ff_unit_parse(param->unit, l->n, l->p, &unit, NULL, 0) < 0) {
            field.read = leave;
        }
        field.dim = l->angle ? turned(unit.dim) : unit.dim;
        if (isnan(param->fallback) && !(is_k && has_material)) {
            char text[64];
            const char *name = param->unit ? param->unit : "a word";
            if (l->angle && param->unit) {
                /* a torque, not an energy */
                name = ff_dimension_same(field.dim, (ff_dimension)FF_DIM_TORQUE)
                           ? "N m"
                           : ff_dimension_units(field.dim, text, sizeof text);
            }
            snprintf(needs[i], need_size, "%s, %s", param->meaning, name);
            field.need = needs[i];
        }
        fields[count++] = field;
    }
    return count;
}

static bool has_param(const law *l, const char *name) {
    const ff_param *param = l->params;
    while (param->name && strcmp(param->name, name) != 0) {
        param++;
    }
    return param->name;
}

/* Reads the parameters of a law; false where something was wrong. */
static bool read_params(const ff_map *section, const ff_node *node, law *l, bool material) {
    size_t before = ff_messages_total(section->messages);
    ff_field fields[law_fields];
    char needs[FF_LAW_PARAMS][need_size];
    ff_map map = {section->messages, section->parameters, l->name, l, NULL};
    for (size_t i = 0; i < FF_LAW_PARAMS; i++) {
        l->values[i] = (double)NAN;
    }
    l->n = exponent(section->parameters, node, l->params, "n", l->n);
    l->p = exponent(section->parameters, node, l->params, "p", l->p);
    material = material && has_param(l, "k");
    size_t count = make_fields(l, material && ff_node_find(node, "material"), fields, needs);
    if (material) {
        fields[count++] =
            (ff_field){.key = "material", .read = ff_field_node, .offset = offsetof(law, material)};
    }
    ff_fields_read(&map, node, fields, count);
    return ff_messages_total(section->messages) == before && !l->unread;
}

/* The name of a law by its index among `count`; -1, reported, where it is none. */
static int read_law_name(const ff_map *section, const ff_node *node, const char *const *names,
                         size_t count) {
    if (node->kind != FF_NODE_MAP && node->kind != FF_NODE_NONE) {
        ff_fields_read(section, node, NULL, 0);
        return -1;
    }
    const ff_node *name = ff_node_find(node, "law");
    if (!name) {
        ff_messages_add(section->messages, node->key_place, "%s needs law (the name of one)",
                        section->where);
        return -1;
    }
    return ff_node_word(section, "law", name, names, count);
}

enum { laws_most = 32 };

/* The exponent of a law that may lack other parameters; NAN where it lacks n itself. */
static double law_n(const ff_normal_law *table, const law *l) {
    double values[FF_LAW_PARAMS];
    ff_normal made = {0};
    for (size_t i = 0; l->params[i].name; i++) {
        values[i] = strcmp(l->params[i].name, "n") == 0 ? l->n : 1;
    }
    table->numbers(&made, values);
    return made.n;
}

/* k from materials, in the place of one that is written */
static bool derive_k(const ff_map *map, const ff_node *node, const ff_scene *scene,
                     const side *sides, double n, law *l) {
    const ff_node *given = ff_node_find(node, "k");
    size_t i = 0;
    while (strcmp(l->params[i].name, "k") != 0) {
        i++;
    }
    if (given) {
        ff_messages_add(map->messages, given->key_place, "%s has both k and material: one too many",
                        l->name);
        return false;
    }
    if (n != 1.5) {
        ff_messages_add(map->messages, l->material->key_place,
                        "material gives the k of a sphere, for n = 3/2; %s has n = %g: give k",
                        l->name, n);
        return false;
    }
    l->values[i] = material_k(map, l->material, scene, sides);
    return !isnan(l->values[i]);
}

/* Reads a normal law, and in *n its exponent, which friction needs, even where the law is wrong. */
static void read_normal(ff_scene_reader *r, const char *where, const ff_node *node,
                        const side *sides, ff_normal *out, double *n) {
    const char *names[laws_most];
    size_t count = 0;
    for (const ff_normal_law *l; count < laws_most && (l = ff_normal_law_at(count)); count++) {
        names[count] = l->name;
    }
    ff_map section = {r->messages, &r->parameters, where, NULL, NULL};
    int index = read_law_name(&section, node, names, count);
    if (index < 0) {
        return;
    }
    const ff_normal_law *table = ff_normal_law_at((size_t)index);
    law l = {.name = table->name, .params = table->params, .n = NAN, .p = NAN};
    ff_error error;
    bool good = read_params(&section, node, &l, true);
    ff_map map = {r->messages, &r->parameters, l.name, NULL, NULL};
    *n = law_n(table, &l);
    good = good && (!l.material || derive_k(&map, node, r->scene, sides, *n, &l));
    if (good && ff_normal_init(out, table, l.values, &error) < 0) {
        ff_messages_add(r->messages, node->key_place, "%s", error.text);
    }
}

void ff_read_friction(ff_scene_reader *r, const char *where, const ff_node *node, double n,
                      bool angle, ff_friction *out) {
    const char *names[laws_most];
    size_t count = 0;
    for (const ff_friction_law *l; count < laws_most && (l = ff_friction_law_at(count)); count++) {
        names[count] = l->name;
    }
    ff_map section = {r->messages, &r->parameters, where, NULL, NULL};
    int index = read_law_name(&section, node, names, count);
    if (index < 0) {
        return;
    }
    const ff_friction_law *table = ff_friction_law_at((size_t)index);
    law l = {.name = table->name, .params = table->params, .n = n, .p = NAN, .angle = angle};
    ff_error error;
    bool good = read_params(&section, node, &l, false);
    if (good && ff_friction_init(out, table, l.values, &error) < 0) {
        ff_messages_add(r->messages, node->key_place, "%s", error.text);
    }
}

/* ---- pairs ---- */

typedef struct pair {
    const ff_node *between, *normal, *friction;
    bool stateful;
    double ignored_while_turning[3];
} pair;

static void read_stateful(const ff_map *map, const ff_field *field, const ff_node *node) {
    static const char *const words[] = {"stateless", "stateful"};
    pair *p = map->out;
    p->stateful = ff_node_word(map, field->key, node, words, FF_COUNT(words)) == 1;
}

static const ff_field pair_fields[] = {
    {.key = "between",
     .read = ff_field_node,
     .offset = offsetof(pair, between),
     .need = "two names, [a, b]"},
    {.key = "normal",
     .read = ff_field_node,
     .offset = offsetof(pair, normal),
     .need = "a normal law"},
    {.key = "friction", .read = ff_field_node, .offset = offsetof(pair, friction)},
    {.key = "ground", .read = read_stateful},
    {.key = "ignored_while_turning",
     .read = ff_field_direction,
     .offset = offsetof(pair, ignored_while_turning)},
};

static void read_pair(ff_scene_reader *r, const ff_node *node, size_t index) {
    pair p = {0};
    ff_pair_def def = {0};
    side sides[2] = {{0}};
    char where[FF_WHERE], section[FF_WHERE];
    size_t before = ff_messages_total(r->messages);
    ff_where(where, "pairs[%zu]", index);
    ff_map map = {r->messages, &r->parameters, where, &p, NULL};
    ff_fields_read(&map, node, pair_fields, FF_COUNT(pair_fields));
    bool known = p.between && read_between(r, &map, p.between, sides);
    double n = (double)NAN;
    if (p.normal) {
        ff_where(section, "normal of %s", where);
        read_normal(r, section, p.normal, known ? sides : NULL, &def.normal, &n);
    }
    if (p.friction) {
        ff_where(section, "friction of %s", where);
        ff_read_friction(r, section, p.friction, n, false, &def.friction);
    }
    if (ff_messages_total(r->messages) == before && node->kind == FF_NODE_MAP) {
        def.a = sides[0].name;
        def.b = sides[1].name;
        def.stateful = p.stateful;
        memcpy(def.ignored_while_turning, p.ignored_while_turning, sizeof p.ignored_while_turning);
        ff_reader_added(r, where, node, ff_scene_add_pair(r->scene, &def));
    }
}

void ff_read_pairs(ff_scene_reader *r, const ff_node *node) {
    if (node->kind != FF_NODE_LIST && node->kind != FF_NODE_NONE) {
        ff_node_refuse(&(ff_map){r->messages, &r->parameters, "the scene", NULL, NULL}, "pairs",
                       node, "a list of {between: [a, b], normal: {law: ..}}");
        return;
    }
    size_t index = 0;
    for (const ff_node *item = node->first; item; item = item->next) {
        read_pair(r, item, index++);
    }
}
