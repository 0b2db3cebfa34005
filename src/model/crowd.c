/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "body/vector.h"
#include "expr/word.h"
#include "model.h"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Why a scene cannot be a crowd, or NULL. */
static const char *obstacle(const ff_model *model, const ff_scene *scene) {
    if (scene->shapes.count != scene->bodies.count || scene->events.count > 0) {
        return "every body must be one sphere, and there are no functions of the user's own";
    }
    for (size_t i = 0; i < scene->shapes.count; i++) {
        const ff_shape_def *s = &scene->shapes.at[i];
        if (s->body != (int)i || !(s->radius > 0) || s->box[0] > 0 || !model->bodies[i].round ||
            ff_dot(s->center, s->center) != 0) {
            return "every body must be one sphere about its centre of mass";
        }
    }
    for (size_t i = 0; i < scene->forces.count; i++) {
        const ff_force_def *f = &scene->forces.at[i];
        if (f->kind != FF_FORCE_CONSTANT || f->from > 0 || !isinf(f->to) ||
            ff_dot(f->torque, f->torque) > 0) {
            return "forces must be constant, without torque, and act all the time";
        }
    }
    for (size_t i = 0; i < scene->pairs.count; i++) {
        const ff_pair_def *p = &scene->pairs.at[i];
        if (p->stateful || p->normal.law->rest || p->normal.law->gap || p->normal.states > 1 ||
            (p->normal.states > 0 && !p->normal.law->touch)) {
            return "there is no stateful ground and no law with a rate of its own";
        }
        if (p->friction.vectors > 1 || p->friction.law->turns || p->friction.keeps) {
            return "friction has one inner state at the most, which ends with a contact, and no "
                   "moment";
        }
    }
    return NULL;
}

static ff_status make_class(ff_class *out, const ff_pair_def *pair) {
    size_t size = strlen(pair->a) + strlen(pair->b) + 2;
    *out = (ff_class){.name = malloc(size),
                      .law = pair->normal,
                      .friction = pair->friction,
                      .slides = !pair->friction.law->nothing,
                      .graded = pair->friction.law->level != FF_LEVEL_ONE};
    if (out->name) {
        snprintf(out->name, size, "%s/%s", pair->a, pair->b);
    }
    return out->name ? FF_OK : FF_NO_MEMORY;
}

static void make_wall(ff_wall *out, const ff_plane_def *plane) {
    memcpy(out->normal, plane->normal, sizeof out->normal);
    out->level = ff_dot(plane->point, plane->normal);
    out->rise = ff_dot(plane->velocity, plane->normal);
    ff_plane_skin(plane, out->skin);
}

/* the name of a body, or of its group */
static void group_name(const char *name, char out[64]) {
    size_t length = strcspn(name, "[");
    snprintf(out, 64, "%.*s", (int)(length < 63 ? length : 63), name);
}

/* kinds of bodies that do not meet each other, or a wall: each by the first of them */
static ff_status note_strangers(ff_model *model, const ff_scene *scene, const ff_kinds *kinds) {
    size_t *first = malloc(2 * (kinds->count + 1) * sizeof *first), *second = first + kinds->count;
    ff_status status = first ? FF_OK : FF_NO_MEMORY;
    for (size_t k = 0; first && k < 2 * kinds->count; k++) {
        first[k] = SIZE_MAX;
    }
    for (size_t i = scene->bodies.count; first && i-- > 0;) {
        size_t k = (size_t)kinds->shape[i];
        second[k] = first[k];
        first[k] = i;
    }
    for (size_t a = 0; a < kinds->count && status == FF_OK; a++) {
        char name[64], other[64];
        if (first[a] == SIZE_MAX) {
            continue;
        }
        group_name(scene->bodies.at[first[a]].name, name);
        for (size_t w = 0; w < scene->planes.count && status == FF_OK; w++) {
            if (ff_kinds_pair(kinds, (int)a, kinds->plane[w]) < 0) {
                status = ff_model_note_unpaired(model, name, scene->planes.at[w].name);
            }
        }
        for (size_t b = a; b < kinds->count && status == FF_OK; b++) {
            size_t with = a == b ? second[b] : first[b];
            if (with != SIZE_MAX && ff_kinds_pair(kinds, (int)a, (int)b) < 0) {
                group_name(scene->bodies.at[with].name, other);
                status = ff_model_note_unpaired(model, name, other);
            }
        }
    }
    free(first);
    return status;
}

ff_status ff_crowd_model_make(ff_model *model, const ff_scene *scene, const ff_kinds *kinds,
                              ff_error *error) {
    const char *why = obstacle(model, scene);
    if (why) {
        return ff_model_fail(error, FF_BAD_VALUE, "too many pairs for slots of their own: %s", why);
    }
    for (size_t i = 0; i < kinds->count * kinds->count; i++) {
        if (kinds->pair[i] == FF_TWO_PAIRS) {
            return ff_model_fail(error, FF_BAD_VALUE, "two pairs fit the same things equally well");
        }
    }
    ff_crowd_model *c = calloc(1, sizeof *c);
    if (!c) {
        return FF_NO_MEMORY;
    }
    model->crowd = c;
    const size_t bodies = scene->bodies.count, planes = scene->planes.count;
    c->kind = malloc((bodies + 1) * sizeof *c->kind);
    c->radius = malloc((bodies + 1) * sizeof *c->radius);
    c->pair_class = malloc((kinds->count * kinds->count + 1) * sizeof *c->pair_class);
    c->wall_class = malloc((kinds->count * planes + 1) * sizeof *c->wall_class);
    c->classes = calloc(scene->pairs.count + 1, sizeof *c->classes);
    c->walls = calloc(planes + 1, sizeof *c->walls);
    c->push = calloc(3 * bodies + 1, sizeof *c->push);
    if (!c->kind || !c->radius || !c->pair_class || !c->wall_class || !c->classes || !c->walls ||
        !c->push) {
        return FF_NO_MEMORY;
    }
    c->kind_count = kinds->count;
    c->wall_count = planes;
    for (size_t i = 0; i < bodies; i++) {
        c->kind[i] = kinds->shape[i];
        c->radius[i] = scene->shapes.at[i].radius;
    }
    memcpy(c->pair_class, kinds->pair, kinds->count * kinds->count * sizeof *c->pair_class);
    for (size_t k = 0; k < kinds->count; k++) {
        for (size_t w = 0; w < planes; w++) {
            c->wall_class[k * planes + w] = ff_kinds_pair(kinds, (int)k, kinds->plane[w]);
        }
    }
    for (size_t i = 0; i < planes; i++) {
        make_wall(&c->walls[i], &scene->planes.at[i]);
    }
    for (size_t i = 0; i < scene->forces.count; i++) {
        const ff_force_def *f = &scene->forces.at[i];
        double *push = c->push + 3 * (size_t)f->body;
        ff_add_scaled(push, 1, f->force, push);
    }
    ff_status status = FF_OK;
    for (size_t i = 0; i < scene->pairs.count && status == FF_OK; i++) {
        c->class_count++;
        status = make_class(&c->classes[i], &scene->pairs.at[i]);
    }
    return status == FF_OK ? note_strangers(model, scene, kinds) : status;
}

void ff_crowd_model_free(ff_crowd_model *c) {
    if (!c) {
        return;
    }
    for (size_t i = 0; i < c->class_count; i++) {
        free(c->classes[i].name);
    }
    free(c->kind);
    free(c->radius);
    free(c->pair_class);
    free(c->wall_class);
    free(c->classes);
    free(c->walls);
    free(c->push);
    free(c);
}
