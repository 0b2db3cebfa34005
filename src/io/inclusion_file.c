/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "inclusion_file.h"
#include "field.h"
#include "setting.h"
#include "text_file.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    ff_messages *messages;
    ff_system *system;
    const char *friction; /* what each sgn becomes */
    ff_status status;     /* FF_NO_MEMORY once memory has ended */
} reader;

/* A place within a text, where it stands in one line. */
static ff_place place_of(const ff_node *node, size_t column) {
    ff_place place = node->place;
    if (node->one_line && place.line > 0 && column > 0) {
        place.column += column - 1;
    }
    return place;
}

static void tell(reader *r, const ff_node *node, const char *where, ff_status status,
                 const ff_expr_error *error) {
    if (status == FF_NO_MEMORY) {
        r->status = status;
    } else if (status < 0) {
        ff_messages_add(r->messages, place_of(node, error->column), "%s: %s", where, error->text);
    }
}

static bool is_text(reader *r, const ff_node *node, const char *where) {
    if (node->kind != FF_NODE_TEXT) {
        ff_messages_add(r->messages, node->place, "%s must be an expression", where);
    }
    return node->kind == FF_NODE_TEXT;
}

/* of a section; names are looked for one by one */
enum { ENTRIES_MOST = 5000 };

/* whether a section is no longer than that */
static bool is_short(reader *r, const ff_node *section, const char *name) {
    size_t count = 0;
    for (const ff_node *item = section->first; item && count <= ENTRIES_MOST; item = item->next) {
        count++;
    }
    if (count > ENTRIES_MOST) {
        ff_messages_add(r->messages, section->key_place, "%s has more than %d entries", name,
                        ENTRIES_MOST);
    }
    return count <= ENTRIES_MOST;
}

/* A section that is a map; NULL where there is none. */
static const ff_node *map_of(reader *r, const ff_node *root, const char *name) {
    const ff_node *section = ff_node_find(root, name);
    if (!section || section->kind == FF_NODE_NONE) {
        return NULL;
    }
    if (section->kind != FF_NODE_MAP) {
        ff_messages_add(r->messages, section->place, "%s must be a map", name);
        return NULL;
    }
    return section;
}

typedef ff_status adder(ff_system *s, const char *name, const char *text, ff_expr_error *error);

/* A map of names and expressions. */
static void read_map(reader *r, const ff_node *map, const char *section, adder *add) {
    if (!map || map->kind == FF_NODE_NONE) {
        return;
    }
    if (map->kind != FF_NODE_MAP) {
        ff_messages_add(r->messages, map->place, "%s must be a map of name: expression", section);
        return;
    }
    if (!is_short(r, map, section)) {
        return;
    }
    for (const ff_node *item = map->first; item; item = item->next) {
        ff_expr_error error = {0};
        char where[FF_WHERE];
        ff_where(where, "%s.%.63s", section, item->key);
        ff_status status = FF_BAD_VALUE;
        if (is_text(r, item, where)) {
            status = add(r->system, item->key, item->text, &error);
            tell(r, item, where, status, &error);
        }
        if (status < 0 && add != ff_system_rate) {
            ff_system_assume(r->system, item->key);
        }
    }
}

static void read_switches(reader *r, const ff_node *list) {
    if (list && list->kind != FF_NODE_LIST) {
        ff_messages_add(r->messages, list->place, "switches must be a list of times");
        return;
    }
    if (list && !is_short(r, list, "switches")) {
        return;
    }
    for (const ff_node *item = list ? list->first : NULL; item; item = item->next) {
        ff_expr_error error = {0};
        if (is_text(r, item, "switches")) {
            tell(r, item, "switches", ff_system_switch(r->system, item->text, &error), &error);
        }
    }
}

/* ---- what becomes of dio and sgn ---- */

/* as ff_node_find(), of a map that may not be there */
static const ff_node *entry_of(const ff_node *map, const char *key) {
    return map ? ff_node_find(map, key) : NULL;
}

/* A number of a force: of its own map, or of the one for all. NAN where there is none. */
static double number_of(reader *r, const ff_node *own, const ff_node *all, const char *key) {
    const ff_node *node = entry_of(own, key);
    double value = NAN;
    ff_expr_error error = {0};
    node = node ? node : entry_of(all, key);
    if (node && is_text(r, node, key)) {
        tell(r, node, key, ff_system_number(r->system, node->text, &value, &error), &error);
    }
    return value;
}

