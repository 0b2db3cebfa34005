/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "expr/unit.h"
#include "key.h"
#include "num/def.h"
#include "num/memory.h"
#include "study/block.h"
#include "study/fits.h"
#include "study/impacts.h"
#include "study/points.h"
#include "study/sheet.h"
#include "study/table.h"
#include "study_gait.h"
#include "sweep.h"
#include <ctype.h>
#include <footfall/source.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- contents of a file ---- */

/* A table; one of the first nine keys gives its source. */
typedef struct table_keys {
    const ff_node *run, *trace, *impact, *curve, *branch, *force, *fit, *gait, *data;
    const ff_node *set, *vary, *keep, *columns, *samples, *points, *seed, *every, *parts, *stop,
        *only, *rivals, *of, *by, *free, *steps, *at_events, *may_fail, *from;
} table_keys;

typedef struct figure_keys {
    const ff_node *id, *title, *caption, *chosen, *x_label, *y_label, *z_label, *x_log, *y_log,
        *equal, *curves;
} figure_keys;

typedef struct curve_keys {
    const ff_node *table, *x, *y, *z, *where, *name, *value, *style, *colour, *colours;
} curve_keys;

typedef struct claim_keys {
    const ff_node *figure, *where, *quantity, *unit, *value, *near, *at_most, *at_least, *within,
        *why, *note, *otherwise, *instead, *instead_within;
} claim_keys;

typedef struct top_keys {
    const ff_node *title, *tables, *figures, *claims;
} top_keys;

