/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "body/vector.h"
#include "dynamics.h"
#include "num/matrix.h"
#include <float.h>
#include <string.h>

/* Friction of joints under their own reactions. Reactions depend on accelerations, and these on friction.
 * Accelerations are linear in forces, so with f the friction along each such coordinate, all reactions are R(f) = R0
 * + A f. R0 and the columns of A follow from evaluations with f = 0 and with a single nonzero f each. Then
 *     f_i = F_i(N_i(R0 + A f), rate_i),   N_i the load of the bearing of joint i under its reaction,
 * is a small system. It is solved by Newton's method to rounding, and one more evaluation gives the accelerations
 * under f. If the determinant of 1 - dF/df is not positive, f is either not unique or not the limit of slowly
 * changing loads: the joint jams (Painleve 1895). */

void ff_bearings_lay_out(const ff_model *model, ff_bearings *b, ff_arena *arena) {
    b->count = 0;
    for (size_t i = 0; model->tree->reacts && i < model->joint_count; i++) {
        for (int c = 0; c < model->joints[i].coordinates; c++) {
            b->count += model->joints[i].along[c].reacts;
        }
    }
    const size_t n = b->count;
    FF_TAKE(arena, b->joints, n);
    FF_TAKE(arena, b->coordinates, n);
    FF_TAKE(arena, b->about, n);
    FF_TAKE(arena, b->reaction, n);
    FF_TAKE(arena, b->free, n);
    FF_TAKE(arena, b->answers, n * n);
    FF_TAKE(arena, b->axis, n);
    FF_TAKE(arena, b->rate, n);
    FF_TAKE(arena, b->force, n);
    FF_TAKE(arena, b->miss, n);
    FF_TAKE(arena, b->matrix, n * n);
    FF_TAKE(arena, b->pivots, n);
    FF_TAKE(arena, b->effort, n ? model->joint_count : 0);
    FF_TAKE(arena, b->loads, n ? model->body_count * FF_BODY_STRIDE : 0);
    FF_TAKE(arena, b->rubs, n);
}

/* The force across the axis a: R perpendicular to it, or, in two bearings at a distance L, R/2 + c and R/2 - c, c
 * = M x a/L. Returns their number. */
static int across_of(const double axis[3], double apart, const double reaction[6],
                     double part[2][3]) {
    double across[3], couple[3];
    ff_add_scaled(reaction, -ff_dot(axis, reaction), axis, across);
    if (apart == 0) {
        memcpy(part[0], across, sizeof across);
        return 1;
    }
    ff_cross(reaction + 3, axis, couple);
    for (int c = 0; c < 3; c++) {
        part[0][c] = across[c] / 2 + couple[c] / apart;
        part[1][c] = across[c] / 2 - couple[c] / apart;
    }
    return 2;
}

/* The load of a coordinate from the force R and the moment M of the joint on its second body: in N if it slides, in
 * N m if it rotates in a bearing of radius r. A screw has a square thread of that radius with slope tan s = p/r
 * (e.g. Shigley, power screws). Its flanks press with N, and friction F = mu N along them is f = F r/cos s along the
 * angle. The force along the axis consists of F sin s = f p/(r^2 + p^2) from friction and the rest N cos s, so that
 * f = mu |rest| (r^2 + p^2)/r: the factor of mu is the load. The load is `grade` times the sum of the lengths of its
 * parts. */
static double load_of(const ff_bearings *b, const ff_joint *j, size_t i, double friction,
                      const double reaction[6], double part[2][3], double *grade) {
    const int c = b->coordinates[i];
    const ff_effort *e = &j->along[c];
    const double r = e->bearing;
    int parts = 1;
    *grade = ff_joint_coordinate_slides(j->kind, c) ? 1 : r;
    switch (j->kind) {
    case FF_JOINT_PRISMATIC:
    case FF_JOINT_CYLINDRICAL: parts = across_of(b->axis[i], e->apart, reaction, part); break;
    case FF_JOINT_PLANAR:
        part[0][0] = ff_dot(b->axis[i], reaction);
        return *grade * fabs(part[0][0]);
    case FF_JOINT_SCREW: {
        const double square = r * r + j->pitch * j->pitch;
        part[0][0] = ff_dot(b->axis[i], reaction) - friction * j->pitch / square;
        *grade = square / r;
        return *grade * fabs(part[0][0]);
    }
    default: memcpy(part[0], reaction, sizeof part[0]);
    }
    double sum = sqrt(ff_dot(part[0], part[0]));
    sum += parts > 1 ? sqrt(ff_dot(part[1], part[1])) : 0;
    return *grade * sum;
}

/* Friction i under a reaction, its power loss, and the rate of its inner state, if it has one; `force` is the
 * friction for which the reaction was computed. The load limits friction springs but never changes their stiffness
 * (check_effort() in model/joints.c): the stored energy is a function of the state. */
