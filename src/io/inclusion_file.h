/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

#include "inclusion/equations.h"

/* What dio and sgn become where nobody says otherwise: the laws of Xiong, Kikuuwe and Yamamoto 2013. Files are written in
 * the numbers of the first. */
#define FF_DIO_LAW "xiong"
#define FF_SGN_LAW "sat"

/* Other laws by name, NULL: those. They get their numbers from the file, as docs/inclusions.md has it. */
typedef struct ff_rivals {
    const char *contact, *friction;
} ff_rivals;

/* Reads a differential inclusion from a file, as ff_scene_read() a scene. *out is finished, and freed by the
 * caller. */
ff_status ff_inclusion_read(const char *path, const char *const *settings, size_t setting_count,
                            const ff_rivals *rivals, ff_equations **out, ff_run_options *run,
                            ff_messages *messages);
/* The same of a text; `name` is for messages. */
ff_status ff_inclusion_parse(const char *name, const char *text, size_t length,
                             const char *const *settings, size_t setting_count,
                             const ff_rivals *rivals, ff_equations **out, ff_run_options *run,
                             ff_messages *messages);
