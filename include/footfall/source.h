/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* Scenes and differential inclusions from text: from a file, or from memory. */

#include <footfall/inclusion.h>
#include <footfall/memory.h>

FF_C_BEGIN

/* largest size of an input file, bytes: about 600,000 bodies */
#define FF_SOURCE_MOST ((size_t)100000000)

/* Reads a file of at most `most` bytes and appends a 0; free the result with ff_free(). NULL with FF_NO_MEMORY, or with
 * FF_BAD_VALUE and a message that says why it cannot be read. */
FF_API char *ff_source_read(const char *path, size_t most, size_t *length, ff_messages *messages,
                            ff_status *status);

/* Whether a text describes an inclusion: it has the top-level key `rates` and neither `bodies` nor `robots`. */
FF_API bool ff_source_is_inclusion(const char *text);

/* ---- scenes ---- */

/* Reads a scene from a text, like ff_scene_read() from a file; messages use `name` as the file name. Groups that would need
 * more than `memory` bytes are refused before they are created. */
FF_API ff_status ff_scene_parse(const char *name, const char *text, size_t length,
                                const char *const *settings, size_t setting_count, double memory,
                                ff_scene **out, ff_messages *messages);

/* The contents of a scene's file with additional settings, as YAML without comments; free it with ff_free(). FF_MISSING:
 * the contents are not available, see ff_scene_with(). */
FF_API ff_status ff_scene_print(const ff_scene *scene, const char *const *settings,
                                size_t setting_count, char **out);

/* The text of a scene with settings applied, as YAML without comments; free it with ff_free(). Text and settings must be
 * free of errors. */
FF_API ff_status ff_scene_resolve(const char *text, const char *const *settings,
                                  size_t setting_count, char **out);

/* ---- inclusions ---- */

/* A differential inclusion read from text. */
typedef struct ff_equations ff_equations;

/* Default laws for dio and sgn: those of Xiong, Kikuuwe and Yamamoto 2013, whose parameters the files give. */
#define FF_DIO_LAW "xiong"
#define FF_SGN_LAW "sat"

/* Names of laws to use instead of FF_DIO_LAW and FF_SGN_LAW; NULL: the defaults. Their parameters are derived from those of
 * the file (docs/inclusions.md). */
typedef struct ff_rivals {
    const char *contact, *friction;
} ff_rivals;

/* Reads a differential inclusion from a text, like ff_scene_parse(); messages use `name` as the file name. Free *out with
 * ff_equations_free(). */
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

/* Frees an inclusion; NULL is allowed. */
FF_API void ff_equations_free(ff_equations *s);

/* The definition for ff_inclusion_create(); valid as long as `s`. Only one sim at a time may use it. */
FF_API const ff_inclusion_def *ff_equations_def(const ff_equations *s);

/* Why the parameters of contact i (of friction i if `slides`) have their values; "" if they were given. */
FF_API const char *ff_equations_why(const ff_equations *s, bool slides, size_t i);

/* The resulting ordinary differential equations as text, one equation per line, in the notation of the input; free it with
 * ff_free(). NULL if out of memory or if an equation is longer than FF_EXPR_LENGTH. */
FF_API char *ff_equations_show(const ff_equations *s);

FF_C_END
