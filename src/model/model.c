/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "model.h"
#include "body/inertia.h"
#include "body/vector.h"
#include "expr/word.h"
#include <footfall/material.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- bodies ---- */

/* The shapes of one body, by index. */
typedef struct {
    const size_t *at;
    size_t count;
} shape_list;

/* What bodies are made from besides their own definition. */
typedef struct {
    size_t *shapes, *first; /* shapes by body; first[i] is where those of body i begin */
    bool *held;             /* by a spring or a joint */
} parts;

static ff_status make_parts(const ff_scene *scene, parts *out) {
    size_t bodies = scene->bodies.count;
    out->shapes = malloc((scene->shapes.count + 1) * sizeof *out->shapes);
    out->first = calloc(bodies + 2, sizeof *out->first);
    out->held = calloc(bodies + 1, sizeof *out->held);
    if (!out->shapes || !out->first || !out->held) {
        return FF_NO_MEMORY;
    }
    /* counted two places ahead, so that filling in moves each start to where it belongs */
    for (size_t i = 0; i < scene->shapes.count; i++) {
        out->first[scene->shapes.at[i].body + 2]++;
    }
    for (size_t i = 2; i <= bodies; i++) {
        out->first[i] += out->first[i - 1];
    }
    for (size_t i = 0; i < scene->shapes.count; i++) {
        out->shapes[out->first[scene->shapes.at[i].body + 1]++] = i;
    }
    for (size_t i = 0; i < scene->forces.count; i++) {
        const ff_force_def *f = &scene->forces.at[i];
        if (f->kind == FF_FORCE_SPRING) {
            out->held[f->body] = true;
            if (f->other >= 0) {
                out->held[f->other] = true;
            }
        }
    }
    for (size_t i = 0; i < scene->joints.count; i++) {
        const ff_joint_def *j = &scene->joints.at[i];
        out->held[j->second] = true;
        if (j->first >= 0) {
            out->held[j->first] = true;
        }
    }
    return FF_OK;
}

static void free_parts(parts *p) {
    free(p->shapes);
    free(p->first);
    free(p->held);
}

/* The centre of mass of a body's shapes, in the frame they are written in, and their inertia about it: each is a solid
 * of uniform density with a share m of the mass by volume. A sphere has (2/5) m r^2 + m (d^2 1 - d d^T) (Steiner), d
 * from the centre of mass to its own; a box, which lies at the origin, m (b^2 + c^2)/12. A point has none. Where
 * spheres overlap both count. */
static ff_status shape_inertia(const ff_scene *scene, size_t body, shape_list shapes,
                               double out[3][3], double centre[3], ff_error *error) {
    const ff_body_def *def = &scene->bodies.at[body];
    double volume = 0, size = 0;
    memset(out, 0, 9 * sizeof(double));
    memset(centre, 0, 3 * sizeof *centre);
    if (shapes.count > 0 && scene->shapes.at[shapes.at[0]].box[0] > 0) {
        /* eight corners are one box */
        const double *b = scene->shapes.at[shapes.at[0]].box;
        for (int i = 0; i < 3; i++) {
            double p = b[(i + 1) % 3], q = b[(i + 2) % 3];
            out[i][i] = def->mass * ((p * p + q * q) / 12);
        }
        return FF_OK;
    }
    for (size_t i = 0; i < shapes.count; i++) {
        const ff_shape_def *s = &scene->shapes.at[shapes.at[i]];
        double part = s->radius * s->radius * s->radius;
        volume += part;
        size = fmax(size, sqrt(ff_dot(s->center, s->center)));
        ff_add_scaled(centre, part, s->center, centre);
    }
    if (!(volume > 0)) {
        for (int i = 0; i < 3; i++) {
            out[i][i] = 1;
        }
        memset(centre, 0, 3 * sizeof *centre);
        return (def->locked & FF_LOCK_ROTATION) == FF_LOCK_ROTATION
                   ? FF_OK
                   : ff_model_fail(error, FF_MISSING,
                                   "body '%s' has no shape to give it an inertia: give one, or "
                                   "lock its rotation",
                                   def->name);
    }
    for (int i = 0; i < 3; i++) {
        /* what lies about the origin evenly has its centre there, whatever rounding makes of it */
        centre[i] = fabs(centre[i]) > FF_INERTIA_SAME * size * volume ? centre[i] / volume : 0;
    }
    for (size_t k = 0; k < shapes.count; k++) {
        const ff_shape_def *s = &scene->shapes.at[shapes.at[k]];
        double part = s->radius * s->radius * s->radius, d[3];
        ff_add_scaled(s->center, -1, centre, d);
        for (int i = 0; i < 3; i++) {
            for (int j = 0; j < 3; j++) {
                double turns = 0.4 * s->radius * s->radius + ff_dot(d, d);
                out[i][j] += part * ((i == j) * turns - d[i] * d[j]);
            }
        }
    }
    double most = ff_inertia_size((const double(*)[3])out);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            bool none = i != j && fabs(out[i][j]) <= FF_INERTIA_SAME * most;
            out[i][j] = none ? 0 : def->mass * out[i][j] / volume;
        }
    }
    return FF_OK;
}

