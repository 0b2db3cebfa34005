/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "body/vector.h"
#include "ldl.h"
#include "mechanism.h"
#include <string.h>

/* Featherstone's articulated-body algorithm (Rigid Body Dynamics Algorithms, 2008, section 7.3) in world axes.
 * Every body is seen from its anchor P, where the directions of its joint are turns about P or slides, never
 * both; between bodies only P moves, by `reach`. */

/* ---- places and motions ---- */

/* the rotation matrix of a quaternion of length 1 */
static void rotation_of_unit(const double q[4], double r[3][3]) {
    double x = 2 * q[1], y = 2 * q[2], z = 2 * q[3];
    double wx = q[0] * x, wy = q[0] * y, wz = q[0] * z, xx = q[1] * x, xy = q[1] * y, xz = q[1] * z,
           yy = q[2] * y, yz = q[2] * z, zz = q[3] * z;
    r[0][0] = 1 - (yy + zz);
    r[0][1] = xy - wz;
    r[0][2] = xz + wy;
    r[1][0] = xy + wz;
    r[1][1] = 1 - (xx + zz);
    r[1][2] = yz - wx;
    r[2][0] = xz - wy;
    r[2][1] = yz + wx;
    r[2][2] = 1 - (xx + yy);
}

/* which speeds of a joint are slides: the others are turns */
static inline bool slides(ff_joint_kind kind, int column) {
    return kind == FF_JOINT_PRISMATIC || (kind == FF_JOINT_PLANAR && column < 2);
}

/* turn cos(q/2) + swing sin(q/2), after the parent's */
static void turn_by(const ff_link *l, const double *parent, double angle, double out[4]) {
    double s = sin(angle / 2), c = cos(angle / 2), by[4];
    for (int i = 0; i < 4; i++) {
        by[i] = c * l->turn[i] + s * l->swing[i];
    }
    if (parent) {
        ff_quaternion_times(parent, by, out);
    } else {
        memcpy(out, by, sizeof by);
    }
}

static void place_free(const double *q, const double *u, ff_link_work *w, double *body) {
    double norm = sqrt(q[3] * q[3] + ff_dot(q + 4, q + 4));
    memcpy(w->point, q, sizeof w->point);
    memcpy(w->reach, q, sizeof w->reach);
    for (int i = 0; i < 4; i++) {
        body[FF_Q + i] = q[3 + i] / norm;
    }
    rotation_of_unit(body + FF_Q, w->turn);
    memset(w->com, 0, sizeof w->com);
    memcpy(w->v, u, sizeof w->v);
    memcpy(w->omega, u + 3, sizeof w->omega);
    memset(w->bias, 0, sizeof w->bias);
}

/* orientation of a body whose joint is no simple turn, and what its joint slides by, of the parent */
static void orient(const ff_link *l, const double *up, const double *q, double turn[4],
                   double slide[3]) {
    memset(slide, 0, 3 * sizeof *slide);
    switch (l->kind) {
    case FF_JOINT_SPHERICAL: {
        double norm = sqrt(q[0] * q[0] + ff_dot(q + 1, q + 1));
        for (int i = 0; i < 4; i++) {
            turn[i] = q[i] / norm;
        }
        return;
    }
    case FF_JOINT_UNIVERSAL: {
        /* about the parent's axis first; coordinates of a reversed one are swapped */
        double a = q[l->reversed], b = q[!l->reversed], s = sin(a / 2), first[4], both[4];
        double about[4] = {cos(a / 2), s * l->parent_axis[0], s * l->parent_axis[1],
                           s * l->parent_axis[2]};
        turn_by(l, NULL, b, first);
        ff_quaternion_times(about, first, both);
        if (up) {
            ff_quaternion_times(up, both, turn);
        } else {
            memcpy(turn, both, sizeof both);
        }
        return;
    }
    case FF_JOINT_PLANAR:
        for (int i = 0; i < 2; i++) {
            ff_add_scaled(slide, q[i], l->along[i], slide);
        }
        turn_by(l, up, q[2], turn);
        return;
    default: turn_by(l, up, 0, turn);
    }
}

