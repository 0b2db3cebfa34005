/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

#include <footfall/scene.h>

/* Reads a scene from a text, for ff_scene_read(); `name` is what messages call it. */
ff_status ff_scene_parse(const char *name, const char *text, size_t length,
                         const char *const *settings, size_t setting_count, ff_scene **out,
                         ff_messages *messages);
