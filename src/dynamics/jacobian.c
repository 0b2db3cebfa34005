/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "body/vector.h"
#include "dynamics.h"
#include <stdint.h>
#include <string.h>

/* A matrix over the states that act on something; entries of others are dropped. */
typedef struct {
    const int *place;
    ff_sparse *at;
} matrix;

static void add(const matrix *out, size_t row, size_t column, double value) {
    if (out->place[row] >= 0 && out->place[column] >= 0) {
        ff_sparse_add(out->at, (size_t)out->place[row], (size_t)out->place[column], value);
    }
}

/* ---- forces between two bodies ---- */

/* What a row answers to: the way between two centres (or anchors) D, the velocity V of the points where the force acts
 * against each other, and the slot's states, as many as there are. */
enum { BY_WAY, BY_VELOCITY = 3, BY_STATES = 6 };

/* A force between two bodies, the second of which may be the ground. D = p_a + c_a - p_b - c_b and
 * V = v_a + omega_a x arm_a - v_b - omega_b x arm_b. Centres and anchors c turn with their bodies; the arms end where the
 * force acts, which moves against the centres when D does: d(arm_i) = d(c_i) + A_i dD with
 * A = along n n^T + across (1 - n n^T). */
typedef struct {
    size_t body[2];
    bool second;    /* is a body */
    bool turned[2]; /* c is not 0: orientation counts */
    const double *y;
    double n[3], center[2][3], arm[2][3], along[2], across[2];
    double force[3]; /* on the first */
    size_t state;    /* of the slot, in y */
    int states;      /* how many; none of a spring */
} bond;

static int row_size(const bond *b) { return BY_STATES + b->states; }

/* out += A_i x */
static void add_shift(const bond *b, int i, double sign, const double x[3], double out[3]) {
    double part = (b->along[i] - b->across[i]) * ff_dot(b->n, x);
    for (int c = 0; c < 3; c++) {
        out[c] += sign * (b->across[i] * x[c] + part * b->n[c]);
    }
}

/* A row that is t.dtheta for a small turn dtheta of a body, by its quaternion: dtheta = 2 vec(dq conj(q))/|q|^2. */
static void add_turn(const matrix *out, size_t row, size_t body, const double *y,
                     const double t[3]) {
    const double *q = y + body + FF_Q, *v = q + 1;
    double s = 2 / (q[0] * q[0] + ff_dot(v, v)), cross[3];
    ff_cross(v, t, cross);
    add(out, row, body + FF_Q, -s * ff_dot(v, t));
    for (size_t c = 0; c < 3; c++) {
        add(out, row, body + FF_Q + 1 + c, s * (q[0] * t[c] - cross[c]));
    }
}

/* One row, by the states of both bodies. The velocity is that of points on the given arms; `by_arm` is what the row has
 * by the end of each arm itself, besides D and V (may be NULL). */
static void spread(const matrix *out, const bond *b, size_t row, const double by_way[3],
                   const double by_velocity[3], const double (*arms)[3],
                   const double (*by_arm)[3]) {
    for (int i = 0; i < 1 + b->second; i++) {
        const double sign = i ? -1 : 1, *omega = b->y + b->body[i] + FF_OMEGA;
        double by_omega[3], by_center[3], turn[3];
        ff_cross(arms[i], by_velocity, by_omega);
        for (size_t c = 0; c < 3; c++) {
            add(out, row, b->body[i] + FF_P + c, sign * by_way[c]);
            add(out, row, b->body[i] + FF_VEL + c, sign * by_velocity[c]);
            add(out, row, b->body[i] + FF_OMEGA + c, sign * by_omega[c]);
        }
        if (!b->turned[i]) {
            continue;
        }
        /* d(c) = dtheta x c moves D, and V by omega x d(c) */
        ff_cross(by_velocity, omega, by_center);
        for (int c = 0; c < 3; c++) {
            by_center[c] = sign * (by_center[c] + by_way[c]) + (by_arm ? by_arm[i][c] : 0);
        }
        ff_cross(b->center[i], by_center, turn);
        add_turn(out, row, b->body[i], b->y, turn);
    }
}

