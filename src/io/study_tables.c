/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "num/memory.h"
#include "study/fits.h"
#include "study/impacts.h"
#include "study/points.h"
#include "study/table.h"
#include "study_gait.h"
#include "study_reader.h"
#include "sweep.h"
#include <ctype.h>
#include <footfall/source.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A table; one of the first nine keys gives its source. */
typedef struct table_keys {
    const ff_node *run, *trace, *impact, *curve, *branch, *force, *fit, *gait, *data;
    const ff_node *set, *vary, *keep, *columns, *samples, *points, *seed, *every, *parts, *stop,
        *only, *rivals, *of, *by, *free, *steps, *at_events, *may_fail, *from, *follow;
} table_keys;

enum { SOURCES = 9 };
static const ff_key table_fields[] = {
    FF_NODE_KEY(table_keys, run),
    FF_NODE_KEY(table_keys, trace),
    FF_NODE_KEY(table_keys, impact),
    FF_NODE_KEY(table_keys, curve),
    FF_NODE_KEY(table_keys, branch),
    FF_NODE_KEY(table_keys, force),
    FF_NODE_KEY(table_keys, fit),
    FF_NODE_KEY(table_keys, gait),
    FF_NODE_KEY(table_keys, data),
    FF_NODE_KEY(table_keys, set),
    FF_NODE_KEY(table_keys, vary),
    FF_NODE_KEY(table_keys, keep),
    FF_NODE_KEY(table_keys, columns),
    FF_NODE_KEY(table_keys, samples),
    FF_NODE_KEY(table_keys, points),
    FF_NODE_KEY(table_keys, seed),
    FF_NODE_KEY(table_keys, every),
    FF_NODE_KEY(table_keys, parts),
    FF_NODE_KEY(table_keys, stop),
    FF_NODE_KEY(table_keys, only),
    FF_NODE_KEY(table_keys, rivals),
    FF_NODE_KEY(table_keys, of),
    FF_NODE_KEY(table_keys, by),
    FF_NODE_KEY(table_keys, free),
    FF_NODE_KEY(table_keys, steps),
    FF_NODE_KEY(table_keys, at_events),
    FF_NODE_KEY(table_keys, may_fail),
    FF_NODE_KEY(table_keys, from),
    {.key = "continue", .read = ff_key_node, .offset = offsetof(table_keys, follow)},
};

/* Keys that go with each source, in the order of the sources. */
static const char *const source_keys[SOURCES] = {
    "set, vary, keep, samples, points, seed, stop, rivals, may_fail",
    ("set, vary, columns, samples, points, seed, every, parts, at_events, stop, only, from, "
     "rivals, may_fail"),
    "vary",
    "vary, points",
    "vary, points",
    "vary",
    "of, by, free",
    "set, vary, continue, steps, may_fail",
    "no other key",
};
/* Longest path of a file of records; POSIX allows 4096 bytes. */
enum { PATH_MOST = 4096 };

typedef struct texts {
    const char **at;
    size_t count;
} texts;

/* Adds KEY=VALUE of the entries of a map; items of a list are separated by commas. `before` and `after` enclose each
 * value. */
static void add_entries(ff_study_reader *r, const ff_node *map, const char *before,
                        const char *after, texts *out) {
    if (!map || map->kind == FF_NODE_NONE) {
        return;
    }
    if (map->kind != FF_NODE_MAP) {
        ff_study_refuse(r, map, "a map is wanted, as {key: value}");
        return;
    }
    const char **more = ff_realloc(out->at, (out->count + map->count + 1) * sizeof *more);
    if (!more) {
        ff_study_no_memory(r);
        return;
    }
    out->at = more;
    for (const ff_node *entry = map->first; entry; entry = entry->next) {
        size_t size = strlen(entry->key) + strlen(before) + strlen(after) + 2;
        const ff_node *first = entry->kind == FF_NODE_LIST ? entry->first : entry;
        for (const ff_node *item = first; item; item = entry == item ? NULL : item->next) {
            size += strlen(item->text) + 1;
            if (item->kind != FF_NODE_TEXT) {
                ff_study_refuse(r, item, "'%.60s': a text or a number is wanted", entry->key);
            }
        }
        char *text = ff_tree_room(r->tree, size + 1);
        if (!text) {
            ff_study_no_memory(r);
            return;
        }
        size_t used = (size_t)sprintf(text, "%s=%s", entry->key, before);
        for (const ff_node *item = first; item; item = entry == item ? NULL : item->next) {
            used += (size_t)sprintf(text + used, "%s%s", item == first ? "" : ",", item->text);
        }
        sprintf(text + used, "%s", after);
        out->at[out->count++] = text;
    }
}

