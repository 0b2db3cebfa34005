/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* Numbers of a scene file: literals with units, or expressions of the parameters it gives. */

#include "expr/scope.h"
#include "model/scene.h"
#include "yaml.h"

typedef struct ff_parameters {
    FF_LIST(ff_expr_name_def) names; /* in the order of the file */
    double *values;                  /* of those that are ready */
    bool *used;
    size_t ready;       /* those above the one that is being read */
    bool like_units;    /* one has the name of a unit: `2 m/s` may mean two things */
    ff_expr_pool *pool; /* of one expression at a time */
    ff_status status;   /* FF_NO_MEMORY once memory has ended */
} ff_parameters;

/* Reads the section `parameters`, and gives what is right to the scene once that is read. */
void ff_parameters_read(ff_parameters *p, const ff_node *node, ff_messages *messages);
ff_status ff_parameters_give(const ff_parameters *p, ff_scene *scene);
void ff_parameters_clear(ff_parameters *p);
/* One that has its value already, after those that are there; what `def` points at must stay. */
void ff_parameters_add(ff_parameters *p, const ff_expr_name_def *def);

/* Marks the parameters that an expression of a pool uses. */
void ff_parameters_use(ff_parameters *p, const ff_expr_pool *pool, ff_expr e);

/* Reads a number of this dimension. Returns 0, or -1 with the reason in why and where it is: a byte of the
 * text, from 0. A literal is read as ff_quantity_parse() does, with its messages. */
int ff_parameters_number(ff_parameters *p, const char *text, ff_dimension expected, double *value,
                         char *why, size_t why_size, size_t *at);

/* The place of a byte of a node's text: in a plain text of one line, else that of the node. */
ff_place ff_node_place(const ff_node *node, size_t at);
