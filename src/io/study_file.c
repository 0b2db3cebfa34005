/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "num/def.h"
#include "num/memory.h"
#include "study/block.h"
#include "study_reader.h"
#include <footfall/source.h>
#include <math.h>
#include <string.h>

static const ff_key figure_fields[] = {
    FF_NODE_KEY(ff_figure_keys, id),      FF_NODE_KEY(ff_figure_keys, title),
    FF_NODE_KEY(ff_figure_keys, caption), FF_NODE_KEY(ff_figure_keys, chosen),
    FF_NODE_KEY(ff_figure_keys, x_label), FF_NODE_KEY(ff_figure_keys, y_label),
    FF_NODE_KEY(ff_figure_keys, x_log),   FF_NODE_KEY(ff_figure_keys, y_log),
    FF_NODE_KEY(ff_figure_keys, equal),   FF_NODE_KEY(ff_figure_keys, curves),
    FF_NODE_KEY(ff_figure_keys, z_label),
};
static const ff_key claim_fields[] = {
    FF_NODE_KEY(ff_claim_keys, figure),   FF_NODE_KEY(ff_claim_keys, where),
    FF_NODE_KEY(ff_claim_keys, quantity), FF_NODE_KEY(ff_claim_keys, unit),
    FF_NODE_KEY(ff_claim_keys, value),    FF_NODE_KEY(ff_claim_keys, near),
    FF_NODE_KEY(ff_claim_keys, at_most),  FF_NODE_KEY(ff_claim_keys, at_least),
    FF_NODE_KEY(ff_claim_keys, within),   FF_NODE_KEY(ff_claim_keys, why),
    FF_NODE_KEY(ff_claim_keys, note),     FF_NODE_KEY(ff_claim_keys, otherwise),
    FF_NODE_KEY(ff_claim_keys, instead),  FF_NODE_KEY(ff_claim_keys, instead_within),
};
static const ff_key top_fields[] = {
    FF_NODE_KEY(ff_study_keys, title),
    {.key = "tables",
     .read = ff_key_node,
     .offset = offsetof(ff_study_keys, tables),
     .need = "name: {..}"},
    FF_NODE_KEY(ff_study_keys, figures),
    FF_NODE_KEY(ff_study_keys, claims),
};

/* A list, NULL if it is missing or empty; other kinds of nodes are refused. */
static const ff_node *list_of(ff_study_reader *r, const ff_node *node, const char *key) {
    if (node && node->kind != FF_NODE_LIST && node->kind != FF_NODE_NONE) {
        ff_study_refuse(r, node, "'%s' must be a list, as [{..}, {..}]", key);
    }
    return node && node->kind == FF_NODE_LIST ? node : NULL;
}

