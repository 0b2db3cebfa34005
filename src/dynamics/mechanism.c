/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "mechanism.h"
#include "body/vector.h"
#include <float.h>
#include <string.h>

void ff_mechanism_lay_out(const ff_model *model, ff_mechanism *m, ff_arena *arena) {
    const ff_joint_tree *tree = model->tree;
    if (!tree) {
        return;
    }
    const size_t n = model->body_count, loops = tree->loop_rows, rows = model->joint_rows;
    m->model = model;
    m->trouble = -1;
    m->way = ff_links_best();
    FF_TAKE(arena, m->bodies, n * FF_BODY_STRIDE);
    FF_TAKE(arena, m->loads, n * FF_BODY_STRIDE);
    FF_TAKE(arena, m->effort, model->joint_count);
    FF_TAKE(arena, m->turn, n);
    FF_TAKE(arena, m->a, n);
    FF_TAKE(arena, m->push, n);
    FF_TAKE(arena, m->gathered, n);
    FF_TAKE(arena, m->speeds, tree->speeds);
    FF_TAKE(arena, m->multipliers, rows);
    FF_TAKE(arena, m->target, rows);
    FF_TAKE(arena, m->links, n + 1);
    FF_TAKE(arena, m->nodes, tree->articulated ? 0 : n);
    FF_TAKE(arena, m->rows, model->joint_count);
    FF_TAKE(arena, m->answer, loops * n);
    FF_TAKE(arena, m->answer_speeds, loops * tree->speeds);
    FF_TAKE(arena, m->answer_multipliers, loops * rows);
    FF_TAKE(arena, m->matrix, loops * loops);
    FF_TAKE(arena, m->vectors, loops * loops);
    FF_TAKE(arena, m->values, loops);
    FF_TAKE(arena, m->row_scale, loops);
    FF_TAKE(arena, m->miss, loops);
    FF_TAKE(arena, m->null, loops * rows);
    FF_TAKE(arena, m->augmented, rows);
    FF_TAKE(arena, m->augmented_target, rows);
    /* a state, or the loads on all bodies */
    size_t motions = model->body_count * FF_BODY_STRIDE;
    FF_TAKE(arena, m->scratch, model->size > motions ? model->size : motions);
    FF_TAKE(arena, m->slopes, model->slot_count);
    FF_TAKE(arena, m->slope_rates, 3 * model->size);
}

const double *ff_mechanism_bodies(const ff_model *model, ff_mechanism *m, const double *y) {
    if (!ff_articulated(model)) {
        return y;
    }
    ff_links_place(m, y);
    return m->bodies;
}

/* ---- rows of all joints that have any here ---- */

static bool held(const ff_model *model, const ff_joint *j) {
    return j->rows > 0 && (!model->tree->articulated || j->loop);
}

static void find_rows(ff_mechanism *m, const double *bodies) {
    const ff_model *model = m->model;
    for (size_t i = 0; i < model->body_count; i++) {
        ff_rotation(ff_body_state(bodies, (int)i) + FF_Q, m->turn[i]);
    }
    for (size_t i = 0; i < model->joint_count; i++) {
        const ff_joint *j = &model->joints[i];
        if (held(model, j)) {
            bool world = j->first < 0;
            ff_rows_find(j, world ? NULL : ff_body_state(bodies, j->first),
                         world ? NULL : m->turn[j->first], ff_body_state(bodies, j->second),
                         m->turn[j->second], &m->rows[i]);
        }
    }
}

/* velocities of bodies as vectors of six */
static void find_velocities(const ff_mechanism *m, const double *bodies, double (*out)[6]) {
    for (size_t i = 0; i < m->model->body_count; i++) {
        memcpy(out[i], ff_body_state(bodies, (int)i) + FF_VEL, sizeof out[i]);
    }
}

/* minus the power of all multipliers: of each on the rate of its row */
static double constraint_power(ff_mechanism *m, const double *bodies) {
    const ff_model *model = m->model;
    double out = 0, rate[FF_ROWS];
    find_velocities(m, bodies, m->gathered);
    for (size_t i = 0; i < model->joint_count; i++) {
        const ff_joint *j = &model->joints[i];
        if (held(model, j)) {
            ff_rows_times(j, &m->rows[i], m->gathered, rate);
            for (int r = 0; r < j->rows; r++) {
                out -= m->multipliers[j->row_at + (size_t)r] * rate[r];
            }
        }
    }
    return out;
}

/* ---- maximal ---- */

