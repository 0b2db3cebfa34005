/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "tangent.h"
#include "links.h"
#include "ode/stepper.h"
#include "tangent_rows.h"
#include <string.h>

/* The Jacobian of an articulated tree. From M u' = effort + J^T F - bias follows
 *    M d(u') = d(effort) + d(J^T F) - d(M u' + bias) at constant u'.
 * The last part is the derivative of inverse dynamics, in O(n depth) with sums over subtrees (Carpentier and Mansard 2018,
 * Analytical derivatives of rigid body dynamics algorithms; Singh, Russell and Wensing 2022, Efficient analytical
 * derivatives of rigid-body dynamics using spatial vector algebra). Forces follow the tangents of their laws. M is
 * factorised along the branches of the tree (Featherstone 2008, section 6.5) and solved for all columns at once.
 *
 * Motions (velocity before omega) and forces (force before moment) are in world axes about one fixed point of each tree, so
 * that nothing has to be transformed between bodies. Let s_j be the motion of all bodies beyond degree of freedom j per
 * unit of its speed. A change of its coordinate moves them rigidly by s_j. In axes that move with them, velocities and
 * accelerations change because of the motion of their base:
 *    d(v) = shift_j = v_j x s_j,   d(a) = bend_j + shift_j x v,   bend_j = a_j x s_j + v_j x shift_j
 * where v_j and a_j are the motion of the body (or of the whole ball) that j moves. A change of its speed gives
 *    d(v) = s_j,   d(a) = twice_j + s_j x v,   twice_j = v_j x s_j + d(s_j)/dt. */

/* ---- spatial vectors ---- */

/* a x b of motions */
static inline void cross6(const double a[6], const double b[6], double out[6]) {
    double x[3], y[3];
    ff_cross(a + 3, b, x);
    ff_cross(a, b + 3, y);
    ff_cross(a + 3, b + 3, out + 3);
    for (int c = 0; c < 3; c++) {
        out[c] = x[c] + y[c];
    }
}

static inline void add6(double out[6], double by, const double a[6]) {
    for (int c = 0; c < 6; c++) {
        out[c] += by * a[c];
    }
}

/* ---- memory ---- */

void ff_tangent_lay_out(const ff_model *model, ff_tangent *t, ff_arena *arena) {
    const ff_joint_tree *tree = model->tree;
    if (ff_dynamics_differences(model)) {
        return;
    }
    size_t entries = 0;
    t->dofs = tree->speeds;
    t->first = t->balls = 0;
    for (size_t i = 0; i < model->body_count; i++) {
        const ff_link *l = &tree->links[i];
        size_t before = 0;
        for (int up = l->parent; up >= 0; up = tree->links[up].parent) {
            before += (size_t)tree->links[up].speeds;
        }
        for (int c = 0; c < l->speeds; c++) {
            entries += ++before;
        }
        t->first += (size_t)(l->coordinates + l->speeds);
        t->balls += l->kind == FF_JOINT_FREE || l->kind == FF_JOINT_SPHERICAL;
    }
    t->states = model->states - t->first;
    t->columns = 2 * t->dofs + t->states;
    FF_TAKE(arena, t->dof, t->dofs);
    FF_TAKE(arena, t->trees, model->body_count);
    FF_TAKE(arena, t->levers, 2 * t->dofs);
    FF_TAKE(arena, t->mass, entries);
    FF_TAKE(arena, t->row, t->columns);
    FF_TAKE(arena, t->by_state, model->states);
    FF_TAKE(arena, t->rows, (t->dofs + t->states + 3 * t->balls) * t->columns);
}

/* ---- motions ---- */

/* number of rotations of a joint that form a ball: the last ones */
static int ball_of(const ff_link *l) {
    return l->kind == FF_JOINT_FREE || l->kind == FF_JOINT_SPHERICAL ? 3 : 0;
}

static bool slides(const ff_link *l, int c) {
    return l->kind == FF_JOINT_FREE ? c < 3 : ff_link_slides(l->kind, c);
}

/* The degrees of freedom of one body, and its motion. Here the columns of a ball rotate with its parent, whereas the speeds
 * in y are in world axes: the rates of speeds in rotating axes are u' - omega x u, with the omega of the parent. */
