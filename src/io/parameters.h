/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* Numbers of a scene file: literals with units, or expressions of its parameters. */

#include "expr/scope.h"
#include "model/scene.h"
#include "yaml.h"

typedef struct ff_parameters {
    FF_LIST(ff_expr_name_def) names; /* in file order */
    double *values;                  /* values of those that are known */
    bool *used;
    size_t ready;       /* number of parameters before the one that is being read */
    bool like_units;    /* a parameter has the name of a unit, which makes `2 m/s` ambiguous */
    ff_expr_pool *pool; /* for one expression at a time */
    ff_status status;   /* FF_NO_MEMORY once memory is exhausted */
} ff_parameters;

/* Reads the section `parameters`, and adds the valid ones to the scene once that is read. */
void ff_parameters_read(ff_parameters *p, const ff_node *node, ff_messages *messages);
ff_status ff_parameters_give(const ff_parameters *p, ff_scene *scene);
void ff_parameters_clear(ff_parameters *p);
/* Adds a parameter with a known value after the existing ones; what `def` points to must stay valid. */
void ff_parameters_add(ff_parameters *p, const ff_expr_name_def *def);

/* Marks the parameters that an expression of a pool uses. */
void ff_parameters_use(ff_parameters *p, const ff_expr_pool *pool, ff_expr e);

/* Reads a number of this dimension. Returns 0, or -1 with the reason in why and its position: a byte offset in the text.
 * Literals are read like by ff_quantity_parse(), with its messages. */
int ff_parameters_number(ff_parameters *p, const char *text, ff_dimension expected, double *value,
                         char *why, size_t why_size, size_t *at);

/* The location of a byte of a node's text, if it is plain text on one line; otherwise that of the node. */
ff_place ff_node_place(const ff_node *node, size_t at);
