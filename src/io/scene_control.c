/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "scene_control.h"
#include "expr/word.h"
#include "model/model.h"
#include "num/memory.h"
#include <footfall/field.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A name that expressions may use. */
typedef struct name {
    char *text;
    ff_signal signal;
    bool refused; /* it depends on accelerations */
    ff_expr is;   /* definition of an output that is computed where it is used; 0: it is a signal */
    /* definition of an output of a sampled controller, for use inside that controller */
    ff_expr whole;
    size_t owner; /* the controller that it belongs to; SIZE_MAX: none */
    int form;     /* which of its three names: controllers.hop.x, hop.x, x */
    bool state;
} name;

typedef struct controller {
    const ff_node *node;
    double every;
    size_t sampler; /* SIZE_MAX: continuous */
    const ff_node *states, *let, *rates, *next, *on;
} controller;

struct ff_control_reader {
    ff_scene_reader *r;
    ff_expr_pool *pool;
    FF_LIST(name) names;
    FF_LIST(ff_expr_name_def) defs; /* parallel to names; then parameters */
    FF_LIST(ff_signal) signals;
    FF_LIST(controller) controllers;
    FF_LIST(ff_draft_number) states;
    FF_LIST(ff_draft_number) memories;
    FF_LIST(ff_draft_number) shown;
    FF_LIST(ff_draft_number) events;
    FF_LIST(ff_draft_motion) motions;
    FF_LIST(ff_draft_drive) drives;
    FF_LIST(ff_assignment) acts;
    FF_LIST(ff_draft_block) samplers;
    FF_LIST(ff_draft_block) reactions;
    FF_LIST(char *) contacts; /* all contacts of the model */
    FF_LIST(char *) used;     /* contacts that are read */
};

static void no_memory(ff_control_reader *c) { c->r->status = FF_NO_MEMORY; }

/* ---- names ---- */

__attribute__((format(printf, 5, 6))) static void add_name(ff_control_reader *c, ff_signal signal,
                                                           ff_measure measure, ff_dimension dim,
                                                           const char *format, ...) {
    char text[FF_FIELD_PATH];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    char *copy = ff_word_copy(text);
    if (!copy || !FF_GROW(c->names) || !FF_GROW(c->defs) || !FF_GROW(c->signals)) {
        ff_free(copy);
        no_memory(c);
        return;
    }
    c->names.at[c->names.count++] = (name){.text = copy, .signal = signal, .owner = SIZE_MAX};
    c->signals.at[c->signals.count++] = signal;
    c->defs.at[c->defs.count++] = (ff_expr_name_def){
        .name = copy, .length = (unsigned)signal.width, .measure = measure, .dim = dim};
}

/* a number of a body or joint, under its field's path with and without the folder */
static void add_field(ff_control_reader *c, const char *folder, const char *owner,
                      const char *field, ff_signal signal, ff_dimension dim) {
    add_name(c, signal, FF_MEASURE_KNOWN, dim, "%s.%s.%s", folder, owner, field);
    add_name(c, signal, FF_MEASURE_KNOWN, dim, "%s.%s", owner, field);
}

static void refuse_field(ff_control_reader *c, const char *folder, const char *owner,
                         const char *field) {
    const size_t first = c->names.count;
    add_field(c, folder, owner, field, (ff_signal){.width = 1}, (ff_dimension){0});
    for (size_t i = first; i < c->names.count; i++) {
        c->names.at[i].refused = true;
        c->defs.at[i].measure = FF_MEASURE_FREE;
        c->defs.at[i].length = 3;
    }
}

static const ff_dimension none = FF_DIM_NONE, length = FF_DIM_LENGTH, speed = FF_DIM_SPEED,
                          rate = FF_DIM_RATE, newton = FF_DIM_FORCE, second = FF_DIM_TIME;

static void add_body(ff_control_reader *c, size_t i) {
    const char *owner = c->r->scene->bodies.at[i].name;
    add_field(c, "bodies", owner, "position", (ff_signal){FF_SIGNAL_BODY, i, FF_P, 3}, length);
    add_field(c, "bodies", owner, "orientation", (ff_signal){FF_SIGNAL_BODY, i, FF_Q, 4}, none);
    add_field(c, "bodies", owner, "velocity", (ff_signal){FF_SIGNAL_BODY, i, FF_VEL, 3}, speed);
    add_field(c, "bodies", owner, "omega", (ff_signal){FF_SIGNAL_BODY, i, FF_OMEGA, 3}, rate);
    refuse_field(c, "bodies", owner, "acceleration");
}