void ff_link_place(const ff_link *l, const ff_link_work *parent, const double *parent_body,
                   const double *q, const double *u, ff_link_work *w, double *body) {
    static const double none[3] = {0};
    const double *up = parent_body ? parent_body + FF_Q : NULL;
    const double *omega = parent ? parent->omega : none;
    double slide[3] = {0}, part[3], glide[3] = {0};
    if (l->kind == FF_JOINT_FREE) {
        place_free(q, u, w, body);
        memcpy(body + FF_P, w->point, sizeof w->point);
        memcpy(body + FF_VEL, u, 6 * sizeof *u);
        return;
    }
    if (l->kind == FF_JOINT_REVOLUTE) {
        turn_by(l, up, q[0], body + FF_Q);
    } else {
        orient(l, up, q, body + FF_Q, slide);
    }
    rotation_of_unit(body + FF_Q, w->turn);
    ff_rotate(w->turn, l->com, w->com);
    /* where the anchor is, and the directions of the speeds */
    ff_add_scaled(l->offset, 1, slide, part);
    if (parent) {
        ff_rotate(parent->turn, part, w->reach);
        ff_add_scaled(parent->point, 1, w->reach, w->point);
    } else {
        memcpy(w->reach, part, sizeof part);
        memcpy(w->point, part, sizeof part);
    }
    memcpy(w->omega, omega, sizeof w->omega);
    memset(w->bias, 0, sizeof w->bias);
    double *bend = w->bias + 3;
    if (l->kind == FF_JOINT_REVOLUTE) {
        ff_rotate(w->turn, l->axis, w->column[0]);
        ff_cross(omega, w->column[0], bend);
        for (int i = 0; i < 3; i++) {
            bend[i] *= u[0];
        }
        ff_add_scaled(omega, u[0], w->column[0], w->omega);
    } else if (l->kind == FF_JOINT_PRISMATIC) {
        ff_rotate(w->turn, l->axis, w->column[0]);
        ff_add_scaled(glide, u[0], w->column[0], glide);
        ff_add_scaled(w->reach, q[0], w->column[0], w->reach);
        ff_add_scaled(w->point, q[0], w->column[0], w->point);
    } else if (l->kind == FF_JOINT_SPHERICAL) {
        for (int i = 0; i < 3; i++) {
            for (int k = 0; k < 3; k++) {
                w->column[i][k] = i == k;
            }
        }
        ff_add_scaled(omega, 1, u, w->omega);
    } else if (l->kind == FF_JOINT_UNIVERSAL) {
        /* columns in the order of the coordinates */
        double *outer = w->column[l->reversed], *inner = w->column[!l->reversed];
        if (parent) {
            ff_rotate(parent->turn, l->parent_axis, outer);
        } else {
            memcpy(outer, l->parent_axis, sizeof l->parent_axis);
        }
        ff_rotate(w->turn, l->axis, inner);
        ff_add_scaled(omega, u[l->reversed], outer, w->omega);
        ff_add_scaled(w->omega, u[!l->reversed], inner, w->omega);
        ff_cross(omega, outer, part);
        ff_add_scaled(bend, u[l->reversed], part, bend);
        ff_cross(w->omega, inner, part);
        ff_add_scaled(bend, u[!l->reversed], part, bend);
    } else if (l->kind == FF_JOINT_PLANAR) {
        for (int i = 0; i < 2; i++) {
            if (parent) {
                ff_rotate(parent->turn, l->along[i], w->column[i]);
            } else {
                memcpy(w->column[i], l->along[i], sizeof l->along[i]);
            }
            ff_add_scaled(glide, u[i], w->column[i], glide);
        }
        ff_rotate(w->turn, l->axis, w->column[2]);
        ff_cross(omega, w->column[2], part);
        ff_add_scaled(bend, u[2], part, bend);
        ff_add_scaled(omega, u[2], w->column[2], w->omega);
    }
    if (parent) {
        /* v = v + w x reach + glide, and its rate but for accelerations: w x (w x reach) + 2 w x glide */
        ff_cross(omega, w->reach, part);
        for (int i = 0; i < 3; i++) {
            w->v[i] = parent->v[i] + part[i] + glide[i];
            part[i] += 2 * glide[i];
        }
        ff_cross(omega, part, w->bias);
    } else {
        memcpy(w->v, glide, sizeof glide);
    }
    ff_cross(w->omega, w->com, part);
    for (int i = 0; i < 3; i++) {
        body[FF_P + i] = w->point[i] + w->com[i];
        body[FF_VEL + i] = w->v[i] + part[i];
        body[FF_OMEGA + i] = w->omega[i];
    }
}

