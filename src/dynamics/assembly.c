/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "assembly.h"
#include "body/vector.h"
#include "model/kinds.h"
#include "num/elementary.h"
#include "num/memory.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Starting from the roots, each body is moved to a position that its joint allows: at the coordinates given for the joint,
 * or at those nearest to its written position. */
static void place(const ff_model *model, ff_link_work *work, double *bodies) {
    const ff_joint_tree *tree = model->tree;
    for (size_t k = 0; k < model->body_count; k++) {
        const int i = tree->order[k], joint = tree->links[i].joint;
        const ff_joint *j = joint < 0 ? NULL : &model->joints[joint];
        double q[7], u[6];
        if (j && j->placed && j->kind == FF_JOINT_SPHERICAL) {
            ff_link_start_ball(model, i, bodies, q, u);
        } else if (j && j->placed) {
            memcpy(q, j->start, sizeof j->start);
            memcpy(u, j->rate, sizeof j->rate);
        } else {
            ff_link_read(model, (size_t)i, bodies, q, u);
        }
        ff_link_place(model, i, q, u, work, bodies);
    }
}

/* Whether the start of a body is completely determined by its joint. */
static bool placed(const ff_model *model, int body) {
    const ff_link *l = &model->tree->links[body];
    return l->joint >= 0 && (model->joints[l->joint].placed || l->kind == FF_JOINT_FIXED);
}

/* the largest difference between two states of the bodies */
static void compare(const ff_model *model, const double *before, const double *after,
                    ff_assembly *out) {
    for (size_t i = 0; i < model->body_count; i++) {
        const double *a = before + i * FF_BODY_STRIDE, *b = after + i * FF_BODY_STRIDE;
        double d[3], q[4], back[4] = {a[FF_Q], -a[FF_Q + 1], -a[FF_Q + 2], -a[FF_Q + 3]};
        ff_add_scaled(b + FF_P, -1, a + FF_P, d);
        out->moved = fmax(out->moved, sqrt(ff_dot(d, d)));
        ff_quaternion_times(b + FF_Q, back, q);
        out->turned = fmax(out->turned, 2 * ff_atan2(sqrt(ff_dot(q + 1, q + 1)), fabs(q[0])));
        ff_add_scaled(b + FF_VEL, -1, a + FF_VEL, d);
        out->velocity = fmax(out->velocity, sqrt(ff_dot(d, d)));
        ff_add_scaled(b + FF_OMEGA, -1, a + FF_OMEGA, d);
        out->omega = fmax(out->omega, sqrt(ff_dot(d, d)));
    }
}

/* Bodies as free bodies, whatever y contains: a maximal model of the same joints. */
typedef struct {
    ff_joint_tree tree;
    ff_model model;
    ff_mechanism m;
    char *memory;
} loose;

static ff_status loosen(const ff_model *model, double t, loose *l) {
    ff_arena room = {0};
    *l = (loose){.tree = *model->tree, .model = *model};
    l->tree.articulated = false;
    l->model.tree = &l->tree;
    l->model.size = model->body_count * FF_BODY_STRIDE;
    l->model.body_at = ff_malloc((model->body_count + 1) * sizeof *l->model.body_at);
    ff_mechanism_lay_out(&l->model, &l->m, &room);
    l->memory = ff_calloc(room.used + 1, 1);
    if (!l->model.body_at || !l->memory) {
        return FF_NO_MEMORY;
    }
    for (size_t i = 0; i < model->body_count; i++) {
        l->model.body_at[i] = i * FF_BODY_STRIDE;
    }
    room = (ff_arena){l->memory, 0};
    ff_mechanism_lay_out(&l->model, &l->m, &room);
    ff_mechanism_time(&l->m, t);
    return FF_OK;
}

static void clear(loose *l) {
    ff_free(l->model.body_at);
    ff_free(l->memory);
}

ff_status ff_assembly_correct(const ff_model *model, double *bodies, ff_assembly *assembly,
                              double *condition, int *worst) {
    loose l;
    ff_status status = loosen(model, 0, &l);
    if (status == FF_OK) {
        bool there = ff_mechanism_project(&l.m, false, bodies);
        for (size_t i = 0; i < l.model.size; i++) {
            there = there && isfinite(bodies[i]);
        }
        if (!there) {
            double off;
            *worst = ff_mechanism_worst(&l.m, &off);
            status = FF_NO_CONVERGENCE;
        }
        *condition = l.m.condition;
        assembly->constraints = model->joint_rows;
        assembly->redundant = l.tree.loop_rows - l.m.rank;
        assembly->freedoms = 6 * model->body_count - (assembly->constraints - assembly->redundant);
    }
    clear(&l);
    return status;
}