static void find_link(ff_mechanism *m, int i, const double *y, const double *rates) {
    const ff_model *model = m->model;
    const ff_link *l = &model->tree->links[i];
    const ff_link_work *w = &m->links[i];
    ff_tangent *t = &m->tangent;
    ff_subtree *b = &t->trees[i];
    if (l->parent >= 0) {
        const ff_subtree *up = &t->trees[l->parent];
        memcpy(b->origin, up->origin, sizeof b->origin);
        memcpy(b->v, up->v, sizeof b->v);
        memcpy(b->a, up->a, sizeof b->a);
        b->last = up->last;
    } else {
        memcpy(b->origin, w->point, sizeof b->origin);
        memset(b->v, 0, sizeof b->v);
        memset(b->a, 0, sizeof b->a);
        ff_add_scaled(b->a, -1, model->gravity, b->a);
        b->last = -1;
    }
    double r[3];
    ff_add_scaled(w->point, -1, b->origin, r);
    const int ball = l->speeds - ball_of(l);
    for (int serial = 0; serial < l->speeds; serial++) {
        const int k = (int)l->speed_at + serial, c = speed_of(l, serial);
        ff_dof *d = &t->dof[k];
        double unit[3] = {c % 3 == 0, c % 3 == 1, c % 3 == 2};
        const double *column = l->kind == FF_JOINT_FREE ? unit : w->column[c];
        bool slide = slides(l, c);
        d->link = i;
        d->up = b->last;
        d->first = serial < ball ? k : (int)l->speed_at + ball;
        d->depth = d->up < 0 ? 0 : t->dof[d->up].depth + 1;
        d->row = k == 0 ? 0 : t->dof[k - 1].row + (size_t)t->dof[k - 1].depth + 1;
        d->q_at = l->at + (size_t)(serial < ball ? c : ball);
        d->u_at = l->at + (size_t)(l->coordinates + c);
        memcpy(d->s + (slide ? 0 : 3), column, sizeof unit);
        if (slide) {
            memset(d->s + 3, 0, sizeof unit);
        } else {
            ff_cross(r, column, d->s);
        }
        if (l->kind == FF_JOINT_SCREW) {
            ff_add_scaled(d->s, l->pitch, column, d->s);
        }
        b->last = k;
    }
    /* one after the other, the rotations of a ball together */
    for (int serial = 0; serial < l->speeds;) {
        const int count = serial < ball ? 1 : 3;
        ff_dof *d = &t->dof[(int)l->speed_at + serial];
        double v[6], less[3] = {0};
        memcpy(v, b->v, sizeof v);
        if (count == 3) {
            ff_cross(v + 3, y + d->u_at, less);
        }
        for (int c = 0; c < count; c++) {
            cross6(v, d[c].s, d[c].carried);
            add6(b->v, y[d[c].u_at], d[c].s);
            add6(b->a, rates[d[c].u_at] - less[c], d[c].s);
            add6(b->a, y[d[c].u_at], d[c].carried);
        }
        for (int c = 0; c < count; c++) {
            double part[6];
            cross6(b->v, d[c].s, d[c].shift);
            cross6(b->a, d[c].s, d[c].bend);
            cross6(b->v, d[c].shift, part);
            add6(d[c].bend, 1, part);
            for (int e = 0; e < 6; e++) {
                d[c].twice[e] = d[c].carried[e] + d[c].shift[e];
            }
        }
        serial += count;
    }
}

/* ---- inertias and bias forces ---- */

/* A single body: inertia, the force for its acceleration, and the matrix B of the change of that force, f = I a + v x* I v,
 * if v changes by x and a by x x v:
 *    B x = x x* I v + v x* I x - I (v x x) = (2 x_w x p, spin x_w),   spin = 2 ((c.p) 1 - p c^T) + A + A^T - (I w)^
 * with the centre of mass c, p = m v there, the inertia I about it, and A = w^ I. A common velocity (x_v) needs no force. */
