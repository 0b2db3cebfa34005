/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "field.h"
#include "inclusion_reader.h"
#include "num/elementary.h"
#include <footfall/impact.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef ff_inclusion_reader reader;

/* Where the numbers of one force are: in a map of its own, or in the section for all. */
typedef struct {
    const char *name;
    const ff_node *own, *all;
    ff_place place; /* of what is wrong with it */
} source;

static const ff_node *entry_of(const ff_node *map, const char *key, ff_node_kind kind) {
    const ff_node *found = map && map->kind == FF_NODE_MAP ? ff_node_find(map, key) : NULL;
    return found && found->kind == kind ? found : NULL;
}

static source source_of(const ff_node *root, const char *section, const char *name) {
    const ff_node *all = ff_node_find(root, section), *own = entry_of(all, name, FF_NODE_MAP);
    return (source){name, own, all, own ? own->place : all ? all->key_place : root->place};
}

/* A number of a force, of its own map before the one for all; NAN where there is none or it is wrong, which is
 * told. */
static double number_of(reader *r, const source *from, const char *key, const char *unit) {
    const ff_node *node = entry_of(from->own, key, FF_NODE_TEXT);
    double value = NAN;
    ff_expr_error error = {0};
    node = node ? node : entry_of(from->all, key, FF_NODE_TEXT);
    if (node) {
        ff_status status = ff_system_number(r->system, node->text, unit, &value, &error);
        ff_inclusion_tell(r, node, key, status, &error);
        value = status < 0 ? (double)NAN : value;
    }
    return value;
}

static bool has_any(const ff_node *map, const char *const *keys, size_t count) {
    bool any = false;
    for (size_t i = 0; i < count; i++) {
        any = any || entry_of(map, keys[i], FF_NODE_TEXT);
    }
    return any;
}

/* How the numbers of a force are given: as they are, or by what they shall do. Its own map decides before the one
 * for all. */
typedef enum { GIVEN_NOT, GIVEN, WANTED, GIVEN_BOTH } way;

static way way_of(const source *from, const char *const *given, size_t given_count,
                  const char *const *wanted, size_t wanted_count) {
    const ff_node *maps[] = {from->own, from->all};
    int found = GIVEN_NOT;
    for (int i = 0; i < 2 && found == GIVEN_NOT; i++) {
        found = (has_any(maps[i], given, given_count) ? GIVEN : 0) +
                (has_any(maps[i], wanted, wanted_count) ? WANTED : 0);
    }
    return (way)found;
}

/* keys of a section are numbers for all its forces, or names of forces with maps of such numbers */
static void check_keys(reader *r, const ff_node *section, const char *what, const char *const *keys,
                       size_t key_count, const char *(*name)(const ff_system *, size_t),
                       size_t count) {
    if (section && section->kind != FF_NODE_MAP && section->kind != FF_NODE_NONE) {
        ff_messages_add(r->messages, section->place, "%s must be a map", what);
        return;
    }
    for (const ff_node *item = section ? section->first : NULL; item; item = item->next) {
        const ff_map where = {.messages = r->messages, .where = what};
        bool number = false, force = false;
        for (size_t i = 0; i < key_count; i++) {
            number = number || strcmp(item->key, keys[i]) == 0;
        }
        for (size_t i = 0; i < count && name; i++) {
            force = force || strcmp(item->key, name(r->system, i)) == 0;
        }
        if (force && item->kind == FF_NODE_MAP) {
            check_keys(r, item, item->key, keys, key_count, NULL, 0);
        } else if (number && item->kind != FF_NODE_TEXT) {
            ff_messages_add(r->messages, item->place, "%s must be an expression", item->key);
        } else if (force && !number) {
            ff_messages_add(r->messages, item->place, "%.60s must be a map of its numbers",
                            item->key);
        } else if (!number) {
            char hint[FF_HINT];
            ff_messages_add(r->messages, item->key_place, "unknown key '%.60s' in %s%s", item->key,
                            what, ff_word_hint(&where, item->key, keys, key_count, hint));
        }
    }
}