static void add_joint(ff_control_reader *c, size_t i) {
    const ff_joint_def *def = &c->r->scene->joints.at[i];
    const char *owner = def->name;
    const bool slides = def->kind == FF_JOINT_PRISMATIC;
    const size_t width = def->kind == FF_JOINT_UNIVERSAL   ? 2
                         : def->kind == FF_JOINT_SPHERICAL ? 3
                                                           : 1;
    switch (def->kind) {
    case FF_JOINT_REVOLUTE:
    case FF_JOINT_PRISMATIC:
    case FF_JOINT_SPHERICAL:
    case FF_JOINT_UNIVERSAL:
    case FF_JOINT_SCREW:
        add_field(c, "joints", owner, "position", (ff_signal){FF_SIGNAL_JOINT, i, 0, width},
                  slides ? length : none);
        add_field(c, "joints", owner, "rate", (ff_signal){FF_SIGNAL_JOINT, i, FF_JOINT_RATE, width},
                  slides ? speed : rate);
        break;
    case FF_JOINT_CYLINDRICAL:
        add_field(c, "joints", owner, "position", (ff_signal){FF_SIGNAL_JOINT, i, 0, 1}, length);
        add_field(c, "joints", owner, "angle", (ff_signal){FF_SIGNAL_JOINT, i, 1, 1}, none);
        add_field(c, "joints", owner, "velocity", (ff_signal){FF_SIGNAL_JOINT, i, FF_JOINT_RATE, 1},
                  speed);
        add_field(c, "joints", owner, "rate", (ff_signal){FF_SIGNAL_JOINT, i, FF_JOINT_RATE + 1, 1},
                  rate);
        break;
    case FF_JOINT_PLANAR:
        add_field(c, "joints", owner, "position", (ff_signal){FF_SIGNAL_JOINT, i, 0, 2}, length);
        add_field(c, "joints", owner, "angle", (ff_signal){FF_SIGNAL_JOINT, i, 2, 1}, none);
        add_field(c, "joints", owner, "velocity", (ff_signal){FF_SIGNAL_JOINT, i, FF_JOINT_RATE, 2},
                  speed);
        add_field(c, "joints", owner, "rate", (ff_signal){FF_SIGNAL_JOINT, i, FF_JOINT_RATE + 2, 1},
                  rate);
        break;
    default: break;
    }
    refuse_field(c, "joints", owner, "effort");
    if (def->kind == FF_JOINT_CYLINDRICAL || def->kind == FF_JOINT_PLANAR) {
        refuse_field(c, "joints", owner, "torque");
    }
    refuse_field(c, "joints", owner, "force");
    refuse_field(c, "joints", owner, "moment");
}

/* Contacts are known once shapes and pairs are; an invalid scene has messages of its own. */
static void add_contacts(ff_control_reader *c) {
    ff_model *model;
    ff_status status = ff_topology_make(c->r->scene, &model, NULL);
    if (status < 0) {
        c->r->status = status == FF_NO_MEMORY ? status : c->r->status;
        return;
    }
    for (size_t i = 0; i < ff_model_contacts_listed(model); i++) {
        const char *owner = ff_model_contact_name(model, i);
        char *copy = ff_word_copy(owner);
        if (!copy || !FF_GROW(c->contacts)) {
            ff_free(copy);
            no_memory(c);
            break;
        }
        c->contacts.at[c->contacts.count++] = copy;
        const struct {
            const char *field;
            size_t part, width;
            ff_dimension dim;
        } fields[] = {{"touching", FF_CONTACT_TOUCHING, 1, none},
                      {"depth", FF_CONTACT_DEPTH, 1, length},
                      {"rate", FF_CONTACT_RATE, 1, speed},
                      {"force", FF_CONTACT_FORCE, 3, newton}};
        for (size_t k = 0; k < FF_COUNT(fields); k++) {
            add_name(c, (ff_signal){FF_SIGNAL_CONTACT, i, fields[k].part, fields[k].width},
                     FF_MEASURE_KNOWN, fields[k].dim, "contacts.%s.%s", owner, fields[k].field);
        }
    }
    ff_model_free(model);
}

static int by_text(const void *a, const void *b) {
    return strcmp((*(const name *const *)a)->text, (*(const name *const *)b)->text);
}

/* Removes short names that two things share, such as a body and a joint called `leg`. */
static void drop_ambiguous(ff_control_reader *c) {
    name **sorted = ff_malloc((c->names.count + 1) * sizeof *sorted);
    if (!sorted) {
        no_memory(c);
        return;
    }
    for (size_t i = 0; i < c->names.count; i++) {
        sorted[i] = &c->names.at[i];
    }
    qsort(sorted, c->names.count, sizeof *sorted, by_text);
    for (size_t i = 0; i + 1 < c->names.count; i++) {
        if (strcmp(sorted[i]->text, sorted[i + 1]->text) == 0) {
            sorted[i]->text[0] = sorted[i + 1]->text[0] = '\0';
        }
    }
    ff_free(sorted);
}

/* ---- one expression ---- */

/* The index in the list of contacts that are read. */
static size_t use_contact(ff_control_reader *c, size_t contact) {
    const char *text = c->contacts.at[contact];
    size_t i = 0;
    while (i < c->used.count && strcmp(c->used.at[i], text) != 0) {
        i++;
    }
    if (i == c->used.count) {
        if (!FF_GROW(c->used)) {
            no_memory(c);
            return 0;
        }
        c->used.at[c->used.count++] = c->contacts.at[contact];
    }
    return i;
}

