/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "body/vector.h"
#include "dynamics.h"

/* A matrix over the states that act on something; entries of others are dropped. */
typedef struct {
    const int *place;
    size_t stride;
    double *at;
} matrix;

static void add(const matrix *out, size_t row, size_t column, double value) {
    if (out->place[row] >= 0 && out->place[column] >= 0) {
        out->at[(size_t)out->place[row] * out->stride + (size_t)out->place[column]] += value;
    }
}

/* What a slot answers to: depth, inner state, velocity of the touching point, u. */
enum { BY_DEPTH, BY_INNER, BY_VELOCITY, BY_U = 5, CAUSES = 8 };

/* A force or rate of three components that depends on load, grade, slip = (1 - n n^T) velocity and u;
 * zdot = -n.velocity. */
static void chain(const ff_normal_answer *normal, const double n[3], const double by_v[3][3],
                  const double by_u[3][3], const double by_load[3], const double by_grade[3],
                  double out[3][CAUSES]) {
    for (int i = 0; i < 3; i++) {
        double along = ff_dot(by_v[i], n);
        out[i][BY_DEPTH] = by_load[i] * normal->dF_dz + by_grade[i] * normal->grade_slope;
        out[i][BY_INNER] = by_load[i] * normal->dF_dinner;
        for (int j = 0; j < 3; j++) {
            out[i][BY_VELOCITY + j] = by_v[i][j] - (along + by_load[i] * normal->dF_dzdot) * n[j];
            out[i][BY_U + j] = by_u[i][j];
        }
    }
}

/* One row of a slot, by the states of its body and its own: the depth falls as the body moves along the
 * normal, the touching point moves with v + omega x arm. */
static void spread(const matrix *out, size_t row, size_t body, size_t state, const double n[3],
                   const double arm[3], const double by[CAUSES]) {
    double by_omega[3];
    ff_cross(arm, by + BY_VELOCITY, by_omega);
    for (size_t j = 0; j < 3; j++) {
        add(out, row, body + FF_P + j, -by[BY_DEPTH] * n[j]);
        add(out, row, body + FF_VEL + j, by[BY_VELOCITY + j]);
        add(out, row, body + FF_OMEGA + j, by_omega[j]);
        add(out, row, state + 1 + j, by[BY_U + j]);
    }
    add(out, row, state, by[BY_INNER]);
}

static bool slot_slopes(const ff_model *model, size_t i, ff_mode mode, double t, const double *y,
                        const matrix *out) {
    const ff_slot *slot = &model->slots[i];
    size_t body = (size_t)slot->body * FF_BODY_STRIDE,
           state = model->slot_at + i * FF_CONTACT_STRIDE;
    const ff_normal *law = mode == FF_LOADED ? &slot->open : &slot->law;
    if (mode == FF_AIR && law->law->inner != FF_INNER_RATE && !slot->stateful) {
        return true;
    }
    if (slot->other >= 0 || slot->stateful || slot->friction.passive || law->law->point ||
        slot->friction.law->point || mode == FF_FREE) {
        return false;
    }
    ff_touch touch;
    ff_touch_find(slot, t, y, &touch);
    ff_touch_answer(slot, mode, y + state, &touch);
    /* as the force sees it: a contact begins at z = 0, on either side by rounding */
    double z = law->law->inner == FF_INNER_RATE || touch.z > 0 ? touch.z : 0;
    ff_normal_answer at = ff_normal_at(law, z, touch.zdot, y[state]);
    ff_friction_slopes f = {0};
    if (slot->slides && mode != FF_AIR) {
        f = ff_friction_slopes_at(&slot->friction, &touch.slide);
    }
    double push[3][CAUSES], u_rate[3][CAUSES];
    for (int c = 0; c < 3; c++) {
        /* what pulls is no load */
        f.df_dload[c] = (touch.normal.force > 0 ? f.df_dload[c] : 0) + touch.n[c];
        f.dr_dload[c] = touch.normal.force > 0 ? f.dr_dload[c] : 0;
    }
    chain(&at, touch.n, f.df_dv, f.df_du, f.df_dload, f.df_dgrade, push);
    chain(&at, touch.n, f.dr_dv, f.dr_du, f.dr_dload, f.dr_dgrade, u_rate);
    double moment[3][CAUSES];
    for (int c = 0; c < CAUSES; c++) {
        double column[3] = {push[0][c], push[1][c], push[2][c]}, turn[3];
        ff_cross(touch.arm, column, turn);
        for (int j = 0; j < 3; j++) {
            push[j][c] *= model->bodies[slot->body].per_mass;
            moment[j][c] = turn[j] * model->bodies[slot->body].per_inertia[0][0];
        }
    }
    unsigned locked = model->bodies[slot->body].locked;
    for (size_t j = 0; j < 3; j++) {
        if (!(locked >> j & 1)) {
            spread(out, body + FF_VEL + j, body, state, touch.n, touch.arm, push[j]);
        }
        if (!(locked >> (j + 3) & 1)) {
            spread(out, body + FF_OMEGA + j, body, state, touch.n, touch.arm, moment[j]);
        }
        spread(out, state + 1 + j, body, state, touch.n, touch.arm, u_rate[j]);
    }
    spread(out, state, body, state, touch.n, touch.arm,
           (double[CAUSES]){[BY_DEPTH] = at.drate_dz, [BY_INNER] = at.drate_dinner});
    return true;
}

