/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "body/vector.h"
#include "contact.h"
#include <string.h>

/* How a force or rate of three components depends on what friction is told, and how the normal force does. */
typedef struct {
    const ff_normal_answer *normal;
    const double (*by_v)[3], (*by_u)[3], *by_load, *by_grade;
} answer;

/* The chain rule: zdot = -n.V and slip = V - n (n.V) of the velocity V of the touching points. Where the normal turns by
 * dn, zdot changes by -V.dn and slip by zdot dn - n (V.dn). */
static void chain(const ff_slot *slot, const ff_touch *at, answer a, double out[3][FF_CAUSES]) {
    const double *n = at->n;
    double velocity[3];
    ff_add_scaled(at->slide.v, -at->zdot, n, velocity);
    for (int i = 0; i < 3; i++) {
        double closing = ff_dot(a.by_v[i], n) + a.by_load[i] * a.normal->dF_dzdot;
        out[i][FF_BY_DEPTH] =
            a.by_load[i] * a.normal->dF_dz + a.by_grade[i] * a.normal->grade_slope;
        out[i][FF_BY_INNER] = a.by_load[i] * a.normal->dF_dinner;
        for (int j = 0; j < 3; j++) {
            out[i][FF_BY_VELOCITY + j] = a.by_v[i][j] - closing * n[j];
            out[i][FF_BY_U + j] = a.by_u[i][j];
        }
        for (int j = 0; slot->other >= 0 && j < 3; j++) {
            out[i][FF_BY_NORMAL + j] = at->zdot * a.by_v[i][j] - closing * velocity[j];
        }
    }
}

/* The lift k |u|^2 g'(z)/2 of a passive clutch acts along n and is load to its friction; by u, friction knows that
 * already. g' is constant below FF_DEPTH_FLOOR. */
static void add_lift(const ff_slot *slot, const ff_touch *touch, const ff_friction_slopes *f,
                     ff_touch_slopes *out) {
    const double *u = touch->slide.u, slope = touch->slide.grade_slope;
    double bend = touch->z > FF_DEPTH_FLOOR ? (slot->law.n - 2) / touch->z * slope : 0;
    double by_depth = slot->friction.k / 2 * ff_dot(u, u) * bend;
    for (int i = 0; i < 3; i++) {
        out->push[i][FF_BY_DEPTH] += (f->df_dload[i] + touch->n[i]) * by_depth;
        out->u_rate[i][FF_BY_DEPTH] += f->dr_dload[i] * by_depth;
        for (int j = 0; j < 3; j++) {
            out->push[i][FF_BY_U + j] += touch->n[i] * slot->friction.k * slope * u[j];
        }
    }
}

/* ---- callers' own laws ---- */

/* Central differences over h of what is moved: off by h^2 and by rounding/h of it, least where h is the cube root of
 * rounding. */
#define PART 6e-6
/* Sizes of what is 0: a depth with a meaning, a speed, a load. Below them a law is taken to be straight. */
#define LEAST_DEPTH 1e-9
#define LEAST_SPEED 1e-3
#define LEAST_LOAD 1e-6

static double larger(double a, double b) { return a > b ? a : b; }

/* The laws are asked, and not the motion: a depth is a small difference of positions, and what moves those by a part of
 * themselves may move it by more than there is. */
static ff_normal_answer normal_differences(const ff_normal *law, const ff_touch *touch, double z,
                                           double inner) {
    ff_normal_answer out = ff_normal_at(law, z, touch->zdot, inner), at[2];
    double speed = sqrt(ff_dot(touch->slide.v, touch->slide.v)), sizes[3];
    sizes[0] = larger(fabs(z), LEAST_DEPTH);
    sizes[1] = larger(larger(fabs(touch->zdot), speed), LEAST_SPEED);
    sizes[2] = fabs(inner) > 0 ? fabs(inner) : sizes[law->law->inner == FF_INNER_SPEED];
    for (int by = 0; by < 3; by++) {
        double h = PART * sizes[by];
        for (int side = 0; side < 2; side++) {
            double x[3] = {z, touch->zdot, inner};
            x[by] += side ? h : -h;
            at[side] = ff_normal_at(law, x[0], x[1], x[2]);
        }
        double slope = (at[1].force - at[0].force) / (2 * h);
        double rate = (at[1].rate - at[0].rate) / (2 * h);
        if (by == 0) {
            out.dF_dz = slope;
            out.drate_dz = rate;
            out.grade_slope = (at[1].grade - at[0].grade) / (2 * h);
        } else if (by == 1) {
            out.dF_dzdot = slope;
        } else {
            out.dF_dinner = slope;
            out.drate_dinner = rate;
        }
    }
    return out;
}

