/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "body/vector.h"
#include "parts.h"
#include "sim/sim.h"
#include <stdint.h>
#include <string.h>

/* Inner states of contacts that touch where steps begin: springs of friction, rolling and twist, and states of normal laws. */

ff_status ff_gait_begin(const ff_gait *gait, ff_sim *sim, const stance *at) {
    return ff_sim_begin_inside(sim, at->bodies, gait->inner_count > 0 ? at->inner : NULL);
}

/* Whether the inner states of a touching slot can be part of the state on the section. States that touch-down sets and
 * that are then constant would leave every step as it is, and so would a ground with a depth of its own. */
static bool continues(const ff_gait *gait, const ff_slot *slot) {
    return !gait->model->open && !slot->stateful && !slot->filtered && !slot->rests &&
           !(slot->law.states > 0 && slot->law.law->touch) && slot->friction.scalars == 0 &&
           slot->rolling.scalars == 0 && slot->twist.scalars == 0;
}

/* Reads the inner states of contacts that touch. All others, and those of joints, must be 0 where a step begins, because
 * they are not part of the state there. */
ff_status ff_gait_read_inner(const ff_gait *gait, const ff_sim *sim, double *out, ff_error *error) {
    const ff_model *model = sim->reduced;
    for (size_t i = 0; i < model->slot_count; i++) {
        const ff_slot *slot = &model->slots[i];
        const size_t at = slot->state_at, own = (size_t)slot->law.states,
                     count = (size_t)slot->states;
        const bool air = sim->phase.modes[i] == FF_AIR, kept = !air && continues(gait, slot);
        for (size_t c = 0; c < count; c++) {
            /* a state that touch-down sets has no effect without contact */
            bool idle = kept || (c < own && slot->law.law->touch && air);
            if (!idle && fabs(sim->flow.y[at + c]) > sim->options.tol * model->scales[at + c]) {
                return ff_model_fail(
                    error, FF_BAD_VALUE,
                    "contact '%s' has an inner state where a step begins that cannot be part of "
                    "a gait (of its %s law '%s'): begin steps where it does not touch, or use "
                    "another law",
                    slot->name, c < own ? "normal" : "friction",
                    c < own ? slot->law.law->name : slot->friction.law->name);
            }
        }
        if (!model->open) {
            memset(out, 0, count * sizeof *out);
            memcpy(out, sim->flow.y + at, (kept ? count : 0) * sizeof *out);
            out += count;
        }
    }
    for (size_t i = 0; i < model->joint_count; i++) {
        const ff_joint *j = &model->joints[i];
        for (int c = 0; c < j->coordinates; c++) {
            const ff_effort *e = &j->along[c];
            if (e->bristle >= 0 && fabs(sim->flow.y[e->bristle]) > 0) {
                return ff_model_fail(error, FF_BAD_VALUE,
                                     "the friction '%s' of joint '%s' has an inner state, which "
                                     "steps cannot begin with: use a law without",
                                     e->friction.law->name, j->name);
            }
        }
    }
    return FF_OK;
}

/* Mirrors a vector, or the axis of a rotation, which changes sign in addition. */
static void mirror(const double n[3], bool axis, double v[3]) {
    const double part = 2 * ff_dot(n, v), sign = axis ? -1 : 1;
    for (int c = 0; c < 3; c++) {
        v[c] = sign * (v[c] - part * n[c]);
    }
}

/* The inner states in the image: contacts exchange places as their shapes do. Springs of friction and rolling are vectors;
 * that of twist is along the normal and has the sign of a rotation. */
ff_status ff_gait_image_inner(const ff_gait *gait, const double *from, double *to,
                              ff_error *error) {
    const ff_model *model = gait->model;
    size_t at = 0;
    for (size_t i = 0; i < model->slot_count; at += (size_t)model->slots[i++].states) {
        const ff_slot *slot = &model->slots[i];
        const size_t count = (size_t)slot->states;
        size_t source = 0;
        bool any = false;
        for (size_t k = 0; k < gait->source[i] && k < model->slot_count; k++) {
            source += (size_t)model->slots[k].states;
        }
        if (gait->source[i] == SIZE_MAX) {
            /* it matters only if there is something to exchange */
            for (size_t c = 0; c < gait->inner_count; c++) {
                any = any || from[c] != 0;
            }
            if (any && count > 0) {
                return ff_model_fail(error, FF_BAD_VALUE,
                                     "contact '%s' may have an inner state where a step begins, "
                                     "and swap, turn and reflect take its shape to no other shape",
                                     slot->name);
            }
            memset(to + at, 0, count * sizeof *to);
            continue;
        }
        memcpy(to + at, from + source, count * sizeof *to);
        const int u = ff_slot_u(slot), twist = ff_slot_twist(slot);
        for (int c = u; c + 3 <= slot->states && ff_dot(gait->reflect, gait->reflect) > 0; c += 3) {
            mirror(gait->reflect, c >= twist, to + at + c);
        }
    }
    return FF_OK;
}

/* Appends the part of a vector that is orthogonal to those found, as a unit vector. `least`: below it is rounding. */
static int add_way(const double v[3], double least, double (*ways)[3], int found) {
    double left[3] = {v[0], v[1], v[2]};
    const double all = sqrt(ff_dot(v, v));
    for (int k = 0; k < found; k++) {
        ff_add_scaled(left, -ff_dot(ways[k], left), ways[k], left);
    }
    const double size = sqrt(ff_dot(left, left));
    /* directions of freedoms differ by angles, not by rounding */
    if (found == 3 || !(all > least) || !(size > 1e-6 * all)) {
        return found;
    }
    for (int c = 0; c < 3; c++) {
        ways[found][c] = left[c] / size;
    }
    return found + 1;
}

