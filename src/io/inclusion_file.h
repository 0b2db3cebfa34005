/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

#include "inclusion/system.h"

/* Reads a differential inclusion from a file, as ff_scene_read() a scene. *out is finished, and freed by the caller.
 * `friction` is the law that each sgn becomes; a rival of sat has its K and beta over the `strength` that the file
 * gives. `source` (may be NULL) gets the text of the file, which the caller frees. */
ff_status ff_inclusion_read(const char *path, const char *const *settings, size_t setting_count,
                            const char *friction, ff_system **out, ff_run_options *run,
                            ff_messages *messages, char **source);
/* The same of a text; `name` is for messages. */
ff_status ff_inclusion_parse(const char *name, const char *text, size_t length,
                             const char *const *settings, size_t setting_count,
                             const char *friction, ff_system **out, ff_run_options *run,
                             ff_messages *messages);
