/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "body/vector.h"
#include "contact.h"

/* A force or rate of three components that depends on load, grade, slip = (1 - n n^T) velocity and u;
 * zdot = -n.velocity. */
static void chain(const ff_normal_answer *normal, const double n[3], const double by_v[3][3],
                  const double by_u[3][3], const double by_load[3], const double by_grade[3],
                  double out[3][FF_CAUSES]) {
    for (int i = 0; i < 3; i++) {
        double along = ff_dot(by_v[i], n);
        out[i][FF_BY_DEPTH] = by_load[i] * normal->dF_dz + by_grade[i] * normal->grade_slope;
        out[i][FF_BY_INNER] = by_load[i] * normal->dF_dinner;
        for (int j = 0; j < 3; j++) {
            out[i][FF_BY_VELOCITY + j] =
                by_v[i][j] - (along + by_load[i] * normal->dF_dzdot) * n[j];
            out[i][FF_BY_U + j] = by_u[i][j];
        }
    }
}

bool ff_touch_silent(const ff_slot *slot, ff_mode mode) {
    return mode == FF_AIR && slot->law.law->inner != FF_INNER_RATE && !slot->stateful;
}

bool ff_touch_slopes_find(const ff_slot *slot, ff_mode mode, double t, const double *bodies,
                          const double *state, ff_touch_slopes *out) {
    const ff_normal *law = mode == FF_LOADED ? &slot->open : &slot->law;
    if (slot->other >= 0 || slot->stateful || slot->friction.passive || law->law->point ||
        slot->friction.law->point || mode == FF_FREE) {
        return false;
    }
    ff_touch *touch = &out->touch;
    ff_touch_find(slot, t, bodies, touch);
    ff_touch_answer(slot, mode, state, touch);
    /* as the force sees it: a contact begins at z = 0, on either side by rounding */
    double z = law->law->inner == FF_INNER_RATE || touch->z > 0 ? touch->z : 0;
    ff_normal_answer at = ff_normal_at(law, z, touch->zdot, state[0]);
    ff_friction_slopes f = {0};
    if (slot->slides && mode != FF_AIR) {
        f = ff_friction_slopes_at(&slot->friction, &touch->slide);
    }
    for (int c = 0; c < 3; c++) {
        /* what pulls is no load */
        f.df_dload[c] = (touch->normal.force > 0 ? f.df_dload[c] : 0) + touch->n[c];
        f.dr_dload[c] = touch->normal.force > 0 ? f.dr_dload[c] : 0;
    }
    chain(&at, touch->n, f.df_dv, f.df_du, f.df_dload, f.df_dgrade, out->push);
    chain(&at, touch->n, f.dr_dv, f.dr_du, f.dr_dload, f.dr_dgrade, out->u_rate);
    for (int c = 0; c < FF_CAUSES; c++) {
        out->inner_rate[c] = c == FF_BY_DEPTH   ? at.drate_dz
                             : c == FF_BY_INNER ? at.drate_dinner
                                                : 0;
    }
    for (int c = 0; c < 4; c++) {
        out->state[c] = state[c];
    }
    return true;
}

void ff_touch_follow(const ff_touch_slopes *slopes, const double *state, ff_touch *out) {
    const ff_touch *from = &slopes->touch;
    double by[FF_CAUSES];
    by[FF_BY_DEPTH] = out->z - from->z;
    by[FF_BY_INNER] = state[0] - slopes->state[0];
    for (int c = 0; c < 3; c++) {
        by[FF_BY_VELOCITY + c] =
            out->slide.v[c] - out->zdot * out->n[c] - (from->slide.v[c] - from->zdot * from->n[c]);
        by[FF_BY_U + c] = state[1 + c] - slopes->state[1 + c];
    }
    out->normal.rate = from->normal.rate;
    for (int i = 0; i < FF_CAUSES; i++) {
        out->normal.rate += slopes->inner_rate[i] * by[i];
    }
    for (int c = 0; c < 3; c++) {
        out->push[c] = from->push[c];
        out->grip.rate[c] = from->grip.rate[c];
        for (int i = 0; i < FF_CAUSES; i++) {
            out->push[c] += slopes->push[c][i] * by[i];
            out->grip.rate[c] += slopes->u_rate[c][i] * by[i];
        }
    }
}
