/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "sweep.h"
#include "messages.h"
#include "model/kinds.h"
#include "num/def.h"
#include "num/hash.h"
#include "num/memory.h"
#include "sim/sim.h"
#include "study/study.h"
#include <footfall/source.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The file of a sweep, read once. */
typedef struct subject {
    const ff_sweep *sweep;
    const ff_rivals *rivals; /* of an inclusion; NULL: none */
    const char *text;
    size_t length;
    ff_scene *scene;         /* NULL: an inclusion */
    ff_equations *equations; /* NULL: a scene */
    ff_model *model;
} subject;

/* Reports the first error of a file. */
static ff_status tell_first(ff_status status, ff_messages *messages, ff_error *error) {
    if (status < 0) {
        ff_model_fail(error, status, "%s",
                      messages->count ? messages->at[0].text : ff_status_text(status));
    }
    ff_messages_clear(messages);
    return status;
}

/* ---- scenes ---- */

/* The model of a run is freed with its sim. */
static ff_status open_scene(const void *user, const char *const *settings, size_t count,
                            ff_opened *out, ff_error *error) {
    const subject *s = user;
    ff_messages messages = {0};
    ff_scene *scene = NULL;
    ff_model *model = NULL;
    ff_status status = ff_scene_with(s->scene, settings, count, &scene, &messages);
    status = tell_first(status, &messages, error);
    status = status < 0 ? status : ff_model_create(scene, &model, error);
    ff_scene_free(scene);
    if (status >= 0) {
        ff_run_options o = *ff_model_run(model);
        o.threads = 1;
        out->until = o.until;
        status = ff_sim_create(model, &o, &out->sim, error);
    }
    if (status >= 0) {
        out->sim->own_model = model;
    } else {
        ff_model_free(model);
    }
    return status;
}

/* ---- inclusions ---- */

static ff_status parse(const subject *s, const char *const *settings, size_t count,
                       ff_equations **out, ff_run_options *run, ff_messages *messages) {
    static const ff_rivals none = {0};
    const ff_sweep *w = s->sweep;
    const char **all = ff_malloc((w->setting_count + count + 1) * sizeof *all);
    if (!all) {
        return FF_NO_MEMORY;
    }
    for (size_t i = 0; i < w->setting_count + count; i++) {
        all[i] = i < w->setting_count ? w->settings[i] : settings[i - w->setting_count];
    }
    const ff_status status =
        ff_inclusion_parse(w->path, s->text, s->length, all, w->setting_count + count,
                           s->rivals ? s->rivals : &none, out, run, messages);
    ff_free(all);
    return status;
}

static ff_status open_inclusion(const void *user, const char *const *settings, size_t count,
                                ff_opened *out, ff_error *error) {
    ff_messages messages = {0};
    ff_equations *equations = NULL;
    ff_run_options o;
    ff_status status = parse(user, settings, count, &equations, &o, &messages);
    status = tell_first(status, &messages, error);
    if (status >= 0) {
        status = ff_inclusion_create(ff_equations_def(equations), &o, &out->sim, error);
    }
    if (status >= 0) {
        out->until = o.until;
        out->held = equations;
    } else {
        ff_equations_free(equations);
    }
    return status;
}

static void close_inclusion(ff_opened *run) {
    ff_sim_free(run->sim);
    ff_equations_free(run->held);
}

/* ---- a sweep ---- */

static ff_status open_subject(subject *s, ff_messages *messages, ff_error *error) {
    const ff_sweep *w = s->sweep;
    ff_run_options o;
    ff_status status;
    if (ff_source_is_inclusion(s->text)) {
        status = parse(s, NULL, 0, &s->equations, &o, messages);
        return status < 0 ? status
                          : ff_inclusion_model(ff_equations_def(s->equations), &s->model, error);
    }
    status = ff_scene_parse(w->path, s->text, s->length, w->settings, w->setting_count, INFINITY,
                            &s->scene, messages);
    return status < 0 ? status : ff_model_create(s->scene, &s->model, error);
}

static uint64_t fingerprint(const subject *s) {
    uint64_t h = ff_hash(FF_HASH_START, s->text, s->length);
    for (size_t i = 0; i < s->sweep->setting_count; i++) {
        h = ff_hash_text(h, s->sweep->settings[i]);
    }
    return h;
}

ff_status ff_sweep_table(const ff_sweep *sweep, const ff_study_subject *how, ff_table **out,
                         ff_messages *messages) {
    subject s = {.sweep = sweep, .text = sweep->text, .rivals = how->rivals};
    ff_error error = {""};
    char place[FF_STUDY_PLACE] = "";
    char *read = NULL;
    ff_status status = FF_OK;
    if (!sweep->text) {
        s.text = read = ff_source_read(sweep->path, FF_SOURCE_MOST, &s.length, messages, &status);
    } else {
        s.length = strlen(sweep->text);
    }
    status = status < 0 ? status : open_subject(&s, messages, &error);
    if (status >= 0) {
        ff_study_subject what = *how;
        what.model = s.model;
        what.open = s.scene ? open_scene : open_inclusion;
        what.close = close_inclusion;
        what.user = &s;
        what.fingerprint = fingerprint(&s);
        status = ff_study_sweep(&what, sweep, out, place, &error);
    } else if (sweep->team) {
        /* the others may have read it */
        sweep->team->meet(sweep->team->user);
    }
    if (*error.text) {
        ff_messages_add(messages, (ff_place){*place ? place : sweep->path, 0, 0}, "%s", error.text);
    }
    ff_model_free(s.model);
    ff_scene_free(s.scene);
    ff_equations_free(s.equations);
    ff_free(read);
    return status;
}

ff_status ff_sweep_run(const ff_sweep *sweep, ff_table **out, ff_messages *messages) {
    ff_messages own = {0};
    ff_sweep all = ff_sweep_default();
    *out = NULL;
    if (!FF_DEF_TAKE(&all, sweep) || !all.path) {
        return FF_BAD_VALUE;
    }
    const ff_status status =
        ff_sweep_table(&all, &(ff_study_subject){0}, out, messages ? messages : &own);
    ff_messages_clear(&own);
    return status;
}