/* ---- contacts ---- */

static const char *const contact_given[] = {"K", "alpha", "beta"};
static const char *const contact_wanted[] = {"restitution", "contact_time"};
static const char *const rival_given[] = {"k", "lambda"};

static void refuse(reader *r, const source *from, const char *kind, const char *text) {
    ff_messages_add(r->messages, from->place, "%s: %s %s", kind, from->name, text);
}

/* What xiong shall do, in one free impact of a mass. */
typedef struct {
    double restitution, decay, contact_time, mass, speed;
} wish;

/* K, alpha and beta as given, or from the wish. */
static bool read_xiong(reader *r, const source *from, way by, wish *want, ff_normal *law,
                       char why[FF_WHY]) {
    const size_t before = ff_messages_total(r->messages);
    ff_error error = {""};
    double values[] = {1, 1, 1};
    *why = '\0';
    if (by == GIVEN) {
        for (int i = 0; i < 3; i++) {
            values[i] = number_of(r, from, contact_given[i], i > 0 ? "s" : NULL);
        }
        if (ff_messages_total(r->messages) > before) {
            return false;
        }
        if (isnan(values[0]) || isnan(values[1]) || isnan(values[2])) {
            refuse(r, from, "contacts", "needs K, alpha and beta");
            return false;
        }
    }
    ff_status status = ff_normal_init(law, ff_normal_law_find("xiong"), values, &error);
    if (status == FF_OK && by == WANTED) {
        status = ff_design_xiong(law, want->mass, want->restitution, want->contact_time, &error);
        snprintf(why, FF_WHY,
                 "K, alpha and beta for a restitution of %g and a contact time of %g s, of %g kg",
                 want->restitution, want->contact_time, want->mass);
    }
    if (status < 0) {
        ff_messages_add(r->messages, from->place, "contact %s: %s", from->name,
                        *error.text ? error.text : ff_status_text(status));
    }
    return status == FF_OK;
}

/* The wish of a file: restitution, contact_time and mass. */
static bool read_wish(reader *r, const source *from, wish *want) {
    const size_t before = ff_messages_total(r->messages);
    want->restitution = number_of(r, from, "restitution", "1");
    want->contact_time = number_of(r, from, "contact_time", "s");
    want->mass = number_of(r, from, "mass", NULL);
    want->decay = -ff_log(want->restitution);
    if (ff_messages_total(r->messages) > before) {
        return false;
    }
    if (isnan(want->restitution) || isnan(want->contact_time) || isnan(want->mass)) {
        refuse(r, from, "contacts", "needs restitution, contact_time and mass, all three");
        return false;
    }
    if (!(want->restitution > 0 && want->restitution <= 1 && want->contact_time > 0 &&
          want->mass > 0)) {
        refuse(r, from, "contacts",
               "needs a restitution above 0 and at most 1, and a contact_time and mass above 0");
        return false;
    }
    return true;
}

/* A unit of a parameter of a law, with its exponents; NULL where the gap is no length. */
static const char *unit_of(const reader *r, size_t contact, const ff_normal_law *table,
                           const char *param) {
    static const ff_dimension metre = {.m = 1};
    const ff_expr_facts *gap = ff_system_gap_facts(r->system, contact);
    if (gap->measure != FF_MEASURE_KNOWN || !ff_dimension_same(gap->dim, metre)) {
        return NULL;
    }
    bool lambda = param[0] == 'l';
    return strcmp(table->name, "hunt-crossley") == 0 ? (lambda ? "N s/m^2.5" : "N/m^1.5")
                                                     : table->params[lambda ? 1 : 0].unit;
}

/* k and lambda such that one impact has the wished restitution and contact time. One without loss: times go as
 * k^(-1/(n+1)). */
