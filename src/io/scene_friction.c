/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "law/params.h"
#include "law/sizes.h"
#include "scene_law.h"
#include <footfall/material.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Friction laws of pairs and joints, and laws of rolling and twist. */

/* Quantities of the normal law of a pair: a sample value for those that it provides, NAN for the others. */
static const ff_surroundings of_normal = {NAN, NAN, NAN, 1, 1, 1.5, 1, NAN, 1};

void ff_read_friction(ff_scene_reader *r, const char *where, const ff_node *node,
                      const ff_beside *beside, bool angle, ff_friction *out) {
    const char *names[FF_LAWS_LISTED];
    size_t count = 0;
    for (const ff_friction_law *l; count < FF_LAWS_LISTED && (l = ff_friction_law_at(count));
         count++) {
        names[count] = l->name;
    }
    ff_map section = {r->messages, &r->parameters, where, NULL, NULL};
    int index = ff_written_index(&section, node, names, count);
    if (index < 0) {
        return;
    }
    const ff_friction_law *table = ff_friction_law_at((size_t)index);
    const ff_material *const *of = beside->materials;
    const ff_surroundings with = {
        NAN,
        NAN,
        NAN,
        beside->k,
        beside->lambda,
        beside->exponent,
        beside->lambda / (beside->exponent * beside->k),
        of[0] && of[1] ? ff_mindlin_ratio(of[0]->E, of[0]->nu, of[1]->E, of[1]->nu) : (double)NAN,
        beside->local_tau};
    ff_written_law l = {.name = table->name,
                        .params = table->params,
                        .surround = table->surround,
                        .loose = beside->loose,
                        .angle = angle};
    ff_error error;
    bool derived[FF_LAW_PARAMS] = {0};
    const ff_key from = {
        .key = "from", .read = ff_key_node, .offset = offsetof(ff_written_law, from)};
    ff_written_exponents(&r->parameters, node, beside->n, &l);
    /* an invalid normal law has its own message */
    bool offered = beside->contact && ff_written_derives(&l, &of_normal, true, l.beside);
    bool wanted = offered && (beside->material || table->beside || ff_node_find(node, "from"));
    if (offered && beside->read) {
        ff_written_derives(&l, &with, true, l.beside);
    }
    if (wanted) {
        memcpy(derived, l.beside, sizeof derived);
    }
    bool good = ff_written_read(&section, node, &l, derived, &from, offered);
    if (good && l.from) {
        static const char *const words[] = {"normal"};
        good = ff_node_word(&(ff_map){r->messages, &r->parameters, l.name, NULL, NULL}, "source",
                            l.from, words, 1) == 0;
    }
    if (good && wanted) {
        table->surround(&with, l.values);
    }
    if (good && (!wanted || beside->read) && ff_friction_make(out, table, l.values, &error) < 0) {
        ff_messages_add(r->messages, node->key_place, "%s", error.text);
    }
}

/* ---- rolling and twist ---- */

/* The arm of twist: a word, or a length. */
static bool read_arm(const ff_map *map, const ff_node *node, ff_pair_def *def) {
    static const ff_dimension length = FF_DIM_LENGTH;
    char why[160];
    size_t at;
    def->arm = FF_ARM_LENGTH;
    if (node->kind == FF_NODE_TEXT && strcmp(node->text, "hertz") == 0) {
        def->arm = FF_ARM_HERTZ;
    } else if (node->kind == FF_NODE_TEXT && strcmp(node->text, "uniform") == 0) {
        def->arm = FF_ARM_UNIFORM;
    } else if (node->kind != FF_NODE_TEXT) {
        ff_node_refuse(map, "arm", node, "hertz, uniform or a length");
        return false;
    } else if (ff_parameters_number(map->parameters, node->text, length, &def->arm_length, why,
                                    sizeof why, &at) < 0) {
        ff_messages_add(map->messages, ff_node_place(node, at),
                        "arm of %s must be hertz, uniform or a length: %s", map->where, why);
        return false;
    } else if (!(def->arm_length > 0 && isfinite(def->arm_length))) {
        ff_messages_add(map->messages, node->place, "arm of %s is %g m, but must be > 0",
                        map->where, def->arm_length);
        return false;
    }
    return true;
}

/* Reports a law that cannot be one of rolling or twist; `place` is that of its name. */
static void check_turning(const ff_map *section, ff_place place, const ff_friction *made,
                          bool twist) {
    const char *why = ff_turning_obstacle(made, !twist);
    if (why) {
        ff_messages_add(section->messages, place, "%s: '%s' cannot be a law of %s: %s",
                        section->where, made->law->name, twist ? "twist" : "rolling", why);
    }
}

