/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "body/vector.h"
#include "mechanism.h"
#include <float.h>
#include <math.h>
#include <string.h>

/* Joints that close loops are not part of the tree and are enforced by multipliers: S l = t - J a, where a is the
 * acceleration of the tree alone and S = J (responses of the tree to unit multipliers). Redundant rows make S singular: its
 * eigenvectors show which, and the multipliers are those of minimum norm over all joints of tree and loops. */

static size_t speeds_of(const ff_mechanism *m) { return m->model->tree->speeds; }

/* Eigenvalues and eigenvectors (rows of v) of a symmetric matrix by Jacobi rotations; a is overwritten. */
static void eigen(size_t n, double *a, double *v, double *values) {
    memset(v, 0, n * n * sizeof *v);
    for (size_t i = 0; i < n; i++) {
        v[i * n + i] = 1;
    }
    for (int sweep = 0; sweep < 50; sweep++) {
        double off = 0, on = 0;
        for (size_t i = 0; i < n; i++) {
            on += a[i * n + i] * a[i * n + i];
            for (size_t j = 0; j < i; j++) {
                off += a[i * n + j] * a[i * n + j];
            }
        }
        /* rounding errors between redundant rows need no rotation: they would cost a third of all instructions of a
         * four-bar linkage */
        double least = DBL_EPSILON * 0.5 * sqrt(on);
        if (off <= least * least) {
            break;
        }
        least /= (double)n;
        for (size_t p = 0; p < n; p++) {
            for (size_t q = p + 1; q < n; q++) {
                double apq = a[p * n + q];
                if (fabs(apq) <= least) {
                    continue;
                }
                double theta = (a[q * n + q] - a[p * n + p]) / (2 * apq);
                double t = copysign(1, theta) / (fabs(theta) + sqrt(theta * theta + 1));
                double c = 1 / sqrt(t * t + 1), s = t * c;
                for (size_t k = 0; k < n; k++) {
                    double x = a[k * n + p], y = a[k * n + q];
                    a[k * n + p] = c * x - s * y;
                    a[k * n + q] = s * x + c * y;
                }
                for (size_t k = 0; k < n; k++) {
                    double x = a[p * n + k], y = a[q * n + k];
                    a[p * n + k] = c * x - s * y;
                    a[q * n + k] = s * x + c * y;
                    x = v[p * n + k], y = v[q * n + k];
                    v[p * n + k] = c * x - s * y;
                    v[q * n + k] = s * x + c * y;
                }
            }
        }
    }
    for (size_t i = 0; i < n; i++) {
        values[i] = a[i * n + i];
    }
}

/* The response of a row to itself if no joint held its bodies: row M^-1 row^T, or row row^T. */
static double free_answer(const ff_mechanism *m, int body, const double row[6], bool identity) {
    const ff_model_body *b = &m->model->bodies[body];
    double moment[3], turned[3];
    if (identity) {
        return ff_dot6(row, row);
    }
    ff_rotate_back(m->turn[body], row + 3, moment);
    ff_rotate(b->per_inertia, moment, turned);
    return ff_dot(row, row) * b->per_mass + ff_dot(moment, turned);
}

void ff_loops_factor(ff_mechanism *m, bool identity, double compliance) {
    const ff_model *model = m->model;
    const ff_joint_tree *tree = model->tree;
    const size_t n = tree->loop_rows, bodies = model->body_count;
    size_t row = 0;
    for (size_t l = 0; l < tree->loop_count; l++) {
        const ff_joint *j = &model->joints[tree->loops[l]];
        for (int r = 0; r < j->rows; r++, row++) {
            double unit[FF_ROWS] = {0};
            unit[r] = 1;
            memset(m->push, 0, bodies * sizeof *m->push);
            ff_rows_push(j, &m->rows[tree->loops[l]], unit, m->push);
            double(*a)[6] = m->answer + row * bodies;
            if (tree->articulated) {
                ff_links_answer(m, m->push, a, m->answer_speeds + row * speeds_of(m));
            } else {
                double *others = m->answer_multipliers + row * model->joint_rows;
                memset(others, 0, model->joint_rows * sizeof *others);
                ff_nodes_solve(m, m->push, NULL, a, others);
            }
        }
    }
    for (size_t c = 0; c < n; c++) {
        size_t at = 0;
        for (size_t l = 0; l < tree->loop_count; l++) {
            const ff_joint *j = &model->joints[tree->loops[l]];
            double out[FF_ROWS];
            ff_rows_times(j, &m->rows[tree->loops[l]], m->answer + c * bodies, out);
            for (int r = 0; r < j->rows; r++, at++) {
                m->matrix[at * n + c] = out[r];
            }
        }
    }
    /* Scales rows, because metres and radians are not comparable. The scale does not depend on the response of the tree, so
     * that a row that degenerates close to a singular position is recognised. */
    row = 0;
    for (size_t l = 0; l < tree->loop_count; l++) {
        const ff_joint *j = &model->joints[tree->loops[l]];
        const ff_rows *rows = &m->rows[tree->loops[l]];
        for (int r = 0; r < j->rows; r++, row++) {
            double size = 0;
            for (int part = 0; part < 1 + (j->kind == FF_JOINT_GEAR); part++) {
                const bool gear = j->kind == FF_JOINT_GEAR;
                const int first = gear ? j->bodies[part][0] : j->first,
                          second = gear ? j->bodies[part][1] : j->second;
                size += free_answer(m, second, rows->second[r + part], identity);
                size += first < 0 ? 0 : free_answer(m, first, rows->first[r + part], identity);
            }
            m->row_scale[row] = 1 / sqrt(size);
        }
    }
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k <= i; k++) {
            double mean = (m->matrix[i * n + k] + m->matrix[k * n + i]) / 2;
            double yields = i == k ? compliance : 0;
            m->matrix[i * n + k] = m->matrix[k * n + i] =
                (mean + yields) * m->row_scale[i] * m->row_scale[k];
        }
    }
    eigen(n, m->matrix, m->vectors, m->values);
    double most = 0;
    m->rank = 0;
    for (size_t i = 0; i < n; i++) {
        most = fmax(most, m->values[i]);
    }
    for (size_t i = 0; i < n; i++) {
        m->rank += m->values[i] > m->cut * most;
    }
    const size_t count = m->usual > 0 ? m->usual : m->rank;
    for (size_t i = 0; i < n; i++) {
        size_t above = 0;
        for (size_t k = 0; k < n; k++) {
            above += m->values[k] > m->values[i] || (m->values[k] == m->values[i] && k < i);
        }
        if (above + 1 == count) {
            m->condition = m->values[i] / (most * m->reference);
        }
    }
    for (size_t i = 0; i < n; i++) {
        m->values[i] = m->values[i] > m->cut * most ? 1 / m->values[i] : 0;
    }
}