/* keys of a section are numbers for all its forces, or names of forces with maps of their own */
static void check_keys(reader *r, const ff_node *section, const char *what, const char *const *keys,
                       size_t key_count, const char *(*name)(const ff_system *, size_t),
                       size_t count) {
    for (const ff_node *item = section ? section->first : NULL; item; item = item->next) {
        bool known = false;
        for (size_t i = 0; i < key_count; i++) {
            known = known || (item->kind == FF_NODE_TEXT && strcmp(item->key, keys[i]) == 0);
        }
        for (size_t i = 0; i < count; i++) {
            known =
                known || (item->kind == FF_NODE_MAP && strcmp(item->key, name(r->system, i)) == 0);
        }
        if (!known) {
            ff_messages_add(r->messages, item->key_place, "unknown key '%.60s' in %s", item->key,
                            what);
        }
    }
}

static void missing(reader *r, const ff_node *root, const ff_node *section, const char *what,
                    const char *force, const char *keys) {
    ff_messages_add(r->messages, section ? section->key_place : root->place, "%s: %s needs %s",
                    what, force, keys);
}

static void read_contacts(reader *r, const ff_node *root) {
    static const char *const keys[] = {"K", "alpha", "beta"};
    const ff_node *section = map_of(r, root, "contacts");
    check_keys(r, section, "contacts", keys, 3, ff_system_contact, ff_system_contacts(r->system));
    for (size_t i = 0; i < ff_system_contacts(r->system); i++) {
        const char *name = ff_system_contact(r->system, i);
        const ff_node *own = entry_of(section, name);
        double K = number_of(r, own, section, "K"), alpha = number_of(r, own, section, "alpha"),
               beta = number_of(r, own, section, "beta");
        ff_error error = {""};
        ff_normal law;
        if (isnan(K) || isnan(alpha) || isnan(beta)) {
            missing(r, root, section, "contacts", name, "K, alpha and beta");
            continue;
        }
        const double values[] = {K, alpha, beta};
        if (ff_normal_init(&law, ff_normal_law_find("xiong"), values, &error) < 0) {
            ff_messages_add(r->messages, own ? own->place : section->place, "contact %s: %s", name,
                            error.text);
            continue;
        }
        ff_system_set_contact(r->system, i, &law);
    }
}

