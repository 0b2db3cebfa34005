/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */

/* Any text as a scene file, with settings: what follows the first byte 1 are texts of --set, apart by newlines. It is
 * refused with reasons and places, or it is compiled, printed, given other settings and runs some steps. The sanitizers
 * look on. */

#include "io/messages.h"
#include "io/scene_file.h"
#include <footfall/footfall.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { SETTINGS = 8 };

static void must(bool holds, const char *what) {
    if (!holds) {
        fprintf(stderr, "%s\n", what);
        abort();
    }
}

/* a few steps; what a run says is looked at, not judged: it may be stiff, or no number */
static void run(const ff_model *model) {
    ff_sim *sim = NULL;
    ff_error error = {""};
    if (ff_sim_create(model, NULL, &sim, &error) < 0) {
        must(*error.text, "a run that cannot be made, without a reason");
        return;
    }
    ff_status status = FF_OK;
    const double until = ff_model_run(model)->until;
    for (int i = 0; i < 4 && status >= 0 && ff_sim_time(sim) < until; i++) {
        double before = ff_sim_time(sim);
        status = ff_sim_step(sim, until);
        must(ff_sim_time(sim) >= before, "time that goes back");
        ff_sim_observe(sim, (before + ff_sim_time(sim)) / 2);
        ff_sim_ledger(sim);
        for (size_t b = 0; b < ff_model_body_count(model); b++) {
            ff_sim_body(sim, b);
        }
        for (size_t c = 0; c < ff_model_contact_count(model); c++) {
            ff_sim_contact(sim, c);
        }
        for (size_t j = 0; j < ff_model_joint_count(model); j++) {
            ff_sim_joint(sim, j);
        }
        ff_sim_observe(sim, (double)NAN);
    }
    ff_sim_verdict(sim);
    ff_sim_free(sim);
}

static void look_at(ff_messages *messages, ff_status status) {
    must((status == FF_OK) == (ff_messages_total(messages) == 0), "refused without a reason");
    for (size_t i = 0; i < messages->count; i++) {
        char line[600];
        ff_message_format(&messages->at[i], line, sizeof line);
        must(strlen(line) > 6, "an empty message");
    }
    ff_messages_clear(messages);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const uint8_t *end = size > 0 ? memchr(data, 1, size) : NULL;
    const size_t length = end ? (size_t)(end - data) : size;
    char *rest = calloc(size - length + 1, 1);
    const char *settings[SETTINGS];
    size_t count = 0;
    if (end) {
        memcpy(rest, end + 1, size - length - 1);
    }
    for (char *line = strtok(rest, "\n"); line && count < SETTINGS; line = strtok(NULL, "\n")) {
        settings[count++] = line;
    }
    ff_messages messages = {0};
    ff_scene *scene = NULL, *other = NULL;
    /* some thousand bodies: more would only take longer */
    ff_status status =
        ff_scene_parse("file", (const char *)data, length, settings, count, 1e6, &scene, &messages);
    look_at(&messages, status);
    if (status == FF_OK) {
        ff_model *model = NULL;
        ff_error error = {""};
        char *text = NULL;
        if (ff_scene_memory(scene) < 1e8 && ff_model_create(scene, &model, &error) == FF_OK) {
            run(model);
            ff_model_free(model);
        }
        if (ff_scene_print(scene, settings, count, &text) == FF_OK) {
            must(text, "not printed");
        }
        free(text);
        status = ff_scene_with(scene, settings, count, &other, &messages);
        must(status == FF_OK || status == FF_MISSING || status == FF_NO_MEMORY,
             "settings that were taken are refused");
        ff_messages_clear(&messages);
        ff_scene_free(other);
    }
    ff_scene_free(scene);
    free(rest);
    return 0;
}
