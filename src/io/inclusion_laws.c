/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "expr/unit.h"
#include "inclusion_reader.h"
#include "key.h"
#include "law/params.h"
#include "num/elementary.h"
#include <footfall/impact.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef ff_inclusion_reader reader;

/* Where the numbers of a force are given: in its own map, or in the section for all forces. */
typedef struct {
    const char *name;
    const ff_node *own, *all;
    ff_place place; /* for error messages */
} source;

static const ff_node *entry_of(const ff_node *map, const char *key, ff_node_kind kind) {
    const ff_node *found = map && map->kind == FF_NODE_MAP ? ff_node_find(map, key) : NULL;
    return found && found->kind == kind ? found : NULL;
}

static source source_of(const ff_node *root, const char *section, const char *name) {
    const ff_node *all = ff_node_find(root, section), *own = entry_of(all, name, FF_NODE_MAP);
    return (source){name, own, all, own ? own->place : all ? all->key_place : root->place};
}

/* A number of a force: its own map takes precedence. */
static const ff_node *node_of(const source *from, const char *key) {
    const ff_node *node = entry_of(from->own, key, FF_NODE_TEXT);
    return node ? node : entry_of(from->all, key, FF_NODE_TEXT);
}

/* The value of a key; NAN if there is none, or, with a message, if it is invalid. */
static double number_of(reader *r, const source *from, const char *key, const char *unit) {
    const ff_node *node = node_of(from, key);
    double value = NAN;
    ff_expr_error error = {0};
    if (node) {
        ff_status status = ff_equations_number(r->system, node->text, unit, &value, &error);
        ff_inclusion_report(r, node, key, status, &error);
        value = status < 0 ? (double)NAN : value;
    }
    return value;
}

static void refuse(reader *r, const source *from, const char *kind, const char *text) {
    ff_messages_add(r->messages, from->place, "%s: %s %s", kind, from->name, text);
}

/* ---- parameters of laws ---- */

static bool has_param(const ff_param *params, const char *name) {
    while (params->name && strcmp(params->name, name) != 0) {
        params++;
    }
    return params->name;
}

static bool is_among(const char *const *keys, size_t count, const char *key) {
    size_t i = 0;
    while (i < count && strcmp(keys[i], key) != 0) {
        i++;
    }
    return i < count;
}

/* Required parameters: their names and number. */
static size_t needed(const ff_param *params, const char *names[FF_LAW_PARAMS]) {
    size_t count = 0;
    for (; params->name; params++) {
        if (isnan(params->fallback)) {
            names[count++] = params->name;
        }
    }
    return count;
}

enum { LIST = 80 };

/* "K, alpha and beta", or "K, alpha, beta" if `last` is ", " */
static const char *needed_list(const ff_param *params, const char *last, char text[LIST]) {
    const char *names[FF_LAW_PARAMS];
    size_t count = needed(params, names), used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < count && used < LIST; i++) {
        used += (size_t)snprintf(text + used, LIST - used, "%s%s",
                                 i == 0          ? ""
                                 : i + 1 < count ? ", "
                                                 : last,
                                 names[i]);
    }
    return text;
}

/* The values that a file gives for a law's parameters, NAN for others; invalid ones are reported. Names in `without` are
 * not parameters. Units with a length are checked if `measured`: the gap is a length, or the slip a velocity. */
static void read_values(reader *r, const source *from, const ff_param *params,
                        const char *const *without, size_t without_count, bool measured,
                        double *values) {
    ff_exponent exponents[FF_LAW_PARAMS + 1] = {{0}};
    size_t known = 0;
    /* dimensionless numbers first, because they may be exponents in units */
    for (int turn = 0; turn < 2; turn++) {
        for (size_t i = 0; params[i].name; i++) {
            const ff_param *param = &params[i];
            const bool pure = param->unit && strcmp(param->unit, "1") == 0;
            const ff_node *node =
                is_among(without, without_count, param->name) ? NULL : node_of(from, param->name);
            const ff_map map = {.messages = r->messages, .where = from->name};
            char text[64];
            ff_unit unit;
            if (pure != (turn == 0)) {
                continue;
            }
            values[i] = NAN;
            if (node && param->words) {
                size_t count = 0;
                while (param->words[count]) {
                    count++;
                }
                int word = ff_node_word(&map, param->name, node, param->words, count);
                values[i] = word < 0 ? (double)NAN : word;
            } else if (node) {
                bool checked = ff_unit_parse(param->unit, exponents, &unit, NULL, 0) == 0 &&
                               (measured || (unit.dim.kg == 0 && unit.dim.m == 0));
                values[i] =
                    number_of(r, from, param->name,
                              checked ? ff_dimension_units(unit.dim, text, sizeof text) : NULL);
            }
            if (pure) {
                exponents[known++] =
                    (ff_exponent){param->name, isnan(values[i]) ? param->fallback : values[i]};
            }
        }
    }
}

