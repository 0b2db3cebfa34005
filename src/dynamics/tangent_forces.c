/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "bond.h"
#include "links.h"
#include "ode/stepper.h"
#include "tangent_rows.h"
#include <string.h>

/* Derivatives of forces in the Jacobian of an articulated tree: contacts, applied forces, efforts of joints, controllers. */

/* ---- forces ---- */

/* A constant force and moment at a point r of a body: d(J_k).force + d(w_k).moment, where d(J_k) is w_j x J_k in a column j
 * before k and w_k x J_j in one at or beyond k, and d(w_k) is w_j x w_k in a column before k. */
static void load_slopes(const ff_tangent *t, int body, const double r[3], const double force[3],
                        const double moment[3]) {
    const int last = t->trees[body].last;
    for (int k = last; k >= 0; k = t->dof[k].up) {
        const ff_dof *d = &t->dof[k];
        double *row = row_of(t, (size_t)k), reach[3], lift[3], turn[3];
        velocity_at(d->s, r, reach);
        ff_cross(reach, force, lift);
        ff_cross(d->s + 3, moment, turn);
        for (int j = k; j >= 0; j = t->dof[j].up) {
            const double *w = t->dof[j].s + 3;
            bool before = j < d->first;
            row_of(t, (size_t)j)[k] += ff_dot(w, lift);
            row[j] += before ? ff_dot(w, lift) + ff_dot(w, turn) : 0;
        }
        /* the other columns of a ball */
        for (int j = d->first; j < k; j++) {
            double other[3];
            velocity_at(t->dof[j].s, r, reach);
            ff_cross(reach, force, other);
            row[j] += ff_dot(d->s + 3, other);
        }
    }
}

/* How degrees of freedom move the ends of a bond: `count`: those of the first end, and of both; `ends`: the points where
 * the force acts. In axes that move along, the velocity of a point of the body changes by shift; here the point also moves
 * within the body. */
static void find_levers(const ff_tangent *t, const bond *b, size_t count[2], double ends[2][3]) {
    count[0] = count[1] = 0;
    for (int i = 0; i < 1 + b->second; i++) {
        const double *motion = b->y + b->body[i], sign = i ? -1 : 1;
        const ff_subtree *tree = &t->trees[b->body[i] / FF_BODY_STRIDE];
        double center[3], v[3];
        ff_add_scaled(motion + FF_P, -1, tree->origin, center);
        ff_add_scaled(center, 1, b->arm[i], ends[i]);
        ff_add_scaled(center, 1, b->center[i], center);
        ff_cross(motion + FF_OMEGA, b->arm[i], v);
        ff_add_scaled(v, 1, motion + FF_VEL, v);
        for (int k = tree->last; k >= 0; k = t->dof[k].up) {
            const ff_dof *d = &t->dof[k];
            ff_dof_lever *l = &t->levers[count[1]++];
            double turn[3], drift[3];
            l->dof = k;
            velocity_at(d->s, ends[i], l->reach);
            velocity_at(d->s, center, l->way);
            ff_add_scaled(l->way, -1, l->reach, l->slide);
            velocity_at(d->shift, ends[i], l->velocity);
            ff_cross(d->s + 3, v, turn);
            ff_cross(motion + FF_OMEGA, l->slide, drift);
            for (int c = 0; c < 3; c++) {
                l->reach[c] *= sign;
                l->way[c] *= sign;
                l->velocity[c] = sign * (l->velocity[c] + turn[c] + drift[c]);
            }
        }
        count[0] = i ? count[0] : count[1];
    }
}

/* Adds a row by D, V and states (bond.h). */
static void bond_row(const ff_tangent *t, const bond *b, const double *by, size_t count,
                     double *row) {
    for (size_t e = 0; e < count; e++) {
        const ff_dof_lever *l = &t->levers[e];
        row[l->dof] += ff_dot(by + BY_WAY, l->way) + ff_dot(by + BY_VELOCITY, l->velocity);
        row[t->dofs + (size_t)l->dof] += ff_dot(by + BY_VELOCITY, l->reach);
    }
    for (int c = 0; c < b->states; c++) {
        row[column_of(t, b->state) + (size_t)c] += by[BY_STATES + c];
    }
}

