/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "body/vector.h"
#include "ldl.h"
#include "mechanism.h"
#include <string.h>

/* Free bodies with the constraint rows of their joints, eliminated from the leaves of the tree to its roots: a body and the
 * joint above it are eliminated together, which increases the mass matrix of its parent and causes no fill-in. For body c
 * with mass M, load f, rows C of its joint, P of the parent, and compliance s (0: rigid)
 *     M a - C^T l = f,   C a + P a_p + s l = t   gives   l = W^-1 (t - C M^-1 f - P a_p),   W = C M^-1 C^T + s,
 * so that M_p increases by P^T W^-1 P and f_p by P^T W^-1 (t - C M^-1 f). Time and memory are proportional to the number of
 * bodies. */

static void body_mass(const ff_model_body *b, const double turn[3][3], bool identity,
                      double out[6][6]) {
    memset(out, 0, 36 * sizeof(double));
    for (int i = 0; i < 3; i++) {
        out[i][i] = identity ? 1 : b->mass;
        out[3 + i][3 + i] = 1;
    }
    if (identity) {
        return;
    }
    double half[3][3];
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            half[i][j] = turn[i][0] * b->inertia[0][j] + turn[i][1] * b->inertia[1][j] +
                         turn[i][2] * b->inertia[2][j];
        }
    }
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            out[3 + i][3 + j] = ff_dot(half[i], turn[j]);
        }
    }
}

/* the rows of a body's joint for the body and for its parent */
static const double (*own_rows(const ff_mechanism *m, const ff_link *l))[6] {
    const ff_rows *rows = &m->rows[l->joint];
    return l->reversed ? rows->first : rows->second;
}

static const double (*parent_rows(const ff_mechanism *m, const ff_link *l))[6] {
    const ff_rows *rows = &m->rows[l->joint];
    return l->reversed ? rows->second : rows->first;
}

/* Eliminates a body and its joint with this number of rows; adds to its parent's mass (NULL: the world). */
static inline __attribute__((always_inline)) void condense(ff_condensed *n, int rows,
                                                           const double (*own)[6],
                                                           double compliance, const double (*up)[6],
                                                           double (*mass)[6]) {
    double turned[6][6] = {{0}};
    for (int r = 0; r < rows; r++) {
        for (int c = 0; c < 6; c++) {
            turned[c][r] = own[r][c];
        }
    }
    ff_ldl_solve_six(6, n->mass, turned);
    for (int r = 0; r < rows; r++) {
        double sum[6] = {0};
        for (int k = 0; k < 6; k++) {
            n->spread[r][k] = turned[k][r];
            for (int c = 0; c < 6; c++) {
                sum[c] += own[r][k] * turned[k][c];
            }
        }
        sum[r] += compliance;
        memcpy(n->w[r], sum, sizeof sum);
    }
    ff_ldl(rows, n->w);
    if (!mass) {
        return;
    }
    memcpy(n->pull, up, (size_t)rows * sizeof *up);
    ff_ldl_solve_six(rows, n->w, n->pull);
    for (int a = 0; a < 6; a++) {
        double sum[6];
        memcpy(sum, mass[a], sizeof sum);
        for (int r = 0; r < rows; r++) {
            for (int b = 0; b < 6; b++) {
                sum[b] += up[r][a] * n->pull[r][b];
            }
        }
        memcpy(mass[a], sum, sizeof sum);
    }
}

void ff_nodes_factor(ff_mechanism *m, bool identity, double compliance) {
    const ff_model *model = m->model;
    const ff_joint_tree *tree = model->tree;
    for (size_t i = 0; i < model->body_count; i++) {
        body_mass(&model->bodies[i], m->turn[i], identity, m->nodes[i].mass);
    }
    for (size_t k = model->body_count; k-- > 0;) {
        int i = tree->order[k];
        const ff_link *l = &tree->links[i];
        ff_condensed *n = &m->nodes[i];
        ff_ldl(6, n->mass);
        int rows = l->joint < 0 ? 0 : model->joints[l->joint].rows;
        if (rows > 0) {
            double(*mass)[6] = l->parent < 0 ? NULL : m->nodes[l->parent].mass;
            /* revolute, prismatic, ... */
            if (rows == 5) {
                condense(n, 5, own_rows(m, l), compliance, parent_rows(m, l), mass);
            } else {
                condense(n, rows, own_rows(m, l), compliance, parent_rows(m, l), mass);
            }
        }
    }
}

void ff_nodes_solve(ff_mechanism *m, double (*push)[6], const double *target, double (*a)[6],
                    double *multipliers) {
    const ff_model *model = m->model;
    const ff_joint_tree *tree = model->tree;
    for (size_t i = 0; i < model->body_count; i++) {
        memcpy(m->nodes[i].load, push[i], sizeof m->nodes[i].load);
    }
    for (size_t k = model->body_count; k-- > 0;) {
        int i = tree->order[k];
        const ff_link *l = &tree->links[i];
        ff_condensed *n = &m->nodes[i];
        memcpy(n->free, n->load, sizeof n->free);
        ff_ldl_solve(6, n->mass, n->free);
        if (l->joint < 0) {
            continue;
        }
        const ff_joint *j = &model->joints[l->joint];
        const double(*own)[6] = own_rows(m, l);
        for (int r = 0; r < j->rows; r++) {
            n->gap[r] = (target ? target[j->row_at + (size_t)r] : 0) - ff_dot6(own[r], n->free);
        }
        for (int r = 0; l->parent >= 0 && r < j->rows; r++) {
            double *up = m->nodes[l->parent].load;
            for (int c = 0; c < 6; c++) {
                up[c] += n->pull[r][c] * n->gap[r];
            }
        }
    }
    for (size_t k = 0; k < model->body_count; k++) {
        int i = tree->order[k];
        const ff_link *l = &tree->links[i];
        const ff_condensed *n = &m->nodes[i];
        memcpy(a[i], n->free, sizeof n->free);
        if (l->joint < 0) {
            continue;
        }
        const ff_joint *j = &model->joints[l->joint];
        double *out = multipliers + j->row_at;
        const double(*up)[6] = l->parent < 0 ? NULL : parent_rows(m, l);
        for (int r = 0; r < j->rows; r++) {
            out[r] = n->gap[r] - (up ? ff_dot6(up[r], a[l->parent]) : 0);
        }
        ff_ldl_solve(j->rows, n->w, out);
        for (int r = 0; r < j->rows; r++) {
            for (int c = 0; c < 6; c++) {
                a[i][c] += n->spread[r][c] * out[r];
            }
        }
    }
}