/* Lists the figures and claims, and which of them are requested. */
static void list_all(ff_study_reader *r) {
    const char *only = r->o->figure;
    const ff_node *figures = list_of(r, r->top.figures, "figures"),
                  *claims = list_of(r, r->top.claims, "claims");
    r->figures = ff_calloc((figures ? figures->count : 0) + 1, sizeof *r->figures);
    r->claims = ff_calloc((claims ? claims->count : 0) + 1, sizeof *r->claims);
    if (!r->figures || !r->claims) {
        ff_study_no_memory(r);
        return;
    }
    for (const ff_node *n = figures ? figures->first : NULL; n; n = n->next) {
        ff_study_figure *f = &r->figures[r->figure_count++];
        f->node = n;
        ff_study_map(r, "a figure", n, figure_fields, FF_COUNT(figure_fields), &f->keys);
        const char *id = ff_study_need(r, f->keys.id, n, "id");
        for (size_t i = 0; id && i + 1 < r->figure_count; i++) {
            const ff_node *other = r->figures[i].keys.id;
            if (other && strcmp(other->text, id) == 0) {
                ff_study_refuse(r, f->keys.id, "there are two figures '%.60s'", id);
            }
        }
        if (id && (strchr(id, '/') || !*id || *id == '.')) {
            ff_study_refuse(r, f->keys.id,
                            "'%.60s' cannot be the id of a figure: it is the name of a file", id);
        }
        ff_study_need(r, f->keys.title, n, "title");
        ff_study_text(r, f->keys.caption, "caption");
        ff_study_text(r, f->keys.chosen, "chosen");
        ff_study_text(r, f->keys.x_label, "x_label");
        ff_study_text(r, f->keys.y_label, "y_label");
        ff_study_text(r, f->keys.z_label, "z_label");
        f->x_log = ff_study_flag(r, f->keys.x_log, "x_log");
        f->y_log = ff_study_flag(r, f->keys.y_log, "y_log");
        f->equal = ff_study_flag(r, f->keys.equal, "equal");
        list_of(r, f->keys.curves, "curves");
        f->wanted = !only || (id && strcmp(id, only) == 0);
    }
    for (const ff_node *n = claims ? claims->first : NULL; n; n = n->next) {
        ff_study_claim *c = &r->claims[r->claim_count++];
        c->node = n;
        ff_study_map(r, "a claim", n, claim_fields, FF_COUNT(claim_fields), &c->keys);
        const ff_claim_keys *k = &c->keys;
        const char *about = ff_study_text(r, k->figure, "figure");
        ff_study_need(r, k->where, n, "where");
        ff_study_need(r, k->quantity, n, "quantity");
        ff_study_need(r, k->value, n, "value");
        if (!!k->near + !!k->at_most + !!k->at_least != 1) {
            ff_study_refuse(r, n, "a claim has one of near, at_most and at_least");
        }
        if (!!k->otherwise != !!k->instead) {
            ff_study_refuse(r, n, "otherwise and instead come together");
        }
        c->wanted = !only || (about && strcmp(about, only) == 0);
    }
}

/* ---- claims ---- */

static double value_of(ff_study_reader *r, const ff_node *node, const char *key, double fallback) {
    const char *text = ff_study_text(r, node, key);
    double value = fallback;
    ff_error error = {""};
    if (text && r->status >= 0) {
        const ff_status status = ff_sheet_value(r->sheets, r->sheet_count, text, &value, &error);
        if (status < 0) {
            ff_study_refuse_status(r, node, status, &error);
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

static void read_claim(ff_study_reader *r, ff_study_claim *c) {
    const ff_claim_keys *k = &c->keys;
    ff_claim *out = &c->out;
    *out = (ff_claim){.figure = ff_study_text(r, k->figure, "figure"),
                      .where = ff_study_text(r, k->where, "where"),
                      .quantity = ff_study_text(r, k->quantity, "quantity"),
                      .unit = ff_study_text(r, k->unit, "unit"),
                      .why = ff_study_text(r, k->why, "why"),
                      .note = ff_study_text(r, k->note, "note"),
                      .otherwise = ff_study_text(r, k->otherwise, "otherwise"),
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

static ff_figure copy_figure(ff_block *b, const ff_study_figure *f) {
    const ff_figure_keys *k = &f->keys;
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
        const ff_study_curve *c = &f->curves[i];
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

static ff_study *make_study(const ff_study_reader *r) {
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

static void clear_reader(ff_study_reader *r) {
    for (size_t i = 0; i < r->figure_count; i++) {
        for (size_t c = 0; c < r->figures[i].count; c++) {
            ff_study_curve *one = &r->figures[i].curves[c];
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

static void read_study(ff_study_reader *r, const ff_node *root) {
    ff_study_map(r, "the study", root, top_fields, FF_COUNT(top_fields), &r->top);
    if (r->status >= 0) {
        list_all(r);
    }
    if (r->status >= 0) {
        ff_study_read_tables(r);
    }
    for (size_t i = 0; i < r->figure_count && r->status == FF_OK; i++) {
        const ff_node *curves = r->figures[i].keys.curves;
        for (const ff_node *n = curves ? curves->first : NULL; n && r->figures[i].wanted;
             n = n->next) {
            ff_study_read_curves(r, n, &r->figures[i]);
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
    ff_study_reader r = {.o = &o, .messages = messages ? messages : &own, .tree = ff_tree_create()};
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