/* d(J_k.f) of both ends of a bond, with the rows `push` of its force. */
static void bond_slopes(const ff_tangent *t, const bond *b, const double *push,
                        const size_t count[2], double ends[2][3]) {
    static const double none[3] = {0};
    const size_t size = (size_t)row_size(b);
    for (size_t e = 0; e < count[1]; e++) {
        ff_dof_lever *l = &t->levers[e];
        for (size_t c = 0; c < 3; c++) {
            const double *by = push + c * size;
            l->by_q[c] = ff_dot(by + BY_WAY, l->way) + ff_dot(by + BY_VELOCITY, l->velocity);
            l->by_u[c] = ff_dot(by + BY_VELOCITY, l->reach);
        }
    }
    for (int i = 0; i < 1 + b->second; i++) {
        const double sign = i ? -1 : 1;
        const bool moves = b->along[i] != 0 || b->across[i] != 0;
        double force[3] = {0};
        ff_add_scaled(force, sign, b->force, force);
        for (size_t a = i ? count[0] : 0; a < (i ? count[1] : count[0]); a++) {
            const ff_dof_lever *at = &t->levers[a];
            const double *w = t->dof[at->dof].s + 3;
            double *row = row_of(t, (size_t)at->dof), turn[3];
            ff_cross(force, w, turn);
            for (size_t e = 0; e < count[1]; e++) {
                const ff_dof_lever *l = &t->levers[e];
                double value = ff_dot(at->reach, l->by_q);
                /* motion of the point within the body: w x (slide + A dD) . f */
                if (moves) {
                    double shift[3] = {0};
                    add_shift(b, i, 1, l->way, shift);
                    value += ff_dot(turn, shift);
                }
                value += (e >= count[0]) == i ? ff_dot(turn, l->slide) : 0;
                row[l->dof] += value;
                row[t->dofs + (size_t)l->dof] += ff_dot(at->reach, l->by_u);
            }
            for (int c = 0; c < b->states; c++) {
                const double *by = push + BY_STATES + c;
                row[column_of(t, b->state) + (size_t)c] +=
                    at->reach[0] * by[0] + at->reach[1] * by[size] + at->reach[2] * by[2 * size];
            }
        }
        load_slopes(t, (int)(b->body[i] / FF_BODY_STRIDE), ends[i], force, none);
    }
}

/* The rotation of u with a pair of spheres. */
static void turning_slopes(const ff_tangent *t, const bond *b, const double turn[3],
                           const double *u, size_t state) {
    double by_way[3][3], by_velocity[3][3], by_spin[3], ends[2][3];
    size_t count[2];
    ff_bond_turning(b, u, by_way, by_velocity, by_spin);
    /* velocities here are those of the centres */
    bond centers = *b;
    memcpy(centers.arm, b->center, sizeof centers.arm);
    find_levers(t, &centers, count, ends);
    for (size_t i = 0; i < 3; i++) {
        double *row = state_row(t, state + i), unit[3] = {i == 0, i == 1, i == 2}, cross[3];
        for (size_t e = 0; e < count[1]; e++) {
            const ff_dof_lever *l = &t->levers[e];
            const ff_dof *d = &t->dof[l->dof];
            const double *omega = b->y + b->body[e >= count[0]] + FF_OMEGA;
            double turned[3];
            ff_cross(d->s + 3, omega, turned);
            ff_add_scaled(turned, 1, d->shift + 3, turned);
            row[l->dof] += ff_dot(by_way[i], l->way) + ff_dot(by_velocity[i], l->velocity) +
                           by_spin[i] * ff_dot(b->n, turned);
            row[t->dofs + (size_t)l->dof] +=
                ff_dot(by_velocity[i], l->reach) + by_spin[i] * ff_dot(b->n, d->s + 3);
        }
        ff_cross(unit, turn, cross);
        for (size_t c = 0; c < 3; c++) {
            row[column_of(t, state) + c] += cross[c];
        }
    }
}

