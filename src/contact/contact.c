/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "contact.h"
#include "body/vector.h"
#include "num/elementary.h"
#include <string.h>

/* like fmax(), which is a function call */
static inline double larger(double a, double b) { return a > b ? a : b; }

/* the centre of a sphere relative to its body's centre of mass, world axes */
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

/* splits v into zdot along n and the slip perpendicular to it */
static inline void split_velocity(ff_touch *out, const double n[3], const double v[3]) {
    double along = ff_dot(v, n);
    out->zdot = -along;
    ff_add_scaled(v, -along, n, out->slide.v);
}

/* A sphere on a plane: the force acts at the lowest point of the undeformed sphere, so that velocity and moment have the
 * same lever r (docs/theory.md, Readings of the papers); with share = 1 both have r - z. */
static void find_plane(const ff_slot *slot, double t, const double *bodies, ff_touch *out) {
    const double *body = ff_body_state(bodies, slot->body), *n = slot->normal;
    double centre[3], arm[3], v[3];
    centre_of(body, slot->center, centre);
    double z = slot->level + t * slot->rise - ff_dot(body + FF_P, n) - ff_dot(centre, n), law[6];
    if (slot->motion) {
        ff_plane_motion_at(slot->motion, t, law);
        z += ff_dot(law, n);
    }
    out->z = z;
    /* stored at the end: values kept in registers until then, because partial stores stall later loads */
    ff_add_scaled(centre, slot->share * z - slot->radius, n, arm);
    velocity_at(body, arm, v);
    ff_add_scaled(v, -1, slot->skin, v);
    if (slot->motion) {
        ff_add_scaled(v, -1, law + 3, v);
    }
    split_velocity(out, n, v);
    memcpy(out->arm, arm, sizeof out->arm);
    memcpy(out->n, n, sizeof out->n);
}

/* Two spheres: both forces act at one common point of the line of centres, r_i - z R/r_i from each, so that momentum and
 * angular momentum are conserved to rounding and a rigid rotation of the pair is not slip. u rotates with the contact:
 * Omega = n x n' + n (n.(omega1 + omega2))/2. */
static void find_sphere(const ff_slot *slot, const double *bodies, ff_touch *out) {
    const double *a = ff_body_state(bodies, slot->body), *b = ff_body_state(bodies, slot->other);
    /* stored at the end: values kept in registers until then, because partial stores stall later loads */
    double ca[3], cb[3], d[3], n[3], arm[3], other[3], va[3], vb[3], rate[3], turn[3];
    centre_of(a, slot->center, ca);
    centre_of(b, slot->other_center, cb);
    for (int i = 0; i < 3; i++) {
        d[i] = a[FF_P + i] + ca[i] - b[FF_P + i] - cb[i];
    }
    const double distance = sqrt(ff_dot(d, d));
    for (int i = 0; i < 3; i++) {
        n[i] = d[i] / distance;
    }
    const double z = slot->radius + slot->other_radius - distance,
                 lever = slot->radius - z * slot->share;
    ff_add_scaled(ca, -lever, n, arm);
    ff_add_scaled(cb, distance - lever, n, other);
    velocity_at(a, arm, va);
    velocity_at(b, other, vb);
    ff_add_scaled(va, -1, vb, va);
    split_velocity(out, n, va);
    /* n x n', where n' is the velocity of the centres perpendicular to n over the distance: n x the whole velocity is the
     * same */
    velocity_at(a, ca, va);
    velocity_at(b, cb, vb);
    ff_add_scaled(va, -1, vb, rate);
    ff_cross(n, rate, turn);
    const double spin = 0.5 * (ff_dot(n, a + FF_OMEGA) + ff_dot(n, b + FF_OMEGA));
    for (int i = 0; i < 3; i++) {
        out->turn[i] = turn[i] / distance + spin * n[i];
    }
    out->z = z;
    memcpy(out->n, n, sizeof out->n);
    memcpy(out->arm, arm, sizeof out->arm);
    memcpy(out->other, other, sizeof out->other);
}

/* Relative rotation of the bodies, for laws of rolling and drilling friction: spin about the normal, roll about axes in the
 * tangent plane. */
static void find_turning(const ff_slot *slot, const double *bodies, ff_touch *out) {
    const double *a = ff_body_state(bodies, slot->body) + FF_OMEGA;
    double w[3] = {a[0], a[1], a[2]};
    if (slot->other >= 0) {
        ff_add_scaled(w, -1, ff_body_state(bodies, slot->other) + FF_OMEGA, w);
    }
    out->slide.spin = ff_dot(w, out->n);
    memcpy(out->slide.n, out->n, sizeof out->n);
    ff_add_scaled(w, -out->slide.spin, out->n, out->slide.roll);
    out->slide.radius =
        slot->other < 0 ? slot->radius
                        : slot->radius * slot->other_radius / (slot->radius + slot->other_radius);
}

