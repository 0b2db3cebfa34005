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

/* a row d.(point of the second) - d.(point of the first), points at `as` and `af` from the centres of mass */
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

/* the angle from a to b about an axis that both are square to */
static double angle_about(const double axis[3], const double a[3], const double b[3]) {
    double c[3];
    ff_cross(a, b, c);
    return ff_atan2(ff_dot(axis, c), ff_dot(a, b));
}

/* The angle of the second body against the first about the axis of a joint, which is `axis` in world axes: a direction of
 * the first across it, and where the second has taken it. */
static double joint_angle(const ff_joint *joint, const double rf[3][3], const double rs[3][3],
                          const double axis[3]) {
    double zero[3][3], mark[3], home[3], taken[3];
    ff_rotation(joint->turn, zero);
    ff_rotate_back(zero, joint->ways[0], mark);
    ff_rotate(rs, mark, taken);
    ff_rotate(rf, joint->ways[0], home);
    return angle_about(axis, home, taken);
}

/* The angle of a screw that has come so far, with its turns. */
static double screw_angle(const ff_joint *joint, double way, double angle) {
    const double turn = 2 * FF_PI;
    return angle + turn * nearbyint((way / joint->pitch - angle) / turn);
}

/* Violations Phi, rows J with Phi' = J (v, omega), and gamma = -J' (v, omega), which Phi'' = 0 makes of J times
 * accelerations. b is fixed to the first body, a to the second, D the way from the first anchor to the second:
 *   anchors meet    Phi = D
 *   slide           Phi = b.D     Phi'' = b.D'' + 2 (wf x b).D' + (wf x (wf x b)).D + ...
 *   square          Phi = b.a     Phi'  = (wf - ws).(b x a)
 *   screw           Phi = b.D - p angle, b the axis: that of a slide less p (ws - wf).b, which has no part in gamma, for ws - wf
 *                   is along b where the other rows hold */
void ff_rows_find(const ff_joint *joint, const double *first, const double first_turn[3][3],
                  const double *second, const double second_turn[3][3], ff_rows *out) {
    const double *f = first ? first : still, *s = second;
    const double(*rf)[3] = first ? first_turn : straight;
    const double *wf = f + FF_OMEGA, *ws = s + FF_OMEGA;
    double af[3], as[3], way[3], rate[3], bias[3], part[3];
    ff_rotate(rf, joint->anchor, af);
    ff_rotate(second_turn, joint->second_anchor, as);
    ff_cross(ws, as, rate);
    ff_cross(wf, af, part);
    for (int i = 0; i < 3; i++) {
        way[i] = s[FF_P + i] + as[i] - f[FF_P + i] - af[i];
        rate[i] += s[FF_VEL + i] - f[FF_VEL + i] - part[i];
    }
    whirl(ws, as, bias);
    whirl(wf, af, part);
    ff_add_scaled(bias, -1, part, bias);
    int row = 0;
    for (int i = 0; joint->meets && i < 3; i++, row++) {
        double d[3] = {i == 0, i == 1, i == 2};
        set_row(out, row, d, as, af);
        out->violation[row] = way[i];
        out->gamma[row] = -bias[i];
    }
    for (int i = 0; i < joint->slides; i++, row++) {
        double b[3], reach[3], turning[3];
        ff_rotate(rf, joint->slide[i], b);
        ff_add_scaled(af, 1, way, reach);
        set_row(out, row, b, as, reach);
        ff_cross(wf, b, turning);
        whirl(wf, b, part);
        out->violation[row] = ff_dot(b, way);
        out->gamma[row] = -(ff_dot(b, bias) + 2 * ff_dot(turning, rate) + ff_dot(part, way));
    }
    for (int i = 0; i < joint->squares; i++, row++) {
        double b[3], a[3], c[3], bt[3], at[3], p[3], q[3];
        ff_rotate(rf, joint->square[i], b);
        ff_rotate(second_turn, joint->across[i], a);
        ff_cross(b, a, c);
        ff_cross(wf, b, bt);
        ff_cross(ws, a, at);
        ff_cross(bt, a, p);
        ff_cross(b, at, q);
        double gamma = 0;
        for (int k = 0; k < 3; k++) {
            out->first[row][k] = out->second[row][k] = 0;
            out->first[row][3 + k] = c[k];
            out->second[row][3 + k] = -c[k];
            gamma -= (wf[k] - ws[k]) * (p[k] + q[k]);
        }
        out->violation[row] = ff_dot(b, a);
        out->gamma[row] = gamma;
    }
    if (joint->threads) {
        double b[3], reach[3], turning[3];
        ff_rotate(rf, joint->axis, b);
        ff_add_scaled(af, 1, way, reach);
        set_row(out, row, b, as, reach);
        ff_cross(wf, b, turning);
        whirl(wf, b, part);
        double along = ff_dot(b, way),
               angle = screw_angle(joint, along, joint_angle(joint, rf, second_turn, b));
        for (int k = 0; k < 3; k++) {
            out->second[row][3 + k] -= joint->pitch * b[k];
            out->first[row][3 + k] += joint->pitch * b[k];
        }
        out->violation[row] = along - joint->pitch * angle;
        out->gamma[row] = -(ff_dot(b, bias) + 2 * ff_dot(turning, rate) + ff_dot(part, way));
    }
}

void ff_rows_times(const ff_joint *joint, const ff_rows *rows, double (*six)[6], double *out) {
    for (int i = 0; i < joint->rows; i++) {
        out[i] = ff_dot6(rows->second[i], six[joint->second]);
        if (joint->first >= 0) {
            out[i] += ff_dot6(rows->first[i], six[joint->first]);
        }
    }
}

void ff_rows_push(const ff_joint *joint, const ff_rows *rows, const double *multipliers,
                  double (*six)[6]) {
    for (int i = 0; i < joint->rows; i++) {
        for (int c = 0; c < 6; c++) {
            six[joint->second][c] += rows->second[i][c] * multipliers[i];
            if (joint->first >= 0) {
                six[joint->first][c] += rows->first[i][c] * multipliers[i];
            }
        }
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
    /* against the first body, also where it turns */
    ff_add_scaled(af, 1, way, part);
    ff_cross(f + FF_OMEGA, part, part);
    ff_add_scaled(speed, -1, part, speed);
    double mark[3], home[3], taken[3];
    if (joint->kind == FF_JOINT_UNIVERSAL) {
        /* the second axis turns with the first angle, the first one with minus the second */
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