/* the inverse of a symmetric positive matrix by its cofactors; false where it is not positive */
static bool invert(const double a[3][3], double out[3][3]) {
    double c[3][3];
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            int p = (j + 1) % 3, q = (j + 2) % 3, r = (i + 1) % 3, s = (i + 2) % 3;
            c[i][j] = a[p][r] * a[q][s] - a[p][s] * a[q][r];
        }
    }
    double determinant = a[0][0] * c[0][0] + a[0][1] * c[1][0] + a[0][2] * c[2][0];
    if (!(determinant > 0 && a[0][0] > 0 && a[1][1] > 0 && a[2][2] > 0)) {
        return false;
    }
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            out[i][j] = c[i][j] / determinant;
        }
    }
    return true;
}

static ff_status make_body(const ff_scene *scene, size_t i, const parts *from, ff_model_body *out,
                           ff_error *error) {
    const ff_body_def *def = &scene->bodies.at[i];
    shape_list shapes = {from->shapes + from->first[i], from->first[i + 1] - from->first[i]};
    *out = (ff_model_body){.mass = def->mass, .per_mass = 1 / def->mass, .locked = def->locked};
    if (isnan(def->inertia[0][0])) {
        ff_status status = shape_inertia(scene, i, shapes, out->inertia, out->centre, error);
        if (status < 0) {
            return status;
        }
    } else {
        memcpy(out->inertia, def->inertia, sizeof out->inertia);
        if (!ff_inertia_mend(out->inertia)) {
            return ff_model_fail(error, FF_BAD_VALUE, "inertia of body '%s' is not symmetric",
                                 def->name);
        }
    }
    out->round = ff_inertia_round(out->inertia);
    if (!invert(out->inertia, out->per_inertia)) {
        return ff_model_fail(error, FF_BAD_VALUE, "inertia of body '%s' is not positive",
                             def->name);
    }
    out->free_turning = out->round && !from->held[i];
    for (size_t j = 0; j < shapes.count; j++) {
        double off[3];
        ff_add_scaled(scene->shapes.at[shapes.at[j]].center, -1, out->centre, off);
        out->free_turning = out->free_turning && ff_dot(off, off) == 0;
    }
    unsigned turns = def->locked & FF_LOCK_ROTATION;
    if (turns && turns != FF_LOCK_ROTATION && !out->round) {
        return ff_model_fail(
            error, FF_BAD_VALUE,
            "body '%s': single rotations can be locked only for inertia that is equal "
            "about all axes",
            def->name);
    }
    double norm = sqrt(def->orientation[0] * def->orientation[0] +
                       ff_dot(def->orientation + 1, def->orientation + 1));
    if (!(norm > 0)) {
        return ff_model_fail(error, FF_BAD_VALUE, "orientation of body '%s' is 0", def->name);
    }
    for (int j = 0; j < 4; j++) {
        out->start[FF_Q + j] = def->orientation[j] / norm;
    }
    memcpy(out->start + FF_P, def->position, sizeof def->position);
    memcpy(out->start + FF_VEL, def->velocity, sizeof def->velocity);
    memcpy(out->start + FF_OMEGA, def->omega, sizeof def->omega);
    if (ff_dot(out->centre, out->centre) > 0) {
        /* written is the origin of the frame; what moves is the centre of mass */
        double turn[3][3], arm[3], swing[3];
        ff_rotation(out->start + FF_Q, turn);
        ff_rotate(turn, out->centre, arm);
        ff_cross(def->omega, arm, swing);
        ff_add_scaled(out->start + FF_P, 1, arm, out->start + FF_P);
        ff_add_scaled(out->start + FF_VEL, 1, swing, out->start + FF_VEL);
    }
    for (int axis = 0; axis < 3; axis++) {
        if (((def->locked >> axis & 1) && out->start[FF_VEL + axis] != 0) ||
            ((def->locked >> (axis + 3) & 1) && def->omega[axis] != 0)) {
            return ff_model_fail(error, FF_BAD_VALUE,
                                 "body '%s' starts with a velocity along a locked axis", def->name);
        }
    }
    out->name = ff_word_copy(def->name);
    return out->name ? FF_OK : FF_NO_MEMORY;
}