/* The contents of a file that the study names; the caller frees *own. */
static const char *file_of(ff_study_reader *r, const ff_node *node, const char **path, char **own) {
    const char *name = ff_study_text(r, node, "file"), *slash = strrchr(r->o->path, '/');
    const size_t folder = slash ? (size_t)(slash + 1 - r->o->path) : 0;
    *own = NULL;
    *path = name;
    if (!name) {
        return NULL;
    }
    if (r->o->file) {
        const char *text = r->o->file(r->o->user, name);
        if (!text) {
            ff_study_refuse(r, node, "there is no file '%.100s'", name);
        }
        return text;
    }
    char *whole = ff_tree_room(r->tree, folder + strlen(name) + 1);
    if (!whole) {
        ff_study_no_memory(r);
        return NULL;
    }
    sprintf(whole, "%.*s%s", name[0] == '/' ? 0 : (int)folder, r->o->path, name);
    *path = whole;
    size_t length;
    ff_status status;
    *own = ff_source_read(whole, FF_SOURCE_MOST, &length, r->messages, &status);
    r->status = status < 0 ? status : r->status;
    return *own;
}

/* Laws that replace those of an inclusion: {contact: linear, friction: dahl}. */
static ff_rivals read_rivals(ff_study_reader *r, const ff_node *node) {
    ff_rivals out = {0};
    const bool map = node && node->kind == FF_NODE_MAP;
    for (const ff_node *entry = map ? node->first : NULL; entry; entry = entry->next) {
        const char *text = ff_study_text(r, entry, "rivals");
        if (strcmp(entry->key, "contact") == 0) {
            out.contact = text;
        } else if (strcmp(entry->key, "friction") == 0) {
            out.friction = text;
        } else {
            ff_study_refuse(r, entry, "rivals are of contact and friction, not of '%.60s'",
                            entry->key);
        }
    }
    if (node && !map) {
        ff_study_refuse(r, node, "rivals are {contact: LAW, friction: LAW}");
    }
    return out;
}