static void spread_row(const matrix *out, const bond *b, size_t row, const double *by,
                       const double (*by_arm)[3]) {
    spread(out, b, row, by + BY_WAY, by + BY_VELOCITY, b->arm, by_arm);
    for (int i = 0; i < b->states; i++) {
        add(out, row, b->state + (size_t)i, by[BY_STATES + i]);
    }
}

/* What D does to V by way of the arms: d(V) = omega_a x A_a dD - omega_b x A_b dD. */
static void add_levers(const bond *b, double *by) {
    for (int i = 0; i < 1 + b->second; i++) {
        double back[3];
        if (b->along[i] != 0 || b->across[i] != 0) {
            ff_cross(by + BY_VELOCITY, b->y + b->body[i] + FF_OMEGA, back);
            add_shift(b, i, i ? -1 : 1, back, by + BY_WAY);
        }
    }
}

/* ---- how bodies answer ---- */

/* How a body answers to a force and a moment: v'_c = per_mass f_c and omega' = per M for what is not locked. */
typedef struct {
    size_t at; /* in y */
    bool moves[3], turns[3], round;
    double per_mass;
    double inertia[3][3], per[3][3]; /* in world axes; the inertia of a round body is not needed */
} answer;

static void turned_matrix(const double r[3][3], const double a[3][3], double out[3][3]) {
    double half[3][3];
    for (int i = 0; i < 3; i++) {
        ff_rotate(a, r[i], half[i]); /* rows of R times A, which is symmetric */
    }
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            out[i][j] = ff_dot(half[i], r[j]);
        }
    }
}

static answer answer_of(const ff_model *model, size_t at, const double *y) {
    const ff_model_body *body = &model->bodies[at / FF_BODY_STRIDE];
    answer out = {.at = at, .round = body->round, .per_mass = body->per_mass};
    for (int c = 0; c < 3; c++) {
        out.moves[c] = !(body->locked >> c & 1);
        out.turns[c] = !(body->locked >> (c + 3) & 1);
        out.per[c][c] = body->per_inertia[0][0];
    }
    if (!body->round) {
        double r[3][3];
        ff_rotation(y + at + FF_Q, r);
        turned_matrix(r, body->inertia, out.inertia);
        turned_matrix(r, body->per_inertia, out.per);
    }
    return out;
}

/* Rows of omega': I^-1 times the rows t.dtheta of a moment. */
static void add_turns(const matrix *out, const answer *a, const double *y, double t[3][3]) {
    for (size_t r = 0; r < 3; r++) {
        double row[3] = {0};
        for (int c = 0; c < 3; c++) {
            ff_add_scaled(row, a->per[r][c], t[c], row);
        }
        if (a->turns[r]) {
            add_turn(out, a->at + FF_OMEGA + r, a->at, y, row);
        }
    }
}

/* The moment M on a body that is not round accelerates it by alpha = I^-1 M, and I turns with the body:
 * I d(alpha) = d(M) - dI alpha, dI alpha = dtheta x I alpha - I (dtheta x alpha). */
static void add_moment(const matrix *out, const answer *a, const double *y,
                       const double moment[3]) {
    double alpha[3], turn[3][3];
    if (a->round) {
        return;
    }
    ff_rotate(a->per, moment, alpha);
    for (size_t i = 0; i < 3; i++) {
        double unit[3] = {i == 0, i == 1, i == 2}, more[3];
        ff_cross(unit, moment, turn[i]);
        ff_cross(alpha, a->inertia[i], more);
        ff_add_scaled(turn[i], 1, more, turn[i]);
    }
    add_turns(out, a, y, turn);
}

