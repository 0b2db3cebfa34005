/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

#include "check.h"
#include <footfall/footfall.h>
#include <stdio.h>

/* The model of a scene of scenes/, by name, with settings. */
static inline ff_model *scene_model(const char *name, const char *const *settings, size_t count) {
    char path[512];
    ff_scene *scene;
    ff_model *model;
    snprintf(path, sizeof path, FF_SOURCE_DIR "/scenes/%s.yaml", name);
    assert_int_equal(ff_scene_read(path, settings, count, &scene, NULL), FF_OK);
    assert_int_equal(ff_model_create(scene, &model, NULL), FF_OK);
    ff_scene_free(scene);
    return model;
}