/* ---- pairs ---- */

/* Whether the force of a free impact ends before z = 0: a ground that comes up ever more slowly is left by a body of any
 * speed. */
static bool ends_early(const ff_normal *law) {
    double loss;
    if (!law->clamps || law->states > 0 || !law->law->recover) {
        return false;
    }
    double fast = law->law->recover(law, 1e-6, 0, &loss),
           slow = law->law->recover(law, 1e-9, 0, &loss);
    return isfinite(fast) && slow > fast;
}

/* Its inner states, and which of its accounts can be other than 0. */
static void lay_out_slot(ff_slot *slot) {
    const bool sprung = slot->slides && slot->friction.vectors > 0;
    const bool wanted[FF_CONTACT_INTEGRALS] = {
        [FF_NORMAL_DAMPER] = true,       [FF_TANGENTIAL_DAMPER] = sprung,
        [FF_SLIP_LOSS] = slot->slides,   [FF_VISCOUS] = sprung,
        [FF_GRADED_WORK] = slot->graded, [FF_PLANE_WORK] = ff_dot(slot->skin, slot->skin) > 0};
    int count = 0;
    slot->states = slot->law.states + 3 * slot->friction.vectors + slot->stateful;
    for (int k = 0; k < FF_CONTACT_INTEGRALS; k++) {
        slot->integral[k] = wanted[k] ? count++ : -1;
    }
}

static ff_status name_slot(ff_slot *slot, const char *a, const char *a_shape, const char *b,
                           const char *b_shape) {
    size_t size = strlen(a) + strlen(b) + (a_shape ? strlen(a_shape) : 0) +
                  (b_shape ? strlen(b_shape) : 0) + 4;
    slot->name = malloc(size);
    if (!slot->name) {
        return FF_NO_MEMORY;
    }
    snprintf(slot->name, size, "%s%s%s/%s%s%s", a, a_shape ? "." : "", a_shape ? a_shape : "", b,
             b_shape ? "." : "", b_shape ? b_shape : "");
    return FF_OK;
}

ff_status ff_model_note_unpaired(ff_model *model, const char *a, const char *b) {
    enum { most = 100 };
    char name[200];
    if (model->unpaired_count == most) {
        return FF_OK;
    }
    snprintf(name, sizeof name, "%.90s/%.90s", a, b);
    for (size_t i = 0; i < model->unpaired_count; i++) {
        if (strcmp(model->unpaired[i], name) == 0) {
            return FF_OK;
        }
    }
    if (!model->unpaired && !(model->unpaired = calloc(most, sizeof *model->unpaired))) {
        return FF_NO_MEMORY;
    }
    model->unpaired[model->unpaired_count] = ff_word_copy(name);
    return model->unpaired[model->unpaired_count++] ? FF_OK : FF_NO_MEMORY;
}