typedef struct marking {
    ff_control_reader *c;
    const name *refused;
} marking;

/* Records contacts and parameters that are used, and names that must not be. */
static bool mark(const ff_expr_pool *pool, ff_expr e, void *user) {
    marking *m = user;
    const ff_expr_node *node = ff_expr_at(pool, e);
    for (size_t i = 0; node->kind == FF_EXPR_NAME && i < m->c->names.count; i++) {
        name *n = &m->c->names.at[i];
        if (strcmp(n->text, node->text) != 0) {
            continue;
        }
        m->refused = n->refused ? n : m->refused;
        if (n->signal.kind == FF_SIGNAL_CONTACT) {
            m->c->signals.at[i].thing = use_contact(m->c, n->signal.thing);
        }
    }
    return true;
}

/* Replaces names of outputs by their definitions; those of a sampled controller only inside it. */
static ff_expr resolve(ff_control_reader *c, ff_expr e, size_t owner) {
    FF_LIST(ff_expr) from = {0};
    FF_LIST(ff_expr) to = {0};
    for (size_t i = 0; i < c->names.count; i++) {
        const name *n = &c->names.at[i];
        const bool inside = owner != SIZE_MAX && n->owner == owner;
        ff_expr is = n->is ? n->is : inside ? n->whole : 0;
        if (!is) {
            continue;
        }
        if (!FF_GROW(from) || !FF_GROW(to)) {
            no_memory(c);
            break;
        }
        from.at[from.count++] = ff_expr_path(c->pool, n->text);
        to.at[to.count++] = is;
    }
    e = from.count > 0 ? ff_expr_replace(c->pool, e, from.at, to.at, from.count) : e;
    ff_free(from.at);
    ff_free(to.at);
    if (!e) {
        no_memory(c);
    }
    return e;
}

/* whether it is an unprefixed name of this controller, which is valid inside it */
static bool is_short(const ff_control_reader *c, size_t i, size_t owner) {
    const name *n = &c->names.at[i];
    return owner != SIZE_MAX && n->owner == owner && n->form == 2;
}

/* Reads an expression; `dim` NULL: of any dimension. 0, with a message, if it is invalid. */
static ff_expr read_expression(ff_control_reader *c, const ff_map *map, const char *key,
                               const ff_node *node, const ff_dimension *dim, size_t owner,
                               ff_expr_facts *facts) {
    const ff_parameters *p = &c->r->parameters;
    const size_t most = c->names.count + p->ready;
    ff_expr_error error = {0};
    char why[320];
    if (node->kind != FF_NODE_TEXT) {
        ff_node_refuse(map, key, node, "an expression");
        return 0;
    }
    const char **words = ff_malloc((most + 1) * sizeof *words);
    ff_expr_name_def *defs = ff_malloc((most + 1) * sizeof *defs);
    if (!words || !defs) {
        ff_free(words);
        ff_free(defs);
        no_memory(c);
        return 0;
    }
    size_t count = 0;
    for (size_t i = 0; i < c->names.count; i++) {
        const bool plain =
            !strchr(c->names.at[i].text, '.') && strcmp(c->names.at[i].text, "t") != 0;
        if (*c->names.at[i].text && (!plain || is_short(c, i, owner))) {
            words[count] = c->names.at[i].text;
            defs[count++] = c->defs.at[i];
        }
    }
    for (size_t i = 0; i < p->ready; i++) {
        words[count] = p->names.at[i].name;
        defs[count++] = p->names.at[i];
    }
    const ff_expr_scope scope = {defs, count, NULL, 0};
    ff_expr e = ff_expr_parse(c->pool, node->text, words, count, &error);
    ff_status status =
        e ? ff_expr_check(c->pool, &e, 1, &scope, true, facts, &error) : FF_BAD_VALUE;
    ff_free(words);
    ff_free(defs);
    if (ff_expr_pool_status(c->pool) == FF_NO_MEMORY || status == FF_NO_MEMORY ||
        strcmp(error.text, ff_status_text(FF_NO_MEMORY)) == 0) {
        no_memory(c);
        return 0;
    }
    if (status < 0) {
        ff_messages_add(map->messages, ff_node_place(node, error.column ? error.column - 1 : 0),
                        "%s of %s: %s", key, map->where, error.text);
        return 0;
    }
    marking marks = {c, NULL};
    ff_expr_walk(c->pool, e, mark, &marks);
    ff_parameters_use(&c->r->parameters, c->pool, e);
    if (marks.refused) {
        ff_messages_add(map->messages, node->place,
                        "%s of %s: expressions cannot read '%s', because it depends on the forces",
                        key, map->where, marks.refused->text);
        return 0;
    }
    if (facts->length > 1) {
        ff_messages_add(map->messages, node->place, "%s of %s: '%.60s' is a vector, not a number",
                        key, map->where, node->text);
        return 0;
    }
    if (dim && facts->measure == FF_MEASURE_KNOWN && !ff_dimension_same(facts->dim, *dim)) {
        ff_dimension_refuse(node->text, facts->dim, *dim, why, sizeof why);
        ff_messages_add(map->messages, node->place, "%s of %s: %s", key, map->where, why);
        return 0;
    }
    return e;
}