static double answer_of(const ff_model *model, const ff_bearings *b, size_t i, const double *y,
                        double force, const double reaction[6], double *lost, double *state_rate) {
    const ff_joint *j = &model->joints[b->joints[i]];
    const ff_effort *e = &j->along[b->coordinates[i]];
    double out, losses[FF_LOSSES];
    double part[2][3], grade;
    e->rub(&e->friction, load_of(b, j, i, force, reaction, part, &grade), &b->rate[i],
           e->bristle < 0 ? NULL : y + e->bristle, &out, state_rate, losses);
    *lost = losses[FF_LOST_DAMPER] + losses[FF_LOST_SLIP] + losses[FF_LOST_VISCOUS];
    return out;
}

/* Keeps for root functions what friction i is like under a reaction. */
static void keep(const ff_model *model, const ff_bearings *b, size_t i, const double *y,
                 const double reaction[6]) {
    const ff_joint *j = &model->joints[b->joints[i]];
    const ff_effort *e = &j->along[b->coordinates[i]];
    ff_rub *out = &b->rubs[i];
    *out = (ff_rub){.size = sqrt(ff_dot(reaction, reaction))};
    if (e->apart > 0) {
        out->size += sqrt(ff_dot(reaction + 3, reaction + 3)) / e->apart;
    }
    out->load = load_of(b, j, i, b->force[i], reaction, out->part, &out->grade);
    out->size *= out->grade;
    if (e->friction.law->slips) {
        const double u[3] = {e->bristle < 0 ? 0 : y[e->bristle]};
        double unwanted[3];
        ff_friction_answer at = {.rate = unwanted};
        e->friction.respond(
            &e->friction,
            &(ff_friction_query){
                .load = out->load, .grade = 1, .ratio = out->load, .v = {b->rate[i]}, .u = u},
            &at);
        out->excess = at.excess;
        out->strain = copysign(at.strain, -at.force[0]);
    }
}

/* Evaluates accelerations under b->force, and the reactions. */
static void evaluate(const ff_model *model, const ff_phase *phase, const double *bodies,
                     const double *y, const double accounts[FF_RUN_INTEGRALS], double *dy) {
    ff_mechanism *m = phase->mechanism;
    ff_bearings *b = &m->bearings;
    memcpy(m->effort, b->effort, model->joint_count * sizeof *m->effort);
    memcpy(m->loads, b->loads, model->body_count * FF_BODY_STRIDE * sizeof *m->loads);
    memcpy(dy + model->run_at, accounts, FF_RUN_INTEGRALS * sizeof *dy);
    for (size_t i = 0; i < b->count; i++) {
        const ff_joint *j = &model->joints[b->joints[i]];
        const bool ball = j->kind == FF_JOINT_SPHERICAL;
        const double sign = ball && ff_dynamics_hangs_reversed(model, b->joints[i]) ? -1 : 1;
        double effort[FF_JOINT_COORDINATES] = {0};
        for (int c = 0; c < FF_JOINT_COORDINATES; c++) {
            effort[c] = ball                     ? b->force[i] * b->about[i][c]
                        : c == b->coordinates[i] ? b->force[i]
                                                 : 0;
            m->effort[b->joints[i]][c] += sign * effort[c];
        }
        if (!model->tree->articulated || j->loop) {
            ff_dynamics_effort_loads(j, bodies, effort, m->loads);
        }
    }
    ff_mechanism_rates(m, phase->way, y, dy);
    ff_mechanism_reactions(m);
    for (size_t i = 0; i < b->count; i++) {
        ff_joint_record at;
        ff_dynamics_reaction(model, m, bodies, y, b->joints[i], &at);
        memcpy(b->reaction[i], at.force, sizeof at.force);
        memcpy(b->reaction[i] + 3, at.moment, sizeof at.moment);
    }
}

/* R0 + A f of joint i, with f of joint k changed. */
static void react(const ff_bearings *b, size_t i, size_t k, double change, double out[6]) {
    memcpy(out, b->free[i], 6 * sizeof *out);
    for (size_t n = 0; n < b->count; n++) {
        const double f = b->force[n] + (n == k ? change : 0);
        for (int c = 0; c < 6; c++) {
            out[c] += b->answers[n * b->count + i][c] * f;
        }
    }
}

/* One Newton iteration; returns the size of the correction, or NAN if the joints jam. */
static double correct(const ff_model *model, ff_bearings *b, const double *y, double size) {
    const size_t n = b->count;
    double reaction[6], lost, unused, most = 0;
    bool odd = false;
    for (size_t i = 0; i < n; i++) {
        react(b, i, n, 0, reaction);
        const double force = answer_of(model, b, i, y, b->force[i], reaction, &lost, &unused);
        b->miss[i] = force - b->force[i];
        for (size_t k = 0; k < n; k++) {
            /* half the digits of a double; the step affects only the rate of convergence */
            const double step = 1e-7 * size;
            react(b, i, k, step, reaction);
            const double moved = answer_of(model, b, i, y, b->force[i] + (i == k ? step : 0),
                                           reaction, &lost, &unused);
            b->matrix[i * n + k] = (i == k) - (moved - force) / step;
        }
    }
    if (!(ff_matrix_factor(n, b->matrix, 0, b->pivots) > 0)) {
        return NAN;
    }
    for (size_t i = 0; i < n; i++) {
        odd ^= (b->pivots[i] != i) ^ (b->matrix[i * n + i] < 0);
    }
    ff_matrix_solve(n, b->matrix, b->pivots, b->miss);
    for (size_t i = 0; i < n; i++) {
        b->force[i] += b->miss[i];
        most = fmax(most, fabs(b->miss[i]));
    }
    return odd ? (double)NAN : most;
}

