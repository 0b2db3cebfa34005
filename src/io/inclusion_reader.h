/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* Shared by the readers of an inclusion's file. */

#include "inclusion_file.h"
#include "yaml.h"

typedef struct ff_inclusion_reader {
    ff_messages *messages;
    ff_equations *system;
    const ff_rivals *rivals;
    ff_status status; /* FF_NO_MEMORY once memory is exhausted */
} ff_inclusion_reader;

/* Reports an error in the expression of a node, at its column. */
void ff_inclusion_report(ff_inclusion_reader *r, const ff_node *node, const char *where,
                         ff_status status, const ff_expr_error *error);

/* Whether a node is a text; otherwise reports it. */
bool ff_inclusion_is_text(ff_inclusion_reader *r, const ff_node *node, const char *where);

/* Reads the laws of each dio and sgn: the sections `contacts` and `frictions` (inclusion_laws.c). */
void ff_inclusion_read_contacts(ff_inclusion_reader *r, const ff_node *root);
void ff_inclusion_read_frictions(ff_inclusion_reader *r, const ff_node *root);