/* Twist with the parameters of the pair's friction: `from: friction`. */
static void read_shared(const ff_map *section, const ff_node *node, ff_pair_def *def) {
    static const char *const words[] = {"friction"};
    const ff_node *from = NULL;
    static const ff_key keys[] = {{.key = "from", .read = ff_key_node}};
    ff_map map = *section;
    map.out = &from;
    ff_keys_read(&map, node, keys, 1);
    if (!from || ff_node_word(section, "source", from, words, 1) < 0) {
        return;
    }
    /* invalid friction has its own message */
    if (!def->friction.law || def->friction.law->nothing) {
        ff_messages_add(section->messages, from->place,
                        "%s takes the numbers of friction, and there is none", section->where);
        return;
    }
    def->twist = def->friction;
    def->arm = FF_ARM_MARSHALL;
    check_turning(section, from->place, &def->twist, true);
}

/* Twist of a friction bed, coupled to its slip: `law: bed`. */
static void read_bed_twist(const ff_map *section, const ff_node *node, ff_pair_def *def) {
    static const ff_key keys[] = {{.key = "law", .read = ff_written_skip}};
    ff_error error;
    ff_keys_read(section, node, keys, 1);
    /* invalid friction has its own message */
    if (!def->friction.law || isnan(ff_friction_value(&def->friction, "twist"))) {
        ff_messages_add(section->messages, ff_node_find(node, "law")->place,
                        "%s by the bed needs friction by law bed, whose elements it shares",
                        section->where);
    } else if (ff_friction_choose(&def->friction, "twist", "true", &error) < 0) {
        ff_messages_add(section->messages, node->key_place, "%s: %s", section->where, error.text);
    }
}

/* Default laws of rolling and twist: with k, and without. */
static const char spring_law[] = "clutch", ramp_law[] = "coulomb";

void ff_read_turning(ff_scene_reader *r, const char *where, const ff_node *node, bool twist,
                     const ff_beside *beside, ff_pair_def *def) {
    const char *names[FF_LAWS_LISTED], *alias = twist ? "mu_t" : "mu_r";
    size_t count = 0;
    for (const ff_friction_law *l; count < FF_LAWS_LISTED - 1 && (l = ff_friction_law_at(count));
         count++) {
        names[count] = l->name;
    }
    ff_map section = {r->messages, &r->parameters, where, NULL, NULL};
    if (twist && ff_node_find(node, "from")) {
        read_shared(&section, node, def);
        return;
    }
    const ff_friction_law *table = NULL;
    const ff_node *name = ff_node_find(node, "law");
    if (name && twist && name->kind == FF_NODE_TEXT && strcmp(name->text, "bed") == 0) {
        read_bed_twist(&section, node, def);
        return;
    }
    if (name && !twist && name->kind == FF_NODE_TEXT && strcmp(name->text, "bed") == 0) {
        /* the law of rolling that is derived from the normal law */
        for (size_t i = 0; (table = ff_friction_law_at(i)) && !table->of_normal; i++) {
        }
    } else if (name || (node->kind != FF_NODE_MAP && node->kind != FF_NODE_NONE)) {
        int index = ff_written_index(&section, node, names, count);
        table = index < 0 ? NULL : ff_friction_law_at((size_t)index);
    } else {
        table = ff_friction_law_find(ff_node_find(node, "k") ? spring_law : ramp_law);
    }
    if (!table) {
        return;
    }
    ff_param params[FF_LAW_PARAMS + 1];
    memcpy(params, table->params, sizeof params);
    const bool aliased = ff_node_find(node, alias);
    for (size_t i = 0; params[i].name; i++) {
        ff_param *at = &params[i];
        at->name = aliased && strcmp(at->name, "mu") == 0 ? alias : at->name;
        /* n = 1 */
        at->unit = !at->unit                          ? NULL
                   : strcmp(at->unit, "N/m^n") == 0   ? "N/m"
                   : strcmp(at->unit, "N s/m^n") == 0 ? "N s/m"
                                                      : at->unit;
    }
    ff_written_law l = {.name = table->name, .params = params, .surround = table->surround};
    ff_error error;
    bool derived[FF_LAW_PARAMS] = {0};
    const ff_key arm = {
        .key = "arm", .read = ff_key_node, .offset = offsetof(ff_written_law, from)};
    ff_written_exponents(&r->parameters, node, 1, &l);
    const ff_surroundings with = {
        NAN, NAN, NAN, beside->k, beside->lambda, beside->exponent, NAN, NAN, beside->local_tau};
    if (table->of_normal) {
        /* an invalid normal law has its own message */
        ff_written_derives(&l, beside->read ? &with : &of_normal, true, derived);
    }
    bool good = ff_written_read(&section, node, &l, derived, &arm, twist);
    if (good && l.from) {
        good = read_arm(&(ff_map){r->messages, &r->parameters, where, NULL, NULL}, l.from, def);
    }
    if (good && table->of_normal) {
        table->surround(&with, l.values);
    }
    ff_friction *const made = twist ? &def->twist : &def->rolling;
    if (!good || (table->of_normal && !beside->read)) {
        return;
    }
    if (ff_friction_make(made, table, l.values, &error) < 0) {
        ff_messages_add(r->messages, node->key_place, "%s", error.text);
    } else {
        check_turning(&section, name ? name->place : node->key_place, made, twist);
    }
}