/* A column of force and moment at the centre of mass of a body. */
static void push_column(const ff_tangent *t, const double *bodies, int on, const double push[6],
                        size_t column) {
    const ff_subtree *tree = &t->trees[on];
    double r[3], reach[3];
    ff_add_scaled(ff_body_state(bodies, on) + FF_P, -1, tree->origin, r);
    for (int k = tree->last; k >= 0; k = t->dof[k].up) {
        const ff_dof *d = &t->dof[k];
        velocity_at(d->s, r, reach);
        row_of(t, (size_t)k)[column] += ff_dot(reach, push) + ff_dot(d->s + 3, push + 3);
    }
}

/* The displacement and rotation of a body, and the change of its velocity and omega, per change of a coordinate; a speed
 * changes velocity and omega by that displacement and rotation. */
static void motion_change(const ff_tangent *t, const ff_dof *d, const double *bodies, int body,
                          double change[12]) {
    const double *motion = ff_body_state(bodies, body);
    double r[3], part[3];
    ff_add_scaled(motion + FF_P, -1, t->trees[body].origin, r);
    velocity_at(d->s, r, change);
    memcpy(change + 3, d->s + 3, sizeof part);
    velocity_at(d->shift, r, change + 6);
    ff_cross(d->s + 3, motion + FF_VEL, part);
    ff_add_scaled(change + 6, 1, part, change + 6);
    ff_cross(d->s + 3, motion + FF_OMEGA, part);
    ff_add_scaled(part, 1, d->shift + 3, change + 9);
}

/* Adds a row with respect to the motion of a body. */
static void motion_row(const ff_tangent *t, const double *bodies, int by, const double slopes[12],
                       double *row) {
    for (int j = t->trees[by].last; j >= 0; j = t->dof[j].up) {
        double change[12];
        motion_change(t, &t->dof[j], bodies, by, change);
        row[j] += ff_dot6(slopes, change) + ff_dot6(slopes + 6, change + 6);
        row[t->dofs + (size_t)j] += ff_dot6(slopes + 6, change);
    }
}

/* Derivatives of force and moment at the centre of mass of a body with respect to the motion of a body, six rows of twelve. */
static void push_slopes(const ff_tangent *t, const double *bodies, int on, int by,
                        double slopes[6][12]) {
    for (int j = t->trees[by].last; j >= 0; j = t->dof[j].up) {
        double change[12], by_q[6], by_u[6];
        motion_change(t, &t->dof[j], bodies, by, change);
        for (int c = 0; c < 6; c++) {
            by_q[c] = ff_dot6(slopes[c], change) + ff_dot6(slopes[c] + 6, change + 6);
            by_u[c] = ff_dot6(slopes[c] + 6, change);
        }
        push_column(t, bodies, on, by_q, (size_t)j);
        push_column(t, bodies, on, by_u, t->dofs + (size_t)j);
    }
}

/* ---- contacts ---- */

/* forces, moments and rates of states of one contact at displaced motions */
static void ask_again(const ff_model *model, const ff_phase *phase, size_t i, double time,
                      const double *y, double loads[2][6], double *rates) {
    ff_mechanism *m = phase->mechanism;
    const ff_slot *slot = &model->slots[i];
    const ff_phase one = {.modes = phase->modes};
    const int bodies[] = {slot->body, slot->other};
    double *dy = m->slope_rates + model->size;
    memset(dy, 0, model->size * sizeof *dy);
    for (int b = 0; b < (slot->other < 0 ? 1 : 2); b++) {
        memset(m->loads + (size_t)bodies[b] * FF_BODY_STRIDE, 0, FF_BODY_STRIDE * sizeof *m->loads);
    }
    ff_dynamics_slot(model, i, &one, time, m->bodies, y, m->loads, dy);
    for (int b = 0; b < (slot->other < 0 ? 1 : 2); b++) {
        memcpy(loads[b], ff_body_state(m->loads, bodies[b]) + FF_VEL, sizeof loads[b]);
    }
    memcpy(rates, dy + slot->state_at, (size_t)slot->states * sizeof *rates);
}