/* The force, and the moment divided by a length, of a joint on its second body at a point, for given multipliers. */
static void wrench_at(const ff_mechanism *m, size_t joint, const double *multipliers,
                      const double *bodies, const double point[3], double length, double out[6]) {
    const ff_joint *j = &m->model->joints[joint];
    double arm[3], turned[3];
    memset(out, 0, 6 * sizeof *out);
    for (int r = 0; r < j->rows; r++) {
        for (int c = 0; c < 6; c++) {
            out[c] += m->rows[joint].second[r][c] * multipliers[j->row_at + (size_t)r];
        }
    }
    /* rows are relative to the centre of mass */
    ff_add_scaled(point, -1, bodies + (size_t)j->second * FF_BODY_STRIDE + FF_P, arm);
    ff_cross(arm, out, turned);
    for (int c = 0; c < 3; c++) {
        out[3 + c] = (out[3 + c] - turned[c]) / length;
    }
}

/* Multipliers n with J^T n = 0 have no effect: reactions are determined only up to the wrenches of these at each joint. The
 * component of a reaction in their span is undetermined; the rest is determined. */
ff_status ff_assembly_undetermined(const ff_model *model, double t, double *bodies,
                                   const ff_joint_record *reactions, double length, double *part) {
    loose l;
    const size_t n = model->tree->loop_rows, all = model->joint_rows;
    ff_status status = loosen(model, t, &l);
    double *null = status == FF_OK ? ff_malloc((n * all + 1) * sizeof *null) : NULL;
    size_t found = 0;
    if (null) {
        ff_mechanism_project(&l.m, false, bodies);
        for (size_t i = 0; i < n; i++) {
            found += ff_loops_null(&l.m, i, null + found * all);
        }
    }
    for (size_t j = 0; j < model->joint_count && null; j++) {
        const ff_joint_record *r = &reactions[j];
        double reaction[6], axes[6][6];
        int count = 0;
        part[j] = 0;
        /* a gear has no wrench of its own */
        if (model->joints[j].kind == FF_JOINT_GEAR || model->joints[j].rows == 0) {
            continue;
        }
        for (int c = 0; c < 3; c++) {
            reaction[c] = r->force[c];
            reaction[3 + c] = r->moment[c] / length;
        }
        for (size_t i = 0; i < found && count < 6; i++) {
            double *axis = axes[count];
            wrench_at(&l.m, j, null + i * all, bodies, r->anchor, length, axis);
            const double size = sqrt(ff_dot6(axis, axis));
            /* orthogonalised twice, because of rounding */
            for (int turn = 0; turn < 2; turn++) {
                for (int p = 0; p < count; p++) {
                    const double along = ff_dot6(axes[p], axis);
                    for (int c = 0; c < 6; c++) {
                        axis[c] -= along * axes[p][c];
                    }
                }
            }
            const double left = sqrt(ff_dot6(axis, axis));
            if (left > 1e-6 * size && size > 1e-9) {
                for (int c = 0; c < 6; c++) {
                    axis[c] /= left;
                }
                const double along = ff_dot6(axis, reaction);
                part[j] += along * along;
                count++;
            }
        }
        part[j] = sqrt(part[j]);
    }
    status = status < 0 || null ? status : FF_NO_MEMORY;
    ff_free(null);
    clear(&l);
    return status;
}

/* A start at which the rows have a lower rank than nearby is a singular position: the motion from there is not determined.
 * Nearby: all bodies are displaced slightly at random and assembled again. */
