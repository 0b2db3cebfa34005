/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "body/vector.h"
#include "model.h"
#include "num/elementary.h"
#include <string.h>

/* Scales of motions, which absolute tolerances are relative to (docs/theory.md, Steps). */

static double length_of(const double v[3]) { return sqrt(ff_dot(v, v)); }

/* the centre of a shape of a body, world axes */
static void centre_of(const double *body, const double center[3], double out[3]) {
    double r[3][3], arm[3];
    ff_rotation(body + FF_Q, r);
    ff_rotate(r, center, arm);
    ff_add_scaled(body + FF_P, 1, arm, out);
}

/* The level of a plane at time t: z = level - normal.(centre of the sphere). */
static double level_at(const ff_slot *s, double t) {
    double law[6] = {0};
    if (s->motion) {
        ff_plane_motion_at(s->motion, t, law);
    }
    return s->level + t * s->rise + ff_dot(law, s->normal);
}

/* distance between two things at time t, negative if they overlap */
static double distance_of(const ff_slot *s, double t, const double *bodies) {
    double a[3], b[3];
    centre_of(ff_body_state(bodies, s->body), s->center, a);
    if (s->other < 0) {
        return ff_dot(a, s->normal) - level_at(s, t);
    }
    centre_of(ff_body_state(bodies, s->other), s->other_center, b);
    ff_add_scaled(a, -1, b, a);
    return length_of(a) - s->radius - s->other_radius;
}

/* Speed, depth and size scales of a body in a crowd. */
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

/* The scales of a mechanism: its longest lever, and the speed that its bodies have or gain over that distance. */
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

/* Of N springs side by side each has a part of the force, errors of springs add up as those of chance do, and those that slip
 * forget them: they are asked for sqrt(N) times less than one alone, and for this. With 45 the ledger of impacts closes to 1e-9
 * at tol 1e-9 with 20 to 160 elements (tests/test_bed.c), with 90 to 1.3e-9. */
#define SPRINGS 45

/* For a body at rest under gravity: the speed after falling by a tenth of its size, sqrt(2/10). */
#define LEAST_SPEED 0.45

/* Collects for each body, before speeds are known: in `speed` that of the bodies it may meet, in `length` the height it may
 * fall, in `turning` its size. */
static void gather_slots(const ff_model *model, double t, const double *bodies, ff_extent *out) {
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
                e->length = fmax(e->length, ff_dot(p, s->normal) - level_at(s, t));
            }
            e->speed = fmax(e->speed, met);
        }
    }
}

/* The fastest body of a kind of shapes, and the fastest of the kinds it may meet. */
typedef struct {
    int body;
    double first, second;
} fastest;

static void gather_fastest(const ff_model *model, const double *bodies, fastest *out) {
    const ff_kinds *kinds = &model->topology->kinds;
    for (size_t k = 0; k < kinds->count; k++) {
        out[k] = (fastest){.body = -1};
    }
    for (size_t i = 0; i < model->defs.shapes.count; i++) {
        const int body = model->defs.shapes.at[i].body;
        const double v = length_of(ff_body_state(bodies, body) + FF_VEL);
        fastest *f = &out[kinds->shape[i]];
        if (body != f->body && (f->body < 0 || v > f->first)) {
            *f = (fastest){body, v, f->first};
        } else if (body != f->body) {
            f->second = fmax(f->second, v);
        }
    }
}

/* Does for all contacts of an open model what gather_slots() does for slots, by kinds of shapes. `of_kinds`: scratch for
 * each kind. */
static void gather_kinds(const ff_model *model, double t, const double *bodies, fastest *of_kinds,
                         ff_extent *out) {
    const ff_kinds *kinds = &model->topology->kinds;
    gather_fastest(model, bodies, of_kinds);
    for (size_t i = 0; i < model->defs.shapes.count; i++) {
        const ff_shape_def *s = &model->defs.shapes.at[i];
        const double *p = ff_body_state(bodies, s->body) + FF_P;
        const int kind = kinds->shape[i];
        ff_extent *e = &out[s->body];
        for (size_t k = 0; k < kinds->count; k++) {
            const fastest *f = &of_kinds[k];
            if (f->body >= 0 && ff_kinds_pair(kinds, kind, (int)k) >= 0) {
                e->speed = fmax(e->speed, f->body == s->body ? f->second : f->first);
                e->turning = fmax(e->turning, s->radius);
            }
        }
        for (size_t k = 0; k < model->defs.planes.count; k++) {
            const ff_plane_def *plane = &model->defs.planes.at[k];
            if (ff_kinds_pair(kinds, kind, kinds->plane[k]) >= 0) {
                double skin[3];
                ff_plane_skin(plane, skin);
                e->speed = fmax(e->speed, length_of(skin));
                e->turning = fmax(e->turning, s->radius);
                const double level = s->radius + ff_dot(plane->point, plane->normal) +
                                     t * ff_dot(plane->velocity, plane->normal);
                e->length = fmax(e->length, ff_dot(p, plane->normal) - level);
            }
        }
    }
}

