/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* The differences between kinds of joints: rotation and displacement of a body relative to its parent, the directions in
 * which it may move, and the resulting motion. */

#include "body/vector.h"
#include "lanes.h"
#include "ldl.h"
#include "mechanism.h"
#include "num/elementary.h"

/* which speeds of a joint are translations: the others are rotations, that of a screw with a translation by its pitch */
static inline bool ff_link_slides(ff_joint_kind kind, int column) {
    return kind == FF_JOINT_PRISMATIC || (kind == FF_JOINT_PLANAR && column < 2) ||
           (kind == FF_JOINT_CYLINDRICAL && column == 0);
}

/* the column that is the axis of the body, if there is one */
static inline int ff_link_axis(const ff_link *l) {
    return l->kind == FF_JOINT_PLANAR        ? 2
           : l->kind == FF_JOINT_UNIVERSAL   ? !l->reversed
           : l->kind == FF_JOINT_CYLINDRICAL ? 1
                                             : 0;
}

/* a vector rotated by a unit quaternion: a + 2 q x (q x a + w a) */
static inline void ff_turned(const double q[4], const double a[3], double out[3]) {
    double part[3], whole[3];
    ff_cross(q + 1, a, part);
    ff_add_scaled(part, q[0], a, part);
    ff_cross(q + 1, part, whole);
    ff_add_scaled(a, 2, whole, out);
}

/* turn c + swing s, after the parent's rotation: s and c are of half an angle */
static inline V ff_link_swing(const ff_link *l, const double up[4], double s, double c) {
    const V by = all(c) * get(l->turn) + all(s) * get(l->swing);
    const V x = PICK(by, by, 1, 0, 3, 2), y = PICK(by, by, 2, 3, 0, 1),
            z = PICK(by, by, 3, 2, 1, 0);
    return (all(up[0]) * by + all(up[1]) * (x * FOUR(-1, 1, -1, 1))) +
           (all(up[2]) * (y * FOUR(-1, 1, 1, -1)) + all(up[3]) * (z * FOUR(-1, -1, 1, 1)));
}

/* Orientation of a link rotated by an angle about its axis. */
static inline V ff_link_swing_by(const ff_link *l, const double up[4], double angle) {
    double s, c;
    ff_sincos(angle / 2, &s, &c);
    return ff_link_swing(l, up, s, c);
}

/* Orientation of a body from that of its parent, and the vector from the parent's anchor to its own in the parent's axes,
 * without the displacement along its own axis. */
static inline void ff_link_orient(const ff_link *l, const double up[4], const double *q,
                                  double turn[4], double way[3]) {
    memcpy(way, l->offset, 3 * sizeof *way);
    switch (l->kind) {
    case FF_JOINT_REVOLUTE:
    case FF_JOINT_SCREW: put(turn, ff_link_swing_by(l, up, q[0])); return;
    case FF_JOINT_CYLINDRICAL: put(turn, ff_link_swing_by(l, up, q[1])); return;
    case FF_JOINT_FREE:
    case FF_JOINT_SPHERICAL: {
        /* the coordinates are the orientation itself */
        const double *own = l->kind == FF_JOINT_FREE ? q + 3 : q;
        double norm = sqrt(own[0] * own[0] + ff_dot(own + 1, own + 1));
        for (int i = 0; i < 4; i++) {
            turn[i] = own[i] / norm;
        }
        if (l->kind == FF_JOINT_FREE) {
            memcpy(way, q, 3 * sizeof *way);
        }
        return;
    }
    case FF_JOINT_UNIVERSAL: {
        /* rotated about the parent's axis first; coordinates of a reversed joint are exchanged */
        double s, c, both[4];
        ff_sincos(q[l->reversed] / 2, &s, &c);
        double about[4] = {c, s * l->parent_axis[0], s * l->parent_axis[1], s * l->parent_axis[2]};
        ff_quaternion_times(up, about, both);
        put(turn, ff_link_swing_by(l, both, q[!l->reversed]));
        return;
    }
    case FF_JOINT_PLANAR:
        for (int i = 0; i < 2; i++) {
            ff_add_scaled(way, q[i], l->ways[i], way);
        }
        put(turn, ff_link_swing_by(l, up, q[2]));
        return;
    default: put(turn, ff_link_swing(l, up, 0, 1));
    }
}

/* Prescribed rotation of a spherical joint: the orientation of the body that hangs by it, its angular velocity
 * relative to the parent, and the rate of that, in world axes, from the motion of the parent. With the first body's
 * R_f, x the rotation vector and w = {laws[c][1]} in axes of the first body: R_s = R_f exp(x) R_turn, and omega_s -
 * omega_f = R_f w has the rate R_f w' + omega x R_f w. omega may be that of the first or of the second body, since
 * they differ by R_f w. */
