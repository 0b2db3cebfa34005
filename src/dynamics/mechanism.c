/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "mechanism.h"
#include "body/vector.h"
#include <float.h>
#include <string.h>

/* close to a singular position: number of points at which rows are evaluated, and their largest distance in steps */
enum { PLACES = 6, FARTHEST = 5 };

/* power, accelerations, rates of speeds, multipliers, and the state of the rows */
static size_t response_size(const ff_model *model) {
    return 1 + 6 * model->body_count + model->tree->speeds + model->joint_rows + model->states;
}

void ff_mechanism_lay_out(const ff_model *model, ff_mechanism *m, ff_arena *arena) {
    const ff_joint_tree *tree = model->tree;
    if (!tree) {
        return;
    }
    const size_t n = model->body_count, loops = tree->loop_rows, rows = model->joint_rows;
    m->model = model;
    m->trouble = -1;
    m->in_place = false;
    m->condition = m->reference = 1;
    m->cut = FF_REDUNDANT;
    m->way = ff_links_best();
    FF_TAKE(arena, m->bodies, n * FF_BODY_STRIDE);
    FF_TAKE(arena, m->placed, tree->articulated ? model->states : 0);
    FF_TAKE(arena, m->loads, n * FF_BODY_STRIDE);
    FF_TAKE(arena, m->laws, tree->driven ? model->joint_count : 0);
    FF_TAKE(arena, m->led, tree->driven ? model->states : 0);
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
    FF_TAKE(arena, m->aside, loops ? model->size : 0);
    FF_TAKE(arena, m->aside_loads, loops ? n * FF_BODY_STRIDE : 0);
    FF_TAKE(arena, m->aside_effort, loops ? model->joint_count : 0);
    FF_TAKE(arena, m->aside_violation, loops ? rows : 0);
    FF_TAKE(arena, m->responses, loops ? PLACES * response_size(model) : 0);
    FF_TAKE(arena, m->augmented, rows);
    FF_TAKE(arena, m->augmented_target, rows);
    /* a state, or the loads on all bodies */
    size_t motions = model->body_count * FF_BODY_STRIDE;
    FF_TAKE(arena, m->scratch, model->size > motions ? model->size : motions);
    FF_TAKE(arena, m->slopes, model->slot_count);
    size_t room = 0;
    for (size_t i = 0; i < model->slot_count; i++) {
        room += ff_touch_slopes_room(&model->slots[i]);
    }
    FF_TAKE(arena, m->slope_room, room);
    FF_TAKE(arena, m->slope_rates, 3 * model->size);
    ff_bearings_lay_out(model, &m->bearings, arena);
    ff_tangent_lay_out(model, &m->tangent, arena);
}

const double *ff_mechanism_bodies(const ff_model *model, ff_mechanism *m, const double *y) {
    if (!ff_articulated(model)) {
        return y;
    }
    ff_links_place(m, y);
    return m->bodies;
}

/* ---- prescribed motion ---- */

void ff_mechanism_time(ff_mechanism *m, double t) {
    const ff_model *model = m->model;
    for (size_t i = 0; model->tree->driven && i < model->joint_count; i++) {
        for (int c = 0; c < model->joints[i].coordinates; c++) {
            if (model->joints[i].law[c]) {
                ff_joint_motion_at(model->joints[i].law[c], t, m->laws[i][c]);
            }
        }
        if (model->joints[i].kind == FF_JOINT_SPHERICAL && model->joints[i].drives > 0) {
            ff_joint_turn_law(m->laws[i]);
        }
    }
}

void ff_mechanism_lead(ff_mechanism *m, double *y) {
    const ff_joint_tree *tree = m->model->tree;
    const size_t bodies = tree->articulated && tree->driven ? m->model->body_count : 0;
    for (size_t i = 0; i < bodies; i++) {
        const ff_link *l = &tree->links[i];
        for (int c = 0; l->kind != FF_JOINT_SPHERICAL && l->driven >> c; c++) {
            if (l->driven >> c & 1) {
                y[l->at + (size_t)c] = m->laws[l->joint][c][0];
                y[l->at + (size_t)(l->coordinates + c)] = m->laws[l->joint][c][1];
            }
        }
    }
    for (size_t k = 0; k < bodies; k++) {
        /* y has orientations of spherical joints in world axes: parents first */
        const int i = tree->order[k];
        const ff_link *l = &tree->links[i];
        if (l->driven && l->kind == FF_JOINT_SPHERICAL) {
            double du[3];
            ff_links_place(m, y);
            ff_links_ball(m, (size_t)i, y + l->at, y + l->at + l->coordinates, du);
        }
    }
}

