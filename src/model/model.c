/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "model.h"
#include "body/inertia.h"
#include "body/vector.h"
#include <footfall/material.h>
#include <string.h>

/* ---- bodies ---- */

/* The shapes of one body, by index. */
typedef struct {
    const size_t *at;
    size_t count;
} shape_list;

/* The centre of mass of a body's shapes, in the frame in which they are given, and their inertia about it: each is a solid
 * of uniform density with a share m of the mass in proportion to its volume. A sphere has (2/5) m r^2 + m (d^2 1 - d d^T)
 * (Steiner), with d from the centre of mass to its own; a box, centred at the origin, m (b^2 + c^2)/12; a point nothing.
 * Overlaps count twice. */
static ff_status shape_inertia(const ff_scene *scene, size_t body, shape_list shapes,
                               double out[3][3], double centre[3], ff_error *error) {
    const ff_body_def *def = &scene->bodies.at[body];
    double volume = 0, size = 0;
    memset(out, 0, 9 * sizeof(double));
    memset(centre, 0, 3 * sizeof *centre);
    if (shapes.count > 0 && scene->shapes.at[shapes.at[0]].box[0] > 0) {
        /* eight corners form one box */
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
                                   "body '%s' has no shape to compute its inertia from: give "
                                   "inertia, or lock its rotation",
                                   def->name);
    }
    for (int i = 0; i < 3; i++) {
        /* a symmetric arrangement about the origin has its centre exactly there, whatever the rounding */
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

/* inverse of a symmetric positive definite matrix by cofactors; false if it is not positive definite */
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

static ff_status derive_body(ff_model *model, const ff_scene *scene, size_t i, ff_error *error) {
    const ff_body_def *def = &scene->bodies.at[i];
    const ff_topology *from = model->topology;
    ff_model_body *out = &model->bodies[i];
    const bool turned_freely = out->free_turning;
    shape_list shapes = {from->shapes + from->first[i], from->first[i + 1] - from->first[i]};
    *out = (ff_model_body){
        .name = out->name, .mass = def->mass, .per_mass = 1 / def->mass, .locked = def->locked};
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
    if (model->derived && out->free_turning != turned_freely) {
        return ff_model_fail(error, FF_BAD_VALUE,
                             "the orientation of body '%s' would %s: make a new model from a scene",
                             def->name, turned_freely ? "begin to matter" : "no longer matter");
    }
    unsigned turns = def->locked & FF_LOCK_ROTATION;
    if (turns && turns != FF_LOCK_ROTATION && !out->round) {
        return ff_model_fail(
            error, FF_BAD_VALUE,
            "body '%s': a single rotation can be locked only if all moments of inertia are equal",
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
        /* the scene gives the origin of the frame; the state is that of the centre of mass */
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
    return FF_OK;
}

/* ---- contacts ---- */

/* Whether the force of a free impact ends before z = 0: a ground that recovers more and more slowly is left by a body at
 * any speed. */
static bool ends_early(const ff_normal *law) {
    double loss;
    if (!law->clamps || law->states > 0 || !law->law->recover) {
        return false;
    }
    double fast = law->law->recover(law, 1e-6, 0, &loss),
           slow = law->law->recover(law, 1e-9, 0, &loss);
    return isfinite(fast) && slow > fast;
}

/* Lays out its inner states and those accounts that can be nonzero: a belt may be at rest for a while. */
static void lay_out_slot(ff_slot *slot, bool belt) {
    const bool sprung = slot->slides && (slot->friction.vectors > 0 || slot->resists);
    const bool wanted[FF_CONTACT_INTEGRALS] = {
        [FF_NORMAL_DAMPER] = true,
        [FF_TANGENTIAL_DAMPER] = sprung,
        [FF_SLIP_LOSS] = slot->slides,
        [FF_VISCOUS] = sprung,
        [FF_GRADED_WORK] = slot->graded,
        [FF_PLANE_WORK] = belt || ff_dot(slot->skin, slot->skin) > 0};
    int count = 0;
    slot->states = slot->law.states + ff_slot_u_states(slot) + slot->stateful;
    for (int k = 0; k < FF_CONTACT_INTEGRALS; k++) {
        slot->integral[k] = wanted[k] ? count++ : -1;
    }
}

/* A slot from its definitions, except for its position in y. */
static void make_slot(const ff_model *model, const ff_slot_source *from, ff_slot *slot) {
    const ff_scene *scene = &model->defs;
    const ff_shape_def *s = &scene->shapes.at[from->shape],
                       *o = from->other < 0 ? NULL : &scene->shapes.at[from->other];
    const ff_plane_def *ground = from->plane < 0 ? NULL : &scene->planes.at[from->plane];
    const ff_pair_def *def = &scene->pairs.at[from->pair];
    const bool resists = def->rolling.law || def->twist.law;
    *slot = (ff_slot){.name = slot->name,
                      .pair = from->pair,
                      .body = s->body,
                      .other = o ? o->body : -1,
                      .radius = s->radius,
                      .other_radius = o ? o->radius : 0,
                      .law = def->normal,
                      .friction = def->friction,
                      .both = ff_pair_find(&def->normal, &def->friction),
                      .slides = !def->friction.law->nothing || resists,
                      .kinked = def->normal.kinked,
                      .filtered = def->normal.law->gap,
                      .rests = def->normal.law->rest,
                      .turns = def->friction.turns || resists,
                      .resists = resists,
                      .lifts = def->friction.lifts || def->rolling.lifts,
                      .rolling = def->rolling,
                      .twist = def->twist,
                      .arm = def->arm,
                      .arm_length = def->arm_length,
                      .graded = def->friction.law->level != FF_LEVEL_ONE && !def->friction.lifts,
                      .share = !o && def->lever == FF_LEVER_DEFORMED ? 1 : 0,
                      .clock = ff_normal_clock(&def->normal)};
    slot->gated = ff_dot(def->ignored_while_turning, def->ignored_while_turning) > 0;
    memcpy(slot->gate, def->ignored_while_turning, sizeof slot->gate);
    ff_add_scaled(s->center, -1, model->bodies[s->body].centre, slot->center);
    if (o) {
        ff_add_scaled(o->center, -1, model->bodies[o->body].centre, slot->other_center);
        slot->share = ff_reduced_radius(s->radius, o->radius) / s->radius;
    } else if (ground) {
        memcpy(slot->normal, ground->normal, sizeof slot->normal);
        slot->level = slot->radius + ff_dot(ground->point, ground->normal);
        slot->rise = ff_dot(ground->velocity, ground->normal);
        ff_plane_skin(ground, slot->skin);
        slot->motion = ff_laws_of_plane(&model->topology->controls, (size_t)from->plane);
    }
    slot->extent = fabs(slot->level) + slot->radius + slot->other_radius;
    slot->centred =
        ff_dot(slot->center, slot->center) + ff_dot(slot->other_center, slot->other_center) == 0;
    for (int c = 0; c < 3; c++) {
        slot->extent += fabs(slot->center[c]) + fabs(slot->other_center[c]);
    }
    slot->stateful = def->stateful;
    lay_out_slot(slot, ground && model->topology->belt[from->plane]);
}

void ff_model_slot(const ff_model *model, size_t contact, ff_slot *out) {
    if (model->open) {
        out->name = model->topology->contact_names[contact];
        make_slot(model, &model->topology->sources[contact], out);
    } else {
        *out = model->slots[contact];
    }
}

const char *ff_turning_obstacle(const ff_friction *law, bool rolling) {
    return law->turns && rolling && law->vectors + law->scalars > 0
               ? "it has inner states beside a moment"
           : law->turns && rolling                ? NULL
           : law->turns                           ? "it answers with a moment by itself"
           : law->vectors > 1 || law->scalars > 0 ? "it has more inner states than one deflection"
           : law->vectors > 0 && law->law->level == FF_LEVEL_LOAD
               ? "the stiffness of its springs is in proportion to the load"
           : law->lifts || law->keeps ? "it lifts, or keeps its deflection between contacts"
                                      : NULL;
}

/* Whether a law of the normal law's own bed has the numbers of that. */
static bool is_bed_of(const ff_friction *law, const ff_normal *normal) {
    ff_power p;
    ff_surroundings with = {NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN};
    double values[FF_LAW_PARAMS];
    if (!ff_normal_power(normal, 1, &p) || normal->states > 0) {
        return false;
    }
    with.k = p.k;
    with.n = p.n;
    with.lambda = p.lambda;
    with.local_tau = ff_power_local_tau(&p);
    for (int i = 0; i < FF_LAW_PARAMS; i++) {
        values[i] = (double)NAN;
    }
    law->law->surround(&with, values);
    for (int i = 0; law->law->params[i].name; i++) {
        /* what was written with few digits is the same number */
        if (!(fabs(values[i] - law->values[i]) <= 1e-12 * fabs(law->values[i]))) {
            return false;
        }
    }
    return true;
}

/* FF_BAD_VALUE, with the reason, where laws of rolling and twist do not fit. */
static ff_status check_turning(const ff_pair_def *def, ff_error *error) {
    const char *why = def->rolling.law ? ff_turning_obstacle(&def->rolling, true) : NULL;
    const bool rolling = why;
    why = why || !def->twist.law ? why : ff_turning_obstacle(&def->twist, false);
    if (why) {
        return ff_model_fail(error, FF_BAD_VALUE, "pair '%s'/'%s': '%s' cannot be a law of %s: %s",
                             def->a, def->b, (rolling ? &def->rolling : &def->twist)->law->name,
                             rolling ? "rolling" : "twist", why);
    }
    if (def->friction.law->of_normal) {
        return ff_model_fail(error, FF_BAD_VALUE,
                             "pair '%s'/'%s': '%s' is a law of rolling, not of friction", def->a,
                             def->b, def->friction.law->name);
    }
    if (def->rolling.law && def->rolling.law->of_normal &&
        !is_bed_of(&def->rolling, &def->normal)) {
        return ff_model_fail(error, FF_BAD_VALUE,
                             "pair '%s'/'%s': rolling by '%s' needs a normal law with n = 3/2, "
                             "p = 1/2 and detach: local, and its k and tau",
                             def->a, def->b, def->rolling.law->name);
    }
    if (def->stateful && (def->rolling.law || def->twist.law)) {
        return ff_model_fail(error, FF_BAD_VALUE,
                             "pair '%s'/'%s': a stateful ground has no rolling and no twist",
                             def->a, def->b);
    }
    return FF_OK;
}

/* FF_BAD_VALUE, with the reason, if two things cannot touch in this way. */
static ff_status check_slot(const ff_model *model, const ff_slot_source *from, const ff_slot *slot,
                            ff_error *error) {
    const ff_scene *scene = &model->defs;
    const ff_shape_def *s = &scene->shapes.at[from->shape],
                       *o = from->other < 0 ? NULL : &scene->shapes.at[from->other];
    const ff_pair_def *def = &scene->pairs.at[from->pair];
    if (o && (s->radius == 0 || o->radius == 0 || s->box[0] > 0 || o->box[0] > 0)) {
        return ff_model_fail(
            error, FF_BAD_VALUE,
            "there is no contact between '%s' and '%s': only spheres can touch spheres",
            scene->bodies.at[s->body].name, scene->bodies.at[o->body].name);
    }
    if (slot->gated && def->normal.law->rest) {
        return ff_model_fail(error, FF_BAD_VALUE,
                             "pair '%s'/'%s': a law whose inner state evolves without contact "
                             "cannot be ignored while a body turns",
                             def->a, def->b);
    }
    if (slot->filtered && slot->law.adhesion > 0 &&
        (slot->gated || slot->friction.lifts || slot->friction.law->covers)) {
        const bool own = !slot->gated;
        return ff_model_fail(
            error, FF_BAD_VALUE,
            "pair '%s'/'%s': %s%s%s does not go beside '%s', which holds a contact "
            "beyond z = 0",
            def->a, def->b,
            !own                         ? "ignored_while_turning"
            : slot->friction.law->covers ? "friction '"
                                         : "a passive spring of friction '",
            own ? slot->friction.law->name : "",
            !own                         ? ""
            : slot->friction.law->covers ? "', which goes by the depth of its elements,"
                                         : "'",
            def->normal.law->name);
    }
    if (def->stateful && !ends_early(&slot->law)) {
        return ff_model_fail(
            error, FF_BAD_VALUE,
            "pair '%s'/'%s': a stateful ground needs a law whose force ends before z = 0: "
            "p < n, damping, clamp",
            def->a, def->b);
    }
    return check_turning(def, error);
}

bool ff_slot_same_layout(const ff_slot *a, const ff_slot *b) {
    return a->states == b->states && a->law.clamps == b->law.clamps && a->kinked == b->kinked &&
           memcmp(a->integral, b->integral, sizeof a->integral) == 0;
}

/* Changed numbers must not change the layout. */
static ff_status check_layout(const ff_model *model, const ff_slot *before, const ff_slot *slot,
                              const char *name, ff_error *error) {
    if (model->derived && !ff_slot_same_layout(before, slot)) {
        return ff_model_fail(error, FF_BAD_VALUE,
                             "contact '%s' would have different inner states, accounts or events: "
                             "make a new model from a scene",
                             name);
    }
    return FF_OK;
}

static ff_status derive_slot(ff_model *model, size_t i, ff_error *error) {
    const ff_slot_source *from = &model->topology->sources[i];
    ff_slot *slot = &model->slots[i];
    const ff_slot before = *slot;
    make_slot(model, from, slot);
    ff_status status = check_slot(model, from, slot, error);
    return status < 0 ? status : check_layout(model, &before, slot, slot->name, error);
}

/* For an open model: whether all its contacts can be slots, whose layout follows from their pair. */
static ff_status derive_open(ff_model *model, ff_error *error) {
    const ff_topology *t = model->topology;
    ff_status status = FF_OK;
    for (size_t i = 0; i < model->defs.pairs.count; i++) {
        model->prototypes[i].name = NULL;
    }
    for (size_t i = 0; i < model->contact_count && status == FF_OK; i++) {
        const ff_slot_source *from = &t->sources[i];
        ff_slot *slot = &model->prototypes[from->pair];
        const bool first = !slot->name;
        if (first) {
            const ff_slot before = *slot;
            ff_model_slot(model, i, slot);
            status = check_layout(model, &before, slot, slot->name, error);
        }
        /* shapes do not change, but laws may */
        if (status == FF_OK && (first || !model->derived)) {
            status = check_slot(model, from, slot, error);
        }
    }
    for (size_t i = 0; i < model->defs.planes.count && status == FF_OK; i++) {
        double skin[3];
        ff_plane_skin(&model->defs.planes.at[i], skin);
        if (model->derived && !t->belt[i] && ff_dot(skin, skin) > 0) {
            status = ff_model_fail(
                error, FF_BAD_VALUE,
                "contacts with '%s' would have a different account: make a new model from a scene",
                model->defs.planes.at[i].name);
        }
    }
    return status;
}

void ff_plane_skin(const ff_plane_def *plane, double out[3]) {
    double across = ff_dot(plane->surface_velocity, plane->normal);
    ff_add_scaled(plane->velocity, 1, plane->surface_velocity, out);
    ff_add_scaled(out, -across, plane->normal, out);
}

/* ---- forces ---- */

/* anchors of springs relative to the centres of mass */
static void derive_force(ff_model *model, size_t i) {
    const ff_force_def *def = &model->defs.forces.at[i];
    ff_force_def *out = &model->forces[i];
    *out = *def;
    if (def->kind == FF_FORCE_SPRING) {
        ff_add_scaled(def->anchor, -1, model->bodies[def->body].centre, out->anchor);
        if (def->other >= 0) {
            ff_add_scaled(def->other_anchor, -1, model->bodies[def->other].centre,
                          out->other_anchor);
        }
    }
}

/* ---- the model ---- */

/* Positions of everything in y. */
static void lay_out(ff_model *model) {
    size_t at = 0;
    model->bristles = 0;
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
        for (int c = 0; c < j->coordinates; c++) {
            if (j->along[c].has_friction && j->along[c].friction.vectors > 0) {
                j->along[c].bristle = (int)at++;
                model->bristles++;
            }
        }
    }
    model->control_at = at;
    model->slot_at = at + model->topology->controls.states;
    ff_model_lay_out_slots(model);
}

void ff_model_lay_out_slots(ff_model *model) {
    size_t at = model->slot_at;
    for (size_t i = 0; i < model->slot_count; i++) {
        model->slots[i].state_at = at;
        at += (size_t)model->slots[i].states;
    }
    model->states = model->integral_at = at;
    model->graded = model->turns = false;
    for (size_t i = 0; model->open && i < model->defs.pairs.count; i++) {
        model->graded = model->graded || model->prototypes[i].graded;
        model->turns = model->turns || ff_slot_by_differences(&model->prototypes[i]);
    }
    for (size_t i = 0; i < model->slot_count; i++) {
        ff_slot *slot = &model->slots[i];
        slot->integral_at = at;
        model->graded = model->graded || slot->graded;
        model->turns = model->turns || ff_slot_by_differences(slot);
        for (int k = 0; k < FF_CONTACT_INTEGRALS; k++) {
            at += slot->integral[k] >= 0;
        }
    }
    model->run_at = at;
    model->size = model->run_at + (model->tree              ? FF_RUN_INTEGRALS
                                   : model->force_count > 0 ? FF_CONSTRAINT_WORK
                                                            : 0);
}

ff_status ff_model_derive_parts(ff_model *model, const ff_scene *scene, ff_error *error) {
    ff_status status = FF_OK;
    memcpy(model->gravity, model->defs.gravity, sizeof model->gravity);
    for (size_t i = 0; scene && i < model->body_count && status == FF_OK; i++) {
        status = derive_body(model, scene, i, error);
    }
    if (model->joint_count > 0 && status == FF_OK && scene) {
        status = ff_joints_derive(model, error);
    } else {
        ff_joints_derive_efforts(model);
    }
    if (model->crowd && status == FF_OK) {
        status = ff_crowd_derive(model, scene, error);
    }
    for (size_t i = 0; i < model->slot_count && status == FF_OK; i++) {
        status = derive_slot(model, i, error);
    }
    if (model->open && status == FF_OK) {
        status = derive_open(model, error);
    }
    for (size_t i = 0; i < model->force_count && status == FF_OK; i++) {
        derive_force(model, i);
    }
    if (status == FF_OK) {
        lay_out(model);
    }
    return status;
}

const ff_run_options *ff_model_run(const ff_model *model) { return &model->run; }

size_t ff_model_body_count(const ff_model *model) { return model->body_count; }

const char *ff_model_body_name(const ff_model *model, size_t body) {
    return body < model->body_count ? model->bodies[body].name : NULL;
}

size_t ff_model_contact_count(const ff_model *model) { return model->contact_count; }

const char *ff_model_contact_name(const ff_model *model, size_t contact) {
    return contact >= model->contact_count ? NULL
           : model->open                   ? model->topology->contact_names[contact]
                                           : model->slots[contact].name;
}

size_t ff_model_unpaired_count(const ff_model *model) {
    return model->topology ? model->topology->unpaired_count : 0;
}

const char *ff_model_unpaired_name(const ff_model *model, size_t i) {
    return i < ff_model_unpaired_count(model) ? model->topology->unpaired[i] : NULL;
}

ff_body_facts ff_model_body_facts(const ff_model *model, size_t body) {
    if (body >= model->body_count) {
        return (ff_body_facts){.mass = 0};
    }
    const ff_model_body *b = &model->bodies[body];
    return (ff_body_facts){.mass = b->mass,
                           .inertia = {b->inertia[0][0], b->inertia[1][1], b->inertia[2][2]},
                           .products = {b->inertia[0][1], b->inertia[0][2], b->inertia[1][2]},
                           .center = {b->centre[0], b->centre[1], b->centre[2]},
                           .length_scale = model->extents[body].length,
                           .speed_scale = model->extents[body].speed};
}

ff_contact_facts ff_model_contact_facts(const ff_model *model, size_t contact) {
    if (contact >= model->contact_count) {
        return (ff_contact_facts){.normal = NULL};
    }
    const ff_slot_source *from = &model->topology->sources[contact];
    const ff_pair_def *def = &model->defs.pairs.at[from->pair];
    const double *gate = def->ignored_while_turning;
    const int body = model->defs.shapes.at[from->shape].body;
    double mass = model->bodies[body].mass, speed = model->extents[body].speed;
    if (from->other >= 0) {
        const int other = model->defs.shapes.at[from->other].body;
        mass = ff_reduced_mass(mass, model->bodies[other].mass);
        speed = fmax(speed, model->extents[other].speed);
    }
    return (ff_contact_facts){&def->normal,
                              &def->friction,
                              mass,
                              speed,
                              ff_dot(gate, gate) > 0 ? gate : NULL,
                              {def->materials[0], def->materials[1]},
                              def->rolling.law ? &def->rolling : NULL,
                              def->twist.law ? &def->twist : NULL,
                              def->arm,
                              def->arm_length};
}

size_t ff_model_class_count(const ff_model *model) {
    return model->crowd ? model->crowd->class_count : 0;
}

const char *ff_model_class_name(const ff_model *model, size_t index) {
    return index < ff_model_class_count(model) ? model->crowd->classes[index].name : NULL;
}

/* the shortest impact: the two lightest bodies at the highest speed */
ff_contact_facts ff_model_class_facts(const ff_model *model, size_t index) {
    if (index >= ff_model_class_count(model)) {
        return (ff_contact_facts){.normal = NULL};
    }
    const ff_crowd_model *c = model->crowd;
    double lightest = INFINITY, speed = 0;
    for (size_t i = 0; i < model->body_count; i++) {
        lightest = fmin(lightest, model->bodies[i].mass);
        speed = fmax(speed, model->extents[i].speed);
    }
    return (ff_contact_facts){.normal = &c->classes[index].law,
                              .friction = &c->classes[index].friction,
                              .mass = c->classes[index].meets ? lightest / 2 : lightest,
                              .speed = speed};
}

/* ---- shapes and planes ---- */

/* a crowd keeps radii only: each body is one sphere */
size_t ff_model_shape_count(const ff_model *model) {
    return model->crowd ? ff_model_body_count(model) : model->defs.shapes.count;
}

ff_shape_facts ff_model_shape(const ff_model *model, size_t shape) {
    if (shape >= ff_model_shape_count(model)) {
        return (ff_shape_facts){.body = -1};
    }
    if (model->crowd) {
        return (ff_shape_facts){.body = (int)shape, .radius = model->crowd->radius[shape]};
    }
    const ff_shape_def *s = &model->defs.shapes.at[shape];
    ff_shape_facts out = {.name = s->name, .body = s->body, .radius = s->radius};
    ff_add_scaled(s->center, -1, model->bodies[s->body].centre, out.center);
    return out;
}

size_t ff_model_plane_count(const ff_model *model) { return model->defs.planes.count; }

ff_plane_def ff_model_plane(const ff_model *model, size_t plane) {
    return plane < model->defs.planes.count ? model->defs.planes.at[plane] : ff_plane_def_default();
}
