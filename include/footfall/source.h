/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* Scenes and differential inclusions from text: from a file, or from memory. */

#include <footfall/inclusion.h>
#include <footfall/memory.h>

FF_C_BEGIN

/* bytes that a file of any kind may have: some 600,000 bodies */
#define FF_SOURCE_MOST ((size_t)100000000)

/* All of a file of at most `most` bytes, with a 0 after it; ff_free() frees it. NULL with FF_NO_MEMORY, or with
 * FF_BAD_VALUE and a message why it cannot be read. */
FF_API char *ff_source_read(const char *path, size_t most, size_t *length, ff_messages *messages,
                            ff_status *status);

/* Whether a text describes an inclusion: it has the key `rates` at its top level, and neither `bodies` nor `robots`. */
FF_API bool ff_source_is_inclusion(const char *text);

/* ---- scenes ---- */

/* Reads a scene from a text, as ff_scene_read() from a file; `name` is what messages call it. Groups that would take more than
 * `memory` bytes are refused before they are made. */
FF_API ff_status ff_scene_parse(const char *name, const char *text, size_t length,
                                const char *const *settings, size_t setting_count, double memory,
                                ff_scene **out, ff_messages *messages);

/* What a scene was read from, with more settings applied, as YAML without comments; ff_free() frees it. FF_MISSING:
 * nothing was kept, as of ff_scene_with(). */
FF_API ff_status ff_scene_print(const ff_scene *scene, const char *const *settings,
                                size_t setting_count, char **out);

/* The text of a scene with settings applied, as YAML without comments; ff_free() frees it. Both were
 * read without a mistake before. */
FF_API ff_status ff_scene_resolve(const char *text, const char *const *settings,
                                  size_t setting_count, char **out);

/* ---- inclusions ---- */

/* A differential inclusion as it was read. */
typedef struct ff_equations ff_equations;

/* What dio and sgn become where nobody says otherwise: the laws of Xiong, Kikuuwe and Yamamoto 2013. Files are written in
 * the numbers of the first. */
#define FF_DIO_LAW "xiong"
#define FF_SGN_LAW "sat"

/* Laws in the place of FF_DIO_LAW and FF_SGN_LAW, by name; NULL: these. Their parameters follow from those of the file
 * (docs/inclusions.md). */
typedef struct ff_rivals {
    const char *contact, *friction;
} ff_rivals;

/* Reads a differential inclusion from a text, as ff_scene_parse() a scene; `name` is for messages. *out is finished, and freed by
 * the caller. */
FF_API ff_status ff_inclusion_parse(const char *name, const char *text, size_t length,
                                    const char *const *settings, size_t setting_count,
                                    const ff_rivals *rivals, ff_equations **out,
                                    ff_run_options *run, ff_messages *messages);

/* Reads a differential inclusion from a file. */
static inline ff_status ff_inclusion_read(const char *path, const char *const *settings,
                                          size_t setting_count, const ff_rivals *rivals,
                                          ff_equations **out, ff_run_options *run,
                                          ff_messages *messages) {
    size_t length;
    ff_status status;
    char *text = ff_source_read(path, FF_SOURCE_MOST, &length, messages, &status);
    *out = NULL;
    if (status == FF_OK) {
        status = ff_inclusion_parse(path, text, length, settings, setting_count, rivals, out, run,
                                    messages);
    }
    ff_free(text);
    return status;
}

FF_API void ff_equations_free(ff_equations *s);

/* For ff_inclusion_create(), once it is finished; as long as the system lives. One inclusion at a time. */
FF_API const ff_inclusion_def *ff_equations_def(const ff_equations *s);

/* What the numbers of contact i, or of friction i where it `slides`, were chosen for: "" where they were given. */
FF_API const char *ff_equations_why(const ff_equations *s, bool slides, size_t i);

/* The ordinary differential equation that comes out of a finished system, as text: a line an equation, in the
 * notation of the input. ff_free() frees it; NULL where memory ends or an equation is beyond
 * FF_EXPR_LENGTH. */
FF_API char *ff_equations_show(const ff_equations *s);

FF_C_END