/* Reads a sweep, or the time series of its runs. */
static void read_runs(ff_study_reader *r, const ff_node *node, const table_keys *k,
                      ff_sheet *sheet) {
    static const char *const kinds[] = {"random", "latin", "sobol"};
    ff_sweep sweep = ff_sweep_default();
    ff_study_subject how = {.series = k->trace != NULL};
    texts settings = {0}, vary = {0}, keep = {0};
    char *own = NULL;
    sheet->series = how.series;
    sweep.text = file_of(r, k->trace ? k->trace : k->run, &sweep.path, &own);
    add_entries(r, k->set, "", "", &settings);
    add_entries(r, k->vary, "", "", &vary);
    add_entries(r, how.series ? k->columns : k->keep, how.series ? "end(" : "",
                how.series ? ")" : "", &keep);
    sweep.samples = (size_t)ff_study_whole(r, k->samples, "samples", 0, 1, 1e9);
    sweep.seed = (uint64_t)ff_study_whole(r, k->seed, "seed", 0, 0, 0x1p53);
    how.every = ff_study_number(r, k->every, "every", 0, (ff_dimension){0, 0, 1});
    if (k->every && !(how.every > 0 && isfinite(how.every))) {
        ff_study_refuse(r, k->every, "'every' is a time above 0");
    }
    how.no_events = k->at_events && !ff_study_flag(r, k->at_events, "at_events");
    how.parts = (int)ff_study_whole(r, k->parts, "parts", 1, 1, 1e6);
    const char *stops[FF_SWEEP_STOPS];
    sweep.stops = stops;
    sweep.stop_count = ff_study_list(r, k->stop, "stop", stops, FF_SWEEP_STOPS);
    how.only = ff_study_text(r, k->only, "only");
    how.from = ff_study_text(r, k->from, "from");
    const ff_rivals rivals = read_rivals(r, k->rivals);
    how.rivals = rivals.contact || rivals.friction ? &rivals : NULL;
    const char *points = ff_study_text(r, k->points, "points");
    for (int i = 0; points && i < FF_POINTS_KINDS; i++) {
        sweep.points = strcmp(points, kinds[i]) == 0 ? (ff_points)i : sweep.points;
    }
    if (points && strcmp(points, kinds[sweep.points]) != 0) {
        ff_study_refuse(r, k->points, "points are random, latin or sobol, not '%.60s'", points);
    }
    char records[PATH_MOST];
    if (r->o->records && !how.series) {
        snprintf(records, sizeof records, "%s/%s.part", r->o->records, sheet->name);
        sweep.records = records;
    }
    sweep.progress = r->o->progress, sweep.warning = r->o->warning, sweep.user = r->o->user;
    sweep.threads = r->o->threads;
    sweep.settings = settings.at, sweep.setting_count = settings.count;
    sweep.vary = vary.at, sweep.vary_count = vary.count;
    sweep.keep = keep.at, sweep.keep_count = keep.count;
    if (r->status >= 0) {
        const ff_status status = ff_sweep_table(&sweep, &how, &sheet->table, r->messages);
        r->status = status == FF_OK ? r->status : status;
    }
    const bool may_fail = ff_study_flag(r, k->may_fail, "may_fail");
    for (size_t i = 0; r->status == FF_OK && i < sheet->table->rows; i++) {
        if (sheet->table->reason[i] && !may_fail) {
            ff_study_refuse(r, node, "a run of table '%.60s' failed: %s", sheet->name,
                            sheet->table->reason[i]);
        }
    }
    ff_free(settings.at);
    ff_free(vary.at);
    ff_free(keep.at);
    ff_free(own);
}

/* The name of the law in {law: hertz, k: 1e6, mass: 1 kg}; all other entries are added to the texts. */
static const char *read_law(ff_study_reader *r, const ff_node *node, texts *out) {
    const ff_node *law = node->kind == FF_NODE_MAP ? ff_node_find(node, "law") : NULL;
    const size_t before = out->count;
    add_entries(r, node, "", "", out);
    for (size_t i = before; i < out->count; i++) {
        if (strncmp(out->at[i], "law=", 4) == 0) {
            memmove(out->at + i, out->at + i + 1, (--out->count - i) * sizeof *out->at);
            break;
        }
    }
    return ff_study_need(r, law, node, "law");
}

/* Reads impacts or forces of a law. */
static void read_impacts(ff_study_reader *r, const table_keys *k, ff_sheet *sheet) {
    const ff_node *node = k->impact   ? k->impact
                          : k->curve  ? k->curve
                          : k->branch ? k->branch
                                      : k->force;
    const ff_impacts_kind kind = k->impact   ? FF_IMPACTS_NUMBERS
                                 : k->curve  ? FF_IMPACTS_CURVES
                                 : k->branch ? FF_IMPACTS_BRANCHES
                                             : FF_IMPACTS_FORCES;
    texts all = {0};
    ff_error error = {""};
    sheet->series = k->curve || k->branch;
    add_entries(r, k->vary, "", "", &all);
    const size_t varied = all.count;
    const char *name = read_law(r, node, &all);
    const double points = ff_study_number(r, k->points, "points", 200, (ff_dimension){0, 0, 0});
    if (!(points >= 2 && points <= 1e6)) {
        ff_study_refuse(r, node, "a curve has 2 to 1e6 points");
    }
    if (r->status >= 0) {
        const ff_status status = ff_impacts_table(kind, name, all.at, all.count, varied,
                                                  (size_t)points, &sheet->table, &error);
        if (status < 0) {
            ff_study_refuse_status(r, node, status, &error);
        }
    }
    ff_free(all.at);
}