static void weigh(const ff_model *model, const double *motion, int i, ff_subtree *b) {
    const ff_model_body *body = &model->bodies[i];
    const double *w = motion + FF_OMEGA, *v = motion + FF_VEL, *alpha = b->a + 3;
    double turn[3][3], half[3][3], inertia[3][3], c[3], spun[3], gyro[3], moment[3], across[3][3];
    ff_add_scaled(motion + FF_P, -1, b->origin, c);
    ff_rotation(motion + FF_Q, turn);
    for (int r = 0; r < 3; r++) {
        ff_rotate(body->inertia, turn[r], half[r]);
    }
    for (int r = 0; r < 3; r++) {
        for (int k = r; k < 3; k++) {
            inertia[r][k] = inertia[k][r] = ff_dot(half[r], turn[k]);
        }
    }
    ff_rotate(inertia, w, spun);
    ff_cross(w, spun, gyro);
    b->mass = body->mass;
    double square = ff_dot(c, c), along = 0;
    for (int r = 0; r < 3; r++) {
        b->moved[r] = body->mass * c[r];
        b->momentum[r] = body->mass * v[r];
        along += c[r] * b->momentum[r];
        ff_cross(w, inertia[r], across[r]); /* the rows of A^T, I being symmetric */
    }
    for (int r = 0; r < 3; r++) {
        for (int k = 0; k < 3; k++) {
            b->inertia[r][k] = inertia[r][k] + body->mass * ((r == k) * square - c[r] * c[k]);
            b->spin[r][k] =
                across[r][k] + across[k][r] + 2 * ((r == k) * along - b->momentum[r] * c[k]);
        }
    }
    /* -(I w)^ */
    b->spin[0][1] += spun[2], b->spin[1][0] -= spun[2];
    b->spin[1][2] += spun[0], b->spin[2][1] -= spun[0];
    b->spin[2][0] += spun[1], b->spin[0][2] -= spun[1];
    double a[3], lift[3];
    velocity_at(b->a, c, a);
    ff_cross(w, v, lift);
    for (int r = 0; r < 3; r++) {
        b->need[r] = body->mass * (a[r] + lift[r]);
    }
    ff_rotate(inertia, alpha, moment);
    ff_cross(c, b->need, lift);
    for (int r = 0; r < 3; r++) {
        b->need[3 + r] = moment[r] + gyro[r] + lift[r];
    }
}

/* adds a body and everything beyond it to its parent */
static void add_subtree(const ff_subtree *b, ff_subtree *up) {
    up->mass += b->mass;
    for (int r = 0; r < 3; r++) {
        up->moved[r] += b->moved[r];
        up->momentum[r] += b->momentum[r];
        for (int k = 0; k < 3; k++) {
            up->inertia[r][k] += b->inertia[r][k];
            up->spin[r][k] += b->spin[r][k];
        }
    }
    add6(up->need, 1, b->need);
}

/* out = I x + B z */
static void need_of(const ff_subtree *b, const double x[6], const double z[6], double out[6]) {
    double turn[3], lift[3], bias[3], moment[3], spun[3];
    ff_cross(x + 3, b->moved, turn);
    ff_cross(b->moved, x, lift);
    ff_rotate(b->inertia, x + 3, moment);
    ff_cross(z + 3, b->momentum, bias);
    ff_rotate(b->spin, z + 3, spun);
    for (int c = 0; c < 3; c++) {
        out[c] = b->mass * x[c] + turn[c] + 2 * bias[c];
        out[3 + c] = moment[c] + lift[c] + spun[c];
    }
}

/* For each degree of freedom: by_q = I bend + B shift + s x* need, by_u = I twice + B s, heavy = I s, and
 * spun = (B^T s)_w. */
static void find_needs(ff_tangent *t) {
    static const double none[6] = {0};
    for (size_t k = 0; k < t->dofs; k++) {
        ff_dof *d = &t->dof[k];
        const ff_subtree *b = &t->trees[d->link];
        double x[3], y[3];
        need_of(b, d->bend, d->shift, d->by_q);
        ff_cross(d->s + 3, b->need, x);
        ff_add_scaled(d->by_q, 1, x, d->by_q);
        ff_cross(d->s + 3, b->need + 3, x);
        ff_cross(d->s, b->need, y);
        for (int c = 0; c < 3; c++) {
            d->by_q[3 + c] += x[c] + y[c];
        }
        need_of(b, d->twice, d->s, d->by_u);
        need_of(b, d->s, none, d->heavy);
        ff_rotate_back(b->spin, d->s + 3, x);
        ff_cross(b->momentum, d->s, y);
        ff_add_scaled(x, 2, y, d->spun);
    }
}