/* The angular rate of a spherical joint, and the unit vector of its rotation. */
static double turning_of(const ff_joint *j, const double *bodies, double about[3]) {
    static const double still[3];
    double spin[3];
    ff_add_scaled(ff_body_state(bodies, j->second) + FF_OMEGA, -1,
                  j->first < 0 ? still : ff_body_state(bodies, j->first) + FF_OMEGA, spin);
    const double rate = sqrt(ff_dot(spin, spin));
    for (int c = 0; c < 3; c++) {
        about[c] = rate > 0 ? spin[c] / rate : 0;
    }
    return rate;
}

/* The position of the rate of the inner state of friction i. */
static double *state_rate_of(const ff_model *model, const ff_bearings *b, size_t i, double *dy,
                             double *unused) {
    const int at = model->joints[b->joints[i]].along[b->coordinates[i]].bristle;
    return at < 0 ? unused : dy + at;
}

void ff_bearings_rates(const ff_model *model, const ff_phase *phase, const double *bodies,
                       const double *y, double *dy) {
    enum { NEWTON_MOST = 30 };
    ff_mechanism *m = phase->mechanism;
    ff_bearings *b = &m->bearings;
    double accounts[FF_RUN_INTEGRALS], size = 0, lost, unused, all = 0;
    memcpy(accounts, dy + model->run_at, sizeof accounts);
    memcpy(b->effort, m->effort, model->joint_count * sizeof *m->effort);
    memcpy(b->loads, m->loads, model->body_count * FF_BODY_STRIDE * sizeof *m->loads);
    for (size_t joint = 0, i = 0; joint < model->joint_count; joint++) {
        const ff_joint *j = &model->joints[joint];
        for (int c = 0; c < j->coordinates; c++) {
            if (!j->along[c].reacts) {
                continue;
            }
            double q[FF_JOINT_COORDINATES], rate[FF_JOINT_COORDINATES], turned[3][3];
            ff_joint_coordinates(j, bodies, q, rate);
            ff_rotation(ff_body_state(bodies, j->second) + FF_Q, turned);
            ff_rotate(turned, j->second_axis, b->axis[i]);
            b->joints[i] = joint;
            b->coordinates[i] = c;
            b->rate[i] = rate[c];
            if (j->kind == FF_JOINT_SPHERICAL) {
                b->rate[i] = turning_of(j, bodies, b->about[i]);
            }
            b->force[i++] = 0;
        }
    }
    evaluate(model, phase, bodies, y, accounts, dy);
    memcpy(b->free, b->reaction, b->count * sizeof *b->free);
    for (size_t i = 0; i < b->count; i++) {
        b->miss[i] = answer_of(model, b, i, y, 0, b->free[i], &lost,
                               state_rate_of(model, b, i, dy, &unused));
        size = fmax(size, fabs(b->miss[i]));
    }
    if (!(size > 0)) {
        /* no motion, or no load */
        for (size_t i = 0; i < b->count; i++) {
            keep(model, b, i, y, b->free[i]);
        }
        return;
    }
    for (size_t k = 0; k < b->count; k++) {
        b->force[k] = size;
        evaluate(model, phase, bodies, y, accounts, dy);
        b->force[k] = 0;
        for (size_t i = 0; i < b->count; i++) {
            for (int c = 0; c < 6; c++) {
                b->answers[k * b->count + i][c] = (b->reaction[i][c] - b->free[i][c]) / size;
            }
        }
    }
    memcpy(b->force, b->miss, b->count * sizeof *b->force);
    double last = INFINITY, now = INFINITY;
    for (int turn = 0; turn < NEWTON_MOST && now > DBL_EPSILON * size; turn++) {
        now = correct(model, b, y, size);
        if (isnan(now) || (now >= last && now < 1e-9 * size)) {
            break;
        }
        last = now;
    }
    if (!(now < 1e-9 * size)) {
        m->trouble = (int)b->joints[0];
        m->jams = true;
    }
    for (size_t i = 0; i < b->count; i++) {
        double reaction[6];
        react(b, i, b->count, 0, reaction);
        answer_of(model, b, i, y, b->force[i], reaction, &lost,
                  state_rate_of(model, b, i, dy, &unused));
        keep(model, b, i, y, reaction);
        all += lost;
    }
    accounts[FF_DAMPER_WORK] += all;
    evaluate(model, phase, bodies, y, accounts, dy);
}