/* Adds the speed that a compressed contact spring would return. */
static void add_wound(const ff_model *model, const ff_slot *s, double t, const double *bodies,
                      ff_extent *out) {
    const double depth = -distance_of(s, t, bodies);
    for (int side = 0; depth > 0 && side < (s->other < 0 ? 1 : 2); side++) {
        int body = side ? s->other : s->body;
        double wound = ff_normal_speed(&s->law, model->bodies[body].mass, depth);
        out[body].speed = fmax(out[body].speed, wound);
    }
}

/* The smallest depth that a law gives for a body at its speed. */
static void add_depth(const ff_model *model, const ff_normal *law, int body, ff_extent *e) {
    e->length = fmin(e->length, ff_normal_depth(law, model->bodies[body].mass, e->speed));
}

/* add_depth() for all contacts of an open model. */
static void add_depths(const ff_model *model, const fastest *of_kinds, ff_extent *out) {
    const ff_kinds *kinds = &model->topology->kinds;
    for (size_t i = 0; i < model->defs.shapes.count; i++) {
        const int body = model->defs.shapes.at[i].body;
        for (size_t k = 0; k < kinds->count; k++) {
            const int pair = ff_kinds_pair(kinds, kinds->shape[i], (int)k);
            bool there = of_kinds[k].body >= 0;
            for (size_t w = 0; w < model->defs.planes.count; w++) {
                there = there || kinds->plane[w] == (int)k;
            }
            if (pair >= 0 && there) {
                add_depth(model, &model->defs.pairs.at[pair].normal, body, &out[body]);
            }
        }
    }
}

/* The likely impact speed of a body: its own speed and that of bodies it may meet, the speed gained by falling from its
 * largest distance to a plane, and the speed returned by compressed springs. */
void ff_scales_bodies(const ff_model *model, double t, const double *bodies, ff_extent *out) {
    double g = length_of(model->gravity), reach = 1, least = 0;
    fastest of_kinds[(model->open ? model->topology->kinds.count : 0) + 1];
    if (model->tree) {
        tree_scales(model, bodies, &reach, &least);
    }
    for (size_t i = 0; i < model->body_count; i++) {
        out[i] = (ff_extent){0};
    }
    if (model->open) {
        gather_kinds(model, t, bodies, of_kinds, out);
    } else {
        gather_slots(model, t, bodies, out);
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
        add_wound(model, &model->slots[j], t, bodies, out);
    }
    /* the start of an open model, whose runs have slots for what is near then */
    for (size_t j = 0; model->open && !model->slots && j < model->contact_count; j++) {
        ff_slot slot;
        ff_model_slot(model, j, &slot);
        add_wound(model, &slot, t, bodies, out);
    }
    for (size_t j = 0; j < model->slot_count && !model->open; j++) {
        const ff_slot *s = &model->slots[j];
        for (int side = 0; side < (s->other < 0 ? 1 : 2); side++) {
            int body = side ? s->other : s->body;
            add_depth(model, &s->law, body, &out[body]);
        }
    }
    if (model->open) {
        add_depths(model, of_kinds, out);
    }
    for (size_t i = 0; i < model->body_count; i++) {
        double size = model->tree ? fmax(out[i].turning, reach) : out[i].turning;
        out[i].length = isinf(out[i].length) ? reach : out[i].length;
        out[i].turning = size > 0 ? out[i].speed / size : 1;
    }
}

/* Whether a body can move at all. One that cannot has no part in any scale of energy, whatever its mass. Fixed joints of the
 * maximal formulation hold only to the accuracy of their method. */