/* Minus the derivative of inverse dynamics, and the mass matrix. Row k is s_k . (force on all bodies beyond k). In a column
 * j at or beyond k only the force on the bodies beyond j changes. In a column j before k, s_k and everything beyond it move
 * rigidly, and only shift and bend remain. Columns of a ball do not affect each other. */
static void bias_slopes(const ff_tangent *t) {
    for (size_t k = 0; k < t->dofs; k++) {
        const ff_dof *d = &t->dof[k];
        double *row = row_of(t, k), *mass = t->mass + d->row + d->depth;
        for (int j = (int)k; j >= 0; j = t->dof[j].up) {
            const ff_dof *e = &t->dof[j];
            double *other = row_of(t, (size_t)j);
            *mass-- = ff_dot6(d->heavy, e->s);
            other[k] -= ff_dot6(e->s, d->by_q);
            other[t->dofs + k] -= ff_dot6(e->s, d->by_u);
            if (j == (int)k) {
                continue;
            }
            row[t->dofs + (size_t)j] -= ff_dot6(d->heavy, e->twice) + ff_dot(d->spun, e->s + 3);
            row[j] -= j >= d->first ? ff_dot6(d->s, e->by_q)
                                    : ff_dot6(d->heavy, e->bend) + ff_dot(d->spun, e->shift + 3);
        }
    }
}

/* ---- the mass matrix ---- */

/* M = L^T D L in place of M (Featherstone 2008, table 6.3). Entries between different branches are and stay 0. */
static void factor(const ff_tangent *t) {
    for (size_t k = t->dofs; k-- > 0;) {
        const ff_dof *d = &t->dof[k];
        double *own = t->mass + d->row;
        for (int i = d->up; i >= 0; i = t->dof[i].up) {
            const int depth = t->dof[i].depth;
            double *row = t->mass + t->dof[i].row, by = own[depth] / own[d->depth];
            for (int c = 0; c <= depth; c++) {
                row[c] -= by * own[c];
            }
            own[depth] = by;
        }
    }
}

static inline void take_away(size_t n, double by, const double *restrict from,
                             double *restrict row) {
    for (size_t c = 0; c < n; c++) {
        row[c] -= by * from[c];
    }
}

/* the rows of all speeds times the inverse of M, for all columns at once */
static void solve(const ff_tangent *t) {
    for (size_t k = t->dofs; k-- > 0;) {
        const ff_dof *d = &t->dof[k];
        const double *own = t->mass + d->row;
        double *row = row_of(t, k), per = 1 / own[d->depth];
        for (int i = d->up; i >= 0; i = t->dof[i].up) {
            take_away(t->columns, own[t->dof[i].depth], row, row_of(t, (size_t)i));
        }
        for (size_t c = 0; c < t->columns; c++) {
            row[c] *= per;
        }
    }
    for (size_t k = 0; k < t->dofs; k++) {
        const ff_dof *d = &t->dof[k];
        const double *own = t->mass + d->row;
        for (int i = d->up; i >= 0; i = t->dof[i].up) {
            take_away(t->columns, own[t->dof[i].depth], row_of(t, (size_t)i), row_of(t, k));
        }
    }
}

/* ---- balls ---- */

/* d(omega) of a body into three rows: by coordinates d(omega) = w x omega + shift, by speeds w. */
static void omega_rows(const ff_tangent *t, int body, size_t row) {
    const ff_subtree *b = &t->trees[body];
    for (int j = b->last; j >= 0; j = t->dof[j].up) {
        const ff_dof *d = &t->dof[j];
        double turn[3];
        ff_cross(d->s + 3, b->v + 3, turn);
        for (size_t c = 0; c < 3; c++) {
            row_of(t, row + c)[j] = turn[c] + d->shift[3 + c];
            row_of(t, row + c)[t->dofs + (size_t)j] = d->s[3 + c];
        }
    }
}

/* The rates of the speeds of a ball in world axes: with E the axes that rotate with its parent, u = E c, u' = E c' + omega
 * x u, and the rows so far are those of c'. For a rotation theta of E,
 *    d(u') = d(c') + d(theta) x c' + d(omega) x u + omega x (d(theta) x u + d(c)). */