static bool is_measured(const ff_expr_facts *facts, ff_dimension wanted) {
    return facts->measure == FF_MEASURE_KNOWN && ff_dimension_same(facts->dim, wanted);
}

/* How the numbers of a force are given: directly, or by the desired behaviour. Its own map takes precedence over the
 * section. */
typedef enum { GIVEN_NOT, GIVEN, WANTED, GIVEN_BOTH } way;

static bool has_any(const ff_node *map, const char *const *keys, size_t count) {
    bool any = false;
    for (size_t i = 0; i < count; i++) {
        any = any || entry_of(map, keys[i], FF_NODE_TEXT);
    }
    return any;
}

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

/* ---- keys ---- */

static const ff_param *normal_params(size_t i) {
    const ff_normal_law *law = ff_normal_law_at(i);
    return law ? law->params : NULL;
}

static const ff_param *friction_params(size_t i) {
    const ff_friction_law *law = ff_friction_law_at(i);
    return law ? law->params : NULL;
}

/* Allowed contents of a section: numbers for all its forces, and names of forces with maps of such numbers. */
typedef struct {
    const char *keys[16 + 2 * FF_LAW_PARAMS]; /* keys that are in use */
    size_t count;
    /* keys of all laws are accepted, because a file may be used with several */
    const ff_param *(*params)(size_t law);
    const char *(*name)(const ff_equations *, size_t);
    size_t forces;
} section;

static void add_params(section *s, const ff_param *params) {
    for (; params->name; params++) {
        s->keys[s->count++] = params->name;
    }
}

static bool is_of_some_law(const section *s, const char *key) {
    bool found = false;
    for (size_t i = 0; s->params(i) && !found; i++) {
        found = has_param(s->params(i), key);
    }
    return found;
}

static void check_keys(reader *r, const ff_node *map, const char *what, const section *s) {
    if (map && map->kind != FF_NODE_MAP && map->kind != FF_NODE_NONE) {
        ff_messages_add(r->messages, map->place, "%s must be a map", what);
        return;
    }
    for (const ff_node *item = map ? map->first : NULL; item; item = item->next) {
        const ff_map where = {.messages = r->messages, .where = what};
        const bool number = is_among(s->keys, s->count, item->key);
        bool force = false;
        for (size_t i = 0; i < s->forces; i++) {
            force = force || strcmp(item->key, s->name(r->system, i)) == 0;
        }
        if (force && item->kind == FF_NODE_MAP) {
            section numbers = *s;
            numbers.forces = 0;
            check_keys(r, item, item->key, &numbers);
        } else if (force && !number) {
            ff_messages_add(r->messages, item->place, "%.60s must be a map of its parameters",
                            item->key);
        } else if (!number && !is_of_some_law(s, item->key)) {
            char hint[FF_HINT];
            ff_messages_add(r->messages, item->key_place, "unknown key '%.60s' in %s%s", item->key,
                            what, ff_word_hint(&where, item->key, s->keys, s->count, hint));
        } else if (item->kind != FF_NODE_TEXT) {
            ff_messages_add(r->messages, item->place, "%s must be an expression", item->key);
        }
    }
}

/* ---- contacts ---- */

static const char *const contact_wanted[] = {"restitution", "contact_time"};
static const char *const contact_more[] = {"mass", "speed"};