/* Replaces unprefixed names of a controller; then outputs are resolved. */
static ff_expr own_names(ff_control_reader *c, ff_expr e, size_t owner) {
    for (size_t i = 0; e && i < c->names.count; i++) {
        if (is_short(c, i, owner)) {
            const ff_expr from = ff_expr_path(c->pool, c->names.at[i].text),
                          to = ff_expr_path(c->pool, c->names.at[i - 2].text);
            e = from && to ? ff_expr_replace(c->pool, e, &from, &to, 1) : 0;
        }
    }
    if (!e) {
        no_memory(c);
    }
    return e ? resolve(c, e, owner) : 0;
}

static ff_expr read_one(ff_control_reader *c, const ff_map *map, const char *key,
                        const ff_node *node, const ff_dimension *dim, size_t owner) {
    ff_expr_facts facts;
    ff_expr e = read_expression(c, map, key, node, dim, owner, &facts);
    return e ? own_names(c, e, owner) : 0;
}

/* ---- numbers of controllers ---- */

static bool add_number(ff_control_reader *c, void **at, size_t *count, size_t *room,
                       const char *path, const ff_expr_facts *facts, double start, double scale,
                       ff_expr is) {
    ff_draft_number n = {.path = ff_word_copy(path), .start = start, .scale = scale, .is = is};
    if (facts->measure == FF_MEASURE_KNOWN) {
        ff_dimension_units(facts->dim, n.unit, sizeof n.unit);
    }
    if (!n.path || !ff_list_grow(at, *count, room, sizeof n)) {
        ff_free(n.path);
        no_memory(c);
        return false;
    }
    ((ff_draft_number *)*at)[(*count)++] = n;
    return true;
}
#define ADD_NUMBER(c, list, path, facts, start, scale, is)                                         \
    add_number((c), (void **)&(c)->list.at, &(c)->list.count, &(c)->list.room, path, facts, start, \
               scale, is)

static void assign(ff_control_reader *c, ff_draft_block *block, ff_target to, ff_expr is) {
    if (!is ||
        !ff_list_grow((void **)&block->values, block->count, &block->room, sizeof *block->values)) {
        c->r->status = is ? FF_NO_MEMORY : c->r->status;
        return;
    }
    block->values[block->count++] = (ff_assignment){to, is};
}

/* Adds a state or an output of a controller; `is` for outputs. */
static void add_own(ff_control_reader *c, size_t index, const char *text, ff_signal signal,
                    const ff_expr_facts *facts, ff_expr is) {
    const controller *k = &c->controllers.at[index];
    const char *owner = k->node->key;
    const size_t first = c->names.count;
    const ff_measure measure =
        facts->measure == FF_MEASURE_KNOWN ? FF_MEASURE_KNOWN : FF_MEASURE_FREE;
    add_name(c, signal, measure, facts->dim, "controllers.%s.%s", owner, text);
    add_name(c, signal, measure, facts->dim, "%s.%s", owner, text);
    add_name(c, signal, measure, facts->dim, "%s", text);
    for (size_t i = first; i < c->names.count; i++) {
        name *n = &c->names.at[i];
        n->owner = index;
        n->form = (int)(i - first);
        n->state = !is;
        *(k->sampler != SIZE_MAX ? &n->whole : &n->is) = is;
    }
}

static bool is_usable(ff_control_reader *c, const ff_map *map, const ff_node *entry) {
    const ff_parameters *p = &c->r->parameters;
    const char *why = !ff_expr_is_name(entry->key)    ? "letters, digits and _"
                      : ff_function_find(entry->key)  ? "it is a function"
                      : strcmp(entry->key, "pi") == 0 ? "it is 3.14159"
                      : strcmp(entry->key, "t") == 0  ? "it is the time"
                                                      : NULL;
    for (size_t i = 0; i < p->names.count && !why; i++) {
        why = strcmp(p->names.at[i].name, entry->key) == 0 ? "a parameter has this name" : NULL;
    }
    if (why) {
        ff_messages_add(map->messages, entry->key_place, "'%.60s' cannot be a name in %s: %s",
                        entry->key, map->where, why);
    }
    return !why;
}

