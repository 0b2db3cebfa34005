/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* Scenes from text, and the messages about invalid ones. */

#include "check.h"
#include "io/scene_file.h"
#include "model/scene.h"
#include <footfall/sim.h>

static char told[20000];

/* collects all messages, one per line */
static inline void tell(const ff_messages *messages) {
    size_t used = 0;
    told[0] = '\0';
    for (size_t i = 0; i < messages->count; i++) {
        used += (size_t)ff_message_format(&messages->at[i], told + used, sizeof told - used);
        used += (size_t)snprintf(told + used, sizeof told - used, "\n");
    }
}

/* a scene from its text, or NULL with the messages in `told` */
static inline ff_scene *parse(const char *text, size_t length, const char *const *settings,
                              size_t count) {
    ff_messages messages = {0};
    ff_scene *scene;
    ff_status status =
        ff_scene_parse("s.yaml", text, length, settings, count, INFINITY, &scene, &messages);
    assert_true((status == FF_OK) == (messages.count == 0));
    assert_true((status == FF_OK) == (scene != NULL));
    tell(&messages);
    ff_messages_clear(&messages);
    return scene;
}

static inline ff_scene *parse_text(const char *text) { return parse(text, strlen(text), NULL, 0); }

typedef struct mistake {
    const char *text, *says;
} mistake;

static inline void assert_says(const char *text, const char *says) {
    ff_scene *scene = parse_text(text);
    ff_scene_free(scene);
    assert_holds(strcmp(told, says) == 0, "%s\nsays:\n%sinstead of:\n%s", text, told, says);
}

static inline void assert_all_say(const mistake *cases, size_t count) {
    for (size_t i = 0; i < count; i++) {
        assert_says(cases[i].text, cases[i].says);
    }
}

#define ALL_SAY(cases) assert_all_say(cases, sizeof(cases) / sizeof *(cases))

/* The model of a text. */
static inline ff_model *model_of_text(const char *text) {
    ff_scene *scene = parse_text(text);
    ff_error error = {""};
    ff_model *model;
    assert_holds(scene != NULL, "%s", told);
    assert_holds(ff_model_create(scene, &model, &error) == FF_OK, "%s", error.text);
    ff_scene_free(scene);
    return model;
}
