/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "model.h"
#include "num/memory.h"
#include <stdio.h>
#include <string.h>

/* Laws of time of planes and joints: those of a scene file are in its program, those of definitions made by calls are texts,
 * which are compiled here. */

typedef struct maker {
    const ff_scene *scene;
    ff_draft draft;
    ff_error *error;
} maker;

static const ff_expr_name_def time_name = {
    .name = "t", .length = 1, .measure = FF_MEASURE_KNOWN, .dim = {0, 0, 1}};
static const ff_signal time_signal = {FF_SIGNAL_TIME, 0, 0, 1};

/* One text as an expression of t. `of` names whose law it is. */
static ff_status parse(const maker *m, const char *text, ff_dimension dim, const char *of,
                       const char *name, ff_expr *out) {
    const char *const words[] = {"t"};
    const ff_expr_scope scope = {&time_name, 1, NULL, 0};
    ff_expr_facts facts = {0};
    ff_expr_error error = {0};
    char why[320];
    *out = ff_expr_parse(m->draft.pool, text, words, 1, &error);
    ff_status status =
        *out ? ff_expr_check(m->draft.pool, out, 1, &scope, true, &facts, &error) : FF_BAD_VALUE;
    if (ff_expr_pool_status(m->draft.pool) == FF_NO_MEMORY || status == FF_NO_MEMORY ||
        strcmp(error.text, ff_status_text(FF_NO_MEMORY)) == 0) {
        return FF_NO_MEMORY;
    }
    snprintf(why, sizeof why, "%s", error.text);
    if (status == FF_OK && facts.length > 1) {
        snprintf(why, sizeof why, "'%.60s' is a vector, not a number", text);
        status = FF_BAD_VALUE;
    } else if (status == FF_OK && facts.measure == FF_MEASURE_KNOWN &&
               !ff_dimension_same(facts.dim, dim)) {
        ff_dimension_refuse(text, facts.dim, dim, why, sizeof why);
        status = FF_BAD_VALUE;
    }
    return status == FF_OK
               ? FF_OK
               : ff_model_fail(m->error, status, "motion of %s '%s': %s", of, name, why);
}

/* Whether the program of the scene's file moves it already. */
static bool read_plane(const ff_scene *scene, size_t plane) {
    const ff_control *c = scene->control;
    for (size_t i = 0; c && i < c->motion_count; i++) {
        if (c->motions[i].plane == plane) {
            return true;
        }
    }
    return false;
}

static bool read_joint(const ff_scene *scene, size_t joint) {
    const ff_control *c = scene->control;
    for (size_t i = 0; c && i < c->drive_count; i++) {
        if (c->drives[i].joint == joint) {
            return true;
        }
    }
    return false;
}

static ff_status add_plane(maker *m, size_t i) {
    static const ff_dimension length = {0, 1, 0};
    const ff_plane_def *def = &m->scene->planes.at[i];
    if (!ff_plane_moves(def) || read_plane(m->scene, i)) {
        return FF_OK;
    }
    ff_draft_motion *motion = &m->draft.motions[m->draft.motion_count++];
    motion->plane = i;
    ff_status status = FF_OK;
    for (int c = 0; c < 3 && status == FF_OK; c++) {
        status = parse(m, def->motion[c] ? def->motion[c] : "0", length, "plane", def->name,
                       &motion->is[c]);
    }
    return status;
}

static ff_status add_joint(maker *m, size_t i) {
    static const ff_dimension length = {0, 1, 0}, none = {0, 0, 0};
    const ff_joint_def *def = &m->scene->joints.at[i];
    ff_status status = FF_OK;
    for (int c = 0; c < FF_JOINT_COORDINATES && status == FF_OK; c++) {
        if (!def->motion[c] || read_joint(m->scene, i)) {
            continue;
        }
        if (!ff_joint_coordinate_name(def->kind, c)) {
            return ff_model_fail(m->error, FF_BAD_VALUE,
                                 "motion of joint '%s': a %s joint has no coordinate %d", def->name,
                                 ff_joint_kind_name(def->kind), c);
        }
        ff_draft_drive *drive = &m->draft.drives[m->draft.drive_count++];
        drive->joint = i;
        drive->coordinate = c;
        status = parse(m, def->motion[c], ff_joint_coordinate_slides(def->kind, c) ? length : none,
                       "joint", def->name, &drive->is);
    }
    return status;
}

ff_status ff_laws_make(const ff_scene *scene, ff_control **out, ff_error *error) {
    maker m = {.scene = scene, .error = error};
    ff_status status = FF_OK;
    size_t texts = 0;
    *out = NULL;
    for (size_t i = 0; i < scene->planes.count; i++) {
        texts += ff_plane_moves(&scene->planes.at[i]);
    }
    for (size_t i = 0; i < scene->joints.count; i++) {
        texts += ff_joint_moves(&scene->joints.at[i]);
    }
    if (texts == 0 || scene->reading) {
        return FF_OK;
    }
    m.draft = (ff_draft){.pool = ff_expr_pool_create(),
                         .names = &time_name,
                         .signals = &time_signal,
                         .name_count = 1,
                         .motions = ff_calloc(scene->planes.count + 1, sizeof *m.draft.motions),
                         .drives = ff_calloc(FF_JOINT_COORDINATES * scene->joints.count + 1,
                                             sizeof *m.draft.drives)};
    if (!m.draft.pool || !m.draft.motions || !m.draft.drives) {
        status = FF_NO_MEMORY;
    }
    for (size_t i = 0; i < scene->planes.count && status == FF_OK; i++) {
        status = add_plane(&m, i);
    }
    for (size_t i = 0; i < scene->joints.count && status == FF_OK; i++) {
        status = add_joint(&m, i);
    }
    if (status == FF_OK && m.draft.motion_count + m.draft.drive_count > 0) {
        ff_expr_error why;
        status = ff_control_make(&m.draft, out, &why);
        if (status < 0 && status != FF_NO_MEMORY) {
            ff_model_fail(error, status, "%s", why.text);
        }
    }
    if (m.draft.pool) {
        ff_expr_pool_free(m.draft.pool);
    }
    ff_free(m.draft.motions);
    ff_free(m.draft.drives);
    return status;
}

const ff_plane_motion *ff_laws_of_plane(const ff_controls *controls, size_t plane) {
    const ff_control *both[] = {controls->program, controls->laws};
    for (size_t k = 0; k < 2; k++) {
        for (size_t i = 0; both[k] && i < both[k]->motion_count; i++) {
            if (both[k]->motions[i].plane == plane) {
                return &both[k]->motions[i];
            }
        }
    }
    return NULL;
}

const ff_joint_motion *ff_laws_of_joint(const ff_controls *controls, size_t joint, int coordinate) {
    const ff_control *both[] = {controls->program, controls->laws};
    for (size_t k = 0; k < 2; k++) {
        for (size_t i = 0; both[k] && i < both[k]->drive_count; i++) {
            if (both[k]->drives[i].joint == joint && both[k]->drives[i].coordinate == coordinate) {
                return &both[k]->drives[i];
            }
        }
    }
    return NULL;
}
