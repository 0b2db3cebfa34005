/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* Shared by the readers of the sections of a study file. */

#include "expr/unit.h"
#include "key.h"
#include "study/sheet.h"

typedef struct ff_figure_keys {
    const ff_node *id, *title, *caption, *chosen, *x_label, *y_label, *z_label, *x_log, *y_log,
        *equal, *curves;
} ff_figure_keys;

typedef struct ff_claim_keys {
    const ff_node *figure, *where, *quantity, *unit, *value, *near, *at_most, *at_least, *within,
        *why, *note, *otherwise, *instead, *instead_within;
} ff_claim_keys;

typedef struct ff_study_keys {
    const ff_node *title, *tables, *figures, *claims;
} ff_study_keys;

/* An entry of a table of keys whose values are nodes. */
#define FF_NODE_KEY(type, name)                                                                    \
    { .key = #name, .read = ff_key_node, .offset = offsetof(type, name) }

/* A curve of a figure, with its values. */
typedef struct ff_study_curve {
    char *name;
    double *x, *y, *z; /* shared by all curves of a family; owned by the first one */
    size_t first, count;
    ff_plot_style style;
    size_t colour;
    bool owns;
} ff_study_curve;

typedef struct ff_study_figure {
    ff_figure_keys keys;
    const ff_node *node;
    bool wanted, x_log, y_log, equal;
    ff_study_curve *curves;
    size_t count;
} ff_study_figure;

typedef struct ff_study_claim {
    ff_claim_keys keys;
    const ff_node *node;
    bool wanted;
    ff_claim out;
} ff_study_claim;

typedef struct ff_study_reader {
    const ff_study_options *o;
    ff_messages *messages;
    ff_tree *tree;
    ff_study_keys top;
    ff_sheet *sheets;
    size_t sheet_count;
    ff_study_figure *figures;
    ff_study_claim *claims;
    size_t figure_count, claim_count;
    ff_status status;
} ff_study_reader;

/* Reports that a node is wrong. */
__attribute__((format(printf, 3, 4))) void ff_study_refuse(ff_study_reader *r, const ff_node *node,
                                                           const char *format, ...);
/* Reports a failed status with its message, at a node. */
void ff_study_refuse_status(ff_study_reader *r, const ff_node *node, ff_status status,
                            const ff_error *error);
void ff_study_no_memory(ff_study_reader *r);

/* The text of a node, NULL if it is missing; other kinds of nodes are refused. */
const char *ff_study_text(ff_study_reader *r, const ff_node *node, const char *key);
/* The text of a node, which must not be missing in its owner. */
const char *ff_study_need(ff_study_reader *r, const ff_node *node, const ff_node *owner,
                          const char *key);
bool ff_study_flag(ff_study_reader *r, const ff_node *node, const char *key);
double ff_study_number(ff_study_reader *r, const ff_node *node, const char *key, double fallback,
                       ff_dimension dim);
/* A whole number from `least` to `most`; `least` if it is invalid. */
double ff_study_whole(ff_study_reader *r, const ff_node *node, const char *key, double fallback,
                      double least, double most);
/* The texts of a list, or a single text; at most `most`. */
size_t ff_study_list(ff_study_reader *r, const ff_node *node, const char *key, const char **out,
                     size_t most);
void ff_study_map(ff_study_reader *r, const char *where, const ff_node *node, const ff_key *fields,
                  size_t count, void *out);

/* A table that was read; NULL: there is none of that name. */
const ff_sheet *ff_study_sheet(const ff_study_reader *r, const char *name);

/* Computes the tables, or those that the requested figure and its claims use (study_tables.c). Figures and claims are listed before. */
void ff_study_read_tables(ff_study_reader *r);
/* Adds a family of curves to a figure: one for each run, or for each combination of all parameters but the last (study_figures.c). */
void ff_study_read_curves(ff_study_reader *r, const ff_node *node, ff_study_figure *f);