static ff_status design_rival(ff_normal *law, const wish *want) {
    if (want->decay > 0) {
        return ff_design_contact_time(law, want->mass, want->speed, want->decay,
                                      want->contact_time);
    }
    ff_impact one;
    ff_status status = ff_impact_solve(law, want->mass, want->speed, &one);
    if (status == FF_OK) {
        law->k *= ff_pow(one.contact_time / want->contact_time, law->n + 1);
    }
    return status;
}

/* Numbers of a rival by which it does in one impact what the file wants, or what xiong does with K, alpha, beta. */
static bool choose_rival(reader *r, const source *from, way by, wish want, ff_normal *law,
                         char why[FF_WHY]) {
    const char *word = law->law->name;
    const size_t before = ff_messages_total(r->messages);
    /* restitution and contact time of the linear law are the same at every speed */
    const bool any_speed = strcmp(word, "linear") == 0;
    char text[200], speed[40] = "";
    want.speed = any_speed ? 1 : number_of(r, from, "speed", NULL);
    want.mass = number_of(r, from, "mass", NULL);
    if (ff_messages_total(r->messages) > before) {
        return false;
    }
    if (!(want.mass > 0) || !(want.speed > 0)) {
        snprintf(text, sizeof text,
                 "needs k and lambda for %s, or a %s above 0, for which they then give the %s",
                 word, any_speed ? "mass" : "mass and a speed",
                 by == GIVEN ? "restitution and contact time that xiong has"
                             : "restitution and contact_time");
        refuse(r, from, "contacts", text);
        return false;
    }
    if (by == GIVEN) {
        ff_normal paper;
        ff_impact impact;
        if (!read_xiong(r, from, by, &want, &paper, why)) {
            return false;
        }
        ff_impact_solve(&paper, want.mass, want.speed, &impact);
        want.restitution = impact.restitution;
        want.contact_time = impact.contact_time;
        /* e of xiong is good to 1e-12: what is nearer to 1 loses nothing */
        want.decay = impact.loss > 1e-12 ? impact.decay : 0;
    }
    ff_status status = design_rival(law, &want);
    if (status != FF_OK) {
        snprintf(text, sizeof text, "cannot be %s with a restitution of %g in %g s: %s", word,
                 want.restitution, want.contact_time, ff_status_text(status));
        refuse(r, from, "contacts", text);
        return false;
    }
    if (!any_speed) {
        snprintf(speed, sizeof speed, " at %g m/s", want.speed);
    }
    snprintf(why, FF_WHY,
             "k and lambda for a restitution of %.6g and a contact time of %.6g s%s, of %g kg%s",
             want.restitution, want.contact_time, by == GIVEN ? ", those of xiong" : "", want.mass,
             speed);
    return true;
}

/* A rival with the file's own k and lambda, or with others that are chosen. */
static void read_rival(reader *r, const ff_node *root, const source *from, size_t contact, way by,
                       wish want) {
    const ff_normal_law *table = ff_normal_law_find(r->rivals->contact);
    const size_t before = ff_messages_total(r->messages);
    const bool own = has_any(from->own, rival_given, 2) || has_any(from->all, rival_given, 2);
    double values[FF_LAW_PARAMS] = {1, 0};
    char why[FF_WHY] = "";
    ff_normal law;
    ff_error error = {""};
    ff_expr_error wrong = {0};
    for (size_t i = 2; i < FF_LAW_PARAMS; i++) {
        values[i] = NAN;
    }
    for (size_t i = 0; table->params[i].name; i++) {
        if (strcmp(table->params[i].name, "detach") == 0) {
            values[i] = r->rivals->tension;
        }
    }
    for (int i = 0; i < 2 && own; i++) {
        const char *unit = unit_of(r, contact, table, rival_given[i]);
        values[i] = number_of(r, from, rival_given[i], unit);
    }
    if (ff_messages_total(r->messages) > before) {
        return;
    }
    if (isnan(values[0]) || isnan(values[1])) {
        refuse(r, from, "contacts", "needs both k and lambda, where one of them is given");
        return;
    }
    if (ff_normal_init(&law, table, values, &error) < 0) {
        ff_messages_add(r->messages, from->place, "contact %s: %s", from->name, error.text);
        return;
    }
    if (!own && !choose_rival(r, from, by, want, &law, why)) {
        return;
    }
    ff_system_set_contact(r->system, contact, &law, why);
    ff_status status = ff_system_close(r->system, contact, &wrong);
    if (status == FF_NO_MEMORY) {
        r->status = status;
    } else if (status < 0) {
        const ff_node *let = entry_of(ff_node_find(root, "let"), from->name, FF_NODE_TEXT);
        ff_messages_add(r->messages, let ? let->place : from->place, "contact %s: %s", from->name,
                        wrong.text);
    }
}