/* Reads a fit of a law to the impacts of an earlier table. */
static void read_fit(ff_study_reader *r, const ff_node *node, const table_keys *k,
                     ff_sheet *sheet) {
    const char *free[FF_LAW_PARAMS], *of = ff_study_need(r, k->of, node, "of"),
                                     *by = ff_study_text(r, k->by, "by");
    const size_t free_count = ff_study_list(r, k->free, "free", free, FF_LAW_PARAMS);
    const ff_sheet *data = of ? ff_study_sheet(r, of) : NULL;
    texts all = {0};
    ff_error error = {""};
    const char *name = read_law(r, k->fit, &all);
    if (of && !data) {
        ff_study_refuse(r, k->of, "there is no table '%.60s' before this one", of);
    }
    if (r->status >= 0) {
        const ff_status status = ff_fits_table(name, all.at, all.count, free_count ? free : NULL,
                                               free_count, data, by, &sheet->table, &error);
        if (status < 0) {
            ff_study_refuse_status(r, node, status, &error);
        }
    }
    ff_free(all.at);
}

/* Reads gaits of a walker. */
static void read_gaits(ff_study_reader *r, const table_keys *k, ff_sheet *sheet) {
    ff_sweep sweep = ff_sweep_default();
    texts settings = {0}, vary = {0};
    char *own = NULL;
    sweep.text = file_of(r, k->gait, &sweep.path, &own);
    add_entries(r, k->set, "", "", &settings);
    add_entries(r, k->vary, "", "", &vary);
    add_entries(r, k->follow, "", "", &vary);
    if (k->vary && k->follow) {
        ff_study_refuse(r, k->follow, "a table of gaits has vary or continue, not both");
    }
    sweep.settings = settings.at, sweep.setting_count = settings.count;
    sweep.vary = vary.at, sweep.vary_count = vary.count;
    sweep.progress = r->o->progress, sweep.user = r->o->user;
    const ff_gait_search search = {.sweep = &sweep,
                                   .steps = (size_t)ff_study_whole(r, k->steps, "steps", 1, 0, 1e6),
                                   .branch = k->follow,
                                   .may_fail = ff_study_flag(r, k->may_fail, "may_fail")};
    if (r->status >= 0) {
        const ff_status status = ff_gait_table(&search, &sheet->table, r->messages);
        r->status = status == FF_OK ? r->status : status;
    }
    ff_free(settings.at);
    ff_free(vary.at);
    ff_free(own);
}

/* Reads numbers from a CSV file next to the study. */
static void read_points(ff_study_reader *r, const ff_node *node, ff_sheet *sheet) {
    const char *path;
    char *own = NULL;
    const char *text = file_of(r, node, &path, &own);
    size_t line;
    ff_error error = {""};
    const ff_status status = text ? ff_points_table(text, &sheet->table, &line, &error) : FF_OK;
    if (status == FF_NO_MEMORY) {
        ff_study_no_memory(r);
    } else if (status < 0) {
        ff_messages_add(r->messages, (ff_place){path, line, 1}, "%s", error.text);
        r->status = status;
    }
    ff_free(own);
}

