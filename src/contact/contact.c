/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "contact.h"
#include "body/vector.h"
#include "num/elementary.h"
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
static inline void split_velocity(ff_touch *out, const double n[3], const double v[3]) {
    double along = ff_dot(v, n);
    out->zdot = -along;
    ff_add_scaled(v, -along, n, out->slide.v);
}

/* A sphere on a plane: the force acts at the bottom of the undeformed sphere, so that velocity and
 * moment have the same lever r (docs/theory.md, Readings of the papers). */
static void find_plane(const ff_slot *slot, double t, const double *bodies, ff_touch *out) {
    const double *body = ff_body_state(bodies, slot->body), *n = slot->normal;
    double centre[3], arm[3], v[3];
    centre_of(body, slot->center, centre);
    out->z = slot->level + t * slot->rise - ff_dot(body + FF_P, n) - ff_dot(centre, n);
    /* in registers until the end: what is stored in parts is read back late */
    ff_add_scaled(centre, -slot->radius, n, arm);
    velocity_at(body, arm, v);
    ff_add_scaled(v, -1, slot->skin, v);
    split_velocity(out, n, v);
    memcpy(out->arm, arm, sizeof out->arm);
    memcpy(out->n, n, sizeof out->n);
}

/* Two spheres: both forces act at one common point of the line of centres, r_i - z R/r_i from each, so
 * that momentum and angular momentum are kept to rounding and rigid rotation of a pair is no slip. u
 * turns with the contact: Omega = n x n' + n (n.(omega1 + omega2))/2. */
