/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "body/vector.h"
#include "model.h"
#include "num/elementary.h"
#include <string.h>

/* Sizes of motions: what absolute tolerances are relative to (docs/theory.md, Scales). */

static double length_of(const double v[3]) { return sqrt(ff_dot(v, v)); }

/* the centre of a shape of a body, world axes */
static void centre_of(const double *body, const double center[3], double out[3]) {
    double r[3][3], arm[3];
    ff_rotation(body + FF_Q, r);
    ff_rotate(r, center, arm);
    ff_add_scaled(body + FF_P, 1, arm, out);
}

/* how far two things are apart, negative where they overlap */
static double distance_of(const ff_slot *s, const double *bodies) {
    double a[3], b[3];
    centre_of(ff_body_state(bodies, s->body), s->center, a);
    if (s->other < 0) {
        return ff_dot(a, s->normal) - s->level;
    }
    centre_of(ff_body_state(bodies, s->other), s->other_center, b);
    ff_add_scaled(a, -1, b, a);
    return length_of(a) - s->radius - s->other_radius;
}

/* Speed, depth and size of a body in a crowd. */
static void crowd_body_scales(const ff_model *model, size_t i, double *v, double *depth,
                              double *size) {
    const ff_crowd_model *c = model->crowd;
    const double *start = model->bodies[i].start;
    double g = sqrt(ff_dot(model->gravity, model->gravity)), fall = 0, meets = 0;
    *size = c->radius[i];
    for (size_t w = 0; w < c->wall_count; w++) {
        if (c->wall_class[(size_t)c->kind[i] * c->wall_count + w] >= 0) {
            const ff_wall *wall = &c->walls[w];
            fall = fmax(fall, ff_dot(start + FF_P, wall->normal) - wall->level - *size);
            meets = fmax(meets, sqrt(ff_dot(wall->skin, wall->skin)));
        }
    }
    *v = meets + sqrt(ff_dot(start + FF_VEL, start + FF_VEL)) +
         *size * sqrt(ff_dot(start + FF_OMEGA, start + FF_OMEGA)) + sqrt(2 * g * fall);
    *v = *v > 0 ? *v : fmax(sqrt(g * *size), 1e-300);
    *depth = INFINITY;
    for (size_t k = 0; k < c->class_count; k++) {
        *depth = fmin(*depth, ff_normal_depth(&c->classes[k].law, model->bodies[i].mass, *v));
    }
}

/* The sizes of a mechanism: its longest lever, and the speed that its bodies have or gain over that. */
static void tree_scales(const ff_model *model, const double *bodies, double *reach, double *v) {
    double fastest = 0;
    *reach = 0;
    for (size_t i = 0; i < model->body_count; i++) {
        const ff_link *l = &model->tree->links[i];
        *reach = fmax(*reach, fmax(sqrt(ff_dot(l->com, l->com)),
                                   l->parent < 0 ? 0 : sqrt(ff_dot(l->offset, l->offset))));
    }
    *reach = *reach > 0 ? *reach : 1;
    for (size_t i = 0; i < model->body_count; i++) {
        const double *at = ff_body_state(bodies, (int)i);
        fastest = fmax(fastest, sqrt(ff_dot(at + FF_VEL, at + FF_VEL)) +
                                    *reach * sqrt(ff_dot(at + FF_OMEGA, at + FF_OMEGA)));
    }
    *v = fmax(fastest, sqrt(*reach * sqrt(ff_dot(model->gravity, model->gravity))));
    *v = *v > 0 ? *v : 1;
}

/* A body at rest under gravity is measured by what falling by a tenth of its size would give it: sqrt(2/10). */
#define LEAST_SPEED 0.45

/* The speed a body is likely to meet something with: its own and that of what it meets, what it gains falling from its
 * greatest distance to a plane, and what springs that are wound give back. */
void ff_scales_bodies(const ff_model *model, const double *bodies, ff_extent *out) {
    double g = length_of(model->gravity), reach = 1, least = 0;
    if (model->tree) {
        tree_scales(model, bodies, &reach, &least);
    }
    /* until speeds are known: `speed` is that of what it meets, `length` the way to fall, `turning` its size */
    for (size_t i = 0; i < model->body_count; i++) {
        out[i] = (ff_extent){0};
    }
    for (size_t j = 0; j < model->slot_count; j++) {
        const ff_slot *s = &model->slots[j];
        double met = length_of(s->skin);
        for (int side = 0; side < (s->other < 0 ? 1 : 2); side++) {
            int body = side ? s->other : s->body;
            ff_extent *e = &out[body];
            e->turning = fmax(e->turning, side ? s->other_radius : s->radius);
            if (s->other >= 0) {
                met = length_of(ff_body_state(bodies, side ? s->body : s->other) + FF_VEL);
            } else {
                const double *p = ff_body_state(bodies, body) + FF_P;
                e->length = fmax(e->length, ff_dot(p, s->normal) - s->level);
            }
            e->speed = fmax(e->speed, met);
        }
    }
    for (size_t i = 0; i < model->body_count; i++) {
        const double *at = ff_body_state(bodies, (int)i);
        ff_extent *e = &out[i];
        double v = e->speed + length_of(at + FF_VEL) + e->turning * length_of(at + FF_OMEGA) +
                   sqrt(2 * g * e->length);
        v = fmax(fmax(v, least), LEAST_SPEED * sqrt(g * e->turning));
        e->speed = v > 0 ? v : 1;
        e->length = INFINITY;
    }
    for (size_t j = 0; j < model->slot_count; j++) {
        const ff_slot *s = &model->slots[j];
        double depth = -distance_of(s, bodies);
        for (int side = 0; depth > 0 && side < (s->other < 0 ? 1 : 2); side++) {
            int body = side ? s->other : s->body;
            double wound = ff_normal_speed(&s->law, model->bodies[body].mass, depth);
            out[body].speed = fmax(out[body].speed, wound);
        }
    }
    for (size_t j = 0; j < model->slot_count; j++) {
        const ff_slot *s = &model->slots[j];
        for (int side = 0; side < (s->other < 0 ? 1 : 2); side++) {
            int body = side ? s->other : s->body;
            ff_extent *e = &out[body];
            e->length =
                fmin(e->length, ff_normal_depth(&s->law, model->bodies[body].mass, e->speed));
        }
    }
    for (size_t i = 0; i < model->body_count; i++) {
        double size = model->tree ? fmax(out[i].turning, reach) : out[i].turning;
        out[i].length = isinf(out[i].length) ? reach : out[i].length;
        out[i].turning = size > 0 ? out[i].speed / size : 1;
    }
}