/* Reads given numbers: {e: [0.99, 0.83], depth: [..]}. */
static void read_data(ff_study_reader *r, const ff_node *node, ff_sheet *sheet) {
    if (node->kind != FF_NODE_MAP || !node->first) {
        ff_study_refuse(r, node, "data are columns, as {e: [0.99, 0.83]}");
        return;
    }
    const size_t rows = node->first->kind == FF_NODE_LIST ? node->first->count : 1;
    ff_table_column *columns = ff_calloc(node->count, sizeof *columns);
    double *values = NULL;
    size_t c = 0;
    for (const ff_node *entry = node->first; columns && entry; entry = entry->next) {
        columns[c++] = (ff_table_column){.name = entry->key, .unit = ""};
    }
    sheet->table =
        columns ? ff_table_create(columns, node->count, 0, 1, rows, NULL, NULL, &values) : NULL;
    ff_free(columns);
    if (!sheet->table) {
        ff_study_no_memory(r);
        return;
    }
    c = 0;
    for (const ff_node *entry = node->first; entry; entry = entry->next, c++) {
        const ff_node *item = entry->kind == FF_NODE_LIST ? entry->first : entry;
        const size_t count = entry->kind == FF_NODE_LIST ? entry->count : 1;
        if (count != rows) {
            ff_study_refuse(r, entry, "'%.60s' has %zu numbers, and the first column has %zu",
                            entry->key, count, rows);
            return;
        }
        for (size_t i = 0; i < rows; i++, item = item->next) {
            ff_quantity q;
            char why[200];
            if (item->kind != FF_NODE_TEXT ||
                ff_quantity_read(item->text, &q, why, sizeof why) < 0) {
                ff_study_refuse(r, item, "'%.60s': a number is wanted", entry->key);
                return;
            }
            values[i * node->count + c] = q.value;
        }
    }
}

/* Whether a requested figure or claim uses a table: a curve of it, a claim whose expressions name it, or a fit that is used. */
static bool is_used(const ff_study_reader *r, const char *table) {
    const size_t length = strlen(table);
    bool after = false; /* a fit is of a table before it */
    for (const ff_node *t = r->top.tables->first; t; t = t->next) {
        const ff_node *of = after && t->kind == FF_NODE_MAP ? ff_node_find(t, "of") : NULL;
        after = after || strcmp(t->key, table) == 0;
        if (of && strcmp(of->text, table) == 0 && is_used(r, t->key)) {
            return true;
        }
    }
    for (size_t i = 0; i < r->figure_count; i++) {
        const ff_node *curves = r->figures[i].keys.curves;
        for (const ff_node *c = curves ? curves->first : NULL; c; c = c->next) {
            const ff_node *name = c->kind == FF_NODE_MAP ? ff_node_find(c, "table") : NULL;
            if (r->figures[i].wanted && name && strcmp(name->text, table) == 0) {
                return true;
            }
        }
    }
    for (size_t i = 0; i < r->claim_count; i++) {
        for (const ff_node *entry = r->claims[i].node->first; entry; entry = entry->next) {
            for (const char *at = entry->text; r->claims[i].wanted && (at = strstr(at, table));
                 at++) {
                const char before = at > entry->text ? at[-1] : ' ';
                if (at[length] == '.' && !isalnum((unsigned char)before) && before != '_') {
                    return true;
                }
            }
        }
    }
    return false;
}

/* Refuses keys that do not go with the source of a table. */
static void check_keys(ff_study_reader *r, const ff_node *table) {
    size_t source = 0;
    while (!ff_node_find(table, table_fields[source].key)) {
        source++;
    }
    const char *known = source_keys[source];
    for (const ff_node *n = table->first; n; n = n->next) {
        const char *at = strstr(known, n->key);
        const size_t length = strlen(n->key);
        while (at && ((at > known && at[-1] != ' ') || (at[length] && at[length] != ','))) {
            at = strstr(at + 1, n->key);
        }
        if (!at && strcmp(n->key, table_fields[source].key) != 0) {
            ff_study_refuse(r, n, "'%s' does not go with '%s', which takes %s", n->key,
                            table_fields[source].key, known);
        }
    }
}

