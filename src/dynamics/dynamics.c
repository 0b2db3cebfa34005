/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "dynamics.h"
#include "body/vector.h"
#include <string.h>

/* forces gather where accelerations will be: force in the place of v', moment in that of omega' */
static void push(double *dy, int body, const double force[3], const double arm[3], double sign) {
    double *at = dy + (size_t)body * FF_BODY_STRIDE, moment[3];
    ff_cross(arm, force, moment);
    ff_add_scaled(at + FF_VEL, sign, force, at + FF_VEL);
    ff_add_scaled(at + FF_OMEGA, sign, moment, at + FF_OMEGA);
}

static void slot_rates(const ff_model *model, size_t i, const ff_phase *phase, double t,
                       const double *y, double *dy) {
    const ff_mode mode = phase->modes[i];
    const ff_slot *slot = &model->slots[i];
    const double *state = y + model->slot_at + i * FF_CONTACT_STRIDE;
    double *rate = dy + model->slot_at + i * FF_CONTACT_STRIDE;
    double *integral = dy + model->integral_at + i * FF_CONTACT_INTEGRALS;
    bool recovers = mode == FF_AIR && slot->stateful && state[0] > 0;
    if (mode == FF_AIR && slot->law.law->inner != FF_INNER_RATE && !recovers) {
        return;
    }
    ff_touch local, *touch = phase->touches ? &phase->touches[i] : &local;
    ff_touch_find(slot, t, y, touch);
    if (mode == FF_FREE && touch->z < 0 && slot->law.law->inner != FF_INNER_RATE) {
        return;
    }
    if (recovers) {
        ff_touch_recover(slot, state, touch);
    } else {
        ff_touch_answer(slot, mode, state, touch);
    }
    rate[0] = touch->normal.rate;
    memcpy(rate + 1, touch->grip.rate, sizeof touch->grip.rate);
    integral[FF_NORMAL_DAMPER] = touch->normal.loss;
    integral[FF_TANGENTIAL_DAMPER] = touch->grip.damper;
    integral[FF_CLUTCH] = touch->grip.clutch;
    integral[FF_VISCOUS] = touch->grip.viscous;
    integral[FF_SPRING_WORK] = touch->spring_work;
    push(dy, slot->body, touch->push, touch->arm, 1);
    if (slot->other >= 0) {
        push(dy, slot->other, touch->push, touch->other, -1);
    } else {
        integral[FF_PLANE_WORK] = -ff_dot(touch->push, slot->skin);
    }
}

/* ---- applied forces ---- */

