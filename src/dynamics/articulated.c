/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "links.h"
#include "num/isa.h"

/* The articulated formulation, except for its evaluation in links.inc. */

const ff_links *ff_links_best(void) {
#if FF_X86
    if (ff_isa_has(FF_ISA_AVX2)) {
        return &ff_links_avx2;
    }
#endif
    return &ff_links_plain;
}

static const double still[FF_BODY_STRIDE] = {[FF_Q] = 1};

/* The end of a step is asked for by its last evaluation, by the accounts, by controllers and by the first evaluation of the
 * next step: comparing the states is 40 times as fast as computing the positions again. Prescribed motion depends on time,
 * too. */
void ff_links_place(ff_mechanism *m, const double *y) {
    const size_t size = m->model->states * sizeof *y;
    if (m->in_place && memcmp(m->placed, y, size) == 0) {
        return;
    }
    m->way->place(m, y);
    memcpy(m->placed, y, size);
    m->in_place = !m->model->tree->driven;
}

void ff_links_ball(const ff_mechanism *m, size_t body, double q[4], double u[3], double du[3]) {
    const ff_link *l = &m->model->tree->links[body];
    const double *up = l->parent < 0 ? still : ff_body_state(m->bodies, l->parent);
    ff_link_ball(l, up + FF_Q, up + FF_OMEGA, m->laws[l->joint], q, u, du);
}

void ff_links_rates(ff_mechanism *m, const double *y, double *dy) {
    const ff_joint_tree *tree = m->model->tree;
    m->way->rates(m, y, dy);
    for (size_t i = 0; tree->driven && i < m->model->body_count; i++) {
        const ff_link *l = &tree->links[i];
        if (l->driven && l->kind == FF_JOINT_SPHERICAL) {
            double q[4], u[3], du[3];
            ff_links_ball(m, i, q, u, du);
            memcpy(dy + l->at + l->coordinates, du, sizeof du);
            continue;
        }
        for (int c = 0; l->driven >> c; c++) {
            if (l->driven >> c & 1) {
                dy[l->at + (size_t)(l->coordinates + c)] = m->laws[l->joint][c][2];
            }
        }
    }
}

/* ---- positions and motions ---- */

void ff_link_place(const ff_model *model, int i, const double *q, const double *u,
                   ff_link_work *work, double *bodies) {
    static const double unturned[4] = {1};
    const ff_link *l = &model->tree->links[i];
    const ff_link_work *up = &work[l->parent < 0 ? (int)model->body_count : l->parent];
    const double *up_turn = l->parent < 0 ? unturned : ff_body_state(bodies, l->parent) + FF_Q;
    ff_link_work *w = &work[i];
    double *body = bodies + (size_t)i * FF_BODY_STRIDE, *turn = body + FF_Q, way[3];
    ff_link_orient(l, up_turn, q, turn, way);
    ff_turned(turn, l->com, w->com);
    ff_turned(turn, l->axis, w->column[ff_link_axis(l)]);
    ff_turned(up_turn, way, w->reach);
    ff_link_advance(l, l->kind, up, up_turn, q, u, w, body);
}

void ff_link_start_ball(const ff_model *model, int body, const double *bodies, double q[4],
                        double u[3]) {
    const ff_link *l = &model->tree->links[body];
    const ff_joint *j = &model->joints[l->joint];
    const double *up = l->parent < 0 ? still : ff_body_state(bodies, l->parent);
    double laws[3][3], du[3];
    for (int c = 0; c < 3; c++) {
        laws[c][0] = j->start[c];
        laws[c][1] = j->rate[c];
        laws[c][2] = 0;
    }
    ff_link_ball(l, up + FF_Q, up + FF_OMEGA, laws, q, u, du);
}

/* motions do not show full turns: use the number of turns at the start of the joint */
static void add_turns(double *angle, double start) {
    const double turn = 6.283185307179586;
    *angle += turn * nearbyint((start - *angle) / turn);
}

void ff_link_read(const ff_model *model, size_t i, const double *bodies, double *q, double *u) {
    const ff_link *l = &model->tree->links[i];
    const double *body = ff_body_state(bodies, (int)i);
    if (l->kind == FF_JOINT_FREE) {
        memcpy(q, body, 7 * sizeof *q);
        memcpy(u, body + FF_VEL, 6 * sizeof *u);
    } else if (l->kind == FF_JOINT_SPHERICAL) {
        memcpy(q, body + FF_Q, 4 * sizeof *q);
        memcpy(u, body + FF_OMEGA, 3 * sizeof *u);
        if (l->parent >= 0) {
            ff_add_scaled(u, -1, ff_body_state(bodies, l->parent) + FF_OMEGA, u);
        }
    } else if (l->kind != FF_JOINT_FIXED) {
        const ff_joint *j = &model->joints[l->joint];
        ff_joint_coordinates(j, bodies, q, u);
        for (int c = 0; c < l->coordinates && j->placed; c++) {
            if (!ff_link_slides(l->kind, c)) {
                add_turns(&q[c], j->start[c]);
            }
        }
    }
}