static void find_sphere(const ff_slot *slot, const double *bodies, ff_touch *out) {
    const double *a = ff_body_state(bodies, slot->body), *b = ff_body_state(bodies, slot->other);
    double ca[3], cb[3], d[3], va[3], vb[3], rate[3];
    centre_of(a, slot->center, ca);
    centre_of(b, slot->other_center, cb);
    for (int i = 0; i < 3; i++) {
        d[i] = a[FF_P + i] + ca[i] - b[FF_P + i] - cb[i];
    }
    double distance = sqrt(ff_dot(d, d));
    for (int i = 0; i < 3; i++) {
        out->n[i] = d[i] / distance;
    }
    out->z = slot->radius + slot->other_radius - distance;
    double lever = slot->radius - out->z * slot->share;
    ff_add_scaled(ca, -lever, out->n, out->arm);
    ff_add_scaled(cb, distance - lever, out->n, out->other);
    velocity_at(a, out->arm, va);
    velocity_at(b, out->other, vb);
    ff_add_scaled(va, -1, vb, va);
    split_velocity(out, out->n, va);
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

void ff_touch_find(const ff_slot *slot, double t, const double *bodies, ff_touch *out) {
    if (slot->other < 0) {
        find_plane(slot, t, bodies, out);
    } else {
        find_sphere(slot, bodies, out);
    }
}

bool ff_touch_ignored(const ff_slot *slot, const double *bodies) {
    return slot->gated && ff_dot(slot->gate, ff_body_state(bodies, slot->body) + FF_OMEGA) >= 0;
}

/* The stiffness of the tangential spring over k: 1 for sat, the grade for a clutch, the load for bristles, which is 0
 * where the normal force pulls. */
static double level(const ff_slot *slot, const ff_touch *touch) {
    return slot->friction.beta > 0 ? 1
           : slot->friction.damping > 0 && slot->friction.law->events
               ? touch->normal.grade
               : larger(touch->normal.force, 0);
}

/* a slot in contact is at z = 0 at the least: touch-down is found to rounding, on either side */
static double depth_in(const ff_slot *slot, ff_mode mode, double z) {
    bool inside =
        (mode == FF_LOADED || mode == FF_CLAMPED) && slot->law.law->inner != FF_INNER_RATE;
    return inside ? larger(z, 0) : z;
}

static void answer_normal(const ff_slot *slot, ff_mode mode, const double *state, ff_touch *out) {
    const ff_normal *law = mode == FF_LOADED ? &slot->open : &slot->law;
    if (law->law->point) {
        /* a caller's own law need not fill in everything */
        out->normal = (ff_normal_answer){0};
    }
    law->single(law, depth_in(slot, mode, out->z), out->zdot, state[0], &out->normal);
}

static void answer_friction(const ff_slot *slot, const double *state, ff_touch *out) {
    const ff_friction *law = &slot->friction;
    out->slide.load = larger(out->normal.force, 0);
    out->slide.grade = out->normal.grade;
    out->slide.ratio = larger(out->normal.ratio, 0);
    out->slide.zdot = out->zdot;
    if (law->passive) {
        double depth = larger(out->z, FF_DEPTH_FLOOR);
        out->slide.grade_slope = (slot->law.n - 1) * ff_pow(depth, slot->law.n - 2);
    }
    memcpy(out->slide.u, state + 1, sizeof out->slide.u);
    if (law->law->point) {
        out->grip = (ff_friction_answer){0};
    }
    law->single(law, &out->slide, &out->grip);
    for (int i = 0; i < 3; i++) {
        out->push[i] += out->grip.force[i] + out->grip.lift * out->n[i];
    }
    if (law->law->inner) {
        /* the lift of a passive clutch is the rest of what its spring takes up */
        out->spring_work = law->k * level(slot, out) * ff_dot(state + 1, out->grip.rate) +
                           out->grip.lift * out->zdot;
        if (slot->other >= 0) {
            double swing[3];
            ff_cross(out->turn, state + 1, swing);
            ff_add_scaled(out->grip.rate, 1, swing, out->grip.rate);
        }
    }
}

bool ff_touch_rubs(const ff_slot *slot, ff_mode mode, const double *state, const ff_touch *touch) {
    bool filtered = slot->law.law->inner == FF_INNER_RATE;
    return slot->slides && mode != FF_AIR &&
           !(mode == FF_FREE && filtered && ff_touch_gap(slot, state, touch) <= 0);
}

void ff_touch_answer(const ff_slot *slot, ff_mode mode, const double *state, ff_touch *out) {
    answer_normal(slot, mode, state, out);
    for (int i = 0; i < 3; i++) {
        out->push[i] = out->normal.force * out->n[i];
    }
    out->spring_work = 0;
    if (ff_touch_rubs(slot, mode, state, out)) {
        answer_friction(slot, state, out);
    } else {
        out->grip = (ff_friction_answer){0};
    }
}

double ff_touch_hold(const ff_slot *slot, ff_mode mode, const double *state,
                     const ff_touch *touch) {
    if (slot->law.law->inner == FF_INNER_RATE) {
        return ff_touch_gap(slot, state, touch);
    }
    if (mode == FF_LOADED) {
        return touch->normal.ratio;
    }
    ff_normal_answer open = {0};
    slot->open.single(&slot->open, larger(touch->z, 0), touch->zdot, state[0], &open);
    return open.ratio;
}

double ff_touch_excess(const ff_slot *slot, const double *state, const ff_touch *touch) {
    const ff_friction *law = &slot->friction;
    double s[3];
    if (law->beta > 0) {
        ff_add_scaled(state + 1, law->beta, touch->slide.v, s);
        return sqrt(ff_dot(s, s)) - law->mu * larger(touch->normal.force, 0) / law->k;
    }
    for (int i = 0; i < 3; i++) {
        s[i] = law->k * state[1 + i] + law->damping * touch->slide.v[i];
    }
    double lift = touch->grip.lift / larger(touch->normal.grade, 1e-200);
    return sqrt(ff_dot(s, s)) - law->mu * (larger(touch->normal.ratio, 0) + lift);
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
        return slot->law.k * ff_pow(state[0], slot->law.n + 1) / (slot->law.n + 1);
    }
    if (slot->law.law->point || slot->law.law->inner == FF_INNER_RATE) {
        return ff_normal_at(&slot->law, touch->z, touch->zdot, state[0]).stored;
    }
    return slot->law.k * touch->normal.grade * touch->z * touch->z / (slot->law.n + 1);
}

void ff_touch_recover(const ff_slot *slot, const double *state, ff_touch *out) {
    const ff_normal *law = &slot->law;
    const ff_friction *slide = &slot->friction;
    double depth = fmax(state[0], 0), spring = law->k * ff_pow(depth, law->n);
    out->normal =
        (ff_normal_answer){.grade = ff_pow(depth, law->n - 1),
                           .rate = -law->k / law->lambda_out * ff_pow(depth, law->n - law->p)};
    out->normal.loss = -spring * out->normal.rate;
    out->grip = (ff_friction_answer){0};
    double ease = slide->damping > 0 && slide->law->events ? slide->k / slide->damping : 0;
    for (int i = 0; i < 3; i++) {
        out->push[i] = 0;
        out->grip.rate[i] = -ease * state[1 + i];
    }
    out->grip.damper = slide->damping * out->normal.grade * ff_dot(out->grip.rate, out->grip.rate);
    out->spring_work = slide->k * out->normal.grade * ff_dot(state + 1, out->grip.rate);
}