/* Displaces a motion by h: its position, orientation, velocity or omega along an axis. */
static void displace(double *motion, int which, double h) {
    if (which / 3 == 1) {
        double turn[3] = {0};
        turn[which - 3] = h;
        ff_quaternion_turn(motion + FF_Q, turn);
    } else {
        motion[which < 3 ? FF_P + which : FF_VEL + which - 6] += h;
    }
}

/* A law with a moment has no analytic derivatives of it: differences of loads and rates of states with respect to the
 * motions of the two bodies and the states. */
static void slot_differences(const ff_model *model, const ff_phase *phase, size_t i, double time,
                             const double *y) {
    ff_mechanism *m = phase->mechanism;
    const ff_tangent *t = &m->tangent;
    const ff_slot *slot = &model->slots[i];
    const int bodies[] = {slot->body, slot->other}, count = slot->other < 0 ? 1 : 2;
    const size_t states = (size_t)slot->states;
    double loads[2][2][6], rates[2][states + 1], slopes[2][6][12], by_state[states + 1][12];
    for (int by = 0; by < count; by++) {
        double *motion = m->bodies + (size_t)bodies[by] * FF_BODY_STRIDE, kept[FF_BODY_STRIDE];
        const ff_extent *size = &model->extents[bodies[by]];
        const double sizes[] = {size->length, 1, size->speed, size->turning};
        memcpy(kept, motion, sizeof kept);
        for (int c = 0; c < 12; c++) {
            const double h = 6e-6 * sizes[c / 3];
            for (int side = 0; side < 2; side++) {
                displace(motion, c, side ? h : -h);
                ask_again(model, phase, i, time, y, loads[side], rates[side]);
                memcpy(motion, kept, sizeof kept);
            }
            for (int on = 0; on < count; on++) {
                for (int r = 0; r < 6; r++) {
                    slopes[on][r][c] = (loads[1][on][r] - loads[0][on][r]) / (2 * h);
                }
            }
            for (size_t s = 0; s < states; s++) {
                by_state[s][c] = (rates[1][s] - rates[0][s]) / (2 * h);
            }
        }
        for (int on = 0; on < count; on++) {
            push_slopes(t, m->bodies, bodies[on], bodies[by], slopes[on]);
        }
        for (size_t s = 0; s < states; s++) {
            motion_row(t, m->bodies, bodies[by], by_state[s], state_row(t, slot->state_at + s));
        }
    }
    double *moved = m->slope_rates;
    memcpy(moved, y, model->states * sizeof *y);
    for (size_t j = slot->state_at; j < slot->state_at + states; j++) {
        const double h = 6e-6 * model->scales[j];
        for (int side = 0; side < 2; side++) {
            moved[j] = y[j] + (side ? h : -h);
            ask_again(model, phase, i, time, moved, loads[side], rates[side]);
        }
        moved[j] = y[j];
        for (int on = 0; on < count; on++) {
            double by[6];
            for (int r = 0; r < 6; r++) {
                by[r] = (loads[1][on][r] - loads[0][on][r]) / (2 * h);
            }
            push_column(t, m->bodies, bodies[on], by, column_of(t, j));
        }
        for (size_t s = 0; s < states; s++) {
            state_row(t, slot->state_at + s)[column_of(t, j)] +=
                (rates[1][s] - rates[0][s]) / (2 * h);
        }
    }
    ask_again(model, phase, i, time, y, loads[0], rates[0]);
    for (int on = 0; on < count; on++) {
        double r[3];
        ff_add_scaled(ff_body_state(m->bodies, bodies[on]) + FF_P, -1, t->trees[bodies[on]].origin,
                      r);
        load_slopes(t, bodies[on], r, loads[0][on], loads[0][on] + 3);
    }
}