/* The start of a state: a number with any unit, or {start: .., scale: ..}. */
static void read_state(ff_control_reader *c, const ff_map *map, size_t index,
                       const ff_node *entry) {
    controller *k = &c->controllers.at[index];
    const ff_node *start = entry, *scale = NULL;
    char path[FF_FIELD_PATH];
    if (entry->kind == FF_NODE_MAP) {
        start = ff_node_find(entry, "start");
        scale = ff_node_find(entry, "scale");
        for (const ff_node *other = entry->first; other; other = other->next) {
            if (other != start && other != scale) {
                ff_messages_add(
                    map->messages, other->key_place,
                    "unknown key '%.60s' in state '%.60s' of %s (known are start, scale)",
                    other->key, entry->key, map->where);
            }
        }
    }
    if (!start || start->kind != FF_NODE_TEXT) {
        ff_node_refuse(map, entry->key, entry, "a number, or {start: .., scale: ..}");
        return;
    }
    ff_expr_facts facts = {0};
    double value = 0, size = 1;
    if (!ff_parameters_any(&c->r->parameters, map, entry->key, start, &value, &facts)) {
        return;
    }
    size = fabs(value) > 0 ? fabs(value) : 1;
    ff_key by = {.key = "scale", .dim = facts.dim, .least = 1e-300, .most = INFINITY};
    if (scale && !ff_node_number(map, &by, scale, &size)) {
        return;
    }
    snprintf(path, sizeof path, "controllers.%s.%s", k->node->key, entry->key);
    const bool sampled = k->sampler != SIZE_MAX;
    ff_signal signal = {sampled ? FF_SIGNAL_MEMORY : FF_SIGNAL_STATE,
                        sampled ? c->memories.count : c->states.count, 0, 1};
    if (sampled ? ADD_NUMBER(c, memories, path, &facts, value, size, 0)
                : ADD_NUMBER(c, states, path, &facts, value, size, 0)) {
        add_own(c, index, entry->key, signal, &facts, 0);
    }
}

static void each(const ff_map *map, const char *key, const ff_node *node) {
    if (node && node->kind != FF_NODE_MAP && node->kind != FF_NODE_NONE) {
        ff_node_refuse(map, key, node, "a map");
    }
}

static size_t add_sampler(ff_control_reader *c, double every) {
    if (!FF_GROW(c->samplers)) {
        no_memory(c);
        return SIZE_MAX;
    }
    c->samplers.at[c->samplers.count] = (ff_draft_block){.every = every};
    return c->samplers.count++;
}

static const ff_key controller_fields[] = {
    {"every", ff_key_number, offsetof(controller, every), NULL, FF_DIM_TIME, 1e-9, INFINITY},
    {.key = "states", .read = ff_key_node, .offset = offsetof(controller, states)},
    {.key = "let", .read = ff_key_node, .offset = offsetof(controller, let)},
    {.key = "rates", .read = ff_key_node, .offset = offsetof(controller, rates)},
    {.key = "next", .read = ff_key_node, .offset = offsetof(controller, next)},
    {.key = "on", .read = ff_key_node, .offset = offsetof(controller, on)},
};

static void refuse_name(ff_control_reader *c, const ff_map *map, const ff_node *node) {
    ff_named named;
    const char *of = ff_reader_find(c->r, node->key, &named) ? "body or plane" : NULL;
    for (size_t i = 0; i < c->r->joints.count && !of; i++) {
        of = strcmp(c->r->joints.at[i].name, node->key) == 0 ? "joint" : NULL;
    }
    if (of) {
        ff_messages_add(map->messages, node->key_place, "controller '%s' has the name of a %s",
                        node->key, of);
    }
}

/* First pass: states. */
static void declare(ff_control_reader *c, const ff_node *node) {
    controller k = {.node = node, .sampler = SIZE_MAX};
    char where[FF_WHERE];
    ff_where(where, "controller '%.63s'", node->key);
    ff_map map = {c->r->messages, &c->r->parameters, where, &k, c->r};
    ff_node_name(&map, "controller", node->key, node->key_place);
    refuse_name(c, &map, node);
    ff_keys_read(&map, node, controller_fields, FF_COUNT(controller_fields));
    if (k.every > 0) {
        k.sampler = add_sampler(c, k.every);
    }
    if (!FF_GROW(c->controllers)) {
        no_memory(c);
        return;
    }
    const size_t index = c->controllers.count++;
    c->controllers.at[index] = k;
    each(&map, "states", k.states);
    each(&map, "let", k.let);
    each(&map, "rates", k.rates);
    each(&map, "next", k.next);
    each(&map, "on", k.on);
    if (k.rates && k.every > 0) {
        ff_messages_add(map.messages, k.rates->key_place,
                        "%s is sampled: its states have `next`, not `rates`", where);
    }
    if (k.next && !(k.every > 0)) {
        ff_messages_add(map.messages, k.next->key_place,
                        "%s has no `every`: its states have `rates`, not `next`", where);
    }
    for (const ff_node *entry = k.states ? k.states->first : NULL; entry; entry = entry->next) {
        if (is_usable(c, &map, entry)) {
            read_state(c, &map, index, entry);
        }
    }
}

