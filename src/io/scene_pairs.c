/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "expr/word.h"
#include "law/params.h"
#include "law/sizes.h"
#include "num/elementary.h"
#include "scene_law.h"
#include "scene_reader.h"
#include <footfall/impact.h>
#include <footfall/material.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- the two sides of a pair ---- */

/* One of the two names of a pair. */
typedef struct side {
    const char *name;
    bool known;     /* a known thing; otherwise a pattern, or nothing */
    ff_named named; /* for body.shape, with this shape only */
} side;

/* a group matches if the names of its grains do */
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

/* resolves body.shape; false, with a message, if there is no such shape */
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
            ff_messages_add(map->messages, node->place, "no body or plane matches '%.60s' in %s",
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
        ff_messages_add(map->messages, node->place, "body '%s' has no shape and touches nothing",
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

/* reports two named things for which there is no contact geometry, as the model would do */
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
        why = "only spheres can touch spheres";
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

/* ---- parameters from materials and radii ---- */

/* Which quantities of two bodies a key provides: a sample value for those that it does, NAN for the others. */
static const ff_surroundings of_material = {1, 1, NAN, NAN, NAN, NAN, NAN, NAN, NAN},
                             of_star = {NAN, 1, 1, NAN, NAN, NAN, NAN, NAN, NAN},
                             of_shapes = {NAN, 1, NAN, NAN, NAN, NAN, NAN, NAN, NAN};

/* the single radius of a side, for a key or a parameter; NAN, with a message, if it has none */
static double radius_of(const ff_map *map, const ff_node *node, const char *what,
                        const char *instead, const ff_scene *scene, const side *s) {
    const ff_named *named = &s->named;
    if (!s->known) {
        ff_messages_add(map->messages, node->place,
                        "%s of %s needs a radius, and '%s' is a pattern: give %s", what, map->where,
                        s->name, instead);
        return (double)NAN;
    }
    double radius = INFINITY;
    for (size_t i = named->shape; i < named->shape_end; i++) {
        double other = scene->shapes.at[i].radius;
        if (!(other > 0) || (i > named->shape && other != radius)) {
            ff_messages_add(
                map->messages, node->place,
                named->grains ? "%s of %s needs a radius, and '%s' has grains of several: give %s"
                : other > 0   ? "%s of %s needs a radius, and '%s' has several: name one shape, or "
                                "give %s"
                              : "%s of %s needs a radius, and that of '%s' is 0: give %s",
                what, map->where, s->name, instead);
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

/* E* of two materials; NAN, with a message, if it cannot be computed */
static double read_modulus(const ff_map *map, const ff_node *node, const ff_material *out[2]) {
    if (node->kind != FF_NODE_LIST || node->count != 2) {
        ff_node_refuse(map, "material", node, "two materials, [a, b]");
        return (double)NAN;
    }
    const ff_material *a = read_material(map, node->first), *b = read_material(map, node->last);
    out[0] = a;
    out[1] = b;
    return a && b ? ff_modulus(a->E, a->nu, b->E, b->nu) : (double)NAN;
}

/* Checks that a key provides parameters that are not given otherwise: the name of the first one, or NULL, with a
 * message. */
static const char *stands_for(const ff_map *map, const ff_node *node, const ff_written_law *l,
                              const ff_node *key, const ff_surroundings *with) {
    bool gives[FF_LAW_PARAMS], shaped[FF_LAW_PARAMS];
    bool now = ff_written_derives(l, with, true, gives);
    if (!now) {
        ff_written_derives(l, with, false, gives);
    }
    ff_written_derives(l, &of_shapes, false, shaped);
    for (size_t i = 0; l->params[i].name; i++) {
        const ff_node *given = ff_node_find(node, l->params[i].name);
        if (shaped[i]) {
            continue; /* provided by the shapes, independent of the key */
        }
        if (gives[i] && !now) {
            ff_messages_add(map->messages, key->key_place,
                            "%s gives no %s of %s with these exponents (a sphere has n = 3/2): "
                            "give %s",
                            key->key, l->params[i].name, l->name, l->params[i].name);
            return NULL;
        }
        if (gives[i] && given) {
            ff_messages_add(map->messages, given->key_place, "%s has both %s and %s: give only one",
                            l->name, l->params[i].name, key->key);
            return NULL;
        }
        if (gives[i]) {
            return l->params[i].name;
        }
    }
    return NULL;
}

/* Derives parameters that are not given from materials and radii. */
static bool derive_normal(const ff_map *map, const ff_node *node, const ff_scene *scene,
                          const side *sides, ff_written_law *l) {
    ff_surroundings with = {NAN, NAN, l->lambda_star, NAN, NAN, NAN, NAN, NAN, NAN};
    const ff_node *star = ff_node_find(node, "lambda_star"),
                  *key = l->material ? l->material : star;
    /* if the radius is a parameter and is given, all others are derived from it */
    const char *radius = NULL;
    bool shaped[FF_LAW_PARAMS], own = ff_written_derives(l, &of_shapes, false, shaped);
    for (size_t i = 0; l->params[i].name && !radius; i++) {
        radius = shaped[i] && isnan(l->values[i]) ? l->params[i].name : NULL;
    }
    if (!key && !radius) {
        return true;
    }
    const char *k = l->material ? stands_for(map, node, l, l->material, &of_material) : "";
    const char *lambda = star ? stands_for(map, node, l, star, &of_star) : "";
    if (!k || !lambda) {
        return false;
    }
    with.modulus = l->material ? read_modulus(map, l->material, l->materials) : 1;
    if (!sides || isnan(with.modulus)) {
        return false;
    }
    if (!own || radius) {
        const char *what = key ? key->key : radius, *instead = radius ? radius : *k ? k : lambda;
        double first = radius_of(map, key ? key : node, what, instead, scene, &sides[0]);
        double second = radius_of(map, key ? key : node, what, instead, scene, &sides[1]);
        if (isnan(first) || isnan(second)) {
            return false;
        }
        with.radius = ff_reduced_radius(first, second);
    }
    with.modulus = l->material ? with.modulus : (double)NAN;
    l->surround(&with, l->values);
    return true;
}

/* ---- parameters from an impact ---- */

/* The single mass of a side; NAN, with a message, if it has none. Planes do not move. */
static double mass_of(const ff_map *map, const ff_node *node, const ff_scene *scene,
                      const side *s) {
    const ff_named *named = &s->named;
    if (!s->known || named->grains) {
        ff_messages_add(map->messages, node->place,
                        "restitution of %s needs a mass, and '%s' is %s: give the damping",
                        map->where, s->name, s->known ? "many grains" : "a pattern");
        return (double)NAN;
    }
    return named->body < 0 ? (double)INFINITY : scene->bodies.at[named->body].mass;
}

/* Reads a number from a part of a text; false, with a message, if it is not one. */
static bool read_part(const ff_map *map, const ff_node *node, const char *text, size_t from,
                      ff_dimension dim, double *out) {
    char why[160];
    size_t at;
    if (ff_parameters_number(map->parameters, text, dim, out, why, sizeof why, &at) < 0) {
        ff_messages_add(map->messages, ff_node_place(node, from + at), "restitution of %s: %s",
                        map->where, why);
        return false;
    }
    return true;
}

/* "0.7 at 4 m/s" */
static bool read_restitution(const ff_map *map, const ff_node *node, double *e, double *speed) {
    static const ff_dimension none = {0}, velocity = {0, 1, -1};
    const char *at = node->kind == FF_NODE_TEXT ? strstr(node->text, " at ") : NULL;
    char first[80] = "";
    if (!at || (size_t)(at - node->text) >= sizeof first) {
        ff_node_refuse(map, "restitution", node, "a number and a speed, as 0.7 at 4 m/s");
        return false;
    }
    memcpy(first, node->text, (size_t)(at - node->text));
    if (!read_part(map, node, first, 0, none, e) ||
        !read_part(map, node, at + 4, (size_t)(at + 4 - node->text), velocity, speed)) {
        return false;
    }
    if (!(*e > 0 && *e < 1) || !(*speed > 0 && isfinite(*speed))) {
        ff_messages_add(map->messages, node->place,
                        "restitution of %s is %g at %g m/s, but must be > 0 and < 1, at a speed "
                        "> 0",
                        map->where, *e, *speed);
        return false;
    }
    return true;
}

/* Whether a parameter is determined by the impact: k if a contact time or a depth is given, otherwise the one
 * without default. */
static bool designed(const ff_written_law *l, const ff_node *node, size_t i) {
    const bool k = strcmp(l->params[i].name, "k") == 0;
    const bool both = ff_node_find(node, "contact_time") || ff_node_find(node, "max_depth");
    return isnan(l->params[i].fallback) && (!k || both);
}

/* Checks that restitution, contact_time and max_depth are neither too many nor too few. */
static bool check_wishes(const ff_map *map, const ff_node *node, const ff_written_law *l) {
    const ff_node *time = ff_node_find(node, "contact_time"),
                  *depth = ff_node_find(node, "max_depth"), *wish = time ? time : depth;
    if (!l->restitution) {
        ff_messages_add(map->messages, wish->key_place,
                        "%s of %s goes with restitution, as 0.7 at 4 m/s", wish->key, map->where);
        return false;
    }
    /* the conflicting source of the stiffness, then that of the damping */
    const ff_node *other = time && depth ? depth : wish ? l->material : NULL;
    other = other || !wish ? other : ff_node_find(node, "k");
    if (!other) {
        wish = l->restitution;
        other = ff_node_find(node, "lambda_star");
    }
    for (size_t i = 0; l->params[i].name && !other; i++) {
        other = designed(l, node, i) ? ff_node_find(node, l->params[i].name) : NULL;
    }
    if (other) {
        ff_messages_add(map->messages, other->key_place, "%s has both %s and %s: give only one",
                        map->where, other->key, wish->key);
    }
    return !other;
}

/* Computes the damping, and the stiffness if requested, from the theory of a single impact. */
static bool design_normal(const ff_map *map, const ff_scene *scene, const side *sides,
                          const ff_written_law *l, ff_normal *out) {
    double e, speed, first, second;
    if (!read_restitution(map, l->restitution, &e, &speed) || !sides) {
        return false;
    }
    first = mass_of(map, l->restitution, scene, &sides[0]);
    second = mass_of(map, l->restitution, scene, &sides[1]);
    if (isnan(first) || isnan(second)) {
        return false;
    }
    const double mass = ff_reduced_mass(first, second), decay = -ff_log(e);
    ff_status status =
        !ff_design_possible(out) ? FF_UNREACHABLE
        : l->contact_time > 0    ? ff_design_contact_time(out, mass, speed, decay, l->contact_time)
        : l->max_depth > 0       ? ff_design_max_depth(out, mass, speed, decay, l->max_depth)
                                 : ff_design_damping(out, mass, speed, decay);
    if (status < 0) {
        ff_messages_add(map->messages, l->restitution->place, "restitution of %s: %s", map->where,
                        ff_status_text(status));
    }
    return status >= 0;
}

/* ---- normal laws ---- */

/* The exponent n in the units of a friction law that follows the grade of this normal law, z^(n-1). NAN if the grade
 * is not a power. */
static double grade_exponent(const ff_normal *normal) {
    double at[2], state[FF_LAW_STATES] = {0}, rate[FF_LAW_STATES];
    ff_normal_touch(normal, 0, state);
    for (int i = 0; i < 2; i++) {
        double z = i ? 1e-4 : 1e-3;
        ff_normal_answer out = ff_normal_at(normal, z, 0, state, rate);
        at[i] = 1 + z * out.grade_slope / out.grade;
    }
    /* exponents are short decimal numbers: remove rounding errors */
    return fabs(at[1] - at[0]) < 1e-9 ? nearbyint(at[0] * 1e9) / 1e9 : (double)NAN;
}

/* Collects what a friction law needs to know of the normal law, even if the normal law is invalid. */
static void tell_beside(const ff_written_law *l, const ff_normal_law *table, const ff_normal *made,
                        ff_beside *out) {
    ff_normal probe;
    ff_power power;
    double values[FF_LAW_PARAMS];
    memcpy(values, l->values, sizeof values);
    ff_law_fill(l->params, values);
    /* an invalid exponent has its own message */
    for (size_t i = 0; !made && l->params[i].name; i++) {
        if (*l->exponents[i].name && isnan(l->exponents[i].value)) {
            return;
        }
    }
    if (!made && ff_normal_make(&probe, table, values, NULL) < 0) {
        return;
    }
    out->read = made;
    out->n = grade_exponent(made ? made : &probe);
    out->loose = isnan(out->n);
    if (made && ff_normal_springs(made, &power)) {
        out->k = power.k;
        out->exponent = power.n;
        /* only for a damping proportional to z^(n-1) z', without memory of the speed at touch-down */
        out->lambda = power.p + 1 == power.n && (made->states == 0 || made->adhesion > 0)
                          ? power.lambda
                          : (double)NAN;
        out->local_tau = made->states == 0 ? ff_power_local_tau(&power) : (double)NAN;
    }
    out->material = l->material;
    memcpy(out->materials, l->materials, sizeof out->materials);
}

static const ff_key impact_keys[] = {
    {.key = "restitution", .read = ff_key_node, .offset = offsetof(ff_written_law, restitution)},
    {.key = "contact_time",
     .read = ff_key_number,
     .offset = offsetof(ff_written_law, contact_time),
     .dim = FF_DIM_TIME,
     .least = FF_POSITIVE,
     .most = INFINITY},
    {.key = "max_depth",
     .read = ff_key_number,
     .offset = offsetof(ff_written_law, max_depth),
     .dim = FF_DIM_LENGTH,
     .least = FF_POSITIVE,
     .most = INFINITY}};

static void read_normal(ff_scene_reader *r, const char *where, const ff_node *node,
                        const side *sides, ff_normal *out, ff_beside *beside) {
    const char *names[FF_LAWS_LISTED];
    size_t count = 0;
    for (const ff_normal_law *l; count < FF_LAWS_LISTED && (l = ff_normal_law_at(count)); count++) {
        names[count] = l->name;
    }
    ff_map section = {r->messages, &r->parameters, where, NULL, NULL};
    int index = ff_written_index(&section, node, names, count);
    if (index < 0) {
        return;
    }
    const ff_normal_law *table = ff_normal_law_at((size_t)index);
    ff_written_law l = {.name = table->name,
                        .params = table->params,
                        .surround = table->surround,
                        .lambda_star = NAN};
    ff_error error;
    ff_key keys[5];
    bool derived[FF_LAW_PARAMS] = {0}, gives[FF_LAW_PARAMS];
    ff_written_exponents(&r->parameters, node, NAN, &l);
    const struct {
        const ff_surroundings *with;
        ff_key field;
    } known[] = {
        {&of_material,
         {.key = "material", .read = ff_key_node, .offset = offsetof(ff_written_law, material)}},
        {&of_star,
         {.key = "lambda_star",
          .read = ff_key_number,
          .offset = offsetof(ff_written_law, lambda_star),
          .dim = {1, -1, -1},
          .least = 0,
          .most = INFINITY}}};
    size_t key_count = 0;
    ff_written_derives(&l, &of_shapes, false, derived);
    for (size_t i = 0; i < FF_COUNT(known); i++) {
        if (ff_written_derives(&l, known[i].with, false, gives)) {
            keys[key_count++] = known[i].field;
            for (size_t j = 0; ff_node_find(node, known[i].field.key) && j < FF_LAW_PARAMS; j++) {
                derived[j] = derived[j] || gives[j];
            }
        }
    }
    const bool wished = ff_node_find(node, "restitution") || ff_node_find(node, "contact_time") ||
                        ff_node_find(node, "max_depth");
    for (size_t i = 0; wished && l.params[i].name; i++) {
        derived[i] = derived[i] || designed(&l, node, i);
    }
    if (wished) {
        memcpy(keys + key_count, impact_keys, sizeof impact_keys);
        key_count += FF_COUNT(impact_keys);
    }
    bool good = ff_written_read(&section, node, &l, derived, keys, key_count);
    ff_map map = {r->messages, &r->parameters, l.name, NULL, NULL};
    if (good && wished && !table->with_power && !table->design) {
        const ff_node *wish = l.restitution ? l.restitution : ff_node_find(node, "contact_time");
        wish = wish ? wish : ff_node_find(node, "max_depth");
        ff_messages_add(
            r->messages, wish->key_place,
            "%s gives no parameter of %s, which is no power law with a damping to choose",
            wish->key, l.name);
        good = false;
    }
    good = good && (!wished || check_wishes(&map, node, &l));
    good = good && derive_normal(&map, node, r->scene, sides, &l);
    for (size_t i = 0; good && wished && l.params[i].name; i++) {
        /* any value is valid until the design has found it */
        l.values[i] = designed(&l, node, i) ? 1 : l.values[i];
    }
    if (good && ff_normal_make(out, table, l.values, &error) < 0) {
        ff_messages_add(r->messages, node->key_place, "%s", error.text);
        good = false;
    }
    good = good && (!wished || design_normal(&map, r->scene, sides, &l, out));
    tell_beside(&l, table, good ? out : NULL, beside);
}

void ff_read_stop(ff_scene_reader *r, const char *where, const ff_node *node, bool angle,
                  ff_normal *out) {
    const char *names[FF_LAWS_LISTED];
    size_t count = 0;
    for (const ff_normal_law *l; count < FF_LAWS_LISTED && (l = ff_normal_law_at(count)); count++) {
        names[count] = l->name;
    }
    ff_map section = {r->messages, &r->parameters, where, NULL, NULL};
    int index = ff_written_index(&section, node, names, count);
    if (index < 0) {
        return;
    }
    static const ff_key others[] = {{.key = "lower", .read = ff_written_skip},
                                    {.key = "upper", .read = ff_written_skip}};
    const ff_normal_law *table = ff_normal_law_at((size_t)index);
    ff_written_law l = {
        .name = table->name, .params = table->params, .lambda_star = NAN, .angle = angle};
    const bool derived[FF_LAW_PARAMS] = {0};
    ff_error error;
    ff_written_exponents(&r->parameters, node, NAN, &l);
    if (!ff_written_read(&section, node, &l, derived, others, FF_COUNT(others))) {
        return;
    }
    if (ff_normal_make(out, table, l.values, &error) < 0) {
        ff_messages_add(r->messages, node->key_place, "%s", error.text);
    } else if (out->states > 0 || table->gap) {
        ff_messages_add(r->messages, ff_node_find(node, "law")->place,
                        "%s takes laws without inner states, and '%s' has one", where, table->name);
    }
}

/* ---- pairs ---- */

typedef struct pair {
    const ff_node *between, *normal, *friction, *rolling, *twist;
    bool stateful;
    ff_lever lever;
    double ignored_while_turning[3];
} pair;

static void read_stateful(const ff_map *map, const ff_key *field, const ff_node *node) {
    static const char *const words[] = {"stateless", "stateful"};
    pair *p = map->out;
    p->stateful = ff_node_word(map, field->key, node, words, FF_COUNT(words)) == 1;
}

static void read_lever(const ff_map *map, const ff_key *field, const ff_node *node) {
    static const char *const words[] = {"radius", "deformed"};
    pair *p = map->out;
    p->lever = ff_node_word(map, field->key, node, words, FF_COUNT(words)) == 1 ? FF_LEVER_DEFORMED
                                                                                : FF_LEVER_RADIUS;
}

static const ff_key pair_fields[] = {
    {.key = "between",
     .read = ff_key_node,
     .offset = offsetof(pair, between),
     .need = "two names, [a, b]"},
    {.key = "normal",
     .read = ff_key_node,
     .offset = offsetof(pair, normal),
     .need = "a normal law"},
    {.key = "friction", .read = ff_key_node, .offset = offsetof(pair, friction)},
    {.key = "rolling", .read = ff_key_node, .offset = offsetof(pair, rolling)},
    {.key = "twist", .read = ff_key_node, .offset = offsetof(pair, twist)},
    {.key = "ground", .read = read_stateful},
    {.key = "lever", .read = read_lever},
    {.key = "ignored_while_turning",
     .read = ff_key_direction,
     .offset = offsetof(pair, ignored_while_turning)},
};

static void read_pair(ff_scene_reader *r, const ff_node *node, size_t index) {
    pair p = {0};
    ff_pair_def def = ff_pair_def_default();
    side sides[2] = {{0}};
    char where[FF_WHERE], section[FF_WHERE];
    size_t before = ff_messages_total(r->messages);
    ff_where(where, "pairs[%zu]", index);
    ff_map map = {r->messages, &r->parameters, where, &p, NULL};
    ff_keys_read(&map, node, pair_fields, FF_COUNT(pair_fields));
    bool known = p.between && read_between(r, &map, p.between, sides);
    ff_beside beside = {
        .contact = true, .n = NAN, .k = NAN, .lambda = NAN, .exponent = NAN, .local_tau = NAN};
    if (p.normal) {
        ff_where(section, "normal of %s", where);
        read_normal(r, section, p.normal, known ? sides : NULL, &def.normal, &beside);
    }
    if (p.friction) {
        ff_where(section, "friction of %s", where);
        ff_read_friction(r, section, p.friction, &beside, false, &def.friction);
    }
    if (p.rolling) {
        ff_where(section, "rolling of %s", where);
        ff_read_turning(r, section, p.rolling, false, &beside, &def);
    }
    if (p.twist) {
        ff_where(section, "twist of %s", where);
        ff_read_turning(r, section, p.twist, true, &beside, &def);
    }
    if (ff_messages_total(r->messages) == before && node->kind == FF_NODE_MAP) {
        def.a = sides[0].name;
        def.b = sides[1].name;
        def.stateful = p.stateful;
        def.lever = p.lever;
        memcpy(def.materials, beside.materials, sizeof def.materials);
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