void ff_touch_find(const ff_slot *slot, double t, const double *bodies, ff_touch *out) {
    if (slot->other < 0) {
        find_plane(slot, t, bodies, out);
    } else {
        find_sphere(slot, bodies, out);
    }
    if (slot->turns) {
        find_turning(slot, bodies, out);
    }
}

bool ff_touch_ignored(const ff_slot *slot, const double *bodies) {
    return slot->gated && ff_dot(slot->gate, ff_body_state(bodies, slot->body) + FF_OMEGA) >= 0;
}

/* Depth for the law: a slot in contact has at least z = 0, since touch-down is located only up to rounding on either side. */
static inline ff_normal_query query_in(const ff_slot *slot, ff_mode mode, const double *state,
                                       double z, double zdot) {
    bool inside = (mode == FF_LOADED || mode == FF_CLAMPED) && !slot->filtered;
    return (ff_normal_query){inside ? larger(z, 0) : z, zdot, state, mode == FF_LOADED};
}

/* Evaluates only the normal law. */
static void answer_normal(const ff_slot *slot, const ff_normal_query *query, double *rate,
                          ff_touch *out) {
    ff_normal_answer at = {.rate = rate};
    slot->law.respond(&slot->law, query, &at);
    out->at = (ff_pair_answer){
        .force = at.force, .loss = at.loss, .grade = at.grade, .ratio = at.ratio, .hold = at.hold};
    out->graded_work = 0;
    for (int i = 0; i < 3; i++) {
        out->push[i] = at.force * out->n[i];
    }
}

void ff_touch_press(const ff_slot *slot, ff_mode mode, const double *state, ff_touch *out) {
    const ff_normal_query query = query_in(slot, mode, state, out->z, out->zdot);
    answer_normal(slot, &query, NULL, out);
}

bool ff_touch_has_friction(const ff_slot *slot, ff_mode mode, const double *state,
                           const ff_touch *touch) {
    double rate;
    return slot->slides && mode != FF_AIR &&
           !(mode == FF_FREE && slot->filtered && ff_touch_gap(slot, state, touch, &rate) <= 0);
}

/* The power absorbed by friction springs at their current level, from the rates with which u is integrated. */
static inline double graded_work(const ff_slot *slot, const double *by, const double *rate,
                                 const ff_touch *touch) {
    double sum = by[0] * rate[0] + by[1] * rate[1] + by[2] * rate[2];
    for (int i = 3; i < 3 * slot->friction.vectors; i++) {
        sum += by[i] * rate[i];
    }
    return ff_touch_level(slot, touch) * sum;
}

/* ---- rolling and twist (docs/theory.md, Rolling and twist) ---- */

/* Query of a law of rolling or twist, after friction: velocity, load (`share` times that of friction), and the grade
 * by which its answers are divided; its moment is then `arm` times its force. */
typedef struct turning_query {
    double v[3], load, share, arm, grade;
} turning_query;

/* the load of friction, also for an adhesive law, including lift */
static double load_of(const ff_slot *slot, const ff_touch *touch) {
    const ff_pair_answer *at = &touch->at;
    return larger(ff_normal_load(&slot->law, at->force, at->grade, at->ratio) + at->lift, 0);
}

/* w = R omega_r x n, M = R n x f: M.omega_r = f.w */
static turning_query query_rolling(const ff_slot *slot, const ff_touch *touch) {
    turning_query out = {
        .load = load_of(slot, touch), .share = 1, .arm = touch->slide.radius, .grade = 1};
    ff_cross(touch->slide.roll, touch->n, out.v);
    for (int i = 0; i < 3; i++) {
        out.v[i] *= out.arm;
    }
    return out;
}

/* The radius of the contact: sqrt(R z), unless the normal law has its own. */
static double contact_radius(const ff_slot *slot, const double *state, const ff_touch *touch) {
    const ff_normal_law *law = slot->law.law;
    return law->contact_radius ? law->contact_radius(&slot->law, touch->z, state)
                               : sqrt(touch->slide.radius * larger(touch->z, 0));
}