/* Desired behaviour of a law in a free impact of a mass. */
typedef struct {
    double restitution, decay, contact_time, mass, speed;
} wish;

/* A contact that is read: its law, and the law in whose parameters the file is written. */
typedef struct {
    source from;
    size_t number;
    const ff_normal_law *law, *paper;
    way by;   /* how the parameters of `paper` are given */
    bool own; /* the file has the parameters of `law` itself */
} contact;

/* Reads the desired behaviour: restitution, contact_time and mass. */
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

/* A law with values; required but unknown ones are set to their lower limit, or 1. */
static ff_status make_somehow(ff_normal *law, const ff_normal_law *table, const double *values,
                              ff_error *error) {
    double some[FF_LAW_PARAMS];
    for (size_t i = 0; table->params[i].name; i++) {
        const ff_param *param = &table->params[i];
        some[i] = !isnan(values[i]) || !isnan(param->fallback) ? values[i]
                  : param->least == FF_POSITIVE                ? 1
                                                               : param->least;
    }
    return ff_normal_make(law, table, some, error);
}

static void read_contact_values(reader *r, const contact *c, const ff_normal_law *table,
                                const char *const *without, size_t count, double *values) {
    static const ff_dimension metre = {.m = 1};
    read_values(r, &c->from, table->params, without, count,
                is_measured(ff_equations_gap_facts(r->system, c->number), metre), values);
}

/* A law with the parameters of the file. */
static bool make_given(reader *r, const contact *c, const ff_normal_law *table, ff_normal *law) {
    const size_t before = ff_messages_total(r->messages);
    const char *names[FF_LAW_PARAMS];
    const bool two = needed(table->params, names) == 2;
    double values[FF_LAW_PARAMS];
    ff_error error = {""};
    read_contact_values(r, c, table, NULL, 0, values);
    if (ff_messages_total(r->messages) > before) {
        return false;
    }
    for (size_t i = 0; table->params[i].name; i++) {
        if (isnan(values[i]) && isnan(table->params[i].fallback)) {
            char list[LIST], text[2 * LIST];
            snprintf(text, sizeof text, "needs %s%s if one of them is given", two ? "both " : "",
                     needed_list(table->params, " and ", list));
            refuse(r, &c->from, "contacts", text);
            return false;
        }
    }
    if (ff_normal_make(law, table, values, &error) < 0) {
        ff_messages_add(r->messages, c->from.place, "contact %s: %s", c->from.name, error.text);
        return false;
    }
    return true;
}

/* Sets parameters so that an impact is as desired. A power law without losses has contact times proportional to
 * k^(-1/(n+1)). */
static ff_status design(ff_normal *law, const wish *want, ff_error *error) {
    if (law->law->design) {
        return ff_design_impact(law, want->mass, want->restitution, want->contact_time, error);
    }
    if (want->decay > 0) {
        return ff_design_contact_time(law, want->mass, want->speed, want->decay,
                                      want->contact_time);
    }
    ff_impact one;
    ff_power power;
    ff_status status = ff_impact_solve(law, want->mass, want->speed, &one);
    if (status != FF_OK || !ff_normal_power(law, want->speed, &power)) {
        return status != FF_OK ? status : FF_BAD_VALUE;
    }
    double k = power.k * ff_pow(one.contact_time / want->contact_time, power.n + 1);
    return ff_normal_set_power(law, k, power.lambda, power.lambda_out);
}