/* Rows of acceleration of both bodies: force f and moment arm x f act on the first, their opposites on the second. */
static void spread_force(const ff_model *model, const matrix *out, const bond *b,
                         const double *push) {
    const int size = row_size(b);
    for (int i = 0; i < 1 + b->second; i++) {
        const answer body = answer_of(model, b->body[i], b->y);
        const double sign = i ? -1 : 1, *arm = b->arm[i];
        double turn[3][size], arms[3][3], row[size], moment[3];
        for (size_t c = 0; c < 3; c++) {
            for (int j = 0; j < size; j++) {
                row[j] = sign * body.per_mass * push[c * (size_t)size + (size_t)j];
            }
            if (body.moves[c]) {
                spread_row(out, b, b->body[i] + FF_VEL + c, row, NULL);
            }
        }
        for (int j = 0; j < size; j++) {
            double column[3] = {push[j], push[size + j], push[2 * size + j]}, cross[3];
            ff_cross(arm, column, cross);
            for (int c = 0; c < 3; c++) {
                turn[c][j] = sign * cross[c];
            }
        }
        for (size_t c = 0; c < 3; c++) {
            /* d(arm) x f */
            double unit[3] = {c == 0, c == 1, c == 2};
            ff_cross(b->force, unit, arms[c]);
            add_shift(b, i, sign, arms[c], turn[c] + BY_WAY);
        }
        for (size_t r = 0; r < 3; r++) {
            const double *per = body.per[r];
            double by_arm[2][3] = {{0}};
            for (int j = 0; j < size; j++) {
                row[j] = body.round
                             ? per[r] * turn[r][j]
                             : per[0] * turn[0][j] + per[1] * turn[1][j] + per[2] * turn[2][j];
            }
            for (int j = 0; j < 3; j++) {
                by_arm[i][j] =
                    sign * (per[0] * arms[0][j] + per[1] * arms[1][j] + per[2] * arms[2][j]);
            }
            if (body.turns[r]) {
                spread_row(out, b, b->body[i] + FF_OMEGA + r, row, by_arm);
            }
        }
        ff_cross(arm, b->force, moment);
        for (int c = 0; c < 3; c++) {
            moment[c] *= sign;
        }
        add_moment(out, &body, b->y, moment);
    }
}

/* ---- contacts ---- */

static void center_of(const double *body, const double center[3], bond *b, int i) {
    b->turned[i] = center[0] != 0 || center[1] != 0 || center[2] != 0;
    memset(b->center[i], 0, sizeof b->center[i]);
    if (b->turned[i]) {
        double r[3][3];
        ff_rotation(body + FF_Q, r);
        ff_rotate(r, center, b->center[i]);
    }
}

/* How u turns with a pair of spheres: Omega x u, Omega = n x W/distance + n (n.(omega_a + omega_b))/2 with W the velocity
 * of the centres against each other. dn = (1 - n n^T) dD/distance. */
static void spread_turning(const matrix *out, const bond *b, double distance, const double turn[3],
                           size_t state) {
    const double *y = b->y, *u = y + state, *n = b->n;
    const double *wa = y + b->body[0] + FF_OMEGA, *wb = y + b->body[1] + FF_OMEGA;
    double w[3], arm[3], both[3], roll[3];
    ff_cross(wa, b->center[0], w);
    ff_cross(wb, b->center[1], arm);
    for (int c = 0; c < 3; c++) {
        w[c] += y[b->body[0] + FF_VEL + (size_t)c] - y[b->body[1] + FF_VEL + (size_t)c] - arm[c];
        both[c] = (wa[c] + wb[c]) / 2;
    }
    ff_cross(n, w, roll);
    for (size_t i = 0; i < 3; i++) {
        /* row i of Omega x u is Omega.s */
        double unit[3] = {i == 0, i == 1, i == 2}, s[3], by_n[3], by_way[3], by_w[3], cross[3];
        ff_cross(u, unit, s);
        double along = ff_dot(s, n);
        ff_cross(s, n, by_w);
        ff_cross(w, s, by_n);
        for (int c = 0; c < 3; c++) {
            by_w[c] /= distance;
            by_n[c] = by_n[c] / distance + along * both[c] + ff_dot(n, both) * s[c];
        }
        double part = ff_dot(by_n, n), stretch = ff_dot(s, roll) / distance;
        for (int c = 0; c < 3; c++) {
            by_way[c] = (by_n[c] - (part + stretch) * n[c]) / distance;
        }
        size_t row = state + i;
        spread(out, b, row, by_way, by_w, b->center, NULL);
        ff_cross(unit, turn, cross);
        for (size_t c = 0; c < 3; c++) {
            add(out, row, b->body[0] + FF_OMEGA + c, along * n[c] / 2);
            add(out, row, b->body[1] + FF_OMEGA + c, along * n[c] / 2);
            add(out, row, state + c, cross[c]);
        }
    }
}