/* a table's factor at time t, linear between its points and constant beyond */
static double factor_at(const ff_force_def *f, double t) {
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

/* where a spring holds a body (or the world, body -1): arm from the centre of mass, place, velocity */
static void anchor_at(const double *y, int body, const double anchor[3], double arm[3],
                      double place[3], double velocity[3]) {
    if (body < 0) {
        memcpy(place, anchor, 3 * sizeof *place);
        memset(velocity, 0, 3 * sizeof *velocity);
        memset(arm, 0, 3 * sizeof *arm);
        return;
    }
    const double *at = ff_body_state(y, body);
    double r[3][3];
    ff_rotation(at + FF_Q, r);
    ff_rotate(r, anchor, arm);
    ff_add_scaled(at + FF_P, 1, arm, place);
    ff_cross(at + FF_OMEGA, arm, velocity);
    ff_add_scaled(velocity, 1, at + FF_VEL, velocity);
}

typedef struct {
    double arm[3], other_arm[3], way[3]; /* way: unit vector from the other end to the body */
    double length, rate;
} stretch;

static stretch stretch_of(const ff_force_def *f, const double *y) {
    stretch out;
    double a[3], b[3], va[3], vb[3];
    anchor_at(y, f->body, f->anchor, out.arm, a, va);
    anchor_at(y, f->other, f->other_anchor, out.other_arm, b, vb);
    ff_add_scaled(a, -1, b, a);
    ff_add_scaled(va, -1, vb, va);
    out.length = sqrt(ff_dot(a, a));
    for (int i = 0; i < 3; i++) {
        /* a spring of no length pulls nowhere */
        out.way[i] = out.length > 0 ? a[i] / out.length : 0;
    }
    out.rate = ff_dot(va, out.way);
    return out;
}

static void force_rates(const ff_model *model, const ff_force_def *f, double t, const double *y,
                        double *dy) {
    const double *at = ff_body_state(y, f->body);
    double *body = dy + (size_t)f->body * FF_BODY_STRIDE, *run = dy + model->run_at;
    if (f->kind == FF_FORCE_SPRING) {
        stretch s = stretch_of(f, y);
        double pull[3], size = -(f->stiffness * (s.length - f->rest) + f->damping * s.rate);
        for (int i = 0; i < 3; i++) {
            pull[i] = size * s.way[i];
        }
        push(dy, f->body, pull, s.arm, 1);
        if (f->other >= 0) {
            push(dy, f->other, pull, s.other_arm, -1);
        }
        run[FF_DAMPER_WORK] += f->damping * s.rate * s.rate;
        return;
    }
    double force[3] = {0}, torque[3] = {0};
    if (f->kind == FF_FORCE_PD) {
        double s = t - f->target_from;
        double target = f->target[0] + s * (f->target[1] + s * f->target[2]);
        double pace = f->target[1] + 2 * s * f->target[2];
        double size = f->kp * (target - ff_dot(f->axis, at + FF_P)) +
                      f->kd * (pace - ff_dot(f->axis, at + FF_VEL));
        ff_add_scaled(force, size, f->axis, force);
    } else {
        double factor = f->kind == FF_FORCE_TABLE ? factor_at(f, t) : 1;
        ff_add_scaled(force, factor, f->force, force);
        ff_add_scaled(torque, factor, f->torque, torque);
    }
    ff_add_scaled(body + FF_VEL, 1, force, body + FF_VEL);
    ff_add_scaled(body + FF_OMEGA, 1, torque, body + FF_OMEGA);
    run[FF_APPLIED_WORK] -= ff_dot(force, at + FF_VEL) + ff_dot(torque, at + FF_OMEGA);
}

double ff_dynamics_springs(const ff_model *model, const ff_phase *phase, const double *y) {
    double total = 0;
    for (size_t i = 0; i < model->force_count; i++) {
        const ff_force_def *f = &model->forces[i];
        if (f->kind == FF_FORCE_SPRING && phase->acting[i]) {
            double off = stretch_of(f, y).length - f->rest;
            total += 0.5 * f->stiffness * off * off;
        }
    }
    return total;
}

/* ---- all together ---- */

/* Newton and Euler: m v' = f + m g, I omega' = moment - omega x I omega, I turned into world axes */
static void body_rates(const ff_model *model, size_t i, const double *y, double *dy) {
    const ff_model_body *body = &model->bodies[i];
    const double *at = y + i * FF_BODY_STRIDE;
    double *rate = dy + i * FF_BODY_STRIDE;
    memcpy(rate + FF_P, at + FF_VEL, 3 * sizeof *rate);
    ff_quaternion_rate(at + FF_Q, at + FF_OMEGA, rate + FF_Q);
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
    for (int c = 0; body->locked && c < 3; c++) {
        rate[FF_VEL + c] = body->locked >> c & 1 ? 0 : rate[FF_VEL + c];
        rate[FF_OMEGA + c] = body->locked >> (c + 3) & 1 ? 0 : rate[FF_OMEGA + c];
    }
}

void ff_dynamics_rates(const ff_model *model, const ff_phase *phase, double t, const double *y,
                       double *dy) {
    memset(dy, 0, model->size * sizeof *dy);
    for (size_t i = 0; i < model->slot_count; i++) {
        slot_rates(model, i, phase, t, y, dy);
    }
    for (size_t i = 0; i < model->force_count; i++) {
        if (phase->acting[i]) {
            force_rates(model, &model->forces[i], t, y, dy);
        }
    }
    for (size_t i = 0; i < model->body_count; i++) {
        body_rates(model, i, y, dy);
    }
}

double ff_dynamics_kinetic(const ff_model *model, const double *y) {
    double total = 0;
    for (size_t i = 0; i < model->body_count; i++) {
        const ff_model_body *body = &model->bodies[i];
        const double *at = y + i * FF_BODY_STRIDE;
        double r[3][3], omega[3], spin[3];
        ff_rotation(at + FF_Q, r);
        ff_rotate_back(r, at + FF_OMEGA, omega);
        ff_rotate(body->inertia, omega, spin);
        total += 0.5 * (body->mass * ff_dot(at + FF_VEL, at + FF_VEL) + ff_dot(omega, spin));
    }
    return total;
}

double ff_dynamics_gravity(const ff_model *model, const double *y) {
    double total = 0;
    for (size_t i = 0; i < model->body_count; i++) {
        total -= model->bodies[i].mass * ff_dot(model->gravity, y + i * FF_BODY_STRIDE + FF_P);
    }
    return total;
}
