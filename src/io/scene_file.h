/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

#include <footfall/scene.h>

/* Reads a scene from a text, for ff_scene_read(); `name` is what messages call it. Groups that would take more than
 * `memory` bytes are refused before they are made. */
ff_status ff_scene_parse(const char *name, const char *text, size_t length,
                         const char *const *settings, size_t setting_count, double memory,
                         ff_scene **out, ff_messages *messages);

/* What a scene was read from, with more settings applied, as YAML without comments; the caller frees it. FF_MISSING:
 * nothing was kept, as of ff_scene_with(). */
ff_status ff_scene_print(const ff_scene *scene, const char *const *settings, size_t setting_count,
                         char **out);

/* The text of a scene with settings applied, as YAML without comments; the caller frees it. Both were
 * read without a mistake before. */
ff_status ff_scene_resolve(const char *text, const char *const *settings, size_t setting_count,
                           char **out);
