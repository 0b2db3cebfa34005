/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "scene.h"
#include "io/scene_file.h"
#include <stdlib.h>

/* the values of --set, and room for `more`; NULL where memory ends */
static const char **read_settings(const args *a, size_t more, size_t *count) {
    *count = 0;
    while (args_text_at(a, "set", *count)) {
        ++*count;
    }
    const char **settings = calloc(*count + more + 1, sizeof *settings);
    for (size_t i = 0; settings && i < *count; i++) {
        settings[i] = args_text_at(a, "set", i);
    }
    return settings;
}

int scene_load(const args *a, ff_scene **scene, ff_model **model, char **source) {
    size_t count;
    ff_messages messages = {0};
    ff_error error = {""};
    const char **settings = read_settings(a, 0, &count);
    if (!settings) {
        return args_error(a, "out of memory");
    }
    ff_status status = ff_scene_load(args_word(a, 0), settings, count, scene, &messages, source);
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
        if (source) {
            free(*source);
        }
        return args_error(a, "%s: %s", args_word(a, 0),
                          *error.text ? error.text : ff_status_text(status));
    }
    return 0;
}

char *scene_resolved(const args *a, const char *source, const ff_run_options *o) {
    enum { MORE = 5 };
    char own[MORE][64], *text = NULL;
    size_t count;
    const char **settings = read_settings(a, MORE, &count);
    if (!settings) {
        return NULL;
    }
    snprintf(own[0], sizeof own[0], "run.until=%.17g", o->until);
    snprintf(own[1], sizeof own[1], "run.method=%s", ff_method_name(o->method));
    snprintf(own[2], sizeof own[2], "run.tol=%.17g", o->tol);
    snprintf(own[3], sizeof own[3], "run.dt=%.17g", o->dt);
    snprintf(own[4], sizeof own[4], "run.every=%.17g", o->every);
    for (int i = 0; i < MORE - !(o->every > 0); i++) {
        settings[count++] = own[i];
    }
    ff_scene_resolve(source, settings, count, &text);
    free(settings);
    return text;
}