/* A law with parameters that give the impact which the file requests, or that of the paper's law with its parameters. */
static bool make_chosen(reader *r, const contact *c, ff_normal *law, char why[FF_WHY]) {
    const size_t before = ff_messages_total(r->messages);
    const char *word = c->law->name, *without[2 * FF_LAW_PARAMS];
    double values[FF_LAW_PARAMS];
    char list[LIST], text[3 * LIST], speed[40] = "";
    wish want = {0};
    ff_power power;
    ff_error error = {""};
    needed_list(c->law->params, " and ", list);
    if (c->by == WANTED && !read_wish(r, &c->from, &want)) {
        return false;
    }
    /* additional parameters; a name that both laws have is the paper's */
    size_t count = needed(c->law->params, without);
    for (size_t i = 0; c->paper->params[i].name; i++) {
        without[count++] = c->paper->params[i].name;
    }
    read_contact_values(r, c, c->law, without, count, values);
    if (ff_messages_total(r->messages) > before) {
        return false;
    }
    if (make_somehow(law, c->law, values, &error) < 0) {
        ff_messages_add(r->messages, c->from.place, "contact %s: %s", c->from.name, error.text);
        return false;
    }
    /* linear laws behave the same at every speed */
    const bool any_speed =
        c->law->design || (ff_normal_power(law, 1, &power) && power.n == 1 && power.p == 0);
    want.speed = any_speed ? 1 : number_of(r, &c->from, "speed", NULL);
    want.mass = number_of(r, &c->from, "mass", NULL);
    if (ff_messages_total(r->messages) > before) {
        return false;
    }
    if (!(want.mass > 0) || !(want.speed > 0)) {
        snprintf(text, sizeof text,
                 "needs %s for %s, or a %s above 0, from which they follow by the %s%s%s", list,
                 word, any_speed ? "mass" : "mass and a speed",
                 c->by == GIVEN ? "restitution and contact time that "
                                : "restitution and contact_time",
                 c->by == GIVEN ? c->paper->name : "", c->by == GIVEN ? " has" : "");
        refuse(r, &c->from, "contacts", text);
        return false;
    }
    if (c->by == GIVEN) {
        ff_normal paper;
        ff_impact impact;
        if (!make_given(r, c, c->paper, &paper)) {
            return false;
        }
        ff_impact_solve(&paper, want.mass, want.speed, &impact);
        want.restitution = impact.restitution;
        want.contact_time = impact.contact_time;
        /* e is accurate to 1e-12: closer to 1 means no loss */
        want.decay = impact.loss > 1e-12 ? impact.decay : 0;
    }
    ff_status status = design(law, &want, &error);
    if (status != FF_OK && *error.text) {
        ff_messages_add(r->messages, c->from.place, "contact %s: %s", c->from.name, error.text);
        return false;
    }
    if (status != FF_OK) {
        snprintf(text, sizeof text, "cannot be %s with a restitution of %g in %g s: %s", word,
                 want.restitution, want.contact_time, ff_status_text(status));
        refuse(r, &c->from, "contacts", text);
        return false;
    }
    if (!any_speed) {
        snprintf(speed, sizeof speed, " at %g m/s", want.speed);
    }
    snprintf(why, FF_WHY,
             "%s for a restitution of %.6g and a contact time of %.6g s%s%s, of %g kg%s", list,
             want.restitution, want.contact_time, c->by == GIVEN ? ", those of " : "",
             c->by == GIVEN ? c->paper->name : "", want.mass, speed);
    return true;
}

static void read_contact(reader *r, const ff_node *root, contact *c) {
    const char *names[FF_LAW_PARAMS];
    char why[FF_WHY] = "", list[LIST], text[LIST + 80];
    ff_normal law;
    c->by = way_of(&c->from, names, needed(c->paper->params, names), contact_wanted,
                   FF_COUNT(contact_wanted));
    c->own = c->law == c->paper && c->by == GIVEN;
    for (size_t i = needed(c->law->params, names); i-- > 0 && c->law != c->paper;) {
        c->own = c->own || (node_of(&c->from, names[i]) && !has_param(c->paper->params, names[i]));
    }
    if (!c->own && c->by == GIVEN_BOTH) {
        snprintf(text, sizeof text,
                 "has both %s and restitution, contact_time: give one or the other",
                 needed_list(c->paper->params, ", ", list));
        refuse(r, &c->from, "contacts", text);
        return;
    }
    if (!c->own && c->by == GIVEN_NOT) {
        snprintf(text, sizeof text,
                 "needs %s, or restitution, contact_time and mass to compute them from",
                 needed_list(c->paper->params, " and ", list));
        refuse(r, &c->from, "contacts", text);
        return;
    }
    if (!(c->own ? make_given(r, c, c->law, &law) : make_chosen(r, c, &law, why))) {
        return;
    }
    ff_equations_set_contact(r->system, c->number, &law, why);
    if (law.law->gap && !law.damped) {
        return;
    }
    /* laws other than the paper's need the rate of the gap; a spring without damping can do without */
    ff_expr_error wrong = {0};
    ff_status status = ff_equations_close(r->system, c->number, &wrong);
    if (status == FF_NO_MEMORY) {
        r->status = status;
    } else if (status < 0 && law.damped) {
        const ff_node *let = entry_of(ff_node_find(root, "let"), c->from.name, FF_NODE_TEXT);
        ff_messages_add(r->messages, let ? let->place : c->from.place, "contact %s: %s",
                        c->from.name, wrong.text);
    }
}

