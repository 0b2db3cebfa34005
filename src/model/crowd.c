/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "body/inertia.h"
#include "body/vector.h"
#include "law/sizes.h"
#include "model.h"
#include "num/memory.h"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* whether the given inertia has three equal moments, as of a sphere */
static bool is_round(const ff_body_def *def) {
    double inertia[3][3];
    memcpy(inertia, def->inertia, sizeof inertia);
    return isnan(inertia[0][0]) || (ff_inertia_mend(inertia) && ff_inertia_round(inertia));
}

/* Whether contacts under an adhesive law are made at z = 0 and break at a fixed distance beyond it, whatever the speed. */
static bool breaks_beyond(const ff_normal *law) {
    double apart = 0, joined = 0, rate;
    if (!(law->adhesion > 0) || law->states != 1 || !law->law->touch || !law->law->leave) {
        return false;
    }
    const double reach = ff_normal_reach(law, 1);
    ff_normal_touch(law, 2, &joined);
    for (int i = -1; i <= 1; i++) {
        const double z = i * reach;
        if (law->law->gap(law, &(ff_normal_query){z, 1, &apart, false}, &rate) != z ||
            law->law->gap(law, &(ff_normal_query){z, 1, &joined, false}, &rate) != z + reach) {
            return false;
        }
    }
    return true;
}

const char *ff_crowd_obstacle(const ff_scene *scene) {
    if (scene->shapes.count != scene->bodies.count || scene->events.count > 0 ||
        scene->controllers.count > 0 || scene->control) {
        return "every body must be one sphere, and there must be no event functions or controllers";
    }
    for (size_t i = 0; i < scene->planes.count; i++) {
        if (ff_plane_moves(&scene->planes.at[i])) {
            return "no plane may have a prescribed motion";
        }
    }
    for (size_t i = 0; i < scene->shapes.count; i++) {
        const ff_shape_def *s = &scene->shapes.at[i];
        if (s->body != (int)i || !(s->radius > 0) || s->box[0] > 0 ||
            !is_round(&scene->bodies.at[i]) || ff_dot(s->center, s->center) != 0) {
            return "every body must be one sphere centred at its centre of mass";
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
        if (p->stateful || p->normal.law->rest || p->normal.states > 1 ||
            (p->normal.law->gap && !breaks_beyond(&p->normal)) ||
            (p->normal.states > 0 && !p->normal.law->touch)) {
            return "there must be no stateful ground and no law whose inner states have rates";
        }
        if (p->friction.vectors > 1 || p->friction.scalars > 0 || p->friction.turns ||
            p->friction.keeps) {
            return "friction must have at most one inner state, which is reset after a contact, "
                   "and no moment";
        }
        if (p->rolling.law || p->twist.law) {
            return "there must be no rolling and no twist";
        }
    }
    return NULL;
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

/* represented by the first of its bodies */
ff_status ff_crowd_note_strangers(ff_topology *topology, const ff_scene *scene,
                                  const ff_kinds *kinds) {
    size_t *first = ff_malloc(2 * (kinds->count + 1) * sizeof *first),
           *second = first + kinds->count;
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
                status = ff_model_note_unpaired(topology, name, scene->planes.at[w].name);
            }
        }
        for (size_t b = a; b < kinds->count && status == FF_OK; b++) {
            size_t with = a == b ? second[b] : first[b];
            if (with != SIZE_MAX && ff_kinds_pair(kinds, (int)a, (int)b) < 0) {
                group_name(scene->bodies.at[with].name, other);
                status = ff_model_note_unpaired(topology, name, other);
            }
        }
    }
    ff_free(first);
    return status;
}

ff_status ff_crowd_derive(ff_model *model, const ff_scene *scene, ff_error *error) {
    const ff_scene *defs = &model->defs;
    ff_crowd_model *c = model->crowd;
    const char *why = ff_crowd_obstacle(defs);
    if (why) {
        return ff_model_fail(error, FF_BAD_VALUE, "this scene cannot be run as a crowd: %s", why);
    }
    for (size_t i = 0; scene && i < model->body_count; i++) {
        c->radius[i] = scene->shapes.at[i].radius;
    }
    for (size_t i = 0; i < defs->planes.count; i++) {
        make_wall(&c->walls[i], &defs->planes.at[i]);
    }
    for (size_t i = 0; i < defs->pairs.count; i++) {
        const ff_pair_def *pair = &defs->pairs.at[i];
        c->classes[i] = (ff_class){.name = c->classes[i].name,
                                   .law = pair->normal,
                                   .friction = pair->friction,
                                   .slides = !pair->friction.law->nothing,
                                   .reach = ff_normal_reach(&pair->normal, 1),
                                   .graded = pair->friction.law->level != FF_LEVEL_ONE};
    }
    for (size_t i = 0; i < c->kind_count * c->kind_count; i++) {
        if (c->pair_class[i] >= 0) {
            c->classes[c->pair_class[i]].meets = true;
        }
    }
    memset(c->push, 0, 3 * model->body_count * sizeof *c->push);
    for (size_t i = 0; i < defs->forces.count; i++) {
        const ff_force_def *f = &defs->forces.at[i];
        double *push = c->push + 3 * (size_t)f->body;
        ff_add_scaled(push, 1, f->force, push);
    }
    return FF_OK;
}
