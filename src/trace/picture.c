/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#define _POSIX_C_SOURCE 200809L

/* What a page draws of a model; stored in trace files so that a page can be made from a trace alone. */

#include "model/model.h"
#include "model/scene.h"
#include "num/memory.h"
#include "trace.h"
#include <footfall/inclusion.h>
#include <footfall/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The i-th body shown: all, or evenly chosen ones. */
static size_t chosen(size_t i, size_t shown, size_t all) {
    return all == shown ? i : (size_t)((double)i * (double)all / (double)shown);
}

/* Names, and shapes as [body, x, y, z, radius] and [body, edges], with bodies by their position in a row. */
static bool put_bodies(ff_json *j, const ff_model *model, size_t shown) {
    const ff_scene *scene = &model->defs;
    const size_t all = ff_model_body_count(model);
    size_t *place = ff_calloc(all + 1, sizeof *place);
    ff_json_integer(j, "body_count", (long long)all);
    ff_json_array(j, "bodies");
    for (size_t i = 0; place && i < shown; i++) {
        const size_t body = chosen(i, shown, all);
        ff_json_string(j, NULL, ff_model_body_name(model, body));
        place[body] = i + 1;
    }
    ff_json_end(j);
    for (int boxes = 0; boxes < 2; boxes++) {
        ff_json_array(j, boxes ? "boxes" : "spheres");
        /* a body of a crowd is one sphere, without a stored definition */
        for (size_t i = 0; place && model->crowd && !boxes && i < shown; i++) {
            const double radius = model->crowd->radius[chosen(i, shown, all)];
            ff_json_numbers(j, NULL, (double[]){(double)i, 0, 0, 0, radius}, 5);
        }
        for (size_t i = 0; place && i < scene->shapes.count; i++) {
            const ff_shape_def *s = &scene->shapes.at[i];
            size_t body = place[s->body];
            ff_body_facts f = ff_model_body_facts(model, (size_t)s->body);
            const double *b = s->box;
            if (body > 0 && boxes && b[0] > 0) {
                /* of eight corners only the first is written */
                bool corner = i > 0 && s[-1].body == s->body && s[-1].box[0] > 0;
                if (!corner) {
                    ff_json_numbers(j, NULL, (double[]){(double)body - 1, b[0], b[1], b[2]}, 4);
                }
            } else if (body > 0 && !boxes && !(b[0] > 0)) {
                ff_json_numbers(j, NULL,
                                (double[]){(double)body - 1, s->center[0] - f.center[0],
                                           s->center[1] - f.center[1], s->center[2] - f.center[2],
                                           s->radius},
                                5);
            }
        }
        ff_json_end(j);
    }
    ff_free(place);
    return place;
}

static void put_planes(ff_json *j, const ff_scene *scene) {
    ff_json_array(j, "planes");
    for (size_t i = 0; i < scene->planes.count; i++) {
        const ff_plane_def *plane = &scene->planes.at[i];
        ff_json_object(j, NULL);
        ff_json_string(j, "name", plane->name);
        ff_json_numbers(j, "point", plane->point, 3);
        ff_json_numbers(j, "normal", plane->normal, 3);
        ff_json_numbers(j, "velocity", plane->velocity, 3);
        ff_json_numbers(j, "surface_velocity", plane->surface_velocity, 3);
        ff_json_end(j);
    }
    ff_json_end(j);
}

