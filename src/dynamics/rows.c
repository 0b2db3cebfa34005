/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "body/vector.h"
#include "mechanism.h"
#include "num/elementary.h"
#include <string.h>

static const double still[FF_BODY_STRIDE] = {[FF_Q] = 1};
static const double straight[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};

/* omega x (omega x a) */
static void whirl(const double omega[3], const double a[3], double out[3]) {
    ff_cross(omega, a, out);
    ff_cross(omega, out, out);
}

/* a row d.(point of the second) - d.(point of the first), with points at `as` and `af` from the centres of mass */
static void set_row(ff_rows *out, int row, const double d[3], const double as[3],
                    const double af[3]) {
    double s[3], f[3];
    ff_cross(as, d, s);
    ff_cross(af, d, f);
    for (int i = 0; i < 3; i++) {
        out->second[row][i] = d[i];
        out->second[row][3 + i] = s[i];
        out->first[row][i] = -d[i];
        out->first[row][3 + i] = -f[i];
    }
}

/* the angle from a to b about an axis perpendicular to both */
static double angle_about(const double axis[3], const double a[3], const double b[3]) {
    double c[3];
    ff_cross(a, b, c);
    return ff_atan2(ff_dot(axis, c), ff_dot(a, b));
}

/* The angle of the second body relative to the first about the axis of a joint, which is `axis` in world axes: between a
 * direction of the first body perpendicular to it and its image on the second. */
static double joint_angle(const ff_joint *joint, const double rf[3][3], const double rs[3][3],
                          const double axis[3]) {
    double zero[3][3], mark[3], home[3], taken[3];
    ff_rotation(joint->turn, zero);
    ff_rotate_back(zero, joint->ways[0], mark);
    ff_rotate(rs, mark, taken);
    ff_rotate(rf, joint->ways[0], home);
    return angle_about(axis, home, taken);
}

/* The angle of a screw at a displacement, including full turns. */
static double screw_angle(const ff_joint *joint, double way, double angle) {
    const double turn = 2 * FF_PI;
    return angle + turn * nearbyint((way / joint->pitch - angle) / turn);
}

/* The two ends of a joint in world axes. */
typedef struct {
    const double (*rf)[3], (*rs)[3]; /* rotations of the first and of the second */
    const double *wf, *ws;           /* angular velocities */
    double af[3], as[3];             /* from the centres of mass to the anchors */
    double way[3], rate[3], bias[3]; /* D, D', and D'' without accelerations */
} ends;

static inline void find_ends(const ff_joint *joint, const double *first,
                             const double first_turn[3][3], const double *second,
                             const double second_turn[3][3], ends *e) {
    const double *f = first ? first : still, *s = second;
    double part[3];
    e->rf = first ? first_turn : straight;
    e->rs = second_turn;
    e->wf = f + FF_OMEGA;
    e->ws = s + FF_OMEGA;
    ff_rotate(e->rf, joint->anchor, e->af);
    ff_rotate(second_turn, joint->second_anchor, e->as);
    ff_cross(e->ws, e->as, e->rate);
    ff_cross(e->wf, e->af, part);
    for (int i = 0; i < 3; i++) {
        e->way[i] = s[FF_P + i] + e->as[i] - f[FF_P + i] - e->af[i];
        e->rate[i] += s[FF_VEL + i] - f[FF_VEL + i] - part[i];
    }
    whirl(e->ws, e->as, e->bias);
    whirl(e->wf, e->af, part);
    ff_add_scaled(e->bias, -1, part, e->bias);
}

/* The row of a displacement along b, a direction of the first body: its gamma, and the displacement as violation. */
static void slide_row(const ends *e, const double b[3], ff_rows *out, int row) {
    double reach[3], turning[3], part[3];
    ff_add_scaled(e->af, 1, e->way, reach);
    set_row(out, row, b, e->as, reach);
    ff_cross(e->wf, b, turning);
    whirl(e->wf, b, part);
    out->violation[row] = ff_dot(b, e->way);
    out->gamma[row] = -(ff_dot(b, e->bias) + 2 * ff_dot(turning, e->rate) + ff_dot(part, e->way));
}