/* forces on bodies with gravity and gyroscopic moments */
static void find_push(ff_mechanism *m, const double *y) {
    const ff_model *model = m->model;
    for (size_t i = 0; i < model->body_count; i++) {
        const ff_model_body *b = &model->bodies[i];
        const double *load = m->loads + i * FF_BODY_STRIDE,
                     *w = ff_body_state(y, (int)i) + FF_OMEGA;
        double turned[3], spin[3], gyro[3];
        ff_rotate_back(m->turn[i], w, turned);
        ff_rotate(b->inertia, turned, spin);
        ff_rotate(m->turn[i], spin, spin);
        ff_cross(w, spin, gyro);
        for (int c = 0; c < 3; c++) {
            m->push[i][c] = load[FF_VEL + c] + b->mass * model->gravity[c];
            m->push[i][3 + c] = load[FF_OMEGA + c] - gyro[c];
        }
    }
}

/* What accelerations are to be along the rows: -J' v, and for ways that pull violations back
 * -J' v - 2 xi w Phi' - w^2 Phi. */
static void find_target(ff_mechanism *m, const double *bodies, double frequency, double damping) {
    const ff_model *model = m->model;
    find_velocities(m, bodies, m->gathered);
    for (size_t i = 0; i < model->joint_count; i++) {
        const ff_joint *j = &model->joints[i];
        double rate[FF_ROWS];
        if (!held(model, j)) {
            continue;
        }
        ff_rows_times(j, &m->rows[i], m->gathered, rate);
        for (int r = 0; r < j->rows; r++) {
            m->target[j->row_at + (size_t)r] = m->rows[i].gamma[r] -
                                               2 * damping * frequency * rate[r] -
                                               frequency * frequency * m->rows[i].violation[r];
        }
    }
}

static void solve(ff_mechanism *m, const double *target) {
    ff_nodes_solve(m, m->push, target, m->a, m->multipliers);
    if (m->model->tree->loop_rows > 0) {
        ff_loops_close(m, target);
    }
}

static void factor(ff_mechanism *m, bool identity, double compliance) {
    ff_nodes_factor(m, identity, compliance);
    if (m->model->tree->loop_rows > 0) {
        ff_loops_factor(m, compliance);
    }
}

/* Augmented: penalty with the multipliers found so far, until accelerations hold: J a + (l - l_before)/a = target. */
static void augment(ff_mechanism *m, const ff_run_options *way) {
    const size_t rows = m->model->joint_rows;
    double *before = m->augmented, last = INFINITY;
    for (int turn = 0; turn < 100; turn++) {
        double worst = 0;
        for (size_t r = 0; r < rows; r++) {
            worst = fmax(worst, fabs(m->multipliers[r] - before[r]) / way->constraint_penalty);
        }
        /* or until rounding is all that is left */
        if (worst <= way->constraint_tolerance || worst >= last) {
            return;
        }
        last = worst;
        for (size_t r = 0; r < rows; r++) {
            before[r] = m->multipliers[r];
            m->augmented_target[r] = m->target[r] + before[r] / way->constraint_penalty;
        }
        solve(m, m->augmented_target);
    }
}

static void maximal_rates(ff_mechanism *m, const ff_run_options *way, const double *y, double *dy) {
    const ff_model *model = m->model;
    const ff_constraints how = way->constraints;
    bool soft = how == FF_PENALTY || how == FF_AUGMENTED || how == FF_INDEX1_AUGMENTED;
    bool pulls = soft || how == FF_BAUMGARTE;
    find_rows(m, y);
    find_target(m, y, pulls ? way->constraint_frequency : 0, way->constraint_damping);
    factor(m, false, soft ? 1 / way->constraint_penalty : 0);
    find_push(m, y);
    solve(m, m->target);
    if (how == FF_AUGMENTED || how == FF_INDEX1_AUGMENTED) {
        memset(m->augmented, 0, model->joint_rows * sizeof *m->augmented);
        augment(m, way);
    }
    for (size_t i = 0; i < model->body_count; i++) {
        const double *at = ff_body_state(y, (int)i);
        double *rate = dy + i * FF_BODY_STRIDE;
        memcpy(rate + FF_P, at + FF_VEL, 3 * sizeof *rate);
        ff_quaternion_rate(at + FF_Q, at + FF_OMEGA, rate + FF_Q);
        memcpy(rate + FF_VEL, m->a[i], sizeof m->a[i]);
    }
    dy[model->run_at + FF_CONSTRAINT_WORK] = constraint_power(m, y);
}

/* ---- articulated ---- */

/* accelerations of the centres of mass from those of the anchors */
static void find_accelerations(ff_mechanism *m) {
    const ff_model *model = m->model;
    for (size_t i = 0; i < model->body_count; i++) {
        const ff_link_work *w = &m->links[i];
        double whirl[3], turn[3];
        ff_link_acceleration(w, m->a[i]);
        ff_cross(w->omega, w->com, whirl);
        ff_cross(w->omega, whirl, whirl);
        ff_cross(m->a[i] + 3, w->com, turn);
        for (int c = 0; c < 3; c++) {
            m->a[i][c] += model->gravity[c] + turn[c] + whirl[c];
        }
    }
}