/* A rival of sat by its own name: K and beta per newton of `strength`, ramps that rise as steeply. */
static ff_status make_friction(const char *word, double K, double beta, double strength,
                               ff_friction *law, ff_error *error) {
    double values[FF_LAW_PARAMS];
    for (size_t i = 0; i < FF_LAW_PARAMS; i++) {
        values[i] = NAN;
    }
    values[0] = 1;
    if (strcmp(word, "sat") == 0) {
        values[1] = K;
        values[2] = beta;
    } else if (strcmp(word, "dahl") == 0 || strcmp(word, "lugre") == 0) {
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

static void read_frictions(reader *r, const ff_node *root) {
    static const char *const keys[] = {"K", "beta", "strength"};
    const ff_node *section = map_of(r, root, "frictions");
    const char *word = r->friction;
    check_keys(r, section, "frictions", keys, 3, ff_system_friction,
               ff_system_frictions(r->system));
    for (size_t i = 0; i < ff_system_frictions(r->system); i++) {
        const char *name = ff_system_friction(r->system, i);
        const ff_node *own = entry_of(section, name);
        double K = number_of(r, own, section, "K"), beta = number_of(r, own, section, "beta"),
               strength = number_of(r, own, section, "strength");
        ff_error error = {""};
        ff_friction law;
        if (isnan(K) || isnan(beta)) {
            missing(r, root, section, "frictions", name, "K and beta");
            continue;
        }
        if (strcmp(word, "sat") != 0 && !(strength > 0)) {
            ff_messages_add(r->messages, own ? own->place : section->place,
                            "friction %s: %s needs `strength`, the force at which it slips", name,
                            word);
            continue;
        }
        if (make_friction(word, K, beta, strength, &law, &error) < 0) {
            ff_messages_add(r->messages, own ? own->place : section->place, "friction %s: %s", name,
                            error.text);
            continue;
        }
        ff_system_set_friction(r->system, i, &law);
    }
}

/* ---- the file ---- */

static const char *const sections[] = {"parameters", "states",   "let",     "rates",    "contacts",
                                       "frictions",  "switches", "outputs", "accounts", "run"};

static void read_run(reader *r, const ff_node *map, ff_run_options *run) {
    static const char *const keys[] = {"until", "tol", "dt", "every", "method", "events"};
    double *const numbers[] = {&run->until, &run->tol, &run->dt, &run->every};
    for (const ff_node *item = map ? map->first : NULL; item; item = item->next) {
        const ff_map where = {.messages = r->messages, .where = "run", .out = run};
        int key = -1;
        for (int i = 0; i < 6; i++) {
            key = strcmp(item->key, keys[i]) == 0 ? i : key;
        }
        if (key < 0) {
            ff_messages_add(r->messages, item->key_place, "unknown key '%.60s' in run", item->key);
        } else if (key == 4) {
            const char *words[FF_METHODS];
            for (int i = 0; i < FF_METHODS; i++) {
                words[i] = ff_method_name((ff_method)i);
            }
            int word = ff_node_word(&where, "method", item, words, FF_METHODS);
            run->method = word < 0 ? run->method : (ff_method)word;
        } else if (key == 5) {
            static const char *const words[] = {"none", "located"};
            int word = ff_node_word(&where, "events", item, words, 2);
            run->events = word < 0 ? run->events : word == 1;
        } else {
            ff_expr_error error = {0};
            if (is_text(r, item, item->key)) {
                tell(r, item, item->key,
                     ff_system_number(r->system, item->text, numbers[key], &error), &error);
            }
        }
    }
}

static void read_system(reader *r, const ff_node *root, ff_run_options *run) {
    for (const ff_node *item = root->first; item; item = item->next) {
        bool known = false;
        for (size_t i = 0; i < FF_COUNT(sections); i++) {
            known = known || strcmp(item->key, sections[i]) == 0;
        }
        if (!known) {
            char hint[FF_HINT];
            const ff_map where = {.messages = r->messages, .where = "the file"};
            ff_messages_add(r->messages, item->key_place, "unknown key '%.60s'%s", item->key,
                            ff_word_hint(&where, item->key, sections, FF_COUNT(sections), hint));
        }
    }
    read_map(r, ff_node_find(root, "parameters"), "parameters", ff_system_parameter);
    read_map(r, ff_node_find(root, "states"), "states", ff_system_state);
    read_map(r, ff_node_find(root, "let"), "let", ff_system_let);
    read_map(r, ff_node_find(root, "rates"), "rates", ff_system_rate);
    read_map(r, ff_node_find(root, "outputs"), "outputs", ff_system_output);
    const ff_node *accounts = map_of(r, root, "accounts");
    for (const ff_node *item = accounts ? accounts->first : NULL; item; item = item->next) {
        if (strcmp(item->key, "energy") != 0 && strcmp(item->key, "power") != 0) {
            ff_messages_add(r->messages, item->key_place,
                            "unknown key '%.60s' in accounts (known are energy, power)", item->key);
            return;
        }
    }
    read_map(r, accounts, "accounts", ff_system_account);
    read_switches(r, ff_node_find(root, "switches"));
    read_contacts(r, root);
    read_frictions(r, root);
    read_run(r, map_of(r, root, "run"), run);
    if (ff_messages_total(r->messages) == 0) {
        ff_expr_error error = {0};
        tell(r, root, "the system", ff_system_finish(r->system, &error), &error);
    }
}

/* some 10,000 states, far more than expressions may be together */
static const size_t file_most = 10000000;

ff_status ff_inclusion_parse(const char *name, const char *text, size_t length,
                             const char *const *settings, size_t setting_count,
                             const char *friction, ff_system **out, ff_run_options *run,
                             ff_messages *messages) {
    ff_node *root = NULL;
    ff_tree *tree = ff_tree_create();
    reader r = {messages, ff_system_create(), friction, FF_OK};
    ff_status status = tree && r.system ? FF_OK : FF_NO_MEMORY;
    *out = NULL;
    *run = ff_run_options_default();
    if (status == FF_OK) {
        status = ff_tree_read(tree, name, false, text, length, messages, &root);
    }
    for (size_t i = 0; i < setting_count && status == FF_OK && root->kind == FF_NODE_MAP; i++) {
        status = ff_setting_apply(tree, root, settings[i], messages);
    }
    if (status == FF_OK && root->kind == FF_NODE_MAP) {
        read_system(&r, root, run);
        status = r.status;
    } else if (status == FF_OK) {
        ff_messages_add(messages, (ff_place){name, 1, 1}, "a map of sections is wanted");
    }
    if (status == FF_OK && ff_messages_total(messages) > 0) {
        status = FF_BAD_VALUE;
    }
    if (status == FF_OK) {
        *out = r.system;
    } else {
        ff_system_free(r.system);
    }
    ff_tree_free(tree);
    return status;
}

ff_status ff_inclusion_read(const char *path, const char *const *settings, size_t setting_count,
                            const char *friction, ff_system **out, ff_run_options *run,
                            ff_messages *messages, char **source) {
    size_t length;
    ff_status status;
    char *text = ff_text_file(path, file_most, &length, &status);
    *out = NULL;
    if (status == FF_OK) {
        status = ff_inclusion_parse(path, text, length, settings, setting_count, friction, out, run,
                                    messages);
    } else if (status == FF_BAD_VALUE) {
        ff_messages_add(messages, (ff_place){path, 0, 0}, "%s", strerror(errno));
    }
    if (source && status == FF_OK) {
        *source = text;
    } else {
        free(text);
    }
    return status;
}