static ff_status add_slot(ff_model *model, const ff_scene *scene, const ff_kinds *kinds, size_t i,
                          int other_shape, int plane, ff_error *error) {
    const ff_shape_def *s = &scene->shapes.at[i],
                       *o = other_shape < 0 ? NULL : &scene->shapes.at[other_shape];
    const ff_plane_def *ground = plane < 0 ? NULL : &scene->planes.at[plane];
    const char *a = scene->bodies.at[s->body].name,
               *b = o ? scene->bodies.at[o->body].name : ground->name;
    int kind = kinds->shape[i], with = o ? kinds->shape[other_shape] : kinds->plane[plane];
    int pair = ff_kinds_pair(kinds, kind, with);
    bool swapped = ff_kinds_swapped(kinds, kind, with);
    if (pair == FF_NO_PAIR) {
        return ff_model_note_unpaired(model, a, b);
    }
    if (pair == FF_TWO_PAIRS) {
        return ff_model_fail(error, FF_BAD_VALUE, "two pairs fit '%s' and '%s' equally well", a, b);
    }
    const ff_pair_def *def = &scene->pairs.at[pair];
    if (o && (s->radius == 0 || o->radius == 0 || s->box[0] > 0 || o->box[0] > 0)) {
        return ff_model_fail(error, FF_BAD_VALUE,
                             "there is no contact between '%s' and '%s': only spheres meet spheres",
                             a, b);
    }
    if (o && swapped) {
        /* the first name of the pair is the first thing */
        const ff_shape_def *t = s;
        s = o;
        o = t;
        a = scene->bodies.at[s->body].name;
        b = scene->bodies.at[o->body].name;
    }
    ff_slot *slot = &model->slots[model->slot_count++];
    *slot = (ff_slot){.body = s->body,
                      .other = o ? o->body : -1,
                      .radius = s->radius,
                      .other_radius = o ? o->radius : 0,
                      .law = def->normal,
                      .friction = def->friction,
                      .both = ff_pair_find(&def->normal, &def->friction),
                      .slides = !def->friction.law->nothing,
                      .filtered = def->normal.law->gap,
                      .rests = def->normal.law->rest,
                      .turns = def->friction.law->turns,
                      .graded = def->friction.law->level != FF_LEVEL_ONE && !def->friction.lifts,
                      .share = !o && def->lever == FF_LEVER_DEFORMED ? 1 : 0,
                      .clock = ff_normal_clock(&def->normal)};
    slot->gated = ff_dot(def->ignored_while_turning, def->ignored_while_turning) > 0;
    memcpy(slot->gate, def->ignored_while_turning, sizeof slot->gate);
    ff_add_scaled(s->center, -1, model->bodies[s->body].centre, slot->center);
    if (o) {
        ff_add_scaled(o->center, -1, model->bodies[o->body].centre, slot->other_center);
        slot->share = ff_radius(s->radius, o->radius) / s->radius;
    } else if (ground) {
        memcpy(slot->normal, ground->normal, sizeof slot->normal);
        slot->level = slot->radius + ff_dot(ground->point, ground->normal);
        slot->rise = ff_dot(ground->velocity, ground->normal);
        ff_plane_skin(ground, slot->skin);
    }
    slot->extent = fabs(slot->level) + slot->radius + slot->other_radius;
    for (int c = 0; c < 3; c++) {
        slot->extent += fabs(slot->center[c]) + fabs(slot->other_center[c]);
    }
    slot->stateful = def->stateful;
    if (slot->gated && def->normal.law->rest) {
        return ff_model_fail(error, FF_BAD_VALUE,
                             "pair '%s'/'%s': a law whose inner state goes on in the air cannot be "
                             "ignored while a body turns",
                             a, b);
    }
    if (def->stateful && !ends_early(&slot->law)) {
        return ff_model_fail(
            error, FF_BAD_VALUE,
            "pair '%s'/'%s': a stateful ground needs a law whose force ends before z = 0: "
            "p < n, damping, clamp",
            a, b);
    }
    lay_out_slot(slot);
    return name_slot(slot, a, s->name, b, o ? o->name : NULL);
}

void ff_plane_skin(const ff_plane_def *plane, double out[3]) {
    double across = ff_dot(plane->surface_velocity, plane->normal);
    ff_add_scaled(plane->velocity, 1, plane->surface_velocity, out);
    ff_add_scaled(out, -across, plane->normal, out);
}