/* By v, u, load and grade, each with a size of its own; load and ratio go together. A lift is a force along n. */
static ff_friction_slopes friction_differences(const ff_friction *law, const ff_friction_query *q,
                                               const double n[3], double depth) {
    ff_friction_slopes out = {0};
    double speed = larger(larger(sqrt(ff_dot(q->v, q->v)), fabs(q->zdot)), LEAST_SPEED);
    double stretch = larger(larger(sqrt(ff_dot(q->u, q->u)), fabs(depth)), LEAST_DEPTH);
    for (int by = 0; by < 8; by++) {
        double h = PART * (by < 3    ? speed
                           : by < 6  ? stretch
                           : by == 6 ? larger(q->load, LEAST_LOAD)
                                     : larger(q->grade, LEAST_DEPTH));
        ff_friction_answer at[2];
        for (int side = 0; side < 2; side++) {
            ff_friction_query moved = *q;
            double step = side ? h : -h;
            moved.v[by < 3 ? by : 0] += by < 3 ? step : 0;
            moved.u[by >= 3 && by < 6 ? by - 3 : 0] += by >= 3 && by < 6 ? step : 0;
            moved.load += by == 6 ? step : 0;
            moved.grade += by == 7 ? step : 0;
            moved.ratio = q->grade > 0 ? moved.load / moved.grade : q->ratio;
            at[side] = ff_friction_at(law, &moved);
        }
        for (int i = 0; i < 3; i++) {
            double lift = (at[1].lift - at[0].lift) * n[i];
            double force = (at[1].force[i] - at[0].force[i] + lift) / (2 * h);
            double rate = (at[1].rate[i] - at[0].rate[i]) / (2 * h);
            *(by < 3    ? &out.df_dv[i][by]
              : by < 6  ? &out.df_du[i][by - 3]
              : by == 6 ? &out.df_dload[i]
                        : &out.df_dgrade[i]) = force;
            *(by < 3    ? &out.dr_dv[i][by]
              : by < 6  ? &out.dr_du[i][by - 3]
              : by == 6 ? &out.dr_dload[i]
                        : &out.dr_dgrade[i]) = rate;
        }
    }
    return out;
}

static ff_normal_answer normal_slopes(const ff_normal *law, const ff_touch *touch, double z,
                                      double inner) {
    return law->law->point ? normal_differences(law, touch, z, inner)
                           : ff_normal_at(law, z, touch->zdot, inner);
}

static ff_friction_slopes friction_slopes(const ff_friction *law, const ff_friction_query *q,
                                          const ff_touch *touch) {
    return law->law->point && !law->law->slopes ? friction_differences(law, q, touch->n, touch->z)
                                                : ff_friction_slopes_at(law, q);
}

/* ---- a slot ---- */

/* A ground that recovers: z_g' = -(k/lambda) z_g^(n-p), u' = -(k_t/b_t) u (ff_touch_recover()). */
static void recovery(const ff_slot *slot, const double *state, ff_touch_slopes *out) {
    const ff_normal *law = &slot->law;
    const ff_friction *slide = &slot->friction;
    ff_touch_recover(slot, state, &out->touch);
    out->inner_rate[FF_BY_INNER] = (law->n - law->p) * out->touch.normal.rate / state[0];
    for (int i = 0; i < 3 && slide->damping > 0 && slide->law->events; i++) {
        out->u_rate[i][FF_BY_U + i] = -slide->k / slide->damping;
    }
}

bool ff_touch_silent(const ff_slot *slot, ff_mode mode) {
    return mode == FF_AIR && slot->law.law->inner != FF_INNER_RATE && !slot->stateful;
}

