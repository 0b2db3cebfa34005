/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "dynamics.h"
#include "body/vector.h"
#include "num/elementary.h"
#include <string.h>

/* Forces are accumulated in an array like that of the bodies: forces in the positions of v', moments in those of omega'.
 * For free bodies it is the array of their rates. */
static void push(double *loads, int body, const double force[3], const double arm[3], double sign) {
    double *at = loads + (size_t)body * FF_BODY_STRIDE, moment[3];
    ff_cross(arm, force, moment);
    ff_add_scaled(at + FF_VEL, sign, force, at + FF_VEL);
    ff_add_scaled(at + FF_OMEGA, sign, moment, at + FF_OMEGA);
}

static void turn(double *loads, int body, const double moment[3], double sign) {
    double *at = loads + (size_t)body * FF_BODY_STRIDE + FF_OMEGA;
    ff_add_scaled(at, sign, moment, at);
}

static void slot_rates(const ff_model *model, size_t i, const ff_phase *phase, double t,
                       const double *bodies, const double *y, double *loads, double *dy) {
    const ff_mode mode = phase->modes[i];
    const ff_slot *slot = &model->slots[i];
    const double *state = y + slot->state_at;
    double *rate = dy + slot->state_at, *integral = dy + slot->integral_at;
    bool recovers = ff_touch_recovers(slot, mode, state);
    if (mode == FF_AIR && !slot->rests && !recovers) {
        return;
    }
    ff_touch found, *touch = &found;
    ff_touch_find(slot, t, bodies, touch);
    if (mode == FF_FREE && !slot->filtered && (touch->z < 0 || ff_touch_ignored(slot, bodies))) {
        return;
    }
    bool follows = phase->slopes && phase->slopes[i].known;
    if (follows) {
        ff_touch_follow(slot, &phase->slopes[i], state, rate, touch);
    } else if (recovers) {
        ff_touch_recover(slot, state, rate, touch);
    } else {
        ff_touch_answer(slot, mode, state, rate, touch);
    }
    if (phase->touches) {
        phase->touches[i] = ff_touch_keep(touch);
    }
    push(loads, slot->body, touch->push, touch->arm, 1);
    if (slot->other >= 0) {
        push(loads, slot->other, touch->push, touch->other, -1);
    }
    if (slot->turns) {
        double moment[3];
        ff_add_scaled(touch->at.moment, touch->at.twist, touch->n, moment);
        turn(loads, slot->body, moment, 1);
        if (slot->other >= 0) {
            turn(loads, slot->other, moment, -1);
        }
    }
    if (follows) {
        return;
    }
    integral[FF_NORMAL_DAMPER] = touch->at.loss;
    if (slot->integral[FF_TANGENTIAL_DAMPER] >= 0) {
        integral[FF_TANGENTIAL_DAMPER] = touch->at.damper;
        integral[FF_SLIP_LOSS] = touch->at.slip;
        integral[FF_VISCOUS] = touch->at.viscous;
    } else if (slot->slides) {
        integral[slot->integral[FF_SLIP_LOSS]] = touch->at.slip;
    }
    if (slot->graded) {
        integral[slot->integral[FF_GRADED_WORK]] = touch->graded_work;
    }
    if (slot->integral[FF_PLANE_WORK] >= 0) {
        double law[6] = {0};
        if (slot->motion) {
            ff_plane_motion_at(slot->motion, t, law);
        }
        integral[slot->integral[FF_PLANE_WORK]] =
            -ff_dot(touch->push, slot->skin) - ff_dot(touch->push, law + 3);
    }
}

/* ---- applied forces ---- */

/* linear between the points of a table and constant beyond */
double ff_force_factor(const ff_force_def *f, double t) {
    if (f->kind != FF_FORCE_TABLE) {
        return 1;
    }
    size_t last = f->points - 1;
    if (t <= f->times[0] || t >= f->times[last]) {
        return f->factors[t <= f->times[0] ? 0 : last];
    }
    size_t i = 1;
    while (f->times[i] < t) {
        i++;
    }
    double part = (t - f->times[i - 1]) / (f->times[i] - f->times[i - 1]);
    return f->factors[i - 1] + part * (f->factors[i] - f->factors[i - 1]);
}

/* the end of a spring at a body (or the world, body -1): arm from the centre of mass, position, velocity */
static void anchor_at(const double *bodies, int body, const double anchor[3], double arm[3],
                      double place[3], double velocity[3]) {
    if (body < 0) {
        memcpy(place, anchor, 3 * sizeof *place);
        memset(velocity, 0, 3 * sizeof *velocity);
        memset(arm, 0, 3 * sizeof *arm);
        return;
    }
    const double *at = ff_body_state(bodies, body);
    double r[3][3];
    ff_rotation(at + FF_Q, r);
    ff_rotate(r, anchor, arm);
    ff_add_scaled(at + FF_P, 1, arm, place);
    ff_cross(at + FF_OMEGA, arm, velocity);
    ff_add_scaled(velocity, 1, at + FF_VEL, velocity);
}