void ff_inclusion_read_contacts(reader *r, const ff_node *root) {
    const char *word = r->rivals->contact ? r->rivals->contact : FF_DIO_LAW;
    contact c = {.law = ff_normal_law_find(word), .paper = ff_normal_law_find(FF_DIO_LAW)};
    section s = {.params = normal_params,
                 .name = ff_equations_contact,
                 .forces = ff_equations_contacts(r->system)};
    if (!c.law || c.law->touch || c.law->leave) {
        ff_messages_add(r->messages, root->place,
                        c.law ? "a dio cannot be %s, whose states are set when a contact begins or "
                                "ends: it is not a function of the gap"
                              : "there is no normal law '%.60s'",
                        word);
        return;
    }
    for (size_t i = 0; i < FF_COUNT(contact_wanted); i++) {
        s.keys[s.count++] = contact_wanted[i];
        s.keys[s.count++] = contact_more[i];
    }
    add_params(&s, c.paper->params);
    add_params(&s, c.law->params);
    check_keys(r, ff_node_find(root, "contacts"), "contacts", &s);
    for (c.number = 0; c.number < s.forces; c.number++) {
        c.from = source_of(root, "contacts", ff_equations_contact(r->system, c.number));
        read_contact(r, root, &c);
    }
}

/* ---- frictions ---- */

/* of a sticking force: stiffness K and damping time beta, or a mass, stiffness and damping ratio; and the force at which it
 * slips */
static const char *const friction_keys[] = {"K",    "beta",    "stiffness", "damping_ratio",
                                            "mass", "strength"};
enum { FRICTION_GIVEN = 2, FRICTION_WANTED = 2 };

/* critical damping: fastest approach to rest without overshoot */
#define CRITICAL 1.0

/* K and beta as given, NAN if they are not, or from mass, stiffness and damping ratio. */
static bool read_stiffness(reader *r, const source *from, way by, double *K, double *beta,
                           char why[FF_WHY]) {
    const size_t before = ff_messages_total(r->messages);
    *why = '\0';
    if (by != WANTED) {
        *K = number_of(r, from, "K", NULL);
        *beta = number_of(r, from, "beta", "s");
        return ff_messages_total(r->messages) == before;
    }
    double mass = number_of(r, from, "mass", NULL),
           stiffness = number_of(r, from, "stiffness", NULL),
           ratio = number_of(r, from, "damping_ratio", "1");
    if (ff_messages_total(r->messages) > before) {
        return false;
    }
    if (isnan(mass) || isnan(stiffness)) {
        refuse(r, from, "frictions", "needs mass and stiffness, and may have a damping_ratio");
        return false;
    }
    const bool chosen = isnan(ratio);
    ratio = chosen ? CRITICAL : ratio;
    if (!(mass > 0 && stiffness > 0 && ratio > 0)) {
        ff_messages_add(r->messages, from->place,
                        "friction %s: mass, stiffness and damping_ratio must be above 0",
                        from->name);
        return false;
    }
    *K = stiffness;
    *beta = ff_damping_time(mass, stiffness, ratio);
    snprintf(why, FF_WHY,
             "K and beta for a sticking mass of %g kg with a stiffness of %g N/m and a damping "
             "ratio of %g%s",
             mass, stiffness, ratio, chosen ? " (not given: critical)" : "");
    return true;
}