void ff_tangent_slot(const ff_model *model, const ff_phase *phase, size_t i, double time,
                     const double *y) {
    ff_mechanism *m = phase->mechanism;
    const ff_tangent *t = &m->tangent;
    const ff_slot *slot = &model->slots[i];
    const int columns = ff_touch_columns(slot);
    if (ff_touch_silent(slot, phase->modes[i])) {
        return;
    }
    if (ff_slot_by_differences(slot)) {
        slot_differences(model, phase, i, time, y);
        return;
    }
    ff_touch_slopes slopes;
    ff_touch_slopes_place(slot, m->slope_room, &slopes);
    ff_touch_slopes_find(slot, phase->modes[i], time, m->bodies, y + slot->state_at, &slopes);
    const bond b = ff_bond_of_slot(slot, &slopes, m->bodies);
    const int size = row_size(&b);
    double push[3 * size], rate[size], ends[2][3];
    size_t count[2];
    for (int c = 0; c < 3; c++) {
        ff_bond_row(&b, slopes.matrix + c * columns, push + c * size);
    }
    find_levers(t, &b, count, ends);
    bond_slopes(t, &b, push, count, ends);
    for (int c = 0; c < slot->states; c++) {
        ff_bond_row(&b, slopes.matrix + (3 + c) * columns, rate);
        bond_row(t, &b, rate, count[1], state_row(t, b.state + (size_t)c));
    }
    for (int k = 0; slopes.turns && k < 3 * slot->friction.vectors; k += 3) {
        size_t state = b.state + (size_t)(ff_slot_u(slot) + k);
        turning_slopes(t, &b, slopes.touch.turn, y + state, state);
    }
}

/* ---- applied forces and joint efforts ---- */

void ff_tangent_force(const ff_mechanism *m, const ff_phase *phase, size_t i, double time) {
    const ff_force_def *f = &m->model->forces[i];
    const ff_tangent *t = &m->tangent;
    double r[3], force[3], moment[3];
    if (f->kind == FF_FORCE_SPRING) {
        double push[3][BY_STATES], ends[2][3];
        const bond b = ff_bond_of_spring(f, m->bodies, push);
        size_t count[2];
        find_levers(t, &b, count, ends);
        bond_slopes(t, &b, push[0], count, ends);
        return;
    }
    if (f->kind == FF_FORCE_PD) {
        double slopes[6][12] = {{0}};
        for (int a = 0; a < 3; a++) {
            for (int c = 0; c < 3; c++) {
                slopes[a][c] = -f->kp * f->axis[a] * f->axis[c];
                slopes[a][6 + c] = -f->kd * f->axis[a] * f->axis[c];
            }
        }
        push_slopes(t, m->bodies, f->body, f->body, slopes);
    }
    ff_force_load(m->model, phase, i, time, ff_body_state(m->bodies, f->body), force, moment);
    ff_add_scaled(ff_body_state(m->bodies, f->body) + FF_P, -1, t->trees[f->body].origin, r);
    load_slopes(t, f->body, r, force, moment);
}

void ff_tangent_efforts(const ff_model *model, const ff_phase *phase, const double *y) {
    const ff_tangent *t = &phase->mechanism->tangent;
    for (size_t k = 0; k < t->dofs; k++) {
        const ff_dof *d = &t->dof[k];
        const ff_link *l = &model->tree->links[d->link];
        if (l->joint < 0 || !model->joints[l->joint].works) {
            continue;
        }
        const int c = speed_of(l, (int)(k - l->speed_at));
        const ff_effort *e = &model->joints[l->joint].along[c];
        if (!e->works) {
            continue;
        }
        ff_effort_slopes by =
            ff_dynamics_effort_slopes(phase, model, (size_t)l->joint, c, y[d->q_at], y[d->u_at], y);
        row_of(t, k)[k] += by.q;
        row_of(t, k)[t->dofs + k] += by.rate;
        if (e->bristle >= 0) {
            size_t at = column_of(t, (size_t)e->bristle);
            double *row = state_row(t, (size_t)e->bristle);
            row_of(t, k)[at] += by.state;
            row[t->dofs + k] += by.state_rate;
            row[at] += by.state_state;
        }
    }
    for (size_t i = 0; i < model->force_count; i++) {
        const ff_force_def *f = &model->forces[i];
        if (f->joint >= 0 && phase->acting[i] && f->kind == FF_FORCE_PD) {
            const ff_link *l = &model->tree->links[ff_joint_hanging(model, (size_t)f->joint)];
            const size_t k = l->speed_at + (size_t)speed_of(l, f->coordinate);
            row_of(t, k)[k] -= f->kp;
            row_of(t, k)[t->dofs + k] -= f->kd;
        }
    }
}