/* The null vector of S, with its effect on the multipliers of the tree. */
bool ff_loops_null(const ff_mechanism *m, size_t i, double *null) {
    const ff_model *model = m->model;
    const ff_joint_tree *tree = model->tree;
    const size_t n = tree->loop_rows, all = model->joint_rows;
    size_t row = 0;
    if (m->values[i] > 0) {
        return false;
    }
    memset(null, 0, all * sizeof *null);
    for (size_t l = 0; l < tree->loop_count; l++) {
        const ff_joint *j = &model->joints[tree->loops[l]];
        for (int r = 0; r < j->rows; r++, row++) {
            double part = m->vectors[i * n + row] * m->row_scale[row];
            const double *others = m->answer_multipliers + row * all;
            for (size_t k = 0; k < all; k++) {
                null[k] += part * others[k];
            }
            null[j->row_at + (size_t)r] += part;
        }
    }
    return true;
}

/* Removes the part of the multipliers that has no effect. */
static void least_norm(ff_mechanism *m) {
    const ff_model *model = m->model;
    const ff_joint_tree *tree = model->tree;
    const size_t n = tree->loop_rows, all = model->joint_rows;
    size_t found = 0;
    for (size_t i = 0; i < n; i++) {
        double *null = m->null + found * all;
        if (!ff_loops_null(m, i, null)) {
            continue;
        }
        /* orthogonal to the previous ones, and removed from the multipliers */
        double along = 0, size = 0;
        for (size_t p = 0; p < found; p++) {
            const double *before = m->null + p * all;
            double dot = 0;
            for (size_t k = 0; k < all; k++) {
                dot += before[k] * null[k];
            }
            for (size_t k = 0; k < all; k++) {
                null[k] -= dot * before[k];
            }
        }
        for (size_t k = 0; k < all; k++) {
            size += null[k] * null[k];
        }
        for (size_t k = 0; k < all; k++) {
            null[k] /= sqrt(size);
            along += null[k] * m->multipliers[k];
        }
        for (size_t k = 0; k < all; k++) {
            m->multipliers[k] -= along * null[k];
        }
        found++;
    }
}

void ff_loops_close(ff_mechanism *m, const double *target) {
    const ff_model *model = m->model;
    const ff_joint_tree *tree = model->tree;
    const size_t n = tree->loop_rows, bodies = model->body_count;
    size_t row = 0;
    for (size_t l = 0; l < tree->loop_count; l++) {
        const ff_joint *j = &model->joints[tree->loops[l]];
        double out[FF_ROWS];
        ff_rows_times(j, &m->rows[tree->loops[l]], m->a, out);
        for (int r = 0; r < j->rows; r++, row++) {
            m->miss[row] = (target[j->row_at + (size_t)r] - out[r]) * m->row_scale[row];
        }
    }
    /* components along each eigenvector; the matrix is no longer needed */
    double *along = m->matrix;
    for (size_t i = 0; i < n; i++) {
        along[i] = 0;
        for (size_t k = 0; k < n; k++) {
            along[i] += m->vectors[i * n + k] * m->miss[k];
        }
    }
    row = 0;
    for (size_t l = 0; l < tree->loop_count; l++) {
        const ff_joint *j = &model->joints[tree->loops[l]];
        for (int r = 0; r < j->rows; r++, row++) {
            /* pseudo-inverse: only along directions with a response */
            double force = 0;
            for (size_t i = 0; i < n; i++) {
                force += m->vectors[i * n + row] * along[i] * m->values[i];
            }
            force *= m->row_scale[row];
            m->multipliers[j->row_at + (size_t)r] = force;
            const double(*a)[6] = (const double(*)[6])(m->answer + row * bodies);
            for (size_t b = 0; b < bodies; b++) {
                for (int c = 0; c < 6; c++) {
                    m->a[b][c] += a[b][c] * force;
                }
            }
            for (size_t k = 0; k < speeds_of(m) && tree->articulated; k++) {
                m->speeds[k] += m->answer_speeds[row * speeds_of(m) + k] * force;
            }
            for (size_t k = 0; k < model->joint_rows && !tree->articulated; k++) {
                double part = m->answer_multipliers[row * model->joint_rows + k];
                m->multipliers[k] += part * force;
            }
        }
    }
    if (m->rank < n && !tree->articulated) {
        least_norm(m);
    }
}