/* The rate of a quaternion is linear in it and in omega: columns from unit vectors. */
static void turning_slopes(const matrix *out, size_t body, const double *y) {
    for (size_t c = 0; c < 7 && out->place[body + FF_Q] >= 0; c++) {
        double unit[4] = {0}, column[4];
        unit[c < 4 ? c : c - 4] = 1;
        if (c < 4) {
            ff_quaternion_rate(unit, y + body + FF_OMEGA, column);
        } else {
            ff_quaternion_rate(y + body + FF_Q, unit, column);
        }
        for (size_t r = 0; r < 4; r++) {
            add(out, body + FF_Q + r, body + (c < 4 ? FF_Q + c : FF_OMEGA + c - 4), column[r]);
        }
    }
}

bool ff_dynamics_jacobian(const ff_model *model, const ff_phase *phase, double t, const double *y,
                          const int *place, size_t stride, double *out) {
    const matrix table = {place, stride, out};
    if (model->tree) {
        return false;
    }
    for (size_t i = 0; i < stride * stride; i++) {
        out[i] = 0;
    }
    for (size_t i = 0; i < model->body_count; i++) {
        if (!model->bodies[i].free_turning) {
            return false;
        }
        size_t body = i * FF_BODY_STRIDE;
        turning_slopes(&table, body, y);
        for (size_t c = 0; c < 3; c++) {
            add(&table, body + FF_P + c, body + FF_VEL + c, 1);
        }
    }
    for (size_t i = 0; i < model->force_count; i++) {
        const ff_force_def *f = &model->forces[i];
        const ff_model_body *body = &model->bodies[f->body];
        size_t at = (size_t)f->body * FF_BODY_STRIDE;
        for (size_t r = 0; r < 3 && phase->acting[i] && f->kind == FF_FORCE_PD; r++) {
            for (size_t c = 0; c < 3 && !(body->locked >> r & 1); c++) {
                double axes = f->axis[r] * f->axis[c] * body->per_mass;
                add(&table, at + FF_VEL + r, at + FF_P + c, -f->kp * axes);
                add(&table, at + FF_VEL + r, at + FF_VEL + c, -f->kd * axes);
            }
        }
    }
    for (size_t i = 0; i < model->slot_count; i++) {
        if (!slot_slopes(model, i, phase->modes[i], t, y, &table)) {
            return false;
        }
    }
    return true;
}