/* Violations Phi, rows J with Phi' = J (v, omega), and gamma = -J' (v, omega), the value of J times accelerations
 * for Phi'' = 0. b is fixed to the first body, a to the second, D is the vector from the first anchor to the second:
 *     anchors meet  Phi = D
 *     slide         Phi = b.D    Phi'' = b.D'' + 2 (wf x b).D' + (wf x (wf x b)).D + ...
 *     square        Phi = b.a    Phi' = (wf - ws).(b x a)
 *     screw         Phi = b.D - p angle, b the axis: the row of a slide minus p (ws - wf).b, which does not contribute
 *                   to gamma, since ws - wf is along b where the other rows hold */
void ff_rows_find(const ff_joint *joint, const double *first, const double first_turn[3][3],
                  const double *second, const double second_turn[3][3], ff_rows *out) {
    ends e;
    find_ends(joint, first, first_turn, second, second_turn, &e);
    int row = 0;
    for (int i = 0; joint->meets && i < 3; i++, row++) {
        double d[3] = {i == 0, i == 1, i == 2};
        set_row(out, row, d, e.as, e.af);
        out->violation[row] = e.way[i];
        out->gamma[row] = -e.bias[i];
    }
    for (int i = 0; i < joint->slides; i++, row++) {
        double b[3];
        ff_rotate(e.rf, joint->slide[i], b);
        slide_row(&e, b, out, row);
    }
    for (int i = 0; i < joint->squares; i++, row++) {
        double b[3], a[3], c[3], bt[3], at[3], p[3], q[3];
        ff_rotate(e.rf, joint->square[i], b);
        ff_rotate(second_turn, joint->across[i], a);
        ff_cross(b, a, c);
        ff_cross(e.wf, b, bt);
        ff_cross(e.ws, a, at);
        ff_cross(bt, a, p);
        ff_cross(b, at, q);
        double gamma = 0;
        for (int k = 0; k < 3; k++) {
            out->first[row][k] = out->second[row][k] = 0;
            out->first[row][3 + k] = c[k];
            out->second[row][3 + k] = -c[k];
            gamma -= (e.wf[k] - e.ws[k]) * (p[k] + q[k]);
        }
        out->violation[row] = ff_dot(b, a);
        out->gamma[row] = gamma;
    }
    if (joint->threads) {
        double b[3];
        ff_rotate(e.rf, joint->axis, b);
        slide_row(&e, b, out, row);
        double angle = joint_angle(joint, e.rf, second_turn, b);
        for (int k = 0; k < 3; k++) {
            out->second[row][3 + k] -= joint->pitch * b[k];
            out->first[row][3 + k] += joint->pitch * b[k];
        }
        out->violation[row] -= joint->pitch * screw_angle(joint, out->violation[row], angle);
    }
}

/* The rate of a coordinate as a row: b.D' against the first body, or b.(ws - wf), whose rate has (w x b).(ws - wf) with the w
 * of the body that b is fixed to. */
static void coordinate_row(const ff_joint *joint, int c, const ends *e, ff_rows *out, int row) {
    const bool own = joint->kind == FF_JOINT_UNIVERSAL && c == 1;
    const bool across = joint->kind == FF_JOINT_PLANAR && c < 2;
    const double unit[3] = {c == 0, c == 1, c == 2};
    double b[3], spin[3], turning[3];
    ff_rotate(own ? e->rs : e->rf,
              own                                 ? joint->second_axis
              : across                            ? joint->ways[c]
              : joint->kind == FF_JOINT_SPHERICAL ? unit
                                                  : joint->axis,
              b);
    if (ff_joint_coordinate_slides(joint->kind, c)) {
        slide_row(e, b, out, row);
        return;
    }
    ff_add_scaled(e->ws, -1, e->wf, spin);
    ff_cross(own ? e->ws : e->wf, b, turning);
    for (int k = 0; k < 3; k++) {
        out->first[row][k] = out->second[row][k] = 0;
        out->first[row][3 + k] = -b[k];
        out->second[row][3 + k] = b[k];
    }
    out->gamma[row] = -ff_dot(turning, spin);
}

/* A gear has one row over the bodies of two joints: that of the second minus ratio times that of the first, which are
 * stored separately as rows 1 and 0. It constrains rates, because angles are known only up to full turns: coordinates that
 * are states keep their relation exactly, others up to the integration error. */