/* how many pairs of shapes, and of shapes and planes, have an entry */
static double count_pairs(const ff_scene *scene, const ff_kinds *kinds, bool *memory) {
    double *shapes = calloc(2 * kinds->count + 1, sizeof *shapes), *planes, total = 0;
    *memory = shapes;
    if (!shapes) {
        return 0;
    }
    planes = shapes + kinds->count;
    for (size_t i = 0; i < scene->shapes.count; i++) {
        shapes[kinds->shape[i]]++;
    }
    for (size_t i = 0; i < scene->planes.count; i++) {
        planes[kinds->plane[i]]++;
    }
    for (size_t a = 0; a < kinds->count; a++) {
        for (size_t b = 0; b < kinds->count; b++) {
            double ways = a == b  ? shapes[a] * (shapes[a] - 1) / 2
                          : a < b ? shapes[a] * shapes[b]
                                  : 0;
            bool paired = kinds->pair[a * kinds->count + b] != FF_NO_PAIR;
            total += paired ? ways + shapes[a] * planes[b] : 0;
        }
    }
    free(shapes);
    return total;
}

static ff_status make_slots(ff_model *model, const ff_scene *scene, const ff_kinds *kinds,
                            size_t most, ff_error *error) {
    size_t shapes = scene->shapes.count;
    model->slots = calloc(most + 1, sizeof *model->slots);
    if (!model->slots) {
        return FF_NO_MEMORY;
    }
    ff_status status = FF_OK;
    for (size_t i = 0; i < shapes && status == FF_OK; i++) {
        for (size_t j = 0; j < scene->planes.count && status == FF_OK; j++) {
            status = add_slot(model, scene, kinds, i, -1, (int)j, error);
        }
        for (size_t j = i + 1; j < shapes && status == FF_OK; j++) {
            if (scene->shapes.at[i].body != scene->shapes.at[j].body) {
                status = add_slot(model, scene, kinds, i, (int)j, -1, error);
            }
        }
    }
    return status;
}

static bool wants_crowd(const ff_scene *scene, double pairs) {
    const ff_run_options *run = &scene->run;
    return pairs > FF_SLOTS_USUAL && !run->events && scene->joints.count == 0 &&
           (run->method == FF_VERLET || run->method == FF_SEMI_IMPLICIT);
}

double ff_model_pairs(const ff_scene *scene, bool *crowd) {
    ff_kinds kinds;
    ff_error error;
    bool memory;
    if (ff_kinds_make(scene, &kinds, &error) < 0) {
        *crowd = false;
        return 0;
    }
    double pairs = count_pairs(scene, &kinds, &memory);
    *crowd = wants_crowd(scene, pairs);
    ff_kinds_free(&kinds);
    return pairs;
}

/* Slots of their own for every pair, or a crowd. */
static ff_status make_contacts(ff_model *model, const ff_scene *scene, ff_error *error) {
    ff_kinds kinds;
    bool memory;
    ff_status status = ff_kinds_make(scene, &kinds, error);
    if (status < 0) {
        return status;
    }
    double pairs = count_pairs(scene, &kinds, &memory);
    if (!memory) {
        status = FF_NO_MEMORY;
    } else if (wants_crowd(scene, pairs)) {
        status = ff_crowd_model_make(model, scene, &kinds, error);
        if (status == FF_BAD_VALUE && pairs <= FF_SLOTS_MOST) {
            status = make_slots(model, scene, &kinds, (size_t)pairs, error);
        }
    } else if (pairs > FF_SLOTS_MOST) {
        status = ff_model_fail(
            error, FF_BAD_VALUE,
            "%.0f pairs may touch, and events can be located among at most %d: use run: {events: "
            "none, method: verlet, dt: ..}",
            pairs, FF_SLOTS_MOST);
    } else {
        status = make_slots(model, scene, &kinds, (size_t)pairs, error);
    }
    ff_kinds_free(&kinds);
    return status;
}

/* ---- forces ---- */

