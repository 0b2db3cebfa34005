/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "inclusion_reader.h"
#include "key.h"
#include "num/memory.h"
#include "run_section.h"
#include "source.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef ff_inclusion_reader reader;

/* The position of a column within a text, if the text is on one line. */
static ff_place place_of(const ff_node *node, size_t column) {
    ff_place place = node->place;
    if (node->one_line && place.line > 0 && column > 0) {
        place.column += column - 1;
    }
    return place;
}

void ff_inclusion_report(reader *r, const ff_node *node, const char *where, ff_status status,
                         const ff_expr_error *error) {
    if (status == FF_NO_MEMORY) {
        r->status = status;
    } else if (status < 0) {
        ff_messages_add(r->messages, place_of(node, error->column), "%s: %s", where, error->text);
    }
}

bool ff_inclusion_is_text(reader *r, const ff_node *node, const char *where) {
    if (node->kind != FF_NODE_TEXT) {
        ff_messages_add(r->messages, node->place, "%s must be an expression", where);
    }
    return node->kind == FF_NODE_TEXT;
}

/* most entries of a section; names are searched linearly */
enum { ENTRIES_MOST = 5000 };

/* whether a section is within that limit */
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

/* A section that is a map; NULL if there is none. */
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

typedef ff_status adder(ff_equations *s, const char *name, const char *text, ff_expr_error *error);

/* Reads a map of names to expressions. */
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
        if (ff_inclusion_is_text(r, item, where)) {
            status = add(r->system, item->key, item->text, &error);
            ff_inclusion_report(r, item, where, status, &error);
        }
        if (status < 0 && add != ff_equations_rate) {
            ff_equations_assume(r->system, item->key);
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
        if (ff_inclusion_is_text(r, item, "switches")) {
            ff_inclusion_report(r, item, "switches",
                                ff_equations_switch(r->system, item->text, &error), &error);
        }
    }
}

/* ---- the file ---- */

static const char *const sections[] = {"parameters", "states",   "let",     "rates",    "contacts",
                                       "frictions",  "switches", "outputs", "accounts", "run"};

/* numbers of the section may be expressions of the parameters */
static void read_run(reader *r, const ff_node *map, ff_run_options *run) {
    ff_parameters known = {0};
    const size_t count = ff_equations_parameters(r->system);
    for (size_t i = 0; i < count && known.status == FF_OK; i++) {
        ff_parameters_add(&known, ff_equations_parameter_at(r->system, i));
    }
    ff_read_run(&known, map, false, run, r->messages);
    r->status = known.status < 0 ? known.status : r->status;
    ff_parameters_clear(&known);
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
    read_map(r, ff_node_find(root, "parameters"), "parameters", ff_equations_parameter);
    read_map(r, ff_node_find(root, "states"), "states", ff_equations_state);
    read_map(r, ff_node_find(root, "let"), "let", ff_equations_let);
    read_map(r, ff_node_find(root, "rates"), "rates", ff_equations_rate);
    read_map(r, ff_node_find(root, "outputs"), "outputs", ff_equations_output);
    const ff_node *accounts = map_of(r, root, "accounts");
    for (const ff_node *item = accounts ? accounts->first : NULL; item; item = item->next) {
        if (strcmp(item->key, "energy") != 0 && strcmp(item->key, "power") != 0) {
            ff_messages_add(r->messages, item->key_place,
                            "unknown key '%.60s' in accounts (known are energy, power)", item->key);
            return;
        }
    }
    read_map(r, accounts, "accounts", ff_equations_account);
    read_switches(r, ff_node_find(root, "switches"));
    ff_inclusion_read_contacts(r, root);
    ff_inclusion_read_frictions(r, root);
    read_run(r, ff_node_find(root, "run"), run);
    if (ff_messages_total(r->messages) == 0) {
        ff_expr_error error = {0};
        ff_inclusion_report(r, root, "the system", ff_equations_finish(r->system, &error), &error);
    }
}

/* about 10,000 states, far more than the limit on expressions allows */
static const size_t text_most = 10000000;

ff_status ff_inclusion_parse(const char *name, const char *text, size_t length,
                             const char *const *settings, size_t setting_count,
                             const ff_rivals *rivals, ff_equations **out, ff_run_options *run,
                             ff_messages *messages) {
    ff_node *root = NULL;
    ff_tree *tree = ff_tree_create();
    reader r = {messages, ff_equations_create(), rivals, FF_OK};
    ff_status status = tree && r.system ? FF_OK : FF_NO_MEMORY;
    *out = NULL;
    *run = ff_run_options_default();
    if (status == FF_OK && length > text_most) {
        ff_messages_add(messages, (ff_place){name, 0, 0}, "%s", strerror(EFBIG));
        status = FF_BAD_VALUE;
    }
    if (status == FF_OK) {
        status = ff_source_tree(tree, name, text, length, settings, setting_count, messages, &root);
    }
    if (status == FF_OK && root->kind == FF_NODE_MAP) {
        read_system(&r, root, run);
        status = r.status;
    } else if (status == FF_OK) {
        ff_messages_add(messages, (ff_place){name, 1, 1}, "the file must be a map of sections");
    }
    if (status == FF_OK && ff_messages_total(messages) > 0) {
        status = FF_BAD_VALUE;
    }
    if (status == FF_BAD_VALUE && messages->count == 0) {
        /* no message could be stored: out of memory */
        status = FF_NO_MEMORY;
    }
    if (status == FF_OK) {
        *out = r.system;
    } else {
        ff_equations_free(r.system);
    }
    ff_tree_free(tree);
    return status;
}