static void turn_rows(const ff_tangent *t, int parent, size_t first, const double *y,
                      const double *rates) {
    const ff_subtree *up = &t->trees[parent];
    const ff_dof *own = &t->dof[first];
    const double *u = y + own->u_at, *omega = up->v + 3;
    double rate[3], carried[3];
    ff_cross(omega, u, carried);
    ff_add_scaled(rates + own->u_at, -1, carried, rate);
    for (int j = up->last; j >= 0; j = t->dof[j].up) {
        const ff_dof *d = &t->dof[j];
        double turned[3], by_q[3], by_u[3], part[3];
        ff_cross(d->s + 3, omega, turned);
        ff_add_scaled(turned, 1, d->shift + 3, turned);
        ff_cross(turned, u, by_q);
        ff_cross(d->s + 3, rate, part);
        ff_add_scaled(by_q, 1, part, by_q);
        ff_cross(d->s + 3, u, part);
        ff_cross(omega, part, part);
        ff_add_scaled(by_q, 1, part, by_q);
        ff_cross(d->s + 3, u, by_u);
        for (size_t c = 0; c < 3; c++) {
            row_of(t, first + c)[j] += by_q[c];
            row_of(t, first + c)[t->dofs + (size_t)j] += by_u[c];
        }
    }
    for (size_t c = 0; c < 3; c++) {
        double unit[3] = {c == 0, c == 1, c == 2}, by[3];
        ff_cross(omega, unit, by);
        for (size_t a = 0; a < 3; a++) {
            row_of(t, first + a)[t->dofs + first + c] += by[a];
        }
    }
}

/* So far a ball rotates with its parent. In y its orientation and speeds are in world axes and do not: columns of degrees
 * of freedom before it, up to the previous ball, must rotate it back, by -w, and its speeds by -(w x u). */
static void turn_back(const ff_tangent *t, int parent, size_t first, size_t rows, const double *y) {
    const double *u = y + t->dof[first].u_at;
    for (int j = t->trees[parent].last, ball = -1; j >= 0 && (ball < 0 || j >= ball);
         j = t->dof[j].up) {
        const ff_dof *d = &t->dof[j];
        double turned[3];
        ff_cross(d->s + 3, u, turned);
        for (size_t k = 0; k < rows; k++) {
            double *row = row_of(t, k);
            row[j] -= ff_dot(d->s + 3, row + first) + ff_dot(turned, row + t->dofs + first);
        }
        ball = d->first < j ? d->first : ball;
    }
}

/* ---- assembly of the Jacobian ---- */

static bool begins_ball(const ff_tangent *t, size_t k) {
    return k + 2 < t->dofs && t->dof[k + 2].first == (int)k;
}

/* Converts a row with respect to degrees of freedom and states to all states of y. Rotations of a ball are dtheta = 2
 * vec(dq conj(q))/|q|^2 of its quaternion. */
static const double *write_row(const ff_tangent *t, const double *row, const double *y) {
    double *out = t->by_state;
    for (size_t k = 0; k < t->dofs; k++) {
        const ff_dof *d = &t->dof[k];
        out[d->u_at] = row[t->dofs + k];
        if (begins_ball(t, k)) {
            const double *q = y + d->q_at, *v = q + 1, *by = row + k;
            double s = 2 / (q[0] * q[0] + ff_dot(v, v)), cross[3], *to = out + d->q_at;
            ff_cross(v, by, cross);
            to[0] = -s * ff_dot(v, by);
            for (int c = 0; c < 3; c++) {
                to[1 + c] = s * (q[0] * by[c] - cross[c]);
            }
        } else if (d->first == (int)k) {
            out[d->q_at] = row[k];
        }
    }
    memcpy(out + t->first, row + 2 * t->dofs, t->states * sizeof *out);
    return out;
}

/* The rate of a quaternion is linear in it and in omega, whose rows are known. */
static void quaternion_rows(const ff_tangent *t, const ff_link *l, const double omega[3],
                            size_t row, const double *y, ff_take_row take, void *user) {
    const size_t at = l->at + (l->kind == FF_JOINT_FREE ? 3 : 0);
    for (size_t r = 0; r < 4; r++) {
        double by[3], unit[4] = {0}, rate[4];
        for (int c = 0; c < 3; c++) {
            double axis[3] = {c == 0, c == 1, c == 2};
            ff_quaternion_rate(y + at, axis, rate);
            by[c] = rate[r];
        }
        for (size_t c = 0; c < t->columns; c++) {
            t->row[c] = by[0] * row_of(t, row)[c] + by[1] * row_of(t, row + 1)[c] +
                        by[2] * row_of(t, row + 2)[c];
        }
        write_row(t, t->row, y);
        for (size_t c = 0; c < 4; c++) {
            unit[c] = 1;
            ff_quaternion_rate(unit, omega, rate);
            unit[c] = 0;
            t->by_state[at + c] += rate[r];
        }
        take(user, at + r, t->by_state);
    }
}

