/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "bond.h"
#include "body/vector.h"
#include <string.h>

static void center_of(const double *body, const double center[3], bond *b, int i) {
    b->turned[i] = center[0] != 0 || center[1] != 0 || center[2] != 0;
    memset(b->center[i], 0, sizeof b->center[i]);
    if (b->turned[i]) {
        double r[3][3];
        ff_rotation(body + FF_Q, r);
        ff_rotate(r, center, b->center[i]);
    }
}

bond ff_bond_of_slot(const ff_slot *slot, const ff_touch_slopes *slopes, const double *y) {
    const ff_touch *touch = &slopes->touch;
    bond b = {.body = {(size_t)slot->body * FF_BODY_STRIDE},
              .y = y,
              .second = slot->other >= 0,
              .distance = INFINITY,
              .state = slot->state_at,
              .states = slot->states};
    memcpy(b.n, touch->n, sizeof b.n);
    memcpy(b.arm[0], touch->arm, sizeof b.arm[0]);
    memcpy(b.force, touch->push, sizeof b.force);
    center_of(ff_body_state(y, slot->body), slot->center, &b, 0);
    b.along[0] = -slot->share;
    if (b.second) {
        b.body[1] = (size_t)slot->other * FF_BODY_STRIDE;
        memcpy(b.arm[1], touch->other, sizeof b.arm[1]);
        center_of(ff_body_state(y, slot->other), slot->other_center, &b, 1);
        /* the arms end at c_a - lever n = c_b + (distance - lever) n, lever = r_a - z share */
        b.distance = slot->radius + slot->other_radius - touch->z;
        b.across[0] = -(slot->radius - touch->z * slot->share) / b.distance;
        b.along[1] = 1 + b.along[0];
        b.across[1] = 1 + b.across[0];
    }
    return b;
}

/* Effect of D on V through the arms: d(V) = omega_a x A_a dD - omega_b x A_b dD. */
static void add_levers(const bond *b, double *by) {
    for (int i = 0; i < 1 + b->second; i++) {
        double back[3];
        if (b->along[i] != 0 || b->across[i] != 0) {
            ff_cross(by + BY_VELOCITY, b->y + b->body[i] + FF_OMEGA, back);
            add_shift(b, i, i ? -1 : 1, back, by + BY_WAY);
        }
    }
}

/* Converts derivatives with respect to depth and normal to those with respect to D: dz = -n.dD, dn = (1 - n n^T)
 * dD/distance. */
void ff_bond_row(const bond *b, const double *by, double *out) {
    double along = b->second ? ff_dot(by + FF_CAUSE_NORMAL, b->n) : 0;
    for (int c = 0; c < 3; c++) {
        double across = b->second ? by[FF_CAUSE_NORMAL + c] - along * b->n[c] : 0;
        out[BY_WAY + c] = across * (1 / b->distance) - by[FF_CAUSE_DEPTH] * b->n[c];
        out[BY_VELOCITY + c] = by[FF_CAUSE_VELOCITY + c];
    }
    memcpy(out + BY_STATES, by + FF_CAUSE_STATES, (size_t)b->states * sizeof *out);
    add_levers(b, out);
}

/* f = size n, size = -(k (L - rest) + c L'), L' = V.n, between anchors with D = L n. */
bond ff_bond_of_spring(const ff_force_def *f, const double *y, double push[3][BY_STATES]) {
    ff_stretch s = ff_force_stretch(f, y);
    bond b = {.body = {(size_t)f->body * FF_BODY_STRIDE},
              .y = y,
              .second = f->other >= 0,
              .distance = INFINITY,
              .turned = {true, f->other >= 0}};
    double size = -(f->stiffness * (s.length - f->rest) + f->damping * s.rate);
    double per = s.length > 0 ? 1 / s.length : 0;
    memcpy(b.n, s.way, sizeof b.n);
    for (int c = 0; c < 3; c++) {
        b.center[0][c] = b.arm[0][c] = s.arm[c];
        b.center[1][c] = b.arm[1][c] = s.other_arm[c];
        b.force[c] = size * s.way[c];
    }
    b.body[1] = b.second ? (size_t)f->other * FF_BODY_STRIDE : 0;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            double along = s.way[i] * s.way[j];
            push[i][BY_WAY + j] = -f->stiffness * along + size * per * ((i == j) - along) -
                                  f->damping * per * s.way[i] * (s.velocity[j] - s.rate * s.way[j]);
            push[i][BY_VELOCITY + j] = -f->damping * along;
        }
    }
    return b;
}

/* Omega = n x W/distance + n (n.(omega_a + omega_b))/2 with W the relative velocity of the centres, and dn = (1 - n n^T)
 * dD/distance. */
void ff_bond_turning(const bond *b, const double u[3], double by_way[3][3],
                     double by_velocity[3][3], double by_spin[3]) {
    const double *y = b->y, *n = b->n, distance = b->distance;
    const double *wa = y + b->body[0] + FF_OMEGA, *wb = y + b->body[1] + FF_OMEGA;
    double w[3], arm[3], both[3], roll[3];
    ff_cross(wa, b->center[0], w);
    ff_cross(wb, b->center[1], arm);
    for (int c = 0; c < 3; c++) {
        w[c] += y[b->body[0] + FF_VEL + (size_t)c] - y[b->body[1] + FF_VEL + (size_t)c] - arm[c];
        both[c] = (wa[c] + wb[c]) / 2;
    }
    ff_cross(n, w, roll);
    for (int i = 0; i < 3; i++) {
        /* row i of Omega x u is Omega.s */
        double unit[3] = {i == 0, i == 1, i == 2}, s[3], by_n[3];
        ff_cross(u, unit, s);
        double along = ff_dot(s, n);
        ff_cross(s, n, by_velocity[i]);
        ff_cross(w, s, by_n);
        for (int c = 0; c < 3; c++) {
            by_velocity[i][c] /= distance;
            by_n[c] = by_n[c] / distance + along * both[c] + ff_dot(n, both) * s[c];
        }
        double part = ff_dot(by_n, n), stretch = ff_dot(s, roll) / distance;
        for (int c = 0; c < 3; c++) {
            by_way[i][c] = (by_n[c] - (part + stretch) * n[c]) / distance;
        }
        by_spin[i] = along / 2;
    }
}