static ff_status refuse_singular(const ff_model *model, const double *bodies, ff_error *error) {
    const ff_joint_tree *tree = model->tree;
    const size_t size = model->body_count * FF_BODY_STRIDE;
    if (tree->assembly.redundant == 0) {
        return FF_OK;
    }
    double *near = ff_malloc((size + 1) * sizeof *near), reach = 0;
    if (!near) {
        return FF_NO_MEMORY;
    }
    for (size_t i = 0; i < model->body_count; i++) {
        reach = fmax(reach, sqrt(ff_dot(tree->links[i].com, tree->links[i].com)));
    }
    memcpy(near, bodies, size * sizeof *near);
    uint32_t seed = 1;
    for (size_t i = 0; i < model->body_count; i++) {
        double by[6];
        for (int c = 0; c < 6; c++) {
            seed = seed * 1664525u + 1013904223u;
            by[c] = 1e-2 * (seed / 4294967296.0 - 0.5) * (c < 3 ? reach : 1);
        }
        double *at = near + i * FF_BODY_STRIDE;
        ff_add_scaled(at + FF_P, 1, by, at + FF_P);
        ff_quaternion_turn(at + FF_Q, by + 3);
    }
    ff_assembly nearby = {0};
    double condition;
    int worst = 0;
    ff_status status = ff_assembly_correct(model, near, &nearby, &condition, &worst);
    ff_free(near);
    if (status == FF_NO_MEMORY) {
        return status;
    }
    if (status == FF_OK && nearby.redundant < tree->assembly.redundant) {
        return ff_model_fail(error, FF_BAD_VALUE,
                             "the start is a singular position of the loop that joint '%s' closes",
                             model->joints[tree->loops[0]].name);
    }
    return FF_OK;
}

/* Moves bodies to positions that their joints allow. */
static ff_status put_together(ff_model *model, ff_error *error) {
    const size_t n = model->body_count;
    double *bodies = ff_malloc(2 * (n + 1) * FF_BODY_STRIDE * sizeof *bodies),
           *given = bodies + (n + 1) * FF_BODY_STRIDE;
    ff_link_work *work = ff_calloc(n + 1, sizeof *work);
    ff_status status = bodies && work ? FF_OK : FF_NO_MEMORY;
    model->tree->assembly = (ff_assembly){0};
    if (status == FF_OK) {
        int worst = 0;
        for (size_t i = 0; i < n; i++) {
            memcpy(bodies + i * FF_BODY_STRIDE, model->bodies[i].start,
                   sizeof model->bodies[i].start);
        }
        memcpy(given, bodies, n * FF_BODY_STRIDE * sizeof *given);
        place(model, work, bodies);
        for (size_t i = 0; i < n; i++) {
            if (placed(model, (int)i)) {
                /* the given start is the one that joints determine */
                memcpy(given + i * FF_BODY_STRIDE, bodies + i * FF_BODY_STRIDE,
                       FF_BODY_STRIDE * sizeof *given);
            }
        }
        status = ff_assembly_correct(model, bodies, &model->tree->assembly, &model->tree->condition,
                                     &worst);
        if (status == FF_NO_CONVERGENCE) {
            status = ff_model_fail(error, FF_BAD_VALUE,
                                   "the joints cannot be put together from this start: '%s' stays "
                                   "apart",
                                   model->joints[worst].name);
        }
    }
    if (status == FF_OK) {
        compare(model, given, bodies, &model->tree->assembly);
        status = refuse_singular(model, bodies, error);
    }
    for (size_t i = 0; i < n && status == FF_OK; i++) {
        memcpy(model->bodies[i].start, bodies + i * FF_BODY_STRIDE, sizeof model->bodies[i].start);
    }
    ff_free(bodies);
    ff_free(work);
    return status;
}

ff_status ff_model_derive(ff_model *model, const ff_scene *scene, ff_error *error) {
    ff_status status = ff_model_derive_parts(model, scene, error);
    if (status == FF_OK && scene && model->tree) {
        status = put_together(model, error);
    }
    if (status == FF_OK) {
        ff_model_scale(model);
        model->derived = true;
    }
    return status;
}

ff_status ff_model_create(const ff_scene *scene, ff_model **out, ff_error *error) {
    ff_model *model = NULL;
    ff_status status = ff_topology_make(scene, &model, error);
    if (status >= 0) {
        status = ff_model_derive(model, model->crowd ? scene : &model->defs, error);
    }
    if (status < 0) {
        if (error && status == FF_NO_MEMORY) {
            snprintf(error->text, sizeof error->text, "%s", ff_status_text(status));
        }
        ff_model_free(model);
        return status;
    }
    if (model->crowd) {
        ff_topology_forget_bodies(model->topology);
    }
    *out = model;
    return FF_OK;
}