static inline void ff_link_ball(const ff_link *l, const double up[4], const double up_omega[3],
                                double (*laws)[3], double q[4], double u[3], double du[3]) {
    const double sign = l->reversed ? -1 : 1;
    double turn[4] = {1}, part[4], spin[3], pace[3], x[3];
    for (int c = 0; c < 3; c++) {
        x[c] = sign * laws[c][0];
        spin[c] = sign * laws[c][1];
        pace[c] = sign * laws[c][2];
    }
    ff_quaternion_turn(turn, x);
    /* q of a reversed one: up R_turn^-1 exp(-x) */
    ff_quaternion_times(l->reversed ? l->turn : turn, l->reversed ? turn : l->turn, part);
    ff_quaternion_times(up, part, q);
    const double *first = l->reversed ? q : up;
    ff_turned(first, spin, u);
    ff_turned(first, pace, pace);
    ff_cross(up_omega, u, du);
    ff_add_scaled(du, 1, pace, du);
}

/* Columns, speeds, and accelerations for constant speeds, from those of the parent. com, reach and the axis are
 * known in world axes.
 *
 *    v' = v + w x reach + glide,    a' = a + alpha x reach + w x (w x reach + 2 glide) */
static inline void ff_link_advance(const ff_link *l, ff_joint_kind kind, const ff_link_work *up,
                                   const double up_turn[4], const double *q, const double *u,
                                   ff_link_work *w, double *body) {
    const V before = get(up->omega), axis = get(w->column[ff_link_axis(l)]), com = get(w->com);
    V omega = before, reach = get(w->reach), glide = all(0), bend = all(0);
    switch (kind) {
    case FF_JOINT_REVOLUTE:
        omega += all(u[0]) * axis;
        bend = all(u[0]) * cross(before, axis);
        break;
    case FF_JOINT_PRISMATIC:
        glide = all(u[0]) * axis;
        reach += all(q[0]) * axis;
        put(w->reach, reach);
        break;
    case FF_JOINT_CYLINDRICAL:
        put(w->column[0], axis);
        glide = all(u[0]) * axis;
        reach += all(q[0]) * axis;
        put(w->reach, reach);
        omega += all(u[1]) * axis;
        bend = all(u[1]) * cross(before, axis);
        break;
    case FF_JOINT_SCREW:
        w->pitch = l->pitch;
        glide = all(l->pitch * u[0]) * axis;
        reach += all(l->pitch * q[0]) * axis;
        put(w->reach, reach);
        omega += all(u[0]) * axis;
        bend = all(u[0]) * cross(before, axis);
        break;
    case FF_JOINT_FREE:
        glide = get3(u);
        omega = get3(u + 3);
        break;
    case FF_JOINT_SPHERICAL:
        for (int i = 0; i < 3; i++) {
            put(w->column[i], FOUR(i == 0, i == 1, i == 2, 0));
        }
        omega += get3(u);
        break;
    case FF_JOINT_UNIVERSAL: {
        /* columns in the order of the coordinates */
        double *outer = w->column[l->reversed];
        ff_turned(up_turn, l->parent_axis, outer);
        omega += all(u[l->reversed]) * get(outer);
        bend = all(u[l->reversed]) * cross(before, get(outer)) +
               all(u[!l->reversed]) * cross(omega, axis);
        omega += all(u[!l->reversed]) * axis;
        break;
    }
    case FF_JOINT_PLANAR:
        for (int i = 0; i < 2; i++) {
            ff_turned(up_turn, l->ways[i], w->column[i]);
            glide += all(u[i]) * get(w->column[i]);
        }
        omega += all(u[2]) * axis;
        bend = all(u[2]) * cross(before, axis);
        break;
    default: break;
    }
    const V whirl = cross(before, reach), pace = get(up->coasting[0]),
            swerve = get(up->coasting[1]);
    const V point = get(up->point) + reach, v = get(up->v) + (whirl + glide);
    put(w->omega, omega);
    put(w->point, point);
    put(w->v, v);
    put(w->coasting[0], pace + (cross(swerve, reach) + cross(before, whirl + (glide + glide))));
    put(w->coasting[1], swerve + bend);
    put3(body + FF_P, point + com);
    put3(body + FF_VEL, v + cross(omega, com));
    put3(body + FF_OMEGA, omega);
}

/* a free body: I a = push, in place */
static inline void ff_link_solve(const ff_link_work *w, double push[6]) {
    double full[6][6];
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            full[i][j] = w->vv[j][i];
            full[3 + i][3 + j] = w->ww[j][i];
            full[i][3 + j] = full[3 + j][i] = w->vw[j][i];
        }
    }
    ff_ldl(6, full);
    ff_ldl_solve(6, full, push);
}

/* Functions for all positions and motions, and for all accelerations, for one instruction set. */
typedef struct ff_links {
    void (*place)(ff_mechanism *m, const double *y);
    void (*rates)(ff_mechanism *m, const double *y, double *dy);
} ff_links;

extern const ff_links ff_links_plain, ff_links_avx2;