/* ---- rows of all joints that have any here ---- */

static bool held(const ff_model *model, const ff_joint *j) {
    return j->rows > 0 && (!model->tree->articulated || j->loop);
}

static void find_turns(ff_mechanism *m, const double *bodies) {
    for (size_t i = 0; i < m->model->body_count; i++) {
        ff_rotation(ff_body_state(bodies, (int)i) + FF_Q, m->turn[i]);
    }
}

static void find_rows(ff_mechanism *m, const double *bodies) {
    const ff_model *model = m->model;
    find_turns(m, bodies);
    for (size_t i = 0; i < model->joint_count; i++) {
        const ff_joint *j = &model->joints[i];
        if (j->kind == FF_JOINT_GEAR) {
            ff_rows_gear(model, j, bodies, m->turn, &m->rows[i]);
        } else if (held(model, j)) {
            bool world = j->first < 0;
            ff_rows_find(j, world ? NULL : ff_body_state(bodies, j->first),
                         world ? NULL : m->turn[j->first], ff_body_state(bodies, j->second),
                         m->turn[j->second], &m->rows[i]);
            if (j->drives > 0) {
                ff_rows_driven(j, m->laws[i], bodies, m->turn, &m->rows[i]);
            }
        }
    }
}

/* velocities of bodies as spatial vectors */
static void find_velocities(const ff_mechanism *m, const double *bodies, double (*out)[6]) {
    for (size_t i = 0; i < m->model->body_count; i++) {
        memcpy(out[i], ff_body_state(bodies, (int)i) + FF_VEL, sizeof out[i]);
    }
}

/* Minus the power of all multipliers: of each on the rate of its row, minus the prescribed rate. */
static double constraint_power(ff_mechanism *m, const double *bodies) {
    const ff_model *model = m->model;
    double out = 0, rate[FF_ROWS];
    find_velocities(m, bodies, m->gathered);
    for (size_t i = 0; i < model->joint_count; i++) {
        const ff_joint *j = &model->joints[i];
        if (held(model, j)) {
            ff_rows_times(j, &m->rows[i], m->gathered, rate);
            for (int r = 0; r < j->rows; r++) {
                out -= m->multipliers[j->row_at + (size_t)r] * (rate[r] - m->rows[i].rate[r]);
            }
        }
    }
    return out;
}

/* ---- maximal ---- */

/* forces on bodies including gravity and gyroscopic moments */
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

/* The target of accelerations along the rows: -J' v, and for methods with feedback -J' v - 2 xi w Phi' - w^2 Phi. */
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
            m->target[j->row_at + (size_t)r] =
                m->rows[i].gamma[r] - 2 * damping * frequency * (rate[r] - m->rows[i].rate[r]) -
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
        ff_loops_factor(m, identity, compliance);
    }
}

/* Augmented Lagrangian: penalty with the multipliers found so far, until accelerations satisfy the constraints: J a + (l -
 * l_before)/a = target. */