/* By the way between centres instead of depth and normal: dz = -n.dD. */
static void by_way(const bond *b, double per_distance, const double *by, double *out) {
    double along = b->second ? ff_dot(by + FF_CAUSE_NORMAL, b->n) : 0;
    for (int c = 0; c < 3; c++) {
        double across = b->second ? by[FF_CAUSE_NORMAL + c] - along * b->n[c] : 0;
        out[BY_WAY + c] = across * per_distance - by[FF_CAUSE_DEPTH] * b->n[c];
        out[BY_VELOCITY + c] = by[FF_CAUSE_VELOCITY + c];
    }
    memcpy(out + BY_STATES, by + FF_CAUSE_STATES, (size_t)b->states * sizeof *out);
    add_levers(b, out);
}

/* A column of acceleration, from one of force and moment. */
static void add_load(const matrix *out, const answer *a, size_t column, const double load[6]) {
    for (size_t r = 0; r < 3; r++) {
        if (a->moves[r]) {
            add(out, a->at + FF_VEL + r, column, a->per_mass * load[r]);
        }
        if (a->turns[r]) {
            add(out, a->at + FF_OMEGA + r, column, ff_dot(a->per[r], load + 3));
        }
    }
}

/* Of a law that answers with a moment: by differences of all that it does to its bodies and states. */
static void slot_differences(const ff_model *model, size_t i, const ff_phase *phase, double t,
                             const double *y, const matrix *out) {
    const ff_slot *slot = &model->slots[i];
    const int bodies[] = {slot->body, slot->other};
    const ff_phase one = {.modes = phase->modes};
    double loads[2][2][6], rates[2][slot->states + 1];
    double *moved = phase->slope_rates, *dy = moved + model->size;
    answer answers[2];
    for (int b = 0; b < (slot->other < 0 ? 1 : 2); b++) {
        answers[b] = answer_of(model, model->body_at[bodies[b]], y);
    }
    memcpy(moved, y, model->states * sizeof *y);
    for (int part = 0; part < 3; part++) {
        if (part == 1 && slot->other < 0) {
            continue;
        }
        size_t from = part < 2 ? model->body_at[bodies[part]] : slot->state_at;
        size_t count = part < 2 ? FF_BODY_STRIDE : (size_t)slot->states;
        for (size_t j = from; j < from + count; j++) {
            double h = 6e-6 * model->scales[j];
            if (out->place[j] < 0) {
                continue;
            }
            for (int side = 0; side < 2; side++) {
                moved[j] = y[j] + (side ? h : -h);
                memset(dy, 0, model->size * sizeof *dy);
                ff_dynamics_slot(model, i, &one, t, moved, dy);
                for (int b = 0; b < (slot->other < 0 ? 1 : 2); b++) {
                    memcpy(loads[side][b], ff_body_state(dy, bodies[b]) + FF_VEL,
                           sizeof loads[side][b]);
                }
                memcpy(rates[side], dy + slot->state_at, (size_t)slot->states * sizeof *dy);
            }
            moved[j] = y[j];
            for (int b = 0; b < (slot->other < 0 ? 1 : 2); b++) {
                double slope[6];
                for (int c = 0; c < 6; c++) {
                    slope[c] = (loads[1][b][c] - loads[0][b][c]) / (2 * h);
                }
                add_load(out, &answers[b], j, slope);
            }
            for (int c = 0; c < slot->states; c++) {
                add(out, slot->state_at + (size_t)c, j, (rates[1][c] - rates[0][c]) / (2 * h));
            }
        }
    }
}