void ff_inclusion_read_contacts(reader *r, const ff_node *root) {
    static const char *const keys[] = {"K",    "alpha", "beta", "restitution", "contact_time",
                                       "mass", "speed", "k",    "lambda"};
    const bool rival = strcmp(r->rivals->contact, "xiong") != 0;
    check_keys(r, ff_node_find(root, "contacts"), "contacts", keys, FF_COUNT(keys),
               ff_system_contact, ff_system_contacts(r->system));
    for (size_t i = 0; i < ff_system_contacts(r->system); i++) {
        const source from = source_of(root, "contacts", ff_system_contact(r->system, i));
        const way by = way_of(&from, contact_given, 3, contact_wanted, 2);
        wish want = {0};
        ff_normal law;
        char why[FF_WHY];
        const bool own_rival =
            rival && (has_any(from.own, rival_given, 2) || has_any(from.all, rival_given, 2));
        if (by == GIVEN_BOTH) {
            refuse(r, &from, "contacts",
                   "has both K, alpha, beta and restitution, contact_time: give one or the other");
        } else if (by == GIVEN_NOT && !own_rival) {
            refuse(r, &from, "contacts",
                   "needs K, alpha and beta, or restitution, contact_time and mass to find them "
                   "from");
        } else if (by == WANTED && !own_rival && !read_wish(r, &from, &want)) {
            continue;
        } else if (rival) {
            read_rival(r, root, &from, i, by, want);
        } else if (read_xiong(r, &from, by, &want, &law, why)) {
            ff_system_set_contact(r->system, i, &law, why);
        }
    }
}

/* ---- frictions ---- */

static const char *const friction_given[] = {"K", "beta"};
static const char *const friction_wanted[] = {"stiffness", "damping_ratio"};

/* sticking that comes to rest soonest without swinging over */
#define CRITICAL 1.0

/* A rival of sat by its own name: K and beta per newton of `strength`, ramps that rise as steeply. */
static ff_status make_friction(const char *word, const ff_friction *paper, double strength,
                               ff_friction *law, ff_error *error) {
    const double K = paper->k, beta = paper->beta;
    double values[FF_LAW_PARAMS];
    for (size_t i = 0; i < FF_LAW_PARAMS; i++) {
        values[i] = NAN;
    }
    values[0] = 1;
    if (strcmp(word, "dahl") == 0 || strcmp(word, "lugre") == 0) {
        values[1] = K / strength;
        if (word[0] == 'l') {
            values[2] = K * beta / strength;
            values[3] = 0;
        }
    } else if (strcmp(word, "bengisu-akay") == 0) {
        values[1] = 1;
        values[2] = strength / (K * beta);
    } else {
        values[1] = strength / (K * beta);
    }
    return ff_friction_init(law, ff_friction_law_find(word), values, error);
}