void ff_links_place(ff_mechanism *m, const double *y) {
    const ff_joint_tree *tree = m->model->tree;
    for (size_t k = 0; k < m->model->body_count; k++) {
        int i = tree->order[k];
        const ff_link *l = &tree->links[i];
        const double *q = y + l->at;
        ff_link_place(l, l->parent < 0 ? NULL : &m->links[l->parent],
                      l->parent < 0 ? NULL : m->bodies + (size_t)l->parent * FF_BODY_STRIDE, q,
                      q + l->coordinates, &m->links[i], m->bodies + (size_t)i * FF_BODY_STRIDE);
    }
}

/* whole turns are not seen from outside: as many as the joint starts with */
static void add_turns(double *angle, double start) {
    const double turn = 6.283185307179586;
    *angle += turn * nearbyint((start - *angle) / turn);
}

void ff_link_read(const ff_model *model, size_t i, const double *bodies, double *q, double *u) {
    const ff_link *l = &model->tree->links[i];
    const double *body = ff_body_state(bodies, (int)i);
    if (l->kind == FF_JOINT_FREE) {
        memcpy(q, body, 7 * sizeof *q);
        memcpy(u, body + FF_VEL, 6 * sizeof *u);
    } else if (l->kind == FF_JOINT_SPHERICAL) {
        memcpy(q, body + FF_Q, 4 * sizeof *q);
        memcpy(u, body + FF_OMEGA, 3 * sizeof *u);
        if (l->parent >= 0) {
            ff_add_scaled(u, -1, ff_body_state(bodies, l->parent) + FF_OMEGA, u);
        }
    } else if (l->kind != FF_JOINT_FIXED) {
        const ff_joint *j = &model->joints[l->joint];
        ff_joint_coordinates(j, bodies, q, u);
        for (int c = 0; c < l->coordinates && j->placed; c++) {
            if (!slides(l->kind, c)) {
                add_turns(&q[c], j->start[c]);
            }
        }
    }
}

void ff_links_read(const ff_model *model, const double *bodies, double *y) {
    for (size_t i = 0; i < model->body_count; i++) {
        const ff_link *l = &model->tree->links[i];
        ff_link_read(model, i, bodies, y + l->at, y + l->at + l->coordinates);
    }
}

/* ---- dynamics ---- */

/* R I R^T */
static void turn_inertia(const double r[3][3], const double i[3][3], ff_symmetric out) {
    double half[3][3];
    for (int a = 0; a < 3; a++) {
        for (int b = 0; b < 3; b++) {
            half[a][b] = r[a][0] * i[0][b] + r[a][1] * i[1][b] + r[a][2] * i[2][b];
        }
    }
    out[0] = ff_dot(half[0], r[0]);
    out[1] = ff_dot(half[0], r[1]);
    out[2] = ff_dot(half[0], r[2]);
    out[3] = ff_dot(half[1], r[1]);
    out[4] = ff_dot(half[1], r[2]);
    out[5] = ff_dot(half[2], r[2]);
}

static inline void symmetric_times(const ff_symmetric s, const double a[3], double out[3]) {
    double x = s[0] * a[0] + s[1] * a[1] + s[2] * a[2], y = s[1] * a[0] + s[3] * a[1] + s[4] * a[2];
    out[2] = s[2] * a[0] + s[4] * a[1] + s[5] * a[2];
    out[0] = x;
    out[1] = y;
}