/* The arms of twist are A for its velocity, spring and damper, and L for its limit. Where they differ, the law gets L/A times
 * the load, and its spring deflects by A spin: k is constant, and the moment A f and the spin are dual.
 *
 * Marshall's twist has the spring, damper and viscous friction of sliding, spread evenly over the circle of contact: the
 * moment is their coefficient times (1/(pi a^2)) int r^2 dA = a^2/2 times the angle or the spin, and at most
 * mu N (1/(pi a^2)) int r dA = (2/3) a mu N. A coefficient that does not depend on depth needs A = a/sqrt(2). If it is k g, g being
 * the grade, then A = a sqrt(g/2), and the law is evaluated at the grade g and divided by it (docs/theory.md, Rolling and
 * twist). Laws without a spring have A = L. */
static turning_query query_twist(const ff_slot *slot, const double *state, const ff_touch *touch) {
    static const double hertz = 0.58904862254808623; /* 3 pi/16 */
    const double a = slot->arm == FF_ARM_LENGTH ? 0 : contact_radius(slot, state, touch),
                 limit = slot->arm == FF_ARM_LENGTH  ? slot->arm_length
                         : slot->arm == FF_ARM_HERTZ ? hertz * a
                                                     : a * (2.0 / 3);
    const bool shared = slot->arm == FF_ARM_MARSHALL && slot->twist.vectors > 0;
    /* 1e-200 lets the law divide by a grade of 0, at z = 0 */
    const double grade = shared && slot->twist.law->level == FF_LEVEL_GRADE
                             ? larger(touch->at.grade, 1e-200)
                             : 1,
                 arm = shared ? a * sqrt(grade / 2) : limit;
    turning_query out = {.load = arm > 0 ? load_of(slot, touch) * limit / arm : 0,
                         .share = arm > 0 ? limit / arm : 0,
                         .arm = arm,
                         .grade = grade};
    for (int i = 0; i < 3; i++) {
        out.v[i] = arm * touch->slide.spin * touch->n[i];
    }
    return out;
}

static ff_friction_query turning_slide(const turning_query *q, const double *u,
                                       const ff_touch *touch) {
    return (ff_friction_query){.z = touch->z,
                               .zdot = touch->zdot,
                               .load = q->grade * q->load,
                               .grade = q->grade,
                               .ratio = q->load,
                               .v = {q->v[0], q->v[1], q->v[2]},
                               .u = u};
}

/* Evaluates a law of rolling or twist, whose springs have their own stiffness, and adds its losses. Its force on the
 * first body is stored in `force`. */
static void ask_turning(const ff_slot *slot, const ff_friction *law, int at, const double *state,
                        double *rate, const turning_query *query, ff_touch *out, double force[3]) {
    double unwanted[FF_FRICTION_STATES];
    const ff_friction_query q = turning_slide(query, state + at, out);
    ff_friction_answer f = {.rate = rate ? rate + at : unwanted};
    law->respond(law, &q, &f);
    for (int i = 0; i < 3; i++) {
        force[i] = f.force[i] / query->grade;
    }
    out->at.damper += f.damper / query->grade;
    out->at.slip += f.slip / query->grade;
    out->at.viscous += f.viscous / query->grade;
    if (slot->other >= 0 && rate && law->vectors > 0) {
        double swing[3];
        ff_cross(out->turn, state + at, swing);
        ff_add_scaled(rate + at, 1, swing, rate + at);
    }
}

double ff_touch_turning_edge(const ff_slot *slot, int twist, const double *state,
                             const ff_touch *touch, const double errors[3], double *noise) {
    const ff_friction *law = twist ? &slot->twist : &slot->rolling;
    const turning_query query =
        twist ? query_twist(slot, state, touch) : query_rolling(slot, touch);
    const ff_friction_query q =
        turning_slide(&query, state + (twist ? ff_slot_twist(slot) : ff_slot_rolling(slot)), touch);
    if (!law->law->slips) {
        *noise = errors[1];
        return law->law->bend(law, &q);
    }
    double unwanted[FF_FRICTION_STATES];
    ff_friction_answer f = {.rate = unwanted};
    law->respond(law, &q, &f);
    /* the deflection contains the square root of the grade */
    const double root = sqrt(query.grade);
    *noise = ff_friction_excess_error(law, &q, query.grade * query.share * errors[0],
                                      root * errors[1], root * errors[2]);
    return f.excess;
}

