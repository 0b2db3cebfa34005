/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "body/vector.h"
#include "dynamics.h"
#include <string.h>

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

/* One row of a slot, by the states of its body and its own: the depth falls as the body moves along the
 * normal, the touching point moves with v + omega x arm. */
static void spread(const matrix *out, size_t row, size_t body, size_t state, const double n[3],
                   const double arm[3], const double by[FF_CAUSES]) {
    double by_omega[3];
    ff_cross(arm, by + FF_BY_VELOCITY, by_omega);
    for (size_t j = 0; j < 3; j++) {
        add(out, row, body + FF_P + j, -by[FF_BY_DEPTH] * n[j]);
        add(out, row, body + FF_VEL + j, by[FF_BY_VELOCITY + j]);
        add(out, row, body + FF_OMEGA + j, by_omega[j]);
        add(out, row, state + 1 + j, by[FF_BY_U + j]);
    }
    add(out, row, state, by[FF_BY_INNER]);
}

static bool slot_slopes(const ff_model *model, size_t i, ff_mode mode, double t, const double *y,
                        const matrix *out) {
    const ff_slot *slot = &model->slots[i];
    size_t body = (size_t)slot->body * FF_BODY_STRIDE,
           state = model->slot_at + i * FF_CONTACT_STRIDE;
    ff_touch_slopes slopes;
    if (ff_touch_silent(slot, mode)) {
        return true;
    }
    if (!ff_touch_slopes_find(slot, mode, t, y, y + state, &slopes)) {
        return false;
    }
    const ff_touch *touch = &slopes.touch;
    double(*push)[FF_CAUSES] = slopes.push;
    double moment[3][FF_CAUSES];
    for (int c = 0; c < FF_CAUSES; c++) {
        double column[3] = {push[0][c], push[1][c], push[2][c]}, turn[3];
        ff_cross(touch->arm, column, turn);
        for (int j = 0; j < 3; j++) {
            push[j][c] *= model->bodies[slot->body].per_mass;
            moment[j][c] = turn[j] * model->bodies[slot->body].per_inertia[0][0];
        }
    }
    unsigned locked = model->bodies[slot->body].locked;
    for (size_t j = 0; j < 3; j++) {
        if (!(locked >> j & 1)) {
            spread(out, body + FF_VEL + j, body, state, touch->n, touch->arm, push[j]);
        }
        if (!(locked >> (j + 3) & 1)) {
            spread(out, body + FF_OMEGA + j, body, state, touch->n, touch->arm, moment[j]);
        }
        spread(out, state + 1 + j, body, state, touch->n, touch->arm, slopes.u_rate[j]);
    }
    spread(out, state, body, state, touch->n, touch->arm, slopes.inner_rate);
    return true;
}

/* Of a mechanism: by differences of its kinematics and dynamics, which are gentle, under contact forces that follow the
 * tangents of their laws, which need not be. */
static bool mechanism_slopes(const ff_model *model, const ff_phase *phase, double t,
                             const double *y, const matrix *out) {
    ff_mechanism *m = phase->mechanism;
    const double *bodies = ff_mechanism_bodies(model, m, y);
    for (size_t i = 0; i < model->slot_count; i++) {
        const double *state = y + model->slot_at + i * FF_CONTACT_STRIDE;
        m->slopes[i].known = !ff_touch_silent(&model->slots[i], phase->modes[i]) &&
                             ff_touch_slopes_find(&model->slots[i], phase->modes[i], t, bodies,
                                                  state, &m->slopes[i]);
    }
    ff_phase tangent = *phase;
    tangent.touches = NULL;
    tangent.slopes = m->slopes;
    double *to = m->slope_rates, *moved = to + model->size, *here = moved + model->size;
    const double *from = phase->rates;
    if (!from) {
        ff_dynamics_rates(model, &tangent, t, y, here);
        from = here;
    }
    memcpy(moved, y, model->states * sizeof *y);
    for (size_t j = 0; j < model->states; j++) {
        if (out->place[j] < 0) {
            continue;
        }
        /* half the digits: rounding and curvature then weigh the same */
        moved[j] = y[j] + 1.5e-8 * fmax(fabs(y[j]), model->scales[j]);
        double step = moved[j] - y[j];
        ff_dynamics_rates(model, &tangent, t, moved, to);
        moved[j] = y[j];
        for (size_t i = 0; i < model->states; i++) {
            add(out, i, j, (to[i] - from[i]) / step);
        }
    }
    return true;
}

bool ff_dynamics_jacobian(const ff_model *model, const ff_phase *phase, double t, const double *y,
                          const int *place, size_t stride, double *out) {
    const matrix table = {place, stride, out};
    for (size_t i = 0; i < stride * stride; i++) {
        out[i] = 0;
    }
    if (model->tree) {
        return mechanism_slopes(model, phase, t, y, &table);
    }
    for (size_t i = 0; i < model->body_count; i++) {
        if (!model->bodies[i].free_turning) {
            return false;
        }
        size_t body = i * FF_BODY_STRIDE;
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
