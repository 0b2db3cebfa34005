/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "chart.h"
#include "body/vector.h"
#include "num/elementary.h"
#include "num/memory.h"
#include "sim/sim.h"
#include <stdlib.h>
#include <string.h>

/* treats the bodies of a scene without joints as free */
static void loosen(ff_chart *chart) {
    for (size_t i = 0; i < chart->model.body_count; i++) {
        chart->tree.order[i] = (int)i;
        chart->tree.links[i] = (ff_link){.parent = -1,
                                         .joint = -1,
                                         .kind = FF_JOINT_FREE,
                                         .turn = {1, 0, 0, 0},
                                         .coordinates = 7,
                                         .speeds = 6};
    }
}

static void add(ff_chart *chart, size_t at, int turn, bool speed, double size) {
    chart->freedoms[chart->count++] = (ff_freedom){at, turn, speed, false, size};
}

/* The freedoms of a link: its coordinates, then its speeds. Locked directions are excluded, and so is the orientation of a
 * ball, which has no effect. */
static void find_freedoms(ff_chart *chart, size_t body) {
    const ff_link *l = &chart->tree.links[body];
    const ff_model_body *b = &chart->model.bodies[body];
    const ff_extent *size = &chart->model.extents[body];
    const size_t u = l->at + (size_t)l->coordinates;
    if (l->kind == FF_JOINT_FREE || l->kind == FF_JOINT_SPHERICAL) {
        const bool moves = l->kind == FF_JOINT_FREE;
        const size_t q = l->at + (moves ? 3 : 0), w = u + (moves ? 3 : 0);
        for (size_t c = 0; c < 3 && moves; c++) {
            if (!(b->locked & (unsigned)FF_LOCK_X << c)) {
                add(chart, l->at + c, -1, false, size->length);
                add(chart, u + c, -1, true, size->speed);
            }
        }
        for (size_t c = 0; c < 3 && !b->free_turning; c++) {
            if (!(b->locked & (unsigned)FF_LOCK_RX << c)) {
                add(chart, q, (int)c, false, 1);
            }
        }
        for (size_t c = 0; c < 3; c++) {
            if (!(b->locked & (unsigned)FF_LOCK_RX << c)) {
                add(chart, w + c, -1, true, size->turning);
            }
        }
        return;
    }
    for (int c = 0; c < l->speeds; c++) {
        bool way = ff_joint_coordinate_slides(l->kind, c);
        add(chart, l->at + (size_t)c, -1, false, way ? size->length : 1);
        chart->freedoms[chart->count - 1].angle = !way;
        add(chart, u + (size_t)c, -1, true, way ? size->speed : size->turning);
    }
}

ff_status ff_chart_init(ff_chart *chart, const ff_model *model) {
    const size_t n = model->body_count;
    *chart = (ff_chart){.model = *model};
    ff_joint_tree *tree = &chart->tree;
    tree->links = ff_calloc(n + 1, sizeof *tree->links);
    tree->order = ff_calloc(n + 1, sizeof *tree->order);
    chart->work = ff_calloc(n + 1, sizeof *chart->work);
    chart->bodies = ff_calloc((n + 1) * FF_BODY_STRIDE, sizeof *chart->bodies);
    chart->freedoms = ff_calloc(12 * n + 1, sizeof *chart->freedoms);
    chart->model.tree = tree;
    if (!tree->links || !tree->order || !chart->work || !chart->bodies || !chart->freedoms) {
        return FF_NO_MEMORY;
    }
    if (model->tree) {
        memcpy(tree->links, model->tree->links, n * sizeof *tree->links);
        memcpy(tree->order, model->tree->order, n * sizeof *tree->order);
    } else {
        loosen(chart);
    }
    for (size_t k = 0; k < n; k++) {
        const size_t i = (size_t)tree->order[k];
        ff_link *l = &tree->links[i];
        l->at = chart->states;
        chart->states += (size_t)(l->coordinates + l->speeds);
        find_freedoms(chart, i);
    }
    return FF_OK;
}

void ff_chart_clear(ff_chart *chart) {
    ff_free(chart->tree.links);
    ff_free(chart->tree.order);
    ff_free(chart->work);
    ff_free(chart->bodies);
    ff_free(chart->freedoms);
}

void ff_chart_read(ff_chart *chart, const ff_motion *bodies, double *y) {
    for (size_t i = 0; i < chart->model.body_count; i++) {
        double *at = chart->bodies + i * FF_BODY_STRIDE;
        memcpy(at + FF_P, bodies[i].position, sizeof bodies[i].position);
        memcpy(at + FF_Q, bodies[i].orientation, sizeof bodies[i].orientation);
        memcpy(at + FF_VEL, bodies[i].velocity, sizeof bodies[i].velocity);
        memcpy(at + FF_OMEGA, bodies[i].omega, sizeof bodies[i].omega);
    }
    ff_links_read(&chart->model, chart->bodies, y);
}