static void slot_slopes(const ff_model *model, size_t i, const ff_phase *phase, double t,
                        const double *y, const matrix *out) {
    const ff_slot *slot = &model->slots[i];
    const ff_mode mode = phase->modes[i];
    const double *a = ff_body_state(y, slot->body);
    const int columns = ff_touch_columns(slot);
    if (ff_touch_silent(slot, mode)) {
        return;
    }
    if (slot->turns) {
        slot_differences(model, i, phase, t, y, out);
        return;
    }
    ff_touch_slopes slopes;
    bond b = {.body = {(size_t)slot->body * FF_BODY_STRIDE},
              .y = y,
              .second = slot->other >= 0,
              .state = slot->state_at,
              .states = slot->states};
    double room[ff_touch_slopes_room(slot)];
    ff_touch_slopes_place(slot, room, &slopes);
    ff_touch_slopes_find(slot, mode, t, y, y + b.state, &slopes);
    const ff_touch *touch = &slopes.touch;
    const int size = row_size(&b);
    double distance = INFINITY, push[3 * size], rate[size];
    memcpy(b.n, touch->n, sizeof b.n);
    memcpy(b.arm[0], touch->arm, sizeof b.arm[0]);
    memcpy(b.force, touch->push, sizeof b.force);
    center_of(a, slot->center, &b, 0);
    b.along[0] = -slot->share;
    if (b.second) {
        b.body[1] = (size_t)slot->other * FF_BODY_STRIDE;
        memcpy(b.arm[1], touch->other, sizeof b.arm[1]);
        center_of(ff_body_state(y, slot->other), slot->other_center, &b, 1);
        /* the arms end at c_a - lever n = c_b + (distance - lever) n, lever = r_a - z share */
        distance = slot->radius + slot->other_radius - touch->z;
        b.across[0] = -(slot->radius - touch->z * slot->share) / distance;
        b.along[1] = 1 + b.along[0];
        b.across[1] = 1 + b.across[0];
    }
    for (int c = 0; c < 3; c++) {
        by_way(&b, 1 / distance, slopes.matrix + c * columns, push + c * size);
    }
    spread_force(model, out, &b, push);
    for (int c = 0; c < slot->states; c++) {
        if (out->place[b.state + (size_t)c] >= 0) {
            by_way(&b, 1 / distance, slopes.matrix + (3 + c) * columns, rate);
            spread_row(out, &b, b.state + (size_t)c, rate, NULL);
        }
    }
    for (int k = 0; slopes.turns && k < 3 * slot->friction.vectors; k += 3) {
        spread_turning(out, &b, distance, touch->turn, b.state + (size_t)(ff_slot_u(slot) + k));
    }
}

/* ---- applied forces ---- */

/* f = size n, size = -(k (L - rest) + c L'), L' = V.n, between anchors at the way D = L n. */
static void spring_slopes(const ff_model *model, const ff_force_def *f, const double *y,
                          const matrix *out) {
    ff_stretch s = ff_force_stretch(f, y);
    bond b = {.body = {(size_t)f->body * FF_BODY_STRIDE},
              .y = y,
              .second = f->other >= 0,
              .turned = {true, f->other >= 0}};
    double push[3][BY_STATES] = {{0}},
           size = -(f->stiffness * (s.length - f->rest) + f->damping * s.rate);
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
    spread_force(model, out, &b, push[0]);
}

static void force_slopes(const ff_model *model, const ff_force_def *f, double t, const double *y,
                         const matrix *out) {
    size_t at = (size_t)f->body * FF_BODY_STRIDE;
    if (f->kind == FF_FORCE_SPRING) {
        spring_slopes(model, f, y, out);
        return;
    }
    const answer body = answer_of(model, at, y);
    for (size_t c = 0; c < 3 && f->kind == FF_FORCE_PD; c++) {
        double load[6] = {0};
        ff_add_scaled(load, -f->kp * f->axis[c], f->axis, load);
        add_load(out, &body, at + FF_P + c, load);
        memset(load, 0, sizeof load);
        ff_add_scaled(load, -f->kd * f->axis[c], f->axis, load);
        add_load(out, &body, at + FF_VEL + c, load);
    }
    if (f->kind != FF_FORCE_PD) {
        double moment[3] = {0};
        ff_add_scaled(moment, ff_force_factor(f, t), f->torque, moment);
        add_moment(out, &body, y, moment);
    }
}

