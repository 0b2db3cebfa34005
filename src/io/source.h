/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* Input files, up to the tree from which their sections are read. */

#include "yaml.h"
#include <footfall/source.h>

/* The tree of a text with settings applied, by ff_tree_read() and ff_setting_apply(). */
ff_status ff_source_tree(ff_tree *tree, const char *name, const char *text, size_t length,
                         const char *const *settings, size_t setting_count, ff_messages *messages,
                         ff_node **root);
