/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "scene.h"
#include "memory.h"
#include <footfall/source.h>
#include <footfall/unit.h>
#include <math.h>
#include <stdlib.h>

const char **scene_settings(const args *a, size_t more, size_t *count) {
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

int scene_tell(const args *a, const char *path, ff_status status, ff_messages *messages) {
    /* if out of memory, unread parts are not errors */
    bool mistakes = status != FF_NO_MEMORY && messages->count > 0;
    for (size_t i = 0; mistakes && i < messages->count; i++) {
        char line[600];
        ff_message_format(&messages->at[i], line, sizeof line);
        fprintf(stderr, "%s\n", line);
    }
    if (mistakes && messages->left_out) {
        fprintf(stderr, "and %zu more\n", messages->left_out);
    }
    if (status < 0 && !mistakes) {
        args_error(a, "%s: %s", path, ff_status_text(status));
    }
    ff_messages_clear(messages);
    return status < 0 ? ARGS_WRONG : 0;
}

int scene_run_options(const args *a, ff_run_options *o) {
    static const char *methods[FF_METHODS];
    static const char *const words[] = {"none", "located"};
    size_t method = (size_t)o->method, events = o->events;
    for (size_t i = 0; i < FF_METHODS; i++) {
        methods[i] = ff_method_name((ff_method)i);
    }
    args_want want = args_want_any(NULL);
    want.least = FF_POSITIVE;
    want.fallback = o->until;
    int status = args_number(a, "until", &want, &o->until);
    want.fallback = o->dt;
    status = status ? status : args_number(a, "dt", &want, &o->dt);
    want.fallback = o->max_step;
    status = status ? status : args_number(a, "max-step", &want, &o->max_step);
    want.fallback = o->every;
    status = status ? status : args_number(a, "every", &want, &o->every);
    want.fallback = o->tol;
    want.most = 0.1;
    status = status ? status : args_number(a, "tol", &want, &o->tol);
    status = status ? status : args_choice(a, "method", methods, FF_METHODS, &method);
    status = status ? status : args_choice(a, "events", words, 2, &events);
    o->method = (ff_method)method;
    o->events = events == 1;
    return status;
}

int scene_joint_options(const args *a, ff_run_options *o) {
    static const char *const formulations[] = {"articulated", "maximal"};
    const char *ways[FF_CONSTRAINTS];
    size_t formulation = (size_t)o->formulation, constraints = (size_t)o->constraints;
    for (int i = 0; i < FF_CONSTRAINTS; i++) {
        ways[i] = ff_constraints_name((ff_constraints)i);
    }
    int status = args_choice(a, "formulation", formulations, 2, &formulation);
    status = status ? status : args_choice(a, "constraints", ways, FF_CONSTRAINTS, &constraints);
    o->formulation = (ff_formulation)formulation;
    o->constraints = (ff_constraints)constraints;
    return status;
}

int scene_read(const args *a, const char *path, double memory, ff_scene **scene, char **source) {
    size_t count;
    ff_messages messages = {0};
    const char **settings = scene_settings(a, 0, &count);
    if (!settings) {
        return args_error(a, "out of memory");
    }
    ff_status status;
    size_t length;
    char *text = ff_source_read(path, FF_SOURCE_MOST, &length, &messages, &status);
    if (status >= 0 && ff_source_is_inclusion(text)) {
        free(settings);
        ff_free(text);
        return args_error(a,
                          "%s: is an inclusion, because it has `rates`; use `footfall run` or "
                          "`footfall inclusion`",
                          path);
    }
    if (status >= 0) {
        status = ff_scene_parse(path, text, length, settings, count, memory, scene, &messages);
    }
    free(settings);
    if (source && status >= 0) {
        *source = text;
    } else {
        ff_free(text);
    }
    return scene_tell(a, path, status, &messages);
}

int scene_compile(const args *a, const char *path, const ff_scene *scene, double *memory,
                  ff_model **model) {
    ff_error error = {""};
    int refused = memory_take(a, path, ff_scene_memory(scene), memory);
    if (refused) {
        return refused;
    }
    ff_status status = ff_model_create(scene, model, &error);
    return status < 0
               ? args_error(a, "%s: %s", path, *error.text ? error.text : ff_status_text(status))
               : 0;
}

/* options of a run as settings */
enum { OPTIONS = 11 };
typedef char option_text[64];

/* PATH=VALUE with the shortest number */
static void number_setting(option_text out, const char *path, double value) {
    char digits[32];
    snprintf(out, sizeof(option_text), "%s=%s", path,
             ff_number_print(value, digits, sizeof digits));
}

static size_t option_settings(const args *a, const ff_run_options *o, option_text own[OPTIONS],
                              const char **settings) {
    size_t count = 0;
    number_setting(own[0], "run.until", o->until);
    snprintf(own[1], sizeof own[1], "run.method=%s", ff_method_name(o->method));
    number_setting(own[2], "run.tol", o->tol);
    number_setting(own[3], "run.dt", o->dt);
    snprintf(own[4], sizeof own[4], "run.events=%s", o->events ? "located" : "none");
    number_setting(own[5], "run.every", o->every);
    snprintf(own[6], sizeof own[6], "run.threads=%d", o->threads);
    snprintf(own[7], sizeof own[7], "run.formulation=%s", ff_formulation_name(o->formulation));
    snprintf(own[8], sizeof own[8], "run.constraints=%s", ff_constraints_name(o->constraints));
    number_setting(own[9], "run.max_step", o->max_step);
    number_setting(own[10], "run.max_steps", o->max_steps);
    for (int i = 0; i < OPTIONS; i++) {
        /* unset options have no value to print; joint options of the file are kept */
        if ((i != 5 || o->every > 0) && (i != 6 || o->threads > 0) &&
            (i != 7 || args_given(a, "formulation")) && (i != 8 || args_given(a, "constraints")) &&
            (i != 9 || isfinite(o->max_step)) && (i != 10 || isfinite(o->max_steps))) {
            settings[count++] = own[i];
        }
    }
    return count;
}

char *scene_print(const args *a, const ff_scene *scene, const char *text, const ff_run_options *o) {
    option_text own[OPTIONS];
    const char *settings[OPTIONS];
    char *out;
    /* --set is included in the kept source of the scene */
    ff_status status = ff_scene_print(scene, settings, option_settings(a, o, own, settings), &out);
    return status == FF_MISSING ? scene_resolved(a, text, o) : out;
}

char *scene_resolved(const args *a, const char *source, const ff_run_options *o) {
    option_text own[OPTIONS];
    char *text = NULL;
    size_t count;
    const char **settings = scene_settings(a, OPTIONS, &count);
    if (settings) {
        count += option_settings(a, o, own, settings + count);
        ff_scene_resolve(source, settings, count, &text);
    }
    free(settings);
    return text;
}
