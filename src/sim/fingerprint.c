/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "num/hash.h"
#include "sim.h"

/* Hash of what a run of a scene or of a crowd depends on besides its state. */

uint64_t ff_fingerprint_normal(uint64_t h, const ff_normal *law) {
    return FF_HASH(ff_hash_text(h, law->law->name), law->values);
}

uint64_t ff_fingerprint_friction(uint64_t h, const ff_friction *law) {
    return FF_HASH(ff_hash_text(h, law->law->name), law->values);
}

static uint64_t hash_laws(uint64_t h, const ff_normal *normal, const ff_friction *friction) {
    return ff_fingerprint_friction(ff_fingerprint_normal(h, normal), friction);
}

static uint64_t hash_joint(uint64_t h, const ff_joint *j) {
    const double numbers[] = {j->kind, j->first, j->second, j->pitch, j->ratio};
    h = FF_HASH(FF_HASH(FF_HASH(FF_HASH(h, numbers), j->anchor), j->second_anchor), j->turn);
    h = FF_HASH(FF_HASH(h, j->geared), j->geared_coordinates);
    h = FF_HASH(FF_HASH(h, j->axis), j->second_axis);
    const int efforts_of = j->kind == FF_JOINT_SPHERICAL ? j->works : j->coordinates;
    for (int c = 0; c < efforts_of; c++) {
        const ff_effort *e = &j->along[c];
        const double efforts[] = {e->stiffness,     e->rest,  e->damping,
                                  e->lower,         e->upper, e->limit_stiffness,
                                  e->limit_damping, e->load,  e->has_friction + 2.0 * e->reacts};
        h = FF_HASH(h, efforts);
        h = e->limit.law ? ff_fingerprint_normal(h, &e->limit) : h;
        h = e->has_friction ? ff_fingerprint_friction(h, &e->friction) : h;
        h = e->reacts ? FF_HASH(h, e->bearing) : h;
        h = e->reacts && j->kind == FF_JOINT_CYLINDRICAL ? FF_HASH(h, e->apart) : h;
    }
    return h;
}

/* options that control how joints are enforced */
static uint64_t hash_ways(uint64_t h, const ff_run_options *o) {
    const double numbers[] = {o->formulation,        o->constraints,
                              o->constraint_damping, o->constraint_frequency,
                              o->constraint_penalty, o->constraint_tolerance};
    return FF_HASH(h, numbers);
}

static uint64_t hash_force(uint64_t h, const ff_force_def *f) {
    const double numbers[] = {
        f->kind,        f->body,      f->other,     f->force[0],  f->force[1],  f->force[2],
        f->torque[0],   f->torque[1], f->torque[2], f->stiffness, f->damping,   f->rest,
        f->kp,          f->kd,        f->target[0], f->target[1], f->target[2], f->from,
        f->target_from, f->to,        f->joint,     f->effort,    f->coordinate};
    h = FF_HASH(h, numbers);
    h = FF_HASH(FF_HASH(FF_HASH(h, f->anchor), f->other_anchor), f->axis);
    h = f->points ? ff_hash(h, f->times, f->points * sizeof *f->times) : h;
    return f->points ? ff_hash(h, f->factors, f->points * sizeof *f->factors) : h;
}

static uint64_t hash_crowd(uint64_t h, const ff_model *model) {
    const ff_crowd_model *crowd = model->crowd;
    h = ff_hash(h, crowd->kind, model->body_count * sizeof *crowd->kind);
    h = ff_hash(h, crowd->radius, model->body_count * sizeof *crowd->radius);
    h = ff_hash(h, crowd->walls, crowd->wall_count * sizeof *crowd->walls);
    h = ff_hash(h, crowd->pair_class,
                crowd->kind_count * crowd->kind_count * sizeof *crowd->pair_class);
    h = ff_hash(h, crowd->wall_class,
                crowd->kind_count * crowd->wall_count * sizeof *crowd->wall_class);
    for (size_t i = 0; i < crowd->class_count; i++) {
        h = hash_laws(h, &crowd->classes[i].law, &crowd->classes[i].friction);
    }
    return h;
}

uint64_t ff_fingerprint_scene(const ff_sim *sim) {
    const ff_model *model = sim->model;
    uint64_t h = FF_HASH(FF_HASH_START, model->gravity);
    for (size_t i = 0; i < model->body_count; i++) {
        const ff_model_body *b = &model->bodies[i];
        h = FF_HASH(FF_HASH(FF_HASH(FF_HASH(h, b->mass), b->inertia), b->locked), b->start);
    }
    for (size_t i = 0; i < model->contact_count; i++) {
        ff_slot slot;
        const ff_slot *s = &slot;
        ff_model_slot(model, i, &slot);
        const double numbers[] = {
            s->body,      s->other,     s->radius,          s->other_radius,    s->level,
            s->rise,      s->skin[0],   s->skin[1],         s->skin[2],         s->normal[0],
            s->normal[1], s->normal[2], s->share,           s->stateful,        s->center[0],
            s->center[1], s->center[2], s->other_center[0], s->other_center[1], s->other_center[2]};
        h = hash_laws(FF_HASH(FF_HASH(FF_HASH(h, numbers), s->gated), s->gate), &s->law,
                      &s->friction);
        h = s->rolling.law ? ff_fingerprint_friction(h, &s->rolling) : h;
        h = s->twist.law
                ? ff_fingerprint_friction(FF_HASH(FF_HASH(h, s->arm), s->arm_length), &s->twist)
                : h;
    }
    for (size_t i = 0; i < model->joint_count; i++) {
        h = hash_joint(h, &model->joints[i]);
    }
    h = model->joint_count ? hash_ways(h, &sim->options) : h;
    h = model->crowd ? hash_crowd(h, model) : h;
    for (size_t i = 0; i < model->force_count; i++) {
        h = hash_force(h, &model->forces[i]);
    }
    const ff_controls *c = &model->topology->controls;
    h = c->program ? FF_HASH(h, c->program->version) : h;
    h = c->laws ? FF_HASH(h, c->laws->version) : h;
    for (size_t i = 0; i < c->own_count; i++) {
        const ff_controller_def *def = &c->own[i];
        h = ff_hash_text(FF_HASH(FF_HASH(h, def->every), def->state_count), def->name);
        h = ff_hash(h, def->forces, def->force_count * sizeof *def->forces);
        h = ff_hash(h, def->start, def->state_count * sizeof *def->start);
    }
    return FF_HASH(h, model->event_count);
}
