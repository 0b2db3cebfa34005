/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "contact.h"
#include "body/vector.h"
#include <string.h>

/* as fmax(), which is a call */
static inline double larger(double a, double b) { return a > b ? a : b; }

/* the centre of a sphere against its body's centre of mass, world axes */
static inline void centre_of(const double *body, const double center[3], double out[3]) {
    if (center[0] == 0 && center[1] == 0 && center[2] == 0) {
        out[0] = out[1] = out[2] = 0;
        return;
    }
    double r[3][3];
    ff_rotation(body + FF_Q, r);
    ff_rotate(r, center, out);
}

static inline void velocity_at(const double *body, const double arm[3], double out[3]) {
    ff_cross(body + FF_OMEGA, arm, out);
    ff_add_scaled(out, 1, body + FF_VEL, out);
}

/* v = zdot's part along n and the slip across it */
static inline void split_velocity(ff_touch *out, const double v[3]) {
    double along = ff_dot(v, out->n);
    out->zdot = -along;
    ff_add_scaled(v, -along, out->n, out->slip);
}

/* A sphere on a plane: the force acts at the bottom of the undeformed sphere, so that velocity and
 * moment have the same lever r (docs/theory.md, Readings of the papers). */
static void find_plane(const ff_slot *slot, double t, const double *y, ff_touch *out) {
    const double *body = ff_body_state(y, slot->body);
    double centre[3], away[3], v[3];
    centre_of(body, slot->center, centre);
    memcpy(out->n, slot->normal, sizeof out->n);
    memcpy(out->skin, slot->skin, sizeof out->skin);
    for (int i = 0; i < 3; i++) {
        away[i] = body[FF_P + i] + centre[i] - slot->point[i] - t * slot->velocity[i];
    }
    out->z = slot->radius - ff_dot(away, out->n);
    ff_add_scaled(centre, -slot->radius, out->n, out->arm);
    velocity_at(body, out->arm, v);
    ff_add_scaled(v, -1, slot->skin, v);
    split_velocity(out, v);
}

/* Two spheres: both forces act at one common point of the line of centres, r_i - z R/r_i from each, so
 * that momentum and angular momentum are kept to rounding and rigid rotation of a pair is no slip. u
 * turns with the contact: Omega = n x n' + n (n.(omega1 + omega2))/2. */
static void find_sphere(const ff_slot *slot, const double *y, ff_touch *out) {
    const double *a = ff_body_state(y, slot->body), *b = ff_body_state(y, slot->other);
    double ca[3], cb[3], d[3], va[3], vb[3], rate[3];
    centre_of(a, slot->center, ca);
    centre_of(b, slot->other_center, cb);
    for (int i = 0; i < 3; i++) {
        d[i] = a[FF_P + i] + ca[i] - b[FF_P + i] - cb[i];
    }
    double distance = sqrt(ff_dot(d, d));
    for (int i = 0; i < 3; i++) {
        out->n[i] = d[i] / distance;
        out->skin[i] = 0;
    }
    out->z = slot->radius + slot->other_radius - distance;
    double lever = slot->radius - out->z * slot->share;
    ff_add_scaled(ca, -lever, out->n, out->arm);
    ff_add_scaled(cb, distance - lever, out->n, out->other);
    velocity_at(a, out->arm, va);
    velocity_at(b, out->other, vb);
    ff_add_scaled(va, -1, vb, va);
    split_velocity(out, va);
    /* n' = (velocity of the centres across n)/distance */
    velocity_at(a, ca, va);
    velocity_at(b, cb, vb);
    ff_add_scaled(va, -1, vb, rate);
    ff_add_scaled(rate, -ff_dot(rate, out->n), out->n, rate);
    ff_cross(out->n, rate, out->turn);
    double spin = 0.5 * (ff_dot(out->n, a + FF_OMEGA) + ff_dot(out->n, b + FF_OMEGA));
    for (int i = 0; i < 3; i++) {
        out->turn[i] = out->turn[i] / distance + spin * out->n[i];
    }
}

void ff_touch_find(const ff_slot *slot, double t, const double *y, ff_touch *out) {
    if (slot->other < 0) {
        find_plane(slot, t, y, out);
    } else {
        find_sphere(slot, y, out);
    }
}

static double level(const ff_slot *slot, const ff_touch *touch) {
    return slot->friction.beta > 0                                    ? 1
           : slot->friction.damping > 0 && slot->friction.law->events ? touch->grade
                                                                      : touch->force;
}

static void answer_normal(const ff_slot *slot, ff_mode mode, const double *state, ff_touch *out) {
    const ff_normal *law = mode == FF_LOADED ? &slot->open : &slot->law;
    /* a slot in contact is at z = 0 at the least: touch-down is found to rounding, on either side */
    bool inside = (mode == FF_LOADED || mode == FF_CLAMPED) && law->law->inner != FF_INNER_RATE;
    double z = inside ? larger(out->z, 0) : out->z;
    law->single->respond(law, &(ff_normal_batch){.count = 1,
                                                 .z = &z,
                                                 .zdot = &out->zdot,
                                                 .inner = state,
                                                 .force = &out->force,
                                                 .loss = &out->loss,
                                                 .rate = &out->rate,
                                                 .grade = &out->grade,
                                                 .ratio = &out->ratio});
}