void ff_rows_gear(const ff_model *model, const ff_joint *gear, const double *bodies,
                  double (*turns)[3][3], ff_rows *out) {
    for (int i = 0; i < 2; i++) {
        const ff_joint *joint = &model->joints[gear->geared[i]];
        const bool world = joint->first < 0;
        ends e;
        find_ends(joint, world ? NULL : ff_body_state(bodies, joint->first),
                  world ? NULL : turns[joint->first], ff_body_state(bodies, joint->second),
                  turns[joint->second], &e);
        coordinate_row(joint, gear->geared_coordinates[i], &e, out, i);
    }
    for (int k = 0; k < 6; k++) {
        out->first[0][k] *= -gear->ratio;
        out->second[0][k] *= -gear->ratio;
    }
    out->gamma[0] = out->gamma[1] - gear->ratio * out->gamma[0];
    out->violation[0] = 0;
}

/* The deviation of a spherical joint from its prescribed rotation, as the rotation vector that would correct it, in
 * axes of the first body: R_s = R_f exp(off) exp(law) R_turn. */
static void turned_off(const ff_joint *joint, double (*laws)[3], const double *bodies,
                       double off[3]) {
    const double *f = joint->first < 0 ? still + FF_Q : ff_body_state(bodies, joint->first) + FF_Q,
                 law[3] = {laws[0][0], laws[1][0], laws[2][0]};
    double want[4], is[4], q[4];
    memcpy(want, joint->turn, sizeof want);
    ff_quaternion_turn(want, law);
    const double back[4] = {want[0], -want[1], -want[2], -want[3]},
                 home[4] = {f[0], -f[1], -f[2], -f[3]};
    ff_quaternion_times(home, ff_body_state(bodies, joint->second) + FF_Q, is);
    ff_quaternion_times(is, back, q);
    ff_rotation_vector(q, off);
}

/* Rows of coordinates q with prescribed motion f: Phi = q - f(t), so that rows times velocities are f' and rows
 * times accelerations are f'' + gamma. Angles are known only up to full turns, and violations are within half a
 * turn. Rows of a spherical joint constrain its angular velocity in axes of the first body, in which f' and f'' are
 * given. */
void ff_rows_driven(const ff_joint *joint, double (*laws)[3], const double *bodies,
                    double (*turns)[3][3], ff_rows *out) {
    const bool world = joint->first < 0;
    double position[FF_JOINT_COORDINATES], rate[FF_JOINT_COORDINATES], turned[3] = {0};
    int row = joint->rows - joint->drives;
    const bool ball = joint->kind == FF_JOINT_SPHERICAL;
    ends e;
    if (ball) {
        turned_off(joint, laws, bodies, turned);
    }
    find_ends(joint, world ? NULL : ff_body_state(bodies, joint->first),
              world ? NULL : turns[joint->first], ff_body_state(bodies, joint->second),
              turns[joint->second], &e);
    ff_joint_coordinates(joint, bodies, position, rate);
    for (int c = 0; c < joint->coordinates; c++) {
        if (!joint->law[c]) {
            continue;
        }
        const double off = position[c] - laws[c][0];
        coordinate_row(joint, c, &e, out, row);
        out->violation[row] = ball ? turned[c]
                              : ff_joint_coordinate_slides(joint->kind, c)
                                  ? off
                                  : off - 2 * FF_PI * nearbyint(off / (2 * FF_PI));
        out->rate[row] = laws[c][1];
        out->gamma[row++] += laws[c][2];
    }
}

/* one row times a spatial vector for each body; first -1: the world */
static inline double row_times(const ff_rows *rows, int row, int first, int second,
                               double (*six)[6]) {
    double out = ff_dot6(rows->second[row], six[second]);
    return first >= 0 ? out + ff_dot6(rows->first[row], six[first]) : out;
}

static inline void row_push(const ff_rows *rows, int row, int first, int second, double by,
                            double (*six)[6]) {
    for (int c = 0; c < 6; c++) {
        six[second][c] += rows->second[row][c] * by;
        if (first >= 0) {
            six[first][c] += rows->first[row][c] * by;
        }
    }
}

void ff_rows_times(const ff_joint *joint, const ff_rows *rows, double (*six)[6], double *out) {
    if (joint->kind == FF_JOINT_GEAR) {
        out[0] = row_times(rows, 0, joint->bodies[0][0], joint->bodies[0][1], six) +
                 row_times(rows, 1, joint->bodies[1][0], joint->bodies[1][1], six);
        return;
    }
    for (int i = 0; i < joint->rows; i++) {
        out[i] = row_times(rows, i, joint->first, joint->second, six);
    }
}