/* inertia times an acceleration: force, then moment about P */
static inline void inertia_times(const ff_link_work *w, const double a[6], double out[6]) {
    double force[3], moment[3], part[3];
    symmetric_times(w->vv, a, force);
    ff_rotate(w->vw, a + 3, part);
    ff_add_scaled(force, 1, part, force);
    ff_rotate_back(w->vw, a, moment);
    symmetric_times(w->ww, a + 3, part);
    ff_add_scaled(moment, 1, part, moment);
    memcpy(out, force, sizeof force);
    memcpy(out + 3, moment, sizeof moment);
}

/* Of the body alone: m, m d across, I about P; bias force m w x (w x d) and w x I w less the loads. */
static void rigid(const ff_link *l, const ff_model_body *b, const double *load, ff_link_work *w) {
    const double *d = w->com, m = b->mass;
    w->vv[0] = w->vv[3] = w->vv[5] = m;
    w->vv[1] = w->vv[2] = w->vv[4] = 0;
    /* a force of -m d x alpha */
    w->vw[0][0] = w->vw[1][1] = w->vw[2][2] = 0;
    w->vw[0][1] = m * d[2];
    w->vw[1][0] = -m * d[2];
    w->vw[1][2] = m * d[0];
    w->vw[2][1] = -m * d[0];
    w->vw[2][0] = m * d[1];
    w->vw[0][2] = -m * d[1];
    turn_inertia(w->turn, l->inertia, w->ww);
    double spin[3], part[3], moment[3];
    symmetric_times(w->ww, w->omega, spin);
    ff_cross(w->omega, spin, w->force + 3);
    ff_cross(w->omega, d, part);
    ff_cross(w->omega, part, part);
    ff_cross(d, load + FF_VEL, moment);
    for (int i = 0; i < 3; i++) {
        w->force[i] = m * part[i] - load[FF_VEL + i];
        w->force[3 + i] -= load[FF_OMEGA + i] + moment[i];
    }
}

/* 3 by 3 and smaller, symmetric and positive */
static void invert_small(int n, const double a[3][3], double out[3][3]) {
    if (n == 1) {
        out[0][0] = 1 / a[0][0];
        return;
    }
    if (n == 2) {
        double det = a[0][0] * a[1][1] - a[0][1] * a[1][0];
        out[0][0] = a[1][1] / det;
        out[1][1] = a[0][0] / det;
        out[0][1] = out[1][0] = -a[0][1] / det;
        return;
    }
    double c[3][3];
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            int p = (j + 1) % 3, q = (j + 2) % 3, r = (i + 1) % 3, s = (i + 2) % 3;
            c[i][j] = a[p][r] * a[q][s] - a[p][s] * a[q][r];
        }
    }
    double det = a[0][0] * c[0][0] + a[0][1] * c[1][0] + a[0][2] * c[2][0];
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            out[i][j] = c[i][j] / det;
        }
    }
}

/* What is left of the inertia of a body where its joint gives way: I - U D^-1 U^T. */
static inline void give_way(ff_link_work *w, int n, ff_joint_kind kind) {
    double d[3][3];
    for (int c = 0; c < n; c++) {
        const double *s = w->column[c];
        double *u = w->u[c];
        if (slides(kind, c)) {
            symmetric_times(w->vv, s, u);
            ff_rotate_back(w->vw, s, u + 3);
        } else {
            ff_rotate(w->vw, s, u);
            symmetric_times(w->ww, s, u + 3);
        }
    }
    for (int a = 0; a < n; a++) {
        for (int b = 0; b < n; b++) {
            d[a][b] = ff_dot(w->column[a], w->u[b] + (slides(kind, a) ? 0 : 3));
        }
    }
    invert_small(n, d, w->d);
}