ff_stretch ff_force_stretch(const ff_force_def *f, const double *bodies) {
    ff_stretch out;
    double a[3], b[3], va[3], vb[3];
    anchor_at(bodies, f->body, f->anchor, out.arm, a, va);
    anchor_at(bodies, f->other, f->other_anchor, out.other_arm, b, vb);
    ff_add_scaled(a, -1, b, a);
    ff_add_scaled(va, -1, vb, out.velocity);
    out.length = sqrt(ff_dot(a, a));
    for (int i = 0; i < 3; i++) {
        /* a spring of zero length has no direction */
        out.way[i] = out.length > 0 ? a[i] / out.length : 0;
    }
    out.rate = ff_dot(out.velocity, out.way);
    return out;
}

/* target of a controller and its rate */
static double aim_of(const ff_force_def *f, double t, double *pace) {
    double s = t - f->target_from;
    *pace = f->target[1] + 2 * s * f->target[2];
    return f->target[0] + s * (f->target[1] + s * f->target[2]);
}

/* Force and torque of a force other than a spring on a body: at its centre of mass, in world axes. */
void ff_force_load(const ff_model *model, const ff_phase *phase, size_t i, double t,
                   const double *motion, double force[3], double torque[3]) {
    const ff_force_def *f = &model->forces[i];
    memset(force, 0, 3 * sizeof *force);
    memset(torque, 0, 3 * sizeof *torque);
    if (f->kind == FF_FORCE_CONTROL) {
        memcpy(force, phase->commands + FF_COMMANDS * i, 3 * sizeof *force);
        memcpy(torque, phase->commands + FF_COMMANDS * i + 3, 3 * sizeof *torque);
    } else if (f->kind == FF_FORCE_PD) {
        double pace, target = aim_of(f, t, &pace);
        double size = f->kp * (target - ff_dot(f->axis, motion + FF_P)) +
                      f->kd * (pace - ff_dot(f->axis, motion + FF_VEL));
        ff_add_scaled(force, size, f->axis, force);
    } else {
        double factor = ff_force_factor(f, t);
        ff_add_scaled(force, factor, f->force, force);
        ff_add_scaled(torque, factor, f->torque, torque);
    }
}

static void force_rates(const ff_model *model, const ff_phase *phase, size_t i, double t,
                        const double *bodies, double *loads, double *dy) {
    const ff_force_def *f = &model->forces[i];
    const double *at = ff_body_state(bodies, f->body);
    double *body = loads + (size_t)f->body * FF_BODY_STRIDE, *run = dy + model->run_at;
    if (f->kind == FF_FORCE_SPRING) {
        ff_stretch s = ff_force_stretch(f, bodies);
        double pull[3], size = -(f->stiffness * (s.length - f->rest) + f->damping * s.rate);
        for (int c = 0; c < 3; c++) {
            pull[c] = size * s.way[c];
        }
        push(loads, f->body, pull, s.arm, 1);
        if (f->other >= 0) {
            push(loads, f->other, pull, s.other_arm, -1);
        }
        run[FF_DAMPER_WORK] += f->damping * s.rate * s.rate;
        return;
    }
    double force[3], torque[3];
    ff_force_load(model, phase, i, t, at, force, torque);
    ff_add_scaled(body + FF_VEL, 1, force, body + FF_VEL);
    ff_add_scaled(body + FF_OMEGA, 1, torque, body + FF_OMEGA);
    run[FF_APPLIED_WORK] -= ff_dot(force, at + FF_VEL) + ff_dot(torque, at + FF_OMEGA);
}

/* ---- efforts of joints ---- */

/* the coordinates of a joint and their rates */
static void joint_motion(const ff_model *model, size_t i, const double *bodies, const double *y,
                         double *q, double *rate) {
    const ff_joint *j = &model->joints[i];
    if (model->tree->articulated && !j->loop && j->kind != FF_JOINT_SPHERICAL) {
        const double *at = y + model->body_at[ff_joint_hanging(model, i)];
        memcpy(q, at, (size_t)j->coordinates * sizeof *q);
        memcpy(rate, at + j->coordinates, (size_t)j->coordinates * sizeof *rate);
        return;
    }
    ff_joint_coordinates(j, bodies, q, rate);
}

/* Distance beyond a limit and its rate; side 1 above, -1 below, 0 within: as held between events, or that of q. A limit that is
 * held is left within rounding of z = 0. */