void ff_tangent_jacobian(const ff_model *model, const ff_phase *phase, double time, const double *y,
                         ff_take_row take, void *user) {
    ff_mechanism *m = phase->mechanism;
    ff_tangent *t = &m->tangent;
    const ff_joint_tree *tree = model->tree;
    const size_t rows = t->dofs + t->states + 3 * t->balls;
    const double *rates = phase->rates;
    if (!rates) {
        /* after the work memory for differences of contacts */
        double *here = m->slope_rates + 2 * model->size;
        ff_dynamics_rates(model, phase, time, y, here);
        rates = here;
    }
    ff_links_place(m, y);
    memset(t->rows, 0, rows * t->columns * sizeof *t->rows);
    for (size_t k = 0; k < model->body_count; k++) {
        find_link(m, tree->order[k], y, rates);
    }
    for (size_t i = 0; i < model->body_count; i++) {
        weigh(model, ff_body_state(m->bodies, (int)i), (int)i, &t->trees[i]);
    }
    for (size_t k = model->body_count; k-- > 0;) {
        int i = tree->order[k], parent = tree->links[i].parent;
        if (parent >= 0) {
            add_subtree(&t->trees[i], &t->trees[parent]);
        }
    }
    find_needs(t);
    bias_slopes(t);
    const ff_control *program = model->topology->controls.program;
    const bool controls = program && program->act_count > 0;
    if (controls) {
        ff_control_slopes(&(ff_control_view){model, phase, time, m->bodies, y},
                          phase->control_slopes);
    }
    for (size_t i = 0; i < model->slot_count; i++) {
        ff_tangent_slot(model, phase, i, time, y);
    }
    for (size_t i = 0; i < model->force_count; i++) {
        if (phase->acting[i] && model->forces[i].joint < 0) {
            ff_tangent_force(m, phase, i, time);
        }
    }
    ff_tangent_efforts(model, phase, y);
    if (controls) {
        ff_tangent_control(model, phase, phase->control_slopes);
    }
    factor(t);
    solve(t);
    /* balls, from the roots on: a column is corrected for the balls next to it, with their original values */
    size_t omega = t->dofs + t->states;
    for (size_t i = 0; i < model->body_count; i++) {
        if (ball_of(&tree->links[i])) {
            omega_rows(t, (int)i, omega);
            omega += 3;
        }
    }
    for (size_t k = 0; k < model->body_count; k++) {
        const ff_link *l = &tree->links[tree->order[k]];
        if (l->kind == FF_JOINT_SPHERICAL && l->parent >= 0) {
            turn_rows(t, l->parent, l->speed_at, y, rates);
        }
    }
    for (size_t k = 0; k < model->body_count; k++) {
        const ff_link *l = &tree->links[tree->order[k]];
        if (l->kind == FF_JOINT_SPHERICAL && l->parent >= 0) {
            turn_back(t, l->parent, l->speed_at, rows, y);
        }
    }
    for (size_t k = 0; k < t->dofs; k++) {
        const ff_dof *d = &t->dof[k];
        take(user, d->u_at, write_row(t, row_of(t, k), y));
    }
    for (size_t i = t->first; i < model->states; i++) {
        take(user, i, write_row(t, state_row(t, i), y));
    }
    omega = t->dofs + t->states;
    for (size_t i = 0; i < model->body_count; i++) {
        const ff_link *l = &tree->links[i];
        if (ball_of(l)) {
            quaternion_rows(t, l, t->trees[i].v + 3, omega, y, take, user);
            omega += 3;
        }
    }
    /* coordinates that are integrals of their speeds */
    memset(t->by_state, 0, model->states * sizeof *t->by_state);
    for (size_t k = 0; k < t->dofs; k++) {
        const ff_dof *d = &t->dof[k];
        if (d->first == (int)k && !begins_ball(t, k)) {
            t->by_state[d->u_at] = 1;
            take(user, d->q_at, t->by_state);
            t->by_state[d->u_at] = 0;
        }
    }
}