static inline void reduce(const ff_link_work *w, int n, ff_symmetric vv, double vw[3][3],
                          ff_symmetric ww) {
    memcpy(vv, w->vv, sizeof w->vv);
    memcpy(vw, w->vw, sizeof w->vw);
    memcpy(ww, w->ww, sizeof w->ww);
    for (int a = 0; a < n; a++) {
        double t[6] = {0};
        for (int b = 0; b < n; b++) {
            for (int i = 0; i < 6; i++) {
                t[i] += w->d[a][b] * w->u[b][i];
            }
        }
        const double *u = w->u[a];
        vv[0] -= u[0] * t[0];
        vv[1] -= u[0] * t[1];
        vv[2] -= u[0] * t[2];
        vv[3] -= u[1] * t[1];
        vv[4] -= u[1] * t[2];
        vv[5] -= u[2] * t[2];
        ww[0] -= u[3] * t[3];
        ww[1] -= u[3] * t[4];
        ww[2] -= u[3] * t[5];
        ww[3] -= u[4] * t[4];
        ww[4] -= u[4] * t[5];
        ww[5] -= u[5] * t[5];
        for (int i = 0; i < 3; i++) {
            for (int j = 0; j < 3; j++) {
                vw[i][j] -= u[i] * t[3 + j];
            }
        }
    }
}

/* Adds inertia about P to the parent's, about P - r: X^T I X with X = [1, -r^; 0, 1], where r^ a = r x a:
 * vw' = vw - vv r^, ww' = ww + r^ vw' - vw^T r^ */
static inline void shift(const double r[3], const ff_symmetric vv, double vw[3][3],
                         const ff_symmetric ww, ff_link_work *up) {
    /* rows of vv as vectors; (vv r^) has rows vv_i x r */
    const double row[3][3] = {{vv[0], vv[1], vv[2]}, {vv[1], vv[3], vv[4]}, {vv[2], vv[4], vv[5]}};
    double b[3][3], part[3][3];
    /* force by angular acceleration: an acceleration alpha of the parent moves P by alpha x r = -r^ alpha */
    for (int i = 0; i < 3; i++) {
        double c[3];
        ff_cross(row[i], r, c);
        for (int j = 0; j < 3; j++) {
            b[i][j] = vw[i][j] - c[j];
        }
    }
    /* moment by angular acceleration: ww - vw^T r^ + r^ b; by columns of b, r x column */
    double out[3][3];
    for (int j = 0; j < 3; j++) {
        double column[3] = {b[0][j], b[1][j], b[2][j]}, c[3];
        ff_cross(r, column, c);
        for (int i = 0; i < 3; i++) {
            out[i][j] = c[i];
        }
    }
    /* (vw^T r^) has rows (column i of vw) x r */
    for (int i = 0; i < 3; i++) {
        double column[3] = {vw[0][i], vw[1][i], vw[2][i]};
        ff_cross(column, r, part[i]);
    }
    for (int i = 0; i < 6; i++) {
        up->vv[i] += vv[i];
    }
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            up->vw[i][j] += b[i][j];
        }
    }
    up->ww[0] += ww[0] + out[0][0] - part[0][0];
    up->ww[1] += ww[1] + out[0][1] - part[0][1];
    up->ww[2] += ww[2] + out[0][2] - part[0][2];
    up->ww[3] += ww[3] + out[1][1] - part[1][1];
    up->ww[4] += ww[4] + out[1][2] - part[1][2];
    up->ww[5] += ww[5] + out[2][2] - part[2][2];
}

static inline void shift_force(const double r[3], const double force[6], double up[6]) {
    double moment[3];
    ff_cross(r, force, moment);
    for (int i = 0; i < 3; i++) {
        up[i] += force[i];
        up[3 + i] += force[3 + i] + moment[i];
    }
}

/* efforts less bias along the columns, and D^-1 of them */
static inline void along_columns(ff_link_work *w, int n, ff_joint_kind kind, const double *effort,
                                 double out[3]) {
    for (int c = 0; c < n; c++) {
        w->left[c] =
            (effort ? effort[c] : 0) - ff_dot(w->column[c], w->force + (slides(kind, c) ? 0 : 3));
    }
    for (int a = 0; a < n; a++) {
        out[a] = 0;
        for (int b = 0; b < n; b++) {
            out[a] += w->d[a][b] * w->left[b];
        }
    }
}