void ff_touch_slopes_find(const ff_slot *slot, ff_mode mode, double t, const double *bodies,
                          const double *state, ff_touch_slopes *out) {
    const ff_normal *law = mode == FF_LOADED ? &slot->open : &slot->law;
    const bool filtered = law->law->inner == FF_INNER_RATE;
    ff_touch *touch = &out->touch;
    ff_touch_find(slot, t, bodies, touch);
    memcpy(out->state, state, sizeof out->state);
    memset(out->push, 0, sizeof out->push);
    memset(out->u_rate, 0, sizeof out->u_rate);
    memset(out->inner_rate, 0, sizeof out->inner_rate);
    out->turns = false;
    if (!filtered &&
        (mode == FF_AIR || (mode == FF_FREE && (touch->z < 0 || ff_touch_ignored(slot, bodies))))) {
        touch->normal = (ff_normal_answer){0};
        touch->grip = (ff_friction_answer){0};
        memset(touch->push, 0, sizeof touch->push);
        if (slot->stateful && state[0] > 0) {
            recovery(slot, state, out);
        }
        return;
    }
    ff_touch_answer(slot, mode, state, touch);
    /* at z = 0 slopes are infinite: those of the least depth stand for them, all at one and the same depth */
    double z = filtered || touch->z > FF_DEPTH_FLOOR ? touch->z : FF_DEPTH_FLOOR;
    ff_normal_answer at = normal_slopes(law, touch, z, state[0]);
    ff_friction_slopes f = {0};
    const bool rubs = ff_touch_rubs(slot, mode, state, touch);
    if (rubs) {
        ff_friction_query slide = touch->slide;
        slide.load = at.force > 0 ? at.force : 0;
        slide.grade = at.grade;
        slide.ratio = at.ratio > 0 ? at.ratio : 0;
        f = friction_slopes(&slot->friction, &slide, touch);
    }
    double push_by_load[3], rate_by_load[3];
    for (int c = 0; c < 3; c++) {
        /* what pulls is no load */
        push_by_load[c] = (at.force > 0 ? f.df_dload[c] : 0) + touch->n[c];
        rate_by_load[c] = at.force > 0 ? f.dr_dload[c] : 0;
    }
    chain(slot, touch, (answer){&at, f.df_dv, f.df_du, push_by_load, f.df_dgrade}, out->push);
    chain(slot, touch, (answer){&at, f.dr_dv, f.dr_du, rate_by_load, f.dr_dgrade}, out->u_rate);
    if (slot->friction.passive && rubs) {
        add_lift(slot, touch, &f, out);
    }
    if (slot->other >= 0 && rubs && slot->friction.law->inner) {
        double swing[3];
        ff_cross(touch->turn, state + 1, swing);
        ff_add_scaled(touch->grip.rate, -1, swing, touch->grip.rate);
        out->turns = true;
    }
    for (int c = 0; slot->other >= 0 && c < 3; c++) {
        out->push[c][FF_BY_NORMAL + c] += touch->normal.force + touch->grip.lift;
    }
    out->inner_rate[FF_BY_DEPTH] = at.drate_dz;
    out->inner_rate[FF_BY_INNER] = at.drate_dinner;
}

void ff_touch_follow(const ff_touch_slopes *slopes, const double *state, ff_touch *out) {
    const ff_touch *from = &slopes->touch;
    double by[FF_CAUSES];
    by[FF_BY_DEPTH] = out->z - from->z;
    by[FF_BY_INNER] = state[0] - slopes->state[0];
    for (int c = 0; c < 3; c++) {
        by[FF_BY_VELOCITY + c] =
            out->slide.v[c] - out->zdot * out->n[c] - (from->slide.v[c] - from->zdot * from->n[c]);
        by[FF_BY_U + c] = state[1 + c] - slopes->state[1 + c];
        by[FF_BY_NORMAL + c] = out->n[c] - from->n[c];
    }
    out->normal.rate = from->normal.rate;
    for (int i = 0; i < FF_BY_NORMAL; i++) {
        out->normal.rate += slopes->inner_rate[i] * by[i];
    }
    for (int c = 0; c < 3; c++) {
        out->push[c] = from->push[c];
        out->grip.rate[c] = from->grip.rate[c];
        for (int i = 0; i < FF_CAUSES; i++) {
            out->push[c] += slopes->push[c][i] * by[i];
            out->grip.rate[c] += slopes->u_rate[c][i] * by[i];
        }
    }
    if (slopes->turns) {
        double swing[3];
        ff_cross(out->turn, state + 1, swing);
        ff_add_scaled(out->grip.rate, 1, swing, out->grip.rate);
    }
}