/* Evaluates all laws of a pair with rolling or twist. A law of rolling with lift adds to the load of the others. */
static void answer_all(const ff_slot *slot, const ff_normal_query *query, const double *state,
                       double *rate, double *by, ff_touch *out) {
    const ff_friction *rolling = &slot->rolling, *friction = &slot->friction;
    const bool whole = rolling->law && rolling->turns;
    double unwanted[FF_FRICTION_STATES], force[3];
    ff_normal_answer n = {.rate = rate};
    slot->law.respond(&slot->law, query, &n);
    ff_friction_query q = out->slide;
    q.z = query->z;
    q.zdot = query->zdot;
    q.load = ff_normal_load(&slot->law, n.force, n.grade, n.ratio);
    q.grade = n.grade;
    q.grade_slope = n.grade_slope;
    q.ratio = friction->lifts ? n.ratio : larger(n.ratio, 0);
    ff_friction_answer f = {.rate = rate ? rate + ff_slot_u(slot) : unwanted, .graded_by = by},
                       r = {.rate = unwanted};
    if (whole) {
        rolling->respond(rolling, &q, &r);
        q.load = larger(q.load + r.lift, 0);
        q.ratio += r.lift / larger(n.grade, 1e-200);
        q.ratio = friction->lifts ? q.ratio : larger(q.ratio, 0);
    }
    q.u = state + ff_slot_u(slot);
    friction->respond(friction, &q, &f);
    const bool bed = whole && rolling->law->of_normal;
    out->at.force = n.force;
    out->at.loss = n.loss + (bed ? r.damper : 0);
    out->at.grade = n.grade;
    out->at.ratio = n.ratio;
    out->at.hold = n.hold;
    out->at.lift = f.lift + r.lift;
    out->at.damper = f.damper + (bed ? 0 : r.damper);
    out->at.slip = f.slip + r.slip;
    out->at.viscous = f.viscous + r.viscous;
    out->at.excess = f.excess;
    out->at.strain = f.strain;
    out->at.first = f.first;
    out->at.graded = f.graded;
    out->at.twist = f.twist + r.twist;
    memcpy(out->at.pull, f.force, sizeof out->at.pull);
    ff_add_scaled(f.moment, 1, r.moment, out->at.moment);
    ff_add_scaled(out->at.pull, 1, r.force, out->at.pull);
    if (rolling->law && !whole) {
        double moment[3];
        const turning_query w = query_rolling(slot, out);
        ask_turning(slot, rolling, ff_slot_rolling(slot), state, rate, &w, out, force);
        ff_cross(out->n, force, moment);
        ff_add_scaled(out->at.moment, w.arm, moment, out->at.moment);
    }
    if (slot->twist.law) {
        const turning_query w = query_twist(slot, state, out);
        ask_turning(slot, &slot->twist, ff_slot_twist(slot), state, rate, &w, out, force);
        out->at.twist += w.arm * ff_dot(force, out->n);
    }
}

void ff_touch_answer(const ff_slot *slot, ff_mode mode, const double *state, double *rate,
                     ff_touch *out) {
    const ff_normal_query query = query_in(slot, mode, state, out->z, out->zdot);
    if (!ff_touch_has_friction(slot, mode, state, out)) {
        answer_normal(slot, &query, rate, out);
        return;
    }
    const int at = ff_slot_u(slot);
    const bool works = rate && slot->graded;
    double by[FF_FRICTION_STATES], *u_rate = rate ? rate + at : NULL;
    out->slide.u = state + at;
    out->at.rate = rate;
    out->at.u_rate = u_rate;
    out->at.graded_by = works ? by : NULL;
    if (slot->resists) {
        answer_all(slot, &query, state, rate, works ? by : NULL, out);
    } else {
        slot->both(&slot->law, &slot->friction, &query, &out->slide, &out->at);
    }
    double along = out->at.force + out->at.lift;
    for (int i = 0; i < 3; i++) {
        out->push[i] = out->at.pull[i] + along * out->n[i];
    }
    for (int i = 0; slot->other >= 0 && rate && i < 3 * slot->friction.vectors; i += 3) {
        double swing[3];
        ff_cross(out->turn, state + at + i, swing);
        ff_add_scaled(u_rate + i, 1, swing, u_rate + i);
    }
    if (works) {
        out->graded_work = graded_work(slot, by, u_rate, out);
    }
}

double ff_touch_hold(const ff_slot *slot, const double *state, const ff_touch *touch) {
    ff_normal_answer at = {0};
    slot->law.respond(&slot->law, &(ff_normal_query){larger(touch->z, 0), touch->zdot, state, true},
                      &at);
    return at.hold;
}

ff_mode ff_touch_mode(const ff_slot *slot, const double *state, const ff_touch *touch) {
    double rate;
    if (!(ff_touch_gap(slot, state, touch, &rate) > 0)) {
        return FF_AIR;
    }
    return slot->law.clamps && ff_touch_hold(slot, state, touch) <= 0 ? FF_CLAMPED : FF_LOADED;
}