static int beyond(const ff_effort *e, const signed char *held, double q, double rate, double *z,
                  double *pace) {
    const int side = held ? *held : q > e->upper ? 1 : q < e->lower ? -1 : 0;
    *z = fmax(side > 0 ? q - e->upper : e->lower - q, 0);
    *pace = side * rate;
    return side;
}

/* The held side of a coordinate's limits; NULL: not held. */
static const signed char *held_side(const ff_phase *phase, size_t joint, int c) {
    return phase->stops ? &phase->stops[FF_JOINT_COORDINATES * joint + (size_t)c] : NULL;
}

/* The effort of a stop: by its law, or max(0, k z (1 + c z')); `loss`: the power of its damper. */
static double stop_effort(const ff_effort *e, double z, double pace, double *loss) {
    if (e->limit.law) {
        const ff_normal_answer at = ff_normal_at(&e->limit, z, pace, NULL, NULL);
        *loss = at.loss;
        return at.force;
    }
    double spring = e->limit_stiffness * z, all = fmax(0, spring * (1 + e->limit_damping * pace));
    *loss = (all - spring) * pace;
    return all;
}

/* The energy stored in a stop. */
static double stop_springs(const ff_effort *e, double z, double pace) {
    return e->limit.law ? ff_normal_stored(&e->limit, z, pace, NULL)
                        : 0.5 * e->limit_stiffness * z * z;
}

/* Friction along a coordinate: the effort, and the parts of its power. */
static double rub_effort(const ff_model *model, const ff_effort *e, double rate, const double *y,
                         double *dy) {
    double force, lost[FF_LOSSES], *u_rate = e->bristle < 0 ? NULL : dy + e->bristle;
    e->rub(&e->friction, e->load, &rate, e->bristle < 0 ? NULL : y + e->bristle, &force, u_rate,
           lost);
    dy[model->run_at + FF_DAMPER_WORK] +=
        lost[FF_LOST_DAMPER] + lost[FF_LOST_SLIP] + lost[FF_LOST_VISCOUS];
    return force;
}

/* Springs, dampers, limits and friction along a coordinate: the effort, and the parts of its power. */
static double passive_effort(const ff_model *model, const ff_effort *e, const signed char *held,
                             double q, double rate, const double *y, double *dy) {
    double *run = dy + model->run_at, z, pace;
    double effort = -e->stiffness * (q - e->rest) - e->damping * rate;
    run[FF_DAMPER_WORK] += e->damping * rate * rate;
    int side = beyond(e, held, q, rate, &z, &pace);
    if (side) {
        double loss;
        effort -= side * stop_effort(e, z, pace, &loss);
        run[FF_DAMPER_WORK] += loss;
    }
    if (e->has_friction && !e->reacts) {
        effort += rub_effort(model, e, rate, y, dy);
    }
    return effort;
}

/* ---- rotation of spherical joints ---- */

/* The rotation of the second body of a spherical joint relative to the rest position of its spring: R_s = exp(turn) R_f
 * R_rest in world axes, by the shorter rotation; the swing angle between the axes of the two bodies and its unit vector;
 * and the relative angular velocity. */
typedef struct ball {
    double turn[3], spin[3], swing, about[3];
} ball;

static void find_ball(const ff_joint *j, const double *bodies, ball *out) {
    static const double still[FF_BODY_STRIDE] = {[FF_Q] = 1};
    const double *f = j->first < 0 ? still : ff_body_state(bodies, j->first),
                 *s = ff_body_state(bodies, j->second);
    double rest[4], q[4], rf[3][3], rs[3][3], from[3], to[3];
    ff_quaternion_times(f + FF_Q, j->turn, rest);
    const double back[4] = {rest[0], -rest[1], -rest[2], -rest[3]};
    ff_quaternion_times(s + FF_Q, back, q);
    ff_rotation_vector(q, out->turn);
    ff_rotation(f + FF_Q, rf);
    ff_rotation(s + FF_Q, rs);
    ff_rotate(rf, j->axis, from);
    ff_rotate(rs, j->second_axis, to);
    ff_cross(from, to, out->about);
    const double across = sqrt(ff_dot(out->about, out->about));
    out->swing = ff_atan2(across, ff_dot(from, to));
    for (int i = 0; i < 3; i++) {
        out->spin[i] = s[FF_OMEGA + i] - f[FF_OMEGA + i];
        out->about[i] /= across > 0 ? across : 1;
    }
}

/* The moment on the second body: of the spring, which stores k turn^2/2, since turn.turn' = turn.spin; of damper and
 * friction against the spin; and of the stop, since the swing has the rate about.spin. */
