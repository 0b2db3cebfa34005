/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* Files that users write, up to the tree that their sections are read from. */

#include "yaml.h"

/* bytes that a file of any kind may have: some 600,000 bodies */
#define FF_SOURCE_MOST ((size_t)100000000)

/* All of a file of at most `most` bytes, with a 0 after it; the caller frees it. NULL with FF_NO_MEMORY, or with
 * FF_BAD_VALUE and a message why it cannot be read. */
char *ff_source_read(const char *path, size_t most, size_t *length, ff_messages *messages,
                     ff_status *status);

/* Whether a text is that of an inclusion: it has the key `rates` at its top level, and neither `bodies` nor `robots`. */
bool ff_source_is_inclusion(const char *text);

/* The tree of a text with settings applied, as by ff_tree_read() and ff_setting_apply(). */
ff_status ff_source_tree(ff_tree *tree, const char *name, const char *text, size_t length,
                         const char *const *settings, size_t setting_count, ff_messages *messages,
                         ff_node **root);