#define KEY(type, name)                                                                            \
    { .key = #name, .read = ff_key_node, .offset = offsetof(type, name) }

enum { SOURCES = 9 };
static const ff_key table_fields[] = {
    KEY(table_keys, run),     KEY(table_keys, trace),     KEY(table_keys, impact),
    KEY(table_keys, curve),   KEY(table_keys, branch),    KEY(table_keys, force),
    KEY(table_keys, fit),     KEY(table_keys, gait),      KEY(table_keys, data),
    KEY(table_keys, set),     KEY(table_keys, vary),      KEY(table_keys, keep),
    KEY(table_keys, columns), KEY(table_keys, samples),   KEY(table_keys, points),
    KEY(table_keys, seed),    KEY(table_keys, every),     KEY(table_keys, parts),
    KEY(table_keys, stop),    KEY(table_keys, only),      KEY(table_keys, rivals),
    KEY(table_keys, of),      KEY(table_keys, by),        KEY(table_keys, free),
    KEY(table_keys, steps),   KEY(table_keys, at_events), KEY(table_keys, may_fail),
    KEY(table_keys, from),
};
static const ff_key figure_fields[] = {
    KEY(figure_keys, id),     KEY(figure_keys, title),   KEY(figure_keys, caption),
    KEY(figure_keys, chosen), KEY(figure_keys, x_label), KEY(figure_keys, y_label),
    KEY(figure_keys, x_log),  KEY(figure_keys, y_log),   KEY(figure_keys, equal),
    KEY(figure_keys, curves), KEY(figure_keys, z_label),
};
static const ff_key curve_fields[] = {
    KEY(curve_keys, table),  KEY(curve_keys, x),       KEY(curve_keys, y),
    KEY(curve_keys, name),   KEY(curve_keys, value),   KEY(curve_keys, style),
    KEY(curve_keys, colour), KEY(curve_keys, colours), KEY(curve_keys, where),
    KEY(curve_keys, z),
};
static const ff_key claim_fields[] = {
    KEY(claim_keys, figure),  KEY(claim_keys, where),          KEY(claim_keys, quantity),
    KEY(claim_keys, unit),    KEY(claim_keys, value),          KEY(claim_keys, near),
    KEY(claim_keys, at_most), KEY(claim_keys, at_least),       KEY(claim_keys, within),
    KEY(claim_keys, why),     KEY(claim_keys, note),           KEY(claim_keys, otherwise),
    KEY(claim_keys, instead), KEY(claim_keys, instead_within),
};
static const ff_key top_fields[] = {
    KEY(top_keys, title),
    {.key = "tables",
     .read = ff_key_node,
     .offset = offsetof(top_keys, tables),
     .need = "name: {..}"},
    KEY(top_keys, figures),
    KEY(top_keys, claims),
};

/* Longest path of a file of records; POSIX allows 4096 bytes. */
enum { PATH_MOST = 4096 };

/* Most expressions of a curve along each axis: the points of a line that is drawn for each row. */
enum { CURVE_POINTS = 32 };

/* A curve of a figure, with its values. */
typedef struct curve {
    char *name;
    double *x, *y, *z; /* shared by all curves of a family; owned by the first one */
    size_t first, count;
    ff_plot_style style;
    size_t colour;
    bool owns;
} curve;

typedef struct figure {
    figure_keys keys;
    const ff_node *node;
    bool wanted, x_log, y_log, equal;
    curve *curves;
    size_t count;
} figure;

typedef struct claim {
    claim_keys keys;
    const ff_node *node;
    bool wanted;
    ff_claim out;
} claim;

typedef struct reader {
    const ff_study_options *o;
    ff_messages *messages;
    ff_tree *tree;
    top_keys top;
    ff_sheet *sheets;
    size_t sheet_count;
    figure *figures;
    claim *claims;
    size_t figure_count, claim_count;
    ff_status status;
} reader;

static void no_memory(reader *r) { r->status = FF_NO_MEMORY; }

__attribute__((format(printf, 3, 4))) static void refuse(reader *r, const ff_node *node,
                                                         const char *format, ...) {
    char text[400];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    ff_messages_add(r->messages, node->place, "%s", text);
    r->status = r->status < 0 ? r->status : FF_BAD_VALUE;
}

/* Reports a failed status with its message, at a node. */
static void refuse_status(reader *r, const ff_node *node, ff_status status, const ff_error *error) {
    if (status == FF_NO_MEMORY) {
        no_memory(r);
    } else {
        refuse(r, node, "%s", error->text);
    }
}

/* The text of a node, NULL if it is missing; other kinds of nodes are refused. */
static const char *text_of(reader *r, const ff_node *node, const char *key) {
    if (node && node->kind != FF_NODE_TEXT) {
        refuse(r, node, "'%s' must be a text", key);
    }
    return node && node->kind == FF_NODE_TEXT ? node->text : NULL;
}

static const char *need_text(reader *r, const ff_node *node, const ff_node *owner,
                             const char *key) {
    if (!node) {
        refuse(r, owner, "'%s' is missing", key);
    }
    return text_of(r, node, key);
}

static bool flag_of(reader *r, const ff_node *node, const char *key) {
    const char *text = text_of(r, node, key);
    if (text && strcmp(text, "true") != 0 && strcmp(text, "false") != 0) {
        refuse(r, node, "'%s' is true or false, not '%.60s'", key, text);
    }
    return text && strcmp(text, "true") == 0;
}

static double number_of(reader *r, const ff_node *node, const char *key, double fallback,
                        ff_dimension dim) {
    const char *text = text_of(r, node, key);
    double value = fallback;
    char why[200];
    if (text && ff_quantity_parse(text, dim, &value, why, sizeof why) < 0) {
        refuse(r, node, "'%s': %s", key, why);
    }
    return value;
}

/* A whole number from `least` to `most`; `least` if it is invalid. */
static double whole_of(reader *r, const ff_node *node, const char *key, double fallback,
                       double least, double most) {
    const size_t before = ff_messages_total(r->messages);
    const double value = number_of(r, node, key, fallback, (ff_dimension){0, 0, 0});
    if (!node || (value >= least && value <= most && value == floor(value))) {
        return value;
    }
    if (ff_messages_total(r->messages) == before) {
        refuse(r, node, "'%s' is a whole number from %g to %g", key, least, most);
    }
    return least;
}

static void read_map(reader *r, const char *where, const ff_node *node, const ff_key *fields,
                     size_t count, void *out) {
    const size_t before = ff_messages_total(r->messages);
    ff_keys_read(&(ff_map){r->messages, NULL, where, out, NULL}, node, fields, count);
    if (ff_messages_total(r->messages) > before) {
        r->status = r->status < 0 ? r->status : FF_BAD_VALUE;
    }
}

/* ---- texts ---- */

typedef struct texts {
    const char **at;
    size_t count;
} texts;

/* Adds KEY=VALUE of the entries of a map; items of a list are separated by commas. `before` and `after` enclose each
 * value. */
static void add_entries(reader *r, const ff_node *map, const char *before, const char *after,
                        texts *out) {
    if (!map || map->kind == FF_NODE_NONE) {
        return;
    }
    if (map->kind != FF_NODE_MAP) {
        refuse(r, map, "a map is wanted, as {key: value}");
        return;
    }
    const char **more = ff_realloc(out->at, (out->count + map->count + 1) * sizeof *more);
    if (!more) {
        no_memory(r);
        return;
    }
    out->at = more;
    for (const ff_node *entry = map->first; entry; entry = entry->next) {
        size_t size = strlen(entry->key) + strlen(before) + strlen(after) + 2;
        const ff_node *first = entry->kind == FF_NODE_LIST ? entry->first : entry;
        for (const ff_node *item = first; item; item = entry == item ? NULL : item->next) {
            size += strlen(item->text) + 1;
            if (item->kind != FF_NODE_TEXT) {
                refuse(r, item, "'%.60s': a text or a number is wanted", entry->key);
            }
        }
        char *text = ff_tree_room(r->tree, size + 1);
        if (!text) {
            no_memory(r);
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

/* The texts of a list, or a single text; at most `most`. */
static size_t list_texts(reader *r, const ff_node *node, const char *key, const char **out,
                         size_t most) {
    size_t count = 0;
    const ff_node *first = node && node->kind == FF_NODE_LIST ? node->first : node;
    for (const ff_node *item = first; item; item = item == node ? NULL : item->next) {
        const char *text = text_of(r, item, key);
        if (count == most) {
            refuse(r, item, "'%s' has %zu texts at the most", key, most);
            break;
        }
        out[count++] = text ? text : "";
    }
    return count;
}

/* ---- tables ---- */

/* The contents of a file that the study names; the caller frees *own. */
static const char *file_of(reader *r, const ff_node *node, const char **path, char **own) {
    const char *name = text_of(r, node, "file"), *slash = strrchr(r->o->path, '/');
    const size_t folder = slash ? (size_t)(slash + 1 - r->o->path) : 0;
    *own = NULL;
    *path = name;
    if (!name) {
        return NULL;
    }
    if (r->o->file) {
        const char *text = r->o->file(r->o->user, name);
        if (!text) {
            refuse(r, node, "there is no file '%.100s'", name);
        }
        return text;
    }
    char *whole = ff_tree_room(r->tree, folder + strlen(name) + 1);
    if (!whole) {
        no_memory(r);
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

static const ff_sheet *find_sheet(const reader *r, const char *name) {
    for (size_t i = 0; i < r->sheet_count; i++) {
        if (strcmp(r->sheets[i].name, name) == 0) {
            return &r->sheets[i];
        }
    }
    return NULL;
}

/* Laws that replace those of an inclusion: {contact: linear, friction: dahl}. */
static ff_rivals read_rivals(reader *r, const ff_node *node) {
    ff_rivals out = {0};
    const bool map = node && node->kind == FF_NODE_MAP;
    for (const ff_node *entry = map ? node->first : NULL; entry; entry = entry->next) {
        const char *text = text_of(r, entry, "rivals");
        if (strcmp(entry->key, "contact") == 0) {
            out.contact = text;
        } else if (strcmp(entry->key, "friction") == 0) {
            out.friction = text;
        } else {
            refuse(r, entry, "rivals are of contact and friction, not of '%.60s'", entry->key);
        }
    }
    if (node && !map) {
        refuse(r, node, "rivals are {contact: LAW, friction: LAW}");
    }
    return out;
}

/* Reads a sweep, or the time series of its runs. */
static void read_runs(reader *r, const ff_node *node, const table_keys *k, ff_sheet *sheet) {
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
    if (how.series && k->keep) {
        refuse(r, k->keep, "a trace has columns, not keep");
    } else if (!how.series && k->columns) {
        refuse(r, k->columns, "runs have keep, not columns");
    }
    sweep.samples = (size_t)whole_of(r, k->samples, "samples", 0, 1, 1e9);
    sweep.seed = (uint64_t)whole_of(r, k->seed, "seed", 0, 0, 0x1p53);
    how.every = number_of(r, k->every, "every", 0, (ff_dimension){0, 0, 1});
    if (k->every && !(how.every > 0 && isfinite(how.every))) {
        refuse(r, k->every, "'every' is a time above 0");
    }
    how.no_events = k->at_events && !flag_of(r, k->at_events, "at_events");
    how.parts = (int)whole_of(r, k->parts, "parts", 1, 1, 1e6);
    const char *stops[FF_SWEEP_STOPS];
    sweep.stops = stops;
    sweep.stop_count = list_texts(r, k->stop, "stop", stops, FF_SWEEP_STOPS);
    how.only = text_of(r, k->only, "only");
    how.from = text_of(r, k->from, "from");
    if ((how.only || how.from) && !how.series) {
        refuse(r, k->only ? k->only : k->from, "'only' and 'from' are for traces");
    }
    const ff_rivals rivals = read_rivals(r, k->rivals);
    how.rivals = &rivals;
    const char *points = text_of(r, k->points, "points");
    for (int i = 0; points && i < FF_POINTS_KINDS; i++) {
        sweep.points = strcmp(points, kinds[i]) == 0 ? (ff_points)i : sweep.points;
    }
    if (points && strcmp(points, kinds[sweep.points]) != 0) {
        refuse(r, k->points, "points are random, latin or sobol, not '%.60s'", points);
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
    const bool may_fail = flag_of(r, k->may_fail, "may_fail");
    for (size_t i = 0; r->status == FF_OK && i < sheet->table->rows; i++) {
        if (sheet->table->reason[i] && !may_fail) {
            refuse(r, node, "a run of table '%.60s' failed: %s", sheet->name,
                   sheet->table->reason[i]);
        }
    }
    ff_free(settings.at);
    ff_free(vary.at);
    ff_free(keep.at);
    ff_free(own);
}

/* The name of the law in {law: hertz, k: 1e6, mass: 1 kg}; all other entries are added to the texts. */
static const char *read_law(reader *r, const ff_node *node, texts *out) {
    const ff_node *law = node->kind == FF_NODE_MAP ? ff_node_find(node, "law") : NULL;
    const size_t before = out->count;
    add_entries(r, node, "", "", out);
    for (size_t i = before; i < out->count; i++) {
        if (strncmp(out->at[i], "law=", 4) == 0) {
            memmove(out->at + i, out->at + i + 1, (--out->count - i) * sizeof *out->at);
            break;
        }
    }
    return need_text(r, law, node, "law");
}

/* Reads impacts or forces of a law. */
static void read_impacts(reader *r, const table_keys *k, ff_sheet *sheet) {
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
    const double points = number_of(r, k->points, "points", 200, (ff_dimension){0, 0, 0});
    if (!(points >= 2 && points <= 1e6)) {
        refuse(r, node, "a curve has 2 to 1e6 points");
    }
    if (r->status >= 0) {
        const ff_status status = ff_impacts_table(kind, name, all.at, all.count, varied,
                                                  (size_t)points, &sheet->table, &error);
        if (status < 0) {
            refuse_status(r, node, status, &error);
        }
    }
    ff_free(all.at);
}

/* Reads a fit of a law to the impacts of an earlier table. */
static void read_fit(reader *r, const ff_node *node, const table_keys *k, ff_sheet *sheet) {
    const char *free[FF_LAW_PARAMS], *of = need_text(r, k->of, node, "of"),
                                     *by = text_of(r, k->by, "by");
    const size_t free_count = list_texts(r, k->free, "free", free, FF_LAW_PARAMS);
    const ff_sheet *data = of ? find_sheet(r, of) : NULL;
    texts all = {0};
    ff_error error = {""};
    const char *name = read_law(r, k->fit, &all);
    if (of && !data) {
        refuse(r, k->of, "there is no table '%.60s' before this one", of);
    }
    if (r->status >= 0) {
        const ff_status status = ff_fits_table(name, all.at, all.count, free_count ? free : NULL,
                                               free_count, data, by, &sheet->table, &error);
        if (status < 0) {
            refuse_status(r, node, status, &error);
        }
    }
    ff_free(all.at);
}

/* Reads gaits of a walker. */
static void read_gaits(reader *r, const table_keys *k, ff_sheet *sheet) {
    ff_sweep sweep = ff_sweep_default();
    texts settings = {0}, vary = {0};
    char *own = NULL;
    sweep.text = file_of(r, k->gait, &sweep.path, &own);
    add_entries(r, k->set, "", "", &settings);
    add_entries(r, k->vary, "", "", &vary);
    sweep.settings = settings.at, sweep.setting_count = settings.count;
    sweep.vary = vary.at, sweep.vary_count = vary.count;
    const double steps = number_of(r, k->steps, "steps", 1, (ff_dimension){0, 0, 0});
    if (!(steps >= 0 && steps <= 1e6)) {
        refuse(r, k->steps, "'steps' is a number from 0 to 1e6");
    }
    if (r->status >= 0) {
        const ff_status status = ff_gait_table(&sweep, (size_t)steps, &sheet->table, r->messages);
        r->status = status < 0 ? status : r->status;
    }
    ff_free(settings.at);
    ff_free(vary.at);
    ff_free(own);
}

/* Reads numbers from a CSV file next to the study. */
static void read_points(reader *r, const ff_node *node, ff_sheet *sheet) {
    const char *path;
    char *own = NULL;
    const char *text = file_of(r, node, &path, &own);
    size_t line;
    ff_error error = {""};
    const ff_status status = text ? ff_points_table(text, &sheet->table, &line, &error) : FF_OK;
    if (status == FF_NO_MEMORY) {
        no_memory(r);
    } else if (status < 0) {
        ff_messages_add(r->messages, (ff_place){path, line, 1}, "%s", error.text);
        r->status = status;
    }
    ff_free(own);
}

/* Reads given numbers: {e: [0.99, 0.83], depth: [..]}. */
static void read_data(reader *r, const ff_node *node, ff_sheet *sheet) {
    if (node->kind != FF_NODE_MAP || !node->first) {
        refuse(r, node, "data are columns, as {e: [0.99, 0.83]}");
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
        columns ? ff_table_create(columns, node->count, 0, 1, rows, NULL, &values) : NULL;
    ff_free(columns);
    if (!sheet->table) {
        no_memory(r);
        return;
    }
    c = 0;
    for (const ff_node *entry = node->first; entry; entry = entry->next, c++) {
        const ff_node *item = entry->kind == FF_NODE_LIST ? entry->first : entry;
        const size_t count = entry->kind == FF_NODE_LIST ? entry->count : 1;
        if (count != rows) {
            refuse(r, entry, "'%.60s' has %zu numbers, and the first column has %zu", entry->key,
                   count, rows);
            return;
        }
        for (size_t i = 0; i < rows; i++, item = item->next) {
            ff_quantity q;
            char why[200];
            if (item->kind != FF_NODE_TEXT ||
                ff_quantity_read(item->text, &q, why, sizeof why) < 0) {
                refuse(r, item, "'%.60s': a number is wanted", entry->key);
                return;
            }
            values[i * node->count + c] = q.value;
        }
    }
}

/* Whether a requested figure or claim uses a table: a curve of it, a claim whose expressions name it, or a fit that is used. */
static bool is_used(const reader *r, const char *table) {
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

/* The entry of a table that a message about `--vary KEY=..`, `--set KEY=..` or `--keep KEY=..` is about, or the table. */
static const ff_node *entry_of(const ff_node *table, const char *about) {
    static const char *const sections[] = {"vary", "set", "keep", "columns"};
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
static void place_messages(const reader *r, size_t first, const ff_node *table) {
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

static void read_tables(reader *r) {
    const ff_node *tables = r->top.tables;
    if (tables->kind != FF_NODE_MAP) {
        refuse(r, tables, "tables are name: {..}");
        return;
    }
    r->sheets = ff_calloc(tables->count + 1, sizeof *r->sheets);
    if (!r->sheets) {
        no_memory(r);
    }
    for (const ff_node *node = tables->first; node && r->status == FF_OK; node = node->next) {
        char where[FF_WHERE];
        table_keys k = {0};
        const ff_map map = {r->messages, NULL, ff_where(where, "table '%.60s'", node->key), &k,
                            NULL};
        read_map(r, where, node, table_fields, FF_COUNT(table_fields), &k);
        if (r->status < 0 || !ff_keys_one(&map, node, table_fields, SOURCES)) {
            r->status = r->status < 0 ? r->status : FF_BAD_VALUE;
            return;
        }
        if (!ff_expr_is_name(node->key)) {
            refuse(r, node, "'%.60s' cannot be the name of a table: letters, digits and _",
                   node->key);
        }
        if ((r->o->figure && !is_used(r, node->key)) || r->status < 0) {
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

/* ---- figures ---- */

/* The name of a curve, with %g replaced by a number. */
static char *curve_name(const char *name, double value) {
    const char *at = strstr(name, "%g");
    const size_t size = strlen(name) + 40;
    char *out = ff_malloc(size);
    if (out && at) {
        snprintf(out, size, "%.*s%g%s", (int)(at - name), name, value, at + 2);
    } else if (out) {
        snprintf(out, size, "%s", name);
    }
    return out;
}

/* The number of expressions of a curve along an axis, given as a text or a list of texts. */
static size_t expressions_of(reader *r, const ff_node *node, const ff_node *owner, const char *key,
                             const char *out[CURVE_POINTS]) {
    if (!node) {
        refuse(r, owner, "'%s' is missing", key);
        return 0;
    }
    return list_texts(r, node, key, out, CURVE_POINTS);
}

/* The values of `count` expressions in each row; if there are several, each row is a separate line and ends with
 * NAN. Rows in which `where` is not 1 are NAN. */
static double *row_values(reader *r, const ff_node *node, const ff_sheet *sheet,
                          const char *const *given, size_t count, const double *where) {
    const size_t rows = sheet->table->rows, each = count > 1 ? count + 1 : 1;
    double *out = ff_malloc((rows * each + 1) * sizeof *out);
    ff_error error = {""};
    if (!out) {
        no_memory(r);
    }
    for (size_t i = 0; out && i < count && r->status >= 0; i++) {
        double *one = NULL;
        const ff_status status = ff_sheet_rows(sheet, given[i], &one, &error);
        if (status < 0) {
            refuse_status(r, node, status, &error);
        }
        for (size_t k = 0; k < rows && status >= 0; k++) {
            out[k * each + i] = where && where[k] != 1 ? (double)NAN : one[k];
            out[k * each + each - 1] = count > 1 ? (double)NAN : out[k * each];
        }
        ff_free(one);
    }
    return out;
}

/* Adds a family of curves to a figure: one for each run, or for each combination of all parameters but the last. */
static void read_curves(reader *r, const ff_node *node, figure *f) {
    static const char *const styles[] = {"lines", "points", "dotted", "heat", "histogram"};
    curve_keys k = {0};
    double *labels = NULL, *where = NULL;
    ff_error error = {""};
    read_map(r, "a curve", node, curve_fields, FF_COUNT(curve_fields), &k);
    const char *xs[CURVE_POINTS], *ys[CURVE_POINTS];
    const size_t count = expressions_of(r, k.x, node, "x", xs);
    const char *table = need_text(r, k.table, node, "table"), *name = text_of(r, k.name, "name"),
               *value = text_of(r, k.value, "value"), *style = text_of(r, k.style, "style"),
               *condition = text_of(r, k.where, "where");
    const bool heat = style && strcmp(style, "heat") == 0,
               histogram = style && strcmp(style, "histogram") == 0;
    const char *z_text = heat ? need_text(r, k.z, node, "z") : NULL;
    if (!histogram && expressions_of(r, k.y, node, "y", ys) != count) {
        refuse(r, node, "x and y have as many expressions as each other");
    }
    if ((heat || histogram) && count > 1) {
        refuse(r, node, "x of a heat map or histogram is one expression");
    }
    if ((!heat && k.z) || (histogram && k.y)) {
        refuse(r, node, "lines and points have x and y, heat maps x, y and z, histograms x");
    }
    const double colour = number_of(r, k.colour, "colour", 0, (ff_dimension){0, 0, 0}),
                 colours = number_of(r, k.colours, "colours", 0, (ff_dimension){0, 0, 0});
    size_t kind = 0;
    while (style && kind < FF_COUNT(styles) && strcmp(style, styles[kind]) != 0) {
        kind++;
    }
    if (kind == FF_COUNT(styles)) {
        refuse(r, k.style, "style is lines, points, dotted, heat or histogram, not '%.60s'", style);
    }
    const ff_sheet *sheet = table ? find_sheet(r, table) : NULL;
    if (table && !sheet) {
        refuse(r, k.table, "there is no table '%.60s'", table);
    }
    if (r->status < 0) {
        return;
    }
    ff_status status = condition ? ff_sheet_rows(sheet, condition, &where, &error) : FF_OK;
    if (status >= 0 && value) {
        status = ff_sheet_rows(sheet, value, &labels, &error);
    }
    if (status < 0) {
        refuse_status(r, node, status, &error);
    }
    double *x = row_values(r, node, sheet, xs, count, where),
           *y = histogram ? NULL : row_values(r, node, sheet, ys, count, where),
           *z = heat ? row_values(r, node, sheet, &z_text, 1, where) : NULL;
    const ff_table *t = sheet->table;
    const size_t each = count > 1 ? count + 1 : 1;
    /* points without separate names form one curve */
    const bool cloud = (kind == FF_PLOT_POINTS || heat || histogram) && colours == 0 &&
                       !(name && strstr(name, "%g"));
    bool taken = false;
    for (size_t from = 0, to, family = 0; r->status >= 0 && from < t->rows; from = to, family++) {
        for (to = from + 1; to < t->rows && (cloud || ff_sheet_together(sheet, to - 1, to));) {
            to++;
        }
        curve *more = ff_realloc(f->curves, (f->count + 1) * sizeof *more);
        if (!more) {
            no_memory(r);
            break;
        }
        f->curves = more;
        const double number = labels ? labels[from] : t->varied ? t->values[from * t->columns] : 0;
        const bool named = name && (family == 0 || strstr(name, "%g"));
        curve *c = &f->curves[f->count++];
        *c = (curve){.name = named ? curve_name(name, number) : NULL,
                     .x = x,
                     .y = y,
                     .z = z,
                     .first = from * each,
                     .count = (to - from) * each,
                     .style = (ff_plot_style)kind,
                     .colour = colours > 0 ? (size_t)colours + family : (size_t)colour,
                     .owns = family == 0};
        taken = true;
        if (named && !c->name) {
            no_memory(r);
        }
    }
    ff_free(labels);
    ff_free(where);
    if (!taken) {
        ff_free(x);
        ff_free(y);
        ff_free(z);
    }
}

static size_t list_count(const ff_node *node) {
    return node && node->kind == FF_NODE_LIST ? node->count : 0;
}

/* Lists the figures and claims, and which of them are requested. */
static void list_all(reader *r) {
    const char *only = r->o->figure;
    r->figures = ff_calloc(list_count(r->top.figures) + 1, sizeof *r->figures);
    r->claims = ff_calloc(list_count(r->top.claims) + 1, sizeof *r->claims);
    if (!r->figures || !r->claims) {
        no_memory(r);
        return;
    }
    for (const ff_node *n = r->top.figures ? r->top.figures->first : NULL; n; n = n->next) {
        figure *f = &r->figures[r->figure_count++];
        f->node = n;
        read_map(r, "a figure", n, figure_fields, FF_COUNT(figure_fields), &f->keys);
        const char *id = need_text(r, f->keys.id, n, "id");
        for (size_t i = 0; id && i + 1 < r->figure_count; i++) {
            const ff_node *other = r->figures[i].keys.id;
            if (other && strcmp(other->text, id) == 0) {
                refuse(r, f->keys.id, "there are two figures '%.60s'", id);
            }
        }
        if (id && (strchr(id, '/') || !*id || *id == '.')) {
            refuse(r, f->keys.id, "'%.60s' cannot be the id of a figure: it is the name of a file",
                   id);
        }
        need_text(r, f->keys.title, n, "title");
        text_of(r, f->keys.caption, "caption");
        text_of(r, f->keys.chosen, "chosen");
        text_of(r, f->keys.x_label, "x_label");
        text_of(r, f->keys.y_label, "y_label");
        text_of(r, f->keys.z_label, "z_label");
        f->x_log = flag_of(r, f->keys.x_log, "x_log");
        f->y_log = flag_of(r, f->keys.y_log, "y_log");
        f->equal = flag_of(r, f->keys.equal, "equal");
        f->wanted = !only || (id && strcmp(id, only) == 0);
    }
    for (const ff_node *n = r->top.claims ? r->top.claims->first : NULL; n; n = n->next) {
        claim *c = &r->claims[r->claim_count++];
        c->node = n;
        read_map(r, "a claim", n, claim_fields, FF_COUNT(claim_fields), &c->keys);
        const claim_keys *k = &c->keys;
        const char *about = text_of(r, k->figure, "figure");
        need_text(r, k->where, n, "where");
        need_text(r, k->quantity, n, "quantity");
        need_text(r, k->value, n, "value");
        if (!!k->near + !!k->at_most + !!k->at_least != 1) {
            refuse(r, n, "a claim has one of near, at_most and at_least");
        }
        if (!!k->otherwise != !!k->instead) {
            refuse(r, n, "otherwise and instead come together");
        }
        c->wanted = !only || (about && strcmp(about, only) == 0);
    }
}

/* ---- claims ---- */

static double value_of(reader *r, const ff_node *node, const char *key, double fallback) {
    const char *text = text_of(r, node, key);
    double value = fallback;
    ff_error error = {""};
    if (text && r->status >= 0) {
        const ff_status status = ff_sheet_value(r->sheets, r->sheet_count, text, &value, &error);
        if (status < 0) {
            refuse_status(r, node, status, &error);
        }
    }
    return value;
}

static bool holds(const ff_claim *c) {
    const double above = c->value - c->expected;
    return c->relation == FF_CLAIM_AT_MOST    ? above <= c->tolerance
           : c->relation == FF_CLAIM_AT_LEAST ? -above <= c->tolerance
                                              : fabs(above) <= c->tolerance;
}

static void read_claim(reader *r, claim *c) {
    const claim_keys *k = &c->keys;
    ff_claim *out = &c->out;
    *out = (ff_claim){.figure = text_of(r, k->figure, "figure"),
                      .where = text_of(r, k->where, "where"),
                      .quantity = text_of(r, k->quantity, "quantity"),
                      .unit = text_of(r, k->unit, "unit"),
                      .why = text_of(r, k->why, "why"),
                      .note = text_of(r, k->note, "note"),
                      .otherwise = text_of(r, k->otherwise, "otherwise"),
                      .relation = k->at_most    ? FF_CLAIM_AT_MOST
                                  : k->at_least ? FF_CLAIM_AT_LEAST
                                                : FF_CLAIM_NEAR,
                      .value = NAN};
    const ff_node *expected = k->near ? k->near : k->at_most ? k->at_most : k->at_least;
    out->expected = c->wanted ? value_of(r, expected, "near", NAN) : (double)NAN;
    out->tolerance = c->wanted ? value_of(r, k->within, "within", 0) : (double)NAN;
    out->value = c->wanted ? value_of(r, k->value, "value", NAN) : (double)NAN;
    out->instead = c->wanted ? value_of(r, k->instead, "instead", NAN) : (double)NAN;
    out->instead_within =
        c->wanted ? value_of(r, k->instead_within, "instead_within", 0) : (double)NAN;
    out->status = holds(out) ? FF_CLAIM_HOLDS
                  : out->otherwise && fabs(out->value - out->instead) <= out->instead_within
                      ? FF_CLAIM_OTHERWISE
                      : FF_CLAIM_FAILS;
}

/* ---- results ---- */

static const double *copy_numbers(ff_block *b, const double *from, size_t count) {
    double *out = from ? ff_block_take(b, count * sizeof *out) : NULL;
    if (out) {
        memcpy(out, from, count * sizeof *out);
    }
    return out;
}

static const char *copy_node(ff_block *b, const ff_node *node) {
    return ff_block_text(b, node ? node->text : NULL);
}

static ff_figure copy_figure(ff_block *b, const figure *f) {
    const figure_keys *k = &f->keys;
    ff_figure out = {.id = copy_node(b, k->id),
                     .title = copy_node(b, k->title),
                     .caption = copy_node(b, k->caption),
                     .chosen = copy_node(b, k->chosen)};
    ff_plot_curve *curves = ff_block_take(b, f->count * sizeof *curves);
    out.plot = (ff_plot){.title = out.title,
                         .x_label = copy_node(b, k->x_label),
                         .y_label = copy_node(b, k->y_label),
                         .z_label = copy_node(b, k->z_label),
                         .x_log = f->x_log,
                         .y_log = f->y_log,
                         .equal = f->equal,
                         .curves = curves,
                         .curve_count = f->count};
    for (size_t i = 0; i < f->count; i++) {
        const curve *c = &f->curves[i];
        const ff_plot_curve copy = {.name = ff_block_text(b, c->name),
                                    .x = copy_numbers(b, c->x + c->first, c->count),
                                    .y = copy_numbers(b, c->y ? c->y + c->first : NULL, c->count),
                                    .z = copy_numbers(b, c->z ? c->z + c->first : NULL, c->count),
                                    .count = c->count,
                                    .style = c->style,
                                    .colour = c->colour};
        if (curves) {
            curves[i] = copy;
        }
    }
    return out;
}

static ff_study *make_study(const reader *r) {
    char *block = NULL;
    ff_study *out = NULL;
    for (int turn = 0; turn < 2; turn++) {
        ff_block b = {block, 0};
        out = ff_block_take(&b, sizeof *out);
        const char *title = copy_node(&b, r->top.title);
        ff_figure *figures = ff_block_take(&b, r->figure_count * sizeof *figures);
        ff_claim *claims = ff_block_take(&b, r->claim_count * sizeof *claims);
        size_t failed = 0;
        for (size_t i = 0; i < r->figure_count; i++) {
            const ff_figure copy = copy_figure(&b, &r->figures[i]);
            if (figures) {
                figures[i] = copy;
            }
        }
        for (size_t i = 0; i < r->claim_count; i++) {
            ff_claim copy = r->claims[i].out;
            failed += r->claims[i].wanted && copy.status == FF_CLAIM_FAILS;
            copy.figure = ff_block_text(&b, copy.figure);
            copy.where = ff_block_text(&b, copy.where);
            copy.quantity = ff_block_text(&b, copy.quantity);
            copy.unit = ff_block_text(&b, copy.unit);
            copy.why = ff_block_text(&b, copy.why);
            copy.note = ff_block_text(&b, copy.note);
            copy.otherwise = ff_block_text(&b, copy.otherwise);
            if (claims) {
                claims[i] = copy;
            }
        }
        if (out) {
            *out = (ff_study){title, r->figure_count, r->claim_count, failed, figures, claims};
        }
        block = block ? block : ff_malloc(b.used);
        if (!block) {
            return NULL;
        }
    }
    return out;
}

static void clear_reader(reader *r) {
    for (size_t i = 0; i < r->figure_count; i++) {
        for (size_t c = 0; c < r->figures[i].count; c++) {
            curve *one = &r->figures[i].curves[c];
            ff_free(one->name);
            ff_free(one->owns ? one->x : NULL);
            ff_free(one->owns ? one->y : NULL);
            ff_free(one->owns ? one->z : NULL);
        }
        ff_free(r->figures[i].curves);
    }
    for (size_t i = 0; i < r->sheet_count; i++) {
        ff_free(r->sheets[i].table);
    }
    ff_free(r->figures);
    ff_free(r->claims);
    ff_free(r->sheets);
    ff_tree_free(r->tree);
}

/* ---- the study ---- */

static void read_study(reader *r, const ff_node *root) {
    read_map(r, "the study", root, top_fields, FF_COUNT(top_fields), &r->top);
    if (r->status >= 0) {
        list_all(r);
    }
    if (r->status >= 0) {
        read_tables(r);
    }
    for (size_t i = 0; i < r->figure_count && r->status == FF_OK; i++) {
        const ff_node *curves = r->figures[i].keys.curves;
        for (const ff_node *n = curves ? curves->first : NULL; n && r->figures[i].wanted;
             n = n->next) {
            read_curves(r, n, &r->figures[i]);
        }
    }
    for (size_t i = 0; i < r->claim_count && r->status == FF_OK; i++) {
        read_claim(r, &r->claims[i]);
    }
}

ff_status ff_study_run(const ff_study_options *options, ff_study **out, ff_messages *messages) {
    ff_messages own = {0};
    ff_study_options o = ff_study_options_default();
    *out = NULL;
    if (!FF_DEF_TAKE(&o, options) || !o.path) {
        return FF_BAD_VALUE;
    }
    reader r = {.o = &o, .messages = messages ? messages : &own, .tree = ff_tree_create()};
    const size_t before = ff_messages_total(r.messages);
    char *read = NULL;
    size_t length = o.text ? strlen(o.text) : 0;
    ff_node *root = NULL;
    r.status = r.tree ? FF_OK : FF_NO_MEMORY;
    if (r.status >= 0 && !o.text) {
        read = ff_source_read(o.path, FF_SOURCE_MOST, &length, r.messages, &r.status);
    }
    if (r.status >= 0) {
        r.status =
            ff_tree_read(r.tree, o.path, false, o.text ? o.text : read, length, r.messages, &root);
    }
    if (r.status >= 0 && ff_messages_total(r.messages) > before) {
        r.status = FF_BAD_VALUE;
    }
    if (r.status >= 0) {
        read_study(&r, root);
    }
    if (r.status == FF_OK && !(*out = make_study(&r))) {
        r.status = FF_NO_MEMORY;
    }
    const ff_status status = r.status;
    clear_reader(&r);
    ff_free(read);
    ff_messages_clear(&own);
    return status;
}