static inline void pass_up(const ff_link *l, ff_link_work *w, int n, const double *effort,
                           ff_link_work *up) {
    give_way(w, n, l->kind);
    double q[3], force[6];
    along_columns(w, n, l->kind, effort, q);
    if (!up) {
        return;
    }
    ff_link_work left;
    reduce(w, n, left.vv, left.vw, left.ww);
    inertia_times(&left, w->bias, force);
    for (int i = 0; i < 6; i++) {
        force[i] += w->force[i];
        for (int c = 0; c < n; c++) {
            force[i] += w->u[c][i] * q[c];
        }
    }
    shift(w->reach, left.vv, left.vw, left.ww, up);
    shift_force(w->reach, force, up->force);
}

/* of the parent's anchor, carried to this one */
static inline void carry(const double r[3], const double a[6], double out[6]) {
    double part[3];
    ff_cross(a + 3, r, part);
    for (int i = 0; i < 3; i++) {
        out[i] = a[i] + part[i];
        out[3 + i] = a[3 + i];
    }
}

static inline void pass_down(ff_link_work *w, int n, ff_joint_kind kind, double *rate) {
    double left[3];
    for (int c = 0; c < n; c++) {
        left[c] = w->left[c];
        for (int i = 0; i < 6; i++) {
            left[c] -= w->u[c][i] * w->a[i];
        }
    }
    for (int a = 0; a < n; a++) {
        rate[a] = 0;
        for (int b = 0; b < n; b++) {
            rate[a] += w->d[a][b] * left[b];
        }
    }
    for (int a = 0; a < n; a++) {
        double *at = w->a + (slides(kind, a) ? 0 : 3);
        ff_add_scaled(at, rate[a], w->column[a], at);
    }
}

/* a body that nothing holds: I a = -force */
static void loose(const ff_link_work *w, const double force[6], double a[6]) {
    double full[6][6];
    const int at[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            full[i][j] = w->vv[at[i][j]];
            full[3 + i][3 + j] = w->ww[at[i][j]];
            full[i][3 + j] = full[3 + j][i] = w->vw[i][j];
        }
        a[i] = -force[i];
        a[3 + i] = -force[3 + i];
    }
    ff_ldl(6, full);
    ff_ldl_solve(6, full, a);
}

void ff_links_rates(ff_mechanism *m, const double *y, double *dy) {
    const ff_model *model = m->model;
    const ff_joint_tree *tree = model->tree;
    for (size_t i = 0; i < model->body_count; i++) {
        rigid(&tree->links[i], &model->bodies[i], m->loads + i * FF_BODY_STRIDE, &m->links[i]);
    }
    for (size_t k = model->body_count; k-- > 0;) {
        int i = tree->order[k];
        const ff_link *l = &tree->links[i];
        ff_link_work *up = l->parent < 0 ? NULL : &m->links[l->parent];
        const double *effort = l->joint < 0 || !m->effort ? NULL : &m->effort[l->joint];
        if (l->kind == FF_JOINT_REVOLUTE) {
            pass_up(l, &m->links[i], 1, effort, up);
        } else if (l->kind == FF_JOINT_PRISMATIC) {
            pass_up(l, &m->links[i], 1, effort, up);
        } else if (l->kind != FF_JOINT_FREE) {
            pass_up(l, &m->links[i], l->speeds, NULL, up);
        }
    }
    for (size_t k = 0; k < model->body_count; k++) {
        int i = tree->order[k];
        const ff_link *l = &tree->links[i];
        ff_link_work *w = &m->links[i];
        double *q = dy + l->at, *u = q + l->coordinates;
        const double *speed = y + l->at + l->coordinates;
        if (l->kind == FF_JOINT_FREE) {
            loose(w, w->force, w->a);
            memcpy(q, speed, 3 * sizeof *q);
            ff_quaternion_rate(y + l->at + 3, speed + 3, q + 3);
            for (int c = 0; c < 6; c++) {
                u[c] = w->a[c] + (c < 3 ? model->gravity[c] : 0);
            }
            continue;
        }
        if (l->parent >= 0) {
            carry(w->reach, m->links[l->parent].a, w->a);
        } else {
            for (int c = 0; c < 3; c++) {
                w->a[c] = -model->gravity[c];
                w->a[3 + c] = 0;
            }
        }
        for (int c = 0; c < 6; c++) {
            w->a[c] += w->bias[c];
        }
        pass_down(w, l->speeds, l->kind, u);
        if (l->kind == FF_JOINT_SPHERICAL) {
            ff_quaternion_rate(y + l->at, w->omega, q);
        } else {
            memcpy(q, speed, (size_t)l->speeds * sizeof *q);
        }
    }
}