/* a force with memory of its own */
static ff_status make_force(ff_model *model, const ff_force_def *def) {
    ff_force_def *out = &model->forces[model->force_count++];
    size_t size = def->points * sizeof(double);
    *out = *def;
    out->name = ff_word_copy(def->name);
    if (def->kind == FF_FORCE_SPRING) {
        ff_add_scaled(def->anchor, -1, model->bodies[def->body].centre, out->anchor);
        if (def->other >= 0) {
            ff_add_scaled(def->other_anchor, -1, model->bodies[def->other].centre,
                          out->other_anchor);
        }
    }
    out->times = out->factors = NULL;
    if (size > 0) {
        double *memory = malloc(2 * size);
        if (memory) {
            memcpy(memory, def->times, size);
            memcpy(memory + def->points, def->factors, size);
            out->times = memory;
            out->factors = memory + def->points;
        }
    }
    return out->name && (size == 0 || out->times) ? FF_OK : FF_NO_MEMORY;
}

/* ---- the model ---- */

/* Where everything is in y. */
static ff_status lay_out(ff_model *model) {
    size_t at = 0;
    model->body_at = malloc((model->body_count + 1) * sizeof *model->body_at);
    if (!model->body_at) {
        return FF_NO_MEMORY;
    }
    for (size_t i = 0; i < model->body_count; i++) {
        model->body_at[i] = at;
        if (ff_articulated(model)) {
            ff_link *l = &model->tree->links[i];
            l->at = at;
            at += (size_t)(l->coordinates + l->speeds);
        } else {
            at += FF_BODY_STRIDE;
        }
    }
    for (size_t i = 0; i < model->joint_count; i++) {
        ff_joint *j = &model->joints[i];
        if (j->rubs && j->friction.vectors > 0) {
            j->bristle = (int)at++;
            model->bristles++;
        }
    }
    model->slot_at = at;
    for (size_t i = 0; i < model->slot_count; i++) {
        model->slots[i].state_at = at;
        at += (size_t)model->slots[i].states;
    }
    model->states = model->integral_at = at;
    for (size_t i = 0; i < model->slot_count; i++) {
        ff_slot *slot = &model->slots[i];
        slot->integral_at = at;
        model->graded = model->graded || slot->graded;
        model->turns = model->turns || slot->turns;
        for (int k = 0; k < FF_CONTACT_INTEGRALS; k++) {
            at += slot->integral[k] >= 0;
        }
    }
    model->run_at = at;
    model->size = model->run_at + (model->tree              ? FF_RUN_INTEGRALS
                                   : model->force_count > 0 ? FF_CONSTRAINT_WORK
                                                            : 0);
    model->scales = malloc(model->size * sizeof *model->scales);
    model->first = calloc(model->size, sizeof *model->first);
    model->inert = calloc(model->size, sizeof *model->inert);
    model->speed = malloc(model->size * sizeof *model->speed);
    return model->scales && model->first && model->inert && model->speed ? FF_OK : FF_NO_MEMORY;
}

ff_status ff_model_compile(const ff_scene *scene, ff_model **out, ff_error *error) {
    ff_model *model = calloc(1, sizeof *model);
    parts from = {0};
    ff_status status = model ? make_parts(scene, &from) : FF_NO_MEMORY;
    if (status == FF_OK) {
        memcpy(model->gravity, scene->gravity, sizeof model->gravity);
        model->run = scene->run;
        model->bodies = calloc(scene->bodies.count + 1, sizeof *model->bodies);
        model->forces = calloc(scene->forces.count + 1, sizeof *model->forces);
        model->events = calloc(scene->events.count + 1, sizeof *model->events);
        status = model->bodies && model->forces && model->events ? FF_OK : FF_NO_MEMORY;
    }
    for (size_t i = 0; i < scene->bodies.count && status == FF_OK; i++) {
        model->body_count++;
        status = make_body(scene, i, &from, &model->bodies[i], error);
    }
    free_parts(&from);
    if (status == FF_OK) {
        status = ff_joints_make(model, scene, error);
    }
    if (status == FF_OK) {
        status = make_contacts(model, scene, error);
    }
    for (size_t i = 0; i < scene->forces.count && status == FF_OK; i++) {
        status = make_force(model, &scene->forces.at[i]);
    }
    for (size_t i = 0; i < scene->events.count && status == FF_OK; i++) {
        model->events[model->event_count++] = scene->events.at[i];
    }
    if (status == FF_OK) {
        status = lay_out(model);
    }
    if (status == FF_OK) {
        *out = model;
    } else {
        ff_model_free(model);
    }
    return status;
}