static void answer_friction(const ff_slot *slot, const double *state, ff_touch *out) {
    const ff_friction *law = &slot->friction;
    double force[3], depth = larger(out->z, FF_DEPTH_FLOOR);
    double slope = law->passive ? (slot->law.n - 1) * pow(depth, slot->law.n - 2) : 0;
    double load = larger(out->force, 0), ratio = larger(out->ratio, 0);
    law->single->respond(law, &(ff_friction_batch){.count = 1,
                                                   .stride = 1,
                                                   .load = &load,
                                                   .grade = &out->grade,
                                                   .ratio = &ratio,
                                                   .grade_slope = &slope,
                                                   .v = out->slip,
                                                   .u = state + 1,
                                                   .force = force,
                                                   .rate = out->u_rate,
                                                   .lift = &out->lift,
                                                   .damper = &out->damper,
                                                   .clutch = &out->clutch,
                                                   .viscous = &out->viscous});
    ff_add_scaled(out->push, 1, force, out->push);
    ff_add_scaled(out->push, out->lift, out->n, out->push);
    if (law->law->inner) {
        /* the lift of a passive clutch is the rest of what its spring takes up */
        out->spring_work =
            law->k * level(slot, out) * ff_dot(state + 1, out->u_rate) + out->lift * out->zdot;
        if (slot->other >= 0) {
            double swing[3];
            ff_cross(out->turn, state + 1, swing);
            ff_add_scaled(out->u_rate, 1, swing, out->u_rate);
        }
    }
}

void ff_touch_answer(const ff_slot *slot, ff_mode mode, const double *state, ff_touch *out) {
    answer_normal(slot, mode, state, out);
    for (int i = 0; i < 3; i++) {
        out->push[i] = out->force * out->n[i];
        out->u_rate[i] = 0;
    }
    out->damper = out->clutch = out->viscous = out->spring_work = out->lift = 0;
    if (slot->slides) {
        answer_friction(slot, state, out);
    }
}

double ff_touch_gap(const ff_slot *slot, const double *state, const ff_touch *touch) {
    if (slot->law.law->inner == FF_INNER_RATE) {
        return touch->z - state[0] * (1 - slot->law.alpha / slot->law.beta);
    }
    return slot->stateful ? touch->z - state[0] : touch->z;
}

double ff_touch_hold(const ff_slot *slot, ff_mode mode, const double *state,
                     const ff_touch *touch) {
    if (slot->law.law->inner == FF_INNER_RATE) {
        return ff_touch_gap(slot, state, touch);
    }
    if (mode == FF_LOADED) {
        return touch->ratio;
    }
    ff_touch open = *touch;
    answer_normal(slot, FF_LOADED, state, &open);
    return open.ratio;
}

double ff_touch_excess(const ff_slot *slot, const double *state, const ff_touch *touch) {
    const ff_friction *law = &slot->friction;
    double s[3];
    if (law->beta > 0) {
        ff_add_scaled(state + 1, law->beta, touch->slip, s);
        return sqrt(ff_dot(s, s)) - law->mu * larger(touch->force, 0) / law->k;
    }
    for (int i = 0; i < 3; i++) {
        s[i] = law->k * state[1 + i] + law->damping * touch->slip[i];
    }
    double lift = touch->lift / larger(touch->grade, 1e-200);
    return sqrt(ff_dot(s, s)) - law->mu * (larger(touch->ratio, 0) + lift);
}

ff_mode ff_touch_mode(const ff_slot *slot, const double *state, const ff_touch *touch) {
    if (!(ff_touch_gap(slot, state, touch) > 0)) {
        return FF_AIR;
    }
    return slot->law.least == 0 && ff_touch_hold(slot, FF_AIR, state, touch) <= 0 ? FF_CLAMPED
                                                                                  : FF_LOADED;
}

double ff_touch_tangential(const ff_slot *slot, const double *state, const ff_touch *touch) {
    return slot->friction.law->inner
               ? slot->friction.k / 2 * level(slot, touch) * ff_dot(state + 1, state + 1)
               : 0;
}

double ff_touch_normal(const ff_slot *slot, const double *state, const ff_touch *touch) {
    if (slot->stateful && state[0] > 0) {
        return slot->law.k * pow(state[0], slot->law.n + 1) / (slot->law.n + 1);
    }
    if (slot->law.law->point || slot->law.law->inner == FF_INNER_RATE) {
        return ff_normal_at(&slot->law, touch->z, touch->zdot, state[0]).stored;
    }
    return slot->law.k * touch->grade * touch->z * touch->z / (slot->law.n + 1);
}

void ff_touch_recover(const ff_slot *slot, const double *state, ff_touch *out) {
    const ff_normal *law = &slot->law;
    const ff_friction *slide = &slot->friction;
    double depth = fmax(state[0], 0), spring = law->k * pow(depth, law->n);
    out->force = out->ratio = out->lift = out->clutch = out->viscous = 0;
    out->grade = pow(depth, law->n - 1);
    out->rate = -law->k / law->lambda_out * pow(depth, law->n - law->p);
    out->loss = -spring * out->rate;
    double ease = slide->damping > 0 && slide->law->events ? slide->k / slide->damping : 0;
    for (int i = 0; i < 3; i++) {
        out->push[i] = 0;
        out->u_rate[i] = -ease * state[1 + i];
    }
    out->damper = slide->damping * out->grade * ff_dot(out->u_rate, out->u_rate);
    out->spring_work = slide->k * out->grade * ff_dot(state + 1, out->u_rate);
}