static void ball_moment(const ff_model *model, const ff_joint *j, const signed char *held,
                        const double *bodies, double *dy, double out[3]) {
    const ff_effort *e = &j->along[0];
    double *lost = dy + model->run_at + FF_DAMPER_WORK, z, pace, loss, stop = 0;
    ball b;
    find_ball(j, bodies, &b);
    const double spin = sqrt(ff_dot(b.spin, b.spin)),
                 rub = e->has_friction && !e->reacts ? rub_effort(model, e, spin, NULL, dy) : 0,
                 drag = -e->damping + (spin > 0 ? rub / spin : 0);
    *lost += e->damping * spin * spin;
    if (beyond(e, held, b.swing, ff_dot(b.about, b.spin), &z, &pace)) {
        stop = stop_effort(e, z, pace, &loss);
        *lost += loss;
    }
    for (int i = 0; i < 3; i++) {
        out[i] = -e->stiffness * b.turn[i] + drag * b.spin[i] - stop * b.about[i];
    }
}

static double ball_springs(const ff_joint *j, const double *bodies) {
    const ff_effort *e = &j->along[0];
    ball b;
    double z, pace, total;
    find_ball(j, bodies, &b);
    total = 0.5 * e->stiffness * ff_dot(b.turn, b.turn);
    if (beyond(e, NULL, b.swing, ff_dot(b.about, b.spin), &z, &pace)) {
        total += stop_springs(e, z, pace);
    }
    return total;
}

/* ---- derivatives of efforts ---- */

/* Partial derivatives of an effort. Coordinates are either within their limits or beyond; friction has the
 * derivatives of its law in one dimension. */
ff_effort_slopes ff_dynamics_effort_slopes(const ff_phase *phase, const ff_model *model,
                                           size_t joint, int c, double q, double rate,
                                           const double *y) {
    const ff_effort *e = &model->joints[joint].along[c];
    ff_effort_slopes out = {.q = -e->stiffness, .rate = -e->damping};
    double z, pace;
    int side = beyond(e, held_side(phase, joint, c), q, rate, &z, &pace);
    if (side && e->limit.law) {
        static const double none[FF_LAW_STATES];
        double slopes[ff_normal_slope_size(&e->limit)];
        ff_normal_slopes_at(&e->limit, &(ff_normal_query){.z = z, .zdot = pace, .state = none},
                            slopes);
        out.q -= slopes[FF_OF_NORMAL + FF_BY_Z];
        out.rate -= slopes[FF_OF_NORMAL + FF_BY_ZDOT];
    } else if (side && 1 + e->limit_damping * pace > 0) {
        out.q -= e->limit_stiffness * (1 + e->limit_damping * pace);
        out.rate -= e->limit_stiffness * z * e->limit_damping;
    }
    if (e->has_friction) {
        const int columns = FF_BY_U + 3 * e->friction.vectors;
        double slopes[ff_friction_slope_size(&e->friction)], u[3] = {0};
        u[0] = e->bristle < 0 ? 0 : y[e->bristle];
        ff_friction_query at = {.load = e->load, .grade = 1, .ratio = e->load, .v = {rate}, .u = u};
        ff_friction_slopes_at(&e->friction, &at, slopes);
        out.rate += slopes[FF_OF_FORCE * columns + FF_BY_V];
        if (e->bristle >= 0) {
            const double *row = slopes + FF_OF_U_RATES * columns;
            out.state = slopes[FF_OF_FORCE * columns + FF_BY_U];
            out.state_rate = row[FF_BY_V];
            out.state_state = row[FF_BY_U];
        }
    }
    return out;
}

static double actuator_effort(const ff_model *model, const ff_phase *phase, size_t i, double t,
                              double q, double rate, double *dy) {
    const ff_force_def *f = &model->forces[i];
    double pace, effort;
    if (f->kind == FF_FORCE_CONTROL) {
        effort = phase->commands[FF_COMMANDS * i];
    } else if (f->kind == FF_FORCE_PD) {
        double target = aim_of(f, t, &pace);
        effort = f->kp * (target - q) + f->kd * (pace - rate);
    } else {
        effort = f->effort * ff_force_factor(f, t);
    }
    dy[model->run_at + FF_APPLIED_WORK] -= effort * rate;
    return effort;
}

/* A moment between the two bodies of a joint. */
static void turn_both(const ff_joint *j, const double moment[3], double *loads) {
    turn(loads, j->second, moment, 1);
    if (j->first >= 0) {
        turn(loads, j->first, moment, -1);
    }
}

/* A force between the two bodies of a joint, at the second's anchor, `arm` from its centre of mass. */
static void push_both(const ff_joint *j, const double *bodies, const double force[3],
                      const double arm[3], double *loads) {
    push(loads, j->second, force, arm, 1);
    if (j->first >= 0) {
        double way[3];
        ff_add_scaled(ff_body_state(bodies, j->second) + FF_P, -1,
                      ff_body_state(bodies, j->first) + FF_P, way);
        ff_add_scaled(arm, 1, way, way);
        push(loads, j->first, force, way, -1);
    }
}