void ff_model_free(ff_model *model) {
    if (!model) {
        return;
    }
    for (size_t i = 0; i < model->body_count; i++) {
        free(model->bodies[i].name);
    }
    for (size_t i = 0; i < model->slot_count; i++) {
        free(model->slots[i].name);
    }
    for (size_t i = 0; i < model->force_count; i++) {
        free((char *)model->forces[i].name);
        free((double *)model->forces[i].times);
    }
    for (size_t i = 0; i < model->unpaired_count; i++) {
        free(model->unpaired[i]);
    }
    ff_crowd_model_free(model->crowd);
    ff_joints_free(model);
    free(model->body_at);
    free(model->unpaired);
    free(model->bodies);
    free(model->slots);
    free(model->forces);
    free(model->events);
    free(model->scales);
    free(model->extents);
    free(model->first);
    free(model->inert);
    free(model->speed);
    if (model->free_source) {
        model->free_source(model->source);
    }
    free(model);
}

const ff_run_options *ff_model_run(const ff_model *model) { return &model->run; }

size_t ff_model_body_count(const ff_model *model) { return model->body_count; }

const char *ff_model_body_name(const ff_model *model, size_t body) {
    return model->bodies[body].name;
}

size_t ff_model_contact_count(const ff_model *model) { return model->slot_count; }

const char *ff_model_contact_name(const ff_model *model, size_t contact) {
    return model->slots[contact].name;
}

size_t ff_model_unpaired_count(const ff_model *model) { return model->unpaired_count; }

const char *ff_model_unpaired_name(const ff_model *model, size_t i) { return model->unpaired[i]; }

ff_body_facts ff_model_body_facts(const ff_model *model, size_t body) {
    const ff_model_body *b = &model->bodies[body];
    return (ff_body_facts){.mass = b->mass,
                           .inertia = {b->inertia[0][0], b->inertia[1][1], b->inertia[2][2]},
                           .products = {b->inertia[0][1], b->inertia[0][2], b->inertia[1][2]},
                           .center = {b->centre[0], b->centre[1], b->centre[2]},
                           .length_scale = model->extents[body].length,
                           .speed_scale = model->extents[body].speed};
}

ff_contact_facts ff_model_contact_facts(const ff_model *model, size_t contact) {
    const ff_slot *slot = &model->slots[contact];
    double mass = model->bodies[slot->body].mass;
    double speed = model->extents[slot->body].speed;
    if (slot->other >= 0) {
        mass = ff_mass(mass, model->bodies[slot->other].mass);
        speed = fmax(speed, model->extents[slot->other].speed);
    }
    return (ff_contact_facts){&slot->law, &slot->friction, mass, speed,
                              slot->gated ? slot->gate : NULL};
}

size_t ff_model_class_count(const ff_model *model) {
    return model->crowd ? model->crowd->class_count : 0;
}

const char *ff_model_class_name(const ff_model *model, size_t index) {
    return model->crowd->classes[index].name;
}

/* the two lightest bodies and the fastest one: the shortest impact */
ff_contact_facts ff_model_class_facts(const ff_model *model, size_t index) {
    const ff_crowd_model *c = model->crowd;
    double lightest = INFINITY, speed = 0;
    bool bodies = false;
    for (size_t i = 0; i < c->kind_count * c->kind_count; i++) {
        bodies = bodies || c->pair_class[i] == (int)index;
    }
    for (size_t i = 0; i < model->body_count; i++) {
        lightest = fmin(lightest, model->bodies[i].mass);
        speed = fmax(speed, model->extents[i].speed);
    }
    return (ff_contact_facts){.normal = &c->classes[index].law,
                              .friction = &c->classes[index].friction,
                              .mass = bodies ? lightest / 2 : lightest,
                              .speed = speed};
}