/* Second pass: what depends on states. Outputs of a sampled controller are held between samples. */
static void read_let(ff_control_reader *c, size_t index) {
    const controller *k = &c->controllers.at[index];
    char where[FF_WHERE], path[FF_FIELD_PATH];
    ff_where(where, "let of controller '%.63s'", k->node->key);
    const ff_map map = {c->r->messages, &c->r->parameters, where, NULL, c->r};
    for (const ff_node *entry = k->let ? k->let->first : NULL; entry && c->r->status >= 0;
         entry = entry->next) {
        ff_expr_facts facts = {0};
        if (!is_usable(c, &map, entry)) {
            continue;
        }
        ff_expr e = read_expression(c, &map, entry->key, entry, NULL, index, &facts);
        e = e ? own_names(c, e, index) : 0;
        if (!e) {
            continue;
        }
        const bool sampled = k->sampler != SIZE_MAX;
        snprintf(path, sizeof path, "controllers.%s.%s", k->node->key, entry->key);
        ff_signal signal = {FF_SIGNAL_MEMORY, c->memories.count, 0, 1};
        if (sampled) {
            ADD_NUMBER(c, memories, path, &facts, 0, 1, 0);
            assign(c, &c->samplers.at[k->sampler], (ff_target){FF_TARGET_MEMORY, signal.thing}, e);
        } else {
            ADD_NUMBER(c, shown, path, &facts, 0, 1, e);
        }
        add_own(c, index, entry->key, signal, &facts, e);
    }
}

/* The state of a controller that an entry names; SIZE_MAX, with a message, if there is none. */
static size_t state_of(ff_control_reader *c, const ff_map *map, size_t index,
                       const ff_node *entry) {
    const char *words[64];
    size_t count = 0;
    char hint[FF_HINT];
    for (size_t i = 0; i < c->names.count; i++) {
        if (!is_short(c, i, index) || !c->names.at[i].state) {
            continue;
        }
        if (strcmp(c->names.at[i].text, entry->key) == 0) {
            return i;
        }
        if (count < FF_COUNT(words)) {
            words[count++] = c->names.at[i].text;
        }
    }
    ff_messages_add(map->messages, entry->key_place, "unknown state '%.60s' in %s%s", entry->key,
                    map->where, ff_word_hint(map, entry->key, words, count, hint));
    return SIZE_MAX;
}

static ff_target target_of(const ff_signal *s) {
    return (ff_target){s->kind == FF_SIGNAL_STATE ? FF_TARGET_STATE : FF_TARGET_NEXT, s->thing};
}

static void read_changes(ff_control_reader *c, const ff_map *map, size_t index, const ff_node *node,
                         bool rates, ff_draft_block *block) {
    for (const ff_node *entry = node->first; entry; entry = entry->next) {
        size_t i = state_of(c, map, index, entry);
        if (i == SIZE_MAX) {
            continue;
        }
        ff_dimension dim = c->defs.at[i].dim;
        dim.s -= rates;
        const bool known = c->defs.at[i].measure == FF_MEASURE_KNOWN;
        ff_expr e = read_one(c, map, entry->key, entry, known ? &dim : NULL, index);
        if (!e) {
            continue;
        }
        if (!rates) {
            assign(c, block, target_of(&c->signals.at[i]), e);
        } else if (FF_GROW(c->acts)) {
            c->acts.at[c->acts.count++] = (ff_assignment){target_of(&c->signals.at[i]), e};
        } else {
            no_memory(c);
        }
    }
}

/* `touchdown foot/floor`, `liftoff foot/floor`, `apex`, `rising apex` or `falling apex` */
static void read_reaction(ff_control_reader *c, const ff_map *map, size_t index,
                          const ff_node *entry) {
    ff_draft_block block = {.kind = FF_USER};
    const char *space = strchr(entry->key, ' '), *of = space ? space + 1 : entry->key;
    const size_t word = space ? (size_t)(space - entry->key) : 0;
    const bool down = word == 9 && strncmp(entry->key, "touchdown", word) == 0,
               up = word == 7 && strncmp(entry->key, "liftoff", word) == 0,
               rising = word == 6 && strncmp(entry->key, "rising", word) == 0,
               falling = word == 7 && strncmp(entry->key, "falling", word) == 0;
    const char *words[64];
    size_t count = 0;
    char hint[FF_HINT];
    if (space && !down && !up && !rising && !falling) {
        ff_messages_add(map->messages, entry->key_place,
                        "unknown event '%.60s' in %s: use touchdown or liftoff with a contact, or "
                        "an event of the scene, optionally after rising or falling",
                        entry->key, map->where);
        return;
    }
    const bool contact = down || up;
    const size_t total = contact ? c->contacts.count : c->events.count;
    size_t i = 0;
    for (; i < total; i++) {
        const char *text = contact ? c->contacts.at[i] : c->events.at[i].path;
        if (strcmp(text, of) == 0) {
            break;
        }
        if (count < FF_COUNT(words)) {
            words[count++] = text;
        }
    }
    if (i == total) {
        ff_messages_add(map->messages, entry->key_place, "unknown %s '%.60s' in %s%s",
                        contact ? "contact" : "event", of, map->where,
                        ff_word_hint(map, of, words, count, hint));
        return;
    }
    if (entry->kind != FF_NODE_MAP) {
        ff_node_refuse(map, entry->key, entry, "a map of state: value");
        return;
    }
    block.kind = down ? FF_TOUCHDOWN : up ? FF_LIFTOFF : FF_USER;
    block.thing = contact ? use_contact(c, i) : i;
    block.way = rising ? 1 : falling ? -1 : 0;
    read_changes(c, map, index, entry, false, &block);
    if (!FF_GROW(c->reactions)) {
        ff_free(block.values);
        no_memory(c);
        return;
    }
    c->reactions.at[c->reactions.count++] = block;
}

