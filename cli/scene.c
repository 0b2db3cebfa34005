/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "scene.h"
#include <stdlib.h>

int scene_load(const args *a, ff_scene **scene, ff_model **model) {
    size_t count = 0;
    ff_messages messages = {0};
    ff_error error = {""};
    while (args_text_at(a, "set", count)) {
        count++;
    }
    const char **settings = calloc(count + 1, sizeof *settings);
    if (!settings) {
        return args_error(a, "out of memory");
    }
    for (size_t i = 0; i < count; i++) {
        settings[i] = args_text_at(a, "set", i);
    }
    ff_status status = ff_scene_read(args_word(a, 0), settings, count, scene, &messages);
    free(settings);
    for (size_t i = 0; i < messages.count; i++) {
        char line[600];
        ff_message_format(&messages.at[i], line, sizeof line);
        fprintf(stderr, "%s\n", line);
    }
    if (messages.left_out) {
        fprintf(stderr, "and %zu more\n", messages.left_out);
    }
    if (status < 0 && messages.count == 0) {
        args_error(a, "%s: %s", args_word(a, 0), ff_status_text(status));
    }
    ff_messages_clear(&messages);
    if (status < 0) {
        return 2;
    }
    status = ff_model_create(*scene, model, &error);
    if (status < 0) {
        ff_scene_free(*scene);
        return args_error(a, "%s: %s", args_word(a, 0),
                          *error.text ? error.text : ff_status_text(status));
    }
    return 0;
}