void ff_chart_place(ff_chart *chart, const double *y, ff_motion *bodies) {
    for (size_t k = 0; k < chart->model.body_count; k++) {
        const int i = chart->tree.order[k];
        const ff_link *l = &chart->tree.links[i];
        const double *q = y + l->at;
        ff_link_place(&chart->model, i, q, q + l->coordinates, chart->work, chart->bodies);
        bodies[i] = ff_motion_at(chart->bodies, (size_t)i);
    }
}

/* ---- differences ---- */

void ff_chart_move(const ff_chart *chart, const double *y, const double *by, double *out) {
    memcpy(out, y, chart->states * sizeof *out);
    for (size_t i = 0; i < chart->count; i++) {
        const ff_freedom *f = &chart->freedoms[i];
        if (f->turn < 0) {
            out[f->at] += f->size * by[i];
        }
    }
    /* a rotation uses all its components together */
    for (size_t i = 0; i < chart->count; i++) {
        const ff_freedom *f = &chart->freedoms[i];
        double turn[3] = {0};
        if (f->turn < 0 || (i > 0 && f[-1].turn >= 0 && f[-1].at == f->at)) {
            continue;
        }
        for (size_t k = i; k < chart->count; k++) {
            if (chart->freedoms[k].turn >= 0 && chart->freedoms[k].at == f->at) {
                turn[chart->freedoms[k].turn] = by[k];
            }
        }
        ff_quaternion_turn(out + f->at, turn);
    }
}

/* the rotation vector from one orientation to another */
static void turn_between(const double *from, const double *to, double out[3]) {
    double back[4] = {from[0], -from[1], -from[2], -from[3]}, q[4];
    ff_quaternion_times(to, back, q);
    double sine = sqrt(ff_dot(q + 1, q + 1)), sign = q[0] < 0 ? -1 : 1;
    double angle = 2 * ff_atan2(sine, fabs(q[0]));
    for (int c = 0; c < 3; c++) {
        out[c] = sine > 0 ? sign * angle * q[1 + c] / sine : 0;
    }
}

void ff_chart_way(const ff_chart *chart, const double *from, const double *to, double *out) {
    for (size_t i = 0; i < chart->count; i++) {
        const ff_freedom *f = &chart->freedoms[i];
        double turn[3];
        if (f->turn < 0) {
            double way = to[f->at] - from[f->at];
            out[i] = (f->angle ? remainder(way, 2 * FF_PI) : way) / f->size;
        } else {
            turn_between(from + f->at, to + f->at, turn);
            out[i] = turn[f->turn];
        }
    }
}

/* The coordinates of a link that move it along a direction: 0, 1 or 2 of them; none if it is held. */
static int slide_along(const ff_link *l, const double direction[3], double by[3]) {
    double left[3] = {direction[0], direction[1], direction[2]};
    int ways = l->kind == FF_JOINT_FREE ? 3 : l->kind == FF_JOINT_PLANAR ? 2 : 0;
    for (int c = 0; c < ways; c++) {
        const double unit[3] = {c == 0, c == 1, c == 2};
        const double *along = l->kind == FF_JOINT_FREE ? unit : l->ways[c];
        by[c] = ff_dot(along, direction);
        ff_add_scaled(left, -by[c], along, left);
    }
    if (l->kind == FF_JOINT_PRISMATIC || l->kind == FF_JOINT_CYLINDRICAL) {
        double turn[3][3], axis[3];
        ff_rotation(l->turn, turn);
        ff_rotate(turn, l->axis, axis);
        by[0] = ff_dot(axis, direction);
        ff_add_scaled(left, -by[0], axis, left);
        ways = 1;
    }
    return ff_dot(left, left) < 1e-18 ? ways : 0;
}

bool ff_chart_along(const ff_chart *chart, const double direction[3], double *out) {
    bool any = false;
    memset(out, 0, chart->count * sizeof *out);
    for (size_t i = 0; i < chart->model.body_count; i++) {
        const ff_link *l = &chart->tree.links[i];
        double by[3];
        int ways = l->parent < 0 ? slide_along(l, direction, by) : 0;
        for (int c = 0; c < ways; c++) {
            size_t k = 0;
            while (k < chart->count &&
                   (chart->freedoms[k].turn >= 0 || chart->freedoms[k].at != l->at + (size_t)c)) {
                k++;
            }
            if (k < chart->count) {
                out[k] = by[c] / chart->freedoms[k].size;
                any = any || by[c] != 0;
            }
        }
    }
    return any;
}