static void articulated_rates(ff_mechanism *m, const double *y, double *dy) {
    const ff_model *model = m->model;
    const ff_joint_tree *tree = model->tree;
    ff_links_rates(m, y, dy);
    if (tree->loop_rows == 0) {
        return;
    }
    find_accelerations(m);
    find_rows(m, m->bodies);
    find_target(m, m->bodies, 0, 0);
    memset(m->speeds, 0, tree->speeds * sizeof *m->speeds);
    ff_loops_factor(m, 0);
    ff_loops_close(m, m->target);
    for (size_t i = 0; i < model->body_count; i++) {
        const ff_link *l = &tree->links[i];
        double *u = dy + l->at + l->coordinates;
        for (int c = 0; c < l->speeds; c++) {
            u[c] += m->speeds[l->speed_at + (size_t)c];
        }
    }
    dy[model->run_at + FF_CONSTRAINT_WORK] = constraint_power(m, m->bodies);
}

void ff_mechanism_rates(ff_mechanism *m, const ff_run_options *way, const double *y, double *dy) {
    if (m->model->tree->articulated) {
        articulated_rates(m, y, dy);
    } else {
        maximal_rates(m, way, y, dy);
    }
}

/* Masses times accelerations less what acts, of a body and all that hangs on it. */
void ff_mechanism_reactions(ff_mechanism *m) {
    const ff_model *model = m->model;
    const ff_joint_tree *tree = model->tree;
    if (!tree->articulated) {
        return;
    }
    if (tree->loop_rows == 0) {
        find_accelerations(m);
    }
    memset(m->gathered, 0, model->body_count * sizeof *m->gathered);
    for (size_t l = 0; l < tree->loop_count; l++) {
        const ff_joint *j = &model->joints[tree->loops[l]];
        ff_rows_push(j, &m->rows[tree->loops[l]], m->multipliers + j->row_at, m->gathered);
    }
    memset(m->push, 0, model->body_count * sizeof *m->push);
    for (size_t k = model->body_count; k-- > 0;) {
        int i = tree->order[k], parent = tree->links[i].parent;
        const ff_link_work *w = &m->links[i];
        const double *load = m->loads + (size_t)i * FF_BODY_STRIDE, *a = m->a[i];
        double turn[3][3], omega[3], alpha[3], spin[3], gyro[3], need[3], force[3], moment[3];
        ff_rotation(ff_body_state(m->bodies, i) + FF_Q, turn);
        ff_rotate_back(turn, w->omega, omega);
        ff_rotate_back(turn, a + 3, alpha);
        ff_rotate(model->bodies[i].inertia, omega, spin);
        ff_cross(omega, spin, gyro);
        ff_rotate(model->bodies[i].inertia, alpha, need);
        ff_add_scaled(need, 1, gyro, need);
        ff_rotate(turn, need, need);
        for (int c = 0; c < 3; c++) {
            force[c] = model->bodies[i].mass * (a[c] - model->gravity[c]) - load[FF_VEL + c] -
                       m->gathered[i][c];
        }
        ff_cross(w->com, force, moment);
        for (int c = 0; c < 3; c++) {
            m->push[i][c] += force[c];
            m->push[i][3 + c] += need[c] - load[FF_OMEGA + c] - m->gathered[i][3 + c] + moment[c];
        }
        if (parent >= 0) {
            ff_cross(w->reach, m->push[i], moment);
            for (int c = 0; c < 3; c++) {
                m->push[parent][c] += m->push[i][c];
                m->push[parent][3 + c] += m->push[i][3 + c] + moment[c];
            }
        }
    }
}

/* ---- projection ---- */

int ff_mechanism_worst(const ff_mechanism *m, double *off) {
    int worst = 0;
    *off = 0;
    for (size_t i = 0; i < m->model->joint_count; i++) {
        const ff_joint *j = &m->model->joints[i];
        for (int r = 0; held(m->model, j) && r < j->rows; r++) {
            double size = fabs(m->rows[i].violation[r]);
            /* one that is no number stays the worst */
            if (!(size <= *off) && !isnan(*off)) {
                *off = size;
                worst = (int)i;
            }
        }
    }
    return worst;
}

double ff_mechanism_size(const ff_model *model) {
    double size = 0;
    for (size_t i = 0; i < model->body_count; i++) {
        const double *com = model->tree->links[i].com;
        size = fmax(size, sqrt(ff_dot(com, com)));
    }
    return size;
}

/* The least violation that counts as one: positions far from the origin are rounded to no better. */
static double rounding_of(const ff_mechanism *m, const double *bodies) {
    double far = 0;
    for (size_t i = 0; i < m->model->body_count; i++) {
        const double *p = ff_body_state(bodies, (int)i) + FF_P;
        far = fmax(far, sqrt(ff_dot(p, p)));
    }
    return 1e-9 + 1e3 * DBL_EPSILON * far;
}