/* a body's 13 states */
static void fill_body(const ff_extent *e, double *out) {
    for (size_t c = 0; c < 3; c++) {
        out[FF_P + c] = e->length;
        out[FF_VEL + c] = e->speed;
        out[FF_OMEGA + c] = e->turning;
    }
    for (size_t c = 0; c < 4; c++) {
        out[FF_Q + c] = 1;
    }
}

/* coordinates and speeds of a joint: angles have the size of a radian, ways that of the body */
static void fill_link(const ff_link *l, const ff_extent *e, double *out) {
    for (int c = 0; c < l->coordinates + l->speeds; c++) {
        bool speed = c >= l->coordinates;
        int way = c - (speed ? l->coordinates : 0);
        bool linear = l->kind == FF_JOINT_PRISMATIC || (l->kind == FF_JOINT_PLANAR && way < 2);
        out[l->at + (size_t)c] = linear ? (speed ? e->speed : e->length) : speed ? e->turning : 1;
    }
}

double ff_scales_fill(const ff_model *model, const ff_extent *extents, double *out) {
    double energy = 0;
    for (size_t i = 0; i < model->body_count; i++) {
        if (ff_articulated(model) && model->tree->links[i].kind != FF_JOINT_FREE) {
            fill_link(&model->tree->links[i], &extents[i], out);
        } else {
            fill_body(&extents[i], out + model->body_at[i]);
        }
        energy += 0.5 * model->bodies[i].mass * extents[i].speed * extents[i].speed;
    }
    for (size_t j = 0; j < model->slot_count; j++) {
        const ff_slot *s = &model->slots[j];
        const ff_extent *e = &extents[s->body];
        double *at = out + s->state_at;
        for (int i = 0; i < s->states; i++) {
            at[i] = i < s->law.states && s->law.law->state_size
                        ? s->law.law->state_size(&s->law, i, e->length, e->speed)
                        : e->length;
        }
    }
    for (size_t j = 0; j < model->joint_count; j++) {
        const ff_joint *joint = &model->joints[j];
        if (joint->bristle >= 0) {
            /* what it takes to slip */
            const ff_friction *law = &joint->friction;
            out[joint->bristle] = law->law->reach ? law->law->reach(law, joint->load) : 1e-6;
        }
    }
    for (size_t j = model->integral_at; j < model->size; j++) {
        out[j] = energy;
    }
    return energy;
}

/* Which components are velocities, which of them moves a position, and which act on nothing but themselves. */
static void mark_states(ff_model *model) {
    for (size_t i = 0; i < model->states; i++) {
        model->speed[i] = -1;
    }
    for (size_t i = 0; i < model->body_count; i++) {
        if (ff_articulated(model) && model->tree->links[i].kind != FF_JOINT_FREE) {
            const ff_link *l = &model->tree->links[i];
            for (int c = 0; c < l->coordinates && l->kind != FF_JOINT_SPHERICAL; c++) {
                model->speed[l->at + (size_t)c] = (int)l->at + l->coordinates + c;
            }
            for (int c = 0; c < l->speeds; c++) {
                model->first[l->at + (size_t)(l->coordinates + c)] = true;
            }
            continue;
        }
        size_t at = model->body_at[i];
        for (size_t c = 0; c < 3; c++) {
            model->first[at + FF_VEL + c] = true;
            model->first[at + FF_OMEGA + c] = true;
            model->speed[at + FF_P + c] = (int)(at + FF_VEL + c);
        }
        for (size_t c = 0; c < 4; c++) {
            model->inert[at + FF_Q + c] = ff_turns_apart(model, i);
        }
    }
    model->active = 0;
    for (size_t j = 0; j < model->states; j++) {
        model->active += !model->inert[j];
    }
}

void ff_model_scale(ff_model *model) {
    const size_t count = model->body_count;
    for (size_t i = 0; i < count && model->crowd; i++) {
        double v, depth, size;
        crowd_body_scales(model, i, &v, &depth, &size);
        model->extents[i] = (ff_extent){v, isinf(depth) ? 1 : depth, v / size};
    }
    if (!model->crowd) {
        for (size_t i = 0; i < count; i++) {
            memcpy(model->starts + i * FF_BODY_STRIDE, model->bodies[i].start,
                   sizeof model->bodies[i].start);
        }
        ff_scales_bodies(model, model->starts, model->extents);
    }
    mark_states(model);
    model->energy = ff_scales_fill(model, model->extents, model->scales);
}