/* Two spheres, or a sphere and a plane with its normal. */
static void put_contacts(ff_json *j, const ff_model *model) {
    ff_json_array(j, "contacts");
    for (size_t i = 0; i < ff_model_contacts_listed(model); i++) {
        ff_slot slot;
        const ff_slot *s = &slot;
        ff_model_slot(model, i, &slot);
        ff_json_object(j, NULL);
        ff_json_string(j, "name", s->name);
        ff_json_string(j, "normal_law", s->law.law->name);
        ff_json_string(j, "friction_law", s->friction.law->name);
        ff_json_number(
            j, "mu", s->slides && s->friction.law->cone ? s->friction.law->cone(&s->friction) : 0);
        ff_json_integer(j, "body", s->body);
        ff_json_numbers(j, "center", s->center, 3);
        ff_json_number(j, "radius", s->radius);
        ff_json_integer(j, "other", s->other);
        if (s->other >= 0) {
            ff_json_numbers(j, "other_center", s->other_center, 3);
        } else {
            ff_json_numbers(j, "normal", s->normal, 3);
        }
        ff_json_end(j);
    }
    ff_json_end(j);
}

/* Springs and joints: two connected points of bodies or of the world (body -1). */
static void put_links(ff_json *j, const ff_model *model) {
    ff_json_array(j, "springs");
    for (size_t i = 0; i < model->force_count; i++) {
        const ff_force_def *f = &model->forces[i];
        if (f->kind == FF_FORCE_SPRING) {
            ff_json_object(j, NULL);
            ff_json_string(j, "name", f->name);
            ff_json_integer(j, "body", f->body);
            ff_json_numbers(j, "anchor", f->anchor, 3);
            ff_json_integer(j, "other", f->other);
            ff_json_numbers(j, "other_anchor", f->other_anchor, 3);
            ff_json_end(j);
        }
    }
    ff_json_end(j);
    ff_json_array(j, "joints");
    for (size_t i = 0; i < ff_model_joint_count(model); i++) {
        ff_joint_facts f = ff_model_joint_facts(model, i);
        ff_json_object(j, NULL);
        ff_json_string(j, "name", ff_model_joint_name(model, i));
        ff_json_string(j, "joint_kind", ff_joint_kind_name(f.kind));
        ff_json_integer(j, "body", f.first);
        ff_json_numbers(j, "anchor", f.anchor, 3);
        ff_json_integer(j, "other", f.second);
        ff_json_numbers(j, "other_anchor", f.second_anchor, 3);
        /* of the first body, or of the world */
        ff_json_numbers(j, "axis", model->joints[i].axis, 3);
        ff_json_end(j);
    }
    ff_json_end(j);
}

/* Names of the owners of events, in index order. */
static void put_owners(ff_json *j, const ff_model *model) {
    const ff_inclusion_def *def = ff_model_inclusion(model);
    const size_t contacts = def ? def->dio_count : ff_model_contacts_listed(model),
                 frictions = def ? def->sgn_count : 0;
    ff_json_array(j, "event_owners");
    for (size_t i = 0; i < contacts; i++) {
        ff_json_string(j, NULL, def ? def->dios[i].name : ff_model_contact_name(model, i));
    }
    for (size_t i = 0; !def && i < FF_JOINT_COORDINATES * model->joint_count; i++) {
        const ff_event event = {.kind = FF_SLIP, .contact = (int)(model->contact_count + i)};
        ff_json_string(j, NULL, ff_model_event_owner(model, &event));
    }
    for (size_t i = 0; i < frictions; i++) {
        ff_json_string(j, NULL, def->sgns[i].name);
    }
    ff_json_end(j);
}

char *ff_picture_make(const ff_model *model, size_t shown) {
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out) {
        return NULL;
    }
    ff_json j = {.out = out};
    ff_json_object(&j, NULL);
    ff_json_bool(&j, "crowd", ff_model_class_count(model) > 0);
    ff_json_numbers(&j, "gravity", model->gravity, 3);
    bool done = put_bodies(&j, model, shown);
    put_planes(&j, &model->defs);
    put_contacts(&j, model);
    put_links(&j, model);
    put_owners(&j, model);
    ff_json_end(&j);
    done = !ferror(out) && done;
    done = fclose(out) == 0 && done;
    text = ff_streamed(text, size);
    if (!done) {
        ff_free(text);
    }
    return done ? text : NULL;
}