void ff_rows_push(const ff_joint *joint, const ff_rows *rows, const double *multipliers,
                  double (*six)[6]) {
    if (joint->kind == FF_JOINT_GEAR) {
        row_push(rows, 0, joint->bodies[0][0], joint->bodies[0][1], multipliers[0], six);
        row_push(rows, 1, joint->bodies[1][0], joint->bodies[1][1], multipliers[0], six);
        return;
    }
    for (int i = 0; i < joint->rows; i++) {
        row_push(rows, i, joint->first, joint->second, multipliers[i], six);
    }
}

/* ---- coordinates ---- */

void ff_joint_coordinates(const ff_joint *joint, const double *bodies, double *position,
                          double *rate) {
    const double *f = joint->first < 0 ? still : ff_body_state(bodies, joint->first);
    const double *s = ff_body_state(bodies, joint->second);
    double rf[3][3], rs[3][3], zero[3][3], axis[3], second[3], spin[3], way[3], speed[3], part[3];
    ff_rotation(f + FF_Q, rf);
    ff_rotation(s + FF_Q, rs);
    ff_rotation(joint->turn, zero);
    ff_rotate(rf, joint->axis, axis);
    ff_rotate(rs, joint->second_axis, second);
    ff_add_scaled(s + FF_OMEGA, -1, f + FF_OMEGA, spin);
    double af[3], as[3];
    ff_rotate(rf, joint->anchor, af);
    ff_rotate(rs, joint->second_anchor, as);
    ff_cross(s + FF_OMEGA, as, speed);
    for (int i = 0; i < 3; i++) {
        way[i] = s[FF_P + i] + as[i] - f[FF_P + i] - af[i];
        speed[i] += s[FF_VEL + i] - f[FF_VEL + i];
    }
    /* relative to the first body, also while it rotates */
    ff_add_scaled(af, 1, way, part);
    ff_cross(f + FF_OMEGA, part, part);
    ff_add_scaled(speed, -1, part, speed);
    double mark[3], home[3], taken[3];
    if (joint->kind == FF_JOINT_SPHERICAL) {
        /* R_s = R_f exp(position) R_turn */
        const double back[4] = {joint->turn[0], -joint->turn[1], -joint->turn[2], -joint->turn[3]},
                     first[4] = {f[FF_Q], -f[FF_Q + 1], -f[FF_Q + 2], -f[FF_Q + 3]};
        double is[4], q[4];
        ff_quaternion_times(first, s + FF_Q, is);
        ff_quaternion_times(is, back, q);
        ff_rotation_vector(q, position);
        ff_rotate_back(rf, spin, rate);
        return;
    }
    if (joint->kind == FF_JOINT_UNIVERSAL) {
        /* the second axis rotates with the first angle, the first axis with minus the second angle */
        ff_rotate(zero, joint->second_axis, mark);
        ff_rotate(rf, mark, home);
        position[0] = angle_about(axis, home, second);
        ff_rotate_back(zero, joint->axis, mark);
        ff_rotate(rs, mark, taken);
        position[1] = angle_about(second, axis, taken);
        rate[0] = ff_dot(spin, axis);
        rate[1] = ff_dot(spin, second);
        return;
    }
    double angle = joint_angle(joint, rf, rs, axis), turning = ff_dot(spin, axis);
    if (joint->kind == FF_JOINT_REVOLUTE) {
        position[0] = angle;
        rate[0] = turning;
    } else if (joint->kind == FF_JOINT_PRISMATIC) {
        position[0] = ff_dot(axis, way);
        rate[0] = ff_dot(axis, speed);
    } else if (joint->kind == FF_JOINT_CYLINDRICAL) {
        position[0] = ff_dot(axis, way);
        rate[0] = ff_dot(axis, speed);
        position[1] = angle;
        rate[1] = turning;
    } else if (joint->kind == FF_JOINT_SCREW) {
        position[0] = screw_angle(joint, ff_dot(axis, way), angle);
        rate[0] = turning;
    } else if (joint->kind == FF_JOINT_PLANAR) {
        for (int i = 0; i < 2; i++) {
            double along[3];
            ff_rotate(rf, joint->ways[i], along);
            position[i] = ff_dot(along, way);
            rate[i] = ff_dot(along, speed);
        }
        position[2] = angle;
        rate[2] = turning;
    }
}