double ff_touch_hold_size(const ff_slot *slot, const double *state, const ff_touch *touch,
                          double size, double speed) {
    const ff_normal_query q = {larger(touch->z, 0), touch->zdot, state, true};
    return fabs(touch->at.hold) + ff_normal_hold_error(&slot->law, &q, size, speed);
}

/* The query of a friction law after the normal law has been evaluated. */
static ff_friction_query slide_query(const ff_slot *slot, const double *state,
                                     const ff_touch *touch) {
    ff_friction_query q = touch->slide;
    q.z = touch->z;
    q.zdot = touch->zdot;
    q.load = ff_normal_load(&slot->law, touch->at.force, touch->at.grade, touch->at.ratio);
    q.grade = touch->at.grade;
    q.ratio = larger(touch->at.ratio, 0);
    q.u = state + ff_slot_u(slot);
    return q;
}

double ff_touch_bend(const ff_slot *slot, const double *state, const ff_touch *touch) {
    const ff_friction_query q = slide_query(slot, state, touch);
    return slot->friction.law->bend(&slot->friction, &q);
}

double ff_touch_excess_size(const ff_slot *slot, const double *state, const ff_touch *touch,
                            double size, double speed) {
    const ff_friction_query q = slide_query(slot, state, touch);
    double reach = 0, off = q.load + touch->at.lift;
    for (int i = 0; i < 3 * slot->friction.vectors; i++) {
        reach += fabs(q.u[i]);
    }
    if (slot->law.clamps) {
        off += q.grade * ff_touch_hold_size(slot, state, touch, size, speed);
    }
    return ff_friction_excess_error(&slot->friction, &q, off, speed, reach);
}

double ff_touch_tangential(const ff_slot *slot, const double *state, const ff_touch *touch) {
    const ff_friction *law = &slot->friction;
    double sum = law->vectors == 0
                     ? 0
                     : law->law->stored(law, ff_touch_level(slot, touch), state + ff_slot_u(slot));
    if (slot->rolling.vectors > 0) {
        sum += slot->rolling.law->stored(&slot->rolling, 1, state + ff_slot_rolling(slot));
    }
    if (slot->twist.vectors > 0) {
        sum += slot->twist.law->stored(&slot->twist, 1, state + ff_slot_twist(slot));
    }
    return sum;
}

double ff_touch_normal(const ff_slot *slot, ff_mode mode, const double *state,
                       const ff_touch *touch) {
    if (ff_touch_recovers(slot, mode, state)) {
        return ff_normal_stored(&slot->law, state[ff_slot_ground(slot)], 0, state);
    }
    ff_normal_query q = query_in(slot, mode, state, touch->z, touch->zdot);
    return ff_normal_stored(&slot->law, q.z, q.zdot, state);
}

/* k z^n + lambda z^p z' + lift = 0: the law gives the recovery rate, and friction the relaxation of u meanwhile. */
void ff_touch_recover(const ff_slot *slot, const double *state, double *rate, ff_touch *out) {
    const ff_friction *friction = &slot->friction;
    const double *u = state + ff_slot_u(slot);
    double depth = larger(state[ff_slot_ground(slot)], 0), unused[FF_FRICTION_STATES],
           by[FF_FRICTION_STATES];
    ff_normal_answer normal = {0};
    slot->law.respond(&slot->law, &(ff_normal_query){.z = depth, .state = state}, &normal);
    ff_friction_answer grip = {.rate = unused};
    double lift = 0;
    if (friction->law->relax) {
        ff_friction_query q = {
            .z = depth, .grade = normal.grade, .grade_slope = normal.grade_slope, .u = u};
        friction->respond(friction, &q, &grip);
        lift = grip.lift;
        grip =
            (ff_friction_answer){.rate = rate ? rate + ff_slot_u(slot) : unused, .graded_by = by};
        friction->law->relax(friction, normal.grade, u, &grip);
    }
    out->at = (ff_pair_answer){.grade = normal.grade, .damper = grip.damper, .graded = grip.graded};
    out->slide.zdot = slot->law.law->recover(&slot->law, depth, lift, &out->at.loss);
    out->graded_work = 0;
    if (rate) {
        rate[ff_slot_ground(slot)] = out->slide.zdot;
    }
    if (rate && slot->graded && friction->law->relax) {
        out->graded_work = graded_work(slot, by, grip.rate, out);
    }
    memset(out->push, 0, sizeof out->push);
}

double ff_touch_ground_rate(const ff_slot *slot, const double *state) {
    ff_touch touch = {0};
    ff_touch_recover(slot, state, NULL, &touch);
    return touch.slide.zdot;
}