/* ---- bodies ---- */

/* The moment of a body that is not round has the part -omega x L, L = I omega, which depends on omega, and by way of I on
 * the orientation. */
static void gyro_slopes(const ff_model *model, size_t at, const double *y, const matrix *out) {
    const answer a = answer_of(model, at, y);
    const double *omega = y + at + FF_OMEGA;
    double spin[3], gyro[3], turns[3][3], by_omega[3][3];
    ff_rotate(a.inertia, omega, spin);
    ff_cross(spin, omega, gyro);
    add_moment(out, &a, y, gyro);
    for (size_t r = 0; r < 3; r++) {
        double unit[3] = {r == 0, r == 1, r == 2}, g[3], heavy[3], more[3];
        ff_cross(unit, omega, g);
        ff_rotate(a.inertia, g, heavy);
        ff_cross(g, spin, turns[r]);
        ff_cross(omega, heavy, more);
        ff_add_scaled(turns[r], 1, more, turns[r]);
        ff_cross(unit, spin, more);
        for (int c = 0; c < 3; c++) {
            by_omega[r][c] = more[c] - heavy[c];
        }
    }
    add_turns(out, &a, y, turns);
    for (size_t c = 0; c < 3; c++) {
        for (size_t r = 0; r < 3; r++) {
            double column[3] = {by_omega[0][c], by_omega[1][c], by_omega[2][c]};
            if (a.turns[r]) {
                add(out, at + FF_OMEGA + r, at + FF_OMEGA + c, ff_dot(a.per[r], column));
            }
        }
    }
}

/* The rate of a quaternion is linear in it and in omega: columns from unit vectors. */
static void turning_slopes(const matrix *out, size_t body, const double *y) {
    for (size_t c = 0; c < 7; c++) {
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

/* Of a mechanism: by differences of its kinematics and dynamics, which are gentle, under contact forces that follow the
 * tangents of their laws, which need not be. */
static void mechanism_slopes(const ff_model *model, const ff_phase *phase, double t,
                             const double *y, const matrix *out) {
    ff_mechanism *m = phase->mechanism;
    const double *bodies = ff_mechanism_bodies(model, m, y);
    double *room = m->slope_room;
    for (size_t i = 0; i < model->slot_count; i++) {
        const ff_slot *slot = &model->slots[i];
        /* a moment has no tangent of its own: such a contact is asked again */
        m->slopes[i].known = !ff_touch_silent(slot, phase->modes[i]) && !slot->turns;
        ff_touch_slopes_place(slot, room, &m->slopes[i]);
        room += ff_touch_slopes_room(slot);
        if (m->slopes[i].known) {
            ff_touch_slopes_find(slot, phase->modes[i], t, bodies, y + slot->state_at,
                                 &m->slopes[i]);
        }
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
}

void ff_dynamics_jacobian(const ff_model *model, const ff_phase *phase, double t, const double *y,
                          const int *place, ff_sparse *out) {
    const matrix table = {place, out};
    if (model->tree) {
        mechanism_slopes(model, phase, t, y, &table);
        return;
    }
    for (size_t i = 0; i < model->slot_count; i++) {
        slot_slopes(model, i, phase, t, y, &table);
    }
    for (size_t i = 0; i < model->force_count; i++) {
        if (phase->acting[i]) {
            force_slopes(model, &model->forces[i], t, y, &table);
        }
    }
    for (size_t i = 0; i < model->body_count; i++) {
        size_t body = i * FF_BODY_STRIDE;
        if (!model->bodies[i].round) {
            gyro_slopes(model, body, y, &table);
        }
        if (!model->bodies[i].free_turning) {
            turning_slopes(&table, body, y);
        }
        for (size_t c = 0; c < 3; c++) {
            add(&table, body + FF_P + c, body + FF_VEL + c, 1);
        }
    }
}
