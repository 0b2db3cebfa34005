/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "body/vector.h"
#include "bond.h"
#include "tangent.h"
#include <stdint.h>
#include <string.h>

/* A matrix over the active states; entries of others are dropped. */
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

/* A row t.dtheta for a small rotation dtheta of a body, with respect to its quaternion: dtheta = 2 vec(dq conj(q))/|q|^2. */
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

/* Adds one row with respect to the states of both bodies. The velocity is that of points at the given arms; `by_arm`: the
 * derivatives with respect to the ends of the arms themselves, besides D and V (may be NULL). */
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

/* ---- accelerations of bodies ---- */

/* The response of a body to a force and a moment: v'_c = per_mass f_c and omega' = per M for unlocked components. */
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

/* The moment M on a body that is not round accelerates it by alpha = I^-1 M, and I rotates with the body: I d(alpha) = d(M)
 * - dI alpha, dI alpha = dtheta x I alpha - I (dtheta x alpha). */
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

/* Rows of the accelerations of both bodies: force f and moment arm x f act on the first, the opposite on the second. */
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

/* The rotation of u with a pair of spheres. */
static void spread_turning(const matrix *out, const bond *b, const double turn[3], size_t state) {
    double by_way[3][3], by_velocity[3][3], by_spin[3];
    ff_bond_turning(b, b->y + state, by_way, by_velocity, by_spin);
    for (size_t i = 0; i < 3; i++) {
        double unit[3] = {i == 0, i == 1, i == 2}, cross[3];
        size_t row = state + i;
        spread(out, b, row, by_way[i], by_velocity[i], b->center, NULL);
        ff_cross(unit, turn, cross);
        for (size_t c = 0; c < 3; c++) {
            add(out, row, b->body[0] + FF_OMEGA + c, by_spin[i] * b->n[c]);
            add(out, row, b->body[1] + FF_OMEGA + c, by_spin[i] * b->n[c]);
            add(out, row, state + c, cross[c]);
        }
    }
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

/* Of a law that answers with a moment, or has very many states: by differences of all that it does to its bodies and states. */
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
            /* what is asked of one of many springs is less than of one alone: its size is the same */
            const bool one_of_many = part == 2 && slot->friction.vectors > 1 &&
                                     j >= slot->state_at + (size_t)ff_slot_u(slot);
            double h = 6e-6 * (one_of_many ? model->extents[slot->body].length : model->scales[j]);
            if (out->place[j] < 0) {
                continue;
            }
            for (int side = 0; side < 2; side++) {
                moved[j] = y[j] + (side ? h : -h);
                memset(dy, 0, model->size * sizeof *dy);
                ff_dynamics_slot(model, i, &one, t, moved, moved, dy, dy);
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

/* Adds states to the runs of a folding; they extend the last run if they go on as it does. */
static void fold_run(const ff_folding *folding, ff_fold_run next) {
    ff_fold *fold = folding->fold;
    ff_fold_run *last =
        fold->run_count > folding->fixed_runs ? &fold->runs[fold->run_count - 1] : NULL;
    const size_t size = next.kind == FF_FOLD_SHARED ? 3 : 1;
    if (last && last->kind == next.kind && last->own == next.own &&
        next.state == last->state + size * last->count &&
        next.row == last->row + (next.kind == FF_FOLD_OWN ? last->count : 0)) {
        last->count += next.count;
    } else if (next.count > 0) {
        fold->runs[fold->run_count++] = next;
    }
}

/* Rows of the states of a slot that folds: those of its normal law, and those of groups of vectors `of`. */
static void fold_slot(const ff_slot *slot, const ff_folding *folding, const int *of, int groups,
                      double own) {
    ff_fold *fold = folding->fold;
    const int vectors = slot->friction.vectors;
    const size_t u = (size_t)ff_slot_u(slot), rows = u + 3 * (size_t)groups, at = slot->state_at,
                 rest = u + 3 * (size_t)vectors, first = fold->rows;
    int members[groups + 1], *place = folding->place + at;
    for (size_t c = 0; c < rows; c++) {
        place[c] = (int)(first + c);
        fold->first[first + c] = at + c;
        fold->part[first + c] = 1;
    }
    for (size_t c = rows; c < (size_t)slot->states; c++) {
        place[c] = -1;
    }
    fold_run(folding, (ff_fold_run){FF_FOLD_OWN, at, u, first, 0});
    memset(members, 0, sizeof members);
    for (int v = 0; of && v < vectors; v++) {
        members[of[v] < 0 ? groups : of[v]]++;
    }
    for (int v = 0, end; v < vectors; v = end) {
        const int group = of ? of[v] : -1;
        const size_t state = at + u + 3 * (size_t)v;
        for (end = v + 1; end < vectors && (!of || of[end] == group); end++) {
        }
        const size_t count = (size_t)(end - v);
        if (group < 0) {
            fold_run(folding, (ff_fold_run){FF_FOLD_APART, state, 3 * count, 0, own});
            continue;
        }
        const size_t row = first + u + 3 * (size_t)group;
        const bool shared = members[group] > 1;
        fold_run(folding, shared ? (ff_fold_run){FF_FOLD_SHARED, state, count, row, 0}
                                 : (ff_fold_run){FF_FOLD_OWN, state, 3, row, 0});
        for (size_t k = 0; k < 3; k++) {
            fold->first[row + k] = state + k;
            fold->part[row + k] = 1.0 / members[group];
        }
    }
    /* numbers of the friction law that are constant */
    fold_run(folding, (ff_fold_run){FF_FOLD_APART, at + rest, (size_t)slot->states - rest, 0, 0});
    fold->rows += rows;
}

bool ff_dynamics_folds(const ff_model *model) {
    bool any = false;
    for (size_t i = 0; i < model->slot_count && !model->tree; i++) {
        any = any || ff_slot_folds(&model->slots[i]);
    }
    return any;
}

void ff_dynamics_fold(const ff_model *model, const int *place, ff_folding *folding) {
    ff_fold *fold = folding->fold;
    size_t rows = 0, fewest = 0, next = 0;
    folding->fixed_runs = fold->run_count = 0;
    for (size_t i = 0; i <= model->slot_count; i++) {
        const ff_slot *slot = i < model->slot_count ? &model->slots[i] : NULL;
        const bool folds = slot && ff_slot_folds(slot);
        if (slot && !folds) {
            continue;
        }
        /* states before those of this slot */
        for (const size_t end = slot ? slot->state_at : model->states; next < end; next++) {
            const bool active = place[next] >= 0;
            fold_run(folding, (ff_fold_run){active ? FF_FOLD_OWN : FF_FOLD_INERT, next, 1,
                                            active ? rows : 0, 0});
            folding->place[next] = active ? (int)rows : -1;
            if (active) {
                fold->first[rows] = next;
                fold->part[rows++] = 1;
            }
        }
        for (int c = 0; folds && c < slot->states; c++) {
            folding->place[next++] = -1;
        }
        /* all elements before the edge stick */
        fewest += folds ? (size_t)ff_slot_u(slot) + 6 : 0;
    }
    fold->fixed = rows;
    folding->fixed_runs = fold->run_count;
    fold->fewest = rows + fewest;
}

size_t ff_dynamics_rows(const ff_model *model, const ff_phase *phase, double t, const double *y) {
    size_t rows = phase->folding->fold->fixed;
    for (size_t i = 0; i < model->slot_count; i++) {
        const ff_slot *slot = &model->slots[i];
        if (ff_slot_folds(slot) && !ff_touch_silent(slot, phase->modes[i])) {
            ff_touch_slopes slopes;
            double room[ff_touch_slopes_room(slot)];
            int of[slot->friction.vectors];
            ff_touch_slopes_place(slot, room, &slopes);
            slopes.of = of;
            ff_touch_slopes_find(slot, phase->modes[i], t, y, y + slot->state_at, &slopes);
            rows += (size_t)ff_touch_slopes_states(slot, &slopes);
        }
    }
    return rows;
}

static void slot_slopes(const ff_model *model, size_t i, const ff_phase *phase, double t,
                        const double *y, const matrix *out) {
    const ff_slot *slot = &model->slots[i];
    const ff_mode mode = phase->modes[i];
    const bool folds = phase->folding && ff_slot_folds(slot);
    if (ff_touch_silent(slot, mode)) {
        if (folds) {
            fold_slot(slot, phase->folding, NULL, 0, 0);
        }
        return;
    }
    if (ff_slot_by_differences(slot)) {
        slot_differences(model, i, phase, t, y, out);
        return;
    }
    ff_touch_slopes slopes;
    double room[ff_touch_slopes_room(slot)];
    int of[slot->friction.vectors + 1];
    ff_touch_slopes_place(slot, room, &slopes);
    slopes.of = folds ? of : NULL;
    ff_touch_slopes_find(slot, mode, t, y, y + slot->state_at, &slopes);
    bond b = ff_bond_of_slot(slot, &slopes, y);
    b.states = ff_touch_slopes_states(slot, &slopes);
    if (folds) {
        fold_slot(slot, phase->folding, of, slopes.vectors, slopes.own);
    }
    const int size = row_size(&b), columns = FF_CAUSE_STATES + b.states;
    double push[3 * size], rate[size];
    for (int c = 0; c < 3; c++) {
        ff_bond_row(&b, slopes.matrix + c * columns, push + c * size);
    }
    spread_force(model, out, &b, push);
    for (int c = 0; c < b.states; c++) {
        if (out->place[b.state + (size_t)c] >= 0) {
            ff_bond_row(&b, slopes.matrix + (3 + c) * columns, rate);
            spread_row(out, &b, b.state + (size_t)c, rate, NULL);
        }
    }
    for (int k = 0; slopes.turns && k < 3 * slot->friction.vectors; k += 3) {
        spread_turning(out, &b, slopes.touch.turn, b.state + (size_t)(ff_slot_u(slot) + k));
    }
}

/* ---- applied forces ---- */

static void force_slopes(const ff_model *model, const ff_phase *phase, size_t i, double t,
                         const double *y, const matrix *out) {
    const ff_force_def *f = &model->forces[i];
    size_t at = (size_t)f->body * FF_BODY_STRIDE;
    if (f->kind == FF_FORCE_SPRING) {
        double push[3][BY_STATES];
        const bond b = ff_bond_of_spring(f, y, push);
        spread_force(model, out, &b, push[0]);
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
        double force[3], moment[3];
        ff_force_load(model, phase, i, t, y + at, force, moment);
        add_moment(out, &body, y, moment);
    }
}

/* Adds the derivative `slope` of a command or of the rate of a controller's state with respect to a state. */
static void add_act(const ff_model *model, const ff_phase *phase, ff_target to, size_t column,
                    double slope, const double *y, const matrix *out) {
    const size_t force = to.at / FF_COMMANDS;
    if (to.kind != FF_TARGET_COMMAND) {
        add(out, model->control_at + to.at, column, slope);
    } else if (phase->acting[force]) {
        const answer body = answer_of(model, (size_t)model->forces[force].body * FF_BODY_STRIDE, y);
        double load[FF_COMMANDS] = {0};
        load[to.at % FF_COMMANDS] = slope;
        add_load(out, &body, column, load);
    }
}

/* Derivatives of controllers, from those of their expressions. */
static void control_slopes(const ff_model *model, const ff_phase *phase, double t, const double *y,
                           const matrix *out) {
    const ff_control *program = model->topology->controls.program;
    const ff_control_view view = {model, phase, t, y, y};
    const double *slopes = ff_control_slopes(&view, phase->control_slopes);
    for (size_t i = 0; i < program->slope_count; i++) {
        const ff_signal *by = &program->slopes[i].by;
        const ff_target to = program->acts[program->slopes[i].output];
        if (by->kind == FF_SIGNAL_STATE) {
            add_act(model, phase, to, model->control_at + by->thing, slopes[i], y, out);
        } else if (by->part < FF_Q || by->part >= FF_VEL) {
            add_act(model, phase, to, by->thing * FF_BODY_STRIDE + by->part, slopes[i], y, out);
        } else {
            /* a unit quaternion: d(q/|q|) = (1 - q q^T/|q|^2) dq/|q| */
            const size_t at = by->thing * FF_BODY_STRIDE + FF_Q, part = by->part - FF_Q;
            const double *q = y + at, square = q[0] * q[0] + ff_dot(q + 1, q + 1);
            for (size_t c = 0; c < 4; c++) {
                double part_by = ((c == part) - q[part] * q[c] / square) / sqrt(square);
                add_act(model, phase, to, at + c, slopes[i] * part_by, y, out);
            }
        }
    }
}

/* For controllers in C, and those that read contacts: differences of all their outputs. */
static void control_differences(const ff_model *model, const ff_phase *phase, double t,
                                const double *y, const matrix *out) {
    const size_t commands = FF_COMMANDS * model->force_count,
                 states = model->topology->controls.states;
    double *moved = phase->slope_rates, *rates = moved + model->size;
    double *sides[] = {phase->commands + commands, phase->commands + 2 * commands};
    ff_phase there = *phase;
    const ff_control_view view = {model, &there, t, moved, moved};
    memcpy(moved, y, model->states * sizeof *y);
    for (size_t j = 0; j < model->states; j++) {
        const double h = 6e-6 * model->scales[j];
        if (out->place[j] < 0) {
            continue;
        }
        for (int side = 0; side < 2; side++) {
            moved[j] = y[j] + (side ? h : -h);
            there.commands = sides[side];
            there.acted = NULL;
            ff_control_act(&view, rates);
            for (size_t i = 0; i < states; i++) {
                add(out, model->control_at + i, j,
                    (side ? 1 : -1) * rates[model->control_at + i] / (2 * h));
            }
        }
        moved[j] = y[j];
        for (size_t i = 0; i < commands; i++) {
            const double slope = (sides[1][i] - sides[0][i]) / (2 * h);
            if (slope != 0) {
                add_act(model, phase, (ff_target){FF_TARGET_COMMAND, i}, j, slope, y, out);
            }
        }
    }
    ff_control_act(&(ff_control_view){model, phase, t, y, y}, NULL);
}

/* ---- bodies ---- */

/* The moment of a body that is not round contains -omega x L, L = I omega, which depends on omega and, through I, on the
 * orientation. */
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

/* The rate of a quaternion is linear in the quaternion and in omega: columns from unit vectors. */
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

/* For a mechanism with loops or in maximal coordinates: differences of its kinematics and dynamics, which are smooth, with
 * contact forces that follow the tangents of their laws, which may not be. */
static void mechanism_slopes(const ff_model *model, const ff_phase *phase, double t,
                             const double *y, const matrix *out) {
    ff_mechanism *m = phase->mechanism;
    const double *bodies = ff_mechanism_bodies(model, m, y);
    double *room = m->slope_room;
    for (size_t i = 0; i < model->slot_count; i++) {
        const ff_slot *slot = &model->slots[i];
        /* a moment has no tangent of its own: such a contact is asked again */
        m->slopes[i].known =
            !ff_touch_silent(slot, phase->modes[i]) && !ff_slot_by_differences(slot);
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
        /* square root of the precision: rounding and curvature errors are then of equal size */
        moved[j] = y[j] + 1.5e-8 * fmax(fabs(y[j]), model->scales[j]);
        double step = moved[j] - y[j];
        ff_dynamics_rates(model, &tangent, t, moved, to);
        moved[j] = y[j];
        for (size_t i = 0; i < model->states; i++) {
            add(out, i, j, (to[i] - from[i]) / step);
        }
    }
}

/* Rows of an articulated tree. */
typedef struct {
    const matrix *out;
    const ff_model *model;
} taker;

/* Whether a state is a locked velocity of a body without joints. */
static bool is_locked(const ff_model *model, size_t state) {
    bool out = false;
    for (size_t i = 0; i < model->body_count && model->tree->locks; i++) {
        const size_t c = state - model->body_at[i] - FF_VEL;
        out = out || (model->bodies[i].locked && c < 6 && (model->bodies[i].locked >> c & 1));
    }
    return out;
}

static void take_row(void *user, size_t state, const double *row) {
    const taker *to = user;
    const bool moves = !is_locked(to->model, state);
    for (size_t j = 0; moves && j < to->model->states; j++) {
        if (row[j] != 0) {
            add(to->out, state, j, row[j]);
        }
    }
}

void ff_dynamics_jacobian(const ff_model *model, const ff_phase *phase, double t, const double *y,
                          const int *place, ff_sparse *out) {
    ff_folding *folding = phase->folding;
    const matrix table = {folding ? folding->place : place, out};
    if (model->tree) {
        if (ff_dynamics_differences(model) || ff_control_samples_at_rest(model, phase)) {
            mechanism_slopes(model, phase, t, y, &table);
        } else {
            ff_tangent_jacobian(model, phase, t, y, take_row, &(taker){&table, model});
        }
        return;
    }
    if (folding) {
        folding->fold->used = true;
        folding->fold->rows = folding->fold->fixed;
        folding->fold->run_count = folding->fixed_runs;
    }
    for (size_t i = 0; i < model->slot_count; i++) {
        slot_slopes(model, i, phase, t, y, &table);
    }
    if (model->topology->controls.differences || ff_control_samples_at_rest(model, phase)) {
        control_differences(model, phase, t, y, &table);
    } else if (model->topology->controls.acts) {
        control_slopes(model, phase, t, y, &table);
    }
    for (size_t i = 0; i < model->force_count; i++) {
        if (phase->acting[i]) {
            force_slopes(model, phase, i, t, y, &table);
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
