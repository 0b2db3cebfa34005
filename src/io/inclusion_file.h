/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

#include "inclusion/system.h"

/* Which laws take the place of each dio and sgn instead of the paper's; NULL: xiong and sat. */
typedef struct ff_rivals {
    const char *contact, *friction;
    bool tension;
} ff_rivals;

/* Reads a differential inclusion from a file, as ff_scene_read() a scene. *out is finished, and freed by the caller.
 * A rival's numbers come from those of the paper's laws: k = K, lambda = K beta for `linear`; for friction K and beta
 * over the `strength` that the file gives. */
ff_status ff_inclusion_read(const char *path, const char *const *settings, size_t setting_count,
                            const ff_rivals *rivals, ff_system **out, ff_run_options *run,
                            ff_messages *messages);