/* rows and answers at y, ready to be solved */
static const double *prepare(ff_mechanism *m, bool identity, const double *y, double *rates) {
    const double *bodies = ff_mechanism_bodies(m->model, m, y);
    if (m->model->tree->articulated) {
        memset(m->loads, 0, m->model->body_count * FF_BODY_STRIDE * sizeof *m->loads);
        memset(m->effort, 0, m->model->joint_count * sizeof *m->effort);
        ff_links_rates(m, y, rates);
        find_rows(m, bodies);
        ff_loops_factor(m, 0);
    } else {
        find_rows(m, bodies);
        factor(m, identity, 0);
    }
    return bodies;
}

/* the smallest change that rows times it are the target */
static void find_change(ff_mechanism *m) {
    memset(m->a, 0, m->model->body_count * sizeof *m->a);
    memset(m->speeds, 0, m->model->tree->speeds * sizeof *m->speeds);
    memset(m->push, 0, m->model->body_count * sizeof *m->push);
    if (m->model->tree->articulated) {
        ff_loops_close(m, m->target);
    } else {
        solve(m, m->target);
    }
}

static void move_free(const double change[6], double *body) {
    ff_add_scaled(body + FF_P, 1, change, body + FF_P);
    ff_quaternion_turn(body + FF_Q, change + 3);
}

static void move(const ff_mechanism *m, double *y) {
    const ff_joint_tree *tree = m->model->tree;
    for (size_t i = 0; i < m->model->body_count; i++) {
        const ff_link *l = &tree->links[i];
        double *at = y + m->model->body_at[i];
        if (!tree->articulated || l->kind == FF_JOINT_FREE) {
            move_free(m->a[i], at);
        } else if (l->kind == FF_JOINT_SPHERICAL) {
            ff_quaternion_turn(at, m->a[i] + 3);
        } else {
            for (int c = 0; c < l->speeds; c++) {
                at[c] += m->speeds[l->speed_at + (size_t)c];
            }
        }
    }
}

static void hurry(const ff_mechanism *m, double *y) {
    const ff_joint_tree *tree = m->model->tree;
    for (size_t i = 0; i < m->model->body_count; i++) {
        const ff_link *l = &tree->links[i];
        double *at = y + m->model->body_at[i];
        for (int c = 0; c < 6 && !tree->articulated; c++) {
            at[FF_VEL + c] += m->a[i][c];
        }
        for (int c = 0; c < l->speeds && tree->articulated; c++) {
            at[l->coordinates + c] += m->speeds[l->speed_at + (size_t)c];
        }
    }
}

bool ff_mechanism_project(ff_mechanism *m, bool identity, double *y) {
    const ff_model *model = m->model;
    double worst = INFINITY, before;
    const double *bodies;
    /* Newton's method on positions until they stand still */
    for (int turn = 0;; turn++) {
        bodies = prepare(m, identity, y, m->scratch);
        before = worst;
        ff_mechanism_worst(m, &worst);
        if (worst < 1e-15 || turn == 50 || (turn > 2 && worst < 1e-11 && worst > 0.5 * before)) {
            break;
        }
        for (size_t i = 0; i < model->joint_count; i++) {
            const ff_joint *j = &model->joints[i];
            for (int r = 0; held(model, j) && r < j->rows; r++) {
                m->target[j->row_at + (size_t)r] = -m->rows[i].violation[r];
            }
        }
        find_change(m);
        move(m, y);
    }
    find_velocities(m, bodies, m->gathered);
    for (size_t i = 0; i < model->joint_count; i++) {
        const ff_joint *j = &model->joints[i];
        double rate[FF_ROWS];
        if (held(model, j)) {
            ff_rows_times(j, &m->rows[i], m->gathered, rate);
            for (int r = 0; r < j->rows; r++) {
                m->target[j->row_at + (size_t)r] = -rate[r];
            }
        }
    }
    find_change(m);
    hurry(m, y);
    return worst < rounding_of(m, bodies);
}

ff_violation ff_mechanism_violation(ff_mechanism *m, const double *y) {
    const ff_model *model = m->model;
    const double *bodies = ff_mechanism_bodies(model, m, y);
    find_rows(m, bodies);
    find_velocities(m, bodies, m->gathered);
    ff_violation out = {0};
    ff_mechanism_worst(m, &out.position);
    for (size_t i = 0; i < model->joint_count; i++) {
        const ff_joint *j = &model->joints[i];
        double rate[FF_ROWS];
        if (held(model, j)) {
            ff_rows_times(j, &m->rows[i], m->gathered, rate);
            for (int r = 0; r < j->rows; r++) {
                out.velocity = fmax(out.velocity, fabs(rate[r]));
            }
        }
    }
    return out;
}