/* K and beta as given, or from mass, stiffness and damping ratio. */
static bool read_sat(reader *r, const source *from, way by, ff_friction *law, char why[FF_WHY]) {
    const size_t before = ff_messages_total(r->messages);
    double values[] = {1, 1, 1}, mass = NAN, stiffness = NAN, ratio = NAN;
    ff_error error = {""};
    *why = '\0';
    if (by == GIVEN) {
        values[1] = number_of(r, from, "K", NULL);
        values[2] = number_of(r, from, "beta", "s");
    } else {
        mass = number_of(r, from, "mass", NULL);
        stiffness = number_of(r, from, "stiffness", NULL);
        ratio = number_of(r, from, "damping_ratio", "1");
    }
    if (ff_messages_total(r->messages) > before) {
        return false;
    }
    if (by == GIVEN && (isnan(values[1]) || isnan(values[2]))) {
        refuse(r, from, "frictions", "needs K and beta");
        return false;
    }
    if (by == WANTED && (isnan(mass) || isnan(stiffness))) {
        refuse(r, from, "frictions", "needs mass and stiffness, and may have a damping_ratio");
        return false;
    }
    ff_status status = ff_friction_init(law, ff_friction_law_find("sat"), values, &error);
    if (status == FF_OK && by == WANTED) {
        bool chosen = isnan(ratio);
        ratio = chosen ? CRITICAL : ratio;
        status = ff_design_sat(law, mass, stiffness, ratio);
        snprintf(
            why, FF_WHY,
            "K and beta for %g kg that sticks with a stiffness of %g N/m and a damping ratio of "
            "%g%s",
            mass, stiffness, ratio, chosen ? " (not given: critical)" : "");
    }
    if (status < 0) {
        ff_messages_add(r->messages, from->place, "friction %s: %s", from->name,
                        *error.text ? error.text
                                    : "mass, stiffness and damping_ratio must be above 0");
    }
    return status == FF_OK;
}

void ff_inclusion_read_frictions(reader *r, const ff_node *root) {
    static const char *const keys[] = {"K",    "beta",      "strength",
                                       "mass", "stiffness", "damping_ratio"};
    const char *word = r->rivals->friction;
    const bool rival = strcmp(word, "sat") != 0;
    check_keys(r, ff_node_find(root, "frictions"), "frictions", keys, FF_COUNT(keys),
               ff_system_friction, ff_system_frictions(r->system));
    for (size_t i = 0; i < ff_system_frictions(r->system); i++) {
        const source from = source_of(root, "frictions", ff_system_friction(r->system, i));
        const way by = way_of(&from, friction_given, 2, friction_wanted, 2);
        ff_error error = {""};
        ff_friction law, paper;
        char why[FF_WHY];
        if (by == GIVEN_BOTH) {
            refuse(r, &from, "frictions",
                   "has both K, beta and stiffness, damping_ratio: give one or the other");
            continue;
        }
        if (by == GIVEN_NOT) {
            refuse(r, &from, "frictions",
                   "needs K and beta, or mass and stiffness (and damping_ratio) to find them from");
            continue;
        }
        if (rival && ff_system_shaped(r->system, i)) {
            ff_messages_add(r->messages, from.place,
                            "friction %s: it has a matrix, and only sat can be anisotropic, not %s",
                            from.name, word);
            continue;
        }
        if (!read_sat(r, &from, by, &paper, why)) {
            continue;
        }
        double strength = number_of(r, &from, "strength", NULL);
        if (rival && !(strength > 0)) {
            ff_messages_add(r->messages, from.place,
                            "friction %s: %s needs `strength`, the force at which it slips",
                            from.name, word);
            continue;
        }
        if (!rival) {
            law = paper;
        } else if (make_friction(word, &paper, strength, &law, &error) < 0) {
            ff_messages_add(r->messages, from.place, "friction %s: %s", from.name, error.text);
            continue;
        } else {
            size_t used = strlen(why);
            snprintf(why + used, FF_WHY - used,
                     law.law->inner
                         ? "%sK = %g N/m and beta = %g s of sat, over a strength of %g N"
                         : "%sK = %g N/m and beta = %g s of sat, which rises by K beta to %g N",
                     used ? "; " : "", paper.k, paper.beta, strength);
        }
        ff_system_set_friction(r->system, i, &law, why);
    }
}