enum { SLIDING, ROLLING, TWISTING, CHANNELS };

/* The velocities that deflect the springs of friction, rolling and twist, up to factors. */
static void velocities_of(const ff_touch *touch, double out[CHANNELS][3]) {
    memcpy(out[SLIDING], touch->slide.v, sizeof out[SLIDING]);
    ff_cross(touch->slide.roll, touch->n, out[ROLLING]);
    for (int c = 0; c < 3; c++) {
        out[TWISTING][c] = touch->slide.spin * touch->n[c];
    }
}

static void add_springs(ff_gait *gait, const ff_slot *slot, size_t at) {
    const ff_friction *laws[CHANNELS] = {&slot->friction, &slot->rolling, &slot->twist};
    const int from[CHANNELS] = {ff_slot_u(slot), ff_slot_rolling(slot), ff_slot_twist(slot)};
    const ff_chart *chart = &gait->chart;
    const double *scales = gait->model->scales + slot->state_at,
                 speed = gait->model->extents[slot->body].speed;
    double ways[CHANNELS][3][3], here[CHANNELS][3], there[CHANNELS][3];
    int found[CHANNELS] = {0};
    ff_touch touch = {0};
    for (size_t c = 0; c < (size_t)slot->law.states; c++) {
        gait->springs[gait->spring_count++] =
            (spring){.at = at + c, .width = 1, .way = {1}, .size = scales[c]};
    }
    /* springs are free along the directions in which the walker can move the contact */
    ff_chart_place(&gait->chart, gait->base, gait->image.bodies);
    ff_touch_find(slot, 0, chart->bodies, &touch);
    velocities_of(&touch, here);
    for (size_t i = 0; i < chart->count; i++) {
        if (!chart->freedoms[i].speed) {
            continue;
        }
        memset(gait->by, 0, chart->count * sizeof *gait->by);
        gait->by[i] = 1;
        ff_chart_move(chart, gait->base, gait->by, gait->moved);
        ff_chart_place(&gait->chart, gait->moved, gait->image.bodies);
        ff_touch_find(slot, 0, chart->bodies, &touch);
        velocities_of(&touch, there);
        for (int k = 0; k < CHANNELS; k++) {
            double v[3];
            ff_add_scaled(there[k], -1, here[k], v);
            /* rad/s of rolling and twist are compared by the radius */
            const double least = k == SLIDING ? 1e-9 * speed : 1e-9 * speed / slot->radius;
            found[k] = laws[k]->vectors > 0 ? add_way(v, least, ways[k], found[k]) : 0;
        }
    }
    for (int k = 0; k < CHANNELS; k++) {
        for (int vector = 0; vector < laws[k]->vectors; vector++) {
            for (int way = 0; way < found[k]; way++) {
                const int c = from[k] + 3 * vector;
                spring *to = &gait->springs[gait->spring_count++];
                *to = (spring){.at = at + (size_t)c, .width = 3, .size = scales[c]};
                memcpy(to->way, ways[k][way], sizeof to->way);
            }
        }
    }
}

/* Finds the springs of the contacts that touch at the base. */
void ff_gait_make_springs(ff_gait *gait, const stance *base) {
    const ff_model *model = gait->model;
    size_t at = 0;
    gait->spring_count = 0;
    if (gait->inner_count == 0 || ff_gait_begin(gait, gait->sim, base) < 0) {
        return;
    }
    for (size_t i = 0; i < model->slot_count; at += (size_t)model->slots[i++].states) {
        const ff_slot *slot = &model->slots[i];
        if (slot->states > 0 && gait->sim->phase.modes[i] != FF_AIR && continues(gait, slot)) {
            add_springs(gait, slot, at);
        }
    }
}

/* The place of a sphere's centre in the image: the point c of a body is the point R(turn) M c of its partner, where M is
 * the reflection. */
static void image_centre(const ff_gait *gait, int body, const double centre[3], double out[3]) {
    double turn[3][3], c[3] = {centre[0], centre[1], centre[2]};
    if (ff_dot(gait->reflect, gait->reflect) > 0) {
        mirror(gait->reflect, false, c);
    }
    ff_rotation(gait->turn[body], turn);
    ff_rotate(turn, c, out);
}

static bool same_place(const double a[3], const double b[3], double size) {
    double way[3];
    ff_add_scaled(a, -1, b, way);
    /* rounding of a rotation; spheres of one body are farther apart */
    return sqrt(ff_dot(way, way)) <= 1e-9 * size;
}

/* Finds for each slot the one that has its place in the image: the same plane or the partner of the other body, with
 * spheres at places that the image exchanges. */
void ff_gait_find_sources(ff_gait *gait) {
    const ff_model *model = gait->model;
    for (size_t i = 0; i < model->slot_count; i++) {
        const ff_slot *to = &model->slots[i];
        const double size = model->extents[to->body].length;
        double centre[3], other[3] = {0};
        image_centre(gait, to->body, to->center, centre);
        if (to->other >= 0) {
            image_centre(gait, to->other, to->other_center, other);
        }
        gait->source[i] = SIZE_MAX;
        for (size_t k = 0; k < model->slot_count && gait->source[i] == SIZE_MAX; k++) {
            const ff_slot *from = &model->slots[k];
            const bool ground = to->other < 0 && from->other < 0 &&
                                same_place(from->normal, to->normal, 1) &&
                                from->level == to->level && from->radius == to->radius,
                       pair = to->other >= 0 && from->other == gait->partner[to->other] &&
                              same_place(from->other_center, other, size);
            if (from->body == gait->partner[to->body] && (ground || pair) &&
                from->states == to->states && same_place(from->center, centre, size)) {
                gait->source[i] = k;
            }
        }
    }
}