/* Efforts along the coordinates of a joint as forces and moments on its two bodies. Their power is that of the efforts on
 * the rates of ff_joint_coordinates(), because the axes of a universal joint are perpendicular, and so are the directions
 * and the axis of a planar one. */
void ff_dynamics_effort_loads(const ff_joint *j, const double *bodies, const double *effort,
                              double *loads) {
    const double *s = ff_body_state(bodies, j->second);
    double turned[3][3], first[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, axis[3], arm[3];
    double force[3] = {0}, moment[3] = {0}, way[3];
    ff_rotation(s + FF_Q, turned);
    ff_rotate(turned, j->second_axis, axis);
    ff_rotate(turned, j->second_anchor, arm);
    if (j->first >= 0) {
        ff_rotation(ff_body_state(bodies, j->first) + FF_Q, first);
    }
    switch (j->kind) {
    case FF_JOINT_REVOLUTE:
    case FF_JOINT_SCREW:
        ff_add_scaled(moment, effort[0], axis, moment);
        turn_both(j, moment, loads);
        return;
    case FF_JOINT_PRISMATIC:
        ff_add_scaled(force, effort[0], axis, force);
        push_both(j, bodies, force, arm, loads);
        return;
    case FF_JOINT_UNIVERSAL:
        ff_rotate(first, j->axis, way);
        ff_add_scaled(moment, effort[0], way, moment);
        ff_add_scaled(moment, effort[1], axis, moment);
        turn_both(j, moment, loads);
        return;
    case FF_JOINT_PLANAR:
        for (int i = 0; i < 2; i++) {
            ff_rotate(first, j->ways[i], way);
            ff_add_scaled(force, effort[i], way, force);
        }
        ff_rotate(first, j->axis, axis);
        ff_add_scaled(moment, effort[2], axis, moment);
        push_both(j, bodies, force, arm, loads);
        turn_both(j, moment, loads);
        return;
    case FF_JOINT_CYLINDRICAL:
        ff_rotate(first, j->axis, axis);
        ff_add_scaled(force, effort[0], axis, force);
        ff_add_scaled(moment, effort[1], axis, moment);
        push_both(j, bodies, force, arm, loads);
        turn_both(j, moment, loads);
        return;
    case FF_JOINT_SPHERICAL: turn_both(j, effort, loads); return;
    default: return;
    }
}

/* Whether efforts of a spherical joint act on its first body: the one that hangs by it in an articulated tree. */
bool ff_dynamics_hangs_reversed(const ff_model *model, size_t joint) {
    const ff_joint *j = &model->joints[joint];
    return model->tree->articulated && !j->loop && ff_joint_hanging(model, joint) != j->second;
}

/* Adds an effort along a coordinate of a joint, or about an axis of the first body of a spherical joint. Efforts of
 * spherical joints are moments in world axes, on the body that hangs by the joint in an articulated tree, otherwise
 * on the second body. */
static void add_effort(const ff_model *model, size_t joint, int c, const double *bodies,
                       double effort, double *out) {
    const ff_joint *j = &model->joints[joint];
    if (j->kind != FF_JOINT_SPHERICAL) {
        out[c] += effort;
        return;
    }
    double first[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    if (j->first >= 0) {
        ff_rotation(ff_body_state(bodies, j->first) + FF_Q, first);
    }
    for (int i = 0; i < 3; i++) {
        out[i] += (ff_dynamics_hangs_reversed(model, joint) ? -effort : effort) * first[i][c];
    }
}

static void joint_rates(const ff_model *model, const ff_phase *phase, double t,
                        const double *bodies, const double *y, double *dy) {
    ff_mechanism *m = phase->mechanism;
    memset(m->effort, 0, model->joint_count * sizeof *m->effort);
    double q[FF_JOINT_COORDINATES], rate[FF_JOINT_COORDINATES];
    for (size_t i = 0; i < model->joint_count; i++) {
        const ff_joint *j = &model->joints[i];
        if (j->works && j->kind == FF_JOINT_SPHERICAL) {
            ball_moment(model, j, held_side(phase, i, 0), bodies, dy, m->effort[i]);
            for (int c = 0; c < 3 && ff_dynamics_hangs_reversed(model, i); c++) {
                m->effort[i][c] *= -1;
            }
            continue;
        }
        if (j->works) {
            joint_motion(model, i, bodies, y, q, rate);
        }
        for (int c = 0; j->works && c < j->coordinates; c++) {
            if (j->along[c].works) {
                m->effort[i][c] = passive_effort(model, &j->along[c], held_side(phase, i, c), q[c],
                                                 rate[c], y, dy);
            }
        }
    }
    for (size_t i = 0; i < model->force_count; i++) {
        const ff_force_def *f = &model->forces[i];
        if (f->joint >= 0 && phase->acting[i]) {
            const int c = f->coordinate;
            joint_motion(model, (size_t)f->joint, bodies, y, q, rate);
            add_effort(model, (size_t)f->joint, c, bodies,
                       actuator_effort(model, phase, i, t, q[c], rate[c], dy), m->effort[f->joint]);
        }
    }
    for (size_t i = 0; i < model->joint_count; i++) {
        const ff_joint *j = &model->joints[i];
        bool acts = j->kind == FF_JOINT_SPHERICAL && j->works;
        for (int c = 0; c < j->coordinates; c++) {
            acts = acts || m->effort[i][c] != 0;
        }
        if (acts && (!model->tree->articulated || j->loop)) {
            ff_dynamics_effort_loads(j, bodies, m->effort[i], m->loads);
        }
    }
}

static double effort_springs(const ff_effort *e, double q, double rate, const double *y) {
    double total = 0.5 * e->stiffness * (q - e->rest) * (q - e->rest), z, pace;
    if (beyond(e, NULL, q, rate, &z, &pace)) {
        total += stop_springs(e, z, pace);
    }
    if (e->bristle >= 0) {
        double u[3] = {y[e->bristle]};
        total +=
            e->friction.law->stored(&e->friction, ff_friction_level(&e->friction, 1, e->load), u);
    }
    return total;
}

static double joint_springs(const ff_model *model, const double *bodies, const double *y) {
    double total = 0, q[FF_JOINT_COORDINATES], rate[FF_JOINT_COORDINATES];
    for (size_t i = 0; i < model->joint_count; i++) {
        const ff_joint *j = &model->joints[i];
        if (j->works && j->kind == FF_JOINT_SPHERICAL) {
            total += ball_springs(j, bodies);
            continue;
        }
        if (j->works) {
            joint_motion(model, i, bodies, y, q, rate);
        }
        for (int c = 0; j->works && c < j->coordinates; c++) {
            total += j->along[c].works ? effort_springs(&j->along[c], q[c], rate[c], y) : 0;
        }
    }
    return total;
}

double ff_dynamics_springs(const ff_model *model, const ff_phase *phase, const double *bodies,
                           const double *y) {
    double total = joint_springs(model, bodies, y);
    for (size_t i = 0; i < model->force_count; i++) {
        const ff_force_def *f = &model->forces[i];
        if (f->kind == FF_FORCE_SPRING && phase->acting[i]) {
            double off = ff_force_stretch(f, bodies).length - f->rest;
            total += 0.5 * f->stiffness * off * off;
        }
    }
    return total;
}

/* ---- what root functions and scales of joints depend on ---- */

void ff_dynamics_joint_place(const ff_model *model, size_t joint, int c, const double *bodies,
                             const double *y, ff_joint_place *out) {
    const ff_joint *j = &model->joints[joint];
    const bool swings = j->kind == FF_JOINT_SPHERICAL,
               read = model->tree->articulated && !j->loop && !swings;
    double size = 0, speed = 0;
    if (swings) {
        ball b;
        find_ball(j, bodies, &b);
        *out = (ff_joint_place){
            .q = b.swing, .rate = ff_dot(b.about, b.spin), .slip = sqrt(ff_dot(b.spin, b.spin))};
    } else {
        double q[FF_JOINT_COORDINATES], rate[FF_JOINT_COORDINATES];
        joint_motion(model, joint, bodies, y, q, rate);
        *out = (ff_joint_place){.q = q[c], .rate = rate[c], .slip = rate[c]};
    }
    /* coordinates that are states have no terms; others are differences of positions or of directions */
    const bool slides = ff_joint_coordinate_slides(j->kind, c);
    for (int side = 0; !read && side < 2; side++) {
        const int of = side ? j->second : j->first;
        const double *at = of < 0 ? NULL : ff_body_state(bodies, of);
        for (int k = 0; at && k < 3; k++) {
            size += slides ? fabs(at[FF_P + k]) : 0;
            speed += fabs(at[(slides ? FF_VEL : FF_OMEGA) + k]);
        }
    }
    out->size = fabs(out->q) + size + (read || slides ? 0 : 1);
    out->speed = fabs(out->rate) + fabs(out->slip) + speed;
}

double ff_dynamics_joint_wound(const ff_model *model, size_t joint, const double *bodies,
                               const double *y) {
    const ff_joint *j = &model->joints[joint];
    double mass = model->bodies[j->second].mass, total = 0;
    if (j->first >= 0) {
        mass = fmin(mass, model->bodies[j->first].mass);
    }
    for (int c = 0; c < FF_JOINT_COORDINATES; c++) {
        const ff_effort *e = &j->along[c];
        const bool stops = !isinf(e->lower) || !isinf(e->upper);
        ff_joint_place at;
        double z, pace;
        if (stops || e->bristle >= 0) {
            ff_dynamics_joint_place(model, joint, c, bodies, y, &at);
        }
        if (stops && beyond(e, NULL, at.q, at.rate, &z, &pace)) {
            total += stop_springs(e, z, pace);
        }
        if (e->bristle >= 0) {
            const double u[3] = {y[e->bristle]};
            total += ff_friction_stored(
                &e->friction,
                &(ff_friction_query){
                    .load = e->load, .grade = 1, .ratio = e->load, .v = {at.slip}, .u = u});
        }
    }
    return sqrt(2 * total / mass);
}

/* ---- rates ---- */

/* Sets the rates of the locked velocities of a body to 0. */
static void lock(unsigned locked, double *rate) {
    for (int c = 0; c < 3; c++) {
        rate[FF_VEL + c] = locked >> c & 1 ? 0 : rate[FF_VEL + c];
        rate[FF_OMEGA + c] = locked >> (c + 3) & 1 ? 0 : rate[FF_OMEGA + c];
    }
}

/* Newton-Euler equations: m v' = f + m g, I omega' = moment - omega x I omega, with I rotated into world axes */
static void body_rates(const ff_model *model, size_t i, const double *y, double *dy) {
    const ff_model_body *body = &model->bodies[i];
    const double *at = y + i * FF_BODY_STRIDE;
    double *rate = dy + i * FF_BODY_STRIDE;
    memcpy(rate + FF_P, at + FF_VEL, 3 * sizeof *rate);
    if (!body->free_turning) {
        ff_quaternion_rate(at + FF_Q, at + FF_OMEGA, rate + FF_Q);
    }
    for (int c = 0; c < 3; c++) {
        rate[FF_VEL + c] = rate[FF_VEL + c] * body->per_mass + model->gravity[c];
    }
    if (body->round) {
        for (int c = 0; c < 3; c++) {
            rate[FF_OMEGA + c] *= body->per_inertia[0][0];
        }
    } else {
        double r[3][3], omega[3], spin[3], gyro[3], moment[3];
        ff_rotation(at + FF_Q, r);
        ff_rotate_back(r, at + FF_OMEGA, omega);
        ff_rotate_back(r, rate + FF_OMEGA, moment);
        ff_rotate(body->inertia, omega, spin);
        ff_cross(omega, spin, gyro);
        ff_add_scaled(moment, -1, gyro, moment);
        ff_rotate(body->per_inertia, moment, moment);
        ff_rotate(r, moment, rate + FF_OMEGA);
    }
    if (body->locked) {
        lock(body->locked, rate);
    }
}

/* Locks of bodies without joints in a scene that has some. */
static void tree_locks(const ff_model *model, double *dy) {
    for (size_t i = 0; i < model->body_count; i++) {
        if (model->bodies[i].locked) {
            lock(model->bodies[i].locked, dy + model->body_at[i]);
        }
    }
}

void ff_dynamics_slot(const ff_model *model, size_t slot, const ff_phase *phase, double t,
                      const double *bodies, const double *y, double *loads, double *dy) {
    slot_rates(model, slot, phase, t, bodies, y, loads, dy);
}

void ff_dynamics_rates(const ff_model *model, const ff_phase *phase, double t, const double *y,
                       double *dy) {
    if (model->tree && model->tree->driven) {
        /* the stages of a step deviate from prescribed motions by the error of the step */
        ff_mechanism *m = phase->mechanism;
        ff_mechanism_time(m, t);
        memcpy(m->led, y, model->states * sizeof *y);
        ff_mechanism_lead(m, m->led);
        y = m->led;
    }
    const double *bodies = ff_mechanism_bodies(model, phase->mechanism, y);
    double *loads = dy;
    memset(dy, 0, model->size * sizeof *dy);
    if (model->tree) {
        loads = phase->mechanism->loads;
        memset(loads, 0, model->body_count * FF_BODY_STRIDE * sizeof *loads);
    }
    for (size_t i = 0; i < model->slot_count; i++) {
        slot_rates(model, i, phase, t, bodies, y, loads, dy);
    }
    if (model->topology->controls.acts) {
        ff_control_act(&(ff_control_view){model, phase, t, bodies, y}, dy);
    }
    for (size_t i = 0; i < model->force_count; i++) {
        if (phase->acting[i] && model->forces[i].joint < 0) {
            force_rates(model, phase, i, t, bodies, loads, dy);
        }
    }
    if (model->tree) {
        joint_rates(model, phase, t, bodies, y, dy);
        if (model->tree->reacts) {
            ff_bearings_rates(model, phase, bodies, y, dy);
        } else {
            ff_mechanism_rates(phase->mechanism, phase->way, y, dy);
        }
        if (model->tree->locks) {
            tree_locks(model, dy);
        }
    }
    for (size_t i = 0; !model->tree && i < model->body_count; i++) {
        body_rates(model, i, y, dy);
    }
}

/* ---- reactions ---- */

void ff_dynamics_reaction(const ff_model *model, const ff_mechanism *m, const double *bodies,
                          const double *y, size_t joint, ff_joint_record *out) {
    const ff_joint *j = &model->joints[joint];
    const double *s = ff_body_state(bodies, j->second);
    double turn[3][3], arm[3], six[6] = {0}, moment[3];
    ff_rotation(s + FF_Q, turn);
    ff_rotate(turn, j->second_anchor, arm);
    ff_add_scaled(s + FF_P, 1, arm, out->anchor);
    if (model->tree->articulated && !j->loop) {
        int body = ff_joint_hanging(model, joint);
        memcpy(six, m->push[body], sizeof six);
        if (body != j->second) {
            /* on the first body about its anchor: the second gets the opposite, about its own */
            double way[3];
            ff_add_scaled(out->anchor, -1, m->links[body].point, way);
            ff_cross(way, six, moment);
            for (int c = 0; c < 3; c++) {
                six[3 + c] = moment[c] - six[3 + c];
                six[c] = -six[c];
            }
        }
    } else {
        /* multipliers act at the centre of mass, efforts where they act */
        double *loads = m->scratch;
        memset(loads, 0, model->body_count * FF_BODY_STRIDE * sizeof *loads);
        ff_dynamics_effort_loads(j, bodies, m->effort[joint], loads);
        const double *own = loads + (size_t)j->second * FF_BODY_STRIDE + FF_VEL;
        const int gear = j->kind == FF_JOINT_GEAR;
        for (int c = 0; c < 6; c++) {
            six[c] = own[c];
            for (int r = 0; r < j->rows; r++) {
                /* the second body of a gear is that of its second joint */
                six[c] +=
                    m->rows[joint].second[r + gear][c] * m->multipliers[j->row_at + (size_t)r];
            }
        }
        ff_cross(arm, six, moment);
        ff_add_scaled(six + 3, -1, moment, six + 3);
    }
    memcpy(out->force, six, sizeof out->force);
    memcpy(out->moment, six + 3, sizeof out->moment);
    memcpy(out->effort, m->effort[joint], sizeof out->effort);
    if (j->kind == FF_JOINT_SPHERICAL) {
        for (int c = 0; c < 3 && ff_dynamics_hangs_reversed(model, joint); c++) {
            out->effort[c] *= -1;
        }
        if (j->first >= 0) {
            ff_rotation(ff_body_state(bodies, j->first) + FF_Q, turn);
            ff_rotate_back(turn, out->effort, out->effort);
        }
    }
    size_t row = j->row_at + (size_t)(j->rows - j->drives);
    for (int c = 0; c < j->coordinates && (!model->tree->articulated || j->loop); c++) {
        out->effort[c] += j->law[c] ? m->multipliers[row++] : 0;
    }
    ff_joint_coordinates(j, bodies, out->position, out->rate);
    const ff_link *link = &model->tree->links[ff_joint_hanging(model, joint)];
    if (model->tree->articulated && !j->loop && link->coordinates <= FF_JOINT_COORDINATES) {
        /* full turns are counted if a coordinate is part of the state */
        const double *at = y + link->at;
        size_t size = (size_t)link->coordinates * sizeof *at;
        memcpy(out->position, at, size);
        memcpy(out->rate, at + link->coordinates, size);
    }
}

/* ---- energies ---- */

double ff_dynamics_kinetic(const ff_model *model, const double *bodies) {
    double total = 0;
    for (size_t i = 0; i < model->body_count; i++) {
        const ff_model_body *body = &model->bodies[i];
        const double *at = bodies + i * FF_BODY_STRIDE;
        double r[3][3], omega[3], spin[3];
        ff_rotation(at + FF_Q, r);
        ff_rotate_back(r, at + FF_OMEGA, omega);
        ff_rotate(body->inertia, omega, spin);
        total += 0.5 * (body->mass * ff_dot(at + FF_VEL, at + FF_VEL) + ff_dot(omega, spin));
    }
    return total;
}

double ff_dynamics_gravity(const ff_model *model, const double *bodies, bool moving) {
    double total = 0;
    for (size_t i = 0; i < model->body_count; i++) {
        const ff_model_body *b = &model->bodies[i];
        total -= b->moves == moving
                     ? b->mass * ff_dot(model->gravity, bodies + i * FF_BODY_STRIDE + FF_P)
                     : 0;
    }
    return total;
}