/* The entry of a table that a message about `--vary KEY=..`, `--set KEY=..` or `--keep KEY=..` is about, or the table. */
static const ff_node *entry_of(const ff_node *table, const char *about) {
    static const char *const sections[] = {"vary", "set", "keep", "columns", "continue"};
    const char *key = strchr(about, ' '), *end = key ? strchr(key, '=') : NULL;
    for (size_t i = 0; end && strncmp(about, "--", 2) == 0 && i < FF_COUNT(sections); i++) {
        const ff_node *section = ff_node_find(table, sections[i]);
        const bool map = section && section->kind == FF_NODE_MAP;
        for (const ff_node *n = map ? section->first : NULL; n; n = n->next) {
            if (strlen(n->key) == (size_t)(end - key - 1) &&
                strncmp(n->key, key + 1, strlen(n->key)) == 0) {
                return n;
            }
        }
    }
    return table;
}

/* Gives messages from `first` on that have no line, as those about settings and whole files, the place in the study. */
static void place_messages(const ff_study_reader *r, size_t first, const ff_node *table) {
    for (size_t i = first; i < r->messages->count; i++) {
        ff_message *m = &r->messages->at[i];
        const ff_node *entry = m->line == 0 ? entry_of(table, m->file) : NULL;
        /* the key of the entry need not be repeated */
        const bool whole = entry == table;
        const size_t size = strlen(m->file) + strlen(m->text) + 3, name = strlen(r->o->path) + 1;
        char *text = entry ? ff_malloc(size) : NULL, *file = entry ? ff_malloc(name) : NULL;
        if (!text || !file) {
            ff_free(text);
            ff_free(file);
            continue;
        }
        snprintf(text, size, "%s%s%s", whole ? m->file : "", whole ? ": " : "", m->text);
        snprintf(file, name, "%s", r->o->path);
        ff_free(m->file);
        ff_free(m->text);
        *m = (ff_message){file, entry->place.line, entry->place.column, text};
    }
}

void ff_study_read_tables(ff_study_reader *r) {
    const ff_node *tables = r->top.tables;
    if (tables->kind != FF_NODE_MAP) {
        ff_study_refuse(r, tables, "tables are name: {..}");
        return;
    }
    r->sheets = ff_calloc(tables->count + 1, sizeof *r->sheets);
    if (!r->sheets) {
        ff_study_no_memory(r);
    }
    for (const ff_node *node = tables->first; node && r->status == FF_OK; node = node->next) {
        char where[FF_WHERE];
        table_keys k = {0};
        const ff_map map = {r->messages, NULL, ff_where(where, "table '%.60s'", node->key), &k,
                            NULL};
        ff_study_map(r, where, node, table_fields, FF_COUNT(table_fields), &k);
        if (r->status < 0 || !ff_keys_one(&map, node, table_fields, SOURCES)) {
            r->status = r->status < 0 ? r->status : FF_BAD_VALUE;
            return;
        }
        check_keys(r, node);
        if (!ff_expr_is_name(node->key)) {
            ff_study_refuse(r, node, "'%.60s' cannot be the name of a table: letters, digits and _",
                            node->key);
        }
        if ((r->o->figure && !is_used(r, node->key)) || r->status != FF_OK) {
            continue;
        }
        ff_sheet *sheet = &r->sheets[r->sheet_count++];
        const size_t messages = r->messages->count;
        sheet->name = node->key;
        if (k.run || k.trace) {
            read_runs(r, node, &k, sheet);
        } else if (k.data && k.data->kind == FF_NODE_TEXT) {
            read_points(r, k.data, sheet);
        } else if (k.data) {
            read_data(r, k.data, sheet);
        } else if (k.fit) {
            read_fit(r, node, &k, sheet);
        } else if (k.gait) {
            read_gaits(r, &k, sheet);
        } else {
            read_impacts(r, &k, sheet);
        }
        place_messages(r, messages, node);
        if (r->status == FF_OK && r->o->table &&
            !r->o->table(r->o->user, sheet->name, sheet->table)) {
            r->status = FF_STOPPED;
            return;
        }
    }
}