/* Parameters of a law from the file and, for the others, from K, beta and strength. */
static void read_friction(reader *r, const source *from, size_t number,
                          const ff_friction_law *table, bool rival) {
    static const ff_dimension speed = {.m = 1, .s = -1};
    const size_t before = ff_messages_total(r->messages);
    const way by = way_of(from, friction_keys, FRICTION_GIVEN, friction_keys + FRICTION_GIVEN,
                          FRICTION_WANTED);
    double values[FF_LAW_PARAMS], given[FF_LAW_PARAMS], could[FF_LAW_PARAMS], K, beta;
    bool open = false, lacking = false;
    char why[FF_WHY];
    ff_error error = {""};
    ff_friction law;
    if (by == GIVEN_BOTH) {
        refuse(r, from, "frictions",
               "has both K, beta and stiffness, damping_ratio: give one or the other");
        return;
    }
    if (!table->ellipse && ff_equations_shaped(r->system, number)) {
        ff_messages_add(r->messages, from->place,
                        "friction %s: it has a matrix, but %s cannot be anisotropic", from->name,
                        table->name);
        return;
    }
    if (!read_stiffness(r, from, by, &K, &beta, why)) {
        return;
    }
    double strength = number_of(r, from, "strength", NULL);
    strength = strength > 0 ? strength : (double)NAN;
    for (size_t i = 0; i < FF_LAW_PARAMS; i++) {
        values[i] = could[i] = NAN;
    }
    if (table->match) {
        table->match(strength, K, beta, values);
        table->match(1, 1, 1, could);
    }
    /* K and beta have no meaning for a law that cannot be matched: it may have parameters of these names */
    read_values(r, from, table->params, friction_keys, table->match ? FF_COUNT(friction_keys) : 0,
                is_measured(ff_equations_slip_facts(r->system, number), speed), given);
    for (size_t i = 0; table->params[i].name; i++) {
        values[i] = isnan(given[i]) ? values[i] : given[i];
        bool missing = isnan(values[i]) && !isnan(could[i]);
        open = open || missing;
        lacking = lacking || (missing && isnan(table->params[i].fallback));
    }
    if (ff_messages_total(r->messages) > before) {
        return;
    }
    if (by == GIVEN_NOT ? lacking : open && (isnan(K) || isnan(beta))) {
        refuse(
            r, from, "frictions",
            by == GIVEN_NOT
                ? "needs K and beta, or mass and stiffness (and damping_ratio) to compute them from"
                : "needs K and beta");
        return;
    }
    if (by != GIVEN_NOT && open) {
        ff_messages_add(r->messages, from->place,
                        "friction %s: %s needs `strength`, the force at which it slips", from->name,
                        table->name);
        return;
    }
    if (ff_friction_make(&law, table, values, &error) < 0) {
        ff_messages_add(r->messages, from->place, "friction %s: %s", from->name, error.text);
        return;
    }
    if (rival && by != GIVEN_NOT) {
        const size_t used = strlen(why);
        char at[60] = "";
        if (!isnan(strength)) {
            snprintf(at, sizeof at, " at a strength of %g N", strength);
        }
        snprintf(why + used, FF_WHY - used, "%sK = %g N/m and beta = %g s%s", used ? "; " : "", K,
                 beta, at);
    }
    ff_equations_set_friction(r->system, number, &law, why);
}

void ff_inclusion_read_frictions(reader *r, const ff_node *root) {
    const char *word = r->rivals->friction ? r->rivals->friction : FF_SGN_LAW;
    const ff_friction_law *law = ff_friction_law_find(word);
    section s = {.params = friction_params,
                 .name = ff_equations_friction,
                 .forces = ff_equations_frictions(r->system)};
    if (!law) {
        ff_messages_add(r->messages, root->place, "there is no friction law '%.60s'", word);
        return;
    }
    for (size_t i = 0; i < FF_COUNT(friction_keys); i++) {
        s.keys[s.count++] = friction_keys[i];
    }
    add_params(&s, law->params);
    check_keys(r, ff_node_find(root, "frictions"), "frictions", &s);
    for (size_t i = 0; i < s.forces; i++) {
        const source from = source_of(root, "frictions", ff_equations_friction(r->system, i));
        read_friction(r, &from, i, law, strcmp(word, FF_SGN_LAW) != 0);
    }
}
