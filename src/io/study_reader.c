/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "study_reader.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void ff_study_no_memory(ff_study_reader *r) { r->status = FF_NO_MEMORY; }

void ff_study_refuse(ff_study_reader *r, const ff_node *node, const char *format, ...) {
    char text[400];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    ff_messages_add(r->messages, node->place, "%s", text);
    r->status = r->status < 0 ? r->status : FF_BAD_VALUE;
}

void ff_study_refuse_status(ff_study_reader *r, const ff_node *node, ff_status status,
                            const ff_error *error) {
    if (status == FF_NO_MEMORY) {
        ff_study_no_memory(r);
    } else {
        ff_study_refuse(r, node, "%s", error->text);
    }
}

const char *ff_study_text(ff_study_reader *r, const ff_node *node, const char *key) {
    if (node && node->kind != FF_NODE_TEXT) {
        ff_study_refuse(r, node, "'%s' must be a text", key);
    }
    return node && node->kind == FF_NODE_TEXT ? node->text : NULL;
}

const char *ff_study_need(ff_study_reader *r, const ff_node *node, const ff_node *owner,
                          const char *key) {
    if (!node) {
        ff_study_refuse(r, owner, "'%s' is missing", key);
    }
    return ff_study_text(r, node, key);
}

bool ff_study_flag(ff_study_reader *r, const ff_node *node, const char *key) {
    const char *text = ff_study_text(r, node, key);
    if (text && strcmp(text, "true") != 0 && strcmp(text, "false") != 0) {
        ff_study_refuse(r, node, "'%s' is true or false, not '%.60s'", key, text);
    }
    return text && strcmp(text, "true") == 0;
}

double ff_study_number(ff_study_reader *r, const ff_node *node, const char *key, double fallback,
                       ff_dimension dim) {
    const char *text = ff_study_text(r, node, key);
    double value = fallback;
    char why[200];
    if (text && ff_quantity_parse(text, dim, &value, why, sizeof why) < 0) {
        ff_study_refuse(r, node, "'%s': %s", key, why);
    }
    return value;
}

double ff_study_whole(ff_study_reader *r, const ff_node *node, const char *key, double fallback,
                      double least, double most) {
    const size_t before = ff_messages_total(r->messages);
    const double value = ff_study_number(r, node, key, fallback, (ff_dimension){0, 0, 0});
    if (!node || (value >= least && value <= most && value == floor(value))) {
        return value;
    }
    if (ff_messages_total(r->messages) == before) {
        ff_study_refuse(r, node, "'%s' is a whole number from %g to %g", key, least, most);
    }
    return least;
}

void ff_study_map(ff_study_reader *r, const char *where, const ff_node *node, const ff_key *fields,
                  size_t count, void *out) {
    const size_t before = ff_messages_total(r->messages);
    ff_keys_read(&(ff_map){r->messages, NULL, where, out, NULL}, node, fields, count);
    if (ff_messages_total(r->messages) > before) {
        r->status = r->status < 0 ? r->status : FF_BAD_VALUE;
    }
}

size_t ff_study_list(ff_study_reader *r, const ff_node *node, const char *key, const char **out,
                     size_t most) {
    size_t count = 0;
    const ff_node *first = node && node->kind == FF_NODE_LIST ? node->first : node;
    for (const ff_node *item = first; item; item = item == node ? NULL : item->next) {
        const char *text = ff_study_text(r, item, key);
        if (count == most) {
            ff_study_refuse(r, item, "'%s' has %zu texts at the most", key, most);
            break;
        }
        out[count++] = text ? text : "";
    }
    return count;
}

const ff_sheet *ff_study_sheet(const ff_study_reader *r, const char *name) {
    for (size_t i = 0; i < r->sheet_count; i++) {
        if (strcmp(r->sheets[i].name, name) == 0) {
            return &r->sheets[i];
        }
    }
    return NULL;
}