void ff_links_read(const ff_model *model, const double *bodies, double *y) {
    for (size_t i = 0; i < model->body_count; i++) {
        const ff_link *l = &model->tree->links[i];
        ff_link_read(model, i, bodies, y + l->at, y + l->at + l->coordinates);
    }
}

/* ---- after an evaluation ---- */

void ff_link_acceleration(const ff_link_work *w, double out[6]) {
    for (int c = 0; c < 3; c++) {
        out[c] = w->coasting[0][c] + w->change[0][c];
        out[3 + c] = w->coasting[1][c] + w->change[1][c];
    }
}

double ff_link_along(const ff_link *l, const ff_link_work *w, int c, const double push[6]) {
    double out = ff_dot(w->column[c], push + (ff_link_slides(l->kind, c) ? 0 : 3));
    return l->kind == FF_JOINT_SCREW ? out + l->pitch * ff_dot(w->column[c], push) : out;
}

/* changes of the rates of speeds caused by a force about P */
static void give_way(const ff_link *l, const ff_link_work *w, const double force[6],
                     double rate[3]) {
    double left[3];
    for (int c = 0; c < l->speeds; c++) {
        left[c] = -ff_link_along(l, w, c, force);
    }
    for (int a = 0; a < l->speeds; a++) {
        rate[a] = 0;
        for (int b = 0; b < l->speeds; b++) {
            rate[a] += w->d[a][b] * left[b];
        }
    }
}

void ff_links_answer(ff_mechanism *m, double (*push)[6], double (*at)[6], double *speeds) {
    const ff_model *model = m->model;
    const ff_joint_tree *tree = model->tree;
    /* forces about the anchors, accumulated up the tree */
    double(*force)[6] = m->gathered, moment[3], rate[6];
    for (size_t i = 0; i < model->body_count; i++) {
        const double *f = push[i];
        ff_cross(m->links[i].com, f, moment);
        for (int c = 0; c < 3; c++) {
            force[i][c] = -f[c];
            force[i][3 + c] = -f[3 + c] - moment[c];
        }
    }
    for (size_t k = model->body_count; k-- > 0;) {
        int i = tree->order[k];
        const ff_link *l = &tree->links[i];
        const ff_link_work *w = &m->links[i];
        if (l->parent < 0) {
            continue;
        }
        double *up = force[l->parent];
        give_way(l, w, force[i], rate);
        ff_cross(w->reach, force[i], moment);
        for (int c = 0; c < 3; c++) {
            up[c] += force[i][c];
            up[3 + c] += force[i][3 + c] + moment[c];
            for (int a = 0; a < l->speeds; a++) {
                up[c] += w->u[a][0][c] * rate[a];
                up[3 + c] += w->u[a][1][c] * rate[a];
            }
        }
    }
    static const double fixed[6] = {0};
    for (size_t k = 0; k < model->body_count; k++) {
        int i = tree->order[k];
        const ff_link *l = &tree->links[i];
        const ff_link_work *w = &m->links[i];
        if (l->kind == FF_JOINT_FREE) {
            for (int c = 0; c < 6; c++) {
                rate[c] = -force[i][c];
            }
            ff_link_solve(w, rate);
            memcpy(at[i], rate, sizeof at[i]);
        } else {
            const double *up = l->parent < 0 ? fixed : at[l->parent];
            give_way(l, w, force[i], rate);
            ff_cross(up + 3, w->reach, at[i]);
            ff_add_scaled(at[i], 1, up, at[i]);
            memcpy(at[i] + 3, up + 3, 3 * sizeof *up);
            for (int a = 0; a < l->speeds; a++) {
                rate[a] -= ff_dot(w->pull[a][0], up) + ff_dot(w->pull[a][1], up + 3);
                double *along = at[i] + (ff_link_slides(l->kind, a) ? 0 : 3);
                ff_add_scaled(along, rate[a], w->column[a], along);
                if (l->kind == FF_JOINT_SCREW) {
                    ff_add_scaled(at[i], l->pitch * rate[a], w->column[a], at[i]);
                }
            }
        }
        memcpy(speeds + l->speed_at, rate, (size_t)l->speeds * sizeof *rate);
    }
    /* accelerations of the anchors are converted to those of the centres of mass */
    for (size_t i = 0; i < model->body_count; i++) {
        double c[3];
        ff_cross(at[i] + 3, m->links[i].com, c);
        ff_add_scaled(at[i], 1, c, at[i]);
    }
}