static void read_rest(ff_control_reader *c, size_t index) {
    const controller *k = &c->controllers.at[index];
    char where[FF_WHERE];
    ff_map map = {c->r->messages, &c->r->parameters, where, NULL, c->r};
    if (k->rates && !(k->every > 0)) {
        /* a state without a rate is changed only by events */
        ff_where(where, "rates of controller '%.63s'", k->node->key);
        read_changes(c, &map, index, k->rates, true, NULL);
    }
    if (k->next && k->sampler != SIZE_MAX) {
        ff_where(where, "next of controller '%.63s'", k->node->key);
        read_changes(c, &map, index, k->next, false, &c->samplers.at[k->sampler]);
    }
    ff_where(where, "on of controller '%.63s'", k->node->key);
    for (const ff_node *entry = k->on ? k->on->first : NULL; entry; entry = entry->next) {
        read_reaction(c, &map, index, entry);
    }
}

/* ---- sections ---- */

static bool is_map(ff_control_reader *c, const char *key, const ff_node *node, const char *wanted) {
    if (node && node->kind != FF_NODE_MAP && node->kind != FF_NODE_NONE) {
        ff_node_refuse(&(ff_map){c->r->messages, &c->r->parameters, "the scene", NULL, NULL}, key,
                       node, wanted);
        return false;
    }
    return node;
}

static void read_sections(ff_control_reader *c, const ff_node *controllers, const ff_node *events) {
    const ff_map map = {c->r->messages, &c->r->parameters, "events", NULL, c->r};
    const ff_expr_facts free_facts = {0};
    if (is_map(c, "events", events, "a map of name: expression")) {
        for (const ff_node *entry = events->first; entry; entry = entry->next) {
            ff_node_name(&map, "event", entry->key, entry->key_place);
            ADD_NUMBER(c, events, entry->key, &free_facts, 0, 1, 0);
        }
    }
    if (is_map(c, "controllers", controllers, "a map of name: {states: .., let: ..}")) {
        for (const ff_node *entry = controllers->first; entry; entry = entry->next) {
            declare(c, entry);
        }
    }
    for (size_t i = 0; i < c->controllers.count && c->r->status >= 0; i++) {
        read_let(c, i);
    }
    for (size_t i = 0; i < c->controllers.count && c->r->status >= 0; i++) {
        read_rest(c, i);
    }
    size_t i = 0;
    for (const ff_node *entry = events && events->kind == FF_NODE_MAP ? events->first : NULL;
         entry && c->r->status >= 0; entry = entry->next) {
        c->events.at[i++].is = read_one(c, &map, entry->key, entry, NULL, SIZE_MAX);
    }
}

ff_expr ff_control_law(ff_control_reader *c, const ff_map *map, const ff_node *node,
                       const ff_dimension *dim) {
    ff_expr e = read_one(c, map, "motion", node, dim, SIZE_MAX);
    for (size_t k = 0; e && k < c->names.count; k++) {
        if (strcmp(c->names.at[k].text, "t") != 0 && ff_expr_has(c->pool, e, c->names.at[k].text)) {
            ff_messages_add(map->messages, node->place,
                            "motion of %s depends on '%s': it must be an expression of t",
                            map->where, c->names.at[k].text);
            return 0;
        }
    }
    return e;
}

void ff_control_move_plane(ff_control_reader *c, const ff_draft_motion *motion) {
    if (!FF_GROW(c->motions)) {
        no_memory(c);
        return;
    }
    c->motions.at[c->motions.count++] = *motion;
}

void ff_control_move_joint(ff_control_reader *c, const ff_draft_drive *drive) {
    if (!FF_GROW(c->drives)) {
        no_memory(c);
        return;
    }
    c->drives.at[c->drives.count++] = *drive;
}

ff_control_reader *ff_control_read(ff_scene_reader *r, const ff_node *root) {
    ff_control_reader *c = ff_calloc(1, sizeof *c);
    if (!c || !(c->pool = ff_expr_pool_create())) {
        ff_free(c);
        r->status = FF_NO_MEMORY;
        return NULL;
    }
    c->r = r;
    add_name(c, (ff_signal){FF_SIGNAL_TIME, 0, 0, 1}, FF_MEASURE_KNOWN, second, "t");
    for (size_t i = 0; i < r->scene->bodies.count && r->status >= 0; i++) {
        add_body(c, i);
    }
    for (size_t i = 0; i < r->scene->joints.count && r->status >= 0; i++) {
        add_joint(c, i);
    }
    if (r->status >= 0) {
        add_contacts(c);
        drop_ambiguous(c);
    }
    if (r->status >= 0) {
        read_sections(c, ff_node_find(root, "controllers"), ff_node_find(root, "events"));
        ff_read_motions(c, r, root);
    }
    return c;
}