static bool can_move(const ff_model *model, size_t body) {
    enum { ALL = FF_LOCK_X | FF_LOCK_Y | FF_LOCK_Z | FF_LOCK_ROTATION };
    int at = (int)body;
    while (ff_articulated(model) && at >= 0 && model->tree->links[at].kind == FF_JOINT_FIXED) {
        at = model->tree->links[at].parent;
    }
    return at >= 0 && model->bodies[at].locked != ALL;
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

/* coordinates and speeds of a joint: angles have the scale of a radian, displacements that of the body */
static void fill_link(const ff_link *l, const ff_extent *e, double *out) {
    for (int c = 0; c < l->coordinates + l->speeds; c++) {
        bool speed = c >= l->coordinates;
        int way = c - (speed ? l->coordinates : 0);
        bool linear = ff_joint_coordinate_slides(l->kind, way);
        out[l->at + (size_t)c] = linear ? (speed ? e->speed : e->length) : speed ? e->turning : 1;
    }
}

/* The deflection of Marshall's twist beside a law whose springs grow with the grade is a displacement times the square root of
 * the grade (query_twist() in contact/contact.c). */
static double twist_scale(const ff_slot *s, const ff_extent *e) {
    if (s->arm != FF_ARM_MARSHALL || s->twist.law->level != FF_LEVEL_GRADE) {
        return e->length;
    }
    double state[FF_LAW_STATES] = {0};
    if (s->law.law->touch) {
        s->law.law->touch(&s->law, e->speed, state);
    }
    ff_normal_answer at = {0};
    s->law.respond(&s->law, &(ff_normal_query){.z = e->length, .state = state}, &at);
    return at.grade > 0 ? sqrt(at.grade) * e->length : e->length;
}

double ff_scales_fill(const ff_model *model, const ff_extent *extents, double *out) {
    double energy = 0, still = 0;
    for (size_t i = 0; i < model->body_count; i++) {
        if (ff_articulated(model) && model->tree->links[i].kind != FF_JOINT_FREE) {
            fill_link(&model->tree->links[i], &extents[i], out);
        } else {
            fill_body(&extents[i], out + model->body_at[i]);
        }
        *(model->bodies[i].moves ? &energy : &still) +=
            0.5 * model->bodies[i].mass * extents[i].speed * extents[i].speed;
    }
    /* tolerances must be positive even where nothing moves */
    energy = energy > 0 ? energy : still;
    for (size_t j = 0; j < model->slot_count; j++) {
        const ff_slot *s = &model->slots[j];
        const ff_extent *e = &extents[s->body];
        double *at = out + s->state_at;
        for (int i = 0; i < s->states; i++) {
            at[i] = i < s->law.states && s->law.law->state_size
                        ? s->law.law->state_size(&s->law, i, e->length, e->speed)
                    /* each of several parallel springs has a part of the force */
                    : i >= s->law.states && i < ff_slot_rolling(s) && s->friction.vectors > 1
                        ? SPRINGS * sqrt((double)s->friction.vectors) * e->length
                    : s->twist.vectors > 0 && i >= ff_slot_twist(s) ? twist_scale(s, e)
                                                                    : e->length;
        }
    }
    for (size_t j = 0; j < model->joint_count; j++) {
        const ff_joint *joint = &model->joints[j];
        for (int c = 0; c < joint->coordinates; c++) {
            const ff_effort *e = &joint->along[c];
            if (e->bristle >= 0) {
                /* deflection at which it slips */
                const ff_friction *law = &e->friction;
                double load = e->load;
                if (e->reacts) {
                    /* what the second body weighs, or what would turn its motion around */
                    const ff_extent *of = &extents[joint->second];
                    load = model->bodies[joint->second].mass *
                           fmax(sqrt(ff_dot(model->gravity, model->gravity)),
                                of->speed * of->speed / of->length) *
                           (ff_joint_coordinate_slides(joint->kind, c) ? 1 : e->bearing);
                }
                out[e->bristle] = law->law->reach ? law->law->reach(law, load) : 1e-6;
            }
        }
    }
    const ff_controls *controls = &model->topology->controls;
    double *at = out + model->control_at;
    for (size_t i = 0; controls->program && i < controls->program->state_count; i++) {
        *at++ = controls->program->states[i].scale;
    }
    for (size_t i = 0; i < controls->own_count; i++) {
        const ff_controller_def *def = &controls->own[i];
        for (size_t k = 0; k < def->state_count && def->every == 0; k++) {
            *at++ = def->scales[k];
        }
    }
    for (size_t j = model->integral_at; j < model->size; j++) {
        out[j] = energy;
    }
    return energy;
}

void ff_model_mark_states(ff_model *model) {
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
    for (size_t i = 0; i < count; i++) {
        model->bodies[i].moves = can_move(model, i);
    }
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
        ff_scales_bodies(model, 0, model->starts, model->extents);
    }
    ff_model_mark_states(model);
    model->energy = ff_scales_fill(model, model->extents, model->scales);
}