static void augment(ff_mechanism *m, const ff_run_options *way) {
    const size_t rows = m->model->joint_rows;
    double *before = m->augmented, last = INFINITY;
    for (int turn = 0; turn < 100; turn++) {
        double worst = 0;
        for (size_t r = 0; r < rows; r++) {
            worst = fmax(worst, fabs(m->multipliers[r] - before[r]) / way->constraint_penalty);
        }
        /* or until only rounding is left */
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

/* ---- projection ---- */

int ff_mechanism_worst(const ff_mechanism *m, double *off) {
    int worst = 0;
    *off = 0;
    for (size_t i = 0; i < m->model->joint_count; i++) {
        const ff_joint *j = &m->model->joints[i];
        for (int r = 0; held(m->model, j) && r < j->rows; r++) {
            double size = fabs(m->rows[i].violation[r]);
            /* NAN counts as the worst */
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

/* The smallest violation that is not rounding: positions far from the origin have larger rounding errors. */
static double rounding_of(const ff_mechanism *m, const double *bodies) {
    double far = 0;
    for (size_t i = 0; i < m->model->body_count; i++) {
        const double *p = ff_body_state(bodies, (int)i) + FF_P;
        far = fmax(far, sqrt(ff_dot(p, p)));
    }
    return 1e-9 + 1e3 * DBL_EPSILON * far;
}

/* rows and responses at y, factorised */
static void prepare(ff_mechanism *m, bool identity, const double *y, double *rates) {
    const double *bodies = ff_mechanism_bodies(m->model, m, y);
    if (m->model->tree->articulated) {
        memset(m->loads, 0, m->model->body_count * FF_BODY_STRIDE * sizeof *m->loads);
        memset(m->effort, 0, m->model->joint_count * sizeof *m->effort);
        ff_links_rates(m, y, rates);
        find_rows(m, bodies);
        ff_loops_factor(m, false, 0);
    } else {
        find_rows(m, bodies);
        factor(m, identity, 0);
    }
}

/* the smallest change for which rows times change equals the target */
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

static void correct_velocities(const ff_mechanism *m, double *y) {
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

/* A position is close to a singular one if the condition of the loops' matrix is below CLOSE. It decreases with the square
 * of the distance: 1e-2 corresponds to about 0.1 rad from the flat position of a linkage. */
#define CLOSE 1e-2

/* Newton's method on positions until they stop changing. False if a position close to a singular one was left for one of
 * another condition: then the distance to the constraints is not small compared with that to the meeting point of branches,
 * and the branch found may be another. `off`: the largest violation at the end. */
static bool project_positions(ff_mechanism *m, bool identity, double *y, double *off) {
    const ff_model *model = m->model;
    /* a start may be far off, the end of a step is not */
    const int most = m->usual > 0 ? 20 : 50;
    double before, first = 1;
    *off = INFINITY;
    for (int turn = 0;; turn++) {
        prepare(m, identity, y, m->scratch);
        before = *off;
        ff_mechanism_worst(m, off);
        first = turn == 0 ? m->condition : first;
        bool stands = turn > 2 && *off > 0.5 * before;
        if (*off < 1e-15 || turn == most || (stands && (*off < 1e-11 || m->cut > FF_REDUNDANT))) {
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
    return !(fmin(first, m->condition) < CLOSE) ||
           (m->condition < 2 * first && m->condition > 0.5 * first);
}

/* One Newton step on velocities, with factorised rows. */
static void project_velocities(ff_mechanism *m, double *y) {
    const ff_model *model = m->model;
    find_velocities(m, model->tree->articulated ? m->bodies : y, m->gathered);
    for (size_t i = 0; i < model->joint_count; i++) {
        const ff_joint *j = &model->joints[i];
        double rate[FF_ROWS];
        if (held(model, j)) {
            ff_rows_times(j, &m->rows[i], m->gathered, rate);
            for (int r = 0; r < j->rows; r++) {
                m->target[j->row_at + (size_t)r] = m->rows[i].rate[r] - rate[r];
            }
        }
    }
    find_change(m);
    correct_velocities(m, y);
}

bool ff_mechanism_project(ff_mechanism *m, bool identity, double *y) {
    const size_t states = m->model->states;
    double off;
    if (m->usual > 0) {
        memcpy(m->aside, y, states * sizeof *y);
    }
    if (!project_positions(m, identity, y, &off) && m->usual > 0) {
        /* without the direction in which branches differ */
        memcpy(y, m->aside, states * sizeof *y);
        m->cut = CLOSE * m->reference;
        project_positions(m, identity, y, &off);
    }
    project_velocities(m, y);
    m->cut = FF_REDUNDANT;
    return off < rounding_of(m, m->model->tree->articulated ? m->bodies : y);
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
                out.velocity = fmax(out.velocity, fabs(rate[r] - m->rows[i].rate[r]));
            }
        }
    }
    return out;
}

/* ---- rates ---- */

/* The tree at y without its loops, with the accelerations of its bodies, and the rates of coordinates and speeds in dy; for
 * a maximal model the rotations of its bodies. */
static void open_loops(ff_mechanism *m, const double *y, double *dy) {
    if (m->model->tree->articulated) {
        ff_links_rates(m, y, dy);
        find_accelerations(m);
    } else {
        find_turns(m, y);
    }
}

/* the compliance of rows */
static double compliance_of(const ff_run_options *way) {
    const ff_constraints how = way->constraints;
    bool soft = how == FF_PENALTY || how == FF_AUGMENTED || how == FF_INDEX1_AUGMENTED;
    return soft ? 1 / way->constraint_penalty : 0;
}

static void factor_rows(ff_mechanism *m, double compliance) {
    if (m->model->tree->articulated) {
        ff_loops_factor(m, false, 0);
    } else {
        factor(m, false, compliance);
    }
}

/* Accelerations, rates of speeds and multipliers, with factorised rows and loops opened at y. */
static void respond(ff_mechanism *m, const ff_run_options *way, const double *y, const double *dy,
                    double compliance) {
    const ff_constraints how = way->constraints;
    const ff_joint_tree *tree = m->model->tree;
    if (tree->articulated) {
        find_target(m, m->bodies, 0, 0);
        memset(m->speeds, 0, tree->speeds * sizeof *m->speeds);
        ff_loops_close(m, m->target);
        for (size_t i = 0; i < m->model->body_count; i++) {
            const ff_link *l = &tree->links[i];
            for (int c = 0; c < l->speeds; c++) {
                m->speeds[l->speed_at + (size_t)c] += dy[l->at + (size_t)(l->coordinates + c)];
            }
        }
        return;
    }
    bool pulls = compliance_of(way) > 0 || how == FF_BAUMGARTE;
    find_target(m, y, pulls ? way->constraint_frequency : 0, way->constraint_damping);
    find_push(m, y);
    solve(m, m->target);
    if (compliance > 0 && how != FF_PENALTY) {
        memset(m->augmented, 0, m->model->joint_rows * sizeof *m->augmented);
        augment(m, way);
    }
}

/* ---- passing through singular positions ----
 *
 * Where branches of a loop meet (the flat position of a parallelogram) S loses rank: with s the distance to that position
 * along the branch, and w the distance across it, the weak row is Phi = s w. A motion passes smoothly, and its acceleration
 * across is (gamma - J a)/s, the quotient of two numbers that vanish with s. But with Phi'' = 0 an error w evolves as
 *     s w'' + 2 s' w' + s'' w = 0,
 * which grows with 1/s^2 on approach: the stages of a step, which deviate slightly, get meaningless accelerations, and
 * steps become shorter without end. So close to such a position, rows and gamma are evaluated at the point of the
 * constraints nearest to y. They do not depend on w, and are smooth along s. */

/* Below this condition, about 0.03 rad, the rounding of that point would show, with the third power of 1/s, since an error
 * of w causes one of w' by s'/s, and that one of w'' by the same factor again. Accelerations are then interpolated between
 * points before and after: a polynomial of degree 5 has an error of (0.03)^6. */
#define CLOSEST 1e-3

/* Rows at the point of the constraints nearest to y after a time `by` without acceleration. False if it is not determined,
 * or has a condition below `least`. */
static bool find_rows_beside(ff_mechanism *m, const double *y, double by, double least) {
    const ff_model *model = m->model;
    const ff_joint_tree *tree = model->tree;
    double off;
    memcpy(m->aside, y, model->states * sizeof *y);
    if (by != 0) {
        const double *bodies = ff_mechanism_bodies(model, m, y);
        for (size_t i = 0; i < model->body_count; i++) {
            const ff_link *l = &tree->links[i];
            const double *u = y + model->body_at[i] + l->coordinates;
            for (int c = 0; c < 6; c++) {
                m->a[i][c] = by * ff_body_state(bodies, (int)i)[FF_VEL + c];
            }
            for (int c = 0; tree->articulated && c < l->speeds; c++) {
                m->speeds[l->speed_at + (size_t)c] = by * u[c];
            }
        }
        move(m, m->aside);
    }
    if (!project_positions(m, false, m->aside, &off) || !(off < 1e-9) || m->condition < least) {
        return false;
    }
    project_velocities(m, m->aside);
    find_rows(m, ff_mechanism_bodies(model, m, m->aside));
    return true;
}

/* The accelerations with the rows of a point beside y, stored as number `place`; false if they are not determined. A
 * maximal model has all of its constraints in the rows, and everything else stays at y, so that its energy is booked. The
 * coordinates of an articulated model are constraints by themselves: it moves to that point completely. */
static bool respond_beside(ff_mechanism *m, const ff_run_options *way, const double *y, double by,
                           double least, size_t place) {
    const ff_model *model = m->model;
    const bool articulated = model->tree->articulated;
    bool found = find_rows_beside(m, y, by, least);
    memcpy(m->loads, m->aside_loads, model->body_count * FF_BODY_STRIDE * sizeof *m->loads);
    memcpy(m->effort, m->aside_effort, model->joint_count * sizeof *m->effort);
    if (!found) {
        return false;
    }
    for (size_t i = 0; i < model->joint_count; i++) {
        const ff_joint *j = &model->joints[i];
        if (held(model, j)) {
            memcpy(m->rows[i].violation, m->aside_violation + j->row_at,
                   (size_t)j->rows * sizeof *m->aside_violation);
        }
    }
    open_loops(m, articulated ? m->aside : y, m->scratch);
    factor_rows(m, 0);
    respond(m, way, y, m->scratch, 0);
    double *kept = m->responses + place * response_size(model);
    *kept++ = constraint_power(m, articulated ? m->bodies : y);
    memcpy(kept, m->a, model->body_count * sizeof *m->a);
    kept += 6 * model->body_count;
    memcpy(kept, m->speeds, model->tree->speeds * sizeof *m->speeds);
    kept += model->tree->speeds;
    memcpy(kept, m->multipliers, model->joint_rows * sizeof *m->multipliers);
    memcpy(kept + model->joint_rows, m->aside, model->states * sizeof *m->aside);
    return true;
}

/* The value at 0 of the polynomials through the stored results, in place of the first. */
static void interpolate(ff_mechanism *m, const double *by, size_t count) {
    const size_t size = response_size(m->model);
    double *out = m->responses;
    for (size_t k = 0; k < count; k++) {
        double weight = 1;
        for (size_t i = 0; i < count; i++) {
            weight *= i == k ? 1 : by[i] / (by[i] - by[k]);
        }
        for (size_t i = 0; i < size; i++) {
            out[i] = (k ? out[i] : 0) + weight * m->responses[k * size + i];
        }
    }
}

/* Copies the first stored result back to m; returns the constraint power. */
static double take_response(ff_mechanism *m) {
    const ff_model *model = m->model;
    const double *from = m->responses + 1;
    memcpy(m->a, from, model->body_count * sizeof *m->a);
    from += 6 * model->body_count;
    memcpy(m->speeds, from, model->tree->speeds * sizeof *m->speeds);
    from += model->tree->speeds;
    memcpy(m->multipliers, from, model->joint_rows * sizeof *m->multipliers);
    return *m->responses;
}

/* Whether the points before and after are in one branch: then the polynomial through them satisfies the constraints too. If
 * bar lengths are not exactly those for which branches meet, it deviates by the gap, and the motion turns sharply. Gaps
 * below 1e-8 of the mechanism are ignored: the polynomial itself has errors of up to 1e-9. */
static bool in_one_branch(ff_mechanism *m) {
    const ff_model *model = m->model;
    double off, *place = m->responses + response_size(model) - model->states;
    find_rows(m, ff_mechanism_bodies(model, m, place));
    ff_mechanism_worst(m, &off);
    return off < 1e-8 * fmin(1, ff_mechanism_size(model));
}

/* Accelerations close to a singular position, stored as the first result; false if they are not determined: the mechanism
 * is at rest there, or moves in no branch. */
static bool follow_branch(ff_mechanism *m, const ff_run_options *way, const double *y) {
    const ff_model *model = m->model;
    double by[PLACES], speed = 0;
    memcpy(m->aside_loads, m->loads, model->body_count * FF_BODY_STRIDE * sizeof *m->loads);
    memcpy(m->aside_effort, m->effort, model->joint_count * sizeof *m->effort);
    for (size_t i = 0; i < model->joint_count; i++) {
        const ff_joint *j = &model->joints[i];
        if (held(model, j)) {
            memcpy(m->aside_violation + j->row_at, m->rows[i].violation,
                   (size_t)j->rows * sizeof *m->aside_violation);
        }
    }
    if (respond_beside(m, way, y, 0, CLOSEST, 0)) {
        return true;
    }
    const double *bodies = ff_mechanism_bodies(model, m, y);
    for (size_t i = 0; i < model->body_count; i++) {
        const double *w = ff_body_state(bodies, (int)i) + FF_OMEGA;
        speed = fmax(speed, sqrt(ff_dot(w, w)));
    }
    /* points 0.01 rad apart, or 0.02 or 0.04 if these are all too close */
    double step = 0.01 / speed;
    for (int turn = 0; turn < 3 && speed > 0; turn++, step *= 2) {
        size_t found = 0, behind = 0;
        for (int k = 1; k <= FARTHEST; k++) {
            for (int side = -1; side <= 1 && found < PLACES; side += 2) {
                by[found] = side * k * step;
                if (respond_beside(m, way, y, by[found], CLOSEST, found)) {
                    found++;
                    behind += side < 0;
                }
            }
        }
        if (found == PLACES && behind > 1 && behind < PLACES - 1) {
            interpolate(m, by, PLACES);
            if (in_one_branch(m)) {
                return true;
            }
            break;
        }
    }
    /* a branch that approaches another one without meeting it */
    return respond_beside(m, way, y, 0, FF_REDUNDANT, 0);
}

static void find_rates(ff_mechanism *m, const ff_run_options *way, const double *y, double *dy) {
    const ff_model *model = m->model;
    const ff_joint_tree *tree = model->tree;
    if (tree->articulated && tree->loop_rows == 0) {
        ff_links_rates(m, y, dy);
        return;
    }
    const double *bodies = tree->articulated ? m->bodies : y;
    const double compliance = compliance_of(way);
    double power;
    open_loops(m, y, dy);
    find_rows(m, bodies);
    factor_rows(m, compliance);
    m->close = tree->loop_rows > 0 && m->usual > 0 && m->condition < CLOSE;
    bool followed = m->close && follow_branch(m, way, y);
    if (m->close) {
        /* back from the points beside; rows are needed for reactions */
        ff_mechanism_bodies(model, m, y);
        open_loops(m, y, dy);
        find_rows(m, bodies);
    }
    if (followed) {
        power = take_response(m);
    } else {
        if (m->close) {
            factor_rows(m, compliance);
            m->jams = m->rank < m->usual ? false : m->jams;
            m->trouble = m->rank < m->usual ? tree->loops[0] : m->trouble;
        }
        respond(m, way, y, dy, compliance);
        power = constraint_power(m, bodies);
    }
    for (size_t i = 0; i < model->body_count; i++) {
        const ff_link *l = &tree->links[i];
        if (tree->articulated) {
            memcpy(dy + l->at + l->coordinates, m->speeds + l->speed_at,
                   (size_t)l->speeds * sizeof *dy);
        } else {
            const double *at = ff_body_state(y, (int)i);
            double *rate = dy + i * FF_BODY_STRIDE;
            memcpy(rate + FF_P, at + FF_VEL, 3 * sizeof *rate);
            ff_quaternion_rate(at + FF_Q, at + FF_OMEGA, rate + FF_Q);
            memcpy(rate + FF_VEL, m->a[i], sizeof m->a[i]);
        }
    }
    dy[model->run_at + FF_CONSTRAINT_WORK] = power;
}

/* Masses times accelerations minus applied forces, of a body and everything beyond it. */
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

/* Efforts of prescribed motions: for a joint of an articulated tree, the part of the reaction along the coordinate that
 * other efforts do not provide, which is added to them; otherwise the multiplier of its row. */
static void add_drives(ff_mechanism *m, double *dy) {
    const ff_model *model = m->model;
    double *work = dy + model->run_at + FF_APPLIED_WORK;
    ff_mechanism_reactions(m);
    for (size_t i = 0; i < model->joint_count; i++) {
        const ff_joint *j = &model->joints[i];
        const bool tree = !held(model, j);
        const int hanging = ff_joint_hanging(model, i);
        size_t row = j->row_at + (size_t)(j->rows - j->drives);
        for (int c = 0; j->drives > 0 && c < j->coordinates; c++) {
            if (!j->law[c]) {
                continue;
            }
            if (tree && j->kind == FF_JOINT_SPHERICAL) {
                /* moments on the body that hangs, world axes */
                const int parent = model->tree->links[hanging].parent;
                const double all = m->push[hanging][3 + c],
                             spin = m->links[hanging].omega[c] -
                                    (parent < 0 ? 0 : m->links[parent].omega[c]);
                *work -= (all - m->effort[i][c]) * spin;
                m->effort[i][c] = all;
            } else if (tree) {
                const double all = ff_link_along(&model->tree->links[hanging], &m->links[hanging],
                                                 c, m->push[hanging]);
                *work -= (all - m->effort[i][c]) * m->laws[i][c][1];
                m->effort[i][c] = all;
            } else {
                *work -= m->multipliers[row++] * m->laws[i][c][1];
            }
        }
    }
}

void ff_mechanism_rates(ff_mechanism *m, const ff_run_options *way, const double *y, double *dy) {
    find_rates(m, way, y, dy);
    if (m->model->tree->driven) {
        add_drives(m, dy);
    }
}