void ff_control_command(ff_control_reader *c, const ff_map *map, const char *key,
                        const ff_node *node, ff_dimension dim, size_t part, double every) {
    ff_expr e = read_one(c, map, key, node, &dim, SIZE_MAX);
    const size_t force = c->r->scene->forces.count;
    const ff_target to = {FF_TARGET_COMMAND, FF_COMMANDS * force + part};
    if (e && every > 0) {
        /* held between samples */
        const ff_expr_facts facts = {.measure = FF_MEASURE_KNOWN, .dim = dim};
        const ff_signal signal = {FF_SIGNAL_MEMORY, c->memories.count, 0, 1};
        size_t sampler = add_sampler(c, every);
        char path[FF_FIELD_PATH];
        snprintf(path, sizeof path, "#force %zu %zu", force, part);
        if (sampler == SIZE_MAX || !ADD_NUMBER(c, memories, path, &facts, 0, 1, 0)) {
            return;
        }
        assign(c, &c->samplers.at[sampler], (ff_target){FF_TARGET_MEMORY, signal.thing}, e);
        add_name(c, signal, FF_MEASURE_KNOWN, dim, "%s", path);
        e = ff_expr_path(c->pool, path);
    }
    if (e && FF_GROW(c->acts)) {
        c->acts.at[c->acts.count++] = (ff_assignment){to, e};
    } else if (e || ff_expr_pool_status(c->pool) == FF_NO_MEMORY) {
        no_memory(c);
    }
}

void ff_control_finish(ff_control_reader *c, size_t before) {
    ff_scene_reader *r = c->r;
    ff_expr_error error;
    if (ff_messages_total(r->messages) > before || r->status < 0) {
        return;
    }
    /* parameters are constants */
    for (size_t i = 0; i < r->parameters.ready && r->status >= 0; i++) {
        if (!FF_GROW(c->defs) || !FF_GROW(c->signals)) {
            no_memory(c);
            return;
        }
        c->defs.at[c->defs.count++] = r->parameters.names.at[i];
        c->signals.at[c->signals.count++] = (ff_signal){.width = 1};
    }
    const ff_draft draft = {.pool = c->pool,
                            .names = c->defs.at,
                            .signals = c->signals.at,
                            .name_count = c->defs.count,
                            .states = c->states.at,
                            .memories = c->memories.at,
                            .shown = c->shown.at,
                            .state_count = c->states.count,
                            .memory_count = c->memories.count,
                            .shown_count = c->shown.count,
                            .acts = c->acts.at,
                            .act_count = c->acts.count,
                            .samplers = c->samplers.at,
                            .sampler_count = c->samplers.count,
                            .reactions = c->reactions.at,
                            .reaction_count = c->reactions.count,
                            .events = c->events.at,
                            .event_count = c->events.count,
                            .motions = c->motions.at,
                            .motion_count = c->motions.count,
                            .drives = c->drives.at,
                            .drive_count = c->drives.count,
                            .contacts = c->used.at,
                            .contact_count = c->used.count};
    if (draft.act_count + draft.state_count + draft.memory_count + draft.shown_count +
            draft.event_count + draft.motion_count + draft.drive_count ==
        0) {
        return;
    }
    ff_status status = ff_control_make(&draft, &r->scene->control, &error);
    if (status == FF_NO_MEMORY) {
        no_memory(c);
    } else if (status < 0) {
        ff_messages_add(r->messages, (ff_place){0}, "%s", error.text);
    }
    for (size_t i = 0; i < c->events.count && r->status >= 0; i++) {
        if (!FF_GROW(r->scene->events)) {
            no_memory(c);
            return;
        }
        r->scene->events.at[r->scene->events.count++] = (ff_event_def){.expression = i};
    }
}

static void free_numbers(ff_draft_number *at, size_t count) {
    for (size_t i = 0; i < count; i++) {
        ff_free(at[i].path);
    }
    ff_free(at);
}

static void free_blocks(ff_draft_block *at, size_t count) {
    for (size_t i = 0; i < count; i++) {
        ff_free(at[i].values);
    }
    ff_free(at);
}

void ff_control_reader_free(ff_control_reader *c) {
    if (!c) {
        return;
    }
    for (size_t i = 0; i < c->names.count; i++) {
        ff_free(c->names.at[i].text);
    }
    for (size_t i = 0; i < c->contacts.count; i++) {
        ff_free(c->contacts.at[i]);
    }
    ff_free(c->names.at);
    ff_free(c->defs.at);
    ff_free(c->signals.at);
    ff_free(c->controllers.at);
    free_numbers(c->states.at, c->states.count);
    free_numbers(c->memories.at, c->memories.count);
    free_numbers(c->shown.at, c->shown.count);
    free_numbers(c->events.at, c->events.count);
    ff_free(c->motions.at);
    ff_free(c->drives.at);
    ff_free(c->acts.at);
    free_blocks(c->samplers.at, c->samplers.count);
    free_blocks(c->reactions.at, c->reactions.count);
    ff_free(c->contacts.at);
    ff_free(c->used.at);
    ff_expr_pool_free(c->pool);
    ff_free(c);
}