void ff_links_answer(ff_mechanism *m, double (*push)[6], double (*at)[6], double *speeds) {
    const ff_model *model = m->model;
    const ff_joint_tree *tree = model->tree;
    /* forces about the anchors, gathered up the tree */
    double(*force)[6] = m->gathered;
    for (size_t i = 0; i < model->body_count; i++) {
        const double *f = push[i];
        double moment[3];
        ff_cross(m->links[i].com, f, moment);
        for (int c = 0; c < 3; c++) {
            force[i][c] = -f[c];
            force[i][3 + c] = -f[3 + c] - moment[c];
        }
    }
    double left[3], q[3], total[6];
    for (size_t k = model->body_count; k-- > 0;) {
        int i = tree->order[k];
        const ff_link *l = &tree->links[i];
        const ff_link_work *w = &m->links[i];
        if (l->kind == FF_JOINT_FREE || l->parent < 0) {
            continue;
        }
        for (int c = 0; c < l->speeds; c++) {
            left[c] = -ff_dot(w->column[c], force[i] + (slides(l->kind, c) ? 0 : 3));
        }
        memcpy(total, force[i], sizeof total);
        for (int a = 0; a < l->speeds; a++) {
            q[a] = 0;
            for (int b = 0; b < l->speeds; b++) {
                q[a] += w->d[a][b] * left[b];
            }
            for (int c = 0; c < 6; c++) {
                total[c] += w->u[a][c] * q[a];
            }
        }
        shift_force(w->reach, total, force[l->parent]);
    }
    for (size_t k = 0; k < model->body_count; k++) {
        int i = tree->order[k];
        const ff_link *l = &tree->links[i];
        const ff_link_work *w = &m->links[i];
        double rate[6];
        if (l->kind == FF_JOINT_FREE) {
            loose(w, force[i], at[i]);
            memcpy(rate, at[i], sizeof rate);
        } else {
            if (l->parent >= 0) {
                carry(w->reach, at[l->parent], at[i]);
            } else {
                memset(at[i], 0, sizeof at[i]);
            }
            for (int c = 0; c < l->speeds; c++) {
                left[c] = -ff_dot(w->column[c], force[i] + (slides(l->kind, c) ? 0 : 3));
                for (int j = 0; j < 6; j++) {
                    left[c] -= w->u[c][j] * at[i][j];
                }
            }
            for (int a = 0; a < l->speeds; a++) {
                rate[a] = 0;
                for (int b = 0; b < l->speeds; b++) {
                    rate[a] += w->d[a][b] * left[b];
                }
                double *turn = at[i] + (slides(l->kind, a) ? 0 : 3);
                ff_add_scaled(turn, rate[a], w->column[a], turn);
            }
        }
        memcpy(speeds + l->speed_at, rate, (size_t)l->speeds * sizeof *rate);
    }
    /* of the anchors until here, of the centres of mass from here */
    for (size_t i = 0; i < model->body_count; i++) {
        double c[3];
        ff_cross(at[i] + 3, m->links[i].com, c);
        ff_add_scaled(at[i], 1, c, at[i]);
    }
}