/* Adds the derivative of a number that an expression reads to a row, times a factor. */
static void signal_row(const ff_model *model, const ff_mechanism *m, const ff_signal *by,
                       double factor, double *row) {
    const ff_tangent *t = &m->tangent;
    double slopes[12] = {0};
    if (by->kind == FF_SIGNAL_STATE) {
        row[column_of(t, model->control_at + by->thing)] += factor;
    } else if (by->kind == FF_SIGNAL_JOINT) {
        const ff_link *l = &model->tree->links[ff_joint_hanging(model, by->thing)];
        const bool rate = by->part >= FF_JOINT_RATE;
        const size_t at =
            l->at + (rate ? (size_t)l->coordinates + by->part - FF_JOINT_RATE : by->part);
        for (size_t k = l->speed_at; k < l->speed_at + (size_t)l->speeds; k++) {
            const ff_dof *d = &t->dof[k];
            if ((rate ? d->u_at : d->q_at) == at) {
                row[k + (rate ? t->dofs : 0)] += factor;
            }
        }
    } else if (by->part >= FF_Q && by->part < FF_VEL) {
        /* dq = dtheta q/2 of a unit quaternion: (-theta.v, w theta + theta x v)/2 */
        const double *q = ff_body_state(m->bodies, (int)by->thing) + FF_Q,
                     norm = sqrt(q[0] * q[0] + ff_dot(q + 1, q + 1));
        const size_t part = by->part - FF_Q;
        for (int k = 0; k < 3; k++) {
            double unit[3] = {k == 0, k == 1, k == 2}, cross[3];
            ff_cross(unit, q + 1, cross);
            slopes[3 + k] = factor / (2 * norm) *
                            (part == 0 ? -q[1 + k] : q[0] * unit[part - 1] + cross[part - 1]);
        }
        motion_row(t, m->bodies, (int)by->thing, slopes, row);
    } else {
        slopes[by->part < FF_Q ? by->part : by->part - FF_VEL + 6] = factor;
        motion_row(t, m->bodies, (int)by->thing, slopes, row);
    }
}

/* Commands and rates of controller states, from the derivatives of their expressions. */
void ff_tangent_control(const ff_model *model, const ff_phase *phase, const double *slopes) {
    const ff_control *program = model->topology->controls.program;
    const ff_mechanism *m = phase->mechanism;
    const ff_tangent *t = &m->tangent;
    for (size_t o = 0; o < program->act_count; o++) {
        const ff_target to = program->acts[o];
        const size_t force = to.at / FF_COMMANDS, part = to.at % FF_COMMANDS;
        const bool command = to.kind == FF_TARGET_COMMAND;
        bool any = false;
        memset(t->row, 0, t->columns * sizeof *t->row);
        for (size_t i = 0; i < program->slope_count; i++) {
            if (program->slopes[i].output == o) {
                signal_row(model, m, &program->slopes[i].by, slopes[i], t->row);
                any = true;
            }
        }
        if (!any || (command && !phase->acting[force])) {
            continue;
        }
        const ff_force_def *f = command ? &model->forces[force] : NULL;
        if (!f || f->joint >= 0) {
            double *row =
                f ? row_of(t,
                           model->tree->links[ff_joint_hanging(model, (size_t)f->joint)].speed_at)
                  : state_row(t, model->control_at + to.at);
            for (size_t c = 0; c < t->columns; c++) {
                row[c] += t->row[c];
            }
            continue;
        }
        double push[FF_COMMANDS] = {0};
        for (size_t c = 0; c < t->columns; c++) {
            push[part] = t->row[c];
            if (t->row[c] != 0) {
                push_column(t, m->bodies, f->body, push, c);
            }
        }
    }
}
